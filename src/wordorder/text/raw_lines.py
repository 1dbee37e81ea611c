"""Lines of text as one array of bytes with the bounds of each line."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.arrays import Int64, UInt8, row_offsets
from wordorder.errors import InputError
from wordorder.text.parts import NEWLINE, RETURN

# Lines are encoded one by one if they have this number of characters or more.
_SHORT_LINE = 64


class RawLines:
    r"""Lines as spans of one array of UTF-8 bytes, without their ends.

    Parameters
    ----------
    data : uint8 array
    starts, stops : int64[S]
        Line ``i`` is ``data[starts[i]:stops[i]]``; the lines may be in any order.

    Examples
    --------
    >>> lines = RawLines.from_bytes(b"one\r\ntwo\n\n")
    >>> lines.strings(), lines[1:].strings()
    (['one', 'two', ''], ['two', ''])
    """

    __slots__ = ("data", "starts", "stops")

    def __init__(self, data: UInt8, starts: Int64, stops: Int64) -> None:
        self.data = data
        self.starts = starts
        self.stops = stops

    @classmethod
    def from_bytes(cls, data: bytes | UInt8, newlines: Int64 | None = None) -> RawLines:
        r"""Split bytes into lines, which end in ``\n`` or ``\r\n``; the last end may be missing.

        `newlines` are the indices of ``\n``, if they are known.
        """
        array = np.frombuffer(data, np.uint8) if isinstance(data, bytes) else data
        ends = np.flatnonzero(array == NEWLINE) if newlines is None else newlines
        if len(array) and (len(ends) == 0 or ends[-1] != len(array) - 1):
            ends = np.append(ends, len(array))
        starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1])[: len(ends)]
        stops = ends.astype(np.int64)
        filled = np.flatnonzero((stops > starts) & (stops < len(array)))
        stops[filled] -= array[stops[filled] - 1] == RETURN
        return cls(array, starts, stops)

    @classmethod
    def from_strings(
        cls, lines: Sequence[str], name: str = "text", *, surrogates: bool = False
    ) -> RawLines:
        """Encode strings, one per line; lone surrogates only if `surrogates` allows them.

        Raises
        ------
        InputError
            If an entry is not a string, or cannot be encoded (a lone surrogate).
        """
        errors = "surrogatepass" if surrogates else "strict"
        if not all(issubclass(kind, str) for kind in set(map(type, lines))):
            entry, line = next((n, x) for n, x in enumerate(lines, 1) if not isinstance(x, str))
            raise InputError(f"{name}, entry {entry}", repr(line)[:30], "a string")
        try:
            # Short lines are encoded fastest as one string, and split at line breaks, unless a
            # line contains one. Long lines are often ASCII, whose encoding is a mere copy.
            if sum(map(len, lines)) < _SHORT_LINE * len(lines):
                data = np.frombuffer("\n".join(lines).encode("utf-8", errors), np.uint8)
                ends = np.flatnonzero(data == NEWLINE)
                if len(ends) == len(lines) - 1:
                    return cls(data, np.append(0, ends + 1), np.append(ends, len(data)))
            encoded = [line.encode("utf-8", errors) for line in lines]
        except UnicodeEncodeError:
            entry = next(i for i, line in enumerate(lines, 1) if not _encodes(line))
            context = f"{name}, entry {entry}"
            raise InputError(context, "a lone surrogate", "text that UTF-8 can hold") from None
        bounds = row_offsets(np.fromiter(map(len, encoded), np.int64, len(encoded)))
        data = np.frombuffer(b"".join(encoded), np.uint8)
        return cls(data, bounds[:-1], bounds[1:])

    @classmethod
    def concatenate(cls, parts: Sequence[RawLines]) -> RawLines:
        """Concatenate the lines of several parts."""
        if len(parts) > 1 and all(part.data is parts[0].data for part in parts):
            # All parts are views of the same bytes, which need no copy.
            starts = np.concatenate([part.starts for part in parts])
            return cls(parts[0].data, starts, np.concatenate([part.stops for part in parts]))
        parts = [part.compact() for part in parts]
        shifts = np.cumsum([0, *(len(part.data) for part in parts)])[:-1]
        empty = np.zeros(0, np.int64)
        return cls(
            np.concatenate([np.zeros(0, np.uint8), *(part.data for part in parts)]),
            np.concatenate([empty, *(p.starts + s for p, s in zip(parts, shifts, strict=True))]),
            np.concatenate([empty, *(p.stops + s for p, s in zip(parts, shifts, strict=True))]),
        )

    def compact(self) -> RawLines:
        """Return the same lines without the bytes before the first and after the last of them."""
        if not len(self):
            return RawLines(np.zeros(0, np.uint8), self.starts, self.stops)
        first, last = int(self.starts.min()), int(self.stops.max())
        if first == 0 and last == len(self.data):
            return self
        return RawLines(self.data[first:last], self.starts - first, self.stops - first)

    def __len__(self) -> int:
        return len(self.starts)

    def __getitem__(self, rows: slice) -> RawLines:
        """Return some of the lines, without copying bytes."""
        return RawLines(self.data, self.starts[rows], self.stops[rows])

    def take(self, rows: Int64) -> RawLines:
        """Return the lines with the indices `rows`, in this order."""
        return RawLines(self.data, self.starts[rows], self.stops[rows])

    def lower(self) -> RawLines:
        """Return the lines in lower case; lone surrogates stay."""
        lines = self.compact()
        # Most lines are ASCII alone; in UTF-8 other characters have no bytes below 128.
        non_ascii = np.flatnonzero(lines.data >= 128)
        before_start, before_stop = (
            np.searchsorted(non_ascii, places) for places in (lines.starts, lines.stops)
        )
        rows = np.flatnonzero(before_stop > before_start)
        strings = [line.lower() for line in lines.take(rows).strings(surrogates=True)]
        changed = RawLines.from_strings(strings, surrogates=True)
        starts, stops = lines.starts.copy(), lines.stops.copy()
        starts[rows] = changed.starts + len(lines.data)
        stops[rows] = changed.stops + len(lines.data)
        ascii_lowered = np.frombuffer(lines.data.tobytes().lower(), np.uint8)
        return RawLines(np.concatenate([ascii_lowered, changed.data]), starts, stops)

    def strings(self, *, surrogates: bool = False) -> list[str]:
        """Decode all lines; for `surrogates` see `from_strings`."""
        errors = "surrogatepass" if surrogates else "strict"
        data = self.data.tobytes()
        spans = zip(self.starts.tolist(), self.stops.tolist(), strict=True)
        return [data[start:stop].decode("utf-8", errors) for start, stop in spans]


def interleaved(files: Sequence[RawLines]) -> RawLines:
    """Return line 1 of all files, then line 2 of all, and so on.

    Parameters
    ----------
    files : sequence of RawLines, all equally long

    Examples
    --------
    >>> files = [RawLines.from_strings(lines) for lines in (["a", "b"], ["A", "B"])]
    >>> interleaved(files).strings()
    ['a', 'A', 'b', 'B']
    """
    joined = RawLines.concatenate(files)
    lines = len(joined) // len(files)
    return joined.take(np.arange(len(joined)).reshape(len(files), lines).T.ravel())


def _encodes(line: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in line)
