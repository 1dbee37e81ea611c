"""Permutation trees as lines of text, and the labels of their nodes in all drawings."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Literal, Protocol

from wordorder.errors import InputError

Span = tuple[int, int]
Kind = Literal["monotone", "inverted", "simple"]

# Words are cut after this many characters.
MAX_WORD_LENGTH = 30

# Of longer operators only the first and last numbers are shown.
_MAX_OPERATOR = 24

# Characters that break a line, change its direction, or are not allowed in XML.
_UNDRAWABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")

# A text that a user can still scroll through; a flat tree of 1000 words fits.
_MAX_TEXT_LEAVES = 1000
_MAX_TEXT_DEPTH = 100


class Node(Protocol):
    """A node of a permutation tree, such as `wordorder.order.permutation_tree.Node`."""

    @property
    def start(self) -> int:
        """The first position, from 0."""

    @property
    def stop(self) -> int:
        """The position after the last."""

    @property
    def low(self) -> int:
        """The smallest value, from 0."""

    @property
    def operator(self) -> tuple[int, ...]:
        """The order of the children's values, from 1; empty for a single word."""

    @property
    def is_chain(self) -> bool:
        """True if the operator only ascends or only descends."""

    @property
    def children(self) -> Sequence[Node]:
        """The children, from left to right."""

    def walk(self) -> Iterator[Node]:
        """Yield this node and its descendants, from the top down and from left to right."""


def node_label(node: Node) -> str:
    """Format an inner node's operator as in the literature.

    A chain of binary nodes is written with their number (Stanojević & Sima'an 2016, Figure 5c).
    An operator of more than 24 numbers is shortened.

    Examples
    --------
    >>> from wordorder.order.permutation_tree import PermutationTree
    >>> node_label(PermutationTree([1, 3, 0, 2]).root)
    '⟨2,4,1,3⟩'
    >>> node_label(PermutationTree([3, 2, 1, 0]).flat)
    '3 × ⟨2,1⟩'
    """
    kind = node_kind(node)
    if kind == "simple":
        return operator_label(node.operator)
    label = operator_label((1, 2) if kind == "monotone" else (2, 1))
    nodes = len(node.children) - 1
    return f"{nodes} × {label}" if nodes > 1 else label


def operator_label(operator: Sequence[int]) -> str:
    """Format an operator as in the literature, shortened if it has more than 24 numbers.

    Examples
    --------
    >>> operator_label((2, 4, 1, 3))
    '⟨2,4,1,3⟩'
    """
    numbers = [str(number) for number in operator]
    if len(numbers) <= _MAX_OPERATOR:
        return f"⟨{','.join(numbers)}⟩"
    half = _MAX_OPERATOR // 2
    return f"⟨{','.join([*numbers[:half], '…', *numbers[-half:]])}⟩ ({len(numbers)} parts)"


def span_label(node: Node) -> str:
    """Format the positions of a node ("places") and their values, both from 1.

    Examples
    --------
    >>> from wordorder.order.permutation_tree import PermutationTree
    >>> span_label(PermutationTree([1, 3, 0, 2]).root)
    'places 1–4, values 1–4'
    """
    size = node.stop - node.start
    places = f"{node.start + 1}–{node.stop}"
    return f"places {places}, values {node.low + 1}–{node.low + size}"


def node_kind(node: Node) -> Kind:
    """Return the kind of an inner node: monotone, inverted or simple.

    A node is monotone or inverted if the values of its children only ascend or only descend; the
    operators of all other nodes of a permutation tree are simple permutations.

    Examples
    --------
    >>> from wordorder.order.permutation_tree import PermutationTree
    >>> node_kind(PermutationTree([1, 3, 0, 2]).root), node_kind(PermutationTree([1, 0]).root)
    ('simple', 'inverted')
    """
    if not node.is_chain:
        return "simple"
    return "monotone" if node.operator[0] == 1 else "inverted"


