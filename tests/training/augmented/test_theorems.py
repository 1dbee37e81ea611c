"""Theorems 1 and 2 of Hall et al. (2011), and the counterexample before the second."""

from collections.abc import Callable
from typing import cast

import numpy as np
import pytest

from wordorder.arrays import Float64, Int64
from wordorder.parsing.epochs import UpdateCounts
from wordorder.parsing.weights import UNIT, Lister, Model, Step, Weights
from wordorder.training import AugmentedLearner, AugmentedLoss, Cost
from wordorder.treebank import Treebank
from wordorder.treebank.kbest import KBest

# Of each sentence the candidates: counts of features.
Outputs = list[Float64]


class OutputLister:
    def __init__(self, outputs: Outputs, weights: Weights) -> None:
        self.outputs, self.weights = outputs, weights
        self.shown: list[int] = []
        self.row = 0

    def list_candidates(self, row: int, k: int) -> KBest:
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

    def learn(self, rows: Int64, weights: Weights, before: int) -> UpdateCounts:
        return UpdateCounts(len(rows))

    def step(self, weights: Weights) -> Step:
        return lambda row, before: False

    def lister(self, sentences: Treebank) -> Callable[[Weights], Lister]:
        return lambda weights: OutputLister(self.outputs, weights)

    def model(self, weights: Weights) -> Model:
        return cast(Model, weights)

    def best(self, weights: Weights, row: int) -> int:
        """Return the output that a model chooses."""
        lister = OutputLister(self.outputs, weights)
        return int(lister.list_candidates(row, 1).trees.form.strings()[0])


def cost_of(losses: list[Float64]) -> Cost:
    """Return a cost that knows the loss of each output."""

    def cost(candidates: KBest, rows: Int64) -> Float64:
        numbers = list(map(int, candidates.trees.form.strings()))
        found: Float64 = losses[int(rows[0])][numbers]
        return found

    return cost


def sentences(number: int) -> Treebank:
    return Treebank.from_words([["x"]] * number)


# Three outputs that score 3, 2 and 1 under the weights below, and lose 1, 2 and 0.
OUTPUTS = [np.eye(3)]
LOSSES = [np.array([1.0, 2.0, 0.0])]


def started(learner: OutputLearner) -> Weights:
    """Return weights under which the outputs score 3, 2 and 1."""
    weights = learner.new_weights()
    keys = np.arange(3, dtype=np.uint64)
    values = UNIT * np.array([3, 2, 1], np.int32)
    weights.add(keys, np.zeros(3, np.int32), values, before=0)
    return weights


def learner_of(
    outputs: list[Float64], losses: list[Float64], k: int, grow: int | None = None
) -> tuple[OutputLearner, AugmentedLearner]:
    base = OutputLearner(outputs)
    loss = AugmentedLoss(sentences(len(outputs)), cost_of(losses), 1.0)
    return base, AugmentedLearner(base, [loss], k=k, grow=grow)


def test_lists_of_two_never_find_the_third() -> None:
    base, learner = learner_of(OUTPUTS, LOSSES, k=2)
    weights = started(base)
    for before in range(50):
        tally = learner.learn(np.array([1]), weights, before)
        assert tally.updates == 0
        assert tally.losses[1].cost == 1.0
    assert base.best(weights, 0) == 0


@pytest.mark.parametrize(("k", "grow"), [(3, None), (2, 3), (2, 4), (1, 64)])
def test_longer_or_growing_lists_do(k: int, grow: int | None) -> None:
    base, learner = learner_of(OUTPUTS, LOSSES, k=k, grow=grow)
    weights = started(base)
    updates = sum(learner.learn(np.array([1]), weights, n).updates for n in range(10))
    assert updates == 2
    assert base.best(weights, 0) == 2


def test_lists_grow_only_while_nothing_is_cheaper() -> None:
    asked: list[int] = []
    base = OutputLearner([np.eye(9)])
    losses = np.array([1.0, 1, 1, 0, 0, 0, 0, 0, 0])

    def cost(candidates: KBest, rows: Int64) -> Float64:
        found = cost_of([losses])(candidates, rows)
        asked.append(len(found))
        return found

    loss = AugmentedLoss(sentences(1), cost, 1.0)
    learner = AugmentedLearner(base, [loss], k=2, grow=64)
    weights = base.new_weights()
    learner.learn(np.array([1]), weights, 0)
    assert asked == [2, 4]
    asked.clear()
    # The first one is among the cheapest now: lists grow to all there is, and nothing happens.
    assert learner.learn(np.array([1]), weights, 1).updates == 0
    assert asked == [2, 4, 8, 9]


@pytest.mark.parametrize("number", range(20))
def test_it_converges_within_the_bound(number: int) -> None:
    """Costs are what a unit vector says, so that the data are separable with some margin."""
    rng = np.random.default_rng(number)
    dimensions, size, k = 6, 8, 5
    right = rng.normal(size=dimensions)
    right /= np.linalg.norm(right)
    outputs: list[Float64] = []
    losses: list[Float64] = []
    margins: list[float] = []
    radius = 0.0
    for _ in range(size):
        features = rng.integers(-2, 3, (5, dimensions)).astype(np.float64)
        features = np.unique(features, axis=0)
        value = features @ right
        ranks = np.argsort(np.argsort(-value)).astype(np.float64)
        apart = np.diff(np.sort(value))
        margins.append(float(apart.min()))
        radius = max(radius, *(float(np.linalg.norm(a - b)) for a in features for b in features))
        outputs.append(features)
        losses.append(ranks)
    bound = (radius / min(margins)) ** 2
    base, learner = learner_of(outputs, losses, k=k)
    weights, mistakes, before = base.new_weights(), 0, 0
    while True:
        tally = learner.learn(1 + np.arange(size), weights, before)
        before += size
        mistakes += tally.updates
        assert mistakes <= bound
        if not tally.updates:
            break
    assert [losses[row][base.best(weights, row)] for row in range(size)] == [0.0] * size


def test_of_equal_costs_the_first_is_favoured() -> None:
    base, learner = learner_of([np.eye(4)], [np.array([1.0, 0.0, 0.0, 1.0])], k=4)
    weights = base.new_weights()
    assert learner.learn(np.array([1]), weights, 0).updates == 1
    assert [weights.row(key).get(0, 0) for key in range(4)] == [-UNIT, UNIT, 0, 0]


def test_a_margin_leaves_small_gains_alone() -> None:
    base = OutputLearner([np.eye(2)])
    loss = AugmentedLoss(sentences(1), cost_of([np.array([0.5, 0.25])]), 1.0)
    for margin, updates in ((0.0, 1), (0.2, 1), (0.25, 0), (0.3, 0)):
        learner = AugmentedLearner(base, [loss], margin=margin)
        assert learner.learn(np.array([1]), base.new_weights(), 0).updates == updates


def test_equal_costs_are_counted_and_costs_summed() -> None:
    costs = [np.array([0.5, 0.5]), np.array([0.25, 0.5]), np.array([np.inf, np.inf])]
    base, learner = learner_of([np.eye(2)] * 3, costs, k=2)
    losses = learner.learn(np.array([1, 2, 3, 0]), base.new_weights(), 0).losses
    assert (losses[0].instances, losses[1].instances) == (1, 3)
    assert (losses[1].updates, losses[1].even, losses[1].cost) == (0, 2, 0.75)
