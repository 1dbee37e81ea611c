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
# Newlines are counted in chunks of this many bytes, which is six times as fast as locating them.
_COUNTED_BYTES = 1 << 16
_SELECTED_PARTS: ContextVar[Mapping[str, FilePart] | None] = ContextVar("parts", default=None)


@dataclass(frozen=True)
class FilePart:
    """Whole lines of a file.

    Attributes
    ----------
    path : str
        The file.
    offset : int
        Where reading starts, in bytes as stored: any byte of plain text, the start of a member of
        a compressed file.
    skip : int
        Number of lines to skip from there; the first may be the end of a line.
    lines : int
        Number of lines.
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
def reading_parts(parts: Mapping[str, FilePart]) -> Iterator[None]:
    r"""Make every reader on this thread read only parts of some files.

    Parameters
    ----------
    parts : mapping of path to FilePart
        The paths are those with which the files are opened.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.text.lines import read_lines
    >>> path = str(pathlib.Path(tempfile.mkdtemp(), "a.txt"))
    >>> _ = pathlib.Path(path).write_text("one\ntwo\nthree\nfour\n")
    >>> with reading_parts({path: FilePart(path, 2, 1, 2, lines_before=1, rows_before=1)}):
    ...     list(read_lines(path))
    ['two', 'three']
    """
    token = _SELECTED_PARTS.set(parts)
    try:
        yield
    finally:
        _SELECTED_PARTS.reset(token)


def part_of(path: str | os.PathLike[str]) -> FilePart | None:
    """Return the part of a file that `reading_parts` selects; None for the complete file."""
    parts = _SELECTED_PARTS.get()
    return parts.get(os.fspath(path)) if parts else None


class PartCutter:
    """Cuts the lines of a part out of blocks of bytes, given to `cut` in order from its offset on.

    Parameters
    ----------
    part : FilePart
    """

    def __init__(self, part: FilePart) -> None:
        self._skip = part.skip
        self._remaining = part.lines

    @property
    def ended(self) -> bool:
        """Whether all lines of the part have been seen."""
        return self._remaining == 0

    def cut(self, data: bytes) -> bytes:
        """Return the bytes of `data` that belong to the part."""
        import numpy as np

        array = np.frombuffer(data, np.uint8)
        start = 0
        if self._skip:
            start, self._skip = _after_newlines(array, self._skip)
            array = array[start:]
        newlines = int(np.count_nonzero(array == NEWLINE))
        if newlines < self._remaining:
            self._remaining -= newlines
            return data[start:] if start else data
        stop, self._remaining = _after_newlines(array, self._remaining)
        return data[start : start + stop]


def _after_newlines(data: UInt8, newlines: int) -> tuple[int, int]:
    """Return the offset after a number of newlines, or the end, and how many are missing."""
    import numpy as np

    is_newline = data == NEWLINE
    for start in range(0, len(data), _COUNTED_BYTES):
        chunk = is_newline[start : start + _COUNTED_BYTES]
        count = int(np.count_nonzero(chunk))
        if newlines <= count:
            return start + int(np.flatnonzero(chunk)[newlines - 1]) + 1, 0
        newlines -= count
    return len(data), newlines
