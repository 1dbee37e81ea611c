"""Counts of n-grams, BLEU-S, F1 and NIST against their slow twins and against NLTK."""

import pickle
import random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from nltk.translate.nist_score import corpus_nist
from tests import oracles_ngrams as oracles
from tests.clocks import within
from tests.random_texts import corpus
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.metrics.accumulator import Accumulator
from wordorder.metrics.text.matching import F1
from wordorder.metrics.text.ngrams import SmoothedBleu, closest_reference_lengths, ngram_statistics
from wordorder.metrics.text.nist import Nist
from wordorder.testing import check_metric
from wordorder.text.texts import Texts

LENGTHS = [0, 1, 2, 3, 4, 5, 6, 31, 32, 33, 63, 64, 65, 127, 128, 129]

sentences = st.lists(st.sampled_from("abc"), max_size=9)
segments_of_words = st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3))


@pytest.mark.parametrize("words", [1, 2, 5, 300])
@pytest.mark.parametrize("order", [1, 2, 4, 6])
def test_counts_at_the_boundaries_of_the_tables(words: int, order: int) -> None:
    hypotheses, references = corpus(words, LENGTHS, [words], dropped=0)
    got = ngram_statistics(Texts.from_segments(hypotheses, references), order)
    wanted = [
        oracles.ngram_statistics(h, r, order) for h, r in zip(hypotheses, references, strict=True)
    ]
    assert got.tolist() == wanted


@given(st.lists(segments_of_words, max_size=5), st.integers(1, 5))
def test_counts_of_any_texts(rows: list[tuple[list[str], list[list[str]]]], order: int) -> None:
    texts = Texts.from_segments([h for h, _ in rows], [r for _, r in rows])
    wanted = [oracles.ngram_statistics(h, r, order) for h, r in rows]
    assert ngram_statistics(texts, order).tolist() == wanted


@given(segments_of_words)
def test_boundaries_are_words_of_the_ngrams(row: tuple[list[str], list[list[str]]]) -> None:
    hypothesis, references = row
    got = ngram_statistics(Texts.from_segments([hypothesis], [references]), 4, boundaries=True)[0]
    marked = [["<s>", *words, "</s>"] for words in (hypothesis, *references)]
    wanted = oracles.ngram_statistics(marked[0], marked[1:], 4)
    assert got[:8].tolist() == wanted[:8]
    assert got[8:].tolist() == oracles.ngram_statistics(hypothesis, references, 4)[8:]


def test_segments_without_references_closest_lengths_and_no_order_below_one() -> None:
    texts = Texts.from_segments([["a"], ["b"], ["c"]], [[], [["b"]], []])
    assert ngram_statistics(texts, 1).tolist() == [[0] * 4, [1] * 4, [0] * 4]
    assert closest_reference_lengths(texts).tolist() == [0, 1, 0]
    texts = Texts.from_segments(["a b c"] * 2, [["a b c d", "a b"], ["a", "a b c d e f"]])
    assert closest_reference_lengths(texts).tolist() == [2, 1]
    refuses(UsageError, "from 1 to 100, not 0", SmoothedBleu, order=0)


def test_many_words_of_a_kind_are_near_linear() -> None:
    n = 200_000
    rng = random.Random(5)
    rows = [["a"] * n, rng.choices("ab", k=n), [str(i % 1000) for i in range(n)]]
    texts = Texts.from_segments(rows, [[row[::-1]] for row in rows])
    texts.local()
    with within(3):
        counts = ngram_statistics(texts, 4)
    assert counts[:, 0].tolist() == [n, n, n]


@pytest.mark.parametrize("boundaries", [False, True])
def test_smoothed_bleu(boundaries: bool) -> None:
    for words in (2, 5, 300):
        hypotheses, references = corpus(words, LENGTHS, [words], dropped=0)
        segments = wo.Segments.from_text(hypotheses, references)
        metric = SmoothedBleu(boundaries=boundaries)
        wanted = [
            oracles.smoothed_bleu(h, r, 4, boundaries)
            for h, r in zip(hypotheses, references, strict=True)
        ]
        assert metric.segment_scores(segments) == pytest.approx(wanted, abs=1e-14)
        mean = sum(wanted) / len(wanted)
        assert metric.corpus_score(segments).value == pytest.approx(mean, abs=1e-14)


