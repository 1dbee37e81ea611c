"""``wordorder rank``: systems in the order of people's judgements."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.choices import RANKED_BY, RESAMPLED
from wordorder.cli.judgement_options import judgement_options
from wordorder.cli.messages import print_json


@click.command("rank")
@judgement_options
@click.option(
    "--by",
    type=click.Choice(RANKED_BY),
    help="won / (won + lost); the mean of that over opponents; log odds; skill; the mean standard "
    "score of ratings. [default: wins of pairs and rankings, z of ratings]",
)
@click.option(
    "--over",
    type=click.Choice(RESAMPLED),
    default="items",
    show_default=True,
    help="What is resampled: items with all their judgements, or raters with all of theirs.",
)
def command(judgements: str, form: str, by: str | None, **options: Any) -> None:
    """Rank systems by human judgements of their outputs.

    JUDGEMENTS are pairs, rankings, preferences or ratings; the header of the file says which. Shows
    for each system its value with an interval, the ranks that it may have, and its cluster: systems
    of one cluster are not told apart.
    """
    from wordorder.judgement import rank
    from wordorder.report.human_ranking import ranking_json, ranking_text, ranking_tsv
    from wordorder.report.progress import Progress

    with Progress("runs", options["resamples"]) as progress:
        ranking = rank(judgements, by=by, progress=progress, **options)
    if form == "json":
        print_json(ranking_json(ranking))
    else:
        click.echo(ranking_tsv(ranking) if form == "tsv" else ranking_text(ranking), nl=False)
