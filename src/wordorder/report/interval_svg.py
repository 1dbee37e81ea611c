"""Values with their intervals as an SVG picture, one below the other on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from itertools import count, takewhile

from wordorder.drawing.svg_boxes import FONT_SIZE, svg_number, text_width
from wordorder.drawing.tree_labels import drawable
from wordorder.errors import UsageError
from wordorder.report.tables import number
from wordorder.statistics.intervals import Estimate

_ROW = 24
_MARGIN = 12
_GAP = 10
_SCALE_WIDTH = 420
_LONGEST_NAME = 30
_CAP = 5
# From the middle of a line to its base line.
_BASE = 5
# Okabe & Ito's blue stands out from white and from black alike, and so does the grey.
_BLUE, _GREY = "#0072B2", "#808080"
# At most so many steps of the scale are named.
_STEPS = 6


def interval_svg(
    names: Sequence[str], estimates: Sequence[Estimate], *, title: str = "Values and intervals"
) -> str:
    """Draw values with their intervals, one row each.

    A dot is the value and the line through it the interval. The text has the colour of what stands
    around the picture.

    Parameters
    ----------
    names : sequence of str
        N of them, from the top down; those of more than 30 characters are cut.
    estimates : sequence of Estimate
        N of them.
    title : str
        What the picture is, for readers who cannot see it.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text.

    Raises
    ------
    UsageError
        If there is not one name for each estimate.

    Examples
    --------
    >>> picture = interval_svg(["<A>", "B"], [Estimate(0.5, 0.4, 0.6), Estimate(0.7, 0.6, 0.8)])
    >>> picture.startswith("<svg "), "&lt;A&gt;: 0.5000 [0.4000, 0.6000]" in picture
    (True, True)
    """
    if len(names) != len(estimates):
        raise UsageError(f"{len(names)} names for {len(estimates)} estimates")
    shown = [_cut(drawable(name)) for name in names]
    steps = _steps(
        min((each.low for each in estimates), default=0.0),
        max((each.high for each in estimates), default=1.0),
    )
    left = _MARGIN + max(map(text_width, shown), default=0.0) + _GAP
    right = left + _SCALE_WIDTH
    width = right + _GAP + text_width("-0.0000") + _MARGIN
    bottom = _MARGIN + _ROW * len(names)

    def x(value: float) -> str:
        return svg_number(left + _SCALE_WIDTH * (value - steps[0]) / (steps[-1] - steps[0]))

    elements = []
    for step in steps:
        elements.append(
            f'<path d="M{x(step)} {_MARGIN}V{bottom}" stroke="{_GREY}" stroke-opacity="0.5"/>'
        )
        elements.append(_text(x(step), bottom + _ROW / 2, f"{step:g}", "middle"))
    for row, (name, each) in enumerate(zip(shown, estimates, strict=True)):
        middle = _MARGIN + _ROW * (row + 0.5)
        y, cap = svg_number(middle), f"v{-2 * _CAP}"
        line = (
            f"M{x(each.low)} {y}H{x(each.high)}"
            f"M{x(each.low)} {svg_number(middle + _CAP)}{cap}"
            f"M{x(each.high)} {svg_number(middle + _CAP)}{cap}"
        )
        elements += [
            f"<g>\n<title>{escape(name)}: {_said(each)}</title>",
            _text(svg_number(left - _GAP), middle, name, "end"),
            f'<path d="{line}" fill="none" stroke="{_BLUE}" stroke-width="2"/>',
            f'<circle cx="{x(each.value)}" cy="{y}" r="4.5" fill="{_BLUE}"/>',
            _text(svg_number(right + _GAP), middle, number(each.value), "start"),
            "</g>",
        ]
    said = "; ".join(
        f"{escape(name)} {_said(each)}" for name, each in zip(shown, estimates, strict=True)
    )
    size = svg_number(width), svg_number(bottom + _ROW + _MARGIN)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" '
            f'width="{size[0]}" height="{size[1]}" role="img" font-family="sans-serif" '
            f'font-size="{FONT_SIZE}" fill="currentColor">',
            f"<title>{escape(title)}</title>",
            f"<desc>{said}.</desc>",
            *elements,
            "</svg>",
        ]
    )


def _steps(low: float, high: float) -> list[float]:
    """Return the named values of a scale that covers ``low .. high``, at least two.

    Examples
    --------
    >>> _steps(0.21, 0.64)
    [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    """
    span = max(high - low, 1e-6 * max(abs(low), abs(high)), 1e-9)
    power = 10.0 ** math.floor(math.log10(span / _STEPS))
    for unit in (power * factor for factor in (1, 2, 5, 10, 20)):
        first, last = math.floor(low / unit + 1e-9), math.ceil(high / unit - 1e-9)
        if last - first <= _STEPS:
            break
    last = max(last, first + 1)
    return [round(step * unit, 12) for step in takewhile(lambda step: step <= last, count(first))]


def _said(estimate: Estimate) -> str:
    return f"{number(estimate.value)} [{number(estimate.low)}, {number(estimate.high)}]"


def _text(x: str, middle: float, text: str, anchor: str) -> str:
    y = svg_number(middle + _BASE)
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"
