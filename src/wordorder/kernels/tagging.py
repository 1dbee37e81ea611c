"""Part-of-speech tagging, and the segmentation of raw text into words."""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, uchar, ulonglong, void
from cython.cimports.wordorder.kernels._common import GOLDEN, MASK64, MIXER, SPLITMIX_1
from cython.cimports.wordorder.kernels.weights import Scorer

# Tags.

# Columns of the attributes.
FORM_COLUMN = cython.declare(cython.int, 0)
NORMAL = cython.declare(cython.int, 1)
FIRST_PREFIX = cython.declare(cython.int, 2)
PREFIX_COLUMNS = cython.declare(cython.int, 5)
SUFFIX = cython.declare(cython.int, 7)
SUFFIX_COLUMNS = cython.declare(cython.int, 6)
SHAPE = cython.declare(cython.int, 13)
KIND = cython.declare(cython.int, 14)
# Classes of characters; a character of no class is itself in a shape.
UPPER = cython.declare(cython.int, 1)
DIGIT_CLASS = cython.declare(cython.int, 3)
# A letter in a sentence whose case is not informative.
LETTER = cython.declare(cython.int, 4)
HYPHEN = cython.declare(cython.int, 45)
# Classes have numbers beyond all code points.
CLASS_BASE = cython.declare(cython.int, 1 << 24)

# The attributes of positions before and after a sentence.
OUTSIDE_WORD = cython.declare(ulonglong, 0x94D049BB133111EB)
# Atoms per template. An atom is an attribute in the lower 5 bits, with the offset of the word plus
# 2 above them, or -1 for none.
TEMPLATE_ATOMS = cython.declare(cython.int, 3)
ATTRIBUTE_BITS = cython.declare(cython.int, 5)
ATOM_REACH = cython.declare(cython.int, 2)

# If the needed actions are a smaller share (1 in so many) of all, looking up their weights in a
# long row is faster than adding the complete row with several weights per instruction.
SMALL_SHARE = cython.declare(cython.int, 3)
# Lower than any score.
IMPOSSIBLE_SCORE = cython.declare(longlong, -(1 << 62))

# Segmentation.

# The class of a space.
BLANK = cython.declare(cython.int, 1)
# The number of classes is smaller than this.
CHARACTER_CLASSES = cython.declare(cython.int, 32)
# Features of a cut position, and of a word.
PLACE_FEATURES = cython.declare(cython.int, 27)
WORD_FEATURES = cython.declare(cython.int, 3)
# The longest word with features, and the longest chunk between spaces with a hash, in characters.
MAX_SCORED_WORD = cython.declare(cython.int, 20)
MAX_CHUNK = cython.declare(cython.int, 16)


# -- Tags. -----------------------------------------------------------------------------------------
#
# Attributes of a word are hashes of its affixes, its shape and its form; templates combine them to
# the keys of features. There are two models: a linear model of tag sequences, trained by the
# perceptron (`TagSearch`: a beam of tag pairs), and a trigram hidden Markov model
# (`TagTransitions`: the lattice of tag pairs within a beam). `LatticePaths` lists the best paths
# through the lattice of a sentence.


@cython.cfunc
@cython.nogil
@cython.inline
def hash_character(key: ulonglong, value: ulonglong) -> ulonglong:
    """Return a hash extended by a character."""
    return ((key ^ value) * GOLDEN + (key >> 29)) & MASK64


@cython.cfunc
@cython.nogil
@cython.inline
def finish_hash(key: ulonglong) -> ulonglong:
    """Return a hash with well mixed bits; never 0, which marks a missing feature."""
    key = ((key ^ (key >> 31)) * SPLITMIX_1) & MASK64
    return (key ^ (key >> 32)) | 1


def compute_word_attributes(
    form: cython.const[cython.int][::1],
    form_offsets: cython.const[longlong][::1],
    classes: cython.const[uchar][::1],
    normal: cython.const[cython.int][::1],
    normal_offsets: cython.const[longlong][::1],
    columns: cython.int,
    attributes: ulonglong[::1],
    rows: Py_ssize_t,
) -> None:
    """Write the first 15 of `columns` attributes of words, which are code points.

    They are the form, the normal form, prefixes of 1 to 5 and suffixes of 1 to 6 characters of the
    normal form (0 if it has no more characters), the shape, in which runs of a class of characters
    are one character, and the kind: whether the first character is a capital, another one is, all
    are, and whether there are digits, hyphens and letters without case.
    """
    with cython.nogil:
        for row in range(rows):
            base: longlong = row * columns
            start: longlong = form_offsets[row]
            length: longlong = form_offsets[row + 1] - start
            key: ulonglong = 1
            shape: ulonglong = 2
            kind: ulonglong = 0
            previous: cython.int = -1
            capitals: longlong = 0
            for i in range(start, start + length):
                key = hash_character(key, form[i])
                sign: cython.int = form[i]
                if classes[i] > 0:
                    sign = CLASS_BASE + classes[i]
                if sign != previous:
                    shape = hash_character(shape, sign)
                previous = sign
                if classes[i] == UPPER:
                    capitals += 1
                    kind |= 1 if i == start else 2
                elif classes[i] == DIGIT_CLASS:
                    kind |= 4
                elif classes[i] == LETTER:
                    kind |= 32
                elif form[i] == HYPHEN:
                    kind |= 8
            if capitals == length:
                kind |= 16
            attributes[base + FORM_COLUMN] = finish_hash(key)
            attributes[base + SHAPE] = finish_hash(shape)
            attributes[base + KIND] = finish_hash(hash_character(3, kind))
            start = normal_offsets[row]
            length = normal_offsets[row + 1] - start
            key = 1
            for i in range(length):
                key = hash_character(key, normal[start + i])
                if i < PREFIX_COLUMNS:
                    attributes[base + FIRST_PREFIX + i] = finish_hash(key) if i + 1 < length else 0
            for i in range(length, PREFIX_COLUMNS):
                attributes[base + FIRST_PREFIX + i] = 0
            attributes[base + NORMAL] = finish_hash(key)
            key = 1
            for i in range(SUFFIX_COLUMNS):
                if i + 1 < length:
                    key = hash_character(key, normal[start + length - 1 - i])
                    attributes[base + SUFFIX + i] = finish_hash(key)
                else:
                    attributes[base + SUFFIX + i] = 0


