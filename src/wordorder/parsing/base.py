"""What a tagger and a parser are."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank


@runtime_checkable
class Tagger(Protocol):
    """Gives each word its tags."""

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags (``upos``, ``xpos`` or both)."""
        ...


@runtime_checkable
class Parser(Protocol):
    """Gives each sentence its tree."""

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new heads and labels, each a tree with one root."""
        ...


@runtime_checkable
class ListParser(Parser, Protocol):
    """A parser that also gives several trees of each sentence."""

    def kbest(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct trees a sentence, best first."""
        ...
