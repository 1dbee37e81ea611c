"""LRscore, SenScore and RIBES against their definitions, worked examples and other tools."""

import random
from typing import Any

import numpy as np
import pytest
import sacrebleu
from hypothesis import given, strategies as st
from nltk.translate import ribes_score
from tests import oracles, oracles_lrscore as definitions, oracles_ngrams as ngrams
from tests.random_texts import corpus
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.metrics.text.order_and_words import Ribes, certain_positions
from wordorder.testing import check_metric
from wordorder.text.texts import Texts

LENGTHS = [0, 1, 2, 3, 5, 8, 20, 63, 64, 65, 127, 128, 129]
VERSIONS = [(r, b) for r in ("hamming", "kendall") for b in ("bleu1", "bleu4")]
PRESETS = {
    "lr-hb1": ("hamming", "bleu1"),
    "lr-hb4": ("hamming", "bleu4"),
    "lr-kb1": ("kendall", "bleu1"),
    "lr-kb4": ("kendall", "bleu4"),
}
Links = list[tuple[int, int]]


class LinkedCorpus:
    """Random sources, translations and links, with `references` references each."""

    def __init__(self, seed: int, references: int, lengths: list[int]) -> None:
        self.rng = random.Random(seed)
        self.source = [self.words(n) for n in lengths]
        self.hypothesis = [self.near(n) for n in lengths]
        self.references = [[self.near(n) for _ in range(references)] for n in lengths]
        self.links = [self.link(*p) for p in zip(self.source, self.hypothesis, strict=True)]
        self.reference_links = [
            [self.link(source, reference) for reference in row]
            for source, row in zip(self.source, self.references, strict=True)
        ]

    def words(self, length: int) -> list[str]:
        return self.rng.choices("abcdefg", k=length)

    def near(self, length: int) -> list[str]:
        return self.words(max(0, length + self.rng.randint(-2, 2)))

    def link(self, source: list[str], target: list[str]) -> Links:
        cells = [(s, t) for s in range(len(source)) for t in range(len(target))]
        return self.rng.sample(cells, min(len(cells), len(source)))

    def segments(self) -> wo.Segments:
        columns = [
            wo.Alignments.from_rows(list(column))
            for column in zip(*self.reference_links, strict=True)
        ]
        return wo.Segments.from_alignments(
            self.source,
            self.hypothesis,
            self.references,
            wo.Alignments.from_rows(self.links),
            columns,
        )

    def reordering(self, kind: str, choice: str) -> list[float]:
        """The reordering score of each segment by definition."""
        found = []
        for source, hypothesis, references, links, theirs in zip(
            self.source,
            self.hypothesis,
            self.references,
            self.links,
            self.reference_links,
            strict=True,
        ):
            ours = definitions.ranks(links, len(source))
            each = [
                definitions.similarity(ours, definitions.ranks(other, len(source)), kind)
                * definitions.brevity(len(hypothesis), len(reference))
                for reference, other in zip(references, theirs, strict=True)
            ]
            found.append(max(each) if choice == "closest" else sum(each) / len(each))
        return found


def worked_example() -> wo.Segments:
    """Two sentences of five source words, the second translation one word short."""
    reference = [(0, 0), (1, 3), (2, 4), (3, 1), (4, 2)]
    return wo.Segments.from_alignments(
        ["a b c d e"] * 2,
        ["A B C D E", "A C B E"],
        ["A D E B C"] * 2,
        wo.Alignments.from_rows([[(i, i) for i in range(5)], [(0, 0), (1, 2), (3, 1), (4, 3)]]),
        wo.Alignments.from_rows([reference] * 2),
    )


def test_worked_example() -> None:
    segments = worked_example()
    scores = {
        name: wo.metric("lrscore", reordering=name, alpha=1).segment_scores(segments)
        for name in ("hamming", "kendall")
    }
    shorter = np.exp(-0.25)
    assert scores["hamming"] == pytest.approx([0.2, 0.4 * shorter], abs=1e-15)
    assert scores["kendall"] == pytest.approx([0.3675, 0.7788 * 0.5528], abs=5e-5)
    metric = wo.metric("lrscore", alpha=1)
    assert metric.corpus_score(segments).value == pytest.approx(0.3990, abs=5e-5)
    # With BLEU .30 and alpha .25 the whole is .3248.
    found = 0.25 * metric.corpus_score(segments).value + 0.75 * 0.30
    assert found == pytest.approx(0.3248, abs=5e-5)


