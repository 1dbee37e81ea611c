"""The options of ``wordorder train parser`` and ``train tagger``, and their checks."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import (
    check_files,
    combine_options,
    option,
    refuse,
    refuse_overwriting,
    setting,
)
from wordorder.cli.messages import hint_at_resuming, print_message
from wordorder.errors import UsageError
from wordorder.options import AlignedOptions, options_of
from wordorder.text.output import require_creatable, write_output

if TYPE_CHECKING:
    from wordorder.parsing.training.train_files import TrainedFile
    from wordorder.training.augmented.parser_files import FileLosses


ORDER_LOSS = "order"
# The arguments of `augmented_losses`, by parameter.
LOSS_ARGUMENTS = {"grow": "grow", "augment_start": "start", "augment_margin": "margin"}
# The fields of `ReferenceFile`, which are parameters.
CONVENTION_OPTIONS = tuple(options_of(AlignedOptions))
SELF_TRAINING_ONLY = (
    "standard",
    "weight",
    "rounds",
    "start",
    "words",
    "keep_rounds",
    "report",
    "kbest_tags",
)


class _Finite(click.FloatRange):
    """A finite number: neither nan nor inf."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a size.", param, ctx)
        return number


# The options of further losses.
augment_options = combine_options(
    option(
        "--augment KIND DATA",
        "Also learn from the costs of k-best trees of DATA (tokenised, or CoNLL-U): order, root, "
        "arc-length, arc-length-labelled, a metric of trees, or MODULE:COST; may be repeated.",
        type=(str, str),
        multiple=True,
    ),
    setting(
        "--ratio R",
        "Sentences of DATA per tree of the treebank; the n-th -O ratio is for the n-th --augment. "
        "[default: 1]",
        type=float,
        multiple=True,
    ),
    setting(
        "--augment-reference REF",
        "For --augment order: the reference orders of DATA, or word alignments (.align), from "
        "which orders are made; the n-th is for the n-th --augment order.",
        multiple=True,
    ),
    setting(
        "--grow K",
        "Double the length of a list, up to K, until one of its trees costs less than the first.",
        min_value=1,
    ),
    setting(
        "--augment-start N",
        "Learn from the treebank alone for N epochs first. [default: 0]",
        min_value=0,
    ),
    setting(
        "--augment-margin M",
        "Learn from a tree only if it costs less by more than M. [default: 0]",
        type=click.FloatRange(0),
    ),
    setting(
        "--primary KIND",
        "Learn from the treebank too by this cost of k-best lists, instead of the gold tree.",
    ),
    title="Augmented loss",
)


def pop_losses(
    options: dict[str, Any], lists: dict[str, Any], convention: dict[str, Any]
) -> FileLosses | None:
    """Remove the options of further losses from those of a command; return the losses, if any.

    Parameters
    ----------
    options : dict
    lists : dict
        Options shared with self-training: ``self_train``, ``rules``, ``metric``, ``kbest``,
        ``data_tags``.
    convention : dict
        The content of the references, and how alignments become orders.

    Raises
    ------
    UsageError
        If there are more ratios than losses, if the numbers of references and of losses of orders
        differ, or if there are options of losses but no losses.
    """
    augment, primary = options.pop("augment"), options.pop("primary")
    ratios, references = options.pop("ratio"), options.pop("augment_reference")
    margin_options = {name: options.pop(option) for option, name in LOSS_ARGUMENTS.items()}
    order_count = sum(kind == ORDER_LOSS for kind, _ in augment)
    if not augment and primary is None:
        refuse((*LOSS_ARGUMENTS, "ratio"), "is for --augment")
        if not lists["self_train"]:
            refuse((*lists, *convention), "is for --self-train and --augment")
    if len(ratios) > len(augment):
        raise UsageError(f"{len(ratios)} -O ratio for {len(augment)} --augment")
    if len(references) != order_count:
        problem = f"{len(references)} -O augment-reference for {order_count} --augment order"
        raise UsageError(f"{problem}; expected one for each")
    if not augment and primary is None:
        return None
    if lists["self_train"]:
        raise UsageError("--self-train and --augment: one of the two")
    if not order_count:
        refuse(("metric", *convention), "is for --augment order")
    refuse(["split_hyphens"], "changes the words that --augment counts")
    from wordorder.training.augmented.parser_files import AugmentedFile, augmented_losses
    from wordorder.training.references import ReferenceFile

    remaining = iter(references)
    files = []
    for index, (kind, data) in enumerate(augment):
        reference = ReferenceFile(next(remaining), **convention) if kind == ORDER_LOSS else None
        ratio_value = ratios[index] if index < len(ratios) else 1.0
        files.append(AugmentedFile(kind, data, ratio_value, reference))
    loss_options = {
        name: lists[name] for name in ("rules", "metric", "kbest", "data_tags")
    } | margin_options
    chosen = {name: value for name, value in loss_options.items() if value is not None}
    return augmented_losses(files, primary=primary, **chosen)


