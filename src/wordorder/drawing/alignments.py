"""Word alignments as SVG pictures: a grid with the links as marks."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set as AbstractSet
from functools import partial
from html import escape
from math import cos, radians, sin
from typing import Protocol

from wordorder.drawing import svg
from wordorder.drawing.svg import svg_number
from wordorder.drawing.trees import drawable, shortened
from wordorder.errors import InputError
from wordorder.messages import counted

# Half the width of a mark.
_MARK_RADIUS = 8

# The colours of marks, by the sets that have the link.
_SET_COLOURS = {"both": svg.INK, "first": svg.BLUE, "second": svg.ORANGE}
Pair = tuple[int, int]

# The sets that have a link ("both", "first", "second"), and its strength: "sure", "possible", or
# "mixed" if the sets differ.
Kind = tuple[str, str]

# The colour of dots at equal words that the path does not match.
_EQUAL = svg.GREY
_MOVE_STYLES = {
    "match": f'stroke="{svg.INK}" stroke-width="3"',
    "substitution": f'stroke="{svg.ORANGE}" stroke-width="3" stroke-dasharray="5 3"',
    "insertion": f'stroke="{svg.ORANGE}" stroke-width="3"',
    "deletion": f'stroke="{svg.ORANGE}" stroke-width="3"',
    "jump": f'stroke="{svg.BLUE}" stroke-width="2"',
}

# How far the line of a jump bends away from the straight one, in cells.
_BEND = 0.8

# An operation and the point where it starts: columns and rows from the first corner.
Move = tuple[str, int, int]
Corner = tuple[float, float]

# Width of a cell: enough for adjacent tilted words. Their tilt in degrees.
CELL = 28
_TILT = 60

_GRID_STYLE = f'fill="none" stroke="{svg.MISSING_FILL}"'

# Converts columns and rows from the first corner of the cells to pixels.
Point = Callable[[float, float], tuple[float, float]]


class Links(Protocol):
    """The links of a sentence pair; ``str()`` writes them for the description.

    `wordorder.alignment.alignments.Alignment` is one.
    """

    @property
    def links(self) -> Sequence[Pair]:
        """All links, pairs of a source and a target position, 0-based."""

    @property
    def possible(self) -> AbstractSet[Pair]:
        """The links that are only possible; the others are sure."""

    @property
    def source_length(self) -> int | None:
        """Number of words of the source, if known."""

    @property
    def target_length(self) -> int | None:
        """Number of words of the target, if known."""


def alignment_svg(
    links: Links,
    source_words: Sequence[str] | None = None,
    target_words: Sequence[str] | None = None,
    *,
    other: Links | None = None,
    names: tuple[str, str] = ("first", "second"),
    title: str = "Word alignment",
) -> str:
    """Draw the links of a sentence pair as a grid: source words down, target words across.

    A filled mark is a sure link, a hollow one a possible link. If two sets of links are compared,
    common links are black squares, links of the first set alone blue circles, and links of the
    second alone orange diamonds; a hollow square with a dot is a link that is sure in one set and
    possible in the other. Words without any link are darker, with a broken edge.

    Parameters
    ----------
    links : Links
        Such as an `Alignment`.
    source_words, target_words : sequence of str, optional
        The words; by default their positions, from 0, as far as links and lengths are known.
    other : Links, optional
        Links of the same pair to compare with.
    names : (str, str)
        Names of the two sets.
    title : str
        Title of the picture for screen readers; the sentence is appended.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Only the first 200 words of a side are drawn, and a box ``… n more words``
        replaces the rest; the legend has the number of links that are not shown. Words are cut
        after 30 characters. Columns run from right to left if the first letter of the target is of
        such a script.

    Raises
    ------
    InputError
        If a link points past the words, or has a negative position.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignment
    >>> row = Alignment(((0, 0), (1, 2), (2, 1)), frozenset({(2, 1)}))
    >>> drawing = alignment_svg(row, ["he", "ate", "<rice>"], ["kare", "tabeta", "gohan"])
    >>> drawing.startswith("<svg "), "he – kare" in drawing, "&lt;rice&gt;" in drawing
    (True, True, True)
    """
    sets = [links] if other is None else [links, other]
    source, more_rows = _words("source", source_words, sets, 0)
    target, more_columns = _words("target", target_words, sets, 1)
    kind_of = _link_kinds(links, other)
    cells = {pair: kind for pair, kind in kind_of.items() if max(pair) < svg.MAX_SENTENCE_WORDS}
    unlinked = (
        set(range(len(source))).difference(s for s, _ in kind_of),
        set(range(len(target))).difference(t for _, t in kind_of),
    )
    compared = None if other is None else (svg.shown_word(names[0]), svg.shown_word(names[1]))
    symbols = _symbols(set(cells.values()), compared, any(map(len, unlinked)))
    if len(cells) < len(kind_of):
        symbols.append(svg.Symbol(f"{counted(len(kind_of) - len(cells), 'link')} not shown", _dots))

    def marks(point: Point) -> list[str]:
        elements = []
        for (s, t), kind in sorted(cells.items()):
            hint = f"{source[s]} – {target[t]}: {_label(kind, compared)}"
            mark = _mark(kind, *point(t + 0.5, s + 0.5))
            elements.append(f"<g><title>{escape(drawable(hint))}</title>\n{mark}</g>")
        return elements

    return _word_grid(
        *((source, target), (more_rows, more_columns), unlinked, ("source", "target")),
        *(marks, symbols),
        title=shortened(f"{title} of {' '.join(source)}", svg.MAX_TITLE),
        description=_description(links, other, names),
    )


def _words(
    side: str, words: Sequence[str] | None, sets: Sequence[Links], side_index: int
) -> tuple[Sequence[str], int]:
    """Return the words of a side to draw, or their positions, and the number of other words.

    Raises
    ------
    InputError
        If a link points past the words, or has a negative position.
    """
    positions = [link[side_index] for links in sets for link in links.links]
    if min(positions, default=0) < 0:
        raise InputError(f"{side} of a link", str(min(positions)), "a number from 0")
    linked = max(positions, default=-1) + 1
    if words is None:
        lengths = [(links.source_length, links.target_length)[side_index] or 0 for links in sets]
        size = max(linked, *lengths)
        labels: Sequence[str] = list(map(str, range(min(size, svg.MAX_SENTENCE_WORDS))))
    else:
        size, labels = len(words), words[: svg.MAX_SENTENCE_WORDS]
    if linked > size:
        raise InputError(
            f"{side}_words", counted(size, "word"), f"{linked} at least: a link leads there"
        )
    return labels, size - len(labels)


def _link_kinds(links: Links, other_links: Links | None) -> dict[Pair, Kind]:
    """Return the kind of each link; without a second set, all links are in both sets."""
    kind_of: dict[Pair, Kind] = {}
    possible_flags = [
        {pair: pair in side.possible for pair in side.links}
        for side in (links, other_links or links)
    ]
    for pair in {**possible_flags[0], **possible_flags[1]}:
        flags = {row[pair] for row in possible_flags if pair in row}
        strength = "mixed" if len(flags) > 1 else "possible" if flags.pop() else "sure"
        sets_name = "both" if all(pair in row for row in possible_flags) else "first"
        kind_of[pair] = (sets_name if pair in possible_flags[0] else "second", strength)
    return kind_of


def _mark(kind: Kind, x: float, y: float) -> str:
    """Draw the mark of a link, centred at ``(x, y)``."""
    sets_name, strength = kind
    ink = _SET_COLOURS[sets_name]
    paint = f'fill="{ink}"' if strength == "sure" else f'fill="none" stroke="{ink}"'
    # The edge of a hollow mark is drawn inside it.
    half = _MARK_RADIUS if strength == "sure" else _MARK_RADIUS - 1
    width = "" if strength == "sure" else ' stroke-width="2"'
    if sets_name == "first":
        return f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="{half}" {paint}{width}/>'
    if sets_name == "second":
        half += 2
        path = (
            f"M{svg_number(x)} {svg_number(y - half)}l{half} {half}l-{half} {half}l-{half} -{half}z"
        )
        return f'<path d="{path}" {paint}{width}/>'
    square = (
        f'<rect x="{svg_number(x - half)}" y="{svg_number(y - half)}" width="{2 * half}" '
        f'height="{2 * half}" {paint}{width}/>'
    )
    if strength == "mixed":
        square += f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="3" fill="{ink}"/>'
    return square


def _dots(x: float, y: float) -> str:
    """Draw three dots, for links that are not shown."""
    dots = [f'<circle cx="{svg_number(x + dx)}" cy="{svg_number(y)}" r="2"/>' for dx in (-7, 0, 7)]
    return f'<g fill="{svg.GREY}">{"".join(dots)}</g>'


def _symbols(kinds: set[Kind], names: tuple[str, str] | None, unlinked: bool) -> list[svg.Symbol]:
    """Return the legend: an entry for each kind of link, and one for words without any."""
    symbols = [
        svg.Symbol(
            _label((sets_name, strength), names), _on_card(partial(_mark, (sets_name, strength)))
        )
        for sets_name in _SET_COLOURS
        for strength in ("sure", "possible", "mixed")
        if (sets_name, strength) in kinds
    ]
    return [*symbols, svg.Symbol("no link", svg.missing_sample)] if unlinked else symbols


def _label(kind: Kind, names: tuple[str, str] | None) -> str:
    """Return the label of a kind of links in the legend; `names` are those of two compared sets."""
    sets_name, strength = kind
    if names is None:
        return strength
    owner = {"both": "both", "first": f"only {names[0]}", "second": f"only {names[1]}"}[sets_name]
    return f"{owner}, {'sure in one' if strength == 'mixed' else strength}"


def _description(links: Links, other_links: Links | None, names: tuple[str, str]) -> str:
    """Write the links as text."""
    if other_links is None:
        return f"{links}." if links.links else "No links."
    return f"{names[0]}: {links}; {names[1]}: {other_links}."


def path_svg(
    moves: Sequence[Move],
    hypothesis: Sequence[str],
    reference: Sequence[str],
    *,
    summary: str,
    title: str = "Path",
) -> str:
    """Draw a path through the grid of a hypothesis and its reference.

    The words of the reference run down, those of the hypothesis across; the path leads from the
    first corner to the last. A match is a black line across a cell, a substitution a broken orange
    one; an insertion leads down, a deletion across, both along the edge of a cell; a jump is a blue
    arc with an arrow. Dots are pairs of equal words that the path does not match. Words without a
    counterpart are darker, with a broken edge.

    Parameters
    ----------
    moves : sequence of (str, int, int)
        "match", "substitution", "insertion", "deletion" or "jump", and the numbers of words of the
        hypothesis and of the reference before the point where it starts. The last one ends after
        all words.
    hypothesis, reference : sequence of str
        The words.
    summary : str
        The cost of the path, for the description.
    title : str
        Title of the picture for screen readers; the sentence is appended.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Only the first 200 words of a side are drawn, with the moves between them; the
        legend has the number of moves that are not shown.

    Examples
    --------
    >>> moves = [("jump", 0, 0), ("match", 1, 0), ("jump", 2, 1), ("match", 0, 1), ("jump", 1, 2)]
    >>> drawing = path_svg(moves, ["it", "<is>"], ["<is>", "it"], summary="cost 3")
    >>> drawing.startswith("<svg "), "match: &lt;is&gt;" in drawing, drawing.count("<title>jump")
    (True, True, 3)
    """
    ends = [*((i, k) for _, i, k in moves), (len(hypothesis), len(reference))][1:]
    matched_pairs = [(i, k) for name, i, k in moves if name in ("match", "substitution")]
    alone = (
        set(range(len(reference))).difference(k for _, k in matched_pairs),
        set(range(len(hypothesis))).difference(i for i, _ in matched_pairs),
    )
    limit = svg.MAX_SENTENCE_WORDS
    hypothesis_words, reference_words = hypothesis[:limit], reference[:limit]
    visible_moves = [
        (move, end) for move, end in zip(moves, ends, strict=True) if max(*move[1:], *end) <= limit
    ]
    matched = {(i, k) for name, i, k in moves if name == "match"}
    dots = [
        (i, k)
        for k, word in enumerate(reference_words)
        for i, hypothesis_word in enumerate(hypothesis_words)
        if word == hypothesis_word and (i, k) not in matched
    ]
    names = {move[0] for move, _ in visible_moves}
    symbols = [
        svg.Symbol(name, _on_card(partial(_move, name))) for name in _MOVE_STYLES if name in names
    ]
    if dots:
        symbols.append(svg.Symbol("equal words, not matched", _on_card(_dot)))
    if any(alone):
        symbols.append(svg.Symbol("no counterpart", svg.missing_sample))
    if hidden_count := len(moves) - len(visible_moves):
        symbols.append(svg.Symbol(f"{counted(hidden_count, 'step')} not shown", _on_card(_dot)))

    def marks(point: Point) -> list[str]:
        elements = [_dot(*point(i + 0.5, k + 0.5)) for i, k in dots]
        # Jumps are drawn over edits: their ends show where the path continues.
        for (name, i, k), end in sorted(visible_moves, key=lambda step: step[0][0] == "jump"):
            line = _edit((i, k), end, point)
            if name == "jump":
                line = _jump((i, k), end, (len(hypothesis), len(reference)), point)
            hint = escape(drawable(_hint((name, i, k), end, hypothesis, reference)))
            elements.append(
                f'<g fill="none" stroke-linecap="round" {_MOVE_STYLES[name]}>'
                f"<title>{hint}</title>\n{line}</g>"
            )
        return elements

    hidden = (len(reference) - len(reference_words), len(hypothesis) - len(hypothesis_words))
    return _word_grid(
        *(
            (reference_words, hypothesis_words),
            hidden,
            alone,
            ("reference", "hypothesis"),
            marks,
            symbols,
        ),
        title=shortened(
            f"{title} from {' '.join(hypothesis_words)} to {' '.join(reference_words)}",
            svg.MAX_TITLE,
        ),
        description=f"{summary}.",
    )


def _hint(
    move: Move, end: tuple[int, int], hypothesis: Sequence[str], reference: Sequence[str]
) -> str:
    """Return the tooltip of a move."""
    name, i, k = move
    if name == "jump":
        here, there = (i, end[0]) if end[1] == k else (k, end[1])
        return f"jump from {here} to {there}"
    words = [hypothesis[i]] if name in ("match", "substitution", "deletion") else []
    if name in ("substitution", "insertion"):
        words.append(reference[k])
    return f"{name}: {' – '.join(words)}"


def _edit(start: Corner, end: Corner, point: Point) -> str:
    (x, y), (u, v) = point(*start), point(*end)
    return f'<path d="M{svg_number(x)} {svg_number(y)}L{svg_number(u)} {svg_number(v)}"/>'


def _jump(start: Corner, end: Corner, size: Corner, point: Point) -> str:
    """Draw an arc along a line of the grid.

    It bends above the line for a jump to the right, below it for a jump to the left, and into the
    grid along its edges.
    """
    side = 1 if start[1] == end[1] else 0
    bend = -_BEND if end > start else _BEND
    if start[side] in (0, size[side]):
        bend = _BEND if start[side] == 0 else -_BEND
    control = [(a + b) / 2 for a, b in zip(start, end, strict=True)]
    control[side] += bend
    (x, y), (u, v), (m, n) = point(*start), point(*end), point(*control)
    # The arrow points from the bend, which is the tangent of the arc at its end.
    du, dv = u - m, v - n
    length = (du * du + dv * dv) ** 0.5
    du, dv = 6 * du / length, 6 * dv / length
    corners = [(u - du - 0.6 * dv, v - dv + 0.6 * du), (u - du + 0.6 * dv, v - dv - 0.6 * du)]
    arrow = "".join(f"L{svg_number(a)} {svg_number(b)}" for a, b in corners)
    return (
        f'<path d="M{svg_number(x)} {svg_number(y)}Q{svg_number(m)} {svg_number(n)} '
        f'{svg_number(u)} {svg_number(v)}"/>\n'
        f'<path d="M{svg_number(u)} {svg_number(v)}{arrow}z" fill="{svg.BLUE}" '
        'stroke-linejoin="round"/>'
    )


def _dot(x: float, y: float) -> str:
    return f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="3" fill="{_EQUAL}"/>'


def _move(name: str, x: float, y: float) -> str:
    """Draw a move for the legend."""

    def point(column: float, row: float) -> tuple[float, float]:
        return x - 9 + 18 * column, y - 9 + 18 * row

    if name == "jump":
        line = _jump((0, 1), (1, 1), (1, 1), point)
    else:
        ends = {"insertion": ((0.5, 0), (0.5, 1)), "deletion": ((0, 0.5), (1, 0.5))}
        line = _edit(*ends.get(name, ((0, 0), (1, 1))), point)
    return f'<g fill="none" stroke-linecap="round" {_MOVE_STYLES[name]}>{line}</g>'


def _on_card(draw: Callable[[float, float], str]) -> Callable[[float, float], str]:
    """Return a function that draws a symbol of the legend on a cell."""
    return lambda x, y: (
        f'<rect x="{svg_number(x - 12)}" y="{svg_number(y - 12)}" width="24" height="24" '
        f'fill="{svg.CARD}"/>\n{draw(x, y)}'
    )


def _word_grid(
    sides: tuple[Sequence[str], Sequence[str]],
    hidden: tuple[int, int],
    alone: tuple[AbstractSet[int], AbstractSet[int]],
    names: tuple[str, str],
    marks: Callable[[Point], list[str]],
    symbols: Sequence[svg.Symbol],
    *,
    title: str,
    description: str,
) -> str:
    """Draw a grid: the words of one side down its rows, those of the other across its columns.

    Columns run from right to left if the first letter of their words is of such a script.

    Parameters
    ----------
    sides : (sequence of str, sequence of str)
        The words that are drawn.
    hidden : (int, int)
        Numbers of further words of the two sides, shown in a box ``… n more words``.
    alone : (set of int, set of int)
        Rows and columns without a counterpart: their words are darker, with a broken edge.
    names : (str, str)
        Names of the two sides in tooltips.
    marks : callable
        Draws the marks on the cells.
    symbols : sequence of Symbol
        The legend below.
    title, description : str
        Title and description for screen readers.
    """
    # The labels of the rows and of the columns: text, kind of box and tooltip.
    rows, columns = (
        [
            *(
                (svg.shown_word(word), "missing" if n in missing else "word", f"{name} {n}: {word}")
                for n, word in enumerate(words)
            ),
            *([(svg.hidden_words(hidden_words), "word", "")] if hidden_words else []),
        ]
        for words, hidden_words, missing, name in zip(sides, hidden, alone, names, strict=True)
    )
    grid_left = (
        svg.MARGIN + max((svg.box_width([text]) for text, *_ in rows), default=0.0) + svg.GAP
    )
    longest_column = max((svg.box_width([text]) for text, *_ in columns), default=0.0)
    top: float = svg.MARGIN
    if columns:
        top += longest_column * sin(radians(_TILT)) + svg.BOX_HEIGHT / 2 + svg.GAP
    grid_width = grid_left + CELL * len(columns) + longest_column * cos(radians(_TILT)) + svg.MARGIN
    bottom = top + CELL * len(rows)
    legend_room = max(grid_width - 2 * svg.MARGIN, svg.MIN_LEGEND_WIDTH)
    shown_legend, legend_width, legend_height = svg.legend(
        symbols, bottom + 2 * svg.GAP, legend_room
    )
    width = max(grid_width, legend_width + 2 * svg.MARGIN)
    height = bottom + svg.MARGIN + (2 * svg.GAP + legend_height if symbols else 0)
    leftwards = svg.runs_leftwards(sides[1])

    def point(column: float, row: float) -> tuple[float, float]:
        x = grid_left + CELL * column
        return width - x if leftwards else x, top + CELL * row

    elements = _cells(len(sides[0]), len(sides[1]), point)
    for row, (text, kind, hint) in enumerate(rows):
        x = grid_left - svg.GAP - svg.box_width([text]) / 2
        centre, y = width - x if leftwards else x, point(0, row)[1] + 2
        elements.append(svg.text_box(text, centre, y, kind=kind, hint=hint))
    for column, (text, kind, hint) in enumerate(columns):
        centre, y = point(column + 0.5, 0)
        tilt = _TILT if leftwards else -_TILT
        elements.append(svg.text_box(text, centre, y - svg.GAP, kind=kind, hint=hint, tilt=tilt))
    return svg.picture(
        [*elements, *marks(point), *shown_legend],
        width,
        height,
        title=title,
        description=description,
    )


def _cells(rows: int, columns: int, point: Point) -> list[str]:
    """Draw the cells."""
    if not rows or not columns:
        return []
    width, height = CELL * columns, CELL * rows
    start, top = point(0, 0)
    start = min(start, point(columns, 0)[0])
    x, y = svg_number(start), svg_number(top)
    down = "".join(f"M{svg_number(start + CELL * c)} {y}v{height}" for c in range(columns + 1))
    lines = "".join(f"M{x} {svg_number(top + CELL * r)}h{width}" for r in range(rows + 1))
    return [
        f'<rect x="{x}" y="{y}" width="{width}" height="{height}" fill="{svg.CARD}"/>',
        f'<path d="{down}{lines}" {_GRID_STYLE}/>',
    ]
