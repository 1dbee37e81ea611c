"""CoNLL-U: what its lines are, and where their fields begin."""

import cython
from cython import bint, longlong, uchar, void

cython.declare(TAB=uchar, NEWLINE=uchar, RETURN=uchar, HASH=uchar, HYPHEN=uchar, DOT=uchar)
cython.declare(ZERO=uchar, NINE=uchar, UNDERSCORE=uchar)
TAB, NEWLINE, RETURN, HASH, HYPHEN, DOT, ZERO, NINE, UNDERSCORE = b"\t\n\r#-.09_"

FIELDS = cython.declare(longlong, 10)
# Of a word: where its ten fields begin, and one behind the end of its line.
BOUNDS = cython.declare(longlong, 11)
HEAD = cython.declare(longlong, 6)
# Of any other line: where it begins and ends, its sentence, and the words of the sentence that
# precede it, -1 for a comment.
LINE = cython.declare(longlong, 4)
# Numbers from here on are too large.
LARGE = cython.declare(longlong, 1000000000)

# What can be wrong with a line.
cython.declare(BAD_COLUMNS=longlong, EMPTY_FIELD=longlong, BAD_ID=longlong, BAD_RANGE=longlong)
cython.declare(BAD_NODE=longlong, BAD_HEAD=longlong, LATE_COMMENT=longlong, OPEN_RANGE=longlong)
BAD_COLUMNS, EMPTY_FIELD, BAD_ID, BAD_RANGE = 1, 2, 3, 4
BAD_NODE, BAD_HEAD, LATE_COMMENT, OPEN_RANGE = 5, 6, 7, 8


