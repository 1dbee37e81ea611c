"""Scores of metrics from files, for the systems and segments of an evaluation set."""

import os
from collections.abc import Sequence

import numpy as np

from wordorder.errors import InputError, UsageError
from wordorder.judgement.evaluation_set import REQUIRED, EvaluationSet, read_long_table
from wordorder.judgement.judgement_files import line_numbers
from wordorder.judgement.score_table import LEVELS, ScoreTable, check_lengths, read_scores
from wordorder.judgement.table_rows import TableRows
from wordorder.messages import counted, joined
from wordorder.notes import note
from wordorder.text.names import read_only_once, split_name, without_compression

# Systems that a message names.
_NAMED = 5

# By metric, by what each score is of, "segment", and by system.
_Levels = dict[str, dict[str, dict[str, list[float]]]]


def given_scores(given: EvaluationSet, files: Sequence[str]) -> list[ScoreTable]:
    """Read scores of metrics and put them onto the systems and segments of a set.

    Parameters
    ----------
    given : EvaluationSet
    files : sequence of str
        Each a long table of system, segment, metric and value, such as ``wordorder score
        --segments --format tsv`` writes; or a system and a score per line, ``NAME=FILE`` or named
        ``NAME.seg.score``, as mt-metrics-eval has them. Scores of segments and of systems of one
        metric may be in two files.

    Raises
    ------
    InputError
        If a file is wrong, or no system in it is one of the set.
    """
    of_metric: _Levels = {}
    for each in files:
        name, path = split_name(each)
        if read_only_once(path):
            raise UsageError("--scores reads its files twice: they must be files")
        with TableRows(path) as rows:
            is_long = set(REQUIRED) <= set(rows.header)
        parts = _of_long_table(given, path) if is_long else _of_score_file(given, path, name)
        for metric, levels in parts.items():
            for level, scores in levels.items():
                if level in of_metric.setdefault(metric, {}):
                    raise UsageError(f"--scores: {metric} has scores of {level}s twice")
                of_metric[metric][level] = scores
    return [
        ScoreTable.of_levels(metric, given.systems, given.segments, levels)
        for metric, levels in of_metric.items()
    ]


def _of_score_file(given: EvaluationSet, path: str, name: str) -> _Levels:
    """Read a file with a system and a score per line; name or length say what is scored."""
    scores = read_scores(path)
    lengths = {"segment": given.segments, "document": len(given.document_names), "system": 1}
    base = os.path.basename(without_compression(path)).removesuffix(".score")
    stem, _, level = base.rpartition(".")
    known = {len(values) for values in scores.values()}
    if level in LEVELS:
        of = LEVELS[level]
    else:
        stem = base.removesuffix(".txt").removesuffix(".tsv")
        fitting = [of for of, length in lengths.items() if {length} == known]
        of = fitting[0] if fitting else "segment"
    check_lengths(path, scores, lengths[of], of)
    _note_others(given, path, list(scores))
    return {name or stem: {of: scores}}


def _of_long_table(given: EvaluationSet, path: str) -> _Levels:
    """Read a long table, whose segments are those of the set by name, or line numbers."""
    read = read_long_table(path)
    if given.segment_names is not None:
        numbers = {name: number for number, name in enumerate(given.segment_names)}
        missing = [name for name in read.segments if name not in numbers]
        if missing:
            what = f"segments that {given.name} does not have: {joined(missing[:_NAMED])}"
            raise InputError(path, what, "its segments")
        columns = np.array([numbers[name] for name in read.segments], np.int64)
    else:
        columns = line_numbers(read.segments, path)
        if columns.max(initial=-1) >= given.segments:
            what = f"a score of segment {columns.max() + 1}"
            raise InputError(path, what, f"segments 1 to {given.segments}")
    _note_others(given, path, read.systems)
    by_metric: _Levels = {}
    for metric, table in read.tables.items():
        levels = by_metric.setdefault(metric, {})
        if not np.isnan(table.segments).all():
            scores = np.full((len(read.systems), given.segments), np.nan)
            scores[:, columns] = table.segments
            levels["segment"] = dict(zip(read.systems, scores.tolist(), strict=True))
        if table.whole is not None:
            whole = table.whole[:, np.newaxis].tolist()
            levels["system"] = dict(zip(read.systems, whole, strict=True))
    return by_metric


def _note_others(given: EvaluationSet, path: str, systems: Sequence[str]) -> None:
    """Name the systems of a file that the set does not have."""
    others = [system for system in systems if system not in given.systems]
    if others:
        there = f"{given.name} has {joined(list(given.systems)[:_NAMED])}"
        if len(others) == len(systems):
            raise InputError(path, f"scores of {joined(others[:_NAMED])}", f"of systems: {there}")
        count = counted(len(others), "system")
        note(f"{path}: left out {count} that {given.name} does not have: {joined(others[:_NAMED])}")
