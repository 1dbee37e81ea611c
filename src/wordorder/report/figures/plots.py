"""The three kinds of figures, drawn by matplotlib: values with intervals, curves, points."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from wordorder.arrays import Float64
from wordorder.drawing import figure, plots
from wordorder.drawing.look import colour
from wordorder.drawing.svg import FONT_SIZE
from wordorder.messages import DECIMALS, number

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas

# Light under black lines, and darker for dots.
_SKY, _BLUE, _GREY = colour("picture-bar"), colour("picture-early"), colour("picture-grey")

_INK = colour("picture-ink")

_THIN_LINE = {"color": colour("picture-missing"), "linewidth": 0.5}

_DASHED = {"color": _GREY, "linewidth": 0.75, "linestyle": (0, (3, 2))}

# Heights of a line of text and of the axes with labels, and the maximum width of names.
_LINE_HEIGHT, _AXES_HEIGHT, _MAX_NAME_WIDTH = 10.0, 34.0, 0.4 * figure.COLUMN

_NO_NUMBER = "no number"

# Colour, dashes and marker of each line: systems are told by marker and label, not by hue.
_STYLES: tuple[tuple[str, tuple[float, ...], str], ...] = (
    (_INK, (), "o"),
    (_GREY, (4, 2), "s"),
    (_INK, (1.5, 1.5), "^"),
    (_GREY, (), "D"),
    (_INK, (6, 2, 1.5, 2), "v"),
    (_GREY, (1.5, 1.5), "X"),
    (_INK, (4, 2), "P"),
    (_GREY, (6, 2, 1.5, 2), "*"),
)

_HEIGHT = 190.0

# More points without names are counted in squares, this number per side.
_MAX_DOTS, _SQUARES_PER_SIDE = 300, 32

# From light to dark; the ranges of counts grow by a constant factor.
_SHADES = tuple(colour(f"picture-shade{step}") for step in range(1, 6))

# Black and white, visible on light and dark squares.
_DIAMOND = {"marker": "D", "markerfacecolor": "white", "markeredgecolor": "black", "markersize": 5}

# `place_names` assumes another text size.
_TEXT_SCALE = FONT_SIZE / figure.TEXT_SIZE

# The layout of small legends.
_LEGEND_STYLE: dict[str, Any] = {
    "handlelength": 0.8,
    "handletextpad": 0.4,
    "columnspacing": 0.9,
    "borderpad": 0.2,
}


def _canvas(height: float) -> tuple[Canvas, Any]:
    """Return a figure of the width of a column, and its axes."""
    from matplotlib.figure import Figure as Canvas

    from wordorder.drawing.recording import RecordingCanvas

    canvas = Canvas(figsize=(figure.COLUMN / 72, height / 72))
    RecordingCanvas(canvas)
    return canvas, canvas.subplots()


def _set_numbers(canvas: Canvas, axes: Any) -> None:
    """Set the largest number of labels on the x axis that do not touch."""
    figure.lay_out(canvas)
    for max_ticks in range(6, 0, -1):
        axes.locator_params(axis="x", nbins=max_ticks)
        if not figure.labels_touch(axes, 5):
            break
    if len(axes.get_yticks()):
        # The labels may have another width now.
        figure.lay_out(canvas)


def _lines_of_rows(
    starts: Float64, ends: Float64, rows: Sequence[float]
) -> tuple[Float64, Float64]:
    """Return x and y of one horizontal segment per row as one line with gaps, drawn in one call."""
    gap = np.full(len(starts), np.nan)
    return np.stack([starts, ends, gap], axis=1).ravel(), np.repeat(rows, 3)


def score_bars(
    name: str,
    title: str,
    systems: Sequence[str],
    values: Sequence[plots.Interval],
    label: str,
    *,
    bars: bool = True,
    with_zero: bool = False,
    full: Sequence[bool] | None = None,
    decimals: int = DECIMALS,
    groups: Sequence[int] | None = None,
    header: tuple[str, ...],
    rows: Iterable[tuple[figure.Cell, ...]],
) -> figure.Figure:
    """Draw a row for each system: its name, its value as a bar or a dot, its interval and number.

    Parameters
    ----------
    name, title, header, rows
        As in `Figure`.
    systems : sequence of str
        From the top down; what all begin and end with is left out, and long ones take more lines.
    values : sequence of value with `low` and `high`
        NaN where there is none.
    label : str
        What the numbers are.
    bars : bool
        Bars, which begin at zero; otherwise dots, on a scale that begins near the lowest end.
    with_zero : bool
        The scale of dots has a zero, and a line there.
    full : sequence of bool, optional
        Whether the dot of each row is full, as where a difference is significant.
    decimals : int
        Of the numbers.
    groups : sequence of int, optional
        A broken line separates systems of different groups.
    """

    def draw() -> Canvas:
        from wordorder.drawing.text_rows import TextRows

        names = [
            figure.break_lines(system, _MAX_NAME_WIDTH) for system in figure.short_names(systems)
        ]
        edges = np.cumsum([0.0, *(4 + _LINE_HEIGHT * (name.count("\n") + 1) for name in names)])
        middles = ((edges[:-1] + edges[1:]) / 2).tolist()
        canvas, axes = _canvas(_AXES_HEIGHT + float(edges[-1]))
        value, low, high = np.array(
            [(estimate.value, estimate.low, estimate.high) for estimate in values]
        ).T
        TextRows(axes, 0, -3.5, middles, names, "right")
        numbers = [
            _NO_NUMBER if math.isnan(score) else number(score, decimals) for score in value.tolist()
        ]
        TextRows(axes, 1, 5, middles, numbers, "left")
        if bars:
            zero = np.zeros(len(value))
            bar: dict[str, Any] = {"color": _SKY, "linewidth": 8, "solid_capstyle": "butt"}
            axes.plot(*_lines_of_rows(zero, value, middles), **bar)
        axes.plot(*_lines_of_rows(low, high, middles), "|-", color="black", markersize=4)
        if not bars:
            is_full = np.ones(len(value), np.bool_) if full is None else np.array(full)
            for chosen, face in ((is_full, _BLUE), (~is_full, "white")):
                if chosen.any():
                    dots = {"color": _BLUE, "markerfacecolor": face, "markersize": 5}
                    axes.plot(value[chosen], np.array(middles)[chosen], "o", **dots)
        if groups is not None:
            for n in range(1, len(groups)):
                if groups[n] != groups[n - 1]:
                    axes.axhline(edges[n], **_DASHED)
        if bars or with_zero:
            axes.axvline(0, color="black", linewidth=0.75)
        axes.set_ylim(edges[-1], 0)
        axes.set_yticks([])
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.set_xlabel(figure.break_lines(label, figure.COLUMN * 0.9))
        _set_numbers(canvas, axes)
        return canvas

    return figure.Figure(name, title, draw, header, rows)


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
    rows: Iterable[tuple[figure.Cell, ...]],
) -> figure.Figure:
    """Draw a line for each system over places in equal steps.

    Parameters
    ----------
    name, title, header, rows
        As in `Figure`.
    systems : sequence of str
        The first eight are named; the others are thin and grey.
    values : sequence of sequences of float
        For each system one value per place; NaN for a missing one, which breaks the line.
    places : sequence of str
        What is written under each place; where they would touch, every second, third, … is.
    label, places_label : str
        What the axes show.
    counts : sequence of str
        A second row under the places.
    """

    def draw() -> Canvas:
        names = [
            figure.break_lines(system, figure.COLUMN * 0.8)
            for system in figure.short_names(systems)[: len(_STYLES)]
        ]
        widest = max(figure.printed_width(line) for name in names for line in name.split("\n"))
        columns = max(1, min(4, int(figure.COLUMN // (widest + 32))))
        lines = sum(name.count("\n") + 1 for name in names) // columns + 2
        canvas, axes = _canvas(_AXES_HEIGHT + 130 + _LINE_HEIGHT * (lines + bool(counts)))
        for line in values[len(_STYLES) :]:
            axes.plot(line, **_THIN_LINE)
        # The first lie on top.
        for n, (line, (ink, dashes, marker)) in enumerate(zip(values, _STYLES, strict=False)):
            axes.plot(
                *(line, marker),
                color=ink,
                linestyle=(0, dashes) if dashes else "-",
                markersize=4,
                markeredgecolor="black",
                markeredgewidth=0.4,
                # matplotlib leaves out labels that begin with "_": the names come later.
                label=f"{n}",
                zorder=3 - 0.1 * n,
            )
        if other_count := len(values) - len(names):
            axes.plot([], **_THIN_LINE, label=f"{other_count} more")
        tick_labels = ["\n".join(row) for row in zip(*filter(None, (places, counts)), strict=True)]
        legend = canvas.legend(loc="upper left", ncols=columns, handlelength=2.5)
        for text, system in zip(legend.get_texts(), names, strict=False):
            text.set_text(system)
        axes.set_xlabel(figure.break_lines(places_label, figure.COLUMN * 0.8))
        axes.set_ylabel(figure.break_lines(label, 130))
        axes.set_xlim(-0.5, len(places) - 0.5)
        figure.lay_out(canvas)
        for every in range(1, len(places) + 1):
            axes.set_xticks(range(0, len(places), every), tick_labels[::every])
            if not figure.labels_touch(axes, 5):
                break
        figure.lay_out(canvas)
        axes.grid(visible=False, axis="x")
        return canvas

    return figure.Figure(name, title, draw, header, rows)


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
    rows: Iterable[tuple[figure.Cell, ...]],
) -> figure.Figure:
    """Draw points with their names, or counted in squares where there are many.

    A summary is drawn of points without names. Where both axes have one scale it is the mean of all
    points alone: means of points that are close to each other on one axis would lean towards that
    axis, as each score is noisy, and two equal systems would look unequal. Otherwise the mean of
    each tenth of the points, from left to right, shows what the score upwards is, given the
    one across.

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
    known_points = np.flatnonzero(~np.isnan(across) & ~np.isnan(up))
    across, up = across[known_points], up[known_points]

    def draw() -> Canvas:
        canvas, axes = _canvas(_HEIGHT + _AXES_HEIGHT)
        axes.set_xlabel(figure.break_lines(across_label, figure.COLUMN * 0.7))
        axes.set_ylabel(figure.break_lines(up_label, _HEIGHT * 0.8))
        if names:
            axes.margins(0.1)
        has_many_points = not names and len(across) > _MAX_DOTS
        if has_many_points:
            canvas.set_figheight((_HEIGHT + _AXES_HEIGHT + 4 * _LINE_HEIGHT) / 72)
            _draw_squares(canvas, axes, across, up, same_scale=same_scale)
        else:
            axes.plot(across, up, "o", color=_BLUE, fillstyle="full" if names else "none", ms=4)
        if not names and len(across):
            _draw_means(axes, across, up, same_scale=same_scale)
        if same_scale:
            ends = [min(axes.get_xlim()[0], axes.get_ylim()[0]), max(axes.axis()[1::2])]
            axes.set(xlim=ends, ylim=ends)
            axes.plot(ends, ends, scalex=False, scaley=False, **_DASHED)
        _set_numbers(canvas, axes)
        if names:
            _draw_names(
                canvas,
                axes,
                across,
                up,
                figure.short_names([names[n] for n in known_points.tolist()]),
            )
        return canvas

    return figure.Figure(name, title, draw, header, rows)


