"""Column: one string for each word of a treebank, kept as numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from wordorder.text.vocabulary import Vocabulary
from wordorder.types import Bool, Int32, Int64

# What CoNLL-U writes where nothing is said.
NOTHING = "_"


class Column:
    """Strings of all words, one after the other.

    Parameters
    ----------
    codes : int32[N]
        The number of each word's string.
    vocabulary : Vocabulary
        The strings by number. It may hold strings that no word has, and a string more than once.

    Examples
    --------
    >>> column = Column.of(["DT", "NN", "DT"])
    >>> column.codes.tolist(), column.vocabulary.words, column.strings()
    ([0, 1, 0], ['DT', 'NN'], ['DT', 'NN', 'DT'])
    """

    __slots__ = ("codes", "vocabulary")

    def __init__(self, codes: Int32, vocabulary: Vocabulary) -> None:
        self.codes = codes
        self.vocabulary = vocabulary

    @classmethod
    def of(cls, strings: Iterable[str]) -> Column:
        """Number the strings of some words."""
        numbers: dict[str, int] = {}
        codes = [numbers.setdefault(string, len(numbers)) for string in strings]
        return cls(np.array(codes, np.int32), Vocabulary(list(numbers)))

    @classmethod
    def filled(cls, length: int, string: str = NOTHING) -> Column:
        """Return a column that says the same of each word."""
        return cls(np.zeros(length, np.int32), Vocabulary([string]))

    @classmethod
    def concatenate(cls, parts: Iterable[Column]) -> Column:
        """Put columns one behind the other."""
        numbers: dict[str, int] = {}
        codes = [np.zeros(0, np.int32)]
        for part in parts:
            table = [numbers.setdefault(word, len(numbers)) for word in part.vocabulary.words]
            codes.append(np.array(table, np.int32)[part.codes] if table else part.codes)
        return cls(np.concatenate(codes), Vocabulary(list(numbers)))

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, words: slice) -> Column:
        """Return some of the words."""
        return Column(self.codes[words], self.vocabulary)

    def take(self, places: Int64) -> Column:
        """Return the words at `places`, in their order."""
        return Column(self.codes[places], self.vocabulary)

    def map(self, change: Callable[[str], str]) -> Column:
        """Return a column of changed strings; `change` is called once a distinct string."""
        return Column(self.codes, Vocabulary([change(word) for word in self.vocabulary.words]))

    def encode(self, numbers: dict[str, int], unknown: int) -> Int32:
        """Return the number that a model has for each word's string, int32[N].

        Parameters
        ----------
        numbers : mapping of string to number
        unknown : int
            For strings that it does not have.
        """
        words = self.vocabulary.words
        table = np.fromiter((numbers.get(word, unknown) for word in words), np.int32, len(words))
        return table[self.codes] if len(words) else self.codes

    def said(self) -> Bool:
        """Return which words have something here, bool[N].

        Examples
        --------
        >>> Column.of(["DT", "_"]).said().tolist()
        [True, False]
        """
        return self.encode({NOTHING: 0}, 1).astype(bool)

    def strings(self) -> list[str]:
        """Return the string of each word."""
        words = self.vocabulary.words
        return [words[code] for code in self.codes.tolist()]

    def by_frequency(self, least: int = 1) -> list[str]:
        """Return the distinct strings that `least` words have, the most frequent first.

        Examples
        --------
        >>> Column.of(["DT", "NN", "JJ", "NN"]).by_frequency()
        ['NN', 'DT', 'JJ']
        """
        counts: dict[str, int] = {}
        numbers = np.bincount(self.codes, minlength=len(self.vocabulary)).tolist()
        for string, count in zip(self.vocabulary.words, numbers, strict=True):
            if count:
                counts[string] = counts.get(string, 0) + count
        kept = [(-count, string) for string, count in counts.items() if count >= least]
        return [string for _, string in sorted(kept)]

    def __repr__(self) -> str:
        return f"Column({len(self)} words, {len(self.vocabulary)} strings)"


def numbered(
    column: Column, change: Callable[[str], str] | None = None
) -> tuple[Int64, tuple[str, ...]]:
    """Number the words of a column so that equal strings have equal numbers.

    Parameters
    ----------
    column : Column
        N words.
    change : callable, optional
        What strings become first: ``str.lower``.

    Returns
    -------
    numbers : int64[N]
    strings : tuple of str
        By number; some may belong to no word.

    Examples
    --------
    >>> numbers, strings = numbered(Column.of(["The", "cat", "the"]), str.lower)
    >>> numbers.tolist(), strings
    ([0, 1, 0], ('the', 'cat'))
    """
    number_of: dict[str, int] = {}
    words = column.vocabulary.words if change is None else map(change, column.vocabulary.words)
    table = np.array([number_of.setdefault(word, len(number_of)) for word in words], np.int64)
    numbers = table[column.codes] if len(table) else column.codes.astype(np.int64)
    return numbers, tuple(number_of)


def says_something(column: Column) -> bool:
    """Return whether a column says anything of at least one word.

    Examples
    --------
    >>> says_something(Column.of(["_", "NN"])), says_something(Column.of(["_", "_"]))
    (True, False)
    """
    words = column.vocabulary.words
    used = np.bincount(column.codes, minlength=len(words)) > 0
    return any(used[code] for code, word in enumerate(words) if word != NOTHING)
