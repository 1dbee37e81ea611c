"""Phrase pairs of aligned sentence pairs: counted, tested for significance, weighed by words."""

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

# A mask of links has a bit for each pair of words.
MOST_WORDS = 8

_LOW = (1 << 32) - 1

# Limits by what Johnson et al. call them: the p-value of phrases that occur once, and together, is
# one over the sentence pairs; it and all above is left out, or just all above.
ONCE, MORE_THAN_ONCE = "a+e", "a-e"

_ROUNDING = 1e-6

# The word that those without a link are linked with.
NULL = 0


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
        phrases = self.source_ngrams, self.target_ngrams, self.source[rows], self.target[rows]
        seen = self.counts[rows], self.masks[rows], self.directions[rows]
        return PhrasePairs(*phrases, *seen)


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
        Words by number, one row per sentence.
    links : Alignments
        One row per sentence pair, within the lengths of the sentences.
    longest : int in 1 .. 8
        Words of the longest phrases, of both sides.
    """
    grams = Ngrams.of(source, longest), Ngrams.of(target, longest)
    spans = PhraseSpans.of(source, target, links, longest)
    keys, masks = np.empty(spans.pairs, np.int64), np.empty(spans.pairs, np.uint64)
    orientations = np.empty(spans.pairs, np.uint8)
    run_rows(
        *(kernel.extract_pairs, spans.cost, grams[0].numbers, grams[1].numbers),
        *(spans.offsets, keys, masks, orientations),
        scratch=spans.finder,
    )
    return _summed(*grams, keys, masks, orientations)


@dataclass(frozen=True, eq=False)
class PhraseSpans:
    """What kernels need that look at the phrase pairs of each sentence pair.

    Attributes
    ----------
    given : tuple
        The sentences' offsets, the links, and the words of the longest phrases.
    cost : int64[S+1]
        What a sentence pair costs grows with its words.
    offsets : int64[S+1]
        Where the phrase pairs of each begin among all.
    lengths : tuple of int
        Words of the longest sentence on each side.
    widest : int
        The largest product of the lengths of a sentence pair.
    """

    given: tuple[Any, ...]
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
        """Phrase pairs of all sentence pairs."""
        return int(self.offsets[-1])

    def finder(self, _: int) -> tuple[Any]:
        """Return what a thread finds the phrase pairs of sentence pairs with."""
        return (call(kernel.PhraseFinder, *self.given, *self.lengths, self.widest),)


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
        *(order, keys, masks, orientations),
        *(pair_keys, counts, pair_masks, directions.reshape(-1)),
        *(np.empty(largest, np.uint64), np.empty(largest, np.int32), len(keys)),
    )
    sides = (pair_keys >> 32).astype(np.int32), (pair_keys & _LOW).astype(np.int32)
    return PhrasePairs(source, target, *sides, counts, pair_masks, directions)


def significant(pairs: PhrasePairs, source: Ragged, target: Ragged, limit: float | str) -> Int64:
    """Return the numbers of the phrase pairs that meet more often than by chance.

    Parameters
    ----------
    pairs : PhrasePairs
        Of the sentences.
    source, target : Ragged
        The sentences.
    limit : float, "a+e" or "a-e"
        A pair is kept if the p-value of Fisher's exact test, one-sided, is at most so high; with
        ``a+e`` if it is lower than that of two phrases that occur once, in one sentence pair;
        with ``a-e`` if it is not higher than that.

    Returns
    -------
    int64, sorted
    """
    logarithms = log_p_values(pairs, source, target)
    once = -math.log(max(1, len(source)))
    if limit == ONCE:
        return np.flatnonzero(logarithms < once - _ROUNDING)
    if limit == MORE_THAN_ONCE:
        return np.flatnonzero(logarithms <= once + _ROUNDING)
    return np.flatnonzero(logarithms <= math.log(float(limit)))


def log_p_values(pairs: PhrasePairs, source: Ragged, target: Ragged) -> Float64:
    """Return the logarithms of the p-values of Fisher's exact test of phrase pairs.

    Of the sentence pairs, some have the source phrase, some the target phrase and some both, no
    matter how often and how they are linked; the p-value is the probability that as many or more
    have both by chance.
    """
    grams = pairs.source_ngrams, pairs.target_ngrams
    rows = [_sentences(ngrams, side) for ngrams, side in zip(grams, (source, target), strict=True)]
    sizes = np.arange(len(pairs) + 1)
    meetings = np.empty(len(pairs), np.int64)
    lists = (rows[0].values, rows[0].offsets, rows[1].values, rows[1].offsets)
    run_rows(kernel.count_meetings, sizes, *lists, pairs.source, pairs.target, meetings)
    counts = [
        side_rows.lengths[numbers]
        for side_rows, numbers in zip(rows, (pairs.source, pairs.target), strict=True)
    ]
    factorials = np.zeros(len(source) + 1, np.float64)
    call(kernel.add_logarithms, factorials, 1, len(factorials))
    p_values = np.empty(len(pairs), np.float64)
    arguments = (factorials, len(source), *counts, meetings, p_values)
    run_rows(kernel.log_probabilities, sizes, *arguments)
    return p_values


def _sentences(ngrams: Ngrams, sentences: Ragged) -> Ragged:
    """Return the sentences that each word sequence occurs in, each sentence once."""
    row = np.repeat(np.arange(len(sentences), dtype=np.int32), sentences.lengths)
    longest = len(ngrams.numbers) // max(1, len(row))
    rows = np.tile(row, longest)
    order = np.lexsort((rows, ngrams.numbers))
    numbers, rows = ngrams.numbers[order], rows[order]
    new = (np.diff(numbers, prepend=-1) != 0) | (np.diff(rows, prepend=-1) != 0)
    # 0 is the empty sequence, of places where the sentence ends before.
    new &= numbers > 0
    offsets = np.searchsorted(numbers[new], np.arange(len(ngrams.parents) + 1))
    values: Int32 = rows[new]
    return Ragged(values, offsets.astype(np.int64))


def check_phrase_limit(limit: object) -> float | str | None:
    """Return a limit for `significant`, or None; a number may be written as text.

    Raises
    ------
    UsageError
        If it is nothing of that kind.

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
    """Counts of linked words; words are numbered from 1 on, 0 is the null word.

    Attributes
    ----------
    row_offsets : int64[V+1]
        The target words that each source word is linked with.
    linked : int32[]
        These target words, sorted.
    counts : int64[]
        How often.
    source_totals, target_totals : int64[]
        Sums of the counts by source word and by target word.
    """

    row_offsets: Int64
    linked: Int32
    counts: Int64
    source_totals: Int64
    target_totals: Int64

    @classmethod
    def of(cls, source: Ragged, target: Ragged, links: Alignments) -> WordTranslations:
        """Count the links of sentence pairs; a word without one is linked with the null word.

        Examples
        --------
        >>> links = Alignments.from_rows([[(0, 0), (0, 1)]])
        >>> sides = Ragged.from_rows([[1, 2]]), Ragged.from_rows([[3, 3]])
        >>> lexicon = WordTranslations.of(*sides, links)
        >>> lexicon.row_offsets.tolist(), lexicon.linked.tolist(), lexicon.counts.tolist()
        ([0, 0, 1, 2], [3, 0], [2, 1])
        """
        rows = np.repeat(np.arange(len(links)), np.diff(links.offsets))
        places = source.offsets[rows] + links.source, target.offsets[rows] + links.target
        lone = []
        for side, linked in zip((source, target), places, strict=True):
            without = np.ones(len(side.values), np.bool_)
            without[linked] = False
            lone.append(side.values[without])
        first = np.concatenate([source.values[places[0]], lone[0], np.full_like(lone[1], NULL)])
        second = np.concatenate([target.values[places[1]], np.full_like(lone[0], NULL), lone[1]])
        pairs, counts = np.unique((first.astype(np.int64) << 32) | second, return_counts=True)
        begins, ends = pairs >> 32, (pairs & 0xFFFFFFFF).astype(np.int32)
        size = int(source.values.max(initial=NULL)) + 1
        return cls(
            np.searchsorted(begins, np.arange(size + 1)).astype(np.int64),
            ends,
            counts.astype(np.int64),
            np.bincount(begins, counts, size).astype(np.int64),
            np.bincount(ends, counts, int(target.values.max(initial=NULL)) + 1).astype(np.int64),
        )

    def weights(self, source: Ragged, target: Ragged, masks: UInt64) -> Float64:
        """Return the logarithms of both lexical weights of phrase pairs.

        Parameters
        ----------
        source, target : Ragged
            The words of the phrases, one pair per row.
        masks : uint64[E]
            Their links, as `wordorder.translation.extraction.PhrasePairs` has them.

        Returns
        -------
        float64[E, 2]
            Of lex(f|e), the product over the source words of the mean of ``w(f_i|e_j)`` over the
            target words ``e_j`` that it is linked with, and of lex(e|f) likewise (Koehn, Och &
            Marcu 2003, section 3.2). ``w`` is the share among the links of the given word.
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
