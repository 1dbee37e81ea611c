"""What the training loop drives: instances, weights, and a model made of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from wordorder.parsing.weights import Weights
from wordorder.types import Array, Int64

if TYPE_CHECKING:
    from typing_extensions import Self


@dataclass(frozen=True)
class Tally:
    """What happened while instances were processed.

    Attributes
    ----------
    instances : int
        Sentences processed.
    updates : int
        Sentences that changed the weights.
    """

    instances: int = 0
    updates: int = 0

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.instances + other.instances, self.updates + other.updates)


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

    Everything that changes while it learns stands in the weights that it is handed, so that
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
