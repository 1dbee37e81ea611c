"""What files become: the segments of each system, from rows that are read in step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from wordorder.errors import InputError, UsageError, location
from wordorder.segments import Segments
from wordorder.text.in_step import RowSource

if TYPE_CHECKING:
    from wordorder.text.preparation import Preparation

Make = Callable[[], Segments]


class Inputs(Protocol):
    """Files that are read in step, and what their rows become.

    Attributes
    ----------
    sources : sequence of RowSource
    names : sequence of str
        One a system.
    """

    @property
    def sources(self) -> Sequence[RowSource]:
        """All files; messages name the first when others differ from it in length."""

    @property
    def names(self) -> Sequence[str]:
        """The systems."""

    def segments(self, parts: Sequence[Any], before: int) -> list[Make]:
        """Return what makes the segments of each system.

        Parameters
        ----------
        parts : one a source
            The rows that were read.
        before : int
            How many rows came before them.
        """


class OrderInputs:
    """Orders of systems against reference orders.

    Parameters
    ----------
    reference : source of Orders
    systems : sources of Orders
    names : sequence of str
    words : source of Ragged, optional
        The numbers of the source words, for ``match="first-unmatched"``.
    """

    def __init__(
        self,
        reference: RowSource,
        systems: Sequence[RowSource],
        names: Sequence[str],
        words: RowSource | None = None,
    ) -> None:
        self.names = names
        self.sources = [reference, *systems, *([words] if words is not None else [])]
        self._with_words = words is not None

    def segments(self, parts: Sequence[Any], before: int) -> list[Make]:
        """Return what makes the segments of each system."""
        reference, *systems = parts
        numbers = systems.pop() if self._with_words else None

        def maker(name: str, system: Any) -> Make:
            def make() -> Segments:
                if numbers is not None:
                    _check_positions(name, before, system, numbers)
                return Segments.from_orders(system, reference, source=numbers)

            return make

        return [maker(n, s) for n, s in zip(self.names, systems, strict=True)]


class TextInputs:
    """Translations of systems against reference translations.

    Parameters
    ----------
    references, systems : sources of RawLines
        One a reference file, one a system.
    names : sequence of str
        One a system.
    source : source of RawLines, optional
    hypothesis_alignments : sources of Alignments, one a system, or none
        From source to hypothesis; they need `source`.
    reference_alignments : sources of Alignments, one a reference file, or none
    preparation : Preparation
        Also whether an empty line is a reference without words, or no reference.
    aligner : MonolingualAligner or its modules, optional
        Where there are no alignments.
    rule, unaligned : str
        How alignments become orders, as in `reference_orders`.

    Raises
    ------
    UsageError
        If alignments come without source, or not one a system or reference.
    """

    def __init__(
        self,
        references: Sequence[RowSource],
        systems: Sequence[RowSource],
        names: Sequence[str],
        *,
        source: RowSource | None = None,
        hypothesis_alignments: Sequence[RowSource] = (),
        reference_alignments: Sequence[RowSource] = (),
        preparation: Preparation | None = None,
        aligner: Any = None,
        rule: str = "lrscore",
        unaligned: str | None = None,
    ) -> None:
        from wordorder.text.preparation import Preparation

        aligned = bool(hypothesis_alignments or reference_alignments)
        if aligned and source is None:
            raise UsageError("alignments need the source (--source)")
        for given, wanted, what in (
            (hypothesis_alignments, systems, "system (--hypothesis-alignment)"),
            (reference_alignments, references, "reference (--reference-alignment)"),
        ):
            if given and len(given) != len(wanted):
                raise UsageError(f"{len(given)} alignments for {len(wanted)}: one a {what}")
        if reference_alignments and not hypothesis_alignments:
            raise UsageError("--reference-alignment needs --hypothesis-alignment too")
        if aligned and aligner is not None:
            raise UsageError("word orders come from alignments or from an aligner, not from both")
        self._preparation = preparation or Preparation()
        if reference_alignments and self._preparation.empty_references == "none":
            raise UsageError("references with alignments cannot be left out")
        self.names = names
        self.sources = [
            *references,
            *([source] if source is not None else []),
            *systems,
            *hypothesis_alignments,
            *reference_alignments,
        ]
        self._references = len(references)
        self._has_source = source is not None
        self._aligned = bool(hypothesis_alignments)
        self._aligner = aligner
        self._rule = rule
        self._unaligned = unaligned

    def segments(self, parts: Sequence[Any], before: int) -> list[Make]:
        """Return what makes the segments of each system."""
        from wordorder.text.raw_lines import interleaved
        from wordorder.text.texts import Texts

        rest = list(parts)
        files = [rest.pop(0) for _ in range(self._references)]
        source = rest.pop(0) if self._has_source else None
        systems = [rest.pop(0) for _ in self.names]
        ours = [rest.pop(0) for _ in self.names] if self._aligned else []
        theirs = rest
        references = interleaved(files)
        counts = np.full(len(files[0]), len(files), np.int64)
        if self._preparation.empty_references == "none":
            filled = references.stops > references.starts
            references = references.take(np.flatnonzero(filled))
            counts = filled.reshape(len(counts), len(files)).sum(axis=1)
        offsets = np.zeros(len(counts) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        texts = Texts.of_systems(
            systems, references, offsets, source, preparation=self._preparation
        )

        def maker(number: int) -> Make:
            def make() -> Segments:
                if not self._aligned:
                    return Segments.from_texts(texts[number], aligner=self._aligner)
                from wordorder.segments.aligned import aligned_segments

                return aligned_segments(
                    texts[number],
                    ours[number],
                    theirs or None,
                    rule=self._rule,
                    unaligned=self._unaligned,
                )

            return make

        return [maker(number) for number in range(len(texts))]


class LinkInputs:
    """Alignments of systems against gold alignments of the same sentence pairs.

    Parameters
    ----------
    gold : source of Alignments
    systems : sources of Alignments
    names : sequence of str
    """

    def __init__(self, gold: RowSource, systems: Sequence[RowSource], names: Sequence[str]) -> None:
        self.names = names
        self.sources = [gold, *systems]

    def segments(self, parts: Sequence[Any], before: int) -> list[Make]:
        """Return what makes the segments of each system."""
        gold, *systems = parts

        def maker(system: Any) -> Make:
            return lambda: Segments.from_links(system, gold)

        return [maker(system) for system in systems]


class TreeInputs:
    """Dependency trees of systems against gold trees of the same words.

    Parameters
    ----------
    gold : source of Treebank
    systems : sources of Treebank
    names : sequence of str
    """

    def __init__(self, gold: RowSource, systems: Sequence[RowSource], names: Sequence[str]) -> None:
        self.names = names
        self.sources = [gold, *systems]

    def segments(self, parts: Sequence[Any], before: int) -> list[Make]:
        """Return what makes the segments of each system."""
        from wordorder.segments.trees import matching_trees

        gold, *systems = parts
        reference, *sources = self.sources

        def maker(source: RowSource, system: Any) -> Make:
            def make() -> Segments:
                files = (source.name, reference.name)
                return Segments(trees=matching_trees(system, gold, files, before), _checked=True)

            return make

        return [maker(*pair) for pair in zip(sources, systems, strict=True)]


def _check_positions(name: str, before: int, system: Any, numbers: Any) -> None:
    """Raise if a position lies beyond its source sentence; the message names the line."""
    from wordorder.order.first_unmatched import first_beyond

    fault = first_beyond(system, numbers)
    if fault is not None:
        row, position, words = fault
        raise InputError(
            location(name, before + row + 1),
            f"position {position} in a source of {words} words",
            "positions of the source; are the files in step?",
        )
