"""Confidence intervals: the variation of a value between samples of segments."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError
from wordorder.statistics.distributions import student_tail
from wordorder.statistics.documents import Documents
from wordorder.statistics.measurement import Measurement, bootstrap_scores

# Values with a smaller relative difference are equal except for rounding.
RESOLUTION = 1e-9
# With at least this number of segments, intervals are nearly as wide as they should be.
FEW_SEGMENTS = 30


@dataclass(frozen=True)
class Estimate:
    """A value over all segments, and the interval around it."""

    value: float
    low: float
    high: float


# For a system whose segments a metric leaves out.
NO_ESTIMATE = Estimate(math.nan, math.nan, math.nan)


@dataclass(frozen=True)
class ResamplingPlan:
    """Options of resampling: number, seed, and the units drawn.

    Attributes
    ----------
    level : float
        The share of the resamples within an interval.
    resamples : int
        Number of resamples.
    seed : int
    documents : Documents, optional
        The documents of the segments, if whole documents are drawn.
    swaps : int, optional
        The number of random swaps in tests of few segments; 10,000 by default.

    Examples
    --------
    >>> f"{ResamplingPlan(seed=7)}"
    '95 % interval by bootstrap resampling of sentences (1000 resamples, seed 7)'
    """

    level: float = 0.95
    resamples: int = 1000
    seed: int = 12345
    documents: Documents | None = None
    swaps: int | None = None

    def rows(self, measured: Measurement, segments: Int64 | None = None) -> Measurement:
        """Return a measurement whose rows are the units drawn: segments or documents.

        Parameters
        ----------
        measured : Measurement
            A measurement of all segments.
        segments : int64, optional
            By default all segments.
        """
        documents = self.documents
        if segments is not None:
            measured = measured.of_segments(segments)
            documents = None if documents is None else documents.of_segments(segments)
        return measured if documents is None else documents.measurement(measured)

    def sums(self, rows: Float64) -> Float64:
        """Sum rows of segments, float64[S, k], by the units drawn."""
        return rows if self.documents is None else self.documents.sums(rows)

    def estimates(
        self, measurements: Sequence[Measurement], segments: Int64 | None = None
    ) -> list[list[Estimate]]:
        """Return the values and intervals of all systems under each metric."""
        measurements = [self.rows(measured, segments) for measured in measurements]
        sampling = {"resamples": self.resamples, "seed": self.seed}
        return confidence_intervals(measurements, confidence=self.level, **sampling)

    def estimates_of(
        self, measurements: Sequence[Measurement], rows: Int64
    ) -> list[tuple[Estimate | None, ...]]:
        """Score a group of segments as a corpus of its own; only these segments are resampled.

        Parameters
        ----------
        measurements : sequence of Measurement
            One per metric.
        rows : int64
            The segments, at least one.

        Returns
        -------
        list of tuples
            For each metric an Estimate per system; None if the metric leaves out all segments.
        """
        system_estimates = []
        for estimates, measured in zip(
            self.estimates(measurements, rows), measurements, strict=True
        ):
            scored = zip(estimates, measured.statistics[:, rows], strict=True)
            system_estimates.append(
                tuple(estimate if statistics.any() else None for estimate, statistics in scored)
            )
        return system_estimates

    def __str__(self) -> str:
        unit = self.unit.replace("segments", "sentences")
        return f"{100 * self.level:g} % interval by bootstrap resampling of {unit} {self.how}"

    @property
    def unit(self) -> str:
        """The units that are drawn."""
        return "segments" if self.documents is None else "documents"

    @property
    def how(self) -> str:
        """The number of resamples and their seed, in parentheses."""
        return f"({self.resamples} resamples, seed {self.seed})"


DEFAULT_PLAN = ResamplingPlan()


def true_level(segments: int, level: float = 0.95) -> float:
    """Return the true coverage of a bootstrap interval for the mean of few segments.

    Resamples of n segments have (n - 1) / n of the sample variance, and the interval ignores that
    this variance is itself an estimate. So for normal values its coverage is the probability that
    Student's t lies within the limits. The interval also never exceeds the smallest and largest
    value.

    Parameters
    ----------
    segments : int
    level : float
        The nominal coverage.

    Examples
    --------
    >>> [round(true_level(n), 2) for n in (1, 2, 5, 10, 30, 1000)]
    [0.0, 0.5, 0.85, 0.9, 0.94, 0.95]
    """
    if segments < 2:
        return 0.0
    limit = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt((segments - 1) / segments)
    return min(1 - 2 * student_tail(limit, segments - 1), 1 - 0.5 ** (segments - 1))


def check_level(level: float, name: str = "level") -> None:
    """Raise `UsageError` if a level, or a confidence, is not between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError(f"the {name} must lie between 0 and 1, got {level}")


