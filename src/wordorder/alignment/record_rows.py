"""Rows of alignments from a file that has been read as a whole."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.checks import LinkError, explain
from wordorder.alignment.doubled import DoubledLinks
from wordorder.alignment.formats import Records
from wordorder.alignment.line_rows import wrong_length
from wordorder.alignment.swapped_sides import hint
from wordorder.errors import InputError, location
from wordorder.types import Int64


class RecordRows:
    """Deals out the rows of records.

    Parameters
    ----------
    records : Records
    path : str
        What messages call the file.
    names : tuple of str
        What they call the files of the lengths, source and target.
    doubled : DoubledLinks
        Takes each link once.
    sentences : int, optional
        How many sentence pairs there are, where the notation does not tell.

    Raises
    ------
    InputError
        If there are more than `sentences`, or others.
    """

    def __init__(
        self,
        records: Records,
        path: str,
        names: tuple[str, str],
        doubled: DoubledLinks,
        *,
        sentences: int | None,
    ) -> None:
        self._records = records
        self._doubled = doubled
        self._path = path
        self._names = names
        self._given = 0
        # Whether rows without links may follow behind the last.
        self._open = records.row_lines is None and sentences is None
        self.total = len(records) if sentences is None else sentences
        if len(records) > self.total or (
            records.row_lines is not None and len(records) < self.total
        ):
            raise InputError(path, f"{len(records)} sentence pairs", f"{self.total}")

    def ahead(self, rows: int, lengths: int | None) -> int:
        """Return how many of `rows` further rows there are, for texts with `lengths` further ones.

        Where the notation does not tell, the texts do.
        """
        if self._open and lengths is not None:
            self.total = max(self.total, self._given + min(rows, lengths))
        return min(rows, self.total - self._given)

    def take(self, rows: int, sources: Int64 | None, targets: Int64 | None) -> Alignments:
        """Return the next `rows` rows.

        Raises
        ------
        InputError
            If lengths differ, a link is out of range or is listed twice and that is refused.
        """
        records = self._records
        first, last = self._given, self._given + rows
        bounds = np.minimum(np.arange(first, last + 1), len(records))
        offsets = records.offsets[bounds]
        sources = self._compared(records.source_lengths, sources, first, last, 0)
        targets = self._compared(records.target_lengths, targets, first, last, 1)
        span = slice(int(offsets[0]), int(offsets[-1]))
        self._given = last
        try:
            return self._doubled.alignments(
                records.source[span],
                records.target[span],
                offsets - offsets[0],
                None if records.possible is None else records.possible[span],
                sources,
                targets,
                # A row has no line of its own to name.
                path=f"{self._path} (sentence pairs)",
                first_line=first + 1,
            )
        except LinkError as bad:
            link = int(offsets[bad.row]) + bad.link
            s, t = int(records.source[link]), int(records.target[link])
            what = explain(
                f"link {s + 1}-{t + 1}",
                s,
                t,
                None if sources is None else int(sources[bad.row]),
                None if targets is None else int(targets[bad.row]),
                one_based=True,
                swapped=hint(
                    (records.source[span], records.target[span], offsets - offsets[0]),
                    (sources, targets),
                    bad.row,
                    "",
                ),
            )
            raise InputError(location(self._path, int(records.link_lines[link])), what) from None

    def _compared(
        self, lengths: Int64 | None, given: Int64 | None, first: int, last: int, side: int
    ) -> Int64 | None:
        """Return the lengths of the rows, from the text or else from the file."""
        if lengths is None or self._records.row_lines is None:
            return given
        lengths = lengths[first:last]
        if given is not None and len(wrong := np.flatnonzero(lengths != given)):
            row = int(wrong[0])
            where = location(self._path, int(self._records.row_lines[first + row]))
            noun = ("source", "target")[side]
            raise wrong_length(where, int(lengths[row]), noun, self._names[side], int(given[row]))
        return lengths
