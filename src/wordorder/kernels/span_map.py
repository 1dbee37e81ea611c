"""Ranks of spans that are kept in an ordered map although not all of them can be compared.

A span precedes another one if it begins or ends before it and neither begins nor ends behind it.
Of two spans, one inside the other, neither precedes. A map that takes such spans for equal finds
one or another of them, depending on the shape of its tree; so does what ranks words by it. The
tree here is the red-black tree of the C++ standard library of GCC, step for step.
"""

import cython


@cython.cclass
class SpanMap:
    """A red-black tree of the spans of one row, in the caller's arrays; -1 is no node."""

    low: cython.const[cython.double][::1]
    high: cython.const[cython.double][::1]
    word: cython.longlong[::1]
    parent: cython.int[::1]
    left: cython.int[::1]
    right: cython.int[::1]
    red: cython.int[::1]
    nodes: cython.int
    root: cython.int

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def precedes(self, one: cython.longlong, other: cython.longlong) -> cython.bint:
        """Whether the span of a word precedes that of another."""
        if self.low[one] < self.low[other] and self.high[one] <= self.high[other]:
            return True
        return self.high[one] < self.high[other] and self.low[one] <= self.low[other]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, key: cython.longlong) -> cython.int:
        """Return the first node that the word's span does not follow, if equal to it; else -1."""
        node: cython.int = self.root
        found: cython.int = -1
        while node >= 0:
            if self.precedes(self.word[node], key):
                node = self.right[node]
            else:
                found = node
                node = self.left[node]
        if found >= 0 and self.precedes(key, self.word[found]):
            return -1
        return found

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def insert(self, key: cython.longlong) -> cython.int:
        """Add a node for the word's span; -1 if there is an equal one on the way down."""
        cython.declare(before=cython.int)
        node: cython.int = self.root
        above: cython.int = -1
        goes_left: cython.bint = True
        while node >= 0:
            above = node
            goes_left = self.precedes(key, self.word[node])
            node = self.left[node] if goes_left else self.right[node]
        before = above
        if goes_left and above >= 0:
            before = self.previous(above)
        if before >= 0 and not self.precedes(self.word[before], key):
            return -1
        node = self.nodes
        self.nodes = node + 1
        self.word[node] = key
        self.parent[node] = above
        self.left[node] = -1
        self.right[node] = -1
        self.red[node] = 1
        if above < 0:
            self.root = node
        elif goes_left:
            self.left[above] = node
        else:
            self.right[above] = node
        self.rebalance(node)
        return node

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def previous(self, node: cython.int) -> cython.int:
        """Return the node before `node` in the order of the tree, -1 for the first."""
        cython.declare(above=cython.int)
        if self.left[node] >= 0:
            node = self.left[node]
            while self.right[node] >= 0:
                node = self.right[node]
            return node
        above = self.parent[node]
        while above >= 0 and self.left[above] == node:
            node = above
            above = self.parent[node]
        return above

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def following(self, node: cython.int) -> cython.int:
        """Return the node behind `node` in the order of the tree, -1 for the last."""
        cython.declare(above=cython.int)
        if self.right[node] >= 0:
            node = self.right[node]
            while self.left[node] >= 0:
                node = self.left[node]
            return node
        above = self.parent[node]
        while above >= 0 and self.right[above] == node:
            node = above
            above = self.parent[node]
        return above

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rotate(self, node: cython.int, to_left: cython.bint) -> cython.void:
        """Put the child of `node` on the other side into its place."""
        child: cython.int = self.right[node] if to_left else self.left[node]
        inner: cython.int = self.left[child] if to_left else self.right[child]
        above: cython.int = self.parent[node]
        if to_left:
            self.right[node] = inner
            self.left[child] = node
        else:
            self.left[node] = inner
            self.right[child] = node
        if inner >= 0:
            self.parent[inner] = node
        self.parent[child] = above
        self.parent[node] = child
        if above < 0:
            self.root = child
        elif self.left[above] == node:
            self.left[above] = child
        else:
            self.right[above] = child

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def rebalance(self, node: cython.int) -> cython.void:
        """Restore the colours after `node` was added."""
        cython.declare(above=cython.int, top=cython.int, uncle=cython.int, on_left=cython.bint)
        while node != self.root and self.red[self.parent[node]] != 0:
            above = self.parent[node]
            top = self.parent[above]
            on_left = above == self.left[top]
            uncle = self.right[top] if on_left else self.left[top]
            if uncle >= 0 and self.red[uncle] != 0:
                self.red[above] = 0
                self.red[uncle] = 0
                self.red[top] = 1
                node = top
            else:
                if node == (self.right[above] if on_left else self.left[above]):
                    node = above
                    self.rotate(node, on_left)
                    above = self.parent[node]
                self.red[above] = 0
                self.red[top] = 1
                self.rotate(top, not on_left)
        self.red[self.root] = 0


def map_ranks(
    low: cython.const[cython.double][::1],
    high: cython.const[cython.double][::1],
    word_offsets: cython.const[cython.longlong][::1],
    comparable: cython.const[cython.uchar][::1],
    ranks: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    word: cython.longlong[::1],
    parent: cython.int[::1],
    left: cython.int[::1],
    right: cython.int[::1],
    red: cython.int[::1],
    found: cython.int[::1],
    rank_of: cython.int[::1],
) -> None:
    """Write the ranks of the words of each row that is not `comparable`.

    A word whose span is not found and cannot be added gets rank 0.

    Scratch: as long as the longest row each.
    """
    cython.declare(row=cython.Py_ssize_t, key=cython.longlong, start=cython.longlong)
    cython.declare(node=cython.int, rank=cython.int)
    tree: SpanMap = SpanMap()
    tree.low = low
    tree.high = high
    tree.word = word
    tree.parent = parent
    tree.left = left
    tree.right = right
    tree.red = red
    with cython.nogil:
        for row in range(first, last):
            if comparable[row] != 0:
                continue
            tree.nodes = 0
            tree.root = -1
            start = word_offsets[row]
            for key in range(start, word_offsets[row + 1]):
                node = tree.find(key)
                if node < 0:
                    node = tree.insert(key)
                found[key - start] = node
            node = tree.root
            while node >= 0 and tree.left[node] >= 0:
                node = tree.left[node]
            rank = 0
            while node >= 0:
                rank_of[node] = rank
                rank += 1
                node = tree.following(node)
            for key in range(start, word_offsets[row + 1]):
                node = found[key - start]
                ranks[key] = rank_of[node] if node >= 0 else 0
