"""Orders: the source positions of many sentences in target order, one column type."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from wordorder.arrow.columns import Column, ListColumn
from wordorder.arrow.given import given_column, grouped_lists, integer_lists
from wordorder.errors import InputError, UsageError
from wordorder.kernels._run import call, piece_spans, run_pieces
from wordorder.kernels.notations import check_distinct, check_ranks
from wordorder.ragged import Ragged
from wordorder.types import ArrowColumn, Int64

# No sentence has more words; a position from here on is a mistake in the data.
MAX_POSITION = 1 << 24

Numbers = Sequence[int] | npt.NDArray[np.integer]

Row = Sequence[int | Numbers] | npt.NDArray[np.integer]


@dataclass(frozen=True)
class Order:
    """The order of one sentence.

    Parameters
    ----------
    groups : tuple of tuples of int
        Source positions, 0-based, in target order; the positions of one group tie: no order is
        asked among them.

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
        """Draw the order below the source as an SVG picture, and a reference below it.

        See `wordorder.order.picture.order_picture`; without words their numbers are drawn.
        """
        from wordorder.order.picture import order_picture

        return order_picture(words, self, reference, names=("source", "order", "reference"))

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __len__(self) -> int:
        """Count the words."""
        return sum(map(len, self.groups))

    def __str__(self) -> str:
        return " ".join(",".join(map(str, group)) for group in self.groups)


@dataclass(frozen=True)
class Orders:
    """The orders of many sentences, flat.

    Parameters
    ----------
    positions : Ragged
        Row ``i`` holds source positions of sentence ``i`` in target order: 0-based, distinct,
        below 2^24. Tied positions keep the order in which they were written.
    ranks : Ragged, optional
        With the same offsets: which group of its row each position belongs to, ``0 0 1 2 2``.
        Becomes None where no row has a tie.
    provenance : tuple of (key, value)
        How the orders came about, for signatures; orders are equal whatever it says.

    Raises
    ------
    InputError
        If a position is listed twice in a row or is out of range, or the ranks are not those of
        groups; the message names the row, counted from 1.

    Notes
    -----
    Checked once, here; everything behind trusts it.

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
        fault = first_fault(self.positions)
        if fault is not None:
            row, entry, what, expected = fault
            raise InputError(f"row {row + 1}, entry {entry + 1}", what, expected)
        if self.ranks is not None and not _has_ties(self.positions, self.ranks):
            object.__setattr__(self, "ranks", None)

    @classmethod
    def from_rows(
        cls,
        rows: Ragged | Iterable[Row] | ArrowColumn,
        *,
        provenance: tuple[tuple[str, str], ...] = (),
    ) -> Orders:
        """Copy rows of integers; a sequence inside a row is a group of positions that tie.

        Also a column of pandas, Polars or pyarrow: lists of integers, or of lists of integers.

        Raises
        ------
        InputError
            If a row is not an order or a group is empty; the message names the row, from 1.
        """
        if isinstance(rows, Ragged):
            return cls(rows, None, provenance)
        column = given_column(rows, "", "lists of integers, or of lists of integers")
        if isinstance(column, Column):
            return cls(*_column_rows(column), provenance)
        listed = [_checked_row(row, number) for number, row in enumerate(column, 1)]
        # Arrays do not nest; to look at each of their numbers would take longest.
        if not all(isinstance(row, np.ndarray) for row in listed):
            kinds = set(map(type, chain.from_iterable(listed)))
        else:
            kinds = {np.integer}
        if all(issubclass(kind, (int, np.integer)) for kind in kinds):
            return cls(Ragged.from_rows(listed), None, provenance)  # type: ignore[arg-type]
        grouped = [_groups(row, number) for number, row in enumerate(listed, 1)]
        positions = Ragged.from_rows([list(chain.from_iterable(groups)) for groups in grouped])
        ranks = [rank for groups in grouped for rank, group in enumerate(groups) for _ in group]
        return cls(positions, Ragged(np.array(ranks, np.int32), positions.offsets), provenance)

    @classmethod
    def concatenate(cls, parts: Sequence[Orders]) -> Orders:
        """Put several columns one behind the other.

        Raises
        ------
        UsageError
            If they were made in different ways: no signature could say how.
        """
        if len({part.provenance for part in parts}) > 1:
            raise UsageError("cannot concatenate orders that were made in different ways")
        ranks = None
        if any(part.ranks is not None for part in parts):
            ranks = Ragged.concatenate(
                [untied_ranks(p.positions) if p.ranks is None else p.ranks for p in parts]
            )
        positions = Ragged.concatenate([part.positions for part in parts])
        return cls(positions, ranks, parts[0].provenance if parts else ())

    def take(self, rows: Int64) -> Orders:
        """Return the rows with the numbers `rows`, in their order, a row as often as it is named.

        Examples
        --------
        >>> [str(order) for order in Orders.from_rows([[(1, 0)], [0]]).take(np.array([1, 0, 0]))]
        ['0', '1,0', '1,0']
        """
        ranks = None if self.ranks is None else self.ranks.take(rows)
        return Orders(self.positions.take(rows), ranks, self.provenance)

    @property
    def lengths(self) -> Int64:
        """Words of each order, int64[S]."""
        return self.positions.lengths

    def to_text(self, row: int) -> str:
        """Write one row as a line of an ``.orders`` file, without the line's end."""
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


