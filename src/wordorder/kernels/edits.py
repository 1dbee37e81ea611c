"""Edit distances of two rows of words, with word costs, jumps or shifts; moved blocks."""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, schar, uchar, ulonglong, void
from cython.cimports.wordorder.kernels._common import GOLDEN, MASK64, golden_hash, pair_key

# Edits at constant and at word costs, and exchanged blocks.

# The lowest bit of a mask, to be shifted.
LOWEST_BIT = cython.declare(ulonglong, 1)
# The row of the masks in which that of a word without a stored mask is built, after stored ones.
SPARE_ROW = cython.declare(longlong, 64)

# Types of substitution costs: constant, or computed from the characters of the words.
cython.declare(CONSTANT=cython.int, PREFIX=cython.int, LEVENSHTEIN=cython.int)
CONSTANT, PREFIX, LEVENSHTEIN = range(3)
# Costs from a table: one for all words that share a class, one per pair of words, one per word.
cython.declare(SHARED=cython.int, TABLED=cython.int, WEIGHTED=cython.int)
SHARED, TABLED, WEIGHTED = 3, 4, 5
# An edit costs more than all identities of a word can save: among paths with the fewest edits, the
# longest one is the cheapest.
CHARACTER_EDIT = cython.declare(longlong, 1 << 32)

# More than any path costs; neither a reward less nor a step more overflows.
UNREACHABLE = cython.declare(longlong, 1 << 62)

# The steps of a path: a word of each row, equal or different; a word of the text; of the pattern.
cython.declare(MATCH=schar, SUBSTITUTION=schar, INSERTION=schar, DELETION=schar, JUMP=schar)
MATCH, SUBSTITUTION, INSERTION, DELETION, JUMP = range(5)

# Long jump distance.

# The cost of an edit or a jump, in units of the prices of words.
PRICE_UNIT = cython.declare(cython.int, 1024)
# The maximum number of subgradient steps.
PRICE_ROUNDS = cython.declare(cython.int, 60)
# The uncovered words of a search are the bits of one number.
MAX_SEARCHED_WORDS = cython.declare(cython.int, 64)

# The origin of a path: the relaxed walk, or the search.
FROM_WALK = cython.declare(cython.int, 1)
FROM_SEARCH = cython.declare(cython.int, 2)

# Shifts of TER, moved blocks, common runs.

# The limits of tercom and sacreBLEU: the width of the beam on each side of the diagonal, the words
# of a shift, its distance, and the number of shifts tried.
DIAGONAL_BEAM = cython.declare(cython.int, 25)
MAX_SHIFT_WORDS = cython.declare(cython.int, 10)
MAX_SHIFT_DISTANCE = cython.declare(cython.int, 50)
MAX_TRIED_SHIFTS = cython.declare(cython.int, 1000)
# References of more blocks of 64 words are compared only within the beam.
MAX_BLOCKS = cython.declare(cython.int, 8)
# More than any path costs.
UNREACHED = cython.declare(cython.int, 1 << 30)
# The highest of 64 bits.
TOP_BIT = cython.declare(ulonglong, 0x8000000000000000)


# -- Edits at constant and at word costs, and exchanged blocks. ------------------------------------
#
# With constant costs, 64 points of the alignment grid are computed at once. A row of the grid has a
# point before, between and after the words of the pattern; each word of the text leads to the next
# row. `BitGrid` stores the positions of each distinct word of the pattern as a mask of bits. Masks
# of all words of a long pattern would take quadratic memory, so only frequent words, at most 64,
# have stored ones.
#
# In a `CostGrid` the cost of a substitution depends on the two words. It can also trace a path of
# the cover distance, and count how often the path covers each word of the pattern. Costs are
# integers: multiples of ``1 / scale`` of an edit.
#
# Inversion distance (`Chart`): edits, and exchanges of neighbouring blocks, under a bracketing
# grammar. A pair of spans is edited from left to right, in steps of one word or of an exchanged
# pair of spans. Exchanges are tried only where the words inside and outside of the pair allow a
# derivation that is cheaper than plain edits.


@cython.cclass
class RowPairs:
    """Pairs of rows of word ids.

    Row `p` of `pattern` is in the pairs ``offsets[p] .. offsets[p+1]-1``; pair `k` is with row
    ``text_rows[k]`` of `text`. Declared for other kernels in `edits.pxd`.
    """

    def __init__(
        self,
        pattern: cython.const[cython.int][::1],
        pattern_offsets: cython.const[longlong][::1],
        text: cython.const[cython.int][::1],
        text_offsets: cython.const[longlong][::1],
        offsets: cython.const[longlong][::1],
        text_rows: cython.const[longlong][::1],
    ):
        self.pattern, self.pattern_offsets = pattern, pattern_offsets
        self.text, self.text_offsets = text, text_offsets
        self.offsets, self.text_rows = offsets, text_rows


@cython.final
@cython.cclass
class BitGrid:
    """Compares one pattern after the other with texts, 64 points of the grid at once."""

    cython.declare(pattern=cython.const[cython.int][::1], text=cython.const[cython.int][::1])
    # Per word: the row of its mask; or -1 - n without a stored mask if the pattern has it n times.
    cython.declare(slot=cython.int[::1])
    # The positions of words without a mask, as chains: the last one, and the one before each.
    cython.declare(head=cython.int[::1], previous=cython.int[::1], masks=ulonglong[::1])
    cython.declare(rows=ulonglong[::1], start=longlong, size=longlong, shift=longlong)
    cython.declare(blocks=longlong)

    def __init__(self, pairs: RowPairs, word_ids: Py_ssize_t, longest: Py_ssize_t):
        """Allocate arrays for word ids below `numbers` and patterns of up to `longest` words."""
        # One bit for each point before, between and after the words of a pattern.
        blocks: Py_ssize_t = longest // 64 + 1
        self.pattern, self.text = pairs.pattern, pairs.text
        # Built from bytes, since arrays repeat their items slowly: -1 everywhere, and zeros.
        self.slot = array("i", b"\xff" * (4 * word_ids + 4))
        self.head = array("i", b"\xff" * (4 * word_ids + 4))
        self.previous = array("i", bytes(4 * longest + 4))
        self.masks = array("Q", bytes(8 * 65 * blocks))
        self.rows = array("Q", bytes(8 * 2 * blocks))

    @cython.cfunc
    @cython.nogil
    def prepare(self, start: longlong, stop: longlong, shift: longlong) -> void:
        """Set the pattern to ``pattern[start:stop]``; word `i` is bit ``i + shift`` of masks."""
        distinct: cython.int = 0
        self.start = start
        self.size = stop - start
        self.shift = shift
        self.blocks = (self.size + shift + 63) >> 6
        if self.blocks == 0:
            self.blocks = 1
        for j in range(self.blocks):
            self.masks[SPARE_ROW * self.blocks + j] = 0
        if self.blocks > 1:
            for i in range(self.size):
                word: cython.int = self.pattern[start + i]
                self.previous[i] = self.head[word] if self.slot[word] < -1 else -1
                self.head[word] = cython.cast(cython.int, i)
                self.slot[word] -= 1
        for i in range(self.size):
            word = self.pattern[start + i]
            if self.slot[word] < 0:
                if self.blocks > 1 and -1 - self.slot[word] < self.blocks:
                    continue
                self.slot[word] = distinct
                for j in range(self.blocks):
                    self.masks[distinct * self.blocks + j] = 0
                distinct += 1
            j = i + shift
            self.masks[self.slot[word] * self.blocks + (j >> 6)] |= LOWEST_BIT << (j & 63)

    @cython.cfunc
    @cython.nogil
    def reset(self) -> void:
        """Reset the words of this pattern, before the next one is prepared."""
        for i in range(self.start, self.start + self.size):
            self.slot[self.pattern[i]] = -1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def mask(self, word: cython.int) -> longlong:
        """Return the offset of a word's mask, valid until `release` is called for the word."""
        if self.slot[word] >= 0:
            return self.slot[word] * self.blocks
        spare: longlong = SPARE_ROW * self.blocks
        if self.slot[word] < -1:
            place: longlong = self.head[word]
            while place >= 0:
                bit: longlong = place + self.shift
                self.masks[spare + (bit >> 6)] |= LOWEST_BIT << (bit & 63)
                place = self.previous[place]
        return spare

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def release(self, word: cython.int) -> void:
        """Clear the mask of a word if it was built in the spare row."""
        if self.slot[word] < -1:
            place: longlong = self.head[word]
            while place >= 0:
                self.masks[SPARE_ROW * self.blocks + ((place + self.shift) >> 6)] = 0
                place = self.previous[place]

    @cython.cfunc
    @cython.nogil
    def levenshtein(self, start: longlong, stop: longlong) -> longlong:
        """Return the distance of the pattern from ``text[start:stop]`` (Myers 1999, Hyyrö 2003).

        Rows are stored as the differences of neighbours, `up` and `down`. Requires ``shift = 0``.
        """
        distance: longlong = self.size
        top: longlong = (self.size - 1) & 63
        blocks: longlong = self.blocks
        if self.size == 0:
            return stop - start
        for j in range(blocks):
            self.rows[j] = MASK64
            self.rows[blocks + j] = 0
        for i in range(start, stop):
            word: cython.int = self.text[i]
            base: longlong = self.mask(word)
            rise_in: ulonglong = 1
            fall_in: ulonglong = 0
            for j in range(blocks):
                up: ulonglong = self.rows[j]
                down: ulonglong = self.rows[blocks + j]
                same: ulonglong = self.masks[base + j] | fall_in
                zero: ulonglong = (((((same & up) + up) & MASK64) ^ up) | same) | down
                rise: ulonglong = down | (~(zero | up) & MASK64)
                fall: ulonglong = zero & up
                if j == blocks - 1:
                    distance += cython.cast(longlong, (rise >> top) & 1)
                    distance -= cython.cast(longlong, (fall >> top) & 1)
                carry: ulonglong = rise >> 63
                rise = ((rise << 1) & MASK64) | rise_in
                rise_in = carry
                carry = fall >> 63
                fall = ((fall << 1) & MASK64) | fall_in
                fall_in = carry
                self.rows[j] = fall | (~(zero | rise) & MASK64)
                self.rows[blocks + j] = rise & zero
            self.release(word)
        return distance

    # -- Rows of the cover distance have only two values, the minimum and the minimum plus one,
    # since -- a jump leads from the minimum to any position. A row is stored as the minimum, and
    # bits that -- are 1 at positions with the minimum.

    @cython.cfunc
    @cython.nogil
    def first_row(self, row: longlong) -> void:
        """Write the row before the text's first word: 0 at the start, 1 everywhere else."""
        self.rows[row] = 1
        for j in range(1, self.blocks):
            self.rows[row + j] = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def next_row(self, row: longlong, following: longlong, word: cython.int) -> cython.int:
        """Write the bits of the row after a word of the text; return its increase.

        If a match starts from a minimum, such matches are the new minima. Otherwise the minimum
        increases by one, and is reached from an old minimum by a substitution or an insertion, and
        from any position by a match.
        """
        blocks: longlong = self.blocks
        base: longlong = self.mask(word)
        matches: ulonglong = 0
        carry: ulonglong = 0
        for j in range(blocks):
            bits: ulonglong = self.rows[row + j]
            self.rows[following + j] = ((bits << 1) | carry) & self.masks[base + j]
            carry = bits >> 63
            matches |= self.rows[following + j]
        if matches == 0:
            carry = 0
            for j in range(blocks):
                bits = self.rows[row + j]
                self.rows[following + j] = (
                    bits | ((bits << 1) & MASK64) | carry | self.masks[base + j]
                )
                carry = bits >> 63
        self.release(word)
        return 1 if matches == 0 else 0

    @cython.cfunc
    @cython.nogil
    def excess(self, row: longlong, place: longlong) -> cython.int:
        """Return 0 where a row has its minimum, else 1."""
        return 1 - cython.cast(
            cython.int, (self.rows[row + (place >> 6)] >> (place & 63)) & LOWEST_BIT
        )

    @cython.cfunc
    @cython.nogil
    def cover(self, start: longlong, stop: longlong) -> longlong:
        """Return the cover distance of the pattern from ``text[start:stop]``.

        Requires ``shift = 1``.
        """
        row: longlong = 0
        distance: longlong = 0
        self.first_row(row)
        for i in range(start, stop):
            distance += self.next_row(row, self.blocks - row, self.text[i])
            row = self.blocks - row
        return distance + self.excess(row, self.size)


