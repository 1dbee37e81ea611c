"""Drawings of orders and of translations: rows of words, joined by lines that cross."""

import random
import re
from itertools import chain
from typing import NamedTuple
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings, strategies as st
from tests.drawing.seen import SVG, apart, attributes, edges, numbers, parsed, within
from tests.refusing import refuses
from tests.strategies import tied

from wordorder import Segments, metric
from wordorder.errors import InputError
from wordorder.order.orders import Order, Orders, order_picture

ORANGE, BLUE, GREY = "#D55E00", "#0072B2", "#808080"


class Box(NamedTuple):
    text: str
    left: float
    top: float
    right: float
    bottom: float
    missing: bool

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2


class Drawing:
    """What can be seen in a picture with two or three rows."""

    def __init__(self, picture: str) -> None:
        self.root = parsed(picture)
        self.boxes = []
        for group in self.root.iter(f"{SVG}g"):
            shape, text = group.find(f"{SVG}rect"), group.findtext(f"{SVG}text")
            assert shape is not None
            missing = "stroke-dasharray" in shape.attrib
            self.boxes.append(Box(text or "", *edges(shape), missing))
        names = {"source", "result", "reference"}
        tops = [box.top for box in self.boxes if box.text in names]
        self.rows = [
            sorted(
                (b for b in self.boxes if b.top == top and b.text not in names),
                key=lambda box: box.left,
            )
            for top in tops
        ]
        self.legend = {box.text for box in self.boxes if box.top > tops[-1]}
        last = max(tops) + 40
        rectangles = list(self.root.iter(f"{SVG}rect"))
        framed = [e for e in rectangles if (e.get("stroke"), e.get("fill")) == (GREY, "none")]
        self.frames = [edges(e) for e in framed if edges(e)[3] < last]
        paths = [(e.get("stroke"), e.attrib["d"]) for e in self.root.iter(f"{SVG}path")]
        ends = [(s, numbers(d)) for s, d in paths if "L" in d]
        self.lines = [(s, e[i : i + 4]) for s, e in ends for i in range(0, len(e), 4)]
        marks = [d for stroke, d in paths if stroke == ORANGE]
        self.marks = [d for d in marks if numbers(d)[1] < last]
        self.braces = sum(d.count("M") for stroke, d in paths if stroke == GREY and "q" in d)

    def joined(self, upper: int) -> list[tuple[str, str]]:
        """Return the words at the ends of the lines between a row and the next."""
        one, other = self.rows[upper], self.rows[upper + 1]
        found = []
        for _, (x1, y1, x2, y2) in self.lines:
            if one and y1 == one[0].bottom:
                assert y2 == other[0].top
                found.append((near(one, x1).text, near(other, x2).text))
        return sorted(found)


def near(row: list[Box], x: float) -> Box:
    box = min(row, key=lambda box: abs(box.middle - x))
    assert abs(box.middle - x) < 0.2
    return box


def random_case(rng: random.Random, *, whole: bool) -> tuple[list[int], list[list[int]], int]:
    words = rng.randrange(14)
    share = 1.0 if whole else 0.8
    result = [p for p in range(words) if rng.random() < share]
    row = [p for p in range(words) if rng.random() < share]
    rng.shuffle(result)
    rng.shuffle(row)
    return result, tied(rng, row, 0.4), words


@settings(max_examples=60)
@given(st.integers(0, 2**32), st.booleans(), st.booleans())
def test_pictures_show_the_orders_and_the_chunks_of_the_metric(
    seed: int, whole: bool, leftwards: bool
) -> None:
    rng = random.Random(seed)
    result, groups, size = random_case(rng, whole=whole)
    words = [("א" if leftwards else "w") + f"{i}" + "x" * rng.randrange(9) for i in range(size)]
    picture = order_picture(words, result, Order(tuple(map(tuple, groups))))
    assert picture == order_picture(words, result, Order(tuple(map(tuple, groups))))
    seen = Drawing(picture)
    step = -1 if leftwards and words else 1
    rows = [[box.text for box in row[::step]] for row in seen.rows]
    assert rows[0] == words
    assert rows[1] == [words[p] for p in result]
    at = 0
    for group in groups:
        assert sorted(rows[2][at : at + len(group)]) == sorted(words[p] for p in group)
        at += len(group)

    # Every word is joined with itself, and only with itself.
    assert seen.joined(0) == sorted((words[p], words[p]) for p in result)
    both = [p for p in result if p in set(chain.from_iterable(groups))]
    assert seen.joined(1) == sorted((words[p], words[p]) for p in both)
    missing = {words[p] for p in range(size)} - {words[p] for p in both}
    assert {b.text for row in seen.rows for b in row if b.missing} == missing

    # The frames are chunks of the reference, as many as the metric counts.
    orders = Orders.from_rows([result]), Orders.from_rows([groups])
    kept, pairs = metric("frs", average="micro").statistics(Segments.from_orders(*orders))[0, :2]
    assert len(seen.frames) == (pairs - kept + 1 if both else 0)
    assert len(seen.marks) == max(len(seen.frames) - 1, 0)
    shared = [text for text in rows[2] if text not in missing]
    framed = []
    for left, _, right, _ in sorted(seen.frames)[::step]:
        inside = [b for b in seen.rows[1][::step] if left < b.left and b.right < right]
        chunk = [b.text for b in inside if not b.missing]
        start = shared.index(chunk[0])
        assert shared[start : start + len(chunk)] == chunk
        framed += chunk
    assert framed == [words[p] for p in both]

    ties = sum(len(group) > 1 for group in groups)
    assert seen.braces == 4 * (ties + (1 if ties else 0))
    assert ("words that tie" in seen.legend) == bool(ties)

    places = [(box.left, box.top, box.right, box.bottom) for box in seen.boxes]
    within(places, *attributes(seen.root, "width", "height"))
    apart(places)


