"""Orders of a sentence as SVG pictures: rows of words, joined by lines that cross."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from wordorder.counts import counted
from wordorder.drawing.sentence_labels import runs_leftwards
from wordorder.drawing.svg_boxes import box_width, svg_number
from wordorder.drawing.svg_words import (
    BLUE,
    BOX_HEIGHT,
    GAP,
    GREY,
    LEAST_ROOM,
    LONGEST_TEXT,
    MARGIN,
    MOST_WORDS,
    Symbol,
    legend,
    missing_sample,
    picture,
    shown_word,
    text_box,
)
from wordorder.drawing.tree_labels import shortened
from wordorder.drawing.word_rows import (
    PAD,
    OrderRow,
    Place,
    WordRow,
    braces,
    frame,
    row_elements,
    word_rows,
    zigzag,
)

# From row to row; rows of many words are further apart, so that their lines are less flat.
_NEAREST, _FARTHEST = 84, 224
_PER_WORD = 5

_STAYS = f'fill="none" stroke="{GREY}" stroke-width="1.5"'
_MOVES = f'fill="none" stroke="{BLUE}" stroke-width="2.5" stroke-dasharray="7 4"'


def order_svg(
    words: Sequence[str],
    given: Sequence[OrderRow],
    *,
    title: str,
    sentence: Sequence[str] | None = None,
) -> str:
    """Draw rows of the same words below each other, with lines between them.

    A line joins each word with itself in the next row: blue, broken and thick if it has moved,
    otherwise grey and thin. Each chunk is framed, and a zigzag separates two of them;
    words that tie are in double braces; words that a row lacks are darker, with a broken edge.

    Parameters
    ----------
    words : sequence of str
        The words, W of them.
    given : sequence of OrderRow
        At least one; their positions are from 0 to W-1.
    title : str
        What the picture is, for readers who cannot see it; the sentence is added.
    sentence : sequence of str, optional
        The words of the sentence, which the first row shows; by default all words. If they are
        given, the first row is described too.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Of a row of more than 200 words the first are drawn, and a box
        ``… n more words`` replaces the rest; words of more than 30 characters are cut. Rows run
        from right to left if the first letter of the sentence is of such a script.

    Examples
    --------
    >>> rows = [OrderRow("source", [[0], [1]]), OrderRow("result", [[1], [0]], moved={0})]
    >>> drawing = order_svg(["<no>", "more"], rows, title="Word order")
    >>> drawing.startswith("<svg "), "&lt;no&gt;" in drawing, "moved" in drawing
    (True, True, True)
    """
    rows = word_rows(words, given)
    missing = set(range(len(words)))
    missing -= missing.intersection(*(row.order for row in rows))
    hints = _hints(words, given)
    described = given[1:] if sentence is None else given
    sentence = words if sentence is None else sentence

    names_width = max(box_width([shown_word(row.name)]) for row in given)
    left = MARGIN + names_width + 2 * GAP
    rows_width = left + max(row.width for row in rows)
    longest = max(len(row.order) for row in rows)
    step = min(max(_NEAREST, _PER_WORD * min(longest, MOST_WORDS)), _FARTHEST)
    tops = [MARGIN + PAD + step * number for number in range(len(rows))]
    symbols = _symbols(given)
    below = tops[-1] + BOX_HEIGHT + PAD + 2 * GAP
    shown_legend, legend_width, legend_height = legend(
        symbols, below, max(rows_width - MARGIN, LEAST_ROOM)
    )
    width = max(rows_width, MARGIN + legend_width) + MARGIN
    height = (below + legend_height if symbols else below - 2 * GAP) + MARGIN
    leftwards = runs_leftwards(sentence[:MOST_WORDS])

    def place(x: float) -> float:
        return width - left - x if leftwards else left + x

    elements = []
    for (one, other), shown, (top, bottom) in zip(
        pairwise(rows), given[1:], pairwise(tops), strict=True
    ):
        elements += _lines(one, other, shown.moved, place, top + BOX_HEIGHT, bottom)
    for row, shown, top in zip(rows, given, tops, strict=True):
        middle = place(-2 * GAP - names_width / 2)
        elements.append(text_box(shown_word(shown.name), middle, top, kind="name"))
        elements += row_elements(row, shown.written(words), hints, missing, place, top)
    return picture(
        [*elements, *shown_legend],
        width,
        height,
        title=shortened(f"{title} of {' '.join(sentence[:MOST_WORDS])}", LONGEST_TEXT),
        description=_description(words, described),
    )


def _lines(
    one: WordRow,
    other: WordRow,
    moved: AbstractSet[int],
    place: Place,
    top: float,
    bottom: float,
) -> list[str]:
    """Join the words of two rows: first those that stay, above them those that move."""
    strokes: dict[bool, list[str]] = {False: [], True: []}
    above = set(one.order)
    for position in other.order:
        if position not in above:
            continue
        start, end = one.middle(position), other.middle(position)
        drawn = position in one.spans or position in other.spans
        if drawn and start is not None and end is not None:
            strokes[position in moved].append(
                f"M{svg_number(place(start))} {svg_number(top)}"
                f"L{svg_number(place(end))} {svg_number(bottom)}"
            )
    return [
        f'<path d="{"".join(parts)}" {_MOVES if moves else _STAYS}/>'
        for moves, parts in strokes.items()
        if parts
    ]


def _hints(words: Sequence[str], rows: Sequence[OrderRow]) -> list[str]:
    """Give each word's place in each row, counted from 1."""
    places = [{position: n for n, position in enumerate(row.positions, 1)} for row in rows]
    chunk_of = {
        position: f"chunk {n} of {len(row.chunks)}"
        for row in rows
        for n, chunk in enumerate(row.chunks, 1)
        for position in chunk
    }
    hints = []
    for position, word in enumerate(words):
        said = [
            f"{row.name} {place[position]}" if position in place else f"not in {row.name}"
            for row, place in zip(rows, places, strict=True)
        ]
        said += [chunk_of[position]] if position in chunk_of else []
        hints.append(f"{word}: {', '.join(said)}")
    return hints


