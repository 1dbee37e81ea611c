"""Plots as SVG pictures: values with their intervals, and scatter plots."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.drawing import svg
from wordorder.drawing.svg import svg_number
from wordorder.drawing.trees import MAX_WORD_LENGTH, drawable, shortened
from wordorder.errors import UsageError
from wordorder.messages import DECIMALS, counted, number

_ROW_HEIGHT = 24
_GAP = 10
_SCALE_WIDTH = 420

# Width of the scale and characters of a name on a phone.
_NARROW_WIDTH = 120
_NARROW_NAME = 14
# Half the height of the lines at the ends of an interval.
_CAP = 5

# From the middle of a line to its base line.
_BASE = 5

# Text has the colour of the text around the picture.
PLAIN = 'fill="currentColor"'
_NO_VALUE = "no number"
_GRID_LINE = f'stroke="{svg.GREY}" stroke-opacity="0.5"'

# An interval in the cell of a table: its width, its height, and half a dot's width at the ends.
_STRIP_WIDTH, _STRIP_HEIGHT, _STRIP_END = 140, 14, 6

# The plane of a scatter plot, the space beside it, lines of text, and dots.
WIDTH, HEIGHT = 370, 300
_SPACE = 8
_TEXT_HEIGHT = 20
_RADIUS = 4.5

# More points without names are counted in squares of this size in pixels.
_MAX_DOTS = 300
_SQUARE = 10

# The opacities of squares, for ranges of counts in ascending order.
_OPACITIES = (0.18, 0.36, 0.56, 0.78, 1.0)

# More points are counted in the description, not listed.
_MAX_LISTED = 60

# Parts of equal size whose means are drawn, and the smallest number of points in each.
_PARTS, _MIN_PART = 10, 10

Point = tuple[float, float]
Box = tuple[float, float, float, float]

# x, the middle of the line, and the text-anchor: "start", "middle" or "end".
Place = tuple[float, float, str]
_NAME_HEIGHT = 16
_NAME_GAP = 4


class Interval(Protocol):
    """A value and its interval; NaN where they are undefined."""

    @property
    def value(self) -> float:
        """The value."""

    @property
    def low(self) -> float:
        """The lower end of the interval."""

    @property
    def high(self) -> float:
        """The upper end of the interval."""


def interval_svg(
    names: Sequence[str],
    estimates: Sequence[Interval],
    *,
    title: str = "Values and intervals",
    groups: Sequence[int | None] | None = None,
    full: Sequence[bool] | None = None,
    with_zero: bool = False,
    decimals: int = DECIMALS,
    narrow: bool = False,
) -> str:
    """Draw values with their intervals, one row each.

    A dot is the value and the line through it the interval. The text has the colour of the text
    around the picture.

    Parameters
    ----------
    names : sequence of str
        N names, from the top down; they are cut after 30 characters.
    estimates : sequence
        N objects with the attributes `value`, `low` and `high`. If the value is NaN, the row says
        "no number"; if the interval is NaN, the row has only a dot.
    title : str
        Title of the picture for screen readers.
    groups : sequence of int, optional
        N group ids: a broken line separates rows of different groups.
    full : sequence of bool, optional
        Whether the dot of each row is full, as where a difference is significant.
    with_zero : bool
        The scale has a zero, and a dark line there.
    decimals : int
        Of the numbers.
    narrow : bool
        Whether the picture has to fit on a phone: the scale is shorter, and names are cut after 14
        characters.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text.

    Raises
    ------
    UsageError
        If the numbers of names, groups and estimates differ.

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
    cut = {"max_length": _NARROW_NAME} if narrow else {}
    row_labels = [shortened(drawable(name), **cut) for name in names]
    ends = [
        end
        for interval in estimates
        for end in (interval.low, interval.value, interval.high)
        if not math.isnan(end)
    ]
    ends += [0.0] * with_zero
    steps = svg.scale_steps(min(ends, default=0.0), max(ends, default=1.0))
    scale_left = svg.MARGIN + max(map(svg.text_width, row_labels), default=0.0) + _GAP
    right = scale_left + scale_width
    widest = _NO_VALUE if any(math.isnan(interval.value) for interval in estimates) else "-0.0000"
    width = right + _GAP + svg.text_width(widest) + svg.MARGIN
    bottom = svg.MARGIN + _ROW_HEIGHT * len(names)

    def x_of(value: float) -> float:
        return scale_left + scale_width * (value - steps[0]) / (steps[-1] - steps[0])

    elements = []
    # On a short scale not all steps have room for their numbers.
    widest_step = max(svg.text_width(f"{step:g}") for step in steps) + _GAP / 2
    label_step = math.ceil(widest_step * (len(steps) - 1) / scale_width)
    for index, step in enumerate(steps):
        line = f"M{svg_number(x_of(step))} {svg.MARGIN}V{bottom}"
        ink = 'stroke="currentColor"' if with_zero and not step else _GRID_LINE
        elements.append(f'<path d="{line}" {ink}/>')
        if index % label_step == 0:
            elements.append(label(x_of(step), bottom + _ROW_HEIGHT / 2, f"{step:g}", "middle"))
    for row, (name, interval) in enumerate(zip(row_labels, estimates, strict=True)):
        middle = svg.MARGIN + _ROW_HEIGHT * (row + 0.5)
        if groups is not None and row and groups[row] != groups[row - 1]:
            line = (
                f"M{svg.MARGIN} {svg.MARGIN + _ROW_HEIGHT * row}H{svg_number(width - svg.MARGIN)}"
            )
            elements.append(f'<path d="{line}" stroke="{svg.GREY}" stroke-dasharray="6 4"/>')
        elements += [
            f"<g>\n<title>{escape(name)}: {value_text(interval, decimals)}</title>",
            label(scale_left - _GAP, middle, name, "end"),
            *_interval_marks(interval, middle, x_of, is_full=full is None or full[row]),
        ]
        value = _NO_VALUE if math.isnan(interval.value) else number(interval.value, decimals)
        elements += [label(right + _GAP, middle, value, "start"), "</g>"]
    row_texts = "; ".join(
        f"{n} {value_text(interval, decimals)}"
        for n, interval in zip(row_labels, estimates, strict=True)
    )
    height = bottom + _ROW_HEIGHT + svg.MARGIN
    return svg.picture(
        elements, width, height, title=title, description=f"{row_texts}.", text=PLAIN
    )


