"""The cost of a wrong root (Hall et al. 2011, section 4.2)."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.trees.tree_metric import sums
from wordorder.training.costs.gold import gold_places
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import ROOT, Treebank
from wordorder.types import Float64, Int64


class RootCost:
    """0 if the gold root hangs on the artificial root, else 1; labels are ignored.

    Hall et al. (2011), section 4.2. All other heads of the gold trees may be unknown (-1).

    Parameters
    ----------
    gold : Treebank
        A sentence without a known root costs 0 whatever its tree is. Of several gold roots one
        has to be found.
    single_root : bool
        Whether a tree with a second root costs 1 even if the gold one is among them.

    Raises
    ------
    InputError
        From a call, as `gold_places` does.

    Examples
    --------
    >>> gold = Treebank.from_words([["Go", "home"]], heads=[[0, -1]])
    >>> trees = Treebank.from_words([["Go", "home"]] * 2, heads=[[2, 0], [0, 1]])
    >>> lists = KBest(trees, np.array([0, 2]), np.array([-1.0, -2.0]))
    >>> RootCost(gold)(lists, np.array([0]))
    array([1., 0.])
    """

    name = "root"

    def __init__(self, gold: Treebank, *, single_root: bool = True) -> None:
        self.gold = gold
        self.single_root = single_root

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]: 0 or 1."""
        trees = candidates.trees
        gold = self.gold.heads[gold_places(self.gold, candidates, rows)] == ROOT
        own = trees.heads == ROOT
        right = sums(gold & own, trees.offsets) > 0
        if self.single_root:
            right &= sums(own, trees.offsets) == 1
        wrong: Float64 = ((sums(gold, trees.offsets) > 0) & ~right).astype(np.float64)
        return wrong
