"""Which blocks of words have moved: the fewest words that keep the others from being in order.

A row has the places in a translation of words of its reference, in the order of the reference. A
block is a stretch of the row whose places follow each other among all that the row has.
"""

import cython


@cython.final
@cython.cclass
class Row:
    """Cuts one row after the other in the caller's arrays."""

    place: cython.const[cython.int][::1]
    # Whether the reader jumps before each word, and behind the last: one more than words.
    jumps: cython.const[cython.schar][::1]
    block: cython.int[::1]
    moved: cython.schar[::1]
    distance: cython.int[::1]
    passed: cython.int[::1]
    passed_last: cython.int[::1]
    cost: cython.double[::1]
    # Per block of the row: its first word, the words of the best chain from it, the next in it.
    begin: cython.int[::1]
    chain: cython.int[::1]
    following: cython.int[::1]
    # Words that stay, in order.
    stay: cython.int[::1]
    # Per place: the next one that is taken; words that stay before it; the moved block there.
    after: cython.int[::1]
    before: cython.int[::1]
    owner: cython.int[::1]
    # Per block: the last jump that was charged to it.
    charged: cython.int[::1]
    start: cython.longlong
    gaps: cython.longlong
    size: cython.int
    width: cython.int
    blocks: cython.int

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cut(self) -> cython.void:
        """Find the blocks."""
        cython.declare(i=cython.int, following=cython.int)
        for i in range(self.width):
            self.after[i] = -1
        for i in range(self.size):
            self.after[self.place[self.start + i]] = 0
        following = -1
        for i in range(self.width - 1, -1, -1):
            if self.after[i] == 0:
                self.after[i] = following
                following = i
        self.blocks = 0
        for i in range(self.size):
            if i == 0 or self.place[self.start + i] != self.after[self.place[self.start + i - 1]]:
                self.begin[self.blocks] = i
                self.blocks += 1
            self.block[self.start + i] = self.blocks - 1
        self.begin[self.blocks] = self.size

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def keep(self) -> cython.void:
        """Let those blocks stay that are in order and have most words; of equals the first."""
        cython.declare(i=cython.int, k=cython.int, end=cython.int, best=cython.int)
        best = -1
        for k in range(self.blocks - 1, -1, -1):
            end = self.place[self.start + self.begin[k + 1] - 1]
            self.chain[k] = 0
            self.following[k] = -1
            for i in range(self.blocks - 1, k, -1):
                if self.place[self.start + self.begin[i]] > end and self.chain[i] >= self.chain[k]:
                    self.chain[k] = self.chain[i]
                    self.following[k] = i
            self.chain[k] += self.begin[k + 1] - self.begin[k]
            if best < 0 or self.chain[k] >= self.chain[best]:
                best = k
        for i in range(self.size):
            self.moved[self.start + i] = 1
        while best >= 0:
            for i in range(self.begin[best], self.begin[best + 1]):
                self.moved[self.start + i] = 0
            best = self.following[best]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def measure(self) -> cython.void:
        """Count the words that stay between where a moved block is and where it belongs."""
        cython.declare(i=cython.int, k=cython.int, kept=cython.int, left=cython.int)
        cython.declare(right=cython.int, low=cython.int, high=cython.int)
        for i in range(self.width + 1):
            self.before[i] = 0
            self.owner[i] = -1
        kept = 0
        for i in range(self.size):
            if self.moved[self.start + i]:
                self.owner[self.place[self.start + i]] = self.block[self.start + i]
            else:
                self.before[self.place[self.start + i] + 1] = 1
                self.stay[kept] = i
                kept += 1
        for i in range(self.width):
            self.before[i + 1] += self.before[i]
        kept = 0
        for k in range(self.blocks):
            low = 0
            high = 0
            if not self.moved[self.start + self.begin[k]]:
                kept += self.begin[k + 1] - self.begin[k]
            else:
                left = self.before[self.place[self.start + self.begin[k]]]
                right = self.before[self.place[self.start + self.begin[k + 1] - 1] + 1]
                if right < kept:
                    low = right
                    high = kept
                elif left > kept:
                    low = kept
                    high = left
            for i in range(self.begin[k], self.begin[k + 1]):
                self.distance[self.start + i] = high - low if low == kept else low - high
                self.passed[self.start + i] = self.stay[low] if low < high else -1
                self.passed_last[self.start + i] = self.stay[high - 1] if low < high else -1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def charge(self) -> cython.longlong:
        """Charge each jump to the moved blocks that cause it; return how many have no such cause.

        A jump to or from moved blocks is theirs. One between blocks that stay belongs to the moved
        blocks that it passes over. What is left passes over words that the row does not have.
        """
        cython.declare(i=cython.int, k=cython.int, sides=cython.int, found=cython.int)
        cython.declare(one=cython.int, other=cython.int, low=cython.int, high=cython.int)
        cython.declare(causeless=cython.longlong)
        causeless = 0
        for k in range(self.blocks):
            self.charged[k] = -1
        for i in range(self.size):
            self.cost[self.start + i] = 0.0
        for i in range(self.size + 1):
            if not self.jumps[self.gaps + i]:
                continue
            one = self.block[self.start + i - 1] if i > 0 else -1
            other = self.block[self.start + i] if i < self.size else -1
            if one >= 0 and one == other:
                causeless += 1
                continue
            low = self.place[self.start + i - 1] + 1 if one >= 0 else 0
            high = self.place[self.start + i] if other >= 0 else self.width
            if one >= 0 and not self.moved[self.start + i - 1]:
                one = -1
            if other >= 0 and not self.moved[self.start + i]:
                other = -1
            sides = (1 if one >= 0 else 0) + (1 if other >= 0 else 0)
            if one >= 0:
                self.cost[self.start + self.begin[one]] += 1.0 / sides
            if other >= 0:
                self.cost[self.start + self.begin[other]] += 1.0 / sides
            if sides > 0:
                continue
            found = 0
            for k in range(low, high):
                if self.owner[k] >= 0 and self.charged[self.owner[k]] != i:
                    self.charged[self.owner[k]] = i
                    found += 1
            if found == 0:
                causeless += 1
            for k in range(self.blocks if found > 0 else 0):
                if self.charged[k] == i:
                    self.cost[self.start + self.begin[k]] += 1.0 / found
        return causeless


