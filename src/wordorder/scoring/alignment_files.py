"""Alignments of systems against gold alignments; alignments beside translations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.scoring.file_kind import Counts, FileKind, Inputs, Make
from wordorder.scoring.files import ALIGNER, ALIGNMENTS, TEXT
from wordorder.segments import Segments
from wordorder.text.in_step import CHUNK, RowSource
from wordorder.types import Int64

if TYPE_CHECKING:
    from wordorder.alignment.alignments import Alignments
    from wordorder.alignment.reading import AlignmentReader
    from wordorder.metrics.contract import BaseMetric
    from wordorder.scoring.files import Files


class AlignmentFiles(FileKind):
    """Alignments against gold alignments of the same sentence pairs."""

    name = "alignments"
    default_metrics = "aer,precision,recall"

    @property
    def columns(self) -> set[str]:
        """Links with gold links."""
        return {"gold"}

    def check(self) -> None:
        """Refuse options for translations."""
        files = self.files
        files.check_standard_input()
        why = (
            "holds alignments"
            if files.kind == "alignments"
            else "is taken for alignments (--input=text, if it is none)"
        )
        files.refuse(["multiple_roots"], "is for trees")
        files.refuse(
            [*TEXT, *ALIGNER, *ALIGNMENTS], f"is for translations, but {files.reference} {why}"
        )

    def lacking(self, missing: set[str]) -> str:
        """Links are all that there is."""
        return (
            f"does not compare alignments, and {self.files.reference} is taken for some "
            "(--input=text or orders, if it is none); aer, precision and recall do"
        )

    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open the alignments; a source tells how long the sentences are."""
        files = self.files
        lengths = None if files.source is None else _lengths(files.source)
        (gold,) = alignment_rows([files.reference], files, stack, gold=True, lengths=lengths)
        systems = alignment_rows(files.system_paths, files, stack, lengths=lengths)
        return Inputs([gold, *systems], files.names, _segments)


def _segments(parts: Sequence[Any], before: int) -> list[Make]:
    """Compare the links of each system with gold ones."""
    gold, *systems = parts
    return [partial(Segments.from_links, system, gold) for system in systems]


def alignment_rows(
    paths: Iterable[str],
    files: Files,
    stack: ExitStack,
    *,
    gold: bool = False,
    lengths: Int64 | None = None,
) -> list[AlignmentRows]:
    """Open alignments as the options say.

    Parameters
    ----------
    gold : bool
        Whether they are of the reference.
    lengths : int64[S], optional
        Words of the source sentences.
    """
    from wordorder.alignment.reading import AlignmentReader
    from wordorder.text.opening import display_name

    return [
        AlignmentRows(
            stack.enter_context(
                AlignmentReader(
                    path,
                    format=files.alignment_format,
                    format_option="--alignment-format",
                    one_based=files.one_based or (gold and files.one_based_reference),
                    strict=files.strict,
                    sentences=None if lengths is None else len(lengths),
                    source_name=display_name(str(files.source)),
                )
            ),
            sure_only=files.links == "sure",
            source_lengths=lengths,
        )
        for path in paths
    ]


def without_links(sources: Sequence[RowSource]) -> Counts:
    """Return how many rows the files of alignments have, and how many of them no link."""
    read = [source for source in sources if isinstance(source, AlignmentRows)]
    return [(source.name, source.lines, source.without_links) for source in read]


def _lengths(path: str) -> Int64:
    """Count the words of each line of a text, int64[S]."""
    from wordorder.text.lines import tokens
    from wordorder.text.words import word_reader

    counts: list[int] = []
    with word_reader(path) as reader:
        while len(part := reader.take(CHUNK)):
            counts += [len(tokens(line)) for line in part.strings()]
    return np.array(counts, np.int64)


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