def test_lines_of_words_that_stay_do_not_cross() -> None:
    rng = random.Random(3)
    for _ in range(30):
        result, _, size = random_case(rng, whole=True)
        seen = Drawing(order_picture(list("abcdefghijklmn")[:size], result, None))
        lines = sorted(line for colour, line in seen.lines if colour == GREY)
        assert [x for _, _, x, _ in lines] == sorted(x for _, _, x, _ in lines)
        assert ("moved" in seen.legend) == any(colour == BLUE for colour, _ in seen.lines)
        assert len(seen.lines) == size


def test_the_description_says_what_the_picture_shows() -> None:
    words = "She can read the book not".split()
    reference = Order(((0,), (3, 4), (2,), (1,)))
    root = ElementTree.fromstring(order_picture(words, [0, 2, 4, 3, 1, 5], reference, title="T"))
    assert root.findtext(f"{SVG}title") == "T of She can read the book not"
    assert root.findtext(f"{SVG}desc") == (
        "result: She | read | book the | can not; reference: She {{ book the }} read can; "
        "4 chunks of 5 words."
    )
    hints = [e.text for e in root.iter(f"{SVG}title")]
    assert "read: source 3, result 2, reference 4, chunk 2 of 4" in hints
    assert "not: source 6, result 6, not in reference" in hints


def test_names_of_the_rows_and_orders_without_words() -> None:
    picture = order_picture(["a"], [0], Order(((0,),)), names=("raw", "P1R5", "<gold>"))
    assert {"raw", "P1R5", "<gold>"} <= {e.text for e in ElementTree.fromstring(picture).iter()}
    numbers = [[b.text for b in row] for row in Drawing(order_picture(None, [7, 2])).rows]
    assert numbers == [["2", "7"], ["7", "2"]]
    assert Drawing(order_picture([], [], Order(()))).rows == [[], [], []]


def test_long_sentences_are_cut() -> None:
    words = ["w" * 99] + [f"w{i}" for i in range(1, 250)]
    result = [*range(100, 250), *range(100)]
    seen = Drawing(order_picture(words, result, Order(tuple((p,) for p in range(250)))))
    assert [len(row) for row in seen.rows] == [201, 201, 201]
    assert {row[-1].text for row in seen.rows} == {"… 50 more words"}
    assert seen.rows[0][0].text == "w" * 29 + "…"
    # What is not drawn in one of two rows is in the box for the rest; in neither, nowhere.
    joined = seen.joined(0)
    assert len(joined) == 250
    assert sum(ends == ("… 50 more words", f"w{p}") for p in range(250) for ends in joined) == 50
    assert joined == sorted((below, above) for above, below in seen.joined(1))
    assert (len(seen.frames), len(seen.marks)) == (2, 1)
    assert max(seen.frames)[2] < seen.rows[1][-1].left
    same = Drawing(order_picture(words, range(250)))
    assert len(same.lines) == 200


@pytest.mark.parametrize(
    ("words", "result", "message"),
    [
        (2, [0, 2], "result: position 2; expected a position from 0 to 1"),
        (2, [-1], "result: position -1"),
        (0, [0], "no words"),
        (2, [1, 1], "result: position 1 is listed twice"),
    ],
)
def test_orders_of_other_words_are_refused(words: int, result: list[int], message: str) -> None:
    refuses(InputError, re.escape(message), order_picture, ["w"] * words, result)
    with pytest.raises(InputError, match=re.escape(message.replace("result", "reference"))):
        order_picture(["w"] * words, [], Order(tuple((p,) for p in result)))


def test_notebooks_show_orders() -> None:
    order = Order(((2,), (0, 1)))
    assert order._repr_html_() == order.to_svg()
    assert "words that tie" in order.to_svg(["a", "b", "c"])
    reference = order.to_svg(["a", "b", "c"], Order(((0,), (1,), (2,))))
    assert {"order", "reference"} <= {box.text for box in Drawing(reference).boxes}
    # A position is no number of words.
    assert len(Order(((1 << 23,),)).to_svg()) < 3000

    html = Orders.from_rows([[1, 0]] * 6)._repr_html_()
    assert html.startswith("<p>Orders(6 rows, 12 words)</p>")
    assert html.endswith("<p>… 1 more row</p>")
    assert html.count("<svg ") == 5
    assert Orders.from_rows([[0]])._repr_html_().count("more") == 0
