"""Language models as dictionaries: slow, obvious twins."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np

from wordorder.translation.language_model import LanguageModel
from wordorder.translation.ngrams import SPECIAL_WORDS

Ngram = tuple[str, ...]
# Natural logarithms of probability and back-off weight.
Listed = dict[Ngram, tuple[float, float]]


def word_score(listed: Listed, context: Ngram, word: str) -> float:
    """Return log p(word | context) as back-off models define it."""
    if (*context, word) in listed:
        return listed[(*context, word)][0]
    weight = listed[context][1] if context in listed else 0.0
    return weight + word_score(listed, context[1:], word)


def sentence_scores(listed: Listed, words: Sequence[str]) -> list[float]:
    """Return log p of each word and of the end, after the longest contexts that are listed."""
    order = max(map(len, listed))
    known = [word if (word,) in listed else "<unk>" for word in words]
    padded = ["<s>", *known, "</s>"]
    return [
        word_score(listed, tuple(padded[max(0, i - order + 1) : i]), padded[i])
        for i in range(1, len(padded))
    ]


def random_model(rng: random.Random, order: int, words: Sequence[str]) -> Listed:
    """Draw a model whose n-grams have their beginnings, but not all their endings, in it."""
    listed: Listed = {}
    level: list[Ngram] = [(word,) for word in (*SPECIAL_WORDS, *words)]
    for length in range(1, order + 1):
        for ngram in level:
            weight = 0.0 if length == order or rng.random() < 0.3 else -rng.random()
            # What a float32 can hold, so that both sum the same numbers.
            pair = np.array([-5 * rng.random(), weight], np.float32).tolist()
            listed[ngram] = (pair[0], pair[1])
        longer = [(*n, w) for n in level if n[-1] != "</s>" for w in (*words, "</s>")]
        level = rng.sample(longer, min(len(longer), 12))
    return listed


def compiled_model(listed: Listed, words: Sequence[str]) -> LanguageModel:
    """Make the model that the package asks."""
    vocabulary = [*SPECIAL_WORDS, *words]
    number = {word: i for i, word in enumerate(vocabulary)}
    ngrams: list[Ngram] = [(), *((word,) for word in vocabulary)]
    ngrams += sorted((n for n in listed if len(n) > 1), key=len)
    node = {ngram: i for i, ngram in enumerate(ngrams)}

    def suffix(ngram: Ngram) -> int:
        return node[ngram[1:]] if ngram[1:] in node else suffix(ngram[1:])

    values = [listed.get(ngram, (0.0, 0.0)) for ngram in ngrams]
    order = max(map(len, listed))
    return LanguageModel.from_nodes(
        vocabulary,
        [*(sum(len(n) < length for n in ngrams) for length in range(order + 1)), len(ngrams)],
        np.array([0, *(node[n[:-1]] for n in ngrams[1:])]),
        np.array([0, *(number[n[-1]] for n in ngrams[1:])]),
        np.array([pair[0] for pair in values]),
        np.array([pair[1] for pair in values]),
        np.array([0, *(suffix(n) for n in ngrams[1:])]),
    )


def kneser_ney(
    lines: Sequence[Sequence[str]], order: int, thresholds: Sequence[int]
) -> dict[Ngram, tuple[Fraction, Fraction]]:
    """Estimate a model with exact fractions, straight from Chen and Goodman (1998)."""
    text = [("<s>", *line, "</s>") for line in lines]
    raw = Counter(
        row[i : i + n] for row in text for n in range(1, order + 1) for i in range(len(row) - n + 1)
    )
    before: dict[Ngram, set[str]] = defaultdict(set)
    for ngram in raw:
        before[ngram[1:]].add(ngram[0])
    vocabulary = {"<unk>", *(word for row in text for word in row)} - {"<s>"}

    # No word is ever the begin of a sentence: it is a context alone.
    predicted = [ngram for ngram in raw if ngram != ("<s>",)]

    def adjusted(ngram: Ngram) -> int:
        whole = len(ngram) == order or ngram[0] == "<s>"
        return raw[ngram] if whole else len(before[ngram])

    taken = {
        n: exact_discounts(adjusted(g) for g in predicted if len(g) == n) for n in _lengths(order)
    }

    def discount(ngram: Ngram) -> Fraction:
        if len(ngram) > 1 and raw[ngram] <= thresholds[len(ngram) - 1]:
            return Fraction(adjusted(ngram))
        return taken[len(ngram)][min(adjusted(ngram), 3)]

    children: dict[Ngram, list[Ngram]] = defaultdict(list)
    for ngram in predicted:
        children[ngram[:-1]].append(ngram)

    def weight(context: Ngram) -> Fraction:
        below = children[context]
        return sum(map(discount, below), Fraction(0)) / sum(map(adjusted, below))

    def probability(ngram: Ngram) -> Fraction:
        if not ngram:
            return Fraction(1, len(vocabulary))
        context = ngram[:-1]
        if not children[context]:
            return probability(ngram[1:])
        own = Fraction(adjusted(ngram) - discount(ngram)) if raw[ngram] else Fraction(0)
        return own / sum(map(adjusted, children[context])) + weight(context) * probability(
            ngram[1:]
        )

    return {
        ngram: (
            Fraction(1) if ngram == ("<s>",) else probability(ngram),
            weight(ngram) if children[ngram] else Fraction(1),
        )
        for ngram in [*raw, ("<unk>",)]
        if len(ngram) == 1 or raw[ngram] > thresholds[len(ngram) - 1]
    }


def exact_discounts(counts: Iterable[int]) -> list[Fraction]:
    """Return what is taken off counts of 0, 1, 2 and more: equation 26, or the fallback."""
    number = Counter(counts)
    fallback = [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3, 2)]
    if not (number[1] and number[2] and number[3]):
        return fallback
    share = Fraction(number[1], number[1] + 2 * number[2])
    found = [j - (j + 1) * share * Fraction(number[j + 1], number[j]) for j in (1, 2, 3)]
    return [Fraction(0), *found] if all(0 < d <= j for j, d in enumerate(found, 1)) else fallback


def _lengths(order: int) -> range:
    return range(1, order + 1)
