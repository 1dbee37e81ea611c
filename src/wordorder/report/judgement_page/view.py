"""What the page of a meta-evaluation shows, as plain rows and pictures."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

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
from wordorder.report.triangle import triangle_reading

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
    for place, found in enumerate(meta.sets, 1):
        order = best_first(found.rows)
        rows = [found.rows[n] for n in order]
        columns, numbers = _numbers(rows)
        views.append(
            SetView(
                f"set-{place}",
                f"{found.name}: {_kind(found)}",
                tuple(_facts(meta, found)),
                set_reading(found),
                tuple(found.remarks),
                columns,
                tuple(zip(rows, numbers, strict=True)),
                any(row.reason for row in rows),
                _tests(found, order),
            )
        )
    return views


def overviews(meta: MetaEvaluation) -> list[Overview]:
    """Put the sets with the same unit and statistic beside each other."""
    kinds: dict[tuple[str, str, str], list[int]] = {}
    for place, found in enumerate(meta.sets):
        kinds.setdefault((found.unit, found.statistic, found.by), []).append(place)
    return [_overview(meta, places) for places in kinds.values()]


def _overview(meta: MetaEvaluation, places: Sequence[int]) -> Overview:
    sets = [meta.sets[place] for place in places]
    columns = [(found.name, f"set-{place + 1}") for place, found in zip(places, sets, strict=True)]
    listed: list[SetCorrelations | AverageCorrelations] = list(sets)
    for mean in meta.averages:
        if len(sets) > 1 and (mean.unit, mean.statistic) == (sets[0].unit, sets[0].statistic):
            columns.append((_MEAN, ""))
            listed.append(mean)
            break
    # The means decide on the order, or the first set; metrics that it lacks follow.
    leading = listed if len(listed) == len(sets) else [listed[-1], *listed]
    metrics = list(
        dict.fromkeys(found.rows[n].metric for found in leading for n in best_first(found.rows))
    )
    ends = [
        end
        for found in listed
        for row in found.rows
        for end in (row.low, row.value, row.high)
        if not math.isnan(end)
    ]
    scale = (min(ends, default=0.0), max(ends, default=0.0))
    cells = [_cells(found, scale) for found in listed]
    return Overview(
        _kind(sets[0]),
        tuple(columns),
        tuple((metric, tuple(each.get(metric, Cell()) for each in cells)) for metric in metrics),
    )


def _cells(
    found: SetCorrelations | AverageCorrelations, scale: tuple[float, float]
) -> dict[str, Cell]:
    """Write the cell of each metric; all cells of a table are drawn on one scale."""
    order = best_first(found.rows)
    best = found.rows[order[0]] if order else None
    # Where all are alike, none is the best.
    several = len({row.value for row in found.rows}) > 1
    clusters = {row.cluster for row in found.rows} - {None}
    cells = {}
    for row in found.rows:
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


def _tests(found: SetCorrelations, order: Sequence[int]) -> Tests | None:
    """Write the triangle of tests, the best metric first; None where there are none."""
    p = found.p_values
    order = [n for n in order if not math.isnan(found.rows[n].value)]
    if p is None or len(order) < 2:
        return None
    names = tuple(shortened(found.rows[n].metric) for n in order)
    marks = triangle_marks(found, order)
    rows = []
    for place, (left, row) in enumerate(zip(order, marks, strict=False)):
        cells = [("", "")] * place
        for above, mark in zip(order[place + 1 :], row, strict=True):
            least = min(p[left, above], p[above, left])
            cells.append((mark, "" if math.isnan(least) else p_number(float(least), 3)))
        rows.append(tuple(cells))
    return Tests(names, tuple(rows), _reading([found.rows[n] for n in order], marks))


def _reading(rows: Sequence[Correlation], marks: Sequence[Sequence[str]]) -> str:
    """Say which clusters the test tells apart; without clusters, which pairs."""
    names = [row.metric for row in rows]
    clusters: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        if row.cluster is None:
            return triangle_reading(names, marks)
        clusters.setdefault(row.cluster, []).append(place)
    return cluster_reading(names, list(clusters.values()))


def _kind(found: SetCorrelations) -> str:
    """Say the unit and the statistic."""
    by = f", by {found.by}" if found.by and found.by != "none" else ""
    return f"{found.statistic} of {found.unit}s{by}"


def _facts(meta: MetaEvaluation, found: SetCorrelations) -> Iterator[tuple[str, str]]:
    """Say what was compared with what."""
    yield "People", found.human.name
    yield "Systems", f"{len(found.human.systems):,}"
    yield "Metrics", f"{len(found.rows):,}"
    if found.pairs is not None:
        raters = len(found.pairs.raters)
        by = f" by {counted(raters, 'rater')}" if raters else ""
        yield "Judgements", f"{len(found.pairs):,} pairs of outputs{by}"
    if found.interval:
        how = "Fisher's z" if found.interval == "fisher" else found.interval
        yield "Intervals", f"{100 * meta.level:g} %, {how}"
    if found.test:
        how = f"{found.test}, {counted(meta.resamples, 'resample')}, seed {meta.seed}"
        yield "Test", found.test if found.test == "williams" else how
