"""Orders of all words, and words, rows and alignments put into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Int32, Int64, Ragged, row_offsets
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.order.orders import Orders

Token = TypeVar("Token")

# Where words go that an order lacks.
MISSING = ("error", "next", "previous", "end", "drop")
_ABSENT = -1


def complete_orders(
    orders: Orders,
    lengths: Sequence[int] | Int64,
    *,
    missing: str = "error",
    path: str = "orders",
    first_line: int = 1,
) -> Orders:
    """Complete orders so that they have each word of their sentences.

    Parameters
    ----------
    orders : Orders
        Positions that tie are read as they are written.
    lengths : int64[S]
        Words of each sentence.
    missing : {"error", "next", "previous", "end", "drop"}
        The position of words that an order does not have (words without links): before the
        next word that it has, or to the end if no such word follows, as reference
        orders have them (Talbot et al. 2011, section 3.1); after the previous one, or to the
        front (Birch and Osborne 2010); to the end; or they are left out. They keep their order
        among themselves.
    path, first_line
        Where the orders come from, for messages.

    Returns
    -------
    Orders
        Without ties. Row ``i`` has each of the positions ``0 .. lengths[i]-1``; with ``drop``,
        those that it had.

    Raises
    ------
    InputError
        If the numbers of orders and sentences differ, a position is beyond its sentence or, with
        ``error``, a word has none.

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
    choose("missing", missing, MISSING)
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
    short = np.flatnonzero(order_lengths < words)
    if not len(short) or missing == "drop":
        return orders if orders.ranks is None else Orders(positions, None, orders.provenance)
    offsets, places = _places(positions, words)
    if missing == "error":
        row = int(short[0])
        absent = int(np.argmin(places[offsets[row] : offsets[row + 1]]))
        problem = f"no position {absent} of a sentence of {words[row]} words"
        choice = f"a choice for those without a place (missing={', '.join(MISSING[1:])})"
        error_location = location(path, first_line + row)
        raise InputError(error_location, problem, f"each word once, or {choice}")
    completed = _completed(offsets, places, order_lengths, missing)
    return Orders(Ragged(completed, offsets), None, orders.provenance)


def inverse_orders(orders: Orders) -> Orders:
    """Return the orders that put reordered sentences back.

    Parameters
    ----------
    orders : Orders
        Of all words of each sentence. Positions that tie are read as they are written.

    Returns
    -------
    Orders
        Position ``w`` of row ``i`` is the place that word ``w`` has in the order of sentence ``i``.

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
    offsets, places = _places(full.positions, full.lengths)
    return Orders(Ragged(places.astype(np.int32), offsets))


def reorder_rows(rows: Ragged, orders: Orders, *, missing: str = "error") -> Ragged:
    """Put rows of numbers, one per word, into another order.

    Parameters
    ----------
    rows : Ragged
        Whatever the words have: their numbers in a vocabulary, those of their tags.
    orders, missing
        See `complete_orders`.

    Raises
    ------
    InputError
        As `complete_orders` does.

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
    """Put the tokens of sentences into another order.

    Parameters
    ----------
    sentences : sequence of rows of anything
        Words, or words with their factors, ``word|tag``: a token is moved as a whole, so its
        factors go along.
    orders, missing
        See `complete_orders`.

    Raises
    ------
    InputError
        As `complete_orders` does.

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
    """Renumber links for sentences of which one side has been reordered.

    Parameters
    ----------
    alignments : Alignments
        With lengths of that side, unless `missing` is ``error``: each order then has all words.
    orders : Orders
        One per sentence pair.
    side : {"source", "target"}
        Which side has been reordered.
    missing : str
        See `complete_orders`; with ``drop``, the links of words that are left out go with
        them.

    Returns
    -------
    Alignments
        The links in the order in which they were written.

    Raises
    ------
    InputError
        As `complete_orders` does, and if a link leads past its order.
    UsageError
        If lengths are needed and not known.

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
        turned = reorder_alignments(alignments.transpose(), orders, missing=missing)
        return turned.transpose()
    lengths = alignments.source_lengths
    if lengths is None:
        if choose("missing", missing, MISSING) != "error":
            raise UsageError(f"missing={missing} needs the lengths of the sentences: with_lengths")
        lengths = orders.lengths
    place: dict[str, Any] = {"path": alignments.path, "first_line": alignments.first_line}
    full = complete_orders(orders, lengths, missing=missing, **place)
    rows = np.repeat(np.arange(len(alignments)), np.diff(alignments.offsets))
    beyond = np.flatnonzero(alignments.source >= lengths[rows])
    if len(beyond):
        row, position = int(rows[beyond[0]]), int(alignments.source[beyond[0]])
        problem = f"a link of word {position}, but the order has {lengths[row]} words"
        raise InputError(alignments.location_of(row), problem, "links of words that the order has")
    offsets, places = _places(full.positions, lengths)
    renumbered = places[offsets[rows] + alignments.source]
    has_position = renumbered != _ABSENT
    return Alignments(
        renumbered[has_position].astype(np.int32),
        alignments.target[has_position],
        row_offsets(has_position)[alignments.offsets],
        possible=alignments.possible[has_position],
        source_lengths=full.lengths,
        target_lengths=alignments.target_lengths,
        **place,
    )


def _places(positions: Ragged, lengths: Int64) -> tuple[Int64, Int64]:
    """Return the offsets of the sentences and the place of each word in its order, or -1."""
    offsets = row_offsets(lengths)
    places = np.full(int(offsets[-1]), _ABSENT, np.int64)
    starts = np.repeat(positions.offsets[:-1], positions.lengths)
    words = np.repeat(offsets[:-1], positions.lengths) + positions.values
    places[words] = np.arange(len(words)) - starts
    return offsets, places


def _completed(offsets: Int64, places: Int64, given: Int64, missing: str) -> Int32:
    """Return for each sentence its words in their new order.

    `places` has the position of each word, -1 if it has none; `given` is the number of words with
    a position in each sentence. Words without one go before the next word that has one ("next"),
    after the previous one ("previous") or to the end ("end").
    """
    size = len(places)
    words = np.arange(size)
    rows = np.repeat(np.arange(len(given)), np.diff(offsets))
    present = places != _ABSENT
    # Twice the position: odd keys are free before and after each word that has one.
    keys = 2 * places
    behind_all = 2 * given[rows]
    if missing == "end":
        lone = behind_all
    elif missing == "next":
        after = np.minimum.accumulate(np.where(present, words, size)[::-1])[::-1]
        inside = after < offsets[rows + 1]
        lone = np.where(inside, keys[np.minimum(after, size - 1)] - 1, behind_all)
    else:
        previous = np.maximum.accumulate(np.where(present, words, _ABSENT))
        inside = previous >= offsets[rows]
        lone = np.where(inside, keys[np.maximum(previous, 0)] + 1, -1)
    keys = np.where(present, keys, lone)
    # Words of one key stay in the order of the sentence.
    order = np.lexsort((keys, rows))
    return (order - offsets[rows]).astype(np.int32)
