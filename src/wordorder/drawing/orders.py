"""Orders of a sentence as SVG pictures: rows of words, joined by lines that cross."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain, pairwise

from wordorder.drawing import svg
from wordorder.drawing.svg import svg_number
from wordorder.drawing.trees import shortened
from wordorder.messages import counted

# From row to row; rows of many words are further apart, so that their lines are less flat.
_NEAREST, _FARTHEST = 84, 224
_PER_WORD = 5
_STAYS = f'fill="none" stroke="{svg.GREY}" stroke-width="1.5"'
_MOVES = f'fill="none" stroke="{svg.BLUE}" stroke-width="2.5" stroke-dasharray="7 4"'

# From the words to the frame of their chunk.
PAD = 5

# What a pair of braces takes, and the mark of a broken order.
_BRACES = 16
_MARK = 16

# Between the words of a row that has few of them.
_WIDEST_GAP = 5 * svg.GAP
_FRAME = f'fill="none" stroke="{svg.GREEN}" stroke-width="2"'
_BROKEN = f'fill="none" stroke="{svg.VERMILION}" stroke-width="2.5"'
_TIES = f'fill="none" stroke="{svg.GREY}" stroke-width="2"'

# A place in the picture, given the place when reading from left to right.
Place = Callable[[float], float]


def order_svg(
    words: Sequence[str],
    given: Sequence[OrderRow],
    *,
    title: str,
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

    names_width = max(svg.box_width([svg.shown_word(row.name)]) for row in given)
    rows_left = svg.MARGIN + names_width + 2 * svg.GAP
    rows_width = rows_left + max(row.width for row in rows)
    longest = max(len(row.order) for row in rows)
    step = min(max(_NEAREST, _PER_WORD * min(longest, svg.MOST_WORDS)), _FARTHEST)
    tops = [svg.MARGIN + PAD + step * number for number in range(len(rows))]
    symbols = _symbols(given)
    below = tops[-1] + svg.BOX_HEIGHT + PAD + 2 * svg.GAP
    shown_legend, legend_width, legend_height = svg.legend(
        symbols, below, max(rows_width - svg.MARGIN, svg.LEAST_ROOM)
    )
    width = max(rows_width, svg.MARGIN + legend_width) + svg.MARGIN
    height = (below + legend_height if symbols else below - 2 * svg.GAP) + svg.MARGIN
    leftwards = svg.runs_leftwards(words[: svg.MOST_WORDS])

    def place(x: float) -> float:
        return width - rows_left - x if leftwards else rows_left + x

    elements = []
    for (upper, lower), pair, (top, bottom) in zip(
        pairwise(rows), given[1:], pairwise(tops), strict=True
    ):
        elements += _lines(upper, lower, pair.moved, place, top + svg.BOX_HEIGHT, bottom)
    for row, pair, top in zip(rows, given, tops, strict=True):
        middle = place(-2 * svg.GAP - names_width / 2)
        elements.append(svg.text_box(svg.shown_word(pair.name), middle, top, kind="name"))
        elements += row_elements(row, words, hints, missing, place, top)
    return svg.picture(
        [*elements, *shown_legend],
        width,
        height,
        title=shortened(f"{title} of {' '.join(words[: svg.MOST_WORDS])}", svg.LONGEST_TEXT),
        description=_description(words, given[1:]),
    )


def _lines(
    one: WordRow, other: WordRow, moved: AbstractSet[int], place: Place, top: float, bottom: float
) -> list[str]:
    """Join the words of two rows: first those that stay, above them those that move."""
    strokes: dict[bool, list[str]] = {False: [], True: []}
    above = set(one.order)
    for position in other.order:
        if position not in above:
            continue
        start, end = one.middle(position), other.middle(position)
        is_visible = position in one.spans or position in other.spans
        if is_visible and start is not None and end is not None:
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
    """Return the hint of each word: its position in each row, counted from 1."""
    places = [{position: n for n, position in enumerate(row.positions, 1)} for row in rows]
    chunk_of = {
        position: f"chunk {n} of {len(row.chunks)}"
        for row in rows
        for n, chunk in enumerate(row.chunks, 1)
        for position in chunk
    }
    hints = []
    for position, word in enumerate(words):
        hint_parts = [
            f"{row.name} {place[position]}" if position in place else f"not in {row.name}"
            for row, place in zip(rows, places, strict=True)
        ]
        hint_parts += [chunk_of[position]] if position in chunk_of else []
        hints.append(f"{word}: {', '.join(hint_parts)}")
    return hints


def _symbols(rows: Sequence[OrderRow]) -> list[svg.Symbol]:
    """Return the legend: an entry per kind of element in the picture."""
    symbols = [svg.Symbol("moved", _sample)] if any(row.moved for row in rows) else []
    symbols += [svg.Symbol(_chunk_count(row), frame) for row in rows if row.chunks]
    if any(len(row.chunks) > 1 for row in rows):
        symbols.append(svg.Symbol("order broken", zigzag))
    if any(len(group) > 1 for row in rows for group in row.groups):
        symbols.append(svg.Symbol("words that tie", _pair))
    all_positions = set().union(*(row.positions for row in rows))
    for row in rows:
        if len(row.positions) < len(all_positions):
            symbols.append(svg.Symbol(f"not in {svg.shown_word(row.name)}", svg.missing_sample))
    return symbols


def _chunk_count(row: OrderRow) -> str:
    """Describe the number of chunks of a row, and their words."""
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
    sentences = []
    for row in rows:
        begins = {chunk[0] for chunk in row.chunks[1:]}
        parts = []
        for group in row.groups:
            tied = [f"{'| ' if p in begins else ''}{words[p]}" for p in group]
            parts += ["{{", *tied, "}}"] if len(group) > 1 else tied
        ellipsis = ["…"] if len(parts) > svg.MOST_WORDS else []
        sentences.append(f"{row.name}: {' '.join([*parts[: svg.MOST_WORDS], *ellipsis])}")
    sentences += [_chunk_count(row) for row in rows if row.chunks]
    return "; ".join(sentences) + "."


@dataclass(frozen=True)
class OrderRow:
    """A row of words of a picture.

    Attributes
    ----------
    name : str
        What comes before it.
    groups : sequence of sequences of int
        Positions in the list of words, in the order in which they are read, each at most once;
        braces enclose the words of a group that has several.
    chunks : sequence of sequences of int
        The words of each chunk, in the order of the row: they are framed, and marks
        between them.
    moved : set of int
        The words that are in another order than in the row above, if as few as possible do.
    """

    name: str
    groups: Sequence[Sequence[int]]
    chunks: Sequence[Sequence[int]] = ()
    moved: AbstractSet[int] = frozenset()

    @property
    def positions(self) -> tuple[int, ...]:
        """All its words."""
        return tuple(chain.from_iterable(self.groups))


@dataclass
class WordRow:
    """A row laid out from left to right.

    Attributes
    ----------
    order : tuple of int
        All its words; the first 200 are drawn.
    spans : dict of int to (float, float)
        Where the box of each word that is drawn begins and ends.
    chunks : list of (float, float)
        Where the frame of each chunk begins and ends.
    marks, opening, closing : list of float
        Where the marks of a broken order and the braces around tied words are.
    rest : (float, float), optional
        Where the box for the other words begins and ends.
    width : float
    """

    order: tuple[int, ...]
    spans: dict[int, tuple[float, float]] = field(default_factory=dict)
    chunks: list[tuple[float, float]] = field(default_factory=list)
    marks: list[float] = field(default_factory=list)
    opening: list[float] = field(default_factory=list)
    closing: list[float] = field(default_factory=list)
    rest: tuple[float, float] | None = None
    width: float = 0.0

    def middle(self, position: int) -> float | None:
        """Return the middle of a word's box, or of the box that replaces it."""
        span = self.spans.get(position, self.rest)
        return span and (span[0] + span[1]) / 2


