"""``wordorder train parser`` and ``wordorder train tagger``."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.help import GroupedHelp
from wordorder.cli.messages import hint_at_resuming, say
from wordorder.cli.options import (
    ALGORITHMS,
    FEATURES,
    RECIPES,
    TAGGERS,
    TRAINING_TAGS,
    UPDATES,
    column_option,
    draw_curves,
    figures_option,
)
from wordorder.cli.train.options import (
    augment_options,
    check_names,
    convention,
    counted,
    further_losses,
    parser_files,
    run_self_training,
    self_training,
    self_training_options,
    training_options,
)


@click.command("parser", cls=GroupedHelp)
@training_options
@figures_option
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
    "--known-words",
    type=click.Choice(["seen", "open"]),
    help="For --tagger tnt: whether words of the treebank take only tags that they have there. "
    "[default: seen]",
)
@click.option(
    "--recipe",
    type=click.Choice(RECIPES),
    help="The parsers of Talbot et al.; P1: katz-brown features, tnt, beam 1; P2: the same with "
    "beam 8; P3: P2 with --self-train; P4: the same with weight 10; P5: the same without case.",
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
@column_option
@self_training_options
@augment_options
def parser_command(
    train: tuple[str, ...],
    output: str,
    dev: str | None,
    figures: str | None,
    add: tuple[tuple[str, int], ...],
    **options: Any,
) -> None:
    """Train a parser on treebanks, and a tagger with it.

    TRAIN are CoNLL-U files.
    """
    from wordorder.parsing.training.train_files import train_parser_files

    further_files = [*(data for _, data in options["augment"]), *options["augment_reference"]]
    check_names(output, [*train, dev, *(path for path, _ in add), *further_files, options["rules"]])
    own, conventions = self_training(options), convention(options)
    shared = ("self_train", "rules", "metric", "kbest", "data_tags")
    chosen = {name: options.pop(name) for name in shared}
    further = further_losses(options, chosen, conventions)
    if chosen["self_train"] is not None:
        given = {name: value for name, value in chosen.items() if value is not None}
        last = run_self_training(
            train, output, {**given, **own}, conventions, dev=dev, add=add, **options
        )
        draw_curves(figures, last.curves)
        return
    with hint_at_resuming(output, kept=parser_files(output)), counted() as progress:
        trained = train_parser_files(
            train, output, dev=dev, add=add, further=further, say=say, progress=progress, **options
        )
    draw_curves(figures, trained.curves)


@click.command("tagger", cls=GroupedHelp)
@training_options
@figures_option
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
def tagger_command(
    train: tuple[str, ...], output: str, dev: str | None, figures: str | None, **options: Any
) -> None:
    """Train a tagger on treebanks.

    TRAIN are CoNLL-U files whose words have tags, UPOS, XPOS or both.
    """
    from wordorder.parsing.training.train_files import train_tagger_files

    check_names(output, [*train, dev])
    with hint_at_resuming(output, kept=parser_files(output)), counted() as progress:
        trained = train_tagger_files(train, output, dev=dev, say=say, progress=progress, **options)
    draw_curves(figures, trained.curves)
