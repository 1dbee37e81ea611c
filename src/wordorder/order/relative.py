"""The relative permutation: a system's order seen from the reference's."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.errors import InputError
from wordorder.kernels._run import run_rows
from wordorder.kernels.permutations import kept_tied_pairs, relative_permutation, untied_permutation
from wordorder.order.orders import MAX_POSITION, Orders, untied_ranks
from wordorder.ragged import Ragged
from wordorder.types import Bool, Int32, Int64


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


def moved_words(permutation: Sequence[int]) -> list[bool]:
    """Say which words of a permutation have moved, if as few as possible have.

    Parameters
    ----------
    permutation : sequence of int
        Distinct numbers.

    Returns
    -------
    list of bool
        False for the words of one longest increasing subsequence, always the same one: these stay,
        and all others are taken out and put in elsewhere.

    Notes
    -----
    As many are True as Ulam's distance counts. O(n log n) time (Schensted 1961).

    Examples
    --------
    She can read it, put into the order *she it read can*:

    >>> moved_words([0, 3, 2, 1])
    [False, True, True, False]
    >>> moved_words([1, 2, 3, 0])
    [False, False, False, True]
    """
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for place, value in enumerate(permutation):
        length = bisect_left(tails, value)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [value]
        ends[length : length + 1] = [place]
    moved = [True] * len(permutation)
    place = ends[-1] if ends else -1
    while place >= 0:
        moved[place] = False
        place = before[place]
    return moved
