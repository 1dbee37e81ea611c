"""Cutting of files into spans: parts with the same rows of all files."""

from __future__ import annotations

import json
import os
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, chain, count, pairwise
from typing import Any

import numpy as np

from wordorder._version import __version__
from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.scale.line_output import Span, Stamp
from wordorder.text.blocks import LineBlocks, SentenceBlocks
from wordorder.text.compression import READ_BYTES as COMPRESSION_CHUNK, Decompressed, kind_of_name
from wordorder.text.lockstep import CHUNK_LINES, line_count_mismatch
from wordorder.text.names import (
    DELIMITED_SUFFIXES,
    TableColumn,
    file_of,
    is_address,
    read_only_once,
    table_column,
)
from wordorder.text.opening import display_name, readable
from wordorder.text.parts import NEWLINE, FilePart
from wordorder.text.sources import Source
from wordorder.text.stores import absolute, stored_stamp, table_files, table_format
from wordorder.text.table_cells import TableStream, open_parquet

# The number of spans of a corpus of medium size, enough for many workers.
TARGET_SPANS = 64

# More lines than any file has.
ALL_LINES = 1 << 62

# From this many bytes of plain text on, workers count the lines: one process would need seconds.
MIN_BYTES_FOR_WORKERS = 1 << 32

# Bytes in which a worker counts lines as one span.
COUNTED_BYTES = 256 * COMPRESSION_CHUNK

# Runs spans, and returns their results in order.
RunSpans = Callable[[Sequence[Span]], Sequence[bytes]]


@dataclass(frozen=True)
class Sizes:
    """The size of spans: a 64th of all files, within bounds.

    Attributes
    ----------
    min_bytes, max_bytes : int
        Bounds of the decompressed bytes of all files in a span.
    rows : int
        The number of rows in a span is a multiple of this, the number that readers read at a time.
    """

    min_bytes: int
    max_bytes: int
    rows: int = CHUNK_LINES


# Each span takes some seconds; a thousand of the largest ones are 10^11 bytes.
SCORED = Sizes(1 << 20, 1 << 27)
WRITTEN = Sizes(1 << 16, 1 << 23, 1 << 9)


@dataclass(frozen=True)
class RowFile:
    """A file whose rows are divided among spans.

    Attributes
    ----------
    path : str
    sentences : bool
        Whether a row is a sentence of CoNLL-U, not a line.
    indivisible : bool
        Whether the file can be read only from its start to its end.
    """

    path: str
    sentences: bool = False
    indivisible: bool = False


