"""Where the lines of a file are: what is needed to begin reading at any of them."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, count

import numpy as np

from wordorder.errors import InputError, UsageError
from wordorder.text.compression import CHUNK, Decompressed, kind_of_name
from wordorder.text.opening import display_name
from wordorder.text.table_names import file_of, table_column

_NEWLINE = 10


@dataclass
class LineIndex:
    """Places of a file from which it can be read, with the newlines before each.

    Attributes
    ----------
    path : str
    member : str
        What can only be read from its beginning: "gzip member", "row group"; empty of plain text.
    offsets : list of int
        Bytes of the file as it is stored: multiples of `CHUNK` in plain text, the beginnings of
        members in compressed files; of Parquet the numbers of its row groups.
    newlines : list of int
        How many come before each.
    lines : int
        Of the whole file.
    size : int
        Bytes of the whole file, decompressed.
    """

    path: str
    member: str = ""
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
        table = table_column(path)
        if table is not None and table.parquet:
            return cls._of_parquet(table.path)
        path = file_of(path)
        kind = kind_of_name(path)
        try:
            if kind is not None:
                return cls._of_members(path, kind)
            return cls.of_counts(path, list(newlines_of(path)), os.stat(path).st_size)
        except OSError as error:
            what = error.strerror or str(error)
            raise InputError(display_name(path), what, "a file to read") from None

    @classmethod
    def of_counts(cls, path: str, counts: Sequence[int], size: int) -> LineIndex:
        """Take how many newlines each `CHUNK` bytes of a file of plain text have."""
        before = list(accumulate(counts, initial=0))
        newlines = before.pop()
        offsets = [number * CHUNK for number in range(len(counts))]
        with open(path, "rb") as file:
            file.seek(max(size - 1, 0))
            unended = file.read(1) not in (b"", b"\n")
        return cls(path, "", offsets, before, newlines + unended, size)

    @classmethod
    def _of_members(cls, path: str, kind: str) -> LineIndex:
        """Read a compressed file to its end."""
        found = cls(path, f"{kind} member")
        newlines, last = 0, b"\n"
        with open(path, "rb", buffering=0) as raw:
            members = Decompressed(raw, kind, display_name(path))
            while data := members.read():
                if not found.offsets or members.member != found.offsets[-1]:
                    found.offsets.append(members.member)
                    found.newlines.append(newlines)
                found.size += len(data)
                newlines += _newlines(data)
                last = data[-1:]
        found.lines = newlines + (last != b"\n")
        return found

    @classmethod
    def _of_parquet(cls, path: str) -> LineIndex:
        """Read how many rows the groups of a Parquet file have."""
        try:
            from pyarrow import ArrowException, parquet
        except ImportError:
            message = f'{path}: pyarrow is not installed; pip install "wordorder[arrow]"'
            raise UsageError(message) from None
        found = cls(path, "row group")
        try:
            with parquet.ParquetFile(path) as file:
                known = file.metadata
        except (ArrowException, OSError) as error:
            what = " ".join(str(error).split())[:200]
            raise InputError(path, what, "a whole Parquet file") from None
        for number in range(known.num_row_groups):
            found.offsets.append(number)
            found.newlines.append(found.lines)
            found.lines += known.row_group(number).num_rows
            found.size += known.row_group(number).total_byte_size
        return found

    @property
    def members(self) -> int:
        """From how many places it can be read."""
        return len(self.offsets)

    @property
    def firsts(self) -> list[int]:
        """The first line that begins behind each place, by its number from 0."""
        if self._in_rows:
            return self.newlines
        places = zip(self.offsets, self.newlines, strict=True)
        return [before + (offset > 0) for offset, before in places]

    def place(self, line: int) -> tuple[int, int]:
        """Return where to begin to read for a line, and how many line ends to skip from there."""
        # At a place behind as many newlines, the line may have begun already; a row has not.
        bisect = bisect_right if self._in_rows else bisect_left
        found = max(bisect(self.newlines, line) - 1, 0)
        return (self.offsets[found], line - self.newlines[found]) if self.offsets else (0, 0)

    @property
    def _in_rows(self) -> bool:
        return self.member == "row group"


def newlines_of(path: str, offset: int = 0, most_bytes: int | None = None) -> Iterator[int]:
    """Yield how many newlines each `CHUNK` bytes of a file have, from some place on.

    Parameters
    ----------
    path : str
    offset : int
        Where to begin, in bytes.
    most_bytes : int, optional
        A multiple of `CHUNK`; without it, to the end.
    """
    # One piece of memory for all: to get a fresh one takes longer than to count.
    memory = memoryview(bytearray(CHUNK))
    with open(path, "rb") as file:
        file.seek(offset)
        chunks = count() if most_bytes is None else range(most_bytes // CHUNK)
        for _ in chunks:
            read = file.readinto(memory)
            if not read:
                return
            yield _newlines(memory[:read])


def _newlines(data: bytes | memoryview) -> int:
    return int(np.count_nonzero(np.frombuffer(data, np.uint8) == _NEWLINE))
