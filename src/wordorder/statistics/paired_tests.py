"""Paired tests of the differences between systems."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Bool, Float64, Int64
from wordorder.errors import UsageError, choose
from wordorder.statistics.intervals import interval, snap_bounds, value_tolerance
from wordorder.statistics.measurement import (
    NOT_COMPARED,
    Draw,
    Measurement,
    RoundedStatistics,
    bootstrap_scores,
    check_resamples,
    common_segments,
    draw_random_swaps,
    list_all_swaps,
    resample_keys,
    resampled_sums,
    rounded_statistics,
)

Bounds = tuple[Float64, Float64]

# From this number of segments on, the bootstrap and randomization agree closely.
MANY_SYSTEMS = 100
# The default number of random swaps.
SWAPS = 10_000
# Smaller differences are due to rounding.
EQUAL = 1e-12
# The names of the tests in prose.
TEST_NAMES = {
    "bootstrap": "paired bootstrap resampling",
    "randomization": "approximate randomization",
}
MIRRORED = {"+*": "-*", "+**": "-**", "-*": "+*", "-**": "+**", "0": "0"}
MIRRORED[NOT_COMPARED] = NOT_COMPARED


def compare(
    measurements: Sequence[Measurement],
    *,
    test: str = "auto",
    resamples: int | None = None,
    swaps: int | None = None,
    seed: int = 12345,
) -> list[Comparison]:
    """Test all pairs of systems under every metric.

    Parameters
    ----------
    measurements : sequence of Measurement
        Measurements of the same segments.
    test : "auto", "bootstrap" or "randomization"
        `paired_bootstrap` or `approximate_randomization`. "auto" is the bootstrap, but with fewer
        than 100 segments p-values and marks are those of randomization (see `retest_by_swaps`).
    resamples : int, optional
        By default 1,000 for the bootstrap and 10,000 for randomization.
    swaps : int, optional
        For "auto", the resamples of randomization, if they differ from those of the bootstrap.
    seed : int
        The same seed gives the same result, anywhere.

    Returns
    -------
    list of Comparison
        One per measurement.

    Raises
    ------
    UsageError
        If the measurements differ in their segments, or an option is not valid.
    """
    if choose("test", test, ("auto", *TEST_FUNCTIONS)) == "auto":
        count = 1000 if resamples is None else resamples
        comparisons = paired_bootstrap(measurements, resamples=count, seed=seed)
        return retest_by_swaps(comparisons, measurements, swaps or resamples)
    method = TEST_FUNCTIONS[test]
    if resamples is None:
        return method(measurements, seed=seed)
    return method(measurements, resamples=resamples, seed=seed)


def retest_by_swaps(
    comparisons: Sequence[Comparison],
    measurements: Sequence[Measurement],
    resamples: int | None = None,
) -> list[Comparison]:
    """Replace p-values and marks of comparisons by those of randomization if segments are few.

    The bootstrap of few segments is too confident: with two segments that favour the same system,
    every resample favours it. With fewer than 100 segments, the p-value is that of
    `approximate_randomization`, exact up to 13 segments; the intervals stay.

    Parameters
    ----------
    comparisons : sequence of Comparison
        Results of `paired_bootstrap`.
    measurements : sequence of Measurement
        The measurements of the comparisons.
    resamples : int, optional
        The number of random swaps, by default 10,000.

    Examples
    --------
    >>> mean = Measurement([[[0.0]] * 2, [[1.0]] * 2], score=lambda totals: totals[..., 0] / 2)
    >>> for tests in (paired_bootstrap([mean]), retest_by_swaps(paired_bootstrap([mean]), [mean])):
    ...     print(tests[0].pair(0, 1).mark, round(tests[0].pair(0, 1).p_value, 3))
    +** 0.001
    0 0.5
    """
    if not measurements or common_segments(measurements) >= MANY_SYSTEMS:
        return list(comparisons)
    seed = comparisons[0].seed
    count = SWAPS if resamples is None else resamples
    swapped = approximate_randomization(measurements, resamples=count, seed=seed)
    return [
        replace(
            swap_test,
            pairs=tuple(
                replace(
                    pair,
                    interval_90=bootstrap_pair.interval_90,
                    interval_95=bootstrap_pair.interval_95,
                )
                for pair, bootstrap_pair in zip(swap_test.pairs, comparison.pairs, strict=True)
            ),
        )
        for comparison, swap_test in zip(comparisons, swapped, strict=True)
    ]


def paired_bootstrap(
    measurements: Sequence[Measurement], *, resamples: int = 1000, seed: int = 12345
) -> list[Comparison]:
    """Compare all pairs of systems on the same resamples of segments (Koehn 2004).

    With ``d`` the difference of two systems over all segments and ``d*`` their differences on the
    B resamples, the mark shows whether the percentile interval of ``d*`` excludes 0, at 90 and at
    95 %. For the p-value, ``d*`` is shifted to a mean of 0, its distribution if the systems were
    equal (Riezler and Maxwell 2005):
    ``p = (1 + number of |d* - mean(d*)| >= |d|) / (B + 1)``.

    Returns
    -------
    list of Comparison
        One per measurement.

    Raises
    ------
    UsageError
        If the measurements differ in their segments, or `resamples` or `seed` is wrong.

    Notes
    -----
    Differences below 1e-9 of the values count as 0. Equal systems have p = 1. With at most one
    segment, p = 1, the mark is 0, and the interval is the difference itself.

    Examples
    --------
    >>> worse, better = np.zeros((20, 1)), np.ones((20, 1))
    >>> mean = Measurement([worse, better], score=lambda totals: totals[..., 0] / 20)
    >>> (result,) = paired_bootstrap([mean])
    >>> result.pair(0, 1).mark, result.pair(0, 1).interval_95
    ('+**', (1.0, 1.0))
    """
    scores = bootstrap_scores(measurements, resamples=resamples, seed=seed)
    pairs = zip(measurements, scores, strict=True)
    return [compare_resamples(measurement, samples, seed=seed) for measurement, samples in pairs]


def compare_resamples(measurement: Measurement, samples: Float64, *, seed: int) -> Comparison:
    """Compare all pairs of systems on given resamples, as `paired_bootstrap` does.

    Parameters
    ----------
    measurement : Measurement
        A measurement of n systems.
    samples : float64[n, B]
        The values of the systems on the resamples: rows of `bootstrap_scores`.
    seed : int
        The seed of the resamples.

    Examples
    --------
    >>> mean = Measurement(np.eye(3)[:, :, None], score=lambda totals: totals[..., 0] / 3)
    >>> (samples,) = bootstrap_scores([mean], seed=1)
    >>> some = Measurement(mean.statistics[:2], mean.score)
    >>> compare_resamples(some, samples[:2], seed=1).pair(0, 1).mark
    '0'
    """
    measured = measurement.values(), samples, measurement.segments
    return compare_values(*measured, measurement.higher_is_better, seed)


def compare_values(
    values: Float64, samples: Float64, segments: int, higher_is_better: bool, seed: int
) -> Comparison:
    """Compare all pairs of systems on values of resamples, as `paired_bootstrap` does.

    Parameters
    ----------
    values : float64[n]
        The values over all segments.
    samples : float64[n, B]
        The values on the resamples.
    segments : int
        The number of segments.
    higher_is_better : bool
    seed : int
        The seed of the resamples.
    """
    resamples = samples.shape[1]
    pairs: list[PairTest] = []
    for first in range(len(values) - 1):
        differences = values[first + 1 :] - values[first]
        tolerance = _tolerances(values, first)
        resampled_differences = samples[first + 1 :] - samples[first]
        shifted = resampled_differences - resampled_differences.mean(axis=1, keepdims=True)
        extreme = _count_extremes(shifted, differences, tolerance)
        bounds = [
            snap_bounds(interval(resampled_differences, level), differences, tolerance)
            for level in (0.90, 0.95)
        ]
        significant_90, significant_95 = (
            (segments > 1) & ((low > tolerance) | (high < -tolerance)) for low, high in bounds
        )
        p_values = (extreme + 1) / (resamples + 1) if segments > 1 else np.ones(len(tolerance))
        marks = _format_marks(differences, significant_90, significant_95, higher_is_better)
        pairs += _pair_tests(first, differences, p_values, marks, bounds)
    tested = tuple(values.tolist()), tuple(pairs)
    return Comparison("bootstrap", resamples, seed, higher_is_better, *tested)


def approximate_randomization(
    measurements: Sequence[Measurement], *, resamples: int = SWAPS, seed: int = 12345
) -> list[Comparison]:
    """Compare all pairs of systems by swapping their outputs at random (Noreen 1989).

    If two systems were equal, it would not matter which system produced which output. Each resample
    swaps the two outputs of every segment with probability 1/2, the same segments for all pairs
    and metrics; with ``d*`` the difference after the swaps,
    ``p = (1 + number of |d*| >= |d|) / (R + 1)``. If there are at most R ways to swap the segments,
    all of them are tried instead, and p is exact. Marks: ``p <= 0.1`` and ``p <= 0.05``.

    Returns
    -------
    list of Comparison
        One per measurement, without intervals.

    Raises
    ------
    UsageError
        If the measurements differ in their segments, or `resamples` or `seed` is wrong.

    Notes
    -----
    ``d`` and ``d*`` are computed from the same rounded statistics (see `rounded_statistics`), and a
    ``d*`` that is smaller by less than 1e-9 of the values counts as equal. So equal systems have
    p = 1, and so do all systems with at most one segment.

    Examples
    --------
    >>> worse, better = np.zeros((20, 1)), np.ones((20, 1))
    >>> mean = Measurement([worse, better], score=lambda totals: totals[..., 0] / 20)
    >>> (result,) = approximate_randomization([mean], resamples=999)
    >>> result.pair(0, 1).mark, result.pair(0, 1).p_value
    ('+**', 0.001)
    """
    segments = common_segments(measurements)
    rounded = [rounded_statistics(measurement.statistics) for measurement in measurements]
    extremes = [np.zeros((m.systems, m.systems), np.int64) for m in measurements]
    draw, keys, add = ways_to_swap(segments, resamples, seed)
    for _, blocks in resampled_sums(rounded, draw, keys):
        for columns in zip(measurements, rounded, blocks, extremes, strict=True):
            _count_extreme(*columns)
    comparisons = []
    for measurement, extreme in zip(measurements, extremes, strict=True):
        values = measurement.values()
        pairs: list[PairTest] = []
        for first in range(measurement.systems - 1):
            differences = values[first + 1 :] - values[first]
            p_values = (extreme[first, first + 1 :] + add) / (len(keys) + add)
            significant = p_values <= 0.1, p_values <= 0.05
            marks = _format_marks(differences, *significant, measurement.higher_is_better)
            pairs += _pair_tests(first, differences, p_values, marks, None)
        tested = tuple(values.tolist()), tuple(pairs)
        better = measurement.higher_is_better
        comparisons.append(Comparison("randomization", len(keys), seed, better, *tested))
    return comparisons


def swapped_p_values(added: Float64, seed: int, resamples: int = SWAPS) -> Float64:
    """Test whether sums over segments are 0, by randomization, exact for up to 13 segments.

    Parameters
    ----------
    added : float64[S, P]
        What each segment adds to each of P differences of two systems. If these were equal, its
        sign would be random.
    seed, resamples : int
        See `approximate_randomization`.

    Returns
    -------
    float64[P]

    Examples
    --------
    >>> swapped_p_values(np.array([[1.0, 1.0], [1.0, -1.0]]), seed=1).tolist()
    [0.5, 1.0]
    """
    segments = len(added)
    draw, keys, add = ways_to_swap(segments, resamples, seed)
    swapped = np.empty((len(keys), segments))
    draw(keys, swapped)
    differences = added.sum(axis=0)
    # The last digits of a sum depend on the order of its terms.
    tolerance = 1e-9 * np.abs(added).sum(axis=0)
    swapped_differences = np.abs(differences - 2 * (swapped @ added))
    extreme = np.count_nonzero(swapped_differences >= np.abs(differences) - tolerance, axis=0)
    p_values: Float64 = (extreme + add) / (len(keys) + add)
    return p_values


def ways_to_swap(segments: int, resamples: int, seed: int) -> tuple[Draw, Int64, int]:
    """Choose between all ways to swap segments and random swaps.

    Returns
    -------
    draw, keys
        The function that swaps, and its argument for each resample.
    add : int
        1 for random swaps, which do not include the observed outcome; 0 for all ways to swap, which
        do.
    """
    if segments < int(check_resamples(resamples)).bit_length():
        return list_all_swaps, np.arange(1 << segments), 0
    return draw_random_swaps, resample_keys(resamples, seed), 1


def _count_extreme(
    measurement: Measurement, rounded: RoundedStatistics, swapped: Float64, extreme: Int64
) -> None:
    """Add to ``extreme[i, j]`` the number of swaps with at least the observed difference.

    ``swapped[b, i]`` is the sum of system ``i`` over the segments that resample ``b`` swaps.
    """
    totals = rounded.totals
    values = measurement.scores(rounded.values(totals))
    for first in range(measurement.systems - 1):
        changes = swapped[:, first + 1 :] - swapped[:, first, np.newaxis]
        first_scores = measurement.scores(rounded.values(totals[first] + changes))
        second_scores = measurement.scores(rounded.values(totals[first + 1 :] - changes))
        extreme[first, first + 1 :] += _count_extremes(
            (second_scores - first_scores).T,
            values[first + 1 :] - values[first],
            _tolerances(values, first),
        )


def _tolerances(values: Float64, first: int) -> Float64:
    """Return the tolerance within which each later system equals `first`, float64[n-first-1]."""
    return value_tolerance(np.maximum(np.abs(values[first + 1 :]), np.abs(values[first])))


def _count_extremes(samples: Float64, differences: Float64, tolerance: Float64) -> Int64:
    """Count the samples of each pair, float64[pairs, B], of at least its difference."""
    extreme = np.abs(samples) >= (np.abs(differences) - tolerance)[:, np.newaxis]
    return np.asarray(np.count_nonzero(extreme, axis=1))


def _format_marks(
    differences: Float64, significant_90: Bool, significant_95: Bool, higher_is_better: bool
) -> list[str]:
    """Format the mark of each pair as in Talbot's tables."""
    signs = np.where((differences > 0) == higher_is_better, "+", "-")
    stars = np.where(significant_95, "**", np.where(significant_90, "*", ""))
    return [f"{sign}{star}" if star else "0" for sign, star in zip(signs, stars, strict=True)]


