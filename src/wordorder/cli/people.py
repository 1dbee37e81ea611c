"""Commands for projects of ratings and alignments: annotate, rate, serve, export, progress."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from wordorder.cli import INTERRUPTED
from wordorder.cli.command import (
    combine_options,
    named_command,
    option,
    refuse,
    refuse_overwriting,
    setting,
    title,
)
from wordorder.cli.messages import print_message, print_result
from wordorder.cli.options import format_option, seed_option
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.people.project import Project

# Fixed, since browsers store the data of a page by its address, port included.
DEFAULT_PORT = 8765

# The address at which the pages are served.
serving_options = combine_options(
    option(
        "--port N",
        "The port of 127.0.0.1 for the pages; 0 takes a free one.",
        min_value=0,
        max_value=65535,
        default=DEFAULT_PORT,
    ),
    option("--no-browser", "Do not open the link in a browser."),
    option("--lan", "Let other machines of the network connect too, by plain HTTP."),
    option(
        "--host NAME",
        "With --lan: another name of this machine in the network; links show the first. "
        "[default: its address]",
        name="hosts",
        multiple=True,
    ),
    title="Server",
)

instructions_option = option(
    "--instructions FILE.md", "Instructions for raters or annotators.", title="Raters"
)


@named_command("annotate", example="wordorder annotate source.txt target.txt -o my.db")
@click.argument("source")
@click.argument("target", required=False)
@title("Results")
@option("-o --output PROJECT.db", "The file of the project.", required=True)
@title("Alignments and reference orders")
@option(
    "--alignments FILE",
    "Links that the page suggests, such as those of `align`, in any notation.",
)
@title("Raters")
@option(
    "--raters N",
    "How many annotators get a link; each aligns all sentences.",
    min_value=1,
    default=1,
)
@instructions_option
@serving_options
def annotate_command(
    source: str,
    target: str | None,
    output: str,
    alignments: str | None,
    raters: int,
    instructions: str | None,
    **serving: Any,
) -> None:
    """Let people align words in the browser, and translate first if there is no TARGET.

    SOURCE may also be the project of two annotators: then one person decides where they differ.

    SOURCE and TARGET are tokenised texts, one sentence per line; tokens can be split and joined on
    the page. Prints one line per annotator, NAME LINK, and serves the pages until it is
    interrupted. An existing project made from the same files is resumed, never overwritten.
    """

    def open_project() -> Project:
        from wordorder.judgement.project_file import is_annotated
        from wordorder.people.new_project import annotation_project

        if is_annotated(source):
            from wordorder.people.adjudication import adjudication_project

            if (target, alignments, instructions, raters) != (None, None, None, 1):
                raise UsageError(f"{source} is a project: it takes no TARGET and no options")
            return adjudication_project(source, output)
        options: dict[str, Any] = {"alignments": alignments, "instructions": instructions}
        return annotation_project(output, source, target, raters=raters, **options)

    refuse_overwriting(output, (source, target, alignments, instructions))
    serve_pages(open_project, **serving)


@named_command(
    "rate",
    example="wordorder rate src.txt ref.txt -i a.txt b.txt --protocol preference -o my.db",
    usual="system output protocol scale raters max-share control instructions seed port no-browser "
    "lan",
)
@click.argument("source")
@click.argument("reference")
@title("Systems and files")
@option(
    "-i --system SYSTEM ...",
    "Translations of systems; NAME=FILE names one. Raters never see the names.",
    name="systems",
    required=True,
)
@title("Results")
@option("-o --output PROJECT.db", "The file of the project.", required=True)
@title("Raters")
@option(
    "--protocol {talbot,preference,scale}",
    "talbot: rate all outputs of a sentence from 0 to 6; preference: A, B or don't know; scale: "
    "the scale of --scale.",
    required=True,
)
@option("--scale FILE.toml", "The scale of --protocol scale.")
@option("--raters N", "Raters who get a link. [default: as few as the protocol needs]", min_value=1)
@setting("--ratings N", "How many raters rate an item. [default: 3]", min_value=1)
@option(
    "--max-share SHARE",
    "The largest share of the items that one rater rates; 1 lifts the limit. [default: 0.03 "
    "for talbot, 1 for others]",
    type=click.FloatRange(0, 1, min_open=True),
)
@setting("--words MIN-MAX", "Use only references of this length, such as 15-30. [default: all]")
@option(
    "--control FILE",
    "For preference: items with known answers, a table with the columns source, reference, "
    "better, worse, explanation.",
)
@instructions_option
@seed_option
@serving_options
def rate_command(
    source: str, reference: str, systems: tuple[str, ...], output: str, **options: Any
) -> None:
    """Let people rate translations in the browser, blind.

    SOURCE and REFERENCE are texts, one sentence per line. Prints one line per rater, NAME LINK, and
    serves the pages until it is interrupted. An existing project made from the same files and
    options is resumed, never overwritten.
    """

    def open_project() -> Project:
        from wordorder.people.new_project import rating_project, read_protocol

        names = ("scale", "ratings", "max_share", "instructions")
        settings = {name: options.pop(name) for name in names}
        protocol = read_protocol(options.pop("protocol"), **settings)
        return rating_project(output, source, reference, systems, protocol, **options)

    refuse_overwriting(output, (source, reference, *systems))
    serving = {name: options.pop(name) for name in ("port", "no_browser", "lan", "hosts")}
    serve_pages(open_project, **serving)


@named_command("serve", example="wordorder serve my.db --add 1")
@click.argument("path", metavar="PROJECT.db")
@title("Systems and files")
@option("--add N", "First add N raters.", min_value=1)
@title("Raters")
@option(
    "--revoke NAME",
    "First close the link of a rater: their answers stay, their other items go to others.",
    name="revoked",
    multiple=True,
)
@option(
    "--renew NAME",
    "First give a rater a new link; the old one is closed.",
    name="renewed",
    multiple=True,
)
@serving_options
def serve_command(
    path: str, add: int | None, revoked: tuple[str, ...], renewed: tuple[str, ...], **serving: Any
) -> None:
    """Resume a project of `annotate` or `rate`.

    Prints one line per rater, NAME LINK, and serves the pages until it is interrupted.
    """

    def open_project() -> Project:
        from wordorder.people.new_project import continued_project

        return continued_project(path, add=add or 0, revoke=revoked, renew=renewed)

    serve_pages(open_project, **serving)


@named_command("export", example="wordorder export my.db -o ratings.tsv")
@click.argument("project", metavar="PROJECT.db")
@title("Results")
@option(
    "--what {alignments,ratings,events}",
    "alignments: the links of annotators; ratings: the last ratings or preferences, for rank, "
    "agreement and correlate; events: all answers, also replaced ones. [default: alignments or "
    "ratings]",
)
@option(
    "--format {pharaoh,talbot,tsv,csv,json}",
    "pharaoh, talbot or json for alignments; for others tsv, which other commands read, csv for "
    "spreadsheets (texts that these would compute get an apostrophe) or json. [default: the first]",
)
@option("--rater NAME", "Only the answers of this rater or annotator.")
@option(
    "--anonymous",
    "Rename raters, in a random order; leave out times and the numbers of events and tasks.",
)
@option("-o --output FILE", "Write to FILE.", default="-")
@option(
    "--backup FILE.db",
    "Copy the whole project to a new file instead, newest answers included.",
)
def export_command(project: str, output: str, **options: Any) -> None:
    """Write the alignments, ratings or events of a project.

    PROJECT.db may be served at the same time.
    """
    from wordorder.people.exports import export

    export(project, output, **options)


@named_command("progress", example="wordorder progress my.db")
@click.argument("path", metavar="PROJECT.db")
@title("Results")
@option("--html FILE", "Also write a page: agreement so far, time per item, exports.")
@format_option
def progress_command(path: str, html: str | None, form: str) -> None:
    """Show how far raters or annotators are.

    Per person: tasks done, all tasks, the time of the last answer, and correct control items.
    PROJECT.db may be served at the same time.
    """
    from wordorder.judgement.project_file import project_progress
    from wordorder.report.judgements import progress_output

    if html is not None:
        if html == "-":
            raise UsageError("--html needs a file: standard output has the table")
        refuse_overwriting(html, (path,))
        from wordorder.text.output import write_text

        page = owner_page(path)
        with write_text(html) as stream:
            stream.write(page)
    print_result(progress_output(project_progress(path)), form)


def owner_page(path: str) -> str:
    """Return the HTML page for the owner of a project."""
    from wordorder.people.owner_page import project_state
    from wordorder.report.judgement_page.supervisor import supervisor_page

    overview = project_state(path)
    return supervisor_page(
        path,
        overview.progress,
        seconds=overview.seconds,
        agreement=overview.agreement,
        exports=overview.exports,
    )


def require_pages() -> None:
    """Raise a UsageError if the web server is not installed."""
    from wordorder.parsing.adapters.external import load_package

    for module in ("starlette", "uvicorn"):
        load_package(module, "pages")


def serve_pages(
    open_project: Callable[[], Project],
    *,
    port: int,
    no_browser: bool,
    lan: bool,
    hosts: tuple[str, ...],
) -> None:
    """Open a project, print the links of its raters and serve its pages until a signal comes."""
    require_pages()
    if not lan:
        refuse(["hosts"], "names this machine in its network; it needs --lan")
    from wordorder.people.serving import listen, serve

    with listen(port, lan=lan) as listener, open_project() as project:
        interrupted = serve(
            project,
            listener,
            names=hosts if lan else None,
            show=_print_link,
            browser=not no_browser,
            overview=lambda: owner_page(project.path),
        )
        print_message(f"the server has ended; resume with: wordorder serve {project.path}")
    if interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _print_link(line: str) -> None:
    """Print a line and flush it: a parent process may wait for it."""
    click.echo(line)
    sys.stdout.flush()
