"""The order that has most in common with several orders of the same sentence."""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, void

# A gain below this is rounding.
LEAST = cython.declare(double, 1e-9)
# What rounding may add to a gain, for each unit of weight; far more than it does.
ROUNDING = cython.declare(double, 1e-11)


@cython.cclass
class Agreement:
    """What the orders of one sentence have in common, and the search for the best order.

    The sentence has `count` words. ``near[width * a + b]`` is the weight of the orders in which `b`
    directly follows `a`; the beginning and the end of the sentence are the words `count` and
    ``count + 1``. ``before[width * a + b]`` is the weight of those in which `a` precedes `b`, less
    that of the others.

    Most moves gain nothing, and a bound shows it: a block gains at most what the best neighbours of
    its ends are worth, and ``2 * before`` of each word that it passes and should be on the other
    side of. `leftward` and `rightward` have the sums of these, for each word over all words on its
    left and on its right; `most_in` and `most_out` the best neighbours.
    """

    cython.declare(width=longlong, count=longlong, near=double[::1], before=double[::1])
    cython.declare(past=double[::1], leftward=double[::1], rightward=double[::1])
    cython.declare(most_in=double[::1], most_out=double[::1], slack=double, order=longlong[::1])
    cython.declare(tried=longlong[::1])

    @cython.cfunc
    @cython.nogil
    def value(self) -> double:
        """Return what the order tried shares with the orders."""
        a: longlong = self.count
        found: double = 0.0
        for i in range(self.count):
            found += self.near[self.width * a + self.tried[i]]
            a = self.tried[i]
            for j in range(i + 1, self.count):
                found += self.before[self.width * a + self.tried[j]]
        return found + self.near[self.width * a + self.count + 1]

    @cython.cfunc
    @cython.nogil
    def at(self, i: longlong) -> longlong:
        """Return the word at a place of the order tried, or the beginning or end."""
        if i < 0:
            return self.count
        if i >= self.count:
            return self.count + 1
        return self.tried[i]

    @cython.cfunc
    @cython.nogil
    def bound_neighbours(self) -> void:
        """Note for each word the most that a neighbour on either side is worth."""
        for a in range(self.count + 2):
            self.most_in[a] = self.most_out[a] = 0.0
        for a in range(self.count + 1):
            for b in range(self.count + 2):
                worth: double = self.near[self.width * a + b]
                self.most_out[a] = max(self.most_out[a], worth)
                self.most_in[b] = max(self.most_in[b], worth)

    @cython.cfunc
    @cython.nogil
    def bound_moves(self, begin: longlong, end: longlong) -> void:
        """Note what the words at places ``begin .. end-1`` can gain by passing others."""
        cython.declare(left=double, right=double)
        for i in range(begin, end):
            word: longlong = self.tried[i]
            left = right = 0.0
            for j in range(self.count):
                gain: double = 2 * self.before[self.width * word + self.tried[j]]
                if j < i and gain > 0.0:
                    left += gain
                elif j > i and gain < 0.0:
                    right -= gain
            self.leftward[word] = left
            self.rightward[word] = right

    @cython.cfunc
    @cython.nogil
    def move_one(self, longest: longlong) -> bint:
        """Make the best move of up to `longest` neighbours to another place; False for none."""
        cython.declare(left=double, right=double)
        best: double = LEAST
        best_start: longlong = -1
        best_size: longlong = 0
        best_to: longlong = 0
        for start in range(self.count):
            added: longlong = 0
            left = right = 0.0
            for size in range(1, min(longest, self.count - start) + 1):
                first: longlong = self.tried[start]
                last: longlong = self.tried[start + size - 1]
                left += self.leftward[last]
                right += self.rightward[last]
                opened: double = self.near[self.width * self.at(start - 1) + self.at(start + size)]
                opened -= self.near[self.width * self.at(start - 1) + first]
                opened -= self.near[self.width * last + self.at(start + size)]
                change: double = (
                    opened + max(left, right) + self.most_in[first] + self.most_out[last]
                )
                if change + self.slack <= best:
                    continue
                if added == 0:
                    for i in range(self.count):
                        self.past[i] = 0.0
                while added < size:
                    k: longlong = self.width * self.tried[start + added]
                    for i in range(self.count):
                        self.past[i] += self.before[k + self.tried[i]]
                    added += 1
                passed: double = 0.0
                i = start - 1
                while i >= 0:
                    # In front of what is at `i`.
                    passed += 2 * self.past[i]
                    change = opened + passed
                    change -= self.near[self.width * self.at(i - 1) + self.tried[i]]
                    change += self.near[self.width * self.at(i - 1) + first]
                    change += self.near[self.width * last + self.tried[i]]
                    if change > best:
                        best = change
                        best_start = start
                        best_size = size
                        best_to = i
                    i -= 1
                passed = 0.0
                for i in range(start + size, self.count):
                    # Behind what is at `i`.
                    passed -= 2 * self.past[i]
                    change = opened + passed
                    change -= self.near[self.width * self.tried[i] + self.at(i + 1)]
                    change += self.near[self.width * self.tried[i] + first]
                    change += self.near[self.width * last + self.at(i + 1)]
                    if change > best:
                        best = change
                        best_start = start
                        best_size = size
                        best_to = i + 1 - size
        if best_start < 0:
            return False
        self.shift(best_start, best_size, best_to)
        self.bound_moves(min(best_start, best_to), max(best_start, best_to) + best_size)
        return True

    @cython.cfunc
    @cython.nogil
    def shift(self, start: longlong, size: longlong, to: longlong) -> void:
        """Move neighbours so that the first of them is at `to`."""
        for k in range(size):
            self.order[k] = self.tried[start + k]
        i: longlong = start
        while i < to:
            self.tried[i] = self.tried[i + size]
            i += 1
        i = start - 1
        while i >= to:
            self.tried[i + size] = self.tried[i]
            i -= 1
        for k in range(size):
            self.tried[to + k] = self.order[k]


