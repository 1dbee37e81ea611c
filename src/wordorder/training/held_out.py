"""Scores of learned orders on sentences that they did not learn from, and of the source order."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.arrays import Int64
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import called, order_metric
from wordorder.order.orders import Orders
from wordorder.reordering.learned import learned_order
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.reordering.rules import RuleSet, orders_of
from wordorder.segments import Segments
from wordorder.statistics.measurement import Measurement, bootstrap_scores
from wordorder.statistics.paired_tests import compare_resamples
from wordorder.treebank.folds import grouped_folds
from wordorder.treebank.treebank import Treebank

# Metrics reported for every learned order: neighbours kept together, pairs in the right order.
TOLD = ("frs", "kendall")

# By which the kind of model is chosen, and what a consensus looks for then.
BALANCED = "mix(formula=0.5*frs+0.5*kendall)"

# Fewer sentences with a reference order say too little to replace the source order.
FEWEST = 20

# From this number of sentences on a fifth is enough; of fewer, each is held out once. Where they
# are few, models of two thirds of them would be worse than the model of all.
FEW, MANY, PARTS, FOLDS = 500, 2000, 5, 3

RESAMPLES = 1000


def metric_in_words(metric: str) -> str:
    """Return what messages call a metric.

    Examples
    --------
    >>> metric_in_words(BALANCED), metric_in_words("frs")
    ('mean of FRS and tau', 'FRS')
    """
    return "mean of FRS and tau" if metric == BALANCED else called(metric)


@dataclass(frozen=True)
class HeldOutComparison:
    """The scores of orders and of the source order of the same sentences under one metric.

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
            f"{metric_in_words(self.metric)} {self.value:.4f} [{low:.4f}, {high:.4f}], source "
            f"order {self.source:.4f}, gain [{self.difference[0]:+.4f}, {self.difference[1]:+.4f}]"
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
    scores : tuple of HeldOutComparison
        Under ``frs`` and ``kendall``, and last under the metric that decides, if it is another.
    under : str
        The rule and the treatment of words without a link that made the reference orders:
        ``topdown-btg/drop``.
    second : HeldOut, optional
        The same of the same sentences under the other treatment of words without a link.
    """

    kind: str
    sentences: int
    scores: tuple[HeldOutComparison, ...]
    under: str = ""
    second: HeldOut | None = None

    @property
    def treatments(self) -> tuple[HeldOut, ...]:
        """What it scores under its own treatment of words without a link and under the other."""
        return (self,) if self.second is None else (self, self.second)

    @property
    def better(self) -> bool:
        """Whether the last metric is better at 95 % than that of the source order."""
        return self.sentences >= FEWEST and self.scores[-1].better

    @property
    def helps(self) -> bool:
        """Whether it is better under both treatments, and under its own no metric is worse."""
        worse = any(score.worse for score in self.scores)
        return not worse and all(treatment.better for treatment in self.treatments)

    def shortfalls(self) -> list[str]:
        """Say under which treatments it is worse than the source order, or not surely different."""
        lost = []
        for treatment in self.treatments:
            worse = [str(score) for score in treatment.scores if score.worse]
            unsure = [str(score) for score in treatment.scores if not (score.better or score.worse)]
            for verdict, scores in (("worse", worse), ("not surely different", unsure)):
                lost += (
                    [f"{verdict} under {treatment.under}: {'; '.join(scores)}"] if scores else []
                )
        return lost

    def about(self) -> dict[str, Any]:
        """Return the metadata for a model file."""
        second = {} if self.second is None else {"second": self.second.about()}
        return {
            "sentences": self.sentences,
            "under": self.under,
            **second,
            **{
                score.metric: {
                    "value": round(score.value, 4),
                    "source": round(score.source, 4),
                    "interval_95": [round(end, 4) for end in score.interval],
                    "gain_95": [round(end, 4) for end in score.difference],
                }
                for score in self.scores
            },
        }


def beside_source(
    kind: str,
    orders: Orders,
    examples: OrderExamples,
    metric: str,
    *,
    seed: int = 12345,
    baseline: Orders | None = None,
    second: OrderExamples | None = None,
) -> HeldOut:
    """Score orders and the source order of the same sentences.

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
    baseline : Orders, optional
        Orders of the same sentences to compare with, instead of the source order.
    second : OrderExamples, optional
        The same sentences with the other treatment of words without a link, to score them there
        too.

    Raises
    ------
    UsageError
        If the metric does not compare orders.
    """
    rows = np.flatnonzero(examples.ranked)
    names = list(dict.fromkeys([*(name for name in TOLD if name != metric), metric]))
    under = f"{examples.rule}/{examples.unaligned}"
    there = (
        None
        if second is None
        else beside_source(kind, orders, second, metric, seed=seed, baseline=baseline)
    )
    if not len(rows):
        return HeldOut(kind, 0, (), under, there)
    baseline_orders = (
        learned_order.Unchanged().orders(examples.treebank) if baseline is None else baseline
    )
    columns = [
        Segments.from_orders(candidate.take(rows), examples.references.take(rows))
        for candidate in (baseline_orders, orders)
    ]
    metrics = [order_metric(name) for name in names]
    measured = [_measured(scored_metric, columns) for scored_metric in metrics]
    samples = bootstrap_scores(measured, resamples=RESAMPLES, seed=seed)
    scores = []
    for name, metric_used, measurement, sample in zip(
        names, metrics, measured, samples, strict=True
    ):
        source, value = measurement.values().tolist()
        gain = compare_resamples(measurement, sample, seed=seed).pair(0, 1).interval_95 or (
            0.0,
            0.0,
        )
        low, high = np.quantile(sample[1], (0.025, 0.975)).tolist()
        if not metric_used.higher_is_better:
            gain = (0.0 - gain[1], 0.0 - gain[0])
        scores.append(HeldOutComparison(name, value, source, (low, high), gain))
    return HeldOut(kind, len(rows), tuple(scores), under, there)


def _measured(metric: BaseMetric, columns: Sequence[Segments]) -> Measurement:
    statistics = [metric.statistics(column) for column in columns]
    return Measurement(statistics, metric.score, metric.higher_is_better)


def split_sentences(
    examples: OrderExamples, folds: int | None, *, seed: int = 0, single: bool = False
) -> list[tuple[Int64, Int64]]:
    """Return the sentences to learn from and to score on, a pair for each model to be trained.

    Sentences of the same words are on the same side (`grouped_folds`).

    Parameters
    ----------
    examples : OrderExamples
    folds : int, optional
        Each sentence is held out once, for one of this number of models. None holds each one out
        once in three folds, in five of fewer than 500 sentences, or of 2,000 or more a fifth.
    seed : int
    single : bool
        Without `folds`, hold out a fifth of any number of sentences.

    Raises
    ------
    UsageError
        If there are too few sentences.
    """
    used = folds
    if folds is None:
        folds = used = PARTS if len(examples) < FEW else FOLDS
        if single or len(examples) >= MANY:
            folds, used = PARTS, 1
    fold = grouped_folds(examples.treebank, folds, seed=seed)
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(used or 0)]


def unseen_orders(
    examples: OrderExamples,
    kind: str,
    splits: Sequence[tuple[Int64, Int64]],
    *,
    seed: int = 0,
    estimated: Callable[[str, float], object] | None = None,
    **options: Any,
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
    estimated : callable, optional
        Takes the kind and about how many seconds all its models take, after the first epoch.
    options
        As the kind's learner takes them.

    Raises
    ------
    UsageError
        If a model has nothing to learn from.
    """
    model_class = learned_order.LEARNED.load(kind)
    parts: list[Orders] = []
    for learned, tested in splits:
        learner = model_class.learner(examples.take(learned), seed=seed, **options)
        begin = time.monotonic()

        def after(
            epoch: int,
            tally: object,
            learner: learned_order.OrderLearner = learner,
            begin: float = begin,
        ) -> None:
            if epoch == 1 and not parts and estimated is not None:
                estimated(kind, len(splits) * whole_time(learner, time.monotonic() - begin))

        model = learned_order.learn_order(learner, on_epoch=after)
        parts.append(ordered_by(model, examples.treebank.take(tested)))
    back = np.argsort(np.concatenate([tested for _, tested in splits]), kind="stable")
    return Orders.concatenate(parts).take(back)