def test_smoothed_bleu_as_in_nltk() -> None:
    # Where the hypothesis has n-grams of all orders; for others NLTK counts one that is not there.
    rng = random.Random(3)
    hypotheses = [rng.choices("abcd", k=rng.randint(4, 20)) for _ in range(200)]
    references = [
        [rng.choices("abcd", k=rng.randint(1, 20)) for _ in range(rng.randint(1, 3))]
        for _ in hypotheses
    ]
    method = SmoothingFunction().method2
    wanted = [
        sentence_bleu(r, h, smoothing_function=method)
        for h, r in zip(hypotheses, references, strict=True)
    ]
    segments = wo.Segments.from_text(hypotheses, references)
    assert SmoothedBleu().segment_scores(segments) == pytest.approx(wanted, abs=1e-13)


def test_smoothed_bleu_of_short_sentences() -> None:
    # 5/5 4/5 3/4 2/3 and exp(-1/5); no n-gram of an order counts 1/1 there; no match at all is 0.
    segments = wo.Segments.from_text(
        ["the cat sat on mat", "a", "a", "", ""], ["the cat sat on the mat", "a", "b", "b", ""]
    )
    wanted = [np.exp(-0.2) * (1 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25, 1, 0, 0, 0]
    assert SmoothedBleu().segment_scores(segments) == pytest.approx(wanted, abs=1e-14)
    assert SmoothedBleu(boundaries=True).segment_scores(segments)[3:].tolist() == [0, 0]


@given(st.lists(segments_of_words, min_size=1, max_size=5))
def test_f1_of_the_best_reference(rows: list[tuple[list[str], list[list[str]]]]) -> None:
    segments = wo.Segments.from_text([h for h, _ in rows], [r for _, r in rows])
    best = [max(((oracles.bag_f1(h, r), r) for r in rs), key=lambda x: x[0][0]) for h, rs in rows]
    wanted = [value for (value, _), _ in best]
    assert F1().segment_scores(segments) == pytest.approx(wanted, abs=1e-15)
    matches = sum(count for (_, count), _ in best)
    words = sum(len(h) for h, _ in rows) + sum(len(r) for _, r in best)
    wanted_corpus = 2 * matches / words if words else 0
    assert F1().corpus_score(segments).value == pytest.approx(wanted_corpus, abs=1e-15)


# -- NIST.


@pytest.mark.parametrize("order", [1, 2, 5])
@pytest.mark.parametrize("references", [1, 3])
def test_corpus_and_segments(order: int, references: int) -> None:
    hypotheses, several = corpus(order, LENGTHS * 3, [12], references)
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
    hypotheses, references = corpus(8, [n for n in LENGTHS * 3 if n > 5], [12], 1)
    score = Nist().corpus_score(wo.Segments.from_text(hypotheses, references))
    assert score.value == pytest.approx(corpus_nist(references, hypotheses), rel=1e-12)


def test_examples_by_hand() -> None:
    # 6 words: the 2 of them, cat and sat 1; "the cat" is one of two continuations of "the".
    segments = wo.Segments.from_text(["the cat sat"], ["the cat sat on the mat"])
    information = (np.log2(6 / 2) + 2 * np.log2(6 / 1)) / 3 + (np.log2(2 / 1) + 0) / 2
    penalty = 0.5 ** ((np.log(2) / np.log(1.5)) ** 2)
    score = Nist(order=2).corpus_score(segments).value
    assert score == pytest.approx(information * penalty, rel=1e-14)
    full = wo.Segments.from_text(["a b c"], ["a b c"])
    short = wo.Segments.from_text(["a b"], ["a b c"])
    assert Nist(order=1).corpus_score(full).value == pytest.approx(np.log2(3))
    assert Nist(order=1).corpus_score(short).value == pytest.approx(np.log2(3) / 2)


def test_words_are_matched_by_form_across_pieces() -> None:
    hypotheses, references = corpus(5, LENGTHS * 3, [12], 2)
    whole = wo.Segments.from_text(hypotheses, references)
    # Each piece numbers its words anew, in another order.
    pieces = [
        wo.Segments.from_text(hypotheses[a:b], references[a:b]) for a, b in ((20, 48), (0, 20))
    ]
    prepared = Nist().prepare(iter(pieces))
    running = Accumulator(prepared)
    for piece in pieces:
        running.update(piece)
    assert running.compute().value == Nist().corpus_score(whole).value
    assert running.compute().signature == Nist().corpus_score(whole).signature


def test_prepared_weights_stay() -> None:
    hypotheses, references = corpus(6, LENGTHS * 3, [12], 2)
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
    hypotheses, references = corpus(7, LENGTHS * 3, [12], 3)
    segments = wo.Segments.from_text([*hypotheses, [], ["a"]], [*references, [[]], []])
    check_metric(Nist().prepare(segments), segments)
    assert Nist().corpus_score(segments).skipped == 1
    assert Nist().corpus_score(wo.Segments.from_text(["", "a"], ["", ""])).value == 0
    assert Nist().segment_scores(wo.Segments.from_text([], [])).tolist() == []
