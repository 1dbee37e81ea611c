"""Arc-length score."""

from __future__ import annotations

import numpy as np

from wordorder.errors import choose
from wordorder.metrics.trees.tree_metric import ShareMetric, right_heads
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.treebank.treebank import ROOT
from wordorder.types import Bool, Float64, Int64

AVERAGES = ("micro", "segment")


class ArcLength(ShareMetric):
    """Share of words that have the right head, each weighted by the length of its gold arc.

    ``sum [head of i is right] |i - h_i| / sum |i - h_i|`` for words ``i`` with gold heads ``h_i``
    (Hall et al. 2011, section 4.3), where long arcs matter, as they do for reordering. The paper
    prints ``i - h_i`` without the bars; such differences cancel each other out.

    Parameters
    ----------
    root : "exclude" or "include"
        Whether arcs from the artificial root (position 0) count. Their length says where the root
        of the sentence is, not how far it is from anything.
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.
    average : "micro" or "segment"
        The corpus score: the arc lengths of all sentences pooled, or the mean of the sentences'
        scores, which is how the paper states the score.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Notes
    -----
    A sentence without arcs that count, as one of a single word, scores 1: it adds nothing to pooled
    lengths, and counts as 1 in the mean over sentences. Linear in the words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["a", "b", "c", "d", "e"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0, 2, 5, 3]])
    >>> system = Treebank.from_words(words, heads=[[2, 0, 2, 3, 3]])
    >>> segments = Segments.from_treebanks(system, gold)
    >>> ArcLength().segment_scores(segments)
    array([0.8])
    >>> ArcLength(root="include").segment_scores(segments).round(3)
    array([0.857])
    """

    name = "als"

    def __init__(
        self, *, root: str = "exclude", punctuation: str = "include", average: str = "micro"
    ) -> None:
        super().__init__(punctuation=punctuation)
        self.root = choose(f"{self.name}.root", root, ("exclude", "include"))
        self.average = choose(f"{self.name}.average", average, AVERAGES)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return (("root", self.root),)

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        pooled = super().signature()
        return pooled.with_fields(("average", self.average)) if self.average != "micro" else pooled

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 3]: right and all lengths, or score and 1; and 1."""
        found = super().statistics(segments)
        if self.average == "segment":
            found[:, 0] = self.score(found)
            found[:, 1] = 1.0
        return found

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right head, bool[N]."""
        return right_heads(segments)

    def weights(self, segments: Segments) -> Int64:
        """Return the length of each gold arc that counts, int64[N], 0 for others."""
        lengths: Int64 = segments.derived("arc lengths", lambda: arc_lengths(segments))
        counted = self.counted(segments)
        if self.root == "exclude":
            counted = counted & (segments.trees.heads()[1] != ROOT)
        return np.where(counted, lengths, 0)


def arc_lengths(segments: Segments) -> Int64:
    """Return how far each word is from its gold head, int64[N]; the root is at position 0."""
    offsets = segments.trees.offsets
    _, heads = segments.trees.heads()
    places = np.arange(1, len(heads) + 1) - np.repeat(offsets[:-1], np.diff(offsets))
    lengths: Int64 = np.abs(places - heads)
    return lengths
