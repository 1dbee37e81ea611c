"""What a learned order is, and what learns one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from wordorder.order.orders import Orders
from wordorder.parsing.learner import Tally
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, OnProgress

if TYPE_CHECKING:
    from typing_extensions import Self

# What a model may read of a sentence; each has what the one before it has.
READS = ("words", "tags", "trees")


@runtime_checkable
class OrderModel(Protocol):
    """A model that gives sentences an order, and that a file can hold.

    Attributes
    ----------
    kind : str
        What files call its class: ``linear``.
    """

    kind: ClassVar[str]

    @property
    def reads(self) -> str:
        """What it needs of a sentence, one of `READS`: sentences with less are parsed first."""
        ...

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, 0-based, no ties."""
        ...

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays by name."""
        ...

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Make the model again; whatever does not fit together raises `ModelError`."""
        ...

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> OrderLearner:
        """Return what learns such a model from examples."""
        ...


class OrderLearner(Protocol):
    """Learns one model, epoch by epoch.

    Random choices of an epoch depend on the seed and the number of the epoch alone, so that
    training that goes on from `state` ends with the same bytes.
    """

    @property
    def epochs(self) -> int:
        """How many passes over the examples there are."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether nothing that the model has is learned in part: it can be compared with others."""
        ...

    def learn(self, epoch: int, progress: OnProgress | None = None) -> Tally:
        """Do one pass over the examples; `epoch` counts from 1."""
        ...

    def state(self) -> dict[str, Array]:
        """Return all that changes while it learns."""
        ...

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from an earlier `state`; what does not fit raises `ModelError`."""
        ...

    def model(self) -> OrderModel:
        """Return the model as it is after the epochs so far."""
        ...
