"""Resampling of many parts of a difference together: quotients of sums over segments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from wordorder.analysis.tally import NEAR
from wordorder.analysis.translations.stored import MIN_BYTES_OF_MANY, move_to_file
from wordorder.arrays import Float64, Int32
from wordorder.statistics.distributions import student_tail
from wordorder.statistics.intervals import ResamplingPlan, interval
from wordorder.statistics.measurement import bootstrap_totals
from wordorder.statistics.paired_tests import MANY_SYSTEMS, SWAPS, swapped_p_values

# Columns are resampled in batches of at least this number of values, since each batch is copied
# several times. Each batch draws the segments again, so batches have up to `MAX_BATCH_COLUMNS`
# columns if these have no more than `MAX_BATCH_VALUES` values.
BATCH_VALUES, MAX_BATCH_COLUMNS, MAX_BATCH_VALUES = 1 << 20, 32, 1 << 24

# Smaller p-values of random swaps rest on too few swaps to be corrected for many tests.
MIN_SWAPPED_P_VALUE = 0.001

# Terms of a part: indices of the columns of numerator and denominator, and a factor.
Quotients = tuple[tuple[int, int, float], ...]


class PartTable:
    """Columns of values per segment, and parts that are computed from the sums of columns."""

    def __init__(self, segments: int) -> None:
        self.segments = segments
        # The nonzero values of each column with their segments: most columns have few.
        self.columns: list[tuple[Int32, Float64]] = []
        self.parts: list[Quotients] = []

    def add_column(self, values: Float64) -> int:
        """Add a column, float64[S]; return its index."""
        self.columns.append(_nonzero(values))
        return len(self.columns) - 1

    def add_columns(self, spans: Iterable[Float64]) -> list[int]:
        """Add columns, float64[s, k] for consecutive spans of segments; return their indices."""
        span_columns: list[list[tuple[Int32, Float64]]] = []
        start = 0
        for span in spans:
            span_columns.append([_nonzero(column, start) for column in span.T])
            start += len(span)
        first = len(self.columns)
        for parts in zip(*span_columns, strict=True):
            segments, values = map(np.concatenate, zip(*parts, strict=True))
            self.columns.append(
                (
                    move_to_file(segments, MIN_BYTES_OF_MANY),
                    move_to_file(values, MIN_BYTES_OF_MANY),
                )
            )
        return list(range(first, len(self.columns)))

    def add_part(self, quotients: Quotients) -> int:
        """Add a part; return its index."""
        self.parts.append(quotients)
        return len(self.parts) - 1

    def values(self, totals: Float64) -> Float64:
        """Compute all parts in points from sums of the columns, float64[..., P]."""
        parts = np.zeros((*totals.shape[:-1], len(self.parts)))
        divisors = np.where(totals > 0, totals, 1.0)
        for index, quotients in enumerate(self.parts):
            for over, under, factor in quotients:
                parts[..., index] += 100 * factor * totals[..., over] / divisors[..., under]
        return parts

    def _matrix(self, columns: Sequence[tuple[Int32, Float64]]) -> Float64:
        """Return columns with their zeros, float64[S, k]."""
        matrix = np.zeros((self.segments, len(columns)))
        for index, (segments, values) in enumerate(columns):
            matrix[segments, index] = values
        return matrix

    def resample(self, plan: ResamplingPlan) -> Float64:
        """Return value, low, high and two p-values of all parts, float64[5, P].

        The first p-value counts resamples, as the test of the systems does, and is at least one
        divided by their number. The second is Student's t with the standard error of the resamples,
        which can be corrected for many tests. With fewer than 100 segments, both are those of
        approximate randomization; if the second is too small to be corrected, it is Student's t
        with the standard deviation of random swaps.
        """
        units = self.segments if plan.documents is None else len(plan.documents)
        max_columns = max(MAX_BATCH_VALUES // max(self.segments, 1), 1)
        batch = max(BATCH_VALUES // max(self.segments, 1), min(MAX_BATCH_COLUMNS, max_columns))
        value = self.values(np.array([math.fsum(values) for _, values in self.columns]))
        # The same seed draws the same segments for all batches.
        totals = np.concatenate(
            [
                bootstrap_totals(
                    plan.sums(self._matrix(self.columns[first : first + batch])),
                    resamples=plan.resamples,
                    seed=plan.seed,
                )
                for first in range(0, len(self.columns), batch)
            ],
            axis=1,
        )
        samples = self.values(totals).T
        low, high = interval(samples, plan.level)
        shifted = np.abs(samples - samples.mean(axis=1, keepdims=True))
        extreme = np.count_nonzero(shifted >= np.abs(value)[:, np.newaxis] - NEAR, axis=1)
        p_value = (extreme + 1) / (plan.resamples + 1)
        error = samples.std(axis=1, ddof=1) if plan.resamples > 1 else np.zeros(len(value))
        is_zero = (np.abs(value) < NEAR) | (units < 2)
        tails = [
            1.0 if zero or plan.resamples < 2 else 2 * student_tail(t, plan.resamples - 1)
            for zero, t in zip(is_zero, np.abs(value) / np.maximum(error, NEAR), strict=True)
        ]
        if units < MANY_SYSTEMS:
            # With few segments, the p-values of the bootstrap are too small.
            added = plan.sums(self._contributions(self._matrix(self.columns)))
            p_value = swapped_p_values(added, plan.seed, plan.swaps or SWAPS)
            tails = [
                p if p > MIN_SWAPPED_P_VALUE else min(p, 2 * student_tail(t, units - 1))
                for p, t in zip(p_value.tolist(), _swapped_deviations(added), strict=True)
            ]
        return np.stack([value, low, high, np.where(is_zero, 1.0, p_value), tails])

    def _contributions(self, matrix: Float64) -> Float64:
        """Return what each segment adds to each part, float64[S, P]."""
        totals = matrix.sum(axis=0)
        divisors = np.where(totals > 0, totals, 1.0)
        added = np.zeros((self.segments, len(self.parts)))
        for index, quotients in enumerate(self.parts):
            for over, under, factor in quotients:
                added[:, index] += factor * matrix[:, over] / divisors[under]
        return added


def _nonzero(values: Float64, start: int = 0) -> tuple[Int32, Float64]:
    """Return the segments at which a column is not 0, counted from `start`, and its values."""
    indices = np.flatnonzero(values)
    segments = (start + indices).astype(np.int32)
    return move_to_file(segments, MIN_BYTES_OF_MANY // 16), move_to_file(
        values[indices], MIN_BYTES_OF_MANY // 16
    )


def _swapped_deviations(added: Float64) -> list[float]:
    """Return the distance of each sum over segments from 0, in standard deviations of swaps."""
    deviation = np.sqrt((added * added).sum(axis=0))
    distances: list[float] = (np.abs(added.sum(axis=0)) / np.maximum(deviation, NEAR)).tolist()
    return distances


def paired_p_values(columns: Sequence[Float64], plan: ResamplingPlan) -> Float64:
    """Test whether sums over all segments are 0.

    Parameters
    ----------
    columns : sequence of float64[S]
        What each segment adds to a difference of systems.
    plan : ResamplingPlan

    Returns
    -------
    float64
        A p-value per column: Student's t with the standard error of bootstrap resamples of
        segments, not corrected for the number of columns.

    Examples
    --------
    >>> columns = [np.resize([1.0, 0.0], 40), np.resize([1.0, -1.0], 40)]
    >>> paired_p_values(columns, ResamplingPlan()).round(3)
    array([0., 1.])
    """
    if not columns:
        return np.zeros(0)
    table = PartTable(len(columns[0]))
    ones = table.add_column(np.ones(table.segments))
    for column in columns:
        table.add_part(((table.add_column(column), ones, 1.0),))
    p_values: Float64 = table.resample(plan)[4]
    return p_values
