"""Where the lines of a file are: what is needed to begin reading at any of them."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from wordorder.errors import InputError
from wordorder.text.compression import CHUNK, Decompressed, kind_of_name
from wordorder.text.opening import display_name

_NEWLINE = 10


@dataclass
class LineIndex:
    """Places of a file from which it can be read, with the newlines before each.

    Attributes
    ----------
    path : str
    offsets : list of int
        Bytes of the file as it is stored: multiples of `CHUNK` in plain text, the beginnings of
        members in compressed files.
    newlines : list of int
        How many stand before each.
    lines : int
        Of the whole file.
    size : int
        Bytes of the whole file, decompressed.
    """

    path: str
    offsets: list[int] = field(default_factory=list)
    newlines: list[int] = field(default_factory=list)
    lines: int = 0
    size: int = 0

    @classmethod
    def of_file(cls, path: str) -> LineIndex:
        r"""Read a file once, to its end.

        Raises
        ------
        InputError
            If it cannot be read.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "a.txt")
        >>> _ = path.write_text("one\ntwo\nthree")
        >>> index = LineIndex.of_file(str(path))
        >>> index.lines, index.place(2)
        (3, (0, 2))
        """
        found = cls(path)
        newlines, last = 0, b"\n"
        try:
            for offset, data in _pieces(path):
                if not found.offsets or offset != found.offsets[-1]:
                    found.offsets.append(offset)
                    found.newlines.append(newlines)
                found.size += len(data)
                array = np.frombuffer(data, np.uint8)
                newlines += int(np.count_nonzero(array == _NEWLINE))
                last = data[-1:]
        except OSError as error:
            what = error.strerror or str(error)
            raise InputError(display_name(path), what, "a file to read") from None
        found.lines = newlines + (last != b"\n")
        return found

    @property
    def members(self) -> int:
        """From how many places it can be read."""
        return len(self.offsets)

    @property
    def firsts(self) -> list[int]:
        """The first line that begins behind each place, by its number from 0."""
        places = zip(self.offsets, self.newlines, strict=True)
        return [before + (offset > 0) for offset, before in places]

    def place(self, line: int) -> tuple[int, int]:
        """Return where to begin to read for a line, and how many line ends to skip from there."""
        # At a place behind as many newlines, the line may have begun already.
        found = max(bisect_left(self.newlines, line) - 1, 0)
        return (self.offsets[found], line - self.newlines[found]) if self.offsets else (0, 0)


def _pieces(path: str) -> Iterator[tuple[int, bytes]]:
    """Yield the bytes of a file, decompressed, each with the place from which it can be read."""
    kind = kind_of_name(path)
    with open(path, "rb", buffering=0) as raw:
        if kind is not None:
            members = Decompressed(raw, kind, display_name(path))
            while data := members.read():
                yield members.member, data
            return
        offset = 0
        while data := raw.read(CHUNK):
            yield offset, data
            offset += len(data)
