"""The best spanning trees of sentences whose arcs have scores, with exactly one word at the root.

The best tree: Chu and Liu (1965), Edmonds (1967), for dense graphs in O(n^2) as Tarjan (1977): a
path is grown along the best arcs into its ends, and a cycle becomes one node. The next best ones:
Camerini, Fratta and Maffioli (1980): the set of all trees but those found is cut into sets that
share no tree, each given by arcs that are wanted and arcs that are not, and the best tree of each
differs from one that is known by one arc into a node.

Position 0 is the artificial root. The caller lowers the scores of all its arcs by more than any two
trees can differ, so that trees with a single word at the root precede all others. Ties are
broken by whole numbers too: scores are multiplied by more than twice the number of words, and each
arc of a known tree gets 1 more, so that it is found again where others are as good.
"""

import cython

# The score of an arc that cannot be.
NO_ARC = cython.declare(cython.longlong, -(1 << 62))


@cython.cclass
class Trees:
    """Solves one task after the other in the caller's arrays."""

    cell: cython.const[cython.longlong][::1]
    base: cython.longlong
    n: cython.longlong
    # Per node (words 1 .. n, then cycles) the score of the best arc from each position.
    row: cython.longlong[::1]
    chosen: cython.int[::1]
    # 0 not reached, 1 on the path, 2 done.
    state: cython.int[::1]
    place: cython.int[::1]
    path: cython.int[::1]
    # The nodes of a cycle.
    member: cython.int[::1]
    sibling: cython.int[::1]
    nodes: cython.longlong
    # Per position: the node that it is in now.
    node: cython.int[::1]
    head: cython.int[::1]
    # Per word: the node into which its arc was chosen.
    entered: cython.int[::1]
    stack: cython.int[::1]
    stack_head: cython.int[::1]
    stack_entered: cython.int[::1]
    # Per position: its number in a walk through the tree, and the last number below it.
    enter: cython.int[::1]
    leave: cython.int[::1]
    # Four numbers a condition: a head, its word, whether the arc is wanted, the condition before.
    conditions: cython.const[cython.int][::1]
    # The tree of the task.
    heads: cython.int[::1]
    at: cython.longlong
    # The word whose arc the second best tree changes, 0 if there is none, and what that loses.
    cut: cython.longlong
    loss: cython.longlong

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def set_up(self, condition: cython.longlong, known: cython.bint) -> cython.void:
        """Fill the rows of the words; each arc of a known tree is worth a little more."""
        cython.declare(word=cython.longlong, head=cython.longlong, start=cython.longlong)
        cython.declare(score=cython.longlong)
        self.nodes = self.n
        self.node[0] = 0
        for word in range(1, self.n + 1):
            self.node[word] = cython.cast(cython.int, word)
            self.state[word] = 0
            self.member[word] = 0
            start = (word - 1) * (self.n + 1)
            for head in range(self.n + 1):
                score = self.cell[self.base + start + head]
                self.row[start + head] = NO_ARC if score == NO_ARC else score * (2 * self.n + 1)
            self.row[start + word] = NO_ARC
            if known:
                self.row[start + self.heads[self.at + word - 1]] += 1
        while condition >= 0:
            start = (self.conditions[4 * condition + 1] - 1) * (self.n + 1)
            for head in range(self.n + 1):
                if (head == self.conditions[4 * condition]) != self.conditions[4 * condition + 2]:
                    self.row[start + head] = NO_ARC
            condition = self.conditions[4 * condition + 3]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def gain(self, node: cython.longlong, head: cython.longlong) -> cython.longlong:
        """Return by how much the best arc from `head` into a node is better than the chosen one."""
        start: cython.longlong = (node - 1) * (self.n + 1)
        score: cython.longlong = self.row[start + head]
        return NO_ARC if score == NO_ARC else score - self.row[start + self.chosen[node]]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def choose(self, node: cython.longlong) -> cython.bint:
        """Choose the best arc into a node, the one from the left among equals."""
        cython.declare(head=cython.longlong)
        start: cython.longlong = (node - 1) * (self.n + 1)
        best: cython.longlong = 0
        for head in range(1, self.n + 1):
            if self.row[start + head] > self.row[start + best]:
                best = head
        self.chosen[node] = cython.cast(cython.int, best)
        return self.row[start + best] != NO_ARC

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def contract(self, first: cython.longlong, last: cython.longlong) -> cython.void:
        """Make one node of those on the path from `first` on; it takes the place of the first."""
        cython.declare(k=cython.longlong, head=cython.longlong, gain=cython.longlong)
        node: cython.longlong = self.nodes + 1
        start: cython.longlong = (node - 1) * (self.n + 1)
        self.nodes = node
        self.member[node] = 0
        for k in range(first, last):
            self.sibling[self.path[k]] = self.member[node]
            self.member[node] = self.path[k]
        for head in range(self.n + 1):
            self.row[start + head] = NO_ARC
            k = self.node[head]
            if k > 0 and self.state[k] == 1 and self.place[k] >= first:
                self.node[head] = cython.cast(cython.int, node)
                continue
            k = self.member[node]
            while k > 0:
                gain = self.gain(k, head)
                if gain > self.row[start + head]:
                    self.row[start + head] = gain
                k = self.sibling[k]
        self.path[first] = cython.cast(cython.int, node)
        self.place[node] = cython.cast(cython.int, first)
        self.state[node] = 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def solve(self) -> cython.bint:
        """Find the best tree for the rows that are set up; False if there is none."""
        cython.declare(word=cython.longlong, k=cython.longlong, node=cython.longlong)
        cython.declare(length=cython.longlong)
        for word in range(1, self.n + 1):
            node = self.node[word]
            length = 0
            while self.state[node] == 0 or (length > 0 and self.state[node] == 1):
                if self.state[node] == 0:
                    self.state[node] = 1
                    self.place[node] = cython.cast(cython.int, length)
                    self.path[length] = cython.cast(cython.int, node)
                    length += 1
                else:
                    k = self.place[node]
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
    @cython.exceptval(check=False)
    def target(self, node: cython.longlong, head: cython.longlong) -> cython.longlong:
        """Return the member of a cycle that the best arc from `head` enters."""
        best: cython.longlong = self.member[node]
        k: cython.longlong = self.sibling[best]
        while k > 0:
            if self.gain(k, head) > self.gain(best, head):
                best = k
            k = self.sibling[k]
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def expand(self) -> cython.void:
        """Write the head of each word: an arc into a cycle replaces that of the word it enters."""
        cython.declare(k=cython.longlong, node=cython.longlong, head=cython.int, entered=cython.int)
        cython.declare(target=cython.longlong)
        length: cython.longlong = 0
        for k in range(1, self.nodes + 1):
            self.state[k] = 0
        for k in range(1, self.n + 1):
            node = self.node[k]
            if self.state[node] == 0:
                self.state[node] = 1
                self.stack[length] = self.node[k]
                self.stack_head[length] = self.chosen[node]
                self.stack_entered[length] = self.node[k]
                length += 1
        while length > 0:
            length -= 1
            node = self.stack[length]
            head = self.stack_head[length]
            entered = self.stack_entered[length]
            if self.member[node] == 0:
                self.head[node] = head
                self.entered[node] = entered
                continue
            target = self.target(node, head)
            k = self.member[node]
            while k > 0:
                self.stack[length] = cython.cast(cython.int, k)
                self.stack_head[length] = head if k == target else self.chosen[k]
                self.stack_entered[length] = entered if k == target else cython.cast(cython.int, k)
                length += 1
                k = self.sibling[k]

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def walk(self) -> cython.void:
        """Number the positions so that those below a word have the numbers behind its own."""
        cython.declare(k=cython.longlong, word=cython.longlong)
        number: cython.longlong = 0
        # Children as lists: the first one in `stack`, the next in `stack_head`.
        for k in range(self.n + 1):
            self.stack[k] = 0
        for k in range(1, self.n + 1):
            self.stack_head[k] = self.stack[self.head[k]]
            self.stack[self.head[k]] = cython.cast(cython.int, k)
        word = 0
        self.enter[0] = 0
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
    @cython.exceptval(check=False)
    def other_target(self, node: cython.longlong, head: cython.longlong) -> cython.longlong:
        """Return the score of the second best arc from `head` into a node."""
        cython.declare(k=cython.longlong, target=cython.longlong, gain=cython.longlong)
        lost: cython.longlong = 0
        best: cython.longlong = NO_ARC
        while self.member[node] > 0:
            target = self.target(node, head)
            k = self.member[node]
            while k > 0:
                gain = self.gain(k, head)
                if k != target and gain != NO_ARC and gain - lost > best:
                    best = gain - lost
                k = self.sibling[k]
            lost += self.row[(target - 1) * (self.n + 1) + self.chosen[target]]
            node = target
        return best

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find_cut(self) -> cython.void:
        """Find the arc of the tree just found that the second best tree does without."""
        cython.declare(word=cython.longlong, head=cython.longlong, node=cython.longlong)
        cython.declare(start=cython.longlong, best=cython.longlong, loss=cython.longlong)
        self.cut = 0
        self.loss = -NO_ARC
        self.walk()
        for word in range(1, self.n + 1):
            node = self.entered[word]
            start = (node - 1) * (self.n + 1)
            best = self.other_target(node, self.head[word])
            for head in range(self.n + 1):
                if (
                    self.row[start + head] > best
                    and head != self.head[word]
                    and (self.enter[head] < self.enter[word] or self.enter[head] > self.leave[word])
                ):
                    best = self.row[start + head]
            if best != NO_ARC:
                loss = self.row[start + self.head[word]] - best
                if loss < self.loss:
                    self.loss = loss
                    self.cut = word

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def find(self, condition: cython.longlong) -> cython.bint:
        """Find the tree of the task; False if none has a single word at the root."""
        cython.declare(word=cython.longlong)
        roots: cython.longlong = 0
        self.set_up(condition, False)
        if not self.solve():
            return False
        for word in range(1, self.n + 1):
            roots += 1 if self.head[word] == 0 else 0
            self.heads[self.at + word - 1] = self.head[word]
        return roots <= 1


