"""Orders of a sentence as SVG pictures: rows of words, joined by lines that cross."""

from __future__ import annotations

from collections.abc import Sequence
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
    MARGIN,
    MOST_WORDS,
    Symbol,
    legend,
    missing_sample,
    picture,
    shown_word,
    text_box,
)
from wordorder.drawing.word_rows import (
    PAD,
    Place,
    WordRow,
    braces,
    frame,
    row_elements,
    word_rows,
    zigzag,
)
from wordorder.errors import InputError
from wordorder.order.chunks import best_reading, kept_pairs
from wordorder.order.moved import moved_words
from wordorder.order.orders import Order, Orders

# From row to row; rows of many words stand further apart, so that their lines are less flat.
_NEAREST, _FARTHEST = 84, 224
_PER_WORD = 5

_STAYS = f'fill="none" stroke="{GREY}" stroke-width="1.5"'
_MOVES = f'fill="none" stroke="{BLUE}" stroke-width="2.5" stroke-dasharray="7 4"'


def order_svg(
    words: Sequence[str] | None,
    result: Order | Sequence[int],
    reference: Order | None = None,
    *,
    title: str = "Word order",
    names: tuple[str, str, str] = ("source", "result", "reference"),
) -> str:
    """Draw how a sentence is reordered: source, result and reference, with lines between them.

    A line joins each word with itself in the next row. Of two rows as few words as possible have
    moved: their lines are blue, broken and thick, those of the others grey and thin. A frame stands
    around each chunk of the result, words that follow each other in the reference too, and a zigzag
    where the order is broken: the chunks are those that the fuzzy reordering score counts (``frs``
    with its default options). Words that tie stand in double braces; the reference is read as suits
    the result best. Words that the result or the reference lacks are darker, with a broken edge.

    Parameters
    ----------
    words : sequence of str, optional
        The words of the source, W of them; without them the numbers of those that the orders
        have, counted from 0.
    result : Order or sequence of int
        Source positions from 0 to W-1, each at most once, in the order of the system.
    reference : Order, optional
        Likewise, in the order of the reference. Without it there are two rows.
    title : str
        What the picture is, for readers who cannot see it; the sentence is added.
    names : (str, str, str)
        What stands before the rows.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Of a row of more than 200 words the first are drawn, and a box
        ``… n more words`` stands for the rest; words of more than 30 characters are cut. Rows run
        from right to left if the first letter of the sentence is of such a script.

    Raises
    ------
    InputError
        If a position is out of range or stands twice.

    Examples
    --------
    >>> words = ["She", "can", "<read>", "it"]
    >>> drawing = order_svg(words, [0, 3, 2, 1], Order(((0,), (2, 3), (1,))))
    >>> drawing.startswith("<svg "), "&lt;read&gt;" in drawing, "1 chunk of 4 words" in drawing
    (True, True, True)
    """
    given = [result if isinstance(result, Order) else Order(tuple((int(p),) for p in result))]
    given += [reference] if reference is not None else []
    if words is None:
        words, given = _numbered(given)
    for order, name in zip(given, names[1:], strict=False):
        _check(order, len(words), name)
    orders = [Order(tuple((position,) for position in range(len(words)))), *given]
    chunks: list[list[int]] = []
    if reference is not None:
        chunks = _chunks(*given)
        orders[2] = _read_for(*given)
    rows = word_rows(words, orders, [[], chunks, []][: len(orders)])
    missing = set(range(len(words)))
    missing -= missing.intersection(*(row.order for row in rows))
    hints = _hints(words, rows, names, chunks)

    names_width = max(box_width([shown_word(name)]) for name in names[: len(rows)])
    left = MARGIN + names_width + 2 * GAP
    rows_width = left + max(row.width for row in rows)
    step = min(max(_NEAREST, _PER_WORD * min(len(words), MOST_WORDS)), _FARTHEST)
    tops = [MARGIN + PAD + step * number for number in range(len(rows))]
    symbols = _symbols(rows, names, chunks)
    below = tops[-1] + BOX_HEIGHT + PAD + 2 * GAP
    shown_legend, legend_width, legend_height = legend(
        symbols, below, max(rows_width - MARGIN, LEAST_ROOM)
    )
    width = max(rows_width, MARGIN + legend_width) + MARGIN
    height = (below + legend_height if symbols else below - 2 * GAP) + MARGIN
    leftwards = runs_leftwards(words[:MOST_WORDS])

    def place(x: float) -> float:
        return width - left - x if leftwards else left + x

    elements = []
    for (one, other), (top, bottom) in zip(pairwise(rows), pairwise(tops), strict=True):
        elements += _lines(one, other, place, top + BOX_HEIGHT, bottom)
    for row, name, top in zip(rows, names, tops, strict=False):
        middle = place(-2 * GAP - names_width / 2)
        elements.append(text_box(shown_word(name), middle, top, kind="name"))
        elements += row_elements(row, words, hints, missing, place, top)
    return picture(
        [*elements, *shown_legend],
        width,
        height,
        title=f"{title} of {' '.join(words[:MOST_WORDS])}",
        description=_description(words, orders, names, chunks),
    )


def _numbered(orders: Sequence[Order]) -> tuple[list[str], list[Order]]:
    """Return the numbers of all words as words, and the orders of these."""
    numbers = sorted({position for order in orders for position in order.positions})
    place = {number: place for place, number in enumerate(numbers)}
    renamed = [
        Order(tuple(tuple(place[position] for position in group) for group in order.groups))
        for order in orders
    ]
    return list(map(str, numbers)), renamed


