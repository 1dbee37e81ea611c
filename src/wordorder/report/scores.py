"""Scores of systems, and tests between them, for every format."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, TypeAlias

from wordorder.arrays import Float64
from wordorder.messages import DECIMALS, counted, joined, number, percent
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import formula_of
from wordorder.records import columns_of
from wordorder.report.document import (
    Document,
    Output,
    Part,
    Table,
    Title,
    document_text,
)
from wordorder.report.marks import colour_signs
from wordorder.report.runs import RUNS_NOTE, run_table
from wordorder.report.tables import (
    Cell,
    NumberRows,
    estimate,
    interval,
    p_number,
    rank_range,
    tsv,
)
from wordorder.scoring.result_records import (
    ScoreTable,
    comparison_table,
    score_table,
    segment_signatures,
)
from wordorder.scoring.significance_summary import check_triangle, comparison_reading
from wordorder.statistics.bucket_sums import BUCKETS
from wordorder.statistics.intervals import Estimate
from wordorder.statistics.measurement import NOT_COMPARED
from wordorder.statistics.paired_tests import Comparison
from wordorder.statistics.system_ranks import clusters, system_rank_ranges
from wordorder.text.display import arrow, printable

if TYPE_CHECKING:
    from wordorder.scoring.comparisons import ComparedSystems
    from wordorder.scoring.scores import Scores
    from wordorder.scoring.systems import Evaluation

# Estimates by metric, then by system.
Estimates: TypeAlias = "Sequence[Sequence[Estimate]]"

# With more metrics, each has a row instead of a column.
MAX_METRIC_COLUMNS = 6

SegmentScores = Mapping[tuple[int, int], Float64]


# Segments that are written in one go.
SEGMENTS_PER_WRITE = 1 << 12

# All pairs of six systems; a longer list would hide more than it shows.
MAX_LISTED_PAIRS = 15
TRIANGLE_LEGEND = (
    "A cell says whether the system above it is better than the one to its left: +* at 90 %, +** "
    "at 95 %; -*, -** worse; 0: no significant difference."
)


def score_output(
    scores: Scores, level: float, *, segments: bool = False, arrays: bool = False
) -> Output:
    """Return the output of scores, including those of segments if `segments`.

    With `arrays`, the data for JSON has arrays instead of lists for the scores of segments.
    """
    by_segment = scores.segments if segments else None
    table_arguments = scores.evaluation, scores.estimates, scores.metrics, by_segment
    return Output(
        lambda: score_table(*table_arguments).to_json(arrays=arrays),
        scores.to_columns,
        lambda: score_document(scores, level, segments=segments),
        lines=lambda: score_tsv(score_table(*table_arguments)),
    )


def score_document(scores: Scores, level: float, *, segments: bool = False) -> Document:
    """Return a table with one row per system and one column per metric, and notes.

    Parameters
    ----------
    scores : Scores
    level : float
        The level of the intervals, if there are any.
    segments : bool
        Whether to show the scores of segments too.
    """
    evaluation, estimates = scores.evaluation, scores.estimates
    metrics = metric_headings(scores.evaluation, scores.metrics)
    match_shares = matched_cells(evaluation, scores.metrics)
    rows: list[list[Cell]] = []
    for system_index, system in enumerate(evaluation.systems):
        cells: list[Cell] = [score.value for score in system.scores]
        if estimates is not None:
            cells = [
                estimate(
                    metric_estimates[system_index].value,
                    metric_estimates[system_index].low,
                    metric_estimates[system_index].high,
                )
                for metric_estimates in estimates
            ]
        rows.append([system.name, *cells, *match_shares[system_index]])
    header = ["system", *metrics, *(["matched"] if any(match_shares) else [])]
    if len(metrics) > MAX_METRIC_COLUMNS:
        header, rows = _transpose(header, rows)
    parts = [Table(rows, header), *run_table(evaluation, evaluation.metric_names)]
    if segments and scores.segments is not None:
        header = [
            "segment",
            *(f"{system.name} {name}" for system in evaluation.systems for name in metrics),
        ]
        values = [
            scores.segments[s, m]
            for s in range(len(evaluation.systems))
            for m in range(len(metrics))
        ]
        parts.append(Table(NumberRows(values), header))
    counts = f"{counted(evaluation.segments, 'segment')}, {evaluation.skipped} skipped"
    if evaluation.systems[0].runs:
        counts += f"; {RUNS_NOTE}"
    if evaluation.documents is not None and len(evaluation.documents) == 1:
        counts += "; no interval of 1 document"
    elif estimates is not None:
        counts += f"; [low, high] is the {100 * level:g} % interval by bootstrap resampling"
        counts += resampled_units(evaluation)
    lines = list(signatures(evaluation))
    if segments and scores.segments is not None:
        lines += [
            f"segments: {line}"
            for line in segment_signatures(evaluation, scores.metrics)
            if line not in lines
        ]
    return Document(tuple(parts), (counts,), tuple(lines))


def matched_cells(
    evaluation: Evaluation, metrics: Sequence[BaseMetric]
) -> list[list[float | None]]:
    """Return the share of matched reference words of each system, in a list.

    The lists are empty if no metric reads orders, or if all words match.
    """
    shares = [max_or_none(map(system.matched, metrics)) for system in evaluation.systems]
    return [[] if max_or_none(shares) is None else [share] for share in shares]


def max_or_none(values: Iterable[float | None]) -> float | None:
    """Return the largest value that is not None; None if there is none."""
    return max((value for value in values if value is not None), default=None)


def metric_headings(evaluation: Evaluation, metrics: Sequence[BaseMetric]) -> list[str]:
    """Return the headings of metrics, with arrows for their directions."""
    return [
        f"{formula_of(name)} {arrow(metric.higher_is_better)}"
        for name, metric in zip(evaluation.metric_names, metrics, strict=True)
    ]


def signatures(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the signatures of an evaluation's metrics."""
    return tuple(str(score.signature) for score in evaluation.systems[0].scores)


