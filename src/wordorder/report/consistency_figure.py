"""SVG of the consistency of a weighted sum of two metrics, as a curve over the weight."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from wordorder.drawing import svg
from wordorder.drawing.plots import PLAIN, label
from wordorder.drawing.svg import FONT_SIZE, svg_number, text_width
from wordorder.drawing.trees import drawable
from wordorder.statistics.consistency import TIE_RULES, ConsistencyCurve

Points = list[tuple[float, float]]

_WIDTH, _HEIGHT = 420, 240

# Distance between the middle and the baseline of a line of text.
_BASELINE_SHIFT = 5

# Blue and vermilion of Okabe & Ito, distinguishable by colour-blind readers.
_COLOURS = {"strict": svg.BLUE, "half": svg.ORANGE}

_DASHES = {"strict": "", "half": ' stroke-dasharray="6 3"'}

_MEANINGS = {"strict": "a tie is wrong", "half": "a tie is half right"}

# Width of a sample line in the legend, with the gap before the text.
_LEGEND_INDENT = 38

# The number of weights at which a curve is drawn; the table has the exact optimum.
_CURVE_POINTS = 200


@dataclass(frozen=True)
class _Axes:
    """The axes: they convert weights and percentages to coordinates of the picture.

    Attributes
    ----------
    steps : sequence of float
        The labelled percentages.
    left, top : float
        The upper left corner of the plot.
    """

    steps: list[float]
    left: float
    top: float

    @property
    def right(self) -> float:
        return self.left + _WIDTH

    @property
    def bottom(self) -> float:
        return self.top + _HEIGHT

    def x(self, alpha: float) -> str:
        return svg_number(self.left + _WIDTH * alpha)

    def y(self, percentage: float) -> str:
        share = (percentage - self.steps[0]) / (self.steps[-1] - self.steps[0])
        return svg_number(self.bottom - _HEIGHT * share)

    def path(self, points: Points) -> str:
        return "M" + "L".join(f"{self.x(alpha)} {self.y(100 * value)}" for alpha, value in points)

    def elements(self, end_names: tuple[str, str]) -> list[str]:
        """Draw both scales, the horizontal grid lines, and the names of weights 0 and 1."""
        elements = [
            label(self.left, self.top - svg.GAP - _BASELINE_SHIFT, "% of preferences", "start")
        ]
        for step in self.steps:
            grid_line = f"M{svg_number(self.left)} {self.y(step)}H{svg_number(self.right)}"
            elements.append(f'<path d="{grid_line}" stroke="{svg.GREY}" stroke-opacity="0.5"/>')
            elements.append(label(self.left - svg.GAP, float(self.y(step)), f"{step:g}", "end"))
        elements += [
            label(self.left + _WIDTH * share, self.bottom + FONT_SIZE, f"{share:g}", "middle")
            for share in (0.0, 0.25, 0.5, 0.75, 1.0)
        ]
        first, last = (drawable(end) for end in end_names)
        names_y = self.bottom + 2.5 * FONT_SIZE
        elements += [
            label(self.left, names_y, first, "start"),
            label(self.right, names_y, last, "end"),
        ]
        return elements


def consistency_svg(
    curve: ConsistencyCurve,
    *,
    ends: tuple[str, str] = ("alpha = 0", "alpha = 1"),
    sets: Mapping[str, ConsistencyCurve] | None = None,
    title: str = "Consistency with people's preferences",
) -> str:
    """Draw two curves of consistency over the weight: ties count as wrong, or as half right.

    Dots mark the best weights. The curves leave out weights 0 and 1: a single metric has more ties,
    so its consistency is often far lower; it is given as text. The text inherits the colour of its
    surroundings.

    Parameters
    ----------
    curve : ConsistencyCurve
        The curve, drawn at 200 weights.
    ends : (str, str)
        The names of weights 0 and 1.
    sets : mapping of name to ConsistencyCurve, optional
        The curves of single data sets, drawn as thin grey lines behind `curve`.
    title : str
        The title for screen readers.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.statistics.consistency import consistency_curve
    >>> curve = consistency_curve(np.array([3.0, -1.0]), np.array([-1.0, 1.0]))
    >>> "strict: best 100.00 % at 0.625, 50.00 % at 0, 50.00 % at 1" in consistency_svg(curve)
    True
    """
    points_by_rule = {tie_rule: _points(curve, tie_rule) for tie_rule in TIE_RULES}
    set_points = {
        set_name: _points(set_curve, TIE_RULES[0]) for set_name, set_curve in (sets or {}).items()
    }
    values = [
        100 * value
        for points in (*points_by_rule.values(), *set_points.values())
        for _, value in points
    ]
    steps = svg.scale_steps(min(values), max(values))
    left = svg.MARGIN + max(text_width(f"{step:g}") for step in steps) + svg.GAP
    axes = _Axes(steps, left, svg.MARGIN + FONT_SIZE + svg.GAP)
    elements = axes.elements(ends)
    for name, line in set_points.items():
        elements.append(
            f'<g>\n<title>{escape(drawable(name))}</title>\n<path d="{axes.path(line)}" '
            f'fill="none" stroke="{svg.GREY}" stroke-opacity="0.6"/>\n</g>'
        )
    summaries = {tie_rule: _summary(curve, tie_rule) for tie_rule in TIE_RULES}
    for row, (tie_rule, summary) in enumerate(summaries.items()):
        elements += _curve_elements(axes, curve, points_by_rule[tie_rule], tie_rule, summary, row)
    legend_texts = [f"{summary} ({_MEANINGS[tie_rule]})" for tie_rule, summary in summaries.items()]
    legend_right = axes.left + _LEGEND_INDENT + max(map(text_width, legend_texts))
    description = f"{'; '.join(summaries.values())}; {curve.pairs} preferences."
    width, height = max(axes.right, legend_right) + svg.MARGIN, axes.bottom + 7 * FONT_SIZE
    return svg.picture(elements, width, height, title=title, description=description, text=PLAIN)


def _summary(curve: ConsistencyCurve, tie_rule: str) -> str:
    """Return the consistency at the best weight and at weights 0 and 1, as text."""
    best = curve.best(tie_rule)
    at_0, at_1 = (f"{100 * curve.value(end, tie_rule):.2f} % at {end}" for end in (0, 1))
    return f"{tie_rule}: best {100 * best.value:.2f} % at {best.alpha:.3f}, {at_0}, {at_1}"


def _curve_elements(
    axes: _Axes, curve: ConsistencyCurve, points: Points, tie_rule: str, summary: str, row: int
) -> list[str]:
    """Draw a curve, the dot at its best weight, and its row of the legend (from 0)."""
    best = curve.best(tie_rule)
    colour, dashes = _COLOURS[tie_rule], _DASHES[tie_rule]
    legend_y = axes.bottom + (4 + 1.5 * row) * FONT_SIZE
    sample_path = f"M{svg_number(axes.left)} {svg_number(legend_y)}h30"
    cx, cy = axes.x(best.alpha), axes.y(100 * best.value)
    dot = f'<circle cx="{cx}" cy="{cy}" r="4.5" fill="{colour}"/>'
    return [
        f"<g>\n<title>{summary}</title>",
        f'<path d="{axes.path(points)}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>',
        *([dot] if 0 < best.alpha < 1 else []),
        f'<path d="{sample_path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>',
        label(axes.left + _LEGEND_INDENT, legend_y, f"{summary} ({_MEANINGS[tie_rule]})", "start"),
        "</g>",
    ]


def _points(curve: ConsistencyCurve, tie_rule: str) -> Points:
    """Return equally spaced weights between 0 and 1, each with its consistency."""
    weights = [(step + 0.5) / _CURVE_POINTS for step in range(_CURVE_POINTS)]
    return [(alpha, curve.value(alpha, tie_rule)) for alpha in weights]
