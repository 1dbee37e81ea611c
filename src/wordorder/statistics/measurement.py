"""One metric's statistics for each system, and their sums over random resamples."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Float64, Int32, Int64
from wordorder.errors import InputError, UsageError
from wordorder.kernels import _run
from wordorder.kernels.resampling import draw_counts, draw_swaps
from wordorder.statistics.exact_sum import ExactSum

ScoreFunction = Callable[[Float64], Float64]


# The mark of two systems that share no item.
NOT_COMPARED = "not compared"
Draw = Callable[[Int64, Float64], None]
# Values in one block of counts: 16 MB. Results do not depend on it.
RESAMPLED_NUMBERS = 1 << 21
# Sums of absolute values are at most 2**51, so that sums of three of them are below 2**53.
SUM_BITS = 51


@dataclass(frozen=True, init=False, eq=False)
class Measurement:
    """The statistics of all systems under one metric, and the function of their sums.

    Parameters
    ----------
    statistics : sequence of float64[S, k], or float64[n, S, k]
        One matrix per system, one row per segment; the same segments for every system.
    score : callable, float64[..., k] -> float64[...]
        The metric's value for sums of rows.
    higher_is_better : bool
        Whether larger values are better.
    totals : float64[n, k], optional
        The sums over all rows, if they are known more exactly than from `statistics`, whose rows
        may be rounded sums of buckets.

    Raises
    ------
    InputError
        If a statistic is not finite; the message names the system and the row.
    UsageError
        If there is no system, or the matrices differ in shape.

    Examples
    --------
    >>> mean = Measurement([[[0.0, 1.0], [1.0, 1.0]], [[1.0, 1.0], [1.0, 1.0]]],
    ...                    score=lambda totals: totals[..., 0] / totals[..., 1])
    >>> mean.values().tolist()
    [0.5, 1.0]
    """

    statistics: Float64
    score: ScoreFunction
    higher_is_better: bool = True
    totals: Float64 | None = None

    def __init__(
        self,
        statistics: Sequence[npt.ArrayLike] | Float64,
        score: ScoreFunction,
        higher_is_better: bool = True,
        totals: Float64 | None = None,
    ) -> None:
        matrices = [np.asarray(matrix, np.float64) for matrix in statistics]
        shapes = sorted({matrix.shape for matrix in matrices})
        if len(shapes) != 1 or len(shapes[0]) != 2:
            problem = " and ".join(map(str, shapes)) or "no system"
            raise UsageError(f"expected one matrix [segments, k] a system, got {problem}")
        stacked = np.stack(matrices)
        if not np.isfinite(stacked).all():
            system, row, _ = np.argwhere(~np.isfinite(stacked))[0].tolist()
            problem = f"the statistics are {stacked[system, row].tolist()}"
            raise InputError(f"system {system}, segment {row}", problem, "finite numbers")
        fields = {"statistics": stacked, "score": score, "totals": totals}
        vars(self).update(fields, higher_is_better=higher_is_better)

    @property
    def systems(self) -> int:
        """Number of systems, n."""
        return int(self.statistics.shape[0])

    @property
    def segments(self) -> int:
        """Number of segments, S."""
        return int(self.statistics.shape[1])

    def of_systems(self, systems: Sequence[int]) -> Measurement:
        """Return the measurement of some systems."""
        return Measurement(self.statistics[list(systems)], self.score, self.higher_is_better)

    def of_segments(self, rows: Int64) -> Measurement:
        """Return the measurement of some segments."""
        return Measurement(self.statistics[:, rows], self.score, self.higher_is_better)

    def values(self) -> Float64:
        """Return the value of each system over all segments, float64[n], from exact sums."""
        return self.scores(self.exact_totals())

    def exact_totals(self) -> Float64:
        """Return the exact sums of each system over all segments, float64[n, k]."""
        if self.totals is not None:
            return self.totals
        totals = np.empty((self.systems, self.statistics.shape[2]))
        for system, matrix in enumerate(self.statistics):
            sums = ExactSum(matrix.shape[1])
            sums.add(matrix)
            totals[system] = sums.totals()
        return totals

    def scores(self, totals: Float64) -> Float64:
        """Return the metric's value for each row of sums, float64[..., k] -> float64[...].

        Raises
        ------
        UsageError
            If `score` returns another shape, or a value that is not finite.
        """
        scores = np.asarray(self.score(totals), np.float64)
        if scores.shape != totals.shape[:-1]:
            raise UsageError(f"score made {scores.shape} of totals {totals.shape}")
        if not np.isfinite(scores).all():
            position = tuple(np.argwhere(~np.isfinite(scores))[0])
            raise UsageError(
                f"score gives {scores[position]} for the totals {totals[position].tolist()}"
            )
        return scores


def common_segments(measurements: Sequence[Measurement]) -> int:
    """Return the number of segments that all measurements have.

    Raises
    ------
    UsageError
        If there is no measurement, or they differ in their segments.
    """
    sizes = sorted({measurement.segments for measurement in measurements})
    if len(sizes) != 1:
        description = " and ".join(map(str, sizes)) or "no measurement"
        raise UsageError(f"expected measurements of the same segments, got {description}")
    return sizes[0]


def bootstrap_totals(
    statistics: npt.ArrayLike, *, resamples: int = 1000, seed: int = 12345
) -> Float64:
    """Sum the rows of `statistics` over bootstrap resamples.

    Each resample draws S of the S segments with replacement (Efron 1979; for translation Koehn
    2004): ``totals[b] = sum over i of counts[b, i] * statistics[i]``.

    Parameters
    ----------
    statistics : float64[S, k]
    resamples : int
        The number of resamples, B.
    seed : int
        Resample ``b`` depends only on `seed`, ``b`` and S, so all matrices of S rows are resampled
        in the same way.

    Returns
    -------
    float64[B, k]

    Raises
    ------
    InputError
        If a value is not finite.
    UsageError
        If the shape, `resamples` or `seed` is wrong.

    Notes
    -----
    The result is the same on every platform and for any number of threads: see
    `rounded_statistics`, which also bounds the rounding. Besides the result and a copy of the
    statistics, memory is 16 MB or one row of counts, whichever is larger.

    Examples
    --------
    >>> bootstrap_totals([[1.0], [1.0], [1.0]], resamples=2).tolist()
    [[3.0], [3.0]]
    """
    matrix = np.asarray(statistics, np.float64)
    if matrix.ndim != 2:
        raise UsageError(f"expected a matrix [segments, k], got shape {matrix.shape}")
    if not np.isfinite(matrix).all():
        row = int(np.flatnonzero(~np.isfinite(matrix).all(axis=1))[0])
        raise InputError(f"segment {row}", f"{matrix[row].tolist()}", "finite numbers")
    rounded = rounded_statistics(matrix[np.newaxis])
    totals = np.empty((check_resamples(resamples), matrix.shape[1]))
    # Large matrices are often made for this call.
    del statistics, matrix
    for first, (sums,) in resampled_sums(
        [rounded], draw_bootstrap_counts, resample_keys(resamples, seed)
    ):
        totals[first : first + len(sums)] = rounded.values(sums[:, 0])
    return totals


def bootstrap_scores(
    measurements: Sequence[Measurement], *, resamples: int = 1000, seed: int = 12345
) -> list[Float64]:
    """Score every system under every metric on the same resamples of segments.

    Returns
    -------
    list of float64[n, B]
        One array per measurement: the values of its n systems on the B resamples.

    Raises
    ------
    UsageError
        If the measurements differ in their segments, or `resamples` or `seed` is wrong.
    """
    common_segments(measurements)
    rounded = [rounded_statistics(measurement.statistics) for measurement in measurements]
    scores = [np.empty((m.systems, check_resamples(resamples))) for m in measurements]
    for first, sums in resampled_sums(
        rounded, draw_bootstrap_counts, resample_keys(resamples, seed)
    ):
        for measurement, units, block, out in zip(measurements, rounded, sums, scores, strict=True):
            values = measurement.scores(units.values(block))
            out[:, first : first + len(block)] = values.T
    return scores


def resampled_sums(
    rounded: Sequence[RoundedStatistics], draw: Draw, keys: Int64
) -> Iterator[tuple[int, list[Float64]]]:
    """Yield the index of the first resample of each block, and the sums of its resamples.

    The sums are float64[b, n, k], in units. For the keys of ``b`` resamples (see `resample_keys`),
    `draw` writes how often each resample contains each segment, float64[b, S].
    """
    resamples = len(keys)
    shapes = [statistics.units.shape[1:] for statistics in rounded]
    segments = len(rounded[0].units)
    flat = [
        statistics.units.reshape(segments, prod(statistics.units.shape[1:]))
        for statistics in rounded
    ]
    # One product for all statistics: with few columns, reading the counts takes most of the time.
    stacked = flat[0] if len(flat) == 1 else np.concatenate(flat, axis=1)
    ends = np.cumsum([part.shape[1] for part in flat])
    rows = max(1, RESAMPLED_NUMBERS // max(segments, stacked.shape[1], 1))
    buffer = np.empty((min(rows, resamples), segments))
    for first in range(0, resamples, rows):
        counts_of_block = buffer[: resamples - first]
        draw(keys[first : first + rows], counts_of_block)
        parts = zip(np.split(counts_of_block @ stacked, ends[:-1], axis=1), shapes, strict=True)
        yield first, [part.reshape(len(counts_of_block), *shape) for part, shape in parts]


def resample_keys(resamples: int, seed: int) -> Int64:
    """Return a random key for each resample, int64[B].

    Raises
    ------
    UsageError
        If `resamples` is below 1 or `seed` is negative.
    """
    if seed < 0:
        raise UsageError(f"the seed must not be negative, got {seed}")
    # The raw stream, because numpy keeps it stable, unlike the distributions drawn from it.
    generator = np.random.Generator(np.random.PCG64(seed))
    raw = generator.bit_generator.random_raw(check_resamples(resamples))
    return np.asarray(raw, np.uint64).view(np.int64)


def check_resamples(resamples: int) -> int:
    """Return `resamples` if it is at least 1.

    Raises
    ------
    UsageError
        Otherwise.
    """
    if resamples < 1:
        raise UsageError(f"at least 1 resample is needed, got {resamples}")
    return resamples


def draw_bootstrap_counts(keys: Int64, counts: Float64) -> None:
    """Write the count of each segment in the bootstrap resample of each key, float64[b, S]."""
    rows, segments = counts.shape
    offsets = np.arange(rows + 1, dtype=np.int64) * segments
    _run.run_rows(draw_counts, offsets, keys, segments, counts.ravel())


def draw_random_swaps(keys: Int64, swapped: Float64) -> None:
    """Write for each key whether each segment is swapped, at random: float64[b, S] of 0 and 1."""
    rows, segments = swapped.shape
    offsets = np.arange(rows + 1, dtype=np.int64) * segments
    _run.run_rows(draw_swaps, offsets, keys, segments, swapped.ravel().view(np.int64))


def list_all_swaps(keys: Int64, swapped: Float64) -> None:
    """Write for each key whether each segment is swapped: its bits, float64[b, S] of 0 and 1."""
    swapped[:] = keys[:, np.newaxis] >> np.arange(swapped.shape[1]) & 1


@dataclass(frozen=True, eq=False)
class RoundedStatistics:
    """Statistics rounded to multiples of ``2**-exponents``, in these units.

    Attributes
    ----------
    units : float64[S, n, k]
        Integers; ``units * 2**-exponents`` are the rounded statistics.
    exponents : int32[k]
        One per column; all systems share it.
    """

    units: Float64
    exponents: Int32

    def values(self, units: Float64) -> Float64:
        """Convert sums of units, float64[..., k], to sums of statistics."""
        return np.ldexp(units, -self.exponents)

    @property
    def totals(self) -> Float64:
        """The exact sums over all segments, float64[n, k], in units."""
        return np.asarray(self.units.sum(axis=0))


def rounded_statistics(statistics: Float64) -> RoundedStatistics:
    """Round statistics to multiples of a power of two.

    Matrix products add in an order that depends on the library, the processor and the number of
    threads, so that rounding would change the last digits. Integers whose sums are below 2**53 are
    added without rounding, so the result is the same everywhere, and equal systems stay exactly
    equal.

    Parameters
    ----------
    statistics : float64[n, S, k]
        Finite values.

    Notes
    -----
    With ``max`` the largest absolute value of a column, the unit is the power of two
    ``2**(p + q - 51)`` for the smallest ``2**p > max`` and ``2**q >= S``; so `S` values of the
    ``2**(p + q - 51)`` for the smallest ``2**p > max`` and ``2**q >= S``; so any `S` values of the
    column sum to at most ``2**51`` units. A value changes by at most half a unit, a sum over S
    values by at most ``S * S * max * 2**-50``: relative to the largest possible sum, 2e-11 for
    20,000 segments. Columns of integers whose sums are below 2**49 do not change.

    Examples
    --------
    >>> grid = rounded_statistics(np.array([[[0.5], [0.25]]]))
    >>> grid.values(grid.totals).tolist()
    [[0.75]]
    """
    segments = statistics.shape[1]
    # Copied, so that one product serves all systems: the values of a segment are adjacent.
    units = statistics.transpose(1, 0, 2).copy()
    largest = np.maximum(units.max((0, 1), initial=0.0), -units.min((0, 1), initial=0.0))
    exponents = SUM_BITS - np.frexp(largest)[1] - max(segments - 1, 0).bit_length()
    np.rint(np.ldexp(units, exponents, out=units), out=units)
    return RoundedStatistics(units, exponents)
