"""Beams of the arc-eager system with exactly one root, in several lanes: a sentence in each.

An item of a beam is small: the top of its stack, the first word of its buffer and a few numbers.
What is known of a word (its arc to its head, its children on both sides) stands in a node that is
never changed, so that items share all that they have in common: the cost of an action depends
neither on the length of the sentence nor on the depth of the stack. See `arc_eager` for actions.
"""

import cython

SHIFT = cython.declare(cython.int, 0)
REDUCE = cython.declare(cython.int, 1)
POP_ROOT = cython.declare(cython.int, 2)
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

# What scores may depend on, as `parsing.transition.feature_sets` knows it: the node of S0, with the
# word below it; the left side of N0; N0 to N3; the distance; the label of the word below S0; the
# head of S0, its label and its head.
PARTS = cython.declare(cython.int, 33)
LOWEST = cython.declare(cython.longlong, -(1 << 62))


@cython.cclass
class Beam:
    """The items of all lanes, in the caller's arrays."""

    # The sentences, and the class of each word.
    offsets: cython.const[cython.longlong][::1]
    classes: cython.const[cython.int][::1]
    # The labels that arcs between words of two classes may have.
    labels: cython.int
    actions: cython.longlong
    class_count: cython.longlong
    list_of: cython.const[cython.int][::1]
    list_start: cython.const[cython.int][::1]
    list_labels: cython.const[cython.int][::1]
    # The scores of a row, group and action: ``kept[base[row * groups + group] + action]``.
    kept: cython.const[cython.longlong][::1]
    base: cython.const[cython.longlong][::1]
    groups: cython.longlong
    # Lane `l` has up to `width` items; before and after a step they stand in different halves.
    lanes: cython.longlong
    width: cython.longlong
    sentence: cython.const[cython.longlong][::1]
    counts: cython.int[::1]
    items: cython.int[::1]
    scores: cython.longlong[::1]
    parts: cython.int[::1]
    nodes: cython.int[::1]
    node_count: cython.int
    back_item: cython.int[::1]
    back_action: cython.int[::1]
    heap_score: cython.longlong[::1]
    heap_order: cython.longlong[::1]

    def __init__(
        self,
        offsets: cython.const[cython.longlong][::1],
        classes: cython.const[cython.int][::1],
        arcs: cython.const[cython.int][::1],
        kept: cython.const[cython.longlong][::1],
        base: cython.const[cython.longlong][::1],
        lanes: cython.longlong,
        width: cython.longlong,
        sentence: cython.const[cython.longlong][::1],
        counts: cython.int[::1],
        items: cython.int[::1],
        scores: cython.longlong[::1],
        parts: cython.int[::1],
        nodes: cython.int[::1],
        back: cython.int[::1],
        heap: cython.longlong[::1],
    ):
        lists: cython.Py_ssize_t
        self.offsets = offsets
        self.classes = classes
        self.labels = arcs[0]
        self.actions = ARCS + 2 * arcs[0]
        self.class_count = arcs[1]
        lists = 3 + 2 * self.class_count * self.class_count
        self.list_of = arcs[3:lists]
        self.list_start = arcs[lists : lists + arcs[2] + 1]
        self.list_labels = arcs[lists + arcs[2] + 1 :]
        self.kept = kept
        self.base = base
        self.groups = base.shape[0] // (lanes * width)
        self.lanes = lanes
        self.width = width
        self.sentence = sentence
        self.counts = counts
        self.items = items
        self.scores = scores
        self.parts = parts
        self.nodes = nodes
        self.node_count = 0
        self.back_item = back[: back.shape[0] // 2]
        self.back_action = back[back.shape[0] // 2 :]
        self.heap_score = heap[:width]
        self.heap_order = heap[width:]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def node_with(
        self,
        node: cython.longlong,
        word: cython.int,
        side: cython.int,
        child: cython.int,
        label: cython.int,
    ) -> cython.int:
        """Return a new node: a copy, or of `word` where `node` is -1, with one more child if any.

        The child stands outside of those that are there; words and labels count from 1.
        """
        i: cython.Py_ssize_t
        new: cython.Py_ssize_t = cython.cast(cython.Py_ssize_t, self.node_count) * NODE
        at: cython.Py_ssize_t = new + side
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
    @cython.exceptval(check=False)
    def advance(
        self, source: cython.Py_ssize_t, target: cython.Py_ssize_t, action: cython.int
    ) -> cython.void:
        """Make the item at `target` from that at `source` (places in `items`)."""
        top: cython.longlong = self.items[source + TOP]
        front: cython.longlong = self.items[source + FRONT]
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
    @cython.exceptval(check=False)
    def look(
        self, item: cython.Py_ssize_t, to: cython.Py_ssize_t, n: cython.longlong
    ) -> cython.void:
        """Write the parts of an item of a sentence of `n` words."""
        top: cython.longlong = self.items[item + TOP]
        front: cython.longlong = self.items[item + FRONT]
        coming: cython.int = self.items[item + NEXT]
        i: cython.int
        for i in range(PARTS):
            self.parts[to + i] = 0
        if top >= 0:
            for i in range(NODE):
                self.parts[to + i] = self.nodes[top * NODE + i]
            i = coming + 1 - self.parts[to]
            if coming < n:
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
            if coming + i < n:
                self.parts[to + 24 + i] = coming + 1 + i

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def offer(
        self, row: cython.longlong, of: cython.longlong, so_far: cython.longlong, action: cython.int
    ) -> cython.void:
        """Keep what an item becomes by an action if that is among the best.

        The worst of them is on top of the heap; of equals those that come first are kept.
        """
        group: cython.longlong
        for group in range(row * self.groups, (row + 1) * self.groups):
            so_far += self.kept[self.base[group] + action]
        if so_far > self.heap_score[0]:
            self.sink(so_far, of * self.actions + action, self.width)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def sink(
        self, score: cython.longlong, order: cython.longlong, size: cython.longlong
    ) -> cython.void:
        """Put an entry in place of the top of a heap."""
        i: cython.longlong = 0
        down: cython.longlong = 1
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
    @cython.exceptval(check=False)
    def expand(
        self,
        row: cython.longlong,
        of: cython.longlong,
        item: cython.Py_ssize_t,
        score: cython.longlong,
        sentence: cython.longlong,
    ) -> cython.void:
        """Offer all that an item may become.

        The last word becomes the root on an empty stack, or a child if only one word of the stack
        has no head: so there will be exactly one root, and there is always a way to get there.
        """
        top: cython.longlong = self.items[item + TOP]
        start: cython.longlong = self.offsets[sentence]
        left: cython.longlong = self.offsets[sentence + 1] - start - self.items[item + NEXT]
        headed: cython.bint = top >= 0 and self.nodes[top * NODE + LABEL] > 0
        pair: cython.longlong
        right: cython.int
        i: cython.int
        ours: cython.longlong
        other: cython.longlong
        if left > 0 and self.items[item + REDUCED] == 0 and (left > 1 or top < 0):
            self.offer(row, of, score, SHIFT)
        if headed:
            self.offer(row, of, score, REDUCE)
        elif top >= 0 and left == 0:
            self.offer(row, of, score, POP_ROOT)
        if top < 0 or left == 0:
            return
        ours = self.classes[start + self.nodes[top * NODE] - 1]
        other = self.classes[start + self.items[item + NEXT]]
        for right in range(1 if headed else 0, 2):
            if right == 1 and left == 1 and self.items[item + HEADLESS] > 1:
                continue
            pair = ours * self.class_count + other if right else other * self.class_count + ours
            pair = self.list_of[right * self.class_count * self.class_count + pair]
            for i in range(self.list_start[pair], self.list_start[pair + 1]):
                self.offer(row, of, score, ARCS + right * self.labels + self.list_labels[i])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def step(self, lane: cython.longlong, step: cython.longlong) -> cython.void:
        """Replace the items of a lane by the best that they may become, best first."""
        i: cython.longlong
        now: cython.longlong = ((step & 1) * self.lanes + lane) * self.width
        then: cython.longlong = ((1 - (step & 1)) * self.lanes + lane) * self.width
        back: cython.longlong = (step * self.lanes + lane) * self.width
        order: cython.longlong
        sentence: cython.longlong = self.sentence[lane]
        n: cython.longlong = self.offsets[sentence + 1] - self.offsets[sentence]
        for i in range(self.width):
            self.heap_score[i] = LOWEST
            self.heap_order[i] = -1
        for i in range(self.counts[lane]):
            self.expand(lane * self.width + i, i, (now + i) * ITEM, self.scores[now + i], sentence)
        self.counts[lane] = 0
        for i in range(self.width - 1, -1, -1):
            order = self.heap_order[0]
            if order >= 0:
                self.counts[lane] += 1
                self.scores[then + i] = self.heap_score[0]
                self.back_item[back + i] = cython.cast(cython.int, order // self.actions)
                self.back_action[back + i] = cython.cast(cython.int, order % self.actions)
                order = (now + order // self.actions) * ITEM
                self.advance(order, (then + i) * ITEM, self.back_action[back + i])
                self.look((then + i) * ITEM, (lane * self.width + i) * PARTS, n)
            self.sink(self.heap_score[i], self.heap_order[i], i)


def begin(beam: Beam, first: cython.Py_ssize_t, last: cython.Py_ssize_t) -> None:
    """Put the first items of their sentences into lanes ``first .. last-1``."""
    lane: cython.longlong
    at: cython.longlong
    i: cython.longlong
    with cython.nogil:
        beam.node_count = 0
        for lane in range(first, last):
            at = beam.sentence[lane]
            beam.counts[lane] = 1 if beam.offsets[at + 1] > beam.offsets[at] else 0
            at = lane * beam.width
            beam.scores[at] = 0
            for i in range(ITEM):
                beam.items[at * ITEM + i] = -1 if i < NEXT else 0
            i = beam.sentence[lane]
            beam.look(at * ITEM, at * PARTS, beam.offsets[i + 1] - beam.offsets[i])


def take_step(
    beam: Beam,
    step: cython.longlong,
    item: cython.longlong,
    action: cython.longlong,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> int:
    """Take a step in lanes ``first .. last-1``, which are not at their end and have been rated.

    Returns where in the first lane an item is now with an action taken, -1 if nowhere.
    """
    lane: cython.longlong
    i: cython.longlong
    back: cython.longlong = (step * beam.lanes + first) * beam.width
    found: cython.longlong = -1
    with cython.nogil:
        for lane in range(first, last):
            beam.step(lane, step)
        for i in range(beam.counts[first]):
            if beam.back_item[back + i] == item and beam.back_action[back + i] == action:
                found = i
    return found


def derivation_parts(
    beam: Beam,
    actions: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the parts, row by row, of what actions ``first .. last-1`` of lane 0 are taken in."""
    step: cython.Py_ssize_t
    n: cython.longlong = beam.offsets[beam.sentence[0] + 1] - beam.offsets[beam.sentence[0]]
    with cython.nogil:
        for step in range(last):
            if step >= first:
                beam.look((step & 1) * ITEM, (step - first) * PARTS, n)
            beam.advance((step & 1) * ITEM, (1 - (step & 1)) * ITEM, actions[step])
