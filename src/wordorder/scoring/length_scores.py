"""Scores by the length of the reference: short and long segments apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric, left_out
from wordorder.scoring.systems import Evaluation
from wordorder.types import Float64, Int64

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
    values : tuple of float64[systems, B], one a metric
        The scores of the corpora that these segments are; NaN where the metric leaves all out.
    """

    ranges: tuple[str, ...]
    segments: Int64
    values: tuple[Float64, ...]


def scores_by_length(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> LengthScores:
    """Score the segments of each range of lengths as a corpus of their own.

    Segments without words in their first reference are left out.

    Parameters
    ----------
    evaluation : Evaluation
        With its statistics and lengths.
    metrics : sequence of BaseMetric
        Those that made it.

    Raises
    ------
    UsageError
        If the lengths were not kept, or are not known.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> from wordorder.scoring import score
    >>> reference, system = sample_path("reference.orders"), sample_path("head-final.orders")
    >>> found = score(reference, system, "frs", lengths=True)
    >>> by_length = scores_by_length(found.evaluation, found.metrics)
    >>> by_length.ranges[:2], by_length.segments.tolist()[:2]
    (('1-9', '10-19'), [22, 32])
    """
    lengths = evaluation.lengths
    if lengths is None:
        raise UsageError("the lengths of the segments are not known")
    places = np.searchsorted(STARTS, lengths, side="right")
    rows = [np.flatnonzero((places == n) & (lengths > 0)) for n in range(len(STARTS) + 1)]
    kept = [n for n, some in enumerate(rows) if len(some)]
    values = tuple(
        np.array(
            [
                [_score(metric, system.statistics[m][rows[n]]) for n in kept]
                for system in evaluation.systems
            ]
        )
        for m, metric in enumerate(metrics)
    )
    return LengthScores(
        tuple(_range(n) for n in kept), np.array([len(rows[n]) for n in kept], np.int64), values
    )


def _score(metric: BaseMetric, statistics: Float64) -> float:
    if left_out(statistics).all():
        return float("nan")
    return float(metric.score(statistics.sum(axis=0)))


def _range(place: int) -> str:
    low = STARTS[place - 1] if place else 1
    return f"{low}+" if place == len(STARTS) else f"{low}-{STARTS[place] - 1}"
