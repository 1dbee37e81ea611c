"""Whether the heads of a treebank make trees."""

from __future__ import annotations

from typing import Literal

import numpy as np

from wordorder.errors import InputError, choose
from wordorder.kernels import trees as kernel
from wordorder.kernels._run import call
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int32, Int64

# Whether words must have heads: all, or those of each sentence as it likes, or each as it likes.
Trees = Literal["required", "optional", "partial"]
LEGAL: tuple[Trees, ...] = ("required", "optional", "partial")

SECOND_ROOT = "a second root"
# What the kernel finds, by its number.
_FAULTS = {
    1: ("no head", "a head for each word"),
    2: ("head {head}", "a number from 0 to {words}, the words of the sentence"),
    3: ("a word that is its own head", "the number of another word, or 0"),
    4: (SECOND_ROOT, "one word with head 0 in a sentence"),
    5: ("no root: no word of the sentence has head 0", "one word with head 0"),
    6: ("a cycle: the word depends on itself by way of others", "a tree"),
}


def first_fault(
    heads: Int32, offsets: Int64, *, trees: Trees, single_root: bool
) -> tuple[int, int, str, str] | None:
    """Find the first sentence whose heads make no tree.

    Parameters
    ----------
    heads, offsets : int32[N], int64[S+1]
        As `Treebank` has them.
    trees : {"required", "optional", "partial"}
        With ``optional`` a sentence may also have no heads at all, with ``partial`` any of its
        words may lack one.
    single_root : bool
        Whether just one word of a sentence may have head 0.

    Returns
    -------
    (sentence, word, what, expected), or None
        Both numbers count from 0, the word's within its sentence.

    Examples
    --------
    >>> heads, offsets = np.array([2, 0, 0, 1, 2], np.int32), np.array([0, 2, 5])
    >>> first_fault(heads, offsets, trees="required", single_root=True)
    >>> first_fault(heads[::-1].copy(), offsets, trees="required", single_root=True)
    (0, 0, 'no root: no word of the sentence has head 0', 'one word with head 0')
    """
    missing_heads = LEGAL.index(choose("trees", trees, LEGAL))
    rows = len(offsets) - 1
    state = np.zeros(3, np.int64)
    walk = np.zeros(int(np.diff(offsets).max(initial=0)), np.int32)
    call(kernel.check_trees, heads, offsets, missing_heads, single_root, state, walk, 0, rows)
    error, row, word = state.tolist()
    if not error:
        return None
    what, expected = _FAULTS[error]
    given = {"head": int(heads[offsets[row] + word]), "words": int(offsets[row + 1] - offsets[row])}
    if error == 1:
        if trees == "optional":
            expected += " of the sentence, or for none"
        if np.any(heads[offsets[row] : offsets[row + 1]] >= 0):
            expected += " (trees given in part are for `wordorder train parser --augment`)"
    return row, word, what.format(**given), expected.format(**given)


def check_trees(
    treebank: Treebank,
    where: str = "Treebank",
    *,
    trees: Trees = "required",
    single_root: bool = True,
) -> None:
    """Check that the heads of each sentence make a tree.

    Parameters
    ----------
    treebank : Treebank
    where : str
        What messages call it.
    trees : {"required", "optional", "partial"}
        With ``optional`` a sentence may also have no heads at all, with ``partial`` any of its
        words may lack one.
    single_root : bool
        Whether just one word of a sentence may have head 0.

    Raises
    ------
    InputError
        At the first sentence and word that is wrong: a head that is missing, out of range or the
        word itself, a second root, no root, a cycle.

    Examples
    --------
    >>> check_trees(Treebank.from_words([["It", "rains"]], heads=[[2, 1]]))
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: Treebank, sentence 1, word 1: no root: no word of the sentence \
has head 0; expected one word with head 0
    """
    fault = first_fault(treebank.heads, treebank.offsets, trees=trees, single_root=single_root)
    if fault:
        sentence, word, what, expected = fault
        place = f"{where}, sentence {sentence + 1}, word {word + 1}"
        raise InputError(place, what, expected)
