"""Sensitivity of the rankings of a grid to the conventions of its reference orders."""

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
from wordorder.metrics.contract import BaseMetric, Metric, complete_metric
from wordorder.metrics.order.chunks import OrderMetric
from wordorder.metrics.registry import metric
from wordorder.options import UNALIGNED
from wordorder.order.orders import Orders
from wordorder.order.reference import ALLOWED_UNALIGNED, DEFAULT_UNALIGNED, LINKS, reference_orders
from wordorder.records import Record, key
from wordorder.statistics.intervals import RESOLUTION
from wordorder.statistics.paired_tests import Comparison
from wordorder.treebank.treebank import Treebank

TIES = ("best", "rank")
# `aligned` is left out: it is lrscore on fewer words, so its values are not comparable.
VARIED_RULES = ("talbot", "lrscore", "lader", "topdown-btg")


@dataclass(frozen=True)
class Convention(Record):
    """The way in which reference orders are built, and their ties are counted.

    Examples
    --------
    >>> print(Convention("talbot", "next", "all", "best"), Convention(ties="rank"), sep="; ")
    talbot, unaligned next, links all, ties best; ties rank
    """

    rule: str | None = key(
        "how orders are made of the alignments; `null` for orders that are given", default=None
    )
    unaligned: str | None = key(
        "where words without a link go; `null` for orders that are given", default=None
    )
    links: str | None = key("which links count; `null` where all of them are sure", default=None)
    ties: str | None = key("how ties count; `null` where there are none", default=None)

    def __str__(self) -> str:
        fields = (("unaligned", self.unaligned), ("links", self.links), ("ties", self.ties))
        parts = [self.rule, *(value and f"{name} {value}" for name, value in fields)]
        return ", ".join(filter(None, parts)) or "as given"


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """The same systems, evaluated under several conventions.

    Attributes
    ----------
    conventions : tuple of Convention
        Conventions with distinct reference orders; the first is the requested one.
    same : tuple of tuples of Convention
        For each convention, the other conventions with the same reference orders.
    grids : tuple of Grid
        One grid per convention.
    """

    conventions: tuple[Convention, ...]
    same: tuple[tuple[Convention, ...], ...]
    grids: tuple[Grid, ...]

    def of_metric(self, m: int) -> list[tuple[Convention, Grid]]:
        """Return the conventions that differ for metric `m`, each with its grid.

        If the metric has no ties, conventions that differ only in ties are merged.
        """
        grids: dict[Convention, tuple[Convention, Grid]] = {}
        for convention, grid in zip(self.conventions, self.grids, strict=True):
            if "ties" not in dict(grid.signatures[m].fields):
                convention = replace(convention, ties=None)
            grids.setdefault(convention, (convention, grid))
        return list(grids.values())