def _interval_marks(
    interval: Interval, middle: float, x_of: Callable[[float], float], *, is_full: bool
) -> Iterator[str]:
    """Draw the line of an interval and the dot of its value, if they are defined."""
    if math.isnan(interval.value):
        return
    if not (math.isnan(interval.low) or math.isnan(interval.high)):
        low, high, y = (svg_number(n) for n in (x_of(interval.low), x_of(interval.high), middle))
        end, cap = svg_number(middle + _CAP), f"v{-2 * _CAP}"
        line = f"M{low} {y}H{high}M{low} {end}{cap}M{high} {end}{cap}"
        yield f'<path d="{line}" fill="none" stroke="{svg.BLUE}" stroke-width="2"/>'
    x = svg_number(x_of(interval.value))
    face = svg.BLUE if is_full else svg.PAPER
    ring = "" if is_full else f' stroke="{svg.BLUE}" stroke-width="2"'
    yield f'<circle cx="{x}" cy="{svg_number(middle)}" r="4.5" fill="{face}"{ring}/>'


def interval_strip(interval: Interval, low: float, high: float) -> str:
    """Draw one interval on a scale without numbers, for the cell of a table.

    Parameters
    ----------
    interval : Interval
        Within the scale.
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
    if math.isnan(interval.value) or not high > low:
        return ""

    def x(value: float) -> str:
        return svg_number(
            _STRIP_END + (_STRIP_WIDTH - 2 * _STRIP_END) * (value - low) / (high - low)
        )

    middle = _STRIP_HEIGHT // 2
    line = ""
    if not (math.isnan(interval.low) or math.isnan(interval.high)):
        ends = f"M{x(interval.low)} {middle}H{x(interval.high)}"
        line = f'<path d="{ends}" stroke="{svg.BLUE}" stroke-width="3"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_STRIP_WIDTH} {_STRIP_HEIGHT}" '
        f'width="{_STRIP_WIDTH}" height="{_STRIP_HEIGHT}" aria-hidden="true">'
        f'<path d="M{_STRIP_END} {middle}H{_STRIP_WIDTH - _STRIP_END}" stroke="{svg.GREY}" '
        f'stroke-opacity="0.5"/>{line}'
        f'<circle cx="{x(interval.value)}" cy="{middle}" r="4.5" fill="{svg.BLUE}"/></svg>'
    )


def value_text(interval: Interval, decimals: int = DECIMALS) -> str:
    """Format a value with its interval, if they are defined.

    Examples
    --------
    >>> from wordorder.statistics.intervals import Estimate
    >>> value_text(Estimate(0.9, 0.5, 0.98))
    '0.9000 [0.5000, 0.9800]'
    """
    if math.isnan(interval.value):
        return _NO_VALUE
    if math.isnan(interval.low) or math.isnan(interval.high):
        return number(interval.value, decimals)
    value, low, high = (
        number(bound, decimals) for bound in (interval.value, interval.low, interval.high)
    )
    return f"{value} [{low}, {high}]"


def label(x: float, middle: float, text: str, anchor: str) -> str:
    """Write a line of text at a height; `anchor` is the end, or the middle, that is at `x`."""
    place = f'x="{svg_number(x)}" y="{svg_number(middle + _BASE)}"'
    return f'<text {place} text-anchor="{anchor}">{escape(text)}</text>'


@dataclass(frozen=True)
class _Frame:
    """Converts values to positions in the picture; `across` and `up` are the steps of the axes."""

    left_edge: float
    top: float
    across: Sequence[float]
    up: Sequence[float]

    def x(self, value: float) -> float:
        return self.left_edge + WIDTH * (value - self.across[0]) / (
            self.across[-1] - self.across[0]
        )

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
    """Draw a scatter plot: points with their names, or counts of points if there are many.

    Up to 300 points are dots. More are counted in squares, which are darker if they have more
    points, and diamonds show the mean of each tenth of the points, from left to right. Text has the
    colour of the text around the picture.

    Parameters
    ----------
    across, up : float64[n]
        The points; those with NaN are left out.
    names : sequence of str, optional
        The n names, written next to the dots; if they do not all fit, the dots are numbered and the
        names are listed at the right. Names of more than 30 characters are cut in the middle.
    across_label, up_label : str
        Labels of the axes.
    title : str
        Title of the picture for screen readers.

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
    finite = np.flatnonzero(~np.isnan(across) & ~np.isnan(up))
    across, up = across[finite], up[finite]
    point_names = [drawable(names[n]) for n in finite.tolist()] if names is not None else []
    steps = [
        svg.scale_steps(float(coordinates.min()), float(coordinates.max()))
        if len(coordinates)
        else [0.0, 1.0]
        for coordinates in (across, up)
    ]
    numbers_width = max(svg.text_width(f"{step:g}") for step in steps[1])
    frame = _Frame(
        svg.MARGIN + _TEXT_HEIGHT + numbers_width + _SPACE, svg.MARGIN, steps[0], steps[1]
    )
    elements = _axes(frame, drawable(across_label), drawable(up_label))
    right = frame.left_edge + WIDTH + svg.MARGIN
    if names is None and len(across) > _MAX_DOTS:
        point_elements, list_width = _squares(frame, across, up)
    else:
        point_elements, list_width = _dots(frame, across, up, point_names)
    width = right + list_width
    height = frame.top + HEIGHT + 2 * _TEXT_HEIGHT + _SPACE + svg.MARGIN
    description = _description(across, up, point_names, across_label, up_label)
    all_elements = [*elements, *point_elements]
    return svg.picture(
        all_elements, width, height, title=title, description=description, text=PLAIN
    )


