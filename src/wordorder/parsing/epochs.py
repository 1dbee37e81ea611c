"""Counts of instances and updates in training: per chunk, per epoch, per training."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class LossCounts:
    """Counts of the instances of one of several losses.

    Attributes
    ----------
    instances, updates : int
        See `UpdateCounts`.
    even : int
        Instances whose candidates all have the same cost, so that none could be preferred.
    cost : float
        The sum of the costs of the model's best candidates.
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
        The counts of each loss if there are several, the treebank's first.
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
        The epoch, counted from 1.
    instances : int
        Sentences processed.
    updates : int
        Sentences that changed the weights.
    score : float, optional
        The score of the averaged model on held-out data; higher is better.
    losses : tuple of LossCounts
        The counts of each loss if there are several.
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
        The type of the model: "tagger", "parser", "linear".
    score : str
        The name of the score on the development part, such as "LAS".
    epochs : tuple of Epoch
    """

    model: str
    score: str
    epochs: tuple[Epoch, ...]
