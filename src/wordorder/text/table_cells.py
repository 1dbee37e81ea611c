"""Cells of a table's column as lines of text: Parquet, JSON Lines, CSV or TSV."""

import atexit
import csv
import json
import sys
import tempfile
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice, repeat
from threading import Lock
from typing import Any

import numpy as np

from wordorder.arrow.columns import ArrowColumn, ListColumn, TextColumn, decode_column
from wordorder.arrow.inputs import grouped_lists, integer_lists, plain_rows
from wordorder.errors import InputError, UsageError, location
from wordorder.messages import counted
from wordorder.text.blocks import LineBlocks, decode_block
from wordorder.text.names import DELIMITED_SUFFIXES, TableColumn, is_address
from wordorder.text.opening import FileSource, Path, display_name
from wordorder.text.parts import FilePart, PartCutter
from wordorder.text.stores import StoredFile, partitions, table_files, table_format
from wordorder.text.strict_json import STRICT_JSON

# Rows that are in memory at a time.
BATCH_ROWS = 1 << 12

# The kernel formats numbers of at most eight digits.
FORMATTED_LIMIT = 10**8

CELL_TYPES = "text, a list of words, or a list of positions"


class TableStream:
    """The cells of a column, one per line, as a stream of bytes.

    Parameters
    ----------
    table : TableColumn
    name : str
        The column's name in messages.
    part : FilePart, optional
        The rows to read, if not all. Its offset is the index of a row group of Parquet, or the
        index of a file of a table in several files.
    holding : "text", "links" or "names"
        See `cell_text`.

    Raises
    ------
    InputError
        From here and from `read`: if the file cannot be read, has no such column, or a cell is
        missing, is not text, or contains a line break; the message names the row.
    UsageError
        If Parquet is to be read and pyarrow is not installed.
    """

    def __init__(
        self, table: TableColumn, name: str, part: FilePart | None = None, *, holding: str = "text"
    ) -> None:
        self._parts = _cells(table, name, part, holding)
        self._pending = b""

    def read(self, size: int) -> bytes:
        """Return at most `size` further bytes; empty at the end."""
        while not self._pending:
            part = next(self._parts, None)
            if part is None:
                return b""
            self._pending = part
        chunk, self._pending = self._pending[:size], self._pending[size:]
        return chunk

    def fileno(self) -> int:
        """Raise an OSError: a table has no descriptor to wait for."""
        raise OSError("a table has no descriptor")

    def close(self) -> None:
        """Close the file."""
        self._parts.close()


def _cells(
    table: TableColumn, name: str, part: FilePart | None, holding: str
) -> Generator[bytes, None, None]:
    """Yield the cells of a column as lines; messages name the file of a row."""
    files = table_files(table.path)
    if files == [table.path] and (form := table_format(table.path)) not in DELIMITED_SUFFIXES:
        yield from (parquet_cells if form == ".parquet" else json_cells)(table, name, part, holding)
        return
    lines = None if part is None else PartCutter(part)
    for file in files[0 if part is None else part.offset :]:
        cells = CELL_READERS[table_format(file)]
        column_name = display_name(f"{file}#{table.column}" if table.column else file)
        for text in cells(TableColumn(file, table.column), column_name, None, holding):
            chunk = text if lines is None else lines.cut(text)
            if chunk:
                yield chunk
            if lines is not None and lines.ended:
                return


class _Rows(FileSource):
    """The bytes of a table of text; standard input is stored for columns that are read later."""

    def _open_stream(self, path: Path, part: FilePart | None) -> tuple[Any, bool]:
        return (_StoredInput(), False) if path == "-" else super()._open_stream(path, part)


