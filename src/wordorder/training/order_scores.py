"""Scores of orders against the reference orders of examples, also by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.arrays import Ragged, concat_ranges
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import named_metric
from wordorder.order.orders import Orders
from wordorder.reordering.learned.examples import OrderExamples, order_examples
from wordorder.segments import Segments
from wordorder.training import held_out as unseen
from wordorder.treebank.treebank import Treebank


@dataclass(frozen=True)
class OrderScore:
    """The score of orders under a rule.

    Attributes
    ----------
    rule, unaligned : str
        See `wordorder.order.reference.reference_orders`.
    value : float
        The score of the orders, a mean over sentences.
    source : float
        The score of the source order.
    sentences : int
        The number of scored sentences; others have no reference order under the rule.
    """

    rule: str
    unaligned: str
    value: float
    source: float
    sentences: int


def order_score(orders: Orders, examples: OrderExamples, metric: str | BaseMetric) -> OrderScore:
    """Score orders against the references of examples.

    Parameters
    ----------
    orders : Orders
        Orders of all words of each sentence.
    examples : OrderExamples
    metric : name or metric
        A metric that compares orders.

    Raises
    ------
    UsageError
        If the metric does not compare orders.
    """
    chosen_metric = named_metric(metric) if isinstance(metric, str) else metric
    rows = np.flatnonzero(examples.ranked)
    references = examples.references.take(rows)
    system_orders = orders.take(rows)
    source = Orders(
        Ragged(
            concat_ranges(0, system_orders.lengths).astype(np.int32),
            system_orders.positions.offsets,
        )
    )
    value = source_value = float("nan")
    if len(rows):
        segments = (
            Segments.from_orders(orders_scored, references)
            for orders_scored in (system_orders, source)
        )
        value, source_value = (
            float(chosen_metric.corpus_score(scored_segments).value) for scored_segments in segments
        )
    return OrderScore(examples.rule, examples.unaligned, value, source_value, len(rows))


def other_examples(
    treebank: Treebank, alignments: Alignments, examples: OrderExamples, links: str = "all"
) -> OrderExamples:
    """Return the same sentences with the other treatment of unaligned words.

    If they were dropped, they go before the next word; otherwise they are dropped.
    """
    unaligned = "next" if examples.unaligned == "drop" else "drop"
    return order_examples(treebank, alignments, unaligned=unaligned, links=links)


def cross_validated_orders(
    examples: OrderExamples, kind: str, folds: int, *, seed: int = 0, **options: Any
) -> Orders:
    """Return the order of each sentence by a model of the other folds.

    Sentences with the same words share a fold (`grouped_folds`).

    Parameters
    ----------
    examples : OrderExamples
    kind : str
        A name of `ORDER_KINDS`.
    folds : int
        At least 2.
    seed : int
        The seed of the random choices of folds and learners.
    options
        Options of the learner.

    Raises
    ------
    UsageError
        If there are too few sentences, or a fold has nothing to learn from.
    """
    splits = unseen.split_sentences(examples, folds, seed=seed)
    return unseen.unseen_orders(examples, kind, splits, seed=seed, **options)
