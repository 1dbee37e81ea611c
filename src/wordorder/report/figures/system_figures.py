"""The figures of systems under metrics: bars, intervals, lengths, systems and metrics compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from wordorder.counts import counted
from wordorder.drawing.figure import Cell, Figure
from wordorder.metrics.contract import BaseMetric, left_out
from wordorder.notes import note
from wordorder.report.figures.score_bars import score_bars
from wordorder.report.figures.score_curves import score_curves
from wordorder.report.figures.score_points import score_points
from wordorder.report.file_names import file_name
from wordorder.scoring.length_scores import LengthScores
from wordorder.scoring.systems import Evaluation
from wordorder.signature import labels
from wordorder.statistics.comparison import Comparison
from wordorder.statistics.intervals import Estimate
from wordorder.types import Float64

# The best system is drawn against so many of the next best ones, the first metric against so many
# of the others.
_AGAINST = 3
# Fewer systems are no picture of how two metrics agree.
_LEAST = 3


@dataclass(frozen=True, eq=False)
class ScoredSystems:
    """What the figures of systems are made of.

    Attributes
    ----------
    evaluation : Evaluation
        Its statistics too, where there are `segments`.
    metrics : sequence of BaseMetric
    estimates : by metric, then by system, or None
        Values with intervals.
    level : float
        Of these.
    lengths : LengthScores, optional
    segments : mapping of (system, metric) to float64[S], optional
        The scores of the segments.
    groups : sequence of int, optional
        Which systems belong together.
    """

    evaluation: Evaluation
    metrics: Sequence[BaseMetric]
    estimates: Sequence[Sequence[Estimate]] | None = None
    level: float = 0.95
    lengths: LengthScores | None = None
    segments: Mapping[tuple[int, int], Float64] | None = None
    groups: Sequence[int] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return [system.name for system in self.evaluation.systems]

    @property
    def metric_names(self) -> list[str]:
        """What tables call the metrics."""
        return labels([score.signature for score in self.evaluation.systems[0].scores])

    def axis(self, m: int) -> str:
        """Return what an axis says of a metric."""
        name = self.metric_names[m]
        return name if self.metrics[m].higher_is_better else f"{name} (lower is better)"

    def values(self, m: int) -> list[float]:
        """Return the value of each system under a metric."""
        return [system.scores[m].value for system in self.evaluation.systems]

    def best_first(self, m: int) -> list[int]:
        """Return the numbers of the systems, the best under a metric first."""
        values = np.array(self.values(m))
        order = np.argsort(-values if self.metrics[m].higher_is_better else values, kind="stable")
        return [int(n) for n in order]

    def segment_scores(self, s: int, m: int) -> Float64:
        """Return the scores of the segments; NaN where the metric leaves one out."""
        assert self.segments is not None
        used = ~left_out(self.evaluation.systems[s].statistics[m])
        return np.where(used, self.segments[s, m], np.nan)


def system_figures(scored: ScoredSystems) -> Iterator[Figure]:
    """Yield all figures of scored systems, metric by metric; then those of two metrics."""
    if not scored.evaluation.systems or not scored.evaluation.segments:
        return
    for m in range(len(scored.metrics)):
        yield from _value_figures(scored, m)
        if scored.lengths is not None and len(scored.lengths.ranges):
            yield _length_figure(scored, scored.lengths, m)
        if scored.segments is not None:
            yield from _system_pairs(scored, m)
    if len(scored.metrics) > 1:
        yield from _metric_pairs(scored)
    pairs, drawn = len(scored.names) - 1, _AGAINST
    if scored.segments is not None and pairs > drawn:
        note(f"figures: the best system is drawn against the next {drawn}, not all {pairs} others")
    if len(scored.metrics) - 1 > drawn:
        others = counted(len(scored.metrics) - 1, "other")
        note(
            f"figures: {scored.metric_names[0]} is drawn against the next {drawn} metrics, not all "
            f"{others}: name the two that you mean (-m)"
        )


def difference_figures(
    scored: ScoredSystems, comparisons: Sequence[Comparison]
) -> Iterator[Figure]:
    """Yield for each metric the differences of pairs of systems with their intervals."""
    for m, comparison in enumerate(comparisons):
        pairs = [pair for pair in comparison.pairs if pair.interval_95 is not None]
        if not pairs:
            continue
        names = [f"{scored.names[pair.second]} - {scored.names[pair.first]}" for pair in pairs]
        values = [Estimate(pair.difference, *(pair.interval_95 or ())) for pair in pairs]
        metric = scored.metric_names[m]
        rows = [
            (name, metric, each.value, each.low, each.high, pair.p_value)
            for name, each, pair in zip(names, values, pairs, strict=True)
        ]
        yield score_bars(
            f"differences-{file_name(metric)}",
            f"Differences of systems under {metric} with 95 % intervals",
            names,
            values,
            f"difference in {scored.axis(m)}",
            bars=False,
            with_zero=True,
            header=("pair", "metric", "difference", "low", "high", "p"),
            rows=rows,
        )


def _value_figures(scored: ScoredSystems, m: int) -> Iterator[Figure]:
    """Yield the bars of a metric, and its intervals on a scale of their own if there are any."""
    metric = scored.metric_names[m]
    if scored.estimates is None:
        values = [Estimate(value, float("nan"), float("nan")) for value in scored.values(m)]
    else:
        values = list(scored.estimates[m])
    signatures = [str(system.scores[m].signature) for system in scored.evaluation.systems]
    rows: list[tuple[Cell, ...]] = [
        (name, metric, each.value, each.low, each.high, signature)
        for name, each, signature in zip(scored.names, values, signatures, strict=True)
    ]
    header = ("system", "metric", "value", "low", "high", "signature")
    intervals = "" if scored.estimates is None else f" with {100 * scored.level:g} % intervals"
    for start, bars in (("scores", True), ("intervals", False)):
        if bars or scored.estimates is not None:
            yield score_bars(
                f"{start}-{file_name(metric)}",
                f"{metric} of each system{intervals}",
                scored.names,
                values,
                scored.axis(m),
                bars=bars,
                groups=scored.groups,
                header=header,
                rows=rows,
            )


def _length_figure(scored: ScoredSystems, lengths: LengthScores, m: int) -> Figure:
    """Draw the scores of a metric by length, the best systems named first."""
    metric, order = scored.metric_names[m], scored.best_first(m)
    values = lengths.values[m]
    rows: list[tuple[Cell, ...]] = [
        (scored.names[s], metric, place, count, float(values[s, n]))
        for s in order
        for n, (place, count) in enumerate(
            zip(lengths.ranges, lengths.segments.tolist(), strict=True)
        )
    ]
    return score_curves(
        f"length-{file_name(metric)}",
        f"{metric} by length of the reference",
        [scored.names[s] for s in order],
        [values[s].tolist() for s in order],
        lengths.ranges,
        label=scored.axis(m),
        places_label="words of the reference (below: segments)",
        counts=[str(count) for count in lengths.segments.tolist()],
        header=("system", "metric", "words", "segments", "value"),
        rows=rows,
    )


def _system_pairs(scored: ScoredSystems, m: int) -> Iterator[Figure]:
    """Yield the best system against the next ones, segment by segment."""
    metric = scored.metric_names[m]
    best, *others = scored.best_first(m)
    for other in others[:_AGAINST]:
        across, up = scored.segment_scores(other, m), scored.segment_scores(best, m)
        a, b = scored.names[other], scored.names[best]
        yield score_points(
            f"systems-{file_name(metric)}-{file_name(b)}-{file_name(a)}",
            f"{metric} of each segment: {b} and {a}",
            across,
            up,
            across_label=f"{a}, {scored.axis(m)}",
            up_label=f"{b}, {scored.axis(m)}",
            same_scale=True,
            header=("segment", a, b),
            rows=_numbered(across, up),
        )


def _metric_pairs(scored: ScoredSystems) -> Iterator[Figure]:
    """Yield the first metric against the next ones: of systems, and of segments."""
    names = scored.metric_names
    for m in range(1, min(len(names), 1 + _AGAINST)):
        start = f"metrics-{file_name(names[0])}-{file_name(names[m])}"
        if len(scored.names) >= _LEAST:
            across, up = np.array(scored.values(0)), np.array(scored.values(m))
            yield score_points(
                f"{start}-systems",
                f"{names[0]} and {names[m]} of each system",
                across,
                up,
                scored.names,
                across_label=scored.axis(0),
                up_label=scored.axis(m),
                header=("system", names[0], names[m]),
                rows=list(zip(scored.names, across.tolist(), up.tolist(), strict=True)),
            )
        if scored.segments is not None:
            systems = range(len(scored.names))
            columns = [[scored.segment_scores(s, each) for s in systems] for each in (0, m)]
            across, up = (np.concatenate(column) for column in columns)
            parts = zip(scored.names, *columns, strict=True)
            yield score_points(
                f"{start}-segments",
                f"{names[0]} and {names[m]} of each segment of all systems",
                across,
                up,
                across_label=scored.axis(0),
                up_label=scored.axis(m),
                header=("system", "segment", names[0], names[m]),
                rows=[
                    (name, *row)
                    for name, row in chain.from_iterable(
                        ((name, row) for row in _numbered(a, b)) for name, a, b in parts
                    )
                ],
            )


def _numbered(across: Float64, up: Float64) -> list[tuple[Cell, ...]]:
    """Return rows of segments, counted from 1."""
    return [(n, a, b) for n, (a, b) in enumerate(zip(across.tolist(), up.tolist(), strict=True), 1)]
