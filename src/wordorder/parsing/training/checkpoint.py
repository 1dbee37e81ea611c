"""What is kept of training after each epoch, and what tells its data from all others."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from wordorder.errors import ModelError, UsageError
from wordorder.parsing.model_file import weights_arrays, weights_from_arrays
from wordorder.parsing.weights import LossTally, Weights
from wordorder.text.checkpoints import Checkpoint
from wordorder.text.opening import Path
from wordorder.treebank.column import Column
from wordorder.treebank.treebank import Treebank

FORMAT = "wordorder training"


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
class TrainingState:
    """The state of training after an epoch.

    Attributes
    ----------
    weights : Weights
        As they are after the last epoch, to be learnt on with.
    best : Weights
        The averaged ones of the best epoch.
    best_epoch : int
        Its number, counted from 1.
    history : tuple of Epoch
        All epochs so far.
    """

    weights: Weights
    best: Weights
    best_epoch: int
    history: tuple[Epoch, ...]


def write_state(file: Checkpoint, state: TrainingState, settings: Mapping[str, Any]) -> None:
    """Write the state of training.

    Parameters
    ----------
    file : Checkpoint
    state : TrainingState
    settings : mapping
        Data and options, as JSON can hold them; who goes on must have the same.
    """
    arrays = weights_arrays("weights", state.weights, training=True)
    file.write(
        settings,
        arrays | weights_arrays("best", state.best),
        actions=state.weights.actions,
        best_epoch=state.best_epoch,
        history=[asdict(epoch) for epoch in state.history],
    )


def read_state(file: Checkpoint, settings: Mapping[str, Any]) -> TrainingState | None:
    """Return the state of training; None where there is no such file yet.

    Raises
    ------
    ModelError
        If the file is none of a training, or damaged.
    UsageError
        If it belongs to other data or options; the message names them.
    """
    kept = file.read(settings)
    if kept is None:
        return None
    about, arrays = kept
    with file.unpacked():
        actions = about["actions"]
        best = weights_from_arrays("best", arrays, actions)
        weights = weights_from_arrays("weights", arrays, actions)
        history = tuple(map(_epoch, about["history"]))
        best_epoch = about["best_epoch"]
        numbers = list(range(1, len(history) + 1))
        counted = all(
            type(epoch.instances) is int
            and epoch.instances >= 0
            and isinstance(epoch.score, (float, int, type(None)))
            for epoch in history
        )
        if [epoch.number for epoch in history] != numbers or not counted:
            raise ModelError("the history of the training is damaged")
        if best_epoch not in numbers or not weights.is_writable:
            raise ModelError("the state of training is damaged")
    return TrainingState(weights, best, best_epoch, history)


def check_resumable(path: Path, epochs: int, settings: Mapping[str, Any]) -> None:
    """Refuse a checkpoint that training cannot go on from, if there is one, before any work.

    Parameters
    ----------
    path : path
    epochs : int
        How many there are to be in the end.
    settings : mapping
        Those that are known already, some or all.

    Raises
    ------
    ModelError, UsageError
        As `read_state`, and if the checkpoint has more epochs.
    """
    kept = Checkpoint(path, FORMAT).read(settings, some=True)
    history = None if kept is None else kept[0].get("history")
    check_epochs(path, len(history) if isinstance(history, list) else 0, epochs)


def check_epochs(path: Path, done: int, epochs: int) -> None:
    """Refuse to go on to fewer epochs than were done."""
    if done > epochs:
        raise UsageError(f"{os.fspath(path)}: has {done} epochs; expected at most {epochs}")


def _epoch(about: Mapping[str, Any]) -> Epoch:
    """Return an epoch as `write_checkpoint` describes it."""
    parts = dict(about)
    losses = tuple(LossTally(**loss) for loss in parts.pop("losses", ()))
    return Epoch(**parts, losses=losses)


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
        codes, strings = _canonical(treebank.columns[name])
        # Lengths in between: two lists of strings are never the same bytes.
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        digest.update(np.array([len(codes), *map(len, encoded)], "<i8").tobytes())
        digest.update(b"".join(encoded))
        digest.update(codes.astype("<i4").tobytes())
    return digest.hexdigest()


def _canonical(column: Column) -> tuple[np.ndarray[tuple[int], np.dtype[np.int64]], list[str]]:
    """Number the strings in order of their first word; those of no word have no number."""
    used, first, codes = np.unique(column.codes, return_index=True, return_inverse=True)
    words = column.vocabulary.words
    numbers: dict[str, int] = {}
    table = np.zeros(len(used), np.int64)
    for place in np.argsort(first).tolist():
        table[place] = numbers.setdefault(words[int(used[place])], len(numbers))
    return table[codes], list(numbers)


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
