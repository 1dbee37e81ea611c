"""Correlation of scores: Pearson, Spearman and the variants of Kendall's tau."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int64
from wordorder.errors import choose
from wordorder.kernels import _run
from wordorder.kernels.resampling import centred_moments
from wordorder.statistics.grouped_correlation import Groups, grouped, mean_over_groups
from wordorder.statistics.pair_counts import PairCounts, counts_of_groups, pair_counts

VARIANTS = ("a", "b", "c", "10", "13", "14", "17", "23")
# WMT's own count pairs over all segments; the others are means over groups.
POOLED_VARIANTS = ("10", "13", "14", "17")
# WMT17-20 made pairs of direct assessments that differ by as much (of 100).
LEAST_DIFFERENCE = 25.0


def pearson(x: npt.ArrayLike, y: npt.ArrayLike, by: str = "none") -> float:
    """Return Pearson's coefficient of linear correlation (Pearson 1895).

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
    """Return Pearson's coefficient of each group, float64[G]; NaN if undefined."""
    number = len(groups.offsets) - 1
    moments = np.empty(3 * number)
    rows = groups.metric, groups.human, groups.offsets
    _run.run_rows(centred_moments, groups.offsets, *rows, moments)
    products, first, second = moments.reshape(number, 3).T
    with np.errstate(invalid="ignore"):
        coefficients: Float64 = products / np.sqrt(first * second)
    return np.clip(coefficients, -1.0, 1.0)


def spearmans(groups: Groups) -> Float64:
    """Return Spearman's coefficient of each group, float64[G]; NaN if undefined."""
    metric, human = (mean_ranks(scores, groups) for scores in (groups.metric, groups.human))
    return pearsons(Groups(metric, human, groups.offsets))


def mean_ranks(scores: Float64, groups: Groups) -> Float64:
    """Rank scores within their groups from 1; equal scores share the mean of their ranks.

    Examples
    --------
    >>> mean_ranks(np.array([3.0, 1.0, 3.0]), grouped([0, 0, 0], [0, 0, 0])).tolist()
    [2.5, 1.0, 2.5]
    """
    group, order, edges = _runs(scores, groups)
    means = (edges[:-1] + edges[1:] + 1) / 2
    ranks = np.empty(len(scores))
    ranks[order] = np.repeat(means, np.diff(edges)) - groups.offsets[group]
    return ranks


def _runs(scores: Float64, groups: Groups) -> tuple[Int64, Int64, Int64]:
    """Return the group of each score, their order, and the edges of the runs of equal ones in it.

    A run lies in one group; the last edge is the end of the last run.
    """
    group = np.repeat(np.arange(len(groups.offsets) - 1), groups.sizes)
    order = np.lexsort((scores, group))
    in_order = scores[order]
    begins = np.ones(len(scores) + 1, bool)
    begins[1:-1] = (in_order[1:] != in_order[:-1]) | (group[1:] != group[:-1])
    return group, order, np.flatnonzero(begins)


def kendall(
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    variant: str = "b",
    by: str = "none",
    *,
    least: float | None = None,
) -> float:
    """Return Kendall's tau: pairs in the same order less pairs in the other order, as a share.

    The variants differ in what they do with ties. With ``C`` concordant and ``D`` discordant pairs,
    ``M`` tied by the metric alone, ``H`` by people alone and ``B`` by both:

    ======  ================================================================================
    "a"     ``(C - D) / all``
    "b"     ``(C - D) / sqrt((C + D + M) * (C + D + H))``
    "c"     ``2 * (C - D) / (n * n * (k - 1) / k)``, ``k`` the smaller number of distinct scores
    "10"    ``(C - D - M) / (C + D + M)``: WMT10 and WMT12
    "13"    ``(C - D) / (C + D)``: WMT13
    "14"    ``(C - D) / (C + D + M)``: WMT14 to WMT16
    "17"    as "10", of pairs whose human scores differ by 25 or more: WMT17 to WMT20 (DARR)
    "23"    ``(C + B - D - M - H) / all``: Deutsch et al. (2023)
    ======  ================================================================================

    Parameters
    ----------
    metric, human : float64 of the same shape
        Outputs that lack one of the scores (NaN) are left out. "a", "b", "c" do not change if the
        two are exchanged; the others do, except "23".
    variant : str
    by : "none", "item" or "system"
        With the last two, for float64[systems, segments], pairs within each segment or system:
        the mean of their taus, but for WMT's own ("10" to "17") the tau of the summed counts,
        as WMT computes them.
    least : float, optional
        Leave out pairs whose human scores differ by less; by default 25 for "17", else 0.

    Returns
    -------
    float in [-1, 1]
        NaN if it is not defined: no pair is left, or (b, c) all scores are equal.

    Raises
    ------
    UsageError
        If the variant is unknown, the shapes do not fit or a score is infinite.

    Examples
    --------
    People rank five outputs; the metric gets 3 of 4 pairs right and ties one more (10: .2,
    13: .5, 14: .4).

    >>> counts = PairCounts(concordant=3, discordant=1, metric_ties=1)
    >>> [tau_of_counts(counts, variant) for variant in ("10", "13", "14")]
    [0.2, 0.5, 0.4]
    >>> round(kendall([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4]), 9)
    0.316227766
    """
    return kendalls(grouped(metric, human, by), variant, least=least)[0]


