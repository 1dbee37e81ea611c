"""The pairwise tests of systems, for every format: ranks, triangle and a plain reading."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wordorder.analysis.triangle_reading import triangle_reading
from wordorder.counts import counted, number
from wordorder.report.document import Document, Output, Part, Table, Title
from wordorder.report.ranking import cluster_reading, ranked_systems
from wordorder.report.scores import marked_pairs, metric_headings, resampled_buckets, signatures
from wordorder.report.tables import Cell, columns_tsv, interval, p_number
from wordorder.scoring.result_columns import comparison_columns
from wordorder.scoring.scores import ComparedSystems
from wordorder.scoring.systems import Evaluation
from wordorder.statistics.coefficients import clusters, rank_ranges
from wordorder.statistics.paired_tests import Comparison

TESTS = {
    "bootstrap": "paired bootstrap resampling",
    "randomization": "approximate randomization",
}
# Pairs of six systems; a longer list hides more than it shows.
PAIRS = 15
LEGEND = (
    "A cell says whether the system above it is better than the one to its left: +* at 90 %, +** "
    "at 95 %; -*, -** worse; 0: no significant difference."
)


def comparison_output(found: ComparedSystems) -> Output:
    """Show the tests of each metric."""
    return Output(
        lambda: comparison_json(found.evaluation, found.comparisons),
        found.to_columns,
        lambda: comparison_document(found),
    )


def comparison_document(found: ComparedSystems) -> Document:
    """Lay out ranks, triangle and reading of each metric."""
    evaluation, comparisons = found.evaluation, found.comparisons
    names = [system.name for system in evaluation.systems]
    metrics = metric_headings(evaluation, found.metrics)
    parts: list[Part] = []
    for m, comparison in enumerate(comparisons):
        ranks = clusters(comparison)
        marks = comparison.triangle()
        parts += [
            Title(metrics[m]),
            ranked_systems(names, comparison.values, rank_ranges(comparison), ranks),
            cluster_reading(names, ranks),
        ]
        if len(names) > 1:
            parts += [marked_pairs(names, marks), triangle_reading(names, marks)]
            parts += pair_table(names, comparison)
    first = comparisons[0]
    how = (
        f"{counted(evaluation.segments, 'segment')}, {evaluation.skipped} skipped; "
        f"{TESTS[first.test]}{resampled_buckets(evaluation)}, "
        f"{counted(first.resamples, 'resample')}, seed {first.seed}"
    )
    legend = (LEGEND,) if len(names) > 1 else ()
    return Document(tuple(parts), (*legend, how), signatures(evaluation))


def pair_table(names: Sequence[str], comparison: Comparison) -> list[Part]:
    """Lay out difference, 95 % interval and p of each pair; more than `PAIRS` are left to TSV."""
    shown = comparison.pairs[:PAIRS]
    rows: list[list[Cell]] = []
    for pair in shown:
        bounds = pair.interval_95
        low_high = "" if bounds is None else interval(*bounds)
        name = f"{names[pair.second]} - {names[pair.first]}"
        rows.append([name, number(pair.difference), low_high, p_number(pair.p_value)])
    more = len(comparison.pairs) - len(shown)
    note = [f"... and {counted(more, 'pair')} more (--format tsv shows all)"] if more else []
    return [Table(rows, ["pair", "difference", "95 % interval", "p"]), *note]


def comparison_json(evaluation: Evaluation, comparisons: Sequence[Comparison]) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists."""
    names = [system.name for system in evaluation.systems]
    metrics = []
    for m, comparison in enumerate(comparisons):
        score = evaluation.systems[0].scores[m]
        ranges = rank_ranges(comparison)
        metrics.append(
            {
                "metric": score.signature.metric,
                "signature": str(score.signature),
                "test": comparison.test,
                "resamples": comparison.resamples,
                "seed": comparison.seed,
                "systems": [
                    {"name": name, "value": value, "rank_range": list(ranges[i])}
                    for i, (name, value) in enumerate(zip(names, comparison.values, strict=True))
                ],
                "clusters": [[names[i] for i in cluster] for cluster in clusters(comparison)],
                "pairs": [
                    {
                        "a": names[pair.first],
                        "b": names[pair.second],
                        "difference": pair.difference,
                        "interval_90": _plain(pair.interval_90),
                        "interval_95": _plain(pair.interval_95),
                        "p": pair.p_value,
                        "mark": pair.mark,
                    }
                    for pair in comparison.pairs
                ],
                "reading": triangle_reading(names, comparison.triangle()),
            }
        )
    return {
        "segments": evaluation.segments,
        "skipped": evaluation.skipped,
        "skipped_lines": list(evaluation.skipped_lines),
        "metrics": metrics,
    }


def comparison_tsv(evaluation: Evaluation, comparisons: Sequence[Comparison]) -> str:
    """Write one row for each metric and pair, in full precision."""
    return columns_tsv(comparison_columns(evaluation, comparisons))


def _plain(bounds: tuple[float, float] | None) -> list[float] | None:
    return None if bounds is None else list(bounds)
