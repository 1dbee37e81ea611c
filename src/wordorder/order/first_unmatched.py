"""Words matched by form: each to the first instance of itself that is still free."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

import numpy as np

from wordorder.arrow.given import given_rows
from wordorder.errors import InputError
from wordorder.order.matching import word_ids
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.text.lines import read_lines, tokens
from wordorder.types import Int32

Source = Iterable[Sequence[str]] | Ragged | str | os.PathLike[str]


def match_first_unmatched(
    permutation: Ragged, groups: Ragged | None, words: Ragged
) -> tuple[Ragged, Ragged | None]:
    """Match repeated words from left to right instead of by their source positions.

    Parameters
    ----------
    permutation, groups : Ragged
        As in `Relative`.
    words : Ragged
        A number for each word of the system's order, equal where the words are equal.

    Returns
    -------
    The permutation and the groups after each word has taken the first unmatched instance of
    itself in the reference (Talbot et al. 2011, section 3.2).

    Examples
    --------
    "the cat the dog saw" against "the dog the cat saw", matched by position first:

    >>> rows = Ragged.from_rows([[2, 3, 0, 1, 4]]), None, Ragged.from_rows([[0, 1, 0, 2, 3]])
    >>> match_first_unmatched(*rows)[0].to_lists()
    [[0, 3, 2, 1, 4]]
    """
    row = np.repeat(np.arange(len(permutation)), permutation.lengths)
    place = np.arange(len(permutation.values))
    # Within a row and a word form: the places from left to right take the ranks in rising order.
    takers = np.lexsort((place, words.values, row))
    givers = np.lexsort((permutation.values, words.values, row))
    if groups is None:
        matched = np.empty_like(permutation.values)
        matched[takers] = permutation.values[givers]
        return Ragged(matched, permutation.offsets), None
    group = np.empty_like(groups.values)
    group[takers] = groups.values[givers]
    # Tied words are read in the system's order again.
    order = np.lexsort((place, group, row))
    matched = np.empty_like(permutation.values)
    matched[order] = (place - permutation.offsets[row]).astype(np.int32)
    return Ragged(matched, permutation.offsets), Ragged(group, permutation.offsets)


def words_in_order(orders: Orders, source: Source) -> Int32:
    """Return the number of each word of the orders, equal for equal words of a sentence.

    Parameters
    ----------
    orders : Orders
    source : rows of tokens, Ragged of word numbers, or path of a tokenised text
        A sentence for each order.

    Raises
    ------
    InputError
        If a sentence is one string, the numbers of sentences differ, or a position lies beyond
        its sentence.

    Examples
    --------
    >>> words_in_order(Orders.from_rows([[2, 0, 1]]), [["the", "cat", "the"]]).tolist()
    [0, 0, 1]
    """
    if isinstance(source, (str, os.PathLike)):
        source = map(tokens, read_lines(source))
    if not isinstance(source, Ragged):
        sentences = list(given_rows(source, "source", "lists of words"))
        for number, sentence in enumerate(sentences, 1):
            if isinstance(sentence, (str, bytes)):
                raise InputError(
                    f"source, row {number}", repr(sentence)[:30], "a sequence of words"
                )
        source = word_ids(sentences)
    if len(source) != len(orders):
        raise InputError(
            "source", f"{len(source)} sentences for {len(orders)} orders", "one for each order"
        )
    fault = first_beyond(orders, source)
    if fault is not None:
        row, position, words_there = fault
        raise InputError(
            f"row {row + 1}",
            f"position {position} in a source of {words_there} words",
            "positions of the source; are the files in step?",
        )
    positions = orders.positions
    starts = np.repeat(source.offsets[:-1], positions.lengths)
    words: Int32 = source.values[starts + positions.values]
    return words


def first_beyond(orders: Orders, source: Ragged) -> tuple[int, int, int] | None:
    """Find the first position beyond its source sentence: row (from 0), position, words there."""
    positions = orders.positions
    beyond = positions.values >= np.repeat(source.lengths, positions.lengths)
    if not beyond.any():
        return None
    at = int(np.argmax(beyond))
    row = int(np.searchsorted(positions.offsets, at, side="right")) - 1
    return row, int(positions.values[at]), int(source.lengths[row])
