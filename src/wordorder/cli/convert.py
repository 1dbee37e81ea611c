"""``wordorder convert``: dependencies of trees in brackets."""

from __future__ import annotations

import click

from wordorder.cli.messages import say
from wordorder.cli.systems import refuse_overwriting
from wordorder.errors import UsageError


@click.command("convert")
@click.argument("trees", nargs=-1, required=True, metavar="TREES...")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    default="-",
    help="Where the CoNLL-U goes. [default: stdout]",
)
@click.option(
    "--heads",
    type=click.Choice(["stanford", "surface"]),
    default="stanford",
    show_default=True,
    help="stanford: main verbs and predicates are heads, with the labels of Stanford "
    "Dependencies; surface: auxiliaries, copulas and conjunctions are heads, without labels.",
)
def command(trees: tuple[str, ...], output: str, heads: str) -> None:
    """Convert phrase structure trees to dependency trees.

    TREES are files of trees in brackets, as the Penn Treebank (.mrg) and constituency parsers
    write them. The result is CoNLL-U, which all other commands read; --rules R5-sd reorders trees
    with Stanford labels.

    \b
    Example: wordorder convert wsj_*.mrg -o wsj.conllu
    """
    from wordorder.counts import counted
    from wordorder.report.progress import Progress
    from wordorder.treebank.brackets.convert_files import convert_files

    if trees.count("-") > 1:
        raise UsageError('standard input ("-") is listed twice')
    refuse_overwriting(None if output == "-" else output, trees)
    with Progress("sentences") as progress:
        done = convert_files(trees, output, heads=heads, progress=progress)
    say(f"{counted(done.sentences, 'sentence')}, {counted(done.words, 'word')}")
