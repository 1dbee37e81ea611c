"""Partial correlation: what a metric knows of people's judgement beyond other metrics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError, choose
from wordorder.statistics.correlation.grouping import Groups, check_finite
from wordorder.statistics.correlation.linear import mean_ranks, pearson
from wordorder.types import Float64

# What is left of scores after others are accounted for, as a share of them, is rounding below this.
ROUNDING = 1e-10


def partial_correlation(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    others: Sequence[npt.ArrayLike],
    statistic: str = "pearson",
) -> float:
    """Return the correlation of two scores once the others are accounted for (Yule 1907).

    The coefficient of what is left of `x` and of `y` after the best linear prediction of each from
    `others`. Near 0, the metric `x` says of people's judgement `y` what the other metrics say
    already.

    Parameters
    ----------
    x, y : float64 of the same shape
        Outputs that lack a score in any of the arrays (NaN) are left out.
    others : sequence of float64 of that shape
    statistic : "pearson" or "spearman"
        Of the scores, or of their ranks.

    Returns
    -------
    float in [-1, 1]
        NaN if it is not defined: nothing is left of `x` or of `y`, as with fewer outputs than
        ``len(others) + 2``.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite or the statistic is unknown.

    Examples
    --------
    With one other it is ``(r_xy - r_xz * r_yz) / sqrt((1 - r_xz**2) * (1 - r_yz**2))``.

    >>> x, y, z = [1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [1, 1, 2, 2, 3]
    >>> round(partial_correlation(x, y, [z]), 9)
    -0.866666667
    """
    choose("statistic", statistic, ("pearson", "spearman"))
    arrays = [np.asarray(each, np.float64) for each in (x, y, *others)]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        raise UsageError(f"the scores are of shapes {' and '.join(map(str, sorted(shapes)))}")
    scores = np.stack([array.ravel() for array in arrays])
    scores = scores[:, ~np.isnan(scores).any(axis=0)]
    check_finite(scores)
    if statistic == "spearman":
        whole = np.array([0, scores.shape[1]], np.int64)
        scores = np.stack([mean_ranks(row, Groups(row, row, whole)) for row in scores])
    left = [_unexplained(row, scores[2:]) for row in scores[:2]]
    return pearson(left[0], left[1])


def _unexplained(scores: Float64, others: Float64) -> Float64:
    """Return what the best linear prediction from `others` leaves; all 0 if only rounding is."""
    if not len(scores):
        return scores
    centred = _standardised(scores)
    predictors = np.stack([np.ones(len(scores)), *(_standardised(row) for row in others)], axis=1)
    weights = np.linalg.lstsq(predictors, centred, rcond=None)[0]
    left: Float64 = centred - predictors @ weights
    if np.abs(left).max() <= ROUNDING:
        return np.zeros_like(left)
    return left


def _standardised(scores: Float64) -> Float64:
    """Move and scale scores to a mean of about 0 and a size of about 1."""
    moved = scores - scores[0]
    moved = moved - moved.mean()
    scaled: Float64 = moved / (np.abs(moved).max() or 1.0)
    return scaled
