"""LRscore against its definition, a worked example and sacreBLEU."""

import random
from typing import Any

import numpy as np
import pytest
import sacrebleu
from tests import oracles_lrscore as oracles
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.testing import check_metric

LENGTHS = [0, 1, 2, 3, 5, 8, 20, 63, 64, 65, 127, 128, 129]
VERSIONS = [(r, b) for r in ("hamming", "kendall") for b in ("bleu1", "bleu4")]
PRESETS = {
    "lr-hb1": ("hamming", "bleu1"),
    "lr-hb4": ("hamming", "bleu4"),
    "lr-kb1": ("kendall", "bleu1"),
    "lr-kb4": ("kendall", "bleu4"),
}
Links = list[tuple[int, int]]


class Corpus:
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
            ours = oracles.ranks(links, len(source))
            each = [
                oracles.similarity(ours, oracles.ranks(other, len(source)), kind)
                * oracles.brevity(len(hypothesis), len(reference))
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
def test_definition(reordering: str, lexical: str, references: int) -> None:
    corpus = Corpus(references, references, LENGTHS * 2)
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
            wanted += (1 - alpha) * oracles.bleu(pairs, order, smooth=False)
            assert score.value == pytest.approx(wanted, abs=1e-13)
            assert score.skipped == used.count(False)
            rows = [
                alpha * value + (1 - alpha) * oracles.bleu([pair], order, smooth=order > 1)
                for value, pair in zip(values, pairs, strict=True)
            ]
            assert metric.segment_scores(segments) == pytest.approx(rows, abs=1e-13)


@pytest.mark.parametrize("order", [1, 4])
def test_lexical_part_is_the_bleu_of_sacrebleu(order: int) -> None:
    corpus = Corpus(5, 2, [8, 20, 30, 12])
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


def test_mean_of_products_is_not_the_product_of_means() -> None:
    segments = worked_example()
    ordering = wo.metric("hamming").corpus_score(segments).value
    penalty = (1 + np.exp(-0.25)) / 2
    value = wo.metric("lrscore", reordering="hamming", alpha=1).corpus_score(segments).value
    assert value == pytest.approx((0.2 + 0.4 * np.exp(-0.25)) / 2, abs=1e-15)
    assert value != pytest.approx(ordering * penalty, abs=1e-3)


@pytest.mark.parametrize("name", PRESETS)
def test_presets(name: str) -> None:
    reordering, lexical = PRESETS[name]
    segments = Corpus(7, 2, LENGTHS).segments()
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
def test_contract(name: str, references: int) -> None:
    check_metric(wo.metric(name), Corpus(3, references, LENGTHS).segments())


def test_segments_without_words_or_references() -> None:
    nothing = wo.Alignments.from_rows([[], [], []])
    segments = wo.Segments.from_alignments(
        ["", "a", ""], ["", "", "x"], ["", "", "x"], nothing, nothing
    )
    metric = wo.metric("lrscore", lexical="bleu1")
    # Nothing at all is left out; an empty translation scores 0; a source without words has no
    # order that could be right.
    assert metric.segment_scores(segments).tolist() == [0.0, 0.0, 0.5]
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


def test_signature() -> None:
    assert str(wo.metric("lr-kb4", alpha="0.25").signature()) == (
        f"lr-kb4|reordering:kendall|lexical:bleu4|alpha:0.25|references:closest|v:{wo.__version__}"
    )
    score = wo.metric("lrscore").corpus_score(worked_example())
    fields = dict(score.signature.fields)
    assert fields["rule"] == "lrscore"
    assert fields["tok"] == "none"


def test_errors() -> None:
    for alpha in (-0.1, 1.1, float("nan"), True, None):
        refuses(UsageError, "number from 0 to 1", wo.metric, "lrscore", alpha=alpha)
    refuses(UsageError, "legal names: bleu1, bleu4", wo.metric, "lrscore", lexical="bleu2")
    with pytest.raises(UsageError, match="there is no text"):
        wo.metric("lrscore").corpus_score(wo.Segments.from_permutations([[0]]))
    with pytest.raises(UsageError, match="no word orders"):
        wo.metric("lrscore").corpus_score(wo.Segments.from_text(["a"], ["a"]))
