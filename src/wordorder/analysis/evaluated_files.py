"""The evaluation of parsers × rule sets in files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordorder.analysis.files import with_texts
from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_files import GridFiles, GridInputs, Reference, read_grid
from wordorder.analysis.grid_systems import (
    METRICS,
    GridSystems,
    grid_systems,
    scored_grid,
    scored_systems,
)
from wordorder.analysis.sensitivity import (
    Convention,
    Sensitivity,
    grid_sensitivity,
    reference_conventions,
)
from wordorder.arrays import OnProgress
from wordorder.messages import names_arguments
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import grouped_notes, note
from wordorder.progress import shows_progress
from wordorder.scoring.file_formats import OrderFiles
from wordorder.scoring.files import Metrics, make_metrics
from wordorder.scoring.notes import note_left_out
from wordorder.text.opening import Path, display_name


@dataclass(frozen=True, eq=False)
class EvaluatedFiles:
    """The result of `evaluate_files`.

    Attributes
    ----------
    inputs : GridInputs
        The contents of the files.
    grid : Grid
    sensitivity : Sensitivity or None
        The grid under other conventions, if requested.
    """

    inputs: GridInputs
    grid: Grid
    sensitivity: Sensitivity | None = None


@names_arguments
@shows_progress("sentences")
def evaluate_files(
    reference: Path,
    *,
    metrics: Metrics = METRICS,
    settings: Sequence[str] = (),
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    test: str = "auto",
    sensitivity: bool = False,
    progress: OnProgress | None = None,
    **options: Any,
) -> EvaluatedFiles:
    """Score parsers × rule sets against reference orders, as ``wordorder evaluate`` does.

    Parameters
    ----------
    reference : path
        Reference orders, or alignments from which they are made.
    metrics, settings, progress
        As in `score_files`; metrics of orders.
    level, resamples, seed, test
        As in `wordorder.analysis.grid_systems.evaluate_grid`.
    sensitivity : bool
        Whether to evaluate under every convention for reference orders, too.
    options
        The further fields of `wordorder.analysis.grid_files.GridFiles`, by name:
        ``trees={"P1": "p1.conllu"}``, ``rule_sets=["R1", "R5"]``.

    Raises
    ------
    UsageError
        If a name is unknown, or options contradict each other.
    InputError
        If a file is invalid, or the files differ in their sentences.

    Warns
    -----
    note
        About what was left out, about rules that do not fit the trees, and if another system is
        best under another rule for words without a link.

    Examples
    --------
    >>> from wordorder.samples import sample_path
    >>> trees = {"hand": sample_path("trees.conllu")}
    >>> reference = sample_path("reference.orders")
    >>> evaluated = evaluate_files(reference, trees=trees, rule_sets=["R1", "R5"], metrics="frs")
    >>> [system.name for system in evaluated.grid.evaluation.systems]
    ['hand/R1', 'hand/R5']
    """
    files = GridFiles.of(reference, options)
    used = make_metrics(metrics or METRICS, settings, {"permutation"})
    test_options: dict[str, Any] = {
        "level": level,
        "resamples": resamples,
        "seed": seed,
        "test": test,
    }
    with grouped_notes():
        inputs = read_grid(files, progress)
        if files.source is not None and not files.parsers:
            # The trees have the words; this checks that the text has the same sentences.
            with_texts(inputs.words, files.source, display_name(inputs.parsers[0].path))
        systems = grid_systems(inputs.treebanks, inputs.rules)
        varied = (
            _evaluate_conventions(files, inputs, systems, used, test_options)
            if sensitivity
            else None
        )
        if varied is None:
            grid = scored_grid(inputs.reference.orders, systems, used, **test_options)
            _note_other_winners(grid, systems, inputs.reference, files.convention)
        else:
            grid = varied.grids[0]
    note_left_out(grid.evaluation, used, OrderFiles)
    return EvaluatedFiles(inputs, grid, varied)


def _evaluate_conventions(
    files: GridFiles,
    inputs: GridInputs,
    systems: GridSystems,
    metrics: Sequence[BaseMetric],
    test_options: dict[str, Any],
) -> Sensitivity:
    """Evaluate under all conventions that the reference leaves open."""
    reference = inputs.reference
    if reference.alignments is None:
        message = (
            f"{reference.name} holds orders, so the rule and the place of unaligned words are "
            "fixed and only ties vary (and metric options, with -O); give alignments to vary all "
            "of them"
        )
        note(message)
        return grid_sensitivity(
            systems, [(Convention(), reference.orders)], metrics, **test_options
        )
    conventions = reference_conventions(reference.alignments, inputs.words, **files.convention)
    return grid_sensitivity(systems, conventions, metrics, **test_options)


def _note_other_winners(
    grid: Grid, systems: GridSystems, reference: Reference, convention: Mapping[str, str | None]
) -> None:
    """Note if another system is best when words without a link are placed by another rule."""
    if len(systems.names) < 2 or not len(reference.orders):
        return
    metric = grid.metrics[0]
    values = {
        unaligned: [
            system.scores[0].value for system in scored_systems(orders, systems, [metric]).systems
        ]
        for unaligned, orders in reference.treatments(systems.words, convention)
    }
    advice = "" if reference.alignments is None else "; --sensitivity shows all cases"
    if winners := reference.winners(systems.names, metric, values, more=advice):
        note(winners)