def _draw_squares(
    canvas: Canvas, axes: Any, across: Float64, up: Float64, *, same_scale: bool
) -> None:
    """Count points in squares, with a legend below."""
    from matplotlib.patches import Patch, PathPatch
    from matplotlib.path import Path

    ranges_xy = [
        (float(coordinates.min()), float(coordinates.max())) for coordinates in (across, up)
    ]
    if same_scale:
        ranges_xy = [
            (min(ranges_xy[0][0], ranges_xy[1][0]), max(ranges_xy[0][1], ranges_xy[1][1]))
        ] * 2
    counts, *edges = np.histogram2d(across, up, _SQUARES_PER_SIDE, ranges_xy)
    ranges = plots.count_ranges(int(counts.max()), len(_SHADES))
    shades = _SHADES[len(_SHADES) - len(ranges) :]
    x, y = edges
    for shade, (low, high) in zip(shades, ranges, strict=True):
        # All squares of a shade are one shape.
        column, row = np.nonzero((counts >= low) & (counts <= high))
        left, right, bottom, top = x[column], x[column + 1], y[row], y[row + 1]
        corners = np.array([[left, bottom], [right, bottom], [right, top], [left, top]])
        corners = np.append(corners, corners[:1], axis=0).transpose(2, 0, 1).reshape(-1, 2)
        codes = [Path.MOVETO, *[Path.LINETO] * 3, Path.CLOSEPOLY] * len(row)
        squares = Path(corners, codes)
        axes.add_artist(PathPatch(squares, facecolor=shade, linewidth=0, antialiased=False))
    axes.set(xlim=x[[0, -1]], ylim=y[[0, -1]])
    handles: list[Any] = [
        Patch(color=shade, label=f"{low}" if low == high else f"{low}–{high}")
        for shade, (low, high) in zip(shades, ranges, strict=True)
    ]
    # One line of them, or two where the column has no room for that.
    legend_width = sum(
        figure.printed_width(handle.get_label()) + 2.2 * figure.TEXT_SIZE for handle in handles
    )
    columns = len(handles) if legend_width <= figure.COLUMN else math.ceil(len(handles) / 2)
    canvas.legend(
        handles=handles,
        loc="lower left",
        ncols=columns,
        alignment="left",
        title="points in a square",
        **_LEGEND_STYLE,
    )


