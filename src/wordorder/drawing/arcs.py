"""Dependency trees as SVG pictures: words in a row, arcs above them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Protocol

from wordorder.drawing import svg
from wordorder.drawing.svg import svg_number
from wordorder.drawing.trees import drawable, shortened
from wordorder.text.display import display_width, padded

# Height of the lowest arc above the words, and of each arc above the one below it.
_FIRST_RISE = 30
_RISE = 30

# Distance of outgoing arcs from a head's middle, where its incoming arc ends.
_PORT = 7
_CORNER = 7
_ARC_STYLE = f'fill="none" stroke="{svg.GREY}" stroke-width="1.5"'

# Limits of a readable drawing: words, and columns of vertical bars.
_MAX_WORDS = 1000
_MAX_BARS = 40

# Box drawing characters by what they connect: up, down, left, right.
_BOXES = {
    "": " ",
    "ud": "│",
    "lr": "─",
    "r": "─",
    "dr": "┌",
    "ur": "└",
    "udr": "├",
    "dlr": "┬",
    "ulr": "┴",
    "udlr": "┼",
}

# Keeps the direction of a line that contains words from right to left.
_LEFT_TO_RIGHT = "\u200e"


@dataclass
class _Arc:
    """An arc as it is drawn.

    Attributes
    ----------
    head, word : int
        Positions from 1; the head of a root is 0.
    label : list of str
        One line, or none.
    kind : str
        The box of the label: round for a root, pointed if the arc is not projective.
    level : int
        Height above the words, from 1.
    """

    head: int
    word: int
    label: list[str]
    kind: str
    level: int = 0

    @property
    def ends(self) -> tuple[int, int]:
        """The words at the two ends, from left to right."""
        return min(self.head, self.word), max(self.head, self.word)

    @property
    def label_width(self) -> float:
        """Width of the label, in pixels."""
        return svg.box_width(self.label) if self.label else 0.0


def arc_svg(tree: DependencyTree, *, title: str = "Dependency tree") -> str:
    """Draw a dependency tree as an SVG picture.

    The words are in a row with their tags below them, from right to left if the first letter is
    of such a script; an arc leads from each head to its dependent and carries the relation. The
    root's arc comes from above and has a green, round label; the labels of arcs that are not
    projective are orange and pointed. All text is on boxes of its own colour, so the picture
    can be read on any background.

    Parameters
    ----------
    tree : DependencyTree
        Such as a `Tree`. Heads may be missing, and are also drawn if they do not form a tree.
    title : str
        Title of the picture for screen readers; the sentence is appended.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Only the first 200 words are drawn, and a box ``… n more words`` replaces the
        rest; words are cut after 30 characters, and complete in their tooltips.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> bank = Treebank.from_words([["<It>", "rains"]], heads=[[2, 0]], label=[["expl", "root"]])
    >>> picture = arc_svg(bank[0])
    >>> picture.startswith("<svg "), "&lt;It&gt;" in picture, "expl" in picture
    (True, True, True)
    """
    word_count = min(len(tree), svg.MAX_SENTENCE_WORDS)
    words = [list(_word_lines(tree, i)) for i in range(word_count)]
    hints = [_word_hint(tree, i) for i in range(word_count)]
    if word_count < len(tree):
        words.append([f"… {len(tree) - word_count} more words", *[""] * (len(words[0]) - 1)])
        hints.append(f"words {word_count + 1}–{len(tree)}")
    arcs = _arcs(tree, word_count)
    levels = max((arc.level for arc in arcs), default=0)
    centres = _centres(words, arcs)
    width = centres[-1] + svg.box_width(words[-1]) / 2 + svg.MARGIN if words else 2 * svg.MARGIN
    right = max((centres[a.word - 1] + a.label_width / 2 for a in arcs if not a.head), default=0.0)
    width = max(width, right + svg.MARGIN)
    if svg.runs_leftwards(tree.forms[:word_count]):
        centres = [width - centre for centre in centres]
    highest = _FIRST_RISE + _RISE * (levels - 1) + svg.box_height(1) / 2 if levels else 0
    base = svg.MARGIN + highest
    height = base + (svg.box_height(len(words[0])) if words else 0) + svg.MARGIN
    # Long arcs first: where arcs cross, the label of the shorter one stays visible.
    by_level = sorted(arcs, key=lambda arc: -arc.level)
    lines = [_line(arc, centres, base) for arc in by_level]
    labels = [_label(arc, centres, base, tree) for arc in by_level]
    boxes = [
        f"<g>\n<title>{escape(hint)}</title>\n{svg.svg_box('plain', centre, base, lines)}\n</g>"
        for lines, hint, centre in zip(words, hints, centres, strict=True)
    ]
    sentence = shortened(drawable(tree.text), svg.MAX_TITLE)
    return svg.picture(
        [*lines, *labels, *boxes],
        width,
        height,
        title=f"{title} of {sentence}",
        description=_description(tree, arcs),
    )


def _arcs(tree: DependencyTree, word_count: int) -> list[_Arc]:
    """Return the arcs between the visible words, each above all arcs that it spans."""
    non_projective = set(tree.non_projective) if tree.is_tree else set()
    arcs = []
    for word, head in enumerate(tree.heads[:word_count], 1):
        if not 0 <= head <= word_count:
            continue
        label = tree.labels[word - 1]
        kind = "monotone" if head == 0 else "inverted" if word in non_projective else "plain"
        text = "root" if head == 0 and label == "_" else "" if label == "_" else drawable(label)
        arcs.append(_Arc(head, word, [shortened(text)] if text else [], kind))
    levels = [0] * (word_count + 1)
    for arc in sorted(arcs, key=lambda arc: arc.ends[1] - arc.ends[0]):
        if arc.head:
            first, last = arc.ends
            arc.level = 1 + max(levels[first:last], default=0)
            levels[first:last] = [arc.level] * (last - first)
    for arc in arcs:
        if not arc.head:
            arc.level = 1 + max(levels)
    return arcs


def _centres(words: list[list[str]], arcs: list[_Arc]) -> list[float]:
    """Place the words so that boxes are side by side and each label fits onto its arc."""
    widths = [svg.box_width(lines) for lines in words]
    arcs_ending_at: list[list[_Arc]] = [[] for _ in words]
    for arc in arcs:
        if arc.head and arc.head != arc.word:
            arcs_ending_at[arc.ends[1] - 1].append(arc)
    roots = {arc.word - 1: arc.label_width for arc in arcs if not arc.head}
    centres: list[float] = []
    root = -1
    for i, width in enumerate(widths):
        centre = svg.MARGIN + max(width, roots.get(i, 0.0)) / 2
        if i:
            centre = max(centre, centres[-1] + (widths[i - 1] + width) / 2 + svg.GAP)
        for arc in arcs_ending_at[i]:
            needed_width = arc.label_width + 2 * _CORNER + _PORT + svg.GAP
            centre = max(centre, centres[arc.ends[0] - 1] + needed_width)
        if i in roots:
            if root >= 0:
                needed_width = (roots[root] + roots[i]) / 2 + svg.GAP
                centre = max(centre, centres[root] + needed_width)
            root = i
        centres.append(centre)
    return centres


def _arc_ends(arc: _Arc, centres: list[float]) -> tuple[float, float]:
    """Return the x coordinates of an arc's ends, at its head and at its dependent."""
    end = centres[arc.word - 1]
    if not arc.head:
        return end, end
    start = centres[arc.head - 1]
    return start + (_PORT if start < end else -_PORT), end


