"""F1 of the arcs with one label."""

from __future__ import annotations

import re

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.metrics.trees.labels import SUBTYPES, label_codes
from wordorder.metrics.trees.relations import is_relation
from wordorder.metrics.trees.tree_metric import ArcMetric, right_heads
from wordorder.segments import Segments
from wordorder.types import Bool

# What DEPREL may contain, less the sign that parts the fields of a signature.
_LABEL = re.compile(r"[^\s|]+")


class LabelF1(ArcMetric):
    """F1 of the arcs with one label: `nsubj`, or any relation of Universal Dependencies.

    Precision is the share of the system's arcs with the label that are right, recall the share of
    such gold arcs that the system has, and F1 their harmonic mean; an arc is right if head and
    label are. Hall et al. (2011, section 4.2) report it for subjects. A relation of Universal
    Dependencies, also with a subtype, names its metric: ``metric("nsubj")``; any other label is
    given: ``label-f1(label=SBJ)``.

    Parameters
    ----------
    label : str
    head : "match" or "ignore"
        Whether the head of an arc must be right too, or its label alone.
    subtypes : "keep" or "drop"
        Whether ``nsubj:pass`` is another label than ``nsubj``.
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If there is no label, or one that can be none; if a value is unknown, or the segments have
        no trees.
    InputError
        If a word has no head.

    Notes
    -----
    The arcs of a corpus are pooled. A sentence in which neither side has the label scores 1. The
    metric is called after its label where that is a relation of Universal Dependencies. Linear in
    the words.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["Who", "came"], ["Dogs", "bark"]]
    >>> gold = Treebank.from_words(words, heads=[[2, 0]] * 2, label=[["nsubj", "root"]] * 2)
    >>> labels = [["obj", "root"], ["nsubj", "root"]]
    >>> system = Treebank.from_words(words, heads=[[2, 0]] * 2, label=labels)
    >>> segments = Segments.from_treebanks(system, gold)
    >>> print(LabelF1(label="nsubj").corpus_score(segments))
    0.6667 (nsubj|label:nsubj|head:match|subtypes:keep|punctuation:include|v:0.2.0, 2 segments)
    """

    name = "label-f1"

    def __init__(
        self,
        *,
        label: str = "",
        head: str = "match",
        subtypes: str = "keep",
        punctuation: str = "include",
    ) -> None:
        super().__init__(punctuation=punctuation)
        self.head = choose(f"{self.name}.head", head, ("match", "ignore"))
        self.subtypes = choose(f"{self.name}.subtypes", subtypes, SUBTYPES)
        if not isinstance(label, str) or not label:
            raise UsageError("label-f1 needs a label: label-f1(label=SBJ); or nsubj and its like")
        if _LABEL.fullmatch(label) is None:
            raise UsageError(f"label-f1.label is a label without blanks and '|', not {label!r}")
        if subtypes == "drop" and ":" in label:
            raise UsageError(f"label-f1: {label} has a subtype, which subtypes=drop forgets")
        self.label = label
        if is_relation(label):
            self.name = label

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return (("label", self.label), ("head", self.head), ("subtypes", self.subtypes))

    def arcs(self, segments: Segments) -> tuple[Bool, Bool, Bool]:
        """Return which words have the label in the system, in the gold tree, and rightly."""
        ours, theirs, numbers = label_codes(segments, self.subtypes)
        number = numbers.get(self.label, -1)
        system, gold = np.equal(ours, number), np.equal(theirs, number)
        both = system & gold
        return system, gold, both & right_heads(segments) if self.head == "match" else both