# The options of ``--self-train``.
self_training_options = combine_options(
    option(
        "--self-train TEXT REFERENCE",
        "Parse TEXT into lists of trees, choose the tree of each list whose order is closest to "
        "REFERENCE, and train again from scratch on TRAIN and the chosen trees.",
        name="self_train",
        type=(str, str),
    ),
    option(
        "--rules RULES",
        "Rules that reorder the words of a tree: a set of `wordorder rules list`, a .toml file, or "
        "a learned order.",
    ),
    shared.order_metric_option,
    shared.reference_options,
    setting(
        "--standard",
        "Standard self-training: take the first tree of each list, whatever its order.",
    ),
    setting(
        "--kbest K", "Trees per list. [default: 64 for --self-train, 8 for --augment]", min_value=1
    ),
    setting(
        "--data-tags {predict,auto}",
        "The tags of TEXT and DATA. predict: predict all, as in texts that MODEL will parse; auto: "
        "predict only missing ones. [default: predict; auto for --tagger none]",
    ),
    setting(
        "--kbest-tags N",
        "Trees of a list are over the N best tag sequences. [default: 1]",
        min_value=1,
    ),
    setting(
        "--copies N",
        "How often a chosen tree is used per epoch. [default: 1, or that of --recipe]",
        name="weight",
        min_value=1,
    ),
    setting(
        "--rounds N",
        "Rounds; each takes its lists from the model of the previous one. [default: 1]",
        min_value=1,
    ),
    setting(
        "--start MODEL", "The parser of the first lists. [default: one is trained on TRAIN alone]"
    ),
    setting(
        "--word WORD",
        "Report how often WORD is a noun and a verb in TEXT before and after; may be repeated.",
        name="words",
        multiple=True,
    ),
    setting("--keep-rounds", "Keep the models and the chosen trees of all rounds next to MODEL."),
    setting("--report FILE", "Write the results of the rounds to a file, as JSON."),
    title="Self-training",
)


def pop_convention(options: dict[str, Any]) -> dict[str, Any]:
    """Remove and return the options for the content of references and the orders of alignments."""
    return {name: options.pop(name) for name in CONVENTION_OPTIONS}


def pop_self_training(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of self-training; return those with a value."""
    values = {name: options.pop(name) for name in SELF_TRAINING_ONLY}
    values = {name: value for name, value in values.items() if value not in (None, False, ())}
    if options["self_train"] is None:
        refuse(SELF_TRAINING_ONLY, "is for --self-train")
    return values


def run_self_training(
    train: tuple[str, ...],
    output: str,
    self_training_values: dict[str, Any],
    conventions: dict[str, Any],
    **training: Any,
) -> TrainedFile:
    """Train a parser with ``--self-train``, and write the report of ``--report``."""
    from wordorder.options import take_options
    from wordorder.parsing.training.recipes import ParserOptions
    from wordorder.parsing.training.training_run import TrainingRun
    from wordorder.parsing.training.training_text import TrainingFiles
    from wordorder.training.self_training import SelfTraining, self_train

    text, reference = self_training_values.pop("self_train")
    if "rules" not in self_training_values:
        raise UsageError("--self-train needs --rules, which give the trees an order")
    report = self_training_values.pop("report", None)
    check_output_name(
        output,
        [
            *train,
            text,
            reference,
            self_training_values["rules"],
            self_training_values.get("start"),
            report,
        ],
    )
    added_paths = [path for path, _ in training["add"]]
    inputs = [
        *train,
        *added_paths,
        training["dev"],
        text,
        reference,
        self_training_values["rules"],
        self_training_values.get("start"),
    ]
    refuse_overwriting(report, inputs)
    if report not in (None, "-"):
        require_creatable(report)
    with hint_at_resuming(output, other_files=checkpoint_files(output)):
        data = TrainingFiles(train, **take_options(training, TrainingFiles))
        run = TrainingRun(output, **take_options(training, TrainingRun))
        recipe = SelfTraining(
            text=text, reference=reference, convention=conventions, **self_training_values
        )
        report_data = self_train(data, run, recipe, ParserOptions(**training), say=print_message)
    if report is not None:
        with write_output(report) as stream:
            stream.write(json.dumps(report_data.to_dict(), indent=2).encode() + b"\n")
    return report_data.trained


# The options that parsers and taggers share.
training_options = combine_options(
    click.argument("train", metavar="TRAIN...", nargs=-1, required=True),
    option("-o --output MODEL", "Where the model goes.", title="Results", required=True),
    option(
        "--dev FILE",
        "A treebank that chooses the best epoch. [default: the last epoch is kept]",
        title="Learning",
    ),
    option("--epochs N", "Passes over the treebank. [default: 10]", title="Learning", min_value=1),
    option("--lowercase", "Ignore case, here and when MODEL is used.", title="Learning"),
    setting(
        "--any-case",
        "Also learn from lowercase copies, for texts all in lower case or all in capitals.",
    ),
    setting(
        "--hidden SHARE",
        "Hide this share of the words seen 20 times or less from the perceptron tagger in "
        "training, and treat symbols alike: try .3 for text unlike TRAIN.",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.0,
    ),
    setting("--licence NOTE", "Licence to store in the model."),
    shared.seed_option,
    setting(
        "--shards S",
        "Train on S parts of the treebank at the same time and average after each epoch; the "
        "result depends on S.",
        min_value=1,
        default=1,
    ),
    option(
        "--resume",
        "Continue from the checkpoints of an interrupted training, next to MODEL.",
        title="Long and large jobs",
    ),
    setting("--restart", "Start from scratch even if such checkpoints exist."),
    setting("--compact", "Write a small file, with a little less accuracy."),
    setting(
        "--size MB",
        "Write a compact file of at most about MB megabytes: weights near zero are left out.",
        type=_Finite(0, min_open=True),
    ),
    shared.threads_option,
)


def check_output_name(output: str, inputs: Sequence[str | None]) -> None:
    """Raise a UsageError if the output is standard output or an input."""
    if output == "-":
        raise UsageError("-o needs the name of a file")
    check_files(inputs, output)


def checkpoint_files(output: str) -> list[str]:
    """Return the checkpoints that an interrupted training of a parser or tagger may leave."""
    from wordorder.parsing.training.training_run import CHECKPOINT_NAMES

    # Self-training first trains the parser of round 0.
    models = (output, f"{output}.round0")
    checkpoints = [f"{model}.{role}.checkpoint" for model in models for role in CHECKPOINT_NAMES]
    return [*checkpoints, f"{output}.rounds"]
