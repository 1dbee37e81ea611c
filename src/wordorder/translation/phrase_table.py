"""The phrase table: what each source phrase may become, in flat sorted arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordorder.kernels import phrase_options as kernel
from wordorder.kernels._run import call
from wordorder.ragged import Ragged
from wordorder.types import Float32, Int32, Int64


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Source phrases, the target phrases of each, and what is known of each pair.

    Parameters
    ----------
    source_offsets : int64[P+1]
        Source phrase ``p`` has the words ``source_offsets[p] .. source_offsets[p+1]-1``.
    source_words : int32[]
        The words of the P distinct source phrases, which are sorted: ``1``, ``1 4``, ``2``.
    entry_offsets : int64[P+1]
        The entries of each source phrase, the most probable target phrase first.
    target_offsets : int64[E+1]
    target_words : int32[]
        The words of the target phrase of each of the E entries.
    scores : float32[E, 4]
        Natural logarithms of φ(f|e), lex(f|e), φ(e|f), lex(e|f): f is the source phrase, e the
        target phrase.
    reordering : float32[E, 6]
        Natural logarithms of the probabilities that the phrase is monotone, swapped or
        discontinuous with regard to the previous phrase, and then to the next one.
    link_offsets : int64[E+1]
    links : int32[L, 2]
        The most frequent links inside each pair: positions in source and target phrase.
    """

    source_offsets: Int64
    source_words: Int32
    entry_offsets: Int64
    target_offsets: Int64
    target_words: Int32
    scores: Float32
    reordering: Float32
    link_offsets: Int64
    links: Int32

    @property
    def entries(self) -> int:
        """Phrase pairs, E."""
        return len(self.target_offsets) - 1

    def __len__(self) -> int:
        """Distinct source phrases, P."""
        return len(self.source_offsets) - 1

    @cached_property
    def longest(self) -> int:
        """Words of the longest source phrase; 0 of an empty table."""
        return int(np.diff(self.source_offsets).max(initial=0))

    @cached_property
    def first_phrases(self) -> Int64:
        """Where the source phrases begin that begin with each word, int64[V+2]."""
        firsts = self.source_words[self.source_offsets[:-1]]
        known = int(firsts[-1]) + 1 if len(firsts) else 0
        return np.searchsorted(firsts, np.arange(known + 1)).astype(np.int64)

    def options(self, sentences: Ragged) -> tuple[Int64, Int64]:
        """Find the entries of all phrases of sentences.

        Parameters
        ----------
        sentences : Ragged
            Source words by number.

        Returns
        -------
        first, last : int64[N * longest]
            Of the words ``i .. i+k-1`` of all sentences, one after the other: their entries are
            ``first[i * longest + k - 1] .. last[...] - 1``. Both are equal where there are none.

        Examples
        --------
        >>> offsets = np.array([0, 1, 2])
        >>> nothing = np.zeros(3, np.int64), np.zeros((0, 2), np.int32)
        >>> scores = np.zeros((2, 4), np.float32), np.zeros((2, 6), np.float32)
        >>> words = np.array([1, 3], np.int32)
        >>> table = PhraseTable(offsets, words, offsets, offsets, words, *scores, *nothing)
        >>> first, last = table.options(Ragged.from_rows([[3, 2, 1]]))
        >>> first.tolist(), last.tolist()
        ([1, 0, 0], [2, 0, 1])
        """
        size = len(sentences.values) * self.longest
        first, last = np.zeros(size, np.int64), np.zeros(size, np.int64)
        call(
            kernel.find_options,
            sentences.values,
            sentences.offsets,
            self.source_offsets,
            self.source_words,
            self.first_phrases,
            self.entry_offsets,
            self.longest,
            first,
            last,
            0,
            len(sentences),
        )
        return first, last