@dataclass(frozen=True)
class PairSurvival:
    """The ranking of two systems under all conventions.

    Attributes
    ----------
    better, worse : int
        Indices of the two systems in the grid, as ranked under the first convention.
    ranked : bool
        False if the two are equal under the first convention; they are then in grid order.
    holds, equal, turned : int
        Numbers of conventions under which `better` has the better, the same, the worse value.
    surely, turned_surely : int
        Numbers of conventions in `holds` and in `turned` whose difference is significant at 95 %.
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
    """Evaluate systems under several conventions, with ties counted in both ways.

    Parameters
    ----------
    systems : GridSystems
        As returned by `wordorder.analysis.grid_systems.grid_systems`.
    references : pairs of Convention and Orders
        The reference orders, the requested convention first: the result of
        `wordorder.analysis.sensitivity.reference_conventions`, or ``[(Convention(), orders)]`` if
        only ties vary.
    metrics : sequence of Metric or str
    level, resamples, seed, test
        See `wordorder.analysis.grid_systems.evaluate_grid`.

    Raises
    ------
    UsageError
        If the metrics count ties in different ways, and in the cases of `evaluate_grid`.

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
    completed_metrics = [
        metric(item) if isinstance(item, str) else complete_metric(item) for item in metrics
    ]
    default_ties = ties_of(completed_metrics)
    # The requested tie rule comes first.
    tie_rules = [
        default_ties,
        *(
            ties_rule
            for ties_rule in TIES
            if default_ties is not None and ties_rule != default_ties
        ),
    ]
    grid_by_orders: dict[tuple[bytes, ...], int] = {}
    conventions: list[Convention] = []
    same: list[list[Convention]] = []
    grids: list[Grid] = []
    for convention, orders in references:
        for ties in tie_rules if orders.ranks is not None else [None]:
            variant = replace(convention, ties=ties)
            ranks = b"" if orders.ranks is None else orders.ranks.values.tobytes()
            places = orders.positions.values.tobytes(), orders.positions.offsets.tobytes()
            key = (*places, ranks, (ties or "").encode())
            if key in grid_by_orders:
                same[grid_by_orders[key]].append(variant)
                continue
            grid_by_orders[key] = len(grids)
            conventions.append(variant)
            same.append([])
            grids.append(
                scored_grid(
                    orders,
                    systems,
                    [under_ties(metric_variant, ties) for metric_variant in completed_metrics],
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
    """Count the conventions under which each ranking of a metric holds.

    Parameters
    ----------
    sensitivity : Sensitivity
    m : int
        Index of the metric.

    Returns
    -------
    list of PairSurvival
        Pairs of parsers with the same rules, then pairs of rule sets with the same parser.
    """
    first, grids = sensitivity.grids[0], [grid for _, grid in sensitivity.of_metric(m)]
    pairings = (
        (first.under_rules, [grid.by_rules[m] for grid in grids]),
        (first.with_parser, [grid.by_parser[m] for grid in grids]),
    )
    return [
        _survival([test_group[number] for test_group in tests], (a, b), (group[a], group[b]))
        for groups, tests in pairings
        for number, group in enumerate(groups)
        for a, b in combinations(range(len(group)), 2)
    ]


def ranking_tau(first: Float64, second: Float64) -> float | None:
    """Return Kendall's tau-b of two rankings of the same systems.

    Parameters
    ----------
    first, second : float64[n]
        Values of the systems; values that differ only by rounding are tied.

    Returns
    -------
    float in [-1, 1], or None
        1 for the same ranking; None if all systems are tied in one of them.

    Examples
    --------
    >>> ranking_tau(np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.9, 0.7]))
    0.3333333333333333
    """
    first_signs, second_signs = _signs(first), _signs(second)
    pairs = float(np.abs(first_signs).sum()) * float(np.abs(second_signs).sum())
    return float((first_signs * second_signs).sum() / np.sqrt(pairs)) if pairs else None


def _signs(values: Float64) -> Float64:
    """Return the signs of the differences of all pairs, float64[n, n]; 0 within rounding."""
    differences = values[:, np.newaxis] - values
    largest = np.maximum(np.abs(values[:, np.newaxis]), np.abs(values))
    return np.where(np.abs(differences) <= RESOLUTION * largest, 0.0, np.sign(differences))


def _survival(
    comparisons: Sequence[Comparison], pair: tuple[int, int], numbers: tuple[int, int]
) -> PairSurvival:
    """Count the conventions under which the first of two systems is better than the second."""
    signs, marks = [], []
    for comparison in comparisons:
        sign = int(_signs(np.array(comparison.values))[pair])
        signs.append(sign if comparison.higher_is_better else -sign)
        # The mark is + if the second system is better, - if it is worse.
        marks.append(comparison.pair(*pair).mark)
    up, down = "-**", "+**"
    if signs[0] < 0:
        signs, up, down = [-sign for sign in signs], down, up
        numbers = (numbers[1], numbers[0])
    holds, equal, reversed_ = (signs.count(sign) for sign in (1, 0, -1))
    return PairSurvival(
        *numbers, signs[0] != 0, holds, equal, reversed_, marks.count(up), marks.count(down)
    )


def reference_conventions(
    alignments: Alignments,
    words: Treebank,
    *,
    rule: str = "talbot",
    unaligned: str | None = None,
    links: str = "all",
) -> Iterator[tuple[Convention, Orders]]:
    """Yield the reference orders of alignments under all conventions.

    Parameters
    ----------
    alignments : Alignments
    words : Treebank
        The source sentences.
    rule, unaligned, links
        The convention that is yielded first; see `reference_orders`.

    Examples
    --------
    >>> bank = Treebank.from_words([["he", "left"]])
    >>> found = reference_conventions(Alignments.from_rows([[(0, 1)]]), bank)
    >>> [(each.rule, each.unaligned) for each, _ in found][:4]
    [('talbot', 'next'), ('talbot', 'previous'), ('talbot', 'drop'), ('lrscore', 'next')]
    """
    link_types = LINKS if alignments.possible.any() else (links,)
    variants = [
        (varied_rule, placement, link_type)
        for varied_rule in VARIED_RULES
        for placement, link_type in product(
            ALLOWED_UNALIGNED.get(varied_rule, UNALIGNED), link_types
        )
    ]
    first = (rule, unaligned or DEFAULT_UNALIGNED.get(rule), links)
    for varied_rule, placement, link_type in [
        first,
        *(variant for variant in variants if variant != first),
    ]:
        orders = reference_orders(
            alignments,
            words.lengths,
            rule=varied_rule,
            unaligned=placement,
            links=link_type,
            words=words.sentences() if varied_rule == "lader" else None,
        )
        yield Convention(varied_rule, placement, link_type if len(link_types) > 1 else None), orders


def ties_of(metrics: Sequence[BaseMetric]) -> str | None:
    """Return the tie rule of the metrics; None if none of them has ties.

    Raises
    ------
    UsageError
        If the metrics have different tie rules.
    """
    tie_rules = {
        metric.ties for metric in metrics if isinstance(metric, OrderMetric) and metric.tie_rules
    }
    if len(tie_rules) > 1:
        raise UsageError(
            "ties are counted in both ways for all metrics: start with one way for all "
            "(-O=ties=rank)"
        )
    return tie_rules.pop() if tie_rules else None


def under_ties(metric: BaseMetric, ties: str | None) -> BaseMetric:
    """Return a copy of a metric with another tie rule; a metric without ties is returned as it is.

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
