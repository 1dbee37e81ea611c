"""Means of sentence scores, from sums of scores and of sentences."""

from __future__ import annotations

import numpy as np

from wordorder.types import Float64

# Scores that are nearer than this are equal but for rounding.
NEAR = 1e-9


def mean_scores(totals: Float64) -> Float64:
    """Return sums of scores over their numbers, 0 where there are none.

    Parameters
    ----------
    totals : float64[..., 2]
        The sum of the scores, and how many there are.

    Returns
    -------
    float64[...]

    Examples
    --------
    >>> mean_scores(np.array([[1.5, 2.0], [0.0, 0.0]])).tolist()
    [0.75, 0.0]
    """
    quotient = np.zeros(totals.shape[:-1])
    return np.divide(totals[..., 0], totals[..., 1], out=quotient, where=totals[..., 1] > 0)
