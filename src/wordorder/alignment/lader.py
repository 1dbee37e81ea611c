"""Lader's notation: both lengths, then links, ``3-2 ||| 0-0 2-1``."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.checks import MAX_INDEX
from wordorder.alignment.formats import Parsed
from wordorder.alignment.pharaoh import Pharaoh
from wordorder.errors import InputError
from wordorder.types import UInt8

_HEADER = re.compile(
    rb"^[ \t]*([0-9]{1,19})-([0-9]{1,19})[ \t]+\|\|\|(?=[ \t\n]|\r\n|\Z)", re.MULTILINE
)
_POSSIBLE = re.compile(rb"[0-9][p?][0-9]")
_BLANK = 32


class Lader:
    """Source and target length, ``|||``, and links ``source-target`` (Neubig et al. 2012).

    Examples
    --------
    >>> text = np.frombuffer(b"3-2 ||| 0-0 2-1\\n0-0 |||\\n", np.uint8)
    >>> parsed = Lader().parse(text, 2)
    >>> parsed.source.tolist(), parsed.target.tolist(), parsed.offsets.tolist()
    ([0, 2], [0, 1], [0, 2, 2])
    >>> parsed.source_lengths.tolist(), parsed.target_lengths.tolist()
    ([3, 0], [2, 0])
    """

    name = "lader"
    empty_lines = False
    target_indices = True
    target_fields = False
    separators = b" \t"
    # The first one follows the lengths and the bars.
    link = re.compile(rb"(?:^[^|]*\|\|\|[ \t]*)?([^ \t\r\n|]+)")
    noun = "link"
    expected = (
        "n-m ||| i-j ... (source and target length, then links) in ASCII digits, indices up to "
        f"{MAX_INDEX - 1}"
    )

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        text = data.tobytes()
        # Without the headers, and with all else at its place, the lines are Pharaoh's.
        links = data.copy()
        lengths = []
        starts = []
        bad = []
        for header in _HEADER.finditer(text):
            links[header.start() : header.end()] = _BLANK
            lengths.append([min(int(number), MAX_INDEX + 1) for number in header.groups()])
            starts.append(header.start())
            if max(lengths[-1]) > MAX_INDEX:
                bad.append(header.start(1))
        if len(lengths) < lines:
            bad.append(_without_header(data, starts))
        parsed = Pharaoh().parse(links, lines)
        if parsed.bad >= 0:
            bad.append(parsed.bad)
        elif parsed.possible is not None and parsed.possible.any():
            mark = _POSSIBLE.search(links.tobytes())
            bad.append(mark.start() if mark else 0)
        ends = np.array(lengths, np.int64).reshape(-1, 2)
        return Parsed(
            parsed.source,
            parsed.target,
            None,
            parsed.offsets,
            np.ascontiguousarray(ends[:, 1]),
            min(bad, default=-1),
            np.ascontiguousarray(ends[:, 0]),
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end.

        Raises
        ------
        InputError
            If the lengths are not known, or a link is only possible.
        """
        sources, targets = alignments.source_lengths, alignments.target_lengths
        if sources is None or targets is None:
            raise InputError(
                alignments.path,
                "the lengths of the sentences are not known",
                "them: lader's notation begins with the source and the target length",
            )
        if alignments.possible.any():
            row = int(np.searchsorted(alignments.offsets, np.argmax(alignments.possible), "right"))
            raise InputError(
                alignments.where(row - 1),
                "a possible link",
                "sure links: lader's notation has no others",
            )
        links = Pharaoh().rows(alignments)
        for n, m, row_links in zip(sources.tolist(), targets.tolist(), links, strict=True):
            yield f"{n}-{m} ||| {row_links}".rstrip(" ")


def _without_header(data: UInt8, starts: list[int]) -> int:
    """Return where the first line without a header has its first token, or its end."""
    begins = [0, *(np.flatnonzero(data[:-1] == ord("\n")) + 1).tolist()]
    missing = min(set(begins) - set(starts))
    line = data[missing:].tobytes()
    return missing + len(line) - len(line.lstrip(b" \t"))
