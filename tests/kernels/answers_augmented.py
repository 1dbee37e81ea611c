"""Answers of what learns from lists of single sentences."""

import random
from itertools import pairwise
from typing import Any

import numpy as np

from wordorder.parsing import TaggerLearner, TransitionLearner
from wordorder.training import RootCost, augmented_train
from wordorder.treebank import Treebank
from wordorder.treebank.kbest import KBest
from wordorder.treebank.trees import first_fault

TAGS = ["X", "Y", "Z"]


def answers(rng: random.Random) -> dict[str, Any]:
    """Return the history of a parser and of a tagger that learn from costs, and their weights."""
    rows = [[rng.choice("abcde") for _ in range(rng.randint(1, 5))] for _ in range(6)]
    bank = Treebank.from_words(
        rows,
        heads=[[min(i, 1) * i for i in range(len(row))] for row in rows],
        upos=[[rng.choice(TAGS) for _ in row] for row in rows],
        label=[["root"] + ["dep"] * (len(row) - 1) for row in rows],
    )
    partial = bank.replace(heads=np.where(bank.heads == 0, 0, -1).astype(np.int32))
    found: dict[str, Any] = {}
    for trees in ("required", "optional", "partial"):
        for heads in (partial.heads, np.full(bank.words, 2, np.int32), bank.heads):
            fault = first_fault(heads, bank.offsets, trees=trees, single_root=True)
            found[f"{trees} {heads.tolist()}"] = fault
    parser = TransitionLearner(bank[:3], text=bank)
    tagger = TaggerLearner(bank)
    for name, learner, cost in (
        ("parser", parser, RootCost(partial)),
        ("tagger", tagger, _many_x),
    ):
        trained = augmented_train(learner, [(partial, cost, 2.0)], k=4, epochs=2)
        found[name] = [part.tolist() for part in trained.weights.rows()]
        found[f"{name} history"] = str(trained.history)
    return found


def _many_x(candidates: KBest, rows: Any) -> Any:
    """Prefer one tag to all others."""
    offsets = candidates.trees.offsets.tolist()
    tags = candidates.trees.upos.strings()
    return [-float(tags[a:b].count("X")) for a, b in pairwise(offsets)]