def _draw_means(axes: Any, across: Float64, up: Float64, *, same_scale: bool) -> None:
    """Draw the summary of points without names, and say above what it is."""
    means = (
        [(float(across.mean()), float(up.mean()))]
        if same_scale
        else plots.means_of_tenths(across, up)
    )
    text = "mean of all" if same_scale else "mean of a tenth of the points"
    (line,) = axes.plot(
        *zip(*means, strict=True), color="black", label=text, clip_on=False, **_DIAMOND
    )
    axes.legend(handles=[line], loc="lower left", bbox_to_anchor=(0, 1), **_LEGEND_STYLE)


def _draw_names(
    canvas: Canvas, axes: Any, across: Float64, up: Float64, names: Sequence[str]
) -> None:
    """Write names beside their points; where they do not all fit, numbers, and a list below."""
    # Points at one place share a label, from the top down, as lists are read.
    points_at: dict[tuple[int, int], list[int]] = {}
    pixels = axes.transData.transform(np.stack([across, up], axis=1))
    for n in sorted(range(len(names)), key=lambda n: (-pixels[n][1], pixels[n][0])):
        points_at.setdefault((round(pixels[n][0]), round(pixels[n][1])), []).append(n)
    point_labels = [", ".join(names[n] for n in group) for group in points_at.values()]
    places = _find_label_places(axes, across, up, points_at.values(), point_labels)
    if places is None:
        order = [n for group in points_at.values() for n in group]
        numbers = {n: str(place) for place, n in enumerate(order, 1)}
        listed_names = [
            f"{numbers[n]}  {figure.break_lines(names[n], figure.COLUMN * 0.8)}" for n in order
        ]
        widest = max(
            figure.printed_width(line)
            for listed_name in listed_names
            for line in listed_name.split("\n")
        )
        columns = max(1, int((figure.COLUMN - 10) // (widest + 12)))
        list_height = (
            sum(2.5 + _LINE_HEIGHT * (listed_name.count("\n") + 1) for listed_name in listed_names)
            / columns
        )
        canvas.set_figheight((_HEIGHT + _AXES_HEIGHT + list_height + 2 * _LINE_HEIGHT) / 72)
        blank = [axes.plot([], " ", label=listed_name)[0] for listed_name in listed_names]
        canvas.legend(
            handles=blank,
            loc="lower left",
            ncols=columns,
            handlelength=0,
            handletextpad=0,
            labelspacing=0.25,
            columnspacing=1.5,
        )
        _set_numbers(canvas, axes)
        point_labels = [", ".join(numbers[n] for n in group) for group in points_at.values()]
        places = _find_label_places(axes, across, up, points_at.values(), point_labels, forced=True)
    assert places is not None
    for text, (x, y, anchor) in zip(point_labels, places, strict=True):
        place = axes.transData.inverted().transform((x / _TEXT_SCALE, -y / _TEXT_SCALE))
        ha = {"start": "left", "middle": "center", "end": "right"}[anchor]
        axes.text(*place, text, ha=ha, va="center")


def _find_label_places(
    axes: Any,
    across: Float64,
    up: Float64,
    at: Iterable[Sequence[int]],
    written: Sequence[str],
    *,
    forced: bool = False,
) -> list[plots.Place] | None:
    """Find places for labels; y grows downwards."""
    pixels = axes.transData.transform(np.stack([across, up], axis=1)) * (_TEXT_SCALE, -_TEXT_SCALE)
    box = axes.bbox
    area = tuple(side * _TEXT_SCALE for side in (box.x0, -box.y1, box.x1, -box.y0))
    points = [tuple(pixels[group[0]].tolist()) for group in at]
    return plots.place_names(points, written, area, forced=forced)
