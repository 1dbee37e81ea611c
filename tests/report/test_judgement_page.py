"""The page of a meta-evaluation: what it shows, that it is safe, and how large it may be."""

import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import numpy as np
import pytest
from tests.notes import noted
from tests.report.meta_evaluations import hostile_meta, large_meta, small_meta, some_set

from wordorder.errors import UsageError
from wordorder.judgement import MetaEvaluation
from wordorder.judgement.correlations import best_first
from wordorder.metrics.registry import called
from wordorder.report.agreement_reading import plain_reading, set_reading, triangle_marks
from wordorder.report.judgement_page.page import (
    judgement_page,
    overviews,
    set_views,
    write_judgement_page,
)


@pytest.fixture(scope="module")
def small() -> str:
    return judgement_page(small_meta(), notes=["12 % of the segments were judged <twice>."])


def test_everything_is_on_the_page(small: str) -> None:
    text = unescape(re.sub(r"<[^>]*>", "", small))
    for part in (
        "judged ja-en: pearson of systems",
        "judged ja-en: acc-eq of segments",
        "chrF agrees with people best: its scores of systems and theirs agree by 0.9500 "
        "[0.8500, 0.9900], where 1 would be full agreement, 0 none; one other metric cannot be "
        "told apart from it.",
        "chrf agrees best with people: pearson 0.9500 [0.8500, 0.9900] (n = 6); the test "
        "(perm-both, 95 %) does not tell it from frs.",
        "With 6 systems only |r| > 0.81 differs from 0.",
        "perm-both, 1000 resamples, seed 12345",
        "The test tells 2 groups apart (95 %), best first: chrf and frs; per.",
        "frs|match:index|v:1.0.0rc1",
        "12 % of the segments were judged <twice>.",
    ):
        assert part in text, part
    # Two pictures of intervals, six of metrics, six strips in the overview.
    assert len(re.findall("<svg ", small)) == 2 + 6 + 6


def test_what_may_be_chance_is_no_agreement() -> None:
    """Five systems: the interval of the best correlation includes 0; half of the pairs, 0.5."""
    one = small_meta().sets[0]
    low = [replace(row, low=-0.13, high=0.99) for row in one.rows]
    for said in (set_reading(replace(one, rows=low)), plain_reading(replace(one, rows=low))):
        assert said.startswith("No metric is shown to agree with people")
    shares = [replace(row, value=0.55, low=0.48, high=0.6) for row in one.rows]
    unsure = replace(one, rows=shares, statistic="accuracy")
    assert set_reading(unsure).startswith("No metric is shown to agree with people")
    assert "in 55.0 % of pairs [48.0, 60.0]" in plain_reading(unsure)
    for sure in (one, replace(one, rows=[replace(low[0], low=0.1), *low[1:]])):
        assert "No metric" not in set_reading(sure) + plain_reading(sure)
    alone = set_reading(replace(one, rows=low[:1]))
    assert alone.endswith("(n = 6); the interval includes chance.")
    backwards = [replace(row, value=-0.9, low=-0.99, high=-0.13) for row in one.rows]
    assert "and the interval is below chance." in set_reading(replace(one, rows=backwards))


def test_one_cluster_may_hold_pairs_that_differ() -> None:
    """The best beats the last, and neither differs from the one between: a chain, no equality."""
    one = small_meta().sets[0]
    p = np.full((3, 3), 0.4)
    order = [place for place, _ in sorted(enumerate(one.rows), key=lambda row: -row[1].value)]
    p[order[0], order[2]], p[order[2], order[0]] = 0.01, 0.99
    chained = replace(one, rows=[replace(row, cluster=1) for row in one.rows], p_values=p)
    page = unescape(re.sub(r"<[^>]*>", "", judgement_page(MetaEvaluation([chained]))))
    best, last = (one.rows[order[place]].metric for place in (0, 2))
    assert f"{best} is better than {last} (95 %)" in page
    assert "stay together" not in page


