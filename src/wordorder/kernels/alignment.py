"""Word alignment models, symmetrization, and the extraction of phrase pairs."""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar, ulonglong, void
from cython.cimports.libc.math import log, log1p
from cython.cimports.wordorder.kernels._common import GOLDEN, MASK64, pair_key, slot_of

# Word alignments.

# Smaller expected jumps are not counted: they would take as much time as all others together.
NEGLIGIBLE_JUMP = cython.declare(double, 1e-12)

# Bits of a mark: the alignments that have the link; and whether the result has it.
cython.declare(FORWARD=cython.int, BACKWARD=cython.int, BOTH=cython.int, SELECTED=cython.int)
FORWARD, BACKWARD, BOTH, SELECTED = 1, 2, 3, 4

# The neighbours that are added in growth, and the condition for links of the final steps.
cython.declare(NO_GROWTH=cython.int, STRAIGHT=cython.int, DIAGONAL=cython.int)
NO_GROWTH, STRAIGHT, DIAGONAL = range(3)
cython.declare(NO_FINAL=cython.int, ONE_UNCOVERED=cython.int, BOTH_UNCOVERED=cython.int)
NO_FINAL, ONE_UNCOVERED, BOTH_UNCOVERED = range(3)

# Phrase pairs.

# Types of corners of phrase pairs in a grid of source by target positions: source and target end
# there; both begin; the source begins where the target ends; the source ends where it begins.
cython.declare(ENDS=uchar, BEGINS=uchar, BEGINS_ENDS=uchar, ENDS_BEGINS=uchar)
ENDS, BEGINS, BEGINS_ENDS, ENDS_BEGINS = 1, 2, 4, 8

# Orientations: after the previous phrase, before it, or neither.
cython.declare(MONOTONE=uchar, SWAP=uchar, DISCONTINUOUS=uchar)
MONOTONE, SWAP, DISCONTINUOUS = range(3)

# A term smaller than this share of the sum does not change it.
NEGLIGIBLE_TERM = cython.declare(double, 1e-18)


# -- Word alignments. ------------------------------------------------------------------------------
#
# A cell is a pair of a source word and a target word of a sentence pair; the cells of a row are
# stored source word by source word.
#
# IBM Model 1 computes which word of the other side each token comes from, and ignores their order.
# The hidden Markov model (`HmmChain`) sums over all alignments of a sentence pair. States are the
# words of one side, tokens those of the other. A token comes from a state or from the null word,
# which keeps the state from which the next jump starts. A sentence starts before its first state
# and ends with a jump past its last one. The probability of a jump depends on its width: it is the
# weight of the width over the weights of all jumps that stay in the sentence. Only sums, products
# and quotients are computed, so that results do not depend on the machine's mathematical library.
# Jumps of at least the width `widest` share one weight in each direction, so their contribution is
# a running sum over the states, and a token takes (states times narrower widths) steps, not (states
# times states).
#
# Symmetrization combines the two directional alignments of a sentence pair. The marks of a row are
# the cells of its table, target word by target word: the alignments that have the link, and whether
# the result has it.


def number_pairs(
    order: cython.const[longlong][::1],
    rows: cython.const[cython.int][::1],
    source: cython.const[cython.int][::1],
    source_offsets: cython.const[longlong][::1],
    target: cython.const[cython.int][::1],
    target_offsets: cython.const[longlong][::1],
    cell_offsets: cython.const[longlong][::1],
    pair: cython.int[::1],
    pair_source: cython.int[::1],
    pair_target: cython.int[::1],
    pair_count: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    seen: cython.int[::1],
    number: cython.int[::1],
) -> None:
    """Number the distinct pairs of words, and write the number of each cell's pair.

    `order` has the source tokens sorted by word, so that one row of scratch over the target words
    is enough: `seen` (initially -1) has the last source word that was paired with each of them.
    ``found[0]`` is the number of pairs.
    """
    with cython.nogil:
        pairs: cython.int = cython.cast(cython.int, pair_count[0])
        for k in range(first, last):
            token: longlong = order[k]
            row: cython.int = rows[token]
            word: cython.int = source[token]
            begin: longlong = target_offsets[row]
            length: longlong = target_offsets[row + 1] - begin
            cell: longlong = cell_offsets[row] + (token - source_offsets[row]) * length
            for j in range(length):
                target_word: cython.int = target[begin + j]
                if seen[target_word] != word:
                    seen[target_word] = word
                    number[target_word] = pairs
                    pair_source[pairs] = word
                    pair_target[pairs] = target_word
                    pairs += 1
                pair[cell + j] = number[target_word]
        pair_count[0] = pairs


def add_weights(
    pair: cython.const[cython.int][::1],
    weight: cython.const[double][::1],
    total: double[::1],
    cells: Py_ssize_t,
) -> None:
    """Add the weight of each cell to the total of its pair, in the order of the cells."""
    with cython.nogil:
        for k in range(cells):
            total[pair[k]] += weight[k]


def add_products(
    pair: cython.const[cython.int][::1],
    first_weight: cython.const[double][::1],
    second_weight: cython.const[double][::1],
    total: double[::1],
    cells: Py_ssize_t,
) -> None:
    """Add the product of two weights of each cell to the total of its pair."""
    with cython.nogil:
        for k in range(cells):
            total[pair[k]] += first_weight[k] * second_weight[k]


