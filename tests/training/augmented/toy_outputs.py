"""A learner of explicit candidates: each sentence has some outputs with known features."""

from collections.abc import Callable
from typing import cast

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.parsing.training.checkpoint import Tally
from wordorder.parsing.weights import UNIT, Lister, Model, Step, Weights
from wordorder.training import Cost
from wordorder.treebank import Treebank
from wordorder.treebank.kbest import KBest

# Of each sentence the candidates: counts of features.
Outputs = list[Float64]


class OutputLister:
    def __init__(self, outputs: Outputs, weights: Weights) -> None:
        self.outputs, self.weights = outputs, weights
        self.shown: list[int] = []
        self.row = 0

    def listed(self, row: int, k: int) -> KBest:
        features = self.outputs[row]
        values = [self.weights.row(key).get(0, 0) / UNIT for key in range(features.shape[1])]
        scores = features @ np.array(values)
        self.row, self.shown = row, np.argsort(-scores, kind="stable")[:k].tolist()
        # The number of a candidate is what its only word is called.
        trees = Treebank.from_words([[str(number)] for number in self.shown])
        return KBest(trees, np.array([0, len(self.shown)]), scores[self.shown])

    def prefer(self, better: int, before: int) -> bool:
        features = self.outputs[self.row]
        change = features[self.shown[better]] - features[self.shown[0]]
        keys = np.arange(len(change), dtype=np.uint64)
        deltas = (UNIT * change).astype(np.int32)
        self.weights.add(keys, np.zeros(len(keys), np.int32), deltas, before)
        return bool(change.any())


class OutputLearner:
    """Its treebank has one sentence, which teaches nothing."""

    instances = 1

    def __init__(self, outputs: Outputs) -> None:
        self.outputs = outputs

    def new_weights(self) -> Weights:
        return Weights(1)

    def learn(self, rows: Int64, weights: Weights, before: int) -> Tally:
        return Tally(len(rows))

    def step(self, weights: Weights) -> Step:
        return lambda row, before: False

    def lister(self, sentences: Treebank) -> Callable[[Weights], Lister]:
        return lambda weights: OutputLister(self.outputs, weights)

    def model(self, weights: Weights) -> Model:
        return cast(Model, weights)

    def best(self, weights: Weights, row: int) -> int:
        """Return the output that a model chooses."""
        lister = OutputLister(self.outputs, weights)
        return int(lister.listed(row, 1).trees.form.strings()[0])


def cost_of(losses: list[Float64]) -> Cost:
    """Return a cost that knows the loss of each output."""

    def cost(candidates: KBest, rows: Int64) -> Float64:
        numbers = list(map(int, candidates.trees.form.strings()))
        found: Float64 = losses[int(rows[0])][numbers]
        return found

    return cost


def sentences(number: int) -> Treebank:
    return Treebank.from_words([["x"]] * number)
