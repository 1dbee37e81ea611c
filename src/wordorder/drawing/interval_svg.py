"""Values with their intervals as an SVG picture, one below the other on one scale."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from typing import Protocol

from wordorder.counts import number
from wordorder.drawing.scale import scale_steps
from wordorder.drawing.svg_boxes import FONT_SIZE, svg_number, text_width
from wordorder.drawing.tree_labels import drawable, shortened
from wordorder.errors import UsageError

_ROW = 24
_MARGIN = 12
_GAP = 10
_SCALE_WIDTH = 420
# On a phone.
_NARROW_WIDTH = 120
_NARROW_NAME = 14
_CAP = 5
# From the middle of a line to its base line.
_BASE = 5
# Okabe & Ito's blue contrasts with white and with black alike, and so does the grey.
_BLUE, _GREY = "#0072B2", "#808080"
_NOTHING = "no number"
# Of an interval in the cell of a table: its width, its height, and room for a dot at the ends.
_STRIP, _STRIP_HEIGHT, _STRIP_END = 140, 14, 6


class Interval(Protocol):
    """A value and its interval; NaN where there is none."""

    @property
    def value(self) -> float:
        """The value."""

    @property
    def low(self) -> float:
        """The lower end of its interval."""

    @property
    def high(self) -> float:
        """The upper end."""


def interval_svg(
    names: Sequence[str],
    estimates: Sequence[Interval],
    *,
    title: str = "Values and intervals",
    groups: Sequence[int | None] | None = None,
    narrow: bool = False,
) -> str:
    """Draw values with their intervals, one row each.

    A dot is the value and the line through it the interval. The text has the colour of what
    surrounds the picture.

    Parameters
    ----------
    names : sequence of str
        N of them, from the top down; those of more than 30 characters are cut.
    estimates : sequence
        N of them, with the attributes `value`, `low` and `high`. A row whose value is NaN says
        "no number"; one whose interval is NaN has a dot alone.
    title : str
        What the picture is, for readers who cannot see it.
    groups : sequence of int, optional
        N of them: a broken line separates rows of different groups.
    narrow : bool
        Whether the picture has to fit on a phone: the scale is shorter, and names of more than 14
        characters are cut.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text.

    Raises
    ------
    UsageError
        If there is not one name and one group for each estimate.

    Examples
    --------
    >>> from wordorder.statistics.intervals import Estimate
    >>> picture = interval_svg(["<A>", "B"], [Estimate(0.5, 0.4, 0.6), Estimate(0.7, 0.6, 0.8)])
    >>> picture.startswith("<svg "), "&lt;A&gt;: 0.5000 [0.4000, 0.6000]" in picture
    (True, True)
    """
    if len(names) != len(estimates):
        raise UsageError(f"{len(names)} names for {len(estimates)} estimates")
    if groups is not None and len(groups) != len(estimates):
        raise UsageError(f"{len(groups)} groups for {len(estimates)} estimates")
    scale_width = _NARROW_WIDTH if narrow else _SCALE_WIDTH
    longest = {"longest": _NARROW_NAME} if narrow else {}
    shown = [shortened(drawable(name), **longest) for name in names]
    ends = [
        end
        for each in estimates
        for end in (each.low, each.value, each.high)
        if not math.isnan(end)
    ]
    steps = scale_steps(min(ends, default=0.0), max(ends, default=1.0))
    left = _MARGIN + max(map(text_width, shown), default=0.0) + _GAP
    right = left + scale_width
    widest = _NOTHING if any(math.isnan(each.value) for each in estimates) else "-0.0000"
    width = right + _GAP + text_width(widest) + _MARGIN
    bottom = _MARGIN + _ROW * len(names)

    def x(value: float) -> str:
        return svg_number(left + scale_width * (value - steps[0]) / (steps[-1] - steps[0]))

    elements = []
    # Where the scale is short not all steps have room for their numbers.
    widest_step = max(text_width(f"{step:g}") for step in steps) + _GAP / 2
    named = math.ceil(widest_step * (len(steps) - 1) / scale_width)
    for place, step in enumerate(steps):
        elements.append(
            f'<path d="M{x(step)} {_MARGIN}V{bottom}" stroke="{_GREY}" stroke-opacity="0.5"/>'
        )
        if place % named == 0:
            elements.append(_text(x(step), bottom + _ROW / 2, f"{step:g}", "middle"))
    for row, (name, each) in enumerate(zip(shown, estimates, strict=True)):
        middle = _MARGIN + _ROW * (row + 0.5)
        if groups is not None and row and groups[row] != groups[row - 1]:
            elements.append(
                f'<path d="M{_MARGIN} {_MARGIN + _ROW * row}H{svg_number(width - _MARGIN)}" '
                f'stroke="{_GREY}" stroke-dasharray="6 4"/>'
            )
        y, cap = svg_number(middle), f"v{-2 * _CAP}"
        elements += [
            f"<g>\n<title>{escape(name)}: {_said(each)}</title>",
            _text(svg_number(left - _GAP), middle, name, "end"),
        ]
        if not (math.isnan(each.low) or math.isnan(each.high) or math.isnan(each.value)):
            line = (
                f"M{x(each.low)} {y}H{x(each.high)}"
                f"M{x(each.low)} {svg_number(middle + _CAP)}{cap}"
                f"M{x(each.high)} {svg_number(middle + _CAP)}{cap}"
            )
            elements.append(f'<path d="{line}" fill="none" stroke="{_BLUE}" stroke-width="2"/>')
        if not math.isnan(each.value):
            elements.append(f'<circle cx="{x(each.value)}" cy="{y}" r="4.5" fill="{_BLUE}"/>')
        written = _NOTHING if math.isnan(each.value) else number(each.value)
        elements += [_text(svg_number(right + _GAP), middle, written, "start"), "</g>"]
    said = "; ".join(
        f"{escape(name)} {_said(each)}" for name, each in zip(shown, estimates, strict=True)
    )
    size = svg_number(width), svg_number(bottom + _ROW + _MARGIN)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" '
            f'width="{size[0]}" height="{size[1]}" role="img" font-family="sans-serif" '
            f'font-size="{FONT_SIZE}" fill="currentColor">',
            f"<title>{escape(drawable(title))}</title>",
            f"<desc>{said}.</desc>",
            *elements,
            "</svg>",
        ]
    )


def interval_strip(each: Interval, low: float, high: float) -> str:
    """Draw one interval on a scale without numbers, for the cell of a table that says the numbers.

    Parameters
    ----------
    each : value with `low` and `high`
        All within the scale.
    low, high : float
        The ends of the scale.

    Returns
    -------
    str
        One ``<svg>`` element, hidden from screen readers; empty without a value or a scale.

    Examples
    --------
    >>> from wordorder.statistics.intervals import Estimate
    >>> interval_strip(Estimate(0.5, 0.4, 0.6), 0.0, 1.0).count("circle")
    1
    """
    if math.isnan(each.value) or not high > low:
        return ""

    def x(value: float) -> str:
        return svg_number(_STRIP_END + (_STRIP - 2 * _STRIP_END) * (value - low) / (high - low))

    middle = _STRIP_HEIGHT // 2
    line = ""
    if not (math.isnan(each.low) or math.isnan(each.high)):
        line = (
            f'<path d="M{x(each.low)} {middle}H{x(each.high)}" stroke="{_BLUE}" stroke-width="3"/>'
        )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_STRIP} {_STRIP_HEIGHT}" '
        f'width="{_STRIP}" height="{_STRIP_HEIGHT}" aria-hidden="true">'
        f'<path d="M{_STRIP_END} {middle}H{_STRIP - _STRIP_END}" stroke="{_GREY}" '
        f'stroke-opacity="0.5"/>{line}'
        f'<circle cx="{x(each.value)}" cy="{middle}" r="4.5" fill="{_BLUE}"/></svg>'
    )


def _said(each: Interval) -> str:
    """Say a value with its interval, as far as there are any."""
    if math.isnan(each.value):
        return _NOTHING
    if math.isnan(each.low) or math.isnan(each.high):
        return number(each.value)
    return f"{number(each.value)} [{number(each.low)}, {number(each.high)}]"


def _text(x: str, middle: float, text: str, anchor: str) -> str:
    y = svg_number(middle + _BASE)
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
