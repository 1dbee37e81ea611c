"""Parsers × rule sets, scored as a grid and sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product

from wordorder.analysis.corpus import Corpus
from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_evaluation import METRICS, scored_grid
from wordorder.analysis.grid_systems import grid_systems
from wordorder.analysis.scored_system import scored_system
from wordorder.analysis.system import AnalysedSystem
from wordorder.metrics.contract import Metric
from wordorder.reordering.base import RuleSet
from wordorder.treebank.treebank import Treebank


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
        As `wordorder.analysis.grid_evaluation.evaluate_grid` takes them.
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
    >>> from wordorder.metrics import metric
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.reordering.rules import open_rules
    >>> bank = Treebank.from_words([["he", "read", "it"]], heads=[[2, 0, 2]])
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
