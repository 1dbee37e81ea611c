"""Lexical weights of phrase pairs (Koehn, Och & Marcu 2003, section 3.2)."""

import cython
from cython.cimports.libc.math import log


def weigh_pairs(
    source_words: cython.const[cython.int][::1],
    source_offsets: cython.const[cython.longlong][::1],
    target_words: cython.const[cython.int][::1],
    target_offsets: cython.const[cython.longlong][::1],
    masks: cython.const[cython.ulonglong][::1],
    row_offsets: cython.const[cython.longlong][::1],
    linked: cython.const[cython.int][::1],
    counts: cython.const[cython.longlong][::1],
    source_totals: cython.const[cython.longlong][::1],
    target_totals: cython.const[cython.longlong][::1],
    weights: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the logarithms of lex(f|e) and lex(e|f) of each phrase pair to `weights` [2 a pair].

    Bit ``8 * s + t`` of a mask links the words `s` and `t` of the pair. Source word `w` has been
    linked ``counts[k]`` times with the target word ``linked[k]``, for `k` from ``row_offsets[w]``
    to ``row_offsets[w + 1] - 1``, sorted; word 0 is the null word of words without a link.
    """
    cython.declare(row=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong)
    cython.declare(links=cython.longlong, source_size=cython.longlong, target_size=cython.longlong)
    cython.declare(source=cython.int, target=cython.int, both=cython.longlong, total=cython.double)
    cython.declare(weight=cython.double)
    with cython.nogil:
        for row in range(first, last):
            source_size = source_offsets[row + 1] - source_offsets[row]
            target_size = target_offsets[row + 1] - target_offsets[row]
            weight = 0.0
            for i in range(source_size):
                source = source_words[source_offsets[row] + i]
                total = 0.0
                links = 0
                for j in range(target_size):
                    if (masks[row] >> (8 * i + j)) & 1:
                        target = target_words[target_offsets[row] + j]
                        both = joint(row_offsets, linked, counts, source, target)
                        total += cython.cast(cython.double, both) / target_totals[target]
                        links += 1
                if links == 0:
                    both = joint(row_offsets, linked, counts, source, 0)
                    total = cython.cast(cython.double, both) / target_totals[0]
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
                        both = joint(row_offsets, linked, counts, source, target)
                        total += cython.cast(cython.double, both) / source_totals[source]
                        links += 1
                if links == 0:
                    both = joint(row_offsets, linked, counts, 0, target)
                    total = cython.cast(cython.double, both) / source_totals[0]
                    links = 1
                weight += log(total / links)
            weights[2 * row + 1] = weight


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def joint(
    row_offsets: cython.const[cython.longlong][::1],
    linked: cython.const[cython.int][::1],
    counts: cython.const[cython.longlong][::1],
    source: cython.int,
    target: cython.int,
) -> cython.longlong:
    """Return how often two words were linked, at least once."""
    cython.declare(middle=cython.longlong)
    low: cython.longlong = row_offsets[source]
    high: cython.longlong = row_offsets[source + 1] - 1
    while low < high:
        middle = (low + high) // 2
        if linked[middle] < target:
            low = middle + 1
        else:
            high = middle
    return counts[low]


def list_links(
    masks: cython.const[cython.ulonglong][::1],
    offsets: cython.const[cython.longlong][::1],
    links: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the links of each mask, source and target position, two numbers a link."""
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, bit=cython.int)
    with cython.nogil:
        for row in range(first, last):
            at = 2 * offsets[row]
            for bit in range(64):
                if (masks[row] >> bit) & 1:
                    links[at] = bit // 8
                    links[at + 1] = bit % 8
                    at += 2


def keep_best(
    group_offsets: cython.const[cython.longlong][::1],
    counts: cython.const[cython.int][::1],
    weights: cython.const[cython.double][::1],
    most: cython.longlong,
    chosen: cython.longlong[::1],
    chosen_counts: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Choose the `most` pairs of each group with the highest counts, best first.

    Of equal counts those with the higher lex(e|f), the second of `weights`; then the first ones.
    Group `g` writes to ``chosen[group_offsets[g] ...]``.
    """
    cython.declare(group=cython.Py_ssize_t, pair=cython.longlong, start=cython.longlong)
    cython.declare(size=cython.longlong, at=cython.longlong, other=cython.longlong)
    with cython.nogil:
        for group in range(first, last):
            start = group_offsets[group]
            size = 0
            for pair in range(start, group_offsets[group + 1]):
                at = size
                while at > 0:
                    other = chosen[start + at - 1]
                    if counts[other] > counts[pair] or (
                        counts[other] == counts[pair]
                        and weights[2 * other + 1] >= weights[2 * pair + 1]
                    ):
                        break
                    if at < most:
                        chosen[start + at] = other
                    at -= 1
                if at < most:
                    chosen[start + at] = pair
                    if size < most:
                        size += 1
            chosen_counts[group] = size
