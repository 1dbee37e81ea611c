"""Blocks of words: shifted by TER, moved in a translation, shared by two rows.

Translation edit rate (`Shifter`): greedy shifts of words, then the edit distance, both as tercom
has them. The edit distance is that of a beam around the diagonal. Without the beam it can be
computed for 64 reference words at once (Myers 1999, Hyyrö 2003); where that is less than any path
outside of the beam costs, the two are the same.

Moved blocks: the fewest words that keep the others from being in order. A row has the places in a
translation of words of its reference, in the order of the reference. A block is a stretch of the
row whose places follow each other among all that the row has.

Common runs (`Tiling`): the longest first, each word in one run at most.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, schar, uchar, ulonglong, void
from cython.cimports.wordorder.kernels.distances import RowPairs

BEAM = cython.declare(cython.int, 25)
LONGEST_SHIFT = cython.declare(cython.int, 10)
FARTHEST_SHIFT = cython.declare(cython.int, 50)
MOST_SHIFTS = cython.declare(cython.int, 1000)
# References of more blocks of 64 words are compared within the beam only.
MOST_BLOCKS = cython.declare(cython.int, 8)
UNREACHED = cython.declare(cython.int, 1 << 30)
MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
TOP_BIT = cython.declare(ulonglong, 0x8000000000000000)
ONE = cython.declare(ulonglong, 1)
cython.declare(MATCH=uchar, SUBSTITUTION=uchar, DELETION=uchar, INSERTION=uchar)
MATCH, SUBSTITUTION, DELETION, INSERTION = range(4)


@cython.cclass
class Shifter:
    """Shifts the words of one hypothesis towards one reference, in the caller's arrays."""

    cython.declare(n=cython.int, m=cython.int, hypothesis=cython.int[::1])
    # The hypothesis after the shift that is being tried.
    cython.declare(moved=cython.int[::1], reference=cython.const[cython.int][::1], start=longlong)
    # Where each word is in the reference, `blocks` numbers of 64 bits a word.
    cython.declare(masks=ulonglong[::1], blocks=longlong, top=ulonglong)
    # The rows of the edit distance, as bits for +1 and -1 and as the value in the last column.
    cython.declare(plus=ulonglong[::1], minus=ulonglong[::1], ends=cython.int[::1], beam=cython.int)
    cython.declare(ratio=double)
    # What a path that leaves the beam costs at least.
    cython.declare(outside=cython.int)
    # A row of the beam; before the first, a count of each word.
    cython.declare(cells=cython.int[::1], operations=uchar[::1])
    # For each reference word the hypothesis word before or at it; and counts of wrong words
    # before each place.
    cython.declare(aligned=cython.int[::1], wrong=cython.int[::1], wrong_reference=cython.int[::1])
    # The distance before shifts, the least that words in any order could have, the shifts tried.
    cython.declare(distance=cython.int, least=cython.int, tried=cython.int, gain=cython.int)
    cython.declare(best_order=longlong, best_length=cython.int, best_start=cython.int)
    cython.declare(best_place=cython.int)
    # Where `moved` differs from `hypothesis`.
    cython.declare(first=cython.int, last=cython.int)

    @cython.cfunc
    @cython.nogil
    def edits(self) -> cython.int:
        """Return the number of shifts and edits from `hypothesis` to the reference."""
        cython.declare(shifts=cython.int)
        shifts = self.tried = 0
        self.set_up()
        while True:
            self.distance = self.moved_distance(0, 0, True)
            if self.distance == self.least:
                break
            self.align()
            self.find_shift()
            if self.tried >= MOST_SHIFTS or self.gain <= 0:
                break
            shifts += 1
            self.swap(self.best_start, self.best_length, self.best_place)
            for i in range(self.first, self.last):
                self.hypothesis[i] = self.moved[i]
        return shifts + self.distance

    @cython.cfunc
    @cython.nogil
    def set_up(self) -> void:
        """Prepare what stays the same for all shifts."""
        apart: cython.int = self.n - self.m if self.n > self.m else self.m - self.n
        self.blocks = (self.m + 63) // 64
        if self.blocks > MOST_BLOCKS:
            self.blocks = 0
        self.top = TOP_BIT >> cython.cast(ulonglong, (64 - self.m % 64) % 64)
        for i in range(self.n + self.m):
            word: longlong = (
                self.hypothesis[i] if i < self.n else self.reference[self.start + i - self.n]
            )
            self.cells[word] = 0
            for block in range(self.blocks):
                self.masks[word * self.blocks + block] = 0
        for j in range(self.m):
            word = self.reference[self.start + j]
            self.cells[word] += 1
            if self.blocks > 0:
                block = word * self.blocks + j // 64
                self.masks[block] |= ONE << cython.cast(ulonglong, j % 64)
        self.least = self.n if self.n > self.m else self.m
        for i in range(self.n):
            word = self.hypothesis[i]
            self.moved[i] = self.hypothesis[i]
            if self.cells[word] > 0:
                self.cells[word] -= 1
                self.least -= 1
        for block in range(self.blocks):
            self.plus[block] = MASK64
            self.minus[block] = 0
        self.ends[0] = self.m
        self.ratio = cython.cast(double, self.m) / (self.n if self.n > 0 else 1)
        self.beam = BEAM
        if self.n > 0 and self.m > 2 * BEAM * cython.cast(longlong, self.n):
            self.beam += (self.m - 1) // (2 * self.n) + 1
        # Less than that only for one that runs between the diagonals of the two ends all along.
        self.outside = 2 * BEAM - 2 - apart if 2 * BEAM - 2 - apart > apart else apart

    @cython.cfunc
    @cython.nogil
    def step(self, at: longlong, word: longlong) -> cython.int:
        """Turn the row at `at` into the next one; return the change in the last column."""
        carry: cython.int = 1
        change: cython.int = 0
        for block in range(self.blocks):
            top: ulonglong = self.top if block == self.blocks - 1 else TOP_BIT
            equal: ulonglong = self.masks[word * self.blocks + block]
            plus: ulonglong = self.plus[at + block]
            minus: ulonglong = self.minus[at + block]
            vertical: ulonglong = equal | minus
            if carry < 0:
                equal |= 1
            diagonal: ulonglong = ((((equal & plus) + plus) & MASK64) ^ plus) | equal
            up: ulonglong = minus | ((diagonal | plus) ^ MASK64)
            down: ulonglong = plus & diagonal
            change = (1 if up & top else 0) - (1 if down & top else 0)
            up = ((up << 1) & MASK64) | (1 if carry > 0 else 0)
            down = ((down << 1) & MASK64) | (1 if carry < 0 else 0)
            self.plus[at + block] = down | ((vertical | up) ^ MASK64)
            self.minus[at + block] = up & vertical
            carry = change
        return change

    @cython.cfunc
    @cython.nogil
    def moved_distance(self, row: longlong, most: cython.int, record: bint) -> cython.int:
        """Return the distance of `moved`, which is new from `row` on, or anything above `most`.

        With `record`, keep the rows and do not stop early.
        """
        blocks: longlong = self.blocks
        at: longlong = row * blocks
        end: cython.int = self.ends[row]
        for i in range(row, self.n if blocks > 0 else row):
            to: longlong = (i + 1 if record else self.n + 1) * blocks
            for block in range(blocks):
                self.plus[to + block] = self.plus[at + block]
                self.minus[to + block] = self.minus[at + block]
            end += self.step(to, self.moved[i])
            at = to
            if record:
                self.ends[i + 1] = end
            # Each of the rows that are left can lower it by one at most.
            elif end - (self.n - 1 - i) > most:
                return UNREACHED
        return end if blocks > 0 and end < self.outside else self.beam_distance(False)

    @cython.cfunc
    @cython.nogil
    def beam_distance(self, keep: bint) -> cython.int:
        """Return the distance of `moved` within the beam; with `keep`, write the operations.

        Of equally cheap ones a diagonal step is preferred, then a deletion, then an insertion.
        """
        cython.declare(i=cython.int, j=cython.int)
        for j in range(self.m + 1):
            self.cells[j] = j
        for i in range(1, self.n + 1):
            low: cython.int = cython.cast(cython.int, i * self.ratio) - self.beam
            high: cython.int = low + 2 * self.beam
            at: longlong = cython.cast(longlong, i - 1) * (2 * self.beam + 1) - low
            low = low if low > 0 else 0
            high = high if high < self.m + 1 and i < self.n else self.m + 1
            left: cython.int = UNREACHED
            diagonal: cython.int = UNREACHED
            if low > 0:
                diagonal = self.cells[low - 1]
                self.cells[low - 1] = UNREACHED
            for j in range(low, high):
                above: cython.int = self.cells[j]
                cost: cython.int = above + 1
                operation: uchar = DELETION
                if j > 0:
                    other: uchar = MATCH
                    if self.moved[i - 1] != self.reference[self.start + j - 1]:
                        other = SUBSTITUTION
                        diagonal += 1
                    if diagonal <= cost:
                        cost = diagonal
                        operation = other
                if left + 1 < cost:
                    cost = left + 1
                    operation = INSERTION
                self.cells[j] = cost
                if keep:
                    self.operations[at + j] = operation
                left = cost
                diagonal = above
            if i == 1:
                for j in range(high, self.m + 1):
                    self.cells[j] = UNREACHED
        return self.cells[self.m]

    @cython.cfunc
    @cython.nogil
    def align(self) -> void:
        """Align `hypothesis` (and `moved`, its copy) and mark the wrong words of both sides."""
        i: cython.int = self.n
        j: cython.int = self.m
        self.beam_distance(True)
        while i > 0 or j > 0:
            operation: uchar = INSERTION
            if i > 0:
                at: longlong = cython.cast(longlong, i - 1) * (2 * self.beam + 1) + self.beam
                operation = self.operations[at - cython.cast(cython.int, i * self.ratio) + j]
            if operation != DELETION:
                self.aligned[j - 1] = i - 1
                self.wrong_reference[j] = 0 if operation == MATCH else 1
                j -= 1
            if operation != INSERTION:
                self.wrong[i] = 0 if operation == MATCH else 1
                i -= 1
        self.wrong[0] = self.wrong_reference[0] = 0
        for i in range(self.n):
            self.wrong[i + 1] += self.wrong[i]
        for j in range(self.m):
            self.wrong_reference[j + 1] += self.wrong_reference[j]

    @cython.cfunc
    @cython.nogil
    def find_shift(self) -> void:
        """Find the best shift of words that are in the reference too; `gain` is 0 if none."""
        cython.declare(target=cython.int, offset=cython.int)
        self.gain = 0
        for start in range(self.n):
            low: cython.int = start - FARTHEST_SHIFT
            high: cython.int = start + FARTHEST_SHIFT + 1
            for target in range(low if low > 0 else 0, high if high < self.m else self.m):
                length: cython.int = 0
                at: cython.int = self.aligned[target]
                while (
                    length < LONGEST_SHIFT
                    and start + length < self.n
                    and target + length < self.m
                    and self.hypothesis[start + length]
                    == self.reference[self.start + target + length]
                ):
                    length += 1
                    if (
                        self.wrong[start + length] == self.wrong[start]
                        or self.wrong_reference[target + length] == self.wrong_reference[target]
                        or (start <= at and at < start + length)
                    ):
                        continue
                    # To before their likes, into them, and behind them.
                    previous: cython.int = -1
                    for offset in range(target - 1, target + length):
                        place: cython.int = 0 if offset < 0 else self.aligned[offset] + 1
                        if place != previous:
                            previous = place
                            self.tried += 1
                            self.try_shift(start, length, place)
                    if self.tried >= MOST_SHIFTS:
                        return

    @cython.cfunc
    @cython.nogil
    def try_shift(self, start: cython.int, length: cython.int, place: cython.int) -> void:
        """Keep a shift if it gains more than the best, or as much and comes first in the order."""
        bound: cython.int = self.distance - self.least
        # The words of one of the two spans could as well be deleted and inserted.
        if self.distance < self.outside and 2 * length < bound:
            bound = 2 * length
        # Longer ones first, then those that start earlier, then those that go to earlier places.
        order: longlong = ((cython.cast(longlong, length) << 29) - start) * (1 << 29) - place
        needed: cython.int = self.gain + (0 if self.gain > 0 and order > self.best_order else 1)
        if bound < needed:
            return
        self.swap(start, length, place)
        distance: cython.int = self.moved_distance(self.first, self.distance - needed, False)
        for i in range(self.first, self.last):
            self.moved[i] = self.hypothesis[i]
        if self.distance - distance >= needed:
            self.gain = self.distance - distance
            self.best_order = order
            self.best_length, self.best_start, self.best_place = length, start, place

    @cython.cfunc
    @cython.nogil
    def swap(self, start: cython.int, length: cython.int, place: cython.int) -> void:
        """Shift words of `hypothesis` to a place, in `moved`."""
        self.first = place if place < start else start
        middle: cython.int = start if place < start else start + length
        self.last = place
        if place <= start + length:
            self.last = start + length if place < start else place + length
        if self.last > self.n:
            self.last = self.n
        for i in range(middle, self.last):
            self.moved[self.first + i - middle] = self.hypothesis[i]
        for i in range(self.first, middle):
            self.moved[self.last - middle + i] = self.hypothesis[i]


