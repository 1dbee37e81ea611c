"""Orders: source positions in target order; comparison with a reference; pictures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from wordorder.arrays import ArrowColumn, Bool, Int32, Int64, Ragged, row_and_entry, row_offsets
from wordorder.errors import InputError, UsageError
from wordorder.kernels import call, orders as kernel, piece_spans, run_pieces, run_rows
from wordorder.kernels.text import check_distinct, check_ranks

# Positions must be smaller; a larger one is an error in the data.
MAX_POSITION = 1 << 24

# A row of an order: positions, or groups of tied positions.
Numbers = Sequence[int] | npt.NDArray[np.integer]
Row = Sequence[int | Numbers] | npt.NDArray[np.integer]

# Where a run of adjacent words is placed in its group of tied words: first, anywhere, or last.
_RUN_FIRST, _RUN_ANYWHERE, _RUN_LAST = range(3)


@dataclass(frozen=True)
class Order:
    """The order of one sentence.

    Parameters
    ----------
    groups : tuple of tuples of int
        Source positions, 0-based, in target order; the positions of a group tie.

    Examples
    --------
    >>> order = Order(((2,), (0,), (3, 4), (1,)))
    >>> print(order)
    2 0 3,4 1
    >>> len(order)
    5
    """

    groups: tuple[tuple[int, ...], ...]

    @property
    def positions(self) -> tuple[int, ...]:
        """The source positions without their groups."""
        return tuple(chain.from_iterable(self.groups))

    def to_svg(self, words: Sequence[str] | None = None, reference: Order | None = None) -> str:
        """Draw source, order and reference as an SVG picture; see `order_picture`."""
        return order_picture(words, self, reference, names=("source", "order", "reference"))

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __len__(self) -> int:
        """Return the number of words."""
        return sum(map(len, self.groups))

    def __str__(self) -> str:
        return " ".join(",".join(map(str, group)) for group in self.groups)


@dataclass(frozen=True)
class Orders:
    """The orders of many sentences in flat arrays.

    Parameters
    ----------
    positions : Ragged
        Row ``i`` has source positions of sentence ``i`` in target order: 0-based, distinct, below
        2^24. Tied positions keep their written order.
    ranks : Ragged, optional
        With the same offsets: the index of each position's group in its row, ``0 0 1 2 2``. Set to
        None if no row has a tie.
    provenance : tuple of (key, value)
        The origin of the orders, for signatures; not compared by ``==``.

    Raises
    ------
    InputError
        If a position is listed twice in a row or is out of range, or the ranks are not those of
        groups; the message names the row, counted from 1.

    Notes
    -----
    Checked once, here; all other code relies on it.

    Examples
    --------
    >>> orders = Orders.from_rows([[2, 0, [3, 4], 1], [], [0]])
    >>> len(orders), orders.lengths.tolist()
    (3, [5, 0, 1])
    >>> orders.to_text(0)
    '2 0 3,4 1'
    >>> orders[0].groups
    ((2,), (0,), (3, 4), (1,))
    >>> [str(order) for order in orders[1:]]
    ['', '0']
    """

    positions: Ragged
    ranks: Ragged | None = None
    provenance: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        fault = first_order_fault(self.positions)
        if fault is not None:
            row, entry, problem, expected = fault
            raise InputError(f"row {row + 1}, entry {entry + 1}", problem, expected)
        if self.ranks is not None and not _has_ties(self.positions, self.ranks):
            object.__setattr__(self, "ranks", None)

    @classmethod
    def from_rows(
        cls,
        rows: Ragged | Iterable[Row] | ArrowColumn,
        *,
        provenance: tuple[tuple[str, str], ...] = (),
    ) -> Orders:
        """Return orders from rows of integers; a sequence in a row is a group of tied positions.

        Columns of pandas, Polars or pyarrow with lists of integers, or of such lists, also work.

        Raises
        ------
        InputError
            If a row is not an order or a group is empty; the message names the row, from 1.
        """
        if isinstance(rows, Ragged):
            return cls(rows, None, provenance)
        from wordorder.arrow import columns, inputs

        column = inputs.input_column(rows, "", "lists of integers, or of lists of integers")
        if isinstance(column, columns.ListColumn) and isinstance(column.items, columns.ListColumn):
            values, groups, ends = inputs.grouped_lists(column)
            return cls(Ragged(values, ends), Ragged(groups, ends), provenance)
        if isinstance(column, columns.ArrowColumn):
            return cls(Ragged(*inputs.integer_lists(column)), None, provenance)
        checked_rows = [_checked_row(row, number) for number, row in enumerate(column, 1)]
        # Arrays do not nest, so their entries need not be checked, which would take longest.
        if not all(isinstance(row, np.ndarray) for row in checked_rows):
            kinds = set(map(type, chain.from_iterable(checked_rows)))
        else:
            kinds = {np.integer}
        if all(issubclass(kind, (int, np.integer)) for kind in kinds):
            return cls(Ragged.from_rows(checked_rows), None, provenance)  # type: ignore[arg-type]
        grouped = [_row_groups(row, number) for number, row in enumerate(checked_rows, 1)]
        positions = Ragged.from_rows([list(chain.from_iterable(groups)) for groups in grouped])
        ranks = [rank for groups in grouped for rank, group in enumerate(groups) for _ in group]
        return cls(positions, Ragged(np.array(ranks, np.int32), positions.offsets), provenance)

    @classmethod
    def concatenate(cls, parts: Sequence[Orders]) -> Orders:
        """Concatenate orders.

        Raises
        ------
        UsageError
            If their provenances differ, since signatures name only one.
        """
        if len({part.provenance for part in parts}) > 1:
            raise UsageError("cannot concatenate orders that were made in different ways")
        ranks = None
        if any(part.ranks is not None for part in parts):
            part_ranks = [untied_ranks(p.positions) if p.ranks is None else p.ranks for p in parts]
            ranks = Ragged.concatenate(part_ranks)
        positions = Ragged.concatenate([part.positions for part in parts])
        return cls(positions, ranks, parts[0].provenance if parts else ())

    def take(self, rows: Int64) -> Orders:
        """Return the rows with the indices `rows`, in that order, also repeatedly.

        Examples
        --------
        >>> [str(order) for order in Orders.from_rows([[(1, 0)], [0]]).take(np.array([1, 0, 0]))]
        ['0', '1,0', '1,0']
        """
        ranks = None if self.ranks is None else self.ranks.take(rows)
        return Orders(self.positions.take(rows), ranks, self.provenance)

    @property
    def lengths(self) -> Int64:
        """The number of words of each order, int64[S]."""
        return self.positions.lengths

    def to_text(self, row: int) -> str:
        """Return one row as a line of an ``.orders`` file, without a newline."""
        return str(self[row])

    def _repr_html_(self) -> str:
        from wordorder.drawing.svg import rows_html

        return rows_html(repr(self), self, len(self))

    def __len__(self) -> int:
        return len(self.positions)

    def __iter__(self) -> Iterator[Order]:
        return (self[row] for row in range(len(self)))

    @overload
    def __getitem__(self, index: int) -> Order: ...
    @overload
    def __getitem__(self, index: slice) -> Orders: ...
    def __getitem__(self, index: int | slice) -> Order | Orders:
        if isinstance(index, slice):
            ranks = None if self.ranks is None else self.ranks[index]
            return Orders(self.positions[index], ranks, self.provenance)
        positions = self.positions[index].tolist()
        if self.ranks is None:
            return Order(tuple((position,) for position in positions))
        groups: list[list[int]] = []
        for position, rank in zip(positions, self.ranks[index].tolist(), strict=True):
            if rank == len(groups):
                groups.append([])
            groups[rank].append(position)
        return Order(tuple(map(tuple, groups)))

    def __repr__(self) -> str:
        tied = "" if self.ranks is None else ", with ties"
        return f"Orders({len(self)} rows, {len(self.positions.values)} words{tied})"


def first_order_fault(positions: Ragged) -> tuple[int, int, str, str] | None:
    """Find the first position that is out of range or listed twice in its row.

    Returns
    -------
    (row, entry, problem, expectation), row and entry counted from 0, or None
    """
    values = positions.values
    # As unsigned integers, negative numbers exceed the limit too.
    unsigned = values.view(np.uint32)
    largest = int(unsigned.max(initial=0))
    size = len(values)
    if largest >= MAX_POSITION:
        size = int(np.argmax(unsigned >= MAX_POSITION))
        largest = int(unsigned[:size].max(initial=0))
    checked = values[:size]
    offsets = np.minimum(positions.offsets, size)
    state = np.zeros(1, np.int64)
    seen = np.zeros(largest + 1, np.int32)
    call(check_distinct, checked, offsets, state, 0, len(positions), seen)
    fault_index = int(state[0])
    if fault_index >= 0:
        problem, expected = f"position {values[fault_index]} is listed twice", "each position once"
    elif size < len(values):
        fault_index = size
        problem, expected = (
            f"position {values[fault_index]}",
            f"a position from 0 to {MAX_POSITION - 1}",
        )
    else:
        return None
    return *row_and_entry(positions.offsets, fault_index), problem, expected


def _has_ties(positions: Ragged, ranks: Ragged) -> bool:
    """Check the ranks of positions, and return whether any positions tie."""
    if not np.array_equal(positions.offsets, ranks.offsets):
        raise InputError("ranks", "rows of other lengths", "one rank for each position")
    state = np.zeros(2, np.int64)
    call(check_ranks, ranks.values, ranks.offsets, state, 0, len(ranks))
    fault = int(state[0])
    if fault >= 0:
        row, entry = row_and_entry(ranks.offsets, fault)
        error_location, problem = (
            f"row {row + 1}, entry {entry + 1}",
            f"rank {ranks.values[fault]}",
        )
        raise InputError(error_location, problem, "ranks that start at 0 and rise by 0 or 1")
    return bool(state[1])


def untied_ranks(positions: Ragged) -> Ragged:
    """Return the ranks of rows without ties."""
    starts = np.repeat(positions.offsets[:-1], positions.lengths)
    ranks = np.arange(len(positions.values)) - starts
    return Ragged(ranks.astype(np.int32), positions.offsets)


def _checked_row(row: object, number: int) -> Row:
    """Return a row if it is a sequence other than a string; InputError otherwise."""
    if isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, (str, bytes)):
        return row
    raise InputError(f"row {number}", repr(row)[:30], "a sequence of integers")


def _row_groups(row: Row, number: int) -> list[Any]:
    """Return the groups of a row; a single position is a group of one."""
    groups: list[Any] = []
    for entry in row:
        if isinstance(entry, (int, np.integer)):
            groups.append((entry,))
        elif not isinstance(entry, (Sequence, np.ndarray)) or isinstance(entry, (str, bytes)):
            expected = "a position, or a sequence of positions that tie"
            raise InputError(f"row {number}", repr(entry)[:30], expected)
        elif len(entry):
            groups.append(entry)
        else:
            raise InputError(f"row {number}", "an empty group", "at least one position in each")
    return groups


def check_permutations(rows: Ragged) -> None:
    """Raise an InputError at the first entry unless every row has each of ``0 .. n-1`` once.

    Examples
    --------
    >>> check_permutations(Ragged.from_rows([[1, 0], []]))
    """
    pieces = [rows[first:last] for first, last in piece_spans(rows.offsets)]
    if all(run_pieces(_is_piece_of_permutations, pieces)):
        return
    lengths = np.repeat(rows.lengths, rows.lengths)
    starts = np.repeat(rows.offsets[:-1], rows.lengths)
    values = rows.values
    is_invalid = (values < 0) | (values >= lengths)
    if not is_invalid.any():
        entry_of_value = starts + values
        first = np.zeros(len(values), np.int64)
        # Assigned from the last entry to the first, so that the first of equal entries remains.
        first[entry_of_value[::-1]] = np.arange(len(values))[::-1]
        is_invalid = first[entry_of_value] != np.arange(len(values))
    if is_invalid.any():
        invalid_index = int(np.argmax(is_invalid))
        row, entry = row_and_entry(rows.offsets, invalid_index)
        problem = f"{int(values[invalid_index])} in a row of {int(lengths[invalid_index])}"
        expected = "each of 0 .. n-1 once, n being the length of the row"
        raise InputError(f"row {row + 1}, entry {entry + 1}", problem, expected)


def _is_piece_of_permutations(rows: Ragged) -> bool:
    """True if every row of a piece that fits into the cache is a permutation."""
    lengths = rows.lengths
    full = lengths > 0
    if not full.any():
        return True
    # As unsigned integers, negative numbers exceed every length.
    largest = np.maximum.reduceat(rows.values.view(np.uint32), rows.offsets[:-1][full])
    if np.any(largest >= lengths[full]):
        return False
    state = np.zeros(1, np.int64)
    seen = np.zeros(int(lengths.max()), np.int32)
    call(check_distinct, rows.values, rows.offsets, state, 0, len(rows), seen)
    return int(state[0]) < 0


@dataclass(frozen=True)
class Relative:
    """A system's orders relative to a reference, for order metrics.

    Attributes
    ----------
    permutation : Ragged
        For each word of the system's order that the reference has too, its position in the
        reference order; words that tie there are in the system's order.
    groups : Ragged or None
        The dense rank of the word's tie group; None if no reference has ties.
    in_reference : bool array, one entry per word of the system
        Whether the reference has the word.
    """

    permutation: Ragged
    groups: Ragged | None
    in_reference: Bool


def relative_orders(system: Orders, reference: Orders) -> Relative:
    """Return the system's orders as permutations of the reference orders.

    Parameters
    ----------
    system, reference : Orders
        One row per sentence, over the same source positions. Tied words of the system keep their
        written order. A word that only one of them has is left out.

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
        problem = f"{len(system)} rows of the system against {len(reference)} of the reference"
        raise InputError("orders", problem, "as many rows in both")
    source = system.positions
    target = reference.positions
    size = len(source.values)
    largest = 1 + max(int(source.values.max(initial=0)), int(target.values.max(initial=0)))
    if (
        reference.ranks is None
        and (permutation := _untied_permutation(source, target, largest)) is not None
    ):
        return Relative(Ragged(permutation, source.offsets), None, np.ones(size, np.bool_))
    permutation = np.empty(size, np.int32)
    groups = np.empty(size, np.int32)
    pair_marks = np.empty(size, np.uint8)
    ranks = untied_ranks(target) if reference.ranks is None else reference.ranks
    longest = max(int(target.lengths.max(initial=0)), 1)
    run_rows(
        *(kernel.relative_permutation, source.offsets, source.values, source.offsets),
        *(target.values, ranks.values, target.offsets, permutation, groups, pair_marks),
        scratch=lambda _: (
            np.zeros(largest, np.int32),
            np.empty(largest, np.int32),
            np.empty(longest, np.int32),
            np.empty(longest, np.int32),
        ),
    )
    mask = pair_marks.view(np.bool_)
    offsets = source.offsets
    if not mask.all():
        permutation, groups = permutation[mask], groups[mask]
        offsets = row_offsets(mask)[offsets]
    tied = Ragged(groups, offsets) if reference.ranks is not None else None
    return Relative(Ragged(permutation, offsets), tied, mask)


