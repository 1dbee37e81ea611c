"""What the page of a meta-evaluation shows, as plain rows and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wordorder.analysis.triangle_reading import triangle_reading
from wordorder.counts import counted, number
from wordorder.drawing.interval_svg import interval_strip
from wordorder.drawing.tree_labels import shortened
from wordorder.judgement.correlations import (
    AverageCorrelations,
    Correlation,
    MetaEvaluation,
    SetCorrelations,
    best_first,
)
from wordorder.report.judgement_page.reading import set_reading, triangle_marks
from wordorder.report.ranking import cluster_reading
from wordorder.report.tables import p_number

_MEAN = "mean"


@dataclass(frozen=True)
class Cell:
    """The agreement of one metric on one set, written and drawn; empty if there is none."""

    value: str = ""
    interval: str = ""
    strip: str = ""
    cluster: int | None = None
    best: bool = False
    reason: str = ""


@dataclass(frozen=True)
class Overview:
    """Metrics × evaluation sets under one unit and one statistic.

    Attributes
    ----------
    title : str
    columns : tuple of (name, id)
        The sets, with where they are on the page; the mean has none.
    rows : tuple of (metric, cells)
        The best first.
    """

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Tests:
    """The tests of all pairs of metrics: a row for each but the last, blank below the diagonal."""

    names: tuple[str, ...]
    rows: tuple[tuple[tuple[str, str], ...], ...]
    reading: str


@dataclass(frozen=True)
class SetView:
    """One evaluation set under one unit and one statistic.

    Attributes
    ----------
    id, title : str
    facts : tuple of (name, what)
    reading : str
    remarks : tuple of str
    columns : tuple of str
        The numbers that any metric has.
    rows : tuple of (Correlation, its numbers)
        The best first.
    reasons : bool
        Whether any metric has no number.
    tests : Tests, optional
    """

    id: str
    title: str
    facts: tuple[tuple[str, str], ...]
    reading: str
    remarks: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Correlation, tuple[float | None, ...]], ...]
    reasons: bool
    tests: Tests | None


def set_views(meta: MetaEvaluation) -> list[SetView]:
    """Write each evaluation set."""
    views = []
    for place, one in enumerate(meta.sets, 1):
        order = best_first(one.rows)
        rows = [one.rows[n] for n in order]
        columns, numbers = _numbers(rows)
        views.append(
            SetView(
                f"set-{place}",
                f"{one.name}: {_kind(one)}",
                tuple(_facts(meta, one)),
                set_reading(one),
                tuple(one.remarks),
                columns,
                tuple(zip(rows, numbers, strict=True)),
                any(row.reason for row in rows),
                _tests(one, order),
            )
        )
    return views


def overviews(meta: MetaEvaluation) -> list[Overview]:
    """Put the sets with the same unit and statistic beside each other."""
    kinds: dict[tuple[str, str, str], list[int]] = {}
    for place, one in enumerate(meta.sets):
        kinds.setdefault((one.unit, one.statistic, one.by), []).append(place)
    return [_overview(meta, places) for places in kinds.values()]


def _overview(meta: MetaEvaluation, places: Sequence[int]) -> Overview:
    sets = [meta.sets[place] for place in places]
    columns = [(one.name, f"set-{place + 1}") for place, one in zip(places, sets, strict=True)]
    listed: list[SetCorrelations | AverageCorrelations] = list(sets)
    for mean in meta.averages:
        if len(sets) > 1 and (mean.unit, mean.statistic) == (sets[0].unit, sets[0].statistic):
            columns.append((_MEAN, ""))
            listed.append(mean)
            break
    # The means decide on the order, or the first set; metrics that it lacks follow.
    leading = listed if len(listed) == len(sets) else [listed[-1], *listed]
    metrics = list(
        dict.fromkeys(one.rows[n].metric for one in leading for n in best_first(one.rows))
    )
    ends = [
        end
        for one in listed
        for row in one.rows
        for end in (row.low, row.value, row.high)
        if not math.isnan(end)
    ]
    scale = (min(ends, default=0.0), max(ends, default=0.0))
    cells = [_cells(one, scale) for one in listed]
    return Overview(
        _kind(sets[0]),
        tuple(columns),
        tuple((metric, tuple(each.get(metric, Cell()) for each in cells)) for metric in metrics),
    )


def _cells(
    one: SetCorrelations | AverageCorrelations, scale: tuple[float, float]
) -> dict[str, Cell]:
    """Write the cell of each metric; all cells of a table are drawn on one scale."""
    order = best_first(one.rows)
    best = one.rows[order[0]] if order else None
    # Where all are alike, none is the best.
    several = len({row.value for row in one.rows}) > 1
    clusters = {row.cluster for row in one.rows} - {None}
    cells = {}
    for row in one.rows:
        if math.isnan(row.value) or best is None:
            cells[row.metric] = Cell(reason=row.reason or "no number")
            continue
        alike = row.value == best.value if row.cluster is None else row.cluster == best.cluster
        interval = ""
        if not (math.isnan(row.low) or math.isnan(row.high)):
            interval = f"[{number(row.low)}, {number(row.high)}]"
        cells[row.metric] = Cell(
            number(row.value),
            interval,
            interval_strip(row, *scale),
            row.cluster,
            alike and (len(clusters) > 1 if clusters else several),
        )
    return cells


def _numbers(
    rows: Sequence[Correlation],
) -> tuple[tuple[str, ...], list[tuple[float | None, ...]]]:
    """Return the numbers of each metric, without the columns that are empty."""
    whole: dict[str, list[float | int | None]] = {
        "value": [row.value for row in rows],
        "low": [row.low for row in rows],
        "high": [row.high for row in rows],
        "n": [row.n for row in rows],
        "cluster": [row.cluster for row in rows],
        "tie up to": [row.threshold for row in rows],
    }
    written = {
        name: [None if value is None or math.isnan(value) else value for value in column]
        for name, column in whole.items()
    }
    kept = {
        name: column
        for name, column in written.items()
        if any(value is not None for value in column)
    }
    return tuple(kept), [tuple(column[n] for column in kept.values()) for n in range(len(rows))]


def _tests(one: SetCorrelations, order: Sequence[int]) -> Tests | None:
    """Write the triangle of tests, the best metric first; None where there are none."""
    p = one.p_values
    order = [n for n in order if not math.isnan(one.rows[n].value)]
    if p is None or len(order) < 2:
        return None
    names = tuple(shortened(one.rows[n].metric) for n in order)
    marks = triangle_marks(one, order)
    rows = []
    for place, (left, row) in enumerate(zip(order, marks, strict=False)):
        cells = [("", "")] * place
        for above, mark in zip(order[place + 1 :], row, strict=True):
            least = min(p[left, above], p[above, left])
            cells.append((mark, "" if math.isnan(least) else p_number(float(least), 3)))
        rows.append(tuple(cells))
    return Tests(names, tuple(rows), _reading([one.rows[n] for n in order], marks))


def _reading(rows: Sequence[Correlation], marks: Sequence[Sequence[str]]) -> str:
    """Say which clusters the test tells apart; without clusters, which pairs."""
    names = [row.metric for row in rows]
    clusters: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        if row.cluster is None:
            return triangle_reading(names, marks)
        clusters.setdefault(row.cluster, []).append(place)
    return cluster_reading(names, list(clusters.values()))


def _kind(one: SetCorrelations) -> str:
    """Say the unit and the statistic."""
    by = f", by {one.by}" if one.by and one.by != "none" else ""
    return f"{one.statistic} of {one.unit}s{by}"


def _facts(meta: MetaEvaluation, one: SetCorrelations) -> Iterator[tuple[str, str]]:
    """Say what was compared with what."""
    yield "People", one.human.name
    yield "Systems", f"{len(one.human.systems):,}"
    yield "Metrics", f"{len(one.rows):,}"
    if one.pairs is not None:
        raters = len(one.pairs.raters)
        by = f" by {counted(raters, 'rater')}" if raters else ""
        yield "Judgements", f"{len(one.pairs):,} pairs of outputs{by}"
    if one.interval:
        how = "Fisher's z" if one.interval == "fisher" else one.interval
        yield "Intervals", f"{100 * meta.level:g} %, {how}"
    if one.test:
        how = f"{one.test}, {counted(meta.resamples, 'resample')}, seed {meta.seed}"
        yield "Test", one.test if one.test == "williams" else how
