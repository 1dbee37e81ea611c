"""Elements of SVG pictures, which can be read on any background: boxes, legends, scales, tables."""

import math
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from itertools import count, islice, takewhile
from typing import Protocol

from wordorder.drawing.look import colour
from wordorder.drawing.trees import MAX_WORD_LENGTH, drawable, shortened
from wordorder.messages import counted

FONT_SIZE = 14

# Black text can be read on each of these.
_BOX_COLOURS = {
    "monotone": colour("tree-monotone"),
    "inverted": colour("tree-inverted"),
    "simple": colour("tree-simple"),
    "plain": colour("tree-plain"),
}

# Half the height of a box of one line: the radius of round ends, the length of pointed ones.
_HALF_HEIGHT = 12
_CORNER_RADII = {"monotone": _HALF_HEIGHT, "simple": 0, "plain": 3}
_LINE_HEIGHT = 20
_PADDING = 4

# From the top of a box to the base line of its first line.
_BASE_LINE = 17

# The maximum number of words of a sentence that are drawn, and of characters of a title.
MAX_SENTENCE_WORDS = 200
MAX_TITLE = 200
MARGIN = 12
GAP = 8

GREY = colour("picture-grey")
BLUE = colour("picture-early")
ORANGE = colour("picture-late")
INK = colour("picture-ink")
PAPER = colour("picture-paper")
CARD = colour("picture-card")
MISSING_FILL = colour("picture-missing")

# Black text can be read on the first two, white text on the third.
_BOX_STYLES = {
    "word": f'fill="{CARD}"',
    "missing": f'fill="{MISSING_FILL}" stroke="{GREY}" stroke-width="1.5" stroke-dasharray="4 3"',
    "name": f'fill="{colour("picture-name")}"',
}
# Width of a symbol of a legend.
_SYMBOL_WIDTH = 28

# A legend may be at least this wide before it takes another row.
MIN_LEGEND_WIDTH = 420

# Maximum number of steps of a scale.
_MAX_SCALE_STEPS = 6

# Rows of a table, and pictures of a column, that are shown.
_MAX_TABLE_ROWS = 50
_MAX_PICTURES = 5


def svg_box(kind: str, centre: float, top: float, lines: Sequence[str]) -> str:
    """Write a box with lines of text.

    Parameters
    ----------
    kind : {"monotone", "inverted", "simple", "plain"}
        Colour and shape: with round, pointed or square ends, or a card.
    centre, top : float
        The middle of the upper edge.
    lines : sequence of str
        The text; empty lines leave space.

    Returns
    -------
    str
        SVG elements, one per line; an element around them must set ``text-anchor="middle"``.

    Examples
    --------
    >>> print(svg_box("simple", 30, 0, ["a < b"]))
    <rect x="-1.5" y="0" width="62.9" height="24" rx="0" fill="#B5B5B5"/>
    <text x="30" y="17">a &lt; b</text>
    """
    width, height = box_width(lines), box_height(len(lines))
    box_left, right = centre - width / 2, centre + width / 2
    fill = _BOX_COLOURS[kind]
    if kind == "inverted":
        corners = [
            (box_left, top + height / 2),
            (box_left + _HALF_HEIGHT, top),
            (right - _HALF_HEIGHT, top),
            (right, top + height / 2),
            (right - _HALF_HEIGHT, top + height),
            (box_left + _HALF_HEIGHT, top + height),
        ]
        points = " ".join(f"{svg_number(x)},{svg_number(y)}" for x, y in corners)
        shape = f'<polygon points="{points}" fill="{fill}"/>'
    else:
        shape = (
            f'<rect x="{svg_number(box_left)}" y="{svg_number(top)}" width="{svg_number(width)}" '
            f'height="{svg_number(height)}" rx="{_CORNER_RADII[kind]}" fill="{fill}"/>'
        )
    elements = [shape]
    for row, line in enumerate(lines):
        base = svg_number(top + _BASE_LINE + row * _LINE_HEIGHT)
        if line:
            elements.append(f'<text x="{svg_number(centre)}" y="{base}">{escape(line)}</text>')
    return "\n".join(elements)


def box_width(lines: Sequence[str]) -> float:
    """Return the width of the box around lines of text, in pixels."""
    return max(map(text_width, lines)) + 2 * _HALF_HEIGHT


def box_height(line_count: int) -> float:
    """Return the height of the box around a number of lines, in pixels."""
    return line_count * _LINE_HEIGHT + _PADDING


