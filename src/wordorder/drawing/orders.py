"""Orders of a sentence as SVG pictures: rows of words, joined by lines that cross."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain, pairwise

from wordorder.drawing import svg
from wordorder.drawing.svg import svg_number
from wordorder.drawing.trees import shortened
from wordorder.messages import counted

# Distance of rows: more for rows of many words, so that the lines between them are steeper.
_MIN_ROW_STEP, _MAX_ROW_STEP = 84, 224
_STEP_PER_WORD = 5
_STAYS = f'fill="none" stroke="{svg.GREY}" stroke-width="1.5"'
_MOVES = f'fill="none" stroke="{svg.BLUE}" stroke-width="2.5" stroke-dasharray="7 4"'

# Space between words and the frame of their chunk.
PAD = 5

# Widths of a pair of braces, and of the mark of a broken order.
_BRACES_WIDTH = 16
_BREAK_WIDTH = 16

# The widest space between the words of a row.
_MAX_GAP = 5 * svg.GAP
_CHUNK_FRAME = f'fill="none" stroke="{svg.GREY}" stroke-width="2"'
_BREAK_STYLE = f'fill="none" stroke="{svg.ORANGE}" stroke-width="2.5"'
_TIES = f'fill="none" stroke="{svg.GREY}" stroke-width="2"'

# Converts a distance from the start of a row to an x coordinate of the picture.
Place = Callable[[float], float]


def order_svg(
    words: Sequence[str],
    order_rows: Sequence[OrderRow],
    *,
    title: str,
) -> str:
    """Draw rows of the same words below each other, with lines between them.

    A line connects each word with its copy in the next row: blue, broken and thick if it has moved,
    otherwise grey and thin. Chunks are framed, with a zigzag between them; words that tie are in
    double braces; words that are missing in a row are darker, with a broken edge.

    Parameters
    ----------
    words : sequence of str
        The words, W of them.
    order_rows : sequence of OrderRow
        At least one; their positions are from 0 to W-1.
    title : str
        Title of the picture for screen readers; the sentence is appended.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Only the first 200 words of a row are drawn, and a box ``… n more words``
        replaces the rest; words are cut after 30 characters. Rows run from right to left if the
        first letter of the sentence is of such a script.

    Examples
    --------
    >>> rows = [OrderRow("source", [[0], [1]]), OrderRow("result", [[1], [0]], moved={0})]
    >>> drawing = order_svg(["<no>", "more"], rows, title="Word order")
    >>> drawing.startswith("<svg "), "&lt;no&gt;" in drawing, "moved" in drawing
    (True, True, True)
    """
    rows = word_rows(words, order_rows)
    missing = set(range(len(words)))
    missing -= missing.intersection(*(row.order for row in rows))
    hints = _hints(words, order_rows)

    names_width = max(svg.box_width([svg.shown_word(row.name)]) for row in order_rows)
    rows_left = svg.MARGIN + names_width + 2 * svg.GAP
    rows_width = rows_left + max(row.width for row in rows)
    longest = max(len(row.order) for row in rows)
    step = min(
        max(_MIN_ROW_STEP, _STEP_PER_WORD * min(longest, svg.MAX_SENTENCE_WORDS)), _MAX_ROW_STEP
    )
    tops = [svg.MARGIN + PAD + step * number for number in range(len(rows))]
    symbols = _symbols(order_rows)
    below = tops[-1] + svg.BOX_HEIGHT + PAD + 2 * svg.GAP
    shown_legend, legend_width, legend_height = svg.legend(
        symbols, below, max(rows_width - svg.MARGIN, svg.MIN_LEGEND_WIDTH)
    )
    width = max(rows_width, svg.MARGIN + legend_width) + svg.MARGIN
    height = (below + legend_height if symbols else below - 2 * svg.GAP) + svg.MARGIN
    leftwards = svg.runs_leftwards(words[: svg.MAX_SENTENCE_WORDS])

    def place(x: float) -> float:
        return width - rows_left - x if leftwards else rows_left + x

    elements = []
    for (upper, lower), pair, (top, bottom) in zip(
        pairwise(rows), order_rows[1:], pairwise(tops), strict=True
    ):
        elements += _lines(upper, lower, pair.moved, place, top + svg.BOX_HEIGHT, bottom)
    for row, pair, top in zip(rows, order_rows, tops, strict=True):
        middle = place(-2 * svg.GAP - names_width / 2)
        elements.append(svg.text_box(svg.shown_word(pair.name), middle, top, kind="name"))
        elements += row_elements(row, words, hints, missing, place, top)
    return svg.picture(
        [*elements, *shown_legend],
        width,
        height,
        title=shortened(f"{title} of {' '.join(words[: svg.MAX_SENTENCE_WORDS])}", svg.MAX_TITLE),
        description=_description(words, order_rows[1:]),
    )


def _lines(
    upper: WordRow,
    lower: WordRow,
    moved_words: AbstractSet[int],
    place: Place,
    top: float,
    bottom: float,
) -> list[str]:
    """Draw the lines between two rows, those of words that move on top."""
    strokes: dict[bool, list[str]] = {False: [], True: []}
    upper_words = set(upper.order)
    for position in lower.order:
        if position not in upper_words:
            continue
        start, end = upper.middle(position), lower.middle(position)
        is_visible = position in upper.spans or position in lower.spans
        if is_visible and start is not None and end is not None:
            strokes[position in moved_words].append(
                f"M{svg_number(place(start))} {svg_number(top)}"
                f"L{svg_number(place(end))} {svg_number(bottom)}"
            )
    return [
        f'<path d="{"".join(parts)}" {_MOVES if moves else _STAYS}/>'
        for moves, parts in strokes.items()
        if parts
    ]


def _hints(words: Sequence[str], rows: Sequence[OrderRow]) -> list[str]:
    """Return the tooltip of each word: its position in each row, from 1, and its chunk."""
    position_in_row = [{position: n for n, position in enumerate(row.positions, 1)} for row in rows]
    chunk_of = {
        position: f"chunk {n} of {len(row.chunks)}"
        for row in rows
        for n, chunk in enumerate(row.chunks, 1)
        for position in chunk
    }
    hints = []
    for position, word in enumerate(words):
        hint_parts = [
            f"{row.name} {positions[position]}" if position in positions else f"not in {row.name}"
            for row, positions in zip(rows, position_in_row, strict=True)
        ]
        hint_parts += [chunk_of[position]] if position in chunk_of else []
        hints.append(f"{word}: {', '.join(hint_parts)}")
    return hints


def _symbols(rows: Sequence[OrderRow]) -> list[svg.Symbol]:
    """Return the legend: types of elements in the picture, and the chunks and gaps of each row."""
    symbols = [svg.Symbol("moved", _moved_sample)] if any(row.moved for row in rows) else []
    symbols += [svg.Symbol(_chunk_count(row), frame) for row in rows if row.chunks]
    if any(len(row.chunks) > 1 for row in rows):
        symbols.append(svg.Symbol("order broken", zigzag))
    if any(len(group) > 1 for row in rows for group in row.groups):
        symbols.append(svg.Symbol("words that tie", _braces_sample))
    all_positions = set().union(*(row.positions for row in rows))
    for row in rows:
        if len(row.positions) < len(all_positions):
            symbols.append(svg.Symbol(f"not in {svg.shown_word(row.name)}", svg.missing_sample))
    return symbols


def _chunk_count(row: OrderRow) -> str:
    """Describe the number of chunks of a row, and their words."""
    words = counted(sum(map(len, row.chunks)), "word")
    return f"{counted(len(row.chunks), 'chunk')} of {words}"


def _moved_sample(x: float, y: float) -> str:
    """Draw the line of a moved word for the legend."""
    return f'<path d="M{svg_number(x - 11)} {svg_number(y)}h22" {_MOVES}/>'


def _braces_sample(x: float, y: float) -> str:
    """Draw the braces around words that tie."""
    return f"{braces(x - 8, y)}\n{braces(x + 8, y, -1)}"


def _description(words: Sequence[str], rows: Sequence[OrderRow]) -> str:
    """Write the orders as text: ``|`` where a row is broken, ``{{ }}`` around ties."""
    sentences = []
    for row in rows:
        chunk_starts = {chunk[0] for chunk in row.chunks[1:]}
        parts = []
        for group in row.groups:
            tied = [f"{'| ' if p in chunk_starts else ''}{words[p]}" for p in group]
            parts += ["{{", *tied, "}}"] if len(group) > 1 else tied
        ellipsis = ["…"] if len(parts) > svg.MAX_SENTENCE_WORDS else []
        sentences.append(f"{row.name}: {' '.join([*parts[: svg.MAX_SENTENCE_WORDS], *ellipsis])}")
    sentences += [_chunk_count(row) for row in rows if row.chunks]
    return "; ".join(sentences) + "."


@dataclass(frozen=True)
class OrderRow:
    """A row of words of a picture.

    Attributes
    ----------
    name : str
        The label before the row.
    groups : sequence of sequences of int
        Indices of words in reading order, each at most once; words in a group of several tie.
    chunks : sequence of sequences of int
        The words of each chunk, in the order of the row.
    moved : set of int
        The smallest set of words whose order differs from the row above.
    """

    name: str
    groups: Sequence[Sequence[int]]
    chunks: Sequence[Sequence[int]] = ()
    moved: AbstractSet[int] = frozenset()

    @property
    def positions(self) -> tuple[int, ...]:
        """The words of all groups."""
        return tuple(chain.from_iterable(self.groups))


@dataclass
class WordRow:
    """A row laid out from left to right.

    Attributes
    ----------
    order : tuple of int
        All words; the first 200 are drawn.
    spans : dict of int to (float, float)
        Left and right edge of the box of each drawn word.
    chunks : list of (float, float)
        Left and right edge of the frame of each chunk.
    marks, opening, closing : list of float
        Middles of the marks of a broken order, and of the braces around tied words.
    hidden_span : (float, float), optional
        Left and right edge of the box for the words that are not drawn.
    width : float
    """

    order: tuple[int, ...]
    spans: dict[int, tuple[float, float]] = field(default_factory=dict)
    chunks: list[tuple[float, float]] = field(default_factory=list)
    marks: list[float] = field(default_factory=list)
    opening: list[float] = field(default_factory=list)
    closing: list[float] = field(default_factory=list)
    hidden_span: tuple[float, float] | None = None
    width: float = 0.0

    def middle(self, position: int) -> float | None:
        """Return the middle of a word's box, or of the box that replaces it."""
        span = self.spans.get(position, self.hidden_span)
        return span and (span[0] + span[1]) / 2


