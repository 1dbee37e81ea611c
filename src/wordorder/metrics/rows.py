"""Computations per row that several families of metrics share: kernel counts, brevity penalty."""

import numpy as np

from wordorder.arrays import Float64, Int64, Ragged
from wordorder.kernels import Kernel, run_rows


def count_per_row(kernel: Kernel, rows: Ragged, scratch_count: int = 0) -> Int64:
    """Return the counts that a kernel computes, one per row, int64[S].

    Parameters
    ----------
    kernel : callable
        Is called with values, offsets and the array of counts, which it fills.
    rows : Ragged
    scratch_count : int
        The number of scratch arrays that the kernel needs. Each has one entry more than the longest
        row.
    """
    counts = np.empty(len(rows), np.int64)
    run_rows(
        kernel,
        *(rows.offsets, rows.values, rows.offsets, counts),
        scratch=lambda longest: tuple(
            np.empty(longest + 1, np.int32) for _ in range(scratch_count)
        ),
    )
    return counts


def brevity_penalty(lengths: Int64 | Float64, reference_lengths: Int64 | Float64) -> Float64:
    """Return the brevity penalty of each length against its reference length.

    ``exp(1 - r / c)`` for a length `c` below the reference length `r`, 1 otherwise, and 0 for a
    length of 0 (Papineni et al. 2002, section 2.2.2).

    Parameters
    ----------
    lengths, reference_lengths : int64 or float64, of one shape
        Not negative.

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
