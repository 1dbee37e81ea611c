"""Pearson's and Spearman's coefficients: do two scores rise together, in size or in rank?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wordorder.kernels import _run
from wordorder.kernels.centred_moments import centred_moments
from wordorder.statistics.correlation.grouping import Groups, grouped, mean_over_groups
from wordorder.types import Float64


def pearson(x: npt.ArrayLike, y: npt.ArrayLike, by: str = "none") -> float:
    """Return how well a straight line describes the relation of two scores (Pearson 1895).

    The covariance over the product of the standard deviations.

    Parameters
    ----------
    x, y : float64 of the same shape
        Outputs that lack one of the scores (NaN) are left out.
    by : "none", "item" or "system"
        With the last two, for float64[systems, segments]: the mean over segments, or over systems,
        of the coefficients within each.

    Returns
    -------
    float in [-1, 1]
        NaN if it is not defined: fewer than two outputs, or all scores equal. Groups in which it
        is not defined are left out of the mean.

    Raises
    ------
    UsageError
        If the shapes do not fit or a score is infinite.

    Examples
    --------
    >>> round(pearson([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 3, 7]), 3)
    0.776
    """
    return mean_over_groups(pearsons(grouped(x, y, by)))


def spearman(x: npt.ArrayLike, y: npt.ArrayLike, by: str = "none") -> float:
    """Return Pearson's coefficient of the ranks; equal scores share their mean rank.

    Spearman (1904). The formula with the squared differences of ranks gives the same only if no
    two scores are equal. Takes, returns and raises what `pearson` does.

    Examples
    --------
    >>> round(spearman([1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.9, 0.4]), 9)
    0.8
    """
    return mean_over_groups(spearmans(grouped(x, y, by)))


def pearsons(groups: Groups) -> Float64:
    """Return Pearson's coefficient of each group, float64[G]; NaN where it is not defined."""
    number = len(groups.offsets) - 1
    moments = np.empty(3 * number)
    _run.run_rows(
        centred_moments,
        groups.offsets,
        *(groups.metric, groups.human, groups.offsets, moments),
    )
    products, first, second = moments.reshape(number, 3).T
    with np.errstate(invalid="ignore"):
        coefficients: Float64 = products / np.sqrt(first * second)
    return np.clip(coefficients, -1.0, 1.0)


def spearmans(groups: Groups) -> Float64:
    """Return Spearman's coefficient of each group, float64[G]; NaN where it is not defined."""
    metric, human = (mean_ranks(each, groups) for each in (groups.metric, groups.human))
    return pearsons(Groups(metric, human, groups.offsets))


def mean_ranks(scores: Float64, groups: Groups) -> Float64:
    """Rank scores within their groups from 1; equal scores share the mean of their ranks.

    Examples
    --------
    >>> mean_ranks(np.array([3.0, 1.0, 3.0]), grouped([0, 0, 0], [0, 0, 0])).tolist()
    [2.5, 1.0, 2.5]
    """
    group = np.repeat(np.arange(len(groups.offsets) - 1), groups.sizes)
    order = np.lexsort((scores, group))
    in_order = scores[order]
    # Where a run of equal scores of one group begins, and the end of the last one.
    begins = np.ones(len(scores) + 1, bool)
    begins[1:-1] = (in_order[1:] != in_order[:-1]) | (group[1:] != group[:-1])
    edges = np.flatnonzero(begins)
    means = (edges[:-1] + edges[1:] + 1) / 2
    ranks = np.empty(len(scores))
    ranks[order] = np.repeat(means, np.diff(edges)) - groups.offsets[group]
    return ranks
