"""Reads scores of metrics from files, for the systems and segments of an evaluation set."""

import os
from collections.abc import Sequence

import numpy as np

from wordorder.errors import InputError, UsageError
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.judgement_files import line_numbers
from wordorder.judgement.long_table import REQUIRED_COLUMNS, read_long_table
from wordorder.judgement.score_table import LEVELS, ScoreTable, check_lengths, read_scores
from wordorder.judgement.table_rows import TableRows
from wordorder.messages import counted, joined
from wordorder.notes import note
from wordorder.text.names import read_only_once, split_name, without_compression

# Largest number of systems named in a message.
_MAX_NAMED = 5

# metric -> level ("segment", "document", "system") -> system -> scores
_Levels = dict[str, dict[str, dict[str, list[float]]]]


def read_given_scores(evaluation_set: EvaluationSet, files: Sequence[str]) -> list[ScoreTable]:
    """Read scores of metrics, arranged by the systems and segments of a set.

    Parameters
    ----------
    evaluation_set : EvaluationSet
    files : sequence of str
        Long tables of system, segment, metric and value, as written by ``wordorder score
        --segments --format tsv``; or files of mt-metrics-eval with a system and a score per line,
        given as ``NAME=FILE`` or named ``NAME.seg.score``. Segment and system scores of one metric
        may be in two files.

    Raises
    ------
    InputError
        If a file is not valid, or has none of the systems of the set.
    """
    by_metric: _Levels = {}
    for file in files:
        name, path = split_name(file)
        if read_only_once(path):
            raise UsageError("--scores reads its files twice: they must be files")
        with TableRows(path) as rows:
            is_long = set(REQUIRED_COLUMNS) <= set(rows.header)
        parts = (
            _read_long_table(evaluation_set, path)
            if is_long
            else _read_score_file(evaluation_set, path, name)
        )
        for metric, levels in parts.items():
            for level, scores in levels.items():
                if level in by_metric.setdefault(metric, {}):
                    raise UsageError(f"--scores: {metric} has scores of {level}s twice")
                by_metric[metric][level] = scores
    return [
        ScoreTable.of_levels(metric, evaluation_set.systems, evaluation_set.segments, levels)
        for metric, levels in by_metric.items()
    ]


def _read_score_file(evaluation_set: EvaluationSet, path: str, name: str) -> _Levels:
    """Read `system score` lines; the file name or the number of scores gives the level."""
    scores = read_scores(path)
    lengths = {
        "segment": evaluation_set.segments,
        "document": len(evaluation_set.document_names),
        "system": 1,
    }
    base = os.path.basename(without_compression(path)).removesuffix(".score")
    stem, _, level = base.rpartition(".")
    lengths_found = {len(values) for values in scores.values()}
    if level in LEVELS:
        unit = LEVELS[level]
    else:
        stem = base.removesuffix(".txt").removesuffix(".tsv")
        fitting = [
            name_of_unit for name_of_unit, length in lengths.items() if {length} == lengths_found
        ]
        unit = fitting[0] if fitting else "segment"
    check_lengths(path, scores, lengths[unit], unit)
    _note_unknown_systems(evaluation_set, path, list(scores))
    return {name or stem: {unit: scores}}


def _read_long_table(evaluation_set: EvaluationSet, path: str) -> _Levels:
    """Read a long table, whose segments are names of the set, or else line numbers."""
    long_table = read_long_table(path)
    if evaluation_set.segment_names is not None:
        numbers = {name: number for number, name in enumerate(evaluation_set.segment_names)}
        missing = [name for name in long_table.segments if name not in numbers]
        if missing:
            problem = (
                f"segments that {evaluation_set.name} does not have: {joined(missing[:_MAX_NAMED])}"
            )
            raise InputError(path, problem, "its segments")
        columns = np.array([numbers[name] for name in long_table.segments], np.int64)
    else:
        columns = line_numbers(long_table.segments, path)
        if columns.max(initial=-1) >= evaluation_set.segments:
            problem = f"a score of segment {columns.max() + 1}"
            raise InputError(path, problem, f"segments 1 to {evaluation_set.segments}")
    _note_unknown_systems(evaluation_set, path, long_table.systems)
    by_metric: _Levels = {}
    for metric, table in long_table.tables.items():
        levels = by_metric.setdefault(metric, {})
        if not np.isnan(table.segments).all():
            scores = np.full((len(long_table.systems), evaluation_set.segments), np.nan)
            scores[:, columns] = table.segments
            levels["segment"] = dict(zip(long_table.systems, scores.tolist(), strict=True))
        if table.whole is not None:
            system_scores = table.whole[:, np.newaxis].tolist()
            levels["system"] = dict(zip(long_table.systems, system_scores, strict=True))
    return by_metric


def _note_unknown_systems(evaluation_set: EvaluationSet, path: str, systems: Sequence[str]) -> None:
    """Note the systems of a file that are not in the set; refuse a file with no other systems."""
    unknown = [system for system in systems if system not in evaluation_set.systems]
    if unknown:
        expected = f"{evaluation_set.name} has {joined(list(evaluation_set.systems)[:_MAX_NAMED])}"
        if len(unknown) == len(systems):
            raise InputError(
                path, f"scores of {joined(unknown[:_MAX_NAMED])}", f"of systems: {expected}"
            )
        count = counted(len(unknown), "system")
        names = joined(unknown[:_MAX_NAMED])
        note(f"{path}: left out {count} that {evaluation_set.name} does not have: {names}")
