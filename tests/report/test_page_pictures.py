"""The pictures of a sentence: what is drawn, and what is drawn once."""

import xml.etree.ElementTree as ET
from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, strategies as st
from tests.report.grids import of_values, small_grid
from tests.report.page_analyses import NamedRules, sample_analysis

from wordorder.analysis.analysed import Analysis
from wordorder.analysis.corpus import AnalysedOrders, AnalysedSystem
from wordorder.analysis.grid import Grid
from wordorder.analysis.section import Section
from wordorder.analysis.translations.analyze import analyze
from wordorder.analysis.translations.files import translations_of
from wordorder.order.orders import Orders
from wordorder.reordering.rules import open_rules
from wordorder.report.grids import best_systems
from wordorder.report.page.columns import (
    MAX_WORDS_PER_COLUMN,
    Column,
    blocks,
    columns_svg,
    named_moves,
)
from wordorder.report.page.orders import metric_grids, picture_rows
from wordorder.report.page.page import report_page
from wordorder.report.page.sentence_list import by_interest, shown_pair
from wordorder.report.page.template_data import PictureRow


def captions(rows: object) -> dict[str, list[str]]:
    return {row.title: [each.caption for each in row.pictures] for row in rows}  # type: ignore[attr-defined]


def drawn(
    analysis: Analysis[AnalysedOrders], sentence: int, systems: list[int]
) -> list[PictureRow]:
    return picture_rows(analysis.analysed, analysis.grid, sentence, systems)


def test_everything_is_drawn_for_two_parsers() -> None:
    rows = drawn(sample_analysis(), 2, [2, 5])
    # The second parser is right here, and both rule sets order alike.
    assert captions(rows) == {
        "Parse trees": ["P1", "P2, gold"],
        "Source, system and reference order": ["P1R5, P2R5"],
        "Permutation trees": ["P1R5, P2R5"],
        "Alignment": ["Source words down, target words across"],
    }
    for row in rows:
        for picture in row.pictures:
            ET.fromstring(picture.svg)
    rows = drawn(sample_analysis(), 2, [0, 2])
    assert captions(rows)["Parse trees"] == ["P1", "P2, gold"]
    assert captions(rows)["Permutation trees"] == ["P1R1", "P1R5"]


def test_trees_that_are_right_that_have_no_grid_and_that_are_not_known() -> None:
    analysis = sample_analysis()
    analysed = analysis.analysed
    gold = analysed.corpus.words
    wrong = gold.replace(heads=np.where(gold.heads == 0, 0, 1).astype(np.int32))
    made = replace(analysed, corpus=replace(analysed.corpus, gold=wrong))
    rows = picture_rows(made, analysis.grid, 2, [2, 5])
    assert captions(rows)["Parse trees"] == ["P1", "P2", "gold"]
    rows = picture_rows(analysed, None, 2, [2, 5])
    assert captions(rows)["Parse trees"] == ["P1R5", "P2R5, gold"]
    corpus = replace(analysed.corpus, gold=None, alignments=None, target=())
    systems = tuple(replace(each, treebank=None) for each in analysed.systems[:1])
    made = replace(analysed, corpus=corpus, systems=systems)
    found = list(captions(picture_rows(made, None, 0, [0])))
    assert found == ["Source, system and reference order", "Permutation trees"]


@pytest.mark.parametrize("row", [[], [0]])
def test_a_reference_without_the_words_of_the_result(row: list[int]) -> None:
    analysis = sample_analysis()
    reference = Orders.from_rows([row] * analysis.size)
    corpus = replace(analysis.analysed.corpus, reference=reference)
    made = replace(analysis.analysed, corpus=corpus)
    found = captions(picture_rows(made, analysis.grid, 2, [2, 5]))
    assert ("Permutation trees" in found) == bool(row)
    assert found["Source, system and reference order"] == ["P1R5, P2R5"]


# -- A sentence as columns of words: blocks, bands and lines. --------------------------------------


@given(st.permutations(range(7)), st.sets(st.integers(0, 6)))
def test_blocks_are_maximal_runs_of_moved_words(order: list[int], free: set[int]) -> None:
    """Without the words that moved the rest is in order; no two blocks could be one."""
    partners = [-1 if word in free else partner for word, partner in enumerate(order)]
    column = Column("A", list("abcdefg"), partners)
    found = blocks(column)
    moved = [pair for block in found for pair in block]
    assert {word for word, _ in moved} == column.moved()
    assert all(partners[word] == partner for word, partner in moved)
    stays = [p for w, p in enumerate(partners) if p >= 0 and (w, p) not in moved]
    assert stays == sorted(stays)
    known = sorted(p for p in partners if p >= 0)
    matched = [w for w, p in enumerate(partners) if p >= 0]
    for block in found:
        for (one, goal), (other, end) in pairwise(block):
            assert matched.index(other) == matched.index(one) + 1
            assert known.index(end) == known.index(goal) + 1
    for before, after in pairwise(found):
        (one, goal), (other, end) = before[-1], after[0]
        next_to = matched.index(other) == matched.index(one) + 1
        assert not (next_to and known.index(end) == known.index(goal) + 1)


