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
from wordorder.text.lazy_rows import Deferring, LazyRows
from wordorder.text.lines import read_lines
from wordorder.text.names import is_treebank, read_only_once

# Lines that are read from each file at a time: few enough that their words stay in the cache.
CHUNK_LINES = 1 << 13
Rows = TypeVar("Rows", bound=Sized)


def line_count_mismatch(
    name_a: str, lines_a: int | str, name_b: str, lines_b: int | str, rows: str = "line"
) -> InputError:
    """Build the error for two files that should have the same number of lines.

    `rows` names the unit if it is not a line. A number may be the text "more than 20", if the lines
    were not counted to the end.

    Examples
    --------
    >>> print(line_count_mismatch("a.orders", 20, "b.orders", 1))
    a.orders: 20 lines, but b.orders has 1; expected the same number of lines in both
    """
    unit = rows if lines_a in (1, "more than 1") else f"{rows}s"
    problem = f"{lines_a} {unit}, but {name_b} has {lines_b}"
    return InputError(name_a, problem, f"the same number of {rows}s in both")


def no_such_line(name: str, lines: int, number: int, rows: str = "line") -> InputError:
    """Build the error for the number of a line that a file does not have.

    Examples
    --------
    >>> print(no_such_line("a.txt", 1, 3))
    a.txt: 1 line; expected a number up to that, not 3
    """
    return InputError(name, counted(lines, rows), f"a number up to that, not {number}")


class RowSource(Protocol):
    """A reader of rows: `OrderReader`, `TextReader`, `AlignmentReader` and similar ones."""

    # Optional, `rows`: the name of a row in messages, if it is not "line".

    @property
    def name(self) -> str:
        """The input's name in messages."""

    @property
    def lines(self) -> int:
        """Rows read so far."""

    def take(self, lines: int) -> Any:
        """Return up to `lines` further rows, which can be counted and sliced; 0 at the end."""


def parallel_rows(sources: Sequence[RowSource]) -> Iterator[list[LazyRows[Any]]]:
    """Yield the same rows of all sources, until all end; lazy rows are parsed by the caller.

    A source may return fewer rows at a time than another: surplus rows wait for the next round.

    Raises
    ------
    InputError
        Naming two sources with their numbers of lines, if these differ.
    """
    parts = [_parts(source) for source in sources]
    no_rows: LazyRows[Any] = LazyRows(0, list)
    waiting = [no_rows for _ in sources]
    while True:
        waiting = [
            part if len(part) else next(blocks, no_rows)
            for part, blocks in zip(waiting, parts, strict=True)
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
        raise length_mismatch(sources)


def read_parallel(sources: Sequence[RowSource]) -> list[Any]:
    """Read all rows of open sources; return the rows of each source.

    Raises
    ------
    InputError
        As `parallel_rows`.
    """
    parts: list[list[Any]] = [[] for _ in sources]
    for rows in parallel_rows(sources):
        for row_parts, part in zip(parts, rows, strict=True):
            row_parts.append(part.rows())
    return [
        type(blocks[0]).concatenate(blocks) if blocks else source.take(0)
        for blocks, source in zip(parts, sources, strict=True)
    ]


def _parts(source: RowSource) -> Iterator[LazyRows[Any]]:
    """Yield the rows of a source; if it parses while it reads, a thread reads ahead."""
    if isinstance(source, Deferring):
        return until_empty(source.begin)
    return read_ahead(until_empty(lambda lines: _as_lazy(source.take(lines))))


def until_empty(take: Callable[[int], Rows], lines: int | None = None) -> Iterator[Rows]:
    """Yield the rows of a reader to the end of its input, up to `lines` at a time."""
    while len(part := take(lines or CHUNK_LINES)):
        yield part


def _as_lazy(rows: Any) -> LazyRows[Any]:
    return LazyRows(len(rows), lambda: rows)


def length_mismatch(sources: Sequence[RowSource]) -> InputError:
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
        further = [len(source.take(CHUNK_LINES)) for source in shortest]
        if 0 in further:
            break
    first = sources[0]
    second = next(source for source in sources if source.lines != first.lines)
    if first.lines > fewest and (_is_stream(first) or _is_stream(second)):
        second = next(source for source in sources if source.lines == fewest)
    row = next((source.rows for source in sources if hasattr(source, "rows")), "line")
    lines = [
        f"more than {fewest}" if source.lines > fewest and _is_stream(source) else source.lines
        for source in (first, second)
    ]
    error = line_count_mismatch(first.name, lines[0], second.name, lines[1], row)
    hint = _table_hint((first.name, second.name)) or _blank_hint((first, second))
    return InputError(error.where, error.what, f"{error.expected}{hint}")


def _table_hint(names: Sequence[str]) -> str:
    """Return a hint on how to name a column if a file is named like a table."""
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
    """Take `count` rows from a reader that may return fewer at a time; None if it has fewer.

    Parameters
    ----------
    take : callable
        Called with the number of rows taken so far and the number still missing.
    count : int
        At least 1.
    join : callable
        Concatenates parts.
    """
    parts: list[Rows] = []
    taken_rows = 0
    while taken_rows < count:
        part = take(taken_rows, count - taken_rows)
        if not len(part):
            return None
        parts.append(part)
        taken_rows += len(part)
    return parts[0] if len(parts) == 1 else join(parts)
