"""``wordorder select``: the tree of each list that gives the best order."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.alignment_options import reference_options
from wordorder.cli.messages import print_json, say
from wordorder.cli.systems import refuse_overwriting, threads_option
from wordorder.cli.tree_options import multiple_roots_option
from wordorder.errors import UsageError


@click.command("select")
@click.argument("kbest", metavar="KBEST")
@click.argument("reference", metavar="REFERENCE")
@click.option(
    "--rules",
    required=True,
    metavar="RULES",
    help="What puts the words of a tree in order: a set of `wordorder rules list`, a .toml file, "
    "or a learned order.",
)
@click.option(
    "-m",
    "--metric",
    default="frs",
    show_default=True,
    metavar="NAME",
    help='A metric of orders; "frs(ties=rank)" gives it options.',
)
@reference_options
@multiple_roots_option
@click.option(
    "-o", "--output", metavar="FILE", default="-", help="Where the trees go. [default: stdout]"
)
@threads_option
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How the report is printed: text on standard error, json on standard output.",
)
def command(kbest: str, reference: str, output: str, form: str, **options: Any) -> None:
    """Choose the tree of each list whose order comes closest to REFERENCE.

    KBEST are lists of trees in CoNLL-U, of any parser, as `wordorder parse --kbest` writes them;
    REFERENCE has a row for each list: an .orders file, or word alignments, of which orders are
    made here. A parser that is trained on the chosen trees too gives better orders (targeted
    self-training).
    """
    from wordorder.report.progress import Progress
    from wordorder.training.selection_files import select_files

    if form == "json" and output == "-":
        raise UsageError("the trees go to standard output, and so does json: -o=FILE for the trees")
    if [kbest, reference].count("-") > 1:
        raise UsageError('only one input can be standard input ("-")')
    refuse_overwriting(None if output == "-" else output, [kbest, reference, options["rules"]])
    with Progress("lists") as progress:
        report = select_files(kbest, reference, output, progress=progress, **options)
    if form == "json":
        print_json(report.to_dict())
    else:
        for line in report.lines():
            say(line)
