"""Labelled arc-length score."""

from __future__ import annotations

from wordorder.errors import choose
from wordorder.metrics.trees.als import ArcLength
from wordorder.metrics.trees.labels import SUBTYPES, right_labels
from wordorder.segments import Segments
from wordorder.types import Bool


class LabelledArcLength(ArcLength):
    """Share of words with the right head and label, each weighted by the length of its gold arc.

    As `als` (Hall et al. 2011, section 4.3), where the label must be right too.

    Parameters
    ----------
    root : "exclude" or "include"
        As for `als`.
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` is another label than ``nsubj``.
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.
    average : "micro" or "segment"
        As for `als`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.
    InputError
        If a word has no head.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words, heads = [["We", "ate", "the", "bread"]], [[2, 0, 4, 2]]
    >>> gold = Treebank.from_words(words, heads=heads, label=[["nsubj", "root", "det", "obj"]])
    >>> system = Treebank.from_words(words, heads=heads, label=[["nsubj", "root", "det", "obl"]])
    >>> LabelledArcLength().segment_scores(Segments.from_treebanks(system, gold))
    array([0.5])
    """

    name = "als-labelled"

    def __init__(
        self,
        *,
        root: str = "exclude",
        subtypes: str = "keep",
        punctuation: str = "include",
        average: str = "micro",
    ) -> None:
        super().__init__(root=root, punctuation=punctuation, average=average)
        self.subtypes = choose(f"{self.name}.subtypes", subtypes, SUBTYPES)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return (*super().extra_fields(), ("subtypes", self.subtypes))

    def right(self, segments: Segments) -> Bool:
        """Return which words have the right head and label, bool[N]."""
        return super().right(segments) & right_labels(segments, self.subtypes)
