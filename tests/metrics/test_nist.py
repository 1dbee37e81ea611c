"""NIST against its slow twin and against NLTK."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from nltk.translate.nist_score import corpus_nist
from tests import oracles_ngrams as oracles
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.text.nist import Nist
from wordorder.testing import check_metric

LENGTHS = [0, 1, 2, 3, 4, 5, 6, 63, 64, 65, 127, 128, 129]

sentences = st.lists(st.sampled_from("abc"), max_size=8)
segments_of_words = st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3))

Corpus = tuple[list[list[str]], list[list[list[str]]]]


def fuzz(seed: int, references: int, shortest: int = 0) -> Corpus:
    """Sentences over some words, each with up to `references` references."""
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(12)]
    hypotheses, several = [], []
    for length in LENGTHS * 3:
        rows = [
            rng.choices(words, k=max(shortest, length + rng.randint(-2, 2)))
            for _ in range(rng.randint(1, references))
        ]
        hypothesis = list(rng.choice(rows))
        for _ in range(length // 6):
            hypothesis[rng.randrange(len(hypothesis))] = rng.choice(words)
        hypotheses.append(hypothesis)
        several.append(rows)
    return hypotheses, several


@pytest.mark.parametrize("order", [1, 2, 5])
@pytest.mark.parametrize("references", [1, 3])
def test_corpus_and_segments(order: int, references: int) -> None:
    hypotheses, several = fuzz(order, references)
    segments = wo.Segments.from_text(hypotheses, several)
    metric = Nist(order=order)
    wanted = oracles.nist(hypotheses, several, order)
    assert metric.corpus_score(segments).value == pytest.approx(wanted, rel=1e-12)
    each = [
        oracles.nist([h], [r], order, several) for h, r in zip(hypotheses, several, strict=True)
    ]
    assert metric.segment_scores(segments) == pytest.approx(each, abs=1e-12)


@given(st.lists(segments_of_words, min_size=1, max_size=5))
def test_any_texts(rows: list[tuple[list[str], list[list[str]]]]) -> None:
    hypotheses, references = [h for h, _ in rows], [r for _, r in rows]
    score = Nist().corpus_score(wo.Segments.from_text(hypotheses, references))
    assert score.value == pytest.approx(oracles.nist(hypotheses, references), abs=1e-12)


def test_as_nltk_with_one_reference() -> None:
    # With several, NLTK takes the best reference of each order; it needs n-grams of all orders.
    hypotheses, references = fuzz(8, 1, shortest=6)
    score = Nist().corpus_score(wo.Segments.from_text(hypotheses, references))
    assert score.value == pytest.approx(corpus_nist(references, hypotheses), rel=1e-12)


def test_example_by_hand() -> None:
    # 6 words: the 2 of them, cat and sat 1; "the cat" is one of two continuations of "the".
    segments = wo.Segments.from_text(["the cat sat"], ["the cat sat on the mat"])
    information = (np.log2(6 / 2) + 2 * np.log2(6 / 1)) / 3 + (np.log2(2 / 1) + 0) / 2
    penalty = 0.5 ** ((np.log(2) / np.log(1.5)) ** 2)
    score = Nist(order=2).corpus_score(segments).value
    assert score == pytest.approx(information * penalty, rel=1e-14)


def test_two_thirds_of_the_words_cost_a_half() -> None:
    full = wo.Segments.from_text(["a b c"], ["a b c"])
    short = wo.Segments.from_text(["a b"], ["a b c"])
    assert Nist(order=1).corpus_score(full).value == pytest.approx(np.log2(3))
    assert Nist(order=1).corpus_score(short).value == pytest.approx(np.log2(3) / 2)


def test_words_are_matched_by_form_across_pieces() -> None:
    hypotheses, references = fuzz(5, 2)
    whole = wo.Segments.from_text(hypotheses, references)
    # Each piece numbers its words anew, in another order.
    pieces = [
        wo.Segments.from_text(hypotheses[a:b], references[a:b]) for a, b in ((20, 39), (0, 20))
    ]
    prepared = Nist().prepare(iter(pieces))
    running = Accumulator(prepared)
    for piece in pieces:
        running.update(piece)
    assert running.compute().value == Nist().corpus_score(whole).value
    assert running.compute().signature == Nist().corpus_score(whole).signature


def test_prepared_weights_stay() -> None:
    hypotheses, references = fuzz(6, 2)
    segments = wo.Segments.from_text(hypotheses, references)
    prepared = Nist().prepare(segments)
    assert not prepared.needs_preparation
    part = prepared.corpus_score(segments[:10]).value
    wanted = oracles.nist(hypotheses[:10], references[:10], 5, references)
    assert part == pytest.approx(wanted, rel=1e-12)
    assert part != Nist().corpus_score(segments[:10]).value
    again = pickle.loads(pickle.dumps(prepared))
    assert np.array_equal(again.statistics(segments), prepared.statistics(segments))


def test_signatures_tell_references_apart() -> None:
    one = wo.Segments.from_text(["a"] * 2, ["a b", "c"])
    turned = wo.Segments.from_text(["a"] * 2, ["c", "a b"])
    other = wo.Segments.from_text(["a"] * 2, ["a", "b c"])
    metric = Nist()
    assert metric.prepare(one).signature() == metric.prepare(turned).signature()
    assert metric.prepare(one).signature() != metric.prepare(other).signature()
    assert dict(metric.signature().fields)["information"] == "references"


def test_statistics_need_preparation_and_all_references() -> None:
    metric, one = Nist(), wo.Segments.from_text(["a"], ["a"])
    assert metric.needs_preparation
    refuses(UsageError, r"use nist\.prepare\(segments\)", metric.statistics, one)
    refuses(UsageError, "from 1 to 100, not 0", Nist, order=0)
    prepared = metric.prepare(wo.Segments.from_text(["a"], ["a b a"]))
    other = wo.Segments.from_text(["a b", "b a a"], ["a b", "a a"])
    message = "lack 'a a', which a reference of segment 2 has"
    refuses(UsageError, message, prepared.statistics, other)


def test_contract() -> None:
    hypotheses, references = fuzz(7, 3)
    segments = wo.Segments.from_text([*hypotheses, [], ["a"]], [*references, [[]], []])
    check_metric(Nist().prepare(segments), segments)
    assert Nist().corpus_score(segments).skipped == 1
    assert Nist().corpus_score(wo.Segments.from_text(["", "a"], ["", ""])).value == 0
    assert Nist().segment_scores(wo.Segments.from_text([], [])).tolist() == []
