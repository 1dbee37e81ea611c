"""Labelled attachment score."""

from __future__ import annotations

from wordorder.errors import choose
from wordorder.metrics.trees.labels import SUBTYPES, right_labels
from wordorder.metrics.trees.tree_metric import ShareMetric, right_heads
from wordorder.segments import Segments
from wordorder.types import Bool


class LabelledAttachment(ShareMetric):
    """Share of words that have the right head and the right label.

    The words of a corpus are pooled, as in the shared tasks (Buchholz and Marsi 2006).

    Parameters
    ----------
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` is another label than ``nsubj``; the shared tasks on Universal
        Dependencies drop what follows the colon (Zeman et al. 2018).
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
    A sentence without words that count scores 1: nothing is wrong. Linear in the words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words, heads = [["It", "was", "eaten"]], [[3, 3, 0]]
    >>> gold = Treebank.from_words(words, heads=heads, label=[["nsubj:pass", "aux:pass", "root"]])
    >>> system = Treebank.from_words(words, heads=heads, label=[["nsubj", "cop", "root"]])
    >>> segments = Segments.from_treebanks(system, gold)
    >>> LabelledAttachment().segment_scores(segments).round(2)
    array([0.33])
    >>> LabelledAttachment(subtypes="drop").segment_scores(segments).round(2)
    array([0.67])
    """

    name = "las"

    def __init__(self, *, subtypes: str = "keep", punctuation: str = "include") -> None:
        super().__init__(punctuation=punctuation)
        self.subtypes = choose(f"{self.name}.subtypes", subtypes, SUBTYPES)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return (("subtypes", self.subtypes),)

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right head and label, bool[N]."""
        return right_heads(segments) & right_labels(segments, self.subtypes)
