"""Extract, count and test phrase pairs of aligned sentence pairs; compute lexical weights."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Array, Float64, Int32, Int64, Ragged, UInt64
from wordorder.errors import UsageError
from wordorder.kernels import alignment as kernel, call, run_rows
from wordorder.translation.ngrams import Ngrams

# A mask of links has one of 64 bits for each pair of words.
MAX_PHRASE_WORDS = 8

_LOW_32_BITS = (1 << 32) - 1

# The limits of Johnson et al., relative to the p-value of two phrases that occur once, in the same
# sentence pair: 1 / sentence pairs. "a+e" leaves out this and higher p-values, "a-e" higher ones.
ONCE, MORE_THAN_ONCE = "a+e", "a-e"

_LOG_TOLERANCE = 1e-6

# The word to which unlinked words are linked.
NULL_WORD = 0


@dataclass(frozen=True, eq=False)
class PhrasePairs:
    """Distinct phrase pairs, sorted by the ids of source and target phrase.

    Attributes
    ----------
    source_ngrams, target_ngrams : Ngrams
        The phrases by their ids.
    source, target : int32[E]
        The ids of the phrases of each pair.
    counts : int32[E]
        How often each pair was extracted.
    masks : uint64[E]
        The most frequent links of each pair: bit ``8 * s + t`` for word ``s`` of the source phrase
        and word ``t`` of the target phrase.
    directions : int32[E, 6]
        How often the pair was monotone, swapped or discontinuous relative to the previous phrase,
        and then to the next one.
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
        """Return the pairs with the indices `rows`, in this order."""
        phrases = self.source_ngrams, self.target_ngrams, self.source[rows], self.target[rows]
        columns = self.counts[rows], self.masks[rows], self.directions[rows]
        return PhrasePairs(*phrases, *columns)


def extract_phrase_pairs(
    source: Ragged, target: Ragged, links: Alignments, longest: int
) -> PhrasePairs:
    """Extract the phrase pairs that are consistent with the links, and count them.

    The words of a pair are not linked to words outside it, and it has at least one link. Unlinked
    words at the edges of a phrase may belong to it or not: both are extracted. A pair is monotone
    relative to the previous phrase if another pair ends where its source and its target start; it
    is swapped if another pair starts where its source ends and ends where its target starts. The
    sentence boundaries count as phrases.

    Parameters
    ----------
    source, target : Ragged
        Word ids, one row per sentence.
    links : Alignments
        One row per sentence pair.
    longest : int in 1 .. 8
        The maximum number of words of a phrase, source or target.
    """
    ngrams = Ngrams.of(source, longest), Ngrams.of(target, longest)
    spans = PhraseSpans.of(source, target, links, longest)
    keys, masks = np.empty(spans.pairs, np.int64), np.empty(spans.pairs, np.uint64)
    orientations = np.empty(spans.pairs, np.uint8)
    run_rows(
        *(kernel.extract_pairs, spans.cost, ngrams[0].numbers, ngrams[1].numbers),
        *(spans.offsets, keys, masks, orientations),
        scratch=spans.finder,
    )
    return _sum_equal_pairs(*ngrams, keys, masks, orientations)


@dataclass(frozen=True, eq=False)
class PhraseSpans:
    """The input of kernels that enumerate the phrase pairs of each sentence pair.

    Attributes
    ----------
    kernel_input : tuple
        The offsets of the sentences, the links, and the maximum phrase length.
    cost : int64[S+1]
        Cumulative work: proportional to the words of a sentence pair.
    offsets : int64[S+1]
        The offset of the phrase pairs of each sentence pair.
    lengths : tuple of int
        The length of the longest source and target sentence.
    widest : int
        The largest product of the two lengths of a sentence pair.
    """

    kernel_input: tuple[Any, ...]
    cost: Int64
    offsets: Int64
    lengths: tuple[int, int]
    widest: int

    @classmethod
    def of(cls, source: Ragged, target: Ragged, links: Alignments, longest: int) -> PhraseSpans:
        """Count the phrase pairs of sentence pairs."""
        ends = np.ascontiguousarray(links.source), np.ascontiguousarray(links.target)
        kernel_input = (source.offsets, target.offsets, links.offsets, *ends, longest)
        lengths = int(source.lengths.max(initial=0)), int(target.lengths.max(initial=0))
        widest = int((source.lengths * target.lengths).max(initial=0))
        offsets = np.zeros(len(source) + 1, np.int64)
        spans = cls(kernel_input, source.offsets + target.offsets, offsets, lengths, widest)
        counts = np.zeros(len(source), np.int64)
        run_rows(kernel.count_phrase_pairs, spans.cost, counts, scratch=spans.finder)
        np.cumsum(counts, out=offsets[1:])
        return spans

    @property
    def pairs(self) -> int:
        """The number of phrase pairs of all sentence pairs."""
        return int(self.offsets[-1])

    def finder(self, _: int) -> tuple[Any]:
        """Create the kernel object with which a thread enumerates phrase pairs."""
        return (call(kernel.PhraseFinder, *self.kernel_input, *self.lengths, self.widest),)


