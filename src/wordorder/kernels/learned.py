"""Reordering: families of dependency trees, bracketing, consensus of orders, precedence rules."""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, short, uchar, ulonglong, void
from cython.cimports.libc.math import sqrt
from cython.cimports.wordorder.kernels._common import GOLDEN, MASK64, MIXER, SPLITMIX_1, golden_hash

# Families of projective trees.

# Attributes of a word: form, upos, xpos, label, suffix, shape; the index of the label.
WORD_ATTRIBUTES = cython.declare(cython.int, 6)
LABEL_ATTRIBUTE = cython.declare(cython.int, 3)

# Attributes of a member: those of its word, marker, children, size, first and last form and tag.
MEMBER_ATTRIBUTES = cython.declare(cython.int, 13)
# Attributes of a pair: those of the pair itself; all, with those of both members.
SHARED_ATTRIBUTES = cython.declare(cython.int, 22)
PAIR = cython.declare(cython.int, 48)
# The attribute of a missing label, marker or parent.
HEAD_ITSELF = cython.declare(ulonglong, 0x94D049BB133111EB)
ABSENT = cython.declare(ulonglong, 0x2545F4914F6CDD1D)
# Bits of the kinds of words.
cython.declare(PUNCTUATION=uchar, CONJUNCTION=uchar, CORE=uchar, MARKER=uchar)
PUNCTUATION, CONJUNCTION, CORE, MARKER = 1, 2, 4, 8

# Families with up to this number of members are ordered exactly, by a table over their subsets.
MAX_EXACT_MEMBERS = cython.declare(longlong, 9)
# Smaller gains may be due to rounding.
MIN_ORDER_GAIN = cython.declare(double, 1e-9)

# The number of halvings of an exponent, and its limit.
HALVINGS = cython.declare(cython.int, 12)
EXPONENT_LIMIT = cython.declare(double, 30.0)

# Bracketing.

# The attributes of positions before and after a sentence.
OUTSIDE_WORD = cython.declare(ulonglong, 0x94D049BB133111EB)
# Lower than any score.
LOWEST_SCORE = cython.declare(double, -1e300)
# The first template numbers of the features of a column, and of those without a column.
COLUMN = cython.declare(ulonglong, 64)
# Contexts: the whole sentence; then by orientation and side.
CONTEXTS = cython.declare(longlong, 5)
# Larger sizes of parts, and of spans, are not distinguished.
MAX_PART_SIZE = cython.declare(longlong, 5)
MAX_SPAN_SIZE = cython.declare(longlong, 24)
# The number of values of the feature for the sizes of both parts and their comparison.
SIZES = cython.declare(longlong, 108)
# Approximate number of rows whose weights are summed up together.
ROWS_TOGETHER = cython.declare(longlong, 512)
# An action of a derivation is its split point, times two, plus one if it is inverted.
# An item is a score and four numbers: the previous item, its action, its open spans, its validity.
ITEM_NUMBERS = cython.declare(longlong, 4)
# An open span: start, end, context, and the next open span.
SPAN_NUMBERS = cython.declare(longlong, 4)

# Consensus of orders.

# A bound on the rounding error of a gain, per unit of weight.
GAIN_ROUNDING = cython.declare(double, 1e-11)

# Precedence rules.

# A barrier: a child that keeps its position, and that no other child moves past.
BARRIER_CHILD = cython.declare(cython.int, -2)
# The family is not ordered by any rule.
NO_RULE = cython.declare(cython.int, -1)
# Longer families are sorted by one pass per rank instead of by insertion.
SHORT_FAMILY = cython.declare(cython.int, 24)


# -- Families of projective trees. -----------------------------------------------------------------
#
# A family is a word with its dependents, from left to right. Positions of words are those in the
# treebank. A word has `WORD_ATTRIBUTES` hashed attributes, a member of a family
# `MEMBER_ATTRIBUTES`; a pair has those of both members, the left one first, and
# `SHARED_ATTRIBUTES` of its own. A template combines some of the attributes of a pair to one
# feature, whose number is a hash of `bits` bits. Weights of features are learned by logistic
# regression, with several passes of stochastic gradient descent.


