"""Words and n-grams that two sentences share: METEOR's matches, n-gram counts, BLEU, contexts."""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar, ulonglong, void
from cython.cimports.libc.math import exp, fabs, log
from cython.cimports.wordorder.kernels._common import golden_hash, pair_key, slot_of
from cython.cimports.wordorder.kernels.edits import RowPairs

# Matches of words.

# Types of matches without a candidate: none, the same word, the same stem. The type of a match by a
# candidate is the index of that candidate in the row, 0 or more.
cython.declare(NO_MATCH=cython.int, EXACT_MATCH=cython.int, STEM_MATCH=cython.int)
NO_MATCH, EXACT_MATCH, STEM_MATCH = -1, -2, -3
# The value of a path is its number of chunks, minus this times its covered words, of which exact
# matches count double; the path with the lowest value is the best.
CHUNK_UNIT = cython.declare(longlong, 1 << 32)

# More than the cost of any path.
NO_PATH = cython.declare(longlong, (1 << 63) - 1)
# The number of ways to match words is counted up to this.
MAX_CHOICES = cython.declare(longlong, 1 << 30)

# Shared n-grams.

# The logarithm of 0 in sacreBLEU.
LOG_OF_ZERO = cython.declare(double, -9999999999.0)
# The smoothing methods of sacreBLEU.
cython.declare(EXP=cython.int, FLOOR=cython.int, ADD_K=cython.int)
EXP, FLOOR, ADD_K = 1, 2, 3


# -- Matches of words. -----------------------------------------------------------------------------
#
# Words match if they are in the same class: equal ("exact") or with the same stem. Other possible
# matches, including phrases, are candidates. A match is certain if all words that it covers, in
# both sentences, are covered by no other match. After certain matches have been written,
# `MatchSearch` processes the reference from left to right. At each word a path branches: one child
# per free match that starts there, and one without a match unless that must lose one. The beam has
# the paths that cover the most words, then those with the fewest chunks, then those with the
# smallest distances.
#
# `Matching` finds the cheapest assignment of the rows of a matrix to different columns.


