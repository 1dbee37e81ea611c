"""Orders as a caller gives them: objects, rows of integers, or a file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from wordorder.errors import InputError, UsageError
from wordorder.ragged import Ragged
from wordorder.segments.columns import Columns, Provenance
from wordorder.types import Int64

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


def joined_columns(parts: Sequence[Columns]) -> dict[str, Any]:
    """Return what `Columns` takes to hold the segments of all parts.

    Parameters
    ----------
    parts : sequence of Columns
        At least one, none without segments.

    Raises
    ------
    UsageError
        If some parts have a column and others have not, or if their references came about in
        different ways: no signature could say how.
    """
    from wordorder.alignment.links import Links
    from wordorder.text.texts import Texts

    def columns(name: str) -> list[Any]:
        found = [getattr(part, name) for part in parts]
        missing = sum(column is None for column in found)
        if 0 < missing < len(found) and name != "groups":
            shown = name.removeprefix("_")
            raise UsageError(f"some of the parts have a column {shown!r} and some have not")
        return [] if missing == len(found) else found

    def joined(name: str) -> Ragged | None:
        found = columns(name)
        if not found:
            return None
        if name == "groups":
            pairs = zip(parts, found, strict=True)
            found = [part.permutation if own is None else own for part, own in pairs]
        return Ragged.concatenate(found)

    def lengths(name: str) -> Int64 | None:
        found = columns(name)
        return np.concatenate(found) if found else None

    rows = np.cumsum([0, *(int(part.reference_offsets[-1]) for part in parts)])
    offsets = [p.reference_offsets[1:] + n for p, n in zip(parts, rows, strict=False)]
    texts, links, trees = columns("_texts"), columns("_links"), columns("_trees")
    return {
        "permutation": joined("_permutation"),
        "groups": joined("groups"),
        "words": joined("words"),
        "system_lengths": lengths("_system_lengths"),
        "reference_lengths": lengths("_reference_lengths"),
        "provenance": one_provenance(part.provenance for part in parts),
        "reference_offsets": np.concatenate([np.zeros(1, np.int64), *offsets]),
        "texts": Texts.concatenate(texts) if texts else None,
        "links": Links.concatenate(links) if links else None,
        "system_matched": lengths("_system_matched"),
        "trees": type(trees[0]).concatenate(trees) if trees else None,
    }


def one_provenance(found: Iterable[Provenance]) -> Provenance:
    """Return the provenance that all parts share.

    Raises
    ------
    UsageError
        If they differ.
    """
    distinct = set(found)
    if len(distinct) > 1:
        raise UsageError("cannot concatenate references that were made in different ways")
    return distinct.pop() if distinct else ()
