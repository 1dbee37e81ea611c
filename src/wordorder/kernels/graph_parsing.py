"""Features and scores of dependency arcs, and the best spanning trees, with one word at the root.

Position 0 of a sentence is the artificial root, its words are 1 .. n. The key of a feature is the
sum of one random number of 64 bits for each of its parts, chosen by what the part is (the word of
the head, the tag before the dependent, ...) and by its value: a sum tells the parts by itself, and
a conjunction costs one addition.

The best tree: Chu and Liu (1965), Edmonds (1967), for dense graphs in O(n^2) as Tarjan (1977): a
path is grown along the best arcs into its ends, and a cycle becomes one node. The next best ones:
Camerini, Fratta and Maffioli (1980): the set of all trees but those found is cut into sets that
share no tree, each given by arcs that are wanted and arcs that are not, and the best tree of each
differs from one that is known by one arc into a node.

The caller lowers the scores of all arcs of the root by more than any two trees can differ, so that
trees with a single word at the root precede all others. Ties are broken by whole numbers too:
scores are multiplied by more than twice the number of words, and each arc of a known tree gets 1
more, so that it is found again where others are as good.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, short, ulonglong, void
from cython.cimports.wordorder.kernels.weights import Scorer

GOLDEN = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
MIX_1 = cython.declare(ulonglong, 0xBF58476D1CE4E5B9)
MIX_2 = cython.declare(ulonglong, 0x94D049BB133111EB)
MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
# What a part of a feature is; those of tags are listed twice, for the tags and for their groups.
WORD = cython.declare(cython.int, 0)
HEAD_WORD = cython.declare(cython.int, 1)
DIRECTION = cython.declare(cython.int, 2)
LENGTH = cython.declare(cython.int, 3)
TAG = cython.declare(cython.int, 4)
HEAD_TAG = cython.declare(cython.int, 5)
BEFORE = cython.declare(cython.int, 6)
HEAD_BEFORE = cython.declare(cython.int, 7)
AFTER = cython.declare(cython.int, 8)
HEAD_AFTER = cython.declare(cython.int, 9)
BETWEEN = cython.declare(cython.int, 10)
TAG_KINDS = cython.declare(cython.int, 7)
KINDS = cython.declare(cython.int, 18)
# The score of an arc that cannot be, and what all others are cut to, far beyond any trained model.
NO_ARC = cython.declare(longlong, -(1 << 62))
MOST = cython.declare(longlong, 1 << 34)


@cython.cfunc
@cython.nogil
def part(kind: ulonglong, value: ulonglong) -> ulonglong:
    """Return the random number of a part (the mixing of splitmix64, Steele et al. 2014)."""
    mixed: ulonglong = ((value * 32 + kind + 1) * GOLDEN) & MASK64
    mixed = ((mixed ^ (mixed >> 30)) * MIX_1) & MASK64
    mixed = ((mixed ^ (mixed >> 27)) * MIX_2) & MASK64
    return mixed ^ (mixed >> 31)


@cython.cfunc
@cython.nogil
def length_class(length: longlong) -> cython.int:
    """Return the class of a length: 1, 2, 3, 4, 5 to 9, or more."""
    if length < 5:
        return cython.cast(cython.int, length)
    return 5 if length < 10 else 6


@cython.final
@cython.cclass
class Arcs(Scorer):
    """The arcs of one sentence after the other: the keys of one arc are asked for together."""

    # Numbers of words, then of tags, then of their groups.
    cython.declare(ids=cython.const[cython.int][::1], columns=longlong)
    # 1 for the tags alone, 2 for their groups too.
    cython.declare(kinds_of_tag=longlong)
    # Where position 0 of the sentence is.
    cython.declare(start=longlong)
    # The random number of each part, KINDS rows of `stride`.
    cython.declare(parts=ulonglong[::1], stride=longlong)
    # The sums of all actions; those of many features would not fit into 32 bits.
    cython.declare(total=longlong[::1])
    # What is distinct in between: the tags, and from the middle on their groups; how many.
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
        """Make room for sentences of up to `longest` words and arcs of up to `keys` keys.

        Up to `between` tags between two words are read; `different` ones and groups are told apart.
        """
        super().__init__(keys, actions)
        longs = array("q", [0])
        unsigned = array("Q", [0])
        self.total = longs * actions
        self.ids = ids
        self.columns = ids.shape[0] // 3
        self.kinds_of_tag = kinds_of_tag
        self.stride = longest + 1
        self.parts = unsigned * (KINDS * self.stride)
        self.between = memoryview(unsigned * (2 * between))
        self.distinct = longs * 2
        self.seen = memoryview(longs * (2 * different))
        self.now = 0

    @cython.cfunc
    @cython.nogil
    def enter(self, start: longlong, n: longlong) -> void:
        """Take up a sentence."""
        self.start = start
        for i in range(n + 1):
            self.parts[WORD * self.stride + i] = part(WORD, self.ids[start + i])
            self.parts[HEAD_WORD * self.stride + i] = part(HEAD_WORD, self.ids[start + i])
            for k in range(TAG_KINDS * self.kinds_of_tag):
                at: longlong = (1 + k // TAG_KINDS) * self.columns + start + i
                # Two kinds are here, two before, two behind, and one in between is here.
                if 2 <= k % TAG_KINDS < 6:
                    at += -1 if k % TAG_KINDS < 4 else 1
                self.parts[(TAG + k) * self.stride + i] = part(TAG + k, self.ids[at])

    @cython.cfunc
    @cython.nogil
    def begin(self) -> void:
        """Go to a head, with nothing in between."""
        self.now += 1
        self.distinct[0] = self.distinct[1] = 0

    @cython.cfunc
    @cython.nogil
    def pass_by(self, position: longlong) -> void:
        """Note that a word is in between."""
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
        """Add a key to those of the arc."""
        self.asked_key[self.asked] = key & MASK64
        self.asked += 1

    @cython.cfunc
    @cython.nogil
    def fill_keys(self, head: longlong, i: longlong) -> void:
        """Ask for the keys of the arc from `head` to `i`."""
        word: ulonglong = self.parts[WORD * self.stride + i]
        head_word: ulonglong = self.parts[HEAD_WORD * self.stride + head]
        right: longlong = 1 if i > head else 0
        direction: ulonglong = part(DIRECTION, right)
        length: ulonglong = part(
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
        before: ulonglong = self.parts[row + BEFORE * self.stride + i]
        after: ulonglong = self.parts[row + AFTER * self.stride + i]
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
        self.add(tags + head_after + before)
        self.add(tags + head_after + after)
        self.add(tags + head_before + before)
        self.add(tags + head_before + after)
        if self.kinds_of_tag == 2:
            self.add(tags + before)
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
    arcs: Arcs,
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

    The ids of `arcs` have three rows: the numbers of words, of tags and of the groups of tags,
    those of sentence `s` from ``offsets[s] + 3 * s`` on, with one before for what is outside, one
    for the root, and one behind. The cells of sentence `first` come first, ``n * (n + 1)`` a
    sentence: row ``i - 1`` holds the arcs to word `i` from the heads 0 .. n. The last action is
    that of the arc as such, the others are labels. An arc between tags of the groups `g` and `d`
    may have the labels ``label_offsets[c] .. label_offsets[c + 1] - 1`` of `labels`, at least one,
    where ``c`` is ``(g * groups + d) * 2``, and one more if the dependent follows its head.
    """
    base: longlong = 0
    attach: longlong = arcs.actions - 1
    with cython.nogil:
        for s in range(first, last):
            n: longlong = offsets[s + 1] - offsets[s]
            arcs.enter(offsets[s] + 3 * s + 1, n)
            at: longlong = 2 * arcs.columns + arcs.start
            for head in range(n + 1):
                if head > 0:
                    cell_score[base + (head - 1) * (n + 1) + head] = NO_ARC
                    cell_label[base + (head - 1) * (n + 1) + head] = -1
                for side in range(2):
                    arcs.begin()
                    i: longlong = head + 2 * side - 1
                    while 1 <= i <= n:
                        arcs.fill_keys(head, i)
                        arcs.rate()
                        pair: longlong = (
                            arcs.ids[at + head] * groups + arcs.ids[at + i]
                        ) * 2 + side
                        best_label: longlong = labels[label_offsets[pair]]
                        for k in range(label_offsets[pair], label_offsets[pair + 1]):
                            if arcs.total[labels[k]] > arcs.total[best_label]:
                                best_label = labels[k]
                        best: longlong = arcs.total[best_label] + arcs.total[attach]
                        best = MOST if best > MOST else (-MOST if best < -MOST else best)
                        cell_score[base + (i - 1) * (n + 1) + head] = best
                        cell_label[base + (i - 1) * (n + 1) + head] = best_label
                        arcs.pass_by(i)
                        i += 2 * side - 1
            base += n * (n + 1)


