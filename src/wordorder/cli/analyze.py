"""``wordorder analyze``: where and why the order is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from wordorder.cli.file_options import input_options, interval_options, options_of
from wordorder.cli.messages import show
from wordorder.cli.options import (
    ManySystems,
    draw,
    figures_option,
    format_option,
    metric_option,
    refuse_overwriting,
    threads_option,
)
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.drawing.figure import Figure
    from wordorder.report.sections import AnyAnalysis

# Options that are not called as the arguments of the functions are.
_ARGUMENTS = {"name": "metric", "top": "rows"}


@click.command("analyze", cls=ManySystems)
@input_options
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
@click.option(
    "-m",
    "--metrics",
    multiple=True,
    metavar="NAMES",
    help='Metrics, separated by commas; "all" for every fast one. Of translations, the first '
    "decides and scores single sentences. [default: frs,kendall,cder,ter,bleu for text; "
    "frs,kendall,exact for trees and rules]",
)
@metric_option
@click.option(
    "--metric",
    "name",
    metavar="NAME",
    default="frs",
    show_default=True,
    help="The metric that scores single sentences of orders; words and boundaries are always "
    "charged FRS.",
)
@interval_options
@click.option(
    "--html",
    metavar="FILE",
    help="Write a report, one HTML file with everything; the tables are then not printed, only the "
    "answer and where the report is. The other forms of --format still print all.",
)
@click.option(
    "--pictures",
    type=click.IntRange(0),
    default=50,
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
    html: str | None,
    pictures: int,
    sentences: tuple[int, ...],
    title: str,
    figures: str | None,
    form: str,
    **options: Any,
) -> None:
    """Find where and why the order of words is wrong.

    REFERENCE is a reference translation, one segment a line, and the systems are translations
    (-i). Or it holds reference orders (.orders), or word alignments of which they are made: then
    systems are trees with rules, as for `wordorder evaluate`, or orders (-i) with the words of the
    source. What needs trees, rules or links is left out where there are none.
    """
    from wordorder.analysis.files import analysed_kind
    from wordorder.counts import counted
    from wordorder.drawing.width import printable
    from wordorder.report.page.page import report_page
    from wordorder.report.progress import Progress
    from wordorder.report.sections import analysis_output
    from wordorder.report.tables import paragraph
    from wordorder.text.output import write_text

    # Trees and rules take the place of systems: beside systems they say nothing of the reference.
    grid = not options["systems"] and any(
        options[name] for name in ("trees", "parsers", "rule_sets")
    )
    kind = analysed_kind(reference, options["kind"], grid=grid)
    given = options_of(kind, reference, options)
    if kind == "text" and options["kind"] == "auto" and options["systems"]:
        _refuse_tables(reference, given)
    _check_report(html, kind, reference, given)
    # Opened first: what cannot be written should fail before the work.
    with nullcontext() if html is None else write_text(html) as page:
        with Progress("sentences") as progress:
            analysis = _analysis(kind, reference, given | {"progress": progress})
        if page is not None:
            if any(number > analysis.size for number in sentences):
                there = counted(analysis.size, "sentence")
                raise UsageError(f"--sentence {max(sentences)}: there are {there}")
            chosen = [number - 1 for number in sentences]
            page.write(report_page(analysis, title=title, pictures=pictures, sentences=chosen))
    if figures is not None:
        draw(figures, _figures(analysis, options["level"]))
    if form == "text" and html is not None:
        # The tables are in the report.
        if analysis.answer:
            click.echo(f"{paragraph(analysis.answer)}\n")
        click.echo(f"The report, with all tables and sentences, is in\n{printable(html)}")
    else:
        show(analysis_output(analysis), form)


def _analysis(kind: str, reference: str, options: dict[str, Any]) -> AnyAnalysis:
    """Analyse orders or translations."""
    from wordorder.analysis import analyze_files, analyze_translations

    options = {_ARGUMENTS.get(name, name): value for name, value in options.items()}
    if kind != "text":
        return analyze_files(reference, **options)
    return analyze_translations(reference, options.pop("systems", ()), **options)


def _figures(analysis: AnyAnalysis, level: float) -> Iterator[Figure]:
    """Yield the figures of an analysis."""
    from wordorder.analysis.section import Analysis
    from wordorder.report.figures.verbs import analysis_figures, translation_figures

    if isinstance(analysis, Analysis):
        return analysis_figures(analysis, level)
    return translation_figures(analysis, level)


def _check_report(html: str | None, kind: str, reference: str, options: dict[str, Any]) -> None:
    """Raise a UsageError for options of a report that is not written, or written over an input."""
    if html == "-":
        raise UsageError("--html needs a file: standard output has the answer")
    if html is not None:
        refuse_overwriting(html, _inputs(kind, reference, options))
        return
    ctx = click.get_current_context()
    for parameter in ("pictures", "sentences", "title"):
        if ctx.get_parameter_source(parameter) != ParameterSource.DEFAULT:
            option = "--sentence" if parameter == "sentences" else f"--{parameter}"
            raise UsageError(f"{option} is for --html")


def _refuse_tables(reference: str, options: dict[str, Any]) -> None:
    """Raise a UsageError for a table among the translations or further references."""
    from wordorder.scoring.files import Files
    from wordorder.scoring.text_files import refuse_table

    references = {"references": options.get("references", ())}
    files = Files.of(reference, options.get("systems", ()), references)
    for path in dict.fromkeys((*files.references, *files.system_paths)):
        refuse_table(path)


def _inputs(kind: str, reference: str, options: dict[str, Any]) -> Sequence[str | None]:
    """Return all files that are read."""
    from wordorder.analysis.files import AnalysisFiles
    from wordorder.scoring.files import Files

    named = {field.name for field in fields(Files if kind == "text" else AnalysisFiles)}
    files = {name: value for name, value in options.items() if name in named}
    if kind == "text":
        return Files.of(reference, files.pop("systems", ()), files).paths
    return AnalysisFiles.of(reference, files).paths
