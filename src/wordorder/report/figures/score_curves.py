"""Lines of values over ranges or steps: scores by length, learning curves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from wordorder.drawing.figure import COLUMN, Cell, Figure, Label, Line, Point, rectangle
from wordorder.drawing.text_size import printed_width
from wordorder.report.figures.axes import (
    AXIS,
    GAP,
    LINE,
    MARGIN,
    Scale,
    below,
    beside,
    level_grid,
    numbers_width,
)
from wordorder.report.figures.series import drawn_lines, legend

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
