"""The order of the members of families that has the highest score, and what follows from it."""

from array import array

import cython

# Families of so many members are ordered exactly, by a table over their subsets.
EXACT = cython.declare(cython.longlong, 9)
# A gain below this is rounding.
LEAST = cython.declare(cython.double, 1e-9)


@cython.cclass
class Orderer:
    """Orders one family after the other.

    ``gain[largest * i + j]`` is what it brings that member `i` goes before member `j`.
    """

    largest: cython.longlong
    gain: cython.double[::1]
    best: cython.double[::1]
    final: cython.int[::1]
    order: cython.longlong[::1]
    tried: cython.longlong[::1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def exact(self, size: cython.longlong) -> cython.void:
        """Find the best order by the best orders of all subsets.

        Of equally good ones, that with the later members last.
        """
        cython.declare(subset=cython.longlong, rest=cython.longlong, i=cython.longlong)
        cython.declare(j=cython.longlong, value=cython.double)
        self.best[0] = 0.0
        for subset in range(1, 1 << size):
            self.final[subset] = -1
            i = size - 1
            while i >= 0:
                if (subset >> i) & 1:
                    rest = subset ^ (1 << i)
                    value = self.best[rest]
                    for j in range(size):
                        if (rest >> j) & 1:
                            value += self.gain[self.largest * j + i]
                    if self.final[subset] < 0 or value > self.best[subset] + LEAST:
                        self.best[subset] = value
                        self.final[subset] = cython.cast(cython.int, i)
                i -= 1
        subset = (1 << size) - 1
        i = size - 1
        while i >= 0:
            self.order[i] = self.final[subset]
            subset ^= 1 << self.final[subset]
            i -= 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def improve(self, size: cython.longlong) -> cython.double:
        """Move single members of the order tried to better places while there are any.

        Returns the value of what is found.
        """
        cython.declare(i=cython.longlong, at=cython.longlong, best_at=cython.longlong)
        cython.declare(member=cython.longlong, change=cython.double, best=cython.double)
        moved: cython.bint = True
        value: cython.double = 0.0
        while moved:
            moved = False
            for i in range(size):
                member = self.tried[i]
                best = LEAST
                best_at = i
                change = 0.0
                at = i - 1
                while at >= 0:
                    change += self.gain[self.largest * member + self.tried[at]]
                    change -= self.gain[self.largest * self.tried[at] + member]
                    if change > best:
                        best = change
                        best_at = at
                    at -= 1
                change = 0.0
                for at in range(i + 1, size):
                    change += self.gain[self.largest * self.tried[at] + member]
                    change -= self.gain[self.largest * member + self.tried[at]]
                    if change > best:
                        best = change
                        best_at = at
                if best_at == i:
                    continue
                moved = True
                at = i
                while at < best_at:
                    self.tried[at] = self.tried[at + 1]
                    at += 1
                while at > best_at:
                    self.tried[at] = self.tried[at - 1]
                    at -= 1
                self.tried[best_at] = member
        for i in range(size):
            for at in range(i + 1, size):
                value += self.gain[self.largest * self.tried[i] + self.tried[at]]
        return value

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def search(self, size: cython.longlong) -> cython.void:
        """Find a good order of many members: from the source order, and from the sum of gains."""
        cython.declare(i=cython.longlong, j=cython.longlong, member=cython.longlong)
        cython.declare(value=cython.double)
        for i in range(size):
            self.tried[i] = i
        value = self.improve(size)
        for i in range(size):
            self.order[i] = self.tried[i]
            self.best[i] = 0.0
            for j in range(size):
                self.best[i] += self.gain[self.largest * i + j] - self.gain[self.largest * j + i]
        for i in range(size):
            member = i
            j = i
            while j > 0 and self.best[self.tried[j - 1]] < self.best[member]:
                self.tried[j] = self.tried[j - 1]
                j -= 1
            self.tried[j] = member
        if self.improve(size) > value + LEAST:
            for i in range(size):
                self.order[i] = self.tried[i]


def order_families(
    starts: cython.const[cython.longlong][::1],
    members: cython.const[cython.longlong][::1],
    pairs: cython.const[cython.longlong][::1],
    scores: cython.const[cython.double][::1],
    ordered: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    largest: cython.longlong,
) -> None:
    """Write the members of the families ``first .. last-1`` in the order of the highest score.

    The score of an order is the sum of the scores of the pairs that keep their source order, less
    those of the pairs that do not. Up to `EXACT` members the order is the best one.
    """
    cython.declare(family=cython.Py_ssize_t, size=cython.longlong, i=cython.longlong)
    cython.declare(j=cython.longlong, at=cython.longlong)
    orderer: Orderer = Orderer()
    orderer.largest = largest
    orderer.gain = array("d", [0.0]) * (largest * largest + 1)
    orderer.best = array("d", [0.0]) * max(1 << min(EXACT, largest), largest + 1)
    orderer.final = array("i", [0]) * max(1 << min(EXACT, largest), largest + 1)
    orderer.order = array("q", [0]) * (largest + 1)
    orderer.tried = array("q", [0]) * (largest + 1)
    with cython.nogil:
        for family in range(first, last):
            size = starts[family + 1] - starts[family]
            at = pairs[family]
            for i in range(size):
                for j in range(i + 1, size):
                    orderer.gain[largest * i + j] = scores[at]
                    orderer.gain[largest * j + i] = -scores[at]
                    at += 1
            if size <= EXACT:
                orderer.exact(size)
            else:
                orderer.search(size)
            for i in range(size):
                ordered[starts[family] + i] = members[starts[family] + orderer.order[i]]


def write_orders(
    offsets: cython.const[cython.longlong][::1],
    roots: cython.const[cython.longlong][::1],
    root_starts: cython.const[cython.longlong][::1],
    family_of: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    ordered: cython.const[cython.longlong][::1],
    order: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    longest: cython.Py_ssize_t,
) -> None:
    """Write the words of the sentences ``first .. last-1`` as their families are ordered.

    ``family_of[w]`` is the family whose head a word is, -1 for a leaf; several roots keep their
    order. What is written is counted from the start of the sentence.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, word=cython.longlong)
    cython.declare(height=cython.longlong, filled=cython.longlong, family=cython.longlong)
    stack: cython.longlong[::1] = array("q", [0]) * (2 * longest + 2)
    with cython.nogil:
        for row in range(first, last):
            height = 0
            filled = offsets[row]
            i = root_starts[row + 1] - 1
            while i >= root_starts[row]:
                stack[height] = roots[i]
                height += 1
                i -= 1
            while height > 0:
                height -= 1
                word = stack[height]
                family = -1
                # A word itself, not its family: written as its complement.
                if word < 0:
                    word = -1 - word
                else:
                    family = family_of[word]
                if family < 0:
                    order[filled] = cython.cast(cython.int, word - offsets[row])
                    filled += 1
                    continue
                i = starts[family + 1] - 1
                while i >= starts[family]:
                    stack[height] = ordered[i]
                    if ordered[i] == word:
                        stack[height] = -1 - word
                    height += 1
                    i -= 1