def text_width(text: str) -> float:
    """Estimate the width of a text in a sans-serif font, in pixels, with a safety margin.

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


BOX_HEIGHT = box_height(1)


@dataclass(frozen=True)
class Symbol:
    """An entry of a legend.

    Attributes
    ----------
    text : str
        The label.
    draw : callable
        Takes the middle of the symbol, and returns SVG elements of at most 24 by 24 pixels.
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
        The middle of the upper edge. A tilted box is rotated around this point, which is then the
        middle of its left edge if `tilt` is negative, of its right edge if `tilt` is positive.
    kind : {"word", "missing", "name"}
        A card; a darker one with a broken edge, for a word without a counterpart; a dark one with
        square corners.
    hint : str
        The tooltip.
    tilt : int
        Clockwise rotation in degrees, from -90 to 90.

    Examples
    --------
    >>> print(text_box("a<b", 30, 0, hint="word 1"))
    <g><title>word 1</title>
    <rect x="4.1" y="0" width="51.7" height="24" rx="3" fill="#E6E6E6"/>
    <text x="30" y="17">a&lt;b</text></g>
    """
    width = box_width([text])
    transform = ""
    if tilt:
        transform = f' transform="rotate({tilt} {svg_number(centre)} {svg_number(top)})"'
        centre, top = centre + (width / 2 if tilt < 0 else -width / 2), top - BOX_HEIGHT / 2
    rounding, text_fill = (0, f' fill="{PAPER}"') if kind == "name" else (3, "")
    title = f"<title>{escape(drawable(hint))}</title>\n" if hint else ""
    return (
        f'<g{transform}>{title}<rect x="{svg_number(centre - width / 2)}" y="{svg_number(top)}" '
        f'width="{svg_number(width)}" height="{svg_number(BOX_HEIGHT)}" rx="{rounding}" '
        f"{_BOX_STYLES[kind]}/>\n"
        f'<text x="{svg_number(centre)}" y="{svg_number(top + _BASE_LINE)}"{text_fill}>'
        f"{escape(text)}</text></g>"
    )


def shown_word(word: str) -> str:
    """Return a word as it is drawn: on one line, and of at most 30 characters.

    Examples
    --------
    >>> shown_word("a\\tb"), len(shown_word("a" * 99))
    ('a�b', 30)
    """
    return shortened(drawable(word), MAX_WORD_LENGTH)


def hidden_words(count: int) -> str:
    """Return the placeholder of the words that are not drawn.

    Examples
    --------
    >>> hidden_words(1), hidden_words(7)
    ('… 1 more word', '… 7 more words')
    """
    return f"… {count} more word{'s' if count > 1 else ''}"


def legend(
    symbols: Sequence[Symbol], top: float, max_width: float
) -> tuple[list[str], float, float]:
    """Write a legend.

    Parameters
    ----------
    symbols : sequence of Symbol
    top : float
        The upper edge.
    max_width : float
        The maximum width; a row has at least one entry.

    Returns
    -------
    (elements, width, height), without a margin around them
    """
    elements = []
    entry_left = widest = 0.0
    row = 0
    for symbol in symbols:
        width = _SYMBOL_WIDTH + box_width([symbol.text])
        if entry_left and entry_left + width > max_width:
            row += 1
            entry_left = 0.0
        x, y = MARGIN + entry_left, top + row * (BOX_HEIGHT + GAP)
        elements.append(symbol.draw(x + _SYMBOL_WIDTH / 2 - 2, y + BOX_HEIGHT / 2))
        elements.append(text_box(symbol.text, x + _SYMBOL_WIDTH + box_width([symbol.text]) / 2, y))
        entry_left += width + GAP
        widest = max(widest, entry_left - GAP)
    height = (row + 1) * (BOX_HEIGHT + GAP) - GAP if symbols else 0.0
    return elements, widest, height


def missing_sample(x: float, y: float) -> str:
    """Draw the box of a word without a counterpart for a legend, centred at ``(x, y)``."""
    return (
        f'<rect x="{svg_number(x - 11)}" y="{svg_number(y - 8)}" width="22" height="16" rx="3" '
        f"{_BOX_STYLES['missing']}/>"
    )


def picture(
    elements: Sequence[str],
    width: float,
    height: float,
    *,
    title: str,
    description: str,
    text: str = 'text-anchor="middle"',
) -> str:
    """Build an ``<svg>`` element, with a title and a description for screen readers.

    Parameters
    ----------
    elements : sequence of str
        Empty ones are left out.
    width, height : float
        In pixels.
    title, description : str
    text : str
        Attributes of all text.
    """
    size = f"{svg_number(width)} {svg_number(height)}"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" '
            f'width="{svg_number(width)}" height="{svg_number(height)}" role="img" '
            f'font-family="sans-serif" font-size="{FONT_SIZE}" {text}>',
            f"<title>{escape(drawable(title))}</title>",
            f"<desc>{escape(drawable(description))}</desc>",
            *(element for element in elements if element),
            "</svg>",
        ]
    )


def scale_steps(low: float, high: float, max_steps: int = _MAX_SCALE_STEPS) -> list[float]:
    """Return the labelled values of a scale that covers ``low .. high``, at least two.

    There are at most `max_steps` steps between them, if possible.

    Examples
    --------
    >>> scale_steps(0.21, 0.64)
    [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    >>> scale_steps(0.21, 0.64, 3)
    [0.2, 0.4, 0.6, 0.8]
    """
    span = max(high - low, 1e-6 * max(abs(low), abs(high)), 1e-9)
    magnitude = 10.0 ** math.floor(math.log10(span / max_steps))
    for unit in (magnitude * factor for factor in (1, 2, 5, 10, 20)):
        first, last = math.floor(low / unit + 1e-9), math.ceil(high / unit - 1e-9)
        if last - first <= max_steps:
            break
    last = max(last, first + 1)
    return [round(step * unit, 12) for step in takewhile(lambda step: step <= last, count(first))]


def shown_columns(columns: Iterable[Iterable[str]]) -> list[list[str]]:
    """Return columns of strings as they are drawn, without empty columns.

    Examples
    --------
    >>> shown_columns([["_", "_"], ["NOUN", "_"], ["a\\nb", "c"]])
    [['NOUN', ''], ['a�b', 'c']]
    """
    drawable_columns = [[drawable("" if s == "_" else s) for s in column] for column in columns]
    return [column for column in drawable_columns if any(column)]


def runs_leftwards(words: Iterable[str]) -> bool:
    """Return whether the first letter with a direction is written from right to left.

    Examples
    --------
    >>> runs_leftwards(["1", "שלום"]), runs_leftwards(["a", "שלום"])
    (True, False)
    """
    for word in words:
        for character in word:
            direction = unicodedata.bidirectional(character)
            if direction in ("L", "R", "AL"):
                return direction != "L"
    return False


def table_html(name: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write an HTML table of at most 50 rows, with a note on the number of further rows.

    Parameters
    ----------
    name : str
        The caption.
    header : sequence of str
    rows : rows of str
        The first cell of a row is its heading.

    Examples
    --------
    >>> table_html("frs", ["system", "score"], [["<A>", "0.5"]]).count("&lt;A&gt;")
    1
    """

    def cells(row: Sequence[str], tags: Sequence[str]) -> str:
        texts = (escape(drawable(text)) for text in row)
        return "".join(f"<{k}>{text}</{k}>" for k, text in zip(tags, texts, strict=True))

    kinds = ["th", *["td"] * (len(header) - 1)]
    lines = [
        f"<table><caption>{escape(drawable(name))}</caption>",
        f"<thead><tr>{cells(header, ['th'] * len(header))}</tr></thead>",
        "<tbody>",
        *(f"<tr>{cells(row, kinds)}</tr>" for row in rows[:_MAX_TABLE_ROWS]),
        "</tbody></table>",
    ]
    if len(rows) > _MAX_TABLE_ROWS:
        lines.append(f"<p>… {counted(len(rows) - _MAX_TABLE_ROWS, 'more row')}</p>")
    return "\n".join(lines)


class Drawable(Protocol):
    """An object that can be drawn as an SVG picture."""

    def to_svg(self) -> str:
        """Return the picture."""


def rows_html(name: str, rows: Iterable[Drawable], count: int) -> str:
    """Write the name of a column, the pictures of its first rows and the number of further rows.

    Parameters
    ----------
    name : str
        The heading above the rows.
    rows : iterable
        All rows; only the first are read.
    count : int
        The number of rows of the column.

    Examples
    --------
    >>> from wordorder.order.orders import Orders
    >>> html = Orders.from_rows([[0, 1]] * 7)._repr_html_()
    >>> html.count("<svg "), html.endswith("<p>… 2 more rows</p>")
    (5, True)
    """
    parts = [f"<p>{escape(name)}</p>"]
    parts += [f"<div>{row.to_svg()}</div>" for row in islice(rows, _MAX_PICTURES)]
    if count > _MAX_PICTURES:
        parts.append(f"<p>… {counted(count - _MAX_PICTURES, 'more row')}</p>")
    return "\n".join(parts)
