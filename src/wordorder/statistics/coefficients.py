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
# WMT's variants sum the pair counts of all segments; the others are means over groups.
POOLED_VARIANTS = ("10", "13", "14", "17")
# WMT17-20 paired outputs whose direct assessments (0 to 100) differ by at least this.
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
        NaN if it is undefined: fewer than two outputs, or all scores equal. Groups in which it is
        undefined are left out of the mean.

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
    two scores are equal. Parameters, result and errors: see `pearson`.

    Examples
    --------
    >>> round(spearman([1.0, 2.0, 3.0, 4.0], [0.1, 0.2, 0.9, 0.4]), 9)
    0.8
    """
    return mean_over_groups(spearmans(grouped(x, y, by)))


def pearsons(groups: Groups) -> Float64:
    """Return Pearson's coefficient of each group, float64[G]; NaN if undefined."""
    group_count = len(groups.offsets) - 1
    moments = np.empty(3 * group_count)
    rows = groups.metric, groups.human, groups.offsets
    _run.run_rows(centred_moments, groups.offsets, *rows, moments)
    products, first, second = moments.reshape(group_count, 3).T
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
    """Return the group of each score, the sorted order, and the edges of its runs of equal scores.

    Each run lies within one group; the last edge is the end of the last run.
    """
    group = np.repeat(np.arange(len(groups.offsets) - 1), groups.sizes)
    order = np.lexsort((scores, group))
    in_order = scores[order]
    run_starts = np.ones(len(scores) + 1, bool)
    run_starts[1:-1] = (in_order[1:] != in_order[:-1]) | (group[1:] != group[:-1])
    return group, order, np.flatnonzero(run_starts)


def kendall(
    metric: npt.ArrayLike,
    human: npt.ArrayLike,
    variant: str = "b",
    by: str = "none",
    *,
    least: float | None = None,
) -> float:
    """Return Kendall's tau: concordant minus discordant pairs, as a share.

    The variants differ in how they treat ties. With ``C`` concordant and ``D`` discordant pairs,
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
        The last two need float64[systems, segments] and compare outputs within each segment or
        system. The result is the mean of the taus; for WMT's variants ("10" to "17") it is the tau
        of the summed counts, as WMT computes it.
    least : float, optional
        Leave out pairs whose human scores differ by less; by default 25 for "17", else 0.

    Returns
    -------
    float in [-1, 1]
        NaN if it is undefined: no pair is left, or (b, c) all scores are equal.

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
    """Return the tau over all groups, and the tau of each group, float64[G]."""
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
    distinct = np.minimum(
        _distinct_counts(groups.metric, groups), _distinct_counts(groups.human, groups)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2 * (counts[:, 0] - counts[:, 1]) / (sizes * sizes * ((distinct - 1) / distinct))
    values = np.where(distinct > 1, values, np.nan)
    return mean_over_groups(values), values


def tau_of_counts(counts: PairCounts, variant: str = "14") -> float:
    """Return the tau of counted pairs, such as those of WMT's rankings.

    Accepts all variants of `kendall` except "c", which needs the scores; for "17", the counts must
    already leave out pairs with small differences.

    Examples
    --------
    >>> tau_of_counts(PairCounts(concordant=3, discordant=1, metric_ties=1), "13")
    0.5
    """
    choose("variant", variant, tuple(name for name in VARIANTS if name != "c"))
    return float(taus(counts.row(), variant)[0])


def pairwise_accuracy(metric: npt.ArrayLike, human: npt.ArrayLike) -> float:
    """Return the share of pairs that metric and people put in the same order (Kocmi et al. 2021).

    A pair that both tie counts as right; a pair that only one of them ties counts as wrong. Applied
    to system scores, this is the pairwise accuracy of the literature. For several language pairs
    see `pooled_accuracy`.

    Parameters
    ----------
    metric, human : float64 of the same shape
        Systems that lack one of the scores (NaN) are left out.

    Returns
    -------
    float in [0, 1]
        NaN if there is no pair.

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
    """Return the pairwise accuracy of each row of pair counts, int64[G, 5] -> float64[G]."""
    with np.errstate(invalid="ignore"):
        shares: Float64 = (counts[:, 0] + counts[:, 4]) / counts.sum(axis=1)
    return shares


def taus(counts: Int64, variant: str) -> Float64:
    """Return the tau of each row of pair counts, int64[G, 5] -> float64[G]; not for variant "c"."""
    right, wrong, metric, human, both = counts.astype(np.float64).T
    strict = right + wrong
    total = strict + metric + human + both
    numerators, denominators = {
        "a": (right - wrong, total),
        "b": (right - wrong, np.sqrt((strict + metric) * (strict + human))),
        "10": (right - wrong - metric, strict + metric),
        "13": (right - wrong, strict),
        "14": (right - wrong, strict + metric),
        "17": (right - wrong - metric, strict + metric),
        "23": (right + both - wrong - metric - human, total),
    }[variant]
    with np.errstate(invalid="ignore"):
        values: Float64 = numerators / denominators
    return values


def _distinct_counts(scores: Float64, groups: Groups) -> Float64:
    """Count the distinct scores of each group."""
    group, _, edges = _runs(scores, groups)
    return np.bincount(group[edges[:-1]], minlength=len(groups.sizes)).astype(np.float64)
