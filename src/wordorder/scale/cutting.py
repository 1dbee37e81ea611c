"""Cutting files into spans that hold the same rows of each."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from wordorder.errors import InputError, UsageError
from wordorder.notes import note
from wordorder.scale.counted_lines import GiveOut, counted_lines
from wordorder.scale.line_index import LineIndex
from wordorder.scale.span import Span, Stamp
from wordorder.text.in_step import CHUNK
from wordorder.text.lines import line_count_mismatch
from wordorder.text.named_files import read_only_once
from wordorder.text.opening import display_name
from wordorder.text.parts import Part
from wordorder.text.sentence_blocks import SentenceBlocks
from wordorder.text.table_names import file_of

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
    rows: int = CHUNK


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
    unit: int = CHUNK

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

    def part(self, first: int, last: int) -> Part:
        """Return the part with some rows."""
        line = self.line(first)
        offset, skip = self.index.place(line)
        path = os.path.abspath(self.file.path)
        return Part(path, offset, skip, self.line(last) - line, line, first)


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
    WordOrderWarning
        If all is one span because a compressed file has a single member.
    """
    refuse_streams(file.path for file in files)
    if any(file.whole for file in files):
        whole = next(file.path for file in files if file.whole)
        note(f"{whole}: this notation of alignments is read as a whole, so that all is one span")
        parts = {file.path: Part(os.path.abspath(file.path), 0, 0, ALL, 0, 0) for file in files}
        read = [*(part.path for part in parts.values()), *resources]
        stamps = {file_of(path): stamp(path) for path in read}
        return [Span(task, 0, 0, parts, stamps)]
    every = list(dict.fromkeys(files))
    known = {} if give_out is None else counted_lines([file.path for file in every], give_out)
    found = [_Rows.of(file, sizes.rows, known.get(file.path)) for file in every]
    first = found[0]
    for other in found[1:]:
        if other.rows != first.rows:
            unit = "sentence" if any(each.file.sentences for each in found) else "line"
            names = (display_name(first.file.path), first.rows)
            raise line_count_mismatch(*names, display_name(other.file.path), other.rows, unit)
    cuts = _cuts(found, sizes)
    paths = [*(os.path.abspath(each.file.path) for each in found), *resources]
    stamps = {file_of(path): stamp(path) for path in paths}
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


def stamp(path: str) -> Stamp:
    """Return how many bytes a file has, and when it was changed."""
    path = file_of(path)
    try:
        found = os.stat(path)
        return found.st_size, found.st_mtime_ns
    except OSError as error:
        raise InputError(path, error.strerror or str(error), "a file to read") from None


def refuse_streams(paths: Iterator[str] | Sequence[str]) -> None:
    """Raise a UsageError for an input that cannot be read at several places."""
    for path in paths:
        if read_only_once(path):
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
    with SentenceBlocks(path) as blocks:
        while (block := blocks.take(unit - blocks.sentences % unit)).lines:
            if len(starts) * unit < blocks.sentences:
                starts.append(block.first_line - 1)
        return starts, blocks.sentences