def shifted_edits(
    pairs: RowPairs,
    edits: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write the shifts and edits from each segment's hypothesis to each of its references.

    The words of a segment, up to `longest`, are numbered from 0.
    """
    cython.declare(i=longlong)
    shifter: Shifter = Shifter()
    words = array("i", bytes(4 * longest + 8))
    # Eight blocks of 64 bits a word.
    bits = array("Q", bytes(64 * longest + 128))
    shifter.hypothesis, shifter.moved, shifter.cells = words[:], words[:], words[:]
    shifter.aligned, shifter.wrong, shifter.wrong_reference = words[:], words[:], words[:]
    shifter.ends, shifter.reference = words[:], pairs.text
    shifter.masks, shifter.plus, shifter.minus = bits[:], bits[:], bits[:]
    shifter.operations = array("B", bytes(53 * longest + 106))
    with cython.nogil:
        for segment in range(first, last):
            begin: longlong = pairs.pattern_offsets[segment]
            shifter.n = cython.cast(cython.int, pairs.pattern_offsets[segment + 1] - begin)
            for row in range(pairs.offsets[segment], pairs.offsets[segment + 1]):
                shifter.start = pairs.text_offsets[row]
                shifter.m = cython.cast(cython.int, pairs.text_offsets[row + 1] - shifter.start)
                for i in range(shifter.n):
                    shifter.hypothesis[i] = pairs.pattern[begin + i]
                edits[row] = shifter.edits() if shifter.m > 0 else shifter.n


@cython.final
@cython.cclass
class Row:
    """Cuts one row after the other in the caller's arrays."""

    cython.declare(place=cython.const[cython.int][::1])
    # Whether the reader jumps before each word, and behind the last: one more than words.
    cython.declare(jumps=cython.const[schar][::1], block=cython.int[::1], moved=schar[::1])
    cython.declare(distance=cython.int[::1], passed=cython.int[::1], passed_last=cython.int[::1])
    cython.declare(cost=double[::1])
    # Per block of the row: its first word, the words of the best chain from it, the next in it.
    cython.declare(begin=cython.int[::1], chain=cython.int[::1], following=cython.int[::1])
    # Words that stay, in order.
    cython.declare(stay=cython.int[::1])
    # Per place: the next one that is taken; words that stay before it; the moved block there.
    cython.declare(after=cython.int[::1], before=cython.int[::1], owner=cython.int[::1])
    # Per block: the last jump that was charged to it.
    cython.declare(charged=cython.int[::1], start=longlong, gaps=longlong, size=cython.int)
    cython.declare(width=cython.int, blocks=cython.int)

    @cython.cfunc
    @cython.nogil
    def cut(self) -> void:
        """Find the blocks."""
        cython.declare(i=cython.int)
        for i in range(self.width):
            self.after[i] = -1
        for i in range(self.size):
            self.after[self.place[self.start + i]] = 0
        following: cython.int = -1
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
    def keep(self) -> void:
        """Let those blocks stay that are in order and have most words; of equals the first."""
        cython.declare(i=cython.int, k=cython.int)
        best: cython.int = -1
        for k in range(self.blocks - 1, -1, -1):
            end: cython.int = self.place[self.start + self.begin[k + 1] - 1]
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
    def measure(self) -> void:
        """Count the words that stay between where a moved block is and where it belongs."""
        cython.declare(i=cython.int, low=cython.int, high=cython.int)
        for i in range(self.width + 1):
            self.before[i] = 0
            self.owner[i] = -1
        kept: cython.int = 0
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
            low = high = 0
            if not self.moved[self.start + self.begin[k]]:
                kept += self.begin[k + 1] - self.begin[k]
            else:
                left: cython.int = self.before[self.place[self.start + self.begin[k]]]
                right: cython.int = self.before[self.place[self.start + self.begin[k + 1] - 1] + 1]
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
    def charge(self) -> longlong:
        """Charge each jump to the moved blocks that cause it; return how many have no such cause.

        A jump to or from moved blocks is theirs. One between blocks that stay belongs to the moved
        blocks that it passes over. What is left passes over words that the row does not have.
        """
        cython.declare(i=cython.int, k=cython.int)
        causeless: longlong = 0
        for k in range(self.blocks):
            self.charged[k] = -1
        for i in range(self.size):
            self.cost[self.start + i] = 0.0
        for i in range(self.size + 1):
            if not self.jumps[self.gaps + i]:
                continue
            one: cython.int = self.block[self.start + i - 1] if i > 0 else -1
            other: cython.int = self.block[self.start + i] if i < self.size else -1
            if one >= 0 and one == other:
                causeless += 1
                continue
            low: cython.int = self.place[self.start + i - 1] + 1 if one >= 0 else 0
            high: cython.int = self.place[self.start + i] if other >= 0 else self.width
            if one >= 0 and not self.moved[self.start + i - 1]:
                one = -1
            if other >= 0 and not self.moved[self.start + i]:
                other = -1
            sides: cython.int = (1 if one >= 0 else 0) + (1 if other >= 0 else 0)
            if one >= 0:
                self.cost[self.start + self.begin[one]] += 1.0 / sides
            if other >= 0:
                self.cost[self.start + self.begin[other]] += 1.0 / sides
            if sides > 0:
                continue
            found: cython.int = 0
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
    offsets: cython.const[longlong][::1],
    widths: cython.const[longlong][::1],
    jumps: cython.const[schar][::1],
    block: cython.int[::1],
    moved: schar[::1],
    distance: cython.int[::1],
    passed: cython.int[::1],
    passed_last: cython.int[::1],
    cost: double[::1],
    causeless: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
    widest: Py_ssize_t,
) -> None:
    """Write for each word of each row its block, and what holds for the whole block.

    The words of row `s` have the places ``0 .. widths[s]-1``, some perhaps several times; its jumps
    begin at ``offsets[s] + s``. Written are: the number of the block in the row; whether it has
    moved; how many words that stay the translation has it too late, below 0 too early, 0 if a
    moved block repeats words; the first and the last of these words, -1 without any; at the first
    word of a moved block the jumps it causes; and the jumps of the row that no block causes. No row
    is longer than `longest`, no width larger than `widest`.
    """
    row: Row = Row()
    words = array("i", bytes(4 * longest + 4))
    places = array("i", bytes(4 * widest + 4))
    row.place, row.jumps, row.block, row.moved, row.distance = place, jumps, block, moved, distance
    row.passed, row.passed_last, row.cost = passed, passed_last, cost
    row.begin, row.chain, row.following = words[:], words[:], words[:]
    row.stay, row.charged = words[:], words[:]
    row.after, row.before, row.owner = places[:], places[:], places[:]
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


