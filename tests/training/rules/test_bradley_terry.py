"""Strengths of classes against a general optimiser, and the rules that begin with them."""

import numpy as np
import pytest
import scipy.optimize
from tests.training.rules.corpora import random_bank

import wordorder as wo
from wordorder.reordering import PrecedenceRules
from wordorder.reordering.rule_writing import rules_text
from wordorder.training.rules.training import rules_from_text
from wordorder.training.rules.trials import bradley_terry, first_rules
from wordorder.treebank import Treebank


@pytest.mark.parametrize("seed", range(5))
def test_strengths_maximise_the_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wins = np.asarray(rng.integers(0, 30, (5, 5)) + 0.5, np.float64)

    def loss(strength: np.ndarray) -> float:
        before = strength[:, None] - strength[None, :]
        log = wins * np.log1p(np.exp(-before))
        return float(log.sum() - np.trace(log))

    found = bradley_terry(wins)
    best = scipy.optimize.minimize(loss, np.zeros(5)).x
    assert np.allclose(found, best - best.mean(), atol=1e-3)


def test_one_class() -> None:
    assert bradley_terry(np.ones((1, 1))).tolist() == [0.0]


HIDDEN = """
[[rule]]
name = "VERB"
head = { upos = "VERB" }
order = ["advmod", "nsubj", { equal = ["obl"], order = "reverse" }, "obj", "self", "aux", "*"]
[[rule]]
name = "rest"
order = ["nmod", "obl", "self", "case", "*"]
"""


def test_rules_that_made_the_orders_are_found() -> None:
    bank = random_bank(1, 1500)
    bank = bank.take(np.flatnonzero(bank.lengths > 1))
    reference = rules_from_text(HIDDEN).orders(bank)
    rules = first_rules(bank, reference)
    assert isinstance(rules, PrecedenceRules)
    assert rules.rule_names == ("ADJ", "NOUN", "VERB", "rest")
    verb = [member.name for member in rules.file.rules[2].members]
    named = [name for name in verb if name in ("advmod", "nsubj", "obl", "obj", "self", "aux")]
    assert named == ["advmod", "nsubj", "obl", "obj", "self", "aux"]
    turned = rules.file.rules[2].turned[verb.index("obl")], rules.file.rules[2].turned[0]
    assert turned == (True, False)
    segments = wo.Segments.from_orders(rules.orders(bank), reference)
    assert wo.metric("kendall").corpus_score(segments).value > 0.9


def test_words_that_the_reference_lacks_and_ties_say_nothing() -> None:
    bank = Treebank.from_words(
        [["a", "b", "c"]] * 30, heads=[[2, 0, 2]] * 30, label=[["nsubj", "root", "obj"]] * 30
    )
    rules = first_rules(bank, wo.Orders.from_rows([[[0, 1]]] * 30))
    # All strengths are the same then: nothing has a reason to move but by the names' order.
    assert sorted(rules.orders(bank)[0].positions) == [0, 1, 2]
    rules = first_rules(bank, wo.Orders.from_rows([[2, 1]] * 30))
    order = rules.orders(bank)[0].positions
    assert order.index(2) < order.index(1)


def test_nothing_to_learn_from() -> None:
    rules = first_rules(Treebank.from_words([]), wo.Orders.from_rows([]))
    bank = random_bank(2)
    assert len(rules.orders(bank)) == len(bank)


def test_labels_that_a_rule_file_cannot_name() -> None:
    """A label that is a pattern, or called as others or the head are, has no weight of its own."""
    bank = Treebank.from_words(
        [["a", "b", "c", "d"]] * 9,
        heads=[[0, 1, 1, 1]] * 9,
        label=[["root", "*", "self", "o[b]j"]] * 9,
        upos=[["N*", "X", "X", "X"]] * 9,
    )
    rules = first_rules(bank, wo.Orders.from_rows([[3, 2, 1, 0]] * 9), least=1)
    assert rules_from_text(rules_text(rules.file)).orders(bank) == rules.orders(bank)
    assert [member.name for rule in rules.file.rules for member in rule.members] == ["*", "self"]
