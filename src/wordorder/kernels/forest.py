"""Permutation trees: the strong intervals of a permutation, and what the tree metrics count.

`Builder` reduces a permutation from left to right. The stack holds finished parts; a new item
swallows the fewest items below it that together form an interval of values. Two items make a
binary node, four or more a simple operator; a binary node whose left part has the same direction
extends it, so chains of binary nodes are kept flat: a chain of `k` parts represents `k - 1` nodes
of the canonical (left-branching) tree and for Catalan(k - 1) ways to build them.

`Gaps` says which places of a permutation end an interval: neighbouring places with neighbouring
values.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, void

cython.declare(LEAF=cython.int, MONOTONE=cython.int, INVERTED=cython.int, SIMPLE=cython.int)
LEAF, MONOTONE, INVERTED, SIMPLE = range(4)


@cython.cclass
class Builder:
    """Builds the flat permutation tree of one row after the other in the caller's arrays.

    Nodes are numbered in the order of their making, a leaf a position included; ``2 * n`` suffice.
    """

    cython.declare(permutation=cython.const[cython.int][::1], kind=cython.int[::1])
    cython.declare(low=cython.int[::1], high=cython.int[::1], size=cython.int[::1])
    cython.declare(arity=cython.int[::1], first_child=cython.int[::1], last_child=cython.int[::1])
    cython.declare(sibling=cython.int[::1], stack=cython.int[::1])
    # The first place from which an interval ends at each place; only for rows of more than `short`.
    cython.declare(leftmost=cython.const[cython.int][::1], short=cython.int, nodes=cython.int)
    cython.declare(root=cython.int, beta=double)
    # What `finish` makes of a node: see `tree_shapes` and `recursive_scores`.
    cython.declare(scoring=bint, value=double[::1], node_count=longlong, largest=cython.int)
    cython.declare(mantissa=double, exponent=longlong, catalan_mantissa=cython.const[double][::1])
    cython.declare(catalan_exponent=cython.const[longlong][::1], table=cython.const[double][::1])
    cython.declare(table_size=cython.int, points=cython.const[double][::1])
    cython.declare(weights=cython.const[double][::1], scaled_catalan=cython.const[double][::1])

    def __init__(
        self,
        permutation: cython.const[cython.int][::1],
        leftmost: cython.const[cython.int][::1],
        short: cython.int,
        catalan_mantissa: cython.const[double][::1],
        catalan_exponent: cython.const[longlong][::1],
        longest: Py_ssize_t,
    ):
        """Take rows, what `leftmost_intervals` wrote for those longer than `short`, and tables."""
        self.permutation, self.leftmost, self.short = permutation, leftmost, short
        self.catalan_mantissa, self.catalan_exponent = catalan_mantissa, catalan_exponent
        self.scoring = False
        nodes = array("i", bytes(8 * longest + 8))
        self.kind, self.low, self.high, self.size = nodes[:], nodes[:], nodes[:], nodes[:]
        self.arity, self.first_child, self.last_child = nodes[:], nodes[:], nodes[:]
        self.sibling, self.stack = nodes[:], nodes[:]
        self.value = array("d", bytes(16 * longest + 16))

    @cython.cfunc
    @cython.nogil
    def build(self, start: longlong, stop: longlong) -> void:
        """Build the tree of ``permutation[start:stop]`` (not empty); `root` is its root."""
        n: cython.int = cython.cast(cython.int, stop - start)
        top: cython.int = -1
        long_row: bint = n > self.short
        self.nodes = self.node_count = self.largest = 0
        self.mantissa = 1.0
        self.exponent = 0
        for i in range(n):
            node: cython.int = self.add(
                LEAF, self.permutation[start + i], self.permutation[start + i], 1
            )
            top += 1
            self.stack[top] = node
            while top > 0:
                node = self.stack[top]
                low: cython.int = self.low[node]
                high: cython.int = self.high[node]
                size: cython.int = self.size[node]
                # Without this, a long row without intervals would look down its whole stack.
                if long_row and self.leftmost[start + i] > i - size:
                    break
                below: cython.int = top
                while below > 0:
                    below -= 1
                    node = self.stack[below]
                    if self.low[node] < low:
                        low = self.low[node]
                    if self.high[node] > high:
                        high = self.high[node]
                    size += self.size[node]
                    if high - low + 1 == size:
                        break
                if high - low + 1 != size:
                    break
                self.reduce(below, top, low, high, size)
                top = below
        self.root = self.stack[0]
        self.finish(self.root)

    @cython.cfunc
    @cython.nogil
    def add(
        self, kind: cython.int, low: cython.int, high: cython.int, size: cython.int
    ) -> cython.int:
        """Make a node without children."""
        node: cython.int = self.nodes
        self.kind[node] = kind
        self.low[node] = low
        self.high[node] = high
        self.size[node] = size
        self.arity[node] = 0
        self.first_child[node] = -1
        self.last_child[node] = -1
        self.sibling[node] = -1
        self.nodes = node + 1
        return node

    @cython.cfunc
    @cython.nogil
    def append(self, parent: cython.int, child: cython.int) -> void:
        """Give `parent` a last child, which can grow no more."""
        self.finish(child)
        if self.arity[parent] == 0:
            self.first_child[parent] = child
        else:
            self.sibling[self.last_child[parent]] = child
        self.last_child[parent] = child
        self.arity[parent] += 1

    @cython.cfunc
    @cython.nogil
    def reduce(
        self,
        below: cython.int,
        top: cython.int,
        low: cython.int,
        high: cython.int,
        size: cython.int,
    ) -> void:
        """Put one node in the place of the stack's items ``below .. top``."""
        cython.declare(i=cython.int)
        left: cython.int = self.stack[below]
        right: cython.int = self.stack[top]
        kind: cython.int = SIMPLE
        if top - below == 1:
            kind = MONOTONE if self.low[left] < self.low[right] else INVERTED
            if self.kind[left] == kind:
                self.append(left, right)
                self.low[left] = low
                self.high[left] = high
                self.size[left] = size
                return
        node: cython.int = self.add(kind, low, high, size)
        for i in range(below, top + 1):
            self.append(node, self.stack[i])
        self.stack[below] = node

    # -- What becomes of a node that can grow no more. ----------------------------------------

    @cython.cfunc
    @cython.nogil
    def finish(self, node: cython.int) -> void:
        """Count a node, whose children are finished, or score it."""
        arity: cython.int = self.arity[node]
        if self.scoring:
            self.score(node)
            return
        if self.kind[node] == LEAF:
            return
        if self.kind[node] == SIMPLE:
            self.node_count += 1
            if arity > self.largest:
                self.largest = arity
            return
        self.node_count += arity - 1
        if self.largest < 2:
            self.largest = 2
        # A count of trees as mantissa and exponent: no overflow, and the same digits everywhere.
        self.mantissa *= self.catalan_mantissa[arity - 1]
        self.exponent += self.catalan_exponent[arity - 1]
        if self.mantissa < 0.5:
            self.mantissa *= 2.0
            self.exponent -= 1

    @cython.cfunc
    @cython.nogil
    def score(self, node: cython.int) -> void:
        """Set ``value[node]``: its mean score over all its binarisations, times its size.

        A part at depth `d` of a chain passes on (1-beta)^d of its score; the rest comes from the
        nodes above it, which give 1 when monotone and 0 when inverted. The mean of (1-beta)^d
        over all binary trees with `arity` leaves depends only on the leaf's place.
        """
        total: double = 0.0
        place: cython.int = 0
        child: cython.int = self.first_child[node]
        kind: cython.int = self.kind[node]
        if kind == LEAF:
            self.value[node] = 1.0
            return
        while child >= 0:
            if kind == SIMPLE:
                total += (1.0 - self.beta) * self.value[child]
            else:
                share: double = self.leaf_share(self.arity[node], place)
                total += share * self.value[child]
                if kind == MONOTONE:
                    total += (1.0 - share) * self.size[child]
            place += 1
            child = self.sibling[child]
        self.value[node] = total

    @cython.cfunc
    @cython.nogil
    def leaf_share(self, leaves: cython.int, place: cython.int) -> double:
        """Return the mean of (1-beta)^depth of one leaf over all binary trees."""
        total: double = 0.0
        count: cython.int = cython.cast(cython.int, self.weights.shape[0])
        if leaves <= self.table_size:
            row: longlong = leaves
            return self.table[row * (row - 1) // 2 + place]
        row = place
        column: longlong = leaves - 1 - place
        for j in range(count):
            total += (
                self.weights[j] * self.points[row * count + j] * self.points[column * count + j]
            )
        return total / self.scaled_catalan[leaves - 1]


def tree_shapes(
    offsets: cython.const[longlong][::1],
    node_count: longlong[::1],
    largest: longlong[::1],
    mantissa: double[::1],
    exponent: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    builder: Builder,
) -> None:
    """Write per row: nodes of the tree, its largest operator, and how many trees there are.

    The number of trees is ``mantissa * 2**exponent`` with a mantissa in [0.5, 1).
    """
    with cython.nogil:
        for row in range(first, last):
            if offsets[row + 1] == offsets[row]:
                node_count[row] = largest[row] = 0
                mantissa[row] = 0.5
                exponent[row] = 1
                continue
            builder.build(offsets[row], offsets[row + 1])
            node_count[row] = builder.node_count
            largest[row] = builder.largest
            mantissa[row] = builder.mantissa
            exponent[row] = builder.exponent


def recursive_scores(
    offsets: cython.const[longlong][::1],
    beta: double,
    table: cython.const[double][::1],
    table_size: cython.int,
    points: cython.const[double][::1],
    weights: cython.const[double][::1],
    scaled_catalan: cython.const[double][::1],
    scores: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    builder: Builder,
) -> None:
    """Write per row the mean recursive score over all permutation trees; 0 for an empty row.

    ``table[k*(k-1)/2 + c]`` is the share of leaf `c` of `k` (k <= table_size); beyond, it is the
    quadrature over `points` [longest, len(weights)] (flat) with `weights`, divided by
    ``scaled_catalan[k-1]``.
    """
    builder.scoring = True
    builder.beta, builder.table, builder.table_size = beta, table, table_size
    builder.points, builder.weights, builder.scaled_catalan = points, weights, scaled_catalan
    with cython.nogil:
        for row in range(first, last):
            scores[row] = 0.0
            if offsets[row + 1] > offsets[row]:
                builder.build(offsets[row], offsets[row + 1])
                scores[row] = builder.value[builder.root] / (offsets[row + 1] - offsets[row])


def flat_tree(
    kind: cython.int[::1],
    arity: cython.int[::1],
    low: cython.int[::1],
    size: cython.int[::1],
    first_child: cython.int[::1],
    sibling: cython.int[::1],
    builder: Builder,
) -> int:
    """Write the flat tree of the only row, node by node, and return its root."""
    builder.build(0, builder.permutation.shape[0])
    for i in range(builder.nodes):
        kind[i] = builder.kind[i]
        arity[i] = builder.arity[i]
        low[i] = builder.low[i]
        size[i] = builder.size[i]
        first_child[i] = builder.first_child[i]
        sibling[i] = builder.sibling[i]
    return builder.root


def tree_operators(
    offsets: cython.const[longlong][::1],
    node_count: longlong[::1],
    kind: cython.int[::1],
    arity: cython.int[::1],
    lows: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    builder: Builder,
) -> None:
    """Write per row how many inner nodes its flat tree has, and their operators.

    Kinds and arities of the nodes of a row begin at its offset; 1 and 2 are chains, 3 is a simple
    operator. The smallest values of the children of simple operators begin at twice the offset,
    node after node.
    """
    with cython.nogil:
        for row in range(first, last):
            place: longlong = offsets[row]
            value: longlong = 2 * offsets[row]
            if offsets[row + 1] > offsets[row]:
                builder.build(offsets[row], offsets[row + 1])
                for node in range(builder.nodes):
                    if builder.kind[node] != LEAF:
                        kind[place] = builder.kind[node]
                        arity[place] = builder.arity[node]
                        place += 1
                    if builder.kind[node] == SIMPLE:
                        child: cython.int = builder.first_child[node]
                        while child >= 0:
                            lows[value] = builder.low[child]
                            value += 1
                            child = builder.sibling[child]
            node_count[row] = place - offsets[row]


@cython.cclass
class Gaps:
    """How many values are missing from ``permutation[l .. i]``, for all left ends `l` at once.

    ``(highest - lowest value of l..i) - (i - l)`` is 0 exactly when l..i is an interval. A tree of
    minima over `l`, its leaves at index `width` (a power of two) and after; what was added to all
    leaves below an inner node is kept in `added` there.
    """

    cython.declare(permutation=cython.const[cython.int][::1], smallest=cython.int[::1])
    cython.declare(added=cython.int[::1])
    # Places where the highest and the lowest value, seen from the right end, change.
    cython.declare(maxima=cython.int[::1], minima=cython.int[::1], highs=cython.int)
    cython.declare(lows=cython.int, width=cython.int)

    @cython.cfunc
    @cython.nogil
    def clear(self, n: cython.int) -> void:
        """Start a row of `n` places."""
        cython.declare(i=cython.int)
        self.highs = self.lows = 0
        self.width = 1
        while self.width < n:
            self.width *= 2
        for i in range(2 * self.width):
            self.smallest[i] = self.added[i] = 0

    @cython.cfunc
    @cython.nogil
    def extend(self, start: longlong, i: cython.int) -> void:
        """Move the right end to place `i` of the row that begins at `start`."""
        value: cython.int = self.permutation[start + i]
        if i > 0:
            self.shift(0, i, -1)
        while self.highs > 0:
            at: cython.int = self.maxima[self.highs - 1]
            if self.permutation[start + at] > value:
                break
            before: cython.int = self.maxima[self.highs - 2] + 1 if self.highs > 1 else 0
            self.shift(before, at + 1, value - self.permutation[start + at])
            self.highs -= 1
        self.maxima[self.highs] = i
        self.highs += 1
        while self.lows > 0:
            at = self.minima[self.lows - 1]
            if self.permutation[start + at] < value:
                break
            before = self.minima[self.lows - 2] + 1 if self.lows > 1 else 0
            self.shift(before, at + 1, self.permutation[start + at] - value)
            self.lows -= 1
        self.minima[self.lows] = i
        self.lows += 1

    @cython.cfunc
    @cython.nogil
    def shift(self, first: cython.int, last: cython.int, change: cython.int) -> void:
        """Add `change` for the left ends ``first .. last-1``."""
        left: cython.int = first + self.width
        right: cython.int = last + self.width
        lowest: cython.int = left
        highest: cython.int = right - 1
        while left < right:
            if left & 1:
                self.smallest[left] += change
                self.added[left] += change
                left += 1
            if right & 1:
                right -= 1
                self.smallest[right] += change
                self.added[right] += change
            left >>= 1
            right >>= 1
        self.lift(lowest)
        self.lift(highest)

    @cython.cfunc
    @cython.nogil
    def lift(self, leaf: cython.int) -> void:
        """Renew the minima above a leaf."""
        node: cython.int = leaf >> 1
        while node >= 1:
            left: cython.int = self.smallest[2 * node]
            right: cython.int = self.smallest[2 * node + 1]
            self.smallest[node] = (left if left < right else right) + self.added[node]
            node >>= 1

    @cython.cfunc
    @cython.nogil
    def first_zero(self, i: cython.int) -> cython.int:
        """Return the first left end without a gap; at the latest `i`, a single place.

        No left end after `i` comes before one that is looked for: the search goes to the left
        child whenever its minimum is 0, and `i` itself always is.
        """
        node: cython.int = 1
        above: cython.int = 0
        while node < self.width:
            above += self.added[node]
            node *= 2
            if self.smallest[node] + above > 0:
                node += 1
        return node - self.width


def leftmost_intervals(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    short: cython.int,
    leftmost: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write for each place of the rows longer than `short` where its first interval begins.

    ``leftmost[i]`` is the smallest place `l` of the row such that ``l .. i`` is an interval.
    """
    gaps: Gaps = Gaps()
    ints = array("i", [0])
    gaps.permutation = permutation
    gaps.smallest, gaps.added = ints * (4 * longest), ints * (4 * longest)
    gaps.maxima, gaps.minima = ints * longest, ints * longest
    with cython.nogil:
        for row in range(first, last):
            n: cython.int = cython.cast(cython.int, offsets[row + 1] - offsets[row])
            if n <= short:
                continue
            gaps.clear(n)
            for i in range(n):
                gaps.extend(offsets[row], i)
                leftmost[offsets[row] + i] = gaps.first_zero(i)
