"""Dependency trees as lines of text, a word a line."""

from __future__ import annotations

from wordorder.drawing.dependency_tree import DependencyTree
from wordorder.drawing.sentence_labels import runs_leftwards, shown_columns
from wordorder.drawing.width import display_width, padded

# What a person can still scroll through, and how many lines beside each other.
_MOST_WORDS = 1000
_MOST_BARS = 40

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
# Keeps a line with words from right to left from being turned around.
_LEFT_TO_RIGHT = "\u200e"


def arc_text(tree: DependencyTree) -> str:
    """Draw a dependency tree with lines of text.

    Parameters
    ----------
    tree : DependencyTree
        Such as a `Tree`.

    Returns
    -------
    str
        One line for each word, without a final newline: a line comes from its head, an upright
        bar connects all dependents of a word, and the root's line comes from the left edge. Then
        follow the word, its tag and its relation. Where a line passes an upright bar without
        touching it the arcs cross. Only the first 1000 words are shown. Instead of lines there
        are the numbers of word and head if the heads make no tree, or one so deep that it needs
        more than 40 bars.

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
    rows = min(len(tree), _MOST_WORDS)
    if not rows:
        return ""
    tags = tree.upos if any(tag != "_" for tag in tree.upos) else tree.xpos
    columns = shown_columns(column[:rows] for column in (tree.forms, tags, tree.labels))
    if not any(form != "_" for form in tree.forms[:rows]):
        columns.insert(0, ["_"] * rows)
    drawing = _drawing(tree, rows)
    if drawing is None:
        numbers = [str(number) for number in range(1, rows + 1)]
        heads = ["_" if head < 0 else str(head) for head in tree.heads[:rows]]
        columns[:0] = [_aligned(numbers, right=True), _aligned(heads, right=True)]
        drawing = [""] * rows
    mark = _LEFT_TO_RIGHT if any(runs_leftwards([form]) for form in tree.forms[:rows]) else ""
    cells = zip(*(_aligned(column) for column in columns), strict=True)
    lines = [
        mark + before + f"{mark}  ".join(cell).rstrip()
        for before, cell in zip(drawing, cells, strict=True)
    ]
    if rows < len(tree):
        lines.append(f"… {len(tree) - rows} more words")
    return "\n".join(lines)


def _aligned(column: list[str], *, right: bool = False) -> list[str]:
    """Fill the strings of a column to the same width."""
    width = max(map(display_width, column))
    return [padded(string, width, right) for string in column]


def _drawing(tree: DependencyTree, rows: int) -> list[str] | None:
    """Draw what precedes each word; None if it cannot be drawn."""
    if not tree.is_tree:
        return None
    # The bar of each word with dependents, 0 being the root: its first and last line.
    bars = {}
    for head in range(len(tree) + 1):
        if children := tree.children(head):
            own = head or children[0]
            bars[head] = (min(own, children[0]), max(own, children[-1]))
    column_of = _columns(tree, bars, rows)
    if max(column_of.values()) > _MOST_BARS:
        return None
    across: list[dict[int, int]] = [{} for _ in range(rows)]
    for head, column in column_of.items():
        first, last = bars[head]
        for row in range(first, min(last, rows) + 1):
            across[row - 1][column] = head
    most = max(column_of.values())
    return [_line(tree, row, across[row - 1], column_of, bars, most) for row in range(1, rows + 1)]


def _columns(tree: DependencyTree, bars: dict[int, tuple[int, int]], rows: int) -> dict[int, int]:
    """Choose the column of each bar, counted from the words to the left.

    Dependents come before their heads, so that a bar is to the left of all it leads to, and
    no line of a projective tree passes a bar.
    """
    order, waiting = [], [0]
    while waiting:
        head = waiting.pop()
        order.append(head)
        waiting.extend(child for child in tree.children(head) if child in bars)
    top = [0] * (rows + 2)
    column_of = {}
    for head in reversed(order):
        first, last = bars[head]
        if first > rows:
            continue
        last = min(last, rows)
        column_of[head] = 1 + max(top[first : last + 1])
        top[first : last + 1] = [column_of[head]] * (last + 1 - first)
    return column_of


def _line(
    tree: DependencyTree,
    row: int,
    across: dict[int, int],
    column_of: dict[int, int],
    bars: dict[int, tuple[int, int]],
    most: int,
) -> str:
    """Draw what precedes one word: bars that pass, and the line from its head."""
    head = tree.heads[row - 1]
    start = column_of[head]
    parts = []
    for column in range(most, 0, -1):
        bar = across.get(column)
        ends = ""
        if bar is not None:
            first, last = bars[bar]
            ends = ("u" if first < row else "") + ("d" if row < last else "")
        # A bar of another word that the line passes.
        if bar is None or bar in (head, row):
            ends += ("l" if column < start else "") + ("r" if column <= start else "")
        parts.append(_BOXES[ends] + ("─" if column <= start else " "))
    return "".join(parts) + "─ " if start else "".join(parts)
