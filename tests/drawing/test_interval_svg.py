"""Drawings of intervals: everything on one scale, nothing outside, text escaped."""

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given, strategies as st

from wordorder.drawing.plots import interval_strip, interval_svg
from wordorder.errors import UsageError
from wordorder.statistics.intervals import Estimate

NAME = "{http://www.w3.org/2000/svg}"
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


def test_names_are_text() -> None:
    drawing = interval_svg(["<b>\u202e" + "x" * 40], [Estimate(0, 0, 0)], title="<t>")
    root = ET.fromstring(drawing)
    assert root.findtext(f"{NAME}title") == "<t>"
    name = next(root.iter(f"{NAME}g")).findtext(f"{NAME}text")
    assert name == "<b>\ufffd" + "x" * 25 + "…"


def test_one_name_an_estimate() -> None:
    with pytest.raises(UsageError, match="1 names for 0 estimates"):
        interval_svg(["a"], [])


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
