"""Parsers × rule sets against brute force, and against the verbs of statistics one by one."""

import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from tests import oracles
from tests.analysis.corpora import random_trees, readings
from tests.refusing import refuses
from tests.strategies import tied
from tests.threads import with_threads

from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_systems import (
    GridSystems,
    check_same_words,
    evaluate_grid,
    grid_systems,
    scored_grid,
)
from wordorder.arrays import Ragged
from wordorder.errors import InputError, UsageError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.order.reading import write_orders
from wordorder.reordering.rules import check_orders
from wordorder.segments import Segments
from wordorder.statistics.intervals import confidence_intervals
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import compare
from wordorder.treebank.treebank import Column, Margin, Treebank

METRICS = ("frs", "kendall", "exact")


class Rotated:
    """A rule set from elsewhere: so many words from the front to the end."""

    def __init__(self, by: int) -> None:
        self.by = by
        self.name = f"rotate-{by}"

    def orders(self, treebank: Treebank) -> Orders:
        rows = []
        for n in treebank.lengths.tolist():
            by = self.by % n if n else 0
            rows.append([*range(by, n), *range(by)])
        return Orders.from_rows(rows)


class Widened(Rotated):
    """A rule set with so many words more than there are, or less."""

    def orders(self, treebank: Treebank) -> Orders:
        return Orders.from_rows([range(max(n + self.by, 0)) for n in treebank.lengths.tolist()])


def banks(seed: int, lengths: list[int], parsers: int = 2) -> dict[str, Treebank]:
    """The same words under different trees."""
    draw = random.Random(seed)
    made = [random_trees(draw, lengths) for _ in range(parsers)]
    return {f"P{number}": bank.replace(form=made[0].form) for number, bank in enumerate(made, 1)}


def references(seed: int, lengths: list[int], *, ties: bool) -> list[list[list[int]]]:
    """Groups of positions; some words are left out."""
    draw = random.Random(seed)
    rows = ([w for w in draw.sample(range(n), n) if draw.random() < 0.9] for n in lengths)
    return [tied(draw, words, 0.3 * ties) for words in rows]


def best(name: str, system: list[int], groups: list[list[int]]) -> Fraction | None:
    """A metric of one sentence by brute force: the reading of the ties that suits it best."""
    known = {word for group in groups for word in group}
    kept = [word for word in system if word in known]
    if not kept:
        return None
    orders = ([reading.index(word) for word in kept] for reading in readings(groups))
    return max(map(oracles.METRICS[name], orders))


@pytest.fixture(scope="module")
def lengths() -> list[int]:
    draw = random.Random(5)
    return [0, 1, 2, *(draw.randint(1, 6) for _ in range(27))]


@pytest.fixture(scope="module")
def systems(lengths: list[int]) -> GridSystems:
    return grid_systems(banks(1, lengths, 3), ["R1", "R2", "R4", Rotated(1)])


def reference(lengths: list[int], *, ties: bool = True) -> Orders:
    return Orders.from_rows(references(2, lengths, ties=ties))


@pytest.fixture(scope="module")
def grid(systems: GridSystems, lengths: list[int]) -> Grid:
    return scored_grid(reference(lengths), systems, METRICS, resamples=200, seed=3, level=0.9)


def test_systems_stand_parser_by_parser(systems: GridSystems, grid: Grid) -> None:
    assert systems.parsers == grid.parsers == ("P1", "P2", "P3")
    assert systems.rules == grid.rules == ("R1", "R2", "R4", "rotate-1")
    names = [system.name for system in grid.evaluation.systems]
    assert names[:5] == ["P1R1", "P1R2", "P1R4", "P1/rotate-1", "P2R1"]
    assert [orders.to_text(2) for orders in systems.orders[:2]] == ["0 1", "1 0"]


def test_values_are_those_of_brute_force(
    systems: GridSystems, grid: Grid, lengths: list[int]
) -> None:
    groups = references(2, lengths, ties=True)
    for system, orders in zip(grid.evaluation.systems, systems.orders, strict=True):
        rows = orders.positions.to_lists()
        for m, name in enumerate(METRICS):
            values = (best(name, *pair) for pair in zip(rows, groups, strict=True))
            found = [value for value in values if value is not None]
            shown = system.scores[m].value
            assert shown == pytest.approx(float(sum(found) / len(found)), abs=1e-12)
            assert system.scores[m].segments - system.scores[m].skipped == len(found)
            shown = grid.estimates[m][systems.names.index(system.name)].value
            assert shown == pytest.approx(system.scores[m].value, abs=1e-15)
    empty = [i + 1 for i, row in enumerate(groups) if not row]
    assert empty
    assert grid.evaluation.skipped == len(empty)
    assert list(grid.evaluation.skipped_lines) == empty
    dropped = sum(lengths) - sum(len(group) for row in groups for group in row)
    assert {system.dropped for system in grid.evaluation.systems} == {dropped}


