"""Non-monotonicity: how far the links of a translation stray from the diagonal."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.metrics.links.link_metric import LinkMetric, segment_of_links, starts
from wordorder.types import Float64, Int64


class NonMonotonicity(LinkMetric):
    """Mean distance of the links from the diagonal.

    ``mean of |i / S - j / T|`` over the links of source word `i` of `S` and target word `j` of
    `T`, both counted from 1 (Schioppa et al. 2021; Raunak et al. 2023). 0
    for a translation of the same length that follows its source word by word.

    Parameters
    ----------
    average : "segment" or "micro"
        The mean over segments, or over the links of all segments. A segment without links is left
        out and counted.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1), (3, 3)]])
    >>> segments = Segments.from_alignments(["a b c d"], ["w x y z"], [[]], links)
    >>> NonMonotonicity().segment_scores(segments)
    array([0.125])
    """

    name = "non-monotonicity"
    higher_is_better = False

    def __init__(self, *, average: str = "segment") -> None:
        super().__init__(average=average)

    def ratio(
        self, links: Alignments, source_lengths: Int64, target_lengths: Int64
    ) -> tuple[Float64, Int64]:
        """Return the summed distances and the number of links of each segment."""
        segment = segment_of_links(links)
        # Over the common denominator S * T the distances are whole numbers, and their sums exact.
        distance = np.abs(
            (links.source + np.int64(1)) * target_lengths[segment]
            - (links.target + np.int64(1)) * source_lengths[segment]
        )
        total = np.diff(starts(distance)[links.offsets])
        count = np.diff(links.offsets)
        area = np.maximum(source_lengths * target_lengths, 1)
        return total / area, count
