"""Learning from word order: parsers, pre-orderers, rules and weights trained by the metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.training.augmented.augmented_train import augmented_train
    from wordorder.training.augmented.learner import AugmentedLearner, AugmentedLoss
    from wordorder.training.augmented.parsed_cost import ParsedCost
    from wordorder.training.augmented.parser_files import AugmentedFile, augmented_losses
    from wordorder.training.augmented.reranking import RerankLearner
    from wordorder.training.costs.arc_length import ArcLengthCost
    from wordorder.training.costs.base import Cost
    from wordorder.training.costs.opening import open_cost
    from wordorder.training.costs.order import OrderCost
    from wordorder.training.costs.root import RootCost
    from wordorder.training.costs.tree_metric import TreeMetricCost
    from wordorder.training.orders.train_order import TrainedOrder, train_order
    from wordorder.training.rules.rule_files import train_rules_files
    from wordorder.training.rules.training import LearnedRules, RuleSettings, train_rules
    from wordorder.training.selection import Selection, best_of_lists
    from wordorder.training.selection_files import select_files
    from wordorder.training.self_training import self_train
    from wordorder.training.tuning.list_tuning import tune_files
    from wordorder.training.tuning.moses_tuning import tune_moses_files
    from wordorder.training.tuning.nbest import NBest
    from wordorder.training.tuning.order_lists import nbest_of_orders
    from wordorder.training.tuning.problem import Problem
    from wordorder.training.tuning.tuned import Tuned
    from wordorder.training.tuning.tuning import tune

_PLACES = {
    "ArcLengthCost": "costs.arc_length",
    "AugmentedFile": "augmented.parser_files",
    "AugmentedLearner": "augmented.learner",
    "AugmentedLoss": "augmented.learner",
    "Cost": "costs.base",
    "LearnedRules": "rules.training",
    "NBest": "tuning.nbest",
    "OrderCost": "costs.order",
    "ParsedCost": "augmented.parsed_cost",
    "Problem": "tuning.problem",
    "RerankLearner": "augmented.reranking",
    "RootCost": "costs.root",
    "RuleSettings": "rules.training",
    "Selection": "selection",
    "TrainedOrder": "orders.train_order",
    "TreeMetricCost": "costs.tree_metric",
    "Tuned": "tuning.tuned",
    "augmented_losses": "augmented.parser_files",
    "augmented_train": "augmented.augmented_train",
    "best_of_lists": "selection",
    "nbest_of_orders": "tuning.order_lists",
    "open_cost": "costs.opening",
    "select_files": "selection_files",
    "self_train": "self_training",
    "train_order": "orders.train_order",
    "train_rules": "rules.training",
    "train_rules_files": "rules.rule_files",
    "tune": "tuning.tuning",
    "tune_files": "tuning.list_tuning",
    "tune_moses_files": "tuning.moses_tuning",
}

__all__ = [
    "ArcLengthCost",
    "AugmentedFile",
    "AugmentedLearner",
    "AugmentedLoss",
    "Cost",
    "LearnedRules",
    "NBest",
    "OrderCost",
    "ParsedCost",
    "Problem",
    "RerankLearner",
    "RootCost",
    "RuleSettings",
    "Selection",
    "TrainedOrder",
    "TreeMetricCost",
    "Tuned",
    "augmented_losses",
    "augmented_train",
    "best_of_lists",
    "nbest_of_orders",
    "open_cost",
    "select_files",
    "self_train",
    "train_order",
    "train_rules",
    "train_rules_files",
    "tune",
    "tune_files",
    "tune_moses_files",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
