"""A linear model over tag sequences: a beam of tag pairs, and the mistakes a perceptron makes."""

from array import array

import cython

MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)
PRIME = cython.declare(cython.ulonglong, 0xD6E8FEB86659FD93)
# Below all scores.
NEVER = cython.declare(cython.longlong, -(1 << 62))


@cython.cclass
class Search:
    """The beam of one sentence after the other; the lattice is in arrays of the caller.

    A node is the tags of a word and of the word before; its arcs come from nodes of that word, or
    from -1. Of the `templates` keys of a word, the `fixed` ones are those of features, those up to
    `single` become so with the tag before, the rest with the two tags before.
    """

    keys: cython.const[cython.ulonglong][::1]
    templates: cython.longlong
    fixed: cython.longlong
    single: cython.longlong
    # The weights; see `parsing.weights`.
    table: cython.const[cython.ulonglong][::1]
    rows: cython.const[cython.longlong][::1]
    entries: cython.const[cython.int][::1]
    key_mask: cython.ulonglong
    tags: cython.longlong
    beam: cython.longlong
    every_arc: cython.bint
    # For each tag: without the tags before, with each tag before, and after each node.
    sums: cython.int[::1]
    group: cython.int[::1]
    group_tag: cython.int[::1]
    best_node: cython.int[::1]
    best: cython.longlong[::1]
    kept: cython.longlong[::1]
    kept_score: cython.longlong[::1]
    position_nodes: cython.longlong[::1]
    node_tag: cython.int[::1]
    node_before: cython.int[::1]
    node_score: cython.longlong[::1]
    node_arcs: cython.longlong[::1]
    arc_from: cython.longlong[::1]
    arc_score: cython.longlong[::1]
    positions: cython.longlong
    nodes: cython.longlong
    arcs: cython.longlong

    def __init__(
        self,
        templates: cython.longlong,
        fixed: cython.longlong,
        single: cython.longlong,
        tags: cython.longlong,
        beam: cython.longlong,
        every_arc: cython.bint,
    ):
        """Make room for a beam; `weigh` and `write_to` say what else is needed."""
        ints = array("i", [0])
        longs = array("q", [0])
        self.templates = templates
        self.fixed = fixed
        self.single = single
        self.tags = tags
        self.beam = beam
        self.every_arc = every_arc
        self.group = ints * beam
        self.group_tag = ints * beam
        self.best_node = ints * (beam * tags)
        self.sums = ints * ((2 * beam + 2) * tags)
        self.kept = longs * beam
        self.kept_score = longs * beam
        self.best = longs * (beam * tags)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def key(
        self,
        at: cython.longlong,
        template: cython.longlong,
        tag_1: cython.longlong,
        tag_2: cython.longlong,
    ) -> cython.ulonglong:
        """Return the key of a feature of the word at `at`, 0 if it has none by this template."""
        key: cython.ulonglong = self.keys[at * self.templates + template]
        if key == 0 or template < self.fixed:
            return key
        if template < self.single:
            tag_2 = -1
        tag_1 += 1 + (tag_2 + 1) * (self.tags + 2)
        key = ((key ^ cython.cast(cython.ulonglong, tag_1)) * PRIME) & MASK64
        key = ((key ^ (key >> 32)) * PRIME) & MASK64
        return key ^ (key >> 32)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def add(
        self,
        at: cython.longlong,
        first: cython.longlong,
        last: cython.longlong,
        tag_1: cython.longlong,
        tag_2: cython.longlong,
        base: cython.longlong,
    ) -> cython.void:
        """Add what the features of some templates weigh to the sums from `base` on."""
        cython.declare(template=cython.longlong, key=cython.ulonglong, slot=cython.ulonglong)
        cython.declare(row=cython.longlong, end=cython.longlong, i=cython.longlong)
        mask: cython.ulonglong = self.table.shape[0] - 1
        for template in range(first, last):
            key = self.key(at, template, tag_1, tag_2)
            if key == 0:
                continue
            key &= self.key_mask
            slot = (2 * key) & mask
            while self.table[slot + 1] != 0 and self.table[slot] != key:
                slot = (slot + 2) & mask
            row = self.table[slot + 1]
            if row > 0:
                end = 2 * (self.rows[2 * row - 2] + self.rows[2 * row - 1])
                for i in range(2 * self.rows[2 * row - 2], end, 2):
                    self.sums[base + self.entries[i]] += self.entries[i + 1]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def node(self, tag: cython.int, before: cython.int, score: cython.longlong) -> cython.void:
        """Append a node to the last position; its arcs follow."""
        self.node_tag[self.nodes] = tag
        self.node_before[self.nodes] = before
        self.node_score[self.nodes] = score
        self.nodes += 1
        self.position_nodes[self.positions] = self.nodes

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def arc(self, origin: cython.longlong, score: cython.longlong) -> cython.void:
        """Append an arc to the last node."""
        self.arc_from[self.arcs] = origin
        self.arc_score[self.arcs] = score
        self.arcs += 1
        self.node_arcs[self.nodes] = self.arcs

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def expand(
        self, first: cython.longlong, count: cython.longlong, at: cython.longlong
    ) -> cython.longlong:
        """Score each tag after the `count` nodes before; return how many tags these have."""
        cython.declare(base=cython.longlong, shared=cython.longlong, j=cython.longlong)
        cython.declare(g=cython.longlong, tag=cython.longlong)
        groups: cython.longlong = 0
        tags: cython.longlong = self.tags
        tag_1: cython.longlong = tags
        tag_2: cython.longlong = tags
        score: cython.longlong = 0
        for j in range(count):
            if first >= 0:
                tag_1 = self.node_tag[first + j]
                tag_2 = self.node_before[first + j]
                score = self.node_score[first + j]
            g = 0
            while g < groups and self.group_tag[g] != tag_1:
                g += 1
            shared = (1 + g) * tags
            if g == groups:
                groups += 1
                self.group_tag[g] = cython.cast(cython.int, tag_1)
                for tag in range(tags):
                    self.sums[shared + tag] = self.sums[tag]
                    self.best[g * tags + tag] = NEVER
                self.add(at, self.fixed, self.single, tag_1, tag_2, shared)
            self.group[j] = cython.cast(cython.int, g)
            base = (1 + self.beam + j) * tags
            for tag in range(tags):
                self.sums[base + tag] = self.sums[shared + tag]
            self.add(at, self.single, self.templates, tag_1, tag_2, base)
            for tag in range(tags):
                if score + self.sums[base + tag] > self.best[g * tags + tag]:
                    self.best[g * tags + tag] = score + self.sums[base + tag]
                    self.best_node[g * tags + tag] = cython.cast(cython.int, j)
        return groups

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def step(self, start: cython.longlong, at: cython.longlong) -> cython.void:
        """Append the nodes of the word at `at`, best first; its fixed features are summed up."""
        cython.declare(score=cython.longlong, place=cython.longlong, g=cython.longlong)
        cython.declare(j=cython.longlong, i=cython.longlong, base=cython.longlong)
        first: cython.longlong = -1
        count: cython.longlong = 1
        kept: cython.longlong = 0
        if at > start:
            first = self.position_nodes[self.positions - 1]
            count = self.nodes - first
        for place in range(self.expand(first, count, at) * self.tags):
            score = self.best[place]
            if kept == self.beam:
                if score <= self.kept_score[kept - 1]:
                    continue
                kept -= 1
            j = kept
            while j > 0 and self.kept_score[j - 1] < score:
                self.kept_score[j] = self.kept_score[j - 1]
                self.kept[j] = self.kept[j - 1]
                j -= 1
            self.kept_score[j] = score
            self.kept[j] = place
            kept += 1
        self.positions += 1
        for i in range(kept):
            place = self.kept[i]
            g = place // self.tags
            base = place - g * self.tags
            self.node(cython.cast(cython.int, base), self.group_tag[g], self.kept_score[i])
            base += (1 + self.beam) * self.tags
            for j in range(count):
                if j == self.best_node[place] or (self.every_arc and self.group[j] == g):
                    self.arc(first + j if first >= 0 else -1, self.sums[base + j * self.tags])

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def differ(
        self,
        better: cython.const[cython.int][::1],
        worse: cython.const[cython.int][::1],
        changed: cython.ulonglong[::1],
        actions: cython.int[::1],
        length: cython.longlong,
    ) -> cython.longlong:
        """Write key and tag of each feature that one sequence has and the other has not, in turn.

        Only the first `length` words are looked at. Returns how many were written.
        """
        cython.declare(at=cython.Py_ssize_t, i=cython.longlong, begin=cython.longlong)
        cython.declare(key=cython.ulonglong, tag_2=cython.longlong, wrong_2=cython.longlong)
        changes: cython.longlong = 0
        tag: cython.longlong = self.tags
        tag_1: cython.longlong = tag
        wrong: cython.longlong = tag
        wrong_1: cython.longlong = tag
        for at in range(length):
            tag_2 = tag_1
            tag_1 = tag
            tag = better[at]
            wrong_2 = wrong_1
            wrong_1 = wrong
            wrong = worse[at]
            begin = self.templates
            if tag_2 != wrong_2:
                begin = self.single
            if tag_1 != wrong_1:
                begin = self.fixed
            if tag != wrong:
                begin = 0
            for i in range(begin, self.templates):
                key = self.key(at, i, tag_1, tag_2)
                if key != 0:
                    changed[changes] = key
                    actions[changes] = cython.cast(cython.int, tag)
                    changed[changes + 1] = self.key(at, i, wrong_1, wrong_2)
                    actions[changes + 1] = cython.cast(cython.int, wrong)
                    changes += 2
        return changes


