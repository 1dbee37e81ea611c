"""What the bracketing model answers on small random sentences."""

import random

import numpy as np
from tests.oracles_families import random_treebank

from wordorder.alignment.alignments import Alignments
from wordorder.kernels import bracketing as kernel
from wordorder.kernels._run import call
from wordorder.reordering.learned import order_examples
from wordorder.reordering.learned.bracketing.model import Bracketing, Settings
from wordorder.reordering.learned.bracketing.sentences import word_arrays
from wordorder.reordering.learned.training import learn_order


def answers(rng: random.Random) -> dict[str, object]:
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
