"""What the drawings of a dependency tree write, and whether they run from right to left."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from wordorder.drawing.tree_labels import drawable


def shown_columns(columns: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return columns of strings as they are drawn, without those that say nothing.

    Examples
    --------
    >>> shown_columns([["_", "_"], ["NOUN", "_"], ["a\\nb", "c"]])
    [['NOUN', ''], ['a�b', 'c']]
    """
    shown = [[drawable("" if s == "_" else s) for s in column] for column in columns]
    return [column for column in shown if any(column)]


def runs_leftwards(words: Iterable[str]) -> bool:
    """Whether the first letter that has a direction belongs to a script from right to left.

    Examples
    --------
    >>> runs_leftwards(["1", "שלום"]), runs_leftwards(["a", "שלום"])
    (True, False)
    """
    for word in words:
        for character in word:
            direction = unicodedata.bidirectional(character)
            if direction in ("L", "R", "AL"):
                return direction != "L"
    return False
