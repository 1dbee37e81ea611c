"""What models of orders answer on small random input."""

import random

import numpy as np
from tests.oracles_families import random_treebank

from wordorder.alignment.alignments import Alignments
from wordorder.order.orders import Orders
from wordorder.reordering.learned import order_examples
from wordorder.reordering.learned.agreement import agreed_orders
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.learned_order import learn_order
from wordorder.reordering.learned.linear_model import LinearLearner, families_of
from wordorder.reordering.learned_explanation import _attributes
from wordorder.treebank.treebank import Treebank


def bracketing(rng: random.Random) -> dict[str, object]:
    """Learn from random links, and list the best orders."""
    lengths = [0, 1, 2, 3, 5, 7]
    bank = random_treebank(rng, lengths)
    links = [[(k, rng.randrange(9)) for k in range(length)] for length in lengths]
    examples = order_examples(bank, Alignments.from_rows(links))
    model = learn_order(Bracketing.learner(examples, epochs=2, runs=1, beam=4))
    assert isinstance(model, Bracketing)
    used = np.flatnonzero(model.weights)
    lists = model.kbest_orders(bank, 3)
    return {
        "bracketing weights": [used.tolist(), model.weights[used].tobytes().hex()],
        "bracketing orders": model.orders(bank).positions.to_lists(),
        "bracketing lists": [lists.orders.positions.to_lists(), lists.score.tolist()],
    }


def linear(rng: random.Random) -> dict[str, object]:
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
