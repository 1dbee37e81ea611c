"""Which figures each verb writes."""

from __future__ import annotations

from collections.abc import Iterator

from wordorder.drawing.figure import Figure
from wordorder.report.figures.system_figures import (
    ScoredSystems,
    difference_figures,
    system_figures,
)
from wordorder.scoring.comparisons import ComparedSystems
from wordorder.scoring.length_scores import LengthScores, scores_by_length
from wordorder.scoring.scores import Scores, scores_of_segments


def score_figures(found: Scores, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder score``.

    Parameters
    ----------
    found : Scores
        With the scores and lengths of its segments.
    level : float
        Of the intervals, if there are any.
    """
    return system_figures(
        ScoredSystems(
            found.evaluation,
            found.metrics,
            found.estimates,
            level,
            _lengths(found),
            found.segments,
        )
    )


def comparison_figures(found: ComparedSystems, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder compare``.

    Parameters
    ----------
    found : ComparedSystems
        With the intervals of its systems and the lengths of its segments.
    level : float
        Of the intervals.
    """
    scored = ScoredSystems(
        found.evaluation,
        found.metrics,
        found.estimates,
        level,
        _lengths(found),
        scores_of_segments(found.evaluation, found.metrics),
    )
    yield from system_figures(scored)
    yield from difference_figures(scored, found.comparisons)


def _lengths(found: Scores | ComparedSystems) -> LengthScores | None:
    if found.evaluation.lengths is None:
        return None
    return scores_by_length(found.evaluation, found.metrics)
