"""Many points, counted: how many are in each square of a plane, and where they are on average."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.types import Float64, Int64

# Parts of equal size whose means are drawn, and the least number of points in each.
_PARTS, _LEAST = 10, 10


def square_counts(
    points: tuple[Float64, Float64],
    scales: tuple[Sequence[float], Sequence[float]],
    size: tuple[int, int],
) -> Int64:
    """Count the points in each square of a plane.

    Parameters
    ----------
    points : pair of float64[n]
        Across and up, within the scales.
    scales : pair of sequences of float
        Their first and last numbers are the ends.
    size : (columns, rows)

    Returns
    -------
    int64[rows * columns]
        From the lower left corner, row by row.

    Examples
    --------
    >>> points = np.array([0.1, 0.9]), np.array([0.0, 1.0])
    >>> square_counts(points, ([0, 1], [0, 1]), (2, 2)).tolist()
    [1, 0, 0, 1]
    """
    column, row = (
        np.minimum((cells * (each - steps[0]) / (steps[-1] - steps[0])).astype(np.int64), cells - 1)
        for each, steps, cells in zip(points, scales, size, strict=True)
    )
    return np.bincount(row * size[0] + column, minlength=size[0] * size[1])


def count_ranges(most: int, shades: int) -> list[tuple[int, int]]:
    """Cut ``1 .. most`` into at most as many ranges as there are shades, each wider by a factor.

    Examples
    --------
    >>> count_ranges(3, 5), count_ranges(100, 5)
    ([(1, 1), (2, 2), (3, 3)], [(1, 3), (4, 6), (7, 16), (17, 40), (41, 100)])
    """
    if most <= shades:
        return [(n, n) for n in range(1, most + 1)]
    ends = [round(most ** (place / shades)) for place in range(1, shades + 1)]
    ends = [max(end, place) for place, end in enumerate(ends, 1)]
    return [(last + 1, end) for last, end in zip([0, *ends], ends, strict=False) if end > last]


def tenths(across: Float64, up: Float64) -> list[tuple[float, float]]:
    """Return the mean of both values in each tenth of the points, from left to right.

    Returns
    -------
    list of (across, up)
        Empty for fewer than a hundred points.
    """
    if len(across) < _PARTS * _LEAST:
        return []
    parts = np.array_split(np.argsort(across, kind="stable"), _PARTS)
    return [(float(across[part].mean()), float(up[part].mean())) for part in parts]
