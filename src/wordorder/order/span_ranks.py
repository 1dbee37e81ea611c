"""Ranks of source words by their target spans, as in lader and topdown-btg-preordering."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Bool, Float64, Int32, Int64, UInt8, row_offsets
from wordorder.errors import InputError
from wordorder.kernels import orders as kernel, run_rows
from wordorder.text.readers import read_words

Words = Iterable[Sequence[str]] | str | os.PathLike[str]

# Pairs of brackets that lader keeps around the words they enclose.
BRACKETS = ("()", "[]", '""', "\uff08\uff09", "「」", "『』", "【】")
OPENING, CLOSING = 16, 32
# The code of each bracket: the number of its pair, plus `OPENING` or `CLOSING` or both.
BRACKET_CODES: dict[str, int] = {}

for _kind, _pair in enumerate(BRACKETS, 1):
    BRACKET_CODES[_pair[0]] = _kind | OPENING
    BRACKET_CODES[_pair[1]] = BRACKET_CODES.get(_pair[1], _kind) | CLOSING


def span_ranks(alignments: Alignments, lengths: Int64) -> tuple[Int32, Bool]:
    """Rank the aligned words of each sentence by their target spans, if the spans can be compared.

    The span of a word is from the first to the last target word that it is linked to. A span
    precedes another one if it neither starts nor ends after it; a span inside another one cannot
    be compared with it. Equal spans share a rank (the evaluator of topdown-btg-preordering, which
    cites Neubig, Watanabe and Mori 2012).

    Parameters
    ----------
    alignments : Alignments, S rows
    lengths : int64[S]
        The number of words of each source sentence; links must be in range.

    Returns
    -------
    ranks : int32, one per source word
        Dense, from 0; -1 for a word without a link and for all words of a sentence whose spans
        cannot all be compared.
    comparable : bool[S]
        True for sentences whose spans can all be compared, also without any link.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 3), (1, 0), (2, 0)], [(0, 1), (1, 0), (1, 2)]])
    >>> ranks, comparable = span_ranks(links, np.array([4, 2]))
    >>> ranks.tolist(), comparable.tolist()
    ([1, 0, 0, -1, -1, -1], [True, False])
    """
    low, high, offsets = _find_spans(alignments, lengths)
    ranks, comparable = _rank_spans(low, high, offsets)
    ranks[np.repeat(~comparable, lengths)] = -1
    return ranks, comparable


def target_spans(alignments: Alignments, lengths: Int64) -> tuple[Int32, Int32]:
    """Return the first and the last target word that each source word is linked to.

    Parameters
    ----------
    alignments, lengths
        See `span_ranks`.

    Returns
    -------
    low, high : int32, one per source word
        -1 for a word without a link.

    Examples
    --------
    >>> low, high = target_spans(Alignments.from_rows([[(0, 3), (2, 0), (2, 1)]]), np.array([3]))
    >>> low.tolist(), high.tolist()
    ([3, -1, 0], [3, -1, 1])
    """
    low, high, _ = _find_spans(alignments, lengths)
    return low.astype(np.int32), high.astype(np.int32)


def block_ranks(
    alignments: Alignments,
    lengths: Int64,
    *,
    to_next: bool = True,
    combine: bool = True,
    brackets: UInt8 | None = None,
) -> Int32:
    """Rank all words of each sentence as lader does (Neubig, Watanabe and Mori 2012).

    Words whose target spans overlap form a block with all words between them, and share a rank;
    unaligned words get the rank of a neighbour.

    Parameters
    ----------
    alignments, lengths
        See `span_ranks`.
    to_next : bool
        Whether an unaligned word joins the next aligned word (at the end of the sentence: the
        last one) or the previous one (at the start: the first one; unaligned words at the end then
        share a last rank of their own).
    combine : bool
        Whether overlapping spans become blocks. Otherwise spans that cannot be compared are ranked
        as lader's ordered map of the C++ standard library orders them.
    brackets : uint8, one per source word, optional
        The result of `bracket_codes`: matching unaligned brackets are placed around the words they
        enclose.

    Returns
    -------
    int32, one per source word
        Dense ranks from 0 in each sentence.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 2), (1, 1), (1, 3), (3, 0)]])
    >>> block_ranks(links, np.array([4])).tolist()
    [1, 1, 0, 0]
    >>> block_ranks(links, np.array([4]), to_next=False).tolist()
    [1, 1, 1, 0]
    """
    low, high, offsets = _find_spans(alignments, lengths)
    if combine:
        by_span = np.lexsort((high, low, np.repeat(np.arange(len(lengths)), lengths)))
        run_rows(kernel.combine_blocks, offsets, low, high, by_span, offsets)
    if brackets is not None:
        run_rows(
            *(kernel.align_brackets, offsets, low, high, brackets, offsets),
            scratch=lambda n: (np.empty(n, np.int64), np.empty(n), np.empty(n)),
        )
    run_rows(kernel.attach_unaligned, offsets, low, high, offsets, to_next)
    # In a sentence without links, all words are unaligned and share a rank.
    ranks, comparable = _rank_spans(low, high, offsets, unaligned=True)
    if not comparable.all():
        run_rows(
            *(kernel.map_ranks, offsets, low, high, offsets, comparable.view(np.uint8), ranks),
            scratch=lambda longest: (longest,),
        )
    return ranks


def bracket_codes(words: Words, lengths: Int64) -> UInt8:
    """Return the bracket code of each source word.

    Parameters
    ----------
    words : rows of tokens, or path of a tokenised text
        The source sentences.
    lengths : int64[S]
        The number of words of each sentence.

    Returns
    -------
    uint8, one per word
        The number of the bracket's pair, plus 16 if it opens and 32 if it closes; 0 for other
        words.

    Raises
    ------
    InputError
        If the sentences do not have these lengths, or one is a string.

    Examples
    --------
    >>> bracket_codes([["(", "a", ")"], ['"']], np.array([3, 1])).tolist()
    [17, 0, 33, 51]
    """
    sentences = read_words(words) if isinstance(words, str | os.PathLike) else words
    codes = np.zeros(int(lengths.sum()), np.uint8)
    start = row = 0
    for row, sentence in enumerate(sentences, 1):
        if isinstance(sentence, str | bytes):
            raise InputError(f"source, row {row}", repr(sentence)[:30], "a sequence of words")
        if row > len(lengths) or len(sentence) != lengths[row - 1]:
            expected = (
                f"{lengths[row - 1]} words" if row <= len(lengths) else f"{len(lengths)} rows"
            )
            raise InputError(f"source, row {row}", f"{len(sentence)} words", expected)
        for position, word in enumerate(sentence):
            if word in BRACKET_CODES:
                codes[start + position] = BRACKET_CODES[word]
        start += len(sentence)
    if row < len(lengths):
        raise InputError("source", f"{row} sentences", f"{len(lengths)} sentences")
    return codes


def ordered_by_rank(ranks: Int32, lengths: Int64) -> tuple[Int32, Int32, Int64]:
    """Return the positions, ranks and offsets of the orders that sort words by their ranks.

    Words with equal ranks keep their source order; words of rank -1 are left out.

    Examples
    --------
    >>> positions, ranks, offsets = ordered_by_rank(np.array([1, 0, -1, 0]), np.array([3, 1]))
    >>> positions.tolist(), ranks.tolist(), offsets.tolist()
    ([1, 0, 0], [0, 1, 0], [0, 2, 3])
    """
    starts = row_offsets(lengths)
    ranked = np.flatnonzero(ranks >= 0)
    row = np.repeat(np.arange(len(lengths)), lengths)[ranked]
    # Ranks are dense, so a row's keys lie between its start and the next one's.
    order = ranked[np.argsort(starts[row] + ranks[ranked], kind="stable")]
    offsets = np.searchsorted(ranked, starts).astype(np.int64)
    positions = order - np.repeat(starts[:-1], np.diff(offsets))
    return positions.astype(np.int32), ranks[order].astype(np.int32), offsets


def _find_spans(alignments: Alignments, lengths: Int64) -> tuple[Float64, Float64, Int64]:
    """Return the start and end of each word's span, and the offsets of the rows."""
    offsets = row_offsets(lengths)
    low, high = np.empty(int(offsets[-1])), np.empty(int(offsets[-1]))
    links = alignments.source, alignments.target, alignments.offsets
    run_rows(kernel.find_target_spans, offsets, *links, offsets, low, high)
    return low, high, offsets


