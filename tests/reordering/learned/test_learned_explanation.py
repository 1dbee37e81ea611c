"""Explanations of learned orders: what is said of a sentence adds up to its order."""

import random

import numpy as np
from tests.oracles_families import random_treebank

from wordorder.alignment.alignments import Alignments
from wordorder.reordering.learned import LearnedOrder, order_examples
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.consensus_model import Consensus, Member
from wordorder.reordering.learned.explanation import _attributes, explain_learned
from wordorder.reordering.learned.learned_order import learn_order
from wordorder.reordering.learned.linear_model import Linear, families_of
from wordorder.report.rules import LEARNED_HEADER, learned_explanation_output
from wordorder.treebank import Treebank


def trained(kind: type[Linear] | type[Bracketing]) -> LearnedOrder:
    bank = random_treebank(random.Random(4), [5, 7, 4] * 12)
    rng = random.Random(6)
    links = [[(k, rng.randrange(9)) for k in range(n)] for n in bank.lengths.tolist()]
    learner = kind.learner(order_examples(bank, Alignments.from_rows(links)), epochs=2)
    return LearnedOrder("mine", learn_order(learner))


def test_the_weights_of_a_pair_add_up_to_its_score() -> None:
    model = trained(Linear).model
    assert isinstance(model, Linear)
    families = families_of(random_treebank(random.Random(8), [0, 3, 9, 14]))
    scores = model.scores(families)
    sums = [model.pair_weights(row).sum() for row in _attributes(families)]
    assert np.allclose(sums, scores)


def test_families_are_shown_with_the_pairs_that_were_turned_round() -> None:
    learned = trained(Linear)
    for seed in range(20):
        bank = random_treebank(random.Random(seed), [7])
        found = explain_learned(learned, bank)
        assert found.order == learned.orders(bank)[0].positions
        for step in found.steps:
            assert sorted(step.before) == sorted(step.after)
            moved = [step.after.index(text) for text in step.before]
            if len(set(step.before)) == len(step.before):
                assert (moved != sorted(moved)) == step.changed
            for pair in step.pairs:
                weights = [abs(reason.weight) for reason in pair.reasons]
                assert weights == sorted(weights, reverse=True)
        columns = learned_explanation_output(found).columns()
        assert tuple(columns) == LEARNED_HEADER
        assert len({len(cells) for cells in columns.values()}) == 1


def test_a_verb_that_goes_last_is_explained() -> None:
    bank = Treebank.from_words(
        [["he", "ate", "rice"]] * 20,
        heads=[[2, 0, 2]] * 20,
        upos=[["PRON", "VERB", "NOUN"]] * 20,
        label=[["nsubj", "root", "obj"]] * 20,
    )
    links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1)]] * 20)
    learned = LearnedOrder("sov", learn_order(Linear.learner(order_examples(bank, links))))
    text = learned_explanation_output(explain_learned(learned, bank[:1])).printed("text")
    assert "1. ate (root)\n   from he ¦ ate ¦ rice\n   to   he ¦ rice ¦ ate\n" in text
    assert "ate - rice: turned, score -" in text
    assert "a.label=SELF b.label=obj head left" in text
    assert text.endswith("1 of 1 family changed\n\n=> he rice ate\n")


def test_models_without_families_show_the_orders_that_they_considered() -> None:
    bracketing = trained(Bracketing)
    bank = random_treebank(random.Random(8), [6])
    found = explain_learned(bracketing, bank)
    assert found.candidates[0].order == found.order
    scores = [each.score for each in found.candidates]
    assert scores == sorted(scores, reverse=True)
    both = LearnedOrder(
        "both", Consensus([Member(bracketing.model), Member(trained(Linear).model, 0.5)])
    )
    said = explain_learned(both, bank)
    shown = [(each.name, each.score) for each in said.candidates]
    assert shown == [("bracketing", 1.0), ("linear", 0.5)]
    assert "member" in learned_explanation_output(said).printed("text")
    links = Alignments.from_rows([[(0, 1), (1, 0)]] * 3)
    words = Treebank.from_words([["go", "home"]] * 3)
    alone = learn_order(Bracketing.learner(order_examples(words, links)))
    said = explain_learned(LearnedOrder("w", Consensus([Member(alone)])), words[:1])
    assert [each.name for each in said.candidates] == ["words"]
