"""The error analysis of word orders in files: read trees and rules, or orders, and analyse them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.analysis import grid_files
from wordorder.analysis.analysed import Analysis
from wordorder.analysis.analyze import analyze
from wordorder.analysis.corpus import (
    AnalysedOrders,
    AnalysedSystem,
    Corpus,
    OrderScores,
    scored_system,
)
from wordorder.analysis.grid_systems import (
    METRICS,
    analysed_grid,
    check_order_metrics,
    check_same_words,
)
from wordorder.arrays import OnProgress, Ragged
from wordorder.errors import InputError, UsageError, choose, location
from wordorder.messages import counted, joined, names_arguments, percent, render_options
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import called, metrics_for
from wordorder.notes import note
from wordorder.order.orders import Orders
from wordorder.order.reading import read_orders
from wordorder.order.reference import linked_words
from wordorder.progress import shows_progress
from wordorder.reordering.learned.learned_order import LearnedOrder
from wordorder.reordering.rules import check_orders
from wordorder.scoring.files import (
    ALIGNMENT_SUFFIXES,
    ORDER_SUFFIX,
    Metrics,
    make_metrics,
    metric_names,
)
from wordorder.scoring.kind_detection import refuse_numbers, refuse_table
from wordorder.scoring.notes import too_few_words
from wordorder.text.lines import read_lines
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.names import is_treebank, read_only_once, without_compression
from wordorder.text.opening import Path, display_name, first_bytes
from wordorder.text.readers import read_words
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Margin, Treebank

ANALYSED_KINDS = ("auto", "orders", "alignments", "text")
_ORDER_LINE = re.compile(r"[0-9]+([ \t,]+[0-9]+)*")
# The most skipped sentences that a note lists.
_MAX_NAMED = 5


@dataclass(frozen=True)
class AnalysisFiles(grid_files.GridFiles):
    """The files of an analysis: trees and rules, or the orders of systems, and further files.

    Attributes
    ----------
    systems : tuple of (name, path)
        Orders, or reordered text, instead of trees and rules.
    gold_trees, target, alignment : str, optional
        Gold trees; the target sentences; links to these if the reference holds orders.
    """

    systems: grid_files.Named = ()
    gold_trees: str | None = None
    target: str | None = None
    alignment: str | None = None

    @property
    def paths(self) -> list[str | None]:
        """The paths of all files that are read."""
        systems = (path for _, path in self.systems)
        return [*super().paths, *systems, self.gold_trees, self.target, self.alignment]

    @property
    def _options_of_links(self) -> tuple[str, ...]:
        return () if self.alignment is None else ("strict",)

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
            raise UsageError(f"--reference-alignments: {self.reference} already holds alignments")


@dataclass(frozen=True, eq=False)
class AnalysisInputs:
    """The contents of the files of an analysis.

    Attributes
    ----------
    corpus : Corpus
    reference : Reference
    grid : GridInputs or None
        The trees and rules, if there are any.
    orders : dict of name to Orders
        The orders of the systems instead of trees and rules.
    """

    corpus: Corpus
    reference: grid_files.Reference
    grid: grid_files.GridInputs | None
    orders: dict[str, Orders]


def read_analysis(files: AnalysisFiles, progress: OnProgress | None = None) -> AnalysisInputs:
    """Read the files of an analysis, and check that they have the same sentences.

    Raises
    ------
    UsageError
        If options contradict each other, or a name is unknown.
    InputError
        If a file is invalid, or the files differ in their sentences.
    """
    from wordorder.parsing.pipeline.file_parser import read_sentences

    files.check()
    grid = None
    orders: dict[str, Orders] = {}
    gold = (
        None
        if files.gold_trees is None
        else read_treebank(files.gold_trees, single_root=not files.multiple_roots)
    )
    if not files.systems:
        grid = grid_files.read_grid(files, progress)
        first = grid.parsers[0]
        words, name = grid.words, str(files.source) if first.parsed else first.path
        name = display_name(name)
        reference = grid.reference
    else:
        if files.source is not None:
            words, name = read_sentences(files.source)
        else:
            assert gold is not None  # `check` requires the source or gold trees
            words, name = gold, display_name(str(files.gold_trees))
        reference = grid_files.read_reference(files, words, name)
        orders = _read_orders(files, words, name)
    if gold is not None:
        if gold is not words:
            check_same_words({name: words, display_name(str(files.gold_trees)): gold})
        # Gold tags and comments are preferred to those of other files.
        words = gold
    if grid is not None and files.source is not None and not files.parsers:
        words = with_texts(words, files.source, name)
    target = () if files.target is None else _read_target(files.target, len(words), name)
    alignments = _choose_alignments(files, reference, words, name, target)
    linked = reference.linked
    if linked is None and alignments is not None:
        linked = linked_words(alignments, words.lengths)
    corpus = Corpus(words, reference.orders, alignments, target, gold, linked)
    return AnalysisInputs(corpus, reference, grid, orders)


def _read_orders(files: AnalysisFiles, words: Treebank, name: str) -> dict[str, Orders]:
    """Read the orders of systems, or match their reordered text with the source."""
    orders_by_name = {}
    for system, path in files.systems:
        path_name = display_name(path)
        if without_compression(path).endswith(".orders"):
            orders = read_orders(path)
        else:
            orders = _match_lines(path, words, name)
        if len(orders) != len(words):
            raise line_count_mismatch(path_name, len(orders), name, len(words))
        check_orders(orders, words, path=path_name)
        orders_by_name[system] = orders
    return orders_by_name


def _match_lines(path: str, words: Treebank, name: str) -> Orders:
    """Read lines of reordered text as orders of the source words."""
    from wordorder.order.matching import match_words

    path_name = display_name(path)
    sentences = list(read_words(path))
    if len(sentences) != len(words):
        raise line_count_mismatch(path_name, len(sentences), name, len(words))
    rows = []
    pairs = zip(sentences, words.sentences(), strict=True)
    for number, (reordered, source) in enumerate(pairs, 1):
        try:
            rows.append(match_words(source, reordered))
        except InputError as error:
            naming = "a file of positions must be called .orders, a column …_orders"
            expected = f"{error.expected} ({naming})"
            raise InputError(location(path_name, number), error.what, expected) from None
    return Orders(Ragged.from_rows(rows))


def with_texts(words: Treebank, path: str, name: str) -> Treebank:
    """Return sentences with the lines of a raw text in their comments, for the report."""
    from wordorder.parsing.pipeline.file_parser import read_sentences

    if is_treebank(path):
        bank, bank_name = read_sentences(path)
        check_same_words({name: words, bank_name: bank})
        lines = [margin.value("text") or "" for margin in bank.margins]
    else:
        lines = [line.strip() for line in read_lines(path)]
    if len(lines) != len(words):
        raise line_count_mismatch(display_name(path), len(lines), name, len(words), "sentence")
    margins = []
    for line, margin in zip(lines, words.margins, strict=True):
        comments = [c for c in margin.comments if Margin((c,)).value("text") is None]
        margins.append(Margin((*comments, f"# text = {line}"), margin.extras) if line else margin)
    return Treebank(words.offsets, words.heads, words.columns, margins)


def _read_target(path: str, sentences: int, name: str) -> tuple[tuple[str, ...], ...]:
    """Read the words of the target sentences."""
    from wordorder.parsing.pipeline.file_parser import read_sentences

    bank, bank_name = read_sentences(path)
    if len(bank) != sentences:
        raise line_count_mismatch(bank_name, len(bank), name, sentences)
    return tuple(map(tuple, bank.sentences()))


def _choose_alignments(
    files: AnalysisFiles,
    reference: grid_files.Reference,
    words: Treebank,
    name: str,
    target: tuple[tuple[str, ...], ...],
) -> Alignments | None:
    """Return the links from the option for them, or else those behind the reference orders."""
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
    links = reference.alignments
    if links is not None and lengths is not None:
        out_of_range = np.flatnonzero(links.target >= np.repeat(lengths, np.diff(links.offsets)))
        if len(out_of_range):
            first = int(out_of_range[0])
            row = int(np.searchsorted(links.offsets, first, side="right")) - 1
            raise InputError(
                location(reference.name, row + 1),
                f"a link to target word {links.target[first]}",
                f"target words from 0 to {lengths[row] - 1}, as in "
                f"{display_name(str(files.target))}",
            )
    return links


@names_arguments
@shows_progress("sentences")
def analyze_files(
    reference: Path,
    *,
    metric: str = "frs",
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    focus: Sequence[str] = (),
    words: Sequence[str] = (),
    rows: int = 20,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    progress: OnProgress | None = None,
    **options: Any,
) -> Analysis[AnalysedOrders]:
    """Find where and why the order of words is wrong, as ``wordorder analyze`` does.

    Parameters
    ----------
    reference : path
        Reference orders, or alignments from which they are made.
    metric : str
        The metric that scores single sentences.
    metrics : str or sequence of str
        The metrics of the grid of trees and rules, by default frs, kendall and exact.
    settings, progress
        As in `score_files`.
    focus, words, rows, level, resamples, seed
        As in `wordorder.analysis.analyze.analyze`.
    options
        The further fields of `wordorder.analysis.files.AnalysisFiles`, by name: trees and
        rules, or ``systems=["a.orders"], source="source.txt"``.

    Raises
    ------
    UsageError
        If a name is unknown, or options contradict each other.
    InputError
        If a file is invalid, or the files differ in their sentences.

    Warns
    -----
    note
        About what was left out.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> trees = sample_path("trees.conllu")
    >>> reference = sample_path("reference.orders")
    >>> analyze_files(reference, trees=trees, gold_trees=trees, rule_sets=["R1", "R5"]).names
    ('trees/R1', 'trees/R5')
    """
    files = AnalysisFiles.of(reference, options)
    files.check()
    if files.systems and metrics:
        raise UsageError("-m is for the grid of --trees and --rules; use --sentence-metric with -i")
    grid_metrics, scoring = _make_metrics(
        () if files.systems else metrics or METRICS, metric, settings
    )
    table_options: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed}
    inputs = read_analysis(files, progress)
    corpus, grid = inputs.corpus, None
    if inputs.grid is None:
        systems = [scored_system(name, o, corpus, scoring) for name, o in inputs.orders.items()]
    else:
        trees_and_rules = inputs.grid.treebanks, inputs.grid.rules
        grid, systems = analysed_grid(
            corpus, *trees_and_rules, scoring, metrics=grid_metrics, **table_options
        )
    table_options |= {"focus": focus, "words": words, "rows": rows}
    analysis = analyze(corpus, systems, metric=scoring, grid=grid, **table_options)
    if winners := _describe_other_winners(inputs, files, systems, scoring):
        winners = render_options(f"{winners[0].upper()}{winners[1:]}.")
        analysis = replace(analysis, answer=f"{analysis.answer} {winners}")
    note_analysis(analysis)
    return analysis


def _describe_other_winners(
    inputs: AnalysisInputs,
    files: AnalysisFiles,
    systems: Sequence[AnalysedSystem],
    metric: BaseMetric,
) -> str:
    """Describe which system is best if words without a link are placed by another rule."""
    if len(systems) < 2:
        return ""
    values = {}
    for unaligned, orders in inputs.reference.treatments(inputs.corpus.words, files.convention):
        scores = OrderScores(replace(inputs.corpus, reference=orders), metric)
        values[unaligned] = [scores.value(scores.statistics(s.orders)) for s in systems]
    names = [system.name for system in systems]
    return inputs.reference.winners(names, metric, values, called=called(metric.name))


def _make_metrics(
    metrics: Metrics, name: str, settings: Sequence[str]
) -> tuple[list[BaseMetric], BaseMetric]:
    """Return the metrics of the grid, and the one of them that scores sentences."""
    names = metric_names(metrics)
    name = ",".join(metric_names(name))
    if "all" in names:
        order_metrics = metrics_for({"permutation"})
        names = [*order_metrics, *(n for n in names if n not in ("all", *order_metrics))]
    if name not in names:
        names.append(name)
    made_metrics = make_metrics(names, settings, set())
    check_order_metrics(made_metrics)
    return made_metrics, made_metrics[names.index(name)]


def analysed_kind(reference: Path, kind: str = "auto", *, grid: bool = False) -> str:
    """Return whether a reference holds orders, alignments or text.

    Parameters
    ----------
    reference : path
    kind : "auto", "orders", "alignments" or "text"
        The format if the user named it. "auto": the suffixes ``.orders``, ``.align`` and
        ``.talbot`` decide; other files hold orders if every line is an order, else text. Of
        standard input, only the first lines are read. An empty file is text; a pipe, or compressed
        standard input, is treated as orders.
    grid : bool
        True if there are trees, parsers or rules: then "auto" is never text.

    Returns
    -------
    "orders", "alignments" or "text"

    Raises
    ------
    UsageError
        If some but not all lines of a file are orders or alignments, or `kind` is unknown.
    InputError
        If it cannot be read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "ref.txt")
    >>> _ = path.write_text("2 0 1\\n\\n0 1,2\\n")
    >>> analysed_kind(path)
    'orders'
    >>> _ = path.write_text("we met at 6\\n")
    >>> analysed_kind(path), analysed_kind("gold.align.gz"), analysed_kind(path, "orders")
    ('text', 'alignments', 'orders')
    """
    if choose("--input", kind, ANALYSED_KINDS) != "auto":
        return kind
    path = os.fspath(reference)
    uncompressed = without_compression(path)
    if uncompressed.endswith(ALIGNMENT_SUFFIXES):
        return "alignments"
    if grid or uncompressed.endswith(ORDER_SUFFIX):
        return "orders"
    has_order = False
    for line in _complete_lines(first_bytes(path)) if read_only_once(path) else read_lines(path):
        text = line.strip()
        if text and not _ORDER_LINE.fullmatch(text):
            refuse_numbers(path)
            refuse_table(path)
            return "text"
        has_order = has_order or bool(text)
    return "orders" if has_order else "text"


def _complete_lines(start: bytes) -> list[str]:
    """Return the lines at the start of a text, without the last one, which may be incomplete."""
    lines = start.decode(errors="replace").split("\n")
    return lines[:-1] or lines


def note_analysis(analysis: Analysis[AnalysedOrders]) -> None:
    """Note which sentences could not be scored, and which tables are missing and why."""
    skipped = np.zeros(analysis.size, np.bool_)
    for system in analysis.analysed.systems:
        skipped |= system.skipped
    if skipped.any():
        lines = np.flatnonzero(skipped) + 1
        numbers = ", ".join(map(str, lines[:_MAX_NAMED].tolist()))
        if len(lines) > _MAX_NAMED:
            numbers += ", ..."
        noun = "line" if len(lines) == 1 else "lines"
        count = counted(len(lines), "sentence")
        reason = too_few_words([analysis.signature])
        share = f"{percent(len(lines), len(skipped))} of sentences"
        note(f"skipped {count} {reason} ({share}): {noun} {numbers}")
    keys = {section.key for section in analysis.sections}
    trees = any(system.treebank is not None for system in analysis.analysed.systems)
    if not trees:
        missing = ["imperative rates", "errors of parsers and taggers", "single rules"]
        if "score-by-depth" not in keys:
            missing.insert(0, "scores by depth and projectivity")
        if "words-by-label" not in keys:
            missing.insert(0, "tables by label")
        note(f"no trees of the systems (--trees, --rules), so there are no {joined(missing, 'or')}")
    elif "relation-errors" not in keys and "label-confusions" not in keys:
        note(
            "no errors of parsers and taggers: they need gold trees (--gold-trees) or a second "
            "parser with the same rules"
        )
    for system in analysis.analysed.systems:
        if isinstance(system.rules, LearnedOrder):
            note(
                f"{system.name}: no table of rules, because a learned order has weights instead; "
                "`wordorder rules explain` shows which weights decide a sentence"
            )