def feature_keys(
    attributes: cython.const[ulonglong][::1],
    columns: longlong,
    templates: cython.const[cython.int][::1],
    number: longlong,
    words: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    keys: ulonglong[::1],
    rows: Py_ssize_t,
) -> None:
    """Write the keys of the words of all sentences, one for each template.

    The number of a template, from `number` on, is part of the key. If an attribute is 0, the
    feature is missing, and its key is 0.
    """
    count: longlong = templates.shape[0] // TEMPLATE_ATOMS
    out: longlong = 0
    with cython.nogil:
        for row in range(rows):
            for token in range(offsets[row], offsets[row + 1]):
                for template in range(count):
                    key: ulonglong = cython.cast(ulonglong, number + template + 1)
                    for i in range(
                        template * TEMPLATE_ATOMS, template * TEMPLATE_ATOMS + TEMPLATE_ATOMS
                    ):
                        atom: cython.int = templates[i]
                        if atom < 0:
                            break
                        place: longlong = token + (atom >> ATTRIBUTE_BITS) - ATOM_REACH
                        value: ulonglong = OUTSIDE_WORD
                        if offsets[row] <= place < offsets[row + 1]:
                            value = attributes[words[place] * columns + (atom & 31)]
                        if value == 0:
                            key = 0
                            break
                        key = ((key ^ value) * GOLDEN) & MASK64
                        key ^= key >> 32
                    key = (key * SPLITMIX_1) & MASK64
                    keys[out] = key ^ (key >> 31)
                    out += 1


