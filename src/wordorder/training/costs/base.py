"""Costs: a number for each tree of a list, and checks of what a cost function returns."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

import numpy as np

from wordorder.counts import counted
from wordorder.errors import InputError, UsageError, WordOrderError
from wordorder.treebank.kbest import KBest
from wordorder.types import Float64, Int64


@runtime_checkable
class Cost(Protocol):
    """The contract of all costs: what the trees of a list cost the task that they are used for.

    A function that takes the two arguments is a cost too.
    """

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each tree, float64[T]; smaller is better.

        Parameters
        ----------
        candidates : KBest
            Lists of trees of any sentences, T trees in all.
        rows : int64[S]
            Which instance of the cost's own data each sentence is, counted from 0.

        Returns
        -------
        float64[T]
            Only the costs of one list are compared with each other, so their scale is free. No
            NaN; ``inf`` for a tree that cannot be used.
        """
        ...


def cost_name(cost: Cost) -> str:
    """Return what messages call a cost: its `name`, that of the function, or of its class."""
    for found in (getattr(cost, "name", None), getattr(cost, "__name__", None)):
        if isinstance(found, str) and found:
            return found
    return type(cost).__name__


def checked_costs(cost: Cost, candidates: KBest, rows: Int64) -> Float64:
    """Return what a cost says of lists of trees, and refuse what cannot be a cost.

    Parameters
    ----------
    cost, candidates, rows
        As `Cost` has them.

    Raises
    ------
    UsageError
        If the cost raises anything, or returns NaN or something else than a number a tree; the
        message names the first sentence with which it does.
    InputError
        As the cost raises it.

    Examples
    --------
    >>> from wordorder.treebank.treebank import Treebank
    >>> trees = Treebank.from_words([["Go"], ["Stop"]], heads=[[0], [0]])
    >>> lists = KBest(trees, np.array([0, 1, 2]), np.zeros(2))
    >>> checked_costs(lambda candidates, rows: rows / (rows - 7), lists, np.array([6, 8]))
    array([-6.,  8.])
    >>> checked_costs(lambda candidates, rows: [np.nan], lists[:1], np.array([6]))
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: cost <lambda>, sentence 7: NaN; expected a number for each tree
    """
    if len(rows) != len(candidates):
        what = f"{counted(len(rows), 'row')} for {counted(len(candidates), 'list')}"
        raise UsageError(f"{what}; expected one row a list")
    try:
        return _checked(cost, candidates, rows)
    except (_BadCostError, InputError):
        for place in range(len(candidates)):
            one, row = candidates[place : place + 1], rows[place : place + 1]
            try:
                _checked(cost, one, row)
            except _BadCostError as error:
                raise _located(cost, error, one, int(row[0])) from error.__cause__
        raise


class _BadCostError(UsageError):
    """What a cost returned or raised, before it is known which sentence is to blame."""


def _checked(cost: Cost, candidates: KBest, rows: Int64) -> Float64:
    """Return the costs of all trees, or raise what is wrong with them."""
    try:
        found: Any = cost(candidates, rows)
    except (WordOrderError, MemoryError):
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        raise _BadCostError(why) from error
    trees = len(candidates.trees)
    try:
        costs = np.asarray(found, np.float64)
    except (TypeError, ValueError):
        kind = type(found).__name__
        raise _BadCostError(f"{kind} returned; expected a number for each tree") from None
    if costs.shape != (trees,):
        what = f"an array of shape {costs.shape} for {counted(trees, 'tree')}"
        raise _BadCostError(f"{what}; expected a number for each tree")
    if np.isnan(costs).any():
        raise _BadCostError("NaN; expected a number for each tree")
    return costs


def _located(cost: Cost, error: _BadCostError, candidates: KBest, row: int) -> UsageError:
    """Return an error that says with which sentence a cost fails."""
    where = f"cost {cost_name(cost)}, {sentence_name(candidates, 0, row)}"
    return UsageError(f"{where}: {error}")


def sentence_name(candidates: KBest, place: int, row: int) -> str:
    """Name a sentence by its row, counted from 1, and by its ``sent_id`` if that says more."""
    first = int(candidates.offsets[place])
    own = None
    if first < int(candidates.offsets[place + 1]):
        own = candidates.trees.margins[first].value("sent_id")
    return f"sentence {row + 1}" + ("" if own in (None, str(row + 1)) else f" ({own})")
