"""Augmented-loss training from Python: a learner, and further losses beside its treebank."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wordorder.parsing.learner import ListLearner
from wordorder.parsing.training.training import Trained, TrainingProgress, train
from wordorder.text.opening import Path
from wordorder.training.augmented.learner import AugmentedLearner, AugmentedLoss, K, check_epochs
from wordorder.training.costs.base import Cost, cost_name
from wordorder.treebank.treebank import Treebank


def augmented_train(
    learner: ListLearner,
    losses: Sequence[tuple[Treebank, Cost, float] | AugmentedLoss],
    k: int = K,
    grow: int | None = None,
    *,
    start: int = 0,
    margin: float = 0.0,
    epochs: int = 10,
    seed: int = 1,
    dev: Callable[[Any], float] | None = None,
    shards: int = 1,
    repeat: Sequence[int] | None = None,
    checkpoint: Path | None = None,
    resume: bool = False,
    restart: bool = False,
    settings: Mapping[str, Any] | None = None,
    progress: Callable[[TrainingProgress], None] | None = None,
) -> Trained:
    """Train a tagger or a parser on a treebank and by costs of its candidates for other sentences.

    Algorithms 2 and 3 of Hall et al. (2011), as `AugmentedLearner` describes them.

    Parameters
    ----------
    learner : TransitionLearner, GraphLearner or TaggerLearner
        Of the treebank. It should know the words of the other sentences too (``text=``).
    losses : sequence of (data, cost, ratio)
        Sentences with tags, if a parser learns; a `Cost`, which is told the number of each
        sentence in `data`; and how many of them are processed for one sentence of the treebank.
    k : int, 1 to 4096
        Candidates of a list.
    grow : int, optional
        While no candidate costs less than the first, lists are made twice as long, up to this
        length.
    start : int
        So many epochs learn from the treebank alone.
    margin : float
        A candidate is only favoured if it costs less by more than this.
    epochs, seed, dev, shards, repeat, checkpoint, resume, restart, settings, progress
        As `wordorder.parsing.train` takes them; an epoch is one pass over the treebank.

    Returns
    -------
    Trained
        Each `Epoch` of its history says in ``losses`` what each loss did: that of the treebank
        first, then the others in their order.

    Raises
    ------
    UsageError
        If an option makes no sense; if a cost fails or returns NaN: the message names the
        sentence.
    ModelError
        If `checkpoint` is damaged.

    Examples
    --------
    The treebank has one sentence. Of the other one only the root is known.

    >>> import numpy as np
    >>> from wordorder.parsing import TransitionLearner
    >>> from wordorder.training import RootCost
    >>> bank = Treebank.from_words(
    ...     [["it", "rains"]], heads=[[2, 0]], upos=[["PRON", "VERB"]], label=[["expl", "root"]]
    ... )
    >>> other = Treebank.from_words([["go", "home"]], heads=[[0, -1]], upos=[["VERB", "NOUN"]])
    >>> learner = TransitionLearner(bank, text=other)
    >>> trained = augmented_train(learner, [(other, RootCost(other), 1.0)], epochs=3)
    >>> trained.model.parse(other).heads.tolist()
    [0, 1]
    >>> [epoch.losses[1].updates for epoch in trained.history]
    [1, 0, 0]
    """
    further = [
        loss if isinstance(loss, AugmentedLoss) else AugmentedLoss(*loss, cost_name(loss[1]))
        for loss in losses
    ]
    augmented = AugmentedLearner(learner, further, k=k, grow=grow, start=start, margin=margin)
    if further:
        check_epochs(start, epochs)
    return train(
        augmented,
        epochs=epochs,
        seed=seed,
        dev=dev,
        shards=shards,
        repeat=repeat,
        checkpoint=checkpoint,
        resume=resume,
        restart=restart,
        settings=settings,
        progress=progress,
    )
