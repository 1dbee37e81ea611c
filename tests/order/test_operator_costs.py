"""Ground metrics against all permutation trees of all short permutations."""

from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests import oracles
from tests.refusing import refuses

import wordorder as wo
from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError
from wordorder.order.permutation_forest import (
    GROUND,
    OperatorCosts,
    catalan,
    combined_cost,
    combined_costs,
    length,
    non_binary,
    not_monotone,
)
from wordorder.order.permutation_tree import SHORT, PermutationTree
from wordorder.testing import check_metric

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
    grounds = {**{name: GROUND[name] for name in GROUND if name != "catalan"}, "own": trained}
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
    rows = [rng.permutation(n).tolist() for n in [1, 2, 5, 9, 30, SHORT, SHORT + 1, 150] * 3]
    rows += [row[::-1] + [len(row) + k for k in (1, 0, 2)] for row in rows]
    ragged = Ragged.from_rows([*rows, []])
    for ground in (*GROUND.values(), trained):
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
            for name, ground in GROUND.items():
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
