"""The whole analysis: its sections and findings, which do not contradict each other."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.analysis.corpora import random_case
from tests.cli.running import ALIGNMENTS, REFERENCE, SOURCE, SYSTEMS, TARGET, TREES, call, write
from tests.notes import noted
from tests.refusing import refuses

from wordorder.analysis import analyze_files, evaluate_files
from wordorder.analysis.analysed import Analysis
from wordorder.analysis.analyze import analyze, focus_systems
from wordorder.analysis.answer import ScoreIntervals, answer_sentence
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem, Corpus, scored_system
from wordorder.analysis.findings import MAX_OF_SECTION, top_findings
from wordorder.analysis.section import Finding, Section
from wordorder.errors import InputError, UsageError
from wordorder.metrics.registry import metric
from wordorder.order.orders import Orders
from wordorder.order.reading import read_orders
from wordorder.reordering.rules import open_rules
from wordorder.report.grids import grid_table, sensitivity_output
from wordorder.report.sections import analysis_json
from wordorder.samples import sample_path
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.paired_tests import Comparison, PairTest
from wordorder.text.display import Marked
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Treebank

FRS = metric("frs")


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    gold = read_treebank(sample_path("trees.conllu"))
    return Corpus(gold, read_orders(sample_path("reference.orders")), gold=gold)


@pytest.fixture(scope="module")
def systems(corpus: Corpus) -> list[AnalysedSystem]:
    """The gold trees, and trees with the labels of some words wrong, under two rule sets."""
    gold = corpus.words
    codes = gold.label.codes.copy()
    obj, nsubj = (gold.label.vocabulary.words.index(label) for label in ("obj", "nsubj"))
    codes[codes == obj] = nsubj
    wrong = gold.replace(label=type(gold.label)(codes, gold.label.vocabulary))
    rules = [open_rules("R1"), open_rules("R4")]
    return [
        scored_system(f"P{p}R{r}", each.orders(bank), corpus, FRS, treebank=bank, rules=each)
        for p, bank in enumerate((gold, wrong), 1)
        for r, each in zip((1, 4), rules, strict=True)
    ]


@pytest.fixture(scope="module")
def analysis(corpus: Corpus, systems: list[AnalysedSystem]) -> Analysis[AnalysedOrders]:
    return analyze(corpus, systems, metric=FRS, words=["Press"], rows=8, resamples=100)


def test_all_sections_are_sound(analysis: Analysis[AnalysedOrders]) -> None:
    keys = [section.key for section in analysis.sections]
    assert len(set(keys)) == len(keys)
    for section in analysis.sections:
        assert re.fullmatch("[a-z0-9-]+", section.key)
        assert section.title
        assert section.reading.endswith("."), section.key
        assert len(set(section.header)) == len(section.header), section.key
        assert len(section.rows) <= 8 or "-by-" in section.key
        assert all(len(row) == len(section.header) for row in section.rows), section.key
        assert len(section.examples) in (0, len(section.rows)), section.key
        for row in section.rows:
            for value in row:
                assert value is None or type(value) in (str, Marked, int, float), (
                    section.key,
                    value,
                )
                assert not isinstance(value, float) or np.isfinite(value)
        for row in section.examples:
            assert all(type(i) is int and 0 <= i < len(analysis.analysed.corpus.words) for i in row)


def test_what_trees_and_gold_trees_make_possible_is_there(
    analysis: Analysis[AnalysedOrders],
) -> None:
    keys = {section.key for section in analysis.sections}
    assert {
        *("systems", "worst-sentences", "worst-sentences-2", "sentence-differences"),
        *("words-by-form", "words-by-lemma", "words-by-upos", "words-by-xpos", "words-by-label"),
        *("words-by-form-2", "boundaries-by-label", "boundaries-by-upos-2", "words-by-distance"),
        *("score-by-length", "score-by-depth", "score-by-projectivity", "imperatives"),
        *("label-confusions", "label-confusions-2", "tag-table-1", "rules", "rules-2"),
    } <= keys


def test_without_trees_the_rest_is_there(corpus: Corpus) -> None:
    bare = Corpus(
        corpus.words.replace(heads=np.full_like(corpus.words.heads, -1)), corpus.reference
    )
    orders = open_rules("R5").orders(corpus.words)
    system = scored_system("A", orders, bare, FRS)
    keys = [section.key for section in analyze(bare, [system], metric=FRS).sections]
    assert keys[0] == "systems"
    assert not {"rules", "score-by-depth", "label-confusions", "imperatives"} & set(keys)
    assert "sentence-differences" not in keys


def test_tables_add_up_to_what_the_system_lacks(
    corpus: Corpus, systems: list[AnalysedSystem]
) -> None:
    found = analyze(corpus, systems, metric=FRS, focus=["P2R4"], rows=10_000, resamples=10)
    (overview,) = (section for section in found.sections if section.key == "systems")
    value = next(float(str(row[1])) for row in overview.rows if row[0] == "P2R4")
    tables = [s for s in found.sections if s.key.startswith(("words-by", "boundaries-by"))]
    assert len(tables) == 9
    for section in tables:
        at = next(i for i, name in enumerate(section.header) if name.startswith("FRS lost x100"))
        lost = sum(float(str(row[at])) for row in section.rows)
        assert lost == pytest.approx(100 * (1 - value), abs=1e-9), section.key


def test_the_best_system_is_looked_at_and_its_rival(systems: list[AnalysedSystem]) -> None:
    """P1R4 is best; of the others with the same rules P2R4 has other trees."""
    assert focus_systems(systems) == (1, 3)
    assert focus_systems(systems, ["P2R1", "P1R1"]) == (2, 0)
    assert focus_systems(systems[:1]) == (0,)
    bare = [replace(system, rules=None) for system in systems]
    means = [float(system.scores.mean()) for system in systems]
    assert focus_systems(bare) == tuple(sorted(range(4), key=lambda i: -means[i])[:2])
    assert focus_systems(bare, higher_is_better=False)[0] == int(np.argmin(means))
    refuses(UsageError, "unknown system 'P9'", focus_systems, systems, ["P9"])
    refuses(UsageError, "listed twice", focus_systems, systems, ["P1R1", "P1R1"])


def test_one_parser_is_held_against_another_without_gold(
    corpus: Corpus, systems: list[AnalysedSystem]
) -> None:
    without = Corpus(corpus.words, corpus.reference)
    found = analyze(without, systems, metric=FRS, resamples=10)
    (labels,) = (s for s in found.sections if s.key.startswith("label-confusions"))
    assert "P2R4" in labels.header[0]
    assert "P1R4" in labels.header[1]
    found = analyze(without, systems, metric=FRS, focus=["P1R1", "P1R4"], resamples=10)
    assert not any(s.key.startswith("label-confusions") for s in found.sections)


def test_the_same_call_gives_the_same_result(
    corpus: Corpus, systems: list[AnalysedSystem], analysis: Analysis[AnalysedOrders]
) -> None:
    again = analyze(corpus, systems, metric=FRS, words=["Press"], rows=8, resamples=100)
    assert again.sections == analysis.sections


def test_any_metric_of_orders_scores(corpus: Corpus, systems: list[AnalysedSystem]) -> None:
    for name in ("kendall", "exact"):
        score = metric(name)
        again = [scored_system(s.name, s.orders, corpus, score) for s in systems[:2]]
        found = analyze(corpus, again, metric=score, resamples=10)
        assert found.signature.startswith(f"{name}|")
        assert f"{name} of P1R4" in next(
            s.header for s in found.sections if s.key == "score-by-length"
        )
    case = random_case(99)
    score = metric("frs", match="first-unmatched")
    system = scored_system("A", case.orders, case.corpus, score)
    assert analyze(case.corpus, [system], metric=score, resamples=10).sections


def test_hardly_any_data_is_enough() -> None:
    small: list[list[list[int]]] = [[[]], [[0]], [[1, 0]]]
    for rows in small:
        words = Treebank.from_words([["a"] * len(row) for row in rows])
        corpus = Corpus(words, Orders.from_rows(rows))
        system = scored_system("A", Orders.from_rows(rows), corpus, FRS)
        other = replace(system, name="B")
        assert analyze(corpus, [system, other], metric=FRS, resamples=10).sections


def test_no_sentences_no_systems_and_no_names(
    corpus: Corpus, systems: list[AnalysedSystem]
) -> None:
    nothing = Corpus(Treebank.from_words([]), Orders.from_rows([]))
    system = scored_system("A", Orders.from_rows([]), nothing, FRS)
    refuses(InputError, "no segments", analyze, nothing, [system], metric=FRS, resamples=10)
    refuses(UsageError, "the same name", analyze, corpus, [systems[0], systems[0]], metric=FRS)
    refuses(UsageError, "no system", analyze, corpus, [], metric=FRS)


def test_the_overview_of_equal_systems_and_of_nothing() -> None:
    words = Treebank.from_words([["a", "b", "c"]] * 2)
    kept, turned, short = (Orders.from_rows([row] * 2) for row in ([0, 1, 2], [2, 1, 0], [0, 1]))

    def overview(reference: Orders, *orders: Orders) -> Section:
        corpus = Corpus(words, reference)
        systems = [scored_system(n, o, corpus, FRS) for n, o in zip("ABC", orders, strict=False)]
        return analyze(corpus, systems, metric=FRS, resamples=20).sections[0]

    assert "All 2 systems have the same value." in overview(kept, kept, kept).reading
    found = overview(kept, turned, kept, short)
    assert found.reading.endswith(
        "It and 1 more are the best of 3 systems; the last is A with 0.0000."
    )
    assert found.note.endswith("C lacks 2 words of the reference, which do not count.")
    assert "(20 resamples, seed 12345)" in found.note
    none = overview(Orders.from_rows([[], []]), kept, turned)
    assert none.reading == "No sentence has words to order, so nothing is scored."
    one = overview(kept, turned, kept).reading
    assert one.endswith("It is the best of 2 systems; the last is A with 0.0000.")


def test_the_best_system_is_the_one_of_the_overview() -> None:
    """By sentences the second is better, by words the first."""
    words = Treebank.from_words([["a"] * 2, ["a"] * 11])
    corpus = Corpus(words, Orders.from_rows([range(2), range(11)]))
    half = [*range(5), *range(10, 4, -1)]
    rows = {"A": [[1, 0], list(range(11))], "B": [[0, 1], half]}
    frs = metric("frs", average="micro")
    systems = [scored_system(n, Orders.from_rows(r), corpus, frs) for n, r in rows.items()]
    overview, words_of_best, *_ = analyze(corpus, systems, metric=frs, resamples=20).sections
    assert overview.rows[0][0] == "A"
    assert words_of_best.title.endswith(": A")


# -- Findings: ranked, and worth as much as the tables that they come from.


@pytest.fixture(scope="module")
def of_files() -> Analysis[AnalysedOrders]:
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


def test_findings_are_worth_what_their_tables_say(of_files: Analysis[AnalysedOrders]) -> None:
    sections = {each.key: each for each in of_files.sections}
    for key in ("words-by-form", "words-by-upos", "boundaries-by-label"):
        table = sections[key]
        column = table.header.index("FRS lost x100")
        lost = sorted((float(str(row[column])) for row in table.rows), reverse=True)
        assert [each.explained for each in table.findings] == lost[: len(table.findings)]
        assert table.findings
    assert len(sections["words-by-form"].findings) == MAX_OF_SECTION
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
    for table in of_files.sections:
        for finding in table.findings:
            assert 0 < finding.explained <= total
            stated = re.search(r"([0-9.]+) of the ([0-9.]+) points", finding.sentence)
            if stated:
                assert float(stated[1]) == pytest.approx(finding.explained, abs=0.051)
                assert float(stated[2]) == pytest.approx(total, abs=0.051)


def test_each_number_says_what_it_comes_from(of_files: Analysis[AnalysedOrders]) -> None:
    signed = {each.key for each in of_files.sections if each.signature}
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


# -- The functions that take files give what the command line prints.


GRID: dict[str, Any] = {"trees": {"A": Path(TREES), "B": TREES}, "rule_sets": ["R1", "x=R5"]}
OPTIONS = ["--trees", f"A={TREES}", f"B={TREES}", "--rules", "R1", "x=R5"]
DRAWN: dict[str, Any] = {"resamples": 20, "seed": 4}
SEED = ["--resamples", "20", "--seed", "4", "--format", "json"]


def printed(*args: str) -> dict[str, Any]:
    found = call(*args, *SEED).good().json
    return {key: value for key, value in found.items() if key not in ("version", "notes")}


@pytest.mark.parametrize("reference", [REFERENCE, ALIGNMENTS])
def test_an_evaluation_is_that_of_the_command_line(reference: str) -> None:
    found = evaluate_files(reference, metrics="frs,ulam", **GRID, **DRAWN)
    shown = {**found.inputs.description().to_json(), **grid_table(found.grid).to_json()}
    assert shown == printed("evaluate", reference, *OPTIONS, "-m", "frs,ulam")
    assert found.sensitivity is None


def test_conventions_are_those_of_the_command_line() -> None:
    options: dict[str, Any] = {"rule": "lrscore", "unaligned": "drop"}
    written = ["--rule", "lrscore", "-O", "unaligned=drop", "--sensitivity"]
    with noted("4 systems: left out 98 words each"):
        found = evaluate_files(ALIGNMENTS, sensitivity=True, **GRID, **DRAWN, **options)
    assert found.sensitivity is not None
    assert found.grid is found.sensitivity.grids[0]
    shown = {**found.inputs.description().to_json(), **sensitivity_output(found.sensitivity).data()}
    assert shown == printed("evaluate", ALIGNMENTS, *OPTIONS, *written)


def test_an_analysis_of_a_grid_or_of_systems_is_that_of_the_command_line() -> None:
    more: dict[str, Any] = {
        "gold_trees": TREES,
        "target": TARGET,
        "focus": ["A/R1"],
        "words": ["the"],
        "rows": 3,
    }
    found = analyze_files(ALIGNMENTS, metric="kendall", **GRID, **DRAWN, **more)
    written = ["--gold-trees", TREES, "--target", TARGET, "--focus", "A/R1", "-O", "word=the"]
    written += ["--top", "3", "-O", "sentence-metric=kendall"]
    assert analysis_json(found) == printed("analyze", ALIGNMENTS, *OPTIONS, *written)
    with noted("no trees of the systems"):
        found = analyze_files(REFERENCE, systems=SYSTEMS[:2], source=Path(SOURCE), **DRAWN)
    args = ["analyze", REFERENCE, "-i", *SYSTEMS[:2], "--source", SOURCE]
    assert analysis_json(found) == printed(*args)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "no trees: give trees=P1=FILE, or parsers=P1=MODEL source=TEXT"),
        ({"tree": TREES}, "unknown option 'tree' (did you mean 'trees'?)"),
        ({"trees": TREES, "one_based": True}, "one_based=True is for alignments, but"),
        ({"trees": TREES, "kind": "text"}, "unknown value for kind 'text'"),
        ({"trees": [f"A={TREES}", f"A={SOURCE}"]}, "two systems have the same name, 'A'"),
        ({"trees": TREES, "rule_sets": ["a=R1", "a=R5"]}, "two rule sets are called 'a'"),
    ],
)
def test_messages_name_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as error:
        evaluate_files(REFERENCE, **options)
    assert message in str(error.value)
    assert "--" not in str(error.value)


def test_a_source_beside_trees_is_of_the_same_sentences(tmp_path: Path) -> None:
    given: dict[str, Any] = {"trees": TREES, "rule_sets": "R5", "resamples": 10}
    alone = evaluate_files(REFERENCE, **given)
    beside = evaluate_files(REFERENCE, **given, source=SOURCE)
    assert alone.grid.evaluation.systems[0].scores == beside.grid.evaluation.systems[0].scores
    short = write(tmp_path, "short.txt", "a b\n")
    refuses(InputError, "short.txt", evaluate_files, REFERENCE, source=short, **given)


def test_a_wrong_line_is_named(tmp_path: Path) -> None:
    short = write(tmp_path, "short.orders", "0 1\n")
    refuses(InputError, "short.orders: 1 sentence, but", evaluate_files, short, **GRID)
