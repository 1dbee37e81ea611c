"""Scatter pictures and intervals: all on one scale, names that cover nothing, text escaped."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, strategies as st

from wordorder.drawing.plots import (
    HEIGHT,
    WIDTH,
    interval_strip,
    interval_svg,
    place_names,
    scatter_svg,
)
from wordorder.drawing.svg import text_width
from wordorder.errors import UsageError
from wordorder.statistics.intervals import Estimate

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
    found = place_names(points, names, room)
    assert place_names(points, names, room, forced=True) is not None
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
    assert place_names([(10.0, 50.0)], ["a"], (0, 0, 100, 100)) is not None
    # Too close to the right edge: on the left.
    assert place_names([(95.0, 50.0)], ["abc"], (0, 0, 100, 100)) == [(86.5, 50, "end")]


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
    with pytest.raises(UsageError, match="1 names for 0 estimates"):
        interval_svg(["a"], [])


# -- Intervals: everything on one scale, nothing outside.


values = st.integers(-(10**5), 10**5).map(lambda value: value / 1000)


@given(st.lists(st.tuples(values, values, values), max_size=5))
def test_every_interval_is_on_the_scale(rows: list[tuple[float, float, float]]) -> None:
    estimates = [Estimate(b, a, c) for a, b, c in map(sorted, rows)]
    root = ET.fromstring(interval_svg(["name"] * len(rows), estimates))
    scale = [
        float(re.match(r"M([-\d.]+) ", path.attrib["d"])[1])  # type: ignore[index]
        for path in root.findall(f"{NAME}path")
    ]
    assert scale == sorted(scale)
    assert len(scale) >= 2
    for group, estimate in zip(root.findall(f"{NAME}g"), estimates, strict=True):
        line, dot = group.find(f"{NAME}path"), group.find(f"{NAME}circle")
        assert line is not None
        assert dot is not None
        ends = re.findall(r"M([-\d.]+) [-\d.]+v", line.attrib["d"])
        low, high = map(float, ends)
        assert scale[0] - 0.1 <= low <= float(dot.attrib["cx"]) <= high <= scale[-1] + 0.1
        interval = f"[{estimate.low:.4f}, {estimate.high:.4f}]"
        assert group.findtext(f"{NAME}title") == f"name: {estimate.value:.4f} {interval}"


def test_dots_stand_in_proportion() -> None:
    root = ET.fromstring(
        interval_svg(["a", "b", "c"], [Estimate(v, v, v) for v in (0.2, 0.3, 0.6)])
    )
    dots = [float(dot.attrib["cx"]) for dot in root.iter(f"{NAME}circle")]
    assert (dots[2] - dots[0]) / (dots[1] - dots[0]) == pytest.approx(4, abs=0.01)


def test_names_of_intervals_are_text() -> None:
    drawing = interval_svg(["<b>\u202e" + "x" * 40], [Estimate(0, 0, 0)], title="<t>")
    root = ET.fromstring(drawing)
    assert root.findtext(f"{NAME}title") == "<t>"
    name = next(root.iter(f"{NAME}g")).findtext(f"{NAME}text")
    assert name == "<b>\ufffd" + "x" * 25 + "…"


def test_rows_without_a_number_or_an_interval() -> None:
    nan = float("nan")
    rows = [Estimate(0.5, 0.4, 0.6), Estimate(0.5, nan, nan), Estimate(nan, nan, nan)]
    root = ET.fromstring(interval_svg(["a", "b", "c"], rows, groups=[1, 1, None]))
    groups = root.findall(f"{NAME}g")
    assert [len(group.findall(f"{NAME}circle")) for group in groups] == [1, 1, 0]
    assert [len(group.findall(f"{NAME}path")) for group in groups] == [1, 0, 0]
    said = [group.findtext(f"{NAME}title") for group in groups]
    assert said == ["a: 0.5000 [0.4000, 0.6000]", "b: 0.5000", "c: no number"]
    # One line between the two groups.
    assert len(root.findall(f"{NAME}path[@stroke-dasharray]")) == 1
    assert "nan" not in ET.tostring(root, "unicode")
    with pytest.raises(UsageError, match="1 groups for 3 estimates"):
        interval_svg(["a", "b", "c"], rows, groups=[1])


def test_a_strip_has_the_proportions_of_its_scale() -> None:
    root = ET.fromstring(interval_strip(Estimate(0.5, 0.25, 1.0), 0.0, 1.0))
    dot = root.find(f"{NAME}circle")
    assert dot is not None
    scale, line = (path.attrib["d"] for path in root.findall(f"{NAME}path"))
    start, end = map(float, re.findall(r"[MH]([-\d.]+)", scale))
    low, high = map(float, re.findall(r"[MH]([-\d.]+)", line))
    assert (float(dot.attrib["cx"]) - start) / (end - start) == pytest.approx(0.5)
    assert (low - start) / (end - start) == pytest.approx(0.25)
    assert high == end
    assert interval_strip(Estimate(float("nan"), 0, 0), 0.0, 1.0) == ""
