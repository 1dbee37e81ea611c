"""Counts of n-grams, BLEU-S and F1 against their slow twins and against NLTK."""

import random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
from tests import oracles_ngrams as oracles
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.metrics.text.matching import F1
from wordorder.metrics.text.ngrams import SmoothedBleu, closest_lengths, ngram_statistics
from wordorder.text.texts import Texts

LENGTHS = [0, 1, 2, 3, 4, 5, 31, 32, 33, 63, 64, 65, 127, 128, 129]

sentences = st.lists(st.sampled_from("abc"), max_size=9)
segments_of_words = st.tuples(sentences, st.lists(sentences, min_size=1, max_size=3))


def random_corpus(seed: int, words: int) -> tuple[list[list[str]], list[list[list[str]]]]:
    """Hypotheses and one to three references each, of lengths around the tables' sizes."""
    rng = random.Random(seed)
    letters = [f"w{i}" for i in range(words)]
    hypotheses, references = [], []
    for length in LENGTHS:
        reference = rng.choices(letters, k=length)
        hypothesis = list(reference)
        for _ in range(length // 5):
            hypothesis[rng.randrange(length)] = rng.choice(letters)
        cut = rng.randint(0, length)
        hypotheses.append(hypothesis[cut:] + hypothesis[:cut])
        others = [rng.choices(letters, k=rng.randint(0, length + 1)) for _ in range(length % 3)]
        references.append([*others, reference])
    return hypotheses, references


@pytest.mark.parametrize("words", [1, 2, 5, 300])
@pytest.mark.parametrize("order", [1, 2, 4, 6])
def test_counts_at_the_boundaries_of_the_tables(words: int, order: int) -> None:
    hypotheses, references = random_corpus(words, words)
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


def test_a_segment_without_references_is_a_row_of_zeros() -> None:
    texts = Texts.from_segments([["a"], ["b"], ["c"]], [[], [["b"]], []])
    assert ngram_statistics(texts, 1).tolist() == [[0] * 4, [1] * 4, [0] * 4]
    assert closest_lengths(texts).tolist() == [0, 1, 0]


def test_closest_length_prefers_the_shorter() -> None:
    texts = Texts.from_segments(["a b c"] * 2, [["a b c d", "a b"], ["a", "a b c d e f"]])
    assert closest_lengths(texts).tolist() == [2, 1]


def test_many_words_of_a_kind_are_near_linear() -> None:
    import time

    n = 200_000
    rng = random.Random(5)
    rows = [["a"] * n, rng.choices("ab", k=n), [str(i % 1000) for i in range(n)]]
    texts = Texts.from_segments(rows, [[row[::-1]] for row in rows])
    texts.local()
    start = time.process_time()
    counts = ngram_statistics(texts, 4)
    assert time.process_time() - start < 3
    assert counts[:, 0].tolist() == [n, n, n]


@pytest.mark.parametrize("boundaries", [False, True])
def test_smoothed_bleu(boundaries: bool) -> None:
    for words in (2, 5, 300):
        hypotheses, references = random_corpus(words, words)
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


def test_no_order_below_one() -> None:
    refuses(UsageError, "from 1 to 100, not 0", SmoothedBleu, order=0)