@pytest.mark.parametrize(("reordering", "lexical"), VERSIONS)
@pytest.mark.parametrize("references", [1, 3])
def test_definition_of_lrscore(reordering: str, lexical: str, references: int) -> None:
    corpus = LinkedCorpus(references, references, LENGTHS * 2)
    segments = corpus.segments()
    order = int(lexical[-1])
    pairs = list(zip(corpus.hypothesis, corpus.references, strict=True))
    used = [
        bool(source or hypothesis or any(theirs))
        for source, (hypothesis, theirs) in zip(corpus.source, pairs, strict=True)
    ]
    for choice in ("closest", "average"):
        options: dict[str, Any] = {
            "reordering": reordering,
            "lexical": lexical,
            "references": choice,
        }
        for alpha in (0.0, 0.3, 1.0):
            metric = wo.metric("lrscore", alpha=alpha, **options)
            values = corpus.reordering(reordering, choice)
            score = metric.corpus_score(segments)
            wanted = alpha * sum(values) / sum(used)
            wanted += (1 - alpha) * definitions.bleu(pairs, order, smooth=False)
            assert score.value == pytest.approx(wanted, abs=1e-13)
            assert score.skipped == used.count(False)
            rows = [
                alpha * value + (1 - alpha) * definitions.bleu([pair], order, smooth=order > 1)
                if counts
                else np.nan
                for value, pair, counts in zip(values, pairs, used, strict=True)
            ]
            assert metric.segment_scores(segments) == pytest.approx(rows, abs=1e-13, nan_ok=True)


@pytest.mark.parametrize("order", [1, 4])
def test_lexical_part_is_the_bleu_of_sacrebleu(order: int) -> None:
    corpus = LinkedCorpus(5, 2, [8, 20, 30, 12])
    corpus.hypothesis = [[*row[0][:-2], "a"] for row in corpus.references]
    corpus.links = [[] for _ in corpus.source]
    tool = sacrebleu.BLEU(tokenize="none", smooth_method="none", max_ngram_order=order)
    theirs = tool.corpus_score(
        [" ".join(row) for row in corpus.hypothesis],
        [[" ".join(row[i]) for row in corpus.references] for i in range(2)],
    )
    metric = wo.metric("lrscore", lexical=f"bleu{order}", alpha=0)
    assert theirs.score > 0
    assert metric.corpus_score(corpus.segments()).value == pytest.approx(theirs.score / 100)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str) -> None:
    reordering, lexical = PRESETS[name]
    segments = LinkedCorpus(7, 2, LENGTHS).segments()
    preset = wo.metric(name, alpha=0.25, references="average")
    plain = wo.metric(
        "lrscore", reordering=reordering, lexical=lexical, alpha=0.25, references="average"
    )
    assert np.array_equal(preset.statistics(segments), plain.statistics(segments))
    assert preset.corpus_score(segments).value == plain.corpus_score(segments).value
    assert preset.signature().fields == plain.signature().fields
    refuses(UsageError, "unknown option", wo.metric, name, lexical="bleu4")


@pytest.mark.parametrize("references", [1, 2])
@pytest.mark.parametrize("name", ["lrscore", *PRESETS])
def test_contract_of_lrscore(name: str, references: int) -> None:
    check_metric(wo.metric(name), LinkedCorpus(3, references, LENGTHS).segments())


