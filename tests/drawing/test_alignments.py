"""Drawings of alignments and of paths: a grid with links as marks, or lines from point to point."""

import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings, strategies as st
from tests.drawing.seen import SVG, attributes, edges, numbers, parsed
from tests.refusing import refuses

from wordorder.alignment.alignments import Alignment, Alignments
from wordorder.drawing.alignments import alignment_svg, path_svg
from wordorder.errors import InputError
from wordorder.metrics.text.paths import GridPath, cover_paths
from wordorder.text.texts import Texts

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
        self.root = parsed(picture)
        self.width, self.height = attributes(self.root, "width", "height")
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


def middle(shape: ElementTree.Element) -> tuple[float, float]:
    if shape.tag == f"{SVG}circle":
        x, y = attributes(shape, "cx", "cy")
        return x, y
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
    named = ("gold", "<ibm1>")
    both = Drawing(alignment_svg(first, ["he", "ate"], ["a", "b"], other=second, names=named))
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
    far, none, less = (Alignment(links) for links in (((2, 0),), (), ((0, -1),)))
    few = "source_words: 1 word; expected 3 at least"
    refuses(InputError, few, alignment_svg, far, ["a"], ["b"])
    other = Alignment(((0, 0),))
    refuses(InputError, "target_words: 0 words", alignment_svg, none, ["a"], [], other=other)
    refuses(InputError, "target of a link: -1; expected a number from 0", alignment_svg, less)


def test_notebooks_show_alignments() -> None:
    row = Alignment(((0, 0), (1, 1)))
    assert row._repr_html_() == row.to_svg() == alignment_svg(row)
    assert row.to_svg(["a", "b"], ["c", "d"]) == alignment_svg(row, ["a", "b"], ["c", "d"])
    html = Alignments.from_rows([[(0, 0)]] * 9)._repr_html_()
    assert html.startswith("<p>Alignments(9 rows, 9 links)</p>")
    assert html.endswith("<p>… 4 more rows</p>")
    assert html.count("<svg ") == 5


# -- Paths: lines from point to point, and arcs for jumps.


PICTURE = Path(__file__).parents[2] / "docs" / "images" / "cover-path.svg"


def traced(hypothesis: list[str], reference: list[str], direction: str = "reference") -> GridPath:
    return cover_paths(Texts.from_segments([hypothesis], [[reference]]), direction=direction)[0]


class PathDrawing:
    """What can be seen in a picture.

    Attributes
    ----------
    moves : list of (hint, start, end)
        Corners are counted in cells.
    dots : set of (column, row)
    legend : list of str
    missing : list of str
        The words in darker boxes.
    """

    def __init__(self, picture: str) -> None:
        self.root = parsed(picture)
        sheet = self.root.find(f"{SVG}rect[@fill='#E6E6E6']")
        assert sheet is not None
        self.left, self.top, width, height = attributes(sheet, "x", "y", "width", "height")
        self.size = round(width / CELL), round(height / CELL)
        self.moves = []
        for group in self.root.iter(f"{SVG}g"):
            lines = group.findall(f"{SVG}path")
            hint = group.findtext(f"{SVG}title")
            if lines and hint is not None:
                ends = numbers(lines[0].attrib["d"])
                self.moves.append((hint, self.corner(*ends[:2]), self.corner(*ends[-2:])))
                assert len(lines) == 1 + hint.startswith("jump")
        bottom = self.top + height
        circles = self.root.findall(f"{SVG}circle")
        centres = (attributes(circle, "cx", "cy") for circle in circles)
        self.dots = {self.corner(x - CELL / 2, y - CELL / 2) for x, y in centres if y < bottom}
        groups = list(self.root.iter(f"{SVG}g"))
        texts = [(group.findtext(f"{SVG}text"), group.find(f"{SVG}rect")) for group in groups]
        boxes = [(text, box) for text, box in texts if text is not None and box is not None]
        self.legend = [text for text, box in boxes if float(box.attrib["y"]) > bottom]
        self.missing = [text for text, box in boxes if "stroke-dasharray" in box.attrib]

    def corner(self, x: float, y: float) -> tuple[float, float]:
        place = (x - self.left) / CELL, (y - self.top) / CELL
        whole = round(place[0]), round(place[1])
        assert place == pytest.approx(whole, abs=0.01)
        return whole


@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_pictures_show_every_step(seed: int, turned: bool, leftwards: bool) -> None:
    rng = random.Random(seed)
    letters = "אבגד" if leftwards else "abcd"
    ours, theirs = (rng.choices(letters, k=rng.randrange(1, 9)) for _ in range(2))
    path = traced(ours, theirs, "candidate" if turned else "reference")
    picture = path.to_svg()
    assert picture == path.to_svg() == path._repr_html_()
    seen = PathDrawing(picture)

    def mirrored(point: tuple[int, int]) -> tuple[int, int]:
        return (len(ours) - point[0], point[1]) if leftwards else point

    points = path.points
    wanted = [
        (step.operation, mirrored(here), mirrored(there))
        for step, here, there in zip(path.steps, points[:-1], points[1:], strict=True)
    ]
    assert seen.size == (len(ours), len(theirs))
    found = [(re.split("[ :]", hint)[0], here, there) for hint, here, there in seen.moves]
    assert sorted(found) == sorted(wanted)
    matched = {(s.hypothesis, s.reference) for s in path.steps if s.operation == "match"}
    dots = {
        (len(ours) - 1 - i if leftwards else i, k)
        for k, word in enumerate(theirs)
        for i, other in enumerate(ours)
        if word == other and (i, k) not in matched
    }
    assert seen.dots == dots
    taken = [s for s in path.steps if s.operation in ("match", "substitution")]
    alone = [word for k, word in enumerate(theirs) if k not in {s.reference for s in taken}]
    alone += [word for i, word in enumerate(ours) if i not in {s.hypothesis for s in taken}]
    assert seen.missing == alone
    names = {step.operation for step in path.steps}
    others = {"equal words, not matched"} if dots else set()
    others |= {"no counterpart"} if alone else set()
    assert set(seen.legend) == names | others


def test_what_the_picture_says_and_that_of_the_documentation() -> None:
    seen = PathDrawing(traced("on tuesday we met".split(), "we met on friday".split()).to_svg())
    assert {hint for hint, _, _ in seen.moves} == {
        *("jump from 0 to 2", "match: we", "match: met"),
        *("insertion: on", "insertion: friday"),
    }
    assert seen.root.findtext(f"{SVG}title") == "Path from on tuesday we met to we met on friday"
    assert seen.root.findtext(f"{SVG}desc") == "1 jump, 2 insertions, 2 matches: cost 3."
    path = traced("on tuesday we have met at seven".split(), "we met at six on tuesday".split())
    assert PICTURE.read_text("utf-8") == path.to_svg() + "\n"


def test_long_and_empty_sentences() -> None:
    moves = [("match", n, n) for n in range(250)]
    words = [f"w{n}" for n in range(250)]
    seen = PathDrawing(path_svg(moves, words, words, summary=""))
    assert len(seen.moves) == 200
    assert "50 steps not shown" in seen.legend
    assert path_svg([], [], [], summary="cost 0").startswith("<svg ")
    assert path_svg([("jump", 0, 0)], ["a"], [], summary="").count("<title>jump") == 1
