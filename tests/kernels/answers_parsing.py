"""What taggers and parsers answer on small random input."""

import random
from itertools import pairwise
from typing import Any

import numpy as np
from tests.oracles_transition import random_tree
from tests.parsing.transition.ten_sentences import ten_sentences

from wordorder.parsing.graph.arc_scores import GRAPH_FEATURES
from wordorder.parsing.graph.parser import NO_ARC, GraphLearner, tree_lists
from wordorder.parsing.tagging.perceptron import PerceptronTagger, TaggerLearner
from wordorder.parsing.tagging.tnt import TnT
from wordorder.parsing.tokenizer import learn_tokenizer
from wordorder.parsing.training.averaging import mix_weights
from wordorder.parsing.transition.parser import TransitionLearner
from wordorder.parsing.weights import UNIT, Weights
from wordorder.training import RootCost, augmented_train
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.treebank.trees import first_tree_fault

WORDS = ["the", "Dog", "dogs", "x-ray", "12", "日本", "well-known", "Q"]
TAGGING_TAGS = ["A", "B", "C"]


def tagging(rng: random.Random) -> dict[str, object]:
    """Return tags, scores and the keys of what was learnt."""
    words = [[rng.choice(WORDS) for _ in range(rng.randint(0, 5))] for _ in range(8)]
    tags = [[rng.choice(TAGGING_TAGS) for _ in row] for row in words]
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


def arc_eager(rng: random.Random) -> dict[str, object]:
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


def cutting(rng: random.Random) -> dict[str, object]:
    """Return what a tokenizer learns of few words, and how it cuts others."""
    words = ["ab", "c", ",", "7 8", "日本"]
    rows = [[rng.choice(words) for _ in range(rng.randint(1, 5))] for _ in range(12)]
    spaced = [[rng.choice(["_", "SpaceAfter=No"]) for _ in row] for row in rows]
    tokenizer = learn_tokenizer(Treebank.from_words(rows, misc=spaced), seed=3)
    assert tokenizer is not None
    lines = ["".join(rng.choice("abc,7 8日") for _ in range(12)) for _ in range(6)]
    return {"weights": tokenizer.weights.tobytes().hex(), "cuts": tokenizer.tokens(lines)}


def graph(rng: random.Random) -> dict[str, object]:
    """Learn, parse into lists, and list the trees of arcs that tie or are missing."""
    bank = _treebank(rng, [0, 1, 2, 3, 5, 12])
    found: dict[str, object] = {}
    for features in GRAPH_FEATURES:
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


AUGMENTED_TAGS = ["X", "Y", "Z"]


def augmented(rng: random.Random) -> dict[str, Any]:
    """Return the history of a parser and of a tagger that learn from costs, and their weights."""
    rows = [[rng.choice("abcde") for _ in range(rng.randint(1, 5))] for _ in range(6)]
    bank = Treebank.from_words(
        rows,
        heads=[[min(i, 1) * i for i in range(len(row))] for row in rows],
        upos=[[rng.choice(AUGMENTED_TAGS) for _ in row] for row in rows],
        label=[["root"] + ["dep"] * (len(row) - 1) for row in rows],
    )
    partial = bank.replace(heads=np.where(bank.heads == 0, 0, -1).astype(np.int32))
    found: dict[str, Any] = {}
    for trees in ("required", "optional", "partial"):
        for heads in (partial.heads, np.full(bank.words, 2, np.int32), bank.heads):
            fault = first_tree_fault(heads, bank.offsets, trees=trees, single_root=True)
            found[f"{trees} {heads.tolist()}"] = fault
    parser = TransitionLearner(bank[:3], text=bank)
    tagger = TaggerLearner(bank)
    for name, learner, cost in (("parser", parser, RootCost(partial)), ("tagger", tagger, _many_x)):
        trained = augmented_train(learner, [(partial, cost, 2.0)], k=4, epochs=2)
        found[name] = [part.tolist() for part in trained.weights.rows()]
        found[f"{name} history"] = str(trained.history)
    return found


def _many_x(candidates: KBest, rows: Any) -> Any:
    """Prefer one tag to all others."""
    offsets = candidates.trees.offsets.tolist()
    tags = candidates.trees.upos.strings()
    return [-float(tags[a:b].count("X")) for a, b in pairwise(offsets)]


ACTIONS = 40


def weights(rng: random.Random) -> dict[str, object]:
    """Learn through tables and rows that grow, average, and mix two learners."""
    weights = Weights(ACTIONS)
    for before in range(60):
        _learn(weights, rng, before)
    parts = [weights.copy(), weights.copy()]
    for part in parts:
        for before in range(60, 63):
            _learn(part, rng, before)
    mix = mix_weights(weights, parts, 60, [3, 3])
    return {
        "rows": [part.tolist() for part in weights.rows()],
        "averaged": [part.tolist() for part in weights.averaged(60).rows()],
        "mixed": [part.tolist() for part in mix.rows()],
        "found": weights.places(mix.rows()[0]).tolist(),
        "layout": [part.tolist() for part in (mix.used, mix.table, mix.heads())],
    }


def _learn(weights: Weights, rng: random.Random, before: int) -> None:
    keys = [rng.randrange(7000) * 0x9E3779B97F4A7C15 % (1 << 64) for _ in range(300)]
    actions = [rng.randrange(ACTIONS if key % 5 == 0 else 3) for key in keys]
    deltas = [rng.choice([-UNIT, UNIT]) for _ in keys]
    arrays = np.array(actions, np.int32), np.array(deltas, np.int32)
    weights.add(np.array(keys, np.uint64), *arrays, before)
