"""Source words in the order of their first target positions."""

import cython

# Rows up to this length are sorted by insertion, longer ones digit by digit.
SHORT = cython.declare(cython.longlong, 48)
# The key of a word behind the last aligned one: above every target position.
BEHIND = cython.declare(cython.int, 0x7FFFFFFE)
NEXT = cython.declare(cython.int, 0)
PREVIOUS = cython.declare(cython.int, 1)
RENUMBER = cython.declare(cython.int, 3)


def first_targets(
    source: cython.const[cython.int][::1],
    target: cython.const[cython.int][::1],
    link_offsets: cython.const[cython.longlong][::1],
    word_offsets: cython.const[cython.longlong][::1],
    keys: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the smallest target position of each source word to `keys`, -1 for an unaligned one."""
    cython.declare(row=cython.Py_ssize_t, link=cython.longlong, word=cython.longlong)
    with cython.nogil:
        for row in range(first, last):
            for word in range(word_offsets[row], word_offsets[row + 1]):
                keys[word] = -1
            for link in range(link_offsets[row], link_offsets[row + 1]):
                word = word_offsets[row] + source[link]
                if keys[word] < 0 or target[link] < keys[word]:
                    keys[word] = target[link]


@cython.cfunc
@cython.nogil
@cython.exceptval(check=False)
def sort_by_key(
    words: cython.int[::1],
    begin: cython.longlong,
    size: cython.longlong,
    inherited: cython.int[::1],
    spare: cython.int[::1],
    counts: cython.longlong[::1],
) -> cython.void:
    """Sort ``words[begin:begin+size]`` by ``inherited[word]``; equal keys keep their order."""
    cython.declare(i=cython.longlong, j=cython.longlong, word=cython.int, key=cython.int)
    cython.declare(digit=cython.int, shift=cython.int, largest=cython.int, place=cython.longlong)
    cython.declare(moved=cython.longlong)
    if size <= SHORT:
        for i in range(1, size):
            word = words[begin + i]
            key = inherited[word]
            j = i - 1
            while j >= 0 and inherited[words[begin + j]] > key:
                words[begin + j + 1] = words[begin + j]
                j -= 1
            words[begin + j + 1] = word
        return
    largest = 0
    for i in range(size):
        key = inherited[words[begin + i]]
        if key > largest:
            largest = key
    shift = 0
    while shift < 32 and (largest >> shift) > 0:
        for digit in range(257):
            counts[digit] = 0
        for i in range(size):
            counts[((inherited[words[begin + i]] >> shift) & 255) + 1] += 1
        for digit in range(256):
            counts[digit + 1] += counts[digit]
        for i in range(size):
            word = words[begin + i]
            digit = (inherited[word] >> shift) & 255
            place = counts[digit]
            counts[digit] = place + 1
            spare[place] = word
        for moved in range(size):
            words[begin + moved] = spare[moved]
        shift += 8


def order_by_keys(
    keys: cython.const[cython.int][::1],
    word_offsets: cython.const[cython.longlong][::1],
    order_offsets: cython.const[cython.longlong][::1],
    positions: cython.int[::1],
    ranks: cython.int[::1],
    options: cython.const[cython.int][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    inherited: cython.int[::1],
    spare: cython.int[::1],
    counts: cython.longlong[::1],
) -> None:
    """Write each row's source positions by key and the rank of the group that each is in.

    ``options[0]`` is 0 (an unaligned word takes the key of the next aligned word), 1 (of the
    previous one), 2 (it is left out) or 3 (it is left out and the others are numbered without
    it). If ``options[1]``, the words from the first to the last aligned one of a key share a
    rank; else every word has its own. Groups and new numbers exclude each other.

    Scratch: two int32 arrays of the longest row's length and 257 int64.
    """
    cython.declare(row=cython.Py_ssize_t, begin=cython.longlong, start=cython.longlong)
    cython.declare(words=cython.longlong, size=cython.longlong, i=cython.longlong)
    cython.declare(j=cython.longlong, last_tied=cython.longlong, word=cython.int, key=cython.int)
    cython.declare(rank=cython.int)
    unaligned: cython.int = options[0]
    grouped: cython.int = options[1]
    with cython.nogil:
        for row in range(first, last):
            begin = word_offsets[row]
            words = word_offsets[row + 1] - begin
            start = order_offsets[row]
            size = 0
            if unaligned == NEXT:
                key = BEHIND
                for i in range(words - 1, -1, -1):
                    if keys[begin + i] >= 0:
                        key = keys[begin + i]
                    inherited[i] = key
            elif unaligned == PREVIOUS:
                # Words before the first aligned one go to the front: they precede every word
                # of the smallest key in the source, and equal keys keep their order.
                key = 0
                for i in range(words):
                    if keys[begin + i] >= 0:
                        key = keys[begin + i]
                    inherited[i] = key
            for i in range(words):
                if unaligned == NEXT or unaligned == PREVIOUS:
                    positions[start + size] = i
                    size += 1
                elif keys[begin + i] >= 0:
                    word = size if unaligned == RENUMBER else i
                    inherited[word] = keys[begin + i]
                    positions[start + size] = word
                    size += 1
            sort_by_key(positions, start, size, inherited, spare, counts)
            rank = 0
            i = 0
            while i < size:
                word = positions[start + i]
                last_tied = i
                if grouped and keys[begin + word] >= 0:
                    key = keys[begin + word]
                    j = i + 1
                    while j < size and inherited[positions[start + j]] == key:
                        if keys[begin + positions[start + j]] >= 0:
                            last_tied = j
                        j += 1
                while i <= last_tied:
                    ranks[start + i] = rank
                    i += 1
                rank += 1
