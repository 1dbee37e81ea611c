"""What all pictures share: boxes of words, a legend, the frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from wordorder.drawing.svg_boxes import FONT_SIZE, box_height, box_width, svg_number
from wordorder.drawing.tree_labels import LONGEST_WORD, drawable, shortened

# More words of a sentence are not drawn.
MOST_WORDS = 200
LONGEST_TEXT = 200

MARGIN = 12
GAP = 8
BOX_HEIGHT = box_height(1)
_BASE_LINE = 17

# Of Okabe & Ito's colours those that contrast with white and from black alike, as the grey does.
GREY = "#808080"
BLUE = "#0072B2"
GREEN = "#009E73"
VERMILION = "#D55E00"

# Black text can be read on the first two, white on the third.
_PAINTS = {
    "word": 'fill="#E6E6E6"',
    "missing": 'fill="#B3B3B3" stroke="#808080" stroke-width="1.5" stroke-dasharray="4 3"',
    "name": 'fill="#404040"',
}

_SYMBOL = 28
# A legend is at least as wide before it takes another row.
LEAST_ROOM = 420


@dataclass(frozen=True)
class Symbol:
    """An entry of a legend.

    Attributes
    ----------
    text : str
        What it says.
    draw : callable
        Takes where the middle of the symbol is, and returns SVG elements of at most 24 by 24
        pixels.
    """

    text: str
    draw: Callable[[float, float], str]


def text_box(
    text: str, centre: float, top: float, *, kind: str = "word", hint: str = "", tilt: int = 0
) -> str:
    """Write a box with a text.

    Parameters
    ----------
    text : str
    centre, top : float
        Where the middle of its upper edge is; of a tilted box, where the middle of the edge is
        around which it turns: the left one if it is tilted upwards, otherwise the right one.
    kind : {"word", "missing", "name"}
        A card; a darker one with a broken edge, for a word without a counterpart; a dark one with
        square corners.
    hint : str
        What it says when the pointer rests on it.
    tilt : int
        By how many degrees it is turned clockwise, from -90 to 90.

    Examples
    --------
    >>> print(text_box("a<b", 30, 0, hint="word 1"))
    <g><title>word 1</title>
    <rect x="4.1" y="0" width="51.7" height="24" rx="3" fill="#E6E6E6"/>
    <text x="30" y="17">a&lt;b</text></g>
    """
    width = box_width([text])
    turned = ""
    if tilt:
        turned = f' transform="rotate({tilt} {svg_number(centre)} {svg_number(top)})"'
        centre, top = centre + (width / 2 if tilt < 0 else -width / 2), top - BOX_HEIGHT / 2
    rounding, ink = (0, ' fill="#FFFFFF"') if kind == "name" else (3, "")
    title = f"<title>{escape(drawable(hint))}</title>\n" if hint else ""
    return (
        f'<g{turned}>{title}<rect x="{svg_number(centre - width / 2)}" y="{svg_number(top)}" '
        f'width="{svg_number(width)}" height="{svg_number(BOX_HEIGHT)}" rx="{rounding}" '
        f"{_PAINTS[kind]}/>\n"
        f'<text x="{svg_number(centre)}" y="{svg_number(top + _BASE_LINE)}"{ink}>'
        f"{escape(text)}</text></g>"
    )


def shown_word(word: str) -> str:
    """Return a word as it is drawn: on one line, and of at most 30 characters.

    Examples
    --------
    >>> shown_word("a\\tb"), len(shown_word("a" * 99))
    ('a�b', 30)
    """
    return shortened(drawable(word), LONGEST_WORD)


def hidden_words(number: int) -> str:
    """Return the placeholder of the words that are not drawn.

    Examples
    --------
    >>> hidden_words(1), hidden_words(7)
    ('… 1 more word', '… 7 more words')
    """
    return f"… {number} more word{'s' if number > 1 else ''}"


def legend(symbols: Sequence[Symbol], top: float, room: float) -> tuple[list[str], float, float]:
    """Write a legend.

    Parameters
    ----------
    symbols : sequence of Symbol
    top : float
        Where it begins.
    room : float
        How wide it may be; a row holds one entry at least.

    Returns
    -------
    (elements, width, height), without a margin around them
    """
    elements = []
    left = widest = 0.0
    row = 0
    for symbol in symbols:
        width = _SYMBOL + box_width([symbol.text])
        if left and left + width > room:
            row += 1
            left = 0.0
        x, y = MARGIN + left, top + row * (BOX_HEIGHT + GAP)
        elements.append(symbol.draw(x + _SYMBOL / 2 - 2, y + BOX_HEIGHT / 2))
        elements.append(text_box(symbol.text, x + _SYMBOL + box_width([symbol.text]) / 2, y))
        left += width + GAP
        widest = max(widest, left - GAP)
    height = (row + 1) * (BOX_HEIGHT + GAP) - GAP if symbols else 0.0
    return elements, widest, height


def missing_sample(x: float, y: float) -> str:
    """Draw the box of a word without a counterpart for a legend, its middle at ``(x, y)``."""
    return (
        f'<rect x="{svg_number(x - 11)}" y="{svg_number(y - 8)}" width="22" height="16" rx="3" '
        f"{_PAINTS['missing']}/>"
    )


def picture(
    elements: Sequence[str], width: float, height: float, *, title: str, description: str
) -> str:
    """Put elements into one ``<svg>``, with what it says to readers who cannot see it.

    Parameters
    ----------
    elements : sequence of str
        Empty ones are left out.
    width, height : float
        In pixels.
    title, description : str
    """
    size = f"{svg_number(width)} {svg_number(height)}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
            f'width="{svg_number(width)}" height="{svg_number(height)}" role="img" '
            f'font-family="sans-serif" font-size="{FONT_SIZE}" text-anchor="middle">',
            f"<title>{escape(drawable(title))}</title>",
            f"<desc>{escape(drawable(description))}</desc>",
            *(element for element in elements if element),
            "</svg>",
        ]
    )
