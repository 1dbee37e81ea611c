"""Drawings of paths: lines from point to point, and arcs for jumps."""

import random
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, strategies as st

from wordorder.drawing.alignments import path_svg
from wordorder.metrics.text.paths import GridPath, cover_paths
from wordorder.text.texts import Texts

SVG = "{http://www.w3.org/2000/svg}"
CELL = 28
PICTURE = Path(__file__).parents[2] / "docs" / "images" / "cover-path.svg"
HOSTILE = ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "a\x1b[2J\x00b"]


def traced(hypothesis: list[str], reference: list[str], direction: str = "reference") -> GridPath:
    return cover_paths(Texts.from_segments([hypothesis], [[reference]]), direction=direction)[0]


class Drawing:
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
        self.root = ElementTree.fromstring(picture)
        assert {e.tag.removeprefix(SVG) for e in self.root.iter()} <= {
            *("svg", "title", "desc", "path", "g", "rect", "circle", "text")
        }
        sheet = self.root.find(f"{SVG}rect[@fill='#E6E6E6']")
        assert sheet is not None
        self.left, self.top, width, height = (
            float(sheet.attrib[name]) for name in ("x", "y", "width", "height")
        )
        self.size = round(width / CELL), round(height / CELL)
        self.moves = []
        for group in self.root.iter(f"{SVG}g"):
            lines = group.findall(f"{SVG}path")
            hint = group.findtext(f"{SVG}title")
            if lines and hint is not None:
                numbers = list(map(float, re.findall(r"-?[\d.]+", lines[0].attrib["d"])))
                self.moves.append((hint, self.corner(*numbers[:2]), self.corner(*numbers[-2:])))
                assert len(lines) == 1 + hint.startswith("jump")
        centres = [
            (float(circle.attrib["cx"]), float(circle.attrib["cy"]))
            for circle in self.root.findall(f"{SVG}circle")
        ]
        self.dots = {
            self.corner(x - CELL / 2, y - CELL / 2) for x, y in centres if y < self.top + height
        }
        texts = [
            (group.findtext(f"{SVG}text"), group.find(f"{SVG}rect"))
            for group in self.root.iter(f"{SVG}g")
        ]
        boxes = [(text, box) for text, box in texts if text is not None and box is not None]
        bottom = self.top + height
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
    seen = Drawing(picture)

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


def test_what_the_picture_says() -> None:
    seen = Drawing(traced("on tuesday we met".split(), "we met on friday".split()).to_svg())
    assert {hint for hint, _, _ in seen.moves} == {
        *("jump from 0 to 2", "match: we", "match: met"),
        *("insertion: on", "insertion: friday"),
    }
    assert seen.root.findtext(f"{SVG}title") == "Path from on tuesday we met to we met on friday"
    assert seen.root.findtext(f"{SVG}desc") == "1 jump, 2 insertions, 2 matches: cost 3."


def test_the_picture_of_the_documentation_is_what_is_drawn() -> None:
    path = traced("on tuesday we have met at seven".split(), "we met at six on tuesday".split())
    assert PICTURE.read_text("utf-8") == path.to_svg() + "\n"


def test_text_of_a_corpus_stays_text() -> None:
    picture = traced(HOSTILE, HOSTILE[::-1]).to_svg()
    assert not re.search(r"<(script|img)", picture)
    assert any("�[2J�" in hint for hint, _, _ in Drawing(picture).moves)


def test_long_sentences_are_cut() -> None:
    moves = [("match", n, n) for n in range(250)]
    words = [f"w{n}" for n in range(250)]
    seen = Drawing(path_svg(moves, words, words, summary=""))
    assert len(seen.moves) == 200
    assert "50 steps not shown" in seen.legend


def test_no_words() -> None:
    assert path_svg([], [], [], summary="cost 0").startswith("<svg ")
    assert path_svg([("jump", 0, 0)], ["a"], [], summary="").count("<title>jump") == 1