def test_segments_without_words_or_references() -> None:
    nothing = wo.Alignments.from_rows([[], [], []])
    segments = wo.Segments.from_alignments(
        ["", "a", ""], ["", "", "x"], ["", "", "x"], nothing, nothing
    )
    metric = wo.metric("lrscore", lexical="bleu1")
    # Nothing at all is left out; an empty translation scores 0; a source without words has no
    # order that could be right.
    np.testing.assert_array_equal(metric.segment_scores(segments), [np.nan, 0.0, 0.5])
    score = metric.corpus_score(segments)
    assert (score.value, score.skipped) == (0.5, 1)
    text = wo.Segments.from_text(["a", "a"], [[], ["a"]])
    bare = wo.Segments(
        wo.Ragged.from_rows([[0]]), reference_offsets=text.texts.reference_offsets, texts=text.texts
    )
    score = metric.corpus_score(bare)
    assert (score.value, score.skipped) == (1.0, 1)


def test_segment_scores_of_four_words_are_smoothed() -> None:
    links = wo.Alignments.from_rows([[(i, i) for i in range(5)]])
    segments = wo.Segments.from_alignments(
        ["a b c d e"], ["the cat sat on mat"], ["the cat sat on the mat"], links, links
    )
    metric = wo.metric("lrscore", alpha=0)
    # Lin & Och 2004: 5/5, 4/5, 3/4 and 2/3 with a brevity penalty of .8187.
    assert metric.segment_scores(segments) == pytest.approx([0.6511], abs=5e-5)
    assert metric.corpus_score(segments).value < 0.65


def test_any_permutations_will_do() -> None:
    text = wo.Segments.from_text(["a b", "c"], ["a b", "d"])
    segments = wo.Segments(wo.Ragged.from_rows([[1, 0], [0]]), texts=text.texts)
    assert wo.metric("lrscore", alpha=1).segment_scores(segments).tolist() == [0.0, 1.0]


def test_signature_of_lrscore() -> None:
    assert str(wo.metric("lr-kb4", alpha="0.25").signature()) == (
        f"lr-kb4|reordering:kendall|lexical:bleu4|alpha:0.25|references:closest|v:{wo.__version__}"
    )
    score = wo.metric("lrscore").corpus_score(worked_example())
    fields = dict(score.signature.fields)
    assert fields["rule"] == "lrscore"
    assert fields["tok"] == "none"


def test_errors_of_lrscore() -> None:
    for alpha in (-0.1, 1.1, float("nan"), True, None):
        refuses(UsageError, "number from 0 to 1", wo.metric, "lrscore", alpha=alpha)
    refuses(UsageError, "legal names: bleu1, bleu4", wo.metric, "lrscore", lexical="bleu2")
    with pytest.raises(UsageError, match="there is no text"):
        wo.metric("lrscore").corpus_score(wo.Segments.from_permutations([[0]]))
    with pytest.raises(UsageError, match="no word orders"):
        wo.metric("lrscore").corpus_score(wo.Segments.from_text(["a"], ["a"]))


# -- SenScore against its definition.


ORDERINGS = ("frs", "kendall", "spearman", "hamming", "ulam", "exact")


def matched(rows: wo.Ragged, text: wo.Segments) -> wo.Segments:
    """Give texts the orders of matched words, as an aligner does."""
    texts = text.texts
    lengths = texts.references.lengths
    return wo.Segments(rows, None, None, rows.lengths, lengths, texts=texts)


class MatchedCorpus:
    """Random texts whose words are matched at random: a permutation for each reference."""

    def __init__(self, seed: int, most: int) -> None:
        rng = random.Random(seed)
        self.hypotheses = [rng.choices("abcdef", k=n) for n in LENGTHS * 2]
        self.references = []
        self.rows = []
        for row in self.hypotheses:
            number = rng.randint(0 if most > 1 else 1, most)
            lengths = [max(0, len(row) + rng.randint(-2, 2)) for _ in range(number)]
            self.references.append([rng.choices("abcdef", k=n) for n in lengths])
            matched = [rng.randint(0, min(len(row), n)) for n in lengths]
            self.rows.append([rng.sample(range(m), m) for m in matched])

    def segments(self) -> wo.Segments:
        text = wo.Segments.from_text(
            [" ".join(row) for row in self.hypotheses],
            [[" ".join(row) for row in rows] for rows in self.references],
        )
        flat = [row for rows in self.rows for row in rows]
        return matched(wo.Ragged.from_rows(flat), text)

    def sentences(self, ordering: str, alpha: float) -> tuple[list[float], list[float]]:
        """Sentence scores and weights by definition."""
        scores, weights = [], []
        oracle = oracles.METRICS[ordering]
        for hypothesis, references, rows in zip(
            self.hypotheses, self.references, self.rows, strict=True
        ):
            each = [
                alpha * definitions.f1(hypothesis, reference)
                + (1 - alpha)
                * definitions.brevity(len(row), len(reference))
                * (float(oracle(row)) if row else 0.0)
                for reference, row in zip(references, rows, strict=True)
            ]
            total = sum(map(len, references))
            weights.append(total / len(references) if references else 0.0)
            scores.append(max(each) if total else 0.0)
        return scores, weights


