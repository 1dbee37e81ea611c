"""What the training loop drives: instances, weights, and a model made of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from wordorder.parsing.weights import Weights
from wordorder.treebank.kbest import KBest
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, Int64

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class LossTally:
    """What happened to the instances of one loss, where there are several.

    Attributes
    ----------
    instances, updates : int
        As `Tally` has them.
    even : int
        Instances whose candidates all cost the same, so that nothing could be learnt.
    cost : float
        The sum of what the best candidates of the model cost.
    """

    instances: int = 0
    updates: int = 0
    even: int = 0
    cost: float = 0.0

    def __add__(self, other: LossTally) -> LossTally:
        return LossTally(
            self.instances + other.instances,
            self.updates + other.updates,
            self.even + other.even,
            self.cost + other.cost,
        )


@dataclass(frozen=True)
class Tally:
    """What happened while instances were processed.

    Attributes
    ----------
    instances : int
        Sentences processed.
    updates : int
        Sentences that changed the weights.
    losses : tuple of LossTally
        The same for each loss, if there are several; that of the treebank comes first.
    """

    instances: int = 0
    updates: int = 0
    losses: tuple[LossTally, ...] = ()

    def __add__(self, other: Tally) -> Tally:
        losses = self.losses or other.losses
        if self.losses and other.losses:
            losses = tuple(one + two for one, two in zip(self.losses, other.losses, strict=True))
        return Tally(self.instances + other.instances, self.updates + other.updates, losses)


class Model(Protocol):
    """A tagger or parser that can be written to a file and read back."""

    kind: ClassVar[str]

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays by name."""
        ...

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Make the model again; whatever does not fit together raises `ModelError`."""
        ...


class Learner(Protocol):
    """Encoded training sentences and the rule of learning.

    Everything that changes while it learns is in the weights that it is handed, so that
    several threads can learn from parts of the sentences, each with weights of its own.
    """

    @property
    def instances(self) -> int:
        """How many sentences there are to learn from."""
        ...

    def new_weights(self) -> Weights:
        """Return the weights to start with."""
        ...

    def learn(self, rows: Int64, weights: Weights, before: int) -> Tally:
        """Process sentences in the given order and change the weights in place.

        What comes of it must not depend on how many calls the sentences are spread over.

        Parameters
        ----------
        rows : int64 array
            Numbers of sentences.
        weights : Weights
        before : int
            How many instances these weights have seen; counts up with each sentence.
        """
        ...

    def model(self, weights: Weights) -> Model:
        """Return the tagger or parser that has these (averaged) weights."""
        ...


# Processes one sentence: takes its number and how many instances the weights have seen, and says
# whether it changed them.
Step = Callable[[int, int], bool]


class Lister(Protocol):
    """Makes lists of candidates for one sentence at a time, and learns which is the better one."""

    def listed(self, row: int, k: int) -> KBest:
        """Return up to `k` candidates of a sentence under the weights of this moment."""
        ...

    def prefer(self, better: int, before: int) -> bool:
        """Favour a candidate of the list made last over the first one; say if they differ.

        Parameters
        ----------
        better : int
            Its place in the list, counted from 0.
        before : int
            How many instances the weights have seen.
        """
        ...


@runtime_checkable
class MixingLearner(Learner, Protocol):
    """A learner that puts further instances among those of the treebank."""

    def epoch(self, rows: Int64, number: int) -> Int64:
        """Return the instances of an epoch in the order in which they are processed.

        Parameters
        ----------
        rows : int64 array
            Numbers of treebank sentences in the order of the epoch.
        number : int
            The epoch, counted from 1.
        """
        ...


class ListLearner(Learner, Protocol):
    """A learner whose instances can be mixed with others, which are judged by their lists."""

    def step(self, weights: Weights) -> Step:
        """Return what processes one training sentence at a time, as `learn` does."""
        ...

    def lister(self, sentences: Treebank) -> Callable[[Weights], Lister]:
        """Return what makes listers, each for the weights that it will read and change.

        Parameters
        ----------
        sentences : Treebank
            Tagged if a parser learns; trees are not looked at.
        """
        ...
