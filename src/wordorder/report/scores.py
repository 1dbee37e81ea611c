"""The scores of systems, for every format."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from wordorder.analysis.triangle_reading import check_triangle
from wordorder.counts import counted
from wordorder.metrics.contract import Score, signature_of_segments
from wordorder.report.document import Columns, Document, Output, Table
from wordorder.report.symbols import arrow
from wordorder.report.tables import Cell, estimate, tsv
from wordorder.scoring.result_columns import columns
from wordorder.scoring.systems import Evaluation
from wordorder.signature import labels
from wordorder.statistics.exact_sum import BUCKETS
from wordorder.types import Float64

if TYPE_CHECKING:
    from wordorder.metrics.contract import BaseMetric
    from wordorder.scoring.scores import Scores
    from wordorder.statistics.intervals import Estimate


# By metric, then by system.
Estimates: TypeAlias = "Sequence[Sequence[Estimate]]"

# With more metrics than fit side by side on a terminal, each has a row.
WIDE = 6

SegmentScores = Mapping[tuple[int, int], Float64]


def score_output(found: Scores, level: float, *, segments: bool = False) -> Output:
    """Show the scores of systems, and of their segments if `segments`."""
    by_segment = found.segments if segments else None
    shown = found.evaluation, found.estimates, by_segment, found.metrics
    return Output(
        lambda: score_json(*shown),
        found.to_columns,
        lambda: score_document(found, level, segments=segments),
        lines=lambda: score_tsv(*shown),
    )


def score_document(found: Scores, level: float, *, segments: bool = False) -> Document:
    """Lay out a row a system and a column a metric (turned for many), then what the numbers are.

    Parameters
    ----------
    found : Scores
    level : float
        Of the intervals, if there are any.
    segments : bool
        Whether the scores of the segments are shown too.
    """
    evaluation, estimates = found.evaluation, found.estimates
    metrics = metric_headings(found.evaluation, found.metrics)
    rows: list[list[Cell]] = []
    for s, system in enumerate(evaluation.systems):
        row: list[Cell] = [system.name]
        for m, score in enumerate(system.scores):
            if estimates is None:
                row.append(score.value)
            else:
                low, high = estimates[m][s].low, estimates[m][s].high
                row.append(estimate(score.value, low, high))
        rows.append(row)
    header = ["system", *metrics]
    if len(metrics) > WIDE:
        header, rows = _turned(header, rows)
    parts = [Table(rows, header)]
    if segments and found.segments is not None:
        header = [
            "segment",
            *(f"{system.name} {name}" for system in evaluation.systems for name in metrics),
        ]
        values = [
            found.segments[s, m]
            for s in range(len(evaluation.systems))
            for m in range(len(metrics))
        ]
        parts.append(
            Table(
                [
                    [i + 1, *(float(column[i]) for column in values)]
                    for i in range(evaluation.segments)
                ],
                header,
            )
        )
    counts = f"{counted(evaluation.segments, 'segment')}, {evaluation.skipped} skipped"
    if estimates is not None:
        counts += f"; [low, high] is the {100 * level:g} % interval by bootstrap resampling"
        counts += resampled_buckets(evaluation)
    lines = list(signatures(evaluation))
    if segments and found.segments is not None:
        lines += [
            f"segments: {line}"
            for line in segment_signatures(evaluation, found.metrics)
            if line not in lines
        ]
    return Document(tuple(parts), (counts,), tuple(lines))


def metric_headings(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> list[str]:
    """Return what columns of metrics are called, each with an arrow: up where more is better."""
    names = labels([score.signature for score in evaluation.systems[0].scores])
    return [
        f"{name} {arrow(metric.higher_is_better)}"
        for name, metric in zip(names, metrics, strict=True)
    ]


def signatures(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the signatures of an evaluation's metrics."""
    return tuple(str(score.signature) for score in evaluation.systems[0].scores)


