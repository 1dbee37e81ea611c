"""GraphLearner: a structured perceptron over the spanning trees of a graph parser."""

from __future__ import annotations

from typing import Any

import numpy as np

from wordorder.errors import choose
from wordorder.parsing.graph.arc_scores import FEATURES, LabelChoice, Numbering
from wordorder.parsing.graph.parser import (
    EncodedSentences,
    GraphParser,
    Heads,
    Labels,
    best_lists,
)
from wordorder.parsing.learners import Best, SentenceLearner
from wordorder.parsing.weights import Step, Weights
from wordorder.text.vocabulary import Vocabulary
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import check_trees
from wordorder.types import Int32, Int64, UInt64


class GraphLearner(SentenceLearner[tuple[Heads, Labels]]):
    """Learns the weights of a `GraphParser` from trees, projective or not.

    The structured perceptron (Collins 2002): each sentence is parsed, and where the tree is not
    that of the treebank, the features of the arcs that are missing get 1 more and those of the
    arcs that are wrong 1 less. An arc with the right head and a wrong label changes only what
    belongs to the labels.

    Parameters
    ----------
    treebank : Treebank
        Whole trees, each with a single word at the root.
    features : {"hall", "rich"}
        See `GraphParser`.
    lowercase : bool
        Whether words are lowercased, here and by the parser that is learnt.
    least : int
        Words that the treebank has less often are all taken for one unknown word.
    text : Treebank, optional
        Further sentences, without trees, whose words are known too.

    Raises
    ------
    InputError
        If a sentence has no tree, more than one word at the root, or more than 2000 words, or if
        there are no words.

    Examples
    --------
    >>> import numpy as np
    >>> bank = Treebank.from_words(
    ...     [["go", "home"]], heads=[[0, 1]], upos=[["VERB", "ADV"]], label=[["root", "advmod"]]
    ... )
    >>> learner = GraphLearner(bank)
    >>> weights = learner.new_weights()
    >>> learner.learn(np.array([0, 0, 0]), weights, before=0)
    Tally(instances=3, updates=1, losses=())
    """

    _sentences: EncodedSentences

    def __init__(
        self,
        treebank: Treebank,
        *,
        features: str = "hall",
        lowercase: bool = False,
        least: int = 1,
        text: Treebank | None = None,
    ) -> None:
        self._features = choose("features", features, FEATURES)
        check_trees(treebank)
        self.numbering = Numbering.learn(treebank, lowercase=lowercase, least=least, text=text)
        self.choice = LabelChoice.learn(treebank, self.numbering)
        self._sentences = self.encoded(treebank)
        self._heads = treebank.heads
        numbers = {name: n for n, name in enumerate(self.choice.labels)}
        self._labels = treebank.label.encode(numbers, -1)

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        return Weights(self.choice.attach + 1)

    def step(self, weights: Weights) -> Step:
        """Return what processes one sentence at a time, as `learn` does."""
        sentences, offsets = self._sentences, self._sentences.offsets

        def process(row: int, before: int) -> bool:
            words = slice(int(offsets[row]), int(offsets[row + 1]))
            heads, labels, _, _ = best_lists(sentences.arcs, weights, row, row + 1, 1, None)
            gold = (self._heads[words], self._labels[words])
            return sentences.change(weights, row, gold, (heads, labels), before)

        return process

    def encoded(self, sentences: Treebank) -> EncodedSentences:
        """Return sentences as the parser sees them."""
        return EncodedSentences(self.numbering, self.choice, sentences, self._features)

    def best(self, sentences: EncodedSentences, weights: Weights) -> Best:
        """Return what finds the best spanning trees of a sentence."""
        names = Vocabulary(self.choice.labels)

        def found(row: int, k: int) -> tuple[Any, Int64, dict[str, Any]]:
            heads, labels, scores, _ = best_lists(sentences.arcs, weights, row, row + 1, k, None)
            trees = np.stack([each.reshape(len(scores), -1) for each in (heads, labels)], axis=1)
            return trees, scores, {"heads": heads, "label": Column(labels, names)}

        return found

    def features(self, row: int, heads: Heads, labels: Labels) -> tuple[UInt64, Int32]:
        """Return the features of any tree of a sentence, as `EncodedSentences.features` does."""
        return self._sentences.features(row, heads, labels)

    def model(self, weights: Weights) -> GraphParser:
        """Return the parser that has these weights."""
        return GraphParser(self.numbering, self.choice, weights, features=self._features)
