"""``wordorder analyze``: where and why the order is wrong."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordorder.cli.grid_options import grid_options, interval_options, order_metric_options
from wordorder.cli.messages import print_json
from wordorder.cli.systems import ManySystems, format_option, refuse_overwriting, threads_option
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.analysis.analysis_files import AnalysisFiles, AnalysisInputs
    from wordorder.analysis.grid import Grid
    from wordorder.analysis.system import AnalysedSystem
    from wordorder.metrics.contract import Metric

GRID_METRICS = "frs,kendall,exact"
RESAMPLES = 1000


@click.command("analyze", cls=ManySystems)
@grid_options
@click.option(
    "-i",
    "--system",
    "systems",
    multiple=True,
    metavar="[NAME=]FILE ...",
    help="Instead of trees and rules: .orders files of systems, or reordered lines of --source.",
)
@click.option("--gold-trees", "gold", metavar="FILE", help="Right trees and tags, in CoNLL-U.")
@click.option("--target", metavar="FILE", help="The target sentences, for the report.")
@click.option(
    "--alignment",
    metavar="FILE",
    help="Links from source to target, for the report, where REFERENCE holds none.",
)
@click.option(
    "--focus",
    multiple=True,
    metavar="SYSTEM",
    help="A system to look at closely; may be repeated, the first being compared with the others. "
    "[default: the best one, and the best with the same rules and other trees, or the second best]",
)
@click.option(
    "--word", "words", multiple=True, metavar="WORD", help="Show its tags; may be repeated."
)
@click.option(
    "--top",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Rows of each table.",
)
@order_metric_options(GRID_METRICS)
@click.option(
    "--metric",
    "name",
    metavar="NAME",
    default="frs",
    show_default=True,
    help="The metric that scores single sentences; words and boundaries are always charged FRS.",
)
@interval_options
@click.option("--html", metavar="FILE", help="Write a report too, one HTML file.")
@click.option(
    "--pictures",
    type=click.IntRange(0),
    default=100,
    show_default=True,
    metavar="N",
    help="How many sentences of the report have pictures.",
)
@click.option(
    "--sentence",
    "sentences",
    multiple=True,
    type=click.IntRange(1),
    metavar="N",
    help="A sentence of the report that has pictures in any case; may be repeated.",
)
@click.option("--title", default="Word order report", help="The title of the report.")
@threads_option
@format_option
def command(
    systems: tuple[str, ...],
    gold: str | None,
    target: str | None,
    alignment: str | None,
    focus: tuple[str, ...],
    words: tuple[str, ...],
    top: int,
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    name: str,
    level: float,
    resamples: int | None,
    seed: int,
    html: str | None,
    pictures: int,
    sentences: tuple[int, ...],
    title: str,
    form: str,
    **files: Any,
) -> None:
    """Find where and why the order of words is wrong.

    REFERENCE holds reference orders (.orders), or word alignments of which they are made. Systems
    are trees with rules, as for `wordorder evaluate`; or orders (-i) with the words of the source.
    What needs trees, rules or gold trees is left out where there are none.
    """
    from wordorder.analysis.analysis_files import AnalysisFiles, read_analysis
    from wordorder.analysis.analysis_notes import note_analysis
    from wordorder.analysis.analyze import analyze
    from wordorder.analysis.grid_files import GridFiles
    from wordorder.counts import counted
    from wordorder.report.analysis_table import analysis_json, analysis_text, analysis_tsv
    from wordorder.report.page.page import report_page
    from wordorder.report.progress import Progress
    from wordorder.text.output import write_text

    given = AnalysisFiles(GridFiles(**files), systems, gold, target, alignment)
    given.check()
    if systems and metrics:
        raise UsageError("-m is for the grid of --trees and --rules; --metric scores -i")
    _check_report(html, given)
    made, scoring = _metrics(metrics, name, settings, grid=not systems)
    drawn: dict[str, Any] = {
        "level": level,
        "resamples": resamples or RESAMPLES,
        "seed": seed,
    }
    # Opened first: what cannot be written should fail before the work.
    with nullcontext() if html is None else write_text(html) as page:
        with Progress("sentences") as progress:
            inputs = read_analysis(given, progress)
        if any(number > len(inputs.corpus.words) for number in sentences):
            size = counted(len(inputs.corpus.words), "sentence")
            raise UsageError(f"--sentence {max(sentences)}: there are {size}")
        grid, analysed = _scored(inputs, made, scoring, **drawn)
        analysis = analyze(
            inputs.corpus,
            analysed,
            metric=scoring,
            grid=grid,
            focus=focus,
            words=words,
            rows=top,
            **drawn,
        )
        note_analysis(analysis)
        if page is not None:
            chosen = [number - 1 for number in sentences]
            page.write(report_page(analysis, title=title, pictures=pictures, sentences=chosen))
    if form == "json":
        print_json(analysis_json(analysis))
    elif form == "tsv":
        click.echo(analysis_tsv(analysis), nl=False)
    else:
        click.echo(analysis_text(analysis), nl=False)


def _check_report(html: str | None, files: AnalysisFiles) -> None:
    """Raise a UsageError for options of a report that is not written, or written over an input."""
    if html == "-":
        raise UsageError("--html needs a file: standard output has the tables")
    if html is not None:
        refuse_overwriting(html, files.inputs)
        return
    ctx = click.get_current_context()
    for parameter in ("pictures", "sentences", "title"):
        if ctx.get_parameter_source(parameter) != ParameterSource.DEFAULT:
            option = "--sentence" if parameter == "sentences" else f"--{parameter}"
            raise UsageError(f"{option} is for --html")


def _metrics(
    given: Sequence[str], name: str, settings: Sequence[str], *, grid: bool
) -> tuple[list[Any], Any]:
    """Make the metrics of the grid, and name the one among them that scores sentences."""
    from wordorder.analysis.grid_checks import check_order_metrics
    from wordorder.metrics import metrics_for
    from wordorder.metrics.formula import split_names
    from wordorder.scoring.named_metrics import make_metrics

    names = split_names(",".join(given) or GRID_METRICS) if grid else []
    if "all" in names:
        served = metrics_for({"permutation"})
        names = [*served, *(each for each in names if each not in ("all", *served))]
    if name not in names:
        names.append(name)
    made = make_metrics(names, settings, set())
    check_order_metrics(made)
    return made, made[names.index(name)]


def _scored(
    inputs: AnalysisInputs, metrics: Sequence[Metric], scoring: Metric, **drawn: Any
) -> tuple[Grid | None, list[AnalysedSystem]]:
    """Score the systems, as a grid if they are one."""
    from wordorder.analysis.analysed_grid import analysed_grid
    from wordorder.analysis.scored_system import scored_system

    corpus = inputs.corpus
    if inputs.grid is None:
        found = inputs.orders.items()
        return None, [scored_system(name, each, corpus, scoring) for name, each in found]
    treebanks, rules = inputs.grid.treebanks, inputs.grid.rules
    return analysed_grid(corpus, treebanks, rules, scoring, metrics=metrics, **drawn)
