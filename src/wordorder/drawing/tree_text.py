"""Permutation trees as lines of text."""

from __future__ import annotations

from collections.abc import Sequence

from wordorder.drawing.tree_labels import Node, drawn_spans, leaf_words, node_label, span_label

# What a person can still scroll through; a bushy tree of 1000 words fits.
_MOST_LEAVES = 1000
_DEEPEST = 100


def tree_text(root: Node, words: Sequence[str] | None = None) -> str:
    """Draw a permutation tree with lines of text, from the top down.

    Parameters
    ----------
    root : Node
        A permutation tree, flattened or not.
    words : sequence of str, optional
        One word for each place, in the permutation's order: written beside the values.

    Returns
    -------
    str
        One line for each node, without a final newline. Inner nodes show their operator, their
        places and values; leaves their value; all are counted from 1. Of a tree of more than
        1000 words or 100 levels the upper part is drawn, and a line ``… n more nodes`` stands
        for the rest.

    Raises
    ------
    InputError
        If there is not one word for each place.

    Examples
    --------
    >>> from wordorder.order.permutation_tree import PermutationTree
    >>> print(tree_text(PermutationTree([1, 3, 4, 0, 2]).root, "he the rice did eat".split()))
    ⟨2,4,1,3⟩  places 1–5, values 1–5
    ├─ 2  he
    ├─ ⟨1,2⟩  places 2–3, values 4–5
    │  ├─ 4  the
    │  └─ 5  rice
    ├─ 1  did
    └─ 3  eat
    """
    shown = leaf_words(root, words)
    spans = drawn_spans(root, most_leaves=_MOST_LEAVES, deepest=_DEEPEST)
    lines = []
    waiting = [(root, "", "")]
    while waiting:
        node, before, below = waiting.pop()
        if not node.children:
            word = shown[node.start]
            lines.append(f"{before}{node.low + 1}" + (f"  {word}" if word else ""))
            continue
        lines.append(f"{before}{node_label(node)}  {span_label(node)}")
        if (node.start, node.stop) not in spans:
            hidden = sum(1 for _ in node.walk()) - 1
            lines.append(f"{below}└─ … {hidden} more nodes")
            continue
        waiting.append((node.children[-1], f"{below}└─ ", f"{below}   "))
        before, below = f"{below}├─ ", f"{below}│  "
        waiting.extend((child, before, below) for child in reversed(node.children[:-1]))
    return "\n".join(lines)
