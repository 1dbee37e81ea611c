"""Correlation coefficients by name, with their counts; calibration of tie thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import lcm

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int64, UInt8, row_offsets
from wordorder.errors import UsageError, unknown_name
from wordorder.kernels import _run
from wordorder.kernels.resampling import best_gap, gain_histogram, tie_gains
from wordorder.statistics import coefficients, grouped_correlation as grouping, pair_counts

# "spa" and "pce" need tables [systems, segments]; the others also accept vectors of scores.
COEFFICIENTS = (
    *("pearson", "spearman", *(f"kendall-{variant}" for variant in coefficients.VARIANTS)),
    *("accuracy", "acc-eq", "spa", "pce"),
)
# Weights are integers, so that their sums are exact; weights and sums stay below this limit.
LARGEST_WEIGHT_SUM = 1 << 62
# The most pairs that are listed in one batch (64 MB). If there are more, a histogram finds the
# pairs near the best threshold, and only these are listed.
MAX_LISTED_GAPS = 1 << 22
HISTOGRAM_BUCKETS = 1 << 16


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of a metric and human scores, with its counts of groups and outputs.

    Attributes
    ----------
    value : float
        NaN if it is undefined.
    n : int
        The number of outputs with both scores, in the groups that are used.
    groups, left_out : int
        The number of groups that are averaged (or summed), and of groups without a value because
        they have too few scores, or equal scores only.
    threshold : float, optional
        For acc-eq only: metric scores that differ by at most this are ties.
    """

    value: float
    n: int
    groups: int
    left_out: int
    threshold: float | None = None


def coefficient(
    statistic: str,
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    by: str = "none",
    *,
    seed: int = 12345,
) -> Coefficient:
    """Compute a coefficient by its name.

    Parameters
    ----------
    statistic : str
        One of `COEFFICIENTS`; "kendall" is "kendall-b".
    metric, human : float64 of the same shape
        NaN where there is no score. For "item" and "system", and for "spa" and "pce",
        float64[systems, segments].
    by : "none", "item" or "system"
        Which outputs are compared with each other; ignored by "spa" and "pce".
    seed : int
        Seed of the permutation tests of "spa" and "pce".

    Raises
    ------
    UsageError
        If the name is unknown, the shapes do not fit or a score is infinite.

    Examples
    --------
    >>> coefficient("kendall-b", [[1.0, 2.0], [2.0, 2.0]], [[1.0, 1.0], [5.0, 4.0]], by="item")
    Coefficient(value=1.0, n=2, groups=1, left_out=1, threshold=None)
    """
    name = "kendall-b" if statistic == "kendall" else statistic
    if name not in COEFFICIENTS:
        raise unknown_name("statistic", statistic, COEFFICIENTS)
    if name in ("spa", "pce"):
        value = grouping.soft_pairwise_accuracy(metric, human, seed)
        has_both = ~(np.isnan(np.asarray(metric, float)) | np.isnan(np.asarray(human, float)))
        groups_used = 1 - int(np.isnan(value))
        value = value if name == "spa" else 1 - value
        return Coefficient(value, int(has_both.sum()), groups_used, 1 - groups_used)
    groups = grouping.grouped(metric, human, by)
    if name == "acc-eq":
        best = acc_eq(metric, human, by)
        outputs = int(groups.sizes[groups.pairs > 0].sum())
        undefined = len(groups.sizes) - best.groups
        return Coefficient(best.value, outputs, best.groups, undefined, best.threshold)
    value, values = value_and_parts(groups, name)
    defined = ~np.isnan(values)
    outputs = int(groups.sizes[defined].sum())
    return Coefficient(value, outputs, int(defined.sum()), int((~defined).sum()))


def value_and_parts(groups: grouping.Groups, name: str) -> tuple[float, Float64]:
    """Return the coefficient over all groups, and the coefficient of each group, float64[G].

    Raises
    ------
    UsageError
        If the coefficient is not defined per group: "acc-eq", "spa" and "pce".
    """
    if name == "pearson":
        values = coefficients.pearsons(groups)
    elif name == "spearman":
        values = coefficients.spearmans(groups)
    elif name == "accuracy":
        values = coefficients.accuracies(pair_counts.counts_of_groups(groups))
    elif name.startswith("kendall-"):
        return coefficients.kendalls(groups, name.removeprefix("kendall-"))
    else:
        raise UsageError(f"{name} has no value of each group")
    return grouping.mean_over_groups(values), values


@dataclass(frozen=True)
class TieCalibration:
    """The accuracy of a metric at its best tie threshold.

    Attributes
    ----------
    value : float
        acc_eq, in [0, 1]; NaN if there is no pair.
    threshold : float
        Metric scores that differ by at most this are ties.
    groups, pairs : int
        The number of groups with a pair, and of pairs in all groups.
    """

    value: float
    threshold: float
    groups: int
    pairs: int


