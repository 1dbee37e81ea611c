"""``wordorder score`` and ``wordorder compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordorder.cli import options as shared
from wordorder.cli.command import named_command, option, refuse, title
from wordorder.cli.messages import print_line, print_result
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.scoring.systems import Evaluation
    from wordorder.scoring.thresholds import Threshold
# The confidence level of intervals in figures.
FIGURE_LEVEL = 0.95
_NOT_FOR_COMPAT = "metrics settings confidence segments engine thresholds figures".split()


@named_command(
    "score",
    example="wordorder score reference.txt -i a.txt b.txt -m bleu,ter,cder --confidence",
    usual="system metrics option source reference tokenizer lowercase aligner language "
    "confidence segments fail-under figures format",
)
@shared.system_options
@title("Intervals and tests")
@option(
    "--confidence",
    "Add intervals by bootstrap resampling. With more than 100,000 segments the sums of 4,096 "
    "random buckets are resampled, which limits memory; the signature says so.",
)
@shared.level_option
@shared.document_options
@shared.engine_options
@title("Metrics")
@option("--segments", "Add the score of each segment.")
@shared.figures_option
@option(
    "--fail-under METRIC=VALUE",
    "Exit with status 1 if a system is worse than VALUE: below it, or above it if lower is "
    "better. Standard error names these systems. May be repeated.",
    name="thresholds",
    multiple=True,
)
@option(
    "--compat NAME",
    "Print the figures of another evaluator (`wordorder list compat`). REFERENCE holds alignments, "
    "systems are orders of --source; the system none is the source order. moses and literalness "
    "compare translations, with --hypothesis-alignments; ribes translations, conll18 treebanks.",
)
def score_command(
    reference: str,
    inputs: tuple[str, ...],
    form: str,
    confidence: bool,
    level: float,
    segments: bool,
    figures: str | None,
    thresholds: tuple[str, ...],
    compat: str | None,
    engine: shared.Engine | None,
    **options: Any,
) -> None:
    """Score systems: translations against references, orders against reference orders.

    REFERENCE is a reference translation, one segment per line; or an .orders file (source positions
    in target order, "2 0 3,4 1", as `wordorder reference` writes it); or, for aer, precision and
    recall, gold alignments; or, for uas, las and similar metrics, gold trees in CoNLL-U.
    """
    if compat is not None:
        refuse(_NOT_FOR_COMPAT, "cannot be combined with --compat, which has its own figures")
    if not confidence:
        refuse(("level", "resamples", "seed", "by", "documents"), "is for --confidence")
    if compat is not None:
        _print_compat(compat, form, reference, inputs, options)
        return

    if engine is not None:
        in_memory = ("segments", "figures", "by", "documents")
        refuse(in_memory, "keeps all rows in memory: not with --engine")
        del options["by"], options["documents"]
        if engine.plan:
            refuse(["thresholds"], "needs scores: not with -O=plan")
            _print_plan(engine, reference, inputs, **options)
            return

    from wordorder.report.scores import score_output
    from wordorder.scoring import scores
    from wordorder.scoring.thresholds import missed_thresholds

    limits = _parse_thresholds(thresholds, options)
    options["level"] = level if confidence else None
    if engine is None:
        has_figures = figures is not None
        options |= {"segments": segments or has_figures, "statistics": has_figures}
        scored = scores.score_files(inputs, reference, **options)
    else:
        from wordorder.scale.file_commands import score_on_engine

        scored = score_on_engine(reference, inputs, **engine.place, **options)
    missed_lines = missed_thresholds(scored, limits)
    if not missed_lines:
        scores.require_scores(scored.evaluation, reference)
    if figures is not None:
        _refuse_runs(scored.evaluation)
        from wordorder.report.figures.command_figures import score_figures

        shared.write_figures_of(figures, score_figures(scored, level))
    print_result(score_output(scored, level, segments=segments, arrays=True), form)
    for line in missed_lines:
        print_line(f"failed: {line}")
    if missed_lines:
        click.get_current_context().exit(1)


def _parse_thresholds(texts: tuple[str, ...], options: dict[str, Any]) -> list[Threshold]:
    """Return the thresholds of ``--fail-under``, checked against the metrics if these are known."""
    from wordorder.scoring import files
    from wordorder.scoring.thresholds import Threshold, check_thresholds

    thresholds = [Threshold.parse(text) for text in texts]
    if thresholds and not files.leaves_open(options["metrics"]):
        names, tokenizer = options["metrics"], options["tokenizer"]
        chosen_metrics = files.make_metrics(names, options["settings"], set(), tokenizer)
        check_thresholds(thresholds, [metric.signature() for metric in chosen_metrics])
    return thresholds


def _refuse_runs(evaluation: Evaluation) -> None:
    """Raise a UsageError if systems have several runs: figures show single ones."""
    if evaluation.systems[0].runs:
        raise UsageError("--figures is for single runs of systems")


def _print_plan(
    engine: shared.Engine,
    reference: str,
    systems: tuple[str, ...],
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    **options: Any,
) -> None:
    """Print the spans that an engine would score."""
    from wordorder.scale import engines, scoring
    from wordorder.scoring.files import Files

    engines.check_engine(engine.name, engine.address)
    for name in ("test", "words", "resamples", "seed"):
        options.pop(name, None)
    files = Files.of(reference, systems, options)
    scoring.check_spans(files, metrics, settings)
    shared.print_plan(scoring.spans(files, metrics, settings))


def _print_compat(
    preset: str, form: str, reference: str, systems: tuple[str, ...], options: dict[str, Any]
) -> None:
    """Print the figures of another evaluator."""
    from wordorder.report.compat import compat_output
    from wordorder.scoring.compat import compat_scores, tool_name

    ignored = ("metrics", "settings", "resamples", "seed", "by", "documents")
    options = {name: value for name, value in options.items() if name not in ignored}
    figures = compat_scores(preset, reference, systems, **options)
    print_result(compat_output(figures, preset, tool_name(preset)), form)


@named_command(
    "compare",
    example="wordorder compare reference.txt -i a.txt b.txt -m ribes,cder",
    usual="system metrics option source reference tokenizer lowercase aligner language test "
    "seed figures format output",
)
@shared.system_options
@shared.test_option
@shared.words_option("words")
@shared.document_options
@shared.engine_options
@shared.figures_option
def compare_command(
    reference: str,
    inputs: tuple[str, ...],
    figures: str | None,
    form: str,
    engine: shared.Engine | None,
    **options: Any,
) -> None:
    """Test which systems are better, pair by pair, on the same segments.

    REFERENCE and systems are those of `wordorder score`. Shows for each metric the ranks that each
    system may have, a triangle of all pairs, and a summary in words.
    """
    if engine is not None:
        in_memory = ("figures", "by", "documents")
        refuse(in_memory, "keeps all rows in memory: not with --engine")
        del options["by"], options["documents"]
        if engine.plan:
            _print_plan(engine, reference, inputs, **options)
            return

    from wordorder.report.scores import comparison_output
    from wordorder.scoring.comparisons import compare_files
    from wordorder.scoring.scores import require_scores

    if engine is None:
        options["level"] = None if figures is None else FIGURE_LEVEL
        compared = compare_files(inputs, reference, **options)
    else:
        from wordorder.scale.file_commands import compare_on_engine

        compared = compare_on_engine(reference, inputs, **engine.place, **options)
    require_scores(compared.evaluation, reference)
    if figures is not None:
        _refuse_runs(compared.evaluation)
        from wordorder.report.figures.command_figures import comparison_figures

        shared.write_figures_of(figures, comparison_figures(compared, FIGURE_LEVEL))
    print_result(comparison_output(compared), form)
