"""RIBES against its slow twin and against NLTK."""

import random

import pytest
from hypothesis import given, strategies as st
from nltk.translate import ribes_score
from tests import oracles_ngrams as oracles
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.metrics.text.order_and_words import Ribes, word_orders
from wordorder.text.texts import Texts

sentences = st.lists(st.sampled_from("abcd"), max_size=12)

Corpus = tuple[list[list[str]], list[list[list[str]]]]


def fuzz(seed: int, rows: int, longest: int) -> Corpus:
    """Sentences with repeated words and moved blocks, and one to three references each."""
    rng = random.Random(seed)
    hypotheses, references = [], []
    for _ in range(rows):
        words = [f"w{i}" for i in range(rng.choice([2, 4, 10, 40]))]
        number = rng.choice([1, 1, 2, 3])
        several = [rng.choices(words, k=rng.randint(1, longest)) for _ in range(number)]
        hypothesis = list(rng.choice(several))
        for _ in range(rng.randint(0, 3)):
            a, b = sorted(rng.choices(range(len(hypothesis) + 1), k=2))
            block = hypothesis[a:b]
            del hypothesis[a:b]
            at = rng.randint(0, len(hypothesis))
            hypothesis[at:at] = block
            if rng.random() < 0.5:
                hypothesis[rng.randrange(len(hypothesis))] = rng.choice(words)
        if rng.random() < 0.3:
            del hypothesis[rng.randrange(len(hypothesis)) :]
        hypotheses.append(hypothesis)
        references.append(several)
    return hypotheses, references


def test_examples_of_the_paper() -> None:
    # Isozaki et al. 2010, section 2, with the places in the reference counted from 0.
    hypotheses = ["Bob hit John yesterday", "the book was read by the boy"]
    references = ["John hit Bob yesterday", "the boy read the book"]
    orders = word_orders(Texts.from_segments(hypotheses, references)).to_lists()
    assert orders == [[2, 1, 0, 3], [3, 4, 2, 0, 1]]


def test_a_place_can_be_taken_twice() -> None:
    hypothesis = "he was late because he was caught in the rain"
    reference = "he was caught in the rain because he was late"
    order = word_orders(Texts.from_segments([hypothesis], [reference])).to_lists()[0]
    assert order == [7, 8, 9, 6, 7, 1, 2, 3, 4, 5]
    segments = wo.Segments.from_text([hypothesis], [reference])
    assert Ribes().segment_scores(segments)[0] == pytest.approx(14 / 45, abs=1e-15)


@given(sentences, sentences)
def test_word_orders_of_any_pair(hypothesis: list[str], reference: list[str]) -> None:
    texts = Texts.from_segments([hypothesis], [[reference]])
    assert word_orders(texts).to_lists() == [oracles.worder(hypothesis, reference)]
    wanted = ribes_score.word_rank_alignment(reference, hypothesis)
    assert word_orders(texts, compat="nltk").to_lists() == [wanted]


@pytest.mark.parametrize("length", [1, 2, 3, 31, 32, 33, 63, 64, 65, 129])
def test_word_orders_of_long_sentences(length: int) -> None:
    rng = random.Random(length)
    for words in (1, 3, length):
        hypothesis = [str(rng.randrange(words)) for _ in range(length)]
        cut = rng.randint(0, length)
        reference = hypothesis[cut:] + hypothesis[:cut]
        texts = Texts.from_segments([hypothesis], [[reference]])
        assert word_orders(texts).to_lists() == [oracles.worder(hypothesis, reference)]


@pytest.mark.parametrize("rank", ["kendall", "spearman"])
def test_segments_and_corpus(rank: str) -> None:
    hypotheses, references = fuzz(1, 150, 30)
    segments = wo.Segments.from_text(hypotheses, references)
    metric = Ribes(alpha=0.4, beta=0.2, rank=rank)
    wanted = [
        max(oracles.ribes(h, r, 0.4, 0.2, rank) for r in several)
        for h, several in zip(hypotheses, references, strict=True)
    ]
    assert metric.segment_scores(segments) == pytest.approx(wanted, abs=1e-12)
    mean = sum(wanted) / len(wanted)
    assert metric.corpus_score(segments).value == pytest.approx(mean, abs=1e-12)


def test_as_nltk() -> None:
    hypotheses, references = fuzz(2, 200, 30)
    hypotheses += [[], ["a"], ["a", "b"], ["a"]]
    references += [[["a"]], [["a"]], [["b"]], []]
    segments = wo.Segments.from_text(hypotheses, references)
    metric = Ribes(compat="nltk")
    wanted = [ribes_score.sentence_ribes(r, h) for h, r in zip(hypotheses, references, strict=True)]
    assert metric.segment_scores(segments) == pytest.approx(wanted, abs=1e-12)
    corpus = ribes_score.corpus_ribes(references, hypotheses)
    assert metric.corpus_score(segments).value == pytest.approx(corpus, abs=1e-12)


def test_the_two_rules_differ() -> None:
    hypotheses, references = fuzz(3, 300, 20)
    texts = Texts.from_segments(hypotheses, references)
    assert word_orders(texts).to_lists() != word_orders(texts, compat="nltk").to_lists()


def test_short_sentences() -> None:
    # One word against a reference of one word has nothing out of order; NLTK scores it 0.
    segments = wo.Segments.from_text(["a", "a b", "a", "", "", "a"], ["a", "a", "a b", "a", "", ""])
    assert Ribes().segment_scores(segments).tolist() == [1, 0.5**0.25, 0, 0, 0, 0]
    assert Ribes(compat="nltk").segment_scores(segments).tolist() == [0] * 6


def test_segments_without_references() -> None:
    segments = wo.Segments.from_text([["a", "b"], ["a"]], [[["a", "b"]], []])
    score = Ribes().corpus_score(segments)
    assert (score.value, score.skipped) == (1.0, 1)
    score = Ribes(compat="nltk").corpus_score(segments)
    assert (score.value, score.skipped) == (0.5, 0)


def test_options_are_checked() -> None:
    refuses(UsageError, "at least 0, not -1", Ribes, alpha=-1)
    refuses(UsageError, "at least 0, not nan", Ribes, beta=float("nan"))
    refuses(UsageError, "kendall", Ribes, compat="nltk", rank="spearman")
    refuses(UsageError, "did you mean 'spearman'", Ribes, rank="spearmann")