def find_best_states(
    state_offsets: cython.const[longlong][::1],
    token_offsets: cython.const[longlong][::1],
    cell_offsets: cython.const[longlong][::1],
    transposed: cython.int,
    posterior: cython.const[double][::1],
    null_posterior: cython.const[double][::1],
    best: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the most probable state of each token; -1 for the null word.

    Ties go to the first state; the null word must be more probable than all states.
    """
    with cython.nogil:
        for row in range(first, last):
            states: longlong = state_offsets[row + 1] - state_offsets[row]
            tokens: longlong = token_offsets[row + 1] - token_offsets[row]
            state_step: longlong = 1 if transposed else tokens
            token_step: longlong = states if transposed else 1
            for j in range(tokens):
                cell: longlong = cell_offsets[row] + j * token_step
                choice: cython.int = -1
                largest: double = 0.0
                for i in range(states):
                    if posterior[cell + i * state_step] > largest:
                        largest = posterior[cell + i * state_step]
                        choice = cython.cast(cython.int, i)
                if null_posterior[token_offsets[row] + j] > largest:
                    choice = -1
                best[token_offsets[row] + j] = choice


def ibm1_posteriors(
    state_offsets: cython.const[longlong][::1],
    token_offsets: cython.const[longlong][::1],
    cell_offsets: cython.const[longlong][::1],
    transposed: cython.int,
    pair: cython.const[cython.int][::1],
    translation: cython.const[double][::1],
    token: cython.const[cython.int][::1],
    null_translation: cython.const[double][::1],
    null_share: double,
    posterior: double[::1],
    null_posterior: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the posterior of each cell and, per token, of the null word.

    States are the words of the source and tokens those of the target, or, `transposed`, the other
    way round. `translation` is by pair, `null_translation` by word; all must be above 0.
    """
    with cython.nogil:
        for row in range(first, last):
            states: longlong = state_offsets[row + 1] - state_offsets[row]
            tokens: longlong = token_offsets[row + 1] - token_offsets[row]
            state_step: longlong = 1 if transposed else tokens
            token_step: longlong = states if transposed else 1
            share: double = (1.0 - null_share) / states if states > 0 else 0.0
            for j in range(tokens):
                place: longlong = token_offsets[row] + j
                cell: longlong = cell_offsets[row] + j * token_step
                null: double = null_share * null_translation[token[place]]
                total: double = null
                for i in range(states):
                    posterior[cell + i * state_step] = (
                        share * translation[pair[cell + i * state_step]]
                    )
                    total += posterior[cell + i * state_step]
                for i in range(states):
                    posterior[cell + i * state_step] /= total
                null_posterior[place] = null / total


@cython.cclass
class HmmChain:
    """The forward-backward algorithm on one sentence pair after the other.

    Arrays are described by the methods that fill them; those of cells have a row of states for
    each token.
    """

    cython.declare(states=longlong, widest=longlong)
    # Per cell.
    cython.declare(emitted=double[::1], reached=double[::1], idle=double[::1])
    # Per token.
    cython.declare(null=double[::1], unstarted=double[::1])
    # Per width of a jump, from the middle on.
    cython.declare(weight=double[::1], mirrored=double[::1], count=double[::1])
    # Per state, and one more.
    cython.declare(share=double[::1], future=double[::1], earlier=double[::1], pulled=double[::1])

    def __init__(self, states: Py_ssize_t, tokens: Py_ssize_t, cells: Py_ssize_t, widest: longlong):
        """Allocate arrays of these sizes; jumps of at least `widest` share one weight."""
        zeros = array("d", [0.0])
        jumps, ends = zeros * (2 * states + 1), zeros * (states + 1)
        self.widest = widest
        self.emitted, self.reached, self.idle = zeros * cells, zeros * cells, zeros * cells
        self.null, self.unstarted = zeros * tokens, zeros * tokens
        self.weight, self.mirrored, self.count = jumps[:], jumps[:], jumps[:]
        self.share, self.future, self.earlier, self.pulled = ends[:], ends[:], ends[:], ends[:]

    @cython.cfunc
    @cython.nogil
    def jump_shares(self) -> void:
        """Set ``share[i + 1]`` to 1 over the weights of all jumps from `i`; -1 is the start."""
        states: longlong = self.states
        for i in range(-1, states):
            # The jump past the last state cannot be made from the start.
            total: double = self.weight[2 * states - i] if i >= 0 else 0.0
            for k in range(states):
                total += self.weight[states + k - i]
            self.share[i + 1] = 1.0 / total

    @cython.cfunc
    @cython.nogil
    def forward(self, tokens: longlong) -> void:
        """Compute the forward probabilities of each token, which sum to 1.

        `reached`: the token comes from the state; `idle`: from the null word, after the state;
        `unstarted`: from the null word, like all tokens before.
        """
        states: longlong = self.states
        widest: longlong = self.widest
        for j in range(tokens):
            here: longlong = j * states
            unstarted: double = self.unstarted[j - 1] if j > 0 else 1.0
            for i in range(states):
                self.reached[here + i] = unstarted * self.share[0] * self.weight[states + i + 1]
                self.idle[here + i] = 0.0
            self.unstarted[j] = unstarted * self.null[j]
            if j > 0:
                for k in range(states):
                    unstarted = self.reached[here - states + k] + self.idle[here - states + k]
                    self.idle[here + k] = unstarted * self.null[j]
                    unstarted *= self.share[k + 1]
                    shift: longlong = states - k
                    for i in range(max(k - widest + 1, 0), min(k + widest, states)):
                        self.reached[here + i] += unstarted * self.weight[shift + i]
                unstarted = 0.0
                for i in range(widest, states):
                    k = i - widest
                    unstarted += (
                        self.reached[here - states + k] + self.idle[here - states + k]
                    ) * self.share[k + 1]
                    self.reached[here + i] += unstarted * self.weight[states + widest]
                unstarted = 0.0
                for i in range(states - widest - 1, -1, -1):
                    k = i + widest
                    unstarted += (
                        self.reached[here - states + k] + self.idle[here - states + k]
                    ) * self.share[k + 1]
                    self.reached[here + i] += unstarted * self.weight[states - widest]
            total: double = self.unstarted[j]
            for i in range(states):
                self.reached[here + i] *= self.emitted[here + i]
                total += self.reached[here + i] + self.idle[here + i]
            total = 1.0 / total
            self.unstarted[j] *= total
            for i in range(states):
                self.reached[here + i] *= total
                self.idle[here + i] *= total

    @cython.cfunc
    @cython.nogil
    def final_jump(self, row: longlong, unstarted: double) -> void:
        """Set `future` to the probability to end from each state; the start state comes last."""
        states: longlong = self.states
        # A sentence of null words alone makes no jump.
        self.future[states] = 1.0
        total: double = unstarted
        for i in range(states):
            self.future[i] = self.share[i + 1] * self.weight[2 * states - i]
            total += (self.reached[row + i] + self.idle[row + i]) * self.future[i]
        total = 1.0 / total
        for i in range(states):
            self.count[2 * states - i] += (
                (self.reached[row + i] + self.idle[row + i]) * self.future[i] * total
            )

    @cython.cfunc
    @cython.nogil
    def token_posteriors(
        self, j: longlong, posterior: double[::1], cell: longlong, state_step: longlong
    ) -> double:
        """Write the posteriors of token `j`, the forward times the backward values of each state.

        Return the posterior of the null word.
        """
        states: longlong = self.states
        here: longlong = j * states
        null: double = self.unstarted[j] * self.future[states]
        total: double = 0.0
        for i in range(states):
            null += self.idle[here + i] * self.future[i]
            total += self.reached[here + i] * self.future[i]
        total = 1.0 / (total + null)
        for i in range(states):
            posterior[cell + i * state_step] = self.reached[here + i] * self.future[i] * total
        return null * total

    @cython.cfunc
    @cython.nogil
    def step_back(self, row: longlong, null: double, unstarted: double) -> void:
        """Count the jumps to a token, and set `future` to that of the previous token.

        `unstarted` is the probability to be at the start before the token.
        """
        states: longlong = self.states
        widest: longlong = self.widest
        for k in range(states):
            self.pulled[k] = self.emitted[row + k] * self.future[k]
            self.earlier[k] = 0.0
        self.earlier[states] = 0.0
        for i in range(states):
            shift: longlong = states - i
            for k in range(max(i - widest + 1, 0), min(i + widest, states)):
                self.earlier[k] += self.pulled[i] * self.mirrored[shift + k]
            self.earlier[states] += self.pulled[i] * self.weight[states + i + 1]
        distant: double = 0.0
        for k in range(states - widest - 1, -1, -1):
            distant += self.pulled[k + widest]
            self.earlier[k] += distant * self.weight[states + widest]
        distant = 0.0
        for k in range(widest, states):
            distant += self.pulled[k - widest]
            self.earlier[k] += distant * self.weight[states - widest]
        self.earlier[states] = self.earlier[states] * self.share[0] + null * self.future[states]
        total: double = unstarted * self.earlier[states]
        largest: double = self.earlier[states]
        for k in range(states):
            self.earlier[k] = self.earlier[k] * self.share[k + 1] + null * self.future[k]
            if row > 0:
                total += (
                    self.reached[row - states + k] + self.idle[row - states + k]
                ) * self.earlier[k]
            if self.earlier[k] > largest:
                largest = self.earlier[k]
        from_unstarted: double = unstarted * self.share[0] / total
        for i in range(states):
            self.count[states + i + 1] += (
                from_unstarted * self.pulled[i] * self.weight[states + i + 1]
            )
        if row > 0:
            for k in range(states):
                from_unstarted = (
                    self.reached[row - states + k] + self.idle[row - states + k]
                ) / total
                if from_unstarted * self.earlier[k] > NEGLIGIBLE_JUMP:
                    from_unstarted *= self.share[k + 1]
                    shift = states - k
                    for i in range(max(k - widest + 1, 0), min(k + widest, states)):
                        self.count[shift + i] += (
                            from_unstarted * self.pulled[i] * self.weight[shift + i]
                        )
            distant = 0.0
            for k in range(states - widest - 1, -1, -1):
                distant += self.pulled[k + widest]
                from_unstarted = (
                    self.reached[row - states + k] + self.idle[row - states + k]
                ) / total
                if from_unstarted * self.earlier[k] > NEGLIGIBLE_JUMP:
                    self.count[states + widest] += (
                        from_unstarted * self.share[k + 1] * distant * self.weight[states + widest]
                    )
            distant = 0.0
            for k in range(widest, states):
                distant += self.pulled[k - widest]
                from_unstarted = (
                    self.reached[row - states + k] + self.idle[row - states + k]
                ) / total
                if from_unstarted * self.earlier[k] > NEGLIGIBLE_JUMP:
                    self.count[states - widest] += (
                        from_unstarted * self.share[k + 1] * distant * self.weight[states - widest]
                    )
        largest = 1.0 / largest
        for k in range(states + 1):
            self.future[k] = self.earlier[k] * largest


def hmm_posteriors(
    chain: HmmChain,
    state_offsets: cython.const[longlong][::1],
    token_offsets: cython.const[longlong][::1],
    cell_offsets: cython.const[longlong][::1],
    transposed: cython.int,
    pair: cython.const[cython.int][::1],
    translation: cython.const[double][::1],
    token: cython.const[cython.int][::1],
    null_translation: cython.const[double][::1],
    null_share: double,
    posterior: double[::1],
    null_posterior: double[::1],
    jumps: cython.const[double][::1],
    jump_counts: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the posterior of each cell and, per token, of the null word; count the jumps.

    ``jumps[widest + d]`` is the weight of a jump by `d`; wider jumps count as `widest`. For the
    other arguments see `ibm1_posteriors`.
    """
    widest: longlong = chain.widest
    with cython.nogil:
        for row in range(first, last):
            states: longlong = state_offsets[row + 1] - state_offsets[row]
            tokens: longlong = token_offsets[row + 1] - token_offsets[row]
            chain.states = states
            if states == 0:
                for j in range(token_offsets[row], token_offsets[row + 1]):
                    null_posterior[j] = 1.0
            if states == 0 or tokens == 0:
                continue
            state_step: longlong = 1 if transposed else tokens
            token_step: longlong = states if transposed else 1
            for j in range(tokens):
                chain.null[j] = null_share * null_translation[token[token_offsets[row] + j]]
                cell: longlong = cell_offsets[row] + j * token_step
                for i in range(states):
                    chain.emitted[j * states + i] = (1.0 - null_share) * translation[
                        pair[cell + i * state_step]
                    ]
            for i in range(-states, states + 1):
                j = -widest if i < -widest else (widest if i > widest else i)
                chain.weight[states + i] = jumps[widest + j]
                chain.mirrored[states - i] = jumps[widest + j]
                chain.count[states + i] = 0.0
            chain.jump_shares()
            chain.forward(tokens)
            j = tokens - 1
            chain.final_jump(j * states, chain.unstarted[j])
            while j >= 0:
                cell = cell_offsets[row] + j * token_step
                null_posterior[token_offsets[row] + j] = chain.token_posteriors(
                    j, posterior, cell, state_step
                )
                chain.step_back(j * states, chain.null[j], chain.unstarted[j - 1] if j > 0 else 1.0)
                j -= 1
            for i in range(-states, states + 1):
                j = -widest if i < -widest else (widest if i > widest else i)
                jump_counts[widest + j] += chain.count[states + i]


def symmetrize_rows(
    forward_source: cython.const[cython.int][::1],
    forward_target: cython.const[cython.int][::1],
    forward_offsets: cython.const[longlong][::1],
    backward_source: cython.const[cython.int][::1],
    backward_target: cython.const[cython.int][::1],
    backward_offsets: cython.const[longlong][::1],
    source_lengths: cython.const[longlong][::1],
    target_lengths: cython.const[longlong][::1],
    needed: cython.int,
    growth: cython.int,
    final: cython.int,
    source: cython.int[::1],
    target: cython.int[::1],
    counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    marks: uchar[::1],
    source_covered: uchar[::1],
    target_covered: uchar[::1],
) -> None:
    """Write the symmetrized links of each row from the sum of both offsets on, and their number.

    A link is selected first if its marks include the bits of `needed` (if that is 0: any mark).
    Scratch: `marks`, the cells of the largest row; two arrays of the words of the longest.
    """
    with cython.nogil:
        for row in range(first, last):
            columns: longlong = source_lengths[row]
            rows: longlong = target_lengths[row]
            for k in range(rows * columns):
                marks[k] = 0
            for k in range(columns):
                source_covered[k] = 0
            for k in range(rows):
                target_covered[k] = 0
            for k in range(forward_offsets[row], forward_offsets[row + 1]):
                marks[forward_target[k] * columns + forward_source[k]] |= FORWARD
            for k in range(backward_offsets[row], backward_offsets[row + 1]):
                marks[backward_target[k] * columns + backward_source[k]] |= BACKWARD
            for k in range(rows):
                for i in range(columns):
                    index: longlong = k * columns + i
                    if marks[index] != 0 and (marks[index] & needed) == needed:
                        marks[index] |= SELECTED
                        source_covered[i] = 1
                        target_covered[k] = 1
            if growth != NO_GROWTH:
                while grow_links(rows, columns, growth, marks, source_covered, target_covered):
                    pass
            if final != NO_FINAL:
                add_final_links(
                    rows, columns, FORWARD, final, marks, source_covered, target_covered
                )
                add_final_links(
                    rows, columns, BACKWARD, final, marks, source_covered, target_covered
                )
            begin: longlong = forward_offsets[row] + backward_offsets[row]
            index = begin
            for i in range(columns):
                for k in range(rows):
                    if marks[k * columns + i] & SELECTED:
                        source[index] = cython.cast(cython.int, i)
                        target[index] = cython.cast(cython.int, k)
                        index += 1
            counts[row] = index - begin


@cython.cfunc
@cython.nogil
def grow_links(
    rows: longlong,
    columns: longlong,
    growth: cython.int,
    marks: uchar[::1],
    source_covered: uchar[::1],
    target_covered: uchar[::1],
) -> bint:
    """Add marked neighbours of selected links that cover a word, in one scan; return if any was.

    A link that is added at a position already scanned is extended in the next scan.
    """
    steps: cython.int = 8 if growth == DIAGONAL else 4
    added: bint = False
    for t in range(rows):
        for s in range(columns):
            if not (marks[t * columns + s] & SELECTED):
                continue
            for step in range(steps):
                # Above, left, below, right; then the corners, left before right.
                if step < 4:
                    y: longlong = t + (step - 1 if step % 2 == 0 else 0)
                    x: longlong = s + (step - 2 if step % 2 == 1 else 0)
                else:
                    y = t + (-1 if step < 6 else 1)
                    x = s + (-1 if step % 2 == 0 else 1)
                if y < 0 or y >= rows or x < 0 or x >= columns:
                    continue
                if marks[y * columns + x] == 0 or marks[y * columns + x] & SELECTED:
                    continue
                if source_covered[x] and target_covered[y]:
                    continue
                marks[y * columns + x] |= SELECTED
                source_covered[x] = 1
                target_covered[y] = 1
                added = True
    return added


@cython.cfunc
@cython.nogil
def add_final_links(
    rows: longlong,
    columns: longlong,
    side: cython.int,
    final: cython.int,
    marks: uchar[::1],
    source_covered: uchar[::1],
    target_covered: uchar[::1],
) -> void:
    """Add the links that only the alignment `side` has, if their words are not covered yet."""
    for t in range(rows):
        for s in range(columns):
            if marks[t * columns + s] != side:
                continue
            covered: cython.int = source_covered[s] + target_covered[t]
            if covered == 0 or (covered == 1 and final == ONE_UNCOVERED):
                marks[t * columns + s] |= SELECTED
                source_covered[s] = 1
                target_covered[t] = 1


def link_overlap(
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    gold_source: cython.const[cython.int][::1],
    gold_target: cython.const[cython.int][::1],
    gold_possible: cython.const[uchar][::1],
    gold_offsets: cython.const[longlong][::1],
    sure: longlong[::1],
    in_sure: longlong[::1],
    in_gold: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    slots: longlong[::1],
) -> None:
    """Count in each row the sure gold links, and the links among sure and among all gold links.

    No link may be listed twice in a row.

    Scratch: a hash table of gold link indices, initially -1, whose size is a power of two and at
    least twice the longest gold row. Entries of earlier rows are smaller than the row's first
    index, and count as empty.
    """
    mask: longlong = slots.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            sure[row] = in_sure[row] = in_gold[row] = 0
            start: longlong = gold_offsets[row]
            for link in range(start, gold_offsets[row + 1]):
                if gold_possible[link] == 0:
                    sure[row] += 1
                slot: longlong = cython.cast(longlong, gold_source[link]) * 73856093
                slot = slot ^ (cython.cast(longlong, gold_target[link]) * 19349663)
                slot = (slot ^ (slot >> 17)) & mask
                while slots[slot] >= start:
                    slot = (slot + 1) & mask
                slots[slot] = link
            for link in range(offsets[row], offsets[row + 1]):
                slot = cython.cast(longlong, source[link]) * 73856093
                slot = slot ^ (cython.cast(longlong, target[link]) * 19349663)
                slot = (slot ^ (slot >> 17)) & mask
                gold_link: longlong = slots[slot]
                while gold_link >= start:
                    if (
                        gold_source[gold_link] == source[link]
                        and gold_target[gold_link] == target[link]
                    ):
                        in_gold[row] += 1
                        if gold_possible[gold_link] == 0:
                            in_sure[row] += 1
                        break
                    slot = (slot + 1) & mask
                    gold_link = slots[slot]


# -- Phrase pairs. ---------------------------------------------------------------------------------
#
# Phrase pairs are consistent with the links of sentence pairs, and have the lexical weights of
# Koehn, Och & Marcu (2003, section 3.2). The significance of their co-occurrence is that of Johnson
# et al. (2007).


@cython.final
@cython.cclass
class PhraseFinder:
    """Finds the phrase pairs of one sentence pair after the other."""

    cython.declare(source_offsets=cython.const[longlong][::1])
    cython.declare(target_offsets=cython.const[longlong][::1])
    cython.declare(link_offsets=cython.const[longlong][::1], longest=longlong)
    cython.declare(link_source=cython.const[cython.int][::1])
    cython.declare(link_target=cython.const[cython.int][::1], rows=longlong, columns=longlong)
    # For each word the first and the last word on the other side that it is linked with; without a
    # link, the length of the other side, and -1.
    cython.declare(source_span=cython.int[::1], target_span=cython.int[::1])
    # The first and last words of both sides of each pair; a grid for corners, initially zeros.
    cython.declare(spans=cython.int[::1], corners=uchar[::1])

    def __init__(
        self,
        source_offsets: cython.const[longlong][::1],
        target_offsets: cython.const[longlong][::1],
        link_offsets: cython.const[longlong][::1],
        link_source: cython.const[cython.int][::1],
        link_target: cython.const[cython.int][::1],
        longest: longlong,
        source_words: Py_ssize_t,
        target_words: Py_ssize_t,
        cells: Py_ssize_t,
    ):
        """Allocate arrays for sentence pairs with at most these numbers of words and links."""
        self.source_offsets, self.target_offsets = source_offsets, target_offsets
        self.link_source, self.link_target = link_source, link_target
        self.link_offsets, self.longest = link_offsets, longest
        self.source_span = array("i", bytes(8 * source_words))
        self.target_span = array("i", bytes(8 * target_words))
        # A phrase pair contains a link, which is in at most this number of spans of each side.
        capacity: Py_ssize_t = target_words * longest * (longest * (longest + 1) // 2)
        self.spans = array("i", bytes(16 * capacity))
        self.corners = array("B", bytes(cells))

    @cython.cfunc
    @cython.nogil
    def find(self, row: longlong) -> longlong:
        """Write the phrase pairs of a sentence pair; return their number.

        No word of a pair is linked with a word outside of it, and at least one is linked inside.
        """
        self.rows = self.source_offsets[row + 1] - self.source_offsets[row]
        self.columns = self.target_offsets[row + 1] - self.target_offsets[row]
        count: longlong = 0
        for i in range(self.rows):
            self.source_span[2 * i] = cython.cast(cython.int, self.columns)
            self.source_span[2 * i + 1] = -1
        for i in range(self.columns):
            self.target_span[2 * i] = cython.cast(cython.int, self.rows)
            self.target_span[2 * i + 1] = -1
        for link in range(self.link_offsets[row], self.link_offsets[row + 1]):
            s: cython.int = self.link_source[link]
            t: cython.int = self.link_target[link]
            self.source_span[2 * s] = min(self.source_span[2 * s], t)
            self.source_span[2 * s + 1] = max(self.source_span[2 * s + 1], t)
            self.target_span[2 * t] = min(self.target_span[2 * t], s)
            self.target_span[2 * t + 1] = max(self.target_span[2 * t + 1], s)
        for t1 in range(self.columns):
            low: longlong = self.rows
            high: longlong = -1
            for t2 in range(t1, min(t1 + self.longest, self.columns)):
                low = min(low, self.target_span[2 * t2])
                high = max(high, self.target_span[2 * t2 + 1])
                if high < 0:
                    continue
                if high - low >= self.longest:
                    break
                # At least one of these words is linked.
                top: longlong = self.columns
                bottom: longlong = -1
                for i in range(low, high + 1):
                    top = min(top, self.source_span[2 * i])
                    bottom = max(bottom, self.source_span[2 * i + 1])
                if bottom > t2:
                    continue
                if top < t1:
                    break
                # The pair with each number of unlinked words at its edges is a pair, too.
                s1: longlong = low
                while True:
                    s2: longlong = high
                    while True:
                        self.spans[4 * count] = cython.cast(cython.int, s1)
                        self.spans[4 * count + 1] = cython.cast(cython.int, s2)
                        self.spans[4 * count + 2] = cython.cast(cython.int, t1)
                        self.spans[4 * count + 3] = cython.cast(cython.int, t2)
                        count += 1
                        s2 += 1
                        if (
                            s2 >= self.rows
                            or s2 - s1 >= self.longest
                            or self.source_span[2 * s2 + 1] >= 0
                        ):
                            break
                    s1 -= 1
                    if s1 < 0 or high - s1 >= self.longest or self.source_span[2 * s1 + 1] >= 0:
                        break
        return count


def count_phrase_pairs(
    counts: longlong[::1], first: Py_ssize_t, last: Py_ssize_t, finder: PhraseFinder
) -> None:
    """Count the phrase pairs of each sentence pair."""
    with cython.nogil:
        for row in range(first, last):
            counts[row] = finder.find(row)


def extract_pairs(
    source_ngrams: cython.const[cython.int][::1],
    target_ngrams: cython.const[cython.int][::1],
    pair_offsets: cython.const[longlong][::1],
    keys: longlong[::1],
    masks: ulonglong[::1],
    orientations: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    finder: PhraseFinder,
) -> None:
    """Write the phrase pairs of sentence pairs; those of row `r` start at ``pair_offsets[r]``.

    ``source_ngrams[(k - 1) * N + i]`` is the id of the `k` words from word `i` on, of N words in
    total. A key is the id of the source phrase times 2^32 plus the id of the target phrase. Bit
    ``8 * s + t`` of a mask is the link of the words `s` and `t` of the phrases, which have at most
    8 words. An orientation is that to the previous phrase, plus 4 times that to the next phrase.
    """
    spans: cython.int[::1] = finder.spans
    corners: uchar[::1] = finder.corners
    link_source: cython.const[cython.int][::1] = finder.link_source
    link_target: cython.const[cython.int][::1] = finder.link_target
    source_words: longlong = finder.source_offsets[finder.source_offsets.shape[0] - 1]
    target_words: longlong = finder.target_offsets[finder.target_offsets.shape[0] - 1]
    with cython.nogil:
        for row in range(first, last):
            count: longlong = finder.find(row)
            rows: longlong = finder.rows
            columns: longlong = finder.columns
            for number in range(count):
                s1: longlong = spans[4 * number]
                s2: longlong = spans[4 * number + 1]
                t1: longlong = spans[4 * number + 2]
                t2: longlong = spans[4 * number + 3]
                corners[s2 * columns + t2] |= ENDS
                corners[s1 * columns + t1] |= BEGINS
                corners[s1 * columns + t2] |= BEGINS_ENDS
                corners[s2 * columns + t1] |= ENDS_BEGINS
            for number in range(count):
                s1 = spans[4 * number]
                s2 = spans[4 * number + 1]
                t1 = spans[4 * number + 2]
                t2 = spans[4 * number + 3]
                before_type: uchar = DISCONTINUOUS
                if s1 == 0 and t1 == 0:
                    before_type = MONOTONE
                elif t1 > 0 and s1 > 0 and corners[(s1 - 1) * columns + t1 - 1] & ENDS:
                    before_type = MONOTONE
                elif t1 > 0 and s2 + 1 < rows:
                    if corners[(s2 + 1) * columns + t1 - 1] & BEGINS_ENDS:
                        before_type = SWAP
                after_type: uchar = DISCONTINUOUS
                if s2 + 1 == rows and t2 + 1 == columns:
                    after_type = MONOTONE
                elif (
                    t2 + 1 < columns
                    and s2 + 1 < rows
                    and corners[(s2 + 1) * columns + t2 + 1] & BEGINS
                ):
                    after_type = MONOTONE
                elif t2 + 1 < columns and s1 > 0:
                    if corners[(s1 - 1) * columns + t2 + 1] & ENDS_BEGINS:
                        after_type = SWAP
                mask: ulonglong = 0
                for link in range(finder.link_offsets[row], finder.link_offsets[row + 1]):
                    s: longlong = link_source[link]
                    t: longlong = link_target[link]
                    if s1 <= s and s <= s2 and t1 <= t and t <= t2:
                        mask |= cython.cast(ulonglong, 1) << (8 * (s - s1) + t - t1)
                pair: longlong = pair_offsets[row] + number
                s = (s2 - s1) * source_words + finder.source_offsets[row] + s1
                t = (t2 - t1) * target_words + finder.target_offsets[row] + t1
                keys[pair] = (cython.cast(longlong, source_ngrams[s]) << 32) | target_ngrams[t]
                masks[pair] = mask
                orientations[pair] = before_type | (after_type << 2)
            for number in range(count):
                s1 = spans[4 * number]
                s2 = spans[4 * number + 1]
                t1 = spans[4 * number + 2]
                t2 = spans[4 * number + 3]
                corners[s2 * columns + t2] = 0
                corners[s1 * columns + t1] = 0
                corners[s1 * columns + t2] = 0
                corners[s2 * columns + t1] = 0


def list_jumps(
    pair_offsets: cython.const[longlong][::1],
    ends: longlong[::1],
    last_words: longlong[::1],
    sides: uchar[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    finder: PhraseFinder,
) -> None:
    """Write, for each point where phrase pairs end, the side on which the translation continues.

    ``ends[k]`` is the index of the last source word and ``last_words[k]`` of the last target word,
    among all words. ``sides[k]`` is 2 if the next linked target word has links after `ends` only,
    otherwise 1; it stays 0 if none follows. The distinct points of row `r` start at
    ``pair_offsets[r]``.
    """
    spans: cython.int[::1] = finder.spans
    corners: uchar[::1] = finder.corners
    with cython.nogil:
        for row in range(first, last):
            count: longlong = finder.find(row)
            columns: longlong = finder.columns
            place: longlong = pair_offsets[row]
            for number in range(count):
                s2: longlong = spans[4 * number + 1]
                t2: longlong = spans[4 * number + 3]
                if corners[s2 * columns + t2] & ENDS:
                    continue
                corners[s2 * columns + t2] |= ENDS
                next: longlong = t2 + 1
                while next < columns and finder.target_span[2 * next + 1] < 0:
                    next += 1
                if next < columns:
                    ends[place] = finder.source_offsets[row] + s2
                    last_words[place] = finder.target_offsets[row] + t2
                    sides[place] = 2 if finder.target_span[2 * next] > s2 else 1
                    place += 1
            for number in range(count):
                corners[spans[4 * number + 1] * columns + spans[4 * number + 3]] = 0


def sum_pairs(
    order: cython.const[longlong][::1],
    keys: cython.const[longlong][::1],
    masks: cython.const[ulonglong][::1],
    orientations: cython.const[uchar][::1],
    pair_keys: longlong[::1],
    counts: cython.int[::1],
    pair_masks: ulonglong[::1],
    directions: cython.int[::1],
    seen_masks: ulonglong[::1],
    seen_counts: cython.int[::1],
    size: Py_ssize_t,
) -> longlong:
    """Sum up equal phrase pairs, sorted by key; return the number of distinct pairs.

    ``directions[6 * p ...]``, initially zeros, counts the orientations of pair `p` to the previous
    phrase, then to the next one. ``pair_masks[p]`` are its most frequent links; ties go to the
    lowest mask. Scratch: `seen_masks` and `seen_counts`, for the distinct masks of a pair.
    """
    pair: longlong = -1
    seen: longlong = 0
    with cython.nogil:
        for k in range(size):
            place: longlong = order[k]
            if k == 0 or keys[place] != pair_keys[pair]:
                pair += 1
                pair_keys[pair] = keys[place]
                counts[pair] = seen = 0
            counts[pair] += 1
            directions[6 * pair + (orientations[place] & 3)] += 1
            directions[6 * pair + 3 + (orientations[place] >> 2)] += 1
            mask: ulonglong = masks[place]
            i: longlong = 0
            while i < seen and seen_masks[i] != mask:
                i += 1
            if i == seen:
                seen_masks[i] = mask
                seen_counts[i] = 0
                seen += 1
            seen_counts[i] += 1
            if k + 1 == size or keys[order[k + 1]] != pair_keys[pair]:
                best: longlong = 0
                for i in range(1, seen):
                    if seen_counts[i] > seen_counts[best] or (
                        seen_counts[i] == seen_counts[best] and seen_masks[i] < seen_masks[best]
                    ):
                        best = i
                pair_masks[pair] = seen_masks[best]
    return pair + 1


def count_meetings(
    source_rows: cython.const[cython.int][::1],
    source_offsets: cython.const[longlong][::1],
    target_rows: cython.const[cython.int][::1],
    target_offsets: cython.const[longlong][::1],
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    meetings: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Count the sentence pairs in which both phrases of each pair occur.

    Phrase `p` occurs in the sentences ``rows[offsets[p] : offsets[p + 1]]``, in ascending order.
    """
    with cython.nogil:
        for pair in range(first, last):
            place: longlong = source_offsets[source[pair]]
            stop: longlong = source_offsets[source[pair] + 1]
            low: longlong = target_offsets[target[pair]]
            high: longlong = target_offsets[target[pair] + 1]
            # Entries of the shorter list are searched in the longer one.
            swapped: bint = high - low < stop - place
            if swapped:
                place, stop, low, high = low, high, place, stop
            count: longlong = 0
            while place < stop and low < high:
                row: cython.int = target_rows[place] if swapped else source_rows[place]
                right: longlong = high
                while low < right:
                    middle: longlong = (low + right) // 2
                    if (source_rows[middle] if swapped else target_rows[middle]) < row:
                        low = middle + 1
                    else:
                        right = middle
                if low < high and (source_rows[low] if swapped else target_rows[low]) == row:
                    count += 1
                    low += 1
                place += 1
            meetings[pair] = count


def add_logarithms(factorials: double[::1], first: Py_ssize_t, last: Py_ssize_t) -> None:
    """Write the logarithms of the factorials of ``first .. last-1``, from that of ``first - 1``."""
    with cython.nogil:
        for number in range(first, last):
            factorials[number] = factorials[number - 1] + log(number)


def log_probabilities(
    factorials: cython.const[double][::1],
    sentences: longlong,
    source: cython.const[longlong][::1],
    target: cython.const[longlong][::1],
    meetings: cython.const[longlong][::1],
    log_p: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write log p-values: the probability that phrases co-occur at least this often by chance.

    Fisher's exact test, one-sided: of all `sentences`, `source` have the source phrase, `target`
    the target phrase, and `meetings` both. `factorials` has the logarithms of the factorials up to
    that of `sentences`.
    """
    with cython.nogil:
        for pair in range(first, last):
            a: longlong = source[pair]
            b: longlong = target[pair]
            k: longlong = meetings[pair]
            if k <= max(0, a + b - sentences):
                # They cannot co-occur less often.
                log_p[pair] = 0.0
                continue
            total: double = (
                log_choose(factorials, a, k)
                + log_choose(factorials, sentences - a, b - k)
                - log_choose(factorials, sentences, b)
            )
            # Further terms, each relative to the first one.
            term: double = 1.0
            log_p[pair] = 0.0
            while k < min(a, b):
                term *= cython.cast(double, a - k) * cython.cast(double, b - k)
                term /= cython.cast(double, k + 1)
                term /= cython.cast(double, sentences - a - b + k + 1)
                log_p[pair] += term
                k += 1
                if term < NEGLIGIBLE_TERM * log_p[pair]:
                    break
            log_p[pair] = min(0.0, total + log1p(log_p[pair]))


@cython.cfunc
@cython.inline
@cython.nogil
def log_choose(factorials: cython.const[double][::1], n: longlong, k: longlong) -> double:
    """Return the logarithm of the number of ways to choose `k` of `n`."""
    return factorials[n] - factorials[k] - factorials[n - k]


def weigh_pairs(
    source_words: cython.const[cython.int][::1],
    source_offsets: cython.const[longlong][::1],
    target_words: cython.const[cython.int][::1],
    target_offsets: cython.const[longlong][::1],
    masks: cython.const[ulonglong][::1],
    row_offsets: cython.const[longlong][::1],
    linked: cython.const[cython.int][::1],
    counts: cython.const[longlong][::1],
    source_totals: cython.const[longlong][::1],
    target_totals: cython.const[longlong][::1],
    weights: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the logarithms of lex(f|e) and lex(e|f) of each phrase pair to `weights`, 2 per pair.

    Bit ``8 * s + t`` of a mask links the words `s` and `t` of the pair. Source word `w` is linked
    ``counts[k]`` times with the target word ``linked[k]``, for `k` from ``row_offsets[w]`` to
    ``row_offsets[w + 1] - 1``, sorted; words without a link are linked with word 0, the null word.
    """
    with cython.nogil:
        for row in range(first, last):
            source_size: longlong = source_offsets[row + 1] - source_offsets[row]
            target_size: longlong = target_offsets[row + 1] - target_offsets[row]
            weight: double = 0.0
            for i in range(source_size):
                source: cython.int = source_words[source_offsets[row] + i]
                total: double = 0.0
                links: longlong = 0
                for j in range(target_size):
                    if (masks[row] >> (8 * i + j)) & 1:
                        target: cython.int = target_words[target_offsets[row] + j]
                        both: longlong = times_linked(row_offsets, linked, counts, source, target)
                        total += cython.cast(double, both) / target_totals[target]
                        links += 1
                if links == 0:
                    both = times_linked(row_offsets, linked, counts, source, 0)
                    total = cython.cast(double, both) / target_totals[0]
                    links = 1
                weight += log(total / links)
            weights[2 * row] = weight
            weight = 0.0
            for j in range(target_size):
                target = target_words[target_offsets[row] + j]
                total = 0.0
                links = 0
                for i in range(source_size):
                    if (masks[row] >> (8 * i + j)) & 1:
                        source = source_words[source_offsets[row] + i]
                        both = times_linked(row_offsets, linked, counts, source, target)
                        total += cython.cast(double, both) / source_totals[source]
                        links += 1
                if links == 0:
                    both = times_linked(row_offsets, linked, counts, 0, target)
                    total = cython.cast(double, both) / source_totals[0]
                    links = 1
                weight += log(total / links)
            weights[2 * row + 1] = weight


@cython.cfunc
@cython.inline
@cython.nogil
def times_linked(
    row_offsets: cython.const[longlong][::1],
    linked: cython.const[cython.int][::1],
    counts: cython.const[longlong][::1],
    source: cython.int,
    target: cython.int,
) -> longlong:
    """Return the number of links between two words, at least 1."""
    low: longlong = row_offsets[source]
    high: longlong = row_offsets[source + 1] - 1
    while low < high:
        middle: longlong = (low + high) // 2
        if linked[middle] < target:
            low = middle + 1
        else:
            high = middle
    return counts[low]


def list_links(
    masks: cython.const[ulonglong][::1],
    offsets: cython.const[longlong][::1],
    links: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the source and target position of each link of each mask."""
    cython.declare(bit=cython.int)
    with cython.nogil:
        for row in range(first, last):
            entry: longlong = 2 * offsets[row]
            for bit in range(64):
                if (masks[row] >> bit) & 1:
                    links[entry] = bit // 8
                    links[entry + 1] = bit % 8
                    entry += 2


def keep_best(
    group_offsets: cython.const[longlong][::1],
    counts: cython.const[cython.int][::1],
    weights: cython.const[double][::1],
    limit: longlong,
    chosen: longlong[::1],
    chosen_counts: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Select the `limit` pairs of each group with the highest counts, best first.

    Ties go to the higher lex(e|f), the second of `weights`, then to the first pair. Those of group
    `g` are written to ``chosen[group_offsets[g] ...]``.
    """
    with cython.nogil:
        for group in range(first, last):
            start: longlong = group_offsets[group]
            size: longlong = 0
            for pair in range(start, group_offsets[group + 1]):
                position: longlong = size
                while position > 0:
                    neighbour: longlong = chosen[start + position - 1]
                    if counts[neighbour] > counts[pair] or (
                        counts[neighbour] == counts[pair]
                        and weights[2 * neighbour + 1] >= weights[2 * pair + 1]
                    ):
                        break
                    if position < limit:
                        chosen[start + position] = neighbour
                    position -= 1
                if position < limit:
                    chosen[start + position] = pair
                    if size < limit:
                        size += 1
            chosen_counts[group] = size


def number_new_ngrams(
    words: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    length: longlong,
    shorter: cython.const[cython.int][::1],
    ngram_ids: cython.int[::1],
    parent: cython.int[::1],
    begin: cython.int,
    keys: longlong[::1],
    ids: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> longlong:
    """Assign ids from `begin` on to the distinct n-grams of `length` words; return their number.

    ``shorter[i]`` is the id of the ``length - 1`` words from `i` on. ``numbers[i]`` becomes the id
    of the n-gram with one more word, and is not written if the sentence ends before. N-gram
    ``begin + n`` extends ``parent[2 * n]`` by the word ``parent[2 * n + 1]``. `keys` (-1 if free)
    and `ids` are a hash table, whose number of slots is a power of two.
    """
    count: longlong = 0
    mask: longlong = keys.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            for position in range(offsets[row], offsets[row + 1] - length + 1):
                key: longlong = pair_key(shorter[position], words[position + length - 1])
                slot: longlong = slot_of(keys, key, hash_pair(key) & mask, mask)
                if keys[slot] == -1:
                    keys[slot] = key
                    ids[slot] = cython.cast(cython.int, begin + count)
                    parent[2 * count] = shorter[position]
                    parent[2 * count + 1] = words[position + length - 1]
                    count += 1
                ngram_ids[position] = ids[slot]
    return count


@cython.cfunc
@cython.inline
@cython.nogil
def hash_pair(key: longlong) -> longlong:
    """Return a hash of a key, at least 0."""
    mixed: ulonglong = cython.cast(ulonglong, key)
    mixed = ((mixed ^ (mixed >> 29)) * GOLDEN) & MASK64
    mixed = ((mixed ^ (mixed >> 32)) * GOLDEN) & MASK64
    return cython.cast(longlong, mixed >> 20)


def spell_ngrams(
    parent: cython.const[cython.int][::1],
    ngrams: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    words: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write the words of n-grams; their lengths follow from the offsets."""
    with cython.nogil:
        for row in range(first, last):
            number: cython.int = ngrams[row]
            entry: longlong = offsets[row + 1]
            while entry > offsets[row]:
                entry -= 1
                words[entry] = parent[2 * number + 1]
                number = parent[2 * number]


def find_options(
    words: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    phrase_offsets: cython.const[longlong][::1],
    phrase_words: cython.const[cython.int][::1],
    first_phrases: cython.const[longlong][::1],
    entry_offsets: cython.const[longlong][::1],
    longest: longlong,
    first_entry: longlong[::1],
    last_entry: longlong[::1],
    rows: Py_ssize_t,
) -> None:
    """Find the phrase table entries of each span of the sentences.

    The phrases are sorted, a phrase before its continuations; those that start with word `w` are
    ``first_phrases[w] .. first_phrases[w + 1] - 1``. The `k` words from word `i` on have the
    entries ``first_entry[i * longest + k - 1] .. last_entry[...] - 1``; both arrays are initially
    zeros.
    """
    phrases: longlong = first_phrases.shape[0] - 1
    with cython.nogil:
        for row in range(rows):
            for start in range(offsets[row], offsets[row + 1]):
                word: cython.int = words[start]
                if word < 0 or word >= phrases:
                    continue
                low: longlong = first_phrases[word]
                high: longlong = first_phrases[word + 1]
                # The phrases low .. high - 1 start with the `depth` words from `start` on.
                for depth in range(1, longest + 1):
                    if depth > 1:
                        if start + depth > offsets[row + 1]:
                            break
                        word = words[start + depth - 1]
                        lowest: longlong = low
                        right: longlong = high
                        while lowest < right:
                            middle: longlong = (lowest + right) // 2
                            if phrase_words[phrase_offsets[middle] + depth - 1] < word:
                                lowest = middle + 1
                            else:
                                right = middle
                        low = lowest
                        right = high
                        while lowest < right:
                            middle = (lowest + right) // 2
                            if phrase_words[phrase_offsets[middle] + depth - 1] <= word:
                                lowest = middle + 1
                            else:
                                right = middle
                        high = lowest
                    if low == high:
                        break
                    if phrase_offsets[low + 1] - phrase_offsets[low] == depth:
                        first_entry[start * longest + depth - 1] = entry_offsets[low]
                        last_entry[start * longest + depth - 1] = entry_offsets[low + 1]
                        # The continuations of the phrase follow it.
                        low += 1
                        if low == high:
                            break
