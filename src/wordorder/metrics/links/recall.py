"""Recall of alignments."""

from __future__ import annotations

from wordorder.metrics.links.link_counts import IN_SURE, SURE, LinkCountMetric, share
from wordorder.types import Float64


class AlignmentRecall(LinkCountMetric):
    """Share of the sure gold links that a system finds: |A ∩ S| / |S|.

    (Och and Ney 2003.) The counts are summed over the corpus.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Notes
    -----
    Where no link is sure, none is missing: 1. Linear in the number of links.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> from wordorder.segments import Segments
    >>> system = Alignments.from_rows([[(0, 0), (1, 1), (2, 2), (4, 4)]])
    >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True), (2, 2), (3, 3), (5, 5)]])
    >>> AlignmentRecall().segment_scores(Segments.from_links(system, gold))
    array([0.5])
    """

    name = "recall"

    def score(self, totals: Float64) -> Float64:
        """Return the share, float64[...] for totals of shape [..., 5]."""
        return share(totals[..., IN_SURE], totals[..., SURE], 1.0)
