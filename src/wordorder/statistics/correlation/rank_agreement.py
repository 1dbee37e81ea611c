"""Kendall's tau in its variants, and pairwise accuracy: does the better output score higher?"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from wordorder.errors import choose
from wordorder.statistics.correlation.grouping import Groups, grouped, mean_over_groups
from wordorder.statistics.correlation.pair_counts import PairCounts, counts_of_groups, pair_counts
from wordorder.types import Float64, Int64

VARIANTS = ("a", "b", "c", "10", "13", "14", "17", "23")
# WMT's own count pairs over all segments; the others are means over groups.
POOLED = ("10", "13", "14", "17")
# WMT17-20 made pairs of direct assessments that differ by as much (of 100).
LEAST_DIFFERENCE = 25.0


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
    groups = grouped(metric, human, by)
    values, counts = kendalls(groups, variant, least=least)
    if variant in POOLED:
        return float(taus(counts.sum(axis=0, keepdims=True), variant)[0])
    return mean_over_groups(values)


def kendalls(
    groups: Groups, variant: str = "b", *, least: float | None = None
) -> tuple[Float64, Int64]:
    """Return the tau of each group, float64[G], and its counts of pairs, int64[G, 5]."""
    choose("variant", variant, VARIANTS)
    if least is None:
        least = LEAST_DIFFERENCE if variant == "17" else 0.0
    counts = counts_of_groups(groups, least=least)
    if variant != "c":
        return taus(counts, variant), counts
    sizes = groups.sizes.astype(np.float64)
    classes = np.minimum(_distinct(groups.metric, groups), _distinct(groups.human, groups))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2 * (counts[:, 0] - counts[:, 1]) / (sizes * sizes * ((classes - 1) / classes))
    return np.where(classes > 1, values, np.nan), counts


def tau_of_counts(counts: PairCounts, variant: str = "14") -> float:
    """Return the tau of pairs that have been counted, such as those of WMT's rankings.

    Every variant of `kendall` but "c", which needs the scores; "17" takes the counts as they are.

    Examples
    --------
    >>> tau_of_counts(PairCounts(concordant=3, discordant=1, metric_ties=1), "13")
    0.5
    """
    choose("variant", variant, tuple(each for each in VARIANTS if each != "c"))
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
    together = sum(counts, PairCounts())
    return float(accuracies(together.row())[0])


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
    number = len(groups.offsets) - 1
    group = np.repeat(np.arange(number), groups.sizes)
    in_order = scores[np.lexsort((scores, group))]
    new = np.ones(len(scores), bool)
    new[1:] = (in_order[1:] != in_order[:-1]) | (group[1:] != group[:-1])
    return np.bincount(group[new], minlength=number).astype(np.float64)