def _untied_permutation(source: Ragged, target: Ragged, largest: int) -> Int32 | None:
    """Return the permutations of orders without ties, or None if their words differ."""
    permutation = np.empty(len(source.values), np.int32)
    missing = np.zeros(1, np.uint8)
    run_rows(
        *(kernel.untied_permutation, source.offsets, source.values, source.offsets),
        *(target.values, target.offsets, permutation, missing),
        scratch=lambda _: (np.full(largest, -1, np.int64),),
    )
    return None if missing[0] else permutation


def kept_pairs(system: Orders, reference: Orders) -> tuple[Bool, Int64]:
    """Mark the adjacent words of a system's order that are also adjacent in the reference.

    Parameters
    ----------
    system, reference : Orders
        S rows over the same source positions. A word that only one of them has is left out first,
        so that the words around it are adjacent. Tied words of the system keep their written
        order; those of the reference are ordered so that the system keeps the most pairs. If
        several orders are equally good, the choice is deterministic.

    Returns
    -------
    kept : bool[P]
        One entry per pair of adjacent words: ``m - 1`` entries for a sentence of which both orders
        have m words (0 if m is 0).
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
    return _find_kept_pairs(relative_orders(system, reference))


def best_reading(system: Orders, reference: Orders) -> Orders:
    """Order the tied words of a reference so that a system keeps the most adjacent pairs.

    Parameters
    ----------
    system, reference : Orders
        See `kept_pairs`.

    Returns
    -------
    Orders
        The reference without ties, in which the pairs of `kept_pairs` are adjacent. Other tied
        words are in the system's order; words that the system lacks may be anywhere in their group.

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
    is_adjacent, _ = _find_kept_pairs(relative)
    starts = np.ones(len(rows), np.bool_)
    starts[1:] = (rows[1:] != rows[:-1]) | (groups.values[1:] != groups.values[:-1])
    run = np.cumsum(starts) - 1
    # If a pair links runs of two groups, the first run is last in its group, the second one first.
    followers = _second_words(groups)[is_adjacent]
    linked = run[followers[starts[followers]]]
    run_part = np.full(int(starts.sum()), _RUN_ANYWHERE)
    run_part[linked - 1] = _RUN_LAST
    run_part[linked] = _RUN_FIRST

    # The position of each reference word in the system's order.
    target = reference.positions
    reference_rows = np.repeat(np.arange(len(target)), target.lengths)
    system_keys = rows * MAX_POSITION + system.positions.values[relative.in_reference]
    sorting = np.argsort(system_keys)
    reference_keys = reference_rows * MAX_POSITION + target.values
    insertion_points = np.searchsorted(system_keys, reference_keys, sorter=sorting)
    system_indices = np.append(sorting, 0)[insertion_points]
    is_in_system = (
        np.append(system_keys, -1)[
            np.where(insertion_points < len(system_keys), system_indices, -1)
        ]
        == reference_keys
    )
    order_keys = np.where(is_in_system, system_indices, len(system_keys))
    parts = np.where(
        is_in_system,
        np.append(run_part, _RUN_ANYWHERE)[np.append(run, -1)[system_indices]],
        _RUN_ANYWHERE,
    )
    order = np.lexsort((order_keys, parts, reference.ranks.values, reference_rows))
    return Orders(Ragged(target.values[order], target.offsets), None, reference.provenance)


