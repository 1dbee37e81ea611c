"""Which places of a permutation end an interval: neighbouring places with neighbouring values."""

import cython


@cython.cclass
class Gaps:
    """How many values are missing from ``permutation[l .. i]``, for all left ends `l` at once.

    ``(highest - lowest value of l..i) - (i - l)`` is 0 exactly when l..i is an interval. A tree of
    minima over `l`, its leaves at index `width` (a power of two) and after; what was added to all
    leaves below an inner node is kept in `added` there.
    """

    permutation: cython.const[cython.int][::1]
    smallest: cython.int[::1]
    added: cython.int[::1]
    # Places where the highest and the lowest value, seen from the right end, change.
    maxima: cython.int[::1]
    minima: cython.int[::1]
    highs: cython.int
    lows: cython.int
    width: cython.int

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def clear(self, n: cython.int) -> cython.void:
        """Start a row of `n` places."""
        cython.declare(i=cython.int)
        self.highs = 0
        self.lows = 0
        self.width = 1
        while self.width < n:
            self.width *= 2
        for i in range(2 * self.width):
            self.smallest[i] = 0
            self.added[i] = 0

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def extend(self, start: cython.longlong, i: cython.int) -> cython.void:
        """Move the right end to place `i` of the row that begins at `start`."""
        cython.declare(before=cython.int, at=cython.int)
        value: cython.int = self.permutation[start + i]
        if i > 0:
            self.shift(0, i, -1)
        while self.highs > 0:
            at = self.maxima[self.highs - 1]
            if self.permutation[start + at] > value:
                break
            before = self.maxima[self.highs - 2] + 1 if self.highs > 1 else 0
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
    @cython.exceptval(check=False)
    def shift(self, first: cython.int, last: cython.int, change: cython.int) -> cython.void:
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
    @cython.exceptval(check=False)
    def lift(self, leaf: cython.int) -> cython.void:
        """Renew the minima above a leaf."""
        cython.declare(left=cython.int, right=cython.int)
        node: cython.int = leaf >> 1
        while node >= 1:
            left = self.smallest[2 * node]
            right = self.smallest[2 * node + 1]
            self.smallest[node] = (left if left < right else right) + self.added[node]
            node >>= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
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
    offsets: cython.const[cython.longlong][::1],
    short: cython.int,
    leftmost: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    trees: cython.int[::1],
    changes: cython.int[::1],
) -> None:
    """Write for each place of the rows longer than `short` where its first interval begins.

    ``leftmost[i]`` is the smallest place `l` of the row such that ``l .. i`` is an interval.

    Scratch: `trees`, 8 * longest; `changes`, 2 * longest.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.int, n=cython.int)
    gaps: Gaps = Gaps()
    half: cython.Py_ssize_t = trees.shape[0] // 2
    gaps.permutation = permutation
    gaps.smallest = trees[0:half]
    gaps.added = trees[half : 2 * half]
    half = changes.shape[0] // 2
    gaps.maxima = changes[0:half]
    gaps.minima = changes[half : 2 * half]
    with cython.nogil:
        for row in range(first, last):
            n = cython.cast(cython.int, offsets[row + 1] - offsets[row])
            if n <= short:
                continue
            gaps.clear(n)
            for i in range(n):
                gaps.extend(offsets[row], i)
                leftmost[offsets[row] + i] = gaps.first_zero(i)
