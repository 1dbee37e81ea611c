"""Soft pairwise accuracy: is a metric as sure as people are of which system is better?"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError
from wordorder.statistics.correlation.grouping import check_finite
from wordorder.statistics.exact_means import whole_multiples
from wordorder.statistics.resampling import resampled, swaps
from wordorder.statistics.rounded_statistics import rounded_statistics
from wordorder.types import Float64


def soft_pairwise_accuracy(
    metric: npt.ArrayLike, human: npt.ArrayLike, seed: int = 12345, *, resamples: int = 1000
) -> float:
    """Return how close the metric's confidence in each pair of systems is to that of people.

    Pairwise accuracy asks only which of two systems is better; here each verdict has a p-value,
    that of a paired permutation test of the segments, one-sided, of people and of the metric. The
    soft accuracy is ``1 - mean(|p_human - p_metric|)`` over the pairs (Thompson et al. 2024).

    Parameters
    ----------
    metric, human : float64[systems, segments]
        Higher is better. NaN where there is no score: each pair of systems is tested on the
        segments on which both have both scores.
    seed : int
        The same one gives the same result, on any platform.
    resamples : int
        Random choices of sign, the same ones for all pairs, metrics and people.

    Returns
    -------
    float in [0, 1]
        1 if the metric is exactly as sure as people; NaN if no two systems share a segment.

    Raises
    ------
    UsageError
        If the shapes do not fit, a score is infinite, or `seed` or `resamples` is out of range.

    Notes
    -----
    A p-value counts the real outcome among the resamples and is never 0.

    Examples
    --------
    >>> people = [[3.0, 4.0, 5.0], [1.0, 2.0, 1.0]]
    >>> soft_pairwise_accuracy(people, people)
    1.0
    """
    chances = pair_chances(metric, human, seed, resamples=resamples)
    return 1.0 - float(np.abs(chances[0] - chances[1]).mean()) if chances.size else float("nan")


def pairwise_confidence_error(
    metric: npt.ArrayLike, human: npt.ArrayLike, seed: int = 12345, *, resamples: int = 1000
) -> float:
    """Return the mean of ``|p_human - p_metric|`` over pairs of systems: 1 - the soft accuracy.

    Takes and raises what `soft_pairwise_accuracy` does.
    """
    return 1.0 - soft_pairwise_accuracy(metric, human, seed, resamples=resamples)


def pair_chances(
    metric: npt.ArrayLike, human: npt.ArrayLike, seed: int = 12345, *, resamples: int = 1000
) -> Float64:
    """Return for each pair of systems the p-values by the metric and by people.

    Returns
    -------
    float64[2, P]
        That chance alone puts the first system of the pair ahead of the second by as much. The
        pairs ``(0, 1), (0, 2), … (1, 2), …`` that share a segment.
    """
    tables = [np.asarray(each, np.float64) for each in (metric, human)]
    if tables[0].shape != tables[1].shape or tables[0].ndim != 2:
        shapes = " and ".join(str(table.shape) for table in tables)
        raise UsageError(f"expected scores [systems, segments] twice, got shapes {shapes}")
    check_finite(*tables)
    # Of decimals without rounding: a sum of gaps that is 0 must be 0.
    gaps = _differences(*(whole_multiples(table)[0] for table in tables))
    if not gaps.size:
        return np.empty((2, 0))
    rounded = rounded_statistics(gaps[np.newaxis])
    totals = rounded.totals[0]
    reached = np.zeros(len(totals))
    for _, (sums,) in resampled([rounded], swaps, resamples, seed):
        # Whatever is swapped counts with the other sign. All sums are whole numbers, and exact.
        reached += (totals - 2 * sums[:, 0] >= totals).sum(axis=0)
    chances: Float64 = (reached + 1) / (resamples + 1)
    return chances.reshape(2, -1)


def _differences(metric: Float64, human: Float64) -> Float64:
    """Subtract the scores of pairs of systems, float64[S, 2 * P]; 0 where one is missing."""
    known = ~(np.isnan(metric) | np.isnan(human))
    first, second = np.triu_indices(len(metric), 1)
    common = known[first] & known[second]
    paired = common.any(axis=1)
    first, second, common = first[paired], second[paired], common[paired]
    gaps = [np.where(common, table[first] - table[second], 0.0) for table in (metric, human)]
    return np.ascontiguousarray(np.concatenate(gaps).T)
