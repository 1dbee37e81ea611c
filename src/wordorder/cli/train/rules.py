"""``wordorder train rules``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.grid_options import order_metric_options
from wordorder.cli.help import GroupedHelp
from wordorder.cli.messages import say
from wordorder.cli.systems import refuse_overwriting, seed_option, threads_option
from wordorder.cli.table_options import column_option
from wordorder.cli.train.treebank_options import check_names
from wordorder.cli.tree_options import multiple_roots_option

if TYPE_CHECKING:
    from wordorder.training.rules.training import EditProgress


@click.command("rules", cls=GroupedHelp)
@click.argument("trees")
@click.argument("reference")
@click.option(
    "-o", "--output", metavar="FILE", required=True, help="Where the rules go: a .toml file."
)
@click.option(
    "--start",
    metavar="RULES",
    help="Rules to improve: a set of `wordorder rules list`, or a .toml file. "
    "[default: a weight for each label, fitted to the orders]",
)
@order_metric_options("frs")
@click.option(
    "--held-out",
    type=click.FloatRange(0, 0.5),
    default=0.2,
    show_default=True,
    metavar="SHARE",
    help="The share of the sentences that decides how many edits are made; 0 for none.",
)
@click.option(
    "--caution",
    type=click.FloatRange(0),
    default=2.0,
    show_default=True,
    metavar="Z",
    help="By how many standard errors the gain of an edit must exceed 0.",
)
@click.option(
    "--least",
    type=click.IntRange(1),
    default=5,
    show_default=True,
    metavar="N",
    help="In how many sentences the words of an edit must occur.",
)
@click.option(
    "--edits",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    metavar="N",
    help="How many edits are made at most.",
)
@click.option("--name", metavar="NAME", help="What the rules are called. [default: as FILE]")
@multiple_roots_option
@seed_option
@click.option(
    "--resume",
    is_flag=True,
    help="Go on from the checkpoint that an interrupted training left beside FILE.",
)
@click.option("--restart", is_flag=True, help="Start from scratch even if there is a checkpoint.")
@column_option
@threads_option
def command(
    trees: str, reference: str, output: str, settings: tuple[str, ...], **options: Any
) -> None:
    """Learn readable rules from trees and reference orders.

    TREES are the source sentences in CoNLL-U, REFERENCE their orders, as `wordorder reference`
    writes them. The rules are a .toml file with comments, to be read, edited and improved again
    (--start FILE).
    """
    from wordorder.training.rules.rule_files import train_rules_files

    check_names(output, [trees, reference])
    start = options["start"]
    if start is not None and start.endswith(".toml"):
        refuse_overwriting(output, [start])
    with _hint_at_resuming(output), _counted() as progress:
        learned = train_rules_files(
            trees, reference, output, options=settings, progress=progress, **options
        )
    for line in learned.summary.splitlines():
        say(line)


@contextmanager
def _counted() -> Iterator[EditProgress]:
    """Show how many candidates were tried, on a terminal."""
    from wordorder.report.progress import Progress

    with Progress("candidates") as line:

        def show(edit: int, done: int, total: int) -> None:
            line.show(f"edit {edit}", done, total)

        yield show


@contextmanager
def _hint_at_resuming(output: str) -> Iterator[None]:
    """Say after an interrupt what is there, and how the training can go on."""
    try:
        yield
    except KeyboardInterrupt:
        if os.path.exists(f"{output}.checkpoint"):
            say(f"{output} has the best rules so far; the same command with --resume goes on")
        raise
