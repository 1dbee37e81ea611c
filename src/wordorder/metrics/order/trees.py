"""Metrics of the permutation tree: its nodes, bracketings, operators and their costs."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder.arrays import Float64, Ragged
from wordorder.errors import UsageError, choose
from wordorder.metrics.contract import check_number, check_switch
from wordorder.metrics.options import checked, choice, unchecked
from wordorder.metrics.order.chunks import OrderMetric, Ratio, RatioMetric
from wordorder.order import permutation_forest, permutation_tree
from wordorder.segments import Segments

# With a smaller beta, rows of more words need more quadrature points than the kernel has.
MIN_UNLIMITED_BETA = 0.2
SMALL_BETA_MAX_WORDS = 500


class TreeNodes(RatioMetric):
    """Number of nodes of the permutation tree, relative to a binary tree.

    ``(nodes - 1) / (n - 2)`` (Stanojević & Sima'an 2016, figure 7, |PET|): 1 when all operators are
    binary, 0 for a simple permutation. One or two words score 1.

    It ignores direction: a fully inverted sentence scores 1. Use it only together with other
    metrics, and never as a training objective. Tied words are read in the system's order, which
    need not be the best one (signature ``ties:system``).

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
        """Return the number of nodes without the root, and its maximum."""
        nodes = shared_tree_shapes(segments, self.match, permutation).nodes
        return np.maximum(nodes - 1, 0), np.maximum(permutation.lengths - 2, 0)


def shared_tree_shapes(
    segments: Segments, match: str, permutation: Ragged
) -> permutation_tree.TreeShapes:
    """Return the tree shapes of the segments; they are computed once for all tree metrics."""
    key = ("tree shapes", match)
    return segments.derived(key, lambda: permutation_tree.tree_shapes(permutation))


class TreeCount(OrderMetric):
    """Number of bracketings of the permutation, relative to the monotone order.

    ``(trees - 1) / (Catalan(n - 1) - 1)`` (Stanojević & Sima'an 2016, figure 7, #PETs). Counts are
    stored as mantissa and exponent, so they are correct for thousands of words. One word scores 1.
    Two words score 1 in order and 0 inverted, as in BEER 1.1, since the formula gives 0 / 0.

    It ignores direction: a fully inverted sentence of three or more words scores 1. Most sentences
    with an error score close to 0. Use it only together with other metrics. Tied words are read in
    the system's order (signature ``ties:system``).

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
        """Return the number of bracketings over that of the monotone order, float64[S]."""
        shapes = shared_tree_shapes(segments, self.match, permutation)
        lengths = permutation.lengths
        mantissa, exponent = permutation_tree.scaled_catalan(int(lengths.max(initial=1)))
        last = np.maximum(lengths - 1, 0)
        count, scale = mantissa[last], exponent[last]
        # Scale both counts by the power of two of the denominator. The 1 that is subtracted is
        # exact there as long as it is large enough to change a count.
        scaled_one = np.ldexp(1.0, np.maximum(-scale, -1074).astype(np.intc))
        shift = np.maximum(shapes.exponent - scale, -1074).astype(np.intc)
        numerator = np.ldexp(shapes.mantissa, shift) - scaled_one
        denominator = count - scaled_one
        values = np.divide(numerator, denominator, out=np.ones(len(lengths)), where=denominator > 0)
        has_two_words = lengths == 2
        if has_two_words.any():
            values[has_two_words] = permutation.values[permutation.offsets[:-1][has_two_words]] == 0
        shares: Float64 = np.maximum(values, 0.0)
        return shares


class LargestOperator(RatioMetric):
    """Length of the longest operator of the permutation tree, rescaled: 1 is shortest.

    ``1 - (MaxOp - 2) / (n - 2)`` (Stanojević & Sima'an 2016, figure 7): 1 when all operators are
    binary, 0 for a simple permutation. One or two words score 1 (``degenerate="beer"``: two words
    score 0).

    It ignores direction: a fully inverted sentence scores 1. Use it only together with other
    metrics, and never as a training objective. Tied words are read in the system's order, which
    need not be the best one (signature ``ties:system``).

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
        """Return row length minus longest operator, and row length minus 2; 0 if negative."""
        lengths = permutation.lengths
        largest = shared_tree_shapes(segments, self.match, permutation).largest
        return np.maximum(lengths - largest, 0), np.maximum(lengths - 2, 0)


@dataclass(kw_only=True, eq=False, repr=False)
class RecursiveForest(OrderMetric):
    """A recursive score of all nodes of a permutation tree, averaged over all permutation trees.

    ``score(word) = 1``; ``score(node) = beta * op + (1 - beta) * sum(size(child) / size(node) *
    score(child))`` with `op` 1 for a monotone pair and 0 for any other operator; the mean over all
    permutation trees of the permutation (Stanojević & Sima'an 2014, "Evaluating Word Order
    Recursively over Permutation-Forests"). It is rescaled by ``(s - s_inv) / (1 - s_inv)``, so that
    the inverted order of the same length scores 0. Unlike the other tree metrics it depends on
    direction. One word scores 1. With a `beta` above about 0.6 some orders score slightly less than
    the inverted one, that is below 0 (the lowest known score is -0.0032).

    Time is linear. The mean over the trees is exact up to rounding; with a `beta` below 0.2, rows
    may have at most 500 words. Tied words are read in the system's order, which need not be the
    best one (signature ``ties:system``).

    Parameters
    ----------
    beta : float in (0, 1)
        The weight of a node's own operator; its children have the remaining weight.
    rescale : bool
        Whether the score is rescaled so that the inverted order scores 0.
    match, ties, average, degenerate, few
        See `OrderMetric`; there is no ``average="micro"``.

    Raises
    ------
    UsageError
        If `beta` is not between 0 and 1, `rescale` is not a bool, or a row is too long for a small
        `beta`; see also `OrderMetric`.

    Examples
    --------
    >>> RecursiveForest().segment_scores(Segments.from_permutations([[0, 1, 2, 4, 3]])).round(4)
    array([0.9346])
    """

    name = "pef-recursive"
    tie_rules = {"best": "system", "rank": "system"}
    beer_values = {0: 0.0}
    averages = ("segment", "length")
    beta: float = checked(0.6, check_number, 0, 1)
    rescale: bool = checked(True, check_switch)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta in (0, 1):
            raise UsageError(f"pef-recursive.beta lies between 0 and 1, not {self.beta:g}")

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature fields of `beta` and `rescale`."""
        return ("beta", f"{self.beta!r}"), ("rescale", "yes" if self.rescale else "no")

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the mean recursive score, float64[S]."""
        longest = int(permutation.lengths.max(initial=0))
        if self.beta < MIN_UNLIMITED_BETA and longest > SMALL_BETA_MAX_WORDS:
            problem = (
                f"is exact up to {SMALL_BETA_MAX_WORDS} words, not for the {longest} of a segment"
            )
            alternative = f"a beta of {MIN_UNLIMITED_BETA} or more has no such limit"
            raise UsageError(f"pef-recursive with beta={self.beta} {problem}; {alternative}")
        scores = segments.derived(
            ("recursive", self.match, self.beta),
            lambda: permutation_tree.recursive_scores(permutation, self.beta),
        )
        if not self.rescale:
            return scores
        distinct_lengths, length_index = np.unique(permutation.lengths, return_inverse=True)
        reversed_rows = Ragged.from_rows([range(int(n) - 1, -1, -1) for n in distinct_lengths])
        worst = permutation_tree.recursive_scores(reversed_rows, self.beta)[length_index]
        return np.divide(scores - worst, 1.0 - worst, out=np.ones(len(scores)), where=worst < 1.0)


@dataclass(kw_only=True, eq=False, repr=False)
class TreeCost(OrderMetric):
    """Cost of the operators of the permutation tree: the higher, the more complex the order.

    The average ``AVG_C`` and the maximum ``MAX_C`` of Stanojević & Sima'an (2016, section 4) for
    any cost ``C`` of operators, or the sum of the costs.

    Parameters
    ----------
    cost : str or function
        The cost of an operator. "length": its number of children. "non-binary": 1 for more than two
        children, else 0. "not-monotone": 0 for ``<1,2>``, else 1. "catalan": the logarithm to base
        2 of the number of ways to build the operator. "table": the costs in the file `costs`, such
        as trained ones. Or a Python function of an operator, a tuple of ranks from 1.
    costs : path
        For "table": an operator and its cost on each line (``2413 1.5``), ``*`` for all others.
    combine : "average", "max" or "sum"
        How the costs of a tree are combined.
    tree : "auto", "canonical" or "flat"
        Which operators have costs. "canonical": those of the canonical tree, whose chains are
        binary. "flat": those of the flattened tree, with one operator per chain. "auto": flat for
        "catalan", else canonical.
    match, ties, average, degenerate
        See `OrderMetric`; there is no ``average="micro"``, and one word costs 0. Rows with too few
        matches are left out, as with ``few="skip"``.

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
    # Scores are not between 0 and 1, so the metric is only computed if it is named.
    slow = True
    tie_rules = {"best": "system", "rank": "system"}
    averages = ("segment", "length")

    cost: str | permutation_forest.Cost = unchecked("length")  # noqa: RUF009
    costs: str = unchecked("")
    combine: str = choice(*permutation_forest.COMBINATIONS)
    tree: str = choice("auto", "canonical", "flat")
    few: str = field(init=False, default="skip")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._flat = self.tree == "flat" or (self.tree == "auto" and self.cost == "catalan")
        if self.costs and self.cost != "table":
            raise UsageError("tree-cost.costs needs tree-cost.cost=table")
        self._operator_cost: permutation_forest.Cost
        if callable(self.cost):
            self._operator_cost = self.cost
        elif (
            choose("tree-cost.cost", self.cost, (*permutation_forest.GROUND_METRICS, "table"))
            == "table"
        ):
            if not self.costs:
                raise UsageError("tree-cost.cost=table needs a file: tree-cost.costs=FILE")
            self._operator_cost = permutation_forest.OperatorCosts(self.costs)
        else:
            self._operator_cost = permutation_forest.GROUND_METRICS[self.cost]

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return the signature fields of cost, costs, combination and form of the tree."""
        cost_name = self.cost
        if not isinstance(cost_name, str):
            name = getattr(cost_name, "__qualname__", type(cost_name).__qualname__)
            cost_name = f"function {cost_name.__module__}.{name}".replace("|", "/")
        cost_fields = [("cost", cost_name)]
        if isinstance(self._operator_cost, permutation_forest.OperatorCosts):
            cost_fields.append(("costs", self._operator_cost.digest))
        tree = "flat" if self._flat else "canonical"
        return (*cost_fields, ("combine", self.combine), ("tree", tree))

    def named_options(self) -> dict[str, Any]:
        """Return the options by name.

        Raises
        ------
        UsageError
            If the cost is a Python function, which cannot be restored from a name.
        """
        if not isinstance(self.cost, str):
            raise UsageError(
                "tree-cost.cost is a Python function: it cannot be written to a file or sent to "
                "other processes; write its costs to a table (cost='table')"
            )
        return super().named_options()

    def values(self, permutation: Ragged, groups: Ragged | None, segments: Segments) -> Float64:
        """Return the negated costs, float64[S], so that the cheapest reference is the best."""
        return -permutation_forest.combined_costs(
            permutation, self._operator_cost, self.combine, flat=self._flat
        )

    def score(self, totals: Float64) -> Float64:
        """Return weighted costs over weights; 0 where the weight is 0."""
        # A plain negation would return -0.0 for no cost.
        return np.asarray(0.0 - super().score(totals))
