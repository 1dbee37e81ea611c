"""Trees in otedama's own form: a sentence a line, a node after the other, depth first.

A node is ``>`` for each step of depth, its tag, its label, its word and its links, put together by
``#``; nodes are set apart by ``&``. ``_`` before the tag says that children follow; one of them,
labelled ``head``, is the word itself.
"""

from __future__ import annotations

import gzip
from pathlib import Path

from wordorder.errors import InputError
from wordorder.treebank import Treebank


def read_otedama_trees(path: Path) -> Treebank:
    """Read a file of trees, with Stanford labels and Penn tags.

    Parameters
    ----------
    path : Path
        Compressed by gzip.

    Raises
    ------
    InputError
        If a line is not as it should be.
    """
    words: list[list[str]] = []
    heads: list[list[int]] = []
    tags: list[list[str]] = []
    labels: list[list[str]] = []
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as stream:
        for number, line in enumerate(stream, 1):
            tree = _Tree()
            try:
                for text in filter(None, line.rstrip("\n").split("&")):
                    tree.add(text)
            except (ValueError, IndexError):
                found = f"{path}:{number}", "no tree of otedama", "TAG#label#word#[]&"
                raise InputError(*found) from None
            words.append(tree.words)
            heads.append([tree.word_of.get(node, 0) for node in tree.above])
            tags.append(tree.tags)
            labels.append(tree.labels)
    return Treebank.from_words(words, heads=heads, xpos=tags, label=labels)


class _Tree:
    """The words of a line, and the nodes with children, which are numbered as they come."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.tags: list[str] = []
        self.labels: list[str] = []
        self.above: list[int] = []  # for each word the node whose head is its own head, -1 for none
        self.word_of: dict[int, int] = {}  # the word, from 1, that heads a node
        self._parent: list[int] = []
        self._label: list[str] = []
        self._open: list[int] = []

    def add(self, text: str) -> None:
        """Read the next node."""
        node = text.lstrip(">")
        tag, label, rest = node.split("#", 2)
        word, _ = rest.rsplit("#", 1)
        del self._open[len(text) - len(node) :]
        parent = self._open[-1] if self._open else -1
        if tag == "ROOT" or tag.startswith("_"):
            self._open.append(len(self._parent))
            self._parent.append(parent)
            self._label.append(label)
            return
        self.words.append(word)
        self.tags.append(tag)
        if label == "head":
            self.word_of[parent] = len(self.words)
            self.labels.append(self._label[parent])
            self.above.append(self._parent[parent])
        else:
            self.labels.append(label)
            self.above.append(parent)
