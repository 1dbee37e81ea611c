"""Matches: which words of a hypothesis are which words of its reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.alignment.alignments import Alignments
from wordorder.ragged import Ragged
from wordorder.types import Int32, Int64


@dataclass(frozen=True, eq=False)
class Matches:
    """The matches of each reference row with its hypothesis, flat.

    Attributes
    ----------
    start, length : int32[K]
        The words of the reference that each match covers, 0-based; sorted by start in each row.
    hypothesis_start, hypothesis_length : int32[K]
        The words of the hypothesis.
    module : int32[K]
        What matched them: an index into `modules`.
    offsets : int64[R+1]
        Reference row ``r`` has the matches ``offsets[r] .. offsets[r+1]-1``.
    modules : tuple of str
    hypothesis_lengths, reference_lengths : int64[R]
        Words of both sides of each row.

    Examples
    --------
    >>> from wordorder.alignment.monolingual import MonolingualAligner
    >>> from wordorder.text.texts import Texts
    >>> texts = Texts.from_segments(["the cat sat on the mats"], ["on the mat the cats sat"])
    >>> matches = MonolingualAligner().align(texts)
    >>> matches.hypothesis_start.tolist()
    [3, 4, 5, 0, 1, 2]
    >>> [matches.modules[number] for number in matches.module]
    ['exact', 'exact', 'stem', 'exact', 'stem', 'exact']
    >>> matches.chunks().tolist(), matches.permutations().to_lists()
    ([2], [[3, 4, 5, 0, 1, 2]])
    >>> str(matches.alignments()[0])
    '0-3 1-4 2-5 3-0 4-1 5-2'
    """

    start: Int32
    length: Int32
    hypothesis_start: Int32
    hypothesis_length: Int32
    module: Int32
    offsets: Int64
    modules: tuple[str, ...]
    hypothesis_lengths: Int64
    reference_lengths: Int64

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def row_of(self) -> Int64:
        """The reference row of each match, int64[K]."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def chunks(self) -> Int64:
        """Count for each row the stretches that are in one piece and in order on both sides."""
        begins = np.ones(len(self.start), np.bool_)
        begins[1:] = self.start[1:] != self.start[:-1] + self.length[:-1]
        ends = self.hypothesis_start[:-1] + self.hypothesis_length[:-1]
        begins[1:] |= self.hypothesis_start[1:] != ends
        begins[self.offsets[:-1][np.diff(self.offsets) > 0]] = True
        return self._sums(begins)

    def covered(self) -> tuple[Int64, Int64]:
        """Count for each row the words that matches cover, in the hypothesis and the reference."""
        return self._sums(self.hypothesis_length), self._sums(self.length)

    def permutations(self) -> Ragged:
        """Return for the matched words, in the hypothesis's order, their places in the reference's.

        Matches are read in the order of the hypothesis, the reference words of each in their own;
        words that nothing matches are left out on both sides, and the rest is counted from 0.

        Returns
        -------
        Ragged
            R rows, permutations of ``0 .. m-1`` for the ``m`` matched words of the reference.
        """
        rows = self.row_of
        # No two matches of a row begin at one hypothesis word: places in a table sort them.
        bases = np.cumsum(self.hypothesis_lengths) - self.hypothesis_lengths
        table = np.full(int(self.hypothesis_lengths.sum()), -1, np.int64)
        table[bases[rows] + self.hypothesis_start] = np.arange(len(rows))
        order = table[table >= 0]
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.length, dtype=np.int64)])
        offsets = before[self.offsets]
        # The first word of each match, counted among the matched words of its row.
        ranks = (before[:-1] - offsets[rows])[order]
        lengths = self.length[order]
        ends = np.cumsum(lengths, dtype=np.int64)
        inside = np.arange(int(offsets[-1])) - np.repeat(ends - lengths, lengths)
        return Ragged((np.repeat(ranks, lengths) + inside).astype(np.int32), offsets)

    def alignments(self) -> Alignments:
        """Return the links from hypothesis to reference, R rows; all words of a match are linked.

        Links of a row are sorted by hypothesis word.
        """
        counts = self.length.astype(np.int64) * self.hypothesis_length
        inside = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
        widths = np.repeat(self.length, counts)
        source = np.repeat(self.hypothesis_start, counts) + inside // widths
        target = np.repeat(self.start, counts) + inside % widths
        rows = np.repeat(self.row_of, counts)
        bases = np.cumsum(self.hypothesis_lengths) - self.hypothesis_lengths
        # Stable: the links of one hypothesis word keep the order of the reference.
        order = np.argsort(bases[rows] + source, kind="stable")
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
        return Alignments(
            source[order].astype(np.int32),
            target[order].astype(np.int32),
            before[self.offsets],
            source_lengths=self.hypothesis_lengths,
            target_lengths=self.reference_lengths,
        )

    def _sums(self, values: npt.NDArray[np.generic]) -> Int64:
        """Return the sum of a column for each row."""
        before = np.concatenate([np.zeros(1, np.int64), np.cumsum(values, dtype=np.int64)])
        return np.diff(before[self.offsets])
