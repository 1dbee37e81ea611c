"""``wordorder align``: word alignments of two texts."""

from typing import Any

import click

from wordorder.cli.command import check_files, named_command, option, setting, title
from wordorder.cli.messages import print_message
from wordorder.cli.options import (
    Engine,
    column_option,
    engine_options,
    run_or_distribute,
    threads_option,
)
from wordorder.errors import UsageError
from wordorder.messages import counted

SYMMETRIZATIONS = (
    *("grow-diag-final-and", "grow-diag-final", "grow-diag", "grow", "intersection", "union"),
    *("forward", "backward"),
)


@named_command(
    "align",
    example="wordorder align source.txt target.txt -o links.align",
    usual="output model symmetrize format lowercase save load threads",
)
@click.argument("source")
@click.argument("target")
@title("Model")
@option("--model NAME", "agreement (the best), hmm, or ibm1 (the fastest). [default: agreement]")
@option(
    "--symmetrize",
    "How the links of both directions are combined; forward: at most one link per target word, "
    "backward: per source word.",
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
    "Format of the links.",
    name="format",
    default="pharaoh",
)
@option("--scores", "Write the probability of each link, i-j:0.93.")
@option("--min-score X", "Keep links of at least this score.", type=click.FloatRange(0, 1))
@setting("--iterations N", "Passes over the text. [default: depends on --model]", min_value=1)
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

    SOURCE and TARGET are tokenised texts, or .conllu files. The model is trained on these lines, so
    more of them give better links. An empty line has no links.
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
    summary = run_or_distribute(engine, "align", align_with_options, options, AlignedFiles)
    if summary is None:
        return
    print_message(
        f"{counted(summary.sentence_pairs, 'sentence pair')}, "
        f"{counted(summary.links, 'link')}, {counted(summary.without_links, 'pair')} without one"
    )
