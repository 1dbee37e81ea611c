"""What the metrics that judge alignments against gold alignments count."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import link_overlap as kernel
from wordorder.kernels._run import run_rows
from wordorder.metrics.contract import BaseMetric
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Float64

# Columns of the statistics: links of the system, sure gold links, the system's links among the
# sure ones and among all gold links, and 1 for each segment.
SYSTEM, SURE, IN_SURE, IN_GOLD, SEGMENT = range(5)


class LinkCountMetric(BaseMetric):
    """A ratio of the counts of links that a system and a gold alignment have in common.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.
    """

    columns: tuple[str, ...] = ("gold",)

    def signature(self) -> Signature:
        """Return the name: there are no choices."""
        return Signature(self.name)

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 5]: |A|, |S|, |A ∩ S|, |A ∩ P| and 1; see `link_counts`."""
        return segments.derived("link counts", lambda: link_counts(segments))


def link_counts(segments: Segments) -> Float64:
    """Count the links A of a system, the sure gold links S, and those of A in S and in P.

    P are all gold links, the sure ones included (Och and Ney 2003). Marks of the system's own
    links do not matter.

    Parameters
    ----------
    segments : Segments
        From `Segments.from_links`.

    Returns
    -------
    float64[S, 5]
        |A|, |S|, |A ∩ S|, |A ∩ P| and 1.

    Raises
    ------
    UsageError
        If the segments have no gold alignments.

    Examples
    --------
    >>> from wordorder.alignment.alignments import Alignments
    >>> system = Alignments.from_rows([[(0, 0), (1, 1), (2, 2)]])
    >>> gold = Alignments.from_rows([[(0, 0), (1, 1, True), (3, 3)]])
    >>> link_counts(Segments.from_links(system, gold))
    array([[3., 2., 1., 2., 1.]])
    """
    links = segments.links
    system, gold = links.hypothesis, links.references
    if not len(segments):
        return np.zeros((0, 5))
    if gold is None or not links.gold:
        raise UsageError(
            "gold alignments of the same sentence pairs are missing: "
            "Segments.from_links(system, gold)"
        )
    sure, in_sure, in_gold = (np.zeros(len(system), np.int64) for _ in range(3))
    run_rows(
        kernel.link_overlap,
        # Both sides cost; the table is as large as the longest of both together needs.
        system.offsets + gold.offsets,
        system.source,
        system.target,
        system.offsets,
        gold.source,
        gold.target,
        gold.possible.view(np.uint8),
        gold.offsets,
        sure,
        in_sure,
        in_gold,
        scratch=lambda longest: (np.full(1 << (2 * longest).bit_length(), -1, np.int64),),
    )
    proposed = np.diff(system.offsets)
    columns = (proposed, sure, in_sure, in_gold, np.ones(len(system), np.int64))
    return np.stack(columns, axis=1).astype(np.float64)


def share(part: Float64, whole: Float64, empty: float) -> Float64:
    """Return ``part / whole``, `empty` where there is nothing.

    Examples
    --------
    >>> share(np.array([1.0, 0.0]), np.array([2.0, 0.0]), 1.0)
    array([0.5, 1. ])
    """
    value: Float64 = np.full(np.shape(whole), empty)
    np.divide(part, whole, out=value, where=whole > 0)
    return value
