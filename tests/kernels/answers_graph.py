"""What the graph parser answers on a small random treebank."""

import random

import numpy as np

from wordorder.parsing.graph.arc_scores import FEATURES
from wordorder.parsing.graph.parser import NO_ARC, GraphLearner, tree_lists
from wordorder.treebank.treebank import Treebank


def answers(rng: random.Random) -> dict[str, object]:
    """Learn, parse into lists, and list the trees of arcs that tie or are missing."""
    bank = _treebank(rng, [0, 1, 2, 3, 5, 12])
    found: dict[str, object] = {}
    for features in FEATURES:
        learner = GraphLearner(bank, features=features)
        weights = learner.new_weights()
        for epoch in range(2):
            learner.learn(np.arange(len(bank)), weights, before=epoch * len(bank))
        lists = learner.model(weights).kbest(bank, 4)
        found |= {
            f"{features} rows": [part.tolist() for part in weights.rows()],
            f"{features} heads": lists.trees.heads.tolist(),
            f"{features} labels": lists.trees.label.strings(),
            f"{features} scores": lists.scores.tolist(),
        }
    offsets = np.array([0, 4, 4, 5, 10])
    n = np.diff(offsets)
    cells = [rng.choice([NO_ARC, 0, 1, 1, 1 << 34]) for _ in range(int((n * (n + 1)).sum()))]
    tied = tree_lists(np.array(cells, np.int64), offsets, 9)
    return {**found, "tied": [tied.heads.tolist(), tied.scores.tolist(), tied.counts.tolist()]}


def _treebank(rng: random.Random, lengths: list[int]) -> Treebank:
    words, heads, tags, labels = [], [], [], []
    for n in lengths:
        order = rng.sample(range(1, n + 1), n)
        head = [0] * n
        for place, word in enumerate(order[1:], 1):
            head[word - 1] = rng.choice(order[:place])
        words.append([rng.choice("abcdefg") for _ in range(n)])
        tags.append([rng.choice("XYZ") for _ in range(n)])
        heads.append(head)
        labels.append([rng.choice("lm") if h else "root" for h in head])
    return Treebank.from_words(words, heads=heads, xpos=tags, label=labels)