class _StoredInput:
    """Standard input, stored in a temporary file so that it can be read repeatedly.

    Raises
    ------
    InputError
        If standard input is closed.
    """

    _file: Any = None
    _stdin: Any = None
    _lock = Lock()

    def __init__(self) -> None:
        self._offset = 0
        with _StoredInput._lock:
            if _StoredInput._stdin is not sys.stdin:
                if sys.stdin is None:
                    raise InputError("<stdin>", "standard input is closed", "an open one")
                file = tempfile.TemporaryFile()  # noqa: SIM115  # open until the program ends
                while data := sys.stdin.buffer.read(1 << 20):
                    file.write(data)
                if _StoredInput._file is not None:
                    _StoredInput._file.close()
                _StoredInput._file, _StoredInput._stdin = file, sys.stdin
                atexit.register(file.close)

    def read(self, size: int) -> bytes:
        """Return at most `size` further bytes."""
        with _StoredInput._lock:
            _StoredInput._file.seek(self._offset)
            data = bytes(_StoredInput._file.read(size))
        self._offset += len(data)
        return data

    def fileno(self) -> int:
        """Raise an OSError: the input is complete, so there is no need to wait."""
        raise OSError("kept rows have no descriptor")

    def close(self) -> None:
        """Do nothing: the file stays open for other columns."""


def delimited_cells(
    table: TableColumn, name: str, part: FilePart | None = None, holding: str = "text"
) -> Generator[bytes, None, None]:
    """Yield the cells of a column of CSV or TSV as lines.

    The first row names the columns. CSV follows RFC 4180, with quotes; in TSV every tab and every
    line end is a separator, and quotes are text.
    """
    with _csv_rows(table.path, name) as (rows, names):
        column = _delimited_column(table, names)
        yield from _lines(cell_text(_cells_of(row, names)[column]) for row in rows)


@contextmanager
def _csv_rows(path: str, name: str) -> Iterator[tuple[Any, list[str]]]:
    """Yield a csv reader of the rows after the header, and the names of the columns.

    Faults of this and later rows are raised as an InputError with the line.
    """
    tabs = table_format(path) == ".tsv"
    with LineBlocks(_Rows(path)) as blocks:
        rows = csv.reader(
            _text_of(blocks),
            delimiter="\t" if tabs else ",",
            quoting=csv.QUOTE_NONE if tabs else csv.QUOTE_MINIMAL,
            strict=True,
        )
        try:
            names = next(rows, [])
            refuse_semicolons(names, location(name, rows.line_num))
            yield rows, names
        except csv.Error as error:
            problem = f"no {table_format(path)[1:].upper()} ({error})"
            expected = "quotes that end; two for each in a cell"
            raise InputError(location(name, rows.line_num), problem, expected) from None
        except InputError as error:
            context = error.where or location(name, rows.line_num)
            raise InputError(context, error.what, error.expected) from None


def refuse_semicolons(header: list[str], context: str) -> None:
    """Refuse a header whose names are separated by semicolons."""
    if len(header) == 1 and ";" in header[0]:
        problem = f"semicolons between the names of columns: {header[0]!r}"
        raise InputError(
            context, problem, "commas (CSV), or tabs (TSV): save the table again as that"
        )


def _cells_of(row: list[str], names: list[str]) -> list[str]:
    """Return a row after checking that it has the same number of cells as the first."""
    if len(row) != len(names):
        raise InputError("", counted(len(row), "cell"), f"{len(names)}, as the first row has")
    return row


def _text_of(blocks: LineBlocks) -> Iterator[str]:
    """Yield the lines of a file with their ends, as the csv module expects."""
    while (block := blocks.take(BATCH_ROWS)).lines:
        # Only a newline ends a row: U+2028 and similar characters are text.
        lines = decode_block(block, blocks.name).removesuffix("\n").split("\n")
        yield from (f"{line}\n" for line in lines)


def _delimited_column(table: TableColumn, names: list[str]) -> int:
    """Return the index of a column."""
    if not table.column and len(names) == 1:
        return 0
    if not table.column or not names:
        raise _unnamed_column(table, names)
    if table.column not in names:
        raise InputError("", f"no column {table.column!r}", f"one of {_format_names(names)}")
    if names.count(table.column) > 1:
        raise InputError("", f"the column {table.column!r} twice", "names that differ")
    return names.index(table.column)


def json_cells(
    table: TableColumn, name: str, part: FilePart | None = None, holding: str = "text"
) -> Generator[bytes, None, None]:
    """Yield the cells of a column of JSON Lines as lines."""
    lines = None if part is None else replace(part, path=table.path)
    rows = _json_rows(
        table.path, name, lines, lambda row: cell_text(_json_cell(row, table), holding)
    )
    yield from _lines(cell for _, cell in rows)


