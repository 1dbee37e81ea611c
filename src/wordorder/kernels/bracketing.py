"""Orders by splitting: a beam over derivations of a bracketing grammar, and its learning.

A derivation starts with the whole sentence and splits one span after the other into two parts,
which keep their order (straight) or change places (inverted), until each span is one word: ``n-1``
actions, the left part first (Nakagawa 2015). The score of an action is the sum of the weights of
its features; they look at the span ``[b, e)``, the split point ``p``, and at the context: the
orientation of the split that made the span, and its side.

Most features look at two or fewer of ``b``, ``p`` and ``e``. The sums of each such piece are kept
in a table of the sentence, so that a feature is looked up once, however many items need it; and the
scores of all splits of a span are kept as well. A weight is found by the upper bits of its
feature's key, in pairs: straight, inverted. The processor waits for most of them, so the rows of
many pieces are written first: their weights are then loaded side by side.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, short, uchar, ulonglong, void
from cython.cimports.libc.math import sqrt

MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
MIX = cython.declare(ulonglong, 0xD6E8FEB86659FD93)
# What is before and after a sentence.
OUTSIDE = cython.declare(ulonglong, 0x94D049BB133111EB)
LOWEST = cython.declare(double, -1e300)
# The features of a column, and those that are counted once, start at these template numbers.
COLUMN = cython.declare(ulonglong, 64)
# Contexts: the whole sentence; then by orientation and side.
CONTEXTS = cython.declare(longlong, 5)
# Sizes of parts and spans are told apart up to these.
PART = cython.declare(longlong, 5)
WHOLE = cython.declare(longlong, 24)
# Sizes of two parts, and which is larger: so many numbers tell them.
SIZES = cython.declare(longlong, 108)
# Rows whose weights are summed up together, about.
TOGETHER = cython.declare(longlong, 512)
# An action of a derivation is its split point, times two, plus one if it is inverted.
# An item is a score and four numbers: the item before, its action, what waits, its validity.
ITEM = cython.declare(longlong, 4)
# A waiting span: where it begins and ends, its context, the next one.
SPAN = cython.declare(longlong, 4)


@cython.cfunc
@cython.inline
@cython.nogil
def mixed(key: ulonglong, value: ulonglong) -> ulonglong:
    """Return a key that a further value has gone into."""
    key = ((key ^ value) * MIX) & MASK64
    return key ^ (key >> 32)


@cython.cclass
class Search:
    """The weights, the words of the sentences, and the tables of one sentence after the other."""

    # Per word: `columns` attributes; the position of its head in the sentence, -1 for none; the
    # label; both only with `trees`.
    cython.declare(attributes=cython.const[ulonglong][::1], heads=cython.const[cython.int][::1])
    cython.declare(labels=cython.const[ulonglong][::1], columns=longlong, tag=longlong)
    # The first column whose rarer features count: words do not where there are tags.
    cython.declare(sparse=longlong, trees=bint, weights=cython.const[cython.float][::1])
    cython.declare(shift=ulonglong)
    # What a straight split scores more than its features say.
    cython.declare(bonus=double, beam=longlong)
    # The sentence: where it starts, its words, the width of the tables.
    cython.declare(start=longlong, n=longlong, wide=longlong)
    # The rows of the features of an action or of a piece.
    cython.declare(rows=longlong[::1], count=longlong)
    # Pieces that wait for their sums: where these go, and where the rows of each end.
    cython.declare(goals=longlong[::1], ends=longlong[::1], waiting=longlong, straight=double)
    cython.declare(inverted=double)
    # Per span: its highest word, its open heads and whether words outside depend on it.
    cython.declare(depth=cython.int[::1], children=cython.int[::1], summit=cython.int[::1])
    cython.declare(state=uchar[::1])
    # Sums of pieces: by span as a whole, as left and as right part, by pair of heads; by left edge,
    # gap, right edge; by split point of the span at hand. `kept` says for which sentence.
    cython.declare(kept=cython.int[::1], sentence=cython.int, sums=double[::1])
    # By the sizes of both parts.
    cython.declare(sizes=double[::1])
    # Where in `sums` those by context begin: of left edge, split point and right edge.
    cython.declare(around=longlong)
    # Where the scores of the splits of a span are, -1 for none yet.
    cython.declare(place=longlong[::1], scores=double[::1], used=longlong, room=longlong)
    # Features of one action, at most.
    cython.declare(most=longlong)
    # The beam.
    cython.declare(item=cython.int[::1], item_score=double[::1], span=cython.int[::1])
    cython.declare(spans=longlong, level=longlong[::1])
    # An item that is kept: its score, and the item before, the action and its validity in one.
    cython.declare(kept_score=double[::1], kept_move=longlong[::1], stack=cython.int[::1])
    # Learning: pairs of words in the wrong order by prefix sums, least violations by span.
    cython.declare(behind=cython.int[::1], before=cython.int[::1], least=cython.int[::1])
    cython.declare(guided=bint, parsable=bint)
    # The derivation that was found and the best valid one, and how many actions they have.
    cython.declare(found=cython.int[::1], right=cython.int[::1], found_score=double)
    cython.declare(right_score=double, actions=longlong)
    # The weights that an update changes: those of the valid derivation, then those of the other.
    cython.declare(changed=longlong[::1])

    def __init__(
        self,
        longest: longlong,
        columns: longlong,
        tag: longlong,
        trees: bint,
        beam: longlong,
        shift: ulonglong,
    ):
        """Make room for sentences of up to `longest` words."""
        ints, longs, doubles = array("i", [0]), array("q", [0]), array("d", [0.0])
        wide: longlong = longest + 1
        square: longlong = wide * wide
        cells: longlong = square if trees else 1
        self.wide = wide
        self.columns, self.tag = columns, tag
        self.sparse = 1 if tag > 0 else 0
        self.trees, self.beam, self.shift = trees, beam, shift
        self.most = 64 * (columns + 1)
        rows = longs * (self.most + TOGETHER)
        self.rows, self.goals, self.ends = rows[:], rows[:], rows[:]
        self.sizes = doubles * (2 * SIZES)
        self.depth, self.children, self.stack = ints * wide, ints * wide, ints * (3 * wide)
        self.summit, self.state = ints * cells, array("B", [0]) * cells
        self.kept, self.place = ints * (4 * square), longs * square
        self.around = 8 * square + 8 * wide
        self.sums = doubles * (self.around + 6 * CONTEXTS * wide)
        # The last places are for one span at a time.
        self.room = 32 * wide * beam
        self.scores = doubles * (self.room + 2 * wide)
        self.item = ints * (ITEM * (beam * wide + 1))
        self.item_score = doubles * (beam * wide + 1)
        self.span = ints * (SPAN * (2 * beam * wide + 2))
        self.level = longs * (wide + 1)
        self.kept_score, self.kept_move = doubles * beam, longs * beam
        self.found, self.right = ints * wide, ints * wide
        self.sentence = self.count = self.waiting = 0
        self.bonus = 0.0
        self.guided = False

    # The features. Each method appends the rows of one piece.

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def add(self, key: ulonglong) -> void:
        """Append the row of a feature."""
        self.rows[self.count] = cython.cast(longlong, ((key * PRIME) & MASK64) >> self.shift)
        self.count += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def at(self, word: longlong, column: longlong) -> ulonglong:
        """Return an attribute of a word, or what is outside of the sentence."""
        if word < 0 or word >= self.n:
            return OUTSIDE
        return self.attributes[(self.start + word) * self.columns + column]

    @cython.cfunc
    @cython.nogil
    def gap(self, p: longlong) -> void:
        """Append what the words around a split point say."""
        self.add(mixed(0, 1))
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            left: ulonglong = self.at(p - 1, c)
            right: ulonglong = self.at(p, c)
            self.add(mixed(mixed(0, base + 1), left))
            self.add(mixed(mixed(0, base + 2), right))
            both: ulonglong = mixed(mixed(mixed(0, base + 3), left), right)
            self.add(both)
            self.add(mixed(mixed(both, base + 4), self.at(p - 2, c)))
            self.add(mixed(mixed(both, base + 5), self.at(p + 1, c)))
        if self.tag > 0:
            self.add(mixed(mixed(mixed(0, 2), self.at(p - 1, 0)), self.at(p, self.tag)))
            self.add(mixed(mixed(mixed(0, 3), self.at(p - 1, self.tag)), self.at(p, 0)))

    @cython.cfunc
    @cython.nogil
    def left_edge(self, b: longlong) -> void:
        """Append what the words around the start of the span say."""
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            self.add(mixed(mixed(0, base + 6), self.at(b - 1, c)))
            self.add(mixed(mixed(0, base + 7), self.at(b, c)))
            self.add(mixed(mixed(mixed(0, base + 8), self.at(b - 1, c)), self.at(b, c)))

    @cython.cfunc
    @cython.nogil
    def right_edge(self, e: longlong) -> void:
        """Append what the words around the end of the span say."""
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            self.add(mixed(mixed(0, base + 9), self.at(e - 1, c)))
            self.add(mixed(mixed(0, base + 10), self.at(e, c)))
            self.add(mixed(mixed(mixed(0, base + 11), self.at(e - 1, c)), self.at(e, c)))

    @cython.cfunc
    @cython.nogil
    def whole(self, b: longlong, e: longlong) -> void:
        """Append what the span says as a whole."""
        size: longlong = e - b if e - b < WHOLE else WHOLE
        self.add(mixed(mixed(0, 4), cython.cast(ulonglong, size)))
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            self.add(mixed(mixed(mixed(0, base + 12), self.at(b, c)), self.at(e - 1, c)))
        if self.trees:
            self.subtree(5, b, e)

    @cython.cfunc
    @cython.nogil
    def left_part(self, b: longlong, p: longlong) -> void:
        """Append what the left part says."""
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            first: ulonglong = self.at(b, c)
            last: ulonglong = self.at(p - 1, c)
            self.add(mixed(mixed(mixed(0, base + 13), first), last))
            self.add(mixed(mixed(mixed(0, base + 14), first), self.at(p, c)))
            self.add(mixed(mixed(mixed(mixed(0, base + 15), first), last), self.at(p, c)))
        if self.trees:
            self.subtree(10, b, p)

    @cython.cfunc
    @cython.nogil
    def right_part(self, p: longlong, e: longlong) -> void:
        """Append what the right part says."""
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            first: ulonglong = self.at(p, c)
            last: ulonglong = self.at(e - 1, c)
            self.add(mixed(mixed(mixed(0, base + 16), first), last))
            self.add(mixed(mixed(mixed(0, base + 17), self.at(p - 1, c)), last))
            self.add(mixed(mixed(mixed(mixed(0, base + 18), self.at(p - 1, c)), first), last))
        if self.trees:
            self.subtree(15, p, e)

    @cython.cfunc
    @cython.nogil
    def subtree(self, base: ulonglong, b: longlong, e: longlong) -> void:
        """Append what the tree says of a span: open heads, completeness, its highest word."""
        cell: longlong = b * self.wide + e
        top: longlong = self.summit[cell]
        state: ulonglong = self.state[cell]
        label: ulonglong = self.labels[self.start + top]
        self.add(mixed(mixed(0, base), state))
        self.add(mixed(mixed(mixed(0, base + 1), label), state))
        self.add(mixed(mixed(mixed(0, base + 2), label), self.at(top, self.tag)))
        self.add(mixed(mixed(mixed(mixed(0, base + 3), label), self.at(top, self.tag)), state))
        self.add(mixed(mixed(mixed(0, base + 4), self.at(top, 0)), state))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def relation(self, i: longlong, j: longlong) -> ulonglong:
        """Return how two words of the tree are related."""
        up: longlong = self.heads[self.start + i]
        other: longlong = self.heads[self.start + j]
        one: ulonglong = self.labels[self.start + i]
        two: ulonglong = self.labels[self.start + j]
        if other == i:
            return mixed(mixed(0, 101), two)
        if up == j:
            return mixed(mixed(0, 102), one)
        if up == other:
            return mixed(mixed(mixed(0, 103), one), two)
        return mixed(mixed(mixed(0, 104), one), two)

    @cython.cfunc
    @cython.nogil
    def tops(self, i: longlong, j: longlong) -> void:
        """Append what the highest words of both parts say."""
        related: ulonglong = self.relation(i, j)
        above: longlong = self.heads[self.start + i]
        if above == j:
            above = self.heads[self.start + j]
        self.add(mixed(mixed(0, 20), related))
        self.add(mixed(mixed(mixed(0, 21), related), self.at(i, self.tag)))
        self.add(mixed(mixed(mixed(0, 22), related), self.at(j, self.tag)))
        self.add(
            mixed(mixed(mixed(mixed(0, 23), related), self.at(i, self.tag)), self.at(j, self.tag))
        )
        self.add(mixed(mixed(mixed(0, 24), related), self.at(i, 0)))
        self.add(mixed(mixed(mixed(0, 25), related), self.at(j, 0)))
        self.add(mixed(mixed(mixed(0, 26), self.at(i, self.tag)), self.at(j, self.tag)))
        self.add(mixed(mixed(mixed(0, 27), self.at(i, 0)), self.at(j, 0)))
        self.add(mixed(mixed(mixed(0, 28), related), self.at(above, self.tag)))
        self.add(mixed(mixed(mixed(0, 29), related), self.at(above, 0)))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def size_number(self, left: longlong, right: longlong) -> longlong:
        """Return a number that tells the sizes of both parts, as far as features do."""
        balance: longlong = 0 if left < right else 1 if left > right else 2
        if left > PART:
            left = PART
        if right > PART:
            right = PART
        return (balance * 6 + left) * 6 + right

    @cython.cfunc
    @cython.nogil
    def both_sizes(self, number: longlong) -> void:
        """Append what the sizes of both parts say."""
        left: longlong = number // 6 % 6
        key: longlong = left * 8 + number % 6
        self.add(mixed(mixed(0, 30), cython.cast(ulonglong, number // 36)))
        self.add(mixed(mixed(0, 31), cython.cast(ulonglong, key)))

    @cython.cfunc
    @cython.nogil
    def parts(self, b: longlong, p: longlong, e: longlong) -> void:
        """Append what only both parts together say, but for their sizes."""
        # Rare as words are, four of them, or one in its context, say little beside the tags.
        for c in range(self.sparse, self.columns):
            base: ulonglong = COLUMN * (c + 1)
            key: ulonglong = mixed(mixed(mixed(0, base + 19), self.at(b, c)), self.at(p - 1, c))
            self.add(mixed(mixed(key, self.at(p, c)), self.at(e - 1, c)))
        if self.trees:
            states: ulonglong = self.state[b * self.wide + p]
            states = states * 16 + self.state[p * self.wide + e]
            key = self.relation(self.summit[b * self.wide + p], self.summit[p * self.wide + e])
            self.add(mixed(mixed(0, 32), states))
            self.add(mixed(mixed(mixed(0, 33), states), key))

    @cython.cfunc
    @cython.nogil
    def parent(self, context: longlong, which: longlong, i: longlong) -> void:
        """Append what the context says of the left edge (0), the split (1), the right edge (2)."""
        made: ulonglong = mixed(0, cython.cast(ulonglong, context))
        if which == 1:
            self.add(mixed(made, 40))
            self.add(mixed(mixed(0, 41), cython.cast(ulonglong, (context + 1) // 2)))
        for c in range(self.sparse, self.columns):
            base: ulonglong = COLUMN * (c + 1)
            if which == 0:
                self.add(mixed(mixed(made, base + 20), self.at(i, c)))
            elif which == 2:
                self.add(mixed(mixed(made, base + 21), self.at(i - 1, c)))
            else:
                self.add(mixed(mixed(made, base + 22), self.at(i - 1, c)))
                self.add(mixed(mixed(made, base + 23), self.at(i, c)))
                self.add(mixed(mixed(mixed(made, base + 24), self.at(i - 1, c)), self.at(i, c)))

    @cython.cfunc
    @cython.nogil
    def action_rows(self, b: longlong, p: longlong, e: longlong, context: longlong) -> void:
        """Write the rows of all features of an action."""
        self.count = 0
        self.gap(p)
        self.left_edge(b)
        self.right_edge(e)
        self.whole(b, e)
        self.left_part(b, p)
        self.right_part(p, e)
        self.both_sizes(self.size_number(p - b, e - p))
        self.parts(b, p, e)
        if self.trees:
            self.tops(self.summit[b * self.wide + p], self.summit[p * self.wide + e])
        self.parent(context, 0, b)
        self.parent(context, 1, p)
        self.parent(context, 2, e)

    # The scores.

    @cython.cfunc
    @cython.nogil
    def sum_up(self) -> void:
        """Sum up the weights of the rows, and forget them."""
        straight: double = 0.0
        inverted: double = 0.0
        for i in range(self.count):
            straight += self.weights[2 * self.rows[i]]
            inverted += self.weights[2 * self.rows[i] + 1]
        self.straight = straight
        self.inverted = inverted
        self.count = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def await_sum(self, goal: longlong) -> void:
        """Have the weights of the rows since the last piece added to `sums`, from `goal` on."""
        self.goals[self.waiting] = goal
        self.ends[self.waiting] = self.count
        self.waiting += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def await_whole(self, goal: longlong) -> void:
        """Have the weights of the rows since the last piece summed up in `sums` at `goal`."""
        self.sums[goal] = self.sums[goal + 1] = 0.0
        self.await_sum(goal)

    @cython.cfunc
    @cython.nogil
    def sum_waiting(self) -> void:
        """Add up the weights of all pieces that wait."""
        at: longlong = 0
        for k in range(self.waiting):
            goal: longlong = self.goals[k]
            end: longlong = self.ends[k]
            straight: double = self.sums[goal]
            inverted: double = self.sums[goal + 1]
            for i in range(at, end):
                straight += self.weights[2 * self.rows[i]]
                inverted += self.weights[2 * self.rows[i] + 1]
            self.sums[goal] = straight
            self.sums[goal + 1] = inverted
            at = end
        self.waiting = self.count = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def piece(self, kind: longlong, i: longlong, j: longlong) -> longlong:
        """Return where the sums of a piece are, or will be if this sentence lacks them so far."""
        cell: longlong = (kind * self.wide + i) * self.wide + j
        if self.kept[cell] != self.sentence:
            self.kept[cell] = self.sentence
            if kind == 0:
                self.whole(i, j)
            elif kind == 1:
                self.left_part(i, j)
            elif kind == 2:
                self.right_part(i, j)
            else:
                self.tops(i, j)
            self.await_whole(2 * cell)
        return 2 * cell

    @cython.cfunc
    @cython.nogil
    def split_scores(self, b: longlong, e: longlong) -> longlong:
        """Return where the scores of the splits of a span are, those of ``b + 1`` first."""
        flat: longlong = 4 * self.wide * self.wide
        both: longlong = 2 * (flat + 3 * self.wide)
        cell: longlong = b * self.wide + e
        place: longlong = self.place[cell]
        if place >= 0:
            return place
        if self.used + 2 * (e - b) > self.room:
            # No room for more: these are made once more whenever they are needed.
            place = self.room
        else:
            place = self.used
            self.used += 2 * (e - b)
            self.place[cell] = place
        span: longlong = self.piece(0, b, e)
        for p in range(b + 1, e):
            self.piece(1, b, p)
            self.piece(2, p, e)
            if self.trees:
                self.piece(3, self.summit[b * self.wide + p], self.summit[p * self.wide + e])
            at: longlong = 2 * self.size_number(p - b, e - p)
            self.sums[both + 2 * p] = self.sizes[at]
            self.sums[both + 2 * p + 1] = self.sizes[at + 1]
            self.parts(b, p, e)
            self.await_sum(both + 2 * p)
            if self.count >= TOGETHER:
                self.sum_waiting()
        self.sum_waiting()
        for p in range(b + 1, e):
            left: longlong = 2 * ((self.wide + b) * self.wide + p)
            right: longlong = 2 * ((2 * self.wide + p) * self.wide + e)
            straight: double = self.sums[both + 2 * p]
            inverted: double = self.sums[both + 2 * p + 1]
            straight += self.sums[span] + self.sums[left] + self.sums[right]
            inverted += self.sums[span + 1] + self.sums[left + 1] + self.sums[right + 1]
            if self.trees:
                at = 3 * self.wide + self.summit[b * self.wide + p]
                at = 2 * (at * self.wide + self.summit[p * self.wide + e])
                straight += self.sums[at]
                inverted += self.sums[at + 1]
            left = 2 * (flat + b)
            right = 2 * (flat + 2 * self.wide + e)
            straight += self.sums[left] + self.sums[right]
            inverted += self.sums[left + 1] + self.sums[right + 1]
            left = 2 * (flat + self.wide + p)
            self.scores[place + 2 * (p - b - 1)] = straight + self.sums[left]
            self.scores[place + 2 * (p - b - 1) + 1] = inverted + self.sums[left + 1]
        return place

    @cython.cfunc
    @cython.nogil
    def read(self, start: longlong, n: longlong) -> void:
        """Take a sentence: what is said of its words and spans goes into the tables."""
        cython.declare(which=longlong)
        flat: longlong = 4 * self.wide * self.wide
        self.start, self.n = start, n
        self.used = self.count = 0
        self.sentence += 1
        if self.trees:
            self.read_tree()
        for i in range(n):
            for j in range(i, n + 1):
                self.place[i * self.wide + j] = -1
        for i in range(1, PART + 2):
            for j in range(1, PART + 2):
                cell: longlong = self.size_number(i, j)
                self.both_sizes(cell)
                self.sum_up()
                self.sizes[2 * cell] = self.straight
                self.sizes[2 * cell + 1] = self.inverted
        for i in range(n + 1):
            self.left_edge(i)
            self.await_whole(2 * (flat + i))
            if 0 < i < n:
                self.gap(i)
                self.await_whole(2 * (flat + self.wide + i))
            self.right_edge(i)
            self.await_whole(2 * (flat + 2 * self.wide + i))
            for j in range(CONTEXTS):
                for which in range(3):
                    self.parent(j, which, i)
                    self.await_whole(self.around + 2 * ((j * 3 + which) * self.wide + i))
            if self.count >= TOGETHER:
                self.sum_waiting()
        self.sum_waiting()

    @cython.cfunc
    @cython.nogil
    def read_tree(self) -> void:
        """Note the highest word of each span, its open heads, and whether others depend on it."""
        for i in range(self.n + 1):
            self.children[i] = 0
        for i in range(self.n):
            head: longlong = self.heads[self.start + i]
            if head >= 0:
                self.children[head + 1] += 1
            steps: longlong = 0
            while head >= 0 and steps < self.n:
                head = self.heads[self.start + head]
                steps += 1
            self.depth[i] = cython.cast(cython.int, steps)
        for i in range(self.n):
            self.children[i + 1] += self.children[i]
        for b in range(self.n - 1, -1, -1):
            inside: longlong = 0
            for e in range(b + 1, self.n + 1):
                cell: longlong = b * self.wide + e
                # In `stack`: the open heads of the spans that begin one word later.
                if e == b + 1:
                    self.summit[cell] = cython.cast(cython.int, b)
                    open_: longlong = 0
                else:
                    if self.heads[self.start + e - 1] == b:
                        inside += 1
                    i = self.summit[cell - 1]
                    self.summit[cell] = cython.cast(
                        cython.int, e - 1 if self.depth[e - 1] < self.depth[i] else i
                    )
                    open_ = self.stack[e]
                head = self.heads[self.start + b]
                open_ -= inside
                if head < b or head >= e:
                    open_ += 1
                self.stack[e] = cython.cast(cython.int, open_)
                below: longlong = self.children[e] - self.children[b] - (e - b - open_)
                self.state[cell] = cython.cast(
                    uchar, 2 * (open_ if open_ < 4 else 4) + (1 if below > 0 else 0)
                )

    # The search.

    @cython.cfunc
    @cython.nogil
    def push(self, b: longlong, e: longlong, context: longlong, below: longlong) -> longlong:
        """Put a span on those that wait; a single word waits for nothing."""
        if e - b < 2:
            return below
        self.span[SPAN * self.spans] = cython.cast(cython.int, b)
        self.span[SPAN * self.spans + 1] = cython.cast(cython.int, e)
        self.span[SPAN * self.spans + 2] = cython.cast(cython.int, context)
        self.span[SPAN * self.spans + 3] = cython.cast(cython.int, below)
        self.spans += 1
        return self.spans - 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def crossed(self, wrong: cython.int[::1], b: longlong, p: longlong, e: longlong) -> longlong:
        """Return how many pairs of a left and a right word are in the wrong order."""
        w: longlong = self.wide
        return wrong[p * w + e] - wrong[b * w + e] - wrong[p * w + p] + wrong[b * w + p]

    @cython.cfunc
    @cython.nogil
    def is_valid(self, b: longlong, p: longlong, e: longlong, turned: bint) -> bint:
        """Return whether a split leads to a derivation with the fewest pairs in the wrong order."""
        w: longlong = self.wide
        if turned:
            cost: longlong = self.crossed(self.before, b, p, e)
        else:
            cost = self.crossed(self.behind, b, p, e)
        if self.parsable:
            return cost == 0
        return self.least[b * w + e] == cost + self.least[b * w + p] + self.least[p * w + e]

    @cython.cfunc
    @cython.nogil
    def search(self) -> void:
        """Find the best derivation; with a reference also the best valid one.

        Both end where no valid item is left in the beam.
        """
        best_valid: longlong = -1
        best_action: longlong = -1
        self.spans = 0
        self.item[0] = -1
        self.item[2] = cython.cast(cython.int, self.push(0, self.n, 0, -1))
        self.item[3] = 1
        self.item_score[0] = 0.0
        self.level[0] = 0
        self.level[1] = 1
        self.actions = 0
        for step in range(self.n - 1):
            kept: longlong = 0
            limit: double = LOWEST
            self.right_score = LOWEST
            for j in range(self.level[step], self.level[step + 1]):
                cell: longlong = SPAN * self.item[ITEM * j + 2]
                b: longlong = self.span[cell]
                e: longlong = self.span[cell + 1]
                context: longlong = self.span[cell + 2] * 3
                place: longlong = self.split_scores(b, e) - 2 * (b + 1)
                i: longlong = self.around + 2 * (context * self.wide + b)
                k: longlong = self.around + 2 * ((context + 2) * self.wide + e)
                base_0: double = self.item_score[j] + self.sums[i] + self.sums[k] + self.bonus
                base_1: double = self.item_score[j] + self.sums[i + 1] + self.sums[k + 1]
                context = self.around + 2 * (context + 1) * self.wide
                for p in range(b + 1, e):
                    for turned in range(2):
                        score: double = base_1 if turned else base_0
                        score += self.scores[place + 2 * p + turned]
                        score += self.sums[context + 2 * p + turned]
                        valid: bint = False
                        if self.guided and self.item[ITEM * j + 3]:
                            if score > self.right_score or score > limit:
                                valid = self.is_valid(b, p, e, turned)
                                if valid and score > self.right_score:
                                    self.right_score = score
                                    best_valid = j
                                    best_action = 2 * p + turned
                        if score <= limit:
                            continue
                        if kept == self.beam:
                            kept -= 1
                        i = kept
                        while i > 0 and self.kept_score[i - 1] < score:
                            self.kept_score[i] = self.kept_score[i - 1]
                            self.kept_move[i] = self.kept_move[i - 1]
                            i -= 1
                        self.kept_score[i] = score
                        self.kept_move[i] = ((j << 20) + 2 * p + turned) * 2 + valid
                        kept += 1
                        if kept == self.beam:
                            limit = self.kept_score[kept - 1]
            any_valid: bint = False
            place = self.level[step + 1]
            for i in range(kept):
                j = self.kept_move[i] >> 21
                move: longlong = (self.kept_move[i] >> 1) & 0xFFFFF
                valid = self.kept_move[i] & 1
                cell = SPAN * self.item[ITEM * j + 2]
                b = self.span[cell]
                e = self.span[cell + 1]
                p = move >> 1
                turned = move & 1
                k = self.push(p, e, 2 + 2 * turned, self.span[cell + 3])
                k = self.push(b, p, 1 + 2 * turned, k)
                self.item[ITEM * place] = cython.cast(cython.int, j)
                self.item[ITEM * place + 1] = cython.cast(cython.int, move)
                self.item[ITEM * place + 2] = cython.cast(cython.int, k)
                self.item[ITEM * place + 3] = valid
                self.item_score[place] = self.kept_score[i]
                any_valid = any_valid or valid
                place += 1
            self.level[step + 2] = place
            self.actions = step + 1
            if self.guided and not any_valid:
                break
        if self.actions > 0:
            self.found_score = self.item_score[self.level[self.actions]]
            self.trace(self.level[self.actions], self.actions, self.found)
            if self.guided:
                self.right[self.actions - 1] = cython.cast(cython.int, best_action)
                self.trace(best_valid, self.actions - 1, self.right)

    @cython.cfunc
    @cython.nogil
    def trace(self, item: longlong, count: longlong, actions: cython.int[::1]) -> void:
        """Write the actions that led to an item."""
        while count > 0:
            count -= 1
            actions[count] = self.item[ITEM * item + 1]
            item = self.item[ITEM * item]

    @cython.cfunc
    @cython.nogil
    def unfold(self, actions: cython.int[::1], order: cython.int[::1], begin: longlong) -> void:
        """Write the order that a whole derivation makes."""
        height: longlong = 1
        done: longlong = 0
        self.stack[0] = 0
        self.stack[1] = cython.cast(cython.int, self.n)
        self.stack[2] = 0
        while height > 0:
            height -= 1
            b: longlong = self.stack[3 * height]
            e: longlong = self.stack[3 * height + 1]
            at: longlong = self.stack[3 * height + 2]
            if e - b == 1:
                order[begin + at] = cython.cast(cython.int, b)
                continue
            p: longlong = actions[done] >> 1
            self.stack[3 * height] = cython.cast(cython.int, p)
            self.stack[3 * height + 3] = cython.cast(cython.int, b)
            self.stack[3 * height + 4] = cython.cast(cython.int, p)
            if actions[done] & 1:
                self.stack[3 * height + 5] = cython.cast(cython.int, at + e - p)
            else:
                self.stack[3 * height + 2] = cython.cast(cython.int, at + p - b)
                self.stack[3 * height + 5] = cython.cast(cython.int, at)
            height += 2
            done += 1

    # Learning.

    @cython.cfunc
    @cython.nogil
    def guide(
        self,
        low: cython.const[cython.int][::1],
        high: cython.const[cython.int][::1],
        known: longlong,
    ) -> longlong:
        """Take the reference of the sentence; return the fewest pairs that must be in wrong order.

        A word precedes another if its interval neither begins nor ends behind the other's, and they
        differ. `known` is what an earlier call returned, or -1.
        """
        cython.declare(after=cython.int, ahead=cython.int)
        w: longlong = self.wide
        at: longlong = self.start
        for j in range(self.n + 1):
            self.behind[j] = self.before[j] = 0
        for i in range(self.n):
            after = ahead = self.behind[(i + 1) * w] = self.before[(i + 1) * w] = 0
            for j in range(self.n):
                if j > i and low[at + i] >= 0 and low[at + j] >= 0:
                    if low[at + i] != low[at + j] or high[at + i] != high[at + j]:
                        if low[at + j] <= low[at + i] and high[at + j] <= high[at + i]:
                            after += 1
                        elif low[at + j] >= low[at + i] and high[at + j] >= high[at + i]:
                            ahead += 1
                self.behind[(i + 1) * w + j + 1] = self.behind[i * w + j + 1] + after
                self.before[(i + 1) * w + j + 1] = self.before[i * w + j + 1] + ahead
        self.parsable = known == 0
        if known == 0:
            return 0
        for i in range(self.n):
            self.least[i * w + i + 1] = 0
        for size in range(2, self.n + 1):
            for i in range(self.n - size + 1):
                j = i + size
                best: longlong = -1
                for p in range(i + 1, j):
                    cost: longlong = self.crossed(self.behind, i, p, j)
                    if cost > 0:
                        cost = min(cost, self.crossed(self.before, i, p, j))
                    cost += self.least[i * w + p] + self.least[p * w + j]
                    if best < 0 or cost < best:
                        best = cost
                        if best == 0:
                            break
                self.least[i * w + j] = cython.cast(cython.int, best)
        self.parsable = self.least[self.n] == 0
        return self.least[self.n]

    @cython.cfunc
    @cython.nogil
    def replay(self, actions: cython.int[::1], begin: longlong, place: longlong) -> longlong:
        """Write the weights of the actions from `begin` on to `changed`; return where they end."""
        height: longlong = 1
        self.stack[0] = 0
        self.stack[1] = cython.cast(cython.int, self.n)
        self.stack[2] = 0
        for i in range(self.actions):
            height -= 1
            b: longlong = self.stack[3 * height]
            e: longlong = self.stack[3 * height + 1]
            p: longlong = actions[i] >> 1
            turned: longlong = actions[i] & 1
            if i >= begin:
                self.action_rows(b, p, e, self.stack[3 * height + 2])
                for k in range(self.count):
                    self.changed[place] = 2 * self.rows[k] + turned
                    place += 1
            if e - p > 1:
                self.stack[3 * height] = cython.cast(cython.int, p)
                self.stack[3 * height + 1] = cython.cast(cython.int, e)
                self.stack[3 * height + 2] = cython.cast(cython.int, 2 + 2 * turned)
                height += 1
            if p - b > 1:
                self.stack[3 * height] = cython.cast(cython.int, b)
                self.stack[3 * height + 1] = cython.cast(cython.int, p)
                self.stack[3 * height + 2] = cython.cast(cython.int, 1 + 2 * turned)
                height += 1
        self.count = 0
        return place

    @cython.cfunc
    @cython.nogil
    def update(
        self,
        weights: cython.float[::1],
        average: cython.float[::1],
        delta: short[::1],
        most: double,
        share: double,
        left: double,
    ) -> bint:
        """Move the weights until the valid derivation wins by a margin (PA-I); say if they moved.

        `most` is the longest step, of which the sentence makes its `share`; `left` is the part of
        the training that the new weights have before them; `delta` is zero, and will be.
        """
        begin: longlong = 0
        norm: double = 0.0
        while begin < self.actions and self.found[begin] == self.right[begin]:
            begin += 1
        if begin == self.actions:
            return False
        middle: longlong = self.replay(self.right, begin, 0)
        end: longlong = self.replay(self.found, begin, middle)
        for k in range(end):
            delta[self.changed[k]] += cython.cast(short, 1 if k < middle else -1)
        for k in range(end):
            norm += delta[self.changed[k]] if k < middle else -delta[self.changed[k]]
        if norm > 0.0:
            step: double = self.found_score - self.right_score
            step = (step + sqrt(cython.cast(double, self.actions - begin))) / norm
            if step > most:
                step = most
            step *= share
            for k in range(end):
                at: longlong = self.changed[k]
                if delta[at] != 0:
                    # Summed as doubles and rounded once, as plain Python does it.
                    weights[at] = cython.cast(
                        cython.float, cython.cast(double, weights[at]) + step * delta[at]
                    )
                    average[at] = cython.cast(
                        cython.float, cython.cast(double, average[at]) + step * left * delta[at]
                    )
                    delta[at] = 0
        return True


def look(
    search: Search,
    attributes: cython.const[ulonglong][::1],
    heads: cython.const[cython.int][::1],
    labels: cython.const[ulonglong][::1],
    weights: cython.const[cython.float][::1],
    bonus: double,
) -> None:
    """Read these sentences from now on, with these weights and a `bonus` for straight splits."""
    search.attributes, search.heads, search.labels = attributes, heads, labels
    search.weights, search.bonus = weights, bonus


def prepare_to_learn(search: Search) -> None:
    """Make room for references and updates."""
    square = array("i", [0]) * (search.wide * search.wide)
    search.behind, search.before, search.least = square[:], square[:], square[:]
    search.changed = array("q", [0]) * (2 * search.wide * search.most)


def best_orders(
    search: Search,
    offsets: cython.const[longlong][::1],
    order: cython.int[::1],
    scores: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the order of the best derivation of each sentence, and its score."""
    search.guided = False
    with cython.nogil:
        for row in range(first, last):
            start: longlong = offsets[row]
            n: longlong = offsets[row + 1] - start
            scores[row] = 0.0
            if n < 2:
                if n == 1:
                    order[start] = 0
                continue
            search.read(start, n)
            search.search()
            search.unfold(search.found, order, start)
            scores[row] = search.found_score


