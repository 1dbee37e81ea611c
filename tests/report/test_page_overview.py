"""The overview of a page: which systems it calls the best."""

from __future__ import annotations

from dataclasses import replace
from typing import cast

from tests.report.grids import small_grid

from wordorder.analysis.grid import Grid
from wordorder.metrics.contract import BaseMetric
from wordorder.report.grids import best_systems
from wordorder.report.page.orders import metric_grids
from wordorder.statistics.intervals import Estimate


class Falling:
    name = "frs"
    higher_is_better = False


def of_values(grid: Grid, values: list[float]) -> Grid:
    estimates = [[Estimate(value, value, value) for value in values], *grid.estimates[1:]]
    return replace(grid, estimates=estimates)


def best(grid: Grid) -> list[bool]:
    return [cell.best for _, cells in metric_grids(grid)[0].rows for cell in cells]


def test_equal_systems_are_best_together() -> None:
    # 0.1 + 0.2 is a bit more than 0.3.
    equal = of_values(small_grid(), [0.3, 0.1 + 0.2, 0.2, 0.1, 0.1, 0.1])
    assert best(equal) == [number in best_systems(equal, 0) for number in range(6)]
    assert metric_grids(equal)[0].reading[0] == "P1R1 and P1R2 have the best FRS: 0.3000."
    falling = replace(equal, metrics=(cast(BaseMetric, Falling()), *equal.metrics[1:]))
    assert best(falling) == [False, False, False, True, True, True]
    assert metric_grids(falling)[0].reading[0].startswith("P2R1, P2R2 and P2R4 have the best FRS")


def test_one_system_is_not_the_best() -> None:
    (found, _) = metric_grids(of_values(small_grid(1, ("R4",)), [0.25]))
    assert found.reading == ("P1R4 has FRS 0.2500 [0.2500, 0.2500].",)
    assert not found.rows[0][1][0].best
