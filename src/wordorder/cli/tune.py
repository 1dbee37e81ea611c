"""``wordorder tune``: weights of a system from its n-best lists, or of a translation model."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordorder.cli.messages import hint_at_resuming, say, show
from wordorder.cli.options import (
    TUNING_METHODS,
    ManySystems,
    column_option,
    format_option,
    refuse_overwriting,
    seed_option,
    text_options,
    threads_option,
)
from wordorder.errors import UsageError
from wordorder.scoring.files import KINDS

if TYPE_CHECKING:
    from wordorder.training.tuning.tuning import OnTuning

# The options of `score` that say how text is read, but for those that mean nothing here: lists
# have their own alignments, which count from 0.
_TEXT = [
    parameter
    for option in text_options
    for parameter in click.command("text")(option(lambda: None)).params
    if parameter.name not in ("hypothesis_alignments", "one_based", "multiple_roots")
]
_OF_LISTS = {
    *("nbest", "reference", "more", "metric", "settings", "source", "kind", "reranked"),
    *(parameter.name for parameter in _TEXT),
}
# What is for lists that are there already, and what is for a model that makes them.
_NOT_OF_MODELS = {
    *("more", "reranked", "retune", "source", "kind", "moses_features", "moses_scores", "column"),
}
_OF_MODELS = {"rounds", "runs", "kbest", "window", "beam"}


@click.command("tune", cls=ManySystems)
@click.argument("nbest", required=False, metavar="[NBEST|MODEL]")
@click.argument("reference", required=False, metavar="[REFERENCE|SOURCE]")
@click.argument("translations", required=False, metavar="[REFERENCE]")
@click.option("-o", "--output", metavar="WEIGHTS", help="Where the weights go.")
@click.option(
    "-m",
    "--metric",
    default="bleu",
    show_default=True,
    metavar="NAME",
    help='What is made as good as can be: a metric, with options, "cder(penalty=length)", or a '
    'sum, "0.6*cder+0.4*per".',
)
@click.option(
    "-O",
    "--option",
    "settings",
    multiple=True,
    metavar="[METRIC.]KEY=VALUE",
    help="An option of the metric: -O lrscore.alpha=0.3.",
)
@click.option(
    "--method",
    type=click.Choice(TUNING_METHODS),
    help="mert: exact search along lines from several starts; pro: a classifier of pairs; mira: "
    "passes over the sentences, for many features. [default: mert for NBEST, mira for MODEL; with "
    "--resume that of the tuning which goes on]",
)
@click.option(
    "--nbest",
    "more",
    multiple=True,
    metavar="FILE ...",
    help="Lists of further runs; candidates that are equal count once.",
)
@click.option(
    "--start",
    metavar="FILE",
    help="Weights to start from: what -o wrote, or Moses' init.opt, whose second and third line "
    "bound random starts. [default: equal weights]",
)
@click.option(
    "--starts",
    type=click.IntRange(1),
    metavar="N",
    help="From how many points mert starts, random ones after the first. [default: 20]",
)
@click.option(
    "--directions",
    type=click.IntRange(0),
    metavar="N",
    help="In how many random directions mert looks in each step, beside the axes. [default: 8]",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    metavar="N",
    help="How often MODEL decodes and is tuned, at most. [default: 10]",
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    help="Tune MODEL N times, each with the next seed, and show how far the values spread; the "
    "weights of the best run are kept. [default: 1]",
)
@click.option(
    "--kbest",
    type=click.IntRange(1),
    metavar="K",
    help="Candidates of a sentence that MODEL makes in each round. [default: 100]",
)
@click.option(
    "--window",
    type=click.IntRange(0),
    metavar="W",
    help="Words that MODEL may jump over, as in translate. [default: what it was trained with]",
)
@click.option(
    "--beam",
    type=click.IntRange(1),
    metavar="B",
    help="Hypotheses that MODEL keeps for each number of words, as in translate. [default: 40]",
)
@seed_option
@click.option(
    "--confidence",
    is_flag=True,
    help="Add the interval of the tuned value, by bootstrap resampling of the sentences.",
)
@click.option(
    "--resamples",
    type=click.IntRange(1),
    metavar="N",
    help="How many resamples are drawn for --confidence. [default: 1000]",
)
@click.option(
    "--retune",
    type=click.IntRange(1),
    metavar="N",
    help="Tune on N resamples of the sentences too, and show how far each weight spreads.",
)
@click.option(
    "--reranked",
    metavar="FILE",
    help="Where the lists go with the scores of the tuned weights, best candidates first.",
)
@click.option(
    "--moses-features",
    metavar="FILE",
    help="In place of NBEST and REFERENCE: features, as Moses' extractor writes them.",
)
@click.option(
    "--moses-scores",
    metavar="FILE",
    help="BLEU statistics, as Moses' extractor writes them. Needs --moses-features and --start.",
)
@click.option(
    "--resume", is_flag=True, help="Go on from the checkpoint that an interrupted tuning left."
)
@click.option("--restart", is_flag=True, help="Start from scratch even if there is a checkpoint.")
@format_option
@column_option
@threads_option
@click.option(
    "--source",
    metavar="FILE",
    help="The source text, for the alignments in the lists and --reference-alignment.",
)
@click.option(
    "--input",
    "kind",
    type=click.Choice([kind for kind in KINDS if kind in ("auto", "text", "orders")]),
    default="auto",
    show_default=True,
    help="What the candidates are; auto: orders if REFERENCE is an .orders file, else text.",
)
def command(
    nbest: str | None,
    reference: str | None,
    translations: str | None,
    more: tuple[str, ...],
    metric: str,
    settings: tuple[str, ...],
    form: str,
    output: str | None,
    start: str | None,
    confidence: bool,
    resamples: int | None,
    starts: int | None,
    directions: int | None,
    retune: int | None,
    method: str | None,
    reranked: str | None,
    moses_features: str | None,
    moses_scores: str | None,
    rounds: int | None,
    runs: int | None,
    kbest: int | None,
    window: int | None,
    beam: int | None,
    **options: Any,
) -> None:
    """Tune the weights of a system on its n-best lists, or of a translation model.

    NBEST has the candidates of each sentence with their features, as Moses writes them: "0 ||| text
    ||| d= -1 lm= -20.5 ||| score". REFERENCE has a translation a line; or, where the candidates are
    orders, it is an .orders file.

    MODEL SOURCE REFERENCE: a model that `wordorder train translation` wrote translates SOURCE with
    the weights so far, the candidates are merged with those of earlier rounds, and the weights are
    tuned on all of them; again, until nothing gets better. `wordorder translate --weights` reads
    the result.
    """
    if resamples is not None and not confidence:
        raise UsageError("--resamples is for --confidence")
    for option, given in (("--starts", starts), ("--directions", directions)):
        if given is not None and method not in (None, "mert"):
            raise UsageError(f"{option} is for --method=mert")
    for option, path in (("-o", output), ("--reranked", reranked)):
        if path == "-":
            raise UsageError(f"{option} needs the name of a file")
    of_method = ("method", method), ("starts", starts), ("directions", directions)
    tuning: dict[str, Any] = {
        **{name: value for name, value in of_method if value is not None},
        "confidence": 0.95 if confidence else None,
        "resamples": resamples or 1000,
        "retune": retune or 0,
        "output": output,
        **{name: options.pop(name) for name in ("seed", "resume", "restart")},
    }
    inputs = [nbest, reference, translations, *more, start, moses_features, moses_scores]
    if inputs.count("-") > 1:
        raise UsageError('only one input can be standard input ("-")')
    inputs += [options["source"], *options["references"], *options["reference_alignments"]]
    refuse_overwriting(output, inputs)
    refuse_overwriting(reranked, inputs)
    with hint_at_resuming(output, "goes on from what is done"), _told() as tuning["progress"]:
        if translations is not None:
            _refuse(_NOT_OF_MODELS, "is for n-best lists; MODEL makes its own")
            del tuning["retune"], options["kind"], options["source"]
            of_model = {"rounds": rounds, "runs": runs, "kbest": kbest, "beam": beam}
            _tune_model(
                nbest,
                reference,
                [translations, *options.pop("references")],
                metric,
                form,
                settings=settings,
                start=start,
                window=window,
                **{name: value for name, value in of_model.items() if value is not None},
                **options,
                **tuning,
            )
            return
        _refuse(_OF_MODELS, "is for a translation model: MODEL SOURCE REFERENCE")
        if moses_features or moses_scores:
            _refuse(_OF_LISTS, "is for n-best lists; --moses-features has its own statistics")
            if not (moses_features and moses_scores and start):
                raise UsageError("--moses-features, --moses-scores and --start need each other")
            from wordorder.training.tuning.moses import tune_moses_files

            found = tune_moses_files(moses_features, moses_scores, start, **tuning)
        elif nbest is None or reference is None:
            raise UsageError("expected NBEST and REFERENCE, or --moses-features")
        else:
            from wordorder.training.tuning.tuning import tune_files

            found = tune_files(
                [nbest, *more],
                reference,
                metric,
                settings=settings,
                start=start,
                reranked=reranked,
                **options,
                **tuning,
            )
    from wordorder.report.tuning_table import tuning_output

    show(tuning_output(found, brief=moses_features is not None), form)


command.params += _TEXT


def _tune_model(*files: Any, **options: Any) -> None:
    """Tune a translation model, tell of each round, and print the result."""
    *names, form = files
    from wordorder.report.tuning_table import round_line, rounds_output
    from wordorder.training.tuning.weights_file import Round
    from wordorder.translation.tuning import tune_translation

    several = options.get("runs", 1) > 1

    def after(run: int, made: Round) -> None:
        say(round_line(made, run if several else None))

    found = tune_translation(*names, after=after, **options)
    show(rounds_output(found), form)


def _refuse(names: set[str], why: str) -> None:
    """Refuse what is for another kind of input."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(str(parameter.name))
        given = ctx.params.get(str(parameter.name)) is not None
        if parameter.name in names and given and source is ParameterSource.COMMANDLINE:
            named = isinstance(parameter, click.Option)
            name = parameter.opts[0] if named else str(parameter.name).upper()
            raise UsageError(f"{name} {why}")


@contextmanager
def _told() -> Iterator[OnTuning]:
    """Show how far the work is, on a terminal."""
    from wordorder.report.progress import Progress

    lines: dict[str, Progress] = {}
    with ExitStack() as stack:

        def told(work: str, done: int, total: int) -> None:
            if work not in lines:
                lines[work] = stack.enter_context(Progress(work))
            lines[work].show("", done, total)

        yield told
