"""Tuning on Moses' files of features and statistics."""

from __future__ import annotations

from typing import Any

from wordorder.text.opening import Path
from wordorder.text.output import require_creatable
from wordorder.training.tuning.moses_statistics import read_moses_problem
from wordorder.training.tuning.tuned import Tuned
from wordorder.training.tuning.tuning import tune
from wordorder.training.tuning.weights_file import read_start, save_tuned


def tune_moses_files(
    features: Path, scores: Path, start: Path, *, output: Path | None = None, **options: Any
) -> Tuned:
    """Tune on features and BLEU statistics, as ``wordorder tune --moses-features`` does.

    Parameters
    ----------
    features, scores : path
        What Moses' ``extractor`` writes, in the text forms.
    start : path
        The weights to start from, and the bounds of random starts: Moses' ``init.opt``.
    output : path, optional
        Where the weights go.
    options
        As in `wordorder.training.tune`.

    Raises
    ------
    InputError
        If a file is wrong, or the files do not go together.
    """
    if output is not None:
        require_creatable(output)
    problem, names = read_moses_problem(features, scores)
    first, bounds = read_start(start, names)
    tuned = tune(problem, names=names, start=first, bounds=bounds, output=output, **options)
    if output is not None:
        save_tuned(tuned, output)
    return tuned
