"""Permutation trees: what a permutation is built of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, count

import numpy as np
import numpy.typing as npt

from wordorder.errors import InputError, location
from wordorder.kernels import forest as kernel
from wordorder.kernels._run import call
from wordorder.order.catalan import scaled_catalan
from wordorder.order.tree_shapes import SHORT, leftmost_intervals, scratch
from wordorder.ragged import Ragged
from wordorder.types import Int32

Operator = tuple[int, ...]

MONOTONE: Operator = (1, 2)
INVERTED: Operator = (2, 1)

# How the kernel numbers the kinds of nodes: a leaf 0, chains 1 and 2, a simple operator 3.
_SIMPLE = 3


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A part of a permutation that covers neighbouring places and neighbouring values.

    Attributes
    ----------
    start, stop : int
        The places ``start .. stop-1``, counted from 0.
    low : int
        The smallest value there, counted from 0; the values are ``low .. low+stop-start-1``.
    operator : tuple of int
        In which order the children's values are, counted from 1; empty for a single word.
    children : tuple of Node
        From left to right.
    """

    start: int
    stop: int
    low: int
    operator: Operator = ()
    children: tuple[Node, ...] = ()

    @property
    def is_chain(self) -> bool:
        """Whether this is a flattened chain of binary nodes: ``1 2 3 ...`` or ``... 3 2 1``."""
        return len(self.operator) > 1 and self.operator in (
            tuple(range(1, len(self.operator) + 1)),
            tuple(range(len(self.operator), 0, -1)),
        )

    def _key(self) -> tuple[tuple[int, int, int, Operator], ...]:
        """Return what tells the tree below this node from any other, without recursion."""
        return tuple((n.start, n.stop, n.low, n.operator) for n in self.walk())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Node) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        operator = f", operator={self.operator}" if self.operator else ""
        return f"Node({self.start}-{self.stop}, low={self.low}{operator})"

    def walk(self) -> Iterator[Node]:
        """Yield this node and all below it, from the top down and from left to right."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


class PermutationTree:
    """The canonical permutation tree: binary chains branch to the left.

    Parameters
    ----------
    permutation : sequence of int
        The values ``0 .. n-1`` (or ``1 .. n``) in some order, at least one.

    Raises
    ------
    InputError
        If it is not a permutation; the message names the first bad entry.

    Notes
    -----
    Every permutation is ``sigma[part_1 .. part_m]`` with `sigma` simple and unique (Albert &
    Atkinson 2005); taking the parts apart in the same way gives the tree (Stanojević & Sima'an
    2016, section 5). O(n log n) time, linear where little is out of order.

    Examples
    --------
    >>> tree = PermutationTree([1, 3, 4, 5, 0, 2])
    >>> tree.node_count, tree.max_arity
    (3, 4)
    >>> tree.operators()
    [(2, 4, 1, 3), (1, 2), (1, 2)]
    """

    def __init__(self, permutation: Sequence[int] | npt.NDArray[np.integer]) -> None:
        self.permutation = check_permutation(permutation)
        n = len(self.permutation)
        columns = [np.zeros(2 * n, np.int32) for _ in range(6)]
        self._root: int = call(
            kernel.flat_tree,
            self.permutation,
            leftmost_intervals(Ragged(self.permutation, np.array([0, n]))),
            SHORT,
            *scaled_catalan(n + 1),
            *columns,
            *scratch(n),
        )
        self._kind, self._arity, self._low, self._size, self._first, self._sibling = columns

    def __len__(self) -> int:
        return len(self.permutation)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PermutationTree):
            return NotImplemented
        return np.array_equal(self.permutation, other.permutation)

    def __hash__(self) -> int:
        return hash(self.permutation.tobytes())

    def __reduce__(self) -> tuple[type[PermutationTree], tuple[Int32]]:
        # Nodes that were looked at are not pickled: they nest as deep as the tree.
        return type(self), (self.permutation,)

    @cached_property
    def flat(self) -> Node:
        """The flattened tree: each chain of binary nodes is one node with all its parts."""
        return self._build(binary=False)

    @cached_property
    def root(self) -> Node:
        """The canonical tree: operators are simple, chains are binary and branch to the left."""
        return self._build(binary=True)

    @property
    def node_count(self) -> int:
        """Number of inner nodes; the same for every permutation tree of the permutation."""
        chains = (self._kind != _SIMPLE) & (self._arity > 0)
        return int(np.sum(self._kind == _SIMPLE) + np.sum(self._arity[chains] - 1))

    @property
    def max_arity(self) -> int:
        """Length of the longest operator; 0 for a single word."""
        simple = self._arity[self._kind == _SIMPLE]
        return int(simple.max(initial=2 if len(self) > 1 else 0))

    def operators(self) -> list[Operator]:
        """Return the operators of all inner nodes, counted from 1, from the top down."""
        return [node.operator for node in self.root.walk() if node.children]

    def flatten(self) -> Node:
        """Return the flattened tree, `flat` (section 5, ``FLAT(PET)``)."""
        return self.flat

    def weak_factorizations(self) -> Iterator[Node]:
        """Yield every weak factorisation, from the single node down to the permutation trees.

        A weak factorisation takes parts apart in any way that the permutation allows and may stop
        anywhere (section 3). Their number explodes: for properties of short permutations.

        Examples
        --------
        >>> [len(list(node.walk())) for node in PermutationTree([0, 1, 2]).weak_factorizations()]
        [4, 5, 5]
        """
        values = self.permutation.tolist()
        n = len(values)
        if n == 1:
            yield self.root
            return
        inner = [
            (i, j)
            for i in range(n)
            for j in range(i + 2, n + 1)
            if j - i < n and max(values[i:j]) - min(values[i:j]) == j - i - 1
        ]
        for size in range(len(inner) + 1):
            for spans in combinations(inner, size):
                if not any(a < c < b < d for a, b in spans for c, d in spans):
                    yield node_of_spans(values, {(0, n), *spans})

    def to_text(self, words: Sequence[str] | None = None) -> str:
        """Draw the tree with lines of text; `words` are written beside the values at the leaves."""
        from wordorder.drawing.tree_text import tree_text

        return tree_text(self.root, words)

    def to_svg(self, words: Sequence[str] | None = None) -> str:
        """Draw the tree as an SVG picture; `words` are written below the values at the leaves."""
        from wordorder.drawing.tree_svg import tree_svg

        return tree_svg(self.root, words)

    def _repr_html_(self) -> str:
        return self.to_svg()

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        shown = " ".join(str(v) for v in self.permutation[:20])
        return f"PermutationTree({shown}{' ...' if len(self) > 20 else ''})"

    def _build(self, *, binary: bool) -> Node:
        """Make nodes from the kernel's arrays, children before parents and without recursion."""
        kind, low, size = self._kind.tolist(), self._low.tolist(), self._size.tolist()
        first, sibling = self._first.tolist(), self._sibling.tolist()
        done: dict[int, Node] = {}
        starts = {self._root: 0}
        waiting = [self._root]
        while waiting:
            number = waiting[-1]
            children = []
            child, start = first[number], starts[number]
            while child >= 0:
                children.append(child)
                starts[child] = start
                start += size[child]
                child = sibling[child]
            missing = [c for c in children if c not in done]
            if missing:
                waiting.extend(missing)
                continue
            waiting.pop()
            parts = [done.pop(c) for c in children]
            if binary and parts and kind[number] != _SIMPLE:
                done[number] = _left_branching(parts)
            else:
                start = starts[number]
                done[number] = Node(
                    start, start + size[number], low[number], _ranks(parts), tuple(parts)
                )
        return done[self._root]


