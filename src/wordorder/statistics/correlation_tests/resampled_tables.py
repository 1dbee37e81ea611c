"""Coefficients of segments on resamples: drawing them, and fast ways where there are some."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import _run
from wordorder.kernels.tie_threshold import tie_gains
from wordorder.statistics.correlation.grouping import Groups, grouped
from wordorder.statistics.correlation.pair_counts import counts_of_groups, rounding
from wordorder.statistics.correlation.rank_agreement import POOLED, taus
from wordorder.statistics.correlation.tie_calibration import pair_weights
from wordorder.statistics.correlation_tests.coefficients import COUNTED, of_groups
from wordorder.statistics.resampling import bootstrap_totals, counts, resample_keys
from wordorder.types import Float64, Int64

# Of these, a mean over segments resamples the segments' own coefficients.
MEANS = (
    *("pearson", "spearman", "kendall-c"),
    *(name for name in COUNTED if name.removeprefix("kendall-") not in POOLED),
)


def drawn_counts(keys: Int64, number: int) -> Float64:
    """Return how often each of `number` things is drawn by each key, float64[B, number]."""
    chosen = np.empty((len(keys), number))
    counts(keys, chosen)
    return chosen


def drawn_indices(keys: Int64, number: int) -> Int64:
    """Return which of `number` things each key draws, with replacement, int64[B, number]."""
    often = drawn_counts(keys, number).astype(np.int64)
    things = np.broadcast_to(np.arange(number), often.shape)
    return np.repeat(things.ravel(), often.ravel()).reshape(len(keys), number)


def over_segments_by_item(
    metric: Float64, human: Float64, statistic: str, *, resamples: int, seed: int
) -> Float64 | None:
    """Return a coefficient within segments on resampled segments, float64[B].

    Drawing a segment twice counts its coefficient, or its pairs, twice, so each segment is looked
    at once. None if there is no such way to this statistic.
    """
    groups = grouped(metric, human, "item")
    variant = statistic.removeprefix("kendall-")
    if statistic == "acc-eq":
        return _acc_eq(groups, drawn_counts(resample_keys(resamples, seed), len(groups.sizes)))
    if statistic in MEANS:
        values = of_groups(groups, statistic)
        defined = ~np.isnan(values)
        summed = np.stack([np.where(defined, values, 0.0), defined], axis=1)
        totals, number = bootstrap_totals(summed, resamples=resamples, seed=seed).T
        with np.errstate(invalid="ignore"):
            averages: Float64 = totals / number
        return averages
    if variant in POOLED and statistic in COUNTED:
        pairs = counts_of_groups(groups).astype(np.float64)
        totals = bootstrap_totals(pairs, resamples=resamples, seed=seed)
        return taus(totals.astype(np.int64), variant)
    return None


def _acc_eq(groups: Groups, chosen: Float64) -> Float64:
    """Return acc_eq on resampled segments, each with its own tie threshold.

    The differences are sorted once. A segment that is drawn more often makes its pairs weigh more,
    and the sweep over the differences finds the best threshold.
    """
    pairs = groups.pairs
    weights = pair_weights(pairs)
    room = int(pairs.sum())
    gaps, gains = np.empty(room), np.empty(room, np.int64)
    # The number of the group from 1 instead of a weight: the weights differ by resample.
    names = np.arange(1, len(pairs) + 1)
    sizes = groups.sizes
    # All pairs are in one bucket, which is wanted.
    best_gains = _run.call(
        tie_gains,
        *(groups.metric, groups.human, np.repeat(groups.offsets[:-1], sizes)),
        *(np.repeat(names, sizes), 0.0, np.ones(1, np.uint8), gaps, gains, 0, len(groups.metric)),
    )
    order = np.argsort(gaps[:best_gains], kind="stable")
    gaps, gains = gaps[order], gains[order]
    group, sign = np.abs(gains) - 1, np.sign(gains)
    tolerance = rounding(groups.metric)
    # Thresholds: 0 with all that rounding keeps from 0, then the last of each run of equal ones.
    new = np.flatnonzero(np.diff(gaps, prepend=0.0) > tolerance)
    ends = np.append(new, best_gains)
    right = counts_of_groups(groups)[:, 0]
    values = np.empty(len(chosen))
    running = np.zeros(best_gains + 1, np.int64)
    for resample, often in enumerate(chosen.astype(np.int64)):
        weighed = often * weights
        np.cumsum(weighed[group] * sign, out=running[1:])
        most = int((weighed * right).sum()) + int(running[ends].max())
        total = int((weighed * pairs).sum())
        values[resample] = most / total if total else np.nan
    return values
