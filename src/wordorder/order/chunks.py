"""Chunks: the pieces of a system's order that are unbroken in the reference."""

from __future__ import annotations

import numpy as np

from wordorder.kernels._run import run_rows
from wordorder.kernels.kept_pairs import kept_tied_pairs
from wordorder.order.orders import MAX_POSITION, Orders
from wordorder.order.relative import Relative, relative_orders
from wordorder.ragged import Ragged
from wordorder.types import Bool, Int64

# Where a group of tied words is read: a run of neighbours first, anywhere, or last.
_FIRST, _BETWEEN, _LAST = range(3)


def kept_pairs(system: Orders, reference: Orders) -> tuple[Bool, Int64]:
    """Say which neighbours in a system's order follow each other in the reference too.

    Parameters
    ----------
    system, reference : Orders
        S rows over the same source positions. A word that only one of them has is left out first,
        as `relative_orders` does, so words around it are neighbours. Ties of the system are read
        in the order in which they are written; those of the reference as suits the system best,
        exactly. If several readings are equally good, one of them is taken, always the same.

    Returns
    -------
    kept : bool[P]
        One entry for each pair of neighbours, sentence by sentence: of a sentence of which both
        orders have m words, ``m - 1`` entries (0 if m is 0).
    offsets : int64[S+1]
        Sentence ``i`` has the entries ``offsets[i] .. offsets[i+1]-1``.

    Raises
    ------
    InputError
        If they differ in the number of rows.

    Notes
    -----
    A chunk ends where an entry is False: a sentence with entries has ``C = 1 + sum(~kept)`` chunks,
    and its fuzzy reordering score is ``1 - (C - 1) / (m - 1)``, the mean of its entries (Talbot et
    al. 2011, equation 1; the metric ``frs`` with its default options). O(words) time.

    Examples
    --------
    Katz-Brown et al. (2011): reference A B C D E, system A B E C D.

    >>> reference = Orders.from_rows([[0, 1, 2, 3, 4]])
    >>> kept, offsets = kept_pairs(Orders.from_rows([[0, 1, 4, 2, 3]]), reference)
    >>> kept.tolist(), offsets.tolist()
    ([True, False, False, True], [0, 4])
    """
    return _kept_pairs(relative_orders(system, reference))


def best_reading(system: Orders, reference: Orders) -> Orders:
    """Read the ties of a reference in the order that suits a system best.

    Parameters
    ----------
    system, reference : Orders
        As for `kept_pairs`.

    Returns
    -------
    Orders
        The reference without ties. Against it the system keeps the pairs that `kept_pairs` names.
        What else is tied keeps the system's order; words that the system lacks may be anywhere
        in their group.

    Raises
    ------
    InputError
        If they differ in the number of rows.

    Examples
    --------
    >>> reference = Orders.from_rows([[0, [1, 2, 3], 4]])
    >>> best_reading(Orders.from_rows([[1, 4, 2, 0, 3]]), reference).to_text(0)
    '0 3 2 1 4'
    """
    relative = relative_orders(system, reference)
    if reference.ranks is None or relative.groups is None:
        return reference
    groups = relative.groups
    rows = np.repeat(np.arange(len(groups)), groups.lengths)
    kept, _ = _kept_pairs(relative)
    starts = np.ones(len(rows), np.bool_)
    starts[1:] = (rows[1:] != rows[:-1]) | (groups.values[1:] != groups.values[:-1])
    run = np.cumsum(starts) - 1
    # Runs that follow a run of another group, as its group's last, as their own group's first.
    followers = _second_words(groups)[kept]
    linked = run[followers[starts[followers]]]
    part = np.full(int(starts.sum()), _BETWEEN)
    part[linked - 1] = _LAST
    part[linked] = _FIRST

    # The reference's words, each with the place of its namesake in the system's order.
    target = reference.positions
    reference_rows = np.repeat(np.arange(len(target)), target.lengths)
    named = rows * MAX_POSITION + system.positions.values[relative.kept]
    sorting = np.argsort(named)
    wanted = reference_rows * MAX_POSITION + target.values
    places = np.searchsorted(named, wanted, sorter=sorting)
    place = np.append(sorting, 0)[places]
    known = np.append(named, -1)[np.where(places < len(named), place, -1)] == wanted
    order = np.lexsort(
        (
            np.where(known, place, len(named)),
            np.where(known, np.append(part, _BETWEEN)[np.append(run, -1)[place]], _BETWEEN),
            reference.ranks.values,
            reference_rows,
        )
    )
    return Orders(Ragged(target.values[order], target.offsets), None, reference.provenance)


def _kept_pairs(relative: Relative) -> tuple[Bool, Int64]:
    """Return what `kept_pairs` does."""
    permutation, groups = relative.permutation, relative.groups
    offsets = np.concatenate([[0], np.cumsum(np.maximum(permutation.lengths - 1, 0))])
    second = _second_words(permutation)
    if groups is None:
        values = permutation.values
        return values[second] == values[second - 1] + 1, offsets
    marks = np.zeros(len(groups.values), np.uint8)
    run_rows(
        kept_tied_pairs,
        groups.offsets,
        groups.values,
        groups.offsets,
        marks,
        scratch=lambda longest: (
            *(np.empty(longest + 1, np.int32) for _ in range(7)),
            np.empty(longest + 1, np.int64),
        ),
    )
    return marks.view(np.bool_)[second], offsets


def _second_words(rows: Ragged) -> Int64:
    """Return the places of all words that have another before them in their row."""
    second = np.ones(len(rows.values), np.bool_)
    second[rows.offsets[:-1][rows.lengths > 0]] = False
    return np.flatnonzero(second)