def check_permutation(
    permutation: Sequence[int] | npt.NDArray[np.integer],
    where: str = "permutation",
    columns: Sequence[int] | None = None,
) -> Int32:
    """Return a permutation of ``0 .. n-1`` or ``1 .. n`` counted from 0.

    Parameters
    ----------
    permutation : sequence of int
    where : str
        What messages call the place of the whole row.
    columns : sequence of int, optional
        What they call the places of its entries; by default 1, 2, 3, ...

    Raises
    ------
    InputError
        If it is empty, holds anything but integers, or a value is listed twice or is missing; the
        message names the first bad entry.

    Examples
    --------
    >>> check_permutation([2, 3, 1]).tolist()
    [1, 2, 0]
    """
    values = list(permutation)
    expected = f"the numbers 0..{len(values) - 1} or 1..{len(values)}, each once"
    if not values:
        raise InputError(where, "no numbers", "at least one")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
            raise InputError(where, f"{value!r} is not a whole number", expected)
    base = 1 if min(values) == 1 else 0
    seen: set[int] = set()
    for column, value in zip(columns or count(1), values, strict=False):
        if not base <= value < len(values) + base:
            raise InputError(location(where, column), f"{value} is out of range", expected)
        if value in seen:
            raise InputError(location(where, column), f"{value} is listed twice", expected)
        seen.add(value)
    return np.array(values, np.int32) - np.int32(base)


def node_of_spans(values: Sequence[int], spans: set[tuple[int, int]]) -> Node:
    """Build the node whose inner nodes cover exactly the given spans, which nest."""
    nodes: dict[tuple[int, int], Node] = {
        (i, i + 1): Node(i, i + 1, value) for i, value in enumerate(values)
    }
    top = Node(0, 1, values[0])
    for start, stop in sorted(spans, key=lambda span: span[1] - span[0]):
        parts = []
        at = start
        while at < stop:
            parts.append(max((n for n in nodes.values() if n.start == at), key=lambda n: n.stop))
            at = parts[-1].stop
        for part in parts:
            del nodes[part.start, part.stop]
        low = min(values[start:stop])
        top = nodes[start, stop] = Node(start, stop, low, _ranks(parts), tuple(parts))
    return top


def _left_branching(parts: Sequence[Node]) -> Node:
    """Build the binary chain over the parts of a flattened node."""
    operator = MONOTONE if parts[0].low < parts[1].low else INVERTED
    node = parts[0]
    for part in parts[1:]:
        low = min(node.low, part.low)
        node = Node(node.start, part.stop, low, operator, (node, part))
    return node


def _ranks(parts: Sequence[Node]) -> Operator:
    """Return the order of the parts' values, counted from 1."""
    order = sorted(range(len(parts)), key=lambda i: parts[i].low)
    ranks = [0] * len(parts)
    for rank, i in enumerate(order, 1):
        ranks[i] = rank
    return tuple(ranks)
