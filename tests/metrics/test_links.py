"""Metrics of links: alignments against gold ones, and translations against their source."""

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, strategies as st
from nltk.translate import Alignment as NltkAlignment
from nltk.translate.metrics import alignment_error_rate
from scipy import stats
from tests import oracles_lrscore as oracles, oracles_notations as notations
from tests.clocks import within
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.alignments import Alignments, Links
from wordorder.errors import UsageError
from wordorder.metrics.link_metrics import (
    AlignmentErrorRate,
    AlignmentPrecision,
    AlignmentRecall,
    LinkCountMetric,
    count_links,
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


def check_counts(system: list[Row], gold: list[Row]) -> None:
    expected = [
        [*notations.link_counts([(s, t) for s, t, _ in a], g), 1]
        for a, g in zip(system, gold, strict=True)
    ]
    assert count_links(judged(system, gold)).tolist() == expected


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
    assert count_links(judged(system, gold)).shape == (len(rows), 5)
    check_counts(system, gold)


@pytest.mark.parametrize("links", [0, 1, 2, 63, 64, 65, 127, 128, 129])
def test_long_rows(links: int) -> None:
    rng = np.random.default_rng(links)
    rows = []
    for _ in range(6):
        drawn = rng.choice(400, links, replace=False).tolist()
        rows.append([(n // 20, n % 20, bool(rng.integers(2))) for n in drawn])
    check_counts(rows[:3], rows[3:])


def test_far_positions() -> None:
    """Positions whose places in the table collide."""
    far = [(s * 4096, t * 65536, False) for s in range(16) for t in range(16)]
    assert count_links(judged([far], [far[::2]])).tolist() == [[256, 128, 128, 128, 1]]


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
    message = "gold alignments of the same sentence pairs are missing"
    refuses(UsageError, message, metric().statistics, segments)


def test_a_sum_of_precision_and_recall() -> None:
    system, gold = (wo.Alignments.from_rows([row]) for row in ([(0, 0)], [(0, 0), (1, 1)]))
    segments = wo.Segments.from_links(system, gold)
    both = wo.metric("mix", formula="0.5*precision+0.5*recall").corpus_score(segments)
    assert both.value == 0.75


# -- Metrics of a translation's links with its source, against definitions and scipy.


Rows = list[tuple[int, int, list[tuple[int, int]]]]
LENGTHS = [0, 1, 2, 3, 5, 8, 63, 64, 65, 127, 128, 129, 191, 192, 193, 200]
NAMES = ("anticipation", "non-monotonicity", "unaligned", "synchrony")


def segments(rows: Rows) -> wo.Segments:
    """Segments of source length, target length and links."""
    return wo.Segments.from_alignments(
        [["s"] * source for source, _, _ in rows],
        [["t"] * target for _, target, _ in rows],
        [[] for _ in rows],
        wo.Alignments.from_rows([links for *_, links in rows]),
    )


def scores(name: str, rows: Rows, **options: Any) -> list[float]:
    found: list[float] = wo.metric(name, **options).segment_scores(segments(rows)).tolist()
    return found


def corpus(name: str, rows: Rows, **options: Any) -> wo.Score:
    score: wo.Score = wo.metric(name, **options).corpus_score(segments(rows))
    return score


def random_rows(seed: int) -> Rows:
    generator = np.random.default_rng(seed)
    rows: Rows = []
    for source in LENGTHS:
        target = int(generator.integers(0, source + 4))
        links: list[tuple[int, int]] = []
        if source and target:
            count = int(generator.integers(0, 2 * source))
            pairs = {
                (int(generator.integers(source)), int(generator.integers(target)))
                for _ in range(count)
            }
            links = [list(pairs)[i] for i in generator.permutation(len(pairs))]
        rows.append((source, target, links))
    return rows


@st.composite
def drawn_rows(draw: st.DrawFn) -> Rows:
    rows: Rows = []
    for _ in range(draw(st.integers(1, 4))):
        source, target = draw(st.integers(0, 6)), draw(st.integers(0, 6))
        cells = [(s, t) for s in range(source) for t in range(target)]
        links = draw(st.lists(st.sampled_from(cells), unique=True)) if cells else []
        rows.append((source, target, links))
    return rows


def check_against_definitions(rows: Rows) -> None:
    for k in (1, 2, 3):
        wanted = [oracles.anticipated(links, t, k) / t if t else np.nan for _, t, links in rows]
        np.testing.assert_array_equal(scores("anticipation", rows, k=k), wanted)
    for side, name in enumerate(("source", "target")):
        words = [(row[:2][side], row[2]) for row in rows]
        wanted = [oracles.unaligned(links, n, side) / n if n else np.nan for n, links in words]
        np.testing.assert_array_equal(scores("unaligned", rows, side=name), wanted)
    wanted = [
        float(oracles.off_diagonal(links, s, t) / len(links)) if links else np.nan
        for s, t, links in rows
    ]
    assert scores("non-monotonicity", rows) == pytest.approx(wanted, abs=1e-15, nan_ok=True)
    for correlation, tool in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        for value, (_, _, links) in zip(
            scores("synchrony", rows, correlation=correlation), rows, strict=True
        ):
            sides = list(zip(*links, strict=True))
            if not links:
                assert np.isnan(value)
            elif len(set(sides[0])) < 2 or len(set(sides[1])) < 2:
                assert value == 1
            else:
                assert value == pytest.approx((tool(*sides).statistic + 1) / 2, abs=1e-12)


@given(drawn_rows())
def test_short_rows(rows: Rows) -> None:
    check_against_definitions(rows)


@pytest.mark.parametrize("seed", range(3))
def test_rows_at_the_kernels_boundaries(seed: int) -> None:
    check_against_definitions(random_rows(seed))


def test_a_wait_k_translator_anticipates_what_he_has_not_heard() -> None:
    """Before word j of wait-k, min(j + k - 1, S) source words have been read."""
    for source, target, links in random_rows(5):
        for k in (1, 2, 5):
            heard = [min(j + k - 1, source) for j in range(1, target + 1)]
            unheard = {t for s, t in links if s + 1 > heard[t]}
            value = scores("anticipation", [(source, target, links)], k=k)
            assert value == [len(unheard) / target if target else 0.0]


def test_literal_script() -> None:
    """What compute_scores.py of vyraun/literalness prints for these rows, by hand, without its 100.

    Its first figure sums unaligned and all source words of the corpus; its second is the mean over
    sentences with links of mean |(i + 1) / S - (j + 1) / T|.
    """
    rows: Rows = [(4, 2, [(0, 1), (3, 0)]), (2, 2, [(0, 0), (1, 1)]), (3, 1, [])]
    assert corpus("unaligned", rows).value == 5 / 9
    score = corpus("non-monotonicity", rows)
    assert score.value == ((0.75 + 0.5) / 2 + 0) / 2
    assert (score.segments, score.skipped) == (3, 1)


def test_averages() -> None:
    rows: Rows = [(4, 4, [(1, 0), (0, 1)]), (2, 1, [(1, 0)]), (0, 0, []), (2, 2, [])]
    assert corpus("anticipation", rows).value == 2 / 7
    assert corpus("anticipation", rows, average="segment").value == (1 / 4 + 1 + 0) / 3
    assert corpus("unaligned", rows).value == (2 + 1 + 2) / 8
    assert corpus("unaligned", rows, average="segment").value == (1 / 2 + 1 / 2 + 1) / 3
    assert corpus("non-monotonicity", rows).value == (1 / 4 + 0) / 2
    assert corpus("non-monotonicity", rows, average="micro").value == (1 / 4 + 1 / 4 + 0) / 3
    assert corpus("synchrony", rows).value == (0 + 1) / 2
    skipped = {name: corpus(name, rows).skipped for name in NAMES}
    assert skipped == {"anticipation": 1, "unaligned": 1, "non-monotonicity": 2, "synchrony": 2}


def test_monotone_and_inverted() -> None:
    for n in (2, 3, 64, 200):
        straight = [(i, i) for i in range(n)]
        inverted = [(i, n - 1 - i) for i in range(n)]
        rows = [(n, n, straight), (n, n, inverted)]
        for correlation in ("spearman", "kendall"):
            assert scores("synchrony", rows, correlation=correlation) == [1.0, 0.0]
        assert scores("non-monotonicity", rows)[0] == 0
        assert scores("anticipation", rows)[0] == 0


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("anticipation", {"k": 2}),
        ("anticipation", {"average": "segment"}),
        ("non-monotonicity", {}),
        ("non-monotonicity", {"average": "micro"}),
        ("unaligned", {}),
        ("unaligned", {"side": "target", "average": "segment"}),
        ("synchrony", {}),
        ("synchrony", {"correlation": "kendall"}),
    ],
)
def test_contract(name: str, options: dict[str, Any]) -> None:
    check_metric(wo.metric(name, **options), segments(random_rows(1)))


def test_signatures() -> None:
    assert str(wo.metric("anticipation", k="3").signature()) == (
        f"anticipation|k:3|average:micro|v:{wo.__version__}"
    )
    fields = wo.metric("synchrony", correlation="kendall").signature().fields
    assert fields == (("correlation", "kendall"),)
    assert wo.metric("unaligned", side="target").signature().fields[0] == ("side", "target")
    assert wo.metric("non-monotonicity").signature().fields == (("average", "segment"),)


def test_errors() -> None:
    for bad in (0, -1, 1.5, True):
        refuses(UsageError, "k is a whole number from 1 to", wo.metric, "anticipation", k=bad)
    refuses(UsageError, "anticipation.k is a number", wo.metric, "anticipation", k="x")
    refuses(UsageError, "legal names: source, target", wo.metric, "unaligned", side="hypothesis")
    with pytest.raises(UsageError, match="legal names: kendall, spearman"):
        wo.metric("synchrony", correlation="pearson")
    with pytest.raises(UsageError, match="no word alignments"):
        wo.metric("unaligned").corpus_score(wo.Segments.from_permutations([[0]]))
    unknown = wo.Segments(links=Links(wo.Alignments.from_rows([[(0, 0)]]), None), _checked=True)
    with pytest.raises(UsageError, match="needs the lengths of the sentences"):
        wo.metric("unaligned").corpus_score(unknown)


def test_long_rows_are_near_linear() -> None:
    n = 100_000
    generator = np.random.default_rng(1)
    order = generator.permutation(n).tolist()
    rows: Rows = [(n, n, list(enumerate(order)))]
    held = segments(rows)
    for name in NAMES:
        with within(3.0, name):
            wo.metric(name).segment_scores(held)
    rho = stats.spearmanr(range(n), order).statistic
    assert scores("synchrony", rows)[0] == pytest.approx((rho + 1) / 2, abs=1e-12)
