"""How well metrics agree with people: as tables with a plain reading, as JSON, as TSV."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from wordorder.counts import counted, number
from wordorder.drawing.width import printable
from wordorder.judgement.correlations import (
    AverageCorrelations,
    Correlation,
    MetaEvaluation,
    SetCorrelations,
    best_first,
)
from wordorder.judgement.statistic_names import OF_SYSTEMS
from wordorder.report.judgement_page.reading import set_reading, triangle_marks
from wordorder.report.lines import paragraph
from wordorder.report.symbols import arrow
from wordorder.report.tables import Cell, columns_tsv, table
from wordorder.report.triangle import triangle_table

# Metrics whose tests fit on a terminal side by side.
SIDE_BY_SIDE = 8
LEGEND = (
    "A cell says whether the metric above it agrees better with people than the one to its left: "
    "+* at 90 %, +** at 95 % (one-sided); -*, -** worse; 0: no significant difference."
)


def correlation_text(meta: MetaEvaluation) -> str:
    """Lay out a table a set: a row a metric, systems and segments side by side; what it says; how.

    Means over several sets come first.
    """
    parts = [_average_text(meta, meta.averages)] if meta.averages else []
    names = dict.fromkeys(each.name for each in meta.sets)
    parts += [_set_text(meta, [s for s in meta.sets if s.name == name]) for name in names]
    if any(each.p_values is not None for each in meta.sets):
        parts.append(paragraph(LEGEND))
    signatures = list(dict.fromkeys(signature for _, signature in meta.shown_signatures))
    if signatures:
        parts.append("\n".join(signatures))
    return "\n\n".join(parts) + "\n"


def _average_text(meta: MetaEvaluation, averages: Sequence[AverageCorrelations]) -> str:
    """Lay out the means over the sets."""
    sets = list(dict.fromkeys(name for each in averages for name in each.sets))
    header, rows = _side_by_side(
        [(f"{each.unit} {each.statistic}", each.rows) for each in averages], _arrows(meta)
    )
    title = f"mean of {counted(len(sets), 'set')}: {', '.join(map(printable, sets))}"
    reasons = dict.fromkeys(
        f"{row.metric}: {row.reason}" for each in averages for row in each.rows if row.reason
    )
    return "\n".join([paragraph(title), "", table(rows, header), *map(paragraph, reasons)])


def _set_text(meta: MetaEvaluation, units: Sequence[SetCorrelations]) -> str:
    """Lay out one set under all its units."""
    first = units[0]
    size = f"{counted(len(first.human.systems), 'system')}, "
    size += counted(first.human.segments.shape[1], "segment")
    title = f"{printable(first.name)}: {size}; people: {printable(first.human.name)}"
    header, rows = _side_by_side([(_title(each), each.rows) for each in units], _arrows(meta))
    parts = [paragraph(title), table(rows, header)]
    said = [f"{each.unit.capitalize()}s: {set_reading(each)}" for each in units]
    parts.append("\n".join(map(paragraph, said)))
    for each in units:
        if each.p_values is not None and 1 < len(each.rows) <= SIDE_BY_SIDE:
            order = [n for n in best_first(each.rows) if not math.isnan(each.rows[n].value)]
            if len(order) > 1:
                metrics = [each.rows[n].metric for n in order]
                parts.append(
                    f"{each.unit}s, {each.test}:\n"
                    f"{triangle_table(metrics, triangle_marks(each, order))}"
                )
    details = [_details(meta, each) for each in units]
    details += [f"{each.unit}s: {remark}" for each in units for remark in each.remarks]
    details += [
        f"{each.unit}s: {printable(row.metric)}: {row.reason}"
        for each in units
        for row in each.rows
        if row.reason
    ]
    return "\n\n".join([*parts, "\n".join(map(paragraph, details))])


def _title(one: SetCorrelations) -> str:
    """Name what a column holds."""
    by = f" by {one.by}" if one.by not in ("", "none") else ""
    return f"{one.unit} {one.statistic}{by}"


def _arrows(meta: MetaEvaluation) -> dict[str, str]:
    """Return the direction in which each metric gets better."""
    tables = [table for each in meta.sets for table in each.metrics]
    return {each.name: arrow(each.higher_is_better and not each.negated) for each in tables}


def _side_by_side(
    columns: Sequence[tuple[str, Sequence[Correlation]]], arrows: Mapping[str, str]
) -> tuple[list[str], list[list[Cell]]]:
    """Put the values of the metrics side by side, in the order of the first column's values."""
    order = {rows[place].metric: None for _, rows in columns for place in best_first(rows)}
    header = ["metric"]
    by_metric: list[tuple[dict[str, Correlation], bool]] = []
    for title, rows in columns:
        clustered = any(row.cluster is not None for row in rows)
        header += [title, "cluster"] if clustered else [title]
        by_metric.append(({row.metric: row for row in rows}, clustered))
    lines: list[list[Cell]] = []
    for metric in order:
        line: list[Cell] = [f"{metric} {arrows[metric]}"]
        for rows_of, clustered in by_metric:
            row = rows_of.get(metric)
            line.append("" if row is None else shown(row))
            if clustered:
                line.append(None if row is None else row.cluster)
        lines.append(line)
    return header, lines


