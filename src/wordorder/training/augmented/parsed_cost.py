"""ParsedCost: what tag sequences cost, by the trees that a parser gives them."""

from __future__ import annotations

from wordorder.parsing.base import Parser
from wordorder.training.costs.base import Cost, cost_name
from wordorder.treebank.kbest import KBest
from wordorder.types import Float64, Int64


class ParsedCost:
    """The cost of the tree that a parser makes over the tags of each candidate.

    With it a tagger learns from what its tags lead to (Hall et al. 2011, section 6).

    Parameters
    ----------
    cost : Cost
        Of trees.
    parser : Parser

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.parsing import TaggerLearner, open_parser
    >>> from wordorder.training import RootCost, augmented_train
    >>> from wordorder.treebank import Treebank
    >>> parser = open_parser("en").parser
    >>> tags = [["NOUN", "NOUN"], ["VERB", "NOUN"]]
    >>> bank = Treebank.from_words([["click", "here"]] * 2, upos=tags)
    >>> lists = KBest(bank, np.array([0, 2]), np.zeros(2))
    >>> gold = Treebank.from_words([["click", "here"]], heads=[[0, -1]])
    >>> ParsedCost(RootCost(gold), parser)(lists, np.array([0])).tolist()
    [1.0, 0.0]
    """

    def __init__(self, cost: Cost, parser: Parser) -> None:
        self.cost = cost
        self.parser = parser
        self.name = cost_name(cost)

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each candidate, float64[T]."""
        trees = self.parser.parse(candidates.trees)
        return self.cost(KBest(trees, candidates.offsets, candidates.scores), rows)
