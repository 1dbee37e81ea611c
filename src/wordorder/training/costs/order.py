"""The cost of a tree by the order that rules make of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.counts import counted
from wordorder.errors import InputError, UsageError
from wordorder.metrics import metric as named_metric
from wordorder.metrics import metrics_for
from wordorder.metrics.contract import BaseMetric, Metric, completed, statistics_in_pieces
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.reordering.base import RuleSet, orders_of
from wordorder.segments import Segments
from wordorder.training.costs.base import sentence_name
from wordorder.training.costs.equal_orders import first_of_equals
from wordorder.treebank.column import Column
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import NO_HEAD
from wordorder.types import Bool, Float64, Int64


@dataclass(frozen=True, eq=False)
class ScoredOrders:
    """The orders of all trees of some lists, and what a metric says of them.

    Attributes
    ----------
    first : int64[T]
        The first tree of the same list that has the same order, or on which the rules failed too.
    statistics : float64[T, k]
        Those of the metric; zeros where the rules failed.
    scores : float64[T]
        The score of each tree, larger being better; ``-inf`` where the rules failed.
    failed : bool[T]
        Whether the rules raised an error on a tree.
    """

    first: Int64
    statistics: Float64
    scores: Float64
    failed: Bool


class OrderCost:
    """1 less the score of the order that rules make of a tree, against a reference order.

    The extrinsic loss of Katz-Brown et al. (2011) and Hall et al. (2011, section 4.1) for
    ``metric="frs"``.

    Parameters
    ----------
    rules : RuleSet
        Written, learnt, or built in.
    reference : Orders
        As `wordorder.reference_orders` makes them of alignments under any rule for unaligned words;
        row ``i`` is the reference of instance ``i``.
    metric : Metric or str
        Any that compares orders.

    Raises
    ------
    UsageError
        If the metric does not compare orders. From a call: if the rules raise an error on every
        tree of a list.
    InputError
        From a call: if a tree lacks heads, or an order has positions beyond its sentence.

    Notes
    -----
    Many trees of a list have one order, and each order is scored once. A tree on which the rules
    raise an error costs ``inf``. A sentence whose reference has no words costs 1.

    Examples
    --------
    Katz-Brown et al. (2011), figure 1, in short: the right tree gives the right order.

    >>> from wordorder.reordering import open_rules
    >>> from wordorder.treebank.treebank import Treebank
    >>> trees = Treebank.from_words(
    ...     [["Wear", "sunscreen"]] * 2,
    ...     heads=[[2, 0], [0, 1]],
    ...     upos=[["VERB", "NOUN"]] * 2,
    ...     label=[["amod", "root"], ["root", "obj"]],
    ... )
    >>> cost = OrderCost(open_rules("R5"), Orders.from_rows([[1, 0]]))
    >>> cost(KBest(trees, np.array([0, 2]), np.array([-1.0, -2.0])), np.array([0]))
    array([1., 0.])
    """

    name = "order"

    def __init__(self, rules: RuleSet, reference: Orders, metric: Metric | str = "frs") -> None:
        made: BaseMetric = completed(named_metric(metric) if isinstance(metric, str) else metric)
        if set(made.columns) != {"permutation"}:
            legal = ", ".join(sorted(metrics_for({"permutation"})))
            raise UsageError(f"{made.name} does not compare orders; legal names: {legal}")
        self.rules = rules
        self.reference = reference
        self.metric = made

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]."""
        scores = self.scored(candidates, rows).scores
        return 1.0 - scores if self.metric.higher_is_better else -scores

    def scored(self, candidates: KBest, rows: Int64) -> ScoredOrders:
        """Return the orders of all trees and their scores.

        Parameters
        ----------
        candidates : KBest
        rows : int64[S]
            The reference of each list.
        """
        self._check(candidates, rows)
        positions, failed = self._positions(candidates, rows)
        first = first_of_equals(positions, candidates.offsets)
        scored = np.flatnonzero((first == np.arange(len(first))) & ~failed)
        sentence = candidates.sentence[scored]
        source = None
        if self.metric.match == "first-unmatched":
            trees = candidates.trees.take(scored)
            source = Ragged(Column.concatenate([trees.form]).codes, trees.offsets)
        segments = Segments.from_orders(
            Orders(positions.take(scored)), self.reference.take(rows[sentence]), source=source
        )
        found = statistics_in_pieces(self.metric, segments)
        values = self.metric.score_segments(found)
        place = np.full(len(first), -1, np.int64)
        place[scored] = np.arange(len(scored))
        place = place[first]
        known = place >= 0
        scores = np.full(len(first), -np.inf)
        scores[known] = values[place[known]] * (1 if self.metric.higher_is_better else -1)
        statistics = np.zeros((len(first), found.shape[1]))
        statistics[known] = found[place[known]]
        return ScoredOrders(first, statistics, scores, failed)

    def _positions(self, candidates: KBest, rows: Int64) -> tuple[Ragged, Bool]:
        """Return the order of each tree, and on which trees the rules failed: these have none."""
        trees = candidates.trees
        failed = np.zeros(len(trees), np.bool_)
        try:
            return orders_of(self.rules, trees).positions, failed
        except (MemoryError, UsageError):
            raise
        except Exception:
            # One tree may be to blame for all.
            pass
        parts = []
        error: Exception | None = None
        for tree in range(len(trees)):
            one = trees[tree : tree + 1]
            try:
                parts.append(orders_of(self.rules, one).positions)
            except Exception as raised:
                error = error or raised
                failed[tree] = True
                # No order at all: that of the source might be another tree's.
                parts.append(Ragged(np.zeros(0, np.int32), np.zeros(2, np.int64)))
        self._check_failures(candidates, rows, failed, error)
        return Ragged.concatenate(parts), failed

    def _check_failures(
        self, candidates: KBest, rows: Int64, failed: Bool, error: Exception | None
    ) -> None:
        """Raise an error if the rules fail on every tree of a list."""
        filled = np.flatnonzero(np.diff(candidates.offsets) > 0)
        alone = np.flatnonzero(np.logical_and.reduceat(failed, candidates.offsets[filled]))
        if len(alone):
            place = int(filled[alone[0]])
            where = sentence_name(candidates, place, int(rows[place]))
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            raise UsageError(f"{where}: the rules {self.rules.name} fail on every tree: {what}")

    def _check(self, candidates: KBest, rows: Int64) -> None:
        """Refuse trees without heads, and orders that are not of these sentences."""
        trees, reference = candidates.trees, self.reference.positions
        bare = np.flatnonzero(trees.heads == NO_HEAD)
        if len(bare):
            tree = int(np.searchsorted(trees.offsets, bare[0], side="right")) - 1
            place = int(candidates.sentence[tree])
            where = sentence_name(candidates, place, int(rows[place]))
            raise InputError(where, "a word without a head", "whole trees, as a parser gives them")
        beyond = np.flatnonzero((rows < 0) | (rows >= len(reference)))
        if len(beyond):
            where = sentence_name(candidates, int(beyond[0]), int(rows[beyond[0]]))
            what = f"no reference order: there are {len(reference)}"
            raise InputError(where, what, "one order a sentence")
        filled = np.flatnonzero(np.diff(candidates.offsets) > 0)
        words = trees.lengths[candidates.offsets[filled]]
        taken = reference.take(rows[filled])
        wrong = np.flatnonzero(taken.values >= np.repeat(words, taken.lengths))
        if len(wrong):
            row = int(np.searchsorted(taken.offsets, wrong[0], side="right")) - 1
            place = int(filled[row])
            where = sentence_name(candidates, place, int(rows[place]))
            what = f"position {taken.values[wrong[0]]} in a reference order"
            expected = f"positions of its {counted(int(words[row]), 'word')}, counted from 0"
            raise InputError(where, what, expected)
