"""``wordorder score``: scores of one or more systems."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from wordorder.cli.engine_options import Engine, engine_options, print_plan
from wordorder.cli.messages import print_line, show
from wordorder.cli.options import ManySystems, draw, figures_option, system_options


@click.command("score", cls=ManySystems)
@system_options
@click.option(
    "--confidence",
    is_flag=True,
    help="Add intervals by bootstrap resampling. Of more than 100,000 segments the sums of 4,096 "
    "random buckets are resampled, so that memory does not grow; the signature says so.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="The level of --confidence.",
)
@engine_options
@click.option("--segments", is_flag=True, help="Add the score of each segment.")
@figures_option
@click.option(
    "--fail-under",
    "thresholds",
    multiple=True,
    metavar="METRIC=VALUE",
    help="Exit with status 1 if a system is worse than VALUE: below it, or above it if lower is "
    "better. A line on standard error names each. Can be given several times.",
)
@click.option(
    "--compat",
    metavar="NAME",
    help="The figures of another evaluator (`wordorder list compat`): REFERENCE holds alignments, "
    "the systems orders of --source; the system none leaves the source as it is. moses and "
    "literalness compare translations, with --hypothesis-alignment; ribes translations, conll18 "
    "treebanks.",
)
def score_command(
    reference: str,
    inputs: tuple[str, ...],
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    resamples: int | None,
    seed: int,
    form: str,
    confidence: bool,
    level: float,
    segments: bool,
    figures: str | None,
    thresholds: tuple[str, ...],
    compat: str | None,
    engine: Engine | None,
    **options: Any,
) -> None:
    """Score systems: translations against references, orders against reference orders.

    REFERENCE is a reference translation, one segment a line; or an .orders file (source positions
    in target order, "2 0 3,4 1", as `wordorder reference` writes it); or, for aer, precision and
    recall, gold alignments; or, for uas, las and their like, gold trees in CoNLL-U.
    """
    if compat is not None:
        own = {"-m": metrics, "-O": settings, "--confidence": confidence, "--segments": segments}
        own |= {"--engine": engine is not None, "--fail-under": thresholds}
        own["--figures"] = figures is not None
        _refuse(own, "cannot be combined with --compat, which has its own figures")
    if not confidence:
        ctx = click.get_current_context()
        drawing = ("level", "resamples", "seed")
        given = {f"--{n}": ctx.get_parameter_source(n) != ParameterSource.DEFAULT for n in drawing}
        _refuse(given, "is for --confidence")
    if compat is not None:
        _print_compat(compat, form, reference, inputs, options)
        return

    if engine is not None:
        kept = {"--segments": segments, "--figures": figures is not None}
        _refuse(kept, "keeps all rows in memory: not with --engine")
        if engine.plan:
            _refuse({"--fail-under": thresholds}, "needs scores: not with --plan")
            _print_plan(engine, reference, inputs, metrics, settings, options)
            return

    from wordorder.report.progress import Progress
    from wordorder.report.scores import score_output
    from wordorder.scoring import score
    from wordorder.scoring.files import leaves_open, make_metrics
    from wordorder.scoring.scores import Threshold, check_thresholds, missed_thresholds

    limits = [Threshold.parse(text) for text in thresholds]
    if limits and not leaves_open(metrics):
        # Before the files are read.
        made = make_metrics(metrics, settings, set())
        check_thresholds(limits, [metric.signature() for metric in made])
    with Progress("segments") as progress:
        whole: dict[str, Any] = {
            "settings": settings,
            "confidence": level if confidence else None,
            "resamples": resamples,
            "seed": seed,
            "progress": progress,
            **options,
        }
        if engine is None:
            drawn = figures is not None
            whole |= {"segments": segments or drawn, "lengths": drawn}
            found = score(reference, inputs, metrics, **whole)
        else:
            from wordorder.scale.written import score_on_engine

            found = score_on_engine(reference, inputs, metrics, **engine.place, **whole)
    missed = missed_thresholds(found, limits)
    if figures is not None:
        from wordorder.report.figures.verbs import score_figures

        draw(figures, score_figures(found, level))
    show(score_output(found, level, segments=segments), form)
    for line in missed:
        print_line(f"failed: {line}")
    if missed:
        click.get_current_context().exit(1)


def _print_plan(
    engine: Engine,
    reference: str,
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    options: dict[str, Any],
) -> None:
    """Print what an engine would have to do."""
    from wordorder.scale.engines import check_engine
    from wordorder.scale.scoring import check, spans
    from wordorder.scoring.files import Files

    check_engine(engine.name, engine.address)
    files = Files.of(reference, systems, options)
    check(files, metrics, settings)
    print_plan(spans(files, metrics, settings))


def _print_compat(
    preset: str, form: str, reference: str, systems: tuple[str, ...], options: dict[str, Any]
) -> None:
    """Print the figures of another evaluator."""
    from wordorder.report.scores import compat_output
    from wordorder.scoring import compat_scores
    from wordorder.scoring.compat import tool_name

    found = compat_scores(preset, reference, systems, **options)
    show(compat_output(found, preset, tool_name(preset)), form)


def _refuse(options: dict[str, Any], why: str) -> None:
    """Raise a UsageError for the first option that is given."""
    from wordorder.errors import UsageError

    for option, value in options.items():
        if value:
            raise UsageError(f"{option} {why}")


# Of the intervals of figures.
LEVEL = 0.95


@click.command("compare", cls=ManySystems)
@system_options
@click.option(
    "--test",
    type=click.Choice(["bootstrap", "randomization"]),
    default="bootstrap",
    show_default=True,
    help="Paired bootstrap resampling (Koehn 2004) or approximate randomization; of more than "
    "100,000 segments, with the sums of 4,096 random buckets, as the signature then says.",
)
@figures_option
def compare_command(
    reference: str,
    inputs: tuple[str, ...],
    metrics: tuple[str, ...],
    figures: str | None,
    form: str,
    **options: Any,
) -> None:
    """Test which systems are better, pair by pair, on the same segments.

    REFERENCE and systems are given as for `wordorder score`. Shows for each metric
    the ranks that each system may have, a triangle of all pairs, and what it says in words.
    """
    from wordorder.judgement.table_rows import refuse_ratings
    from wordorder.report.comparison_table import comparison_output
    from wordorder.report.progress import Progress
    from wordorder.scoring import compare

    refuse_ratings(reference)
    with Progress("segments") as progress:
        found = compare(
            reference,
            inputs,
            metrics,
            lengths=figures is not None,
            confidence=None if figures is None else LEVEL,
            progress=progress,
            **options,
        )
    if figures is not None:
        from wordorder.report.figures.verbs import comparison_figures

        draw(figures, comparison_figures(found, LEVEL))
    show(comparison_output(found), form)
