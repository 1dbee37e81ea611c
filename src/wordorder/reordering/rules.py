"""Finding rule sets by name or path: built-in, from a file, of another package, or learned."""

from __future__ import annotations

import os
import pathlib
from typing import Protocol, runtime_checkable

import numpy as np

from wordorder.errors import InputError, UsageError, location
from wordorder.messages import counted
from wordorder.order.orders import Orders
from wordorder.registry import Registry
from wordorder.text.opening import Path
from wordorder.text.tensors import is_tensor_file
from wordorder.treebank.treebank import Treebank

RULES_FOLDER = pathlib.Path(__file__).parent / "sets"

# Each file in RULES_FOLDER is a built-in rule set; to add a rule set, add a file.
RULES = Registry(
    "rule set",
    "wordorder.rules",
    {
        path.stem: str(path)
        for pattern in ("*.toml", "*.safetensors")
        for path in sorted(RULES_FOLDER.glob(pattern))
    },
    needs=("orders",),
    listed_by="wordorder list rules",
)


def is_rule_file(name: str) -> bool:
    """Return whether `name` is the path of a file of rules and not the name of a rule set.

    Raises
    ------
    UsageError
        If `name` is neither; the message lists the names.

    Examples
    --------
    >>> is_rule_file("mine.toml"), is_rule_file("R5")
    (True, False)
    """
    # A file with the name of a built-in rule set does not replace it.
    if name in RULES.built_in:
        return False
    if (
        name == "-"
        or name.endswith((".toml", ".safetensors"))
        or os.sep in name
        or os.path.exists(name)
    ):
        return True
    if name not in RULES.installed:
        raise UsageError(f"{RULES.unknown(name)}; files of rules end in .toml")
    return False


def open_rules(rules: RuleSet | Path) -> RuleSet:
    """Return a rule set by its name, or read it from a file.

    Parameters
    ----------
    rules : name or path
        A name such as ``R5``, or a path: anything that ends in ``.toml`` or ``.safetensors``,
        contains a directory separator, names an existing file, or is ``-``. A learned order is
        recognised by the first bytes of its file. A `RuleSet` is returned unchanged.

    Raises
    ------
    UsageError
        If there is no such rule set; the message lists the known ones.
    InputError
        If a file is not valid; the message names the line.
    ModelError
        If the file of a learned order is damaged.

    Examples
    --------
    >>> open_rules("R1").name
    'R1'
    """
    from wordorder.reordering.precedence import PrecedenceRules

    if isinstance(rules, RuleSet):
        return rules
    name = os.fspath(rules)
    if name in RULES.built_in or is_rule_file(name):
        path = RULES.built_in.get(name, name)
        if is_tensor_file(path):
            from wordorder.reordering.learned.learned_order import load_learned

            return load_learned(path)
        return PrecedenceRules.read(path)
    rule_set: object = RULES.make(name)
    # isinstance() with the protocol also accepts a class, since it has the attributes.
    if isinstance(rule_set, type) or not isinstance(rule_set, RuleSet):
        problem = (
            "makes a class" if isinstance(rule_set, type) else "lacks name or orders(treebank)"
        )
        raise UsageError(f"rule set {name!r} cannot be used: it {problem}")
    return rule_set


@runtime_checkable
class RuleSet(Protocol):
    """The contract of all rule sets, written or learned."""

    @property
    def name(self) -> str:
        """The name in tables and signatures, such as ``R5``."""

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, 0-based, in target order, no ties."""


def orders_of(rules: RuleSet, treebank: Treebank) -> Orders:
    """Apply a rule set to a treebank and return the orders.

    Raises
    ------
    UsageError
        If the rule set, which may come from another package, does not return `Orders`.
    """
    orders: object = rules.orders(treebank)
    if not isinstance(orders, Orders):
        raise UsageError(f"the rules {rules.name} return {type(orders).__name__}, not Orders")
    return orders


def check_orders(
    orders: Orders, treebank: Treebank, *, name: str = "the reference", path: str | None = None
) -> None:
    """Check that there is one order per sentence and that all positions are in range.

    Parameters
    ----------
    orders : Orders
    treebank : Treebank
    name : str
        The name in messages for orders that do not come from a file.
    path : str, optional
        The file of the orders, one per line; used in messages.

    Raises
    ------
    InputError
        If there are more or fewer orders than sentences, or a position is out of range.

    Examples
    --------
    >>> bank = Treebank.from_words([["He", "left"]])
    >>> check_orders(Orders.from_rows([[0, 2]]), bank, path="a.orders")
    Traceback (most recent call last):
        ...
    wordorder.errors.InputError: a.orders:1: position 2, but the sentence has 2 words; expected \
positions from 0 to 1
    """
    if len(orders) != len(treebank):
        problem = f"{len(orders)} orders for {len(treebank)} sentences"
        raise InputError(path or name, problem, "one order per sentence")
    lengths = np.repeat(treebank.lengths, orders.lengths)
    out_of_range = np.flatnonzero(orders.positions.values >= lengths)
    if len(out_of_range):
        first_bad = int(out_of_range[0])
        row = int(np.searchsorted(orders.positions.offsets, first_bad, side="right")) - 1
        max_position = int(lengths[first_bad]) - 1
        word_count = counted(int(treebank.lengths[row]), "word")
        place = f"{name}, sentence {row + 1}" if path is None else location(path, row + 1)
        position = orders.positions.values[first_bad]
        problem = f"position {position}, but the sentence has {word_count}"
        expected = f"positions from 0 to {max_position}" if max_position >= 0 else "none"
        raise InputError(place, problem, expected)
