"""Reading evaluation sets, of whatever form."""

from __future__ import annotations

import os

from wordorder.errors import InputError
from wordorder.judgement.evaluation_set import EvaluationSet
from wordorder.judgement.long_table import set_of_long_table
from wordorder.judgement.metrics_eval_folder import (
    is_metrics_eval_folder,
    language_pairs,
    read_metrics_eval_folder,
)
from wordorder.judgement.set_toml import read_set_toml
from wordorder.text.compression import without_compression
from wordorder.text.opening import Path, display_name

# What describes the files of a folder.
SET_FILE = "set.toml"


def read_evaluation_sets(path: Path, *, human: str | None = None) -> list[EvaluationSet]:
    """Read the evaluation sets that a path names.

    Parameters
    ----------
    path : path or "-"
        A folder of mt-metrics-eval, all of whose language pairs are read, or ``FOLDER:PAIR`` for
        one of them; a TOML file, or a folder with one called ``set.toml``; or one long table.
    human : str, optional
        Which metric of a long table is the human one.

    Returns
    -------
    list of EvaluationSet
        One a language pair; always one but for a folder of mt-metrics-eval.

    Raises
    ------
    InputError
        If there is no such file, or it is none of these.
    UsageError
        If there is no such language pair; the message names those that there are.
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
        if os.path.isfile(os.path.join(name, SET_FILE)):
            return [read_set_toml(os.path.join(name, SET_FILE))]
        expected = f"one of mt-metrics-eval (human-scores, system-outputs), or {SET_FILE} in it"
        raise InputError(name, "a folder without an evaluation set", expected)
    if without_compression(display_name(path)).endswith(".toml"):
        return [read_set_toml(path)]
    return [set_of_long_table(path, human=human)]
