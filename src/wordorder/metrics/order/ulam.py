"""Ulam similarity: the longest part in order."""

from __future__ import annotations

import numpy as np

from wordorder.kernels._run import run_rows
from wordorder.kernels.subsequence import longest_increasing
from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Int64


class Ulam(RatioMetric):
    """Share of words that can stay where they are while the others are moved.

    ``(LCS(pi, identity) - 1) / (n - 1)`` (Stanojević & Sima'an 2016, figure 2), with the longest
    common subsequence that the order shares with the reference. One word moved costs one place,
    however far. One word scores 1 (``degenerate="beer"``: 0).

    Tied words may come in any order inside their group; both rules for ties agree.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Ulam().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.75])
    """

    name = "ulam"
    beer_values = {0: 0.0, 1: 0.0}
    one_word_counts = False

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return the longest increasing subsequence and the words, each less one."""
        # Tied words are in the system's order, which lets all of them count.
        length = segments.derived(("in order", self.match), lambda: _longest(permutation))
        return length - 1, permutation.lengths - 1


def _longest(permutation: Ragged) -> Int64:
    length = np.empty(len(permutation), np.int64)
    run_rows(
        longest_increasing,
        permutation.offsets,
        permutation.values,
        permutation.offsets,
        length,
        scratch=lambda longest: (np.empty(longest, np.int32),),
    )
    return length