def _find_kept_pairs(relative: Relative) -> tuple[Bool, Int64]:
    """Return the kept pairs and their offsets, see `kept_pairs`."""
    permutation, groups = relative.permutation, relative.groups
    offsets = row_offsets(np.maximum(permutation.lengths - 1, 0))
    second = _second_words(permutation)
    if groups is None:
        values = permutation.values
        return values[second] == values[second - 1] + 1, offsets
    return tied_pairs(groups, marking=True)[1][second], offsets


def tied_pairs(groups: Ragged, *, marking: bool = False) -> tuple[Int64, Bool]:
    """Order the tied words of each row so that the most words directly follow the one before.

    Returns
    -------
    counts : int64[S]
        The number of such words of each row.
    marks : bool array
        With `marking`, a mask of these words; otherwise empty.
    """
    counts = np.empty(len(groups), np.int64)
    marks = np.zeros(len(groups.values) if marking else 0, np.uint8)
    arguments = groups.values, groups.offsets, counts, marks, marking
    run_rows(
        *(kernel.contiguous_tied_pairs, groups.offsets, *arguments),
        scratch=lambda longest: (
            *(np.empty(longest + 1, np.int32) for _ in range(7)),
            np.empty(longest + 1, np.int64),
        ),
    )
    return counts, marks.view(np.bool_)


