"""Edit distances of rows of words at constant costs, 64 grid points at a time.

A row of the alignment grid has a point before, between and after the words of the pattern; the
words of the text lead from one row to the next. `Grid` holds where the words of the pattern
are, as one mask of bits for each distinct word. Masks of all words of a long pattern would take
quadratic memory, so only its frequent words keep theirs; there are 64 of them at most.
"""

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
ONE = cython.declare(cython.ulonglong, 1)
# The mask of a word that keeps none is made in this row of the masks, behind those that are kept.
SPARE = cython.declare(cython.longlong, 64)


@cython.final
@cython.cclass
class Grid:
    """Works through one pattern after the other in the caller's arrays."""

    pattern: cython.const[cython.int][::1]
    text: cython.const[cython.int][::1]
    # Per word: the row of its mask, or -1 - n if it keeps none and the pattern has it n times.
    slot: cython.int[::1]
    # The places of a word without a mask: the last one, and for each the one before.
    head: cython.int[::1]
    before: cython.int[::1]
    masks: cython.ulonglong[::1]
    rows: cython.ulonglong[::1]
    start: cython.longlong
    size: cython.longlong
    shift: cython.longlong
    blocks: cython.longlong

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def prepare(
        self, start: cython.longlong, stop: cython.longlong, shift: cython.longlong
    ) -> cython.void:
        """Take ``pattern[start:stop]``; its word `i` is bit ``i + shift`` of the masks."""
        cython.declare(i=cython.longlong, j=cython.longlong, word=cython.int)
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
                word = self.pattern[start + i]
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
    @cython.exceptval(check=False)
    def forget(self) -> cython.void:
        """Make room for the next pattern."""
        cython.declare(i=cython.longlong)
        for i in range(self.start, self.start + self.size):
            self.slot[self.pattern[i]] = -1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def mask(self, word: cython.int) -> cython.longlong:
        """Return where the mask of a word begins; `release` the word before the next one."""
        cython.declare(place=cython.longlong, bit=cython.longlong, spare=cython.longlong)
        if self.slot[word] >= 0:
            return self.slot[word] * self.blocks
        spare = SPARE * self.blocks
        if self.slot[word] < -1:
            place = self.head[word]
            while place >= 0:
                bit = place + self.shift
                self.masks[spare + (bit >> 6)] |= ONE << (bit & 63)
                place = self.before[place]
        return spare

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def release(self, word: cython.int) -> cython.void:
        """Clear the mask again, if the word keeps none."""
        cython.declare(place=cython.longlong)
        if self.slot[word] < -1:
            place = self.head[word]
            while place >= 0:
                self.masks[SPARE * self.blocks + ((place + self.shift) >> 6)] = 0
                place = self.before[place]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def levenshtein(self, start: cython.longlong, stop: cython.longlong) -> cython.longlong:
        """Return the distance of the pattern from ``text[start:stop]`` (Myers 1999, Hyyrö 2003).

        Rows are kept as the differences of neighbours: `up` and `down`. Needs ``shift = 0``.
        """
        cython.declare(i=cython.longlong, j=cython.longlong, base=cython.longlong, word=cython.int)
        cython.declare(up=cython.ulonglong, down=cython.ulonglong, same=cython.ulonglong)
        cython.declare(zero=cython.ulonglong, rise=cython.ulonglong, fall=cython.ulonglong)
        cython.declare(rise_in=cython.ulonglong, fall_in=cython.ulonglong, carry=cython.ulonglong)
        distance: cython.longlong = self.size
        top: cython.longlong = (self.size - 1) & 63
        blocks: cython.longlong = self.blocks
        if self.size == 0:
            return stop - start
        for j in range(blocks):
            self.rows[j] = MASK64
            self.rows[blocks + j] = 0
        for i in range(start, stop):
            word = self.text[i]
            base = self.mask(word)
            rise_in = 1
            fall_in = 0
            for j in range(blocks):
                up = self.rows[j]
                down = self.rows[blocks + j]
                same = self.masks[base + j] | fall_in
                zero = (((((same & up) + up) & MASK64) ^ up) | same) | down
                rise = down | (~(zero | up) & MASK64)
                fall = zero & up
                if j == blocks - 1:
                    distance += cython.cast(cython.longlong, (rise >> top) & 1)
                    distance -= cython.cast(cython.longlong, (fall >> top) & 1)
                carry = rise >> 63
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
    @cython.exceptval(check=False)
    def first_row(self, row: cython.longlong) -> cython.void:
        """Write the row before the text's first word: 0 at the start, 1 everywhere else."""
        cython.declare(j=cython.longlong)
        self.rows[row] = 1
        for j in range(1, self.blocks):
            self.rows[row + j] = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    @cython.exceptval(check=False)
    def next_row(
        self, row: cython.longlong, following: cython.longlong, word: cython.int
    ) -> cython.int:
        """Write the bits of the row behind a word of the text; return by how much it rises.

        A match that starts from a minimum is the new minimum, and nothing else is. Without any,
        the minimum rises by one, and is reached from a minimum by a substitution or an insertion,
        and from everywhere by a match.
        """
        cython.declare(j=cython.longlong, bits=cython.ulonglong)
        blocks: cython.longlong = self.blocks
        base: cython.longlong = self.mask(word)
        found: cython.ulonglong = 0
        carry: cython.ulonglong = 0
        for j in range(blocks):
            bits = self.rows[row + j]
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
    @cython.exceptval(check=False)
    def above(self, row: cython.longlong, place: cython.longlong) -> cython.int:
        """Return 0 where a row has its minimum, else 1."""
        return 1 - cython.cast(cython.int, (self.rows[row + (place >> 6)] >> (place & 63)) & ONE)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def cover(self, start: cython.longlong, stop: cython.longlong) -> cython.longlong:
        """Return the cover distance of the pattern from ``text[start:stop]``.

        Needs ``shift = 1``.
        """
        cython.declare(i=cython.longlong)
        row: cython.longlong = 0
        distance: cython.longlong = 0
        self.first_row(row)
        for i in range(start, stop):
            distance += self.next_row(row, self.blocks - row, self.text[i])
            row = self.blocks - row
        return distance + self.above(row, self.size)


