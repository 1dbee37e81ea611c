"""Scores of learned orders and of the source order on held-out sentences."""

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

# Metrics reported for every learned order: by adjacent words, and by pairs in the right order.
REPORTED_METRICS = ("frs", "kendall")

# The metric by which ``auto`` chooses the kind of model, and which a consensus then maximises.
BALANCED_METRIC = "mix(formula=0.5*frs+0.5*kendall)"

# With fewer sentences that have a reference order, the source order is not replaced.
MIN_SENTENCES = 20

# Below SMALL_CORPUS sentences there are more folds, since models of two thirds of so few would be
# much worse than the model of all. From LARGE_CORPUS on, one held-out fold is enough.
SMALL_CORPUS, LARGE_CORPUS, SMALL_CORPUS_FOLDS, DEFAULT_FOLDS = 500, 2000, 5, 3

RESAMPLES = 1000


def metric_in_words(metric: str) -> str:
    """Return the name of a metric in messages.

    Examples
    --------
    >>> metric_in_words(BALANCED_METRIC), metric_in_words("frs")
    ('mean of FRS and tau', 'FRS')
    """
    return "mean of FRS and tau" if metric == BALANCED_METRIC else called(metric)


@dataclass(frozen=True)
class HeldOutComparison:
    """The scores of orders and of the source order of the same sentences under one metric.

    Attributes
    ----------
    metric : str
    value, source : float
        The score of the orders, and of the source order.
    interval : (low, high)
        The 95 % interval of `value`, by a bootstrap over sentences.
    difference : (low, high)
        The 95 % interval of ``value - source``, by a paired bootstrap over the same sentences;
        positive if the orders are better, also for metrics for which lower is better.
    """

    metric: str
    value: float
    source: float
    interval: tuple[float, float]
    difference: tuple[float, float]

    @property
    def better(self) -> bool:
        """Whether the orders are significantly better than the source order (95 %)."""
        return self.difference[0] > 0

    @property
    def worse(self) -> bool:
        """Whether the orders are significantly worse than the source order (95 %)."""
        return self.difference[1] < 0

    def __str__(self) -> str:
        low, high = self.interval
        return (
            f"{metric_in_words(self.metric)} {self.value:.4f} [{low:.4f}, {high:.4f}], source "
            f"order {self.source:.4f}, gain [{self.difference[0]:+.4f}, {self.difference[1]:+.4f}]"
        )


@dataclass(frozen=True)
class HeldOut:
    """The scores of one kind of model on held-out sentences.

    Attributes
    ----------
    kind : str
        A name of `ORDER_KINDS`.
    sentences : int
        The number of scored sentences, which have a reference order.
    scores : tuple of HeldOutComparison
        By ``frs`` and ``kendall``, and last by the metric that decides, if it is another.
    under : str
        The rule and the treatment of unaligned words behind the reference orders:
        ``topdown-btg/drop``.
    second : HeldOut, optional
        The scores of the same sentences under the other treatment of unaligned words.
    """

    kind: str
    sentences: int
    scores: tuple[HeldOutComparison, ...]
    under: str = ""
    second: HeldOut | None = None

    @property
    def treatments(self) -> tuple[HeldOut, ...]:
        """The scores under both treatments of unaligned words, first under its own."""
        return (self,) if self.second is None else (self, self.second)

    @property
    def better(self) -> bool:
        """Whether it is significantly better than the source order by the last metric."""
        return self.sentences >= MIN_SENTENCES and self.scores[-1].better

    @property
    def helps(self) -> bool:
        """Whether it is better under both treatments, and worse by no metric under its own."""
        worse = any(score.worse for score in self.scores)
        return not worse and all(treatment.better for treatment in self.treatments)

    def shortfalls(self) -> list[str]:
        """Describe the treatments under which it is not significantly better than the source."""
        texts = []
        for treatment in self.treatments:
            worse = [str(score) for score in treatment.scores if score.worse]
            unsure = [str(score) for score in treatment.scores if not (score.better or score.worse)]
            for verdict, scores in (("worse", worse), ("not surely different", unsure)):
                texts += (
                    [f"{verdict} under {treatment.under}: {'; '.join(scores)}"] if scores else []
                )
        return texts

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


