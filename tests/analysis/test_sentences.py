"""The worst sentences, the sentences where systems differ, and how they are written."""

import random

import numpy as np
import pytest
from tests.analysis.corpora import Case, common, random_case
from tests.refusing import refuses

from wordorder.analysis.corpus import Corpus, Look, placement, scored_system
from wordorder.analysis.sentences import (
    WORDS,
    reference_text,
    result_text,
    sentence_difference_section,
    sentence_differences,
    sentence_texts,
    worst_sentence_section,
    worst_sentences,
)
from wordorder.errors import InputError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Order, Orders
from wordorder.treebank.treebank import Margin, Treebank

CASES = [random_case(seed, sentences=25) for seed in range(60, 63)]


def rival(case: Case) -> list[list[int]]:
    """Other orders of the same words."""
    draw = random.Random(3)
    return [draw.sample(row, len(row)) if draw.random() < 0.7 else row for row in case.rows]


@pytest.mark.parametrize("case", CASES)
def test_the_worst_sentence_comes_first(case: Case) -> None:
    system = case.system()
    lengths = case.corpus.words.lengths.tolist()
    scored = [i for i in range(len(case.rows)) if not system.skipped[i]]
    expected = sorted(scored, key=lambda i: (round(float(system.scores[i]), 9), -lengths[i], i))
    assert worst_sentences(case.corpus, system).tolist() == expected
    section = worst_sentence_section(Look.at(case.corpus, [system], metric("frs")), rows=7)
    assert [row[0] for row in section.rows] == [i + 1 for i in expected[:7]]
    assert section.examples == tuple((i,) for i in expected[:7])
    assert section.header == (
        *("sentence", "frs", "words", "broken", "source", "system order", "reference order"),
    )
    for row, i in zip(section.rows, expected, strict=False):
        words = len(common(case.rows[i], case.reference[i])[0])
        assert row[1] == pytest.approx(1 - int(str(row[3])) / max(words - 1, 1))
        assert str(row[5]).count("¦") == row[3]


@pytest.mark.parametrize("case", CASES)
def test_differences_are_those_of_the_scores(case: Case) -> None:
    first = case.system()
    orders = Orders.from_rows(rival(case))
    second = scored_system("B", orders, case.corpus, metric("frs"))
    found = sentence_differences(case.corpus, first, second, resamples=200)
    gaps = [
        float(a - b) if not (s or t) else 0.0
        for a, b, s, t in zip(
            first.scores, second.scores, first.skipped, second.skipped, strict=True
        )
    ]
    assert found.difference.tolist() == pytest.approx(gaps)
    assert (found.better, found.worse) == (sum(g > 0 for g in gaps), sum(g < 0 for g in gaps))
    both = int(np.count_nonzero(~first.skipped & ~second.skipped))
    assert found.better + found.worse + found.equal == both
    assert found.mean == pytest.approx(sum(gaps) / both)
    assert found.interval[0] <= found.mean <= found.interval[1]
    assert found.other_order == sum(a != b for a, b in zip(case.rows, rival(case), strict=True))
    sizes = [abs(gaps[i]) for i in found.ranked.tolist()]
    assert sizes == pytest.approx(sorted(filter(None, map(abs, gaps)), reverse=True))
    back = sentence_differences(case.corpus, second, first, resamples=200)
    assert (back.better, back.worse, back.mean) == (found.worse, found.better, -found.mean)
    look = Look.at(case.corpus, [first, second], metric("frs"))
    section = sentence_difference_section(look, rows=4)
    assert [row[0] for row in section.rows] == [i + 1 for i in found.ranked.tolist()[:4]]
    assert section.header[-3:] == ("system order of A", "system order of B", "reference order")


def test_less_is_better_turns_all_around_and_orders_of_other_lengths_differ() -> None:
    case = CASES[0]
    system = case.system()
    system.scores[:] = 1 - system.scores
    ranked = worst_sentences(case.corpus, system, higher_is_better=False).tolist()
    assert ranked == worst_sentences(case.corpus, case.system()).tolist()
    other = case.system("B")
    other.scores[:] = 0
    found = sentence_differences(case.corpus, system, other, higher_is_better=False, resamples=10)
    assert found.better == 0
    assert found.worse == np.count_nonzero(system.scores[~system.skipped])
    corpus = Corpus(Treebank.from_words([["a", "b"]] * 2), Orders.from_rows([[0, 1]] * 2))
    first = scored_system("A", Orders.from_rows([[0], [0, 1]]), corpus, metric("frs"))
    second = scored_system("B", Orders.from_rows([[0, 1], [0, 1]]), corpus, metric("frs"))
    assert sentence_differences(corpus, first, second).other_order == 1


def test_sentences_are_written_with_their_chunks_and_ties() -> None:
    """Katz-Brown et al. (2011), Figure 1's manner: what stands together stays together."""
    words = ["she", "can", "read", "it", "now"]
    margin = Margin(("# sent_id = s-1",))
    bank = Treebank.from_words([words])
    bank = Treebank(bank.offsets, bank.heads, bank.columns, [margin])
    corpus = Corpus(bank, Orders.from_rows([[0, [3, 4], 2]]))
    system = scored_system("A", Orders.from_rows([[0, 1, 2, 3, 4]]), corpus, metric("frs"))
    found = placement(corpus, system.orders)
    assert sentence_texts(corpus, 0, system.orders, found) == (
        "she can read it now",
        "she ⟦can⟧ ¦ read ¦ it now",
        "she {{ it now }} read",
    )
    section = worst_sentence_section(Look.at(corpus, [system], metric("frs")))
    assert section.header[:2] == ("sentence", "id")
    assert section.rows[0][:2] == (1, "s-1")


def test_long_sentences_are_cut() -> None:
    words = ["w"] * (WORDS + 5)
    order = list(range(len(words)))
    assert result_text(words, order, [False] * len(words)).endswith(" w ... 5 more words")
    assert reference_text(words, Order((tuple(order),))).startswith("{{ w w ")


def test_orders_must_fit_the_sentences() -> None:
    words = Treebank.from_words([["a", "b"], []])
    good = Orders.from_rows([[1, 0], []])
    corpus = Corpus(words, good)
    frs = metric("frs")
    for bad in ([[0, 1]], [[0, 2], []], [[0, 1], [0]]):
        refuses(InputError, "A", scored_system, "A", Orders.from_rows(bad), corpus, frs)
    with pytest.raises(InputError, match="the reference, sentence 2"):
        scored_system("A", good, Corpus(words, Orders.from_rows([[0], [0]])), frs)
    with pytest.raises(InputError, match="the trees of A"):
        scored_system("A", good, corpus, frs, treebank=Treebank.from_words([["a"], ["b"]]))
    skipped = scored_system("A", good, corpus, frs)
    assert (skipped.skipped.tolist(), skipped.scores.tolist()) == ([False, True], [1.0, 0.0])
