"""Permutation trees and forests against enumeration, the papers and Theorem 1; ground metrics."""

import copy
import pickle
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from tests import oracles
from tests.clocks import within
from tests.refusing import refuses
from tests.strategies import shuffles

import wordorder as wo
from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError
from wordorder.order.permutation_forest import (
    GROUND_METRICS,
    OperatorCosts,
    catalan,
    combined_cost,
    combined_costs,
    length,
    non_binary,
    not_monotone,
)
from wordorder.order.permutation_text import read_permutations
from wordorder.order.permutation_tree import SHORT_LENGTH, Node, PermutationTree
from wordorder.testing import check_metric


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


def test_arity_three_never_occurs() -> None:
    for row in permutations(range(6)):
        assert all(len(op) != 3 for op in wo.PermutationTree(row).operators())
    # Albert & Atkinson 2005; sequence A111111.
    counts = [
        sum(wo.PermutationTree(row).max_arity == n for row in permutations(range(n)))
        for n in range(4, 8)
    ]
    assert counts == [2, 6, 46, 338]


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
    # pi_a and pi_b fall apart into binary operators, pi_c needs one of length four.
    for digits, arity in (("614235", 2), ("615234", 2), ("245613", 4)):
        assert wo.PermutationTree([int(c) for c in digits]).max_arity == arity


def test_large_forests_and_those_of_one_word() -> None:
    n = 300
    assert wo.PermutationForest(range(n)).tree_count == comb(2 * n - 2, n - 1) // n
    trees = iter(wo.PermutationForest(range(40)))
    first = [nested(next(trees)) for _ in range(3)]
    assert len(set(first)) == 3
    tree = wo.PermutationTree([0])
    assert list(tree.weak_factorizations()) == list(wo.PermutationForest([0])) == [tree.root]


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
    n = 100_000
    for row in (range(n), [*range(1, n, 2), *range(0, n, 2)]):
        with within(1.0):
            tree = wo.PermutationTree(list(row))
            assert tree.node_count >= 1


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


# -- Ground metrics against all permutation trees of all short permutations.


SHORT_ROWS = [list(row) for n in range(1, 7) for row in permutations(range(n))]
COMBINE: dict[str, Callable[[list[float]], float]] = {
    "average": lambda costs: sum(costs) / len(costs) if costs else 0.0,
    "max": lambda costs: max(costs, default=0.0),
    "sum": sum,
}


def trained(operator: tuple[int, ...]) -> float:
    """Cost that tells all operators apart."""
    return sum(rank * 0.37**place for place, rank in enumerate(operator))


def test_every_tree_of_every_short_permutation_costs_the_same() -> None:
    rows = Ragged.from_rows(SHORT_ROWS)
    grounds = {
        **{name: GROUND_METRICS[name] for name in GROUND_METRICS if name != "catalan"},
        "own": trained,
    }
    found = {
        (name, combine): combined_costs(rows, ground, combine)
        for name, ground in grounds.items()
        for combine in COMBINE
    }
    for number, row in enumerate(SHORT_ROWS):
        several = {tuple(sorted(oracles.operators(tree))) for tree in oracles.trees(row)}
        # All trees of a permutation have the same operators, so any of them will do.
        assert len(several) == 1
        [operators] = several
        for name, ground in grounds.items():
            costs = [float(ground(operator)) for operator in operators]
            for combine, combined in COMBINE.items():
                assert found[name, combine][number] == pytest.approx(combined(costs))


def test_one_tree_and_many_rows_agree() -> None:
    rng = np.random.default_rng(3)
    rows = [
        rng.permutation(n).tolist()
        for n in [1, 2, 5, 9, 30, SHORT_LENGTH, SHORT_LENGTH + 1, 150] * 3
    ]
    rows += [row[::-1] + [len(row) + k for k in (1, 0, 2)] for row in rows]
    ragged = Ragged.from_rows([*rows, []])
    for ground in (*GROUND_METRICS.values(), trained):
        for combine in COMBINE:
            for flat in (False, True):
                found = combined_costs(ragged, ground, combine, flat=flat)
                for number, row in enumerate(rows):
                    tree = PermutationTree(row)
                    one = combined_cost(tree.flat if flat else tree.root, ground, combine)
                    assert found[number] == pytest.approx(one)
                assert found[-1] == 0


def test_catalan_is_behind_the_number_of_trees() -> None:
    rows = [row for row in SHORT_ROWS if len(row) > 1]
    found = combined_costs(Ragged.from_rows(rows), catalan, "sum", flat=True)
    wanted = [len(list(oracles.trees(row))) for row in rows]
    assert 2**found == pytest.approx(np.array(wanted))


