"""What models of orders answer on small random input."""

import random

import numpy as np
from tests.oracles_families import random_treebank

from wordorder.alignment.alignments import Alignments
from wordorder.kernels import bracketing as kernel
from wordorder.kernels._run import call
from wordorder.order.orders import Orders
from wordorder.reordering.learned import order_examples
from wordorder.reordering.learned.bracketing_model import Bracketing, Settings, word_arrays
from wordorder.reordering.learned.consensus_model import agreed_orders
from wordorder.reordering.learned.explanation import _attributes
from wordorder.reordering.learned.learned_order import learn_order
from wordorder.reordering.learned.linear_model import LinearLearner, families_of
from wordorder.treebank.treebank import Treebank


def bracketing(rng: random.Random) -> dict[str, object]:
    """Learn from random links, and list the best orders; score all splits of one span."""
    lengths = [0, 1, 2, 3, 5, 7]
    bank = random_treebank(rng, lengths)
    links = [[(k, rng.randrange(9)) for k in range(length)] for length in lengths]
    examples = order_examples(bank, Alignments.from_rows(links))
    model = learn_order(Bracketing.learner(examples, epochs=2, runs=1, beam=4))
    assert isinstance(model, Bracketing)
    used = np.flatnonzero(model.weights)
    lists = model.kbest_orders(bank, 3)
    settings = Settings(("form", "label"), True, 10, 1)
    words = word_arrays(bank[5:6], settings.attributes, trees=True)
    weights = np.random.default_rng(3).normal(size=2 << 10).astype(np.float32)
    actions = np.array([(0, 2, 7, 0), (2, 3, 7, 1), (0, 1, 2, 4)], np.int64).reshape(-1)
    scores = np.zeros(6)
    call(kernel.action_scores, settings.search(words, weights), 0, 7, actions, scores)
    return {
        "bracketing weights": [used.tolist(), model.weights[used].tobytes().hex()],
        "bracketing orders": model.orders(bank).positions.to_lists(),
        "bracketing lists": [lists.orders.positions.to_lists(), lists.score.tolist()],
        "bracketing splits": scores.tolist(),
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
