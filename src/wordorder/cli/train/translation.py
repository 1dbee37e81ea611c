"""``wordorder train translation``."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.help import GroupedHelp
from wordorder.cli.messages import say
from wordorder.cli.options import (
    alignment_format_option,
    column_option,
    one_based_option,
    strict_option,
    threads_option,
)
from wordorder.cli.train.options import check_names


@click.command("translation", cls=GroupedHelp)
@click.argument("source")
@click.argument("target")
@click.option("-o", "--output", metavar="MODEL", required=True, help="Where the model goes.")
@click.option(
    "--alignments",
    metavar="FILE",
    help="Links of SOURCE, as it is, with TARGET. [default: the sentence pairs are aligned]",
)
@click.option(
    "--order",
    metavar="RULES",
    help="Put the source in order first, here and whenever MODEL translates: a set of `wordorder "
    "rules list`, a .toml file, or a learned order. [default: leave it as it is]",
)
@click.option(
    "--parser",
    metavar="MODEL",
    help="What parses the source for --order, here and whenever MODEL translates. [default: that "
    "of a learned order, or en]",
)
@click.option(
    "--lm",
    multiple=True,
    metavar="TEXT",
    help="More text of the target language for the language model; may be given several times.",
)
@click.option(
    "--lm-order",
    type=click.IntRange(1, 6),
    default=4,
    show_default=True,
    metavar="N",
    help="Words of the longest n-grams of the language model.",
)
@click.option(
    "--max-phrase",
    type=click.IntRange(1, 8),
    default=7,
    show_default=True,
    metavar="N",
    help="Words of the longest phrases.",
)
@click.option(
    "--table-limit",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Target phrases that are kept of a source phrase: the most probable ones.",
)
@click.option(
    "--prune",
    metavar="P",
    help="Leave out phrase pairs that meet no more often than by chance: whose p-value in Fisher's "
    "exact test is above P; a+e leaves out pairs of phrases that occur only once, a-e keeps those.",
)
@click.option(
    "--window",
    type=click.IntRange(0),
    default=4,
    show_default=True,
    metavar="N",
    help="How many words MODEL jumps over at most when it translates, unless `wordorder translate` "
    "is told otherwise; 0 keeps the order of the source.",
)
@click.option(
    "--aligner",
    "model",
    default="agreement",
    show_default=True,
    metavar="NAME",
    help="What links the words, as in `wordorder align --model`.",
)
@click.option(
    "--symmetrize",
    default="grow-diag-final-and",
    show_default=True,
    metavar="NAME",
    help="How the links of both directions are joined, as in `wordorder align`.",
)
@click.option(
    "--iterations",
    type=click.IntRange(1),
    metavar="N",
    help="Passes of the aligner over the text. [default: what the aligner is tuned for]",
)
@click.option("--lowercase", is_flag=True, help="Forget case, here and when MODEL translates.")
@alignment_format_option
@one_based_option
@strict_option
@column_option
@threads_option
def command(source: str, target: str, output: str, **options: Any) -> None:
    """Train a phrase-based translator on the sentence pairs of two texts.

    SOURCE and TARGET are tokenised, words are separated by blanks; or .conllu files, whose trees
    are put in order unless --parser is given. The model is a baseline that shows what an order is
    worth in BLEU, not a rival of neural translation.
    """
    from wordorder.report.progress import Progress
    from wordorder.translation.training import summary, train_translation_files

    check_names(output, [source, target, options["alignments"], options["parser"], *options["lm"]])
    with Progress("sentences") as line:
        trained = train_translation_files(source, target, output, progress=line.show, **options)
    for each in summary(trained):
        say(each)