def consensus_orders(
    offsets: cython.const[longlong][::1],
    orders: cython.const[cython.int][::1],
    weights: cython.const[double][::1],
    neighbours: double,
    ends: double,
    pairs: double,
    block: longlong,
    found: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write the order of the sentences ``first .. last-1`` that agrees best with several others.

    Order `k` of the word at `i` is ``orders[k * N + i]``. A shared pair of neighbours is worth
    `neighbours` times the weight of the order that has it, a shared first or last word `ends` times
    as much, and a pair of words in the same order `pairs`, each divided by how many pairs a
    sentence has. The search starts from the best of the orders, the first of several, and moves up
    to `block` neighbours at a time for as long as that helps.
    """
    cython.declare(k=longlong)
    total: longlong = offsets[offsets.shape[0] - 1]
    width: longlong = longest + 2
    agreement: Agreement = Agreement()
    words, longs = array("d", [0.0]) * width, array("q", [0]) * width
    kept: longlong[::1] = longs[:]
    agreement.width = width
    agreement.near, agreement.before, agreement.past = words * width, words * width, words[:]
    agreement.leftward, agreement.rightward = words[:], words[:]
    agreement.most_in, agreement.most_out = words[:], words[:]
    agreement.order, agreement.tried = longs[:], longs[:]
    value: double = 0.0
    for k in range(weights.shape[0]):
        value += weights[k]
    agreement.slack = ROUNDING * value * (neighbours * (1 + ends) + pairs)
    with cython.nogil:
        for row in range(first, last):
            begin: longlong = offsets[row]
            n: longlong = offsets[row + 1] - begin
            agreement.count = n
            for i in range(n + 2):
                for j in range(n + 2):
                    agreement.near[width * i + j] = agreement.before[width * i + j] = 0.0
            share: double = neighbours / max(1, n - 1)
            pair_share: double = pairs / max(1, n * (n - 1) // 2)
            for k in range(weights.shape[0]):
                a: longlong = n
                for i in range(n):
                    b: longlong = orders[k * total + begin + i]
                    value = share
                    if i == 0:
                        value = share * ends
                    agreement.near[width * a + b] += weights[k] * value
                    for j in range(i):
                        a = orders[k * total + begin + j]
                        agreement.before[width * a + b] += weights[k] * pair_share
                        agreement.before[width * b + a] -= weights[k] * pair_share
                    a = b
                agreement.near[width * a + n + 1] += weights[k] * share * ends
            best: double = 0.0
            for k in range(weights.shape[0]):
                for i in range(n):
                    agreement.tried[i] = orders[k * total + begin + i]
                value = agreement.value()
                if k == 0 or value > best + LEAST:
                    best = value
                    for i in range(n):
                        kept[i] = agreement.tried[i]
            for i in range(n):
                agreement.tried[i] = kept[i]
            agreement.bound_neighbours()
            agreement.bound_moves(0, n)
            while agreement.move_one(block):
                pass
            for i in range(n):
                found[begin + i] = cython.cast(cython.int, agreement.tried[i])
