"""Source words in the order of their target positions.

A word's span goes from ``low`` to ``high``, the first and the last target position that it is
linked to; both are -1 for an unaligned word. Words are ordered by their first target positions, or
by their spans, which are merged into blocks and given to brackets and to unaligned words. Spans
are numbers with fractions because a bracket comes just before or after what it encloses.

`SpanMap` ranks spans that are kept in an ordered map although not all of them can be compared. A
span precedes another one if it begins or ends before it and neither begins nor ends behind it. Of
two spans, one inside the other, neither precedes. A map that takes such spans for equal finds one
or another of them, depending on the shape of its tree; so does what ranks words by it. The tree
here is the red-black tree of the C++ standard library of GCC, step for step.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar, void

# Rows up to this length are sorted by insertion, longer ones digit by digit.
SHORT = cython.declare(longlong, 48)
# The key of a word behind the last aligned one: above every target position.
KEY_BEHIND = cython.declare(cython.int, 0x7FFFFFFE)
cython.declare(NEXT=cython.int, PREVIOUS=cython.int, RENUMBER=cython.int)
NEXT, PREVIOUS, RENUMBER = 0, 1, 3

NOWHERE = cython.declare(double, -1.0)
# Behind every target position: where a sentence's unaligned end goes.
BEHIND = cython.declare(double, 1.7976931348623157e308)
# How far a bracket is from what it encloses.
BESIDE = cython.declare(double, 1e-4)
# The parts of a bracket's code.
cython.declare(KIND=cython.int, OPENS=cython.int, CLOSES=cython.int)
KIND, OPENS, CLOSES = 15, 16, 32


def first_targets(
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    link_offsets: cython.const[longlong][::1],
    word_offsets: cython.const[longlong][::1],
    keys: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the smallest target position of each source word to `keys`, -1 for an unaligned one."""
    with cython.nogil:
        for row in range(first, last):
            for word in range(word_offsets[row], word_offsets[row + 1]):
                keys[word] = -1
            for link in range(link_offsets[row], link_offsets[row + 1]):
                word = word_offsets[row] + source[link]
                if keys[word] < 0 or target[link] < keys[word]:
                    keys[word] = target[link]


@cython.cfunc
@cython.nogil
def sort_by_key(
    words: cython.int[::1],
    begin: longlong,
    size: longlong,
    inherited: cython.int[::1],
    spare: cython.int[::1],
    counts: longlong[::1],
) -> void:
    """Sort ``words[begin:begin+size]`` by ``inherited[word]``; equal keys keep their order."""
    cython.declare(digit=cython.int)
    if size <= SHORT:
        for i in range(1, size):
            word: cython.int = words[begin + i]
            key: cython.int = inherited[word]
            j: longlong = i - 1
            while j >= 0 and inherited[words[begin + j]] > key:
                words[begin + j + 1] = words[begin + j]
                j -= 1
            words[begin + j + 1] = word
        return
    largest: cython.int = 0
    for i in range(size):
        key = inherited[words[begin + i]]
        if key > largest:
            largest = key
    shift: cython.int = 0
    while shift < 32 and (largest >> shift) > 0:
        for digit in range(257):
            counts[digit] = 0
        for i in range(size):
            counts[((inherited[words[begin + i]] >> shift) & 255) + 1] += 1
        for digit in range(256):
            counts[digit + 1] += counts[digit]
        for i in range(size):
            word = words[begin + i]
            digit = (inherited[word] >> shift) & 255
            place: longlong = counts[digit]
            counts[digit] = place + 1
            spare[place] = word
        for moved in range(size):
            words[begin + moved] = spare[moved]
        shift += 8


