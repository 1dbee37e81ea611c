"""The scores of parsers × rule sets, for every format: values, intervals and triangles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np

from wordorder.analysis.grid import Grid
from wordorder.analysis.triangle_reading import triangle_reading
from wordorder.counts import counted, joined, number
from wordorder.drawing.width import printable
from wordorder.report.comparison_table import LEGEND, TESTS, comparison_json
from wordorder.report.document import Document, Output, Part, Table, Title, document_text
from wordorder.report.scores import marked_pairs, metric_headings
from wordorder.report.tables import Cell, columns_tsv, estimate
from wordorder.statistics.intervals import margin
from wordorder.statistics.paired_tests import Comparison

# Metrics with intervals that fit on a line.
SIDE_BY_SIDE = 4


def grid_output(grid: Grid, *, all_triangles: bool = False) -> Output:
    """Show all values with their intervals, and the tests that `grid_document` chooses."""
    return Output(
        lambda: grid_json(grid),
        grid.to_columns,
        lambda: grid_document(grid, all_triangles=all_triangles),
    )


def grid_text(grid: Grid, *, all_triangles: bool = False) -> str:
    """Write `grid_document` for a terminal."""
    return document_text(grid_document(grid, all_triangles=all_triangles))


def grid_document(grid: Grid, *, all_triangles: bool = False) -> Document:
    """Lay out all values with their intervals, then for each metric the grid and its triangles.

    Parameters
    ----------
    grid : Grid
    all_triangles : bool
        Whether parsers are compared under each rule set, and rule sets with each parser; if not,
        those of the best system are, as in Talbot et al. (2011), Tables 3-5.
    """
    names = metric_headings(grid.evaluation, grid.metrics)
    parts: list[Part] = list(_intervals(grid, names))
    for m, name in enumerate(names):
        parts += [Title(name), *_metric_parts(grid, m, all_triangles=all_triangles)]
    return Document(tuple(parts), tuple(_how(grid)), tuple(map(str, grid.signatures)))


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
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
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
        "segments": evaluation.segments,
        "skipped": evaluation.skipped,
        "skipped_lines": list(evaluation.skipped_lines),
        "parsers": list(grid.parsers),
        "rules": list(grid.rules),
        "level": grid.level,
        "resamples": grid.resamples,
        "seed": grid.seed,
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


def _intervals(grid: Grid, names: Sequence[str]) -> Iterator[Table]:
    """Yield tables with a row a system, and value and interval of some metrics."""
    for first in range(0, len(names), SIDE_BY_SIDE):
        some = range(first, min(first + SIDE_BY_SIDE, len(names)))
        rows = []
        for s, system in enumerate(grid.evaluation.systems):
            estimates = [grid.estimates[m][s] for m in some]
            cells = [estimate(e.value, e.low, e.high) for e in estimates]
            rows.append([system.name, *cells])
        yield Table(rows, ["system", *(names[m] for m in some)])


def _metric_parts(grid: Grid, m: int, *, all_triangles: bool) -> Iterator[Part]:
    """Yield the grid of a metric, its best system, and triangles with their readings."""
    names = [system.name for system in grid.evaluation.systems]
    best = best_systems(grid, m)
    if len(grid.parsers) > 1 and len(grid.rules) > 1:
        values = [estimate.value for estimate in grid.estimates[m]]
        rows: list[list[Cell]] = [
            [parser, *(values[i] for i in group)]
            for parser, group in zip(grid.parsers, grid.with_parser, strict=True)
        ]
        yield Table(rows, ["", *grid.rules])
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
            yield marked_pairs(of_group, marks)
            yield triangle_reading(of_group, marks)
    if len(names) > 1:
        is_best = "is best" if len(best) == 1 else "are best"
        which = printable(joined([names[i] for i in best]))
        more = f" ({counted(left_out, 'more triangle')}: --triangles all)" if left_out else ""
        yield f"{which} {is_best}: {number(grid.estimates[m][best[0]].value)}.{more}"


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
        lines = [LEGEND, *lines]
        test = tests[0]
        lines.append(f"tested by {TESTS[test.test]}, {counted(test.resamples, 'resample')}")
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
        grid.evaluation,
        systems=tuple(replace(each, scores=(each.scores[m],)) for each in systems),
    )
    (comparisons,) = comparison_json(some, [comparison])["metrics"]
    kept = ("test", "resamples", "seed", "systems", "clusters", "pairs", "reading")
    return {**{key: comparisons[key] for key in kept}, "triangle": comparison.triangle()}
