"""Word alignments as `score` and `compare` read them: the links that count, and how many lack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from wordorder.types import Int64

if TYPE_CHECKING:
    from wordorder.alignment.alignments import Alignments
    from wordorder.alignment.reading import AlignmentReader


class AlignmentRows:
    """A source of alignments that counts those without a link.

    Parameters
    ----------
    reader : AlignmentReader
    sure_only : bool
        Whether links that are only possible are left away.
    source_lengths : int64[S], optional
        Words of the source sentences, against which links are then checked.

    Attributes
    ----------
    without_links : int
        Rows read so far in which no link is left.
    """

    def __init__(
        self,
        reader: AlignmentReader,
        *,
        sure_only: bool = False,
        source_lengths: Int64 | None = None,
    ) -> None:
        self._reader = reader
        self._sure_only = sure_only
        self._source_lengths = source_lengths
        self.without_links = 0

    @property
    def name(self) -> str:
        """What messages call the input."""
        return self._reader.name

    @property
    def lines(self) -> int:
        """Rows read so far."""
        return self._reader.lines

    def take(self, lines: int) -> Alignments:
        """Read up to `lines` further rows; none at the end of the file."""
        lengths = self._source_lengths
        if lengths is not None:
            lengths = lengths[self.lines : self.lines + lines]
        rows = self._reader.take(lines, source_lengths=lengths)
        if self._sure_only and rows.possible.any():
            rows = rows.sure()
        self.without_links += int(np.count_nonzero(np.diff(rows.offsets) == 0))
        return rows
