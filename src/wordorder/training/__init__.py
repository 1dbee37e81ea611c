"""Learning from word order: parsers, pre-orderers, rules and weights trained by the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.training.augmented.augmented_train import augmented_train
    from wordorder.training.augmented.learner import AugmentedLearner, AugmentedLoss
    from wordorder.training.costs.arc_length import ArcLengthCost
    from wordorder.training.costs.base import Cost
    from wordorder.training.costs.opening import open_cost
    from wordorder.training.costs.order import OrderCost
    from wordorder.training.costs.root import RootCost
    from wordorder.training.costs.tree_metric import TreeMetricCost

_PLACES = {
    "ArcLengthCost": "costs.arc_length",
    "AugmentedLearner": "augmented.learner",
    "AugmentedLoss": "augmented.learner",
    "Cost": "costs.base",
    "OrderCost": "costs.order",
    "RootCost": "costs.root",
    "TreeMetricCost": "costs.tree_metric",
    "augmented_train": "augmented.augmented_train",
    "open_cost": "costs.opening",
}

__all__ = [
    "ArcLengthCost",
    "AugmentedLearner",
    "AugmentedLoss",
    "Cost",
    "OrderCost",
    "RootCost",
    "TreeMetricCost",
    "augmented_train",
    "open_cost",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
