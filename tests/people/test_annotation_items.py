"""Sentences to annotate, with the links that an aligner suggests."""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.refusing import refuses

from wordorder.errors import InputError, UsageError
from wordorder.people.annotator_agreement import DoubtfulWord, link_agreement
from wordorder.people.guideline import MAX_DRAWN_WORDS, check_alignment
from wordorder.people.items import InputText, annotation_items, direction
from wordorder.statistics.raters import cohen_kappa


def text(name: str, *lines: str) -> InputText:
    return InputText(name, name, list(lines))


def test_suggestions_are_read_in_any_notation(tmp_path: Path) -> None:
    links = tmp_path / "start.align"
    links.write_text("0-1 1p0\n\n")
    items = annotation_items(text("s", "a b", "c"), text("t", "B A", ""), links)
    assert items[0].content["suggestions"] == [[0, 1, "sure"], [1, 0, "possible"]]
    assert items[1].content == {
        "source": ["c"],
        "target": [],
        "direction": {"source": "ltr", "target": "ltr"},
        "suggestions": [],
    }


def test_scores_of_links_come_along(tmp_path: Path) -> None:
    links = tmp_path / "start.align"
    links.write_text("0-1:0.91234 1p0:0.4\n0-0:1\n")
    items = annotation_items(text("s", "a b", "c"), text("t", "B A", "C"), links)
    found = [item.content["suggestions"] for item in items]
    assert found == [[[0, 1, "sure", 0.9123], [1, 0, "possible", 0.4]], [[0, 0, "sure", 1.0]]]


def test_files_out_of_step_are_named(tmp_path: Path) -> None:
    refuses(InputError, "s: 2 lines, but t", annotation_items, text("s", "a", "b"), text("t", "A"))
    links = tmp_path / "start.align"
    links.write_text("0-0\n")
    with pytest.raises(InputError, match="start.align"):
        annotation_items(text("s", "a", "b"), text("t", "A", "B"), links)
    links.write_text("0-0\n0-7\n")
    with pytest.raises(InputError, match="start.align:2"):
        annotation_items(text("s", "a", "b"), text("t", "A", "B"), links)
    refuses(UsageError, "links need a TARGET", annotation_items, text("s", "a"), None, links)


def test_directions_of_scripts() -> None:
    assert direction(["مرحبا بالعالم"]) == "rtl"
    assert direction(["語順 123"]) == direction(["नमस्ते"]) == "ltr"
    assert direction(["12 ... 3"]) == "ltr"


# -- The guideline while one annotates, and the order that follows from the links. -----------------

SOURCE = ["the", "cat", "sleeps", "now", "."]

TARGET = ["今", "猫", "が", "寝る"]


def check(links: list[list[Any]], source: list[str] = SOURCE, target: list[str] = TARGET) -> Any:
    given = {"source": source, "target": target}
    return check_alignment({**given, "links": links}, given)


def faults(links: list[list[Any]]) -> list[tuple[str, int, str]]:
    return [(each["side"], each["position"], each["kind"]) for each in check(links)["faults"]]


def test_a_complete_alignment_has_no_faults_and_the_order_of_its_translation() -> None:
    found = check([[1, 1, "sure"], [1, 2, "possible"], [2, 3, "sure"], [3, 0, "sure"]])
    assert found["faults"] == []
    # By hand: now, the cat, sleeps, with the unaligned words before the next and at the end.
    assert found["order"] == [[3], [0], [1], [2], [4]]


def test_articles_and_punctuation_may_stay_unaligned_and_nothing_else() -> None:
    every = [(("source", n, "unaligned")) for n in (1, 2, 3)]
    assert faults([]) == every + [("target", n, "unaligned") for n in range(4)]


def test_a_gap_names_what_lies_inside() -> None:
    found = check([[1, 0, "sure"], [1, 2, "sure"], [2, 1, "sure"], [3, 3, "sure"]])
    [fault] = found["faults"]
    assert (fault["side"], fault["position"], fault["kind"]) == ("source", 1, "non-contiguous")
    assert fault["message"].startswith("the translation of “cat” has a gap: “猫” inside it")


