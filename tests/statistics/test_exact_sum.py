import math
import pickle
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses

from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.statistics import exact_sum
from wordorder.statistics.exact_means import exact_means, group_means, group_sums, whole_multiples
from wordorder.statistics.exact_sum import ExactSum

# Far enough from the largest double that math.fsum does not overflow on the way.
doubles = st.floats(-1e300, 1e300)


def summed(matrix: Float64) -> list[float]:
    total = ExactSum(matrix.shape[1])
    total.add(matrix)
    return [float(value) for value in total.totals()]


def by_fsum(matrix: Float64) -> list[float]:
    return [math.fsum(column) for column in matrix.T.tolist()]


@given(st.lists(st.tuples(doubles, doubles), max_size=70), st.data())
def test_any_cut_equals_fsum(rows: list[tuple[float, float]], data: st.DataObject) -> None:
    matrix = np.array(rows, np.float64).reshape(-1, 2)
    cut = data.draw(st.integers(0, len(rows)))
    left, right = ExactSum(2), ExactSum(2)
    left.add(matrix[:cut])
    right.add(matrix[cut:])
    left.merge(right)
    assert left.totals().tolist() == by_fsum(matrix) == summed(matrix[::-1])


@pytest.mark.parametrize("rows", [0, 1, 2, 63, 64, 65, 1000])
@pytest.mark.parametrize("columns", [0, 1, 3])
def test_sizes(rows: int, columns: int) -> None:
    random = np.random.default_rng(rows)
    matrix = random.standard_normal((rows, columns)) * 10.0 ** random.integers(
        -300, 290, (rows, columns)
    )
    assert summed(matrix) == by_fsum(matrix)


@pytest.mark.parametrize(
    "values",
    [
        [5e-324] * 3,
        [5e-324, -5e-324],
        [2.2250738585072014e-308, -5e-324],
        [1.7976931348623157e308, 1.0, -1.7976931348623157e308],
        [1.7976931348623157e308, -5e-324],
        [1.0, 2.0**-53, 2.0**-106],
        [1.0, 2.0**-53],
        [-0.0, 0.0],
        [0.1] * 10,
    ],
)
def test_edges_of_the_format(values: list[float]) -> None:
    matrix = np.array(values)[:, np.newaxis]
    assert summed(matrix) == by_fsum(matrix)


def test_a_shuffled_corpus_cut_100_ways_has_one_sum() -> None:
    random = np.random.default_rng(1)
    matrix = random.random((500, 2)) / 3
    results = set()
    for _ in range(100):
        random.shuffle(matrix)
        parts = np.split(matrix, np.sort(random.integers(0, 501, 15)))
        total = ExactSum(2)
        for part in parts:
            shard = ExactSum(2)
            shard.add(part)
            total.merge(shard)
        results.add(tuple(total.totals().tolist()))
    assert results == {tuple(by_fsum(matrix))}


@pytest.mark.parametrize("room", [1, 2, 7])
def test_limbs_are_emptied_before_they_overflow(room: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact_sum, "VALUES_PER_CARRY", room)
    matrix = np.random.default_rng(2).uniform(1.8, 2.0, (20, 2))
    total = ExactSum(2)
    total.add(matrix)
    total.add(-matrix[:3])
    assert np.abs(total._limbs).max() < room << 32
    assert total.totals().tolist() == by_fsum(np.concatenate([matrix, -matrix[:3]]))


def test_merging_leaves_the_other_alone_and_sums_travel_between_processes() -> None:
    mine, other = ExactSum(1), ExactSum(1)
    mine.add([[1.0]])
    other.add([[2.0]])
    mine.merge(other)
    mine.merge(other)
    mine.add([[0.5]])
    assert (mine.totals().tolist(), other.totals().tolist()) == ([5.5], [2.0])
    total = ExactSum(1)
    total.add([[0.1]])
    total.merge(total)
    assert total.totals().tolist() == [0.2]
    total = ExactSum(1)
    total.add([[0.1]])
    assert pickle.loads(pickle.dumps(total)).totals().tolist() == [0.1]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_and_not_added(bad: float) -> None:
    total = ExactSum(2)
    total.add([[1.0, 2.0]])
    refuses(ValueError, r"row 1 .* not finite", total.add, [[7.0, 7.0], [7.0, bad]])
    assert total.totals().tolist() == [1.0, 2.0]


def test_a_sum_beyond_the_largest_double() -> None:
    total = ExactSum(1)
    total.add([[1.7976931348623157e308], [1.7976931348623157e308]])
    with pytest.raises(OverflowError):
        total.totals()


@pytest.mark.parametrize("matrix", [[1.0, 2.0], [[1.0]], [[[1.0, 2.0]]], np.zeros((0, 3))])
def test_wrong_shapes(matrix: npt.ArrayLike) -> None:
    refuses(UsageError, r"\[S, 2\]", ExactSum(2).add, matrix)


def test_wrong_columns() -> None:
    refuses(UsageError, "cannot merge 1 columns into 2", ExactSum(2).merge, ExactSum(1))
    refuses(UsageError, "-1 columns", ExactSum, -1)


# -- Means that are compared: equal ones stay equal, by fractions of the numbers that people wrote.


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


def test_means_of_the_smallest_and_the_largest_doubles_and_of_nothing() -> None:
    most = np.finfo(float).max
    rows = np.array([[most, most], [5e-324, 5e-324], [most, 5e-324], [5e-324, 2.0]])
    assert exact_means(rows).tolist() == [binary_mean(row) for row in rows.tolist()]
    assert exact_means(np.empty((0, 3))).shape == (0,)
    assert np.isnan(exact_means(np.empty((2, 0)))).all()
    assert exact_means(np.zeros((1, 2, 3))).tolist() == [[0.0, 0.0]]


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


def test_multiples_are_told_from_other_numbers() -> None:
    whole, scale = whole_multiples(np.array([0.1, -2.53, NAN]))
    assert (whole[:2].tolist(), scale) == ([10.0, -253.0], 100)
    whole, scale = whole_multiples(np.array([1 / 3, 2.5 / 3, 0.25]))
    assert (whole / scale).tolist() == [1 / 3, 2.5 / 3, 0.25]
    assert scale > 1
    others = np.array([0.1, np.pi])
    whole, scale = whole_multiples(others)
    assert (whole.tolist(), scale) == (others.tolist(), 1)
