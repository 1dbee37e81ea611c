"""Nouns and verbs, in universal tags or in those of the Penn Treebank."""

from __future__ import annotations

import numpy as np

from wordorder.treebank.column import Column
from wordorder.treebank.strings import says_something
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool

UNIVERSAL = {"noun": ("NOUN", "PROPN"), "verb": ("VERB", "AUX")}
# What the tags of the Penn Treebank begin with: NN, NNS, …; VB, VBD, … and MD.
PENN = {"noun": ("NN",), "verb": ("VB", "MD")}


def known_tags(treebank: Treebank) -> Column | None:
    """Return the universal tags, or those of the language, or None if there are neither."""
    columns = (treebank.upos, treebank.xpos)
    return next((column for column in columns if says_something(column)), None)


def tagged_as(treebank: Treebank, kind: str) -> Bool:
    """Return which words are tagged as nouns or as verbs, bool[N].

    Parameters
    ----------
    treebank : Treebank
    kind : "noun" or "verb"
        Proper nouns and auxiliaries included. Where there are no universal tags, those of the
        Penn Treebank tell.

    Examples
    --------
    >>> bank = Treebank.from_words([["Can", "dogs", "bark"]], xpos=[["MD", "NNS", "VB"]])
    >>> tagged_as(bank, "verb").tolist()
    [True, False, True]
    """
    tags = known_tags(treebank)
    if tags is None:
        return np.zeros(treebank.words, np.bool_)
    words = tags.vocabulary.words
    if tags is treebank.upos:
        table = [tag in UNIVERSAL[kind] for tag in words]
    else:
        table = [tag.startswith(PENN[kind]) for tag in words]
    return np.array(table, np.bool_)[tags.codes]
