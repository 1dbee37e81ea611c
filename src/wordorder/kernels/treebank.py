"""Treebanks: the lines of CoNLL-U, and dependency trees."""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, uchar, void

# The lines of CoNLL-U.

cython.declare(TAB=uchar, NEWLINE=uchar, RETURN=uchar, HASH=uchar, HYPHEN=uchar, DOT=uchar)
cython.declare(ZERO=uchar, NINE=uchar, UNDERSCORE=uchar)
TAB, NEWLINE, RETURN, HASH, HYPHEN, DOT, ZERO, NINE, UNDERSCORE = b"\t\n\r#-.09_"

# The number of fields of a line.
LINE_FIELDS = cython.declare(longlong, 10)
# Bounds per word: the start of each of its ten fields, and one past the end of its line.
WORD_BOUNDS = cython.declare(longlong, 11)
# The index of the field with the head.
HEAD_FIELD = cython.declare(longlong, 6)
# Numbers per other line: start, end, sentence, and the number of the sentence's words before it, -1
# for a comment.
LINE_NUMBERS = cython.declare(longlong, 4)
# Numbers from here on are refused.
NUMBER_LIMIT = cython.declare(longlong, 1000000000)

# Faults of a line.
cython.declare(BAD_COLUMNS=longlong, EMPTY_FIELD=longlong, BAD_ID=longlong, BAD_RANGE=longlong)
cython.declare(BAD_NODE=longlong, BAD_HEAD=longlong, LATE_COMMENT=longlong, OPEN_RANGE=longlong)
BAD_COLUMNS, EMPTY_FIELD, BAD_ID, BAD_RANGE = 1, 2, 3, 4
BAD_NODE, BAD_HEAD, LATE_COMMENT, OPEN_RANGE = 5, 6, 7, 8

# Heads that make a tree, and projective arcs.

# Faults of the heads of a sentence.
MISSING_HEAD = cython.declare(longlong, 1)
OUT_OF_RANGE = cython.declare(longlong, 2)
OWN_HEAD = cython.declare(longlong, 3)
ANOTHER_ROOT = cython.declare(longlong, 4)
NO_ROOT = cython.declare(longlong, 5)
CYCLE = cython.declare(longlong, 6)


# -- The lines of CoNLL-U. -------------------------------------------------------------------------


