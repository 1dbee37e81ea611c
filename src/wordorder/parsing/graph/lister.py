"""GraphLister: exact lists of trees, one sentence at a time, to learn which tree is better."""

from __future__ import annotations

import numpy as np

from wordorder.parsing.graph.parser import best_lists
from wordorder.parsing.graph.sentences import EncodedSentences
from wordorder.parsing.weights import UNIT, Weights
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.column import Column
from wordorder.treebank.kbest import KBest
from wordorder.treebank.one_list import OneList
from wordorder.types import Int32


class GraphLister:
    """Lists the best spanning trees of a sentence, and favours one of them.

    Parameters
    ----------
    sentences : EncodedSentences
    lists : OneList
        Of the same sentences.
    labels : Vocabulary
        The labels of the parser by number.
    weights : Weights
        Read for each list, and changed.
    """

    def __init__(
        self, sentences: EncodedSentences, lists: OneList, labels: Vocabulary, weights: Weights
    ) -> None:
        self._sentences, self._lists = sentences, lists
        self._labels = labels
        self._weights = weights
        self._row = 0
        self._trees = np.zeros((2, 0, 0), np.int32)

    def listed(self, row: int, k: int) -> KBest:
        """Return the `k` best trees of a sentence under the weights of this moment."""
        arcs = self._sentences.arcs
        heads, labels, scores, _ = best_lists(arcs, self._weights, row, row + 1, k, None)
        self._row = row
        self._trees = np.stack([heads, labels]).reshape(2, len(scores), -1)
        named = Column(labels, self._labels)
        return self._lists.candidates(row, scores / UNIT, heads=heads, label=named)

    def prefer(self, better: int, before: int) -> bool:
        """Favour the arcs of a tree of the last list over those of the first one."""
        good, bad = self._tree(better), self._tree(0)
        return self._sentences.change(self._weights, self._row, good, bad, before)

    def _tree(self, number: int) -> tuple[Int32, Int32]:
        """Return heads and labels of a tree of the last list."""
        heads, labels = self._trees[:, number]
        return heads, labels
