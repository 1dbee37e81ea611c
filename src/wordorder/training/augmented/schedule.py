"""The schedule of augmented-loss training: which instance of which loss comes when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from wordorder.errors import UsageError
from wordorder.types import Int64

# Ratios are read as fractions with denominators up to this one: .5 is 1/2, .333 nearly 1/3.
FINEST = 1000


@dataclass(frozen=True)
class Schedule:
    """Mixes the instances of further losses with those of the treebank (Hall et al. 2011, alg. 2).

    In iteration `i`, counted from 0, loss `j` processes its next instance if
    ``floor((i + 1) q_j) > floor(i q_j)``. The rates ``q`` are the ratios, divided by the largest of
    them and of 1, which is that of the treebank. The data of a loss are gone through in their
    order, again and again.

    Parameters
    ----------
    trees : int
        How many instances the treebank has.
    ratios : sequence of float
        Instances of each further loss for one of the treebank.
    sizes : sequence of int
        How many instances each further loss has.
    start : int
        So many epochs have none of the further losses.

    Raises
    ------
    UsageError
        If a ratio is not a positive number, or a loss has no instances.

    Examples
    --------
    Three trees and two further instances, of which one comes for each two trees.

    >>> schedule = Schedule(3, [0.5], [2])
    >>> schedule.epoch(np.array([2, 0, 1]), 1).tolist()
    [2, 0, 3, 1]
    >>> schedule.epoch(np.array([2, 0, 1]), 2).tolist()
    [2, 4, 0, 1, 3]
    """

    trees: int
    ratios: Sequence[float]
    sizes: Sequence[int]
    start: int = 0

    def __post_init__(self) -> None:
        for ratio, size in zip(self.ratios, self.sizes, strict=True):
            check_ratio(ratio)
            if size < 1:
                raise UsageError("an augmented loss has no sentences")

    def epoch(self, rows: Int64, number: int) -> Int64:
        """Return the instances of an epoch.

        Parameters
        ----------
        rows : int64 array
            Numbers of treebank sentences in the order of this epoch, as many in each epoch.
        number : int
            The epoch, counted from 1.

        Returns
        -------
        int64 array
            `rows` with instances of the further losses in between: those of loss `j` are counted
            on from the treebank's and those of the losses before `j`.
        """
        passed = number - 1 - self.start
        if passed < 0 or not self.ratios:
            return rows
        ratios = [Fraction(ratio).limit_denominator(FINEST) for ratio in self.ratios]
        most = max(*ratios, Fraction(1))
        # The iterations behind the last tree of the epochs so far, and behind that of this one.
        first, last = (-(-(epochs * len(rows)) // (1 / most)) for epochs in (passed, passed + 1))
        iterations = np.arange(first, last, dtype=np.int64)
        found, when = [rows], [iterations[_due(iterations, 1 / most)]]
        base = self.trees
        for ratio, size in zip(ratios, self.sizes, strict=True):
            rate = ratio / most
            due = iterations[_due(iterations, rate)]
            found.append(base + _done(due, rate) % size)
            when.append(due)
            base += size
        # Of one iteration the treebank comes first, then the losses in their order.
        return np.concatenate(found)[np.argsort(np.concatenate(when), kind="stable")]


def check_ratio(ratio: float) -> None:
    """Refuse what is no ratio.

    Raises
    ------
    UsageError
        If it is too small, too large, or no number.
    """
    if not 1 / FINEST <= ratio <= FINEST:
        raise UsageError(f"a ratio is a number from {1 / FINEST} to {FINEST}, not {ratio!r}")


def _done(iterations: Int64, rate: Fraction) -> Int64:
    """Return how many instances were processed before each iteration."""
    return iterations * rate.numerator // rate.denominator


def _due(iterations: Int64, rate: Fraction) -> Int64:
    """Return the places of the iterations in which an instance is processed."""
    return np.flatnonzero(_done(iterations + 1, rate) > _done(iterations, rate))
