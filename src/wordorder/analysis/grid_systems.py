"""The systems of a grid: the orders that each rule set gives the trees of each parser."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from wordorder.analysis.corpus import AnalysedSystem, Corpus, scored_system
from wordorder.analysis.grid import Crossed, Grid, system_name
from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError, choose
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.contract import BaseMetric, Metric, completed, left_out
from wordorder.metrics.registry import metric, metrics_for
from wordorder.order.orders import Orders
from wordorder.order.reading import OrderRows, given_orders
from wordorder.reordering.rules import RuleSet, check_orders, open_rules, orders_of
from wordorder.reordering.scheme_check import note_fit_problems
from wordorder.scoring.systems import LISTED, Evaluation, SystemScores, measurements
from wordorder.segments import Segments
from wordorder.statistics.intervals import estimated_on
from wordorder.statistics.measurement import bootstrap_scores
from wordorder.statistics.paired_tests import (
    TESTS,
    Comparison,
    compare,
    compared_on,
    judged_by_swaps,
)
from wordorder.text.blocks import quoted
from wordorder.text.lockstep import line_count_mismatch
from wordorder.treebank.reading import sentences_of
from wordorder.treebank.treebank import Column, Treebank


@dataclass(frozen=True, eq=False)
class GridSystems(Crossed):
    """Parsers × rule sets, before they are scored.

    Attributes
    ----------
    parsers, rules : tuple of str
        P names of trees and R names of rule sets.
    orders : tuple of Orders
        P × R of them, parser by parser.
    words : Treebank
        The source sentences, S of them.
    """

    orders: tuple[Orders, ...]
    words: Treebank

    @property
    def names(self) -> tuple[str, ...]:
        """What each system is called: ``P1R5``."""
        return tuple(system_name(p, r) for p, r in product(self.parsers, self.rules))

    @property
    def provenance(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """What each system's signatures say of it: its trees, the name and a hash of its rules."""
        pairs = zip(product(self.parsers, self.rules), self.orders, strict=True)
        return tuple(
            (("trees", _plain(parser)), *(orders.provenance or (("rules", _plain(rules)),)))
            for (parser, rules), orders in pairs
        )


def grid_systems(
    treebanks: Mapping[str, Treebank], rules: Sequence[RuleSet | str] | Mapping[str, RuleSet]
) -> GridSystems:
    """Order the words of each parser's trees by each rule set.

    Parameters
    ----------
    treebanks : mapping of name to Treebank
        The trees of each parser, of the same sentences.
    rules : sequence of RuleSet, or mapping of name to RuleSet
        Strings are names and files as `wordorder.reordering.rules.open_rules` takes them.

    Raises
    ------
    UsageError
        If there are no trees or no rules, or two rule sets have one name.
    InputError
        If the treebanks differ in their words, a sentence has no tree, or a rule set does not
        order all words of a sentence.

    Warns
    -----
    WordOrderWarning
        If rules do not fit trees, as `wordorder.reordering.scheme_check.fit_problems` finds.

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left"]], heads=[[2, 0]], label=[["nsubj", "root"]])
    >>> systems = grid_systems({"P1": bank}, ["R1", "R2"])
    >>> systems.names, [orders.to_text(0) for orders in systems.orders]
    (('P1R1', 'P1R2'), ['0 1', '1 0'])
    """
    if isinstance(rules, Mapping):
        named = dict(rules)
    else:
        opened = [open_rules(each) if isinstance(each, str) else each for each in rules]
        named = {each.name: each for each in opened}
        if len(named) < len(opened):
            names = ", ".join(each.name for each in opened)
            raise UsageError(f"two rule sets have the same name: {names}")
    if not treebanks or not named:
        raise UsageError(f"there are no {'rule sets' if treebanks else 'trees'} to evaluate")
    check_same_words(treebanks)
    found = [
        _ordered(f"{parser}, {name}", bank, each)
        for parser, bank in treebanks.items()
        for name, each in named.items()
    ]
    words = next(iter(treebanks.values()))
    return GridSystems(tuple(treebanks), tuple(named), tuple(found), words)


def _ordered(where: str, bank: Treebank, rules: RuleSet) -> Orders:
    """Apply rules to trees, and check that all words are there."""
    note_fit_problems(rules, bank, where)
    with sentences_of(where, np.arange(len(bank))):
        orders = orders_of(rules, bank)
    positions = orders.positions
    right = np.array_equal(positions.offsets, bank.offsets)
    if not right or np.any(positions.values >= np.repeat(bank.lengths, bank.lengths)):
        raise InputError(where, "orders of other words", "all words of each sentence")
    return orders


