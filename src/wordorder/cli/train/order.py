"""``wordorder train order`` and ``wordorder train rules``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.file_options import order_metric_options
from wordorder.cli.help import GroupedHelp
from wordorder.cli.messages import hint_at_resuming, say
from wordorder.cli.options import (
    LINKS,
    RULES,
    UNALIGNED,
    alignment_format_option,
    column_option,
    draw_curves,
    figures_option,
    multiple_roots_option,
    refuse_overwriting,
    seed_option,
    strict_option,
    threads_option,
)
from wordorder.cli.train.options import check_names
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.training.orders.train_order import OrderProgress
    from wordorder.training.rules.training import EditProgress


@click.command("order", cls=GroupedHelp)
@click.argument("text")
@click.argument("alignments")
@click.option("-o", "--output", metavar="MODEL", required=True, help="Where the model goes.")
@click.option(
    "--model",
    type=click.Choice(["linear", "bracketing", "consensus"]),
    default="consensus",
    show_default=True,
    help="linear: weights of pairs in a dependency tree; bracketing: spans that are split and "
    "turned round, also without trees; consensus: several of both, and the order that they agree "
    "on.",
)
@click.option("--trees", metavar="FILE", help="The trees of TEXT, in CoNLL-U.")
@click.option(
    "--parser",
    metavar="MODEL",
    help="What parses TEXT, here and when the model is used. [default: the trees of TEXT; without "
    "them en, for bracketing none]",
)
@click.option(
    "--tagger",
    metavar="MODEL",
    help="For bracketing without trees: what tags TEXT, here and when the model is used.",
)
@click.option(
    "--rule",
    type=click.Choice(RULES),
    help="How links become orders, as in `wordorder reference`. [default: topdown-btg; talbot "
    "where unaligned words get a place]",
)
@click.option(
    "--unaligned",
    type=click.Choice(UNALIGNED),
    help="What becomes of words without a link. A model does well under the treatment that it "
    "was trained under, and badly under another. [default: drop]",
)
@click.option("--links", type=click.Choice(LINKS), default="all", help="Which links count.")
@click.option(
    "-m",
    "--metric",
    default="frs",
    show_default=True,
    metavar="NAME",
    help="The metric of orders that scores are printed in, that consensus looks for, and by which "
    "bracketing chooses how much it prefers the source order.",
)
@click.option(
    "--dev",
    type=(str, str),
    metavar="TEXT ALIGN",
    help="A text and its alignments on which the model is scored.",
)
@click.option(
    "--folds",
    type=click.IntRange(2),
    metavar="N",
    help="Score by cross-validation in N parts too; equal sentences share a part.",
)
@click.option(
    "--add",
    type=(str, str, float),
    multiple=True,
    metavar="TEXT ALIGN WEIGHT",
    help="Further data, of which each sentence counts WEIGHT times; may be given several times.",
)
@click.option(
    "--member",
    "members",
    type=(str, click.IntRange(0)),
    multiple=True,
    metavar="KIND N",
    help="For consensus: N models of the KIND bracketing or linear, instead of the default; or a "
    "rule set of the package besides (R5 1). May be given several times. [default: bracketing 6, "
    "linear 2]",
)
@click.option("--epochs", type=click.IntRange(1), metavar="N", help="Passes over the data.")
@click.option("--licence", metavar="NOTE", help="What the model says of its licence.")
@alignment_format_option
@click.option("--one-based", is_flag=True, help="Indices in alignments start at 1.")
@strict_option
@figures_option
@seed_option
@click.option(
    "--resume",
    is_flag=True,
    help="Go on from the checkpoint that an interrupted training left beside MODEL.",
)
@click.option("--restart", is_flag=True, help="Start from scratch even if there is a checkpoint.")
@column_option
@threads_option
def order_command(
    text: str, alignments: str, output: str, figures: str | None, **options: Any
) -> None:
    """Train a pre-orderer on word alignments.

    TEXT has a sentence a line, words between blanks, or is CoNLL-U. ALIGNMENTS link it with a
    translation, a row a sentence.
    """
    from wordorder.training.orders.train_order import train_order

    dev, add = options["dev"] or (), options["add"]
    if members := options.pop("members"):
        if options["model"] != "consensus":
            raise UsageError("--member is for --model consensus")
        options["settings"] = {"members": dict(members)}
    inputs = [text, alignments, options["trees"], options["parser"], options["tagger"], *dev]
    check_names(output, [*inputs, *(path for each in add for path in each[:2])])
    with hint_at_resuming(output), _counted() as progress:
        trained = train_order(
            text,
            alignments,
            output,
            curve=figures is not None,
            say=say,
            progress=progress,
            **options,
        )
    draw_curves(figures, trained.curves)


@contextmanager
def _counted() -> Iterator[OrderProgress]:
    """Show how far each epoch is, on a terminal."""
    from wordorder.report.progress import Progress

    with Progress("instances") as line:

        def show(epoch: int, epochs: int, done: int) -> None:
            line.show(f"epoch {epoch} of {epochs}", done, None)

        yield show


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
def rules_command(
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
    left = f"{output} has the best rules so far; "
    with hint_at_resuming(output, "goes on", before=left), _rules_counted() as progress:
        learned = train_rules_files(
            trees, reference, output, options=settings, progress=progress, **options
        )
    for line in learned.summary.splitlines():
        say(line)


@contextmanager
def _rules_counted() -> Iterator[EditProgress]:
    """Show how many candidates were tried, on a terminal."""
    from wordorder.report.progress import Progress

    with Progress("candidates") as line:

        def show(edit: int, done: int, total: int) -> None:
            line.show(f"edit {edit}", done, total)

        yield show
