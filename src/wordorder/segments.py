"""Segments: what is evaluated, one row per segment, in columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from wordorder.errors import InputError, UsageError
from wordorder.kernels._run import call, piece_spans, run_pieces
from wordorder.kernels.parse_orders import check_distinct
from wordorder.order.first_unmatched import match_first_unmatched
from wordorder.order.orders import Orders
from wordorder.order.relative import relative_orders
from wordorder.ragged import Ragged

Rows = Orders | Ragged | str | os.PathLike[str] | Iterable[Sequence[int | Sequence[int]]]
Derived = TypeVar("Derived")


@dataclass(frozen=True)
class Segments:
    """The columns that metrics read; a metric takes those that it needs.

    Attributes
    ----------
    permutation : Ragged
        For each word of the system's order its place in the reference's; the identity is perfect.
        Words that tie in the reference are read in the system's order.
    groups : Ragged or None
        The dense rank of the word's tie group in the reference; None without any tie.
    words : Ragged or None
        A number for each word of the system's order, equal for equal words of a segment.
    system_lengths, reference_lengths : int64[S]
        Words of the system's and of the reference's order, dropped ones included.
    provenance : tuple of (key, value)
        How the reference orders came about, for signatures.

    Examples
    --------
    >>> segments = Segments.from_orders([[0, 2, 1]], [[0, (1, 2)]])
    >>> segments.permutation.to_lists(), segments.groups.to_lists()
    ([[0, 1, 2]], [[0, 1, 1]])
    """

    permutation: Ragged
    groups: Ragged | None
    words: Ragged | None
    system_lengths: npt.NDArray[np.int64]
    reference_lengths: npt.NDArray[np.int64]
    provenance: tuple[tuple[str, str], ...] = ()
    _derived: dict[object, object] = field(default_factory=dict, repr=False, compare=False)

    @classmethod
    def from_orders(
        cls,
        system: Rows,
        reference: Rows,
        *,
        source: Iterable[Sequence[str]] | Ragged | None = None,
    ) -> Segments:
        """Compare a system's orders with reference orders, sentence by sentence.

        Parameters
        ----------
        system, reference : Orders, Ragged, path of an ``.orders`` file, or rows of integers
            Source positions in target order; a nested sequence is a tie. Where one of the two
            drops a word, the permutation is over the words that both have.
        source : rows of tokens, or Ragged of word numbers, optional
            The source sentences; only ``match="first-unmatched"`` needs them.

        Raises
        ------
        InputError
            If a row is not an order, the numbers of rows differ, or a position lies beyond its
            source sentence.
        """
        ours, theirs = _orders(system), _orders(reference)
        if len(ours) != len(theirs):
            raise InputError(
                f"{_name(system, 'system')}, {_name(reference, 'reference')}",
                f"{len(ours)} against {len(theirs)} rows",
                "one row a sentence in both",
            )
        relative = relative_orders(ours, theirs)
        words = None
        if source is not None:
            words = Ragged(
                _words_in_order(ours, source)[relative.kept], relative.permutation.offsets
            )
        return cls(
            relative.permutation,
            relative.groups,
            words,
            ours.positions.lengths,
            theirs.positions.lengths,
            theirs.provenance,
        )

    @classmethod
    def from_permutations(
        cls, rows: Ragged | str | os.PathLike[str] | Iterable[Sequence[int]]
    ) -> Segments:
        """Take relative permutations as they are.

        Parameters
        ----------
        rows : Ragged, path of a file, or rows of int
            Each a permutation of ``0 .. n-1``; the identity is a perfect order. In a file, one a
            line.

        Raises
        ------
        InputError
            If a row is not a permutation of ``0 .. n-1``; the message names row and entry.
        """
        if isinstance(rows, (str, os.PathLike)):
            orders = _orders(rows)
            if orders.ranks is not None:
                raise InputError(os.fspath(rows), "tied positions", "plain permutations")
            rows = orders.positions
        permutation = rows if isinstance(rows, Ragged) else Ragged.from_rows(rows)
        _check_permutations(permutation)
        lengths = permutation.lengths
        return cls(permutation, None, None, lengths, lengths)

    @classmethod
    def concatenate(cls, parts: Sequence[Segments]) -> Segments:
        """Put the segments of several parts one behind the other."""

        def joined(name: str) -> Ragged | None:
            columns = [getattr(part, name) for part in parts]
            if all(column is None for column in columns):
                return None
            if name == "groups":
                columns = [
                    p.permutation if c is None else c for p, c in zip(parts, columns, strict=True)
                ]
            elif any(column is None for column in columns):
                raise UsageError(f"some of the parts have a column {name!r} and some have not")
            return Ragged.concatenate(columns)

        return cls(
            Ragged.concatenate([part.permutation for part in parts]),
            joined("groups"),
            joined("words"),
            np.concatenate([np.zeros(0, np.int64), *(part.system_lengths for part in parts)]),
            np.concatenate([np.zeros(0, np.int64), *(part.reference_lengths for part in parts)]),
            parts[0].provenance if parts else (),
        )

    def __len__(self) -> int:
        return len(self.permutation)

    def __getitem__(self, rows: slice) -> Segments:
        """Return some of the segments."""
        return Segments(
            self.permutation[rows],
            None if self.groups is None else self.groups[rows],
            None if self.words is None else self.words[rows],
            self.system_lengths[rows],
            self.reference_lengths[rows],
            self.provenance,
        )

    def pieces(self) -> list[Segments]:
        """Return the segments in parts of a size for one thread, the same ones at every call."""
        spans = piece_spans(self.permutation.offsets)
        if len(spans) < 2:
            return [self]
        return self.derived("pieces", lambda: [self[first:last] for first, last in spans])

    @property
    def dropped(self) -> int:
        """How many words only one of system and reference has, over all segments."""
        common = int(self.permutation.offsets[-1])
        return int(self.system_lengths.sum() + self.reference_lengths.sum()) - 2 * common

    def matched(self, match: str) -> tuple[Ragged, Ragged | None]:
        """Return permutation and groups under a rule for repeated words.

        Parameters
        ----------
        match : "index" or "first-unmatched"
            By source position, or each word to the first free instance of itself.

        Raises
        ------
        UsageError
            If the rule needs the words and the segments have none.
        """
        if match == "index":
            return self.permutation, self.groups
        words = self.words
        if words is None:
            raise UsageError(
                "match=first-unmatched needs the words: give the source sentences "
                "(--source FILE, or source= in Segments.from_orders)"
            )
        return self.derived(
            "first-unmatched",
            lambda: match_first_unmatched(self.permutation, self.groups, words),
        )

    def derived(self, key: object, make: Callable[[], Derived]) -> Derived:
        """Return what `make` computes, once for all metrics that ask under the same key."""
        if key not in self._derived:
            self._derived[key] = make()
        return self._derived[key]  # type: ignore[return-value]  # each key has one type


def _orders(rows: Rows) -> Orders:
    """Read orders from whatever they are given as."""
    if isinstance(rows, Orders):
        return rows
    if isinstance(rows, (str, os.PathLike)):
        from wordorder.order.reading import read_orders

        return read_orders(rows)
    return Orders.from_rows(rows)


def _name(rows: Rows, fallback: str) -> str:
    return os.fspath(rows) if isinstance(rows, (str, os.PathLike)) else fallback


def _words_in_order(
    orders: Orders, source: Iterable[Sequence[str]] | Ragged
) -> npt.NDArray[np.int32]:
    """Return the number of each word of the orders, equal for equal words of a sentence."""
    if not isinstance(source, Ragged):
        rows = []
        for sentence in source:
            numbers: dict[str, int] = {}
            rows.append([numbers.setdefault(word, len(numbers)) for word in sentence])
        source = Ragged.from_rows(rows)
    if len(source) != len(orders):
        raise InputError(
            "source", f"{len(source)} sentences for {len(orders)} orders", "one for each order"
        )
    positions = orders.positions
    beyond = positions.values >= np.repeat(source.lengths, positions.lengths)
    if beyond.any():
        at = int(np.argmax(beyond))
        row = int(np.searchsorted(positions.offsets, at, side="right")) - 1
        raise InputError(
            f"row {row + 1}",
            f"position {int(positions.values[at])} in a source of {int(source.lengths[row])} words",
            "positions of the source; are the files in step?",
        )
    starts = np.repeat(source.offsets[:-1], positions.lengths)
    words: npt.NDArray[np.int32] = source.values[starts + positions.values]
    return words


def _check_permutations(rows: Ragged) -> None:
    """Raise unless every row holds each of ``0 .. n-1`` once."""
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