def _rank_spans(
    low: Float64, high: Float64, offsets: Int64, *, unaligned: bool = False
) -> tuple[Int32, Bool]:
    """Return dense ranks by span (see `unaligned`), and the rows whose spans can be compared.

    Two spans cannot be compared if one starts before the other and ends after it; the ranks of such
    a row are meaningless. Unaligned words have rank -1, or with `unaligned` are ranked too.
    """
    row = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    ranked = np.arange(len(low)) if unaligned else np.flatnonzero(low != -1)
    order = ranked[np.lexsort((high[ranked], low[ranked], row[ranked]))]
    is_same_row = np.zeros(len(order), np.bool_)
    is_same_row[1:] = row[order[1:]] == row[order[:-1]]
    is_new_span = np.ones(len(order), np.bool_)
    is_new_span[1:] = (low[order[1:]] != low[order[:-1]]) | (high[order[1:]] != high[order[:-1]])
    end_falls = np.zeros(len(order), np.bool_)
    end_falls[1:] = high[order[1:]] < high[order[:-1]]
    comparable = np.ones(len(offsets) - 1, np.bool_)
    comparable[row[order[is_same_row & end_falls]]] = False
    level = np.cumsum(is_same_row & is_new_span, dtype=np.int64)
    row_starts = np.flatnonzero(~is_same_row)
    ranks = np.full(len(low), -1, np.int32)
    ranks[order] = level - np.repeat(level[row_starts], np.diff(np.append(row_starts, len(order))))
    return ranks, comparable
