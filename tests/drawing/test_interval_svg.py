"""Drawings of intervals: everything on one scale, nothing outside, text escaped."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wordorder.drawing.interval_svg import interval_svg
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
