"""What an analysis keeps of a system's segments: matched words and the closest reference."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.monolingual.aligner import MonolingualAligner
from wordorder.alignment.monolingual.matches import Matches
from wordorder.analysis.translations.translated_system import TranslatedSystem
from wordorder.metrics.contract import BaseMetric, left_out
from wordorder.metrics.text.cder import CoverDisjointErrorRate
from wordorder.metrics.text.error_rate import ROUNDING, rates
from wordorder.metrics.text.text_metric import best_reference
from wordorder.segments import Segments
from wordorder.types import Float64, Int64


@dataclass(frozen=True, eq=False)
class MatchedSegments:
    """The segments of one system before they are scored.

    Attributes
    ----------
    segments : Segments
    matches : Matches
    rows : int64[S]
        The reference of the lowest CDER; see `TranslatedSystem`.
    """

    segments: Segments
    matches: Matches
    rows: Int64

    @classmethod
    def of(cls, segments: Segments, aligner: MonolingualAligner) -> MatchedSegments:
        """Match the words of each translation with those of its references."""
        return cls(segments, aligner.align(segments.texts), cheapest_references(segments))

    def scored(
        self, name: str, metrics: tuple[BaseMetric, ...], statistics: tuple[Float64, ...]
    ) -> TranslatedSystem:
        """Return the system with its scores."""
        scores = tuple(
            np.where(left_out(column), np.nan, metric.score_segments(column))
            for metric, column in zip(metrics, statistics, strict=True)
        )
        texts = self.segments.texts
        return TranslatedSystem(
            name, texts, self.rows, self.matches, self.segments, statistics, scores
        )


def cheapest_references(segments: Segments) -> Int64:
    """Return for each segment the reference row of the lowest CDER, the first of them.

    Returns
    -------
    int64[S]
        -1 for a segment without references.

    Examples
    --------
    >>> segments = Segments.from_text(["we met", "so"], [["they left", "we met him"], []])
    >>> cheapest_references(segments).tolist()
    [1, -1]
    """
    if segments.single:
        return np.arange(len(segments))
    distances = CoverDisjointErrorRate().distances(segments)
    lengths = segments.texts.references.lengths.astype(np.float64)
    return best_reference(rates(distances, lengths), segments.reference_offsets, ROUNDING)
