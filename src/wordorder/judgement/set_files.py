"""Read evaluation sets from any of their formats."""

from __future__ import annotations

import os

from wordorder.errors import InputError
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.long_table import REQUIRED_COLUMNS, set_of_long_table
from wordorder.judgement.metrics_eval_folder import (
    is_metrics_eval_folder,
    language_pairs,
    read_metrics_eval_folder,
)
from wordorder.judgement.set_toml import read_set_toml
from wordorder.judgement.table_rows import TableRows
from wordorder.text.names import without_compression
from wordorder.text.opening import Path, display_name
from wordorder.text.stores import table_files

# The TOML file that describes the files of a folder.
SET_FILE = "set.toml"


def read_evaluation_sets(path: Path, *, human: str | None = None) -> list[EvaluationSet]:
    """Read the evaluation sets that a path names.

    Parameters
    ----------
    path : path or "-"
        A folder of mt-metrics-eval, with all its language pairs, or ``FOLDER:PAIR`` for one of
        them; a TOML file, or a folder with one called ``set.toml``; or one long table, as a file
        or in parts.
    human : str, optional
        The metric of a long table that is the human score.

    Returns
    -------
    list of EvaluationSet
        One per language pair of a folder of mt-metrics-eval; otherwise a single one.

    Raises
    ------
    InputError
        If the file does not exist, or has another format.
    UsageError
        If the folder does not have the language pair; the message names its pairs.
    """
    name = os.fspath(path)
    folder, colon, pair = name.rpartition(":")
    if colon and folder and not os.path.exists(name):
        if not os.path.isdir(folder):
            raise InputError(folder, "no such folder", "a folder of mt-metrics-eval")
        if is_metrics_eval_folder(folder):
            return [read_metrics_eval_folder(folder, pair)]
    if os.path.isdir(name):
        if is_metrics_eval_folder(name):
            return [read_metrics_eval_folder(name, pair) for pair in language_pairs(name)]
        if os.path.isfile(toml := os.path.join(name, SET_FILE)):
            return [read_set_toml(toml)]
        problem = "a folder without an evaluation set"
        expected = (
            f"one of mt-metrics-eval (human-scores, system-outputs), {SET_FILE} in it, or "
            f"parts of a long table ({', '.join(REQUIRED_COLUMNS)})"
        )
        try:
            first = table_files(name)[0]
        except InputError:
            raise InputError(name, problem, expected) from None
        with TableRows(first) as rows:
            if not set(REQUIRED_COLUMNS) <= set(rows.header):
                problem += f": {os.path.basename(first)} has the columns"
                raise InputError(name, f"{problem} {' '.join(rows.header)[:60]}", expected)
    if without_compression(display_name(path)).endswith(".toml"):
        return [read_set_toml(path)]
    return [set_of_long_table(path, human=human)]
