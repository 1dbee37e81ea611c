"""Unaligned words: what has no counterpart in the other language."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.errors import choose
from wordorder.metrics.links.link_metric import LinkMetric, segment_of_links, starts
from wordorder.types import Float64, Int64


class Unaligned(LinkMetric):
    """Share of source words that no link reaches.

    High for free, figurative and shortening translations, low for word-for-word ones (Raunak et
    al. 2023, "unaligned source words"). Counted on the target side it is the hallucination rate of
    Chen et al. (2021): words that no source word accounts for.

    Parameters
    ----------
    side : "source" or "target"
        Whose words are counted.
    average : "micro" or "segment"
        All unaligned words over all words, or the mean over segments.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> links = Alignments.from_rows([[(0, 0), (3, 0)]])
    >>> segments = Segments.from_alignments(
    ...     ["by the skin of his teeth"], ["de justesse"], [[]], links
    ... )
    >>> Unaligned().segment_scores(segments).round(4)
    array([0.6667])
    >>> Unaligned(side="target").segment_scores(segments)
    array([0.5])
    """

    name = "unaligned"
    higher_is_better = False

    def __init__(self, *, side: str = "source", average: str = "micro") -> None:
        super().__init__(average=average)
        self.side = choose("unaligned.side", side, ("source", "target"))

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the side that is counted."""
        return (("side", self.side),)

    def ratio(
        self, links: Alignments, source_lengths: Int64, target_lengths: Int64
    ) -> tuple[Float64, Int64]:
        """Return words without a link and all words of each sentence of the side."""
        on_source = self.side == "source"
        lengths = source_lengths if on_source else target_lengths
        first = starts(lengths)
        free = np.ones(first[-1], np.bool_)
        free[first[segment_of_links(links)] + (links.source if on_source else links.target)] = False
        return np.diff(starts(free)[first]).astype(np.float64), lengths