def bit_distances(
    pairs: RowPairs,
    cover: bint,
    distance: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    grid: BitGrid,
) -> None:
    """Write the Levenshtein distance of each pair of rows.

    With `cover`, write the cover distance: each word of the text is covered once, words of the
    pattern any number of times.
    """
    with cython.nogil:
        for row in range(first, last):
            grid.prepare(pairs.pattern_offsets[row], pairs.pattern_offsets[row + 1], cover)
            for k in range(pairs.offsets[row], pairs.offsets[row + 1]):
                start: longlong = pairs.text_offsets[pairs.text_rows[k]]
                stop: longlong = pairs.text_offsets[pairs.text_rows[k] + 1]
                if cover:
                    distance[k] = grid.cover(start, stop)
                else:
                    distance[k] = grid.levenshtein(start, stop)
            grid.reset()


def common_words(
    pairs: RowPairs,
    common: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    count: cython.int[::1],
) -> None:
    """Count the words that the two rows of each pair share, repeated words by their smaller count.

    Scratch: `count`, zeros, one per word id.
    """
    with cython.nogil:
        for row in range(first, last):
            for k in range(pairs.offsets[row], pairs.offsets[row + 1]):
                line: longlong = pairs.text_rows[k]
                for i in range(pairs.pattern_offsets[row], pairs.pattern_offsets[row + 1]):
                    count[pairs.pattern[i]] += 1
                shared: longlong = 0
                for i in range(pairs.text_offsets[line], pairs.text_offsets[line + 1]):
                    word: cython.int = pairs.text[i]
                    if count[word] > 0:
                        count[word] -= 1
                        shared += 1
                for i in range(pairs.pattern_offsets[row], pairs.pattern_offsets[row + 1]):
                    count[pairs.pattern[i]] = 0
                common[k] = shared


