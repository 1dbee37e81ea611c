"""acc_eq: pairwise accuracy that rewards ties, with the tie threshold that suits a metric best."""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError
from wordorder.kernels import _run
from wordorder.kernels.tie_threshold import best_gap, tie_gains
from wordorder.statistics.correlation.grouping import Groups, grouped, mean_over_groups
from wordorder.statistics.correlation.pair_counts import counts_of_groups
from wordorder.statistics.correlation.rank_agreement import accuracies
from wordorder.types import Float64, Int64

# Differences that are closer than this share of the largest score differ by rounding: .3 - .1 and
# .1 + .2 - .1. Sums and differences of a few numbers are off by some 2**-52.
ROUNDING = 2.0**-44
# Weights are whole numbers, so that sums of them are exact; they and their sums stay below this.
ROOM = 1 << 62


@dataclass(frozen=True)
class TieCalibration:
    """The accuracy of a metric at its best tie threshold.

    Attributes
    ----------
    value : float
        acc_eq, in [0, 1]; NaN without a pair.
    threshold : float
        Two outputs whose scores differ by at most this count as equal.
    groups, pairs : int
        Groups with a pair, and all their pairs.
    """

    value: float
    threshold: float
    groups: int
    pairs: int


def acc_eq(
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    by: str = "none",
    *,
    threshold: float | None = None,
) -> TieCalibration:
    """Return the share of pairs that a metric gets right, ties included (Deutsch et al. 2023).

    A pair is right if metric and people prefer the same output, or if both call the two equal.
    People seldom give the same score by chance, metrics hardly ever give it at all: so a metric
    calls two outputs equal if its scores differ by at most a threshold, ``|d| <= threshold``. The
    threshold is the one that gives the most: 0 and all differences between scores of a pair are
    tried, on all pairs. Of several that are best the smallest is taken.

    Parameters
    ----------
    metric, human : float64 of the same shape
        NaN where there is no score; such outputs are left out. For "item" and "system"
        float64[systems, segments].
    by : "none", "item" or "system"
        Pairs of any outputs; of the same segment; of the same system. With the last two the value
        is the mean over segments, or systems, with at least one pair, and one threshold serves all.
    threshold : float, optional
        Take this one and calibrate nothing, such as one from another test set.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite or the threshold is negative.

    Notes
    -----
    Differences that floating point alone makes differ, such as .3 - .2 and .2 - .1, are one
    threshold, the largest of them: sorted differences are the same as long as each is within
    ``2**-44`` of the largest absolute score of the one before. Human scores are equal if they are
    the same number. The search compares whole numbers and the same result comes out on any
    platform; it takes O(p log p) steps for p pairs.

    Examples
    --------
    >>> acc_eq([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4])
    TieCalibration(value=0.7, threshold=0.5, groups=1, pairs=10)
    """
    groups = grouped(metric, human, by)
    if threshold is None:
        threshold = calibrated_threshold(groups)
    elif not threshold >= 0:
        raise UsageError(f"a tie threshold must not be negative, got {threshold}")
    values = accuracies(counts_of_groups(groups, threshold=threshold))
    pairs = groups.pairs
    return TieCalibration(
        mean_over_groups(values), threshold, int((pairs > 0).sum()), int(pairs.sum())
    )


def calibrated_threshold(groups: Groups) -> float:
    """Return the smallest tie threshold with the best mean accuracy over the groups."""
    gaps, gains = _sorted_gains(groups, pair_weights(groups.pairs))
    tolerance = float(np.abs(groups.metric).max(initial=0.0)) * ROUNDING
    found = np.zeros(1)
    _run.call(best_gap, gaps, gains, len(gaps), tolerance, found)
    return float(found[0])


def pair_weights(pairs: Int64) -> Int64:
    """Weigh the pairs of each group so that all groups weigh the same, in whole numbers.

    Exact if the least common multiple of the numbers of pairs is not too large, else rounded to
    2 parts in as many as there are pairs in the largest group, or better.

    Examples
    --------
    >>> pair_weights(np.array([1, 3, 6, 0])).tolist()
    [6, 2, 1, 0]
    """
    several = pairs[pairs > 0]
    common = lcm(*np.unique(several).tolist()) if len(several) else 1
    # The sum of all weights is common * groups.
    if common * len(several) >= ROOM:
        common = ROOM // len(several)
    weights: Int64 = np.where(pairs > 0, common // np.maximum(pairs, 1), 0)
    return weights


def _sorted_gains(groups: Groups, weights: Int64) -> tuple[Float64, Int64]:
    """Return the differences of pairs that a tie makes right or wrong, sorted, and the gains."""
    room = int(groups.pairs.sum())
    gaps, gains = np.empty(room), np.empty(room, np.int64)
    found = _run.call(
        tie_gains,
        *(groups.metric, groups.human, groups.offsets, weights, gaps, gains),
        *(0, len(weights)),
    )
    gaps, gains = gaps[:found], gains[:found]
    sizes = weights[weights > 0]
    if len(sizes) and (sizes == sizes[0]).all():
        # Positive doubles sort like whole numbers. With the sign of the gain as the last bit one
        # sort of plain numbers does for both.
        keys = (gaps.view(np.uint64) << np.uint64(1)) | (gains > 0)
        keys.sort()
        gains = np.where(keys & np.uint64(1), sizes[0], -sizes[0])
        return (keys >> np.uint64(1)).view(np.float64), gains
    order = np.argsort(gaps)
    return gaps[order], gains[order]
