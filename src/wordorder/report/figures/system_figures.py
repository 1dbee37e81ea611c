"""The figures of systems under metrics: bars, intervals, lengths, systems and metrics compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from wordorder.counts import counted
from wordorder.drawing.figure import Cell, Figure
from wordorder.drawing.text_size import fitted_names, printed_width
from wordorder.notes import note
from wordorder.report.figures.metric_scores import MetricScores
from wordorder.report.figures.score_bars import score_bars
from wordorder.report.figures.score_curves import score_curves
from wordorder.report.figures.score_points import score_points
from wordorder.report.figures.segment_rows import SegmentRows
from wordorder.report.file_names import file_name
from wordorder.scoring.length_scores import LengthScores
from wordorder.statistics.comparison import Comparison
from wordorder.statistics.intervals import Estimate
from wordorder.types import Float64

# The best system is drawn against so many of the next best ones, the first metric against so many
# of the others.
_AGAINST = 3
# More pairs of systems are not drawn, but those with the best one.
_PAIRS = 15
_HALF = 44.0
# A label of an axis has this room at least.
_AXIS = 168.0
# Fewer systems are no picture of how two metrics agree.
_LEAST = 3


def system_figures(
    metrics: Sequence[MetricScores],
    lengths: LengthScores | None = None,
    *,
    level: float = 0.95,
    groups: Sequence[int] | None = None,
) -> Iterator[Figure]:
    """Yield all figures of scored systems, metric by metric; then those of two metrics.

    Parameters
    ----------
    metrics : sequence of MetricScores
    lengths : LengthScores, optional
        Of the first metrics.
    level : float
        Of the intervals.
    groups : sequence of int, optional
        Which systems belong together.
    """
    for m, scores in enumerate(metrics):
        yield from _value_figures(scores, level, groups)
        if lengths is not None and m < len(lengths.values) and len(lengths.ranges):
            yield _length_figure(scores, lengths, lengths.values[m])
        yield from _system_pairs(scores)
    for other in metrics[1 : 1 + _AGAINST]:
        yield from _metric_pair(metrics[0], other)
    if any(
        scores.segments is not None and len(scores.systems) > 1 + _AGAINST for scores in metrics
    ):
        others = len(metrics[0].systems) - 1
        note(
            f"figures: the best system is drawn against the next {_AGAINST}, not against all "
            f"{others} others"
        )
    if len(metrics) > 1 + _AGAINST:
        others = len(metrics) - 1
        note(
            f"figures: {metrics[0].metric} is drawn against the next {_AGAINST} metrics, not "
            f"against all {others} others; -m names those that you want"
        )


def difference_figure(scores: MetricScores, comparison: Comparison) -> Iterator[Figure]:
    """Yield the differences of systems with their intervals, if the test gives any.

    Of all pairs; of many, only of the best system and each other one, the next best first.
    """
    systems = scores.systems
    order = scores.best_first()
    shown = [(pair.first, pair.second) for pair in comparison.pairs]
    label = f"difference in {scores.axis}"
    if many := len(shown) > _PAIRS:
        shown = [(order[0], other) for other in order[1:]]
        label = f"{scores.axis}: difference to {systems[order[0]]}"
    pairs = [comparison.pair(*numbers) for numbers in shown]
    if not pairs or pairs[0].interval_95 is None:
        return
    values = [Estimate(pair.difference, *(pair.interval_95 or ())) for pair in pairs]
    # Each of two names has half of the room.
    halves = dict(zip(systems, fitted_names(systems, _HALF), strict=True))
    yield score_bars(
        f"differences-{file_name(scores.metric)}",
        f"Differences of systems under {scores.metric} with 95 % intervals",
        [systems[b] if many else f"{halves[systems[b]]} - {halves[systems[a]]}" for a, b in shown],
        values,
        label,
        bars=False,
        with_zero=True,
        header=("system", "minus", "metric", "difference", "low", "high", "p"),
        rows=[
            (systems[b], systems[a], scores.metric, v.value, v.low, v.high, pair.p_value)
            for (a, b), v, pair in zip(shown, values, pairs, strict=True)
        ],
    )


def _value_figures(
    scores: MetricScores, level: float, groups: Sequence[int] | None
) -> Iterator[Figure]:
    """Yield the bars of a metric, and its intervals on a scale of their own if there are any."""
    intervals = f" with {100 * level:g} % intervals" if scores.has_intervals else ""
    rows: list[tuple[Cell, ...]] = [
        (name, scores.metric, each.value, each.low, each.high, signature)
        for name, each, signature in zip(
            scores.systems, scores.estimates, scores.signatures, strict=True
        )
    ]
    for start, bars in (("scores", True), ("intervals", False)):
        if bars or intervals:
            yield score_bars(
                f"{start}-{file_name(scores.metric)}",
                f"{scores.metric} of each system{intervals}",
                scores.systems,
                scores.estimates,
                scores.axis,
                bars=bars,
                groups=groups,
                header=("system", "metric", "value", "low", "high", "signature"),
                rows=rows,
            )


def _length_figure(scores: MetricScores, lengths: LengthScores, values: Float64) -> Figure:
    """Draw the scores of a metric by length, the best systems named first."""
    order = scores.best_first()
    counts = lengths.segments.tolist()
    rows: list[tuple[Cell, ...]] = [
        (scores.systems[s], scores.metric, words, count, value)
        for s in order
        for words, count, value in zip(lengths.ranges, counts, values[s].tolist(), strict=True)
    ]
    return score_curves(
        f"length-{file_name(scores.metric)}",
        f"{scores.metric} by length of the reference",
        [scores.systems[s] for s in order],
        [values[s].tolist() for s in order],
        lengths.ranges,
        label=scores.axis,
        places_label="words of the reference (below: segments)",
        counts=[str(count) for count in counts],
        header=("system", "metric", "words", "segments", "value"),
        rows=rows,
    )


def _system_pairs(scores: MetricScores) -> Iterator[Figure]:
    """Yield the best system against the next ones, segment by segment."""
    if scores.segments is None:
        return
    best, *others = scores.best_first()
    for other in others[:_AGAINST]:
        a, b = scores.systems[other], scores.systems[best]
        room = max(_HALF, _AXIS - printed_width(f", {scores.axis}"))
        short_a, short_b = fitted_names([a, b], room)
        yield score_points(
            f"systems-{file_name(scores.metric)}-{file_name(b)}-{file_name(a)}",
            f"{scores.metric} of each segment: {b} and {a}",
            scores.segments[other],
            scores.segments[best],
            across_label=f"{short_a}, {scores.axis}",
            up_label=f"{short_b}, {scores.axis}",
            same_scale=True,
            header=("segment", a, b),
            rows=SegmentRows([scores.segments[[n]] for n in (other, best)]),
        )


def _metric_pair(one: MetricScores, other: MetricScores) -> Iterator[Figure]:
    """Yield a metric against another: of systems, and of segments."""
    start = f"metrics-{file_name(one.metric)}-{file_name(other.metric)}"
    if len(one.systems) >= _LEAST:
        pairs = zip(one.systems, one.values.tolist(), other.values.tolist(), strict=True)
        yield score_points(
            f"{start}-systems",
            f"{one.metric} and {other.metric} of {counted(len(one.systems), 'system')}",
            one.values,
            other.values,
            one.systems,
            across_label=one.axis,
            up_label=other.axis,
            header=("system", one.metric, other.metric),
            rows=list(pairs),
        )
    if one.segments is not None and other.segments is not None:
        yield score_points(
            f"{start}-segments",
            f"{one.metric} and {other.metric} of the segments of all systems",
            np.ravel(one.segments),
            np.ravel(other.segments),
            across_label=one.axis,
            up_label=other.axis,
            header=("system", "segment", one.metric, other.metric),
            rows=SegmentRows([one.segments, other.segments], one.systems),
        )
