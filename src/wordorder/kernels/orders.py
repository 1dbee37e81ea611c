"""Orders of words: counts for metrics, permutation trees, and orders by links."""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar, void

# Permutation trees.

# Kinds of nodes.
cython.declare(LEAF=cython.int, MONOTONE=cython.int, INVERTED=cython.int, SIMPLE=cython.int)
LEAF, MONOTONE, INVERTED, SIMPLE = range(4)

# Source words in the order of their target positions.

# Rows up to this length are sorted by insertion, longer ones digit by digit.
SHORT_ROW = cython.declare(longlong, 48)
# The key of words after the last aligned one: above every target position.
KEY_AFTER_ALL = cython.declare(cython.int, 0x7FFFFFFE)
# Treatments of unaligned words.
cython.declare(NEXT=cython.int, PREVIOUS=cython.int, RENUMBER=cython.int)
NEXT, PREVIOUS, RENUMBER = 0, 1, 3

# The start and end of the span of an unaligned word.
NO_POSITION = cython.declare(double, -1.0)
# After every target position: the span of unaligned words at the end of a sentence.
AFTER_ALL = cython.declare(double, 1.7976931348623157e308)
# The distance of a bracket from the words that it encloses.
BRACKET_DISTANCE = cython.declare(double, 1e-4)
# The code of a bracket: the mask of its kind, and the bits of an opening and a closing bracket.
cython.declare(BRACKET_KIND=cython.int, OPENS=cython.int, CLOSES=cython.int)
BRACKET_KIND, OPENS, CLOSES = 15, 16, 32


# -- Inversions, displacements, increasing subsequences and contiguous pairs.
# ----------------------------------------------


def inversions(
    ranks: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    discordant: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    merged: cython.int[::1],
    spare: cython.int[::1],
) -> None:
    """Count per row the pairs ``i < j`` with ``ranks[i] > ranks[j]``; equal ranks never count.

    Short rows compare all pairs (a plain loop that vectorises); long rows use a merge sort.
    Scratch: two arrays of the longest row's length.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            stop: longlong = offsets[row + 1]
            if stop - start > 192:
                discordant[row] = inversions_by_merge_sort(ranks, start, stop, merged, spare)
                continue
            count: longlong = 0
            for i in range(start + 1, stop):
                rank: cython.int = ranks[i]
                total: cython.int = 0
                for j in range(start, i):
                    total += ranks[j] > rank
                count += total
            discordant[row] = count


@cython.cfunc
@cython.nogil
def inversions_by_merge_sort(
    ranks: cython.const[cython.int][::1],
    start: longlong,
    stop: longlong,
    merged: cython.int[::1],
    spare: cython.int[::1],
) -> longlong:
    """Count inversions by bottom-up merge sort: one for each left item that a right item passes."""
    size: longlong = stop - start
    width: longlong = 1
    count: longlong = 0
    for out in range(size):
        merged[out] = ranks[start + out]
    while width < size:
        low: longlong = 0
        while low < size:
            middle: longlong = low + width
            if middle > size:
                middle = size
            high: longlong = middle + width
            if high > size:
                high = size
            left_index: longlong = low
            right_index: longlong = middle
            for out in range(low, high):
                if right_index >= high or (
                    left_index < middle and merged[left_index] <= merged[right_index]
                ):
                    spare[out] = merged[left_index]
                    left_index += 1
                else:
                    spare[out] = merged[right_index]
                    right_index += 1
                    count += middle - left_index
            low = high
        for out in range(size):
            merged[out] = spare[out]
        width = width * 2
    return count


def squared_displacement(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Sum per row ``(permutation[i] - i)**2``."""
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            count: longlong = 0
            for i in range(start, offsets[row + 1]):
                displacement: longlong = permutation[i] - (i - start)
                count += displacement * displacement
            total[row] = count


