"""``wordorder align``: word alignments of two texts."""

from typing import Any

import click

from wordorder.cli.command import check_files, option, setting, title, verb
from wordorder.cli.messages import say
from wordorder.cli.options import Engine, column_option, engine_options, share_out, threads_option
from wordorder.errors import UsageError
from wordorder.messages import counted

SYMMETRIZATIONS = (
    *("grow-diag-final-and", "grow-diag-final", "grow-diag", "grow", "intersection", "union"),
    *("forward", "backward"),
)


@verb(
    "align",
    example="wordorder align source.txt target.txt -o links.align",
    usual="output model symmetrize format lowercase save load threads",
)
@click.argument("source")
@click.argument("target")
@title("Model")
@option("--model NAME", "agreement: the best; hmm; ibm1: the fastest. [default: agreement]")
@option(
    "--symmetrize",
    "How the links of both directions are joined; forward: every target word is linked at "
    "most once, backward: every source word.",
    choices=SYMMETRIZATIONS,
    default="grow-diag-final-and",
)
@title("Results")
@option("-o --output FILE", "Where the links go. [default: stdout]")
@option("--save FILE", "Write the trained model to FILE.")
@option("--load FILE", "Use the model of --save instead of training one.")
@title("Systems and files")
@option("--lowercase", "Ignore case; a saved model does so too.")
@title("Results")
@option(
    "--format {pharaoh,pharaoh-reversed,talbot,lader,naacl}",
    "How the links are written.",
    name="format",
    default="pharaoh",
)
@option("--scores", "Write the probability that each link is right, i-j:0.93.")
@option("--min-score X", "Keep the links with this score or more.", type=click.FloatRange(0, 1))
@setting("--iterations N", "Passes over the text. [default: depends on --model]", least=1)
@engine_options
@column_option
@threads_option
def command(
    engine: Engine | None,
    source: str,
    target: str,
    model: str | None,
    output: str | None,
    save: str | None,
    load: str | None,
    **options: Any,
) -> None:
    """Link the words of two texts, line by line.

    SOURCE and TARGET are tokenised, words are separated by blanks; or .conllu files. The model is
    trained on these very lines, so more of them give better links. An empty line has no links.
    """
    from wordorder.alignment.statistical.align import AlignedFiles, align_with_options

    if load is not None and (model or options["iterations"] or save):
        raise UsageError("--load uses a model as it is, without --model, --iterations or --save")
    if "-" in (load, save):
        raise UsageError(f"--{'load' if load == '-' else 'save'} needs the name of a file")
    check_files([source, target, load], output)
    check_files([source, target], save)
    if save is not None and save == output:
        raise UsageError("--save and -o are one file; give them two names")
    options |= {"source": source, "target": target, "output": "-" if output is None else output}
    options |= {"model": model or "agreement", "save": save, "load": load}
    done = share_out(engine, "align", align_with_options, options, AlignedFiles)
    if done is None:
        return
    say(
        f"{counted(done.sentence_pairs, 'sentence pair')}, "
        f"{counted(done.links, 'link')}, {counted(done.without_links, 'pair')} without one"
    )
