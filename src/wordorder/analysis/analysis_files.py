"""The files of `analyze`: those of `evaluate`, or orders of systems, and what goes beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from wordorder.analysis.grid_files import (
    GridFiles,
    GridInputs,
    Reference,
    read_grid,
    read_reference,
)
from wordorder.errors import InputError, UsageError, location
from wordorder.text.compression import without_compression
from wordorder.text.named_files import names_and_paths
from wordorder.text.opening import display_name
from wordorder.types import OnProgress

if TYPE_CHECKING:
    from wordorder.alignment.alignments import Alignments
    from wordorder.analysis.corpus import Corpus
    from wordorder.order.orders import Orders
    from wordorder.treebank.treebank import Treebank

_NO_SOURCE = "-i needs the words of the source: --source FILE"


@dataclass(frozen=True)
class AnalysisFiles:
    """What the command line names.

    Attributes
    ----------
    grid : GridFiles
    systems : tuple of str
        Orders, or reordered text; `grid` then has neither trees nor parsers.
    gold, target, alignment : str or None
    """

    grid: GridFiles
    systems: tuple[str, ...]
    gold: str | None
    target: str | None
    alignment: str | None

    @property
    def inputs(self) -> list[str | None]:
        """The paths of all inputs."""
        named = (*self.systems, *self.grid.trees, *self.grid.rule_sets)
        # One by one: two of different kinds may have one name.
        paths = [path for each in named for _, path in names_and_paths([each])]
        others = (self.grid.reference, self.grid.source, self.gold, self.target, self.alignment)
        return [*paths, *others]

    def check(self) -> None:
        """Raise a UsageError for options that contradict each other."""
        files = self.grid
        paths = [path for _, path in names_and_paths(self.systems)]
        files.check(*paths, self.gold, self.target, self.alignment)
        if self.systems:
            given = {"--trees": files.trees, "--parser": files.parsers, "--rules": files.rule_sets}
            for option, value in given.items():
                if value:
                    raise UsageError(
                        f"{option} does not go with -i: orders of systems are there already"
                    )
            if files.source is None and self.gold is None:
                raise UsageError(_NO_SOURCE)
        elif not files.trees and not files.parsers:
            raise UsageError(
                "name trees and rules (--trees P1=FILE --rules R5), or orders of systems "
                "(-i FILE --source TEXT)"
            )
        if self.alignment is not None and files.holds == "alignments":
            raise UsageError(f"--alignment: {files.reference} has alignments already")


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

    files.check()
    grid = None
    orders: dict[str, Orders] = {}
    gold = None if files.gold is None else _gold(files.gold)
    if files.systems:
        words, name = _source(files, gold)
        reference = read_reference(files.grid, words, name)
        orders = _orders(files, words, name)
    else:
        grid = read_grid(files.grid, progress)
        first = grid.parsers[0]
        words, name = grid.words, str(files.grid.source) if first.parsed else first.path
        name = display_name(name)
        reference = grid.reference
    if gold is not None:
        if gold is not words:
            check_same_words({name: words, display_name(str(files.gold)): gold})
        # The tags and comments that are surest.
        words = gold
    if grid is not None and files.grid.source is not None and not files.grid.parsers:
        words = _with_texts(words, files.grid.source, name)
    target = () if files.target is None else _target(files.target, len(words), name)
    alignments = _alignments(files, reference, words, name, target)
    corpus = Corpus(words, reference.orders, alignments, target, gold)
    return AnalysisInputs(corpus, grid, orders)


def _source(files: AnalysisFiles, gold: Treebank | None) -> tuple[Treebank, str]:
    """Read the words of the source, which may be those of the gold trees."""
    from wordorder.parsing.parsed_trees import read_sentences

    if files.grid.source is not None:
        return read_sentences(files.grid.source)
    if gold is None:
        raise UsageError(_NO_SOURCE)
    return gold, display_name(str(files.gold))


def _orders(files: AnalysisFiles, words: Treebank, name: str) -> dict[str, Orders]:
    """Read the orders of systems, or match their reordered text with the source."""
    from wordorder.analysis.grid_checks import check_orders
    from wordorder.order.reading import read_orders
    from wordorder.text.lines import line_count_mismatch

    found = {}
    for system, path in names_and_paths(files.systems):
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
            hint = f"{error.expected} (files of positions are called .orders)"
            raise InputError(location(shown, number), error.what, hint) from None
    return Orders(Ragged.from_rows(rows))


def _gold(path: str) -> Treebank:
    from wordorder.treebank.reading import read_treebank

    return read_treebank(path, single_root=False)


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
