"""N-gram language models: counting n-grams, and asking for probabilities.

A model is a trie of nodes. Node 0 is the empty n-gram and node ``word + 1`` a single word. A longer
n-gram is found by the node of its words but the last, and the last, in a table with open
addressing: ``keys[slot]`` is ``node << 32 | word``, -1 where free, and ``nodes[slot]`` the node of
the whole n-gram. ``suffix[node]`` is the longest known n-gram that ends like this one.
"""

import cython
from cython import Py_ssize_t, double, longlong, ulonglong

MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
SPREAD = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
# The words that begin and end a sentence.
BEGIN = cython.declare(cython.int, 1)
END = cython.declare(cython.int, 2)


@cython.cfunc
@cython.inline
@cython.nogil
def slot_of(keys: cython.const[longlong][::1], key: longlong, shift: cython.int) -> longlong:
    """Return where a key is in the table, or the free slot for it; `shift` is 64 less its bits."""
    at: longlong = cython.cast(longlong, ((cython.cast(ulonglong, key) * SPREAD) & MASK64) >> shift)
    while keys[at] != key and keys[at] != -1:
        at = (at + 1) & (keys.shape[0] - 1)
    return at


@cython.cfunc
@cython.inline
@cython.nogil
def key_of(node: cython.int, word: cython.int) -> longlong:
    """Return one number for a node and the word behind it."""
    return (cython.cast(longlong, node) << 32) | word


def fill_table(
    parents: cython.const[cython.int][::1],
    words: cython.const[cython.int][::1],
    start: longlong,
    keys: longlong[::1],
    nodes: cython.int[::1],
    shift: cython.int,
    number: Py_ssize_t,
) -> None:
    """Enter nodes by their parents and last words; they must be distinct, and not yet there.

    What is said of node ``start + i`` has place `i` in the arrays.
    """
    with cython.nogil:
        for i in range(number):
            slot: longlong = slot_of(keys, key_of(parents[i], words[i]), shift)
            keys[slot] = key_of(parents[i], words[i])
            nodes[slot] = cython.cast(cython.int, start + i)


def number_ngrams(
    tokens: cython.const[cython.int][::1],
    shorter: cython.const[cython.int][::1],
    longer: cython.int[::1],
    keys: longlong[::1],
    nodes: cython.int[::1],
    shift: cython.int,
    parents: cython.int[::1],
    words: cython.int[::1],
    suffix: cython.int[::1],
    counts: longlong[::1],
    start: longlong,
    state: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Give each n-gram of a text its node, and count it, from those that are a word shorter.

    ``shorter[t]`` is the node of the shorter n-gram that ends with token `t`, -1 where the
    sentence has begun too late for it; `longer` is filled in the same way. What is said of node
    ``start + i`` goes to place `i` of `parents`, `words`, `suffix` and `counts`. ``state[0]`` is
    the number of nodes, ``state[1]`` the token to go on with: it stops when a node would get the
    number ``state[2]``, for which the table has no room.
    """
    node: longlong = state[0]
    most: longlong = state[2]
    state[1] = last
    with cython.nogil:
        for token in range(first, last):
            if token == 0 or shorter[token - 1] < 0 or tokens[token] == BEGIN:
                longer[token] = -1
                continue
            key: longlong = key_of(shorter[token - 1], tokens[token])
            slot: longlong = slot_of(keys, key, shift)
            if keys[slot] == -1:
                if node >= most:
                    state[1] = token
                    break
                keys[slot] = key
                nodes[slot] = cython.cast(cython.int, node)
                parents[node - start] = shorter[token - 1]
                words[node - start] = tokens[token]
                suffix[node - start] = shorter[token]
                counts[node - start] = 0
                node += 1
            longer[token] = nodes[slot]
            counts[nodes[slot] - start] += 1
        state[0] = node


def find_nodes(
    ngrams: cython.const[cython.int][::1],
    order: cython.int,
    keys: cython.const[longlong][::1],
    nodes: cython.const[cython.int][::1],
    shift: cython.int,
    found: cython.int[::1],
    number: Py_ssize_t,
) -> None:
    """Find the nodes of n-grams of one length, -1 where there is none.

    N-gram `i` is ``ngrams[order * i : order * (i + 1)]``, at least one word.
    """
    cython.declare(k=longlong)
    with cython.nogil:
        for i in range(number):
            node: cython.int = ngrams[order * i] + 1
            for k in range(order * i + 1, order * (i + 1)):
                slot: longlong = slot_of(keys, key_of(node, ngrams[k]), shift)
                if keys[slot] == -1:
                    node = -1
                    break
                node = nodes[slot]
            found[i] = node


def score_rows(
    tokens: cython.const[cython.int][::1],
    offsets: cython.const[longlong][::1],
    keys: cython.const[longlong][::1],
    nodes: cython.const[cython.int][::1],
    shift: cython.int,
    probability: cython.const[cython.float][::1],
    backoff: cython.const[cython.float][::1],
    suffix: cython.const[cython.int][::1],
    following: cython.const[cython.int][::1],
    scores: double[::1],
    totals: double[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Sum up the logarithmic probabilities of the words of sentences, and of their ends.

    Row `r` is ``tokens[offsets[r] : offsets[r + 1]]``; its words and its end go to ``scores`` from
    place ``offsets[r] + r`` on, their sum to ``totals[r]``. After a word the state is
    ``following[node]``: of the longest known n-gram that ends there, what can still matter.
    """
    with cython.nogil:
        for row in range(first, last):
            total: double = 0.0
            state: cython.int = following[BEGIN + 1]
            for i in range(offsets[row], offsets[row + 1] + 1):
                word: cython.int = tokens[i] if i < offsets[row + 1] else END
                score: double = 0.0
                node: cython.int = word + 1
                while state > 0:
                    slot: longlong = slot_of(keys, key_of(state, word), shift)
                    if keys[slot] != -1:
                        node = nodes[slot]
                        break
                    score += backoff[state]
                    state = suffix[state]
                score += probability[node]
                state = following[node]
                scores[i + row] = score
                total += score
            totals[row] = total
