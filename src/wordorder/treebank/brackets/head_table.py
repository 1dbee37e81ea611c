"""The table of heads: which part of a phrase of each category is its head."""

from __future__ import annotations

import functools
import pathlib
from collections.abc import Mapping, Sequence

from wordorder.text.toml import read_toml
from wordorder.treebank.brackets.node import Node

STYLES = ("stanford", "surface")
# From which side, and the categories of the parts that are looked for.
Step = tuple[bool, frozenset[str]]
PUNCTUATION = frozenset(
    {",", ".", ":", "``", "''", "-LRB-", "-RRB-", "-LCB-", "-RCB-", "HYPH", "NFP"}
)


@functools.cache
def head_table(style: str) -> Mapping[str, tuple[Step, ...]]:
    """Return the steps of each category."""
    table = read_toml(pathlib.Path(__file__).parent / "heads.toml").data[style]
    return {
        category: tuple(
            (side == "last", frozenset(wanted)) for step in steps for side, wanted in step.items()
        )
        for category, steps in table.items()
    }


def head_part(category: str, parts: Sequence[Node], style: str) -> Node:
    """Return which of some parts of a phrase is its head.

    Parameters
    ----------
    category : str
        The category of the phrase.
    parts : sequence of Node
        At least one.
    style : {"stanford", "surface"}

    Examples
    --------
    >>> parts = [Node.of("DT", "the"), Node.of("NN", "book"), Node.of("PP")]
    >>> head_part("NP", parts, "stanford").word
    'book'
    """
    for last, wanted in head_table(style).get(category, ()):
        for part in reversed(parts) if last else parts:
            if part.category in wanted:
                return part
    return next((part for part in reversed(parts) if part.category not in PUNCTUATION), parts[-1])
