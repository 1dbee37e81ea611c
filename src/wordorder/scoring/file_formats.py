"""Kinds of files that can be scored: alignments, orders and treebanks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import InputError, location
from wordorder.notes import note
from wordorder.options import (
    GoldNotationOptions,
    NotationOptions,
    RootOptions,
    SourceOptions,
    TranslationOptions,
    options_of,
)
from wordorder.scoring.files import (
    ORDER_SUFFIX,
    Counts,
    FileKind,
    Files,
    Inputs,
    SegmentsFactory,
)
from wordorder.segments import Segments
from wordorder.text.lines import tokens
from wordorder.text.lockstep import RowSource
from wordorder.text.names import without_compression
from wordorder.text.readers import read_whole

if TYPE_CHECKING:
    from wordorder.alignment.alignments import Alignments
    from wordorder.alignment.reading import AlignmentReader
    from wordorder.metrics.contract import BaseMetric
    from wordorder.treebank.treebank import Treebank


class AlignmentFiles(FileKind):
    """Alignments against gold alignments of the same sentence pairs."""

    name = "alignments"
    default_metrics = "aer,precision,recall"

    @property
    def columns(self) -> set[str]:
        """The columns of `Segments`: links with gold links."""
        return {"gold"}

    def check(self) -> None:
        """Refuse options for translations."""
        files = self.files
        files.check_standard_input()
        reason = "is taken for alignments (--input=text, if it is none)"
        if files.kind == "alignments":
            reason = "holds alignments"
        files.refuse(options_of(RootOptions), "is for trees")
        # Metrics distinguish sure and possible gold links; `links` selects links of the systems.
        allowed = () if files.links == "sure" else ("links",)
        refused = [name for name in options_of(TranslationOptions) if name not in allowed]
        files.refuse(refused, f"is for translations, but {files.reference} {reason}")

    def explain_missing(self, missing: set[str]) -> str:
        """Return the rest of a sentence about a metric that needs more than links."""
        return (
            f"does not compare alignments, and {self.files.reference} is taken for some "
            "(--input=text or orders, if it is none); aer, precision and recall do"
        )

    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open the alignments; the source, if it is given, determines sentence lengths."""
        files = self.files
        lengths = None
        if files.source is not None:
            counts = [len(tokens(line)) for line in read_whole(files.source).strings()]
            lengths = np.array(counts, np.int64)
        (gold_rows,) = alignment_rows([files.reference], files, stack, gold=True, lengths=lengths)
        systems = alignment_rows(files.system_paths, files, stack, lengths=lengths)
        return Inputs([gold_rows, *systems], files.names, _segments)


def _segments(parts: Sequence[Any], first_row: int) -> list[SegmentsFactory]:
    """Return one function per system that pairs its links with the gold links."""
    gold, *systems = parts
    return [partial(Segments.from_links, system, gold) for system in systems]


def alignment_rows(
    paths: Iterable[str],
    files: Files,
    stack: ExitStack,
    *,
    gold: bool = False,
    lengths: Int64 | None = None,
) -> list[AlignmentRows]:
    """Open files of alignments with the options of the run.

    Parameters
    ----------
    gold : bool
        Whether the alignments are the reference.
    lengths : int64[S], optional
        The number of words of each source sentence.
    """
    from wordorder.alignment.reading import AlignmentReader

    options: dict[str, Any] = files.notation(gold=gold)
    options |= {"sentences": None if lengths is None else len(lengths)}
    readers = (AlignmentReader(path, **options) for path in paths)
    row_options: dict[str, Any] = {"links": files.links, "gold": gold, "source_lengths": lengths}
    return [AlignmentRows(stack.enter_context(reader), **row_options) for reader in readers]


def without_links(sources: Sequence[RowSource]) -> Counts:
    """Return the number of rows, and of rows without a link, of each file of alignments."""
    alignment_sources = [source for source in sources if isinstance(source, AlignmentRows)]
    return [(source.name, source.lines, source.without_links) for source in alignment_sources]


