"""Orders learned from word alignments: what a model is, its file, and what it learns from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wordorder.lazy_names import lazy_names

if TYPE_CHECKING:
    from wordorder.reordering.learned.base import OrderLearner, OrderModel
    from wordorder.reordering.learned.examples import OrderExamples, order_examples
    from wordorder.reordering.learned.folds import grouped_folds
    from wordorder.reordering.learned.learned_order import LearnedOrder
    from wordorder.reordering.learned.model_file import load_learned, save_learned

_PLACES = {
    "LearnedOrder": "learned_order",
    "OrderExamples": "examples",
    "OrderLearner": "base",
    "OrderModel": "base",
    "grouped_folds": "folds",
    "load_learned": "model_file",
    "order_examples": "examples",
    "save_learned": "model_file",
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
