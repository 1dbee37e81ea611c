"""A sentence as columns of words: outputs next to the reference, and the moved blocks."""

from collections.abc import Sequence, Set as AbstractSet
from dataclasses import dataclass
from html import escape

from wordorder.drawing.svg import FONT_SIZE, hidden_words, svg_number, text_width
from wordorder.drawing.trees import drawable, shortened
from wordorder.messages import joined
from wordorder.order.orders import moved_words

# Further words of a column are counted, not drawn.
MAX_WORDS_PER_COLUMN = 60

_MAX_WORD_LENGTH, _MAX_NAME_LENGTH = 16, 18

_ROW, _GAP, _PAD, _FONT_PIXELS = 19, 40, 5, 13

# The maximum number of quoted words of a block.
_MAX_QUOTED_WORDS = 5


@dataclass(frozen=True)
class Column:
    """An output next to the reference.

    Attributes
    ----------
    name : str
        The name of the system.
    words : sequence of str
    partners : sequence of int
        The index of the reference word that each word matches, or -1.
    ranks : sequence of int
        The ranks of the matched words if words of the reference tie; by default their partners are
        their ranks.
    named : set of int
        The indices of the reference words that the drawing is about, drawn in bold.
    """

    name: str
    words: Sequence[str]
    partners: Sequence[int]
    ranks: Sequence[int] = ()
    named: AbstractSet[int] = frozenset()

    def joined(self) -> list[tuple[int, int]]:
        """Return pairs of a word and its partner; of several words, the first has the partner."""
        first: dict[int, int] = {}
        for word, partner in enumerate(self.partners):
            if partner >= 0:
                first.setdefault(partner, word)
        return sorted((word, partner) for partner, word in first.items())

    def moved(self) -> set[int]:
        """Return a smallest set of moved words, which prefers words with named partners."""
        pairs = self.joined()
        ranks = self.ranks or [partner for _, partner in pairs]
        named_rows = {index for index, (_, partner) in enumerate(pairs) if partner in self.named}
        other_rows = [place for place in range(len(pairs)) if place not in named_rows]
        moves = [place for place, has in enumerate(moved_words(ranks)) if has]
        moved_rows = moved_words([ranks[place] for place in other_rows])
        other_moves = [place for place, has in zip(other_rows, moved_rows, strict=True) if has]
        chosen = (
            [*named_rows, *other_moves]
            if len(named_rows) + len(other_moves) == len(moves)
            else moves
        )
        return {pairs[place][0] for place in chosen}


def blocks(column: Column) -> list[list[tuple[int, int]]]:
    """Return the moved blocks: pairs of word and partner that are adjacent in both texts.

    Words without a partner do not interrupt a block.

    Examples
    --------
    >>> blocks(Column("A", ["on", "tuesday", "we", "all", "met"], [2, 3, 0, -1, 1]))
    [[(0, 2), (1, 3)]]
    """
    pairs, moved_words_of_column = column.joined(), column.moved()
    ranks = {partner: rank for rank, partner in enumerate(sorted(p for _, p in pairs))}
    runs: list[list[tuple[int, int]]] = []
    last_index = -2
    for index, (word, partner) in enumerate(pairs):
        if word not in moved_words_of_column:
            continue
        follows = index == last_index + 1 and ranks[partner] == ranks[runs[-1][-1][1]] + 1
        if follows:
            runs[-1].append((word, partner))
        else:
            runs.append([(word, partner)])
        last_index = index
    return runs


