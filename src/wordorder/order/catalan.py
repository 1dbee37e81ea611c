"""Catalan numbers of any size, as doubles with an exponent of their own."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from wordorder.types import Float64, Int64

# More than a double holds, so that one rounding per step never reaches the double.
_BITS = 160


def scaled_catalan(count: int) -> tuple[Float64, Int64]:
    """Return the first `count` Catalan numbers as ``mantissa * 2**exponent``.

    Returns
    -------
    mantissa : float64[count], in [0.5, 1)
    exponent : int64[count]

    Notes
    -----
    Integer arithmetic throughout, so the digits are the same on every platform. A Catalan number
    below 2**53 is exact, a larger one correctly rounded.

    Examples
    --------
    >>> mantissa, exponent = scaled_catalan(5)
    >>> np.ldexp(mantissa, exponent).tolist()
    [1.0, 1.0, 2.0, 5.0, 14.0]
    """
    # Powers of two: callers with rows of many lengths share a few tables.
    mantissa, exponent = _table(max(64, 1 << max(count - 1, 0).bit_length()))
    return mantissa[:count], exponent[:count]


@lru_cache(maxsize=4)
def _table(count: int) -> tuple[Float64, Int64]:
    mantissa = np.empty(count, np.float64)
    exponent = np.empty(count, np.int64)
    number, shift = 1 << _BITS, -_BITS
    for k in range(count):
        bits = number.bit_length()
        mantissa[k] = number / (1 << bits)
        exponent[k] = bits + shift
        number = number * (4 * k + 2) // (k + 2)
        excess = number.bit_length() - 2 * _BITS
        if excess > 0:
            number >>= excess
            shift += excess
    return mantissa, exponent
