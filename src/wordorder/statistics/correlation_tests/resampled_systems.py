"""Scores of systems on resampled segments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.statistics.exact_means import exact_means, whole_multiples
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.resampling import bootstrap_scores, counts, resampled
from wordorder.statistics.rounded_statistics import rounded_statistics
from wordorder.types import Float64

# Statistics and a function of their sums, scores of segments, or one score a system.
Source = Measurement | Float64


def scores_of_systems(source: Source) -> Float64:
    """Return the score of each system, float64[n]; NaN without any."""
    if isinstance(source, Measurement):
        return source.values()
    return source if source.ndim == 1 else exact_means(source)


def resampled_scores(sources: Sequence[Source], resamples: int, seed: int) -> list[Float64]:
    """Score all systems on the same random choices of segments.

    Returns
    -------
    list of float64[B, n]
        One a source. The mean of the segments that have a score, NaN where none has.
    """
    samples: list[Float64] = []
    for source in sources:
        if isinstance(source, Measurement):
            # The same choices for each: they depend on the seed and the number of segments.
            (scores,) = bootstrap_scores([source], resamples=resamples, seed=seed)
            samples.append(scores.T)
        elif source.ndim == 1:
            samples.append(np.broadcast_to(source, (resamples, len(source))))
        else:
            samples.append(_resampled_means(source, resamples, seed))
    return samples


def _resampled_means(table: Float64, resamples: int, seed: int) -> Float64:
    """Return the means of float64[n, S] on resampled segments, float64[B, n]."""
    scored = ~np.isnan(table)
    table, scale = whole_multiples(table)
    rounded = rounded_statistics(np.stack([np.where(scored, table, 0.0), scored], axis=2))
    means = np.empty((resamples, len(table)))
    for first, (sums,) in resampled([rounded], counts, resamples, seed):
        totals = rounded.values(sums)
        with np.errstate(invalid="ignore"):
            means[first : first + len(sums)] = totals[..., 0] / (totals[..., 1] * scale)
    return means
