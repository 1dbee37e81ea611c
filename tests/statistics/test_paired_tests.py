"""Paired tests against slow twins and scipy; corrected p-values; ranks by what the tests tell."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from tests import oracles_statistics as oracle
from tests.oracles_statistics import ratio
from tests.refusing import refuses
from tests.threads import with_threads

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.statistics import measurement as resampling
from wordorder.statistics.measurement import Measurement, bootstrap_totals, resample_keys
from wordorder.statistics.paired_tests import (
    Comparison,
    PairTest,
    approximate_randomization,
    compare,
    holm,
    paired_bootstrap,
)
from wordorder.statistics.system_ranks import clusters, system_rank_ranges

Test = Callable[..., list[Comparison]]

BOTH = pytest.mark.parametrize("test", [paired_bootstrap, approximate_randomization])


def exact_ratio(totals: Sequence[Fraction]) -> Fraction:
    return totals[0] / totals[1]


def mean_of(segments: int) -> Callable[[Float64], Float64]:
    return lambda totals: totals[..., 0] / max(segments, 1)


def matches(random: np.random.Generator, rates: Sequence[float], segments: int) -> list[Float64]:
    lengths = random.integers(2, 20, segments)
    return [
        np.stack([random.binomial(lengths, rate), lengths], axis=1).astype(np.float64)
        for rate in rates
    ]


def chance_of_all_swaps(
    first: Sequence[Sequence[float | Fraction]],
    second: Sequence[Sequence[float | Fraction]],
    score: Callable[[Sequence[Fraction]], Fraction],
) -> Fraction:
    """Return the share of all ways to swap segments that differ as much as the real outputs."""

    def difference(swaps: Sequence[int]) -> Fraction:
        sides = first, second
        totals = [
            [
                sum(
                    (Fraction(sides[side ^ swap][row][k]) for row, swap in enumerate(swaps)),
                    Fraction(),
                )
                for k in range(len(first[0]))
            ]
            for side in (0, 1)
        ]
        return abs(score(totals[1]) - score(totals[0]))

    every = [difference(swaps) for swaps in product((0, 1), repeat=len(first))]
    return Fraction(sum(each >= every[0] for each in every), len(every))


@pytest.mark.parametrize("better", [0.5, 0.55, 0.6, 0.65, 0.4])
@pytest.mark.parametrize("segments", [2, 10, 40])
def test_both_tests_equal_the_oracle(better: float, segments: int) -> None:
    systems = matches(np.random.default_rng(segments), [0.5, better], segments)
    first, second = (system.tolist() for system in systems)
    measured = Measurement(systems, score=ratio)
    keys = resample_keys(100, 7).tolist()
    (bootstrap,) = paired_bootstrap([measured], resamples=100, seed=7)
    p_value, mark = oracle.bootstrap_test(first, second, exact_ratio, keys)
    assert bootstrap.pairs[0].p_value == float(p_value)
    assert bootstrap.pairs[0].mark == mark
    (randomization,) = approximate_randomization([measured], resamples=100, seed=7)
    # Two segments can be swapped in four ways, all of which are tried.
    p_value = (
        chance_of_all_swaps(first, second, exact_ratio)
        if segments == 2
        else oracle.randomization_test(first, second, exact_ratio, keys)
    )
    assert randomization.pairs[0].p_value == float(p_value)
    assert randomization.resamples == (4 if segments == 2 else 100)


def test_equal_differences_count_however_the_statistics_round() -> None:
    """With 1/3 three times against 1 once, most swaps tie with the real difference."""
    first = [[1.0], [1 / 3], [1 / 3], [1 / 3], [0.1], [0.2]]
    second = [[0.0], [0.0], [0.0], [0.0], [0.3], [0.0]]
    thirds = [[Fraction(1)]] + [[Fraction(1, 3)]] * 3 + [[Fraction(1, 10)], [Fraction(2, 10)]]
    tenths = [[Fraction(0)]] * 4 + [[Fraction(3, 10)], [Fraction(0)]]
    wanted = chance_of_all_swaps(thirds, tenths, lambda totals: totals[0])
    measured = Measurement([first, second], score=mean_of(1))
    (found,) = approximate_randomization([measured], resamples=300, seed=1)
    assert found.pairs[0].p_value == float(wanted)


@BOTH
@pytest.mark.parametrize("noise", [0.0, 1e-12])
def test_identical_systems_and_noise_below_the_resolution(test: Test, noise: float) -> None:
    system = np.random.default_rng(1).random((30, 1))
    systems = [system, system + noise, system]
    (found,) = test([Measurement(systems, score=mean_of(30))], resamples=200)
    for pair in found.pairs:
        assert (pair.p_value, pair.mark) == (1.0, "0")
        assert noise or pair.difference == 0.0
        if test is paired_bootstrap and not noise:
            assert pair.interval_90 == pair.interval_95 == (0.0, 0.0)


@BOTH
@pytest.mark.parametrize("segments", [0, 1])
def test_one_segment_or_none_says_nothing(test: Test, segments: int) -> None:
    systems = [np.full((segments, 1), value) for value in (1 / 3, 0.7)]
    (found,) = test([Measurement(systems, score=mean_of(segments))], resamples=50)
    (pair,) = found.pairs
    assert (pair.p_value, pair.mark) == (1.0, "0")
    assert pair.difference == pytest.approx(segments * (0.7 - 1 / 3))
    if test is paired_bootstrap:
        assert pair.interval_90 == pair.interval_95 == (pair.difference, pair.difference)


@BOTH
def test_p_is_never_0(test: Test) -> None:
    random = np.random.default_rng(3)
    systems = [random.random((100, 1)), random.random((100, 1)) + 5]
    (found,) = test([Measurement(systems, score=mean_of(100))], resamples=99)
    assert found.pairs[0].p_value == 0.01
    assert found.pairs[0].mark == "+**"


@BOTH
def test_a_metric_where_lower_is_better(test: Test) -> None:
    systems = matches(np.random.default_rng(4), [0.3, 0.6], 100)
    (high,), (low,) = (
        test([Measurement(systems, score=ratio, higher_is_better=higher)], resamples=99)
        for higher in (True, False)
    )
    assert (high.pairs[0].mark, low.pairs[0].mark) == ("+**", "-**")
    assert high.pairs[0].difference == low.pairs[0].difference > 0
    assert high.beats().tolist() == [[False, False], [True, False]]
    assert low.beats().tolist() == [[False, True], [False, False]]


@BOTH
def test_all_pairs_of_all_metrics_at_once_equal_each_alone(test: Test) -> None:
    random = np.random.default_rng(5)
    systems = matches(random, [0.5, 0.5, 0.55, 0.6], 60)
    others = [random.random((60, 1)) for _ in range(3)]
    measured = [
        Measurement(systems, score=ratio),
        Measurement(others, score=mean_of(60), higher_is_better=False),
    ]
    together = test(measured, resamples=200, seed=6)
    for one, found in zip(measured, together, strict=True):
        size = one.systems
        indices = [(pair.first, pair.second) for pair in found.pairs]
        assert indices == [(a, b) for a in range(size) for b in range(a + 1, size)]
        for a, b in indices:
            pair = Measurement(one.statistics[[a, b]], one.score, one.higher_is_better)
            (alone,) = test([pair], resamples=200, seed=6)
            assert found.pair(a, b).p_value == alone.pairs[0].p_value
            assert found.pair(a, b).mark == alone.pairs[0].mark
            assert found.pair(a, b).difference == alone.pairs[0].difference


@BOTH
def test_a_pair_reads_the_same_in_either_order(test: Test) -> None:
    systems = matches(np.random.default_rng(6), [0.5, 0.7], 60)
    (found,) = test([Measurement(systems, score=ratio)], resamples=200)
    (swapped,) = test([Measurement(systems[::-1], score=ratio)], resamples=200)
    assert found.pair(1, 0).mark == swapped.pair(0, 1).mark == "-**"
    assert found.pair(1, 0).p_value == swapped.pair(0, 1).p_value
    assert found.pair(1, 0).difference == swapped.pair(0, 1).difference
    for level in ("interval_90", "interval_95"):
        mirrored, direct = getattr(found.pair(1, 0), level), getattr(swapped.pair(0, 1), level)
        assert mirrored == pytest.approx(direct)
    assert found.pair(1, 0).mirrored() == found.pairs[0]


@BOTH
def test_pairs_that_do_not_exist(test: Test) -> None:
    (found,) = test([Measurement(np.ones((3, 2, 1)), mean_of(2))], resamples=9)
    for first, second in ((0, 0), (0, 3), (-1, 2)):
        refuses(IndexError, "of 3", found.pair, first, second)
    (one,) = test([Measurement(np.ones((1, 5, 1)), mean_of(5))], resamples=9)
    assert (one.pairs, one.triangle(), one.values) == ((), [], (1.0,))


@BOTH
def test_seeds_threads_and_blocks(test: Test, monkeypatch: pytest.MonkeyPatch) -> None:
    systems = [np.random.default_rng(i).random((3000, 1)) for i in (7, 8)]
    measured = [Measurement(systems, score=mean_of(3000))]
    found = with_threads(lambda: test(measured, resamples=200, seed=1), 1, 2, 8)
    monkeypatch.setattr(resampling, "RESAMPLED_NUMBERS", 10_000)
    found.append(test(measured, resamples=200, seed=1))
    assert all(one == found[0] for one in found)
    assert test(measured, resamples=200, seed=2) != found[0]


def test_intervals_are_those_of_the_difference() -> None:
    systems = matches(np.random.default_rng(9), [0.5, 0.55], 60)
    (found,) = paired_bootstrap([Measurement(systems, score=ratio)], resamples=200, seed=3)
    one, two = (ratio(bootstrap_totals(s, resamples=200, seed=3)) for s in systems)
    differences = np.sort(two - one)
    assert found.pairs[0].interval_90 == (differences[10], differences[189])
    assert found.pairs[0].interval_95 == (differences[5], differences[194])


def test_agrees_with_an_exact_permutation_test() -> None:
    random = np.random.default_rng(10)
    one, two = random.random(9), random.random(9) + 0.2
    exact = stats.permutation_test(
        (one, two), lambda a, b: np.mean(a) - np.mean(b), permutation_type="samples"
    )
    systems = [one[:, np.newaxis], two[:, np.newaxis]]
    (found,) = approximate_randomization([Measurement(systems, score=mean_of(9))], resamples=50_000)
    error = np.sqrt(exact.pvalue * (1 - exact.pvalue) / 50_000)
    assert 0.01 < exact.pvalue < 0.9
    assert found.pairs[0].p_value == pytest.approx(exact.pvalue, abs=4 * error)


def test_the_bootstrap_approaches_the_t_test() -> None:
    random = np.random.default_rng(11)
    one = random.normal(0.5, 0.1, 400)
    two = one + random.normal(0.008, 0.08, 400)
    wanted = stats.ttest_rel(one, two).pvalue
    measured = Measurement([one[:, np.newaxis], two[:, np.newaxis]], score=mean_of(400))
    (found,) = paired_bootstrap([measured], resamples=20_000)
    assert 0.01 < wanted < 0.2
    assert found.pairs[0].p_value == pytest.approx(wanted, abs=0.01)


@BOTH
def test_false_positives_are_as_rare_as_promised(test: Test) -> None:
    """A system against itself, labels swapped at random, 1,000 times."""
    random = np.random.default_rng(12)
    segments = 150
    p_values, marked = [], 0
    for trial in range(1000):
        outputs = random.beta(5, 2, (2, segments))
        swapped = random.random(segments) < 0.5
        labelled = np.where(swapped, outputs[::-1], outputs)[:, :, np.newaxis]
        measured = Measurement(labelled, score=mean_of(segments))
        (found,) = test([measured], resamples=499, seed=trial)
        p_values.append(found.pairs[0].p_value)
        marked += found.pairs[0].mark in ("+**", "-**")
    low, high = stats.binom.interval(0.99, 1000, 0.05)
    assert low <= sum(p <= 0.05 for p in p_values) <= high
    assert low <= marked <= high
    low, high = stats.binom.interval(0.99, 1000, 0.5)
    assert low <= sum(p <= 0.5 for p in p_values) <= high


def test_compare_finds_the_tests_by_name() -> None:
    systems = matches(np.random.default_rng(13), [0.5, 0.6], 30)
    measured = [Measurement(systems, score=ratio)]
    assert compare(measured, test="bootstrap", seed=2) == paired_bootstrap(measured, seed=2)
    assert compare(measured, test="bootstrap", resamples=50) == paired_bootstrap(
        measured, resamples=50
    )
    assert compare(measured, test="randomization") == approximate_randomization(measured)
    assert compare(measured, test="bootstrap")[0].resamples == 1000
    assert compare(measured, test="randomization")[0].resamples == 10_000


@pytest.mark.parametrize("segments", [30, 99, 100])
def test_few_segments_are_judged_by_randomization(segments: int) -> None:
    """By default; the intervals are those of the bootstrap all the same."""
    systems = matches(np.random.default_rng(13), [0.5, 0.6], segments)
    measured = [Measurement(systems, score=ratio)]
    ((bootstrap,), (randomization,)) = (
        test(measured, seed=2)[0].pairs for test in (paired_bootstrap, approximate_randomization)
    )
    ((found,),) = (compared.pairs for compared in compare(measured, seed=2))
    if segments == 100:
        assert found == bootstrap
        return
    assert (found.p_value, found.mark) == (randomization.p_value, randomization.mark)
    assert found.interval_95 == bootstrap.interval_95
    assert found.interval_90 == bootstrap.interval_90
    assert compare(measured, resamples=50)[0].resamples == 50


def test_two_segments_show_nothing() -> None:
    measured = [Measurement([[[0.0]] * 2, [[1.0]] * 2], score=mean_of(2))]
    (found,) = compare(measured)[0].pairs
    assert (found.p_value, found.mark) == (0.5, "0")


def test_bad_calls() -> None:
    measured = [Measurement(np.ones((2, 3, 1)), mean_of(3))]
    refuses(UsageError, "did you mean 'bootstrap'", compare, measured, test="bootstrp")
    refuses(UsageError, "at least 1 resample", compare, measured, resamples=0)
    for test in (paired_bootstrap, approximate_randomization):
        refuses(UsageError, "no measurement", test, [])
    refuses(UsageError, "p-values", holm, [1.5])


# -- multiple comparisons.


def by_stepping_down(p_values: list[float], level: float) -> set[int]:
    """Holm (1979) as he wrote it: reject the smallest while it is at most level / (number left)."""
    left = set(range(len(p_values)))
    rejected: set[int] = set()
    while left:
        smallest = min(left, key=lambda i: p_values[i])
        if p_values[smallest] > level / len(left):
            break
        left.remove(smallest)
        rejected.add(smallest)
    return rejected


# Eighths: their products with small whole numbers are exact.
@given(st.lists(st.integers(0, 256).map(lambda i: i / 256), max_size=9))
def test_corrected_values_reject_what_holm_rejects(p_values: list[float]) -> None:
    corrected = holm(p_values)
    for level in (1 / 64, 1 / 8, 1 / 2):
        alive = by_stepping_down(p_values, level)
        # A p-value that equals one which is rejected may come later in his order.
        ties = {i for i, p in enumerate(p_values) if p in {p_values[j] for j in alive}}
        assert alive <= {i for i, p in enumerate(corrected) if p <= level}
        assert {i for i, p in enumerate(corrected) if p <= level} <= alive | ties


def test_holes_are_not_counted() -> None:
    matrix = np.array([[np.nan, 0.02], [0.5, np.nan]])
    assert holm(matrix).tolist()[0][1] == 0.04
    assert np.isnan(holm(matrix).diagonal()).all()
    assert holm([]).tolist() == []


# -- ranks of systems that were compared.


def comparison(values: list[float], marks: list[str], higher_is_better: bool = True) -> Comparison:
    """A comparison with the given marks, pair by pair as the rows of the triangle."""
    size = len(values)
    indices = [(a, b) for a in range(size) for b in range(a + 1, size)]
    pairs = tuple(
        PairTest(a, b, values[b] - values[a], None, None, 0.5, mark)
        for (a, b), mark in zip(indices, marks, strict=True)
    )
    return Comparison("bootstrap", 100, 1, higher_is_better, tuple(values), pairs)


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    """Marks that agree with the values, as tests give them; otherwise any."""
    values = draw(st.lists(st.integers(0, 9).map(float), min_size=1, max_size=6))
    higher = draw(st.booleans())
    marks = []
    for a, one in enumerate(values):
        for two in values[a + 1 :]:
            stars = draw(st.sampled_from(["", "*", "**", "**"])) if one != two else ""
            sign = "+" if (two > one) == higher else "-"
            marks.append(sign + stars if stars else "0")
    return comparison(values, marks, higher)


@pytest.mark.parametrize(
    ("values", "marks", "higher", "order", "ranges", "parts"),
    [
        pytest.param(
            *([0.5, 0.8, 0.52], ["+**", "+*", "-**"], True),
            *([1, 2, 0], [(2, 3), (1, 1), (2, 3)], [(1,), (2, 0)]),
            id="three systems in two clusters",
        ),
        # The best beats the worst, and the middle one is like both.
        pytest.param(
            *([0.9, 0.8, 0.7], ["0", "-**", "0"], True),
            *([0, 1, 2], [(1, 2), (1, 3), (2, 3)], [(0, 1, 2)]),
            id="ranges that tell more than one cluster",
        ),
        pytest.param(
            *([0.9, 0.1], ["+**"], False, [1, 0], [(2, 2), (1, 1)], [(1,), (0,)]),
            id="lower values first",
        ),
        *(
            ([0.5] * 3, ["0"] * 3, higher, [0, 1, 2], [(1, 3)] * 3, [(0, 1, 2)])
            for higher in (True, False)
        ),
        pytest.param([0.5], [], True, [0], [(1, 1)], [(0,)], id="one system"),
    ],
)
def test_ranks_and_clusters(
    values: list[float], marks: list[str], higher: bool, order: Any, ranges: Any, parts: Any
) -> None:
    found = comparison(values, marks, higher)
    assert (found.ranked(), system_rank_ranges(found), clusters(found)) == (order, ranges, parts)


def test_the_triangle_has_a_row_for_all_but_the_last() -> None:
    found = comparison([1.0, 2.0, 3.0], ["+*", "+**", "0"])
    assert found.triangle() == [["+*", "+**"], ["0"]]


@given(comparisons())
def test_clusters_are_the_finest_allowed_partition(found: Comparison) -> None:
    finest = oracle.finest(found.ranked(), lambda a, b: found.pair(a, b).mark == "-**")
    assert clusters(found) == finest


@given(st.data(), st.integers(2, 5))
def test_the_ranking_follows_pairs_on_common_words(data: st.DataObject, size: int) -> None:
    marks = st.sampled_from(["0", "+*", "+**", "-*", "-**"])
    pairs = []
    for a, b in combinations(range(size), 2):
        mark = data.draw(marks)
        difference = data.draw(st.integers(-2, 2)) if mark == "0" else float(f"{mark[0]}1")
        p_value = data.draw(st.sampled_from([0.1, 0.5, 1.0])) if mark[1:] != "**" else 0.01
        pairs.append(PairTest(a, b, difference, None, None, p_value, mark, 0.5))
    found = Comparison("bootstrap", 100, 1, True, tuple(range(size)), tuple(pairs))
    ranked = found.ranked()
    assert sorted(ranked) == list(range(size))
    # No system is directly after one that it beats.
    assert all(found.pair(worse, better).difference >= 0 for better, worse in pairwise(ranked))
    # Some order contradicts no mark: then neither does the ranking; and the same of differences.
    for allowed in ({"+**"}, {"+*", "+**", ""}):
        contradicted = {
            order: any(
                found.pair(*two).difference > 0
                and found.pair(*two).mark.replace("0", "") in allowed
                for two in combinations(order, 2)
            )
            for order in permutations(range(size))
        }
        assert not contradicted[tuple(ranked)] or all(contradicted.values())


def test_the_weakest_pair_of_a_circle_gives_way() -> None:
    """Tideman (1987): the pair that is locked in last would close the circle."""
    circle = [(0, 1, -1.0, 0.01, "-**"), (0, 2, 3.0, 0.2, "0"), (1, 2, -2.0, 0.03, "-**")]
    pairs = tuple(PairTest(a, b, d, None, None, p, mark, 0.5) for a, b, d, p, mark in circle)
    found = Comparison("bootstrap", 100, 1, True, (0.1, 0.2, 0.3), pairs)
    assert found.ranked() == [0, 1, 2]
    assert found.ranked_by_value() == [2, 1, 0]
    # Of own words there is no circle.
    own = replace(found, pairs=tuple(replace(pair, common=None) for pair in pairs))
    assert own.ranked() == [2, 1, 0]


@given(comparisons())
def test_rank_ranges_count_the_better_and_the_worse(found: Comparison) -> None:
    size = len(found.values)
    for system, (best, worst) in enumerate(system_rank_ranges(found)):
        marks = [found.pair(system, other).mark for other in range(size) if other != system]
        assert best == 1 + marks.count("+**")
        assert worst == size - marks.count("-**")
