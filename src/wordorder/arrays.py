"""Arrays: names of their types, and rows of unequal length (`Ragged`) with their offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Protocol, TypeVar, overload

import numpy as np
import numpy.typing as npt

from wordorder.errors import InputError

Array = npt.NDArray[Any]
Bool = npt.NDArray[np.bool_]
Float32 = npt.NDArray[np.float32]
Float64 = npt.NDArray[np.float64]
Int8 = npt.NDArray[np.int8]
Int16 = npt.NDArray[np.int16]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]
UInt64 = npt.NDArray[np.uint64]

Key = TypeVar("Key")
Value = TypeVar("Value")

# A callback that is called now and then with the number of lines, sentences, … done.
OnProgress = Callable[[int], object]


class ArrowStream(Protocol):
    """A column of Polars or pandas 3, or a chunked one of pyarrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return a capsule with a stream."""


class ArrowArray(Protocol):
    """An array of pyarrow."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]:
        """Return capsules with a type and an array."""


# A column through the Arrow PyCapsule interface.
ArrowColumn = ArrowStream | ArrowArray


class Ragged:
    """Rows of int32 numbers, one row per segment.

    Parameters
    ----------
    values : int32[N]
        All rows, concatenated.
    offsets : int64[S+1]
        Row ``i`` is ``values[offsets[i]:offsets[i+1]]``; starts with 0, ends with ``N``.

    Raises
    ------
    InputError
        If the offsets do not cut `values` into rows, or a dtype or shape is wrong.

    Notes
    -----
    The arrays are checked only by the constructor. An Arrow ``list<int32>`` array has the same two
    buffers.

    Examples
    --------
    >>> rows = Ragged.from_rows([[2, 0, 1], [], [0]])
    >>> len(rows), rows.lengths.tolist()
    (3, [3, 0, 1])
    >>> rows[0].tolist()
    [2, 0, 1]
    >>> rows[1:].to_lists()
    [[], [0]]
    """

    __slots__ = ("offsets", "values")

    values: Int32
    offsets: Int64

    def __init__(self, values: Int32, offsets: Int64) -> None:
        for name, array, dtype in (("values", values, np.int32), ("offsets", offsets, np.int64)):
            if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
                raise InputError("Ragged", f"bad {name}", f"a flat {np.dtype(dtype)} array")
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(values):
            raise InputError("Ragged", "bad offsets", f"0 first and {len(values)} last")
        if np.any(offsets[1:] < offsets[:-1]):
            raise InputError("Ragged", "bad offsets", "offsets that never fall")
        self.values = np.ascontiguousarray(values)
        self.offsets = np.ascontiguousarray(offsets)

    @classmethod
    def from_rows(
        cls, rows: Iterable[Sequence[int] | npt.NDArray[np.integer]] | ArrowColumn
    ) -> Ragged:
        """Build a container from rows of integers.

        They are copied, unless they are an Arrow column of int32 lists (pandas, Polars, pyarrow).

        Raises
        ------
        InputError
            If an entry is not an integer that fits into 32 bits; the message names it.
        """
        from wordorder.arrow import columns, inputs

        column = inputs.input_column(rows, "", "lists of integers")
        if isinstance(column, columns.ArrowColumn):
            return cls(*inputs.integer_lists(column))
        rows = list(column)
        for number, row in enumerate(rows, 1):
            if not hasattr(row, "__len__") or (isinstance(row, np.ndarray) and row.ndim != 1):
                raise InputError(f"row {number}", repr(row)[:30], "a sequence of integers")
        offsets = row_offsets(np.fromiter(map(len, rows), np.int64, len(rows)))
        flat = _flat(rows, int(offsets[-1]))
        values = flat.astype(np.int32) if flat.dtype.kind in "iu" else None
        if values is None or not np.array_equal(values, flat):
            raise _bad_entry(rows)
        return cls(values, offsets)

    @classmethod
    def concatenate(cls, parts: Sequence[Ragged]) -> Ragged:
        """Concatenate several containers."""
        values = np.concatenate([np.zeros(0, np.int32), *(part.values for part in parts)])
        return cls(values, concatenate_offsets([part.offsets for part in parts]))

    @property
    def lengths(self) -> Int64:
        """Length of each row, int64[S]."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Int32]:
        return (self[i] for i in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Int32: ...
    @overload
    def __getitem__(self, index: slice) -> Ragged: ...
    def __getitem__(self, index: int | slice) -> Int32 | Ragged:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return Ragged.from_rows([self[i] for i in range(start, stop, step)])
            offsets = self.offsets[start : max(start, stop) + 1]
            return Ragged(self.values[offsets[0] : offsets[-1]], offsets - offsets[0])
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"row {index} of {size}")
        index %= size
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    def take(self, rows: Int64) -> Ragged:
        """Return the rows with these indices, in any order, also repeatedly.

        Examples
        --------
        >>> Ragged.from_rows([[2, 0], [], [1]]).take(np.array([2, 0, 0])).to_lists()
        [[1], [2, 0], [2, 0]]
        """
        indices, offsets = value_indices(self.offsets, rows)
        return Ragged(self.values[indices], offsets)

    def to_lists(self) -> list[list[int]]:
        """Return the rows as plain lists."""
        return [row.tolist() for row in self]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ragged):
            return NotImplemented
        same = np.array_equal(self.offsets, other.offsets)
        return same and np.array_equal(self.values, other.values)

    def __repr__(self) -> str:
        return f"Ragged({len(self)} rows, {len(self.values)} values)"


def row_offsets(lengths: npt.ArrayLike) -> Int64:
    """Return the offsets of concatenated rows, int64[S+1]; the last is the sum of the lengths.

    Examples
    --------
    >>> row_offsets([3, 0, 1]).tolist()
    [0, 3, 3, 4]
    """
    return np.append(np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64))


def concatenate_offsets(parts: Iterable[Int64]) -> Int64:
    """Return the offsets of the rows of several concatenated parts, int64[S+1].

    Examples
    --------
    >>> concatenate_offsets([np.array([0, 2, 3]), np.array([0, 4])]).tolist()
    [0, 2, 3, 7]
    """
    return row_offsets(np.concatenate([np.zeros(0, np.int64), *map(np.diff, parts)]))


def concat_ranges(starts: Int32 | Int64 | int, counts: Int32 | Int64) -> Int64:
    """Concatenate the ranges ``starts[i] .. starts[i] + counts[i] - 1``.

    Examples
    --------
    >>> concat_ranges(np.array([5, 0, 9]), np.array([2, 0, 1])).tolist()
    [5, 6, 9]
    >>> concat_ranges(0, np.array([2, 0, 3])).tolist()
    [0, 1, 0, 1, 2]
    """
    ends = np.cumsum(counts, dtype=np.int64)
    total = int(ends[-1]) if len(ends) else 0
    ranges: Int64 = np.arange(total) + np.repeat(starts - ends + counts, counts)
    return ranges


def concatenate_pieces(
    pieces: Iterable[Sequence[Array]], *dtypes: type[np.generic]
) -> tuple[Any, ...]:
    """Concatenate the i-th arrays of all pieces, for each i; without pieces, they are empty."""
    empty = [np.zeros(0, kind) for kind in dtypes]
    return tuple(map(np.concatenate, zip(empty, *pieces, strict=True)))


def group_rows(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Put the values of each key into a list, in their order.

    Examples
    --------
    >>> group_rows([("a", 1), ("b", 2), ("a", 3)])
    {'a': [1, 3], 'b': [2]}
    """
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def row_and_entry(offsets: Int64, index: int) -> tuple[int, int]:
    """Return the row that contains an index of the flat values, and the index within the row.

    Examples
    --------
    >>> row_and_entry(np.array([0, 2, 2, 5]), 3)
    (2, 1)
    """
    row = int(np.searchsorted(offsets, index, side="right")) - 1
    return row, index - int(offsets[row])


