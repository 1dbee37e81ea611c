"""Means and sums that do not depend on the order of their terms."""

from __future__ import annotations

import math

import numpy as np

from wordorder.arrays import Array, Float64

# Ratings with up to 12 decimals, and means of up to 10 ratings with up to 4 decimals, are integers
# divided by one of these scales.
_SCALES = (*(10**digits for digits in range(13)), *(2520 * 10**digits for digits in range(5)))
# A scale is first checked on this number of values, which rules out most wrong scales quickly.
_FIRST_CHECKED = 64
_EXACT_LIMIT = 2.0**51
# The bits of a part of a number; 2**29 such parts can be added as doubles without rounding.
_PART_BITS = 24


def exact_means(scores: Float64) -> Float64:
    """Return the mean over the last axis, ignoring NaN; NaN if all values are.

    The exact mean is rounded once, so equal means are equal numbers and do not depend on the order
    of scores. Decimals are added as decimals, so that .1 is exactly one tenth: see
    `whole_multiples`.

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
    row_count = math.prod(shape)
    rows = np.broadcast_to(np.arange(row_count).reshape(*shape, 1), scores.shape)
    return group_means(scores[present], rows[present], row_count).reshape(shape)


def group_means(values: Float64, group: Array, groups: int) -> Float64:
    """Return the exact mean of each group; NaN for an empty group.

    Parameters
    ----------
    values : float64[N]
        Finite.
    group : int[N]
        The group of each value, from 0.
    groups : int
        The number of groups.

    Returns
    -------
    float64[groups]
    """
    counts = np.bincount(group, minlength=groups)
    return _divided_sums(values, group, np.maximum(counts, 1), np.where(counts > 0, 0.0, np.nan))


def group_sums(values: Float64, group: Array, groups: int) -> Float64:
    """Return the sum of each group, float64[groups], rounded once; 0 for an empty group.

    Parameters: see `group_means`.
    """
    return _divided_sums(values, group, np.ones(groups, np.int64), np.zeros(groups))


def whole_multiples(values: Float64) -> tuple[Float64, int]:
    """Return integers and a scale such that ``integers / scale`` equals `values`, if possible.

    Most decimals are not doubles: even the exact sum of three doubles .1 exceeds the double .3. But
    decimals with few digits, and means of a few of them, are multiples of one small fraction, and
    integers add up without rounding.

    Parameters
    ----------
    values : float64[...]
        NaN stays.

    Returns
    -------
    float64[...], int
        ``values == integers / scale``; the values themselves and 1 if there is no such scale.

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
            np.array_equal(np.rint(checked * scale) / scale, checked)
            for checked in (finite[:_FIRST_CHECKED], finite)
        ):
            return np.rint(values * scale), scale
    return values, 1


def _divided_sums(values: Float64, group: Array, divisors: Array, start: Float64) -> Float64:
    """Return `start` plus each group's sum over its divisor; the quotient is rounded once."""
    values, scale = whole_multiples(values)
    largest = float(np.abs(values).max(initial=0.0))
    is_exact = largest * len(values) < _EXACT_LIMIT and len(values) * scale < _EXACT_LIMIT
    if np.isinf(largest) or (is_exact and np.array_equal(np.rint(values), values)):
        # Sums of integers and their divisors are exact doubles.
        return start + np.bincount(group, values, len(divisors)) / (divisors * float(scale))
    # The exponent of the lowest bit taken so far; each pass takes the next bits of all numbers.
    exponent = int(np.frexp(largest)[1])
    sums = np.zeros(len(divisors), object)
    remainders = np.array(values)
    while remainders.any():
        exponent -= _PART_BITS
        part = np.trunc(np.ldexp(remainders, -exponent))
        remainders -= np.ldexp(part, exponent)
        sums = (sums << _PART_BITS) + np.bincount(group, part, len(divisors)).astype(
            np.int64
        ).astype(object)
    numerator_factor, denominator_factor = 1 << max(exponent, 0), scale << max(-exponent, 0)
    sums_and_divisors = zip(sums.tolist(), divisors.tolist(), strict=True)
    quotients = [
        total * numerator_factor / (number * denominator_factor)
        for total, number in sums_and_divisors
    ]
    return start + np.array(quotients, np.float64)
