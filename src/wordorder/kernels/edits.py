"""Edit distances of two rows of words: costs of words, exchanges, jumps, shifts, moved blocks."""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, schar, uchar, ulonglong, void
from cython.cimports.wordorder.kernels._common import GOLDEN, MASK64, golden_hash, pair_key

# Edits at constant and at word costs, and exchanged blocks.

# A bit of a mask, to be shifted.
ONE = cython.declare(ulonglong, 1)
# The mask of a word that keeps none is made in this row of the masks, behind those that are kept.
SPARE = cython.declare(longlong, 64)

# What a substitution costs: always the same, or by the characters of the words.
cython.declare(CONSTANT=cython.int, PREFIX=cython.int, LEVENSHTEIN=cython.int)
CONSTANT, PREFIX, LEVENSHTEIN = range(3)
# Costs that are given: one for words that share a class, one a pair of words, one a word.
cython.declare(SHARED=cython.int, LISTED=cython.int, WEIGHTED=cython.int)
SHARED, LISTED, WEIGHTED = 3, 4, 5
# An edit outweighs all identities of a word: the longest of the cheapest paths is the cheapest.
EDIT_COST = cython.declare(longlong, 1 << 32)

# More than any path costs, with room for a reward below and a step above.
FAR = cython.declare(longlong, 1 << 62)

# The steps of a path: a word of each row, equal or not; a word of the text; one of the pattern.
cython.declare(MATCH=schar, SUBSTITUTION=schar, INSERTION=schar, DELETION=schar, JUMP=schar)
MATCH, SUBSTITUTION, INSERTION, DELETION, JUMP = range(5)

# Long jump distance.

# Units that an edit or a jump costs; prices of words are fractions of it.
PRICE_UNIT = cython.declare(cython.int, 1024)
# The largest number of changes of the prices.
PRICE_ROUNDS = cython.declare(cython.int, 60)
# The words that are not covered yet are the bits of one number.
MOST_SEARCHED_WORDS = cython.declare(cython.int, 64)

# Where a path is from.
WALKED = cython.declare(cython.int, 1)
SEARCHED = cython.declare(cython.int, 2)

# Shifts of TER, moved blocks, common runs.

# The limits of tercom and sacreBLEU: the width of the beam to each side of the diagonal, the words
# of a shift, how far it goes, how many are tried.
DIAGONAL_BEAM = cython.declare(cython.int, 25)
LONGEST_SHIFT = cython.declare(cython.int, 10)
FARTHEST_SHIFT = cython.declare(cython.int, 50)
MOST_SHIFTS = cython.declare(cython.int, 1000)
# References of more blocks of 64 words are compared within the beam only.
MOST_BLOCKS = cython.declare(cython.int, 8)
# More than any path costs.
UNREACHED = cython.declare(cython.int, 1 << 30)
# The highest of 64 bits.
TOP_BIT = cython.declare(ulonglong, 0x8000000000000000)


# -- Edits at constant and at word costs, and exchanged blocks. ------------------------------------
#
# At constant costs, 64 grid points at a time. A row of the alignment grid has a point before,
# between and after the words of the pattern; the words of the text lead from one row to the next.
# `BitGrid` holds where the words of the pattern are, as one mask of bits for each distinct word.
# Masks of all words of a long pattern would take quadratic memory, so only its frequent words keep
# theirs; there are 64 of them at most.
#
# In a `CostGrid` a substitution costs what the words differ by; it also has the steps of a path of
# the cover distance, and how often it takes each word of the pattern. All costs are whole numbers:
# fractions of a scale, which is what an edit costs.
#
# Inversion distance (`Chart`): edits, and exchanges of neighbouring blocks, under a bracketing
# grammar. A pair of spans is edited from left to right, in steps of one word or of a pair that is
# itself an exchange. Exchanges are tried only where the words of the pair and those around it allow
# one in a derivation that beats plain editing.


