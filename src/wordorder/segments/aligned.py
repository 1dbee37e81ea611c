"""Segments whose word orders come from alignments with the source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.alignment.links import Links
from wordorder.alignment.reading import read_alignments
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import Orders
from wordorder.order.reference import reference_orders
from wordorder.order.relative import relative_orders
from wordorder.types import Int64

if TYPE_CHECKING:
    from wordorder.segments import Segments
    from wordorder.text.texts import Texts

Rows = Sequence[Sequence[tuple[int, int] | tuple[int, int, bool]]]
Given = Alignments | str | os.PathLike[str] | Rows


def aligned_segments(
    texts: Texts,
    hypothesis: Given,
    references: Given | Sequence[Given] | None = None,
    *,
    rule: str = "lrscore",
    unaligned: str | None = None,
) -> Segments:
    """Make segments from texts and the alignments of their source with both translations.

    Parameters and errors: `Segments.from_alignments`.
    """
    from wordorder.segments import Segments

    if texts.source is None:
        raise UsageError("orders from alignments need the source: give it (--source, source=)")
    source_lengths = texts.source.lengths
    ours = _alignments(hypothesis, source_lengths, texts.hypothesis.lengths, "the hypothesis")
    if references is None:
        links = Links(ours, None, source_lengths, texts.hypothesis.lengths)
        return Segments(texts=texts, links=links, _checked=True)
    theirs = _per_reference(references, texts)
    links = Links(ours, theirs, source_lengths, texts.hypothesis.lengths, texts.references.lengths)
    segment_of = texts.segment_of
    if rule == "aligned":
        # If renumbered, the words of the two orders would not be the same; the relative
        # permutation, over the words that both have, is renumbered anyway.
        rule, unaligned = "lrscore", "drop"
    system = reference_orders(ours, source_lengths, rule=rule, unaligned=unaligned)
    target = reference_orders(theirs, source_lengths[segment_of], rule=rule, unaligned=unaligned)
    # One column of alignments: one reference a segment.
    if len(theirs) != len(ours):
        system = _rows(system, segment_of)
    relative = relative_orders(system, target)
    return Segments(
        relative.permutation,
        relative.groups,
        None,
        system.positions.lengths,
        target.positions.lengths,
        target.provenance,
        texts=texts,
        links=links,
        _checked=True,
    )


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
    if not isinstance(given, Sequence):
        raise UsageError(f"{name} are Alignments, a path or rows of links, not {given!r}")
    return Alignments.from_rows(cast(Rows, given), path=name)


def _per_reference(given: Given | Sequence[Given], texts: Texts) -> Alignments:
    """Return one row a reference, from one column of alignments a reference."""
    several = not isinstance(given, _WHOLE) and all(isinstance(each, _WHOLE) for each in given)
    files: list[Given] = list(given) if several else [given]  # type: ignore[arg-type,list-item]
    counts = np.diff(texts.reference_offsets)
    if not files:
        raise UsageError("an empty list of reference alignments; None is for no such alignments")
    if np.any(counts != len(files)):
        segment = int(np.flatnonzero(counts != len(files))[0])
        raise UsageError(
            f"segment {segment + 1} has {counts[segment]} references, but there are {len(files)} "
            "columns of reference alignments"
        )
    assert texts.source is not None
    columns = [
        _alignments(
            file,
            texts.source.lengths,
            texts.references.lengths[number :: len(files)],
            f"reference {number + 1}" if len(files) > 1 else "the reference",
        )
        for number, file in enumerate(files)
    ]
    if len(columns) == 1:
        return columns[0]
    rows = np.arange(len(columns) * len(texts)).reshape(len(columns), -1).T.ravel()
    return Alignments.concatenate(columns).take(rows)


def _alignments(given: Given, source_lengths: Int64, lengths: Int64, name: str) -> Alignments:
    """Read alignments, or check those given, against the lengths of both sides."""
    if isinstance(given, str | os.PathLike):
        return read_alignments(
            given, source_lengths=source_lengths, target_lengths=lengths, target_name=name
        )
    rows = given_alignments(given, f"alignments with {name}")
    if len(rows) != len(lengths):
        raise InputError(
            rows.path, f"{len(rows)} rows for {len(lengths)} segments", "one row a segment"
        )
    return rows.with_lengths(source_lengths, lengths)


def _rows(orders: Orders, rows: Int64) -> Orders:
    """Return some rows of orders, a row as often as it is named."""
    ranks = None if orders.ranks is None else orders.ranks.take(rows)
    return Orders(orders.positions.take(rows), ranks, orders.provenance)
