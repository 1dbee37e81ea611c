"""Checks and measures of trees: faults, projectivity, crossing arcs."""

from typing import Any, Literal, Protocol, TypeVar

import numpy as np

from wordorder.arrays import Bool, Int32, Int64, row_offsets
from wordorder.errors import InputError, choose
from wordorder.kernels import call, run_rows, treebank as kernel

# Which words must have heads: all; all or none of each sentence; any subset.
HeadRequirement = Literal["required", "optional", "partial"]
HEAD_REQUIREMENTS: tuple[HeadRequirement, ...] = ("required", "optional", "partial")
SECOND_ROOT = "a second root"

# The kernel's fault codes: the problem and what is expected.
_FAULTS = {
    1: ("no head", "a head for each word"),
    2: ("head {head}", "a number from 0 to {words}, the words of the sentence"),
    3: ("a word that is its own head", "the number of another word, or 0"),
    4: (SECOND_ROOT, "one word with head 0 in a sentence"),
    5: ("no root: no word of the sentence has head 0", "one word with head 0"),
    6: ("a cycle: the word depends on itself by way of others", "a tree"),
}


class HasHeads(Protocol):
    """The part of a `Treebank` that is used here."""

    @property
    def heads(self) -> Int32:
        """The head of each word, int32[N]."""

    @property
    def offsets(self) -> Int64:
        """The offset of each sentence's first word, and the end of the last one, int64[S+1]."""

    @property
    def words(self) -> int:
        """The number of words of all sentences."""

    def __len__(self) -> int:
        """Return the number of sentences."""

    def replace(self, *, heads: Int32) -> Any:
        """Return the same sentences with other heads."""


Bank = TypeVar("Bank", bound=HasHeads)


def first_tree_fault(
    heads: Int32, offsets: Int64, *, trees: HeadRequirement, single_root: bool
) -> tuple[int, int, str, str] | None:
    """Find the first sentence whose heads are not a tree.

    Parameters
    ----------
    heads, offsets : int32[N], int64[S+1]
        See `Treebank`.
    trees : {"required", "optional", "partial"}
        With ``optional`` a sentence may also have no heads at all, with ``partial`` any of its
        words may lack one.
    single_root : bool
        Whether only one word of a sentence may have head 0.

    Returns
    -------
    (sentence, word, problem, expected), or None
        The index of the sentence, that of the word in its sentence, and the texts of the message.

    Examples
    --------
    >>> heads, offsets = np.array([2, 0, 0, 1, 2], np.int32), np.array([0, 2, 5])
    >>> first_tree_fault(heads, offsets, trees="required", single_root=True)
    >>> first_tree_fault(heads[::-1].copy(), offsets, trees="required", single_root=True)
    (0, 0, 'no root: no word of the sentence has head 0', 'one word with head 0')
    """
    requirement = HEAD_REQUIREMENTS.index(choose("trees", trees, HEAD_REQUIREMENTS))
    rows = len(offsets) - 1
    fault = np.zeros(3, np.int64)
    scratch = np.zeros(int(np.diff(offsets).max(initial=0)), np.int32)
    call(kernel.find_bad_trees, heads, offsets, requirement, single_root, fault, scratch, rows)
    error, row, word = fault.tolist()
    if not error:
        return None
    problem, expected = _FAULTS[error]
    values = {
        "head": int(heads[offsets[row] + word]),
        "words": int(offsets[row + 1] - offsets[row]),
    }
    if error == 1:
        if trees == "optional":
            expected += " of the sentence, or for none"
        if np.any(heads[offsets[row] : offsets[row + 1]] >= 0):
            expected += " (trees given in part are for `wordorder train parser --augment`)"
    return row, word, problem.format(**values), expected.format(**values)


def check_trees(
    treebank: HasHeads,
    where: str = "Treebank",
    *,
    trees: HeadRequirement = "required",
    single_root: bool = True,
) -> None:
    """Check that the heads of each sentence are a tree.

    Parameters
    ----------
    treebank : Treebank
    where : str
        The name of the treebank in messages.
    trees : {"required", "optional", "partial"}
        With ``optional`` a sentence may also have no heads at all, with ``partial`` any of its
        words may lack one.
    single_root : bool
        Whether only one word of a sentence may have head 0.

    Raises
    ------
    InputError
        At the first fault: a head that is missing, out of range or the word itself, a second root,
        no root, or a cycle.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> check_trees(Treebank.from_words([["It", "rains"]], heads=[[2, 1]]))
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: Treebank, sentence 1, word 1: no root: no word of the sentence \
has head 0; expected one word with head 0
    """
    fault = first_tree_fault(treebank.heads, treebank.offsets, trees=trees, single_root=single_root)
    if fault:
        sentence, word, problem, expected = fault
        raise InputError(f"{where}, sentence {sentence + 1}, word {word + 1}", problem, expected)


