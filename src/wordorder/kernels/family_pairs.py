"""Pairs of members of a family: what is known of each pair, its features, its score.

A family is a word with its children, from left to right. All places of words are those in the whole
treebank. A word has `WORD` hashed attributes; a member of a family has `MEMBER`; a pair has those
of both members, the left one first, and then `SHARED` of its own. A template joins some of the
attributes of a pair to one feature, whose number is a hash of `bits` bits.
"""

from array import array

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MIX = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
# Attributes of a word: form, upos, xpos, label, suffix, shape.
WORD = cython.declare(cython.int, 6)
# Of a member: those, its marker, its children, its size, first and last form, first and last tag.
MEMBER = cython.declare(cython.int, 13)
SHARED = cython.declare(cython.int, 22)
PAIR = cython.declare(cython.int, 48)
# What takes the place of a label, a marker, a parent that is not there.
SELF = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
NONE = cython.declare(cython.ulonglong, 0x2545F4914F6CDD1D)
# Bits of the kinds of words.
PUNCTUATION = cython.declare(cython.uchar, 1)
CONJUNCTION = cython.declare(cython.uchar, 2)
CORE = cython.declare(cython.uchar, 4)
MARKER = cython.declare(cython.uchar, 8)


@cython.cclass
class Reader:
    """Reads the pairs of families; see the module for what the arrays hold."""

    offsets: cython.const[cython.longlong][::1]
    parents: cython.const[cython.longlong][::1]
    words: cython.const[cython.ulonglong][::1]
    kinds: cython.const[cython.uchar][::1]
    spans: cython.const[cython.longlong][::1]
    below: cython.const[cython.ulonglong][::1]
    heads: cython.const[cython.longlong][::1]
    sentences: cython.const[cython.longlong][::1]
    starts: cython.const[cython.longlong][::1]
    members: cython.const[cython.longlong][::1]
    prior: cython.const[cython.int][::1]
    priors: cython.longlong
    templates: cython.const[cython.int][::1]
    template_starts: cython.const[cython.int][::1]
    common: cython.int[::1]
    partial: cython.ulonglong[::1]
    shift: cython.int
    count: cython.longlong
    own: cython.ulonglong[::1]
    pair: cython.ulonglong[::1]
    labels: cython.ulonglong[::1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def level(self, number: cython.longlong) -> cython.ulonglong:
        """Return the step that a number falls into: each to 4, then ever wider ones."""
        if number <= 4:
            return cython.cast(cython.ulonglong, number)
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
    @cython.exceptval(check=False)
    def read_members(self, family: cython.longlong) -> cython.void:
        """Write the attributes of all members of a family."""
        cython.declare(i=cython.longlong, k=cython.longlong, word=cython.longlong)
        cython.declare(at=cython.longlong, low=cython.longlong, high=cython.longlong)
        start: cython.longlong = self.starts[family]
        head: cython.longlong = self.heads[family]
        for i in range(self.starts[family + 1] - start):
            word = self.members[start + i]
            at = MEMBER * i
            for k in range(WORD):
                self.own[at + k] = self.words[WORD * word + k]
            low = word
            high = word
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
    @cython.exceptval(check=False)
    def read_family(self, family: cython.longlong) -> cython.void:
        """Write what all pairs of a family share, and its labels."""
        cython.declare(i=cython.longlong, word=cython.longlong)
        start: cython.longlong = self.starts[family]
        size: cython.longlong = self.starts[family + 1] - start
        head: cython.longlong = self.heads[family]
        parent: cython.longlong = self.parents[head]
        row: cython.longlong = self.sentences[family]
        shared: cython.longlong = 2 * MEMBER
        sequence: cython.ulonglong = PRIME
        core: cython.ulonglong = 0
        self.read_members(family)
        for i in range(size):
            word = self.members[start + i]
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
    @cython.exceptval(check=False)
    def read_pair(
        self, family: cython.longlong, i: cython.longlong, j: cython.longlong
    ) -> cython.void:
        """Write the attributes of the pair of members `i` and `j` of the family last read."""
        cython.declare(k=cython.longlong)
        start: cython.longlong = self.starts[family]
        size: cython.longlong = self.starts[family + 1] - start
        head: cython.longlong = self.heads[family]
        left: cython.longlong = self.members[start + i]
        right: cython.longlong = self.members[start + j]
        shared: cython.longlong = 2 * MEMBER + 11
        side: cython.ulonglong = 5
        between: cython.ulonglong = PRIME
        kinds: cython.uchar = 0
        before: cython.ulonglong = 0
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
        for k in range(self.priors):
            before = 2 * before + 1
            if self.prior[self.priors * left + k] > self.prior[self.priors * right + k]:
                before += 1
        self.pair[shared] = side
        self.pair[shared + 1] = self.level(j - i)
        self.pair[shared + 2] = between
        self.pair[shared + 3] = 1 + (kinds & PUNCTUATION)
        self.pair[shared + 4] = 1 + (kinds & CONJUNCTION)
        self.pair[shared + 5] = NONE if i == 0 else self.labels[i - 1]
        self.pair[shared + 6] = NONE if j == size - 1 else self.labels[j + 1]
        self.pair[shared + 7] = 1 if i == 0 else 2
        self.pair[shared + 8] = 1 if j == size - 1 else 2
        self.pair[shared + 9] = before
        self.pair[shared + 10] = self.level(size)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def feature(self, template: cython.longlong) -> cython.ulonglong:
        """Return the number of a feature of the pair last read.

        Templates are asked for one after the other: what one has in common with the one before it,
        from the first attribute on, is not hashed again.
        """
        cython.declare(k=cython.longlong)
        start: cython.longlong = self.template_starts[template]
        key: cython.ulonglong = PRIME
        if self.common[template] > 0:
            key = self.partial[self.common[template] - 1]
        for k in range(self.common[template], self.template_starts[template + 1] - start):
            key = ((key ^ self.pair[self.templates[start + k]]) * MIX) & MASK64
            key ^= key >> 29
            self.partial[k] = key
        return (((key + template) * PRIME) & MASK64) >> self.shift


def _reader(
    offsets: cython.const[cython.longlong][::1],
    parents: cython.const[cython.longlong][::1],
    words: cython.const[cython.ulonglong][::1],
    kinds: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    below: cython.const[cython.ulonglong][::1],
    heads: cython.const[cython.longlong][::1],
    sentences: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    members: cython.const[cython.longlong][::1],
    prior: cython.const[cython.int][::1],
    priors: cython.longlong,
    templates: cython.const[cython.int][::1],
    template_starts: cython.const[cython.int][::1],
    bits: cython.longlong,
    largest: cython.longlong,
) -> Reader:
    """Make a reader of families of at most `largest` members."""
    cython.declare(template=cython.longlong, size=cython.longlong)
    reader: Reader = Reader()
    longs = array("Q", [0])
    reader.offsets, reader.parents, reader.words, reader.kinds = offsets, parents, words, kinds
    reader.spans, reader.below, reader.heads, reader.sentences = spans, below, heads, sentences
    reader.starts, reader.members = starts, members
    reader.prior, reader.priors = prior, priors
    reader.templates, reader.template_starts = templates, template_starts
    reader.shift = cython.cast(cython.int, 64 - bits)
    reader.count = template_starts.shape[0] - 1
    reader.common = array("i", [0]) * (reader.count + 1)
    reader.partial = longs * (PAIR + 1)
    for template in range(1, reader.count):
        size = template_starts[template] - template_starts[template - 1]
        size = min(size, template_starts[template + 1] - template_starts[template], PAIR)
        while reader.common[template] < size and (
            templates[template_starts[template] + reader.common[template]]
            == templates[template_starts[template - 1] + reader.common[template]]
        ):
            reader.common[template] += 1
    reader.own = longs * (MEMBER * largest + 1)
    reader.labels = longs * (largest + 1)
    reader.pair = longs * PAIR
    return reader


def pair_features(
    offsets: cython.const[cython.longlong][::1],
    parents: cython.const[cython.longlong][::1],
    words: cython.const[cython.ulonglong][::1],
    kinds: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    below: cython.const[cython.ulonglong][::1],
    heads: cython.const[cython.longlong][::1],
    sentences: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    members: cython.const[cython.longlong][::1],
    prior: cython.const[cython.int][::1],
    priors: cython.longlong,
    templates: cython.const[cython.int][::1],
    template_starts: cython.const[cython.int][::1],
    bits: cython.longlong,
    pairs: cython.const[cython.longlong][::1],
    features: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    largest: cython.longlong,
) -> None:
    """Write the features of all pairs of the families ``first .. last-1``, pair by pair.

    ``pairs[f]`` is the number of the first pair of family `f`; pairs go by their left member, then
    by the right one.
    """
    cython.declare(family=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(template=cython.longlong, size=cython.longlong, out=cython.longlong)
    reader: Reader = _reader(
        *(offsets, parents, words, kinds, spans, below, heads, sentences, starts, members),
        *(prior, priors, templates, template_starts, bits, largest),
    )
    with cython.nogil:
        for family in range(first, last):
            reader.read_family(family)
            size = starts[family + 1] - starts[family]
            out = pairs[family] * reader.count
            for i in range(size):
                for j in range(i + 1, size):
                    reader.read_pair(family, i, j)
                    for template in range(reader.count):
                        features[out] = cython.cast(cython.int, reader.feature(template))
                        out += 1


def pair_attributes(
    offsets: cython.const[cython.longlong][::1],
    parents: cython.const[cython.longlong][::1],
    words: cython.const[cython.ulonglong][::1],
    kinds: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    below: cython.const[cython.ulonglong][::1],
    heads: cython.const[cython.longlong][::1],
    sentences: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    members: cython.const[cython.longlong][::1],
    prior: cython.const[cython.int][::1],
    priors: cython.longlong,
    templates: cython.const[cython.int][::1],
    template_starts: cython.const[cython.int][::1],
    bits: cython.longlong,
    pairs: cython.const[cython.longlong][::1],
    attributes: cython.ulonglong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    largest: cython.longlong,
) -> None:
    """Write what is known of all pairs of the families ``first .. last-1``, `PAIR` numbers each.

    Pairs are in the order of `pair_features`.
    """
    cython.declare(family=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(k=cython.longlong, size=cython.longlong, out=cython.longlong)
    reader: Reader = _reader(
        *(offsets, parents, words, kinds, spans, below, heads, sentences, starts, members),
        *(prior, priors, templates, template_starts, bits, largest),
    )
    with cython.nogil:
        for family in range(first, last):
            reader.read_family(family)
            size = starts[family + 1] - starts[family]
            out = pairs[family] * PAIR
            for i in range(size):
                for j in range(i + 1, size):
                    reader.read_pair(family, i, j)
                    for k in range(PAIR):
                        attributes[out] = reader.pair[k]
                        out += 1


def pair_scores(
    offsets: cython.const[cython.longlong][::1],
    parents: cython.const[cython.longlong][::1],
    words: cython.const[cython.ulonglong][::1],
    kinds: cython.const[cython.uchar][::1],
    spans: cython.const[cython.longlong][::1],
    below: cython.const[cython.ulonglong][::1],
    heads: cython.const[cython.longlong][::1],
    sentences: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    members: cython.const[cython.longlong][::1],
    prior: cython.const[cython.int][::1],
    priors: cython.longlong,
    templates: cython.const[cython.int][::1],
    template_starts: cython.const[cython.int][::1],
    bits: cython.longlong,
    pairs: cython.const[cython.longlong][::1],
    weights: cython.const[cython.float][::1],
    scores: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    largest: cython.longlong,
) -> None:
    """Write the score of all pairs of the families ``first .. last-1``: the sum of their weights.

    Above 0, the left member is to go first.
    """
    cython.declare(family=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(template=cython.longlong, size=cython.longlong, out=cython.longlong)
    cython.declare(score=cython.double)
    reader: Reader = _reader(
        *(offsets, parents, words, kinds, spans, below, heads, sentences, starts, members),
        *(prior, priors, templates, template_starts, bits, largest),
    )
    with cython.nogil:
        for family in range(first, last):
            reader.read_family(family)
            size = starts[family + 1] - starts[family]
            out = pairs[family]
            for i in range(size):
                for j in range(i + 1, size):
                    reader.read_pair(family, i, j)
                    score = 0.0
                    for template in range(reader.count):
                        score += weights[reader.feature(template)]
                    scores[out] = score
                    out += 1
