"""``wordorder parse``: dependency trees of a text."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.engine_options import Engine, engine_options, write_or_plan
from wordorder.cli.help import GroupedHelp
from wordorder.cli.sentences import check_paths, sentence_options


@click.command("parse", cls=GroupedHelp)
@sentence_options
@engine_options
@click.option(
    "--beam",
    type=click.IntRange(1),
    metavar="B",
    help="How many partial trees a transition parser keeps. [default: as it was trained]",
)
@click.option(
    "--kbest",
    type=click.IntRange(1),
    metavar="K",
    help="Up to K distinct trees a sentence, best first, each with its score.",
)
@click.option(
    "--kbest-tags",
    type=click.IntRange(1),
    metavar="N",
    help="Parse the N best tag sequences of a sentence: the best tree over all of them, or with "
    "--kbest a list whose trees differ in tags too.",
)
@click.option(
    "--tags",
    type=click.Choice(["auto", "keep", "predict"]),
    default="auto",
    show_default=True,
    help="auto: tags that IN has stay if they are tags of MODEL, others are predicted; keep: none "
    "is predicted; predict: all are.",
)
@click.option("--tagger", metavar="MODEL", help="Whose tagger predicts. [default: that of MODEL]")
def command(
    engine: Engine | None,
    model: str,
    source: str,
    output: str,
    kind: str,
    tokenize: bool,
    beam: int | None,
    kbest: int | None,
    kbest_tags: int | None,
    tags: str,
    tagger: str | None,
) -> None:
    """Parse the sentences of a text.

    MODEL is a file that `wordorder train parser` wrote; en, the English model that comes with the
    package; or udpipe:FILE, spacy:NAME, stanza:LANG for a parser of another package. IN is
    CoNLL-U, whose trees are replaced, or text, a sentence a line; standard input unless it is
    named. The result is CoNLL-U.
    """
    from wordorder.parsing.parsing_files import parse_files
    from wordorder.report.progress import Progress, about_how_many
    from wordorder.text.treebank_names import is_treebank

    check_paths(output, source, model, tagger)
    with Progress("sentences", about_how_many(source, treebank=is_treebank(source))) as progress:
        options: dict[str, Any] = {
            "model": model,
            "source": source,
            "output": output,
            "kind": kind,
            "tokenize": tokenize,
            "beam": beam,
            "kbest": kbest,
            "kbest_tags": kbest_tags,
            "tags": tags,
            "tagger": tagger,
        }
        if engine is None:
            parse_files(**options, progress=progress)
        else:
            write_or_plan(engine, "parse", options, progress)
