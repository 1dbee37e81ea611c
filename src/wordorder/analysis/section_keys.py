"""Keys of the sections of several systems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

Item = TypeVar("Item")


def numbered_keys(items: Iterable[Item]) -> Iterator[tuple[str, Item]]:
    """Yield each item with what the keys of its sections end in.

    Examples
    --------
    >>> list(numbered_keys(["P1R5", "P2R5", "P3R5"]))
    [('', 'P1R5'), ('-2', 'P2R5'), ('-3', 'P3R5')]
    """
    for number, item in enumerate(items, 1):
        yield ("" if number == 1 else f"-{number}"), item