def _plain(name: str) -> str:
    """Return a name without the sign that parts the fields of a signature."""
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
    """Score every parser with every rule set, and test which parsers and which rules are better.

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
        Strings are names and files as `wordorder.reordering.rules.open_rules` takes them.
    metrics : sequence of Metric or str
        Metrics of orders.
    level : float
        Of the intervals.
    resamples : int, optional
        By default 1,000; for tests by randomization 10,000.
    seed : int
    test : "auto", "bootstrap" or "randomization"
        As `wordorder.statistics.paired_tests.compare` takes it.

    Returns
    -------
    Grid
        All intervals and bootstrap tests rest on the same resamples.

    Raises
    ------
    UsageError
        If there are no trees, rules or metrics, a name is unknown or comes twice, or a metric
        does not read orders.
    InputError
        If treebanks and reference are not of the same sentences, or a sentence has no tree.

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
    orders = given_orders(reference, "reference")
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
    """Score systems whose orders are known already; everything else as `evaluate_grid`."""
    choose("test", test, ("auto", *TESTS))
    check_orders(reference, systems.words)
    chosen = tuple(metric(each) if isinstance(each, str) else completed(each) for each in metrics)
    if not chosen:
        raise UsageError("no metric to evaluate by")
    check_order_metrics(chosen)
    evaluation = scored_systems(reference, systems, chosen)
    measured = measurements(evaluation, chosen)
    drawn = resamples or RESAMPLES
    samples = bootstrap_scores(measured, resamples=drawn, seed=seed)

    def tests(groups: Sequence[range]) -> tuple[tuple[Comparison, ...], ...]:
        """Compare the systems within each group, for each metric."""
        if len(groups[0]) < 2:
            return tuple(() for _ in measured)
        parts = [[each.of_systems(group) for each in measured] for group in groups]
        if test != "randomization":
            compared = [
                [
                    compared_on(part, scores[list(group)], seed=seed)
                    for part, scores in zip(of_group, samples, strict=True)
                ]
                for of_group, group in zip(parts, groups, strict=True)
            ]
            if test == "auto":
                compared = [
                    judged_by_swaps(found, part, resamples)
                    for found, part in zip(compared, parts, strict=True)
                ]
        else:
            compared = [
                compare(of_group, test=test, resamples=resamples, seed=seed) for of_group in parts
            ]
        return tuple(zip(*compared, strict=True))

    return Grid(
        systems.parsers,
        systems.rules,
        evaluation,
        chosen,
        [estimated_on(m, scores, level) for m, scores in zip(measured, samples, strict=True)],
        tests(systems.under_rules),
        tests(systems.with_parser),
        level,
        drawn,
        seed,
    )


def scored_systems(
    reference: Orders, systems: GridSystems, metrics: Sequence[BaseMetric]
) -> Evaluation:
    """Score each system's orders, with all statistics kept."""
    words = systems.words
    # Only a metric that matches words by themselves asks which are equal.
    by_form = any(each.match != "index" for each in metrics)
    source = Ragged(Column.concatenate([words.form]).codes, words.offsets) if by_form else None
    skipped = np.zeros(len(words), np.bool_)
    scored = []
    for name, orders, origin in zip(systems.names, systems.orders, systems.provenance, strict=True):
        segments = Segments.from_orders(orders, reference, source=source)
        running = [Accumulator(each) for each in metrics]
        statistics = tuple(each.update(segments) for each in running)
        for rows in statistics:
            skipped |= left_out(rows)
        scores = [each.compute() for each in running]
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
        tuple((lines[:LISTED] + 1).tolist()),
        tuple(scored),
        reference.lengths,
    )


def check_same_words(treebanks: Mapping[str, Treebank]) -> None:
    """Check that treebanks have the same sentences, word by word.

    Parameters
    ----------
    treebanks : mapping of name to Treebank
        The names are what messages call them.

    Raises
    ------
    InputError
        If one differs from the first; the message names sentence and word.

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
    (first, words), *others = treebanks.items()
    for name, other in others:
        if other is not words:
            _check_pair(first, words, name, other)


def _check_pair(first: str, words: Treebank, name: str, other: Treebank) -> None:
    """Check a treebank against the first one."""
    if len(other) != len(words):
        raise line_count_mismatch(name, len(other), first, len(words), "sentence")
    differing = np.flatnonzero(other.lengths != words.lengths)
    if len(differing):
        row = int(differing[0])
        raise InputError(
            f"{name}: {_sentence(other, row)}",
            f"{_words(other, row)}",
            f"{_words(words, row)}, as in {first}",
        )
    # Renumbered: a vocabulary may have a string twice.
    codes = Column.concatenate([words.form, other.form]).codes
    wrong = np.flatnonzero(codes[: words.words] != codes[words.words :])
    if len(wrong):
        at = int(wrong[0])
        row = int(np.searchsorted(words.offsets, at, side="right")) - 1
        theirs, ours = (
            quoted(bank.form[at : at + 1].strings()[0].encode()) for bank in (other, words)
        )
        raise InputError(
            f"{name}: {_sentence(other, row)}, word {at - int(words.offsets[row]) + 1}",
            theirs,
            f"{ours}, as in {first}",
        )


def _sentence(bank: Treebank, row: int) -> str:
    """Name a sentence by its number, and by its ``sent_id`` if it has one."""
    name = bank.margins[row].value("sent_id")
    return f"sentence {row + 1}" + ("" if name in (None, str(row + 1)) else f" ({name})")


def _words(bank: Treebank, row: int) -> str:
    count = int(bank.lengths[row])
    return f"{count} word{'' if count == 1 else 's'}"


def check_order_metrics(metrics: Sequence[BaseMetric]) -> None:
    """Check that metrics compare orders.

    Raises
    ------
    UsageError
        If one reads something else; the message lists those that do not.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> check_order_metrics([metric("frs")])
    """
    for each in metrics:
        if set(each.columns) != {"permutation"}:
            legal = ", ".join(sorted(metrics_for({"permutation"})))
            raise UsageError(f"{each.name} does not compare orders; legal names: {legal}")


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
    """Score every parser with every rule set, as `wordorder.analysis.analyze.analyze` needs them.

    Parameters
    ----------
    corpus : Corpus
    treebanks, rules
        As `wordorder.analysis.grid_systems.evaluate_grid` takes them.
    metric : Metric
        That scores single sentences.
    metrics : sequence of Metric or str
        Those of the grid.
    level, resamples, seed
        Of the intervals.

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
        scored_system(name, orders, corpus, metric, treebank=bank, rules=rule)
        for name, orders, (bank, rule) in zip(systems.names, systems.orders, origins, strict=True)
    ]
