"""Slow and obvious twins of the error analysis: trees repaired sentence by sentence."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from tests import oracles
from tests.oracles_trees import random_tree

from wordorder.order.orders import Orders
from wordorder.treebank.treebank import Treebank

LABELS = ("nsubj", "obj", "obl", "advmod", "case", "punct")
TAGS = ("NOUN", "VERB", "ADP", "ADV")
# Words, sentences, changed, better, worse, extended and FRS lost of each confusion.
Table = dict[tuple[str, ...], tuple[int, int, int, int, int, int, float]]
WEIGHTS = {"nsubj": 3, "obl": 2, "advmod": 2, "punct": 0, "obj": 0, "case": -2}


@dataclass
class Sentence:
    """The columns of one sentence, as lists."""

    heads: list[int]
    label: list[str]
    upos: list[str]
    xpos: list[str]

    def copy(self) -> Sentence:
        return Sentence(*(list(column) for column in vars(self).values()))


class WeightRules:
    """Families of some tags, sorted by the weights of their labels; without some tags."""

    def __init__(self, tags: tuple[str, ...] = ("VERB", "NOUN")) -> None:
        self.rule_names = tags
        self.name = "weights"

    def without(self, name: str) -> WeightRules:
        return WeightRules(tuple(tag for tag in self.rule_names if tag != name))

    def orders(self, treebank: Treebank) -> Orders:
        return Orders.from_rows([self.order(each) for each in sentences(treebank)])

    def fired(self, treebank: Treebank) -> npt.NDArray[np.int32]:
        found = []
        for each in sentences(treebank):
            for word, tag in enumerate(each.upos, 1):
                fits = word in each.heads and tag in self.rule_names
                found.append(self.rule_names.index(tag) if fits else -1)
        return np.array(found, np.int32)

    def order(self, sentence: Sentence) -> list[int]:
        def below(word: int) -> list[int]:
            family = [i for i, head in enumerate(sentence.heads, 1) if head == word]
            family = sorted([*family, word]) if word else family
            if word and sentence.upos[word - 1] in self.rule_names:
                family.sort(
                    key=lambda i: 1 if i == word else -WEIGHTS.get(sentence.label[i - 1], 0)
                )
            return [j for i in family for j in ([i - 1] if i == word else below(i))]

        return below(0)


def sentences(treebank: Treebank) -> list[Sentence]:
    """Take a treebank apart into lists."""
    found = []
    names = ("label", "upos", "xpos")
    columns = [treebank.heads.tolist(), *(getattr(treebank, name).strings() for name in names)]
    for start, stop in zip(treebank.offsets[:-1], treebank.offsets[1:], strict=True):
        found.append(Sentence(*(column[start:stop] for column in columns)))
    return found


def treebank_of(rows: list[Sentence]) -> Treebank:
    return Treebank.from_words(
        [[f"w{i % 5}" for i in range(len(row.heads))] for row in rows],
        heads=[row.heads for row in rows],
        label=[row.label for row in rows],
        upos=[row.upos for row in rows],
        xpos=[row.xpos for row in rows],
    )


def random_sentences(rng: random.Random, count: int, longest: int = 9) -> list[Sentence]:
    rows = []
    for _ in range(count):
        words = rng.randint(1, longest)
        heads = random_tree(rng, words)
        label = ["root" if head == 0 else rng.choice(LABELS) for head in heads]
        tags = [rng.choice(TAGS) for _ in heads]
        rows.append(Sentence(heads, label, tags, [tag[:2] for tag in tags]))
    return rows


def spoilt(rng: random.Random, rows: list[Sentence], rate: float) -> list[Sentence]:
    """Trees with some other heads, labels and tags; still trees."""
    found = []
    for row in rows:
        new = row.copy()
        other = random_tree(rng, len(row.heads))
        if rng.random() < rate:
            new.heads = other
        for i, head in enumerate(new.heads):
            if rng.random() < rate:
                new.label[i] = rng.choice(LABELS)
            if rng.random() < rate:
                new.upos[i] = rng.choice(TAGS)
            if head == 0:
                new.label[i] = "root"
        found.append(new)
    return found


def frs(order: list[int], reference: list[int]) -> float | None:
    """The fuzzy reordering score without ties, over the words that both have."""
    theirs = [word for word in reference if word in order]
    ranks = [theirs.index(word) for word in order if word in theirs]
    return float(oracles.frs(ranks)) if ranks else None


def mean_frs(orders: list[list[int]], references: list[list[int]]) -> float:
    scores = [frs(*each) for each in zip(orders, references, strict=True)]
    known = [score for score in scores if score is not None]
    return sum(known) / len(known)


def repaired(
    found: Sentence, right: Sentence, words: list[int], columns: list[str], heads: bool
) -> tuple[Sentence, bool]:
    """Set words right, and others that stand in the way of a tree."""
    chosen = set(words)
    while True:
        new = found.copy()
        for i in chosen:
            for name in columns:
                getattr(new, name)[i] = getattr(right, name)[i]
            if heads:
                new.heads[i] = right.heads[i]
        wrong = {i for i in range(len(new.heads)) if found.heads[i] != right.heads[i]} - chosen
        blamed = set(on_cycles(new.heads))
        if new.heads.count(0) > found.heads.count(0):
            blamed |= {i for i, head in enumerate(new.heads) if head == 0}
        if not heads or not blamed & wrong:
            return new, chosen != set(words)
        chosen |= blamed & wrong


def on_cycles(heads: list[int]) -> list[int]:
    """Words that are reached from themselves."""
    found = []
    for word in range(1, len(heads) + 1):
        at = word
        for _ in heads:
            at = heads[at - 1] if at else 0
            if at == word:
                found.append(word - 1)
                break
    return found


def confusion_table(
    found: list[Sentence],
    right: list[Sentence],
    references: list[list[int]],
    order: Callable[[Sentence], list[int]],
    kind: Callable[[Sentence, Sentence, int], tuple[str, ...] | None],
    columns: list[str],
    heads: bool,
) -> Table:
    """Repair the words of each confusion in all sentences."""
    before = [order(each) for each in found]
    kinds: dict[tuple[str, ...], dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
    for number, (ours, theirs) in enumerate(zip(found, right, strict=True)):
        for i in range(len(ours.heads)):
            name = kind(ours, theirs, i)
            if name is not None:
                kinds[name][number].append(i)
    table = {}
    for name, places in kinds.items():
        orders = list(before)
        changed = better = worse = extended = 0
        for number, words in places.items():
            new, more = repaired(found[number], right[number], words, columns, heads)
            orders[number] = order(new)
            scores = [frs(each, references[number]) for each in (before[number], orders[number])]
            changed += orders[number] != before[number]
            if scores[0] is not None and scores[1] is not None:
                better += scores[1] > scores[0]
                worse += scores[1] < scores[0]
            extended += more
        lost = mean_frs(orders, references) - mean_frs(before, references)
        count = sum(map(len, places.values()))
        table[name] = (count, len(places), changed, better, worse, extended, lost)
    return table
