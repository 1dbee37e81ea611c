"""What signatures of scores say besides what their metrics say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from wordorder.metrics.contract import BaseMetric, Score
from wordorder.scoring.systems import Evaluation


def with_counted_links(
    evaluation: Evaluation, metrics: Sequence[BaseMetric], links: str
) -> Evaluation:
    """Say in the signatures of what reads links which of them counted, unless all did."""
    if links == "all":
        return evaluation

    def signed(score: Score, metric: BaseMetric) -> Score:
        if {"permutation", "links", "gold"}.isdisjoint(metric.columns):
            return score
        return replace(score, signature=score.signature.with_fields(("links", links)))

    return with_signatures(evaluation, metrics, signed)


def with_signatures(
    evaluation: Evaluation,
    metrics: Sequence[BaseMetric],
    signed: Callable[[Score, BaseMetric], Score],
) -> Evaluation:
    """Return an evaluation whose scores `signed` gave other signatures."""
    systems = [
        replace(each, scores=tuple(map(signed, each.scores, metrics)))
        for each in evaluation.systems
    ]
    return replace(evaluation, systems=tuple(systems))
