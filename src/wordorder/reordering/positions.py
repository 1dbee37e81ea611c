"""The positions of words in their sentences and trees."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool

# What punctuation is labelled, in Universal and in Stanford dependencies.
PUNCTUATION = ("punct", "p")


def at_positions(treebank: Treebank, places: Sequence[str]) -> Bool:
    """Return which words are at one of some places, bool[N].

    Parameters
    ----------
    treebank : Treebank
    places : names of `wordorder.reordering.conditions.POSITIONS`

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left", "."]], heads=[[2, 0, 2]],
    ...                            label=[["nsubj", "root", "punct"]])
    >>> at_positions(bank, ["left", "root"]).tolist(), at_positions(bank, ["final"]).tolist()
    ([True, True, False], [False, True, True])
    """
    starts = np.repeat(treebank.offsets[:-1], treebank.lengths)
    number = np.arange(treebank.words) - starts + 1
    found = np.zeros(treebank.words, np.bool_)
    for place in places:
        if place == "left":
            found |= treebank.heads > number
        elif place == "right":
            found |= (treebank.heads > 0) & (treebank.heads < number)
        elif place == "root":
            found |= treebank.heads == 0
        elif place == "first":
            found |= number == 1
        else:
            found |= _final(treebank)
    return found


def _final(treebank: Treebank) -> Bool:
    """Return the words that only punctuation follows."""
    words = treebank.label.vocabulary.words
    table = np.array([word in PUNCTUATION for word in words], np.bool_)
    spoken = np.flatnonzero(~table[treebank.label.codes]) if len(words) else np.zeros(0, np.int64)
    sentence = np.repeat(np.arange(len(treebank)), treebank.lengths)
    last = treebank.offsets[:-1].copy()
    # Of several words of one sentence the last one stays.
    last[sentence[spoken]] = spoken
    found: Bool = np.arange(treebank.words) >= last[sentence]
    return found