@cython.cclass
class Tiling:
    """Cuts one pair of rows after the other into common runs, in the caller's arrays.

    Of equally long runs the one that begins first in the first row is taken, then the one that
    begins first in the second. All runs of one length are found in one pass: taking one cannot make
    a new one as long.
    """

    cython.declare(one=cython.const[cython.int][::1], other=cython.const[cython.int][::1])
    cython.declare(start=longlong, size=longlong, other_start=longlong, other_size=longlong)
    # Per number of a word the last place of it in the other row, -1 if none; per place the one
    # before with the same word.
    cython.declare(last=cython.int[::1], before=cython.int[::1])
    # In which pass a word was taken, 0 if it is free.
    cython.declare(taken=cython.int[::1], other_taken=cython.int[::1])
    # Per place of the other row: the length of the run that ends there, and with which word of the
    # first row it does.
    cython.declare(run=cython.int[::1], seen=cython.int[::1])
    # The lengths of the runs, from `other_start` on, the longest first.
    cython.declare(lengths=cython.int[::1])

    @cython.cfunc
    @cython.nogil
    def sum_of_runs(self, power: cython.const[double][::1]) -> double:
        """Return the sum of ``power[length]`` over the runs."""
        cython.declare(i=cython.int)
        number: cython.int = 1
        written: longlong = self.other_start
        total: double = 0.0
        for i in range(self.size):
            self.taken[i] = 0
            self.last[self.one[self.start + i]] = -1
        for i in range(self.other_size):
            self.other_taken[i] = 0
            self.last[self.other[self.other_start + i]] = -1
        for i in range(self.other_size):
            self.before[i] = self.last[self.other[self.other_start + i]]
            self.last[self.other[self.other_start + i]] = i
        length: cython.int = self.sweep(0, 0)
        while length > 0:
            count: cython.int = self.sweep(length, number)
            total += power[length] * count
            for i in range(count):
                self.lengths[written + i] = length
            written += count
            number += 1
            # Runs of single words are all taken at once.
            length = self.sweep(0, number) if length > 1 else 0
        return total

    @cython.cfunc
    @cython.nogil
    def sweep(self, length: cython.int, number: cython.int) -> cython.int:
        """Return the length of the longest free run; or take those of a length, and count them."""
        cython.declare(i=cython.int, j=cython.int)
        longest: cython.int = 0
        count: cython.int = 0
        for j in range(self.other_size):
            self.seen[j] = -1
        for i in range(self.size):
            if not self.free(self.taken[i], number):
                continue
            j = self.last[self.one[self.start + i]]
            # From the last place on: what ends at the place before is still that of word i - 1.
            while j >= 0:
                if self.free(self.other_taken[j], number):
                    here: cython.int = 1
                    if j > 0 and i > 0 and self.seen[j - 1] == i - 1:
                        here = self.run[j - 1] + 1
                    self.run[j] = here
                    self.seen[j] = i
                    longest = max(longest, here)
                j = self.before[j]
            if length > 0:
                count += self.take(i, length, number)
        return count if length > 0 else longest

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def free(self, taken: cython.int, number: cython.int) -> bint:
        """Return whether a word was free before this pass began."""
        return taken == 0 or taken == number

    @cython.cfunc
    @cython.nogil
    def take(self, i: cython.int, length: cython.int, number: cython.int) -> cython.int:
        """Take the first run of a length that ends with word `i` and is free; return how many."""
        j: cython.int = self.last[self.one[self.start + i]]
        best: cython.int = -1
        if self.taken[i] > 0 or i + 1 < length or self.taken[i - length + 1] > 0:
            return 0
        while j >= 0:
            if (
                self.seen[j] == i
                and self.run[j] == length
                and self.other_taken[j] == 0
                and self.other_taken[j - length + 1] == 0
            ):
                best = j
            j = self.before[j]
        if best < 0:
            return 0
        for k in range(length):
            self.taken[i - k] = number
            self.other_taken[best - k] = number
        return 1


def sums_of_runs(
    pairs: RowPairs,
    power: cython.const[double][::1],
    total: double[::1],
    lengths: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    different: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write per reference the sum of ``power[length]`` over the runs it shares with its hypothesis.

    Into `lengths` the lengths of the runs, where the reference's words are. A segment has at most
    so many `different` words, a row `longest` words.
    """
    tiling: Tiling = Tiling()
    words = array("i", bytes(4 * longest))
    tiling.one, tiling.other, tiling.lengths = pairs.text, pairs.pattern, lengths
    tiling.last, tiling.before = array("i", bytes(4 * different)), words[:]
    tiling.taken, tiling.other_taken = words[:], words[:]
    tiling.run, tiling.seen = words[:], words[:]
    with cython.nogil:
        for row in range(first, last):
            tiling.start = pairs.text_offsets[pairs.text_rows[row]]
            tiling.size = pairs.text_offsets[pairs.text_rows[row] + 1] - tiling.start
            tiling.other_start = pairs.pattern_offsets[row]
            tiling.other_size = pairs.pattern_offsets[row + 1] - tiling.other_start
            total[row] = tiling.sum_of_runs(power)
