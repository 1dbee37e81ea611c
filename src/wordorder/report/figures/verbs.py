"""Which figures each command writes."""

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

# The best system is drawn against so many of the next best ones, the first metric against so many
# of the others.
_AGAINST = 3

# With more systems bars are not drawn in figures of intervals: dots show the same.
_BARS = 30

# More pairs of systems are not drawn, but those with the best one.
_PAIRS = 15

# Fewer systems are no picture of how two metrics agree.
_LEAST = 3

# So many of the best metrics are drawn against people, and the best one against the others.
_BEST = 4


def score_figures(found: Scores, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder score``.

    Parameters
    ----------
    found : Scores
        With the scores and lengths of its segments.
    level : float
        Of the intervals, if there are any.
    """
    yield from _evaluation_figures(found, level)


def comparison_figures(found: ComparedSystems, level: float) -> Iterator[Figure]:
    """Yield the figures of ``wordorder compare``.

    Parameters
    ----------
    found : ComparedSystems
        With the intervals of its systems and the lengths of its segments.
    level : float
        Of the intervals.
    """
    metrics = yield from _evaluation_figures(found, level)
    yield from difference_figures(metrics, found.comparisons)


def grid_figures(grid: Grid) -> Iterator[Figure]:
    """Yield the figures of ``wordorder evaluate``: systems of one parser are together."""
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
        _analysed(scores, analysis.scores(m) if m < with_scores else None)
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
        What tables call it.
    higher_is_better : bool
    systems : tuple of str
    estimates : tuple of Estimate
        One per system; the interval is NaN where there is none.
    signatures : tuple of str
        One per system.
    segments : float64[n, S], optional
        The scores of segments; NaN for those that the metric leaves out.
    ranking : tuple of int
        The numbers of the systems, the best first, where pairs of systems were compared.
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
        """What an axis says."""
        name = called(self.metric)
        return name if self.higher_is_better else f"{name} (lower is better)"

    @property
    def values(self) -> Float64:
        """The value of each system, float64[n]."""
        return np.array([estimate.value for estimate in self.estimates])

    def best_first(self) -> list[int]:
        """Return the numbers of the systems, the best first: by `ranking`, or by their values."""
        if self.ranking:
            return list(self.ranking)
        values = -self.values if self.higher_is_better else self.values
        return [int(n) for n in np.argsort(values, kind="stable")]


def _analysed(each: ScoreIntervals, segments: Float64 | None) -> MetricScores:
    return MetricScores(
        *(each.metric, each.higher_is_better, each.names, each.estimates),
        *((each.signature,) * len(each.names), segments, each.ranking),
    )


def _evaluation_figures(
    found: Scores | ComparedSystems | Grid, level: float, groups: Sequence[int] | None = None
) -> Generator[Figure, None, list[MetricScores]]:
    """Yield the figures of scored systems; return the scores by metric."""
    evaluation, systems = found.evaluation, found.evaluation.systems
    names = labels([score.signature for score in systems[0].scores])
    ranked: list[tuple[int, ...]] = [()] * len(names)
    if isinstance(found, ComparedSystems):
        ranked = [tuple(comparison.ranked()) for comparison in found.comparisons]
    metrics = []
    for m, (name, metric) in enumerate(zip(names, found.metrics, strict=True)):
        scores = [score_segments(metric, system.statistics[m]) for system in systems]
        if found.estimates is not None:
            estimates = tuple(found.estimates[m])
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
        # Of all segments, even where intervals resample buckets.
        measured = [
            Measurement([system.statistics[m] for system in systems], metric.score)
            for m, metric in enumerate(found.metrics)
        ]
        lengths = scores_by_length(evaluation.lengths, measured)
    yield from system_figures(metrics, lengths, level=level, groups=groups)
    return metrics


def segment_rows(
    columns: Sequence[Float64], names: Sequence[str] = ()
) -> Iterator[tuple[Cell, ...]]:
    """Yield a row for each segment, one system after the other: its number from 1, and its scores.

    Parameters
    ----------
    columns : sequence of float64[n, S]
        Of n systems, or other things that have names.
    names : sequence of str, optional
        n of them, which begin the rows.

    Examples
    --------
    >>> import numpy as np
    >>> list(segment_rows([np.array([[0.5, 1.0]]), np.array([[0.0, 0.25]])], ["A"]))
    [('A', 1, 0.5, 0.0), ('A', 2, 1.0, 0.25)]
    """
    for place, rows in enumerate(zip(*columns, strict=True)):
        for number, scores in enumerate(zip(*rows, strict=True), 1):
            yield (*names[place : place + 1], number, *map(float, scores))


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
    for other_metric in metrics[1 : 1 + _AGAINST]:
        yield from _metric_pair(metrics[0], other_metric)
    if any(
        scores.segments is not None and len(scores.systems) > 1 + _AGAINST for scores in metrics
    ):
        other_count = len(metrics[0].systems) - 1
        note(
            f"figures: the best system is drawn against the next {_AGAINST}, not against all "
            f"{other_count} others"
        )
    if len(metrics) > 1 + _AGAINST:
        other_count = len(metrics) - 1
        note(
            f"figures: {metrics[0].metric} is drawn against the next {_AGAINST} metrics, not "
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

    Of all pairs; of many, only of the best system and each other one, the next best first.
    """
    systems = scores.systems
    order = scores.best_first()
    system_pairs = [(pair.first, pair.second) for pair in comparison.pairs]
    label = f"difference in {scores.axis}"
    if has_many_pairs := len(system_pairs) > _PAIRS:
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
    """Yield the bars of a metric, and its intervals on a scale of their own if there are any.

    Of many systems only the latter: both say the same.
    """
    has_intervals = not all(math.isnan(estimate.low) for estimate in scores.estimates)
    intervals = f" with {100 * level:g} % intervals" if has_intervals else ""
    # Groups stay together, in their order; in each the best system comes first.
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
        if (len(order) <= _BARS or not intervals) if bars else intervals:
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
    best, *other_systems = scores.best_first()
    for other_system in other_systems[:_AGAINST]:
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
            rows=segment_rows([one.segments, other.segments], one.systems),
        )