def shown(row: Correlation) -> str:
    """Write a coefficient with its interval; a dash if there is none.

    Examples
    --------
    >>> shown(Correlation("frs", "system", "pearson", 0.5, 0.25, 0.75, 9))
    '0.5000 [0.2500, 0.7500]'
    """
    if math.isnan(row.value):
        return "-"
    if math.isnan(row.low) or math.isnan(row.high):
        return number(row.value)
    return f"{number(row.value)} [{number(row.low)}, {number(row.high)}]"


def _details(meta: MetaEvaluation, each: SetCorrelations) -> str:
    """Say what numbers, intervals and tests rest on."""
    numbers = sorted({row.n for row in each.rows if not math.isnan(row.value)})
    # Those of systems that look at segments too rest on outputs.
    of_outputs = each.unit == "segment" or each.statistic in OF_SYSTEMS
    what = "output" if of_outputs else each.unit
    if each.pairs is not None and each.unit == "segment":
        what = "choice"
    between = " to ".join(f"{n:,}" for n in (numbers[:1] + numbers[1:][-1:]))
    parts = [f"n = {between} {what}s" if numbers else "no number"]
    drawn = f"{meta.resamples:,} resamples, seed {meta.seed}"
    if each.interval and numbers:
        how = "Fisher's z" if each.interval == "fisher" else f"{each.interval}, {drawn}"
        parts.append(f"[low, high] is the {100 * meta.level:g} % interval ({how})")
    if each.test:
        how = each.test if each.test == "williams" else f"{each.test}, {drawn}"
        parts.append(f"test: {how}")
    return f"{each.unit}s: " + "; ".join(parts)


def correlation_json(meta: MetaEvaluation) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists; numbers are not rounded, NaN is null."""
    return {
        "level": meta.level,
        "resamples": meta.resamples,
        "seed": meta.seed,
        "results": [
            {
                "set": each.name,
                "human": each.human.name,
                **_row(row),
                "by": each.by or None,
                "interval": each.interval,
                "test": each.test,
                "signature": meta.signature(row.metric, row.unit),
            }
            for each in meta.sets
            for row in each.rows
        ],
        "averages": [
            {"sets": list(each.sets), **_row(row)} for each in meta.averages for row in each.rows
        ],
        "tests": [
            {
                "set": each.name,
                "unit": each.unit,
                "statistic": each.statistic,
                "test": each.test,
                "a": each.rows[a].metric,
                "b": each.rows[b].metric,
                "p": _plain(float(each.p_values[a, b])),
            }
            for each in meta.sets
            if each.p_values is not None
            for a in range(len(each.rows))
            for b in range(len(each.rows))
            if a != b
        ],
        "remarks": [
            {"set": each.name, "unit": each.unit, "remark": remark}
            for each in meta.sets
            for remark in each.remarks
        ],
    }


def correlation_tsv(meta: MetaEvaluation) -> str:
    """Write one row for each metric, set and unit, in full precision; averages come last."""
    return columns_tsv(meta.to_columns())


def _row(row: Correlation) -> dict[str, Any]:
    return {
        "metric": row.metric,
        "unit": row.unit,
        "statistic": row.statistic,
        "value": _plain(row.value),
        "low": _plain(row.low),
        "high": _plain(row.high),
        "n": row.n,
        "cluster": row.cluster,
        "threshold": row.threshold,
        "reason": row.reason,
    }


def _plain(value: float) -> float | None:
    """Return a number that JSON can hold."""
    return None if math.isnan(value) else value
