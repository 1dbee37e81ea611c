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
    from wordorder.training.select_files import select_files
    from wordorder.training.selection import Selection, best_of_lists

_PLACES = {
    "ArcLengthCost": "costs.arc_length",
    "AugmentedLearner": "augmented.learner",
    "AugmentedLoss": "augmented.learner",
    "Cost": "costs.base",
    "OrderCost": "costs.order",
    "RootCost": "costs.root",
    "Selection": "selection",
    "TreeMetricCost": "costs.tree_metric",
    "augmented_train": "augmented.augmented_train",
    "best_of_lists": "selection",
    "open_cost": "costs.opening",
    "select_files": "select_files",
}

__all__ = [
    "ArcLengthCost",
    "AugmentedLearner",
    "AugmentedLoss",
    "Cost",
    "OrderCost",
    "RootCost",
    "Selection",
    "TreeMetricCost",
    "augmented_train",
    "best_of_lists",
    "open_cost",
    "select_files",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
