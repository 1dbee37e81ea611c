"""A node of a tree of phrases."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

# What a label of the Penn Treebank has behind the category: functions and numbers, -SBJ-1 or =2.
_PARTS = re.compile(r"[-=]")
EMPTY = "-NONE-"


@dataclass(eq=False)
class Node:
    """A word with its tag, or a phrase with its parts.

    Attributes
    ----------
    category : str
        The tag or the category, without functions: ``NP`` of ``NP-SBJ-1``; the empty string for
        brackets without a label, which the Penn Treebank puts around each tree.
    functions : frozenset of str
        What the label says besides: ``{"SBJ"}``.
    index : str
        The number that other nodes refer to, or the empty string.
    word : str or None
        None for a phrase.
    children : list of Node
    """

    category: str
    functions: frozenset[str] = frozenset()
    index: str = ""
    word: str | None = None
    children: list[Node] = field(default_factory=list)

    @classmethod
    def of(cls, label: str, word: str | None = None) -> Node:
        """Make a node of a label as the treebank writes it.

        Examples
        --------
        >>> node = Node.of("NP-SBJ-1")
        >>> node.category, sorted(node.functions), node.index
        ('NP', ['SBJ'], '1')
        >>> Node.of("-LRB-", "(").category, Node.of("ADVP|PRT").category
        ('-LRB-', 'ADVP')
        """
        if label.startswith("-") or word is not None:
            return cls(label, word=word)
        category, *others = _PARTS.split(label)
        numbers = [each for each in others if each.isdigit()]
        return cls(
            category.partition("|")[0],
            frozenset(each for each in others if not each.isdigit()),
            # What is behind "=" refers to another node too, but is no trace.
            numbers[0] if numbers and "=" not in label else "",
        )

    @property
    def is_word(self) -> bool:
        """Whether the node is a word with its tag."""
        return self.word is not None

    def walk(self) -> Iterator[Node]:
        """Yield the node and all below it, each phrase before its parts."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += reversed(node.children)

    def words(self) -> list[Node]:
        """Return the words, first to last, without empty elements."""
        return [node for node in self.walk() if node.is_word and node.category != EMPTY]
