"""Scores against scores: a system against another, a metric against another or against people."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from wordorder.drawing.figure import (
    BLACK,
    COLUMN,
    GREY,
    WHITE,
    Cell,
    Circle,
    Figure,
    Label,
    Line,
    Mark,
    Shape,
    Stroke,
    rectangle,
)
from wordorder.drawing.point_counts import count_ranges, square_counts, tenths
from wordorder.drawing.point_names import Point, placed_names
from wordorder.drawing.svg_boxes import FONT_SIZE as PLACED_SIZE
from wordorder.drawing.text_size import FONT_SIZE, fitted_names, printed_width
from wordorder.report.figures.axes import (
    AXIS,
    BASE,
    GAP,
    LINE,
    MARGIN,
    Scale,
    below,
    beside,
    level_grid,
    numbers_width,
    upright_grid,
)
from wordorder.types import Float64

_HEIGHT = 170.0
_RADIUS = 2.2
# More points without names are counted in squares of so many points of the paper.
_DOTS, _SQUARE = 300, 6.0
# Light to dark, each for so many times as many points as the one before it at most.
_SHADES = ("#C6DBEF", "#9ECAE1", "#6BAED6", "#3182BD", "#08306B")
_DOT = Stroke("#0072B2", 0.6)
_EQUAL = Stroke(GREY, 0.75, (3.0, 2.0))
# In black on white, to be seen on light and dark squares.
_MEANS, _AROUND = Stroke(BLACK, 1.0), Stroke(WHITE, 3.0)
_NAME, _ROOM = 90.0, 0.08
# Places of names are found for text of another size.
_SCALED = PLACED_SIZE / FONT_SIZE


def score_points(
    name: str,
    title: str,
    across: Float64,
    up: Float64,
    names: Sequence[str] = (),
    *,
    across_label: str,
    up_label: str,
    same_scale: bool = False,
    header: tuple[str, ...],
    rows: Iterable[tuple[Cell, ...]],
) -> Figure:
    """Draw points with their names, or counted in squares where there are many.

    Parameters
    ----------
    name, title, header, rows
        As in `Figure`.
    across, up : float64[n]
        Those with NaN are left out.
    names : sequence of str
        n of them; written beside the points, or listed below where they do not all fit.
    across_label, up_label : str
        What the axes show.
    same_scale : bool
        Both axes have one scale, and a broken line shows where both are equal.
    """
    kept = np.flatnonzero(~np.isnan(across) & ~np.isnan(up))
    across, up = across[kept], up[kept]
    shown = fitted_names([names[n] for n in kept.tolist()], _NAME) if names else []
    ends = [
        (float(each.min()), float(each.max())) if len(each) else (0.0, 1.0) for each in (across, up)
    ]
    if same_scale:
        ends = [(min(ends[0][0], ends[1][0]), max(ends[0][1], ends[1][1]))] * 2
    if names:
        # Room for names above and beside the outermost points.
        ends = [(low - _ROOM * (high - low), high + _ROOM * (high - low)) for low, high in ends]
    counted = not names and len(across) > _DOTS
    top = MARGIN + GAP
    bottom = top + _HEIGHT
    vertical = Scale.up(*ends[1], bottom, top)
    left = MARGIN + LINE + numbers_width(vertical.steps) + GAP
    # Half of the last number is at the right of the plane.
    horizontal = vertical if same_scale else Scale.across(*ends[0], left, COLUMN)
    right = COLUMN - MARGIN - numbers_width(horizontal.steps) / 2
    horizontal = replace(horizontal, start=left, stop=right)
    if names:
        vertical, horizontal = vertical.cut(*ends[1]), horizontal.cut(*ends[0])
    marks: list[Mark] = [
        *level_grid(vertical, left, right),
        *upright_grid(horizontal, top, bottom),
    ]
    if counted:
        marks += _squares(horizontal, vertical, across, up)
    marks.append(rectangle(left, top, right, bottom, None, AXIS))
    if same_scale:
        marks.append(Line(((left, bottom), (right, top)), _EQUAL))
    last = bottom + 2 * LINE
    marks.append(below(across_label, left, right, last))
    marks.append(beside(up_label, top, bottom, MARGIN + LINE - GAP))
    if counted:
        more, last = _key(horizontal, vertical, across, up, last)
    else:
        places = [(horizontal(a), vertical(b)) for a, b in zip(across, up, strict=True)]
        room = (left, top, right, bottom)
        more, last = _dots(places, shown, room, last)
    marks += more
    return Figure(name, title, COLUMN, last + 2 * MARGIN, tuple(marks), header, rows)


def _dots(
    points: list[Point], names: Sequence[str], room: tuple[float, float, float, float], last: float
) -> tuple[list[Mark], float]:
    """Draw each point with its name; return also where the last line of text is."""
    circles: list[Mark] = [
        Circle(x, y, _RADIUS, None if not names else "#0072B2", _DOT) for x, y in points
    ]
    if not names:
        return circles, last
    # Points at one place share a label, from the top down, as lists are read.
    at: dict[Point, list[int]] = {}
    for n in sorted(range(len(points)), key=lambda n: (points[n][1], points[n][0])):
        x, y = points[n]
        at.setdefault((round(x), round(y)), []).append(n)
    scaled = [(points[some[0]][0] * _SCALED, points[some[0]][1] * _SCALED) for some in at.values()]
    left, top, right, bottom = (side * _SCALED for side in room)
    within = (left, top, right, bottom)
    written = [", ".join(names[n] for n in some) for some in at.values()]
    places = placed_names(scaled, written, within)
    listed: list[Mark] = []
    if places is None:
        numbers = {n: place for place, n in enumerate(chain.from_iterable(at.values()), 1)}
        written = [", ".join(str(numbers[n]) for n in some) for some in at.values()]
        places = placed_names(scaled, written, within, forced=True)
        listed, last = _list([names[n] for n in numbers], last + LINE)
    assert places is not None
    labels: list[Mark] = [
        Label(x / _SCALED, y / _SCALED + BASE, text, anchor)
        for text, (x, y, anchor) in zip(written, places, strict=True)
    ]
    return [*circles, *labels, *listed], last


def _list(names: Sequence[str], top: float) -> tuple[list[Mark], float]:
    """List names with their numbers in columns; return also where the last line is."""
    before = printed_width(f"{len(names)}") + GAP
    wide = before + max(map(printed_width, names)) + 2 * GAP
    columns = max(1, int((COLUMN - 2 * MARGIN + 2 * GAP) // wide))
    rows = -(-len(names) // columns)
    marks: list[Mark] = []
    for place, name in enumerate(names):
        column, row = divmod(place, rows)
        x, y = MARGIN + column * wide, top + row * LINE
        marks.append(Label(x + before - GAP, y, str(place + 1), "end"))
        marks.append(Label(x + before, y, name))
    return marks, top + (rows - 1) * LINE


def _cells(horizontal: Scale, vertical: Scale) -> tuple[int, int]:
    """Return the numbers of columns and rows of squares."""
    wide, high = horizontal.stop - horizontal.start, vertical.start - vertical.stop
    return round(wide / _SQUARE), round(high / _SQUARE)


def _squares(horizontal: Scale, vertical: Scale, across: Float64, up: Float64) -> list[Mark]:
    """Draw how many points are in each square, and the means of tenths."""
    columns, rows = _cells(horizontal, vertical)
    counts = square_counts((across, up), (horizontal.ends, vertical.ends), (columns, rows))
    ranges = count_ranges(int(counts.max()), len(_SHADES))
    wide = (horizontal.stop - horizontal.start) / columns
    high = (vertical.start - vertical.stop) / rows
    marks: list[Mark] = []
    for shade, (low, most) in zip(_SHADES[len(_SHADES) - len(ranges) :], ranges, strict=True):
        for cell in np.flatnonzero((counts >= low) & (counts <= most)).tolist():
            left = horizontal.start + wide * (cell % columns)
            bottom = vertical.start - high * (cell // columns)
            marks.append(rectangle(left, bottom - high, left + wide, bottom, shade))
    places = [(horizontal(a), vertical(b)) for a, b in tenths(across, up)]
    if places:
        marks += [Line(tuple(places), _AROUND), Line(tuple(places), _MEANS)]
        marks += [_diamond(x, y) for x, y in places]
    return marks


def _key(
    horizontal: Scale, vertical: Scale, across: Float64, up: Float64, last: float
) -> tuple[list[Mark], float]:
    """Say what the shades and the diamonds are; return also where the last line is."""
    counts = square_counts(
        (across, up), (horizontal.ends, vertical.ends), _cells(horizontal, vertical)
    )
    ranges = count_ranges(int(counts.max()), len(_SHADES))
    y = last + LINE + GAP
    marks: list[Mark] = [Label(MARGIN, y, "points:")]
    x = MARGIN + printed_width("points:") + GAP
    for shade, (low, most) in zip(_SHADES[len(_SHADES) - len(ranges) :], ranges, strict=True):
        text = f"{low}" if low == most else f"{low}–{most}"
        marks.append(rectangle(x, y - 6, x + 6, y, shade))
        marks.append(Label(x + 8, y, text))
        x += 8 + printed_width(text) + 1.5 * GAP
    y += LINE
    marks += [_diamond(MARGIN + 3, y - BASE), Label(MARGIN + 9, y, "mean of a tenth of the points")]
    return marks, y


def _diamond(x: float, y: float) -> Shape:
    corners = ((x - 3, y), (x, y - 3), (x + 3, y), (x, y + 3))
    return Shape(corners, WHITE, Stroke(BLACK, 0.75))
