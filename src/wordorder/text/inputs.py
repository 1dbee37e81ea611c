"""Segments and references that callers pass: strings, tokens, or columns of tables."""

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
COLUMN_TYPES = "strings, or lists of strings"
# Bytes that are decoded at a time when UTF-8 is checked.
_CHECKED_BYTES = 1 << 20


def sized(rows: object, name: str) -> Sequence[object]:
    """Return rows after checking that they are a list; a bare string is a likely mistake."""
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Sequence):
        raise InputError(name, f"{type(rows).__name__}", "a list with one entry per segment")
    return rows


def are_tokens(hypotheses: Sequence[Segment]) -> bool:
    """Return whether segments are lists of tokens; all must be of the same type."""
    entries = sized(hypotheses, "hypotheses")
    tokens = bool(entries) and not isinstance(entries[0], str)
    check_kind(entries, tokens, "hypotheses")
    return tokens


def check_kind(column: Sequence[object], tokens: bool, name: str) -> None:
    """Raise unless all segments are lists of tokens, or all are strings."""
    # The distinct types are few, so checking them is faster than checking every entry.
    if all(
        _is_tokens(entry_type) if tokens else issubclass(entry_type, str)
        for entry_type in set(map(type, column))
    ):
        return
    for number, entry in enumerate(column, 1):
        if not (_is_tokens(type(entry)) if tokens else isinstance(entry, str)):
            expected = "a list of tokens" if tokens else "a string"
            raise InputError(f"{name}, entry {number}", repr(entry)[:30], expected)


def _is_tokens(entry_type: type) -> bool:
    return issubclass(entry_type, Sequence) and not issubclass(entry_type, (str, bytes))


def check_tokens(column: Sequence[Sequence[object]], name: str) -> None:
    """Raise unless all tokens of all segments are strings."""
    types = set(map(type, chain.from_iterable(column)))
    if all(issubclass(token_type, str) for token_type in types):
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
        If they are not one entry per segment, or an entry is not text.
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
        # Strings with a space are more likely whole references than tokens.
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
    # If the numbers of files and segments are equal, both layouts fit; the documented one is
    # assumed.
    if len(rows) == len(hypotheses):
        return
    has_strings = any(isinstance(entry, str) for entry in references)
    if rows and not has_strings and all(len(row) == len(hypotheses) for row in rows):
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
    # Lines that were encoded as one string are separated by line breaks that are in none of them.
    between = int((lines.starts[1:] - lines.stops[:-1]).sum())
    if np.count_nonzero(lines.data == NEWLINE) > between:
        number = next(n for n, x in enumerate(column, 1) if "\n" in x)  # type: ignore[operator]
        raise InputError(f"{name}, entry {number}", "a line break", "one line per segment")
    return lines


def encoded_columns(columns: Sequence[Sequence[object]], names: Sequence[str]) -> list[RawLines]:
    """Encode columns of strings in one array, so that they can be concatenated without copying."""
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


def input_text(data: Any, name: str) -> Any:
    """Convert a column of a table to `RawLines` or `LineLists`; return other input unchanged.

    Raises
    ------
    InputError
        If it is a column of another type, a row is null, or a string contains a line break.
    """
    if isinstance(data, (RawLines, LineLists)):
        return data
    if isinstance(data, np.ndarray) and data.ndim:
        return data.tolist()
    from wordorder.arrow.columns import ArrowColumn, ListColumn, TextColumn
    from wordorder.arrow.inputs import input_column, plain_rows

    column = input_column(data, name, COLUMN_TYPES)
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
        lines, offsets = rows.lines.strings(), rows.offsets.tolist()
        return [lines[start:stop] for start, stop in pairwise(offsets)]
    return rows


def column_lines(column: TextColumn, name: str, offsets: Int64 | None = None) -> RawLines:
    """Return the strings of a column as lines.

    Parameters
    ----------
    column : TextColumn
    name : str
        The column's name in messages.
    offsets : int64 array, optional
        The index of each row's first string, if rows are lists of strings.

    Raises
    ------
    InputError
        If a string contains a line break, or is not UTF-8; the message names the row, from 1.
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
    """Segments as lines; `offsets` has the index of each segment's first reference."""

    hypotheses: RawLines
    references: RawLines
    offsets: Int64
    source: RawLines | None


