"""Sensitivity: which rankings of a grid survive other conventions of its reference orders."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product

import numpy as np

from wordorder.alignment.alignments import Alignments
from wordorder.analysis.grid import Grid
from wordorder.analysis.grid_systems import METRICS, GridSystems, scored_grid
from wordorder.arrays import Float64
from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric, Metric, completed
from wordorder.metrics.order.chunks import OrderMetric
from wordorder.metrics.registry import metric
from wordorder.options import UNALIGNED
from wordorder.order.orders import Orders
from wordorder.order.reference import LIMITED, LINKS, RULES, reference_orders
from wordorder.statistics.intervals import RESOLUTION
from wordorder.statistics.paired_tests import Comparison
from wordorder.treebank.treebank import Treebank


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
    test: str = "auto",
) -> Sensitivity:
    """Evaluate systems under each of some conventions, with ties counted in either way.

    Parameters
    ----------
    systems : GridSystems
        As `wordorder.analysis.grid_systems.grid_systems` makes them.
    references : pairs of Convention and Orders
        The reference orders, the default ones first:
        `wordorder.analysis.sensitivity.reference_conventions` of alignments, or
        ``[(Convention(), orders)]``, where ties alone vary.
    metrics : sequence of Metric or str
    level, resamples, seed, test
        As in `wordorder.analysis.grid_systems.evaluate_grid`.

    Raises
    ------
    UsageError
        If the metrics count ties in different ways to begin with, and as `evaluate_grid` does.

    Examples
    --------
    >>> from wordorder.analysis.grid_systems import grid_systems
    >>> from wordorder.treebank.treebank import Treebank
    >>> bank = Treebank.from_words(
    ...     [["he", "read", "it"]], heads=[[2, 0, 2]], label=[["nsubj", "root", "obj"]]
    ... )
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
            ranks = b"" if orders.ranks is None else orders.ranks.values.tobytes()
            places = orders.positions.values.tobytes(), orders.positions.offsets.tobytes()
            key = (*places, ranks, (ties or "").encode())
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
    ways = (
        (first.under_rules, [grid.by_rules[m] for grid in grids]),
        (first.with_parser, [grid.by_parser[m] for grid in grids]),
    )
    return [
        _survival([each[number] for each in tests], (a, b), (group[a], group[b]))
        for groups, tests in ways
        for number, group in enumerate(groups)
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


TIES = ("best", "rank")

# `aligned` is left out: it is lrscore without unaligned words, with numbers of its own.
VARIED_RULES = ("talbot", "lrscore", "lader", "topdown-btg")


@dataclass(frozen=True)
class Convention:
    """How reference orders come about, and how their ties count.

    Attributes
    ----------
    rule, unaligned, links : str or None
        As `wordorder.order.reference.reference_orders` takes them; None for orders that are given.
    ties : str or None
        As metrics take it; None where it makes no difference.

    Examples
    --------
    >>> print(Convention("talbot", "next", "all", "best"), Convention(ties="rank"), sep="; ")
    talbot, unaligned next, links all, ties best; ties rank
    """

    rule: str | None = None
    unaligned: str | None = None
    links: str | None = None
    ties: str | None = None

    def __str__(self) -> str:
        named = (("unaligned", self.unaligned), ("links", self.links), ("ties", self.ties))
        parts = [self.rule, *(value and f"{name} {value}" for name, value in named)]
        return ", ".join(filter(None, parts)) or "as given"


def reference_conventions(
    alignments: Alignments,
    words: Treebank,
    *,
    rule: str = "talbot",
    unaligned: str | None = None,
    links: str = "all",
) -> Iterator[tuple[Convention, Orders]]:
    """Yield the reference orders of alignments under all rules.

    Parameters
    ----------
    alignments : Alignments
    words : Treebank
        The source sentences.
    rule, unaligned, links
        The convention that comes first.

    Examples
    --------
    >>> bank = Treebank.from_words([["he", "left"]])
    >>> found = reference_conventions(Alignments.from_rows([[(0, 1)]]), bank)
    >>> [(each.rule, each.unaligned) for each, _ in found][:4]
    [('talbot', 'next'), ('talbot', 'previous'), ('talbot', 'drop'), ('lrscore', 'next')]
    """
    counted = LINKS if alignments.possible.any() else (links,)
    all_of_them = [
        (each, place, some)
        for each in VARIED_RULES
        for place, some in product(LIMITED.get(each, UNALIGNED), counted)
    ]
    first = (rule, unaligned or RULES.get(rule), links)
    for each, place, some in [first, *(other for other in all_of_them if other != first)]:
        orders = reference_orders(
            alignments,
            words.lengths,
            rule=each,
            unaligned=place,
            links=some,
            words=words.sentences() if each == "lader" else None,
        )
        yield Convention(each, place, some if len(counted) > 1 else None), orders


def ties_of(metrics: Sequence[BaseMetric]) -> str | None:
    """Return how metrics count ties; None if it makes no difference to any.

    Raises
    ------
    UsageError
        If they differ.
    """
    tie_rules = {each.ties for each in metrics if isinstance(each, OrderMetric) and each.tie_rules}
    if len(tie_rules) > 1:
        raise UsageError(
            "ties are counted in both ways for all metrics: start with one way for all "
            "(-O=ties=rank)"
        )
    return tie_rules.pop() if tie_rules else None


def under_ties(metric: BaseMetric, ties: str | None) -> BaseMetric:
    """Return the same metric with ties counted as `ties` says.

    Examples
    --------
    >>> from wordorder.metrics.registry import metric
    >>> under_ties(metric("frs"), "rank").ties, under_ties(metric("exact"), "rank").ties
    ('rank', 'best')
    """
    if ties is None or not isinstance(metric, OrderMetric) or not metric.tie_rules:
        return metric
    changed = copy.copy(metric)
    changed.ties = ties
    return changed
