"""Columns of text, integers or lists as numpy arrays, read by pyarrow.

pyarrow takes the columns of Polars and pandas through the Arrow PyCapsule interface. Integers and
the bytes of strings are not copied.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.errors import InputError


@dataclass(frozen=True)
class ArrowColumn:
    """Rows of one type.

    Attributes
    ----------
    rows : int
    missing : bool[rows] or None
        Which rows are null; None where none is.
    """

    rows: int
    missing: npt.NDArray[np.bool_] | None

    def first_missing(self) -> int | None:
        """Return the first row that is null or holds a null."""
        return None if self.missing is None else int(np.argmax(self.missing))


@dataclass(frozen=True)
class TextColumn(ArrowColumn):
    """Row ``i`` is ``data[starts[i]:stops[i]]``, in UTF-8 if its library validates it."""

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]


@dataclass(frozen=True)
class IntegerColumn(ArrowColumn):
    """One integer per row."""

    values: npt.NDArray[Any]


@dataclass(frozen=True)
class ListColumn(ArrowColumn):
    """Row ``i`` holds the items ``offsets[i] .. offsets[i+1]-1``."""

    offsets: npt.NDArray[np.int64]
    items: ArrowColumn

    def first_missing(self) -> int | None:
        """Return the first row that is null or holds a null."""
        position = super().first_missing()
        inside = self.items.first_missing()
        if inside is not None:
            row = int(np.searchsorted(self.offsets, inside, side="right")) - 1
            position = row if position is None else min(row, position)
        return position


def is_arrow(given: object) -> bool:
    """Return whether an object gives a column, or a table, through the PyCapsule interface."""
    return hasattr(given, "__arrow_c_stream__") or hasattr(given, "__arrow_c_array__")


def read_column(given: Any, name: str, legal: str) -> ArrowColumn:
    """Read a column without nulls; otherwise as `decode_column`.

    Raises
    ------
    InputError
        Also if a row is null; the message names it, counted from 1.
    """
    column = decode_column(given, name, legal)
    row = column.first_missing()
    if row is not None:
        context = f"{name}, row {row + 1}".removeprefix(", ")
        raise InputError(context, "a missing value (null)", "a value in each row")
    return column


def decode_column(given: Any, name: str, legal: str) -> ArrowColumn:
    """Read a column, all chunks of it.

    Parameters
    ----------
    given : object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
    name : str
        The column's name in messages; may be empty.
    legal : str
        Allowed content, for messages: "strings".

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    InputError
        If its type is not text, integers, or lists of these; the message names the type.
    """
    import pyarrow as pa

    array = given if isinstance(given, (pa.Array, pa.ChunkedArray)) else None
    if array is None:
        array = (pa.chunked_array if hasattr(given, "__arrow_c_stream__") else pa.array)(given)
    _check_type(array.type, name, legal)
    if isinstance(array, pa.ChunkedArray):
        # Concatenated strings may be too long for the offsets that their chunks have.
        kind = pa.large_string() if _is_text(array.type) else array.type
        chunks = array.cast(kind).chunks
        array = chunks[0] if len(chunks) == 1 else pa.concat_arrays(chunks or [pa.array([], kind)])
    return _decoded(array)


def _check_type(kind: Any, name: str, legal: str) -> None:
    """Raise unless the type is one that `_decoded` knows."""
    import pyarrow as pa

    inner = kind
    while _is_list(inner):
        inner = inner.value_type
    if pa.types.is_dictionary(inner):
        inner = inner.value_type
    if pa.types.is_struct(kind):
        raise table_error(name, [field.name for field in kind], legal)
    if not (pa.types.is_integer(inner) or pa.types.is_null(inner) or _is_text(inner)):
        raise InputError(name, f"a column of type {kind}", f"a column of {legal}")


def table_error(name: str, columns: Sequence[str], legal: str) -> InputError:
    """Build the error for a table in the place of a column."""
    problem = f"a table with the columns {', '.join(columns)}" if columns else "an empty table"
    return InputError(name, problem, f"one column of it, with {legal}")


def _is_text(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or str(kind) == "string_view")


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    # Older versions of pyarrow have no views.
    is_view = str(kind).startswith(("list_view<", "large_list_view<"))
    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(is_list or is_view)


def _decoded(values: Any) -> ArrowColumn:
    """Return an array of pyarrow as a column."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        # Views of strings cannot be taken by their numbers.
        words = values.dictionary
        words = words.cast(pa.large_string()) if _is_text(words.type) else words
        values = words.take(values.indices)
    kind, rows = values.type, len(values)
    missing = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    if pa.types.is_integer(kind):
        filled = values if missing is None else values.fill_null(0)
        return IntegerColumn(rows, missing, filled.to_numpy())
    if _is_list(kind):
        lengths = pa.compute.list_value_length(values).fill_null(0).to_numpy(zero_copy_only=False)
        offsets = np.zeros(rows + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return ListColumn(rows, missing, offsets, _decoded(values.flatten()))
    values = values.cast(pa.large_string())
    _, places, data = values.buffers()
    offsets = np.zeros(rows + 1, np.int64)
    if rows:
        offsets = np.frombuffer(places, np.int64)[values.offset : values.offset + rows + 1]
    text = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    text, offsets = text[offsets[0] : offsets[-1]], offsets - offsets[0]
    return TextColumn(rows, missing, text, offsets[:-1], offsets[1:])
