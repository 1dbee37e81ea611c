"""Paths through an alignment grid as SVG pictures: edits from point to point, and jumps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape

from wordorder.counts import counted
from wordorder.drawing.svg_boxes import svg_number
from wordorder.drawing.svg_words import (
    BLUE,
    LONGEST_TEXT,
    MOST_WORDS,
    VERMILION,
    Symbol,
    missing_sample,
)
from wordorder.drawing.tree_labels import drawable, shortened
from wordorder.drawing.word_grid import CARD, Point, WordGrid

# Of two equal words that the path does not match.
_EQUAL = "#808080"
_PAINTS = {
    "match": 'stroke="#000000" stroke-width="3"',
    "substitution": f'stroke="{VERMILION}" stroke-width="3" stroke-dasharray="5 3"',
    "insertion": f'stroke="{VERMILION}" stroke-width="3"',
    "deletion": f'stroke="{VERMILION}" stroke-width="3"',
    "jump": f'stroke="{BLUE}" stroke-width="2"',
}
# How many cells the line of a jump bends away from the straight one.
_BEND = 0.8

# An operation and the point where it begins: columns and rows from the first corner.
Move = tuple[str, int, int]
Corner = tuple[float, float]


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
        "match", "substitution", "insertion", "deletion" or "jump", and how many words of the
        hypothesis and of the reference come before the point where it begins. The last one ends
        behind all words.
    hypothesis, reference : sequence of str
        The words.
    summary : str
        What the path costs, for the description.
    title : str
        What the picture is, for readers who cannot see it; the sentence is added.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Of more than 200 words on a side the first are drawn, with the moves between
        them; the legend says how many are not shown.

    Examples
    --------
    >>> moves = [("jump", 0, 0), ("match", 1, 0), ("jump", 2, 1), ("match", 0, 1), ("jump", 1, 2)]
    >>> drawing = path_svg(moves, ["it", "<is>"], ["<is>", "it"], summary="cost 3")
    >>> drawing.startswith("<svg "), "match: &lt;is&gt;" in drawing, drawing.count("<title>jump")
    (True, True, 3)
    """
    ends = [*((i, k) for _, i, k in moves), (len(hypothesis), len(reference))][1:]
    taken = [(i, k) for name, i, k in moves if name in ("match", "substitution")]
    alone = (
        set(range(len(reference))).difference(k for _, k in taken),
        set(range(len(hypothesis))).difference(i for i, _ in taken),
    )
    ours, theirs = hypothesis[:MOST_WORDS], reference[:MOST_WORDS]
    shown = [
        (move, end)
        for move, end in zip(moves, ends, strict=True)
        if max(*move[1:], *end) <= MOST_WORDS
    ]
    matched = {(i, k) for name, i, k in moves if name == "match"}
    dots = [
        (i, k)
        for k, word in enumerate(theirs)
        for i, other in enumerate(ours)
        if word == other and (i, k) not in matched
    ]
    names = {move[0] for move, _ in shown}
    symbols = [Symbol(name, partial(_sample, name)) for name in _PAINTS if name in names]
    if dots:
        symbols.append(Symbol("equal words, not matched", _dot_sample))
    if any(alone):
        symbols.append(Symbol("no counterpart", missing_sample))
    if left := len(moves) - len(shown):
        symbols.append(Symbol(f"{counted(left, 'step')} not shown", _dot_sample))

    def marks(point: Point) -> list[str]:
        drawn = [_dot(*point(i + 0.5, k + 0.5)) for i, k in dots]
        # Jumps lie above edits: their ends show where the path goes on.
        for (name, i, k), end in sorted(shown, key=lambda each: each[0][0] == "jump"):
            line = _edit((i, k), end, point)
            if name == "jump":
                line = _jump((i, k), end, (len(hypothesis), len(reference)), point)
            hint = escape(drawable(_hint((name, i, k), end, hypothesis, reference)))
            drawn.append(
                f'<g fill="none" stroke-linecap="round" {_PAINTS[name]}><title>{hint}</title>\n'
                f"{line}</g>"
            )
        return drawn

    hidden = (len(reference) - len(theirs), len(hypothesis) - len(ours))
    return WordGrid(theirs, ours, hidden, alone, ("reference", "hypothesis")).drawn(
        marks,
        symbols,
        title=shortened(f"{title} from {' '.join(ours)} to {' '.join(theirs)}", LONGEST_TEXT),
        description=f"{summary}.",
    )


def _hint(
    move: Move, end: tuple[int, int], hypothesis: Sequence[str], reference: Sequence[str]
) -> str:
    """Say what a move does."""
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

    To the right above it, to the left below it; along the edges of the grid inside of it.
    """
    side = 1 if start[1] == end[1] else 0
    bend = -_BEND if end > start else _BEND
    if start[side] in (0, size[side]):
        bend = _BEND if start[side] == 0 else -_BEND
    middle = [(a + b) / 2 for a, b in zip(start, end, strict=True)]
    middle[side] += bend
    (x, y), (u, v), (m, n) = point(*start), point(*end), point(*middle)
    # The arrow points from the bend, which is the tangent of the arc at its end.
    du, dv = u - m, v - n
    length = (du * du + dv * dv) ** 0.5
    du, dv = 6 * du / length, 6 * dv / length
    corners = [(u - du - 0.6 * dv, v - dv + 0.6 * du), (u - du + 0.6 * dv, v - dv - 0.6 * du)]
    head = "".join(f"L{svg_number(a)} {svg_number(b)}" for a, b in corners)
    return (
        f'<path d="M{svg_number(x)} {svg_number(y)}Q{svg_number(m)} {svg_number(n)} '
        f'{svg_number(u)} {svg_number(v)}"/>\n'
        f'<path d="M{svg_number(u)} {svg_number(v)}{head}z" fill="{BLUE}" stroke-linejoin="round"/>'
    )


def _dot(x: float, y: float) -> str:
    return f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="3" fill="{_EQUAL}"/>'


def _dot_sample(x: float, y: float) -> str:
    """Draw a dot for the legend, on the paint of the cells."""
    return f"{_card(x, y)}\n{_dot(x, y)}"


def _sample(name: str, x: float, y: float) -> str:
    """Draw a move for the legend, on the paint of the cells."""

    def point(column: float, row: float) -> tuple[float, float]:
        return x - 9 + 18 * column, y - 9 + 18 * row

    if name == "jump":
        line = _jump((0, 1), (1, 1), (1, 1), point)
    else:
        ends = {"insertion": ((0.5, 0), (0.5, 1)), "deletion": ((0, 0.5), (1, 0.5))}
        line = _edit(*ends.get(name, ((0, 0), (1, 1))), point)
    return f'{_card(x, y)}\n<g fill="none" stroke-linecap="round" {_PAINTS[name]}>{line}</g>'


def _card(x: float, y: float) -> str:
    return (
        f'<rect x="{svg_number(x - 12)}" y="{svg_number(y - 12)}" width="24" height="24" '
        f'fill="{CARD}"/>'
    )
