"""Shuffling: the same order from the same seed, in every version of numpy."""

from __future__ import annotations

import numpy as np

from wordorder.types import Int64


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
    bits = np.random.PCG64(np.random.SeedSequence(seeds)).random_raw(number)
    return np.argsort(bits, kind="stable")
