"""Confidence intervals: how much a value would move on other segments of the same kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from wordorder.errors import UsageError
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.resampling import bootstrap_scores
from wordorder.types import Float64

# Values that differ by less, relative to themselves, differ by rounding.
RESOLUTION = 1e-9


@dataclass(frozen=True)
class Estimate:
    """A value over all segments, and the interval around it."""

    value: float
    low: float
    high: float


def interval(samples: npt.ArrayLike, confidence: float = 0.95) -> tuple[Float64, Float64]:
    """Return the percentile interval of resampled values (Koehn 2004).

    Of B sorted values ``floor(B * (1 - confidence) / 2)`` are dropped at each end: 25 of 1,000 at
    95 %. The lowest and the highest of the others bound the interval.

    Parameters
    ----------
    samples : float64[..., B]
    confidence : float
        Between 0 and 1.

    Returns
    -------
    low, high : float64[...]

    Raises
    ------
    UsageError
        If there are no samples, or `confidence` is not between 0 and 1.

    Examples
    --------
    >>> low, high = interval(np.arange(1000.0), confidence=0.95)
    >>> float(low), float(high)
    (25.0, 974.0)
    """
    if not 0 < confidence < 1:
        raise UsageError(f"the confidence must lie between 0 and 1, got {confidence}")
    values = np.asarray(samples, np.float64)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise UsageError("an interval needs at least one sample")
    values = np.sort(values, axis=-1)
    size = values.shape[-1]
    # As a fraction: in floating point 1 - 0.9 is a little less than 0.1.
    dropped = int(size * (1 - Fraction(str(confidence))) / 2)
    return values[..., dropped], values[..., size - 1 - dropped]


def interval_around(
    value: float, samples: Float64, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the percentile interval of the samples that are numbers; `value` itself without any.

    Parameters
    ----------
    value : float
    samples : float64[B]
        NaN where a resample says nothing.
    confidence : float
        Between 0 and 1.

    Examples
    --------
    >>> interval_around(2.0, np.array([1.0, np.nan, 3.0])), interval_around(2.0, np.array([np.nan]))
    ((1.0, 3.0), (2.0, 2.0))
    """
    known = samples[~np.isnan(samples)]
    if not len(known):
        return value, value
    low, high = interval(known, confidence)
    return float(low), float(high)


def confidence_intervals(
    measurements: Sequence[Measurement],
    *,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 12345,
) -> list[list[Estimate]]:
    """Estimate the value of every system under every metric, all on the same resamples.

    Returns
    -------
    list of lists of Estimate
        ``result[m][n]`` is system ``n`` under measurement ``m``. The value comes from exact sums
        over all segments. With one segment, or none, the interval is the value.

    Raises
    ------
    UsageError
        If the measurements differ in their segments, or an option is out of range.

    Examples
    --------
    >>> sure = Measurement([[[1.0], [1.0]]], score=lambda totals: totals[..., 0])
    >>> confidence_intervals([sure])
    [[Estimate(value=2.0, low=2.0, high=2.0)]]
    """
    scores = bootstrap_scores(measurements, resamples=resamples, seed=seed)
    return [
        estimated_on(measurement, samples, confidence)
        for measurement, samples in zip(measurements, scores, strict=True)
    ]


def estimated_on(
    measurement: Measurement, samples: Float64, confidence: float = 0.95
) -> list[Estimate]:
    """Estimate the value of every system on resamples that have been drawn.

    Parameters
    ----------
    measurement : Measurement
        Of n systems.
    samples : float64[n, B]
        The values of the systems on the resamples: rows of `bootstrap_scores`.
    confidence : float
        Between 0 and 1.

    Examples
    --------
    >>> sure = Measurement([[[1.0], [1.0]]], score=lambda totals: totals[..., 0])
    >>> estimated_on(sure, np.full((1, 9), 2.0))
    [Estimate(value=2.0, low=2.0, high=2.0)]
    """
    values = measurement.values()
    low, high = snapped(interval(samples, confidence), values, margin(values))
    return [Estimate(*map(float, row)) for row in zip(values, low, high, strict=True)]


def margin(values: Float64) -> Float64:
    """Return below which distance another value is the same, float64[...] for float64[...]."""
    return RESOLUTION * np.abs(values)


def snapped(
    bounds: tuple[Float64, Float64], values: Float64, distance: Float64
) -> tuple[Float64, Float64]:
    """Return the bounds, with `values` itself where a bound lies within `distance` of it.

    Resampled sums are rounded a little differently from exact ones; an interval that is one value
    should be that value.
    """
    low, high = (np.where(np.abs(b - values) <= distance, values, b) for b in bounds)
    return low, high
