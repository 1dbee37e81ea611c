"""Dependency trees of a system and gold trees of the same words."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import numpy as np

from wordorder.arrays import Int32, Int64, row_and_entry
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted
from wordorder.text.blocks import quoted
from wordorder.text.opening import display_name
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import NO_HEAD, Column, Treebank

TreebankInput = Treebank | str | os.PathLike[str]

_SAME_WORDS = "the words of both files in step (--compat=conll18 aligns other words)"


class Trees:
    """The column of segments that attachment metrics read.

    Parameters
    ----------
    system, gold : Treebank
        Treebanks of the same sentences and words, as `matching_trees` checks.
    names : pair of str
        Their names in messages.
    before : int
        Number of preceding sentences of the files; messages add it to sentence numbers.
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
        """Concatenate the trees of several parts."""
        system, gold = ([getattr(part, side) for part in parts] for side in ("system", "gold"))
        return cls(Treebank.concatenate(system), Treebank.concatenate(gold))

    @property
    def offsets(self) -> Int64:
        """The index of each sentence's first word, int64[S+1]."""
        return self.gold.offsets

    def __len__(self) -> int:
        return len(self.gold)

    def part(self, rows: slice) -> Trees:
        """Return the trees of some sentences, a slice of step 1."""
        before = self.before + (rows.start or 0)
        return Trees(self.system[rows], self.gold[rows], self.names, before)

    def heads(self) -> tuple[Int32, Int32]:
        """Return the system's and the gold heads of all words, both int32[N].

        Raises
        ------
        InputError
            If a word has no head; the message names the word.
        """
        for name, treebank in zip(self.names, (self.system, self.gold), strict=True):
            is_missing = treebank.heads == NO_HEAD
            if is_missing.any():
                row, word = row_and_entry(treebank.offsets, int(np.argmax(is_missing)))
                where = sentence(name, treebank, row, self.before)
                raise InputError(where, f"word {word + 1} has no head", "a head for each word")
        return self.system.heads, self.gold.heads

    def codes(
        self, column: str, change: Callable[[str], str] | None = None
    ) -> tuple[Int32, Int32, dict[str, int]]:
        """Encode the strings of a column; equal strings of system and gold have equal ids.

        Parameters
        ----------
        column : a key of `Treebank.columns`
        change : callable, optional
            Applied to each string first.

        Returns
        -------
        system, gold : int32[N]
        ids : mapping of string to id
        """
        system, gold = self.system.columns[column], self.gold.columns[column]
        if change is not None:
            system, gold = system.map(change), gold.map(change)
        return shared_codes(system, gold)


def matching_trees(
    system: Treebank,
    gold: Treebank,
    names: tuple[str, str] = ("the system", "the gold trees"),
    before: int = 0,
) -> Trees:
    """Pair two treebanks, after a check that they have the same words.

    Raises
    ------
    InputError
        If the number of sentences, a sentence's number of words, or a word differs; the message
        names both treebanks, the sentence and the word.
    """
    if len(system) != len(gold):
        problem = f"{counted(len(system), 'sentence')}, but {len(gold)} in {names[1]}"
        raise InputError(names[0], problem, "as many in both")
    first_difference = len(gold)
    different_lengths = np.flatnonzero(system.lengths != gold.lengths)
    if len(different_lengths):
        first_difference = int(different_lengths[0])
    words = int(gold.offsets[first_difference])
    system_codes, gold_codes, _ = shared_codes(system.form[:words], gold.form[:words])
    is_different = system_codes != gold_codes
    if is_different.any():
        first_difference, _ = row_and_entry(gold.offsets, int(np.argmax(is_different)))
    if first_difference < len(gold):
        raise _mismatch_error(system, gold, names, first_difference, before)
    return Trees(system, gold, names, before)


def shared_codes(first: Column, second: Column) -> tuple[Int32, Int32, dict[str, int]]:
    """Encode the strings of two columns by the same ids.

    Examples
    --------
    >>> shared_codes(Column.of(["b", "a"]), Column.of(["a", "a"]))
    (array([0, 1], dtype=int32), array([1, 1], dtype=int32), {'b': 0, 'a': 1})
    """
    ids: dict[str, int] = {}
    codes = []
    for column in (first, second):
        strings = column.vocabulary.words
        column_ids = (ids.setdefault(string, len(ids)) for string in strings)
        codes.append(np.fromiter(column_ids, np.int32, len(strings))[column.codes])
    return codes[0], codes[1], ids


def sentence(name: str, treebank: Treebank, row: int, before: int) -> str:
    """Describe a sentence of a treebank by its number and its ``sent_id``, for messages."""
    sentence_id = treebank.margins[row].value("sent_id")
    suffix = f" ({sentence_id})" if sentence_id else ""
    return f"{name}: sentence {before + row + 1}{suffix}"


def _mismatch_error(
    system: Treebank, gold: Treebank, names: tuple[str, str], row: int, before: int
) -> InputError:
    """Build the error for the first sentence whose words differ."""
    where = sentence(names[0], system, row, before)
    system_forms, gold_forms = (
        treebank.form[slice(*treebank.offsets[row : row + 2].tolist())].strings()
        for treebank in (system, gold)
    )
    for number, forms in enumerate(zip(system_forms, gold_forms, strict=False), 1):
        if forms[0] != forms[1]:
            quotes = [quoted(form.encode("utf-8", "surrogatepass")) for form in forms]
            problem = f"word {number} is {quotes[0]}, but {quotes[1]} in {names[1]}"
            return InputError(where, problem, _SAME_WORDS)
    problem = f"{counted(len(system_forms), 'word')}, but {len(gold_forms)} in {names[1]}"
    return InputError(where, problem, _SAME_WORDS)


def read_treebank_input(value: TreebankInput, name: str) -> tuple[Treebank, str]:
    """Return a treebank, read from a file if necessary, and its name in messages.

    Raises
    ------
    UsageError
        If the value has another type.
    InputError
        If the file is wrong.
    """
    if isinstance(value, Treebank):
        return value, name
    if isinstance(value, (str, os.PathLike)):
        return read_treebank(value, trees="optional", single_root=False), display_name(value)
    raise UsageError(f"{name}: a Treebank or the path of one, not {type(value).__name__}")
