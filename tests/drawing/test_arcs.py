"""Drawings of dependency trees, as text and as SVG."""

import random
import re
from textwrap import dedent
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings, strategies as st
from tests.oracles_trees import non_projective, random_tree

from wordorder.text.shown import display_width
from wordorder.treebank.treebank import Tree, Treebank

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "desc", "path", "g", "rect", "polygon", "text"}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a\x1b[2J\x00b",
    "]]>&amp;",
]
# What a box drawing character connects.
CONNECTS = dict(
    pair.split(":") for pair in "│:ud ─:lr ┌:dr └:ur ├:udr ┬:dlr ┴:ulr ┼:udlr".split()
) | {" ": ""}


def tree(heads: list[int], forms: list[str] | None = None, **columns: list[str]) -> Tree:
    words = forms or [f"w{i}" for i, _ in enumerate(heads, 1)]
    rows = {name: [column] for name, column in columns.items()}
    return Treebank.from_words([words], heads=[heads], **rows)[0]


def heads_of_drawing(lines: list[str]) -> list[int]:
    """Follow the line to the left of each word, then the upright bar to the word it comes from."""
    found = []
    for row, line in enumerate(lines):
        start = _start(line)
        if start == 0 and line[0] == "─":
            found.append(0)
            continue
        reached = {row}
        for step, way in ((-1, "u"), (1, "d")):
            at = row
            while way in CONNECTS[lines[at][start]]:
                at += step
                reached.add(at)
        owners = [
            at for at in reached - {row} if _start(lines[at]) < start and lines[at][start] != "│"
        ]
        found.append(owners[0] + 1 if len(owners) == 1 else -1)
    return found


def _start(line: str) -> int:
    """Where the line to a word begins: at the bar of its head, past bars it does not touch."""
    column = next(i for i, char in enumerate(line) if char.isalnum()) - 2
    while column > 0 and ("l" in CONNECTS[line[column]] or line[column] == "│"):
        column -= 1
    return column


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.integers(1, 12))
def test_the_heads_can_be_read_from_the_drawing(seed: int, words: int) -> None:
    heads = random_tree(random.Random(seed), words)
    lines = tree(heads).to_text().split("\n")
    assert [line.split()[-1] for line in lines] == [f"w{i}" for i in range(1, words + 1)]
    assert heads_of_drawing(lines) == heads
    # Lines pass bars that they do not touch only where arcs cross.
    if not any(non_projective(heads)):
        assert not any("─│─" in line for line in lines)


def test_a_drawing_with_crossing_arcs() -> None:
    drawn = tree([2, 4, 4, 0, 2], "A hearing is scheduled today".split()).to_text()
    assert drawn == dedent("""\
            ┌── A
          ┌─┼── hearing
          ├─│── is
        ──┴─│── scheduled
            └── today""")


def test_columns_stand_below_each_other_in_any_script() -> None:
    forms = ["語順", "a", "café", "한국", "x\ty"]
    lines = tree([2, 0, 2, 2, 2], forms, xpos=list("ABCDE"), label=["l"] * 5).to_text().split("\n")
    places = {
        display_width(line[: line.index(f"  {tag}  l")])
        for line, tag in zip(lines, "ABCDE", strict=True)
    }
    assert len(places) == 1
    assert "x�y" in lines[4]
    assert "\u200e" not in "".join(lines)
    leftwards = tree([0, 1], ["שלום", "a"], upos=["X", "Y"]).to_text().split("\n")
    assert all(line.startswith("\u200e") for line in leftwards)


def test_what_cannot_be_drawn_with_lines() -> None:
    assert tree([2, 1], ["a", "b"]).to_text() == "1  2  a\n2  1  b"
    assert tree([-1, -1], ["a", "b"]).to_text() == "1  _  a\n2  _  b"
    deep = tree(list(range(200))).to_text().split("\n")
    assert deep[99] == "100   99  w100"
    long = tree([0] + [1] * 1500).to_text().split("\n")
    assert (len(long), long[-1]) == (1001, "… 501 more words")
    assert Treebank.from_words([[]])[0].to_text() == ""


