"""Permutation tests of two metrics: which of them agrees better with people?"""

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
# Differences of two coefficients that are closer differ by rounding.
SAME = 1e-12


class Way(TypedDict, total=False):
    """How metrics are compared, of all permutation tests; `perm_both` explains it."""

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
        The coefficients of both metrics on the outputs that both score, and the first less the
        second; NaN where they are not defined.
    p_value : float in (0, 1]
        One-sided: how often swapped scores make the first metric lead by as much. NaN without
        both coefficients.
    p_value_of_b : float in (0, 1]
        The same for the second metric.
    n : int
        How many outputs, or systems, the coefficients rest on.
    resamples : int
    differences : float64[R]
        Of the swapped scores.
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

    If the metrics agreed equally well, it would not matter which of them gave which score. Each
    resample swaps, for every output, the two metrics' standardised scores with probability 1/2, and
    computes both coefficients once more: ``p = (1 + number of d* >= d) / (R + 1)`` for the
    difference ``d = r(A) - r(B)``. It asks whether the difference would hold for other outputs of
    the same systems. For other systems ask `perm_systems`: a metric may like whole systems, which
    swaps of single outputs average away.

    Parameters
    ----------
    metric_a, metric_b : float64[systems, segments], or float64[systems]
        Higher is better. NaN where there is no score: outputs that lack a score of A, of B or of
        people are left out.
    human : float64[systems, segments], or float64[systems]
        The latter for whole systems only.
    statistic : str or callable
        "pearson", "spearman", "kendall-b" and the other variants of `kendall`, "accuracy" or
        "acc-eq"; or any function of two such tables, which is slow and does its own grouping.
    by : "none", "item" or "system"
        Which outputs are compared with each other. The coefficient is a mean over groups.
    unit : "segment" or "system"
        "system" compares the means of the systems, the metrics' over the segments that both score,
        people's over all that they scored: then `by` is not used.
    resamples : int
    seed : int
        The same seed gives the same result, anywhere, for any number of threads.

    Returns
    -------
    PermutationTest

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite or an option is not legal; or acc-eq has more
        than 12 million pairs.

    Notes
    -----
    With acc-eq every resample has its own tie threshold for each of the two mixed metrics, found
    on all pairs: a threshold that fits A's scores would favour whichever mixture has more of them.
    All differences that can occur are sorted once, so that this costs one sweep a resample.

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
    **way: Unpack[Way],
) -> PermutationTest:
    """Test two metrics by swapping all scores of a segment at once.

    As `perm_both`, but one coin decides for all systems of a segment: it asks whether the
    difference would hold on other segments, for these systems.
    """
    return permutation_test(metric_a, metric_b, human, swap="inputs", **way)


def perm_systems(
    metric_a: npt.ArrayLike,
    metric_b: npt.ArrayLike,
    human: npt.ArrayLike,
    **way: Unpack[Way],
) -> PermutationTest:
    """Test two metrics by swapping all scores of a system at once.

    As `perm_both`, but one coin decides for all segments of a system: it asks whether the
    difference would hold for other systems, on these segments. With n systems there are only
    ``2**n`` ways to swap, so with 5 no p-value can be below 1/32 but by chance.
    """
    return permutation_test(metric_a, metric_b, human, swap="systems", **way)


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
    """Test two metrics by the test that `swap` names: "both", "inputs" or "systems".

    `perm_both` describes the rest.
    """
    check_resamples(resamples)
    statistic = dependent.check_statistic(statistic)
    first, second, people = dependent.three_tables(metric_a, metric_b, human)
    if choose("unit", unit, TEST_UNITS) == "system":
        # One group per system: means of systems are compared.
        paired = dependent.paired_scores(first, second, None, by="system", swap=swap)
        values, n = _of_systems(paired, paired.flips(resamples, seed), people, statistic)
    elif people.shape != first.shape:
        raise UsageError("segments are tested against human scores of segments, not of systems")
    else:
        paired = dependent.paired_scores(first, second, people, by=by, swap=swap)
        flips, n = paired.flips(resamples, seed), len(paired.human)
        if has_kernel(statistic):
            values = swapped_values(paired, flips, str(statistic))
        else:
            values = _of_tables(paired, flips, (people, first, second), statistic, by)
    differences = values[:, 0] - values[:, 1]
    observed, sampled = float(differences[0]), differences[1:]
    p_values = share_beyond(sampled, observed), share_beyond(-sampled, -observed)
    first_value, second_value = values[0].tolist()
    return PermutationTest(
        first_value, second_value, observed, *p_values, n, resamples, differences=sampled
    )


def share_beyond(samples: Float64, observed: float) -> float:
    """Return ``(1 + number of samples >= observed) / (R + 1)``; NaN if `observed` is NaN.

    Samples that are not defined count as beyond: they tell nothing against chance.
    """
    if np.isnan(observed):
        return float("nan")
    beyond = ~(samples < observed - SAME)
    return float((1 + np.count_nonzero(beyond)) / (len(samples) + 1))


def permutation_p_values(
    metrics: Sequence[npt.ArrayLike],
    human: npt.ArrayLike,
    *,
    swap: str = "both",
    progress: OnProgress | None = None,
    **way: Unpack[Way],
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
    **way
        `statistic`, `by`, `unit`, `resamples` and `seed`, as for `perm_both`.

    Returns
    -------
    float64[M, M]
        ``[a, b]``: the p-value for metric a agreeing better than metric b; NaN on the diagonal.
    """
    p_values = np.full((len(metrics), len(metrics)), np.nan)
    pairs = combinations(range(len(metrics)), 2)
    for done, (a, b) in enumerate(pairs, 1):
        test = permutation_test(metrics[a], metrics[b], human, swap=swap, **way)
        p_values[a, b], p_values[b, a] = test.p_value, test.p_value_of_b
        if progress is not None:
            progress(done)
    return p_values


def _of_systems(
    paired: dependent.PairedScores,
    flips: UInt64,
    human: Float64,
    statistic: str | dependent.Statistic,
) -> tuple[Float64, int]:
    """Return coefficients of the systems' means, float64[1 + R, 2], and the number of systems."""
    judged = exact_means(human)
    scored = swapped_means(paired, flips)
    has_both = ~np.isnan(judged) & (paired.sizes > 0)
    judged = judged[has_both]
    # A swap may bring systems the same scores in another order: equal but for rounding.
    scored = dependent.without_rounding(scored[..., has_both], paired.tolerance)
    flat = scored.reshape(2 * len(flips), len(judged))
    values = dependent.of_rows(flat, np.broadcast_to(judged, flat.shape), statistic)
    return values.reshape(-1, 2), len(judged)


def _of_tables(
    paired: dependent.PairedScores,
    flips: UInt64,
    tables: tuple[Float64, Float64, Float64],
    statistic: str | dependent.Statistic,
    by: str,
) -> Float64:
    """Return the coefficients resample by resample, from whole tables: for any statistic."""
    human, *_ = tables
    has_all = ~np.isnan(sum(tables[1:], human))
    place = np.nonzero(has_all.T)[::-1] if by == "item" else np.nonzero(has_all)
    scores, units = paired.scores.reshape(-1, 2), paired.units.astype(np.int64)
    mixed = np.full((2, *human.shape), np.nan)
    values = np.empty((len(flips), 2))
    for row, words in enumerate(flips):
        bit = (words[units >> 6] >> (units & 63).astype(np.uint64)) & np.uint64(1)
        for side in range(2):
            mixed[side][place] = scores[np.arange(len(units)), side ^ bit.astype(np.int64)]
            values[row, side] = dependent.of_tables(mixed[side], human, statistic, by)
    return values
