"""Word alignments: learned from sentence pairs, symmetrized, compared.

A cell is a word of the source with a word of the target of the same sentence pair; the cells of a
row are stored source word by source word.

IBM Model 1 asks which word of the other side each token comes from, whatever their order. The
hidden Markov model (`Chain`) sums over all alignments of a sentence pair. States are the words of
one side, tokens those of the other. A token comes from a state or from the null word, which keeps
the state from which the next jump is made. A sentence starts in front of its first state and ends
with a jump behind its last one; the probability of a jump depends on its width: it is the weight of
the width over the weights of all jumps that stay in the sentence. Only sums, products and quotients
are taken, so that results do not depend on the mathematical library of a machine. Jumps that are at
least `widest` wide have one weight in each direction, so what they carry is a running sum over the
states: a token costs as many steps as states times narrower widths.

To symmetrize is to make two alignments of one sentence pair, each made from one side, one. The
marks of a row are the cells of its table, target word by target word: which of the two alignments
has the link, and whether the result has it.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, double, longlong, uchar, void

# Expected jumps below this are not counted: they would cost as much as all others together.
NEGLIGIBLE = cython.declare(double, 1e-12)

cython.declare(FORWARD=cython.int, BACKWARD=cython.int, BOTH=cython.int, KEPT=cython.int)
FORWARD, BACKWARD, BOTH, KEPT = 1, 2, 3, 4

# Which neighbours grow, and which words a link of the final steps may have covered already.
cython.declare(NO_GROWTH=cython.int, STRAIGHT=cython.int, DIAGONAL=cython.int)
NO_GROWTH, STRAIGHT, DIAGONAL = range(3)
cython.declare(NO_FINAL=cython.int, ONE_UNCOVERED=cython.int, BOTH_UNCOVERED=cython.int)
NO_FINAL, ONE_UNCOVERED, BOTH_UNCOVERED = range(3)


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
    found: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
    seen: cython.int[::1],
    number: cython.int[::1],
) -> None:
    """Give each distinct pair of words a number, and each cell that of its pair.

    `order` names the source tokens sorted by word, so that one row of scratch over the words of
    the target is enough: `seen` (from -1) holds the source word that last met each of them.
    ``found[0]`` is the number of pairs.
    """
    with cython.nogil:
        pairs: cython.int = cython.cast(cython.int, found[0])
        for k in range(first, last):
            token: longlong = order[k]
            row: cython.int = rows[token]
            word: cython.int = source[token]
            begin: longlong = target_offsets[row]
            length: longlong = target_offsets[row + 1] - begin
            cell: longlong = cell_offsets[row] + (token - source_offsets[row]) * length
            for j in range(length):
                other: cython.int = target[begin + j]
                if seen[other] != word:
                    seen[other] = word
                    number[other] = pairs
                    pair_source[pairs] = word
                    pair_target[pairs] = other
                    pairs += 1
                pair[cell + j] = number[other]
        found[0] = pairs


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
    left: cython.const[double][::1],
    right: cython.const[double][::1],
    total: double[::1],
    cells: Py_ssize_t,
) -> None:
    """Add the product of two weights of each cell to the total of its pair."""
    with cython.nogil:
        for k in range(cells):
            total[pair[k]] += left[k] * right[k]


def best_states(
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
    """Find for each token its most probable state; -1 where that is the null word.

    Of equal ones the first; the null word must be more probable than all others to win.
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
                most: double = 0.0
                for i in range(states):
                    if posterior[cell + i * state_step] > most:
                        most = posterior[cell + i * state_step]
                        choice = cython.cast(cython.int, i)
                if null_posterior[token_offsets[row] + j] > most:
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
    """Fill the posterior of each cell and, per token, that of the null word.

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
class Chain:
    """One sentence pair after the other, in arrays with room for the longest.

    What each array holds is said where it is filled; those of cells have a row of states for
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
        """Make room for so many at most; jumps of at least `widest` have one weight."""
        room = array("d", [0.0])
        jumps, ends = room * (2 * states + 1), room * (states + 1)
        self.widest = widest
        self.emitted, self.reached, self.idle = room * cells, room * cells, room * cells
        self.null, self.unstarted = room * tokens, room * tokens
        self.weight, self.mirrored, self.count = jumps[:], jumps[:], jumps[:]
        self.share, self.future, self.earlier, self.pulled = ends[:], ends[:], ends[:], ends[:]

    @cython.cfunc
    @cython.nogil
    def jump_shares(self) -> void:
        """Fill ``share[i + 1]`` with one over the weights of all jumps from `i`, -1 the start."""
        states: longlong = self.states
        for i in range(-1, states):
            # The jump behind the last state; none jumps there from the start.
            total: double = self.weight[2 * states - i] if i >= 0 else 0.0
            for k in range(states):
                total += self.weight[states + k - i]
            self.share[i + 1] = 1.0 / total

    @cython.cfunc
    @cython.nogil
    def forward(self, tokens: longlong) -> void:
        """Fill per token the probability of all beginnings that end in a state.

        `reached`: the token comes from the state; `idle`: from the null word, the state being the
        one before; `unstarted`: from the null word, like all before. They sum to 1 for each token.
        """
        states: longlong = self.states
        widest: longlong = self.widest
        for j in range(tokens):
            here: longlong = j * states
            before: double = self.unstarted[j - 1] if j > 0 else 1.0
            for i in range(states):
                self.reached[here + i] = before * self.share[0] * self.weight[states + i + 1]
                self.idle[here + i] = 0.0
            self.unstarted[j] = before * self.null[j]
            if j > 0:
                for k in range(states):
                    before = self.reached[here - states + k] + self.idle[here - states + k]
                    self.idle[here + k] = before * self.null[j]
                    before *= self.share[k + 1]
                    shift: longlong = states - k
                    for i in range(max(k - widest + 1, 0), min(k + widest, states)):
                        self.reached[here + i] += before * self.weight[shift + i]
                before = 0.0
                for i in range(widest, states):
                    k = i - widest
                    before += (
                        self.reached[here - states + k] + self.idle[here - states + k]
                    ) * self.share[k + 1]
                    self.reached[here + i] += before * self.weight[states + widest]
                before = 0.0
                for i in range(states - widest - 1, -1, -1):
                    k = i + widest
                    before += (
                        self.reached[here - states + k] + self.idle[here - states + k]
                    ) * self.share[k + 1]
                    self.reached[here + i] += before * self.weight[states - widest]
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
    def final_jump(self, here: longlong, unstarted: double) -> void:
        """Fill `future` with the probability to end from each state, the start behind them all."""
        states: longlong = self.states
        # A sentence of null words alone has made no jump at all.
        self.future[states] = 1.0
        total: double = unstarted
        for i in range(states):
            self.future[i] = self.share[i + 1] * self.weight[2 * states - i]
            total += (self.reached[here + i] + self.idle[here + i]) * self.future[i]
        total = 1.0 / total
        for i in range(states):
            self.count[2 * states - i] += (
                (self.reached[here + i] + self.idle[here + i]) * self.future[i] * total
            )

    @cython.cfunc
    @cython.nogil
    def token_posteriors(
        self, j: longlong, posterior: double[::1], cell: longlong, state_step: longlong
    ) -> double:
        """Fill the posteriors of token `j`: what reaches a state times what comes behind it.

        Returns that of the null word.
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
    def step_back(self, here: longlong, null: double, unstarted: double) -> void:
        """Count the jumps to one token, and make `future` that of the token before it.

        `unstarted` is the probability of being at the start before the token.
        """
        states: longlong = self.states
        widest: longlong = self.widest
        for k in range(states):
            self.pulled[k] = self.emitted[here + k] * self.future[k]
            self.earlier[k] = 0.0
        self.earlier[states] = 0.0
        for i in range(states):
            shift: longlong = states - i
            for k in range(max(i - widest + 1, 0), min(i + widest, states)):
                self.earlier[k] += self.pulled[i] * self.mirrored[shift + k]
            self.earlier[states] += self.pulled[i] * self.weight[states + i + 1]
        far: double = 0.0
        for k in range(states - widest - 1, -1, -1):
            far += self.pulled[k + widest]
            self.earlier[k] += far * self.weight[states + widest]
        far = 0.0
        for k in range(widest, states):
            far += self.pulled[k - widest]
            self.earlier[k] += far * self.weight[states - widest]
        self.earlier[states] = self.earlier[states] * self.share[0] + null * self.future[states]
        total: double = unstarted * self.earlier[states]
        most: double = self.earlier[states]
        for k in range(states):
            self.earlier[k] = self.earlier[k] * self.share[k + 1] + null * self.future[k]
            if here > 0:
                total += (
                    self.reached[here - states + k] + self.idle[here - states + k]
                ) * self.earlier[k]
            if self.earlier[k] > most:
                most = self.earlier[k]
        before: double = unstarted * self.share[0] / total
        for i in range(states):
            self.count[states + i + 1] += before * self.pulled[i] * self.weight[states + i + 1]
        if here > 0:
            for k in range(states):
                before = (self.reached[here - states + k] + self.idle[here - states + k]) / total
                if before * self.earlier[k] > NEGLIGIBLE:
                    before *= self.share[k + 1]
                    shift = states - k
                    for i in range(max(k - widest + 1, 0), min(k + widest, states)):
                        self.count[shift + i] += before * self.pulled[i] * self.weight[shift + i]
            far = 0.0
            for k in range(states - widest - 1, -1, -1):
                far += self.pulled[k + widest]
                before = (self.reached[here - states + k] + self.idle[here - states + k]) / total
                if before * self.earlier[k] > NEGLIGIBLE:
                    self.count[states + widest] += (
                        before * self.share[k + 1] * far * self.weight[states + widest]
                    )
            far = 0.0
            for k in range(widest, states):
                far += self.pulled[k - widest]
                before = (self.reached[here - states + k] + self.idle[here - states + k]) / total
                if before * self.earlier[k] > NEGLIGIBLE:
                    self.count[states - widest] += (
                        before * self.share[k + 1] * far * self.weight[states - widest]
                    )
        most = 1.0 / most
        for k in range(states + 1):
            self.future[k] = self.earlier[k] * most


def hmm_posteriors(
    chain: Chain,
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
    """Fill the posterior of each cell and, per token, that of the null word; count the jumps.

    ``jumps[widest + d]`` is the weight of a jump by `d`; wider ones count as `widest`.
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
    """Write the links of each row behind the sum of both offsets, and how many there are.

    A link is kept first if the bits of `needed` are among its marks (of 0: if it has any mark).
    Scratch: the cells of the largest row, and the words of the longest.
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
                    place: longlong = k * columns + i
                    if marks[place] != 0 and (marks[place] & needed) == needed:
                        marks[place] |= KEPT
                        source_covered[i] = 1
                        target_covered[k] = 1
            if growth != NO_GROWTH:
                while grow(rows, columns, growth, marks, source_covered, target_covered):
                    pass
            if final != NO_FINAL:
                finish(rows, columns, FORWARD, final, marks, source_covered, target_covered)
                finish(rows, columns, BACKWARD, final, marks, source_covered, target_covered)
            begin: longlong = forward_offsets[row] + backward_offsets[row]
            place = begin
            for i in range(columns):
                for k in range(rows):
                    if marks[k * columns + i] & KEPT:
                        source[place] = cython.cast(cython.int, i)
                        target[place] = cython.cast(cython.int, k)
                        place += 1
            counts[row] = place - begin


@cython.cfunc
@cython.nogil
def grow(
    rows: longlong,
    columns: longlong,
    growth: cython.int,
    marks: uchar[::1],
    source_covered: uchar[::1],
    target_covered: uchar[::1],
) -> bint:
    """Add marked neighbours of kept links that cover a word, in one scan; say whether any was.

    A link that is added before the place of the scan waits for the next one.
    """
    steps: cython.int = 8 if growth == DIAGONAL else 4
    added: bint = False
    for t in range(rows):
        for s in range(columns):
            if not (marks[t * columns + s] & KEPT):
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
                if marks[y * columns + x] == 0 or marks[y * columns + x] & KEPT:
                    continue
                if source_covered[x] and target_covered[y]:
                    continue
                marks[y * columns + x] |= KEPT
                source_covered[x] = 1
                target_covered[y] = 1
                added = True
    return added


@cython.cfunc
@cython.nogil
def finish(
    rows: longlong,
    columns: longlong,
    side: cython.int,
    final: cython.int,
    marks: uchar[::1],
    source_covered: uchar[::1],
    target_covered: uchar[::1],
) -> void:
    """Add the links that only one alignment has, where words are not covered yet."""
    for t in range(rows):
        for s in range(columns):
            if marks[t * columns + s] != side:
                continue
            covered: cython.int = source_covered[s] + target_covered[t]
            if covered == 0 or (covered == 1 and final == ONE_UNCOVERED):
                marks[t * columns + s] |= KEPT
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
    table: longlong[::1],
) -> None:
    """Count in each row the sure gold links, and the links that are among these and among all.

    No link is listed twice in a row of either side.

    Scratch: a hash table of gold link numbers, all -1 at first, whose size is a power of two and
    at least twice the longest gold row. What earlier rows left in it has smaller numbers than the
    row's first gold link and counts as empty.
    """
    mask: longlong = table.shape[0] - 1
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
                while table[slot] >= start:
                    slot = (slot + 1) & mask
                table[slot] = link
            for link in range(offsets[row], offsets[row + 1]):
                slot = cython.cast(longlong, source[link]) * 73856093
                slot = slot ^ (cython.cast(longlong, target[link]) * 19349663)
                slot = (slot ^ (slot >> 17)) & mask
                other: longlong = table[slot]
                while other >= start:
                    if gold_source[other] == source[link] and gold_target[other] == target[link]:
                        in_gold[row] += 1
                        if gold_possible[other] == 0:
                            in_sure[row] += 1
                        break
                    slot = (slot + 1) & mask
                    other = table[slot]
