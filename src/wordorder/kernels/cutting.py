"""Where the words of raw text begin: boundaries and words by their characters, and their best cuts.

A line is characters as numbers, runs of blanks as one character. A place is cut if a word begins
there. The score of a line's cuts is the sum of the weights of the places that are cut, by the
characters around them, and of the words between them (a semi-Markov model,
Sarawagi and Cohen 2004).
"""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, uchar, ulonglong, void

MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
MIX = cython.declare(ulonglong, 0xBF58476D1CE4E5B9)
# The class of a blank.
BLANK = cython.declare(cython.int, 1)
# There are fewer classes.
CLASSES = cython.declare(cython.int, 32)
# Features of a place that is cut, and of a word.
PLACE = cython.declare(cython.int, 27)
WORD = cython.declare(cython.int, 3)
# Characters of the longest word that has features, and of the longest chunk between blanks that has
# a name.
LONGEST = cython.declare(cython.int, 20)
CHUNK = cython.declare(cython.int, 16)
# Below all scores.
NEVER = cython.declare(longlong, -(1 << 62))


@cython.cfunc
@cython.nogil
@cython.inline
def step(key: ulonglong, value: longlong) -> ulonglong:
    """Put one more number into a hash."""
    key = ((key ^ cython.cast(ulonglong, value + 7)) * PRIME) & MASK64
    return key ^ (key >> 29)