def read_subtrees(
    offsets: cython.const[longlong][::1],
    parents: cython.const[longlong][::1],
    words: cython.const[ulonglong][::1],
    kinds: cython.const[uchar][::1],
    marker: longlong,
    spans: longlong[::1],
    below: ulonglong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Extend the span of each word to its subtree, and collect attributes of its children.

    `spans` initially has each word as start and end. ``below[2 * w]`` becomes the form of the first
    child of the kind `marker`, ``below[2 * w + 1]`` the sum of the labels of all children.
    """
    with cython.nogil:
        for word in range(offsets[first], offsets[last]):
            above: longlong = parents[word]
            if above >= 0:
                below[2 * above + 1] = (
                    below[2 * above + 1] + words[WORD_ATTRIBUTES * word + LABEL_ATTRIBUTE]
                ) & MASK64
                if (kinds[word] & marker) != 0 and below[2 * above] == 0:
                    below[2 * above] = words[WORD_ATTRIBUTES * word]
            while above >= 0:
                spans[2 * above] = min(spans[2 * above], word)
                spans[2 * above + 1] = max(spans[2 * above + 1], word)
                above = parents[above]


def count_evidence(
    heads: cython.const[longlong][::1],
    starts: cython.const[longlong][::1],
    members: cython.const[longlong][::1],
    spans: cython.const[longlong][::1],
    pairs: cython.const[longlong][::1],
    low: cython.const[cython.int][::1],
    high: cython.const[cython.int][::1],
    in_order: longlong[::1],
    reversed: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count the evidence for the order of each pair of members of families ``first .. last-1``.

    It is the number of pairs of their words whose target intervals are in source order, and in the
    reverse order.
    """
    with cython.nogil:
        for family in range(first, last):
            pair: longlong = pairs[family]
            for i in range(starts[family], starts[family + 1]):
                left_member: longlong = members[i]
                a_low: longlong = left_member
                a_high: longlong = left_member
                if left_member != heads[family]:
                    a_low = spans[2 * left_member]
                    a_high = spans[2 * left_member + 1]
                for j in range(i + 1, starts[family + 1]):
                    right_member: longlong = members[j]
                    b_low: longlong = right_member
                    b_high: longlong = right_member
                    if right_member != heads[family]:
                        b_low = spans[2 * right_member]
                        b_high = spans[2 * right_member + 1]
                    for a in range(a_low, a_high + 1):
                        if low[a] < 0:
                            continue
                        for b in range(b_low, b_high + 1):
                            if low[b] < 0 or (low[a] == low[b] and high[a] == high[b]):
                                continue
                            if low[a] <= low[b] and high[a] <= high[b]:
                                in_order[pair] += 1
                            elif low[b] <= low[a] and high[b] <= high[a]:
                                reversed[pair] += 1
                    pair += 1


@cython.cclass
class FamilyReader:
    """Reads the pairs of families; the comments at the top explain the arrays."""

    cython.declare(offsets=cython.const[longlong][::1], parents=cython.const[longlong][::1])
    cython.declare(words=cython.const[ulonglong][::1], kinds=cython.const[uchar][::1])
    cython.declare(spans=cython.const[longlong][::1], below=cython.const[ulonglong][::1])
    cython.declare(heads=cython.const[longlong][::1], sentences=cython.const[longlong][::1])
    cython.declare(starts=cython.const[longlong][::1], members=cython.const[longlong][::1])
    cython.declare(templates=cython.const[cython.int][::1])
    cython.declare(template_starts=cython.const[cython.int][::1], common=cython.int[::1])
    cython.declare(partial=ulonglong[::1], shift=cython.int, count=longlong, own=ulonglong[::1])
    cython.declare(pair=ulonglong[::1], labels=ulonglong[::1])

    def __init__(
        self,
        offsets: cython.const[longlong][::1],
        parents: cython.const[longlong][::1],
        words: cython.const[ulonglong][::1],
        kinds: cython.const[uchar][::1],
        spans: cython.const[longlong][::1],
        below: cython.const[ulonglong][::1],
        heads: cython.const[longlong][::1],
        sentences: cython.const[longlong][::1],
        starts: cython.const[longlong][::1],
        members: cython.const[longlong][::1],
        templates: cython.const[cython.int][::1],
        template_starts: cython.const[cython.int][::1],
        bits: longlong,
        largest: longlong,
    ):
        """Allocate arrays for families of at most `largest` members."""
        longs = array("Q", [0])
        self.offsets, self.parents, self.words, self.kinds = offsets, parents, words, kinds
        self.spans, self.below, self.heads, self.sentences = spans, below, heads, sentences
        self.starts, self.members = starts, members
        self.templates, self.template_starts = templates, template_starts
        self.shift = cython.cast(cython.int, 64 - bits)
        self.count = template_starts.shape[0] - 1
        self.common = array("i", [0]) * (self.count + 1)
        self.partial = longs * (PAIR + 1)
        for template in range(1, self.count):
            size: longlong = template_starts[template] - template_starts[template - 1]
            size = min(size, template_starts[template + 1] - template_starts[template], PAIR)
            while self.common[template] < size and (
                templates[template_starts[template] + self.common[template]]
                == templates[template_starts[template - 1] + self.common[template]]
            ):
                self.common[template] += 1
        self.own = longs * (MEMBER_ATTRIBUTES * largest + 1)
        self.labels = longs * (largest + 1)
        self.pair = longs * PAIR

    @cython.cfunc
    @cython.nogil
    def level(self, number: longlong) -> ulonglong:
        """Return the bin of a number: single numbers up to 4, then ever wider bins."""
        if number <= 4:
            return cython.cast(ulonglong, number)
        if number <= 6:
            return 5
        if number <= 9:
            return 6
        if number <= 14:
            return 7
        if number <= 22:
            return 8
        return 9

    @cython.cfunc
    @cython.nogil
    def read_members(self, family: longlong) -> void:
        """Write the attributes of all members of a family."""
        cython.declare(k=longlong)
        start: longlong = self.starts[family]
        head: longlong = self.heads[family]
        for i in range(self.starts[family + 1] - start):
            word: longlong = self.members[start + i]
            field: longlong = MEMBER_ATTRIBUTES * i
            for k in range(WORD_ATTRIBUTES):
                self.own[field + k] = self.words[WORD_ATTRIBUTES * word + k]
            low: longlong = word
            high: longlong = word
            if word == head:
                self.own[field + 3] = HEAD_ITSELF
                self.own[field + 6] = HEAD_ITSELF
                self.own[field + 7] = HEAD_ITSELF
                self.own[field + 8] = 1
            else:
                self.own[field + 6] = self.below[2 * word]
                self.own[field + 7] = self.below[2 * word + 1]
                low = self.spans[2 * word]
                high = self.spans[2 * word + 1]
                self.own[field + 8] = self.level(high - low + 1)
            self.own[field + 9] = self.words[WORD_ATTRIBUTES * low]
            self.own[field + 10] = self.words[WORD_ATTRIBUTES * high]
            self.own[field + 11] = self.words[WORD_ATTRIBUTES * low + 2]
            self.own[field + 12] = self.words[WORD_ATTRIBUTES * high + 2]

    @cython.cfunc
    @cython.nogil
    def read_family(self, family: longlong) -> void:
        """Write the attributes that all pairs of a family share, and the labels of its members."""
        start: longlong = self.starts[family]
        size: longlong = self.starts[family + 1] - start
        head: longlong = self.heads[family]
        parent: longlong = self.parents[head]
        row: longlong = self.sentences[family]
        shared: longlong = 2 * MEMBER_ATTRIBUTES
        sequence: ulonglong = GOLDEN
        core: ulonglong = 0
        self.read_members(family)
        for i in range(size):
            word: longlong = self.members[start + i]
            self.labels[i] = self.own[MEMBER_ATTRIBUTES * i + 3]
            sequence = ((sequence ^ self.labels[i]) * SPLITMIX_1) & MASK64
            sequence ^= sequence >> 29
            if word != head and (self.kinds[word] & CORE) != 0:
                core = (core + self.labels[i]) & MASK64
        self.pair[shared] = self.words[WORD_ATTRIBUTES * head + 1]
        self.pair[shared + 1] = self.words[WORD_ATTRIBUTES * head + 2]
        self.pair[shared + 2] = self.words[WORD_ATTRIBUTES * head]
        self.pair[shared + 3] = self.words[WORD_ATTRIBUTES * head + 3]
        self.pair[shared + 4] = ABSENT
        self.pair[shared + 5] = ABSENT
        if parent >= 0:
            self.pair[shared + 4] = self.words[WORD_ATTRIBUTES * parent + 1]
            self.pair[shared + 5] = self.words[WORD_ATTRIBUTES * parent + 3]
        self.pair[shared + 6] = sequence
        self.pair[shared + 7] = core
        self.pair[shared + 8] = self.words[WORD_ATTRIBUTES * (self.offsets[row + 1] - 1)]
        self.pair[shared + 9] = self.level(self.offsets[row + 1] - self.offsets[row])
        self.pair[shared + 10] = self.below[2 * head + 1]

    @cython.cfunc
    @cython.nogil
    def read_pair(self, family: longlong, i: longlong, j: longlong) -> void:
        """Write the attributes of the pair of members `i` and `j` of the family last read."""
        start: longlong = self.starts[family]
        size: longlong = self.starts[family + 1] - start
        head: longlong = self.heads[family]
        left_member: longlong = self.members[start + i]
        right_member: longlong = self.members[start + j]
        shared: longlong = 2 * MEMBER_ATTRIBUTES + 11
        side: ulonglong = 5
        between: ulonglong = GOLDEN
        kinds: uchar = 0
        for k in range(MEMBER_ATTRIBUTES):
            self.pair[k] = self.own[MEMBER_ATTRIBUTES * i + k]
            self.pair[MEMBER_ATTRIBUTES + k] = self.own[MEMBER_ATTRIBUTES * j + k]
        if left_member == head:
            side = 1
        elif right_member == head:
            side = 2
        elif right_member < head:
            side = 3
        elif left_member > head:
            side = 4
        for k in range(i + 1, j):
            between = ((between ^ self.labels[k]) * SPLITMIX_1) & MASK64
            between ^= between >> 29
            if self.members[start + k] != head:
                kinds |= self.kinds[self.members[start + k]]
        self.pair[shared] = side
        self.pair[shared + 1] = self.level(j - i)
        self.pair[shared + 2] = between
        self.pair[shared + 3] = 1 + (kinds & PUNCTUATION)
        self.pair[shared + 4] = 1 + (kinds & CONJUNCTION)
        self.pair[shared + 5] = ABSENT if i == 0 else self.labels[i - 1]
        self.pair[shared + 6] = ABSENT if j == size - 1 else self.labels[j + 1]
        self.pair[shared + 7] = 1 if i == 0 else 2
        self.pair[shared + 8] = 1 if j == size - 1 else 2
        # The attribute `prior` of earlier models, which templates may contain, is always 0.
        self.pair[shared + 9] = 0
        self.pair[shared + 10] = self.level(size)

    @cython.cfunc
    @cython.nogil
    def feature(self, template: longlong) -> ulonglong:
        """Return the number of a feature of the pair last read.

        Templates must be requested in order: the attributes that a template shares with the
        previous one, from the first on, are not hashed again.
        """
        start: longlong = self.template_starts[template]
        key: ulonglong = GOLDEN
        if self.common[template] > 0:
            key = self.partial[self.common[template] - 1]
        for k in range(self.common[template], self.template_starts[template + 1] - start):
            key = ((key ^ self.pair[self.templates[start + k]]) * SPLITMIX_1) & MASK64
            key ^= key >> 29
            self.partial[k] = key
        return (((key + template) * GOLDEN) & MASK64) >> self.shift


def pair_features(
    pairs: cython.const[longlong][::1],
    features: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    reader: FamilyReader,
) -> None:
    """Write the features of all pairs of the families ``first .. last-1``, pair by pair.

    ``pairs[f]`` is the index of the first pair of family `f`; pairs are sorted by their left
    member, then by the right one.
    """
    with cython.nogil:
        for family in range(first, last):
            reader.read_family(family)
            size: longlong = reader.starts[family + 1] - reader.starts[family]
            out: longlong = pairs[family] * reader.count
            for i in range(size):
                for j in range(i + 1, size):
                    reader.read_pair(family, i, j)
                    for template in range(reader.count):
                        features[out] = cython.cast(cython.int, reader.feature(template))
                        out += 1


def pair_attributes(
    pairs: cython.const[longlong][::1],
    attributes: ulonglong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    reader: FamilyReader,
) -> None:
    """Write the attributes of all pairs of the families ``first .. last-1``, `PAIR` numbers each.

    Pairs are in the order of `pair_features`.
    """
    cython.declare(k=longlong)
    with cython.nogil:
        for family in range(first, last):
            reader.read_family(family)
            size: longlong = reader.starts[family + 1] - reader.starts[family]
            out: longlong = pairs[family] * PAIR
            for i in range(size):
                for j in range(i + 1, size):
                    reader.read_pair(family, i, j)
                    for k in range(PAIR):
                        attributes[out] = reader.pair[k]
                        out += 1


def pair_scores(
    pairs: cython.const[longlong][::1],
    weights: cython.const[cython.float][::1],
    scores: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    reader: FamilyReader,
) -> None:
    """Write the score of all pairs of the families ``first .. last-1``: the sum of their weights.

    A positive score means that the left member should come first.
    """
    with cython.nogil:
        for family in range(first, last):
            reader.read_family(family)
            size: longlong = reader.starts[family + 1] - reader.starts[family]
            out: longlong = pairs[family]
            for i in range(size):
                for j in range(i + 1, size):
                    reader.read_pair(family, i, j)
                    score: double = 0.0
                    for template in range(reader.count):
                        score += weights[reader.feature(template)]
                    scores[out] = score
                    out += 1


@cython.cclass
class FamilyOrderer:
    """Orders one family after the other.

    ``gain[largest * i + j]`` is the gain if member `i` is before member `j`.
    """

    cython.declare(largest=longlong, gain=double[::1], best=double[::1], final=cython.int[::1])
    cython.declare(order=longlong[::1], tried=longlong[::1])

    @cython.cfunc
    @cython.nogil
    def exact(self, size: longlong) -> void:
        """Find the best order by dynamic programming over subsets; later members last on ties."""
        self.best[0] = 0.0
        for subset in range(1, 1 << size):
            self.final[subset] = -1
            i: longlong = size - 1
            while i >= 0:
                if (subset >> i) & 1:
                    remaining: longlong = subset ^ (1 << i)
                    value: double = self.best[remaining]
                    for j in range(size):
                        if (remaining >> j) & 1:
                            value += self.gain[self.largest * j + i]
                    if self.final[subset] < 0 or value > self.best[subset] + MIN_ORDER_GAIN:
                        self.best[subset] = value
                        self.final[subset] = cython.cast(cython.int, i)
                i -= 1
        subset = (1 << size) - 1
        i = size - 1
        while i >= 0:
            self.order[i] = self.final[subset]
            subset ^= 1 << self.final[subset]
            i -= 1

    @cython.cfunc
    @cython.nogil
    def improve(self, size: longlong) -> double:
        """Move single members of the order to better positions until no move helps.

        Return the value of the order.
        """
        improved: bint = True
        value: double = 0.0
        while improved:
            improved = False
            for i in range(size):
                member: longlong = self.tried[i]
                best: double = MIN_ORDER_GAIN
                best_at: longlong = i
                change: double = 0.0
                target: longlong = i - 1
                while target >= 0:
                    change += self.gain[self.largest * member + self.tried[target]]
                    change -= self.gain[self.largest * self.tried[target] + member]
                    if change > best:
                        best = change
                        best_at = target
                    target -= 1
                change = 0.0
                for target in range(i + 1, size):
                    change += self.gain[self.largest * self.tried[target] + member]
                    change -= self.gain[self.largest * member + self.tried[target]]
                    if change > best:
                        best = change
                        best_at = target
                if best_at == i:
                    continue
                improved = True
                target = i
                while target < best_at:
                    self.tried[target] = self.tried[target + 1]
                    target += 1
                while target > best_at:
                    self.tried[target] = self.tried[target - 1]
                    target -= 1
                self.tried[best_at] = member
        for i in range(size):
            for target in range(i + 1, size):
                value += self.gain[self.largest * self.tried[i] + self.tried[target]]
        return value

    @cython.cfunc
    @cython.nogil
    def search(self, size: longlong) -> void:
        """Find a good order of many members, from the source order and from sums of gains."""
        for i in range(size):
            self.tried[i] = i
        value: double = self.improve(size)
        for i in range(size):
            self.order[i] = self.tried[i]
            self.best[i] = 0.0
            for j in range(size):
                self.best[i] += self.gain[self.largest * i + j] - self.gain[self.largest * j + i]
        for i in range(size):
            member: longlong = i
            j = i
            while j > 0 and self.best[self.tried[j - 1]] < self.best[member]:
                self.tried[j] = self.tried[j - 1]
                j -= 1
            self.tried[j] = member
        if self.improve(size) > value + MIN_ORDER_GAIN:
            for i in range(size):
                self.order[i] = self.tried[i]


def order_families(
    starts: cython.const[longlong][::1],
    members: cython.const[longlong][::1],
    pairs: cython.const[longlong][::1],
    scores: cython.const[double][::1],
    ordered: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    largest: longlong,
) -> None:
    """Write the members of the families ``first .. last-1`` in the order with the highest score.

    The score of an order is the sum of the scores of the pairs in source order, minus those of the
    other pairs. The search is exact for up to `MAX_EXACT_MEMBERS` members.
    """
    orderer: FamilyOrderer = FamilyOrderer()
    orderer.largest = largest
    orderer.gain = array("d", [0.0]) * (largest * largest + 1)
    subsets: longlong = max(1 << min(MAX_EXACT_MEMBERS, largest), largest + 1)
    orderer.best, orderer.final = array("d", [0.0]) * subsets, array("i", [0]) * subsets
    orderer.order = array("q", [0]) * (largest + 1)
    orderer.tried = array("q", [0]) * (largest + 1)
    with cython.nogil:
        for family in range(first, last):
            size: longlong = starts[family + 1] - starts[family]
            pair: longlong = pairs[family]
            for i in range(size):
                for j in range(i + 1, size):
                    orderer.gain[largest * i + j] = scores[pair]
                    orderer.gain[largest * j + i] = -scores[pair]
                    pair += 1
            if size <= MAX_EXACT_MEMBERS:
                orderer.exact(size)
            else:
                orderer.search(size)
            for i in range(size):
                ordered[starts[family] + i] = members[starts[family] + orderer.order[i]]


def write_family_orders(
    offsets: cython.const[longlong][::1],
    roots: cython.const[longlong][::1],
    root_starts: cython.const[longlong][::1],
    family_of: cython.const[longlong][::1],
    starts: cython.const[longlong][::1],
    ordered: cython.const[longlong][::1],
    order: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write the order of the words of sentences ``first .. last-1`` that their families give.

    ``family_of[w]`` is the family whose head is word `w`, -1 for a leaf; several roots keep their
    order. Positions count from the start of the sentence.
    """
    stack: longlong[::1] = array("q", [0]) * (2 * longest + 2)
    with cython.nogil:
        for row in range(first, last):
            height: longlong = 0
            filled: longlong = offsets[row]
            i: longlong = root_starts[row + 1] - 1
            while i >= root_starts[row]:
                stack[height] = roots[i]
                height += 1
                i -= 1
            while height > 0:
                height -= 1
                word: longlong = stack[height]
                family: longlong = -1
                # The complement stands for the word itself, not its family.
                if word < 0:
                    word = -1 - word
                else:
                    family = family_of[word]
                if family < 0:
                    order[filled] = cython.cast(cython.int, word - offsets[row])
                    filled += 1
                    continue
                i = starts[family + 1] - 1
                while i >= starts[family]:
                    stack[height] = ordered[i]
                    if ordered[i] == word:
                        stack[height] = -1 - word
                    height += 1
                    i -= 1


@cython.cfunc
@cython.nogil
def probability(score: double) -> double:
    """Return the logistic function, computed equally on all machines: by multiplications."""
    size: double = abs(score)
    if size > EXPONENT_LIMIT:
        size = EXPONENT_LIMIT
    power: double = 1.0 + size / (1 << HALVINGS)
    for _k in range(HALVINGS):
        power *= power
    if score < 0.0:
        return 1.0 / (1.0 + power)
    return power / (1.0 + power)


def logistic_pass(
    features: cython.const[cython.int][::1],
    templates: longlong,
    order: cython.const[longlong][::1],
    labels: cython.const[double][::1],
    importance: cython.const[double][::1],
    counts: cython.const[cython.float][::1],
    rate: double,
    penalty: double,
    weights: double[::1],
    squares: double[::1],
    wrong: longlong[::1],
) -> None:
    """Make a pass of stochastic gradient descent over all instances, with AdaGrad steps.

    Instance `n` has the features ``features[n * templates ..]``, a label in [0, 1] and an
    importance. L2 regularisation of ``penalty / 2`` per squared weight is distributed over the
    ``counts`` of its feature. ``wrong[0]`` counts the instances that are classified wrongly.
    """
    cython.declare(index=longlong)
    with cython.nogil:
        for index in range(order.shape[0]):
            number: longlong = order[index]
            begin: longlong = number * templates
            score: double = 0.0
            for k in range(begin, begin + templates):
                score += weights[features[k]]
            if (score > 0.0) != (labels[number] > 0.5):
                wrong[0] += 1
            slope: double = importance[number] * (probability(score) - labels[number])
            for k in range(begin, begin + templates):
                feature: longlong = features[k]
                step: double = slope + penalty * weights[feature] / counts[feature]
                squares[feature] += step * step
                weights[feature] -= rate * step / sqrt(squares[feature])


# -- Bracketing. -----------------------------------------------------------------------------------
#
# A derivation starts with the whole sentence and splits one span after the other into two parts,
# which keep their order (straight) or are swapped (inverted), until each span is one word: ``n-1``
# actions, the left part first (Nakagawa 2015). The score of an action is the sum of the weights of
# its features, which depend on the span ``[b, e)``, the split point ``p``, and the context: the
# orientation of the split that created the span, and its side.
#
# Most features depend on at most two of ``b``, ``p`` and ``e``. The sums of such a piece are cached
# in a table of the sentence, so that a feature is looked up once for all items; the scores of all
# splits of a span are cached, too. The upper bits of a feature's key are the row of its two
# weights: straight, inverted. Most rows are not in the processor's cache, so the rows of many
# pieces are written first, and their weights loaded together.


@cython.cfunc
@cython.inline
@cython.nogil
def mix_in(key: ulonglong, value: ulonglong) -> ulonglong:
    """Return a key extended by a value."""
    key = ((key ^ value) * MIXER) & MASK64
    return key ^ (key >> 32)


@cython.cclass
class BracketingSearch:
    """The beam search for the derivations of one sentence after the other, and its training."""

    # Per word: `columns` attributes; the position of its head in the sentence, -1 for none; the
    # label; both only with `trees`.
    cython.declare(attributes=cython.const[ulonglong][::1], heads=cython.const[cython.int][::1])
    cython.declare(labels=cython.const[ulonglong][::1], columns=longlong, tag=longlong)
    # The first column with all features: with tags, columns of words have fewer.
    cython.declare(sparse=longlong, trees=bint, weights=cython.const[cython.float][::1])
    cython.declare(shift=ulonglong)
    # The additional score of a straight split.
    cython.declare(bonus=double, beam=longlong)
    # The sentence: where it starts, its words, the width of the tables.
    cython.declare(start=longlong, n=longlong, wide=longlong)
    # The rows of the features of an action or a piece.
    cython.declare(rows=longlong[::1], count=longlong)
    # Queued pieces: the index of their sums, and the end of their rows.
    cython.declare(goals=longlong[::1], ends=longlong[::1], waiting=longlong, straight=double)
    cython.declare(inverted=double)
    # Per span: its highest word, its open heads, and whether words outside depend on it.
    cython.declare(depth=cython.int[::1], children=cython.int[::1], summit=cython.int[::1])
    cython.declare(state=uchar[::1])
    # Sums of pieces: of spans as a whole, as left and as right parts, of pairs of heads; of left
    # edges, gaps, right edges; of split points of the current span. `kept` is their sentence.
    cython.declare(kept=cython.int[::1], sentence=cython.int, sums=double[::1])
    # By the sizes of both parts.
    cython.declare(sizes=double[::1])
    # The offset in `sums` of the sums by context: of left edge, split point and right edge.
    cython.declare(around=longlong)
    # The index of the scores of a span's splits, -1 if they have not been computed.
    cython.declare(place=longlong[::1], scores=double[::1], used=longlong, room=longlong)
    # The maximum number of features of an action.
    cython.declare(most=longlong)
    # The beam.
    cython.declare(item=cython.int[::1], item_score=double[::1], span=cython.int[::1])
    cython.declare(spans=longlong, level=longlong[::1])
    # An item of the next beam: its score; the previous item, action and validity as one number.
    cython.declare(kept_score=double[::1], kept_move=longlong[::1], stack=cython.int[::1])
    # Training: prefix sums of pairs of words in the wrong order, least violations of each span.
    cython.declare(behind=cython.int[::1], before=cython.int[::1], least=cython.int[::1])
    cython.declare(guided=bint, parsable=bint)
    # The best derivation and the best valid one, their numbers of actions and their scores.
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
        """Allocate arrays for sentences of up to `longest` words."""
        ints, longs, doubles = array("i", [0]), array("q", [0]), array("d", [0.0])
        wide: longlong = longest + 1
        square: longlong = wide * wide
        cells: longlong = square if trees else 1
        self.wide = wide
        self.columns, self.tag = columns, tag
        self.sparse = 1 if tag > 0 else 0
        self.trees, self.beam, self.shift = trees, beam, shift
        self.most = 64 * (columns + 1)
        rows = longs * (self.most + ROWS_TOGETHER)
        self.rows, self.goals, self.ends = rows[:], rows[:], rows[:]
        self.sizes = doubles * (2 * SIZES)
        self.depth, self.children, self.stack = ints * wide, ints * wide, ints * (3 * wide)
        self.summit, self.state = ints * cells, array("B", [0]) * cells
        self.kept, self.place = ints * (4 * square), longs * square
        self.around = 8 * square + 8 * wide
        self.sums = doubles * (self.around + 6 * CONTEXTS * wide)
        # The last entries are for one span at a time.
        self.room = 32 * wide * beam
        self.scores = doubles * (self.room + 2 * wide)
        self.item = ints * (ITEM_NUMBERS * (beam * wide + 1))
        self.item_score = doubles * (beam * wide + 1)
        self.span = ints * (SPAN_NUMBERS * (2 * beam * wide + 2))
        self.level = longs * (wide + 1)
        self.kept_score, self.kept_move = doubles * beam, longs * beam
        self.found, self.right = ints * wide, ints * wide
        self.sentence = self.count = self.waiting = 0
        self.bonus = 0.0
        self.guided = False

    # The features; each method appends the rows of a piece.

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def add(self, key: ulonglong) -> void:
        """Append the row of a feature."""
        self.rows[self.count] = golden_hash(key, self.shift)
        self.count += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def attribute(self, word: longlong, column: longlong) -> ulonglong:
        """Return an attribute of a word, or `OUTSIDE_WORD` outside of the sentence."""
        if word < 0 or word >= self.n:
            return OUTSIDE_WORD
        return self.attributes[(self.start + word) * self.columns + column]

    @cython.cfunc
    @cython.nogil
    def gap(self, p: longlong) -> void:
        """Append the features of the words around a split point."""
        self.add(mix_in(0, 1))
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            left_word: ulonglong = self.attribute(p - 1, c)
            right_word: ulonglong = self.attribute(p, c)
            self.add(mix_in(mix_in(0, base + 1), left_word))
            self.add(mix_in(mix_in(0, base + 2), right_word))
            both: ulonglong = mix_in(mix_in(mix_in(0, base + 3), left_word), right_word)
            self.add(both)
            self.add(mix_in(mix_in(both, base + 4), self.attribute(p - 2, c)))
            self.add(mix_in(mix_in(both, base + 5), self.attribute(p + 1, c)))
        if self.tag > 0:
            self.add(
                mix_in(mix_in(mix_in(0, 2), self.attribute(p - 1, 0)), self.attribute(p, self.tag))
            )
            self.add(
                mix_in(mix_in(mix_in(0, 3), self.attribute(p - 1, self.tag)), self.attribute(p, 0))
            )

    @cython.cfunc
    @cython.nogil
    def left_edge(self, b: longlong) -> void:
        """Append the features of the words around the start of the span."""
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            self.add(mix_in(mix_in(0, base + 6), self.attribute(b - 1, c)))
            self.add(mix_in(mix_in(0, base + 7), self.attribute(b, c)))
            self.add(
                mix_in(mix_in(mix_in(0, base + 8), self.attribute(b - 1, c)), self.attribute(b, c))
            )

    @cython.cfunc
    @cython.nogil
    def right_edge(self, e: longlong) -> void:
        """Append the features of the words around the end of the span."""
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            self.add(mix_in(mix_in(0, base + 9), self.attribute(e - 1, c)))
            self.add(mix_in(mix_in(0, base + 10), self.attribute(e, c)))
            self.add(
                mix_in(mix_in(mix_in(0, base + 11), self.attribute(e - 1, c)), self.attribute(e, c))
            )

    @cython.cfunc
    @cython.nogil
    def add_span_features(self, b: longlong, e: longlong) -> void:
        """Append the features of the complete span."""
        size: longlong = e - b if e - b < MAX_SPAN_SIZE else MAX_SPAN_SIZE
        self.add(mix_in(mix_in(0, 4), cython.cast(ulonglong, size)))
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            self.add(
                mix_in(mix_in(mix_in(0, base + 12), self.attribute(b, c)), self.attribute(e - 1, c))
            )
        if self.trees:
            self.subtree(5, b, e)

    @cython.cfunc
    @cython.nogil
    def left_part(self, b: longlong, p: longlong) -> void:
        """Append the features of the left part."""
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            first: ulonglong = self.attribute(b, c)
            last: ulonglong = self.attribute(p - 1, c)
            self.add(mix_in(mix_in(mix_in(0, base + 13), first), last))
            self.add(mix_in(mix_in(mix_in(0, base + 14), first), self.attribute(p, c)))
            self.add(
                mix_in(mix_in(mix_in(mix_in(0, base + 15), first), last), self.attribute(p, c))
            )
        if self.trees:
            self.subtree(10, b, p)

    @cython.cfunc
    @cython.nogil
    def right_part(self, p: longlong, e: longlong) -> void:
        """Append the features of the right part."""
        for c in range(self.columns):
            base: ulonglong = COLUMN * (c + 1)
            first: ulonglong = self.attribute(p, c)
            last: ulonglong = self.attribute(e - 1, c)
            self.add(mix_in(mix_in(mix_in(0, base + 16), first), last))
            self.add(mix_in(mix_in(mix_in(0, base + 17), self.attribute(p - 1, c)), last))
            self.add(
                mix_in(mix_in(mix_in(mix_in(0, base + 18), self.attribute(p - 1, c)), first), last)
            )
        if self.trees:
            self.subtree(15, p, e)

    @cython.cfunc
    @cython.nogil
    def subtree(self, base: ulonglong, b: longlong, e: longlong) -> void:
        """Append features of the tree over a span: open heads, completeness, its highest word."""
        cell: longlong = b * self.wide + e
        top: longlong = self.summit[cell]
        state: ulonglong = self.state[cell]
        label: ulonglong = self.labels[self.start + top]
        self.add(mix_in(mix_in(0, base), state))
        self.add(mix_in(mix_in(mix_in(0, base + 1), label), state))
        self.add(mix_in(mix_in(mix_in(0, base + 2), label), self.attribute(top, self.tag)))
        self.add(
            mix_in(mix_in(mix_in(mix_in(0, base + 3), label), self.attribute(top, self.tag)), state)
        )
        self.add(mix_in(mix_in(mix_in(0, base + 4), self.attribute(top, 0)), state))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def relation(self, i: longlong, j: longlong) -> ulonglong:
        """Return the relation of two words in the tree."""
        up: longlong = self.heads[self.start + i]
        other_head: longlong = self.heads[self.start + j]
        first_label: ulonglong = self.labels[self.start + i]
        second_label: ulonglong = self.labels[self.start + j]
        if other_head == i:
            return mix_in(mix_in(0, 101), second_label)
        if up == j:
            return mix_in(mix_in(0, 102), first_label)
        if up == other_head:
            return mix_in(mix_in(mix_in(0, 103), first_label), second_label)
        return mix_in(mix_in(mix_in(0, 104), first_label), second_label)

    @cython.cfunc
    @cython.nogil
    def tops(self, i: longlong, j: longlong) -> void:
        """Append the features of the highest words of both parts."""
        related: ulonglong = self.relation(i, j)
        above: longlong = self.heads[self.start + i]
        if above == j:
            above = self.heads[self.start + j]
        self.add(mix_in(mix_in(0, 20), related))
        self.add(mix_in(mix_in(mix_in(0, 21), related), self.attribute(i, self.tag)))
        self.add(mix_in(mix_in(mix_in(0, 22), related), self.attribute(j, self.tag)))
        self.add(
            mix_in(
                mix_in(mix_in(mix_in(0, 23), related), self.attribute(i, self.tag)),
                self.attribute(j, self.tag),
            )
        )
        self.add(mix_in(mix_in(mix_in(0, 24), related), self.attribute(i, 0)))
        self.add(mix_in(mix_in(mix_in(0, 25), related), self.attribute(j, 0)))
        self.add(
            mix_in(mix_in(mix_in(0, 26), self.attribute(i, self.tag)), self.attribute(j, self.tag))
        )
        self.add(mix_in(mix_in(mix_in(0, 27), self.attribute(i, 0)), self.attribute(j, 0)))
        self.add(mix_in(mix_in(mix_in(0, 28), related), self.attribute(above, self.tag)))
        self.add(mix_in(mix_in(mix_in(0, 29), related), self.attribute(above, 0)))

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def size_number(self, left_size: longlong, right_size: longlong) -> longlong:
        """Return the value of the feature for the sizes of the two parts."""
        balance: longlong = 0 if left_size < right_size else 1 if left_size > right_size else 2
        if left_size > MAX_PART_SIZE:
            left_size = MAX_PART_SIZE
        if right_size > MAX_PART_SIZE:
            right_size = MAX_PART_SIZE
        return (balance * 6 + left_size) * 6 + right_size

    @cython.cfunc
    @cython.nogil
    def both_sizes(self, number: longlong) -> void:
        """Append the features of the sizes of both parts."""
        left_size: longlong = number // 6 % 6
        key: longlong = left_size * 8 + number % 6
        self.add(mix_in(mix_in(0, 30), cython.cast(ulonglong, number // 36)))
        self.add(mix_in(mix_in(0, 31), cython.cast(ulonglong, key)))

    @cython.cfunc
    @cython.nogil
    def parts(self, b: longlong, p: longlong, e: longlong) -> void:
        """Append the features of both parts together, except their sizes."""
        # Words are sparse: four of them, or one with its context, hardly improve on the tags.
        for c in range(self.sparse, self.columns):
            base: ulonglong = COLUMN * (c + 1)
            key: ulonglong = mix_in(
                mix_in(mix_in(0, base + 19), self.attribute(b, c)), self.attribute(p - 1, c)
            )
            self.add(mix_in(mix_in(key, self.attribute(p, c)), self.attribute(e - 1, c)))
        if self.trees:
            states: ulonglong = self.state[b * self.wide + p]
            states = states * 16 + self.state[p * self.wide + e]
            key = self.relation(self.summit[b * self.wide + p], self.summit[p * self.wide + e])
            self.add(mix_in(mix_in(0, 32), states))
            self.add(mix_in(mix_in(mix_in(0, 33), states), key))

    @cython.cfunc
    @cython.nogil
    def parent(self, context: longlong, edge: longlong, i: longlong) -> void:
        """Append the context's features of the left edge (0), split (1) or right edge (2)."""
        key: ulonglong = mix_in(0, cython.cast(ulonglong, context))
        if edge == 1:
            self.add(mix_in(key, 40))
            self.add(mix_in(mix_in(0, 41), cython.cast(ulonglong, (context + 1) // 2)))
        for c in range(self.sparse, self.columns):
            base: ulonglong = COLUMN * (c + 1)
            if edge == 0:
                self.add(mix_in(mix_in(key, base + 20), self.attribute(i, c)))
            elif edge == 2:
                self.add(mix_in(mix_in(key, base + 21), self.attribute(i - 1, c)))
            else:
                self.add(mix_in(mix_in(key, base + 22), self.attribute(i - 1, c)))
                self.add(mix_in(mix_in(key, base + 23), self.attribute(i, c)))
                self.add(
                    mix_in(
                        mix_in(mix_in(key, base + 24), self.attribute(i - 1, c)),
                        self.attribute(i, c),
                    )
                )

    @cython.cfunc
    @cython.nogil
    def action_rows(self, b: longlong, p: longlong, e: longlong, context: longlong) -> void:
        """Write the rows of all features of an action."""
        self.count = 0
        self.gap(p)
        self.left_edge(b)
        self.right_edge(e)
        self.add_span_features(b, e)
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
        """Sum up the weights of the rows, and clear the rows."""
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
        """Queue the rows since the last piece; each one's weights go to `sums`, from `goal` on."""
        self.goals[self.waiting] = goal
        self.ends[self.waiting] = self.count
        self.waiting += 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def await_whole(self, goal: longlong) -> void:
        """Queue the rows since the last piece; their total weight goes to `sums` at `goal`."""
        self.sums[goal] = self.sums[goal + 1] = 0.0
        self.await_sum(goal)

    @cython.cfunc
    @cython.nogil
    def sum_waiting(self) -> void:
        """Add up the weights of all queued pieces."""
        index: longlong = 0
        for k in range(self.waiting):
            goal: longlong = self.goals[k]
            end: longlong = self.ends[k]
            straight: double = self.sums[goal]
            inverted: double = self.sums[goal + 1]
            for i in range(index, end):
                straight += self.weights[2 * self.rows[i]]
                inverted += self.weights[2 * self.rows[i] + 1]
            self.sums[goal] = straight
            self.sums[goal + 1] = inverted
            index = end
        self.waiting = self.count = 0

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def piece(self, kind: longlong, i: longlong, j: longlong) -> longlong:
        """Return the index of the sums of a piece; queue them if they are not cached."""
        cell: longlong = (kind * self.wide + i) * self.wide + j
        if self.kept[cell] != self.sentence:
            self.kept[cell] = self.sentence
            if kind == 0:
                self.add_span_features(i, j)
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
        """Return the index of the scores of a span's splits, which start with split ``b + 1``."""
        flat: longlong = 4 * self.wide * self.wide
        both: longlong = 2 * (flat + 3 * self.wide)
        cell: longlong = b * self.wide + e
        place: longlong = self.place[cell]
        if place >= 0:
            return place
        if self.used + 2 * (e - b) > self.room:
            # The cache is full: these are computed again whenever they are needed.
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
            feature: longlong = 2 * self.size_number(p - b, e - p)
            self.sums[both + 2 * p] = self.sizes[feature]
            self.sums[both + 2 * p + 1] = self.sizes[feature + 1]
            self.parts(b, p, e)
            self.await_sum(both + 2 * p)
            if self.count >= ROWS_TOGETHER:
                self.sum_waiting()
        self.sum_waiting()
        for p in range(b + 1, e):
            left_span: longlong = 2 * ((self.wide + b) * self.wide + p)
            right_span: longlong = 2 * ((2 * self.wide + p) * self.wide + e)
            straight: double = self.sums[both + 2 * p]
            inverted: double = self.sums[both + 2 * p + 1]
            straight += self.sums[span] + self.sums[left_span] + self.sums[right_span]
            inverted += self.sums[span + 1] + self.sums[left_span + 1] + self.sums[right_span + 1]
            if self.trees:
                feature = 3 * self.wide + self.summit[b * self.wide + p]
                feature = 2 * (feature * self.wide + self.summit[p * self.wide + e])
                straight += self.sums[feature]
                inverted += self.sums[feature + 1]
            left_span = 2 * (flat + b)
            right_span = 2 * (flat + 2 * self.wide + e)
            straight += self.sums[left_span] + self.sums[right_span]
            inverted += self.sums[left_span + 1] + self.sums[right_span + 1]
            left_span = 2 * (flat + self.wide + p)
            self.scores[place + 2 * (p - b - 1)] = straight + self.sums[left_span]
            self.scores[place + 2 * (p - b - 1) + 1] = inverted + self.sums[left_span + 1]
        return place

    @cython.cfunc
    @cython.nogil
    def read(self, start: longlong, n: longlong) -> void:
        """Read a sentence: fill the tables of its words and spans."""
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
        for i in range(1, MAX_PART_SIZE + 2):
            for j in range(1, MAX_PART_SIZE + 2):
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
            if self.count >= ROWS_TOGETHER:
                self.sum_waiting()
        self.sum_waiting()

    @cython.cfunc
    @cython.nogil
    def read_tree(self) -> void:
        """Find the highest word of each span, its open heads, and whether others depend on it."""
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
                # `stack` has the open heads of the spans that start one word later.
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
        """Push a span on the stack of open spans; a single word is not pushed."""
        if e - b < 2:
            return below
        self.span[SPAN_NUMBERS * self.spans] = cython.cast(cython.int, b)
        self.span[SPAN_NUMBERS * self.spans + 1] = cython.cast(cython.int, e)
        self.span[SPAN_NUMBERS * self.spans + 2] = cython.cast(cython.int, context)
        self.span[SPAN_NUMBERS * self.spans + 3] = cython.cast(cython.int, below)
        self.spans += 1
        return self.spans - 1

    @cython.cfunc
    @cython.inline
    @cython.nogil
    def crossed(self, wrong: cython.int[::1], b: longlong, p: longlong, e: longlong) -> longlong:
        """Count the pairs of a left and a right word that are in the wrong order."""
        w: longlong = self.wide
        return wrong[p * w + e] - wrong[b * w + e] - wrong[p * w + p] + wrong[b * w + p]

    @cython.cfunc
    @cython.nogil
    def is_valid(self, b: longlong, p: longlong, e: longlong, turned: bint) -> bint:
        """Return whether a split is part of a derivation with the fewest pairs in wrong order."""
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
        """Find the best derivation; with a reference, also the best valid one.

        Both end as soon as no valid item is left in the beam.
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
            size: longlong = 0
            limit: double = LOWEST_SCORE
            self.right_score = LOWEST_SCORE
            for j in range(self.level[step], self.level[step + 1]):
                cell: longlong = SPAN_NUMBERS * self.item[ITEM_NUMBERS * j + 2]
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
                        if self.guided and self.item[ITEM_NUMBERS * j + 3]:
                            if score > self.right_score or score > limit:
                                valid = self.is_valid(b, p, e, turned)
                                if valid and score > self.right_score:
                                    self.right_score = score
                                    best_valid = j
                                    best_action = 2 * p + turned
                        if score <= limit:
                            continue
                        if size == self.beam:
                            size -= 1
                        i = size
                        while i > 0 and self.kept_score[i - 1] < score:
                            self.kept_score[i] = self.kept_score[i - 1]
                            self.kept_move[i] = self.kept_move[i - 1]
                            i -= 1
                        self.kept_score[i] = score
                        self.kept_move[i] = ((j << 20) + 2 * p + turned) * 2 + valid
                        size += 1
                        if size == self.beam:
                            limit = self.kept_score[size - 1]
            any_valid: bint = False
            place = self.level[step + 1]
            for i in range(size):
                j = self.kept_move[i] >> 21
                move: longlong = (self.kept_move[i] >> 1) & 0xFFFFF
                valid = self.kept_move[i] & 1
                cell = SPAN_NUMBERS * self.item[ITEM_NUMBERS * j + 2]
                b = self.span[cell]
                e = self.span[cell + 1]
                p = move >> 1
                turned = move & 1
                k = self.push(p, e, 2 + 2 * turned, self.span[cell + 3])
                k = self.push(b, p, 1 + 2 * turned, k)
                self.item[ITEM_NUMBERS * place] = cython.cast(cython.int, j)
                self.item[ITEM_NUMBERS * place + 1] = cython.cast(cython.int, move)
                self.item[ITEM_NUMBERS * place + 2] = cython.cast(cython.int, k)
                self.item[ITEM_NUMBERS * place + 3] = valid
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
            actions[count] = self.item[ITEM_NUMBERS * item + 1]
            item = self.item[ITEM_NUMBERS * item]

    @cython.cfunc
    @cython.nogil
    def unfold(self, actions: cython.int[::1], order: cython.int[::1], begin: longlong) -> void:
        """Write the order of a complete derivation."""
        height: longlong = 1
        done: longlong = 0
        self.stack[0] = 0
        self.stack[1] = cython.cast(cython.int, self.n)
        self.stack[2] = 0
        while height > 0:
            height -= 1
            b: longlong = self.stack[3 * height]
            e: longlong = self.stack[3 * height + 1]
            position: longlong = self.stack[3 * height + 2]
            if e - b == 1:
                order[begin + position] = cython.cast(cython.int, b)
                continue
            p: longlong = actions[done] >> 1
            self.stack[3 * height] = cython.cast(cython.int, p)
            self.stack[3 * height + 3] = cython.cast(cython.int, b)
            self.stack[3 * height + 4] = cython.cast(cython.int, p)
            if actions[done] & 1:
                self.stack[3 * height + 5] = cython.cast(cython.int, position + e - p)
            else:
                self.stack[3 * height + 2] = cython.cast(cython.int, position + p - b)
                self.stack[3 * height + 5] = cython.cast(cython.int, position)
            height += 2
            done += 1

    # Learning.

    @cython.cfunc
    @cython.nogil
    def guide(
        self,
        low: cython.const[cython.int][::1],
        high: cython.const[cython.int][::1],
        known_violations: longlong,
    ) -> longlong:
        """Set the reference of the sentence; return the minimum number of pairs in wrong order.

        A word precedes another if its interval neither starts nor ends after the other's, and they
        differ. `known_violations` is the result of an earlier call, or -1.
        """
        cython.declare(after=cython.int, ahead=cython.int)
        w: longlong = self.wide
        first: longlong = self.start
        for j in range(self.n + 1):
            self.behind[j] = self.before[j] = 0
        for i in range(self.n):
            after = ahead = self.behind[(i + 1) * w] = self.before[(i + 1) * w] = 0
            for j in range(self.n):
                if j > i and low[first + i] >= 0 and low[first + j] >= 0:
                    if low[first + i] != low[first + j] or high[first + i] != high[first + j]:
                        if low[first + j] <= low[first + i] and high[first + j] <= high[first + i]:
                            after += 1
                        elif (
                            low[first + j] >= low[first + i] and high[first + j] >= high[first + i]
                        ):
                            ahead += 1
                self.behind[(i + 1) * w + j + 1] = self.behind[i * w + j + 1] + after
                self.before[(i + 1) * w + j + 1] = self.before[i * w + j + 1] + ahead
        self.parsable = known_violations == 0
        if known_violations == 0:
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
        """Write the weights of the actions from `begin` on to `changed`; return their end."""
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
        max_step: double,
        share: double,
        remaining_share: double,
    ) -> bint:
        """Update the weights so that the valid derivation wins by a margin (PA-I).

        Return whether they changed. `max_step` is the largest step, times the `share` of the
        sentence; `remaining_share` is the share of the training that remains; `delta` is scratch of
        zeros.
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
            if step > max_step:
                step = max_step
            step *= share
            for k in range(end):
                row: longlong = self.changed[k]
                if delta[row] != 0:
                    # Summed as doubles and rounded once, as in plain Python.
                    weights[row] = cython.cast(
                        cython.float, cython.cast(double, weights[row]) + step * delta[row]
                    )
                    average[row] = cython.cast(
                        cython.float,
                        cython.cast(double, average[row]) + step * remaining_share * delta[row],
                    )
                    delta[row] = 0
        return True


def set_sentences(
    search: BracketingSearch,
    attributes: cython.const[ulonglong][::1],
    heads: cython.const[cython.int][::1],
    labels: cython.const[ulonglong][::1],
    weights: cython.const[cython.float][::1],
    bonus: double,
) -> None:
    """Set the sentences, the weights and the `bonus` of straight splits."""
    search.attributes, search.heads, search.labels = attributes, heads, labels
    search.weights, search.bonus = weights, bonus


def prepare_to_learn(search: BracketingSearch) -> None:
    """Allocate arrays for references and updates."""
    square = array("i", [0]) * (search.wide * search.wide)
    search.behind, search.before, search.least = square[:], square[:], square[:]
    search.changed = array("q", [0]) * (2 * search.wide * search.most)


def best_orders(
    search: BracketingSearch,
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
    search: BracketingSearch,
    start: longlong,
    n: longlong,
    orders: cython.int[::1],
    scores: double[::1],
) -> int:
    """Write the orders of all items in the last beam, best first; return their number.

    The sentence has two words or more. Several items may have the same order.
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


def learn_bracketings(
    search: BracketingSearch,
    offsets: cython.const[longlong][::1],
    low: cython.const[cython.int][::1],
    high: cython.const[cython.int][::1],
    share: cython.const[double][::1],
    weights: cython.float[::1],
    average: cython.float[::1],
    delta: short[::1],
    wrong: cython.int[::1],
    turn: cython.const[longlong][::1],
    max_step: double,
    done: longlong,
    total: longlong,
) -> int:
    """Learn from a sequence of sentences; return the number of updates.

    `wrong` has for each sentence the minimum number of pairs in wrong order, -1 if it is unknown.
    `done` of `total` sentences were seen before.
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
            remaining: double = cython.cast(double, total - done - i) / total
            if search.update(weights, average, delta, max_step, share[row], remaining):
                updates += 1
    return updates


# -- Consensus of orders. --------------------------------------------------------------------------


@cython.cclass
class Agreement:
    """The agreement of the orders of one sentence, and the search for the best order.

    The sentence has `count` words. ``near[width * a + b]`` is the weight of the orders in which `b`
    directly follows `a`; the start and the end of the sentence are the words `count` and ``count +
    1``. ``before[width * a + b]`` is the weight of the orders in which `a` precedes `b`, minus that
    of the others.

    Bounds exclude most moves: a block gains at most the weights of the best neighbours of its ends,
    and ``2 * before`` of each word that it passes in the preferred direction. `leftward` and
    `rightward` have the sums of these, for each word over all words on its left and on its right;
    `most_in` and `most_out` the weights of the best neighbours.
    """

    cython.declare(width=longlong, count=longlong, near=double[::1], before=double[::1])
    cython.declare(past=double[::1], leftward=double[::1], rightward=double[::1])
    cython.declare(most_in=double[::1], most_out=double[::1], slack=double, order=longlong[::1])
    cython.declare(tried=longlong[::1])

    @cython.cfunc
    @cython.nogil
    def value(self) -> double:
        """Return the agreement of the current order with the members' orders."""
        a: longlong = self.count
        value: double = 0.0
        for i in range(self.count):
            value += self.near[self.width * a + self.tried[i]]
            a = self.tried[i]
            for j in range(i + 1, self.count):
                value += self.before[self.width * a + self.tried[j]]
        return value + self.near[self.width * a + self.count + 1]

    @cython.cfunc
    @cython.nogil
    def word_at(self, i: longlong) -> longlong:
        """Return the word at a position of the current order, or the start or end."""
        if i < 0:
            return self.count
        if i >= self.count:
            return self.count + 1
        return self.tried[i]

    @cython.cfunc
    @cython.nogil
    def bound_neighbours(self) -> void:
        """Compute for each word the largest weight of a neighbour on either side."""
        for a in range(self.count + 2):
            self.most_in[a] = self.most_out[a] = 0.0
        for a in range(self.count + 1):
            for b in range(self.count + 2):
                gain: double = self.near[self.width * a + b]
                self.most_out[a] = max(self.most_out[a], gain)
                self.most_in[b] = max(self.most_in[b], gain)

    @cython.cfunc
    @cython.nogil
    def bound_moves(self, begin: longlong, end: longlong) -> void:
        """Compute bounds on the gains of moving the words at positions ``begin .. end-1``."""
        cython.declare(left_bound=double, right_bound=double)
        for i in range(begin, end):
            word: longlong = self.tried[i]
            left_bound = right_bound = 0.0
            for j in range(self.count):
                gain: double = 2 * self.before[self.width * word + self.tried[j]]
                if j < i and gain > 0.0:
                    left_bound += gain
                elif j > i and gain < 0.0:
                    right_bound -= gain
            self.leftward[word] = left_bound
            self.rightward[word] = right_bound

    @cython.cfunc
    @cython.nogil
    def move_one(self, longest: longlong) -> bint:
        """Make the best move of up to `longest` adjacent words; return False if no move gains."""
        cython.declare(left_gain=double, right_gain=double)
        best: double = MIN_ORDER_GAIN
        best_start: longlong = -1
        best_size: longlong = 0
        best_to: longlong = 0
        for start in range(self.count):
            added: longlong = 0
            left_gain = right_gain = 0.0
            for size in range(1, min(longest, self.count - start) + 1):
                first: longlong = self.tried[start]
                last: longlong = self.tried[start + size - 1]
                left_gain += self.leftward[last]
                right_gain += self.rightward[last]
                opened: double = self.near[
                    self.width * self.word_at(start - 1) + self.word_at(start + size)
                ]
                opened -= self.near[self.width * self.word_at(start - 1) + first]
                opened -= self.near[self.width * last + self.word_at(start + size)]
                change: double = (
                    opened + max(left_gain, right_gain) + self.most_in[first] + self.most_out[last]
                )
                if change + self.slack <= best:
                    continue
                if added == 0:
                    for i in range(self.count):
                        self.past[i] = 0.0
                while added < size:
                    k: longlong = self.width * self.tried[start + added]
                    for i in range(self.count):
                        self.past[i] += self.before[k + self.tried[i]]
                    added += 1
                passed: double = 0.0
                i = start - 1
                while i >= 0:
                    # Before position `i`.
                    passed += 2 * self.past[i]
                    change = opened + passed
                    change -= self.near[self.width * self.word_at(i - 1) + self.tried[i]]
                    change += self.near[self.width * self.word_at(i - 1) + first]
                    change += self.near[self.width * last + self.tried[i]]
                    if change > best:
                        best = change
                        best_start = start
                        best_size = size
                        best_to = i
                    i -= 1
                passed = 0.0
                for i in range(start + size, self.count):
                    # After position `i`.
                    passed -= 2 * self.past[i]
                    change = opened + passed
                    change -= self.near[self.width * self.tried[i] + self.word_at(i + 1)]
                    change += self.near[self.width * self.tried[i] + first]
                    change += self.near[self.width * last + self.word_at(i + 1)]
                    if change > best:
                        best = change
                        best_start = start
                        best_size = size
                        best_to = i + 1 - size
        if best_start < 0:
            return False
        self.shift(best_start, best_size, best_to)
        self.bound_moves(min(best_start, best_to), max(best_start, best_to) + best_size)
        return True

    @cython.cfunc
    @cython.nogil
    def shift(self, start: longlong, size: longlong, target: longlong) -> void:
        """Move adjacent words so that the first of them is at `target`."""
        for k in range(size):
            self.order[k] = self.tried[start + k]
        i: longlong = start
        while i < target:
            self.tried[i] = self.tried[i + size]
            i += 1
        i = start - 1
        while i >= target:
            self.tried[i + size] = self.tried[i]
            i -= 1
        for k in range(size):
            self.tried[target + k] = self.order[k]


def consensus_orders(
    offsets: cython.const[longlong][::1],
    orders: cython.const[cython.int][::1],
    weights: cython.const[double][::1],
    neighbours: double,
    ends: double,
    pairs: double,
    block: longlong,
    result: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write the order of the sentences ``first .. last-1`` that agrees best with several others.

    Entry `i` of order `k` is ``orders[k * N + i]``. The agreement with an order is its weight times
    a sum: `neighbours` for each common pair of neighbours, `ends` times as much for a common first
    or last word, and `pairs` for each pair of words in the same order, each divided by the number
    of pairs of the sentence. The search starts from the best of the orders (the first on ties), and
    moves up to `block` adjacent words at a time as long as the agreement increases.
    """
    cython.declare(k=longlong)
    total: longlong = offsets[offsets.shape[0] - 1]
    width: longlong = longest + 2
    agreement: Agreement = Agreement()
    words, longs = array("d", [0.0]) * width, array("q", [0]) * width
    kept_links: longlong[::1] = longs[:]
    agreement.width = width
    agreement.near, agreement.before, agreement.past = words * width, words * width, words[:]
    agreement.leftward, agreement.rightward = words[:], words[:]
    agreement.most_in, agreement.most_out = words[:], words[:]
    agreement.order, agreement.tried = longs[:], longs[:]
    value: double = 0.0
    for k in range(weights.shape[0]):
        value += weights[k]
    agreement.slack = GAIN_ROUNDING * value * (neighbours * (1 + ends) + pairs)
    with cython.nogil:
        for row in range(first, last):
            begin: longlong = offsets[row]
            n: longlong = offsets[row + 1] - begin
            agreement.count = n
            for i in range(n + 2):
                for j in range(n + 2):
                    agreement.near[width * i + j] = agreement.before[width * i + j] = 0.0
            share: double = neighbours / max(1, n - 1)
            pair_share: double = pairs / max(1, n * (n - 1) // 2)
            for k in range(weights.shape[0]):
                a: longlong = n
                for i in range(n):
                    b: longlong = orders[k * total + begin + i]
                    value = share
                    if i == 0:
                        value = share * ends
                    agreement.near[width * a + b] += weights[k] * value
                    for j in range(i):
                        a = orders[k * total + begin + j]
                        agreement.before[width * a + b] += weights[k] * pair_share
                        agreement.before[width * b + a] -= weights[k] * pair_share
                    a = b
                agreement.near[width * a + n + 1] += weights[k] * share * ends
            best: double = 0.0
            for k in range(weights.shape[0]):
                for i in range(n):
                    agreement.tried[i] = orders[k * total + begin + i]
                value = agreement.value()
                if k == 0 or value > best + MIN_ORDER_GAIN:
                    best = value
                    for i in range(n):
                        kept_links[i] = agreement.tried[i]
            for i in range(n):
                agreement.tried[i] = kept_links[i]
            agreement.bound_neighbours()
            agreement.bound_moves(0, n)
            while agreement.move_one(block):
                pass
            for i in range(n):
                result[begin + i] = cython.cast(cython.int, agreement.tried[i])


# -- Precedence rules. -----------------------------------------------------------------------------


@cython.cclass
class RuleSorter:
    """Applies compiled rules to one sentence after the other.

    Rules: rule ``r`` orders the family of a word that meets one of the clauses
    ``head_start[r] .. head_start[r+1]-1``; the first such rule applies. A clause has six sets of
    bits: required and excluded predicates of the word, of its parent, and of its children.

    Entries: under rule ``r``, a child with label ``l``, at ``k = r * labels + l``, is tested for
    ``cases[case_start[k] .. case_start[k+1]-1]``, those that are possible with its label. The first
    whose clause it meets gives its entry, otherwise ``of_label[k]`` does. Entry ``e`` has a rank,
    and members of equal rank are reversed if ``turned``.
    """

    cython.declare(heads=cython.const[cython.int][::1], predicates=cython.const[ulonglong][::1])
    cython.declare(children=cython.const[ulonglong][::1], labels=cython.const[cython.int][::1])
    cython.declare(clauses=cython.const[ulonglong][::1], head_start=cython.const[cython.int][::1])
    cython.declare(case_start=cython.const[cython.int][::1], cases=cython.const[cython.int][::1])
    cython.declare(case_clause=cython.const[cython.int][::1])
    cython.declare(case_entry=cython.const[cython.int][::1], of_label=cython.const[cython.int][::1])
    cython.declare(rank=cython.const[cython.int][::1], turned=cython.const[cython.int][::1])
    cython.declare(own=cython.const[cython.int][::1], rules=cython.int, different=longlong)
    cython.declare(fired=cython.int[::1], entry=cython.int[::1], order=cython.int[::1])
    cython.declare(begin=cython.int[::1], family=cython.int[::1], key=cython.int[::1])
    cython.declare(stack=cython.int[::1], spare=cython.int[::1])

    def __init__(self, longest: Py_ssize_t):
        """Allocate arrays for sentences of up to `longest` words."""
        # Each word may belong to two families: its own and that of its head.
        ints = array("i", bytes(4 * (2 * longest + 2)))
        self.begin, self.family, self.key = ints[: longest + 1], ints[:], ints[:]
        self.stack, self.spare = ints[:], ints[:]

    @cython.cfunc
    @cython.nogil
    def meets(self, word: longlong, parent: longlong, clause: longlong) -> bint:
        """Return whether a word meets a clause; `parent` is -1 for a root."""
        above: ulonglong = 0
        clause = 6 * clause
        predicates: ulonglong = self.predicates[word]
        if (predicates & self.clauses[clause]) != self.clauses[clause]:
            return False
        if parent >= 0:
            above = self.predicates[parent]
        if (above & self.clauses[clause + 2]) != self.clauses[clause + 2]:
            return False
        if (predicates & self.clauses[clause + 1]) != 0 or (above & self.clauses[clause + 3]) != 0:
            return False
        if (self.children[word] & self.clauses[clause + 4]) != self.clauses[clause + 4]:
            return False
        return (self.children[word] & self.clauses[clause + 5]) == 0

    @cython.cfunc
    @cython.nogil
    def rule_of(self, word: longlong, parent: longlong) -> cython.int:
        """Return the first rule that orders the family of a word, or `NO_RULE`."""
        cython.declare(clause=longlong)
        for rule in range(self.rules):
            for clause in range(self.head_start[rule], self.head_start[rule + 1]):
                if self.meets(word, parent, clause):
                    return rule
        return NO_RULE

    @cython.cfunc
    @cython.nogil
    def entry_of(self, word: longlong, parent: longlong, rule: cython.int) -> cython.int:
        """Return the entry of a child under a rule, or `BARRIER_CHILD`."""
        cython.declare(entry=longlong)
        place: longlong = rule * self.different + self.labels[word]
        for entry in range(self.case_start[place], self.case_start[place + 1]):
            case: longlong = self.cases[entry]
            if self.meets(word, parent, self.case_clause[case]):
                return self.case_entry[case]
        return self.of_label[place]

    @cython.cfunc
    @cython.nogil
    def sort(self, low: longlong, high: longlong) -> void:
        """Sort the members ``low .. high-1`` of a family by their keys, with a stable sort."""
        filled: longlong = 0
        if high - low <= SHORT_FAMILY:
            for i in range(low + 1, high):
                member: cython.int = self.family[i]
                key: cython.int = self.key[i]
                j: longlong = i
                while j > low and self.key[j - 1] > key:
                    self.family[j] = self.family[j - 1]
                    self.key[j] = self.key[j - 1]
                    j -= 1
                self.family[j] = member
                self.key[j] = key
            return
        lowest: cython.int = self.key[low]
        highest: cython.int = lowest
        for i in range(low, high):
            lowest = min(lowest, self.key[i])
            highest = max(highest, self.key[i])
        for key in range(lowest, highest + 1):
            for i in range(low, high):
                if self.key[i] == key:
                    self.spare[filled] = self.family[i]
                    self.stack[filled] = key
                    filled += 1
        for i in range(low, high):
            self.family[i] = self.spare[i - low]
            self.key[i] = self.stack[i - low]

    @cython.cfunc
    @cython.nogil
    def turn(self, low: longlong, high: longlong) -> void:
        """Reverse the runs of members of equal rank for which `turned` is set."""
        i: longlong = low
        while i < high:
            j: longlong = i + 1
            while j < high and self.key[j] == self.key[i]:
                j += 1
            if self.turned[self.key[i]]:
                a: longlong = i
                b: longlong = j - 1
                while a < b:
                    member: cython.int = self.family[a]
                    self.family[a] = self.family[b]
                    self.family[b] = member
                    a += 1
                    b -= 1
            i = j

    @cython.cfunc
    @cython.nogil
    def sort_families(self, start: longlong, words: longlong) -> void:
        """Sort each family of a sentence, separately between barriers."""
        cython.declare(i=longlong)
        for h in range(words):
            rule: cython.int = self.fired[start + h]
            if rule < 0:
                continue
            low: longlong = self.begin[h]
            for i in range(self.begin[h], self.begin[h + 1]):
                member: longlong = self.family[i]
                position: cython.int = self.own[rule]
                if member != h:
                    position = self.entry[start + member]
                if position == BARRIER_CHILD:
                    self.sort(low, i)
                    self.turn(low, i)
                    low = i + 1
                else:
                    self.key[i] = self.rank[position]
            self.sort(low, self.begin[h + 1])
            self.turn(low, self.begin[h + 1])

    @cython.cfunc
    @cython.nogil
    def build_families(self, start: longlong, words: longlong) -> void:
        """Write each word and its children from left to right, one family after the other."""
        for i in range(words + 1):
            self.begin[i] = 0
        for i in range(words):
            self.begin[i] += 1
            h: longlong = self.heads[start + i]
            if h > 0:
                self.begin[h - 1] += 1
        # Cumulated sizes; families are filled from their ends, so that these become their starts.
        for i in range(1, words + 1):
            self.begin[i] += self.begin[i - 1]
        i = words - 1
        while i >= 0:
            h = self.heads[start + i]
            self.begin[i] -= 1
            self.family[self.begin[i]] = cython.cast(cython.int, i)
            if h > 0:
                self.begin[h - 1] -= 1
                self.family[self.begin[h - 1]] = cython.cast(cython.int, i)
            i -= 1

    @cython.cfunc
    @cython.nogil
    def write(self, start: longlong, words: longlong) -> void:
        """Write the words in the order of their families, from the roots down."""
        height: longlong = 0
        filled: longlong = start
        i: longlong = words - 1
        while i >= 0:
            if self.heads[start + i] == 0:
                self.stack[height] = cython.cast(cython.int, i)
                height += 1
            i -= 1
        while height > 0:
            height -= 1
            member: longlong = self.stack[height]
            # The complement stands for the word itself, not its family.
            if member < 0:
                self.order[filled] = cython.cast(cython.int, -1 - member)
                filled += 1
                continue
            if self.begin[member + 1] - self.begin[member] == 1:
                self.order[filled] = cython.cast(cython.int, member)
                filled += 1
                continue
            last: longlong = self.begin[member + 1] - 1
            while last >= self.begin[member]:
                i = self.family[last]
                if i == member:
                    i = -1 - i
                self.stack[height] = cython.cast(cython.int, i)
                height += 1
                last -= 1

    @cython.cfunc
    @cython.nogil
    def run(self, start: longlong, words: longlong) -> void:
        """Reorder the words of one sentence."""
        self.build_families(start, words)
        for i in range(words):
            self.fired[start + i] = NO_RULE
            if self.begin[i + 1] - self.begin[i] > 1:
                h: longlong = self.heads[start + i]
                parent: longlong = -1
                if h > 0:
                    parent = start + h - 1
                self.fired[start + i] = self.rule_of(start + i, parent)
        for i in range(words):
            self.entry[start + i] = NO_RULE
            h = self.heads[start + i]
            if h > 0:
                rule: cython.int = self.fired[start + h - 1]
                if rule >= 0:
                    self.entry[start + i] = self.entry_of(start + i, start + h - 1, rule)
        self.sort_families(start, words)
        self.write(start, words)


def precedence_orders(
    offsets: cython.const[longlong][::1],
    heads: cython.const[cython.int][::1],
    predicates: cython.const[ulonglong][::1],
    children: cython.const[ulonglong][::1],
    labels: cython.const[cython.int][::1],
    clauses: cython.const[ulonglong][::1],
    head_start: cython.const[cython.int][::1],
    case_start: cython.const[cython.int][::1],
    cases: cython.const[cython.int][::1],
    case_clause: cython.const[cython.int][::1],
    case_entry: cython.const[cython.int][::1],
    of_label: cython.const[cython.int][::1],
    rank: cython.const[cython.int][::1],
    turned: cython.const[cython.int][::1],
    head_entries: cython.const[cython.int][::1],
    fired: cython.int[::1],
    entry: cython.int[::1],
    order: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Apply rules to projective trees, and write their orders.

    Also writes the rule that fired for each word's family, and the entry of each word in the family
    of its head. Heads count from 1; several roots keep their order. Sentences have at most
    `longest` words.
    """
    sorter: RuleSorter = RuleSorter(longest)
    sorter.heads, sorter.predicates = heads, predicates
    sorter.children, sorter.labels = children, labels
    sorter.clauses, sorter.head_start = clauses, head_start
    sorter.case_start, sorter.cases = case_start, cases
    sorter.case_clause, sorter.case_entry = case_clause, case_entry
    sorter.of_label, sorter.rank, sorter.turned, sorter.own = of_label, rank, turned, head_entries
    sorter.rules = cython.cast(cython.int, head_start.shape[0] - 1)
    sorter.different = of_label.shape[0] // sorter.rules if sorter.rules > 0 else 0
    sorter.fired, sorter.entry, sorter.order = fired, entry, order
    with cython.nogil:
        for row in range(first, last):
            sorter.run(offsets[row], offsets[row + 1] - offsets[row])


def family_orders(
    offsets: cython.const[longlong][::1],
    heads: cython.const[cython.int][::1],
    fired: cython.int[::1],
    entry: cython.int[::1],
    rank: cython.const[cython.int][::1],
    turned: cython.const[cython.int][::1],
    head_entries: cython.const[cython.int][::1],
    order: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write the orders of projective trees whose rules and entries are known.

    Only `fired` and `entry` of each word, and the ranks of the entries, are read.
    """
    sorter: RuleSorter = RuleSorter(longest)
    sorter.heads, sorter.fired, sorter.entry, sorter.order = heads, fired, entry, order
    sorter.rank, sorter.turned, sorter.own = rank, turned, head_entries
    with cython.nogil:
        for row in range(first, last):
            sorter.build_families(offsets[row], offsets[row + 1] - offsets[row])
            sorter.sort_families(offsets[row], offsets[row + 1] - offsets[row])
            sorter.write(offsets[row], offsets[row + 1] - offsets[row])
