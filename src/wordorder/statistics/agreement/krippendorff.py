"""Krippendorff's alpha: agreement of any number of raters, on any scale, with gaps."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError, choose
from wordorder.types import Float64, Int64

SCALES = ("nominal", "ordinal", "interval")


class Disagreement:
    """Krippendorff's alpha of units that may each count several times.

    Parameters
    ----------
    units : int64[N]
        Which unit each rating is of, from 0.
    values : float64[N]
    scale : "nominal", "ordinal" or "interval"

    Notes
    -----
    Alpha is 1 - D_o / D_e (Krippendorff 2011). A difference on the ordinal scale is one of
    midranks: the sum of the counts from category c to category k, less half of those two, is the
    distance between the middles of c and k among all sorted ratings. So both it and the interval
    scale need only squared distances from means, which takes O(N) time. Units with one rating say
    nothing.
    """

    def __init__(self, units: Int64, values: Float64, scale: str) -> None:
        self.scale = choose("scale", scale, SCALES)
        self.size = int(units.max(initial=-1)) + 1
        number = np.bincount(units, minlength=self.size)
        paired = number[units] > 1
        self._units = units[paired]
        self._number = np.where(number > 1, number, 0).astype(np.float64)
        self._levels, codes = np.unique(values[paired], return_inverse=True)
        self._codes = codes.reshape(-1)
        self._categories = len(self._levels)
        if scale == "nominal":
            self._within = self._different_pairs()
        else:
            # Close to 0, and below 1 by a power of 2, which loses nothing: squares of large numbers
            # would lose digits, or be infinite.
            _, exponent = np.frexp(np.abs(self._levels).max(initial=0.0))
            self._levels = np.ldexp(self._levels, -exponent)
            self._levels = self._levels - (self._levels.mean() if self._categories else 0.0)

    def alpha(self, times: Float64 | None = None) -> float:
        """Return alpha where unit u counts ``times[u]`` times; NaN if all values are the same."""
        weights = self._number > 0 if times is None else np.where(self._number > 0, times, 0.0)
        ratings = weights * self._number
        n = float(ratings.sum())
        counts = np.bincount(
            self._codes, np.asarray(weights, np.float64)[self._units], minlength=self._categories
        )
        if np.count_nonzero(counts) < 2:
            return math.nan
        if self.scale == "nominal":
            observed = float(weights @ self._within)
            expected = float(counts @ (n - counts)) / (n - 1)
            return 1 - observed / expected
        levels = np.cumsum(counts) - counts / 2 if self.scale == "ordinal" else self._levels
        spread = levels - float(counts @ levels) / n
        expected = 2 * n * float(counts @ (spread * spread)) / (n - 1)
        return 1 - float(weights @ self._squares(spread[self._codes])) / expected

    def _different_pairs(self) -> Float64:
        """Return for each unit the ordered pairs of different values, over its ratings less 1."""
        cells, number = np.unique(self._units * self._categories + self._codes, return_counts=True)
        same = np.bincount(
            cells // max(self._categories, 1), number * (number - 1.0), minlength=self.size
        )
        pairs = self._number * (self._number - 1)
        return (pairs - same) / np.maximum(self._number - 1, 1)

    def _squares(self, values: Float64) -> Float64:
        """Return for each unit the squared differences of all its ordered pairs, over n less 1."""
        number = np.maximum(self._number, 1)
        means = np.bincount(self._units, values, minlength=self.size) / number
        apart = values - means[self._units]
        squares = np.bincount(self._units, apart * apart, minlength=self.size)
        return 2 * self._number * squares / np.maximum(self._number - 1, 1)


def krippendorff_alpha(ratings: npt.ArrayLike, scale: str = "nominal") -> float:
    """Measure how far raters agree: Krippendorff's alpha.

    Any number of raters, any of whom may have left out any item (Krippendorff 2011, "Computing
    Krippendorff's Alpha-Reliability").

    Parameters
    ----------
    ratings : float64[raters, items]
        NaN where a rater left out an item.
    scale : "nominal", "ordinal" or "interval"
        How far apart two values are: different or not; by the number of ratings between them; by
        the square of their difference.

    Returns
    -------
    float at most 1
        0 for agreement by chance, below for less; NaN if all values are the same or no item has
        two ratings.

    Raises
    ------
    UsageError
        If the shape or the scale is wrong, or a value is infinite.

    Examples
    --------
    >>> krippendorff_alpha([[1, 2, 3, 3], [1, 2, 3, 3]])
    1.0
    >>> round(krippendorff_alpha([[1, 2, 3, np.nan], [1, 2, 4, 5]], "interval"), 4)
    0.878
    """
    values = np.asarray(ratings, np.float64)
    if values.ndim != 2:
        raise UsageError(f"expected ratings [raters, items], got shape {values.shape}")
    if np.isinf(values).any():
        raise UsageError("a rating is infinite")
    rated = ~np.isnan(values)
    units = np.broadcast_to(np.arange(values.shape[1]), values.shape)[rated]
    return Disagreement(units, values[rated], scale).alpha()
