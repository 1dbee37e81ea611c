"""A learner small enough to be followed by hand: a multiclass perceptron, and its slow twin.

As a program it trains, and dies in the midst of an epoch.
"""

from __future__ import annotations

import os
import random
import signal
import sys
from collections import defaultdict
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from wordorder.errors import ModelError
from wordorder.parsing.epochs import UpdateCounts
from wordorder.parsing.model_file import weights_arrays, weights_from_arrays
from wordorder.parsing.training.training import TrainingProgress, train
from wordorder.parsing.weights import UNIT, Weights

ACTIONS = 3
Instance = tuple[list[int], int]
SETTINGS = {"data": "toy"}


def instances(number: int, seed: int = 1) -> list[Instance]:
    """Return instances that no linear model gets all right: keys of features, and the class."""
    rng = random.Random(seed)
    keys = [rng.randrange(1 << 64) for _ in range(12)]
    return [(rng.sample(keys, 4), rng.randrange(ACTIONS)) for _ in range(number)]


class ToyModel:
    kind: ClassVar[str] = "toy"

    def __init__(self, weights: Weights, name: str = "toy") -> None:
        self.weights = weights
        self.name = name

    def best(self, keys: list[int]) -> int:
        scores = [0] * ACTIONS
        for key in keys:
            for action, value in self.weights.row(key).items():
                scores[action] += value
        return max(range(ACTIONS), key=lambda action: (scores[action], -action))

    # A file may keep it as a tagger and as a parser.
    tag = parse = best

    def parts(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        return {"name": self.name}, weights_arrays("weights", self.weights)

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> ToyModel:
        if not isinstance(about["name"], str):
            raise ModelError("the name is damaged")
        return cls(weights_from_arrays("weights", arrays, ACTIONS), about["name"])


class ToyLearner:
    def __init__(self, data: list[Instance]) -> None:
        self.data = data

    @property
    def instances(self) -> int:
        return len(self.data)

    def new_weights(self) -> Weights:
        return Weights(ACTIONS)

    def learn(self, rows: npt.NDArray[np.int64], weights: Weights, before: int) -> UpdateCounts:
        updates = 0
        for number, row in enumerate(rows.tolist()):
            keys, right = self.data[row]
            wrong = ToyModel(weights).best(keys)
            if wrong != right:
                updates += 1
                changed = np.array(keys * 2, np.uint64)
                actions = np.repeat(np.array([right, wrong], np.int32), len(keys))
                deltas = np.repeat(np.array([UNIT, -UNIT], np.int32), len(keys))
                weights.add(changed, actions, deltas, before + number)
        return UpdateCounts(len(rows), updates)

    def model(self, weights: Weights) -> ToyModel:
        return ToyModel(weights)

    def accuracy(self, model: ToyModel) -> float:
        """Return a score that rises and falls between epochs."""
        return sum(model.best(keys) == right for keys, right in self.data) / len(self.data)


Slow = dict[tuple[int, int], int]


def slow_epoch(
    data: list[Instance], rows: list[int], start: Slow
) -> tuple[Slow, dict[tuple[int, int], int]]:
    """Return the weights after the rows, and the sum of the weights after each of them."""
    weights: Slow = defaultdict(int, start)
    total: dict[tuple[int, int], int] = defaultdict(int)
    for row in rows:
        keys, right = data[row]
        scores = [sum(weights[key, action] for key in keys) for action in range(ACTIONS)]
        wrong = scores.index(max(scores))
        if wrong != right:
            for key in keys:
                weights[key, right] += UNIT
                weights[key, wrong] -= UNIT
        for entry, value in weights.items():
            total[entry] += value
    return weights, total


def learnt(learner: Any, epochs: int, seed: int | list[int] = 1) -> Any:
    """Return what a learner of taggers or parsers learns of rows that the seed shuffles."""
    weights, rng = learner.new_weights(), np.random.default_rng(seed)
    for epoch in range(epochs):
        rows = rng.permutation(learner.instances)
        learner.learn(rows, weights, before=epoch * learner.instances)
    return learner.model(weights.averaged(epochs * learner.instances))


def half_up(value: Fraction) -> int:
    return (value + Fraction(1, 2)).__floor__()


def entries(weights: Weights) -> Slow:
    """Return the weights that are not zero."""
    keys, counts, action, value, _ = weights.rows()
    whole = zip(np.repeat(keys, counts).tolist(), action.tolist(), value.tolist(), strict=True)
    return {(key, number): weight for key, number, weight in whole if weight}


def written(weights: Weights) -> bytes:
    """Return all that is known of weights."""
    rows: tuple[npt.NDArray[Any], ...] = weights.rows()
    return b"".join(part.tobytes() for part in rows)


def main(checkpoint: str, epoch: int) -> None:
    """Train with a checkpoint after each epoch, and be killed in one of them."""

    def die(progress: TrainingProgress) -> None:
        if progress.epoch == epoch and progress.finished is None:
            os.kill(os.getpid(), signal.SIGKILL)

    learner = ToyLearner(instances(300))
    options: dict[str, Any] = {"checkpoint": checkpoint, "settings": SETTINGS, "progress": die}
    train(learner, epochs=4, dev=learner.accuracy, **options)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
