"""``wordorder compare``: which systems are better."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.figures_option import draw, figures_option
from wordorder.cli.messages import print_json
from wordorder.cli.systems import ManySystems, system_options

# Of the intervals of figures.
LEVEL = 0.95


@click.command("compare", cls=ManySystems)
@system_options
@click.option(
    "--test",
    type=click.Choice(["bootstrap", "randomization"]),
    default="bootstrap",
    show_default=True,
    help="Paired bootstrap resampling (Koehn 2004) or approximate randomization; of more than "
    "100,000 segments, with the sums of 4,096 random buckets, as the signature then says.",
)
@figures_option
def command(
    reference: str,
    inputs: tuple[str, ...],
    metrics: tuple[str, ...],
    figures: str | None,
    form: str,
    **options: Any,
) -> None:
    """Test which systems are better, pair by pair, on the same segments.

    REFERENCE and systems are given as for `wordorder score`. Shows for each metric
    the ranks that each system may have, a triangle of all pairs, and what it says in words.
    """
    from wordorder.report.comparison_table import (
        comparison_document,
        comparison_json,
        comparison_tsv,
    )
    from wordorder.report.document import printed
    from wordorder.report.progress import Progress
    from wordorder.scoring import compare

    with Progress("segments") as progress:
        found = compare(
            reference,
            inputs,
            metrics,
            lengths=figures is not None,
            confidence=None if figures is None else LEVEL,
            progress=progress,
            **options,
        )
    if figures is not None:
        from wordorder.report.figures.of_verbs import comparison_figures

        draw(figures, comparison_figures(found, LEVEL))
    shown = found.evaluation, found.comparisons
    if form == "json":
        print_json(comparison_json(*shown))
    elif form == "tsv":
        click.echo(comparison_tsv(*shown), nl=False)
    else:
        click.echo(printed(comparison_document(found), form), nl=False)
