"""Orders and numbers that seeds decide, the same with every version of numpy."""

import numpy as np

from wordorder.arrays import Int64, UInt64


def shuffled(number: int, *seeds: int) -> Int64:
    """Return ``0 .. number-1`` in an order that the seeds decide.

    Parameters
    ----------
    number : int
    seeds : int, at least 0

    Notes
    -----
    By the bits of a PCG64, which do not change between versions of numpy; what its generators make
    of them may.

    Examples
    --------
    >>> sorted(shuffled(5, 1).tolist()), np.array_equal(shuffled(5, 1), shuffled(5, 2))
    ([0, 1, 2, 3, 4], False)
    """
    return np.argsort(random_bits(number, *seeds), kind="stable")


def random_bits(number: int, *seeds: int) -> UInt64:
    """Return random numbers of 64 bits that the seeds decide, as `shuffled` uses them."""
    return np.random.PCG64(np.random.SeedSequence(seeds)).random_raw(number)
