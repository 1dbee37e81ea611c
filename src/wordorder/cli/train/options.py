"""The options of ``wordorder train parser`` and ``train tagger``, and what several of them mean."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import added, check_files, option, refuse, refuse_overwriting, setting
from wordorder.cli.messages import hint_at_resuming, say
from wordorder.errors import UsageError
from wordorder.options import AlignedOptions, options_of
from wordorder.text.output import require_creatable, write_output

if TYPE_CHECKING:
    from wordorder.parsing.training.train_files import TrainedFile
    from wordorder.training.augmented.parser_files import FileLosses


ORDER = "order"
# What `augmented_losses` calls the options.
OPTIONS = {"grow": "grow", "augment_start": "start", "augment_margin": "margin"}
# What `ReferenceFile` has, by the names of the options.
CONVENTION = tuple(options_of(AlignedOptions))
OWN = ("standard", "weight", "rounds", "start", "words", "keep_rounds", "report", "kbest_tags")


class _Finite(click.FloatRange):
    """A number that is one: neither nan nor inf."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is no size.", param, ctx)
        return number


# What further losses need.
augment_options = added(
    option(
        "--augment KIND DATA",
        "Learn from the costs of lists of trees for DATA too (lines of words, or CoNLL-U "
        "with any heads): order, root, arc-length, arc-length-labelled, a metric of trees, or "
        "MODULE:COST; may be given several times.",
        type=(str, str),
        multiple=True,
    ),
    setting(
        "--ratio R",
        "Sentences of DATA for one tree of the treebank: the n-th -O ratio is for the n-th "
        "--augment. [default: 1]",
        type=float,
        multiple=True,
    ),
    setting(
        "--augment-reference REF",
        "For --augment order: the reference orders of DATA, or word alignments (.align), "
        "of which orders are made; the n-th is for the n-th order.",
        multiple=True,
    ),
    setting(
        "--grow K",
        "Make a list twice as long, up to this length, while none of its trees costs less "
        "than the first.",
        least=1,
    ),
    setting(
        "--augment-start N",
        "Learn from the treebank alone for N epochs first. [default: 0]",
        least=0,
    ),
    setting(
        "--augment-margin M",
        "Learn from a tree only if it costs less by more than M. [default: 0]",
        type=click.FloatRange(0),
    ),
    setting(
        "--primary KIND",
        "Learn from the treebank by this cost of lists, too, in place of the whole tree.",
    ),
    title="Augmented loss",
)


