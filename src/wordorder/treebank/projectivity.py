"""Which arcs are projective, which cross, and trees made projective."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import trees as kernel
from wordorder.kernels._run import run_rows
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees
from wordorder.types import Array, Bool, Int64


def non_projective_words(treebank: Treebank) -> Bool:
    """Return which words hang on their heads by an arc that is not projective, bool[N].

    An arc is projective if its head dominates every word between head and dependent; the arc of
    the root always is.

    Raises
    ------
    InputError
        If the heads of a sentence make no tree; several roots are allowed.

    Examples
    --------
    >>> words = [["A", "hearing", "is", "scheduled", "today"]]
    >>> bank = Treebank.from_words(words, heads=[[2, 4, 4, 0, 2]])
    >>> non_projective_words(bank).tolist()
    [False, False, False, False, True]
    """
    check_trees(treebank, single_root=False)
    marks = np.zeros(treebank.words, np.uint8)
    heads = np.ascontiguousarray(treebank.heads)
    offsets = np.ascontiguousarray(treebank.offsets)
    run_rows(kernel.mark_non_projective, offsets, heads, offsets, marks, scratch=_shape)
    return marks.astype(np.bool_)


def non_projective_arcs(treebank: Treebank) -> Int64:
    """Count the arcs of each sentence that are not projective, int64[S].

    Raises
    ------
    InputError
        As `non_projective_words` does.

    Examples
    --------
    >>> bank = Treebank.from_words([["a", "b", "c", "d"]] * 2, heads=[[3, 4, 0, 3], [2, 0, 2, 2]])
    >>> non_projective_arcs(bank).tolist()
    [1, 0]
    """
    counts = np.concatenate([[0], np.cumsum(non_projective_words(treebank), dtype=np.int64)])
    return np.diff(counts[treebank.offsets])


def crossing_arcs(treebank: Treebank, *, root: bool = True) -> Int64:
    """Count the pairs of arcs of each sentence that cross when all are drawn above it, int64[S].

    Parameters
    ----------
    treebank : Treebank
    root : bool
        Whether arcs from the root count, which is before the first word: a sentence without
        crossings is then the same as one whose arcs are all projective. Studies of dependency
        length mostly leave them out.

    Raises
    ------
    InputError
        As `non_projective_words` does.

    Examples
    --------
    >>> bank = Treebank.from_words([["a", "b", "c", "d"]], heads=[[3, 4, 0, 3]])
    >>> crossing_arcs(bank).tolist(), crossing_arcs(bank, root=False).tolist()
    ([2], [1])
    """
    check_trees(treebank, single_root=False)
    crossings = np.zeros(len(treebank), np.int64)
    heads = np.ascontiguousarray(treebank.heads)
    offsets = np.ascontiguousarray(treebank.offsets)
    run_rows(
        kernel.count_crossings,
        offsets,
        *(heads, offsets, root, crossings),
        scratch=lambda longest: (np.zeros(3 * (longest + 2), np.int32),),
    )
    return crossings


def projectivize(treebank: Treebank) -> tuple[Treebank, Int64]:
    """Make all arcs projective by lifting some to the heads of their heads.

    The shortest arc that is not projective, the leftmost of several, is lifted until all are
    projective (Nivre & Nilsson 2005, the baseline: labels stay as they are).

    Returns
    -------
    treebank : Treebank
        The same sentences with other heads.
    lifted : int64[S]
        How many words of each sentence have another head.

    Raises
    ------
    InputError
        As `non_projective_words` does.

    Notes
    -----
    A sentence of n words takes O(n log n) time and as much for each lift.

    Examples
    --------
    >>> words = [["A", "hearing", "is", "scheduled", "today"]]
    >>> bank, lifted = projectivize(Treebank.from_words(words, heads=[[2, 4, 4, 0, 2]]))
    >>> bank.heads.tolist(), lifted.tolist()
    ([2, 4, 4, 0, 4], [1])
    """
    check_trees(treebank, single_root=False)
    heads = treebank.heads.copy()
    lifts = np.zeros(len(treebank), np.int64)
    offsets = np.ascontiguousarray(treebank.offsets)
    run_rows(kernel.lift_arcs, offsets, heads, offsets, lifts, scratch=_shape)
    counts = np.concatenate([[0], np.cumsum(heads != treebank.heads, dtype=np.int64)])
    return treebank.replace(heads=heads), np.diff(counts[treebank.offsets])


def _shape(longest: int) -> tuple[Array, ...]:
    """Make the working array of the kernels for a longest sentence."""
    return (np.zeros(8 * (longest + 1), np.int32),)
