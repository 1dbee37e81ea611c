"""``wordorder align``: word alignments of two texts."""

from __future__ import annotations

from typing import Any

import click

from wordorder.cli.command import check_files, option, setting, verb
from wordorder.cli.messages import say
from wordorder.cli.options import Engine, column_option, engine_options, share_out, threads_option


@verb("align")
@click.argument("source")
@click.argument("target")
@option("--model", "NAME", "agreement: the best; hmm; ibm1: the fastest. [default: agreement]")
@option(
    "--symmetrize",
    [
        "grow-diag-final-and",
        "grow-diag-final",
        "grow-diag",
        "grow",
        "intersection",
        "union",
        "forward",
        "backward",
    ],
    "How the links of both directions are joined; forward: every target word is linked at "
    "most once, backward: every source word.",
    default="grow-diag-final-and",
)
@option("-o --output", "FILE", "Where the links go. [default: stdout]")
@option("--save", "FILE", "Keep the trained model.")
@option("--load", "FILE", "Use a kept model instead of training one.")
@option("--lowercase", None, "Forget case first; a kept model remembers it.")
@option(
    "--format",
    ["pharaoh", "pharaoh-reversed", "talbot", "lader", "naacl", "giza"],
    "How the links are written.",
    name="notation",
    default="pharaoh",
)
@option("--scores", None, "Write how probably each link is right, i-j:0.93.")
@option("--min-score", "X", "Keep the links with this score or more.", type=click.FloatRange(0, 1))
@setting(
    "--iterations", "N", "Passes over the text. [default: what the model is tuned for]", least=1
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
    scores: bool,
    min_score: float | None,
    iterations: int | None,
) -> None:
    """Link the words of two texts, line by line.

    SOURCE and TARGET are tokenised, words are separated by blanks; or .conllu files. The model is
    trained on these very lines, so more of them give better links. An empty line has no links.
    """
    from wordorder.alignment.align import AlignedFiles, align_files
    from wordorder.counts import counted
    from wordorder.errors import UsageError

    if load is not None and (model or iterations or save):
        raise UsageError("--load uses a model as it is, without --model, --iterations or --save")
    if load == "-":
        raise UsageError("--load needs the name of a file")
    if save == "-":
        raise UsageError("--save needs the name of a file")
    check_files([source, target, load], output)
    check_files([source, target], save)
    if save is not None and save == output:
        raise UsageError("--save and -o are one file; give them two names")
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
        "scores": scores,
        "min_score": min_score,
    }
    done = share_out(engine, "align", align_files, options, AlignedFiles)
    if done is None:
        return
    say(
        f"{counted(done.sentence_pairs, 'sentence pair')}, "
        f"{counted(done.links, 'link')}, {counted(done.without_links, 'pair')} without one"
    )