@cython.cclass
class RowPairs:
    """Pairs of rows of word numbers.

    Row `p` of `pattern` is in the pairs ``offsets[p] .. offsets[p+1]-1``; pair `k` is with row
    ``text_rows[k]`` of `text`. Others work on them too: see `edits.pxd`.
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
    """Works through one pattern after the other in the caller's arrays."""

    cython.declare(pattern=cython.const[cython.int][::1], text=cython.const[cython.int][::1])
    # Per word: the row of its mask, or -1 - n if it keeps none and the pattern has it n times.
    cython.declare(slot=cython.int[::1])
    # The places of a word without a mask: the last one, and for each the one before.
    cython.declare(head=cython.int[::1], before=cython.int[::1], masks=ulonglong[::1])
    cython.declare(rows=ulonglong[::1], start=longlong, size=longlong, shift=longlong)
    cython.declare(blocks=longlong)

    def __init__(self, pairs: RowPairs, numbers: Py_ssize_t, longest: Py_ssize_t):
        """Make room for small words, all below `numbers`, and patterns of up to `longest` words."""
        # One bit for each position between, before and after the words of a pattern.
        blocks: Py_ssize_t = longest // 64 + 1
        self.pattern, self.text = pairs.pattern, pairs.text
        # Of bytes, since an array is slow to repeat its items: -1 everywhere, and zeros.
        self.slot = array("i", b"\xff" * (4 * numbers + 4))
        self.head = array("i", b"\xff" * (4 * numbers + 4))
        self.before = array("i", bytes(4 * longest + 4))
        self.masks = array("Q", bytes(8 * 65 * blocks))
        self.rows = array("Q", bytes(8 * 2 * blocks))

    @cython.cfunc
    @cython.nogil
    def prepare(self, start: longlong, stop: longlong, shift: longlong) -> void:
        """Take ``pattern[start:stop]``; its word `i` is bit ``i + shift`` of the masks."""
        distinct: cython.int = 0
        self.start = start
        self.size = stop - start
        self.shift = shift
        self.blocks = (self.size + shift + 63) >> 6
        if self.blocks == 0:
            self.blocks = 1
        for j in range(self.blocks):
            self.masks[SPARE * self.blocks + j] = 0
        if self.blocks > 1:
            for i in range(self.size):
                word: cython.int = self.pattern[start + i]
                self.before[i] = self.head[word] if self.slot[word] < -1 else -1
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
            self.masks[self.slot[word] * self.blocks + (j >> 6)] |= ONE << (j & 63)

    @cython.cfunc
    @cython.nogil
    def forget(self) -> void:
        """Make room for the next pattern."""
        for i in range(self.start, self.start + self.size):
            self.slot[self.pattern[i]] = -1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def mask(self, word: cython.int) -> longlong:
        """Return where the mask of a word begins; `release` the word before the next one."""
        if self.slot[word] >= 0:
            return self.slot[word] * self.blocks
        spare: longlong = SPARE * self.blocks
        if self.slot[word] < -1:
            place: longlong = self.head[word]
            while place >= 0:
                bit: longlong = place + self.shift
                self.masks[spare + (bit >> 6)] |= ONE << (bit & 63)
                place = self.before[place]
        return spare

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def release(self, word: cython.int) -> void:
        """Clear the mask if it does not belong to a word."""
        if self.slot[word] < -1:
            place: longlong = self.head[word]
            while place >= 0:
                self.masks[SPARE * self.blocks + ((place + self.shift) >> 6)] = 0
                place = self.before[place]

    @cython.cfunc
    @cython.nogil
    def levenshtein(self, start: longlong, stop: longlong) -> longlong:
        """Return the distance of the pattern from ``text[start:stop]`` (Myers 1999, Hyyrö 2003).

        Rows are kept as the differences of neighbours: `up` and `down`. Needs ``shift = 0``.
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

    # -- Rows of the cover distance: a row holds its minimum and that plus one, no other values,
    # -- since a jump leads from the minimum to everywhere. So it is a number and a set of bits,
    # -- which are 1 where the row has its minimum.

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

        A match that starts from a minimum is the new minimum, and nothing else is. Without any,
        the minimum rises by one, and is reached from a minimum by a substitution or an insertion,
        and from everywhere by a match.
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
    def above(self, row: longlong, place: longlong) -> cython.int:
        """Return 0 where a row has its minimum, else 1."""
        return 1 - cython.cast(cython.int, (self.rows[row + (place >> 6)] >> (place & 63)) & ONE)

    @cython.cfunc
    @cython.nogil
    def cover(self, start: longlong, stop: longlong) -> longlong:
        """Return the cover distance of the pattern from ``text[start:stop]``.

        Needs ``shift = 1``.
        """
        row: longlong = 0
        distance: longlong = 0
        self.first_row(row)
        for i in range(start, stop):
            distance += self.next_row(row, self.blocks - row, self.text[i])
            row = self.blocks - row
        return distance + self.above(row, self.size)


def bit_distances(
    pairs: RowPairs,
    cover: bint,
    distance: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    grid: BitGrid,
) -> None:
    """Write the Levenshtein distance of each pair of rows.

    With `cover`, the cover distance: the text is covered once, the pattern at will.
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
            grid.forget()


