"""Pairs of words that occur in one sentence pair: their numbers, and sums over their places.

A cell is a word of the source with a word of the target of the same sentence pair; the cells of a
row are stored source word by source word.
"""

import cython


def number_pairs(
    order: cython.const[cython.longlong][::1],
    rows: cython.const[cython.int][::1],
    source: cython.const[cython.int][::1],
    source_offsets: cython.const[cython.longlong][::1],
    target: cython.const[cython.int][::1],
    target_offsets: cython.const[cython.longlong][::1],
    cell_offsets: cython.const[cython.longlong][::1],
    pair: cython.int[::1],
    pair_source: cython.int[::1],
    pair_target: cython.int[::1],
    found: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    seen: cython.int[::1],
    number: cython.int[::1],
) -> None:
    """Give each distinct pair of words a number, and each cell that of its pair.

    `order` names the source tokens sorted by word, so that one row of scratch over the words of
    the target is enough: `seen` (from -1) holds the source word that last met each of them.
    ``found[0]`` is the number of pairs.
    """
    cython.declare(k=cython.Py_ssize_t, j=cython.longlong, token=cython.longlong, row=cython.int)
    cython.declare(word=cython.int, other=cython.int, begin=cython.longlong, length=cython.longlong)
    cython.declare(cell=cython.longlong, pairs=cython.int)
    with cython.nogil:
        pairs = cython.cast(cython.int, found[0])
        for k in range(first, last):
            token = order[k]
            row = rows[token]
            word = source[token]
            begin = target_offsets[row]
            length = target_offsets[row + 1] - begin
            cell = cell_offsets[row] + (token - source_offsets[row]) * length
            for j in range(length):
                other = target[begin + j]
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
    weight: cython.const[cython.double][::1],
    total: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Add the weight of each cell to the total of its pair, in the order of the cells."""
    cython.declare(k=cython.Py_ssize_t)
    with cython.nogil:
        for k in range(first, last):
            total[pair[k]] += weight[k]


def add_products(
    pair: cython.const[cython.int][::1],
    left: cython.const[cython.double][::1],
    right: cython.const[cython.double][::1],
    total: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Add the product of two weights of each cell to the total of its pair."""
    cython.declare(k=cython.Py_ssize_t)
    with cython.nogil:
        for k in range(first, last):
            total[pair[k]] += left[k] * right[k]


def best_states(
    state_offsets: cython.const[cython.longlong][::1],
    token_offsets: cython.const[cython.longlong][::1],
    cell_offsets: cython.const[cython.longlong][::1],
    transposed: cython.int,
    posterior: cython.const[cython.double][::1],
    null_posterior: cython.const[cython.double][::1],
    best: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Find for each token its most probable state; -1 where that is the null word.

    Of equal ones the first; the null word must be more probable than all others to win.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(states=cython.longlong, tokens=cython.longlong, cell=cython.longlong)
    cython.declare(state_step=cython.longlong, token_step=cython.longlong, most=cython.double)
    cython.declare(choice=cython.int)
    with cython.nogil:
        for row in range(first, last):
            states = state_offsets[row + 1] - state_offsets[row]
            tokens = token_offsets[row + 1] - token_offsets[row]
            state_step = 1 if transposed else tokens
            token_step = states if transposed else 1
            for j in range(tokens):
                cell = cell_offsets[row] + j * token_step
                choice = -1
                most = 0.0
                for i in range(states):
                    if posterior[cell + i * state_step] > most:
                        most = posterior[cell + i * state_step]
                        choice = cython.cast(cython.int, i)
                if null_posterior[token_offsets[row] + j] > most:
                    choice = -1
                best[token_offsets[row] + j] = choice
