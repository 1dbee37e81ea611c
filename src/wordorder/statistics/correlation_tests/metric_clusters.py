"""Clusters of metrics: ranked groups whose members a test does not tell apart."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.statistics.ranks import finest_cut
from wordorder.types import Float64, Int64


def metric_clusters(values: Float64, p_values: Float64, *, level: float = 0.05) -> Int64:
    """Cut the metrics, best first, into clusters that a test tells apart.

    The finest cut in which every metric of a cluster agrees better with people than every metric of
    all later clusters. As all pairs are looked at, a metric that is not told apart from two
    clusters joins them.

    Parameters
    ----------
    values : float64[M]
        The metrics' coefficients; NaN for a metric without one.
    p_values : float64[M, M]
        ``[a, b]``: the p-value for metric a agreeing better than metric b, such as
        `permutation_p_values` gives; corrected by `holm` if the clusters shall hold together.
    level : float
        A difference is significant if its p-value is at most this.

    Returns
    -------
    int64[M]
        The cluster of each metric, the best from 1 on; 0 for a metric without a coefficient.

    Raises
    ------
    UsageError
        If the shapes do not fit.

    Examples
    --------
    >>> p_values = np.array([[np.nan, 0.5, 0.01], [0.5, np.nan, 0.02], [0.99, 0.98, np.nan]])
    >>> metric_clusters(np.array([0.8, 0.7, 0.3]), p_values).tolist()
    [1, 1, 2]
    """
    values, p_values = np.asarray(values, np.float64), np.asarray(p_values, np.float64)
    if p_values.shape != (len(values), len(values)):
        raise UsageError(f"p-values of shape {p_values.shape} for {len(values)} metrics")
    ranked = np.flatnonzero(~np.isnan(values))
    order = ranked[np.argsort(-values[ranked], kind="stable")].tolist()
    clusters = np.zeros(len(values), np.int64)
    # NaN is at most nothing: what was not tested is not told apart.
    for number, cluster in enumerate(finest_cut(order, p_values <= level), start=1):
        clusters[list(cluster)] = number
    return clusters
