"""Agreement of metrics with human judgements, for every format, with plain sentences."""

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

# The maximum number of metrics whose tests are shown side by side.
MAX_TEST_METRICS = 8

LEGEND = (
    "A cell says whether the metric above it agrees better with people than the one to its left: "
    "+* at 90 %, +** at 95 % (one-sided); -*, -** worse; 0: no significant difference."
)


def correlation_output(meta: MetaEvaluation) -> Output:
    """Return the output of correlations: per set a table with one row per metric, and notes.

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
    """Return the title and table of the means over sets."""
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
    """Return the tables and sentences of one set, for all units."""
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
        if unit.p_values is not None and 1 < len(unit.rows) <= MAX_TEST_METRICS:
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


def _title(correlations: SetCorrelations) -> str:
    """Return the heading of a column: unit, statistic and grouping."""
    by = f" by {correlations.by}" if correlations.by not in ("", "none") else ""
    return f"{correlations.unit} {correlations.statistic}{by}"


def _arrows(meta: MetaEvaluation) -> dict[str, str]:
    """Return an arrow with the direction of each metric."""
    tables = [table for of_set in meta.sets for table in of_set.metrics]
    return {table.name: arrow(table.higher_is_better and not table.negated) for table in tables}


def _side_by_side(
    columns: Sequence[tuple[str, Sequence[Correlation]]], arrows: Mapping[str, str]
) -> tuple[list[str], list[list[Cell]]]:
    """Return header and rows of values side by side, ordered by the first column."""
    order = {rows[place].metric: None for _, rows in columns for place in best_first(rows)}
    header = ["metric"]
    by_metric: list[tuple[dict[str, Correlation], bool]] = []
    for title, rows in columns:
        has_clusters = len({row.cluster for row in rows} - {None}) > 1
        header += [title, "cluster"] if has_clusters else [title]
        by_metric.append(({row.metric: row for row in rows}, has_clusters))
    lines: list[list[Cell]] = []
    for metric in order:
        line: list[Cell] = [f"{metric} {arrows[metric]}"]
        for row_of_metric, has_clusters in by_metric:
            row = row_of_metric.get(metric)
            line.append("" if row is None else coefficient_text(row))
            if has_clusters:
                line.append(None if row is None else row.cluster)
        lines.append(line)
    return header, lines


def coefficient_text(row: Correlation) -> str:
    """Format a coefficient with its interval; a dash for a missing one.

    Examples
    --------
    >>> coefficient_text(Correlation("frs", "system", "pearson", 0.5, 0.25, 0.75, 9))
    '0.5000 [0.2500, 0.7500]'
    """
    return "-" if math.isnan(row.value) else value_text(row)


def _details(meta: MetaEvaluation, correlations: SetCorrelations) -> str:
    """Describe the data behind numbers, intervals and tests."""
    counts = sorted({row.n for row in correlations.rows if not math.isnan(row.value)})
    # Statistics of systems that compare segments rest on outputs too.
    rests_on_outputs = (
        correlations.unit == "segment" or correlations.statistic in P_VALUE_STATISTICS
    )
    compared_unit = "output" if rests_on_outputs else correlations.unit
    if correlations.pairs is not None and correlations.unit == "segment":
        compared_unit = "choice"
    between = " to ".join(f"{n:,}" for n in (counts[:1] + counts[1:][-1:]))
    parts = [f"n = {between} {compared_unit}s" if counts else "no number"]
    resampling = f"{meta.resamples:,} resamples, seed {meta.seed}"
    if correlations.interval and counts:
        method = (
            "Fisher's z"
            if correlations.interval == "fisher"
            else f"{correlations.interval}, {resampling}"
        )
        parts.append(f"[low, high] is the {100 * meta.level:g} % interval ({method})")
    if correlations.test:
        method = (
            correlations.test
            if correlations.test == "williams"
            else f"{correlations.test}, {resampling}"
        )
        parts.append(f"test: {method}")
    return f"{correlations.unit}s: " + "; ".join(parts)


_FIT_DECIMALS = 2

_TABLE_STEPS = 20


def fit_output(fit: WeightFit) -> Output:
    """Return the output of a fit: weights, consistency of each set, and the curve.

    Consistency is in percent: a tie of the metric counts as wrong (strict), and as half right.
    """
    header, rows = _fit_table(fit)
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
        f"{_consistency_text(fit.mean('fitted'), fit.mean('fitted', 'half'))}, {over}, "
        f"{counted(pairs, 'preference')}; chosen by the {fit.ties} count",
    ]
    if fit.best is not None:
        low, high = number(fit.best.low, 6), number(fit.best.high, 6)
        lines.append(f"{_second_weight(fit, 'weights')} as good: {low} to {high}")
    if fit.sets[0].held_out is not None:
        fitted_on = "the other segments" if fit.folds else "the other sets"
        left_out = (
            f"the segments left out, {len(fit.folds)} parts" if fit.folds else "the set left out"
        )
        strict, half = fit.mean("held_out"), fit.mean("held_out", "half")
        lines.append(f"weights from {fitted_on}: {_consistency_text(strict, half)} on {left_out}")
    if fit.folds:
        columns_of = dict(zip(fit.names, zip(*fit.folds, strict=True), strict=True))
        if fit.option and not fit.costs:
            columns_of = {fit.option: columns_of[fit.names[1]]}
        ranges = [
            f"{name} {number(min(column))} to {number(max(column))}"
            for name, column in columns_of.items()
        ]
        lines.append(f"their range: {', '.join(ranges)}")
    parts: list[Part] = ["\n".join(lines), Table(rows, header, _FIT_DECIMALS)]
    if fit.curve is not None:
        samples = [
            [alpha, 100 * fit.curve.value(alpha), 100 * fit.curve.value(alpha, "half")]
            for alpha, _ in fit.curve.sampled(_TABLE_STEPS)
        ]
        head = [_second_weight(fit), "strict", "half"]
        parts.append(Table(samples, head, _FIT_DECIMALS))
    return Document((*parts, NOTE), legends=True)


def _second_weight(fit: WeightFit, weight: str = "weight") -> str:
    """Return the name of the second of two weights."""
    if fit.option and not fit.costs:
        return fit.option
    return f"{'cost' if fit.costs else weight} of {fit.names[1]}"


def formula(fit: WeightFit) -> str:
    """Return the sum with its weights, or the value of the option, as a formula.

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
    """Draw the consistency for every weight of the second of two metrics as SVG.

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


def _fit_table(fit: WeightFit) -> tuple[list[str], list[list[Cell]]]:
    """Return header and rows: per set the consistency of members and fits, and the weights."""
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
        for consistency in (*fitted_set.members, fitted_set.fitted):
            row += [100 * consistency.strict, 100 * consistency.half]
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
    """Return the weights of the members, or the value of the option, as text."""
    return " ".join(map(number, weights[1:] if fit.option and not fit.costs else weights))


def _consistency_text(strict: float, half: float) -> str:
    return f"{100 * strict:.2f} % strict, {100 * half:.2f} % with ties as half"
