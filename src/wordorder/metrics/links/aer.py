"""The alignment error rate."""

from __future__ import annotations

from wordorder.metrics.links.link_counts import (
    IN_GOLD,
    IN_SURE,
    SURE,
    SYSTEM,
    LinkCountMetric,
    share,
)
from wordorder.types import Float64


class AlignmentErrorRate(LinkCountMetric):
    """Share of links that are wrong or missing: one minus |A ∩ S| + |A ∩ P| over |A| + |S|.

    A are the system's links, S the sure gold links and P all gold links, the sure ones included
    (Och and Ney 2003). Whoever has all sure links and none that is not at least possible makes no
    error. The counts are summed over the corpus.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Notes
    -----
    Nothing to align that is not aligned is no error: 0. Linear in the number of links.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> from wordorder.segments import Segments
    >>> system = Alignments.from_rows([[(0, 0), (1, 1), (2, 2)]])
    >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True), (3, 3)]])
    >>> AlignmentErrorRate().segment_scores(Segments.from_links(system, gold))
    array([0.4])
    """

    name = "aer"
    higher_is_better = False

    def score(self, totals: Float64) -> Float64:
        """Return the rate, float64[...] for totals of shape [..., 5]."""
        right = totals[..., IN_SURE] + totals[..., IN_GOLD]
        return 1.0 - share(right, totals[..., SYSTEM] + totals[..., SURE], 1.0)