def levenshtein_distances(
    pattern: cython.const[cython.int][::1],
    pattern_offsets: cython.const[cython.longlong][::1],
    text: cython.const[cython.int][::1],
    text_offsets: cython.const[cython.longlong][::1],
    pair_offsets: cython.const[cython.longlong][::1],
    text_rows: cython.const[cython.longlong][::1],
    distance: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    tables: cython.int[::1],
    before: cython.int[::1],
    masks: cython.ulonglong[::1],
    rows: cython.ulonglong[::1],
) -> None:
    """Write the Levenshtein distance of each pair of rows.

    Row `p` of `pattern` is in the pairs ``pair_offsets[p] .. pair_offsets[p+1]-1``; pair `k` is
    with row ``text_rows[k]`` of `text`. Both have small word numbers.

    Scratch: `tables`, twice as long as there are numbers, -1; `before`, the longest pattern;
    `masks`, 65 * blocks of 64 of the longest pattern plus one; `rows`, 2 * blocks.
    """
    cython.declare(row=cython.Py_ssize_t, k=cython.longlong, line=cython.longlong)
    grid: Grid = Grid()
    borrow(grid, pattern, text, tables, before, masks, rows)
    with cython.nogil:
        for row in range(first, last):
            grid.prepare(pattern_offsets[row], pattern_offsets[row + 1], 0)
            for k in range(pair_offsets[row], pair_offsets[row + 1]):
                line = text_rows[k]
                distance[k] = grid.levenshtein(text_offsets[line], text_offsets[line + 1])
            grid.forget()


def cover_distances(
    pattern: cython.const[cython.int][::1],
    pattern_offsets: cython.const[cython.longlong][::1],
    text: cython.const[cython.int][::1],
    text_offsets: cython.const[cython.longlong][::1],
    pair_offsets: cython.const[cython.longlong][::1],
    text_rows: cython.const[cython.longlong][::1],
    distance: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    tables: cython.int[::1],
    before: cython.int[::1],
    masks: cython.ulonglong[::1],
    rows: cython.ulonglong[::1],
) -> None:
    """Write the cover distance of each pair: the text is covered once, the pattern at will.

    Arguments and scratch: as `levenshtein_distances`.
    """
    cython.declare(row=cython.Py_ssize_t, k=cython.longlong, line=cython.longlong)
    grid: Grid = Grid()
    borrow(grid, pattern, text, tables, before, masks, rows)
    with cython.nogil:
        for row in range(first, last):
            grid.prepare(pattern_offsets[row], pattern_offsets[row + 1], 1)
            for k in range(pair_offsets[row], pair_offsets[row + 1]):
                line = text_rows[k]
                distance[k] = grid.cover(text_offsets[line], text_offsets[line + 1])
            grid.forget()


def common_words(
    pattern: cython.const[cython.int][::1],
    pattern_offsets: cython.const[cython.longlong][::1],
    text: cython.const[cython.int][::1],
    text_offsets: cython.const[cython.longlong][::1],
    pair_offsets: cython.const[cython.longlong][::1],
    text_rows: cython.const[cython.longlong][::1],
    common: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    count: cython.int[::1],
) -> None:
    """Write for each pair how many words the two rows share, repeated ones as often as both have.

    Arguments: as `levenshtein_distances`. Scratch: `count`, as long as there are numbers, zeros.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, k=cython.longlong)
    cython.declare(line=cython.longlong, found=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            for k in range(pair_offsets[row], pair_offsets[row + 1]):
                line = text_rows[k]
                for i in range(pattern_offsets[row], pattern_offsets[row + 1]):
                    count[pattern[i]] += 1
                found = 0
                for i in range(text_offsets[line], text_offsets[line + 1]):
                    if count[text[i]] > 0:
                        count[text[i]] -= 1
                        found += 1
                for i in range(pattern_offsets[row], pattern_offsets[row + 1]):
                    count[pattern[i]] = 0
                common[k] = found


@cython.cfunc
def borrow(
    grid: Grid,
    pattern: cython.const[cython.int][::1],
    text: cython.const[cython.int][::1],
    tables: cython.int[::1],
    before: cython.int[::1],
    masks: cython.ulonglong[::1],
    rows: cython.ulonglong[::1],
) -> object:
    """Give a grid its rows and its scratch."""
    words: cython.Py_ssize_t = tables.shape[0] // 2
    grid.pattern = pattern
    grid.text = text
    grid.slot = tables[0:words]
    grid.head = tables[words : 2 * words]
    grid.before = before
    grid.masks = masks
    grid.rows = rows
    return None
