"""Columns of tables in memory as lines of text."""

from __future__ import annotations

import codecs
from collections.abc import Iterator, Mapping, Sequence, ValuesView
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np

from wordorder.arrow.columns import Column, ListColumn, TextColumn
from wordorder.arrow.given import given_column, plain_rows
from wordorder.arrow.interface import is_arrow
from wordorder.counts import counted
from wordorder.errors import InputError, UsageError
from wordorder.text.layout import (
    by_segment,
    check_references,
    check_source,
    encoded,
    flat_references,
    sized,
)
from wordorder.text.opening import NEWLINE
from wordorder.text.raw_lines import RawLines, interleaved
from wordorder.types import Int64, UInt8

LEGAL_COLUMNS = "strings, or lists of strings"

# Bytes that are decoded at a time, to see whether they can be.
_PIECE = 1 << 20


@dataclass(frozen=True)
class LineLists:
    """Lists of lines: row ``i`` has the lines ``offsets[i] .. offsets[i+1]-1``."""

    lines: RawLines
    offsets: Int64

    def __len__(self) -> int:
        return len(self.offsets) - 1


def given_text(given: Any, name: str) -> Any:
    """Return a column of a table as `RawLines` or `LineLists`; anything else as it is.

    Raises
    ------
    InputError
        If it is a column of another type, a row is null, or a string holds a line break.
    """
    if isinstance(given, (RawLines, LineLists)):
        return given
    if isinstance(given, np.ndarray) and given.ndim:
        return given.tolist()
    column = given_column(given, name, LEGAL_COLUMNS)
    if isinstance(column, TextColumn):
        return column_lines(column, name)
    if isinstance(column, ListColumn) and isinstance(column.items, TextColumn):
        return LineLists(column_lines(column.items, name, column.offsets), column.offsets)
    return plain_rows(column) if isinstance(column, Column) else column


def plain_text(rows: Any) -> Any:
    """Return rows of `given_text` as strings, or lists of strings."""
    if isinstance(rows, RawLines):
        return rows.strings()
    if isinstance(rows, LineLists):
        lines, ends = rows.lines.strings(), rows.offsets.tolist()
        return [lines[start:stop] for start, stop in pairwise(ends)]
    return rows


def column_lines(column: TextColumn, name: str, offsets: Int64 | None = None) -> RawLines:
    """Return the strings of a column, one per line.

    Parameters
    ----------
    column : TextColumn
    name : str
        What messages call it.
    offsets : int64 array, optional
        Which strings belong to which row, where these are not one per row.

    Raises
    ------
    InputError
        If a string holds a line break, or is no UTF-8; the message names the row, from 1.
    """
    lines = RawLines(column.data, column.starts, column.stops)
    bad, what, expected = _first_break(lines), "a line break", "one line per segment"
    if bad is None and not _is_text(column):
        bad, what, expected = _first_undecodable(lines), "bytes that are not UTF-8", "UTF-8 text"
    if bad is None:
        return lines
    row = bad if offsets is None else int(np.searchsorted(offsets, bad, side="right")) - 1
    raise InputError(f"{name}, row {row + 1}", what, expected)


@dataclass(frozen=True)
class LineColumns:
    """Segments as lines: hypotheses, references with the rows of each segment, perhaps source."""

    hypotheses: RawLines
    references: RawLines
    offsets: Int64
    source: RawLines | None


def text_columns(hypotheses: Any, references: Any, source: Any) -> LineColumns | tuple[Any, ...]:
    """Take segments of which some may be columns of tables.

    Returns
    -------
    LineColumns
        Where a column holds strings, not tokens.
    tuple of rows
        Otherwise, hypotheses, references and source as lists.

    Raises
    ------
    InputError
        As `given_text`, and if they differ in their numbers of rows.
    """
    # Of strings and lists one look at the types is enough.
    lists = isinstance(references, Sequence) and set(map(type, references)) - {str, list}
    if lists and any(map(is_arrow, references)):
        expected = "a column of lists; or references_by_file=, one column per file"
        raise InputError("references", "a list of columns", expected)
    ours, theirs, third = given = (
        given_text(hypotheses, "hypotheses"),
        given_text(references, "references"),
        None if source is None else given_text(source, "source"),
    )
    of_tables = any(isinstance(rows, (RawLines, LineLists)) for rows in given)
    strings = isinstance(ours, RawLines) or (
        isinstance(ours, Sequence) and (not len(ours) or isinstance(ours[0], str))
    )
    if not of_tables or not strings or isinstance(third, LineLists):
        return tuple(map(plain_text, given))
    segments = _as_lines(ours, "hypotheses")
    if isinstance(theirs, RawLines):
        theirs = LineLists(theirs, np.arange(len(theirs) + 1, dtype=np.int64))
    elif not isinstance(theirs, LineLists):
        flat, offsets = flat_references(sized(theirs, "references"), segments, False)
        theirs = LineLists(_as_lines(flat, "references"), offsets)
    check_references(theirs, segments)
    if third is not None:
        check_source(third, segments)
        third = _as_lines(third, "source")
    return LineColumns(segments, theirs.lines, theirs.offsets, third)


def _as_lines(rows: Any, name: str) -> RawLines:
    """Return strings as lines; lines as they are."""
    return rows if isinstance(rows, RawLines) else encoded(sized(rows, name), name)


