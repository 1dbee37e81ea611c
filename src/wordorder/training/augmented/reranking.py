"""Reranking: the alternative to augmented-loss training that leaves the parser as it is."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from wordorder.parsing.graph.parser import GraphParser
from wordorder.parsing.learner import LossTally, Tally
from wordorder.parsing.reranker import Reranker, check_length
from wordorder.parsing.transition.parser import TransitionParser
from wordorder.parsing.weights import Weights
from wordorder.training.augmented.learner import K
from wordorder.training.costs.base import Cost, checked_costs
from wordorder.treebank.treebank import Treebank
from wordorder.types import Float64, Int64


class RerankLearner:
    """Learns to choose from the lists of a parser by what their trees cost.

    The lists are made once and stay; the parser does not change. That is the difference to
    `AugmentedLearner` (Hall et al. 2011, section 1): a tree that is in no list is never found.

    Parameters
    ----------
    parser : TransitionParser or GraphParser
        Its weights are those to start with.
    sentences : Treebank
        With tags.
    cost : Cost
    k : int, 1 to 4096

    Raises
    ------
    UsageError
        If `k` is no such number, or the cost fails on a sentence.

    Examples
    --------
    >>> from wordorder.parsing import open_parser, train
    >>> from wordorder.training import RootCost
    >>> parser = open_parser("en").parser
    >>> bank = Treebank.from_words(
    ...     [["time", "flies"]], upos=[["NOUN", "VERB"]], heads=[[0, -1]]
    ... )
    >>> learner = RerankLearner(parser, bank, RootCost(bank), k=64)
    >>> reranker = train(learner, epochs=20).model
    >>> parser.parse(bank).heads.tolist(), reranker.parse(bank).heads.tolist()
    ([2, 0], [0, 1])
    """

    def __init__(
        self,
        parser: TransitionParser | GraphParser,
        sentences: Treebank,
        cost: Cost,
        *,
        k: int = K,
    ) -> None:
        self._parser, self._k = parser, check_length(k)
        self._lists = parser.kbest(sentences, k)
        self._costs = checked_costs(cost, self._lists, np.arange(len(sentences)))
        self._encoded = parser.encoded(sentences)

    @property
    def instances(self) -> int:
        """How many sentences there are."""
        return len(self._lists)

    def new_weights(self) -> Weights:
        """Return the weights of the parser, to be changed."""
        return self._parser.weights.copy()

    def learn(self, rows: Int64, weights: Weights, before: int) -> Tally:
        """Process sentences in the given order and change the weights in place."""
        chooser = copy.copy(self._parser)
        chooser.weights = weights
        tally = LossTally()
        for seen, row in enumerate(rows.tolist(), before):
            first, last = self._lists.offsets[row : row + 2].tolist()
            costs = self._costs[first:last]
            trees = self._lists.trees[first:last]
            if not len(costs):
                continue
            chosen, best = int(np.argmax(chooser.score(trees))), int(np.argmin(costs))
            changed = bool(costs[best] < costs[chosen]) and self._encoded.update(
                weights, row, _tree(trees, best), _tree(trees, chosen), seen
            )
            tally += LossTally(1, int(changed), int(_even(costs)), float(costs[chosen]))
        return Tally(len(rows), tally.updates, (LossTally(), tally))

    def model(self, weights: Weights) -> Reranker:
        """Return the reranker that has these (averaged) weights."""
        return Reranker(self._parser, weights, self._k)


def _even(costs: Float64) -> bool:
    """Whether all trees cost the same."""
    return bool(costs.min() == costs.max())


def _tree(trees: Treebank, number: int) -> tuple[Any, Any]:
    """Return heads and labels of a tree."""
    one = trees[number : number + 1]
    return one.heads, one.label.strings()