@cython.cclass
class Scanner:
    """Goes through the lines of some bytes once and notes what is where."""

    cython.declare(data=cython.const[uchar][::1], bounds=cython.int[::1], heads=cython.int[::1])
    cython.declare(offsets=longlong[::1], lines=longlong[::1], size=longlong, sentences=longlong)
    cython.declare(words=longlong, others=longlong)
    # Of the sentence that is read: its first word, the first and last word that the last range
    # covers, the place of that range, and the last empty node after the last word.
    cython.declare(first_word=longlong, range_start=longlong, range_stop=longlong)
    cython.declare(range_place=longlong, node=longlong, open=bint)
    # Where reading a number stopped.
    cython.declare(at=longlong, error=longlong, place=longlong, detail=longlong)

    @cython.cfunc
    @cython.nogil
    def begin(self) -> void:
        """Forget the sentence that is behind."""
        self.first_word = self.words
        self.range_start = self.range_stop = self.range_place = self.node = 0
        self.open = False

    @cython.cfunc
    @cython.nogil
    def finish(self) -> void:
        """Close the sentence that is read, if there is one."""
        if self.open:
            if self.range_stop > self.words - self.first_word:
                self.fail(OPEN_RANGE, self.range_place, self.words - self.first_word)
                return
            self.sentences += 1
            self.offsets[self.sentences] = self.words
            self.begin()

    @cython.cfunc
    @cython.nogil
    def fail(self, error: longlong, place: longlong, detail: longlong) -> void:
        """Note what is wrong, where, and a number that says more."""
        self.error, self.place, self.detail = error, place, detail

    @cython.cfunc
    @cython.nogil
    def run(self) -> void:
        """Read all lines up to the first that is wrong."""
        begin: longlong = 0
        while begin < self.size and self.error == 0:
            comment: bint = self.data[begin] == HASH
            base: longlong = self.words * BOUNDS
            self.bounds[base] = cython.cast(cython.int, begin)
            fields: longlong = 1
            end: longlong = begin
            while end < self.size:
                char: uchar = self.data[end]
                end += 1
                if char == NEWLINE:
                    break
                if char == TAB:
                    if fields < FIELDS:
                        self.bounds[base + fields] = cython.cast(cython.int, end)
                    fields += 1
            # The next line begins at `end`; this one stops before its own end.
            stop: longlong = end
            if self.data[stop - 1] == NEWLINE:
                stop -= 1
                if stop > begin and self.data[stop - 1] == RETURN:
                    stop -= 1
            if stop == begin:
                self.finish()
            elif comment:
                if self.words > self.first_word or self.range_stop > 0 or self.node > 0:
                    self.fail(LATE_COMMENT, begin, 0)
                self.note(begin, stop, -1)
            elif fields != FIELDS:
                self.fail(BAD_COLUMNS, begin, fields)
            else:
                self.bounds[base + FIELDS] = cython.cast(cython.int, stop + 1)
                self.line(base, begin, stop)
            begin = end
        if self.error == 0:
            self.finish()

    @cython.cfunc
    @cython.nogil
    def note(self, begin: longlong, stop: longlong, before: longlong) -> void:
        """Note a line that is no word."""
        base: longlong = self.others * LINE
        self.lines[base] = begin
        self.lines[base + 1] = stop
        self.lines[base + 2] = self.sentences
        self.lines[base + 3] = before
        self.others += 1
        self.open = True

    @cython.cfunc
    @cython.nogil
    def line(self, base: longlong, begin: longlong, stop: longlong) -> void:
        """Read a line of ten fields: a word, a range or an empty node."""
        words: longlong = self.words - self.first_word
        for field in range(FIELDS):
            if self.bounds[base + field + 1] - 1 <= self.bounds[base + field]:
                self.fail(EMPTY_FIELD, begin, field)
                return
        end: longlong = self.bounds[base + 1] - 1
        number: longlong = self.number(begin, end)
        if number >= 0 and self.at == end:
            if number != words + 1:
                self.fail(BAD_ID, begin, words + 1)
                return
            begin = self.bounds[base + HEAD]
            end = self.bounds[base + HEAD + 1] - 1
            number = self.number(begin, end)
            if end - begin == 1 and self.data[begin] == UNDERSCORE:
                number = -1
            elif number < 0 or self.at < end:
                self.fail(BAD_HEAD, self.bounds[base], 0)
                return
            self.heads[self.words] = cython.cast(cython.int, number)
            self.words += 1
            self.node = 0
            self.open = True
            return
        second: longlong = -1
        if number >= 0 and self.data[self.at] == HYPHEN:
            second = self.number(self.at + 1, end)
            if second <= number or self.at < end or number != words + 1 or words < self.range_stop:
                self.fail(BAD_RANGE, begin, words + 1)
                return
            self.range_start = number
            self.range_stop = second
            self.range_place = begin
        elif number >= 0 and self.data[self.at] == DOT:
            second = self.number(self.at + 1, end)
            # The empty node after a word comes before a range that begins with the next.
            late: bint = self.range_start == words + 1
            if number != words or second != self.node + 1 or self.at < end or late:
                self.fail(BAD_NODE, begin, self.node + 1)
                return
            self.node = second
        else:
            self.fail(BAD_ID, begin, words + 1)
            return
        self.note(begin, stop, words)

    @cython.cfunc
    @cython.nogil
    def number(self, begin: longlong, end: longlong) -> longlong:
        """Read a whole number without signs and leading zeros; -1 if there is none.

        `at` is then the first byte behind it.
        """
        value: longlong = 0
        self.at = begin
        while self.at < end and ZERO <= self.data[self.at] <= NINE:
            value = 10 * value + (self.data[self.at] - ZERO)
            self.at += 1
            if value >= LARGE:
                return -1
        if self.at == begin or (self.data[begin] == ZERO and self.at > begin + 1):
            return -1
        return value


def scan(
    data: cython.const[uchar][::1],
    bounds: cython.int[::1],
    heads: cython.int[::1],
    offsets: longlong[::1],
    lines: longlong[::1],
    state: longlong[::1],
    size: longlong,
) -> None:
    """Find sentences, words and fields in the first `size` bytes of `data`: whole lines.

    Word ``w`` has the fields ``data[bounds[11 * w + c] : bounds[11 * w + c + 1] - 1]`` and the
    head ``heads[w]``, -1 for ``_``; sentence ``s`` the words ``offsets[s] .. offsets[s+1]-1``.
    Comments, ranges and empty nodes have four numbers each in `lines`: begin, end, sentence, and
    the words of the sentence before them, -1 for a comment. There must be room for as many words,
    sentences and lines as `data` has lines.

    ``state`` becomes: sentences, words, other lines, error, where its line begins, its detail.
    After an error the sentences before that of the error are there.
    """
    scanner: Scanner = Scanner()
    scanner.data, scanner.bounds, scanner.heads = data, bounds, heads
    scanner.offsets, scanner.lines, scanner.size = offsets, lines, size
    scanner.sentences = scanner.words = scanner.others = offsets[0] = 0
    scanner.error = scanner.place = scanner.detail = 0
    scanner.begin()
    with cython.nogil:
        scanner.run()
    state[0] = scanner.sentences
    state[1] = scanner.words
    state[2] = scanner.others
    state[3] = scanner.error
    state[4] = scanner.place
    state[5] = scanner.detail