def squared_tied_displacement(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    starts: cython.int[::1],
) -> None:
    """Sum per row ``(2 * middle - 2 * i)**2``; `middle` is the mean position of the word's group.

    The factor 2 avoids fractions of mean positions. Scratch: an array one longer than the longest
    row.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            group_starts(groups, start, offsets[row + 1], starts)
            count: longlong = 0
            for i in range(start, offsets[row + 1]):
                group: cython.int = groups[i]
                displacement: longlong = starts[group] + starts[group + 1] - 1 - 2 * (i - start)
                count += displacement * displacement
            total[row] = count


def in_place(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count per row the positions with ``permutation[i] == i``."""
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            count: longlong = 0
            for i in range(start, offsets[row + 1]):
                if permutation[i] == i - start:
                    count += 1
            total[row] = count


def in_tied_place(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    starts: cython.int[::1],
) -> None:
    """Count per row the words at one of the reference positions of their group.

    Each such position has one word only, so a single reading of the ties has all these words in
    place. Scratch: an array one longer than the longest row.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            group_starts(groups, start, offsets[row + 1], starts)
            count: longlong = 0
            for i in range(start, offsets[row + 1]):
                group: cython.int = groups[i]
                if starts[group] <= i - start and i - start < starts[group + 1]:
                    count += 1
            total[row] = count


@cython.cfunc
@cython.nogil
def group_starts(
    groups: cython.const[cython.int][::1], start: longlong, stop: longlong, starts: cython.int[::1]
) -> cython.int:
    """Write the first reference position of each group `g` to ``starts[g]``, and the size last."""
    for i in range(stop - start + 1):
        starts[i] = 0
    for i in range(start, stop):
        starts[groups[i] + 1] += 1
    for i in range(1, stop - start + 1):
        starts[i] += starts[i - 1]
    return 0


def longest_increasing(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    length: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    tails: cython.int[::1],
) -> None:
    """Find per row the length of the longest increasing subsequence.

    ``tails[k]`` is the smallest last value of an increasing subsequence of length ``k + 1``.
    Scratch: one array of the longest row's length.
    """
    with cython.nogil:
        for row in range(first, last):
            size: cython.int = 0
            for i in range(offsets[row], offsets[row + 1]):
                value: cython.int = permutation[i]
                if size == 0 or tails[size - 1] < value:
                    tails[size] = value
                    size += 1
                    continue
                low: cython.int = 0
                high: cython.int = size - 1
                while low < high:
                    middle: cython.int = (low + high) >> 1
                    if tails[middle] < value:
                        low = middle + 1
                    else:
                        high = middle
                tails[low] = value
            length[row] = size


def relative_permutation(
    system: cython.const[cython.int][::1],
    system_offsets: cython.const[longlong][::1],
    reference: cython.const[cython.int][::1],
    reference_ranks: cython.const[cython.int][::1],
    reference_offsets: cython.const[longlong][::1],
    permutation: cython.int[::1],
    groups: cython.int[::1],
    is_shared: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    seen: cython.int[::1],
    rank_of: cython.int[::1],
    count: cython.int[::1],
    next_position: cython.int[::1],
) -> None:
    """Write for each system position the rank of its word in the reference.

    `system` and `reference` are distinct source positions, ``reference_ranks`` the dense ranks of
    their tie groups. ``kept[i]`` is 1 if the reference has the system's word. Only for these words,
    `groups` (the dense rank of the group among shared words) and `permutation` (the position of the
    word if tied words are read in the system's order) are written. The reference's other words are
    left out of all ranks.

    Scratch: `seen` (zeros) and `rank_of`, as long as the largest source position plus one;
    `count` and `next_position`, as long as the longest reference.
    """
    cython.declare(positions=cython.int, dense=cython.int)
    with cython.nogil:
        for row in range(first, last):
            stamp: cython.int = cython.cast(cython.int, row - first + 1)
            size: cython.int = cython.cast(
                cython.int, reference_offsets[row + 1] - reference_offsets[row]
            )
            for rank in range(size):
                count[rank] = 0
            for i in range(reference_offsets[row], reference_offsets[row + 1]):
                position: cython.int = reference[i]
                seen[position] = stamp
                rank_of[position] = reference_ranks[i]
            for i in range(system_offsets[row], system_offsets[row + 1]):
                position = system[i]
                if seen[position] == stamp:
                    is_shared[i] = 1
                    count[rank_of[position]] += 1
                else:
                    is_shared[i] = 0
            # From here on `count` has the dense ranks of groups.
            positions = dense = 0
            for rank in range(size):
                next_position[rank] = positions
                positions += count[rank]
                if count[rank] > 0:
                    count[rank] = dense
                    dense += 1
            for i in range(system_offsets[row], system_offsets[row + 1]):
                if is_shared[i] != 0:
                    rank = rank_of[system[i]]
                    groups[i] = count[rank]
                    permutation[i] = next_position[rank]
                    next_position[rank] += 1


def untied_permutation(
    system: cython.const[cython.int][::1],
    system_offsets: cython.const[longlong][::1],
    reference: cython.const[cython.int][::1],
    reference_offsets: cython.const[longlong][::1],
    permutation: cython.int[::1],
    missing: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    seen: longlong[::1],
) -> None:
    """Write the relative permutation of orders of the same words without ties.

    ``missing[0]`` becomes 1 if an order has a word that the other has not; then the permutation is
    incomplete.

    Scratch: `seen`, as long as the largest source position plus one; -1 everywhere.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = reference_offsets[row]
            for i in range(start, reference_offsets[row + 1]):
                seen[reference[i]] = i
            if system_offsets[row + 1] - system_offsets[row] != reference_offsets[row + 1] - start:
                missing[0] = 1
                break
            # Entries of earlier rows are below the start of this one.
            for i in range(system_offsets[row], system_offsets[row + 1]):
                position: longlong = seen[system[i]] - start
                if position < 0:
                    missing[0] = 1
                    break
                permutation[i] = cython.cast(cython.int, position)
            if missing[0] != 0:
                break


def count_contiguous_pairs(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    pairs: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count per row the positions ``i`` with ``permutation[i+1] == permutation[i] + 1``."""
    with cython.nogil:
        for row in range(first, last):
            count: longlong = 0
            for i in range(offsets[row] + 1, offsets[row + 1]):
                if permutation[i] == permutation[i - 1] + 1:
                    count += 1
            pairs[row] = count


def contiguous_rank_pairs(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    pairs: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count per row the neighbours whose ranks are equal or increase by exactly 1."""
    with cython.nogil:
        for row in range(first, last):
            count: longlong = 0
            for i in range(offsets[row] + 1, offsets[row + 1]):
                step: cython.int = groups[i] - groups[i - 1]
                if step == 0 or step == 1:
                    count += 1
            pairs[row] = count


def contiguous_tied_pairs(
    groups: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    pairs: longlong[::1],
    is_pair: uchar[::1],
    marking: bint,
    first: Py_ssize_t,
    last: Py_ssize_t,
    head: cython.int[::1],
    runs: cython.int[::1],
    best_run: cython.int[::1],
    other_run: cython.int[::1],
    following: cython.int[::1],
    group_of: cython.int[::1],
    previous_state: cython.int[::1],
    start_of: longlong[::1],
) -> None:
    """Count the contiguous pairs, with ties read in the order that gives the row the most.

    ``groups[i]`` is the dense rank of the system's ``i``-th word. With `marking`, ``kept[i]``,
    initially 0, becomes 1 if that word and the one before it form such a pair. A pair inside a
    group always counts. Between the groups ``g`` and ``g+1`` one pair can count: the last word of a
    run ``a`` of ``g`` and the word after it, which starts a run ``b`` of ``g+1``; then ``a`` is
    read last in ``g`` and ``b`` first in ``g+1``. A group with several runs cannot read one run
    both first and last, so the state of the dynamic programme is the run that a group reads first,
    or -1 for none. For each group the best and the second best state are stored, and for each run
    the previous state on the path to it, to trace the path from the last group back.

    Scratch: eight arrays of the longest row's length plus one.
    """
    cython.declare(group=cython.int)
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            stop: longlong = offsets[row + 1]
            pairs[row] = 0
            if stop - start < 2:
                continue
            for i in range(stop - start):
                head[i] = -1
                runs[i] = 0
            top: cython.int = 0
            size: cython.int = 0
            count: longlong = 0
            for i in range(start, stop):
                group = groups[i]
                if i > start and groups[i - 1] == group:
                    count += 1
                    if marking:
                        is_pair[i] = 1
                    continue
                top = max(top, group)
                group_of[size] = group
                start_of[size] = i
                following[size] = head[group]
                head[group] = size
                runs[group] += 1
                size += 1
            best: cython.int = 0
            best_run[0] = -1
            previous: cython.int = -1
            other_run[0] = -1
            for group in range(1, top + 1):
                next_best: cython.int = best
                best_run[group] = -1
                next_other: cython.int = -1
                other_run[group] = -1
                run: cython.int = head[group]
                while run >= 0:
                    if run > 0 and group_of[run - 1] == group - 1:
                        if runs[group - 1] == 1 or best_run[group - 1] != run - 1:
                            value: cython.int = best + 1
                            previous_state[run] = best_run[group - 1]
                        else:
                            value = previous + 1
                            previous_state[run] = other_run[group - 1]
                        if value > next_best:
                            next_other = next_best
                            other_run[group] = best_run[group]
                            next_best = value
                            best_run[group] = run
                        elif value > next_other:
                            next_other = value
                            other_run[group] = run
                    run = following[run]
                best = next_best
                previous = next_other
            pairs[row] = count + best
            if not marking:
                continue
            group = top
            run = best_run[top]
            while group > 0:
                group -= 1
                if run < 0:
                    run = best_run[group]
                else:
                    is_pair[start_of[run]] = 1
                    run = previous_state[run]


# -- Permutation trees. ----------------------------------------------------------------------------
#
# `TreeBuilder` reduces a permutation from left to right. The stack has finished nodes; a new item
# is combined with the smallest number of items below it that form an interval of values with it.
# Two items form a binary node, four or more a simple operator. A binary node extends its left child
# if that has the same direction, so chains of binary nodes are flat: a chain of `k` children
# represents `k - 1` nodes of the canonical (left-branching) tree, and Catalan(k - 1) binary trees.
#
# `IntervalEnds` finds the longest interval (neighbouring positions with neighbouring values) that
# ends at each position of a permutation.


@cython.cclass
class TreeBuilder:
    """Builds the flat permutation tree of one row after the other.

    Nodes, at most ``2 * n`` including a leaf per position, are numbered in order of creation.
    """

    cython.declare(permutation=cython.const[cython.int][::1], kind=cython.int[::1])
    cython.declare(low=cython.int[::1], high=cython.int[::1], size=cython.int[::1])
    cython.declare(arity=cython.int[::1], first_child=cython.int[::1], last_child=cython.int[::1])
    cython.declare(sibling=cython.int[::1], stack=cython.int[::1])
    # The start of the longest interval that ends at each position, for rows longer than `short`.
    cython.declare(leftmost=cython.const[cython.int][::1], short=cython.int, nodes=cython.int)
    cython.declare(root=cython.int, beta=double)
    # Results of `finish`: see `measure_tree_shapes` and `compute_recursive_scores`.
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
        """Store rows, the starts of their intervals if longer than `short`, and tables."""
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
                # Without this, the complete stack would be searched in long rows without intervals.
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
        """Add a node without children; return its number."""
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
        """Append a child to `parent`; the child is finished."""
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
        """Replace the items ``below .. top`` of the stack by one node."""
        cython.declare(i=cython.int)
        left_node: cython.int = self.stack[below]
        right_node: cython.int = self.stack[top]
        kind: cython.int = SIMPLE
        if top - below == 1:
            kind = MONOTONE if self.low[left_node] < self.low[right_node] else INVERTED
            if self.kind[left_node] == kind:
                self.append(left_node, right_node)
                self.low[left_node] = low
                self.high[left_node] = high
                self.size[left_node] = size
                return
        node: cython.int = self.add(kind, low, high, size)
        for i in range(below, top + 1):
            self.append(node, self.stack[i])
        self.stack[below] = node

    # -- Counts and scores of finished nodes. -------------------------------------------------

    @cython.cfunc
    @cython.nogil
    def finish(self, node: cython.int) -> void:
        """Count or score a node whose children are finished."""
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
        # The count of trees as mantissa and exponent does not overflow, and is the same everywhere.
        self.mantissa *= self.catalan_mantissa[arity - 1]
        self.exponent += self.catalan_exponent[arity - 1]
        if self.mantissa < 0.5:
            self.mantissa *= 2.0
            self.exponent -= 1

    @cython.cfunc
    @cython.nogil
    def score(self, node: cython.int) -> void:
        """Set ``value[node]`` to its mean score over all its binarisations, times its size.

        A child at depth `d` of a chain contributes (1-beta)^d of its score; the remaining share has
        the score of the nodes above it, 1 if monotone and 0 if inverted. The mean of (1-beta)^d
        over all binary trees with `arity` leaves depends only on the leaf's position.
        """
        total: double = 0.0
        leaf: cython.int = 0
        child: cython.int = self.first_child[node]
        kind: cython.int = self.kind[node]
        if kind == LEAF:
            self.value[node] = 1.0
            return
        while child >= 0:
            if kind == SIMPLE:
                total += (1.0 - self.beta) * self.value[child]
            else:
                share: double = self.leaf_share(self.arity[node], leaf)
                total += share * self.value[child]
                if kind == MONOTONE:
                    total += (1.0 - share) * self.size[child]
            leaf += 1
            child = self.sibling[child]
        self.value[node] = total

    @cython.cfunc
    @cython.nogil
    def leaf_share(self, leaves: cython.int, leaf: cython.int) -> double:
        """Return the mean of (1-beta)^depth of one leaf over all binary trees."""
        total: double = 0.0
        count: cython.int = cython.cast(cython.int, self.weights.shape[0])
        if leaves <= self.table_size:
            row: longlong = leaves
            return self.table[row * (row - 1) // 2 + leaf]
        row = leaf
        column: longlong = leaves - 1 - leaf
        for j in range(count):
            total += (
                self.weights[j] * self.points[row * count + j] * self.points[column * count + j]
            )
        return total / self.scaled_catalan[leaves - 1]


def measure_tree_shapes(
    offsets: cython.const[longlong][::1],
    node_count: longlong[::1],
    largest: longlong[::1],
    mantissa: double[::1],
    exponent: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    builder: TreeBuilder,
) -> None:
    """Write per row the number of nodes, the size of the largest operator, and the number of trees.

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


def compute_recursive_scores(
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
    builder: TreeBuilder,
) -> None:
    """Write per row the mean recursive score over all permutation trees; 0 for an empty row.

    ``table[k*(k-1)/2 + c]`` is the share of leaf `c` of `k` (k <= table_size). For larger `k`, the
    share is the quadrature over `points` [longest, len(weights)] (flat) with `weights`, divided by
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
    builder: TreeBuilder,
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
    builder: TreeBuilder,
) -> None:
    """Write per row the number of inner nodes of its flat tree, and their operators.

    Kinds and arities of a row's nodes start at its offset; kinds 1 and 2 are chains, 3 is a simple
    operator. The smallest values of the children of simple operators start at twice the offset,
    node after node.
    """
    with cython.nogil:
        for row in range(first, last):
            index: longlong = offsets[row]
            value: longlong = 2 * offsets[row]
            if offsets[row + 1] > offsets[row]:
                builder.build(offsets[row], offsets[row + 1])
                for node in range(builder.nodes):
                    if builder.kind[node] != LEAF:
                        kind[index] = builder.kind[node]
                        arity[index] = builder.arity[node]
                        index += 1
                    if builder.kind[node] == SIMPLE:
                        child: cython.int = builder.first_child[node]
                        while child >= 0:
                            lows[value] = builder.low[child]
                            value += 1
                            child = builder.sibling[child]
            node_count[row] = index - offsets[row]


@cython.cclass
class IntervalEnds:
    """The number of values missing in ``permutation[l .. i]``, for all left ends `l`.

    This number, ``(highest - lowest value of l..i) - (i - l)``, is 0 exactly if l..i is an
    interval. A segment tree stores the minima over `l`, with leaves from index `width` (a power of
    two) on; `added` is the sum that was added to all leaves below an inner node.
    """

    cython.declare(permutation=cython.const[cython.int][::1], smallest=cython.int[::1])
    cython.declare(added=cython.int[::1])
    # Positions at which the maximum and the minimum, seen from the right end, change.
    cython.declare(maxima=cython.int[::1], minima=cython.int[::1], highs=cython.int)
    cython.declare(lows=cython.int, width=cython.int)

    @cython.cfunc
    @cython.nogil
    def clear(self, n: cython.int) -> void:
        """Start a row of `n` positions."""
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
        """Move the right end to position `i` of the row that starts at `start`."""
        value: cython.int = self.permutation[start + i]
        if i > 0:
            self.shift(0, i, -1)
        while self.highs > 0:
            last_high: cython.int = self.maxima[self.highs - 1]
            if self.permutation[start + last_high] > value:
                break
            first: cython.int = self.maxima[self.highs - 2] + 1 if self.highs > 1 else 0
            self.shift(first, last_high + 1, value - self.permutation[start + last_high])
            self.highs -= 1
        self.maxima[self.highs] = i
        self.highs += 1
        while self.lows > 0:
            last_high = self.minima[self.lows - 1]
            if self.permutation[start + last_high] < value:
                break
            first = self.minima[self.lows - 2] + 1 if self.lows > 1 else 0
            self.shift(first, last_high + 1, self.permutation[start + last_high] - value)
            self.lows -= 1
        self.minima[self.lows] = i
        self.lows += 1

    @cython.cfunc
    @cython.nogil
    def shift(self, first: cython.int, last: cython.int, change: cython.int) -> void:
        """Add `change` for the left ends ``first .. last-1``."""
        leaf: cython.int = first + self.width
        right: cython.int = last + self.width
        lowest: cython.int = leaf
        highest: cython.int = right - 1
        while leaf < right:
            if leaf & 1:
                self.smallest[leaf] += change
                self.added[leaf] += change
                leaf += 1
            if right & 1:
                right -= 1
                self.smallest[right] += change
                self.added[right] += change
            leaf >>= 1
            right >>= 1
        self.lift(lowest)
        self.lift(highest)

    @cython.cfunc
    @cython.nogil
    def lift(self, leaf: cython.int) -> void:
        """Update the minima above a leaf."""
        node: cython.int = leaf >> 1
        while node >= 1:
            left_smallest: cython.int = self.smallest[2 * node]
            right_smallest: cython.int = self.smallest[2 * node + 1]
            self.smallest[node] = (
                left_smallest if left_smallest < right_smallest else right_smallest
            ) + self.added[node]
            node >>= 1

    @cython.cfunc
    @cython.nogil
    def first_zero(self, i: cython.int) -> cython.int:
        """Return the first left end of an interval; at the latest `i`, a single position.

        The search goes to the left child if its minimum is 0. The entry of `i` is always 0, so
        entries after `i` are never returned.
        """
        node: cython.int = 1
        above: cython.int = 0
        while node < self.width:
            above += self.added[node]
            node *= 2
            if self.smallest[node] + above > 0:
                node += 1
        return node - self.width


def find_leftmost_intervals(
    permutation: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    short: cython.int,
    leftmost: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write the start of the longest interval that ends at each position of rows above `short`.

    ``leftmost[i]`` is the smallest position `l` of the row such that ``l .. i`` is an interval.
    """
    gaps: IntervalEnds = IntervalEnds()
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


# -- Source words in the order of their target positions. ------------------------------------------
#
# A word's span goes from ``low`` to ``high``, the first and the last target position that it is
# linked to; both are -1 for an unaligned word. Words are ordered by their first target positions,
# or by their spans, which are merged into blocks and assigned to brackets and unaligned words.
# Spans have fractions, because a bracket is placed just before or after the words that it encloses.
#
# `SpanMap` ranks spans with an ordered map although the order is partial. A span precedes another
# one if it starts or ends before it, and neither starts nor ends after it; a span and another one
# inside it are not ordered. The map treats such spans as equal, so which one it finds depends on
# the shape of its tree, and so do the ranks. To give the ranks of the original program, this is the
# red-black tree of GCC's C++ standard library, step for step.


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
    if size <= SHORT_ROW:
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
        for item in range(size):
            words[begin + item] = spare[item]
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
    """Write each row's source positions, sorted by key, and the rank of each one's group.

    ``options[0]`` is the treatment of unaligned words: 0, they get the key of the next aligned
    word; 1, of the previous one; 2, they are left out; 3, they are left out and the positions of
    the others are renumbered. If ``options[1]``, the words from the first to the last aligned one
    of a key share a rank; otherwise each word has its own rank. It cannot be combined with 3.

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
                key: cython.int = KEY_AFTER_ALL
                for i in range(words - 1, -1, -1):
                    if keys[begin + i] >= 0:
                        key = keys[begin + i]
                    inherited[i] = key
            elif unaligned == PREVIOUS:
                # Words before the first aligned one get key 0: they precede all words of the
                # smallest key in the source, and equal keys keep their order.
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


def find_target_spans(
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
                low[word] = NO_POSITION
                high[word] = NO_POSITION
            for link in range(link_offsets[row], link_offsets[row + 1]):
                word = word_offsets[row] + source[link]
                if low[word] == NO_POSITION or target[link] < low[word]:
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
    """Assign a common span to words of overlapping spans, and to all words between them.

    ``by_span`` has the words (indices into `low`) of each row, sorted by span. A word between two
    others of a block gets the block's span even if its own span starts before; earlier words with
    which its span overlapped keep theirs.
    """
    with cython.nogil:
        for row in range(first, last):
            i: longlong = word_offsets[row]
            stop: longlong = word_offsets[row + 1]
            while i < stop:
                left_span: longlong = by_span[i]
                right_span: longlong = left_span
                begin: double = low[left_span]
                end: double = high[left_span]
                i += 1
                if begin == NO_POSITION:
                    continue
                while i < stop and low[by_span[i]] <= end:
                    word: longlong = by_span[i]
                    while left_span > word:
                        left_span -= 1
                        if high[left_span] > end:
                            end = high[left_span]
                    while right_span < word:
                        right_span += 1
                        if high[right_span] > end:
                            end = high[right_span]
                    i += 1
                while left_span <= right_span:
                    low[left_span] = begin
                    high[left_span] = end
                    left_span += 1


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
    """Move matching unaligned brackets to positions just before and after the words between them.

    The code of a word is 0, or the kind of bracket (1 to 15), plus 16 if it opens and 32 if it
    closes; a word that can do both closes a bracket if one is open. Scratch: three arrays as long
    as the longest row.
    """
    with cython.nogil:
        for row in range(first, last):
            top: longlong = -1
            for word in range(word_offsets[row], word_offsets[row + 1]):
                code: cython.int = codes[word]
                begin: double = AFTER_ALL
                end: double = NO_POSITION
                if low[word] != NO_POSITION:
                    begin = low[word]
                    end = high[word]
                elif (
                    code & CLOSES
                    and top >= 0
                    and (codes[stack[top]] & BRACKET_KIND) == (code & BRACKET_KIND)
                ):
                    opening: longlong = stack[top]
                    if ends[top] != NO_POSITION:
                        begin = begins[top] - BRACKET_DISTANCE
                        end = ends[top] + BRACKET_DISTANCE
                        low[opening] = begin
                        high[opening] = begin
                        low[word] = end
                        high[word] = end
                    top -= 1
                elif code & OPENS:
                    top += 1
                    stack[top] = word
                    begins[top] = AFTER_ALL
                    ends[top] = NO_POSITION
                # The span extends that of the enclosing bracket.
                if top >= 0 and end != NO_POSITION:
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
    """Assign the span of a neighbour to each unaligned word.

    With ``to_next``: of the next aligned word; at the end of a sentence, of the last one.
    Otherwise: of the previous aligned word; at the start of a sentence, of the first one; words at
    the end of a sentence share a span after all others. In a row without links, all words have the
    same span.
    """
    with cython.nogil:
        for row in range(first, last):
            start: longlong = word_offsets[row]
            stop: longlong = word_offsets[row + 1]
            if to_next:
                for word in range(stop - 2, start - 1, -1):
                    if low[word] == NO_POSITION:
                        low[word] = low[word + 1]
                        high[word] = high[word + 1]
                for word in range(start + 1, stop):
                    if low[word] == NO_POSITION:
                        low[word] = low[word - 1]
                        high[word] = high[word - 1]
            else:
                word = stop - 1
                while word >= start and low[word] == NO_POSITION:
                    low[word] = AFTER_ALL
                    high[word] = AFTER_ALL
                    word -= 1
                for word in range(start + 1, stop):
                    if low[word] == NO_POSITION:
                        low[word] = low[word - 1]
                        high[word] = high[word - 1]
                for word in range(stop - 2, start - 1, -1):
                    if low[word] == NO_POSITION:
                        low[word] = low[word + 1]
                        high[word] = high[word + 1]


@cython.cclass
class SpanMap:
    """A red-black tree of the spans of one row; -1 stands for a missing node."""

    cython.declare(low=cython.const[double][::1], high=cython.const[double][::1])
    cython.declare(word=longlong[::1], parent=cython.int[::1], left=cython.int[::1])
    cython.declare(right=cython.int[::1], red=cython.int[::1], nodes=cython.int, root=cython.int)

    @cython.cfunc
    @cython.nogil
    def precedes(self, first: longlong, second: longlong) -> bint:
        """Return whether the span of a word precedes that of another."""
        if self.low[first] < self.low[second] and self.high[first] <= self.high[second]:
            return True
        return self.high[first] < self.high[second] and self.low[first] <= self.low[second]

    @cython.cfunc
    @cython.nogil
    def find(self, key: longlong) -> cython.int:
        """Return the first node that does not precede the word's span, if it is equal; else -1."""
        node: cython.int = self.root
        position: cython.int = -1
        while node >= 0:
            if self.precedes(self.word[node], key):
                node = self.right[node]
            else:
                position = node
                node = self.left[node]
        if position >= 0 and self.precedes(key, self.word[position]):
            return -1
        return position

    @cython.cfunc
    @cython.nogil
    def insert(self, key: longlong) -> cython.int:
        """Add a node for the word's span and return it; -1 if an equal one is met on the way."""
        node: cython.int = self.root
        above: cython.int = -1
        goes_left: bint = True
        while node >= 0:
            above = node
            goes_left = self.precedes(key, self.word[node])
            node = self.left[node] if goes_left else self.right[node]
        previous: cython.int = above
        if goes_left and above >= 0:
            previous = self.neighbour(above, True)
        if previous >= 0 and not self.precedes(self.word[previous], key):
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
        """Return the node before (with `back`) or after another in the tree's order, or -1."""
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
        """Rotate the tree at `node` to the left or right."""
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
    """Write the ranks of the words of rows whose spans are not all `comparable`.

    A word whose span is neither found nor added gets rank 0.
    """
    tree: SpanMap = SpanMap()
    nodes = array("i", bytes(4 * longest))
    found_nodes: cython.int[::1] = nodes[:]
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
                found_nodes[key - start] = node
            node = tree.root
            while node >= 0 and tree.left[node] >= 0:
                node = tree.left[node]
            rank: cython.int = 0
            while node >= 0:
                rank_of[node] = rank
                rank += 1
                node = tree.neighbour(node, False)
            for key in range(start, word_offsets[row + 1]):
                node = found_nodes[key - start]
                ranks[key] = rank_of[node] if node >= 0 else 0