def test_nobody_is_told_to_change_a_translation_that_is_given() -> None:
    words = {"source": ["so"], "target": ["so", "ja"]}
    for fixed, advice in ((words["target"], "save the sentence"), (None, "leave it out")):
        found = check_alignment({**words, "links": [[0, 0, "sure"]]}, {**words, "target": fixed})
        assert advice in found["faults"][0]["message"]


def test_pictures_hold_hostile_words_as_text() -> None:
    words = ["<script>alert(1)</script>", "&amp;", "'\""]
    found = check([[0, 2, "sure"], [1, 1, "sure"], [2, 0, "sure"]], words, ["x", "y", "z"])
    for picture in (found["order_svg"], found["tree_svg"]):
        root = ET.fromstring(picture)
        assert not [each for each in root.iter() if each.tag.endswith("script")]


def test_long_sentences_and_empty_ones_are_not_drawn() -> None:
    for length in (0, MAX_DRAWN_WORDS + 1):
        found = check([], ["w"] * length, [])
        assert found["order_svg"] is found["tree_svg"] is None
    assert check([], ["w"] * MAX_DRAWN_WORDS, [])["tree_svg"].startswith("<svg")


def test_links_past_the_words_are_refused() -> None:
    refuses(InputError, "a link to target token 4", check, [[0, 4, "sure"]])


# -- Agreement of two annotators against the table of all pairs of words. --------------------------


def answer(source: list[str], target: list[str], links: list[tuple[int, int]]) -> dict[str, Any]:
    return {"source": source, "target": target, "links": [[s, t, "sure"] for s, t in links]}


LINKS = st.sets(st.tuples(st.integers(0, 2), st.integers(0, 3)))


@given(LINKS, LINKS)
def test_f1_and_kappa_against_the_table_of_all_pairs(one: set[Any], other: set[Any]) -> None:
    words = (list("abc"), list("wxyz"))
    found = link_agreement([answer(*words, sorted(one))], [answer(*words, sorted(other))])
    if one or other:
        assert found.f1 == 2 * len(one & other) / (len(one) + len(other))
    cells = [[(s, t) in links for s in range(3) for t in range(4)] for links in (one, other)]
    expected = cohen_kappa(np.array(cells[0], int), np.array(cells[1], int))
    assert found.kappa == pytest.approx(1.0 if np.isnan(expected) else expected, abs=1e-12)


def test_a_split_token_is_compared_by_its_pieces() -> None:
    whole = answer(["icecream", "now"], ["Eis", "jetzt"], [(0, 0), (1, 1)])
    split = answer(["ice", "cream", "now"], ["Eis", "jetzt"], [(0, 0), (1, 0), (2, 1)])
    found = link_agreement([whole], [split])
    assert (found.f1, found.kappa, found.differences) == (1, 1, ())
    [difference] = link_agreement(
        [whole], [answer(["ice", "cream", "now"], ["Eis", "jetzt"], [(0, 0), (2, 1)])]
    ).differences
    assert difference.source == ("ice", "cream", "now")
    assert (difference.only_first, difference.only_second) == (((1, 0),), ())


def test_other_translations_and_missing_answers_are_not_compared() -> None:
    one = answer(["a"], ["A"], [(0, 0)])
    found = link_agreement([one, one, None], [answer(["a"], ["B"], []), one, one])
    assert (found.sentences, found.not_compared, found.f1) == (1, (1,), 1)
    assert link_agreement([], []).f1 == 1


def test_the_most_doubtful_words_come_first() -> None:
    one = answer(["a", "b", "a"], ["x", "y"], [(0, 0), (1, 1), (2, 1)])
    other = answer(["a", "b", "a"], ["x", "y"], [(1, 1)])
    assert link_agreement([one], [other]).words == (DoubtfulWord("a", 2, 2),)
