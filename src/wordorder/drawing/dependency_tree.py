"""What the drawings of dependency trees need to know of a tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class DependencyTree(Protocol):
    """A sentence with its dependency tree, as `wordorder.treebank.tree.Tree` is one.

    Words are counted from 1; 0 is the artificial root. A string ``_`` says that nothing is known.
    """

    @property
    def forms(self) -> Sequence[str]:
        """The words."""

    @property
    def lemmas(self) -> Sequence[str]:
        """Their lemmas."""

    @property
    def upos(self) -> Sequence[str]:
        """Their universal tags."""

    @property
    def xpos(self) -> Sequence[str]:
        """The language's own tags."""

    @property
    def feats(self) -> Sequence[str]:
        """Their features, as they are written in CoNLL-U."""

    @property
    def labels(self) -> Sequence[str]:
        """Their relations to their heads."""

    @property
    def heads(self) -> Sequence[int]:
        """The head of each word, -1 where none is given."""

    @property
    def text(self) -> str:
        """The sentence."""

    @property
    def is_tree(self) -> bool:
        """Whether the heads make a tree."""

    @property
    def non_projective(self) -> Sequence[int]:
        """Words of a tree whose head does not dominate all words between."""

    def children(self, word: int) -> Sequence[int]:
        """Return the dependents of a word, or those of the root for 0, from left to right."""

    def __len__(self) -> int:
        """Count the words."""
