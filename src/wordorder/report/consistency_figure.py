"""SVG picture of the consistency of a sum of two metrics, for every weight."""

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

# Distance from the middle of a line of text to its base line.
_BASELINE_SHIFT = 5

# Blue and vermilion of Okabe & Ito, distinguishable by colour-blind readers.
_COLOURS = {"strict": svg.BLUE, "half": svg.ORANGE}

_DASHES = {"strict": "", "half": ' stroke-dasharray="6 3"'}

_MEANINGS = {"strict": "a tie is wrong", "half": "a tie is half right"}

# Indentation of the legend's text, after the sample line.
_LEGEND_INDENT = 38

# The number of weights in a curve; the table has the exact optimum.
_CURVE_POINTS = 200


@dataclass(frozen=True)
class _Axes:
    """The position of the axes, and of points between them.

    Attributes
    ----------
    steps : sequence of float
        The labelled percentages.
    left, top : float
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

    def path(self, line: Points) -> str:
        return "M" + "L".join(f"{self.x(alpha)} {self.y(100 * value)}" for alpha, value in line)

    def elements(self, ends: tuple[str, str]) -> list[str]:
        """Draw the scales, the grid lines, and the names of weights 0 and 1."""
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
        first, last = (drawable(end) for end in ends)
        label_y = self.bottom + 2.5 * FONT_SIZE
        elements += [
            label(self.left, label_y, first, "start"),
            label(self.right, label_y, last, "end"),
        ]
        return elements


def consistency_svg(
    curve: ConsistencyCurve,
    *,
    ends: tuple[str, str] = ("alpha = 0", "alpha = 1"),
    sets: Mapping[str, ConsistencyCurve] | None = None,
    title: str = "Consistency with people's preferences",
) -> str:
    """Draw the consistency for every weight, with ties as wrong and as half right.

    Dots mark the best weights. The lines exclude the ends: at weights 0 and 1 a single metric has
    more ties and often much lower values, which are written instead. The text inherits the colour
    of its surroundings.

    Parameters
    ----------
    curve : ConsistencyCurve
        The curve, drawn at 200 weights.
    ends : (str, str)
        The names of weights 0 and 1.
    sets : mapping of name to ConsistencyCurve, optional
        The curves of single sets, drawn thin and grey below it.
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
    lines = {ties: _points(curve, ties) for ties in TIE_RULES}
    thin = {name: _points(set_curve, TIE_RULES[0]) for name, set_curve in (sets or {}).items()}
    values = [100 * value for line in (*lines.values(), *thin.values()) for _, value in line]
    steps = svg.scale_steps(min(values), max(values))
    left = svg.MARGIN + max(text_width(f"{step:g}") for step in steps) + svg.GAP
    axes = _Axes(steps, left, svg.MARGIN + FONT_SIZE + svg.GAP)
    elements = axes.elements(ends)
    for name, line in thin.items():
        elements.append(
            f'<g>\n<title>{escape(drawable(name))}</title>\n<path d="{axes.path(line)}" '
            f'fill="none" stroke="{svg.GREY}" stroke-opacity="0.6"/>\n</g>'
        )
    summaries = {ties: _summary(curve, ties) for ties in TIE_RULES}
    for row, (ties, summary) in enumerate(summaries.items()):
        elements += _curve_elements(axes, curve, lines[ties], ties, summary, row)
    legend_lines = [f"{summary} ({_MEANINGS[ties]})" for ties, summary in summaries.items()]
    legend = axes.left + _LEGEND_INDENT + max(map(text_width, legend_lines))
    description = f"{'; '.join(summaries.values())}; {curve.pairs} preferences."
    width, height = max(axes.right, legend) + svg.MARGIN, axes.bottom + 7 * FONT_SIZE
    return svg.picture(elements, width, height, title=title, description=description, text=PLAIN)


def _summary(curve: ConsistencyCurve, ties: str) -> str:
    """Describe the best weight, and both ends."""
    best = curve.best(ties)
    at_0, at_1 = (f"{100 * curve.value(end, ties):.2f} % at {end}" for end in (0, 1))
    return f"{ties}: best {100 * best.value:.2f} % at {best.alpha:.3f}, {at_0}, {at_1}"


def _curve_elements(
    axes: _Axes, curve: ConsistencyCurve, line: Points, ties: str, summary: str, row: int
) -> list[str]:
    """Draw a curve, the dot at its best weight, and its row of the legend."""
    best = curve.best(ties)
    colour, dashes = _COLOURS[ties], _DASHES[ties]
    middle = axes.bottom + (4 + 1.5 * row) * FONT_SIZE
    key_path = f"M{svg_number(axes.left)} {svg_number(middle)}h30"
    cx, cy = axes.x(best.alpha), axes.y(100 * best.value)
    dot = f'<circle cx="{cx}" cy="{cy}" r="4.5" fill="{colour}"/>'
    return [
        f"<g>\n<title>{summary}</title>",
        f'<path d="{axes.path(line)}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>',
        *([dot] if 0 < best.alpha < 1 else []),
        f'<path d="{key_path}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>',
        label(axes.left + _LEGEND_INDENT, middle, f"{summary} ({_MEANINGS[ties]})", "start"),
        "</g>",
    ]


def _points(curve: ConsistencyCurve, ties: str) -> Points:
    """Return weights between 0 and 1 in equal steps with their consistency."""
    weights = [(step + 0.5) / _CURVE_POINTS for step in range(_CURVE_POINTS)]
    return [(alpha, curve.value(alpha, ties)) for alpha in weights]
