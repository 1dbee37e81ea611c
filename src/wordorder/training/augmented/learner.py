"""AugmentedLearner: mixes the instances of a learner with lists that are ranked by a cost."""

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

DEFAULT_CANDIDATES = 8

MAX_CANDIDATES = 1 << 12

# Ratios become fractions with denominators up to this one: .5 is 1/2, .333 is 333/1000.
MAX_DENOMINATOR = 1000


@dataclass(frozen=True)
class AugmentedLoss:
    """A further loss of augmented training.

    Attributes
    ----------
    data : Treebank
        Sentences, tagged if a parser learns from them.
    cost : Cost
        The cost of their candidates.
    ratio : float
        How many of them are processed per sentence of the treebank.
    name : str
        The name of the loss in messages.
    """

    data: Treebank
    cost: Cost
    ratio: float = 1.0
    name: str = "augmented"


def check_options(
    k: int, grow: int | None = None, margin: float = 0.0, start: int = 0
) -> tuple[int, int]:
    """Return the initial and the maximum length of lists.

    Raises
    ------
    UsageError
        If an option of `AugmentedLearner` is invalid.
    """
    max_length = k if grow is None else grow
    for name, value in (("k", k), ("grow", max_length)):
        whole_number(name, value, most=MAX_CANDIDATES)
    if max_length < k:
        raise UsageError(f"lists of {k} candidates cannot grow to {max_length}")
    if not margin >= 0:
        raise UsageError(f"margin is a number of at least 0, not {margin!r}")
    whole_number("start", start, 0)
    return k, max_length


def check_start(start: int, epochs: int) -> None:
    """Raise a UsageError if a training ends before the further losses begin.

    Raises
    ------
    UsageError
        If no epoch is left for them.
    """
    if start >= epochs:
        epochs_text = counted(start, "epoch")
        raise UsageError(
            f"the further losses begin after {epochs_text}, and the training has {epochs}; "
            "expected more epochs"
        )


