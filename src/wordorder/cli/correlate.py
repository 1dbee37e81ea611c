"""``wordorder correlate``: how well metrics agree with human judgements."""

from collections.abc import Sequence
from typing import Any

import click

from wordorder import judgement
from wordorder.cli import options as shared
from wordorder.cli.command import named_command, option, refuse, refuse_overwriting, setting, title
from wordorder.cli.messages import Messages, print_result
from wordorder.errors import UsageError
from wordorder.text.names import split_name

COEFFICIENTS = (
    "pearson spearman kendall-a kendall-b kendall-c kendall-10 kendall-13 kendall-14 kendall-17 "
    "kendall-23 accuracy acc-eq spa pce consistency consistency-strict"
).split()
# Parameters for --fit only, and parameters for correlations only.
_FIT_ONLY = ("ties", "leave_out", "curve", "costs_output")
_CORRELATION_ONLY = (
    "metrics settings scores unit by statistic test lower_is_better level over resamples html "
    "figures"
).split()


@named_command(
    "correlate",
    example="wordorder correlate judged.toml -m bleu,ribes --html page.html",
    usual="metrics option scores human unit by statistic test over html figures fit format output",
)
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@title("Metrics")
@option(
    "-m --metrics NAMES",
    "Metrics, separated by commas: computed as in score, or metrics whose scores the set stores; "
    '"stored" for all of these. [default: the stored ones and those of --scores; without any, '
    "frs,cder,bleu]",
    multiple=True,
)
@shared.metric_option
@title("Systems and files")
@option(
    "--scores FILE",
    "Scores of further metrics: a long table (system, segment, metric, value), what score "
    "--segments --format tsv prints, or NAME=FILE with a system and a score per line.",
    multiple=True,
)
@option(
    "--human NAME",
    'Human scores to use; "rankings" for judgements of pairs; the human metric of a long table. '
    "[default: the only one]",
)
@title("Metrics")
@option(
    "--unit {system,segment,document}",
    "What is scored. [default: systems, and segments if these have human scores; documents if "
    "only these have]",
)
@option(
    "--by {none,item,system}",
    "Outputs that are compared: all (none); those of one segment (item); those of one system. "
    "[default: none for pearson and spearman, item for coefficients that count pairs]",
)
@option(
    "--statistic",
    "The coefficient. [default: pearson for systems and documents, acc-eq for segments, "
    "consistency for judgements of pairs]",
    choices=COEFFICIENTS,
)
@title("Intervals and tests")
@option(
    "--test {perm-both,perm-inputs,perm-systems,williams,bootstrap}",
    "How metrics are compared with each other. [default: perm-both; perm-inputs for pairs; "
    "williams where segments have no scores]",
)
@option(
    "--over {segments,systems,both}",
    "What the bootstrap of the intervals resamples. [default: no bootstrap but Fisher's intervals "
    "for pearson, spearman and kendall of systems; segments for others]",
)
@setting("--human-translations", "Keep human translations (refA, HUMAN.0) among the systems.")
@setting(
    "--lower-is-better NAMES",
    "Metrics with stored scores for which lower is better, separated by commas.",
    multiple=True,
)
@title("Systems and files")
@option("--reference NAMES", "References of the set for the metrics. [default: the first]")
@shared.set_word_options
@shared.level_option
@title("Intervals and tests")
@option(
    "--resamples N",
    "How many resamples are drawn for intervals and tests.",
    min_value=1,
    default=1000,
)
@shared.test_seed_option
@shared.threads_option
@shared.format_option
@title("Results")
@option("--html FILE", "Also write a page with tables and pictures.")
@shared.figures_option
@title("Weights of metrics")
@option(
    "--fit WHAT",
    "Instead, find the value that agrees most often with human preferences: of an option of a "
    "metric (lr-kb1.alpha), the costs of operators (tree-cost.costs), or the weights of a sum "
    '("0.6*cder + 0.4*per").',
)
@setting(
    "--fit-ties {strict,half}",
    "With --fit: a pair that the metric ties counts 0 (strict) or 1/2 (half). [default: strict]",
    name="ties",
)
@setting(
    "--leave-out {pair,segments}",
    "With --fit: also cross-validate: fit on all language pairs but one, and evaluate on that one; "
    "or on nine tenths of the segments, drawn by --seed, and evaluate on the rest. [default: "
    "segments for costs]",
)
@setting(
    "--costs-output FILE",
    "With --fit tree-cost.costs: write the costs, for -m tree-cost(cost=table,costs=FILE).",
)
@setting("--curve FILE", "With --fit: draw the consistency for every weight as an SVG picture.")
def command(
    sets: tuple[str, ...],
    metrics: tuple[str, ...],
    form: str,
    html: str | None,
    figures: str | None,
    fit: str | None,
    curve: str | None,
    costs_output: str | None,
    **options: Any,
) -> None:
    """Measure how well metrics agree with human judgements.

    SET is a folder of mt-metrics-eval (FOLDER:en-de for one language pair), a TOML file that
    names texts, outputs and judgements, or a table of system, segment, metric and value; several
    are several language pairs.
    """
    if fit is not None:
        _fit(sets, fit, form, curve, costs_output, **options)
        return
    refuse(_FIT_ONLY, "is for --fit")
    options = {name: value for name, value in options.items() if name not in _FIT_ONLY}
    from wordorder.report.correlations import correlation_output

    _check_output("--html", html, sets, options["scores"])
    evaluated = judgement.correlate(sets, metrics, **options)
    if html is not None:
        from wordorder.report.judgement_page.page import write_judgement_page

        notes = click.get_current_context().ensure_object(Messages).notes
        write_judgement_page(evaluated, html, notes=notes)
    if figures is not None:
        from wordorder.report.figures.command_figures import correlation_figures

        shared.write_figures_of(figures, correlation_figures(evaluated))
    print_result(correlation_output(evaluated), form)


def _fit(
    sets: tuple[str, ...],
    target: str,
    form: str,
    curve: str | None,
    costs: str | None,
    **options: Any,
) -> None:
    """Fit `target` instead of correlating; options of tests and coefficients are refused."""
    from wordorder.judgement.fitting import require_curve
    from wordorder.report.correlations import fit_curve, fit_output
    from wordorder.text.output import write_text

    refuse(_CORRELATION_ONLY, "cannot be combined with --fit")
    fit_options = {name: value for name, value in options.items() if name not in _CORRELATION_ONLY}
    if fit_options["ties"] is None:
        del fit_options["ties"]
    if curve is not None:
        require_curve(target)
    _check_output("--curve", curve, sets)
    _check_output("--costs-output", costs, sets)
    fitted = judgement.fit(sets, target, costs=costs, **fit_options)
    if curve is not None:
        with write_text(curve) as stream:
            stream.write(fit_curve(fitted))
    print_result(fit_output(fitted), form)


def _check_output(
    option: str, path: str | None, sets: Sequence[str], scores: Sequence[str] = ()
) -> None:
    """Raise a UsageError for an output file that cannot be created, or that is an input."""
    from wordorder.text.output import require_creatable

    if path == "-":
        raise UsageError(f"{option} needs a file: standard output has the tables")
    if path is not None:
        require_creatable(path, streams=True)
        refuse_overwriting(path, [*sets, *(split_name(score_file)[1] for score_file in scores)])
