"""The number of permutation trees, #PETs."""

from __future__ import annotations

import numpy as np

from wordorder.metrics.order.order_metric import OrderMetric
from wordorder.metrics.order.pet import shapes_of
from wordorder.order.catalan import scaled_catalan
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Float64


class TreeCount(OrderMetric):
    """In how many ways the permutation can be bracketed, relative to the monotone order.

    ``(trees - 1) / (Catalan(n - 1) - 1)`` (Stanojević & Sima'an 2016, figure 7, #PETs). Counts are
    kept as mantissa and exponent, so a sentence of thousands of words is right too. One word
    scores 1; two words score 1 in order and 0 inverted, as in BEER 1.1, since the formula gives
    0 / 0.

    It does not see direction: a fully inverted sentence of three or more words scores 1. Most
    sentences with any fault score close to 0. Use it beside other metrics, never alone. Tied
    words are read in the system's order (signature ``ties:system``).

    Parameters and errors: `OrderMetric`; there is no ``average="micro"``.

    Examples
    --------
    >>> TreeCount().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]])).round(4)
    array([0.3077])
    """

    name = "pets"
    tie_rules = {"best": "system", "rank": "system"}
    beer_values = {0: 0.0}
    averages = ("segment", "length")

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the share of the bracketings, float64[S]."""
        shapes = shapes_of(segments, self.match, permutation)
        lengths = permutation.lengths
        mantissa, exponent = scaled_catalan(int(lengths.max(initial=1)))
        last = np.maximum(lengths - 1, 0)
        most, scale = mantissa[last], exponent[last]
        # Both counts over the larger power of two; the 1 that is taken off each is exact there
        # as long as it can matter at all.
        one = np.ldexp(1.0, np.maximum(-scale, -1074).astype(np.intc))
        shift = np.maximum(shapes.exponent - scale, -1074).astype(np.intc)
        above = np.ldexp(shapes.mantissa, shift) - one
        below = most - one
        values = np.divide(above, below, out=np.ones(len(lengths)), where=below > 0)
        two = lengths == 2
        if two.any():
            values[two] = permutation.values[permutation.offsets[:-1][two]] == 0
        shares: Float64 = np.maximum(values, 0.0)
        return shares