def acc_eq(
    metric: npt.ArrayLike, human: npt.ArrayLike, by: str = "none", *, threshold: float | None = None
) -> TieCalibration:
    """Return the share of pairs that a metric gets right, ties included (Deutsch et al. 2023).

    A pair is right if metric and human scores prefer the same output, or if both tie the two.
    Metrics hardly ever give two outputs exactly the same score, so metric scores that differ by at
    most a threshold are ties, ``|d| <= threshold``. By default the threshold with the highest
    accuracy is used: 0 and the score differences of all pairs are tried, on all pairs. If several
    are best, the smallest is used.

    Parameters
    ----------
    metric, human : float64 of the same shape
        NaN where there is no score; such outputs are left out. For "item" and "system"
        float64[systems, segments].
    by : "none", "item" or "system"
        Compare all outputs; the outputs of the same segment; those of the same system. With the
        last two the value is the mean over segments, or systems, with at least one pair; all use
        the same threshold.
    threshold : float, optional
        Use this threshold instead of calibrating one; for example one from another test set.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite or the threshold is negative.

    Notes
    -----
    Differences that only floating-point rounding separates, such as .3 - .2 and .2 - .1, are one
    threshold, the largest of them: neighbours in the sorted differences are the same if they are
    no further apart than ``2**-44`` times the largest absolute score. Human scores are equal only
    if they are the same number. The search compares integers, so the result is the same on every
    platform. It takes O(p log p) steps for p pairs; beyond 4 million pairs about 2 p steps, and
    memory only for the pairs near the best threshold.

    Examples
    --------
    >>> acc_eq([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4])
    TieCalibration(value=0.7, threshold=0.5, groups=1, pairs=10)
    """
    groups = grouping.grouped(metric, human, by)
    if threshold is None:
        threshold = calibrated_threshold(groups)
    values = coefficients.accuracies(pair_counts.counts_of_groups(groups, threshold=threshold))
    mean, pairs = grouping.mean_over_groups(values), groups.pairs
    return TieCalibration(mean, threshold, int((pairs > 0).sum()), int(pairs.sum()))


def calibrated_threshold(groups: grouping.Groups, copies: Int64 | int = 0) -> float:
    """Return the smallest tie threshold with the best mean accuracy over the groups.

    `copies` [G] is the number of pairs of an output and its own copy in each group; these pairs are
    not counted, because every threshold ties them.
    """
    outputs = Outputs.of(groups, copies)
    pairs = int(groups.pairs.sum())
    if pairs <= MAX_LISTED_GAPS:
        gaps, gains = _sort_gaps(*outputs.gains(0, len(groups.metric)))
    else:
        gaps, gains = _gains_near_best(outputs, pairs)
    threshold = np.zeros(1)
    _run.call(best_gap, gaps, gains, len(gaps), pair_counts.rounding(groups.metric), threshold)
    return float(threshold[0])


