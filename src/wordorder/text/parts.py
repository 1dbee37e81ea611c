"""Parts of files: a process reads its own range of lines."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING

# Commands import this module before they know whether numpy is needed.
if TYPE_CHECKING:
    from wordorder.arrays import UInt8

NEWLINE, RETURN = 10, 13
# Newlines are counted by so many bytes: to count them takes a sixth of the time of finding each.
_PIECE = 1 << 16
_PARTS: ContextVar[Mapping[str, Part] | None] = ContextVar("parts", default=None)


@dataclass(frozen=True)
class Part:
    """Whole lines of a file.

    Attributes
    ----------
    path : str
        The file.
    offset : int
        Where reading begins, in bytes as they are stored: anywhere in plain text, at the beginning
        of a member in compressed files.
    skip : int
        How many lines to leave out from there; the first may be the end of a line.
    lines : int
        How many lines there are.
    lines_before, rows_before : int
        Lines and rows of the file before them; a row is a line, or a sentence of a treebank.
    """

    path: str
    offset: int
    skip: int
    lines: int
    lines_before: int
    rows_before: int


@contextmanager
def reading_parts(parts: Mapping[str, Part]) -> Iterator[None]:
    r"""Let whatever opens some files on this thread see only parts of them.

    Parameters
    ----------
    parts : mapping of path to Part
        By the names under which the files are opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.text.lines import read_lines
    >>> path = str(pathlib.Path(tempfile.mkdtemp(), "a.txt"))
    >>> _ = pathlib.Path(path).write_text("one\ntwo\nthree\nfour\n")
    >>> with reading_parts({path: Part(path, 2, 1, 2, lines_before=1, rows_before=1)}):
    ...     list(read_lines(path))
    ['two', 'three']
    """
    token = _PARTS.set(parts)
    try:
        yield
    finally:
        _PARTS.reset(token)


def part_of(path: str | os.PathLike[str]) -> Part | None:
    """Return the part of a file that is to be read, if it is not the whole."""
    parts = _PARTS.get()
    return parts.get(os.fspath(path)) if parts else None


class PartBytes:
    """Cuts the lines of a part out of the bytes from its offset on.

    Parameters
    ----------
    part : Part
    """

    def __init__(self, part: Part) -> None:
        self._skip = part.skip
        self._left = part.lines

    @property
    def ended(self) -> bool:
        """Whether all lines of the part have been seen."""
        return self._left == 0

    def cut(self, data: bytes) -> bytes:
        """Return those of the next bytes that belong to the part."""
        import numpy as np

        array = np.frombuffer(data, np.uint8)
        start = 0
        if self._skip:
            start, self._skip = _behind(array, self._skip)
            array = array[start:]
        newlines = int(np.count_nonzero(array == NEWLINE))
        if newlines < self._left:
            self._left -= newlines
            return data[start:] if start else data
        stop, self._left = _behind(array, self._left)
        return data[start : start + stop]


def _behind(data: UInt8, newlines: int) -> tuple[int, int]:
    """Return the place behind so many newlines, or the end, and how many are still missing."""
    import numpy as np

    found = data == NEWLINE
    for start in range(0, len(data), _PIECE):
        piece = found[start : start + _PIECE]
        here = int(np.count_nonzero(piece))
        if newlines <= here:
            return start + int(np.flatnonzero(piece)[newlines - 1]) + 1, 0
        newlines -= here
    return len(data), newlines
