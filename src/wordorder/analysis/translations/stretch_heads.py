"""The head of a block of words: the word nearest to the root of the tree."""

from __future__ import annotations

import numpy as np

from wordorder.analysis.translations.moved_blocks import Blocks
from wordorder.analysis.tree_depths import word_depths
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64


def moved_heads(blocks: Blocks, trees: Treebank) -> tuple[Int64, Int64]:
    """Find the head of each moved block, and that of the words that it passes.

    Parameters
    ----------
    blocks : Blocks
    trees : Treebank
        Of the references, word by word.

    Returns
    -------
    heads, passed : int64[M]
        For each of the M moved blocks the word that is nearest to the root, the first of them, as
        a place in the references; likewise among the staying words that the block passes, or -1
        without any.

    Examples
    --------
    >>> from wordorder.analysis.translations.moved_blocks import path_blocks
    >>> from wordorder.metrics.text.cover_path import cover_paths
    >>> from wordorder.text.texts import Texts
    >>> blocks = path_blocks(cover_paths(Texts.from_segments(
    ...     ["on tuesday so we met at six"], ["we met at six on tuesday"])))
    >>> tree = Treebank.from_words([["we", "met", "at", "six", "on", "tuesday"]],
    ...                            heads=[[2, 0, 4, 2, 6, 2]])
    >>> [heads.tolist() for heads in moved_heads(blocks, tree)]
    [[5], [1]]
    """
    depths = word_depths(trees)
    size = len(depths)
    # Ordered by depth, then by place.
    keys = depths[blocks.reference] * size + blocks.reference
    moved = np.flatnonzero(blocks.moved)
    if not len(moved):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    heads = np.minimum.reduceat(keys, blocks.first[:-1])[moved] % size
    passed = np.full(len(moved), -1, np.int64)
    passing = np.flatnonzero(blocks.passed[moved] >= 0)
    if len(passing):
        # Words that have moved are not passed; one more key closes the last stretch.
        keys = np.append(np.where(blocks.word_moved, np.iinfo(np.int64).max, keys), 0)
        starts = np.searchsorted(blocks.reference, blocks.passed[moved[passing]])
        stops = np.searchsorted(blocks.reference, blocks.passed_last[moved[passing]]) + 1
        bounds = np.column_stack([starts, stops]).ravel()
        passed[passing] = np.minimum.reduceat(keys, bounds)[::2] % size
    return heads, passed
