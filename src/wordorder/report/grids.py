"""Parsers × rule sets, for every format: values, tests, and what other conventions change."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from itertools import product
from typing import Any

import numpy as np

from wordorder.analysis.grid import Grid
from wordorder.analysis.sensitivity import PairSurvival, Sensitivity, ranking_tau, survivals
from wordorder.analysis.significance_summary import LISTED_NAMES, triangle_reading
from wordorder.messages import counted, joined, number
from wordorder.report import document, scores
from wordorder.report.tables import Cell, columns_tsv, estimate
from wordorder.statistics.intervals import margin
from wordorder.statistics.paired_tests import Comparison
from wordorder.text.display import printable

# Metrics with intervals that fit on a line.
SIDE_BY_SIDE = 4


# Systems whose values fit side by side; of more, the range is shown.
SENSITIVITY_SIDE_BY_SIDE = 6
# Rankings that are listed; of more, those that some convention turns.
PAIRS = 15


def grid_output(grid: Grid, *, all_triangles: bool = False) -> document.Output:
    """Show all values with their intervals, and the tests that `grid_document` chooses."""
    return document.Output(
        lambda: grid_json(grid),
        grid.to_columns,
        lambda: grid_document(grid, all_triangles=all_triangles),
    )


def grid_text(grid: Grid, *, all_triangles: bool = False) -> str:
    """Write `grid_document` for a terminal."""
    return document.document_text(grid_document(grid, all_triangles=all_triangles))


def grid_document(grid: Grid, *, all_triangles: bool = False) -> document.Document:
    """Lay out all values with their intervals, then for each metric the grid and its triangles.

    Parameters
    ----------
    grid : Grid
    all_triangles : bool
        Whether parsers are compared under each rule set, and rule sets with each parser; if not,
        those of the best system are, as in Talbot et al. (2011), Tables 3-5.
    """
    names = scores.metric_headings(grid.evaluation, grid.metrics)
    parts: list[document.Part] = list(_intervals(grid, names))
    for m, name in enumerate(names):
        parts += [document.Title(name), *_metric_parts(grid, m, all_triangles=all_triangles)]
    return document.Document(tuple(parts), tuple(_how(grid)), tuple(map(str, grid.signatures)))


def grid_json(grid: Grid) -> dict[str, Any]:
    """Return everything as plain dictionaries and lists."""
    evaluation = grid.evaluation
    names = [system.name for system in evaluation.systems]
    pairs = list(product(grid.parsers, grid.rules))
    metrics = []
    for m, signature in enumerate(grid.signatures):
        systems = [
            {
                "name": system.name,
                "parser": parser,
                "rules": rules,
                **document.fields_of(estimate, "value low high"),
                "scored": system.scores[m].segments - system.scores[m].skipped,
                "skipped": system.scores[m].skipped,
                "dropped": system.dropped,
                "signature": str(system.scores[m].signature),
            }
            for system, estimate, (parser, rules) in zip(
                evaluation.systems, grid.estimates[m], pairs, strict=True
            )
        ]
        metrics.append(
            {
                "metric": signature.metric,
                "signature": str(signature),
                "higher_is_better": grid.metrics[m].higher_is_better,
                "best": [names[i] for i in best_systems(grid, m)],
                "systems": systems,
                "parsers_compared": [
                    {"rules": rules, **_comparison(grid, m, group, comparison)}
                    for rules, group, comparison in parsers_compared(grid, m)
                ],
                "rules_compared": [
                    {"parser": parser, **_comparison(grid, m, group, comparison)}
                    for parser, group, comparison in rules_compared(grid, m)
                ],
            }
        )
    return {
        **scores.counts_of(evaluation),
        "parsers": list(grid.parsers),
        "rules": list(grid.rules),
        **document.fields_of(grid, "level resamples seed"),
        "metrics": metrics,
    }


def grid_tsv(grid: Grid) -> str:
    """Write one row for each system and metric, in full precision."""
    return columns_tsv(grid.to_columns())


def best_systems(grid: Grid, m: int) -> list[int]:
    """Return the numbers of the systems with the best value of a metric; equal ones all count."""
    values = np.array([estimate.value for estimate in grid.estimates[m]])
    best = values.max() if grid.metrics[m].higher_is_better else values.min()
    return [int(i) for i in np.flatnonzero(np.abs(values - best) <= margin(best))]


def parsers_compared(grid: Grid, m: int) -> Iterator[tuple[str, range, Comparison]]:
    """Yield each rule set with the numbers of its systems and their comparison."""
    if len(grid.parsers) > 1:
        yield from zip(grid.rules, grid.under_rules, grid.by_rules[m], strict=True)


def rules_compared(grid: Grid, m: int) -> Iterator[tuple[str, range, Comparison]]:
    """Yield each parser with the numbers of its systems and their comparison."""
    if len(grid.rules) > 1:
        yield from zip(grid.parsers, grid.with_parser, grid.by_parser[m], strict=True)


def _intervals(grid: Grid, names: Sequence[str]) -> Iterator[document.Table]:
    """Yield tables with one row per system, and value and interval of some metrics."""
    for first in range(0, len(names), SIDE_BY_SIDE):
        some = range(first, min(first + SIDE_BY_SIDE, len(names)))
        rows = []
        for s, system in enumerate(grid.evaluation.systems):
            estimates = [grid.estimates[m][s] for m in some]
            cells = [estimate(e.value, e.low, e.high) for e in estimates]
            rows.append([system.name, *cells])
        yield document.Table(rows, ["system", *(names[m] for m in some)])


def _metric_parts(grid: Grid, m: int, *, all_triangles: bool) -> Iterator[document.Part]:
    """Yield the grid of a metric, its best system, and triangles with their readings."""
    names = [system.name for system in grid.evaluation.systems]
    best = best_systems(grid, m)
    if len(grid.parsers) > 1 and len(grid.rules) > 1:
        values = [estimate.value for estimate in grid.estimates[m]]
        rows: list[list[Cell]] = [
            [parser, *(values[i] for i in group)]
            for parser, group in zip(grid.parsers, grid.with_parser, strict=True)
        ]
        yield document.Table(rows, ["", *grid.rules])
    left_out = 0
    for shown, compared in (
        ("Parsers with {}", parsers_compared(grid, m)),
        ("Rule sets with {}", rules_compared(grid, m)),
    ):
        for fixed, group, comparison in compared:
            if not all_triangles and best[0] not in group:
                left_out += 1
                continue
            of_group, marks = [names[i] for i in group], comparison.triangle()
            yield f"{shown.format(printable(fixed))}:"
            yield scores.marked_pairs(of_group, marks)
            yield triangle_reading(of_group, marks)
    if len(names) > 1:
        which = printable(joined([names[i] for i in best]))
        more = f" ({counted(left_out, 'more triangle')}: -O triangles=all)" if left_out else ""
        value = number(grid.estimates[m][best[0]].value)
        alike = [printable(names[i]) for i in _alike(grid, m, best)]
        if alike:
            have = "has" if len(best) == 1 else "have"
            others = joined(alike) if len(alike) <= LISTED_NAMES else f"{len(alike)} others"
            sure = f"not significantly better (95 %) than {others}"
            yield f"{which} {have} the best value, {value}, but {sure}.{more}"
        else:
            yield f"{which} {'is' if len(best) == 1 else 'are'} best: {value}.{more}"


def _alike(grid: Grid, m: int, best: Sequence[int]) -> list[int]:
    """Return the systems compared with one of the best ones that it does not significantly beat."""
    alike = set()
    for _, group, comparison in (*parsers_compared(grid, m), *rules_compared(grid, m)):
        for winner in set(best) & set(group):
            beaten = comparison.beats()[list(group).index(winner)]
            alike |= {i for i, loses in zip(group, beaten, strict=True) if not loses} - set(best)
    return sorted(alike)


def _how(grid: Grid) -> list[str]:
    """Say how to read the tables, and how the numbers came about."""
    evaluation = grid.evaluation
    lines = [
        f"{counted(evaluation.segments, 'segment')}, {evaluation.skipped} skipped; [low, high] is "
        f"the {100 * grid.level:g} % interval by bootstrap resampling, "
        f"{counted(grid.resamples, 'resample')}, seed {grid.seed}"
    ]
    tests = [c for groups in (*grid.by_rules, *grid.by_parser) for c in groups]
    if tests:
        lines = [scores.LEGEND, *lines]
        test = tests[0]
        lines.append(f"tested by {test.test_name}, {counted(test.resamples, 'resample')}")
    # Of one system the signatures above say it all.
    fields = [dict(system.scores[0].signature.fields) for system in evaluation.systems]
    identities = dict.fromkeys(each.get("rules", "") for each in fields)
    if len(identities) > 1:
        lines.append(f"rules: {', '.join(identities)}")
    return lines


def _comparison(grid: Grid, m: int, group: Sequence[int], comparison: Comparison) -> dict[str, Any]:
    """Return the comparison of some systems as `comparison_json` writes it, and the triangle."""
    systems = [grid.evaluation.systems[i] for i in group]
    some = replace(
        grid.evaluation, systems=tuple(replace(each, scores=(each.scores[m],)) for each in systems)
    )
    (comparisons,) = scores.comparison_json(some, [comparison])["metrics"]
    kept = ("test", "resamples", "seed", "systems", "clusters", "pairs", "reading")
    return {**{key: comparisons[key] for key in kept}, "triangle": comparison.triangle()}


def sensitivity_output(sensitivity: Sensitivity) -> document.Output:
    """Show for each metric the conventions, the rankings, and what survives."""
    return document.Output(
        lambda: _sensitivity_data(sensitivity),
        lambda: _sensitivity_columns(sensitivity),
        lambda: sensitivity_document(sensitivity),
    )


def sensitivity_text(sensitivity: Sensitivity) -> str:
    """Write `sensitivity_document` for a terminal."""
    return document.document_text(sensitivity_document(sensitivity))


def sensitivity_document(sensitivity: Sensitivity) -> document.Document:
    """Lay out for each metric the conventions, the rankings, and what survives."""
    first = sensitivity.grids[0]
    parts: list[document.Part] = []
    for m, name in enumerate(scores.metric_headings(first.evaluation, first.metrics)):
        parts += [document.Title(name), *_sensitivity_parts(sensitivity, m)]
    signatures = tuple(map(str, first.signatures))
    return document.Document(tuple(parts), tuple(_sensitivity_how(sensitivity)), signatures)


def _sensitivity_data(sensitivity: Sensitivity) -> dict[str, Any]:
    first = sensitivity.grids[0]
    names = [system.name for system in first.evaluation.systems]
    metrics = []
    for m, signature in enumerate(first.signatures):
        conventions = []
        for convention, grid in sensitivity.of_metric(m):
            systems = [
                {"name": name, **document.fields_of(estimate, "value low high")}
                for name, estimate in zip(names, grid.estimates[m], strict=True)
            ]
            score = grid.evaluation.systems[0].scores[m]
            conventions.append(
                {
                    **asdict(convention),
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
        **document.fields_of(first, "level resamples seed"),
        "conventions": [
            {**asdict(convention), "same": [asdict(other) for other in same]}
            for convention, same in zip(sensitivity.conventions, sensitivity.same, strict=True)
        ],
        "metrics": metrics,
    }


def _sensitivity_columns(sensitivity: Sensitivity) -> document.Columns:
    """Return one row for each convention, system and metric."""
    rows = [
        {**asdict(convention), **row}
        for convention, grid in zip(sensitivity.conventions, sensitivity.grids, strict=True)
        for row in document.records(grid.to_columns())
    ]
    return {name: [row[name] for row in rows] for name in rows[0]}


def _sensitivity_parts(sensitivity: Sensitivity, m: int) -> Iterator[document.Part]:
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
    yield document.Table(rows, ["convention", "scored", *shown, "best", "tau"])
    pairs, total = survivals(sensitivity, m), len(rows)
    listed = pairs if len(pairs) <= PAIRS else [p for p in pairs if not _same(p, total)]
    if listed:
        header = ["ranking", "holds", "at 95 %", "equal", "turned", "at 95 %"]
        counts: list[list[Cell]] = [
            [_ranking(names, p), p.holds, p.surely, p.equal, p.turned, p.turned_surely]
            for p in listed
        ]
        yield document.Table(counts, header)
    yield "\n".join(map(printable, _readings(sensitivity, m)))


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
