"""Which rankings survive: against evaluations of each convention by itself."""

import random
from itertools import combinations, product

import numpy as np
import pytest
from scipy.stats import kendalltau
from tests.analysis.corpora import random_trees
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.analysis.grid_systems import GridSystems, grid_systems, scored_grid
from wordorder.analysis.sensitivity import (
    Convention,
    Sensitivity,
    grid_sensitivity,
    ranking_tau,
    reference_conventions,
    survivals,
    ties_of,
    under_ties,
)
from wordorder.errors import UsageError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.order.reference import reference_orders
from wordorder.treebank.treebank import Treebank

ALL = [
    *product(("talbot", "lrscore"), ("next", "previous", "drop")),
    *product(("lader",), ("next", "previous")),
    ("topdown-btg", "drop"),
]


def links(seed: int, bank: Treebank) -> Alignments:
    draw = random.Random(seed)
    return Alignments.from_rows(
        [
            sorted({(draw.randrange(n), draw.randrange(6)) for _ in range(n)})
            for n in bank.lengths.tolist()
        ]
    )


@pytest.fixture(scope="module")
def systems() -> GridSystems:
    draw = random.Random(11)
    lengths = [draw.randrange(9) for _ in range(40)]
    first, second = (random_trees(draw, lengths) for _ in range(2))
    banks = {"P1": first, "P2": second.replace(form=first.form)}
    return grid_systems(banks, ["R1", "R2-literal", "R3", "R4"])


@pytest.fixture(scope="module")
def alignments(systems: GridSystems) -> Alignments:
    return links(4, systems.words)


@pytest.fixture(scope="module")
def found(systems: GridSystems, alignments: Alignments) -> Sensitivity:
    conventions = reference_conventions(alignments, systems.words)
    return grid_sensitivity(systems, conventions, ["frs", "exact"], resamples=100)


def test_every_convention_is_evaluated_as_by_itself(
    systems: GridSystems, alignments: Alignments, found: Sensitivity
) -> None:
    seen = set()
    for convention, same, grid in zip(found.conventions, found.same, found.grids, strict=True):
        for each in (convention, *same):
            seen.add((each.rule, each.unaligned, each.ties))
            orders = reference_orders(
                alignments,
                systems.words.lengths,
                rule=str(each.rule),
                unaligned=each.unaligned,
                words=systems.words.sentences() if each.rule == "lader" else None,
            )
            alone = scored_grid(
                orders,
                systems,
                [metric("frs", ties=each.ties or "best"), metric("exact")],
                resamples=100,
            )
            assert alone.estimates == grid.estimates
            assert alone.by_rules == grid.by_rules
            assert alone.by_parser == grid.by_parser
    expected = {
        (rule, place, ties)
        for rule, place in ALL
        for ties in ((None,) if rule == "lrscore" else ("best", "rank"))
    }
    assert seen == expected


def test_no_two_conventions_give_the_same_reference(
    systems: GridSystems, alignments: Alignments
) -> None:
    whole = Alignments.from_rows(
        [[(i, i) for i in range(n)] for n in systems.words.lengths.tolist()]
    )
    conventions = reference_conventions(whole, systems.words)
    found = grid_sensitivity(systems, conventions, ["frs"], resamples=10)
    assert [str(each) for each in found.conventions] == ["talbot, unaligned next"]
    assert len(found.same[0]) == len(ALL) - 1


def test_the_convention_that_is_asked_for_comes_first(systems: GridSystems) -> None:
    alignments = links(9, systems.words)
    conventions = reference_conventions(
        alignments, systems.words, rule="lader", unaligned="previous"
    )
    found = grid_sensitivity(
        systems, conventions, [metric("frs", ties="rank"), metric("exact")], resamples=10
    )
    assert str(found.conventions[0]) == "lader, unaligned previous, ties rank"
    assert found.conventions[1].ties == "best"
    default = next(reference_conventions(alignments, systems.words))[0]
    assert (default.rule, default.unaligned) == ("talbot", "next")


