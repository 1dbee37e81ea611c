"""Learning from word order: parsers, pre-orderers, rules and weights trained by the metrics.

Selection, self-training, augmented loss and its costs, rules, orders and tuning. What any tagger or
parser needs to be trained on a treebank is in `parsing.training`; models live with what uses them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.training.augmented.learner import (
        AugmentedLearner,
        AugmentedLoss,
        ParsedCost,
        RerankLearner,
    )
    from wordorder.training.augmented.parser_files import (
        AugmentedFile,
        augmented_losses,
        augmented_train,
    )
    from wordorder.training.costs.costs import Cost, OrderCost
    from wordorder.training.costs.opening import ArcLengthCost, RootCost, TreeMetricCost, open_cost
    from wordorder.training.orders.train_order import TrainedOrder, train_order
    from wordorder.training.references import Selection, best_of_lists, select_files
    from wordorder.training.rules.rule_files import train_rules_files
    from wordorder.training.rules.training import LearnedRules, RuleSettings, train_rules
    from wordorder.training.self_training import self_train
    from wordorder.training.tuning.moses import tune_moses_files
    from wordorder.training.tuning.nbest import NBest
    from wordorder.training.tuning.order_lists import nbest_of_orders
    from wordorder.training.tuning.problem import Problem
    from wordorder.training.tuning.tuning import tune, tune_files
    from wordorder.training.tuning.weights_file import Tuned

_PLACES = {
    "ArcLengthCost": "costs.opening",
    "AugmentedFile": "augmented.parser_files",
    "AugmentedLearner": "augmented.learner",
    "AugmentedLoss": "augmented.learner",
    "Cost": "costs.costs",
    "LearnedRules": "rules.training",
    "NBest": "tuning.nbest",
    "OrderCost": "costs.costs",
    "ParsedCost": "augmented.learner",
    "Problem": "tuning.problem",
    "RerankLearner": "augmented.learner",
    "RootCost": "costs.opening",
    "RuleSettings": "rules.training",
    "Selection": "references",
    "TrainedOrder": "orders.train_order",
    "TreeMetricCost": "costs.opening",
    "Tuned": "tuning.weights_file",
    "augmented_losses": "augmented.parser_files",
    "augmented_train": "augmented.parser_files",
    "best_of_lists": "references",
    "nbest_of_orders": "tuning.order_lists",
    "open_cost": "costs.opening",
    "select_files": "references",
    "self_train": "self_training",
    "train_order": "orders.train_order",
    "train_rules": "rules.training",
    "train_rules_files": "rules.rule_files",
    "tune": "tuning.tuning",
    "tune_files": "tuning.tuning",
    "tune_moses_files": "tuning.moses",
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
