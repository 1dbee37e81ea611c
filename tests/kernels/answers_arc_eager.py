"""What the transition parser answers on ten sentences."""

import random

import numpy as np
from tests.oracles_transition import random_tree
from tests.parsing.transition.ten_sentences import ten_sentences

from wordorder.parsing.transition.parser import TransitionLearner


def answers(rng: random.Random) -> dict[str, object]:
    """Return trees, scores and weights."""
    found: dict[str, object] = {}
    bank = ten_sentences().take(np.array([0, 1, 4, 8]))
    for features, beam, update in (
        ("zhang-nivre", 2, "early"),
        ("zhang-nivre", 1, "max-violation"),
        ("katz-brown", 3, "max-violation"),
    ):
        name = f"{features} {beam} {update}"
        learner = TransitionLearner(bank, features=features, beam=beam, update=update)
        weights = learner.new_weights()
        for epoch in range(2):
            learner.learn(np.arange(len(bank)), weights, before=epoch * len(bank))
        found[name] = [array.tobytes().hex() for array in weights.rows()]
        lists = learner.model(weights.averaged(2 * len(bank))).kbest(bank, beam)
        found[f"{name} trees"] = [lists.trees.heads.tolist(), lists.trees.label.strings()]
        found[f"{name} scores"] = [score.hex() for score in lists.scores.tolist()]
        found[f"{name} again"] = learner.model(weights).score(lists.trees).tolist()
    heads, labels = random_tree(rng, int(bank.lengths[1]), list(learner.system.labels))
    found["features"] = [part.tolist() for part in learner.features(1, heads, labels)]
    return found