def order_by_keys(
    keys: cython.const[cython.int][::1],
    word_offsets: cython.const[longlong][::1],
    order_offsets: cython.const[longlong][::1],
    positions: cython.int[::1],
    ranks: cython.int[::1],
    options: cython.const[cython.int][::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    inherited: cython.int[::1],
    spare: cython.int[::1],
    counts: longlong[::1],
) -> None:
    """Write each row's source positions by key and the rank of the group that each is in.

    ``options[0]`` is 0 (an unaligned word takes the key of the next aligned word), 1 (of the
    previous one), 2 (it is left out) or 3 (it is left out and the others are numbered without
    it). If ``options[1]``, the words from the first to the last aligned one of a key share a
    rank; else every word has its own. Groups and new numbers exclude each other.

    Scratch: two int32 arrays of the longest row's length and 257 int64.
    """
    cython.declare(rank=cython.int)
    unaligned: cython.int = options[0]
    grouped: cython.int = options[1]
    with cython.nogil:
        for row in range(first, last):
            begin: longlong = word_offsets[row]
            words: longlong = word_offsets[row + 1] - begin
            start: longlong = order_offsets[row]
            size: longlong = 0
            if unaligned == NEXT:
                key: cython.int = KEY_BEHIND
                for i in range(words - 1, -1, -1):
                    if keys[begin + i] >= 0:
                        key = keys[begin + i]
                    inherited[i] = key
            elif unaligned == PREVIOUS:
                # Words before the first aligned one go to the front: they precede every word
                # of the smallest key in the source, and equal keys keep their order.
                key = 0
                for i in range(words):
                    if keys[begin + i] >= 0:
                        key = keys[begin + i]
                    inherited[i] = key
            for i in range(words):
                if unaligned == NEXT or unaligned == PREVIOUS:
                    positions[start + size] = i
                    size += 1
                elif keys[begin + i] >= 0:
                    word: cython.int = size if unaligned == RENUMBER else i
                    inherited[word] = keys[begin + i]
                    positions[start + size] = word
                    size += 1
            sort_by_key(positions, start, size, inherited, spare, counts)
            rank = i = 0
            while i < size:
                word = positions[start + i]
                last_tied: longlong = i
                if grouped and keys[begin + word] >= 0:
                    key = keys[begin + word]
                    j: longlong = i + 1
                    while j < size and inherited[positions[start + j]] == key:
                        if keys[begin + positions[start + j]] >= 0:
                            last_tied = j
                        j += 1
                while i <= last_tied:
                    ranks[start + i] = rank
                    i += 1
                rank += 1


def target_spans(
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    link_offsets: cython.const[longlong][::1],
    word_offsets: cython.const[longlong][::1],
    low: double[::1],
    high: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the first and the last target position of each source word."""
    with cython.nogil:
        for row in range(first, last):
            for word in range(word_offsets[row], word_offsets[row + 1]):
                low[word] = NOWHERE
                high[word] = NOWHERE
            for link in range(link_offsets[row], link_offsets[row + 1]):
                word = word_offsets[row] + source[link]
                if low[word] == NOWHERE or target[link] < low[word]:
                    low[word] = target[link]
                if target[link] > high[word]:
                    high[word] = target[link]


def combine_blocks(
    low: double[::1],
    high: double[::1],
    by_span: cython.const[longlong][::1],
    word_offsets: cython.const[longlong][::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Give words of overlapping spans, and all words between them, one span.

    ``by_span`` holds the words (indices into `low`) of each row in the order of their spans. A
    word between two others of a block takes over the block's span even if its own one starts
    before; what it shared with earlier words then stays with these alone.
    """
    with cython.nogil:
        for row in range(first, last):
            i: longlong = word_offsets[row]
            stop: longlong = word_offsets[row + 1]
            while i < stop:
                left: longlong = by_span[i]
                right: longlong = left
                begin: double = low[left]
                end: double = high[left]
                i += 1
                if begin == NOWHERE:
                    continue
                while i < stop and low[by_span[i]] <= end:
                    word: longlong = by_span[i]
                    while left > word:
                        left -= 1
                        if high[left] > end:
                            end = high[left]
                    while right < word:
                        right += 1
                        if high[right] > end:
                            end = high[right]
                    i += 1
                while left <= right:
                    low[left] = begin
                    high[left] = end
                    left += 1


def align_brackets(
    low: double[::1],
    high: double[::1],
    codes: cython.const[uchar][::1],
    word_offsets: cython.const[longlong][::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    stack: longlong[::1],
    begins: double[::1],
    ends: double[::1],
) -> None:
    """Put matching unaligned brackets before and behind what they enclose.

    The code of a word is 0, or the kind of bracket (1 to 15) with 16 if it opens and 32 if it
    closes; a word that does both closes if it can. Scratch: as long as the longest row each.
    """
    with cython.nogil:
        for row in range(first, last):
            top: longlong = -1
            for word in range(word_offsets[row], word_offsets[row + 1]):
                code: cython.int = codes[word]
                begin: double = BEHIND
                end: double = NOWHERE
                if low[word] != NOWHERE:
                    begin = low[word]
                    end = high[word]
                elif code & CLOSES and top >= 0 and (codes[stack[top]] & KIND) == (code & KIND):
                    opening: longlong = stack[top]
                    if ends[top] != NOWHERE:
                        begin = begins[top] - BESIDE
                        end = ends[top] + BESIDE
                        low[opening] = begin
                        high[opening] = begin
                        low[word] = end
                        high[word] = end
                    top -= 1
                elif code & OPENS:
                    top += 1
                    stack[top] = word
                    begins[top] = BEHIND
                    ends[top] = NOWHERE
                # What a bracket encloses is enclosed by the brackets around it too.
                if top >= 0 and end != NOWHERE:
                    if begin < begins[top]:
                        begins[top] = begin
                    if end > ends[top]:
                        ends[top] = end


def attach_unaligned(
    low: double[::1],
    high: double[::1],
    word_offsets: cython.const[longlong][::1],
    to_next: bint,
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Give each unaligned word the span of a neighbour.

    ``to_next``: of the next aligned word; at the end of a sentence, of the last one. Else: of the
    previous aligned word; at the start of a sentence, of the first one; words at the end of a
    sentence share a span behind all others. A row without links keeps or gets one span.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = word_offsets[row]
            stop: longlong = word_offsets[row + 1]
            if to_next:
                for word in range(stop - 2, start - 1, -1):
                    if low[word] == NOWHERE:
                        low[word] = low[word + 1]
                        high[word] = high[word + 1]
                for word in range(start + 1, stop):
                    if low[word] == NOWHERE:
                        low[word] = low[word - 1]
                        high[word] = high[word - 1]
            else:
                word = stop - 1
                while word >= start and low[word] == NOWHERE:
                    low[word] = BEHIND
                    high[word] = BEHIND
                    word -= 1
                for word in range(start + 1, stop):
                    if low[word] == NOWHERE:
                        low[word] = low[word - 1]
                        high[word] = high[word - 1]
                for word in range(stop - 2, start - 1, -1):
                    if low[word] == NOWHERE:
                        low[word] = low[word + 1]
                        high[word] = high[word + 1]


@cython.cclass
class SpanMap:
    """A red-black tree of the spans of one row; -1 is no node."""

    cython.declare(low=cython.const[double][::1], high=cython.const[double][::1])
    cython.declare(word=longlong[::1], parent=cython.int[::1], left=cython.int[::1])
    cython.declare(right=cython.int[::1], red=cython.int[::1], nodes=cython.int, root=cython.int)

    @cython.cfunc
    @cython.nogil
    def precedes(self, one: longlong, other: longlong) -> bint:
        """Whether the span of a word precedes that of another."""
        if self.low[one] < self.low[other] and self.high[one] <= self.high[other]:
            return True
        return self.high[one] < self.high[other] and self.low[one] <= self.low[other]

    @cython.cfunc
    @cython.nogil
    def find(self, key: longlong) -> cython.int:
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
    def insert(self, key: longlong) -> cython.int:
        """Add a node for the word's span; -1 if there is an equal one on the way down."""
        node: cython.int = self.root
        above: cython.int = -1
        goes_left: bint = True
        while node >= 0:
            above = node
            goes_left = self.precedes(key, self.word[node])
            node = self.left[node] if goes_left else self.right[node]
        before: cython.int = above
        if goes_left and above >= 0:
            before = self.neighbour(above, True)
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
    def neighbour(self, node: cython.int, back: bint) -> cython.int:
        """Return the node before (`back`) or behind another in the tree's order, -1 for none."""
        near: cython.int[::1] = self.left if back else self.right
        far: cython.int[::1] = self.right if back else self.left
        if near[node] >= 0:
            node = near[node]
            while far[node] >= 0:
                node = far[node]
            return node
        above: cython.int = self.parent[node]
        while above >= 0 and near[above] == node:
            node = above
            above = self.parent[node]
        return above

    @cython.cfunc
    @cython.nogil
    def rotate(self, node: cython.int, to_left: bint) -> void:
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
    def rebalance(self, node: cython.int) -> void:
        """Restore the colours after `node` was added."""
        while node != self.root and self.red[self.parent[node]] != 0:
            above: cython.int = self.parent[node]
            top: cython.int = self.parent[above]
            on_left: bint = above == self.left[top]
            uncle: cython.int = self.right[top] if on_left else self.left[top]
            if uncle >= 0 and self.red[uncle] != 0:
                self.red[above] = self.red[uncle] = 0
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
    low: cython.const[double][::1],
    high: cython.const[double][::1],
    word_offsets: cython.const[longlong][::1],
    comparable: cython.const[uchar][::1],
    ranks: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write the ranks of the words of each row that is not `comparable`.

    A word whose span is not found and cannot be added gets rank 0.
    """
    tree: SpanMap = SpanMap()
    nodes = array("i", bytes(4 * longest))
    found: cython.int[::1] = nodes[:]
    rank_of: cython.int[::1] = nodes[:]
    tree.low, tree.high, tree.word = low, high, array("q", bytes(8 * longest))
    tree.parent, tree.left, tree.right, tree.red = nodes[:], nodes[:], nodes[:], nodes[:]
    with cython.nogil:
        for row in range(first, last):
            if comparable[row] != 0:
                continue
            tree.nodes = 0
            tree.root = -1
            start: longlong = word_offsets[row]
            for key in range(start, word_offsets[row + 1]):
                node: cython.int = tree.find(key)
                if node < 0:
                    node = tree.insert(key)
                found[key - start] = node
            node = tree.root
            while node >= 0 and tree.left[node] >= 0:
                node = tree.left[node]
            rank: cython.int = 0
            while node >= 0:
                rank_of[node] = rank
                rank += 1
                node = tree.neighbour(node, False)
            for key in range(start, word_offsets[row + 1]):
                node = found[key - start]
                ranks[key] = rank_of[node] if node >= 0 else 0
