"""What the figures share: scales whose numbers do not touch, grid lines, labels of axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.drawing.figure import (
    BLACK,
    GREY,
    PALE,
    Circle,
    Label,
    Line,
    Mark,
    Point,
    Shape,
    Stroke,
)
from wordorder.drawing.svg import fitted_names, printed_width, scale_steps

MARGIN, GAP, LINE = 3.0, 4.0, 11.0

# From the middle of a line of text to its base line.
BASE = 2.8

GRID = Stroke(PALE, 0.5)

AXIS = Stroke(BLACK, 0.75)

# Between the numbers of a scale.
_APART = 6.0

_MOST, _FEW = 6, 3


@dataclass(frozen=True)
class Scale:
    """Values along an axis.

    Attributes
    ----------
    steps : tuple of float
        Those that are named.
    start, stop : float
        Where the ends are, in points.
    ends : pair of float
        The values at both ends.
    """

    steps: tuple[float, ...]
    start: float
    stop: float
    ends: tuple[float, float]

    @classmethod
    def across(cls, low: float, high: float, start: float, stop: float) -> Scale:
        """Make a scale for numbers side by side, with as many as have room.

        Examples
        --------
        >>> Scale.across(0.711, 0.728, 0, 60).steps
        (0.71, 0.72, 0.73)
        """
        low, high = _apart(low, high)
        for most in range(_MOST, 0, -1):
            steps = scale_steps(low, high, most)
            wanted = sum(printed_width(f"{step:g}") + _APART for step in steps)
            if wanted <= stop - start + _APART:
                break
        return cls(tuple(steps), start, stop, (steps[0], steps[-1]))

    @classmethod
    def up(cls, low: float, high: float, start: float, stop: float) -> Scale:
        """Make a scale for numbers one above the other."""
        steps = tuple(scale_steps(*_apart(low, high)))
        return cls(steps, start, stop, (steps[0], steps[-1]))

    def cut(self, low: float, high: float) -> Scale:
        """Return a scale with other ends within its own, and the steps between them.

        Examples
        --------
        >>> Scale.up(0.15, 0.95, 100, 0).cut(0.15, 0.95).steps
        (0.2, 0.4, 0.6, 0.8)
        >>> Scale.up(0.56, 0.69, 100, 0).cut(0.56, 0.69).steps
        (0.56, 0.58, 0.6, 0.62, 0.64, 0.66, 0.68)
        """
        steps = tuple(step for step in self.steps if low <= step <= high)
        if len(steps) < _FEW:
            named = scale_steps(low, high, _MOST + 2)
            steps = tuple(step for step in named if low <= step <= high)
        return Scale(steps, self.start, self.stop, (low, high)) if len(steps) > 1 else self

    def __call__(self, value: float) -> float:
        """Return where a value is."""
        low, high = self.ends
        return self.start + (self.stop - self.start) * (value - low) / (high - low)


def _apart(low: float, high: float) -> tuple[float, float]:
    """Return two ends that are apart, around both.

    Examples
    --------
    >>> _apart(0.2, 0.4), _apart(0.5, 0.5), _apart(0.0, 0.0)
    ((0.2, 0.4), (0.45, 0.55), (0.0, 1.0))
    """
    if high - low > 1e-9 * max(abs(low), abs(high)):
        return low, high
    return (0.9 * low, 1.1 * high) if low > 0 else (low - 0.1 * abs(low), high + abs(high) or 1.0)


def upright_grid(scale: Scale, top: float, bottom: float) -> list[Mark]:
    """Draw the lines of a scale across, with the numbers below them."""
    marks: list[Mark] = []
    for step in scale.steps:
        marks.append(Line(((scale(step), top), (scale(step), bottom)), GRID))
        marks.append(Label(scale(step), bottom + LINE - 1, f"{step:g}", "middle"))
    return marks


def level_grid(scale: Scale, left: float, right: float) -> list[Mark]:
    """Draw the lines of a scale upwards, with the numbers at their left."""
    marks: list[Mark] = []
    for step in scale.steps:
        marks.append(Line(((left, scale(step)), (right, scale(step))), GRID))
        marks.append(Label(left - GAP, scale(step) + BASE, f"{step:g}", "end"))
    return marks


def numbers_width(steps: Sequence[float]) -> float:
    """Return the width of the widest number of a scale."""
    return max(printed_width(f"{step:g}") for step in steps)


def below(text: str, left: float, right: float, y: float) -> Label:
    """Write what an axis shows under it, cut to its length."""
    (shown,) = fitted_names([text], right - left)
    return Label((left + right) / 2, y, shown, "middle")


def beside(text: str, top: float, bottom: float, x: float) -> Label:
    """Write what an axis shows at its left, from below, cut to its length."""
    (shown,) = fitted_names([text], bottom - top)
    return Label(x, (top + bottom) / 2, shown, "middle", upwards=True)


_SAMPLE = 18.0

_EDGE = Stroke(BLACK, 0.4)

_THIN = Stroke("#B0B0B0", 0.5)

# Corners of markers in units of their radius.
_SQUARE = ((-0.85, -0.85), (0.85, -0.85), (0.85, 0.85), (-0.85, 0.85))

_UP = ((0.0, -1.1), (1.0, 0.8), (-1.0, 0.8))

_DOWN = ((0.0, 1.1), (1.0, -0.8), (-1.0, -0.8))

_DIAMOND = ((0.0, -1.2), (1.1, 0.0), (0.0, 1.2), (-1.1, 0.0))

_HOURGLASS = ((-1.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (1.0, 1.0))

_RADIUS = 2.2


@dataclass(frozen=True)
class Style:
    """How a line is told from the others: colour, dashes, markers (no corners: round)."""

    colour: str
    dashes: tuple[float, ...]
    corners: tuple[Point, ...] = ()

    def line(self, points: Sequence[Point]) -> Line:
        """Draw a line."""
        return Line(tuple(points), Stroke(self.colour, 1.0, self.dashes))

    def marker(self, x: float, y: float) -> Mark:
        """Draw a marker."""
        if not self.corners:
            return Circle(x, y, _RADIUS, self.colour, _EDGE)
        corners = tuple((x + _RADIUS * across, y + _RADIUS * down) for across, down in self.corners)
        return Shape(corners, self.colour, _EDGE)


# The colours of Okabe & Ito but their yellow, which white paper hides.
STYLES = (
    Style("#000000", ()),
    Style("#E69F00", (4.0, 2.0), _SQUARE),
    Style("#0072B2", (1.5, 1.5), _UP),
    Style("#009E73", (6.0, 2.0, 1.5, 2.0), _DIAMOND),
    Style("#D55E00", (3.0, 1.0), _DOWN),
    Style("#56B4E9", (), _HOURGLASS),
    Style("#CC79A7", (8.0, 2.0), ()),
    Style(GREY, (1.0, 2.5), _SQUARE),
)


def drawn_lines(lines: Sequence[Sequence[Sequence[Point]]]) -> list[Mark]:
    """Draw each line in its style; from the ninth on all are thin and grey, behind the others.

    Parameters
    ----------
    lines : sequence of lines, each of pieces, each of points
    """
    named = min(len(lines), len(STYLES))
    marks: list[Mark] = [
        Line(tuple(piece), _THIN) for line in lines[named:] for piece in line if len(piece) > 1
    ]
    # The first lie on top.
    for style, line in reversed(list(zip(STYLES, lines, strict=False))):
        marks += [style.line(piece) for piece in line if len(piece) > 1]
        marks += [style.marker(x, y) for piece in line for x, y in piece]
    return marks


def legend(names: Sequence[str], left: float, right: float, top: float) -> tuple[list[Mark], float]:
    """Name the lines in rows; return the marks and where the last row ends."""
    shown = list(names[: len(STYLES)])
    others = len(names) - len(shown)
    room = right - left - _SAMPLE - GAP
    texts = fitted_names(shown, room)
    if others:
        texts.append(f"{others} more" if others > 1 else "1 more")
    marks: list[Mark] = []
    x, y = left, top + LINE / 2
    for number, text in enumerate(texts):
        width = _SAMPLE + GAP + printed_width(text)
        if x > left and x + width > right:
            x, y = left, y + LINE
        if number < len(shown):
            style = STYLES[number]
            marks.append(style.line(((x, y), (x + _SAMPLE, y))))
            marks.append(style.marker(x + _SAMPLE / 2, y))
        else:
            marks.append(Line(((x, y), (x + _SAMPLE, y)), _THIN))
        marks.append(Label(x + _SAMPLE + GAP, y + BASE, text))
        x += width + 2.5 * GAP
    return marks, (y + LINE / 2 if texts else top)
