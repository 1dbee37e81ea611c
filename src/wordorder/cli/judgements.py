"""``wordorder rank``: systems in the order of people's judgements."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.engine_options import judgement_options
from wordorder.cli.messages import print_json
from wordorder.cli.options import RANKED_BY, RESAMPLED


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
def rank_command(judgements: str, form: str, by: str | None, **options: Any) -> None:
    """Rank systems by human judgements of their outputs.

    JUDGEMENTS are pairs, rankings, preferences or ratings; the header of the file says which. Shows
    for each system its value with an interval, the ranks that it may have, and its cluster: systems
    of one cluster are not told apart.
    """
    from wordorder.judgement import rank
    from wordorder.report.judgements import ranking_json, ranking_text, ranking_tsv
    from wordorder.report.progress import Progress

    with Progress("runs", options["resamples"]) as progress:
        ranking = rank(judgements, by=by, progress=progress, **options)
    if form == "json":
        print_json(ranking_json(ranking))
    else:
        click.echo(ranking_tsv(ranking) if form == "tsv" else ranking_text(ranking), nl=False)


@click.command("agreement")
@judgement_options
def agreement_command(judgements: str, form: str, **options: Any) -> None:
    """Measure how far raters agree with each other, and with themselves.

    JUDGEMENTS are rankings, preferences or ratings; the header of the file says which. Of rankings
    and preferences: kappa of the pairs of outputs that were judged twice, and with two systems the
    sign test. Of ratings: Krippendorff's alpha. Of a project of `annotate`: F1 and kappa of links.
    """
    from wordorder.judgement.project_file import is_annotated

    if is_annotated(judgements):
        _annotators(judgements, form)
        return
    from wordorder.judgement import agreement
    from wordorder.report.rater_agreement import agreement_json, agreement_text, agreement_tsv

    measured = agreement(judgements, **options)
    if form == "json":
        print_json(agreement_json(measured))
    else:
        click.echo(agreement_tsv(measured) if form == "tsv" else agreement_text(measured), nl=False)


def _annotators(path: str, form: str) -> None:
    """Compare annotators."""
    from wordorder.people.annotations import annotator_agreement
    from wordorder.report.judgements import (
        annotator_agreement_text,
        annotator_agreement_tsv,
    )

    found = annotator_agreement(path)
    if form == "json":
        print_json(found)
    else:
        text = annotator_agreement_tsv if form == "tsv" else annotator_agreement_text
        click.echo(text(found), nl=False)
