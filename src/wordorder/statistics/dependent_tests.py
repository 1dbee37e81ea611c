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

# Called with the metric's and the human scores, float64[systems, segments]; NaN means missing.
Statistic = Callable[[Float64, Float64], float]

# Coefficients that can be computed from pair counts. Tau-c needs the scores, and "17" leaves out
# some of the pairs.
COUNTED_COEFFICIENTS = (
    "accuracy",
    *(f"kendall-{variant}" for variant in coefficients.VARIANTS if variant not in ("c", "17")),
)
# The largest rounding error of a determinant that is 0.
RATIO_ROUNDING = 1e-12
# The unit that is swapped: one output, all outputs of a segment, all outputs of a system.
SWAP_UNITS = ("both", "inputs", "systems")


def check_statistic(statistic: str | Statistic) -> str | Statistic:
    """Return `statistic` if it is a function or a coefficient's name; "kendall" is "kendall-b".

    Raises
    ------
    UsageError
        If the name is unknown; the message lists the valid names.
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
        If the coefficient is not defined per group: "acc-eq", "spa" and "pce".
    """
    return value_and_parts(groups, statistic)[1]


def of_counts(counts: Int64, statistic: str) -> Float64:
    """Return a coefficient in `COUNTED_COEFFICIENTS` from the counted pairs of groups.

    Parameters
    ----------
    counts : int64[R, G, 5]
        For each of R resamples, the result of `counts_of_groups`.

    Returns
    -------
    float64[R]
        The mean over the groups; for WMT's taus ("10" to "17") the tau of the summed counts.
    """
    variant = statistic.removeprefix("kendall-")
    if variant in coefficients.POOLED_VARIANTS:
        return coefficients.taus(counts.sum(axis=1), variant)
    resamples, groups, columns = counts.shape
    flat = counts.reshape(resamples * groups, columns)
    is_accuracy = statistic == "accuracy"
    values = coefficients.accuracies(flat) if is_accuracy else coefficients.taus(flat, variant)
    return means(values.reshape(resamples, groups))


def of_rows(metric: Float64, human: Float64, statistic: str | Statistic) -> Float64:
    """Return the coefficient of each row, float64[R, n] without NaN -> float64[R]."""
    if callable(statistic) or statistic in ("acc-eq", "spa", "pce"):
        row_pairs = zip(metric, human, strict=True)
        return np.array(
            [of_tables(m[:, None], h[:, None], statistic, "none") for m, h in row_pairs]
        )
    return of_groups(rows_as_groups(metric, human), statistic)


