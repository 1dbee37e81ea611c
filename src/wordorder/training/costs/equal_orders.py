"""Trees of one list that rules bring into the same order."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from wordorder.ragged import Ragged
from wordorder.types import Int64

# Where the random numbers start that tell orders apart; the result does not depend on it.
_SEED = 20110727


def first_of_equals(rows: Ragged, offsets: Int64) -> Int64:
    """Return for each row the first row of its list that is the same, int64[T].

    Parameters
    ----------
    rows : Ragged, T rows
    offsets : int64[S+1]
        The rows of list ``i`` are ``offsets[i] .. offsets[i+1]-1``.

    Notes
    -----
    Rows are told apart by a sum of random multiples of their entries, and equal sums are checked
    entry by entry. Should two different rows have one sum, later equals of the second are not
    found: nothing is wrong, only done twice.

    Examples
    --------
    >>> rows = Ragged.from_rows([[0, 1], [1, 0], [0, 1], [0, 1]])
    >>> first_of_equals(rows, np.array([0, 3, 4])).tolist()
    [0, 1, 0, 3]
    """
    count = len(rows)
    if not count:
        return np.zeros(0, np.int64)
    if len(offsets) == 2:
        # For a single list the numbers cost more than they save.
        known: dict[bytes, int] = {}
        cuts = pairwise(rows.offsets.tolist())
        found = (rows.values[first:last].tobytes() for first, last in cuts)
        return np.array([known.setdefault(row, place) for place, row in enumerate(found)])
    lengths = rows.lengths
    places = np.arange(len(rows.values)) - np.repeat(rows.offsets[:-1], lengths)
    longest = int(lengths.max())
    factors = np.random.default_rng(_SEED).integers(1 << 64, size=longest + 1, dtype=np.uint64)
    # Sums of unsigned numbers go round at 2^64, and so do their differences.
    running = np.zeros(len(rows.values) + 1, np.uint64)
    np.cumsum((rows.values + 1).astype(np.uint64) * factors[places], out=running[1:])
    keys = running[rows.offsets[1:]] - running[rows.offsets[:-1]]
    keys += lengths.astype(np.uint64) * factors[-1]
    lists = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    by_key = np.lexsort((keys, lists))
    begins = np.ones(count, np.bool_)
    begins[1:] = (keys[by_key[1:]] != keys[by_key[:-1]]) | (lists[by_key[1:]] != lists[by_key[:-1]])
    # The sort is stable: of equals the first in the list comes first.
    leaders = by_key[begins]
    first = np.empty(count, np.int64)
    first[by_key] = np.repeat(leaders, np.diff(np.append(np.flatnonzero(begins), count)))
    same = lengths[first] == lengths
    first = np.where(same, first, np.arange(count))
    leading = np.repeat(rows.offsets[:-1][first], lengths) + places
    unlike = rows.values != rows.values[leading]
    if unlike.any():
        row = np.repeat(np.arange(count), lengths)[unlike]
        first[row] = row
    return first
