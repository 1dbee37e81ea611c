"""Small random corpora with ties, dropped words and tags, and what they say read by hand."""

import random
from dataclasses import dataclass
from itertools import pairwise, permutations, product

from tests.oracles_trees import random_tree
from tests.strategies import tied

from wordorder.analysis.corpus import AnalysedSystem, Corpus, scored_system
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.treebank.treebank import Treebank

FORMS = ("The", "the", "cat", "dog", "sat", ".", "猫")
TAGS = ("DET", "NOUN", "VERB", "PUNCT")
LABELS = ("det", "nsubj", "root", "punct")


@dataclass(frozen=True)
class Case:
    """A random corpus with a system."""

    corpus: Corpus
    rows: list[list[int]]
    reference: list[list[list[int]]]

    @property
    def orders(self) -> Orders:
        return Orders.from_rows(self.rows)

    def system(self, name: str = "A", **more: object) -> AnalysedSystem:
        return scored_system(name, self.orders, self.corpus, metric("frs"), **more)  # type: ignore[arg-type]


def random_trees(draw: random.Random, lengths: list[int]) -> Treebank:
    """Words with tags, labels and trees, any trees."""

    def strings(of: tuple[str, ...]) -> list[list[str]]:
        return [[draw.choice(of) for _ in range(n)] for n in lengths]

    return Treebank.from_words(
        strings(FORMS),
        heads=[random_tree(draw, n) for n in lengths],
        upos=strings(TAGS),
        label=strings(LABELS),
        lemma=strings(("a", "b")),
    )


def random_case(seed: int, *, sentences: int = 12, longest: int = 7, drops: bool = True) -> Case:
    """A corpus with sentences of 0 to `longest` words."""
    draw = random.Random(seed)
    lengths = [draw.randrange(longest + 1) for _ in range(sentences)]
    reference = []
    for n in lengths:
        kept = [w for w in range(n) if not drops or draw.random() < 0.85]
        draw.shuffle(kept)
        reference.append(tied(draw, kept, 0.3))
    rows = []
    for n in lengths:
        row = [w for w in range(n) if not drops or draw.random() < 0.95]
        if draw.random() < 0.8:
            draw.shuffle(row)
        rows.append(row)
    corpus = Corpus(random_trees(draw, lengths), Orders.from_rows(reference))
    return Case(corpus, rows, reference)


def common(row: list[int], groups: list[list[int]]) -> tuple[list[int], list[list[int]]]:
    """Leave out the words that only one of system and reference has."""
    known = {word for group in groups for word in group}
    found = [[word for word in group if word in row] for group in groups]
    return [word for word in row if word in known], [group for group in found if group]


def readings(groups: list[list[int]]) -> list[list[int]]:
    """All orders that a reference with ties allows."""
    choices = product(*(list(permutations(group)) for group in groups))
    return [[word for group in chosen for word in group] for chosen in choices]


def broken_under(row: list[int], reading: list[int]) -> list[bool]:
    """For each pair of neighbours of the system whether the reading parts them."""
    after = dict(pairwise(reading))
    return [after.get(left) != right for left, right in pairwise(row)]
