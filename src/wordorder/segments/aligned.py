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


SignatureFields = tuple[tuple[str, str], ...]
LinkRows = Sequence[Sequence[tuple[int, int] | tuple[int, int, bool]]]
AlignmentInput = Alignments | str | os.PathLike[str] | LinkRows | ArrowColumn
# Types of a single input, as opposed to a list with one input per reference.
_SINGLE_INPUT_TYPES = (Alignments, str, os.PathLike)


@dataclass(frozen=True, eq=False)
class AlignedReferences:
    """Word orders of references from alignments with the source, shared by all systems.

    Attributes
    ----------
    alignments : Alignments or None
        Alignments of the source with R references, one row each; None if only systems are aligned.
    orders : Orders or None
        The reference orders.
    rule, unaligned : str
        How links become orders, for references and systems; see `reference_orders`.
    fields : tuple of (key, value)
        Further keys and values for signatures.
    """

    alignments: Alignments | None
    orders: Orders | None
    rule: str
    unaligned: str | None
    fields: SignatureFields = ()

    @classmethod
    def of(
        cls,
        texts: Texts,
        alignment_input: AlignmentInput | Sequence[AlignmentInput] | None,
        *,
        rule: str = "lrscore",
        unaligned: str | None = None,
    ) -> AlignedReferences:
        """Read alignments, and derive the orders of the references.

        Parameters and errors: `Segments.from_alignments`.
        """
        alignments = None
        if alignment_input is not None:
            alignments = _interleave_references(alignment_input, texts)
        return cls.from_rows(texts, alignments, rule=rule, unaligned=unaligned)

    @classmethod
    def from_rows(
        cls,
        texts: Texts,
        alignments: Alignments | None,
        *,
        rule: str = "lrscore",
        unaligned: str | None = None,
        fields: SignatureFields = (),
    ) -> AlignedReferences:
        """Derive the orders of the R references; `alignments` has one row per reference."""
        if rule == "aligned":
            # Renumbered orders could not be compared, as their words would differ. The relative
            # permutation, over the words that both orders have, is renumbered later.
            rule, unaligned = "lrscore", "drop"
        if alignments is None:
            return cls(None, None, rule, unaligned, fields)
        lengths = _require_source(texts).lengths[texts.segment_of]
        orders = reference_orders(alignments, lengths, rule=rule, unaligned=unaligned)
        return cls(alignments, orders, rule, unaligned, fields)

    def columns(self, texts: Texts, hypothesis: AlignmentInput) -> dict[str, Any]:
        """Compare the word orders of a system's translations with those of the references.

        `hypothesis` aligns the translations with the source. Returns the arguments of `Columns`.
        """
        source_lengths, lengths = _require_source(texts).lengths, texts.hypothesis.lengths
        alignments = _read_checked(hypothesis, source_lengths, lengths, "the hypothesis")
        reference_alignments, target_orders = self.alignments, self.orders
        if reference_alignments is None or target_orders is None:
            return {"texts": texts, "links": Links(alignments, None, source_lengths, lengths)}
        # By default, order metrics use only the source words that are linked on both sides;
        # lrscore uses all source words.
        keeps_shared_words_only = self.rule != "lader" and self.unaligned in (None, "drop")
        rule = self.rule if keeps_shared_words_only else None
        all_lengths = source_lengths, lengths, texts.references.lengths
        links = Links(alignments, reference_alignments, *all_lengths, rule=rule)
        options: dict[str, Any] = {"rule": self.rule, "unaligned": self.unaligned}
        system = reference_orders(alignments, source_lengths, **options)
        rows = texts.segment_of
        if not np.array_equal(rows, np.arange(len(alignments))):
            system = system.take(rows)
        relative = relative_orders(system, target_orders)
        return {
            "permutation": relative.permutation,
            "groups": relative.groups,
            "system_lengths": system.positions.lengths,
            "reference_lengths": target_orders.positions.lengths,
            "provenance": (*self.fields, *target_orders.provenance),
            "texts": texts,
            "links": links,
        }


