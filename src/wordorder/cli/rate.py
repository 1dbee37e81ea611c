"""``wordorder rate``: people rate translations in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.choices import PROTOCOLS
from wordorder.cli.serving_options import serve_pages, serving_options
from wordorder.cli.systems import ManySystems, refuse_overwriting, seed_option

if TYPE_CHECKING:
    from wordorder.people.project import Project


@click.command("rate", cls=ManySystems)
@click.argument("source")
@click.argument("reference")
@click.option(
    "-i",
    "--system",
    "systems",
    multiple=True,
    required=True,
    metavar="SYSTEM ...",
    help="Translations of systems; NAME=FILE names one. Raters never see the names.",
)
@click.option(
    "-o", "--output", required=True, metavar="PROJECT.db", help="The file of the project."
)
@click.option(
    "--protocol",
    type=click.Choice(PROTOCOLS),
    required=True,
    help="talbot: all outputs of a sentence from 0 to 6; preference: A, B or don't know; scale: "
    "that of --scale.",
)
@click.option("--scale", metavar="FILE.toml", help="The scale of the protocol of that name.")
@click.option(
    "--raters",
    type=click.IntRange(1),
    metavar="N",
    help="How many get a link. [default: as few as the protocol needs]",
)
@click.option(
    "--ratings",
    type=click.IntRange(1),
    metavar="N",
    help="How many raters rate an item. [default: 3]",
)
@click.option(
    "--max-share",
    type=click.FloatRange(0, 1, min_open=True),
    metavar="SHARE",
    help="The largest share of the items that one rater rates; 1 lifts the limit. [default: 0.03 "
    "for talbot, 1 for others]",
)
@click.option(
    "--words",
    metavar="MIN-MAX",
    help="Use only references of so many words, such as 15-30. [default: all]",
)
@click.option(
    "--control",
    metavar="FILE",
    help="For preference: items with known answers, a table with the columns source, reference, "
    "better, worse, explanation.",
)
@click.option("--instructions", metavar="FILE.md", help="A text that raters can read first.")
@seed_option
@serving_options
def command(
    source: str,
    reference: str,
    systems: tuple[str, ...],
    output: str,
    port: int,
    no_browser: bool,
    lan: bool,
    hosts: tuple[str, ...],
    **options: Any,
) -> None:
    """Let people rate translations in the browser, blind.

    SOURCE and REFERENCE are texts, a sentence a line. Prints one line a rater, NAME LINK, and
    serves the pages until it is interrupted. A project that exists goes on if it was made from the
    same files and options; it is never overwritten.
    """

    def opened() -> Project:
        from wordorder.people.beginning import rating_project

        return rating_project(output, source, reference, systems, **options)

    refuse_overwriting(output, (source, reference, *systems))
    serve_pages(opened, port=port, no_browser=no_browser, lan=lan, hosts=hosts)
