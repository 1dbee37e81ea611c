"""Sensitivity: which rankings of a grid survive other conventions of its reference orders."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from wordorder.analysis.conventions import TIES, Convention, ties_of, under_ties
from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_evaluation import METRICS, scored_grid
from wordorder.analysis.grid_systems import GridSystems
from wordorder.errors import UsageError
from wordorder.metrics import metric
from wordorder.metrics.contract import Metric, completed
from wordorder.order.orders import Orders
from wordorder.statistics.comparison import Comparison
from wordorder.statistics.intervals import RESOLUTION
from wordorder.types import Float64


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The same systems, evaluated under several conventions.

    Attributes
    ----------
    conventions : tuple of Convention
        Those that give reference orders of their own; the first is the one that was asked for.
    same : for each convention, a tuple of Convention
        Further ones that come out the same.
    grids : tuple of Grid
        One a convention.
    """

    conventions: tuple[Convention, ...]
    same: tuple[tuple[Convention, ...], ...]
    grids: tuple[Grid, ...]

    def of_metric(self, m: int) -> list[tuple[Convention, Grid]]:
        """Return the conventions that make a difference to a metric, each with its grid.

        To a metric that knows no ties it is one convention, however they are counted.
        """
        grids: dict[Convention, tuple[Convention, Grid]] = {}
        for convention, grid in zip(self.conventions, self.grids, strict=True):
            if "ties" not in dict(grid.signatures[m].fields):
                convention = replace(convention, ties=None)
            grids.setdefault(convention, (convention, grid))
        return list(grids.values())


@dataclass(frozen=True)
class PairSurvival:
    """How a ranking of two systems fares under all conventions.

    Attributes
    ----------
    better, worse : int
        The systems' numbers in the grid, as the first convention ranks them.
    ranked : bool
        Whether it does; otherwise it finds them equal, and they keep their order.
    holds, equal, turned : int
        Under how many conventions `better` has the better value, the same, the worse one.
    surely, turned_surely : int
        In how many of these cases a test says so at 95 %.
    """

    better: int
    worse: int
    ranked: bool
    holds: int
    equal: int
    turned: int
    surely: int
    turned_surely: int


def grid_sensitivity(
    systems: GridSystems,
    references: Iterable[tuple[Convention, Orders]],
    metrics: Sequence[Metric | str] = METRICS,
    *,
    level: float = 0.95,
    resamples: int | None = None,
    seed: int = 12345,
    test: str = "bootstrap",
) -> Sensitivity:
    """Evaluate systems under each of some conventions, with ties counted in either way.

    Parameters
    ----------
    systems : GridSystems
        As `wordorder.analysis.grid_systems.grid_systems` makes them.
    references : pairs of Convention and Orders
        The reference orders, the default ones first:
        `wordorder.analysis.conventions.reference_conventions` of alignments, or
        ``[(Convention(), orders)]``, where ties alone vary.
    metrics : sequence of Metric or str
    level, resamples, seed, test
        As in `wordorder.analysis.grid_evaluation.evaluate_grid`.

    Raises
    ------
    UsageError
        If the metrics count ties in different ways to begin with, and as `evaluate_grid` does.

    Examples
    --------
    >>> from wordorder.analysis.grid_systems import grid_systems
    >>> from wordorder.treebank.treebank import Treebank
    >>> bank = Treebank.from_words([["he", "read", "it"]], heads=[[2, 0, 2]])
    >>> systems = grid_systems({"P1": bank}, ["R1", "R2"])
    >>> found = grid_sensitivity(systems, [(Convention(), Orders.from_rows([[0, (1, 2)]]))])
    >>> [str(each) for each in found.conventions]
    ['ties best', 'ties rank']
    """
    chosen = [metric(each) if isinstance(each, str) else completed(each) for each in metrics]
    given = ties_of(chosen)
    # The way that was asked for comes first.
    ways = [given, *(each for each in TIES if given is not None and each != given)]
    kept: dict[tuple[bytes, ...], int] = {}
    conventions: list[Convention] = []
    same: list[list[Convention]] = []
    grids: list[Grid] = []
    for convention, orders in references:
        for ties in ways if orders.ranks is not None else [None]:
            named = replace(convention, ties=ties)
            key = (*_contents(orders), (ties or "").encode())
            if key in kept:
                same[kept[key]].append(named)
                continue
            kept[key] = len(grids)
            conventions.append(named)
            same.append([])
            grids.append(
                scored_grid(
                    orders,
                    systems,
                    [under_ties(each, ties) for each in chosen],
                    level=level,
                    resamples=resamples,
                    seed=seed,
                    test=test,
                )
            )
    if not grids:
        raise UsageError("there are no reference orders to evaluate by")
    return Sensitivity(tuple(conventions), tuple(map(tuple, same)), tuple(grids))


