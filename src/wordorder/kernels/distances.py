"""Edit distances of rows of words: at constant costs, at costs of words, with exchanged blocks.

At constant costs, 64 grid points at a time. A row of the alignment grid has a point before, between
and after the words of the pattern; the words of the text lead from one row to the next. `BitGrid`
holds where the words of the pattern are, as one mask of bits for each distinct word. Masks of all
words of a long pattern would take quadratic memory, so only its frequent words keep theirs; there
are 64 of them at most.

In a `CostGrid` a substitution costs what the words differ by; it also has the steps of a path of
the cover distance, and how often it takes each word of the pattern. All costs are whole numbers:
fractions of a scale, which is what an edit costs.

Inversion distance (`Chart`): edits, and exchanges of neighbouring blocks, under a bracketing
grammar. A pair of spans is edited from left to right, in steps of one word or of a pair that is
itself an exchange. Exchanges are tried only where the words of the pair and those around it allow
one in a derivation that beats plain editing.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, schar, ulonglong, void

MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(ulonglong, 1)
# The mask of a word that keeps none is made in this row of the masks, behind those that are kept.
SPARE = cython.declare(longlong, 64)

SPREAD = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
cython.declare(CONSTANT=cython.int, PREFIX=cython.int, LEVENSHTEIN=cython.int)
CONSTANT, PREFIX, LEVENSHTEIN = range(3)
# Costs that are given: one for words that share a class, one a pair of words, one a word.
cython.declare(SHARED=cython.int, LISTED=cython.int, WEIGHTED=cython.int)
SHARED, LISTED, WEIGHTED = 3, 4, 5
# An edit outweighs all identities of a word: the longest of the cheapest paths is the cheapest.
EDIT = cython.declare(longlong, 1 << 32)

# More than any path costs, with room for a reward below and a step above.
FAR = cython.declare(longlong, 1 << 62)

# The steps of a path: a word of each row, equal or not; a word of the text; one of the pattern.
cython.declare(MATCH=schar, SUBSTITUTION=schar, INSERTION=schar, DELETION=schar, JUMP=schar)
MATCH, SUBSTITUTION, INSERTION, DELETION, JUMP = range(5)


@cython.cclass
class RowPairs:
    """Pairs of rows of word numbers.

    Row `p` of `pattern` is in the pairs ``offsets[p] .. offsets[p+1]-1``; pair `k` is with row
    ``text_rows[k]`` of `text`. Others work on them too: see `distances.pxd`.
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
        # One bit for each place between, before and behind the words of a pattern.
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
        kept: cython.int = 0
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
                self.slot[word] = kept
                for j in range(self.blocks):
                    self.masks[kept * self.blocks + j] = 0
                kept += 1
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
        """Clear the mask again, if the word keeps none."""
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
        """Write the bits of the row behind a word of the text; return by how much it rises.

        A match that starts from a minimum is the new minimum, and nothing else is. Without any,
        the minimum rises by one, and is reached from a minimum by a substitution or an insertion,
        and from everywhere by a match.
        """
        blocks: longlong = self.blocks
        base: longlong = self.mask(word)
        found: ulonglong = 0
        carry: ulonglong = 0
        for j in range(blocks):
            bits: ulonglong = self.rows[row + j]
            self.rows[following + j] = ((bits << 1) | carry) & self.masks[base + j]
            carry = bits >> 63
            found |= self.rows[following + j]
        if found == 0:
            carry = 0
            for j in range(blocks):
                bits = self.rows[row + j]
                self.rows[following + j] = (
                    bits | ((bits << 1) & MASK64) | carry | self.masks[base + j]
                )
                carry = bits >> 63
        self.release(word)
        return 1 if found == 0 else 0

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
    """Write for each pair how many words the two rows share, repeated ones as often as both have.

    Scratch: `count`, as long as there are numbers of words, zeros.
    """
    with cython.nogil:
        for row in range(first, last):
            for k in range(pairs.offsets[row], pairs.offsets[row + 1]):
                line: longlong = pairs.text_rows[k]
                for i in range(pairs.pattern_offsets[row], pairs.pattern_offsets[row + 1]):
                    count[pairs.pattern[i]] += 1
                found: longlong = 0
                for i in range(pairs.text_offsets[line], pairs.text_offsets[line + 1]):
                    word: cython.int = pairs.text[i]
                    if count[word] > 0:
                        count[word] -= 1
                        found += 1
                for i in range(pairs.pattern_offsets[row], pairs.pattern_offsets[row + 1]):
                    count[pairs.pattern[i]] = 0
                common[k] = found


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
        """Take rows of words and what they cost.

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
        """Let an edit cost `scale`; what is remembered holds for one scale only."""
        if scale != self.scale:
            self.scale = scale
            for place in range(self.keys.shape[0]):
                self.keys[place] = -1

    @cython.cfunc
    @cython.nogil
    def share(self, part: longlong, whole: longlong) -> longlong:
        """Return ``part / whole`` of the scale, rounded to the nearest where it is no number."""
        unit: longlong = self.scale // whole
        rest: longlong = self.scale - unit * whole
        return part * unit + (part * rest + whole // 2) // whole

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
        key: longlong = (cython.cast(longlong, one) << 32) | other
        place: longlong = cython.cast(
            longlong, ((cython.cast(ulonglong, key) * SPREAD) & MASK64) >> 40
        ) & (self.keys.shape[0] - 1)
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
        """Return the cost of two different words that is not found in their characters."""
        place: longlong = -1
        if self.kind == WEIGHTED:
            cost: double = min(self.given[one] + self.given[other], 2.0)
        else:
            if self.kind == LISTED:
                place = self.listed(one, other)
            elif self.share_class(one, other):
                place = 0
            if place < 0:
                return self.scale
            cost = self.given[place]
        return cython.cast(longlong, cost * cython.cast(double, self.scale) + 0.5)

    @cython.cfunc
    @cython.nogil
    def listed(self, one: cython.int, other: cython.int) -> longlong:
        """Return the place of a word in the rising row of another one, -1 if it is not there."""
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
            self.edits[i - begin] = (i - begin) * EDIT
        while j < end:
            code: cython.int = self.codes[j]
            corner: longlong = self.edits[0]
            best: longlong = corner + EDIT
            self.edits[0] = best
            for i in range(begin, stop):
                best += EDIT
                if self.edits[i - begin + 1] + EDIT < best:
                    best = self.edits[i - begin + 1] + EDIT
                corner += -1 if self.codes[i] == code else EDIT
                if corner < best:
                    best = corner
                corner = self.edits[i - begin + 1]
                self.edits[i - begin + 1] = best
            j += 1
        best = (self.edits[stop - begin] + EDIT - 1) // EDIT
        identities += best * EDIT - self.edits[stop - begin]
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
        """Write the row behind a word of the text."""
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
        """Write the row behind a word of the text, with jumps, rewards and penalties.

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
            other: cython.int = self.pattern[self.start + i - 1]
            self.rows[following + linked + i] = FAR
            if other == word:
                value = min(value, self.rows[row + linked + i - 1] - self.reward) - self.extra
                self.rows[following + linked + i] = value
                best = min(best, value)
            elif value < best:
                best = min(best, value + self.cost(other, word))
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
            for at in range(width):
                self.rows[(i + 1) * width + at] = self.rows[base + step * width + at]
        self.fill(block, base, step, start, stop)
        for i in range(self.size):
            self.coverage[i] = 0
        i = self.size
        at = length
        while i > 0 or at > 0:
            if at == block * step and at > 0:
                block -= 1
                self.fill(block, base, step, start, stop)
            row: longlong = base + (at - block * step) * width
            operation: schar = MATCH if linked else self.last_step(row, i, at, start)
            if operation == MATCH and self.reward > 0:
                linked = self.rows[row + self.size + 1 + i] == (
                    self.rows[row - width + self.size + i] - self.reward - self.extra
                )
            if operation == JUMP:
                i = self.lowest(row)
            if operation <= SUBSTITUTION or operation == INSERTION:
                at -= 1
            if operation <= SUBSTITUTION or operation == DELETION:
                i -= 1
                self.coverage[i] += 1
            if place >= 0:
                place -= 1
                self.operation[place] = operation
                self.pattern_place[place] = cython.cast(cython.int, i)
                self.text_place[place] = cython.cast(cython.int, at)
                self.price[place] = self.scale
                if operation <= SUBSTITUTION:
                    self.price[place] = self.cost(
                        self.pattern[self.start + i], self.text[start + at]
                    )
        return place

    @cython.cfunc
    @cython.nogil
    def last_step(self, row: longlong, i: longlong, at: longlong, start: longlong) -> schar:
        """Return the step that leads to place `i` of a row of the grid, behind `at` words."""
        value: longlong = self.rows[row + i]
        above: longlong = row - self.width()
        if at > 0 and i > 0:
            one: cython.int = self.pattern[self.start + i - 1]
            other: cython.int = self.text[start + at - 1]
            if one != other:
                if value == self.rows[above + i - 1] + self.cost(one, other):
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
        """Return how much room a row takes."""
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


