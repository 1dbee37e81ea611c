"""A sentence as columns of words: blocks, bands and lines."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from wordorder.report.page.columns import MOST, Column, blocks, columns_svg


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


def test_words_that_tie_have_not_moved() -> None:
    """Ranks decide, where the reference leaves an order open."""
    column = Column("A", ["b", "a"], [1, 0])
    assert len(column.moved()) == 1
    assert Column("A", ["b", "a"], [1, 0], [0, 1]).moved() == set()


def test_long_sentences_are_cut_and_empty_ones_not_drawn() -> None:
    words = ["w"] * (MOST + 5)
    drawn = columns_svg(words, [Column("A", words, range(len(words)))])
    assert drawn.count("… 5 more words</text>") == 2
    assert drawn.count(">w</text>") == 2 * MOST
    assert columns_svg([], [Column("A", ["a"], [-1])]) == ""
    assert columns_svg(["a"], [Column("A", [], [])]) == ""
    assert columns_svg(["a"], []) == ""
