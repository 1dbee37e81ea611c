"""What linear orders and agreed orders answer on small random input."""

import random

import numpy as np
from tests.oracles_families import random_treebank

from wordorder.alignment.alignments import Alignments
from wordorder.order.orders import Orders
from wordorder.reordering.learned import order_examples
from wordorder.reordering.learned.consensus.model import agreed_orders
from wordorder.reordering.learned.explanation import _attributes
from wordorder.reordering.learned.linear.families import families_of
from wordorder.reordering.learned.linear.model import LinearLearner
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
    candidates = [
        Orders.from_rows([rng.sample(range(n), n) for n in (0, 1, 2, 5, 12)]) for _ in range(3)
    ]
    used = np.flatnonzero(model.weights)
    return {
        "linear learner": [tallies, used.tolist(), model.weights[used].tobytes().hex()],
        "agreed orders": [
            agreed_orders(candidates, weights=[1, 2, 1.5], metric=metric).positions.to_lists()
            for metric in ("frs", "kendall")
        ],
        "pair attributes": _attributes(families_of(bank)).tolist(),
        "linear orders": model.orders(bank).positions.to_lists(),
    }
