"""Phrase pairs of aligned sentence pairs, counted (Koehn, Och & Marcu 2003)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.kernels import phrase_pairs as kernel
from wordorder.kernels._run import call, run_rows
from wordorder.ragged import Ragged
from wordorder.translation.ngrams import Ngrams
from wordorder.types import Array, Int32, Int64, UInt64

# A mask of links has a bit for each pair of words.
MOST_WORDS = 8
_LOW = (1 << 32) - 1


@dataclass(frozen=True, eq=False)
class PhrasePairs:
    """Distinct phrase pairs, sorted by the numbers of source and target phrase.

    Attributes
    ----------
    source_ngrams, target_ngrams : Ngrams
        What the numbers of phrases mean.
    source, target : int32[E]
        The phrases of each pair.
    counts : int32[E]
        How often each was extracted.
    masks : uint64[E]
        The most frequent links of each: bit ``8 * s + t`` for the words ``s`` and ``t`` of its
        phrases.
    directions : int32[E, 6]
        How often the pair was monotone, swapped or discontinuous with regard to the previous
        phrase, and then to the next one.
    """

    source_ngrams: Ngrams
    target_ngrams: Ngrams
    source: Int32
    target: Int32
    counts: Int32
    masks: UInt64
    directions: Int32

    def __len__(self) -> int:
        return len(self.source)

    def take(self, rows: Int64) -> PhrasePairs:
        """Return the pairs with the numbers `rows`, in their order."""
        return PhrasePairs(
            self.source_ngrams,
            self.target_ngrams,
            self.source[rows],
            self.target[rows],
            self.counts[rows],
            self.masks[rows],
            self.directions[rows],
        )


def phrase_pairs(source: Ragged, target: Ragged, links: Alignments, longest: int) -> PhrasePairs:
    """Extract the phrase pairs that are consistent with the links, and count them.

    No word of a pair is linked with a word outside of it, and at least one link is inside. Words
    without a link at the edges of a phrase belong to it or not: each way is a pair. A pair is
    monotone with regard to the previous phrase if some pair ends where both of its sides begin,
    swapped if one begins where its source ends and ends where its target begins; the borders of
    the sentence pair count as phrases.

    Parameters
    ----------
    source, target : Ragged
        Words by number, a row a sentence.
    links : Alignments
        A row a sentence pair, within the lengths of the sentences.
    longest : int in 1 .. 8
        Words of the longest phrases, of both sides.
    """
    grams = Ngrams.of(source, longest), Ngrams.of(target, longest)
    given = (
        source.offsets,
        target.offsets,
        links.offsets,
        np.ascontiguousarray(links.source),
        np.ascontiguousarray(links.target),
        longest,
    )
    lengths = int(source.lengths.max(initial=0)), int(target.lengths.max(initial=0))
    # A pair has a link, which is in so many spans of each side at most.
    most = lengths[1] * longest * (longest * (longest + 1) // 2)

    def scratch(_: int) -> tuple[Array, ...]:
        words = (np.empty(2 * max(1, length), np.int32) for length in lengths)
        return (*words, np.empty(4 * most, np.int32))

    def wide_scratch(longest_row: int) -> tuple[Array, ...]:
        return (*scratch(longest_row), np.zeros(widest, np.uint8))

    rows = len(source)
    # What a sentence pair costs grows with its words.
    cost = source.offsets + target.offsets
    widest = int((source.lengths * target.lengths).max(initial=0))
    counts = np.zeros(rows, np.int64)
    run_rows(kernel.count_pairs, cost, *given, counts, scratch=scratch)
    offsets = np.zeros(rows + 1, np.int64)
    np.cumsum(counts, out=offsets[1:])
    size = int(offsets[-1])
    keys, masks = np.empty(size, np.int64), np.empty(size, np.uint64)
    orientations = np.empty(size, np.uint8)
    numbers = (side.numbers for side in grams)
    run_rows(
        kernel.extract_pairs,
        cost,
        *given,
        *numbers,
        offsets,
        keys,
        masks,
        orientations,
        scratch=wide_scratch,
    )
    return _summed(*grams, keys, masks, orientations)


def _summed(
    source: Ngrams, target: Ngrams, keys: Int64, masks: UInt64, orientations: Array
) -> PhrasePairs:
    """Sum up equal pairs."""
    order = np.argsort(keys)
    in_order = keys[order]
    begins = np.flatnonzero(np.concatenate([[True], in_order[1:] != in_order[:-1]])[: len(keys)])
    size = len(begins)
    largest = int(np.diff(np.append(begins, len(keys))).max(initial=0))
    pair_keys, counts = np.empty(size, np.int64), np.empty(size, np.int32)
    pair_masks, directions = np.empty(size, np.uint64), np.zeros((size, 6), np.int32)
    call(
        kernel.sum_pairs,
        order,
        keys,
        masks,
        orientations,
        pair_keys,
        counts,
        pair_masks,
        directions.reshape(-1),
        np.empty(largest, np.uint64),
        np.empty(largest, np.int32),
        0,
        len(keys),
    )
    sides = (pair_keys >> 32).astype(np.int32), (pair_keys & _LOW).astype(np.int32)
    return PhrasePairs(source, target, *sides, counts, pair_masks, directions)