def weigh(
    search: Search,
    table: cython.const[cython.ulonglong][::1],
    rows: cython.const[cython.longlong][::1],
    entries: cython.const[cython.int][::1],
    key_mask: cython.ulonglong,
) -> None:
    """Score with these weights from now on."""
    search.table = table
    search.rows = rows
    search.entries = entries
    search.key_mask = key_mask


def write_to(
    search: Search,
    position_nodes: cython.longlong[::1],
    node_tag: cython.int[::1],
    node_before: cython.int[::1],
    node_score: cython.longlong[::1],
    node_arcs: cython.longlong[::1],
    arc_from: cython.longlong[::1],
    arc_score: cython.longlong[::1],
) -> None:
    """Write into this lattice from now on."""
    search.position_nodes = position_nodes
    search.node_tag = node_tag
    search.node_before = node_before
    search.node_score = node_score
    search.node_arcs = node_arcs
    search.arc_from = arc_from
    search.arc_score = arc_score
    search.positions = 0
    search.nodes = 0
    search.arcs = 0


def form_scores(
    search: Search,
    keys: cython.const[cython.ulonglong][::1],
    sums: cython.int[::1],
    words: cython.Py_ssize_t,
) -> None:
    """Sum up what the features of the word alone give each tag, for each of the words."""
    cython.declare(word=cython.Py_ssize_t, tag=cython.longlong)
    search.keys = keys
    with cython.nogil:
        for word in range(words):
            for tag in range(search.tags):
                search.sums[tag] = 0
            search.add(word, 0, search.templates, 0, 0, 0)
            for tag in range(search.tags):
                sums[word * search.tags + tag] = search.sums[tag]


