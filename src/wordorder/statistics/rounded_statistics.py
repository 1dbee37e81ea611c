"""Statistics as whole numbers, so that sums of them are exact in any order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.types import Float64, Int32

# Sums of absolute values stay within 2**51, and so sums of three such sums below 2**53.
BITS = 51


@dataclass(frozen=True, eq=False)
class RoundedStatistics:
    """Statistics rounded to multiples of ``2**-exponents``, and counted in those.

    Attributes
    ----------
    whole : float64[S, n, k]
        Whole numbers; ``whole * 2**-exponents`` are the rounded statistics.
    exponents : int32[k]
        One for each column; all systems share it.
    """

    whole: Float64
    exponents: Int32

    def values(self, whole: Float64) -> Float64:
        """Return sums of whole numbers, float64[..., k], as sums of statistics."""
        return np.ldexp(whole, -self.exponents)

    @property
    def totals(self) -> Float64:
        """The exact sums over all segments, float64[n, k], in whole numbers."""
        return np.asarray(self.whole.sum(axis=0))


def rounded_statistics(statistics: Float64) -> RoundedStatistics:
    """Round statistics to whole multiples of a power of two.

    Matrix products add in an order that depends on the library, the processor and the number of
    threads, and every rounding on the way would show in the last digits. Whole numbers whose
    sums stay below 2**53 are added without any rounding, so the result is the same everywhere,
    and equal systems stay exactly equal.

    Parameters
    ----------
    statistics : float64[n, S, k]
        Finite.

    Notes
    -----
    With ``max`` the largest absolute value of a column, the unit is the power of two
    ``2**(p + q - 51)`` for the smallest ``2**p > max`` and ``2**q >= S``; so `S` values of the
    column, however chosen, sum up to at most ``2**51`` units. A value moves by at most half a
    unit, a sum over S values by at most ``S * S * max * 2**-50``: relative to the largest
    possible sum, 2e-11 for 20,000 segments. Columns of whole numbers whose sums stay below
    2**49 do not move at all.

    Examples
    --------
    >>> grid = rounded_statistics(np.array([[[0.5], [0.25]]]))
    >>> grid.values(grid.totals).tolist()
    [[0.75]]
    """
    segments = statistics.shape[1]
    # Copied, so that one product serves all systems: a segment's numbers lie side by side.
    whole = statistics.transpose(1, 0, 2).copy()
    largest = np.maximum(whole.max((0, 1), initial=0.0), -whole.min((0, 1), initial=0.0))
    exponents = BITS - np.frexp(largest)[1] - max(segments - 1, 0).bit_length()
    np.rint(np.ldexp(whole, exponents, out=whole), out=whole)
    return RoundedStatistics(whole, exponents)