def test_each_word_has_its_line_and_each_block_its_band() -> None:
    reference = ["we", "met", "on", "tuesday"]
    first = Column("A", ["on", "tuesday", "we", "<all>", "met"], [2, 3, 0, -1, 1])
    second = Column("B", reference, [0, 1, 2, 3])
    root = ET.fromstring(columns_svg(reference, [first, second]))
    texts = [each.text for each in root.iter("text")]
    assert texts == ["A", *first.words, "reference", *reference, "B", *reference]
    assert [each.text for each in root.iter("text") if each.get("class") == "free"] == ["<all>"]
    assert len(list(root.iter("polygon"))) == len(list(root.iter("rect"))) == 1
    (path,) = root.iter("path")
    # The two words of A that stay, the four of B.
    assert path.attrib["d"].count("M") == 6
    title = root.find("title")
    assert title is not None
    assert title.text == (
        "A: on tuesday we <all> met; reference: we met on tuesday; B: we met on tuesday."
    )


def test_what_has_moved_and_what_a_finding_is_about() -> None:
    """Ranks decide, where the reference leaves an order open."""
    column = Column("A", ["b", "a"], [1, 0])
    assert len(column.moved()) == 1
    assert Column("A", ["b", "a"], [1, 0], [0, 1]).moved() == set()
    # One output alone has moved the named words, and they stand on another line.
    kept = Column("good", ["big", "dogs", "bark"], [0, 1, 2], named={0})
    swapped = Column("bad", ["dogs", "big", "bark"], [1, 0, 2], named={0})
    # Either of two words may have moved: the one that is named.
    assert swapped.moved() == {1}
    assert Column("bad", swapped.words, swapped.partners, named={1}).moved() == {0}
    assert named_moves([kept, swapped]) == "bad puts 'big' too late."
    assert named_moves([swapped, swapped]) == ""
    # On its own line, since a word without a match is before it.
    level = Column("bad", ["oh", "b", "a"], [-1, 1, 0], named={1})
    assert named_moves([level]) == ""
    drawn = columns_svg(["big", "dogs", "bark"], [kept, swapped])
    assert drawn.count('<text class="name"') == 3 + 3
    assert (
        drawn.count('<rect class="late about"') == drawn.count('<polygon class="late about"') == 1
    )


@pytest.mark.parametrize(
    ("order", "way"), [((0, 1, 2, 4, 3, 5), "late"), ((0, 1, 3, 2, 4, 5), "early")]
)
def test_headline_and_picture_agree_on_the_direction(order: tuple[int, ...], way: str) -> None:
    """To put the noun before its adjective is to put the adjective too late, not too early."""
    good = ["we saw the big dogs today", "they bought a red car yesterday"] * 20
    bad = [" ".join(line.split()[word] for word in order) for line in good]
    made = translations_of({"good": good, "bad": bad}, good, metrics="frs", parsed=True)
    page = report_page(analyze(made))
    assert f'<rect class="{way} about"' in page
    # The answer as a picture: a row for each metric.
    assert "Points that <bdi>good</bdi> is better than <bdi>bad</bdi>" in page
    assert page.count("<title>Points that good is better than bad, by metric</title>") == 2
    assert f"Of those that bad moves, 100 % are too {way}." in page
    assert f"bad puts &#39;red&#39; too {way}." in page
    other = {"late": "early", "early": "late"}[way]
    assert f"too {other}." not in page
    column = Column("bad", ["dogs", "big"], [1, 0], named={0})
    assert named_moves([column], "late") == "bad puts 'big' too late."
    assert named_moves([column], "early") == ""


def test_long_sentences_are_cut_and_empty_ones_not_drawn() -> None:
    words = ["w"] * (MAX_WORDS_PER_COLUMN + 5)
    drawn = columns_svg(words, [Column("A", words, range(len(words)))])
    assert drawn.count("… 5 more words</text>") == 2
    assert drawn.count(">w</text>") == 2 * MAX_WORDS_PER_COLUMN
    assert columns_svg([], [Column("A", ["a"], [-1])]) == ""
    assert columns_svg(["a"], [Column("A", [], [])]) == ""
    assert columns_svg(["a"], []) == ""


# -- Which sentences and systems a page draws. -----------------------------------------------------

NAN = float("nan")


def section(examples: tuple[tuple[int, ...], ...]) -> Section:
    return Section("a", "A", "", ("x",), ((1,),) * len(examples), examples)


