"""Precision of alignments."""

from __future__ import annotations

from wordorder.metrics.links.link_counts import IN_GOLD, SYSTEM, LinkCountMetric, share
from wordorder.types import Float64


class AlignmentPrecision(LinkCountMetric):
    """Share of a system's links that are gold links, sure or possible: |A ∩ P| / |A|.

    (Och and Ney 2003.) The counts are summed over the corpus.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Notes
    -----
    Who links nothing links nothing wrongly: 1. Linear in the number of links.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> from wordorder.segments import Segments
    >>> system = Alignments.from_rows([[(0, 0), (1, 1), (2, 2), (4, 4)]])
    >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True), (2, 2), (3, 3)]])
    >>> AlignmentPrecision().segment_scores(Segments.from_links(system, gold))
    array([0.75])
    """

    name = "precision"

    def score(self, totals: Float64) -> Float64:
        """Return the share, float64[...] for totals of shape [..., 5]."""
        return share(totals[..., IN_GOLD], totals[..., SYSTEM], 1.0)
