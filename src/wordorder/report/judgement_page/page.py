"""A meta-evaluation as one self-contained HTML file."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from wordorder._version import __version__
from wordorder.arrays import group_rows
from wordorder.drawing.plots import interval_strip, value_text
from wordorder.drawing.trees import shortened
from wordorder.errors import UsageError
from wordorder.judgement.correlations import (
    AverageCorrelations,
    Correlation,
    MetaEvaluation,
    SetCorrelations,
    best_first,
)
from wordorder.messages import counted, number
from wordorder.notes import note
from wordorder.report.agreement_reading import plain_reading, set_reading, triangle_marks
from wordorder.report.page.template_data import templates
from wordorder.report.scores import cluster_reading
from wordorder.report.tables import interval, p_number
from wordorder.scoring.significance_summary import triangle_reading
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# Browsers on small machines still open a page of this size.
MAX_PAGE_BYTES = 5_000_000

# The number of pictures and of remarks per set that are shown unfolded.
_OPEN_PICTURES = 2

_MAX_REMARKS = 3

TEST_LEGEND = (
    "A cell says whether the metric above it agrees better with people than the one to its left: "
    "+* if p is at most 0.10, +** if at most 0.05 (one-sided); -*, -** worse; 0: no significant "
    "difference. Under it is the p-value in favour of the better one."
)

_MEAN = "mean"


@dataclass(frozen=True)
class Scatter:
    """A plot of a metric against human scores, with its coefficient."""

    metric: str
    said: str
    svg: str


def judgement_page(
    meta: MetaEvaluation,
    *,
    title: str = "Metrics and people",
    notes: Sequence[str] = (),
    limit: int = MAX_PAGE_BYTES,
) -> str:
    """Return a meta-evaluation as one HTML page.

    The page shows each metric on each evaluation set with its interval, which metrics a test tells
    apart, and each metric against people as a picture. It needs no other file and no network, and
    can be read without scripts; with them tables are sorted and filtered.

    Parameters
    ----------
    meta : MetaEvaluation
    title : str
    notes : sequence of str
        The notes of the run.
    limit : int
        The maximum size of the page in bytes, as long as pictures of single metrics can be left
        out; the page names these metrics.

    Returns
    -------
    str
        Equal results give equal pages. All text is escaped; what cannot be shown in a line is
        written as U+FFFD.

    Raises
    ------
    UsageError
        If `limit` is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.judgement import Correlation, ScoreTable, SetCorrelations
    >>> people = ScoreTable("people", ("<A>", "B"), np.array([[1.0], [0.0]]))
    >>> frs = ScoreTable("frs", ("<A>", "B"), np.array([[0.9], [0.5]]))
    >>> rows = [Correlation("frs", "system", "pearson", 1.0, 0.5, 1.0, 2)]
    >>> result = SetCorrelations("my set", "system", "pearson", people, [frs], rows)
    >>> page = judgement_page(MetaEvaluation([result]))
    >>> "&lt;A&gt;" in page, "<A>" in page
    (True, False)
    """
    if limit < 0:
        raise UsageError(f"limit is a number of at least 0, not {limit}")
    template = templates("wordorder.report.judgement_page", style="judgement.css").get_template(
        "judgement.html.j2"
    )
    views = set_views(meta)
    intervals = [of_set.to_svg() for of_set in meta.sets]

    def page(scatters: Sequence[Sequence[Scatter]], left_out: Sequence[Sequence[str]]) -> str:
        return template.render(
            title=title,
            meta=meta,
            overviews=overviews(meta),
            views=views,
            sets=list(zip(views, intervals, scatters, left_out, strict=True)),
            opened=_OPEN_PICTURES,
            shown=_MAX_REMARKS,
            legend=TEST_LEGEND,
            signatures=meta.shown_signatures,
            notes=notes,
            version=__version__,
        )

    # The size without pictures, but with the names of all omitted metrics.
    names = [[row.metric for row, _ in view.rows] for view in views]
    capacity = limit - len(page([[] for _ in views], names).encode())
    text = page(*_draw_metrics(meta, capacity)) + "\n"
    size = len(text.encode())
    if size > limit:
        note(f"the page has {size} bytes, more than {limit}, without any picture of a metric")
    return text


def write_judgement_page(
    meta: MetaEvaluation,
    path: Path,
    *,
    title: str = "Metrics and people",
    notes: Sequence[str] = (),
) -> None:
    """Write the page of a meta-evaluation to a file, atomically.

    Parameters
    ----------
    meta : MetaEvaluation
    path : path or "-"
        See `wordorder.text.output.write_output`.
    title, notes
        See `judgement_page`.
    """
    text = judgement_page(meta, title=title, notes=notes)
    with write_text(path) as stream:
        stream.write(text)


def _draw_metrics(
    meta: MetaEvaluation, capacity: int
) -> tuple[list[list[Scatter]], list[list[str]]]:
    """Draw metrics, the best of each set first, until `capacity` bytes are used."""
    scatters: list[list[Scatter]] = [[] for _ in meta.sets]
    left_out: list[list[str]] = [[] for _ in meta.sets]
    for turn in zip_longest(*(best_first(of_set.rows) for of_set in meta.sets)):
        for index, metric in enumerate(turn):
            if metric is None:
                continue
            of_set = meta.sets[index]
            row = of_set.rows[metric]
            svg = of_set.to_svg(row.metric)
            name, value = row.metric, f"{of_set.statistic} {value_text(row)}"
            # The caption and the frame count too.
            size = len(svg.encode()) + 2 * len(name.encode()) + 500
            if svg and size <= capacity:
                scatters[index].append(Scatter(name, value, svg))
                capacity -= size
            else:
                left_out[index].append(name)
    return scatters, left_out


@dataclass(frozen=True)
class Cell:
    """The agreement of one metric on one set, as text and drawing; empty if it has no value."""

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
        The sets, with their anchors on the page; the mean has none.
    rows : tuple of (metric, cells)
        The best first.
    """

    title: str
    columns: tuple[tuple[str, str], ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]


