"""What learned orders learn from, and the folds of a cross-validation."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, UsageError
from wordorder.order.reference import reference_orders
from wordorder.reordering.learned import grouped_folds, order_examples
from wordorder.reordering.learned.examples import joined_examples
from wordorder.treebank import Treebank

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


def test_too_few_sentences_make_no_folds() -> None:
    refuses(UsageError, "at least 2 folds", grouped_folds, bank_of(5), 1)
    refuses(UsageError, "2 different sentences cannot make 3 folds", grouped_folds, bank_of(2), 3)