class AlignmentRows:
    """A source of alignments that counts those without a link.

    Parameters
    ----------
    reader : AlignmentReader
    links, gold
        Which links count; see `Alignments.counting`.
    source_lengths : int64[S], optional
        The number of words of each source sentence, against which links are checked.

    Attributes
    ----------
    without_links : int
        Number of rows read so far without a link that counts.
    """

    def __init__(
        self, reader: AlignmentReader, *, links: str, gold: bool, source_lengths: Int64 | None
    ) -> None:
        self._reader = reader
        self._links, self._gold = links, gold
        self._source_lengths = source_lengths
        self.without_links = 0

    @property
    def name(self) -> str:
        """The name of the input in messages."""
        return self._reader.name

    @property
    def lines(self) -> int:
        """Number of rows read so far."""
        return self._reader.lines

    def take(self, lines: int) -> Alignments:
        """Read up to `lines` further rows; none at the end of the file."""
        lengths = self._source_lengths
        if lengths is not None:
            lengths = lengths[self.lines : self.lines + lines]
        rows = self._reader.take(lines, source_lengths=lengths)
        rows = rows.counting(self._links, gold=self._gold)
        self.without_links += int(np.count_nonzero(np.diff(rows.offsets) == 0))
        return rows


class OrderFiles(FileKind):
    """Orders, or source lines reordered by systems, against reference orders."""

    name = "orders"
    default_metrics = "frs,kendall"
    orders_alone = True

    @property
    def columns(self) -> set[str]:
        """The columns of `Segments`: permutations only."""
        return {"permutation"}

    @property
    def _is_declared(self) -> bool:
        """Whether the suffix of the reference or ``--input`` declares orders."""
        has_suffix = without_compression(self.files.reference).endswith(ORDER_SUFFIX)
        return has_suffix or self.files.kind == "orders"

    def check(self) -> None:
        """Refuse options for translations and for alignments."""
        files = self.files
        files.check_standard_input()
        reason = "holds orders"
        if not self._is_declared:
            remedy = (
                "--aligner=exact+stem, or alignments with --source, make orders of translations"
            )
            reason = f"is taken for orders, which these metrics read; {remedy}"
        files.refuse(options_of(RootOptions), "is for trees")
        refusal = f"is for translations, but {files.reference} {reason}"
        files.refuse(options_of(TranslationOptions), refusal)
        files.refuse(options_of(NotationOptions, GoldNotationOptions), "is for alignments")

    def explain_missing(self, missing: set[str]) -> str:
        """Return the rest of a sentence about a metric that needs words."""
        return super().explain_missing(missing) or (
            f"reads translations, and {self.files.reference} is taken for orders "
            "(--input=text, if it is none)"
        )

    def with_hint(self, error: InputError) -> InputError:
        """Add a hint to an error at the first character of a file, which may contain text."""
        files = self.files
        if error.where in [location(path, 1, 1) for path in files.system_paths]:
            hint = "for reordered source lines, give --source"
        elif error.where == location(files.reference, 1, 1) and not self._is_declared:
            hint = "for translations, give --aligner=exact+stem, or alignments with --source"
        else:
            return error
        return InputError(error.where, error.what, f"{error.expected}; {hint}")

    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open reference and systems, and the source if a metric matches words by their form."""
        from wordorder.order import matching, reading

        files = self.files
        matches_by_form = any(metric.match != "index" for metric in metrics)
        files.check_readings(
            matches_by_form + sum(map(files.is_reordered_text, files.system_paths))
        )
        readers = [stack.enter_context(order_reader(path, files)) for path in files.system_paths]
        reference_reader = stack.enter_context(reading.OrderReader(files.reference))
        word_id_reader = None
        if files.source and matches_by_form:
            word_id_reader = stack.enter_context(matching.WordIdReader(files.source))
        return order_inputs(reference_reader, readers, files.names, word_id_reader)


def order_reader(path: str, files: Files) -> Any:
    """Open a system as orders, or as reordered source lines."""
    from wordorder.order import matching, reading

    if files.is_reordered_text(path):
        return matching.MatchedTextReader(path, str(files.source))
    return reading.OrderReader(path)


def order_inputs(
    reference: RowSource,
    systems: Sequence[RowSource],
    names: Sequence[str],
    words: RowSource | None = None,
) -> Inputs:
    """Return readers of orders as inputs.

    `words` reads the ids of the source words, which ``match="first-unmatched"`` needs.
    """

    def segments(parts: Sequence[Any], first_row: int) -> list[SegmentsFactory]:
        reference_orders, *orders = parts
        source_word_ids = orders.pop() if words is not None else None

        def make_segments(name: str, system: Any) -> Segments:
            if source_word_ids is not None:
                _check_positions(name, first_row, system, source_word_ids)
            return Segments.from_orders(system, reference_orders, source=source_word_ids)

        return [partial(make_segments, *pair) for pair in zip(names, orders, strict=True)]

    return Inputs([reference, *systems, *([words] if words is not None else [])], names, segments)


def _check_positions(name: str, first_row: int, system: Any, source_word_ids: Any) -> None:
    """Raise an InputError, with the line, if a position is outside its source sentence."""
    from wordorder.order.matching import first_out_of_range

    if fault := first_out_of_range(system, source_word_ids):
        raise InputError(location(name, first_row + fault[0] + 1), *fault[1:])


class TreeFiles(FileKind):
    """Treebanks whose trees and tags are compared."""

    name = "trees"
    default_metrics = "uas,las"
    row = "sentence"

    @property
    def columns(self) -> set[str]:
        """The columns of `Segments`: trees only."""
        return {"trees"}

    def check(self) -> None:
        """Refuse options for translations, for alignments and for the source."""
        self.files.check_standard_input()
        refusal = f"is for translations, but {self.files.reference} is read as trees"
        remedy = "metrics of text read its words: name some with -m"
        groups = (TranslationOptions, NotationOptions, GoldNotationOptions, SourceOptions)
        self.files.refuse(options_of(*groups), f"{refusal}; {remedy}")

    def explain_missing(self, missing: set[str]) -> str:
        """Return the rest of a sentence about a metric that does not read trees."""
        return (
            f"does not read trees, as which {self.files.reference} is read here; name metrics of "
            "one kind with -m"
        )

    def open(self, metrics: Sequence[BaseMetric], stack: ExitStack) -> Inputs:
        """Open the treebanks."""
        from wordorder.segments.trees import matching_trees
        from wordorder.treebank.reading import TreebankReader

        # Heads are optional (a file may contain only tags); system trees may have several roots.
        gold_has_single_roots = not self.files.multiple_roots
        sources = [
            stack.enter_context(TreebankReader(path, trees="optional", single_root=single_root))
            for path, single_root in (
                (self.files.reference, gold_has_single_roots),
                *((path, False) for path in self.files.system_paths),
            )
        ]

        def segments(parts: Sequence[Any], first_row: int) -> list[SegmentsFactory]:
            gold, *systems = parts
            if first_row == 0:
                for source, treebank in zip(sources, parts, strict=True):
                    _note_carriage_returns(source.name, treebank)

            def make_segments(source: RowSource, system: Any) -> Segments:
                names = (source.name, sources[0].name)
                trees = matching_trees(system, gold, names, first_row)
                return Segments(trees=trees, _checked=True)

            return [
                partial(make_segments, *pair) for pair in zip(sources[1:], systems, strict=True)
            ]

        return Inputs(sources, self.files.names, segments)


def _note_carriage_returns(name: str, treebank: Treebank) -> None:
    """Note a file whose lines end with carriage returns alone: it is read as one comment."""
    if not len(treebank) or treebank.offsets[1] > treebank.offsets[0]:
        return
    if any("\r" in comment for comment in treebank.margins[0].comments):
        problem = "the first sentence is a comment with carriage returns and has no words"
        note(f"{name}:1: {problem}: " r"lines end with \n or \r\n, not with \r alone")