@pytest.mark.parametrize(
    ("p", "said"),
    [
        (0.01, "; it is surely better than all others."),
        (0.5, "; two other metrics cannot be told apart from it."),
        (np.nan, "; two other metrics cannot be told apart from it."),
        (None, "; no test says whether it is really better than the others."),
    ],
)
def test_the_first_sentence_is_in_words(p: float | None, said: str) -> None:
    """A share of pairs is a percentage; the answer stands before everything else."""
    one = small_meta().sets[1]
    rows = [
        replace(row, statistic="acc-eq", value=value, low=value - 0.011, high=value + 0.011)
        for row, value in zip(one.rows, (0.6, 0.682, 0.5), strict=True)
    ]
    p_values = None if p is None else np.full((3, 3), p)
    page = judgement_page(MetaEvaluation([replace(one, rows=rows, p_values=p_values)]))
    name = rows[1].metric
    answer = f"{called(name)} agrees with people most often: in 68.2 % of pairs [67.1, 69.3]{said}"
    assert unescape(page[page.index("<h1") :]).index(answer) < page.index("Overview")
    assert page.count(answer) == 2


def test_the_page_is_one_file_under_a_policy_and_text_is_escaped(small: str) -> None:
    assert small.count("<script") == small.count("<style") == 1
    assert "default-src &#39;none&#39;" in small
    assert not re.search(r'(?:src|href)="(?!#)', small)
    assert not re.search(r"\s(?:on\w+|style)=", re.sub(r"<(script|style)>.*?</\1>", "", small))
    payload = "<img src=x onerror=alert(1)>"
    page = judgement_page(hostile_meta(payload), title=payload, notes=[payload])
    assert payload not in page
    assert unescape(page).count(payload) > 20


def test_equal_results_give_equal_pages_in_files_too(small: str, tmp_path: Path) -> None:
    again = judgement_page(small_meta(), notes=["12 % of the segments were judged <twice>."])
    assert small == again
    path = tmp_path / "page.html"
    write_judgement_page(small_meta(), path, notes=["12 % of the segments were judged <twice>."])
    assert path.read_text("utf-8") == small


def test_pictures_are_left_out_where_there_is_no_room() -> None:
    meta = large_meta(400)
    whole = judgement_page(meta)
    frame = len(judgement_page(replace(meta, sets=meta.sets[:0])))
    limit = (len(whole.encode()) + frame) // 2
    page = judgement_page(meta, limit=limit)
    assert limit - 50_000 < len(page.encode()) <= limit
    assert "Not drawn, to keep this page small" in page
    # The best metric of each set has its picture.
    assert page.count("<figure>") >= 4
    with noted("the page has .* bytes, more than 10"):
        judgement_page(small_meta(), limit=10)
    with pytest.raises(UsageError, match="limit"):
        judgement_page(meta, limit=-1)


def test_a_metric_without_a_number_says_why() -> None:
    meta = large_meta(20)
    page = judgement_page(meta)
    assert "only 2 systems have scores" in page
    assert "nan" not in re.sub(
        r"<style>.*?</style>|<script>.*?</script>", "", page, flags=re.DOTALL
    )
    (row,) = (
        cells for metric, cells in overviews(meta)[0].rows if metric == meta.sets[1].rows[-1].metric
    )
    assert [cell.value == "" for cell in row] == [False, True, False]


def test_empty_columns_are_not_shown() -> None:
    meta = small_meta()
    (view, other) = set_views(meta)
    assert view.columns == other.columns == ("value", "low", "high", "n", "cluster")
    rows = [
        replace(row, low=np.nan, high=np.nan, cluster=None, threshold=0.125)
        for row in meta.sets[0].rows
    ]
    (view,) = set_views(MetaEvaluation([replace(meta.sets[0], rows=rows)]))
    assert view.columns == ("value", "n", "tie up to")
    assert view.rows[0][1] == (0.95, 6, 0.125)
    assert not view.reasons


def test_the_overview_puts_sets_beside_each_other() -> None:
    found = overviews(large_meta(5))
    assert [each.title for each in found] == ["pearson of systems", "acc-eq of segments"]
    assert found[1].columns == (("wmt13 de-en", "set-3"), ("wmt13 fr-en", "set-4"), ("mean", ""))
    # Cluster 1 has two metrics.
    assert [cells[0].best for _, cells in found[0].rows] == [True, True] + [False] * 18
    # Where there is one cluster alone, no metric is marked as the best.
    one = some_set("a", ("x", "y"), ("A", "B", "C"), 5)
    ((_, (first,)), (_, (second,))) = overviews(MetaEvaluation([one]))[0].rows
    assert (first.cluster, first.best, second.best) == (1, False, False)
    # Without a mean, the first set decides on the order; its own metrics come first.
    one = some_set("a", ("x", "y"), ("A", "B", "C"), 5)
    other = some_set("b", ("z", "y", "x"), ("A", "B", "C"), 5)
    rows = overviews(MetaEvaluation([one, other]))[0].rows
    assert [metric for metric, _ in rows] == ["x", "y", "z"]
    assert [cell.value for cell in rows[2][1]] == ["", "0.9500"]


