"""Counts of concordant, discordant and tied pairs of outputs."""

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

# Two score differences that are closer than this share of the largest score, such as .3 - .1 and
# .1 + .2 - .1, differ only by rounding: sums of a few numbers have an error of about 2**-52.
PAIR_ROUNDING = 2.0**-44
# Pairs of larger groups are counted by sorting; in smaller groups every pair is compared.
SORTED_GROUP = 256


@dataclass(frozen=True)
class PairCounts:
    """The number of pairs of outputs for each combination of a metric's and people's preferences.

    Attributes
    ----------
    concordant, discordant : int
        Pairs of which both prefer the same output; of which they prefer different ones.
    metric_ties, human_ties : int
        Pairs that only the metric ties; that only people tie.
    both_ties : int
        Pairs that both tie.

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
        """The number of all pairs."""
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
        The metric ties two outputs whose scores differ by at most this. 0 ties only equal numbers;
        above 0, rounding errors are ignored: .4 and .3 differ by .1, not by more.
    least : float
        Leave out pairs whose human scores differ by less; rounding errors are ignored.

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
    """Count pairs of outputs of which human judges marked the better one.

    Parameters
    ----------
    better, worse : float64[P]
        The metric's scores of the two outputs; pairs without both (NaN) are left out.

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
    return PairCounts(*(int(selected.sum()) for selected in (gaps > 0, gaps < 0, gaps == 0)))


def counts_of_groups(groups: Groups, *, threshold: float = 0.0, least: float = 0.0) -> Int64:
    """Count the pairs within each group, int64[G, 5], in the order of `PairCounts`.

    Raises
    ------
    UsageError
        If `threshold` or `least` is negative.

    Notes
    -----
    A group of more than 256 outputs takes O(n log n) steps if `threshold` and `least` are 0.
    """
    if not threshold >= 0:
        raise UsageError(f"a tie threshold must not be negative, got {threshold}")
    if not least >= 0:
        raise UsageError(f"the least difference must not be negative, got {least}")
    group_count = len(groups.offsets) - 1
    counts = np.zeros((group_count, 5), np.int64)
    if threshold > 0:
        threshold += rounding(groups.metric)
    least -= min(least, rounding(groups.human))
    large = groups.sizes > SORTED_GROUP
    if threshold != 0 or least > 0 or not large.any():
        rows = groups.metric, groups.human, groups.offsets
        limits = threshold, least, counts.ravel()
        _run.run_rows(count_pairs, row_offsets(groups.pairs), *rows, *limits)
        return counts
    for group in range(group_count):
        inside = slice(groups.offsets[group], groups.offsets[group + 1])
        counts[group] = _counts_by_sorting(groups.metric[inside], groups.human[inside])
    return counts


def rounding(scores: Float64) -> float:
    """Return the largest rounding error between equal differences of these scores."""
    return float(np.abs(scores).max(initial=0.0)) * PAIR_ROUNDING


def _counts_by_sorting(metric: Float64, human: Float64) -> tuple[int, int, int, int, int]:
    """Count the pairs of one group from sorted ranks (Knight 1966)."""
    x, y = (
        np.unique(scores, return_inverse=True)[1].astype(np.int64) for scores in (metric, human)
    )
    order = np.lexsort((x, y))
    size = len(x)
    offsets = np.array([0, size], np.int64)
    ranks: Int32 = x[order].astype(np.int32)
    discordant = np.zeros(1, np.int64)
    scratch = np.empty((2, size), np.int32)
    _run.call(inversions, ranks, offsets, discordant, 0, 1, scratch[0], scratch[1])
    metric_ties, human_ties = _tied_pair_count(x), _tied_pair_count(y)
    both = _tied_pair_count(x * size + y)
    total = size * (size - 1) // 2
    wrong = int(discordant[0])
    right = total - wrong - metric_ties - human_ties + both
    return right, wrong, metric_ties - both, human_ties - both, both


def _tied_pair_count(values: Int64) -> int:
    """Count the pairs of equal values."""
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())
