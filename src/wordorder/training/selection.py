"""Choosing the tree of each list that serves best (Katz-Brown et al. 2011, Algorithm 1)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wordorder.counts import counted, percent
from wordorder.statistics.exact_sum import ExactSum
from wordorder.training.costs.order import OrderCost, ScoredOrders
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Float64, Int64


def best_of_lists(scores: Float64, offsets: Int64) -> Int64:
    """Return the tree of each list that scores best, int64[S]; of equals the first one.

    Katz-Brown et al. (2011), Algorithm 1. As printed it begins with a best score of 0 and returns
    no tree where every tree scores 0; here the first tree is the best until another one is better.

    Parameters
    ----------
    scores : float64[T]
        Larger is better; ``-inf`` where rules failed. Of costs, their negatives.
    offsets : int64[S+1]
        The trees of list ``i`` are ``offsets[i] .. offsets[i+1]-1``; no list is empty.

    Examples
    --------
    >>> best_of_lists(np.array([0.0, 0.0, 0.5, 0.7, 0.7]), np.array([0, 2, 5])).tolist()
    [0, 3]
    """
    highest = np.maximum.reduceat(scores, offsets[:-1]) if len(offsets) > 1 else np.zeros(0)
    best = np.flatnonzero(scores == np.repeat(highest, np.diff(offsets)))
    lists = np.searchsorted(offsets, best, side="right") - 1
    _, first = np.unique(lists, return_index=True)
    chosen: Int64 = best[first]
    return chosen


@dataclass(frozen=True)
class SelectionReport:
    """What lists of trees have to offer, and what was chosen.

    Attributes
    ----------
    metric : str
        The signature of the metric.
    sentences, trees : int
        Lists, and trees of all lists.
    orders : int
        Distinct orders, counted in each list by itself.
    one_order : int
        Lists whose trees all have one order: nothing can be learnt from their choice.
    first_best : int
        Lists whose first tree is the best: Algorithm 1 takes it.
    without_reference : int
        Lists whose reference has no words; the first tree is taken.
    failed : int
        Trees on which the rules raised an error; none is chosen.
    first_score, best_score : float
        The metric's value with the first tree of each list, and with the best one, which is all
        that a choice from these lists can reach.
    other_order : float
        The share of trees behind the first whose order is not that of the first.
    other_heads, other_labels, other_tags : float
        The share of words of the trees behind the first that have another head, label or tag than
        in the first.
    changed_heads, changed_tags : float
        The share of words whose head, or tag, is another one in the best tree than in the first.
    """

    metric: str
    sentences: int
    trees: int
    orders: int
    one_order: int
    first_best: int
    without_reference: int
    failed: int
    first_score: float
    best_score: float
    other_order: float
    other_heads: float
    other_labels: float
    other_tags: float
    changed_heads: float
    changed_tags: float

    def to_dict(self) -> dict[str, Any]:
        """Return the fields by name."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the report as lines of text."""
        lists = max(self.sentences, 1)
        name = self.metric.partition("|")[0]
        found = [
            f"{counted(self.sentences, 'list')} of {self.trees / lists:.1f} trees with "
            f"{self.orders / lists:.2f} distinct orders",
            f"{percent(self.one_order, self.sentences)} of the lists have one order alone; the "
            f"first tree is the best in {percent(self.first_best, self.sentences)}",
            f"{name}: {self.first_score:.4f} with the first trees, {self.best_score:.4f} with "
            "the best ones, the best possible choice",
            f"after the first tree, {100 * self.other_order:.1f} % of the trees have another "
            f"order, {100 * self.other_heads:.1f} % of the words another head, "
            f"{100 * self.other_labels:.1f} % another label, {100 * self.other_tags:.1f} % "
            "another tag",
        ]
        if self.without_reference:
            found.append(
                f"{percent(self.without_reference, self.sentences)} of the sentences have no word "
                "in their reference, so their first tree is used"
            )
        if self.failed:
            found.append(
                f"the rules failed on {percent(self.failed, self.trees)} of the trees, which are "
                "not chosen"
            )
        return found


