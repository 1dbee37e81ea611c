"""What the metrics of translations share: they read text and take the best reference."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.contract import BaseMetric
from wordorder.types import Float64, Int64


class TextMetric(BaseMetric):
    """A metric of translations and their references, cut into words."""

    columns: tuple[str, ...] = ("text",)


def best_reference(costs: Float64, reference_offsets: Int64, rounding: float = 0.0) -> Int64:
    """Return the cheapest reference of each segment.

    Parameters
    ----------
    costs : float64[R]
        One a reference row; negate what should be large.
    reference_offsets : int64[S+1]
    rounding : float
        Costs that differ by no more than this share of themselves are equal.

    Returns
    -------
    int64[S]
        The row of the first smallest cost; -1 for a segment without references.

    Examples
    --------
    >>> best_reference(np.array([0.5, 0.2, 0.2, 0.1]), np.array([0, 3, 3, 4])).tolist()
    [1, -1, 3]
    """
    segments = len(reference_offsets) - 1
    counts = np.diff(reference_offsets)
    if len(costs) == segments and np.all(counts == 1):
        return np.arange(segments)
    best = np.full(segments, -1, np.int64)
    filled = np.flatnonzero(counts)
    if not len(filled):
        return best
    starts = reference_offsets[:-1][filled]
    smallest = np.minimum.reduceat(costs, starts)
    if rounding:
        smallest += rounding * np.abs(smallest)
    rows = np.flatnonzero(costs <= np.repeat(smallest, counts[filled]))
    # Of the rows that are as cheap as their segment's cheapest, the first at or after its start.
    best[filled] = rows[np.searchsorted(rows, starts)]
    return best
