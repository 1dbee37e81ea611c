"""Unlabelled attachment score."""

from __future__ import annotations

from wordorder.metrics.trees.tree_metric import ShareMetric, right_heads
from wordorder.segments import Segments
from wordorder.types import Bool


class UnlabelledAttachment(ShareMetric):
    """Share of words that have the right head.

    The words of a corpus are pooled, as in the shared tasks (Buchholz and Marsi 2006). The
    artificial root is a head like any other.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        Whether punctuation marks count as words: all do; those do not that have the gold tag PUNCT
        or, where UPOS is none of the universal tags, consist of punctuation marks; those do not
        that consist of punctuation marks, whatever their tag (CoNLL-X).

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence without words that count scores 1: nothing is wrong. Linear in the words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["Dogs", "bark", "at", "night", "."]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0, 4, 2, 2]])
    >>> system = Treebank.from_words(words, heads=[[2, 0, 2, 3, 2]])
    >>> segments = Segments.from_treebanks(system, gold)
    >>> UnlabelledAttachment().segment_scores(segments)
    array([0.6])
    >>> UnlabelledAttachment(punctuation="exclude").segment_scores(segments)
    array([0.5])
    """

    name = "uas"

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right head, bool[N]."""
        return right_heads(segments)
