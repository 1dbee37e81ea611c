"""Segments as a caller gives them: strings or tokens, one or several references."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from itertools import chain, pairwise
from typing import Any

import numpy as np

from wordorder.errors import InputError
from wordorder.text.opening import NEWLINE
from wordorder.text.raw_lines import RawLines
from wordorder.types import Int64

# A segment is a string, or a list of tokens.
Segment = str | Sequence[str]


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
                raise InputError(
                    f"{name}, entry {number}",
                    f"the token {token!r}"[:40],
                    "tokens that are strings",
                )


def flat_references(
    entries: Sequence[object], hypotheses: Sized, tokens: bool
) -> tuple[Sequence[Any], Int64]:
    """Return all references, and how many come before each segment, int64[S+1].

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
    where = f"references, entry {number}"
    if isinstance(entry, str):
        if tokens:
            raise InputError(where, repr(entry)[:30], "lists of tokens, as the hypotheses are")
        return [entry]
    if not isinstance(entry, Sequence) or isinstance(entry, bytes):
        raise InputError(where, repr(entry)[:30], "a string or a list of references")
    if tokens and len(entry) and all(isinstance(token, str) for token in entry):
        # What looks like tokens may be whole references; tokens rarely hold blanks.
        sentence = next((token for token in entry if " " in token), None)
        if sentence is not None:
            raise InputError(
                where,
                f"the token {sentence!r}"[:40],
                "lists of tokens, as the hypotheses are; a single reference whose tokens hold "
                "blanks needs a list of its own",
            )
        return [entry]
    return entry


def check_layout(
    hypotheses: Sized, references: Sequence[object], rows: Sequence[Sequence[Segment]]
) -> None:
    """Refuse references that are not one list per segment, above all those given file by file."""
    # A square fits both layouts; the documented one is taken.
    if len(rows) == len(hypotheses):
        return
    bare = any(isinstance(entry, str) for entry in references)
    if rows and not bare and all(len(row) == len(hypotheses) for row in rows):
        raise InputError(
            "references",
            f"{len(rows)} lists of {len(hypotheses)} references, one list per file",
            "one list of references per segment; references_by_file= takes this layout",
        )
    check_references(rows, hypotheses)


def check_references(rows: Sized, hypotheses: Sized) -> None:
    """Refuse another number of lists of references than there are hypotheses."""
    if len(rows) != len(hypotheses):
        raise InputError(
            "references", f"{len(rows)} entries for {len(hypotheses)} hypotheses", "one per segment"
        )


def check_source(source: Sized, hypotheses: Sized) -> None:
    """Refuse another number of source segments than there are hypotheses."""
    if len(source) != len(hypotheses):
        raise InputError(
            "source", f"{len(source)} segments for {len(hypotheses)}", "one a hypothesis"
        )


def encoded(column: Sequence[object], name: str) -> RawLines:
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
        lines = encoded([line for column in columns for line in column], names[0])
    except InputError:
        # The message names the column and its entry.
        return [encoded(column, name) for column, name in zip(columns, names, strict=False)]
    bounds = np.cumsum([0, *map(len, columns)]).tolist()
    return [lines[first:last] for first, last in pairwise(bounds)]


def by_segment(files: Sequence[Sequence[Segment]], segments: int) -> list[list[Segment]]:
    """Turn references laid out by file into references by segment."""
    if not sized(files, "references_by_file"):
        raise InputError("references_by_file", "no file", "at least one")
    for number, file in enumerate(files, 1):
        where = f"references_by_file, entry {number}"
        if len(sized(file, where)) != segments:
            raise InputError(
                where,
                f"{len(file)} references for {segments} hypotheses",
                "one reference per segment in each",
            )
    return [list(row) for row in zip(*files, strict=True)]
