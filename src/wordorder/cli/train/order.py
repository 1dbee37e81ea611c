"""``wordorder train order`` and ``wordorder train rules``."""

from typing import Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import declared, option, refuse, refuse_overwriting, setting, title, verb
from wordorder.cli.messages import hint_at_resuming, say
from wordorder.cli.train.options import check_names
from wordorder.options import OrderOptions


@verb(
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
    "auto: what orders held-out sentences best: linear, consensus or, if neither is better both "
    "with words without a link dropped and with them placed, the source order; "
    "linear: weights of pairs in a dependency tree; bracketing: spans that are split and "
    "turned round, also without trees; consensus: several of both, and the order that they agree "
    "on.",
    default="auto",
)
@title("Systems and files")
@option(
    "--reverse",
    "The links are target-source: TEXT is their second text. Links that fit only so are turned "
    "round with a note.",
)
@option("--trees FILE", "The trees of TEXT, in CoNLL-U.")
@option(
    "--parser MODEL",
    "What parses TEXT, here and when the model is used. [default: the trees of TEXT; without "
    "them en if TEXT is English; for bracketing, and another language, none]",
)
@title("Model")
@option(
    "--tagger MODEL",
    "For auto and bracketing without trees: what tags TEXT, here and when the model is used.",
)
@declared(
    OrderOptions,
    rule={
        "help": "How links become orders, as in `wordorder reference`. [default: topdown-btg; "
        "talbot where unaligned words get a place]"
    },
    unaligned={
        "help": "What becomes of words without a link. A model does well under the treatment "
        "that it was trained under, and badly under another. [default: drop]"
    },
    links=shared.all_links,
)
@title("Metrics")
@option(
    "-m --metrics NAME",
    "The metric of orders that scores are printed in, that consensus looks for, and by which "
    "bracketing chooses how much it prefers the source order. [default: frs; for auto the mean "
    "of frs and kendall, which chooses the kind too]",
    name="metric",
)
@title("Learning")
@option(
    "--dev TEXT ALIGN", "A text and its alignments on which the model is scored.", type=(str, str)
)
@setting(
    "--folds N",
    "Score by cross-validation in N parts; equal sentences share a part. 0 for no test. [default: "
    "for auto 3, 5 of fewer than 500 sentences, a held-out fifth of 2,000 or more; otherwise a "
    "fifth without --dev]",
    least=0,
)
@title("Model")
@option(
    "--add TEXT ALIGN WEIGHT",
    "Further data, of which each sentence counts WEIGHT times; may be given several times.",
    type=(str, str, float),
    multiple=True,
)
@option(
    "--member KIND N",
    "For consensus: N models of the KIND bracketing, words (bracketing, of words alone) or "
    "linear, instead of the default; or the source order (unchanged 1) or a rule set of the "
    "package besides (R5 1). May be given several times. [default: bracketing 6, words 6, "
    "linear 8, unchanged 1]",
    name="members",
    type=(str, click.IntRange(0)),
    multiple=True,
)
@title("Learning")
@option(
    "--epochs N",
    "Epochs: passes over the data, of each member of a consensus. [default: linear 15, bracketing "
    "10]",
    least=1,
)
@setting("--licence NOTE", "The licence that the model names.")
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

    TEXT has one sentence per line, words between blanks, or is CoNLL-U. ALIGNMENTS link it with a
    translation, one row per sentence.
    """
    from wordorder.options import take_options
    from wordorder.training.order import OrderRecipe, train_order
    from wordorder.training.order_data import OrderData

    dev, add = options["dev"] or (), options["add"]
    if members := options.pop("members"):
        if options["model"] not in ("auto", "consensus"):
            refuse(["members"], "is for --model consensus")
        # Who names members wants a consensus.
        options["model"] = "consensus"
        options["settings"] = {"members": dict(members)}
    inputs = [text, alignments, options["trees"], options["parser"], options["tagger"], *dev]
    check_names(output, [*inputs, *(path for item in add for path in item[:2])])
    with hint_at_resuming(output):
        data = OrderData(text=text, alignments=alignments, **take_options(options, OrderData))
        chosen = OrderRecipe(**take_options(options, OrderRecipe))
        trained = train_order(data, output, chosen, curve=figures is not None, say=say, **options)
    shared.draw_curves(figures, trained.curves)


@verb(
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
    "The share of the sentences that decides how many edits are made; 0 for none.",
    type=click.FloatRange(0, 0.5),
    default=0.2,
)
@setting(
    "--caution Z",
    "By how many standard errors the gain of an edit must exceed 0.",
    type=click.FloatRange(0),
    default=2.0,
)
@setting("--least N", "In how many sentences the words of an edit must occur.", least=1, default=5)
@setting("--edits N", "How many edits are made at most.", least=0, default=100)
@setting("--name NAME", "What the rules are called. [default: as FILE]")
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
    writes them. The rules are a .toml file with comments, to be read, edited and improved again
    (--start FILE).
    """
    from wordorder.training.rules.rule_files import train_rules_files

    check_names(output, [trees, reference])
    start = options["start"]
    if start is not None and start.endswith(".toml"):
        refuse_overwriting(output, [start])
    status = f"{output} has the best rules so far; "
    with hint_at_resuming(output, "goes on", before=status):
        learned = train_rules_files(trees, reference, output, options=settings, **options)
    for line in learned.summary.splitlines():
        say(line)