def moved_blocks(
    place: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    widths: cython.const[cython.longlong][::1],
    jumps: cython.const[cython.schar][::1],
    block: cython.int[::1],
    moved: cython.schar[::1],
    distance: cython.int[::1],
    passed: cython.int[::1],
    passed_last: cython.int[::1],
    cost: cython.double[::1],
    causeless: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    per_word: cython.int[::1],
    per_place: cython.int[::1],
) -> None:
    """Write for each word of each row its block, and what holds for the whole block.

    The words of row `s` have the places ``0 .. widths[s]-1``, some perhaps several times; its jumps
    begin at ``offsets[s] + s``. Written are: the number of the block in the row; whether it has
    moved; how many words that stay the translation has it too late, below 0 too early, 0 if a
    moved block repeats words; the first and the last of these words, -1 without any; at the first
    word of a moved block the jumps it causes; and the jumps of the row that no block causes.

    Scratch: `per_word`, 5 * (longest row + 1); `per_place`, 3 * (largest width + 1).
    """
    cython.declare(s=cython.Py_ssize_t)
    row: Row = Row()
    room: cython.Py_ssize_t = per_word.shape[0] // 5
    row.place = place
    row.jumps = jumps
    row.block = block
    row.moved = moved
    row.distance = distance
    row.passed = passed
    row.passed_last = passed_last
    row.cost = cost
    row.begin = per_word[:room]
    row.chain = per_word[room : 2 * room]
    row.following = per_word[2 * room : 3 * room]
    row.stay = per_word[3 * room : 4 * room]
    row.charged = per_word[4 * room : 5 * room]
    room = per_place.shape[0] // 3
    row.after = per_place[:room]
    row.before = per_place[room : 2 * room]
    row.owner = per_place[2 * room : 3 * room]
    with cython.nogil:
        for s in range(first, last):
            row.start = offsets[s]
            row.gaps = offsets[s] + s
            row.size = cython.cast(cython.int, offsets[s + 1] - offsets[s])
            row.width = cython.cast(cython.int, widths[s])
            row.cut()
            row.keep()
            row.measure()
            causeless[s] = row.charge()
