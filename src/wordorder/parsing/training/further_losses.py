"""Further losses: what a parser is trained on beside treebanks, as a training of files sees it."""

from __future__ import annotations

from typing import Any, Protocol

from wordorder.parsing.base import Tagger
from wordorder.parsing.learner import Learner, ListLearner, LossTally
from wordorder.parsing.training.training_text import Say
from wordorder.treebank.treebank import Treebank


class FurtherLosses(Protocol):
    """Sentences and losses that a training mixes with its treebank."""

    def check(self, epochs: int, *, tagger: bool) -> None:
        """Refuse a training that these losses cannot be part of.

        Parameters
        ----------
        epochs : int
        tagger : bool
            Whether a tagger is trained too.
        """
        ...

    def read(self, say: Say) -> Treebank:
        """Read the sentences; return all of them, whose words the parser is to know."""
        ...

    def settings(self) -> dict[str, Any]:
        """Return data and options as JSON can hold them: a checkpoint with others is refused."""
        ...

    def mixed(
        self, learner: ListLearner, tagger: Tagger | None, trees: Treebank, say: Say
    ) -> Learner:
        """Return a learner that processes these losses too.

        Parameters
        ----------
        learner : ListLearner
            Of the treebank.
        tagger : Tagger, optional
            Gives words their tags.
        trees : Treebank
            What the learner was made of.
        say : callable
            Takes lines of text on what was read.
        """
        ...

    def summary(self, losses: tuple[LossTally, ...]) -> dict[str, dict[str, Any]]:
        """Return what each loss did in an epoch, by its name, as JSON can hold it."""
        ...
