"""Means that are compared: equal ones stay equal, by fractions of the numbers that people wrote."""

from fractions import Fraction

import numpy as np
import pytest

from wordorder.statistics.exact_sum import exact_means, group_means, group_sums, whole_multiples

NAN = float("nan")


def written_mean(values: list[float]) -> float:
    """The mean of decimals as they are written, .1 being one tenth, rounded once."""
    return float(sum(map(Fraction, map(repr, values)), Fraction()) / len(values))


def binary_mean(values: list[float]) -> float:
    """The mean of doubles as they are, rounded once."""
    return float(sum(map(Fraction, values), Fraction()) / len(values))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([-0.1, -0.2, -0.3], [-0.3, -0.2, -0.1]),
        ([0.1, 0.2, 0.3], [0.3, 0.1, 0.2] * 3),
        ([0.1, 0.1, 0.1], [0.3, 0.0, 0.0]),
        ([0.7, 0.7, 0.1], [0.5]),
        ([1 / 3, 2 / 3], [0.5, 0.5]),
        ([4 / 7, 1 / 9, 0.3], [0.3, 4 / 7, 1 / 9]),
        ([1e300, 1.0, -1e300], [1.0, 1e300, -1e300]),
        ([5e-324, 0.0], [0.0, 5e-324]),
    ],
)
def test_means_of_the_same_are_the_same(first: list[float], second: list[float]) -> None:
    length = max(len(first), len(second))
    rows = np.array([each + [NAN] * (length - len(each)) for each in (first, second)])
    one, other = exact_means(rows).tolist()
    assert one == other


@pytest.mark.parametrize("decimals", range(7))
def test_means_of_decimals_are_those_of_fractions(decimals: int) -> None:
    random = np.random.default_rng(decimals)
    rows = np.round(random.uniform(-30, 30, (40, 9)), decimals)
    rows[random.random(rows.shape) < 0.3] = NAN
    rows[5] = NAN
    found = exact_means(rows)
    for row, mean in zip(rows.tolist(), found.tolist(), strict=True):
        scored = [value for value in row if value == value]
        assert mean == written_mean(scored) if scored else mean != mean


@pytest.mark.parametrize("spread", [0, 3, 40, 500])
def test_means_of_doubles_are_those_of_fractions(spread: int) -> None:
    random = np.random.default_rng(spread)
    rows = random.normal(size=(30, 17)) * 2.0 ** random.integers(-spread, spread + 1, (30, 17))
    assert exact_means(rows).tolist() == [binary_mean(row) for row in rows.tolist()]


def test_the_smallest_and_the_largest_doubles() -> None:
    most = np.finfo(float).max
    rows = np.array([[most, most], [5e-324, 5e-324], [most, 5e-324], [5e-324, 2.0]])
    assert exact_means(rows).tolist() == [binary_mean(row) for row in rows.tolist()]


def test_groups_are_rows_that_lie_mixed() -> None:
    random = np.random.default_rng(1)
    for values in (random.normal(size=200), np.round(random.normal(size=200), 2)):
        group = random.integers(0, 12, 200)
        oracle = binary_mean if len(set(np.round(values, 2) - values)) > 1 else written_mean
        found = group_means(values, group, 13).tolist()
        assert found[:12] == [oracle(values[group == g].tolist()) for g in range(12)]
        assert found[12] != found[12]
        sums = group_sums(values, group, 13)
        np.testing.assert_allclose(sums, np.bincount(group, values, 13), rtol=1e-12, atol=1e-12)
        assert sums[12] == 0


def test_no_values() -> None:
    assert exact_means(np.empty((0, 3))).shape == (0,)
    assert np.isnan(exact_means(np.empty((2, 0)))).all()
    assert exact_means(np.zeros((1, 2, 3))).tolist() == [[0.0, 0.0]]


def test_multiples_are_told_from_other_numbers() -> None:
    whole, scale = whole_multiples(np.array([0.1, -2.53, NAN]))
    assert (whole[:2].tolist(), scale) == ([10.0, -253.0], 100)
    whole, scale = whole_multiples(np.array([1 / 3, 2.5 / 3, 0.25]))
    assert (whole / scale).tolist() == [1 / 3, 2.5 / 3, 0.25]
    assert scale > 1
    others = np.array([0.1, np.pi])
    whole, scale = whole_multiples(others)
    assert (whole.tolist(), scale) == (others.tolist(), 1)
