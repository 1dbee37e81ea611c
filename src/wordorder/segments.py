"""Segments: what is evaluated, one row per segment, in columns."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import InitVar, dataclass, field
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from wordorder.errors import InputError, UsageError
from wordorder.kernels._run import piece_spans
from wordorder.order.first_unmatched import Source, match_first_unmatched, words_in_order
from wordorder.order.orders import Orders
from wordorder.order.permutation_rows import check_permutations
from wordorder.order.relative import relative_orders
from wordorder.ragged import Ragged

Rows = Orders | Ragged | str | os.PathLike[str] | Iterable[Sequence[int | Sequence[int]]]
Provenance = tuple[tuple[str, str], ...]
Derived = TypeVar("Derived")


@dataclass(frozen=True, eq=False)
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

    Raises
    ------
    InputError
        If the columns do not fit together, or a row of `permutation` is none.

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
    provenance: Provenance = ()
    # The makers below check what they are given; only a caller of his own must be checked here.
    _checked: InitVar[bool] = False
    _derived: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self, _checked: bool) -> None:
        if not _checked:
            check_permutations(self.permutation)
            _check_columns(self)

    def __getstate__(self) -> dict[str, object]:
        # What can be computed again is not sent to other processes.
        return self.__dict__ | {"_derived": {}}

    @classmethod
    def from_orders(
        cls,
        system: Rows,
        reference: Rows,
        *,
        source: Source | None = None,
    ) -> Segments:
        """Compare a system's orders with reference orders, sentence by sentence.

        Parameters
        ----------
        system, reference : Orders, Ragged, path of an ``.orders`` file, or rows of integers
            Source positions in target order; a nested sequence is a tie (of the system: read in
            the order in which it is written). Where one of the two drops a word, the permutation
            is over the words that both have.
        source : rows of tokens, Ragged of word numbers, or path of a tokenised text, optional
            The source sentences; only ``match="first-unmatched"`` needs them.

        Raises
        ------
        InputError
            If a row is not an order, the numbers of rows differ, or a position lies beyond its
            source sentence.
        """
        ours, theirs = _orders(system, "system"), _orders(reference, "reference")
        if len(ours) != len(theirs):
            raise InputError(
                f"{_name(system, 'system')}, {_name(reference, 'reference')}",
                f"{len(ours)} against {len(theirs)} rows",
                "one row a sentence in both",
            )
        renumbered = ("rule", "aligned")
        if renumbered in theirs.provenance and renumbered not in ours.provenance:
            _check_numbering(ours, theirs)
        relative = relative_orders(ours, theirs)
        words = None
        if source is not None:
            numbers = words_in_order(ours, source)
            words = Ragged(numbers[relative.kept], relative.permutation.offsets)
        return cls(
            relative.permutation,
            relative.groups,
            words,
            ours.positions.lengths,
            theirs.positions.lengths,
            theirs.provenance,
            _checked=True,
        )

    @classmethod
    def empty(cls) -> Segments:
        """Return no segments, with all columns."""
        return cls.from_orders([], [], source=[])

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
            orders = _orders(rows, "permutations")
            if orders.ranks is not None:
                raise InputError(os.fspath(rows), "tied positions", "plain permutations")
            rows = orders.positions
        permutation = rows if isinstance(rows, Ragged) else Ragged.from_rows(rows)
        check_permutations(permutation)
        lengths = permutation.lengths
        return cls(permutation, None, None, lengths, lengths, _checked=True)

    @classmethod
    def concatenate(cls, parts: Sequence[Segments]) -> Segments:
        """Put the segments of several parts one behind the other.

        Raises
        ------
        UsageError
            If some parts have a column and others have not, or if their references came about in
            different ways: no signature could say how.
        """

        # A part without segments says nothing about the columns of the others.
        parts = [part for part in parts if len(part)]

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
            one_provenance(part.provenance for part in parts),
            _checked=True,
        )

    def __len__(self) -> int:
        return len(self.permutation)

    def __getitem__(self, rows: slice) -> Segments:
        """Return some of the segments."""
        if not isinstance(rows, slice):
            raise TypeError("segments are taken by slices: segments[i : i + 1] is one of them")
        return Segments(
            self.permutation[rows],
            None if self.groups is None else self.groups[rows],
            None if self.words is None else self.words[rows],
            self.system_lengths[rows],
            self.reference_lengths[rows],
            self.provenance,
            _checked=True,
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


def one_provenance(found: Iterable[Provenance]) -> Provenance:
    """Return the provenance that all parts share.

    Raises
    ------
    UsageError
        If they differ.
    """
    distinct = set(found)
    if len(distinct) > 1:
        raise UsageError("references that came about in different ways cannot be put together")
    return distinct.pop() if distinct else ()


def _orders(rows: Rows, name: str) -> Orders:
    """Read orders from whatever they are given as; errors say which argument is wrong."""
    if isinstance(rows, Orders):
        return rows
    if isinstance(rows, (str, os.PathLike)):
        from wordorder.order.reading import read_orders

        return read_orders(rows)
    try:
        return Orders.from_rows(rows)
    except InputError as error:
        raise InputError(f"{name}, {error.where}", error.what, error.expected) from None


def _name(rows: Rows, fallback: str) -> str:
    return os.fspath(rows) if isinstance(rows, (str, os.PathLike)) else fallback


def _check_numbering(ours: Orders, theirs: Orders) -> None:
    """Refuse full orders against a reference that numbers its aligned words anew."""
    longer = np.flatnonzero(ours.lengths > theirs.lengths)
    if len(longer):
        raise UsageError(
            f"row {int(longer[0]) + 1}: the system has words that the reference has not, which "
            "numbers its aligned words anew (rule 'aligned'); unaligned='drop' keeps the numbers "
            "of the source"
        )


def _check_columns(segments: Segments) -> None:
    """Raise unless all columns have the rows of the permutation."""
    permutation = segments.permutation
    for name, column in (("groups", segments.groups), ("words", segments.words)):
        if column is not None and not np.array_equal(column.offsets, permutation.offsets):
            raise InputError("Segments", f"{name} with rows of other lengths", "as permutation")
    if segments.groups is not None:
        groups = segments.groups.values
        most = np.repeat(permutation.lengths, permutation.lengths)
        if np.any((groups < 0) | (groups >= most)):
            raise InputError("Segments", "groups out of range", "dense ranks from 0")
    for name in ("system_lengths", "reference_lengths"):
        if np.shape(getattr(segments, name)) != (len(permutation),):
            raise InputError("Segments", f"bad {name}", "one length a segment")
