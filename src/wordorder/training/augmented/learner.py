"""AugmentedLearner: a learner whose instances are mixed with lists that a cost judges."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from wordorder.arrays import Float64, Int64
from wordorder.errors import UsageError, whole_number
from wordorder.messages import counted
from wordorder.parsing.base import Parser
from wordorder.parsing.epochs import LossCounts, UpdateCounts
from wordorder.parsing.weights import Lister, ListLearner, Model, Step, Weights
from wordorder.training.cost import Cost, checked_costs, cost_name
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank

K = 8

MOST_CANDIDATES = 1 << 12

# Ratios are read as fractions with denominators up to this one: .5 is 1/2, .333 nearly 1/3.
FINEST = 1000


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
        whole_number(name, value, most=MOST_CANDIDATES)
    if longest < k:
        raise UsageError(f"lists of {k} candidates cannot grow to {longest}")
    if not margin >= 0:
        raise UsageError(f"margin is a number of at least 0, not {margin!r}")
    whole_number("start", start, 0)
    return k, longest


def check_start(start: int, epochs: int) -> None:
    """Refuse a training that ends before the further losses begin.

    Raises
    ------
    UsageError
        If no epoch is left for them.
    """
    if start >= epochs:
        epochs_before = counted(start, "epoch")
        raise UsageError(
            f"the further losses begin after {epochs_before}, and the training has {epochs}; "
            "expected more epochs"
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

    def learn(self, rows: Int64, weights: Weights, before: int) -> UpdateCounts:
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
        return UpdateCounts(len(rows), sum(tally.updates for tally in tallies), tallies)


class _Own:
    """The loss of the learner itself."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self.tally = LossCounts()

    def process(self, row: int, before: int) -> None:
        """Process a sentence."""
        self.tally += LossCounts(1, int(self._step(row, before)))


class _Ranker:
    """The inline ranker of one loss: lists, costs, and updates towards what costs less."""

    def __init__(
        self, loss: AugmentedLoss, lister: Lister, lengths: tuple[int, int], margin: float
    ) -> None:
        self._loss, self._lister = loss, lister
        self._lengths, self._margin = lengths, margin
        self._numbers = np.arange(len(loss.data))
        self.tally = LossCounts()

    def process(self, row: int, before: int) -> None:
        """Process a sentence."""
        k, longest = self._lengths
        while True:
            lists = self._lister.list_candidates(row, k)
            if not len(lists.trees):
                self.tally += LossCounts(1)
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
        self.tally += LossCounts(1, int(changed), int(even), cost)


class ParsedCost:
    """The cost of the tree that a parser makes over the tags of each candidate.

    With it a tagger learns from what its tags lead to (Hall et al. 2011, section 6).

    Parameters
    ----------
    cost : Cost
        Of trees.
    parser : Parser

    Examples
    --------
    >>> import numpy as np
    >>> from wordorder.parsing import TaggerLearner, open_parser
    >>> from wordorder.training import RootCost, augmented_train
    >>> from wordorder.treebank import Treebank
    >>> parser = open_parser("en").parser
    >>> tags = [["NOUN", "NOUN"], ["VERB", "NOUN"]]
    >>> bank = Treebank.from_words([["click", "here"]] * 2, upos=tags)
    >>> lists = KBest(bank, np.array([0, 2]), np.zeros(2))
    >>> gold = Treebank.from_words([["click", "here"]], heads=[[0, -1]])
    >>> ParsedCost(RootCost(gold), parser)(lists, np.array([0])).tolist()
    [1.0, 0.0]
    """

    def __init__(self, cost: Cost, parser: Parser) -> None:
        self.cost = cost
        self.parser = parser
        self.name = cost_name(cost)

    def __call__(self, candidates: KBest, rows: Int64) -> Float64:
        """Return the cost of each candidate, float64[T]."""
        trees = self.parser.parse(candidates.trees)
        return self.cost(KBest(trees, candidates.offsets, candidates.scores), rows)


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
            Numbers of treebank sentences in the order of this epoch, the same number in each epoch.
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
        largest_ratio = max(*ratios, Fraction(1))
        # The iterations after the last tree of the epochs so far, and after that of this one.
        first, last = (
            -(-(epochs * len(rows)) // (1 / largest_ratio)) for epochs in (passed, passed + 1)
        )
        iterations = np.arange(first, last, dtype=np.int64)
        batches, when = [rows], [iterations[_due(iterations, 1 / largest_ratio)]]
        base = self.trees
        for ratio, size in zip(ratios, self.sizes, strict=True):
            rate = ratio / largest_ratio
            due = iterations[_due(iterations, rate)]
            batches.append(base + _done(due, rate) % size)
            when.append(due)
            base += size
        # Of one iteration the treebank comes first, then the losses in their order.
        return np.concatenate(batches)[np.argsort(np.concatenate(when), kind="stable")]


def check_ratio(ratio: float) -> None:
    """Refuse a value that is not a ratio.

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
