"""Findings: ranked, and worth as much as the tables that they come from."""

import re

import pytest

from wordorder.analysis.files import analyze_files
from wordorder.analysis.section import (
    OF_A_SECTION,
    Analysis,
    Finding,
    ScoreIntervals,
    Section,
    answer_sentence,
    top_findings,
)
from wordorder.samples import sample_path
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.paired_tests import Comparison, PairTest


@pytest.fixture(scope="module")
def analysis() -> Analysis:
    """Return the sample under two rule sets; every fourth dependency of the parser is wrong."""
    trees = str(sample_path("trees.conllu"))
    return analyze_files(
        str(sample_path("reference.orders")),
        trees=(f"P1={trees}",),
        rule_sets=("R1", "R5"),
        gold_trees=trees,
        resamples=100,
    )


def section(key: str, *findings: Finding) -> Section:
    return Section(key, key, "", (), (), findings=findings)


def test_the_findings_that_explain_most_come_first() -> None:
    one = section("one", Finding("a", 0.5), Finding("b", 2.0), Finding("c", 0.7), Finding("0", 0))
    two = section("two", Finding("d", 1.0, (3,)), Finding("e", 2.0))
    # As much as another one, shown by the same sentences: the same words by another name.
    three = section("three", Finding("f", 1.0, (3,)), Finding("g", 1.0, (4,)))
    found = [(finding.sentence, key) for finding, key in top_findings([one, two, three])]
    assert found == [("b", "one"), ("e", "two"), ("d", "two"), ("g", "three"), ("c", "one")]
    assert [each.sentence for each, _ in top_findings([one, two, three], 2)] == ["b", "e"]


def test_findings_are_worth_what_their_tables_say(analysis: Analysis) -> None:
    sections = {each.key: each for each in analysis.sections}
    for key in ("words-by-form", "words-by-upos", "boundaries-by-label"):
        table = sections[key]
        column = table.header.index("FRS lost x100")
        lost = sorted((float(str(row[column])) for row in table.rows), reverse=True)
        assert [each.explained for each in table.findings] == lost[: len(table.findings)]
        assert table.findings
    assert len(sections["words-by-form"].findings) == OF_A_SECTION
    # All that the system lacks is what the words of all distances lose.
    frs = next(
        float(str(row[1]))
        for row in sections["systems"].rows
        if str(row[0]) == sections["words-by-form"].title.split(": ")[-1]
    )
    distances = sections["words-by-distance"]
    column = next(i for i, name in enumerate(distances.header) if "FRS lost" in name)
    total = sum(float(str(row[column])) for row in distances.rows)
    assert total == pytest.approx(100 * (1 - frs))
    for table in analysis.sections:
        for finding in table.findings:
            assert 0 < finding.explained <= total
            stated = re.search(r"([0-9.]+) of the ([0-9.]+) points", finding.sentence)
            if stated:
                assert float(stated[1]) == pytest.approx(finding.explained, abs=0.051)
                assert float(stated[2]) == pytest.approx(total, abs=0.051)


def test_each_number_says_what_it_comes_from(analysis: Analysis) -> None:
    signed = {each.key for each in analysis.sections if each.signature}
    assert {"systems", "words-by-form", "rules", "score-by-length"} <= signed
    # Counts of trees are no scores.
    assert "imperatives" not in signed


def answer(
    mark: str, difference: float, higher: bool = True, interval: tuple[float, float] | None = None
) -> str:
    """Return the answer on systems B and A that differ so much."""
    estimates = tuple(
        Estimate(value, value - 0.05, value + 0.05) for value in (0.5, 0.5 + difference)
    )
    intervals = ScoreIntervals("frs", ("B", "A"), estimates, higher, "frs|v:1")
    pair = PairTest(0, 1, difference, None, interval, 0.0412, mark)
    test = Comparison("bootstrap", 1000, 1, higher, (0.5, 0.5 + difference), (pair,))
    return answer_sentence(intervals, test)


def test_the_answer_names_the_best_system_and_how_sure_that_is() -> None:
    assert answer("+**", 0.125) == (
        "A orders words best: its fuzzy reordering score (FRS) is 0.6250 (95 % interval 0.5750 to "
        "0.6750), 12.5 points above that of B; the difference is significant (p = 0.041, 1,000 "
        "resamples)."
    )
    assert answer("+**", -0.125, higher=False).startswith("A orders words best: ")
    assert "12.5 points below that of B" in answer("+**", -0.125, higher=False)
    for mark in ("0", "+*"):
        assert answer(mark, 0.125).startswith("No system is surely best: A has the highest ")
        assert "the difference is not significant (p = 0.041" in answer(mark, 0.125)
    decides = answer("0", 0.125, interval=(-0.011, 0.26))
    assert "not significant (95 % interval of the difference -1.1 to +26.0 points)." in decides
    assert answer("0", 0.0).startswith("No system is best: B and A have the same highest ")
    assert answer("-**", -0.125).startswith("B orders words best: ")


def test_one_finding_of_a_theme() -> None:
    """Three tables of the same words do not fill the first screen."""
    themes = {"frequency": "words", "length": "words", "moved": "", "tag": "words", "long": ""}
    sections = [
        Section(key, key, "", (), (), findings=(Finding(f"{key}.", points, theme=theme),))
        for points, (key, theme) in enumerate(themes.items(), 1)
    ]
    assert [key for _, key in top_findings(sections)] == ["long", "tag", "moved"]