@cython.cclass
class CostGrid:
    """Computes distances and paths of one pair of rows after the other, with word costs."""

    cython.declare(pattern=cython.const[cython.int][::1], text=cython.const[cython.int][::1])
    # For each word its characters, its sorted classes, or the sorted words with which it has a
    # cost.
    cython.declare(codes=cython.const[cython.int][::1], code_offsets=cython.const[longlong][::1])
    # The cost of words that share a class; of each pair of words in `codes`; or of each word.
    cython.declare(table=cython.const[double][::1], kind=cython.int)
    # A cache of Levenshtein costs of pairs of words; the number of slots is a power of two, and the
    # key of a free slot is -1.
    cython.declare(
        keys=longlong[::1], cached=longlong[::1], edits=longlong[::1], rows=longlong[::1]
    )
    cython.declare(coverage=cython.int[::1])
    # The steps of a path, if it is traced: operation, start in both rows, and cost.
    cython.declare(operation=schar[::1], pattern_place=cython.int[::1], text_place=cython.int[::1])
    cython.declare(price=longlong[::1], scale=longlong)
    # To prefer long blocks among the cheapest paths: the reward of an identity after another one,
    # the extra cost of a jump, and the reward of each identity; otherwise 0.
    cython.declare(reward=longlong, penalty=longlong, extra=longlong, start=longlong, size=longlong)

    def __init__(
        self,
        pattern: cython.const[cython.int][::1],
        text: cython.const[cython.int][::1],
        codes: cython.const[cython.int][::1],
        code_offsets: cython.const[longlong][::1],
        table: cython.const[double][::1],
        kind: cython.int,
        slots: Py_ssize_t,
        longest: Py_ssize_t,
        room: Py_ssize_t,
        width: Py_ssize_t,
    ):
        """Store rows of words and their costs.

        `kind` is the type of costs, relative to an edit: 0 constant; 1 prefix and 2 Levenshtein, of
        the characters in `codes`; 3 ``given[0]`` for words with a common class in `codes`, else 1;
        4 ``given[i]`` for a word and ``codes[i]`` in its row, else 1; 5 the sum of ``given[word]``
        of both words, at most 2. Values in `given` are above 0 and at most 2; rows of classes and
        words are sorted.

        `slots`, a power of two, is the size of the cache; words have up to `longest` characters.
        `width` is the length of a row: that of the longest pattern plus 1. `room` is the length of
        two rows; to trace a path, of ``2 * step + 2`` rows, where `step` is the square root of the
        longest text, rounded up; with a reward, twice that.
        """
        self.pattern, self.text, self.kind = pattern, text, kind
        self.codes, self.code_offsets, self.table = codes, code_offsets, table
        self.scale = self.reward = self.penalty = self.extra = 0
        self.keys = memoryview(array("q", b"\xff" * (8 * slots)))
        self.cached = array("q", bytes(8 * slots))
        self.edits = array("q", bytes(8 * longest + 8))
        # This array is large, so it is not built from a copy.
        self.rows = array("q", [0]) * (room + 1)
        self.coverage = array("i", bytes(4 * width + 4))

    @cython.cfunc
    @cython.nogil
    def rescale(self, scale: longlong) -> void:
        """Set the cost of an edit to `scale` and forget cached costs, which hold for one scale."""
        if scale != self.scale:
            self.scale = scale
            for place in range(self.keys.shape[0]):
                self.keys[place] = -1

    @cython.cfunc
    @cython.nogil
    def share(self, part: longlong, total: longlong) -> longlong:
        """Return ``part / whole`` of the scale, rounded to the nearest integer."""
        unit: longlong = self.scale // total
        remainder: longlong = self.scale - unit * total
        return part * unit + (part * remainder + total // 2) // total

    @cython.cfunc
    @cython.nogil
    def cost(self, first: cython.int, second: cython.int) -> longlong:
        """Return the cost of substituting a word for another."""
        if first == second:
            return 0
        if self.kind == CONSTANT:
            return self.scale
        # Computing these costs is faster than a cache.
        if self.kind == PREFIX:
            return self.prefix_cost(first, second)
        if self.kind != LEVENSHTEIN:
            return self.table_cost(first, second)
        key: longlong = pair_key(first, second)
        place: longlong = golden_hash(key, 40) & (self.keys.shape[0] - 1)
        if self.keys[place] != key:
            self.keys[place] = key
            self.cached[place] = self.levenshtein_cost(first, second)
        return self.cached[place]

    @cython.cfunc
    @cython.nogil
    def prefix_cost(self, first: cython.int, second: cython.int) -> longlong:
        """Return 1 minus the length of the common prefix over the mean length of two words."""
        i: longlong = self.code_offsets[first]
        j: longlong = self.code_offsets[second]
        stop: longlong = self.code_offsets[first + 1]
        end: longlong = self.code_offsets[second + 1]
        both: longlong = stop - i + end - j
        different: longlong = both
        while i < stop and j < end and self.codes[i] == self.codes[j]:
            different -= 2
            i += 1
            j += 1
        return self.share(different, both)

    @cython.cfunc
    @cython.nogil
    def table_cost(self, first: cython.int, second: cython.int) -> longlong:
        """Return the cost of two different words from a table or from classes."""
        place: longlong = -1
        if self.kind == WEIGHTED:
            cost: double = min(self.table[first] + self.table[second], 2.0)
        else:
            if self.kind == TABLED:
                place = self.find_tabled(first, second)
            elif self.share_class(first, second):
                place = 0
            if place < 0:
                return self.scale
            cost = self.table[place]
        return cython.cast(longlong, cost * cython.cast(double, self.scale) + 0.5)

    @cython.cfunc
    @cython.nogil
    def find_tabled(self, first: cython.int, second: cython.int) -> longlong:
        """Return the index of a word in the sorted row of another one, -1 if it is missing."""
        begin: longlong = self.code_offsets[first]
        end: longlong = self.code_offsets[first + 1]
        while begin < end:
            middle: longlong = (begin + end) // 2
            if self.codes[middle] < second:
                begin = middle + 1
            else:
                end = middle
        if begin < self.code_offsets[first + 1] and self.codes[begin] == second:
            return begin
        return -1

    @cython.cfunc
    @cython.nogil
    def share_class(self, first: cython.int, second: cython.int) -> bint:
        """Return whether the sorted rows of two words have a class in common."""
        i: longlong = self.code_offsets[first]
        j: longlong = self.code_offsets[second]
        stop: longlong = self.code_offsets[first + 1]
        end: longlong = self.code_offsets[second + 1]
        while i < stop and j < end:
            if self.codes[i] == self.codes[j]:
                return True
            if self.codes[i] < self.codes[j]:
                i += 1
            else:
                j += 1
        return False

    @cython.cfunc
    @cython.nogil
    def levenshtein_cost(self, first: cython.int, second: cython.int) -> longlong:
        """Return the share of edits among the steps of the cheapest path from one word to the
        other.

        Of the cheapest paths the longest one counts, which has the most identities.
        """
        i: longlong = self.code_offsets[first]
        j: longlong = self.code_offsets[second]
        stop: longlong = self.code_offsets[first + 1]
        end: longlong = self.code_offsets[second + 1]
        identities: longlong = 0
        # A longest cheapest path contains the equal characters at both ends.
        while i < stop and j < end and self.codes[i] == self.codes[j]:
            i += 1
            j += 1
            identities += 1
        while i < stop and j < end and self.codes[stop - 1] == self.codes[end - 1]:
            stop -= 1
            end -= 1
            identities += 1
        begin: longlong = i
        for i in range(begin, stop + 1):
            self.edits[i - begin] = (i - begin) * CHARACTER_EDIT
        while j < end:
            code: cython.int = self.codes[j]
            corner: longlong = self.edits[0]
            best: longlong = corner + CHARACTER_EDIT
            self.edits[0] = best
            for i in range(begin, stop):
                best += CHARACTER_EDIT
                if self.edits[i - begin + 1] + CHARACTER_EDIT < best:
                    best = self.edits[i - begin + 1] + CHARACTER_EDIT
                corner += -1 if self.codes[i] == code else CHARACTER_EDIT
                if corner < best:
                    best = corner
                corner = self.edits[i - begin + 1]
                self.edits[i - begin + 1] = best
            j += 1
        best = (self.edits[stop - begin] + CHARACTER_EDIT - 1) // CHARACTER_EDIT
        identities += best * CHARACTER_EDIT - self.edits[stop - begin]
        return self.share(best, best + identities)

    @cython.cfunc
    @cython.nogil
    def first_row(self, row: longlong, jumps: bint) -> void:
        """Write the row before the text's first word."""
        for i in range(self.size + 1):
            self.rows[row + i] = self.scale * (1 if jumps and i > 1 else i)
            if self.reward > 0:
                self.rows[row + i] += self.penalty if i > 1 else 0
                self.rows[row + self.size + 1 + i] = UNREACHABLE

    @cython.cfunc
    @cython.nogil
    def next_row(self, row: longlong, following: longlong, word: cython.int, jumps: bint) -> void:
        """Write the row after a word of the text."""
        edit: longlong = self.scale
        best: longlong = self.rows[row] + edit
        least: longlong = best
        self.rows[following] = best
        for i in range(1, self.size + 1):
            best += edit
            value: longlong = self.rows[row + i] + edit
            if value < best:
                best = value
            value = self.rows[row + i - 1]
            # Costs are not negative, so the costs of most pairs need not be computed.
            if value < best:
                value += self.cost(self.pattern[self.start + i - 1], word)
                if value < best:
                    best = value
            self.rows[following + i] = best
            if best < least:
                least = best
        if jumps:
            least += edit
            for i in range(self.size + 1):
                if self.rows[following + i] > least:
                    self.rows[following + i] = least

    @cython.cfunc
    @cython.nogil
    def next_linked_row(self, row: longlong, following: longlong, word: cython.int) -> void:
        """Write the row after a word of the text, with jumps, rewards and penalties.

        It is followed by a second row: the costs of paths that end with an identity.
        """
        linked: longlong = self.size + 1
        edit: longlong = self.scale
        best: longlong = self.rows[row] + edit
        least: longlong = best
        self.rows[following] = best
        self.rows[following + linked] = UNREACHABLE
        for i in range(1, self.size + 1):
            best = min(best, self.rows[row + i]) + edit
            value: longlong = self.rows[row + i - 1]
            pattern_word: cython.int = self.pattern[self.start + i - 1]
            self.rows[following + linked + i] = UNREACHABLE
            if pattern_word == word:
                value = min(value, self.rows[row + linked + i - 1] - self.reward) - self.extra
                self.rows[following + linked + i] = value
                best = min(best, value)
            elif value < best:
                best = min(best, value + self.cost(pattern_word, word))
            self.rows[following + i] = best
            least = min(least, best)
        least += edit + self.penalty
        for i in range(self.size + 1):
            self.rows[following + i] = min(self.rows[following + i], least)

    @cython.cfunc
    @cython.nogil
    def distance(self, start: longlong, stop: longlong, jumps: bint) -> longlong:
        """Return the distance of the pattern from ``text[start:stop]``."""
        row: longlong = 0
        width: longlong = self.size + 1
        self.first_row(row, jumps)
        for i in range(start, stop):
            self.next_row(row, width - row, self.text[i], jumps)
            row = width - row
        return self.rows[row + self.size]

    @cython.cfunc
    @cython.nogil
    def miscoverage(self, start: longlong, stop: longlong) -> longlong:
        """Return the sum of ``|1 - coverage|`` over the words of the pattern."""
        total: longlong = 0
        self.walk(start, stop, -1)
        for i in range(self.size):
            total += 1 if self.coverage[i] == 0 else self.coverage[i] - 1
        return total

    @cython.cfunc
    @cython.nogil
    def walk(self, start: longlong, stop: longlong, place: longlong) -> longlong:
        """Count `coverage` on a cheapest path; write its steps before `place`, unless that is -1.

        The path is traced from its end; ties are resolved in the order substitution or identity,
        insertion, deletion, jump from the first minimum of the row. Rows are stored for every
        `step` words of the text, and those between them computed again. Return the index of the
        first step.
        """
        width: longlong = self.width()
        length: longlong = stop - start
        step: longlong = 1
        linked: bint = False
        while step * step < length:
            step += 1
        block: longlong = (length + step - 1) // step - 1 if length > 0 else 0
        base: longlong = (block + 1) * width
        self.first_row(0, True)
        for i in range(block):
            self.fill(i, base, step, start, stop)
            for column in range(width):
                self.rows[(i + 1) * width + column] = self.rows[base + step * width + column]
        self.fill(block, base, step, start, stop)
        for i in range(self.size):
            self.coverage[i] = 0
        i = self.size
        column = length
        while i > 0 or column > 0:
            if column == block * step and column > 0:
                block -= 1
                self.fill(block, base, step, start, stop)
            row: longlong = base + (column - block * step) * width
            operation: schar = MATCH if linked else self.last_step(row, i, column, start)
            if operation == MATCH and self.reward > 0:
                linked = self.rows[row + self.size + 1 + i] == (
                    self.rows[row - width + self.size + i] - self.reward - self.extra
                )
            if operation == JUMP:
                i = self.lowest(row)
            if operation <= SUBSTITUTION or operation == INSERTION:
                column -= 1
            if operation <= SUBSTITUTION or operation == DELETION:
                i -= 1
                self.coverage[i] += 1
            if place >= 0:
                place -= 1
                self.operation[place] = operation
                self.pattern_place[place] = cython.cast(cython.int, i)
                self.text_place[place] = cython.cast(cython.int, column)
                self.price[place] = self.scale
                if operation <= SUBSTITUTION:
                    self.price[place] = self.cost(
                        self.pattern[self.start + i], self.text[start + column]
                    )
        return place

    @cython.cfunc
    @cython.nogil
    def last_step(self, row: longlong, i: longlong, column: longlong, start: longlong) -> schar:
        """Return the last step of the path to cell `i` of the row after `column` text words."""
        value: longlong = self.rows[row + i]
        above: longlong = row - self.width()
        if column > 0 and i > 0:
            pattern_word: cython.int = self.pattern[self.start + i - 1]
            text_word: cython.int = self.text[start + column - 1]
            if pattern_word != text_word:
                if value == self.rows[above + i - 1] + self.cost(pattern_word, text_word):
                    return SUBSTITUTION
            elif self.reward > 0:
                if value == self.rows[row + self.size + 1 + i]:
                    return MATCH
            elif value == self.rows[above + i - 1]:
                return MATCH
        if column > 0 and value == self.rows[above + i] + self.scale:
            return INSERTION
        if i > 0 and value == self.rows[row + i - 1] + self.scale:
            return DELETION
        return JUMP

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def width(self) -> longlong:
        """Return the width of a row."""
        return (self.size + 1) * (2 if self.reward > 0 else 1)

    @cython.cfunc
    @cython.nogil
    def fill(
        self, block: longlong, base: longlong, step: longlong, start: longlong, stop: longlong
    ) -> void:
        """Write the rows of a block at `base`, from the stored row before it."""
        width: longlong = self.width()
        for i in range(width):
            self.rows[base + i] = self.rows[block * width + i]
        for i in range(step):
            if start + block * step + i < stop:
                row: longlong = base + i * width
                word: cython.int = self.text[start + block * step + i]
                if self.reward > 0:
                    self.next_linked_row(row, row + width, word)
                else:
                    self.next_row(row, row + width, word, True)

    @cython.cfunc
    @cython.nogil
    def lowest(self, row: longlong) -> longlong:
        """Return the first index of a row's minimum."""
        place: longlong = 0
        for i in range(1, self.size + 1):
            if self.rows[row + i] < self.rows[row + place]:
                place = i
        return place


def compute_weighted_distances(
    pairs: RowPairs,
    scale: cython.const[longlong][::1],
    jumps: bint,
    traced: bint,
    distance: longlong[::1],
    miscoverage: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    grid: CostGrid,
) -> None:
    """Write the distance of each pair of rows: Levenshtein's, or the cover distance with `jumps`.

    An edit of pair `k` costs ``scale[k]``, which is the unit of its distance. If `traced`, also
    write the miscoverage of a path of the cover distance.
    """
    with cython.nogil:
        for row in range(first, last):
            grid.start = pairs.pattern_offsets[row]
            grid.size = pairs.pattern_offsets[row + 1] - grid.start
            for k in range(pairs.offsets[row], pairs.offsets[row + 1]):
                begin: longlong = pairs.text_offsets[pairs.text_rows[k]]
                end: longlong = pairs.text_offsets[pairs.text_rows[k] + 1]
                grid.rescale(scale[k])
                distance[k] = grid.distance(begin, end, jumps)
                if traced:
                    miscoverage[k] = grid.miscoverage(begin, end)


def trace_cover_steps(
    pairs: RowPairs,
    scale: cython.const[longlong][::1],
    reward: longlong,
    penalty: longlong,
    extra: longlong,
    ends: cython.const[longlong][::1],
    begins: longlong[::1],
    operation: schar[::1],
    pattern_place: cython.int[::1],
    text_place: cython.int[::1],
    price: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    grid: CostGrid,
) -> None:
    """Write the steps of a path of the cover distance of each pair of rows.

    The steps of pair `k` are ``begins[k] .. ends[k]-1``, at most two for each word of the text plus
    one. A step has an operation, the positions in pattern and text at which it starts, and a price.
    With a `reward` for equal words after equal words, the cheapest path with the highest sum of
    rewards is chosen, minus a `penalty` for each jump, plus `extra` for each equal word; prices do
    not include these. `scale`: as in `compute_weighted_distances`.
    """
    grid.operation, grid.pattern_place, grid.text_place = operation, pattern_place, text_place
    grid.price, grid.reward, grid.penalty, grid.extra = price, reward, penalty, extra
    with cython.nogil:
        for row in range(first, last):
            grid.start = pairs.pattern_offsets[row]
            grid.size = pairs.pattern_offsets[row + 1] - grid.start
            for k in range(pairs.offsets[row], pairs.offsets[row + 1]):
                line: longlong = pairs.text_rows[k]
                grid.rescale(scale[k])
                begins[k] = grid.walk(
                    pairs.text_offsets[line], pairs.text_offsets[line + 1], ends[k]
                )


def word_costs(
    pattern_offsets: cython.const[longlong][::1],
    pattern_rows: cython.const[longlong][::1],
    text_offsets: cython.const[longlong][::1],
    scale: cython.const[longlong][::1],
    cost_offsets: cython.const[longlong][::1],
    cost: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    grid: CostGrid,
) -> None:
    """Write the costs of each word of row `k` of the text with each word of its row of the pattern.

    They start at ``cost_offsets[k] - cost_offsets[first]``, with a row for each word of the
    shorter of the two. `scale`: as in `compute_weighted_distances`.
    """
    with cython.nogil:
        for k in range(first, last):
            offset: longlong = cost_offsets[k] - cost_offsets[first]
            grid.rescale(scale[k])
            grid.start = pattern_offsets[pattern_rows[k]]
            rows: longlong = pattern_offsets[pattern_rows[k] + 1] - grid.start
            columns: longlong = text_offsets[k + 1] - text_offsets[k]
            down: longlong = columns if rows <= columns else 1
            for i in range(rows):
                for j in range(columns):
                    cost[offset + i * down + j * (rows if rows > columns else 1)] = grid.cost(
                        grid.pattern[grid.start + i], grid.text[text_offsets[k] + j]
                    )


@cython.cclass
class Chart:
    """The distances of all pairs of spans of two sentences, in buffers of the caller."""

    cython.declare(n=cython.int, m=cython.int)
    # The costs of an edit and of an exchange.
    cython.declare(edit=cython.int, exchange=cython.int, words=cython.int[::1])
    cython.declare(reference=cython.int[::1], row=cython.int[::1])
    # Counts of each word in the two sentences, and in the current spans.
    cython.declare(total=cython.int[::1], reference_total=cython.int[::1], inside=cython.int[::1])
    cython.declare(reference_inside=cython.int[::1])
    # Exchanged pairs of spans, in a chain for each pair of ends: the pair of starts, and the next.
    cython.declare(heads=cython.int[::1], starts=cython.int[::1], chain=cython.int[::1])
    cython.declare(used=cython.int, cells=cython.int[::1])
    # Costs from this one on are not of interest.
    cython.declare(limit=cython.int)

    @cython.cfunc
    @cython.nogil
    def distance(self) -> cython.int:
        """Return the distance of the two sentences."""
        cython.declare(i=cython.int, j=cython.int)
        common: cython.int = 0
        for i in range(self.n + self.m):
            word: cython.int = self.words[i] if i < self.n else self.reference[i - self.n]
            self.total[word] = 0
            self.reference_total[word] = 0
            self.inside[word] = 0
            self.reference_inside[word] = 0
        for i in range(self.n):
            self.total[self.words[i]] += 1
        for j in range(self.m):
            word = self.reference[j]
            common += 1 if self.reference_total[word] < self.total[word] else 0
            self.reference_total[word] += 1
        plain: cython.int = self.levenshtein()
        # Missing and surplus words cost an edit each, and an exchange is an additional cost.
        least: cython.int = (max(self.n, self.m) - common) * self.edit
        with_exchange: cython.int = self.edit + self.exchange
        # A small limit of costs prunes most of the chart; it is raised until it suffices.
        while least + self.exchange < plain:
            self.limit = min(plain, least + with_exchange)
            for i in range((self.n + 1) * (self.m + 1)):
                self.heads[i] = -1
            self.used = 0
            for i in range(self.n, -1, -1):
                for j in range(self.m, -1, -1):
                    self.fill(i, j, common)
            plain = min(plain, self.cells[self.n * (self.m + 1) + self.m])
            if plain <= self.limit:
                break
            with_exchange *= 3
        return plain

    @cython.cfunc
    @cython.nogil
    def levenshtein(self) -> cython.int:
        """Return the distance without exchanges."""
        cython.declare(i=cython.int)
        for i in range(self.n + 1):
            self.row[i] = i * self.edit
        for j in range(self.m):
            diagonal: cython.int = self.row[0]
            self.row[0] += self.edit
            for i in range(self.n):
                above: cython.int = self.row[i + 1]
                diagonal += 0 if self.words[i] == self.reference[j] else self.edit
                self.row[i + 1] = min(diagonal, above + self.edit, self.row[i] + self.edit)
                diagonal = above
        return self.row[self.n]

    @cython.cfunc
    @cython.nogil
    def fill(self, start: cython.int, begin: cython.int, common: cython.int) -> void:
        """Compute the distances of all pairs of spans that start at `start` and `begin`."""
        cython.declare(i=cython.int, j=cython.int)
        wide: cython.int = self.m + 1
        plane: longlong = cython.cast(longlong, start * wide + begin) * (self.n + 1) * wide
        outer: cython.int = common
        for j in range(begin, wide):
            self.cells[plane + start * wide + j] = (j - begin) * self.edit
        for i in range(start + 1, self.n + 1):
            word: cython.int = self.words[i - 1]
            if self.total[word] - self.inside[word] <= self.reference_total[word]:
                outer -= 1
            self.inside[word] += 1
            cell: longlong = plane + i * wide
            self.cells[cell + begin] = (i - start) * self.edit
            # Common words inside and outside of the two spans.
            within: cython.int = 0
            around: cython.int = outer
            for j in range(begin + 1, wide):
                word = self.reference[j - 1]
                if self.reference_inside[word] < self.inside[word]:
                    within += 1
                if (
                    self.reference_total[word] - self.reference_inside[word]
                    <= self.total[word] - self.inside[word]
                ):
                    around -= 1
                self.reference_inside[word] += 1
                best: cython.int = self.cells[cell - wide + j - 1]
                best += 0 if self.words[i - 1] == word else self.edit
                best = min(best, self.cells[cell - wide + j] + self.edit)
                best = min(best, self.cells[cell + j - 1] + self.edit)
                best = self.cost_with_last_exchange(plane, start, begin, i * wide + j, best)
                low: cython.int = (max(i - start, j - begin) - within) * self.edit + self.exchange
                if low < best:
                    apart: cython.int = max(self.n - i + start, self.m - j + begin) - around
                    if low + apart * self.edit < self.limit:
                        best = self.exchange_cost(start, begin, i, j, best)
                self.cells[cell + j] = best
            for j in range(begin, self.m):
                self.reference_inside[self.reference[j]] = 0
        for i in range(start, self.n):
            self.inside[self.words[i]] = 0

    @cython.cfunc
    @cython.nogil
    def cost_with_last_exchange(
        self,
        plane: longlong,
        start: cython.int,
        begin: cython.int,
        end: cython.int,
        best: cython.int,
    ) -> cython.int:
        """Return the lowest cost with an exchanged pair as the last step, or `best`."""
        wide: cython.int = self.m + 1
        entry: cython.int = self.heads[end]
        while entry >= 0:
            place: cython.int = self.starts[entry]
            # The pair may start before `begin` in the reference.
            if place % wide >= begin:
                cost: cython.int = self.cells[plane + place]
                cost += self.cells[cython.cast(longlong, place) * (self.n + 1) * wide + end]
                best = min(best, cost)
            entry = self.chain[entry]
        return best

    @cython.cfunc
    @cython.nogil
    def exchange_cost(
        self,
        start: cython.int,
        begin: cython.int,
        end: cython.int,
        stop: cython.int,
        best: cython.int,
    ) -> cython.int:
        """Return the lowest cost of a pair of spans as an exchange of two parts, or `best`."""
        cython.declare(i=cython.int, j=cython.int)
        wide: longlong = self.m + 1
        plane: longlong = (self.n + 1) * wide
        least: cython.int = best - self.exchange
        for i in range(start + 1, end):
            # The first part of the candidate is paired with the second of the reference, and the
            # other way round.
            left_part: longlong = start * wide * plane + i * wide + stop
            right_part: longlong = (i * wide + begin) * plane + end * wide
            for j in range(begin + 1, stop):
                least = min(least, self.cells[left_part + j * plane] + self.cells[right_part + j])
        if least + self.exchange < best:
            self.starts[self.used] = cython.cast(cython.int, start * wide + begin)
            self.chain[self.used] = self.heads[end * wide + stop]
            self.heads[end * wide + stop] = self.used
            self.used += 1
        return least + self.exchange


def compute_inversion_distances(
    pairs: RowPairs,
    edit: cython.int,
    exchange: cython.int,
    most_words: cython.int,
    distances: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
    places: Py_ssize_t,
    cells: cython.int[::1],
    chain: cython.int[::1],
) -> None:
    """Write the inversion distance between each segment's hypothesis and its references.

    It is -1 if one of the two has more than `most_words` words. The words of a segment, up to
    `longest`, have ids from 0. `places` bounds the number of pairs of positions, one in each
    sentence. Scratch: `cells`, of the square of `places`; `chain`, of half of the square.
    """
    cython.declare(i=longlong)
    chart: Chart = Chart()
    words = array("i", bytes(4 * longest + 8))
    chart.heads = array("i", bytes(4 * places))
    chart.words, chart.reference, chart.row = words[:], words[:], words[:]
    chart.total, chart.reference_total = words[:], words[:]
    chart.inside, chart.reference_inside = words[:], words[:]
    places = chain.shape[0] // 2
    chart.starts, chart.chain, chart.cells = chain[:places], chain[places:], cells
    chart.edit, chart.exchange = edit, exchange
    with cython.nogil:
        for segment in range(first, last):
            begin: longlong = pairs.pattern_offsets[segment]
            chart.n = cython.cast(cython.int, pairs.pattern_offsets[segment + 1] - begin)
            for row in range(pairs.offsets[segment], pairs.offsets[segment + 1]):
                start: longlong = pairs.text_offsets[row]
                chart.m = cython.cast(cython.int, pairs.text_offsets[row + 1] - start)
                if chart.n > most_words or chart.m > most_words:
                    distances[row] = -1
                    continue
                for i in range(chart.n):
                    chart.words[i] = pairs.pattern[begin + i]
                for i in range(chart.m):
                    chart.reference[i] = pairs.text[start + i]
                distances[row] = chart.distance()


# -- Long jump distance. ---------------------------------------------------------------------------
#
# The lower bound is a Lagrangian relaxation: words of one side may be covered any number of times,
# at a price for each word. Prices are raised for words that are left out, and lowered for words
# that are covered twice. Iterative deepening then refutes one distance after the other.
#
# There is a cheapest path in which a deleted word follows its predecessor, jumps come after
# deletions and insertions and before a diagonal step, and no deletion is next to an insertion. Only
# such paths are searched.


@cython.cclass
class JumpPair:
    """Covers the words of one sentence with those of another, in buffers passed by the caller."""

    cython.declare(n=cython.int, m=cython.int, words=cython.int[::1], reference=cython.int[::1])
    # The current price of each word, in units; and the prices of the best bound so far.
    cython.declare(prices=cython.int[::1], best_prices=cython.int[::1])
    # The relaxed cost to go from each point, the start of the cheapest jump in each row, and how
    # often the relaxed path covers each word.
    cython.declare(cost_to_go=cython.int[::1], target=cython.int[::1], covered=cython.int[::1])
    # Uncovered occurrences of each word, minus those in the rest of the reference; the bounds.
    cython.declare(surplus=cython.int[::1], lower=cython.int, upper=cython.int)
    # A table of refuted states: uncovered words; position and the cost that does not suffice.
    cython.declare(keys=ulonglong[::1], marks=longlong[::1], number=longlong, nodes=longlong)
    cython.declare(limit=longlong)
    # If `recorded`, the steps of a path of cost `upper`, from its end: operation, and the numbers
    # of words and of reference words before it. `origin` is the method that found it, or 0 if none
    # has lowered `upper`: then edits alone have this cost.
    cython.declare(recorded=bint, trail=cython.int[::1], steps=cython.int, origin=cython.int)
    # The steps that `walk` takes.
    cython.declare(walk_steps=cython.int[::1])

    def __init__(
        self,
        limit: longlong,
        longest: Py_ssize_t,
        cost_to_go: cython.int[::1],
        keys: ulonglong[::1],
        marks: longlong[::1],
    ):
        """Allocate arrays for sentences of up to `longest` words, and store the other buffers."""
        words = array("i", bytes(4 * longest + 8))
        self.words, self.reference, self.target = words[:], words[:], words[:]
        self.prices, self.best_prices = words[:], words[:]
        self.covered, self.surplus = words[:], words[:]
        self.cost_to_go, self.keys, self.marks, self.limit = cost_to_go, keys, marks, limit
        self.number = 0
        self.recorded = False
        self.steps = self.origin = 0

    @cython.cfunc
    @cython.nogil
    def relax(self) -> cython.int:
        """Compute the costs to go under the prices; return the lower bound, in units."""
        cython.declare(i=cython.int, j=cython.int)
        total: cython.int = 0
        for i in range(self.n):
            total += self.prices[i]
        here: longlong = cython.cast(longlong, self.m) * (self.n + 1)
        self.cost_to_go[here + self.n] = 0
        for i in range(self.n - 1, -1, -1):
            cost: cython.int = PRICE_UNIT - self.prices[i] + self.cost_to_go[here + i + 1]
            self.cost_to_go[here + i] = min(cost, PRICE_UNIT)
        for j in range(self.m - 1, -1, -1):
            below: longlong = here
            here -= self.n + 1
            best: cython.int = UNREACHED
            for i in range(self.n):
                cost = self.cost_to_go[below + i + 1] - self.prices[i]
                if self.words[i] != self.reference[j]:
                    cost += PRICE_UNIT
                self.cost_to_go[here + i] = cost
                if cost < best:
                    best = cost
                    self.target[j] = i
            best += PRICE_UNIT
            self.cost_to_go[here + self.n] = min(best, self.cost_to_go[below + self.n] + PRICE_UNIT)
            for i in range(self.n - 1, -1, -1):
                cost = self.cost_to_go[here + i + 1] + PRICE_UNIT - self.prices[i]
                cost = min(cost, best, self.cost_to_go[here + i])
                self.cost_to_go[here + i] = min(cost, self.cost_to_go[below + i] + PRICE_UNIT)
        return total + self.cost_to_go[0]

    @cython.cfunc
    @cython.nogil
    def walk(self) -> cython.int:
        """Count how often the cheapest relaxed path covers each word, in `covered`.

        Return the cost of a valid path: if a word is covered too often, an insertion shortens a
        block of the path, and if a word is not covered, a deletion extends one.
        """
        cython.declare(i=cython.int, j=cython.int)
        step_count: cython.int = 0
        for i in range(self.n):
            self.covered[i] = 0
        i = j = 0
        while i < self.n or j < self.m:
            here: longlong = cython.cast(longlong, j) * (self.n + 1) + i
            below: longlong = here + self.n + 1
            cost: cython.int = UNREACHED
            if i < self.n and j < self.m:
                cost = self.cost_to_go[below + 1] - self.prices[i]
                cost += 0 if self.words[i] == self.reference[j] else PRICE_UNIT
            if (
                i < self.n
                and self.cost_to_go[here] == self.cost_to_go[here + 1] + PRICE_UNIT - self.prices[i]
            ):
                step_count = self.note(step_count, DELETION, i, j)
                self.covered[i] += 1
                i += 1
            elif j == self.m:
                step_count = self.note(step_count, JUMP, i, j)
                i = self.n
            elif self.cost_to_go[here] == self.cost_to_go[below] + PRICE_UNIT:
                step_count = self.note(step_count, INSERTION, i, j)
                j += 1
            else:
                if self.cost_to_go[here] != cost:
                    step_count = self.note(step_count, JUMP, i, j)
                    i = self.target[j]
                operation: cython.int = (
                    SUBSTITUTION if self.words[i] != self.reference[j] else MATCH
                )
                step_count = self.note(step_count, operation, i, j)
                self.covered[i] += 1
                i += 1
                j += 1
        cost = self.cost_to_go[0]
        miscovered: cython.int = 0
        for i in range(self.n):
            cost += self.covered[i] * self.prices[i]
            miscovered += self.covered[i] - 1 if self.covered[i] > 0 else 1
        cost = cost // PRICE_UNIT + miscovered
        if self.recorded and cost < self.upper:
            self.steps = 0
            self.origin = FROM_WALK
            for i in range(step_count - 1, -1, -1):
                self.record(
                    self.walk_steps[3 * i], self.walk_steps[3 * i + 1], self.walk_steps[3 * i + 2]
                )
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
        """Store a step of `walk`; return the index for the next one."""
        if self.recorded:
            self.walk_steps[3 * place] = operation
            self.walk_steps[3 * place + 1] = i
            self.walk_steps[3 * place + 2] = j
        return place + 1

    @cython.cfunc
    @cython.nogil
    def ascend(self) -> void:
        """Raise `lower` by subgradient ascent, and lower `upper` by the paths found."""
        best: cython.int = -UNREACHED
        for i in range(self.n):
            self.prices[i] = 0
        for times in range(PRICE_ROUNDS):
            bound: cython.int = self.relax()
            if bound > best:
                best = bound
                for i in range(self.n):
                    self.best_prices[i] = self.prices[i]
            self.upper = min(self.upper, self.walk())
            norm: longlong = 0
            for i in range(self.n):
                norm += (1 - self.covered[i]) * (1 - self.covered[i])
            if norm == 0 or best > (self.upper - 1) * PRICE_UNIT:
                break
            step: longlong = (self.upper * PRICE_UNIT - bound) // (norm << (times // 10)) + 1
            for i in range(self.n):
                price: longlong = self.prices[i] + step * (1 - self.covered[i])
                self.prices[i] = cython.cast(cython.int, max(-PRICE_UNIT, min(PRICE_UNIT, price)))
        self.lower = max(self.lower, (max(best, 0) + PRICE_UNIT - 1) // PRICE_UNIT)

    @cython.cfunc
    @cython.nogil
    def solve(self) -> void:
        """Set `lower` and `upper` to the distance, or to the bounds proven within the limit."""
        for i in range(self.n + self.m):
            self.surplus[self.words[i] if i < self.n else self.reference[i - self.n]] = 0
        for i in range(self.n):
            self.surplus[self.words[i]] += 1
        common: cython.int = 0
        for i in range(self.m):
            common += 1 if self.surplus[self.reference[i]] > 0 else 0
            self.surplus[self.reference[i]] -= 1
        self.lower = self.m - common
        if cython.cast(longlong, self.n + 1) * (self.m + 1) > self.cost_to_go.shape[0]:
            return
        if self.lower < self.upper:
            self.ascend()
        if self.lower >= self.upper or self.n > MAX_SEARCHED_WORDS:
            return
        priced: cython.int = 0
        for i in range(self.n):
            self.prices[i] = self.best_prices[i]
            priced += self.prices[i]
        self.relax()
        self.number += 1
        self.nodes = 0
        while self.lower < self.upper:
            is_solved: bint = self.search(0, 0, MASK64 >> (64 - self.n), self.n, 0, priced, common)
            if self.nodes > self.limit:
                return
            if is_solved:
                self.upper = self.lower
            else:
                self.lower += 1

    @cython.cfunc
    @cython.nogil
    def search(
        self,
        i: cython.int,
        j: cython.int,
        uncovered: ulonglong,
        count: cython.int,
        cost: cython.int,
        priced: cython.int,
        common: cython.int,
    ) -> bint:
        """Return whether covering the rest from this state keeps the cost at most `lower`."""
        cython.declare(k=cython.int)
        self.nodes += 1
        if self.nodes > self.limit:
            return False
        run: cython.int = 0
        while i + run < self.n and (uncovered >> (i + run)) & 1:
            run += 1
        if count == run and (count == 0 or j == self.m):
            if cost + run + self.m - j + (0 if i + run == self.n else 1) > self.lower:
                return False
            self.steps = 0
            self.origin = FROM_SEARCH
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
        slot: longlong = (((uncovered ^ (mark * GOLDEN & MASK64)) * GOLDEN) & MASK64) >> 48
        if self.keys[slot] == uncovered and self.marks[2 * slot] == mark:
            if self.marks[2 * slot + 1] >= self.lower - cost:
                return False
        is_solved: bint = self.step(i, j, uncovered, count, cost, priced, common)
        common_left: cython.int = common
        price_left: cython.int = priced
        remaining: ulonglong = uncovered
        k = 0
        while not is_solved and k < run and self.nodes <= self.limit:
            word: cython.int = self.words[i + k]
            common_left -= 1 if self.surplus[word] <= 0 else 0
            self.surplus[word] -= 1
            price_left -= self.prices[i + k]
            remaining ^= LOWEST_BIT << (i + k)
            k += 1
            is_solved = self.step(i + k, j, remaining, count - k, cost + k, price_left, common_left)
        while k > 0:
            k -= 1
            self.surplus[self.words[i + k]] += 1
            if is_solved:
                self.record(DELETION, i + k, j)
        common_left = common
        while not is_solved and j + k < self.m - 1 and self.nodes <= self.limit:
            word = self.reference[j + k]
            common_left -= 1 if self.surplus[word] >= 0 else 0
            self.surplus[word] += 1
            k += 1
            if cost + k + max(count, self.m - j - k) - common_left > self.lower:
                break
            is_solved = self.step(i, j + k, uncovered, count, cost + k, priced, common_left)
        while k > 0:
            k -= 1
            self.surplus[self.reference[j + k]] -= 1
            if is_solved:
                self.record(INSERTION, i, j + k)
        if not is_solved and self.nodes <= self.limit:
            self.keys[slot] = uncovered
            self.marks[2 * slot] = mark
            self.marks[2 * slot + 1] = self.lower - cost
        return is_solved

    @cython.cfunc
    @cython.nogil
    def step(
        self,
        i: cython.int,
        j: cython.int,
        uncovered: ulonglong,
        count: cython.int,
        cost: cython.int,
        priced: cython.int,
        common: cython.int,
    ) -> bint:
        """Continue a state of `search` with a diagonal step, with or without a jump before it."""
        cython.declare(k=cython.int, wrong=cython.int)
        is_solved: bint = False
        reference_word: cython.int = self.reference[j]
        common -= 1 if self.surplus[reference_word] >= 0 else 0
        self.surplus[reference_word] += 1
        j += 1
        count -= 1
        row: longlong = cython.cast(longlong, j) * (self.n + 1) + 1
        # Equal words are tried first, starting with the one that needs no jump.
        for wrong in range(2):
            for k in range(-1, self.n):
                start: cython.int = i if k < 0 else k
                if start == self.n or k == i or not (uncovered >> start) & 1:
                    continue
                word: cython.int = self.words[start]
                if (word != reference_word) != (wrong == 1):
                    continue
                common_left: cython.int = common - (1 if self.surplus[word] <= 0 else 0)
                paid: cython.int = cost + wrong + (0 if k < 0 else 1)
                bound: cython.int = paid + max(count, self.m - j) - common_left
                remaining: ulonglong = uncovered ^ (LOWEST_BIT << start)
                # A jump leads to each run of uncovered words, and to the end.
                starts: ulonglong = remaining & ((remaining << 1) ^ MASK64)
                if start + 1 < self.n:
                    starts &= (LOWEST_BIT << (start + 1)) ^ MASK64
                    bound += 0 if (remaining >> (self.n - 1)) & 1 else 1
                while starts != 0:
                    starts &= starts - 1
                    bound += 1
                if bound > self.lower:
                    continue
                price_left: cython.int = priced - self.prices[start]
                if (
                    paid * PRICE_UNIT + price_left + self.cost_to_go[row + start]
                    > self.lower * PRICE_UNIT
                ):
                    continue
                self.surplus[word] -= 1
                is_solved = self.search(
                    start + 1, j, remaining, count, paid, price_left, common_left
                )
                self.surplus[word] += 1
                if is_solved:
                    self.record(SUBSTITUTION if wrong else MATCH, start, j - 1)
                    if k >= 0:
                        self.record(JUMP, i, j - 1)
                if is_solved or self.nodes > self.limit:
                    break
            if is_solved or self.nodes > self.limit:
                break
        self.surplus[reference_word] -= 1
        return is_solved


def long_jump_distances(
    pairs: RowPairs,
    limit: longlong,
    lower: cython.int[::1],
    upper: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
    cost_to_go: cython.int[::1],
    keys: ulonglong[::1],
    marks: longlong[::1],
) -> None:
    """Write bounds of the long jump distance of each segment's hypothesis and its references.

    On input, `upper` has edit distances. The words of a segment, up to `longest`, have ids from 0.
    Scratch: `cost_to_go`, one per point of the grid; `keys`, 65,536 numbers; `marks`, 131,072
    zeros.
    """
    cython.declare(i=longlong)
    pair: JumpPair = JumpPair(limit, longest, cost_to_go, keys, marks)
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
                    words: cython.int[::1] = pair.words
                    pair.words = pair.reference
                    pair.reference = words
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
    walk_steps: cython.int[::1],
    result: cython.int[::1],
    longest: Py_ssize_t,
    cost_to_go: cython.int[::1],
    keys: ulonglong[::1],
    marks: longlong[::1],
) -> None:
    """Write the steps of the cheapest path of one pair, from its end.

    Each step in `trail` has three numbers: the operation (0 match, 1 substitution, 2 insertion, 3
    deletion, 4 jump), and the numbers of words and of reference words before it. `words` must not
    be longer than `reference`. `result` is the lower bound, the upper bound (also an input), the
    number of steps, and their origin: 0 no path, since edits alone are as cheap; 1 a path that
    covers words any number of times; 2 a path that covers them once. `trail` and `walk_steps` need
    six entries for each word of both, plus six. Other arguments: as in `long_jump_distances`.
    """
    cython.declare(i=longlong)
    pair: JumpPair = JumpPair(limit, longest, cost_to_go, keys, marks)
    pair.recorded = True
    pair.trail, pair.walk_steps = trail, walk_steps
    pair.n = cython.cast(cython.int, words.shape[0])
    pair.m = cython.cast(cython.int, reference.shape[0])
    for i in range(pair.n):
        pair.words[i] = words[i]
    for i in range(pair.m):
        pair.reference[i] = reference[i]
    pair.upper = result[1]
    pair.solve()
    result[0] = pair.lower
    result[1] = pair.upper
    result[2] = pair.steps
    result[3] = pair.origin


# -- Shifts of TER, moved blocks, common runs. -----------------------------------------------------
#
# Translation edit rate (`Shifter`): greedy shifts of words, then the edit distance, both as in
# tercom, which computes the distance in a beam around the diagonal. Without the beam it is computed
# for 64 reference words at once (Myers 1999, Hyyrö 2003). If the result is below the cost of any
# path that leaves the beam, both are the same.
#
# Moved blocks: the smallest set of words without which the others are in order. A row has the
# positions, in a translation, of words of its reference, in the order of the reference. A block is
# a span of the row whose positions are consecutive among all positions of the row.
#
# Common runs (`Tiling`): the longest first, each word in at most one run.


@cython.cclass
class Shifter:
    """Shifts the words of one hypothesis towards one reference."""

    cython.declare(n=cython.int, m=cython.int, hypothesis=cython.int[::1])
    # The hypothesis after the shift that is tried.
    cython.declare(shifted=cython.int[::1], reference=cython.const[cython.int][::1], start=longlong)
    # The positions of each word in the reference as bits, `blocks` numbers of 64 bits per word.
    cython.declare(masks=ulonglong[::1], blocks=longlong, top=ulonglong)
    # The rows of the edit distance, as bits for +1 and -1 and as the value in the last column.
    cython.declare(plus=ulonglong[::1], minus=ulonglong[::1], ends=cython.int[::1], beam=cython.int)
    cython.declare(ratio=double)
    # A lower bound of the cost of paths that leave the beam.
    cython.declare(outside=cython.int)
    # A row of the beam (at first used for counts of words), and the operations of all rows.
    cython.declare(cells=cython.int[::1], operations=uchar[::1])
    # For each reference word the hypothesis word at or before it; and the numbers of erroneous
    # words before each position.
    cython.declare(
        aligned=cython.int[::1], errors=cython.int[::1], reference_errors=cython.int[::1]
    )
    # The distance before a shift, a lower bound for any order of the words, the number of shifts
    # tried; the gain of the best shift and the shift itself.
    cython.declare(
        distance=cython.int, lower_bound=cython.int, shifts_tried=cython.int, gain=cython.int
    )
    cython.declare(best_order=longlong, best_length=cython.int, best_start=cython.int)
    cython.declare(best_place=cython.int)
    # The span in which `shifted` differs from `hypothesis`.
    cython.declare(first=cython.int, last=cython.int)

    @cython.cfunc
    @cython.nogil
    def edits(self) -> cython.int:
        """Return the number of shifts and edits from `hypothesis` to the reference."""
        cython.declare(shifts=cython.int)
        shifts = self.shifts_tried = 0
        self.set_up()
        while True:
            self.distance = self.shifted_distance(0, 0, True)
            if self.distance == self.lower_bound:
                break
            self.align()
            self.find_shift()
            if self.shifts_tried >= MAX_TRIED_SHIFTS or self.gain <= 0:
                break
            shifts += 1
            self.shift_words(self.best_start, self.best_length, self.best_place)
            for i in range(self.first, self.last):
                self.hypothesis[i] = self.shifted[i]
        return shifts + self.distance

    @cython.cfunc
    @cython.nogil
    def set_up(self) -> void:
        """Prepare the arrays that all shifts share."""
        apart: cython.int = self.n - self.m if self.n > self.m else self.m - self.n
        self.blocks = (self.m + 63) // 64
        if self.blocks > MAX_BLOCKS:
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
                self.masks[block] |= LOWEST_BIT << cython.cast(ulonglong, j % 64)
        self.lower_bound = self.n if self.n > self.m else self.m
        for i in range(self.n):
            word = self.hypothesis[i]
            self.shifted[i] = self.hypothesis[i]
            if self.cells[word] > 0:
                self.cells[word] -= 1
                self.lower_bound -= 1
        for block in range(self.blocks):
            self.plus[block] = MASK64
            self.minus[block] = 0
        self.ends[0] = self.m
        self.ratio = cython.cast(double, self.m) / (self.n if self.n > 0 else 1)
        self.beam = DIAGONAL_BEAM
        if self.n > 0 and self.m > 2 * DIAGONAL_BEAM * cython.cast(longlong, self.n):
            self.beam += (self.m - 1) // (2 * self.n) + 1
        # Only a path that stays between the diagonals of both ends costs less.
        self.outside = (
            2 * DIAGONAL_BEAM - 2 - apart if 2 * DIAGONAL_BEAM - 2 - apart > apart else apart
        )

    @cython.cfunc
    @cython.nogil
    def step(self, row_start: longlong, word: longlong) -> cython.int:
        """Replace the row at `row_start` by the next one; return the change in the last column."""
        carry: cython.int = 1
        change: cython.int = 0
        for block in range(self.blocks):
            top: ulonglong = self.top if block == self.blocks - 1 else TOP_BIT
            equal: ulonglong = self.masks[word * self.blocks + block]
            plus: ulonglong = self.plus[row_start + block]
            minus: ulonglong = self.minus[row_start + block]
            vertical: ulonglong = equal | minus
            if carry < 0:
                equal |= 1
            diagonal: ulonglong = ((((equal & plus) + plus) & MASK64) ^ plus) | equal
            up: ulonglong = minus | ((diagonal | plus) ^ MASK64)
            down: ulonglong = plus & diagonal
            change = (1 if up & top else 0) - (1 if down & top else 0)
            up = ((up << 1) & MASK64) | (1 if carry > 0 else 0)
            down = ((down << 1) & MASK64) | (1 if carry < 0 else 0)
            self.plus[row_start + block] = down | ((vertical | up) ^ MASK64)
            self.minus[row_start + block] = up & vertical
            carry = change
        return change

    @cython.cfunc
    @cython.nogil
    def shifted_distance(self, row: longlong, limit: cython.int, record: bint) -> cython.int:
        """Return the distance of `shifted`, which has changed from `row` on, or a number above
        `limit`.

        With `record`, store the rows and do not stop early.
        """
        blocks: longlong = self.blocks
        start: longlong = row * blocks
        end: cython.int = self.ends[row]
        for i in range(row, self.n if blocks > 0 else row):
            following: longlong = (i + 1 if record else self.n + 1) * blocks
            for block in range(blocks):
                self.plus[following + block] = self.plus[start + block]
                self.minus[following + block] = self.minus[start + block]
            end += self.step(following, self.shifted[i])
            start = following
            if record:
                self.ends[i + 1] = end
            # Each remaining row can lower it by at most one.
            elif end - (self.n - 1 - i) > limit:
                return UNREACHED
        return end if blocks > 0 and end < self.outside else self.beam_distance(False)

    @cython.cfunc
    @cython.nogil
    def beam_distance(self, keep: bint) -> cython.int:
        """Return the distance of `shifted` within the beam; with `keep`, write the operations.

        Ties are resolved in the order diagonal step, deletion, insertion.
        """
        cython.declare(i=cython.int, j=cython.int)
        for j in range(self.m + 1):
            self.cells[j] = j
        for i in range(1, self.n + 1):
            low: cython.int = cython.cast(cython.int, i * self.ratio) - self.beam
            high: cython.int = low + 2 * self.beam
            cell: longlong = cython.cast(longlong, i - 1) * (2 * self.beam + 1) - low
            low = low if low > 0 else 0
            high = high if high < self.m + 1 and i < self.n else self.m + 1
            left_cost: cython.int = UNREACHED
            diagonal: cython.int = UNREACHED
            if low > 0:
                diagonal = self.cells[low - 1]
                self.cells[low - 1] = UNREACHED
            for j in range(low, high):
                above: cython.int = self.cells[j]
                cost: cython.int = above + 1
                operation: uchar = DELETION
                if j > 0:
                    substitution: uchar = MATCH
                    if self.shifted[i - 1] != self.reference[self.start + j - 1]:
                        substitution = SUBSTITUTION
                        diagonal += 1
                    if diagonal <= cost:
                        cost = diagonal
                        operation = substitution
                if left_cost + 1 < cost:
                    cost = left_cost + 1
                    operation = INSERTION
                self.cells[j] = cost
                if keep:
                    self.operations[cell + j] = operation
                left_cost = cost
                diagonal = above
            if i == 1:
                for j in range(high, self.m + 1):
                    self.cells[j] = UNREACHED
        return self.cells[self.m]

    @cython.cfunc
    @cython.nogil
    def align(self) -> void:
        """Align `hypothesis` with the reference, and count the erroneous words of both sides."""
        i: cython.int = self.n
        j: cython.int = self.m
        self.beam_distance(True)
        while i > 0 or j > 0:
            operation: uchar = INSERTION
            if i > 0:
                cell: longlong = cython.cast(longlong, i - 1) * (2 * self.beam + 1) + self.beam
                operation = self.operations[cell - cython.cast(cython.int, i * self.ratio) + j]
            if operation != DELETION:
                self.aligned[j - 1] = i - 1
                self.reference_errors[j] = 0 if operation == MATCH else 1
                j -= 1
            if operation != INSERTION:
                self.errors[i] = 0 if operation == MATCH else 1
                i -= 1
        self.errors[0] = self.reference_errors[0] = 0
        for i in range(self.n):
            self.errors[i + 1] += self.errors[i]
        for j in range(self.m):
            self.reference_errors[j + 1] += self.reference_errors[j]

    @cython.cfunc
    @cython.nogil
    def find_shift(self) -> void:
        """Find the best shift of words that match the reference; `gain` is 0 without a gain."""
        cython.declare(target=cython.int, offset=cython.int)
        self.gain = 0
        for start in range(self.n):
            low: cython.int = start - MAX_SHIFT_DISTANCE
            high: cython.int = start + MAX_SHIFT_DISTANCE + 1
            for target in range(low if low > 0 else 0, high if high < self.m else self.m):
                length: cython.int = 0
                position: cython.int = self.aligned[target]
                while (
                    length < MAX_SHIFT_WORDS
                    and start + length < self.n
                    and target + length < self.m
                    and self.hypothesis[start + length]
                    == self.reference[self.start + target + length]
                ):
                    length += 1
                    if (
                        self.errors[start + length] == self.errors[start]
                        or self.reference_errors[target + length] == self.reference_errors[target]
                        or (start <= position and position < start + length)
                    ):
                        continue
                    # The targets are before, inside and after the matching reference words.
                    previous: cython.int = -1
                    for offset in range(target - 1, target + length):
                        place: cython.int = 0 if offset < 0 else self.aligned[offset] + 1
                        if place != previous:
                            previous = place
                            self.shifts_tried += 1
                            self.try_shift(start, length, place)
                    if self.shifts_tried >= MAX_TRIED_SHIFTS:
                        return

    @cython.cfunc
    @cython.nogil
    def try_shift(self, start: cython.int, length: cython.int, place: cython.int) -> void:
        """Store a shift if its gain is higher than the best, or equal and it precedes in order."""
        bound: cython.int = self.distance - self.lower_bound
        # Deleting and inserting one of the two spans has the same effect.
        if self.distance < self.outside and 2 * length < bound:
            bound = 2 * length
        # Longer shifts come first, then earlier starts, then earlier targets.
        order: longlong = ((cython.cast(longlong, length) << 29) - start) * (1 << 29) - place
        needed: cython.int = self.gain + (0 if self.gain > 0 and order > self.best_order else 1)
        if bound < needed:
            return
        self.shift_words(start, length, place)
        distance: cython.int = self.shifted_distance(self.first, self.distance - needed, False)
        for i in range(self.first, self.last):
            self.shifted[i] = self.hypothesis[i]
        if self.distance - distance >= needed:
            self.gain = self.distance - distance
            self.best_order = order
            self.best_length, self.best_start, self.best_place = length, start, place

    @cython.cfunc
    @cython.nogil
    def shift_words(self, start: cython.int, length: cython.int, place: cython.int) -> void:
        """Write `hypothesis` with words shifted to a position to `shifted`."""
        self.first = place if place < start else start
        middle: cython.int = start if place < start else start + length
        self.last = place
        if place <= start + length:
            self.last = start + length if place < start else place + length
        if self.last > self.n:
            self.last = self.n
        for i in range(middle, self.last):
            self.shifted[self.first + i - middle] = self.hypothesis[i]
        for i in range(self.first, middle):
            self.shifted[self.last - middle + i] = self.hypothesis[i]


def count_shifted_edits(
    pairs: RowPairs,
    edits: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write the shifts and edits from each segment's hypothesis to each of its references.

    The words of a segment, up to `longest`, have ids from 0.
    """
    cython.declare(i=longlong)
    shifter: Shifter = Shifter()
    words = array("i", bytes(4 * longest + 8))
    # Eight blocks of 64 bits per word.
    bits = array("Q", bytes(64 * longest + 128))
    shifter.hypothesis, shifter.shifted, shifter.cells = words[:], words[:], words[:]
    shifter.aligned, shifter.errors, shifter.reference_errors = words[:], words[:], words[:]
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
class BlockRow:
    """Finds the moved blocks of one row after the other."""

    cython.declare(place=cython.const[cython.int][::1])
    # Whether the reader jumps before each word and after the last one: one more than words.
    cython.declare(jumps=cython.const[schar][::1], block=cython.int[::1], is_moved=schar[::1])
    cython.declare(distance=cython.int[::1], passed=cython.int[::1], passed_last=cython.int[::1])
    cython.declare(cost=double[::1])
    # Per block: its first word, the number of words of the best chain from it, the next block in
    # it.
    cython.declare(begin=cython.int[::1], chain=cython.int[::1], following=cython.int[::1])
    # The words that stay, in order.
    cython.declare(stay=cython.int[::1])
    # Per position: the next occupied one; the number of words that stay before it; its moved block.
    cython.declare(
        next_taken=cython.int[::1], staying_before=cython.int[::1], owner=cython.int[::1]
    )
    # Per block: the last jump that was charged to it.
    cython.declare(charged=cython.int[::1], start=longlong, gaps=longlong, size=cython.int)
    cython.declare(width=cython.int, blocks=cython.int)

    @cython.cfunc
    @cython.nogil
    def cut(self) -> void:
        """Split the row into blocks."""
        cython.declare(i=cython.int)
        for i in range(self.width):
            self.next_taken[i] = -1
        for i in range(self.size):
            self.next_taken[self.place[self.start + i]] = 0
        following: cython.int = -1
        for i in range(self.width - 1, -1, -1):
            if self.next_taken[i] == 0:
                self.next_taken[i] = following
                following = i
        self.blocks = 0
        for i in range(self.size):
            if (
                i == 0
                or self.place[self.start + i] != self.next_taken[self.place[self.start + i - 1]]
            ):
                self.begin[self.blocks] = i
                self.blocks += 1
            self.block[self.start + i] = self.blocks - 1
        self.begin[self.blocks] = self.size

    @cython.cfunc
    @cython.nogil
    def keep(self) -> void:
        """Mark as moved all words outside the ascending chain of blocks with the most words."""
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
            self.is_moved[self.start + i] = 1
        while best >= 0:
            for i in range(self.begin[best], self.begin[best + 1]):
                self.is_moved[self.start + i] = 0
            best = self.following[best]

    @cython.cfunc
    @cython.nogil
    def measure(self) -> void:
        """Count the words that stay between the position of a moved block and its target."""
        cython.declare(i=cython.int, low=cython.int, high=cython.int)
        for i in range(self.width + 1):
            self.staying_before[i] = 0
            self.owner[i] = -1
        pieces: cython.int = 0
        for i in range(self.size):
            if self.is_moved[self.start + i]:
                self.owner[self.place[self.start + i]] = self.block[self.start + i]
            else:
                self.staying_before[self.place[self.start + i] + 1] = 1
                self.stay[pieces] = i
                pieces += 1
        for i in range(self.width):
            self.staying_before[i + 1] += self.staying_before[i]
        pieces = 0
        for k in range(self.blocks):
            low = high = 0
            if not self.is_moved[self.start + self.begin[k]]:
                pieces += self.begin[k + 1] - self.begin[k]
            else:
                left_block: cython.int = self.staying_before[self.place[self.start + self.begin[k]]]
                right_block: cython.int = self.staying_before[
                    self.place[self.start + self.begin[k + 1] - 1] + 1
                ]
                if right_block < pieces:
                    low = right_block
                    high = pieces
                elif left_block > pieces:
                    low = pieces
                    high = left_block
            for i in range(self.begin[k], self.begin[k + 1]):
                self.distance[self.start + i] = high - low if low == pieces else low - high
                self.passed[self.start + i] = self.stay[low] if low < high else -1
                self.passed_last[self.start + i] = self.stay[high - 1] if low < high else -1

    @cython.cfunc
    @cython.nogil
    def charge(self) -> longlong:
        """Charge each jump to the moved blocks that cause it; return the number without a cause.

        A jump to or from moved blocks is charged to them. A jump between blocks that stay is
        charged to the moved blocks that it passes over. Other jumps pass over words without a
        counterpart.
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
            block_before: cython.int = self.block[self.start + i - 1] if i > 0 else -1
            block_after: cython.int = self.block[self.start + i] if i < self.size else -1
            if block_before >= 0 and block_before == block_after:
                causeless += 1
                continue
            low: cython.int = self.place[self.start + i - 1] + 1 if block_before >= 0 else 0
            high: cython.int = self.place[self.start + i] if block_after >= 0 else self.width
            if block_before >= 0 and not self.is_moved[self.start + i - 1]:
                block_before = -1
            if block_after >= 0 and not self.is_moved[self.start + i]:
                block_after = -1
            sides: cython.int = (1 if block_before >= 0 else 0) + (1 if block_after >= 0 else 0)
            if block_before >= 0:
                self.cost[self.start + self.begin[block_before]] += 1.0 / sides
            if block_after >= 0:
                self.cost[self.start + self.begin[block_after]] += 1.0 / sides
            if sides > 0:
                continue
            causes: cython.int = 0
            for k in range(low, high):
                if self.owner[k] >= 0 and self.charged[self.owner[k]] != i:
                    self.charged[self.owner[k]] = i
                    causes += 1
            if causes == 0:
                causeless += 1
            for k in range(self.blocks if causes > 0 else 0):
                if self.charged[k] == i:
                    self.cost[self.start + self.begin[k]] += 1.0 / causes
        return causeless


def moved_blocks(
    place: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    widths: cython.const[longlong][::1],
    jumps: cython.const[schar][::1],
    block: cython.int[::1],
    is_moved: schar[::1],
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
    """Write the block of each word of each row, and the properties of each block.

    The words of row `s` have positions ``0 .. widths[s]-1``, possibly repeated; its jumps start at
    ``offsets[s] + s``. Outputs per word: `block`, its index in the row; `shifted`; `distance`, the
    number of staying words by which the block is too late in the translation, negative if too
    early, 0 if a moved block repeats words; `passed` and `passed_last`, the first and the last of
    these words, -1 if none; `cost`, at the first word of a moved block the jumps that it causes.
    Per row: `causeless`, the jumps that no block causes. `longest` bounds the lengths of rows,
    `widest` the widths.
    """
    row: BlockRow = BlockRow()
    words = array("i", bytes(4 * longest + 4))
    places = array("i", bytes(4 * widest + 4))
    row.place, row.jumps, row.block, row.is_moved, row.distance = (
        place,
        jumps,
        block,
        is_moved,
        distance,
    )
    row.passed, row.passed_last, row.cost = passed, passed_last, cost
    row.begin, row.chain, row.following = words[:], words[:], words[:]
    row.stay, row.charged = words[:], words[:]
    row.next_taken, row.staying_before, row.owner = places[:], places[:], places[:]
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
    """Finds the common runs of one pair of rows after the other.

    Of equally long runs, the one that starts first in the first row is taken, then the one that
    starts first in the second. All runs of one length are found in one pass, since taking a run
    cannot create another one of that length.
    """

    cython.declare(words=cython.const[cython.int][::1], other_words=cython.const[cython.int][::1])
    cython.declare(start=longlong, size=longlong, other_start=longlong, other_size=longlong)
    # Per word id its last position in the other row, -1 if none; per position the previous one of
    # the same word.
    cython.declare(last=cython.int[::1], previous=cython.int[::1])
    # The pass in which a word was taken, 0 if it is free.
    cython.declare(pass_of=cython.int[::1], other_pass_of=cython.int[::1])
    # Per position of the other row: the length of the run that ends there, and the word of the
    # first row with which it ends.
    cython.declare(run=cython.int[::1], run_word=cython.int[::1])
    # The lengths of the runs, from `other_start` on, the longest first.
    cython.declare(lengths=cython.int[::1])

    @cython.cfunc
    @cython.nogil
    def sum_of_runs(self, power: cython.const[double][::1]) -> double:
        """Return the sum of ``power[length]`` over the runs."""
        cython.declare(i=cython.int)
        pass_number: cython.int = 1
        written: longlong = self.other_start
        total: double = 0.0
        for i in range(self.size):
            self.pass_of[i] = 0
            self.last[self.words[self.start + i]] = -1
        for i in range(self.other_size):
            self.other_pass_of[i] = 0
            self.last[self.other_words[self.other_start + i]] = -1
        for i in range(self.other_size):
            self.previous[i] = self.last[self.other_words[self.other_start + i]]
            self.last[self.other_words[self.other_start + i]] = i
        length: cython.int = self.sweep(0, 0)
        while length > 0:
            count: cython.int = self.sweep(length, pass_number)
            total += power[length] * count
            for i in range(count):
                self.lengths[written + i] = length
            written += count
            pass_number += 1
            # Runs of single words are all taken at once.
            length = self.sweep(0, pass_number) if length > 1 else 0
        return total

    @cython.cfunc
    @cython.nogil
    def sweep(self, length: cython.int, pass_number: cython.int) -> cython.int:
        """Return the length of the longest free run; or take and count the runs of a `length`."""
        cython.declare(i=cython.int, j=cython.int)
        longest: cython.int = 0
        count: cython.int = 0
        for j in range(self.other_size):
            self.run_word[j] = -1
        for i in range(self.size):
            if not self.free(self.pass_of[i], pass_number):
                continue
            j = self.last[self.words[self.start + i]]
            # Backwards, so that the entry of the position before is still that of word i - 1.
            while j >= 0:
                if self.free(self.other_pass_of[j], pass_number):
                    here: cython.int = 1
                    if j > 0 and i > 0 and self.run_word[j - 1] == i - 1:
                        here = self.run[j - 1] + 1
                    self.run[j] = here
                    self.run_word[j] = i
                    longest = max(longest, here)
                j = self.previous[j]
            if length > 0:
                count += self.take(i, length, pass_number)
        return count if length > 0 else longest

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def free(self, pass_of: cython.int, pass_number: cython.int) -> bint:
        """Return whether a word was free before this pass began."""
        return pass_of == 0 or pass_of == pass_number

    @cython.cfunc
    @cython.nogil
    def take(self, i: cython.int, length: cython.int, pass_number: cython.int) -> cython.int:
        """Take the first free run of a length that ends with word `i`; return 1 if there is one."""
        j: cython.int = self.last[self.words[self.start + i]]
        best: cython.int = -1
        if self.pass_of[i] > 0 or i + 1 < length or self.pass_of[i - length + 1] > 0:
            return 0
        while j >= 0:
            if (
                self.run_word[j] == i
                and self.run[j] == length
                and self.other_pass_of[j] == 0
                and self.other_pass_of[j - length + 1] == 0
            ):
                best = j
            j = self.previous[j]
        if best < 0:
            return 0
        for k in range(length):
            self.pass_of[i - k] = pass_number
            self.other_pass_of[best - k] = pass_number
        return 1


def sums_of_runs(
    pairs: RowPairs,
    power: cython.const[double][::1],
    total: double[::1],
    lengths: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    distinct: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write per reference the sum of ``power[length]`` over the runs it shares with its hypothesis.

    The lengths of the runs are written to `lengths`, from the offset of the reference on. A segment
    has at most `distinct` distinct words, a row at most `longest` words.
    """
    tiling: Tiling = Tiling()
    words = array("i", bytes(4 * longest))
    tiling.words, tiling.other_words, tiling.lengths = pairs.text, pairs.pattern, lengths
    tiling.last, tiling.previous = array("i", bytes(4 * distinct)), words[:]
    tiling.pass_of, tiling.other_pass_of = words[:], words[:]
    tiling.run, tiling.run_word = words[:], words[:]
    with cython.nogil:
        for row in range(first, last):
            tiling.start = pairs.text_offsets[pairs.text_rows[row]]
            tiling.size = pairs.text_offsets[pairs.text_rows[row] + 1] - tiling.start
            tiling.other_start = pairs.pattern_offsets[row]
            tiling.other_size = pairs.pattern_offsets[row + 1] - tiling.other_start
            total[row] = tiling.sum_of_runs(power)
