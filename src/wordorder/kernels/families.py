"""Families of projective trees: what orders them, pairs of their members, the best order.

A family is a word with its children, from left to right. All places of words are those in the whole
treebank. A word has `WORD` hashed attributes; a member of a family has `MEMBER`; a pair has those
of both members, the left one first, and then `SHARED` of its own. A template joins some of the
attributes of a pair to one feature, whose number is a hash of `bits` bits. Weights of features are
learned by logistic regression, with one pass of stochastic gradients after the other.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar, ulonglong, void
from cython.cimports.libc.math import sqrt

MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
# Attributes of a word: form, upos, xpos, label, suffix, shape; which of them is its label.
WORD = cython.declare(cython.int, 6)
LABEL = cython.declare(cython.int, 3)

PRIME = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
MIX = cython.declare(ulonglong, 0xBF58476D1CE4E5B9)
# Of a member: those, its marker, its children, its size, first and last form, first and last tag.
MEMBER = cython.declare(cython.int, 13)
SHARED = cython.declare(cython.int, 22)
PAIR = cython.declare(cython.int, 48)
# What takes the place of a label, a marker, a parent that is not there.
SELF = cython.declare(ulonglong, 0x94D049BB133111EB)
NONE = cython.declare(ulonglong, 0x2545F4914F6CDD1D)
# Bits of the kinds of words.
cython.declare(PUNCTUATION=uchar, CONJUNCTION=uchar, CORE=uchar, MARKER=uchar)
PUNCTUATION, CONJUNCTION, CORE, MARKER = 1, 2, 4, 8

# Families of so many members are ordered exactly, by a table over their subsets.
EXACT = cython.declare(longlong, 9)
# A gain below this is rounding.
LEAST = cython.declare(double, 1e-9)

# Halvings of an exponent, and how large one may be.
HALVINGS = cython.declare(cython.int, 12)
LARGEST = cython.declare(double, 30.0)


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
    """Widen the span of each word to all words below it, and look at its children.

    `spans` comes with each word twice. ``below[2 * w]`` becomes the form of the first child of the
    kind `marker`, ``below[2 * w + 1]`` the sum of the labels of all children.
    """
    with cython.nogil:
        for word in range(offsets[first], offsets[last]):
            above: longlong = parents[word]
            if above >= 0:
                below[2 * above + 1] = (below[2 * above + 1] + words[WORD * word + LABEL]) & MASK64
                if (kinds[word] & marker) != 0 and below[2 * above] == 0:
                    below[2 * above] = words[WORD * word]
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
    kept: longlong[::1],
    turned: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count for the pairs of members of families ``first .. last-1`` how the intervals of their
    words go: as in the source, and the other way round.
    """
    with cython.nogil:
        for family in range(first, last):
            at: longlong = pairs[family]
            for i in range(starts[family], starts[family + 1]):
                left: longlong = members[i]
                a_low: longlong = left
                a_high: longlong = left
                if left != heads[family]:
                    a_low = spans[2 * left]
                    a_high = spans[2 * left + 1]
                for j in range(i + 1, starts[family + 1]):
                    right: longlong = members[j]
                    b_low: longlong = right
                    b_high: longlong = right
                    if right != heads[family]:
                        b_low = spans[2 * right]
                        b_high = spans[2 * right + 1]
                    for a in range(a_low, a_high + 1):
                        if low[a] < 0:
                            continue
                        for b in range(b_low, b_high + 1):
                            if low[b] < 0 or (low[a] == low[b] and high[a] == high[b]):
                                continue
                            if low[a] <= low[b] and high[a] <= high[b]:
                                kept[at] += 1
                            elif low[b] <= low[a] and high[b] <= high[a]:
                                turned[at] += 1
                    at += 1


