"""Dependency parsing: the arc-eager transition system, and graph-based parsing."""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, short, uchar, ulonglong, void
from cython.cimports.wordorder.kernels._common import GOLDEN, MASK64, MIXER, mix64
from cython.cimports.wordorder.kernels.weights import Scorer

# The arc-eager system.

# Actions.
SHIFT = cython.declare(cython.int, 0)
REDUCE = cython.declare(cython.int, 1)
POP_ROOT = cython.declare(cython.int, 2)
# The first arc action: all left arcs by label, followed by all right arcs by label.
FIRST_ARC = cython.declare(cython.int, 3)

# Numbers stored for an item.
ITEM_FIELDS = cython.declare(cython.int, 5)
STACK_TOP = cython.declare(cython.int, 0)
FRONT = cython.declare(cython.int, 1)
NEXT = cython.declare(cython.int, 2)
HEADLESS = cython.declare(cython.int, 3)
REDUCED = cython.declare(cython.int, 4)

# Numbers stored for a word on the stack, or for N0: the word, the node below it, its label; on the
# left, its number of children, the outermost child and its label, the next child and its label, and
# the set of all labels as two times 31 bits; the same on the right. Words and labels count from 1.
NODE = cython.declare(cython.int, 17)
BELOW = cython.declare(cython.int, 1)
NODE_LABEL = cython.declare(cython.int, 2)
LEFT_SIDE = cython.declare(cython.int, 3)
RIGHT_SIDE = cython.declare(cython.int, 10)
SIDE = cython.declare(cython.int, 7)

# The parts of an item, as `parsing.transition.feature_sets` names them: the node of S0, with the
# word below it; the left side of N0; N0 to N3; the distance; the label of the word below S0; the
# head of S0, its label and its head.
ITEM_PARTS = cython.declare(cython.int, 33)
# Lower than any score.
LOWEST_TOTAL = cython.declare(longlong, -(1 << 62))
# The smallest number of cached scores per group.
MIN_SLOTS = cython.declare(longlong, 64)
# Items whose templates are looked up together, so that memory latencies overlap.
ITEMS_PER_BATCH = cython.declare(Py_ssize_t, 4)

# Scores of arcs, and the best spanning trees.

# Kinds of parts of a feature; kinds of tags exist twice, for tags and for groups of tags.
WORD_PART = cython.declare(cython.int, 0)
HEAD_WORD = cython.declare(cython.int, 1)
DIRECTION = cython.declare(cython.int, 2)
LENGTH = cython.declare(cython.int, 3)
TAG = cython.declare(cython.int, 4)
HEAD_TAG = cython.declare(cython.int, 5)
TAG_BEFORE = cython.declare(cython.int, 6)
HEAD_BEFORE = cython.declare(cython.int, 7)
TAG_AFTER = cython.declare(cython.int, 8)
HEAD_AFTER = cython.declare(cython.int, 9)
BETWEEN = cython.declare(cython.int, 10)
TAG_KINDS = cython.declare(cython.int, 7)
FEATURE_PARTS = cython.declare(cython.int, 18)
# The score of an impossible arc, and the limits to which other scores are clipped, far beyond those
# of trained models.
IMPOSSIBLE_ARC = cython.declare(longlong, -(1 << 62))
LARGEST_ARC_SCORE = cython.declare(longlong, 1 << 34)


# -- The arc-eager system. -------------------------------------------------------------------------
#
# N0 is the first word of the buffer and S0 the top of the stack. SHIFT moves N0 to the stack;
# LEFT-ARC attaches S0 to N0 and removes it; RIGHT-ARC attaches N0 to S0 and moves it to the stack;
# REDUCE removes S0, which has a head; POP-ROOT removes the word without a head and ends the parse.
# Each word is pushed once and popped once, so `n` words take ``2 * n`` actions. REDUCE never comes
# directly before SHIFT, so each tree has one derivation.
#
# The search keeps a beam of items (configurations). An item is small: the top of its stack, the
# first word of its buffer and a few numbers. The data of a word (its arc to its head, its children
# on both sides) is in an immutable node, which items share: the cost of an action depends neither
# on the length of the sentence nor on the depth of the stack.
#
# An action is scored by the weights of features. An atom of a feature is one of the parts of an
# item (numbers, some of which are words of the sentence, counted from 1, with 0 for none) or a
# column of a word that is such a part; a feature is a key mixed from the atoms of a template.
# Templates with the same parts form a group. The scores of all actions by a group are cached under
# the parts' hash, since most parts of many items of a sentence are equal.


def tree_derivations(
    heads: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    label_count: cython.int,
    actions: cython.int[::1],
    derived: uchar[::1],
    rows: Py_ssize_t,
    stack: cython.int[::1],
    farthest: cython.int[::1],
) -> None:
    """Write the actions that derive each tree, from ``2 * offsets[row]`` on.

    `derived` is 0 for trees without a derivation: those that are not projective, do not have
    exactly one root, or have heads out of range. Heads count from 1, 0 is the root. Scratch: two
    arrays of the longest row.
    """
    cython.declare(depth=longlong, coming=longlong)
    with cython.nogil:
        for row in range(rows):
            start: longlong = offsets[row]
            n: longlong = offsets[row + 1] - start
            # The first word that has an arc with each word, or the word itself if it is later.
            for i in range(n):
                farthest[i] = cython.cast(cython.int, i)
            for i in range(n):
                head: longlong = heads[start + i] - 1
                if i < head < n and farthest[head] > i:
                    farthest[head] = cython.cast(cython.int, i)
                elif 0 <= head and head < farthest[i]:
                    farthest[i] = cython.cast(cython.int, head)
            place: longlong = 2 * start
            coming = depth = 0
            reduced: bint = False
            while coming < n or depth > 0:
                top: longlong = stack[depth - 1] if depth > 0 else -1
                head = heads[start + top] - 1 if depth > 0 else -1
                if depth > 0 and coming < n and head == coming:
                    actions[place] = FIRST_ARC + labels[start + top]
                    depth -= 1
                    reduced = False
                elif depth > 0 and coming < n and heads[start + coming] - 1 == top:
                    actions[place] = FIRST_ARC + label_count + labels[start + coming]
                    stack[depth] = cython.cast(cython.int, coming)
                    depth += 1
                    coming += 1
                    reduced = False
                elif depth > 0 and (coming == n or farthest[coming] < top):
                    if depth > 1 and head == stack[depth - 2]:
                        actions[place] = REDUCE
                    elif depth == 1 and coming == n and head == -1:
                        actions[place] = POP_ROOT
                    else:
                        break
                    depth -= 1
                    reduced = True
                elif coming < n and not reduced:
                    actions[place] = SHIFT
                    stack[depth] = cython.cast(cython.int, coming)
                    depth += 1
                    coming += 1
                else:
                    break
                place += 1
            derived[row] = 1 if place == 2 * (start + n) else 0