def listed_orders(
    search: Search, start: longlong, n: longlong, orders: cython.int[::1], scores: double[::1]
) -> int:
    """Write the orders of all items left in the beam, best first; return how many there are.

    The sentence has two words or more. Several items may have one order.
    """
    search.guided = False
    with cython.nogil:
        search.read(start, n)
        search.search()
        for i in range(search.level[n] - search.level[n - 1]):
            item: longlong = search.level[n - 1] + i
            search.trace(item, n - 1, search.found)
            search.unfold(search.found, orders, i * n)
            scores[i] = search.item_score[item]
    return search.level[n] - search.level[n - 1]


def learn(
    search: Search,
    offsets: cython.const[longlong][::1],
    low: cython.const[cython.int][::1],
    high: cython.const[cython.int][::1],
    share: cython.const[double][::1],
    weights: cython.float[::1],
    average: cython.float[::1],
    delta: short[::1],
    wrong: cython.int[::1],
    turn: cython.const[longlong][::1],
    most: double,
    done: longlong,
    total: longlong,
) -> int:
    """Learn from sentences one after the other; return how many led to an update.

    `wrong` has for each sentence the fewest pairs that no derivation puts right, -1 for not known
    yet. `done` of `total` sentences were seen before.
    """
    updates: longlong = 0
    with cython.nogil:
        for i in range(turn.shape[0]):
            row: longlong = turn[i]
            n: longlong = offsets[row + 1] - offsets[row]
            if n < 2:
                wrong[row] = 0
                continue
            search.guided = True
            search.read(offsets[row], n)
            wrong[row] = cython.cast(cython.int, search.guide(low, high, wrong[row]))
            search.search()
            left: double = cython.cast(double, total - done - i) / total
            if search.update(weights, average, delta, most, share[row], left):
                updates += 1
    return updates