@cython.cclass
class Reader:
    """Reads the pairs of families; see the module for what the arrays hold."""

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
        """Make room for families of at most `largest` members."""
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
        self.own = longs * (MEMBER * largest + 1)
        self.labels = longs * (largest + 1)
        self.pair = longs * PAIR

    @cython.cfunc
    @cython.nogil
    def level(self, number: longlong) -> ulonglong:
        """Return the step that a number falls into: each to 4, then ever wider ones."""
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
            at: longlong = MEMBER * i
            for k in range(WORD):
                self.own[at + k] = self.words[WORD * word + k]
            low: longlong = word
            high: longlong = word
            if word == head:
                self.own[at + 3] = SELF
                self.own[at + 6] = SELF
                self.own[at + 7] = SELF
                self.own[at + 8] = 1
            else:
                self.own[at + 6] = self.below[2 * word]
                self.own[at + 7] = self.below[2 * word + 1]
                low = self.spans[2 * word]
                high = self.spans[2 * word + 1]
                self.own[at + 8] = self.level(high - low + 1)
            self.own[at + 9] = self.words[WORD * low]
            self.own[at + 10] = self.words[WORD * high]
            self.own[at + 11] = self.words[WORD * low + 2]
            self.own[at + 12] = self.words[WORD * high + 2]

    @cython.cfunc
    @cython.nogil
    def read_family(self, family: longlong) -> void:
        """Write what all pairs of a family share, and its labels."""
        start: longlong = self.starts[family]
        size: longlong = self.starts[family + 1] - start
        head: longlong = self.heads[family]
        parent: longlong = self.parents[head]
        row: longlong = self.sentences[family]
        shared: longlong = 2 * MEMBER
        sequence: ulonglong = PRIME
        core: ulonglong = 0
        self.read_members(family)
        for i in range(size):
            word: longlong = self.members[start + i]
            self.labels[i] = self.own[MEMBER * i + 3]
            sequence = ((sequence ^ self.labels[i]) * MIX) & MASK64
            sequence ^= sequence >> 29
            if word != head and (self.kinds[word] & CORE) != 0:
                core = (core + self.labels[i]) & MASK64
        self.pair[shared] = self.words[WORD * head + 1]
        self.pair[shared + 1] = self.words[WORD * head + 2]
        self.pair[shared + 2] = self.words[WORD * head]
        self.pair[shared + 3] = self.words[WORD * head + 3]
        self.pair[shared + 4] = NONE
        self.pair[shared + 5] = NONE
        if parent >= 0:
            self.pair[shared + 4] = self.words[WORD * parent + 1]
            self.pair[shared + 5] = self.words[WORD * parent + 3]
        self.pair[shared + 6] = sequence
        self.pair[shared + 7] = core
        self.pair[shared + 8] = self.words[WORD * (self.offsets[row + 1] - 1)]
        self.pair[shared + 9] = self.level(self.offsets[row + 1] - self.offsets[row])
        self.pair[shared + 10] = self.below[2 * head + 1]

    @cython.cfunc
    @cython.nogil
    def read_pair(self, family: longlong, i: longlong, j: longlong) -> void:
        """Write the attributes of the pair of members `i` and `j` of the family last read."""
        start: longlong = self.starts[family]
        size: longlong = self.starts[family + 1] - start
        head: longlong = self.heads[family]
        left: longlong = self.members[start + i]
        right: longlong = self.members[start + j]
        shared: longlong = 2 * MEMBER + 11
        side: ulonglong = 5
        between: ulonglong = PRIME
        kinds: uchar = 0
        for k in range(MEMBER):
            self.pair[k] = self.own[MEMBER * i + k]
            self.pair[MEMBER + k] = self.own[MEMBER * j + k]
        if left == head:
            side = 1
        elif right == head:
            side = 2
        elif right < head:
            side = 3
        elif left > head:
            side = 4
        for k in range(i + 1, j):
            between = ((between ^ self.labels[k]) * MIX) & MASK64
            between ^= between >> 29
            if self.members[start + k] != head:
                kinds |= self.kinds[self.members[start + k]]
        self.pair[shared] = side
        self.pair[shared + 1] = self.level(j - i)
        self.pair[shared + 2] = between
        self.pair[shared + 3] = 1 + (kinds & PUNCTUATION)
        self.pair[shared + 4] = 1 + (kinds & CONJUNCTION)
        self.pair[shared + 5] = NONE if i == 0 else self.labels[i - 1]
        self.pair[shared + 6] = NONE if j == size - 1 else self.labels[j + 1]
        self.pair[shared + 7] = 1 if i == 0 else 2
        self.pair[shared + 8] = 1 if j == size - 1 else 2
        # The attribute `prior`, which templates may name: nothing says one any more.
        self.pair[shared + 9] = 0
        self.pair[shared + 10] = self.level(size)

    @cython.cfunc
    @cython.nogil
    def feature(self, template: longlong) -> ulonglong:
        """Return the number of a feature of the pair last read.

        Templates are asked for one after the other: what one has in common with the one before it,
        from the first attribute on, is not hashed again.
        """
        start: longlong = self.template_starts[template]
        key: ulonglong = PRIME
        if self.common[template] > 0:
            key = self.partial[self.common[template] - 1]
        for k in range(self.common[template], self.template_starts[template + 1] - start):
            key = ((key ^ self.pair[self.templates[start + k]]) * MIX) & MASK64
            key ^= key >> 29
            self.partial[k] = key
        return (((key + template) * PRIME) & MASK64) >> self.shift