@pytest.mark.parametrize("ordering", ORDERINGS)
@pytest.mark.parametrize("most", [1, 3])
def test_definition_of_senscore(ordering: str, most: int) -> None:
    corpus = MatchedCorpus(most, most)
    segments = corpus.segments()
    for alpha in (0.0, 0.5, 1.0):
        scores, weights = corpus.sentences(ordering, alpha)
        metric = wo.metric("senscore", ordering=ordering, alpha=alpha)
        rows = [s if w else np.nan for s, w in zip(scores, weights, strict=True)]
        assert metric.segment_scores(segments) == pytest.approx(rows, abs=1e-12, nan_ok=True)
        total = sum(s * w for s, w in zip(scores, weights, strict=True)) / sum(weights)
        score = metric.corpus_score(segments)
        assert score.value == pytest.approx(total, abs=1e-12)
        assert score.skipped == weights.count(0)


def test_senscore_by_hand() -> None:
    text = wo.Segments.from_text(["b a x", "a"], ["a b c d", "a"])
    segments = matched(wo.Ragged.from_rows([[1, 0], [0]]), text)
    metric = wo.metric("senscore")
    # Two of three and of four words; both in the wrong order.
    first = 0.5 * (2 * 2 / 7)
    assert metric.segment_scores(segments) == pytest.approx([first, 1.0])
    assert metric.corpus_score(segments).value == pytest.approx((4 * first + 1) / 5)
    half = wo.metric("senscore", ordering="hamming", alpha=0)
    straight = matched(wo.Ragged.from_rows([[0, 1], [0]]), text)
    # Two matched words for a reference of four.
    assert half.segment_scores(straight) == pytest.approx([np.exp(1 - 4 / 2), 1.0])
    links = wo.Alignments.from_rows([[(0, 0), (1, 1), (1, 2)]])
    segments = wo.Segments.from_alignments(["a b"], ["x y z"], ["x y z"], links, links)
    assert wo.metric("senscore").segment_scores(segments).tolist() == [1.0]


@pytest.mark.parametrize("ordering", ["kendall", "frs(ties=rank)", "kendall(degenerate=beer)"])
@pytest.mark.parametrize("most", [1, 3])
def test_contract_of_senscore(ordering: str, most: int) -> None:
    check_metric(wo.metric("senscore", ordering=ordering), MatchedCorpus(3, most).segments())


def test_values_of_short_rows_are_those_of_the_order_metric() -> None:
    text = wo.Segments.from_text(["a"], ["a"])
    segments = matched(wo.Ragged.from_rows([[0]]), text)
    for ordering, wanted in (("spearman", 1.0), ("spearman(degenerate=beer)", 0.5)):
        metric = wo.metric("senscore", ordering=ordering, alpha=0)
        assert metric.segment_scores(segments).tolist() == [wanted]


def test_an_order_metric_as_an_object() -> None:
    segments = MatchedCorpus(1, 2).segments()
    one = wo.metric("senscore", ordering=wo.metric("frs", ties="rank"))
    other = wo.metric("senscore", ordering="frs(ties=rank)")
    assert np.array_equal(one.statistics(segments), other.statistics(segments))
    assert one.signature() == other.signature()


def test_signature_of_senscore() -> None:
    assert str(wo.metric("senscore", alpha="0.25").signature()) == (
        "senscore|ordering:kendall(match:index,ties:best,degenerate:standard)|alpha:0.25"
        f"|v:{wo.__version__}"
    )