@cython.final
@cython.cclass
class TagSearch(Scorer):
    """The beam search of one sentence after the other; the lattice is in arrays of the caller.

    A node is a pair of the tags of a word and of the word before; its arcs come from nodes of the
    word before, or from -1. Of the `templates` keys of a word, the first `fixed` are complete;
    those up to `single` are combined with the previous tag, and the others with the two previous
    tags; if `by_group`, with the groups of these tags.

    A tag may have parts, which it shares with other tags; the weights of its parts are added to its
    own. In the weights, parts are numbered after the tags. Of the possible tags of a word, only the
    `choices` best ones by the fixed features are tried.
    """

    cython.declare(keys=cython.const[ulonglong][::1], templates=longlong, fixed=longlong)
    cython.declare(single=longlong)
    cython.declare(tags=longlong, beam=longlong, every_arc=bint)
    # The parts of tag `t` are ``parts[part_start[t] .. part_start[t+1]-1]``; sums have `actions`
    # entries, first those of tags, then those of parts.
    cython.declare(part_start=cython.const[cython.int][::1], parts=cython.const[cython.int][::1])
    cython.declare(groups=cython.const[cython.int][::1])
    cython.declare(by_group=cython.const[uchar][::1])
    # The changes of weights after a mistake.
    cython.declare(changed_key=ulonglong[::1], changed_action=cython.int[::1])
    cython.declare(changed_delta=cython.int[::1], changes=longlong)
    # Lists of tags, the first with all tags; the tags that are tried, in ascending order, and the
    # best sums during their selection.
    cython.declare(listed=cython.const[cython.int][::1])
    cython.declare(choices=longlong, tried=cython.int[::1], tried_count=longlong)
    # The needed tags and parts, if few tags are tried; and the turn in which each was added.
    cython.declare(come=longlong[::1], turn=longlong)
    cython.declare(top=cython.int[::1])
    # Sums for each tag: without previous tags, with each previous tag, and after each node.
    cython.declare(group=cython.int[::1], group_tag=cython.int[::1])
    cython.declare(best_node=cython.int[::1], best=longlong[::1], kept=longlong[::1])
    cython.declare(kept_score=longlong[::1], position_nodes=longlong[::1], node_tag=cython.int[::1])
    cython.declare(node_before=cython.int[::1], node_score=longlong[::1], node_arcs=longlong[::1])
    cython.declare(arc_from=longlong[::1], arc_score=longlong[::1], positions=longlong)
    cython.declare(nodes=longlong, arcs=longlong)

    def __init__(
        self,
        templates: longlong,
        fixed: longlong,
        single: longlong,
        by_group: cython.const[uchar][::1],
        groups: cython.const[cython.int][::1],
        part_start: cython.const[cython.int][::1],
        parts: cython.const[cython.int][::1],
        actions: longlong,
        choices: longlong,
        beam: longlong,
        every_arc: bint,
    ):
        """Allocate a beam; see `weigh` and `write_to` for the other arrays.

        `groups` has the group of each tag, and last that of a missing tag.
        """
        super().__init__(templates + 1, actions)
        ints, longs = array("i", [0]), array("q", [0])
        tags: longlong = part_start.shape[0] - 1
        self.templates, self.fixed, self.single, self.tags = templates, fixed, single, tags
        self.by_group, self.groups = by_group, groups
        self.part_start, self.parts = part_start, parts
        self.beam, self.every_arc = beam, every_arc
        self.choices = choices if choices < tags else tags
        self.top = ints * self.choices
        self.tried = ints * tags
        for tag in range(tags):
            self.tried[tag] = cython.cast(cython.int, tag)
        self.tried_count = tags
        self.listed = array("i", range(tags))
        self.needed = ints * actions
        self.turn = 0
        self.come = longs * actions
        self.group, self.group_tag = ints * beam, ints * beam
        self.best_node, self.best = ints * (beam * tags), longs * (beam * tags)
        self.sums = ints * ((2 * beam + 2) * actions)
        self.kept, self.kept_score = longs * beam, longs * beam

    @cython.cfunc
    @cython.nogil
    def key(
        self, position: longlong, template: longlong, tag_1: longlong, tag_2: longlong
    ) -> ulonglong:
        """Return the key of a template's feature for the word at `position`, 0 if it has none."""
        key: ulonglong = self.keys[position * self.templates + template]
        if key == 0 or template < self.fixed:
            return key
        if self.by_group[template]:
            tag_1 = self.groups[tag_1]
            tag_2 = self.groups[tag_2]
        if template < self.single:
            tag_2 = -1
        tag_1 += 1 + (tag_2 + 1) * (self.tags + 2)
        key = ((key ^ cython.cast(ulonglong, tag_1)) * MIXER) & MASK64
        key = ((key ^ (key >> 32)) * MIXER) & MASK64
        return key ^ (key >> 32)

    @cython.cfunc
    @cython.nogil
    def add(
        self,
        position: longlong,
        first: longlong,
        last: longlong,
        tag_1: longlong,
        tag_2: longlong,
        base: longlong,
    ) -> void:
        """Add the weights of some templates' features to the sums from `base` on."""
        for template in range(first, last):
            key: ulonglong = self.key(position, template, tag_1, tag_2)
            self.asked_key[self.asked] = key & self.key_mask
            self.asked_base[self.asked] = base
            self.asked += 1 if key != 0 else 0
        self.sum_up()

    @cython.cfunc
    @cython.nogil
    def of_parts(self, tag: longlong, base: longlong) -> cython.int:
        """Return the sum of the parts of a tag."""
        total: cython.int = 0
        for i in range(self.part_start[tag], self.part_start[tag + 1]):
            total += self.sums[base + self.parts[i]]
        return total

    @cython.cfunc
    @cython.nogil
    def begin(self, source: longlong, base: longlong) -> void:
        """Initialise sums with those of tags at `source`, or with zeros; sums of parts are 0."""
        for i in range(self.tags):
            self.sums[base + i] = self.sums[source + i] if source >= 0 else 0
        for i in range(self.tags, self.actions):
            self.sums[base + i] = 0

    @cython.cfunc
    @cython.nogil
    def end(self, base: longlong) -> void:
        """Add the weights of parts to the sums of the tags that are tried."""
        if self.actions > self.tags:
            for i in range(self.tried_count):
                self.sums[base + self.tried[i]] += self.of_parts(self.tried[i], base)

    @cython.cfunc
    @cython.nogil
    def need(self, action: cython.int) -> void:
        """Register a tag or a part whose sums are needed."""
        if self.come[action] != self.turn:
            self.come[action] = self.turn
            self.needed[self.needed_count] = action
            self.needed_count += 1

    @cython.cfunc
    @cython.nogil
    def need_tried(self) -> void:
        """Register the tags that are tried and their parts, unless they are many."""
        self.needed_count = 0
        if self.long_row > self.actions or SMALL_SHARE * self.tried_count > self.actions:
            return
        self.turn += 1
        for i in range(self.tried_count):
            tag: longlong = self.tried[i]
            self.need(cython.cast(cython.int, tag))
            for j in range(self.part_start[tag], self.part_start[tag + 1]):
                self.need(self.parts[j])
        if SMALL_SHARE * self.needed_count > self.actions:
            self.needed_count = 0

    @cython.cfunc
    @cython.nogil
    def prepare(self, position: longlong, first: longlong, last: longlong) -> void:
        """Add the features without tags to the first sums, and select the tags that are tried."""
        cython.declare(i=longlong, tag=longlong)
        self.needed_count = 0
        if last - first <= self.choices:
            self.tried_count = last - first
            for i in range(self.tried_count):
                self.tried[i] = self.listed[first + i]
            self.need_tried()
        self.add(position, 0, self.fixed, 0, 0, 0)
        if self.actions > self.tags:
            for i in range(first, last):
                self.sums[self.listed[i]] += self.of_parts(self.listed[i], 0)
        if last - first <= self.choices:
            return
        # The best sums in descending order; the first tags win ties.
        i = 0
        for tag in range(first, last):
            score: cython.int = self.sums[self.listed[tag]]
            if i == self.choices:
                if score <= self.top[i - 1]:
                    continue
                i -= 1
            j: longlong = i
            while j > 0 and self.top[j - 1] < score:
                self.top[j] = self.top[j - 1]
                j -= 1
            self.top[j] = score
            i += 1
        # Tags whose sum equals the last selected one are taken as far as they fit.
        ties: longlong = 0
        for j in range(self.choices):
            if self.top[j] == self.top[self.choices - 1]:
                ties += 1
        self.tried_count = 0
        for i in range(first, last):
            tag = self.listed[i]
            score = self.sums[tag]
            if score < self.top[self.choices - 1]:
                continue
            if score == self.top[self.choices - 1]:
                if ties == 0:
                    continue
                ties -= 1
            self.tried[self.tried_count] = cython.cast(cython.int, tag)
            self.tried_count += 1
        self.need_tried()

    @cython.cfunc
    @cython.nogil
    def node(self, tag: cython.int, tag_before: cython.int, score: longlong) -> void:
        """Append a node to the last position; its arcs follow."""
        self.node_tag[self.nodes] = tag
        self.node_before[self.nodes] = tag_before
        self.node_score[self.nodes] = score
        self.nodes += 1
        self.position_nodes[self.positions] = self.nodes

    @cython.cfunc
    @cython.nogil
    def arc(self, origin: longlong, score: longlong) -> void:
        """Append an arc to the last node."""
        self.arc_from[self.arcs] = origin
        self.arc_score[self.arcs] = score
        self.arcs += 1
        self.node_arcs[self.nodes] = self.arcs

    @cython.cfunc
    @cython.nogil
    def expand(self, first: longlong, count: longlong, position: longlong) -> longlong:
        """Score each tag after the `count` previous nodes; return the number of their tags."""
        groups: longlong = 0
        tags: longlong = self.tags
        tag_1: longlong = tags
        tag_2: longlong = tags
        score: longlong = 0
        for j in range(count):
            if first >= 0:
                tag_1 = self.node_tag[first + j]
                tag_2 = self.node_before[first + j]
                score = self.node_score[first + j]
            g: longlong = 0
            while g < groups and self.group_tag[g] != tag_1:
                g += 1
            shared: longlong = (1 + g) * self.actions
            if g == groups:
                groups += 1
                self.group_tag[g] = cython.cast(cython.int, tag_1)
                for i in range(self.tried_count):
                    self.best[g * tags + self.tried[i]] = IMPOSSIBLE_SCORE
                self.begin(0, shared)
                self.add(position, self.fixed, self.single, tag_1, tag_2, shared)
                self.end(shared)
            self.group[j] = cython.cast(cython.int, g)
            base: longlong = (1 + self.beam + j) * self.actions
            self.begin(shared, base)
            self.add(position, self.single, self.templates, tag_1, tag_2, base)
            self.end(base)
            for i in range(self.tried_count):
                tag: longlong = self.tried[i]
                if score + self.sums[base + tag] > self.best[g * tags + tag]:
                    self.best[g * tags + tag] = score + self.sums[base + tag]
                    self.best_node[g * tags + tag] = cython.cast(cython.int, j)
        return groups

    @cython.cfunc
    @cython.nogil
    def step(self, start: longlong, position: longlong) -> void:
        """Append the nodes of the word at `position`, best first, after `prepare`."""
        first: longlong = -1
        count: longlong = 1
        size: longlong = 0
        if position > start:
            first = self.position_nodes[self.positions - 1]
            count = self.nodes - first
        for i in range(self.expand(first, count, position) * self.tried_count):
            place: longlong = i // self.tried_count * self.tags + self.tried[i % self.tried_count]
            score: longlong = self.best[place]
            if size == self.beam:
                if score <= self.kept_score[size - 1]:
                    continue
                size -= 1
            j: longlong = size
            while j > 0 and self.kept_score[j - 1] < score:
                self.kept_score[j] = self.kept_score[j - 1]
                self.kept[j] = self.kept[j - 1]
                j -= 1
            self.kept_score[j] = score
            self.kept[j] = place
            size += 1
        self.positions += 1
        for i in range(size):
            place = self.kept[i]
            g: longlong = place // self.tags
            base: longlong = place - g * self.tags
            self.node(cython.cast(cython.int, base), self.group_tag[g], self.kept_score[i])
            base += (1 + self.beam) * self.actions
            for j in range(count):
                if j == self.best_node[place] or (self.every_arc and self.group[j] == g):
                    self.arc(first + j if first >= 0 else -1, self.sums[base + j * self.actions])

    @cython.cfunc
    @cython.nogil
    def change(self, key: ulonglong, action: cython.int, delta: cython.int) -> void:
        """Append a change of a weight."""
        self.changed_key[self.changes] = key
        self.changed_action[self.changes] = action
        self.changed_delta[self.changes] = delta
        self.changes += 1

    @cython.cfunc
    @cython.nogil
    def has_part(self, tag: longlong, part: cython.int) -> bint:
        """Return whether a tag has a part."""
        for i in range(self.part_start[tag], self.part_start[tag + 1]):
            if self.parts[i] == part:
                return True
        return False

    @cython.cfunc
    @cython.nogil
    def change_tag(
        self, key: ulonglong, tag: longlong, delta: cython.int, other_tag: longlong
    ) -> void:
        """Append the changes of a tag, and of its parts that another tag does not have."""
        self.change(key, cython.cast(cython.int, tag), delta)
        for i in range(self.part_start[tag], self.part_start[tag + 1]):
            if other_tag < 0 or not self.has_part(other_tag, self.parts[i]):
                self.change(key, self.parts[i], delta)

    @cython.cfunc
    @cython.nogil
    def differ(
        self,
        better: cython.const[cython.int][::1],
        worse: cython.const[cython.int][::1],
        unit: cython.int,
        length: longlong,
    ) -> longlong:
        """Write the changes that add to the features of one sequence and subtract from another's.

        Only the first `length` words count. Return the number of changes.
        """
        tag: longlong = self.tags
        tag_1: longlong = tag
        wrong: longlong = tag
        wrong_1: longlong = tag
        self.changes = 0
        for position in range(length):
            tag_2: longlong = tag_1
            tag_1 = tag
            tag = better[position]
            wrong_2: longlong = wrong_1
            wrong_1 = wrong
            wrong = worse[position]
            begin: longlong = self.templates
            if tag_2 != wrong_2:
                begin = self.single
            if tag_1 != wrong_1:
                begin = self.fixed
            if tag != wrong:
                begin = 0
            for i in range(begin, self.templates):
                key: ulonglong = self.key(position, i, tag_1, tag_2)
                if key != 0:
                    wrong_key: ulonglong = self.key(position, i, wrong_1, wrong_2)
                    same: bint = key == wrong_key
                    # The same feature with the same tag does not change.
                    if not same or tag != wrong:
                        self.change_tag(key, tag, unit, wrong if same else -1)
                        self.change_tag(wrong_key, wrong, -unit, tag if same else -1)
        return self.changes