def tag_rows(
    search: Search,
    keys: cython.const[cython.ulonglong][::1],
    words: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    word_sums: cython.const[cython.int][::1],
    rows: cython.Py_ssize_t,
) -> None:
    """Write the lattice of all sentences; `word_sums` are what `form_scores` found."""
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, i=cython.longlong)
    cython.declare(node=cython.longlong)
    search.keys = keys
    with cython.nogil:
        for row in range(rows):
            for at in range(offsets[row], offsets[row + 1]):
                for i in range(search.tags):
                    search.sums[i] = word_sums[words[at] * search.tags + i]
                search.add(at, 0, search.fixed, 0, 0, 0)
                search.step(offsets[row], at)
            # One node without a tag ends all sequences.
            search.positions += 1
            if offsets[row + 1] == offsets[row]:
                search.node(-1, -1, 0)
                search.arc(-1, 0)
                continue
            node = search.position_nodes[search.positions - 2]
            search.node(-1, -1, search.node_score[node])
            for i in range(node, search.nodes - 1 if search.every_arc else node + 1):
                search.arc(i, 0)


def learn_row(
    search: Search,
    keys: cython.const[cython.ulonglong][::1],
    gold: cython.const[cython.int][::1],
    margin: cython.int,
    found: cython.int[::1],
    changed: cython.ulonglong[::1],
    actions: cython.int[::1],
    length: cython.Py_ssize_t,
) -> int:
    """Tag a sentence of `length` words and return how many changes of weights it asks for.

    They are those of the words up to the one where the best sequence is farthest above the right
    one; the right tags count `margin` less. Each two changes are one up, one down.
    """
    cython.declare(at=cython.Py_ssize_t, i=cython.longlong, node=cython.longlong)
    cython.declare(gap=cython.longlong, tag_2=cython.longlong)
    changes: cython.longlong
    right: cython.longlong = 0
    widest: cython.longlong = -1
    worst: cython.longlong = -1
    tag: cython.longlong = search.tags
    tag_1: cython.longlong = tag
    search.keys = keys
    search.positions = 0
    search.nodes = 0
    search.arcs = 0
    with cython.nogil:
        for at in range(length):
            tag_2 = tag_1
            tag_1 = tag
            tag = gold[at]
            for i in range(search.tags):
                search.sums[i] = 0
            search.add(at, 0, search.fixed, 0, 0, 0)
            search.sums[tag] -= margin
            # The right tags need not be in the beam: their sums follow all others.
            node = (1 + 2 * search.beam) * search.tags
            for i in range(search.tags):
                search.sums[node + i] = search.sums[i]
            search.add(at, search.fixed, search.templates, tag_1, tag_2, node)
            right += search.sums[node + tag]
            search.step(0, at)
            gap = search.node_score[search.position_nodes[search.positions - 1]] - right
            if gap >= widest:
                widest = gap
                worst = at
        node = search.position_nodes[worst if worst > 0 else 0]
        for at in range(worst, -1, -1):
            found[at] = search.node_tag[node]
            node = search.arc_from[search.node_arcs[node]]
        changes = search.differ(gold, found, changed, actions, worst + 1)
    return changes


def favour_tags(
    search: Search,
    keys: cython.const[cython.ulonglong][::1],
    better: cython.const[cython.int][::1],
    worse: cython.const[cython.int][::1],
    changed: cython.ulonglong[::1],
    actions: cython.int[::1],
    length: cython.Py_ssize_t,
) -> int:
    """Write the changes of weights that favour one tag sequence over another; return how many.

    Each two of them are one up, one down.
    """
    changes: cython.longlong
    search.keys = keys
    with cython.nogil:
        changes = search.differ(better, worse, changed, actions, length)
    return changes
