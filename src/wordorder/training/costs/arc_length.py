"""The cost of long arcs that are wrong (Hall et al. 2011, section 4.3)."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.trees.tree_metric import sums
from wordorder.segments.trees import shared_codes
from wordorder.training.costs.gold import gold_places
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import ROOT, Treebank
from wordorder.types import Float64, Int64


class ArcLengthCost:
    """1 less the arc-length score of a sentence: each wrong arc costs as much as it is long.

    ``1 - sum [head of i is right] |i - h_i| / sum |i - h_i|`` over the words whose gold head is
    known and is a word (Hall et al. 2011, section 4.3, with the bars that the paper leaves out).
    The arc of the artificial root does not count; a sentence without arcs that count costs 0.

    Parameters
    ----------
    gold : Treebank
        Heads may be unknown (-1).
    labelled : bool
        Whether the label must be right too; arcs whose gold label is ``_`` do not count then.

    Raises
    ------
    InputError
        From a call, as `gold_places` does.

    Examples
    --------
    >>> words = [["a", "b", "c", "d", "e"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0, 2, 5, 3]])
    >>> trees = Treebank.from_words(words, heads=[[2, 0, 2, 3, 3]])
    >>> cost = ArcLengthCost(gold)
    >>> cost(KBest(trees, np.array([0, 1]), np.zeros(1)), np.array([0])).round(3)
    array([0.2])
    """

    def __init__(self, gold: Treebank, *, labelled: bool = False) -> None:
        self.gold = gold
        self.labelled = labelled
        self.name = "arc-length-labelled" if labelled else "arc-length"
        starts = np.repeat(gold.offsets[:-1], gold.lengths)
        own = np.arange(1, gold.words + 1) - starts
        counts = gold.heads > ROOT
        if labelled:
            counts &= gold.label.said()
        self._lengths = np.where(counts, np.abs(own - gold.heads), 0)

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T], from 0 to 1."""
        trees = candidates.trees
        places = gold_places(self.gold, candidates, rows)
        lengths = self._lengths[places]
        wrong = trees.heads != self.gold.heads[places]
        if self.labelled:
            ours, theirs, _ = shared_codes(trees.label, self.gold.label.take(places))
            wrong |= ours != theirs
        total = sums(lengths, trees.offsets)
        return sums(lengths * wrong, trees.offsets) / np.maximum(total, 1.0)