def whole_time(learner: learned_order.OrderLearner, first: float) -> float:
    """Return about how long a training takes whose first epoch took so long."""
    return first * float(getattr(learner, "work", learner.epochs))


def ordered_by(model: learned_order.OrderModel | RuleSet, treebank: Treebank) -> Orders:
    """Return the orders of a model without their provenance."""
    orders = orders_of(model, treebank) if isinstance(model, RuleSet) else model.orders(treebank)
    return Orders(orders.positions, orders.ranks)


def candidates(
    examples: OrderExamples,
    settings: Mapping[str, Mapping[str, Any]],
    metric: str,
    *,
    folds: int | None = None,
    seed: int = 0,
    single: bool = False,
    second: OrderExamples | None = None,
    estimated: Callable[[str, float], object] | None = None,
) -> list[HeldOut]:
    """Return what each kind of model scores on held-out sentences, that to choose first.

    Parameters
    ----------
    examples : OrderExamples
    settings : mapping of kind to mapping
        The kinds to try, and what the learner of each is called with.
    metric : str
        What decides, as `ranked` says.
    folds, seed, single
        As `split_sentences` takes them.
    second : OrderExamples, optional
        As `beside_source` takes it.
    estimated : callable, optional
        As `unseen_orders` takes it.

    Returns
    -------
    list of HeldOut
        Empty if there are too few sentences to hold any out.
    """
    different = len({tuple(words) for words in examples.treebank.sentences()})
    if folds is None and different < FEWEST:
        return []
    splits = split_sentences(examples, folds, seed=seed, single=single)
    orders = {
        kind: unseen_orders(examples, kind, splits, seed=seed, estimated=estimated, **options)
        for kind, options in settings.items()
    }
    rows = np.sort(np.concatenate([tested_rows for _, tested_rows in splits]))
    there = None if second is None else second.take(rows)
    return ranked(orders, examples.take(rows), metric, seed=seed, second=there)


