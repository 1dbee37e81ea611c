"""The fuzzy reordering score that counts both sentence ends."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.order.frs import contiguous_pairs
from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Int64


class BoundaryReorderingScore(RatioMetric):
    """Share of neighbours kept together, both ends of the sentence counting as words.

    With ``n`` words there are ``n + 1`` pairs of neighbours: the score is ``1 - d / (n + 1)``, with
    `d` of them not contiguous in the reference. This is what the evaluators of lader and
    topdown-btg print as "fuzzy reordering score"; it is another number than `frs`.
    ``ties="rank"`` is their rule for words of one rank.

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> BoundaryReorderingScore().segment_scores(Segments.from_permutations([[0, 1, 4, 2, 3]]))
    array([0.5])
    >>> BoundaryReorderingScore().segment_scores(Segments.from_permutations([[2, 1, 0]]))
    array([0.])
    """

    name = "frs-boundary"
    tie_rules = {"best": "best", "rank": "rank"}
    beer_values = {0: 0.0}

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return contiguous pairs and all pairs of neighbours, the ends included."""
        pairs = segments.derived(
            ("contiguous with ends", self.match, self.ties),
            lambda: contiguous_pairs(
                with_ends(permutation), None if groups is None else with_ends(groups), self.ties
            ),
        )
        return pairs, permutation.lengths + 1


def with_ends(rows: Ragged) -> Ragged:
    """Add a first word and a last word to each row, both in place.

    Examples
    --------
    >>> with_ends(Ragged.from_rows([[1, 0], []])).to_lists()
    [[0, 2, 1, 3], [0, 1]]
    """
    offsets = rows.offsets + 2 * np.arange(len(rows) + 1)
    inside = np.ones(int(offsets[-1]), np.bool_)
    inside[offsets[:-1]] = False
    inside[offsets[1:] - 1] = False
    values = np.zeros(int(offsets[-1]), np.int32)
    values[inside] = rows.values + np.int32(1)
    highest = np.zeros(len(rows), np.int32)
    filled = rows.lengths > 0
    if filled.any():
        highest[filled] = np.maximum.reduceat(rows.values, rows.offsets[:-1][filled]) + 1
    values[offsets[1:] - 1] = highest + 1
    return Ragged(values, offsets)
