"""The distinct strings of a column, as numbers to count by."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from wordorder.treebank.column import NOTHING, Column
from wordorder.types import Int64


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
