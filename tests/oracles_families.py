"""Slow and obvious twins of families, of their pairs' attributes and of their best orders."""

import random
from dataclasses import dataclass
from itertools import combinations, permutations

from tests.oracles_trees import projectivized, random_tree
from wordorder.treebank import Treebank

LABELS = ["nsubj", "obj", "punct", "cc", "case", "mark", "advcl", "aux:pass", "obl"]
TAGS = ["NN", "VBD", "IN", ".", "CC"]
WORDS = ["cats", "SAT", "on", "mats", ",", "in", "1999", "and"]


def random_treebank(rng: random.Random, lengths: list[int]) -> Treebank:
    """Sentences with random words, tags and trees."""
    heads = [random_tree(rng, length) if length else [] for length in lengths]
    return Treebank.from_words(
        [[rng.choice(WORDS) for _ in row] for row in heads],
        heads=heads,
        upos=[[rng.choice(["NOUN", "VERB", "ADP"]) for _ in row] for row in heads],
        xpos=[[rng.choice(TAGS) for _ in row] for row in heads],
        label=[[rng.choice(LABELS) if head else "root" for head in row] for row in heads],
    )


@dataclass
class Family:
    """A head and its children, as numbers of words of one sentence from 0."""

    sentence: int
    head: int
    members: list[int]


def families(heads: list[list[int]]) -> list[Family]:
    """All families of more than one member, heads from left to right."""
    found = []
    for sentence, row in enumerate(heads):
        tree = projectivized(row)
        for head in range(len(tree)):
            children = [word for word in range(len(tree)) if tree[word] == head + 1]
            if children:
                found.append(Family(sentence, head, sorted([*children, head])))
    return found


def below(heads: list[int], word: int) -> list[int]:
    """A word and all words below it in a projective tree."""
    found = [word]
    for child, head in enumerate(heads):
        if head == word + 1:
            found += below(heads, child)
    return sorted(found)


def yields(heads: list[int], family: Family) -> list[list[int]]:
    """The words of each member: the head alone, a child with all that is below it."""
    tree = projectivized(heads)
    return [[m] if m == family.head else below(tree, m) for m in family.members]


def evidence(
    heads: list[list[int]], spans: list[list[tuple[int, int] | None]]
) -> list[tuple[int, int]]:
    """For each pair of members how many pairs of words keep their order, and how many do not."""
    found = []
    for family in families(heads):
        target = spans[family.sentence]
        for left, right in combinations(yields(heads[family.sentence], family), 2):
            kept = turned = 0
            for a in left:
                for b in right:
                    one, other = target[a], target[b]
                    if one is None or other is None or one == other:
                        continue
                    kept += one[0] <= other[0] and one[1] <= other[1]
                    turned += other[0] <= one[0] and other[1] <= one[1]
            found.append((kept, turned))
    return found


def best_value(scores: dict[tuple[int, int], float], members: int) -> float:
    """The highest score of any order of the members of a family."""
    return max(value_of(scores, order) for order in permutations(range(members)))


def value_of(scores: dict[tuple[int, int], float], order: tuple[int, ...] | list[int]) -> float:
    """The sum over the pairs that keep their order, less that over the others."""
    place = {member: at for at, member in enumerate(order)}
    return sum(
        score if place[left] < place[right] else -score for (left, right), score in scores.items()
    )


def level(number: int) -> int:
    """The step that a number falls into."""
    steps = [1, 2, 3, 4, 6, 9, 14, 22]
    return next((at for at, step in enumerate(steps, 1) if number <= step), 9)


def shape(word: str) -> str:
    kinds = ["d" if c.isdigit() else "a" if c.isalpha() else c for c in word]
    return "".join(c for k, c in enumerate(kinds) if k == 0 or kinds[k - 1] != c)


def pair_attributes(bank: Treebank, family: Family, i: int, j: int) -> dict[str, object]:
    """What is known of a pair of members; what has no name of its own has a tuple of labels."""
    row = bank[family.sentence]
    words = row.forms
    tree = projectivized([int(head) for head in row.heads])
    start = int(bank.offsets[family.sentence])
    upos, xpos, label = (
        column.strings()[start : start + len(words)]
        for column in (bank.upos, bank.xpos, bank.label)
    )
    parts = yields(tree, family)

    def children(word: int) -> list[int]:
        return [child for child, head in enumerate(tree) if head == word + 1]

    def member(place: int) -> dict[str, object]:
        word, part = family.members[place], parts[place]
        own = word == family.head
        markers = [words[c].lower() for c in children(word) if label[c] in ("case", "mark")]
        return {
            "form": words[word].lower(),
            "upos": upos[word],
            "xpos": xpos[word],
            "label": "SELF" if own else label[word],
            "suffix": words[word].lower()[-3:],
            "shape": shape(words[word]),
            "marker": "SELF" if own else markers[0] if markers else "",
            "children": "SELF" if own else tuple(sorted(label[c] for c in children(word))),
            "size": level(len(part)),
            "first": words[part[0]].lower(),
            "last": words[part[-1]].lower(),
            "first-tag": xpos[part[0]],
            "last-tag": xpos[part[-1]],
        }

    head, members = family.head, family.members
    labels = tuple("SELF" if m == head else label[m] for m in members)
    parent = tree[head] - 1
    left, right = members[i], members[j]
    between = [label[m].split(":")[0] for m in members[i + 1 : j] if m != head]
    core = ("nsubj", "obj", "case", "mark", "aux")
    side = 5
    if head in (left, right):
        side = 1 if left == head else 2
    elif right < head or left > head:
        side = 3 if right < head else 4
    found: dict[str, object] = {f"a.{key}": value for key, value in member(i).items()}
    found |= {f"b.{key}": value for key, value in member(j).items()}
    return found | {
        "head-upos": upos[head],
        "head-xpos": xpos[head],
        "head-form": words[head].lower(),
        "head-label": label[head],
        "parent-upos": upos[parent] if parent >= 0 else None,
        "parent-label": label[parent] if parent >= 0 else None,
        "family": labels,
        "core": tuple(
            sorted(label[m] for m in members if m != head and label[m].split(":")[0] in core)
        ),
        "end": words[-1].lower(),
        "length": level(len(words)),
        "head-children": tuple(sorted(label[c] for c in children(head))),
        "side": side,
        "distance": level(j - i),
        "between": labels[i + 1 : j],
        "comma": "punct" in between,
        "conjunction": "cc" in between,
        "before": labels[i - 1] if i else None,
        "behind": labels[j + 1] if j + 1 < len(members) else None,
        "leftmost": i == 0,
        "rightmost": j + 1 == len(members),
        "members": level(len(members)),
    }