def test_links_vary_where_some_are_only_possible(systems: GridSystems) -> None:
    bank = systems.words
    plain = Alignments.from_rows([[(0, 1)] if n else [] for n in bank.lengths.tolist()])
    possible = Alignments(
        plain.source, plain.target, plain.offsets, possible=np.ones(len(plain.source), np.bool_)
    )
    assert {each.links for each, _ in reference_conventions(plain, bank)} == {None}
    varied = [each.links for each, _ in reference_conventions(possible, bank, links="sure")]
    assert varied[0] == "sure"
    assert varied.count("sure") == varied.count("all") == len(ALL)


def test_what_knows_no_ties_has_fewer_conventions(found: Sensitivity) -> None:
    by_frs, by_exact = found.of_metric(0), found.of_metric(1)
    assert len(by_frs) == len(found.conventions) > len(by_exact)
    assert {each.ties for each, _ in by_exact} == {None}
    names = [str(each) for each, _ in by_exact]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("m", [0, 1])
def test_survivals_count_the_conventions(found: Sensitivity, systems: GridSystems, m: int) -> None:
    grids = [grid for _, grid in found.of_metric(m)]
    expected = {}
    for a, b in combinations(range(8), 2):
        if a // 4 != b // 4 and a % 4 != b % 4:
            continue
        attribute, group = ("by_parser", a // 4) if a // 4 == b // 4 else ("by_rules", a % 4)
        places = (a % 4, b % 4) if attribute == "by_parser" else (a // 4, b // 4)
        differences = [g.estimates[m][a].value - g.estimates[m][b].value for g in grids]
        marks = [getattr(g, attribute)[m][group].pair(*places).mark for g in grids]
        up, down = "-**", "+**"
        numbers = (a, b)
        if differences[0] < -1e-12:
            differences = [-d for d in differences]
            up, down, numbers = down, up, (b, a)
        expected[numbers] = (
            sum(d > 1e-12 for d in differences),
            sum(abs(d) <= 1e-12 for d in differences),
            sum(d < -1e-12 for d in differences),
            marks.count(up),
            marks.count(down),
            abs(differences[0]) > 1e-12,
        )
    pairs = survivals(found, m)
    assert {
        (p.better, p.worse): (p.holds, p.equal, p.turned, p.surely, p.turned_surely, p.ranked)
        for p in pairs
    } == expected
    assert len(pairs) == len(expected)
    # R1 and R2 look at no tree, so both parsers are equal there, under any convention.
    assert all(not p.ranked and p.equal == len(grids) for p in pairs[:2])


def test_tau_is_the_one_of_statistics() -> None:
    draw = np.random.default_rng(3)
    for _ in range(50):
        one, other = draw.integers(0, 5, (2, 7)).astype(float)
        expected = kendalltau(one, other).statistic
        assert ranking_tau(one, other) == pytest.approx(expected, abs=1e-12)
    flat = np.full(3, 0.25)
    assert ranking_tau(flat, np.array([0.1, 0.2, 0.3])) is None
    # A difference by rounding is none.
    close = np.array([0.3, 0.1 + 0.2, 0.5])
    found = ranking_tau(close, close[::-1].copy())
    assert found == pytest.approx(kendalltau([0, 0, 1], [1, 0, 0]).statistic)


def test_of_given_orders_only_ties_vary(systems: GridSystems) -> None:
    lengths = systems.words.lengths.tolist()
    tied = Orders.from_rows([[list(range(n))] if n else [] for n in lengths])
    found = grid_sensitivity(systems, [(Convention(), tied)], ["kendall"], resamples=10)
    assert [str(each) for each in found.conventions] == ["ties best", "ties rank"]
    plain = Orders.from_rows([range(n) for n in lengths])
    found = grid_sensitivity(systems, [(Convention(), plain)], ["kendall"], resamples=10)
    assert [str(each) for each in found.conventions] == ["as given"]


def test_metrics_begin_with_the_same_ties(systems: GridSystems) -> None:
    mixed = [metric("frs", ties="rank"), metric("kendall")]
    refuses(UsageError, "start with one way for all", ties_of, mixed)
    assert ties_of([metric("frs", ties="rank"), metric("exact")]) == "rank"
    assert ties_of([metric("exact")]) is None
    refuses(UsageError, "no reference orders", grid_sensitivity, systems, [])
    given = metric("frs")
    changed = under_ties(given, "rank")
    assert "ties:rank" in str(changed.signature())
    assert "ties:best" in str(given.signature())
    assert under_ties(given, None) is given
