"""What a metric is: additive statistics and a function of their sum."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from wordorder.kernels._run import run_pieces
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Bool, Float64


class Metric(Protocol):
    """The contract of all metrics.

    Attributes
    ----------
    name : str
        The name under which it is registered.
    higher_is_better : bool
    """

    @property
    def name(self) -> str:
        """The name under which the metric is registered."""

    @property
    def higher_is_better(self) -> bool:
        """Whether a larger value means a better system."""

    # Optional, `columns`: which columns it reads, of "permutation" (without it, that), "text",
    # "lines", "links" and "trees"; the signature then says how these came about.

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, k], one row a segment.

        A segment that is left out is a row of zeros, and no other is. Called for parts of the
        segments, on several threads at once.
        """

    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics: float64[..., k] to float64[...]."""

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""


@dataclass(frozen=True)
class Score:
    """The value of a metric on a corpus.

    Attributes
    ----------
    value : float
    signature : Signature
    segments : int
        How many segments there were.
    skipped : int
        How many of them the metric left out, because it is not defined on them.

    Examples
    --------
    >>> print(Score(0.5, Signature("frs", version="1"), segments=2))
    0.5000 (frs|v:1, 2 segments)
    """

    value: float
    signature: Signature
    segments: int
    skipped: int = 0

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        skipped = f", {self.skipped} of them skipped" if self.skipped else ""
        noun = "segment" if self.segments == 1 else "segments"
        return f"{self.value:.4f} ({self.signature}, {self.segments} {noun}{skipped})"


def segment_scores(metric: Metric, segments: Segments) -> Float64:
    """Return a metric's score of each segment, float64[S]."""
    pieces = segments.pieces()
    if len(pieces) == 1:
        return scores_of_rows(metric, metric.statistics(segments))
    # Piece by piece to the end: the statistics of all segments would leave the cache.
    return np.concatenate(
        run_pieces(lambda piece: scores_of_rows(metric, metric.statistics(piece)), pieces)
    )


def scores_of_rows(metric: Metric, statistics: Float64) -> Float64:
    """Return the score of each segment from the rows of a metric's statistics, float64[S].

    A metric may score a single segment in another way than a corpus, as sentence BLEU is smoothed:
    then it has a method ``score_segments``.
    """
    own: Callable[[Float64], Float64] = getattr(metric, "score_segments", metric.score)
    return own(statistics)


def statistics_in_pieces(metric: Metric, segments: Segments) -> Float64:
    """Return ``metric.statistics(segments)``, float64[S, k], computed piece by piece on threads."""
    pieces = segments.pieces()
    if len(pieces) == 1:
        return metric.statistics(segments)
    return np.concatenate(run_pieces(metric.statistics, pieces))


def columns_of(metric: Metric) -> tuple[str, ...]:
    """Return the names of the columns that a metric reads."""
    return getattr(metric, "columns", ("permutation",))


def left_out(statistics: Float64) -> Bool:
    """Return which segments a metric left out, bool[S] for float64[S, k]: the rows of zeros."""
    used = np.zeros(len(statistics), np.bool_)
    # Column by column: numpy is ten times slower along rows as short as these.
    for column in statistics.T:
        used |= column != 0
    return ~used


def corpus_score(metric: Metric, segments: Segments) -> Score:
    """Return a metric's score of a whole corpus.

    Notes
    -----
    Statistics are summed exactly, so the order of the segments and the cutting into chunks do
    not matter.
    """
    from wordorder.metrics.accumulator import Accumulator

    accumulator = Accumulator(metric)
    accumulator.update(segments)
    return accumulator.compute()


class BaseMetric(ABC):
    """A base class that adds the scores to a metric's statistics.

    A subclass defines `name`, `statistics`, `score` and `signature`.
    """

    name: str
    higher_is_better: bool = True
    columns: tuple[str, ...] = ("permutation",)

    @abstractmethod
    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, k], one row a segment."""

    @abstractmethod
    def score(self, totals: Float64) -> Float64:
        """Return the value of summed statistics."""

    @abstractmethod
    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""

    def segment_scores(self, segments: Segments) -> Float64:
        """Return the score of each segment, float64[S]; 0 for one that is left out."""
        return segment_scores(self, segments)

    def corpus_score(self, segments: Segments) -> Score:
        """Return the score of a whole corpus."""
        return corpus_score(self, segments)

    def __repr__(self) -> str:
        return f"<metric {self.signature()}>"
