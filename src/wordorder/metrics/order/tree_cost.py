"""The cost of the permutation tree under any ground metric of its operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.metrics.order.order_metric import OrderMetric
from wordorder.order.operator_costs import (
    COMBINATIONS,
    GROUND,
    Cost,
    OperatorCosts,
    combined_costs,
)
from wordorder.ragged import Ragged
from wordorder.segments import Segments
from wordorder.types import Float64

TREES = ("auto", "canonical", "flat")


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
        As in `OrderMetric`; there is no ``average="micro"``, and one word costs 0.

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
        cost: str | Cost = "length",
        costs: str = "",
        combine: str = "average",
        tree: str = "auto",
        match: str = "index",
        ties: str = "best",
        average: str = "segment",
        degenerate: str = "standard",
    ) -> None:
        super().__init__(match=match, ties=ties, average=average, degenerate=degenerate)
        self.cost = cost
        self.costs = costs
        self.combine = choose("tree-cost.combine", combine, COMBINATIONS)
        self.tree = choose("tree-cost.tree", tree, TREES)
        self._flat = tree == "flat" or (tree == "auto" and cost == "catalan")
        if costs and cost != "table":
            raise UsageError("tree-cost.costs needs tree-cost.cost=table")
        self._ground: Cost
        if callable(cost):
            self._ground = cost
        elif choose("tree-cost.cost", cost, (*GROUND, "table")) == "table":
            if not costs:
                raise UsageError("tree-cost.cost=table needs a file: tree-cost.costs=FILE")
            self._ground = OperatorCosts(costs)
        else:
            self._ground = GROUND[cost]

    def extra_fields(self) -> tuple[tuple[str, str], ...]:
        """Return ground metric, combination and kind of tree."""
        if isinstance(self.cost, str):
            ground = [("cost", self.cost)]
        else:
            name = getattr(self.cost, "__qualname__", type(self.cost).__qualname__)
            ground = [("cost", f"function {self.cost.__module__}.{name}".replace("|", "/"))]
        if isinstance(self._ground, OperatorCosts):
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
        costs = combined_costs(permutation, self._ground, self.combine, flat=self._flat)
        return -costs

    def score(self, totals: Float64) -> Float64:
        """Return weighted costs over weights, 0 where there is no weight."""
        # Not the negative, which would be -0 for no cost.
        return np.asarray(0.0 - super().score(totals))
