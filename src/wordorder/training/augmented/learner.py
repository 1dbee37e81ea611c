"""AugmentedLearner: a learner whose instances are mixed with lists that a cost judges."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder.counts import counted
from wordorder.errors import UsageError
from wordorder.parsing.learner import Lister, ListLearner, LossTally, Model, Step, Tally
from wordorder.parsing.weights import Weights
from wordorder.training.augmented.schedule import Schedule
from wordorder.training.costs.base import Cost, checked_costs
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64

K = 8
MOST_CANDIDATES = 1 << 12


@dataclass(frozen=True)
class AugmentedLoss:
    """A further loss of augmented training.

    Attributes
    ----------
    data : Treebank
        Sentences, tagged if a parser learns from them.
    cost : Cost
        What candidates for them cost.
    ratio : float
        How many of them are processed for one sentence of the treebank.
    name : str
        What messages call the loss.
    """

    data: Treebank
    cost: Cost
    ratio: float = 1.0
    name: str = "augmented"


def check_options(
    k: int, grow: int | None = None, margin: float = 0.0, start: int = 0
) -> tuple[int, int]:
    """Return how long lists are at first and at most.

    Raises
    ------
    UsageError
        If an option of `AugmentedLearner` makes no sense.
    """
    longest = k if grow is None else grow
    for name, value in (("k", k), ("grow", longest)):
        if type(value) is not int or not 1 <= value <= MOST_CANDIDATES:
            raise UsageError(f"{name} is a whole number from 1 to {MOST_CANDIDATES}, not {value!r}")
    if longest < k:
        raise UsageError(f"lists of {k} candidates cannot grow to {longest}")
    if not margin >= 0:
        raise UsageError(f"margin is a number of at least 0, not {margin!r}")
    if type(start) is not int or start < 0:
        raise UsageError(f"start is a whole number of at least 0, not {start!r}")
    return k, longest


def check_epochs(start: int, epochs: int) -> None:
    """Refuse a training that ends before the further losses begin.

    Raises
    ------
    UsageError
        If no epoch is left for them.
    """
    if start >= epochs:
        before = counted(start, "epoch")
        raise UsageError(
            f"the further losses begin after {before}, and the training has {epochs}; expected "
            "more epochs"
        )


class AugmentedLearner:
    """Learns from a treebank and, by further losses, from other sentences (Hall et al. 2011).

    A treebank sentence is processed as the learner does it (the intrinsic loss). For a sentence of
    a further loss the learner makes a list of its `k` best candidates. If some cost less than the
    first one, the first of the cheapest is favoured over it (algorithm 3). Averages count every
    sentence that was processed, of either kind.

    Parameters
    ----------
    learner : TransitionLearner, GraphLearner or TaggerLearner
    losses : sequence of AugmentedLoss
    k : int, 1 to 4096
        Candidates of a list.
    grow : int, optional
        While no candidate costs less than the first, lists are made twice as long, up to this
        length; `k` = 2 is what section 2.3 proposes.
    start : int
        So many epochs learn from the treebank alone.
    margin : float
        A candidate is only favoured if it costs less by more than this.
    primary : AugmentedLoss, optional
        Whose data are the treebank: after `start` epochs, at least one, its sentences are learnt
        from by this cost of their lists, in place of the learner's own loss (section 4.3). Without
        an epoch of the own loss all trees of a list cost the same, and nothing would be learnt.

    Raises
    ------
    UsageError
        If an option makes no sense.
    """

    def __init__(
        self,
        learner: ListLearner,
        losses: Sequence[AugmentedLoss],
        *,
        k: int = K,
        grow: int | None = None,
        start: int = 0,
        margin: float = 0.0,
        primary: AugmentedLoss | None = None,
    ) -> None:
        self._how = (check_options(k, grow, margin, start), margin)
        self._learner = learner
        self._losses = tuple(losses)
        self._primary = primary
        if primary is not None:
            if len(primary.data) != learner.instances:
                raise UsageError("the data of the primary loss are not those of the treebank")
            self._losses += (primary,)
            start = max(start, 1)
        self._start = start
        self._listers = [learner.lister(loss.data) for loss in self._losses]
        sizes = [len(loss.data) for loss in self._losses]
        self._first = np.cumsum([0, learner.instances, *sizes], dtype=np.int64)
        ratios = [loss.ratio for loss in losses]
        self._schedule = Schedule(learner.instances, ratios, sizes[: len(losses)], start)

    @property
    def instances(self) -> int:
        """How many sentences the treebank has."""
        return self._learner.instances

    def epoch(self, rows: Int64, number: int) -> Int64:
        """Return the instances of an epoch: treebank sentences with others in between."""
        order = self._schedule.epoch(rows, number)
        if self._primary is None or number <= self._start:
            return order
        # Those of the primary loss come behind all others.
        return np.where(order < self.instances, order + self._first[-2], order)

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        return self._learner.new_weights()

    def model(self, weights: Weights) -> Model:
        """Return the tagger or parser that has these weights."""
        return self._learner.model(weights)

    def learn(self, rows: Int64, weights: Weights, before: int) -> Tally:
        """Process sentences in the given order and change the weights in place.

        Parameters
        ----------
        rows : int64 array
            As `epoch` returns them.
        weights : Weights
        before : int
            How many instances these weights have seen.
        """
        losses = zip(self._losses, self._listers, strict=True)
        processors: list[_Own | _Ranker] = [
            _Own(self._learner.step(weights)),
            *(_Ranker(loss, lister(weights), *self._how) for loss, lister in losses),
        ]
        kinds = (np.searchsorted(self._first, rows, side="right") - 1).tolist()
        starts = self._first.tolist()
        for seen, (row, kind) in enumerate(zip(rows.tolist(), kinds, strict=True), before):
            processors[kind].process(row - starts[kind], seen)
        tallies = tuple(processor.tally for processor in processors)
        return Tally(len(rows), sum(tally.updates for tally in tallies), tallies)


class _Own:
    """The loss of the learner itself."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self.tally = LossTally()

    def process(self, row: int, before: int) -> None:
        """Process a sentence."""
        self.tally += LossTally(1, int(self._step(row, before)))


class _Ranker:
    """The inline ranker of one loss: lists, costs, and updates towards what costs less."""

    def __init__(
        self, loss: AugmentedLoss, lister: Lister, lengths: tuple[int, int], margin: float
    ) -> None:
        self._loss, self._lister = loss, lister
        self._lengths, self._margin = lengths, margin
        self._numbers = np.arange(len(loss.data))
        self.tally = LossTally()

    def process(self, row: int, before: int) -> None:
        """Process a sentence."""
        k, longest = self._lengths
        while True:
            lists = self._lister.listed(row, k)
            if not len(lists.trees):
                self.tally += LossTally(1)
                return
            costs = checked_costs(self._loss.cost, lists, self._numbers[row : row + 1])
            best = int(costs.argmin())
            first, least = float(costs[0]), float(costs[best])
            cheaper = least < first and first - least > self._margin
            if cheaper or len(costs) < k or k >= longest:
                break
            k = min(2 * k, longest)
        changed = cheaper and self._lister.prefer(best, before)
        even = least == float(costs.max())
        # What cannot be used has no cost to be averaged.
        cost = first if math.isfinite(first) else 0.0
        self.tally += LossTally(1, int(changed), int(even), cost)
