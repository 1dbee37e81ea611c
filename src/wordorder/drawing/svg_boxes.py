"""Boxes with lines of text, as SVG elements that can be read on any background."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape

FONT_SIZE = 14

# Black text can be read on each of these. The first three are Okabe & Ito's bluish green, orange
# and reddish purple, which colour-blind readers tell apart.
_COLOURS = {
    "monotone": "#009E73",
    "inverted": "#E69F00",
    "simple": "#CC79A7",
    "plain": "#E6E6E6",
}
# Half a line's height makes the ends of a box of one line round or pointed.
_END = 12
_ROUNDING = {"monotone": _END, "simple": 0, "plain": 3}

_LINE_HEIGHT = 20
_FRAME = 4
# From the top of a box to the base line of its first line.
_BASE_LINE = 17


def svg_box(kind: str, centre: float, top: float, lines: Sequence[str]) -> str:
    """Write a box with lines of text.

    Parameters
    ----------
    kind : {"monotone", "inverted", "simple", "plain"}
        Its colour and its shape: with round, pointed or square ends, or a card.
    centre, top : float
        Where the middle of its upper edge is.
    lines : sequence of str
        Its text; an empty line takes its height.

    Returns
    -------
    str
        SVG elements, one a line; the texts ask for ``text-anchor="middle"`` around them.

    Examples
    --------
    >>> print(svg_box("simple", 30, 0, ["a < b"]))
    <rect x="-1.5" y="0" width="62.9" height="24" rx="0" fill="#CC79A7"/>
    <text x="30" y="17">a &lt; b</text>
    """
    width, height = box_width(lines), box_height(len(lines))
    left, right = centre - width / 2, centre + width / 2
    fill = _COLOURS[kind]
    if kind == "inverted":
        corners = [
            (left, top + height / 2),
            (left + _END, top),
            (right - _END, top),
            (right, top + height / 2),
            (right - _END, top + height),
            (left + _END, top + height),
        ]
        points = " ".join(f"{svg_number(x)},{svg_number(y)}" for x, y in corners)
        shape = f'<polygon points="{points}" fill="{fill}"/>'
    else:
        shape = (
            f'<rect x="{svg_number(left)}" y="{svg_number(top)}" width="{svg_number(width)}" '
            f'height="{svg_number(height)}" rx="{_ROUNDING[kind]}" fill="{fill}"/>'
        )
    elements = [shape]
    for row, line in enumerate(lines):
        base = svg_number(top + _BASE_LINE + row * _LINE_HEIGHT)
        if line:
            elements.append(f'<text x="{svg_number(centre)}" y="{base}">{escape(line)}</text>')
    return "\n".join(elements)


def box_width(lines: Sequence[str]) -> float:
    """Width of the box around lines of text, in pixels."""
    return max(map(text_width, lines)) + 2 * _END


def box_height(lines: int) -> float:
    """Height of the box around so many lines, in pixels."""
    return lines * _LINE_HEIGHT + _FRAME


def text_width(text: str) -> float:
    """Estimate the width of a text in a sans-serif font, in pixels: too wide, if anything.

    Examples
    --------
    >>> text_width("rice") < text_width("RICE"), text_width("ご飯")
    (True, 28.0)
    """
    return FONT_SIZE * sum(map(character_width, text))


def svg_number(value: float) -> str:
    """Write a coordinate with at most one decimal.

    Examples
    --------
    >>> svg_number(12.0), svg_number(7.3)
    ('12', '7.3')
    """
    return f"{value:.1f}".removesuffix(".0")


def character_width(character: str) -> float:
    """Estimate a character's width in units of the font size."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in "WF" or character in "mwMW@…—%&":
        return 1.0
    if character in " .,:;!|'ijl":
        return 0.4
    return 0.75 if character.isupper() else 0.66
