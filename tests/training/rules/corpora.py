"""Small corpora for training rules: random trees, and reference orders that rules made of them."""

import random

import numpy as np
from tests.oracles_trees import random_tree

from wordorder.order.orders import Orders
from wordorder.reordering import PrecedenceRules
from wordorder.training.rules.training import rules_from_text
from wordorder.treebank import Treebank

LABELS = ["nsubj", "obj", "obl", "advmod", "aux", "case", "punct", "conj", "nmod:poss"]
TAGS = ["NOUN", "VERB", "ADJ"]
FORMS = ["a", "of", "in", "never", "is", "tea", "."]

START = """
scheme = "ud"
[classes]
early = { label = "obl", position = "left" }
[[rule]]
name = "verb"
head = { upos = "VERB" }
barriers = ["punct"]
order = ["nsubj", "early", "*", { equal = ["obj", "aux"], order = "reverse" }, "self"]
[[rule]]
name = "noun"
head = [{ upos = "NOUN" }, { upos = "ADJ", child = "case" }]
weights = { "nmod:poss" = 2, nmod = 1, self = -1, case = -2 }
[[rule]]
name = "others"
order = ["*", "self", "case"]
"""


def random_bank(seed: int, sentences: int = 60, longest: int = 12) -> Treebank:
    """Trees of any shape, some of them of one word and one of none."""
    rng = random.Random(seed)
    lengths = [0, 1, *(rng.randrange(1, longest) for _ in range(sentences - 2))]
    return Treebank.from_words(
        [[rng.choice(FORMS) for _ in range(n)] for n in lengths],
        heads=[random_tree(rng, n) for n in lengths],
        upos=[[rng.choice(TAGS) for _ in range(n)] for n in lengths],
        label=[[rng.choice(LABELS) for _ in range(n)] for n in lengths],
    )


def start_rules() -> PrecedenceRules:
    """Rules with classes, barriers, weights and entries in reverse."""
    return rules_from_text(START)


def random_reference(bank: Treebank, seed: int) -> Orders:
    """Any order of some of the words, with ties."""
    rng = np.random.default_rng(seed)
    rows: list[list[int | list[int]]] = []
    for length in bank.lengths.tolist():
        words = [int(word) for word in rng.permutation(length) if rng.random() < 0.8]
        row: list[int | list[int]] = []
        while words:
            size = 2 if rng.random() < 0.2 else 1
            group, words = words[:size], words[size:]
            row.append(group if len(group) > 1 else group[0])
        rows.append(row)
    return Orders.from_rows(rows)