def _axes(frame: _Frame, across: str, up: str) -> list[str]:
    """Draw the lines of both scales with their numbers and labels."""
    frame_left, top, bottom = frame.left_edge, frame.top, frame.top + HEIGHT
    lines = "".join(
        f"M{svg_number(frame.x(step))} {svg_number(top)}v{HEIGHT}" for step in frame.across
    )
    lines += "".join(
        f"M{svg_number(frame_left)} {svg_number(frame.y(step))}h{WIDTH}" for step in frame.up
    )
    middle = svg_number(top + HEIGHT / 2)
    side = svg_number(svg.MARGIN + _BASE)
    return [
        f'<path d="{lines}" fill="none" stroke="{svg.GREY}" stroke-opacity="0.5"/>',
        *(
            label(frame.x(step), bottom + _TEXT_HEIGHT / 2 + 2, f"{step:g}", "middle")
            for step in frame.across
        ),
        *(label(frame_left - _SPACE, frame.y(step), f"{step:g}", "end") for step in frame.up),
        label(
            frame_left + WIDTH / 2,
            bottom + _TEXT_HEIGHT * 1.5 + _SPACE,
            shortened(across, 48),
            "middle",
        ),
        f'<text transform="translate({side} {middle}) rotate(-90)" text-anchor="middle">'
        f"{escape(shortened(up, 36))}</text>",
    ]