@dataclass(frozen=True)
class Tests:
    """The tests of all pairs of metrics: a row for each but the last, empty below the diagonal."""

    names: tuple[str, ...]
    rows: tuple[tuple[tuple[str, str], ...], ...]
    reading: str


@dataclass(frozen=True)
class SetView:
    """One evaluation set under one unit and one statistic.

    Attributes
    ----------
    id, title, about : str
        `about` is for readers who do not know the names of statistics.
    facts : tuple of (name, what)
    answer, reading : str
        The metrics that agree best with human scores: in plain words, and in terms of statistics.
    remarks : tuple of str
    columns : tuple of str
        The columns of numbers that are not empty.
    rows : tuple of (Correlation, its numbers)
        The best first.
    reasons : bool
        Whether any metric has no number.
    tests : Tests, optional
    """

    id: str
    title: str
    about: str
    facts: tuple[tuple[str, str], ...]
    answer: str
    reading: str
    remarks: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[Correlation, tuple[float | None, ...]], ...]
    reasons: bool
    tests: Tests | None


def set_views(meta: MetaEvaluation) -> list[SetView]:
    """Return the view of each evaluation set."""
    views = []
    for place, of_set in enumerate(meta.sets, 1):
        order = best_first(of_set.rows)
        rows = [of_set.rows[n] for n in order]
        columns, numbers = _numbers(rows)
        views.append(
            SetView(
                f"set-{place}",
                f"{of_set.name}: {_kind(of_set)}",
                f"{of_set.name}, {of_set.unit}s",
                tuple(_facts(meta, of_set)),
                plain_reading(of_set),
                set_reading(of_set),
                tuple(of_set.remarks),
                columns,
                tuple(zip(rows, numbers, strict=True)),
                any(row.reason for row in rows),
                _test_triangle(of_set, order),
            )
        )
    return views


def overviews(meta: MetaEvaluation) -> list[Overview]:
    """Group the sets with the same unit and statistic."""
    kinds = group_rows(((s.unit, s.statistic, s.by), place) for place, s in enumerate(meta.sets))
    return [_overview(meta, places) for places in kinds.values()]


def _overview(meta: MetaEvaluation, places: Sequence[int]) -> Overview:
    sets = [meta.sets[place] for place in places]
    columns = [
        (of_set.name, f"set-{place + 1}") for place, of_set in zip(places, sets, strict=True)
    ]
    all_correlations: list[SetCorrelations | AverageCorrelations] = list(sets)
    for mean in meta.averages:
        if len(sets) > 1 and (mean.unit, mean.statistic) == (sets[0].unit, sets[0].statistic):
            columns.append((_MEAN, ""))
            all_correlations.append(mean)
            break
    # Ordered by the means, or by the first set; missing metrics follow.
    leading = (
        all_correlations
        if len(all_correlations) == len(sets)
        else [all_correlations[-1], *all_correlations]
    )
    metrics = list(
        dict.fromkeys(of_set.rows[n].metric for of_set in leading for n in best_first(of_set.rows))
    )
    ends = [
        end
        for correlations in all_correlations
        for row in correlations.rows
        for end in (row.low, row.value, row.high)
        if not math.isnan(end)
    ]
    scale = (min(ends, default=0.0), max(ends, default=0.0))
    cells = [_cells(correlations, scale) for correlations in all_correlations]
    return Overview(
        _kind(sets[0]),
        tuple(columns),
        tuple(
            (metric, tuple(cells_of_set.get(metric, Cell()) for cells_of_set in cells))
            for metric in metrics
        ),
    )


