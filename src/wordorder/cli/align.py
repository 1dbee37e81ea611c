"""``wordorder align``: word alignments of two texts."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.engine_options import Engine, engine_options, write_or_plan
from wordorder.cli.help import GroupedHelp
from wordorder.cli.messages import say
from wordorder.cli.options import column_option, refuse_overwriting, threads_option


@click.command("align", cls=GroupedHelp)
@click.argument("source")
@click.argument("target")
@click.option(
    "--model",
    metavar="NAME",
    help="agreement: the best; hmm; ibm1: the fastest. [default: agreement]",
)
@click.option(
    "--symmetrize",
    type=click.Choice(
        [
            "grow-diag-final-and",
            "grow-diag-final",
            "grow-diag",
            "grow",
            "intersection",
            "union",
            "forward",
            "backward",
        ]
    ),
    default="grow-diag-final-and",
    show_default=True,
    help="How the links of both directions are joined; forward: every target word is linked at "
    "most once, backward: every source word.",
)
@click.option("-o", "--output", metavar="FILE", help="Where the links go. [default: stdout]")
@click.option("--save", metavar="FILE", help="Keep the trained model.")
@click.option("--load", metavar="FILE", help="Use a kept model instead of training one.")
@click.option("--lowercase", is_flag=True, help="Forget case first; a kept model remembers it.")
@click.option(
    "--format",
    "notation",
    type=click.Choice(["pharaoh", "pharaoh-reversed", "talbot", "lader", "naacl", "giza"]),
    default="pharaoh",
    show_default=True,
    help="How the links are written.",
)
@click.option(
    "--iterations",
    type=click.IntRange(1),
    metavar="N",
    help="Passes over the text. [default: what the model is tuned for]",
)
@engine_options
@column_option
@threads_option
def command(
    engine: Engine | None,
    source: str,
    target: str,
    model: str | None,
    symmetrize: str,
    output: str | None,
    save: str | None,
    load: str | None,
    lowercase: bool,
    notation: str,
    iterations: int | None,
) -> None:
    """Link the words of two texts, line by line.

    SOURCE and TARGET are tokenised, words are separated by blanks; or .conllu files. The model is
    trained on these very lines, so more of them give better links. An empty line has no links.
    """
    from wordorder.alignment.align import AlignedFiles, align_files
    from wordorder.counts import counted
    from wordorder.errors import UsageError
    from wordorder.report.progress import Progress

    if load is not None and (model or iterations or save):
        raise UsageError("--load uses a model as it is, without --model, --iterations or --save")
    if source == target == "-":
        raise UsageError('only one input can be standard input ("-")')
    if load == "-":
        raise UsageError("--load needs the name of a file")
    if save == "-":
        raise UsageError("--save needs the name of a file")
    refuse_overwriting(output, (source, target, load))
    refuse_overwriting(save, (source, target))
    if save is not None and save == output:
        raise UsageError("--save and -o are one file; give them two names")
    with Progress("sentence pairs, all passes together") as progress:
        options: dict[str, Any] = {
            "source": source,
            "target": target,
            "output": "-" if output is None else output,
            "model": model or "agreement",
            "symmetrize": symmetrize,
            "iterations": iterations,
            "lowercase": lowercase,
            "save": save,
            "load": load,
            "format": notation,
        }
        if engine is None:
            done = align_files(**options, progress=progress)
        else:
            counts = write_or_plan(engine, "align", options, progress)
            if counts is None:
                return
            done = AlignedFiles(**counts)
    say(
        f"{counted(done.sentence_pairs, 'sentence pair')}, "
        f"{counted(done.links, 'link')}, {counted(done.without_links, 'pair')} without one"
    )
