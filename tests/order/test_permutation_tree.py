"""Permutation trees and forests against enumeration, the papers, and Theorem 1."""

import copy
import pickle
from collections.abc import Iterator
from fractions import Fraction
from itertools import permutations
from math import comb

import pytest
from hypothesis import given
from tests import oracles
from tests.refusing import refuses
from tests.strategies import shuffles

import wordorder as wo
from wordorder.order.permutation_tree import Node


def nested(node: Node) -> oracles.Tree:
    return node.start, node.stop, node.operator, tuple(nested(c) for c in node.children)


@pytest.mark.parametrize("n", range(1, 8))
def test_every_short_permutation(n: int) -> None:
    for row in permutations(range(n)):
        tree = wo.PermutationTree(row)
        oracle = oracles.reduce_nested(row)
        assert nested(tree.root) == oracle
        operators = oracles.operators(oracle)
        assert tree.operators() == operators
        assert tree.node_count == len(operators)
        assert tree.max_arity == max(map(len, operators), default=0)


@pytest.mark.parametrize("n", range(1, 7))
def test_forests_hold_exactly_all_trees(n: int) -> None:
    for row in permutations(range(n)):
        forest = wo.PermutationForest(row)
        found = [nested(node) for node in forest]
        wanted = list(oracles.trees(row))
        assert sorted(found) == sorted(wanted)
        assert forest.tree_count == len(wanted)
        assert nested(forest.tree.root) in found


def test_simple_permutations_are_2_6_46_338() -> None:
    # Albert & Atkinson 2005; sequence A111111.
    counts = [
        sum(wo.PermutationTree(row).max_arity == n for row in permutations(range(n)))
        for n in range(4, 8)
    ]
    assert counts == [2, 6, 46, 338]


def test_arity_three_never_occurs() -> None:
    for row in permutations(range(6)):
        assert all(len(op) != 3 for op in wo.PermutationTree(row).operators())


def test_examples_of_the_paper() -> None:
    # Figure 3: 2 4 5 6 1 3, 1-based or 0-based.
    for row in ([2, 4, 5, 6, 1, 3], [1, 3, 4, 5, 0, 2]):
        tree = wo.PermutationTree(row)
        assert (tree.node_count, tree.max_arity) == (3, 4)
        assert tree.operators() == [(2, 4, 1, 3), (1, 2), (1, 2)]
    # Section 3: 4 2 3 1 has arity 2 with parts 4 2 3 and 1.
    root = wo.PermutationTree([4, 2, 3, 1]).root
    assert root.operator == (2, 1)
    assert [(c.start, c.stop) for c in root.children] == [(0, 3), (3, 4)]
    # The paper calls 6 2 4 1 5 3 simple; it is 2 1 over 6 and 2 4 1 5 3.
    tree = wo.PermutationTree([6, 2, 4, 1, 5, 3])
    assert (tree.node_count, tree.max_arity) == (2, 5)
    assert wo.PermutationTree([2, 4, 6, 1, 3, 5]).node_count == 1
    # Figure 5: 4 3 2 1 has five trees and flattens to one node.
    forest = wo.PermutationForest([4, 3, 2, 1])
    assert forest.tree_count == 5
    assert forest.tree.flatten().operator == (4, 3, 2, 1)
    assert [i.splits for i in forest.entries[0, 4]] == [(1,), (2,), (3,)]
    assert forest.inference_count == 10


def test_figure_one_prefers_short_operators() -> None:
    # pi_a and pi_b fall apart into binary operators, pi_c needs one of length four.
    for row, arity in (("614235", 2), ("615234", 2), ("245613", 4)):
        assert wo.PermutationTree([int(c) for c in row]).max_arity == arity


def test_counts_beyond_64_bits() -> None:
    n = 300
    assert wo.PermutationForest(range(n)).tree_count == comb(2 * n - 2, n - 1) // n


@given(shuffles(longest=150))
def test_long_rows_against_the_plain_stack(row: list[int]) -> None:
    tree = wo.PermutationTree(row)
    nodes, largest, count = oracles.shift_reduce(row)
    assert (tree.node_count, tree.max_arity) == (nodes, largest)
    assert wo.PermutationForest(row).tree_count == count
    assert len(tree.operators()) == nodes


@given(shuffles(longest=12))
def test_operators_and_leaves_add_up(row: list[int]) -> None:
    # Every node but the root is somebody's child: sum |op| = N + n - 1.
    tree = wo.PermutationTree(row)
    assert sum(map(len, tree.operators())) == tree.node_count + max(len(row) - 1, 0)
    leaves = [node for node in tree.root.walk() if not node.children]
    assert [leaf.low for leaf in leaves] == row
    assert [leaf.start for leaf in leaves] == list(range(len(row)))


