"""The table of a language model in which the children of n-grams are found."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.kernels import ngram_trie as kernel
from wordorder.kernels._run import call
from wordorder.types import Int32, Int64


@dataclass(frozen=True, eq=False)
class ChildTable:
    """Children of nodes in a hash table with open addressing.

    Attributes
    ----------
    keys : int64[H]
        H is a power of two. Child `word` of `node` has the key ``node << 32 | word``. It is in the
        first slot from ``key * 0x9E3779B97F4A7C15 mod 2**64 >> shift`` on that holds it, slot 0
        being behind the last; a slot with -1 ends the search.
    nodes : int32[H]
        The child in each slot.
    """

    keys: Int64
    nodes: Int32

    @classmethod
    def with_room(cls, children: int) -> ChildTable:
        """Make an empty table that is at most two thirds full with so many children."""
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
        call(kernel.fill_table, *arrays, 0, len(parents))


def shift_of(slots: int) -> int:
    """Return how far a mixed key is shifted to become one of so many slots, a power of two.

    Examples
    --------
    >>> shift_of(4), shift_of(1 << 20)
    (62, 44)
    """
    return 65 - slots.bit_length()