@cython.cclass
class ConlluScanner:
    """Scans lines of CoNLL-U once and stores the offsets of sentences, words and fields."""

    cython.declare(data=cython.const[uchar][::1], bounds=cython.int[::1], heads=cython.int[::1])
    cython.declare(offsets=longlong[::1], lines=longlong[::1], size=longlong, sentences=longlong)
    cython.declare(words=longlong, others=longlong)
    # The current sentence: its first word, the first and last word of the last range, the offset of
    # that range, and the number of the last empty node after the last word.
    cython.declare(first_word=longlong, range_start=longlong, range_stop=longlong)
    cython.declare(range_place=longlong, node=longlong, open=bint)
    # The offset after the number that was read last; the fault, its offset and its detail.
    cython.declare(at=longlong, error=longlong, place=longlong, detail=longlong)

    @cython.cfunc
    @cython.nogil
    def begin(self) -> void:
        """Start a new sentence."""
        self.first_word = self.words
        self.range_start = self.range_stop = self.range_place = self.node = 0
        self.open = False

    @cython.cfunc
    @cython.nogil
    def finish(self) -> void:
        """End the current sentence, if one has been started."""
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
        """Store a fault, its position and a detail."""
        self.error, self.place, self.detail = error, place, detail

    @cython.cfunc
    @cython.nogil
    def run(self) -> void:
        """Read all lines up to the first fault."""
        begin: longlong = 0
        while begin < self.size and self.error == 0:
            comment: bint = self.data[begin] == HASH
            base: longlong = self.words * WORD_BOUNDS
            self.bounds[base] = cython.cast(cython.int, begin)
            fields: longlong = 1
            end: longlong = begin
            while end < self.size:
                char: uchar = self.data[end]
                end += 1
                if char == NEWLINE:
                    break
                if char == TAB:
                    if fields < LINE_FIELDS:
                        self.bounds[base + fields] = cython.cast(cython.int, end)
                    fields += 1
            # The next line starts at `end`; this one stops before its newline.
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
            elif fields != LINE_FIELDS:
                self.fail(BAD_COLUMNS, begin, fields)
            else:
                self.bounds[base + LINE_FIELDS] = cython.cast(cython.int, stop + 1)
                self.line(base, begin, stop)
            begin = end
        if self.error == 0:
            self.finish()

    @cython.cfunc
    @cython.nogil
    def note(self, begin: longlong, stop: longlong, words_before: longlong) -> void:
        """Store a line that is not a word."""
        base: longlong = self.others * LINE_NUMBERS
        self.lines[base] = begin
        self.lines[base + 1] = stop
        self.lines[base + 2] = self.sentences
        self.lines[base + 3] = words_before
        self.others += 1
        self.open = True

    @cython.cfunc
    @cython.nogil
    def line(self, base: longlong, begin: longlong, stop: longlong) -> void:
        """Read a line of ten fields: a word, a range or an empty node."""
        words: longlong = self.words - self.first_word
        for field in range(LINE_FIELDS):
            if self.bounds[base + field + 1] - 1 <= self.bounds[base + field]:
                self.fail(EMPTY_FIELD, begin, field)
                return
        end: longlong = self.bounds[base + 1] - 1
        number: longlong = self.number(begin, end)
        if number >= 0 and self.at == end:
            if number != words + 1:
                self.fail(BAD_ID, begin, words + 1)
                return
            begin = self.bounds[base + HEAD_FIELD]
            end = self.bounds[base + HEAD_FIELD + 1] - 1
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
            # An empty node must not come after a range that starts with the next word.
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
        """Read an integer without signs and leading zeros; return -1 for anything else.

        Sets `at` to the first byte after it.
        """
        value: longlong = 0
        self.at = begin
        while self.at < end and ZERO <= self.data[self.at] <= NINE:
            value = 10 * value + (self.data[self.at] - ZERO)
            self.at += 1
            if value >= NUMBER_LIMIT:
                return -1
        if self.at == begin or (self.data[begin] == ZERO and self.at > begin + 1):
            return -1
        return value


def scan_conllu_lines(
    data: cython.const[uchar][::1],
    bounds: cython.int[::1],
    heads: cython.int[::1],
    offsets: longlong[::1],
    lines: longlong[::1],
    state: longlong[::1],
    size: longlong,
) -> None:
    """Find sentences, words and fields in the first `size` bytes of `data`, which are whole lines.

    Word ``w`` has the fields ``data[bounds[11 * w + c] : bounds[11 * w + c + 1] - 1]`` and the
    head ``heads[w]``, -1 for ``_``; sentence ``s`` has the words ``offsets[s] .. offsets[s+1]-1``.
    Comments, ranges and empty nodes have four numbers each in `lines`: start, end, sentence, and
    the number of the sentence's words before them, -1 for a comment. The arrays must be long enough
    for one word, sentence and line per line of `data`.

    ``state`` becomes: sentences, words, other lines, fault, the offset of its line, its detail.
    After a fault, the sentences before it have been written.
    """
    scanner: ConlluScanner = ConlluScanner()
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


# -- Heads that make a tree, and projective arcs. --------------------------------------------------


