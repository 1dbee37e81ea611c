"""Intervals of coefficients and their critical values, against scipy, simulation and tables."""

import math
from collections.abc import Callable

import numpy as np
import pytest
import scipy.stats

from wordorder.errors import UsageError
from wordorder.judgement import critical_correlation, fisher_interval, kendall, pearson, spearman


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


def test_critical_values_beyond_the_tables() -> None:
    for size in (13, 40):
        assert critical_correlation(size, statistic="spearman") == critical_correlation(size)
    exact = critical_correlation(100, statistic="kendall")
    assert critical_correlation(101, statistic="kendall") == pytest.approx(exact, abs=3e-3)


@pytest.mark.parametrize(("statistic", "enough"), [("pearson", 3), ("spearman", 5), ("kendall", 5)])
def test_too_few_systems_for_any_coefficient(statistic: str, enough: int) -> None:
    assert critical_correlation(enough - 1, statistic=statistic) == math.inf
    assert critical_correlation(enough, statistic=statistic) <= 1
