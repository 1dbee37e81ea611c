"""Error analyses, from files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wordorder.analysis.analysed_grid import analysed_grid
from wordorder.analysis.analysis import Analysis
from wordorder.analysis.analysis_files import AnalysisFiles, read_analysis
from wordorder.analysis.analysis_notes import note_analysis
from wordorder.analysis.analyze import analyze
from wordorder.analysis.grid_checks import check_order_metrics
from wordorder.analysis.grid_evaluation import METRICS, RESAMPLES
from wordorder.analysis.scored_system import scored_system
from wordorder.errors import UsageError
from wordorder.metrics import metrics_for
from wordorder.option_names import names_arguments
from wordorder.scoring.named_metrics import Metrics, make_metrics, metric_names
from wordorder.text.opening import Path
from wordorder.types import OnProgress

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric


@names_arguments
def analyze_files(
    reference: Path,
    *,
    metric: str = "frs",
    metrics: Metrics = (),
    settings: Sequence[str] = (),
    focus: Sequence[str] = (),
    words: Sequence[str] = (),
    rows: int = 20,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    progress: OnProgress | None = None,
    **options: Any,
) -> Analysis:
    """Find where and why the order of words is wrong, as ``wordorder analyze`` does.

    Parameters
    ----------
    reference : path
        Orders, or alignments of which they are made.
    metric : str
        Scores single sentences.
    metrics : str or sequence of str
        Those of the grid of trees and rules, by default frs, kendall and exact.
    settings, progress
        As in `wordorder.scoring.score`.
    focus, words, rows, level, resamples, seed
        As in `wordorder.analysis.analyze.analyze`.
    options
        The further fields of `wordorder.analysis.analysis_files.AnalysisFiles`, by name: trees and
        rules, or ``systems=["a.orders"], source="source.txt"``.

    Raises
    ------
    UsageError
        If a name is unknown, or options do not go with each other.
    InputError
        If a file is wrong, or the files are not of the same sentences.

    Warns
    -----
    WordOrderWarning
        Of what was left out.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> trees = sample_path("trees.conllu")
    >>> reference = sample_path("reference.orders")
    >>> found = analyze_files(reference, trees=trees, gold_trees=trees, rule_sets=["R1", "R5"])
    >>> [system.name for system in found.systems]
    ['trees/R1', 'trees/R5']
    """
    files = AnalysisFiles.of(reference, options)
    files.check()
    if files.systems and metrics:
        raise UsageError("-m is for the grid of --trees and --rules; use --metric with -i")
    made, scoring = _metrics(() if files.systems else metrics or METRICS, metric, settings)
    drawn: dict[str, Any] = {"level": level, "resamples": resamples or RESAMPLES, "seed": seed}
    inputs = read_analysis(files, progress)
    corpus, grid = inputs.corpus, None
    if inputs.grid is None:
        systems = [scored_system(name, o, corpus, scoring) for name, o in inputs.orders.items()]
    else:
        given = inputs.grid.treebanks, inputs.grid.rules
        grid, systems = analysed_grid(corpus, *given, scoring, metrics=made, **drawn)
    drawn |= {"focus": focus, "words": words, "rows": rows}
    analysis = analyze(corpus, systems, metric=scoring, grid=grid, **drawn)
    note_analysis(analysis)
    return analysis


def _metrics(
    given: Metrics, name: str, settings: Sequence[str]
) -> tuple[list[BaseMetric], BaseMetric]:
    """Make the metrics of the grid, and name the one among them that scores sentences."""
    names = metric_names(given)
    name = ",".join(metric_names(name))
    if "all" in names:
        served = metrics_for({"permutation"})
        names = [*served, *(each for each in names if each not in ("all", *served))]
    if name not in names:
        names.append(name)
    made = make_metrics(names, settings, set())
    check_order_metrics(made)
    return made, made[names.index(name)]