@cython.cclass
class Cutter:
    """Cuts lines into words, one after the other."""

    cython.declare(chars=cython.const[cython.int][::1], classes=cython.const[uchar][::1])
    cython.declare(weights=cython.int[::1], mask=ulonglong, start=longlong, size=longlong)
    # By the classes of the characters before and after a blank: whether a word may have it inside.
    cython.declare(blanks=cython.const[uchar][::1])
    # By place of the line: scores of cutting there and of the best cuts up to it, where the last
    # word of these begins, and hashes of the chunk around it.
    cython.declare(scores=longlong[::1], best=longlong[::1], before=longlong[::1])
    cython.declare(keys=longlong[::1], rare=uchar[::1])

    def __init__(
        self, weights: cython.int[::1], blanks: cython.const[uchar][::1], longest: longlong
    ):
        """Make room for lines of up to `longest` characters."""
        longs = array("q", [0])
        self.weights, self.blanks = weights, blanks
        self.mask = weights.shape[0] - 1
        self.scores = longs * (longest + 1)
        self.best = longs * (longest + 1)
        self.before = longs * (longest + 1)
        self.keys = longs * (PLACE + WORD)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def char(self, at: longlong) -> longlong:
        """Return a character of the line; -1 outside."""
        return self.chars[self.start + at] if 0 <= at < self.size else -1

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def kind(self, at: longlong) -> longlong:
        """Return the class of a character; 0 outside."""
        return self.classes[self.start + at] if 0 <= at < self.size else 0

    @cython.cfunc
    @cython.nogil
    def chunk(self, at: longlong, way: longlong) -> ulonglong:
        """Return a hash of what is between `at` and the next blank, backwards or forwards."""
        key: ulonglong = 1
        length: longlong = 0
        while self.kind(at) > BLANK and length < CHUNK:
            key = step(key, self.char(at))
            at += way
            length += 1
        # No two long ones are the same.
        return key if length < CHUNK else 1

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def may_join(self, at: longlong) -> bint:
        """Say whether a word may have the blank before `at` inside."""
        return self.blanks[self.kind(at - 2) * CLASSES + self.kind(at)] > 0

    @cython.cfunc
    @cython.nogil
    def word(self, first: longlong, last: longlong) -> ulonglong:
        """Return the hash of a word."""
        key: ulonglong = 1
        while last > first:
            last -= 1
            key = step(key, self.char(last))
        return key

    @cython.cfunc
    @cython.nogil
    def add(self, number: longlong, key: ulonglong) -> void:
        """Keep where the weight of a feature is."""
        key = ((key ^ cython.cast(ulonglong, number + 1)) * MIX) & MASK64
        self.keys[number] = cython.cast(longlong, (key ^ (key >> 32)) & self.mask)

    @cython.cfunc
    @cython.nogil
    def look_at(self, at: longlong) -> void:
        """Keep where the weights of a place are."""
        cython.declare(i=longlong)
        number: longlong = 0
        # Windows of characters: from where, up to where.
        for i in range(-3, 3):
            self.add(number, step(1, self.char(at + i)))
            number += 1
        for i in range(-3, 2):
            self.add(number, step(step(1, self.char(at + i)), self.char(at + i + 1)))
            number += 1
        for i in range(-3, 1):
            key: ulonglong = step(step(1, self.char(at + i)), self.char(at + i + 1))
            self.add(number, step(key, self.char(at + i + 2)))
            number += 1
        for i in range(-3, 0):
            key = step(step(1, self.char(at + i)), self.char(at + i + 1))
            self.add(number, step(step(key, self.char(at + i + 2)), self.char(at + i + 3)))
            number += 1
        key = 1
        for i in range(-3, 3):
            key = step(key, self.char(at + i))
        self.add(number, key)
        # The same of classes.
        key = 1
        for i in range(-1, 1):
            key = step(key, self.kind(at + i))
        self.add(number + 1, key)
        self.add(number + 2, step(step(key, self.kind(at + 1)), self.char(at - 1)))
        self.add(number + 3, step(step(key, self.kind(at - 2)), self.char(at)))
        key = 1
        for i in range(-4, 4):
            key = step(key, self.kind(at + i))
        self.add(number + 4, key)
        number += 5
        # What is between blanks.
        back: longlong = at - 1
        if self.kind(back) == BLANK:
            back = at - 2
        left: ulonglong = self.chunk(back, -1)
        right: ulonglong = self.chunk(at, 1)
        key = 2 if back == at - 1 else 3
        self.add(number, step(key, cython.cast(longlong, left >> 2)))
        self.add(number + 1, step(key + 2, cython.cast(longlong, right >> 2)))
        key = step(key + 4, cython.cast(longlong, left >> 2))
        self.add(number + 2, step(key, cython.cast(longlong, right >> 2)))
        self.add(number + 3, step(key, self.char(at)))

    @cython.cfunc
    @cython.nogil
    def look_at_word(self, first: longlong, last: longlong, key: ulonglong) -> void:
        """Keep where the weights of a word are that has a hash."""
        length: longlong = last - first
        self.add(PLACE, key)
        key = step(step(length, self.kind(first)), self.kind(last - 1))
        self.add(PLACE + 1, key)
        key = step(step(length, self.char(first)), self.char(last - 1))
        self.add(PLACE + 2, key)

    @cython.cfunc
    @cython.nogil
    def weight(self, first: longlong, last: longlong) -> longlong:
        """Return what the kept features weigh."""
        total: longlong = 0
        for i in range(first, last):
            total += self.weights[self.keys[i]]
        return total

    @cython.cfunc
    @cython.nogil
    def search(self) -> void:
        """Find the best cuts of the line at `start`; `scores` has what each place weighs."""
        # The best place so far that is too far back for a word with features.
        far: longlong = -1
        begin: longlong = 0
        self.best[0] = 0
        for at in range(1, self.size + 1):
            self.best[at] = NEVER
            if at < self.size and self.kind(at) == BLANK:
                continue
            end: longlong = at
            if self.kind(at - 1) == BLANK:
                end = at - 1
            # A word cannot begin before the last blank that none has inside.
            first: longlong = at - LONGEST - 1
            if first >= begin and self.best[first] > NEVER:
                if far < begin or self.best[first] > self.best[far]:
                    far = first
            if far >= begin:
                self.best[at] = self.best[far]
                self.before[at] = far
            key: ulonglong = 1
            first = end - 1
            while first >= begin and end - first <= LONGEST:
                key = step(key, self.char(first))
                if self.best[first] > NEVER:
                    self.look_at_word(first, end, key)
                    score: longlong = self.best[first] + self.weight(PLACE, PLACE + WORD)
                    if score > self.best[at]:
                        self.best[at] = score
                        self.before[at] = first
                first -= 1
            self.best[at] += self.scores[at]
            if end < at and not self.may_join(at):
                begin = at

    @cython.cfunc
    @cython.nogil
    def weigh(self) -> void:
        """Weigh the places of the line at `start`."""
        self.scores[self.size] = 0
        for at in range(1, self.size):
            self.scores[at] = 0
            # Where a blank ends a word, what is behind it is cut anyway.
            if self.kind(at) != BLANK and (self.kind(at - 1) != BLANK or self.may_join(at)):
                self.look_at(at)
                self.scores[at] = self.weight(0, PLACE)

    @cython.cfunc
    @cython.nogil
    def change(
        self,
        totals: longlong[::1],
        first: longlong,
        last: longlong,
        delta: longlong,
        moment: longlong,
    ) -> void:
        """Change the weights of the kept features that are not rare."""
        for i in range(first, last):
            if self.rare[self.keys[i]] == 1:
                continue
            self.weights[self.keys[i]] += cython.cast(cython.int, delta)
            totals[self.keys[i]] += delta * moment


