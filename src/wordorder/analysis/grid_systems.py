"""The systems of a grid: the orders that each rule set gives the trees of each parser."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from wordorder.analysis.grid import system_name
from wordorder.analysis.grid_checks import check_same_words
from wordorder.errors import InputError, UsageError
from wordorder.order.orders import Orders
from wordorder.reordering.base import RuleSet, orders_of
from wordorder.reordering.fit import note_fit_problems
from wordorder.reordering.rules import open_rules
from wordorder.treebank.sentence_places import sentences_of
from wordorder.treebank.treebank import Treebank


@dataclass(frozen=True, eq=False)
class GridSystems:
    """Parsers × rule sets, before they are scored.

    Attributes
    ----------
    parsers, rules : tuple of str
        P names of trees and R names of rule sets.
    orders : tuple of Orders
        P × R of them, parser by parser.
    words : Treebank
        The source sentences, S of them.
    """

    parsers: tuple[str, ...]
    rules: tuple[str, ...]
    orders: tuple[Orders, ...]
    words: Treebank

    @property
    def names(self) -> tuple[str, ...]:
        """What each system is called: ``P1R5``."""
        return tuple(system_name(p, r) for p, r in product(self.parsers, self.rules))

    @property
    def provenance(self) -> tuple[tuple[tuple[str, str], ...], ...]:
        """What each system's signatures say of it: its trees, the name and a hash of its rules."""
        pairs = zip(product(self.parsers, self.rules), self.orders, strict=True)
        return tuple(
            (("trees", _plain(parser)), *(orders.provenance or (("rules", _plain(rules)),)))
            for (parser, rules), orders in pairs
        )


def grid_systems(
    treebanks: Mapping[str, Treebank], rules: Sequence[RuleSet | str] | Mapping[str, RuleSet]
) -> GridSystems:
    """Order the words of each parser's trees by each rule set.

    Parameters
    ----------
    treebanks : mapping of name to Treebank
        The trees of each parser, of the same sentences.
    rules : sequence of RuleSet, or mapping of name to RuleSet
        Strings are names and files as `wordorder.reordering.rules.open_rules` takes them.

    Raises
    ------
    UsageError
        If there are no trees or no rules, or two rule sets have one name.
    InputError
        If the treebanks differ in their words, a sentence has no tree, or a rule set does not
        order all words of a sentence.

    Warns
    -----
    WordOrderWarning
        If rules do not fit trees, as `wordorder.reordering.fit.fit_problems` finds.

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left"]], heads=[[2, 0]])
    >>> systems = grid_systems({"P1": bank}, ["R1", "R2"])
    >>> systems.names, [orders.to_text(0) for orders in systems.orders]
    (('P1R1', 'P1R2'), ['0 1', '1 0'])
    """
    if isinstance(rules, Mapping):
        named = dict(rules)
    else:
        opened = [open_rules(each) if isinstance(each, str) else each for each in rules]
        named = {each.name: each for each in opened}
        if len(named) < len(opened):
            names = ", ".join(each.name for each in opened)
            raise UsageError(f"two rule sets have the same name: {names}")
    if not treebanks or not named:
        raise UsageError(f"there are no {'rule sets' if treebanks else 'trees'} to evaluate")
    check_same_words(treebanks)
    found = [
        _ordered(f"{parser}, {name}", bank, each)
        for parser, bank in treebanks.items()
        for name, each in named.items()
    ]
    words = next(iter(treebanks.values()))
    return GridSystems(tuple(treebanks), tuple(named), tuple(found), words)


def _ordered(where: str, bank: Treebank, rules: RuleSet) -> Orders:
    """Apply rules to trees, and check that all words are there."""
    note_fit_problems(rules, bank, where)
    with sentences_of(where, np.arange(len(bank))):
        orders = orders_of(rules, bank)
    positions = orders.positions
    right = np.array_equal(positions.offsets, bank.offsets)
    if not right or np.any(positions.values >= np.repeat(bank.lengths, bank.lengths)):
        raise InputError(where, "orders of other words", "all words of each sentence")
    return orders


def _plain(name: str) -> str:
    """Return a name without the sign that parts the fields of a signature."""
    return name.replace("|", "/")
