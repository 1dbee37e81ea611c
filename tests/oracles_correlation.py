"""Slow, obvious twins of the coefficients: loops over pairs, in fractions where they are exact."""

import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction

Pair = tuple[float, float]


def outputs(metric: Sequence[float], human: Sequence[float]) -> list[Pair]:
    """The outputs that have both scores."""
    both = zip(metric, human, strict=True)
    return [(m, h) for m, h in both if not math.isnan(m) and not math.isnan(h)]


def groups(
    metric: Sequence[Sequence[float]], human: Sequence[Sequence[float]], by: str
) -> list[list[Pair]]:
    """The outputs of each group."""
    if by == "none":
        return [outputs(list(itertools.chain(*metric)), list(itertools.chain(*human)))]
    if by == "item":
        metric, human = list(zip(*metric, strict=True)), list(zip(*human, strict=True))
    return [outputs(m, h) for m, h in zip(metric, human, strict=True)]


def kinds(group: Iterable[Pair], threshold: float = 0.0, least: float = 0.0) -> list[int]:
    """Concordant, discordant, tied by the metric alone, by people alone, by both."""
    counts = [0, 0, 0, 0, 0]
    for (m, h), (n, g) in itertools.combinations(group, 2):
        if abs(h - g) < least:
            continue
        tied_metric, tied_human = abs(m - n) <= threshold, h == g
        if tied_metric and tied_human:
            counts[4] += 1
        elif tied_human:
            counts[3] += 1
        elif tied_metric:
            counts[2] += 1
        elif (m > n) == (h > g):
            counts[0] += 1
        else:
            counts[1] += 1
    return counts


def wmt_tau(group: Iterable[Pair], tie: int | None, least: float = 0.0) -> Fraction:
    """The table of the WMT15 script: what a tie of the metric adds; None drops the pair."""
    above = below = 0
    for (m, h), (n, g) in itertools.combinations(group, 2):
        if h == g or abs(h - g) < least or (m == n and tie is None):
            continue
        below += 1
        if m == n:
            above += tie or 0
        else:
            above += 1 if (m > n) == (h > g) else -1
    return Fraction(above, below)


def accuracy(counts: Sequence[int]) -> Fraction | None:
    """The share of pairs that are right; None without a pair."""
    return Fraction(counts[0] + counts[4], sum(counts)) if sum(counts) else None


def mean_accuracy(grouped: Sequence[Sequence[Pair]], threshold: float) -> Fraction:
    """The mean accuracy over groups with a pair."""
    values = [accuracy(kinds(group, threshold)) for group in grouped]
    known = [value for value in values if value is not None]
    return sum(known, Fraction()) / len(known)


def acc_eq(grouped: Sequence[Sequence[Pair]]) -> tuple[Fraction, float]:
    """The best mean accuracy and the smallest threshold that reaches it: tries them all."""
    differences = {
        abs(m - n) for group in grouped for (m, _), (n, _) in itertools.combinations(group, 2)
    }
    best, threshold = Fraction(-1), -1.0
    for candidate in sorted({0.0, *differences}):
        value = mean_accuracy(grouped, candidate)
        if value > best:
            best, threshold = value, candidate
    return best, threshold