def _symbols(rows: Sequence[OrderRow]) -> list[Symbol]:
    """Return the legend: an entry for whatever the picture has."""
    symbols = [Symbol("moved", _sample)] if any(row.moved for row in rows) else []
    symbols += [Symbol(_chunk_count(row), frame) for row in rows if row.chunks]
    if any(len(row.chunks) > 1 for row in rows):
        symbols.append(Symbol("order broken", zigzag))
    if any(len(group) > 1 for row in rows for group in row.groups):
        symbols.append(Symbol("words that tie", _pair))
    shown = set().union(*(row.positions for row in rows))
    for row in rows:
        if len(row.positions) < len(shown):
            symbols.append(Symbol(f"not in {shown_word(row.name)}", missing_sample))
    return symbols


def _chunk_count(row: OrderRow) -> str:
    """Say how many chunks a row has, and of how many words."""
    words = counted(sum(map(len, row.chunks)), "word")
    return f"{counted(len(row.chunks), 'chunk')} of {words}"


def _sample(x: float, y: float) -> str:
    """Draw the line of a word that moves."""
    return f'<path d="M{svg_number(x - 11)} {svg_number(y)}h22" {_MOVES}/>'


def _pair(x: float, y: float) -> str:
    """Draw the braces around words that tie."""
    return f"{braces(x - 8, y)}\n{braces(x + 8, y, -1)}"


def _description(words: Sequence[str], rows: Sequence[OrderRow]) -> str:
    """Write the orders as text: ``|`` where a row is broken, ``{{ }}`` around ties."""
    said = []
    for row in rows:
        begins = {chunk[0] for chunk in row.chunks[1:]}
        written = row.written(words)
        parts = []
        for group in row.groups:
            tied = [f"{'| ' if p in begins else ''}{written[p]}" for p in group]
            parts += ["{{", *tied, "}}"] if len(group) > 1 else tied
        more = ["…"] if len(parts) > MOST_WORDS else []
        said.append(f"{row.name}: {' '.join([*parts[:MOST_WORDS], *more])}")
    said += [_chunk_count(row) for row in rows if row.chunks]
    return "; ".join(said) + "."
