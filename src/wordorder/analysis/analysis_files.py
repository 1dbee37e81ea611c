"""The files of an analysis: those of an evaluation, or orders of systems, and more beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordorder.analysis.grid_files import (
    GridFiles,
    GridInputs,
    Named,
    Reference,
    read_grid,
    read_reference,
)
from wordorder.errors import InputError, UsageError, location
from wordorder.text.compression import without_compression
from wordorder.text.opening import display_name
from wordorder.types import OnProgress

if TYPE_CHECKING:
    from wordorder.alignment.alignments import Alignments
    from wordorder.analysis.corpus import Corpus
    from wordorder.order.orders import Orders
    from wordorder.treebank.treebank import Treebank


@dataclass(frozen=True)
class AnalysisFiles(GridFiles):
    """What is analysed: trees and rules, or the orders of systems, and what goes beside them.

    Attributes
    ----------
    systems : tuple of (name, path)
        Orders, or reordered text, instead of trees and rules.
    gold_trees, target, alignment : str, optional
        Right trees; the target sentences; links to these where the reference has none.
    """

    systems: Named = ()
    gold_trees: str | None = None
    target: str | None = None
    alignment: str | None = None

    @property
    def paths(self) -> list[str | None]:
        """All files that are read."""
        systems = (path for _, path in self.systems)
        return [*super().paths, *systems, self.gold_trees, self.target, self.alignment]

    def check(self) -> None:
        """Raise a UsageError for options that contradict each other."""
        super().check()
        if self.systems:
            for option, value in (
                ("--trees", self.trees),
                ("--parser", self.parsers),
                ("--rules", self.rule_sets),
            ):
                if value:
                    raise UsageError(
                        f"{option} cannot be combined with -i, which already gives the "
                        "orders of the systems"
                    )
            if self.source is None and self.gold_trees is None:
                raise UsageError(
                    "-i needs the source text: --source=FILE (for translations: --input=text)"
                )
        elif not self.trees and not self.parsers:
            raise UsageError(
                "give trees and rules (--trees=P1=FILE --rules=R5), or the systems' orders "
                "(-i=FILE --source=TEXT)"
            )
        if self.alignment is not None and self.holds_alignments:
            raise UsageError(f"--alignment: {self.reference} already holds alignments")


@dataclass(frozen=True, eq=False)
class AnalysisInputs:
    """What was read.

    Attributes
    ----------
    corpus : Corpus
    grid : GridInputs or None
        If there are trees and rules.
    orders : dict of name to Orders
        Of systems, if these were given.
    """

    corpus: Corpus
    grid: GridInputs | None
    orders: dict[str, Orders]


def read_analysis(files: AnalysisFiles, progress: OnProgress | None = None) -> AnalysisInputs:
    """Read everything, and check that all is of the same sentences.

    Raises
    ------
    UsageError
        If options contradict each other, or a name is unknown.
    InputError
        If a file is wrong, or the files do not fit together.
    """
    from wordorder.analysis.corpus import Corpus
    from wordorder.analysis.grid_checks import check_same_words
    from wordorder.parsing.parsed_trees import read_sentences
    from wordorder.treebank.reading import read_treebank

    files.check()
    grid = None
    orders: dict[str, Orders] = {}
    gold = (
        None
        if files.gold_trees is None
        else read_treebank(files.gold_trees, single_root=not files.multiple_roots)
    )
    if not files.systems:
        grid = read_grid(files, progress)
        first = grid.parsers[0]
        words, name = grid.words, str(files.source) if first.parsed else first.path
        name = display_name(name)
        reference = grid.reference
    else:
        if files.source is not None:
            words, name = read_sentences(files.source)
        else:
            assert gold is not None  # otherwise refused
            words, name = gold, display_name(str(files.gold_trees))
        reference = read_reference(files, words, name)
        orders = _orders(files, words, name)
    if gold is not None:
        if gold is not words:
            check_same_words({name: words, display_name(str(files.gold_trees)): gold})
        # The tags and comments that are surest.
        words = gold
    if grid is not None and files.source is not None and not files.parsers:
        words = _with_texts(words, files.source, name)
    target = () if files.target is None else _target(files.target, len(words), name)
    alignments = _alignments(files, reference, words, name, target)
    corpus = Corpus(words, reference.orders, alignments, target, gold)
    return AnalysisInputs(corpus, grid, orders)


def _orders(files: AnalysisFiles, words: Treebank, name: str) -> dict[str, Orders]:
    """Read the orders of systems, or match their reordered text with the source."""
    from wordorder.order.reading import read_orders
    from wordorder.reordering.order_checks import check_orders
    from wordorder.text.lines import line_count_mismatch

    found = {}
    for system, path in files.systems:
        shown = display_name(path)
        if without_compression(path).endswith(".orders"):
            orders = read_orders(path)
        else:
            orders = _matched(path, words, name)
        if len(orders) != len(words):
            raise line_count_mismatch(shown, len(orders), name, len(words))
        check_orders(orders, words, path=shown)
        found[system] = orders
    return found


def _matched(path: str, words: Treebank, name: str) -> Orders:
    """Read reordered text as orders of the source."""
    from wordorder.order.matching import match_words
    from wordorder.order.orders import Orders
    from wordorder.ragged import Ragged
    from wordorder.text.lines import line_count_mismatch, read_lines, tokens

    shown = display_name(path)
    lines = list(read_lines(path))
    if len(lines) != len(words):
        raise line_count_mismatch(shown, len(lines), name, len(words))
    rows = []
    for number, (line, source) in enumerate(zip(lines, words.sentences(), strict=True), 1):
        try:
            rows.append(match_words(source, tokens(line)))
        except InputError as error:
            hint = f"{error.expected} (a file of positions must be called .orders)"
            raise InputError(location(shown, number), error.what, hint) from None
    return Orders(Ragged.from_rows(rows))


def _with_texts(words: Treebank, path: str, name: str) -> Treebank:
    """Put the lines of a raw text into the comments of the sentences, where the report finds it."""
    from wordorder.analysis.grid_checks import check_same_words
    from wordorder.parsing.parsed_trees import read_sentences
    from wordorder.text.lines import line_count_mismatch, read_lines
    from wordorder.text.treebank_names import is_treebank
    from wordorder.treebank.treebank import Margin, Treebank

    if is_treebank(path):
        bank, shown = read_sentences(path)
        check_same_words({name: words, shown: bank})
        lines = [margin.value("text") or "" for margin in bank.margins]
    else:
        lines = [line.strip() for line in read_lines(path)]
    if len(lines) != len(words):
        raise line_count_mismatch(display_name(path), len(lines), name, len(words), "sentence")
    margins = []
    for line, margin in zip(lines, words.margins, strict=True):
        others = [each for each in margin.comments if Margin((each,)).value("text") is None]
        margins.append(Margin((*others, f"# text = {line}"), margin.extras) if line else margin)
    return Treebank(words.offsets, words.heads, words.columns, margins)


def _target(path: str, sentences: int, name: str) -> tuple[tuple[str, ...], ...]:
    """Read the words of the target sentences."""
    from wordorder.parsing.parsed_trees import read_sentences
    from wordorder.text.lines import line_count_mismatch

    bank, shown = read_sentences(path)
    if len(bank) != sentences:
        raise line_count_mismatch(shown, len(bank), name, sentences)
    return tuple(map(tuple, bank.sentences()))


def _alignments(
    files: AnalysisFiles,
    reference: Reference,
    words: Treebank,
    name: str,
    target: tuple[tuple[str, ...], ...],
) -> Alignments | None:
    """Return the links that the reference came from, or else those of ``--alignment``."""
    from wordorder.alignment.reading import read_alignments

    lengths = np.array([len(sentence) for sentence in target], np.int64) if files.target else None
    if files.alignment is not None:
        return read_alignments(
            files.alignment,
            strict=files.strict,
            source_lengths=words.lengths,
            target_lengths=lengths,
            source_name=name,
            target_name=display_name(files.target or "the target"),
        )
    found = reference.alignments
    if found is not None and lengths is not None:
        beyond = np.flatnonzero(found.target >= np.repeat(lengths, np.diff(found.offsets)))
        if len(beyond):
            shown = display_name(str(files.target))
            at = int(beyond[0])
            row = int(np.searchsorted(found.offsets, at, side="right")) - 1
            raise InputError(
                location(reference.name, row + 1),
                f"a link to target word {found.target[at]}",
                f"target words from 0 to {lengths[row] - 1}, as in {shown}",
            )
    return found