def test_the_best_comes_first_and_marks_say_which_is_better() -> None:
    rows = list(some_set("a", ("w", "x", "y", "z"), ("A", "B"), 5).rows)
    # The second cluster has the higher value; one metric has none at all.
    rows[3] = replace(rows[3], value=0.99)
    rows[0] = replace(rows[0], value=np.nan, cluster=None)
    assert best_first(rows) == [1, 3, 2, 0]
    errors = [replace(row, statistic="pce", cluster=None) for row in rows]
    assert best_first(errors) == [2, 1, 3, 0]
    found = some_set("a", ("x", "y", "z"), ("A", "B"), 5)
    p = np.array([[np.nan, 0.07, 0.5], [0.93, np.nan, 0.99], [0.5, 0.01, np.nan]])
    # x is better than y at 90 %, z better than y at 95 %.
    assert triangle_marks(replace(found, p_values=p), [0, 1, 2]) == [["-*", "0"], ["+**"]]
    assert triangle_marks(replace(found, p_values=p), [1, 0, 2]) == [["+*", "+**"], ["0"]]


def test_sentences() -> None:
    found = some_set("a", ("x", "y", "z"), ("A", "B"), 5, tested=False)
    assert set_reading(found) == (
        "x agrees best with people: pearson 0.9500 [0.8500, 0.9900] (n = 2); no test says whether "
        "it is really better than y or z."
    )
    assert set_views(MetaEvaluation([found]))[0].tests is None
    tested = some_set("a", ("x", "y", "z"), ("A", "B"), 5)
    sure = np.where(np.triu(np.ones((3, 3)), 1) > 0, 0.05, 0.95)
    alone = set_reading(replace(tested, p_values=sure))
    assert alone.endswith("the test (perm-both, 95 %) finds it better than both others.")
    # What counts is the test of the two: a cluster may hold metrics that are worse than the best.
    together = replace(tested, rows=[replace(row, cluster=1) for row in tested.rows])
    assert set_reading(together).endswith("the test (perm-both, 95 %) does not tell it from y.")
    empty = [replace(row, value=np.nan, reason="too few systems") for row in tested.rows]
    assert set_reading(replace(tested, rows=empty)) == "No metric has a number: too few systems."


def test_documents_are_drawn_where_their_scores_are_known() -> None:
    found = replace(some_set("a", ("x",), ("A", "B"), 5), unit="document")
    assert found.to_svg("x") == ""
    assert "not known" in judgement_page(MetaEvaluation([found]))
    known = replace(
        found,
        human=replace(found.human, documents=np.zeros((2, 3))),
        metrics=[replace(found.metrics[0], documents=np.ones((2, 3)))],
    )
    assert known.to_svg("x").count("<circle") == 6
    found = some_set("a", ("wer",), ("A", "B"), 5)
    table = replace(found.metrics[0], higher_is_better=False).better_higher()
    assert ">wer (negated)</text>" in replace(found, metrics=[table]).to_svg("wer")
    assert "negated" not in found.to_svg("wer")


def test_notebooks_show_it() -> None:
    meta = small_meta()
    # Of each set the intervals and three metrics.
    assert meta._repr_html_().count("<svg ") == 2 * (1 + 3)
    with pytest.raises(UsageError, match="unknown metric 'fr' .did you mean 'frs'"):
        meta.sets[0].to_svg("fr")
    shown = hostile_meta("<script>").sets[0]._repr_html_()
    assert "<script>" not in shown
    table = meta.sets[0].metrics[0]._repr_html_()
    assert table.count("<tr>") == 7
    assert "<th>alder</th><td>0.39" in table or "<th>alder</th><td>0.40" in table
