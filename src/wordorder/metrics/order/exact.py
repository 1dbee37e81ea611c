"""Sentences whose whole order is right."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.order.frs import contiguous_pairs
from wordorder.metrics.order.order_metric import OrderMetric
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Float64


class Exact(OrderMetric):
    """1 for a sentence whose whole order is right, 0 for any other.

    The corpus score is the share of such sentences ("Exact" in Hall et al. 2011, table 1). Tied
    words may come in any order inside their group; both rules for ties agree. Numerator and
    denominator are the value and 1, so ``average="micro"`` is the mean over segments.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Exact().segment_scores(Segments.from_permutations([[0, 1, 2], [0, 2, 1]]))
    array([1., 0.])
    """

    name = "exact"
    beer_values = {0: 0.0}

    def __init__(
        self,
        *,
        match: str = "index",
        ties: str = "best",
        average: str = "segment",
        degenerate: str = "standard",
    ) -> None:
        mean = "segment" if average == "micro" else average
        super().__init__(match=match, ties=ties, average=mean, degenerate=degenerate)

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return 1 for the identity, 0 for any other row."""
        # Tied words are in the system's order: an order without a fault is the identity.
        pairs = segments.derived(
            ("contiguous, no ties", self.match), lambda: contiguous_pairs(permutation, None, "best")
        )
        right: Float64 = (pairs == permutation.lengths - 1).astype(np.float64)
        return right
