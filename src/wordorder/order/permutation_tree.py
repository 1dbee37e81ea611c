"""Permutation trees: the recursive decomposition of a permutation into operators."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import cached_property, lru_cache
from itertools import combinations, count
from typing import Any

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int32, Int64, Ragged
from wordorder.errors import InputError, location
from wordorder.kernels import call, orders as kernel, run_rows

Operator = tuple[int, ...]
MONOTONE: Operator = (1, 2)
INVERTED: Operator = (2, 1)

# The kernel's type of a node with a simple operator; 0 is a leaf, 1 and 2 are chains.
_SIMPLE = 3

# Up to this length, searching the builder's whole stack is faster than computing
# `leftmost_intervals` first.
SHORT_LENGTH = 96

# The points of the Gauss-Laguerre rule, and the number of leaves up to which a table is computed.
QUADRATURE_POINTS = 64
MAX_TABLE_LEAVES = 256

# More bits than a double has, so that rounding in each step does not affect the double.
_CATALAN_BITS = 160


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A part of a permutation with contiguous positions and contiguous values.

    Attributes
    ----------
    start, stop : int
        The positions ``start .. stop-1``, counted from 0.
    low : int
        The smallest value, counted from 0; the values are ``low .. low+stop-start-1``.
    operator : tuple of int
        The ranks of the children's values, counted from 1; empty for a single word.
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
        """True if this is a flattened chain of binary nodes: ``1 2 3 ...`` or ``... 3 2 1``."""
        ascending = tuple(range(1, len(self.operator) + 1))
        return len(ascending) > 1 and self.operator in (ascending, ascending[::-1])

    def _key(self) -> tuple[tuple[int, int, int, Operator], ...]:
        """Return a key of the tree below this node, computed without recursion."""
        return tuple((n.start, n.stop, n.low, n.operator) for n in self.walk())

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Node) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        operator = f", operator={self.operator}" if self.operator else ""
        return f"Node({self.start}-{self.stop}, low={self.low}{operator})"

    def walk(self) -> Iterator[Node]:
        """Yield this node and all its descendants, from the top down and from left to right."""
        stack = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))


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
    Atkinson 2005); decomposing the parts recursively gives the tree (Stanojević & Sima'an 2016,
    section 5). O(n log n) time, linear if the permutation is nearly sorted.

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
        new_builder = tree_builders(Ragged(self.permutation, np.array([0, n])))
        self._root: int = call(kernel.flat_tree, *columns, *new_builder(n))
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
        # Nodes are not pickled: they nest as deeply as the tree.
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
        """The number of inner nodes, the same for every permutation tree of the permutation."""
        chains = (self._kind != _SIMPLE) & (self._arity > 0)
        return int(np.sum(self._kind == _SIMPLE) + np.sum(self._arity[chains] - 1))

    @property
    def max_arity(self) -> int:
        """The length of the longest operator; 0 for a single word."""
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

        A weak factorisation decomposes parts in any way that the permutation allows, and may stop
        anywhere (section 3). Use it for short permutations: the number grows exponentially.

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
        """Draw the tree with lines of text; `words` are written after the values of leaves."""
        from wordorder.drawing.trees import tree_text

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
        values = " ".join(str(v) for v in self.permutation[:20])
        return f"PermutationTree({values}{' ...' if len(self) > 20 else ''})"

    def _build(self, *, binary: bool) -> Node:
        """Build nodes from the kernel's arrays, children before parents, without recursion."""
        kind, low, size = self._kind.tolist(), self._low.tolist(), self._size.tolist()
        first, sibling = self._first.tolist(), self._sibling.tolist()
        built: dict[int, Node] = {}
        starts = {self._root: 0}
        stack = [self._root]
        while stack:
            number = stack[-1]
            children = []
            child, start = first[number], starts[number]
            while child >= 0:
                children.append(child)
                starts[child] = start
                start += size[child]
                child = sibling[child]
            missing = [c for c in children if c not in built]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            parts = [built.pop(c) for c in children]
            if binary and parts and kind[number] != _SIMPLE:
                built[number] = _left_branching(parts)
            else:
                start, stop = starts[number], starts[number] + size[number]
                built[number] = Node(start, stop, low[number], _ranks(parts), tuple(parts))
        return built[self._root]