def ranked(
    orders: Mapping[str, Orders],
    tested: OrderExamples,
    metric: str,
    *,
    seed: int = 0,
    steady: str = "consensus",
    second: OrderExamples | None = None,
) -> list[HeldOut]:
    """Return what the orders of each kind of model score, the kind to choose first.

    They are sorted by `metric`, but a kind that is not better than the steady one at 95 % comes
    after it: the best of several scores is partly luck, and many models err less than one.

    Parameters
    ----------
    orders : mapping of kind to Orders
    tested : OrderExamples
        The same sentences.
    metric, seed, second
        As `beside_source` takes them.
    steady : str
        The kind that others have to beat, if it is there.
    """
    results = [
        beside_source(kind, orders_of_kind, tested, metric, seed=seed, second=second)
        for kind, orders_of_kind in orders.items()
    ]
    sign = 1.0 if order_metric(metric).higher_is_better else -1.0

    def place(result: HeldOut) -> tuple[int, float]:
        beats = result.kind == steady or steady not in orders
        if not beats:
            kind_orders, steady_orders = orders[result.kind], orders[steady]
            comparison = beside_source(
                result.kind, kind_orders, tested, metric, seed=seed, baseline=steady_orders
            )
            beats = comparison.scores[-1].better
        return 0 if beats else 1, -sign * result.scores[-1].value

    return sorted((result for result in results if result.sentences), key=place)
