"""Checkpoints of training: writing and reading the state after an epoch."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from wordorder._version import __version__
from wordorder.errors import ModelError, UsageError
from wordorder.parsing.epochs import Epoch, LossCounts
from wordorder.parsing.model_file import weights_arrays, weights_from_arrays
from wordorder.parsing.weights import Weights
from wordorder.text.checkpoints import Checkpoint
from wordorder.text.opening import Path

# The format name in checkpoints.
TRAINING_FORMAT = "wordorder training"


def run_settings(seed: int, shards: int, instances: int) -> dict[str, Any]:
    """Return the settings of a checkpoint other than the learner and its data."""
    return {"seed": seed, "shards": shards, "instances": instances, "wordorder": __version__}


@dataclass(frozen=True)
class TrainingState:
    """The state of training after an epoch.

    Attributes
    ----------
    weights : Weights
        The writable weights after the last epoch.
    best : Weights
        The averaged weights of the best epoch.
    best_epoch : int
        The best epoch, counted from 1.
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
        Data and options, JSON-serialisable; training continues only with the same.
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
    """Return the state of training; None if the file does not exist.

    Raises
    ------
    ModelError
        If the file is not a checkpoint of training, or is damaged.
    UsageError
        If the file belongs to other data or options; the message names them.
    """
    stored = file.read(settings)
    if stored is None:
        return None
    about, arrays = stored
    with file.unpacked():
        actions = about["actions"]
        best = weights_from_arrays("best", arrays, actions)
        weights = weights_from_arrays("weights", arrays, actions)
        history = tuple(map(_epoch_from, about["history"]))
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
    """Refuse an existing checkpoint from which training cannot continue, before any work.

    Parameters
    ----------
    path : path
    epochs : int
        The total number of epochs of the training.
    settings : mapping
        The settings known so far.

    Raises
    ------
    ModelError, UsageError
        As `read_state`, and if the checkpoint has more epochs.
    """
    stored = Checkpoint(path, TRAINING_FORMAT).read(settings, subset=True)
    history = None if stored is None else stored[0].get("history")
    check_epochs_done(path, len(history) if isinstance(history, list) else 0, epochs)


def check_epochs_done(path: Path, done: int, epochs: int) -> None:
    """Raise a UsageError if more epochs were done than are requested."""
    if done > epochs:
        raise UsageError(f"{os.fspath(path)}: has {done} epochs; expected at most {epochs}")


def _epoch_from(about: Mapping[str, Any]) -> Epoch:
    """Rebuild an epoch from the dictionary that `write_state` stored."""
    parts = dict(about)
    losses = tuple(LossCounts(**loss) for loss in parts.pop("losses", ()))
    return Epoch(**parts, losses=losses)
