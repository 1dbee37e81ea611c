"""How far any rule set could get: the best that can be done with whole subtrees.

Each family, a word and its children, is put in the order in which its members stand in the
reference on average. Rules that see no more than the tree can hardly do better; what then is
missing to 1 are subtrees that the translation takes apart, and wrong trees.
"""

from __future__ import annotations

import numpy as np

import wordorder as wo
from wordorder.treebank import Treebank
from wordorder.treebank.preparation import projective


def ordered_by_reference(trees: Treebank, reference: wo.Orders) -> wo.Orders:
    """Order each family by the mean ranks of its members; those without stay with the next."""
    trees = projective(trees)
    rows = []
    for number, order in enumerate(reference):
        start, end = trees.offsets[number : number + 2]
        heads = trees.heads[start:end]
        children: list[list[int]] = [[] for _ in range(len(heads) + 1)]
        for word, head in enumerate(heads, 1):
            children[head].append(word)
        ranks = {word + 1: rank for rank, group in enumerate(order.groups) for word in group}
        rows.append([word - 1 for word in _subtree(0, children, ranks)[0]])
    return wo.Orders.from_rows(rows)


def _subtree(
    word: int, children: list[list[int]], ranks: dict[int, int]
) -> tuple[list[int], list[int]]:
    """Return the words below and with a word in their best order, and their ranks."""
    members = {word: ([word], [ranks[word]] if word in ranks else [])} if word else {}
    members |= {child: _subtree(child, children, ranks) for child in children[word]}
    key, following = {}, float("inf")
    for member in sorted(members, reverse=True):
        found = members[member][1]
        following = float(np.mean(found)) if found else following - 1e-6
        key[member] = following
    listed = [members[member] for member in sorted(members, key=lambda each: (key[each], each))]
    return [w for words, _ in listed for w in words], [r for _, each in listed for r in each]
