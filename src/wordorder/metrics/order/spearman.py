"""Spearman's rho, on the scale from 0 to 1."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import displacement
from wordorder.kernels._run import run_rows
from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Int64


class Spearman(RatioMetric):
    """One minus the normalised sum of squared distances between places.

    ``1 - 3 * sum((pi_i - i)^2) / (n (n^2 - 1))`` (Stanojević & Sima'an 2016, figure 2): the
    identity scores 1, the inverted order 0. This is ``(rho + 1) / 2`` for the rho of statistics. A
    word far from its place weighs much more than several that are slightly off. One word scores 1
    (``degenerate="beer"``: .5).

    With ``ties="rank"`` the place of a word of a group is the middle of the group's places, so an
    order with ties cannot reach 1.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Spearman().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.95])
    """

    name = "spearman"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0, 1: 0.5}
    one_word_counts = False

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return the squared distances saved, and those of the inverted order."""
        lengths = permutation.lengths
        largest = lengths * (lengths * lengths - 1) // 3
        if groups is not None and self.ties == "rank":
            doubled = segments.derived(("middle places", self.match), lambda: _tied(groups))
            return 4 * largest - doubled, 4 * largest
        distance = segments.derived(("places", self.match), lambda: _plain(permutation))
        return largest - distance, largest


def _plain(permutation: Ragged) -> Int64:
    total = np.empty(len(permutation), np.int64)
    run_rows(
        displacement.squared_displacement,
        permutation.offsets,
        permutation.values,
        permutation.offsets,
        total,
    )
    return total


def _tied(groups: Ragged) -> Int64:
    total = np.empty(len(groups), np.int64)
    run_rows(
        displacement.squared_tied_displacement,
        groups.offsets,
        groups.values,
        groups.offsets,
        total,
        scratch=lambda longest: (np.empty(longest + 1, np.int32),),
    )
    return total
