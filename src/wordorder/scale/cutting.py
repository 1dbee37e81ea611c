"""Cutting files into spans that hold the same rows of each."""

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

# Even a small corpus is shared out among some workers.
FEW_SPANS = 64

# As many lines as no file has.
ALL = 1 << 62


@dataclass(frozen=True)
class Sizes:
    """How large spans are: a 64th of all, within bounds.

    Attributes
    ----------
    least_bytes, most_bytes : int
        Of all files, decompressed.
    rows : int
        A span has a multiple of so many, as readers take them.
    """

    least_bytes: int
    most_bytes: int
    rows: int = CHUNK_LINES


# Each is some seconds of work; of the largest, a thousand are 10^11 bytes.
SCORED = Sizes(1 << 20, 1 << 27)

WRITTEN = Sizes(1 << 16, 1 << 23, 1 << 9)


@dataclass(frozen=True)
class RowFile:
    """A file whose rows are cut.

    Attributes
    ----------
    path : str
    sentences : bool
        Whether a row is a sentence of CoNLL-U, not a line.
    whole : bool
        Whether only the whole file can be read.
    """

    path: str
    sentences: bool = False
    whole: bool = False


@dataclass(frozen=True)
class _Rows:
    """The rows of a file.

    Attributes
    ----------
    file : RowFile
    index : LineIndex
    rows : int
    starts : list of int
        Of sentences: the line at which every `unit`-th begins.
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
        """Return the line at which a row begins."""
        if not self.file.sentences:
            return row
        return self.index.lines if row == self.rows else self.starts[row // self.unit]

    def part(self, first: int, last: int) -> FilePart:
        """Return the part with some rows."""
        line = self.line(first)
        offset, skip = self.index.place(line)
        path = absolute(self.file.path)
        return FilePart(path, offset, skip, self.line(last) - line, line, first)


def cut(
    files: Sequence[RowFile],
    task: Mapping[str, Any],
    *,
    resources: Iterable[str] = (),
    sizes: Sizes = SCORED,
    give_out: GiveOut | None = None,
) -> list[Span]:
    """Cut files into spans.

    Parameters
    ----------
    files : sequence of RowFile
        With as many rows each.
    task : mapping
        What is to be done with each span.
    resources : iterable of str
        Files that are read as a whole for every span, by paths that hold anywhere.
    sizes : Sizes
        About how large they are.
    give_out : callable, optional
        Has workers count the lines of large files, as `counted_lines` takes it.

    Raises
    ------
    InputError
        If a file cannot be read, or two differ in their number of rows.
    UsageError
        If an input is no file.

    Warns
    -----
    note
        If all is one span because a compressed file has a single member.
    """
    refuse_streams(file.path for file in files)
    if any(file.whole for file in files):
        whole = next(file.path for file in files if file.whole)
        note(f"{whole}: this notation of alignments is read as a whole, so that all is one span")
        parts = {file.path: FilePart(absolute(file.path), 0, 0, ALL, 0, 0) for file in files}
        read = [*(part.path for part in parts.values()), *resources]
        stamps = _stamps(read)
        return [Span(task, 0, 0, parts, stamps)]
    every = list(dict.fromkeys(files))
    known = {} if give_out is None else counted_lines([file.path for file in every], give_out)
    found = [_Rows.of(file, sizes.rows, known.get(file.path)) for file in every]
    first = found[0]
    for other in found[1:]:
        if other.rows != first.rows:
            unit = "sentence" if any(each.file.sentences for each in found) else "line"
            ours = (display_name(first.file.path), first.rows)
            raise line_count_mismatch(*ours, display_name(other.file.path), other.rows, unit)
    cuts = _cuts(found, sizes)
    stamps = _stamps([*(absolute(each.file.path) for each in found), *resources])
    return [
        Span(
            task,
            begin,
            end - begin,
            {each.file.path: each.part(begin, end) for each in found},
            stamps,
        )
        for begin, end in pairwise(cuts)
    ]


def _stamps(paths: Iterable[str]) -> dict[str, Stamp]:
    """Return the stamps of all files that some inputs are made of."""
    files = [table_files(file_of(path)) if table_column(path) else [path] for path in paths]
    return {file: stamp(file) for file in chain(*files)}


def stamp(path: str) -> Stamp:
    """Return how many bytes a file has, and when it was changed."""
    with readable(file_of(path)):
        return stored_stamp(file_of(path))


def refuse_streams(paths: Iterator[str] | Sequence[str]) -> None:
    """Raise a UsageError for an input that cannot be read at several places."""
    for path in paths:
        if read_only_once(path) or file_of(path) == "-":
            raise UsageError(f"{display_name(path)}: --engine reads files: this input is a stream")


def _cuts(found: Sequence[_Rows], sizes: Sizes) -> list[int]:
    """Return the rows at which spans begin, and the number of rows."""
    rows = found[0].rows
    size = sum(each.index.size for each in found)
    most = min(max(size // FEW_SPANS, sizes.least_bytes), sizes.most_bytes)
    wanted = max(-(-size // most), 1)
    whole = [each.index for each in found if each.index.member]
    if not whole or wanted == 1:
        step = _step(rows, wanted, sizes.rows)
        return [*range(0, rows, step), rows] if rows else [0, 0]
    coarsest = min(whole, key=lambda index: index.members)
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
    step = _step(rows, min(wanted, members), sizes.rows)
    cuts = [*range(0, rows, step), rows]
    if any(each.file.sentences for each in found):
        return cuts
    return _at_members(cuts, coarsest)


def _step(rows: int, spans: int, unit: int) -> int:
    """Return how many rows a span has: whole units."""
    return max(-(-rows // (spans * unit)), 1) * unit


def _at_members(cuts: Sequence[int], index: LineIndex) -> list[int]:
    """Move cuts to where members begin, so that nothing is decompressed twice."""
    rows = cuts[-1]
    firsts = [first for first in index.firsts if first < rows]
    moved = [0]
    place = 0
    for wanted in cuts[1:-1]:
        while place < len(firsts) and firsts[place] < wanted:
            place += 1
        if place < len(firsts) and firsts[place] > moved[-1]:
            moved.append(firsts[place])
    return [*moved, rows]


def _sentence_starts(path: str, unit: int) -> tuple[list[int], int]:
    """Return the lines at which every `unit`-th sentence begins, and how many there are."""
    starts: list[int] = []
    with SentenceBlocks(Source(path)) as blocks:
        while (block := blocks.take(unit - blocks.sentences % unit)).lines:
            if len(starts) * unit < blocks.sentences:
                starts.append(block.first_line - 1)
        return starts, blocks.sentences


# From so many bytes of plain text on: the driver alone would take some seconds.
MANY_BYTES = 1 << 32

# What a worker counts at a time.
PIECE_BYTES = 256 * COMPRESSION_CHUNK

# Has spans done, and returns what came of them in their order.
GiveOut = Callable[[Sequence[Span]], Sequence[bytes]]


def counted_lines(paths: Iterable[str], give_out: GiveOut) -> dict[str, LineIndex]:
    """Have workers count the lines of files of plain text.

    Parameters
    ----------
    paths : iterable of str
    give_out : callable

    Returns
    -------
    mapping of path to LineIndex
        Of those that are plain text; of none if all together are not large.

    Raises
    ------
    InputError
        If a file cannot be read.
    """
    plain = {path: os.path.abspath(file_of(path)) for path in paths if _is_plain(path)}
    sizes = {full: stamp(path)[0] for path, full in plain.items()}
    if sum(sizes.values()) < MANY_BYTES:
        return {}
    spans = [
        Span(
            {"verb": "count", "version": __version__, "path": path, "offset": offset},
            0,
            0,
            files={path: (size, os.stat(path).st_mtime_ns)},
        )
        for path, size in sizes.items()
        for offset in range(0, size, PIECE_BYTES)
    ]
    counts: dict[str, list[int]] = {path: [] for path in sizes}
    for span, result in zip(spans, give_out(spans), strict=True):
        counts[span.task["path"]] += json.loads(result)["newlines"]
    return {
        path: LineIndex.of_counts(file_of(path), counts[full], sizes[full])
        for path, full in plain.items()
    }


def count_span(span: Span) -> bytes:
    """Count the line ends of a piece of a file: a number for each chunk, as JSON."""
    found = list(newlines_of(span.task["path"], span.task["offset"], PIECE_BYTES))
    return json.dumps({"newlines": found}, separators=(",", ":")).encode()


def _is_plain(path: str) -> bool:
    if kind_of_name(file_of(path)) is not None or is_address(path):
        return False
    table = table_column(path)
    return table is None or not _by_rows(table)


def _by_rows(table: TableColumn) -> bool:
    """Return whether a table can only be read by its rows, not from any line of a file."""
    if table_files(table.path) != [table.path] or is_address(table.path):
        return True
    return table_format(table.path) in (".parquet", *DELIMITED_SUFFIXES)


@dataclass
class LineIndex:
    """Places of a file from which it can be read, with the newlines before each.

    Attributes
    ----------
    path : str
    member : str
        What can only be read from its beginning: "gzip member", "row group", "part" (a file of a
        table in several, or in a store); empty of plain text.
    offsets : list of int
        Bytes of the file as it is stored: multiples of `COMPRESSION_CHUNK` in plain text, the
        beginnings of members in compressed files; of Parquet the numbers of its row groups.
    newlines : list of int
        How many come before each.
    lines : int
        Of the whole file.
    size : int
        Bytes of the whole file, decompressed.
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
        >>> index.lines, index.place(2)
        (3, (0, 2))
        """
        table = table_column(path)
        if table is not None and _by_rows(table):
            return cls._of_table(table)
        if is_address(path):
            with LineBlocks(Source(path)) as blocks:
                found = cls(path, "part", [0], [0])
                while (block := blocks.take(CHUNK_LINES)).lines:
                    found.lines += block.lines
                    found.size += len(block.data)
            return found
        path = file_of(path)
        kind = kind_of_name(path)
        with readable(display_name(path)):
            if kind is not None:
                return cls._of_members(path, kind)
            return cls.of_counts(path, list(newlines_of(path)), os.stat(path).st_size)

    @classmethod
    def of_counts(cls, path: str, counts: Sequence[int], size: int) -> LineIndex:
        """Take how many newlines each `COMPRESSION_CHUNK` bytes of a file of plain text have."""
        before = list(accumulate(counts, initial=0))
        newlines = before.pop()
        offsets = [number * COMPRESSION_CHUNK for number in range(len(counts))]
        with open(path, "rb") as file:
            file.seek(max(size - 1, 0))
            unended = file.read(1) not in (b"", b"\n")
        return cls(path, "", offsets, before, newlines + unended, size)

    @classmethod
    def _of_members(cls, path: str, kind: str) -> LineIndex:
        """Read a compressed file to its end."""
        found = cls(path, f"{kind} member")
        newlines, last = 0, b"\n"
        with open(path, "rb", buffering=0) as raw:
            members = Decompressed(raw, kind, display_name(path))
            while data := members.read():
                if not found.offsets or members.member != found.offsets[-1]:
                    found.offsets.append(members.member)
                    found.newlines.append(newlines)
                found.size += len(data)
                newlines += _newlines(data)
                last = data[-1:]
        found.lines = newlines + (last != b"\n")
        return found

    @classmethod
    def _of_table(cls, table: TableColumn) -> LineIndex:
        """Read how many rows the groups of a Parquet file have, or the files of a table."""
        files = table_files(table.path)
        if files == [table.path] and table_format(table.path) == ".parquet":
            return cls._of_parquet(table.path)
        found = cls(table.path, "part")
        for number, file in enumerate(files):
            if table_format(file) == ".parquet":
                part = cls._of_parquet(file)
            else:
                part = cls(file)
                cells = TableStream(TableColumn(file, table.column), display_name(file))
                while data := cells.read(COMPRESSION_CHUNK):
                    part.lines += data.count(b"\n")
                    part.size += len(data)
            found.offsets.append(number)
            found.newlines.append(found.lines)
            found.lines += part.lines
            found.size += part.size
        return found

    @classmethod
    def _of_parquet(cls, path: str) -> LineIndex:
        """Read how many rows the groups of a Parquet file have."""
        found = cls(path, "row group")
        with open_parquet(path, path) as file:
            known = file.metadata
        for number in range(known.num_row_groups):
            found.offsets.append(number)
            found.newlines.append(found.lines)
            found.lines += known.row_group(number).num_rows
            found.size += known.row_group(number).total_byte_size
        return found

    @property
    def members(self) -> int:
        """From how many places it can be read."""
        return len(self.offsets)

    @property
    def firsts(self) -> list[int]:
        """The first line that begins behind each place, by its number from 0."""
        if self._in_rows:
            return self.newlines
        places = zip(self.offsets, self.newlines, strict=True)
        return [before + (offset > 0) for offset, before in places]

    def place(self, line: int) -> tuple[int, int]:
        """Return where to begin to read for a line, and how many line ends to skip from there."""
        # At a place behind as many newlines, the line may have begun already; a row has not.
        bisect = bisect_right if self._in_rows else bisect_left
        found = max(bisect(self.newlines, line) - 1, 0)
        return (self.offsets[found], line - self.newlines[found]) if self.offsets else (0, 0)

    @property
    def _in_rows(self) -> bool:
        return self.member in ("row group", "part")


def newlines_of(path: str, offset: int = 0, most_bytes: int | None = None) -> Iterator[int]:
    """Yield how many newlines each `COMPRESSION_CHUNK` bytes of a file have, from some place on.

    Parameters
    ----------
    path : str
    offset : int
        Where to begin, in bytes.
    most_bytes : int, optional
        A multiple of `COMPRESSION_CHUNK`; without it, to the end.
    """
    # One piece of memory for all: to get a fresh one takes longer than to count.
    memory = memoryview(bytearray(COMPRESSION_CHUNK))
    with open(path, "rb") as file:
        file.seek(offset)
        chunks = count() if most_bytes is None else range(most_bytes // COMPRESSION_CHUNK)
        for _ in chunks:
            read = file.readinto(memory)
            if not read:
                return
            yield _newlines(memory[:read])


def _newlines(data: bytes | memoryview) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == NEWLINE))
