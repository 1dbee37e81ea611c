"""Orders as a caller gives them: objects, rows of integers, or a file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from wordorder.errors import InputError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from wordorder.order.orders import Orders
    from wordorder.ragged import Ragged
    from wordorder.types import ArrowColumn


Rows: TypeAlias = (
    "Orders | Ragged | str | os.PathLike[str] | Iterable[Sequence[int | Sequence[int]]] "
    "| ArrowColumn"
)


def given_orders(rows: Rows, name: str) -> Orders:
    """Read orders from whatever they are given as; errors say which argument is wrong."""
    from wordorder.order.orders import Orders

    if isinstance(rows, Orders):
        return rows
    if isinstance(rows, (str, os.PathLike)):
        from wordorder.order.reading import read_orders

        return read_orders(rows)
    try:
        return Orders.from_rows(rows)
    except InputError as error:
        where = f"{name}, {error.where}" if error.where else name
        raise InputError(where, error.what, error.expected) from None


def given_name(rows: Rows, fallback: str) -> str:
    """Return what messages call orders that may be a file."""
    return os.fspath(rows) if isinstance(rows, (str, os.PathLike)) else fallback


def check_numbering(ours: Orders, theirs: Orders) -> None:
    """Refuse full orders against a reference that renumbers its aligned words."""
    longer = np.flatnonzero(ours.lengths > theirs.lengths)
    if len(longer):
        raise UsageError(
            f"row {int(longer[0]) + 1}: the system has words that the reference lacks: rule "
            "'aligned' renumbers the aligned words; unaligned='drop' keeps the positions of the "
            "source"
        )
