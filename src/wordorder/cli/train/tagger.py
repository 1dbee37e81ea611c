"""``wordorder train tagger``."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.choices import TAGGERS
from wordorder.cli.figures_option import draw_curves, figures_option
from wordorder.cli.help import GroupedHelp
from wordorder.cli.messages import say
from wordorder.cli.train.treebank_options import (
    check_names,
    counted,
    hint_at_resuming,
    training_options,
)


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
def command(
    train: tuple[str, ...], output: str, dev: str | None, figures: str | None, **options: Any
) -> None:
    """Train a tagger on treebanks.

    TRAIN are CoNLL-U files whose words have tags, UPOS, XPOS or both.
    """
    from wordorder.parsing.training.train_files import train_tagger_files

    check_names(output, [*train, dev])
    with hint_at_resuming(output), counted() as progress:
        trained = train_tagger_files(train, output, dev=dev, say=say, progress=progress, **options)
    draw_curves(figures, trained.curves)