def test_figures_of_the_paper() -> None:
    """Nodes and longest operator of <2,4,5,6,1,3>; |PET| is an affine function of AVG by length."""
    rows = [row for row in SHORT_ROWS if len(row) > 2]
    ragged = Ragged.from_rows(rows)
    sizes = np.array(list(map(len, rows)))
    average, most = (combined_costs(ragged, length, combine) for combine in ("average", "max"))
    segments = wo.Segments.from_permutations(rows)
    nodes = (sizes - 1) / (average - 1)
    assert (nodes - 1) / (sizes - 2) == pytest.approx(wo.metric("pet").segment_scores(segments))
    found = 1 - (most - 2) / (sizes - 2)
    assert found == pytest.approx(wo.metric("maxop").segment_scores(segments))
    tree = PermutationTree([2, 4, 5, 6, 1, 3])
    assert combined_cost(tree, combine="max") == 4
    assert combined_cost(tree, non_binary, "sum") == 1
    assert combined_cost(tree, not_monotone, "sum") == 1


def splits(row: list[int]) -> Any:
    """Yield pairs of weak factorisations, the second with one part more taken apart."""
    every = list(PermutationTree(row).weak_factorizations())
    spans = [frozenset((n.start, n.stop) for n in node.walk() if n.children) for node in every]
    for one, before in zip(every, spans, strict=True):
        for other, after in zip(every, spans, strict=True):
            if before < after and len(after) == len(before) + 1:
                yield one, other


def test_tight_and_semi_tight() -> None:
    """What the page says of each ground metric, on all splits of all permutations up to 5 words."""
    rises: set[tuple[str, str]] = set()
    stays: set[tuple[str, str]] = set()
    for row in SHORT_ROWS:
        if not 3 <= len(row) <= 5:
            continue
        for one, other in splits(row):
            for name, ground in GROUND_METRICS.items():
                for combine in COMBINE:
                    before, after = (combined_cost(n, ground, combine) for n in (one, other))
                    if after > before + 1e-12:
                        rises.add((name, combine))
                    elif after > before - 1e-12:
                        stays.add((name, combine))
    assert ("length", "average") not in rises | stays
    # Never rises, but can stay: semi-tight.
    assert {("length", "max"), ("non-binary", "max")} <= stays - rises
    # The paper calls the number of non-binary nodes semi-tight, but <1,2,3,4,5> as two operators
    # of three parts has two of them.
    assert {("length", "sum"), ("non-binary", "sum"), ("not-monotone", "sum")} <= rises
    assert ("not-monotone", "average") in rises


def test_an_average_that_rises() -> None:
    """One part of two operators is non-binary, then two of three: the theorem needs more."""
    whole = PermutationTree([1, 3, 5, 6, 7, 2, 4])
    averages = {
        frozenset((n.start, n.stop) for n in node.walk() if n.children): combined_cost(
            node, non_binary
        )
        for node in whole.weak_factorizations()
    }
    before = frozenset([(0, 7), (1, 7)])
    assert averages[before] == 0.5
    assert averages[before | {(2, 5)}] == 2 / 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2413\n", "'2413'; expected an operator and its cost"),
        ("2413 x\n", "'x'; expected a cost, a number"),
        ("2412 1\n", "operator '2412'; expected the ranks 1, 2"),
        ("1 1\n", "operator '1'"),
        ("12 -1\n", "cost -1.0; expected a finite number of at least 0"),
        ("12 inf\n", "cost inf"),
        ("\n12 1\n1,2 2\n", r"t\.txt:3: a second cost for <1,2>"),
        ("* 1\n* 2\n", r"t\.txt:2: a second cost for '\*'"),
    ],
)
def test_broken_tables_are_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "t.txt"
    path.write_text(text)
    refuses(InputError, message, OperatorCosts, path)


def test_tables() -> None:
    table: dict[Any, float] = {(2, 1): 1, "<2,4,1,3>": 3, "3142": 2.5, "12": 0}
    costs = OperatorCosts(table)
    assert [costs(op) for op in ((1, 2), (2, 1), (2, 4, 1, 3), (3, 1, 4, 2))] == [0, 1, 3, 2.5]
    refuses(UsageError, "no cost for the operator <2,4,1,5,3>: list it", costs, (2, 4, 1, 5, 3))
    ten = "2,4,6,8,10,1,3,5,7,9"
    assert OperatorCosts({ten: 7})((2, 4, 6, 8, 10, 1, 3, 5, 7, 9)) == 7
    assert OperatorCosts({"12": 1}).digest != OperatorCosts({"12": 2}).digest


