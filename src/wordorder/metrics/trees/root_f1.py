"""F1 of the roots of sentences."""

from __future__ import annotations

from wordorder.metrics.trees.tree_metric import ArcMetric
from wordorder.segments import Segments
from wordorder.treebank.treebank import ROOT
from wordorder.types import Bool


class RootF1(ArcMetric):
    """F1 of the words that hang on the artificial root.

    What Hall et al. (2011, section 4.2) call Root-F1: the harmonic mean of precision and recall
    over arcs from the artificial root, labels ignored. With one root a sentence on both sides it
    is the share of sentences with the right root.

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
    The arcs of a corpus are pooled. A sentence without a root on either side scores 1. Linear in
    the words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["It", "rains"], ["Go", "!"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0], [0, 1]])
    >>> system = Treebank.from_words(words, heads=[[2, 0], [0, 0]])
    >>> RootF1().segment_scores(Segments.from_treebanks(system, gold)).round(2)
    array([1.  , 0.67])
    """

    name = "root-f1"

    def arcs(self, segments: Segments) -> tuple[Bool, Bool, Bool]:
        """Return which words are roots of the system, of the gold tree, and of both."""
        system, gold = (heads == ROOT for heads in segments.trees.heads())
        return system, gold, system & gold