def first_fault(positions: Ragged) -> tuple[int, int, str, str] | None:
    """Find the first position that cannot be where it is.

    Returns
    -------
    (row, entry, what is there, what was expected), counted from 0, or None
    """
    values = positions.values
    # Seen as unsigned, a negative number is beyond the limit too.
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
    at = int(state[0])
    if at >= 0:
        what, expected = f"position {values[at]} is listed twice", "each position once"
    elif size < len(values):
        at = size
        what, expected = f"position {values[at]}", f"a position from 0 to {MAX_POSITION - 1}"
    else:
        return None
    row = int(np.searchsorted(positions.offsets, at, side="right")) - 1
    return row, at - int(positions.offsets[row]), what, expected


def _has_ties(positions: Ragged, ranks: Ragged) -> bool:
    """Check ranks against the positions that they group, and say whether any two tie."""
    if not np.array_equal(positions.offsets, ranks.offsets):
        raise InputError("ranks", "rows of other lengths", "one rank for each position")
    state = np.zeros(2, np.int64)
    call(check_ranks, ranks.values, ranks.offsets, state, 0, len(ranks))
    at = int(state[0])
    if at >= 0:
        row = int(np.searchsorted(ranks.offsets, at, side="right")) - 1
        entry = at - int(ranks.offsets[row])
        raise InputError(
            f"row {row + 1}, entry {entry + 1}",
            f"rank {ranks.values[at]}",
            "ranks that start at 0 and rise by 0 or 1",
        )
    return bool(state[1])


def untied_ranks(positions: Ragged) -> Ragged:
    """Return the ranks of rows in which each position is a group of its own."""
    starts = np.repeat(positions.offsets[:-1], positions.lengths)
    ranks = np.arange(len(positions.values)) - starts
    return Ragged(ranks.astype(np.int32), positions.offsets)


def _column_rows(column: Column) -> tuple[Ragged, Ragged | None]:
    """Return positions and ranks of a column of lists, or of lists of groups."""
    if not (isinstance(column, ListColumn) and isinstance(column.items, ListColumn)):
        return Ragged(*integer_lists(column)), None
    positions, ranks, offsets = grouped_lists(column)
    return Ragged(positions, offsets), Ragged(ranks, offsets)


def _checked_row(row: object, number: int) -> Row:
    """Return the row if it is a sequence of anything but characters."""
    if isinstance(row, (Sequence, np.ndarray)) and not isinstance(row, (str, bytes)):
        return row
    raise InputError(f"row {number}", repr(row)[:30], "a sequence of integers")


def _groups(row: Row, number: int) -> list[Any]:
    """Return the groups of a row; a lone position is a group of one."""
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
    """Raise an InputError unless every row holds each of ``0 .. n-1`` once; it names the entry.

    Examples
    --------
    >>> check_permutations(Ragged.from_rows([[1, 0], []]))
    """
    if _are_permutations(rows):
        return
    lengths = np.repeat(rows.lengths, rows.lengths)
    starts = np.repeat(rows.offsets[:-1], rows.lengths)
    values = rows.values
    bad = (values < 0) | (values >= lengths)
    if not bad.any():
        places = starts + values
        first = np.zeros(len(values), np.int64)
        # Written from the last to the first, so that the first of two equal entries stays.
        first[places[::-1]] = np.arange(len(values))[::-1]
        bad = first[places] != np.arange(len(values))
    if bad.any():
        at = int(np.argmax(bad))
        row = int(np.searchsorted(rows.offsets, at, side="right")) - 1
        raise InputError(
            f"row {row + 1}, entry {at - int(rows.offsets[row]) + 1}",
            f"{int(values[at])} in a row of {int(lengths[at])}",
            "each of 0 .. n-1 once, n being the length of the row",
        )


def _are_permutations(rows: Ragged) -> bool:
    """Whether every row holds each of ``0 .. n-1`` once, without saying where one does not."""
    pieces = [rows[first:last] for first, last in piece_spans(rows.offsets)]
    return all(run_pieces(_is_piece_of_permutations, pieces))


def _is_piece_of_permutations(rows: Ragged) -> bool:
    """Whether every row of a piece that fits into the cache is a permutation."""
    lengths = rows.lengths
    full = lengths > 0
    if not full.any():
        return True
    # Seen as unsigned, a negative number is beyond every length.
    largest = np.maximum.reduceat(rows.values.view(np.uint32), rows.offsets[:-1][full])
    if np.any(largest >= lengths[full]):
        return False
    state = np.zeros(1, np.int64)
    seen = np.zeros(int(lengths.max()), np.int32)
    call(check_distinct, rows.values, rows.offsets, state, 0, len(rows), seen)
    return int(state[0]) < 0
