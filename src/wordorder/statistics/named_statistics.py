"""Coefficients by name, with the numbers of outputs and groups; calibration of tie thresholds."""

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

# "spa" and "pce" compare systems by all of their segments; the others take any scores.
COEFFICIENTS = (
    *("pearson", "spearman", *(f"kendall-{variant}" for variant in coefficients.VARIANTS)),
    *("accuracy", "acc-eq", "spa", "pce"),
)
# Weights are whole numbers, so that sums of them are exact; they and their sums stay below this.
LARGEST_WEIGHT_SUM = 1 << 62
# Pairs that are listed at once: 64 MB. Of more pairs, a histogram finds those near the best
# threshold, and only these are listed.
MOST_LISTED = 1 << 22
HISTOGRAM_BUCKETS = 1 << 16


@dataclass(frozen=True)
class Coefficient:
    """A coefficient of a metric and people, with the number of groups and outputs behind it.

    Attributes
    ----------
    value : float
        NaN if it is not defined.
    n : int
        Outputs with both scores, in groups that count.
    groups, left_out : int
        Groups whose mean, or sum, the value is, and groups without a value: too few scores, or all
        of them equal.
    threshold : float, optional
        Of acc-eq: differences of the metric up to it count as ties.
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
        Which outputs are compared with each other; "spa" and "pce" take no notice of it.
    seed : int
        Of "spa" and "pce".

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
        number = int(groups.sizes[groups.pairs > 0].sum())
        undefined = len(groups.sizes) - best.groups
        return Coefficient(best.value, number, best.groups, undefined, best.threshold)
    value, values = value_and_parts(groups, name)
    defined = ~np.isnan(values)
    number = int(groups.sizes[defined].sum())
    return Coefficient(value, number, int(defined.sum()), int((~defined).sum()))


def value_and_parts(groups: grouping.Groups, name: str) -> tuple[float, Float64]:
    """Return a coefficient over groups, and that of each group, float64[G].

    Raises
    ------
    UsageError
        If one threshold serves all groups (acc-eq), or all segments together make the value.
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
    metric: npt.ArrayLike, human: npt.ArrayLike, by: str = "none", *, threshold: float | None = None
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
    platform. It takes O(p log p) steps for p pairs; beyond 4 million pairs some 2 p steps, and
    memory for those near the best threshold alone.

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

    `copies` [G], pairs of an output with its own copy, do not count: every threshold ties them.
    """
    outputs = Outputs.of(groups, copies)
    pairs = int(groups.pairs.sum())
    if pairs <= MOST_LISTED:
        gaps, gains = _in_order(*outputs.gains(0, len(groups.metric)))
    else:
        gaps, gains = _likely_gains(outputs, pairs)
    threshold = np.zeros(1)
    _run.call(best_gap, gaps, gains, len(gaps), pair_counts.rounding(groups.metric), threshold)
    return float(threshold[0])


def pair_weights(pairs: Int64) -> Int64:
    """Weigh the pairs of each group so that all groups weigh the same, in whole numbers.

    Exact if the least common multiple of the numbers of pairs is not too large, else with a
    relative error of at most 2 over the number of pairs in the largest group.

    Examples
    --------
    >>> pair_weights(np.array([1, 3, 6, 0])).tolist()
    [6, 2, 1, 0]
    """
    several = pairs[pairs > 0]
    common = lcm(*np.unique(several).tolist()) if len(several) else 1
    # The sum of all weights is common * groups.
    if common * len(several) >= LARGEST_WEIGHT_SUM:
        common = LARGEST_WEIGHT_SUM // len(several)
    weights: Int64 = np.where(pairs > 0, common // np.maximum(pairs, 1), 0)
    return weights


@dataclass(frozen=True, eq=False)
class Outputs:
    """The outputs of all groups; each is paired with those before it in its group.

    Attributes
    ----------
    metric, human : float64[N]
    starts : int64[N]
        Where the group of each output starts.
    weights : int64[N]
        What each of its pairs weighs.
    scale : float
        A pair whose scores differ by ``gap`` is in the bucket ``int(gap * scale)``.
    requested : uint8[buckets]
        Whether pairs of a bucket are listed.
    """

    metric: Float64
    human: Float64
    starts: Int64
    weights: Int64
    scale: float
    requested: UInt8

    @classmethod
    def of(cls, groups: grouping.Groups, copies: Int64 | int = 0) -> Outputs:
        """All pairs are in one bucket."""
        sizes = groups.sizes
        starts = np.repeat(groups.offsets[:-1], sizes)
        weights = np.repeat(pair_weights(groups.pairs - copies), sizes)
        return cls(groups.metric, groups.human, starts, weights, 0.0, np.ones(1, np.uint8))

    def pieces(self, pairs: int) -> list[tuple[int, int]]:
        """Cut the outputs into spans of about `pairs` pairs, or of one output with more."""
        until = row_offsets(np.arange(len(self.starts)) - self.starts)
        cuts = np.searchsorted(until, np.arange(0, until[-1], pairs)[1:]).tolist()
        edges = [0, *sorted(set(cuts) - {0}), len(self.starts)]
        return [(first, last) for first, last in pairwise(edges) if first < last]

    def histogram(self, first: int, last: int) -> Int64:
        """Sum the gains and the losses of ties in each bucket, int64[buckets, 2]."""
        sums = np.zeros((len(self.requested), 2), np.int64)
        scores = (self.metric, self.human, self.starts, self.weights, self.scale)
        _run.call(gain_histogram, *scores, sums.ravel(), first, last)
        return sums

    def gains(self, first: int, last: int) -> tuple[Float64, Int64]:
        """List the differences of pairs in requested buckets, and the gains of their ties."""
        room = int((np.arange(first, last) - self.starts[first:last]).sum())
        gaps, gains = np.empty(room), np.empty(room, np.int64)
        scores = (self.metric, self.human, self.starts, self.weights, self.scale, self.requested)
        count = _run.call(tie_gains, *scores, gaps, gains, first, last)
        return gaps[:count], gains[:count]


def _likely_gains(outputs: Outputs, pairs: int) -> tuple[Float64, Int64]:
    """Return sorted gaps and gains of the pairs near the best threshold.

    A histogram bounds the gain of every threshold. In a bucket without a chance all pairs are
    summed up into one, at a gap of no pair, which is never the best.
    """
    largest = _largest_gap(outputs)
    if largest == 0:
        return np.zeros(1), np.zeros(1, np.int64)
    # Much wider than what rounding may do, and not so narrow that the scale would be infinite.
    rounding = 64 * pair_counts.rounding(outputs.metric)
    width = max(largest / (HISTOGRAM_BUCKETS - 1), rounding, 1 / grouping.LARGEST_SCORE)
    outputs = replace(outputs, scale=1 / width, requested=np.ones(HISTOGRAM_BUCKETS, np.uint8))
    # A span takes a megabyte.
    spans = outputs.pieces(max(MOST_LISTED, pairs // 64))
    sums = _run.run_pieces(lambda span: outputs.histogram(*span), spans)
    gained, lost = np.sum(sums, axis=0).T
    after = np.cumsum(gained - lost)
    limit = after + lost
    # Differences that are the same but for rounding may reach into the next bucket, not further.
    sure = (after - np.append(lost[1:], 0)).max()
    likely = limit >= sure
    likely[1:] |= likely[:-1]
    outputs = replace(outputs, requested=likely.astype(np.uint8))
    gaps_and_gains = _run.run_pieces(
        lambda span: _merged([outputs.gains(*span)]), outputs.pieces(MOST_LISTED)
    )
    skipped = np.flatnonzero(~likely)
    middles = np.asarray((skipped + 0.5) / outputs.scale, np.float64)
    return _merged([*gaps_and_gains, (middles, (gained - lost)[skipped])])


def _largest_gap(outputs: Outputs) -> float:
    """Return the largest difference of the metric's scores within a group."""
    heads = np.unique(outputs.starts)
    spread = np.maximum.reduceat(outputs.metric, heads) - np.minimum.reduceat(outputs.metric, heads)
    return float(spread.max())


def _merged(parts: Sequence[tuple[Float64, Int64]]) -> tuple[Float64, Int64]:
    """Sort gaps and sum the gains of equal ones, which may be many."""
    gaps, gains = _in_order(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    heads = np.flatnonzero(np.append(True, gaps[1:] != gaps[:-1])[: len(gaps)])
    if not len(heads):
        return gaps, gains
    return gaps[heads], np.add.reduceat(gains, heads)


def _in_order(gaps: Float64, gains: Int64) -> tuple[Float64, Int64]:
    """Sort gaps, and their gains with them."""
    weights = np.abs(gains)
    if len(weights) and (weights == weights[0]).all():
        # Positive doubles sort like whole numbers. With the sign of the gain as the last bit one
        # sort of plain numbers does for both.
        keys = (gaps.view(np.uint64) << np.uint64(1)) | (gains > 0)
        keys.sort()
        gains = np.where(keys & np.uint64(1), weights[0], -weights[0])
        return (keys >> np.uint64(1)).view(np.float64), gains
    order = np.argsort(gaps)
    return gaps[order], gains[order]
