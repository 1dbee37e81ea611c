"""Tests of whether one of two metrics correlates better with the same human scores."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Bool, Float64, Int8, Int32, Int64, UInt64
from wordorder.errors import UsageError, choose, unknown_name
from wordorder.kernels import _run
from wordorder.kernels.resampling import draw_flips
from wordorder.statistics import coefficients, pair_counts, system_ranks
from wordorder.statistics.distributions import student_tail
from wordorder.statistics.grouped_correlation import GROUPINGS, Groups, check_finite, rows_as_groups
from wordorder.statistics.measurement import resample_keys
from wordorder.statistics.named_statistics import COEFFICIENTS, coefficient, value_and_parts

# Takes the metric's scores and people's, float64[systems, segments] with NaN for missing.
Statistic = Callable[[Float64, Float64], float]

# Pairs are enough for these. Tau-c needs the scores, "17" leaves pairs out.
COUNTED_COEFFICIENTS = (
    "accuracy",
    *(f"kendall-{variant}" for variant in coefficients.VARIANTS if variant not in ("c", "17")),
)
# What rounding can leave of a determinant that is 0.
RATIO_ROUNDING = 1e-12
# What is swapped as one: a single score, all scores of a segment, all scores of a system.
SWAPPED = ("both", "inputs", "systems")


def check_statistic(statistic: str | Statistic) -> str | Statistic:
    """Return `statistic` if it is a function or the name of a coefficient.

    Raises
    ------
    UsageError
        If it is not; the message has the legal names.
    """
    if callable(statistic) or statistic in COEFFICIENTS:
        return statistic
    if statistic == "kendall":
        return "kendall-b"
    raise unknown_name("statistic", str(statistic), COEFFICIENTS)


def of_tables(metric: Float64, human: Float64, statistic: str | Statistic, by: str) -> float:
    """Return the coefficient of two tables [systems, segments]; a function ignores `by`."""
    if callable(statistic):
        return float(statistic(metric, human))
    return coefficient(statistic, metric, human, by).value


def of_groups(groups: Groups, statistic: str) -> Float64:
    """Return the coefficient of each group, float64[G]; NaN if undefined.

    Raises
    ------
    UsageError
        If one threshold serves all groups (acc-eq), or all segments together make the value.
    """
    return value_and_parts(groups, statistic)[1]


def of_counts(counts: Int64, statistic: str) -> Float64:
    """Return a coefficient in `COUNTED_COEFFICIENTS` from the counted pairs of groups.

    Parameters
    ----------
    counts : int64[R, G, 5]
        As `counts_of_groups` makes them, of R resamples.

    Returns
    -------
    float64[R]
        The mean over the groups; for WMT's own taus that of the summed counts.
    """
    variant = statistic.removeprefix("kendall-")
    if variant in coefficients.POOLED_VARIANTS:
        return coefficients.taus(counts.sum(axis=1), variant)
    resamples, groups, kinds = counts.shape
    flat = counts.reshape(resamples * groups, kinds)
    accurate = statistic == "accuracy"
    values = coefficients.accuracies(flat) if accurate else coefficients.taus(flat, variant)
    return means(values.reshape(resamples, groups))


def of_rows(metric: Float64, human: Float64, statistic: str | Statistic) -> Float64:
    """Return the coefficient of each row, float64[R], of float64[R, n] without NaN."""
    if callable(statistic) or statistic in ("acc-eq", "spa", "pce"):
        both = zip(metric, human, strict=True)
        return np.array([of_tables(m[:, None], h[:, None], statistic, "none") for m, h in both])
    return of_groups(rows_as_groups(metric, human), statistic)


def means(values: Float64) -> Float64:
    """Return the mean of each row over the values that are defined; NaN without any."""
    defined = ~np.isnan(values)
    with np.errstate(invalid="ignore"):
        averages: Float64 = np.where(defined, values, 0.0).sum(axis=-1) / defined.sum(axis=-1)
    return averages


@dataclass(frozen=True)
class DependentTest:
    """A test of two correlations with the same variable.

    Attributes
    ----------
    statistic : float
        Student's t; above 0 if r12 > r13.
    p_value : float in (0, 1]
        One-sided: how often chance makes r12 exceed r13 by as much.
    """

    statistic: float
    p_value: float


def williams(r12: float, r13: float, r23: float, n: int) -> DependentTest:
    """Test whether people agree better with metric A than with metric B (Williams 1959).

    With ``K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23``,

    ``t = (r12 - r13) sqrt((n-1)(1+r23)) / sqrt(2 K (n-1)/(n-3) + (r12+r13)^2/4 (1-r23)^3)``

    has Student's t distribution with ``n - 3`` degrees of freedom if the correlations are equal.

    Parameters
    ----------
    r12, r13 : float in [-1, 1]
        The correlations of people with metric A and with metric B.
    r23 : float in [-1, 1]
        The correlation of the two metrics.
    n : int
        How many systems, at least 4.

    Returns
    -------
    DependentTest
        One-sided for ``r12 > r13``: a p-value above .5 means that metric B agrees better.

    Raises
    ------
    UsageError
        If `n` is below 4, a correlation is outside [-1, 1], or no three variables have such
        correlations.

    Notes
    -----
    Made for Pearson's coefficient of normal variables. Each correlation may have any sign: give a
    metric of errors with its sign, or turn it first. Metrics that are copies of each other, which
    the formula leaves at 0 / 0, have t = 0 and p = .5.

    Examples
    --------
    >>> test = williams(0.95, 0.90, 0.92, 13)
    >>> round(test.statistic, 3), round(test.p_value, 4)
    (1.287, 0.1135)
    """
    determinant = _determinant(r12, r13, r23, n)
    mean = (r12 + r13) / 2
    if 1 + r23 <= RATIO_ROUNDING:
        # A metric and its negative: the formula with both sides divided by sqrt(1 + r23).
        statistic = _ratio(r12 * math.sqrt(n - 3), math.sqrt(1 - r12**2))
    else:
        numerator = (r12 - r13) * math.sqrt((n - 1) * (1 + r23))
        variance = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
        statistic = _ratio(numerator, math.sqrt(variance))
    return DependentTest(statistic, _never_zero(student_tail(statistic, n - 3)))


def _determinant(r12: float, r13: float, r23: float, n: int) -> float:
    """Check the arguments; return the determinant of the correlation matrix."""
    if n < 4:
        raise UsageError(f"a test of two correlations needs at least 4 systems, got {n}")
    for name, value in (("r12", r12), ("r13", r13), ("r23", r23)):
        if not -1 <= value <= 1:
            raise UsageError(f"{name} is a correlation, from -1 to 1, got {value}")
    determinant = 1 - r12**2 - r13**2 - r23**2 + 2 * r12 * r13 * r23
    if determinant < -RATIO_ROUNDING:
        raise UsageError(f"no three variables have the correlations {r12}, {r13} and {r23}")
    return max(determinant, 0.0)


def _ratio(numerator: float, denominator: float) -> float:
    """Divide; without any spread a difference is infinitely sure, and no difference is 0."""
    if abs(numerator) <= RATIO_ROUNDING and denominator <= math.sqrt(RATIO_ROUNDING):
        return 0.0
    if denominator == 0:
        return math.copysign(math.inf, numerator)
    return numerator / denominator


def _never_zero(p_value: float) -> float:
    """Keep a p-value above 0, where its tail is below the smallest number."""
    return max(p_value, 5e-324)


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
    # Comparisons with NaN are false: untested pairs count as not significant.
    for number, cluster in enumerate(system_ranks.finest_cut(order, p_values <= level), start=1):
        clusters[list(cluster)] = number
    return clusters


@dataclass(frozen=True, eq=False)
class PairedScores:
    """The outputs that both metrics score, group after group.

    Attributes
    ----------
    scores : float64[2 * N]
        Of output ``c`` the standardised scores of both metrics, at ``2 * c`` and ``2 * c + 1``.
    human : float64[N]
    offsets : int64[G+1]
        Group ``g`` has the outputs ``offsets[g] .. offsets[g + 1] - 1``.
    units : int32[N]
        Which coin decides whether an output is swapped.
    coins : int
        How many there are.
    tolerance : float
        Differences between scores that are closer differ by rounding.
    """

    scores: Float64
    human: Float64
    offsets: Int64
    units: Int32
    coins: int
    tolerance: float

    @property
    def sizes(self) -> Int64:
        """How many outputs each group has, int64[G]."""
        return np.diff(self.offsets)

    @property
    def group(self) -> Int64:
        """The group of each output, int64[N]."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.sizes)

    def of_groups(self, kept: Bool) -> PairedScores:
        """Return some of the groups, bool[G]."""
        inside = np.repeat(kept, self.sizes)
        offsets = np.concatenate([[0], np.cumsum(self.sizes[kept])])
        scores = self.scores.reshape(-1, 2)[inside].ravel()
        kept_rows = scores, self.human[inside], offsets, self.units[inside]
        return PairedScores(*kept_rows, self.coins, self.tolerance)

    def flips(self, resamples: int, seed: int) -> UInt64:
        """Flip all coins once for each resample; row 0, the observed data, has no flips.

        Returns
        -------
        uint64[1 + R, words]
            Coin ``u`` is bit ``u % 64`` of word ``u // 64``.
        """
        words = (self.coins + 63) // 64
        flips = np.zeros((resamples + 1, words), np.uint64)
        offsets = np.arange(resamples + 1, dtype=np.int64) * words
        keys = resample_keys(resamples, seed)
        _run.run_rows(draw_flips, offsets, keys, words, flips[1:].reshape(-1))
        return flips

    def in_order(self, secondary: npt.NDArray[np.int32] | None = None) -> tuple[Int32, Int8]:
        """Sort the scores of both metrics together, within each group.

        Returns
        -------
        int32[2 * N], int8[2 * N]
            Indices into `scores`, lowest first, those of equal scores by `secondary` [N]; and
            whether a score is the last of equal ones.
        """
        group = np.repeat(self.group, 2)
        equal = np.zeros(len(group)) if secondary is None else np.repeat(secondary, 2)
        order = np.lexsort((equal, self.scores, group))
        scores, group = self.scores[order], group[order]
        ends = np.ones(len(order), np.int8)
        ends[:-1] = (scores[1:] != scores[:-1]) | (group[1:] != group[:-1])
        return order.astype(np.int32), ends


