"""``wordorder train``: taggers and parsers from treebanks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.choices import ALGORITHMS, FEATURES, RECIPES, TAGGERS, TRAINING_TAGS, UPDATES
from wordorder.cli.messages import say
from wordorder.cli.systems import refuse_overwriting, seed_option, threads_option
from wordorder.errors import UsageError, unknown_name

if TYPE_CHECKING:
    from wordorder.parsing.training.training import TrainingProgress
    from wordorder.parsing.training.training_run import RunProgress

Function = TypeVar("Function", bound=Callable[..., Any])


class Kinds(click.Group):
    """What can be trained."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find what is to be trained, or say what can be."""
        if args and args[0] not in self.commands and not args[0].startswith("-"):
            raise unknown_name("kind of model", args[0], self.commands)
        return super().resolve_command(ctx, args)


@click.group(
    "train", cls=Kinds, invoke_without_command=True, subcommand_metavar="COMMAND [ARGS]..."
)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Train a tagger or a parser on treebanks."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help(), err=True)
        ctx.exit(2)


def training_options(function: Function) -> Function:
    """Add what all kinds of training have in common."""
    decorators = [
        click.argument("train", metavar="TRAIN...", nargs=-1, required=True),
        click.option(
            "-o", "--output", metavar="MODEL", required=True, help="Where the model goes."
        ),
        click.option(
            "--dev",
            metavar="FILE",
            help="A treebank that chooses the best epoch. [default: the last epoch is kept]",
        ),
        click.option(
            "--epochs",
            type=click.IntRange(1),
            metavar="N",
            help="Passes over the treebank. [default: 10]",
        ),
        click.option("--lowercase", is_flag=True, help="Forget case, here and when MODEL is used."),
        click.option(
            "--any-case",
            is_flag=True,
            help="Learn from copies in lower case too: text all in lower case or all in capitals "
            "costs little then.",
        ),
        click.option("--licence", metavar="NOTE", help="What the model says of its licence."),
        seed_option,
        click.option(
            "--shards",
            type=click.IntRange(1),
            default=1,
            show_default=True,
            metavar="S",
            help="Parts of the treebank that are learnt from at the same time and mixed after "
            "each epoch; the result depends on it.",
        ),
        click.option(
            "--resume",
            is_flag=True,
            help="Go on from the checkpoints that an interrupted training left beside MODEL.",
        ),
        click.option(
            "--restart",
            is_flag=True,
            help="Start from scratch even if such checkpoints exist.",
        ),
        click.option("--compact", is_flag=True, help="A small file, at a little loss of accuracy."),
        threads_option,
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


@command.command("tagger")
@training_options
@click.option(
    "--model",
    type=click.Choice(TAGGERS[:2]),
    default="perceptron",
    show_default=True,
    help="perceptron: the better one; tnt: a trigram model that is trained in a second.",
)
@click.option(
    "--known-words",
    type=click.Choice(["seen", "open"]),
    help="For tnt: whether words of the treebank take only tags that they have there. "
    "[default: seen]",
)
def tagger(train: tuple[str, ...], output: str, dev: str | None, **options: Any) -> None:
    """Train a tagger on treebanks.

    TRAIN are CoNLL-U files whose words have tags, UPOS, XPOS or both.
    """
    from wordorder.parsing.training.train_files import train_tagger_files

    _check(output, [*train, dev])
    with _hint_at_resuming(output), _counted() as progress:
        train_tagger_files(train, output, dev=dev, say=say, progress=progress, **options)


@command.command("parser")
@training_options
@click.option(
    "--algorithm",
    type=click.Choice(ALGORITHMS),
    default="transition",
    show_default=True,
    help="transition: arc-eager with a beam; graph: the best of all trees, also non-projective.",
)
@click.option(
    "--features",
    type=click.Choice(FEATURES),
    help="What the parser looks at; rich: for graph, hall: for both. "
    "[default: zhang-nivre; hall for graph]",
)
@click.option(
    "--beam",
    type=click.IntRange(1),
    metavar="B",
    help="How many partial trees a transition parser keeps. [default: 8]",
)
@click.option(
    "--update",
    type=click.Choice(UPDATES),
    help="Where a transition parser learns from a mistake. [default: early]",
)
@click.option(
    "--tags",
    type=click.Choice(TRAINING_TAGS),
    default="gold",
    show_default=True,
    help="gold: those of the treebank; jackknife: those that taggers predict that were trained on "
    "its other parts, as the parser will find them in text.",
)
@click.option(
    "--tagger",
    type=click.Choice(TAGGERS),
    help="The tagger that is trained on the same data and goes into MODEL. [default: perceptron]",
)
@click.option(
    "--recipe",
    type=click.Choice(RECIPES),
    help="The parsers of Talbot et al.; P1: katz-brown features, tnt, beam 1; P2: the same with "
    "beam 8.",
)
@click.option(
    "--add",
    type=(str, click.IntRange(1)),
    multiple=True,
    metavar="FILE WEIGHT",
    help="Further trees, each taken WEIGHT times in every epoch; may be given several times.",
)
@click.option(
    "--split-hyphens",
    is_flag=True,
    help="Split words at hyphens; each part gets the tags of the whole.",
)
def parser(
    train: tuple[str, ...],
    output: str,
    dev: str | None,
    add: tuple[tuple[str, int], ...],
    **options: Any,
) -> None:
    """Train a parser on treebanks, and a tagger with it.

    TRAIN are CoNLL-U files.
    """
    from wordorder.parsing.training.train_files import train_parser_files

    _check(output, [*train, dev, *(path for path, _ in add)])
    with _hint_at_resuming(output), _counted() as progress:
        train_parser_files(train, output, dev=dev, add=add, say=say, progress=progress, **options)


def _check(output: str, inputs: Sequence[str | None]) -> None:
    """Refuse names that cannot be meant."""
    if output == "-":
        raise UsageError("-o needs the name of a file")
    if list(inputs).count("-") > 1:
        raise UsageError('only one input can be standard input ("-")')
    refuse_overwriting(output, inputs)


@contextmanager
def _counted() -> Iterator[RunProgress]:
    """Show how far each epoch is, on a terminal."""
    from wordorder.report.progress import Progress

    with Progress("sentences") as line:

        def show(role: str, progress: TrainingProgress) -> None:
            epochs, total = progress.epochs, progress.instances
            work = f"{role}, epoch {progress.epoch} of {epochs}"
            line.show(work, progress.done, total, (epochs - progress.epoch) * total)

        yield show


@contextmanager
def _hint_at_resuming(output: str) -> Iterator[None]:
    """Say after an interrupt how the training can go on, if it has come far enough."""
    try:
        yield
    except KeyboardInterrupt:
        if any(os.path.exists(f"{output}.{role}.checkpoint") for role in ("tagger", "parser")):
            say("the same command with --resume goes on from the last whole epoch")
        raise