def check_permutation(
    permutation: Sequence[int] | npt.NDArray[np.integer],
    where: str = "permutation",
    columns: Sequence[int] | None = None,
) -> Int32:
    """Check a permutation of ``0 .. n-1`` or ``1 .. n``, and return it counted from 0.

    Parameters
    ----------
    permutation : sequence of int
    where : str
        The location of the permutation in messages.
    columns : sequence of int, optional
        The column of each entry in messages; by default 1, 2, 3, ...

    Raises
    ------
    InputError
        If it is empty, has entries that are not integers, or a value is listed twice or missing;
        the message names the first invalid entry.

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
    """Build the tree whose inner nodes cover exactly the given nested spans."""
    nodes: dict[tuple[int, int], Node] = {
        (i, i + 1): Node(i, i + 1, value) for i, value in enumerate(values)
    }
    top = Node(0, 1, values[0])
    for start, stop in sorted(spans, key=lambda span: span[1] - span[0]):
        parts = []
        start_of_part = start
        while start_of_part < stop:
            parts.append(
                max((n for n in nodes.values() if n.start == start_of_part), key=lambda n: n.stop)
            )
            start_of_part = parts[-1].stop
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
    """Return the operator of parts: the ranks of their values, counted from 1."""
    order = sorted(range(len(parts)), key=lambda i: parts[i].low)
    ranks = [0] * len(parts)
    for rank, i in enumerate(order, 1):
        ranks[i] = rank
    return tuple(ranks)


@dataclass(frozen=True)
class TreeShapes:
    """Measures of the permutation trees of S permutations.

    Attributes
    ----------
    nodes : int64[S]
        The number of inner nodes, the same for all trees of a permutation.
    largest : int64[S]
        The length of the longest operator; 0 for a single word.
    mantissa, exponent : float64[S], int64[S]
        The number of permutation trees is ``mantissa * 2**exponent``.
    """

    nodes: Int64
    largest: Int64
    mantissa: Float64
    exponent: Int64


def leftmost_intervals(permutation: Ragged) -> Int32:
    """Return the start of the longest interval that ends at each position of a long row.

    Returns
    -------
    int32[words]
        Undefined for rows up to `SHORT_LENGTH`; of length 1 if all rows are short.
    """
    if int(permutation.lengths.max(initial=0)) <= SHORT_LENGTH:
        return np.zeros(1, np.int32)
    leftmost = np.empty(len(permutation.values), np.int32)
    run_rows(
        *(kernel.find_leftmost_intervals, permutation.offsets),
        *(permutation.values, permutation.offsets, SHORT_LENGTH, leftmost),
        scratch=lambda longest: (longest,),
    )
    return leftmost


def tree_shapes(permutation: Ragged) -> TreeShapes:
    """Count nodes, longest operators and trees of every row.

    Notes
    -----
    O(n log n) per row in the worst case, linear if a row is nearly sorted.

    Examples
    --------
    >>> shapes = tree_shapes(Ragged.from_rows([[1, 3, 4, 5, 0, 2], [0, 1, 2, 3, 4]]))
    >>> shapes.nodes.tolist(), shapes.largest.tolist()
    ([3, 4], [4, 2])
    >>> np.ldexp(shapes.mantissa, shapes.exponent).tolist()
    [2.0, 14.0]
    """
    rows = len(permutation)
    nodes, largest, exponent = (np.empty(rows, np.int64) for _ in range(3))
    mantissa = np.empty(rows)
    run_rows(
        *(kernel.measure_tree_shapes, permutation.offsets, permutation.offsets),
        *(nodes, largest, mantissa, exponent),
        scratch=tree_builders(permutation),
    )
    return TreeShapes(nodes, largest, mantissa, exponent)


def tree_builders(permutation: Ragged) -> Callable[[int], tuple[Any]]:
    """Return a function that creates a kernel's tree builder for rows up to a length."""
    tables = scaled_catalan(int(permutation.lengths.max(initial=0)) + 1)
    arguments = (permutation.values, leftmost_intervals(permutation), SHORT_LENGTH, *tables)
    return lambda longest: (call(kernel.TreeBuilder, *arguments, longest),)