def named_moves(sides: Sequence[Column], direction: str = "") -> str:
    """Describe how an output moves the words that a drawing is about; "" if that is not visible.

    It is visible if exactly one output has moved them, and to another line.

    Parameters
    ----------
    sides : sequence of Column
    direction : "early", "late" or ""
        The expected direction; the result is "" if a word moved in the other one.

    Examples
    --------
    >>> moved = Column("A", ["tuesday", "we", "met", "on"], [3, 0, 1, 2], named={3})
    >>> kept = Column("B", ["we", "met", "tuesday"], [0, 1, 3], named={3})
    >>> named_moves([moved, kept])
    "A puts 'tuesday' too early."
    >>> named_moves([moved, kept], "late")
    ''
    """
    moves = [
        [block for block in blocks(mover) if not mover.named.isdisjoint(p for _, p in block)]
        for mover in sides
    ]
    if sum(map(bool, moves)) != 1:
        return ""
    (side, moved_blocks) = next(both for both in zip(sides, moves, strict=True) if both[1])
    stays = [pair for pair in side.joined() if pair[0] not in side.moved()]
    descriptions = []
    for block in moved_blocks:
        word, partner = block[0]
        sides_crossed = [(w < word) - (p < partner) for w, p in stays]
        # A block that comes too early crosses the words after it.
        early = sum(sides_crossed) < 0
        if word >= partner if early else word <= partner:
            continue
        direction_found = "early" if early else "late"
        if direction not in ("", direction_found):
            return ""
        words = " ".join(side.words[w] for w, _ in block[:_MAX_QUOTED_WORDS])
        words += " …" if len(block) > _MAX_QUOTED_WORDS else ""
        descriptions.append(f"{words!r} too {direction_found}")
    return f"{side.name} puts {joined(descriptions)}." if descriptions else ""


