"""Inputs of callers as rows: columns of tables, arrays, or lists of rows."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.arrow.columns import (
    ArrowColumn,
    IntegerColumn,
    ListColumn,
    TextColumn,
    is_arrow,
    read_column,
    table_error,
)
from wordorder.errors import InputError, WordOrderError


def input_column(data: Any, name: str, allowed: str) -> Any:
    """Convert a column of a table to an `ArrowColumn` or a list; return other input unchanged.

    Columns of pyarrow, Polars and pandas 3 are read by pyarrow. Columns of an older pandas, and
    all columns if pyarrow is not installed, become lists.

    Parameters
    ----------
    data : object
    name : str
        The column's name in messages.
    allowed : str
        Allowed content, for messages: "strings".

    Raises
    ------
    InputError
        If it is a column of another type, or a row is null.

    Examples
    --------
    >>> input_column([[0, 1]], "orders", "lists of integers")
    [[0, 1]]
    """
    if isinstance(data, (Sequence, np.ndarray)):
        return data
    if is_arrow(data):
        try:
            return read_column(data, name, allowed)
        except WordOrderError:
            raise
        # Libraries raise different errors for a column without an Arrow type. Invalid content is
        # reported when the rows are read.
        except Exception:
            pass
        if hasattr(data, "columns"):
            raise table_error(name, list(map(str, data.columns)), allowed)
    to_list = getattr(data, "tolist", None) or getattr(data, "to_list", None)
    return data if to_list is None else to_list()


def input_rows(data: Any, name: str, allowed: str) -> Any:
    """Convert a column of a table to a list of its rows; return other input unchanged.

    Parameters and errors: `input_column`.
    """
    column = input_column(data, name, allowed)
    return plain_rows(column) if isinstance(column, ArrowColumn) else column


def plain_rows(column: ArrowColumn) -> list[Any]:
    """Return the rows of a column as strings, integers, or lists of such."""
    if isinstance(column, IntegerColumn):
        numbers: list[Any] = column.values.tolist()
        return numbers
    if isinstance(column, ListColumn):
        items, offsets = plain_rows(column.items), column.offsets.tolist()
        return [items[start:stop] for start, stop in pairwise(offsets)]
    assert isinstance(column, TextColumn)
    data = column.data.tobytes()
    spans = zip(column.starts.tolist(), column.stops.tolist(), strict=True)
    return [data[start:stop].decode("utf-8", "surrogateescape") for start, stop in spans]


def integer_lists(column: ArrowColumn) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the values and offsets of a column of lists of integers.

    Raises
    ------
    InputError
        If the column has another type, or an integer does not fit into 32 bits.
    """
    if isinstance(column, ListColumn):
        items = column.items
        if isinstance(items, IntegerColumn):
            return _as_int32(items.values, column.offsets), column.offsets
        if not items.rows and not isinstance(items, ListColumn):
            return np.zeros(0, np.int32), column.offsets
    elif not column.rows:
        return np.zeros(0, np.int32), np.zeros(1, np.int64)
    raise InputError("", f"a column of {describe_column(column)}", "a column of lists of integers")


def grouped_lists(
    column: ArrowColumn,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Return the values of lists of groups of integers, the group of each value, and the offsets.

    Raises
    ------
    InputError
        If an inner list is empty, or as for `integer_lists`.
    """
    assert isinstance(column, ListColumn)
    values, inner = integer_lists(column.items)
    sizes = np.diff(inner)
    if len(sizes) and not sizes.all():
        row = int(np.searchsorted(column.offsets, np.argmin(sizes), side="right"))
        raise InputError(f"row {row}", "an empty group", "at least one position in each")
    firsts = np.repeat(column.offsets[:-1], np.diff(column.offsets))
    ranks = np.repeat(np.arange(len(sizes)) - firsts, sizes).astype(np.int32)
    return values, ranks, inner[column.offsets]


def describe_column(column: ArrowColumn) -> str:
    """Describe the content of a column.

    Examples
    --------
    >>> describe_column(IntegerColumn(0, None, np.zeros(0, np.int32)))
    'integers'
    """
    if isinstance(column, ListColumn):
        return f"lists of {describe_column(column.items)}"
    return "integers" if isinstance(column, IntegerColumn) else "strings"


def _as_int32(values: npt.NDArray[Any], offsets: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """Return integers as int32; int32 arrays are not copied."""
    narrow = values.astype(np.int32, copy=False)
    if narrow is not values and not np.array_equal(narrow, values):
        index = int(np.argmax(narrow != values))
        row = int(np.searchsorted(offsets, index, side="right"))
        context = f"row {row}, entry {index - int(offsets[row - 1]) + 1}"
        raise InputError(context, str(values[index]), "an integer of 32 bits")
    return narrow