def _pair_tests(
    first: int,
    differences: Float64,
    p_values: Float64,
    marks: list[str],
    bounds: Sequence[Bounds] | None,
) -> list[PairTest]:
    """Make the tests of system `first` and each later system."""
    tests = []
    for i, mark in enumerate(marks):
        at_90 = at_95 = None
        if bounds is not None:
            at_90, at_95 = ((float(low[i]), float(high[i])) for low, high in bounds)
        difference, p_value = float(differences[i]), float(p_values[i])
        tests.append(PairTest(first, first + 1 + i, difference, at_90, at_95, p_value, mark))
    return tests


@dataclass(frozen=True)
class PairTest:
    """The result of a test of two systems.

    Attributes
    ----------
    first, second : int
        Indices of the systems.
    difference : float
        The second system's value minus the first's.
    interval_90, interval_95 : (low, high) or None
        Intervals of the difference; None if the test has none.
    p_value : float in (0, 1]
        Two-sided: the probability of a difference at least this large by chance.
    mark : str
        ``+*`` if the second system is better at 90 %, ``+**`` at 95 %; ``-*`` and ``-**`` if it
        is worse; ``0`` if neither (the cells of Talbot et al. 2011, Tables 3-5).
    common : float, optional
        The share of the reference words that both systems match, if they are compared on these
        words only; None if all words count.
    """

    first: int
    second: int
    difference: float
    interval_90: tuple[float, float] | None
    interval_95: tuple[float, float] | None
    p_value: float
    mark: str
    common: float | None = None

    def mirrored(self) -> PairTest:
        """Return the same test with the two systems in reverse order."""
        bounds = _negate(self.interval_90), _negate(self.interval_95)
        reversed_pair = self.second, self.first, 0.0 - self.difference
        return PairTest(*reversed_pair, *bounds, self.p_value, MIRRORED[self.mark], self.common)