def linked_columns(texts: Texts, links: Links) -> dict[str, Any]:
    """Compare the order of the source words linked on both sides; return arguments of `Columns`."""
    assert links.rule is not None
    assert links.references is not None
    source_lengths, rows = _require_source(texts).lengths, texts.segment_of
    order_options = {"rule": links.rule, "unaligned": "drop"}
    system = reference_orders(links.hypothesis, source_lengths, **order_options).take(rows)
    target_orders = reference_orders(links.references, source_lengths[rows], **order_options)
    relative = relative_orders(system, target_orders)
    permutation = relative.permutation
    words = np.empty_like(permutation.values)
    row_starts = np.repeat(permutation.offsets[:-1], permutation.lengths)
    words[row_starts + permutation.values] = system.positions.values[relative.in_reference]
    return {
        "permutation": permutation,
        "groups": relative.groups,
        "system_lengths": system.positions.lengths,
        "reference_lengths": target_orders.positions.lengths,
        "provenance": target_orders.provenance,
        "of_translations": True,
        "reference_words": Ragged(words, permutation.offsets),
        "reference_offsets": texts.reference_offsets,
    }


def _require_source(texts: Texts) -> Ragged:
    if texts.source is None:
        raise UsageError("orders from alignments need the source: give it, --source")
    return texts.source


def read_alignment_input(value: AlignmentInput, name: str) -> Alignments:
    """Return `Alignments`, or read them from a file or from rows of links.

    Raises
    ------
    UsageError
        If the value has another type.
    InputError
        If a link is invalid.
    """
    if isinstance(value, Alignments):
        return value
    if isinstance(value, str | os.PathLike):
        return read_alignments(value)
    rows = input_rows(value, name, "lists of pairs of positions")
    if not isinstance(rows, Sequence):
        raise UsageError(f"{name} are Alignments, a path or rows of links, not {rows!r}")
    return Alignments.from_rows(cast(LinkRows, rows), path=name)


def _interleave_references(
    value: AlignmentInput | Sequence[AlignmentInput], texts: Texts
) -> Alignments:
    """Return one row per segment and reference, from one input of alignments per reference."""
    is_list = not isinstance(value, str) and isinstance(value, Sequence)
    inputs: list[AlignmentInput] = [value]  # type: ignore[list-item]  # unless it is a list
    if is_list and all(isinstance(v, _SINGLE_INPUT_TYPES) or is_arrow(v) for v in value):  # type: ignore[union-attr]
        inputs = list(value)  # type: ignore[arg-type]
    counts = np.diff(texts.reference_offsets)
    if not inputs:
        raise UsageError("an empty list of reference alignments; None is for no such alignments")
    if np.any(counts != len(inputs)):
        segment = int(np.flatnonzero(counts != len(inputs))[0])
        problem = f"there are {len(inputs)} columns of reference alignments"
        raise UsageError(f"segment {segment + 1} has {counts[segment]} references, but {problem}")
    source_lengths = _require_source(texts).lengths
    columns = []
    for number, file in enumerate(inputs):
        name = f"reference {number + 1}" if len(inputs) > 1 else "the reference"
        lengths = texts.references.lengths[number :: len(inputs)]
        columns.append(_read_checked(file, source_lengths, lengths, name))
    if len(columns) == 1:
        return columns[0]
    rows = np.arange(len(columns) * len(texts)).reshape(len(columns), -1).T.ravel()
    return Alignments.concatenate(columns).take(rows)


def _read_checked(
    value: AlignmentInput, source_lengths: Int64, lengths: Int64, name: str
) -> Alignments:
    """Read alignments, and check them against the lengths of both sides."""
    if isinstance(value, str | os.PathLike):
        length_options: dict[str, Any] = {
            "source_lengths": source_lengths,
            "target_lengths": lengths,
        }
        return read_alignments(value, **length_options, target_name=name)
    rows = read_alignment_input(value, f"alignments with {name}")
    if len(rows) != len(lengths):
        problem = f"{len(rows)} rows for {len(lengths)} segments"
        raise InputError(rows.path, problem, "one row per segment")
    return rows.with_lengths(source_lengths, lengths)
