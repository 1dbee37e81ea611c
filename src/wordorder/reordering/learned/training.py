"""The loop that learns an order epoch by epoch, its checkpoint, and folds of sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.parsing.training.checkpoint import Epoch, Tally
from wordorder.reordering.learned.learned_order import OrderLearner, OrderModel
from wordorder.text.checkpoints import Checkpoint
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64, OnProgress

FORMAT = "wordorder order training"


@dataclass(frozen=True)
class OrderCheckpoint:
    """Where the training of an order is kept between epochs, and what it depends on.

    Attributes
    ----------
    file : Checkpoint
        Beside the model, of the format `FORMAT`.
    settings : mapping
        Data and options, as JSON can hold them; whoever goes on must have the same.
    """

    file: Checkpoint
    settings: Mapping[str, Any]

    def write(self, history: Sequence[Epoch], learner: OrderLearner) -> None:
        """Write where the training is after some epochs."""
        rows = [[e.number, e.instances, e.updates, e.score] for e in history]
        self.file.write(self.settings, learner.state(), epoch=history[-1].number, history=rows)

    def restored(self, learner: OrderLearner) -> tuple[int, list[Epoch]]:
        """Let a learner go on from the file.

        Returns
        -------
        (int, list of Epoch)
            How many epochs it has seen, 0 without a file; and those of them that the file tells.

        Raises
        ------
        ModelError
            If the file is damaged.
        UsageError
            If it is of other data or options.
        """
        kept = self.file.read(self.settings) if self.file.resumed else None
        if kept is None:
            return 0, []
        about, arrays = kept
        with self.file.unpacked():
            epoch = about["epoch"]
            if type(epoch) is not int or epoch < 1:
                raise ModelError(f"epoch {epoch!r} of the training")
            # Views of a mapped file, which learners would change.
            learner.restore({name: np.array(array) for name, array in arrays.items()})
            return epoch, [Epoch(*each) for each in about.get("history", [])]


def learn_order(
    learner: OrderLearner,
    *,
    checkpoint: OrderCheckpoint | None = None,
    said: Callable[[int, Tally], object] | None = None,
    progress: Callable[[int, int], object] | None = None,
    score: Callable[[OrderModel], float] | None = None,
    history: list[Epoch] | None = None,
) -> OrderModel:
    """Let a learner do all its epochs; return the model.

    Parameters
    ----------
    learner : OrderLearner
    checkpoint : OrderCheckpoint, optional
        Written after each epoch.
    said : callable, optional
        Called after each epoch with its number and its tally.
    progress : callable, optional
        Called within an epoch with its number and how many instances are done.
    score : callable, optional
        Takes the model as it is after an epoch and returns what it scores on other data; but of a
        consensus only after the last epoch of each member.
    history : list of Epoch, optional
        Is given the epochs, with their scores.

    Raises
    ------
    ModelError, UsageError
        As `OrderCheckpoint.restored`.
    """
    epochs = [] if history is None else history
    done, before = (0, []) if checkpoint is None else checkpoint.restored(learner)
    epochs += before
    for epoch in range(done + 1, learner.epochs + 1):
        tally = learner.learn(epoch, _within(progress, epoch))
        value = None if score is None or not learner.is_whole else score(learner.model())
        epochs.append(Epoch(epoch, tally.instances, tally.updates, value))
        if checkpoint is not None:
            checkpoint.write(epochs, learner)
        if said is not None:
            said(epoch, tally)
    return learner.model()


def _within(progress: Callable[[int, int], object] | None, epoch: int) -> OnProgress | None:
    return None if progress is None else lambda count: progress(epoch, count)


def grouped_folds(treebank: Treebank, folds: int, *, seed: int = 0) -> Int64:
    """Deal sentences out to folds; sentences of the same words share one.

    A corpus may repeat a sentence. If one copy were trained on and another tested, the score
    would be too high.

    Parameters
    ----------
    treebank : Treebank, S sentences
    folds : int
        At least 2.
    seed : int
        Decides which sentences go where.

    Returns
    -------
    int64[S]
        The fold of each sentence, from 0. The folds differ by no more sentences than the most
        frequent sentence has copies.

    Raises
    ------
    UsageError
        If there are fewer than two folds, or fewer different sentences than folds.

    Examples
    --------
    >>> bank = Treebank.from_words([["a"], ["b"], ["a"], ["c"]])
    >>> found = grouped_folds(bank, 2).tolist()
    >>> found[0] == found[2], sorted(set(found))
    (True, [0, 1])
    """
    if folds < 2:
        raise UsageError(f"cross-validation needs at least 2 folds, not {folds}")
    numbers: dict[tuple[str, ...], int] = {}
    groups = np.array(
        [numbers.setdefault(tuple(words), len(numbers)) for words in treebank.sentences()], np.int64
    )
    if len(numbers) < folds:
        raise UsageError(f"{len(numbers)} different sentences cannot make {folds} folds")
    sizes = np.bincount(groups, minlength=len(numbers))
    shuffled = np.random.default_rng(seed).permutation(len(numbers))
    # The largest groups first, each to the fold that has the fewest sentences.
    by_size = shuffled[np.argsort(-sizes[shuffled], kind="stable")]
    filled = np.zeros(folds, np.int64)
    fold = np.zeros(len(numbers), np.int64)
    for group in by_size.tolist():
        fold[group] = smallest = int(np.argmin(filled))
        filled[smallest] += sizes[group]
    return np.asarray(fold[groups])
