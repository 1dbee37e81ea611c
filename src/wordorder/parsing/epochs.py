"""Counts of what happened in training: per chunk of instances, per epoch, per training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LossCounts:
    """Counts of the instances of one loss, where there are several.

    Attributes
    ----------
    instances, updates : int
        As `UpdateCounts` has them.
    even : int
        Instances whose candidates all cost the same, so that nothing could be learnt.
    cost : float
        The sum of what the best candidates of the model cost.
    """

    instances: int = 0
    updates: int = 0
    even: int = 0
    cost: float = 0.0

    def __add__(self, other: LossCounts) -> LossCounts:
        return LossCounts(
            self.instances + other.instances,
            self.updates + other.updates,
            self.even + other.even,
            self.cost + other.cost,
        )


@dataclass(frozen=True)
class UpdateCounts:
    """Counts of the instances that were processed.

    Attributes
    ----------
    instances : int
        Sentences processed.
    updates : int
        Sentences that changed the weights.
    losses : tuple of LossCounts
        The same for each loss, if there are several; that of the treebank comes first.
    """

    instances: int = 0
    updates: int = 0
    losses: tuple[LossCounts, ...] = ()

    def __add__(self, other: UpdateCounts) -> UpdateCounts:
        losses = self.losses or other.losses
        if self.losses and other.losses:
            losses = tuple(
                first + two for first, two in zip(self.losses, other.losses, strict=True)
            )
        return UpdateCounts(self.instances + other.instances, self.updates + other.updates, losses)


@dataclass(frozen=True)
class Epoch:
    """One pass over the training data.

    Attributes
    ----------
    number : int
        Counted from 1.
    instances : int
        Sentences processed.
    updates : int
        Sentences that changed the weights.
    score : float, optional
        What the averaged model reaches on held-out data; higher is better.
    losses : tuple of LossCounts
        Instances and updates of each loss, if there are several.
    """

    number: int
    instances: int
    updates: int
    score: float | None = None
    losses: tuple[LossCounts, ...] = ()


@dataclass(frozen=True)
class LearningCurve:
    """The epochs of one training.

    Attributes
    ----------
    model : str
        What was trained: "tagger", "parser", "linear".
    score : str
        What the scores on the development part are: "LAS".
    epochs : tuple of Epoch
        Those that are known, in their order.
    """

    model: str
    score: str
    epochs: tuple[Epoch, ...]
