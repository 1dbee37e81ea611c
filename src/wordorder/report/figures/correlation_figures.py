"""The figures of ``wordorder correlate``: coefficients, metrics against people and each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from wordorder.drawing.figure import Cell, Figure
from wordorder.judgement.correlations import (
    AverageCorrelations,
    Correlation,
    MetaEvaluation,
    SetCorrelations,
    best_first,
)
from wordorder.judgement.score_table import ScoreTable
from wordorder.metrics.called import called
from wordorder.notes import note
from wordorder.report.figures.score_bars import score_bars
from wordorder.report.figures.score_points import score_points
from wordorder.report.file_names import file_name
from wordorder.types import Float64

# So many of the best metrics are drawn against people, and the best one against the others.
_BEST = 4


def correlation_figures(meta: MetaEvaluation) -> Iterator[Figure]:
    """Yield the figures of each set, then those of the means over the sets."""
    for one in meta.sets:
        start = f"{one.name} {one.unit}"
        yield _coefficients(one, f"{start} {one.statistic}", meta.level)
        order = [n for n in best_first(one.rows) if _scores(one, one.metrics[n]) is not None]
        for n in order[:_BEST]:
            yield _against_people(one, n)
        for n in order[1:_BEST]:
            yield _against_best(one, order[0], n)
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
    groups = [clusters.setdefault(row.cluster, len(clusters)) for row in rows]
    return score_bars(
        f"correlations-{file_name(name)}",
        f"{name}: {one.statistic} of each metric with people, {100 * level:g} % intervals",
        [called(row.metric) for row in rows],
        rows,
        f"{one.statistic} with people ({one.unit}s)",
        bars=False,
        with_zero=True,
        groups=groups,
        header=("metric", "unit", "statistic", "value", "low", "high", "n", "cluster"),
        rows=[_row(row) for row in rows],
    )


def _row(row: Correlation) -> tuple[Cell, ...]:
    return (
        *(row.metric, row.unit, row.statistic),
        *(row.value, row.low, row.high, row.n, row.cluster),
    )


def _against_people(one: SetCorrelations, n: int) -> Figure:
    metric = one.rows[n].metric
    human = one.human.name if one.pairs is None else f"{one.human.name}: share won"
    return _points(
        one,
        f"people-{file_name(f'{one.name} {one.unit}')}-{file_name(metric)}",
        f"{one.name}: {metric} and {one.human.name}",
        (one.metrics[n], one.human),
        (_label(one, n), human),
    )


def _against_best(one: SetCorrelations, best: int, n: int) -> Figure:
    names = [one.rows[each].metric for each in (best, n)]
    return _points(
        one,
        f"metrics-{file_name(f'{one.name} {one.unit}')}-{'-'.join(map(file_name, names))}",
        f"{one.name}: {names[0]} and {names[1]}",
        (one.metrics[best], one.metrics[n]),
        (_label(one, best), _label(one, n)),
    )


def _label(one: SetCorrelations, n: int) -> str:
    """Name a metric; the lower is the better one where its scores were negated."""
    metric = called(one.rows[n].metric)
    return f"{metric} (negated)" if one.metrics[n].negated else metric


def _points(
    one: SetCorrelations,
    name: str,
    title: str,
    tables: tuple[ScoreTable, ScoreTable],
    labels: tuple[str, str],
) -> Figure:
    """Draw two tables of scores against each other: systems with names, or all else as points."""
    across, up = (_scores(one, table) for table in tables)
    assert across is not None
    assert up is not None
    named = one.unit == "system"
    systems = one.human.systems
    return score_points(
        name,
        f"{title}, {one.unit}s",
        across.ravel(),
        up.ravel(),
        systems if named else (),
        across_label=labels[0],
        up_label=labels[1],
        header=("system", *(() if named else (one.unit,)), *labels),
        rows=_rows(systems, across, up, named=named),
    )


def _rows(
    systems: Sequence[str], across: Float64, up: Float64, *, named: bool
) -> list[tuple[Cell, ...]]:
    if named:
        return list(zip(systems, across.tolist(), up.tolist(), strict=True))
    return [
        (system, number, a, b)
        for system, row, other in zip(systems, across.tolist(), up.tolist(), strict=True)
        for number, (a, b) in enumerate(zip(row, other, strict=True), 1)
        if not np.isnan(a) and not np.isnan(b)
    ]


def _scores(one: SetCorrelations, table: ScoreTable) -> Float64 | None:
    """Return the scores of what is scored; None for documents whose scores are not known."""
    if one.unit == "system":
        return table.system_scores()
    if one.unit == "segment":
        return table.segments
    return None if one.human.documents is None else table.documents
