"""Talbot's notation: one comma-separated field per target word, ``2,2,,7_8``."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.checks import MAX_INDEX
from wordorder.alignment.formats import Parsed
from wordorder.errors import InputError
from wordorder.kernels import parse_alignments
from wordorder.kernels._run import call
from wordorder.types import UInt8


class Talbot:
    """The source words of each target word in turn (Talbot et al. 2011, Table 2).

    ``_`` joins several source words, an empty field is an unaligned target word, and an empty
    line has no target words. There are no possible links.

    Examples
    --------
    >>> text = np.frombuffer(b"2,,0_1\\n", np.uint8)
    >>> parsed = Talbot().parse(text, 1)
    >>> parsed.source.tolist(), parsed.target.tolist(), parsed.target_lengths.tolist()
    ([2, 0, 1], [0, 2, 2], [3])
    """

    name = "talbot"
    empty_lines = True
    target_indices = False
    target_fields = True
    separators = b","
    link = re.compile(rb"([0-9]+)")
    noun = "index"
    expected = f"source indices joined by _ in ASCII digits, up to {MAX_INDEX - 1}, or nothing"

    def parse(self, data: UInt8, lines: int) -> Parsed:
        """Read a block of whole lines."""
        room = len(data) // 2 + 1
        source = np.empty(room, np.int32)
        target = np.empty(room, np.int32)
        offsets = np.empty(lines + 1, np.int64)
        target_lengths = np.empty(lines, np.int64)
        state = np.empty(4, np.int64)
        call(
            parse_alignments.parse_talbot,
            data,
            source,
            target,
            offsets,
            target_lengths,
            state,
            0,
            len(data),
        )
        links = int(state[0])
        return Parsed(source[:links], target[:links], None, offsets, target_lengths, int(state[3]))

    def rows(self, alignments: Alignments) -> Iterator[str]:
        """Write each row as a line without its end.

        Raises
        ------
        InputError
            If the target lengths are not known, a link is only possible, or the only target word
            of a row is unaligned: one empty field cannot be told from no field.
        """
        if alignments.target_lengths is None:
            raise InputError(
                alignments.path,
                "the target lengths are not known",
                "them: Talbot's notation has a field for each target word",
            )
        for number, row in enumerate(alignments):
            if row.possible:
                raise InputError(
                    alignments.where(number),
                    "a possible link",
                    "sure links: Talbot's notation has no others",
                )
            fields: list[list[str]] = [[] for _ in range(row.target_length or 0)]
            if len(fields) == 1 and not row.links:
                raise InputError(
                    alignments.where(number),
                    "a single unaligned target word, which Talbot's notation cannot write",
                    "the notation pharaoh here",
                )
            for s, t in row.links:
                fields[t].append(str(s))
            yield ",".join(map("_".join, fields))
