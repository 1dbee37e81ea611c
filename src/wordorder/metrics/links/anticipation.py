"""The anticipation rate: words that a simultaneous translation says before it can know them."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.metrics.links.link_metric import LinkMetric, segment_of_links, starts
from wordorder.metrics.options import whole
from wordorder.types import Float64, Int64

# No sentence has a word so far ahead.
FARTHEST = 2**31 - 1


class Anticipation(LinkMetric):
    """Share of target words that need a source word at least `k` places ahead of them.

    Target word `j` is k-anticipated if it is linked to at least one source word ``i >= j + k``
    (Chen et al. 2021): a translator who stays `k` words behind the speaker, as a wait-k
    policy does, has not heard it yet. Unlinked target words count as words that are not
    anticipated. 0 for a translation that follows its source.

    Parameters
    ----------
    k : int
        At least 1; how many words the translation is behind.
    average : "micro" or "segment"
        All anticipated words over all target words, or the mean over segments.

    Raises
    ------
    UsageError
        If `k` is no whole number from 1, a value is unknown, or the segments have no links.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> links = Alignments.from_rows([[(0, 0), (1, 1), (3, 2), (2, 3)]])
    >>> segments = Segments.from_alignments(
    ...     ["ich habe ihn gesehen"], ["i have seen him"], [[]], links
    ... )
    >>> Anticipation(k=1).segment_scores(segments), Anticipation(k=2).segment_scores(segments)
    (array([0.25]), array([0.]))
    """

    name = "anticipation"
    higher_is_better = False

    def __init__(self, *, k: int = 1, average: str = "micro") -> None:
        super().__init__(average=average)
        self.k = whole("anticipation.k", k, 1, FARTHEST)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return how far behind the translation is."""
        return (("k", str(self.k)),)

    def ratio(
        self, links: Alignments, source_lengths: Int64, target_lengths: Int64
    ) -> tuple[Float64, Int64]:
        """Return anticipated words and all words of each target sentence."""
        first = starts(target_lengths)
        early = links.source.astype(np.int64) - links.target >= self.k
        places = first[segment_of_links(links)[early]] + links.target[early]
        anticipated = np.zeros(first[-1], np.bool_)
        anticipated[places] = True
        count = np.diff(starts(anticipated)[first])
        return count.astype(np.float64), target_lengths
