"""Rank ranges and clusters of systems, from their values on resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.statistics.intervals import interval, interval_around
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class RankRanges:
    """Where each system may be in the ranking.

    Attributes
    ----------
    low, high : float64[n]
        The interval of each value.
    best, worst : int64[n]
        The ranks that each system may have, from 1.
    cluster : int64[n]
        From 1, the best: systems whose ranks overlap, directly or through others, are together.
    """

    low: Float64
    high: Float64
    best: Int64
    worst: Int64
    cluster: Int64


def rank_ranges(values: Float64, samples: Float64, *, level: float = 0.95) -> RankRanges:
    """Find intervals, rank ranges and clusters of systems, as the shared tasks of WMT do.

    The ranks of a system on the resamples, without the lowest and highest ``(1 - level) / 2`` of
    them, are its range. Sorted by their values, systems are parted where all ranges before end
    above where all ranges behind begin (Bojar et al. 2013, section 3.3).

    Parameters
    ----------
    values : float64[n]
        Higher is better.
    samples : float64[B, n]
        The values on B resamples; NaN where a system has none.
    level : float
        Between 0 and 1.

    Examples
    --------
    >>> result = rank_ranges(np.array([0.5, 0.9, 0.4]), np.array([[0.5, 0.9, 0.4]] * 99 +
    ...                                                         [[0.4, 0.9, 0.5]] * 99))
    >>> result.best.tolist(), result.worst.tolist(), result.cluster.tolist()
    ([2, 1, 2], [3, 1, 3], [2, 1, 2])
    """
    low, high = np.array(values, np.float64), np.array(values, np.float64)
    for system, column in enumerate(samples.T):
        low[system], high[system] = interval_around(low[system], column, level)
    # A system without a value on a resample is last there; equal ones share all their ranks.
    filled = np.where(np.isnan(samples), -np.inf, samples)
    above = filled[:, np.newaxis, :] > filled[:, :, np.newaxis]
    best = 1 + above.sum(axis=2)
    worst = len(values) - above.sum(axis=1)
    first = interval(best.T, level)[0].astype(np.int64)
    last = interval(worst.T, level)[1].astype(np.int64)
    order = np.argsort(-np.where(np.isnan(values), -np.inf, values), kind="stable")
    cluster = np.ones(len(values), np.int64)
    for place in range(1, len(order)):
        apart = last[order[:place]].max() < first[order[place:]].min()
        cluster[order[place]] = cluster[order[place - 1]] + apart
    return RankRanges(low, high, first, last, cluster)
