"""The figures of each command."""

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np

from wordorder.analysis.analysed import Analysed, Analysis
from wordorder.analysis.answer import ScoreIntervals
from wordorder.analysis.grid import Grid
from wordorder.arrays import Float64
from wordorder.drawing.figure import Cell, Figure, short_names
from wordorder.judgement.correlations import (
    AverageCorrelations,
    MetaEvaluation,
    SetCorrelations,
    best_first,
)
from wordorder.judgement.score_table import ScoreTable
from wordorder.messages import counted
from wordorder.metrics.registry import called
from wordorder.notes import note
from wordorder.parsing.epochs import LearningCurve
from wordorder.report.figures.plots import score_bars, score_curves, score_points
from wordorder.report.figures.writing import file_name
from wordorder.scoring.by_length import LengthScores, scores_by_length
from wordorder.scoring.comparisons import ComparedSystems
from wordorder.scoring.scores import Scores
from wordorder.scoring.systems import score_segments
from wordorder.signature import labels
from wordorder.statistics.gains import gains
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.measurement import Measurement
from wordorder.statistics.paired_tests import Comparison

# The number of other systems to compare the best system with, and of other metrics to compare the
# first one with.
_MAX_COMPARED = 3

# With more systems and intervals, bars are omitted: dots show the same values.
_MAX_BARS = 30

# With more pairs of systems, only those with the best one are drawn.
_MAX_DRAWN_PAIRS = 15

# With fewer systems, the agreement of two metrics is not drawn.
_MIN_SYSTEMS = 3

# The number of metrics drawn against human scores, and against the best metric.
_MAX_DRAWN_METRICS = 4