def test_errors_of_senscore() -> None:
    with pytest.raises(UsageError, match="senscore.ordering is a metric of orders, not 'f1'"):
        wo.metric("senscore", ordering="f1")
    refuses(UsageError, "did you mean 'kendall'", wo.metric, "senscore", ordering="kendal")
    with pytest.raises(UsageError, match="senscore.alpha is a number from 0 to 1, not 2"):
        wo.metric("senscore", alpha=2)
    with pytest.raises(UsageError, match="there is no text"):
        wo.metric("senscore").corpus_score(wo.Segments.from_permutations([[0]]))
    with pytest.raises(UsageError, match="no word orders"):
        wo.metric("senscore").corpus_score(wo.Segments.from_text(["a"], ["a"]))


# -- RIBES against its slow twin and against NLTK.


sentences = st.lists(st.sampled_from("abcd"), max_size=12)


def fuzz(seed: int, rows: int, longest: int) -> tuple[list[list[str]], list[list[list[str]]]]:
    lengths = random.Random(seed).choices(range(1, longest + 1), k=rows)
    return corpus(seed, lengths, [2, 4, 10, 40])


def test_examples_of_the_paper_and_a_place_that_is_taken_twice() -> None:
    # Isozaki et al. 2010, section 2, with the places in the reference counted from 0.
    hypotheses = ["Bob hit John yesterday", "the book was read by the boy"]
    references = ["John hit Bob yesterday", "the boy read the book"]
    orders = certain_positions(Texts.from_segments(hypotheses, references)).to_lists()
    assert orders == [[2, 1, 0, 3], [3, 4, 2, 0, 1]]
    hypothesis = "he was late because he was caught in the rain"
    reference = "he was caught in the rain because he was late"
    order = certain_positions(Texts.from_segments([hypothesis], [reference])).to_lists()[0]
    assert order == [7, 8, 9, 6, 7, 1, 2, 3, 4, 5]
    segments = wo.Segments.from_text([hypothesis], [reference])
    assert Ribes().segment_scores(segments)[0] == pytest.approx(14 / 45, abs=1e-15)


@given(sentences, sentences)
def test_word_orders_of_any_pair(hypothesis: list[str], reference: list[str]) -> None:
    texts = Texts.from_segments([hypothesis], [[reference]])
    assert certain_positions(texts).to_lists() == [ngrams.worder(hypothesis, reference)]
    wanted = ribes_score.word_rank_alignment(reference, hypothesis)
    assert certain_positions(texts, compat="nltk").to_lists() == [wanted]


@pytest.mark.parametrize("length", [1, 2, 3, 31, 32, 33, 63, 64, 65, 129])
def test_word_orders_of_long_sentences(length: int) -> None:
    rng = random.Random(length)
    for words in (1, 3, length):
        hypothesis = [str(rng.randrange(words)) for _ in range(length)]
        cut = rng.randint(0, length)
        reference = hypothesis[cut:] + hypothesis[:cut]
        texts = Texts.from_segments([hypothesis], [[reference]])
        assert certain_positions(texts).to_lists() == [ngrams.worder(hypothesis, reference)]


@pytest.mark.parametrize("rank", ["kendall", "spearman"])
def test_segments_and_corpus(rank: str) -> None:
    hypotheses, references = fuzz(1, 150, 30)
    segments = wo.Segments.from_text(hypotheses, references)
    metric = Ribes(alpha=0.4, beta=0.2, rank=rank)
    wanted = [
        max(ngrams.ribes(h, r, 0.4, 0.2, rank) for r in several)
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
    assert certain_positions(texts).to_lists() != certain_positions(texts, compat="nltk").to_lists()


def test_ribes_of_short_sentences_and_without_references() -> None:
    # One word against a reference of one word has nothing out of order; NLTK scores it 0.
    segments = wo.Segments.from_text(["a", "a b", "a", "", "", "a"], ["a", "a", "a b", "a", "", ""])
    assert Ribes().segment_scores(segments).tolist() == [1, 0.5**0.25, 0, 0, 0, 0]
    assert Ribes(compat="nltk").segment_scores(segments).tolist() == [0] * 6
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
