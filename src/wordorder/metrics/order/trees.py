"""Metrics of the permutation tree: its nodes, bracketings, operators and what they cost."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Ragged
from wordorder.errors import UsageError, choose
from wordorder.metrics.contract import real, switch
from wordorder.metrics.options import checked
from wordorder.metrics.order.chunks import OrderMetric, Ratio, RatioMetric
from wordorder.order import permutation_forest, permutation_tree
from wordorder.segments import Segments

# With a smaller beta, rows of more words would need more quadrature points than there are.
SMALL_BETA = 0.2

MOST_WORDS = 500
TREES = ("auto", "canonical", "flat")


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

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return nodes but the root, and the most that there can be."""
        nodes = shapes_of(segments, self.match, permutation).nodes
        return np.maximum(nodes - 1, 0), np.maximum(permutation.lengths - 2, 0)


def shapes_of(segments: Segments, match: str, permutation: Ragged) -> permutation_tree.TreeShapes:
    """Return the tree shapes of the segments, computed once for all tree metrics."""
    key = ("tree shapes", match)
    return segments.derived(key, lambda: permutation_tree.tree_shapes(permutation))


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
        mantissa, exponent = permutation_tree.scaled_catalan(int(lengths.max(initial=1)))
        last = np.maximum(lengths - 1, 0)
        count, scale = mantissa[last], exponent[last]
        # Both counts over the larger power of two; the 1 that is taken off each is exact there
        # as long as it can matter at all.
        scaled_one = np.ldexp(1.0, np.maximum(-scale, -1074).astype(np.intc))
        shift = np.maximum(shapes.exponent - scale, -1074).astype(np.intc)
        above = np.ldexp(shapes.mantissa, shift) - scaled_one
        below = count - scaled_one
        values = np.divide(above, below, out=np.ones(len(lengths)), where=below > 0)
        two = lengths == 2
        if two.any():
            values[two] = permutation.values[permutation.offsets[:-1][two]] == 0
        shares: Float64 = np.maximum(values, 0.0)
        return shares


