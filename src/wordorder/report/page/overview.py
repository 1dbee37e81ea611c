"""What the overview of a page shows: details of the run, the grid, the triangles of all tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.analysis.analysis import Analysis
from wordorder.analysis.grid import Grid
from wordorder.analysis.triangle_reading import triangle_reading
from wordorder.counts import counted, joined, number
from wordorder.drawing.interval_svg import interval_svg
from wordorder.metrics.called import called
from wordorder.report.grid_table import best_systems
from wordorder.report.symbols import ARROWS
from wordorder.signature import labels
from wordorder.statistics.comparison import Comparison


@dataclass(frozen=True)
class Cell:
    """The value of one system, written."""

    system: str
    value: str
    interval: str
    best: bool


@dataclass(frozen=True)
class Triangle:
    """The tests between some systems: a row for each but the last, blank below the diagonal."""

    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    reading: str


@dataclass(frozen=True)
class MetricGrid:
    """One metric over parsers × rule sets.

    Attributes
    ----------
    name : str
    signature : str
    reading : tuple of str
        Sentences: the best system, and what the tests around it say.
    rows : tuple of (parser, cells)
    picture : str
        The intervals of all systems as SVG.
    parsers, rules : tuple of Triangle
        The parsers under each rule set, and the rule sets under each parser.
    """

    name: str
    signature: str
    reading: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    picture: str
    parsers: tuple[Triangle, ...]
    rules: tuple[Triangle, ...]


def run_details(analysis: Analysis) -> list[tuple[str, str]]:
    """Say what was compared, as pairs of a name and what it names."""
    corpus = analysis.corpus
    missing = int((corpus.words.lengths - corpus.reference.lengths).sum())
    reference = "all words"
    if missing:
        reference = f"without {counted(missing, 'unaligned word')}"
    if corpus.reference.ranks is not None:
        reference += ", with ties"
    said = [
        ("Sentences", f"{len(corpus.words):,}"),
        ("Words", f"{corpus.words.words:,}"),
        ("Systems", f"{len(analysis.systems):,}"),
        ("Reference orders", reference),
    ]
    if analysis.grid is not None:
        grid = analysis.grid
        how = f"{100 * grid.level:g} %, {counted(grid.resamples, 'resample')}, seed {grid.seed}"
        said += [
            ("Parsers", ", ".join(grid.parsers)),
            ("Rule sets", ", ".join(grid.rules)),
            ("Intervals", how),
        ]
    left_out = [int(np.count_nonzero(system.skipped)) for system in analysis.systems]
    if any(left_out):
        said.append(("Left out", f"up to {counted(max(left_out), 'sentence')} of a system"))
    return said


def metric_grids(grid: Grid) -> list[MetricGrid]:
    """Write the values, intervals and tests of each metric."""
    labelled = zip(labels(grid.signatures), grid.signatures, strict=True)
    return [
        _metric_grid(grid, m, name, str(signature)) for m, (name, signature) in enumerate(labelled)
    ]


def _metric_grid(grid: Grid, m: int, name: str, signature: str) -> MetricGrid:
    """Write one metric."""
    estimates = grid.estimates[m]
    names = [system.name for system in grid.evaluation.systems]
    best, *equal = best_systems(grid, m)
    cells = [
        Cell(
            system,
            number(estimate.value),
            f"[{number(estimate.low)}, {number(estimate.high)}]",
            len(names) > 1 and s in (best, *equal),
        )
        for s, (system, estimate) in enumerate(zip(names, estimates, strict=True))
    ]
    parsers = _triangles(
        _at(grid.by_rules, m),
        grid.rules,
        [[names[s] for s in group] for group in grid.under_rules],
        "Parsers with {}",
    )
    rules = _triangles(
        _at(grid.by_parser, m),
        grid.parsers,
        [[names[s] for s in group] for group in grid.with_parser],
        "Rule sets with {}",
    )
    top, shown = cells[best], called(name)
    reading = [f"{top.system} has the best {shown}: {top.value} {top.interval}."]
    if equal:
        which = joined([names[s] for s in (best, *equal)])
        reading = [f"{which} have the best {shown}: {top.value}."]
    elif len(names) == 1:
        reading = [f"{top.system} has {shown} {top.value} {top.interval}."]
    # What the tests say about it: its rules with the other parsers, its parser with other rules.
    pairs = ((rules, grid.with_parser), (parsers, grid.under_rules))
    for triangles, groups in pairs:
        tested = zip(triangles, groups, strict=False)
        reading += [each.reading for each, group in tested if best in group]
    return MetricGrid(
        f"{shown} {ARROWS[grid.metrics[m].higher_is_better]}",
        signature,
        tuple(reading),
        tuple(
            (parser, tuple(cells[s] for s in group))
            for parser, group in zip(grid.parsers, grid.with_parser, strict=True)
        ),
        interval_svg(names, estimates, title=f"{shown} of each system, with its interval"),
        parsers,
        rules,
    )


def _triangles(
    comparisons: Sequence[Comparison],
    fixed: Sequence[str],
    names: Sequence[Sequence[str]],
    title: str,
) -> tuple[Triangle, ...]:
    """Write the tests under each thing that stays the same; nothing where there are none."""
    if not comparisons:
        return ()
    triangles = []
    for comparison, same, systems in zip(comparisons, fixed, names, strict=True):
        marks = comparison.triangle()
        rows = tuple((*[""] * a, *row) for a, row in enumerate(marks))
        reading = triangle_reading(systems, marks)
        triangles.append(Triangle(title.replace("{}", same), tuple(systems), rows, reading))
    return tuple(triangles)


def _at(tests: Sequence[Sequence[Comparison]], m: int) -> Sequence[Comparison]:
    """Return the tests of one metric; none where nothing was tested."""
    return tests[m] if m < len(tests) else ()