def _second_words(rows: Ragged) -> Int64:
    """Return the indices of all words except the first of each row."""
    second = np.ones(len(rows.values), np.bool_)
    second[rows.offsets[:-1][rows.lengths > 0]] = False
    return np.flatnonzero(second)


def moved_words(permutation: Sequence[int]) -> list[bool]:
    """Mark a smallest set of words that must move to sort a permutation.

    Parameters
    ----------
    permutation : sequence of int
        Distinct numbers.

    Returns
    -------
    list of bool
        False for the words of a longest increasing subsequence, which do not move.

    Notes
    -----
    The number of True entries is Ulam's distance. O(n log n) time (Schensted 1961).

    Examples
    --------
    "We can read it", put into the order *we it read can*:

    >>> moved_words([0, 3, 2, 1])
    [False, True, True, False]
    >>> moved_words([1, 2, 3, 0])
    [False, False, False, True]
    """
    tails: list[int] = []
    ends: list[int] = []
    predecessors: list[int] = []
    for index, value in enumerate(permutation):
        length = bisect_left(tails, value)
        predecessors.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [value]
        ends[length : length + 1] = [index]
    is_moved = [True] * len(permutation)
    index = ends[-1] if ends else -1
    while index >= 0:
        is_moved[index] = False
        index = predecessors[index]
    return is_moved