@pytest.mark.parametrize("test", ["bootstrap", "randomization"])
def test_intervals_and_tests_are_those_of_each_group_by_itself(
    systems: GridSystems, lengths: list[int], test: str
) -> None:
    gold = reference(lengths)
    grid = scored_grid(gold, systems, METRICS, resamples=150, seed=8, test=test)
    assert grid.resamples == 150
    groups = {
        "by_rules": [[p * 4 + r for p in range(3)] for r in range(4)],
        "by_parser": [[p * 4 + r for r in range(4)] for p in range(3)],
    }
    for m, name in enumerate(METRICS):
        one = metric(name)
        statistics = [one.statistics(Segments.from_orders(o, gold)) for o in systems.orders]
        (estimates,) = confidence_intervals(
            [Measurement(statistics, one.score)], resamples=150, seed=8
        )
        assert list(grid.estimates[m]) == estimates
        for attribute, members in groups.items():
            for found, group in zip(getattr(grid, attribute)[m], members, strict=True):
                part = Measurement([statistics[i] for i in group], one.score)
                (expected,) = compare([part], test=test, resamples=150, seed=8)
                assert found == expected


def test_threads_change_nothing_and_another_seed_the_resamples(
    systems: GridSystems, lengths: list[int], grid: Grid
) -> None:
    form = (reference(lengths), systems, METRICS)
    for again in with_threads(lambda: scored_grid(*form, resamples=200, seed=3, level=0.9)):
        assert again.estimates == grid.estimates
        assert again.by_rules == grid.by_rules
        assert again.by_parser == grid.by_parser
    other = scored_grid(reference(lengths), systems, METRICS, resamples=200, seed=4, level=0.9)
    assert other.estimates != grid.estimates
    assert [[e.value for e in row] for row in other.estimates] == [
        [e.value for e in row] for row in grid.estimates
    ]


def test_signatures_name_trees_rules_and_reference(lengths: list[int]) -> None:
    gold = Orders.from_rows([range(n) for n in lengths], provenance=(("rule", "talbot"),))
    grid = evaluate_grid(gold, banks(1, lengths), ["R1", Rotated(2)], metrics=["frs"])
    first, second, *_ = [str(s.scores[0].signature) for s in grid.evaluation.systems]
    assert "|rule:talbot|trees:P1|rules:R1@" in first
    assert "|trees:P1|rules:rotate-2|v:" in second
    (shared,) = grid.signatures
    assert str(shared).startswith("frs|match:index|ties:best|")
    assert dict(shared.fields)["rule"] == "talbot"
    assert {"trees", "rules"}.isdisjoint(dict(shared.fields))


def test_the_identity_of_rules_is_their_content(tmp_path: Path, lengths: list[int]) -> None:
    for number, order in enumerate(('["*", "self"]', '["self", "*"]')):
        text = f'name = "mine"\nscheme = "any"\n[[rule]]\nname = "a"\norder = {order}\n'
        (tmp_path / f"{number}.toml").write_text(text)
    gold, treebanks = [[*range(n)] for n in lengths], banks(1, lengths)
    found = [
        evaluate_grid(gold, treebanks, [str(path)], metrics=["frs"])
        for path in sorted(tmp_path.iterdir())
    ]
    one, other = (dict(g.evaluation.systems[0].scores[0].signature.fields) for g in found)
    assert one["rules"].startswith("mine@")
    assert one["rules"] != other["rules"]


def test_words_that_come_twice_can_be_matched_by_themselves(lengths: list[int]) -> None:
    treebanks = banks(1, lengths)
    gold = reference(lengths, ties=False)
    by_form = metric("frs", match="first-unmatched")
    grid = evaluate_grid(gold, treebanks, ["R2"], metrics=[by_form])
    bank = treebanks["P1"]
    words = Ragged(bank.form.codes, bank.offsets)
    system = grid_systems(treebanks, ["R2"]).orders[0]
    expected = by_form.corpus_score(Segments.from_orders(system, gold, source=words))
    assert grid.evaluation.systems[0].scores[0].value == expected.value
    assert expected.value != metric("frs").corpus_score(Segments.from_orders(system, gold)).value


def test_one_parser_or_one_rule_set_is_compared_with_nothing(lengths: list[int]) -> None:
    gold = reference(lengths)
    one_parser = evaluate_grid(gold, banks(1, lengths, 1), ["R1", "R2"], metrics=["frs"])
    assert [len(each) for each in (*one_parser.by_rules, *one_parser.by_parser)] == [0, 1]
    one_rule = evaluate_grid(gold, banks(1, lengths, 2), ["R1"], metrics=["frs"])
    assert [len(each) for each in (*one_rule.by_rules, *one_rule.by_parser)] == [1, 0]
    rules = {"one": Rotated(1), "again": Rotated(1)}
    as_written = [[*range(n)] for n in lengths]
    grid = evaluate_grid(as_written, banks(1, lengths), rules, metrics=["frs"])
    assert grid.rules == ("one", "again")
    assert grid.by_parser[0][0].pair(0, 1).mark == "0"


