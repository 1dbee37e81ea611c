"""Permutation trees as SVG pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from typing import Literal

from wordorder.drawing import trees
from wordorder.drawing.svg import (
    GAP,
    GREY,
    MARGIN,
    box_height,
    box_width,
    picture,
    svg_box,
    svg_number,
)

_MAX_DRAWN_LEAVES = 200
# Values in the title.
_MAX_TITLE_VALUES = 20

_LEVEL_HEIGHT = 48
# The grey contrasts both with white and with black.
_EDGE_STYLE = f'fill="none" stroke="{GREY}" stroke-width="1.5" stroke-linecap="square"'


@dataclass
class _Box:
    """A node as it is drawn.

    Attributes
    ----------
    kind : str
        The shape; a leaf is plain.
    lines : list of str
        The text.
    hint : str
        The tooltip.
    depth : int
        Number of levels below the root.
    parts : list of _Box
        The boxes of the children; empty in the bottom row.
    centre : float
        The horizontal middle, in pixels.
    """

    kind: trees.Kind | Literal["plain"]
    lines: list[str]
    hint: str
    depth: int = 0
    parts: list[_Box] = field(default_factory=list)
    centre: float = 0.0


def tree_svg(
    root: trees.Node,
    words: Sequence[str] | None = None,
    *,
    title: str = "Permutation tree",
    note: str = "",
) -> str:
    """Draw a permutation tree as an SVG picture.

    Leaves are in a row at the bottom in the permutation's order, with their value counted from
    1 and their word; inner nodes are above the centre of their children. Monotone nodes are
    green and round, inverted ones orange and pointed, simple ones purple and square. All text
    is drawn on boxes of its own colour, so the picture can be read on any background.

    Parameters
    ----------
    root : Node
        A permutation tree, flattened or not.
    words : sequence of str, optional
        One word per position, in the permutation's order.
    title : str
        Title of the picture for screen readers; the values are appended.
    note : str
        A line below the picture.

    Returns
    -------
    str
        One ``<svg>`` element without scripts, links, style sheets and fonts; equal input gives
        equal text. Of a tree of more than 200 words only the upper part is drawn, and boxes
        ``… n words`` replace the rest; words are cut after 30 characters, and complete in their
        tooltips.

    Raises
    ------
    InputError
        If there is not one word per position.

    Examples
    --------
    >>> from wordorder.order.permutation_tree import PermutationTree
    >>> picture = tree_svg(PermutationTree([1, 0]).root, ["did", "<he>"])
    >>> picture.startswith("<svg "), "&lt;he&gt;" in picture
    (True, True)
    """
    boxes = _boxes(root, words)
    legend = _legend(boxes, note)
    leaves = [box for box in boxes if not box.parts]
    tree_width, legend_width = _row_width(leaves), _row_width(legend)
    width = max(tree_width, legend_width) + 2 * MARGIN
    _place_row(leaves, (width - tree_width) / 2)
    _place_row(legend, (width - legend_width) / 2)
    # Boxes are in order from the top down, so backwards, parts come before their parent.
    for box in reversed(boxes):
        if box.parts:
            box.centre = (box.parts[0].centre + box.parts[-1].centre) / 2

    leaf_top = MARGIN + _LEVEL_HEIGHT * max(
        (box.depth + 1 for box in boxes if box.parts), default=0
    )
    height = leaf_top + box_height(len(leaves[0].lines)) + MARGIN
    edges, marks = [], []
    for box in boxes:
        edges += _edges(box, leaf_top)
        marks.append(_mark(box, _top(box, leaf_top)))
    if legend:
        marks += [_mark(box, height + GAP) for box in legend]
        height += GAP + box_height(1) + MARGIN

    return picture(
        [f'<path d="{" ".join(edges)}" {_EDGE_STYLE}/>', *marks],
        width,
        height,
        title=f"{title} of {_first_values(root)}",
        description=_description(root, note),
    )


def _boxes(root: trees.Node, words: Sequence[str] | None) -> list[_Box]:
    """Return the boxes of all visible nodes, from the top down and from left to right."""
    leaf_labels = trees.leaf_words(root, words)
    spans = trees.drawn_spans(root, max_leaves=_MAX_DRAWN_LEAVES, max_depth=_MAX_DRAWN_LEAVES)
    rows = 1 if words is None else 2
    boxes = []
    stack: list[tuple[trees.Node, _Box | None]] = [(root, None)]
    while stack:
        node, parent = stack.pop()
        if (node.start, node.stop) in spans:
            box = _Box(trees.node_kind(node), [trees.node_label(node)], _inner_hint(node))
            stack.extend((child, box) for child in reversed(node.children))
        elif node.children:
            lines = [f"… {node.stop - node.start} words", ""]
            box = _Box(trees.node_kind(node), lines[:rows], _inner_hint(node))
        else:
            word, value = leaf_labels[node.start], str(node.low + 1)
            hint = f"place {node.start + 1}, value {value}"
            box = _Box(
                "plain", [value, trees.shortened(word)][:rows], f"{hint}: {word}" if word else hint
            )
        if parent:
            box.depth = parent.depth + 1
            parent.parts.append(box)
        boxes.append(box)
    return boxes


def _legend(boxes: Sequence[_Box], note: str) -> list[_Box]:
    """Return the legend: a box for each kind of visible inner node, and one for the note."""
    drawn_kinds = {box.kind for box in boxes}
    kinds: list[trees.Kind] = ["monotone", "inverted", "simple"]
    legend = [_Box(kind, [kind], f"{kind} nodes") for kind in kinds if kind in drawn_kinds]
    return [*legend, _Box("plain", [note], "note")] if note else legend


def _row_width(boxes: Sequence[_Box]) -> float:
    """Return the width of boxes side by side."""
    return sum(box_width(box.lines) + GAP for box in boxes) - GAP


def _place_row(boxes: Sequence[_Box], x: float) -> None:
    """Place boxes side by side, with equal gaps."""
    for box in boxes:
        width = box_width(box.lines)
        box.centre = x + width / 2
        x += width + GAP


def _top(box: _Box, leaf_top: float) -> float:
    """Return the upper edge of a box: at its depth, or in the bottom row."""
    return MARGIN + _LEVEL_HEIGHT * box.depth if box.parts else leaf_top


def _edges(box: _Box, leaf_top: float) -> list[str]:
    """Return the lines from a box to its parts, with a bar between its row and the next.

    The bar spans only the words of the box, and the line down to a word is above that word, so no
    two lines cross, and no line crosses a box.
    """
    if not box.parts:
        return []
    bottom = _top(box, leaf_top) + box_height(1)
    bar = svg_number(bottom + (_LEVEL_HEIGHT - box_height(1)) / 2)
    first, last = svg_number(box.parts[0].centre), svg_number(box.parts[-1].centre)
    return [
        f"M{svg_number(box.centre)} {svg_number(bottom)}V{bar}M{first} {bar}H{last}",
        *(
            f"M{svg_number(part.centre)} {bar}V{svg_number(_top(part, leaf_top))}"
            for part in box.parts
        ),
    ]


def _mark(box: _Box, top: float) -> str:
    """Write a box with its hint."""
    drawing = svg_box(box.kind, box.centre, top, box.lines)
    return f"<g>\n<title>{escape(box.hint)}</title>\n{drawing}\n</g>"


def _inner_hint(node: trees.Node) -> str:
    return f"{trees.node_label(node)}, {trees.span_label(node)}"


def _first_values(root: trees.Node) -> str:
    """Format the values in their order, at most the first twenty."""
    values = (str(node.low + 1) for node in root.walk() if not node.children)
    first = " ".join(islice(values, _MAX_TITLE_VALUES))
    return first if root.stop - root.start <= _MAX_TITLE_VALUES else f"{first} …"


def _description(root: trees.Node, note: str) -> str:
    """Describe the picture in a sentence or two."""
    top = f"The top node is {trees.node_label(root)}." if root.children else "A single word."
    return f"{top} {note}".strip()
