"""The options of self-training, and of orders that trees are judged by."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.alignment_options import reference_options
from wordorder.cli.choices import DATA_TAGS
from wordorder.cli.messages import say
from wordorder.cli.systems import refuse_overwriting
from wordorder.cli.train.treebank_options import check_names, counted, hint_at_resuming
from wordorder.errors import UsageError
from wordorder.text.output import require_creatable, write_output

if TYPE_CHECKING:
    from wordorder.parsing.training.train_files import TrainedFile

Function = TypeVar("Function", bound=Callable[..., Any])

# What `ReferenceFile` has, by the names of the options.
CONVENTION = ("kind", "rule", "unaligned", "links", "alignment_format", "one_based", "strict")
OWN = ("standard", "weight", "rounds", "start", "words", "keep_rounds", "report", "kbest_tags")


def self_training_options(function: Function) -> Function:
    """Add the options of ``train parser --self-train``."""
    decorators = [
        click.option(
            "--self-train",
            "self_train",
            type=(str, str),
            metavar="TEXT REFERENCE",
            help="Parse TEXT into lists of trees, choose the tree of each list whose order comes "
            "closest to REFERENCE, and train again from scratch on TRAIN and the chosen trees.",
        ),
        click.option(
            "--rules",
            metavar="RULES",
            help="What puts the words of a tree in order: a set of `wordorder rules list`, a "
            ".toml file, or a learned order.",
        ),
        click.option(
            "-m",
            "--metric",
            metavar="NAME",
            help='A metric of orders; "frs(ties=rank)" gives it options. [default: frs]',
        ),
        reference_options,
        click.option(
            "--standard",
            is_flag=True,
            help="Standard self-training: take the first tree of each list, whatever its order.",
        ),
        click.option(
            "--kbest",
            type=click.IntRange(1),
            metavar="K",
            help="Trees of a list. [default: 64 for --self-train, 8 for --augment]",
        ),
        click.option(
            "--data-tags",
            type=click.Choice(DATA_TAGS),
            help="The tags of TEXT and DATA. predict: all are predicted, as they will be in text "
            "that MODEL parses; auto: only those that they lack. [default: predict; auto for "
            "--tagger none]",
        ),
        click.option(
            "--kbest-tags",
            type=click.IntRange(1),
            metavar="N",
            help="Trees of a list are over the N best tag sequences. [default: 1]",
        ),
        click.option(
            "--weight",
            type=click.IntRange(1),
            metavar="N",
            help="How often each chosen tree is taken in an epoch. [default: 1, or the recipe's]",
        ),
        click.option(
            "--rounds",
            type=click.IntRange(1),
            metavar="N",
            help="The lists of each round are those of the model of the round before. [default: 1]",
        ),
        click.option(
            "--start",
            metavar="MODEL",
            help="The parser of the first lists. [default: one is trained on TRAIN alone]",
        ),
        click.option(
            "--word",
            "words",
            multiple=True,
            metavar="WORD",
            help="Say how often WORD is a noun and a verb in TEXT before and after; may be given "
            "several times.",
        ),
        click.option(
            "--keep-rounds",
            is_flag=True,
            help="Leave the models and the chosen trees of all rounds beside MODEL.",
        ),
        click.option(
            "--report", metavar="FILE", help="Write what each round found, as JSON, into a file."
        ),
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def convention(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of the options what the reference holds and how alignments become orders."""
    return {name: options.pop(name) for name in CONVENTION}


def self_training(options: dict[str, Any]) -> dict[str, Any]:
    """Take the options of self-training alone out of all; refuse them where there is none."""
    found = {name: options.pop(name) for name in OWN}
    found = {name: value for name, value in found.items() if value not in (None, False, ())}
    if found and options["self_train"] is None:
        name = next(iter(found)).replace("words", "word").replace("_", "-")
        raise UsageError(f"--{name} is for --self-train")
    return found


def run_self_training(
    train: tuple[str, ...],
    output: str,
    own: dict[str, Any],
    conventions: dict[str, Any],
    **training: Any,
) -> TrainedFile:
    """Train a parser with ``--self-train``, and write the report if one is asked for."""
    from wordorder.report.progress import Progress
    from wordorder.training.self_training import self_train

    text, reference = own.pop("self_train")
    if "rules" not in own:
        raise UsageError("--self-train needs --rules: what makes orders of trees")
    report = own.pop("report", None)
    check_names(output, [*train, text, reference, own["rules"], own.get("start"), report])
    added = [path for path, _ in training["add"]]
    inputs = [*train, *added, training["dev"], text, reference, own["rules"], own.get("start")]
    refuse_overwriting(report, inputs)
    if report not in (None, "-"):
        require_creatable(report)
    with hint_at_resuming(output), counted() as progress, Progress("sentences") as line:

        def listed(number: int, rounds: int, done: int) -> None:
            line.show(f"lists of round {number} of {rounds}", done, None)

        done = self_train(
            train,
            output,
            text,
            reference,
            convention=conventions,
            say=say,
            progress=progress,
            listed=listed,
            **own,
            **training,
        )
    if report is not None:
        with write_output(report) as stream:
            stream.write(json.dumps(done.to_dict(), indent=2).encode() + b"\n")
    return done.trained
