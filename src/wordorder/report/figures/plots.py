"""Values of systems with their intervals: bars from zero, or dots on a scale of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np

from wordorder.counts import number
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
    Point,
    Shape,
    Stroke,
    rectangle,
)
from wordorder.drawing.plots import Interval, count_ranges, placed_names, square_counts, tenths
from wordorder.drawing.plots import Point as PointOfPlots
from wordorder.drawing.svg import FONT_SIZE as PLACED_SIZE
from wordorder.drawing.svg import TEXT_FONT_SIZE, fitted_names, printed_width
from wordorder.report.figures.axes import (
    AXIS,
    BASE,
    GAP,
    LINE,
    MARGIN,
    Scale,
    below,
    beside,
    drawn_lines,
    legend,
    level_grid,
    numbers_width,
    upright_grid,
)
from wordorder.types import Float64

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


_HEIGHT = 120.0

_APART = 5.0


def score_curves(
    name: str,
    title: str,
    systems: Sequence[str],
    values: Sequence[Sequence[float]],
    places: Sequence[str],
    *,
    label: str,
    places_label: str,
    counts: Sequence[str] = (),
    header: tuple[str, ...],
    rows: Iterable[tuple[Cell, ...]],
) -> Figure:
    """Draw a line for each system over places in equal steps.

    Parameters
    ----------
    name, title, header, rows
        As in `Figure`.
    systems : sequence of str
        The first eight are named; the others are thin and grey.
    values : sequence of sequences of float
        For each system one value a place; NaN where there is none, which breaks the line.
    places : sequence of str
        What is written under each place; where they would touch, every second, third, … is.
    label, places_label : str
        What the axes show.
    counts : sequence of str
        A second row under the places.
    """
    known = [value for line in values for value in line if not math.isnan(value)]
    low, high = min(known, default=0.0), max(known, default=1.0)
    marks, top = legend(systems, MARGIN, COLUMN - MARGIN, MARGIN)
    top += GAP
    bottom = top + _HEIGHT
    scale = Scale.up(low, high, bottom, top)
    left = MARGIN + LINE + numbers_width(scale.steps) + GAP
    right = COLUMN - MARGIN
    step = (right - left) / max(1, len(places))

    def x(place: int) -> float:
        return left + step * (place + 0.5)

    marks = [*level_grid(scale, left, right), *marks]
    marks.append(rectangle(left, top, right, bottom, None, AXIS))
    written = [row for row in (places, counts) if row]
    every = max((_every(row, step) for row in written), default=1)
    for down, row in enumerate(written, 1):
        for place in range(0, len(places), every):
            marks.append(Label(x(place), bottom + down * LINE - 1, row[place], "middle"))
    marks += [
        Line(((x(place), bottom), (x(place), bottom - 2)), AXIS)
        for place in range(0, len(places), every)
    ]
    marks += drawn_lines(
        [list(_pieces([x(n) for n in range(len(places))], line, scale)) for line in values]
    )
    marks.append(beside(label, top, bottom, MARGIN + LINE - GAP))
    last = bottom + (len(written) + 1) * LINE
    marks.append(below(places_label, MARGIN, right, last))
    return Figure(name, title, COLUMN, last + 2 * MARGIN, tuple(marks), header, rows)


def _pieces(places: Sequence[float], line: Sequence[float], scale: Scale) -> Iterator[list[Point]]:
    """Yield the unbroken parts of a line."""
    piece: list[Point] = []
    for x, value in zip(places, line, strict=True):
        if math.isnan(value):
            if piece:
                yield piece
            piece = []
        else:
            piece.append((x, scale(value)))
    if piece:
        yield piece


def _every(texts: Sequence[str], step: float) -> int:
    """Return how many places apart texts are that do not touch."""
    widest = max(map(printed_width, texts), default=0.0)
    return max(1, math.ceil((widest + _APART) / step))


_SCORE_POINTS_HEIGHT = 170.0

_SCORE_POINTS_RADIUS = 2.2

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
_SCALED = PLACED_SIZE / TEXT_FONT_SIZE


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
    bottom = top + _SCORE_POINTS_HEIGHT
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
    points: list[PointOfPlots],
    names: Sequence[str],
    room: tuple[float, float, float, float],
    last: float,
) -> tuple[list[Mark], float]:
    """Draw each point with its name; return also where the last line of text is."""
    circles: list[Mark] = [
        Circle(x, y, _SCORE_POINTS_RADIUS, None if not names else "#0072B2", _DOT)
        for x, y in points
    ]
    if not names:
        return circles, last
    # Points at one place share a label, from the top down, as lists are read.
    at: dict[PointOfPlots, list[int]] = {}
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
