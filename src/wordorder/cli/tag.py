"""``wordorder tag``: tags for the words of a text."""

from __future__ import annotations

import click

from wordorder.cli.sentences import check_paths, sentence_options


@click.command("tag")
@sentence_options
@click.option(
    "--kbest",
    type=click.IntRange(1),
    metavar="K",
    help="Up to K sequences of tags a sentence, best first, each with its score.",
)
@click.option(
    "--tags",
    type=click.Choice(["predict", "auto"]),
    default="predict",
    show_default=True,
    help="predict: all tags, whatever IN has; auto: only those that IN lacks, so that they go with "
    "those that it has.",
)
def command(
    model: str,
    source: str,
    output: str,
    kind: str,
    tokenize: bool,
    kbest: int | None,
    tags: str,
) -> None:
    """Tag the words of a text.

    MODEL is a file that `wordorder train` wrote; en, the English model that comes with the
    package; or udpipe:FILE for a tagger of another package. IN is CoNLL-U, whose tags are
    replaced (see --tags), or text, a sentence a line; standard input unless it is named. The
    result is CoNLL-U.
    """
    from wordorder.parsing.tagging_files import tag_files
    from wordorder.report.progress import Progress, about_how_many
    from wordorder.text.treebank_names import is_treebank

    check_paths(output, source, model)
    with Progress("sentences", about_how_many(source, treebank=is_treebank(source))) as progress:
        tag_files(
            model,
            source,
            output,
            kind=kind,
            tokenize=tokenize,
            kbest=kbest,
            tags=tags,
            progress=progress,
        )
