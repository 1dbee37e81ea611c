"""Two scores of the same things against each other, as an SVG picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from wordorder.counts import counted, number
from wordorder.drawing.point_counts import count_ranges, square_counts, tenths
from wordorder.drawing.point_names import placed_names
from wordorder.drawing.scale import scale_steps
from wordorder.drawing.svg_boxes import FONT_SIZE, svg_number, text_width
from wordorder.drawing.svg_words import BLUE, GREY, VERMILION
from wordorder.drawing.tree_labels import LONGEST_WORD, drawable, shortened
from wordorder.errors import UsageError
from wordorder.types import Float64

WIDTH, HEIGHT = 370, 300
_MARGIN = 12
_GAP = 8
# From the middle of a line to its base line.
_BASE = 5
_LINE = 20
_RADIUS = 4.5
# More points without names are counted in squares of so many pixels.
_DOTS = 300
_SQUARE = 10
# Each shade is for so many times as many points as the one before it at most.
_SHADES = (0.18, 0.36, 0.56, 0.78, 1.0)
# More points are counted in the description, not listed.
_LISTED = 60


@dataclass(frozen=True)
class _Frame:
    """Where values are on the picture."""

    left: float
    top: float
    across: Sequence[float]
    up: Sequence[float]

    def x(self, value: float) -> float:
        return self.left + WIDTH * (value - self.across[0]) / (self.across[-1] - self.across[0])

    def y(self, value: float) -> float:
        return self.top + HEIGHT * (1 - (value - self.up[0]) / (self.up[-1] - self.up[0]))


def scatter_svg(
    across: Float64,
    up: Float64,
    names: Sequence[str] | None = None,
    *,
    across_label: str,
    up_label: str,
    title: str,
) -> str:
    """Draw points, with their names, or counted where there are many.

    Up to 300 points are dots. Of more, the plane is cut into squares: the darker one is, the more
    points are in it; diamonds show the mean in each tenth of the points, from left to right. Text
    has the colour of what surrounds the picture.

    Parameters
    ----------
    across, up : float64[n]
        The points; those with NaN are left out.
    names : sequence of str, optional
        n of them, written beside the dots; if they do not all fit, the dots are numbered and the
        names are listed at the right. Those of more than 30 characters are cut in the middle.
    across_label, up_label : str
        What the axes show.
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
        If the numbers of values and names differ.

    Examples
    --------
    >>> picture = scatter_svg(np.array([0.1, 0.2]), np.array([3.0, 4.0]), ["<A>", "B"],
    ...     across_label="frs", up_label="people", title="frs and people")
    >>> picture.startswith("<svg "), "&lt;A&gt;: 0.1000, 3.0000" in picture
    (True, True)
    """
    if across.ndim != 1 or across.shape != up.shape:
        raise UsageError(f"points of shapes {across.shape} and {up.shape}; expected [n] and [n]")
    if names is not None and len(names) != len(across):
        raise UsageError(f"{len(names)} names for {len(across)} points")
    kept = np.flatnonzero(~np.isnan(across) & ~np.isnan(up))
    across, up = across[kept], up[kept]
    shown = [drawable(names[n]) for n in kept.tolist()] if names is not None else []
    steps = [
        scale_steps(float(each.min()), float(each.max())) if len(each) else [0.0, 1.0]
        for each in (across, up)
    ]
    numbers_width = max(text_width(f"{step:g}") for step in steps[1])
    frame = _Frame(_MARGIN + _LINE + numbers_width + _GAP, _MARGIN, steps[0], steps[1])
    elements = _axes(frame, drawable(across_label), drawable(up_label))
    right = frame.left + WIDTH + _MARGIN
    if names is None and len(across) > _DOTS:
        drawn, room = _squares(frame, across, up)
    else:
        drawn, room = _dots(frame, across, up, shown)
    width = right + room
    height = frame.top + HEIGHT + 2 * _LINE + _GAP + _MARGIN
    size = f"{svg_number(width)} {svg_number(height)}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
            f'width="{svg_number(width)}" height="{svg_number(height)}" role="img" '
            f'font-family="sans-serif" font-size="{FONT_SIZE}" fill="currentColor">',
            f"<title>{escape(drawable(title))}</title>",
            f"<desc>{escape(_description(across, up, shown, across_label, up_label))}</desc>",
            *elements,
            *drawn,
            "</svg>",
        ]
    )


def _axes(frame: _Frame, across: str, up: str) -> list[str]:
    """Draw the lines of both scales with their numbers and labels."""
    left, top, bottom = frame.left, frame.top, frame.top + HEIGHT
    lines = "".join(
        f"M{svg_number(frame.x(step))} {svg_number(top)}v{HEIGHT}" for step in frame.across
    )
    lines += "".join(
        f"M{svg_number(left)} {svg_number(frame.y(step))}h{WIDTH}" for step in frame.up
    )
    middle = svg_number(top + HEIGHT / 2)
    side = svg_number(_MARGIN + _BASE)
    return [
        f'<path d="{lines}" fill="none" stroke="{GREY}" stroke-opacity="0.5"/>',
        *(
            _text(frame.x(step), bottom + _LINE / 2 + 2, f"{step:g}", "middle")
            for step in frame.across
        ),
        *(_text(left - _GAP, frame.y(step), f"{step:g}", "end") for step in frame.up),
        _text(left + WIDTH / 2, bottom + _LINE * 1.5 + _GAP, shortened(across, 48), "middle"),
        f'<text transform="translate({side} {middle}) rotate(-90)" text-anchor="middle">'
        f"{escape(shortened(up, 36))}</text>",
    ]


def _dots(
    frame: _Frame, across: Float64, up: Float64, names: Sequence[str]
) -> tuple[list[str], float]:
    """Draw each point; return the elements and the width of the list of names, if there is one."""
    points = [(frame.x(a), frame.y(b)) for a, b in zip(across.tolist(), up.tolist(), strict=True)]
    circles = [
        f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="{_RADIUS}" fill="{BLUE}"'
        for x, y in points
    ]
    if not names:
        return [f'{circle} fill-opacity="0.5"/>' for circle in circles], 0.0
    # Into the margins too, but not onto the scale.
    room = (frame.left, frame.top - 10, frame.left + WIDTH + 10, frame.top + HEIGHT)
    short = [_short(name) for name in names]
    written = short
    places = placed_names(points, short, room)
    listed: list[str] = []
    width = 0.0
    if places is None:
        # From the top of the picture down, as the list is read.
        order = sorted(range(len(points)), key=lambda n: (points[n][1], points[n][0]))
        numbers = {n: str(place) for place, n in enumerate(order, 1)}
        written = [numbers[n] for n in range(len(points))]
        places = placed_names(points, written, room, forced=True)
        left = frame.left + WIDTH + 2 * _GAP
        columns = -(-len(order) * _LINE // (HEIGHT + 2 * _LINE))
        rows = -(-len(order) // columns)
        before = text_width(str(len(order))) + _GAP
        wide = before + max(map(text_width, short)) + 2 * _GAP
        for place, n in enumerate(order):
            column, row = divmod(place, rows)
            x, y = left + column * wide, frame.top + _LINE * (row + 0.5)
            # Apart from its number, which a name from right to left would take along.
            listed.append(_text(x + before - _GAP, y, numbers[n], "end"))
            listed.append(_text(x + before, y, short[n], "start"))
        width = columns * wide + _GAP
    elements = []
    assert places is not None
    for n, (circle, (x, y, anchor)) in enumerate(zip(circles, places, strict=True)):
        said = f"{names[n]}: {number(across[n])}, {number(up[n])}"
        elements += [
            f"<g><title>{escape(said)}</title>{circle}/>",
            f"{_text(x, y, written[n], anchor)}</g>",
        ]
    return [*elements, *listed], width


def _short(name: str) -> str:
    """Cut a long name in the middle: names of systems differ at their ends.

    Examples
    --------
    >>> _short("uedin-heafield-unconstrained.2755")
    'uedin-heafield-un…ained.2755'
    """
    return name if len(name) <= LONGEST_WORD else f"{name[:17]}…{name[-10:]}"


def _squares(frame: _Frame, across: Float64, up: Float64) -> tuple[list[str], float]:
    """Draw how many points are in each square; return the elements and the legend's width."""
    columns, rows = WIDTH // _SQUARE, HEIGHT // _SQUARE
    counts = square_counts((across, up), (frame.across, frame.up), (columns, rows))
    bounds = count_ranges(int(counts.max()), len(_SHADES))
    elements = []
    left = frame.left + WIDTH + 2 * _GAP
    symbols = [_text(left, frame.top + _LINE / 2, "points", "start")]
    for place, (low, high) in enumerate(bounds):
        shade = _SHADES[len(_SHADES) - len(bounds) + place]
        cells = np.flatnonzero((counts >= low) & (counts <= high))
        path = "".join(
            f"M{svg_number(frame.left + _SQUARE * (cell % columns))} "
            f"{svg_number(frame.top + HEIGHT - _SQUARE * (cell // columns + 1))}h10v10h-10z"
            for cell in cells.tolist()
        )
        elements.append(f'<path d="{path}" fill-opacity="{shade}"/>')
        y = frame.top + _LINE * (place + 1.5)
        symbols.append(
            f'<rect x="{svg_number(left)}" y="{svg_number(y - 6)}" width="12" height="12" '
            f'fill-opacity="{shade}"/>'
        )
        text = f"{low}" if low == high else f"{low}–{high}"
        symbols.append(_text(left + 2.5 * _GAP, y, text, "start"))
    elements += _means(frame, across, up)
    y = frame.top + _LINE * (len(bounds) + 2)
    symbols.append(_diamond(left + 6, y))
    symbols.append(_text(left + 2.5 * _GAP, y, "mean of a tenth", "start"))
    return [*elements, *symbols], text_width("mean of a tenth") + 3 * _GAP


