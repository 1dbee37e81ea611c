"""One long table of scores: system, segment, metric and value in each row."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from wordorder.counts import joined
from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.score_table import ScoreTable
from wordorder.judgement.table_rows import Names, TableRows
from wordorder.notes import note
from wordorder.text.named_files import names_and_paths
from wordorder.text.opening import Path

REQUIRED = ("system", "metric", "value")
# What `wordorder score --format tsv` writes beside them.
_OF_SCORE = {"low", "high", "signature"}


@dataclass(frozen=True)
class LongTable:
    """The scores of a long table.

    Attributes
    ----------
    path : str
    systems, segments : tuple of str
        The names in the order of the table.
    tables : mapping of metric to ScoreTable
        A row without a segment is the score of the system on the whole set.
    """

    path: str
    systems: tuple[str, ...]
    segments: tuple[str, ...]
    tables: dict[str, ScoreTable]


def read_long_table(path: Path) -> LongTable:
    r"""Read a table with the columns system, segment, metric and value, in any order.

    Columns are separated by tabs, commas or blanks, as the header is. ``None`` and an empty value
    are missing ones.

    Raises
    ------
    InputError
        If a column is missing, a value is no number, or a score is given twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "all.tsv")
    >>> _ = path.write_text("system\tsegment\tmetric\tvalue\nA\t1\tmqm\t-1\nA\t2\tmqm\tNone\n")
    >>> read_long_table(path).tables["mqm"].segments.tolist()
    [[-1.0, nan]]
    """
    with TableRows(path) as rows:
        return _read(rows)


def _read(rows: TableRows) -> LongTable:
    """Read the rows of a long table."""
    missing = [name for name in REQUIRED if name not in rows.header]
    if missing:
        shown = " ".join(rows.header)[:60]
        problem = f"no column {joined(missing, 'or')} in {shown!r}" if shown else "an empty file"
        expected = "the columns system, segment, metric and value (a TOML file names judgements)"
        raise InputError(rows.name, problem, expected)
    unread = [name for name in rows.header if name not in {*REQUIRED, "segment", *_OF_SCORE}]
    if unread:
        note(f"{rows.name}: columns that are not read: {joined(unread)}")
    systems, segments, metrics = Names(), Names(), Names()
    scores: dict[tuple[int, int, int], float] = {}
    for system, segment, metric, value in rows.cells("system", "segment", "metric", "value"):
        key = (
            metrics.number(rows.filled(metric, "metric")),
            systems.number(rows.filled(system, "system")),
            segments.number(segment) if segment else -1,
        )
        if key in scores:
            where = f" on segment {segment}" if segment else ""
            raise rows.error(f"{metric} of {system}{where} is given twice", "each score once")
        absent = value in ("", "None")
        scores[key] = math.nan if absent else rows.number(value, "value")
    if not scores:
        raise InputError(rows.name, "no scores", "a row for each score after the header")
    shape = len(metrics.all()), len(systems.all()), len(segments.all())
    by_segment = np.full(shape, np.nan)
    whole = np.full(shape[:2], np.nan)
    for (metric_, system_, segment_), score in scores.items():
        if segment_ < 0:
            whole[metric_, system_] = score
        else:
            by_segment[metric_, system_, segment_] = score
    tables = {}
    for number, name in enumerate(metrics.all()):
        given = None if np.isnan(whole[number]).all() else whole[number]
        tables[name] = ScoreTable(name, systems.all(), by_segment[number], given)
    return LongTable(rows.name, systems.all(), segments.all(), tables)


def set_of_long_table(path: Path, *, human: str | None = None) -> EvaluationSet:
    """Read a long table as an evaluation set.

    Parameters
    ----------
    path : path
    human : str, optional
        Which metric is the human one; without, it must be called ``human``.

    Raises
    ------
    UsageError
        If `human` is no metric of the table, or is missing; the message names the metrics.
    """
    read = read_long_table(path)
    if human is None and "human" not in read.tables:
        names = ", ".join(read.tables)
        raise UsageError(f"{read.path}: --human=NAME says which metric is human: {names}")
    human = human or "human"
    if human not in read.tables:
        raise unknown_name(f"metric in {read.path}", human, read.tables)
    ((name, _),) = names_and_paths([read.path])
    return EvaluationSet(
        name.removesuffix(".tsv").removesuffix(".csv"),
        read.systems,
        len(read.segments),
        human={human: read.tables[human]},
        metrics={name: table for name, table in read.tables.items() if name != human},
        segment_names=read.segments,
    )
