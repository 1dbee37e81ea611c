"""Evaluating parsers × rule sets against reference orders."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from wordorder.analysis.grid import Grid, under_rules, with_parser
from wordorder.analysis.grid_checks import check_order_metrics
from wordorder.analysis.grid_systems import GridSystems, grid_systems
from wordorder.errors import UsageError, choose
from wordorder.metrics import metric
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.contract import BaseMetric, Metric, completed, left_out
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.reordering.base import RuleSet
from wordorder.reordering.order_checks import check_orders
from wordorder.scoring.systems import LISTED, Evaluation, SystemScores, measurements
from wordorder.segments import Segments
from wordorder.segments.given_orders import Rows, given_orders
from wordorder.statistics.comparison import Comparison
from wordorder.statistics.intervals import estimated_on
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import TESTS, compare, compared_on
from wordorder.statistics.resampling import bootstrap_scores
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank

METRICS = ("frs", "kendall", "exact")
RESAMPLES = 1000


def evaluate_grid(
    reference: Rows,
    treebanks: Mapping[str, Treebank],
    rules: Sequence[RuleSet | str] | Mapping[str, RuleSet],
    *,
    metrics: Sequence[Metric | str] = METRICS,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    test: str = "bootstrap",
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
    test : "bootstrap" or "randomization"
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
    >>> bank = Treebank.from_words([["he", "read", "it"]], heads=[[2, 0, 2]])
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
    test: str = "bootstrap",
) -> Grid:
    """Score systems whose orders are known already; everything else as `evaluate_grid`."""
    choose("test", test, tuple(TESTS))
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
        parts = [
            [Measurement(m.statistics[list(group)], m.score, m.higher_is_better) for m in measured]
            for group in groups
        ]
        if test == "bootstrap":
            compared = [
                [
                    compared_on(part, scores[list(group)], seed=seed)
                    for part, scores in zip(of_group, samples, strict=True)
                ]
                for of_group, group in zip(parts, groups, strict=True)
            ]
        else:
            compared = [
                compare(of_group, test=test, resamples=resamples, seed=seed) for of_group in parts
            ]
        return tuple(zip(*compared, strict=True))

    size = len(systems.parsers), len(systems.rules)
    return Grid(
        systems.parsers,
        systems.rules,
        evaluation,
        chosen,
        [estimated_on(m, scores, level) for m, scores in zip(measured, samples, strict=True)],
        tests(under_rules(*size)),
        tests(with_parser(*size)),
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
