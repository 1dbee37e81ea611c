"""What learned orders learn from, folds of a cross-validation, and explanations of orders."""

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.compact_trees import trees_of
from tests.oracles_families import random_treebank
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, UsageError
from wordorder.order.reference import reference_orders
from wordorder.records import column_names
from wordorder.reordering.consensus import Consensus, ConsensusMember
from wordorder.reordering.learned import LearnedOrder, order_examples
from wordorder.reordering.learned.bracketing_model import Bracketing
from wordorder.reordering.learned.examples import joined_examples
from wordorder.reordering.learned.learned_order import learn_order
from wordorder.reordering.learned.linear_model import Linear, families_of
from wordorder.reordering.learned_explanation import (
    LearnedExplanation,
    _attributes,
    explain_learned,
)
from wordorder.report.rules import learned_explanation_output
from wordorder.treebank import Treebank
from wordorder.treebank.folds import grouped_folds

LINKS = st.lists(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 5)), max_size=8, unique=True), max_size=6
)


def bank_of(rows: int, words: int = 5) -> Treebank:
    return Treebank.from_words([[f"w{row}-{k}" for k in range(words)] for row in range(rows)])


@given(LINKS, st.sampled_from(["talbot", "lrscore", "aligned", "lader"]))
def test_the_intervals_of_a_rule_are_the_ranks_of_its_reference_orders(
    links: list[list[tuple[int, int]]], rule: str
) -> None:
    alignments = Alignments.from_rows(links)
    bank = bank_of(len(links))
    examples = order_examples(bank, alignments, rule=rule)
    references = reference_orders(alignments, bank.lengths, rule=rule)
    for row in range(len(links)):
        own = examples.low[5 * row : 5 * row + 5]
        listed = {word: k for k, group in enumerate(references[row].groups) for word in group}
        assert own.tolist() == [listed.get(word, -1) for word in range(5)]
    assert np.array_equal(examples.low, examples.high)


@given(LINKS)
def test_the_intervals_of_topdown_btg_are_the_target_spans(
    links: list[list[tuple[int, int]]],
) -> None:
    examples = order_examples(bank_of(len(links)), Alignments.from_rows(links))
    for row, pairs in enumerate(links):
        for word in range(5):
            targets = [t for s, t in pairs if s == word]
            ends = (min(targets), max(targets)) if targets else (-1, -1)
            at = 5 * row + word
            assert (examples.low[at], examples.high[at]) == ends
        asked = len({s for s, _ in pairs}) > 1
        assert examples.weights[row] == asked


def test_unaligned_words_that_are_to_be_ordered_need_another_rule() -> None:
    alignments = Alignments.from_rows([[(0, 1), (2, 0)]])
    examples = order_examples(bank_of(1, 3), alignments, unaligned="next")
    assert (examples.rule, examples.unaligned) == ("talbot", "next")
    assert examples.low.tolist() == [2, 0, 1]
    with pytest.raises(UsageError, match="take the rule"):
        order_examples(bank_of(1, 3), alignments, rule="topdown-btg", unaligned="next")


def test_examples_are_taken_weighted_and_joined() -> None:
    alignments = Alignments.from_rows([[(0, 1), (1, 0)], [(0, 0), (4, 1)]])
    examples = order_examples(bank_of(2), alignments, weight=2.0)
    taken = examples.take(np.array([1, 1]))
    assert taken.low.tolist() == [0, -1, -1, -1, 1] * 2
    assert [str(order) for order in taken.references] == ["0 4", "0 4"]
    both = joined_examples([examples, taken.weighted(0.25)])
    assert both.weights.tolist() == [2, 2, 0.5, 0.5]
    assert both.treebank.words == 20
    other = order_examples(bank_of(2), alignments, rule="lader")
    refuses(UsageError, "different rules", joined_examples, [examples, other])


def test_links_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match="1 alignments for 2 sentences"):
        order_examples(bank_of(2), Alignments.from_rows([[]]))
    with pytest.raises(UsageError, match="at least 0, not -1"):
        order_examples(bank_of(1), Alignments.from_rows([[]]), weight=-1)


@given(st.lists(st.integers(0, 9), min_size=12, max_size=60), st.integers(2, 4))
def test_equal_sentences_share_a_fold(sentences: list[int], folds: int) -> None:
    sentences = [*sentences, *range(5)]
    bank = Treebank.from_words([[str(each), "x"] for each in sentences])
    found = grouped_folds(bank, folds, seed=3).tolist()
    where = dict(zip(sentences, found, strict=True))
    assert [where[each] for each in sentences] == found
    sizes = [found.count(fold) for fold in range(folds)]
    most = max(sentences.count(each) for each in sentences)
    assert max(sizes) - min(sizes) <= most


def test_another_seed_deals_other_folds() -> None:
    bank = bank_of(40, 1)
    assert grouped_folds(bank, 5).tolist() == grouped_folds(bank, 5).tolist()
    assert grouped_folds(bank, 5).tolist() != grouped_folds(bank, 5, seed=1).tolist()
    refuses(UsageError, "at least 2 folds", grouped_folds, bank_of(5), 1)
    refuses(UsageError, "2 different sentences cannot make 3 folds", grouped_folds, bank_of(2), 3)


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
        assert list(columns) == column_names(LearnedExplanation)
        assert len({len(cells) for cells in columns.values()}) == 1


def test_a_verb_that_goes_last_is_explained() -> None:
    text = "he/PRON/2/nsubj ate/VERB/0/root rice/NOUN/2/obj"
    bank = trees_of([text] * 20, "form upos heads label")
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
        "both",
        Consensus([ConsensusMember(bracketing.model), ConsensusMember(trained(Linear).model, 0.5)]),
    )
    said = explain_learned(both, bank)
    shown = [(each.name, each.score) for each in said.candidates]
    assert shown == [("bracketing", 1.0), ("linear", 0.5)]
    assert "member" in learned_explanation_output(said).printed("text")
    links = Alignments.from_rows([[(0, 1), (1, 0)]] * 3)
    words = Treebank.from_words([["go", "home"]] * 3)
    alone = learn_order(Bracketing.learner(order_examples(words, links)))
    said = explain_learned(LearnedOrder("w", Consensus([ConsensusMember(alone)])), words[:1])
    assert [each.name for each in said.candidates] == ["words"]
