"""The relative permutation: a system's order seen from the reference's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.errors import InputError
from wordorder.kernels._run import run_rows
from wordorder.kernels.relative import relative_permutation, untied_permutation
from wordorder.order.orders import Orders, untied_ranks
from wordorder.ragged import Ragged
from wordorder.types import Bool, Int32


@dataclass(frozen=True)
class Relative:
    """What the order metrics see of a system's and a reference's orders.

    Attributes
    ----------
    permutation : Ragged
        For each position of the system's order that the reference has too, the place of that word
        in the reference's order; words that tie there are read in the system's order.
    groups : Ragged or None
        The dense rank of the word's tie group; None where the reference has no ties at all.
    kept : bool array, one entry per word of the system
        Whether the reference has the word.
    """

    permutation: Ragged
    groups: Ragged | None
    kept: Bool


def relative_orders(system: Orders, reference: Orders) -> Relative:
    """Write the system's orders as permutations of the reference's.

    Parameters
    ----------
    system, reference : Orders
        One row a sentence, over the same source positions. Ties of the system are read in the
        order in which they are written. A word that only one of them has is left out.

    Raises
    ------
    InputError
        If they differ in the number of rows.

    Notes
    -----
    O(words) time.

    Examples
    --------
    >>> relative_orders(
    ...     Orders.from_rows([[2, 0, 1]]), Orders.from_rows([[0, 1, 2]])
    ... ).permutation.to_lists()
    [[2, 0, 1]]
    """
    if len(system) != len(reference):
        raise InputError(
            "orders",
            f"{len(system)} rows of the system against {len(reference)} of the reference",
            "as many rows in both",
        )
    source = system.positions
    target = reference.positions
    size = len(source.values)
    largest = 1 + max(int(source.values.max(initial=0)), int(target.values.max(initial=0)))
    if reference.ranks is None and (permutation := _untied(source, target, largest)) is not None:
        return Relative(Ragged(permutation, source.offsets), None, np.ones(size, np.bool_))
    permutation = np.empty(size, np.int32)
    groups = np.empty(size, np.int32)
    kept = np.empty(size, np.uint8)
    ranks = untied_ranks(target) if reference.ranks is None else reference.ranks
    longest = max(int(target.lengths.max(initial=0)), 1)
    run_rows(
        relative_permutation,
        source.offsets,
        source.values,
        source.offsets,
        target.values,
        ranks.values,
        target.offsets,
        permutation,
        groups,
        kept,
        scratch=lambda _: (
            np.zeros(largest, np.int32),
            np.empty(largest, np.int32),
            np.empty(longest, np.int32),
            np.empty(longest, np.int32),
        ),
    )
    mask = kept.view(np.bool_)
    offsets = source.offsets
    if not mask.all():
        permutation, groups = permutation[mask], groups[mask]
        offsets = np.concatenate([[0], np.cumsum(mask)])[offsets].astype(np.int64)
    return Relative(
        Ragged(permutation, offsets),
        Ragged(groups, offsets) if reference.ranks is not None else None,
        mask,
    )


def _untied(source: Ragged, target: Ragged, largest: int) -> Int32 | None:
    """Return the permutations of orders without ties, if both have the same words."""
    permutation = np.empty(len(source.values), np.int32)
    missing = np.zeros(1, np.uint8)
    run_rows(
        untied_permutation,
        source.offsets,
        source.values,
        source.offsets,
        target.values,
        target.offsets,
        permutation,
        missing,
        scratch=lambda _: (np.full(largest, -1, np.int64),),
    )
    return None if missing[0] else permutation
