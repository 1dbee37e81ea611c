"""Costs from metrics of dependency trees: F1 of a label, of roots, and so on."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics import metric as named_metric
from wordorder.metrics.contract import BaseMetric, Metric, completed
from wordorder.metrics.trees.als import ArcLength
from wordorder.segments import Segments
from wordorder.segments.trees import Trees
from wordorder.training.costs.gold import gold_places
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import NO_HEAD, NO_MARGIN, Treebank
from wordorder.types import Bool, Float64, Int64


class TreeMetricCost:
    """1 less what a metric of trees says of a sentence: the F1 of a label, of roots, UAS, LAS.

    Parameters
    ----------
    metric : Metric or str
        One that reads trees: ``"root-f1"``, ``"nsubj"``, ``metric("label-f1", label="SBJ")``.
    gold : Treebank
        Words whose head is unknown (-1) count on neither side.

    Raises
    ------
    UsageError
        If the metric reads something else, or asks for whole trees and some are given in part.
    InputError
        From a call, as `gold_places` does.

    Examples
    --------
    >>> words, labels = [["Who", "came"]] * 2, [["obj", "root"], ["nsubj", "root"]]
    >>> trees = Treebank.from_words(words, heads=[[2, 0]] * 2, label=labels)
    >>> cost = TreeMetricCost("nsubj", trees[1:])
    >>> cost(KBest(trees, np.array([0, 2]), np.zeros(2)), np.array([0]))
    array([1., 0.])
    """

    def __init__(self, metric: Metric | str, gold: Treebank) -> None:
        made: BaseMetric = completed(named_metric(metric) if isinstance(metric, str) else metric)
        if set(made.columns) != {"trees"}:
            raise UsageError(f"{made.name} does not judge trees, so it is no cost of trees")
        self._partial = bool(np.any(gold.heads == NO_HEAD))
        if self._partial and isinstance(made, ArcLength):
            raise UsageError(
                f"{made.name} needs whole trees; arc-length takes trees that are given in part"
            )
        self.gold = gold
        self.metric = made
        self.name = made.name

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]."""
        places = gold_places(self.gold, candidates, rows)
        system = candidates.trees
        gold = Treebank(
            system.offsets,
            self.gold.heads[places],
            {name: column.take(places) for name, column in self.gold.columns.items()},
            [NO_MARGIN] * len(system),
        )
        if self._partial:
            known = gold.heads != NO_HEAD
            system, gold = _words(system, known), _words(gold, known)
        segments = Segments(trees=Trees(system, gold), _checked=True)
        scores = self.metric.score_segments(self.metric.statistics(segments))
        return 1.0 - scores if self.metric.higher_is_better else scores


def _words(treebank: Treebank, kept: Bool) -> Treebank:
    """Return some of the words; heads count those of the whole sentence."""
    before = np.append(0, np.cumsum(kept))
    places = np.flatnonzero(kept)
    return Treebank(
        before[treebank.offsets],
        treebank.heads[places],
        {name: column.take(places) for name, column in treebank.columns.items()},
        treebank.margins,
    )
