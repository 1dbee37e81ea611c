"""``wordorder translate``: text translated by a phrase-based model."""

from typing import Any

import click

from wordorder.cli.command import check_files, named_command, option, refuse, title
from wordorder.cli.options import column_option, output_option, threads_option


@named_command("translate", example="wordorder translate my.model source.txt -o translations.txt")
@click.argument("model")
@click.argument("source", metavar="[IN]", default="-")
@output_option
@title("Model")
@option(
    "--window N",
    "Words that may be jumped over between two phrases; 0 keeps the order of the source, more "
    "than 63 count as 63. [default: as in the training of MODEL]",
    min_value=0,
)
@option(
    "--beam B",
    "Hypotheses that are kept for each number of translated words.",
    min_value=1,
    default=40,
)
@option(
    "--weights FILE",
    "Weights of the features, as `wordorder tune -o` writes them. [default: those in MODEL]",
)
@title("Results")
@option(
    "--kbest K",
    "Write up to K distinct translations of each sentence with their features, in Moses' notation.",
    name="nbest",
    min_value=1,
    max_value=10_000,
)
@option(
    "--kbest-output FILE",
    "Write these lists to FILE, and the best translations to the output.",
    name="nbest_output",
)
@option(
    "--alignment-output FILE",
    "Write the links between the words of IN, in their original order, and those of the best "
    "translation: 0-0 1-2.",
)
@column_option
@threads_option
def command(model: str, source: str, output: str, weights: str | None, **options: Any) -> None:
    """Translate text by a phrase-based model.

    MODEL is a file of `wordorder train translation`; if it was trained on reordered text, the words
    of IN are reordered first. IN is tokenised text, one sentence per line; by default standard
    input. The model is a baseline for comparing word orders, not a rival of neural translation.
    """
    from wordorder.translation.translating import translate_files

    if options["nbest"] is None:
        refuse(["nbest_output"], "is for lists: --kbest K says how many translations")
    outputs = (output, options["nbest_output"], options["alignment_output"])
    check_files([model, source, weights], *outputs)
    translate_files(model, source, output, weights=weights, **options)
