"""Pairs of hypothesis and reference, as the kernels of distances take them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.kernels._run import Kernel, announce, run_rows
from wordorder.ragged import Ragged
from wordorder.text.texts import Texts
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class Pairs:
    """Each reference with its hypothesis; one of the two is the pattern, the other the text.

    Attributes
    ----------
    pattern, text : Ragged
        Rows of word numbers. What a kernel prepares for a row of `pattern` serves all its pairs.
    offsets : int64[P+1]
        Row ``p`` of `pattern` is in the pairs ``offsets[p] .. offsets[p+1]-1``.
    text_rows : int64[R]
        The row of `text` in each pair.
    numbers : int
        Larger than all word numbers.

    Examples
    --------
    >>> texts = Texts.from_segments(["a b", "c"], [["b a", "a"], "d"])
    >>> pairs = Pairs.of(texts, local=True, reverse=True)
    >>> pairs.pattern.to_lists(), pairs.text_rows.tolist()
    ([[1, 0], [0], [1]], [0, 0, 1])
    """

    pattern: Ragged
    text: Ragged
    offsets: Int64
    text_rows: Int64
    numbers: int

    @classmethod
    def of(cls, texts: Texts, *, local: bool = False, reverse: bool = False) -> Pairs:
        """Take the pairs of texts; pair ``r`` is that of reference ``r``.

        Parameters
        ----------
        texts : Texts
        local : bool
            Take the numbers of words within their segments, which are small.
        reverse : bool
            Make the references the patterns instead of the hypotheses.
        """
        rows = texts.local() if local else texts
        numbers = len(texts.vocabulary)
        if local:
            numbers = int(texts.local().distinct.max(initial=0))
        every = np.arange(len(texts.references) + 1, dtype=np.int64)
        if reverse:
            return cls(rows.references, rows.hypothesis, every, texts.segment_of, numbers)
        offsets = np.ascontiguousarray(texts.reference_offsets)
        return cls(rows.hypothesis, rows.references, offsets, every[:-1], numbers)

    def __len__(self) -> int:
        return len(self.text_rows)

    def run(
        self, kernel: Kernel, *arrays: Any, scratch: tuple[tuple[int, int, type[np.generic]], ...]
    ) -> None:
        """Run a kernel over all rows of `pattern`.

        Parameters
        ----------
        kernel : callable
            Takes pattern, text, offsets and text rows, then `arrays`.
        scratch : tuple of (size, filling, dtype)
            The working arrays of one chunk.
        """
        run_rows(
            kernel,
            self.pattern.offsets,
            self.pattern.values,
            self.pattern.offsets,
            self.text.values,
            self.text.offsets,
            self.offsets,
            self.text_rows,
            *arrays,
            scratch=lambda _: tuple(np.full(*array) for array in scratch),
        )

    def bit_parallel(self, kernel: Kernel) -> Float64:
        """Return the distances that a kernel of `edit_distance` finds, float64[R]."""
        announce("an edit distance", float(self.cells.max(initial=0)) / 64)
        distances = np.empty(len(self), np.int64)
        # One bit for each place between, before and behind the words of a pattern.
        blocks = self.longest // 64 + 1
        scratch = (
            (2 * self.numbers, -1, np.int32),
            (self.longest, 0, np.int32),
            (65 * blocks, 0, np.uint64),
            (2 * blocks, 0, np.uint64),
        )
        self.run(kernel, distances, scratch=scratch)
        return distances.astype(np.float64)

    @property
    def longest(self) -> int:
        """The length of the longest pattern."""
        return int(self.pattern.lengths.max(initial=0))

    @property
    def surplus(self) -> Int64:
        """How many words the pattern has more than the text, int64[R], not below 0."""
        lengths = np.repeat(self.pattern.lengths, np.diff(self.offsets))
        surplus: Int64 = np.maximum(lengths - self.text.lengths[self.text_rows], 0)
        return surplus

    @property
    def words(self) -> Int64:
        """How many words both rows of each pair have together, int64[R]."""
        lengths = np.repeat(self.pattern.lengths, np.diff(self.offsets))
        words: Int64 = lengths + self.text.lengths[self.text_rows]
        return words

    @property
    def cells(self) -> Int64:
        """How many pairs of words each pair of rows has, int64[R]."""
        lengths = np.repeat(self.pattern.lengths, np.diff(self.offsets))
        cells: Int64 = lengths * self.text.lengths[self.text_rows]
        return cells
