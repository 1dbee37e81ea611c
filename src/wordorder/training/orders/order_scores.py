"""How good learned orders are: under the rule they were trained under, and under the other one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.formula import named_metric
from wordorder.order.orders import Orders
from wordorder.ragged import Ragged
from wordorder.reordering.base import RuleSet, orders_of
from wordorder.reordering.learned.base import OrderModel
from wordorder.reordering.learned.examples import OrderExamples, order_examples
from wordorder.reordering.learned.folds import grouped_folds
from wordorder.reordering.learned.kinds import LEARNED
from wordorder.reordering.learned.training import learn_order
from wordorder.segments import Segments
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int32, Int64


@dataclass(frozen=True)
class OrderScore:
    """What orders score under a rule.

    Attributes
    ----------
    rule, unaligned : str
        As `wordorder.order.reference.reference_orders` takes them.
    value : float
        What the orders score, a mean over sentences.
    source : float
        What the source order scores.
    sentences : int
        How many are scored; the others have no reference order under the rule.
    """

    rule: str
    unaligned: str
    value: float
    source: float
    sentences: int

    def __str__(self) -> str:
        return (
            f"{self.value:.4f} under {self.rule}/{self.unaligned} "
            f"(source order {self.source:.4f}, {self.sentences:,} sentences)"
        )


def order_score(orders: Orders, examples: OrderExamples, metric: str | BaseMetric) -> OrderScore:
    """Score orders against the references of examples.

    Parameters
    ----------
    orders : Orders
        All words of each sentence.
    examples : OrderExamples
    metric : name or metric
        One that compares orders.

    Raises
    ------
    UsageError
        If the metric does not compare orders.
    """
    chosen = named_metric(metric) if isinstance(metric, str) else metric
    rows = np.flatnonzero(examples.ranked)
    references = examples.references.take(rows)
    own = orders.take(rows)
    there = own.lengths
    source = Orders(Ragged(_source(there), own.positions.offsets))
    value, of_source = (
        _mean(chosen, Segments.from_orders(each, references)) if len(rows) else float("nan")
        for each in (own, source)
    )
    return OrderScore(examples.rule, examples.unaligned, value, of_source, len(rows))


def other_examples(
    treebank: Treebank, alignments: Alignments, examples: OrderExamples, links: str = "all"
) -> OrderExamples:
    """Return the same sentences with the other treatment of unaligned words.

    Where they were dropped, they go before the next word; otherwise they are dropped.
    """
    unaligned = "next" if examples.unaligned == "drop" else "drop"
    return order_examples(treebank, alignments, unaligned=unaligned, links=links)


def cross_validated(
    examples: OrderExamples, kind: str, folds: int, *, seed: int = 0, **options: object
) -> Orders:
    """Return the order that each sentence gets from a model of the other folds.

    Sentences of the same words share a fold (`grouped_folds`).

    Parameters
    ----------
    examples : OrderExamples
    kind : str
        A name of `LEARNED`.
    folds : int
        At least 2.
    seed : int
        Where the random choices of folds and learners start.
    options
        As the kind's learner takes them.

    Raises
    ------
    UsageError
        If there are too few sentences, or a fold has nothing to learn from.
    """
    fold = grouped_folds(examples.treebank, folds, seed=seed)
    made = LEARNED.load(kind)
    parts, places = [], []
    for number in range(folds):
        learner = made.learner(examples.take(np.flatnonzero(fold != number)), seed=seed, **options)
        tested = np.flatnonzero(fold == number)
        parts.append(ordered_by(learn_order(learner), examples.treebank.take(tested)))
        places.append(tested)
    back = np.argsort(np.concatenate(places), kind="stable")
    return Orders.concatenate(parts).take(back)


def ordered_by(model: OrderModel | RuleSet, treebank: Treebank) -> Orders:
    """Return the orders of a model, without what they say of how they came about."""
    found = orders_of(model, treebank) if isinstance(model, RuleSet) else model.orders(treebank)
    return Orders(found.positions, found.ranks)


def _mean(metric: BaseMetric, segments: Segments) -> float:
    return float(metric.corpus_score(segments).value)


def _source(lengths: Int64) -> Int32:
    starts = np.cumsum(lengths) - lengths
    return (np.arange(int(lengths.sum())) - np.repeat(starts, lengths)).astype(np.int32)