def value_indices(offsets: Int64, rows: Int64) -> tuple[Int64, Int64]:
    """Return the indices of the values of selected rows, and the offsets of the rows in the result.

    Parameters
    ----------
    offsets : int64[S+1]
    rows : int64[T]
        Indices of rows, in any order, also repeatedly.

    Returns
    -------
    indices : int64
        The indices of the values of the rows, concatenated.
    selected_offsets : int64[T+1]
    """
    lengths = np.diff(offsets)[rows]
    if len(rows) and lengths.min() == lengths.max() == 1:
        return offsets[:-1][rows], np.arange(len(rows) + 1)
    return concat_ranges(offsets[:-1][rows], lengths), row_offsets(lengths)


def _flat(rows: Sequence[Any], size: int) -> Array:
    """Return all values as one array, of Python objects unless all are integers of 64 bits."""
    non_empty_rows = [row for row in rows if len(row)]
    if non_empty_rows and all(
        isinstance(r, np.ndarray) and r.dtype.kind == "i" for r in non_empty_rows
    ):
        return np.concatenate(non_empty_rows)
    value_types = set(map(type, chain.from_iterable(rows)))
    is_integral = all(
        issubclass(kind, (int, np.integer)) and kind is not bool for kind in value_types
    )
    try:
        return np.fromiter(chain.from_iterable(rows), np.int64 if is_integral else object, size)
    except OverflowError:
        return np.zeros(size, object)


def _bad_entry(rows: Sequence[Any]) -> InputError:
    """Build the error for the first entry that is not an integer of 32 bits."""
    for number, row in enumerate(rows, 1):
        for entry, value in enumerate(row, 1):
            is_integer = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not is_integer or not -(2**31) <= int(value) < 2**31:
                entry_name = f"row {number}, entry {entry}"
                return InputError(entry_name, repr(value)[:30], "an integer of 32 bits")
    return InputError("rows", "not rows of integers", "one flat row per sentence")