class Selection:
    """Chooses trees from lists, batch by batch, and counts what there was to choose from.

    Parameters
    ----------
    cost : OrderCost
    standard : bool
        Take the first tree of each list, as standard self-training does; the report is the same.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> from wordorder.reordering import open_rules
    >>> trees = Treebank.from_words(
    ...     [["Wear", "sunscreen"]] * 2,
    ...     heads=[[2, 0], [0, 1]],
    ...     upos=[["VERB", "NOUN"]] * 2,
    ...     label=[["amod", "root"], ["root", "obj"]],
    ... )
    >>> lists = KBest(trees, np.array([0, 2]), np.array([-1.0, -2.0]))
    >>> selection = Selection(OrderCost(open_rules("R5"), Orders.from_rows([[1, 0]])))
    >>> selection.choose(lists, np.array([0])).heads.tolist()
    [0, 1]
    >>> selection.report().best_score
    1.0
    """

    def __init__(self, cost: OrderCost, *, standard: bool = False) -> None:
        self.cost = cost
        self.standard = standard
        self._counts = np.zeros(7, np.int64)
        self._shares = np.zeros((6, 2), np.int64)
        self._sums: tuple[ExactSum, ExactSum] | None = None

    def choose(self, candidates: KBest, rows: Int64) -> Treebank:
        """Return the chosen tree of each list.

        Parameters
        ----------
        candidates : KBest
            No list is empty.
        rows : int64[S]
            The reference of each list.

        Raises
        ------
        UsageError, InputError
            As `OrderCost` does.
        """
        scored = self.cost.scored(candidates, rows)
        best = best_of_lists(scored.scores, candidates.offsets)
        self._count(candidates, rows, scored, best)
        return candidates.trees.take(candidates.offsets[:-1] if self.standard else best)

    def report(self) -> SelectionReport:
        """Return what was counted so far."""
        metric = self.cost.metric
        scores = [0.0, 0.0]
        if self._sums is not None:
            scores = [float(metric.score(each.totals())) for each in self._sums]
        shares = (self._shares[:, 0] / np.maximum(self._shares[:, 1], 1)).tolist()
        return SelectionReport(str(metric.signature()), *self._counts.tolist(), *scores, *shares)

    def _count(self, candidates: KBest, rows: Int64, scored: ScoredOrders, best: Int64) -> None:
        """Add to the counts, as `SelectionReport` names them, and to the scores."""
        offsets = candidates.offsets
        count = len(scored.first)
        leads = (scored.first == np.arange(count)) & ~scored.failed
        distinct = np.add.reduceat(leads, offsets[:-1]) if len(offsets) > 1 else np.zeros(0)
        first = offsets[:-1]
        words = self.cost.reference.lengths[rows]
        self._counts += [
            len(candidates),
            count,
            int(leads.sum()),
            int(np.count_nonzero(distinct == 1)),
            int(np.count_nonzero(best == first)),
            int(np.count_nonzero(words == 0)),
            int(scored.failed.sum()),
        ]
        if self._sums is None:
            columns = scored.statistics.shape[1]
            self._sums = ExactSum(columns), ExactSum(columns)
        self._sums[0].add(scored.statistics[first])
        self._sums[1].add(scored.statistics[best])
        self._compare(candidates, scored, best)

    def _compare(self, candidates: KBest, scored: ScoredOrders, best: Int64) -> None:
        """Count how the trees of lists differ from the first one."""
        trees, count = candidates.trees, len(scored.first)
        leader = np.repeat(candidates.offsets[:-1], np.diff(candidates.offsets))
        behind = leader != np.arange(count)
        other = scored.first[behind] != scored.first[leader[behind]]
        self._shares[0] += int(other.sum()), len(other)
        lengths = trees.lengths
        starts = np.repeat(trees.offsets[:-1][leader] - trees.offsets[:-1], lengths)
        leading = np.arange(trees.words) + starts
        among = np.repeat(behind, lengths)
        chosen = np.zeros(count, np.bool_)
        chosen[best] = True
        picked = np.repeat(chosen, lengths)
        heads = trees.heads != trees.heads[leading]
        labels = trees.label.codes != trees.label.codes[leading]
        tags = (trees.xpos.codes != trees.xpos.codes[leading]) | (
            trees.upos.codes != trees.upos.codes[leading]
        )
        for place, (differ, mask) in enumerate(
            ((heads, among), (labels, among), (tags, among), (heads, picked), (tags, picked)), 1
        ):
            self._shares[place] += int((differ & mask).sum()), int(mask.sum())