def arc_features(
    arcs: Arcs,
    n: longlong,
    heads: cython.const[cython.int][::1],
    labels: cython.const[cython.int][::1],
    wanted: cython.const[cython.int][::1],
    attach: cython.int,
    keys: ulonglong[::1],
    actions: cython.int[::1],
) -> int:
    """Write the features of arcs of one sentence of `n` words; return how many.

    The arc to a word is left out where ``wanted`` is 0; 1 gives the features of the arc as such
    (with the action `attach`), 2 those of its label, 3 both.

    An arc has at most ``2 * (17 + d)`` keys, where `d` is the smaller of the sentence's length and
    the number of tags, and with groups ``4 * (19 + d)``.
    """
    done: longlong = 0
    with cython.nogil:
        arcs.enter(1, n)
        for i in range(1, n + 1):
            if wanted[i - 1] == 0:
                continue
            arcs.begin()
            step: longlong = 1 if heads[i - 1] < i else -1
            at: longlong = heads[i - 1] + step
            while at != i:
                arcs.pass_by(at)
                at += step
            arcs.fill_keys(heads[i - 1], i)
            for k in range(arcs.asked):
                if wanted[i - 1] != 2:
                    keys[done] = arcs.asked_key[k]
                    actions[done] = attach
                    done += 1
                if wanted[i - 1] != 1:
                    keys[done] = arcs.asked_key[k]
                    actions[done] = labels[i - 1]
                    done += 1
    return done