def boxes(picture: str) -> list[tuple[str, float, float, float, float]]:
    """The text and the left, top, right and bottom of each box with round or square corners."""
    found = []
    for group in ElementTree.fromstring(picture).iter(f"{SVG}g"):
        text = " ".join(element.text or "" for element in group.iter(f"{SVG}text"))
        for shape in group.iter(f"{SVG}rect"):
            x, y, w, h = (float(shape.attrib[name]) for name in ("x", "y", "width", "height"))
            found.append((text, x, y, x + w, y + h))
        for shape in group.iter(f"{SVG}polygon"):
            xs, ys = zip(
                *(map(float, p.split(",")) for p in shape.attrib["points"].split()), strict=True
            )
            found.append((text, min(xs), min(ys), max(xs), max(ys)))
    return found


@settings(max_examples=40)
@given(st.integers(0, 2**32), st.integers(0, 14), st.booleans())
def test_pictures_show_all_and_nothing_lies_on_another(
    seed: int, words: int, leftwards: bool
) -> None:
    rng = random.Random(seed)
    heads = random_tree(rng, words, roots=rng.choice([1, 1, 2]))
    forms = [rng.choice("אבג" if leftwards else "xyz") * rng.randrange(1, 9) for _ in heads]
    labels = [f"l{i}" + "-" * rng.randrange(20) for i, _ in enumerate(heads)]
    shown = tree(heads, forms, label=labels, upos=["T"] * words)
    picture = shown.to_svg()
    assert picture == shown.to_svg()
    root = ElementTree.fromstring(picture)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ELEMENTS
    found = boxes(picture)
    texts = [text for text, *_ in found]
    assert sorted(texts) == sorted([*labels, *(f"{form} T" for form in forms)])
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    for i, (_, left, top, right, bottom) in enumerate(found):
        assert min(left, top) >= 0
        assert right <= width
        assert bottom <= height
        if any(non_projective(heads)):
            continue
        for _, left2, top2, right2, bottom2 in found[:i]:
            apart = right <= left2 or right2 <= left or bottom <= top2 or bottom2 <= top
            assert apart
    # Non-projective arcs have pointed labels.
    pointed = sum(len(p.attrib["points"].split()) == 6 for p in root.iter(f"{SVG}polygon"))
    assert pointed == sum(non_projective(heads))
    places = [x for text, x, *_ in sorted(found, key=lambda box: box[1]) if text.endswith(" T")]
    order = [text for text, *_ in sorted(found, key=lambda box: box[1]) if text.endswith(" T")]
    expected = [f"{form} T" for form in forms]
    assert order == (expected[::-1] if leftwards else expected)
    assert places == sorted(places)


def test_text_of_a_corpus_stays_text() -> None:
    words = len(HOSTILE)
    columns = dict.fromkeys(("lemma", "upos", "xpos", "feats", "label"), HOSTILE)
    picture = tree([0] + [1] * (words - 1), HOSTILE, **columns).to_svg()
    root = ElementTree.fromstring(picture)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= ELEMENTS
    assert not re.search(r"<(script|img)", picture)
    shown = {element.text for element in root.iter(f"{SVG}text")}
    assert "<script>alert(1)</script>" in shown
    assert "a�[2J�b" in shown


@pytest.mark.parametrize("heads", [[2, 1], [1, 0], [-1, -1], [9, 0], [0, 0]])
def test_heads_that_make_no_tree_are_drawn_as_they_are(heads: list[int]) -> None:
    picture = tree(heads, ["a", "b"]).to_svg()
    texts = [text for text, *_ in boxes(picture)]
    assert texts[-2:] == ["a", "b"]
    assert texts.count("root") == heads.count(0)


def test_long_sentences_are_cut() -> None:
    shown = tree([0] + [1] * 300, ["w" * 99] * 301)
    texts = [text for text, *_ in boxes(shown.to_svg())]
    assert "… 101 more words" in texts
    assert "w" * 29 + "…" in texts
    assert len(texts) == 202
