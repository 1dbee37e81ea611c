"""Fields that an evaluation adds to the signatures of its scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from wordorder.metrics.contract import BaseMetric, Score
from wordorder.scoring.systems import Evaluation


def with_counted_links(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], links: str
) -> Evaluation:
    """Add which links counted to the signatures of metrics that read links, unless all did."""
    if links == "all":
        return evaluation

    def sign(score: Score, metric: BaseMetric) -> Score:
        if {"permutation", "links", "gold"}.isdisjoint(metric.columns):
            return score
        return score.with_fields(("links", links))

    return with_signatures(evaluation, metrics, sign)


def with_signatures(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    sign: Callable[[Score, BaseMetric], Score],
) -> Evaluation:
    """Return an evaluation with the scores that `sign` returns, which have other signatures."""
    systems = [
        replace(system, scores=tuple(map(sign, system.scores, metrics)))
        for system in evaluation.systems
    ]
    return replace(evaluation, systems=tuple(systems))