def weighted_distances(
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


def cover_steps(
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
    all equal words; none of these is in `price`. `scale`: as `weighted_distances`.
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
    shorter of the two. `scale`: as `weighted_distances`.
    """
    with cython.nogil:
        for k in range(first, last):
            at: longlong = cost_offsets[k] - cost_offsets[first]
            grid.rescale(scale[k])
            grid.start = pattern_offsets[pattern_rows[k]]
            rows: longlong = pattern_offsets[pattern_rows[k] + 1] - grid.start
            columns: longlong = text_offsets[k + 1] - text_offsets[k]
            down: longlong = columns if rows <= columns else 1
            for i in range(rows):
                for j in range(columns):
                    cost[at + i * down + j * (rows if rows > columns else 1)] = grid.cost(
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
        more: cython.int = self.edit + self.exchange
        # Little is tried where little may be spent: the allowance grows until it suffices.
        while least + self.exchange < plain:
            self.most = min(plain, least + more)
            for i in range((self.n + 1) * (self.m + 1)):
                self.heads[i] = -1
            self.used = 0
            for i in range(self.n, -1, -1):
                for j in range(self.m, -1, -1):
                    self.fill(i, j, common)
            plain = min(plain, self.cells[self.n * (self.m + 1) + self.m])
            if plain <= self.most:
                break
            more *= 3
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
            at: longlong = plane + i * wide
            self.cells[at + begin] = (i - start) * self.edit
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
                best: cython.int = self.cells[at - wide + j - 1]
                best += 0 if self.words[i - 1] == word else self.edit
                best = min(best, self.cells[at - wide + j] + self.edit)
                best = min(best, self.cells[at + j - 1] + self.edit)
                best = self.joined(plane, start, begin, i * wide + j, best)
                low: cython.int = (max(i - start, j - begin) - within) * self.edit + self.exchange
                if low < best:
                    apart: cython.int = max(self.n - i + start, self.m - j + begin) - around
                    if low + apart * self.edit < self.most:
                        best = self.crossed(start, begin, i, j, best)
                self.cells[at + j] = best
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
            left: longlong = start * wide * plane + i * wide + stop
            right: longlong = (i * wide + begin) * plane + end * wide
            for j in range(begin + 1, stop):
                least = min(least, self.cells[left + j * plane] + self.cells[right + j])
        if least + self.exchange < best:
            self.starts[self.used] = cython.cast(cython.int, start * wide + begin)
            self.chain[self.used] = self.heads[end * wide + stop]
            self.heads[end * wide + stop] = self.used
            self.used += 1
        return least + self.exchange


def inversion_distances(
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
    `longest`, are numbered from 0. Two sentences have at most so many `places` together, one of
    each. Scratch: `cells`, the square of that; `chain`, half of the square.
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
