import math

import numpy as np
import pytest
from scipy import stats
from tests import oracles_statistics as oracle
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.statistics.dependent_tests import metric_clusters, williams
from wordorder.statistics.distributions import normal_tail, student_tail
from wordorder.statistics.metric_wins import (
    t_test_of_means,
    t_test_over_resamples,
    wins_losses_draws,
)


def correlations(human: Float64, first: Float64, second: Float64) -> tuple[float, float, float]:
    matrix = np.corrcoef([human, first, second])
    return float(matrix[0, 1]), float(matrix[0, 2]), float(matrix[1, 2])


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 57, 999])
def test_tails_are_those_of_scipy(freedom: int) -> None:
    for t in (-40.0, -3.0, -1e-3, 0.0, 0.3, 1.0, 2.5, 12.0, 80.0):
        wanted = float(stats.t.sf(t, freedom))
        assert student_tail(t, freedom) == pytest.approx(wanted, rel=1e-11, abs=1e-300)
    assert (student_tail(math.inf, freedom), student_tail(-math.inf, freedom)) == (0.0, 1.0)
    for z in (-9.0, -1.0, 0.0, 0.5, 3.0, 30.0):
        assert normal_tail(z) == pytest.approx(float(stats.norm.sf(z)), rel=1e-13)


def test_williams_as_other_tools_print_it() -> None:
    """The manual of bruceR's cor_diff prints t(97) = -4.56, p = 1e-05 (two-sided)."""
    test, printed = williams(0.95, 0.90, 0.92, 13), williams(0.20, 0.45, 0.80, 100)
    assert test.statistic == pytest.approx(1.287, abs=5e-4)
    assert test.p_value == pytest.approx(0.1135, abs=5e-5)
    assert printed.statistic == pytest.approx(-4.56, abs=5e-3)
    assert 2 * (1 - printed.p_value) == pytest.approx(1e-5, abs=5e-6)
    # The first case of the tests of Google's mt-metrics-eval prints p = .019.
    human = np.array([1.0, 2, 3, 4, 5])
    first, second = np.array([1.1, 2, 3.1, 4, 5.1]), np.array([1.5, 2, 3.1, 4, 5.5])
    r12, r13, r23 = correlations(human, first, second)
    assert (r12, r13) == pytest.approx((0.999, 0.987), abs=5e-4)
    assert williams(r12, r13, r23, 5).p_value == pytest.approx(0.019, abs=5e-4)
    # The limit: almost the negative gives almost the same.
    sure, almost = williams(0.5, -0.5, -1.0, 12), williams(0.5, -0.5, -1.0 + 1e-9, 12)
    assert sure.statistic == pytest.approx(almost.statistic, rel=1e-6)


def test_williams_of_averages_as_other_tools_print_it() -> None:
    """The second case: each correlation is a mean over two items, and p = .121 with n = 6."""
    human = np.array([[1, np.nan], [3, 4], [5, 6]])
    first = np.array([[1.0, 2], [3, 3], [7, 3]])
    second = np.array([[2.0, 1], [2, 6], [8, 8]])

    def mean(one: Float64, other: Float64) -> float:
        values = []
        for x, y in zip(one.T, other.T, strict=True):
            there = ~np.isnan(x)
            if len(set(x[there])) > 1 and len(set(y[there])) > 1:
                values.append(float(np.corrcoef(x[there], y[there])[0, 1]))
        return float(np.mean(values))

    r12, r13, r23 = mean(human, first), mean(human, second), mean(first, second)
    assert (r12, r13) == pytest.approx((0.982, 0.933), abs=5e-4)
    assert williams(r12, r13, r23, 6).p_value == pytest.approx(0.121, abs=5e-4)


def test_swapped_metrics_copies_and_sure_differences() -> None:
    """Swapping turns the test, copies are never told apart, and no p-value is 0."""
    one, other = williams(-0.2, 0.4, 0.1, 20), williams(0.4, -0.2, 0.1, 20)
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.p_value + other.p_value == pytest.approx(1)
    assert one.p_value > 0.5
    for r in (-1.0, 0.0, 0.7, 1.0):
        assert williams(r, r, 1.0, 10).p_value == 0.5
    assert 0 < williams(1.0, -1.0, -1.0, 500).p_value < 1e-9


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.5, 0.4, 0.3, 3), "at least 4 systems"),
        ((1.5, 0.4, 0.3, 9), "r12 is a correlation"),
        ((0.5, math.nan, 0.3, 9), "r13 is a correlation"),
        ((0.9, -0.9, 0.9, 9), "no three variables"),
    ],
)
def test_impossible_arguments(arguments: tuple[float, float, float, int], message: str) -> None:
    refuses(UsageError, message, williams, *arguments)


# -- wins.