@cython.cclass
class MatchSearch:
    """Searches for the best matches of pairs of sentences, one pair at a time, with a beam."""

    cython.declare(hypothesis=cython.const[cython.int][::1])
    cython.declare(reference=cython.const[cython.int][::1], classes=cython.const[cython.int][::1])
    # Where hypothesis and reference begin, and their lengths.
    cython.declare(
        hypothesis_offset=longlong, reference_offset=longlong, n=cython.int, m=cython.int
    )
    # Whether the sentences are equal, so that each word is a class of its own.
    cython.declare(identical=bint)
    # Whether all matches are of single words, without candidates and truncation.
    cython.declare(words_alone=bint)
    # The first hypothesis word of each class, and for each word the next one of its class.
    cython.declare(head=cython.int[::1], follower=cython.int[::1])
    # The number of words of each class in the rest of the reference.
    cython.declare(remaining=cython.int[::1])
    # The start and length of all candidates in the reference, and in the hypothesis.
    cython.declare(candidate_start=cython.const[cython.int][::1])
    cython.declare(candidate_length=cython.const[cython.int][::1])
    cython.declare(match_start=cython.const[cython.int][::1])
    cython.declare(match_length=cython.const[cython.int][::1])
    # The range of the candidates of the pair.
    cython.declare(first_candidate=longlong, candidates_end=longlong)
    # The result: where the match of each reference word starts in the hypothesis, and its type.
    cython.declare(matched_word=cython.int[::1], match_type=cython.int[::1])
    # Whether to compute as METEOR 1.5, which halves the words of inexact matches as integers and
    # adds distances to the parent path.
    cython.declare(meteor_truncates=bint)
    # Slots hold paths: the current and the next beam, in turn, then the children of this step.
    cython.declare(beam=cython.int, path_count=cython.int, beam_start=cython.int)
    cython.declare(child_count=cython.int, value=longlong[::1], distance=longlong[::1])
    # Of a child: its parent slot, and the type and first hypothesis word of the match added.
    cython.declare(parent=cython.int[::1], choice=cython.int[::1], match_begin=cython.int[::1])
    # Of a slot: the end of the last chunk in the hypothesis, -1 if none is open; the first
    # reference word that is not covered; the node of its last match.
    cython.declare(end=cython.int[::1], next_reference=cython.int[::1], node=cython.int[::1])
    # The slots of paths and of children, the best first.
    cython.declare(path_order=cython.int[::1], child_order=cython.int[::1])
    # For each path the set of its hypothesis words, in `set_words` words of 64 bits.
    cython.declare(used=ulonglong[::1], set_words=cython.int)
    # The matches of paths, as trees: previous node, reference word, hypothesis word, type.
    cython.declare(node_count=cython.int, previous_node=cython.int[::1])
    cython.declare(node_reference=cython.int[::1])
    cython.declare(node_begin=cython.int[::1], node_choice=cython.int[::1])

    @cython.cfunc
    @cython.nogil
    def search(self) -> void:
        """Search for the best path; write its matches to `matched_word` and `match_type`."""
        candidate: longlong = self.first_candidate
        # Backwards, so that the chain of a class is in the order of its words.
        for k in range(self.n):
            j: cython.int = self.n - 1 - k
            word_class: cython.int = self.class_of(self.hypothesis[self.hypothesis_offset + j])
            self.follower[j] = self.head[word_class]
            self.head[word_class] = j
        self.set_words = (self.n + 63) // 64
        self.node_count = self.beam_start = 0
        self.path_count = 1
        self.path_order[0] = self.value[0] = self.distance[0] = 0
        self.end[0] = NO_MATCH
        self.next_reference[0] = 0
        self.node[0] = NO_MATCH
        for k in range(self.set_words):
            self.used[k] = 0
        for j in range(self.m):
            self.remaining[self.class_of(self.reference[self.reference_offset + j])] += 1
        for j in range(self.m):
            while candidate < self.candidates_end and self.candidate_start[candidate] < j:
                candidate += 1
            word_class = self.class_of(self.reference[self.reference_offset + j])
            begins: bint = self.head[word_class] >= 0 or (
                candidate < self.candidates_end and self.candidate_start[candidate] == j
            )
            if begins and self.match_type[self.reference_offset + j] == NO_MATCH:
                self.branch(j, candidate, self.head[word_class])
            else:
                self.extend_paths(j)
            self.remaining[word_class] -= 1
        best: cython.int = self.path_order[0]
        for k in range(self.path_count):
            p: cython.int = self.path_order[k]
            if self.end[p] != NO_MATCH:
                self.value[p] += 1
            if self.better(p, best):
                best = p
        p = self.node[best]
        while p >= 0:
            self.matched_word[self.reference_offset + self.node_reference[p]] = self.node_begin[p]
            self.match_type[self.reference_offset + self.node_reference[p]] = self.node_choice[p]
            p = self.previous_node[p]
        for k in range(self.n):
            self.head[self.class_of(self.hypothesis[self.hypothesis_offset + k])] = NO_MATCH

    @cython.cfunc
    @cython.nogil
    def class_of(self, word: cython.int) -> cython.int:
        """Return the class of a word in this pair."""
        return word if self.identical else self.classes[word]

    @cython.cfunc
    @cython.nogil
    def better(self, p: cython.int, q: cython.int) -> bint:
        """Return whether path or child `p` is better than `q`."""
        if self.value[p] != self.value[q]:
            return self.value[p] < self.value[q]
        return self.distance[p] < self.distance[q]

    @cython.cfunc
    @cython.nogil
    def extend_paths(self, j: cython.int) -> void:
        """Extend all paths by the certain match of reference word `j`, or leave it unmatched."""
        i: cython.int = self.matched_word[self.reference_offset + j]
        choice: cython.int = self.match_type[self.reference_offset + j]
        for k in range(self.path_count):
            p: cython.int = self.path_order[k]
            if choice != NO_MATCH:
                self.value[p] += self.cost(choice) + (self.end[p] != NO_MATCH and self.end[p] != i)
                self.distance[p] += distance_between(i, j)
                self.end[p] = i + (
                    1 if choice < 0 else self.match_length[self.first_candidate + choice]
                )
                self.next_reference[p] = j + (
                    1 if choice < 0 else self.candidate_length[self.first_candidate + choice]
                )
            elif self.next_reference[p] <= j and self.end[p] != NO_MATCH:
                self.value[p] += 1
                self.end[p] = NO_MATCH
            # Insertion sort, which keeps the order of equally good paths.
            child: cython.int = k
            while child > 0 and self.better(p, self.path_order[child - 1]):
                self.path_order[child] = self.path_order[child - 1]
                child -= 1
            self.path_order[child] = p

    @cython.cfunc
    @cython.nogil
    def branch(self, j: cython.int, next_candidate: longlong, head: cython.int) -> void:
        """Extend each path by each free match at reference word `j`, and without a match."""
        cython.declare(turn=cython.int)
        word: cython.int = self.reference[self.reference_offset + j]
        self.child_count = 0
        for k in range(self.path_count):
            p: cython.int = self.path_order[k]
            if self.next_reference[p] > j:
                self.offer(
                    p,
                    NO_MATCH,
                    0,
                    self.value[p],
                    self.distance[p],
                    self.end[p],
                    self.next_reference[p],
                )
                continue
            # Equal words first, then words with the same stem.
            has_other_matches: bint = True
            chosen: cython.int = 0
            for turn in range(2):
                if turn == 1 and not has_other_matches:
                    break
                has_other_matches = False
                i: cython.int = head
                while i >= 0:
                    equal: bint = self.hypothesis[self.hypothesis_offset + i] == word
                    if equal != (turn == 0):
                        has_other_matches = True
                    elif self.free(p, i, 1):
                        self.take(p, EXACT_MATCH if equal else STEM_MATCH, i, j)
                        chosen += 1
                    i = self.follower[i]
            candidate: longlong = next_candidate
            while candidate < self.candidates_end and self.candidate_start[candidate] == j:
                if self.free(p, self.match_start[candidate], self.match_length[candidate]):
                    self.take(
                        p,
                        cython.cast(cython.int, candidate - self.first_candidate),
                        self.match_start[candidate],
                        j,
                    )
                candidate += 1
            # A best path matches the largest possible number of words of each class.
            if self.words_alone and chosen >= self.remaining[self.class_of(word)]:
                continue
            self.offer(
                p,
                NO_MATCH,
                0,
                self.value[p] + (self.end[p] != NO_MATCH),
                self.distance[p],
                NO_MATCH,
                j + 1,
            )
        self.advance(j)

    @cython.cfunc
    @cython.nogil
    def free(self, p: cython.int, i: cython.int, length: cython.int) -> bint:
        """Return whether path `p` has not used the `length` hypothesis words from `i` on."""
        for k in range(i, i + length):
            if self.used[p * self.set_words + (k >> 6)] >> (k & 63) & 1:
                return False
        return True

    @cython.cfunc
    @cython.nogil
    def take(self, p: cython.int, choice: cython.int, i: cython.int, j: cython.int) -> void:
        """Offer a child of path `p`: the path with a further match."""
        value: longlong = self.value[p] + self.cost(choice)
        distance: longlong = self.distance[p]
        value += self.end[p] != NO_MATCH and self.end[p] != i
        if self.meteor_truncates:
            # METEOR 1.5 adds the distance to the parent path instead.
            self.distance[p] += distance_between(i, j)
        else:
            distance += distance_between(i, j)
        if choice < 0:
            self.offer(p, choice, i, value, distance, i + 1, j + 1)
        else:
            i += self.match_length[self.first_candidate + choice]
            j += self.candidate_length[self.first_candidate + choice]
            self.offer(
                p, choice, self.match_start[self.first_candidate + choice], value, distance, i, j
            )

    @cython.cfunc
    @cython.nogil
    def offer(
        self,
        p: cython.int,
        choice: cython.int,
        i: cython.int,
        value: longlong,
        distance: longlong,
        end: cython.int,
        upto: cython.int,
    ) -> void:
        """Add a child of path `p` if it is among the best so far; earlier children win ties."""
        child: cython.int = self.child_count
        slot: cython.int = 2 * self.beam + self.child_count
        if self.child_count == self.beam:
            child -= 1
            slot = self.child_order[child]
            if value > self.value[slot]:
                return
            if value == self.value[slot] and distance >= self.distance[slot]:
                return
        else:
            self.child_count += 1
        self.value[slot] = value
        self.distance[slot] = distance
        self.parent[slot] = p
        self.choice[slot] = choice
        self.match_begin[slot] = i
        self.end[slot] = end
        self.next_reference[slot] = upto
        while child > 0 and self.better(slot, self.child_order[child - 1]):
            self.child_order[child] = self.child_order[child - 1]
            child -= 1
        self.child_order[child] = slot

    @cython.cfunc
    @cython.nogil
    def advance(self, j: cython.int) -> void:
        """Turn the children into paths."""
        self.beam_start = self.beam - self.beam_start
        for k in range(self.child_count):
            child: cython.int = self.child_order[k]
            p: cython.int = self.beam_start + k
            parent: cython.int = self.parent[child]
            self.value[p] = self.value[child]
            self.distance[p] = self.distance[child]
            self.end[p] = self.end[child]
            self.next_reference[p] = self.next_reference[child]
            self.node[p] = self.node[parent]
            self.path_order[k] = p
            base: cython.int = p * self.set_words
            for b in range(self.set_words):
                self.used[base + b] = self.used[parent * self.set_words + b]
            if self.choice[child] == NO_MATCH:
                continue
            for b in range(self.match_begin[child], self.end[child]):
                self.used[base + (b >> 6)] |= cython.cast(ulonglong, 1) << (b & 63)
            self.previous_node[self.node_count] = self.node[parent]
            self.node_reference[self.node_count] = j
            self.node_begin[self.node_count] = self.match_begin[child]
            self.node_choice[self.node_count] = self.choice[child]
            self.node[p] = self.node_count
            self.node_count += 1
        self.path_count = self.child_count

    @cython.cfunc
    @cython.nogil
    def cost(self, choice: cython.int) -> longlong:
        """Return the value that a match adds to a path: minus its words, half if not exact."""
        if choice == EXACT_MATCH:
            return -4 * CHUNK_UNIT
        left_length: longlong = (
            1 if choice < 0 else self.match_length[self.first_candidate + choice]
        )
        right_length: longlong = (
            1 if choice < 0 else self.candidate_length[self.first_candidate + choice]
        )
        if self.meteor_truncates:
            # METEOR 1.5 truncates the half of each side.
            return -2 * (left_length // 2 + right_length // 2) * CHUNK_UNIT
        return -(left_length + right_length) * CHUNK_UNIT


@cython.cfunc
@cython.nogil
def distance_between(i: cython.int, j: cython.int) -> longlong:
    """Return the distance of two positions."""
    return j - i if i < j else i - j


def match_beam(
    hypothesis: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[longlong][::1],
    references: cython.const[cython.int][::1],
    row_offsets: cython.const[longlong][::1],
    segment_of: cython.const[longlong][::1],
    classes: cython.const[cython.int][::1],
    candidates: cython.const[cython.int][::1],
    candidate_offsets: cython.const[longlong][::1],
    beam: cython.int,
    meteor_truncates: bint,
    matched_word: cython.int[::1],
    match_type: cython.int[::1],
    state: cython.const[uchar][::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
    width: Py_ssize_t,
) -> None:
    """Find the matches that are not certain; for the arrays see `certain_matches`.

    References have at most `longest` words, hypotheses at most `width`.
    """
    search: MatchSearch = MatchSearch()
    candidate_count: Py_ssize_t = candidates.shape[0] // 4
    ints = array("i", [0])
    # Two beams, and the children of one beam.
    slots = ints * (3 * beam)
    trees = ints * (beam * longest)
    search.hypothesis, search.reference, search.classes = hypothesis, references, classes
    search.candidate_start, search.candidate_length = (
        candidates[0:candidate_count],
        candidates[candidate_count : 2 * candidate_count],
    )
    search.match_start = candidates[2 * candidate_count : 3 * candidate_count]
    search.match_length = candidates[3 * candidate_count :]
    search.matched_word, search.match_type = matched_word, match_type
    search.beam, search.meteor_truncates = beam, meteor_truncates
    search.head = array("i", [NO_MATCH]) * classes.shape[0]
    search.remaining = ints * classes.shape[0]
    search.follower = ints * width
    search.parent, search.choice, search.match_begin = slots[:], slots[:], slots[:]
    search.end, search.next_reference, search.node = slots[:], slots[:], slots[:]
    search.path_order, search.child_order = slots[:], slots[:]
    search.value = array("q", [0]) * (3 * beam)
    search.distance = array("q", [0]) * (3 * beam)
    search.used = array("Q", [0]) * (2 * beam * (width // 64 + 1))
    search.previous_node, search.node_reference = trees[:], trees[:]
    search.node_begin, search.node_choice = trees[:], trees[:]
    with cython.nogil:
        for row in range(first, last):
            if state[row] == 0:
                continue
            search.hypothesis_offset = hypothesis_offsets[segment_of[row]]
            search.n = cython.cast(
                cython.int, hypothesis_offsets[segment_of[row] + 1] - search.hypothesis_offset
            )
            search.reference_offset = row_offsets[row]
            search.m = cython.cast(cython.int, row_offsets[row + 1] - search.reference_offset)
            search.identical = state[row] == 3
            search.first_candidate = candidate_offsets[row]
            search.candidates_end = (
                search.first_candidate if search.identical else candidate_offsets[row + 1]
            )
            search.words_alone = (
                search.first_candidate == search.candidates_end and not meteor_truncates
            )
            search.search()


def certain_matches(
    hypothesis: cython.const[cython.int][::1],
    hypothesis_offsets: cython.const[longlong][::1],
    references: cython.const[cython.int][::1],
    row_offsets: cython.const[longlong][::1],
    segment_of: cython.const[longlong][::1],
    classes: cython.const[cython.int][::1],
    candidates: cython.const[cython.int][::1],
    candidate_offsets: cython.const[longlong][::1],
    matched_word: cython.int[::1],
    match_type: cython.int[::1],
    state: uchar[::1],
    choices: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    table: cython.int[::1],
    covers: cython.int[::1],
) -> None:
    """Find the certain matches between each reference row and the hypothesis of its segment.

    `classes` has the id of the first word of each word's class. `candidates` is an array of four
    rows: reference start, length, hypothesis start, length; the candidates of a reference row are
    sorted by start.

    For each reference word, `match_type` is the match that starts there: -1 no certain one, -2 an
    exact match, -3 a stem match, otherwise the index of a candidate of the row; `matched_word` is
    the start of the match in the hypothesis. ``state[row]`` is 0 if all matches are certain, 1 if a
    search is needed, 3 if a search is needed and the sentences are identical, so that only exact
    matches count. ``choices[row]`` is the number of ways to match the largest number of words of
    each class, `MAX_CHOICES` if there are more, or if there are candidates.

    Scratch: `table` three times as long as `classes`, all 0; `covers` twice as long as the
    longest row.
    """
    class_count: Py_ssize_t = table.shape[0] // 3
    half: Py_ssize_t = covers.shape[0] // 2
    candidate_count: Py_ssize_t = candidates.shape[0] // 4
    with cython.nogil:
        for row in range(first, last):
            hypothesis_start: longlong = hypothesis_offsets[segment_of[row]]
            n: longlong = hypothesis_offsets[segment_of[row] + 1] - hypothesis_start
            reference_start: longlong = row_offsets[row]
            m: longlong = row_offsets[row + 1] - reference_start
            identical: bint = n == m
            i: longlong = 0
            while identical and i < n:
                identical = hypothesis[hypothesis_start + i] == references[reference_start + i]
                i += 1
            candidate: longlong = candidate_offsets[row]
            stop: longlong = candidate if identical else candidate_offsets[row + 1]
            # Per class: the number of words on either side, and the last word of the hypothesis.
            for i in range(n):
                word: cython.int = hypothesis[hypothesis_start + i]
                word_class: longlong = word if identical else classes[word]
                table[word_class] += 1
                table[2 * class_count + word_class] = cython.cast(cython.int, i)
                covers[i] = 0
            for j in range(m):
                word = references[reference_start + j]
                word_class = word if identical else classes[word]
                table[class_count + word_class] += 1
                covers[half + j] = 0
            for candidate in range(candidate_offsets[row], stop):
                for j in range(
                    candidates[candidate],
                    candidates[candidate] + candidates[candidate_count + candidate],
                ):
                    covers[half + j] += 1
                begin: longlong = candidates[2 * candidate_count + candidate]
                for i in range(begin, begin + candidates[3 * candidate_count + candidate]):
                    covers[i] += 1
            unsettled: bint = stop > candidate_offsets[row]
            for j in range(m):
                word = references[reference_start + j]
                word_class = word if identical else classes[word]
                match_type[reference_start + j] = NO_MATCH
                if table[word_class] == 1 and table[class_count + word_class] == 1:
                    i = table[2 * class_count + word_class]
                    if covers[half + j] == 0 and covers[i] == 0:
                        matched_word[reference_start + j] = cython.cast(cython.int, i)
                        match_type[reference_start + j] = (
                            EXACT_MATCH if hypothesis[hypothesis_start + i] == word else STEM_MATCH
                        )
                        continue
                if table[word_class] > 0:
                    unsettled = True
            for candidate in range(candidate_offsets[row], stop):
                certain: bint = True
                for j in range(
                    candidates[candidate],
                    candidates[candidate] + candidates[candidate_count + candidate],
                ):
                    word = references[reference_start + j]
                    if covers[half + j] != 1 or table[classes[word]] != 0:
                        certain = False
                begin = candidates[2 * candidate_count + candidate]
                for i in range(begin, begin + candidates[3 * candidate_count + candidate]):
                    word = hypothesis[hypothesis_start + i]
                    if covers[i] != 1 or table[class_count + classes[word]] != 0:
                        certain = False
                if certain:
                    matched_word[reference_start + candidates[candidate]] = candidates[
                        2 * candidate_count + candidate
                    ]
                    match_type[reference_start + candidates[candidate]] = cython.cast(
                        cython.int, candidate - candidate_offsets[row]
                    )
            state[row] = (3 if identical else 1) if unsettled else 0
            way_count: longlong = 1 if stop == candidate_offsets[row] else MAX_CHOICES
            for j in range(m):
                word = references[reference_start + j]
                word_class = word if identical else classes[word]
                larger: longlong = max(table[word_class], table[class_count + word_class])
                # The number of ways is a product over words; each class counts once.
                for i in range(min(table[word_class], table[class_count + word_class])):
                    way_count = min(way_count * (larger - i), MAX_CHOICES)
                table[class_count + word_class] = 0
            choices[row] = way_count
            for i in range(n):
                word = hypothesis[hypothesis_start + i]
                table[word if identical else classes[word]] = 0


@cython.cclass
class Matching:
    """Solves one assignment problem after the other.

    The Hungarian algorithm with shortest augmenting paths (Jonker and Volgenant 1987). The reduced
    cost, minus the prices of row and column, is never negative, and is 0 for matched pairs.
    """

    cython.declare(cost=cython.const[longlong][::1], row_price=longlong[::1])
    cython.declare(column_price=longlong[::1])
    # Per column: the cost of the shortest path to it, and the previous column of that path.
    cython.declare(reach=longlong[::1], before=cython.int[::1], visited=cython.int[::1])
    # The row of each column, -1 if free; an additional column has the row to be matched.
    cython.declare(row_of=cython.int[::1], waiting=cython.int[::1], start=longlong, rows=cython.int)
    cython.declare(columns=cython.int)

    @cython.cfunc
    @cython.nogil
    def cost_at(self, row: cython.int, column: cython.int) -> longlong:
        """Return a cost."""
        return self.cost[self.start + cython.cast(longlong, row) * self.columns + column]

    @cython.cfunc
    @cython.nogil
    def solve(self) -> longlong:
        """Return the cost of the cheapest matching of at most `columns` rows."""
        cython.declare(column=cython.int)
        waiting: cython.int = 0
        total: longlong = 0
        for column in range(self.columns + 1):
            self.column_price[column] = 0
            self.row_of[column] = -1
        # As long as all prices are 0, rows can be matched with columns of cost 0.
        for row in range(self.rows):
            self.row_price[row] = 0
            column = self.free_of_charge(row)
            if column >= 0:
                self.row_of[column] = row
            else:
                self.waiting[waiting] = row
                waiting += 1
        for row in range(waiting):
            self.match(self.waiting[row])
        for column in range(self.columns):
            if self.row_of[column] >= 0:
                total += self.cost_at(self.row_of[column], column)
        return total

    @cython.cfunc
    @cython.nogil
    def free_of_charge(self, row: cython.int) -> cython.int:
        """Return the first free column with cost 0 for a row, or -1."""
        for column in range(self.columns):
            if self.row_of[column] < 0 and self.cost_at(row, column) == 0:
                return column
        return -1

    @cython.cfunc
    @cython.nogil
    def match(self, row: cython.int) -> void:
        """Match a further row, by augmenting along the shortest path to a free column."""
        cython.declare(column=cython.int)
        here: cython.int = self.columns
        nearest: cython.int = here
        for column in range(self.columns + 1):
            self.reach[column] = NO_PATH
            self.visited[column] = 0
        self.row_of[here] = row
        while self.row_of[here] >= 0:
            self.visited[here] = 1
            row = self.row_of[here]
            least: longlong = NO_PATH
            for column in range(self.columns):
                if self.visited[column]:
                    continue
                last_column: longlong = (
                    self.cost_at(row, column) - self.row_price[row] - self.column_price[column]
                )
                if last_column < self.reach[column]:
                    self.reach[column] = last_column
                    self.before[column] = here
                if self.reach[column] < least:
                    least = self.reach[column]
                    nearest = column
            for column in range(self.columns + 1):
                if self.visited[column]:
                    self.row_price[self.row_of[column]] += least
                    self.column_price[column] -= least
                else:
                    self.reach[column] -= least
            here = nearest
        while here != self.columns:
            nearest = self.before[here]
            self.row_of[here] = self.row_of[nearest]
            here = nearest


def cheapest_matchings(
    cost: cython.const[longlong][::1],
    cost_offsets: cython.const[longlong][::1],
    rows: cython.const[longlong][::1],
    columns: cython.const[longlong][::1],
    total: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    width: Py_ssize_t,
) -> None:
    """Write the cost of the cheapest matching of all rows of each matrix; costs are not negative.

    Matrix `k` starts at ``cost_offsets[k] - cost_offsets[first]``, row by row. It has at least as
    many columns as rows, and fewer columns than `width`.
    """
    matching: Matching = Matching()
    places = array("i", bytes(4 * width))
    prices = array("q", bytes(8 * width))
    matching.cost, matching.before, matching.visited = cost, places[:], places[:]
    matching.row_of, matching.waiting = places[:], places[:]
    matching.row_price, matching.column_price, matching.reach = prices[:], prices[:], prices[:]
    with cython.nogil:
        for k in range(first, last):
            matching.start = cost_offsets[k] - cost_offsets[first]
            matching.rows = cython.cast(cython.int, rows[k])
            matching.columns = cython.cast(cython.int, columns[k])
            total[k] = matching.solve()


# -- Shared n-grams. -------------------------------------------------------------------------------
#
# The key of an n-gram is the id of its first n-1 entries and its last entry. Only n-grams of the
# hypothesis get ids, from 1 on, and only if both of their (n-1)-grams are shared. Which n-grams are
# shared cannot be predicted, so the innermost lines have no branches: all others have the id 0.
#
# BLEU of many rows of statistics is computed with the operations of sacreBLEU, so that all digits
# are equal. `Contexts` aligns hypothesis words with reference words by their contexts, as RIBES
# does.


def shared_ngrams(
    hypothesis: cython.const[cython.int][::1],
    starts: cython.const[longlong][::1],
    stops: cython.const[longlong][::1],
    hypothesis_of: cython.const[longlong][::1],
    references: cython.const[cython.int][::1],
    reference_starts: cython.const[longlong][::1],
    reference_stops: cython.const[longlong][::1],
    reference_offsets: cython.const[longlong][::1],
    orders: cython.int,
    shared: longlong[::1],
    by_place: bint,
    matched: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Count the n-grams of a hypothesis that match, clipped by the most frequent reference.

    Group `g` is the hypothesis ``hypothesis[starts[h] : stops[h]]`` with ``h = hypothesis_of[g]``
    and the references ``references[reference_starts[r] : reference_stops[r]]`` with `r` from
    ``reference_offsets[g]`` to before ``reference_offsets[g + 1]``. All entries are at least 0.
    The number of matches of order n is written to ``shared[orders * g + n - 1]``. If `by_place`,
    that of each n-gram is also written to ``matched[(n - 1) * entries + place]``, at its first
    position in the hypothesis. Both arrays must be zeros. `longest` bounds the length of groups,
    counting one more entry for each reference.
    """
    cython.declare(total=longlong, order=cython.int)
    entries: longlong = hypothesis.shape[0]
    zeros = array("i", bytes(4 * longest + 4))
    # The id of the n-gram at each position of the hypothesis and of all references.
    system_ngrams: cython.int[::1] = zeros[:]
    reference_ngrams: cython.int[::1] = zeros[:]
    # For each n-gram: its first position, its count in the hypothesis, its clipped maximum count in
    # a reference, and its count in the current reference.
    place: cython.int[::1] = zeros[:]
    count: cython.int[::1] = zeros[:]
    max_counts: cython.int[::1] = zeros[:]
    current_counts: cython.int[::1] = zeros[:]
    # The keys of n-grams, and their ids.
    keys: longlong[::1] = array("q", bytes(32 * longest + 32))
    ids: cython.int[::1] = zeros * 4
    with cython.nogil:
        for group in range(first, last):
            start: longlong = starts[hypothesis_of[group]]
            length: longlong = stops[hypothesis_of[group]] - start
            for i in range(length + 1):
                system_ngrams[i] = 1
            base: longlong = 0
            for row in range(reference_offsets[group], reference_offsets[group + 1]):
                base += reference_stops[row] - reference_starts[row] + 1
            for i in range(base):
                reference_ngrams[i] = 1
            remaining: longlong = length
            for order in range(1, orders + 1):
                if length < order:
                    break
                size: longlong = 2
                shift: cython.int = 63
                while size < 2 * remaining:
                    size *= 2
                    shift -= 1
                for i in range(size):
                    keys[i] = -1
                for i in range(size):
                    ids[i] = 0
                for i in range(remaining + 1):
                    count[i] = max_counts[i] = current_counts[i] = 0
                distinct: cython.int = 0
                for i in range(length - order + 1):
                    if system_ngrams[i] == 0 or system_ngrams[i + 1] == 0:
                        system_ngrams[i] = 0
                        continue
                    key: longlong = pair_key(system_ngrams[i], hypothesis[start + i + order - 1])
                    index: longlong = slot_of(keys, key, golden_hash(key, shift), size - 1)
                    ngram_id: cython.int = ids[index]
                    flag: cython.int = ngram_id == 0
                    distinct += flag
                    ngram_id += distinct & -flag
                    keys[index] = key
                    ids[index] = ngram_id
                    count[ngram_id] += 1
                    system_ngrams[i] = ngram_id
                    if by_place and flag:
                        place[ngram_id] = cython.cast(cython.int, i)
                total = base = 0
                for row in range(reference_offsets[group], reference_offsets[group + 1]):
                    index = reference_starts[row] + order - 1 - base
                    for i in range(base, reference_stops[row] - index):
                        if reference_ngrams[i] == 0 or reference_ngrams[i + 1] == 0:
                            reference_ngrams[i] = 0
                            continue
                        key = pair_key(reference_ngrams[i], references[index + i])
                        ngram_id = ids[slot_of(keys, key, golden_hash(key, shift), size - 1)]
                        reference_ngrams[i] = ngram_id
                        current_counts[ngram_id] += 1
                        flag = (current_counts[ngram_id] > max_counts[ngram_id]) & (
                            current_counts[ngram_id] <= count[ngram_id]
                        )
                        max_counts[ngram_id] += flag
                        total += flag
                    for i in range(distinct + 1):
                        current_counts[i] = 0
                    base += reference_stops[row] - reference_starts[row] + 1
                if total == 0:
                    break
                shared[group * orders + order - 1] = total
                if by_place:
                    for ngram_id in range(1, distinct + 1):
                        matched[(order - 1) * entries + start + place[ngram_id]] = max_counts[
                            ngram_id
                        ]
                remaining = 0
                for i in range(length - order + 1):
                    flag = max_counts[system_ngrams[i]] > 0
                    system_ngrams[i] &= -flag
                    remaining += flag


@cython.cfunc
@cython.inline
@cython.nogil
def penalty(length: double, reference_length: double) -> double:
    """Return the brevity penalty of a hypothesis length, given the reference length."""
    if length >= reference_length:
        return 1.0
    if length == 0.0:
        return 0.0
    return exp(1 - reference_length / (length if length > 1.0 else 1.0))


@cython.cfunc
@cython.inline
@cython.nogil
def mean_precision(
    counts: cython.const[double][::1],
    place: Py_ssize_t,
    order: cython.int,
    smoothing: cython.int,
    value: double,
    effective_order: bint,
    compensated: bint,
) -> double:
    """Return the geometric mean of the smoothed precisions in per cent.

    `counts` has the matches of each order from `place` on, then the n-grams. Logarithms are summed
    as in Python, since version 3.12 with compensation for rounding.
    """
    effective: cython.int = 0
    scale: double = 1.0
    sum: double = 0.0
    compensation: double = 0.0
    for n in range(order):
        correct: double = counts[place + n]
        total: double = counts[place + order + n]
        if smoothing == ADD_K and n > 0:
            correct += value
            total += value
        if effective == n and total != 0.0:
            effective = n + 1
            correct = 100.0 * correct
            if correct == 0.0 and smoothing == EXP:
                scale *= 2.0
                total *= scale
                correct = 100.0
            elif correct == 0.0 and smoothing == FLOOR:
                correct = 100.0 * value
            correct /= total
        else:
            if effective_order and effective > 0:
                break
            correct = 0.0
        logarithm: double = log(correct) if correct != 0.0 else LOG_OF_ZERO
        new_sum: double = sum + logarithm
        if fabs(sum) >= fabs(logarithm):
            compensation += (sum - new_sum) + logarithm
        else:
            compensation += (logarithm - new_sum) + sum
        sum = new_sum
    if compensated:
        sum += compensation
    return exp(sum / (effective if effective_order and effective > 0 else order))


def bleu_scores(
    counts: cython.const[double][::1],
    order: cython.int,
    smoothing: cython.int,
    value: double,
    effective_order: bint,
    compensated: bint,
    scores: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the BLEU, from 0 to 100, of each row of statistics.

    A row has the lengths of hypothesis and reference, the matches of each order, and the n-grams of
    each order. `smoothing` is 0 for none, 1 for exp, 2 for floor, 3 for add-k. Precisions are 0
    from the first order without n-grams on.
    """
    with cython.nogil:
        for row in range(first, last):
            place: Py_ssize_t = row * (2 + 2 * order)
            matched: bint = False
            for n in range(order):
                matched = matched or counts[place + 2 + n] > 0.0
            if not matched:
                scores[row] = 0.0
                continue
            scores[row] = penalty(counts[place], counts[place + 1]) * mean_precision(
                counts, place + 2, order, smoothing, value, effective_order, compensated
            )


@cython.cclass
class Contexts:
    """Finds the shortest context of each hypothesis word that identifies its reference word.

    The words of a segment have ids from 0. `find` uses left contexts; for right contexts both
    sentences are reversed.
    """

    cython.declare(hypothesis=cython.int[::1], reference=cython.int[::1])
    # The last position of each word so far, and the previous position of the word at each position.
    cython.declare(last=cython.int[::1], earlier=cython.int[::1], reference_earlier=cython.int[::1])
    # The length of the common context that ends at the current word and at each position.
    cython.declare(common=cython.int[::1], reference_common=cython.int[::1])
    # For each hypothesis word: the longest common context with another position of the hypothesis,
    # the two longest with positions of the reference, and the end of the longest.
    cython.declare(again=cython.int[::1], longest=cython.int[::1], second=cython.int[::1])
    cython.declare(where=cython.int[::1])

    @cython.cfunc
    @cython.nogil
    def find(self, n: cython.int, m: cython.int, distinct: cython.int) -> void:
        """Compute `again`, `longest`, `second` and `where` for `n` words against `m`.

        A context of `k` words occurs once on both sides exactly if `again` and `second` are below
        `k` and `longest` is not. The length of a common context is that at the positions before
        both ends plus 1. Positions are processed backwards, so that the entry before still has the
        length of the previous word.
        """
        for word in range(distinct):
            self.last[word] = -1
        for place in range(m):
            word = self.reference[place]
            self.reference_earlier[place] = self.last[word]
            self.last[word] = place
        for i in range(n):
            word = self.hypothesis[i]
            self.longest[i] = self.second[i] = 0
            self.where[i] = -1
            place = self.last[word]
            while place >= 0:
                length: cython.int = 1
                if i > 0 and place > 0 and self.hypothesis[i - 1] == self.reference[place - 1]:
                    length += self.reference_common[place - 1]
                self.reference_common[place] = length
                if length > self.longest[i]:
                    self.second[i] = self.longest[i]
                    self.longest[i] = length
                    self.where[i] = place
                elif length > self.second[i]:
                    self.second[i] = length
                place = self.reference_earlier[place]
        for word in range(distinct):
            self.last[word] = -1
        for i in range(n):
            word = self.hypothesis[i]
            self.again[i] = 0
            self.earlier[i] = self.last[word]
            self.last[word] = i
            place = self.earlier[i]
            while place >= 0:
                length = 1
                if place > 0 and self.hypothesis[i - 1] == self.hypothesis[place - 1]:
                    length += self.common[place - 1]
                self.common[place] = length
                if length > self.again[i]:
                    self.again[i] = length
                if length > self.again[place]:
                    self.again[place] = length
                place = self.earlier[place]

    @cython.cfunc
    @cython.nogil
    def needed(self, i: cython.int) -> cython.int:
        """Return the length of the shortest context that identifies word `i`, or 0."""
        length: cython.int = self.again[i]
        if length < self.second[i]:
            length = self.second[i]
        return length + 1 if length < self.longest[i] else 0

    @cython.cfunc
    @cython.nogil
    def reverse(self, n: cython.int, m: cython.int) -> void:
        """Reverse both sentences."""
        cython.declare(i=cython.int)
        for i in range(n // 2):
            word: cython.int = self.hypothesis[i]
            self.hypothesis[i] = self.hypothesis[n - 1 - i]
            self.hypothesis[n - 1 - i] = word
        for i in range(m // 2):
            word = self.reference[i]
            self.reference[i] = self.reference[m - 1 - i]
            self.reference[m - 1 - i] = word


def worder(
    pairs: RowPairs,
    distinct: cython.const[cython.int][::1],
    right_first: cython.int,
    starts: cython.const[longlong][::1],
    ranks: cython.int[::1],
    matched: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    longest: Py_ssize_t,
) -> None:
    """Write per reference the positions of the hypothesis words in it, from ``ranks[starts[row]]``.

    ``matched[row]`` is their number; words that no context identifies are left out. With
    `right_first`, right contexts win over left ones of the same length, and left contexts that
    reach the start of the sentence are not used for words in the second half. `longest` bounds the
    length of sentences and the number of distinct words of a segment.
    """
    contexts: Contexts = Contexts()
    words = array("i", bytes(4 * longest))
    contexts.hypothesis, contexts.reference, contexts.last = words[:], words[:], words[:]
    contexts.earlier, contexts.reference_earlier = words[:], words[:]
    contexts.common, contexts.reference_common = words[:], words[:]
    contexts.again, contexts.longest, contexts.second = words[:], words[:], words[:]
    contexts.where = words[:]
    left_length: cython.int[::1] = words[:]
    left_where: cython.int[::1] = words[:]
    with cython.nogil:
        for row in range(first, last):
            segment: longlong = pairs.text_rows[row]
            start: longlong = pairs.text_offsets[segment]
            n: cython.int = cython.cast(cython.int, pairs.text_offsets[segment + 1] - start)
            for i in range(n):
                contexts.hypothesis[i] = pairs.text[start + i]
            start = pairs.pattern_offsets[row]
            m: cython.int = cython.cast(cython.int, pairs.pattern_offsets[row + 1] - start)
            for i in range(m):
                contexts.reference[i] = pairs.pattern[start + i]
            contexts.find(n, m, distinct[segment])
            for i in range(n):
                left_length[i] = contexts.needed(i)
                left_where[i] = contexts.where[i]
                if right_first and left_length[i] > 1:
                    widest: cython.int = n - i + 1
                    if widest < i:
                        widest = i
                    if left_length[i] > widest:
                        left_length[i] = 0
            contexts.reverse(n, m)
            contexts.find(n, m, distinct[segment])
            base: longlong = starts[row]
            matched_words: cython.int = 0
            for i in range(n):
                left_context: cython.int = left_length[i]
                right_context: cython.int = contexts.needed(n - 1 - i)
                if left_context and (
                    not right_context
                    or left_context < right_context
                    or (left_context == right_context and not right_first)
                ):
                    ranks[base + matched_words] = left_where[i]
                    matched_words += 1
                elif right_context:
                    ranks[base + matched_words] = m - 1 - contexts.where[n - 1 - i]
                    matched_words += 1
            matched[row] = matched_words


def rank_moments(
    ranks: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    lengths: cython.const[longlong][::1],
    covariance: longlong[::1],
    spread: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    middle: cython.int[::1],
) -> None:
    """Sum per row the terms of Spearman's correlation of ranks and positions.

    Ranks and positions are centred and doubled; equal ranks are averaged. `covariance` is the sum
    of their products, `spread` the sum of the squares of the ranks. Scratch: an array one longer
    than the largest of `lengths`.
    """
    cython.declare(products=longlong, squares=longlong)
    with cython.nogil:
        for row in range(first, last):
            n: longlong = offsets[row + 1] - offsets[row]
            for i in range(lengths[row]):
                middle[i] = 0
            for i in range(offsets[row], offsets[row + 1]):
                middle[ranks[i]] += 1
            below: longlong = 0
            for i in range(lengths[row]):
                equal: longlong = middle[i]
                middle[i] = cython.cast(cython.int, 2 * below + equal - n)
                below += equal
            products = squares = 0
            for i in range(n):
                distance: longlong = middle[ranks[offsets[row] + i]]
                products += distance * (2 * i + 1 - n)
                squares += distance * distance
            covariance[row] = products
            spread[row] = squares
