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
    name: module
    for module, names in {
        "augmented.learner": "AugmentedLearner AugmentedLoss ParsedCost RerankLearner",
        "augmented.parser_files": "AugmentedFile augmented_losses augmented_train",
        "costs.costs": "Cost OrderCost",
        "costs.opening": "ArcLengthCost RootCost TreeMetricCost open_cost",
        "orders.train_order": "TrainedOrder train_order",
        "references": "Selection best_of_lists select_files",
        "rules.rule_files": "train_rules_files",
        "rules.training": "LearnedRules RuleSettings train_rules",
        "self_training": "self_train",
        "tuning.moses": "tune_moses_files",
        "tuning.nbest": "NBest",
        "tuning.order_lists": "nbest_of_orders",
        "tuning.problem": "Problem",
        "tuning.tuning": "tune tune_files",
        "tuning.weights_file": "Tuned",
    }.items()
    for name in names.split()
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
