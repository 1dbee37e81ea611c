"""``wordorder agreement``: how far raters agree with each other."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.judgement_options import judgement_options
from wordorder.cli.messages import print_json


@click.command("agreement")
@judgement_options
def command(judgements: str, form: str, **options: Any) -> None:
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
    from wordorder.people.annotator_agreement import annotator_agreement
    from wordorder.report.annotator_agreement import (
        annotator_agreement_text,
        annotator_agreement_tsv,
    )

    found = annotator_agreement(path)
    if form == "json":
        print_json(found)
    else:
        text = annotator_agreement_tsv if form == "tsv" else annotator_agreement_text
        click.echo(text(found), nl=False)
