"""What a rule set is: it puts the words of dependency trees into another order."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from wordorder.errors import UsageError
from wordorder.order.orders import Orders
from wordorder.treebank.treebank import Treebank


@runtime_checkable
class RuleSet(Protocol):
    """The contract of all rule sets, written or learnt."""

    @property
    def name(self) -> str:
        """What tables and signatures call it: ``R5``."""

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, 0-based, in target order, no ties."""
        ...


def orders_of(rules: RuleSet, treebank: Treebank) -> Orders:
    """Return the orders that a rule set gives trees.

    Raises
    ------
    UsageError
        If it returns something else: anybody may write rules.
    """
    found: object = rules.orders(treebank)
    if not isinstance(found, Orders):
        raise UsageError(f"the rules {rules.name} return {type(found).__name__}, not Orders")
    return found
