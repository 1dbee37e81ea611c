"""A grid of cells with words at its rows and columns, as an SVG picture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from math import cos, radians, sin

from wordorder.drawing.sentence_labels import runs_leftwards
from wordorder.drawing.svg_boxes import box_width, svg_number
from wordorder.drawing.svg_words import (
    BOX_HEIGHT,
    GAP,
    LEAST_ROOM,
    MARGIN,
    Symbol,
    hidden_words,
    legend,
    picture,
    shown_word,
    text_box,
)

# Wide enough for tilted words beside each other.
CELL = 28
_TILT = 60

# What the cells are painted with: marks are seen on it whatever the background.
CARD = "#E6E6E6"
_GRID = 'fill="none" stroke="#B3B3B3"'

# Takes columns and rows from the first corner of the cells, and returns where that is.
Point = Callable[[float, float], tuple[float, float]]


@dataclass(frozen=True)
class WordGrid:
    """A grid: the words of one side down its rows, those of the other across its columns.

    Columns run from right to left if the first letter of their words is of such a script.

    Attributes
    ----------
    rows, columns : sequence of str
        The words that are drawn.
    hidden : (int, int)
        How many more words the two sides have: a box ``… n more words``.
    alone : (set of int, set of int)
        Rows and columns without a counterpart: their words are darker, with a broken edge.
    names : (str, str)
        What hints call the two sides.
    """

    rows: Sequence[str]
    columns: Sequence[str]
    hidden: tuple[int, int]
    alone: tuple[AbstractSet[int], AbstractSet[int]]
    names: tuple[str, str]

    def drawn(
        self,
        marks: Callable[[Point], list[str]],
        symbols: Sequence[Symbol],
        *,
        title: str,
        description: str,
    ) -> str:
        """Return the picture.

        Parameters
        ----------
        marks : callable
            Draws what lies on the cells.
        symbols : sequence of Symbol
            The legend below.
        title, description : str
        """
        rows, columns = (
            _labels(words, more)
            for words, more in zip((self.rows, self.columns), self.hidden, strict=True)
        )
        left = MARGIN + max((box_width([text]) for text in rows), default=0.0) + GAP
        longest = max((box_width([text]) for text in columns), default=0.0)
        top: float = MARGIN
        if columns:
            top += longest * sin(radians(_TILT)) + BOX_HEIGHT / 2 + GAP
        grid_width = left + CELL * len(columns) + longest * cos(radians(_TILT)) + MARGIN
        bottom = top + CELL * len(rows)
        room = max(grid_width - 2 * MARGIN, LEAST_ROOM)
        shown_legend, legend_width, legend_height = legend(symbols, bottom + 2 * GAP, room)
        width = max(grid_width, legend_width + 2 * MARGIN)
        height = bottom + MARGIN + (2 * GAP + legend_height if symbols else 0)
        leftwards = runs_leftwards(self.columns)

        def point(column: float, row: float) -> tuple[float, float]:
            x = left + CELL * column
            return width - x if leftwards else x, top + CELL * row

        elements = self._sheet(point)
        for row, text in enumerate(rows):
            x = left - GAP - box_width([text]) / 2
            centre, y = width - x if leftwards else x, point(0, row)[1] + 2
            hint = f"{self.names[0]} {row}: {self.rows[row]}" if row < len(self.rows) else ""
            kind = _kind(row in self.alone[0])
            elements.append(text_box(text, centre, y, kind=kind, hint=hint))
        for column, text in enumerate(columns):
            centre, y = point(column + 0.5, 0)
            drawn = column < len(self.columns)
            hint = f"{self.names[1]} {column}: {self.columns[column]}" if drawn else ""
            kind, tilt = _kind(column in self.alone[1]), _TILT if leftwards else -_TILT
            elements.append(text_box(text, centre, y - GAP, kind=kind, hint=hint, tilt=tilt))
        elements += [*marks(point), *shown_legend]
        return picture(elements, width, height, title=title, description=description)

    def _sheet(self, point: Point) -> list[str]:
        """Draw the cells."""
        if not self.rows or not self.columns:
            return []
        width, height = CELL * len(self.columns), CELL * len(self.rows)
        start, top = point(0, 0)
        start = min(start, point(len(self.columns), 0)[0])
        x, y = svg_number(start), svg_number(top)
        across = range(len(self.columns) + 1)
        down = "".join(f"M{svg_number(start + CELL * c)} {y}v{height}" for c in across)
        lines = "".join(
            f"M{x} {svg_number(top + CELL * r)}h{width}" for r in range(len(self.rows) + 1)
        )
        return [
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{CARD}"/>',
            f'<path d="{down}{lines}" {_GRID}/>',
        ]


def _labels(words: Sequence[str], hidden: int) -> list[str]:
    """Return what labels the rows or columns."""
    return [*map(shown_word, words), *([hidden_words(hidden)] if hidden else [])]


def _kind(alone: bool) -> str:
    return "missing" if alone else "word"