def paired_scores(
    metric_a: Float64, metric_b: Float64, human: Float64 | None, *, by: str, swap: str
) -> PairedScores:
    """Standardise two metrics and arrange the outputs that both score in groups.

    Scores are brought to a mean of 0 and a variance of 1 over all outputs that count, so that
    a score of one metric can take the place of one of the other (Deutsch et al. 2021).

    Parameters
    ----------
    metric_a, metric_b : float64[systems, segments]
        NaN where there is no score: an output counts if all have one.
    human : float64[systems, segments], optional
    by : "none", "item" or "system"
    swap : "both", "inputs" or "systems"
    """
    choose("by", by, GROUPINGS)
    choose("swap", swap, SWAPPED)
    judged = np.zeros_like(metric_a) if human is None else human
    systems, segments = metric_a.shape
    unit = {
        "both": np.arange(systems * segments).reshape(systems, segments),
        "inputs": np.broadcast_to(np.arange(segments), metric_a.shape),
        "systems": np.broadcast_to(np.arange(systems)[:, None], metric_a.shape),
    }[swap]
    tables = [metric_a, metric_b, judged, unit]
    if by == "item":
        tables = [table.T for table in tables]
    has_all = ~np.isnan(tables[0]) & ~np.isnan(tables[1]) & ~np.isnan(tables[2])
    first, second, people, units = (table[has_all] for table in tables)
    sizes = [len(first)] if by == "none" else has_all.sum(axis=1)
    (first, noise), (second, more_noise) = standardised(first), standardised(second)
    tolerance = max(noise, more_noise)
    return PairedScores(
        # Scores that are one step of rounding away, not sums of many.
        without_rounding(np.stack([first, second], axis=1).ravel(), tolerance / 16),
        people,
        np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
        units.astype(np.int32),
        int(unit.max(initial=-1)) + 1,
        tolerance,
    )


