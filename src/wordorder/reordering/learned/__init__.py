"""Orders learned from word alignments: what a model is, its file, and what it learns from.

Each model has a folder. They order the words of one sentence or of many; how they are trained on
files is in `training.orders`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.reordering.learned.examples import OrderExamples, order_examples
    from wordorder.reordering.learned.learned_order import (
        LearnedOrder,
        OrderLearner,
        OrderModel,
        load_learned,
        save_learned,
    )
    from wordorder.reordering.learned.training import grouped_folds

_PLACES = {
    "LearnedOrder": "learned_order",
    "OrderExamples": "examples",
    "OrderLearner": "learned_order",
    "OrderModel": "learned_order",
    "grouped_folds": "training",
    "load_learned": "learned_order",
    "order_examples": "examples",
    "save_learned": "learned_order",
}

__all__ = [
    "LearnedOrder",
    "OrderExamples",
    "OrderLearner",
    "OrderModel",
    "grouped_folds",
    "load_learned",
    "order_examples",
    "save_learned",
]

__getattr__, __dir__ = lazy_names(__name__, _PLACES)
