"""The arc-eager system with exactly one root: derivations of trees, and the search for the best.

Words wait in the buffer and go to a stack; N0 is the first word of the buffer and S0 the top of the
stack. SHIFT moves N0 to the stack; LEFT-ARC gives S0 the head N0 and removes it; RIGHT-ARC gives N0
the head S0 and moves it to the stack; REDUCE removes S0, which has a head; POP-ROOT ends by
removing the word that has none. Each word comes once and goes once: `n` words, ``2 * n`` actions.
As REDUCE never comes directly before SHIFT, a tree has one derivation.

The search keeps a beam of items. An item is small: the top of its stack, the first word of its
buffer and a few numbers. What is known of a word (its arc to its head, its children on both sides)
is kept in a node that never changes, so that items share all that they have in common: the cost
of an action depends neither on the length of the sentence nor on the depth of the stack.

An action is scored by the weights of features. An atom of a feature is one of the parts of an item
(numbers, some of which name words of the sentence, counted from 1, with 0 for none) or a column of
the word that a part names; a feature is a key mixed from the atoms of a template. Templates that
look at the same parts form a group; the scores that a group gives to all actions are kept under
the parts' hash, since many items of a sentence look the same in most parts.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, uchar, ulonglong, void
from cython.cimports.wordorder.kernels.weights import Scorer

SHIFT = cython.declare(cython.int, 0)
REDUCE = cython.declare(cython.int, 1)
POP_ROOT = cython.declare(cython.int, 2)
# From here on first all left arcs by label, then all right arcs.
ARCS = cython.declare(cython.int, 3)

# What is known of an item.
ITEM = cython.declare(cython.int, 5)
TOP = cython.declare(cython.int, 0)
FRONT = cython.declare(cython.int, 1)
NEXT = cython.declare(cython.int, 2)
HEADLESS = cython.declare(cython.int, 3)
REDUCED = cython.declare(cython.int, 4)

# What is known of a word on the stack, or of N0: the word, the node below it, its label; the number
# of its children on the left, the outermost with its label, the next one with its label, the set of
# all labels as two times 31 bits; and the same on the right. Words and labels count from 1.
NODE = cython.declare(cython.int, 17)
BELOW = cython.declare(cython.int, 1)
LABEL = cython.declare(cython.int, 2)
LEFT = cython.declare(cython.int, 3)
RIGHT = cython.declare(cython.int, 10)
SIDE = cython.declare(cython.int, 7)

# The parts of an item, as `parsing.transition.feature_sets` names them: the node of S0, with the
# word below it; the left side of N0; N0 to N3; the distance; the label of the word below S0; the
# head of S0, its label and its head.
PARTS = cython.declare(cython.int, 33)
LOWEST = cython.declare(longlong, -(1 << 62))
MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
MIX = cython.declare(ulonglong, 0xD6E8FEB86659FD93)
# At least so many scores of a group are kept.
LEAST_SLOTS = cython.declare(longlong, 64)
# Templates of so many items are looked up together: what the delays of memory overlap.
TOGETHER = cython.declare(Py_ssize_t, 4)


def derivations(
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
    """Write the actions of each tree from ``2 * offsets[row]`` on; `derived` says if there are any.

    There are none for a tree that is not projective or has not exactly one root, or for heads that
    are no word of the sentence. Heads are counted from 1, 0 is the root. Scratch: two arrays of the
    longest row.
    """
    cython.declare(depth=longlong, coming=longlong)
    with cython.nogil:
        for row in range(rows):
            start: longlong = offsets[row]
            n: longlong = offsets[row + 1] - start
            # The first word that each word is linked with, itself if none comes before it.
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
                    actions[place] = ARCS + labels[start + top]
                    depth -= 1
                    reduced = False
                elif depth > 0 and coming < n and heads[start + coming] - 1 == top:
                    actions[place] = ARCS + label_count + labels[start + coming]
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


def trees(
    actions: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    label_count: cython.int,
    heads: cython.int[::1],
    labels: cython.int[::1],
    rows: Py_ssize_t,
    stack: cython.int[::1],
) -> None:
    """Write the tree of each derivation, which begins at ``2 * offsets[row]`` on.

    The label of the root is `label_count`. Scratch: an array of the longest row.
    """
    cython.declare(depth=longlong, coming=cython.int)
    with cython.nogil:
        for row in range(rows):
            start: longlong = offsets[row]
            depth = coming = 0
            for place in range(2 * start, 2 * offsets[row + 1]):
                action: cython.int = actions[place]
                if action == SHIFT or action >= ARCS + label_count:
                    if action != SHIFT:
                        heads[start + coming] = stack[depth - 1] + 1
                        labels[start + coming] = action - ARCS - label_count
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
                    labels[start + stack[depth]] = action - ARCS


@cython.final
@cython.cclass
class Beam(Scorer):
    """Sentences, templates and weights in the caller's arrays; the search of one sentence."""

    # The sentences: `columns` numbers of each word, and its class.
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
    # What is kept: `slots` times the sums of all actions for each group, the hash of the parts, and
    # when they were used last; and where the sums of each item and group start.
    cython.declare(slots=longlong, kept_key=ulonglong[::1])
    cython.declare(kept_use=longlong[::1], base=longlong[::1])
    # What each part adds to such a hash, and by what it is multiplied.
    cython.declare(share=ulonglong[::1], factor=ulonglong[::1])
    # A sentence that is searched has a number of its own, far from others, as has a use.
    cython.declare(searched=ulonglong, used=longlong)
    # The atoms of an item, and the scores of all its actions.
    cython.declare(atom=cython.int[::1], total=cython.int[::1])
    # The sentence: its first word and its length. Up to `width` items are in different halves
    # before and after a step.
    cython.declare(start=longlong, n=longlong, width=longlong, count=cython.int)
    cython.declare(items=cython.int[::1], scores=longlong[::1], parts=cython.int[::1])
    cython.declare(nodes=cython.int[::1], node_count=cython.int, back_item=cython.int[::1])
    cython.declare(back_action=cython.int[::1], heap_score=longlong[::1], heap_order=longlong[::1])
    # How far the best item is ahead of the gold one after each step.
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
        """Make room for `width` items and sentences of up to `longest` words."""
        self.templates = template_start.shape[0] - 1
        super().__init__(TOGETHER * self.templates + 1, ARCS + 2 * arcs[0])
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
        self.slots = LEAST_SLOTS
        while self.slots < 4 * width:
            self.slots *= 2
        self.sums = ints * (self.groups * self.slots * self.actions)
        self.kept_key = keys * (self.groups * self.slots)
        self.kept_use = longs * (self.groups * self.slots)
        self.base = longs * (width * self.groups)
        self.share, self.factor = keys * PARTS, keys * PARTS
        # Well mixed numbers: no small multiples of them have the same sum.
        mixed: ulonglong = MIX
        for i in range(PARTS):
            mixed = (mixed * MIX) & MASK64
            mixed ^= mixed >> 32
            self.factor[i] = mixed
        self.total = ints * self.actions
        self.searched = self.used = 0
        self.atom = ints * (self.atoms + 1)
        self.width, self.count, self.node_count = width, 0, 0
        self.items = ints * (2 * width * ITEM)
        self.scores = longs * (2 * width)
        self.parts = ints * (width * PARTS)
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
            part: longlong = self.parts[row * PARTS + self.atom_part[i]]
            if part > 0 and self.atom_column[i] >= 0:
                part = self.words[(self.start + part - 1) * self.columns + self.atom_column[i]]
            self.atom[i] = cython.cast(cython.int, part)

    @cython.cfunc
    @cython.nogil
    def key_of(self, template: Py_ssize_t) -> ulonglong:
        """Return the key of a template's feature; 0 where its first atom is not there."""
        begin: Py_ssize_t = self.template_start[template]
        key: ulonglong = self.seeds[template]
        if self.atom[self.template_atoms[begin]] == 0:
            return 0
        for i in range(begin, self.template_start[template + 1]):
            key ^= cython.cast(ulonglong, self.atom[self.template_atoms[i]])
            key = (key * MIX) & MASK64
            key ^= key >> 32
        return key & self.key_mask

    @cython.cfunc
    @cython.nogil
    def rate(self) -> void:
        """Write where in `kept` the scores of all items are, finding those that do not."""
        self.used += 1
        for row in range(self.count):
            if self.asked > (TOGETHER - 1) * self.templates:
                self.sum_up()
            self.rate_item(row)
        self.sum_up()

    @cython.cfunc
    @cython.nogil
    def rate_item(self, row: longlong) -> void:
        """Write where in `kept` each group's scores of an item are; append what they lack."""
        ready: bint = False
        for i in range(PARTS):
            key: ulonglong = cython.cast(ulonglong, self.parts[row * PARTS + i])
            self.share[i] = (key * self.factor[i]) & MASK64
        for group in range(self.groups):
            # A sum, as no part has to wait for another.
            key = self.searched
            for i in range(self.group_part_start[group], self.group_part_start[group + 1]):
                key += self.share[self.group_parts[i]]
            key = ((key ^ ((key & MASK64) >> 32)) * MIX) & MASK64
            key ^= key >> 32
            slot: longlong = key & (self.slots - 1)
            at: longlong = group * self.slots + slot
            # What another item of this use needs stays.
            while self.kept_use[at] == self.used and self.kept_key[at] != key:
                slot = (slot + 1) & (self.slots - 1)
                at = group * self.slots + slot
            self.kept_use[at] = self.used
            self.base[row * self.groups + group] = at * self.actions
            if self.kept_key[at] == key:
                continue
            self.kept_key[at] = key
            at *= self.actions
            for i in range(at, at + self.actions):
                self.sums[i] = 0
            if not ready:
                self.read_atoms(row)
                ready = True
            for i in range(self.group_start[group], self.group_start[group + 1]):
                key = self.key_of(i)
                if key != 0:
                    self.asked_key[self.asked] = key
                    self.asked_base[self.asked] = at
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
        """Return a new node: a copy, or of `word` where `node` is -1, with one more child if any.

        The child is outside those that are there; words and labels count from 1.
        """
        new: Py_ssize_t = cython.cast(Py_ssize_t, self.node_count) * NODE
        at: Py_ssize_t = new + side
        for i in range(NODE):
            self.nodes[new + i] = self.nodes[node * NODE + i] if node >= 0 else 0
        if node < 0:
            self.nodes[new] = word
        if label > 0:
            self.nodes[at] += 1
            self.nodes[at + 3] = self.nodes[at + 1]
            self.nodes[at + 4] = self.nodes[at + 2]
            self.nodes[at + 1] = child
            self.nodes[at + 2] = label
            self.nodes[at + (5 if label < 32 else 6)] |= 1 << ((label - 1) % 31)
        self.node_count += 1
        return self.node_count - 1

    @cython.cfunc
    @cython.nogil
    def advance(self, source: Py_ssize_t, target: Py_ssize_t, action: cython.int) -> void:
        """Make the item at `target` from that at `source` (places in `items`)."""
        top: longlong = self.items[source + TOP]
        front: longlong = self.items[source + FRONT]
        coming: cython.int = self.items[source + NEXT] + 1
        below: cython.int = self.nodes[top * NODE + BELOW] if top >= 0 else -1
        headless: cython.int = self.items[source + HEADLESS]
        label: cython.int = action - ARCS + 1
        if action == REDUCE or action < ARCS + self.labels and action != SHIFT:
            # S0 goes.
            if action >= ARCS:
                front = self.node_with(front, coming, LEFT, self.nodes[top * NODE], label)
            headless -= 0 if action == REDUCE else 1
            top = below
            coming -= 1
        else:
            # N0 comes to the stack.
            label = 0 if action == SHIFT else label - self.labels
            headless += 1 if action == SHIFT else 0
            if label > 0:
                top = self.node_with(top, 0, RIGHT, coming, label)
            below = cython.cast(cython.int, top)
            top = self.node_with(front, coming, LEFT, 0, 0)
            self.nodes[top * NODE + BELOW] = below
            self.nodes[top * NODE + LABEL] = label
            front = -1
        self.items[target + TOP] = cython.cast(cython.int, top)
        self.items[target + FRONT] = cython.cast(cython.int, front)
        self.items[target + NEXT] = coming
        self.items[target + HEADLESS] = headless
        self.items[target + REDUCED] = 1 if action == REDUCE else 0

    @cython.cfunc
    @cython.nogil
    def look(self, item: Py_ssize_t, to: Py_ssize_t) -> void:
        """Write the parts of an item."""
        cython.declare(i=cython.int)
        top: longlong = self.items[item + TOP]
        front: longlong = self.items[item + FRONT]
        coming: cython.int = self.items[item + NEXT]
        for i in range(PARTS):
            self.parts[to + i] = 0
        if top >= 0:
            for i in range(NODE):
                self.parts[to + i] = self.nodes[top * NODE + i]
            i = coming + 1 - self.parts[to]
            if coming < self.n:
                self.parts[to + 28] = i if i < 6 else (6 if i < 11 else 7)
            top = self.nodes[top * NODE + BELOW]
            self.parts[to + BELOW] = 0
        if top >= 0:
            self.parts[to + BELOW] = self.nodes[top * NODE]
            self.parts[to + 29] = self.nodes[top * NODE + LABEL]
            if self.parts[to + LABEL] > 0:
                self.parts[to + 30] = self.nodes[top * NODE]
                self.parts[to + 31] = self.nodes[top * NODE + LABEL]
                if self.parts[to + 31] > 0:
                    top = self.nodes[top * NODE + BELOW]
                    self.parts[to + 32] = self.nodes[top * NODE]
        if front >= 0:
            for i in range(SIDE):
                self.parts[to + NODE + i] = self.nodes[front * NODE + LEFT + i]
        for i in range(4):
            if coming + i < self.n:
                self.parts[to + 24 + i] = coming + 1 + i

    @cython.cfunc
    @cython.nogil
    def offer(self, of: longlong, so_far: longlong, action: cython.int) -> void:
        """Keep what an item becomes by an action if that is among the best.

        The worst of them is on top of the heap; of equals those that come first are kept.
        """
        so_far += self.total[action]
        if so_far > self.heap_score[0]:
            self.sink(so_far, of * self.actions + action, self.width)

    @cython.cfunc
    @cython.nogil
    def sink(self, score: longlong, order: longlong, size: longlong) -> void:
        """Put an entry in place of the top of a heap."""
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
    def expand(self, of: longlong, item: Py_ssize_t, score: longlong) -> void:
        """Offer all that an item may become.

        The last word becomes the root on an empty stack, or a child if only one word of the stack
        has no head: so there will be exactly one root, and there is always a way to get there.
        """
        top: longlong = self.items[item + TOP]
        left: longlong = self.n - self.items[item + NEXT]
        headed: bint = top >= 0 and self.nodes[top * NODE + LABEL] > 0
        for group in range(self.groups):
            base: longlong = self.base[of * self.groups + group]
            for j in range(self.actions):
                self.total[j] = self.sums[base + j] + (self.total[j] if group > 0 else 0)
        if left > 0 and self.items[item + REDUCED] == 0 and (left > 1 or top < 0):
            self.offer(of, score, SHIFT)
        if headed:
            self.offer(of, score, REDUCE)
        elif top >= 0 and left == 0:
            self.offer(of, score, POP_ROOT)
        if top < 0 or left == 0:
            return
        ours: longlong = self.classes[self.start + self.nodes[top * NODE] - 1]
        other: longlong = self.classes[self.start + self.items[item + NEXT]]
        for right in range(1 if headed else 0, 2):
            if right == 1 and left == 1 and self.items[item + HEADLESS] > 1:
                continue
            pair: longlong = (
                ours * self.class_count + other if right else other * self.class_count + ours
            )
            pair = self.list_of[right * self.class_count * self.class_count + pair]
            for i in range(self.list_start[pair], self.list_start[pair + 1]):
                self.offer(of, score, ARCS + right * self.labels + self.list_labels[i])

    @cython.cfunc
    @cython.nogil
    def enter(self, sentence: Py_ssize_t) -> void:
        """Take up a sentence: one item, nothing known of its words."""
        self.searched = (self.searched + MIX) & MASK64
        self.start = self.offsets[sentence]
        self.n = self.offsets[sentence + 1] - self.start
        self.node_count = 0
        self.count = 1
        self.scores[0] = 0
        for i in range(ITEM):
            self.items[i] = -1 if i < NEXT else 0
        self.look(0, 0)

    @cython.cfunc
    @cython.nogil
    def step(self, step: longlong) -> void:
        """Replace the items by the best that they may become, best first."""
        now: longlong = (step & 1) * self.width
        then: longlong = (1 - (step & 1)) * self.width
        back: longlong = step * self.width
        self.rate()
        for i in range(self.width):
            self.heap_score[i] = LOWEST
            self.heap_order[i] = -1
        for i in range(self.count):
            self.expand(i, (now + i) * ITEM, self.scores[now + i])
        self.count = 0
        for i in range(self.width - 1, -1, -1):
            order: longlong = self.heap_order[0]
            if order >= 0:
                self.count += 1
                self.scores[then + i] = self.heap_score[0]
                self.back_item[back + i] = cython.cast(cython.int, order // self.actions)
                self.back_action[back + i] = cython.cast(cython.int, order % self.actions)
                order = (now + order // self.actions) * ITEM
                self.advance(order, (then + i) * ITEM, self.back_action[back + i])
                self.look((then + i) * ITEM, i * PARTS)
            self.sink(self.heap_score[i], self.heap_order[i], i)

    @cython.cfunc
    @cython.nogil
    def follow(self, action: cython.int, step: longlong) -> void:
        """Replace the only item by what it becomes by an action."""
        self.advance((step & 1) * ITEM, (1 - (step & 1)) * ITEM, action)
        self.look((1 - (step & 1)) * ITEM, 0)

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
        """Write the actions that led to an item in so many steps."""
        for step in range(steps - 1, -1, -1):
            back: longlong = step * self.width + item
            path[begin + step] = self.back_action[back]
            item = self.back_item[back]


def best_derivations(
    beam: Beam,
    most: longlong,
    paths: cython.int[::1],
    scores: longlong[::1],
    counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write up to `most` derivations of each sentence ``first .. last-1``, best first.

    There is room for as many of each, in `paths` and in `scores`; `counts` says how many there are.
    """
    with cython.nogil:
        begin: longlong = beam.offsets[first]
        for s in range(last - first):
            beam.enter(first + s)
            for i in range(2 * beam.n):
                beam.step(i)
            counts[s] = beam.count if beam.count < most else most
            for i in range(counts[s]):
                scores[most * s + i] = beam.scores[i]
                place: longlong = 2 * (most * (beam.start - begin) + i * beam.n)
                beam.write_path(i, 2 * beam.n, paths, place)


def find_mistake(
    beam: Beam,
    sentence: Py_ssize_t,
    gold: cython.const[cython.int][::1],
    early: bint,
    path: cython.int[::1],
) -> int:
    """Write the actions of the best item up to where weights should change; return how many.

    With `early` that is as soon as no item is gold, or at the end; else where the best item is
    farthest ahead of the gold one. None if the best item is gold at the end.
    """
    steps: longlong = 0
    # Where the gold item is, -1 for nowhere, and before this step.
    item: longlong = 0
    score: longlong = 0
    with cython.nogil:
        beam.enter(sentence)
        for step in range(2 * beam.n):
            before: longlong = item
            item = -1
            beam.step(step)
            for i in range(beam.count):
                if (
                    beam.back_item[step * beam.width + i] == before
                    and beam.back_action[step * beam.width + i] == gold[step]
                ):
                    item = i
            beam.lead[step] = beam.scores[(1 - (step & 1)) * beam.width] if item != 0 else LOWEST
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
                if beam.lead[step] > LOWEST:
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
    """Add the score of each derivation, which begins at ``2 * offsets[row]`` on."""
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
    """Write the keys of all templates before actions ``first .. last-1``, 0 where there is none."""
    with cython.nogil:
        beam.enter(sentence)
        for step in range(last):
            if step >= first:
                beam.read_atoms(0)
                for i in range(beam.templates):
                    keys[(step - first) * beam.templates + i] = beam.key_of(i)
            beam.follow(actions[step], step)