def interval(samples: npt.ArrayLike, confidence: float = 0.95) -> tuple[Float64, Float64]:
    """Return the percentile interval of resampled values (Koehn 2004).

    Of B sorted values, ``floor(B * (1 - confidence) / 2)`` are dropped at each end: 25 of 1,000 at
    95 %. The interval ranges from the lowest to the highest remaining value.

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
    check_level(confidence, "confidence")
    values = np.asarray(samples, np.float64)
    if values.ndim == 0 or values.shape[-1] == 0:
        raise UsageError("an interval needs at least one sample")
    values = np.sort(values, axis=-1)
    size = values.shape[-1]
    # As a fraction: in floating point, 1 - 0.9 is slightly less than 0.1.
    dropped = int(size * (1 - Fraction(str(confidence))) / 2)
    return values[..., dropped], values[..., size - 1 - dropped]


def interval_around(
    value: float, samples: Float64, confidence: float = 0.95
) -> tuple[float, float]:
    """Return the percentile interval of the samples that are not NaN; `value` if all are.

    Parameters
    ----------
    value : float
    samples : float64[B]
        NaN for resamples without a value.
    confidence : float
        Between 0 and 1.

    Examples
    --------
    >>> interval_around(2.0, np.array([1.0, np.nan, 3.0])), interval_around(2.0, np.array([np.nan]))
    ((1.0, 3.0), (2.0, 2.0))
    """
    defined = samples[~np.isnan(samples)]
    if not len(defined):
        return value, value
    low, high = interval(defined, confidence)
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
        over all segments. With at most one segment, the interval is the value.

    Raises
    ------
    UsageError
        If the measurements differ in their segments, or an option is out of range.

    Examples
    --------
    >>> constant = Measurement([[[1.0], [1.0]]], score=lambda totals: totals[..., 0])
    >>> confidence_intervals([constant])
    [[Estimate(value=2.0, low=2.0, high=2.0)]]
    """
    scores = bootstrap_scores(measurements, resamples=resamples, seed=seed)
    pairs = zip(measurements, scores, strict=True)
    return [
        estimates_on_resamples(measurement, samples, confidence) for measurement, samples in pairs
    ]


def estimates_on_resamples(
    measurement: Measurement, samples: Float64, confidence: float = 0.95
) -> list[Estimate]:
    """Estimate the value of every system on given resamples.

    Parameters
    ----------
    measurement : Measurement
        A measurement of n systems.
    samples : float64[n, B]
        The values of the systems on the resamples: rows of `bootstrap_scores`.
    confidence : float
        Between 0 and 1.

    Examples
    --------
    >>> constant = Measurement([[[1.0], [1.0]]], score=lambda totals: totals[..., 0])
    >>> estimates_on_resamples(constant, np.full((1, 9), 2.0))
    [Estimate(value=2.0, low=2.0, high=2.0)]
    """
    values = measurement.values()
    low, high = snap_bounds(interval(samples, confidence), values, value_tolerance(values))
    return [Estimate(*map(float, row)) for row in zip(values, low, high, strict=True)]


def value_tolerance(values: Float64) -> Float64:
    """Return the tolerance within which another value counts as equal, float64[...]."""
    return RESOLUTION * np.abs(values)


def snap_bounds(
    bounds: tuple[Float64, Float64], values: Float64, distance: Float64
) -> tuple[Float64, Float64]:
    """Replace bounds within `distance` of the values by the values.

    Resampled sums are rounded differently from exact ones, but an interval without variation should
    be exactly the value.
    """
    low, high = (np.where(np.abs(b - values) <= distance, values, b) for b in bounds)
    return low, high


def wilson_interval(
    part: npt.ArrayLike, whole: npt.ArrayLike, confidence: float = 0.95
) -> tuple[Float64, Float64]:
    """Return the score interval of a share (Wilson 1927).

    Unlike a bootstrap interval, it does not shrink to a point for a share of 0 or 1.

    Parameters
    ----------
    part, whole : int[...]
        ``part`` of ``whole`` cases; without cases, the interval is from 0 to 1.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    low, high : float64[...]

    Raises
    ------
    UsageError
        If `confidence` is not between 0 and 1, or a part is larger than the whole.

    Examples
    --------
    >>> low, high = wilson_interval(7, 10)
    >>> round(float(low), 4), round(float(high), 4)
    (0.3968, 0.8922)
    """
    check_level(confidence, "confidence")
    cases, total = np.asarray(part, np.float64), np.asarray(whole, np.float64)
    if ((cases < 0) | (cases > total)).any():
        raise UsageError("a part lies between 0 and its whole")
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    middle = (cases + z * z / 2) / (total + z * z)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.where(total > 0, cases * (total - cases) / total, 0.0) + z * z / 4)
    half = z * spread / (total + z * z)
    # Rounding must not exclude a share of 0 or 1.
    low = np.where(cases == 0, 0.0, middle - half)
    high = np.where(cases == total, 1.0, middle + half)
    return low, high
