"""Cutting whole lines out of a stream of bytes."""

from __future__ import annotations

import numpy as np

from wordorder.text.parts import Part
from wordorder.types import UInt8

_NEWLINE = 10
# Newlines are counted by so many bytes: to count them takes a sixth of the time of finding each.
_PIECE = 1 << 16


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
        array = np.frombuffer(data, np.uint8)
        start = 0
        if self._skip:
            start, self._skip = _behind(array, self._skip)
            array = array[start:]
        newlines = int(np.count_nonzero(array == _NEWLINE))
        if newlines < self._left:
            self._left -= newlines
            return data[start:] if start else data
        stop, self._left = _behind(array, self._left)
        return data[start : start + stop]


def _behind(data: UInt8, newlines: int) -> tuple[int, int]:
    """Return the place behind so many newlines, or the end, and how many are still missing."""
    found = data == _NEWLINE
    for start in range(0, len(data), _PIECE):
        piece = found[start : start + _PIECE]
        here = int(np.count_nonzero(piece))
        if newlines <= here:
            return start + int(np.flatnonzero(piece)[newlines - 1]) + 1, 0
        newlines -= here
    return len(data), newlines