def resampled_units(evaluation: Evaluation) -> str:
    """Return the part of a note on what is resampled, if not segments alone."""
    runs = evaluation.systems[0].runs
    runs_text = " and of runs" if runs else ""
    if evaluation.documents is not None:
        return f" of {counted(len(evaluation.documents), 'document')}{runs_text}"
    if (runs or evaluation.systems)[0].buckets:
        return f" of {BUCKETS:,} buckets of segments{runs_text}"
    return f" of segments{runs_text}" if runs else ""


def score_tsv(table: ScoreTable) -> Iterator[str]:
    """Yield one row per score, in full precision; segments have rows of their own.

    The row of a segment has a signature if it differs from that of the corpus.
    """
    header = ["system", "metric", "segment", "value", "low", "high", "matched", "signature"]
    has_runs = any(score.runs for system in table.systems for score in system.scores)
    names = [*header, *(["spread", "runs"] if has_runs else [])]
    yield tsv([], names) + "\n"
    for system in table.systems:
        for score in system.scores:
            cells = columns_of([name for name in names if name != "segment"], [(score, system)])
            row = [None if name == "segment" else cells[name][0] for name in names]
            yield tsv([row], decimals=None) + "\n"
            if score.segments is None:
                continue
            start = tsv([[system.system, score.metric]])
            segment_signature = (
                score.segments_signature if score.segments_signature != score.signature else ""
            )
            end = f"\t\t\t\t{segment_signature}" + "\t" * (len(names) - len(header))
            for first, values in _value_parts(score.segments):
                yield "".join(
                    f"{start}\t{segment}\t{'' if value is None else repr(value)}{end}\n"
                    for segment, value in enumerate(values, first + 1)
                )


def _value_parts(values: Float64) -> Iterator[tuple[int, list[float | None]]]:
    """Yield the index of the first value and a batch of values, None for NaN."""
    for first in range(0, len(values), SEGMENTS_PER_WRITE):
        part = values[first : first + SEGMENTS_PER_WRITE].tolist()
        yield first, [None if value != value else value for value in part]


def _transpose(header: list[str], rows: list[list[Cell]]) -> tuple[list[str], list[list[Cell]]]:
    """Exchange the rows and columns of a table whose first column is text."""
    columns = zip(header[1:], *(row[1:] for row in rows), strict=True)
    return ["metric", *(str(row[0]) for row in rows)], [list(row) for row in columns]


