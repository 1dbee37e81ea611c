"""Tuning on files of n-best lists."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import one_note_of_a_kind
from wordorder.option_names import names_arguments
from wordorder.scoring.files import Files, paths
from wordorder.scoring.named_metrics import Metrics, make_metrics
from wordorder.text.opening import Path, display_name
from wordorder.text.output import require_creatable
from wordorder.training.tuning.candidates import list_kind, problem_of
from wordorder.training.tuning.nbest import NBest
from wordorder.training.tuning.problem import Problem
from wordorder.training.tuning.tuned import Tuned
from wordorder.training.tuning.tuning import tune
from wordorder.training.tuning.weights_file import read_start, save_tuned

# What `tune` takes; all other options say how files are read.
OF_TUNING = (
    *("method", "starts", "directions", "seed", "confidence", "resamples", "retune"),
    *("resume", "restart", "progress"),
)


@names_arguments
def tune_files(
    nbest: Path | Sequence[Path],
    reference: Path,
    metric: Metrics = "bleu",
    *,
    settings: Sequence[str] = (),
    start: Path | None = None,
    output: Path | None = None,
    reranked: Path | None = None,
    **options: Any,
) -> Tuned:
    """Tune the weights of n-best lists, as ``wordorder tune`` does.

    Parameters
    ----------
    nbest : path or sequence of paths
        Lists of one or several runs, as `NBest.read` takes them.
    reference : path
        A reference translation of each sentence, or reference orders if the candidates are orders.
    metric : str
        What is to be made as good as can be: the name of a metric, with options, or a sum.
    settings : sequence of str
        Options of the metric, ``[METRIC.]KEY=VALUE``.
    start : path, optional
        Weights to start from, as `read_start` takes them.
    output : path, optional
        Where the weights go.
    reranked : path, optional
        Where the lists go with the scores of the new weights, best candidate first.
    options
        The options of `wordorder.training.tune`; and fields of `wordorder.scoring.files.Files`, by
        name: ``references=["ref1.txt"]``, ``aligner="exact"``.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go together.
    InputError
        If a file is wrong; the message names the line.
    """
    tuning = {name: options.pop(name) for name in OF_TUNING if name in options}
    lists = paths(nbest)
    outputs = [path for path in (output, reranked) if path is not None]
    for path in outputs:
        require_creatable(path)
    if len(set(map(os.path.realpath, outputs))) < len(outputs):
        raise UsageError(f"{output}: weights and lists need files of their own")
    read, problem = read_problem(lists, reference, metric, settings=settings, **options)
    first, bounds = (None, None) if start is None else read_start(start, read.names)
    tuned = tune(problem, names=read.names, start=first, bounds=bounds, output=output, **tuning)
    if reranked is not None:
        read.reranked(tuned.weights).write(reranked)
    if output is not None:
        save_tuned(tuned, output)
    return tuned


def read_problem(
    nbest: Sequence[str],
    reference: Path,
    metric: Metrics,
    *,
    settings: Sequence[str] = (),
    **options: Any,
) -> tuple[NBest, Problem]:
    """Read n-best lists and references, and what a metric counts for each candidate."""
    (made,) = one_metric(metric, settings)
    if options.get("reference_alignments"):
        # Those of the candidates are in the lists, which are read once.
        options["hypothesis_alignments"] = [display_name(nbest[0])]
    files = Files.of(reference, {"candidates": nbest[0]}, options)
    kind = list_kind(files, made)
    with one_note_of_a_kind():
        read = NBest.read(*nbest)
        return read, problem_of(read, made, kind)


def one_metric(metric: Metrics, settings: Sequence[str]) -> list[BaseMetric]:
    """Return the metric of a name, alone in a list; refuse several."""
    found = make_metrics(metric, settings, set())
    if len(found) > 1:
        names = ", ".join(each.name for each in found)
        raise UsageError(f'-m names several metrics: {names}; join them in a sum: "0.5*a+0.5*b"')
    return found