def word_rows(words: Sequence[str], order_rows: Sequence[OrderRow]) -> list[WordRow]:
    """Lay out rows, with wider gaps in shorter rows, so that they are about equally wide."""
    rows = [_row(words, row, svg.GAP) for row in order_rows]
    widest = max((row.width for row in rows), default=0.0)
    gaps = [
        min(
            svg.GAP + (widest - row.width) / max(len(row.spans) - 1 + bool(row.hidden_span), 1),
            _MAX_GAP,
        )
        for row in rows
    ]
    return [_row(words, row, gap) for row, gap in zip(order_rows, gaps, strict=True)]


def _row(words: Sequence[str], order_row: OrderRow, gap: float) -> WordRow:
    """Lay out a row with at least `gap` between two words."""
    row = WordRow(order_row.positions)
    ties = [group for group in order_row.groups if len(group) > 1]
    group_starts, group_ends = {group[0] for group in ties}, {group[-1] for group in ties}
    chunk_starts, chunk_ends = (
        {chunk[0] for chunk in order_row.chunks},
        {chunk[-1] for chunk in order_row.chunks},
    )
    starts_after_break = chunk_starts - {chunk[0] for chunk in order_row.chunks[:1]}
    x = 0.0
    start: float | None = None
    for position in row.order[: svg.MAX_SENTENCE_WORDS]:
        if position in starts_after_break:
            row.marks.append(x + _BREAK_WIDTH / 2)
            x += _BREAK_WIDTH + svg.GAP
        if position in group_starts:
            row.opening.append(x + _BRACES_WIDTH / 2)
            x += _BRACES_WIDTH
        if position in chunk_starts:
            start = x
            x += PAD
        width = svg.box_width([svg.shown_word(words[position])])
        row.spans[position] = x, x + width
        x += width
        if position in chunk_ends and start is not None:
            x += PAD
            row.chunks.append((start, x))
            start = None
        if position in group_ends:
            row.closing.append(x + _BRACES_WIDTH / 2)
            x += _BRACES_WIDTH
        x += gap
    if start is not None:
        # The last chunk continues among the words that are not drawn.
        row.chunks.append((start, x - gap + PAD))
        x += PAD
    hidden = len(row.order) - svg.MAX_SENTENCE_WORDS
    if hidden > 0:
        width = svg.box_width([svg.hidden_words(hidden)])
        row.hidden_span = x, x + width
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
        The words, and their tooltips.
    missing : set of int
        The words without a counterpart.
    place : callable
        Converts a distance from the start of the row to an x coordinate of the picture.
    top : float
        The upper edge of the boxes.
    """
    height = svg_number(svg.BOX_HEIGHT + 2 * PAD)
    elements = [
        f'<rect x="{svg_number(min(place(a), place(b)))}" y="{svg_number(top - PAD)}" '
        f'width="{svg_number(b - a)}" height="{height}" rx="6" {_CHUNK_FRAME}/>'
        for a, b in row.chunks
    ]
    elements += [zigzag(place(x), top + svg.BOX_HEIGHT / 2) for x in row.marks]
    direction = 1 if place(1) > place(0) else -1
    elements += [braces(place(x), top + svg.BOX_HEIGHT / 2, direction) for x in row.opening]
    elements += [braces(place(x), top + svg.BOX_HEIGHT / 2, -direction) for x in row.closing]
    for position, (a, b) in row.spans.items():
        kind = "missing" if position in missing else "word"
        word = svg.shown_word(words[position])
        elements.append(
            svg.text_box(word, place((a + b) / 2), top, kind=kind, hint=hints[position])
        )
    if row.hidden_span is not None:
        text = svg.hidden_words(len(row.order) - svg.MAX_SENTENCE_WORDS)
        elements.append(svg.text_box(text, place(sum(row.hidden_span) / 2), top))
    return elements


def frame(x: float, y: float) -> str:
    """Draw the frame of a chunk for a legend, centred at ``(x, y)``."""
    return (
        f'<rect x="{svg_number(x - 11)}" y="{svg_number(y - 8)}" width="22" height="16" rx="6" '
        f"{_CHUNK_FRAME}/>"
    )


def zigzag(x: float, y: float) -> str:
    """Draw the mark of a broken order, centred at ``(x, y)``."""
    return (
        f'<path d="M{svg_number(x)} {svg_number(y - 14)}l5 5l-10 6l10 6l-10 6l5 5" {_BREAK_STYLE}/>'
    )


def braces(x: float, y: float, side: int = 1) -> str:
    """Draw a double brace, centred at ``(x, y)``: opening, or closing if `side` is -1."""
    lines = [
        f"M{svg_number(x + (start + 5) * side)} {svg_number(y - 10)}"
        f"q{-3 * side} 0 {-3 * side} 4v2q0 4 {-3 * side} 4"
        f"q{3 * side} 0 {3 * side} 4v2q0 4 {3 * side} 4"
        for start in (-4, 2)
    ]
    return f'<path d="{"".join(lines)}" {_TIES}/>'
