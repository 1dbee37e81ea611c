"""Files of alignments rewritten for sentences of which one side is reordered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.formats import Writer
from wordorder.alignment.notations import KEPT_FORMATS
from wordorder.alignment.reading import AlignmentReader
from wordorder.errors import choose
from wordorder.notes import note
from wordorder.order.applied import reorder_alignments
from wordorder.order.orders import Orders
from wordorder.parsing.sentence_reading import SentenceReader
from wordorder.text.closeable import Closeable
from wordorder.text.in_step import mismatch, take_exactly
from wordorder.text.opening import Path
from wordorder.treebank.treebank import Treebank

# What alignments are written in that were not read line by line, or are blank throughout.
_OTHERWISE = "pharaoh"


class ReorderedLinks(Closeable):
    """Reads alignments in step with sentences, and writes them for the reordered ones.

    Parameters
    ----------
    path : path or "-"
        As `wordorder.alignment.reading.AlignmentReader` takes it.
    reader : SentenceReader
        Where the sentences come from.
    stream : binary stream
        Where the links go: in the notation in which they were, 0-based; those of NAACL and GIZA++
        in Pharaoh's.
    side : {"source", "target"}
        Which side of the alignment the sentences are.
    format, one_based, strict
        As `AlignmentReader` takes them.

    Attributes
    ----------
    dropped : int
        Links left out so far, with words that were.
    """

    def __init__(
        self,
        path: Path,
        reader: SentenceReader,
        stream: BinaryIO,
        *,
        side: str = "source",
        format: str = "auto",
        one_based: bool = False,
        strict: bool = False,
    ) -> None:
        choose("side", side, ("source", "target"))
        self._links = AlignmentReader(
            path,
            format=format,
            format_option="--alignment-format",
            one_based=one_based,
            strict=strict,
            source_name=reader.name,
            target_name=reader.name,
        )
        self._reader = reader
        self._stream = stream
        self._side = side
        self.dropped = 0

    def write(self, sentences: Treebank, orders: Orders) -> None:
        """Read the links of a batch, and write them for the sentences in the new order.

        Parameters
        ----------
        sentences : Treebank
            In the old order.
        orders : Orders
            Those of all their words, or of the words that are left.

        Raises
        ------
        InputError
            If there are fewer rows than sentences, or a link that the sentences do not have.
        """
        lengths = f"{self._side}_lengths"
        words = sentences.lengths

        def take(there: int, count: int) -> Alignments:
            return self._links.take(count, **{lengths: words[there:]})

        links = take_exactly(take, len(sentences), _joined)
        if links is None:
            raise mismatch([self._links, self._reader])
        found = reorder_alignments(links, orders, side=self._side, missing="drop")
        self.dropped += len(links.source) - len(found.source)
        rows = self._notation.rows(found)
        self._stream.write("".join(f"{row}\n" for row in rows).encode())

    def finish(self) -> None:
        """Raise an InputError if there are more rows than sentences; note a change of notation."""
        if len(self._links.take(1)):
            raise mismatch([self._links, self._reader])
        if self._links.format not in (None, *KEPT_FORMATS):
            note(
                f"{self._links.name}: in the notation {self._links.format}; the reordered links "
                f"are in {_OTHERWISE}'s, i-j, 0-based"
            )

    def close(self) -> None:
        """Close the file of alignments."""
        self._links.close()

    @property
    def _notation(self) -> Writer:
        return KEPT_FORMATS.get(self._links.format or _OTHERWISE, KEPT_FORMATS[_OTHERWISE])


def _joined(parts: Sequence[Alignments]) -> Alignments:
    """Put parts one behind the other; blank lines before the notation shows have no target."""
    if any(part.target_lengths is not None for part in parts):
        for part in parts:
            if part.target_lengths is None:
                part.target_lengths = np.zeros(len(part), np.int64)
    return Alignments.concatenate(parts)
