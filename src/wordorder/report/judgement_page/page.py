"""A meta-evaluation as one HTML file that needs nothing else."""

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
from wordorder.report.page.filling import templates
from wordorder.report.scores import cluster_reading
from wordorder.report.tables import interval, p_number
from wordorder.scoring.significance_summary import triangle_reading
from wordorder.text.opening import Path
from wordorder.text.output import write_text

# What browsers on small machines still open at once.
BYTES = 5_000_000

# The pictures of a set that are not folded.
_OPEN = 2

# And the remarks of a set.
_REMARKS = 3

TEST_LEGEND = (
    "A cell says whether the metric above it agrees better with people than the one to its left: "
    "+* if p is at most 0.10, +** if at most 0.05 (one-sided); -*, -** worse; 0: no significant "
    "difference. Under it is the p-value in favour of the better one."
)

_MEAN = "mean"


@dataclass(frozen=True)
class Scatter:
    """A metric against people, and how well they agree."""

    metric: str
    said: str
    svg: str


def judgement_page(
    meta: MetaEvaluation,
    *,
    title: str = "Metrics and people",
    notes: Sequence[str] = (),
    limit: int = BYTES,
) -> str:
    """Write a meta-evaluation as one HTML page.

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
        The page has no more bytes than this as long as pictures of single metrics can be left out;
        it says which.

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
            opened=_OPEN,
            shown=_REMARKS,
            legend=TEST_LEGEND,
            signatures=meta.shown_signatures,
            notes=notes,
            version=__version__,
        )

    # As if all had been left out: their names take room too.
    names = [[row.metric for row, _ in view.rows] for view in views]
    room = limit - len(page([[] for _ in views], names).encode())
    text = page(*_chosen(meta, room)) + "\n"
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
    """Write the page of a meta-evaluation into a file, which is whole or not there at all.

    Parameters
    ----------
    meta : MetaEvaluation
    path : path or "-"
        As `wordorder.text.output.write_output` takes it.
    title, notes
        As `judgement_page` takes them.
    """
    text = judgement_page(meta, title=title, notes=notes)
    with write_text(path) as stream:
        stream.write(text)


def _chosen(meta: MetaEvaluation, room: int) -> tuple[list[list[Scatter]], list[list[str]]]:
    """Draw the metrics of all sets in turn, the best first, as far as there is room."""
    scatters: list[list[Scatter]] = [[] for _ in meta.sets]
    left_out: list[list[str]] = [[] for _ in meta.sets]
    for turn in zip_longest(*(best_first(of_set.rows) for of_set in meta.sets)):
        for place, metric in enumerate(turn):
            if metric is None:
                continue
            of_set = meta.sets[place]
            row = of_set.rows[metric]
            svg = of_set.to_svg(row.metric)
            name, value = row.metric, f"{of_set.statistic} {value_text(row)}"
            # Its caption and frame take space, too.
            size = len(svg.encode()) + 2 * len(name.encode()) + 500
            if svg and size <= room:
                scatters[place].append(Scatter(name, value, svg))
                room -= size
            else:
                left_out[place].append(name)
    return scatters, left_out


@dataclass(frozen=True)
class Cell:
    """The agreement of one metric on one set, as text and drawing; empty without a value."""

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
    id, title, about : str
        The last for readers who do not know the names of statistics.
    facts : tuple of (name, what)
    answer, reading : str
        Which metric agrees best with people: in words, and as statisticians say it.
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
    """Write each evaluation set."""
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
                _tests(of_set, order),
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
    # The means decide on the order, or the first set; metrics that it lacks follow.
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
        bounds = ""
        if not (math.isnan(row.low) or math.isnan(row.high)):
            bounds = interval(row.low, row.high)
        cells[row.metric] = Cell(
            number(row.value),
            bounds,
            interval_strip(row, *scale),
            row.cluster,
            alike and (len(clusters) > 1 if clusters else several),
        )
    return cells


def _numbers(rows: Sequence[Correlation]) -> tuple[tuple[str, ...], list[tuple[float | None, ...]]]:
    """Return the numbers of each metric, without the columns that are empty."""
    all_values: dict[str, list[float | int | None]] = {
        "value": [row.value for row in rows],
        "low": [row.low for row in rows],
        "high": [row.high for row in rows],
        "n": [row.n for row in rows],
        "cluster": [row.cluster for row in rows],
        "tie up to": [row.threshold for row in rows],
    }
    written = {
        name: [None if value is None or math.isnan(value) else value for value in column]
        for name, column in all_values.items()
    }
    known = {
        name: column
        for name, column in written.items()
        if any(value is not None for value in column)
    }
    return tuple(known), [tuple(column[n] for column in known.values()) for n in range(len(rows))]


def _tests(one: SetCorrelations, order: Sequence[int]) -> Tests | None:
    """Make the triangle of tests, the best metric first; None without tests."""
    p = one.p_values
    order = [n for n in order if not math.isnan(one.rows[n].value)]
    if p is None or len(order) < 2:
        return None
    names = tuple(shortened(one.rows[n].metric) for n in order)
    marks = triangle_marks(one, order)
    rows = []
    for place, (metric, row) in enumerate(zip(order, marks, strict=False)):
        cells = [("", "")] * place
        for above, mark in zip(order[place + 1 :], row, strict=True):
            least = min(p[metric, above], p[above, metric])
            cells.append((mark, "" if math.isnan(least) else p_number(float(least), 3)))
        rows.append(tuple(cells))
    return Tests(names, tuple(rows), _reading([one.rows[n] for n in order], marks))


def _reading(rows: Sequence[Correlation], marks: Sequence[Sequence[str]]) -> str:
    """Describe the clusters that the test distinguishes; without clusters, the pairs."""
    names = [row.metric for row in rows]
    clusters: dict[int, list[int]] = {}
    for place, row in enumerate(rows):
        if row.cluster is None:
            return triangle_reading(names, marks)
        clusters.setdefault(row.cluster, []).append(place)
    if len(clusters) == 1:
        # One cluster may be a chain of pairs that do not differ: its ends may.
        return triangle_reading(names, marks)
    return cluster_reading(names, list(clusters.values()))


def _kind(one: SetCorrelations) -> str:
    """Say the unit and the statistic."""
    by = f", by {one.by}" if one.by and one.by != "none" else ""
    return f"{one.statistic} of {one.unit}s{by}"


def _facts(meta: MetaEvaluation, one: SetCorrelations) -> Iterator[tuple[str, str]]:
    """Describe the compared scores."""
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
