"""What a notation of word alignments must offer, and what reading it gives."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from wordorder.alignment.alignments import Alignments
from wordorder.types import Bool, Int32, Int64, UInt8

# Lines with their numbers in the file, counted from 1, and without their ends.
NumberedLines = Iterable[tuple[int, bytes]]


@dataclass(frozen=True)
class Parsed:
    """What a notation found in a block of lines: the columns of `Alignments`, unchecked.

    Parameters
    ----------
    source, target : int32[L]
        The numbers as the text has them.
    possible : bool[L] or None
        None where the notation has no possible links.
    offsets : int64[S+1]
        Row by row.
    target_lengths, source_lengths : int64[S] or None
        None where the notation does not tell.
    bad : int
        Where the first token that does not fit is in the block, or -1.
    """

    source: Int32
    target: Int32
    possible: Bool | None
    offsets: Int64
    target_lengths: Int64 | None
    bad: int
    source_lengths: Int64 | None = None


@dataclass(frozen=True)
class Records:
    """What a notation found in a whole file: the columns of `Alignments`, and where they are.

    Parameters
    ----------
    source, target : int32[L]
        0-based.
    possible : bool[L] or None
        None where the notation has no possible links.
    offsets : int64[S+1]
    link_lines : int64[L]
        The line of each link, from 1.
    row_lines : int64[S] or None
        The line where each sentence pair begins; None if sentences without links have no line.
        Only the lengths of a text then tell how many follow behind the last.
    source_lengths, target_lengths : int64[S] or None
        None where the notation does not tell.
    """

    source: Int32
    target: Int32
    possible: Bool | None
    offsets: Int64
    link_lines: Int64
    row_lines: Int64 | None = None
    source_lengths: Int64 | None = None
    target_lengths: Int64 | None = None

    def __len__(self) -> int:
        return len(self.offsets) - 1


class Writer(Protocol):
    """A notation that can be written."""

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write the lines, in pieces of one or several, each without its end.

        Raises
        ------
        InputError
            If the notation cannot say what a row holds.
        """
        ...


class LineFormat(Writer, Protocol):
    """A notation with one line per sentence pair."""

    name: str
    # Whether an empty line is a sentence pair without links.
    empty_lines: bool
    # Whether the text holds target indices too (they then count from 1 where source indices do).
    target_indices: bool
    # Whether a line shows its target length as fields, of which a single empty one is not seen.
    target_fields: bool
    # What separates two tokens, what one link looks like in a line that is right (group 1),
    # and what messages call a link and expect of a token.
    separators: bytes
    link: re.Pattern[bytes]
    noun: str
    expected: str

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        ...


class RecordFormat(Writer, Protocol):
    """A notation with any number of lines per sentence pair, whose positions count from 1."""

    name: str
    empty_lines: bool

    def read(self, lines: NumberedLines, path: str, *, strict: bool = False) -> Records:
        """Read all lines of the file that messages call `path`.

        Raises
        ------
        InputError
            If a line does not fit; where `strict`, also, at its column, if a link is listed twice
            in one line.
        """
        ...
