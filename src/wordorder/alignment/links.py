"""Links: the word alignments that segments come with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments, LinkError, faulty_links
from wordorder.counts import counted
from wordorder.notes import note
from wordorder.ragged import row_places
from wordorder.types import Bool, Int32, Int64


@dataclass(frozen=True, eq=False)
class Links:
    """Word alignments of S segments with R references.

    Attributes
    ----------
    hypothesis : Alignments
        S rows: from source to hypothesis, or a system's alignments that are judged themselves.
    references : Alignments or None
        R rows: from source to each reference, or the gold alignments.
    source_lengths, hypothesis_lengths : int64[S] or None
    reference_lengths : int64[R] or None
        Words of the sentences, where known.
    gold : bool
        Whether `references` are gold alignments of the very sentence pairs that `hypothesis` links.
    """

    hypothesis: Alignments
    references: Alignments | None
    source_lengths: Int64 | None = None
    hypothesis_lengths: Int64 | None = None
    reference_lengths: Int64 | None = None
    gold: bool = False

    def part(self, rows: slice, reference_rows: slice) -> Links:
        """Return some of the segments, with their references."""
        return Links(
            self.hypothesis[rows],
            None if self.references is None else self.references[reference_rows],
            None if self.source_lengths is None else self.source_lengths[rows],
            None if self.hypothesis_lengths is None else self.hypothesis_lengths[rows],
            None if self.reference_lengths is None else self.reference_lengths[reference_rows],
            self.gold,
        )

    @classmethod
    def concatenate(cls, parts: list[Links]) -> Links:
        """Put the links of several parts one behind the other."""
        references = [part.references for part in parts if part.references is not None]

        def joined(name: str) -> Int64 | None:
            columns = [getattr(part, name) for part in parts]
            return None if any(c is None for c in columns) else np.concatenate(columns)

        return cls(
            Alignments.concatenate([part.hypothesis for part in parts]),
            Alignments.concatenate(references) if len(references) == len(parts) else None,
            joined("source_lengths"),
            joined("hypothesis_lengths"),
            joined("reference_lengths"),
            any(part.gold for part in parts),
        )


class DoubledLinks:
    """Takes each link of a file once, and counts those that are listed again.

    Parameters
    ----------
    path : str
        What messages call the file.
    strict : bool
        Whether they are refused.

    Attributes
    ----------
    links, rows : int
        Links that were left out so far, and in how many sentence pairs.

    Examples
    --------
    >>> doubled = DoubledLinks("a.align", strict=False)
    >>> ends = np.array([0, 1, 0], np.int32)
    >>> possible = np.array([True, False, False])
    >>> found = doubled.alignments(ends, ends, np.array([0, 3]), possible)
    >>> str(found[0]), doubled.links, doubled.rows
    ('0-0 1-1', 1, 1)
    """

    def __init__(self, path: str, *, strict: bool) -> None:
        self._path = path
        self._strict = strict
        self.links = 0
        self.rows = 0

    def alignments(
        self,
        source: Int32,
        target: Int32,
        offsets: Int64,
        possible: Bool | None,
        source_lengths: Int64 | None = None,
        target_lengths: Int64 | None = None,
        *,
        path: str = "alignments",
        first_line: int = 1,
    ) -> Alignments:
        """Return the links as `Alignments`, each once.

        A link that is listed both as sure and as possible is sure.

        Raises
        ------
        LinkError
            If a link is out of range or, where doubled links are refused, listed twice.
        """

        def checked(kept: Int64 | slice, offsets: Int64, possible: Bool | None) -> Alignments:
            return Alignments(
                source[kept],
                target[kept],
                offsets,
                possible=None if possible is None else possible[kept],
                source_lengths=source_lengths,
                target_lengths=target_lengths,
                path=path,
                first_line=first_line,
            )

        try:
            return checked(slice(None), offsets, possible)
        except LinkError:
            if self._strict:
                raise
        faults = faulty_links(source, target, offsets, source_lengths, target_lengths)
        places, starts = row_places(offsets, np.flatnonzero(faults >= 0))
        row = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        # Equal links one behind the other, as they are listed.
        places = places[np.lexsort((target[places], source[places], row))]
        row.sort()
        columns = (row, source[places], target[places])
        again = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
        keep = np.ones(len(source), np.bool_)
        keep[places[1:][again]] = False
        if possible is not None:
            firsts = np.flatnonzero(np.concatenate([[True], ~again]))
            possible = possible.copy()
            possible[places[firsts]] = np.logical_and.reduceat(possible[places], firsts)
        kept = np.flatnonzero(keep)
        kept_offsets = np.searchsorted(kept, offsets)
        try:
            found = checked(kept, kept_offsets, possible)
        except LinkError as bad:
            link = int(kept[kept_offsets[bad.row] + bad.link] - offsets[bad.row])
            raise LinkError(bad.where, bad.what, bad.row, link) from None
        found.doubled = len(source) - len(kept)
        self.links += found.doubled
        self.rows += int(np.count_nonzero(np.diff(offsets) - np.diff(kept_offsets)))
        return found

    def report(self, rows: int, noun: str = "line") -> None:
        """Note, once, how many links were listed again in the `rows` lines of the file."""
        if self.links:
            was = "was" if self.links == 1 else "were"
            note(
                f"{self._path}: {counted(self.links, 'link')} {was} listed twice, in {self.rows} "
                f"of {counted(rows, noun)}; each is taken once; --strict refuses them"
            )
            self.links = 0