def survivals(sensitivity: Sensitivity, m: int) -> list[PairSurvival]:
    """Count under how many conventions each ranking of a metric holds.

    Parameters
    ----------
    sensitivity : Sensitivity
    m : int
        The number of the metric.

    Returns
    -------
    list of PairSurvival
        The pairs of parsers under the same rules, then those of rule sets with the same parser.
    """
    first, grids = sensitivity.grids[0], [grid for _, grid in sensitivity.of_metric(m)]
    by_rules = [
        (group, [grid.by_rules[m][number] for grid in grids])
        for number, group in enumerate(first.under_rules)
        if len(group) > 1
    ]
    by_parser = [
        (group, [grid.by_parser[m][number] for grid in grids])
        for number, group in enumerate(first.with_parser)
        if len(group) > 1
    ]
    return [
        _survival(comparisons, (a, b), (group[a], group[b]))
        for group, comparisons in by_rules + by_parser
        for a, b in combinations(range(len(group)), 2)
    ]


def ranking_tau(first: Float64, second: Float64) -> float | None:
    """Return Kendall's tau-b of two rankings of the same systems.

    Parameters
    ----------
    first, second : float64[n]
        The values of the systems; those that differ by rounding alone are tied.

    Returns
    -------
    float in [-1, 1], or None
        1 for the same ranking. None if one of them puts all systems on one rank.

    Examples
    --------
    >>> ranking_tau(np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.9, 0.7]))
    0.3333333333333333
    """
    one, other = _signs(first), _signs(second)
    pairs = float(np.abs(one).sum()) * float(np.abs(other).sum())
    return float((one * other).sum() / np.sqrt(pairs)) if pairs else None


def _signs(values: Float64) -> Float64:
    """Return for all pairs which value is larger, float64[n, n]; 0 within rounding."""
    differences = values[:, np.newaxis] - values
    largest = np.maximum(np.abs(values[:, np.newaxis]), np.abs(values))
    return np.where(np.abs(differences) <= RESOLUTION * largest, 0.0, np.sign(differences))


def _survival(
    comparisons: Sequence[Comparison], pair: tuple[int, int], numbers: tuple[int, int]
) -> PairSurvival:
    """Count how often the first of two systems of a group is better than the second."""
    signs, marks = [], []
    for comparison in comparisons:
        sign = int(_signs(np.array(comparison.values))[pair])
        signs.append(sign if comparison.higher_is_better else -sign)
        # A mark says that the second system is better, +, or worse, -.
        marks.append(comparison.pair(*pair).mark)
    up, down = "-**", "+**"
    if signs[0] < 0:
        signs, up, down = [-sign for sign in signs], down, up
        numbers = (numbers[1], numbers[0])
    holds, equal, turned = (signs.count(sign) for sign in (1, 0, -1))
    return PairSurvival(
        *numbers, signs[0] != 0, holds, equal, turned, marks.count(up), marks.count(down)
    )


def _contents(orders: Orders) -> tuple[bytes, ...]:
    """Return what makes orders equal."""
    ranks = b"" if orders.ranks is None else orders.ranks.values.tobytes()
    return orders.positions.values.tobytes(), orders.positions.offsets.tobytes(), ranks