def parquet_cells(
    table: TableColumn, name: str, part: FilePart | None = None, holding: str = "text"
) -> Generator[bytes, None, None]:
    """Yield the cells of a column of Parquet as lines."""
    row, group, skip, remaining = 0, 0, 0, None
    if part is not None:
        row, group, skip, remaining = part.lines_before, part.offset, part.skip, part.lines
    with open_parquet(table.path, name) as file:
        from pyarrow import compute

        folders = {} if table.column in file.schema_arrow.names else partitions(table.path)
        if table.column in folders:
            yield from _same_cells(folders[table.column], file.metadata.num_rows, name)
            return
        column_path, path = _find_column(table, file.schema_arrow)
        column = ".".join([column_path, *path])
        groups = range(group, file.num_row_groups)
        for rows in file.iter_batches(
            BATCH_ROWS, row_groups=groups, columns=[column], use_threads=False
        ):
            batch = rows.slice(skip, remaining)
            skip = max(skip - rows.num_rows, 0)
            if remaining is not None:
                remaining -= batch.num_rows
            if not batch.num_rows:
                if remaining == 0:
                    break
                continue
            values = batch.column(0)
            for field in path:
                values = compute.struct_field(values, field)
            yield _column_lines(decode_column(values, "", CELL_TYPES), name, row + 1, holding)
            row += batch.num_rows