def test_the_metric(tmp_path: Path) -> None:
    path = tmp_path / "costs.txt"
    path.write_text("12 0\n21 0.5\n* 2\n")
    segments = wo.Segments.from_orders(
        [[1, 3, 0, 2], [0, 1, 2], [0], [2, 0, 1], []],
        [[1, 0, 3, 2], [0, 1, 2], [0], [0, (1, 2)], []],
    )
    for options in (
        {"cost": "table", "costs": str(path)},
        {"cost": trained, "combine": "max"},
        {"cost": "catalan", "combine": "sum"},
        {"average": "length", "degenerate": "skip"},
        {"degenerate": "beer", "tree": "flat"},
    ):
        check_metric(wo.metric("tree-cost", **options), segments)
    table = wo.metric("tree-cost", cost="table", costs=str(path), combine="sum")
    rows = wo.Segments.from_permutations([[1, 3, 0, 2], [0, 1, 2], [2, 1, 0]])
    assert table.segment_scores(rows).tolist() == [2, 0, 1]
    assert not table.higher_is_better
    assert "cost:table|costs:" in str(table.signature())


def test_what_the_metric_refuses(tmp_path: Path) -> None:
    path = tmp_path / "my.costs"
    path.write_text("12 0\n")
    refuses(UsageError, r"my\.costs: no cost for the operator <2,1>", OperatorCosts(path), (2, 1))
    for options, message in (
        ({"cost": "table"}, r"tree-cost\.cost=table needs a file"),
        ({"costs": "x"}, r"tree-cost\.costs needs tree-cost\.cost=table"),
        ({"cost": "size"}, r"unknown value for tree-cost\.cost 'size'"),
    ):
        refuses(UsageError, message, wo.metric, "tree-cost", **options)
    negative = wo.metric("tree-cost", cost=lambda _: -1)
    segments = wo.Segments.from_permutations([[1, 0]])
    message = "operator <2,1> is -1, expected a finite number"
    refuses(UsageError, message, negative.segment_scores, segments)
    own = wo.metric("tree-cost", cost=trained)
    refuses(UsageError, "Python function: it cannot be written", own.named_options)


def is_simple(row: tuple[int, ...]) -> bool:
    """Say whether no stretch but single values and the whole has values without a gap."""
    n = len(row)
    return not any(
        max(row[i:j]) - min(row[i:j]) == j - i - 1
        for i in range(n)
        for j in range(i + 2, n + 1)
        if j - i < n
    )


def without(row: tuple[int, ...], *places: int) -> tuple[int, ...]:
    """Return the order of what is left when places are taken out."""
    left = [value for place, value in enumerate(row) if place not in places]
    return tuple(sorted(left).index(value) for value in left)


def test_simple_operators_contain_those_one_or_two_shorter() -> None:
    """Schmerl & Trotter (1993), the theorem behind costs that rise with length; all up to 7.

    Of four and more; shorter simple orders are <1,2> and <2,1> alone. The exceptional orders, of
    which none that is one shorter is contained, have even lengths: 2 of four, 4 of six.
    """
    exceptional = {}
    for n in range(4, 8):
        rows = [row for row in permutations(range(n)) if is_simple(row)]
        # Albert, Atkinson & Klazar (2003): how many simple permutations there are.
        assert len(rows) == {4: 2, 5: 6, 6: 46, 7: 338}[n]
        alone = [
            row for row in rows if not any(is_simple(without(row, place)) for place in range(n))
        ]
        for row in alone:
            shorter = (without(row, i, j) for i in range(n) for j in range(i))
            assert any(map(is_simple, shorter)), row
        exceptional[n] = len(alone)
        for row in rows:
            assert [
                node.operator for node in PermutationTree(row).root.walk() if node.children
            ] == [tuple(value + 1 for value in row)]
    assert exceptional == {4: 2, 5: 0, 6: 4, 7: 0}


@pytest.mark.parametrize(("line", "message"), [("1,0 2", "no ties"), ("3 0 5", "no gaps")])
def test_orders_that_are_no_permutation(line: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.orders"
    path.write_text(f"0 1\n{line}\n")
    found = rf"a.orders:2:1: .*a tree has {message}; `wordorder reference --rule aligned` writes"
    refuses(InputError, found, lambda: list(read_permutations(path)))
