"""Precedence rules against a slow twin that reads the same file."""

import random
from pathlib import Path

import numpy as np
import pytest
from tests.oracles_precedence import (
    bank_of,
    precedence_order,
    random_rows,
    random_rules,
    rules_of,
)
from tests.oracles_trees import random_tree
from tests.refusing import refuses
from tests.threads import with_threads

import wordorder as wo
from wordorder.errors import InputError, UsageError
from wordorder.reordering import open_rules
from wordorder.treebank import Treebank


@pytest.mark.parametrize("seed", range(30))
def test_any_rules_on_any_trees(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    said = random_rules(rng)
    rules = rules_of(tmp_path, said)
    lengths = [0, 1, 2, 3, *(rng.randrange(4, 15) for _ in range(25)), 40]
    rows = [random_rows(rng, n) for n in lengths]
    heads = [random_tree(rng, n, roots=rng.choice([1, 1, 2])) for n in lengths]
    wanted = [precedence_order(said, *row) for row in zip(rows, heads, strict=True)]
    assert rules.orders(bank_of(rows, heads)).positions.to_lists() == wanted


def test_long_families_are_sorted_as_short_ones(tmp_path: Path) -> None:
    rng = random.Random(5)
    for _ in range(10):
        said = random_rules(rng)
        rows = [random_rows(rng, 120)]
        heads = [[0 if word == 61 else 61 for word in range(1, 121)]]
        wanted = precedence_order(said, rows[0], heads[0])
        rules = rules_of(tmp_path, said)
        assert rules.orders(bank_of(rows, heads)).positions.to_lists() == [wanted]


def test_a_chain_of_100_000_words(tmp_path: Path) -> None:
    rules = rules_of(
        tmp_path, {"rule": [{"order": [{"equal": ["self", "*"], "order": "reverse"}]}]}
    )
    words = 100_000
    bank = Treebank.from_words([["a"] * words], heads=[list(range(words))])
    assert rules.orders(bank).positions.values.tolist() == list(range(words))[::-1]
    flat = Treebank.from_words([["a"] * words], heads=[[0] + [1] * (words - 1)])
    assert rules.orders(flat).positions.values.tolist() == list(range(words))[::-1]


def test_threads_and_cuts_make_no_difference() -> None:
    rng = random.Random(1)
    lengths = [rng.randrange(30) for _ in range(3000)]
    rows = [random_rows(rng, n) for n in lengths]
    bank = bank_of(rows, [random_tree(rng, n) for n in lengths])
    rules = open_rules("R5")
    whole = rules.orders(bank)
    (one,) = with_threads(lambda: rules.orders(bank), 1)
    assert np.array_equal(one.positions.values, whole.positions.values)
    parts = [rules.orders(bank[first : first + 777]) for first in range(0, len(bank), 777)]
    assert wo.Orders.concatenate(parts) == whole


def test_which_rule_fired_and_the_entries(tmp_path: Path) -> None:
    said = """
barriers = ["punct"]
[[rule]]
name = "verb"
head = { upos = "VERB" }
order = ["nsubj", "*", "self"]
[[rule]]
name = "noun"
head = { upos = "NOUN" }
order = ["self", "*"]
"""
    words = "he/PRON/nsubj ate/VERB/root the/DET/det rice/NOUN/obj ./PUNCT/punct".split()
    names = ("form", "upos", "label")
    rows = [{**dict(zip(names, w.split("/"), strict=True)), "feats": "_"} for w in words]
    rules = rules_of(tmp_path, said)
    found = rules.apply(bank_of([rows], [[2, 0, 4, 2, 2]]))
    assert found.orders[0].positions == (0, 3, 2, 1, 4)
    assert found.fired.tolist() == [-1, 0, -1, 1, -1]
    assert found.entry.tolist() == [0, -1, 4, 1, -2]
    assert rules.entry_names == ("nsubj", "*", "self", "self", "*")


def test_rules_can_be_left_out(tmp_path: Path) -> None:
    verb = {"name": "a", "head": {"upos": "VERB"}, "order": ["*", "self"]}
    both = [verb, {"name": "b", "order": ["self", "*"]}]
    rules = rules_of(tmp_path, {"name": "two", "rule": both})
    assert rules.without("a").rule_names == ("b",)
    assert rules.without("a").name == "two-a"
    assert rules.without("a").provenance != rules.provenance
    refuses(UsageError, "unknown rule 'c'; legal names: a, b", rules.without, "c")


def test_orders_say_which_rules_made_them(tmp_path: Path) -> None:
    one = rules_of(tmp_path, {"name": "x", "rule": [{"name": "a", "order": ["*", "self"]}]})
    other = rules_of(tmp_path, {"name": "x", "rule": [{"name": "a", "order": ["self", "*"]}]})
    bank = Treebank.from_words([["a"]], heads=[[0]])
    assert one.orders(bank).provenance == one.provenance
    assert one.provenance[0][1].startswith("x@")
    assert one.provenance != other.provenance


def test_sentences_without_trees_are_refused() -> None:
    bank = Treebank.from_words([["a"], ["b", "c"]], heads=[[0], [-1, -1]])
    refuses(InputError, "sentence 2: no tree; expected heads", open_rules("R1").orders, bank)
    cycle = Treebank.from_words([["b", "c"]], heads=[[2, 1]])
    with pytest.raises(InputError):
        open_rules("R1").orders(cycle)


def test_more_conditions_than_bits_are_refused(tmp_path: Path) -> None:
    order = [{"form": f"w{number}"} for number in range(65)]
    with pytest.raises(InputError, match="more than 64 different conditions"):
        rules_of(tmp_path, {"rule": [{"order": [*order, "self", "*"]}]})
    rules_of(tmp_path, {"rule": [{"order": [*order[:64], "self", "*"]}]})
