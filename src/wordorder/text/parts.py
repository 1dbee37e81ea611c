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
# Newlines are counted in pieces of this many bytes: counting takes a sixth of the time of finding.
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
    r"""Make every reader on this thread see only parts of some files.

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


class PartBytes:
    """Cuts the lines of a part out of the bytes from its offset on.

    Parameters
    ----------
    part : Part
    """

    def __init__(self, part: FilePart) -> None:
        self._skip = part.skip
        self._left = part.lines

    @property
    def ended(self) -> bool:
        """Whether all lines of the part have been seen."""
        return self._left == 0

    def cut(self, data: bytes) -> bytes:
        """Return the bytes of `data` that belong to the part."""
        import numpy as np

        array = np.frombuffer(data, np.uint8)
        start = 0
        if self._skip:
            start, self._skip = _after_newlines(array, self._skip)
            array = array[start:]
        newlines = int(np.count_nonzero(array == NEWLINE))
        if newlines < self._left:
            self._left -= newlines
            return data[start:] if start else data
        stop, self._left = _after_newlines(array, self._left)
        return data[start : start + stop]


def _after_newlines(data: UInt8, newlines: int) -> tuple[int, int]:
    """Return the offset after a number of newlines, or the end, and the number still missing."""
    import numpy as np

    is_newline = data == NEWLINE
    for start in range(0, len(data), _COUNTED_BYTES):
        piece = is_newline[start : start + _COUNTED_BYTES]
        here = int(np.count_nonzero(piece))
        if newlines <= here:
            return start + int(np.flatnonzero(piece)[newlines - 1]) + 1, 0
        newlines -= here
    return len(data), newlines
