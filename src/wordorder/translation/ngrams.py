"""Ids for all n-grams of a text up to some length, and hash tables of n-grams."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Int32, Int64, Ragged, row_offsets
from wordorder.kernels import alignment as kernel, call, run_rows, translation as translation_kernel

# The words with the ids 0, 1 and 2: unknown words, start and end of a sentence.
SPECIAL_WORDS = ("<unk>", "<s>", "</s>")
BEGIN, END = 1, 2

# The maximum order of a language model.
MAX_ORDER = 6


@dataclass(frozen=True, eq=False)
class Ngrams:
    """The distinct n-grams of sentences.

    Attributes
    ----------
    numbers : int32[longest * N]
        The n-gram of ``k`` words from word ``i`` of the text on has the id
        ``numbers[(k-1) * N + i]``; 0 if the sentence is too short.
    parents : int32[G, 2]
        The id of the n-gram without its last word, and the last word; n-gram 0 is empty.
    starts : int64[longest + 2]
        N-grams of ``k`` words have the ids ``starts[k] .. starts[k+1]-1``.
    """

    numbers: Int32
    parents: Int32
    starts: Int64

    @classmethod
    def of(cls, sentences: Ragged, longest: int) -> Ngrams:
        """Assign ids to the n-grams of up to `longest` words, shorter ones first.

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
            first_id = starts[-1]
            count = call(
                kernel.number_new_ngrams,
                *(sentences.values, sentences.offsets, length, shorter, numbers[length - 1]),
                *(
                    new.reshape(-1),
                    first_id,
                    np.full(slots, -1, np.int64),
                    table,
                    0,
                    len(sentences),
                ),
            )
            parents.append(new[:count].copy())
            starts.append(first_id + count)
            shorter = numbers[length - 1]
        return cls(numbers.reshape(-1), np.concatenate(parents), np.array(starts, np.int64))

    def lengths(self, ngrams: Int32) -> Int64:
        """Return the number of words of n-grams."""
        return np.searchsorted(self.starts, ngrams, side="right") - 1

    def spelled(self, ngrams: Int32) -> Ragged:
        """Return the words of n-grams."""
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
        H is a power of two. Child `word` of `node` has the key ``node << 32 | word``. The search
        starts at slot ``key * 0x9E3779B97F4A7C15 mod 2**64 >> shift``, continues with slot 0 after
        the last one, and ends at a slot with -1.
    nodes : int32[H]
        The child in each slot.
    """

    keys: Int64
    nodes: Int32

    @classmethod
    def with_capacity(cls, children: int) -> ChildTable:
        """Create an empty table that is at most two thirds full with this number of children."""
        slots = 1 << max(2, (3 * children // 2).bit_length())
        return cls(np.full(slots, -1, np.int64), np.zeros(slots, np.int32))

    @property
    def shift(self) -> int:
        """The number of bits by which a mixed key is shifted to give a slot."""
        return hash_shift(len(self.keys))

    @property
    def capacity(self) -> int:
        """The maximum number of children: searches in a fuller table are slow."""
        return len(self.keys) // 3 * 2

    def fill(self, parents: Int32, last_words: Int32, start: int) -> None:
        """Add nodes with ids from `start` on, by their parents and last words."""
        arrays = (parents, last_words, start, self.keys, self.nodes, self.shift)
        call(translation_kernel.enter_nodes, *arrays, len(parents))


def hash_shift(slots: int) -> int:
    """Return the shift that maps a 64-bit hash to a slot; `slots` is a power of two.

    Examples
    --------
    >>> hash_shift(4), hash_shift(1 << 20)
    (62, 44)
    """
    return 65 - slots.bit_length()
