"""Random choices of segments: with replacement for the bootstrap, coin flips for randomization.

Each resample has a key of its own that starts a splitmix64 generator (Steele, Lea and Flood
2014), so a resample depends on nothing but its key.
"""

import cython

MASK64 = cython.declare(cython.ulonglong, (1 << 64) - 1)
STEP = cython.declare(cython.ulonglong, 0x9E3779B97F4A7C15)
FIRST_FACTOR = cython.declare(cython.ulonglong, 0xBF58476D1CE4E5B9)
SECOND_FACTOR = cython.declare(cython.ulonglong, 0x94D049BB133111EB)
LOW_WORD = cython.declare(cython.ulonglong, (1 << 32) - 1)
ONE_AS_BITS = cython.declare(cython.longlong, 1023 << 52)  # the double 1.0 seen as an integer


@cython.cfunc
@cython.inline
@cython.nogil
@cython.exceptval(check=False)
def mixed(state: cython.ulonglong) -> cython.ulonglong:
    """Turn the state of splitmix64 into its output."""
    state = ((state ^ (state >> 30)) * FIRST_FACTOR) & MASK64
    state = ((state ^ (state >> 27)) * SECOND_FACTOR) & MASK64
    return state ^ (state >> 31)


def draw_buckets(
    key: cython.longlong,
    first_row: cython.longlong,
    shift: cython.int,
    buckets: cython.int[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Write the bucket of each row: the high bits of one output of the generator.

    Row ``first_row + r`` has output number ``first_row + r`` of the generator that starts from
    `key`, shifted to the right by `shift`; it goes to ``buckets[r]``, `first` <= r < `last`.
    """
    cython.declare(row=cython.Py_ssize_t, number=cython.ulonglong, state=cython.ulonglong)
    start: cython.ulonglong = cython.cast(cython.ulonglong, key) & MASK64
    with cython.nogil:
        for row in range(first, last):
            number = cython.cast(cython.ulonglong, first_row + row + 1)
            state = (start + number * STEP) & MASK64
            buckets[row] = cython.cast(cython.int, mixed(state) >> shift)


def draw_counts(
    keys: cython.const[cython.longlong][::1],
    size: cython.longlong,
    counts: cython.double[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Draw `size` of `size` segments with replacement; write how often each came.

    Writes row ``r`` of `counts` [rows * size] from ``keys[r]``. Each output of the generator
    gives two words of 32 bits, the low one first; a word times `size` has the segment in its high
    32 bits, and words that would make some segments likelier than others are passed over
    (Lemire 2019). `size` is below 2**32.
    """
    cython.declare(row=cython.Py_ssize_t, start=cython.Py_ssize_t, drawn=cython.longlong)
    cython.declare(state=cython.ulonglong, word=cython.ulonglong, product=cython.ulonglong)
    segments: cython.ulonglong = size
    uneven: cython.ulonglong = 0
    mask: cython.ulonglong = LOW_WORD
    if size > 0:
        uneven = (mask + 1) % segments
    with cython.nogil:
        for row in range(first, last):
            start = row * size
            for drawn in range(size):
                counts[start + drawn] = 0.0
            state = cython.cast(cython.ulonglong, keys[row]) & MASK64
            drawn = 0
            while drawn < size:
                state = (state + STEP) & MASK64
                word = mixed(state)
                product = (word & mask) * segments
                if (product & mask) >= uneven:
                    counts[start + cython.cast(cython.Py_ssize_t, product >> 32)] += 1.0
                    drawn += 1
                product = (word >> 32) * segments
                if (product & mask) >= uneven and drawn < size:
                    counts[start + cython.cast(cython.Py_ssize_t, product >> 32)] += 1.0
                    drawn += 1


def draw_swaps(
    keys: cython.const[cython.longlong][::1],
    size: cython.longlong,
    swaps: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Flip a coin for each of `size` segments.

    Writes row ``r`` of `swaps` [rows * size] from ``keys[r]``: the bits of the double 1.0 for a
    segment to be swapped, of 0.0 for another. Each output of the generator gives 64 flips, its
    lowest bit first.
    """
    cython.declare(row=cython.Py_ssize_t, start=cython.Py_ssize_t, stop=cython.Py_ssize_t)
    cython.declare(segment=cython.Py_ssize_t, state=cython.ulonglong, word=cython.ulonglong)
    one: cython.longlong = ONE_AS_BITS
    with cython.nogil:
        for row in range(first, last):
            start = row * size
            stop = start + size
            state = cython.cast(cython.ulonglong, keys[row]) & MASK64
            while start < stop:
                state = (state + STEP) & MASK64
                word = mixed(state)
                for segment in range(start, min(start + 64, stop)):
                    swaps[segment] = one & -cython.cast(cython.longlong, word & 1)
                    word = word >> 1
                start += 64


def draw_flips(
    keys: cython.const[cython.longlong][::1],
    words: cython.longlong,
    flips: cython.ulonglong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Flip a coin for each of ``64 * words`` things; write them as bits.

    Writes row ``r`` of `flips` [rows * words] from ``keys[r]``: thing ``i`` has bit ``i % 64`` of
    word ``i // 64``. The flips are those of `draw_swaps`.
    """
    cython.declare(row=cython.Py_ssize_t, word=cython.longlong, state=cython.ulonglong)
    with cython.nogil:
        for row in range(first, last):
            state = cython.cast(cython.ulonglong, keys[row]) & MASK64
            for word in range(words):
                state = (state + STEP) & MASK64
                flips[row * words + word] = mixed(state)