def _arc_height(arc: _Arc, base: float) -> float:
    """Return the y coordinate of an arc's upper line."""
    return base - _FIRST_RISE - _RISE * (arc.level - 1)


def _line(arc: _Arc, centres: list[float], base: float) -> str:
    """Draw an arc with its arrow; nothing for a word that is its own head."""
    start, end = _arc_ends(arc, centres)
    top = _arc_height(arc, base)
    if arc.head == arc.word:
        return ""
    if arc.head:
        corner = _CORNER if start < end else -_CORNER
        x = [svg_number(value) for value in (start, start + corner, end - corner, end)]
        y, low = svg_number(top), svg_number(top + _CORNER)
        path = (
            f"M{x[0]} {svg_number(base)}V{low}Q{x[0]} {y} {x[1]} {y}"
            f"H{x[2]}Q{x[3]} {y} {x[3]} {low}V{svg_number(base - 4)}"
        )
    else:
        path = f"M{svg_number(end)} {svg_number(top)}V{svg_number(base - 4)}"
    arrow = " ".join(
        f"{svg_number(end + x)},{svg_number(base + y)}" for x, y in ((-4, -7), (4, -7), (0, 0))
    )
    return f'<path d="{path}" {_ARC_STYLE}/>\n<polygon points="{arrow}" fill="{svg.GREY}"/>'


