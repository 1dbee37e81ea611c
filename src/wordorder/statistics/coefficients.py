"""Correlation of scores: linear, of ranks, of pairs, partial, and how sure a coefficient is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from functools import cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Bool, Float64, Int32, Int64, row_offsets
from wordorder.errors import UsageError, choose
from wordorder.kernels import _run
from wordorder.kernels.orders import inversions
from wordorder.kernels.resampling import centred_moments, count_pairs
from wordorder.statistics.grouped_correlation import Groups, check_finite, grouped, mean_over_groups
from wordorder.statistics.intervals import check_level, student_quantile
from wordorder.statistics.paired_tests import Comparison

STATISTICS = ("pearson", "spearman", "kendall")

# Of so few systems all orders are counted; of more, Spearman's coefficient is near enough to
# Pearson's, and Kendall's tau to a normal variable.
ALL_ORDERS = 12

SURELY_NORMAL = 100


def fisher_interval(
    r: float, n: int, level: float = 0.95, statistic: str = "pearson"
) -> tuple[float, float]:
    """Return the confidence interval of a coefficient by Fisher's z transformation.

    ``z = atanh(r)`` is nearly normal, whatever the true coefficient; the interval is
    ``tanh(z - q * s) .. tanh(z + q * s)`` with ``q`` the normal quantile of `level`. The variance
    ``s * s`` is for

    - pearson ``1 / (n - 3)`` (Fisher 1921),
    - spearman ``(1 + r * r / 2) / (n - 3)`` (Bonett and Wright 2000, where ``1.06 / (n - 3)`` of
      Fieller, Hartley and Pearson 1957 is too narrow for large coefficients),
    - kendall ``0.437 / (n - 4)`` (Fieller, Hartley and Pearson 1957), for tau-a or tau-b with few
      ties.

    Parameters
    ----------
    r : float in [-1, 1]
    n : int
        How many outputs, or systems, the coefficient was computed from.
    level : float
        The confidence, between 0 and 1.
    statistic : "pearson", "spearman" or "kendall"

    Returns
    -------
    low, high : float
        -1 and 1 if `n` is too small to say anything, up to 3 (kendall: 4). NaN if `r` is. Both are
        `r` if it is 1 or -1: the formula has no width there, which does not mean that `r` is sure.

    Raises
    ------
    UsageError
        If `r` or `level` is out of range or the statistic is unknown.

    Examples
    --------
    >>> low, high = fisher_interval(0.9, 12)
    >>> round(low, 3), round(high, 3)
    (0.674, 0.972)
    """
    choose("statistic", statistic, STATISTICS)
    check_level(level)
    if math.isnan(r):
        return math.nan, math.nan
    if not -1 <= r <= 1:
        raise UsageError(f"a coefficient lies between -1 and 1, got {r}")
    above, freedom = {
        "pearson": (1.0, n - 3),
        "spearman": (1 + r * r / 2, n - 3),
        "kendall": (0.437, n - 4),
    }[statistic]
    if freedom <= 0:
        return -1.0, 1.0
    if abs(r) == 1:
        return float(r), float(r)
    reach = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(above / freedom)
    return math.tanh(math.atanh(r) - reach), math.tanh(math.atanh(r) + reach)


def critical_correlation(n: int, level: float = 0.95, statistic: str = "pearson") -> float:
    """Return the size from which on a coefficient of `n` systems differs from 0.

    With 6 systems a Pearson coefficient below .81 may well be chance: of metrics that have nothing
    to do with people, one in twenty gets that far, in one direction or the other.

    - pearson: Student's t with ``n - 2`` degrees of freedom (scores from a normal distribution);
    - spearman: all orders for up to 12 systems, the same t beyond, which is up to .01 too small at
      95 %, up to .025 at 99 % and above;
    - kendall: the exact distribution for up to 100 systems without ties, a normal one beyond.

    Returns
    -------
    float in (0, 1], or infinite
        The smallest ``c`` for which ``|r| >= c`` has a probability of at most ``1 - level`` by
        chance; infinite if not even 1 is that rare.

    Raises
    ------
    UsageError
        If `level` is not between 0 and 1 or the statistic is unknown.

    Examples
    --------
    >>> [round(critical_correlation(n), 3) for n in (3, 6, 13)]
    [0.997, 0.811, 0.553]
    >>> round(critical_correlation(6, statistic="spearman"), 3)
    0.886
    """
    choose("statistic", statistic, STATISTICS)
    check_level(level)
    if n < 3:
        return math.inf
    chance = 1 - level
    if statistic == "kendall":
        if n > SURELY_NORMAL:
            deviation = math.sqrt(2 * (2 * n + 5) / (9 * n * (n - 1)))
            return NormalDist().inv_cdf(1 - chance / 2) * deviation
        return _smallest_rare(*_tau_distribution(n), chance)
    if statistic == "spearman" and n <= ALL_ORDERS:
        return _smallest_rare(*_rho_distribution(n), chance)
    t = student_quantile(1 - chance / 2, n - 2)
    return t / math.sqrt(n - 2 + t * t)


def _smallest_rare(sizes: Float64, counts: Float64, chance: float) -> float:
    """Return the smallest size that is reached with a probability of at most `chance`.

    `sizes` ascend; `counts` say how many orders have each.
    """
    reached = counts[::-1].cumsum()[::-1] / counts.sum()
    rare = np.flatnonzero(reached <= chance * (1 + 1e-12))
    return float(sizes[rare[0]]) if len(rare) else math.inf


@cache
def _tau_distribution(n: int) -> tuple[Float64, Float64]:
    """Return the absolute taus of all orders of `n`, ascending, and their probabilities.

    The probabilities of numbers of inversions: one more item adds 0 .. n - 1 of them.
    """
    shares = np.ones(1)
    for size in range(2, n + 1):
        shares = np.convolve(shares, np.full(size, 1 / size))
    pairs = n * (n - 1) // 2
    return _folded(np.abs(pairs - 2 * np.arange(pairs + 1)), shares, pairs)


@cache
def _rho_distribution(n: int) -> tuple[Float64, Float64]:
    """Return the absolute Spearman coefficients of all orders of `n`, and their numbers."""
    # rho = 1 - squares / half, with the sum of the squared differences of ranks.
    half = n * (n * n - 1) // 6
    # How many orders of the ranks in a set, given to the first places, have each sum.
    counts = np.zeros((1 << n, 2 * half + 1))
    counts[0, 0] = 1
    for chosen in range(1 << n):
        place = chosen.bit_count()
        for rank in range(n):
            if not chosen >> rank & 1:
                square = (rank - place) ** 2
                counts[chosen | 1 << rank, square:] += counts[chosen, : 2 * half + 1 - square]
    return _folded(np.abs(half - np.arange(2 * half + 1)), counts[-1], half)


def _folded(sizes: Int64, counts: Float64, scale: int) -> tuple[Float64, Float64]:
    """Sum the counts of equal sizes; return the sizes that occur, divided by `scale`."""
    summed: Float64 = np.bincount(sizes, counts).astype(np.float64)
    occurring = np.flatnonzero(summed)
    return occurring / scale, summed[occurring]


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
    rows = groups.metric, groups.human, groups.offsets
    _run.run_rows(centred_moments, groups.offsets, *rows, moments)
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
        if variant in POOLED:
            return float(taus(counts.sum(axis=0, keepdims=True), variant)[0]), values
        return mean_over_groups(values), values
    sizes = groups.sizes.astype(np.float64)
    classes = np.minimum(_distinct(groups.metric, groups), _distinct(groups.human, groups))
    with np.errstate(invalid="ignore", divide="ignore"):
        values = 2 * (counts[:, 0] - counts[:, 1]) / (sizes * sizes * ((classes - 1) / classes))
    values = np.where(classes > 1, values, np.nan)
    return mean_over_groups(values), values


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
    group, _, edges = _runs(scores, groups)
    return np.bincount(group[edges[:-1]], minlength=len(groups.sizes)).astype(np.float64)


# Differences that are closer than this share of the largest score differ by rounding: .3 - .1 and
# .1 + .2 - .1. Sums and differences of a few numbers are off by some 2**-52.
PAIR_ROUNDING = 2.0**-44

# Groups of more outputs are sorted; all pairs of smaller ones are looked at one by one.
LARGE = 256


@dataclass(frozen=True)
class PairCounts:
    """Pairs of outputs, by the verdicts of a metric and of people.

    Attributes
    ----------
    concordant, discordant : int
        Both prefer the same output, or not.
    metric_ties, human_ties : int
        Only the metric calls them equal, or only people.
    both_ties : int
        Both call them equal.

    Examples
    --------
    >>> PairCounts(3, 1) + PairCounts(0, 0, 1)
    PairCounts(concordant=3, discordant=1, metric_ties=1, human_ties=0, both_ties=0)
    """

    concordant: int = 0
    discordant: int = 0
    metric_ties: int = 0
    human_ties: int = 0
    both_ties: int = 0

    def __add__(self, other: PairCounts) -> PairCounts:
        return PairCounts(*map(int, (self.row() + other.row())[0]))

    @property
    def total(self) -> int:
        """All pairs."""
        return int(self.row().sum())

    def row(self) -> Int64:
        """The five counts, int64[1, 5]."""
        return np.array([astuple(self)], np.int64)


def pair_counts(
    metric: npt.ArrayLike, human: npt.ArrayLike, *, threshold: float = 0.0, least: float = 0.0
) -> PairCounts:
    """Count all pairs of outputs.

    Parameters
    ----------
    metric, human : float64 of the same shape
        Outputs that lack one of the scores (NaN) are left out.
    threshold : float
        The metric ties two outputs whose scores differ by at most this. 0 ties equal numbers;
        above 0, rounding does not count: .4 and .3 differ by .1, and not by more.
    least : float
        Leave out pairs whose human scores differ by less; rounding does not count.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite, or `threshold` or `least` is negative.

    Examples
    --------
    >>> pair_counts([2, 1, 1.5, 5, 3], [1, 2, 2, 3, 4])
    PairCounts(concordant=6, discordant=3, metric_ties=0, human_ties=1, both_ties=0)
    """
    counts = counts_of_groups(grouped(metric, human), threshold=threshold, least=least)
    return PairCounts(*map(int, counts[0]))


def judged_pairs(better: npt.ArrayLike, worse: npt.ArrayLike) -> PairCounts:
    """Count pairs of which people said which output is better.

    Parameters
    ----------
    better, worse : float64[P]
        The metric's scores of the two outputs; pairs that lack one (NaN) are left out.

    Raises
    ------
    UsageError
        If the shapes differ or a score is infinite.

    Examples
    --------
    >>> judged_pairs([0.5, 0.7, 0.2], [0.3, 0.7, 0.9])
    PairCounts(concordant=1, discordant=1, metric_ties=1, human_ties=0, both_ties=0)
    """
    preferred, other = (np.asarray(each, np.float64) for each in (better, worse))
    if preferred.shape != other.shape:
        raise UsageError(f"scores of shape {preferred.shape} and {other.shape} are no pairs")
    check_finite(preferred, other)
    gaps = preferred - other
    return PairCounts(*(int(kind.sum()) for kind in (gaps > 0, gaps < 0, gaps == 0)))


def counts_of_groups(groups: Groups, *, threshold: float = 0.0, least: float = 0.0) -> Int64:
    """Count the pairs within each group, int64[G, 5], in the order of `PairCounts`.

    Raises
    ------
    UsageError
        If `threshold` or `least` is negative.

    Notes
    -----
    A group of more than 256 outputs takes O(n log n) steps unless a threshold is given.
    """
    if not threshold >= 0:
        raise UsageError(f"a tie threshold must not be negative, got {threshold}")
    if not least >= 0:
        raise UsageError(f"the least difference must not be negative, got {least}")
    number = len(groups.offsets) - 1
    counts = np.zeros((number, 5), np.int64)
    if threshold > 0:
        threshold += rounding(groups.metric)
    least -= min(least, rounding(groups.human))
    large = groups.sizes > LARGE
    if threshold != 0 or least > 0 or not large.any():
        rows = groups.metric, groups.human, groups.offsets
        limits = threshold, least, counts.ravel()
        _run.run_rows(count_pairs, row_offsets(groups.pairs), *rows, *limits)
        return counts
    for group in range(number):
        inside = slice(groups.offsets[group], groups.offsets[group + 1])
        counts[group] = _by_sorting(groups.metric[inside], groups.human[inside])
    return counts


def rounding(scores: Float64) -> float:
    """Return how far differences of these scores that should be equal may be apart."""
    return float(np.abs(scores).max(initial=0.0)) * PAIR_ROUNDING


def _by_sorting(metric: Float64, human: Float64) -> tuple[int, int, int, int, int]:
    """Count the pairs of one group from sorted ranks (Knight 1966)."""
    x, y = (np.unique(each, return_inverse=True)[1].astype(np.int64) for each in (metric, human))
    order = np.lexsort((x, y))
    size = len(x)
    offsets = np.array([0, size], np.int64)
    ranks: Int32 = x[order].astype(np.int32)
    discordant = np.zeros(1, np.int64)
    spare = np.empty((2, size), np.int32)
    _run.call(inversions, ranks, offsets, discordant, 0, 1, spare[0], spare[1])
    metric_ties, human_ties = _tied(x), _tied(y)
    both = _tied(x * size + y)
    total = size * (size - 1) // 2
    wrong = int(discordant[0])
    right = total - wrong - metric_ties - human_ties + both
    return right, wrong, metric_ties - both, human_ties - both, both


def _tied(values: Int64) -> int:
    """Count the pairs of equal values."""
    _, counts = np.unique(values, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())


def rank_ranges(comparison: Comparison) -> list[tuple[int, int]]:
    """Return the ranks that each system may have, best and worst.

    A system ranks behind all that are better than it at 95 % and before all that are worse: from
    ``1 + (number significantly better)`` to ``n - (number significantly worse)``.

    Returns
    -------
    list of (best, worst)
        In the order of the systems; ranks from 1.
    """
    beats = comparison.beats()
    best = 1 + beats.sum(axis=0)
    worst = len(beats) - beats.sum(axis=1)
    return list(zip(best.tolist(), worst.tolist(), strict=True))


def clusters(comparison: Comparison) -> list[tuple[int, ...]]:
    """Cut the systems, best first, into clusters that a test tells apart.

    The finest cut in which every system of a cluster is better, at 95 %, than every system of
    all later clusters.

    Returns
    -------
    list of tuples of int
        The numbers of the systems; the best cluster first, the best system of each first.
    """
    return finest_cut(comparison.ranked(), comparison.beats())


def finest_cut(order: Sequence[int], beats: Bool) -> list[tuple[int, ...]]:
    """Cut a ranking wherever all before the cut beat all after it.

    Parameters
    ----------
    order : sequence of int
        The numbers of what is ranked, best first.
    beats : bool[n, n]
        Whether the row's is better than the column's.

    Examples
    --------
    >>> finest_cut([2, 0, 1], np.array([[0, 0, 0], [0, 0, 0], [1, 1, 0]], bool))
    [(2,), (0, 1)]
    """
    ranked = beats[np.ix_(order, order)]
    # A cut is allowed or not whatever the other cuts are, so the finest takes all allowed ones.
    cuts = [i for i in range(1, len(order)) if ranked[:i, i:].all()]
    edges = [0, *cuts, len(order)]
    return [tuple(order[a:b]) for a, b in pairwise(edges)]
