"""Strings as another program can take them."""

from __future__ import annotations

from wordorder.treebank.column import NOTHING, Column


def safe_strings(column: Column) -> list[str]:
    r"""Return the string of each word, never empty and always such that UTF-8 can write it.

    Examples
    --------
    >>> safe_strings(Column.of(["a", "", "\ud800"]))
    ['a', '_', '?']
    """
    return column.map(_safe).strings()


def _safe(string: str) -> str:
    return string.encode("utf-8", "replace").decode("utf-8") or NOTHING