def _label(arc: _Arc, centres: list[float], base: float, tree: DependencyTree) -> str:
    """Draw the label of an arc."""
    if not arc.label:
        return ""
    start, end = _arc_ends(arc, centres)
    top = _arc_height(arc, base) - svg.box_height(1) / 2
    head = tree.forms[arc.head - 1] if arc.head else "root"
    hint = drawable(f"{head} → {tree.labels[arc.word - 1]} → {tree.forms[arc.word - 1]}")
    box = svg.svg_box(arc.kind, (start + end) / 2, top, arc.label)
    return f"<g>\n<title>{escape(hint)}</title>\n{box}\n</g>"


def _word_lines(tree: DependencyTree, i: int) -> tuple[str, ...]:
    """Return the text in the box of a word: the word, and its tag if any word has one."""
    form = shortened(drawable(tree.forms[i]))
    tags = tree.upos if any(tag != "_" for tag in tree.upos) else tree.xpos
    if all(tag == "_" for tag in tags):
        return (form,)
    return form, shortened(drawable("" if tags[i] == "_" else tags[i]))


def _word_hint(tree: DependencyTree, i: int) -> str:
    fields = [s for s in (tree.upos[i], tree.xpos[i], tree.lemmas[i], tree.feats[i]) if s != "_"]
    return drawable(f"word {i + 1}: {tree.forms[i]}" + "".join(f", {s}" for s in fields))


def _description(tree: DependencyTree, arcs: list[_Arc]) -> str:
    """Describe the picture in a sentence."""
    sentences = []
    for arc in arcs:
        form = drawable(tree.forms[arc.word - 1])
        if not arc.head:
            sentences.append(f"{form} is the root")
        else:
            label = " ".join(arc.label) or "depends"
            sentences.append(f"{form}: {label} of {drawable(tree.forms[arc.head - 1])}")
    return "; ".join(sentences) + "." if sentences else "Words without a tree."


def arc_text(tree: DependencyTree) -> str:
    """Draw a dependency tree with lines of text.

    Parameters
    ----------
    tree : DependencyTree
        Such as a `Tree`.

    Returns
    -------
    str
        One row for each word, without a final newline: a horizontal line from its head, the word,
        its tag and its relation. A vertical bar connects the dependents of a word, and the root's
        line comes from the left edge. Arcs cross where a line passes a bar without touching it.
        Only the first 1000 words are shown. If the heads do not form a tree, or one that needs more
        than 40 bars, the positions of word and head replace the drawing.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> words, heads = [["The", "dog", "barks", "loudly"]], [[2, 3, 0, 3]]
    >>> tags, labels = [["DET", "NOUN", "VERB", "ADV"]], [["det", "nsubj", "root", "advmod"]]
    >>> print(arc_text(Treebank.from_words(words, heads=heads, upos=tags, label=labels)[0]))
        ┌── The     DET   det
      ┌─┴── dog     NOUN  nsubj
    ──┼──── barks   VERB  root
      └──── loudly  ADV   advmod
    """
    rows = min(len(tree), _MAX_WORDS)
    if not rows:
        return ""
    tags = tree.upos if any(tag != "_" for tag in tree.upos) else tree.xpos
    columns = svg.shown_columns(column[:rows] for column in (tree.forms, tags, tree.labels))
    if not any(form != "_" for form in tree.forms[:rows]):
        columns.insert(0, ["_"] * rows)
    drawing = _draw_lines(tree, rows)
    if drawing is None:
        numbers = [str(number) for number in range(1, rows + 1)]
        heads = ["_" if head < 0 else str(head) for head in tree.heads[:rows]]
        columns[:0] = [_padded_column(numbers, right=True), _padded_column(heads, right=True)]
        drawing = [""] * rows
    mark = _LEFT_TO_RIGHT if any(svg.runs_leftwards([form]) for form in tree.forms[:rows]) else ""
    cells = zip(*(_padded_column(column) for column in columns), strict=True)
    lines = [
        mark + cells_so_far + f"{mark}  ".join(cell).rstrip()
        for cells_so_far, cell in zip(drawing, cells, strict=True)
    ]
    if rows < len(tree):
        lines.append(f"… {len(tree) - rows} more words")
    return "\n".join(lines)


