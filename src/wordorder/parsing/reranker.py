"""Reranker: a parser that chooses from the lists of another one by weights of its own."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from wordorder.errors import ModelError, whole_number
from wordorder.parsing.graph.parser import GraphParser
from wordorder.parsing.model_file import weights_arrays, weights_from_arrays
from wordorder.parsing.transition.parser import TransitionParser
from wordorder.parsing.weights import Weights
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array

PARSERS: dict[str, type[TransitionParser | GraphParser]] = {
    TransitionParser.kind: TransitionParser,
    GraphParser.kind: GraphParser,
}
MOST_TREES = 1 << 12


class Reranker:
    """A parser that chooses from the lists of another one.

    Parameters
    ----------
    parser : TransitionParser or GraphParser
        Makes the lists.
    weights : Weights
        Of the same features; they choose.
    k : int, 1 to 4096
        Trees of a list.

    Raises
    ------
    UsageError
        If `k` is no such number.
    """

    kind: ClassVar[str] = "reranker"

    def __init__(
        self, parser: TransitionParser | GraphParser, weights: Weights, k: int = 8
    ) -> None:
        self.parser = parser
        self.weights = weights
        self.k = check_length(k)
        self._chooser = copy.copy(parser)
        self._chooser.weights = weights

    def parse(self, sentences: Treebank) -> Treebank:
        """Return the same sentences with the tree of each list that scores most."""
        lists = self.kbest(sentences)
        return sentences.take(np.arange(0)) if not len(lists) else lists.best()

    def kbest(self, sentences: Treebank, k: int | None = None) -> KBest:
        """Return lists of up to `k` trees, or as long as the reranker chooses from, best first.

        Raises
        ------
        UsageError
            If `k` is no such number.
        """
        lists = self.parser.kbest(sentences, self.k if k is None else max(check_length(k), self.k))
        scores = self._chooser.score(lists.trees)
        order = np.lexsort((np.arange(len(scores)), -scores, lists.sentence))
        ranked = KBest(lists.trees.take(order), lists.offsets, scores[order])
        if k is None or k >= self.k:
            return ranked
        return ranked.take(np.arange(len(ranked)), most=k)

    def learnt_words(self) -> Sequence[str]:
        """Return the words of the parser."""
        return self.parser.learnt_words()

    def learnt_tags(self) -> dict[str, frozenset[str]]:
        """Return the tags of the parser, ``upos`` and ``xpos``."""
        return self.parser.learnt_tags()

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the reranker, and its arrays by name."""
        about, arrays = self.parser.parts()
        weights = weights_arrays(f"{self.kind}.weights", self.weights)
        return {"parser": self.parser.kind, "about": about, "k": self.k}, {**arrays, **weights}

    @classmethod
    def from_parts(cls, about: Mapping[str, Any], arrays: Mapping[str, Array]) -> Reranker:
        """Make the reranker again.

        Raises
        ------
        ModelError
            If anything does not fit together.
        """
        kind, k = about.get("parser"), about.get("k")
        if kind not in PARSERS or type(k) is not int or not 1 <= k <= MOST_TREES:
            raise ModelError(f"{cls.kind}: parser {kind!r:.40}, k {k!r:.20}: cannot be")
        parser = PARSERS[kind].from_parts(about["about"], arrays)
        weights = weights_from_arrays(f"{cls.kind}.weights", arrays, parser.weights.actions)
        return cls(parser, weights, k)


def check_length(k: object) -> int:
    """Return the length of a list.

    Raises
    ------
    UsageError
        If it cannot be one.
    """
    return whole_number("k", k, most=MOST_TREES)
