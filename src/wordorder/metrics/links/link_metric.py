"""What the metrics of the links between source and translation share."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.errors import UsageError, choose
from wordorder.metrics.contract import BaseMetric
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Float64, Int64


class LinkMetric(BaseMetric):
    """A ratio of the links between each source sentence and its translation.

    Sure and possible links count alike.

    Parameters
    ----------
    average : "micro" or "segment"
        The corpus score: the sum of numerators over the sum of denominators, or the mean over
        segments. A segment whose denominator is 0 is left out of both.

    Raises
    ------
    UsageError
        If a value is unknown, or the segments have no links.
    """

    columns: tuple[str, ...] = ("links",)

    def __init__(self, *, average: str) -> None:
        self.average = choose(f"{self.name}.average", average, ("micro", "segment"))

    @abstractmethod
    def ratio(
        self, links: Alignments, source_lengths: Int64, target_lengths: Int64
    ) -> tuple[Float64, Int64]:
        """Return numerators, float64[S], and denominators, int64[S], of all segments."""

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return ()

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("average", self.average)))

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 2]: numerator and denominator; for ``average="segment"`` value and 1.

        Zeros for a segment that is left out.
        """
        links = segments.links
        if links.source_lengths is None or links.hypothesis_lengths is None:
            raise UsageError(
                f"{self.name} needs the lengths of the sentences: give source and translation "
                "(--source and a system's text, Segments.from_alignments)"
            )
        numerator, denominator = self.ratio(
            links.hypothesis, links.source_lengths, links.hypothesis_lengths
        )
        kept = denominator > 0
        if self.average == "segment":
            numerator = np.divide(numerator, denominator, out=np.zeros(len(kept)), where=kept)
            return np.stack([numerator, kept.astype(np.float64)], axis=1)
        return np.stack([np.where(kept, numerator, 0.0), denominator.astype(np.float64)], axis=1)

    def score(self, totals: Float64) -> Float64:
        """Return numerators over denominators, 0 where there is nothing to divide by."""
        value = np.zeros(np.shape(totals)[:-1])
        return np.divide(totals[..., 0], totals[..., 1], out=value, where=totals[..., 1] > 0)


def segment_of_links(links: Alignments) -> Int64:
    """Return the segment of each link, int64[L].

    Examples
    --------
    >>> segment_of_links(Alignments.from_rows([[(0, 0), (1, 2)], [], [(0, 1)]]))
    array([0, 0, 2])
    """
    return np.repeat(np.arange(len(links)), np.diff(links.offsets))


def starts(lengths: Int64) -> Int64:
    """Return where each segment's words begin if all are written one behind the other, int64[S+1].

    Examples
    --------
    >>> starts(np.array([2, 0, 3]))
    array([0, 2, 2, 5])
    """
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def sums(values: Float64 | Int64, offsets: Int64) -> Float64:
    """Sum the values of each row, float64[S]; the same for a row whatever is around it.

    Examples
    --------
    >>> sums(np.array([1, 2, 3]), np.array([0, 2, 2, 3]))
    array([3., 0., 3.])
    """
    rows = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    return np.bincount(rows, weights=values, minlength=len(offsets) - 1).astype(np.float64)
