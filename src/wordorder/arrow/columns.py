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
        Which rows are null; None if all have values.
    """

    rows: int
    missing: npt.NDArray[np.bool_] | None

    def first_missing(self) -> int | None:
        """Return the index of the first row that is null or contains a null; None if none is."""
        return None if self.missing is None else int(np.argmax(self.missing))


@dataclass(frozen=True)
class TextColumn(ArrowColumn):
    """Strings: row ``i`` is ``data[starts[i]:stops[i]]``, in UTF-8 if its library validates it."""

    data: npt.NDArray[np.uint8]
    starts: npt.NDArray[np.int64]
    stops: npt.NDArray[np.int64]


@dataclass(frozen=True)
class IntegerColumn(ArrowColumn):
    """One integer per row."""

    values: npt.NDArray[Any]


@dataclass(frozen=True)
class ListColumn(ArrowColumn):
    """Lists: row ``i`` has the items ``offsets[i] .. offsets[i+1]-1``."""

    offsets: npt.NDArray[np.int64]
    items: ArrowColumn

    def first_missing(self) -> int | None:
        """Return the index of the first row that is null or contains a null; None if none is."""
        position = super().first_missing()
        inside = self.items.first_missing()
        if inside is not None:
            row = int(np.searchsorted(self.offsets, inside, side="right")) - 1
            position = row if position is None else min(row, position)
        return position


def is_arrow(data: object) -> bool:
    """Return whether an object is a column or a table with the Arrow PyCapsule interface."""
    return hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__")


def read_column(source: Any, name: str, allowed: str) -> ArrowColumn:
    """Read a column and refuse nulls; see `decode_column`.

    Raises
    ------
    InputError
        Also if a row is null; the message names the row, from 1.
    """
    column = decode_column(source, name, allowed)
    row = column.first_missing()
    if row is not None:
        context = f"{name}, row {row + 1}".removeprefix(", ")
        raise InputError(context, "a missing value (null)", "a value in each row")
    return column


def decode_column(source: Any, name: str, allowed: str) -> ArrowColumn:
    """Read all chunks of a column.

    Parameters
    ----------
    source : object with ``__arrow_c_stream__`` or ``__arrow_c_array__``
    name : str
        The column's name in messages; may be empty.
    allowed : str
        Allowed content, for messages: "strings".

    Raises
    ------
    ImportError
        If pyarrow is not installed.
    InputError
        If its type is not text, integers, or lists of these; the message names the type.
    """
    import pyarrow as pa

    array = source if isinstance(source, (pa.Array, pa.ChunkedArray)) else None
    if array is None:
        array = (pa.chunked_array if hasattr(source, "__arrow_c_stream__") else pa.array)(source)
    _check_type(array.type, name, allowed)
    if isinstance(array, pa.ChunkedArray):
        # Concatenated strings may be too long for the 32-bit offsets of their chunks.
        arrow_type = pa.large_string() if _is_text(array.type) else array.type
        chunks = array.cast(arrow_type).chunks
        array = (
            chunks[0]
            if len(chunks) == 1
            else pa.concat_arrays(chunks or [pa.array([], arrow_type)])
        )
    return _convert(array)


def _check_type(arrow_type: Any, name: str, allowed: str) -> None:
    """Raise an InputError for types that `_convert` does not support."""
    import pyarrow as pa

    item_type = arrow_type
    while _is_list(item_type):
        item_type = item_type.value_type
    if pa.types.is_dictionary(item_type):
        item_type = item_type.value_type
    if pa.types.is_struct(arrow_type):
        raise table_error(name, [field.name for field in arrow_type], allowed)
    if not (pa.types.is_integer(item_type) or pa.types.is_null(item_type) or _is_text(item_type)):
        raise InputError(name, f"a column of type {arrow_type}", f"a column of {allowed}")


def table_error(name: str, columns: Sequence[str], allowed: str) -> InputError:
    """Build the error for a table that was passed instead of a column."""
    problem = f"a table with the columns {', '.join(columns)}" if columns else "an empty table"
    return InputError(name, problem, f"one column of it, with {allowed}")


def _is_text(arrow_type: Any) -> bool:
    from pyarrow import types

    return bool(
        types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or str(arrow_type) == "string_view"
    )


def _is_list(arrow_type: Any) -> bool:
    from pyarrow import types

    # Older versions of pyarrow have no views.
    is_view = str(arrow_type).startswith(("list_view<", "large_list_view<"))
    is_list = (
        types.is_list(arrow_type)
        or types.is_large_list(arrow_type)
        or types.is_fixed_size_list(arrow_type)
    )
    return bool(is_list or is_view)


def _convert(values: Any) -> ArrowColumn:
    """Convert an array of pyarrow to a column."""
    import pyarrow as pa

    if pa.types.is_dictionary(values.type):
        # pyarrow cannot take entries of string views by index.
        words = values.dictionary
        words = words.cast(pa.large_string()) if _is_text(words.type) else words
        values = words.take(values.indices)
    arrow_type, rows = values.type, len(values)
    missing = values.is_null().to_numpy(zero_copy_only=False) if values.null_count else None
    if pa.types.is_integer(arrow_type):
        filled = values if missing is None else values.fill_null(0)
        return IntegerColumn(rows, missing, filled.to_numpy())
    if _is_list(arrow_type):
        lengths = pa.compute.list_value_length(values).fill_null(0).to_numpy(zero_copy_only=False)
        offsets = np.zeros(rows + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        return ListColumn(rows, missing, offsets, _convert(values.flatten()))
    values = values.cast(pa.large_string())
    _, offset_buffer, data = values.buffers()
    offsets = np.zeros(rows + 1, np.int64)
    if rows:
        offsets = np.frombuffer(offset_buffer, np.int64)[values.offset : values.offset + rows + 1]
    text = np.zeros(0, np.uint8) if data is None else np.frombuffer(data, np.uint8)
    text, offsets = text[offsets[0] : offsets[-1]], offsets - offsets[0]
    return TextColumn(rows, missing, text, offsets[:-1], offsets[1:])
