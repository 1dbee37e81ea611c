"""Consistency with people for every weight, as an SVG picture."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from wordorder.drawing.scale import scale_steps
from wordorder.drawing.svg_boxes import FONT_SIZE, svg_number, text_width
from wordorder.drawing.tree_labels import drawable
from wordorder.statistics.consistency import TIES, ConsistencyCurve

_MARGIN = 12
_GAP = 8
_WIDTH, _HEIGHT = 420, 240
# From the middle of a line to its base line.
_BASE = 5
# Okabe & Ito's blue and vermilion can be told apart by all readers; the grey is for thin lines.
_COLOURS = {"strict": "#0072B2", "half": "#D55E00"}
_DASHES = {"strict": "", "half": ' stroke-dasharray="6 3"'}
_MEANINGS = {"strict": "a tie is wrong", "half": "a tie is half right"}
_GREY = "#808080"
# The width of a line of the legend, with its gap.
_KEY = 38
# Weights that are drawn; the table has the exact optimum.
_STEPS = 200


def consistency_svg(
    curve: ConsistencyCurve,
    *,
    ends: tuple[str, str] = ("alpha = 0", "alpha = 1"),
    sets: Mapping[str, ConsistencyCurve] | None = None,
    title: str = "Consistency with people's preferences",
) -> str:
    """Draw the consistency for every weight, with ties as wrong and as half right.

    Dots mark the best weights. The lines are those of sums: at 0 and 1, where one metric is alone
    and ties more, the values are often far lower, and are written instead. The text has the
    colour of what surrounds the picture.

    Parameters
    ----------
    curve : ConsistencyCurve
        Its value is drawn at 200 weights.
    ends : (str, str)
        What weights 0 and 1 are.
    sets : mapping of name to ConsistencyCurve, optional
        The curves of single sets, drawn thin and grey under it.
    title : str
        What the picture is, for readers who cannot see it.

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
    lines = {ties: _inside(curve, ties) for ties in TIES}
    thin = {name: _inside(each, TIES[0]) for name, each in (sets or {}).items()}
    values = [100 * value for line in (*lines.values(), *thin.values()) for _, value in line]
    steps = scale_steps(min(values), max(values))
    left = _MARGIN + max(text_width(f"{step:g}") for step in steps) + _GAP
    top = _MARGIN + FONT_SIZE + _GAP
    right, bottom = left + _WIDTH, top + _HEIGHT

    def x(alpha: float) -> str:
        return svg_number(left + _WIDTH * alpha)

    def y(value: float) -> str:
        return svg_number(bottom - _HEIGHT * (value - steps[0]) / (steps[-1] - steps[0]))

    def path(line: list[tuple[float, float]]) -> str:
        return "M" + "L".join(f"{x(alpha)} {y(100 * value)}" for alpha, value in line)

    def dot(alpha: float, value: float, colour: str) -> str:
        return f'<circle cx="{x(alpha)}" cy="{y(100 * value)}" r="4.5" fill="{colour}"/>'

    elements = [_text(svg_number(left), top - _GAP - _BASE, "% of preferences", "start")]
    for step in steps:
        across = f"M{svg_number(left)} {y(step)}H{svg_number(right)}"
        elements.append(f'<path d="{across}" stroke="{_GREY}" stroke-opacity="0.5"/>')
        elements.append(_text(svg_number(left - _GAP), float(y(step)), f"{step:g}", "end"))
    elements += [
        _text(x(share), bottom + FONT_SIZE, f"{share:g}", "middle")
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    first, last = (drawable(end) for end in ends)
    elements.append(_text(svg_number(left), bottom + 2.5 * FONT_SIZE, first, "start"))
    elements.append(_text(svg_number(right), bottom + 2.5 * FONT_SIZE, last, "end"))
    for name, line in thin.items():
        elements.append(
            f"<g>\n<title>{escape(drawable(name))}</title>\n"
            f'<path d="{path(line)}" fill="none" stroke="{_GREY}" stroke-opacity="0.6"/>\n</g>'
        )
    said = []
    for row, ties in enumerate(TIES):
        best = curve.best(ties)
        at_0, at_1 = (f"{100 * curve.value(end, ties):.2f} % at {end}" for end in (0, 1))
        said.append(f"{ties}: best {100 * best.value:.2f} % at {best.alpha:.3f}, {at_0}, {at_1}")
        colour, dashes = _COLOURS[ties], _DASHES[ties]
        middle = bottom + (4 + 1.5 * row) * FONT_SIZE
        key = f"M{svg_number(left)} {svg_number(middle)}h30"
        elements += [
            f"<g>\n<title>{said[-1]}</title>",
            f'<path d="{path(lines[ties])}" fill="none" stroke="{colour}" stroke-width="2"'
            f"{dashes}/>",
            *([dot(best.alpha, best.value, colour)] if 0 < best.alpha < 1 else []),
            f'<path d="{key}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>',
            _text(svg_number(left + _KEY), middle, f"{said[-1]} ({_MEANINGS[ties]})", "start"),
            "</g>",
        ]
    legend = (
        left
        + _KEY
        + max(text_width(f"{s} ({m})") for s, m in zip(said, _MEANINGS.values(), strict=True))
    )
    size = svg_number(max(right, legend) + _MARGIN), svg_number(bottom + 7 * FONT_SIZE)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size[0]} {size[1]}" '
            f'width="{size[0]}" height="{size[1]}" role="img" font-family="sans-serif" '
            f'font-size="{FONT_SIZE}" fill="currentColor">',
            f"<title>{escape(title)}</title>",
            f"<desc>{'; '.join(said)}; {curve.pairs} preferences.</desc>",
            *elements,
            "</svg>",
        ]
    )


def _inside(curve: ConsistencyCurve, ties: str) -> list[tuple[float, float]]:
    """Return weights between 0 and 1 in equal steps with their consistency."""
    weights = [(step + 0.5) / _STEPS for step in range(_STEPS)]
    return [(alpha, curve.value(alpha, ties)) for alpha in weights]


def _text(x: str, middle: float, text: str, anchor: str) -> str:
    y = svg_number(middle + _BASE)
    return f'<text x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>'
