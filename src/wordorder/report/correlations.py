"""How well metrics agree with people, for every format: tables with a plain reading."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from wordorder.drawing.plots import value_text
from wordorder.errors import UsageError
from wordorder.judgement.correlations import (
    P_VALUE_STATISTICS,
    AverageCorrelations,
    Correlation,
    MetaEvaluation,
    SetCorrelations,
    best_first,
    correlation_table,
)
from wordorder.judgement.fit_table import fit_table
from wordorder.judgement.fitting import NOTE, WeightFit
from wordorder.messages import counted, number
from wordorder.report.agreement_reading import set_reading, triangle_marks
from wordorder.report.consistency_figure import consistency_svg
from wordorder.report.document import Document, Output, Part, Table, Title
from wordorder.report.scores import marked_pairs
from wordorder.report.tables import Cell, tsv
from wordorder.scoring.result_columns import columns
from wordorder.text.display import arrow, printable

# Metrics whose tests fit on a terminal side by side.
SIDE_BY_SIDE = 8

LEGEND = (
    "A cell says whether the metric above it agrees better with people than the one to its left: "
    "+* at 90 %, +** at 95 % (one-sided); -*, -** worse; 0: no significant difference."
)


def correlation_output(meta: MetaEvaluation) -> Output:
    """Show one table per set: one row per metric, systems and segments side by side, with notes.

    Means over several sets come first.
    """
    return Output(
        lambda: correlation_table(meta).to_json(),
        meta.to_columns,
        lambda: _correlation_document(meta),
    )


def _correlation_document(meta: MetaEvaluation) -> Document:
    parts = _average_parts(meta, meta.averages) if meta.averages else []
    for name in dict.fromkeys(of_set.name for of_set in meta.sets):
        parts += _set_parts(meta, [of_set for of_set in meta.sets if of_set.name == name])
    if any(of_set.p_values is not None for of_set in meta.sets):
        parts.append(LEGEND)
    signatures = dict.fromkeys(signature for _, signature in meta.shown_signatures)
    return Document(tuple(parts), signatures=tuple(signatures), legends=True)


def _average_parts(meta: MetaEvaluation, averages: Sequence[AverageCorrelations]) -> list[Part]:
    """Lay out the means over the sets."""
    sets = list(dict.fromkeys(name for average in averages for name in average.sets))
    header, rows = _side_by_side(
        [(f"{average.unit} {average.statistic}", average.rows) for average in averages],
        _arrows(meta),
    )
    reasons = dict.fromkeys(
        f"{row.metric}: {row.reason}" for average in averages for row in average.rows if row.reason
    )
    title = Title(f"mean of {counted(len(sets), 'set')}: {', '.join(sets)}")
    return [title, Table(rows, header, below=tuple(reasons))]


def _set_parts(meta: MetaEvaluation, units: Sequence[SetCorrelations]) -> list[Part]:
    """Lay out one set under all its units."""
    first = units[0]
    size = f"{counted(len(first.human.systems), 'system')}, "
    size += counted(first.human.segments.shape[1], "segment")
    header, rows = _side_by_side([(_title(unit), unit.rows) for unit in units], _arrows(meta))
    parts: list[Part] = [
        Title(f"{first.name}: {size}; people: {first.human.name}"),
        Table(rows, header),
        "\n".join(f"{unit.unit.capitalize()}s: {set_reading(unit)}" for unit in units),
    ]
    for unit in units:
        if unit.p_values is not None and 1 < len(unit.rows) <= SIDE_BY_SIDE:
            order = [n for n in best_first(unit.rows) if not math.isnan(unit.rows[n].value)]
            if len(order) > 1:
                metrics = [unit.rows[n].metric for n in order]
                marks = marked_pairs(metrics, triangle_marks(unit, order))
                parts.append(replace(marks, title=f"{unit.unit}s, {unit.test}:"))
    details = [_details(meta, unit) for unit in units]
    details += [f"{unit.unit}s: {remark}" for unit in units for remark in unit.remarks]
    details += [
        f"{unit.unit}s: {printable(row.metric)}: {row.reason}"
        for unit in units
        for row in unit.rows
        if row.reason
    ]
    return [*parts, "\n".join(details)]


def _title(one: SetCorrelations) -> str:
    """Name what a column holds."""
    by = f" by {one.by}" if one.by not in ("", "none") else ""
    return f"{one.unit} {one.statistic}{by}"


def _arrows(meta: MetaEvaluation) -> dict[str, str]:
    """Return the direction in which each metric gets better."""
    tables = [table for of_set in meta.sets for table in of_set.metrics]
    return {table.name: arrow(table.higher_is_better and not table.negated) for table in tables}


def _side_by_side(
    columns: Sequence[tuple[str, Sequence[Correlation]]], arrows: Mapping[str, str]
) -> tuple[list[str], list[list[Cell]]]:
    """Put the values of the metrics side by side, in the order of the first column's values."""
    order = {rows[place].metric: None for _, rows in columns for place in best_first(rows)}
    header = ["metric"]
    by_metric: list[tuple[dict[str, Correlation], bool]] = []
    for title, rows in columns:
        clustered = len({row.cluster for row in rows} - {None}) > 1
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
    """Format a coefficient with its interval; a dash for a missing one.

    Examples
    --------
    >>> shown(Correlation("frs", "system", "pearson", 0.5, 0.25, 0.75, 9))
    '0.5000 [0.2500, 0.7500]'
    """
    return "-" if math.isnan(row.value) else value_text(row)


