"""Slow and obvious twins of what is said about dependency trees, and of reading CoNLL-U."""

import random
from itertools import combinations


def random_tree(rng: random.Random, words: int, roots: int = 1) -> list[int]:
    """Heads of a tree: each word hangs on one that hangs on the root already."""
    order = list(range(1, words + 1))
    rng.shuffle(order)
    heads = [0] * words
    for i, word in enumerate(order):
        heads[word - 1] = 0 if i < roots else rng.choice(order[:i])
    return heads


def ancestors(heads: list[int], word: int) -> list[int]:
    """The heads above a word up to the root, or up to where they go round."""
    found: list[int] = []
    while word != 0:
        word = heads[word - 1]
        if word in found:
            break
        found.append(word)
    return found


def is_tree(heads: list[int], *, single_root: bool) -> bool:
    words = len(heads)
    if any(not 0 <= head <= words for head in heads):
        return False
    if words and (heads.count(0) == 0 or (single_root and heads.count(0) > 1)):
        return False
    return all(0 in ancestors(heads, word) for word in range(1, words + 1))


def non_projective(heads: list[int]) -> list[bool]:
    """Whether some word between a word and its head is not dominated by the head."""
    found = []
    for word, head in enumerate(heads, 1):
        between = range(min(word, head) + 1, max(word, head))
        found.append(any(head not in ancestors(heads, other) for other in between))
    return found


def crossings(heads: list[int], *, root: bool) -> int:
    arcs = [tuple(sorted(arc)) for arc in enumerate(heads, 1) if root or arc[1]]
    pairs = combinations(sorted(arcs), 2)
    return sum(a < c < b < d for (a, b), (c, d) in pairs)


def projectivized(heads: list[int]) -> list[int]:
    """Nivre & Nilsson (2005): lift the shortest arc that is not projective, until there is none."""
    heads = list(heads)
    while any(marks := non_projective(heads)):
        lengths = [abs(head - word) for word, head in enumerate(heads, 1)]
        _, word = min((lengths[i], i) for i, mark in enumerate(marks) if mark)
        heads[word] = heads[heads[word] - 1]
    return heads


def conllu_words(text: str) -> list[list[list[str]]]:
    """The fields of the words of each sentence."""
    sentences = [block for block in text.replace("\r\n", "\n").split("\n\n") if block.strip("\n")]
    return [
        [
            line.split("\t")
            for line in block.strip("\n").split("\n")
            if line.split("\t")[0].isdecimal() and not line.startswith("#")
        ]
        for block in sentences
    ]