def _sum_equal_pairs(
    source: Ngrams, target: Ngrams, keys: Int64, masks: UInt64, orientations: Array
) -> PhrasePairs:
    """Sum the counts of equal pairs."""
    order = np.argsort(keys)
    sorted_keys = keys[order]
    starts = np.flatnonzero(
        np.concatenate([[True], sorted_keys[1:] != sorted_keys[:-1]])[: len(keys)]
    )
    size = len(starts)
    largest = int(np.diff(np.append(starts, len(keys))).max(initial=0))
    pair_keys, counts = np.empty(size, np.int64), np.empty(size, np.int32)
    pair_masks, directions = np.empty(size, np.uint64), np.zeros((size, 6), np.int32)
    call(
        kernel.sum_pairs,
        *(order, keys, masks, orientations),
        *(pair_keys, counts, pair_masks, directions.reshape(-1)),
        *(np.empty(largest, np.uint64), np.empty(largest, np.int32), len(keys)),
    )
    phrases = (pair_keys >> 32).astype(np.int32), (pair_keys & _LOW_32_BITS).astype(np.int32)
    return PhrasePairs(source, target, *phrases, counts, pair_masks, directions)


def find_significant_pairs(
    pairs: PhrasePairs, source: Ragged, target: Ragged, limit: float | str
) -> Int64:
    """Return the indices of the phrase pairs that co-occur more often than by chance.

    Parameters
    ----------
    pairs : PhrasePairs
        The phrase pairs of the sentences.
    source, target : Ragged
        The sentences.
    limit : float, "a+e" or "a-e"
        The maximum p-value of a one-sided Fisher's exact test. ``a+e``: the p-value must be lower
        than that of two phrases that occur once, in the same sentence pair; ``a-e``: it must not be
        higher.

    Returns
    -------
    int64, sorted
    """
    logarithms = compute_log_p_values(pairs, source, target)
    once = -math.log(max(1, len(source)))
    if limit == ONCE:
        return np.flatnonzero(logarithms < once - _LOG_TOLERANCE)
    if limit == MORE_THAN_ONCE:
        return np.flatnonzero(logarithms <= once + _LOG_TOLERANCE)
    return np.flatnonzero(logarithms <= math.log(float(limit)))


def compute_log_p_values(pairs: PhrasePairs, source: Ragged, target: Ragged) -> Float64:
    """Return the logarithms of the p-values of Fisher's exact test of phrase pairs.

    The test counts the sentence pairs with the source phrase, with the target phrase, and with
    both, regardless of links and repetitions. The p-value is the probability that at least this
    number of sentence pairs have both by chance.
    """
    grams = pairs.source_ngrams, pairs.target_ngrams
    rows = [
        _find_sentences(ngrams, side) for ngrams, side in zip(grams, (source, target), strict=True)
    ]
    sizes = np.arange(len(pairs) + 1)
    cooccurrences = np.empty(len(pairs), np.int64)
    lists = (rows[0].values, rows[0].offsets, rows[1].values, rows[1].offsets)
    run_rows(kernel.count_meetings, sizes, *lists, pairs.source, pairs.target, cooccurrences)
    counts = [
        side_rows.lengths[numbers]
        for side_rows, numbers in zip(rows, (pairs.source, pairs.target), strict=True)
    ]
    factorials = np.zeros(len(source) + 1, np.float64)
    call(kernel.add_logarithms, factorials, 1, len(factorials))
    p_values = np.empty(len(pairs), np.float64)
    arguments = (factorials, len(source), *counts, cooccurrences, p_values)
    run_rows(kernel.log_probabilities, sizes, *arguments)
    return p_values


def _find_sentences(ngrams: Ngrams, sentences: Ragged) -> Ragged:
    """Return the sentences in which each n-gram occurs, each sentence once."""
    row = np.repeat(np.arange(len(sentences), dtype=np.int32), sentences.lengths)
    longest = len(ngrams.numbers) // max(1, len(row))
    rows = np.tile(row, longest)
    order = np.lexsort((rows, ngrams.numbers))
    numbers, rows = ngrams.numbers[order], rows[order]
    is_new = (np.diff(numbers, prepend=-1) != 0) | (np.diff(rows, prepend=-1) != 0)
    # Id 0 stands for positions where the sentence is too short.
    is_new &= numbers > 0
    offsets = np.searchsorted(numbers[is_new], np.arange(len(ngrams.parents) + 1))
    values: Int32 = rows[is_new]
    return Ragged(values, offsets.astype(np.int64))


