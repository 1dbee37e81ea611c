"""A figure for a paper: marks on a plane, to be written as SVG, PDF and PNG alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wordorder.drawing.text_size import ASCENT, DESCENT, FONT_SIZE, printed_width

Point = tuple[float, float]
Box = tuple[float, float, float, float]
Cell = str | int | float | None

# The width of a column of text in most proceedings, 3.3 inches of 72 points.
COLUMN = 237.6
BLACK, GREY, PALE, WHITE = "#000000", "#808080", "#D0D0D0", "#FFFFFF"


@dataclass(frozen=True)
class Stroke:
    """How a line is drawn.

    Attributes
    ----------
    colour : str
        ``#RRGGBB``.
    width : float
        In points.
    dashes : tuple of float
        Lengths of dashes and gaps in turn; empty for an unbroken line.
    """

    colour: str = BLACK
    width: float = 0.75
    dashes: tuple[float, ...] = ()


@dataclass(frozen=True)
class Line:
    """Points joined by straight lines."""

    points: tuple[Point, ...]
    stroke: Stroke


@dataclass(frozen=True)
class Shape:
    """A polygon."""

    points: tuple[Point, ...]
    fill: str | None
    stroke: Stroke | None = None


@dataclass(frozen=True)
class Circle:
    """A circle."""

    x: float
    y: float
    radius: float
    fill: str | None
    stroke: Stroke | None = None


@dataclass(frozen=True)
class Label:
    """A line of text.

    Attributes
    ----------
    x, y : float
        A point of its base line.
    text : str
    anchor : "start", "middle" or "end"
        Which part of the text is at that point.
    size : float
        In points.
    upwards : bool
        Whether it is turned by 90 degrees, to be read from below.
    colour : str
    """

    x: float
    y: float
    text: str
    anchor: str = "start"
    size: float = FONT_SIZE
    upwards: bool = False
    colour: str = BLACK

    @property
    def before(self) -> float:
        """How much of its width is before the point."""
        return {"start": 0.0, "middle": 0.5, "end": 1.0}[self.anchor] * self.width

    @property
    def width(self) -> float:
        """Its width in Helvetica, in points."""
        return printed_width(self.text, self.size)

    @property
    def box(self) -> Box:
        """What it covers: left, top, right, bottom.

        Examples
        --------
        >>> [round(side, 2) for side in Label(10, 20, "m", "end").box]
        [3.34, 14.0, 10.0, 21.76]
        """
        up, down = ASCENT * self.size, DESCENT * self.size
        if self.upwards:
            bottom = self.y + self.before
            return self.x - up, bottom - self.width, self.x + down, bottom
        left = self.x - self.before
        return left, self.y - up, left + self.width, self.y + down


Mark = Line | Shape | Circle | Label


@dataclass(frozen=True)
class Figure:
    """What is drawn, and the data behind it.

    Attributes
    ----------
    name : str
        Of its files, without a suffix: letters, digits, hyphens, dots.
    title : str
        What it shows; said in the files, not drawn.
    width, height : float
        In points; ``x`` grows to the right, ``y`` downwards.
    marks : tuple of Line, Shape, Circle or Label
        From the back to the front.
    header : tuple of str
        The columns of the data.
    rows : iterable of tuples
        The data: what is drawn, in full. Read again whenever the figure is written.
    """

    name: str
    title: str
    width: float
    height: float
    marks: tuple[Mark, ...]
    header: tuple[str, ...]
    rows: Iterable[tuple[Cell, ...]]


def rectangle(
    left: float,
    top: float,
    right: float,
    bottom: float,
    fill: str | None,
    stroke: Stroke | None = None,
) -> Shape:
    """Return a rectangle.

    Examples
    --------
    >>> rectangle(0, 1, 2, 3, "#000000").points
    ((0, 1), (2, 1), (2, 3), (0, 3))
    """
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    return Shape(corners, fill, stroke)
