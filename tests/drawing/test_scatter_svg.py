"""Scatter pictures: points where they belong, names that cover nothing, text escaped."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wordorder.drawing.plots import HEIGHT, WIDTH, placed_names, scatter_svg
from wordorder.drawing.svg import text_width
from wordorder.errors import UsageError

NAME = "{http://www.w3.org/2000/svg}"
places = st.tuples(st.integers(0, 380).map(float), st.integers(0, 300).map(float))


def drawn(across: list[float], up: list[float], names: list[str] | None = None) -> ET.Element:
    labels = {"across_label": "metric", "up_label": "people", "title": "metric and people"}
    return ET.fromstring(scatter_svg(np.array(across), np.array(up), names, **labels))


def dots(root: ET.Element) -> list[tuple[float, float]]:
    return [
        (float(each.attrib["cx"]), float(each.attrib["cy"])) for each in root.iter(f"{NAME}circle")
    ]


def test_dots_are_in_proportion_and_up_is_more() -> None:
    (x0, y0), (x1, y1), (x2, y2) = dots(drawn([0.0, 0.25, 1.0], [0.0, 5.0, 20.0]))
    assert (x1 - x0) / (x2 - x0) == pytest.approx(0.25, abs=0.001)
    assert (y1 - y0) / (y2 - y0) == pytest.approx(0.25, abs=0.001)
    assert y0 > y1 > y2
    assert x2 - x0 == pytest.approx(WIDTH, abs=0.1)
    assert y0 - y2 == pytest.approx(HEIGHT, abs=0.1)


def test_points_without_a_number_are_left_out_with_their_names() -> None:
    root = drawn([0.1, np.nan, 0.3], [1.0, 2.0, np.nan], ["A", "B", "C"])
    assert len(dots(root)) == 1
    assert root.findtext(f"{NAME}desc") == "metric (across) and people (up): A 0.1000, 1.0000."


def test_nothing_is_drawn_of_nothing() -> None:
    root = drawn([], [])
    assert dots(root) == []
    assert root.findtext(f"{NAME}desc") == "metric (across) and people (up): 0 points."


def test_names_are_text() -> None:
    text = "<b>\u202e&" + "x" * 40
    labels = {"across_label": text, "up_label": text, "title": text}
    root = ET.fromstring(scatter_svg(np.array([1.0]), np.array([1.0]), [text], **labels))
    texts = [each.text for each in root.iter(f"{NAME}text")]
    assert "<b>\ufffd&" + "x" * 12 + "…" + "x" * 10 in texts
    # The label of the scale may be longer, and the whole name is there for the pointer.
    assert text.replace("\u202e", "\ufffd") in texts
    said = root.find(f"{NAME}g").findtext(f"{NAME}title")  # type: ignore[union-attr]
    assert said == text.replace("\u202e", "\ufffd") + ": 1.0000, 1.0000"
    assert not list(root.iter(f"{NAME}b"))


def shared(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return (
        min(one[2], other[2]) > max(one[0], other[0])
        and min(one[3], other[3]) > max(one[1], other[1])
    )  # fmt: skip


@given(st.lists(places, min_size=1, max_size=12))
def test_names_cover_neither_points_nor_each_other(points: list[tuple[float, float]]) -> None:
    names = [f"system {n}" for n in range(len(points))]
    room = (0.0, 0.0, 380.0, 300.0)
    found = placed_names(points, names, room)
    assert placed_names(points, names, room, forced=True) is not None
    if found is None:
        return
    boxes = []
    for name, (x, y, anchor) in zip(names, found, strict=True):
        width = text_width(name)
        left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
        boxes.append((left, y - 8, left + width, y + 8))
    circles = [(x - 4.5, y - 4.5, x + 4.5, y + 4.5) for x, y in points]
    for n, box in enumerate(boxes):
        assert not any(shared(box, other) for other in boxes[:n])
        assert not any(shared(box, circle) for m, circle in enumerate(circles) if m != n)
        assert box[0] >= 0
        assert box[1] >= 0
        assert box[2] <= 380
        assert box[3] <= 300


def test_one_point_has_its_name_beside_it() -> None:
    assert placed_names([(10.0, 50.0)], ["a"], (0, 0, 100, 100)) is not None
    # Too close to the right edge: on the left.
    assert placed_names([(95.0, 50.0)], ["abc"], (0, 0, 100, 100)) == [(86.5, 50, "end")]


def test_dots_are_numbered_if_their_names_do_not_fit() -> None:
    names = [f"a system with a long name {n}" for n in range(30)]
    root = drawn([0.5] * 30, [float(n) for n in range(30)], names)
    listed = [each.text or "" for each in root.findall(f"{NAME}text")]
    # From the top down, each behind its number.
    first = listed.index("1")
    assert listed[first:] == [
        text for n in range(1, 31) for text in (str(n), f"a system with a long name {30 - n}")
    ]
    numbers = [group.findtext(f"{NAME}text") for group in root.findall(f"{NAME}g")]
    assert numbers == [str(30 - n) for n in range(30)]
    titles = [group.findtext(f"{NAME}title") for group in root.findall(f"{NAME}g")]
    assert titles[0] == "a system with a long name 0: 0.5000, 0.0000"


def test_many_points_are_counted_in_squares() -> None:
    random = np.random.default_rng(3)
    x, y = random.random(2000), random.random(2000)
    root = drawn([*x, 0.0, 1.0], [*y, 0.0, 1.0])
    assert not dots(root)
    # Each square is drawn once, and there are as many as have points.
    squares = [
        place
        for path in root.findall(f"{NAME}path[@fill-opacity]")
        for place in re.findall(r"M([-\d.]+ [-\d.]+)h10", path.attrib["d"])
    ]
    columns, rows = WIDTH // 10, HEIGHT // 10
    cells = {
        (min(int(a * columns), columns - 1), min(int(b * rows), rows - 1))
        for a, b in [*zip(x, y, strict=True), (0.0, 0.0), (1.0, 1.0)]
    }
    assert len(squares) == len(set(squares)) == len(cells)
    shades = {path.attrib["fill-opacity"] for path in root.findall(f"{NAME}path[@fill-opacity]")}
    legend = {each.attrib["fill-opacity"] for each in root.findall(f"{NAME}rect")}
    assert shades == legend


def test_the_means_are_those_of_ten_parts() -> None:
    x = np.arange(1000.0)
    root = drawn(list(x), list(x))
    (line,) = (path.attrib["d"] for path in root.findall(f"{NAME}path") if "L" in path.attrib["d"])
    found = [tuple(map(float, each.split())) for each in line[1:].split("L")]
    assert len(found) == 10
    # The first tenth's mean is 49.5 of 0 .. 1000, the last 949.5.
    assert (found[-1][0] - found[0][0]) / WIDTH == pytest.approx(0.9, abs=0.001)
    assert (found[0][1] - found[-1][1]) / HEIGHT == pytest.approx(0.9, abs=0.001)


def test_equal_points_give_equal_pictures() -> None:
    random = np.random.default_rng(3)
    x = random.random(500)
    labels = {"across_label": "a", "up_label": "b", "title": "c"}
    assert scatter_svg(x, x, **labels) == scatter_svg(x.copy(), x.copy(), **labels)


def test_shapes_are_checked() -> None:
    labels = {"across_label": "a", "up_label": "b", "title": "c"}
    with pytest.raises(UsageError, match="1 names for 2 points"):
        scatter_svg(np.zeros(2), np.zeros(2), ["a"], **labels)
    with pytest.raises(UsageError, match="points of shapes"):
        scatter_svg(np.zeros(2), np.zeros(3), **labels)
