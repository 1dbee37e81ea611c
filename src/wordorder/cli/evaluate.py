"""``wordorder evaluate``: parsers × rule sets against reference orders."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.grid_options import grid_options, interval_options, order_metric_options
from wordorder.cli.messages import json_text
from wordorder.cli.systems import ManySystems, format_option, threads_option

if TYPE_CHECKING:
    from wordorder.analysis.grid_files import GridFiles, GridInputs
    from wordorder.analysis.grid_systems import GridSystems
    from wordorder.analysis.sensitivity import Sensitivity

METRICS = "frs,kendall,exact"


@click.command("evaluate", cls=ManySystems)
@grid_options
@order_metric_options(METRICS)
@click.option(
    "--test",
    type=click.Choice(["bootstrap", "randomization"]),
    default="bootstrap",
    show_default=True,
    help="Paired bootstrap resampling (Koehn 2004) or approximate randomization.",
)
@click.option(
    "--triangles",
    type=click.Choice(["best", "all"]),
    help="Which tests text shows: of the parsers with the best rules and of the rules with the "
    "best parser, or all. [default: best]",
)
@click.option(
    "--sensitivity",
    is_flag=True,
    help="Evaluate under every convention for REFERENCE (rule, unaligned words, links, ties), and "
    "say which rankings survive.",
)
@interval_options
@threads_option
@format_option
def command(
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    test: str,
    triangles: str | None,
    sensitivity: bool,
    level: float,
    resamples: int | None,
    seed: int,
    form: str,
    **files: Any,
) -> None:
    """Score parsers x rule sets: whose trees, by which rules, come closest to REFERENCE.

    The trees of each parser are reordered by each rule set and scored against reference orders;
    system P1R5 is parser P1 with rules R5. REFERENCE is an .orders file, as `wordorder reference`
    writes it, or word alignments, of which orders are made here.
    """
    from wordorder.analysis.grid_files import GridFiles, read_grid
    from wordorder.analysis.grid_systems import grid_systems
    from wordorder.errors import UsageError
    from wordorder.notes import one_note_of_a_kind
    from wordorder.report.progress import Progress
    from wordorder.scoring.left_out import note_left_out
    from wordorder.scoring.named_metrics import make_metrics
    from wordorder.scoring.order_files import OrderFiles

    given = GridFiles(**files)
    if given.source is not None and not given.parsers:
        raise UsageError("--source is the text that --parser parses; --trees have their words")
    if triangles is not None and (sensitivity or form != "text"):
        raise UsageError("--triangles is for the text of an evaluation without --sensitivity")
    chosen = make_metrics(metrics or [METRICS], settings, {"permutation"})
    drawn: dict[str, Any] = {"level": level, "resamples": resamples, "seed": seed, "test": test}
    found: dict[str, Any] = {}
    with one_note_of_a_kind():
        with Progress("sentences") as progress:
            inputs = read_grid(given, progress)
        systems = grid_systems(inputs.treebanks, inputs.rules)
        if sensitivity:
            from wordorder.report.sensitivity_table import (
                sensitivity_json,
                sensitivity_text,
                sensitivity_tsv,
            )

            varied = _varied(given, inputs, systems, chosen, drawn)
            if form == "json":
                found = sensitivity_json(varied)
            else:
                text = (sensitivity_tsv if form == "tsv" else sensitivity_text)(varied)
            evaluation = varied.grids[0].evaluation
        else:
            from wordorder.analysis.grid_evaluation import scored_grid
            from wordorder.report.grid_table import grid_json, grid_text, grid_tsv

            grid = scored_grid(inputs.reference.orders, systems, chosen, **drawn)
            if form == "json":
                found = grid_json(grid)
            elif form == "tsv":
                text = grid_tsv(grid)
            else:
                text = grid_text(grid, all_triangles=triangles == "all")
            evaluation = grid.evaluation
    note_left_out(evaluation, chosen, OrderFiles)
    if form == "json":
        text = json_text({**inputs.description(), **found})
    click.echo(text, nl=False)


def _varied(
    files: GridFiles,
    inputs: GridInputs,
    systems: GridSystems,
    metrics: list[Any],
    drawn: dict[str, Any],
) -> Sensitivity:
    """Evaluate under all conventions that the reference leaves open."""
    from wordorder.analysis.conventions import Convention, reference_conventions
    from wordorder.analysis.sensitivity import grid_sensitivity
    from wordorder.notes import note

    reference = inputs.reference
    if reference.alignments is None:
        note(
            f"{reference.name} holds orders, whose rule and unaligned words are settled: ties "
            "alone are varied (and metric options by -O); alignments leave all open"
        )
        return grid_sensitivity(systems, [(Convention(), reference.orders)], metrics, **drawn)
    conventions = reference_conventions(reference.alignments, inputs.words, **files.convention)
    return grid_sensitivity(systems, conventions, metrics, **drawn)