def recursive_scores(permutation: Ragged, beta: float) -> Float64:
    """Return the recursive score of every row, averaged over all of its permutation trees.

    Returns
    -------
    float64[S]
        In [0, 1], not rescaled; 0 for an empty row.

    Notes
    -----
    ``score(leaf) = 1``, ``score(node) = beta * op + (1 - beta) * sum(size(child) / size(node) *
    score(child))`` with `op` 1 for a monotone binary node and 0 otherwise (Stanojević & Sima'an
    2014, "Evaluating Word Order Recursively over Permutation-Forests").

    Examples
    --------
    >>> recursive_scores(Ragged.from_rows([[0, 1], [1, 0]]), beta=0.6).tolist()
    [1.0, 0.4]
    """
    longest = int(permutation.lengths.max(initial=0))
    shares = leaf_shares(longest, beta)
    scores = np.empty(len(permutation))
    fixed = (beta, shares.table, shares.size, shares.points, shares.weights, shares.catalan)
    run_rows(
        *(
            kernel.compute_recursive_scores,
            permutation.offsets,
            permutation.offsets,
            *fixed,
            scores,
        ),
        scratch=tree_builders(permutation),
    )
    return scores


@dataclass(frozen=True)
class LeafShares:
    """Tables for the mean of ``(1-beta)**depth`` of any leaf over all binary trees.

    Attributes
    ----------
    table : float64[size*(size+1)/2]
        ``table[k*(k-1)/2 + c]`` for leaf `c` of the trees with `k` leaves, ``k <= size``.
    size : int
    points : float64[longest * 64]
        Scaled Bessel polynomials at the quadrature points, for more leaves than `size`.
    weights : float64[64]
    catalan : float64[longest]
        Catalan(k) / 4**k.
    """

    table: Float64
    size: int
    points: Float64
    weights: Float64
    catalan: Float64


def leaf_shares(longest: int, beta: float) -> LeafShares:
    r"""Return the tables for trees of up to `longest` leaves and the discount ``q = 1 - beta``.

    Notes
    -----
    On the path from the root to leaf `c` of `k`, each step has a sibling tree on the left or on
    the right. With :math:`T(z)` the generating function of binary trees by leaves, the trees
    weighted by :math:`q^{depth}` have the generating function
    :math:`1 / (1 - qT(z) - qT(w)) = \int_0^\infty e^{-t} e^{qtT(z)} e^{qtT(w)} dt`
    (`z` marks leaves to the left, `w` to the right). The coefficients :math:`p_c(s)` of
    :math:`e^{sT(z)}` are polynomials of degree `c` with
    :math:`(c+1)\,p_{c+1} = 2(2c-1)\,p_c + (s^2/c)\,p_{c-1}` (Bessel polynomials), so the mean is
    :math:`\int e^{-t} p_c(qt)\,p_{k-1-c}(qt)\,dt\;/\;\mathrm{Catalan}(k-1)`: a Gauss-Laguerre sum,
    exact to rounding with 64 points; with `beta` below .2, up to 500 leaves. Cost: linear in
    `longest`.

    Examples
    --------
    With two leaves both have depth 1:

    >>> shares = leaf_shares(2, beta=0.6)
    >>> np.round(shares.table[:3], 12).tolist()
    [1.0, 0.4, 0.4]
    """
    return _compute_leaf_shares(max(16, 1 << max(longest - 1, 0).bit_length()), beta)


