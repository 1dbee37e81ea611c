"""The gold trees of candidates: which gold word each word of a list is."""

from __future__ import annotations

import numpy as np

from wordorder.counts import counted
from wordorder.errors import InputError
from wordorder.ragged import row_places
from wordorder.training.costs.base import sentence_name
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64


def gold_places(gold: Treebank, candidates: KBest, rows: Int64) -> Int64:
    """Return the place in `gold` of each word of the candidates, int64[N].

    Parameters
    ----------
    gold : Treebank
        A head of -1 is not known, as in trees that are given in part.
    candidates : KBest
    rows : int64[S]
        The sentence of `gold` that each list is of.

    Raises
    ------
    InputError
        If a list is of no sentence of `gold`, or of one with more or fewer words.

    Examples
    --------
    >>> gold = Treebank.from_words([["No"], ["It", "rains"]], heads=[[0], [2, 0]])
    >>> trees = Treebank.from_words([["It", "rains"]] * 2, heads=[[2, 0], [0, 1]])
    >>> gold_places(gold, KBest(trees, np.array([0, 2]), np.zeros(2)), np.array([1])).tolist()
    [1, 2, 1, 2]
    """
    beyond = np.flatnonzero((rows < 0) | (rows >= len(gold)))
    if len(beyond):
        where = f"sentence {int(rows[beyond[0]]) + 1}"
        raise InputError(where, "no gold tree", f"one of {counted(len(gold), 'sentence')}")
    taken = rows[candidates.sentence]
    ours, theirs = candidates.trees.lengths, gold.lengths[taken]
    wrong = np.flatnonzero(ours != theirs)
    if len(wrong):
        tree = int(wrong[0])
        where = sentence_name(candidates, int(candidates.sentence[tree]), int(taken[tree]))
        what = f"{counted(int(ours[tree]), 'word')}, but {int(theirs[tree])} in the gold tree"
        raise InputError(where, what, "the same words")
    places, _ = row_places(gold.offsets, taken)
    return places
