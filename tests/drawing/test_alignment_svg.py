"""Drawings of alignments: a grid with the links as marks."""

import random
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings, strategies as st

from wordorder.alignment.alignments import Alignment, Alignments
from wordorder.drawing.alignments import alignment_svg
from wordorder.errors import InputError

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = {"svg", "title", "desc", "path", "g", "rect", "circle", "text"}
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "a\x1b[2J\x00b",
    "]]>&amp;",
    "</text></svg>",
]
SHAPES = {"rect": "both", "circle": "first", "path": "second"}
CELL = 28

Marks = dict[tuple[int, int], tuple[str, str]]


class Drawing:
    """What can be seen in a picture.

    Attributes
    ----------
    marks : dict
        The shape and strength of the mark in each cell, its row and its column.
    rows, columns : list of (text, whether it is missing)
        The words, from the top down and from left to right.
    legend : set of str
    """

    def __init__(self, picture: str) -> None:
        self.root = ElementTree.fromstring(picture)
        assert {e.tag.removeprefix(SVG) for e in self.root.iter()} <= ELEMENTS
        assert not any("style" in e.attrib or "class" in e.attrib for e in self.root.iter())
        self.width, self.height = (float(self.root.attrib[name]) for name in ("width", "height"))
        sheet = self.root.find(f"{SVG}rect[@fill='#E6E6E6']")
        left, top, right, bottom = edges(sheet) if sheet is not None else (0.0, 0.0, 0.0, 0.0)
        self.size = round((bottom - top) / CELL), round((right - left) / CELL)
        self.marks: Marks = {}
        self.hints: dict[tuple[int, int], str] = {}
        self.legend = set()
        rows, columns = [], []
        for group in self.root.iter(f"{SVG}g"):
            text = group.findtext(f"{SVG}text")
            shape = next((e for e in group if e.tag != f"{SVG}title"), None)
            if text is None and group.find(f"{SVG}title") is not None and shape is not None:
                x, y = middle(shape)
                assert left < x < right
                assert top < y < bottom
                cell = int((y - top) // CELL), int((x - left) // CELL)
                assert cell not in self.marks
                kind = SHAPES[shape.tag.removeprefix(SVG)]
                dotted = group.find(f"{SVG}circle") is not None and kind == "both"
                strength = "possible" if shape.attrib["fill"] == "none" else "sure"
                self.marks[cell] = kind, "mixed" if dotted else strength
                self.hints[cell] = group.findtext(f"{SVG}title") or ""
            elif text is not None and shape is not None:
                word = text, "stroke-dasharray" in shape.attrib
                if "transform" in group.attrib:
                    columns.append((numbers(group.attrib["transform"])[1], word))
                elif edges(shape)[1] < bottom or text.startswith("…"):
                    rows.append((edges(shape)[1], word))
                else:
                    self.legend.add(text)
        self.rows = [word for _, word in sorted(rows)]
        self.columns = [word for _, word in sorted(columns)]


def numbers(text: str) -> list[float]:
    return list(map(float, re.findall(r"-?[\d.]+", text)))


def edges(shape: ElementTree.Element) -> tuple[float, float, float, float]:
    x, y, w, h = (float(shape.attrib[name]) for name in ("x", "y", "width", "height"))
    return x, y, x + w, y + h


def middle(shape: ElementTree.Element) -> tuple[float, float]:
    if shape.tag == f"{SVG}circle":
        return float(shape.attrib["cx"]), float(shape.attrib["cy"])
    if shape.tag == f"{SVG}path":
        x, y, half = numbers(shape.attrib["d"])[:3]
        return x, y + half
    left, top, right, bottom = edges(shape)
    return (left + right) / 2, (top + bottom) / 2


def random_row(rng: random.Random, rows: int, columns: int) -> Alignment:
    pairs = [(s, t) for s in range(rows) for t in range(columns) if rng.random() < 0.25]
    rng.shuffle(pairs)
    return Alignment(tuple(pairs), frozenset(pair for pair in pairs if rng.random() < 0.4))


def expected(first: Alignment, second: Alignment) -> Marks:
    marks: Marks = {}
    for pair in {*first.links, *second.links}:
        sets = [row for row in (first, second) if pair in row.links]
        said = {"possible" if pair in row.possible else "sure" for row in sets}
        where = "both" if len(sets) == 2 else "first" if sets[0] is first else "second"
        marks[pair] = where, said.pop() if len(said) == 1 else "mixed"
    return marks


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_pictures_show_the_links(seed: int, compared: bool, leftwards: bool) -> None:
    rng = random.Random(seed)
    size = rng.randrange(1, 9), rng.randrange(1, 9)
    source = [f"s{i}" + "x" * rng.randrange(9) for i in range(size[0])]
    target = [("ש" if leftwards else "t") + f"{i}" + "x" * rng.randrange(9) for i in range(size[1])]
    first = random_row(rng, *size)
    second = random_row(rng, *size) if compared else first
    picture = alignment_svg(first, source, target, other=second if compared else None)
    assert picture == alignment_svg(first, source, target, other=second if compared else None)
    seen = Drawing(picture)
    marks = expected(first, Alignment(second.links, second.possible))
    if leftwards:
        seen.marks = {(s, size[1] - 1 - t): mark for (s, t), mark in seen.marks.items()}
        seen.columns.reverse()
    assert seen.size == size
    assert seen.marks == marks
    assert seen.rows == [(w, i not in {s for s, _ in marks}) for i, w in enumerate(source)]
    assert seen.columns == [(w, i not in {t for _, t in marks}) for i, w in enumerate(target)]
    entries = len({*marks.values()}) + any(missing for _, missing in seen.rows + seen.columns)
    assert len(seen.legend) == entries


def test_what_the_picture_says_to_those_who_point_at_it_or_cannot_see_it() -> None:
    first = Alignment(((0, 1), (1, 0)), frozenset({(1, 0)}))
    second = Alignment(((0, 1), (1, 1)), frozenset({(0, 1)}))
    alone = Drawing(alignment_svg(first, ["he", "ate"], ["tabeta", "kare"]))
    assert alone.hints == {(0, 1): "he – kare: sure", (1, 0): "ate – tabeta: possible"}
    assert alone.legend == {"sure", "possible"}
    assert alone.root.findtext(f"{SVG}title") == "Word alignment of he ate"
    assert alone.root.findtext(f"{SVG}desc") == "0-1 1p0."
    both = Drawing(
        alignment_svg(first, ["he", "ate"], ["a", "b"], other=second, names=("gold", "<ibm1>"))
    )
    assert both.hints == {
        (0, 1): "he – b: both, sure in one",
        (1, 0): "ate – a: only gold, possible",
        (1, 1): "ate – b: only <ibm1>, sure",
    }
    assert both.legend == {"both, sure in one", "only gold, possible", "only <ibm1>, sure"}
    assert both.root.findtext(f"{SVG}desc") == "gold: 0-1 1p0; <ibm1>: 0p1 1-1."


def test_tilted_words_fit_into_the_picture_and_beside_each_other() -> None:
    words = ["w" * 30] * 12
    seen = Drawing(alignment_svg(Alignment(()), ["x"], words))
    found = [g for g in seen.root.iter(f"{SVG}g") if "transform" in g.attrib]
    sine, cosine = 3**0.5 / 2, 0.5
    for group in found:
        angle, x, y = numbers(group.attrib["transform"])
        shape = group.find(f"{SVG}rect")
        assert shape is not None
        left, top, right, bottom = edges(shape)
        assert angle == -60
        assert left == pytest.approx(x, abs=0.1)
        assert y - (right - left) * sine - (bottom - top) / 2 * cosine >= 0
        assert x + (right - left) * cosine + (bottom - top) / 2 * sine <= seen.width
        assert CELL * sine >= bottom - top


def test_text_of_a_corpus_stays_text() -> None:
    links = Alignment(tuple((i, i) for i in range(len(HOSTILE))))
    picture = alignment_svg(links, HOSTILE, HOSTILE, title=HOSTILE[0])
    seen = Drawing(picture)
    assert not re.search(r"<(script|img)", picture)
    assert seen.rows[0][0] == seen.columns[0][0] == "<script>alert(1)</script>"
    assert seen.hints[2, 2] == "a�[2J�b – a�[2J�b: sure"


def test_long_sentences_are_cut() -> None:
    links = Alignment(tuple((i, i) for i in range(0, 260, 2)), frozenset(), 1 << 23, 301)
    seen = Drawing(alignment_svg(links))
    assert seen.size == (200, 200)
    assert len(seen.marks) == 100
    assert "30 links not shown" in seen.legend
    assert seen.rows[-2:] == [("199", True), (f"… {(1 << 23) - 200} more words", False)]
    assert seen.columns[-1] == ("… 101 more words", False)
    cut = Drawing(alignment_svg(links, ["w" * 99] * 259, ["語"] * 259))
    assert cut.rows[0] == ("w" * 29 + "…", False)


def test_what_is_not_there_is_not_drawn() -> None:
    assert Drawing(alignment_svg(Alignment(()))).size == (0, 0)
    seen = Drawing(alignment_svg(Alignment(()), ["a"], []))
    assert (seen.size, seen.marks, seen.columns) == ((0, 0), {}, [])
    assert Drawing(alignment_svg(Alignment((), frozenset(), 3, 2))).size == (3, 2)


def test_links_that_lead_past_the_words_are_refused() -> None:
    with pytest.raises(InputError, match="source_words: 1 word; expected 3 at least"):
        alignment_svg(Alignment(((2, 0),)), ["a"], ["b"])
    with pytest.raises(InputError, match="target_words: 0 words"):
        alignment_svg(Alignment(()), ["a"], [], other=Alignment(((0, 0),)))
    with pytest.raises(InputError, match="target of a link: -1; expected a number from 0"):
        alignment_svg(Alignment(((0, -1),)))


def test_notebooks_show_alignments() -> None:
    row = Alignment(((0, 0), (1, 1)))
    assert row._repr_html_() == row.to_svg() == alignment_svg(row)
    assert row.to_svg(["a", "b"], ["c", "d"]) == alignment_svg(row, ["a", "b"], ["c", "d"])
    html = Alignments.from_rows([[(0, 0)]] * 9)._repr_html_()
    assert html.startswith("<p>Alignments(9 rows, 9 links)</p>")
    assert html.endswith("<p>… 4 more rows</p>")
    assert html.count("<svg ") == 5