def leaf_words(root: Node, words: Sequence[str] | None) -> dict[int, str]:
    """Return the text at each leaf: the word, with U+FFFD for characters that cannot be drawn.

    Raises
    ------
    InputError
        If there is not one word per position.

    Examples
    --------
    >>> from wordorder.order.permutation_tree import PermutationTree
    >>> leaf_words(PermutationTree([1, 0]).root, ["she", "sa\\nid"])
    {0: 'she', 1: 'sa�id'}
    """
    positions = range(root.start, root.stop)
    if words is None:
        return dict.fromkeys(positions, "")
    if len(words) != len(positions):
        raise InputError("words", f"{len(words)} words", f"{len(positions)}, one for each place")
    return {place: drawable(word) for place, word in zip(positions, words, strict=True)}


def drawable(text: str) -> str:
    """Replace by U+FFFD what would break a line, change its direction, or is not allowed in XML.

    Examples
    --------
    >>> drawable("sa\\nid")
    'sa�id'
    """
    return _UNDRAWABLE.sub("\ufffd", text)


def shortened(text: str, max_length: int = MAX_WORD_LENGTH) -> str:
    """Cut a text after a number of characters, including the ellipsis.

    Examples
    --------
    >>> shortened("internationally", 8)
    'interna…'
    """
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def drawn_spans(root: Node, *, max_leaves: int, max_depth: int) -> set[Span]:
    """Choose the inner nodes whose children are drawn, from the top down.

    Parameters
    ----------
    root : Node
        The tree.
    max_leaves : int
        Maximum number of nodes without drawn children.
    max_depth : int
        Maximum depth of drawn children.

    Returns
    -------
    set of (start, stop)
        All inner nodes of a tree that fits; otherwise the upper ones that fit.

    Examples
    --------
    >>> from wordorder.order.permutation_tree import PermutationTree
    >>> chain = PermutationTree([0, 1, 2, 3]).root
    >>> sorted(drawn_spans(chain, max_leaves=3, max_depth=100))
    [(0, 3), (0, 4)]
    """
    spans: set[Span] = set()
    leaves = 1
    queue = deque([(root, 0)])
    while queue:
        node, depth = queue.popleft()
        new_leaves = len(node.children) - 1
        if node.children and depth < max_depth and leaves + new_leaves <= max_leaves:
            leaves += new_leaves
            spans.add((node.start, node.stop))
            queue.extend((child, depth + 1) for child in node.children)
    return spans


def tree_text(root: Node, words: Sequence[str] | None = None) -> str:
    """Draw a permutation tree with lines of text, from the top down.

    Parameters
    ----------
    root : Node
        A permutation tree, flattened or not.
    words : sequence of str, optional
        One word per position, in the permutation's order; written next to the values.

    Returns
    -------
    str
        One line for each node, without a final newline. Inner nodes show their operator, their
        positions and values; leaves their value; all are counted from 1. Of a tree of more than
        1000 words or 100 levels only the upper part is drawn, and lines ``… n more nodes`` replace
        the rest.

    Raises
    ------
    InputError
        If there is not one word per position.

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
    leaf_labels = leaf_words(root, words)
    spans = drawn_spans(root, max_leaves=_MAX_TEXT_LEAVES, max_depth=_MAX_TEXT_DEPTH)
    lines = []
    stack = [(root, "", "")]
    while stack:
        node, prefix, below = stack.pop()
        if not node.children:
            word = leaf_labels[node.start]
            lines.append(f"{prefix}{node.low + 1}" + (f"  {word}" if word else ""))
            continue
        lines.append(f"{prefix}{node_label(node)}  {span_label(node)}")
        if (node.start, node.stop) not in spans:
            hidden = sum(1 for _ in node.walk()) - 1
            lines.append(f"{below}└─ … {hidden} more nodes")
            continue
        stack.append((node.children[-1], f"{below}└─ ", f"{below}   "))
        prefix, below = f"{below}├─ ", f"{below}│  "
        stack.extend((child, prefix, below) for child in reversed(node.children[:-1]))
    return "\n".join(lines)