def training_figures(curves: Sequence[LearningCurve]) -> Iterator[Figure]:
    """Yield for each model its scores on the development part, and how often it was corrected."""
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
    """Yield the figures of each set, then those of the means over the sets."""
    for of_set in meta.sets:
        start = f"{of_set.name} {of_set.unit}"
        yield _coefficients(of_set, f"{start} {of_set.statistic}", meta.level)
        order = [
            n for n in best_first(of_set.rows) if of_set.scores_of(of_set.metrics[n]) is not None
        ]
        human = of_set.human.name if of_set.pairs is None else f"{of_set.human.name}: share won"
        # The lower is the better one where the scores of a metric were negated.
        axes = [
            f"{called(row.metric)}{' (negated)' if table.negated else ''}"
            for row, table in zip(of_set.rows, of_set.metrics, strict=True)
        ]
        for n in order[:_BEST]:
            metric = of_set.rows[n].metric
            yield _points(
                of_set,
                f"people-{file_name(start)}-{file_name(metric)}",
                f"{of_set.name}: {metric} and {of_set.human.name}",
                (of_set.metrics[n], of_set.human),
                (axes[n], human),
            )
        for n in order[1:_BEST]:
            best, other = (of_set.rows[each].metric for each in (order[0], n))
            yield _points(
                of_set,
                f"metrics-{file_name(start)}-{file_name(best)}-{file_name(other)}",
                f"{of_set.name}: {best} and {other}",
                (of_set.metrics[order[0]], of_set.metrics[n]),
                (axes[order[0]], axes[n]),
            )
        if len(order) > _BEST:
            note(
                f"figures: {start}: the best {_BEST} of {len(order)} metrics are drawn against "
                "people; -m names those that you want"
            )
    for mean in meta.averages:
        yield _coefficients(mean, f"mean {mean.unit} {mean.statistic}", meta.level)


def _coefficients(one: SetCorrelations | AverageCorrelations, name: str, level: float) -> Figure:
    """Draw the coefficients with their intervals, the best first, clusters apart."""
    rows = [one.rows[n] for n in best_first(one.rows)]
    clusters: dict[int | None, int] = {}
    header = ("metric", "unit", "statistic", "value", "low", "high", "n", "cluster")
    return score_bars(
        f"correlations-{file_name(name)}",
        f"{name}: {one.statistic} of each metric with people, {100 * level:g} % intervals",
        [called(row.metric) for row in rows],
        rows,
        f"{one.statistic} with people ({one.unit}s)",
        bars=False,
        with_zero=True,
        groups=[clusters.setdefault(row.cluster, len(clusters)) for row in rows],
        header=header,
        rows=[tuple(getattr(row, column) for column in header) for row in rows],
    )


def _points(
    one: SetCorrelations,
    name: str,
    title: str,
    tables: tuple[ScoreTable, ScoreTable],
    axes: tuple[str, str],
) -> Figure:
    """Draw two tables of scores against each other: systems with names, or all else as points."""
    across, up = map(one.scores_of, tables)
    assert across is not None
    assert up is not None
    systems = one.human.systems
    names, first_column = (systems, []) if one.unit == "system" else ((), [one.unit])
    rows: list[tuple[Cell, ...]]
    if names:
        rows = list(zip(systems, across.tolist(), up.tolist(), strict=True))
    else:
        has_values = ~np.isnan(across + up).ravel()
        rows = list(compress(segment_rows([across, up], systems), has_values.tolist()))
    return score_points(
        *(name, f"{title}, {one.unit}s", across.ravel(), up.ravel(), names),
        across_label=axes[0],
        up_label=axes[1],
        header=("system", *first_column, *axes),
        rows=rows,
    )
