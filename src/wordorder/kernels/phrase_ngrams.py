"""Numbers for the word sequences of a text, one length after the other."""

import cython

SPREAD = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
MASK64 = cython.declare(cython.ulonglong, 0xFFFFFFFFFFFFFFFF)


def number_ngrams(
    words: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    length: cython.longlong,
    shorter: cython.const[cython.int][::1],
    numbers: cython.int[::1],
    parent: cython.int[::1],
    begin: cython.int,
    keys: cython.longlong[::1],
    found: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> cython.longlong:
    """Number the sequences of `length` words, from `begin` on; return how many there are.

    ``shorter[i]`` is the number of the ``length - 1`` words from `i` on; ``numbers[i]`` becomes
    that of one word more, and stays as it is where the sentence ends before. Sequence
    ``begin + n`` continues ``parent[2 * n]`` with the word ``parent[2 * n + 1]``. `keys` (-1 where
    free) and `found` are a hash table of a power of two of slots.
    """
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, key=cython.longlong)
    cython.declare(slot=cython.longlong)
    count: cython.longlong = 0
    mask: cython.longlong = keys.shape[0] - 1
    with cython.nogil:
        for row in range(first, last):
            for at in range(offsets[row], offsets[row + 1] - length + 1):
                key = (cython.cast(cython.longlong, shorter[at]) << 32) | words[at + length - 1]
                slot = home(key) & mask
                while keys[slot] != -1 and keys[slot] != key:
                    slot = (slot + 1) & mask
                if keys[slot] == -1:
                    keys[slot] = key
                    found[slot] = cython.cast(cython.int, begin + count)
                    parent[2 * count] = shorter[at]
                    parent[2 * count + 1] = words[at + length - 1]
                    count += 1
                numbers[at] = found[slot]
    return count


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def home(key: cython.longlong) -> cython.longlong:
    """Return a number that looks random, at least 0, the same for the same key."""
    mixed: cython.ulonglong = cython.cast(cython.ulonglong, key)
    mixed = ((mixed ^ (mixed >> 29)) * SPREAD) & MASK64
    mixed = ((mixed ^ (mixed >> 32)) * SPREAD) & MASK64
    return cython.cast(cython.longlong, mixed >> 20)


def spell_ngrams(
    parent: cython.const[cython.int][::1],
    ngrams: cython.const[cython.int][::1],
    offsets: cython.const[cython.longlong][::1],
    words: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the words of sequences; the offsets say how long each is."""
    cython.declare(row=cython.Py_ssize_t, at=cython.longlong, number=cython.int)
    with cython.nogil:
        for row in range(first, last):
            number = ngrams[row]
            at = offsets[row + 1]
            while at > offsets[row]:
                at -= 1
                words[at] = parent[2 * number + 1]
                number = parent[2 * number]