def segment_signatures(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> tuple[str, ...]:
    """Return the signatures of the metrics' scores of single segments."""
    scores = evaluation.systems[0].scores
    return tuple(
        str(signature_of_segments(metric, score.signature))
        for metric, score in zip(metrics, scores, strict=True)
    )


def resampled_buckets(evaluation: Evaluation) -> str:
    """Return what to say where sums of buckets were resampled in place of segments."""
    return f" of {BUCKETS:,} buckets of segments" if evaluation.systems[0].buckets else ""


def score_json(
    evaluation: Evaluation,
    estimates: Estimates | None,
    segments: SegmentScores | None,
    metrics: Sequence[BaseMetric] = (),
) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists.

    With `metrics`, the scores of segments have a signature of their own.
    """
    signed = segment_signatures(evaluation, metrics) if metrics else ()
    systems = []
    for s, system in enumerate(evaluation.systems):
        scores = []
        for m, score in enumerate(system.scores):
            entry: dict[str, Any] = {"metric": score.signature.metric, "value": score.value}
            if estimates is not None:
                entry |= {"low": estimates[m][s].low, "high": estimates[m][s].high}
            entry |= {"signature": str(score.signature), "skipped": score.skipped}
            if segments is not None:
                entry["segments"] = segments[s, m].tolist()
                if signed:
                    entry["segments_signature"] = signed[m]
            scores.append(entry)
        systems.append({"name": system.name, "dropped": system.dropped, "scores": scores})
    return {
        "segments": evaluation.segments,
        "skipped": evaluation.skipped,
        "skipped_lines": list(evaluation.skipped_lines),
        "systems": systems,
    }


def score_tsv(
    evaluation: Evaluation,
    estimates: Estimates | None,
    segments: SegmentScores | None,
    metrics: Sequence[BaseMetric] = (),
) -> str:
    """Write one row for each score, in full precision; segments are rows of their own.

    With `metrics`, the rows of segments have a signature where it is another than the corpus'.
    """
    signed = segment_signatures(evaluation, metrics) if metrics else ()
    header = ["system", "metric", "segment", "value", "low", "high", "signature"]
    lines = [tsv([], header)]
    for s, system in enumerate(evaluation.systems):
        for m, score in enumerate(system.scores):
            name = score.signature.metric
            bounds: list[Cell] = [None, None]
            if estimates is not None:
                bounds = [estimates[m][s].low, estimates[m][s].high]
            row = [system.name, name, None, score.value, *bounds, str(score.signature)]
            lines.append(tsv([row], decimals=None))
            if segments is not None:
                start = tsv([[system.name, name]])
                values = segments[s, m].tolist()
                own = signed[m] if signed and signed[m] != str(score.signature) else ""
                end = f"\t\t\t{own}"
                lines += [f"{start}\t{i}\t{value!r}{end}" for i, value in enumerate(values, 1)]
    return "\n".join(lines) + "\n"


def _turned(header: list[str], rows: list[list[Cell]]) -> tuple[list[str], list[list[Cell]]]:
    """Exchange the rows and columns of a table whose first column is text."""
    turned = zip(header[1:], *(row[1:] for row in rows), strict=True)
    return ["metric", *(str(row[0]) for row in rows)], [list(row) for row in turned]


# By system, then by what the evaluator calls the figure.
CompatScores = Mapping[str, Mapping[str, Score]]


def compat_output(given: CompatScores, preset: str, tool: str) -> Output:
    """Show a row a figure, with what it counts, and then what the numbers are."""
    header = ["system", "figure", "metric", "value", "scored", "skipped", "signature"]
    rows: list[list[Cell]] = [
        [
            *(system, label, score.signature.metric, score.value),
            *(score.segments - score.skipped, score.skipped, str(score.signature)),
        ]
        for system, scores in given.items()
        for label, score in scores.items()
    ]
    found = columns(header, rows)
    return Output(
        lambda: _compat_data(given, preset, tool),
        lambda: found,
        lambda: _compat_document(given, tool, found),
    )


def _compat_document(given: CompatScores, tool: str, found: Columns) -> Document:
    shown = {name: found[name] for name in ("system", "figure", "value", "scored", "skipped")}
    first = next(iter(given.values()))
    segments = next(iter(first.values())).segments
    counts = f"{counted(segments, 'segment')}, by the rules of {tool}"
    signatures = tuple(f"{label}: {score.signature}" for label, score in first.items())
    return Document((Table.of(shown),), (counts,), signatures)


def _compat_data(given: CompatScores, preset: str, tool: str) -> dict[str, Any]:
    return {
        "compat": preset,
        "tool": tool,
        "systems": [
            {
                "name": system,
                "scores": [
                    {
                        "figure": label,
                        "metric": score.signature.metric,
                        "value": score.value,
                        "signature": str(score.signature),
                        "segments": score.segments,
                        "skipped": score.skipped,
                    }
                    for label, score in scores.items()
                ],
            }
            for system, scores in given.items()
        ],
    }


def triangle_table(names: Sequence[str], marks: Sequence[Sequence[str]]) -> str:
    """Lay out the marks of all pairs as in Talbot et al. (2011), Tables 3-5.

    Parameters
    ----------
    names : sequence of str
        The systems, n of them.
    marks : n - 1 rows of str
        Row A has one cell for each system B after A: ``+*`` (90 %) or ``+**`` (95 %) if B is
        better than A, ``-*`` or ``-**`` if it is worse, ``0`` if no difference is significant.

    Raises
    ------
    UsageError
        If the marks are not such a triangle.

    Examples
    --------
    >>> print(triangle_table(["A", "B", "C"], [["+**", "+**"], ["0"]]))
       B    C
    -  ---  ---
    A  +**  +**
    B       0
    """
    return marked_pairs(names, marks).to_text()


def marked_pairs(names: Sequence[str], marks: Sequence[Sequence[str]]) -> Table:
    """Return the table that `triangle_table` lays out."""
    check_triangle(names, marks)
    rows = [
        [name, *[""] * a, *row] for a, (name, row) in enumerate(zip(names[:-1], marks, strict=True))
    ]
    return Table(rows, ["", *names[1:]])