def derivation_trees(
    actions: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    label_count: cython.int,
    heads: cython.int[::1],
    labels: cython.int[::1],
    rows: Py_ssize_t,
    stack: cython.int[::1],
) -> None:
    """Write the tree of each derivation, which starts at ``2 * offsets[row]``.

    The label of the root is `label_count`. Scratch: an array of the longest row.
    """
    cython.declare(depth=longlong, coming=cython.int)
    with cython.nogil:
        for row in range(rows):
            start: longlong = offsets[row]
            depth = coming = 0
            for place in range(2 * start, 2 * offsets[row + 1]):
                action: cython.int = actions[place]
                if action == SHIFT or action >= FIRST_ARC + label_count:
                    if action != SHIFT:
                        heads[start + coming] = stack[depth - 1] + 1
                        labels[start + coming] = action - FIRST_ARC - label_count
                    stack[depth] = coming
                    depth += 1
                    coming += 1
                    continue
                depth -= 1
                if action == POP_ROOT:
                    heads[start + stack[depth]] = 0
                    labels[start + stack[depth]] = label_count
                elif action != REDUCE:
                    heads[start + stack[depth]] = coming + 1
                    labels[start + stack[depth]] = action - FIRST_ARC


@cython.final
@cython.cclass
class Beam(Scorer):
    """The beam search for the derivations of one sentence after the other."""

    # The sentences: `columns` ids for each word, and its class.
    cython.declare(words=cython.const[cython.int][::1], columns=longlong)
    cython.declare(offsets=cython.const[longlong][::1], classes=cython.const[cython.int][::1])
    # The labels that arcs between words of two classes may have.
    cython.declare(labels=cython.int, class_count=longlong)
    cython.declare(list_of=cython.const[cython.int][::1], list_start=cython.const[cython.int][::1])
    cython.declare(list_labels=cython.const[cython.int][::1])
    # The templates; see `parsing.transition.feature_sets`.
    cython.declare(atoms=Py_ssize_t, templates=Py_ssize_t, groups=Py_ssize_t)
    cython.declare(atom_part=cython.const[cython.int][::1])
    cython.declare(atom_column=cython.const[cython.int][::1])
    cython.declare(template_start=cython.const[cython.int][::1])
    cython.declare(group_start=cython.const[cython.int][::1])
    cython.declare(group_part_start=cython.const[cython.int][::1])
    cython.declare(group_parts=cython.const[cython.int][::1])
    cython.declare(template_atoms=cython.const[cython.int][::1], seeds=cython.const[ulonglong][::1])
    # The cache: `slots` sums of all actions for each group, with the hash of the parts and the time
    # of their last use; and the offset of the sums of each item and group.
    cython.declare(slots=longlong, kept_key=ulonglong[::1])
    cython.declare(kept_use=longlong[::1], base=longlong[::1])
    # The summand of each part in such a hash, and its factor.
    cython.declare(share=ulonglong[::1], factor=ulonglong[::1])
    # The hash of the current sentence, which differs from all others, and the time of use.
    cython.declare(searched=ulonglong, used=longlong)
    # The atoms of an item, and the scores of all its actions.
    cython.declare(atom=cython.int[::1], total=cython.int[::1])
    # The sentence: its first word and its length. Up to `width` items are in different halves
    # before and after a step.
    cython.declare(start=longlong, n=longlong, width=longlong, count=cython.int)
    cython.declare(items=cython.int[::1], scores=longlong[::1], parts=cython.int[::1])
    cython.declare(nodes=cython.int[::1], node_count=cython.int, back_item=cython.int[::1])
    cython.declare(back_action=cython.int[::1], heap_score=longlong[::1], heap_order=longlong[::1])
    # The score of the best item minus that of the gold item after each step.
    cython.declare(lead=longlong[::1])

    def __init__(
        self,
        words: cython.const[cython.int][::1],
        columns: longlong,
        offsets: cython.const[longlong][::1],
        classes: cython.const[cython.int][::1],
        arcs: cython.const[cython.int][::1],
        atom_part: cython.const[cython.int][::1],
        atom_column: cython.const[cython.int][::1],
        template_start: cython.const[cython.int][::1],
        group_start: cython.const[cython.int][::1],
        group_part_start: cython.const[cython.int][::1],
        group_parts: cython.const[cython.int][::1],
        template_atoms: cython.const[cython.int][::1],
        seeds: cython.const[ulonglong][::1],
        width: longlong,
        longest: longlong,
    ):
        """Allocate arrays for `width` items and sentences of up to `longest` words."""
        self.templates = template_start.shape[0] - 1
        super().__init__(ITEMS_PER_BATCH * self.templates + 1, FIRST_ARC + 2 * arcs[0])
        self.words, self.columns, self.offsets, self.classes = words, columns, offsets, classes
        self.labels, self.class_count = arcs[0], arcs[1]
        lists: Py_ssize_t = 3 + 2 * self.class_count * self.class_count
        self.list_of = arcs[3:lists]
        self.list_start = arcs[lists : lists + arcs[2] + 1]
        self.list_labels = arcs[lists + arcs[2] + 1 :]
        self.atoms, self.groups = atom_part.shape[0], group_start.shape[0] - 1
        self.atom_part, self.atom_column = atom_part, atom_column
        self.template_start, self.template_atoms, self.seeds = template_start, template_atoms, seeds
        self.group_start, self.group_part_start = group_start, group_part_start
        self.group_parts = group_parts
        ints, longs, keys = array("i", [0]), array("q", [0]), array("Q", [0])
        self.slots = MIN_SLOTS
        while self.slots < 4 * width:
            self.slots *= 2
        self.sums = ints * (self.groups * self.slots * self.actions)
        self.kept_key = keys * (self.groups * self.slots)
        self.kept_use = longs * (self.groups * self.slots)
        self.base = longs * (width * self.groups)
        self.share, self.factor = keys * ITEM_PARTS, keys * ITEM_PARTS
        # Well mixed numbers, so that sums of small multiples of them do not coincide.
        mixed: ulonglong = MIXER
        for i in range(ITEM_PARTS):
            mixed = (mixed * MIXER) & MASK64
            mixed ^= mixed >> 32
            self.factor[i] = mixed
        self.total = ints * self.actions
        self.searched = self.used = 0
        self.atom = ints * (self.atoms + 1)
        self.width, self.count, self.node_count = width, 0, 0
        self.items = ints * (2 * width * ITEM_FIELDS)
        self.scores = longs * (2 * width)
        self.parts = ints * (width * ITEM_PARTS)
        self.nodes = ints * (4 * longest * (1 + width) * NODE + NODE)
        back = ints * (2 * longest * width + 1)
        self.back_item, self.back_action = back, back[:]
        self.heap_score, self.heap_order = longs * width, longs * width
        self.lead = longs * (2 * longest + 1)

    @cython.cfunc
    @cython.nogil
    def read_atoms(self, row: longlong) -> void:
        """Write the atoms of an item from its parts."""
        for i in range(self.atoms):
            part: longlong = self.parts[row * ITEM_PARTS + self.atom_part[i]]
            if part > 0 and self.atom_column[i] >= 0:
                part = self.words[(self.start + part - 1) * self.columns + self.atom_column[i]]
            self.atom[i] = cython.cast(cython.int, part)

    @cython.cfunc
    @cython.nogil
    def key_of(self, template: Py_ssize_t) -> ulonglong:
        """Return the key of a template's feature; 0 if its first atom is missing."""
        begin: Py_ssize_t = self.template_start[template]
        key: ulonglong = self.seeds[template]
        if self.atom[self.template_atoms[begin]] == 0:
            return 0
        for i in range(begin, self.template_start[template + 1]):
            key ^= cython.cast(ulonglong, self.atom[self.template_atoms[i]])
            key = (key * MIXER) & MASK64
            key ^= key >> 32
        return key & self.key_mask

    @cython.cfunc
    @cython.nogil
    def rate(self) -> void:
        """Find the cached scores of all items, and compute missing ones."""
        self.used += 1
        for row in range(self.count):
            if self.asked > (ITEMS_PER_BATCH - 1) * self.templates:
                self.sum_up()
            self.rate_item(row)
        self.sum_up()

    @cython.cfunc
    @cython.nogil
    def rate_item(self, row: longlong) -> void:
        """Find the cached scores of each group of an item, and request missing ones."""
        ready: bint = False
        for i in range(ITEM_PARTS):
            key: ulonglong = cython.cast(ulonglong, self.parts[row * ITEM_PARTS + i])
            self.share[i] = (key * self.factor[i]) & MASK64
        for group in range(self.groups):
            # The hash is a sum, in which no part depends on the one before.
            key = self.searched
            for i in range(self.group_part_start[group], self.group_part_start[group + 1]):
                key += self.share[self.group_parts[i]]
            key = ((key ^ ((key & MASK64) >> 32)) * MIXER) & MASK64
            key ^= key >> 32
            slot: longlong = key & (self.slots - 1)
            cell: longlong = group * self.slots + slot
            # Entries that other items need at this time are not replaced.
            while self.kept_use[cell] == self.used and self.kept_key[cell] != key:
                slot = (slot + 1) & (self.slots - 1)
                cell = group * self.slots + slot
            self.kept_use[cell] = self.used
            self.base[row * self.groups + group] = cell * self.actions
            if self.kept_key[cell] == key:
                continue
            self.kept_key[cell] = key
            cell *= self.actions
            for i in range(cell, cell + self.actions):
                self.sums[i] = 0
            if not ready:
                self.read_atoms(row)
                ready = True
            for i in range(self.group_start[group], self.group_start[group + 1]):
                key = self.key_of(i)
                if key != 0:
                    self.asked_key[self.asked] = key
                    self.asked_base[self.asked] = cell
                    self.asked += 1

    @cython.cfunc
    @cython.nogil
    def node_with(
        self,
        node: longlong,
        word: cython.int,
        side: cython.int,
        child: cython.int,
        label: cython.int,
    ) -> cython.int:
        """Return a new node: a copy of `node` (of `word` alone if -1), with a further outer child.

        Without a label (0) no child is added; words and labels count from 1.
        """
        new: Py_ssize_t = cython.cast(Py_ssize_t, self.node_count) * NODE
        slot: Py_ssize_t = new + side
        for i in range(NODE):
            self.nodes[new + i] = self.nodes[node * NODE + i] if node >= 0 else 0
        if node < 0:
            self.nodes[new] = word
        if label > 0:
            self.nodes[slot] += 1
            self.nodes[slot + 3] = self.nodes[slot + 1]
            self.nodes[slot + 4] = self.nodes[slot + 2]
            self.nodes[slot + 1] = child
            self.nodes[slot + 2] = label
            self.nodes[slot + (5 if label < 32 else 6)] |= 1 << ((label - 1) % 31)
        self.node_count += 1
        return self.node_count - 1

    @cython.cfunc
    @cython.nogil
    def advance(self, source: Py_ssize_t, target: Py_ssize_t, action: cython.int) -> void:
        """Write the item that an action makes of the item at `source` to `target`, in `items`."""
        top: longlong = self.items[source + STACK_TOP]
        front: longlong = self.items[source + FRONT]
        coming: cython.int = self.items[source + NEXT] + 1
        below: cython.int = self.nodes[top * NODE + BELOW] if top >= 0 else -1
        headless: cython.int = self.items[source + HEADLESS]
        label: cython.int = action - FIRST_ARC + 1
        if action == REDUCE or action < FIRST_ARC + self.labels and action != SHIFT:
            # S0 is popped.
            if action >= FIRST_ARC:
                front = self.node_with(front, coming, LEFT_SIDE, self.nodes[top * NODE], label)
            headless -= 0 if action == REDUCE else 1
            top = below
            coming -= 1
        else:
            # N0 is pushed.
            label = 0 if action == SHIFT else label - self.labels
            headless += 1 if action == SHIFT else 0
            if label > 0:
                top = self.node_with(top, 0, RIGHT_SIDE, coming, label)
            below = cython.cast(cython.int, top)
            top = self.node_with(front, coming, LEFT_SIDE, 0, 0)
            self.nodes[top * NODE + BELOW] = below
            self.nodes[top * NODE + NODE_LABEL] = label
            front = -1
        self.items[target + STACK_TOP] = cython.cast(cython.int, top)
        self.items[target + FRONT] = cython.cast(cython.int, front)
        self.items[target + NEXT] = coming
        self.items[target + HEADLESS] = headless
        self.items[target + REDUCED] = 1 if action == REDUCE else 0

    @cython.cfunc
    @cython.nogil
    def look(self, item: Py_ssize_t, target: Py_ssize_t) -> void:
        """Write the parts of an item."""
        cython.declare(i=cython.int)
        top: longlong = self.items[item + STACK_TOP]
        front: longlong = self.items[item + FRONT]
        coming: cython.int = self.items[item + NEXT]
        for i in range(ITEM_PARTS):
            self.parts[target + i] = 0
        if top >= 0:
            for i in range(NODE):
                self.parts[target + i] = self.nodes[top * NODE + i]
            i = coming + 1 - self.parts[target]
            if coming < self.n:
                self.parts[target + 28] = i if i < 6 else (6 if i < 11 else 7)
            top = self.nodes[top * NODE + BELOW]
            self.parts[target + BELOW] = 0
        if top >= 0:
            self.parts[target + BELOW] = self.nodes[top * NODE]
            self.parts[target + 29] = self.nodes[top * NODE + NODE_LABEL]
            if self.parts[target + NODE_LABEL] > 0:
                self.parts[target + 30] = self.nodes[top * NODE]
                self.parts[target + 31] = self.nodes[top * NODE + NODE_LABEL]
                if self.parts[target + 31] > 0:
                    top = self.nodes[top * NODE + BELOW]
                    self.parts[target + 32] = self.nodes[top * NODE]
        if front >= 0:
            for i in range(SIDE):
                self.parts[target + NODE + i] = self.nodes[front * NODE + LEFT_SIDE + i]
        for i in range(4):
            if coming + i < self.n:
                self.parts[target + 24 + i] = coming + 1 + i

    @cython.cfunc
    @cython.nogil
    def offer(self, item_index: longlong, score_before: longlong, action: cython.int) -> void:
        """Add an action on an item to the heap if it is among the best; earlier ones win ties.

        The worst of the best is on top of the heap.
        """
        score_before += self.total[action]
        if score_before > self.heap_score[0]:
            self.sink(score_before, item_index * self.actions + action, self.width)

    @cython.cfunc
    @cython.nogil
    def sink(self, score: longlong, order: longlong, size: longlong) -> void:
        """Replace the top of the heap by an entry."""
        i: longlong = 0
        down: longlong = 1
        while down < size:
            if down + 1 < size and (
                self.heap_score[down + 1] < self.heap_score[down]
                or (
                    self.heap_score[down + 1] == self.heap_score[down]
                    and self.heap_order[down + 1] > self.heap_order[down]
                )
            ):
                down += 1
            if self.heap_score[down] > score or (
                self.heap_score[down] == score and self.heap_order[down] < order
            ):
                break
            self.heap_score[i] = self.heap_score[down]
            self.heap_order[i] = self.heap_order[down]
            i = down
            down = 2 * i + 1
        self.heap_score[i] = score
        self.heap_order[i] = order

    @cython.cfunc
    @cython.nogil
    def expand(self, item_index: longlong, item: Py_ssize_t, score: longlong) -> void:
        """Offer all legal actions of an item.

        The last word becomes the root on an empty stack, or a child if just one word of the stack
        has no head: so each derivation ends with exactly one root, and none is a dead end.
        """
        top: longlong = self.items[item + STACK_TOP]
        words_left: longlong = self.n - self.items[item + NEXT]
        headed: bint = top >= 0 and self.nodes[top * NODE + NODE_LABEL] > 0
        for group in range(self.groups):
            base: longlong = self.base[item_index * self.groups + group]
            for j in range(self.actions):
                self.total[j] = self.sums[base + j] + (self.total[j] if group > 0 else 0)
        if words_left > 0 and self.items[item + REDUCED] == 0 and (words_left > 1 or top < 0):
            self.offer(item_index, score, SHIFT)
        if headed:
            self.offer(item_index, score, REDUCE)
        elif top >= 0 and words_left == 0:
            self.offer(item_index, score, POP_ROOT)
        if top < 0 or words_left == 0:
            return
        stack_class: longlong = self.classes[self.start + self.nodes[top * NODE] - 1]
        next_class: longlong = self.classes[self.start + self.items[item + NEXT]]
        for right in range(1 if headed else 0, 2):
            if right == 1 and words_left == 1 and self.items[item + HEADLESS] > 1:
                continue
            pair: longlong = (
                stack_class * self.class_count + next_class
                if right
                else next_class * self.class_count + stack_class
            )
            pair = self.list_of[right * self.class_count * self.class_count + pair]
            for i in range(self.list_start[pair], self.list_start[pair + 1]):
                self.offer(item_index, score, FIRST_ARC + right * self.labels + self.list_labels[i])

    @cython.cfunc
    @cython.nogil
    def enter(self, sentence: Py_ssize_t) -> void:
        """Start a sentence with the initial item and an empty cache."""
        self.searched = (self.searched + MIXER) & MASK64
        self.start = self.offsets[sentence]
        self.n = self.offsets[sentence + 1] - self.start
        self.node_count = 0
        self.count = 1
        self.scores[0] = 0
        for i in range(ITEM_FIELDS):
            self.items[i] = -1 if i < NEXT else 0
        self.look(0, 0)

    @cython.cfunc
    @cython.nogil
    def step(self, step: longlong) -> void:
        """Replace the items by their best successors, best first."""
        now: longlong = (step & 1) * self.width
        then: longlong = (1 - (step & 1)) * self.width
        back: longlong = step * self.width
        self.rate()
        for i in range(self.width):
            self.heap_score[i] = LOWEST_TOTAL
            self.heap_order[i] = -1
        for i in range(self.count):
            self.expand(i, (now + i) * ITEM_FIELDS, self.scores[now + i])
        self.count = 0
        for i in range(self.width - 1, -1, -1):
            order: longlong = self.heap_order[0]
            if order >= 0:
                self.count += 1
                self.scores[then + i] = self.heap_score[0]
                self.back_item[back + i] = cython.cast(cython.int, order // self.actions)
                self.back_action[back + i] = cython.cast(cython.int, order % self.actions)
                order = (now + order // self.actions) * ITEM_FIELDS
                self.advance(order, (then + i) * ITEM_FIELDS, self.back_action[back + i])
                self.look((then + i) * ITEM_FIELDS, i * ITEM_PARTS)
            self.sink(self.heap_score[i], self.heap_order[i], i)

    @cython.cfunc
    @cython.nogil
    def follow(self, action: cython.int, step: longlong) -> void:
        """Apply an action to the only item."""
        self.advance((step & 1) * ITEM_FIELDS, (1 - (step & 1)) * ITEM_FIELDS, action)
        self.look((1 - (step & 1)) * ITEM_FIELDS, 0)

    @cython.cfunc
    @cython.nogil
    def score(self, action: cython.int) -> longlong:
        """Return the score of an action of the only item."""
        score: longlong = 0
        self.rate()
        for group in range(self.groups):
            score += self.sums[self.base[group] + action]
        return score

    @cython.cfunc
    @cython.nogil
    def write_path(
        self, item: longlong, steps: longlong, path: cython.int[::1], begin: longlong
    ) -> void:
        """Write the `steps` actions that led to an item."""
        for step in range(steps - 1, -1, -1):
            back: longlong = step * self.width + item
            path[begin + step] = self.back_action[back]
            item = self.back_item[back]


def best_derivations(
    beam: Beam,
    limit: longlong,
    paths: cython.int[::1],
    scores: longlong[::1],
    counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write up to `limit` derivations of each sentence ``first .. last-1``, best first.

    `paths` and `scores` have space for `limit` of each; `counts` gets the numbers of derivations.
    """
    with cython.nogil:
        begin: longlong = beam.offsets[first]
        for s in range(last - first):
            beam.enter(first + s)
            for i in range(2 * beam.n):
                beam.step(i)
            counts[s] = beam.count if beam.count < limit else limit
            for i in range(counts[s]):
                scores[limit * s + i] = beam.scores[i]
                place: longlong = 2 * (limit * (beam.start - begin) + i * beam.n)
                beam.write_path(i, 2 * beam.n, paths, place)


def find_mistake(
    beam: Beam,
    sentence: Py_ssize_t,
    gold: cython.const[cython.int][::1],
    early: bint,
    path: cython.int[::1],
) -> int:
    """Write the actions of the best item up to the point of update; return their number.

    With `early`, the update is as soon as no item is gold, or at the end; otherwise where the lead
    of the best item over the gold one is largest. Return 0 if the best item is gold at the end.
    """
    steps: longlong = 0
    # The index of the gold item, -1 if it is not in the beam; and that before this step.
    item: longlong = 0
    score: longlong = 0
    with cython.nogil:
        beam.enter(sentence)
        for step in range(2 * beam.n):
            previous: longlong = item
            item = -1
            beam.step(step)
            for i in range(beam.count):
                if (
                    beam.back_item[step * beam.width + i] == previous
                    and beam.back_action[step * beam.width + i] == gold[step]
                ):
                    item = i
            beam.lead[step] = (
                beam.scores[(1 - (step & 1)) * beam.width] if item != 0 else LOWEST_TOTAL
            )
            steps = step + 1
            if early and item < 0:
                break
        if item == 0:
            steps = 0
        if steps > 0 and not early:
            beam.enter(sentence)
            steps = 0
            for step in range(2 * beam.n):
                score += beam.score(gold[step])
                beam.follow(gold[step], step)
                if beam.lead[step] > LOWEST_TOTAL:
                    beam.lead[step] -= score
                if beam.lead[step] > beam.lead[steps]:
                    steps = step
            steps += 1
        beam.write_path(0, steps, path, 0)
    return steps


def derivation_scores(
    beam: Beam,
    actions: cython.const[cython.int][::1],
    scores: longlong[::1],
    sentences: Py_ssize_t,
) -> None:
    """Add the score of each derivation, which starts at ``2 * offsets[row]``."""
    with cython.nogil:
        for s in range(sentences):
            beam.enter(s)
            for step in range(2 * beam.n):
                action: cython.int = actions[2 * beam.start + step]
                scores[s] += beam.score(action)
                beam.follow(action, step)


def derivation_keys(
    beam: Beam,
    sentence: Py_ssize_t,
    actions: cython.const[cython.int][::1],
    keys: ulonglong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the keys of all templates before actions ``first .. last-1``; 0 for a missing one."""
    with cython.nogil:
        beam.enter(sentence)
        for step in range(last):
            if step >= first:
                beam.read_atoms(0)
                for i in range(beam.templates):
                    keys[(step - first) * beam.templates + i] = beam.key_of(i)
            beam.follow(actions[step], step)


# -- Scores of arcs, and the best spanning trees. --------------------------------------------------
#
# Position 0 of a sentence is the artificial root, its words are 1 .. n. The key of a feature is the
# sum of a random number of 64 bits for each of its parts, which depends on the kind of the part
# (the word of the head, the tag before the dependent, ...) and on its value; so a conjunction costs
# one addition.
#
# The best tree: Chu and Liu (1965), Edmonds (1967), for dense graphs in O(n^2) as in Tarjan (1977):
# a path is extended along the best arcs, and a cycle is contracted into one node. The next best
# trees: Camerini, Fratta and Maffioli (1980): the set of all trees except those already found is
# divided into disjoint subsets, each defined by required and excluded arcs; the best tree of each
# differs from a known one by one arc into a node.
#
# The caller lowers the scores of all arcs from the root by more than the scores of any two trees
# can differ, so that trees with a single root word precede all others. Ties are broken with
# integers: scores are multiplied by more than twice the number of words, and each arc of a known
# tree gets 1 more, so that it is found again among equally good ones.


@cython.cfunc
@cython.nogil
def part_number(kind: ulonglong, value: ulonglong) -> ulonglong:
    """Return the random number of a part."""
    return mix64(((value * 32 + kind + 1) * GOLDEN) & MASK64)


@cython.cfunc
@cython.nogil
def length_class(length: longlong) -> cython.int:
    """Return the class of a length: 1, 2, 3, 4, 5 to 9, or more."""
    if length < 5:
        return cython.cast(cython.int, length)
    return 5 if length < 10 else 6


@cython.final
@cython.cclass
class ArcFeatures(Scorer):
    """The features of arcs of one sentence after the other, requested together for each arc."""

    # Ids of words, then of tags, then of groups of tags.
    cython.declare(ids=cython.const[cython.int][::1], columns=longlong)
    # 1 for features of tags alone, 2 with those of their groups.
    cython.declare(kinds_of_tag=longlong)
    # The offset of position 0 of the sentence.
    cython.declare(start=longlong)
    # The random number of each part, KINDS rows of `stride`.
    cython.declare(parts=ulonglong[::1], stride=longlong)
    # The sums of all actions; those of many features would not fit into 32 bits.
    cython.declare(total=longlong[::1])
    # The distinct tags between head and dependent, from the middle on their groups; their numbers.
    cython.declare(between=ulonglong[::1], distinct=longlong[::1])
    # For each tag, and from the middle on for each group, when it was last seen in between.
    cython.declare(seen=longlong[::1], now=longlong)

    def __init__(
        self,
        ids: cython.const[cython.int][::1],
        kinds_of_tag: longlong,
        actions: longlong,
        longest: Py_ssize_t,
        keys: Py_ssize_t,
        between: Py_ssize_t,
        different: Py_ssize_t,
    ):
        """Allocate arrays for sentences of up to `longest` words and arcs of up to `keys` keys.

        Up to `between` tags between two words are read; there are `different` tags or groups.
        """
        super().__init__(keys, actions)
        longs = array("q", [0])
        unsigned = array("Q", [0])
        self.total = longs * actions
        self.ids = ids
        self.columns = ids.shape[0] // 3
        self.kinds_of_tag = kinds_of_tag
        self.stride = longest + 1
        self.parts = unsigned * (FEATURE_PARTS * self.stride)
        self.between = memoryview(unsigned * (2 * between))
        self.distinct = longs * 2
        self.seen = memoryview(longs * (2 * different))
        self.now = 0

    @cython.cfunc
    @cython.nogil
    def enter(self, start: longlong, n: longlong) -> void:
        """Start a sentence."""
        self.start = start
        for i in range(n + 1):
            self.parts[WORD_PART * self.stride + i] = part_number(WORD_PART, self.ids[start + i])
            self.parts[HEAD_WORD * self.stride + i] = part_number(HEAD_WORD, self.ids[start + i])
            for k in range(TAG_KINDS * self.kinds_of_tag):
                entry: longlong = (1 + k // TAG_KINDS) * self.columns + start + i
                # Two kinds are of this word, two of the word before, two of the word after, and one
                # of words in between, which is that of this word.
                if 2 <= k % TAG_KINDS < 6:
                    entry += -1 if k % TAG_KINDS < 4 else 1
                self.parts[(TAG + k) * self.stride + i] = part_number(TAG + k, self.ids[entry])

    @cython.cfunc
    @cython.nogil
    def begin(self) -> void:
        """Start at a head, with no words in between."""
        self.now += 1
        self.distinct[0] = self.distinct[1] = 0

    @cython.cfunc
    @cython.nogil
    def pass_by(self, position: longlong) -> void:
        """Add a word to those in between."""
        for k in range(self.kinds_of_tag):
            place: longlong = self.ids[(1 + k) * self.columns + self.start + position]
            place += k * (self.seen.shape[0] // 2)
            if self.seen[place] != self.now:
                self.seen[place] = self.now
                self.between[k * (self.between.shape[0] // 2) + self.distinct[k]] = self.parts[
                    (BETWEEN + k * TAG_KINDS) * self.stride + position
                ]
                self.distinct[k] += 1

    @cython.cfunc
    @cython.nogil
    def add(self, key: ulonglong) -> void:
        """Add a key to the arc's keys."""
        self.asked_key[self.asked] = key & MASK64
        self.asked += 1

    @cython.cfunc
    @cython.nogil
    def fill_keys(self, head: longlong, i: longlong) -> void:
        """Request the features of the arc from `head` to `i`."""
        word: ulonglong = self.parts[WORD_PART * self.stride + i]
        head_word: ulonglong = self.parts[HEAD_WORD * self.stride + head]
        right: longlong = 1 if i > head else 0
        direction: ulonglong = part_number(DIRECTION, right)
        length: ulonglong = part_number(
            LENGTH, 2 * length_class(i - head if i > head else head - i) + right
        )
        self.asked = 0
        self.add(0)
        self.add(word)
        self.add(head_word)
        self.add(word + head_word)
        for k in range(self.kinds_of_tag):
            self.add_tag_keys(k, head, i, word, head_word)
        for k in range(self.asked):
            self.asked_key[self.asked + k] = (self.asked_key[k] + length) & MASK64
            self.asked_key[k] = (self.asked_key[k] + direction) & MASK64
        self.asked *= 2

    @cython.cfunc
    @cython.nogil
    def add_tag_keys(
        self, coarse: longlong, head: longlong, i: longlong, word: ulonglong, head_word: ulonglong
    ) -> void:
        """Add the keys of features with tags, or with groups of tags."""
        row: longlong = coarse * TAG_KINDS * self.stride
        tag: ulonglong = self.parts[row + TAG * self.stride + i]
        previous: ulonglong = self.parts[row + TAG_BEFORE * self.stride + i]
        after: ulonglong = self.parts[row + TAG_AFTER * self.stride + i]
        head_tag: ulonglong = self.parts[row + HEAD_TAG * self.stride + head]
        head_before: ulonglong = self.parts[row + HEAD_BEFORE * self.stride + head]
        head_after: ulonglong = self.parts[row + HEAD_AFTER * self.stride + head]
        tags: ulonglong = (tag + head_tag) & MASK64
        self.add(tag)
        self.add(head_tag)
        self.add(word + tag)
        self.add(head_word + head_tag)
        self.add(tags)
        self.add(tags + word)
        self.add(tags + head_word)
        self.add(word + tag + head_word)
        self.add(head_word + head_tag + word)
        self.add(tags + head_after + previous)
        self.add(tags + head_after + after)
        self.add(tags + head_before + previous)
        self.add(tags + head_before + after)
        if self.kinds_of_tag == 2:
            self.add(tags + previous)
            self.add(tags + after)
            self.add(tags + head_before)
            self.add(tags + head_after)
        for k in range(self.distinct[coarse]):
            self.add(tags + self.between[coarse * (self.between.shape[0] // 2) + k])

    @cython.cfunc
    @cython.nogil
    def rate(self) -> void:
        """Sum up the weights of the keys for each action."""
        for k in range(self.actions):
            self.total[k] = 0
        for k in range(self.asked):
            self.asked_key[k] &= self.key_mask
        for i in range(self.find()):
            row: longlong = self.found_row[i]
            count: longlong = self.found_count[i]
            if count >= self.long_row:
                for k in range(self.actions):
                    self.total[k] += self.entries[row + 2 * count + k]
            else:
                for k in range(row, row + 2 * count, 2):
                    self.total[self.entries[k]] += self.entries[k + 1]


def score_arcs(
    arcs: ArcFeatures,
    offsets: cython.const[longlong][::1],
    groups: longlong,
    label_offsets: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    cell_score: longlong[::1],
    cell_label: short[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the score of each arc with its best label, and that label.

    The ids of `arcs` have three rows: words, tags and groups of tags; those of sentence `s` start
    at ``offsets[s] + 3 * s``, with an id before them for positions outside, one for the root, and
    one after them. A sentence has ``n * (n + 1)`` cells, starting with sentence `first`: row ``i -
    1`` has the arcs to word `i` from the heads 0 .. n. The last action is the arc without a label,
    the others are labels. An arc between tags of the groups `g` and `d` may have the labels
    ``label_offsets[c] .. label_offsets[c + 1] - 1`` of `labels`, at least one, where ``c`` is
    ``(g * groups + d) * 2``, plus 1 if the dependent follows its head.
    """
    base: longlong = 0
    attach: longlong = arcs.actions - 1
    with cython.nogil:
        for s in range(first, last):
            n: longlong = offsets[s + 1] - offsets[s]
            arcs.enter(offsets[s] + 3 * s + 1, n)
            column: longlong = 2 * arcs.columns + arcs.start
            for head in range(n + 1):
                if head > 0:
                    cell_score[base + (head - 1) * (n + 1) + head] = IMPOSSIBLE_ARC
                    cell_label[base + (head - 1) * (n + 1) + head] = -1
                for side in range(2):
                    arcs.begin()
                    i: longlong = head + 2 * side - 1
                    while 1 <= i <= n:
                        arcs.fill_keys(head, i)
                        arcs.rate()
                        pair: longlong = (
                            arcs.ids[column + head] * groups + arcs.ids[column + i]
                        ) * 2 + side
                        best_label: longlong = labels[label_offsets[pair]]
                        for k in range(label_offsets[pair], label_offsets[pair + 1]):
                            if arcs.total[labels[k]] > arcs.total[best_label]:
                                best_label = labels[k]
                        best: longlong = arcs.total[best_label] + arcs.total[attach]
                        best = (
                            LARGEST_ARC_SCORE
                            if best > LARGEST_ARC_SCORE
                            else (-LARGEST_ARC_SCORE if best < -LARGEST_ARC_SCORE else best)
                        )
                        cell_score[base + (i - 1) * (n + 1) + head] = best
                        cell_label[base + (i - 1) * (n + 1) + head] = best_label
                        arcs.pass_by(i)
                        i += 2 * side - 1
            base += n * (n + 1)


def arc_features(
    arcs: ArcFeatures,
    n: longlong,
    heads: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    requested: cython.const[cython.int][::1],
    attach: cython.int,
    keys: ulonglong[::1],
    actions: cython.int[::1],
) -> int:
    """Write the features of arcs of one sentence of `n` words; return their number.

    The arc to a word is left out if ``wanted`` is 0; 1 writes the features of the unlabelled arc
    (with the action `attach`), 2 those of its label, 3 both.

    An arc has at most ``2 * (17 + d)`` keys, where `d` is the smaller of the sentence's length and
    the number of tags; with groups, ``4 * (19 + d)``.
    """
    done: longlong = 0
    with cython.nogil:
        arcs.enter(1, n)
        for i in range(1, n + 1):
            if requested[i - 1] == 0:
                continue
            arcs.begin()
            step: longlong = 1 if heads[i - 1] < i else -1
            head: longlong = heads[i - 1] + step
            while head != i:
                arcs.pass_by(head)
                head += step
            arcs.fill_keys(heads[i - 1], i)
            for k in range(arcs.asked):
                if requested[i - 1] != 2:
                    keys[done] = arcs.asked_key[k]
                    actions[done] = attach
                    done += 1
                if requested[i - 1] != 1:
                    keys[done] = arcs.asked_key[k]
                    actions[done] = labels[i - 1]
                    done += 1
    return done


@cython.cclass
class SpanningTrees:
    """Finds the best tree, and the loss of the second best, of one task after the other."""

    cython.declare(cell=cython.const[longlong][::1], base=longlong, n=longlong)
    # Per node (words 1 .. n, then cycles) the score of the best arc from each position.
    cython.declare(row=longlong[::1], chosen=cython.int[::1])
    # 0 not reached, 1 on the path, 2 done.
    cython.declare(state=cython.int[::1], place=cython.int[::1], path=cython.int[::1])
    # The nodes of a cycle.
    cython.declare(member=cython.int[::1], sibling=cython.int[::1], nodes=longlong)
    # Per position: the node that currently contains it.
    cython.declare(node=cython.int[::1], head=cython.int[::1])
    # Per word: the node that its chosen arc enters.
    cython.declare(entered=cython.int[::1], stack=cython.int[::1], stack_head=cython.int[::1])
    cython.declare(stack_entered=cython.int[::1])
    # Per position: its preorder number, and that of its last descendant.
    cython.declare(enter=cython.int[::1], leave=cython.int[::1])
    # Four numbers per condition: head, word, whether the arc is required, the previous condition.
    cython.declare(conditions=cython.const[cython.int][::1])
    # The tree of the task.
    cython.declare(heads=cython.int[::1], at=longlong)
    # The word whose arc the second best tree changes, 0 without such a tree; the loss in score.
    cython.declare(cut=longlong, loss=longlong)

    def __init__(self, longest: Py_ssize_t):
        """Allocate arrays for sentences of up to `longest` words."""
        nodes = array("i", bytes(8 * longest + 8))
        self.row = array("q", bytes(16 * longest * (longest + 1)))
        self.chosen, self.state, self.place, self.path = nodes[:], nodes[:], nodes[:], nodes[:]
        self.member, self.sibling, self.node, self.head = nodes[:], nodes[:], nodes[:], nodes[:]
        self.entered, self.stack, self.stack_head = nodes[:], nodes[:], nodes[:]
        self.stack_entered, self.enter, self.leave = nodes[:], nodes[:], nodes[:]

    @cython.cfunc
    @cython.nogil
    def set_up(self, condition: longlong, is_known: bint) -> void:
        """Fill the rows of the words; arcs of a known tree score a little more."""
        self.nodes = self.n
        self.node[0] = 0
        for word in range(1, self.n + 1):
            self.node[word] = cython.cast(cython.int, word)
            self.state[word] = self.member[word] = 0
            start: longlong = (word - 1) * (self.n + 1)
            for head in range(self.n + 1):
                score: longlong = self.cell[self.base + start + head]
                self.row[start + head] = (
                    IMPOSSIBLE_ARC if score == IMPOSSIBLE_ARC else score * (2 * self.n + 1)
                )
            self.row[start + word] = IMPOSSIBLE_ARC
            if is_known:
                self.row[start + self.heads[self.at + word - 1]] += 1
        while condition >= 0:
            start = (self.conditions[4 * condition + 1] - 1) * (self.n + 1)
            for head in range(self.n + 1):
                if (head == self.conditions[4 * condition]) != self.conditions[4 * condition + 2]:
                    self.row[start + head] = IMPOSSIBLE_ARC
            condition = self.conditions[4 * condition + 3]

    @cython.cfunc
    @cython.nogil
    def gain(self, node: longlong, head: longlong) -> longlong:
        """Return the score of the best arc from `head` into a node minus that of the chosen one."""
        start: longlong = (node - 1) * (self.n + 1)
        score: longlong = self.row[start + head]
        return (
            IMPOSSIBLE_ARC
            if score == IMPOSSIBLE_ARC
            else score - self.row[start + self.chosen[node]]
        )

    @cython.cfunc
    @cython.nogil
    def choose(self, node: longlong) -> bint:
        """Choose the best arc into a node; the leftmost head wins ties."""
        start: longlong = (node - 1) * (self.n + 1)
        best: longlong = 0
        for head in range(1, self.n + 1):
            if self.row[start + head] > self.row[start + best]:
                best = head
        self.chosen[node] = cython.cast(cython.int, best)
        return self.row[start + best] != IMPOSSIBLE_ARC

    @cython.cfunc
    @cython.nogil
    def contract(self, first: longlong, last: longlong) -> void:
        """Contract the nodes on the path from `first` on into the first one."""
        cython.declare(k=longlong)
        node: longlong = self.nodes + 1
        start: longlong = (node - 1) * (self.n + 1)
        self.nodes = node
        self.member[node] = 0
        for k in range(first, last):
            self.sibling[self.path[k]] = self.member[node]
            self.member[node] = self.path[k]
        for head in range(self.n + 1):
            self.row[start + head] = IMPOSSIBLE_ARC
            k = self.node[head]
            if k > 0 and self.state[k] == 1 and self.place[k] >= first:
                self.node[head] = cython.cast(cython.int, node)
                continue
            k = self.member[node]
            while k > 0:
                gain: longlong = self.gain(k, head)
                if gain > self.row[start + head]:
                    self.row[start + head] = gain
                k = self.sibling[k]
        self.path[first] = cython.cast(cython.int, node)
        self.place[node] = cython.cast(cython.int, first)
        self.state[node] = 1

    @cython.cfunc
    @cython.nogil
    def solve(self) -> bint:
        """Find the best tree for the rows of scores; return False without any tree."""
        for word in range(1, self.n + 1):
            node: longlong = self.node[word]
            length: longlong = 0
            while self.state[node] == 0 or (length > 0 and self.state[node] == 1):
                if self.state[node] == 0:
                    self.state[node] = 1
                    self.place[node] = cython.cast(cython.int, length)
                    self.path[length] = cython.cast(cython.int, node)
                    length += 1
                else:
                    k: longlong = self.place[node]
                    self.contract(k, length)
                    length = k + 1
                if not self.choose(self.path[length - 1]):
                    return False
                node = self.node[self.chosen[self.path[length - 1]]]
                if node == 0:
                    break
            for k in range(length):
                self.state[self.path[k]] = 2
        self.expand()
        return True

    @cython.cfunc
    @cython.nogil
    def target(self, node: longlong, head: longlong) -> longlong:
        """Return the member of a cycle that the best arc from `head` enters."""
        best: longlong = self.member[node]
        k: longlong = self.sibling[best]
        while k > 0:
            if self.gain(k, head) > self.gain(best, head):
                best = k
            k = self.sibling[k]
        return best

    @cython.cfunc
    @cython.nogil
    def expand(self) -> void:
        """Write the head of each word: an arc into a cycle replaces that of the word it enters."""
        cython.declare(k=longlong)
        length: longlong = 0
        for k in range(1, self.nodes + 1):
            self.state[k] = 0
        for k in range(1, self.n + 1):
            node: longlong = self.node[k]
            if self.state[node] == 0:
                self.state[node] = 1
                self.stack[length] = self.node[k]
                self.stack_head[length] = self.chosen[node]
                self.stack_entered[length] = self.node[k]
                length += 1
        while length > 0:
            length -= 1
            node = self.stack[length]
            head: cython.int = self.stack_head[length]
            entered: cython.int = self.stack_entered[length]
            if self.member[node] == 0:
                self.head[node] = head
                self.entered[node] = entered
                continue
            target: longlong = self.target(node, head)
            k = self.member[node]
            while k > 0:
                self.stack[length] = cython.cast(cython.int, k)
                self.stack_head[length] = head if k == target else self.chosen[k]
                self.stack_entered[length] = entered if k == target else cython.cast(cython.int, k)
                length += 1
                k = self.sibling[k]

    @cython.cfunc
    @cython.nogil
    def walk(self) -> void:
        """Number the positions in preorder: descendants of a word follow it."""
        cython.declare(k=longlong, word=longlong)
        number: longlong = 0
        # Children as lists: the first one in `stack`, the next in `stack_head`.
        for k in range(self.n + 1):
            self.stack[k] = 0
        for k in range(1, self.n + 1):
            self.stack_head[k] = self.stack[self.head[k]]
            self.stack[self.head[k]] = cython.cast(cython.int, k)
        word = self.enter[0] = 0
        while True:
            k = self.stack[word]
            if k > 0:
                self.stack[word] = self.stack_head[k]
                number += 1
                self.enter[k] = cython.cast(cython.int, number)
                word = k
            else:
                self.leave[word] = cython.cast(cython.int, number)
                if word == 0:
                    return
                word = self.head[word]

    @cython.cfunc
    @cython.nogil
    def other_target(self, node: longlong, head: longlong) -> longlong:
        """Return the score of the second best arc from `head` into a node."""
        lost: longlong = 0
        best: longlong = IMPOSSIBLE_ARC
        while self.member[node] > 0:
            target: longlong = self.target(node, head)
            k: longlong = self.member[node]
            while k > 0:
                gain: longlong = self.gain(k, head)
                if k != target and gain != IMPOSSIBLE_ARC and gain - lost > best:
                    best = gain - lost
                k = self.sibling[k]
            lost += self.row[(target - 1) * (self.n + 1) + self.chosen[target]]
            node = target
        return best

    @cython.cfunc
    @cython.nogil
    def find_cut(self) -> void:
        """Find the arc of the best tree that is not in the second best tree."""
        self.cut = 0
        self.loss = -IMPOSSIBLE_ARC
        self.walk()
        for word in range(1, self.n + 1):
            node: longlong = self.entered[word]
            start: longlong = (node - 1) * (self.n + 1)
            best: longlong = self.other_target(node, self.head[word])
            for head in range(self.n + 1):
                if (
                    self.row[start + head] > best
                    and head != self.head[word]
                    and (self.enter[head] < self.enter[word] or self.enter[head] > self.leave[word])
                ):
                    best = self.row[start + head]
            if best != IMPOSSIBLE_ARC:
                loss: longlong = self.row[start + self.head[word]] - best
                if loss < self.loss:
                    self.loss = loss
                    self.cut = word

    @cython.cfunc
    @cython.nogil
    def find(self, condition: longlong) -> bint:
        """Find the tree of the task; return False if none has a single word at the root."""
        roots: longlong = 0
        self.set_up(condition, False)
        if not self.solve():
            return False
        for word in range(1, self.n + 1):
            roots += 1 if self.head[word] == 0 else 0
            self.heads[self.at + word - 1] = self.head[word]
        return roots <= 1


def best_trees(
    trees: SpanningTrees,
    cell: cython.const[longlong][::1],
    cell_offsets: cython.const[longlong][::1],
    lengths: cython.const[longlong][::1],
    sentence: cython.const[longlong][::1],
    place: cython.const[longlong][::1],
    is_known: cython.const[cython.int][::1],
    condition: cython.const[cython.int][::1],
    conditions: cython.const[cython.int][::1],
    with_second: bint,
    heads: cython.int[::1],
    score: longlong[::1],
    second: longlong[::1],
    cut: cython.int[::1],
    tasks: Py_ssize_t,
) -> None:
    """Find the best tree of each task, the second best score, and the arc that it changes.

    Row ``i - 1`` of a sentence's cells has the scores of the arcs to word `i` from the heads 0 ..
    n; -2**62 for impossible arcs. Task `t` is about the trees of sentence ``sentence[t]`` that
    fulfil condition ``condition[t]`` and those before it (-1 for none): that the word has the head
    (``wanted`` 1), or another head. The heads of task `t` start at ``place[t]``: they are written,
    or read if ``known[t]`` says that the best tree is known. ``cut[t]`` is a word with another head
    in the second best tree, 0 if no other tree fulfils the conditions, -1 if no tree with a single
    root word does.
    """
    trees.cell, trees.conditions, trees.heads = cell, conditions, heads
    with cython.nogil:
        for t in range(tasks):
            trees.base = cell_offsets[sentence[t]]
            trees.n = lengths[sentence[t]]
            trees.at = place[t]
            cut[t] = -1
            if is_known[t] == 0 and not trees.find(condition[t]):
                continue
            score[t] = 0
            for i in range(trees.n):
                score[t] += cell[trees.base + i * (trees.n + 1) + heads[trees.at + i]]
            cut[t] = 0
            if with_second:
                trees.set_up(condition[t], True)
                trees.solve()
                trees.find_cut()
                cut[t] = cython.cast(cython.int, trees.cut)
                second[t] = score[t] - trees.loss // (2 * trees.n + 1)