def common_words(
    pairs: RowPairs,
    common: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    count: cython.int[::1],
) -> None:
    """Count the words that the two rows of each pair share, repeated words by their smaller count.

    Scratch: `count`, as long as there are numbers of words, zeros.
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
    """Works through one pair of rows after the other in the caller's arrays."""

    cython.declare(pattern=cython.const[cython.int][::1], text=cython.const[cython.int][::1])
    # Of each word its characters; or, rising, its classes or the words that it has a cost with.
    cython.declare(codes=cython.const[cython.int][::1], code_offsets=cython.const[longlong][::1])
    # The cost of words that share a class; of each pair of words in `codes`; or of each word.
    cython.declare(given=cython.const[double][::1], kind=cython.int)
    # Levenshtein costs of pairs that were met lately: a power of two of slots, -1 where free.
    cython.declare(keys=longlong[::1], known=longlong[::1], edits=longlong[::1], rows=longlong[::1])
    cython.declare(coverage=cython.int[::1])
    # The steps of a path, where they are wanted: what each is, where it begins, what it costs.
    cython.declare(operation=schar[::1], pattern_place=cython.int[::1], text_place=cython.int[::1])
    cython.declare(price=longlong[::1], scale=longlong)
    # If of several cheapest paths one with long blocks is wanted: what an identity behind another
    # one earns, what a jump costs more than an edit, and what each identity earns; else 0.
    cython.declare(reward=longlong, penalty=longlong, extra=longlong, start=longlong, size=longlong)

    def __init__(
        self,
        pattern: cython.const[cython.int][::1],
        text: cython.const[cython.int][::1],
        codes: cython.const[cython.int][::1],
        code_offsets: cython.const[longlong][::1],
        given: cython.const[double][::1],
        kind: cython.int,
        slots: Py_ssize_t,
        longest: Py_ssize_t,
        room: Py_ssize_t,
        width: Py_ssize_t,
    ):
        """Store rows of words and their costs.

        `kind` of costs, as parts of an edit: 0 constant; 1 prefix; 2 Levenshtein, both of the
        characters in `codes`; 3 ``given[0]`` for words with a common class in `codes`, else 1; 4
        ``given[i]`` for a word and ``codes[i]`` of its row, else 1; 5 ``given[word]`` of both words
        together, at most 2. Given costs are above 0 and at most 2; rows of classes and words rise.

        `slots` costs of pairs are remembered, a power of two; words have up to `longest`
        characters. `width` is that of a row: the longest pattern and one. `room` takes two rows, or
        ``2 * step + 2`` where a path is traced, `step` being the root of the longest text, rounded
        up; with a reward twice that.
        """
        self.pattern, self.text, self.kind = pattern, text, kind
        self.codes, self.code_offsets, self.given = codes, code_offsets, given
        self.scale = self.reward = self.penalty = self.extra = 0
        self.keys = memoryview(array("q", b"\xff" * (8 * slots)))
        self.known = array("q", bytes(8 * slots))
        self.edits = array("q", bytes(8 * longest + 8))
        # The large one, of which there must be no copy.
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
    def share(self, part: longlong, whole: longlong) -> longlong:
        """Return ``part / whole`` of the scale, rounded to the nearest integer."""
        unit: longlong = self.scale // whole
        remainder: longlong = self.scale - unit * whole
        return part * unit + (part * remainder + whole // 2) // whole

    @cython.cfunc
    @cython.nogil
    def cost(self, one: cython.int, other: cython.int) -> longlong:
        """Return the cost of substituting a word for another."""
        if one == other:
            return 0
        if self.kind == CONSTANT:
            return self.scale
        # Found faster than remembered.
        if self.kind == PREFIX:
            return self.prefix_cost(one, other)
        if self.kind != LEVENSHTEIN:
            return self.given_cost(one, other)
        key: longlong = pair_key(one, other)
        place: longlong = golden_hash(key, 40) & (self.keys.shape[0] - 1)
        if self.keys[place] != key:
            self.keys[place] = key
            self.known[place] = self.levenshtein_cost(one, other)
        return self.known[place]

    @cython.cfunc
    @cython.nogil
    def prefix_cost(self, one: cython.int, other: cython.int) -> longlong:
        """Return 1 less the common prefix over the mean length of two different words."""
        i: longlong = self.code_offsets[one]
        j: longlong = self.code_offsets[other]
        stop: longlong = self.code_offsets[one + 1]
        end: longlong = self.code_offsets[other + 1]
        both: longlong = stop - i + end - j
        different: longlong = both
        while i < stop and j < end and self.codes[i] == self.codes[j]:
            different -= 2
            i += 1
            j += 1
        return self.share(different, both)

    @cython.cfunc
    @cython.nogil
    def given_cost(self, one: cython.int, other: cython.int) -> longlong:
        """Return the cost of two different words from a table or from classes."""
        place: longlong = -1
        if self.kind == WEIGHTED:
            cost: double = min(self.given[one] + self.given[other], 2.0)
        else:
            if self.kind == LISTED:
                place = self.find_listed(one, other)
            elif self.share_class(one, other):
                place = 0
            if place < 0:
                return self.scale
            cost = self.given[place]
        return cython.cast(longlong, cost * cython.cast(double, self.scale) + 0.5)

    @cython.cfunc
    @cython.nogil
    def find_listed(self, one: cython.int, other: cython.int) -> longlong:
        """Return the index of a word in the sorted row of another one, -1 if it is missing."""
        begin: longlong = self.code_offsets[one]
        end: longlong = self.code_offsets[one + 1]
        while begin < end:
            middle: longlong = (begin + end) // 2
            if self.codes[middle] < other:
                begin = middle + 1
            else:
                end = middle
        if begin < self.code_offsets[one + 1] and self.codes[begin] == other:
            return begin
        return -1

    @cython.cfunc
    @cython.nogil
    def share_class(self, one: cython.int, other: cython.int) -> bint:
        """Return whether the rising rows of two words have a number in common."""
        i: longlong = self.code_offsets[one]
        j: longlong = self.code_offsets[other]
        stop: longlong = self.code_offsets[one + 1]
        end: longlong = self.code_offsets[other + 1]
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
    def levenshtein_cost(self, one: cython.int, other: cython.int) -> longlong:
        """Return the edits of a path from one word to the other over its edits and identities.

        Of the cheapest paths the longest is taken, which has the most identities.
        """
        i: longlong = self.code_offsets[one]
        j: longlong = self.code_offsets[other]
        stop: longlong = self.code_offsets[one + 1]
        end: longlong = self.code_offsets[other + 1]
        identities: longlong = 0
        # Equal characters at either end are on a longest of the cheapest paths.
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
            self.edits[i - begin] = (i - begin) * EDIT_COST
        while j < end:
            code: cython.int = self.codes[j]
            corner: longlong = self.edits[0]
            best: longlong = corner + EDIT_COST
            self.edits[0] = best
            for i in range(begin, stop):
                best += EDIT_COST
                if self.edits[i - begin + 1] + EDIT_COST < best:
                    best = self.edits[i - begin + 1] + EDIT_COST
                corner += -1 if self.codes[i] == code else EDIT_COST
                if corner < best:
                    best = corner
                corner = self.edits[i - begin + 1]
                self.edits[i - begin + 1] = best
            j += 1
        best = (self.edits[stop - begin] + EDIT_COST - 1) // EDIT_COST
        identities += best * EDIT_COST - self.edits[stop - begin]
        return self.share(best, best + identities)

    @cython.cfunc
    @cython.nogil
    def first_row(self, row: longlong, jumps: bint) -> void:
        """Write the row before the text's first word."""
        for i in range(self.size + 1):
            self.rows[row + i] = self.scale * (1 if jumps and i > 1 else i)
            if self.reward > 0:
                self.rows[row + i] += self.penalty if i > 1 else 0
                self.rows[row + self.size + 1 + i] = FAR

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
            # No cost is negative: without this the costs of most pairs would be asked for.
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

        Another row follows it: the cost of the paths that end with an identity.
        """
        linked: longlong = self.size + 1
        edit: longlong = self.scale
        best: longlong = self.rows[row] + edit
        least: longlong = best
        self.rows[following] = best
        self.rows[following + linked] = FAR
        for i in range(1, self.size + 1):
            best = min(best, self.rows[row + i]) + edit
            value: longlong = self.rows[row + i - 1]
            pattern_word: cython.int = self.pattern[self.start + i - 1]
            self.rows[following + linked + i] = FAR
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
        """Count `coverage` on a cheapest path; write its steps in front of `place`, if not below 0.

        The path is followed from its end; where there are several ways, by substitution or
        identity, then insertion, then deletion, then a jump from the first minimum of the row.
        Rows are kept at every `step` words of the text and those between them made again. Return
        where the steps begin.
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
    def last_step(self, row: longlong, i: longlong, at: longlong, start: longlong) -> schar:
        """Return the step that leads to cell `i` of the grid's row after `at` words."""
        value: longlong = self.rows[row + i]
        above: longlong = row - self.width()
        if at > 0 and i > 0:
            pattern_word: cython.int = self.pattern[self.start + i - 1]
            text_word: cython.int = self.text[start + at - 1]
            if pattern_word != text_word:
                if value == self.rows[above + i - 1] + self.cost(pattern_word, text_word):
                    return SUBSTITUTION
            elif self.reward > 0:
                if value == self.rows[row + self.size + 1 + i]:
                    return MATCH
            elif value == self.rows[above + i - 1]:
                return MATCH
        if at > 0 and value == self.rows[above + i] + self.scale:
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
        """Write the rows of a block at `base`, from the kept row before it."""
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
        """Return the first place of a row's minimum."""
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

    An edit of pair `k` costs ``scale[k]``, and so does one in its distance. If `traced`, write the
    miscoverage of a path of the cover distance too.
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

    Those of pair `k` are written in front of ``ends[k]``, two for each word of the text and one at
    most; ``begins[k]`` tells where they begin. A step has the place of the pattern and that of the
    text at which it begins. Of several cheapest paths take, if there is a `reward` for equal words
    behind equal words, one that earns most, less the `penalty` for each jump and with `extra` for
    all equal words; none of these is in `price`. `scale`: as `compute_weighted_distances`.
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
    """Write the costs of all words of row `k` of the text with all of its row of the pattern.

    They begin at ``cost_offsets[k] - cost_offsets[first]``, with a row for each word of the
    shorter of the two. `scale`: as `compute_weighted_distances`.
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
    """Holds the distances of all pairs of spans of two sentences, in the caller's arrays."""

    cython.declare(n=cython.int, m=cython.int)
    # What an edit and an exchange cost.
    cython.declare(edit=cython.int, exchange=cython.int, words=cython.int[::1])
    cython.declare(reference=cython.int[::1], row=cython.int[::1])
    # How often each word occurs in the sentences, and in the spans.
    cython.declare(total=cython.int[::1], reference_total=cython.int[::1], inside=cython.int[::1])
    cython.declare(reference_inside=cython.int[::1])
    # Pairs that are exchanged, chained by where they end: where they start, and the next one.
    cython.declare(heads=cython.int[::1], starts=cython.int[::1], chain=cython.int[::1])
    cython.declare(used=cython.int, cells=cython.int[::1])
    # What must be beaten.
    cython.declare(most=cython.int)

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
        # Words missing or too many cannot be had cheaper, and an exchange comes on top of them.
        least: cython.int = (max(self.n, self.m) - common) * self.edit
        with_exchange: cython.int = self.edit + self.exchange
        # Little is tried where little may be spent: the allowance grows until it suffices.
        while least + self.exchange < plain:
            self.most = min(plain, least + with_exchange)
            for i in range((self.n + 1) * (self.m + 1)):
                self.heads[i] = -1
            self.used = 0
            for i in range(self.n, -1, -1):
                for j in range(self.m, -1, -1):
                    self.fill(i, j, common)
            plain = min(plain, self.cells[self.n * (self.m + 1) + self.m])
            if plain <= self.most:
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
            # Common words of the two spans, and of what lies around them.
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
                best = self.joined(plane, start, begin, i * wide + j, best)
                low: cython.int = (max(i - start, j - begin) - within) * self.edit + self.exchange
                if low < best:
                    apart: cython.int = max(self.n - i + start, self.m - j + begin) - around
                    if low + apart * self.edit < self.most:
                        best = self.crossed(start, begin, i, j, best)
                self.cells[cell + j] = best
            for j in range(begin, self.m):
                self.reference_inside[self.reference[j]] = 0
        for i in range(start, self.n):
            self.inside[self.words[i]] = 0

    @cython.cfunc
    @cython.nogil
    def joined(
        self,
        plane: longlong,
        start: cython.int,
        begin: cython.int,
        end: cython.int,
        best: cython.int,
    ) -> cython.int:
        """Return the cheapest way to let an exchanged pair come last, or `best`."""
        wide: cython.int = self.m + 1
        entry: cython.int = self.heads[end]
        while entry >= 0:
            place: cython.int = self.starts[entry]
            # What starts later in the candidate may start earlier in the reference.
            if place % wide >= begin:
                cost: cython.int = self.cells[plane + place]
                cost += self.cells[cython.cast(longlong, place) * (self.n + 1) * wide + end]
                best = min(best, cost)
            entry = self.chain[entry]
        return best

    @cython.cfunc
    @cython.nogil
    def crossed(
        self,
        start: cython.int,
        begin: cython.int,
        end: cython.int,
        stop: cython.int,
        best: cython.int,
    ) -> cython.int:
        """Return the cheapest exchange that makes up a pair of spans, or `best`."""
        cython.declare(i=cython.int, j=cython.int)
        wide: longlong = self.m + 1
        plane: longlong = (self.n + 1) * wide
        least: cython.int = best - self.exchange
        for i in range(start + 1, end):
            # The front of the candidate with the back of the reference, and the other way round.
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
    """Write the distance between each segment's hypothesis and its references.

    It is -1 where one of the two has more than `most_words` words. The words of a segment, up to
    `longest`, are numbered from 0. `places` bounds the number of pairs of positions, one in each
    sentence. Scratch: `cells`, the square of `places`; `chain`, half of the square.
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
# A lower bound lets the words of one side be covered any number of times and pays a price for each
# time that is not the first (Lagrangian relaxation); prices are raised for words left out and
# lowered for words covered twice. A search by iterative deepening then refutes one distance after
# the other.
#
# In some cheapest path a deleted word follows its predecessor, jumps come after deletions and
# insertions and before a diagonal step, and no deletion is beside an insertion; only such paths are
# searched.


@cython.cclass
class JumpPair:
    """Covers the words of one sentence with those of another, in buffers passed by the caller."""

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
            cost: cython.int = PRICE_UNIT - self.prices[i] + self.rest[here + i + 1]
            self.rest[here + i] = min(cost, PRICE_UNIT)
        for j in range(self.m - 1, -1, -1):
            below: longlong = here
            here -= self.n + 1
            best: cython.int = UNREACHED
            for i in range(self.n):
                cost = self.rest[below + i + 1] - self.prices[i]
                if self.words[i] != self.reference[j]:
                    cost += PRICE_UNIT
                self.rest[here + i] = cost
                if cost < best:
                    best = cost
                    self.target[j] = i
            best += PRICE_UNIT
            self.rest[here + self.n] = min(best, self.rest[below + self.n] + PRICE_UNIT)
            for i in range(self.n - 1, -1, -1):
                cost = self.rest[here + i + 1] + PRICE_UNIT - self.prices[i]
                cost = min(cost, best, self.rest[here + i])
                self.rest[here + i] = min(cost, self.rest[below + i] + PRICE_UNIT)
        return total + self.rest[0]

    @cython.cfunc
    @cython.nogil
    def walk(self) -> cython.int:
        """Count how often the cheapest relaxed path covers each word, in `covered`.

        Return the cost of a path that does it once: where a word is covered too often, a block of
        the path can be cut by an insertion, and where it is not covered, lengthened by a deletion.
        """
        cython.declare(i=cython.int, j=cython.int)
        chosen: cython.int = 0
        for i in range(self.n):
            self.covered[i] = 0
        i = j = 0
        while i < self.n or j < self.m:
            here: longlong = cython.cast(longlong, j) * (self.n + 1) + i
            below: longlong = here + self.n + 1
            cost: cython.int = UNREACHED
            if i < self.n and j < self.m:
                cost = self.rest[below + 1] - self.prices[i]
                cost += 0 if self.words[i] == self.reference[j] else PRICE_UNIT
            if i < self.n and self.rest[here] == self.rest[here + 1] + PRICE_UNIT - self.prices[i]:
                chosen = self.note(chosen, DELETION, i, j)
                self.covered[i] += 1
                i += 1
            elif j == self.m:
                chosen = self.note(chosen, JUMP, i, j)
                i = self.n
            elif self.rest[here] == self.rest[below] + PRICE_UNIT:
                chosen = self.note(chosen, INSERTION, i, j)
                j += 1
            else:
                if self.rest[here] != cost:
                    chosen = self.note(chosen, JUMP, i, j)
                    i = self.target[j]
                wrong: cython.int = SUBSTITUTION if self.words[i] != self.reference[j] else MATCH
                chosen = self.note(chosen, wrong, i, j)
                self.covered[i] += 1
                i += 1
                j += 1
        cost = self.rest[0]
        miscovered: cython.int = 0
        for i in range(self.n):
            cost += self.covered[i] * self.prices[i]
            miscovered += self.covered[i] - 1 if self.covered[i] > 0 else 1
        cost = cost // PRICE_UNIT + miscovered
        if self.recorded and cost < self.upper:
            self.steps = 0
            self.origin = WALKED
            for i in range(chosen - 1, -1, -1):
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
        """Store a step of `walk`; return the index for the next one."""
        if self.recorded:
            self.walked[3 * place] = operation
            self.walked[3 * place + 1] = i
            self.walked[3 * place + 2] = j
        return place + 1

    @cython.cfunc
    @cython.nogil
    def ascend(self) -> void:
        """Raise `lower` by subgradient steps, and find `upper` on the way."""
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
        """Set `lower` and reduce `upper`: to the distance, or to bounds proven within the limit."""
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
        if self.lower >= self.upper or self.n > MOST_SEARCHED_WORDS:
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
        slot: longlong = (((left ^ (mark * GOLDEN & MASK64)) * GOLDEN) & MASK64) >> 48
        if self.keys[slot] == left and self.marks[2 * slot] == mark:
            if self.marks[2 * slot + 1] >= self.lower - cost:
                return False
        is_solved: bint = self.step(i, j, left, count, cost, priced, common)
        now: cython.int = common
        paid: cython.int = priced
        remaining: ulonglong = left
        k = 0
        while not is_solved and k < run and self.nodes <= self.limit:
            word: cython.int = self.words[i + k]
            now -= 1 if self.surplus[word] <= 0 else 0
            self.surplus[word] -= 1
            paid -= self.prices[i + k]
            remaining ^= ONE << (i + k)
            k += 1
            is_solved = self.step(i + k, j, remaining, count - k, cost + k, paid, now)
        while k > 0:
            k -= 1
            self.surplus[self.words[i + k]] += 1
            if is_solved:
                self.record(DELETION, i + k, j)
        now = common
        while not is_solved and j + k < self.m - 1 and self.nodes <= self.limit:
            word = self.reference[j + k]
            now -= 1 if self.surplus[word] >= 0 else 0
            self.surplus[word] += 1
            k += 1
            if cost + k + max(count, self.m - j - k) - now > self.lower:
                break
            is_solved = self.step(i, j + k, left, count, cost + k, priced, now)
        while k > 0:
            k -= 1
            self.surplus[self.reference[j + k]] -= 1
            if is_solved:
                self.record(INSERTION, i, j + k)
        if not is_solved and self.nodes <= self.limit:
            self.keys[slot] = left
            self.marks[2 * slot] = mark
            self.marks[2 * slot + 1] = self.lower - cost
        return is_solved

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
        is_solved: bint = False
        reference_word: cython.int = self.reference[j]
        common -= 1 if self.surplus[reference_word] >= 0 else 0
        self.surplus[reference_word] += 1
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
                if (word != reference_word) != (wrong == 1):
                    continue
                now: cython.int = common - (1 if self.surplus[word] <= 0 else 0)
                paid: cython.int = cost + wrong + (0 if k < 0 else 1)
                bound: cython.int = paid + max(count, self.m - j) - now
                remaining: ulonglong = left ^ (ONE << start)
                # Each run of words that are left is entered by a jump, and the end too.
                starts: ulonglong = remaining & ((remaining << 1) ^ MASK64)
                if start + 1 < self.n:
                    starts &= (ONE << (start + 1)) ^ MASK64
                    bound += 0 if (remaining >> (self.n - 1)) & 1 else 1
                while starts != 0:
                    starts &= starts - 1
                    bound += 1
                if bound > self.lower:
                    continue
                debt: cython.int = priced - self.prices[start]
                if paid * PRICE_UNIT + debt + self.rest[row + start] > self.lower * PRICE_UNIT:
                    continue
                self.surplus[word] -= 1
                is_solved = self.search(start + 1, j, remaining, count, paid, debt, now)
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
    rest: cython.int[::1],
    keys: ulonglong[::1],
    marks: longlong[::1],
) -> None:
    """Write bounds of the distance between each segment's hypothesis and its references.

    At first `upper` holds edit distances. The words of a segment, up to `longest`, are numbered
    from 0. Scratch: `rest`, one per position of a relaxed path; `keys`, 65,536 numbers;
    `marks`, 131,072 zeros.
    """
    cython.declare(i=longlong)
    pair: JumpPair = JumpPair(limit, longest, rest, keys, marks)
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
    walked: cython.int[::1],
    found: cython.int[::1],
    longest: Py_ssize_t,
    rest: cython.int[::1],
    keys: ulonglong[::1],
    marks: longlong[::1],
) -> None:
    """Write the steps of the cheapest path found for one pair, from its end.

    Each step of `trail` has three numbers: 0 match, 1 substitution, 2 insertion, 3 deletion or 4
    jump; the words before it; the reference words before it. `words` are not more than those of the
    reference. In `found` are the lower and at first the upper bound of the distance; then the
    number of steps, and where they are from: 0 nowhere, edits alone cost as little; 1 they cover
    words of `words` any number of times; 2 once. `trail` and `walked` have room for six times the
    words of both, and six. Other arguments: as `long_jump_distances`, numbered from 0.
    """
    cython.declare(i=longlong)
    pair: JumpPair = JumpPair(limit, longest, rest, keys, marks)
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


# -- Shifts of TER, moved blocks, common runs. -----------------------------------------------------
#
# Translation edit rate (`Shifter`): greedy shifts of words, then the edit distance, both as tercom
# has them. The edit distance is that of a beam around the diagonal. Without the beam it can be
# computed for 64 reference words at once (Myers 1999, Hyyrö 2003); where that is less than any path
# outside of the beam costs, the two are the same.
#
# Moved blocks: the fewest words that keep the others from being in order. A row has the places in a
# translation of words of its reference, in the order of the reference. A block is a stretch of the
# row whose places follow each other among all that the row has.
#
# Common runs (`Tiling`): the longest first, each word in one run at most.


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
        """Prepare the arrays that all shifts share."""
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
        self.beam = DIAGONAL_BEAM
        if self.n > 0 and self.m > 2 * DIAGONAL_BEAM * cython.cast(longlong, self.n):
            self.beam += (self.m - 1) // (2 * self.n) + 1
        # Less than that only for one that runs between the diagonals of the two ends all along.
        self.outside = (
            2 * DIAGONAL_BEAM - 2 - apart if 2 * DIAGONAL_BEAM - 2 - apart > apart else apart
        )

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
        start: longlong = row * blocks
        end: cython.int = self.ends[row]
        for i in range(row, self.n if blocks > 0 else row):
            to: longlong = (i + 1 if record else self.n + 1) * blocks
            for block in range(blocks):
                self.plus[to + block] = self.plus[start + block]
                self.minus[to + block] = self.minus[start + block]
            end += self.step(to, self.moved[i])
            start = to
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
                    if self.moved[i - 1] != self.reference[self.start + j - 1]:
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
        """Align `hypothesis` (and `moved`, its copy) and mark the wrong words of both sides."""
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
        """Find the best shift of words that the reference has; `gain` is 0 if there is none."""
        cython.declare(target=cython.int, offset=cython.int)
        self.gain = 0
        for start in range(self.n):
            low: cython.int = start - FARTHEST_SHIFT
            high: cython.int = start + FARTHEST_SHIFT + 1
            for target in range(low if low > 0 else 0, high if high < self.m else self.m):
                length: cython.int = 0
                position: cython.int = self.aligned[target]
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
                        or (start <= position and position < start + length)
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


def count_shifted_edits(
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
class BlockRow:
    """Cuts one row after the other in the caller's arrays."""

    cython.declare(place=cython.const[cython.int][::1])
    # Whether the reader jumps before each word, and after the last one: one more than words.
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
        """Keep the blocks in order with the largest number of words; of equal sets the first."""
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
        pieces: cython.int = 0
        for i in range(self.size):
            if self.moved[self.start + i]:
                self.owner[self.place[self.start + i]] = self.block[self.start + i]
            else:
                self.before[self.place[self.start + i] + 1] = 1
                self.stay[pieces] = i
                pieces += 1
        for i in range(self.width):
            self.before[i + 1] += self.before[i]
        pieces = 0
        for k in range(self.blocks):
            low = high = 0
            if not self.moved[self.start + self.begin[k]]:
                pieces += self.begin[k + 1] - self.begin[k]
            else:
                left_block: cython.int = self.before[self.place[self.start + self.begin[k]]]
                right_block: cython.int = self.before[
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
            block_before: cython.int = self.block[self.start + i - 1] if i > 0 else -1
            block_after: cython.int = self.block[self.start + i] if i < self.size else -1
            if block_before >= 0 and block_before == block_after:
                causeless += 1
                continue
            low: cython.int = self.place[self.start + i - 1] + 1 if block_before >= 0 else 0
            high: cython.int = self.place[self.start + i] if block_after >= 0 else self.width
            if block_before >= 0 and not self.moved[self.start + i - 1]:
                block_before = -1
            if block_after >= 0 and not self.moved[self.start + i]:
                block_after = -1
            sides: cython.int = (1 if block_before >= 0 else 0) + (1 if block_after >= 0 else 0)
            if block_before >= 0:
                self.cost[self.start + self.begin[block_before]] += 1.0 / sides
            if block_after >= 0:
                self.cost[self.start + self.begin[block_after]] += 1.0 / sides
            if sides > 0:
                continue
            is_found: cython.int = 0
            for k in range(low, high):
                if self.owner[k] >= 0 and self.charged[self.owner[k]] != i:
                    self.charged[self.owner[k]] = i
                    is_found += 1
            if is_found == 0:
                causeless += 1
            for k in range(self.blocks if is_found > 0 else 0):
                if self.charged[k] == i:
                    self.cost[self.start + self.begin[k]] += 1.0 / is_found
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
    """Write the block of each word of each row, and the properties of each block.

    The words of row `s` have the places ``0 .. widths[s]-1``, some perhaps several times; its jumps
    begin at ``offsets[s] + s``. Written are: the number of the block in the row; whether it has
    moved; how many words that stay the translation has it too late, below 0 too early, 0 if a
    moved block repeats words; the first and the last of these words, -1 without any; at the first
    word of a moved block the jumps it causes; and the jumps of the row that no block causes. No row
    is longer than `longest`, no width larger than `widest`.
    """
    row: BlockRow = BlockRow()
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
        """Return the length of the longest free run; or mark and count the runs of a length."""
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
        """Mark the first free run of a length that ends with word `i`; return 1 if there is one."""
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

    `lengths` gets the lengths of the runs at the positions of the reference's words. A segment has
    at most `different` distinct words, a row `longest` words.
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
