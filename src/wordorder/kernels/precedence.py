"""Precedence rules: the children of each word and the word itself, sorted by their classes."""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, ulonglong, void

# A child that bars movement: it keeps its place, and nothing moves past it.
BARRIER = cython.declare(cython.int, -2)
# No rule orders the family.
NONE = cython.declare(cython.int, -1)
# Longer families are sorted by one pass a rank instead of by insertion.
SHORT = cython.declare(cython.int, 24)


@cython.cclass
class Sorter:
    """Applies compiled rules to one sentence after the other.

    Rules: rule ``r`` orders the family of a word that meets one of the clauses
    ``head_start[r] .. head_start[r+1]-1``; of several rules the first. A clause holds six sets of
    bits: what must be in and what must be absent from the predicates of the word, of its parent
    and of its children, one after the other.

    Entries: under rule ``r`` a child with label ``l``, at ``k = r * labels + l``, is tried for the
    cases ``cases[case_start[k] .. case_start[k+1]-1]``, those that its label does not rule out; the
    first whose clause it meets says its entry, otherwise ``of_label[k]`` does. Entry ``e`` has a
    rank, and the equals of a rank may be turned round (``turned``).
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
        """Make room for sentences of up to `longest` words."""
        # Each word may belong to two families: its own and that of its head.
        ints = array("i", bytes(4 * (2 * longest + 2)))
        self.begin, self.family, self.key = ints[: longest + 1], ints[:], ints[:]
        self.stack, self.spare = ints[:], ints[:]

    @cython.cfunc
    @cython.nogil
    def meets(self, word: longlong, parent: longlong, clause: longlong) -> bint:
        """Whether a word meets a clause; `parent` is -1 for a root."""
        above: ulonglong = 0
        clause = 6 * clause
        own: ulonglong = self.predicates[word]
        if (own & self.clauses[clause]) != self.clauses[clause]:
            return False
        if parent >= 0:
            above = self.predicates[parent]
        if (above & self.clauses[clause + 2]) != self.clauses[clause + 2]:
            return False
        if (own & self.clauses[clause + 1]) != 0 or (above & self.clauses[clause + 3]) != 0:
            return False
        if (self.children[word] & self.clauses[clause + 4]) != self.clauses[clause + 4]:
            return False
        return (self.children[word] & self.clauses[clause + 5]) == 0

    @cython.cfunc
    @cython.nogil
    def rule_of(self, word: longlong, parent: longlong) -> cython.int:
        """Find the first rule that orders the family of a word."""
        cython.declare(clause=longlong)
        for rule in range(self.rules):
            for clause in range(self.head_start[rule], self.head_start[rule + 1]):
                if self.meets(word, parent, clause):
                    return rule
        return NONE

    @cython.cfunc
    @cython.nogil
    def entry_of(self, word: longlong, parent: longlong, rule: cython.int) -> cython.int:
        """Find the entry of a child under a rule, or that it bars movement."""
        cython.declare(at=longlong)
        place: longlong = rule * self.different + self.labels[word]
        for at in range(self.case_start[place], self.case_start[place + 1]):
            case: longlong = self.cases[at]
            if self.meets(word, parent, self.case_clause[case]):
                return self.case_entry[case]
        return self.of_label[place]

    @cython.cfunc
    @cython.nogil
    def sort(self, low: longlong, high: longlong) -> void:
        """Sort the members ``low .. high-1`` of a family by their keys; equals keep their order."""
        filled: longlong = 0
        if high - low <= SHORT:
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
        """Turn round the runs of equals that are to be reversed."""
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
        """Sort every family of a sentence, piece by piece between what bars movement."""
        cython.declare(i=longlong)
        for h in range(words):
            rule: cython.int = self.fired[start + h]
            if rule < 0:
                continue
            low: longlong = self.begin[h]
            for i in range(self.begin[h], self.begin[h + 1]):
                member: longlong = self.family[i]
                at: cython.int = self.own[rule]
                if member != h:
                    at = self.entry[start + member]
                if at == BARRIER:
                    self.sort(low, i)
                    self.turn(low, i)
                    low = i + 1
                else:
                    self.key[i] = self.rank[at]
            self.sort(low, self.begin[h + 1])
            self.turn(low, self.begin[h + 1])

    @cython.cfunc
    @cython.nogil
    def build_families(self, start: longlong, words: longlong) -> void:
        """Write each word's children and itself from left to right, one family after the other."""
        for i in range(words + 1):
            self.begin[i] = 0
        for i in range(words):
            self.begin[i] += 1
            h: longlong = self.heads[start + i]
            if h > 0:
                self.begin[h - 1] += 1
        # Sums up to and with each family; filled from behind, what remains is where each begins.
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
            # A word itself, not its family: written as its complement.
            if member < 0:
                self.order[filled] = cython.cast(cython.int, -1 - member)
                filled += 1
                continue
            if self.begin[member + 1] - self.begin[member] == 1:
                self.order[filled] = cython.cast(cython.int, member)
                filled += 1
                continue
            at: longlong = self.begin[member + 1] - 1
            while at >= self.begin[member]:
                i = self.family[at]
                if i == member:
                    i = -1 - i
                self.stack[height] = cython.cast(cython.int, i)
                height += 1
                at -= 1

    @cython.cfunc
    @cython.nogil
    def run(self, start: longlong, words: longlong) -> void:
        """Put the words of one sentence in order."""
        self.build_families(start, words)
        for i in range(words):
            self.fired[start + i] = NONE
            if self.begin[i + 1] - self.begin[i] > 1:
                h: longlong = self.heads[start + i]
                parent: longlong = -1
                if h > 0:
                    parent = start + h - 1
                self.fired[start + i] = self.rule_of(start + i, parent)
        for i in range(words):
            self.entry[start + i] = NONE
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
    own: cython.const[cython.int][::1],
    fired: cython.int[::1],
    entry: cython.int[::1],
    order: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Apply rules to projective trees: their orders, which rule fired for each word's family, and
    the entry of each word in the family of its head.

    Heads count from 1; several roots keep their order. No sentence has more than `longest` words.
    """
    sorter: Sorter = Sorter(longest)
    sorter.heads, sorter.predicates = heads, predicates
    sorter.children, sorter.labels = children, labels
    sorter.clauses, sorter.head_start = clauses, head_start
    sorter.case_start, sorter.cases = case_start, cases
    sorter.case_clause, sorter.case_entry = case_clause, case_entry
    sorter.of_label, sorter.rank, sorter.turned, sorter.own = of_label, rank, turned, own
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
    own: cython.const[cython.int][::1],
    order: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Order projective trees whose rules and entries are known, as `precedence_orders` finds them.

    Nothing is read but `fired` and `entry` of each word, and the ranks of the entries.
    """
    sorter: Sorter = Sorter(longest)
    sorter.heads, sorter.fired, sorter.entry, sorter.order = heads, fired, entry, order
    sorter.rank, sorter.turned, sorter.own = rank, turned, own
    with cython.nogil:
        for row in range(first, last):
            sorter.build_families(offsets[row], offsets[row + 1] - offsets[row])
            sorter.sort_families(offsets[row], offsets[row + 1] - offsets[row])
            sorter.write(offsets[row], offsets[row + 1] - offsets[row])
