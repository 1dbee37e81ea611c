"""Standard scores: ratings freed from how high and how widely each rater rates."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.statistics.exact_means import group_sums, whole_multiples
from wordorder.types import Array, Float64


def standard_scores(values: Array, rater: Array) -> Float64:
    """Return how many standard deviations each rating lies above its rater's mean.

    As in WMT's direct assessment (Graham et al. 2013): mean and sample standard deviation of all
    ratings that a rater gave.

    Parameters
    ----------
    values : float64[N]
    rater : int[N]
        Who gave each rating; equal numbers are one rater.

    Returns
    -------
    float64[N]
        NaN for a rater who gave one value only: nothing can be told from it.

    Raises
    ------
    UsageError
        If the arrays differ in length, or a rating is no finite number.

    Examples
    --------
    >>> standard_scores(np.array([60.0, 80.0, 70.0, 9.0]), np.array([0, 0, 0, 1])).tolist()
    [-1.0, 1.0, 0.0, nan]
    """
    values = np.asarray(values, np.float64)
    if values.ndim != 1 or values.shape != np.shape(rater):
        raise UsageError(f"{values.shape} ratings of {np.shape(rater)} raters; expected as many")
    if not np.isfinite(values).all():
        raise UsageError("a rating is infinite or NaN")
    _, codes = np.unique(rater, return_inverse=True)
    number = np.bincount(codes)
    lowest, highest = np.full(len(number), np.inf), np.full(len(number), -np.inf)
    np.minimum.at(lowest, codes, values)
    np.maximum.at(highest, codes, values)
    # As many times the distance from the mean as the rater has ratings: of decimals without
    # rounding, so that equal ratings have equal scores whatever their order and their rater.
    whole, _ = whole_multiples(values)
    apart = number[codes] * whole - group_sums(whole, codes, len(number))[codes]
    variances = group_sums(apart * apart, codes, len(number)) / np.maximum(number - 1, 1)
    deviations = np.where(lowest < highest, np.sqrt(variances), np.nan)
    scores: Float64 = apart / deviations[codes]
    return scores
