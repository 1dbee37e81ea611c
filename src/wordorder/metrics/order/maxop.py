"""The longest operator of the permutation tree, MAX|Op|."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.metrics.order.pet import shapes_of
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Int64


class LargestOperator(RatioMetric):
    """How short the longest operator of the permutation tree is.

    ``1 - (MaxOp - 2) / (n - 2)`` (Stanojević & Sima'an 2016, figure 7): 1 when all operators are
    binary, 0 for a simple permutation. One or two words score 1 (``degenerate="beer"``: two words
    score 0).

    It does not see direction: a fully inverted sentence scores 1. Use it beside other metrics,
    never alone, and never as a training objective. Tied words are read in the system's order,
    which need not be the best reading (signature ``ties:system``).

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> LargestOperator().segment_scores(Segments.from_permutations([[1, 3, 4, 5, 0, 2]]))
    array([0.5])
    """

    name = "maxop"
    tie_rules = {"best": "system", "rank": "system"}
    beer_values = {0: 0.0, 2: 0.0}
    one_word_counts = False

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return how much shorter than the row the longest operator is, and could be."""
        lengths = permutation.lengths
        largest = shapes_of(segments, self.match, permutation).largest
        return np.maximum(lengths - largest, 0), np.maximum(lengths - 2, 0)
