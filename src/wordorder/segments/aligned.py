"""Segments whose word orders come from alignments with the source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from wordorder.alignment.alignments import Alignments, Links
from wordorder.alignment.reading import read_alignments
from wordorder.arrays import ArrowColumn, Int64, Ragged
from wordorder.arrow.columns import is_arrow
from wordorder.arrow.inputs import input_rows
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import Orders, relative_orders
from wordorder.order.reference import reference_orders

if TYPE_CHECKING:
    from wordorder.text.texts import Texts


Fields = tuple[tuple[str, str], ...]
Rows = Sequence[Sequence[tuple[int, int] | tuple[int, int, bool]]]
Given = Alignments | str | os.PathLike[str] | Rows | ArrowColumn


@dataclass(frozen=True, eq=False)
class AlignedReferences:
    """References in the order that their alignments with the source give, for all systems.

    Attributes
    ----------
    alignments : Alignments or None
        From source to reference, R rows; None where there are only those of systems.
    orders : Orders or None
        The reference orders.
    rule, unaligned : str
        How the links of systems become orders too, as in `reference_orders`.
    fields : tuple of (key, value)
        What signatures say of the orders besides.
    """

    alignments: Alignments | None
    orders: Orders | None
    rule: str
    unaligned: str | None
    fields: Fields = ()

    @classmethod
    def of(
        cls,
        texts: Texts,
        given: Given | Sequence[Given] | None,
        *,
        rule: str = "lrscore",
        unaligned: str | None = None,
    ) -> AlignedReferences:
        """Read alignments, and put the references of the texts in order.

        Parameters and errors: `Segments.from_alignments`.
        """
        alignments = None if given is None else _per_reference(given, texts)
        return cls.of_rows(texts, alignments, rule=rule, unaligned=unaligned)

    @classmethod
    def of_rows(
        cls,
        texts: Texts,
        alignments: Alignments | None,
        *,
        rule: str = "lrscore",
        unaligned: str | None = None,
        fields: Fields = (),
    ) -> AlignedReferences:
        """Put the references of the texts in order; `alignments` has their R rows."""
        if rule == "aligned":
            # If renumbered, the words of the two orders would not be the same; the relative
            # permutation, over the words that both have, is renumbered anyway.
            rule, unaligned = "lrscore", "drop"
        if alignments is None:
            return cls(None, None, rule, unaligned, fields)
        lengths = _source(texts).lengths[texts.segment_of]
        orders = reference_orders(alignments, lengths, rule=rule, unaligned=unaligned)
        return cls(alignments, orders, rule, unaligned, fields)

    def columns(self, texts: Texts, hypothesis: Given) -> dict[str, Any]:
        """Compare the order of a system's translations, aligned with the source, with theirs.

        Returns what `Columns` takes.
        """
        source_lengths, lengths = _source(texts).lengths, texts.hypothesis.lengths
        ours = _alignments(hypothesis, source_lengths, lengths, "the hypothesis")
        theirs, target = self.alignments, self.orders
        if theirs is None or target is None:
            return {"texts": texts, "links": Links(ours, None, source_lengths, lengths)}
        # By default order metrics see the words that both sides link; lrscore sees all of them.
        drops = self.rule != "lader" and self.unaligned in (None, "drop")
        rule = self.rule if drops else None
        sides = ours, theirs, source_lengths, lengths, texts.references.lengths
        links = Links(*sides, rule=rule)
        system = reference_orders(ours, source_lengths, rule=self.rule, unaligned=self.unaligned)
        rows = texts.segment_of
        if not np.array_equal(rows, np.arange(len(ours))):
            system = system.take(rows)
        relative = relative_orders(system, target)
        return {
            "permutation": relative.permutation,
            "groups": relative.groups,
            "system_lengths": system.positions.lengths,
            "reference_lengths": target.positions.lengths,
            "provenance": (*self.fields, *target.provenance),
            "texts": texts,
            "links": links,
        }


def linked_columns(texts: Texts, links: Links) -> dict[str, Any]:
    """Compare the order of the source words that both sides link; returns what `Columns` takes."""
    assert links.rule is not None
    assert links.references is not None
    source_lengths, rows = _source(texts).lengths, texts.segment_of
    how = {"rule": links.rule, "unaligned": "drop"}
    system = reference_orders(links.hypothesis, source_lengths, **how).take(rows)
    target = reference_orders(links.references, source_lengths[rows], **how)
    relative = relative_orders(system, target)
    permutation = relative.permutation
    words = np.empty_like(permutation.values)
    first = np.repeat(permutation.offsets[:-1], permutation.lengths)
    words[first + permutation.values] = system.positions.values[relative.kept]
    return {
        "permutation": permutation,
        "groups": relative.groups,
        "system_lengths": system.positions.lengths,
        "reference_lengths": target.positions.lengths,
        "provenance": target.provenance,
        "of_translations": True,
        "reference_words": Ragged(words, permutation.offsets),
        "reference_offsets": texts.reference_offsets,
    }


def _source(texts: Texts) -> Ragged:
    if texts.source is None:
        raise UsageError("orders from alignments need the source: give it, --source")
    return texts.source


_WHOLE = (Alignments, str, os.PathLike)


def given_alignments(given: Given, name: str) -> Alignments:
    """Return alignments that are given as such, as a file, or as rows of links.

    Raises
    ------
    UsageError
        If they are none of these.
    InputError
        If a link is none.
    """
    if isinstance(given, Alignments):
        return given
    if isinstance(given, str | os.PathLike):
        return read_alignments(given)
    given = input_rows(given, name, "lists of pairs of positions")
    if not isinstance(given, Sequence):
        raise UsageError(f"{name} are Alignments, a path or rows of links, not {given!r}")
    return Alignments.from_rows(cast(Rows, given), path=name)


def _per_reference(given: Given | Sequence[Given], texts: Texts) -> Alignments:
    """Return one row per reference, from one column of alignments per reference."""
    several = isinstance(given, Sequence) and all(
        isinstance(each, _WHOLE) or is_arrow(each) for each in given
    )
    several = several and not isinstance(given, str)
    files: list[Given] = list(given) if several else [given]  # type: ignore[arg-type,list-item]
    counts = np.diff(texts.reference_offsets)
    if not files:
        raise UsageError("an empty list of reference alignments; None is for no such alignments")
    if np.any(counts != len(files)):
        segment = int(np.flatnonzero(counts != len(files))[0])
        there = f"there are {len(files)} columns of reference alignments"
        raise UsageError(f"segment {segment + 1} has {counts[segment]} references, but {there}")
    source_lengths = _source(texts).lengths
    columns = []
    for number, file in enumerate(files):
        name = f"reference {number + 1}" if len(files) > 1 else "the reference"
        lengths = texts.references.lengths[number :: len(files)]
        columns.append(_alignments(file, source_lengths, lengths, name))
    if len(columns) == 1:
        return columns[0]
    rows = np.arange(len(columns) * len(texts)).reshape(len(columns), -1).T.ravel()
    return Alignments.concatenate(columns).take(rows)


def _alignments(given: Given, source_lengths: Int64, lengths: Int64, name: str) -> Alignments:
    """Read alignments, or check those given, against the lengths of both sides."""
    if isinstance(given, str | os.PathLike):
        known: dict[str, Any] = {"source_lengths": source_lengths, "target_lengths": lengths}
        return read_alignments(given, **known, target_name=name)
    rows = given_alignments(given, f"alignments with {name}")
    if len(rows) != len(lengths):
        what = f"{len(rows)} rows for {len(lengths)} segments"
        raise InputError(rows.path, what, "one row per segment")
    return rows.with_lengths(source_lengths, lengths)
