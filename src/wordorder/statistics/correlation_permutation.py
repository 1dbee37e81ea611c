"""Permutation tests of which of two metrics agrees better with people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, OnProgress, UInt64
from wordorder.errors import UsageError, choose
from wordorder.statistics import dependent_tests as dependent
from wordorder.statistics.exact_means import exact_means
from wordorder.statistics.measurement import check_resamples
from wordorder.statistics.swapped_correlations import has_kernel, swapped_means, swapped_values

if TYPE_CHECKING:
    from typing_extensions import Unpack
TEST_UNITS = ("segment", "system")
# Two differences of coefficients that are closer than this differ only by rounding.
DIFFERENCE_ROUNDING = 1e-12


class TestOptions(TypedDict, total=False):
    """The options that all permutation tests share; see `perm_both`."""

    statistic: str | dependent.Statistic
    by: str
    unit: str
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class PermutationTest:
    """Result of a permutation test of two metrics against human scores.

    Attributes
    ----------
    value_a, value_b, difference : float
        The coefficients of both metrics on the outputs that both score, and the first minus the
        second; NaN where undefined.
    p_value : float in (0, 1]
        One-sided: the share of resamples in which the first metric leads by at least the observed
        difference. NaN if a coefficient is undefined.
    p_value_of_b : float in (0, 1]
        The same for the second metric.
    n : int
        The number of outputs, or systems, that the coefficients are computed from.
    resamples : int
    differences : float64[R]
        The differences of the coefficients on the resamples.
    """

    value_a: float
    value_b: float
    difference: float
    p_value: float
    p_value_of_b: float
    n: int
    resamples: int
    differences: Float64 = field(repr=False)


def perm_both(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    statistic: str | dependent.Statistic = "pearson",
    by: str = "none",
    unit: str = "segment",
    resamples: int = 1000,
    seed: int = 12345,
) -> PermutationTest:
    """Test whether metric A agrees better with people than metric B (Deutsch et al. 2021).

    If the metrics agreed equally well, swapping their scores would not matter. Each resample swaps
    the two metrics' standardised scores of every output with probability 1/2 and computes both
    coefficients again: ``p = (1 + number of d* >= d) / (R + 1)`` for the difference
    ``d = r(A) - r(B)``. The test answers whether the difference generalises to other outputs of the
    same systems. For other systems use `perm_systems`: a metric may prefer whole systems, an effect
    that swaps of single outputs average out.

    Parameters
    ----------
    metric_a, metric_b : float64[systems, segments], or float64[systems]
        Higher is better. NaN where there is no score; outputs without a score of A, of B or of
        people are left out.
    human : float64[systems, segments], or float64[systems]
        A vector has the scores of whole systems, and needs ``unit="system"``.
    statistic : str or callable
        "pearson", "spearman", "kendall-b" and the other variants of `kendall`, "accuracy" or
        "acc-eq"; or any function of two such tables, which is slow and ignores `by`.
    by : "none", "item" or "system"
        Which outputs are compared with each other. The coefficient is a mean over groups.
    unit : "segment" or "system"
        "system" correlates the mean scores of systems and ignores `by`. Means of metrics are over
        the segments that both metrics score; means of people are over all segments they scored.
    resamples : int
    seed : int
        The same seed gives the same result, on any machine and with any number of threads.

    Returns
    -------
    PermutationTest

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite or an option is invalid; or acc-eq has more
        than 12 million pairs.

    Notes
    -----
    With acc-eq, every resample calibrates a tie threshold for each of the two mixed metrics on all
    pairs: a threshold fitted to A's scores would favour the mixture that has more of them. All
    possible differences are sorted once, so a resample costs one pass over them.

    Examples
    --------
    >>> generator = np.random.default_rng(0)
    >>> human = generator.normal(size=(5, 40))
    >>> close, far = (human + generator.normal(size=human.shape) * noise for noise in (1, 2))
    >>> test = perm_both(close, far, human, by="item", resamples=99)
    >>> test.p_value, test.p_value_of_b
    (0.01, 1.0)
    """
    options: dict[str, Any] = {"statistic": statistic, "by": by, "unit": unit}
    options |= {"resamples": resamples, "seed": seed}
    return permutation_test(metric_a, metric_b, human, swap="both", **options)


def perm_inputs(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    **options: Unpack[TestOptions],
) -> PermutationTest:
    """Test two metrics by swapping all their scores of a segment together.

    Like `perm_both`, but one coin decides for all systems of a segment: the test answers whether
    the difference generalises to other segments of the same systems.
    """
    return permutation_test(metric_a, metric_b, human, swap="inputs", **options)


def perm_systems(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    **options: Unpack[TestOptions],
) -> PermutationTest:
    """Test two metrics by swapping all their scores of a system together.

    Like `perm_both`, but one coin decides for all segments of a system: the test answers whether
    the difference generalises to other systems on the same segments. With n systems there are only
    ``2**n`` ways to swap, so with 5 systems a p-value is below 1/32 only by chance.
    """
    return permutation_test(metric_a, metric_b, human, swap="systems", **options)


def permutation_test(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    *,
    swap: str,
    statistic: str | dependent.Statistic = "pearson",
    by: str = "none",
    unit: str = "segment",
    resamples: int = 1000,
    seed: int = 12345,
) -> PermutationTest:
    """Test two metrics by swapping their scores of outputs, segments or systems.

    `swap` is "both", "inputs" or "systems"; for the other parameters see `perm_both`.
    """
    check_resamples(resamples)
    statistic = dependent.check_statistic(statistic)
    first, second, people = dependent.three_tables(metric_a, metric_b, human)
    if choose("unit", unit, TEST_UNITS) == "system":
        # One group per system, whose mean score is used.
        paired = dependent.paired_scores(first, second, None, by="system", swap=swap)
        values, n = _system_coefficients(paired, paired.flips(resamples, seed), people, statistic)
    elif people.shape != first.shape:
        raise UsageError("segments are tested against human scores of segments, not of systems")
    else:
        paired = dependent.paired_scores(first, second, people, by=by, swap=swap)
        flips, n = paired.flips(resamples, seed), len(paired.human)
        if has_kernel(statistic):
            values = swapped_values(paired, flips, str(statistic))
        else:
            values = _table_coefficients(paired, flips, (people, first, second), statistic, by)
    differences = values[:, 0] - values[:, 1]
    observed, sampled = float(differences[0]), differences[1:]
    p_values = share_beyond(sampled, observed), share_beyond(-sampled, -observed)
    first_value, second_value = values[0].tolist()
    return PermutationTest(
        first_value, second_value, observed, *p_values, n, resamples, differences=sampled
    )


def share_beyond(samples: Float64, observed: float) -> float:
    """Return ``(1 + number of samples >= observed) / (R + 1)``; NaN if `observed` is NaN.

    Undefined samples are counted, which makes the p-value larger: they are no evidence.
    """
    if np.isnan(observed):
        return float("nan")
    beyond = ~(samples < observed - DIFFERENCE_ROUNDING)
    return float((1 + np.count_nonzero(beyond)) / (len(samples) + 1))


def permutation_p_values(
    metrics: Sequence[npt.ArrayLike],
    human: npt.ArrayLike,
    *,
    swap: str = "both",
    progress: OnProgress | None = None,
    **options: Unpack[TestOptions],
) -> Float64:
    """Test all pairs of metrics, each on the outputs that both score.

    Parameters
    ----------
    metrics : sequence of float64[systems, segments], or float64[systems]
    human
        As for `perm_both`.
    swap : "both", "inputs" or "systems"
    progress : callable, optional
        Called with the number of pairs tested so far.
    **options
        `statistic`, `by`, `unit`, `resamples` and `seed`, as for `perm_both`.

    Returns
    -------
    float64[M, M]
        ``[a, b]``: the p-value for metric a agreeing better than metric b; NaN on the diagonal.
    """
    p_values = np.full((len(metrics), len(metrics)), np.nan)
    pairs = combinations(range(len(metrics)), 2)
    for done, (a, b) in enumerate(pairs, 1):
        test = permutation_test(metrics[a], metrics[b], human, swap=swap, **options)
        p_values[a, b], p_values[b, a] = test.p_value, test.p_value_of_b
        if progress is not None:
            progress(done)
    return p_values


def _system_coefficients(
    paired: dependent.PairedScores,
    flips: UInt64,
    human: Float64,
    statistic: str | dependent.Statistic,
) -> tuple[Float64, int]:
    """Return coefficients of system means, float64[1 + R, 2], and the number of systems."""
    human_means = exact_means(human)
    metric_means = swapped_means(paired, flips)
    has_both = ~np.isnan(human_means) & (paired.sizes > 0)
    human_means = human_means[has_both]
    # Swaps may give two systems the same scores in another order, so that means differ by rounding.
    metric_means = dependent.without_rounding(metric_means[..., has_both], paired.tolerance)
    flat = metric_means.reshape(2 * len(flips), len(human_means))
    values = dependent.of_rows(flat, np.broadcast_to(human_means, flat.shape), statistic)
    return values.reshape(-1, 2), len(human_means)


def _table_coefficients(
    paired: dependent.PairedScores,
    flips: UInt64,
    tables: tuple[Float64, Float64, Float64],
    statistic: str | dependent.Statistic,
    by: str,
) -> Float64:
    """Return the coefficients of any statistic, float64[1 + R, 2], from complete tables."""
    human, *_ = tables
    has_all = ~np.isnan(sum(tables[1:], human))
    cells = np.nonzero(has_all.T)[::-1] if by == "item" else np.nonzero(has_all)
    scores, units = paired.scores.reshape(-1, 2), paired.units.astype(np.int64)
    mixed = np.full((2, *human.shape), np.nan)
    values = np.empty((len(flips), 2))
    for row, words in enumerate(flips):
        bit = (words[units >> 6] >> (units & 63).astype(np.uint64)) & np.uint64(1)
        for side in range(2):
            mixed[side][cells] = scores[np.arange(len(units)), side ^ bit.astype(np.int64)]
            values[row, side] = dependent.of_tables(mixed[side], human, statistic, by)
    return values
