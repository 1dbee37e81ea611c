"""The guideline while one annotates, and the order that follows from the links."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import pytest

from wordorder.errors import InputError
from wordorder.people.annotations import DRAWN, check_alignment

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
    for given, advice in ((words["target"], "save the sentence"), (None, "leave it out")):
        found = check_alignment({**words, "links": [[0, 0, "sure"]]}, {**words, "target": given})
        assert advice in found["faults"][0]["message"]


def test_pictures_hold_hostile_words_as_text() -> None:
    words = ["<script>alert(1)</script>", "&amp;", "'\""]
    found = check([[0, 2, "sure"], [1, 1, "sure"], [2, 0, "sure"]], words, ["x", "y", "z"])
    for picture in (found["order_svg"], found["tree_svg"]):
        root = ET.fromstring(picture)
        assert not [each for each in root.iter() if each.tag.endswith("script")]


def test_long_sentences_and_empty_ones_are_not_drawn() -> None:
    for length in (0, DRAWN + 1):
        found = check([], ["w"] * length, [])
        assert found["order_svg"] is found["tree_svg"] is None
    assert check([], ["w"] * DRAWN, [])["tree_svg"].startswith("<svg")


def test_links_past_the_words_are_refused() -> None:
    with pytest.raises(InputError, match="a link to target token 4"):
        check([[0, 4, "sure"]])