def order_picture(
    words: Sequence[str] | None,
    result: Order | Sequence[int],
    reference: Order | None = None,
    *,
    title: str = "Word order",
    names: tuple[str, str, str] = ("source", "result", "reference"),
) -> str:
    """Draw how a sentence is reordered: rows of source, result and reference, with lines between.

    A line joins each word with itself in the next row. The lines of moved words (as few as
    possible) are blue, dashed and thick, the others grey and thin. A frame surrounds each chunk of
    the result, words that are also adjacent in the reference, with a zigzag between chunks; these
    are the chunks of the fuzzy reordering score (``frs`` with its default options). Tied words are
    in double braces, in the order that suits the result best. Words that the result or the
    reference lacks are darker, with a dashed edge.

    Parameters
    ----------
    words : sequence of str, optional
        The W words of the source; without them, the positions in the orders are drawn.
    result : Order or sequence of int
        Source positions from 0 to W-1, each at most once, in the order of the system.
    reference : Order, optional
        Likewise, in the order of the reference. Without it there are two rows.
    title : str
        The title of the picture for screen readers; the sentence is added.
    names : (str, str, str)
        The headings of the rows.

    Returns
    -------
    str
        One ``<svg>`` element, see `wordorder.drawing.orders.order_svg`.

    Raises
    ------
    InputError
        If a position is out of range or listed twice.

    Examples
    --------
    >>> words = ["She", "can", "<read>", "it"]
    >>> drawing = order_picture(words, [0, 3, 2, 1], Order(((0,), (2, 3), (1,))))
    >>> drawing.startswith("<svg "), "&lt;read&gt;" in drawing, "1 chunk of 4 words" in drawing
    (True, True, True)
    """
    from wordorder.drawing.orders import OrderRow, order_svg

    drawn_orders = [
        result if isinstance(result, Order) else Order(tuple((int(p),) for p in result))
    ]
    drawn_orders += [reference] if reference is not None else []
    if words is None:
        words, drawn_orders = _number_words(drawn_orders)
    for order, name in zip(drawn_orders, names[1:], strict=False):
        _check_row(order, len(words), name)
    chunks: list[list[int]] = []
    if reference is not None:
        chunks = _result_chunks(*drawn_orders)
        drawn_orders[1] = _best_group_order(*drawn_orders)
    source = Order(tuple((position,) for position in range(len(words))))
    rows = [
        OrderRow(names[0], source.groups),
        OrderRow(
            names[1], drawn_orders[0].groups, chunks, _moved_positions(source, drawn_orders[0])
        ),
    ]
    if reference is not None:
        rows.append(OrderRow(names[2], drawn_orders[1].groups, (), _moved_positions(*drawn_orders)))
    return order_svg(words, rows, title=title)


