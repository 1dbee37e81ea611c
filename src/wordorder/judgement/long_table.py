"""Long tables of scores: one row per system, segment and metric."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.score_table import ScoreTable
from wordorder.judgement.table_rows import Names, TableRows
from wordorder.messages import joined
from wordorder.notes import note
from wordorder.text.names import names_and_paths
from wordorder.text.opening import Path

REQUIRED_COLUMNS = ("system", "metric", "value")

# Further columns that `wordorder score --format tsv` writes.
_SCORE_COLUMNS = {"low", "high", "matched", "signature"}


@dataclass(frozen=True)
class LongTable:
    """The scores of a long table.

    Attributes
    ----------
    path : str
    systems, segments : tuple of str
        The names in the order of the table.
    tables : mapping of metric to ScoreTable
    """

    path: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    tables: dict[str, ScoreTable]


def read_long_table(path: Path) -> LongTable:
    r"""Read a table with the columns system, segment, metric and value, in any order.

    Columns are separated by tabs, commas or spaces, as in the header. A row without a segment is
    the score of a system on the whole set. ``None`` and an empty value are missing scores.

    Raises
    ------
    InputError
        If a column is missing, a value is not a number, or a score is listed twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "all.tsv")
    >>> _ = path.write_text("system\tsegment\tmetric\tvalue\nA\t1\tmqm\t-1\nA\t2\tmqm\tNone\n")
    >>> read_long_table(path).tables["mqm"].segments.tolist()
    [[-1.0, nan]]
    """
    with TableRows(path) as rows:
        return _read_rows(rows)


def _read_rows(rows: TableRows) -> LongTable:
    missing = [name for name in REQUIRED_COLUMNS if name not in rows.header]
    if missing:
        header = " ".join(rows.header)[:60]
        problem = f"no column {joined(missing, 'or')} in {header!r}" if header else "an empty file"
        expected = "the columns system, segment, metric and value (a TOML file names judgements)"
        raise InputError(rows.name, problem, expected)
    read = {*REQUIRED_COLUMNS, "segment"}
    unread = [name for name in rows.header if name not in read | _SCORE_COLUMNS]
    if unread:
        note(f"{rows.name}: columns that are not read: {joined(unread)}")
    systems, segments, metrics = Names(), Names(), Names()
    scores: dict[tuple[int, int, int], float] = {}
    for system, segment, metric, value in rows.cells("system", "segment", "metric", "value"):
        key = (
            metrics.id_of(rows.filled(metric, "metric")),
            systems.id_of(rows.filled(system, "system")),
            segments.id_of(segment) if segment else -1,
        )
        if key in scores:
            unit = f" on segment {segment}" if segment else ""
            raise rows.error(f"{metric} of {system}{unit} is given twice", "each score once")
        scores[key] = math.nan if value in ("", "None") else rows.number(value, "value")
    if not scores:
        raise InputError(rows.name, "no scores", "a row for each score after the header")
    shape = len(metrics.all()), len(systems.all()), len(segments.all())
    by_segment = np.full(shape, np.nan)
    by_system = np.full(shape[:2], np.nan)
    for (m, n, s), score in scores.items():
        if s < 0:
            by_system[m, n] = score
        else:
            by_segment[m, n, s] = score
    tables = {}
    for m, name in enumerate(metrics.all()):
        system_scores = None if np.isnan(by_system[m]).all() else by_system[m]
        tables[name] = ScoreTable(name, systems.all(), by_segment[m], system_scores)
    return LongTable(rows.name, systems.all(), segments.all(), tables)


def set_of_long_table(path: Path, *, human: str | None = None) -> EvaluationSet:
    """Read a long table as an evaluation set.

    Parameters
    ----------
    path : path
    human : str, optional
        The metric that is the human score; by default the one called ``human``.

    Raises
    ------
    UsageError
        If the table does not have the metric `human`; the message names the metrics.
    """
    long_table = read_long_table(path)
    tables = long_table.tables
    if human is None and "human" not in tables:
        names = ", ".join(tables)
        raise UsageError(f"{long_table.path}: --human=NAME says which metric is human: {names}")
    human = human or "human"
    if human not in tables:
        raise unknown_name(f"metric in {long_table.path}", human, tables)
    ((name, _),) = names_and_paths([long_table.path])
    return EvaluationSet(
        name.removesuffix(".tsv").removesuffix(".csv"),
        long_table.systems,
        len(long_table.segments),
        human={human: tables[human]},
        metrics={name: table for name, table in tables.items() if name != human},
        segment_names=long_table.segments,
    )
