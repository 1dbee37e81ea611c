"""``wordorder correlate``: how well metrics agree with people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from click.core import ParameterSource

from wordorder.cli.help import GroupedHelp
from wordorder.cli.messages import Messages, show
from wordorder.cli.options import (
    COEFFICIENTS,
    CORRELATION_TESTS,
    DRAWN,
    GROUPINGS,
    TIES,
    UNITS,
    draw,
    figures_option,
    format_option,
    metric_option,
    monolingual_options,
    refuse_overwriting,
    seed_option,
    threads_option,
)
from wordorder.errors import UsageError

# What only a fit has, and what only correlations have.
_FITTED = ("ties", "leave_out", "curve")
_NOT_FITTED = (
    *("metrics", "settings", "scores", "unit", "by", "statistic", "test", "lower_is_better"),
    *("level", "over", "resamples", "seed", "html", "pictures", "figures"),
)


@click.command("correlate", cls=GroupedHelp)
@click.argument("sets", nargs=-1, required=True, metavar="SET...")
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="NAMES",
    help="Metrics, separated by commas: to be computed, as in score, or of which the set has "
    'scores; "stored" for all of these. [default: the stored ones and those of --scores; without '
    "any cder,ter,bleu]",
)
@metric_option
@click.option(
    "--scores",
    multiple=True,
    metavar="FILE",
    help="Scores of further metrics: a long table (system, segment, metric, value), what score "
    "--segments --format tsv prints, or NAME=FILE with a system and a score a line.",
)
@click.option(
    "--human",
    metavar="NAME",
    help='Which human scores; "rankings" for judgements of pairs; the human metric of a long '
    "table. [default: the only one]",
)
@click.option(
    "--unit",
    type=click.Choice(UNITS),
    help="What is scored. [default: systems, and segments if people judged them; documents if "
    "nothing else]",
)
@click.option(
    "--by",
    type=click.Choice(GROUPINGS),
    help="Which outputs are compared: all; those of one segment (item); those of one system. "
    "[default: none for pearson and spearman, item for those that count pairs]",
)
@click.option(
    "--statistic",
    type=click.Choice(COEFFICIENTS),
    help="The coefficient. [default: pearson for systems and documents, acc-eq for segments, "
    "consistency for pairs that people compared]",
)
@click.option(
    "--test",
    type=click.Choice(CORRELATION_TESTS),
    help="How metrics are compared with each other. [default: perm-both; perm-inputs for pairs; "
    "williams where segments have no scores]",
)
@click.option(
    "--over",
    type=click.Choice(DRAWN),
    help="What the bootstrap draws; given, all intervals are made by it. [default: Fisher's "
    "intervals for pearson, spearman and kendall of systems; segments for others]",
)
@click.option(
    "--human-translations",
    is_flag=True,
    help="Keep human translations (refA, HUMAN.0) among the systems.",
)
@click.option(
    "--lower-is-better",
    multiple=True,
    metavar="NAMES",
    help="Metrics with stored scores whose lower score is the better one, separated by commas.",
)
@click.option(
    "--reference",
    metavar="NAMES",
    help="Which references of the set metrics read. [default: the first]",
)
@monolingual_options
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    metavar="P",
    help="The confidence of intervals and clusters.",
)
@click.option(
    "--resamples",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    metavar="N",
    help="How many resamples are drawn for intervals and tests.",
)
@seed_option
@threads_option
@format_option
@click.option("--html", metavar="FILE", help="Write a page with tables and pictures too.")
@click.option("--pictures", metavar="FOLDER", help="The old name of --figures.")
@figures_option
@click.option(
    "--fit",
    metavar="WHAT",
    help="Instead, find the option of a metric, lr-kb1.alpha, or the weights of a sum, "
    '"0.6*cder + 0.4*per", that share most of the preferences of people.',
)
@click.option(
    "--ties",
    type=click.Choice(TIES),
    help="With --fit: what a pair counts that the metric ties: nothing, or half. [default: strict]",
)
@click.option(
    "--leave-out",
    type=click.Choice(["pair"]),
    help="With --fit: fit on all language pairs but one too, and judge on that one.",
)
@click.option(
    "--curve",
    metavar="FILE",
    help="With --fit: draw the consistency for every weight as an SVG picture.",
)
def command(
    sets: tuple[str, ...],
    metrics: tuple[str, ...],
    form: str,
    html: str | None,
    pictures: str | None,
    figures: str | None,
    fit: str | None,
    curve: str | None,
    **options: Any,
) -> None:
    """Say how well metrics agree with people.

    SET is a folder of mt-metrics-eval (FOLDER:en-de for one language pair), a TOML file that
    names texts, outputs and judgements, or a table of system, segment, metric and value; several
    are several language pairs.
    """
    figures = figures or pictures
    if fit is not None:
        _fit(sets, fit, form, curve, options)
        return
    _refuse_given(_FITTED, "is for --fit")
    options = {name: value for name, value in options.items() if name not in _FITTED}
    from wordorder.judgement import correlate
    from wordorder.report.correlations import correlation_output
    from wordorder.report.progress import Progress

    _check_output("--html", html, sets, options["scores"])
    if figures is not None:
        from wordorder.drawing.figure import require_matplotlib
        from wordorder.text.output import require_folder

        require_matplotlib()
        require_folder(figures)
    with Progress("segments") as progress, Progress("steps") as steps:
        evaluated = correlate(sets, metrics, progress=progress, on_work=steps.show, **options)
    if html is not None:
        from wordorder.report.judgement_page.page import write_judgement_page

        notes = click.get_current_context().ensure_object(Messages).notes
        write_judgement_page(evaluated, html, notes=notes)
    if figures is not None:
        from wordorder.report.figures.verbs import correlation_figures

        draw(figures, correlation_figures(evaluated))
    show(correlation_output(evaluated), form)


def _fit(
    sets: tuple[str, ...], what: str, form: str, curve: str | None, options: dict[str, Any]
) -> None:
    """Fit instead of correlating; options of tests and coefficients have no use here."""
    from wordorder.judgement import fit
    from wordorder.judgement.fitting import require_curve
    from wordorder.report.correlations import fit_curve, fit_output
    from wordorder.report.progress import Progress
    from wordorder.text.output import write_text

    _refuse_given(_NOT_FITTED, "cannot be combined with --fit")
    kept = {name: value for name, value in options.items() if name not in _NOT_FITTED}
    if kept["ties"] is None:
        del kept["ties"]
    if curve is not None:
        require_curve(what)
    _check_output("--curve", curve, sets)
    with Progress("segments") as progress:
        fitted = fit(sets, what, progress=progress, **kept)
    if curve is not None:
        with write_text(curve) as stream:
            stream.write(fit_curve(fitted))
    show(fit_output(fitted), form)


def _check_output(
    option: str, path: str | None, sets: Sequence[str], scores: Sequence[str] = ()
) -> None:
    """Refuse a file beside the tables that cannot be made, or that is an input."""
    from wordorder.text.names import split_name
    from wordorder.text.output import require_creatable

    if path == "-":
        raise UsageError(f"{option} needs a file: standard output has the tables")
    if path is not None:
        require_creatable(path)
        refuse_overwriting(path, [*sets, *(split_name(each)[1] for each in scores)])


def _refuse_given(names: Sequence[str], why: str) -> None:
    """Refuse options that do nothing here."""
    ctx = click.get_current_context()
    for parameter in ctx.command.params:
        source = ctx.get_parameter_source(str(parameter.name))
        if parameter.name in names and source is ParameterSource.COMMANDLINE:
            raise UsageError(f"{parameter.opts[-1]} {why}")
