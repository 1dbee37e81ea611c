"""Accuracy of the tags of a language."""

from __future__ import annotations

from wordorder.metrics.trees.tag_accuracy import TagAccuracy


class LanguageTagAccuracy(TagAccuracy):
    """Share of words that have the right tag of the language (XPOS).

    Words without a gold tag (``_``) do not count; a sentence without any is left out.

    Parameters
    ----------
    punctuation : "include", "exclude" or "exclude-form"
        As for `uas`.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no trees.

    Notes
    -----
    The words of a corpus are pooled. Linear in the words; heads are not looked at.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> from wordorder.treebank.treebank import Treebank
    >>> gold = Treebank.from_words([["It", "rains"]], xpos=["PRP VBZ".split()])
    >>> system = Treebank.from_words([["It", "rains"]], xpos=["PRP NNS".split()])
    >>> LanguageTagAccuracy().segment_scores(Segments.from_treebanks(system, gold))
    array([0.5])
    """

    name = "xpos"
    column = "xpos"