class AugmentedLearner:
    """Learns from a treebank and, by further losses, from other sentences (Hall et al. 2011).

    A treebank sentence is processed by the learner (the intrinsic loss). For a sentence of a
    further loss the learner lists its `k` best candidates. If some cost less than the first one,
    the first of the cheapest is preferred to it (algorithm 3). Averaged weights count the sentences
    of all losses.

    Parameters
    ----------
    learner : TransitionLearner, GraphLearner or TaggerLearner
    losses : sequence of AugmentedLoss
    k : int, 1 to 4096
        Candidates per list.
    grow : int, optional
        While no candidate costs less than the first, the list is doubled, up to this length;
        section 2.3 proposes `k` = 2.
    start : int
        The number of first epochs that learn from the treebank only.
    margin : float
        A candidate is only preferred if it costs less by more than this.
    primary : AugmentedLoss, optional
        Its data are the treebank: after `start` epochs, at least one, this cost of the lists of
        these sentences replaces the learner's own loss (section 4.3). Without an epoch of the own
        loss all trees of a list would cost the same, and nothing would be learned.

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
        k: int = DEFAULT_CANDIDATES,
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
        """The number of sentences of the treebank."""
        return self._learner.instances

    def epoch(self, rows: Int64, number: int) -> Int64:
        """Return the instances of an epoch: treebank sentences mixed with others."""
        order = self._schedule.epoch(rows, number)
        if self._primary is None or number <= self._start:
            return order
        # Instances of the primary loss come after all others.
        return np.where(order < self.instances, order + self._first[-2], order)

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        return self._learner.new_weights()

    def model(self, weights: Weights) -> Model:
        """Return the tagger or parser with these weights."""
        return self._learner.model(weights)

    def learn(self, rows: Int64, weights: Weights, before: int) -> UpdateCounts:
        """Process sentences in this order and update the weights in place.

        Parameters
        ----------
        rows : int64 array
            The instances of `epoch`, or a part of them.
        weights : Weights
        before : int
            The number of instances that these weights have seen.
        """
        losses = zip(self._losses, self._listers, strict=True)
        processors: list[_IntrinsicLoss | _InlineRanker] = [
            _IntrinsicLoss(self._learner.step(weights)),
            *(_InlineRanker(loss, lister(weights), *self._how) for loss, lister in losses),
        ]
        loss_indices = (np.searchsorted(self._first, rows, side="right") - 1).tolist()
        starts = self._first.tolist()
        for seen, (row, loss_index) in enumerate(
            zip(rows.tolist(), loss_indices, strict=True), before
        ):
            processors[loss_index].process(row - starts[loss_index], seen)
        tallies = tuple(processor.tally for processor in processors)
        return UpdateCounts(len(rows), sum(tally.updates for tally in tallies), tallies)


class _IntrinsicLoss:
    """The loss of the learner itself."""

    def __init__(self, step: Step) -> None:
        self._step = step
        self.tally = LossCounts()

    def process(self, row: int, before: int) -> None:
        """Process a sentence."""
        self.tally += LossCounts(1, int(self._step(row, before)))


class _InlineRanker:
    """The inline ranker of one loss: lists candidates and updates towards cheaper ones."""

    def __init__(
        self, loss: AugmentedLoss, lister: Lister, lengths: tuple[int, int], margin: float
    ) -> None:
        self._loss, self._lister = loss, lister
        self._lengths, self._margin = lengths, margin
        self._numbers = np.arange(len(loss.data))
        self.tally = LossCounts()

    def process(self, row: int, before: int) -> None:
        """Process a sentence."""
        k, max_length = self._lengths
        while True:
            lists = self._lister.list_candidates(row, k)
            if not len(lists.trees):
                self.tally += LossCounts(1)
                return
            costs = checked_costs(self._loss.cost, lists, self._numbers[row : row + 1])
            best = int(costs.argmin())
            first, lowest = float(costs[0]), float(costs[best])
            cheaper = lowest < first and first - lowest > self._margin
            if cheaper or len(costs) < k or k >= max_length:
                break
            k = min(2 * k, max_length)
        changed = cheaper and self._lister.prefer(best, before)
        all_equal = lowest == float(costs.max())
        # An infinite cost cannot be averaged.
        cost = first if math.isfinite(first) else 0.0
        self.tally += LossCounts(1, int(changed), int(all_equal), cost)


class ParsedCost:
    """The cost of the tree that a parser finds for the tags of each candidate.

    With it a tagger learns from the effect of its tags (Hall et al. 2011, section 6).

    Parameters
    ----------
    cost : Cost
        A cost of trees.
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

    In iteration `i`, counted from 0, loss `j` processes its next instance if ``floor((i + 1) q_j) >
    floor(i q_j)``. The rates ``q`` are the ratios, divided by the largest of them and of 1, the
    ratio of the treebank. The data of a loss are used in their order, cyclically.

    Parameters
    ----------
    trees : int
        The number of instances of the treebank.
    ratios : sequence of float
        Instances of each further loss per instance of the treebank.
    sizes : sequence of int
        The number of instances of each further loss.
    start : int
        The number of first epochs without further losses.

    Raises
    ------
    UsageError
        If a ratio is not a positive number, or a loss has no instances.

    Examples
    --------
    Three trees and two further instances, one for every two trees.

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
            Indices of treebank sentences in the order of this epoch, the same number in each epoch.
        number : int
            The epoch, counted from 1.

        Returns
        -------
        int64 array
            `rows` mixed with instances of the further losses, whose indices continue after those of
            the treebank and of earlier losses.
        """
        past_epochs = number - 1 - self.start
        if past_epochs < 0 or not self.ratios:
            return rows
        ratios = [Fraction(ratio).limit_denominator(MAX_DENOMINATOR) for ratio in self.ratios]
        largest_ratio = max(*ratios, Fraction(1))
        # The first iteration of this epoch, and of the next one.
        first, last = (
            -(-(epochs * len(rows)) // (1 / largest_ratio))
            for epochs in (past_epochs, past_epochs + 1)
        )
        iterations = np.arange(first, last, dtype=np.int64)
        instances, due_iterations = (
            [rows],
            [iterations[_due_positions(iterations, 1 / largest_ratio)]],
        )
        base = self.trees
        for ratio, size in zip(ratios, self.sizes, strict=True):
            rate = ratio / largest_ratio
            due = iterations[_due_positions(iterations, rate)]
            instances.append(base + _count_processed(due, rate) % size)
            due_iterations.append(due)
            base += size
        # Within an iteration, the treebank comes first, then the losses in their order.
        return np.concatenate(instances)[np.argsort(np.concatenate(due_iterations), kind="stable")]


def check_ratio(ratio: float) -> None:
    """Raise a UsageError for an invalid ratio.

    Raises
    ------
    UsageError
        If it is too small, too large, or not a number.
    """
    if not 1 / MAX_DENOMINATOR <= ratio <= MAX_DENOMINATOR:
        raise UsageError(
            f"a ratio is a number from {1 / MAX_DENOMINATOR} to {MAX_DENOMINATOR}, not {ratio!r}"
        )


def _count_processed(iterations: Int64, rate: Fraction) -> Int64:
    """Return the number of instances processed before each iteration."""
    return iterations * rate.numerator // rate.denominator


def _due_positions(iterations: Int64, rate: Fraction) -> Int64:
    """Return the positions of the iterations in which an instance is processed."""
    return np.flatnonzero(
        _count_processed(iterations + 1, rate) > _count_processed(iterations, rate)
    )