def find_bad_trees(
    heads: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    missing_heads: cython.int,
    single_root: bint,
    state: longlong[::1],
    walk_of: cython.int[::1],
    rows: Py_ssize_t,
) -> None:
    """Find the first sentence whose heads are not a tree.

    Heads count from 1 in their sentence; 0 is the root and -1 a missing head. With
    `missing_heads` 1 all heads of a sentence may be missing, with 2 any of them. ``state`` becomes:
    error (0 if all are trees), sentence, word in the sentence. Scratch: `walk_of`, as long as the
    longest sentence.
    """
    error: longlong = 0
    fault_word: longlong = 0
    with cython.nogil:
        for row in range(rows):
            start: longlong = offsets[row]
            words: longlong = offsets[row + 1] - start
            missing: longlong = 0
            for i in range(words):
                missing += heads[start + i] == -1
            if words == 0 or (missing_heads > 0 and missing == words):
                continue
            root: longlong = -1
            for i in range(words):
                head: longlong = heads[start + i]
                walk_of[i] = 0
                if head == -1 and missing_heads == 2:
                    continue
                if head == -1:
                    error = MISSING_HEAD
                elif head < 0 or head > words:
                    error = OUT_OF_RANGE
                elif head == i + 1:
                    error = OWN_HEAD
                elif head == 0 and root >= 0 and single_root:
                    error = ANOTHER_ROOT
                elif head == 0:
                    root = i
                if error != 0:
                    fault_word = i
                    break
            if error == 0 and root < 0 and missing == 0:
                error = NO_ROOT
                fault_word = 0
            if error == 0:
                for i in range(words):
                    # Up to the root, a word without a head, or a word of an earlier walk.
                    head = i + 1
                    while head > 0 and walk_of[head - 1] == 0:
                        walk_of[head - 1] = cython.cast(cython.int, i + 1)
                        head = heads[start + head - 1]
                    if head > 0 and walk_of[head - 1] == i + 1:
                        error = CYCLE
                        fault_word = head - 1
                        break
            if error != 0:
                state[1] = row
                state[2] = fault_word
                break
        state[0] = error


@cython.cclass
class TreeShape:
    """The descendants of each word in a tree; the arrays include the root.

    `child` and `sibling` are the first dependent of a word, and the next one of the same head.
    `low` and `high` are the preorder numbers of a word and of its last descendant. `left` and
    `right` are the ends of the span around a word that consists of its descendants. `smaller` and
    `larger` are stacks.
    """

    cython.declare(heads=cython.int[::1], child=cython.int[::1], sibling=cython.int[::1])
    cython.declare(low=cython.int[::1], high=cython.int[::1], left=cython.int[::1])
    cython.declare(right=cython.int[::1], smaller=cython.int[::1], larger=cython.int[::1])

    def __init__(self, heads: cython.int[::1], longest: Py_ssize_t):
        words = array("i", bytes(4 * longest + 4))
        self.heads, self.child, self.sibling = heads, words[:], words[:]
        self.low, self.high, self.left, self.right = words[:], words[:], words[:], words[:]
        self.smaller, self.larger = words[:], words[:]

    @cython.cfunc
    @cython.nogil
    def build(self, start: longlong, words: longlong) -> void:
        """Number the words of a sentence, and find the extent of each subtree."""
        self.number(start, words)
        self.reach(words, 1)
        self.reach(words, -1)

    @cython.cfunc
    @cython.nogil
    def number(self, start: longlong, words: longlong) -> void:
        """Number words in preorder: the descendants of each have the numbers up to its `high`."""
        field: longlong = 0
        number: cython.int = 0
        for i in range(words + 1):
            self.child[i] = 0
        for i in range(words, 0, -1):
            head: longlong = self.heads[start + i - 1]
            self.sibling[i] = self.child[head]
            self.child[head] = cython.cast(cython.int, i)
        self.sibling[0] = self.low[0] = 0
        while True:
            if self.child[field] != 0:
                field = self.child[field]
            else:
                self.high[field] = number
                while field != 0 and self.sibling[field] == 0:
                    field = self.heads[start + field - 1]
                    self.high[field] = number
                if field == 0:
                    break
                field = self.sibling[field]
            number += 1
            self.low[field] = number

    @cython.cfunc
    @cython.nogil
    def reach(self, words: longlong, step: longlong) -> void:
        """Find the first word to the right (step 1) or left (-1) that is not a descendant.

        Its number is below `low` of the word or above `high`. Of the words passed, one stack has
        those with smaller numbers than all nearer words, the other those with larger numbers.
        """
        smaller: longlong = 0
        larger: longlong = 0
        for i in range(words):
            word: longlong = words - i if step > 0 else i + 1
            outside: longlong = words + 1 if step > 0 else 0
            while smaller > 0 and self.low[self.smaller[smaller - 1]] > self.low[word]:
                smaller -= 1
            if smaller > 0:
                outside = self.smaller[smaller - 1]
            while larger > 0 and self.low[self.larger[larger - 1]] < self.low[word]:
                larger -= 1
            # The nearest word above all descendants is the last such one in the stack.
            below: longlong = 0
            above: longlong = larger
            while below < above:
                middle: longlong = (below + above) // 2
                if self.low[self.larger[middle]] > self.high[word]:
                    below = middle + 1
                else:
                    above = middle
            if below > 0:
                middle = self.larger[below - 1]
                if (middle < outside) == (step > 0):
                    outside = middle
            self.smaller[smaller] = cython.cast(cython.int, word)
            smaller += 1
            self.larger[larger] = cython.cast(cython.int, word)
            larger += 1
            if step > 0:
                self.right[word] = cython.cast(cython.int, outside - 1)
            else:
                self.left[word] = cython.cast(cython.int, outside + 1)

    @cython.cfunc
    @cython.nogil
    def is_projective(self, start: longlong, word: longlong) -> bint:
        """Return whether a word's head dominates all words between the two."""
        head: longlong = self.heads[start + word - 1]
        return head == 0 or self.left[head] <= word <= self.right[head]


