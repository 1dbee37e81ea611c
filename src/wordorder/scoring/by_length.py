"""Scores by the length of segments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.statistics.measurement import Measurement

# The first length of each range except the first one, in words.
RANGE_STARTS = (10, 20, 30, 40, 50, 60)


@dataclass(frozen=True, eq=False)
class LengthScores:
    """The scores of systems on segments of similar lengths.

    Attributes
    ----------
    ranges : tuple of str
        B ranges of lengths in words, without empty ones: "1-9", "10-19", …, "60+".
    segments : int64[B]
        Number of segments in each range.
    values : tuple of float64[systems, B], one per metric
        The corpus score of the segments in each range; NaN if the metric leaves all of them out.
    """

    ranges: tuple[str, ...]
    segments: Int64
    values: tuple[Float64, ...]


def scores_by_length(lengths: Int64, measured: Sequence[Measurement]) -> LengthScores:
    """Score the segments of each range of lengths as a corpus.

    Parameters
    ----------
    lengths : int64[S]
        Number of words in the reference of each segment; segments with 0 words are left out.
    measured : sequence of Measurement
        One measurement of the segments per metric.

    Examples
    --------
    >>> mean = Measurement([[[0.5, 1.0], [1.0, 1.0], [0.0, 1.0]]],
    ...                    score=lambda totals: totals[..., 0] / totals[..., 1])
    >>> found = scores_by_length(np.array([9, 10, 19]), [mean])
    >>> found.ranges, found.segments.tolist(), found.values[0].tolist()
    (('1-9', '10-19'), [1, 2], [[0.5, 0.5]])
    """
    range_of = np.searchsorted(RANGE_STARTS, lengths, side="right")
    rows = [np.flatnonzero((range_of == n) & (lengths > 0)) for n in range(len(RANGE_STARTS) + 1)]
    filled = [n for n, rows_of_range in enumerate(rows) if len(rows_of_range)]
    values = tuple(
        np.array([[_score(part, s, rows[n]) for n in filled] for s in range(part.systems)])
        for part in measured
    )
    sizes = np.array([len(rows[n]) for n in filled], np.int64)
    return LengthScores(tuple(map(_format_range, filled)), sizes, values)


def _score(measured: Measurement, system: int, rows: Int64) -> float:
    """Return the score of some segments of a system, NaN if the metric leaves all of them out."""
    statistics = measured.statistics[system, rows]
    if not statistics.any():
        return float("nan")
    return float(measured.score(statistics.sum(axis=0)))


def _format_range(index: int) -> str:
    low = RANGE_STARTS[index - 1] if index else 1
    return f"{low}+" if index == len(RANGE_STARTS) else f"{low}-{RANGE_STARTS[index] - 1}"
