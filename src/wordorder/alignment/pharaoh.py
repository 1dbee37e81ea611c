"""Pharaoh's notation: ``0-0 1-2 1p3``, a possible link with ``p`` or ``?``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.checks import MAX_INDEX
from wordorder.alignment.formats import Parsed
from wordorder.alignment.swapped_sides import REVERSED
from wordorder.kernels import parse_alignments
from wordorder.kernels._run import call
from wordorder.types import UInt8


class Pharaoh:
    """Links ``source-target``, blanks between them.

    Examples
    --------
    >>> text = np.frombuffer(b"0-1 1?0\\n\\n", np.uint8)
    >>> parsed = Pharaoh().parse(text, 2)
    >>> parsed.source.tolist(), parsed.target.tolist(), parsed.offsets.tolist()
    ([0, 1], [1, 0], [0, 2, 2])
    """

    name = "pharaoh"
    empty_lines = True
    target_indices = True
    target_fields = False
    separators = b" \t"
    link = re.compile(rb"([^ \t\r\n]+)")
    noun = "link"
    expected = f"i-j (sure), ipj or i?j (possible) in ASCII digits, indices up to {MAX_INDEX - 1}"

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        room = len(data) // 4 + 1
        source = np.empty(room, np.int32)
        target = np.empty(room, np.int32)
        possible = np.empty(room, np.uint8)
        offsets = np.empty(lines + 1, np.int64)
        state = np.empty(4, np.int64)
        call(
            parse_alignments.parse_pharaoh,
            data,
            source,
            target,
            possible,
            offsets,
            state,
            0,
            len(data),
        )
        links = int(state[0])
        return Parsed(
            source[:links],
            target[:links],
            possible[:links].view(np.bool_),
            offsets,
            None,
            int(state[3]),
        )

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end."""
        source = alignments.source.tolist()
        target = alignments.target.tolist()
        marks = ["p" if flag else "-" for flag in alignments.possible.tolist()]
        links = [f"{s}{m}{t}" for s, m, t in zip(source, marks, target, strict=True)]
        bounds = alignments.offsets.tolist()
        for first, last in pairwise(bounds):
            yield " ".join(links[first:last])


class ReversedPharaoh(Pharaoh):
    """Links ``target-source``, blanks between them.

    Examples
    --------
    >>> text = np.frombuffer(b"0-1 2?0\\n", np.uint8)
    >>> parsed = ReversedPharaoh().parse(text, 1)
    >>> parsed.source.tolist(), parsed.target.tolist()
    ([1, 0], [0, 2])
    """

    name = REVERSED

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        parsed = super().parse(data, lines)
        return replace(parsed, source=parsed.target, target=parsed.source)

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end."""
        return super().rows(alignments.transpose())
