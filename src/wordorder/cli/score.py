"""``wordorder score``: scores of one or more systems."""

from __future__ import annotations

import click

from wordorder.cli.systems import ManySystems, system_options


@click.command("score", cls=ManySystems)
@system_options
@click.option(
    "--confidence",
    is_flag=True,
    help="Add intervals by bootstrap resampling; all statistics are then kept in memory.",
)
@click.option(
    "--level",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="The level of --confidence.",
)
@click.option("--segments", is_flag=True, help="Add the score of each segment.")
def command(
    reference: str,
    inputs: tuple[str, ...],
    metrics: tuple[str, ...],
    settings: tuple[str, ...],
    source: str | None,
    input_format: str,
    resamples: int | None,
    seed: int,
    form: str,
    confidence: bool,
    level: float,
    segments: bool,
) -> None:
    """Score systems' orders against reference orders.

    REFERENCE is an .orders file: one line a sentence, source positions in target order, tied ones
    joined by commas ("2 0 3,4 1"), as `wordorder reference` writes it.
    """
    import json

    from wordorder.cli.systems import evaluate, make_metrics
    from wordorder.metrics.systems import measurements
    from wordorder.report.score_table import score_json, score_text, score_tsv

    chosen = make_metrics(metrics, settings)
    evaluation = evaluate(
        reference, inputs, source, input_format, chosen, keep=confidence or segments
    )
    estimates = None
    if confidence:
        from wordorder.statistics.intervals import confidence_intervals

        estimates = confidence_intervals(
            measurements(evaluation, chosen),
            confidence=level,
            resamples=resamples or 1000,
            seed=seed,
        )
    by_segment = None
    if segments:
        by_segment = {
            (s, m): metric.score(system.statistics[m])
            for s, system in enumerate(evaluation.systems)
            for m, metric in enumerate(chosen)
        }
    if form == "json":
        found = score_json(evaluation, estimates, by_segment)
        click.echo(json.dumps(found, ensure_ascii=False, allow_nan=False, indent=2))
    elif form == "tsv":
        click.echo(score_tsv(evaluation, estimates, by_segment), nl=False)
    else:
        click.echo(score_text(evaluation, estimates, by_segment, level), nl=False)
