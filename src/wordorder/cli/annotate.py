"""``wordorder annotate``: people align words in the browser."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.serving_options import serve_pages, serving_options
from wordorder.cli.systems import refuse_overwriting
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
def command(
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
            from wordorder.people.adjudication import adjudication_project

            if target is not None or alignments is not None or raters != 1:
                raise UsageError(f"{source} is a project: it goes without TARGET and options")
            return adjudication_project(source, output)
        return annotation_project(output, source, target, alignments=alignments, raters=raters)

    refuse_overwriting(output, (source, target, alignments))
    serve_pages(opened, **serving)
