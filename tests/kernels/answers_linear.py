"""What linear orders answer on small random trees."""

from __future__ import annotations

import random

import numpy as np
from tests.oracles_families import random_treebank

from wordorder.alignment.alignments import Alignments
from wordorder.reordering.learned import order_examples
from wordorder.reordering.learned.linear.learner import LinearLearner
from wordorder.treebank.treebank import Treebank


def answers(rng: random.Random) -> dict[str, object]:
    """Learn weights, and order families by them, a large one too."""
    lengths = [0, 1, 2, 3, 5, 8, 13, 20]
    bank = random_treebank(rng, lengths)
    large = Treebank.from_words([["w"] * 14], heads=[[2, 0] + [2] * 12])
    bank = Treebank.concatenate([bank, large])
    links = [[(k, rng.randrange(9)) for k in range(length)] for length in (*lengths, 14)]
    learner = LinearLearner(order_examples(bank, Alignments.from_rows(links)), bits=10, epochs=2)
    tallies = [learner.learn(epoch).updates for epoch in (1, 2)]
    model = learner.model()
    used = np.flatnonzero(model.weights)
    return {
        "linear learner": [tallies, used.tolist(), model.weights[used].tobytes().hex()],
        "linear orders": model.orders(bank).positions.to_lists(),
    }
