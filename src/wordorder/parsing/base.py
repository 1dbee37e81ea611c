"""Protocols of taggers, parsers and tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from wordorder.treebank.kbest import KBest
    from wordorder.treebank.treebank import Treebank


@runtime_checkable
class Tagger(Protocol):
    """Predicts the tags of words."""

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags (``upos``, ``xpos`` or both)."""


@runtime_checkable
class CompletingTagger(Tagger, Protocol):
    """A tagger that can also predict only the missing tags."""

    def complete(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags that agree with the tags they have."""


@runtime_checkable
class KnowsTags(Protocol):
    """A parser with a list of the tags of its training data."""

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the known tags of ``upos`` and ``xpos``; a set is empty if it saw no such tags."""


@runtime_checkable
class KnowsWords(Protocol):
    """A tagger or parser with a list of the words of its training data."""

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the training data."""


@runtime_checkable
class Parser(Protocol):
    """Predicts the tree of each sentence."""

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new heads and labels, each a tree with one root."""


@runtime_checkable
class ListParser(Parser, Protocol):
    """A parser that can also return the k best trees of each sentence."""

    def kbest(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct trees per sentence, best first."""


class RawTokenizer(Protocol):
    """Splits raw text, one sentence per line, into tokens.

    Attributes
    ----------
    unspaced : bool
        Whether its language is written without spaces between words.
    """

    unspaced: bool

    def tokens(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each line; no token is empty."""

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of each token of a sentence: one, or several of a multiword token."""
