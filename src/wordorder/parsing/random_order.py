"""Random orders and numbers from seeds, the same with every version of numpy."""

import numpy as np

from wordorder.arrays import Int64, UInt64


def shuffled(number: int, *seeds: int) -> Int64:
    """Return ``0 .. number-1`` in a random order, which the seeds determine.

    Parameters
    ----------
    number : int
    seeds : int, at least 0

    Notes
    -----
    Uses the raw bits of PCG64, which are the same in all versions of numpy; the results of its
    generators may change.

    Examples
    --------
    >>> sorted(shuffled(5, 1).tolist()), np.array_equal(shuffled(5, 1), shuffled(5, 2))
    ([0, 1, 2, 3, 4], False)
    """
    return np.argsort(random_bits(number, *seeds), kind="stable")


def random_bits(number: int, *seeds: int) -> UInt64:
    """Return random numbers of 64 bits, which the seeds determine."""
    return np.random.PCG64(np.random.SeedSequence(seeds)).random_raw(number)
