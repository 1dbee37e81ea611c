"""Files that go along with the sentences: as many rows of them as there are sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from typing import Protocol, TypeVar

from wordorder.errors import InputError
from wordorder.parsing.sentence_reading import SentenceReader
from wordorder.text.lines import line_count_mismatch

Rows = TypeVar("Rows", bound=Sized)

_CHUNK = 1 << 14


class RowReader(Protocol):
    """What rows are read from: `OrderReader`, `AlignmentReader`."""

    name: str
    lines: int

    def take(self, lines: int) -> Sized:
        """Return up to `lines` further rows; none at the end."""
        ...


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


def mismatch(rows: RowReader, sentences: SentenceReader) -> InputError:
    """Read two files that are not in step to their ends, and build the error with both counts."""
    while len(rows.take(_CHUNK)):
        pass
    while len(sentences.take(_CHUNK)):
        pass
    noun = "line" if sentences.kind == "text" else "sentence"
    return line_count_mismatch(rows.name, rows.lines, sentences.name, sentences.sentences, noun)
