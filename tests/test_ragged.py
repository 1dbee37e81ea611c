"""The container of rows: what it takes, what it refuses, and its slices."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tests.refusing import refuses
from wordorder import InputError, Ragged

ROWS = st.lists(st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5), max_size=8)


@given(ROWS)
def test_rows_come_back(rows: list[list[int]]) -> None:
    ragged = Ragged.from_rows(rows)
    assert ragged.to_lists() == rows
    assert [row.tolist() for row in ragged] == rows
    assert ragged.lengths.tolist() == list(map(len, rows))
    assert ragged == Ragged.from_rows([np.array(row, np.int64) for row in rows])


@given(ROWS, st.slices(8))
def test_slices(rows: list[list[int]], part: slice) -> None:
    assert Ragged.from_rows(rows)[part].to_lists() == rows[part]


@given(ROWS, st.integers(0, 8))
def test_concatenation(rows: list[list[int]], cut: int) -> None:
    ragged = Ragged.from_rows(rows)
    assert Ragged.concatenate([ragged[:cut], ragged[cut:]]) == ragged


def test_single_rows() -> None:
    ragged = Ragged.from_rows([[1, 2], []])
    assert (ragged[0].tolist(), ragged[-1].tolist()) == ([1, 2], [])
    with pytest.raises(IndexError):
        ragged[2]


@pytest.mark.parametrize(
    "bad", [0.5, True, "1", None, 2**31, -(2**31) - 1, 10**20, np.float64(1), [1]]
)
def test_what_is_no_row_of_integers(bad: Any) -> None:
    with pytest.raises(InputError, match="^row 2, entry 2: .*; expected an integer of 32 bits"):
        Ragged.from_rows([[1], [2, bad]])


@pytest.mark.parametrize("dtype", [np.float32, np.bool_, np.complex64])
def test_arrays_of_other_kinds(dtype: Any) -> None:
    refuses(InputError, "row 1", Ragged.from_rows, [np.ones(2, dtype)])


@pytest.mark.parametrize(
    ("values", "offsets", "message"),
    [
        (np.zeros(2, np.int64), np.array([0, 2]), "bad values"),
        (np.zeros(2, np.int32), np.array([0, 2], np.int32), "bad offsets"),
        (np.zeros(2, np.int32), np.array([0, 1]), "0 first and 2 last"),
        (np.zeros(2, np.int32), np.array([1, 2]), "0 first"),
        (np.zeros(2, np.int32), np.array([0, 2, 1, 2]), "never fall"),
        (np.zeros(2, np.int32), np.zeros(0, np.int64), "0 first"),
        (np.zeros((2, 1), np.int32), np.array([0, 2]), "bad values"),
    ],
)
def test_bad_buffers(values: Any, offsets: Any, message: str) -> None:
    refuses(InputError, message, Ragged, values, offsets)


@given(st.lists(st.lists(st.integers(0, 9), max_size=3), max_size=6), st.data())
def test_rows_are_taken_in_any_order(rows: list[list[int]], data: st.DataObject) -> None:
    single = data.draw(st.booleans())
    rows = [row[:1] or [5] for row in rows] if single else rows
    taken = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=9)) if rows else []
    found = Ragged.from_rows(rows).take(np.array(taken, np.int64))
    assert found.to_lists() == [rows[row] for row in taken]
