"""``wordorder annotate``: people align words in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.file_options import serve_pages, serving_options
from wordorder.cli.messages import show
from wordorder.cli.options import (
    EXPORT_FORMATS,
    EXPORTS,
    PROTOCOLS,
    ManySystems,
    format_option,
    refuse_overwriting,
    seed_option,
)
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.people.project import Project


@click.command("annotate")
@click.argument("source")
@click.argument("target", required=False)
@click.option(
    "-o", "--output", required=True, metavar="PROJECT.db", help="The file of the project."
)
@click.option(
    "--alignments",
    metavar="FILE",
    help="Links to start from, such as those of `align`, in any notation; shown as suggestions.",
)
@click.option(
    "--raters",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="How many annotators get a link; each aligns all sentences.",
)
@serving_options
def annotate_command(
    source: str,
    target: str | None,
    output: str,
    alignments: str | None,
    raters: int,
    **serving: Any,
) -> None:
    """Let people align words in the browser, and translate first where there is no TARGET.

    SOURCE may also be the project of two annotators: then one person decides where they differ.

    SOURCE and TARGET are tokenised texts, a sentence a line; tokens can be split and joined on the
    page. Prints one line an annotator, NAME LINK, and serves the pages until it is interrupted. A
    project that exists goes on if it was made from the same files; it is never overwritten.
    """

    def opened() -> Project:
        from wordorder.judgement.project_file import is_annotated
        from wordorder.people.beginning import annotation_project

        if is_annotated(source):
            from wordorder.people.annotations import adjudication_project

            if target is not None or alignments is not None or raters != 1:
                raise UsageError(f"{source} is a project: it goes without TARGET and options")
            return adjudication_project(source, output)
        return annotation_project(output, source, target, alignments=alignments, raters=raters)

    refuse_overwriting(output, (source, target, alignments))
    serve_pages(opened, **serving)


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
def rate_command(
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


@click.command("serve")
@click.argument("path", metavar="PROJECT.db")
@click.option("--add", type=click.IntRange(1), metavar="N", help="First add N raters.")
@click.option(
    "--revoke",
    "revoked",
    multiple=True,
    metavar="NAME",
    help="First close the link of a rater: what he answered stays, the rest goes to others.",
)
@click.option(
    "--renew",
    "renewed",
    multiple=True,
    metavar="NAME",
    help="First give a rater a new link; the old one is closed.",
)
@serving_options
def serve_command(
    path: str, add: int | None, revoked: tuple[str, ...], renewed: tuple[str, ...], **serving: Any
) -> None:
    """Go on with a project of `annotate` or `rate`.

    Prints one line a rater, NAME LINK, and serves the pages until it is interrupted.
    """

    def opened() -> Project:
        from wordorder.people.beginning import continued_project

        return continued_project(path, add=add or 0, revoke=revoked, renew=renewed)

    serve_pages(opened, **serving)


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
def export_command(project: str, output: str, **options: Any) -> None:
    """Write the alignments, ratings or events of a project.

    PROJECT.db may be served at the same time.
    """
    from wordorder.people.exports import export

    export(project, output, **options)


@click.command("progress")
@click.argument("path", metavar="PROJECT.db")
@format_option
def progress_command(path: str, form: str) -> None:
    """Show how far raters or annotators are.

    For each: tasks done, tasks in all, when he was there last, and how many control items he knew.
    PROJECT.db may be served at the same time.
    """
    from wordorder.judgement.project_file import project_progress
    from wordorder.report.judgements import progress_output

    show(progress_output(project_progress(path)), form)
