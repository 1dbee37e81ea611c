"""The recursive score over all permutation trees, PEFrecursive."""

from __future__ import annotations

import numpy as np

from wordorder.errors import UsageError
from wordorder.metrics.options import real, switch
from wordorder.metrics.order.order_metric import OrderMetric
from wordorder.order.tree_shapes import recursive_scores
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Float64

# With a smaller beta, rows of more words would need more quadrature points than there are.
SMALL_BETA = 0.2
MOST_WORDS = 500


class RecursiveForest(OrderMetric):
    """A score that looks at every block of the order, averaged over all permutation trees.

    ``score(word) = 1``; ``score(node) = beta * op + (1 - beta) * sum(size(child) / size(node) *
    score(child))`` with `op` 1 for a monotone pair and 0 for any other operator; the mean over all
    permutation trees of the permutation (Stanojević & Sima'an 2014, "Evaluating Word Order
    Recursively over Permutation-Forests"). Rescaled, ``(s - s_inv) / (1 - s_inv)``, so that the
    inverted order of the same length scores 0. Unlike the other tree metrics it sees direction.
    One word scores 1. With a `beta` above .6 or so some orders score a little worse than the
    inverted one, so below 0 (the lowest seen: -.0032).

    Linear time; the mean over the trees is exact to rounding, for a `beta` below .2 up to 500
    words. Tied words are read in the system's
    order, which need not be the best reading (signature ``ties:system``).

    Parameters
    ----------
    beta : float in (0, 1)
        The weight of a node's own operator; the rest goes to its parts.
    rescale : bool
        Whether the inverted order becomes 0.
    match, ties, average, degenerate
        As in `OrderMetric`; there is no ``average="micro"``.

    Raises
    ------
    UsageError
        If `beta` is not between 0 and 1, `rescale` not a switch, a row too long for a small `beta`,
        or as in `OrderMetric`.

    Examples
    --------
    >>> RecursiveForest().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]])).round(4)
    array([0.9346])
    """

    name = "pef-recursive"
    tie_rules = {"best": "system", "rank": "system"}
    beer_values = {0: 0.0}
    averages = ("segment", "length")

    def __init__(
        self,
        *,
        beta: float = 0.6,
        rescale: bool = True,
        match: str = "index",
        ties: str = "best",
        average: str = "segment",
        degenerate: str = "standard",
    ) -> None:
        super().__init__(match=match, ties=ties, average=average, degenerate=degenerate)
        self.beta = real("pef-recursive.beta", beta, 0, 1)
        if self.beta in (0, 1):
            raise UsageError(f"pef-recursive.beta lies between 0 and 1, not {beta!r}")
        self.rescale = switch("pef-recursive.rescale", rescale)

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the fields of `beta` and `rescale`."""
        return ("beta", f"{self.beta!r}"), ("rescale", "yes" if self.rescale else "no")

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the mean recursive score, float64[S]."""
        longest = int(permutation.lengths.max(initial=0))
        if self.beta < SMALL_BETA and longest > MOST_WORDS:
            raise UsageError(
                f"pef-recursive with beta={self.beta} is exact up to {MOST_WORDS} words, not for "
                f"the {longest} of a segment; a beta of {SMALL_BETA} or more has no such limit"
            )
        scores = segments.derived(
            ("recursive", self.match, self.beta), lambda: recursive_scores(permutation, self.beta)
        )
        if not self.rescale:
            return scores
        kinds, kind = np.unique(permutation.lengths, return_inverse=True)
        worst = recursive_scores(
            Ragged.from_rows([range(int(n) - 1, -1, -1) for n in kinds]), self.beta
        )[kind]
        return np.divide(scores - worst, 1.0 - worst, out=np.ones(len(scores)), where=worst < 1.0)
