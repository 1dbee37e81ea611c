"""``wordorder train translation``."""

from typing import Any

import click

from wordorder.cli.command import named_command, option, refuse, setting, title
from wordorder.cli.messages import print_message
from wordorder.cli.options import column_option, counting_option, notation_options, threads_option
from wordorder.cli.train.options import check_output_name


@named_command(
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
    "Links of SOURCE, before reordering, with TARGET. [default: the sentence pairs are aligned]",
)
@title("Systems and files")
@option(
    "--rules RULES",
    "Rules that reorder the source, here and whenever MODEL translates: a set of `wordorder rules "
    "list`, a .toml file, or a learned order. [default: none]",
    name="order",
)
@option(
    "--parser MODEL",
    "The parser of the source for --rules, here and whenever MODEL translates. [default: that of a "
    "learned order, or en]",
)
@option(
    "--lm TEXT",
    "More text of the target language for the language model; may be repeated.",
    multiple=True,
)
@setting(
    "--lm-order N",
    "Order of the language model.",
    min_value=1,
    max_value=6,
    default=4,
)
@setting("--max-phrase N", "Words of the longest phrases.", min_value=1, max_value=8, default=7)
@setting(
    "--table-limit N",
    "Target phrases to keep per source phrase, the most probable ones.",
    min_value=1,
    default=20,
)
@setting(
    "--prune P",
    "Leave out phrase pairs that may co-occur by chance: those with a p-value above P in Fisher's "
    "exact test; a+e leaves out pairs whose phrases occur only once, a-e keeps these.",
)
@title("Model")
@option(
    "--window N",
    "Maximum number of words that MODEL jumps over in translation, unless `wordorder translate "
    "--window` is given; 0 keeps the order of the source.",
    min_value=0,
    default=4,
)
@option(
    "--reordering {msd,maxent}",
    "Model of the reordering of phrases: msd counts monotone, swapped and discontinuous phrases; "
    "maxent learns from the words at the end of a phrase whether the next one is to the right or "
    "to the left.",
    default="msd",
)
@setting(
    "--seed N", "The seed of the random choices of --reordering maxent.", min_value=0, default=0
)
@option(
    "--aligner NAME",
    "The aligner, as in `wordorder align --model`.",
    name="model",
    default="agreement",
)
@option(
    "--symmetrize NAME",
    "How the links of both directions are combined, as in `wordorder align`.",
    default="grow-diag-final-and",
)
@setting(
    "--iterations N",
    "Passes of the aligner over the text. [default: depends on --aligner]",
    min_value=1,
)
@title("Systems and files")
@option("--lowercase", "Ignore case, here and when MODEL translates.")
@notation_options
@counting_option
@column_option
@threads_option
def translation_command(source: str, target: str, output: str, **options: Any) -> None:
    """Train a phrase-based translator on the sentence pairs of two texts.

    SOURCE and TARGET are tokenised texts, or .conllu files, whose trees are used for --rules unless
    --parser is given. The model is a baseline that shows the effect of word order on BLEU, not a
    rival of neural translation.
    """
    from wordorder.translation.training import summary, train_translation_files

    if options["reordering"] != "maxent":
        refuse(["seed"], "is for --reordering maxent")
    check_output_name(
        output, [source, target, options["alignments"], options["parser"], *options["lm"]]
    )
    trained = train_translation_files(source, target, output, **options)
    for line in summary(trained):
        print_message(line)
