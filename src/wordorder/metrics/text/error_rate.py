"""What error rates share: a distance, over the length of the best reference."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from wordorder.errors import choose
from wordorder.metrics.text.text_metric import TextMetric, best_reference
from wordorder.segments import Segments
from wordorder.signature import Signature
from wordorder.types import Float64

# Sums of fractions of words are rounded once, and once more where they are divided by a length.
ROUNDING = 8 * np.finfo(np.float64).eps


class ErrorRate(TextMetric):
    """A distance between hypothesis and reference, divided by the length of the reference.

    The rate of a segment is that of the reference with the smallest rate, the first of them on
    ties. The rate of a corpus is the sum of these distances over the sum of these lengths.

    Parameters
    ----------
    ref_len : "best" or "average"
        Divide by the length of the best reference, or by the mean length of all references of the
        segment; then the best reference is the one with the smallest distance.

    Raises
    ------
    UsageError
        If the value is unknown.

    Notes
    -----
    Where there are no reference words at all, the rate is 0 if the distance is 0, else 1. A
    segment without references is left out and counted.
    """

    higher_is_better = False

    def __init__(self, *, ref_len: str = "best") -> None:
        self.ref_len = choose(f"{self.name}.ref_len", ref_len, ("best", "average"))

    @abstractmethod
    def distances(self, segments: Segments) -> Float64:
        """Return the distance to each reference, float64[R].

        It is infinite for a reference that cannot be used; a segment without any other is left
        out.
        """

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature's fields of options that only this metric has."""
        return ()

    def signature(self) -> Signature:
        """Return the name with every choice that can change a value."""
        return Signature(self.name, (*self.extra_fields(), ("ref_len", self.ref_len)))

    def statistics(self, segments: Segments) -> Float64:
        """Return float64[S, 3]: distance, length and 1; zeros for a segment that is left out."""
        texts = segments.texts
        distances = self.distances(segments)
        lengths = texts.references.lengths.astype(np.float64)
        offsets = texts.reference_offsets
        costs = distances
        if self.ref_len == "best":
            costs = np.where(np.isfinite(distances), rates(distances, lengths), np.inf)
        best = best_reference(costs, offsets, ROUNDING)
        found = np.zeros((len(segments), 3))
        used = np.flatnonzero(best >= 0)
        used = used[np.isfinite(distances[best[used]])]
        chosen = best[used]
        found[used, 0] = distances[chosen]
        if self.ref_len == "best":
            found[used, 1] = lengths[chosen]
        else:
            totals = np.concatenate([[0], np.cumsum(texts.references.lengths)])[offsets]
            found[used, 1] = np.diff(totals)[used] / np.diff(offsets)[used]
        found[used, 2] = 1.0
        return found

    def score(self, totals: Float64) -> Float64:
        """Return distance over length: float64[..., 3] to float64[...]."""
        return rates(totals[..., 0], totals[..., 1])


def rates(distances: Float64, lengths: Float64) -> Float64:
    """Divide distances by lengths; where a length is 0, by the distance itself: 0 or 1.

    Examples
    --------
    >>> rates(np.array([1.0, 2.0, 0.0]), np.array([4.0, 0.0, 0.0]))
    array([0.25, 1.  , 0.  ])
    """
    quotients = np.array(distances > 0, np.float64)
    return np.divide(distances, lengths, out=quotients, where=lengths > 0)
