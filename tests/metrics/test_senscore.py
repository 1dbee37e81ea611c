"""SenScore against its definition."""

import random

import numpy as np
import pytest
from tests import oracles, oracles_lrscore as definitions
from tests.refusing import refuses

import wordorder as wo
from wordorder.errors import UsageError
from wordorder.testing import check_metric

ORDERINGS = ("frs", "kendall", "spearman", "hamming", "ulam", "exact")
LENGTHS = [0, 1, 2, 3, 5, 8, 63, 64, 65, 127, 128, 129]


def matched(rows: wo.Ragged, text: wo.Segments) -> wo.Segments:
    """Give texts the orders of matched words, as an aligner does."""
    texts = text.texts
    lengths = texts.references.lengths
    return wo.Segments(rows, None, None, rows.lengths, lengths, texts=texts)


class Corpus:
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
def test_definition(ordering: str, most: int) -> None:
    corpus = Corpus(most, most)
    segments = corpus.segments()
    for alpha in (0.0, 0.5, 1.0):
        scores, weights = corpus.sentences(ordering, alpha)
        metric = wo.metric("senscore", ordering=ordering, alpha=alpha)
        assert metric.segment_scores(segments) == pytest.approx(scores, abs=1e-12)
        total = sum(s * w for s, w in zip(scores, weights, strict=True)) / sum(weights)
        score = metric.corpus_score(segments)
        assert score.value == pytest.approx(total, abs=1e-12)
        assert score.skipped == weights.count(0)


def test_by_hand() -> None:
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


@pytest.mark.parametrize("ordering", ["kendall", "frs(ties=rank)", "kendall(degenerate=beer)"])
@pytest.mark.parametrize("most", [1, 3])
def test_contract(ordering: str, most: int) -> None:
    check_metric(wo.metric("senscore", ordering=ordering), Corpus(3, most).segments())


def test_values_of_short_rows_are_those_of_the_order_metric() -> None:
    text = wo.Segments.from_text(["a"], ["a"])
    segments = matched(wo.Ragged.from_rows([[0]]), text)
    for ordering, wanted in (("spearman", 1.0), ("spearman(degenerate=beer)", 0.5)):
        metric = wo.metric("senscore", ordering=ordering, alpha=0)
        assert metric.segment_scores(segments).tolist() == [wanted]


def test_an_order_metric_as_an_object() -> None:
    segments = Corpus(1, 2).segments()
    one = wo.metric("senscore", ordering=wo.metric("frs", ties="rank"))
    other = wo.metric("senscore", ordering="frs(ties=rank)")
    assert np.array_equal(one.statistics(segments), other.statistics(segments))
    assert one.signature() == other.signature()


def test_signature() -> None:
    assert str(wo.metric("senscore", alpha="0.25").signature()) == (
        "senscore|ordering:kendall(match:index,ties:best,degenerate:standard)|alpha:0.25"
        f"|v:{wo.__version__}"
    )


def test_errors() -> None:
    with pytest.raises(UsageError, match="senscore.ordering is a metric of orders, not 'f1'"):
        wo.metric("senscore", ordering="f1")
    refuses(UsageError, "did you mean 'kendall'", wo.metric, "senscore", ordering="kendal")
    with pytest.raises(UsageError, match="senscore.alpha is a number from 0 to 1, not 2"):
        wo.metric("senscore", alpha=2)
    with pytest.raises(UsageError, match="there is no text"):
        wo.metric("senscore").corpus_score(wo.Segments.from_permutations([[0]]))
    with pytest.raises(UsageError, match="no word orders"):
        wo.metric("senscore").corpus_score(wo.Segments.from_text(["a"], ["a"]))


def test_orders_over_the_source_are_not_short() -> None:
    links = wo.Alignments.from_rows([[(0, 0), (1, 1), (1, 2)]])
    segments = wo.Segments.from_alignments(["a b"], ["x y z"], ["x y z"], links, links)
    assert wo.metric("senscore").segment_scores(segments).tolist() == [1.0]