def mark_non_projective(
    heads: cython.int[::1],
    offsets: cython.const[longlong][::1],
    marks: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Mark each word whose arc from its head is not projective with 1, others with 0.

    The heads must be those of trees.
    """
    shape: TreeShape = TreeShape(heads, longest)
    with cython.nogil:
        for row in range(first, last):
            words: longlong = offsets[row + 1] - offsets[row]
            shape.build(offsets[row], words)
            for i in range(words):
                marks[offsets[row] + i] = not shape.is_projective(offsets[row], i + 1)


def lift_arcs(
    heads: cython.int[::1],
    offsets: cython.const[longlong][::1],
    lifts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Change heads until all arcs are projective; count the changes of each sentence.

    Repeatedly, the dependent of the shortest non-projective arc, the leftmost on ties, is attached
    to the head of its head.
    """
    shape: TreeShape = TreeShape(heads, longest)
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            words: longlong = offsets[row + 1] - start
            lifts[row] = 0
            while True:
                shape.build(start, words)
                shortest: longlong = words
                word: longlong = 0
                for i in range(1, words + 1):
                    if not shape.is_projective(start, i):
                        length: longlong = heads[start + i - 1] - i
                        length = length if length > 0 else -length
                        if length < shortest:
                            shortest = length
                            word = i
                if word == 0:
                    break
                heads[start + word - 1] = heads[start + heads[start + word - 1] - 1]
                lifts[row] += 1


def count_crossings(
    heads: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    root: bint,
    crossings: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Count the pairs of arcs that cross, with or without those from the root at position 0."""
    # The first arc that starts at each position, and the next one there; a binary indexed tree of
    # the numbers of arcs from further left that end at each position.
    positions = array("i", bytes(4 * longest + 8))
    head_arc: cython.int[::1] = positions[:]
    next_arc: cython.int[::1] = positions[:]
    ends: cython.int[::1] = positions[:]
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            words: longlong = offsets[row + 1] - start
            count: longlong = 0
            for i in range(words + 2):
                head_arc[i] = ends[i] = 0
            for i in range(1, words + 1):
                head: longlong = heads[start + i - 1]
                if head > 0 or root:
                    left_word: longlong = head if head < i else i
                    next_arc[i] = head_arc[left_word]
                    head_arc[left_word] = cython.cast(cython.int, i)
            for left_word in range(words + 1):
                arc: longlong = head_arc[left_word]
                while arc != 0:
                    head = heads[start + arc - 1]
                    right_word: longlong = head if head > arc else arc
                    head = right_word - 1
                    while head > 0:
                        count += ends[head]
                        head -= head & -head
                    head = left_word
                    while head > 0:
                        count -= ends[head]
                        head -= head & -head
                    arc = next_arc[arc]
                arc = head_arc[left_word]
                while arc != 0:
                    head = heads[start + arc - 1]
                    head = head if head > arc else arc
                    while head <= words:
                        ends[head] += 1
                        head += head & -head
                    arc = next_arc[arc]
            crossings[row] = count
