"""``wordorder export``: what people did in a project, as files."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.choices import EXPORT_FORMATS, EXPORTS


@click.command("export")
@click.argument("project", metavar="PROJECT.db")
@click.option(
    "--what",
    type=click.Choice(EXPORTS),
    help="The links of annotators; the last ratings or preferences, as rank, agreement and "
    "correlate read them; all that was ever answered. [default: alignments or ratings]",
)
@click.option(
    "--format",
    type=click.Choice(EXPORT_FORMATS),
    help="pharaoh, talbot or json for alignments, tsv or json for others. [default: the first]",
)
@click.option("--rater", metavar="NAME", help="Only the answers of this rater or annotator.")
@click.option(
    "--anonymous",
    is_flag=True,
    help="Give raters other names, in an order that nobody can guess; leave out times and the "
    "numbers of events and tasks.",
)
@click.option("-o", "--output", default="-", metavar="FILE", help="Write to FILE.")
def command(project: str, output: str, **options: Any) -> None:
    """Write the alignments, ratings or events of a project.

    PROJECT.db may be served at the same time.
    """
    from wordorder.people.exports import export

    export(project, output, **options)
