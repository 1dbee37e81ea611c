"""Coefficients against scipy, printed values, loops over pairs and recursions; by name, too."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, strategies as st
from tests import oracles_correlation as oracle
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.judgement import (
    PairCounts,
    acc_eq,
    coefficient,
    critical_correlation,
    fisher_interval,
    judged_pairs,
    kendall,
    pair_counts,
    pairwise_accuracy,
    pearson,
    pooled_accuracy,
    soft_pairwise_accuracy,
    spearman,
    tau_of_counts,
)
from wordorder.statistics.coefficients import VARIANTS
from wordorder.statistics.grouped_correlation import concatenate_groups, grouped
from wordorder.statistics.named_statistics import COEFFICIENTS
from wordorder.statistics.pair_counts import SORTED_GROUP, counts_of_groups

# Printed by the tests of mt-metrics-eval (stats_test.py).
GOLD, METRIC = [1, 2, 2, 3, 4], [2, 1, 1.5, 5, 3]
GOLD_6 = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]
METRIC_6 = [[2.0, 1.0, 4.0], [3.0, 3.0, 7.0]]
SIZES = [2, 3, 5, 63, 64, 65, SORTED_GROUP - 1, SORTED_GROUP, SORTED_GROUP + 1, 700]


def drawn(size: int, kind: str, seed: int = 0) -> tuple[Float64, Float64]:
    generator = np.random.default_rng([size, seed])
    x, noise = generator.normal(size=(2, size))
    y = x + noise
    if kind == "ties":
        return x.round(), y.round(1)
    return (x, y) if kind == "plain" else (1e6 + x, y * 1e-200)


@pytest.mark.parametrize("kind", ["plain", "ties", "far"])
@pytest.mark.parametrize("size", SIZES)
def test_coefficients_are_those_of_scipy(size: int, kind: str) -> None:
    x, y = drawn(size, kind)
    if size == 2 and kind == "ties":
        x, y = np.array([1.0, 2.0]), np.array([3.0, 1.0])
    wide = y * 1e200 if kind == "far" else y
    assert pearson(x, y) == pytest.approx(scipy.stats.pearsonr(x, wide)[0], abs=1e-12, rel=0)
    assert spearman(x, y) == pytest.approx(scipy.stats.spearmanr(x, y)[0], abs=1e-12, rel=0)
    for variant in ("b", "c"):
        expected = scipy.stats.kendalltau(x, y, variant=variant)[0]
        assert kendall(x, y, variant) == pytest.approx(expected, abs=1e-12, rel=0)
    assert kendall(x, y) == kendall(x, y, "b") == kendall(x, y, variant="b")


@pytest.mark.parametrize("by", ["item", "system"])
def test_means_over_groups_are_those_of_scipy(by: str) -> None:
    generator = np.random.default_rng(3)
    metric, human = generator.integers(0, 6, (2, 6, 9)).astype(float)
    metric[generator.random(metric.shape) < 0.2] = np.nan
    human[generator.random(metric.shape) < 0.2] = np.nan
    metric[:, 4] = 1.0  # a segment without a coefficient
    metric[1:, 7] = np.nan  # a segment of one output
    expected: dict[str, list[float]] = {"pearson": [], "spearman": [], "b": [], "c": []}
    for group in oracle.groups(metric.tolist(), human.tolist(), by):
        x, y = zip(*group, strict=True) if group else ((), ())
        if len(set(x)) > 1 and len(set(y)) > 1:
            expected["pearson"].append(scipy.stats.pearsonr(x, y)[0])
            expected["spearman"].append(scipy.stats.spearmanr(x, y)[0])
            for variant in ("b", "c"):
                expected[variant].append(scipy.stats.kendalltau(x, y, variant=variant)[0])
    assert len(expected["b"]) > 4
    found = {"pearson": pearson(metric, human, by), "spearman": spearman(metric, human, by)}
    found |= {variant: kendall(metric, human, variant, by) for variant in ("b", "c")}
    for name, values in expected.items():
        assert found[name] == pytest.approx(np.mean(values), abs=1e-12, rel=0), name


@pytest.mark.parametrize(
    ("by", "r", "tau", "tau_c"),
    [("none", 0.776, 0.552, 0.556), ("system", 0.760, 0.575, 0.611), ("item", 1.0, 1.0, 1.0)],
)
def test_printed_values(by: str, r: float, tau: float, tau_c: float) -> None:
    assert pearson(METRIC_6, GOLD_6, by) == pytest.approx(r, abs=5e-4)
    assert kendall(METRIC_6, GOLD_6, "b", by) == pytest.approx(tau, abs=5e-4)
    assert kendall(METRIC_6, GOLD_6, "c", by) == pytest.approx(tau_c, abs=5e-4)


def test_printed_values_of_the_variants() -> None:
    assert kendall(METRIC, GOLD) == pytest.approx(0.316227766, abs=5e-10)
    assert kendall(METRIC, GOLD, "c") == pytest.approx(0.32, abs=1e-15)
    assert kendall(METRIC, GOLD, "23") == 0.2
    assert pairwise_accuracy(METRIC, GOLD) == 0.6
    # Pairs of direct assessments that differ by 25 or more, and by 1 or more.
    assert kendall([2, 1, 4, 3], [10, 11, 100, 150], "17") == 3 / 5
    assert kendall([2, 1, 4, 3], [10, 11, 100, 150], "17", least=1) == 2 / 6
    assert kendall([2, 1, 4, 3], [10.0, np.nan, 100, 150], "17", least=1) == 1 / 3
    assert kendall([[2, 1], [4, 3]], [[10.0, np.nan], [100.0, 150.0]], "17", "item", least=1) == 1
    assert pairwise_accuracy([1, 1, 2, 1, 2], [1, 2, 3, 3, 4]) == 5 / 10


def test_worked_taus_of_wmt() -> None:
    counts = PairCounts(concordant=3, discordant=1, metric_ties=1, human_ties=7, both_ties=5)
    found = [tau_of_counts(counts, each) for each in ("10", "13", "14", "17")]
    assert found == [0.2, 0.5, 0.4, 0.2]
    assert tau_of_counts(counts, "23") == (3 + 5 - 1 - 1 - 7) / 17
    assert tau_of_counts(counts, "a") == (3 - 1) / 17


@given(
    st.lists(st.tuples(st.integers(0, 5), st.sampled_from([0, 10, 25, 40, 70, 75])), min_size=1),
    st.sampled_from([0.0, 1.0, 1.5]),
)
def test_counts_are_those_of_the_loop(pairs: list[tuple[int, int]], threshold: float) -> None:
    metric, human = (list(map(float, each)) for each in zip(*pairs, strict=True))
    group = list(zip(metric, human, strict=True))
    for least in (0.0, 25.0):
        counts = counts_of_groups(grouped(metric, human), threshold=threshold, least=least)
        assert counts.tolist() == [oracle.kinds(group, threshold, least)]
        found = pair_counts(metric, human, threshold=threshold, least=least)
        assert found.total == counts.sum()
    for variant, tie, least in (("10", -1, 0), ("13", None, 0), ("14", 0, 0), ("17", -1, 25)):
        try:
            expected = float(oracle.wmt_tau(group, tie, least))
        except ZeroDivisionError:
            assert np.isnan(kendall(metric, human, variant))
        else:
            assert kendall(metric, human, variant) == expected


@pytest.mark.parametrize(
    "size", [SORTED_GROUP - 1, SORTED_GROUP, SORTED_GROUP + 1, SORTED_GROUP + 2]
)
def test_sorting_counts_as_the_loop_does(size: int) -> None:
    metric, human = drawn(size, "ties")
    group = list(zip(metric.tolist(), human.tolist(), strict=True))
    assert counts_of_groups(grouped(metric, human)).tolist() == [oracle.kinds(group)]


def test_large_groups_beside_small_ones() -> None:
    small, large = drawn(5, "ties"), drawn(SORTED_GROUP + 7, "ties")
    counts = counts_of_groups(
        concatenate_groups([grouped(*small), grouped(*large), grouped([], [])])
    )
    alone = [counts_of_groups(grouped(*each))[0].tolist() for each in (small, large)]
    assert counts.tolist() == [*alone, [0] * 5]


def test_counts_are_summed_over_segments_and_language_pairs() -> None:
    metric = [[1.0, 1.0], [2.0, 2.0], [3.0, np.nan]]
    human = [[1.0, 5.0], [2.0, 1.0], [3.0, 7.0]]
    # Segment 1: three pairs right; segment 2: one pair wrong.
    assert kendall(metric, human, "14", "item") == (3 - 1) / 4
    assert kendall(metric, human, "b", "item") == (1 - 1) / 2
    assert judged_pairs([3, 2, 1, np.nan], [1, 2, 5, 0]) == PairCounts(1, 1, 1)
    sets = [([1, 2, 3], [1, 2, 3]), ([1, 2], [2, 1])]
    counts = list(itertools.starmap(pair_counts, sets))
    assert pooled_accuracy(counts) == 3 / 4
    assert np.isnan(pooled_accuracy([]))


@pytest.mark.parametrize(
    ("metric", "human"),
    [
        *(([], []), ([1], [2]), ([1, 1, 1], [1, 2, 3]), ([1, 2], [3, 3]), ([1, np.nan], [1, 2])),
        # The mean of equal numbers is often not that number; the rest would be noise.
        ([0.1] * 15, list(range(15))),
    ],
)
def test_what_is_not_defined_is_nan(metric: list[float], human: list[float]) -> None:
    assert np.isnan(pearson(metric, human))
    assert np.isnan(spearman(metric, human))
    assert np.isnan(kendall(metric, human))
    assert np.isnan(kendall(metric, human, "c"))


def test_bad_scores_are_refused() -> None:
    refuses(UsageError, r"shape \(2,\), people's \(3,\)", pearson, [1, 2], [1, 2, 3])
    refuses(UsageError, "infinite", spearman, [1, np.inf], [1, 2])
    refuses(UsageError, "infinite", pearson, [np.inf, 1], [-np.inf, 2])
    refuses(UsageError, r"\[systems, segments\], got shape \(2,\)", pearson, [1, 2], [1, 2], "item")
    refuses(UsageError, "unknown value for by 'sys'", pearson, [1, 2], [1, 2], "sys")
    refuses(UsageError, "unknown value for variant 'd'", kendall, [1, 2], [1, 2], "d")
    refuses(UsageError, "legal names: 10, 13, 14, 17, 23, a, b", tau_of_counts, PairCounts(1), "c")
    refuses(UsageError, r"shape \(2,\) and \(3,\) are no pairs", judged_pairs, [1, 2], [1, 2, 3])
    refuses(UsageError, "infinite", judged_pairs, [np.inf], [np.inf])
    for wrong in (-1.0, float("nan")):
        with pytest.raises(UsageError, match="threshold must not be negative"):
            pair_counts([1, 1, 2], [1, 2, 2], threshold=wrong)
        with pytest.raises(UsageError, match="least difference must not be negative"):
            pair_counts([1, 1, 2], [1, 2, 2], least=wrong)
    refuses(UsageError, "too large", pearson, [-1.7e308, 0.0, 1.7e308], [1, 2, 3])


# -- Intervals of coefficients and their critical values, against scipy, simulation and tables.


@pytest.mark.parametrize("size", [4, 5, 13, 500])
@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_pearson_is_that_of_scipy(size: int, level: float) -> None:
    x, y = np.random.default_rng(size).normal(size=(2, size))
    found = scipy.stats.pearsonr(x, x + y)
    expected = found.confidence_interval(level)
    assert fisher_interval(found.statistic, size, level) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("statistic", "variance"), [("spearman", 1.32 / 9), ("kendall", 0.437 / 8)]
)
def test_variances_of_ranks(statistic: str, variance: float) -> None:
    low, high = fisher_interval(0.8, 12, 0.95, statistic)
    reach = 1.959963984540054 * math.sqrt(variance)
    assert math.atanh(high) - math.atanh(0.8) == pytest.approx(reach, rel=1e-9)
    assert math.atanh(0.8) - math.atanh(low) == pytest.approx(reach, rel=1e-9)


@pytest.mark.parametrize("rho", [0.0, 0.6, 0.9])
def test_intervals_hold_the_true_value_as_often_as_they_say(rho: float) -> None:
    """Bivariate normal scores, whose three true coefficients are known."""
    truth: dict[str, tuple[Callable[..., float], float]] = {
        "pearson": (pearson, rho),
        "spearman": (spearman, 6 / math.pi * math.asin(rho / 2)),
        "kendall": (kendall, 2 / math.pi * math.asin(rho)),
    }
    size, runs = 20, 400
    x, noise = np.random.default_rng(5).normal(size=(2, runs, size))
    y = rho * x + math.sqrt(1 - rho * rho) * noise
    for name, (statistic, true) in truth.items():
        intervals = [
            fisher_interval(statistic(a, b), size, 0.95, name) for a, b in zip(x, y, strict=True)
        ]
        covered = sum(low <= true <= high for low, high in intervals) / runs
        assert 0.92 <= covered <= 0.985, name


def test_the_ends() -> None:
    assert fisher_interval(0.9, 3) == (-1, 1)
    assert fisher_interval(0.9, 4, statistic="kendall") == (-1, 1)
    assert fisher_interval(1.0, 9) == (1, 1)
    assert fisher_interval(-1, 9, statistic="spearman") == (-1, -1)
    assert all(math.isnan(bound) for bound in fisher_interval(math.nan, 9))
    for r, level in ((1.1, 0.95), (0.5, 0.0), (0.5, 1.0), (0.5, 95.0)):
        with pytest.raises(UsageError):
            fisher_interval(r, 9, level)
    with pytest.raises(UsageError, match="unknown value for statistic 'acc-eq'"):
        fisher_interval(0.5, 9, 0.95, "acc-eq")


def test_critical_pearson_is_that_of_students_t() -> None:
    for size in (3, 6, 13, 100):
        for level in (0.9, 0.95, 0.99):
            t = scipy.stats.t.ppf((1 + level) / 2, size - 2)
            expected = t / math.sqrt(size - 2 + t * t)
            assert critical_correlation(size, level) == pytest.approx(expected, abs=1e-12)
    assert f"{critical_correlation(6):.2f}" == "0.81"


def test_critical_values_of_printed_tables() -> None:
    """Two-sided, 5 %: Zar (1972) for Spearman's coefficient, Kaarsemaker and van Wijngaarden (1953)
    for Kendall's tau.
    """
    spearman_table = [1.0, 0.886, 0.786, 0.738, 0.700, 0.648, 0.618, 0.587]
    kendall_table = [1.0, 0.867, 0.714, 0.643, 0.556, 0.511, 0.491, 0.455]
    for size, (rho, tau) in enumerate(zip(spearman_table, kendall_table, strict=True), start=5):
        assert critical_correlation(size, statistic="spearman") == pytest.approx(rho, abs=6e-4)
        assert critical_correlation(size, statistic="kendall") == pytest.approx(tau, abs=6e-4)
    for size in (13, 40):
        assert critical_correlation(size, statistic="spearman") == critical_correlation(size)
    exact = critical_correlation(100, statistic="kendall")
    assert critical_correlation(101, statistic="kendall") == pytest.approx(exact, abs=3e-3)


@pytest.mark.parametrize(("statistic", "enough"), [("pearson", 3), ("spearman", 5), ("kendall", 5)])
def test_too_few_systems_for_any_coefficient(statistic: str, enough: int) -> None:
    assert critical_correlation(enough - 1, statistic=statistic) == math.inf
    assert critical_correlation(enough, statistic=statistic) <= 1


# -- Coefficients by name: the value of the function, and what it rests on.


TABLE = np.array([[1, 4, 2, np.nan, 7], [2, 3, 9, 1, 7], [3, 1, 5, np.nan, 7.0]])
PEOPLE = np.array([[1, 70, 3, 5, 1], [2, 30, 2, 4, 2], [0, np.nan, 1, 3, 3.0]])


@pytest.mark.parametrize("by", ["none", "item", "system"])
def test_values_are_those_of_the_functions(by: str) -> None:
    expected = {"pearson": pearson(TABLE, PEOPLE, by), "spearman": spearman(TABLE, PEOPLE, by)}
    expected |= {f"kendall-{each}": kendall(TABLE, PEOPLE, each, by) for each in VARIANTS}
    expected["acc-eq"] = acc_eq(TABLE, PEOPLE, by).value
    for name, value in expected.items():
        assert coefficient(name, TABLE, PEOPLE, by).value == value, name
    assert coefficient("kendall", TABLE, PEOPLE, by) == coefficient("kendall-b", TABLE, PEOPLE, by)
    assert set(COEFFICIENTS) == {*expected, "accuracy", "spa", "pce"}


def test_accuracy_confidence_and_unknown_names() -> None:
    assert coefficient("accuracy", TABLE, PEOPLE).value == pairwise_accuracy(TABLE, PEOPLE)
    soft = soft_pairwise_accuracy(TABLE, PEOPLE, 7)
    assert coefficient("spa", TABLE, PEOPLE, seed=7).value == soft
    assert coefficient("pce", TABLE, PEOPLE, seed=7).value == 1 - soft
    with pytest.raises(UsageError, match=r"unknown statistic 'kendal-b' \(did you mean 'kendall-b"):
        coefficient("kendal-b", TABLE, PEOPLE)


def test_what_they_rest_on() -> None:
    # By segment: the fourth has one output with both scores, in the fifth the metric ties all.
    found = coefficient("pearson", TABLE, PEOPLE, "item")
    assert (found.n, found.groups, found.left_out) == (3 + 2 + 3, 3, 2)
    ties = coefficient("acc-eq", TABLE, PEOPLE, "item")
    assert (ties.n, ties.groups, ties.left_out) == (3 + 2 + 3 + 3, 4, 1)
    assert ties.threshold == acc_eq(TABLE, PEOPLE, "item").threshold
    pooled = coefficient("kendall-b", TABLE, PEOPLE)
    assert (pooled.n, pooled.groups, pooled.left_out) == (12, 1, 0)
    none = coefficient("spearman", [[1.0]], [[2.0]])
    assert (none.n, none.groups, none.left_out) == (0, 0, 1)
    assert np.isnan(none.value)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_shapes_that_differ(name: str) -> None:
    refuses(UsageError, r"shape", coefficient, name, TABLE[:, :2], PEOPLE)
