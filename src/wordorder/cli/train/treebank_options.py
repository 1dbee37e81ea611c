"""What the kinds of training on treebanks have in common on the command line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.messages import say
from wordorder.cli.systems import refuse_overwriting, seed_option, threads_option
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.parsing.training.training import TrainingProgress
    from wordorder.parsing.training.training_run import RunProgress

Function = TypeVar("Function", bound=Callable[..., Any])


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


def check_names(output: str, inputs: Sequence[str | None]) -> None:
    """Refuse names that cannot be meant."""
    if output == "-":
        raise UsageError("-o needs the name of a file")
    if list(inputs).count("-") > 1:
        raise UsageError('only one input can be standard input ("-")')
    refuse_overwriting(output, inputs)


@contextmanager
def counted() -> Iterator[RunProgress]:
    """Show how far each epoch is, on a terminal."""
    from wordorder.report.progress import Progress

    with Progress("sentences") as line:

        def show(role: str, progress: TrainingProgress) -> None:
            epochs, total = progress.epochs, progress.instances
            work = f"{role}, epoch {progress.epoch} of {epochs}"
            line.show(work, progress.done, total, (epochs - progress.epoch) * total)

        yield show


@contextmanager
def hint_at_resuming(output: str) -> Iterator[None]:
    """Say after an interrupt how the training can go on, if it has come far enough."""
    try:
        yield
    except KeyboardInterrupt:
        # Self-training begins with a parser of its own.
        models = (output, f"{output}.round0")
        left = [f"{model}.{role}.checkpoint" for model in models for role in ("tagger", "parser")]
        if any(map(os.path.exists, [*left, f"{output}.rounds"])):
            say("the same command with --resume goes on from the last whole epoch")
        raise