@lru_cache(maxsize=4)
def _compute_leaf_shares(longest: int, beta: float) -> LeafShares:
    nodes, weights = gauss_laguerre()
    s = (1.0 - beta) * nodes
    # Scaled by 4**-c, since Catalan numbers grow like 4**c.
    points = np.empty((longest, QUADRATURE_POINTS))
    points[0] = 1.0
    points[1] = s / 4.0
    for c in range(1, longest - 1):
        step = (2.0 * (2 * c - 1) / 4.0) * points[c] + (s * s / (16.0 * c)) * points[c - 1]
        points[c + 1] = step / (c + 1)
    mantissa, exponent = scaled_catalan(longest)
    catalan = np.ldexp(mantissa, (exponent - 2 * np.arange(longest)).astype(np.intc))
    size = min(longest, MAX_TABLE_LEAVES)
    # Summed term by term, since digits of a matrix product differ between machines.
    products = np.zeros((size, size))
    for j in range(QUADRATURE_POINTS):
        products += weights[j] * (points[:size, None, j] * points[None, :size, j])
    sizes = range(1, size + 1)
    rows = [products[np.arange(k), k - 1 - np.arange(k)] / catalan[k - 1] for k in sizes]
    return LeafShares(np.concatenate(rows), size, points.ravel(), weights, catalan)


@lru_cache(maxsize=1)
def gauss_laguerre() -> tuple[Float64, Float64]:
    r"""Return points and weights of the 64-point Gauss-Laguerre rule.

    Notes
    -----
    Newton's method in decimal arithmetic, since the last digits of library routines differ between
    machines. :math:`w_i = x_i / ((n+1) L_{n+1}(x_i))^2`.
    """
    n = QUADRATURE_POINTS
    nodes: list[Decimal] = []
    weights: list[Decimal] = []
    with localcontext() as context:
        context.prec = 50
        x = Decimal(0)
        for i in range(n):
            # Starting points of Stroud & Secrest (1966).
            if i == 0:
                x = Decimal(3) / (1 + Decimal("2.4") * n)
            elif i == 1:
                x += Decimal(15) / (1 + Decimal("2.5") * n)
            else:
                a = Decimal(i - 1)
                factor = (1 + Decimal("2.55") * a) / (Decimal("1.9") * a)
                x += factor * (x - nodes[i - 2])
            change = Decimal(1)
            while abs(change) > Decimal("1e-40") * x:
                value, previous = _laguerre(n, x)
                change = value * x / (n * (value - previous))
                x -= change
            nodes.append(x)
            following = _laguerre(n + 1, x)[0]
            weights.append(x / ((n + 1) * following) ** 2)
    return np.array([float(v) for v in nodes]), np.array([float(v) for v in weights])


def _laguerre(n: int, x: Decimal) -> tuple[Decimal, Decimal]:
    """Return the Laguerre polynomials L_n and L_{n-1} at `x`."""
    previous, value = Decimal(0), Decimal(1)
    for k in range(n):
        previous, value = value, ((2 * k + 1 - x) * value - k * previous) / (k + 1)
    return value, previous


def scaled_catalan(count: int) -> tuple[Float64, Int64]:
    """Return the first `count` Catalan numbers as ``mantissa * 2**exponent``.

    Returns
    -------
    mantissa : float64[count], in [0.5, 1)
    exponent : int64[count]

    Notes
    -----
    Integer arithmetic, so that digits are the same on all platforms. Catalan numbers below 2**53
    are exact, larger ones correctly rounded.

    Examples
    --------
    >>> mantissa, exponent = scaled_catalan(5)
    >>> np.ldexp(mantissa, exponent).tolist()
    [1.0, 1.0, 2.0, 5.0, 14.0]
    """
    # Sizes are powers of two, so that callers with many lengths share a few tables.
    mantissa, exponent = _compute_catalan(max(64, 1 << max(count - 1, 0).bit_length()))
    return mantissa[:count], exponent[:count]


@lru_cache(maxsize=4)
def _compute_catalan(count: int) -> tuple[Float64, Int64]:
    mantissa = np.empty(count, np.float64)
    exponent = np.empty(count, np.int64)
    number, shift = 1 << _CATALAN_BITS, -_CATALAN_BITS
    for k in range(count):
        bits = number.bit_length()
        mantissa[k] = number / (1 << bits)
        exponent[k] = bits + shift
        number = number * (4 * k + 2) // (k + 2)
        excess = number.bit_length() - 2 * _CATALAN_BITS
        if excess > 0:
            number >>= excess
            shift += excess
    return mantissa, exponent