# Stanojević and Sima'an (2016), Tables 1 and 2: bootstrap means and deviations, English into Czech,
# Russian, French, Spanish and German, then out of them.
PRINTED = {
    "HAMMING": ".868 .033 .511 .056 .911 .016 .806 .056 .851 .024"
    " .878 .028 .761 .035 .984 .012 .88 .033 .851 .021",
    "KENDALL": ".849 .03 .511 .039 .907 .014 .844 .076 .918 .019"
    " .887 .026 .831 .021 .969 .012 .831 .064 .905 .016",
    "SPEARMAN": ".852 .029 .508 .041 .907 .014 .848 .074 .915 .019"
    " .881 .025 .831 .02 .967 .014 .826 .066 .905 .017",
    "FUZZY": ".854 .03 .498 .044 .92 .014 .818 .058 .897 .018"
    " .931 .016 .81 .023 .977 .009 .889 .029 .894 .015",
    "ULAM": ".851 .029 .507 .041 .914 .014 .844 .07 .908 .022"
    " .909 .026 .83 .021 .974 .009 .86 .054 .895 .015",
    "PET": ".853 .029 .515 .042 .907 .013 .866 .074 .923 .018"
    " .895 .026 .839 .021 .965 .012 .818 .064 .918 .014",
    "#PETs": ".879 .053 .538 .103 .904 .016 .797 .052 .819 .03"
    " .878 .034 .698 .038 .959 .021 .883 .042 .786 .039",
    "MAX": ".849 .029 .513 .043 .907 .013 .864 .074 .924 .018"
    " .895 .025 .838 .021 .966 .012 .819 .064 .921 .014",
}
# Its Table 3: language pairs that the row wins, loses and draws against the column.
WINS = {
    "PET": "5/4/1 7/2/1 6/2/2 5/4/1 5/4/1",
    "MAX": "5/4/1 5/2/3 6/2/2 5/5/0 5/4/1",
    "#PETs": "2/6/2 3/7/0 3/7/0 2/8/0 3/7/0",
}
OLD = ["HAMMING", "KENDALL", "SPEARMAN", "FUZZY", "ULAM"]


def test_the_t_test_gives_the_papers_table_from_its_own_figures() -> None:
    """Samples with exactly the printed means and deviations."""
    rng = np.random.default_rng(1)
    sets = []
    for pair in range(10):
        rows = []
        for name in PRINTED:
            mean, deviation = map(float, PRINTED[name].split()[2 * pair : 2 * pair + 2])
            sample = rng.normal(size=1000)
            rows.append(mean + deviation * (sample - sample.mean()) / sample.std(ddof=1))
        sets.append(np.array(rows))
    tables = wins_losses_draws(sets, list(PRINTED), rows=list(WINS), columns=OLD)
    assert [" ".join(row) for row in tables.ss2016.cells()] == list(WINS.values())
    # The interval of the difference is far more careful: these samples are not even paired.
    assert tables.bootstrap.decided < tables.ss2016.decided / 2
    assert tables.ss2016.comparisons == 150


def test_t_test_is_that_of_scipy() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=50), rng.normal(size=50) * 3 + 0.4
    wanted = stats.ttest_ind(first, second)
    found = t_test_over_resamples(np.append(first, np.nan), second)
    assert found.statistic == pytest.approx(float(wanted.statistic), rel=1e-12)
    assert found.p_value == pytest.approx(float(wanted.pvalue), rel=1e-10)
    uneven = t_test_of_means(0.5, 0.1, 10, 0.4, 0.2, 30)
    wanted = stats.ttest_ind_from_stats(0.5, 0.1, 10, 0.4, 0.2, 30)
    assert uneven.statistic == pytest.approx(float(wanted.statistic), rel=1e-12)


def test_constant_short_and_uneven_samples() -> None:
    flat = np.full(9, 0.5)
    assert t_test_over_resamples(flat, flat).p_value == 1.0
    assert 0 < t_test_over_resamples(flat, flat - 0.1).p_value < 1e-99
    refuses(UsageError, "at least two", t_test_over_resamples, flat, flat[:1])
    refuses(UsageError, "of 1 and 1 values", t_test_of_means, 1.0, 0.1, 1, 2.0, 0.1, 1)
    with pytest.raises(UsageError, match="unknown metric 'c'; legal names: a, b"):
        wins_losses_draws([np.zeros((2, 3))], ["a", "b"], rows=["c"])
    with pytest.raises(UsageError, match=r"\(2, 3\) and \(2, 4\)"):
        wins_losses_draws([np.zeros((2, 3)), np.zeros((2, 4))], ["a", "b"])
    refuses(UsageError, "no set", wins_losses_draws, [], ["a"])


def test_more_resamples_make_a_difference_significant_only_for_the_t_test() -> None:
    rng = np.random.default_rng(3)
    decided = []
    for resamples in (100, 10_000):
        samples = np.array([[0.9], [0.899]]) + rng.normal(size=(2, resamples)) * 0.02
        tables = wins_losses_draws([samples], ["a", "b"])
        decided.append((tables.ss2016.decided, tables.bootstrap.decided))
    # The pair is looked at from both sides; a metric against itself is a draw.
    assert decided == [(0, 0), (2, 0)]


def test_sure_wins_and_missing_coefficients() -> None:
    undefined = np.full((2, 20), np.nan)
    sure = np.array([[0.9], [0.5]]) + np.zeros((2, 20))
    tables = wins_losses_draws([sure, undefined], ["a", "b"], columns=["b"])
    assert tables.bootstrap.cells() == tables.ss2016.cells() == [["1/0/1"], ["0/0/2"]]


def test_clusters_are_the_finest_cut() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        values = rng.permutation(5).astype(np.float64)
        p_values = np.where(rng.random((5, 5)) < 0.8, 0.01, 0.3)
        if rng.random() < 0.3:
            values[2] = np.nan
        order = [int(i) for i in np.argsort(-values) if not np.isnan(values[i])]
        wanted = [0] * 5
        parts = oracle.finest(order, lambda a, b: bool(p_values[a, b] <= 0.05))  # noqa: B023
        for number, cluster in enumerate(parts, start=1):
            for metric in cluster:
                wanted[metric] = number
        assert metric_clusters(values, p_values).tolist() == wanted
    assert metric_clusters(np.array([0.3, 0.2]), np.full((2, 2), np.nan)).tolist() == [1, 1]
    assert metric_clusters(np.array([]), np.empty((0, 0))).tolist() == []
    refuses(UsageError, "for 2 metrics", metric_clusters, np.zeros(2), np.zeros((3, 3)))
