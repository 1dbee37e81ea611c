"""Which figures each command writes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from wordorder.analysis.analysis import Analysis
from wordorder.analysis.grid import Grid
from wordorder.analysis.translations.translation_analysis import TranslationAnalysis
from wordorder.drawing.figure import Figure
from wordorder.metrics.contract import BaseMetric
from wordorder.report.figures.metric_scores import MetricScores, metric_scores
from wordorder.report.figures.system_figures import difference_figure, system_figures
from wordorder.scoring.comparisons import ComparedSystems
from wordorder.scoring.length_scores import LengthScores, scores_by_length
from wordorder.scoring.scores import Scores, scores_of_segments
from wordorder.scoring.systems import Evaluation
from wordorder.statistics.measurement import Measurement


def score_figures(found: Scores, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder score``.

    Parameters
    ----------
    found : Scores
        With the scores and lengths of its segments.
    level : float
        Of the intervals, if there are any.
    """
    metrics = list(metric_scores(found.evaluation, found.metrics, found.estimates, found.segments))
    yield from system_figures(metrics, _lengths(found.evaluation, found.metrics), level=level)


def comparison_figures(found: ComparedSystems, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder compare``.

    Parameters
    ----------
    found : ComparedSystems
        With the intervals of its systems and the lengths of its segments.
    level : float
        Of the intervals.
    """
    evaluation = found.evaluation
    segments = scores_of_segments(evaluation, found.metrics)
    metrics = list(metric_scores(evaluation, found.metrics, found.estimates, segments))
    yield from system_figures(metrics, _lengths(evaluation, found.metrics), level=level)
    for scores, comparison in zip(metrics, found.comparisons, strict=True):
        yield from difference_figure(scores, comparison)


def grid_figures(grid: Grid) -> Iterator[Figure]:
    """Yield the figures of ``wordorder evaluate``: systems of one parser are together."""
    evaluation = grid.evaluation
    segments = scores_of_segments(evaluation, grid.metrics)
    metrics = list(metric_scores(evaluation, grid.metrics, grid.estimates, segments))
    lengths = _lengths(evaluation, grid.metrics)
    yield from system_figures(metrics, lengths, level=grid.level, groups=_by_parser(grid))


def analysis_figures(analysis: Analysis, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder analyze`` of orders.

    Parameters
    ----------
    analysis : Analysis
    level : float
        Of the intervals.
    """
    sentences = [np.where(system.skipped, np.nan, system.scores) for system in analysis.systems]
    metrics = [
        MetricScores(
            each.metric,
            each.higher_is_better,
            each.names,
            each.estimates,
            (each.signature,) * len(each.names),
            None if m else np.stack(sentences),
        )
        for m, each in enumerate(analysis.intervals)
    ]
    groups = None if analysis.grid is None else _by_parser(analysis.grid)
    yield from system_figures(metrics, analysis.lengths, level=level, groups=groups)


def translation_figures(analysis: TranslationAnalysis, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder analyze`` of translations.

    Parameters
    ----------
    analysis : TranslationAnalysis
    level : float
        Of the intervals.
    """
    translations = analysis.translations
    metrics = [
        MetricScores(
            each.metric,
            each.higher_is_better,
            each.names,
            each.estimates,
            (each.signature,) * len(each.names),
            np.stack([system.scores[m] for system in translations.systems]),
        )
        for m, each in enumerate(analysis.intervals)
    ]
    words = translations.systems[0].segments.words_of_reference
    measured = [translations.measurement(m) for m in range(len(metrics))]
    lengths = None if words is None else scores_by_length(words, measured)
    yield from system_figures(metrics, lengths, level=level)
    for scores, comparison in zip(metrics, analysis.comparisons, strict=True):
        yield from difference_figure(scores, comparison)


def _by_parser(grid: Grid) -> list[int]:
    return [p for p, group in enumerate(grid.with_parser) for _ in group]


def _lengths(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> LengthScores | None:
    if evaluation.lengths is None:
        return None
    # Of all segments, whatever intervals are made of.
    measured = [
        Measurement([system.statistics[m] for system in evaluation.systems], metric.score)
        for m, metric in enumerate(metrics)
    ]
    return scores_by_length(evaluation.lengths, measured)
