"""How deep dependency trees are."""

from __future__ import annotations

import numpy as np

from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64


def word_depths(treebank: Treebank) -> Int64:
    """Count the arcs from the artificial root to each word, int64[N].

    Parameters
    ----------
    treebank : Treebank
        Of trees; roots may be several.

    Notes
    -----
    O(N log depth): each step doubles the arcs that every word has climbed.

    Examples
    --------
    >>> words = [["She", "reads", "old", "books"]]
    >>> word_depths(Treebank.from_words(words, heads=[[2, 0, 4, 2]])).tolist()
    [2, 1, 3, 2]
    """
    size = treebank.words
    starts = np.repeat(treebank.offsets[:-1], treebank.lengths)
    # One more place for the root, which stays where it is.
    above = np.full(size + 1, size, np.int64)
    above[:size] = np.where(treebank.heads > 0, starts + treebank.heads - 1, size)
    depths = np.ones(size + 1, np.int64)
    depths[size] = 0
    for _ in range(max(int(treebank.lengths.max(initial=0)), 1).bit_length()):
        depths += depths[above]
        above = above[above]
    return depths[:size]


def tree_depths(treebank: Treebank) -> Int64:
    """Return the depth of the deepest word of each sentence, int64[S]; 0 without words.

    Examples
    --------
    >>> bank = Treebank.from_words([["a", "b", "c"], []], heads=[[0, 1, 2], []])
    >>> tree_depths(bank).tolist()
    [3, 0]
    """
    deepest = np.zeros(len(treebank), np.int64)
    sentences = np.repeat(np.arange(len(treebank)), treebank.lengths)
    np.maximum.at(deepest, sentences, word_depths(treebank))
    return deepest