@dataclass(frozen=True)
class _Rows:
    """The rows of a file, with an index of their lines.

    Attributes
    ----------
    file : RowFile
    index : LineIndex
    rows : int
    starts : list of int
        For sentences: the line at which every `unit`-th sentence starts.
    unit : int
    """

    file: RowFile
    index: LineIndex
    rows: int
    starts: list[int] = field(default_factory=list)
    unit: int = CHUNK_LINES

    @classmethod
    def of(cls, file: RowFile, unit: int, index: LineIndex | None = None) -> _Rows:
        index = index or LineIndex.of_file(file.path)
        if not file.sentences:
            return cls(file, index, index.lines)
        starts, rows = _sentence_starts(file.path, unit)
        return cls(file, index, rows, starts, unit)

    def line(self, row: int) -> int:
        """Return the line at which a row starts."""
        if not self.file.sentences:
            return row
        return self.index.lines if row == self.rows else self.starts[row // self.unit]

    def part(self, first: int, last: int) -> FilePart:
        """Return the part of the file with the rows `first` to `last` - 1."""
        line = self.line(first)
        offset, skip = self.index.position(line)
        path = absolute(self.file.path)
        return FilePart(path, offset, skip, self.line(last) - line, line, first)


def cut(
    files: Sequence[RowFile],
    task: Mapping[str, Any],
    *,
    resources: Iterable[str] = (),
    sizes: Sizes = SCORED,
    run_spans: RunSpans | None = None,
) -> list[Span]:
    """Cut files into spans.

    Parameters
    ----------
    files : sequence of RowFile
        Files with the same number of rows.
    task : mapping
        The task of each span.
    resources : iterable of str
        Absolute paths of files that are read completely for every span.
    sizes : Sizes
        The approximate size of spans.
    run_spans : callable, optional
        Lets workers count the lines of large files; see `count_lines`.

    Raises
    ------
    InputError
        If a file cannot be read, or two differ in their number of rows.
    UsageError
        If an input is not a file.

    Warns
    -----
    note
        If there is only one span because a compressed file has a single member.
    """
    refuse_streams(file.path for file in files)
    if any(file.indivisible for file in files):
        path = next(file.path for file in files if file.indivisible)
        note(f"{path}: this notation of alignments is read as a whole, so that all is one span")
        parts = {file.path: FilePart(absolute(file.path), 0, 0, ALL_LINES, 0, 0) for file in files}
        stamps = _stamps([*(part.path for part in parts.values()), *resources])
        return [Span(task, 0, 0, parts, stamps)]
    unique_files = list(dict.fromkeys(files))
    indices = {}
    if run_spans is not None:
        indices = count_lines([file.path for file in unique_files], run_spans)
    rows_of_files = [_Rows.of(file, sizes.rows, indices.get(file.path)) for file in unique_files]
    first = rows_of_files[0]
    for other in rows_of_files[1:]:
        if other.rows != first.rows:
            unit = "sentence" if any(rows.file.sentences for rows in rows_of_files) else "line"
            first_name = display_name(first.file.path)
            other_name = display_name(other.file.path)
            raise line_count_mismatch(first_name, first.rows, other_name, other.rows, unit)
    stamps = _stamps([*(absolute(rows.file.path) for rows in rows_of_files), *resources])
    return [
        Span(
            task,
            start,
            end - start,
            {rows.file.path: rows.part(start, end) for rows in rows_of_files},
            stamps,
        )
        for start, end in pairwise(_cuts(rows_of_files, sizes))
    ]


def _stamps(paths: Iterable[str]) -> dict[str, Stamp]:
    """Return the stamp of each file; a path of a table may stand for several files."""
    files = [table_files(file_of(path)) if table_column(path) else [path] for path in paths]
    return {file: stamp(file) for file in chain(*files)}


def stamp(path: str) -> Stamp:
    """Return the size of a file in bytes, and the time of its last change in nanoseconds."""
    with readable(file_of(path)):
        return stored_stamp(file_of(path))


def refuse_streams(paths: Iterator[str] | Sequence[str]) -> None:
    """Raise a UsageError for an input that cannot be read from any position."""
    for path in paths:
        if read_only_once(path) or file_of(path) == "-":
            raise UsageError(f"{display_name(path)}: --engine reads files: this input is a stream")


def _cuts(rows_of_files: Sequence[_Rows], sizes: Sizes) -> list[int]:
    """Return the rows at which spans start, and the number of rows."""
    rows = rows_of_files[0].rows
    size = sum(rows_of_file.index.size for rows_of_file in rows_of_files)
    max_bytes = min(max(size // TARGET_SPANS, sizes.min_bytes), sizes.max_bytes)
    spans = max(-(-size // max_bytes), 1)
    indices = [rows_of_file.index for rows_of_file in rows_of_files if rows_of_file.index.member]
    if not indices or spans == 1:
        step = _step(rows, spans, sizes.rows)
        return [*range(0, rows, step), rows] if rows else [0, 0]
    coarsest = min(indices, key=lambda index: index.members)
    members = coarsest.members
    if members < 2:
        several = (
            "several row groups"
            if coarsest.member == "row group"
            else "several parts"
            if coarsest.member == "part"
            else "several members (bgzip, or parts that were compressed apart and joined)"
        )
        note(
            f"{coarsest.path}: one {coarsest.member}, so that all is one span and one worker reads "
            f"it; a file of {several} is shared out"
        )
        return [0, rows]
    step = _step(rows, min(spans, members), sizes.rows)
    cuts = [*range(0, rows, step), rows]
    if any(rows_of_file.file.sentences for rows_of_file in rows_of_files):
        return cuts
    return _move_to_members(cuts, coarsest)


def _step(rows: int, spans: int, unit: int) -> int:
    """Return the number of rows in a span, a multiple of `unit`."""
    return max(-(-rows // (spans * unit)), 1) * unit


def _move_to_members(cuts: Sequence[int], index: LineIndex) -> list[int]:
    """Move cuts to the next start of a member, so that no member is decompressed twice."""
    rows = cuts[-1]
    starts = [line for line in index.first_lines if line < rows]
    moved_cuts = [0]
    member = 0
    for row in cuts[1:-1]:
        while member < len(starts) and starts[member] < row:
            member += 1
        if member < len(starts) and starts[member] > moved_cuts[-1]:
            moved_cuts.append(starts[member])
    return [*moved_cuts, rows]


def _sentence_starts(path: str, unit: int) -> tuple[list[int], int]:
    """Return the line of every `unit`-th sentence, and the number of sentences."""
    starts: list[int] = []
    with SentenceBlocks(Source(path)) as blocks:
        while (block := blocks.take(unit - blocks.sentences % unit)).lines:
            if len(starts) * unit < blocks.sentences:
                starts.append(block.first_line - 1)
        return starts, blocks.sentences


def count_lines(paths: Iterable[str], run_spans: RunSpans) -> dict[str, LineIndex]:
    """Let workers count the lines of files of plain text.

    Parameters
    ----------
    paths : iterable of str
    run_spans : callable

    Returns
    -------
    mapping of path to LineIndex
        The index of each file of plain text; empty if these files are small.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    plain_paths = {path: os.path.abspath(file_of(path)) for path in paths if _is_plain(path)}
    sizes = {absolute_path: stamp(path)[0] for path, absolute_path in plain_paths.items()}
    if sum(sizes.values()) < MIN_BYTES_FOR_WORKERS:
        return {}
    spans = [
        Span(
            {"verb": "count", "version": __version__, "path": path, "offset": offset},
            0,
            0,
            files={path: (size, os.stat(path).st_mtime_ns)},
        )
        for path, size in sizes.items()
        for offset in range(0, size, COUNTED_BYTES)
    ]
    counts: dict[str, list[int]] = {path: [] for path in sizes}
    for span, result in zip(spans, run_spans(spans), strict=True):
        counts[span.task["path"]] += json.loads(result)["newlines"]
    return {
        path: LineIndex.of_counts(file_of(path), counts[absolute_path], sizes[absolute_path])
        for path, absolute_path in plain_paths.items()
    }


def count_span(span: Span) -> bytes:
    """Count the newlines in each chunk of a part of a file; return the counts as JSON."""
    counts = list(count_newlines(span.task["path"], span.task["offset"], COUNTED_BYTES))
    return json.dumps({"newlines": counts}, separators=(",", ":")).encode()


def _is_plain(path: str) -> bool:
    if kind_of_name(file_of(path)) is not None or is_address(path):
        return False
    table = table_column(path)
    return table is None or not _by_rows(table)


def _by_rows(table: TableColumn) -> bool:
    """Return whether a table can be read only by rows, not from any line of a file."""
    if table_files(table.path) != [table.path] or is_address(table.path):
        return True
    return table_format(table.path) in (".parquet", *DELIMITED_SUFFIXES)


@dataclass
class LineIndex:
    """Offsets from which a file can be read, with the number of newlines before each.

    Attributes
    ----------
    path : str
    member : str
        The unit that can be read only from its start: "gzip member", "row group", "part" (a file of
        a table of several files, or in a store); empty for plain text.
    offsets : list of int
        Offsets in the stored file: multiples of `COMPRESSION_CHUNK` in plain text, the starts of
        members in compressed files; for Parquet, indices of row groups.
    newlines : list of int
        The number of newlines before each offset.
    lines : int
        The number of lines of the file.
    size : int
        The number of decompressed bytes of the file.
    """

    path: str
    member: str = ""
    offsets: list[int] = field(default_factory=list)
    newlines: list[int] = field(default_factory=list)
    lines: int = 0
    size: int = 0

    @classmethod
    def of_file(cls, path: str) -> LineIndex:
        r"""Read a file once, to its end.

        Raises
        ------
        InputError
            If it cannot be read.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
        >>> _ = path.write_text("one\ntwo\nthree")
        >>> index = LineIndex.of_file(str(path))
        >>> index.lines, index.position(2)
        (3, (0, 2))
        """
        table = table_column(path)
        if table is not None and _by_rows(table):
            return cls._of_table(table)
        if is_address(path):
            with LineBlocks(Source(path)) as blocks:
                index = cls(path, "part", [0], [0])
                while (block := blocks.take(CHUNK_LINES)).lines:
                    index.lines += block.lines
                    index.size += len(block.data)
            return index
        path = file_of(path)
        kind = kind_of_name(path)
        with readable(display_name(path)):
            if kind is not None:
                return cls._of_members(path, kind)
            return cls.of_counts(path, list(count_newlines(path)), os.stat(path).st_size)

    @classmethod
    def of_counts(cls, path: str, counts: Sequence[int], size: int) -> LineIndex:
        """Return the index of plain text, from the newlines in each `COMPRESSION_CHUNK` bytes."""
        newlines_before = list(accumulate(counts, initial=0))
        newlines = newlines_before.pop()
        offsets = [index * COMPRESSION_CHUNK for index in range(len(counts))]
        with open(path, "rb") as file:
            file.seek(max(size - 1, 0))
            lacks_newline = file.read(1) not in (b"", b"\n")
        return cls(path, "", offsets, newlines_before, newlines + lacks_newline, size)

    @classmethod
    def _of_members(cls, path: str, kind: str) -> LineIndex:
        """Read a compressed file to its end."""
        index = cls(path, f"{kind} member")
        newlines, last_byte = 0, b"\n"
        with open(path, "rb", buffering=0) as raw:
            members = Decompressed(raw, kind, display_name(path))
            while data := members.read():
                if not index.offsets or members.member != index.offsets[-1]:
                    index.offsets.append(members.member)
                    index.newlines.append(newlines)
                index.size += len(data)
                newlines += _count_newlines(data)
                last_byte = data[-1:]
        index.lines = newlines + (last_byte != b"\n")
        return index

    @classmethod
    def _of_table(cls, table: TableColumn) -> LineIndex:
        """Read the number of rows in each file or, of Parquet, in each row group of a table."""
        files = table_files(table.path)
        if files == [table.path] and table_format(table.path) == ".parquet":
            return cls._of_parquet(table.path)
        index = cls(table.path, "part")
        for file_index, file in enumerate(files):
            if table_format(file) == ".parquet":
                part = cls._of_parquet(file)
            else:
                part = cls(file)
                cells = TableStream(TableColumn(file, table.column), display_name(file))
                while data := cells.read(COMPRESSION_CHUNK):
                    part.lines += data.count(b"\n")
                    part.size += len(data)
            index._add_member(file_index, part.lines, part.size)
        return index

    @classmethod
    def _of_parquet(cls, path: str) -> LineIndex:
        """Read the number of rows of each row group of a Parquet file."""
        index = cls(path, "row group")
        with open_parquet(path, path) as file:
            metadata = file.metadata
        for group_index in range(metadata.num_row_groups):
            group = metadata.row_group(group_index)
            index._add_member(group_index, group.num_rows, group.total_byte_size)
        return index

    def _add_member(self, offset: int, lines: int, size: int) -> None:
        self.offsets.append(offset)
        self.newlines.append(self.lines)
        self.lines += lines
        self.size += size

    @property
    def members(self) -> int:
        """Number of offsets from which the file can be read."""
        return len(self.offsets)

    @property
    def first_lines(self) -> list[int]:
        """Index of the first line that starts at or after each offset."""
        if self._has_rows:
            return self.newlines
        rows = zip(self.offsets, self.newlines, strict=True)
        return [newlines + (offset > 0) for offset, newlines in rows]

    def position(self, line: int) -> tuple[int, int]:
        """Return the offset from which to read a line, and the number of newlines to skip there."""
        # An offset preceded by `line` newlines may lie within that line, but not within a row.
        bisect = bisect_right if self._has_rows else bisect_left
        member = max(bisect(self.newlines, line) - 1, 0)
        return (self.offsets[member], line - self.newlines[member]) if self.offsets else (0, 0)

    @property
    def _has_rows(self) -> bool:
        return self.member in ("row group", "part")


def count_newlines(path: str, offset: int = 0, max_bytes: int | None = None) -> Iterator[int]:
    """Yield the number of newlines in each `COMPRESSION_CHUNK` bytes of a file.

    Parameters
    ----------
    path : str
    offset : int
        The first byte.
    max_bytes : int, optional
        A multiple of `COMPRESSION_CHUNK`; by default, all bytes to the end of the file.
    """
    # One buffer for all chunks: allocating a new one takes longer than counting.
    buffer = memoryview(bytearray(COMPRESSION_CHUNK))
    with open(path, "rb") as file:
        file.seek(offset)
        chunks = count() if max_bytes is None else range(max_bytes // COMPRESSION_CHUNK)
        for _ in chunks:
            size = file.readinto(buffer)
            if not size:
                return
            yield _count_newlines(buffer[:size])


def _count_newlines(data: bytes | memoryview) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == NEWLINE))
