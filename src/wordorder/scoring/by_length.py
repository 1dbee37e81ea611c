"""Scores of segments of similar lengths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.statistics.measurement import Measurement

# Where each range but the first begins, in words.
STARTS = (10, 20, 30, 40, 50, 60)


@dataclass(frozen=True, eq=False)
class LengthScores:
    """The scores of systems on segments of similar lengths.

    Attributes
    ----------
    ranges : tuple of str
        B ranges of lengths that segments have, in words: "1-9", "10-19", …, "60+".
    segments : int64[B]
        How many segments each has.
    values : tuple of float64[systems, B], one per metric
        The scores of the corpora that these segments are; NaN where the metric leaves all out.
    """

    ranges: tuple[str, ...]
    segments: Int64
    values: tuple[Float64, ...]


def scores_by_length(lengths: Int64, measured: Sequence[Measurement]) -> LengthScores:
    """Score the segments of each range of lengths as a corpus of their own.

    Parameters
    ----------
    lengths : int64[S]
        Words of the reference of each segment; segments without any are left out.
    measured : sequence of Measurement
        One per metric, of these segments.

    Examples
    --------
    >>> mean = Measurement([[[0.5, 1.0], [1.0, 1.0], [0.0, 1.0]]],
    ...                    score=lambda totals: totals[..., 0] / totals[..., 1])
    >>> found = scores_by_length(np.array([9, 10, 19]), [mean])
    >>> found.ranges, found.segments.tolist(), found.values[0].tolist()
    (('1-9', '10-19'), [1, 2], [[0.5, 0.5]])
    """
    places = np.searchsorted(STARTS, lengths, side="right")
    rows = [np.flatnonzero((places == n) & (lengths > 0)) for n in range(len(STARTS) + 1)]
    kept = [n for n, some in enumerate(rows) if len(some)]
    values = tuple(
        np.array([[_score(each, s, rows[n]) for n in kept] for s in range(each.systems)])
        for each in measured
    )
    sizes = np.array([len(rows[n]) for n in kept], np.int64)
    return LengthScores(tuple(map(_range, kept)), sizes, values)


def _score(measured: Measurement, system: int, rows: Int64) -> float:
    """Score some segments of a system; NaN if the metric leaves out all of them."""
    statistics = measured.statistics[system, rows]
    if not statistics.any():
        return float("nan")
    return float(measured.score(statistics.sum(axis=0)))


def _range(place: int) -> str:
    low = STARTS[place - 1] if place else 1
    return f"{low}+" if place == len(STARTS) else f"{low}-{STARTS[place] - 1}"
