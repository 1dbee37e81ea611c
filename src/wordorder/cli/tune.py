"""``wordorder tune``: weights of a system from its n-best lists, or of a translation model."""

from collections.abc import Iterable
from typing import Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import (
    check_files,
    declared_options,
    named_command,
    option,
    refuse,
    setting,
    title,
)
from wordorder.cli.messages import hint_at_resuming, print_message, print_result
from wordorder.errors import UsageError
from wordorder.options import FileOptions, options_of

# Parameters for n-best lists only, refused for a translation model, and for such a model only.
_NBEST_OPTIONS = (
    *("nbest", "reference", "further_lists", "metric", "settings", "reranked"),
    *options_of(FileOptions),
)
_REFUSED_FOR_MODELS = (
    "further_lists reranked retune source kind moses_features moses_scores column".split()
)
_MODEL_OPTIONS = ("rounds", "runs", "kbest", "window", "beam")


@named_command(
    "tune",
    example="wordorder tune lists.txt reference.txt -m bleu -o weights.txt",
    usual="output metrics option method start nbest reference tokenizer lowercase seed "
    "confidence reranked resume format",
)
@click.argument("nbest", required=False, metavar="[NBEST|MODEL]")
@click.argument("reference", required=False, metavar="[REFERENCE|SOURCE]")
@click.argument("translations", required=False, metavar="[REFERENCE]")
@title("Results")
@option("-o --output WEIGHTS", "Where the weights go.")
@title("Metrics")
@option(
    "-m --metrics NAME",
    'The metric to optimise, with options, "cder(penalty=length)", or a sum, "0.6*cder+0.4*per".',
    name="metric",
    default="bleu",
)
@shared.metric_option
@option(
    "--method {mert,mira}",
    "mert: exact search along lines from several starts; mira: "
    "passes over the sentences, for many features. [default: mert for NBEST, mira for MODEL; with "
    "--resume that of the interrupted run]",
)
@title("Systems and files")
@option(
    "--nbest FILE ...", "Lists of further runs; equal candidates count once.", name="further_lists"
)
@option(
    "--start FILE",
    "Weights to start from: a file of -o, or Moses' init.opt, whose second and third line bound "
    "random starts. [default: equal weights]",
)
@setting(
    "--points N",
    "Number of points from which mert starts: --start and random ones. [default: 20]",
    name="starts",
    min_value=1,
)
@setting(
    "--directions N",
    "Number of random directions that mert searches in each step, besides the axes. [default: 8]",
    min_value=0,
)
@setting("--rounds N", "Rounds of decoding and tuning, at most. [default: 10]", min_value=1)
@setting(
    "--runs N",
    "Tune MODEL N times with different seeds, and show how far the values spread; the weights of "
    "the best run are kept. [default: 1]",
    min_value=1,
)
@setting(
    "--kbest K",
    "Candidates per sentence that MODEL makes in each round. [default: 100]",
    min_value=1,
)
@setting(
    "--window W",
    "Words that MODEL may jump over, as in translate. [default: as in its training]",
    min_value=0,
)
@setting(
    "--beam B",
    "Hypotheses that MODEL keeps for each number of words, as in translate. [default: 40]",
    min_value=1,
)
@shared.seed_option
@title("Intervals and tests")
@option(
    "--confidence", "Add the interval of the tuned value, by bootstrap resampling of the sentences."
)
@option(
    "--resamples N", "How many resamples are drawn for --confidence. [default: 1000]", min_value=1
)
@setting(
    "--retune N",
    "Tune on N resamples of the sentences too, and show how far each weight spreads.",
    min_value=1,
)
@title("Learning")
@option(
    "--reranked FILE",
    "Write the lists with the scores of the tuned weights, best candidates first.",
)
@setting(
    "--moses-features FILE",
    "In place of NBEST and REFERENCE: features, as Moses' extractor writes them.",
)
@setting(
    "--moses-scores FILE",
    "BLEU statistics, as Moses' extractor writes them. Needs -O moses-features and --start.",
)
@shared.resume_options
@shared.form_option
@shared.column_option
@shared.threads_option
@declared_options(
    FileOptions,
    source={"help": "The source text, for the alignments in the lists and --reference-alignments."},
    kind={
        "help": "Content of the lists; auto: orders if REFERENCE is an .orders file, else text.",
        "choices": ("auto", "orders", "text"),
    },
    hypothesis_alignments=None,
    one_based=None,
    multiple_roots=None,
)
def command(
    nbest: str | None,
    reference: str | None,
    translations: str | None,
    further_lists: tuple[str, ...],
    metric: str,
    form: str,
    output: str | None,
    start: str | None,
    confidence: bool,
    resamples: int | None,
    retune: int | None,
    reranked: str | None,
    moses_features: str | None,
    moses_scores: str | None,
    **options: Any,
) -> None:
    """Tune the weights of a system on its n-best lists, or of a translation model.

    NBEST has the candidates of each sentence with their features, as Moses writes them: "0 ||| text
    ||| d= -1 lm= -20.5 ||| score". REFERENCE has one translation per line; for candidates that are
    orders it is an .orders file.

    MODEL SOURCE REFERENCE: in each round, a model of `wordorder train translation` translates
    SOURCE with the current weights, its candidates are added to those of earlier rounds, and the
    weights are tuned on all of them, until they no longer improve. `wordorder translate --weights`
    reads the result.
    """
    if not confidence:
        refuse(["resamples"], "is for --confidence")
    if options["method"] not in (None, "mert"):
        refuse(("starts", "directions"), "is for --method mert")
    if "-" in (output, reranked):
        raise UsageError(f"{'-o' if output == '-' else '--reranked'} needs the name of a file")
    model_options = _pop_options(options, _MODEL_OPTIONS)
    tuning: dict[str, Any] = {
        **_pop_options(options, ("method", "starts", "directions")),
        "confidence": 0.95 if confidence else None,
        "resamples": resamples or 1000,
        "retune": retune or 0,
        "output": output,
        **{name: options.pop(name) for name in ("seed", "resume", "restart")},
    }
    inputs = [nbest, reference, translations, *further_lists, start, moses_features, moses_scores]
    inputs += [options["source"], *options["references"], *options["reference_alignments"]]
    check_files(inputs, output, reranked)
    with hint_at_resuming(output, "continues from the finished part"):
        if translations is not None:
            refuse(_REFUSED_FOR_MODELS, "is for n-best lists; MODEL makes its own")
            del tuning["retune"], options["kind"], options["source"]
            references = [translations, *options.pop("references")]
            tuning |= {"start": start, **model_options, **options}
            _tune_model(nbest, reference, references, metric, form, **tuning)
            return
        refuse(_MODEL_OPTIONS, "is for a translation model: MODEL SOURCE REFERENCE")
        if moses_features or moses_scores:
            refuse(_NBEST_OPTIONS, "is for n-best lists; -O moses-features has its own statistics")
            if not (moses_features and moses_scores and start):
                raise UsageError("-O moses-features, -O moses-scores and --start need each other")
            from wordorder.training.tuning.moses import tune_moses_files

            tuned = tune_moses_files(moses_features, moses_scores, start, **tuning)
        elif nbest is None or reference is None:
            raise UsageError("expected NBEST and REFERENCE, or -O moses-features")
        else:
            from wordorder.training.tuning.tuning import tune_files

            tuning |= {"start": start, "reranked": reranked, **options}
            tuned = tune_files([nbest, *further_lists], reference, metric, **tuning)
    from wordorder.report.tuning_table import tuning_output

    print_result(tuning_output(tuned), form)


def _pop_options(options: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Remove the options of these names; return those that are not None."""
    values = {name: options.pop(name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


def _tune_model(*files: Any, **options: Any) -> None:
    """Tune a translation model, print a line per round, and print the result."""
    *names, form = files
    from wordorder.options import take_options
    from wordorder.report.tuning_table import round_line, rounds_output
    from wordorder.training.tuning.weights_file import Round
    from wordorder.translation.tuning import DecoderSearch, tune_translation

    has_several_runs = options.get("runs", 1) > 1

    def print_round(run: int, finished: Round) -> None:
        print_message(round_line(finished, run if has_several_runs else None))

    search = DecoderSearch(**take_options(options, DecoderSearch))
    tuned = tune_translation(*names, search=search, after=print_round, **options)
    print_result(rounds_output(tuned), form)
