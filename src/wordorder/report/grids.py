"""Values and tests of parsers × rule sets, and their sensitivity to conventions."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from wordorder.analysis.grid import Grid, GridScore
from wordorder.analysis.sensitivity import (
    Convention,
    PairSurvival,
    Sensitivity,
    ranking_tau,
    survivals,
)
from wordorder.messages import counted, joined, number
from wordorder.records import Columns, Record, column_names, columns_of, key
from wordorder.report import document, scores
from wordorder.report.tables import Cell, columns_tsv, estimate
from wordorder.scoring.result_records import Counted, TestedPairs, counts_of, tested_pairs
from wordorder.scoring.significance_summary import LISTED_NAMES, triangle_reading
from wordorder.statistics.intervals import value_tolerance
from wordorder.statistics.paired_tests import Comparison
from wordorder.text.display import printable

# The maximum number of metrics with intervals in a table.
MAX_METRICS_PER_TABLE = 4


# The maximum number of systems with a column each; for more the range is shown.
MAX_SYSTEM_COLUMNS = 6
# The maximum number of listed rankings; of more, only those that do not hold everywhere.
MAX_LISTED_RANKINGS = 15


@dataclass(frozen=True, kw_only=True)
class ComparedGroup(TestedPairs):
    """The tests of parsers under one rule set, or of rule sets with one parser."""

    parser: str | None = key("the parser, where rule sets are compared", default=None)
    rules: str | None = key("the rule set, where parsers are compared", default=None)
    triangle: tuple[tuple[str, ...], ...] = key(
        "for each system but the last, the marks of all later ones"
    )


@dataclass(frozen=True, kw_only=True)
class GridMetric(Record):
    """The values of a metric and their tests."""

    metric: str = key("the metric's name")
    signature: str = key("what the signatures of all systems share")
    higher_is_better: bool = key("whether a high value is a good one")
    best: tuple[str, ...] = key("the best system, or those that share the best value")
    systems: tuple[GridScore, ...] = key("the systems")
    parsers_compared: tuple[ComparedGroup, ...] = key(
        "a comparison of the parsers for each rule set; none if there is one parser"
    )
    rules_compared: tuple[ComparedGroup, ...] = key(
        "a comparison of the rule sets for each parser; none if there is one rule set"
    )


@dataclass(frozen=True, kw_only=True)
class GridTable(Counted, rows="metrics systems"):
    """The values of parsers × rule sets, and their tests."""

    parsers: tuple[str, ...] = key("names of the parsers")
    rules: tuple[str, ...] = key("names of the rule sets")
    level: float = key("the level of the intervals")
    resamples: int = key("how many resamples")
    seed: int = key("where the random choices started")
    metrics: tuple[GridMetric, ...] = key("the metrics")


def grid_output(grid: Grid, *, all_triangles: bool = False) -> document.Output:
    """Return the output of a grid: values with intervals, and the tests of `grid_document`."""
    return document.Output(
        lambda: grid_table(grid).to_json(),
        grid.to_columns,
        lambda: grid_document(grid, all_triangles=all_triangles),
    )


def grid_text(grid: Grid, *, all_triangles: bool = False) -> str:
    """Return `grid_document` as text."""
    return document.document_text(grid_document(grid, all_triangles=all_triangles))


def grid_document(grid: Grid, *, all_triangles: bool = False) -> document.Document:
    """Return values with intervals, and for each metric the grid and its triangles.

    Parameters
    ----------
    grid : Grid
    all_triangles : bool
        Whether to compare the parsers under each rule set, and the rule sets with each parser; by
        default only those of the best system, as in Talbot et al. (2011), Tables 3-5.
    """
    names = scores.metric_headings(grid.evaluation, grid.metrics)
    parts: list[document.Part] = list(_interval_tables(grid, names))
    for m, name in enumerate(names):
        parts += [document.Title(name), *_metric_parts(grid, m, all_triangles=all_triangles)]
    return document.Document(
        tuple(parts), tuple(_grid_notes(grid)), tuple(map(str, grid.signatures))
    )


def grid_table(grid: Grid) -> GridTable:
    """Return everything, numbers not rounded."""
    names = [system.name for system in grid.evaluation.systems]
    metrics = [
        GridMetric(
            metric=signature.metric,
            signature=str(signature),
            higher_is_better=grid.metrics[m].higher_is_better,
            best=tuple(names[i] for i in best_systems(grid, m)),
            systems=grid.scores(m),
            parsers_compared=tuple(
                ComparedGroup(rules=rules, **_comparison(grid, m, group, comparison))
                for rules, group, comparison in parsers_compared(grid, m)
            ),
            rules_compared=tuple(
                ComparedGroup(parser=parser, **_comparison(grid, m, group, comparison))
                for parser, group, comparison in rules_compared(grid, m)
            ),
        )
        for m, signature in enumerate(grid.signatures)
    ]
    return GridTable(
        **counts_of(grid.evaluation),
        parsers=tuple(grid.parsers),
        rules=tuple(grid.rules),
        level=grid.level,
        resamples=grid.resamples,
        seed=grid.seed,
        metrics=tuple(metrics),
    )


def grid_tsv(grid: Grid) -> str:
    """Return TSV with one row per system and metric, in full precision."""
    return columns_tsv(grid.to_columns())


def best_systems(grid: Grid, m: int) -> list[int]:
    """Return the indices of the systems with the best value of a metric, including ties."""
    values = np.array([estimate.value for estimate in grid.estimates[m]])
    best = values.max() if grid.metrics[m].higher_is_better else values.min()
    return [int(i) for i in np.flatnonzero(np.abs(values - best) <= value_tolerance(best))]


def parsers_compared(grid: Grid, m: int) -> Iterator[tuple[str, range, Comparison]]:
    """Yield each rule set with the indices of its systems and their comparison."""
    if len(grid.parsers) > 1:
        yield from zip(grid.rules, grid.under_rules, grid.by_rules[m], strict=True)


def rules_compared(grid: Grid, m: int) -> Iterator[tuple[str, range, Comparison]]:
    """Yield each parser with the indices of its systems and their comparison."""
    if len(grid.rules) > 1:
        yield from zip(grid.parsers, grid.with_parser, grid.by_parser[m], strict=True)


def _interval_tables(grid: Grid, names: Sequence[str]) -> Iterator[document.Table]:
    """Yield tables with one row per system, with values and intervals of some metrics."""
    for first in range(0, len(names), MAX_METRICS_PER_TABLE):
        block = range(first, min(first + MAX_METRICS_PER_TABLE, len(names)))
        rows = []
        for s, system in enumerate(grid.evaluation.systems):
            estimates = [grid.estimates[m][s] for m in block]
            cells = [estimate(e.value, e.low, e.high) for e in estimates]
            rows.append([system.name, *cells])
        yield document.Table(rows, ["system", *(names[m] for m in block)])


def _metric_parts(grid: Grid, m: int, *, all_triangles: bool) -> Iterator[document.Part]:
    """Yield the grid of a metric, its triangles with sentences, and its best system."""
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
    for title, comparisons in (
        ("Parsers with {}", parsers_compared(grid, m)),
        ("Rule sets with {}", rules_compared(grid, m)),
    ):
        for fixed_name, group, comparison in comparisons:
            if not all_triangles and best[0] not in group:
                left_out += 1
                continue
            group_names, marks = [names[i] for i in group], comparison.triangle()
            yield f"{title.format(printable(fixed_name))}:"
            yield scores.marked_pairs(group_names, marks)
            yield triangle_reading(group_names, marks)
    if len(names) > 1:
        best_names = printable(joined([names[i] for i in best]))
        omitted = f" ({counted(left_out, 'more triangle')}: -O triangles=all)" if left_out else ""
        value = number(grid.estimates[m][best[0]].value)
        tied_names = [printable(names[i]) for i in _tied_systems(grid, m, best)]
        if tied_names:
            verb = "has" if len(best) == 1 else "have"
            tied_text = (
                joined(tied_names)
                if len(tied_names) <= LISTED_NAMES
                else f"{len(tied_names)} others"
            )
            qualification = f"not significantly better (95 %) than {tied_text}"
            yield f"{best_names} {verb} the best value, {value}, but {qualification}.{omitted}"
        else:
            yield f"{best_names} {'is' if len(best) == 1 else 'are'} best: {value}.{omitted}"


def _tied_systems(grid: Grid, m: int, best: Sequence[int]) -> list[int]:
    """Return the systems that a best one is compared with and does not significantly beat."""
    tied = set()
    for _, group, comparison in (*parsers_compared(grid, m), *rules_compared(grid, m)):
        for winner in set(best) & set(group):
            beaten = comparison.beats()[list(group).index(winner)]
            tied |= {i for i, loses in zip(group, beaten, strict=True) if not loses} - set(best)
    return sorted(tied)


def _grid_notes(grid: Grid) -> list[str]:
    """Return notes on how to read the tables, and how the numbers were computed."""
    evaluation = grid.evaluation
    lines = [
        f"{counted(evaluation.segments, 'segment')}, {evaluation.skipped} skipped; [low, high] is "
        f"the {100 * grid.level:g} % interval by bootstrap resampling, "
        f"{counted(grid.resamples, 'resample')}, seed {grid.seed}"
    ]
    tests = [c for groups in (*grid.by_rules, *grid.by_parser) for c in groups]
    if tests:
        lines = [scores.TRIANGLE_LEGEND, *lines]
        test = tests[0]
        lines.append(f"tested by {test.test_name}, {counted(test.resamples, 'resample')}")
    # With one identity, the signatures above have it.
    fields = [dict(system.scores[0].signature.fields) for system in evaluation.systems]
    identities = dict.fromkeys(fields_of_system.get("rules", "") for fields_of_system in fields)
    if len(identities) > 1:
        lines.append(f"rules: {', '.join(identities)}")
    return lines


def _comparison(grid: Grid, m: int, group: Sequence[int], comparison: Comparison) -> dict[str, Any]:
    """Return the fields of the comparison of some systems."""
    systems = [grid.evaluation.systems[i] for i in group]
    selected = replace(
        grid.evaluation,
        systems=tuple(replace(system, scores=(system.scores[m],)) for system in systems),
    )
    triangle = tuple(map(tuple, comparison.triangle()))
    return {**tested_pairs(selected, comparison, 0, ()), "triangle": triangle}


@dataclass(frozen=True)
class AllConventions(Convention):
    """A convention, and those with the same reference orders."""

    same: tuple[Convention, ...] = key(
        "further conventions under which the reference orders are the same", default=()
    )


@dataclass(frozen=True, kw_only=True)
class SystemValue(Record):
    """The value of a system."""

    system: str = key("the system")
    value: float = key("its score", null=True)
    low: float = key("the lower end of the interval", null=True)
    high: float = key("the upper end of the interval", null=True)


@dataclass(frozen=True, kw_only=True)
class ConventionScores(Convention):
    """The values of all systems under a convention."""

    signature: str = key("what produced the numbers")
    scored: int = key("sentences that were scored")
    best: tuple[str, ...] = key("the best system, or those that share the best value")
    tau: float | None = key(
        "Kendall's tau-b between the ranking of the systems and that under the first convention; "
        "`null` where all are equal"
    )
    systems: tuple[SystemValue, ...] = key("the systems")


@dataclass(frozen=True, kw_only=True)
class RankedPair(Record):
    """The ranking of two systems under all conventions."""

    better: str = key(
        "of two systems with the same rules or the same parser, the better one under the first "
        "convention"
    )
    worse: str = key("the other one")
    ranked: bool = key("whether the first convention distinguishes them")
    holds: int = key("conventions under which the better one is better")
    equal: int = key("conventions under which they are equal")
    turned: int = key("conventions under which it is worse")
    surely: int = key("conventions under which it is better at 95 %")
    turned_surely: int = key("conventions under which it is worse at 95 %")


@dataclass(frozen=True, kw_only=True)
class MetricSensitivity(Record):
    """The rankings by a metric under all conventions."""

    metric: str = key("the metric's name")
    conventions: tuple[ConventionScores, ...] = key("the conventions that differ for the metric")
    pairs: tuple[RankedPair, ...] = key("the rankings of two systems")
    reading: tuple[str, ...] = key("the rankings that survive, in sentences")


@dataclass(frozen=True, kw_only=True)
class SensitivityTable(
    Record,
    columns="rule unaligned links ties system parser rules metric value low high scored skipped "
    "signature",
):
    """The rankings of systems under several conventions."""

    segments: int = key("number of sentences")
    systems: tuple[str, ...] = key("names of the systems")
    level: float = key("the level of the intervals")
    resamples: int = key("how many resamples")
    seed: int = key("where the random choices started")
    conventions: tuple[AllConventions, ...] = key("the conventions")
    metrics: tuple[MetricSensitivity, ...] = key("the metrics")


def sensitivity_output(sensitivity: Sensitivity) -> document.Output:
    """Return the output of a sensitivity analysis."""
    return document.Output(
        lambda: sensitivity_table(sensitivity).to_json(),
        lambda: _sensitivity_columns(sensitivity),
        lambda: sensitivity_document(sensitivity),
    )


def sensitivity_text(sensitivity: Sensitivity) -> str:
    """Return `sensitivity_document` as text."""
    return document.document_text(sensitivity_document(sensitivity))


def sensitivity_document(sensitivity: Sensitivity) -> document.Document:
    """Return for each metric the conventions, the rankings, and which of them hold."""
    first = sensitivity.grids[0]
    parts: list[document.Part] = []
    for m, name in enumerate(scores.metric_headings(first.evaluation, first.metrics)):
        parts += [document.Title(name), *_sensitivity_parts(sensitivity, m)]
    signatures = tuple(map(str, first.signatures))
    return document.Document(tuple(parts), tuple(_sensitivity_notes(sensitivity)), signatures)


def sensitivity_table(sensitivity: Sensitivity) -> SensitivityTable:
    """Return everything, numbers not rounded."""
    first = sensitivity.grids[0]
    names = [system.name for system in first.evaluation.systems]
    metrics = [
        MetricSensitivity(
            metric=signature.metric,
            conventions=tuple(
                _convention_scores(first, convention, grid, m)
                for convention, grid in sensitivity.of_metric(m)
            ),
            pairs=tuple(
                RankedPair(
                    **vars(pair) | {"better": names[pair.better], "worse": names[pair.worse]}
                )
                for pair in survivals(sensitivity, m)
            ),
            reading=tuple(_survival_sentences(sensitivity, m)),
        )
        for m, signature in enumerate(first.signatures)
    ]
    conventions = [
        AllConventions(**vars(convention), same=same)
        for convention, same in zip(sensitivity.conventions, sensitivity.same, strict=True)
    ]
    return SensitivityTable(
        segments=first.evaluation.segments,
        systems=tuple(names),
        level=first.level,
        resamples=first.resamples,
        seed=first.seed,
        conventions=tuple(conventions),
        metrics=tuple(metrics),
    )


def _convention_scores(first: Grid, convention: Convention, grid: Grid, m: int) -> ConventionScores:
    """Return the values of a metric under a convention."""
    names = [system.name for system in first.evaluation.systems]
    score = grid.evaluation.systems[0].scores[m]
    systems = [
        SystemValue(system=name, value=estimate.value, low=estimate.low, high=estimate.high)
        for name, estimate in zip(names, grid.estimates[m], strict=True)
    ]
    return ConventionScores(
        **vars(convention),
        signature=str(grid.signatures[m]),
        scored=score.segments - score.skipped,
        best=tuple(names[i] for i in best_systems(grid, m)),
        tau=_tau(first, grid, m),
        systems=tuple(systems),
    )


def _sensitivity_columns(sensitivity: Sensitivity) -> Columns:
    """Return one row for each convention, system and metric."""
    rows = [
        (score, convention)
        for convention, grid in zip(sensitivity.conventions, sensitivity.grids, strict=True)
        for metric in range(len(grid.metrics))
        for score in grid.scores(metric)
    ]
    return columns_of(column_names(SensitivityTable), rows)


def _sensitivity_parts(sensitivity: Sensitivity, m: int) -> Iterator[document.Part]:
    first = sensitivity.grids[0]
    names = [system.name for system in first.evaluation.systems]
    has_few_systems = len(names) <= MAX_SYSTEM_COLUMNS
    rows: list[list[Cell]] = []
    for convention, grid in sensitivity.of_metric(m):
        values = [estimate.value for estimate in grid.estimates[m]]
        score = grid.evaluation.systems[0].scores[m]
        rows.append(
            [
                str(convention),
                score.segments - score.skipped,
                *(values if has_few_systems else (min(values), max(values))),
                _some([names[i] for i in best_systems(grid, m)]),
                _tau(first, grid, m),
            ]
        )
    columns = names if has_few_systems else ["lowest", "highest"]
    yield document.Table(rows, ["convention", "scored", *columns, "best", "tau"])
    pairs, total = survivals(sensitivity, m), len(rows)
    listed_pairs = (
        pairs
        if len(pairs) <= MAX_LISTED_RANKINGS
        else [p for p in pairs if not _holds_everywhere(p, total)]
    )
    if listed_pairs:
        header = ["ranking", "holds", "at 95 %", "equal", "turned", "at 95 %"]
        counts: list[list[Cell]] = [
            [_ranking(names, p), p.holds, p.surely, p.equal, p.turned, p.turned_surely]
            for p in listed_pairs
        ]
        yield document.Table(counts, header)
    yield "\n".join(map(printable, _survival_sentences(sensitivity, m)))


def _ranking(names: Sequence[str], pair: PairSurvival) -> str:
    return f"{names[pair.better]} {'>' if pair.ranked else '='} {names[pair.worse]}"


def _survival_sentences(sensitivity: Sensitivity, m: int) -> Iterator[str]:
    """Yield sentences on the best systems and the rankings that hold."""
    grids = [grid for _, grid in sensitivity.of_metric(m)]
    names = [system.name for system in grids[0].evaluation.systems]
    if len(names) < 2:
        yield "There is only one system to rank."
        return
    if len(grids) < 2:
        yield "There is only one convention: nothing varies."
        return
    total, conventions_text = len(grids), counted(len(grids), "convention")
    # Counted by indices, since not all of many tied systems are named.
    best = Counter(tuple(best_systems(grid, m)) for grid in grids).most_common()
    (winner, winner_count), *runners_up = (
        (_some([names[i] for i in indices]), count) for indices, count in best
    )
    if not runners_up:
        yield f"Best under all {conventions_text}: {winner}."
    else:
        remainder = "; ".join(f"{name} under {count}" for name, count in runners_up)
        yield f"Best under {winner_count} of {conventions_text}: {winner}; {remainder}."
    pairs = survivals(sensitivity, m)
    ranked = [pair for pair in pairs if pair.ranked]
    robust = [pair for pair in ranked if _holds_everywhere(pair, total)]
    significant_count = sum(pair.surely == total for pair in robust)
    if ranked:
        yield (
            "Rankings within the same rules or with the same parser that hold under all "
            f"{conventions_text}: {len(robust)} of {len(ranked)}; at 95 % under each: "
            f"{significant_count}."
        )
    if 0 < len(robust) <= MAX_LISTED_RANKINGS:
        yield f"Under all {conventions_text}: {joined([_ranking(names, pair) for pair in robust])}."
    fragile = [pair for pair in ranked if not _holds_everywhere(pair, total)]
    if 0 < len(fragile) <= MAX_LISTED_RANKINGS:
        descriptions = [
            f"{_ranking(names, pair)} under {pair.holds} of {total}" for pair in fragile
        ]
        yield f"Not under all: {'; '.join(descriptions)}."


def _holds_everywhere(pair: PairSurvival, total: int) -> bool:
    """Return whether all conventions rank two systems like the first one."""
    return total == (pair.holds if pair.ranked else pair.equal)


def _sensitivity_notes(sensitivity: Sensitivity) -> Iterator[str]:
    """Describe the numbers."""
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
    """Name the best systems, as many as fit on a line."""
    if len(names) <= 3:
        return joined(names)
    return f"{', '.join(names[:2])} and {len(names) - 2} more"