def write_to(
    search: TagSearch,
    position_nodes: longlong[::1],
    node_tag: cython.int[::1],
    node_before: cython.int[::1],
    node_score: longlong[::1],
    node_arcs: longlong[::1],
    arc_from: longlong[::1],
    arc_score: longlong[::1],
) -> None:
    """Set the arrays of the lattice."""
    search.position_nodes, search.node_tag = position_nodes, node_tag
    search.node_before, search.node_score, search.node_arcs = node_before, node_score, node_arcs
    search.arc_from, search.arc_score = arc_from, arc_score
    search.positions = search.nodes = search.arcs = 0


def set_changes(
    search: TagSearch, keys: ulonglong[::1], actions: cython.int[::1], deltas: cython.int[::1]
) -> None:
    """Set the arrays for the changes of weights."""
    search.changed_key, search.changed_action, search.changed_delta = keys, actions, deltas


def form_scores(
    search: TagSearch, keys: cython.const[ulonglong][::1], sums: cython.int[::1], words: Py_ssize_t
) -> None:
    """Sum up the weights of each word's own features for each tag."""
    search.keys = keys
    with cython.nogil:
        for word in range(words):
            search.begin(-1, 0)
            search.add(word, 0, search.templates, 0, 0, 0)
            search.end(0)
            for tag in range(search.tags):
                sums[word * search.tags + tag] = search.sums[tag]


def tag_rows(
    search: TagSearch,
    keys: cython.const[ulonglong][::1],
    words: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    word_sums: cython.const[cython.int][::1],
    tag_lists: cython.const[cython.int][::1],
    spans: cython.const[longlong][::1],
    rows: Py_ssize_t,
) -> None:
    """Write the lattice of all sentences; `word_sums` come from `form_scores`.

    Word ``w`` may have the tags ``listed[spans[2 * w] .. spans[2 * w + 1] - 1]``, in ascending
    order.
    """
    search.keys = keys
    search.listed = tag_lists
    with cython.nogil:
        for row in range(rows):
            for token in range(offsets[row], offsets[row + 1]):
                word: longlong = words[token]
                search.begin(-1, 0)
                for i in range(spans[2 * word], spans[2 * word + 1]):
                    search.sums[tag_lists[i]] = word_sums[word * search.tags + tag_lists[i]]
                search.prepare(token, spans[2 * word], spans[2 * word + 1])
                search.step(offsets[row], token)
            # A node without a tag ends all sequences.
            search.positions += 1
            if offsets[row + 1] == offsets[row]:
                search.node(-1, -1, 0)
                search.arc(-1, 0)
                continue
            node: longlong = search.position_nodes[search.positions - 2]
            search.node(-1, -1, search.node_score[node])
            for i in range(node, search.nodes - 1 if search.every_arc else node + 1):
                search.arc(i, 0)


