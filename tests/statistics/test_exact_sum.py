import math
import pickle

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.errors import UsageError
from wordorder.statistics import exact_sum
from wordorder.statistics.exact_sum import ExactSum
from wordorder.types import Float64

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
    monkeypatch.setattr(exact_sum, "ROOM", room)
    matrix = np.random.default_rng(2).uniform(1.8, 2.0, (20, 2))
    total = ExactSum(2)
    total.add(matrix)
    total.add(-matrix[:3])
    assert np.abs(total._limbs).max() < room << 32
    assert total.totals().tolist() == by_fsum(np.concatenate([matrix, -matrix[:3]]))


def test_merge_leaves_the_other_alone() -> None:
    mine, other = ExactSum(1), ExactSum(1)
    mine.add([[1.0]])
    other.add([[2.0]])
    mine.merge(other)
    mine.merge(other)
    mine.add([[0.5]])
    assert (mine.totals().tolist(), other.totals().tolist()) == ([5.5], [2.0])


def test_a_merge_of_itself_doubles() -> None:
    total = ExactSum(1)
    total.add([[0.1]])
    total.merge(total)
    assert total.totals().tolist() == [0.2]


def test_travels_between_processes() -> None:
    total = ExactSum(1)
    total.add([[0.1]])
    assert pickle.loads(pickle.dumps(total)).totals().tolist() == [0.1]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_and_not_added(bad: float) -> None:
    total = ExactSum(2)
    total.add([[1.0, 2.0]])
    with pytest.raises(ValueError, match=r"row 1 .* not finite"):
        total.add([[7.0, 7.0], [7.0, bad]])
    assert total.totals().tolist() == [1.0, 2.0]


def test_a_sum_beyond_the_largest_double() -> None:
    total = ExactSum(1)
    total.add([[1.7976931348623157e308], [1.7976931348623157e308]])
    with pytest.raises(OverflowError):
        total.totals()


@pytest.mark.parametrize("matrix", [[1.0, 2.0], [[1.0]], [[[1.0, 2.0]]], np.zeros((0, 3))])
def test_wrong_shapes(matrix: npt.ArrayLike) -> None:
    with pytest.raises(UsageError, match=r"\[S, 2\]"):
        ExactSum(2).add(matrix)


def test_wrong_columns() -> None:
    with pytest.raises(UsageError, match="cannot merge 1 columns into 2"):
        ExactSum(2).merge(ExactSum(1))
    with pytest.raises(UsageError, match="-1 columns"):
        ExactSum(-1)
