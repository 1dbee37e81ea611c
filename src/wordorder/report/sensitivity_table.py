"""Which rankings survive other conventions of the reference orders, for every format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from wordorder.analysis.grid import Grid
from wordorder.analysis.sensitivity import (
    Convention,
    PairSurvival,
    Sensitivity,
    ranking_tau,
    survivals,
)
from wordorder.counts import counted, joined
from wordorder.drawing.width import printable
from wordorder.report.document import (
    Columns,
    Document,
    Output,
    Part,
    Table,
    Title,
    document_text,
    records,
)
from wordorder.report.grid_table import best_systems
from wordorder.report.scores import metric_headings
from wordorder.report.tables import Cell

# Systems whose values fit side by side; of more, the range is shown.
SENSITIVITY_SIDE_BY_SIDE = 6
# Rankings that are listed; of more, those that some convention turns.
PAIRS = 15


def sensitivity_output(sensitivity: Sensitivity) -> Output:
    """Show for each metric the conventions, the rankings, and what survives."""
    return Output(
        lambda: _sensitivity_data(sensitivity),
        lambda: _sensitivity_columns(sensitivity),
        lambda: sensitivity_document(sensitivity),
    )


def sensitivity_text(sensitivity: Sensitivity) -> str:
    """Write `sensitivity_document` for a terminal."""
    return document_text(sensitivity_document(sensitivity))


def sensitivity_document(sensitivity: Sensitivity) -> Document:
    """Lay out for each metric the conventions, the rankings, and what survives."""
    first = sensitivity.grids[0]
    parts: list[Part] = []
    for m, name in enumerate(metric_headings(first.evaluation, first.metrics)):
        parts += [Title(name), *_sensitivity_parts(sensitivity, m)]
    signatures = tuple(map(str, first.signatures))
    return Document(tuple(parts), tuple(_sensitivity_how(sensitivity)), signatures)


def _sensitivity_data(sensitivity: Sensitivity) -> dict[str, Any]:
    first = sensitivity.grids[0]
    names = [system.name for system in first.evaluation.systems]
    metrics = []
    for m, signature in enumerate(first.signatures):
        conventions = []
        for convention, grid in sensitivity.of_metric(m):
            systems = [
                {"name": name, "value": estimate.value, "low": estimate.low, "high": estimate.high}
                for name, estimate in zip(names, grid.estimates[m], strict=True)
            ]
            score = grid.evaluation.systems[0].scores[m]
            conventions.append(
                {
                    **_fields(convention),
                    "signature": str(grid.signatures[m]),
                    "scored": score.segments - score.skipped,
                    "best": [names[i] for i in best_systems(grid, m)],
                    "tau": _tau(first, grid, m),
                    "systems": systems,
                }
            )
        pairs = [
            {
                "better": names[pair.better],
                "worse": names[pair.worse],
                **{k: v for k, v in asdict(pair).items() if k not in ("better", "worse")},
            }
            for pair in survivals(sensitivity, m)
        ]
        metrics.append(
            {
                "metric": signature.metric,
                "conventions": conventions,
                "pairs": pairs,
                "reading": list(_readings(sensitivity, m)),
            }
        )
    return {
        "segments": first.evaluation.segments,
        "systems": names,
        "level": first.level,
        "resamples": first.resamples,
        "seed": first.seed,
        "conventions": [
            {**_fields(convention), "same": [_fields(other) for other in same]}
            for convention, same in zip(sensitivity.conventions, sensitivity.same, strict=True)
        ],
        "metrics": metrics,
    }


def _sensitivity_columns(sensitivity: Sensitivity) -> Columns:
    """Return one row for each convention, system and metric."""
    rows = [
        {**_fields(convention), **row}
        for convention, grid in zip(sensitivity.conventions, sensitivity.grids, strict=True)
        for row in records(grid.to_columns())
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _sensitivity_parts(sensitivity: Sensitivity, m: int) -> Iterator[Part]:
    first = sensitivity.grids[0]
    names = [system.name for system in first.evaluation.systems]
    narrow = len(names) <= SENSITIVITY_SIDE_BY_SIDE
    rows: list[list[Cell]] = []
    for convention, grid in sensitivity.of_metric(m):
        values = [estimate.value for estimate in grid.estimates[m]]
        score = grid.evaluation.systems[0].scores[m]
        rows.append(
            [
                str(convention),
                score.segments - score.skipped,
                *(values if narrow else (min(values), max(values))),
                _some([names[i] for i in best_systems(grid, m)]),
                _tau(first, grid, m),
            ]
        )
    shown = names if narrow else ["lowest", "highest"]
    yield Table(rows, ["convention", "scored", *shown, "best", "tau"])
    pairs, total = survivals(sensitivity, m), len(rows)
    listed = pairs if len(pairs) <= PAIRS else [p for p in pairs if not _same(p, total)]
    if listed:
        header = ["ranking", "holds", "at 95 %", "equal", "turned", "at 95 %"]
        yield Table([_pair_row(names, pair) for pair in listed], header)
    yield "\n".join(map(printable, _readings(sensitivity, m)))


def _pair_row(names: Sequence[str], pair: PairSurvival) -> list[Cell]:
    counts: list[Cell] = [pair.holds, pair.surely, pair.equal, pair.turned, pair.turned_surely]
    return [_ranking(names, pair), *counts]


def _ranking(names: Sequence[str], pair: PairSurvival) -> str:
    return f"{names[pair.better]} {'>' if pair.ranked else '='} {names[pair.worse]}"


def _readings(sensitivity: Sensitivity, m: int) -> Iterator[str]:
    """Say in words which systems are best, and which rankings survive."""
    grids = [grid for _, grid in sensitivity.of_metric(m)]
    names = [system.name for system in grids[0].evaluation.systems]
    if len(names) < 2:
        yield "There is only one system to rank."
        return
    if len(grids) < 2:
        yield "There is only one convention: nothing varies."
        return
    total, under = len(grids), counted(len(grids), "convention")
    # Counted by their numbers: of many equal systems not all are named.
    best = Counter(tuple(best_systems(grid, m)) for grid in grids).most_common()
    (winner, often), *others = ((_some([names[i] for i in each]), count) for each, count in best)
    if not others:
        yield f"Best under all {under}: {winner}."
    else:
        rest = "; ".join(f"{name} under {count}" for name, count in others)
        yield f"Best under {often} of {under}: {winner}; {rest}."
    pairs = survivals(sensitivity, m)
    ranked = [pair for pair in pairs if pair.ranked]
    firm = [pair for pair in ranked if _same(pair, total)]
    surely = sum(pair.surely == total for pair in firm)
    if ranked:
        yield (
            "Rankings within the same rules or with the same parser that hold under all "
            f"{under}: {len(firm)} of {len(ranked)}; at 95 % under each: {surely}."
        )
    if 0 < len(firm) <= PAIRS:
        yield f"Under all {under}: {joined([_ranking(names, pair) for pair in firm])}."
    shaky = [pair for pair in ranked if not _same(pair, total)]
    if 0 < len(shaky) <= PAIRS:
        named = [f"{_ranking(names, pair)} under {pair.holds} of {total}" for pair in shaky]
        yield f"Not under all: {'; '.join(named)}."


def _same(pair: PairSurvival, total: int) -> bool:
    """Whether all of so many conventions rank two systems as the first one does."""
    return total == (pair.holds if pair.ranked else pair.equal)


def _sensitivity_how(sensitivity: Sensitivity) -> Iterator[str]:
    """Say what the numbers are."""
    first = sensitivity.grids[0]
    yield (
        "The first convention is the one that was asked for; tau is Kendall's tau-b between its "
        "ranking of all systems and that of another convention."
    )
    yield (
        "holds, equal, turned: under how many conventions the system at the left has the better "
        "value, the same, the worse one; at 95 %: in how many of these a paired test is sure of it."
    )
    for convention, same in zip(sensitivity.conventions, sensitivity.same, strict=True):
        if same:
            yield f"the same as {convention}: {'; '.join(map(str, same))}"
    yield f"{counted(first.evaluation.segments, 'segment')}; under the first convention:"


def _tau(first: Grid, other: Grid, m: int) -> float | None:
    """Return how alike the rankings of the first convention and of another one are."""
    one, two = (np.array([e.value for e in grid.estimates[m]]) for grid in (first, other))
    return ranking_tau(one, two)


def _some(names: Sequence[str]) -> str:
    """Name the best systems, or so many of them that a line stays a line."""
    if len(names) <= 3:
        return joined(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more"


def _fields(convention: Convention) -> dict[str, str | None]:
    return asdict(convention)
