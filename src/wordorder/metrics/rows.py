"""Numbers of rows that several families of metrics share: counts by a kernel, brevity penalties."""

import numpy as np

from wordorder.arrays import Float64, Int64, Ragged
from wordorder.kernels import Kernel, run_rows


def count_per_row(kernel: Kernel, rows: Ragged, working: int = 0) -> Int64:
    """Run a kernel that counts one number for each row; return them, int64[S].

    Parameters
    ----------
    kernel : callable
        Takes values, offsets and the array of counts that it fills.
    rows : Ragged
    working : int
        The number of scratch arrays that it takes, each one entry longer than the longest row.
    """
    counts = np.empty(len(rows), np.int64)
    run_rows(
        kernel,
        *(rows.offsets, rows.values, rows.offsets, counts),
        scratch=lambda longest: tuple(np.empty(longest + 1, np.int32) for _ in range(working)),
    )
    return counts


def brevity_penalty(lengths: Int64 | Float64, reference_lengths: Int64 | Float64) -> Float64:
    """Return the brevity penalty of each length against its reference length.

    ``exp(1 - r / c)`` for a length `c` below the reference length `r`, 1 otherwise, and 0 for a
    length of 0 (Papineni et al. 2002, section 2.2.2).

    Parameters
    ----------
    lengths, reference_lengths : int64 or float64, of one shape
        None below 0.

    Returns
    -------
    float64, the same shape, in [0, 1]

    Examples
    --------
    >>> brevity_penalty(np.array([5, 4, 6, 0]), np.array([5, 5, 5, 5])).round(4)
    array([1.    , 0.7788, 1.    , 0.    ])
    """
    shape = np.broadcast_shapes(np.shape(lengths), np.shape(reference_lengths))
    ratio = np.divide(reference_lengths, lengths, out=np.ones(shape), where=lengths > 0)
    return np.where(lengths > 0, np.exp(np.minimum(1.0 - ratio, 0.0)), 0.0)
