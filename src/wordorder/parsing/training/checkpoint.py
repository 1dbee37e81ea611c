"""What is told of training: counts of each epoch, and what tells its data from all others."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np

from wordorder.treebank.treebank import Column, Treebank


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
    losses : tuple of LossTally
        Instances and updates of each loss, if there are several.
    """

    number: int
    instances: int
    updates: int
    score: float | None = None
    losses: tuple[LossTally, ...] = ()


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


# What taggers and parsers learn from.
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "label")

BYTES = 16


def data_signature(treebank: Treebank) -> str:
    """Return what tells the sentences, tags and trees of a treebank from all others.

    Comments, multiword ranges and the columns DEPS and MISC do not matter.

    Returns
    -------
    str
        32 hexadecimal digits (BLAKE2b).

    Examples
    --------
    >>> bank = Treebank.from_words([["It", "rains"], ["Go"]])
    >>> data_signature(bank)
    '702a5e6ef85df87f254708d18a332eae'
    >>> data_signature(bank[:1]) == data_signature(bank)
    False
    """
    digest = hashlib.blake2b(digest_size=BYTES)
    digest.update(treebank.lengths.astype("<i8").tobytes())
    digest.update(treebank.heads.astype("<i4").tobytes())
    for name in COLUMNS:
        # Numbered as they come, whatever the numbers were before.
        column = Column.of(treebank.columns[name].strings())
        codes, strings = column.codes, column.vocabulary.words
        # Lengths in between: two lists of strings are never the same bytes.
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        digest.update(np.array([len(codes), *map(len, encoded)], "<i8").tobytes())
        digest.update(b"".join(encoded))
        digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()