def word_rows(words: Sequence[str], given: Sequence[OrderRow]) -> list[WordRow]:
    """Lay out rows, spread so that all are as wide as the widest, or nearly so."""
    rows = [_row(words, row, svg.GAP) for row in given]
    widest = max((row.width for row in rows), default=0.0)
    gaps = [
        min(
            svg.GAP + (widest - row.width) / max(len(row.spans) - 1 + bool(row.rest), 1),
            _WIDEST_GAP,
        )
        for row in rows
    ]
    return [_row(words, row, gap) for row, gap in zip(given, gaps, strict=True)]


def _row(words: Sequence[str], given: OrderRow, gap: float) -> WordRow:
    """Lay out a row with at least `gap` between two words."""
    row = WordRow(given.positions)
    ties = [group for group in given.groups if len(group) > 1]
    opens, closes = {group[0] for group in ties}, {group[-1] for group in ties}
    begins, ends = {chunk[0] for chunk in given.chunks}, {chunk[-1] for chunk in given.chunks}
    later = begins - {chunk[0] for chunk in given.chunks[:1]}
    x = 0.0
    start: float | None = None
    for position in row.order[: svg.MOST_WORDS]:
        if position in later:
            row.marks.append(x + _MARK / 2)
            x += _MARK + svg.GAP
        if position in opens:
            row.opening.append(x + _BRACES / 2)
            x += _BRACES
        if position in begins:
            start = x
            x += PAD
        width = svg.box_width([svg.shown_word(words[position])])
        row.spans[position] = x, x + width
        x += width
        if position in ends and start is not None:
            x += PAD
            row.chunks.append((start, x))
            start = None
        if position in closes:
            row.closing.append(x + _BRACES / 2)
            x += _BRACES
        x += gap
    if start is not None:
        # The last chunk goes on among the words that are not drawn.
        row.chunks.append((start, x - gap + PAD))
        x += PAD
    hidden = len(row.order) - svg.MOST_WORDS
    if hidden > 0:
        width = svg.box_width([svg.hidden_words(hidden)])
        row.rest = x, x + width
        x += width + gap
    row.width = max(x - gap, 0.0)
    return row


