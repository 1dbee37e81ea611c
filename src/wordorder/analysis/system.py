"""AnalysedSystem: the orders of one system, and the trees and rules that they came from."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.order.orders import Orders
from wordorder.reordering.base import RuleSet
from wordorder.treebank.treebank import Treebank
from wordorder.types import Bool, Float64


@dataclass(frozen=True, eq=False)
class AnalysedSystem:
    """One system whose orders are looked at.

    Attributes
    ----------
    name : str
        What tables call it: ``P1R5``.
    orders : Orders
        S rows.
    scores : float64[S]
        The score of each sentence under the metric of the analysis (FRS); 0 where `skipped`.
    skipped : bool[S]
        Sentences that the metric leaves out: without words in system or reference.
    treebank : Treebank, optional
        The trees that the orders came from, S sentences.
    rules : RuleSet, optional
        What made the orders of the trees.
    """

    name: str
    orders: Orders
    scores: Float64
    skipped: Bool
    treebank: Treebank | None = None
    rules: RuleSet | None = None