@cython.cclass
class Trees:
    """Solves one task after the other."""

    cython.declare(cell=cython.const[longlong][::1], base=longlong, n=longlong)
    # Per node (words 1 .. n, then cycles) the score of the best arc from each position.
    cython.declare(row=longlong[::1], chosen=cython.int[::1])
    # 0 not reached, 1 on the path, 2 done.
    cython.declare(state=cython.int[::1], place=cython.int[::1], path=cython.int[::1])
    # The nodes of a cycle.
    cython.declare(member=cython.int[::1], sibling=cython.int[::1], nodes=longlong)
    # Per position: the node that it is in now.
    cython.declare(node=cython.int[::1], head=cython.int[::1])
    # Per word: the node into which its arc was chosen.
    cython.declare(entered=cython.int[::1], stack=cython.int[::1], stack_head=cython.int[::1])
    cython.declare(stack_entered=cython.int[::1])
    # Per position: its number in a walk through the tree, and the last number below it.
    cython.declare(enter=cython.int[::1], leave=cython.int[::1])
    # Four numbers a condition: a head, its word, whether the arc is wanted, the condition before.
    cython.declare(conditions=cython.const[cython.int][::1])
    # The tree of the task.
    cython.declare(heads=cython.int[::1], at=longlong)
    # The word whose arc the second best tree changes, 0 if there is none, and what that loses.
    cython.declare(cut=longlong, loss=longlong)

    def __init__(self, longest: Py_ssize_t):
        """Make room for sentences of up to `longest` words."""
        nodes = array("i", bytes(8 * longest + 8))
        self.row = array("q", bytes(16 * longest * (longest + 1)))
        self.chosen, self.state, self.place, self.path = nodes[:], nodes[:], nodes[:], nodes[:]
        self.member, self.sibling, self.node, self.head = nodes[:], nodes[:], nodes[:], nodes[:]
        self.entered, self.stack, self.stack_head = nodes[:], nodes[:], nodes[:]
        self.stack_entered, self.enter, self.leave = nodes[:], nodes[:], nodes[:]

    @cython.cfunc
    @cython.nogil
    def set_up(self, condition: longlong, known: bint) -> void:
        """Fill the rows of the words; each arc of a known tree is worth a little more."""
        self.nodes = self.n
        self.node[0] = 0
        for word in range(1, self.n + 1):
            self.node[word] = cython.cast(cython.int, word)
            self.state[word] = self.member[word] = 0
            start: longlong = (word - 1) * (self.n + 1)
            for head in range(self.n + 1):
                score: longlong = self.cell[self.base + start + head]
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
    def gain(self, node: longlong, head: longlong) -> longlong:
        """Return by how much the best arc from `head` into a node is better than the chosen one."""
        start: longlong = (node - 1) * (self.n + 1)
        score: longlong = self.row[start + head]
        return NO_ARC if score == NO_ARC else score - self.row[start + self.chosen[node]]

    @cython.cfunc
    @cython.nogil
    def choose(self, node: longlong) -> bint:
        """Choose the best arc into a node, the one from the left among equals."""
        start: longlong = (node - 1) * (self.n + 1)
        best: longlong = 0
        for head in range(1, self.n + 1):
            if self.row[start + head] > self.row[start + best]:
                best = head
        self.chosen[node] = cython.cast(cython.int, best)
        return self.row[start + best] != NO_ARC

    @cython.cfunc
    @cython.nogil
    def contract(self, first: longlong, last: longlong) -> void:
        """Make one node of those on the path from `first` on; it takes the place of the first."""
        cython.declare(k=longlong)
        node: longlong = self.nodes + 1
        start: longlong = (node - 1) * (self.n + 1)
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
        """Find the best tree for the rows that are set up; False if there is none."""
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
        """Number the positions so that those below a word have the numbers behind its own."""
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
        best: longlong = NO_ARC
        while self.member[node] > 0:
            target: longlong = self.target(node, head)
            k: longlong = self.member[node]
            while k > 0:
                gain: longlong = self.gain(k, head)
                if k != target and gain != NO_ARC and gain - lost > best:
                    best = gain - lost
                k = self.sibling[k]
            lost += self.row[(target - 1) * (self.n + 1) + self.chosen[target]]
            node = target
        return best

    @cython.cfunc
    @cython.nogil
    def find_cut(self) -> void:
        """Find the arc of the tree just found that the second best tree does without."""
        self.cut = 0
        self.loss = -NO_ARC
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
            if best != NO_ARC:
                loss: longlong = self.row[start + self.head[word]] - best
                if loss < self.loss:
                    self.loss = loss
                    self.cut = word

    @cython.cfunc
    @cython.nogil
    def find(self, condition: longlong) -> bint:
        """Find the tree of the task; False if none has a single word at the root."""
        roots: longlong = 0
        self.set_up(condition, False)
        if not self.solve():
            return False
        for word in range(1, self.n + 1):
            roots += 1 if self.head[word] == 0 else 0
            self.heads[self.at + word - 1] = self.head[word]
        return roots <= 1


