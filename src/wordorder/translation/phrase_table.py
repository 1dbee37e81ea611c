"""The phrase table: the translations of each source phrase, in flat sorted arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from wordorder.arrays import (
    Float32,
    Float64,
    Int32,
    Int64,
    Ragged,
    UInt64,
    concat_ranges,
    row_offsets,
)
from wordorder.kernels import alignment as kernel, call, run_rows
from wordorder.translation.ngrams import Ngrams

if TYPE_CHECKING:
    from wordorder.translation.extraction import PhrasePairs, WordTranslations

TABLE_LIMIT = 20

# The pseudo-count with which the orientations of the complete text smooth those of a pair.
ORIENTATION_SMOOTHING = 0.5

# The number of set bits of each byte.
_BITS_OF_BYTE = (
    np.unpackbits(np.arange(256, dtype=np.uint8)).reshape(256, 8).sum(axis=1).astype(np.uint8)
)


@dataclass(frozen=True, eq=False)
class PhraseTable:
    """Source phrases, the target phrases of each, and the scores of each pair.

    Parameters
    ----------
    source_offsets : int64[P+1]
        Source phrase ``p`` has the words ``source_offsets[p] .. source_offsets[p+1]-1``.
    source_words : int32[]
        The words of the P distinct source phrases, which are sorted: ``1``, ``1 4``, ``2``.
    entry_offsets : int64[P+1]
        The offset of the entries of each source phrase, the most probable target phrase first.
    target_offsets : int64[E+1]
    target_words : int32[]
        The words of the target phrase of each of the E entries.
    scores : float32[E, 4]
        Natural logarithms of φ(f|e), lex(f|e), φ(e|f), lex(e|f): f is the source phrase, e the
        target phrase.
    reordering : float32[E, 6]
        Natural logarithms of the probabilities that the phrase is monotone, swapped or
        discontinuous relative to the previous phrase, and then to the next one. With a
        maximum-entropy reordering model, float32[E, 1]: what the last words of the pair add to the
        log odds that the next phrase is to the right.
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
        """The number of phrase pairs, E."""
        return len(self.target_offsets) - 1

    def __len__(self) -> int:
        """Return the number of distinct source phrases, P."""
        return len(self.source_offsets) - 1

    @cached_property
    def longest(self) -> int:
        """The length of the longest source phrase in words; 0 for an empty table."""
        return int(np.diff(self.source_offsets).max(initial=0))

    @cached_property
    def first_phrases(self) -> Int64:
        """The offset of the source phrases that start with each word, int64[V+2]."""
        firsts = self.source_words[self.source_offsets[:-1]]
        count = int(firsts[-1]) + 1 if len(firsts) else 0
        return np.searchsorted(firsts, np.arange(count + 1)).astype(np.int64)

    def options(self, sentences: Ragged) -> tuple[Int64, Int64]:
        """Find the entries of all phrases of sentences.

        Parameters
        ----------
        sentences : Ragged
            The ids of source words.

        Returns
        -------
        first, last : int64[N * longest]
            The entries of the words ``i .. i+k-1`` of all sentences are
            ``first[i * longest + k - 1] .. last[...] - 1``; both are equal if there are none.

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
            *(sentences.values, sentences.offsets, self.source_offsets, self.source_words),
            *(self.first_phrases, self.entry_offsets, self.longest, first, last, len(sentences)),
        )
        return first, last


def build_phrase_table(
    pairs: PhrasePairs,
    lexicon: WordTranslations,
    *,
    limit: int = TABLE_LIMIT,
    selected: Int64 | None = None,
) -> PhraseTable:
    """Build a phrase table with probabilities from phrase pairs.

    Parameters
    ----------
    pairs : PhrasePairs
    lexicon : WordTranslations
        The word translations of the same text.
    limit : int
        The number of target phrases per source phrase to keep, most probable first, on ties those
        with the higher lexical weight.
    selected : int64, optional
        The sorted indices of the pairs that may be kept; by default all. Probabilities are
        estimated from all pairs.
    """
    direct, inverse = _compute_log_probabilities(pairs)
    if selected is not None:
        pairs, direct, inverse = pairs.take(selected), direct[selected], inverse[selected]
    source, target = pairs.source_ngrams, pairs.target_ngrams
    words = source.spelled(pairs.source), target.spelled(pairs.target)
    lexical = lexicon.weights(*words, pairs.masks)
    del words
    starts = np.flatnonzero(np.diff(pairs.source, prepend=-1))
    groups = np.append(starts, len(pairs)).astype(np.int64)
    chosen, sizes = np.empty(len(pairs), np.int64), np.empty(len(starts), np.int64)
    counts = pairs.counts, lexical.reshape(-1)
    run_rows(kernel.keep_best, groups, groups, *counts, limit, chosen, sizes)
    phrases = _sort_phrases(source, pairs.source[starts])
    sizes = sizes[phrases]
    entry_offsets = row_offsets(sizes)
    rows = chosen[concat_ranges(groups[:-1][phrases], sizes)]
    scores = np.empty((len(rows), 4), np.float32)
    for column, values in enumerate((inverse, lexical[:, 0], direct, lexical[:, 1])):
        scores[:, column] = values[rows]
    source_phrases = source.spelled(pairs.source[starts][phrases])
    target_phrases = target.spelled(pairs.target[rows])
    link_offsets, links = _decode_masks(pairs.masks[rows])
    return PhraseTable(
        *(source_phrases.offsets, source_phrases.values, entry_offsets),
        *(target_phrases.offsets, target_phrases.values, scores),
        *(_smooth_orientations(pairs.directions, rows), link_offsets, links),
    )


def _compute_log_probabilities(pairs: PhrasePairs) -> tuple[Float64, Float64]:
    """Return log φ(e|f) and log φ(f|e) of each pair, the relative frequencies."""
    counts = np.log(pairs.counts)
    logarithms = []
    for side in (pairs.source, pairs.target):
        totals = np.bincount(side, pairs.counts)
        # Phrases that are in no pair have a total of 0, which would cause a warning.
        logarithms.append(counts - np.log(np.maximum(totals, 1))[side])
    return logarithms[0], logarithms[1]


def _sort_phrases(ngrams: Ngrams, phrases: Int32) -> Int64:
    """Return the indices that sort phrases by their words; a phrase precedes its extensions."""
    spelled = ngrams.spelled(phrases)
    longest = int(spelled.lengths.max(initial=1))
    columns = np.full((longest, len(phrases)), -1, np.int32)
    for position in range(longest):
        has_word = spelled.lengths > position
        columns[position][has_word] = spelled.values[spelled.offsets[:-1][has_word] + position]
    return np.lexsort(columns[::-1])


def _smooth_orientations(directions: Int32, rows: Int64) -> Float32:
    """Return the log probabilities of the orientations of pairs, smoothed, float32[E, 6].

    The distribution of the complete text is added to each pair with the weight of
    `ORIENTATION_SMOOTHING` phrases (Koehn et al. 2005); 1 is added to the counts of the text, so
    that no orientation has probability 0.
    """
    log_shares = np.empty((len(rows), 6), np.float32)
    for first in (0, 3):
        columns = range(first, first + 3)
        totals = np.array([directions[:, column].sum() + 1.0 for column in columns])
        share = totals / totals.sum()
        columns_of_rows = [directions[rows, column] for column in columns]
        total = sum(columns_of_rows) + ORIENTATION_SMOOTHING
        # Column by column, to save memory.
        for column, counts, orientation_share in zip(columns, columns_of_rows, share, strict=True):
            log_shares[:, column] = np.log(
                (counts + ORIENTATION_SMOOTHING * orientation_share) / total
            )
    return log_shares


def _decode_masks(masks: UInt64) -> tuple[Int64, Int32]:
    """Convert masks of links to positions; return offsets and links."""
    bits = _BITS_OF_BYTE[masks.view(np.uint8)].reshape(-1, 8)
    offsets = row_offsets(bits.sum(axis=1))
    links = np.empty((int(offsets[-1]), 2), np.int32)
    run_rows(kernel.list_links, offsets, masks, offsets, links.reshape(-1))
    return offsets, links
