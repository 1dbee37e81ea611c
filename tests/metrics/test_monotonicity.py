"""Metrics of a translation's links with its source, against definitions and scipy."""

import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy import stats
from tests import oracles_lrscore as oracles
from tests.refusing import refuses

import wordorder as wo
from wordorder.alignment.alignments import Links
from wordorder.errors import UsageError
from wordorder.testing import check_metric

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
        wanted = [oracles.anticipated(links, t, k) / t if t else 0.0 for _, t, links in rows]
        assert scores("anticipation", rows, k=k) == wanted
    for side, name in enumerate(("source", "target")):
        words = [(row[:2][side], row[2]) for row in rows]
        wanted = [oracles.unaligned(links, n, side) / n if n else 0.0 for n, links in words]
        assert scores("unaligned", rows, side=name) == wanted
    wanted = [
        float(oracles.off_diagonal(links, s, t) / len(links)) if links else 0.0
        for s, t, links in rows
    ]
    assert scores("non-monotonicity", rows) == pytest.approx(wanted, abs=1e-15)
    for correlation, tool in (("spearman", stats.spearmanr), ("kendall", stats.kendalltau)):
        for value, (_, _, links) in zip(
            scores("synchrony", rows, correlation=correlation), rows, strict=True
        ):
            sides = list(zip(*links, strict=True))
            if not links:
                assert value == 0
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
        start = time.process_time()
        wo.metric(name).segment_scores(held)
        assert time.process_time() - start < 3.0, name
    rho = stats.spearmanr(range(n), order).statistic
    assert scores("synchrony", rows)[0] == pytest.approx((rho + 1) / 2, abs=1e-12)
