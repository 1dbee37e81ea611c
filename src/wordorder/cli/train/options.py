"""The options of ``wordorder train parser`` and ``train tagger``, and what several of them mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli.messages import hint_at_resuming, say
from wordorder.cli.options import (
    DATA_TAGS,
    reference_options,
    refuse_overwriting,
    seed_option,
    threads_option,
)
from wordorder.errors import UsageError
from wordorder.text.output import require_creatable, write_output

if TYPE_CHECKING:
    from wordorder.parsing.training.train_files import TrainedFile
    from wordorder.parsing.training.training import TrainingProgress
    from wordorder.parsing.training.training_run import RunProgress
    from wordorder.training.augmented.parser_files import FileLosses


Function = TypeVar("Function", bound=Callable[..., Any])

ORDER = "order"

# What `augmented_losses` calls the options.
OPTIONS = {"grow": "grow", "augment_start": "start", "augment_margin": "margin"}

# What the options are called that have another name in Python.
NAMES = {"kind": "input", "start": "augment_start", "margin": "augment_margin"}


def augment_options(function: Function) -> Function:
    """Add what further losses need."""
    decorators = [
        click.option(
            "--augment",
            type=(str, str),
            multiple=True,
            metavar="KIND DATA",
            help="Learn from the costs of lists of trees for DATA too (lines of words, or CoNLL-U "
            "with any heads): order, root, arc-length, arc-length-labelled, a metric of trees, or "
            "MODULE:COST; may be given several times.",
        ),
        click.option(
            "--ratio",
            type=float,
            multiple=True,
            metavar="R",
            help="Sentences of DATA for one tree of the treebank: the n-th --ratio is for the n-th "
            "--augment. [default: 1]",
        ),
        click.option(
            "--augment-reference",
            multiple=True,
            metavar="REF",
            help="For --augment order: the reference orders of DATA, or word alignments (.align), "
            "of which orders are made; the n-th is for the n-th order.",
        ),
        click.option(
            "--grow",
            type=click.IntRange(1),
            metavar="K",
            help="Make a list twice as long, up to this length, while none of its trees costs less "
            "than the first.",
        ),
        click.option(
            "--augment-start",
            type=click.IntRange(0),
            metavar="N",
            help="Learn from the treebank alone for N epochs first. [default: 0]",
        ),
        click.option(
            "--augment-margin",
            type=click.FloatRange(0),
            metavar="M",
            help="Learn from a tree only if it costs less by more than M. [default: 0]",
        ),
        click.option(
            "--primary",
            metavar="KIND",
            help="Learn from the treebank by this cost of lists, too, in place of the whole tree.",
        ),
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def further_losses(
    options: dict[str, Any], shared: dict[str, Any], convention: dict[str, Any]
) -> FileLosses | None:
    """Take the options of further losses out of those of a command; return the losses.

    Parameters
    ----------
    options : dict
    shared : dict
        What self-training takes too: ``self_train``, ``rules``, ``metric``, ``kbest``,
        ``data_tags``.
    convention : dict
        What the references hold, and how alignments become orders.

    Raises
    ------
    UsageError
        If there are more ratios than losses, not one reference for each loss of orders, or
        options for losses and none of these.
    """
    augment, primary = options.pop("augment"), options.pop("primary")
    ratio, references = options.pop("ratio"), options.pop("augment_reference")
    own = {name: options.pop(option) for option, name in OPTIONS.items()}
    orders = sum(kind == ORDER for kind, _ in augment)
    if not augment and primary is None:
        both = {} if shared["self_train"] else {**shared, **convention}
        _refuse(own | {"ratio": ratio}, "--augment")
        _refuse(both, "--self-train and --augment")
    if len(ratio) > len(augment):
        raise UsageError(f"{len(ratio)} --ratio for {len(augment)} --augment")
    if len(references) != orders:
        raise UsageError(
            f"{len(references)} --augment-reference for {orders} --augment order; expected one for "
            "each"
        )
    if not augment and primary is None:
        return None
    if shared["self_train"]:
        raise UsageError("--self-train and --augment: one of the two")
    if not orders:
        _refuse({"metric": shared["metric"], **convention}, "--augment order")
    if options["split_hyphens"]:
        raise UsageError("--split-hyphens changes the words that --augment counts")
    from wordorder.training.augmented.parser_files import AugmentedFile, augmented_losses
    from wordorder.training.references import ReferenceFile

    left = iter(references)
    files = []
    for place, (kind, data) in enumerate(augment):
        reference = ReferenceFile(next(left), **convention) if kind == ORDER else None
        share = ratio[place] if place < len(ratio) else 1.0
        files.append(AugmentedFile(kind, data, share, reference))
    given = {name: shared[name] for name in ("rules", "metric", "kbest", "data_tags")} | own
    chosen = {name: value for name, value in given.items() if value is not None}
    return augmented_losses(files, primary=primary, **chosen)


def _refuse(given: dict[str, Any], owner: str) -> None:
    """Refuse options that mean something only beside others."""
    for name, value in given.items():
        # Of other options `auto` is the default.
        if value not in (None, (), False, "auto") or (name, value) == ("data_tags", "auto"):
            option = NAMES.get(name, name).replace("_", "-")
            raise UsageError(f"--{option} is for {owner}")


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
    with (
        hint_at_resuming(output, kept=parser_files(output)),
        counted() as progress,
        Progress("sentences") as line,
    ):

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


def parser_files(output: str) -> list[str]:
    """Return what an interrupted training of a parser or tagger may leave."""
    # Self-training begins with a parser of its own.
    models = (output, f"{output}.round0")
    left = [f"{model}.{role}.checkpoint" for model in models for role in ("tagger", "parser")]
    return [*left, f"{output}.rounds"]
