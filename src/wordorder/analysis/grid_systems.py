"""Systems of a grid: the orders of the trees of each parser under each rule set."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from wordorder.analysis.corpus import AnalysedSystem, Corpus, scored_system
from wordorder.analysis.grid import Grid, ParserRuleGrid, system_name
from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError, choose
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.contract import BaseMetric, Metric, complete_metric, left_out_segments
from wordorder.metrics.registry import metric, metrics_for
from wordorder.order.orders import Orders
from wordorder.order.reading import OrderRows, orders_of_input
from wordorder.reordering.rules import RuleSet, check_orders, open_rules, orders_of
from wordorder.reordering.scheme_check import note_fit_problems
from wordorder.scoring.systems import MAX_SKIPPED_LINES, Evaluation, SystemScores, measurements
from wordorder.segments import Segments
from wordorder.statistics.intervals import estimates_on_resamples
from wordorder.statistics.measurement import bootstrap_scores
from wordorder.statistics.paired_tests import (
    TEST_FUNCTIONS,
    Comparison,
    compare,
    compare_resamples,
    retest_by_swaps,
)
from wordorder.text.blocks import quoted
from wordorder.text.lockstep import line_count_mismatch
from wordorder.treebank.reading import sentences_of
from wordorder.treebank.treebank import Column, Treebank


@dataclass(frozen=True, eq=False)
class GridSystems(ParserRuleGrid):
    """Parsers × rule sets, before they are scored.

    Attributes
    ----------
    parsers, rules : tuple of str
        P names of trees and R names of rule sets.
    orders : tuple of Orders
        P × R orders, parser by parser.
    words : Treebank
        The S source sentences.
    """

    orders: tuple[Orders, ...]
    words: Treebank

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the systems: ``P1R5``."""
        return tuple(system_name(p, r) for p, r in product(self.parsers, self.rules))

    @property
    def provenance(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """Signature fields of each system: its trees, and the name and a hash of its rules."""
        pairs = zip(product(self.parsers, self.rules), self.orders, strict=True)
        return tuple(
            (
                ("trees", _escape_name(parser)),
                *(orders.provenance or (("rules", _escape_name(rules)),)),
            )
            for (parser, rules), orders in pairs
        )


def grid_systems(
    treebanks: Mapping[str, Treebank], rules: Sequence[RuleSet | str] | Mapping[str, RuleSet]
) -> GridSystems:
    """Reorder the trees of each parser by each rule set.

    Parameters
    ----------
    treebanks : mapping of name to Treebank
        The trees of each parser, of the same sentences.
    rules : sequence of RuleSet, or mapping of name to RuleSet
        Strings are names or files, see `wordorder.reordering.rules.open_rules`.

    Raises
    ------
    UsageError
        If there are no trees or no rules, or two rule sets have the same name.
    InputError
        If the treebanks differ in their words, a sentence has no tree, or a rule set does not
        order all words of a sentence.

    Warns
    -----
    note
        If rules do not fit trees, as `wordorder.reordering.scheme_check.fit_problems` finds.

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left"]], heads=[[2, 0]], label=[["nsubj", "root"]])
    >>> systems = grid_systems({"P1": bank}, ["R1", "R2"])
    >>> systems.names, [orders.to_text(0) for orders in systems.orders]
    (('P1R1', 'P1R2'), ['0 1', '1 0'])
    """
    if isinstance(rules, Mapping):
        rule_sets = dict(rules)
    else:
        opened = [
            open_rules(rule_set) if isinstance(rule_set, str) else rule_set for rule_set in rules
        ]
        rule_sets = {rule_set.name: rule_set for rule_set in opened}
        if len(rule_sets) < len(opened):
            names = ", ".join(rule_set.name for rule_set in opened)
            raise UsageError(f"two rule sets have the same name: {names}")
    if not treebanks or not rule_sets:
        raise UsageError(f"there are no {'rule sets' if treebanks else 'trees'} to evaluate")
    check_same_words(treebanks)
    orders = [
        _apply_rules(f"{parser}, {name}", treebank, rule_set)
        for parser, treebank in treebanks.items()
        for name, rule_set in rule_sets.items()
    ]
    words = next(iter(treebanks.values()))
    return GridSystems(tuple(treebanks), tuple(rule_sets), tuple(orders), words)


def _apply_rules(system: str, treebank: Treebank, rules: RuleSet) -> Orders:
    """Apply rules to trees, and check that the orders have all words."""
    note_fit_problems(rules, treebank, system)
    with sentences_of(system, np.arange(len(treebank))):
        orders = orders_of(rules, treebank)
    positions = orders.positions
    has_lengths = np.array_equal(positions.offsets, treebank.offsets)
    if not has_lengths or np.any(positions.values >= np.repeat(treebank.lengths, treebank.lengths)):
        raise InputError(system, "orders of other words", "all words of each sentence")
    return orders


def _escape_name(name: str) -> str:
    """Return a name without the separator of signature fields."""
    return name.replace("|", "/")


METRICS = ("frs", "kendall", "exact")

RESAMPLES = 1000


def evaluate_grid(
    reference: OrderRows,
    treebanks: Mapping[str, Treebank],
    rules: Sequence[RuleSet | str] | Mapping[str, RuleSet],
    *,
    metrics: Sequence[Metric | str] = METRICS,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    test: str = "auto",
) -> Grid:
    """Score every parser with every rule set, and test the differences of parsers and of rules.

    As in Talbot et al. (2011), section 4: the trees of each parser are reordered by each rule
    set, the orders are scored against reference orders, and parsers are compared under the same
    rules, rule sets with the same parser.

    Parameters
    ----------
    reference : Orders, path of an ``.orders`` file, or rows of positions
        S reference orders.
    treebanks : mapping of name to Treebank
        The trees of each parser, S sentences with the same words in each.
    rules : sequence of RuleSet, or mapping of name to RuleSet
        Strings are names or files, see `wordorder.reordering.rules.open_rules`.
    metrics : sequence of Metric or str
        Metrics of orders.
    level : float
        Level of the intervals.
    resamples : int, optional
        By default 1,000; for tests by randomization 10,000.
    seed : int
    test : "auto", "bootstrap" or "randomization"
        See `wordorder.statistics.paired_tests.compare`.

    Returns
    -------
    Grid
        All intervals and bootstrap tests use the same resamples.

    Raises
    ------
    UsageError
        If there are no trees, rules or metrics, a name is unknown or not unique, or a metric does
        not compare orders.
    InputError
        If treebanks and reference differ in their sentences, or a sentence has no tree.

    Examples
    --------
    >>> bank = Treebank.from_words(
    ...     [["he", "read", "it"]], heads=[[2, 0, 2]], label=[["nsubj", "root", "obj"]]
    ... )
    >>> grid = evaluate_grid([[0, 2, 1]], {"P1": bank}, ["R1", "R4"], metrics=["frs"])
    >>> [(each.name, each.scores[0].value) for each in grid.evaluation.systems]
    [('P1R1', 0.0), ('P1R4', 1.0)]
    """
    systems = grid_systems(treebanks, rules)
    orders = orders_of_input(reference, "reference")
    if isinstance(reference, (str, os.PathLike)):
        check_orders(orders, systems.words, path=os.fspath(reference))
    return scored_grid(
        orders, systems, metrics, level=level, resamples=resamples, seed=seed, test=test
    )


def scored_grid(
    reference: Orders,
    systems: GridSystems,
    metrics: Sequence[Metric | str] = METRICS,
    *,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    test: str = "auto",
) -> Grid:
    """Score systems with known orders; for the parameters see `evaluate_grid`."""
    choose("test", test, ("auto", *TEST_FUNCTIONS))
    check_orders(reference, systems.words)
    completed_metrics = tuple(
        metric(item) if isinstance(item, str) else complete_metric(item) for item in metrics
    )
    if not completed_metrics:
        raise UsageError("no metric to evaluate by")
    check_order_metrics(completed_metrics)
    evaluation = scored_systems(reference, systems, completed_metrics)
    corpus_measurements = measurements(evaluation, completed_metrics)
    resample_count = resamples or RESAMPLES
    samples = bootstrap_scores(corpus_measurements, resamples=resample_count, seed=seed)

    def tests(groups: Sequence[range]) -> tuple[tuple[Comparison, ...], ...]:
        """Compare the systems within each group, for each metric."""
        if len(groups[0]) < 2:
            return tuple(() for _ in corpus_measurements)
        parts = [
            [measurement.of_systems(group) for measurement in corpus_measurements]
            for group in groups
        ]
        if test != "randomization":
            comparisons = [
                [
                    compare_resamples(part, scores[list(group)], seed=seed)
                    for part, scores in zip(of_group, samples, strict=True)
                ]
                for of_group, group in zip(parts, groups, strict=True)
            ]
            if test == "auto":
                comparisons = [
                    retest_by_swaps(comparison, part, resamples)
                    for comparison, part in zip(comparisons, parts, strict=True)
                ]
        else:
            comparisons = [
                compare(of_group, test=test, resamples=resamples, seed=seed) for of_group in parts
            ]
        return tuple(zip(*comparisons, strict=True))

    return Grid(
        systems.parsers,
        systems.rules,
        evaluation,
        completed_metrics,
        [
            estimates_on_resamples(m, scores, level)
            for m, scores in zip(corpus_measurements, samples, strict=True)
        ],
        tests(systems.under_rules),
        tests(systems.with_parser),
        level,
        resample_count,
        seed,
    )


def scored_systems(
    reference: Orders, systems: GridSystems, metrics: Sequence[BaseMetric]
) -> Evaluation:
    """Score the orders of each system, and return all statistics too."""
    words = systems.words
    # Only metrics that match words by form need to know which are equal.
    by_form = any(metric.match != "index" for metric in metrics)
    source = Ragged(Column.concatenate([words.form]).codes, words.offsets) if by_form else None
    skipped = np.zeros(len(words), np.bool_)
    scored = []
    for name, orders, origin in zip(systems.names, systems.orders, systems.provenance, strict=True):
        segments = Segments.from_orders(orders, reference, source=source)
        accumulators = [Accumulator(metric) for metric in metrics]
        statistics = tuple(accumulator.update(segments) for accumulator in accumulators)
        for rows in statistics:
            skipped |= left_out_segments(rows)
        scores = [accumulator.compute() for accumulator in accumulators]
        scored.append(
            SystemScores(
                name,
                tuple(replace(s, signature=s.signature.with_fields(*origin)) for s in scores),
                segments.dropped_words,
                segments.one_word,
                statistics,
            )
        )
    lines = np.flatnonzero(skipped)
    return Evaluation(
        len(words),
        len(lines),
        tuple((lines[:MAX_SKIPPED_LINES] + 1).tolist()),
        tuple(scored),
        reference.lengths,
    )


def check_same_words(treebanks: Mapping[str, Treebank]) -> None:
    """Check that treebanks have the same sentences, word by word.

    Parameters
    ----------
    treebanks : mapping of name to Treebank
        The treebanks, by display name.

    Raises
    ------
    InputError
        If a treebank differs from the first; the message names sentence and word.

    Examples
    --------
    >>> check_same_words({
    ...     "p1.conllu": Treebank.from_words([["He", "left"]]),
    ...     "p2.conllu": Treebank.from_words([["He", "leaves"]]),
    ... })
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: p2.conllu: sentence 1, word 2: 'leaves'; expected 'left', as in \
p1.conllu
    """
    (first, words), *other_treebanks = treebanks.items()
    for name, treebank in other_treebanks:
        if treebank is not words:
            _check_pair(first, words, name, treebank)


def _check_pair(first_name: str, words: Treebank, name: str, treebank: Treebank) -> None:
    """Check a treebank against the first one."""
    if len(treebank) != len(words):
        raise line_count_mismatch(name, len(treebank), first_name, len(words), "sentence")
    differing = np.flatnonzero(treebank.lengths != words.lengths)
    if len(differing):
        row = int(differing[0])
        raise InputError(
            f"{name}: {_describe_sentence(treebank, row)}",
            f"{_describe_length(treebank, row)}",
            f"{_describe_length(words, row)}, as in {first_name}",
        )
    # Renumbered, because vocabularies may contain a string twice.
    codes = Column.concatenate([words.form, treebank.form]).codes
    wrong = np.flatnonzero(codes[: words.words] != codes[words.words :])
    if len(wrong):
        word = int(wrong[0])
        row = int(np.searchsorted(words.offsets, word, side="right")) - 1
        problem, expected = (
            quoted(side.form[word : word + 1].strings()[0].encode()) for side in (treebank, words)
        )
        number = word - int(words.offsets[row]) + 1
        raise InputError(
            f"{name}: {_describe_sentence(treebank, row)}, word {number}",
            problem,
            f"{expected}, as in {first_name}",
        )


def _describe_sentence(treebank: Treebank, row: int) -> str:
    """Describe a sentence by its number and, if it has one, its ``sent_id``."""
    name = treebank.margins[row].value("sent_id")
    return f"sentence {row + 1}" + ("" if name in (None, str(row + 1)) else f" ({name})")


def _describe_length(treebank: Treebank, row: int) -> str:
    count = int(treebank.lengths[row])
    return f"{count} word{'' if count == 1 else 's'}"


def check_order_metrics(metrics: Sequence[BaseMetric]) -> None:
    """Check that metrics compare orders.

    Raises
    ------
    UsageError
        If a metric has other inputs; the message lists the metrics of orders.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> check_order_metrics([metric("frs")])
    """
    for order_metric in metrics:
        if set(order_metric.columns) != {"permutation"}:
            legal = ", ".join(sorted(metrics_for({"permutation"})))
            raise UsageError(f"{order_metric.name} does not compare orders; legal names: {legal}")


def analysed_grid(
    corpus: Corpus,
    treebanks: Mapping[str, Treebank],
    rules: Mapping[str, RuleSet],
    metric: Metric,
    *,
    metrics: Sequence[Metric | str] = METRICS,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
) -> tuple[Grid, list[AnalysedSystem]]:
    """Score every parser with every rule set, for `wordorder.analysis.analyze.analyze`.

    Parameters
    ----------
    corpus : Corpus
    treebanks, rules
        See `wordorder.analysis.grid_systems.evaluate_grid`.
    metric : Metric
        The metric that scores sentences.
    metrics : sequence of Metric or str
        Metrics of the grid.
    level, resamples, seed
        Level of the intervals.

    Returns
    -------
    Grid, and its systems in the same order

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.reordering.rules import open_rules
    >>> bank = Treebank.from_words(
    ...     [["he", "read", "it"]], heads=[[2, 0, 2]], label=[["nsubj", "root", "obj"]]
    ... )
    >>> corpus = Corpus(bank, Orders.from_rows([[0, 2, 1]]))
    >>> rules = {name: open_rules(name) for name in ("R1", "R4")}
    >>> _, systems = analysed_grid(corpus, {"P1": bank}, rules, metric("frs"))
    >>> [(system.name, system.scores.tolist()) for system in systems]
    [('P1R1', [0.0]), ('P1R4', [1.0])]
    """
    systems = grid_systems(treebanks, rules)
    grid = scored_grid(
        corpus.reference, systems, metrics, level=level, resamples=resamples, seed=seed
    )
    origins = product(treebanks.values(), rules.values())
    return grid, [
        scored_system(name, orders, corpus, metric, treebank=treebank, rules=rule)
        for name, orders, (treebank, rule) in zip(
            systems.names, systems.orders, origins, strict=True
        )
    ]
