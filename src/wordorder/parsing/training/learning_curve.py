"""LearningCurve: how far a model came, epoch by epoch."""

from __future__ import annotations

from dataclasses import dataclass

from wordorder.parsing.training.checkpoint import Epoch


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