def _means(frame: _Frame, across: Float64, up: Float64) -> list[str]:
    """Draw the mean of both values in each tenth of the points, from left to right."""
    means = tenths(across, up)
    if not means:
        return []
    places = [(frame.x(a), frame.y(b)) for a, b in means]
    line = "L".join(f"{svg_number(x)} {svg_number(y)}" for x, y in places)
    return [
        f'<path d="M{line}" fill="none" stroke="{VERMILION}" stroke-width="2"/>',
        *(_diamond(x, y) for x, y in places),
    ]


def _diamond(x: float, y: float) -> str:
    return (
        f'<path d="M{svg_number(x - 6)} {svg_number(y)}l6 -6l6 6l-6 6z" fill="{VERMILION}" '
        'stroke="#FFFFFF"/>'
    )


def _text(x: float, middle: float, text: str, anchor: str) -> str:
    place = f'x="{svg_number(x)}" y="{svg_number(middle + _BASE)}"'
    return f'<text {place} text-anchor="{anchor}">{escape(text)}</text>'


def _description(
    across: Float64, up: Float64, names: Sequence[str], across_label: str, up_label: str
) -> str:
    """Say what the picture shows."""
    if not names or len(names) > _LISTED:
        said = f"{counted(len(across), 'point')}"
    else:
        said = "; ".join(
            f"{name} {number(a)}, {number(b)}" for name, a, b in zip(names, across, up, strict=True)
        )
    return drawable(f"{across_label} (across) and {up_label} (up): {said}.")
