"""Segments as a caller gives them: strings, tokens or columns of tables, some with references."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Iterator, Mapping, Sequence, Sized, ValuesView
from dataclasses import dataclass
from itertools import chain, pairwise, zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import Int64, UInt8
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted
from wordorder.notes import note
from wordorder.text.parts import NEWLINE
from wordorder.text.raw_lines import RawLines, interleaved

if TYPE_CHECKING:
    from wordorder.arrow.columns import TextColumn

# A segment is a string, or a list of tokens.
Segment = str | Sequence[str]
LEGAL_COLUMNS = "strings, or lists of strings"
# Bytes that are decoded at a time, to see whether they can be.
_CHECKED_STRINGS = 1 << 20


def sized(rows: object, name: str) -> Sequence[object]:
    """Insist on a list; a bare string is a likely mistake."""
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Sequence):
        raise InputError(name, f"{type(rows).__name__}", "a list with one entry per segment")
    return rows


def as_tokens(hypotheses: Sequence[Segment]) -> bool:
    """Whether the segments are lists of tokens; all must be of one kind."""
    entries = sized(hypotheses, "hypotheses")
    tokens = bool(entries) and not isinstance(entries[0], str)
    check_kind(entries, tokens, "hypotheses")
    return tokens


def check_kind(column: Sequence[object], tokens: bool, name: str) -> None:
    """Raise unless all segments are lists of tokens, or all are strings."""
    # There are few types, and nearly always the right ones.
    if all(
        _is_tokens(kind) if tokens else issubclass(kind, str) for kind in set(map(type, column))
    ):
        return
    for number, entry in enumerate(column, 1):
        if not (_is_tokens(type(entry)) if tokens else isinstance(entry, str)):
            expected = "a list of tokens" if tokens else "a string"
            raise InputError(f"{name}, entry {number}", repr(entry)[:30], expected)


def _is_tokens(kind: type) -> bool:
    return issubclass(kind, Sequence) and not issubclass(kind, (str, bytes))


def check_tokens(column: Sequence[Sequence[object]], name: str) -> None:
    """Raise unless all tokens of all segments are strings."""
    kinds = set(map(type, chain.from_iterable(column)))
    if all(issubclass(kind, str) for kind in kinds):
        return
    for number, row in enumerate(column, 1):
        for token in row:
            if not isinstance(token, str):
                context = f"{name}, entry {number}"
                raise InputError(context, f"the token {token!r}"[:40], "tokens that are strings")


def flat_references(
    entries: Sequence[object], hypotheses: Sized, tokens: bool
) -> tuple[Sequence[Any], Int64]:
    """Return all references, and the offset of each segment's first one, int64[S+1].

    Raises
    ------
    InputError
        If they are not one entry per segment, or one is no text.
    """
    if not tokens and set(map(type, entries)) == {str}:
        check_references(entries, hypotheses)
        return entries, np.arange(len(entries) + 1, dtype=np.int64)
    rows = [references_of(entry, tokens, number) for number, entry in enumerate(entries, 1)]
    check_layout(hypotheses, entries, rows)
    flat = [reference for row in rows for reference in row]
    return flat, np.cumsum([0, *map(len, rows)], dtype=np.int64)


def references_of(entry: object, tokens: bool, number: int) -> Sequence[Segment]:
    """Return the references of a segment, a bare one as a list."""
    context = f"references, entry {number}"
    if isinstance(entry, str):
        if tokens:
            raise InputError(context, repr(entry)[:30], "lists of tokens, as the hypotheses are")
        return [entry]
    if not isinstance(entry, Sequence) or isinstance(entry, bytes):
        raise InputError(context, repr(entry)[:30], "a string or a list of references")
    if tokens and len(entry) and all(isinstance(token, str) for token in entry):
        # What looks like tokens may be whole references; tokens rarely hold blanks.
        sentence = next((token for token in entry if " " in token), None)
        if sentence is not None:
            expected = (
                "lists of tokens, as the hypotheses are; a single reference whose tokens hold "
                "blanks needs a list of its own"
            )
            raise InputError(context, f"the token {sentence!r}"[:40], expected)
        return [entry]
    return entry


def check_layout(
    hypotheses: Sized, references: Sequence[object], rows: Sequence[Sequence[Segment]]
) -> None:
    """Refuse references that are not one list per segment, such as one list per file."""
    # A square fits both layouts; the documented one is taken.
    if len(rows) == len(hypotheses):
        return
    bare = any(isinstance(entry, str) for entry in references)
    if rows and not bare and all(len(row) == len(hypotheses) for row in rows):
        problem = f"{len(rows)} lists of {len(hypotheses)} references, one list per file"
        expected = "one list of references per segment; references_by_file= takes this layout"
        raise InputError("references", problem, expected)
    check_references(rows, hypotheses)


def check_references(rows: Sized, hypotheses: Sized) -> None:
    """Check that there is one list of references per hypothesis."""
    if len(rows) != len(hypotheses):
        problem = f"{len(rows)} entries for {len(hypotheses)} hypotheses"
        raise InputError("references", problem, "one per segment")


def check_source(source: Sized, hypotheses: Sized) -> None:
    """Check that there is one source segment per hypothesis."""
    if len(source) != len(hypotheses):
        problem = f"{len(source)} segments for {len(hypotheses)}"
        raise InputError("source", problem, "one a hypothesis")


def encode_texts(column: Sequence[object], name: str) -> RawLines:
    """Encode strings, each one line."""
    lines = RawLines.from_strings(column, name)  # type: ignore[arg-type]  # checked there
    # Between lines that were encoded at once there is a line break, which is in none of them.
    between = int((lines.starts[1:] - lines.stops[:-1]).sum())
    if np.count_nonzero(lines.data == NEWLINE) > between:
        number = next(n for n, x in enumerate(column, 1) if "\n" in x)  # type: ignore[operator]
        raise InputError(f"{name}, entry {number}", "a line break", "one line per segment")
    return lines


def encoded_columns(columns: Sequence[Sequence[object]], names: Sequence[str]) -> list[RawLines]:
    """Encode columns of strings as one text, so that they can be put together without copying."""
    try:
        lines = encode_texts([line for column in columns for line in column], names[0])
    except InputError:
        # The message names the column and its entry.
        return [encode_texts(column, name) for column, name in zip(columns, names, strict=False)]
    bounds = np.cumsum([0, *map(len, columns)]).tolist()
    return [lines[first:last] for first, last in pairwise(bounds)]


def by_segment(files: Sequence[Sequence[Segment]], segments: int) -> list[list[Segment]]:
    """Turn references laid out by file into references by segment."""
    if not sized(files, "references_by_file"):
        raise InputError("references_by_file", "no file", "at least one")
    for number, file in enumerate(files, 1):
        context = f"references_by_file, entry {number}"
        if len(sized(file, context)) != segments:
            problem = f"{len(file)} references for {segments} hypotheses"
            raise InputError(context, problem, "one reference per segment in each")
    return [list(row) for row in zip(*files, strict=True)]


@dataclass(frozen=True)
class LineLists:
    """Lists of lines: row ``i`` has the lines ``offsets[i] .. offsets[i+1]-1``."""

    lines: RawLines
    offsets: Int64

    def __len__(self) -> int:
        return len(self.offsets) - 1


def input_text(given: Any, name: str) -> Any:
    """Convert a column of a table to `RawLines` or `LineLists`; return other input unchanged.

    Raises
    ------
    InputError
        If it is a column of another type, a row is null, or a string holds a line break.
    """
    if isinstance(given, (RawLines, LineLists)):
        return given
    if isinstance(given, np.ndarray) and given.ndim:
        return given.tolist()
    from wordorder.arrow.columns import ArrowColumn, ListColumn, TextColumn
    from wordorder.arrow.inputs import input_column, plain_rows

    column = input_column(given, name, LEGAL_COLUMNS)
    if isinstance(column, TextColumn):
        return column_lines(column, name)
    if isinstance(column, ListColumn) and isinstance(column.items, TextColumn):
        return LineLists(column_lines(column.items, name, column.offsets), column.offsets)
    return plain_rows(column) if isinstance(column, ArrowColumn) else column


def plain_text(rows: Any) -> Any:
    """Return rows of `input_text` as strings, or lists of strings."""
    if isinstance(rows, RawLines):
        return rows.strings()
    if isinstance(rows, LineLists):
        lines, ends = rows.lines.strings(), rows.offsets.tolist()
        return [lines[start:stop] for start, stop in pairwise(ends)]
    return rows


def column_lines(column: TextColumn, name: str, offsets: Int64 | None = None) -> RawLines:
    """Return the strings of a column as lines.

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
    bad, problem, expected = _first_break(lines), "a line break", "one line per segment"
    if bad is None and not _is_text(column):
        bad, problem, expected = _first_undecodable(lines), "bytes that are not UTF-8", "UTF-8 text"
    if bad is None:
        return lines
    row = bad if offsets is None else int(np.searchsorted(offsets, bad, side="right")) - 1
    raise InputError(f"{name}, row {row + 1}", problem, expected)


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
        As `input_text`, and if they differ in their numbers of rows.
    """
    from wordorder.arrow.columns import is_arrow

    # Of strings and lists one look at the types is enough.
    lists = isinstance(references, Sequence) and set(map(type, references)) - {str, list}
    if lists and any(map(is_arrow, references)):
        expected = "a column of lists; or references_by_file=, one column per file"
        raise InputError("references", "a list of columns", expected)
    system, reference, third = columns = (
        input_text(hypotheses, "hypotheses"),
        input_text(references, "references"),
        None if source is None else input_text(source, "source"),
    )
    of_tables = any(isinstance(rows, (RawLines, LineLists)) for rows in columns)
    strings = isinstance(system, RawLines) or (
        isinstance(system, Sequence) and (not len(system) or isinstance(system[0], str))
    )
    if not of_tables or not strings or isinstance(third, LineLists):
        return tuple(map(plain_text, columns))
    segments = _as_lines(system, "hypotheses")
    if isinstance(reference, RawLines):
        reference = LineLists(reference, np.arange(len(reference) + 1, dtype=np.int64))
    elif not isinstance(reference, LineLists):
        flat, offsets = flat_references(sized(reference, "references"), segments, False)
        reference = LineLists(_as_lines(flat, "references"), offsets)
    check_references(reference, segments)
    if third is not None:
        check_source(third, segments)
        third = _as_lines(third, "source")
    return LineColumns(segments, reference.lines, reference.offsets, third)


def _as_lines(rows: Any, name: str) -> RawLines:
    """Return strings as lines; lines as they are."""
    return rows if isinstance(rows, RawLines) else encode_texts(sized(rows, name), name)


def by_file(files: Any, hypotheses: Any) -> Any:
    """Turn references laid out by file, each perhaps a column, into references by segment.

    Parameters and errors: `wordorder.segments.Segments.from_text`.
    """
    columns_by_file = [
        input_text(file, f"references_by_file, entry {number}")
        for number, file in enumerate(sized(files, "references_by_file"), 1)
    ]
    segments = len(
        hypotheses if hasattr(hypotheses, "__len__") else sized(hypotheses, "hypotheses")
    )
    if columns_by_file and all(
        isinstance(lines, RawLines) and len(lines) == segments for lines in columns_by_file
    ):
        rows = np.arange(segments + 1, dtype=np.int64)
        return LineLists(interleaved(columns_by_file), rows * len(columns_by_file))
    return by_segment(list(map(plain_text, columns_by_file)), segments)


def read_once(texts: Any) -> Any:
    """Convert iterators, which can be read only once, to lists; return other input unchanged.

    Examples
    --------
    >>> read_once(line.strip() for line in ["a ", "b "]), read_once([iter("ab"), ["c"]])
    (['a', 'b'], [['a', 'b'], ['c']])
    """
    if isinstance(texts, Mapping):
        return {name: read_once(column) for name, column in texts.items()}
    if isinstance(texts, (Iterator, ValuesView)):
        texts = list(texts)
    if isinstance(texts, (list, tuple)) and any(isinstance(column, Iterator) for column in texts):
        return list(map(read_once, texts))
    return texts


def reference_columns(references: Any, segments: int | None = None) -> list[Any]:
    """Return references as columns, one per file; None for a missing reference of a segment.

    Parameters
    ----------
    references : column, or columns
        Strings, one per segment; or lists of strings, those of each segment or of each file: tuples
        are those of segments, columns of arrays and tables those of files.
    segments : int, optional
        How many segments there are, where that is known; else lists are those of segments.

    Raises
    ------
    UsageError
        If lists of references can be read both ways: their number and each length are the number
        of segments; or if they have names, as systems have.

    Examples
    --------
    >>> reference_columns(["a", "b"])
    [['a', 'b']]
    >>> reference_columns([["a", "A"], ["b"]], 2)
    [['a', 'b'], ['A', None]]
    >>> reference_columns([["a", "b", "c"], ["A", "B", "C"]], 3)
    [['a', 'b', 'c'], ['A', 'B', 'C']]
    """
    references = read_once(references)
    if isinstance(references, Mapping):
        raise UsageError(
            "references: a mapping names systems, which come first; references are a list of lines"
        )
    if not isinstance(references, (list, tuple)):
        references = input_text(references, "references")
        if isinstance(references, RawLines) or not isinstance(references, (LineLists, Sequence)):
            return [references]
        # Of a column each row is a segment.
        references, segments = list(plain_text(references)), None
    if not references or all(isinstance(row, str) for row in references):
        return [references]
    for number, row in enumerate(references, 1):
        if row is None or isinstance(row, (bytes, int, float)):
            raise InputError(f"references, entry {number}", repr(row)[:30], "a string")
    if not all(isinstance(row, (str, list, tuple)) for row in references):
        # Columns of tables, or paths: one per file.
        return list(references)
    rows = [[row] if isinstance(row, str) else row for row in references]
    if [] in map(list, rows):
        place = f"references, entry {list(map(list, rows)).index([]) + 1}"
        raise InputError(place, "an empty list", "at least one reference")
    if segments is not None and all(len(row) == segments for row in rows):
        if len(rows) != segments:
            return rows
        if segments > 1 and not all(isinstance(row, tuple) for row in references):
            raise UsageError(
                f"references: {segments} lists of {segments} lines, which may be those of segments "
                "or of files; tuples are those of segments, numpy.array(lines) those of a file"
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


def note_single_words(references: Sequence[Any], hypotheses: Callable[[], bool]) -> None:
    """Note that several references of each segment look like the words of one.

    Parameters
    ----------
    references : sequence of columns
        As `reference_columns` returns them.
    hypotheses : callable
        Says whether some hypothesis has a blank between words.
    """
    if len(references) < 2 or not all(isinstance(column, list) for column in references):
        return
    # Nearly always the first one decides.
    words = all(len((line or "").split()) < 2 for column in references for line in column)
    if words and hypotheses():
        note(
            f"references: lists of strings are several references of a segment, here up to "
            f"{len(references)}, and all of them are single words; of segments that are lists of "
            "words, the systems have such lists too"
        )


def _first_break(lines: RawLines) -> int | None:
    """Return the first line that holds a line break."""
    breaks = np.flatnonzero(lines.data == NEWLINE)
    if not len(breaks):
        return None
    with_break = np.searchsorted(breaks, lines.starts) < np.searchsorted(breaks, lines.stops)
    return int(np.argmax(with_break)) if with_break.any() else None


def _is_text(column: TextColumn) -> bool:
    """Return whether all strings are UTF-8 and start at a character."""
    data, starts = column.data, column.starts
    if data.max(initial=0) < 0x80:
        return True
    inside = data[np.minimum(starts, len(data) - 1)] & 0xC0 == 0x80
    return _decodes(data) and not (inside & (starts < len(data))).any()


def _first_undecodable(lines: RawLines) -> int | None:
    spans = zip(lines.starts.tolist(), lines.stops.tolist(), strict=True)
    return next((row for row, (a, b) in enumerate(spans) if not _decodes(lines.data[a:b])), None)


def _decodes(data: UInt8) -> bool:
    """Return whether bytes are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _CHECKED_STRINGS):
            decoder.decode(data[start : start + _CHECKED_STRINGS].tobytes())
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
