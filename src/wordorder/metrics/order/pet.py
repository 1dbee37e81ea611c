"""The number of nodes in the permutation tree, |PET|."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.order.order_metric import RatioMetric
from wordorder.order.tree_shapes import TreeShapes, tree_shapes
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Int64


class TreeNodes(RatioMetric):
    """How far the permutation can be taken apart: nodes of its tree, relative to a binary tree.

    ``(nodes - 1) / (n - 2)`` (Stanojević & Sima'an 2016, figure 7, |PET|): 1 when all operators are
    binary, 0 for a simple permutation. One or two words score 1.

    It does not see direction: a fully inverted sentence scores 1. Use it beside other metrics,
    never alone, and never as a training objective. Tied words are read in the system's order,
    which need not be the best reading (signature ``ties:system``).

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> TreeNodes().segment_scores(Segments.from_permutations([[1, 3, 4, 5, 0, 2], [2, 1, 0]]))
    array([0.5, 1. ])
    """

    name = "pet"
    tie_rules = {"best": "system", "rank": "system"}
    beer_values = {0: 0.0}
    one_word_counts = False

    def counts(
        self, permutation: Ragged, groups: Ragged | None, segments: Segments
    ) -> tuple[Int64, Int64]:
        """Return nodes but the root, and the most that there can be."""
        nodes = shapes_of(segments, self.match, permutation).nodes
        return np.maximum(nodes - 1, 0), np.maximum(permutation.lengths - 2, 0)


def shapes_of(segments: Segments, match: str, permutation: Ragged) -> TreeShapes:
    """Return the tree shapes of the segments, computed once for all tree metrics."""
    return segments.derived(("tree shapes", match), lambda: tree_shapes(permutation))
