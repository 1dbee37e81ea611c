"""Hamming similarity: words in their place."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import displacement
from wordorder.kernels._run import run_rows
from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Int64


class Hamming(RatioMetric):
    """Share of words that are in their place.

    ``#{i : pi_i = i} / n`` (Stanojević & Sima'an 2016, figure 2; Birch & Osborne 2010). One word
    moved from the front to the end takes all words out of their place and scores 0.

    A word of a tie group is in place in any place of its group; both rules for ties agree.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Hamming().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.6])
    """

    name = "hamming"
    beer_values = {0: 0.0}

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return words in place and all words."""
        return (
            segments.derived(("in place", self.match), lambda: _in_place(permutation, groups)),
            permutation.lengths,
        )


def _in_place(permutation: Ragged, groups: Ragged | None) -> Int64:
    count = np.empty(len(permutation), np.int64)
    if groups is None:
        run_rows(
            displacement.in_place,
            permutation.offsets,
            permutation.values,
            permutation.offsets,
            count,
        )
    else:
        run_rows(
            displacement.in_tied_place,
            groups.offsets,
            groups.values,
            groups.offsets,
            count,
            scratch=lambda longest: (np.empty(longest + 1, np.int32),),
        )
    return count
