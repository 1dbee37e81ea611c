"""Slow, obvious twins of the resampling: plain integers, fractions and loops."""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, pairwise
from typing import Any


def ratio(totals: Any) -> Any:
    """A score that is no mean: one sum over another."""
    return totals[..., 0] / totals[..., 1]


def splitmix64(key: int) -> Iterator[int]:
    """Steele, Lea and Flood (2014), Figure 17, as in the reference code by Vigna."""
    state = key % 2**64
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        yield z ^ (z >> 31)


def words(key: int) -> Iterator[int]:
    """The outputs cut into halves, the low one first."""
    for output in splitmix64(key):
        yield output % 2**32
        yield output // 2**32


def draw_counts(key: int, size: int) -> tuple[list[int], int]:
    """How often each of `size` segments is drawn, and how many words were passed over.

    Segment ``i`` owns the words from ``i/size`` to ``(i+1)/size`` of all. Some own one word more
    than others, and those are passed over.
    """
    counts = [0] * size
    drawn = passed = 0
    for word in words(key):
        if drawn == size:
            break
        segment, place = divmod(word * size, 2**32)
        if place < 2**32 % size:
            passed += 1
        else:
            counts[segment] += 1
            drawn += 1
    return counts, passed


def draw_swaps(key: int, size: int) -> list[int]:
    stream = splitmix64(key)
    flips: list[int] = []
    while len(flips) < size:
        flips += [int(bit) for bit in reversed(f"{next(stream):064b}")]
    return flips[:size]


def weighted_totals(
    weights: Sequence[int], statistics: Sequence[Sequence[float]]
) -> list[Fraction]:
    """Exact sums of the rows, each times its weight."""
    columns = range(len(statistics[0]))
    return [
        sum((w * Fraction(row[c]) for w, row in zip(weights, statistics, strict=True)), Fraction())
        for c in columns
    ]


Statistics = Sequence[Sequence[float]]
Score = Callable[[Sequence[Fraction]], Fraction]


def bootstrap_differences(
    first: Statistics, second: Statistics, score: Score, keys: Sequence[int]
) -> list[Fraction]:
    differences = []
    for key in keys:
        counts, _ = draw_counts(key, len(first))
        one, two = (score(weighted_totals(counts, system)) for system in (first, second))
        differences.append(two - one)
    return differences


def bootstrap_test(
    first: Statistics, second: Statistics, score: Score, keys: Sequence[int]
) -> tuple[Fraction, str]:
    """The p-value and the mark of the paired bootstrap, straight from their definitions."""
    every = [1] * len(first)
    real = score(weighted_totals(every, second)) - score(weighted_totals(every, first))
    found = bootstrap_differences(first, second, score, keys)
    mean = sum(found, Fraction()) / len(found)
    extreme = sum(abs(d - mean) >= abs(real) for d in found)
    mark = "0"
    for percent, stars in ((90, "*"), (95, "**")):
        dropped = math.floor(Fraction(len(found) * (100 - percent), 200))
        kept = sorted(found)[dropped : len(found) - dropped]
        if kept[0] > 0:
            mark = "+" + stars
        if kept[-1] < 0:
            mark = "-" + stars
    return Fraction(extreme + 1, len(found) + 1), mark


def randomization_test(
    first: Statistics, second: Statistics, score: Score, keys: Sequence[int]
) -> Fraction:
    """The p-value of approximate randomization: swap the rows, score, count."""
    every = [1] * len(first)
    real = score(weighted_totals(every, second)) - score(weighted_totals(every, first))
    extreme = 0
    for key in keys:
        flips = draw_swaps(key, len(first))
        one = [b if flip else a for a, b, flip in zip(first, second, flips, strict=True)]
        two = [a if flip else b for a, b, flip in zip(first, second, flips, strict=True)]
        swapped = score(weighted_totals(every, two)) - score(weighted_totals(every, one))
        extreme += abs(swapped) >= abs(real)
    return Fraction(extreme + 1, len(keys) + 1)


def compositions(size: int) -> Iterator[list[range]]:
    """All ways to cut ``0 .. size-1`` into consecutive parts."""
    for bits in range(2 ** max(size - 1, 0)):
        cuts = [0, *(i + 1 for i in range(size - 1) if bits >> i & 1), size]
        yield [range(a, b) for a, b in pairwise(cuts)]


def finest(order: Sequence[int], beats: Callable[[int, int], bool]) -> list[tuple[int, ...]]:
    """Cut a ranking into as many parts as possible: each beats all that come later."""

    def allowed(parts: list[tuple[int, ...]]) -> bool:
        pairs = combinations(parts, 2)
        return all(beats(a, b) for one, later in pairs for a in one for b in later)

    cuts = compositions(len(order))
    return max(
        filter(allowed, ([tuple(order[i] for i in p) for p in cut] for cut in cuts)), key=len
    )
