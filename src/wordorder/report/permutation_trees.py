"""Permutation trees, for every format."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log10

from wordorder.order.permutation_forest import PermutationForest
from wordorder.records import Record, key

# Some readers of JSON, such as Python's, refuse numbers with more digits.
MAX_DIGITS = 4300


@dataclass(frozen=True)
class CountedTrees(Record):
    """A permutation and its permutation trees."""

    permutation: tuple[int, ...] = key("the permutation, counted from 1")
    nodes: int = key("inner nodes of its permutation tree")
    max_arity: int = key("length of the longest operator")
    trees: int | None = key(
        f"number of its permutation trees, exactly; `null` if it has more than {MAX_DIGITS:,} "
        "digits"
    )
    log10_trees: float = key("its logarithm to base 10")
    operators: tuple[tuple[int, ...], ...] = key(
        "the operators, from the top down and from left to right"
    )


@dataclass(frozen=True)
class PermutationTrees(Record, rows="trees"):
    """The result of `wordorder tree`."""

    trees: tuple[CountedTrees, ...] = key("the permutations, in the order of the file")


def counted_trees(forests: Sequence[PermutationForest]) -> PermutationTrees:
    """Return the trees of each permutation, with their counts."""
    return PermutationTrees(tuple(map(_counted, forests)))


def _counted(forest: PermutationForest) -> CountedTrees:
    tree, log_count = forest.tree, log10(forest.tree_count)
    return CountedTrees(
        permutation=tuple((tree.permutation + 1).tolist()),
        nodes=tree.node_count,
        max_arity=tree.max_arity,
        trees=forest.tree_count if log_count < MAX_DIGITS else None,
        log10_trees=log_count,
        operators=tuple(map(tuple, tree.operators())),
    )