@dataclass(frozen=True)
class Comparison:
    """The systems of one measurement, tested pair by pair.

    Attributes
    ----------
    test : str
        ``bootstrap`` or ``randomization``.
    resamples, seed : int
        Number of resamples, and their seed.
    higher_is_better : bool
        The direction of the metric; marks already respect it.
    values : tuple of float
        The value of each system over all segments.
    pairs : tuple of PairTest
        All pairs with ``first < second``, sorted.
    """

    test: str
    resamples: int
    seed: int
    higher_is_better: bool
    values: tuple[float, ...]
    pairs: tuple[PairTest, ...]

    def pair(self, first: int, second: int) -> PairTest:
        """Return the test of two different systems in either order."""
        low, high = sorted((first, second))
        if not 0 <= low < high < len(self.values):
            raise IndexError(f"systems {first} and {second} of {len(self.values)}")
        # Rows of a triangle: n - 1 pairs with system 0, n - 2 with system 1, ...
        test = self.pairs[low * (2 * len(self.values) - low - 1) // 2 + high - low - 1]
        return test if first < second else test.mirrored()

    @property
    def test_name(self) -> str:
        """The name in prose of the test of p-values and marks."""
        return TEST_NAMES[self.test]

    def triangle(self) -> list[list[str]]:
        """Return the marks as rows of a triangle: row A compares the systems after A with A."""
        systems = range(len(self.values))
        return [[self.pair(a, b).mark for b in systems[a + 1 :]] for a in systems[:-1]]

    def ranked(self) -> list[int]:
        """Return the systems' indices, the best first, by the differences of pairs.

        Each system precedes those that it beats. If each pair is compared on its own words, systems
        may beat each other in a circle: pairs are then accepted in the order of significance at
        95 % and p-value unless they contradict earlier ones (ranked pairs, Tideman 1987). Pairs
        that are equal or not compared keep the order of `ranked_by_value`.

        Examples
        --------
        >>> pair = PairTest(0, 1, -0.1, None, None, 0.001, "-**", 0.9)
        >>> comparison = Comparison("bootstrap", 1000, 1, True, (0.4, 0.5), (pair,))
        >>> comparison.ranked(), comparison.ranked_by_value()
        ([0, 1], [1, 0])
        """
        order = self.ranked_by_value()
        if all(pair.common is None for pair in self.pairs):
            return order
        decided = []
        for pair in self.pairs:
            if not abs(pair.difference) < EQUAL and pair.mark != NOT_COMPARED:
                second_wins = (pair.difference > 0) == self.higher_is_better
                better, worse = (pair.first, pair.second)[:: -1 if second_wins else 1]
                significant = pair.mark.endswith("**")
                decided.append(
                    (not significant, pair.p_value, -abs(pair.difference), better, worse)
                )
        precedes = np.eye(len(order), dtype=np.bool_)
        for *_, better, worse in sorted(decided):
            if not precedes[worse, better]:
                # All systems up to `better` precede all systems from `worse` on.
                precedes |= precedes[:, better, np.newaxis] & precedes[worse]
        ranked: list[int] = []
        while order:
            first = next(system for system in order if precedes[order, system].sum() == 1)
            ranked.append(first)
            order.remove(first)
        return ranked

    def ranked_by_value(self) -> list[int]:
        """Return the systems' indices, the best value first; equal systems keep their order."""
        sign = -1.0 if self.higher_is_better else 1.0
        # Values that differ only by rounding are equal; NaN comes last.
        keys = [(math.isnan(value), sign * round(value, 12)) for value in self.values]
        return sorted(range(len(keys)), key=lambda system: keys[system])

    def scores_better(self, first: int, second: int) -> bool:
        """Return whether the first system has a better value, by more than rounding.

        Examples
        --------
        >>> comparison = Comparison("bootstrap", 1000, 1, True, (0.4, 0.5, 0.4), ())
        >>> [comparison.scores_better(*pair) for pair in ((1, 0), (0, 1), (0, 2))]
        [True, False, False]
        """
        gap = self.values[first] - self.values[second]
        return (gap if self.higher_is_better else -gap) >= EQUAL

    def beats(self) -> Bool:
        """Return whether the system of the row is better than that of the column at 95 %."""
        better = np.zeros((len(self.values), len(self.values)), np.bool_)
        for pair in self.pairs:
            better[pair.second, pair.first] = pair.mark == "+**"
            better[pair.first, pair.second] = pair.mark == "-**"
        return better


TEST_FUNCTIONS = {"bootstrap": paired_bootstrap, "randomization": approximate_randomization}


def _negate(bounds: tuple[float, float] | None) -> tuple[float, float] | None:
    """Return the interval of the opposite difference."""
    return None if bounds is None else (0.0 - bounds[1], 0.0 - bounds[0])


def holm(p_values: npt.ArrayLike) -> Float64:
    """Correct p-values for the number of tests (Holm 1979).

    With m tests, the smallest p-value is multiplied by m, the next by m - 1, and so on; a corrected
    value is at least the one before it, and at most 1. If corrected values up to .05 are called
    significant, the probability of any false claim among all m tests is at most 5 %, however the
    tests depend on each other.

    Parameters
    ----------
    p_values : float64[...]
        NaN for missing tests, as on the diagonal of a matrix of pairs; they are not counted.

    Returns
    -------
    float64[...]
        An array of the same shape.

    Raises
    ------
    UsageError
        If a value is not between 0 and 1.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    values = np.asarray(p_values, np.float64)
    is_tested = ~np.isnan(values)
    tested = values[is_tested]
    if ((tested < 0) | (tested > 1)).any():
        raise UsageError("p-values lie between 0 and 1")
    order = np.argsort(tested, kind="stable")
    scaled = tested[order] * np.arange(len(tested), 0, -1)
    corrected = np.full(values.shape, np.nan)
    unsorted = np.empty(len(tested))
    unsorted[order] = np.minimum(np.maximum.accumulate(scaled), 1.0)
    corrected[is_tested] = unsorted
    return corrected