@given(
    st.lists(st.tuples(*[st.sampled_from([0.0, 0.5, 1.0, NAN])] * 2), max_size=8),
    st.lists(st.lists(st.integers(0, 9), max_size=3).map(tuple), max_size=4),
)
def test_every_sentence_comes_once(
    rows: list[tuple[float, float]], examples: list[tuple[int, ...]]
) -> None:
    scores = np.array(rows).reshape(len(rows), 2).T
    found = by_interest(scores, [section(tuple(examples))])
    assert sorted(found) == list(range(len(rows)))


def test_the_worst_the_widest_and_the_examples_take_turns() -> None:
    low = np.array([0.5, 0.1, 0.6, 0.0, 0.7, 0.8])
    high = np.array([0.5, 0.3, 1.0, 0.3, 0.7, 0.8])
    sections = [section(((5, 0), (4,))), section(((4,),))]
    # Worst by mean: 3, 1, 0; widest: 2, 3, 1; examples: the first of first rows 5 and 4, then 0.
    assert by_interest(np.array([low, high]), sections) == [3, 2, 5, 1, 4, 0]
    assert by_interest(np.zeros((0, 3)), []) == [0, 1, 2]


def given_scores(columns: list[float]) -> tuple[list[AnalysedSystem], npt.NDArray[np.float64]]:
    """Give every sentence of the systems of the sample the same scores."""
    analysis = sample_analysis()
    scores = np.repeat(np.array(columns)[:, np.newaxis], analysis.size, axis=1)
    return list(analysis.analysed.systems), scores


@pytest.mark.parametrize(
    ("columns", "pair"),
    [
        # P1R1, P1R2, P1R5, P2R1, P2R2, P2R5: the rules are the same where parsers differ most.
        ([0.0, 0.1, 0.5, 0.3, 0.1, 0.9], (2, 5)),
        ([0.0, 0.1, 0.5, 0.9, 0.1, 0.9], (0, 3)),
        # No parser matters: the two that differ most.
        ([0.2, 0.1, 0.5, 0.2, 0.1, 0.5], (1, 2)),
        # Nothing matters: two parsers.
        ([0.5] * 6, (0, 3)),
    ],
)
def test_two_parsers_with_the_same_rules(columns: list[float], pair: tuple[int, int]) -> None:
    assert shown_pair(*given_scores(columns), 0) == pair


def test_systems_without_trees_and_one_parser_with_several_rules() -> None:
    systems, scores = given_scores([0.5, 0.5, 0.2, 0.5, 0.9, 0.5])
    bare = [replace(system, treebank=None, rules=None) for system in systems]
    assert shown_pair(bare, scores, 0) == (2, 4)
    assert shown_pair(bare[:1], scores[:1], 0) == (0,)
    assert shown_pair([], scores[:0], 0) == ()
    systems, scores = given_scores([0.5, 0.4, 0.2, 0.5, 0.9, 0.5])
    one = systems[0].treebank
    same_trees = [
        replace(system, treebank=one, rules=NamedRules(str(number)))
        for number, system in enumerate(systems)
    ]
    assert shown_pair(same_trees, scores, 0) == (2, 4)


def test_rules_of_one_name_are_not_the_same_rules() -> None:
    """Two versions of a file of rules, under names of the command line."""
    systems, scores = given_scores([0.9, 0.2, 0.5, 0.9, 0.6, 0.1])
    both = [open_rules("R1"), open_rules("R1")]
    chosen = [0, 1, 3, 4]
    renamed = [
        replace(systems[number], rules=rules)
        for number, rules in zip(chosen, both * 2, strict=True)
    ]
    assert shown_pair(renamed, scores[chosen], 0) == (1, 3)


# -- The overview of a page: which systems it calls the best. --------------------------------------


def best(grid: Grid) -> list[bool]:
    return [cell.best for _, cells in metric_grids(grid)[0].rows for cell in cells]


def test_equal_systems_are_best_together() -> None:
    # 0.1 + 0.2 is a bit more than 0.3.
    equal = of_values(small_grid(), [0.3, 0.1 + 0.2, 0.2, 0.1, 0.1, 0.1])
    assert best(equal) == [number in best_systems(equal, 0) for number in range(6)]
    assert metric_grids(equal)[0].reading[0] == "P1R1 and P1R2 have the best FRS: 0.3000."
    falling = of_values(equal, [each.value for each in equal.estimates[0]], falling=True)
    assert best(falling) == [False, False, False, True, True, True]
    assert metric_grids(falling)[0].reading[0].startswith("P2R1, P2R2 and P2R4 have the best FRS")
    (found, _) = metric_grids(of_values(small_grid(1, ("R4",)), [0.25]))
    assert found.reading == ("P1R4 has FRS 0.2500 [0.2500, 0.2500].",)
    assert not found.rows[0][1][0].best
