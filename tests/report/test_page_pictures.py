"""The pictures of a sentence: what is drawn, and what is drawn once."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from tests.report.page_analyses import sample_analysis

from wordorder.order.orders import Orders
from wordorder.report.page.orders import picture_rows


def captions(rows: object) -> dict[str, list[str]]:
    return {row.title: [each.caption for each in row.pictures] for row in rows}  # type: ignore[attr-defined]


def test_everything_is_drawn_for_two_parsers() -> None:
    rows = picture_rows(sample_analysis(), 2, [2, 5])
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


def test_trees_of_other_systems_stand_beside_those_of_one_parser() -> None:
    rows = picture_rows(sample_analysis(), 2, [0, 2])
    assert captions(rows)["Parse trees"] == ["P1", "P2, gold"]
    assert captions(rows)["Permutation trees"] == ["P1R1", "P1R5"]


def test_a_third_tree_is_the_right_one() -> None:
    analysis = sample_analysis()
    gold = analysis.corpus.words
    wrong = gold.replace(heads=np.where(gold.heads == 0, 0, 1).astype(np.int32))
    made = replace(analysis, corpus=replace(analysis.corpus, gold=wrong))
    assert captions(picture_rows(made, 2, [2, 5]))["Parse trees"] == ["P1", "P2", "gold"]


def test_without_a_grid_trees_are_called_by_their_systems() -> None:
    analysis = replace(sample_analysis(), grid=None)
    assert captions(picture_rows(analysis, 2, [2, 5]))["Parse trees"] == ["P1R5", "P2R5, gold"]


def test_what_is_not_known_is_not_drawn() -> None:
    analysis = sample_analysis()
    corpus = replace(analysis.corpus, gold=None, alignments=None, target=())
    systems = tuple(replace(each, treebank=None) for each in analysis.systems[:1])
    made = replace(analysis, corpus=corpus, systems=systems, grid=None)
    assert list(captions(picture_rows(made, 0, [0]))) == [
        "Source, system and reference order",
        "Permutation trees",
    ]


@pytest.mark.parametrize("row", [[], [0]])
def test_a_reference_without_the_words_of_the_result(row: list[int]) -> None:
    analysis = sample_analysis()
    size = len(analysis.corpus.words)
    reference = Orders.from_rows([row] * size)
    made = replace(analysis, corpus=replace(analysis.corpus, reference=reference))
    found = captions(picture_rows(made, 2, [2, 5]))
    assert ("Permutation trees" in found) == bool(row)
    assert found["Source, system and reference order"] == ["P1R5, P2R5"]
