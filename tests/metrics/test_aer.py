"""Alignments judged against gold alignments."""

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from nltk.translate import Alignment as NltkAlignment
from nltk.translate.metrics import alignment_error_rate
from tests import oracles_notations as oracles
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.alignments import Alignments
from wordorder.errors import InputError, UsageError
from wordorder.metrics.link_metrics import (
    AlignmentErrorRate,
    AlignmentPrecision,
    AlignmentRecall,
    LinkCountMetric,
    link_counts,
)
from wordorder.segments import Segments
from wordorder.testing import check_metric

METRICS = (AlignmentErrorRate, AlignmentPrecision, AlignmentRecall)
Row = list[tuple[int, int, bool]]


def pairs(most: int) -> st.SearchStrategy[list[tuple[int, int]]]:
    return st.lists(st.tuples(st.integers(0, 5), st.integers(0, 6)), unique=True, max_size=most)


def judged(system: list[Row], gold: list[Row]) -> Segments:
    return Segments.from_links(Alignments.from_rows(system), Alignments.from_rows(gold))


def value(metric: LinkCountMetric, system: Row, gold: Row) -> float:
    return float(metric.segment_scores(judged([system], [gold]))[0])


@given(
    st.lists(st.tuples(pairs(12), pairs(12)), max_size=5),
    st.lists(st.booleans(), min_size=120, max_size=120),
)
def test_counts_against_the_twin(
    rows: list[tuple[list[tuple[int, int]], list[tuple[int, int]]]], flags: list[bool]
) -> None:
    marks = iter(flags)
    system = [[(s, t, next(marks)) for s, t in row] for row, _ in rows]
    gold = [[(s, t, next(marks)) for s, t in row] for _, row in rows]
    expected = [
        [*oracles.link_counts([(s, t) for s, t, _ in a], g), 1]
        for a, g in zip(system, gold, strict=True)
    ]
    found = link_counts(judged(system, gold))
    assert found.shape == (len(rows), 5)
    assert found.tolist() == expected


@pytest.mark.parametrize("links", [0, 1, 2, 63, 64, 65, 127, 128, 129])
def test_long_rows(links: int) -> None:
    rng = np.random.default_rng(links)
    rows = []
    for _ in range(6):
        drawn = rng.choice(400, links, replace=False).tolist()
        rows.append([(n // 20, n % 20, bool(rng.integers(2))) for n in drawn])
    expected = [
        [*oracles.link_counts([(s, t) for s, t, _ in a], g), 1]
        for a, g in zip(rows[:3], rows[3:], strict=True)
    ]
    assert link_counts(judged(rows[:3], rows[3:])).tolist() == expected


def test_far_positions() -> None:
    """Positions whose places in the table collide."""
    far = [(s * 4096, t * 65536, False) for s in range(16) for t in range(16)]
    assert link_counts(judged([far], [far[::2]])).tolist() == [[256, 128, 128, 128, 1]]


@pytest.mark.parametrize(
    ("system", "gold", "aer", "precision", "recall"),
    [
        # By hand from Och and Ney's formulas.
        ([(0, 0, False)], [(0, 0, False)], 0, 1, 1),
        ([(0, 0, False), (1, 1, False)], [(0, 0, False), (1, 1, True)], 0, 1, 1),
        ([(1, 1, False)], [(0, 0, False), (1, 1, True)], 1 - 1 / 2, 1, 0),
        ([(0, 0, False), (2, 2, False)], [(0, 0, False), (1, 1, False)], 1 - 2 / 4, 1 / 2, 1 / 2),
        ([], [(0, 0, False)], 1, 1, 0),
        ([(0, 0, False)], [], 1, 0, 1),
        ([], [], 0, 1, 1),
        ([], [(0, 0, True)], 0, 1, 1),
        # Without sure links the rate is one minus precision.
        ([(0, 0, False), (1, 1, False)], [(0, 0, True)], 1 / 2, 1 / 2, 1),
        # The system's own marks do not matter.
        ([(0, 0, True), (1, 1, True)], [(0, 0, False), (1, 1, True)], 0, 1, 1),
    ],
)
def test_values(system: Row, gold: Row, aer: float, precision: float, recall: float) -> None:
    assert value(AlignmentErrorRate(), system, gold) == pytest.approx(aer)
    assert value(AlignmentPrecision(), system, gold) == pytest.approx(precision)
    assert value(AlignmentRecall(), system, gold) == pytest.approx(recall)


@given(pairs(8), pairs(8), st.lists(st.booleans(), min_size=8, max_size=8))
def test_values_of_another_tool(
    system: list[tuple[int, int]], gold: list[tuple[int, int]], flags: list[bool]
) -> None:
    sure = [link for link, possible in zip(gold, flags, strict=False) if not possible]
    assume(system or sure)
    expected = alignment_error_rate(NltkAlignment(sure), NltkAlignment(system), NltkAlignment(gold))
    marked = [(s, t, (s, t) not in sure) for s, t in gold]
    found = value(AlignmentErrorRate(), [(s, t, False) for s, t in system], marked)
    assert found == pytest.approx(expected)


def test_the_corpus_pools_the_counts() -> None:
    system: list[Row] = [[(0, 0, False)], [(0, 0, False), (1, 1, False), (2, 2, False)], []]
    gold: list[Row] = [[(0, 0, False)], [(0, 1, False), (1, 1, True)], []]
    segments = judged(system, gold)
    score = AlignmentErrorRate().corpus_score(segments)
    assert score.value == pytest.approx(1 - (1 + 2) / (4 + 2))
    assert (score.segments, score.skipped) == (3, 0)
    assert AlignmentPrecision().corpus_score(segments).value == pytest.approx(2 / 4)
    assert AlignmentRecall().corpus_score(segments).value == pytest.approx(1 / 2)


@pytest.mark.parametrize("metric", METRICS)
def test_conformance(metric: type[LinkCountMetric]) -> None:
    rng = np.random.default_rng(3)
    rows: list[list[Row]] = [[], []]
    for column in rows:
        for n in range(12):
            drawn = rng.choice(36, n, replace=False).tolist()
            column.append([(k // 6, k % 6, bool(rng.integers(2))) for k in drawn])
    check_metric(metric(), judged(rows[0], rows[1][::-1]))
    check_metric(metric(), judged([], []))


@pytest.mark.parametrize("metric", METRICS)
def test_gold_alignments_are_needed(metric: type[LinkCountMetric]) -> None:
    links = Alignments.from_rows([[(0, 0)]])
    segments = Segments.from_alignments(["a"], ["b"], ["c"], links, links)
    with pytest.raises(UsageError, match="gold alignments of the same sentence pairs are missing"):
        metric().statistics(segments)


@pytest.mark.parametrize("name", ["aer", "precision", "recall"])
def test_nothing_at_all(name: str) -> None:
    refuses(InputError, "no segments", wo.Accumulator(wo.metric(name)).compute)


def test_a_sum_of_precision_and_recall() -> None:
    system, gold = (wo.Alignments.from_rows([row]) for row in ([(0, 0)], [(0, 0), (1, 1)]))
    segments = wo.Segments.from_links(system, gold)
    both = wo.metric("mix", formula="0.5*precision+0.5*recall").corpus_score(segments)
    assert both.value == 0.75
