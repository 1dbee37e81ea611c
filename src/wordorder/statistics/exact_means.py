"""Means and sums that do not depend on the order of their terms."""

from __future__ import annotations

import math

import numpy as np

from wordorder.arrays import Array, Float64

# Ratings with up to 12 decimals, and means of up to 10 ratings with up to 4, are whole multiples of
# one over these.
_SCALES = (*(10**digits for digits in range(13)), *(2520 * 10**digits for digits in range(5)))
# This number of values identifies most columns that are not multiples.
_FEW = 64
_EXACT_LIMIT = 2.0**51
# Bits of a part: 2**29 such parts are added as doubles without rounding.
_PART_BITS = 24


def exact_means(scores: Float64) -> Float64:
    """Return the mean over the last axis, without NaN; NaN if all are.

    Each is the mean of the exact sum, rounded once. Equal means are equal numbers, in whatever
    order the scores come and however many they are. Scores that people write as decimals are added
    as decimals, .1 being one tenth: see `whole_multiples`.

    Parameters
    ----------
    scores : float64[..., S]
        Finite or NaN.

    Returns
    -------
    float64[...]

    Examples
    --------
    >>> exact_means(np.array([[-0.1, -0.2, -0.3], [-0.3, -0.2, -0.1]])).tolist()
    [-0.2, -0.2]
    """
    present = ~np.isnan(scores)
    shape = scores.shape[:-1]
    size = math.prod(shape)
    rows = np.broadcast_to(np.arange(size).reshape(*shape, 1), scores.shape)
    return group_means(scores[present], rows[present], size).reshape(shape)


def group_means(values: Float64, group: Array, groups: int) -> Float64:
    """Return the exact mean of each group; NaN for an empty group.

    Parameters
    ----------
    values : float64[N]
        Finite.
    group : int[N]
        The group of each value, from 0.
    groups : int
        How many there are.

    Returns
    -------
    float64[groups]
    """
    number = np.bincount(group, minlength=groups)
    return _divided(values, group, np.maximum(number, 1), np.where(number > 0, 0.0, np.nan))


def group_sums(values: Float64, group: Array, groups: int) -> Float64:
    """Return the sum of each group, float64[groups], rounded once; 0 for an empty group.

    Parameters: see `group_means`.
    """
    return _divided(values, group, np.ones(groups, np.int64), np.zeros(groups))


def whole_multiples(values: Float64) -> tuple[Float64, int]:
    """Return whole numbers and a scale whose quotients are `values`, if there are any.

    Decimals are no doubles: .1 + .1 + .1 exceeds .3, also if nothing is rounded on the way. But
    all that people write, and the means of some such numbers, are whole multiples of one small
    fraction, and whole numbers add up without rounding.

    Parameters
    ----------
    values : float64[...]
        NaN stays.

    Returns
    -------
    float64[...], int
        ``values == whole / scale``; the values themselves and 1 if there is no such scale.

    Examples
    --------
    >>> whole, scale = whole_multiples(np.array([0.1, -0.25]))
    >>> whole.tolist(), scale
    ([10.0, -25.0], 100)
    """
    finite = values[np.isfinite(values)]
    largest = float(np.abs(finite).max(initial=0.0))
    for scale in _SCALES:
        if largest * scale < _EXACT_LIMIT and all(
            np.array_equal(np.rint(sample * scale) / scale, sample)
            for sample in (finite[:_FEW], finite)
        ):
            return np.rint(values * scale), scale
    return values, 1


def _divided(values: Float64, group: Array, by: Array, start: Float64) -> Float64:
    """Return the sum of each group over a number, rounded once, added to `start`."""
    values, scale = whole_multiples(values)
    largest = float(np.abs(values).max(initial=0.0))
    is_exact = largest * len(values) < _EXACT_LIMIT and len(values) * scale < _EXACT_LIMIT
    if np.isinf(largest) or (is_exact and np.array_equal(np.rint(values), values)):
        # Sums and divisors of whole numbers are exact doubles.
        return start + np.bincount(group, values, len(by)) / (by * float(scale))
    # The exponent above the part taken last; each pass takes the next bits of all numbers.
    place = int(np.frexp(largest)[1])
    sums = np.zeros(len(by), object)
    remainders = np.array(values)
    while remainders.any():
        place -= _PART_BITS
        part = np.trunc(np.ldexp(remainders, -place))
        remainders -= np.ldexp(part, place)
        sums = (sums << _PART_BITS) + np.bincount(group, part, len(by)).astype(np.int64).astype(
            object
        )
    above, below = 1 << max(place, 0), scale << max(-place, 0)
    divided = zip(sums.tolist(), by.tolist(), strict=True)
    quotients = [total * above / (number * below) for total, number in divided]
    return start + np.array(quotients, np.float64)
