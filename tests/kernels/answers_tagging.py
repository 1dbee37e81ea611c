"""What the taggers answer on small random input."""

import random

import numpy as np

from wordorder.parsing.tagging.perceptron import PerceptronTagger, TaggerLearner
from wordorder.parsing.tagging.tnt import TnT
from wordorder.treebank.treebank import Treebank

WORDS = ["the", "Dog", "dogs", "x-ray", "12", "日本", "well-known", "Q"]
TAGS = ["A", "B", "C"]


def answers(rng: random.Random) -> dict[str, object]:
    """Return tags, scores and the keys of what was learnt."""
    words = [[rng.choice(WORDS) for _ in range(rng.randint(0, 5))] for _ in range(8)]
    tags = [[rng.choice(TAGS) for _ in row] for row in words]
    bank = Treebank.from_words(words, xpos=tags)
    unseen = Treebank.from_words([["the", "Dogs", "new"], [], ["13"]])
    learner = TaggerLearner(bank, beam=3)
    weights = learner.new_weights()
    tally = learner.learn(np.arange(8), weights, before=0)
    found: dict[str, object] = {
        "learnt": [array.tobytes().hex() for array in weights.rows()],
        "updates": tally.updates,
    }
    taggers: dict[str, PerceptronTagger | TnT] = {"perceptron": learner.model(weights.averaged(8))}
    for known_words in ("seen", "open"):
        taggers[known_words] = TnT.train(bank, known_words=known_words)
    for name, tagger in taggers.items():
        found[f"{name} tags"] = tagger.tag(unseen).xpos.strings()
        best = tagger.kbest_tags(unseen, 5)
        found[f"{name} list"] = best.trees.xpos.strings()
        found[f"{name} scores"] = [score.hex() for score in best.scores.tolist()]
    return found
