"""Several inputs read line by line in parallel, and the errors where their lengths differ."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence, Sized
from itertools import islice
from typing import Any, Protocol, TypeVar

from wordorder.errors import InputError
from wordorder.kernels import read_ahead
from wordorder.messages import counted
from wordorder.text.lazy_rows import Deferring, Later
from wordorder.text.lines import read_lines
from wordorder.text.names import is_treebank, read_only_once

# Lines that are read of each file at a time: what is made of them stays in the cache.
CHUNK = 1 << 13
Rows = TypeVar("Rows", bound=Sized)


def line_count_mismatch(
    name_a: str, lines_a: int | str, name_b: str, lines_b: int | str, rows: str = "line"
) -> InputError:
    """Build the error for two files that should have a line for each sentence and do not.

    Where a sentence is more than a line, `rows` names the unit that is counted instead. A number
    may be text, "more than 20", where the lines were not counted to the end.

    Examples
    --------
    >>> print(line_count_mismatch("a.orders", 20, "b.orders", 1))
    a.orders: 20 lines, but b.orders has 1; expected as many lines in both
    """
    shown = rows if lines_a in (1, "more than 1") else f"{rows}s"
    what = f"{lines_a} {shown}, but {name_b} has {lines_b}"
    return InputError(name_a, what, f"as many {rows}s in both")


def no_such_line(name: str, lines: int, number: int, rows: str = "line") -> InputError:
    """Build the error for the number of a line that a file does not have.

    Examples
    --------
    >>> print(no_such_line("a.txt", 1, 3))
    a.txt: 1 line; expected a number up to that, not 3
    """
    return InputError(name, counted(lines, rows), f"a number up to that, not {number}")


class RowSource(Protocol):
    """What rows are read from: `OrderReader`, `TextReader`, `AlignmentReader` and their like."""

    # Optional, `rows`: what a row is called, if not "line".

    @property
    def name(self) -> str:
        """What messages call it."""

    @property
    def lines(self) -> int:
        """Rows read so far."""

    def take(self, lines: int) -> Any:
        """Return up to `lines` further rows, that can be counted and sliced; none at the end."""


def in_step(sources: Sequence[RowSource]) -> Iterator[list[Later[Any]]]:
    """Yield the same rows of all sources, until all end; what can wait is parsed by the caller.

    A source may give fewer rows at a time than another: what is over waits for the next round.

    Raises
    ------
    InputError
        Naming two sources with their numbers of lines, if these differ.
    """
    parts = [_parts(source) for source in sources]
    nothing: Later[Any] = Later(0, list)
    waiting = [nothing for _ in sources]
    while True:
        waiting = [
            part if len(part) else next(more, nothing)
            for part, more in zip(waiting, parts, strict=True)
        ]
        rows = min(map(len, waiting))
        if rows == 0:
            break
        yield [part[:rows] for part in waiting]
        waiting = [part[rows:] for part in waiting]
    if any(map(len, waiting)):
        for source, part in zip(sources, parts, strict=True):
            if not _is_stream(source):
                deque(part, maxlen=0)
        raise mismatch(sources)


def read_in_step(sources: Sequence[RowSource]) -> list[Any]:
    """Read all rows of open sources; return the rows of each source.

    Raises
    ------
    InputError
        As `in_step`.
    """
    parts: list[list[Any]] = [[] for _ in sources]
    for rows in in_step(sources):
        for row_parts, part in zip(parts, rows, strict=True):
            row_parts.append(part.rows())
    return [
        type(some[0]).concatenate(some) if some else source.take(0)
        for some, source in zip(parts, sources, strict=True)
    ]


def _parts(source: RowSource) -> Iterator[Later[Any]]:
    """Yield the rows of a source; where reading is parsing, a thread of its own does it ahead."""
    if isinstance(source, Deferring):
        return until_empty(source.begin)
    return read_ahead(until_empty(lambda lines: _parsed(source.take(lines))))


def until_empty(take: Callable[[int], Rows], lines: int | None = None) -> Iterator[Rows]:
    """Yield what a reader takes, up to so many lines at a time, to the end of its input."""
    while len(part := take(lines or CHUNK)):
        yield part


def _parsed(rows: Any) -> Later[Any]:
    return Later(len(rows), lambda: rows)


def mismatch(sources: Sequence[RowSource]) -> InputError:
    """Build the error that names two sources of different lengths with their numbers of lines.

    Files are read to their end. Streams may never end, so they are read until they have more lines
    than the shortest source.
    """
    for source in sources:
        if not _is_stream(source):
            deque(until_empty(source.take), maxlen=0)
    while True:
        fewest = min(source.lines for source in sources)
        shortest = [source for source in sources if source.lines == fewest]
        more = [len(source.take(CHUNK)) for source in shortest]
        if 0 in more:
            break
    first = sources[0]
    other = next(source for source in sources if source.lines != first.lines)
    if first.lines > fewest and (_is_stream(first) or _is_stream(other)):
        other = next(source for source in sources if source.lines == fewest)
    row = next((source.rows for source in sources if hasattr(source, "rows")), "line")
    lines = [
        f"more than {fewest}" if source.lines > fewest and _is_stream(source) else source.lines
        for source in (first, other)
    ]
    error = line_count_mismatch(first.name, lines[0], other.name, lines[1], row)
    hint = _table_hint((first.name, other.name)) or _blank_hint((first, other))
    return InputError(error.where, error.what, f"{error.expected}{hint}")


def _table_hint(names: Sequence[str]) -> str:
    """Say how a column is named where a file is called as tables are."""
    table = next((name for name in names if name.endswith((".csv", ".tsv"))), None)
    return "" if table is None else f" (a table with a header? {table}#COLUMN names a column)"


def _blank_hint(sources: Sequence[RowSource]) -> str:
    """Describe which of two files is longer by empty lines at its end alone."""
    fewest = min(source.lines for source in sources)
    longer = next(source for source in sources if source.lines != fewest)
    if not os.path.isfile(longer.name) or is_treebank(longer.name):
        return ""
    empty = 0
    for line in islice(read_lines(longer.name), fewest, None):
        if line.strip():
            return ""
        empty += 1
    return f" ({longer.name} ends with {counted(empty, 'empty line')})" if empty else ""


def _is_stream(source: RowSource) -> bool:
    """Return whether the end of a source may never come: standard input, a pipe, a device."""
    return source.name.startswith("<stdin>") or read_only_once(source.name)


def take_exactly(
    take: Callable[[int, int], Rows], count: int, join: Callable[[Sequence[Rows]], Rows]
) -> Rows | None:
    """Take so many rows from a reader that may give fewer at a time; None if it has not as many.

    Parameters
    ----------
    take : callable
        Called with the number of rows that are there and that of those that are missing.
    count : int
        At least 1.
    join : callable
        Puts parts one behind the other.
    """
    parts: list[Rows] = []
    there = 0
    while there < count:
        part = take(there, count - there)
        if not len(part):
            return None
        parts.append(part)
        there += len(part)
    return parts[0] if len(parts) == 1 else join(parts)
