"""Numbers for all word sequences of a text up to some length."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Int32, Int64, Ragged, row_offsets
from wordorder.kernels import alignment as kernel, call, run_rows, translation as translation_kernel

# With the numbers 0, 1 and 2: any word that is not known, the begin and the end of a sentence.
SPECIAL = ("<unk>", "<s>", "</s>")
BEGIN, END = 1, 2

# Words of the longest n-grams of a language model.
MOST_ORDER = 6


@dataclass(frozen=True, eq=False)
class Ngrams:
    """The distinct word sequences of some sentences.

    Attributes
    ----------
    numbers : int32[longest * N]
        That of the ``k`` words from word ``i`` of the text on is ``numbers[(k-1) * N + i]``; 0
        where the sentence ends before.
    parents : int32[G, 2]
        The sequence without its last word, and that word; sequence 0 is empty.
    starts : int64[longest + 2]
        Sequences of ``k`` words have the numbers ``starts[k] .. starts[k+1]-1``.
    """

    numbers: Int32
    parents: Int32
    starts: Int64

    @classmethod
    def of(cls, sentences: Ragged, longest: int) -> Ngrams:
        """Number the sequences of up to `longest` words, the shorter ones first.

        Examples
        --------
        >>> ngrams = Ngrams.of(Ragged.from_rows([[7, 8, 7]]), 2)
        >>> ngrams.numbers.tolist(), ngrams.starts.tolist()
        ([1, 2, 1, 3, 4, 0], [0, 1, 3, 5])
        >>> ngrams.spelled(np.array([4], np.int32)).to_lists()
        [[8, 7]]
        """
        size = len(sentences.values)
        numbers = np.zeros((longest, size), np.int32)
        parents, starts = [np.zeros((1, 2), np.int32)], [0, 1]
        shorter = np.zeros(size, np.int32)
        slots = 1 << max(4, (2 * size).bit_length())
        table = np.empty(slots, np.int32)
        for length in range(1, longest + 1):
            new = np.empty((size, 2), np.int32)
            begun = starts[-1]
            count = call(
                kernel.number_new_ngrams,
                *(sentences.values, sentences.offsets, length, shorter, numbers[length - 1]),
                *(new.reshape(-1), begun, np.full(slots, -1, np.int64), table, 0, len(sentences)),
            )
            parents.append(new[:count].copy())
            starts.append(begun + count)
            shorter = numbers[length - 1]
        return cls(numbers.reshape(-1), np.concatenate(parents), np.array(starts, np.int64))

    def lengths(self, ngrams: Int32) -> Int64:
        """Return how many words sequences have."""
        return np.searchsorted(self.starts, ngrams, side="right") - 1

    def spelled(self, ngrams: Int32) -> Ragged:
        """Return the words of sequences."""
        offsets = row_offsets(self.lengths(ngrams))
        words = np.empty(int(offsets[-1]), np.int32)
        run_rows(kernel.spell_ngrams, offsets, self.parents.reshape(-1), ngrams, offsets, words)
        return Ragged(words, offsets)


@dataclass(frozen=True, eq=False)
class ChildTable:
    """Children of nodes in a hash table with open addressing.

    Attributes
    ----------
    keys : int64[H]
        H is a power of two. Child `word` of `node` has the key ``node << 32 | word``. It is in the
        first slot from ``key * 0x9E3779B97F4A7C15 mod 2**64 >> shift`` on that holds it, slot 0
        after the last one; a slot with -1 ends the search.
    nodes : int32[H]
        The child in each slot.
    """

    keys: Int64
    nodes: Int32

    @classmethod
    def with_room(cls, children: int) -> ChildTable:
        """Make an empty table that is at most two thirds full with this number of children."""
        slots = 1 << max(2, (3 * children // 2).bit_length())
        return cls(np.full(slots, -1, np.int64), np.zeros(slots, np.int32))

    @property
    def shift(self) -> int:
        """How far a mixed key is shifted to become a slot."""
        return shift_of(len(self.keys))

    @property
    def room(self) -> int:
        """How many children it may have: searches in a fuller table take long."""
        return len(self.keys) // 3 * 2

    def fill(self, parents: Int32, last_words: Int32, start: int) -> None:
        """Enter further nodes, numbered from `start` on, by their parents and last words."""
        arrays = (parents, last_words, start, self.keys, self.nodes, self.shift)
        call(translation_kernel.enter_nodes, *arrays, len(parents))


def shift_of(slots: int) -> int:
    """Return the shift that maps a mixed key to one of the slots, whose number is a power of two.

    Examples
    --------
    >>> shift_of(4), shift_of(1 << 20)
    (62, 44)
    """
    return 65 - slots.bit_length()
