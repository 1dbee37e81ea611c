"""The hidden Markov model of word alignment: sums over all alignments of a sentence pair.

States are the words of one side, tokens those of the other. A token comes from a state or from
the null word, which keeps the state from which the next jump is made. A sentence starts in front
of its first state and ends with a jump behind its last one; the probability of a jump depends on
its width: it is the weight of the width over the weights of all jumps that stay in the sentence.
Only sums, products and quotients are taken, so that results do not depend on the mathematical
library of a machine.

Jumps that are at least `widest` wide have one weight in each direction, so what they carry is a
running sum over the states: a token costs as many steps as states times narrower widths.
"""

from array import array

import cython

# Expected jumps below this are not counted: they would cost as much as all others together.
NEGLIGIBLE = cython.declare(cython.double, 1e-12)


@cython.cclass
class Chain:
    """One sentence pair after the other, in arrays with room for the longest.

    What each array holds is said where it is filled; those of cells have a row of states for
    each token.
    """

    states: cython.longlong
    widest: cython.longlong
    # Per cell.
    emitted: cython.double[::1]
    reached: cython.double[::1]
    idle: cython.double[::1]
    # Per token.
    null: cython.double[::1]
    unstarted: cython.double[::1]
    # Per width of a jump, from the middle on.
    weight: cython.double[::1]
    mirrored: cython.double[::1]
    count: cython.double[::1]
    # Per state, and one more.
    share: cython.double[::1]
    future: cython.double[::1]
    earlier: cython.double[::1]
    pulled: cython.double[::1]

    def __init__(
        self,
        states: cython.Py_ssize_t,
        tokens: cython.Py_ssize_t,
        cells: cython.Py_ssize_t,
        widest: cython.longlong,
    ):
        """Make room for so many at most; jumps of at least `widest` have one weight."""
        room = array("d", [0.0])
        self.widest = widest
        self.emitted = room * cells
        self.reached = room * cells
        self.idle = room * cells
        self.null = room * tokens
        self.unstarted = room * tokens
        self.weight = room * (2 * states + 1)
        self.mirrored = room * (2 * states + 1)
        self.count = room * (2 * states + 1)
        self.share = room * (states + 1)
        self.future = room * (states + 1)
        self.earlier = room * (states + 1)
        self.pulled = room * (states + 1)

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def jump_shares(self) -> cython.void:
        """Fill ``share[i + 1]`` with one over the weights of all jumps from `i`, -1 the start."""
        cython.declare(i=cython.longlong, k=cython.longlong, total=cython.double)
        states: cython.longlong = self.states
        for i in range(-1, states):
            # The jump behind the last state; none jumps there from the start.
            total = self.weight[2 * states - i] if i >= 0 else 0.0
            for k in range(states):
                total += self.weight[states + k - i]
            self.share[i + 1] = 1.0 / total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def forward(
        self,
        tokens: cython.longlong,
    ) -> cython.void:
        """Fill per token the probability of all beginnings that end in a state.

        `reached`: the token comes from the state; `idle`: from the null word, the state being the
        one before; `unstarted`: from the null word, like all before. They sum to 1 for each token.
        """
        cython.declare(i=cython.longlong, j=cython.longlong, k=cython.longlong)
        cython.declare(here=cython.longlong, shift=cython.longlong, before=cython.double)
        cython.declare(total=cython.double)
        states: cython.longlong = self.states
        widest: cython.longlong = self.widest
        for j in range(tokens):
            here = j * states
            before = self.unstarted[j - 1] if j > 0 else 1.0
            for i in range(states):
                self.reached[here + i] = before * self.share[0] * self.weight[states + i + 1]
                self.idle[here + i] = 0.0
            self.unstarted[j] = before * self.null[j]
            if j > 0:
                for k in range(states):
                    before = self.reached[here - states + k] + self.idle[here - states + k]
                    self.idle[here + k] = before * self.null[j]
                    before *= self.share[k + 1]
                    shift = states - k
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
            total = self.unstarted[j]
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
    @cython.exceptval(check=False)
    def final_jump(
        self,
        here: cython.longlong,
        unstarted: cython.double,
    ) -> cython.void:
        """Fill `future` with the probability to end from each state, the start behind them all."""
        cython.declare(i=cython.longlong, total=cython.double)
        states: cython.longlong = self.states
        # A sentence of null words alone has made no jump at all.
        self.future[states] = 1.0
        total = unstarted
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
    @cython.exceptval(check=False)
    def token_posteriors(
        self,
        here: cython.longlong,
        unstarted: cython.double,
        posterior: cython.double[::1],
        cell: cython.longlong,
        state_step: cython.longlong,
        null_posterior: cython.double[::1],
        place: cython.longlong,
    ) -> cython.void:
        """Fill the posteriors of one token: what reaches a state times what comes behind it."""
        cython.declare(i=cython.longlong)
        states: cython.longlong = self.states
        null: cython.double = unstarted * self.future[states]
        total: cython.double = 0.0
        for i in range(states):
            null += self.idle[here + i] * self.future[i]
            total += self.reached[here + i] * self.future[i]
        total = 1.0 / (total + null)
        for i in range(states):
            posterior[cell + i * state_step] = self.reached[here + i] * self.future[i] * total
        null_posterior[place] = null * total

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def step_back(
        self,
        here: cython.longlong,
        null: cython.double,
        unstarted: cython.double,
    ) -> cython.void:
        """Count the jumps to one token, and make `future` that of the token before it.

        `unstarted` is the probability of being at the start before the token.
        """
        cython.declare(i=cython.longlong, k=cython.longlong, shift=cython.longlong)
        cython.declare(before=cython.double, total=cython.double, most=cython.double)
        cython.declare(far=cython.double)
        states: cython.longlong = self.states
        widest: cython.longlong = self.widest
        for k in range(states):
            self.pulled[k] = self.emitted[here + k] * self.future[k]
            self.earlier[k] = 0.0
        self.earlier[states] = 0.0
        for i in range(states):
            shift = states - i
            for k in range(max(i - widest + 1, 0), min(i + widest, states)):
                self.earlier[k] += self.pulled[i] * self.mirrored[shift + k]
            self.earlier[states] += self.pulled[i] * self.weight[states + i + 1]
        far = 0.0
        for k in range(states - widest - 1, -1, -1):
            far += self.pulled[k + widest]
            self.earlier[k] += far * self.weight[states + widest]
        far = 0.0
        for k in range(widest, states):
            far += self.pulled[k - widest]
            self.earlier[k] += far * self.weight[states - widest]
        self.earlier[states] = self.earlier[states] * self.share[0] + null * self.future[states]
        total = unstarted * self.earlier[states]
        most = self.earlier[states]
        for k in range(states):
            self.earlier[k] = self.earlier[k] * self.share[k + 1] + null * self.future[k]
            if here > 0:
                total += (
                    self.reached[here - states + k] + self.idle[here - states + k]
                ) * self.earlier[k]
            if self.earlier[k] > most:
                most = self.earlier[k]
        before = unstarted * self.share[0] / total
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
    state_offsets: cython.const[cython.longlong][::1],
    token_offsets: cython.const[cython.longlong][::1],
    cell_offsets: cython.const[cython.longlong][::1],
    transposed: cython.int,
    pair: cython.const[cython.int][::1],
    translation: cython.const[cython.double][::1],
    token: cython.const[cython.int][::1],
    null_translation: cython.const[cython.double][::1],
    null_share: cython.double,
    posterior: cython.double[::1],
    null_posterior: cython.double[::1],
    jumps: cython.const[cython.double][::1],
    jump_counts: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Fill the posterior of each cell and, per token, that of the null word; count the jumps.

    ``jumps[widest + d]`` is the weight of a jump by `d`; wider ones count as `widest`.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(states=cython.longlong, tokens=cython.longlong, cell=cython.longlong)
    cython.declare(state_step=cython.longlong, token_step=cython.longlong)
    widest: cython.longlong = chain.widest
    with cython.nogil:
        for row in range(first, last):
            states = state_offsets[row + 1] - state_offsets[row]
            tokens = token_offsets[row + 1] - token_offsets[row]
            chain.states = states
            if states == 0:
                for j in range(token_offsets[row], token_offsets[row + 1]):
                    null_posterior[j] = 1.0
            if states == 0 or tokens == 0:
                continue
            state_step = 1 if transposed else tokens
            token_step = states if transposed else 1
            for j in range(tokens):
                chain.null[j] = null_share * null_translation[token[token_offsets[row] + j]]
                cell = cell_offsets[row] + j * token_step
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
                chain.token_posteriors(
                    j * states,
                    chain.unstarted[j],
                    posterior,
                    cell_offsets[row] + j * token_step,
                    state_step,
                    null_posterior,
                    token_offsets[row] + j,
                )
                chain.step_back(j * states, chain.null[j], chain.unstarted[j - 1] if j > 0 else 1.0)
                j -= 1
            for i in range(-states, states + 1):
                j = -widest if i < -widest else (widest if i > widest else i)
                jump_counts[widest + j] += chain.count[states + i]