def means(values: Float64) -> Float64:
    """Return the mean of the defined values of each row; NaN for a row without any."""
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
        One-sided: the probability that chance makes r12 exceed r13 by at least this difference.
    """

    statistic: float
    p_value: float


def williams(r12: float, r13: float, r23: float, n: int) -> DependentTest:
    """Test whether metric A correlates better with people than metric B does (Williams 1959).

    With ``K = 1 - r12^2 - r13^2 - r23^2 + 2 r12 r13 r23``,

    ``t = (r12 - r13) sqrt((n-1)(1+r23)) / sqrt(2 K (n-1)/(n-3) + (r12+r13)^2/4 (1-r23)^3)``

    has Student's t distribution with ``n - 3`` degrees of freedom if the correlations are equal.

    Parameters
    ----------
    r12, r13 : float in [-1, 1]
        The correlations of human scores with metric A and with metric B.
    r23 : float in [-1, 1]
        The correlation of the two metrics.
    n : int
        The number of systems, at least 4.

    Returns
    -------
    DependentTest
        One-sided for ``r12 > r13``: a p-value above .5 means that metric B agrees better.

    Raises
    ------
    UsageError
        If `n` is below 4, a correlation is outside [-1, 1], or no three variables can have these
        correlations.

    Notes
    -----
    Derived for Pearson's coefficient of normal variables. Correlations may be negative; negate the
    scores of an error metric before the test to compare it with a metric where higher is better.
    Identical metrics, for which the formula gives 0 / 0, have t = 0 and p = .5.

    Examples
    --------
    >>> test = williams(0.95, 0.90, 0.92, 13)
    >>> round(test.statistic, 3), round(test.p_value, 4)
    (1.287, 0.1135)
    """
    determinant = _determinant(r12, r13, r23, n)
    mean = (r12 + r13) / 2
    if 1 + r23 <= RATIO_ROUNDING:
        # A metric and its negative: numerator and denominator are divided by sqrt(1 + r23).
        statistic = _ratio(r12 * math.sqrt(n - 3), math.sqrt(1 - r12**2))
    else:
        numerator = (r12 - r13) * math.sqrt((n - 1) * (1 + r23))
        variance = 2 * determinant * (n - 1) / (n - 3) + mean**2 * (1 - r23) ** 3
        statistic = _ratio(numerator, math.sqrt(variance))
    return DependentTest(statistic, _positive_p_value(student_tail(statistic, n - 3)))


def _determinant(r12: float, r13: float, r23: float, n: int) -> float:
    """Check the correlations and return the determinant of their matrix."""
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
    """Divide; by 0, return a signed infinity, or 0 if the numerator is 0 up to rounding, too."""
    if abs(numerator) <= RATIO_ROUNDING and denominator <= math.sqrt(RATIO_ROUNDING):
        return 0.0
    if denominator == 0:
        return math.copysign(math.inf, numerator)
    return numerator / denominator


def _positive_p_value(p_value: float) -> float:
    """Return the p-value, or the smallest positive double if it was rounded to 0."""
    return max(p_value, 5e-324)


def metric_clusters(values: Float64, p_values: Float64, *, level: float = 0.05) -> Int64:
    """Cut the metrics, best first, into clusters that differ significantly.

    The result is the finest cut in which every metric of a cluster agrees significantly better with
    people than every metric of all later clusters. All pairs are compared: a metric that differs
    significantly from neither of two clusters joins them.

    Parameters
    ----------
    values : float64[M]
        The metrics' coefficients; NaN if undefined.
    p_values : float64[M, M]
        ``[a, b]``: the p-value for metric a agreeing better than metric b, for example from
        `permutation_p_values`; correct them by `holm` to control the error of all comparisons.
    level : float
        A difference is significant if its p-value is at most this.

    Returns
    -------
    int64[M]
        The cluster of each metric, 1 for the best; 0 for a metric without a coefficient.

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
    """The outputs that both metrics score, sorted by group.

    Attributes
    ----------
    scores : float64[2 * N]
        The standardised scores of output ``c`` by both metrics, at ``2 * c`` and ``2 * c + 1``.
    human : float64[N]
    offsets : int64[G+1]
        Group ``g`` has the outputs ``offsets[g] .. offsets[g + 1] - 1``.
    units : int32[N]
        The index of the coin that decides whether the output's scores are swapped.
    coins : int
        The number of coins.
    tolerance : float
        Two score differences that are closer than this differ only by rounding.
    """

    scores: Float64
    human: Float64
    offsets: Int64
    units: Int32
    coins: int
    tolerance: float

    @property
    def sizes(self) -> Int64:
        """The number of outputs in each group, int64[G]."""
        return np.diff(self.offsets)

    @property
    def group(self) -> Int64:
        """The group of each output, int64[N]."""
        return np.repeat(np.arange(len(self.offsets) - 1), self.sizes)

    def of_groups(self, selected: Bool) -> PairedScores:
        """Return the groups selected by a mask, bool[G]."""
        inside = np.repeat(selected, self.sizes)
        offsets = np.concatenate([[0], np.cumsum(self.sizes[selected])])
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
            Indices into `scores`, lowest score first, equal scores sorted by `secondary` [N]; and
            1 for the last of equal scores.
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

    Scores get a mean of 0 and a variance of 1 over all outputs that are used, so that the two
    metrics' scores of an output can be swapped (Deutsch et al. 2021).

    Parameters
    ----------
    metric_a, metric_b : float64[systems, segments]
        NaN where there is no score; only outputs with all scores are used.
    human : float64[systems, segments], optional
    by : "none", "item" or "system"
    swap : "both", "inputs" or "systems"
    """
    choose("by", by, GROUPINGS)
    choose("swap", swap, SWAP_UNITS)
    human_or_zeros = np.zeros_like(metric_a) if human is None else human
    systems, segments = metric_a.shape
    unit = {
        "both": np.arange(systems * segments).reshape(systems, segments),
        "inputs": np.broadcast_to(np.arange(segments), metric_a.shape),
        "systems": np.broadcast_to(np.arange(systems)[:, None], metric_a.shape),
    }[swap]
    tables = [metric_a, metric_b, human_or_zeros, unit]
    if by == "item":
        tables = [table.T for table in tables]
    has_all = ~np.isnan(tables[0]) & ~np.isnan(tables[1]) & ~np.isnan(tables[2])
    first, second, people, units = (table[has_all] for table in tables)
    sizes = [len(first)] if by == "none" else has_all.sum(axis=1)
    (first, noise), (second, more_noise) = standardised(first), standardised(second)
    tolerance = max(noise, more_noise)
    return PairedScores(
        # The tolerance is for sums of many scores; single scores are off by one rounding only.
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
    # Scaled to at most 1, so that squares cannot overflow.
    scaled = scores / largest
    centred = scaled - scaled.mean()
    deviation = float(np.sqrt((centred * centred).mean()))
    return centred / deviation, pair_counts.PAIR_ROUNDING / deviation


def without_rounding(scores: Float64, tolerance: float) -> Float64:
    """Return scores with rounding differences removed, so that swaps keep ties.

    For example, the standardised scores of a metric and of its copy in per cent differ in their
    last digits. Neighbours in sorted order that differ by at most `tolerance` become equal. The
    rows of float64[..., N] are treated independently.

    Examples
    --------
    >>> without_rounding(np.array([0.3, 1.0, 0.1 + 0.2]), 1e-12).tolist()
    [0.3, 1.0, 0.3]
    """
    order = np.argsort(scores, axis=-1, kind="stable")
    in_order = np.take_along_axis(scores, order, -1)
    run_starts = np.diff(in_order, prepend=-np.inf) > tolerance
    scores_without_rounding = np.empty(scores.shape)
    lowest = in_order[run_starts][run_starts.cumsum() - 1].reshape(scores_without_rounding.shape)
    np.put_along_axis(scores_without_rounding, order, lowest, -1)
    return scores_without_rounding


def three_tables(
    metric_a: npt.ArrayLike, metric_b: npt.ArrayLike, human: npt.ArrayLike
) -> tuple[Float64, Float64, Float64]:
    """Return the scores of two metrics and of people as tables; a vector becomes one segment.

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
