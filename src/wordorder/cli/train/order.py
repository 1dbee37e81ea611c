"""``wordorder train order`` and ``wordorder train rules``."""

from typing import Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import (
    declared_options,
    named_command,
    option,
    refuse,
    refuse_overwriting,
    setting,
    title,
)
from wordorder.cli.messages import hint_at_resuming, print_message
from wordorder.cli.train.options import check_output_name
from wordorder.options import OrderOptions


@named_command(
    "order",
    example="wordorder train order source.txt links.align -o my.safetensors",
    usual="output model trees parser rule metrics dev add epochs resume figures option",
)
@click.argument("text")
@click.argument("alignments")
@title("Results")
@option("-o --output MODEL", "Where the model goes.", required=True)
@title("Model")
@option(
    "--model {auto,linear,bracketing,consensus}",
    "auto: linear or consensus, whichever orders held-out sentences better; the source order if "
    "neither beats it both with and without unaligned words. linear: weights of pairs in a "
    "dependency tree; bracketing: spans that are split and reversed, also without trees; "
    "consensus: the order on which several of both agree.",
    default="auto",
)
@title("Systems and files")
@option(
    "--reverse",
    "The links are target-source: TEXT is their second text. Links that fit only this way are "
    "reversed with a note.",
)
@option("--trees FILE", "The trees of TEXT, in CoNLL-U.")
@option(
    "--parser MODEL",
    "The parser of TEXT, here and when the model is used. [default: none if TEXT has trees or for "
    "bracketing; else en if TEXT is English]",
)
@title("Model")
@option(
    "--tagger MODEL",
    "For auto and bracketing without trees: the tagger of TEXT, here and when the model is used.",
)
@declared_options(
    OrderOptions,
    rule={
        "help": "How links become orders, as in `wordorder reference`. [default: topdown-btg; "
        "talbot where unaligned words get a place]"
    },
    unaligned={
        "help": "What happens to words without a link. A model scores well only if it is tested "
        "under the same value as in training. [default: drop]"
    },
    links=shared.ALL_LINKS,
)
@title("Metrics")
@option(
    "-m --metrics NAME",
    "The metric of orders for the printed scores; consensus maximises it, and bracketing chooses "
    "by it how much to prefer the source order. [default: frs; for auto the mean of frs and "
    "kendall, which also chooses the kind of model]",
    name="metric",
)
@title("Learning")
@option("--dev TEXT ALIGN", "A text and its alignments to score the model on.", type=(str, str))
@setting(
    "--folds N",
    "Score by cross-validation in N parts; equal sentences share a part. 0 for no test. [default: "
    "for auto 3, 5 of fewer than 500 sentences, a held-out fifth of 2,000 or more; otherwise a "
    "fifth without --dev]",
    min_value=0,
)
@title("Model")
@option(
    "--add TEXT ALIGN WEIGHT",
    "Further data, whose sentences count WEIGHT times; may be repeated.",
    type=(str, str, float),
    multiple=True,
)
@option(
    "--member KIND N",
    "For consensus: N models of the KIND bracketing, words (bracketing by words only) or linear; "
    "also the source order (unchanged 1) or a built-in rule set (R5 1). May be repeated. [default: "
    "bracketing 6, words 6, linear 8, unchanged 1]",
    name="members",
    type=(str, click.IntRange(0)),
    multiple=True,
)
@title("Learning")
@option(
    "--epochs N",
    "Passes over the data; of a consensus, of each member. [default: linear 15, bracketing 10]",
    min_value=1,
)
@setting("--licence NOTE", "Licence to store in the model.")
@shared.notation_options
@shared.figures_option
@shared.seed_option
@shared.resume_options
@shared.column_option
@shared.threads_option
def order_command(
    text: str, alignments: str, output: str, figures: str | None, **options: Any
) -> None:
    """Train a pre-orderer on word alignments.

    TEXT is tokenised, one sentence per line, or CoNLL-U. ALIGNMENTS link it with a translation, one
    row per sentence.
    """
    from wordorder.options import take_options
    from wordorder.training.order import OrderRecipe, train_order
    from wordorder.training.order_data import OrderData

    dev, add = options["dev"] or (), options["add"]
    if members := options.pop("members"):
        if options["model"] not in ("auto", "consensus"):
            refuse(["members"], "is for --model consensus")
        # --member implies a consensus.
        options["model"] = "consensus"
        options["settings"] = {"members": dict(members)}
    inputs = [text, alignments, options["trees"], options["parser"], options["tagger"], *dev]
    check_output_name(output, [*inputs, *(path for item in add for path in item[:2])])
    with hint_at_resuming(output):
        data = OrderData(text=text, alignments=alignments, **take_options(options, OrderData))
        recipe = OrderRecipe(**take_options(options, OrderRecipe))
        trained = train_order(
            data, output, recipe, curve=figures is not None, say=print_message, **options
        )
    shared.write_curves(figures, trained.curves)


@named_command(
    "rules",
    example="wordorder train rules trees.conllu reference.orders -o my.toml",
    usual="output start metrics option seed resume threads",
)
@click.argument("trees")
@click.argument("reference")
@title("Results")
@option("-o --output FILE", "Where the rules go: a .toml file.", required=True)
@title("Systems and files")
@option(
    "--start RULES",
    "Rules to improve: a set of `wordorder rules list`, or a .toml file. "
    "[default: a weight for each label, fitted to the orders]",
)
@shared.order_metric_options("frs")
@setting(
    "--held-out SHARE",
    "Share of the sentences held out to decide how many edits are made; 0 for none.",
    type=click.FloatRange(0, 0.5),
    default=0.2,
)
@setting(
    "--caution Z",
    "Number of standard errors by which the gain of an edit must exceed 0.",
    type=click.FloatRange(0),
    default=2.0,
)
@setting(
    "--least N", "In how many sentences the words of an edit must occur.", min_value=1, default=5
)
@setting("--edits N", "Maximum number of edits.", min_value=0, default=100)
@setting("--name NAME", "Name of the rules. [default: as FILE]")
@shared.multiple_roots_option
@shared.seed_option
@shared.resume_options
@shared.column_option
@shared.threads_option
def rules_command(
    trees: str, reference: str, output: str, settings: tuple[str, ...], **options: Any
) -> None:
    """Learn readable rules from trees and reference orders.

    TREES are the source sentences in CoNLL-U, REFERENCE their orders, as `wordorder reference`
    writes them. The rules are a .toml file with comments, which you can read, edit and improve
    again (--start FILE).
    """
    from wordorder.training.rules.rule_files import train_rules_files

    check_output_name(output, [trees, reference])
    start = options["start"]
    if start is not None and start.endswith(".toml"):
        refuse_overwriting(output, [start])
    status = f"{output} has the best rules so far; "
    with hint_at_resuming(output, "continues", prefix=status):
        learned = train_rules_files(trees, reference, output, options=settings, **options)
    for line in learned.summary.splitlines():
        print_message(line)