def _cells(
    correlations: SetCorrelations | AverageCorrelations, scale: tuple[float, float]
) -> dict[str, Cell]:
    """Return the cell of each metric; all cells of a table are drawn on one scale."""
    order = best_first(correlations.rows)
    best = correlations.rows[order[0]] if order else None
    # If all are equal, none is the best.
    differ = len({row.value for row in correlations.rows}) > 1
    clusters = {row.cluster for row in correlations.rows} - {None}
    cells = {}
    for row in correlations.rows:
        if math.isnan(row.value) or best is None:
            cells[row.metric] = Cell(reason=row.reason or "no number")
            continue
        is_best = row.value == best.value if row.cluster is None else row.cluster == best.cluster
        bounds = ""
        if not (math.isnan(row.low) or math.isnan(row.high)):
            bounds = interval(row.low, row.high)
        cells[row.metric] = Cell(
            number(row.value),
            bounds,
            interval_strip(row, *scale),
            row.cluster,
            is_best and (len(clusters) > 1 if clusters else differ),
        )
    return cells


def _numbers(rows: Sequence[Correlation]) -> tuple[tuple[str, ...], list[tuple[float | None, ...]]]:
    """Return the numbers of each metric, without empty columns."""
    all_values: dict[str, list[float | int | None]] = {
        "value": [row.value for row in rows],
        "low": [row.low for row in rows],
        "high": [row.high for row in rows],
        "n": [row.n for row in rows],
        "cluster": [row.cluster for row in rows],
        "tie up to": [row.threshold for row in rows],
    }
    columns = {
        name: [None if value is None or math.isnan(value) else value for value in column]
        for name, column in all_values.items()
    }
    filled_columns = {
        name: column
        for name, column in columns.items()
        if any(value is not None for value in column)
    }
    return tuple(filled_columns), [
        tuple(column[n] for column in filled_columns.values()) for n in range(len(rows))
    ]


def _test_triangle(correlations: SetCorrelations, order: Sequence[int]) -> Tests | None:
    """Return the triangle of tests, the best metric first; None without tests."""
    p = correlations.p_values
    order = [n for n in order if not math.isnan(correlations.rows[n].value)]
    if p is None or len(order) < 2:
        return None
    names = tuple(shortened(correlations.rows[n].metric) for n in order)
    marks = triangle_marks(correlations, order)
    rows = []
    for index, (metric, row) in enumerate(zip(order, marks, strict=False)):
        cells = [("", "")] * index
        for above, mark in zip(order[index + 1 :], row, strict=True):
            p_value = min(p[metric, above], p[above, metric])
            cells.append((mark, "" if math.isnan(p_value) else p_number(float(p_value), 3)))
        rows.append(tuple(cells))
    return Tests(names, tuple(rows), _test_sentence([correlations.rows[n] for n in order], marks))


def _test_sentence(rows: Sequence[Correlation], marks: Sequence[Sequence[str]]) -> str:
    """Describe the clusters that the test distinguishes; without clusters, the pairs."""
    names = [row.metric for row in rows]
    clusters: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        if row.cluster is None:
            return triangle_reading(names, marks)
        clusters.setdefault(row.cluster, []).append(place)
    if len(clusters) == 1:
        # A cluster may be a chain of pairs that do not differ, with ends that do.
        return triangle_reading(names, marks)
    return cluster_reading(names, list(clusters.values()))


def _kind(correlations: SetCorrelations) -> str:
    """Describe the unit and the statistic."""
    by = f", by {correlations.by}" if correlations.by and correlations.by != "none" else ""
    return f"{correlations.statistic} of {correlations.unit}s{by}"


def _facts(meta: MetaEvaluation, correlations: SetCorrelations) -> Iterator[tuple[str, str]]:
    """Describe the compared scores."""
    yield "People", correlations.human.name
    yield "Systems", f"{len(correlations.human.systems):,}"
    yield "Metrics", f"{len(correlations.rows):,}"
    if correlations.pairs is not None:
        raters = len(correlations.pairs.raters)
        by = f" by {counted(raters, 'rater')}" if raters else ""
        yield "Judgements", f"{len(correlations.pairs):,} pairs of outputs{by}"
    if correlations.interval:
        method = "Fisher's z" if correlations.interval == "fisher" else correlations.interval
        yield "Intervals", f"{100 * meta.level:g} %, {method}"
    if correlations.test:
        method = f"{correlations.test}, {counted(meta.resamples, 'resample')}, seed {meta.seed}"
        yield "Test", correlations.test if correlations.test == "williams" else method