def further_losses(
    options: dict[str, Any], lists: dict[str, Any], convention: dict[str, Any]
) -> FileLosses | None:
    """Take the options of further losses out of those of a command; return the losses.

    Parameters
    ----------
    options : dict
    lists : dict
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
    margin_options = {name: options.pop(option) for option, name in OPTIONS.items()}
    orders = sum(kind == ORDER for kind, _ in augment)
    if not augment and primary is None:
        refuse((*OPTIONS, "ratio"), "is for --augment")
        if not lists["self_train"]:
            refuse((*lists, *convention), "is for --self-train and --augment")
    if len(ratio) > len(augment):
        raise UsageError(f"{len(ratio)} -O ratio for {len(augment)} --augment")
    if len(references) != orders:
        problem = f"{len(references)} -O augment-reference for {orders} --augment order"
        raise UsageError(f"{problem}; expected one for each")
    if not augment and primary is None:
        return None
    if lists["self_train"]:
        raise UsageError("--self-train and --augment: one of the two")
    if not orders:
        refuse(("metric", *convention), "is for --augment order")
    refuse(["split_hyphens"], "changes the words that --augment counts")
    from wordorder.training.augmented.parser_files import AugmentedFile, augmented_losses
    from wordorder.training.references import ReferenceFile

    remaining = iter(references)
    files = []
    for place, (kind, data) in enumerate(augment):
        reference = ReferenceFile(next(remaining), **convention) if kind == ORDER else None
        share = ratio[place] if place < len(ratio) else 1.0
        files.append(AugmentedFile(kind, data, share, reference))
    list_options = {
        name: lists[name] for name in ("rules", "metric", "kbest", "data_tags")
    } | margin_options
    chosen = {name: value for name, value in list_options.items() if value is not None}
    return augmented_losses(files, primary=primary, **chosen)


# What ``--self-train`` needs.
self_training_options = added(
    option(
        "--self-train TEXT REFERENCE",
        "Parse TEXT into lists of trees, choose the tree of each list whose order comes "
        "closest to REFERENCE, and train again from scratch on TRAIN and the chosen trees.",
        name="self_train",
        type=(str, str),
    ),
    option(
        "--rules RULES",
        "What puts the words of a tree in order: a set of `wordorder rules list`, a "
        ".toml file, or a learned order.",
    ),
    shared.order_metric_option,
    shared.reference_options,
    setting(
        "--standard",
        "Standard self-training: take the first tree of each list, whatever its order.",
    ),
    setting(
        "--kbest K", "Trees per list. [default: 64 for --self-train, 8 for --augment]", least=1
    ),
    setting(
        "--data-tags {predict,auto}",
        "The tags of TEXT and DATA. predict: all are predicted, as they will be in text "
        "that MODEL parses; auto: only those that they lack. [default: predict; auto for "
        "--tagger none]",
    ),
    setting(
        "--kbest-tags N", "Trees of a list are over the N best tag sequences. [default: 1]", least=1
    ),
    setting(
        "--copies N",
        "How often each chosen tree is taken in an epoch. [default: 1, or the recipe's]",
        name="weight",
        least=1,
    ),
    setting(
        "--rounds N",
        "The lists of each round are those of the model of the round before. [default: 1]",
        least=1,
    ),
    setting(
        "--start MODEL", "The parser of the first lists. [default: one is trained on TRAIN alone]"
    ),
    setting(
        "--word WORD",
        "Report how often WORD is a noun and a verb in TEXT before and after; may be given "
        "several times.",
        name="words",
        multiple=True,
    ),
    setting("--keep-rounds", "Leave the models and the chosen trees of all rounds beside MODEL."),
    setting("--report FILE", "Write what each round found, as JSON, into a file."),
    title="Self-training",
)


def convention(options: dict[str, Any]) -> dict[str, Any]:
    """Take out of the options what the reference holds and how alignments become orders."""
    return {name: options.pop(name) for name in CONVENTION}


def self_training(options: dict[str, Any]) -> dict[str, Any]:
    """Remove the options of self-training from all, and return those with a value."""
    values = {name: options.pop(name) for name in OWN}
    values = {name: value for name, value in values.items() if value not in (None, False, ())}
    if options["self_train"] is None:
        refuse(OWN, "is for --self-train")
    return values


def run_self_training(
    train: tuple[str, ...],
    output: str,
    own: dict[str, Any],
    conventions: dict[str, Any],
    **training: Any,
) -> TrainedFile:
    """Train a parser with ``--self-train``, and write the report if one is asked for."""
    from wordorder.options import take_options
    from wordorder.parsing.training.recipes import ParserOptions
    from wordorder.parsing.training.training_run import TrainingRun
    from wordorder.parsing.training.training_text import TrainingFiles
    from wordorder.training.self_training import SelfTraining, self_train

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
    with hint_at_resuming(output, kept=parser_files(output)):
        data = TrainingFiles(train, **take_options(training, TrainingFiles))
        run = TrainingRun(output, **take_options(training, TrainingRun))
        lists = SelfTraining(text=text, reference=reference, convention=conventions, **own)
        done = self_train(data, run, lists, ParserOptions(**training), say=say)
    if report is not None:
        with write_output(report) as stream:
            stream.write(json.dumps(done.to_dict(), indent=2).encode() + b"\n")
    return done.trained


# What all kinds of training have in common.
training_options = added(
    click.argument("train", metavar="TRAIN...", nargs=-1, required=True),
    option("-o --output MODEL", "Where the model goes.", title="Results", required=True),
    option(
        "--dev FILE",
        "A treebank that chooses the best epoch. [default: the last epoch is kept]",
        title="Learning",
    ),
    option("--epochs N", "Passes over the treebank. [default: 10]", title="Learning", least=1),
    option("--lowercase", "Ignore case, here and when MODEL is used.", title="Learning"),
    setting(
        "--any-case",
        "Learn from copies in lower case too: text all in lower case or all in capitals "
        "costs little then.",
    ),
    setting(
        "--hidden SHARE",
        "Hide this share of the words seen 20 times or less from the perceptron tagger while it "
        "learns, and let symbols be alike: try .3 for text unlike TRAIN.",
        type=click.FloatRange(0, 1, max_open=True),
        default=0.0,
    ),
    setting("--licence NOTE", "The licence that the model names."),
    shared.seed_option,
    setting(
        "--shards S",
        "Train on S parts of the treebank at the same time and average after each epoch; the "
        "result depends on S.",
        least=1,
        default=1,
    ),
    option(
        "--resume",
        "Go on from the checkpoints that an interrupted training left beside MODEL.",
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


def check_names(output: str, inputs: Sequence[str | None]) -> None:
    """Refuse names that cannot be meant."""
    if output == "-":
        raise UsageError("-o needs the name of a file")
    check_files(inputs, output)


def parser_files(output: str) -> list[str]:
    """Return what an interrupted training of a parser or tagger may leave."""
    from wordorder.parsing.training.training_run import CHECKPOINTS

    # Self-training begins with a parser of its own.
    models = (output, f"{output}.round0")
    checkpoints = [f"{model}.{role}.checkpoint" for model in models for role in CHECKPOINTS]
    return [*checkpoints, f"{output}.rounds"]