def pair_features(
    pairs: cython.const[longlong][::1],
    features: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    reader: Reader,
) -> None:
    """Write the features of all pairs of the families ``first .. last-1``, pair by pair.

    ``pairs[f]`` is the number of the first pair of family `f`; pairs go by their left member, then
    by the right one.
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
    reader: Reader,
) -> None:
    """Write what is known of all pairs of the families ``first .. last-1``, `PAIR` numbers each.

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
    reader: Reader,
) -> None:
    """Write the score of all pairs of the families ``first .. last-1``: the sum of their weights.

    Above 0, the left member is to go first.
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
class Orderer:
    """Orders one family after the other.

    ``gain[largest * i + j]`` is what it brings that member `i` goes before member `j`.
    """

    cython.declare(largest=longlong, gain=double[::1], best=double[::1], final=cython.int[::1])
    cython.declare(order=longlong[::1], tried=longlong[::1])

    @cython.cfunc
    @cython.nogil
    def exact(self, size: longlong) -> void:
        """Find the best order by the best orders of all subsets.

        Of equally good ones, that with the later members last.
        """
        self.best[0] = 0.0
        for subset in range(1, 1 << size):
            self.final[subset] = -1
            i: longlong = size - 1
            while i >= 0:
                if (subset >> i) & 1:
                    rest: longlong = subset ^ (1 << i)
                    value: double = self.best[rest]
                    for j in range(size):
                        if (rest >> j) & 1:
                            value += self.gain[self.largest * j + i]
                    if self.final[subset] < 0 or value > self.best[subset] + LEAST:
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
        """Move single members of the order tried to better places while there are any.

        Returns the value of what is found.
        """
        moved: bint = True
        value: double = 0.0
        while moved:
            moved = False
            for i in range(size):
                member: longlong = self.tried[i]
                best: double = LEAST
                best_at: longlong = i
                change: double = 0.0
                at: longlong = i - 1
                while at >= 0:
                    change += self.gain[self.largest * member + self.tried[at]]
                    change -= self.gain[self.largest * self.tried[at] + member]
                    if change > best:
                        best = change
                        best_at = at
                    at -= 1
                change = 0.0
                for at in range(i + 1, size):
                    change += self.gain[self.largest * self.tried[at] + member]
                    change -= self.gain[self.largest * member + self.tried[at]]
                    if change > best:
                        best = change
                        best_at = at
                if best_at == i:
                    continue
                moved = True
                at = i
                while at < best_at:
                    self.tried[at] = self.tried[at + 1]
                    at += 1
                while at > best_at:
                    self.tried[at] = self.tried[at - 1]
                    at -= 1
                self.tried[best_at] = member
        for i in range(size):
            for at in range(i + 1, size):
                value += self.gain[self.largest * self.tried[i] + self.tried[at]]
        return value

    @cython.cfunc
    @cython.nogil
    def search(self, size: longlong) -> void:
        """Find a good order of many members: from the source order, and from the sum of gains."""
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
        if self.improve(size) > value + LEAST:
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
    """Write the members of the families ``first .. last-1`` in the order of the highest score.

    The score of an order is the sum of the scores of the pairs that keep their source order, less
    those of the pairs that do not. Up to `EXACT` members the order is the best one.
    """
    orderer: Orderer = Orderer()
    orderer.largest = largest
    orderer.gain = array("d", [0.0]) * (largest * largest + 1)
    subsets: longlong = max(1 << min(EXACT, largest), largest + 1)
    orderer.best, orderer.final = array("d", [0.0]) * subsets, array("i", [0]) * subsets
    orderer.order = array("q", [0]) * (largest + 1)
    orderer.tried = array("q", [0]) * (largest + 1)
    with cython.nogil:
        for family in range(first, last):
            size: longlong = starts[family + 1] - starts[family]
            at: longlong = pairs[family]
            for i in range(size):
                for j in range(i + 1, size):
                    orderer.gain[largest * i + j] = scores[at]
                    orderer.gain[largest * j + i] = -scores[at]
                    at += 1
            if size <= EXACT:
                orderer.exact(size)
            else:
                orderer.search(size)
            for i in range(size):
                ordered[starts[family] + i] = members[starts[family] + orderer.order[i]]


def write_orders(
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
    """Write the words of the sentences ``first .. last-1`` as their families are ordered.

    ``family_of[w]`` is the family whose head a word is, -1 for a leaf; several roots keep their
    order. What is written is counted from the start of the sentence.
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
                # A word itself, not its family: written as its complement.
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
    """Return the logistic function, from multiplications alone: the same on any machine."""
    size: double = abs(score)
    if size > LARGEST:
        size = LARGEST
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
    """Change the weights by the gradient of each instance in turn, with steps as in AdaGrad.

    Instance `n` has the features ``features[n * templates ..]``, a label in [0, 1] and an
    importance. The square of each weight costs ``penalty / 2``, spread over the ``counts`` of its
    feature. ``wrong[0]`` counts the instances on the wrong side.
    """
    cython.declare(at=longlong)
    with cython.nogil:
        for at in range(order.shape[0]):
            number: longlong = order[at]
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
