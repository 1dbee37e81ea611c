"""Trees: a system's dependency trees and gold trees of the same words."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from itertools import zip_longest

import numpy as np

from wordorder.arrays import Int32, Int64, row_and_entry
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted
from wordorder.text.blocks import quoted
from wordorder.text.opening import display_name
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

GivenTrees = Treebank | str | os.PathLike[str]

_IN_STEP = "the words of both files in step (--compat=conll18 aligns other words)"


class Trees:
    """The column of segments that attachment metrics read.

    Parameters
    ----------
    system, gold : Treebank
        The same sentences and words; `matching_trees` checks it.
    names : pair of str
        What messages call the two.
    before : int
        How many sentences come before these, so that messages count from the start of a file.
    """

    def __init__(
        self,
        system: Treebank,
        gold: Treebank,
        names: tuple[str, str] = ("the system", "the gold trees"),
        before: int = 0,
    ) -> None:
        self.system = system
        self.gold = gold
        self.names = names
        self.before = before

    @classmethod
    def concatenate(cls, parts: Sequence[Trees]) -> Trees:
        """Put the trees of several parts one behind the other."""
        system, gold = ([getattr(part, side) for part in parts] for side in ("system", "gold"))
        return cls(Treebank.concatenate(system), Treebank.concatenate(gold))

    @property
    def offsets(self) -> Int64:
        """Where the words of each sentence begin, int64[S+1]."""
        return self.gold.offsets

    def __len__(self) -> int:
        return len(self.gold)

    def part(self, rows: slice) -> Trees:
        """Return the trees of some sentences, a slice of step 1."""
        before = self.before + (rows.start or 0)
        return Trees(self.system[rows], self.gold[rows], self.names, before)

    def heads(self) -> tuple[Int32, Int32]:
        """Return the heads of all words, the system's and the gold ones, both int32[N].

        Raises
        ------
        InputError
            If a word has none; the message names it.
        """
        for name, treebank in zip(self.names, (self.system, self.gold), strict=True):
            bare = treebank.heads == NO_HEAD
            if bare.any():
                row, word = row_and_entry(treebank.offsets, int(np.argmax(bare)))
                where = sentence(name, treebank, row, self.before)
                raise InputError(where, f"word {word + 1} has no head", "a head for each word")
        return self.system.heads, self.gold.heads

    def codes(
        self, column: str, change: Callable[[str], str] | None = None
    ) -> tuple[Int32, Int32, dict[str, int]]:
        """Return numbers for the strings of a column, equal for equal strings of both sides.

        Parameters
        ----------
        column : name as in `Treebank.columns`
        change : callable, optional
            What is done to each string first.

        Returns
        -------
        system, gold : int32[N]
        numbers : mapping of string to number
        """
        ours, theirs = self.system.columns[column], self.gold.columns[column]
        if change is not None:
            ours, theirs = ours.map(change), theirs.map(change)
        return shared_codes(ours, theirs)


def matching_trees(
    system: Treebank,
    gold: Treebank,
    names: tuple[str, str] = ("the system", "the gold trees"),
    before: int = 0,
) -> Trees:
    """Return trees of the same words.

    Raises
    ------
    InputError
        If the number of sentences, a sentence's number of words, or a word differs; the message
        names both treebanks, the sentence and the word.
    """
    if len(system) != len(gold):
        what = f"{counted(len(system), 'sentence')}, but {len(gold)} in {names[1]}"
        raise InputError(names[0], what, "as many in both")
    rows = len(gold)
    lengths = np.flatnonzero(system.lengths != gold.lengths)
    if len(lengths):
        rows = int(lengths[0])
    words = int(gold.offsets[rows])
    ours, theirs, _ = shared_codes(system.form[:words], gold.form[:words])
    unlike = ours != theirs
    if unlike.any():
        rows, _ = row_and_entry(gold.offsets, int(np.argmax(unlike)))
    if rows < len(gold):
        raise _mismatch(system, gold, names, rows, before)
    return Trees(system, gold, names, before)


def shared_codes(ours: Column, theirs: Column) -> tuple[Int32, Int32, dict[str, int]]:
    """Number the strings of two columns alike.

    Examples
    --------
    >>> shared_codes(Column.of(["b", "a"]), Column.of(["a", "a"]))
    (array([0, 1], dtype=int32), array([1, 1], dtype=int32), {'b': 0, 'a': 1})
    """
    numbers: dict[str, int] = {}
    found = []
    for column in (ours, theirs):
        words = column.vocabulary.words
        table = (numbers.setdefault(word, len(numbers)) for word in words)
        found.append(np.fromiter(table, np.int32, len(words))[column.codes])
    return found[0], found[1], numbers


def sentence(name: str, treebank: Treebank, row: int, before: int) -> str:
    """Name a sentence of a treebank by its number, and by what its comments call it."""
    own = treebank.margins[row].value("sent_id")
    called = f" ({own})" if own else ""
    return f"{name}: sentence {before + row + 1}{called}"


def _mismatch(
    system: Treebank, gold: Treebank, names: tuple[str, str], row: int, before: int
) -> InputError:
    """Build the error for the first sentence whose words differ."""
    where = sentence(names[0], system, row, before)
    spans = [(each, *each.offsets[row : row + 2].tolist()) for each in (system, gold)]
    ours, theirs = (each.form[begin:end].strings() for each, begin, end in spans)
    for number, (own, other) in enumerate(zip_longest(ours, theirs), 1):
        if own is None or other is None:
            break
        if own != other:
            shown = [quoted(form.encode("utf-8", "surrogatepass")) for form in (own, other)]
            what = f"word {number} is {shown[0]}, but {shown[1]} in {names[1]}"
            return InputError(where, what, _IN_STEP)
    what = f"{counted(len(ours), 'word')}, but {len(theirs)} in {names[1]}"
    return InputError(where, what, _IN_STEP)


def given_trees(given: GivenTrees, what: str) -> tuple[Treebank, str]:
    """Return a treebank, and what messages call it.

    Raises
    ------
    UsageError
        If something else is given.
    InputError
        If the file is wrong.
    """
    if isinstance(given, Treebank):
        return given, what
    if isinstance(given, (str, os.PathLike)):
        return read_treebank(given, trees="optional", single_root=False), display_name(given)
    raise UsageError(f"{what}: a Treebank or the path of one, not {type(given).__name__}")