def _padded_column(column: list[str], *, right: bool = False) -> list[str]:
    """Fill the strings of a column to the same width."""
    width = max(map(display_width, column))
    return [padded(string, width, right) for string in column]


def _draw_lines(tree: DependencyTree, rows: int) -> list[str] | None:
    """Draw the lines before each word; None if the tree cannot be drawn."""
    if not tree.is_tree:
        return None
    # The first and last row of the bar of each word with dependents; 0 is the root.
    bars = {}
    for head in range(len(tree) + 1):
        if children := tree.children(head):
            head_position = head or children[0]
            bars[head] = (min(head_position, children[0]), max(head_position, children[-1]))
    column_of = _columns(tree, bars, rows)
    if max(column_of.values()) > _MAX_BARS:
        return None
    bar_heads: list[dict[int, int]] = [{} for _ in range(rows)]
    for head, column in column_of.items():
        first, last = bars[head]
        for row in range(first, min(last, rows) + 1):
            bar_heads[row - 1][column] = head
    last_column = max(column_of.values())
    return [
        _text_line(tree, row, bar_heads[row - 1], column_of, bars, last_column)
        for row in range(1, rows + 1)
    ]


def _columns(tree: DependencyTree, bars: dict[int, tuple[int, int]], rows: int) -> dict[int, int]:
    """Choose the column of each bar, counted from the words to the left.

    Dependents are placed before their heads, so that a bar is to the left of the bars of its
    dependents, and no line of a projective tree passes a bar.
    """
    order, stack = [], [0]
    while stack:
        head = stack.pop()
        order.append(head)
        stack.extend(child for child in tree.children(head) if child in bars)
    columns = [0] * (rows + 2)
    column_of = {}
    for head in reversed(order):
        first, last = bars[head]
        if first > rows:
            continue
        last = min(last, rows)
        column_of[head] = 1 + max(columns[first : last + 1])
        columns[first : last + 1] = [column_of[head]] * (last + 1 - first)
    return column_of


def _text_line(
    tree: DependencyTree,
    row: int,
    bar_heads: dict[int, int],
    column_of: dict[int, int],
    bars: dict[int, tuple[int, int]],
    column_count: int,
) -> str:
    """Draw the line from a word's head, and the bars that pass the row of the word."""
    head = tree.heads[row - 1]
    start = column_of[head]
    parts = []
    for column in range(column_count, 0, -1):
        bar_head = bar_heads.get(column)
        ends = ""
        if bar_head is not None:
            first, last = bars[bar_head]
            ends = ("u" if first < row else "") + ("d" if row < last else "")
        # The line does not touch bars of other words.
        if bar_head is None or bar_head in (head, row):
            ends += ("l" if column < start else "") + ("r" if column <= start else "")
        parts.append(_BOXES[ends] + ("─" if column <= start else " "))
    return "".join(parts) + "─ " if start else "".join(parts)


class DependencyTree(Protocol):
    """A sentence with its dependency tree, such as `wordorder.treebank.treebank.Tree`.

    Words are counted from 1; 0 is the artificial root. The string ``_`` is a missing value.
    """

    @property
    def forms(self) -> Sequence[str]:
        """The words."""

    @property
    def lemmas(self) -> Sequence[str]:
        """The lemmas of the words."""

    @property
    def upos(self) -> Sequence[str]:
        """The universal tags."""

    @property
    def xpos(self) -> Sequence[str]:
        """The language-specific tags."""

    @property
    def feats(self) -> Sequence[str]:
        """The features, as written in CoNLL-U."""

    @property
    def labels(self) -> Sequence[str]:
        """The relations to the heads."""

    @property
    def heads(self) -> Sequence[int]:
        """The head of each word, -1 if it is missing."""

    @property
    def text(self) -> str:
        """The sentence."""

    @property
    def is_tree(self) -> bool:
        """True if the heads form a tree."""

    @property
    def non_projective(self) -> Sequence[int]:
        """Words whose head does not dominate all words between them."""

    def children(self, word: int) -> Sequence[int]:
        """Return the dependents of a word, or those of the root for 0, from left to right."""

    def __len__(self) -> int:
        """Count the words."""