def check_phrase_limit(limit: object) -> float | str | None:
    """Return a limit for `find_significant_pairs`, or None; a number may be text.

    Raises
    ------
    UsageError
        If it is not a p-value, "a+e", "a-e" or None.

    Examples
    --------
    >>> check_phrase_limit("1e-5"), check_phrase_limit("a-e")
    (1e-05, 'a-e')
    """
    if limit is None or limit in (ONCE, MORE_THAN_ONCE):
        return limit if limit is None else str(limit)
    try:
        number = math.nan if isinstance(limit, bool) else float(limit)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        number = math.nan
    if not 0 < number < 1:
        raise UsageError(
            f"prune is a p-value between 0 and 1, {ONCE} or {MORE_THAN_ONCE}; not {limit!r}"
        )
    return number


@dataclass(frozen=True, eq=False)
class WordTranslations:
    """Counts of linked words; word ids start at 1, 0 is the null word.

    Attributes
    ----------
    row_offsets : int64[V+1]
        The offset of the target words linked to each source word.
    linked : int32[]
        These target words, sorted.
    counts : int64[]
        How often each of them is linked to the source word.
    source_totals, target_totals : int64[]
        The sums of the counts by source word and by target word.
    """

    row_offsets: Int64
    linked: Int32
    counts: Int64
    source_totals: Int64
    target_totals: Int64

    @classmethod
    def of(cls, source: Ragged, target: Ragged, links: Alignments) -> WordTranslations:
        """Count the links of sentence pairs; unlinked words are linked to the null word.

        Examples
        --------
        >>> links = Alignments.from_rows([[(0, 0), (0, 1)]])
        >>> sides = Ragged.from_rows([[1, 2]]), Ragged.from_rows([[3, 3]])
        >>> lexicon = WordTranslations.of(*sides, links)
        >>> lexicon.row_offsets.tolist(), lexicon.linked.tolist(), lexicon.counts.tolist()
        ([0, 0, 1, 2], [3, 0], [2, 1])
        """
        rows = np.repeat(np.arange(len(links)), np.diff(links.offsets))
        linked_words = source.offsets[rows] + links.source, target.offsets[rows] + links.target
        unlinked_words = []
        for side, linked in zip((source, target), linked_words, strict=True):
            is_unlinked = np.ones(len(side.values), np.bool_)
            is_unlinked[linked] = False
            unlinked_words.append(side.values[is_unlinked])
        source_words = np.concatenate(
            [
                source.values[linked_words[0]],
                unlinked_words[0],
                np.full_like(unlinked_words[1], NULL_WORD),
            ]
        )
        target_words = np.concatenate(
            [
                target.values[linked_words[1]],
                np.full_like(unlinked_words[0], NULL_WORD),
                unlinked_words[1],
            ]
        )
        pairs, counts = np.unique(
            (source_words.astype(np.int64) << 32) | target_words, return_counts=True
        )
        pair_sources, pair_targets = pairs >> 32, (pairs & 0xFFFFFFFF).astype(np.int32)
        size = int(source.values.max(initial=NULL_WORD)) + 1
        return cls(
            np.searchsorted(pair_sources, np.arange(size + 1)).astype(np.int64),
            pair_targets,
            counts.astype(np.int64),
            np.bincount(pair_sources, counts, size).astype(np.int64),
            np.bincount(pair_targets, counts, int(target.values.max(initial=NULL_WORD)) + 1).astype(
                np.int64
            ),
        )

    def weights(self, source: Ragged, target: Ragged, masks: UInt64) -> Float64:
        """Return the logarithms of both lexical weights of phrase pairs.

        Parameters
        ----------
        source, target : Ragged
            The words of the phrases, one pair per row.
        masks : uint64[E]
            Their links, in the form of `PhrasePairs.masks`.

        Returns
        -------
        float64[E, 2]
            The logarithm of lex(f|e), the product over the source words ``f_i`` of the mean of
            ``w(f_i|e_j)`` over the linked target words ``e_j``, and likewise of lex(e|f) (Koehn,
            Och & Marcu 2003, section 3.2). ``w(f|e)`` is the share of ``f`` in the links of ``e``.
        """
        weights = np.empty((len(source), 2), np.float64)
        run_rows(
            kernel.weigh_pairs,
            source.offsets,
            *(source.values, source.offsets, target.values, target.offsets, masks),
            *(self.row_offsets, self.linked, self.counts),
            *(self.source_totals, self.target_totals, weights.reshape(-1)),
        )
        return weights
