"""Values of systems with their intervals: bars from zero, or dots on a scale of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from wordorder.counts import number
from wordorder.drawing.figure import (
    BLACK,
    COLUMN,
    GREY,
    Cell,
    Circle,
    Figure,
    Label,
    Line,
    Mark,
    Stroke,
    rectangle,
)
from wordorder.drawing.interval_svg import Interval
from wordorder.drawing.text_size import fitted_names, printed_width
from wordorder.report.figures.axes import (
    AXIS,
    BASE,
    GAP,
    LINE,
    MARGIN,
    Scale,
    below,
    upright_grid,
)

_ROW, _BAR, _CAP, _RADIUS = 13.0, 8.0, 2.0, 2.4
# Okabe & Ito's sky blue under black lines, and their blue for dots.
_SKY, _BLUE = "#56B4E9", "#0072B2"
_WHISKER = Stroke(BLACK, 1.0)
_BROKEN = Stroke(GREY, 0.5, (3.0, 2.0))
# Names take this share of the width at most.
_NAMES = 0.42
_NOTHING = "no number"


def score_bars(
    name: str,
    title: str,
    systems: Sequence[str],
    values: Sequence[Interval],
    label: str,
    *,
    bars: bool = True,
    with_zero: bool = False,
    groups: Sequence[int] | None = None,
    header: tuple[str, ...],
    rows: Iterable[tuple[Cell, ...]],
) -> Figure:
    """Draw a row for each system: its name, its value as a bar or a dot, its interval, the number.

    Parameters
    ----------
    name, title, header, rows
        As in `Figure`.
    systems : sequence of str
        From the top down; those that do not fit are cut in the middle.
    values : sequence of value with `low` and `high`
        NaN where there is none.
    label : str
        What the numbers are.
    bars : bool
        Bars, which begin at zero; otherwise dots, on a scale that begins near the lowest end.
    with_zero : bool
        The scale of dots has a zero, and a line there.
    groups : sequence of int, optional
        A broken line separates systems of different groups.
    """
    ends = [
        end for each in values for end in (each.low, each.value, each.high) if not math.isnan(end)
    ]
    if bars or with_zero or not ends:
        ends.append(0.0)
    shown = fitted_names(systems, _NAMES * COLUMN)
    written = [_NOTHING if math.isnan(each.value) else number(each.value) for each in values]
    left = MARGIN + max(map(printed_width, shown), default=0.0) + GAP
    right = COLUMN - MARGIN - max(map(printed_width, written), default=0.0) - 2 * GAP
    scale = Scale.across(min(ends), max(ends), left + 2 * GAP, right)
    top, bottom = MARGIN, MARGIN + _ROW * len(systems)
    marks: list[Mark] = upright_grid(scale, top, bottom)
    for row, each in enumerate(values):
        middle = top + _ROW * (row + 0.5)
        if groups is not None and row and groups[row] != groups[row - 1]:
            y = top + _ROW * row
            marks.append(Line(((MARGIN, y), (COLUMN - MARGIN, y)), _BROKEN))
        marks.append(Label(left, middle + BASE, shown[row], "end"))
        marks.append(Label(COLUMN - MARGIN, middle + BASE, written[row], "end"))
        marks += _drawn(scale, each, middle, bars=bars)
    zero = scale(0.0) if bars or with_zero else scale.start
    marks.append(Line(((zero, top), (zero, bottom)), AXIS))
    marks.append(below(label, MARGIN, COLUMN - MARGIN, bottom + 2 * LINE))
    height = bottom + 2 * LINE + 2 * MARGIN
    return Figure(name, title, COLUMN, height, tuple(marks), header, rows)


def _drawn(scale: Scale, each: Interval, middle: float, *, bars: bool) -> list[Mark]:
    """Draw a value and its interval."""
    if math.isnan(each.value):
        return []
    x = scale(each.value)
    marks: list[Mark] = []
    if bars:
        top, bottom = middle - _BAR / 2, middle + _BAR / 2
        marks.append(rectangle(min(scale(0.0), x), top, max(scale(0.0), x), bottom, _SKY))
    if not (math.isnan(each.low) or math.isnan(each.high)):
        low, high = scale(each.low), scale(each.high)
        marks.append(Line(((low, middle), (high, middle)), _WHISKER))
        marks += [
            Line(((end, middle - _CAP), (end, middle + _CAP)), _WHISKER) for end in (low, high)
        ]
    if not bars:
        marks.append(Circle(x, middle, _RADIUS, _BLUE))
    return marks
