"""``wordorder progress``: how far the people of a project are."""

from __future__ import annotations

import click

from wordorder.cli.messages import print_json
from wordorder.cli.systems import format_option


@click.command("progress")
@click.argument("path", metavar="PROJECT.db")
@format_option
def command(path: str, form: str) -> None:
    """Show how far raters or annotators are.

    For each: tasks done, tasks in all, when he was there last, and how many control items he knew.
    PROJECT.db may be served at the same time.
    """
    from wordorder.judgement.project_progress import project_progress
    from wordorder.report.people_progress import progress_json, progress_text, progress_tsv

    found = project_progress(path)
    if form == "json":
        print_json(progress_json(found))
    else:
        click.echo(progress_tsv(found) if form == "tsv" else progress_text(found), nl=False)
