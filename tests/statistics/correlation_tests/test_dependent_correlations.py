from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from wordorder.errors import UsageError
from wordorder.statistics.dependent_tests import steiger, williams
from wordorder.statistics.intervals import normal_tail, student_tail
from wordorder.types import Float64


def correlations(human: Float64, first: Float64, second: Float64) -> tuple[float, float, float]:
    matrix = np.corrcoef([human, first, second])
    return float(matrix[0, 1]), float(matrix[0, 2]), float(matrix[1, 2])


@pytest.mark.parametrize("freedom", [1, 2, 3, 10, 57, 999])
def test_tail_of_student_is_that_of_scipy(freedom: int) -> None:
    for t in (-40.0, -3.0, -1e-3, 0.0, 0.3, 1.0, 2.5, 12.0, 80.0):
        wanted = float(stats.t.sf(t, freedom))
        assert student_tail(t, freedom) == pytest.approx(wanted, rel=1e-11, abs=1e-300)
    assert (student_tail(math.inf, freedom), student_tail(-math.inf, freedom)) == (0.0, 1.0)


def test_normal_tail_is_that_of_scipy() -> None:
    for z in (-9.0, -1.0, 0.0, 0.5, 3.0, 30.0):
        assert normal_tail(z) == pytest.approx(float(stats.norm.sf(z)), rel=1e-13)


def test_williams_of_the_definitions() -> None:
    test = williams(0.95, 0.90, 0.92, 13)
    assert test.statistic == pytest.approx(1.287, abs=5e-4)
    assert test.p_value == pytest.approx(0.1135, abs=5e-5)


def test_williams_as_other_tools_print_it() -> None:
    """The first case of the tests of Google's mt-metrics-eval prints p = .019."""
    human = np.array([1.0, 2, 3, 4, 5])
    first, second = np.array([1.1, 2, 3.1, 4, 5.1]), np.array([1.5, 2, 3.1, 4, 5.5])
    r12, r13, r23 = correlations(human, first, second)
    assert (r12, r13) == pytest.approx((0.999, 0.987), abs=5e-4)
    assert williams(r12, r13, r23, 5).p_value == pytest.approx(0.019, abs=5e-4)


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


def test_williams_of_another_tool_again() -> None:
    """The manual of bruceR's cor_diff prints t(97) = -4.56, p = 1e-05 (two-sided)."""
    test = williams(0.20, 0.45, 0.80, 100)
    assert test.statistic == pytest.approx(-4.56, abs=5e-3)
    assert 2 * (1 - test.p_value) == pytest.approx(1e-5, abs=5e-6)


def test_swapping_the_metrics_turns_the_test() -> None:
    for test in (williams, steiger):
        one, other = test(-0.2, 0.4, 0.1, 20), test(0.4, -0.2, 0.1, 20)
        assert one.statistic == pytest.approx(-other.statistic)
        assert one.p_value + other.p_value == pytest.approx(1)
        assert one.p_value > 0.5


def test_copies_are_never_told_apart() -> None:
    for test in (williams, steiger):
        for r in (-1.0, 0.0, 0.7, 1.0):
            assert test(r, r, 1.0, 10).p_value == 0.5


def test_sure_differences_keep_a_p_value_above_0() -> None:
    for test in (williams, steiger):
        assert 0 < test(1.0, -1.0, -1.0, 500).p_value < 1e-9


def test_steiger_is_calibrated_and_agrees_with_williams() -> None:
    """Under the null its p-values are even, on many simulated sets of 30 systems."""
    rng = np.random.default_rng(3)
    one, other = [], []
    for _ in range(2000):
        human = rng.normal(size=30)
        both = rng.normal(size=30)
        triple = correlations(
            human, human + both + rng.normal(size=30), human + both + rng.normal(size=30)
        )
        one.append(steiger(*triple, 30).p_value)
        other.append(williams(*triple, 30).p_value)
    for values in (one, other):
        # Binomial: sd .0049 around .05.
        assert abs(np.mean(np.array(values) < 0.05) - 0.05) < 0.015
    assert np.abs(np.array(one) - np.array(other)).max() < 0.03


def test_a_metric_and_its_negative() -> None:
    """The limit: almost the negative gives almost the same."""
    sure, almost = williams(0.5, -0.5, -1.0, 12), williams(0.5, -0.5, -1.0 + 1e-9, 12)
    assert sure.statistic == pytest.approx(almost.statistic, rel=1e-6)


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
    for test in (williams, steiger):
        with pytest.raises(UsageError, match=message):
            test(*arguments)