def pair_weights(pairs: Int64) -> Int64:
    """Return an integer weight for the pairs of each group that gives all groups the same sum.

    Exact unless the least common multiple of the pair counts is too large; then the relative error
    is at most 2 divided by the number of pairs in the largest group.

    Examples
    --------
    >>> pair_weights(np.array([1, 3, 6, 0])).tolist()
    [6, 2, 1, 0]
    """
    pair_counts = pairs[pairs > 0]
    common_multiple = lcm(*np.unique(pair_counts).tolist()) if len(pair_counts) else 1
    # The sum of all weights is common * groups.
    if common_multiple * len(pair_counts) >= LARGEST_WEIGHT_SUM:
        common_multiple = LARGEST_WEIGHT_SUM // len(pair_counts)
    weights: Int64 = np.where(pairs > 0, common_multiple // np.maximum(pairs, 1), 0)
    return weights


@dataclass(frozen=True, eq=False)
class Outputs:
    """The outputs of all groups; each output is paired with the earlier ones of its group.

    Attributes
    ----------
    metric, human : float64[N]
    starts : int64[N]
        The index of the first output of each output's group.
    weights : int64[N]
        The weight of each pair of the output.
    scale : float
        A pair whose metric scores differ by ``gap`` is in the bucket ``int(gap * scale)``.
    requested : uint8[buckets]
        1 for the buckets whose pairs are listed.
    """

    metric: Float64
    human: Float64
    starts: Int64
    weights: Int64
    scale: float
    requested: UInt8

    @classmethod
    def of(cls, groups: grouping.Groups, copies: Int64 | int = 0) -> Outputs:
        """Return the outputs of `groups` with all pairs in one bucket."""
        sizes = groups.sizes
        starts = np.repeat(groups.offsets[:-1], sizes)
        weights = np.repeat(pair_weights(groups.pairs - copies), sizes)
        return cls(groups.metric, groups.human, starts, weights, 0.0, np.ones(1, np.uint8))

    def pieces(self, pairs: int) -> list[tuple[int, int]]:
        """Cut the outputs into spans of about `pairs` pairs; a single output may have more."""
        pair_offsets = row_offsets(np.arange(len(self.starts)) - self.starts)
        cuts = np.searchsorted(pair_offsets, np.arange(0, pair_offsets[-1], pairs)[1:]).tolist()
        edges = [0, *sorted(set(cuts) - {0}), len(self.starts)]
        return [(first, last) for first, last in pairwise(edges) if first < last]

    def histogram(self, first: int, last: int) -> Int64:
        """Return the summed gains and losses from ties in each bucket, int64[buckets, 2]."""
        sums = np.zeros((len(self.requested), 2), np.int64)
        scores = (self.metric, self.human, self.starts, self.weights, self.scale)
        _run.call(gain_histogram, *scores, sums.ravel(), first, last)
        return sums

    def gains(self, first: int, last: int) -> tuple[Float64, Int64]:
        """Return the score differences of the pairs in requested buckets, and the gains if tied."""
        max_pairs = int((np.arange(first, last) - self.starts[first:last]).sum())
        gaps, gains = np.empty(max_pairs), np.empty(max_pairs, np.int64)
        scores = (self.metric, self.human, self.starts, self.weights, self.scale, self.requested)
        count = _run.call(tie_gains, *scores, gaps, gains, first, last)
        return gaps[:count], gains[:count]


def _gains_near_best(outputs: Outputs, pairs: int) -> tuple[Float64, Int64]:
    """Return the sorted gaps and gains of the pairs near the best threshold.

    A histogram bounds the gain of every threshold. The pairs of a bucket that cannot hold the best
    threshold are summed into one entry in the middle of the bucket, which is never the best.
    """
    largest = _largest_gap(outputs)
    if largest == 0:
        return np.zeros(1), np.zeros(1, np.int64)
    # Buckets are much wider than rounding errors, and wide enough for a finite scale.
    rounding = 64 * pair_counts.rounding(outputs.metric)
    width = max(largest / (HISTOGRAM_BUCKETS - 1), rounding, 1 / grouping.LARGEST_SCORE)
    outputs = replace(outputs, scale=1 / width, requested=np.ones(HISTOGRAM_BUCKETS, np.uint8))
    # The histogram of a span takes a megabyte.
    spans = outputs.pieces(max(MAX_LISTED_GAPS, pairs // 64))
    sums = _run.run_pieces(lambda span: outputs.histogram(*span), spans)
    gained, lost = np.sum(sums, axis=0).T
    gains_after_bucket = np.cumsum(gained - lost)
    upper_bounds = gains_after_bucket + lost
    # Differences that only rounding separates may fall into the next bucket, but no further.
    best_lower_bound = (gains_after_bucket - np.append(lost[1:], 0)).max()
    likely = upper_bounds >= best_lower_bound
    likely[1:] |= likely[:-1]
    outputs = replace(outputs, requested=likely.astype(np.uint8))
    gaps_and_gains = _run.run_pieces(
        lambda span: _merge_gaps([outputs.gains(*span)]), outputs.pieces(MAX_LISTED_GAPS)
    )
    skipped = np.flatnonzero(~likely)
    bucket_middles = np.asarray((skipped + 0.5) / outputs.scale, np.float64)
    return _merge_gaps([*gaps_and_gains, (bucket_middles, (gained - lost)[skipped])])


def _largest_gap(outputs: Outputs) -> float:
    """Return the largest difference of the metric's scores within a group."""
    heads = np.unique(outputs.starts)
    spread = np.maximum.reduceat(outputs.metric, heads) - np.minimum.reduceat(outputs.metric, heads)
    return float(spread.max())


def _merge_gaps(parts: Sequence[tuple[Float64, Int64]]) -> tuple[Float64, Int64]:
    """Concatenate and sort gaps; sum the gains of equal gaps."""
    gaps, gains = _sort_gaps(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    heads = np.flatnonzero(np.append(True, gaps[1:] != gaps[:-1])[: len(gaps)])
    if not len(heads):
        return gaps, gains
    return gaps[heads], np.add.reduceat(gains, heads)


def _sort_gaps(gaps: Float64, gains: Int64) -> tuple[Float64, Int64]:
    """Sort gaps, and reorder their gains in the same way."""
    weights = np.abs(gains)
    if len(weights) and (weights == weights[0]).all():
        # Positive doubles sort like integers. With the sign of the gain as the last bit, one sort
        # of integers orders gaps and gains together.
        keys = (gaps.view(np.uint64) << np.uint64(1)) | (gains > 0)
        keys.sort()
        gains = np.where(keys & np.uint64(1), weights[0], -weights[0])
        return (keys >> np.uint64(1)).view(np.float64), gains
    order = np.argsort(gaps)
    return gaps[order], gains[order]