def columns_svg(reference: Sequence[str], sides: Sequence[Column]) -> str:
    """Draw one or two outputs next to the reference, one word per line, as SVG.

    A thin line connects each word with its partner. A moved block has a box, and a band leads to
    its position in the reference; unmatched words have dotted underlines.

    Parameters
    ----------
    reference : sequence of str
        The words of the reference, drawn between two outputs or to the right of one.
    sides : sequence of Column
        One or two.

    Returns
    -------
    str
        One ``<svg>`` element, styled by the style sheet of the page; "" without words.

    Examples
    --------
    >>> drawing = columns_svg(["we", "met"], [Column("A", ["<met>", "we"], [1, 0])])
    >>> "&lt;met&gt;" in drawing, drawing.count("<polygon")
    (True, 1)
    """
    if not reference or not any(side.words for side in sides):
        return ""
    left, *right = sides
    ordered = [(left.name, left.words), ("reference", reference)]
    ordered += [(side.name, side.words) for side in right]
    short_words = [
        [shortened(drawable(word), _MAX_WORD_LENGTH) for word in words] for _, words in ordered
    ]
    names = [shortened(drawable(name), _MAX_NAME_LENGTH) for name, _ in ordered]
    shown_words = [
        [*words[:MAX_WORDS_PER_COLUMN], hidden_words(len(words) - MAX_WORDS_PER_COLUMN)]
        if len(words) > MAX_WORDS_PER_COLUMN
        else words
        for words in short_words
    ]
    widths = [
        max(map(text_width, [*words, name])) * _FONT_PIXELS / FONT_SIZE + 2 * _PAD
        for words, name in zip(shown_words, names, strict=True)
    ]
    named_words = {place for side in sides for place in side.named}
    starts = [sum(widths[:n]) + n * _GAP for n in range(len(widths))]
    height = (max(map(len, shown_words)) + 1) * _ROW + _PAD
    bands: list[str] = []
    lines: list[str] = []
    texts: list[str] = []
    for n, (words, name) in enumerate(zip(shown_words, names, strict=True)):
        # Words are aligned at the edge next to the reference, which is centred.
        anchor = "middle" if n == 1 else "end" if n == 0 else "start"
        x = starts[n] + {"middle": widths[n] / 2, "end": widths[n] - _PAD, "start": _PAD}[anchor]
        side = None if n == 1 else sides[n // 2]
        drawn_blocks = [] if side is None else blocks(side)
        boxed = {word for block in drawn_blocks for word, _ in block}
        unmatched = set() if side is None else {w for w, p in enumerate(side.partners) if p < 0}
        if side is not None:
            edge = starts[n] + (widths[n] if n == 0 else 0)
            target = starts[1] + (0 if n == 0 else widths[1])
            lines += _match_lines(side, boxed, edge, target)
            early = _early_words(side)
            for block in drawn_blocks:
                kind = "early" if block[0][0] in early else "late"
                if any(partner in side.named for _, partner in block):
                    kind += " about"
                bands += _band(block, kind, (starts[n], widths[n]), edge, target)
        partners = range(len(reference)) if side is None else side.partners
        bold = {word for word, partner in enumerate(partners) if partner in named_words}
        texts += _column_texts(words, name, svg_number(x), anchor, unmatched, bold)
    orders = "; ".join(
        f"{name}: {' '.join(words)}" for name, words in zip(names, shown_words, strict=True)
    )
    width = svg_number(starts[-1] + widths[-1])
    return "\n".join(
        [
            f'<svg class="columns" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img">',
            f"<title>{escape(f'{orders}.')}</title>",
            *bands,
            f'<path d="{"".join(lines)}"/>' if lines else "",
            *texts,
            "</svg>",
        ]
    )


def _early_words(side: Column) -> set[int]:
    """Return the words that stand nearer to the beginning than their partners do."""
    pairs = side.joined()
    ranks = {partner: rank for rank, partner in enumerate(sorted(p for _, p in pairs))}
    return {word for place, (word, partner) in enumerate(pairs) if place < ranks[partner]}


def _top(row: int) -> float:
    """Return the upper edge of a row, below the row of names."""
    return (row + 1) * _ROW + _PAD


def _match_lines(side: Column, boxed: AbstractSet[int], edge: float, target: float) -> list[str]:
    """Return the lines between words that stay and their partners."""
    return [
        f"M{svg_number(edge)} {svg_number(_top(word) + _ROW / 2)}"
        f"L{svg_number(target)} {svg_number(_top(partner) + _ROW / 2)}"
        for word, partner in side.joined()
        if word not in boxed and max(word, partner) < MAX_WORDS_PER_COLUMN
    ]


def _band(
    block: Sequence[tuple[int, int]],
    kind: str,
    box: tuple[float, float],
    edge: float,
    target: float,
) -> list[str]:
    """Draw a box around a moved block, and the band to its position in the reference."""
    (first, goal), (last, end) = block[0], block[-1]
    if max(last, end) >= MAX_WORDS_PER_COLUMN:
        return []
    y, height = _top(first) + 1, (last - first + 1) * _ROW - 2
    points = [(edge, y), (target, _top(goal) + 1), (target, _top(end + 1) - 1), (edge, y + height)]
    corners = " ".join(f"{svg_number(a)},{svg_number(b)}" for a, b in points)
    left, width = box
    return [
        f'<rect class="{kind}" x="{svg_number(left + 1)}" y="{svg_number(y)}" '
        f'width="{svg_number(width - 2)}" height="{svg_number(height)}" rx="3"/>',
        f'<polygon class="{kind}" points="{corners}"/>',
    ]


def _column_texts(
    words: Sequence[str],
    name: str,
    x: str,
    anchor: str,
    unmatched: AbstractSet[int],
    named: AbstractSet[int],
) -> list[str]:
    """Return the texts of a column: its name, and one word per line."""
    base = _ROW - 6
    elements = [
        f'<g text-anchor="{anchor}"><text class="name" x="{x}" y="{base}">{escape(name)}</text>'
    ]
    for row, word in enumerate(words):
        kind = ""
        if row < MAX_WORDS_PER_COLUMN:
            kind = ' class="free"' if row in unmatched else ' class="name"' if row in named else ""
        y = svg_number(_top(row) + base)
        elements.append(f'<text{kind} x="{x}" y="{y}">{escape(word)}</text>')
    return [*elements, "</g>"]