def learn_row(
    search: TagSearch,
    keys: cython.const[ulonglong][::1],
    gold: cython.const[cython.int][::1],
    unit: cython.int,
    margin: cython.int,
    best_tags: cython.int[::1],
    length: Py_ssize_t,
) -> int:
    """Tag a sentence of `length` words; write the changes of weights and return their number.

    Weights change by `unit`, for the words up to the one where the lead of the best sequence over
    the gold one is largest; the score of a gold tag is reduced by `margin`.
    """
    changes: longlong
    right: longlong = 0
    widest: longlong = -1
    worst: longlong = -1
    tag: longlong = search.tags
    tag_1: longlong = tag
    search.keys = keys
    search.positions = search.nodes = search.arcs = 0
    with cython.nogil:
        for position in range(length):
            tag_2: longlong = tag_1
            tag_1 = tag
            tag = gold[position]
            search.begin(-1, 0)
            search.sums[tag] = -margin
            search.prepare(position, 0, search.tags)
            # The gold tags may not be in the beam: their sums follow all others.
            node: longlong = (1 + 2 * search.beam) * search.actions
            search.begin(0, node)
            search.add(position, search.fixed, search.templates, tag_1, tag_2, node)
            right += search.sums[node + tag] + search.of_parts(tag, node)
            search.step(0, position)
            gap: longlong = search.node_score[search.position_nodes[search.positions - 1]] - right
            if gap >= widest:
                widest = gap
                worst = position
        node = search.position_nodes[worst if worst > 0 else 0]
        for position in range(worst, -1, -1):
            best_tags[position] = search.node_tag[node]
            node = search.arc_from[search.node_arcs[node]]
        changes = search.differ(gold, best_tags, unit, worst + 1)
    return changes


def favour_tags(
    search: TagSearch,
    keys: cython.const[ulonglong][::1],
    better: cython.const[cython.int][::1],
    worse: cython.const[cython.int][::1],
    unit: cython.int,
    length: Py_ssize_t,
) -> int:
    """Write the changes that favour one tag sequence over another; return their number."""
    changes: longlong
    search.keys = keys
    with cython.nogil:
        changes = search.differ(better, worse, unit, length)
    return changes


@cython.cclass
class LatticePaths:
    """A lattice, and the best paths of one sentence found so far.

    The positions of a sentence are its words and an end. A node's arcs come from nodes of the
    previous position, or from -1 at the first position.
    """

    cython.declare(position_nodes=cython.const[longlong][::1])
    cython.declare(node_arcs=cython.const[longlong][::1], arc_from=longlong[::1])
    cython.declare(arc_score=longlong[::1], node_best=longlong[::1], chosen=longlong[::1])
    cython.declare(parent=longlong[::1], level=longlong[::1], arc=longlong[::1])
    cython.declare(score=longlong[::1], waiting=longlong)

    @cython.cfunc
    @cython.nogil
    def through(self, arc: longlong) -> longlong:
        """Return the score of the best path that ends with an arc."""
        origin: longlong = self.arc_from[arc]
        if origin < 0:
            return self.arc_score[arc]
        return self.node_best[origin] + self.arc_score[arc]

    @cython.cfunc
    @cython.nogil
    def sort(self, node: longlong) -> void:
        """Sort the arcs of a node, best first; the sort is stable."""
        first: longlong = self.node_arcs[node]
        for i in range(first + 1, self.node_arcs[node + 1]):
            value: longlong = self.through(i)
            origin: longlong = self.arc_from[i]
            score: longlong = self.arc_score[i]
            j: longlong = i
            while j > first and self.through(j - 1) < value:
                self.arc_from[j] = self.arc_from[j - 1]
                self.arc_score[j] = self.arc_score[j - 1]
                j -= 1
            self.arc_from[j] = origin
            self.arc_score[j] = score
        self.node_best[node] = self.through(first)

    @cython.cfunc
    @cython.nogil
    def wait(
        self, room: longlong, score: longlong, parent: longlong, level: longlong, arc: longlong
    ) -> void:
        """Insert a path into the queue, the best last; only the best `room` are needed."""
        cython.declare(j=longlong)
        if self.waiting == room:
            if room == 0 or self.score[0] >= score:
                return
            for j in range(room - 1):
                self.move(j + 1, j)
            self.waiting -= 1
        j = self.waiting
        while j > 0 and self.score[j - 1] >= score:
            self.move(j - 1, j)
            j -= 1
        self.score[j] = score
        self.parent[j] = parent
        self.level[j] = level
        self.arc[j] = arc
        self.waiting += 1

    @cython.cfunc
    @cython.nogil
    def move(self, source: longlong, target: longlong) -> void:
        """Copy an entry of the queue."""
        self.score[target] = self.score[source]
        self.parent[target] = self.parent[source]
        self.level[target] = self.level[source]
        self.arc[target] = self.arc[source]

    @cython.cfunc
    @cython.nogil
    def branch(
        self,
        path: longlong,
        level: longlong,
        length: longlong,
        score: longlong,
        room: longlong,
        position: longlong,
    ) -> void:
        """Queue the paths that leave a path of the result at one of its arcs up to `level`.

        Later arcs stay the same. At `level` itself, only worse arcs are taken, since earlier paths
        have the better ones, so that each path is queued once.
        """
        for i in range(level, -1, -1):
            arc: longlong = self.chosen[path * (length + 1) + i]
            node: longlong = self.node_of(path, i, length, position)
            if arc + 1 < self.node_arcs[node + 1]:
                self.wait(room, score - self.through(arc) + self.through(arc + 1), path, i, arc + 1)

    @cython.cfunc
    @cython.nogil
    def node_of(
        self, path: longlong, level: longlong, length: longlong, position: longlong
    ) -> longlong:
        """Return the node of a path at a level."""
        if level == length:
            return self.position_nodes[position + length]
        return self.arc_from[self.chosen[path * (length + 1) + level + 1]]


