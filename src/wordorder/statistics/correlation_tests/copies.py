"""Coefficients of drawn outputs in which no output is compared with its own copy."""

from __future__ import annotations

import numpy as np

from wordorder.statistics.correlation.grouping import Groups, grouped, mean_over_groups
from wordorder.statistics.correlation.pair_counts import counts_of_groups
from wordorder.statistics.correlation.rank_agreement import accuracies, taus
from wordorder.statistics.correlation.tie_calibration import calibrated_threshold
from wordorder.statistics.correlation_tests.coefficients import Statistic, of_rows, of_tables
from wordorder.types import Float64, Int64

# A pair of copies is tied by both. For these that is right, or it is one more pair; the others
# leave it out.
COUNTING_COPIES = ("accuracy", "acc-eq", "kendall-a", "kendall-23")


def of_drawn(
    metric: Float64,
    human: Float64,
    drawn: tuple[Int64, Int64],
    statistic: str | Statistic,
    by: str,
) -> float:
    """Return the coefficient of the systems and segments that were drawn.

    Parameters
    ----------
    metric, human : float64[systems, segments]
    drawn : int64[n], int64[S]
        Which systems and segments, some more than once.
    """
    inside = np.ix_(*drawn)
    scores, judged = metric[inside], human[inside]
    if statistic not in COUNTING_COPIES:
        return of_tables(scores, judged, statistic, by)
    names = np.arange(metric.size, dtype=np.float64).reshape(metric.shape)[inside]
    groups = grouped(scores, judged, by)
    names = grouped(np.where(np.isnan(scores), np.nan, names), judged, by).metric
    return mean_over_groups(_without_copies(groups, names, str(statistic)))


def of_drawn_rows(
    metric: Float64, human: Float64, drawn: Int64 | None, statistic: str | Statistic
) -> Float64:
    """Return the coefficient of each row, float64[R], of float64[R, n] and int64[R, n].

    `drawn` says which system each column has in each row; None if every one is there once.
    """
    if drawn is None or statistic not in COUNTING_COPIES:
        return of_rows(metric, human, statistic)
    if statistic != "acc-eq":
        return _without_copies(_rows(metric, human), drawn.ravel(), str(statistic))
    # Each row has its own threshold.
    rows = zip(metric, human, drawn, strict=True)
    values = [_without_copies(_rows(m[None], h[None]), d, "acc-eq")[0] for m, h, d in rows]
    return np.array(values)


def _rows(metric: Float64, human: Float64) -> Groups:
    """Make each row a group."""
    rows, size = metric.shape
    offsets = np.arange(rows + 1, dtype=np.int64) * size
    scores, judged = (np.ascontiguousarray(each, np.float64).ravel() for each in (metric, human))
    return Groups(scores, judged, offsets)


def _without_copies(groups: Groups, names: Float64 | Int64, statistic: str) -> Float64:
    """Return a coefficient of each group, in which outputs of one name are not compared."""
    number = len(groups.sizes)
    group = np.repeat(np.arange(number), groups.sizes)
    of_name, often = np.unique(np.stack([group, names]), axis=1, return_counts=True)
    copies = np.zeros(number, np.int64)
    np.add.at(copies, of_name[0].astype(np.int64), often * (often - 1) // 2)
    threshold = calibrated_threshold(groups, copies) if statistic == "acc-eq" else 0.0
    counts = counts_of_groups(groups, threshold=threshold)
    counts[:, 4] -= copies
    if statistic in ("accuracy", "acc-eq"):
        return accuracies(counts)
    return taus(counts, statistic.removeprefix("kendall-"))