def triangle_table(names: Sequence[str], marks: Sequence[Sequence[str]]) -> str:
    """Return the marks of all pairs as text, as in Talbot et al. (2011), Tables 3-5.

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
    """Return the table of `triangle_table`."""
    check_triangle(names, marks)
    rows = [
        [name, *[""] * a, *row] for a, (name, row) in enumerate(zip(names[:-1], marks, strict=True))
    ]
    return Table(rows, ["", *names[1:]])


def comparison_output(compared: ComparedSystems) -> Output:
    """Return the output of a comparison."""
    return Output(
        lambda: comparison_table(
            compared.evaluation, compared.comparisons, compared.metrics
        ).to_json(),
        compared.to_columns,
        lambda: comparison_document(compared),
        lambda: colour_signs(document_text(comparison_document(compared))),
    )


def comparison_document(compared: ComparedSystems) -> Document:
    """Return ranks, triangle and sentences for each metric."""
    evaluation, comparisons = compared.evaluation, compared.comparisons
    names = [system.name for system in evaluation.systems]
    metrics = metric_headings(evaluation, compared.metrics)
    parts: list[Part] = []
    for index, comparison in enumerate(comparisons):
        ranks = clusters(comparison)
        marks = comparison.triangle()
        parts += [
            Title(metrics[index]),
            ranked_systems(
                names,
                comparison.values,
                system_rank_ranges(comparison),
                ranks,
                matched=[system.matched(compared.metrics[index]) for system in evaluation.systems],
            ),
            cluster_reading(names, ranks),
        ]
        if len(names) > 1:
            parts += [marked_pairs(names, marks), comparison_reading(names, comparison)]
            parts += pair_table(names, comparison)
    parts += run_table(evaluation, evaluation.metric_names)
    first = comparisons[0]
    note = (
        f"{counted(evaluation.segments, 'segment')}, {evaluation.skipped} skipped; "
        f"{first.test_name}{resampled_units(evaluation)}, "
        f"{counted(first.resamples, 'resample')}, seed {first.seed}"
    )
    note += f"; {RUNS_NOTE}" if evaluation.systems[0].runs else ""
    legend = (TRIANGLE_LEGEND,) if len(names) > 1 else ()
    return Document(tuple(parts), (*legend, note), signatures(evaluation))


def pair_table(names: Sequence[str], comparison: Comparison) -> list[Part]:
    """Return a table of difference, 95 % interval and p of each pair, at most `MAX_LISTED_PAIRS`.

    If pairs are compared on common words, the share of these is a column too.
    """
    listed = comparison.pairs[:MAX_LISTED_PAIRS]
    shares = any(pair.common is not None for pair in comparison.pairs)
    rows: list[list[Cell]] = []
    for pair in listed:
        bounds = pair.interval_95
        low_high = "" if bounds is None else interval(*bounds)
        name = f"{names[pair.second]} - {names[pair.first]}"
        cells: list[Cell] = ["", "", NOT_COMPARED]
        if pair.mark != NOT_COMPARED:
            cells = [number(pair.difference), low_high, p_number(pair.p_value)]
        if shares:
            cells.append("" if pair.common is None else percent(pair.common, 1))
        rows.append([name, *cells])
    omitted = len(comparison.pairs) - len(listed)
    note = [f"... and {counted(omitted, 'pair')} more (--format tsv shows all)"] if omitted else []
    header = ["pair", "difference", "95 % interval", "p", *(["common words"] if shares else [])]
    return [Table(rows, header), *note]


def rank_table(
    names: Sequence[str],
    values: Sequence[float],
    ranges: Sequence[tuple[int, int]],
    clusters: Sequence[Sequence[int]],
    *,
    decimals: int = DECIMALS,
) -> str:
    """Return the systems as text, best first, with the ranks that each may have.

    Parameters
    ----------
    names, values, ranges : one per system
        Its name, its value, and its best and worst possible rank.
    clusters : groups of system indices
        The best group first; a blank line separates groups.

    Examples
    --------
    >>> print(rank_table(["A", "B", "C"], [0.5, 0.9, 0.4], [(2, 3), (1, 1), (2, 3)],
    ...                  [(1,), (0, 2)]))
    rank  system   value
    ----  ------  ------
    1     B       0.9000
    <BLANKLINE>
    2-3   A       0.5000
    2-3   C       0.4000
    """
    return ranked_systems(names, values, ranges, clusters, decimals=decimals).to_text()


def ranked_systems(
    names: Sequence[str],
    values: Sequence[float],
    ranges: Sequence[tuple[int, int]],
    clusters: Sequence[Sequence[int]],
    *,
    decimals: int = DECIMALS,
    matched: Sequence[float | None] = (),
) -> Table:
    """Return the table of `rank_table`, with the shares of matched words if there are any."""
    order = [system for cluster in clusters for system in cluster]
    match_columns = [] if max_or_none(matched) is None else [matched]
    rows = [
        (rank_range(*ranges[i]), names[i], values[i], *(column[i] for column in match_columns))
        for i in order
    ]
    ends = accumulate(len(cluster) for cluster in clusters[:-1])
    header = ["rank", "system", "value", *["matched"] * len(match_columns)]
    return Table(rows, header, decimals, tuple(end - 1 for end in ends))


def cluster_reading(
    names: Sequence[str],
    clusters: Sequence[Sequence[int]],
    *,
    subject: str = "test",
    level: float = 0.95,
    above: Sequence[Collection[str]] = (),
) -> str:
    """Describe the groups of systems that a test, or another `subject`, distinguishes.

    Parameters
    ----------
    names : sequence of str
    clusters : groups of system indices, the best first
    subject : str
    level : float
    above : one collection of names per system, optional
        The systems that it significantly beats: a second sentence lists the pairs within groups.

    Examples
    --------
    >>> cluster_reading(["A", "B", "C"], [(1,), (0, 2)])
    'The test tells 2 groups apart (95 %), best first: B; A and C.'
    >>> cluster_reading(["A", "B", "C"], [(0, 1, 2)], above=["C", "", ""])
    'The test tells no groups apart (95 %), but 1 of 3 pairs is sure (95 % each): A above C.'
    """
    groups = [joined([printable(names[i]) for i in cluster]) for cluster in clusters]
    sure = f"{100 * level:g} %"
    pairs = _pairs_within(names, clusters, above) if above else []
    sure_count = sum(len(better) * len(worse) for better, worse, _ in pairs)
    pair_list = "; ".join(text for _, _, text in pairs)
    if len(groups) > 1:
        pair_count = sum(len(cluster) * (len(cluster) - 1) // 2 for cluster in clusters)
        verb = "is" if sure_count == 1 else "are"
        share = f"{sure_count} of {counted(pair_count, 'pair')} within groups {verb}"
        within_text = f" {share} sure ({sure} each): {pair_list}." if pairs else ""
        group_list = "; ".join(groups)
        return (
            f"The {subject} tells {len(groups)} groups apart ({sure}), best first: "
            f"{group_list}.{within_text}"
        )
    if len(names) == 1:
        return "There is only one system to rank."
    if pairs:
        share = counted(len(names) * (len(names) - 1) // 2, "pair")
        verb = "is" if sure_count == 1 else "are"
        summary = f"{sure_count} of {share} {verb} sure ({sure} each): {pair_list}"
        return f"The {subject} tells no groups apart ({sure}), but {summary}."
    return f"The {subject} does not tell groups apart ({sure}): {groups[0]} stay together."


def _pairs_within(
    names: Sequence[str], clusters: Sequence[Sequence[int]], above: Sequence[Collection[str]]
) -> list[tuple[list[int], tuple[int, ...], str]]:
    """Return systems that beat the same systems of their cluster, those, and a text."""
    result: list[tuple[list[int], tuple[int, ...], str]] = []
    for cluster in clusters:
        better_than: dict[tuple[int, ...], list[int]] = {}
        for system in cluster:
            worse = tuple(j for j in cluster if names[j] in above[system])
            if worse:
                better_than.setdefault(worse, []).append(system)
        for below, better in better_than.items():
            is_above_all = len(better) + len(below) == len(cluster) and len(better) > len(below)
            subject = (
                "all others" if is_above_all else joined([printable(names[i]) for i in better])
            )
            text = f"{subject} above {_listed_below(names, cluster, below)}"
            result.append((better, below, text))
    return result


def _listed_below(names: Sequence[str], cluster: Sequence[int], below: Sequence[int]) -> str:
    """Return the names of some systems; three or more at the end of a cluster are abbreviated."""
    tail = 0
    while tail < len(below) and below[-1 - tail] == cluster[-1 - tail]:
        tail += 1
    below_names = [printable(names[i]) for i in below]
    if tail < 3:
        return joined(below_names)
    return ", ".join(
        [*below_names[: len(below_names) - tail], f"{below_names[-tail]} and all after it"]
    )