def standardised(scores: Float64) -> tuple[Float64, float]:
    """Return scores with mean 0 and variance 1, and the largest rounding error of one of them.

    Equal scores become 0. The variance is that of the scores themselves (divided by N).
    """
    largest = float(np.abs(scores).max(initial=0.0))
    if len(scores) == 0 or scores.min() == scores.max():
        return np.zeros(len(scores)), 0.0
    # Without the largest exponents, so that no square is too large.
    scaled = scores / largest
    centred = scaled - scaled.mean()
    deviation = float(np.sqrt((centred * centred).mean()))
    return centred / deviation, pair_counts.PAIR_ROUNDING / deviation


def without_rounding(scores: Float64, tolerance: float) -> Float64:
    """Make scores equal that only rounding makes differ, so that a swap keeps their ties.

    A metric and its copy in per cent have the same standardised scores but for the last digits.
    Sorted scores are the same as long as each is within `tolerance` of the one before. Of several
    rows, float64[..., N], each is looked at alone.

    Examples
    --------
    >>> without_rounding(np.array([0.3, 1.0, 0.1 + 0.2]), 1e-12).tolist()
    [0.3, 1.0, 0.3]
    """
    order = np.argsort(scores, axis=-1, kind="stable")
    in_order = np.take_along_axis(scores, order, -1)
    first = np.diff(in_order, prepend=-np.inf) > tolerance
    same = np.empty(scores.shape)
    lowest = in_order[first][first.cumsum() - 1].reshape(same.shape)
    np.put_along_axis(same, order, lowest, -1)
    return same


def three_tables(
    metric_a: npt.ArrayLike, metric_b: npt.ArrayLike, human: npt.ArrayLike
) -> tuple[Float64, Float64, Float64]:
    """Check the scores of two metrics and of people; a vector is a table of one segment.

    Raises
    ------
    UsageError
        If the shapes differ or a score is infinite.
    """
    tables = [np.asarray(scores, np.float64) for scores in (metric_a, metric_b, human)]
    tables = [table[:, None] if table.ndim == 1 else table for table in tables]
    shapes = [table.shape for table in tables]
    vector = shapes[2] == (shapes[0][0], 1)
    if tables[0].ndim != 2 or shapes[0] != shapes[1] or (shapes[2] != shapes[0] and not vector):
        problem = f"shape {shapes[0]} and {shapes[1]}, people's of {shapes[2]}"
        raise UsageError(f"the metrics' scores are of {problem}")
    check_finite(*tables)
    return tables[0], tables[1], tables[2]