def best_trees(
    cell: cython.const[cython.longlong][::1],
    cell_offsets: cython.const[cython.longlong][::1],
    lengths: cython.const[cython.longlong][::1],
    sentence: cython.const[cython.longlong][::1],
    place: cython.const[cython.longlong][::1],
    known: cython.const[cython.int][::1],
    condition: cython.const[cython.int][::1],
    conditions: cython.const[cython.int][::1],
    with_second: cython.bint,
    heads: cython.int[::1],
    score: cython.longlong[::1],
    second: cython.longlong[::1],
    cut: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    row: cython.longlong[::1],
    numbers: cython.int[::1],
) -> None:
    """Find the best tree of each task, and the score of the second best and what it changes.

    Row ``i - 1`` of a sentence's cells holds the scores of the arcs to word `i` from the heads
    0 .. n; -2**62 where there can be no arc. Task `t` is about sentence ``sentence[t]`` and the
    trees that agree with the condition ``condition[t]`` and those before it (-1 for none): that
    the word has the head (``wanted`` 1), or another one. Its heads begin at ``place[t]`` on:
    they are written, or read if ``known[t]`` says that the best tree is there. ``cut[t]`` is a
    word whose head is another one in the second best tree, 0 if no other tree agrees with the
    conditions, -1 if none does at all with a single word at the root.

    Scratch, for the longest sentence: `row` ``2 * n * (n + 1)``; `numbers` 14 arrays of
    ``2 * n + 2``.
    """
    cython.declare(t=cython.Py_ssize_t, i=cython.longlong)
    trees: Trees = Trees()
    room: cython.Py_ssize_t = numbers.shape[0] // 14
    trees.cell = cell
    trees.row = row
    trees.chosen = numbers[0:room]
    trees.state = numbers[room : 2 * room]
    trees.place = numbers[2 * room : 3 * room]
    trees.path = numbers[3 * room : 4 * room]
    trees.member = numbers[4 * room : 5 * room]
    trees.sibling = numbers[5 * room : 6 * room]
    trees.node = numbers[6 * room : 7 * room]
    trees.head = numbers[7 * room : 8 * room]
    trees.entered = numbers[8 * room : 9 * room]
    trees.stack = numbers[9 * room : 10 * room]
    trees.stack_head = numbers[10 * room : 11 * room]
    trees.stack_entered = numbers[11 * room : 12 * room]
    trees.enter = numbers[12 * room : 13 * room]
    trees.leave = numbers[13 * room : 14 * room]
    trees.conditions = conditions
    trees.heads = heads
    with cython.nogil:
        for t in range(first, last):
            trees.base = cell_offsets[sentence[t]]
            trees.n = lengths[sentence[t]]
            trees.at = place[t]
            cut[t] = -1
            if known[t] == 0 and not trees.find(condition[t]):
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
