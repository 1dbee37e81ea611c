"""Synchrony: does the translation keep the order of its source."""

from __future__ import annotations

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.errors import choose
from wordorder.kernels import inversions as kernel
from wordorder.kernels._run import run_rows
from wordorder.metrics.links.link_metric import LinkMetric, segment_of_links, starts, sums
from wordorder.signature import Signature
from wordorder.types import Float64, Int32, Int64


class Synchrony(LinkMetric):
    """Rank correlation of the linked positions of source and translation, on the scale 0 to 1.

    Each link is a pair of positions; the value is ``(r + 1) / 2`` for their rank correlation `r`:
    1 for a translation in the order of its source, 0 for an inverted one, .5 for no relation
    (Makinae et al. 2024 take Spearman's rho). Words with several links tie.

    Parameters
    ----------
    correlation : "spearman" or "kendall"
        Spearman's rho, tied positions sharing their mean rank, or Kendall's tau-b.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.

    Notes
    -----
    A segment without links is left out and counted. One whose links have all one source word, or
    all one target word, has no order that could be wrong and scores 1. The corpus score is the
    mean over segments.

    Examples
    --------
    >>> from wordorder.segments import Segments
    >>> links = Alignments.from_rows([[(0, 0), (1, 2), (2, 1), (3, 3)]])
    >>> segments = Segments.from_alignments(["a b c d"], ["w x y z"], [[]], links)
    >>> Synchrony().segment_scores(segments)
    array([0.9])
    >>> Synchrony(correlation="kendall").segment_scores(segments).round(4)
    array([0.8333])
    """

    name = "synchrony"

    def __init__(self, *, correlation: str = "spearman") -> None:
        # A correlation is no ratio that could be pooled.
        super().__init__(average="segment")
        self.correlation = choose("synchrony.correlation", correlation, ("spearman", "kendall"))

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(self.name, (("correlation", self.correlation),))

    def ratio(
        self, links: Alignments, source_lengths: Int64, target_lengths: Int64
    ) -> tuple[Float64, Int64]:
        """Return the value of each segment, and 1 for each that has links."""
        correlate = _spearman if self.correlation == "spearman" else _kendall
        together, alone = correlate(links, source_lengths, target_lengths)
        value = np.divide(together, alone, out=np.ones(len(links)), where=alone > 0)
        linked = (np.diff(links.offsets) > 0).astype(np.int64)
        # Roundings of the root must not leave the scale.
        return (np.clip(value, -1.0, 1.0) + 1.0) / 2.0, linked


def _spearman(
    links: Alignments, source_lengths: Int64, target_lengths: Int64
) -> tuple[Float64, Float64]:
    """Return the covariance of the ranks of each segment and the product of their deviations."""
    source = _centred_ranks(links, links.source, source_lengths)
    target = _centred_ranks(links, links.target, target_lengths)
    squares = [sums(ranks * ranks, links.offsets) for ranks in (source, target)]
    return sums(source * target, links.offsets), np.sqrt(squares[0] * squares[1])


def _centred_ranks(links: Alignments, positions: Int32, lengths: Int64) -> Float64:
    """Return twice the distance of each link's rank from the mean rank, float64[L].

    Doubled, since links of one word share a mean rank that may be a half.
    """
    segment = segment_of_links(links)
    words = starts(lengths)
    place = words[segment] + positions
    count = np.bincount(place, minlength=int(words[-1]))
    before = starts(count)
    # Whole numbers, as floats because their products of long rows need more than 64 bits.
    middle = 2.0 * (before[place] - links.offsets[segment]) + count[place]
    return np.asarray(middle - np.diff(links.offsets)[segment], np.float64)


def _kendall(
    links: Alignments, source_lengths: Int64, target_lengths: Int64
) -> tuple[Float64, Float64]:
    """Return concordant less discordant pairs of each segment, and the mean of comparable ones."""
    segment = segment_of_links(links)
    # Within a source word the targets ascend, so that its links are no inversions.
    order = np.lexsort((links.target, links.source, segment))
    discordant = np.empty(len(links), np.int64)
    run_rows(
        kernel.inversions,
        links.offsets,
        np.ascontiguousarray(links.target[order]),
        links.offsets,
        discordant,
        scratch=lambda longest: (np.empty(longest, np.int32), np.empty(longest, np.int32)),
    )
    pairs = _pairs(np.diff(links.offsets))
    tied = []
    for positions, lengths in ((links.source, source_lengths), (links.target, target_lengths)):
        words = starts(lengths)
        count = np.bincount(words[segment] + positions, minlength=int(words[-1]))
        tied.append(sums(_pairs(count), words))
    # No link is listed twice, so a pair is tied on one side at most.
    difference = pairs - tied[0] - tied[1] - 2 * discordant
    return difference, np.sqrt((pairs - tied[0]) * (pairs - tied[1]))


def _pairs(count: Int64) -> Float64:
    return np.asarray(count * (count - 1.0) / 2.0, np.float64)