def _details(meta: MetaEvaluation, each: SetCorrelations) -> str:
    """Describe the data behind numbers, intervals and tests."""
    numbers = sorted({row.n for row in each.rows if not math.isnan(row.value)})
    # Those of systems that look at segments too rest on outputs.
    of_outputs = each.unit == "segment" or each.statistic in P_VALUE_STATISTICS
    compared_unit = "output" if of_outputs else each.unit
    if each.pairs is not None and each.unit == "segment":
        compared_unit = "choice"
    between = " to ".join(f"{n:,}" for n in (numbers[:1] + numbers[1:][-1:]))
    parts = [f"n = {between} {compared_unit}s" if numbers else "no number"]
    resampling = f"{meta.resamples:,} resamples, seed {meta.seed}"
    if each.interval and numbers:
        how = "Fisher's z" if each.interval == "fisher" else f"{each.interval}, {resampling}"
        parts.append(f"[low, high] is the {100 * meta.level:g} % interval ({how})")
    if each.test:
        how = each.test if each.test == "williams" else f"{each.test}, {resampling}"
        parts.append(f"test: {how}")
    return f"{each.unit}s: " + "; ".join(parts)


_DECIMALS = 2

_CURVE_STEPS = 20


def fit_output(fit: WeightFit) -> Output:
    """Show the weights, the consistency of each set and the curve as tables.

    Consistency is in percent: a tie of the metric counts as wrong (strict), and as half right.
    """
    header, rows = _table(fit)
    return Output(
        lambda: fit_table(fit).to_json(),
        lambda: columns(header, rows),
        lambda: _fit_document(fit, header, rows),
        lines=lambda: tsv(rows, header, decimals=None),
    )


def _fit_document(
    fit: WeightFit, header: Sequence[str], rows: Sequence[Sequence[Cell]]
) -> Document:
    pairs = sum(fitted_set.fitted.pairs for fitted_set in fit.sets)
    over = f"the mean of {counted(len(fit.sets), 'set')}" if len(fit.sets) > 1 else "one set"
    lines = [
        formula(fit),
        f"{_both(fit.mean('fitted'), fit.mean('fitted', 'half'))}, {over}, "
        f"{counted(pairs, 'preference')}; chosen by the {fit.ties} count",
    ]
    if fit.best is not None:
        low, high = number(fit.best.low, 6), number(fit.best.high, 6)
        lines.append(f"{_second(fit, 'weights')} as good: {low} to {high}")
    if fit.sets[0].held_out is not None:
        of = "the other segments" if fit.folds else "the other sets"
        left_out = (
            f"the segments left out, {len(fit.folds)} parts" if fit.folds else "the set left out"
        )
        strict, half = fit.mean("held_out"), fit.mean("held_out", "half")
        lines.append(f"weights from {of}: {_both(strict, half)} on {left_out}")
    if fit.folds:
        columns_of = dict(zip(fit.names, zip(*fit.folds, strict=True), strict=True))
        if fit.option and not fit.costs:
            columns_of = {fit.option: columns_of[fit.names[1]]}
        ranges = [
            f"{name} {number(min(each))} to {number(max(each))}"
            for name, each in columns_of.items()
        ]
        lines.append(f"their range: {', '.join(ranges)}")
    parts: list[Part] = ["\n".join(lines), Table(rows, header, _DECIMALS)]
    if fit.curve is not None:
        samples = [
            [alpha, 100 * fit.curve.value(alpha), 100 * fit.curve.value(alpha, "half")]
            for alpha, _ in fit.curve.sampled(_CURVE_STEPS)
        ]
        head = [_second(fit), "strict", "half"]
        parts.append(Table(samples, head, _DECIMALS))
    return Document((*parts, NOTE), legends=True)


