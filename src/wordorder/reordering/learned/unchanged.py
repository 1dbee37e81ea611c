"""*unchanged*: the source order, where no learned order was better on held-out sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from wordorder.order.orders import Orders
from wordorder.parsing.training.checkpoint import Tally
from wordorder.ragged import Ragged
from wordorder.treebank.treebank import Treebank
from wordorder.types import Array, OnProgress

if TYPE_CHECKING:
    from typing_extensions import Self

    from wordorder.reordering.learned.examples import OrderExamples


class Unchanged:
    """Leaves each sentence in the source order.

    `wordorder train order` writes this model where the order that it learned is not better than
    the source order on sentences that it did not learn from.

    Examples
    --------
    >>> print(Unchanged().orders(Treebank.from_words([["a", "b", "c"]]))[0])
    0 1 2
    """

    kind: ClassVar[str] = "unchanged"
    reads: ClassVar[str] = "words"

    def orders(self, treebank: Treebank) -> Orders:
        """Return the source order of each sentence."""
        places = np.arange(treebank.words) - np.repeat(treebank.offsets[:-1], treebank.lengths)
        return Orders(Ragged(places.astype(np.int32), treebank.offsets))

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a file has of the model: nothing but its kind."""
        return {}, {}

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Make the model again."""
        return cls()

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> NothingToLearn:
        """Return a learner that needs no pass over the examples."""
        return NothingToLearn()


class NothingToLearn:
    """The learner of `Unchanged`."""

    epochs = 0
    is_whole = True

    def learn(self, epoch: int, progress: OnProgress | None = None) -> Tally:
        """Do nothing."""
        return Tally()

    def state(self) -> dict[str, Array]:
        """Return that nothing changes."""
        return {}

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from nothing."""

    def model(self) -> Unchanged:
        """Return the model."""
        return Unchanged()
