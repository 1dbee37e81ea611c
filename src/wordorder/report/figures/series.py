"""Lines of several systems that print in grey and that colour-blind readers tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wordorder.drawing.figure import (
    BLACK,
    GREY,
    Circle,
    Label,
    Line,
    Mark,
    Point,
    Shape,
    Stroke,
)
from wordorder.drawing.text_size import fitted_names, printed_width
from wordorder.report.figures.axes import BASE, GAP, LINE

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
