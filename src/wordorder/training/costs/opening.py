"""Costs of trees by what a user calls them."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any, cast

from wordorder.errors import UsageError, WordOrderError, unknown_name
from wordorder.metrics import METRICS, metrics_for
from wordorder.metrics.formula import named_metric
from wordorder.metrics.trees.relations import is_relation
from wordorder.training.costs.arc_length import ArcLengthCost
from wordorder.training.costs.base import Cost
from wordorder.training.costs.root import RootCost
from wordorder.training.costs.tree_metric import TreeMetricCost
from wordorder.treebank.treebank import Treebank

KINDS = ("root", "arc-length", "arc-length-labelled")


def open_cost(name: str, gold: Treebank) -> Cost:
    """Return the cost of trees that is called `name`.

    Parameters
    ----------
    name : str
        ``root``, ``arc-length``, ``arc-length-labelled``; a metric of trees, ``nsubj`` or
        ``root-f1``; or ``MODULE:COST``, what a module calls `COST`: a class, which is made with
        `gold`, or a cost. Modules of the current folder are found.
    gold : Treebank
        What trees are judged against; heads that are not known are -1.

    Raises
    ------
    UsageError
        If there is no such cost; the message lists the names. If a module cannot be imported, or
        does not have it.

    Examples
    --------
    >>> gold = Treebank.from_words([["Go"]], heads=[[0]])
    >>> open_cost("root", gold).name, open_cost("nsubj", gold).name
    ('root', 'nsubj')
    """
    built_in = _built_in(name, gold)
    if built_in is not None:
        return built_in
    module, colon, attribute = name.partition(":")
    if not colon or not attribute:
        legal = [*KINDS, *metrics_for({"trees"})]
        raise UsageError(f"{unknown_name('cost', name, legal)}; or MODULE:COST for your own")
    return own_cost(name, module, attribute, gold)


def is_own_cost(name: str) -> bool:
    """Whether a cost is a user's own: one that is called ``MODULE:COST``.

    Raises
    ------
    UsageError
        If it is no cost at all, as `open_cost` does; modules are not imported.

    Examples
    --------
    >>> is_own_cost("mine:subjects"), is_own_cost("nsubj:pass")
    (True, False)
    """
    nothing = Treebank.from_words([])
    if _built_in(name, nothing) is not None:
        return False
    module, _, attribute = name.partition(":")
    return bool(module and attribute) or bool(open_cost(name, nothing))


def _built_in(name: str, gold: Treebank) -> Cost | None:
    """Return a cost that comes with the package; None if there is none of this name."""
    if name == "root":
        return RootCost(gold)
    if name in ("arc-length", "arc-length-labelled"):
        return ArcLengthCost(gold, labelled=name.endswith("labelled"))
    known = METRICS.spelling(name)
    if known in METRICS.names() or is_relation(known) or "(" in name:
        return TreeMetricCost(named_metric(name), gold)
    return None


def own_cost(name: str, module: str, attribute: str, gold: Treebank) -> Cost:
    """Return the cost of a user's module.

    Raises
    ------
    UsageError
        If it cannot be imported or made, or is no cost.
    """
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
        cost = found(gold) if isinstance(found, type) else found
    except (WordOrderError, MemoryError):
        raise
    except Exception as error:
        what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise UsageError(f"cost {name!r} cannot be loaded: {what}") from error
    finally:
        sys.path.remove(here)
    if not callable(cost):
        raise UsageError(f"cost {name!r} is of type {type(cost).__name__}; expected a function")
    return cast(Cost, cost)