def _second(fit: WeightFit, weight: str = "weight") -> str:
    """Describe the second of two weights."""
    if fit.option and not fit.costs:
        return fit.option
    return f"{'cost' if fit.costs else weight} of {fit.names[1]}"


def formula(fit: WeightFit) -> str:
    """Write the sum with its weights, or the value of the option.

    Examples
    --------
    >>> formula(WeightFit(("cder", "-bleu"), "strict", (0.6, 0.4), ()))
    '0.6000*cder - 0.4000*bleu'
    """
    if fit.costs:
        cost_list = ", ".join(f"{name} {number(cost)}" for name, cost in fit.costs.items())
        return f"{fit.option} = {cost_list}"
    if fit.option:
        return f"{fit.option} = {number(fit.weights[1])}"
    terms = zip(fit.weights, fit.names, strict=True)
    signed = [(" - " if n[0] == "-" else " + ", w, n.removeprefix("-")) for w, n in terms]
    return "".join(f"{sign}{number(w)}*{name}" for sign, w, name in signed).removeprefix(" + ")


def fit_curve(fit: WeightFit) -> str:
    """Draw the consistency for every weight of the second of two members as an SVG picture.

    Raises
    ------
    UsageError
        If there are more than two members.
    """
    if fit.curve is None:
        raise UsageError("a curve is for two metrics that are added up")
    single = {
        fitted_set.name: fitted_set.curve for fitted_set in fit.sets if fitted_set.curve is not None
    }
    return consistency_svg(
        fit.curve,
        ends=(fit.names[0], fit.names[1]),
        sets=single if len(single) > 1 else None,
        title=f"{fit.option or formula(fit)}: consistency with people's preferences",
    )


def _table(fit: WeightFit) -> tuple[list[str], list[list[Cell]]]:
    """Return a row for each set: consistency of the members, of the fits, and their weights."""
    header = ["set", "pairs"]
    for name in (*fit.names, "fitted"):
        header += [name, "half"]
    option_name = fit.option.rpartition(".")[2] or "weights"
    header += [f"own {option_name}", "own", "half"]
    if fit.sets[0].held_out_weights is not None:
        header += [f"{option_name} without it"]
    if fit.sets[0].held_out is not None:
        header += ["left out", "half"]
    rows = []
    for fitted_set in fit.sets:
        row: list[Cell] = [fitted_set.name, fitted_set.fitted.pairs]
        for shared in (*fitted_set.members, fitted_set.fitted):
            row += [100 * shared.strict, 100 * shared.half]
        row += [
            _weights(fit, fitted_set.own_weights),
            100 * fitted_set.own.strict,
            100 * fitted_set.own.half,
        ]
        if fitted_set.held_out_weights is not None:
            row.append(_weights(fit, fitted_set.held_out_weights))
        if fitted_set.held_out is not None:
            row += [100 * fitted_set.held_out.strict, 100 * fitted_set.held_out.half]
        rows.append(row)
    return header, rows


def _weights(fit: WeightFit, weights: tuple[float, ...]) -> str:
    """Write the weights of the members, or the value of the option."""
    return " ".join(map(number, weights[1:] if fit.option and not fit.costs else weights))


def _both(strict: float, half: float) -> str:
    return f"{100 * strict:.2f} % strict, {100 * half:.2f} % with ties as half"