@given(shuffles(longest=40))
def test_flat_and_canonical_tree_agree(row: list[int]) -> None:
    tree = wo.PermutationTree(row)
    flat = [node for node in tree.flatten().walk() if node.children]
    assert tree.node_count == sum(len(n.children) - 1 if n.is_chain else 1 for n in flat)
    for node in flat:
        # Left-branching: no part of a chain is a chain of the same direction.
        for child in node.children:
            assert not (
                node.is_chain
                and child.is_chain
                and (node.operator < node.operator[::-1]) == (child.operator < child.operator[::-1])
            )


def test_a_long_row_takes_less_than_a_second() -> None:
    import time

    n = 100_000
    for row in (range(n), [*range(1, n, 2), *range(0, n, 2)]):
        start = time.process_time()
        tree = wo.PermutationTree(list(row))
        assert tree.node_count >= 1
        assert time.process_time() - start < 1.0


def spans(node: Node) -> frozenset[tuple[int, int]]:
    return frozenset((n.start, n.stop) for n in node.walk() if n.children)


def factorisations(row: tuple[int, ...]) -> Iterator[Node]:
    yield from wo.PermutationTree(row).weak_factorizations()


@pytest.mark.parametrize("n", [3, 4, 5])
def test_weak_factorisations(n: int) -> None:
    for row in permutations(range(n)):
        found = [spans(node) for node in factorisations(row)]
        assert len(found) == len(set(found))
        assert found[0] == {(0, n)}
        assert {spans(tree) for tree in wo.PermutationForest(row)} <= set(found)
        # The permutation trees are those that cannot be taken further apart.
        finest = [f for f in found if not any(f < other for other in found)]
        assert {spans(tree) for tree in wo.PermutationForest(row)} == set(finest)


@pytest.mark.parametrize("n", [3, 4, 5])
def test_operator_length_is_tight_and_its_maximum_semi_tight(n: int) -> None:
    """Stanojević & Sima'an 2016, theorem 1, for C_o(op) = |op|."""
    for row in permutations(range(n)):
        lengths = {
            spans(node): [len(m.operator) for m in node.walk() if m.children]
            for node in factorisations(row)
        }
        flattest = frozenset([(0, n)])
        for coarse, before in lengths.items():
            for fine, after in lengths.items():
                if coarse < fine:
                    assert Fraction(sum(before), len(before)) > Fraction(sum(after), len(after))
                    assert max(before) >= max(after)
        finest = [after for fine, after in lengths.items() if not any(fine < f for f in lengths)]
        if any(len(after) > 1 for after in finest):
            assert all(max(lengths[flattest]) > max(after) for after in finest)


def test_theorem_one_fails_for_other_ground_metrics() -> None:
    # C_o(2) = 0 and C_o(longer) = 1: splitting the 6 of 2 4 5 6 1 3 into a 4 and a 3 changes
    # nothing, so the average is not strictly smaller.
    trees = {spans(node): node for node in factorisations((1, 3, 4, 5, 0, 2))}

    def average(found: frozenset[tuple[int, int]]) -> float:
        costs = [float(len(m.operator) > 2) for m in trees[found].walk() if m.children]
        return sum(costs) / len(costs)

    assert average(frozenset([(0, 6)])) == average(frozenset([(0, 6), (1, 4)])) == 1.0


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], "no numbers"),
        ([0, 2], "permutation:2: 2 is out of range"),
        ([0, 0], "permutation:2: 0 is listed twice"),
        ([1, 1], "permutation:2: 1 is listed twice"),
        ([-1, 0], "permutation:1: -1 is out of range"),
        ([0.5], "0.5 is not a whole number"),
        ([True, False], "True is not a whole number"),
        (["1"], "'1' is not a whole number"),
    ],
)
def test_what_is_no_permutation(row: list[int], message: str) -> None:
    refuses(wo.InputError, message, wo.PermutationTree, row)


@pytest.mark.parametrize("n", [1, 2, 300, 20_000])
def test_deep_trees_are_copied_compared_and_printed(n: int) -> None:
    tree = wo.PermutationTree(range(n))
    other = wo.PermutationTree(range(n))
    assert tree.root == other.root
    assert hash(tree.root) == hash(other.root)
    assert (tree == other, hash(tree) == hash(other)) == (True, True)
    assert pickle.loads(pickle.dumps(tree)) == copy.deepcopy(tree) == tree
    assert len(repr(tree.root)) < 100
    assert tree != wo.PermutationTree([1, 0, 2])
    assert tree.root != "tree"


def test_the_first_trees_of_a_large_forest_come_at_once() -> None:
    trees = iter(wo.PermutationForest(range(40)))
    first = [nested(next(trees)) for _ in range(3)]
    assert len(set(first)) == 3


def test_one_word_has_one_factorisation() -> None:
    tree = wo.PermutationTree([0])
    assert list(tree.weak_factorizations()) == list(wo.PermutationForest([0])) == [tree.root]
