"""``wordorder train translation``."""

from typing import Any

import click

from wordorder.cli.command import option, refuse, setting, title, verb
from wordorder.cli.messages import say
from wordorder.cli.options import column_option, counting_option, notation_options, threads_option
from wordorder.cli.train.options import check_names


@verb(
    "translation",
    example="wordorder train translation source.txt target.txt -o my.model",
    usual="output alignments rules parser lm window aligner lowercase option",
)
@click.argument("source")
@click.argument("target")
@title("Results")
@option("-o --output MODEL", "Where the model goes.", required=True)
@title("Alignments and reference orders")
@option(
    "--alignments FILE",
    "Links of SOURCE, as it is, with TARGET. [default: the sentence pairs are aligned]",
)
@title("Systems and files")
@option(
    "--rules RULES",
    "Put the source in order first, here and whenever MODEL translates: a set of `wordorder "
    "rules list`, a .toml file, or a learned order. [default: leave it as it is]",
    name="order",
)
@option(
    "--parser MODEL",
    "What parses the source for --rules, here and whenever MODEL translates. [default: that "
    "of a learned order, or en]",
)
@option(
    "--lm TEXT",
    "More text of the target language for the language model; may be given several times.",
    multiple=True,
)
@setting(
    "--lm-order N",
    "Words of the longest n-grams of the language model.",
    least=1,
    most=6,
    default=4,
)
@setting("--max-phrase N", "Words of the longest phrases.", least=1, most=8, default=7)
@setting(
    "--table-limit N",
    "Target phrases that are kept of a source phrase: the most probable ones.",
    least=1,
    default=20,
)
@setting(
    "--prune P",
    "Leave out phrase pairs that co-occur no more often than by chance: whose p-value in Fisher's "
    "exact test is above P; a+e leaves out pairs of phrases that occur only once, a-e keeps those.",
)
@title("Model")
@option(
    "--window N",
    "How many words MODEL jumps over at most when it translates, unless `wordorder translate` "
    "is told otherwise; 0 keeps the order of the source.",
    least=0,
    default=4,
)
@option(
    "--reordering {msd,maxent}",
    "What scores the reordering of phrases: msd counts monotone, swapped and discontinuous "
    "phrases; maxent learns from the words where a phrase ends whether the next one is to its "
    "right or to its left.",
    default="msd",
)
@setting("--seed N", "The seed of the random choices of --reordering maxent.", least=0, default=0)
@option(
    "--aligner NAME",
    "What links the words, as in `wordorder align --model`.",
    name="model",
    default="agreement",
)
@option(
    "--symmetrize NAME",
    "How the links of both directions are joined, as in `wordorder align`.",
    default="grow-diag-final-and",
)
@setting(
    "--iterations N",
    "Passes of the aligner over the text. [default: what the aligner is tuned for]",
    least=1,
)
@title("Systems and files")
@option("--lowercase", "Ignore case, here and when MODEL translates.")
@notation_options
@counting_option
@column_option
@threads_option
def translation_command(source: str, target: str, output: str, **options: Any) -> None:
    """Train a phrase-based translator on the sentence pairs of two texts.

    SOURCE and TARGET are tokenised, words are separated by blanks; or .conllu files, whose trees
    are put in order unless --parser is given. The model is a baseline that shows what an order is
    worth in BLEU, not a rival of neural translation.
    """
    from wordorder.translation.training import summary, train_translation_files

    if options["reordering"] != "maxent":
        refuse(["seed"], "is for --reordering maxent")
    check_names(output, [source, target, options["alignments"], options["parser"], *options["lm"]])
    trained = train_translation_files(source, target, output, **options)
    for line in summary(trained):
        say(line)