def test_what_does_not_fit_is_refused(lengths: list[int], tmp_path: Path) -> None:
    gold = [[*range(n)] for n in lengths]
    treebanks = banks(1, lengths)
    short = Treebank.from_words([["a"]], heads=[[0]])
    for given, part in (
        ((gold, {**treebanks, "P9": short}, ["R1"]), "P9: 1 sentence, but P1 has 30"),
        ((gold, treebanks, [Widened(-1)]), "P1, rotate--1: orders of other words"),
        ((gold, treebanks, [Widened(1)]), "P1, rotate-1: orders of other words"),
        ((gold[1:], treebanks, ["R1"]), "the reference: 29 orders for 30 sentences"),
        (([[7], *gold[1:]], treebanks, ["R1"]), "the reference, sentence 1: position 7"),
        ((gold, {"P1": treebanks["P1"], "P2": without_heads(treebanks["P2"])}, ["R1"]), "P2, R1"),
    ):
        refuses(InputError, part, evaluate_grid, *given)
    path = tmp_path / "a.orders"
    write_orders(Orders.from_rows([*gold[:2], [0, 5], *gold[3:]]), path)
    message = r"a\.orders:3: position 5, but the sentence has 2 words"
    refuses(InputError, message, evaluate_grid, str(path), treebanks, ["R1"])
    refuses(InputError, "no segments", evaluate_grid, [], {"P1": Treebank.from_words([])}, ["R1"])


def test_wrong_calls_are_refused(lengths: list[int]) -> None:
    gold = [[*range(n)] for n in lengths]
    treebanks = banks(1, lengths)
    renumbered = Orders.from_rows(
        [range(n // 2) for n in lengths], provenance=(("rule", "aligned"),)
    )
    for arguments, more, part in (
        ((gold, treebanks, [Rotated(1), Rotated(1)]), {}, "two rule sets have the same name"),
        ((gold, treebanks, []), {}, "no rule sets"),
        ((gold, {}, ["R1"]), {}, "no trees"),
        ((gold, treebanks, ["R1"]), {"metrics": []}, "no metric"),
        ((gold, treebanks, ["R1"]), {"metrics": ["bleu"]}, "bleu does not compare orders"),
        (
            (gold, treebanks, ["R1"]),
            {"metrics": ["frs"], "test": "t"},
            "legal names: auto, bootstrap",
        ),
        ((gold, treebanks, ["R9"]), {}, "R9"),
        ((renumbered, treebanks, ["R1"]), {}, "renumbers the aligned words"),
    ):
        refuses(UsageError, part, evaluate_grid, *arguments, **more)


def without_heads(bank: Treebank) -> Treebank:
    return Treebank.from_words([bank[i : i + 1].form.strings() for i in range(len(bank))])


# -- Parts of a grid that are not of the same sentences.


WORDS = [["he", "left"], [], ["she", "came", "home"]]


def bank(words: list[list[str]], **names: str) -> Treebank:
    margins = [Margin()] * len(words)
    for name, sent_id in names.items():
        margins[int(name[1:])] = Margin((f"# sent_id = {sent_id}",))
    return replace(Treebank.from_words(words), margins=margins)


def test_words_may_be_numbered_in_other_ways_and_orders_may_lack_some() -> None:
    one = bank(WORDS)
    flat = [word for row in WORDS for word in row]
    other = one.replace(form=Column.of(flat[::-1]).take(np.arange(len(flat))[::-1]))
    assert other.form.strings() == flat
    assert other.form.codes.tolist() != one.form.codes.tolist()
    check_same_words({"a": one, "b": other, "c": one})
    check_orders(Orders.from_rows([[1], [], [[2, 0]]]), bank(WORDS))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            bank(WORDS[:2]),
            "b: 2 sentences, but a has 3; expected the same number of sentences in both",
        ),
        (
            bank([["he", "left"], [], ["she", "came"]], s2="x-7"),
            "b: sentence 3 (x-7): 2 words; expected 3 words, as in a",
        ),
        (
            bank([["he", "left"], ["!"], ["she", "came", "home"]]),
            "b: sentence 2: 1 word; expected 0 words, as in a",
        ),
        (
            bank([["he", "left"], [], ["she", "came", "Home"]], s2="3"),
            "b: sentence 3, word 3: 'Home'; expected 'home', as in a",
        ),
    ],
)
def test_other_words_are_named(other: Treebank, message: str) -> None:
    with pytest.raises(InputError) as caught:
        check_same_words({"a": bank(WORDS), "b": other})
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("rows", "path", "message"),
    [
        ([[0]], None, "the reference: 1 orders for 3 sentences; expected one order per sentence"),
        (
            [[0, 1], [0], []],
            "a.orders",
            "a.orders:2: position 0, but the sentence has 0 words; expected none",
        ),
        (
            [[1], [], [0, 3]],
            None,
            "the reference, sentence 3: position 3, but the sentence has 3 words; expected "
            "positions from 0 to 2",
        ),
    ],
)
def test_orders_of_other_sentences_are_named(
    rows: list[list[int]], path: str | None, message: str
) -> None:
    with pytest.raises(InputError) as caught:
        check_orders(Orders.from_rows(rows), bank(WORDS), path=path)
    assert str(caught.value) == message
