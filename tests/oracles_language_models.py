"""Language models as dictionaries: slow, obvious twins."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np

from wordorder.translation.language_model import SPECIAL, LanguageModel

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
    level: list[Ngram] = [(word,) for word in (*SPECIAL, *words)]
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
    vocabulary = [*SPECIAL, *words]
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