def kendalls(
    groups: Groups, variant: str = "b", *, least: float | None = None
) -> tuple[float, Float64]:
    """Return a tau over all groups, and that of each group, float64[G]."""
    choose("variant", variant, VARIANTS)
    if least is None:
        least = LEAST_DIFFERENCE if variant == "17" else 0.0
    counts = counts_of_groups(groups, least=least)
    if variant != "c":
        values = taus(counts, variant)
        if variant in POOLED_VARIANTS:
            return float(taus(counts.sum(axis=0, keepdims=True), variant)[0]), values
        return mean_over_groups(values), values
    sizes = groups.sizes.astype(np.float64)
    classes = np.minimum(_distinct(groups.metric, groups), _distinct(groups.human, groups))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2 * (counts[:, 0] - counts[:, 1]) / (sizes * sizes * ((classes - 1) / classes))
    values = np.where(classes > 1, values, np.nan)
    return mean_over_groups(values), values


def tau_of_counts(counts: PairCounts, variant: str = "14") -> float:
    """Return the tau of counted pairs, such as those of WMT's rankings.

    Every variant of `kendall` but "c", which needs the scores; "17" takes the counts as they are.

    Examples
    --------
    >>> tau_of_counts(PairCounts(concordant=3, discordant=1, metric_ties=1), "13")
    0.5
    """
    choose("variant", variant, tuple(name for name in VARIANTS if name != "c"))
    return float(taus(counts.row(), variant)[0])


def pairwise_accuracy(metric: npt.ArrayLike, human: npt.ArrayLike) -> float:
    """Return the share of pairs that metric and people put in the same order (Kocmi et al. 2021).

    A pair that both call equal counts as right, one that only one of them calls equal as wrong.
    For system scores it is the field's pairwise accuracy; to pool language pairs see
    `pooled_accuracy`.

    Parameters
    ----------
    metric, human : float64 of the same shape
        Systems that lack one of the scores (NaN) are left out.

    Returns
    -------
    float in [0, 1]
        NaN without a pair.

    Examples
    --------
    >>> pairwise_accuracy([1, 1, 2, 1, 2], [1, 2, 3, 3, 4])
    0.5
    """
    return pooled_accuracy([pair_counts(metric, human)])


def pooled_accuracy(counts: Sequence[PairCounts]) -> float:
    """Return the pairwise accuracy over the pairs of several sets, such as language pairs.

    Examples
    --------
    >>> pooled_accuracy([PairCounts(concordant=3), PairCounts(discordant=1)])
    0.75
    """
    total = sum(counts, PairCounts())
    return float(accuracies(total.row())[0])


def accuracies(counts: Int64) -> Float64:
    """Return the pairwise accuracy of each row of counts, float64[G] for int64[G, 5]."""
    with np.errstate(invalid="ignore"):
        shares: Float64 = (counts[:, 0] + counts[:, 4]) / counts.sum(axis=1)
    return shares


def taus(counts: Int64, variant: str) -> Float64:
    """Return any tau but c of each row of counts, float64[G] for int64[G, 5]."""
    right, wrong, metric, human, both = counts.astype(np.float64).T
    strict = right + wrong
    total = strict + metric + human + both
    above, below = {
        "a": (right - wrong, total),
        "b": (right - wrong, np.sqrt((strict + metric) * (strict + human))),
        "10": (right - wrong - metric, strict + metric),
        "13": (right - wrong, strict),
        "14": (right - wrong, strict + metric),
        "17": (right - wrong - metric, strict + metric),
        "23": (right + both - wrong - metric - human, total),
    }[variant]
    with np.errstate(invalid="ignore"):
        values: Float64 = above / below
    return values


def _distinct(scores: Float64, groups: Groups) -> Float64:
    """Count the distinct scores of each group."""
    group, _, edges = _runs(scores, groups)
    return np.bincount(group[edges[:-1]], minlength=len(groups.sizes)).astype(np.float64)
