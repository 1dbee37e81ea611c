"""Slow, obvious twins of LRscore, SenScore and the metrics of links, from their definitions."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import combinations

from tests.oracles_ngrams import ngram_statistics

Links = Sequence[tuple[int, int]]
Words = Sequence[str]


def ranks(links: Links, words: int) -> list[int]:
    """The place of each source word in the target, unaligned ones going with the one before."""
    keys: list[int] = []
    for s in range(words):
        own = [t for source, t in links if source == s]
        keys.append(min(own) if own else keys[-1] if keys else 0)
    order = sorted(range(words), key=lambda s: (keys[s], s))
    return [order.index(s) for s in range(words)]


def similarity(ours: Sequence[int], theirs: Sequence[int], reordering: str) -> float:
    """Similarity of two rank arrays over the same source words."""
    n = len(ours)
    if n == 0:
        return 0.0
    if reordering == "hamming":
        return sum(a == b for a, b in zip(ours, theirs, strict=True)) / n
    pairs = list(combinations(range(n), 2))
    wrong = sum((ours[i] < ours[j]) != (theirs[i] < theirs[j]) for i, j in pairs)
    return 1 - math.sqrt(wrong / len(pairs)) if pairs else 1.0


def brevity(length: int, reference: int) -> float:
    if length == 0:
        return 0.0
    return math.exp(1 - reference / length) if length < reference else 1.0


def bleu(pairs: Iterable[tuple[Words, Sequence[Words]]], order: int, smooth: bool) -> float:
    """BLEU of hypotheses with their references."""
    rows = [ngram_statistics(*pair, order) for pair in pairs]
    counts = [sum(column) for column in zip(*rows, strict=True)]
    matches, totals, (length, reference_length) = counts[:order], counts[order:-2], counts[-2:]
    if smooth:
        matches[1:] = [m + 1 for m in matches[1:]]
        totals[1:] = [t + 1 for t in totals[1:]]
    if 0 in matches:
        return 0.0
    mean = sum(math.log(m / t) for m, t in zip(matches, totals, strict=True)) / order
    return brevity(length, reference_length) * math.exp(mean)


def f1(hypothesis: Words, reference: Words) -> float:
    common = sum((Counter(hypothesis) & Counter(reference)).values())
    if not common:
        return 0.0
    precision, recall = common / len(hypothesis), common / len(reference)
    return 2 * precision * recall / (precision + recall)


def anticipated(links: Links, target_words: int, k: int) -> int:
    """Target words, counted from 1, that are linked to a source word ``i >= j + k``."""
    return sum(
        any(s + 1 >= j + k for s, t in links if t + 1 == j) for j in range(1, target_words + 1)
    )


def unaligned(links: Links, words: int, side: int) -> int:
    return sum(all(link[side] != w for link in links) for w in range(words))


def off_diagonal(links: Links, source_words: int, target_words: int) -> Fraction:
    """The summed distances of the links from the diagonal."""
    return sum(
        (abs(Fraction(s + 1, source_words) - Fraction(t + 1, target_words)) for s, t in links),
        Fraction(0),
    )