def compare_with_source(
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
        The kind of model behind the orders.
    orders : Orders
        Orders of all words of each sentence.
    examples : OrderExamples
    metric : str
        The metric that decides; ``frs`` and ``kendall`` are computed too.
    seed : int
        The seed of the bootstrap.
    baseline : Orders, optional
        Orders of the same sentences to compare with, instead of the source order.
    second : OrderExamples, optional
        The same sentences with the other treatment of unaligned words, to be scored too.

    Raises
    ------
    UsageError
        If the metric does not compare orders.
    """
    rows = np.flatnonzero(examples.ranked)
    names = list(dict.fromkeys([*(name for name in REPORTED_METRICS if name != metric), metric]))
    under = f"{examples.rule}/{examples.unaligned}"
    other_comparison = (
        None
        if second is None
        else compare_with_source(kind, orders, second, metric, seed=seed, baseline=baseline)
    )
    if not len(rows):
        return HeldOut(kind, 0, (), under, other_comparison)
    baseline_orders = (
        learned_order.Unchanged().orders(examples.treebank) if baseline is None else baseline
    )
    segments = [
        Segments.from_orders(candidate.take(rows), examples.references.take(rows))
        for candidate in (baseline_orders, orders)
    ]
    metrics = [order_metric(name) for name in names]
    measurements = [_measure(scored_metric, segments) for scored_metric in metrics]
    samples = bootstrap_scores(measurements, resamples=RESAMPLES, seed=seed)
    scores = []
    for name, metric_used, measurement, resampled in zip(
        names, metrics, measurements, samples, strict=True
    ):
        source, value = measurement.values().tolist()
        gain = compare_resamples(measurement, resampled, seed=seed).pair(0, 1).interval_95 or (
            0.0,
            0.0,
        )
        low, high = np.quantile(resampled[1], (0.025, 0.975)).tolist()
        if not metric_used.higher_is_better:
            gain = (0.0 - gain[1], 0.0 - gain[0])
        scores.append(HeldOutComparison(name, value, source, (low, high), gain))
    return HeldOut(kind, len(rows), tuple(scores), under, other_comparison)


def _measure(metric: BaseMetric, segments: Sequence[Segments]) -> Measurement:
    statistics = [metric.statistics(column) for column in segments]
    return Measurement(statistics, metric.score, metric.higher_is_better)


def split_sentences(
    examples: OrderExamples, folds: int | None, *, seed: int = 0, single: bool = False
) -> list[tuple[Int64, Int64]]:
    """Return the rows to learn from and the rows to score, one pair for each model to train.

    Sentences with the same words are on the same side (`grouped_folds`).

    Parameters
    ----------
    examples : OrderExamples
    folds : int, optional
        The number of models; each sentence is held out for one of them. None stands for 3, for 5
        with fewer than 500 sentences, and for a single fifth with 2,000 or more.
    seed : int
    single : bool
        Without `folds`, hold out a fifth of any number of sentences.

    Raises
    ------
    UsageError
        If there are too few sentences.
    """
    model_count = folds
    if folds is None:
        folds = model_count = SMALL_CORPUS_FOLDS if len(examples) < SMALL_CORPUS else DEFAULT_FOLDS
        if single or len(examples) >= LARGE_CORPUS:
            folds, model_count = SMALL_CORPUS_FOLDS, 1
    fold_of_row = grouped_folds(examples.treebank, folds, seed=seed)
    return [
        (np.flatnonzero(fold_of_row != k), np.flatnonzero(fold_of_row == k))
        for k in range(model_count or 0)
    ]


def unseen_orders(
    examples: OrderExamples,
    kind: str,
    splits: Sequence[tuple[Int64, Int64]],
    *,
    seed: int = 0,
    on_estimate: Callable[[str, float], object] | None = None,
    **options: Any,
) -> Orders:
    """Return the order of each held-out sentence by the model that did not learn from it.

    Parameters
    ----------
    examples : OrderExamples
    kind : str
        A name of `ORDER_KINDS`.
    splits : sequence of (training rows, held-out rows)
        The result has the held-out rows, in their order in `examples`.
    seed : int
    on_estimate : callable, optional
        Called after the first epoch with the kind and the estimated seconds for all its models.
    options
        As the kind's learner takes them.

    Raises
    ------
    UsageError
        If a model has nothing to learn from.
    """
    model_class = learned_order.ORDER_KINDS.load(kind)
    parts: list[Orders] = []
    for learned, tested in splits:
        learner = model_class.learner(examples.take(learned), seed=seed, **options)
        start = time.monotonic()

        def report_estimate(
            epoch: int,
            tally: object,
            learner: learned_order.OrderLearner = learner,
            start: float = start,
        ) -> None:
            if epoch == 1 and not parts and on_estimate is not None:
                on_estimate(
                    kind, len(splits) * estimate_duration(learner, time.monotonic() - start)
                )

        model = learned_order.learn_order(learner, on_epoch=report_estimate)
        parts.append(orders_without_provenance(model, examples.treebank.take(tested)))
    original_order = np.argsort(np.concatenate([tested for _, tested in splits]), kind="stable")
    return Orders.concatenate(parts).take(original_order)


def estimate_duration(learner: learned_order.OrderLearner, first_epoch_seconds: float) -> float:
    """Return the estimated seconds of a training, from those of its first epoch."""
    return first_epoch_seconds * float(getattr(learner, "work", learner.epochs))


def orders_without_provenance(
    model: learned_order.OrderModel | RuleSet, treebank: Treebank
) -> Orders:
    """Return the orders of a model without their provenance."""
    orders = orders_of(model, treebank) if isinstance(model, RuleSet) else model.orders(treebank)
    return Orders(orders.positions, orders.ranks)


def compare_kinds(
    examples: OrderExamples,
    settings: Mapping[str, Mapping[str, Any]],
    metric: str,
    *,
    folds: int | None = None,
    seed: int = 0,
    single: bool = False,
    second: OrderExamples | None = None,
    on_estimate: Callable[[str, float], object] | None = None,
) -> list[HeldOut]:
    """Score kinds of models on held-out sentences, and rank them as `rank_kinds` does.

    Parameters
    ----------
    examples : OrderExamples
    settings : mapping of kind to mapping
        The kinds to try, and the options of their learners.
    metric : str
        The metric that decides.
    folds, seed, single
        As `split_sentences` takes them.
    second : OrderExamples, optional
        As `beside_source` takes it.
    on_estimate : callable, optional
        As `unseen_orders` takes it.

    Returns
    -------
    list of HeldOut
        Empty if there are too few sentences to hold any out.
    """
    distinct_count = len({tuple(words) for words in examples.treebank.sentences()})
    if folds is None and distinct_count < MIN_SENTENCES:
        return []
    splits = split_sentences(examples, folds, seed=seed, single=single)
    orders = {
        kind: unseen_orders(examples, kind, splits, seed=seed, on_estimate=on_estimate, **options)
        for kind, options in settings.items()
    }
    rows = np.sort(np.concatenate([tested_rows for _, tested_rows in splits]))
    other_tested = None if second is None else second.take(rows)
    return rank_kinds(orders, examples.take(rows), metric, seed=seed, second=other_tested)


def rank_kinds(
    orders: Mapping[str, Orders],
    tested: OrderExamples,
    metric: str,
    *,
    seed: int = 0,
    baseline_kind: str = "consensus",
    second: OrderExamples | None = None,
) -> list[HeldOut]:
    """Score the orders of kinds of models, and return the kind to choose first.

    They are sorted by `metric`, but a kind that is not significantly better than the baseline comes
    after it: the best of several scores is partly luck, and a consensus of many models errs less.

    Parameters
    ----------
    orders : mapping of kind to Orders
    tested : OrderExamples
        The held-out sentences.
    metric, seed, second
        As `beside_source` takes them.
    baseline_kind : str
        The kind that others have to beat, if it is among them.
    """
    results = [
        compare_with_source(kind, orders_of_kind, tested, metric, seed=seed, second=second)
        for kind, orders_of_kind in orders.items()
    ]
    sign = 1.0 if order_metric(metric).higher_is_better else -1.0

    def sort_key(result: HeldOut) -> tuple[int, float]:
        beats = result.kind == baseline_kind or baseline_kind not in orders
        if not beats:
            kind_orders, baseline_orders = orders[result.kind], orders[baseline_kind]
            comparison = compare_with_source(
                result.kind, kind_orders, tested, metric, seed=seed, baseline=baseline_orders
            )
            beats = comparison.scores[-1].better
        return 0 if beats else 1, -sign * result.scores[-1].value

    return sorted((result for result in results if result.sentences), key=sort_key)