def _dots(
    frame: _Frame, across: Float64, up: Float64, names: Sequence[str]
) -> tuple[list[str], float]:
    """Draw each point; return the elements and the width of the list of names, 0 without a list."""
    points = [(frame.x(a), frame.y(b)) for a, b in zip(across.tolist(), up.tolist(), strict=True)]
    circles = [
        f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="{_RADIUS}" fill="{svg.BLUE}"'
        for x, y in points
    ]
    if not names:
        return [f'{circle} fill-opacity="0.5"/>' for circle in circles], 0.0
    # Names may extend into the margins, but not onto the scale.
    room = (frame.left_edge, frame.top - 10, frame.left_edge + WIDTH + 10, frame.top + HEIGHT)
    short_names = [_short(name) for name in names]
    texts = short_names
    positions = place_names(points, short_names, room)
    list_elements: list[str] = []
    width = 0.0
    if positions is None:
        # Numbered from the top of the picture down, in the order of the list.
        order = sorted(range(len(points)), key=lambda n: (points[n][1], points[n][0]))
        numbers = {n: str(index) for index, n in enumerate(order, 1)}
        texts = [numbers[n] for n in range(len(points))]
        positions = place_names(points, texts, room, forced=True)
        list_left = frame.left_edge + WIDTH + 2 * _SPACE
        columns = -(-len(order) * _TEXT_HEIGHT // (HEIGHT + 2 * _TEXT_HEIGHT))
        rows = -(-len(order) // columns)
        number_width = svg.text_width(str(len(order))) + _SPACE
        column_width = number_width + max(map(svg.text_width, short_names)) + 2 * _SPACE
        for place, n in enumerate(order):
            column, row = divmod(place, rows)
            x, y = list_left + column * column_width, frame.top + _TEXT_HEIGHT * (row + 0.5)
            # A text of its own, since a name from right to left would move the number.
            list_elements.append(label(x + number_width - _SPACE, y, numbers[n], "end"))
            list_elements.append(label(x + number_width, y, short_names[n], "start"))
        width = columns * column_width + _SPACE
    elements = []
    assert positions is not None
    for n, (circle, (x, y, anchor)) in enumerate(zip(circles, positions, strict=True)):
        hint = f"{names[n]}: {number(across[n])}, {number(up[n])}"
        elements += [
            f"<g><title>{escape(hint)}</title>{circle}/>",
            f"{label(x, y, texts[n], anchor)}</g>",
        ]
    return [*elements, *list_elements], width


def _short(name: str) -> str:
    """Cut a long name in the middle, since names of systems often differ at their ends.

    Examples
    --------
    >>> _short("uedin-heafield-unconstrained.2755")
    'uedin-heafield-un…ained.2755'
    """
    return name if len(name) <= MAX_WORD_LENGTH else f"{name[:17]}…{name[-10:]}"


def _squares(frame: _Frame, across: Float64, up: Float64) -> tuple[list[str], float]:
    """Draw the numbers of points in squares; return the elements and the legend's width."""
    columns, rows = WIDTH // _SQUARE, HEIGHT // _SQUARE
    counts = square_counts((across, up), (frame.across, frame.up), (columns, rows))
    bounds = count_ranges(int(counts.max()), len(_OPACITIES))
    elements = []
    legend_left = frame.left_edge + WIDTH + 2 * _SPACE
    symbols = [label(legend_left, frame.top + _TEXT_HEIGHT / 2, "points", "start")]
    for index, (low, high) in enumerate(bounds):
        shade = _OPACITIES[len(_OPACITIES) - len(bounds) + index]
        cells = np.flatnonzero((counts >= low) & (counts <= high))
        path = "".join(
            f"M{svg_number(frame.left_edge + _SQUARE * (cell % columns))} "
            f"{svg_number(frame.top + HEIGHT - _SQUARE * (cell // columns + 1))}h10v10h-10z"
            for cell in cells.tolist()
        )
        elements.append(f'<path d="{path}" fill-opacity="{shade}"/>')
        y = frame.top + _TEXT_HEIGHT * (index + 1.5)
        symbols.append(
            f'<rect x="{svg_number(legend_left)}" y="{svg_number(y - 6)}" width="12" height="12" '
            f'fill-opacity="{shade}"/>'
        )
        text = f"{low}" if low == high else f"{low}–{high}"
        symbols.append(label(legend_left + 2.5 * _SPACE, y, text, "start"))
    elements += _means(frame, across, up)
    y = frame.top + _TEXT_HEIGHT * (len(bounds) + 2)
    symbols.append(_diamond(legend_left + 6, y))
    symbols.append(label(legend_left + 2.5 * _SPACE, y, "mean of a tenth", "start"))
    return [*elements, *symbols], svg.text_width("mean of a tenth") + 3 * _SPACE


def _means(frame: _Frame, across: Float64, up: Float64) -> list[str]:
    """Draw the mean of both values in each tenth of the points, from left to right."""
    means = means_of_tenths(across, up)
    if not means:
        return []
    corners = [(frame.x(a), frame.y(b)) for a, b in means]
    line = "L".join(f"{svg_number(x)} {svg_number(y)}" for x, y in corners)
    return [
        f'<path d="M{line}" fill="none" stroke="{svg.ORANGE}" stroke-width="2"/>',
        *(_diamond(x, y) for x, y in corners),
    ]


def _diamond(x: float, y: float) -> str:
    return (
        f'<path d="M{svg_number(x - 6)} {svg_number(y)}l6 -6l6 6l-6 6z" fill="{svg.ORANGE}" '
        f'stroke="{svg.PAPER}"/>'
    )


def _description(
    across: Float64, up: Float64, names: Sequence[str], across_label: str, up_label: str
) -> str:
    """Describe the picture."""
    if not names or len(names) > _MAX_LISTED:
        points_text = f"{counted(len(across), 'point')}"
    else:
        points_text = "; ".join(
            f"{name} {number(a)}, {number(b)}" for name, a, b in zip(names, across, up, strict=True)
        )
    return f"{across_label} (across) and {up_label} (up): {points_text}."


def square_counts(
    points: tuple[Float64, Float64],
    scales: tuple[Sequence[float], Sequence[float]],
    size: tuple[int, int],
) -> Int64:
    """Count the points in each square of a plane.

    Parameters
    ----------
    points : pair of float64[n]
        Across and up, within the scales.
    scales : pair of sequences of float
        The steps of each scale, from its lower to its upper end.
    size : (columns, rows)

    Returns
    -------
    int64[rows * columns]
        From the lower left corner, row by row.

    Examples
    --------
    >>> points = np.array([0.1, 0.9]), np.array([0.0, 1.0])
    >>> square_counts(points, ([0, 1], [0, 1]), (2, 2)).tolist()
    [1, 0, 0, 1]
    """
    column, row = (
        np.minimum(
            (cells * (coordinates - steps[0]) / (steps[-1] - steps[0])).astype(np.int64), cells - 1
        )
        for coordinates, steps, cells in zip(points, scales, size, strict=True)
    )
    return np.bincount(row * size[0] + column, minlength=size[0] * size[1])


def count_ranges(max_count: int, shades: int) -> list[tuple[int, int]]:
    """Divide ``1 .. most`` into at most `shades` ranges, each wider than the last by a factor.

    Examples
    --------
    >>> count_ranges(3, 5), count_ranges(100, 5)
    ([(1, 1), (2, 2), (3, 3)], [(1, 3), (4, 6), (7, 16), (17, 40), (41, 100)])
    """
    if max_count <= shades:
        return [(n, n) for n in range(1, max_count + 1)]
    ends = [round(max_count ** (index / shades)) for index in range(1, shades + 1)]
    ends = [max(end, place) for place, end in enumerate(ends, 1)]
    return [(last + 1, end) for last, end in zip([0, *ends], ends, strict=False) if end > last]


def means_of_tenths(across: Float64, up: Float64) -> list[tuple[float, float]]:
    """Return the mean of both values in each tenth of the points, from left to right.

    Returns
    -------
    list of (across, up)
        Empty for fewer than a hundred points.
    """
    if len(across) < _PARTS * _MIN_PART:
        return []
    parts = np.array_split(np.argsort(across, kind="stable"), _PARTS)
    return [(float(across[part].mean()), float(up[part].mean())) for part in parts]


def place_names(
    points: Sequence[Point], names: Sequence[str], room: Box, *, forced: bool = False
) -> list[Place] | None:
    """Find a place next to its point for each name.

    Parameters
    ----------
    points : sequence of (x, y)
    names : sequence of str
        One per point.
    room : (left, top, right, bottom)
        The area for names.
    forced : bool
        Whether a name without a free place is written where it covers least.

    Returns
    -------
    list of (x, middle, anchor), or None
        None if there is no free place for a name, unless `forced`.

    Examples
    --------
    >>> place_names([(10, 50)], ["a"], (0, 0, 100, 100))
    [(18.5, 50, 'start')]
    """
    occupied = [(x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS) for x, y in points]
    position_of: dict[int, Place] = {}
    # Points with many neighbours choose first, since few places around them are free.
    order = sorted(range(len(points)), key=lambda n: (-_neighbours(points, n), n))
    for n in order:
        width = svg.text_width(names[n])
        best: tuple[float, Place, Box] | None = None
        for place in _candidate_places(points[n]):
            box = _box(place, width)
            covered_area = sum(
                _common_area(box, occupied_box) for m, occupied_box in enumerate(occupied) if m != n
            )
            outside = (box[2] - box[0]) * (box[3] - box[1]) - _common_area(box, room)
            covered_area += outside
            if best is None or covered_area < best[0]:
                best = (covered_area, place, box)
            if not covered_area:
                break
        assert best is not None
        if best[0] and not forced:
            return None
        position_of[n] = best[1]
        occupied.append(best[2])
    return [position_of[n] for n in range(len(points))]


def _candidate_places(point: Point) -> Iterator[Place]:
    """Yield places around a point, the best first."""
    x, y = point
    side, above = _RADIUS + _NAME_GAP, _RADIUS + _NAME_HEIGHT / 2
    yield x + side, y, "start"
    yield x - side, y, "end"
    yield x, y - above, "middle"
    yield x, y + above, "middle"
    for y_shift in (-above, above):
        yield x + _NAME_GAP, y + y_shift, "start"
        yield x - _NAME_GAP, y + y_shift, "end"


def _box(place: Place, width: float) -> Box:
    x, y, anchor = place
    box_left = {"start": x, "middle": x - width / 2, "end": x - width}[anchor]
    return box_left, y - _NAME_HEIGHT / 2, box_left + width, y + _NAME_HEIGHT / 2


def _common_area(first: Box, second: Box) -> float:
    """Return the area of the intersection of two boxes."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    return width * height if width > 0 and height > 0 else 0.0


def _neighbours(points: Sequence[Point], n: int) -> int:
    x, y = points[n]
    return sum(abs(a - x) < 100 and abs(b - y) < 2 * _NAME_HEIGHT for a, b in points)
