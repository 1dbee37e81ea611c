"""``wordorder translate``: text translated by a phrase-based model."""

from __future__ import annotations

import click

from wordorder.cli.help import GroupedHelp
from wordorder.cli.options import column_option, refuse_overwriting, threads_option


@click.command("translate", cls=GroupedHelp)
@click.argument("model")
@click.argument("source", metavar="[IN]", default="-")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="Where the translations go. [default: stdout]",
)
@click.option(
    "--window",
    type=click.IntRange(0),
    metavar="N",
    help="How many words may be jumped over between two phrases; 0 keeps the order of the source, "
    "more than 63 count as 63. [default: what MODEL was trained with]",
)
@click.option(
    "--beam",
    type=click.IntRange(1),
    default=40,
    show_default=True,
    metavar="B",
    help="Hypotheses that are kept for each number of translated words.",
)
@click.option(
    "--weights",
    metavar="FILE",
    help="Weights of the features, as `wordorder tune -o` writes them. [default: those in MODEL]",
)
@click.option(
    "--nbest",
    type=click.IntRange(1, 10_000),
    metavar="K",
    help="Write up to K translations of each sentence, all different, with their features, in "
    "Moses' notation.",
)
@click.option(
    "--nbest-output",
    metavar="FILE",
    help="Write these lists to FILE, and the best translations to the output as without --nbest.",
)
@click.option(
    "--alignment-output",
    metavar="FILE",
    help="Write the links between the words of IN, in their original order, and those of the best "
    "translation: 0-0 1-2.",
)
@column_option
@threads_option
def command(
    model: str,
    source: str,
    output: str,
    window: int | None,
    beam: int,
    weights: str | None,
    nbest: int | None,
    nbest_output: str | None,
    alignment_output: str | None,
) -> None:
    """Translate text by a phrase-based model.

    MODEL is a file that `wordorder train translation` wrote; if it was trained on reordered text,
    the words of IN are put in order first. IN is text, a sentence a line, words separated by
    blanks; standard input unless it is named. A baseline to compare word orders by, not a rival of
    neural translation.
    """
    from wordorder.errors import UsageError
    from wordorder.report.progress import Progress, about_how_many
    from wordorder.text.names import is_treebank
    from wordorder.translation.translating import translate_files

    if nbest_output is not None and nbest is None:
        raise UsageError("--nbest-output is for lists: --nbest K says how many translations")
    for path in (output, nbest_output, alignment_output):
        refuse_overwriting(None if path == "-" else path, (model, source, weights))
    with Progress("sentences", about_how_many(source, treebank=is_treebank(source))) as progress:
        translate_files(
            model,
            source,
            output,
            weights=weights,
            window=window,
            beam=beam,
            nbest=nbest,
            nbest_output=nbest_output,
            alignment_output=alignment_output,
            progress=progress,
        )
