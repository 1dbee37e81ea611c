"""Pairs of outputs counted by agreement: concordant, discordant and tied."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int32, Int64, row_offsets
from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.kernels.orders import inversions
from wordorder.kernels.resampling import count_pairs
from wordorder.statistics.grouped_correlation import Groups, check_finite, grouped

# Differences that are closer than this share of the largest score differ by rounding: .3 - .1 and
# .1 + .2 - .1. Sums and differences of a few numbers are off by some 2**-52.
PAIR_ROUNDING = 2.0**-44
# Groups of more outputs are sorted; all pairs of smaller ones are looked at one by one.
SORTED_GROUP = 256


@dataclass(frozen=True)
class PairCounts:
    """Pairs of outputs, by the verdicts of a metric and of people.

    Attributes
    ----------
    concordant, discordant : int
        Both prefer the same output, or not.
    metric_ties, human_ties : int
        Only the metric calls them equal, or only people.
    both_ties : int
        Both call them equal.

    Examples
    --------
    >>> PairCounts(3, 1) + PairCounts(0, 0, 1)
    PairCounts(concordant=3, discordant=1, metric_ties=1, human_ties=0, both_ties=0)
    """

    concordant: int = 0
    discordant: int = 0
    metric_ties: int = 0
    human_ties: int = 0
    both_ties: int = 0

    def __add__(self, other: PairCounts) -> PairCounts:
        return PairCounts(*map(int, (self.row() + other.row())[0]))

    @property
    def total(self) -> int:
        """All pairs."""
        return int(self.row().sum())

    def row(self) -> Int64:
        """The five counts, int64[1, 5]."""
        return np.array([astuple(self)], np.int64)


def pair_counts(
    metric: npt.ArrayLike, human: npt.ArrayLike, *, threshold: float = 0.0, least: float = 0.0
) -> PairCounts:
    """Count all pairs of outputs.

    Parameters
    ----------
    metric, human : float64 of the same shape
        Outputs that lack one of the scores (NaN) are left out.
    threshold : float
        The metric ties two outputs whose scores differ by at most this. 0 ties equal numbers;
        above 0, rounding does not count: .4 and .3 differ by .1, and not by more.
    least : float
        Leave out pairs whose human scores differ by less; rounding does not count.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite, or `threshold` or `least` is negative.

    Examples
    --------
    >>> pair_counts([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4])
    PairCounts(concordant=6, discordant=3, metric_ties=0, human_ties=1, both_ties=0)
    """
    counts = counts_of_groups(grouped(metric, human), threshold=threshold, least=least)
    return PairCounts(*map(int, counts[0]))


def judged_pairs(better: npt.ArrayLike, worse: npt.ArrayLike) -> PairCounts:
    """Count pairs of which people said which output is better.

    Parameters
    ----------
    better, worse : float64[P]
        The metric's scores of the two outputs; pairs that lack one (NaN) are left out.

    Raises
    ------
    UsageError
        If the shapes differ or a score is infinite.

    Examples
    --------
    >>> judged_pairs([0.5, 0.7, 0.2], [0.3, 0.7, 0.9])
    PairCounts(concordant=1, discordant=1, metric_ties=1, human_ties=0, both_ties=0)
    """
    preferred, rejected = (np.asarray(scores, np.float64) for scores in (better, worse))
    if preferred.shape != rejected.shape:
        raise UsageError(f"scores of shape {preferred.shape} and {rejected.shape} are no pairs")
    check_finite(preferred, rejected)
    gaps = preferred - rejected
    return PairCounts(*(int(kind.sum()) for kind in (gaps > 0, gaps < 0, gaps == 0)))


def counts_of_groups(groups: Groups, *, threshold: float = 0.0, least: float = 0.0) -> Int64:
    """Count the pairs within each group, int64[G, 5], in the order of `PairCounts`.

    Raises
    ------
    UsageError
        If `threshold` or `least` is negative.

    Notes
    -----
    A group of more than 256 outputs takes O(n log n) steps unless a threshold is given.
    """
    if not threshold >= 0:
        raise UsageError(f"a tie threshold must not be negative, got {threshold}")
    if not least >= 0:
        raise UsageError(f"the least difference must not be negative, got {least}")
    number = len(groups.offsets) - 1
    counts = np.zeros((number, 5), np.int64)
    if threshold > 0:
        threshold += rounding(groups.metric)
    least -= min(least, rounding(groups.human))
    large = groups.sizes > SORTED_GROUP
    if threshold != 0 or least > 0 or not large.any():
        rows = groups.metric, groups.human, groups.offsets
        limits = threshold, least, counts.ravel()
        _run.run_rows(count_pairs, row_offsets(groups.pairs), *rows, *limits)
        return counts
    for group in range(number):
        inside = slice(groups.offsets[group], groups.offsets[group + 1])
        counts[group] = _by_sorting(groups.metric[inside], groups.human[inside])
    return counts


def rounding(scores: Float64) -> float:
    """Return the largest rounding error between equal differences of these scores."""
    return float(np.abs(scores).max(initial=0.0)) * PAIR_ROUNDING


def _by_sorting(metric: Float64, human: Float64) -> tuple[int, int, int, int, int]:
    """Count the pairs of one group from sorted ranks (Knight 1966)."""
    x, y = (
        np.unique(scores, return_inverse=True)[1].astype(np.int64) for scores in (metric, human)
    )
    order = np.lexsort((x, y))
    size = len(x)
    offsets = np.array([0, size], np.int64)
    ranks: Int32 = x[order].astype(np.int32)
    discordant = np.zeros(1, np.int64)
    spare = np.empty((2, size), np.int32)
    _run.call(inversions, ranks, offsets, discordant, 0, 1, spare[0], spare[1])
    metric_ties, human_ties = _tied(x), _tied(y)
    both = _tied(x * size + y)
    total = size * (size - 1) // 2
    wrong = int(discordant[0])
    right = total - wrong - metric_ties - human_ties + both
    return right, wrong, metric_ties - both, human_ties - both, both


def _tied(values: Int64) -> int:
    """Count the pairs of equal values."""
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())
