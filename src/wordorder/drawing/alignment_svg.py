"""Word alignments as SVG pictures: a grid with the links as marks."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from html import escape
from typing import Protocol

from wordorder.counts import counted
from wordorder.drawing.svg_boxes import svg_number
from wordorder.drawing.svg_words import (
    BLUE,
    LONGEST_TEXT,
    MOST_WORDS,
    VERMILION,
    Symbol,
    missing_sample,
    shown_word,
)
from wordorder.drawing.tree_labels import drawable, shortened
from wordorder.drawing.word_grid import CARD, Point, WordGrid
from wordorder.errors import InputError

# Half of a mark.
_MARK = 8

# Of the marks of links that both sets have, only the first has, only the second has.
_COLOURS = {"both": "#000000", "first": BLUE, "second": VERMILION}

Pair = tuple[int, int]
# Which of two sets have a link, and what they say: "sure", "possible", or "mixed".
Kind = tuple[str, str]


class Links(Protocol):
    """The links of a sentence pair; ``str()`` writes them for the description.

    `wordorder.alignment.alignments.Alignment` is one.
    """

    @property
    def links(self) -> Sequence[Pair]:
        """All links, pairs of a source and a target position, 0-based."""

    @property
    def possible(self) -> AbstractSet[Pair]:
        """Those among them that are only possible; the others are sure."""

    @property
    def source_length(self) -> int | None:
        """Number of words of the source, where known."""

    @property
    def target_length(self) -> int | None:
        """Number of words of the target, where known."""


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

    A filled mark is a sure link, a hollow one a possible link. Of two sets of links the common
    ones are black squares, those of the first alone blue circles, those of the second alone orange
    diamonds; a hollow square with a dot is sure in one set and possible in the other. Words without
    any link are darker, with a broken edge.

    Parameters
    ----------
    links : Links
        Such as an `Alignment`.
    source_words, target_words : sequence of str, optional
        The words; without them their numbers, counted from 0, as far as the links and the lengths
        of the sets tell.
    other : Links, optional
        Links of the same pair to compare with.
    names : (str, str)
        What the two sets are called.
    title : str
        What the picture is, for readers who cannot see it; the sentence is added.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Of more than 200 words on a side the first are drawn, and a box
        ``… n more words`` replaces the rest; the legend says how many links are not shown.
        Words of more than 30 characters are cut. Columns run from right to left if the first letter
        of the target is of such a script.

    Raises
    ------
    InputError
        If a link leads past the words, or has a number below 0.

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
    kinds_of = _compared(links, other)
    cells = {pair: kind for pair, kind in kinds_of.items() if max(pair) < MOST_WORDS}
    unlinked = (
        set(range(len(source))).difference(s for s, _ in kinds_of),
        set(range(len(target))).difference(t for _, t in kinds_of),
    )
    compared = None if other is None else (shown_word(names[0]), shown_word(names[1]))
    symbols = _symbols(set(cells.values()), compared, any(map(len, unlinked)))
    if len(cells) < len(kinds_of):
        symbols.append(Symbol(f"{counted(len(kinds_of) - len(cells), 'link')} not shown", _dots))

    def marks(point: Point) -> list[str]:
        drawn = []
        for (s, t), kinds in sorted(cells.items()):
            hint = f"{source[s]} – {target[t]}: {_label(kinds, compared)}"
            mark = _mark(kinds, *point(t + 0.5, s + 0.5))
            drawn.append(f"<g><title>{escape(drawable(hint))}</title>\n{mark}</g>")
        return drawn

    grid = WordGrid(source, target, (more_rows, more_columns), unlinked, ("source", "target"))
    return grid.drawn(
        marks,
        symbols,
        title=shortened(f"{title} of {' '.join(source)}", LONGEST_TEXT),
        description=_description(links, other, names),
    )


def _words(
    side: str, words: Sequence[str] | None, sets: Sequence[Links], end: int
) -> tuple[Sequence[str], int]:
    """Return the words of a side that are drawn, or their numbers, and how many are not.

    Raises
    ------
    InputError
        If a link leads past the words, or has a number below 0.
    """
    ends = [link[end] for links in sets for link in links.links]
    if min(ends, default=0) < 0:
        raise InputError(f"{side} of a link", str(min(ends)), "a number from 0")
    linked = max(ends, default=-1) + 1
    if words is None:
        known = [(links.source_length, links.target_length)[end] or 0 for links in sets]
        size = max(linked, *known)
        shown: Sequence[str] = list(map(str, range(min(size, MOST_WORDS))))
    else:
        size, shown = len(words), words[:MOST_WORDS]
    if linked > size:
        raise InputError(
            f"{side}_words", counted(size, "word"), f"{linked} at least: a link leads there"
        )
    return shown, size - len(shown)


def _compared(links: Links, other: Links | None) -> dict[Pair, Kind]:
    """Return of what kind each link is; without a second set all are in both."""
    kinds: dict[Pair, Kind] = {}
    said = [{pair: pair in row.possible for pair in row.links} for row in (links, other or links)]
    for pair in {**said[0], **said[1]}:
        flags = {row[pair] for row in said if pair in row}
        strength = "mixed" if len(flags) > 1 else "possible" if flags.pop() else "sure"
        where = "both" if all(pair in row for row in said) else "first"
        kinds[pair] = (where if pair in said[0] else "second", strength)
    return kinds


def _mark(kind: Kind, x: float, y: float) -> str:
    """Draw a mark, its middle at ``(x, y)``."""
    where, strength = kind
    ink = _COLOURS[where]
    paint = f'fill="{ink}"' if strength == "sure" else f'fill="none" stroke="{ink}"'
    # The edge of a hollow mark is drawn inside it.
    half = _MARK if strength == "sure" else _MARK - 1
    width = "" if strength == "sure" else ' stroke-width="2"'
    if where == "first":
        return f'<circle cx="{svg_number(x)}" cy="{svg_number(y)}" r="{half}" {paint}{width}/>'
    if where == "second":
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


def _sample(kind: Kind, x: float, y: float) -> str:
    """Draw a mark for the legend, on the paint of the cells."""
    return (
        f'<rect x="{svg_number(x - 12)}" y="{svg_number(y - 12)}" width="24" height="24" '
        f'fill="{CARD}"/>\n{_mark(kind, x, y)}'
    )


def _dots(x: float, y: float) -> str:
    """Draw three dots, for what is not shown."""
    dots = [f'<circle cx="{svg_number(x + dx)}" cy="{svg_number(y)}" r="2"/>' for dx in (-7, 0, 7)]
    return f'<g fill="#808080">{"".join(dots)}</g>'


def _symbols(kinds: set[Kind], names: tuple[str, str] | None, unlinked: bool) -> list[Symbol]:
    """Return the legend: an entry for each kind of link, and one for words without any."""
    symbols = [
        Symbol(_label((where, strength), names), partial(_sample, (where, strength)))
        for where in _COLOURS
        for strength in ("sure", "possible", "mixed")
        if (where, strength) in kinds
    ]
    return [*symbols, Symbol("no link", missing_sample)] if unlinked else symbols


def _label(kind: Kind, names: tuple[str, str] | None) -> str:
    """Say what a mark means.

    Parameters
    ----------
    kind : (str, str)
    names : (str, str), optional
        What two sets that are compared are called.
    """
    where, strength = kind
    if names is None:
        return strength
    place = {"both": "both", "first": f"only {names[0]}", "second": f"only {names[1]}"}[where]
    return f"{place}, {'sure in one' if strength == 'mixed' else strength}"


def _description(links: Links, other: Links | None, names: tuple[str, str]) -> str:
    """Write the links as text."""
    if other is None:
        return f"{links}." if links.links else "No links."
    return f"{names[0]}: {links}; {names[1]}: {other}."