def best_paths(
    position_nodes: cython.const[longlong][::1],
    node_tag: cython.const[cython.int][::1],
    node_arcs: cython.const[longlong][::1],
    arc_from: longlong[::1],
    arc_score: longlong[::1],
    offsets: cython.const[longlong][::1],
    k: longlong,
    longest: longlong,
    tags: cython.int[::1],
    scores: longlong[::1],
    counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Find up to `k` paths of each sentence ``first .. last-1``, best first.

    The lattice is that of these sentences, which have up to `longest` words. Position ``p`` has the
    nodes ``position_nodes[p] .. position_nodes[p+1]-1``, node ``n`` the arcs ``node_arcs[n] ..
    node_arcs[n+1]-1``. The tags of path ``j`` of a sentence start at ``k * (offsets[row] -
    offsets[first]) + j * length``, its score is at ``k * (row - first) + j``. Arcs are sorted in
    place.

    The second best path is the best one that leaves the best path at some arc, and so on (Lawler's
    partition), so that no path is repeated or missed.
    """
    cython.declare(node=longlong)
    paths: LatticePaths = LatticePaths()
    longs = array("q", [0])
    chosen: longlong[::1] = longs * (k * (longest + 1))
    paths.position_nodes, paths.node_arcs, paths.arc_from = position_nodes, node_arcs, arc_from
    paths.arc_score, paths.node_best = arc_score, longs * node_tag.shape[0]
    paths.parent, paths.level, paths.arc, paths.score = longs * k, longs * k, longs * k, longs * k
    paths.chosen = chosen
    position: longlong = 0
    with cython.nogil:
        for row in range(first, last):
            length: longlong = offsets[row + 1] - offsets[row]
            for node in range(position_nodes[position], position_nodes[position + length + 1]):
                paths.sort(node)
            node = position_nodes[position + length]
            paths.waiting = 0
            paths.wait(k, paths.node_best[node], -1, length, node_arcs[node])
            path_count: longlong = 0
            while path_count < k and paths.waiting > 0:
                paths.waiting -= 1
                i: longlong = paths.waiting
                parent: longlong = paths.parent[i]
                level: longlong = paths.level[i]
                arc: longlong = paths.arc[i]
                score: longlong = paths.score[i]
                base: longlong = path_count * (length + 1)
                for i in range(level + 1, length + 1):
                    chosen[base + i] = chosen[parent * (length + 1) + i]
                for i in range(level, -1, -1):
                    chosen[base + i] = arc
                    if i > 0:
                        arc = node_arcs[arc_from[arc]]
                base = k * (offsets[row] - offsets[first]) + path_count * length
                for i in range(length):
                    tags[base + i] = node_tag[paths.node_of(path_count, i, length, position)]
                scores[k * (row - first) + path_count] = score
                paths.branch(path_count, level, length, score, k - path_count - 1, position)
                path_count += 1
            counts[row] = path_count
            position += length + 1


@cython.cclass
class TagTransitions:
    """Scores of a tag after two others: of the trigram if it was seen, otherwise of the bigram."""

    cython.declare(tags=longlong, context=cython.const[cython.int][::1])
    cython.declare(context_start=cython.const[longlong][::1])
    cython.declare(trigram_tag=cython.const[cython.int][::1])
    cython.declare(trigram_score=cython.const[cython.int][::1])
    cython.declare(bigram_score=cython.const[cython.int][::1])

    def __init__(
        self,
        tags: longlong,
        context: cython.const[cython.int][::1],
        context_start: cython.const[longlong][::1],
        trigram_tag: cython.const[cython.int][::1],
        trigram_score: cython.const[cython.int][::1],
        bigram_score: cython.const[cython.int][::1],
    ):
        self.tags, self.context, self.context_start = tags, context, context_start
        self.trigram_tag, self.trigram_score = trigram_tag, trigram_score
        self.bigram_score = bigram_score

    @cython.cfunc
    @cython.nogil
    def score(self, tag_2: longlong, tag_1: longlong, tag: longlong) -> longlong:
        """Return the score of `tag` after `tag_2` and `tag_1`; ``tags`` is the boundary."""
        context: longlong = self.context[tag_2 * (self.tags + 1) + tag_1]
        if context >= 0:
            low: longlong = self.context_start[context]
            end: longlong = self.context_start[context + 1]
            high: longlong = end
            while low < high:
                middle: longlong = (low + high) >> 1
                if self.trigram_tag[middle] < tag:
                    low = middle + 1
                else:
                    high = middle
            if low < end and self.trigram_tag[low] == tag:
                return self.trigram_score[low]
        return self.bigram_score[tag_1 * (self.tags + 1) + tag]


def tag_lattice(
    table: TagTransitions,
    offsets: cython.const[longlong][::1],
    words: cython.const[cython.int][::1],
    word_start: cython.const[longlong][::1],
    word_tag: cython.const[cython.int][::1],
    word_score: cython.const[cython.int][::1],
    beam: longlong,
    position_nodes: longlong[::1],
    node_tag: cython.int[::1],
    node_before: cython.int[::1],
    node_score: longlong[::1],
    node_arcs: longlong[::1],
    arc_from: longlong[::1],
    arc_score: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> int:
    """Write the lattice of sentences ``first .. last-1``; return the row that did not fit, or
    `last`.

    Word ``w`` may have the tags ``word_tag[word_start[w] .. word_start[w+1]-1]``, at least one,
    each with a score. Nodes whose score is more than `beam` below the best of their position are
    dropped. The arcs of the end come from all nodes of the last word.
    """
    cython.declare(choice=longlong)
    tags: longlong = table.tags
    room: Py_ssize_t = node_tag.shape[0]
    group: cython.int[::1] = array("i", [0]) * room
    group_of: cython.int[::1] = array("i", [0]) * room
    best: longlong[::1] = array("q", [0]) * room
    step: longlong[::1] = array("q", [0]) * room
    positions: longlong = 0
    nodes: longlong = 0
    arcs: longlong = 0
    done: Py_ssize_t = first
    full: bint = False
    with cython.nogil:
        for row in range(first, last):
            previous: longlong = -1
            count: longlong = 1
            for token in range(offsets[row], offsets[row + 1] + 1):
                # The end of the sentence is an additional word, whose only tag is the boundary.
                start: longlong = 0
                choices: longlong = 1
                if token < offsets[row + 1]:
                    start = word_start[words[token]]
                    choices = word_start[words[token] + 1] - start
                if (
                    nodes + count * choices > node_tag.shape[0]
                    or arcs + count * choices > arc_from.shape[0]
                ):
                    full = True
                    break
                groups: longlong = 0
                for j in range(count):
                    tag_1: longlong = tags
                    if previous >= 0:
                        tag_1 = node_tag[previous + j]
                    g: longlong = 0
                    # All nodes lead to the same end.
                    while token < offsets[row + 1] and g < groups and group[g] != tag_1:
                        g += 1
                    if g >= groups:
                        group[g] = cython.cast(cython.int, tag_1)
                        groups = g + 1
                        for choice in range(choices):
                            best[g * choices + choice] = IMPOSSIBLE_SCORE
                    group_of[j] = cython.cast(cython.int, g)
                top: longlong = IMPOSSIBLE_SCORE
                for j in range(count):
                    tag_1 = tags
                    tag_2: longlong = tags
                    score: longlong = 0
                    if previous >= 0:
                        tag_1 = node_tag[previous + j]
                        tag_2 = node_before[previous + j]
                        score = node_score[previous + j]
                    for choice in range(choices):
                        gain: longlong = 0
                        if token < offsets[row + 1]:
                            gain = table.score(tag_2, tag_1, word_tag[start + choice])
                            gain += word_score[start + choice]
                        elif token > offsets[row]:
                            gain = table.score(tag_2, tag_1, tags)
                        step[j * choices + choice] = gain
                        place: longlong = group_of[j] * choices + choice
                        if score + gain > best[place]:
                            best[place] = score + gain
                        if score + gain > top:
                            top = score + gain
                first_node: longlong = nodes
                for place in range(groups * choices):
                    if best[place] < top - beam:
                        continue
                    g = place // choices
                    choice = place - g * choices
                    node_tag[nodes] = -1
                    if token < offsets[row + 1]:
                        node_tag[nodes] = word_tag[start + choice]
                    node_before[nodes] = group[g]
                    node_score[nodes] = best[place]
                    for j in range(count):
                        if group_of[j] == g:
                            arc_from[arcs] = previous + j if previous >= 0 else -1
                            arc_score[arcs] = step[j * choices + choice]
                            arcs += 1
                    nodes += 1
                    node_arcs[nodes] = arcs
                positions += 1
                position_nodes[positions] = nodes
                previous = first_node
                count = nodes - first_node
            if full:
                break
            done = row + 1
    return done


# -- Segmentation. ---------------------------------------------------------------------------------
#
# A line is a row of code points, with runs of spaces as one character. A position is cut if a word
# starts there. The score of a segmentation is the sum of the weights of the cut positions, by the
# characters around them, and of the words between them (a semi-Markov model, Sarawagi and Cohen
# 2004).


@cython.cfunc
@cython.nogil
@cython.inline
def hash_number(key: ulonglong, value: longlong) -> ulonglong:
    """Return a hash extended by a number."""
    key = ((key ^ cython.cast(ulonglong, value + 7)) * GOLDEN) & MASK64
    return key ^ (key >> 29)


@cython.cclass
class Cutter:
    """Splits one line after the other into words."""

    cython.declare(chars=cython.const[cython.int][::1], classes=cython.const[uchar][::1])
    cython.declare(weights=cython.int[::1], mask=ulonglong, start=longlong, size=longlong)
    # By the classes of the characters around a space: whether a word may contain it.
    cython.declare(blanks=cython.const[uchar][::1])
    # Per position: the scores of a cut and of the best segmentation up to it, the start of its last
    # word, and hashes of the chunk around the position.
    cython.declare(scores=longlong[::1], best=longlong[::1], before=longlong[::1])
    cython.declare(keys=longlong[::1], rare=uchar[::1])

    def __init__(
        self, weights: cython.int[::1], blanks: cython.const[uchar][::1], longest: longlong
    ):
        """Allocate arrays for lines of up to `longest` characters."""
        longs = array("q", [0])
        self.weights, self.blanks = weights, blanks
        self.mask = weights.shape[0] - 1
        self.scores = longs * (longest + 1)
        self.best = longs * (longest + 1)
        self.before = longs * (longest + 1)
        self.keys = longs * (PLACE_FEATURES + WORD_FEATURES)

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def char(self, position: longlong) -> longlong:
        """Return a character of the line; -1 outside."""
        return self.chars[self.start + position] if 0 <= position < self.size else -1

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def kind(self, position: longlong) -> longlong:
        """Return the class of a character; 0 outside."""
        return self.classes[self.start + position] if 0 <= position < self.size else 0

    @cython.cfunc
    @cython.nogil
    def chunk(self, position: longlong, way: longlong) -> ulonglong:
        """Return a hash of the characters up to the next space, backwards or forwards."""
        key: ulonglong = 1
        length: longlong = 0
        while self.kind(position) > BLANK and length < MAX_CHUNK:
            key = hash_number(key, self.char(position))
            position += way
            length += 1
        # All long chunks have the same hash.
        return key if length < MAX_CHUNK else 1

    @cython.cfunc
    @cython.nogil
    @cython.inline
    def may_join(self, position: longlong) -> bint:
        """Return whether a word may contain the space before `position`."""
        return self.blanks[self.kind(position - 2) * CHARACTER_CLASSES + self.kind(position)] > 0

    @cython.cfunc
    @cython.nogil
    def word(self, first: longlong, last: longlong) -> ulonglong:
        """Return the hash of a word."""
        key: ulonglong = 1
        while last > first:
            last -= 1
            key = hash_number(key, self.char(last))
        return key

    @cython.cfunc
    @cython.nogil
    def add(self, number: longlong, key: ulonglong) -> void:
        """Store the index of a feature's weight."""
        key = ((key ^ cython.cast(ulonglong, number + 1)) * SPLITMIX_1) & MASK64
        self.keys[number] = cython.cast(longlong, (key ^ (key >> 32)) & self.mask)

    @cython.cfunc
    @cython.nogil
    def look_at(self, position: longlong) -> void:
        """Store the indices of the weights of a position."""
        cython.declare(i=longlong)
        number: longlong = 0
        # Windows of characters, from start to end.
        for i in range(-3, 3):
            self.add(number, hash_number(1, self.char(position + i)))
            number += 1
        for i in range(-3, 2):
            self.add(
                number,
                hash_number(hash_number(1, self.char(position + i)), self.char(position + i + 1)),
            )
            number += 1
        for i in range(-3, 1):
            key: ulonglong = hash_number(
                hash_number(1, self.char(position + i)), self.char(position + i + 1)
            )
            self.add(number, hash_number(key, self.char(position + i + 2)))
            number += 1
        for i in range(-3, 0):
            key = hash_number(hash_number(1, self.char(position + i)), self.char(position + i + 1))
            self.add(
                number,
                hash_number(
                    hash_number(key, self.char(position + i + 2)), self.char(position + i + 3)
                ),
            )
            number += 1
        key = 1
        for i in range(-3, 3):
            key = hash_number(key, self.char(position + i))
        self.add(number, key)
        # The same of classes.
        key = 1
        for i in range(-1, 1):
            key = hash_number(key, self.kind(position + i))
        self.add(number + 1, key)
        self.add(
            number + 2,
            hash_number(hash_number(key, self.kind(position + 1)), self.char(position - 1)),
        )
        self.add(
            number + 3, hash_number(hash_number(key, self.kind(position - 2)), self.char(position))
        )
        key = 1
        for i in range(-4, 4):
            key = hash_number(key, self.kind(position + i))
        self.add(number + 4, key)
        number += 5
        # The chunk between spaces.
        back: longlong = position - 1
        if self.kind(back) == BLANK:
            back = position - 2
        left_chunk: ulonglong = self.chunk(back, -1)
        right_chunk: ulonglong = self.chunk(position, 1)
        key = 2 if back == position - 1 else 3
        self.add(number, hash_number(key, cython.cast(longlong, left_chunk >> 2)))
        self.add(number + 1, hash_number(key + 2, cython.cast(longlong, right_chunk >> 2)))
        key = hash_number(key + 4, cython.cast(longlong, left_chunk >> 2))
        self.add(number + 2, hash_number(key, cython.cast(longlong, right_chunk >> 2)))
        self.add(number + 3, hash_number(key, self.char(position)))

    @cython.cfunc
    @cython.nogil
    def look_at_word(self, first: longlong, last: longlong, key: ulonglong) -> void:
        """Store the indices of the weights of a word with a hash."""
        length: longlong = last - first
        self.add(PLACE_FEATURES, key)
        key = hash_number(hash_number(length, self.kind(first)), self.kind(last - 1))
        self.add(PLACE_FEATURES + 1, key)
        key = hash_number(hash_number(length, self.char(first)), self.char(last - 1))
        self.add(PLACE_FEATURES + 2, key)

    @cython.cfunc
    @cython.nogil
    def weight(self, first: longlong, last: longlong) -> longlong:
        """Return the sum of the stored features' weights."""
        total: longlong = 0
        for i in range(first, last):
            total += self.weights[self.keys[i]]
        return total

    @cython.cfunc
    @cython.nogil
    def search(self) -> void:
        """Find the best cuts of the line at `start`; `scores` has the weight of each position."""
        # The best position so far that is too far back for a word with features.
        far: longlong = -1
        begin: longlong = 0
        self.best[0] = 0
        for position in range(1, self.size + 1):
            self.best[position] = IMPOSSIBLE_SCORE
            if position < self.size and self.kind(position) == BLANK:
                continue
            end: longlong = position
            if self.kind(position - 1) == BLANK:
                end = position - 1
            # A word cannot start before the last space that no word may contain.
            first: longlong = position - MAX_SCORED_WORD - 1
            if first >= begin and self.best[first] > IMPOSSIBLE_SCORE:
                if far < begin or self.best[first] > self.best[far]:
                    far = first
            if far >= begin:
                self.best[position] = self.best[far]
                self.before[position] = far
            key: ulonglong = 1
            first = end - 1
            while first >= begin and end - first <= MAX_SCORED_WORD:
                key = hash_number(key, self.char(first))
                if self.best[first] > IMPOSSIBLE_SCORE:
                    self.look_at_word(first, end, key)
                    score: longlong = self.best[first] + self.weight(
                        PLACE_FEATURES, PLACE_FEATURES + WORD_FEATURES
                    )
                    if score > self.best[position]:
                        self.best[position] = score
                        self.before[position] = first
                first -= 1
            self.best[position] += self.scores[position]
            if end < position and not self.may_join(position):
                begin = position

    @cython.cfunc
    @cython.nogil
    def weigh(self) -> void:
        """Compute the scores of cuts at each position of the line at `start`."""
        self.scores[self.size] = 0
        for position in range(1, self.size):
            self.scores[position] = 0
            # A word always ends at a space.
            if self.kind(position) != BLANK and (
                self.kind(position - 1) != BLANK or self.may_join(position)
            ):
                self.look_at(position)
                self.scores[position] = self.weight(0, PLACE_FEATURES)

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
        """Change the weights of the stored features that are not rare."""
        for i in range(first, last):
            if self.rare[self.keys[i]] == 1:
                continue
            self.weights[self.keys[i]] += cython.cast(cython.int, delta)
            totals[self.keys[i]] += delta * moment


def split_rows(
    chars: cython.const[cython.int][::1],
    classes: cython.const[uchar][::1],
    offsets: cython.const[longlong][::1],
    cuts: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    cutter: Cutter,
) -> None:
    """Set `cuts` to 1 where a word of the lines ``first .. last-1`` starts, otherwise to 0."""
    cutter.chars, cutter.classes = chars, classes
    with cython.nogil:
        for row in range(first, last):
            cutter.start = offsets[row]
            cutter.size = offsets[row + 1] - offsets[row]
            if cutter.size == 0:
                continue
            cutter.weigh()
            cutter.search()
            for position in range(cutter.start, cutter.start + cutter.size):
                cuts[position] = 0
            position = cutter.size
            while position > 0:
                position = cutter.before[position]
                cuts[cutter.start + position] = 1


def count_cut_features(
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
            for position in range(1, cutter.size + 1):
                if position < cutter.size:
                    if cutter.kind(position) == BLANK:
                        continue
                    cutter.look_at(position)
                    for i in range(PLACE_FEATURES):
                        if seen[cutter.keys[i]] < 2:
                            seen[cutter.keys[i]] += 1
                    if gold[cutter.start + position] == 0:
                        continue
                end: longlong = position - 1 if cutter.kind(position - 1) == BLANK else position
                if end - place <= MAX_SCORED_WORD:
                    key: ulonglong = cutter.word(place, end)
                    cutter.look_at_word(place, end, key)
                    for i in range(PLACE_FEATURES, PLACE_FEATURES + WORD_FEATURES):
                        if seen[cutter.keys[i]] < 2:
                            seen[cutter.keys[i]] += 1
                place = position


def learn_cuts(
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
    """Learn from lines in the order of `rows`; return the number of lines that changed the weights.

    `totals` are the sums of all changes times their moments: the average over ``moment +
    len(rows)`` lines is ``weights - totals / (moment + len(rows))``. The score of a wrong cut is
    increased by `margin`.
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
            for position in range(1, cutter.size):
                cutter.scores[position] += -margin if gold[cutter.start + position] else margin
            cutter.search()
            for position in range(cutter.size):
                cuts[position] = 0
            position = cutter.size
            while position > 0:
                position = cutter.before[position]
                cuts[position] = 1
            same: bint = True
            for position in range(cutter.size):
                if cuts[position] != gold[cutter.start + position]:
                    same = False
            if same:
                continue
            changed += 1
            for position in range(1, cutter.size):
                if cuts[position] != gold[cutter.start + position]:
                    cutter.look_at(position)
                    sign: longlong = -1 if cuts[position] else 1
                    cutter.change(totals, 0, PLACE_FEATURES, sign, moment + number)
            # Words that only one of the two segmentations has.
            for sign in range(-1, 2, 2):
                place: longlong = 0
                for position in range(1, cutter.size + 1):
                    i: longlong = 1
                    if position < cutter.size:
                        i = gold[cutter.start + position] if sign > 0 else cuts[position]
                    if i == 0:
                        continue
                    end: longlong = position - 1 if cutter.kind(position - 1) == BLANK else position
                    # Both segmentations start and end there, and have no cut in between.
                    same = True
                    for start in range(place, position + 1):
                        if start < cutter.size and cuts[start] != gold[cutter.start + start]:
                            same = False
                    if not same and end - place <= MAX_SCORED_WORD:
                        key: ulonglong = cutter.word(place, end)
                        cutter.look_at_word(place, end, key)
                        cutter.change(
                            totals,
                            PLACE_FEATURES,
                            PLACE_FEATURES + WORD_FEATURES,
                            sign,
                            moment + number,
                        )
                    place = position
    return changed