def best_trees(
    trees: Trees,
    cell: cython.const[longlong][::1],
    cell_offsets: cython.const[longlong][::1],
    lengths: cython.const[longlong][::1],
    sentence: cython.const[longlong][::1],
    place: cython.const[longlong][::1],
    known: cython.const[cython.int][::1],
    condition: cython.const[cython.int][::1],
    conditions: cython.const[cython.int][::1],
    with_second: bint,
    heads: cython.int[::1],
    score: longlong[::1],
    second: longlong[::1],
    cut: cython.int[::1],
    tasks: Py_ssize_t,
) -> None:
    """Find the best tree of each task, and the score of the second best and what it changes.

    Row ``i - 1`` of a sentence's cells holds the scores of the arcs to word `i` from the heads
    0 .. n; -2**62 where there can be no arc. Task `t` is about sentence ``sentence[t]`` and the
    trees that agree with the condition ``condition[t]`` and those before it (-1 for none): that
    the word has the head (``wanted`` 1), or another one. Its heads begin at ``place[t]`` on:
    they are written, or read if ``known[t]`` says that the best tree is there. ``cut[t]`` is a
    word whose head is another one in the second best tree, 0 if no other tree agrees with the
    conditions, -1 if none does at all with a single word at the root.
    """
    trees.cell, trees.conditions, trees.heads = cell, conditions, heads
    with cython.nogil:
        for t in range(tasks):
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
