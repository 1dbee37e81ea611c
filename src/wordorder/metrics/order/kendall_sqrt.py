"""Kendall's distance under a square root."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.order.kendall import discordant_pairs
from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Float64, Int64


class KendallSqrt(RatioMetric):
    """One minus the square root of the share of pairs in the wrong order.

    ``1 - sqrt(d / ((n^2 - n) / 2))``: the form in which Kendall's distance enters LRscore; its
    authors found the square root to predict people's judgements better (Birch et al. 2010, as
    Talbot et al. 2011, section 2.1, report). The first wrong pairs cost most. One word scores 1
    (``degenerate="beer"``: 0). Ties as in `Kendall`. With ``average="micro"`` the root is taken of
    the pooled share.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> KendallSqrt().segment_scores(Segments.from_permutations([[0, 3, 4, 1, 2]])).round(4)
    array([0.3675])
    """

    name = "kendall-sqrt"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0, 1: 0.0}
    one_word_counts = False

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return pairs in the wrong order and all pairs."""
        return discordant_pairs(self, permutation, groups, segments)

    def transform(self, ratio: Float64) -> Float64:
        """Return the value of a share of wrong pairs."""
        return 1.0 - np.sqrt(ratio)
