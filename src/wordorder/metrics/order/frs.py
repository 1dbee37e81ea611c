"""The fuzzy reordering score of Talbot et al. (2011)."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import chunks
from wordorder.kernels._run import Kernel, run_rows
from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Int64


class FuzzyReorderingScore(RatioMetric):
    """Share of neighbouring words that the system keeps together and in order.

    Cut the system's order into the fewest pieces that occur unbroken in the reference. A reader
    who follows the reference jumps once between pieces, so with ``C`` pieces over ``M`` words the
    score is ``1 - (C - 1) / (M - 1)`` (Talbot et al. 2011, equation 1). 1 exactly when the orders
    agree; one word scores 1 (``degenerate="beer"``: 0).

    With ``ties="best"`` the words of a group are read in the order that suits the system best,
    exactly and in linear time. With ``ties="rank"`` neighbours count when their ranks are equal
    or rise by one, even if a word of the group is left behind between them.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    Katz-Brown et al. (2011): reference A B C D E, system A B E C D.

    >>> FuzzyReorderingScore().segment_scores(Segments.from_permutations([[0, 1, 4, 2, 3]]))
    array([0.5])
    """

    name = "frs"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0, 1: 0.0}
    one_word_counts = False

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return contiguous pairs and all pairs of neighbours."""
        pairs = segments.derived(
            ("contiguous", self.match, self.ties),
            lambda: contiguous_pairs(permutation, groups, self.ties),
        )
        return pairs, permutation.lengths - 1


def contiguous_pairs(permutation: Ragged, groups: Ragged | None, ties: str) -> Int64:
    """Count the neighbours of each row that follow each other in the reference too, int64[S]."""
    pairs = np.empty(len(permutation), np.int64)
    kernel: Kernel
    if groups is None:
        rows, kernel, arrays = permutation, chunks.contiguous_pairs, 0
    elif ties == "rank":
        rows, kernel, arrays = groups, chunks.contiguous_rank_pairs, 0
    else:
        rows, kernel, arrays = groups, chunks.contiguous_tied_pairs, 4
    run_rows(
        kernel,
        rows.offsets,
        rows.values,
        rows.offsets,
        pairs,
        scratch=lambda longest: tuple(np.empty(longest + 1, np.int32) for _ in range(arrays)),
    )
    return pairs