def cut_rows(
    chars: cython.const[cython.int][::1],
    classes: cython.const[uchar][::1],
    offsets: cython.const[longlong][::1],
    cuts: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    cutter: Cutter,
) -> None:
    """Write 1 into `cuts` where a word of the lines ``first .. last-1`` begins, else 0."""
    cutter.chars, cutter.classes = chars, classes
    with cython.nogil:
        for row in range(first, last):
            cutter.start = offsets[row]
            cutter.size = offsets[row + 1] - offsets[row]
            if cutter.size == 0:
                continue
            cutter.weigh()
            cutter.search()
            for at in range(cutter.start, cutter.start + cutter.size):
                cuts[at] = 0
            at = cutter.size
            while at > 0:
                at = cutter.before[at]
                cuts[cutter.start + at] = 1


def count_features(
    cutter: Cutter,
    chars: cython.const[cython.int][::1],
    classes: cython.const[uchar][::1],
    offsets: cython.const[longlong][::1],
    gold: cython.const[uchar][::1],
    seen: uchar[::1],
    rows: Py_ssize_t,
) -> None:
    """Count the features of lines and of their words in `seen`, up to 2."""
    cython.declare(i=longlong)
    cutter.chars, cutter.classes = chars, classes
    with cython.nogil:
        for row in range(rows):
            cutter.start = offsets[row]
            cutter.size = offsets[row + 1] - offsets[row]
            place: longlong = 0
            for at in range(1, cutter.size + 1):
                if at < cutter.size:
                    if cutter.kind(at) == BLANK:
                        continue
                    cutter.look_at(at)
                    for i in range(PLACE):
                        if seen[cutter.keys[i]] < 2:
                            seen[cutter.keys[i]] += 1
                    if gold[cutter.start + at] == 0:
                        continue
                end: longlong = at - 1 if cutter.kind(at - 1) == BLANK else at
                if end - place <= LONGEST:
                    key: ulonglong = cutter.word(place, end)
                    cutter.look_at_word(place, end, key)
                    for i in range(PLACE, PLACE + WORD):
                        if seen[cutter.keys[i]] < 2:
                            seen[cutter.keys[i]] += 1
                place = at


def learn_rows(
    cutter: Cutter,
    chars: cython.const[cython.int][::1],
    classes: cython.const[uchar][::1],
    offsets: cython.const[longlong][::1],
    gold: cython.const[uchar][::1],
    rows: cython.const[longlong][::1],
    totals: longlong[::1],
    seen: uchar[::1],
    margin: longlong,
    moment: longlong,
    cuts: uchar[::1],
) -> longlong:
    """Learn lines in the order of `rows`; return how many changed the weights.

    `totals` are the sums of all changes times when they came: the average over ``moment +
    len(rows)`` lines is ``weights - totals / (moment + len(rows))``. Wrong cuts count as `margin`
    more than they do.
    """
    changed: longlong = 0
    cutter.chars, cutter.classes, cutter.rare = chars, classes, seen
    with cython.nogil:
        for number in range(rows.shape[0]):
            row: longlong = rows[number]
            cutter.start = offsets[row]
            cutter.size = offsets[row + 1] - offsets[row]
            if cutter.size == 0:
                continue
            cutter.weigh()
            for at in range(1, cutter.size):
                cutter.scores[at] += -margin if gold[cutter.start + at] else margin
            cutter.search()
            for at in range(cutter.size):
                cuts[at] = 0
            at = cutter.size
            while at > 0:
                at = cutter.before[at]
                cuts[at] = 1
            same: bint = True
            for at in range(cutter.size):
                if cuts[at] != gold[cutter.start + at]:
                    same = False
            if same:
                continue
            changed += 1
            for at in range(1, cutter.size):
                if cuts[at] != gold[cutter.start + at]:
                    cutter.look_at(at)
                    sign: longlong = -1 if cuts[at] else 1
                    cutter.change(totals, 0, PLACE, sign, moment + number)
            # Words of one of both that the other has not.
            for sign in range(-1, 2, 2):
                place: longlong = 0
                for at in range(1, cutter.size + 1):
                    i: longlong = 1
                    if at < cutter.size:
                        i = gold[cutter.start + at] if sign > 0 else cuts[at]
                    if i == 0:
                        continue
                    end: longlong = at - 1 if cutter.kind(at - 1) == BLANK else at
                    # Both begin and end there, and are not cut between.
                    same = True
                    for other in range(place, at + 1):
                        if other < cutter.size and cuts[other] != gold[cutter.start + other]:
                            same = False
                    if not same and end - place <= LONGEST:
                        key: ulonglong = cutter.word(place, end)
                        cutter.look_at_word(place, end, key)
                        cutter.change(totals, PLACE, PLACE + WORD, sign, moment + number)
                    place = at
    return changed
