"""Measurement: what one metric found for each system, as statistics to be resampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from wordorder.errors import InputError, UsageError
from wordorder.statistics.exact_sum import ExactSum
from wordorder.types import Float64

ScoreFunction = Callable[[Float64], Float64]


@dataclass(frozen=True, init=False, eq=False)
class Measurement:
    """The statistics of all systems under one metric, and the function of their sums.

    Parameters
    ----------
    statistics : sequence of float64[S, k], or float64[n, S, k]
        One matrix a system, one row a segment; the same segments for every system.
    score : callable, float64[..., k] -> float64[...]
        The metric's value for sums of rows.
    higher_is_better : bool
        Whether a larger value is a better one.
    totals : float64[n, k], optional
        The sums over all rows where they are known more exactly than from `statistics`, whose rows
        may be sums of buckets.

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
            given = " and ".join(map(str, shapes)) or "no system"
            raise UsageError(f"expected one matrix [segments, k] a system, got {given}")
        stacked = np.stack(matrices)
        if not np.isfinite(stacked).all():
            system, row, _ = np.argwhere(~np.isfinite(stacked))[0].tolist()
            given = f"the statistics are {stacked[system, row].tolist()}"
            raise InputError(f"system {system}, segment {row}", given, "finite numbers")
        object.__setattr__(self, "statistics", stacked)
        object.__setattr__(self, "score", score)
        object.__setattr__(self, "higher_is_better", higher_is_better)
        object.__setattr__(self, "totals", totals)

    @property
    def systems(self) -> int:
        """Number of systems, n."""
        return int(self.statistics.shape[0])

    @property
    def segments(self) -> int:
        """Number of segments, S."""
        return int(self.statistics.shape[1])

    def values(self) -> Float64:
        """Return the value of each system over all segments, float64[n], from exact sums."""
        if self.totals is not None:
            return self.scores(self.totals)
        totals = np.empty((self.systems, self.statistics.shape[2]))
        for system, matrix in enumerate(self.statistics):
            sums = ExactSum(matrix.shape[1])
            sums.add(matrix)
            totals[system] = sums.totals()
        return self.scores(totals)

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
            at = tuple(np.argwhere(~np.isfinite(scores))[0])
            raise UsageError(f"score gives {scores[at]} for the totals {totals[at].tolist()}")
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
        given = " and ".join(map(str, sizes)) or "no measurement"
        raise UsageError(f"expected measurements of the same segments, got {given}")
    return sizes[0]
