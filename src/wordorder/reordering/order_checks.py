"""Whether orders are of the sentences that they are said to be of."""

from __future__ import annotations

import numpy as np

from wordorder.counts import counted
from wordorder.errors import InputError, location
from wordorder.order.orders import Orders
from wordorder.treebank.treebank import Treebank


def check_orders(
    orders: Orders, words: Treebank, *, name: str = "the reference", path: str | None = None
) -> None:
    """Check that orders are of these sentences.

    Parameters
    ----------
    orders : Orders
    words : Treebank
    name : str
        What messages call orders that are in no file.
    path : str, optional
        The file of the orders, one a line, for messages.

    Raises
    ------
    InputError
        If there are more or fewer orders than sentences, or a position lies beyond its sentence.

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left"]])
    >>> check_orders(Orders.from_rows([[0, 2]]), bank, path="a.orders")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.orders:1: position 2, but the sentence has 2 words; expected \
positions from 0 to 1
    """
    if len(orders) != len(words):
        what = f"{len(orders)} orders for {len(words)} sentences"
        raise InputError(path or name, what, "one order a sentence")
    lengths = np.repeat(words.lengths, orders.lengths)
    beyond = np.flatnonzero(orders.positions.values >= lengths)
    if len(beyond):
        at = int(beyond[0])
        row = int(np.searchsorted(orders.positions.offsets, at, side="right")) - 1
        most = int(lengths[at]) - 1
        length = counted(int(words.lengths[row]), "word")
        raise InputError(
            f"{name}, sentence {row + 1}" if path is None else location(path, row + 1),
            f"position {orders.positions.values[at]}, but the sentence has {length}",
            f"positions from 0 to {most}" if most >= 0 else "none",
        )