def by_file(files: Any, hypotheses: Any) -> Any:
    """Turn references laid out by file, each perhaps a column, into references by segment.

    Parameters and errors: `wordorder.segments.Segments.from_text`.
    """
    given = [
        given_text(file, f"references_by_file, entry {number}")
        for number, file in enumerate(sized(files, "references_by_file"), 1)
    ]
    segments = len(
        hypotheses if hasattr(hypotheses, "__len__") else sized(hypotheses, "hypotheses")
    )
    if given and all(isinstance(lines, RawLines) and len(lines) == segments for lines in given):
        rows = np.arange(segments + 1, dtype=np.int64)
        return LineLists(interleaved(given), rows * len(given))
    return by_segment(list(map(plain_text, given)), segments)


def read_once(given: Any) -> Any:
    """Return what can be read only once, such as a generator, as a list; anything else as it is.

    Examples
    --------
    >>> read_once(line.strip() for line in ["a ", "b "]), read_once([iter("ab"), ["c"]])
    (['a', 'b'], [['a', 'b'], ['c']])
    """
    if isinstance(given, Mapping):
        return {name: read_once(each) for name, each in given.items()}
    if isinstance(given, (Iterator, ValuesView)):
        given = list(given)
    if isinstance(given, (list, tuple)) and any(isinstance(each, Iterator) for each in given):
        return list(map(read_once, given))
    return given


def reference_columns(given: Any, segments: int | None = None) -> list[Any]:
    """Return references as columns, one per file; None where a segment has fewer than others.

    Parameters
    ----------
    given : column, or columns
        Strings, one per segment; lists of strings, those of each segment or of each file; or a
        mapping of any names to columns, one per file.
    segments : int, optional
        How many segments there are, where that is known; else lists are those of segments.

    Raises
    ------
    UsageError
        If lists of references may be those of segments or of files: as many as there are segments,
        and each as long.

    Examples
    --------
    >>> reference_columns(["a", "b"])
    [['a', 'b']]
    >>> reference_columns([["a", "A"], ["b"]], 2)
    [['a', 'b'], ['A', None]]
    >>> reference_columns([["a", "b", "c"], ["A", "B", "C"]], 3)
    [['a', 'b', 'c'], ['A', 'B', 'C']]
    """
    given = read_once(given)
    if isinstance(given, Mapping):
        if not given:
            raise UsageError("references: none are given")
        return list(given.values())
    if not isinstance(given, (list, tuple)):
        given = given_text(given, "references")
        if not isinstance(given, LineLists):
            return [given]
        given, segments = plain_text(given), None
    if not given or all(isinstance(row, str) for row in given):
        return [given]
    if not all(isinstance(row, (str, list, tuple)) for row in given):
        # Columns of tables, or paths: one per file.
        return list(given)
    rows = [[row] if isinstance(row, str) else row for row in given]
    if [] in map(list, rows):
        place = f"references, entry {list(map(list, rows)).index([]) + 1}"
        raise InputError(place, "an empty list", "at least one reference")
    if segments is not None and all(len(row) == segments for row in rows):
        if len(rows) != segments:
            return rows
        if segments > 1:
            raise UsageError(
                f"references: {segments} lists of {segments} lines, which may be those of segments "
                'or of files; {"1": [...], "2": [...]} names the lines of each file'
            )
    elif segments is not None and len(rows) != segments:
        lengths = sorted(set(map(len, rows)))
        long = f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else f"{lengths[0]}"
        raise InputError(
            "references",
            f"{counted(len(rows), 'list')} of {long} lines for {counted(segments, 'segment')}",
            f"a list of references for each segment, or lists of {counted(segments, 'line')}, one "
            "for each file",
        )
    return [list(column) for column in zip_longest(*rows)]


def _first_break(lines: RawLines) -> int | None:
    """Return the first line that holds a line break."""
    breaks = np.flatnonzero(lines.data == NEWLINE)
    if not len(breaks):
        return None
    held = np.searchsorted(breaks, lines.starts) < np.searchsorted(breaks, lines.stops)
    return int(np.argmax(held)) if held.any() else None


def _is_text(column: TextColumn) -> bool:
    """Return whether all strings are UTF-8; False also if it takes each of them to tell."""
    starts, stops, data = column.starts, column.stops, column.data
    text = data[column.text_begins :]
    if text.max(initial=0) >= 0x80:
        if not _decodes(text):
            return False
        filled = np.flatnonzero(stops > starts)
        if (_inside(data, starts[filled])).any() or (_inside(data, stops[filled])).any():
            return False
    short = np.flatnonzero((starts < column.text_begins) & (stops > starts))
    spans = zip(starts[short].tolist(), stops[short].tolist(), strict=True)
    return data[: column.text_begins].max(initial=0) < 0x80 or all(
        _decodes(data[start:stop]) for start, stop in spans
    )


def _inside(data: UInt8, places: Int64) -> Any:
    """Return which places are inside a character."""
    bytes_there = data[np.minimum(places, len(data) - 1)]
    return (bytes_there & 0xC0 == 0x80) & (places < len(data))


def _first_undecodable(lines: RawLines) -> int | None:
    spans = zip(lines.starts.tolist(), lines.stops.tolist(), strict=True)
    return next((row for row, (a, b) in enumerate(spans) if not _decodes(lines.data[a:b])), None)


def _decodes(data: UInt8) -> bool:
    """Return whether bytes are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _PIECE):
            decoder.decode(data[start : start + _PIECE].tobytes())
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
