"""Completing orders, and reordering words, rows and alignments by them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Int32, Int64, Ragged, row_offsets
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.order.orders import Orders

Token = TypeVar("Token")

# Where words go that an order lacks, see `complete_orders`.
MISSING_OPTIONS = ("error", "next", "previous", "end", "drop")

# The position of a word that an order lacks.
_ABSENT = -1


def complete_orders(
    orders: Orders,
    lengths: Sequence[int] | Int64,
    *,
    missing: str = "error",
    path: str = "orders",
    first_line: int = 1,
) -> Orders:
    """Complete orders so that they have all words of their sentences.

    Parameters
    ----------
    orders : Orders
        Tied positions keep their written order.
    lengths : int64[S]
        The number of words of each sentence.
    missing : {"error", "next", "previous", "end", "drop"}
        Where words go that an order lacks (words without links), in source order. ``next``:
        before the next word of the source that the order has, or at the end (reference orders of
        Talbot et al. 2011, section 3.1). ``previous``: after the previous such word, or at the
        front (Birch and Osborne 2010). ``end``: at the end. ``drop``: they are left out.
    path, first_line
        The file of the orders and its first line, for messages.

    Returns
    -------
    Orders
        Without ties. Row ``i`` has all positions ``0 .. lengths[i]-1``, or with ``drop`` those of
        the input.

    Raises
    ------
    InputError
        If the numbers of orders and sentences differ, a position is out of range or, with
        ``error``, an order lacks a word.

    Examples
    --------
    >>> orders = Orders.from_rows([[3, (4, 1)]])
    >>> for missing in ("next", "previous", "end", "drop"):
    ...     print(missing, complete_orders(orders, [6], missing=missing).to_text(0))
    next 2 3 4 0 1 5
    previous 0 3 4 5 1 2
    end 3 4 1 0 2 5
    drop 3 4 1
    >>> complete_orders(orders, [6])
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: orders:1: no position 0 of a sentence of 6 words; expected each \
word once, or a choice for those without a place (missing=next, previous, end, drop)
    """
    choose("missing", missing, MISSING_OPTIONS)
    words = np.asarray(lengths, np.int64)
    positions = orders.positions
    if len(words) != len(positions):
        raise InputError(path, f"{len(positions)} orders for {len(words)} sentences", "one each")
    order_lengths = positions.lengths
    rows = np.repeat(np.arange(len(words)), order_lengths)
    beyond = np.flatnonzero(positions.values >= words[rows])
    if len(beyond):
        row = int(rows[beyond[0]])
        problem = f"position {positions.values[beyond[0]]}, but the sentence has {words[row]} words"
        expected = f"positions below {words[row]}"
        raise InputError(location(path, first_line + row), problem, expected)
    incomplete = np.flatnonzero(order_lengths < words)
    if not len(incomplete) or missing == "drop":
        return orders if orders.ranks is None else Orders(positions, None, orders.provenance)
    offsets, word_positions = _word_positions(positions, words)
    if missing == "error":
        row = int(incomplete[0])
        absent = int(np.argmin(word_positions[offsets[row] : offsets[row + 1]]))
        problem = f"no position {absent} of a sentence of {words[row]} words"
        choice = f"a choice for those without a place (missing={', '.join(MISSING_OPTIONS[1:])})"
        error_location = location(path, first_line + row)
        raise InputError(error_location, problem, f"each word once, or {choice}")
    completed = _insert_missing(offsets, word_positions, order_lengths, missing)
    return Orders(Ragged(completed, offsets), None, orders.provenance)


def inverse_orders(orders: Orders) -> Orders:
    """Return the orders that restore the source order of reordered sentences.

    Parameters
    ----------
    orders : Orders
        Of all words of each sentence. Tied positions keep their written order.

    Returns
    -------
    Orders
        Entry ``w`` of row ``i`` is the position of word ``w`` in the order of sentence ``i``.

    Raises
    ------
    InputError
        If an order lacks a word.

    Examples
    --------
    >>> orders = Orders.from_rows([[2, 0, 1]])
    >>> reordered = reorder_tokens([["she", "has", "it"]], orders)
    >>> reordered, reorder_tokens(reordered, inverse_orders(orders))
    ([['it', 'she', 'has']], [['she', 'has', 'it']])
    """
    full = complete_orders(orders, orders.lengths)
    offsets, word_positions = _word_positions(full.positions, full.lengths)
    return Orders(Ragged(word_positions.astype(np.int32), offsets))


def reorder_rows(rows: Ragged, orders: Orders, *, missing: str = "error") -> Ragged:
    """Reorder rows of numbers, one per word.

    Parameters
    ----------
    rows : Ragged
        Any numbers of the words, such as ids of forms or tags.
    orders, missing
        See `complete_orders`.

    Raises
    ------
    InputError
        See `complete_orders`.

    Examples
    --------
    >>> rows = Ragged.from_rows([[70, 80, 90], []])
    >>> reorder_rows(rows, Orders.from_rows([[2, 0, 1], []])).to_lists()
    [[90, 70, 80], []]
    """
    positions = complete_orders(orders, rows.lengths, missing=missing).positions
    starts = np.repeat(rows.offsets[:-1], positions.lengths)
    return Ragged(rows.values[starts + positions.values], positions.offsets)


def reorder_tokens(
    sentences: Sequence[Sequence[Token]], orders: Orders, *, missing: str = "error"
) -> list[list[Token]]:
    """Reorder the tokens of sentences.

    Parameters
    ----------
    sentences : sequence of sequences
        Tokens of any type, such as words, or words with factors (``word|tag``).
    orders, missing
        See `complete_orders`.

    Raises
    ------
    InputError
        See `complete_orders`.

    Examples
    --------
    >>> orders = Orders.from_rows([[0, 2, 1]])
    >>> reorder_tokens(["John|NNP hit|VBD it|PRP".split()], orders)
    [['John|NNP', 'it|PRP', 'hit|VBD']]
    >>> reorder_tokens([["John", "hit", "it", "!"]], orders, missing="end")
    [['John', 'it', 'hit', '!']]
    """
    full = complete_orders(orders, list(map(len, sentences)), missing=missing)
    rows = zip(sentences, full.positions.to_lists(), strict=True)
    return [[sentence[position] for position in order] for sentence, order in rows]


def reorder_alignments(
    alignments: Alignments, orders: Orders, *, side: str = "source", missing: str = "error"
) -> Alignments:
    """Renumber the links of sentence pairs of which one side was reordered.

    Parameters
    ----------
    alignments : Alignments
        With lengths of that side, unless `missing` is ``error``: each order then has all words.
    orders : Orders
        One per sentence pair.
    side : {"source", "target"}
        The side that was reordered.
    missing : str
        See `complete_orders`; with ``drop``, links of dropped words are removed.

    Returns
    -------
    Alignments
        The links in the same sequence as before.

    Raises
    ------
    InputError
        See `complete_orders`; also if a link is out of the range of its order.
    UsageError
        If lengths are needed and unknown.

    Examples
    --------
    >>> links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1, True)]])
    >>> orders = Orders.from_rows([[0, 2, 1]])
    >>> str(reorder_alignments(links, orders)[0])
    '0-0 2-2 1p1'
    >>> str(reorder_alignments(links, orders, side="target")[0])
    '0-0 1-1 2p2'
    """
    if choose("side", side, ("source", "target")) == "target":
        reordered = reorder_alignments(alignments.transpose(), orders, missing=missing)
        return reordered.transpose()
    lengths = alignments.source_lengths
    if lengths is None:
        if choose("missing", missing, MISSING_OPTIONS) != "error":
            raise UsageError(f"missing={missing} needs the lengths of the sentences: with_lengths")
        lengths = orders.lengths
    origin: dict[str, Any] = {"path": alignments.path, "first_line": alignments.first_line}
    full = complete_orders(orders, lengths, missing=missing, **origin)
    rows = np.repeat(np.arange(len(alignments)), np.diff(alignments.offsets))
    beyond = np.flatnonzero(alignments.source >= lengths[rows])
    if len(beyond):
        row, position = int(rows[beyond[0]]), int(alignments.source[beyond[0]])
        problem = f"a link of word {position}, but the order has {lengths[row]} words"
        raise InputError(alignments.location_of(row), problem, "links of words that the order has")
    offsets, word_positions = _word_positions(full.positions, lengths)
    renumbered = word_positions[offsets[rows] + alignments.source]
    has_position = renumbered != _ABSENT
    return Alignments(
        renumbered[has_position].astype(np.int32),
        alignments.target[has_position],
        row_offsets(has_position)[alignments.offsets],
        possible=alignments.possible[has_position],
        source_lengths=full.lengths,
        target_lengths=alignments.target_lengths,
        **origin,
    )


def _word_positions(positions: Ragged, lengths: Int64) -> tuple[Int64, Int64]:
    """Return the offsets of the sentences, and the position of each word in its order, or -1."""
    offsets = row_offsets(lengths)
    word_positions = np.full(int(offsets[-1]), _ABSENT, np.int64)
    starts = np.repeat(positions.offsets[:-1], positions.lengths)
    words = np.repeat(offsets[:-1], positions.lengths) + positions.values
    word_positions[words] = np.arange(len(words)) - starts
    return offsets, word_positions


def _insert_missing(
    offsets: Int64, word_positions: Int64, position_counts: Int64, missing: str
) -> Int32:
    """Return the words of each sentence in their complete order.

    Parameters
    ----------
    offsets : int64[S+1]
    word_positions : int64[N]
        The position of each word in its order, -1 if the order lacks it.
    position_counts : int64[S]
        The number of words that each order has.
    missing : str
        See `complete_orders`.
    """
    size = len(word_positions)
    words = np.arange(size)
    rows = np.repeat(np.arange(len(position_counts)), np.diff(offsets))
    has_position = word_positions != _ABSENT
    # Keys are twice the positions, so that odd keys are free before and after each word.
    keys = 2 * word_positions
    last_key = 2 * position_counts[rows]
    if missing == "end":
        missing_keys = last_key
    elif missing == "next":
        next_present = np.minimum.accumulate(np.where(has_position, words, size)[::-1])[::-1]
        is_inside = next_present < offsets[rows + 1]
        missing_keys = np.where(is_inside, keys[np.minimum(next_present, size - 1)] - 1, last_key)
    else:
        previous_present = np.maximum.accumulate(np.where(has_position, words, _ABSENT))
        is_inside = previous_present >= offsets[rows]
        missing_keys = np.where(is_inside, keys[np.maximum(previous_present, 0)] + 1, -1)
    keys = np.where(has_position, keys, missing_keys)
    # The sort is stable: words with equal keys stay in source order.
    order = np.lexsort((keys, rows))
    return (order - offsets[rows]).astype(np.int32)
