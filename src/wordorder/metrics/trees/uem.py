"""Unlabelled exact match."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.trees.tree_metric import TreeMetric, right_heads, sums
from wordorder.segments import Segments
from wordorder.types import Float64


class UnlabelledExactMatch(TreeMetric):
    """Share of sentences in which every word has the right head.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence without words that count is right. Linear in the words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["It", "rains"], ["Go", "!"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0], [0, 1]])
    >>> system = Treebank.from_words(words, heads=[[2, 0], [2, 0]])
    >>> UnlabelledExactMatch().segment_scores(Segments.from_treebanks(system, gold))
    array([1., 0.])
    """

    name = "uem"

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: 1 for a sentence that is right, and 1."""
        wrong = sums(self.counted(segments) & ~right_heads(segments), segments.trees.offsets)
        return np.stack([(wrong == 0).astype(np.float64), np.ones(len(segments))], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return right sentences over all, 0 where there are none."""
        value = np.zeros(np.shape(totals)[:-1])
        return np.divide(totals[..., 0], totals[..., 1], out=value, where=totals[..., 1] > 0)
