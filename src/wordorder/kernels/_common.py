"""Hashes of keys, and the search in hash tables, for several kernels.

The build copies what a kernel imports from here into the kernel, so that the compiler can inline
it.
"""

import cython
from cython import longlong, ulonglong

# Limits Python's integers to 64 bits, like those of C.
MASK64 = cython.declare(ulonglong, 0xFFFFFFFFFFFFFFFF)
# 2**64 divided by the golden ratio: its multiples are spread evenly (Knuth, The Art of Computer
# Programming, volume 3, section 6.4). Also the step of splitmix64.
GOLDEN = cython.declare(ulonglong, 0x9E3779B97F4A7C15)
# The factors of splitmix64's output (Steele, Lea and Flood 2014; Stafford's variant 13).
SPLITMIX_1 = cython.declare(ulonglong, 0xBF58476D1CE4E5B9)
SPLITMIX_2 = cython.declare(ulonglong, 0x94D049BB133111EB)
# Another odd factor with irregular bits, for hashes that alternate multiplications and shifts.
MIXER = cython.declare(ulonglong, 0xD6E8FEB86659FD93)


@cython.cfunc
@cython.inline
@cython.nogil
def mix64(state: ulonglong) -> ulonglong:
    """Return the output of splitmix64 for a state."""
    state = ((state ^ (state >> 30)) * SPLITMIX_1) & MASK64
    state = ((state ^ (state >> 27)) * SPLITMIX_2) & MASK64
    return state ^ (state >> 31)


@cython.cfunc
@cython.inline
@cython.nogil
def golden_hash(key: ulonglong, shift: cython.int) -> longlong:
    """Return the upper ``64 - shift`` bits of a key's multiple of `GOLDEN`: Fibonacci hashing."""
    return cython.cast(longlong, ((key * GOLDEN) & MASK64) >> shift)


@cython.cfunc
@cython.inline
@cython.nogil
def pair_key(first: cython.int, second: cython.int) -> longlong:
    """Return the key of a pair of non-negative integers."""
    return (cython.cast(longlong, first) << 32) | second


@cython.cfunc
@cython.inline
@cython.nogil
def slot_of(
    keys: cython.const[longlong][::1], key: longlong, slot: longlong, mask: longlong
) -> longlong:
    """Return the slot of a key in a table with open addressing, or the free one (-1) for it.

    `slot` is the first slot to probe; the table has ``mask + 1`` slots, a power of two.
    """
    while keys[slot] != key and keys[slot] != -1:
        slot = (slot + 1) & mask
    return slot