class LargestOperator(RatioMetric):
    """How short the longest operator of the permutation tree is.

    ``1 - (MaxOp - 2) / (n - 2)`` (Stanojević & Sima'an 2016, figure 7): 1 when all operators are
    binary, 0 for a simple permutation. One or two words score 1 (``degenerate="beer"``: two words
    score 0).

    It does not see direction: a fully inverted sentence scores 1. Use it beside other metrics,
    never alone, and never as a training objective. Tied words are read in the system's order,
    which need not be the best reading (signature ``ties:system``).

    Parameters and errors: `OrderMetric`.

    Examples
    --------
    >>> LargestOperator().segment_scores(Segments.from_permutations([[1, 3, 4, 5, 0, 2]]))
    array([0.5])
    """

    name = "maxop"
    tie_rules = {"best": "system", "rank": "system"}
    beer_values = {0: 0.0, 2: 0.0}
    one_word_counts = False

    def counts(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Ratio:
        """Return how much shorter than the row the longest operator is, and could be."""
        lengths = permutation.lengths
        largest = shapes_of(segments, self.match, permutation).largest
        return np.maximum(lengths - largest, 0), np.maximum(lengths - 2, 0)


@dataclass(kw_only=True, eq=False, repr=False)
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
    match, ties, average, degenerate, few
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
    beta: float = checked(0.6, real, 0, 1)
    rescale: bool = checked(True, switch)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta in (0, 1):
            raise UsageError(f"pef-recursive.beta lies between 0 and 1, not {self.beta:g}")

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the fields of `beta` and `rescale`."""
        return ("beta", f"{self.beta!r}"), ("rescale", "yes" if self.rescale else "no")

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the mean recursive score, float64[S]."""
        longest = int(permutation.lengths.max(initial=0))
        if self.beta < SMALL_BETA and longest > MOST_WORDS:
            problem = f"is exact up to {MOST_WORDS} words, not for the {longest} of a segment"
            alternative = f"a beta of {SMALL_BETA} or more has no such limit"
            raise UsageError(f"pef-recursive with beta={self.beta} {problem}; {alternative}")
        scores = segments.derived(
            ("recursive", self.match, self.beta),
            lambda: permutation_tree.recursive_scores(permutation, self.beta),
        )
        if not self.rescale:
            return scores
        kinds, kind = np.unique(permutation.lengths, return_inverse=True)
        reversed_rows = Ragged.from_rows([range(int(n) - 1, -1, -1) for n in kinds])
        worst = permutation_tree.recursive_scores(reversed_rows, self.beta)[kind]
        return np.divide(scores - worst, 1.0 - worst, out=np.ones(len(scores)), where=worst < 1.0)


class TreeCost(OrderMetric):
    """What the operators of the permutation tree cost: the higher, the more complex the order.

    ``AVG_C`` and ``MAX_C`` of Stanojević & Sima'an (2016, section 4) for any ground metric ``C`` of
    operators, and their sum.

    Parameters
    ----------
    cost : str or function
        The ground metric. "length": how many parts an operator has. "non-binary": 1 for more than
        two parts, else 0. "not-monotone": 0 for ``<1,2>``, else 1. "catalan": the logarithm to base
        2 of the number of ways to build the operator. "table": what the file `costs` lists, such as
        trained costs. Or a Python function of an operator, a tuple of ranks from 1.
    costs : path
        For "table": an operator and its cost on each line (``2413 1.5``), ``*`` for all others.
    combine : "average", "max" or "sum"
    tree : "auto", "canonical" or "flat"
        Which operators: those of the canonical tree, all chains binary; or of the flattened tree,
        with one operator for each chain. "auto" is flat for "catalan", else canonical.
    match, ties, average, degenerate
        As in `OrderMetric`; there is no ``average="micro"``, and one word costs 0. What matches too
        few words has no cost and is left out, as with ``few="skip"``.

    Raises
    ------
    UsageError, InputError
        If a value is unknown, the file is missing, cannot be read, or lacks an operator that
        occurs.

    Examples
    --------
    >>> segments = Segments.from_permutations([[1, 3, 4, 5, 0, 2], [2, 1, 0]])
    >>> TreeCost().segment_scores(segments).round(3)
    array([2.667, 2.   ])
    >>> TreeCost(cost="not-monotone", combine="sum").segment_scores(segments)
    array([1., 2.])
    """

    name = "tree-cost"
    higher_is_better = False
    # No score from 0 to 1: whoever wants it asks for it by name.
    slow = True
    tie_rules = {"best": "system", "rank": "system"}
    beer_values = {}
    averages = ("segment", "length")

    def __init__(
        self,
        *,
        cost: str | permutation_forest.Cost = "length",
        costs: str = "",
        combine: str = "average",
        tree: str = "auto",
        match: str = "index",
        ties: str = "best",
        average: str = "segment",
        degenerate: str = "standard",
    ) -> None:
        super().__init__(match=match, ties=ties, average=average, degenerate=degenerate, few="skip")
        self.cost = cost
        self.costs = costs
        self.combine = choose("tree-cost.combine", combine, permutation_forest.COMBINATIONS)
        self.tree = choose("tree-cost.tree", tree, TREES)
        self._flat = tree == "flat" or (tree == "auto" and cost == "catalan")
        if costs and cost != "table":
            raise UsageError("tree-cost.costs needs tree-cost.cost=table")
        self._ground: permutation_forest.Cost
        if callable(cost):
            self._ground = cost
        elif choose("tree-cost.cost", cost, (*permutation_forest.GROUND, "table")) == "table":
            if not costs:
                raise UsageError("tree-cost.cost=table needs a file: tree-cost.costs=FILE")
            self._ground = permutation_forest.OperatorCosts(costs)
        else:
            self._ground = permutation_forest.GROUND[cost]

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return ground metric, combination and kind of tree."""
        cost_name = self.cost
        if not isinstance(cost_name, str):
            name = getattr(cost_name, "__qualname__", type(cost_name).__qualname__)
            cost_name = f"function {cost_name.__module__}.{name}".replace("|", "/")
        ground = [("cost", cost_name)]
        if isinstance(self._ground, permutation_forest.OperatorCosts):
            ground.append(("costs", self._ground.digest))
        tree = "flat" if self._flat else "canonical"
        return (*ground, ("combine", self.combine), ("tree", tree))

    def named_options(self) -> dict[str, Any]:
        """Return the options by name.

        Raises
        ------
        UsageError
            If the ground metric is a Python function, which has no name that makes it again.
        """
        if not isinstance(self.cost, str):
            raise UsageError(
                "tree-cost.cost is a Python function: it cannot be written to a file or sent to "
                "other processes; write its costs to a table (cost='table')"
            )
        return super().named_options()

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the negated costs, float64[S]: of several references the cheapest counts."""
        way = self._ground, self.combine
        return -permutation_forest.combined_costs(permutation, *way, flat=self._flat)

    def score(self, totals: Float64) -> Float64:
        """Return weighted costs over weights, 0 where there is no weight."""
        # Not the negative, which would be -0 for no cost.
        return np.asarray(0.0 - super().score(totals))