def row_elements(
    row: WordRow,
    words: Sequence[str],
    hints: Sequence[str],
    missing: set[int],
    place: Place,
    top: float,
) -> list[str]:
    """Draw a row.

    Parameters
    ----------
    row : WordRow
    words, hints : sequence of str
        The words, and what their boxes say when the pointer rests on them.
    missing : set of int
        The words without a counterpart.
    place : callable
        The place in the picture of a place in the row.
    top : float
        Where its boxes begin.
    """
    height = svg_number(svg.BOX_HEIGHT + 2 * PAD)
    elements = [
        f'<rect x="{svg_number(min(place(a), place(b)))}" y="{svg_number(top - PAD)}" '
        f'width="{svg_number(b - a)}" height="{height}" rx="6" {_FRAME}/>'
        for a, b in row.chunks
    ]
    elements += [zigzag(place(x), top + svg.BOX_HEIGHT / 2) for x in row.marks]
    way = 1 if place(1) > place(0) else -1
    elements += [braces(place(x), top + svg.BOX_HEIGHT / 2, way) for x in row.opening]
    elements += [braces(place(x), top + svg.BOX_HEIGHT / 2, -way) for x in row.closing]
    for position, (a, b) in row.spans.items():
        kind = "missing" if position in missing else "word"
        word = svg.shown_word(words[position])
        elements.append(
            svg.text_box(word, place((a + b) / 2), top, kind=kind, hint=hints[position])
        )
    if row.rest is not None:
        text = svg.hidden_words(len(row.order) - svg.MOST_WORDS)
        elements.append(svg.text_box(text, place(sum(row.rest) / 2), top))
    return elements


def frame(x: float, y: float) -> str:
    """Draw the frame of a chunk for a legend, its middle at ``(x, y)``."""
    return (
        f'<rect x="{svg_number(x - 11)}" y="{svg_number(y - 8)}" width="22" height="16" rx="6" '
        f"{_FRAME}/>"
    )


def zigzag(x: float, y: float) -> str:
    """Draw the mark of a broken order, its middle at ``(x, y)``."""
    return f'<path d="M{svg_number(x)} {svg_number(y - 14)}l5 5l-10 6l10 6l-10 6l5 5" {_BROKEN}/>'


def braces(x: float, y: float, way: int = 1) -> str:
    """Draw two braces, their middle at ``(x, y)``: opening ones; closing ones if `way` is -1."""
    lines = [
        f"M{svg_number(x + (start + 5) * way)} {svg_number(y - 10)}"
        f"q{-3 * way} 0 {-3 * way} 4v2q0 4 {-3 * way} 4q{3 * way} 0 {3 * way} 4v2q0 4 {3 * way} 4"
        for start in (-4, 2)
    ]
    return f'<path d="{"".join(lines)}" {_TIES}/>'
