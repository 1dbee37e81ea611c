"""What a fit of weights found, as text, TSV and JSON."""

from __future__ import annotations

from typing import Any

from wordorder.counts import counted, number
from wordorder.errors import UsageError
from wordorder.judgement.fitting import NOTE, SetFit, WeightFit
from wordorder.report.consistency_svg import consistency_svg
from wordorder.report.lines import paragraph, paragraphs
from wordorder.report.tables import Cell, table, tsv
from wordorder.statistics.consistency import Consistency

_DECIMALS = 2
_CURVE_STEPS = 20


def fit_text(fit: WeightFit) -> str:
    """Write the weights, the consistency of each set and the curve as tables.

    Consistency is in percent: a tie of the metric counts as wrong (strict), and as half right.
    """
    pairs = sum(each.fitted.pairs for each in fit.sets)
    over = f"the mean of {counted(len(fit.sets), 'set')}" if len(fit.sets) > 1 else "one set"
    lines = [
        formula(fit),
        f"{_both(fit.mean('fitted'), fit.mean('fitted', 'half'))}, {over}, "
        f"{counted(pairs, 'preference')}; chosen by the {fit.ties} count",
    ]
    if fit.best is not None:
        low, high = number(fit.best.low, 6), number(fit.best.high, 6)
        lines.append(f"{fit.option or f'weights of {fit.names[1]}'} as good: {low} to {high}")
    if fit.sets[0].held_out is not None:
        strict, half = fit.mean("held_out"), fit.mean("held_out", "half")
        lines.append(f"weights from the other sets: {_both(strict, half)} on the set left out")
    lines = list(map(paragraph, lines))
    header, rows = _table(fit)
    lines += ["", table(rows, header, decimals=_DECIMALS)]
    if fit.curve is not None:
        samples = [
            [alpha, 100 * fit.curve.value(alpha), 100 * fit.curve.value(alpha, "half")]
            for alpha, _ in fit.curve.sampled(_CURVE_STEPS)
        ]
        head = [fit.option or f"weight of {fit.names[1]}", "strict", "half"]
        lines += ["", table(samples, head, decimals=_DECIMALS)]
    return "\n".join([*lines, "", paragraphs(NOTE), ""])


def formula(fit: WeightFit) -> str:
    """Write the sum with its weights, or the value of the option.

    Examples
    --------
    >>> formula(WeightFit(("cder", "-bleu"), "strict", (0.6, 0.4), ()))
    '0.6000*cder - 0.4000*bleu'
    """
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
    single = {each.name: each.curve for each in fit.sets if each.curve is not None}
    return consistency_svg(
        fit.curve,
        ends=(fit.names[0], fit.names[1]),
        sets=single if len(single) > 1 else None,
        title=f"{fit.option or formula(fit)}: consistency with people's preferences",
    )


def fit_tsv(fit: WeightFit) -> str:
    """Write the sets as TSV, in full precision."""
    header, rows = _table(fit)
    return tsv([[c if isinstance(c, str) else repr(c) for c in row] for row in rows], header)


def fit_json(fit: WeightFit) -> dict[str, Any]:
    """Return a fit as JSON can hold it; numbers are not rounded."""
    plain: dict[str, Any] = {
        "option": fit.option or None,
        "names": list(fit.names),
        "weights": list(fit.weights),
        "ties": fit.ties,
        "strict": fit.mean("fitted"),
        "half": fit.mean("fitted", "half"),
        "sets": [_set_json(fit, each) for each in fit.sets],
    }
    if fit.best is not None and fit.curve is not None:
        plain["low"], plain["high"] = fit.best.low, fit.best.high
        plain["curve"] = [
            {"alpha": a, "strict": fit.curve.value(a), "half": fit.curve.value(a, "half")}
            for a, _ in fit.curve.sampled(100)
        ]
    if fit.sets[0].held_out is not None:
        plain["held_out"] = {ties: fit.mean("held_out", ties) for ties in ("strict", "half")}
    return plain


def _set_json(fit: WeightFit, each: SetFit) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "name": each.name,
        "members": {
            name: _counts(alone) for name, alone in zip(fit.names, each.members, strict=True)
        },
        "fitted": _counts(each.fitted),
        "own": {"weights": list(each.own_weights), **_counts(each.own)},
    }
    if each.held_out is not None and each.held_out_weights is not None:
        weights = list(each.held_out_weights)
        plain["held_out"] = {"weights": weights, **_counts(each.held_out)}
    return plain


def _counts(consistency: Consistency) -> dict[str, Any]:
    return {
        "pairs": consistency.pairs,
        "agreeing": consistency.agreeing,
        "tied": consistency.tied,
        "strict": consistency.strict,
        "half": consistency.half,
    }


def _table(fit: WeightFit) -> tuple[list[str], list[list[Cell]]]:
    """Return a row for each set: consistency of the members, of the fits, and their weights."""
    header = ["set", "pairs"]
    for name in (*fit.names, "fitted"):
        header += [name, "half"]
    said = fit.option.rpartition(".")[2] or "weights"
    header += [f"own {said}", "own", "half"]
    if fit.sets[0].held_out is not None:
        header += [f"{said} without it", "left out", "half"]
    rows = []
    for each in fit.sets:
        row: list[Cell] = [each.name, each.fitted.pairs]
        for shared in (*each.members, each.fitted):
            row += [100 * shared.strict, 100 * shared.half]
        row += [_weights(fit, each.own_weights), 100 * each.own.strict, 100 * each.own.half]
        if each.held_out is not None and each.held_out_weights is not None:
            held_out = each.held_out
            row += [
                _weights(fit, each.held_out_weights),
                100 * held_out.strict,
                100 * held_out.half,
            ]
        rows.append(row)
    return header, rows


def _weights(fit: WeightFit, weights: tuple[float, ...]) -> str:
    """Write the weights of the members, or the value of the option."""
    return " ".join(map(number, weights[1:] if fit.option else weights))


def _both(strict: float, half: float) -> str:
    return f"{100 * strict:.2f} % strict, {100 * half:.2f} % with ties as half"
