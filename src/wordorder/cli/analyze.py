"""``wordorder analyze``: where and why the order is wrong."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import fields
from typing import Any

import click
from click.core import ParameterSource

from wordorder.cli.figures_option import draw, figures_option
from wordorder.cli.grid_options import grid_options, interval_options, order_metric_options
from wordorder.cli.messages import print_json
from wordorder.cli.systems import ManySystems, format_option, refuse_overwriting, threads_option
from wordorder.errors import UsageError

GRID_METRICS = "frs,kendall,exact"


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
@click.option("--gold-trees", metavar="FILE", help="Right trees and tags, in CoNLL-U.")
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
@figures_option
@threads_option
@format_option
def command(
    reference: str,
    name: str,
    html: str | None,
    pictures: int,
    sentences: tuple[int, ...],
    title: str,
    figures: str | None,
    form: str,
    top: int,
    **options: Any,
) -> None:
    """Find where and why the order of words is wrong.

    REFERENCE holds reference orders (.orders), or word alignments of which they are made. Systems
    are trees with rules, as for `wordorder evaluate`; or orders (-i) with the words of the source.
    What needs trees, rules or gold trees is left out where there are none.
    """
    from wordorder.analysis.analysed_files import analyze_files
    from wordorder.counts import counted
    from wordorder.report.analysis_table import analysis_json, analysis_text, analysis_tsv
    from wordorder.report.page.page import report_page
    from wordorder.report.progress import Progress
    from wordorder.text.output import write_text

    _check_report(html, reference, options)
    # Opened first: what cannot be written should fail before the work.
    with nullcontext() if html is None else write_text(html) as page:
        with Progress("sentences") as progress:
            analysis = analyze_files(reference, metric=name, rows=top, progress=progress, **options)
        if page is not None:
            size = len(analysis.corpus.words)
            if any(number > size for number in sentences):
                there = counted(size, "sentence")
                raise UsageError(f"--sentence {max(sentences)}: there are {there}")
            chosen = [number - 1 for number in sentences]
            page.write(report_page(analysis, title=title, pictures=pictures, sentences=chosen))
    if figures is not None:
        from wordorder.report.figures.of_verbs import analysis_figures

        draw(figures, analysis_figures(analysis, options["level"]))
    if form == "json":
        print_json(analysis_json(analysis))
    elif form == "tsv":
        click.echo(analysis_tsv(analysis), nl=False)
    else:
        click.echo(analysis_text(analysis), nl=False)


def _check_report(html: str | None, reference: str, options: dict[str, Any]) -> None:
    """Raise a UsageError for options of a report that is not written, or written over an input."""
    if html == "-":
        raise UsageError("--html needs a file: standard output has the tables")
    if html is not None:
        from wordorder.analysis.analysis_files import AnalysisFiles

        named = {field.name for field in fields(AnalysisFiles)}
        files = {option: value for option, value in options.items() if option in named}
        refuse_overwriting(html, AnalysisFiles.of(reference, files).paths)
        return
    ctx = click.get_current_context()
    for parameter in ("pictures", "sentences", "title"):
        if ctx.get_parameter_source(parameter) != ParameterSource.DEFAULT:
            option = "--sentence" if parameter == "sentences" else f"--{parameter}"
            raise UsageError(f"{option} is for --html")
