"""Long jump distance: edits and jumps that cover both sentences completely, each word once.

A lower bound lets the words of one side be covered any number of times and pays a price for each
time that is not the first (Lagrangian relaxation); prices are raised for words left out and lowered
for words covered twice. A search by iterative deepening then refutes one distance after the other.

In some cheapest path a deleted word follows its predecessor, jumps come after deletions and
insertions and before a diagonal step, and no deletion is beside an insertion; only such paths
are searched.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, ulonglong, void
from cython.cimports.wordorder.kernels.distances import RowPairs

UNIT = cython.declare(cython.int, 1024)
FAR = cython.declare(cython.int, 1 << 30)
ROUNDS = cython.declare(cython.int, 60)
# The words that are not covered yet are the bits of one number.
MOST_WORDS = cython.declare(cython.int, 64)
MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
SCATTER = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
ONE = cython.declare(ulonglong, 1)

# The steps of a path, and where one is from.
cython.declare(MATCH=cython.int, SUBSTITUTION=cython.int, INSERTION=cython.int, DELETION=cython.int)
cython.declare(JUMP=cython.int)
MATCH, SUBSTITUTION, INSERTION, DELETION, JUMP = range(5)
WALKED = cython.declare(cython.int, 1)
SEARCHED = cython.declare(cython.int, 2)


@cython.cclass
class Pair:
    """Covers the words of one sentence with those of another, in the caller's arrays."""

    cython.declare(n=cython.int, m=cython.int, words=cython.int[::1], reference=cython.int[::1])
    # What is paid in advance for each word, in units; and the prices of the best bound so far.
    cython.declare(prices=cython.int[::1], best_prices=cython.int[::1])
    # The rest of the way from each place, words covered any number of times.
    cython.declare(rest=cython.int[::1], target=cython.int[::1], covered=cython.int[::1])
    # How many more of each word are left than in the reference.
    cython.declare(surplus=cython.int[::1], lower=cython.int, upper=cython.int)
    # States from which so much is not enough.
    cython.declare(keys=ulonglong[::1], marks=longlong[::1], number=longlong, nodes=longlong)
    cython.declare(limit=longlong)
    # If wanted, the steps of a path that costs `upper`, from its end: operation, words, and
    # reference words before it. It is from `walk` or from `search`; if neither has lowered `upper`,
    # edits alone cost as little.
    cython.declare(recorded=bint, trail=cython.int[::1], steps=cython.int, origin=cython.int)
    # The steps that `walk` takes.
    cython.declare(walked=cython.int[::1])

    def __init__(
        self,
        limit: longlong,
        longest: Py_ssize_t,
        rest: cython.int[::1],
        keys: ulonglong[::1],
        marks: longlong[::1],
    ):
        """Make room for sentences of up to `longest` words; take the other scratch."""
        words = array("i", bytes(4 * longest + 8))
        self.words, self.reference, self.target = words[:], words[:], words[:]
        self.prices, self.best_prices = words[:], words[:]
        self.covered, self.surplus = words[:], words[:]
        self.rest, self.keys, self.marks, self.limit = rest, keys, marks, limit
        self.number = 0
        self.recorded = False
        self.steps = self.origin = 0

    @cython.cfunc
    @cython.nogil
    def relax(self) -> cython.int:
        """Fill `rest` under the prices; return the bound, in units."""
        cython.declare(i=cython.int, j=cython.int)
        total: cython.int = 0
        for i in range(self.n):
            total += self.prices[i]
        here: longlong = cython.cast(longlong, self.m) * (self.n + 1)
        self.rest[here + self.n] = 0
        for i in range(self.n - 1, -1, -1):
            cost: cython.int = UNIT - self.prices[i] + self.rest[here + i + 1]
            self.rest[here + i] = min(cost, UNIT)
        for j in range(self.m - 1, -1, -1):
            below: longlong = here
            here -= self.n + 1
            best: cython.int = FAR
            for i in range(self.n):
                cost = self.rest[below + i + 1] - self.prices[i]
                if self.words[i] != self.reference[j]:
                    cost += UNIT
                self.rest[here + i] = cost
                if cost < best:
                    best = cost
                    self.target[j] = i
            best += UNIT
            self.rest[here + self.n] = min(best, self.rest[below + self.n] + UNIT)
            for i in range(self.n - 1, -1, -1):
                cost = self.rest[here + i + 1] + UNIT - self.prices[i]
                cost = min(cost, best, self.rest[here + i])
                self.rest[here + i] = min(cost, self.rest[below + i] + UNIT)
        return total + self.rest[0]

    @cython.cfunc
    @cython.nogil
    def walk(self) -> cython.int:
        """Count in `covered` how often the cheapest relaxed path covers each word.

        Return the cost of a path that does it once: where a word is covered too often, a block of
        the path can be cut by an insertion, and where it is not covered, lengthened by a deletion.
        """
        cython.declare(i=cython.int, j=cython.int)
        taken: cython.int = 0
        for i in range(self.n):
            self.covered[i] = 0
        i = j = 0
        while i < self.n or j < self.m:
            here: longlong = cython.cast(longlong, j) * (self.n + 1) + i
            below: longlong = here + self.n + 1
            cost: cython.int = FAR
            if i < self.n and j < self.m:
                cost = self.rest[below + 1] - self.prices[i]
                cost += 0 if self.words[i] == self.reference[j] else UNIT
            if i < self.n and self.rest[here] == self.rest[here + 1] + UNIT - self.prices[i]:
                taken = self.note(taken, DELETION, i, j)
                self.covered[i] += 1
                i += 1
            elif j == self.m:
                taken = self.note(taken, JUMP, i, j)
                i = self.n
            elif self.rest[here] == self.rest[below] + UNIT:
                taken = self.note(taken, INSERTION, i, j)
                j += 1
            else:
                if self.rest[here] != cost:
                    taken = self.note(taken, JUMP, i, j)
                    i = self.target[j]
                wrong: cython.int = SUBSTITUTION if self.words[i] != self.reference[j] else MATCH
                taken = self.note(taken, wrong, i, j)
                self.covered[i] += 1
                i += 1
                j += 1
        cost = self.rest[0]
        miscovered: cython.int = 0
        for i in range(self.n):
            cost += self.covered[i] * self.prices[i]
            miscovered += self.covered[i] - 1 if self.covered[i] > 0 else 1
        cost = cost // UNIT + miscovered
        if self.recorded and cost < self.upper:
            self.steps = 0
            self.origin = WALKED
            for i in range(taken - 1, -1, -1):
                self.record(self.walked[3 * i], self.walked[3 * i + 1], self.walked[3 * i + 2])
        return cost

    @cython.cfunc
    @cython.nogil
    def record(self, operation: cython.int, i: cython.int, j: cython.int) -> void:
        """Add a step in front of the trail."""
        if self.recorded:
            self.trail[3 * self.steps] = operation
            self.trail[3 * self.steps + 1] = i
            self.trail[3 * self.steps + 2] = j
            self.steps += 1

    @cython.cfunc
    @cython.nogil
    def note(
        self, place: cython.int, operation: cython.int, i: cython.int, j: cython.int
    ) -> cython.int:
        """Keep a step that `walk` takes; return where the next one is kept."""
        if self.recorded:
            self.walked[3 * place] = operation
            self.walked[3 * place + 1] = i
            self.walked[3 * place + 2] = j
        return place + 1

    @cython.cfunc
    @cython.nogil
    def ascend(self) -> void:
        """Raise `lower` by subgradient steps, and find `upper` on the way."""
        best: cython.int = -FAR
        for i in range(self.n):
            self.prices[i] = 0
        for times in range(ROUNDS):
            bound: cython.int = self.relax()
            if bound > best:
                best = bound
                for i in range(self.n):
                    self.best_prices[i] = self.prices[i]
            self.upper = min(self.upper, self.walk())
            norm: longlong = 0
            for i in range(self.n):
                norm += (1 - self.covered[i]) * (1 - self.covered[i])
            if norm == 0 or best > (self.upper - 1) * UNIT:
                break
            step: longlong = (self.upper * UNIT - bound) // (norm << (times // 10)) + 1
            for i in range(self.n):
                price: longlong = self.prices[i] + step * (1 - self.covered[i])
                self.prices[i] = cython.cast(cython.int, max(-UNIT, min(UNIT, price)))
        self.lower = max(self.lower, (max(best, 0) + UNIT - 1) // UNIT)

    @cython.cfunc
    @cython.nogil
    def solve(self) -> void:
        """Set `lower` and lower `upper`: to the same number, or what is proven within the limit."""
        for i in range(self.n + self.m):
            self.surplus[self.words[i] if i < self.n else self.reference[i - self.n]] = 0
        for i in range(self.n):
            self.surplus[self.words[i]] += 1
        common: cython.int = 0
        for i in range(self.m):
            common += 1 if self.surplus[self.reference[i]] > 0 else 0
            self.surplus[self.reference[i]] -= 1
        self.lower = self.m - common
        if cython.cast(longlong, self.n + 1) * (self.m + 1) > self.rest.shape[0]:
            return
        if self.lower < self.upper:
            self.ascend()
        if self.lower >= self.upper or self.n > MOST_WORDS:
            return
        priced: cython.int = 0
        for i in range(self.n):
            self.prices[i] = self.best_prices[i]
            priced += self.prices[i]
        self.relax()
        self.number += 1
        self.nodes = 0
        while self.lower < self.upper:
            found: bint = self.search(0, 0, MASK64 >> (64 - self.n), self.n, 0, priced, common)
            if self.nodes > self.limit:
                return
            if found:
                self.upper = self.lower
            else:
                self.lower += 1

    @cython.cfunc
    @cython.nogil
    def search(
        self,
        i: cython.int,
        j: cython.int,
        left: ulonglong,
        count: cython.int,
        cost: cython.int,
        priced: cython.int,
        common: cython.int,
    ) -> bint:
        """Whether the `count` words in `left` and the reference from `j` cost `lower` at most."""
        cython.declare(k=cython.int)
        self.nodes += 1
        if self.nodes > self.limit:
            return False
        run: cython.int = 0
        while i + run < self.n and (left >> (i + run)) & 1:
            run += 1
        if count == run and (count == 0 or j == self.m):
            if cost + run + self.m - j + (0 if i + run == self.n else 1) > self.lower:
                return False
            self.steps = 0
            self.origin = SEARCHED
            if i + run < self.n:
                self.record(JUMP, i + run, self.m)
            for k in range(self.m - 1, j - 1, -1):
                self.record(INSERTION, i + run, k)
            for k in range(i + run - 1, i - 1, -1):
                self.record(DELETION, k, j)
            return True
        if j == self.m:
            return False
        mark: longlong = (self.number << 32) + (cython.cast(longlong, j) << 8) + i
        slot: longlong = (((left ^ (mark * SCATTER & MASK64)) * SCATTER) & MASK64) >> 48
        if self.keys[slot] == left and self.marks[2 * slot] == mark:
            if self.marks[2 * slot + 1] >= self.lower - cost:
                return False
        found: bint = self.step(i, j, left, count, cost, priced, common)
        now: cython.int = common
        paid: cython.int = priced
        rest: ulonglong = left
        k = 0
        while not found and k < run and self.nodes <= self.limit:
            word: cython.int = self.words[i + k]
            now -= 1 if self.surplus[word] <= 0 else 0
            self.surplus[word] -= 1
            paid -= self.prices[i + k]
            rest ^= ONE << (i + k)
            k += 1
            found = self.step(i + k, j, rest, count - k, cost + k, paid, now)
        while k > 0:
            k -= 1
            self.surplus[self.words[i + k]] += 1
            if found:
                self.record(DELETION, i + k, j)
        now = common
        while not found and j + k < self.m - 1 and self.nodes <= self.limit:
            word = self.reference[j + k]
            now -= 1 if self.surplus[word] >= 0 else 0
            self.surplus[word] += 1
            k += 1
            if cost + k + max(count, self.m - j - k) - now > self.lower:
                break
            found = self.step(i, j + k, left, count, cost + k, priced, now)
        while k > 0:
            k -= 1
            self.surplus[self.reference[j + k]] -= 1
            if found:
                self.record(INSERTION, i, j + k)
        if not found and self.nodes <= self.limit:
            self.keys[slot] = left
            self.marks[2 * slot] = mark
            self.marks[2 * slot + 1] = self.lower - cost
        return found

    @cython.cfunc
    @cython.nogil
    def step(
        self,
        i: cython.int,
        j: cython.int,
        left: ulonglong,
        count: cython.int,
        cost: cython.int,
        priced: cython.int,
        common: cython.int,
    ) -> bint:
        """Go on from a state as in `search` with a diagonal step, after a jump or without one."""
        cython.declare(k=cython.int, wrong=cython.int)
        found: bint = False
        other: cython.int = self.reference[j]
        common -= 1 if self.surplus[other] >= 0 else 0
        self.surplus[other] += 1
        j += 1
        count -= 1
        row: longlong = cython.cast(longlong, j) * (self.n + 1) + 1
        # Right words first, of them the one that needs no jump.
        for wrong in range(2):
            for k in range(-1, self.n):
                start: cython.int = i if k < 0 else k
                if start == self.n or k == i or not (left >> start) & 1:
                    continue
                word: cython.int = self.words[start]
                if (word != other) != (wrong == 1):
                    continue
                now: cython.int = common - (1 if self.surplus[word] <= 0 else 0)
                paid: cython.int = cost + wrong + (0 if k < 0 else 1)
                bound: cython.int = paid + max(count, self.m - j) - now
                rest: ulonglong = left ^ (ONE << start)
                # Each run of words that are left is entered by a jump, and the end too.
                starts: ulonglong = rest & ((rest << 1) ^ MASK64)
                if start + 1 < self.n:
                    starts &= (ONE << (start + 1)) ^ MASK64
                    bound += 0 if (rest >> (self.n - 1)) & 1 else 1
                while starts != 0:
                    starts &= starts - 1
                    bound += 1
                if bound > self.lower:
                    continue
                debt: cython.int = priced - self.prices[start]
                if paid * UNIT + debt + self.rest[row + start] > self.lower * UNIT:
                    continue
                self.surplus[word] -= 1
                found = self.search(start + 1, j, rest, count, paid, debt, now)
                self.surplus[word] += 1
                if found:
                    self.record(SUBSTITUTION if wrong else MATCH, start, j - 1)
                    if k >= 0:
                        self.record(JUMP, i, j - 1)
                if found or self.nodes > self.limit:
                    break
            if found or self.nodes > self.limit:
                break
        self.surplus[other] -= 1
        return found


def long_jump_distances(
    pairs: RowPairs,
    limit: longlong,
    lower: cython.int[::1],
    upper: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
    rest: cython.int[::1],
    keys: ulonglong[::1],
    marks: longlong[::1],
) -> None:
    """Write bounds of the distance between each segment's hypothesis and its references.

    At first `upper` holds edit distances. The words of a segment, up to `longest`, are numbered
    from 0. Scratch: `rest`, as many as there may be places of a relaxed path; `keys`, 65,536;
    `marks`, twice as many, zeros at first.
    """
    cython.declare(i=longlong)
    pair: Pair = Pair(limit, longest, rest, keys, marks)
    with cython.nogil:
        for segment in range(first, last):
            begin: longlong = pairs.pattern_offsets[segment]
            for row in range(pairs.offsets[segment], pairs.offsets[segment + 1]):
                end: longlong = pairs.text_offsets[row]
                pair.n = cython.cast(cython.int, pairs.pattern_offsets[segment + 1] - begin)
                pair.m = cython.cast(cython.int, pairs.text_offsets[row + 1] - end)
                for i in range(pair.n):
                    pair.words[i] = pairs.pattern[begin + i]
                for i in range(pair.m):
                    pair.reference[i] = pairs.text[end + i]
                # The distance is symmetric: only the shorter sentence must fit into one number.
                if pair.n > pair.m:
                    kept: cython.int[::1] = pair.words
                    pair.words = pair.reference
                    pair.reference = kept
                    pair.n = pair.m
                    pair.m = cython.cast(cython.int, pairs.pattern_offsets[segment + 1] - begin)
                pair.upper = upper[row]
                pair.solve()
                lower[row] = pair.lower
                upper[row] = pair.upper


def long_jump_steps(
    words: cython.const[cython.int][::1],
    reference: cython.const[cython.int][::1],
    limit: longlong,
    trail: cython.int[::1],
    walked: cython.int[::1],
    found: cython.int[::1],
    longest: Py_ssize_t,
    rest: cython.int[::1],
    keys: ulonglong[::1],
    marks: longlong[::1],
) -> None:
    """Write the steps of the cheapest path that is found for one pair, from its end.

    Each step of `trail` has three numbers: 0 match, 1 substitution, 2 insertion, 3 deletion or 4
    jump; the words before it; the reference words before it. `words` are not more than those of the
    reference. In `found` are the lower and at first the upper bound of the distance; then the
    number of steps, and where they are from: 0 nowhere, edits alone cost as little; 1 they cover
    words of `words` any number of times; 2 once. `trail` and `walked` have room for six times the
    words of both, and six. Other arguments: as `long_jump_distances`, numbered from 0.
    """
    cython.declare(i=longlong)
    pair: Pair = Pair(limit, longest, rest, keys, marks)
    pair.recorded = True
    pair.trail, pair.walked = trail, walked
    pair.n = cython.cast(cython.int, words.shape[0])
    pair.m = cython.cast(cython.int, reference.shape[0])
    for i in range(pair.n):
        pair.words[i] = words[i]
    for i in range(pair.m):
        pair.reference[i] = reference[i]
    pair.upper = found[1]
    pair.solve()
    found[0] = pair.lower
    found[1] = pair.upper
    found[2] = pair.steps
    found[3] = pair.origin
