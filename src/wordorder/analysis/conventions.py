"""Conventions: the choices behind reference orders that an evaluation may depend on."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from wordorder.alignment.alignments import Alignments
from wordorder.errors import UsageError
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.order.order_metric import OrderMetric
from wordorder.order.orders import Orders
from wordorder.order.reference import LIMITED, LINKS, RULES, UNALIGNED, reference_orders
from wordorder.treebank.treebank import Treebank

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
    counted = LINKS if alignments.possible.any() else ("all",)
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
    >>> from wordorder.metrics import metric
    >>> under_ties(metric("frs"), "rank").ties, under_ties(metric("exact"), "rank").ties
    ('rank', 'best')
    """
    if ties is None or not isinstance(metric, OrderMetric) or not metric.tie_rules:
        return metric
    changed = copy.copy(metric)
    changed.ties = ties
    return changed