def score_figures(scores: Scores, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder score``.

    Parameters
    ----------
    scores : Scores
        With the scores and lengths of its segments.
    level : float
        Of the intervals, if there are any.
    """
    yield from _evaluation_figures(scores, level)


def comparison_figures(compared: ComparedSystems, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder compare``.

    Parameters
    ----------
    compared : ComparedSystems
        With the intervals of its systems and the lengths of its segments.
    level : float
        Of the intervals.
    """
    metrics = yield from _evaluation_figures(compared, level)
    yield from difference_figures(metrics, compared.comparisons)


def grid_figures(grid: Grid) -> Iterator[Figure]:
    """Yield the figures of ``wordorder evaluate``, with systems grouped by parser."""
    yield from _evaluation_figures(grid, grid.level, _by_parser(grid))


def analysis_figures(analysis: Analysis[Analysed], level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder analyze``.

    Parameters
    ----------
    analysis : Analysis
    level : float
        Of the intervals.
    """
    with_scores = len(analysis.analysed.metrics)
    metrics = [
        _metric_scores(scores, analysis.scores(m) if m < with_scores else None)
        for m, scores in enumerate(analysis.intervals)
    ]
    groups = None if analysis.grid is None else _by_parser(analysis.grid)
    lengths = analysis.scores_by_length()
    yield from system_figures(metrics, lengths, level=level, groups=groups)
    yield from difference_figures(metrics, analysis.comparisons)


def _by_parser(grid: Grid) -> list[int]:
    return [p for p, group in enumerate(grid.with_parser) for _ in group]


@dataclass(frozen=True, eq=False)
class MetricScores:
    """The values of systems under a metric.

    Attributes
    ----------
    metric : str
        The name of the metric in tables.
    higher_is_better : bool
    systems : tuple of str
    estimates : tuple of Estimate
        One per system, with NaN for missing intervals.
    signatures : tuple of str
        One per system.
    segments : float64[n, S], optional
        The scores of segments; NaN for skipped ones.
    ranking : tuple of int
        The indices of the systems, best first, if pairs of systems were compared.
    """

    metric: str
    higher_is_better: bool
    systems: tuple[str, ...]
    estimates: tuple[Estimate, ...]
    signatures: tuple[str, ...]
    segments: Float64 | None = None
    ranking: tuple[int, ...] = ()

    @property
    def axis(self) -> str:
        """The label of an axis."""
        name = called(self.metric)
        return name if self.higher_is_better else f"{name} (lower is better)"

    @property
    def values(self) -> Float64:
        """The value of each system, float64[n]."""
        return np.array([estimate.value for estimate in self.estimates])

    def best_first(self) -> list[int]:
        """Return the indices of the systems, best first: by `ranking`, else by their values."""
        if self.ranking:
            return list(self.ranking)
        values = -self.values if self.higher_is_better else self.values
        return [int(n) for n in np.argsort(values, kind="stable")]


def _metric_scores(intervals: ScoreIntervals, segments: Float64 | None) -> MetricScores:
    return MetricScores(
        *(intervals.metric, intervals.higher_is_better, intervals.names, intervals.estimates),
        *((intervals.signature,) * len(intervals.names), segments, intervals.ranking),
    )


def _evaluation_figures(
    scored: Scores | ComparedSystems | Grid, level: float, groups: Sequence[int] | None = None
) -> Generator[Figure, None, list[MetricScores]]:
    """Yield the figures of scored systems; return the scores by metric."""
    evaluation, systems = scored.evaluation, scored.evaluation.systems
    names = labels([score.signature for score in systems[0].scores])
    ranked: list[tuple[int, ...]] = [()] * len(names)
    if isinstance(scored, ComparedSystems):
        ranked = [tuple(comparison.ranked()) for comparison in scored.comparisons]
    metrics = []
    for m, (name, metric) in enumerate(zip(names, scored.metrics, strict=True)):
        scores = [score_segments(metric, system.statistics[m]) for system in systems]
        if scored.estimates is not None:
            estimates = tuple(scored.estimates[m])
        else:
            values = [system.scores[m].value for system in systems]
            estimates = tuple(Estimate(value, math.nan, math.nan) for value in values)
        metrics.append(
            MetricScores(
                name,
                metric.higher_is_better,
                tuple(system.name for system in systems),
                estimates,
                tuple(str(system.scores[m].signature) for system in systems),
                np.stack(scores),
                ranked[m],
            )
        )
    lengths = None
    if evaluation.lengths is not None:
        # Computed from all segments, even if intervals resample buckets.
        measured = [
            Measurement([system.statistics[m] for system in systems], metric.score)
            for m, metric in enumerate(scored.metrics)
        ]
        lengths = scores_by_length(evaluation.lengths, measured)
    yield from system_figures(metrics, lengths, level=level, groups=groups)
    return metrics


def segment_rows(
    columns: Sequence[Float64], names: Sequence[str] = ()
) -> Iterator[tuple[Cell, ...]]:
    """Yield a row per segment, system by system: the number of the segment, and its scores.

    Parameters
    ----------
    columns : sequence of float64[n, S]
        The scores of n systems or other named columns.
    names : sequence of str, optional
        The n names, which start the rows.

    Examples
    --------
    >>> import numpy as np
    >>> list(segment_rows([np.array([[0.5, 1.0]]), np.array([[0.0, 0.25]])], ["A"]))
    [('A', 1, 0.5, 0.0), ('A', 2, 1.0, 0.25)]
    """
    for index, rows in enumerate(zip(*columns, strict=True)):
        for number, scores in enumerate(zip(*rows, strict=True), 1):
            yield (*names[index : index + 1], number, *map(float, scores))


def system_figures(
    metrics: Sequence[MetricScores],
    lengths: LengthScores | None = None,
    *,
    level: float = 0.95,
    groups: Sequence[int] | None = None,
) -> Iterator[Figure]:
    """Yield all figures of scored systems: of each metric, then of pairs of metrics.

    Parameters
    ----------
    metrics : sequence of MetricScores
    lengths : LengthScores, optional
        The scores of the first metrics by length.
    level : float
        Of the intervals.
    groups : sequence of int, optional
        The group of each system.
    """
    for m, scores in enumerate(metrics):
        yield from _value_figures(scores, level, groups)
        if lengths is not None and m < len(lengths.values) and len(lengths.ranges):
            yield _length_figure(scores, lengths, lengths.values[m])
        yield from _system_pairs(scores)
    for other_metric in metrics[1 : 1 + _MAX_COMPARED]:
        yield from _metric_pair(metrics[0], other_metric)
    if any(
        scores.segments is not None and len(scores.systems) > 1 + _MAX_COMPARED
        for scores in metrics
    ):
        other_count = len(metrics[0].systems) - 1
        note(
            f"figures: the best system is drawn against the next {_MAX_COMPARED}, not against all "
            f"{other_count} others"
        )
    if len(metrics) > 1 + _MAX_COMPARED:
        other_count = len(metrics) - 1
        note(
            f"figures: {metrics[0].metric} is drawn against the next {_MAX_COMPARED} metrics, not "
            f"against all {other_count} others; -m names those that you want"
        )


def difference_figures(
    metrics: Sequence[MetricScores], comparisons: Sequence[Comparison]
) -> Iterator[Figure]:
    """Yield the differences of systems: of two under all metrics at once, of more by metric.

    Parameters
    ----------
    metrics : sequence of MetricScores
    comparisons : sequence of Comparison
        The tests under the first metrics.
    """
    compared = list(zip(metrics, comparisons, strict=False))
    if compared and len(metrics[0].systems) == 2:
        yield from _differences_of_two(compared)
        return
    for scores, comparison in compared:
        yield from difference_figure(scores, comparison)


def _differences_of_two(compared: Sequence[tuple[MetricScores, Comparison]]) -> Iterator[Figure]:
    """Yield one figure with a row for each metric: how much the better system is better.

    The better one is that of the first metric. A point is .01 of a metric; of metrics of which
    lower is better the sign is reversed.
    """
    best, other = compared[0][0].best_first()
    systems = compared[0][0].systems
    names = short_names(systems)
    rows = gains(((scores.metric, comparison) for scores, comparison in compared), best, other)
    if not rows:
        return
    better = sum(gain.pair.mark == "+**" for gain in rows)
    title = f"{names[best]} is better than {names[other]} under {better} of {len(rows)} metrics"
    yield score_bars(
        "differences",
        f"{title}, with 95 % intervals" if better else "No metric shows which system is better",
        [f"{called(g.metric)}{', reversed' if g.is_reversed else ''}" for g in rows],
        rows,
        f"points that {names[best]} is better than {names[other]}; open: may be chance",
        bars=False,
        with_zero=True,
        full=[gain.is_significant for gain in rows],
        decimals=2,
        header=("system", "minus", "metric", "difference", "low", "high", "p"),
        rows=[
            (
                *(systems[best], systems[other], gain.metric, gain.pair.difference),
                *(gain.pair.interval_95 or ()),
                gain.pair.p_value,
            )
            for gain in rows
        ],
    )


def difference_figure(scores: MetricScores, comparison: Comparison) -> Iterator[Figure]:
    """Yield the differences of systems with their intervals, if the test gives any.

    All pairs; if there are many, only the best system with each other one, the next best first.
    """
    systems = scores.systems
    order = scores.best_first()
    system_pairs = [(pair.first, pair.second) for pair in comparison.pairs]
    label = f"difference in {scores.axis}"
    if has_many_pairs := len(system_pairs) > _MAX_DRAWN_PAIRS:
        system_pairs = [(order[0], other_system) for other_system in order[1:]]
        label = f"{scores.axis}: difference to {short_names(systems)[order[0]]}"
    pairs = [comparison.pair(*numbers) for numbers in system_pairs]
    if not pairs or pairs[0].interval_95 is None:
        return
    values = [Estimate(pair.difference, *(pair.interval_95 or ())) for pair in pairs]
    short = short_names(systems)
    yield score_bars(
        f"differences-{file_name(scores.metric)}",
        f"Differences of systems under {scores.metric} with 95 % intervals",
        [short[b] if has_many_pairs else f"{short[b]} - {short[a]}" for a, b in system_pairs],
        values,
        label,
        bars=False,
        with_zero=True,
        full=[pair.mark in ("+**", "-**") for pair in pairs],
        header=("system", "minus", "metric", "difference", "low", "high", "p"),
        rows=[
            (systems[b], systems[a], scores.metric, v.value, v.low, v.high, pair.p_value)
            for (a, b), v, pair in zip(system_pairs, values, pairs, strict=True)
        ],
    )


def _value_figures(
    scores: MetricScores, level: float, groups: Sequence[int] | None
) -> Iterator[Figure]:
    """Yield the bars of a metric, and its intervals on a separate scale if there are any.

    With many systems only the latter, since both show the same values.
    """
    has_intervals = not all(math.isnan(estimate.low) for estimate in scores.estimates)
    intervals = f" with {100 * level:g} % intervals" if has_intervals else ""
    # Systems stay in their groups, the best one first.
    order = sorted(scores.best_first(), key=lambda s: 0 if groups is None else groups[s])
    systems = [scores.systems[s] for s in order]
    estimates = [scores.estimates[s] for s in order]
    rows: list[tuple[Cell, ...]] = [
        (
            *(scores.systems[s], scores.metric),
            *(scores.estimates[s].value, scores.estimates[s].low, scores.estimates[s].high),
            scores.signatures[s],
        )
        for s in order
    ]
    for start, bars in (("scores", True), ("intervals", False)):
        if (len(order) <= _MAX_BARS or not intervals) if bars else intervals:
            yield score_bars(
                f"{start}-{file_name(scores.metric)}",
                f"{scores.metric} of each system{intervals}",
                systems,
                estimates,
                scores.axis,
                bars=bars,
                groups=None if groups is None else [groups[s] for s in order],
                header=("system", "metric", "value", "low", "high", "signature"),
                rows=rows,
            )


def _length_figure(scores: MetricScores, lengths: LengthScores, values: Float64) -> Figure:
    """Draw the scores of a metric by length, best systems first."""
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
    """Yield plots of the best system against the next ones, by segment."""
    if scores.segments is None:
        return
    best, *other_systems = scores.best_first()
    for other_system in other_systems[:_MAX_COMPARED]:
        a, b = scores.systems[other_system], scores.systems[best]
        short_a, short_b = short_names([a, b])
        yield score_points(
            f"systems-{file_name(scores.metric)}-{file_name(b)}-{file_name(a)}",
            f"{scores.metric} of each segment: {b} and {a}",
            scores.segments[other_system],
            scores.segments[best],
            across_label=f"{short_a}, {scores.axis}",
            up_label=f"{short_b}, {scores.axis}",
            same_scale=True,
            header=("segment", a, b),
            rows=segment_rows([scores.segments[[n]] for n in (other_system, best)]),
        )


def _metric_pair(first_metric: MetricScores, second_metric: MetricScores) -> Iterator[Figure]:
    """Yield plots of one metric against another, by system and by segment."""
    start = f"metrics-{file_name(first_metric.metric)}-{file_name(second_metric.metric)}"
    if len(first_metric.systems) >= _MIN_SYSTEMS:
        pairs = zip(
            first_metric.systems,
            first_metric.values.tolist(),
            second_metric.values.tolist(),
            strict=True,
        )
        yield score_points(
            f"{start}-systems",
            f"{first_metric.metric} and {second_metric.metric} of "
            f"{counted(len(first_metric.systems), 'system')}",
            first_metric.values,
            second_metric.values,
            first_metric.systems,
            across_label=first_metric.axis,
            up_label=second_metric.axis,
            header=("system", first_metric.metric, second_metric.metric),
            rows=list(pairs),
        )
    if first_metric.segments is not None and second_metric.segments is not None:
        yield score_points(
            f"{start}-segments",
            f"{first_metric.metric} and {second_metric.metric} of the segments of all systems",
            np.ravel(first_metric.segments),
            np.ravel(second_metric.segments),
            across_label=first_metric.axis,
            up_label=second_metric.axis,
            header=("system", "segment", first_metric.metric, second_metric.metric),
            rows=segment_rows(
                [first_metric.segments, second_metric.segments], first_metric.systems
            ),
        )


def training_figures(curves: Sequence[LearningCurve]) -> Iterator[Figure]:
    """Yield the scores of each model on development data, and its share of corrections."""
    for curve in curves:
        scores = [(epoch.number, epoch.score) for epoch in curve.epochs if epoch.score is not None]
        corrected = [
            (epoch.number, epoch.updates / epoch.instances)
            for epoch in curve.epochs
            if epoch.instances
        ]
        for start, label, points in (
            ("learning", f"{called(curve.score)} on dev data", scores),
            ("corrections", "share of examples corrected", corrected),
        ):
            if points:
                yield score_curves(
                    f"{start}-{file_name(curve.model)}",
                    f"{curve.model}: {label} by epoch",
                    [curve.model],
                    [[value for _, value in points]],
                    [str(number) for number, _ in points],
                    label=label,
                    places_label="passes over the training data",
                    header=("model", "epoch", "examples", "corrected", curve.score),
                    rows=[
                        (curve.model, epoch.number, epoch.instances, epoch.updates, epoch.score)
                        for epoch in curve.epochs
                    ],
                )


def correlation_figures(meta: MetaEvaluation) -> Iterator[Figure]:
    """Yield the figures of each set, then those of means over sets."""
    for of_set in meta.sets:
        start = f"{of_set.name} {of_set.unit}"
        yield _coefficient_figure(of_set, f"{start} {of_set.statistic}", meta.level)
        order = [
            n for n in best_first(of_set.rows) if of_set.scores_of(of_set.metrics[n]) is not None
        ]
        human = of_set.human.name if of_set.pairs is None else f"{of_set.human.name}: share won"
        # Negated scores: lower was better.
        axes = [
            f"{called(row.metric)}{' (negated)' if table.negated else ''}"
            for row, table in zip(of_set.rows, of_set.metrics, strict=True)
        ]
        for n in order[:_MAX_DRAWN_METRICS]:
            metric = of_set.rows[n].metric
            yield _scatter_figure(
                of_set,
                f"people-{file_name(start)}-{file_name(metric)}",
                f"{of_set.name}: {metric} and {of_set.human.name}",
                (of_set.metrics[n], of_set.human),
                (axes[n], human),
            )
        for n in order[1:_MAX_DRAWN_METRICS]:
            best, other = (of_set.rows[index].metric for index in (order[0], n))
            yield _scatter_figure(
                of_set,
                f"metrics-{file_name(start)}-{file_name(best)}-{file_name(other)}",
                f"{of_set.name}: {best} and {other}",
                (of_set.metrics[order[0]], of_set.metrics[n]),
                (axes[order[0]], axes[n]),
            )
        if len(order) > _MAX_DRAWN_METRICS:
            note(
                f"figures: {start}: the best {_MAX_DRAWN_METRICS} of {len(order)} metrics are "
                "drawn against people; -m names those that you want"
            )
    for mean in meta.averages:
        yield _coefficient_figure(mean, f"mean {mean.unit} {mean.statistic}", meta.level)


def _coefficient_figure(
    correlations: SetCorrelations | AverageCorrelations, name: str, level: float
) -> Figure:
    """Draw the coefficients with intervals, best first, grouped by cluster."""
    rows = [correlations.rows[n] for n in best_first(correlations.rows)]
    clusters: dict[int | None, int] = {}
    header = ("metric", "unit", "statistic", "value", "low", "high", "n", "cluster")
    return score_bars(
        f"correlations-{file_name(name)}",
        f"{name}: {correlations.statistic} of each metric with people, {100 * level:g} % intervals",
        [called(row.metric) for row in rows],
        rows,
        f"{correlations.statistic} with people ({correlations.unit}s)",
        bars=False,
        with_zero=True,
        groups=[clusters.setdefault(row.cluster, len(clusters)) for row in rows],
        header=header,
        rows=[tuple(getattr(row, column) for column in header) for row in rows],
    )


def _scatter_figure(
    correlations: SetCorrelations,
    name: str,
    title: str,
    tables: tuple[ScoreTable, ScoreTable],
    axes: tuple[str, str],
) -> Figure:
    """Draw two tables of scores against each other; systems have names, other points none."""
    across, up = map(correlations.scores_of, tables)
    assert across is not None
    assert up is not None
    systems = correlations.human.systems
    names, first_column = (
        (systems, []) if correlations.unit == "system" else ((), [correlations.unit])
    )
    rows: list[tuple[Cell, ...]]
    if names:
        rows = list(zip(systems, across.tolist(), up.tolist(), strict=True))
    else:
        has_values = ~np.isnan(across + up).ravel()
        rows = list(compress(segment_rows([across, up], systems), has_values.tolist()))
    return score_points(
        *(name, f"{title}, {correlations.unit}s", across.ravel(), up.ravel(), names),
        across_label=axes[0],
        up_label=axes[1],
        header=("system", *first_column, *axes),
        rows=rows,
    )