def _number_words(orders: Sequence[Order]) -> tuple[list[str], list[Order]]:
    """Return all positions as words, and the orders over the indices of these words."""
    numbers = sorted({position for order in orders for position in order.positions})
    index_of = {number: index_of for index_of, number in enumerate(numbers)}
    renamed = [
        Order(tuple(tuple(index_of[position] for position in group) for group in order.groups))
        for order in orders
    ]
    return list(map(str, numbers)), renamed


def _check_row(order: Order, words: int, name: str) -> None:
    """Raise an InputError unless positions are in range, each at most once."""
    seen: set[int] = set()
    for position in order.positions:
        if not 0 <= position < words:
            expected = f"a position from 0 to {words - 1}" if words else "no position: no words"
            raise InputError(name, f"position {position}", expected)
        if position in seen:
            raise InputError(name, f"position {position} is listed twice", "each position once")
        seen.add(position)


def _as_single_rows(result: Order, reference: Order) -> tuple[Orders, Orders]:
    return Orders.from_rows([result.positions]), Orders.from_rows([reference.groups])


def _result_chunks(result: Order, reference: Order) -> list[list[int]]:
    """Return the words of each chunk of the result."""
    is_adjacent, _ = kept_pairs(*_as_single_rows(result, reference))
    reference_positions = set(reference.positions)
    common = [position for position in result.positions if position in reference_positions]
    chunks: list[list[int]] = []
    for position, continues_chunk in zip(common, [False, *is_adjacent.tolist()], strict=False):
        if continues_chunk:
            chunks[-1].append(position)
        else:
            chunks.append([position])
    return chunks


def _best_group_order(result: Order, reference: Order) -> Order:
    """Return the reference with tied words in the order that suits the result best."""
    read = iter(best_reading(*_as_single_rows(result, reference))[0].positions)
    return Order(tuple(tuple(next(read) for _ in group) for group in reference.groups))


def _moved_positions(upper: Order, lower: Order) -> frozenset[int]:
    """Return the positions of the words that move from one row to the next."""
    upper_index = {position: number for number, position in enumerate(upper.positions)}
    common = [position for position in lower.positions if position in upper_index]
    is_moved = moved_words([upper_index[position] for position in common])
    return frozenset(p for p, moves in zip(common, is_moved, strict=True) if moves)