def text_columns(hypotheses: Any, references: Any, source: Any) -> LineColumns | tuple[Any, ...]:
    """Convert hypotheses, references and source, some of which may be columns of tables.

    Returns
    -------
    LineColumns
        If there is a column of a table, and segments are strings, not tokens.
    tuple of rows
        Otherwise, hypotheses, references and source as lists.

    Raises
    ------
    InputError
        As `input_text`, and if their numbers of rows differ.
    """
    from wordorder.arrow.columns import is_arrow

    # Only entries that are neither strings nor lists can be columns.
    other_types = isinstance(references, Sequence) and set(map(type, references)) - {str, list}
    if other_types and any(map(is_arrow, references)):
        expected = "a column of lists; or references_by_file=, one column per file"
        raise InputError("references", "a list of columns", expected)
    system, reference, third = columns = (
        input_text(hypotheses, "hypotheses"),
        input_text(references, "references"),
        None if source is None else input_text(source, "source"),
    )
    has_columns = any(isinstance(rows, (RawLines, LineLists)) for rows in columns)
    are_strings = isinstance(system, RawLines) or (
        isinstance(system, Sequence) and (not len(system) or isinstance(system[0], str))
    )
    if not has_columns or not are_strings or isinstance(third, LineLists):
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
    """Encode strings as lines; return lines unchanged."""
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
        Strings, one per segment; or lists of strings, one list per segment or one per file. Tuples
        belong to segments; columns of arrays and tables belong to files.
    segments : int, optional
        The number of segments; if it is unknown, lists belong to segments.

    Raises
    ------
    UsageError
        If lists of references are ambiguous: their number and all their lengths are the number of
        segments; or if they are a mapping with names, as systems are.

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
        # Each row of a column is a segment.
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
        context = f"references, entry {list(map(list, rows)).index([]) + 1}"
        raise InputError(context, "an empty list", "at least one reference")
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
        line_counts = f"{lengths[0]} to {lengths[-1]}" if len(lengths) > 1 else f"{lengths[0]}"
        raise InputError(
            "references",
            f"{counted(len(rows), 'list')} of {line_counts} lines for "
            f"{counted(segments, 'segment')}",
            f"a list of references for each segment, or lists of {counted(segments, 'line')}, one "
            "for each file",
        )
    return [list(column) for column in zip_longest(*rows)]


def note_single_words(references: Sequence[Any], hypotheses: Callable[[], bool]) -> None:
    """Print a note if the references of each segment look like the words of one reference.

    Parameters
    ----------
    references : sequence of columns
        See `reference_columns`.
    hypotheses : callable
        Returns whether a hypothesis has a space between words.
    """
    if len(references) < 2 or not all(isinstance(column, list) for column in references):
        return
    # The search nearly always ends at the first line.
    are_words = all(len((line or "").split()) < 2 for column in references for line in column)
    if are_words and hypotheses():
        note(
            f"references: lists of strings are several references of a segment, here up to "
            f"{len(references)}, and all of them are single words; of segments that are lists of "
            "words, the systems have such lists too"
        )


def _first_break(lines: RawLines) -> int | None:
    """Return the index of the first line that contains a line break."""
    breaks = np.flatnonzero(lines.data == NEWLINE)
    if not len(breaks):
        return None
    with_break = np.searchsorted(breaks, lines.starts) < np.searchsorted(breaks, lines.stops)
    return int(np.argmax(with_break)) if with_break.any() else None


def _is_text(column: TextColumn) -> bool:
    """Return whether all strings are UTF-8 and none starts inside a character."""
    data, starts = column.data, column.starts
    if data.max(initial=0) < 0x80:
        return True
    inside_character = data[np.minimum(starts, len(data) - 1)] & 0xC0 == 0x80
    return _decodes(data) and not (inside_character & (starts < len(data))).any()


def _first_undecodable(lines: RawLines) -> int | None:
    """Return the index of the first line that is not UTF-8."""
    spans = zip(lines.starts.tolist(), lines.stops.tolist(), strict=True)
    return next((row for row, (a, b) in enumerate(spans) if not _decodes(lines.data[a:b])), None)


def _decodes(data: UInt8) -> bool:
    """Return whether bytes are UTF-8."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _CHECKED_BYTES):
            decoder.decode(data[start : start + _CHECKED_BYTES].tobytes())
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True