def _check(order: Order, words: int, name: str) -> None:
    """Check that all positions are words of the sentence, each at most once."""
    seen: set[int] = set()
    for position in order.positions:
        if not 0 <= position < words:
            expected = f"a position from 0 to {words - 1}" if words else "no position: no words"
            raise InputError(name, f"position {position}", expected)
        if position in seen:
            raise InputError(name, f"position {position} stands twice", "each position once")
        seen.add(position)


def _columns(result: Order, reference: Order) -> tuple[Orders, Orders]:
    return Orders.from_rows([result.positions]), Orders.from_rows([reference.groups])


def _chunks(result: Order, reference: Order) -> list[list[int]]:
    """Return the words of each chunk of the result."""
    kept, _ = kept_pairs(*_columns(result, reference))
    known = set(reference.positions)
    both = [position for position in result.positions if position in known]
    chunks: list[list[int]] = []
    for position, joined in zip(both, [False, *kept.tolist()], strict=False):
        if joined:
            chunks[-1].append(position)
        else:
            chunks.append([position])
    return chunks


def _read_for(result: Order, reference: Order) -> Order:
    """Return the reference, with the words of each group in the order that suits the result."""
    read = iter(best_reading(*_columns(result, reference))[0].positions)
    return Order(tuple(tuple(next(read) for _ in group) for group in reference.groups))


def _joined(one: WordRow, other: WordRow) -> list[tuple[int, bool]]:
    """Return the words that two rows share, and whether they move from one to the other."""
    where = {position: number for number, position in enumerate(one.order)}
    both = [position for position in other.order if position in where]
    return list(zip(both, moved_words([where[position] for position in both]), strict=True))


def _lines(one: WordRow, other: WordRow, place: Place, top: float, bottom: float) -> list[str]:
    """Join the words of two rows: first those that stay, above them those that move."""
    strokes: dict[bool, list[str]] = {False: [], True: []}
    for position, moves in _joined(one, other):
        start, end = one.middle(position), other.middle(position)
        drawn = position in one.spans or position in other.spans
        if drawn and start is not None and end is not None:
            strokes[moves].append(
                f"M{svg_number(place(start))} {svg_number(top)}"
                f"L{svg_number(place(end))} {svg_number(bottom)}"
            )
    return [
        f'<path d="{"".join(parts)}" {_MOVES if moves else _STAYS}/>'
        for moves, parts in strokes.items()
        if parts
    ]


def _hints(
    words: Sequence[str], rows: Sequence[WordRow], names: Sequence[str], chunks: list[list[int]]
) -> list[str]:
    """Say of each word where it stands in each row, counted from 1."""
    places = [{position: n for n, position in enumerate(row.order, 1)} for row in rows]
    chunk_of = {position: n for n, chunk in enumerate(chunks, 1) for position in chunk}
    hints = []
    for position, word in enumerate(words):
        said = [
            f"{name} {place[position]}" if position in place else f"not in {name}"
            for name, place in zip(names, places, strict=False)
        ]
        if position in chunk_of:
            said.append(f"chunk {chunk_of[position]} of {len(chunks)}")
        hints.append(f"{word}: {', '.join(said)}")
    return hints


def _symbols(
    rows: Sequence[WordRow], names: Sequence[str], chunks: list[list[int]]
) -> list[Symbol]:
    """Return the legend: an entry for whatever the picture has."""
    symbols = []
    moves = [moved for one, other in pairwise(rows) for _, moved in _joined(one, other)]
    if any(moves):
        symbols.append(Symbol("moved", _sample))
    if chunks:
        words = counted(sum(map(len, chunks)), "word")
        symbols.append(Symbol(f"{counted(len(chunks), 'chunk')} of {words}", frame))
    if len(chunks) > 1:
        symbols.append(Symbol("order broken", zigzag))
    if any(row.opening for row in rows):
        symbols.append(Symbol("words that tie", _pair))
    for row, name in zip(rows[1:], names[1:], strict=False):
        if len(row.order) < len(rows[0].order):
            symbols.append(Symbol(f"not in {shown_word(name)}", missing_sample))
    return symbols


def _sample(x: float, y: float) -> str:
    """Draw the line of a word that moves."""
    return f'<path d="M{svg_number(x - 11)} {svg_number(y)}h22" {_MOVES}/>'


def _pair(x: float, y: float) -> str:
    """Draw the braces around words that tie."""
    return f"{braces(x - 8, y)}\n{braces(x + 8, y, -1)}"


def _description(
    words: Sequence[str], orders: Sequence[Order], names: Sequence[str], chunks: list[list[int]]
) -> str:
    """Write the orders as text: ``|`` where the result is broken, ``{{ }}`` around ties."""
    begins = {chunk[0] for chunk in chunks[1:]}
    said = []
    for number, order in enumerate(orders[1:], 1):
        parts = []
        for group in order.groups:
            tied = [f"{'| ' if number == 1 and p in begins else ''}{words[p]}" for p in group]
            parts += ["{{", *tied, "}}"] if len(group) > 1 else tied
        more = ["…"] if len(parts) > MOST_WORDS else []
        said.append(f"{names[number]}: {' '.join([*parts[:MOST_WORDS], *more])}")
    if chunks:
        size = counted(sum(map(len, chunks)), "word")
        said.append(f"{counted(len(chunks), 'chunk')} of {size}")
    return "; ".join(said) + "."
