"""What learned orders score on sentences that they did not learn from, beside the source order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Int64
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import order_metric
from wordorder.order.orders import Orders
from wordorder.reordering.learned import learned_order
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.reordering.rules import RuleSet, orders_of
from wordorder.segments import Segments
from wordorder.statistics.measurement import Measurement, bootstrap_scores
from wordorder.statistics.paired_tests import compared_on
from wordorder.treebank.treebank import Treebank

# What is told of every learned order: neighbours kept together, and pairs in the right order.
TOLD = ("frs", "kendall")

# By which the kind of model is chosen, and what a consensus looks for then.
BALANCED = "mix(formula=0.5*frs+0.5*kendall)"

# Fewer sentences with a reference order say too little to replace the source order.
FEWEST = 20

# Of so many sentences a fifth is enough to choose by; of fewer, each is held out once. Where they
# are few, models of two thirds of them would be worse than the model of all.
FEW, MANY, PARTS, FOLDS = 500, 2000, 5, 3

RESAMPLES = 1000


@dataclass(frozen=True)
class Beside:
    """What orders score beside the source order of the same sentences, under one metric.

    Attributes
    ----------
    metric : str
    value, source : float
        What the orders score, and the source order.
    interval : (low, high)
        Of `value`, 95 %, by a bootstrap over sentences.
    difference : (low, high)
        Of ``value - source``, 95 %, by a paired bootstrap over the same sentences; positive where
        the orders are better, also under a metric of which lower values are better.
    """

    metric: str
    value: float
    source: float
    interval: tuple[float, float]
    difference: tuple[float, float]

    @property
    def better(self) -> bool:
        """Whether the orders are better than the source order at 95 %."""
        return self.difference[0] > 0

    @property
    def worse(self) -> bool:
        """Whether they are worse at 95 %."""
        return self.difference[1] < 0

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{self.metric} {self.value:.4f} [{low:.4f}, {high:.4f}], source order "
            f"{self.source:.4f}, gain [{self.difference[0]:+.4f}, {self.difference[1]:+.4f}]"
        )


@dataclass(frozen=True)
class HeldOut:
    """What a model of one kind scores on held-out sentences.

    Attributes
    ----------
    kind : str
        A name of `LEARNED`.
    sentences : int
        How many were scored: those with a reference order.
    scores : tuple of Beside
        Under ``frs`` and ``kendall``, and last under the metric that decides, if it is another.
    """

    kind: str
    sentences: int
    scores: tuple[Beside, ...]

    @property
    def helps(self) -> bool:
        """Whether the last metric is better at 95 %, and no other one is worse."""
        enough = self.sentences >= FEWEST and self.scores[-1].better
        return enough and not any(each.worse for each in self.scores)

    def about(self) -> dict[str, Any]:
        """Return what a model file says of it."""
        return {
            "sentences": self.sentences,
            **{
                each.metric: {
                    "value": round(each.value, 4),
                    "source": round(each.source, 4),
                    "interval_95": [round(end, 4) for end in each.interval],
                    "gain_95": [round(end, 4) for end in each.difference],
                }
                for each in self.scores
            },
        }


def beside_source(
    kind: str,
    orders: Orders,
    examples: OrderExamples,
    metric: str,
    *,
    seed: int = 12345,
    other: Orders | None = None,
) -> HeldOut:
    """Score orders beside the source order of the same sentences.

    Parameters
    ----------
    kind : str
        What made the orders.
    orders : Orders
        All words of each sentence.
    examples : OrderExamples
    metric : str
        What decides; ``frs`` and ``kendall`` are told too.
    seed : int
        The seed of the resamples of sentences.
    other : Orders, optional
        Orders of the same sentences to compare with, instead of the source order.

    Raises
    ------
    UsageError
        If the metric does not compare orders.
    """
    rows = np.flatnonzero(examples.ranked)
    names = list(dict.fromkeys([*(each for each in TOLD if each != metric), metric]))
    if not len(rows):
        return HeldOut(kind, 0, ())
    given = learned_order.Unchanged().orders(examples.treebank) if other is None else other
    columns = [
        Segments.from_orders(each.take(rows), examples.references.take(rows))
        for each in (given, orders)
    ]
    metrics = [order_metric(name) for name in names]
    measured = [_measured(each, columns) for each in metrics]
    samples = bootstrap_scores(measured, resamples=RESAMPLES, seed=seed)
    scores = []
    for name, made, measurement, drawn in zip(names, metrics, measured, samples, strict=True):
        source, value = measurement.values().tolist()
        gain = compared_on(measurement, drawn, seed=seed).pair(0, 1).interval_95 or (0.0, 0.0)
        low, high = np.quantile(drawn[1], (0.025, 0.975)).tolist()
        if not made.higher_is_better:
            gain = (0.0 - gain[1], 0.0 - gain[0])
        scores.append(Beside(name, value, source, (low, high), gain))
    return HeldOut(kind, len(rows), tuple(scores))


def _measured(metric: BaseMetric, columns: Sequence[Segments]) -> Measurement:
    statistics = [metric.statistics(each) for each in columns]
    return Measurement(statistics, metric.score, metric.higher_is_better)


def split_sentences(
    examples: OrderExamples, folds: int | None, *, seed: int = 0, one: bool = False
) -> list[tuple[Int64, Int64]]:
    """Return the sentences to learn from and to score on, a pair for each model to be trained.

    Sentences of the same words are on the same side (`grouped_folds`).

    Parameters
    ----------
    examples : OrderExamples
    folds : int, optional
        Each sentence is held out once, by one of so many models. None holds out each sentence
        once in three folds, in five of fewer than 500 sentences, or of 2,000 or more a fifth.
    seed : int
    one : bool
        Without `folds`, hold out a fifth of any number of sentences.

    Raises
    ------
    UsageError
        If there are too few sentences.
    """
    used = folds
    if folds is None:
        folds = used = PARTS if len(examples) < FEW else FOLDS
        if one or len(examples) >= MANY:
            folds, used = PARTS, 1
    fold = learned_order.grouped_folds(examples.treebank, folds, seed=seed)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(used or 0)]


def unseen_orders(
    examples: OrderExamples,
    kind: str,
    splits: Sequence[tuple[Int64, Int64]],
    *,
    seed: int = 0,
    **options: object,
) -> Orders:
    """Return the order that each held-out sentence gets from the model that did not see it.

    Parameters
    ----------
    examples : OrderExamples
    kind : str
        A name of `LEARNED`.
    splits : sequence of (learned from, held out)
        Numbers of sentences; the result has those held out, in their order in `examples`.
    seed : int
    options
        As the kind's learner takes them.

    Raises
    ------
    UsageError
        If a model has nothing to learn from.
    """
    made = learned_order.LEARNED.load(kind)
    parts = []
    for learned, tested in splits:
        learner = made.learner(examples.take(learned), seed=seed, **options)
        parts.append(ordered_by(learned_order.learn_order(learner), examples.treebank.take(tested)))
    back = np.argsort(np.concatenate([tested for _, tested in splits]), kind="stable")
    return Orders.concatenate(parts).take(back)


def ordered_by(model: learned_order.OrderModel | RuleSet, treebank: Treebank) -> Orders:
    """Return the orders of a model, without what they say of how they came about."""
    found = orders_of(model, treebank) if isinstance(model, RuleSet) else model.orders(treebank)
    return Orders(found.positions, found.ranks)


def candidates(
    examples: OrderExamples,
    settings: Mapping[str, Mapping[str, Any]],
    metric: str,
    *,
    folds: int | None = None,
    seed: int = 0,
    one: bool = False,
) -> list[HeldOut]:
    """Return what each kind of model scores on held-out sentences, that to choose first.

    Parameters
    ----------
    examples : OrderExamples
    settings : mapping of kind to mapping
        The kinds to try, and what the learner of each is called with.
    metric : str
        What decides, as `ranked` says.
    folds, seed, one
        As `split_sentences` takes them.

    Returns
    -------
    list of HeldOut
        Empty if there are too few sentences to hold any out.
    """
    different = len({tuple(words) for words in examples.treebank.sentences()})
    if folds is None and different < FEWEST:
        return []
    splits = split_sentences(examples, folds, seed=seed, one=one)
    orders = {
        kind: unseen_orders(examples, kind, splits, seed=seed, **options)
        for kind, options in settings.items()
    }
    tested = examples.take(np.sort(np.concatenate([each for _, each in splits])))
    return ranked(orders, tested, metric, seed=seed)


def ranked(
    orders: Mapping[str, Orders],
    tested: OrderExamples,
    metric: str,
    *,
    seed: int = 0,
    steady: str = "consensus",
) -> list[HeldOut]:
    """Return what the orders of each kind of model score, the kind to choose first.

    They are sorted by `metric`, but a kind that is not better than the steady one at 95 % comes
    after it: the best of several scores is partly luck, and many models err less than one.

    Parameters
    ----------
    orders : mapping of kind to Orders
    tested : OrderExamples
        The same sentences.
    metric, seed
        As `beside_source` takes them.
    steady : str
        The kind that others have to beat, if it is there.
    """
    found = [beside_source(kind, each, tested, metric, seed=seed) for kind, each in orders.items()]
    sign = 1.0 if order_metric(metric).higher_is_better else -1.0

    def place(each: HeldOut) -> tuple[int, float]:
        beats = each.kind == steady or steady not in orders
        if not beats:
            own, other = orders[each.kind], orders[steady]
            beside = beside_source(each.kind, own, tested, metric, seed=seed, other=other)
            beats = beside.scores[-1].better
        return 0 if beats else 1, -sign * each.scores[-1].value

    return sorted((each for each in found if each.sentences), key=place)
