"""Rows of words as SVG elements: boxes side by side, framed in chunks, with braces around ties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import chain

from wordorder.drawing.svg_boxes import box_width, svg_number
from wordorder.drawing.svg_words import (
    BOX_HEIGHT,
    GAP,
    GREEN,
    GREY,
    MOST_WORDS,
    VERMILION,
    hidden_words,
    shown_word,
    text_box,
)

# From the words to the frame of their chunk.
PAD = 5
# What a pair of braces takes, and the mark of a broken order.
_BRACES = 16
_MARK = 16
# Between the words of a row that has few of them.
_WIDEST_GAP = 5 * GAP

_FRAME = f'fill="none" stroke="{GREEN}" stroke-width="2"'
_BROKEN = f'fill="none" stroke="{VERMILION}" stroke-width="2.5"'
_TIES = f'fill="none" stroke="{GREY}" stroke-width="2"'

# A place in the picture, given the place when reading from left to right.
Place = Callable[[float], float]


@dataclass(frozen=True)
class OrderRow:
    """What a row of words shows.

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
    forms : dict of int to str
        How the row writes words that the list of words writes in another way.
    """

    name: str
    groups: Sequence[Sequence[int]]
    chunks: Sequence[Sequence[int]] = ()
    moved: AbstractSet[int] = frozenset()
    forms: Mapping[int, str] = field(default_factory=dict)

    @property
    def positions(self) -> tuple[int, ...]:
        """All its words."""
        return tuple(chain.from_iterable(self.groups))

    def written(self, words: Sequence[str]) -> Sequence[str]:
        """Return the words as the row writes them."""
        return [self.forms.get(n, word) for n, word in enumerate(words)] if self.forms else words


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
        """Return where the middle of a word's box is, or of the box that replaces it."""
        span = self.spans.get(position, self.rest)
        return span and (span[0] + span[1]) / 2


def word_rows(words: Sequence[str], given: Sequence[OrderRow]) -> list[WordRow]:
    """Lay out rows, spread so that all are as wide as the widest, or nearly so."""
    rows = [_row(row.written(words), row, GAP) for row in given]
    widest = max((row.width for row in rows), default=0.0)
    gaps = [
        min(GAP + (widest - row.width) / max(len(row.spans) - 1 + bool(row.rest), 1), _WIDEST_GAP)
        for row in rows
    ]
    return [_row(row.written(words), row, gap) for row, gap in zip(given, gaps, strict=True)]


def _row(words: Sequence[str], given: OrderRow, gap: float) -> WordRow:
    """Lay out a row with at least `gap` between two words."""
    row = WordRow(given.positions)
    ties = [group for group in given.groups if len(group) > 1]
    opens, closes = {group[0] for group in ties}, {group[-1] for group in ties}
    begins, ends = {chunk[0] for chunk in given.chunks}, {chunk[-1] for chunk in given.chunks}
    later = begins - {chunk[0] for chunk in given.chunks[:1]}
    at = 0.0
    start: float | None = None
    for position in row.order[:MOST_WORDS]:
        if position in later:
            row.marks.append(at + _MARK / 2)
            at += _MARK + GAP
        if position in opens:
            row.opening.append(at + _BRACES / 2)
            at += _BRACES
        if position in begins:
            start = at
            at += PAD
        width = box_width([shown_word(words[position])])
        row.spans[position] = at, at + width
        at += width
        if position in ends and start is not None:
            at += PAD
            row.chunks.append((start, at))
            start = None
        if position in closes:
            row.closing.append(at + _BRACES / 2)
            at += _BRACES
        at += gap
    if start is not None:
        # The last chunk goes on among the words that are not drawn.
        row.chunks.append((start, at - gap + PAD))
        at += PAD
    hidden = len(row.order) - MOST_WORDS
    if hidden > 0:
        width = box_width([hidden_words(hidden)])
        row.rest = at, at + width
        at += width + gap
    row.width = max(at - gap, 0.0)
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
    elements = [
        f'<rect x="{svg_number(min(place(a), place(b)))}" y="{svg_number(top - PAD)}" '
        f'width="{svg_number(b - a)}" height="{svg_number(BOX_HEIGHT + 2 * PAD)}" rx="6" {_FRAME}/>'
        for a, b in row.chunks
    ]
    elements += [zigzag(place(x), top + BOX_HEIGHT / 2) for x in row.marks]
    way = 1 if place(1) > place(0) else -1
    elements += [braces(place(x), top + BOX_HEIGHT / 2, way) for x in row.opening]
    elements += [braces(place(x), top + BOX_HEIGHT / 2, -way) for x in row.closing]
    for position, (a, b) in row.spans.items():
        kind = "missing" if position in missing else "word"
        word = shown_word(words[position])
        elements.append(text_box(word, place((a + b) / 2), top, kind=kind, hint=hints[position]))
    if row.rest is not None:
        text = hidden_words(len(row.order) - MOST_WORDS)
        elements.append(text_box(text, place(sum(row.rest) / 2), top))
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