@contextmanager
def open_parquet(path: str, name: str) -> Iterator[Any]:
    """Open a Parquet file with pyarrow; faults now and later are raised as an InputError."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        message = f'{name}: pyarrow is not installed; pip install "wordorder[arrow]"'
        raise UsageError(message) from None
    FileSource(path).close()
    try:
        source = StoredFile(path) if is_address(path) else path
        with parquet.ParquetFile(source, pre_buffer=False, buffer_size=1 << 20) as file:
            yield file
    except InputError as error:
        raise error if error.where else InputError(name, error.what, error.expected) from None
    # If names of columns are damaged, pyarrow raises the decoder's error.
    except (ArrowException, OSError, UnicodeDecodeError) as error:
        problem = " ".join(str(error).split())[:200]
        raise InputError(path, problem, "a whole Parquet file") from None


def _same_cells(value: str, rows: int, name: str) -> Iterator[bytes]:
    """Yield the cells of a column whose only value is in the name of a folder."""
    if value == "__HIVE_DEFAULT_PARTITION__":
        raise InputError(name, "a missing value (null)", CELL_TYPES)
    yield from _lines(repeat(cell_text(value), rows))


def whole_rows(path: str) -> Generator[tuple[str, int, dict[str, Any]], None, None]:
    """Yield the rows of all files of a table: the file's name in messages, line number, cells.

    Line numbers count from 1 in each file; in Parquet they are row numbers.

    Raises
    ------
    InputError, UsageError
        As `TableStream`.
    """
    for file in table_files(path):
        name, form = display_name(file), table_format(file)
        folders = partitions(file)
        rows: Any = _delimited_rows if form in DELIMITED_SUFFIXES else _json_rows
        for number, row in (_parquet_rows if form == ".parquet" else rows)(file, name):
            yield name, number, folders | row


def _parquet_rows(path: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    with open_parquet(path, name) as file:
        batches = file.iter_batches(BATCH_ROWS, use_threads=False)
        rows = chain.from_iterable(batch.to_pylist() for batch in batches)
        yield from enumerate(rows, 1)


def _json_rows(
    path: str,
    name: str,
    part: FilePart | None = None,
    convert: Callable[[dict[str, Any]], Any] = lambda row: row,
) -> Iterator[tuple[int, Any]]:
    with LineBlocks(_Rows(path, part)) as blocks:
        while (block := blocks.take(BATCH_ROWS)).lines:
            text = decode_block(block, blocks.name).removesuffix("\n")
            for number, line in enumerate(text.split("\n"), block.first_line):
                try:
                    yield number, convert(_json_row(line))
                except InputError as error:
                    raise InputError(location(name, number), error.what, error.expected) from None


def _delimited_rows(path: str, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    with _csv_rows(path, name) as (rows, names):
        twice = next((column for column in names if names.count(column) > 1), None)
        if twice is not None:
            raise InputError("", f"the column {twice!r} twice", "one column of a name")
        for row in rows:
            yield rows.line_num, dict(zip(names, _cells_of(row, names), strict=True))


def cell_text(value: Any, holding: str = "text") -> str:
    """Return a cell as a line.

    Parameters
    ----------
    value : str, int or list
    holding : "text", "links" or "names"
        The content of the column. Inner lists are tied positions in "text", and links in "links";
        integers are allowed in "names".

    Raises
    ------
    InputError
        If the value cannot be written as one line of that content.

    Examples
    --------
    >>> cell_text("it rains"), cell_text(["it", "rains"]), cell_text([2, 0, [3, 4], 1])
    ('it rains', 'it rains', '2 0 3,4 1')
    >>> cell_text([[1, 0], [0, 1]], "links")
    '1-0 0-1'
    >>> cell_text(7, "names")
    '7'
    """
    if isinstance(value, str):
        if "\n" in value or value.endswith("\r"):
            raise InputError("", "a line break", "one line per cell")
        if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
            raise InputError("", "a lone surrogate", "text that UTF-8 can hold")
        return value
    if value is None:
        raise InputError("", "a missing value (null)", CELL_TYPES)
    if holding == "names" and isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if holding == "names":
        raise InputError("", json.dumps(value)[:40], "text or an integer")
    if not isinstance(value, list):
        raise InputError("", json.dumps(value)[:40], CELL_TYPES)
    if all(isinstance(entry, str) for entry in value):
        for word in value:
            if not word or len(word.split()) != 1 or word != word.strip():
                raise InputError("", f"the word {word!r}"[:40], "words without blanks")
        return " ".join(map(cell_text, value))
    groups = [_group(entry) for entry in value]
    if holding == "links" and any(isinstance(entry, list) for entry in value):
        invalid = next((group for group in groups if len(group) != 2), None)
        if invalid is not None:
            raise InputError("", json.dumps(invalid)[:40], "links: [source index, target index]")
        return " ".join("-".join(map(_position, group)) for group in groups)
    return " ".join(",".join(map(_position, group)) for group in groups)


def _group(entry: Any) -> list[Any]:
    """Return a group of tied positions; a single position is a group of one."""
    if isinstance(entry, list):
        if not entry:
            raise InputError("", "an empty group", "at least one position in each")
        return entry
    return [entry]


def _position(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError("", json.dumps(value)[:40], CELL_TYPES)
    return str(value)


def _json_row(line: str) -> dict[str, Any]:
    """Return a row of JSON."""
    try:
        row = STRICT_JSON.decode(line)
    except RecursionError:
        raise InputError("", "JSON that is nested too deeply", "one flat object per line") from None
    except ValueError as error:
        problem = (
            "an empty line" if not line.strip() else f"no JSON ({str(error).split(';')[0][:80]})"
        )
        raise InputError("", problem, "a JSON object on each line") from None
    if not isinstance(row, dict):
        raise InputError("", line[:40], "a JSON object on each line")
    return row


def _json_cell(row: dict[str, Any], table: TableColumn) -> Any:
    """Return the value of a column in a row of JSON."""
    if not table.column:
        if len(row) != 1:
            raise _unnamed_column(table, list(row))
        return next(iter(row.values()))
    if table.column in row:
        return row[table.column]
    # Nested fields: {"translation": {"de": ...}} has a column translation.de.
    value: Any = row
    for field in table.column.split("."):
        if not isinstance(value, dict) or field not in value:
            raise InputError(
                "", f"no column {table.column!r}", f"one of {_format_names(_flat_names(row))}"
            )
        value = value[field]
    return value


def _flat_names(row: dict[str, Any]) -> list[str]:
    """Return the names of columns, including those of nested fields."""
    return [
        name if field is None else f"{name}.{field}"
        for name, value in row.items()
        for field in (_flat_names(value) if isinstance(value, dict) and value else [None])
    ]


def _find_column(table: TableColumn, schema: Any) -> tuple[str, list[str]]:
    """Return the top-level column of Parquet, and the nested fields that lead to the cells."""
    names = list(schema.names)
    if not table.column and len(names) == 1:
        return names[0], []
    if not table.column:
        raise _unnamed_column(table, names)
    if table.column in names:
        return table.column, []
    from pyarrow import StructType

    first, *path = table.column.split(".")
    kind: Any = schema.field(first).type if first in names else None
    for field in path:
        fields = [below.name for below in kind] if isinstance(kind, StructType) else []
        kind = kind.field(field).type if field in fields else None
    if kind is None:
        raise InputError(
            table.path, f"no column {table.column!r}", f"one of {_format_names(names)}"
        )
    return first, path


def _unnamed_column(table: TableColumn, names: list[str]) -> InputError:
    """Build the error for a table without the name of a column."""
    if not names:
        return InputError(table.path, "a table without columns", "one with text in a column")
    problem = f"a table with the columns {_format_names(names)}"
    example = f"{table.path}#{names[0]}"
    return InputError(table.path, problem, f"the name of one: {example}, or --column")


def _format_names(names: list[str]) -> str:
    return ", ".join(names) if names else "none: there are no columns"


def _column_lines(column: ArrowColumn, name: str, first: int, holding: str) -> bytes:
    """Return the cells of a column as lines; `first` is the number of its first row."""
    missing = column.first_missing()
    if missing is not None:
        raise InputError(location(name, first + missing), "a missing value (null)", CELL_TYPES)
    if isinstance(column, TextColumn):
        invalid = _first_line_break(column)
        if invalid is not None:
            raise InputError(location(name, first + invalid), "a line break", "one line per cell")
        return _text_lines(column)
    encoded = _position_lines(column) if holding == "text" else None
    if encoded is not None:
        return encoded
    cells: list[str] = []
    try:
        cells += (cell_text(value, holding) for value in plain_rows(column))
    except InputError as error:
        context = location(name, first + len(cells))
        raise InputError(context, error.what, error.expected) from None
    return b"".join(_lines(cells))


def _position_lines(column: ArrowColumn) -> bytes | None:
    """Return a column of lists of positions as lines; None for other columns."""
    if not isinstance(column, ListColumn):
        return None
    try:
        if isinstance(column.items, ListColumn):
            values, ranks, offsets = grouped_lists(column)
        else:
            values, offsets = integer_lists(column)
            # Different ranks: positions have no ties here, even if one is listed twice.
            ranks = np.arange(len(values), dtype=np.int32)
    except InputError:
        return None
    if len(values) and not 0 <= values.min() <= values.max() < FORMATTED_LIMIT:
        return None
    from wordorder.kernels import call
    from wordorder.kernels.text import format_orders

    state = np.zeros(1, np.int64)
    text = np.empty(9 * len(values) + column.rows, np.uint8)
    call(format_orders, values, ranks, offsets, text, state, 0, column.rows)
    return text[: int(state[0])].tobytes()


def _first_line_break(column: TextColumn) -> int | None:
    """Return the index of the first row with a line break."""
    starts, stops = column.starts, column.stops
    breaks = np.flatnonzero(column.data == 10)
    has_break = np.searchsorted(breaks, starts) < np.searchsorted(breaks, stops)
    filled = np.flatnonzero(stops > starts)
    has_break[filled] |= column.data[stops[filled] - 1] == 13
    return int(np.argmax(has_break)) if has_break.any() else None


def _text_lines(column: TextColumn) -> bytes:
    """Return rows of text with a newline after each."""
    data = column.data.tobytes()
    spans = zip(column.starts.tolist(), column.stops.tolist(), strict=True)
    parts = [data[start:stop] for start, stop in spans]
    return b"\n".join([*parts, b""]) if parts else b""


def _lines(cells: Iterable[str]) -> Iterator[bytes]:
    """Yield blocks of cells as lines."""
    remaining = iter(cells)
    while batch := list(islice(remaining, BATCH_ROWS)):
        yield "\n".join([*batch, ""]).encode()


CELL_READERS = {
    ".parquet": parquet_cells,
    ".jsonl": json_cells,
    ".ndjson": json_cells,
    ".csv": delimited_cells,
    ".tsv": delimited_cells,
}
