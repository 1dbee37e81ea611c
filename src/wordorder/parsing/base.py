"""Protocols of taggers, parsers and tokenizers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from wordorder.treebank.kbest import KBest
    from wordorder.treebank.treebank import Treebank


@runtime_checkable
class Tagger(Protocol):
    """Gives each word its tags."""

    def tag(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags (``upos``, ``xpos`` or both)."""


@runtime_checkable
class CompletingTagger(Tagger, Protocol):
    """A tagger that also gives words the tags that they lack."""

    def complete(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new tags that agree with those that they have."""


@runtime_checkable
class KnowsTags(Protocol):
    """A parser that tells which tags it learnt from."""

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags that are known, ``upos`` and ``xpos``; none if it never saw any."""


@runtime_checkable
class KnowsWords(Protocol):
    """A tagger or parser that tells which words it learnt from."""

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the training data."""


@runtime_checkable
class Parser(Protocol):
    """Gives each sentence its tree."""

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with new heads and labels, each a tree with one root."""


@runtime_checkable
class ListParser(Parser, Protocol):
    """A parser that also gives several trees of each sentence."""

    def kbest(self, sentences: Treebank, k: int) -> KBest:
        """Return up to `k` distinct trees a sentence, best first."""


class RawTokenizer(Protocol):
    """Cuts raw text, one sentence per line.

    Attributes
    ----------
    unspaced : bool
        Whether its language has no blanks between words.
    """

    unspaced: bool

    def tokens(self, lines: Sequence[str]) -> list[list[str]]:
        """Return the tokens of each line; no token is empty."""

    def words(self, tokens: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the words of each token of a sentence: itself, unless it is several."""
