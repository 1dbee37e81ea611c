"""``wordorder evaluate``: parsers × rule sets against reference orders."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.figures_option import draw, figures_option
from wordorder.cli.grid_options import grid_options, interval_options, order_metric_options
from wordorder.cli.messages import print_json
from wordorder.cli.systems import ManySystems, paper_format_option, threads_option

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
@figures_option
@threads_option
@paper_format_option
def command(
    reference: str,
    triangles: str | None,
    sensitivity: bool,
    figures: str | None,
    form: str,
    **options: Any,
) -> None:
    """Score parsers x rule sets: whose trees, by which rules, come closest to REFERENCE.

    The trees of each parser are reordered by each rule set and scored against reference orders;
    system P1R5 is parser P1 with rules R5. REFERENCE is an .orders file, as `wordorder reference`
    writes it, or word alignments, of which orders are made here.
    """
    from wordorder.analysis.evaluated_files import evaluate_files
    from wordorder.errors import UsageError
    from wordorder.report.document import printed
    from wordorder.report.grid_table import grid_document, grid_json, grid_tsv
    from wordorder.report.progress import Progress
    from wordorder.report.sensitivity_table import (
        sensitivity_document,
        sensitivity_json,
        sensitivity_tsv,
    )

    if triangles is not None and (sensitivity or form in ("json", "tsv")):
        raise UsageError(
            "--triangles is for the tables of an evaluation without --sensitivity, not for json "
            "and tsv, which have all tests"
        )
    with Progress("sentences") as progress:
        found = evaluate_files(reference, sensitivity=sensitivity, progress=progress, **options)
    varied = found.sensitivity
    if figures is not None:
        from wordorder.report.figures.of_verbs import grid_figures

        draw(figures, grid_figures(found.grid))
    if form == "json":
        whole = grid_json(found.grid) if varied is None else sensitivity_json(varied)
        print_json({**found.inputs.description(), **whole})
    elif form == "tsv":
        click.echo(grid_tsv(found.grid) if varied is None else sensitivity_tsv(varied), nl=False)
    else:
        document = (
            grid_document(found.grid, all_triangles=triangles == "all")
            if varied is None
            else sensitivity_document(varied)
        )
        click.echo(printed(document, form), nl=False)
