"""Kendall's tau, on the scale from 0 to 1."""

from __future__ import annotations

import numpy as np

from wordorder.kernels import inversions as kernel
from wordorder.kernels._run import run_rows
from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Int64


class Kendall(RatioMetric):
    """Share of pairs of words that are in the right order.

    ``1 - d / ((n^2 - n) / 2)`` with `d` pairs in the wrong order (Stanojević & Sima'an 2016, figure
    2; Birch & Osborne 2010). The identity scores 1, the inverted order 0, a random one .5. This is
    ``(tau + 1) / 2`` for the tau of statistics. One word scores 1 (``degenerate="beer"``: 0).

    With ``ties="best"`` pairs inside a group are right; with ``ties="rank"`` they do not count at
    all, neither as right nor as pairs.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> Kendall().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]]))
    array([0.9])
    """

    name = "kendall"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0, 1: 0.0}
    one_word_counts = False

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return pairs in order and all pairs."""
        discordant, pairs = discordant_pairs(self, permutation, groups, segments)
        return pairs - discordant, pairs


def discordant_pairs(
    metric: RatioMetric, permutation: Ragged, groups: Ragged | None, segments: Segments
) -> tuple[Int64, Int64]:
    """Return the pairs of each row in the wrong order, and its pairs; both int64[S]."""
    lengths = permutation.lengths
    pairs = lengths * (lengths - 1) // 2
    if groups is not None and metric.ties == "rank":
        pairs = pairs - segments.derived(("tied pairs", metric.match), lambda: _tied_pairs(groups))
    # Tied words are in the system's order, so no pair inside a group is ever discordant.
    discordant = segments.derived(("inversions", metric.match), lambda: _inversions(permutation))
    return discordant, pairs


def _inversions(permutation: Ragged) -> Int64:
    discordant = np.empty(len(permutation), np.int64)
    run_rows(
        kernel.inversions,
        permutation.offsets,
        permutation.values,
        permutation.offsets,
        discordant,
        scratch=lambda longest: (np.empty(longest, np.int32), np.empty(longest, np.int32)),
    )
    return discordant


def _tied_pairs(groups: Ragged) -> Int64:
    """Count the pairs of words of each row that share a group."""
    row = np.repeat(np.arange(len(groups)), groups.lengths)
    order = np.lexsort((groups.values, row))
    # Group numbers are dense, so a row's groups have numbers of their own behind the row's start.
    number = groups.values[order] + groups.offsets[row]
    size = np.bincount(number, minlength=len(groups.values))
    total = np.concatenate([[0], np.cumsum(size * (size - 1) // 2)])
    return np.diff(total[groups.offsets])