def non_projective_words(treebank: HasHeads) -> Bool:
    """Return a mask of the words whose arc is not projective, bool[N].

    An arc is projective if its head dominates every word between head and dependent; the arc of
    the root always is.

    Raises
    ------
    InputError
        If the heads of a sentence are not a tree; several roots are allowed.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["A", "hearing", "is", "scheduled", "today"]]
    >>> bank = Treebank.from_words(words, heads=[[2, 4, 4, 0, 2]])
    >>> non_projective_words(bank).tolist()
    [False, False, False, False, True]
    """
    check_trees(treebank, single_root=False)
    marks = np.zeros(treebank.words, np.uint8)
    arguments = (treebank.heads, treebank.offsets, marks)
    run_rows(
        kernel.mark_non_projective, treebank.offsets, *arguments, scratch=lambda longest: (longest,)
    )
    return marks.astype(np.bool_)


def non_projective_arcs(treebank: HasHeads) -> Int64:
    """Count the arcs of each sentence that are not projective, int64[S].

    Raises
    ------
    InputError
        See `non_projective_words`.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> bank = Treebank.from_words([["a", "b", "c", "d"]] * 2, heads=[[3, 4, 0, 3], [2, 0, 2, 2]])
    >>> non_projective_arcs(bank).tolist()
    [1, 0]
    """
    return np.diff(row_offsets(non_projective_words(treebank))[treebank.offsets])


def crossing_arcs(treebank: HasHeads, *, root: bool = True) -> Int64:
    """Count the pairs of arcs of each sentence that cross when all are drawn above it, int64[S].

    Parameters
    ----------
    treebank : Treebank
    root : bool
        Whether to count arcs from the root, placed before the first word. With them, a sentence
        has no crossings exactly if it is projective. Studies of dependency length mostly leave
        them out.

    Raises
    ------
    InputError
        See `non_projective_words`.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> bank = Treebank.from_words([["a", "b", "c", "d"]], heads=[[3, 4, 0, 3]])
    >>> crossing_arcs(bank).tolist(), crossing_arcs(bank, root=False).tolist()
    ([2], [1])
    """
    check_trees(treebank, single_root=False)
    crossings = np.zeros(len(treebank), np.int64)
    arguments = (treebank.heads, treebank.offsets, root, crossings)
    run_rows(
        kernel.count_crossings, treebank.offsets, *arguments, scratch=lambda longest: (longest,)
    )
    return crossings


def projectivize(treebank: Bank) -> tuple[Bank, Int64]:
    """Make all arcs projective by lifting some to the heads of their heads.

    The shortest non-projective arc (the leftmost on ties) is lifted until all arcs are projective
    (Nivre & Nilsson 2005, the baseline: labels do not change).

    Returns
    -------
    treebank : Treebank
        The same sentences with projective heads.
    lifted : int64[S]
        The number of words of each sentence whose head changed.

    Raises
    ------
    InputError
        See `non_projective_words`.

    Notes
    -----
    A sentence of n words takes O(n log n) time, plus O(n log n) per lift.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words = [["A", "hearing", "is", "scheduled", "today"]]
    >>> bank, lifted = projectivize(Treebank.from_words(words, heads=[[2, 4, 4, 0, 2]]))
    >>> bank.heads.tolist(), lifted.tolist()
    ([2, 4, 4, 0, 4], [1])
    """
    check_trees(treebank, single_root=False)
    heads = treebank.heads.copy()
    lifts = np.zeros(len(treebank), np.int64)
    offsets = treebank.offsets
    arguments = (heads, offsets, lifts)
    run_rows(kernel.lift_arcs, offsets, *arguments, scratch=lambda longest: (longest,))
    changed_before = row_offsets(heads != treebank.heads)
    return treebank.replace(heads=heads), np.diff(changed_before[treebank.offsets])
