"""The training loop: epochs over shuffled instances, averaged weights, the best epoch."""

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import UsageError, whole_number
from wordorder.kernels import run_pieces
from wordorder.parsing.base import Tagger
from wordorder.parsing.epochs import Epoch, LossCounts, UpdateCounts
from wordorder.parsing.random_order import shuffled
from wordorder.parsing.training.averaging import mix_weights
from wordorder.parsing.training.checkpoint import (
    TRAINING_FORMAT,
    TrainingState,
    check_epochs_done,
    read_state,
    run_settings,
    write_state,
)
from wordorder.parsing.weights import Learner, ListLearner, MixingLearner, Model, Weights
from wordorder.text.checkpoints import Checkpoint, require_no_checkpoint
from wordorder.text.opening import Path
from wordorder.text.tensors import require_writable
from wordorder.treebank.treebank import Treebank

# Takes lines of text about the progress of training.
Say = Callable[[str], object]

# Instances between two checks for an interrupt and two reports of progress.
CHUNK_INSTANCES = 128


@dataclass(frozen=True)
class TrainingProgress:
    """The progress of training.

    Attributes
    ----------
    epoch, epochs : int
        The epoch, counted from 1, and the number of epochs.
    done, instances : int
        The number of processed instances of the epoch, and of all its instances.
    updates : int
        The number of processed instances that changed the weights.
    finished : Epoch, optional
        Set when the epoch is complete and its model was scored on held-out data.
    """

    epoch: int
    epochs: int
    done: int
    instances: int
    updates: int
    finished: Epoch | None = None


@dataclass(frozen=True)
class Trained:
    """The result of training.

    Attributes
    ----------
    model : Model
        The model of the best epoch, or of the last one without held-out data.
    weights : Weights
        Its averaged weights, read-only.
    history : tuple of Epoch
    best_epoch : int
        The best epoch, counted from 1.
    """

    model: Model
    weights: Weights
    history: tuple[Epoch, ...]
    best_epoch: int


def train(
    learner: Learner,
    *,
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
    """Train a tagger or a parser.

    Each epoch processes every instance once (see `repeat`), in a random order that `seed` and the
    number of the epoch determine. Weights are averaged over all instances processed.

    Parameters
    ----------
    learner : Learner
    epochs : int
    seed : int
    dev : callable, optional
        Takes the averaged model after each epoch and returns a score; higher is better. The first
        epoch with the best score is used; an epoch without a finite score is never the best.
    shards : int
        Parts of the data that are processed in parallel and mixed after each epoch (McDonald et al.
        2010). The result depends on their number, but not on the number of threads.
    repeat : sequence of int, optional
        How often each instance is processed in an epoch.
    checkpoint : path, optional
        A file that is replaced after each epoch.
    resume : bool
        Continue from `checkpoint` if that file exists; the result is the same, to the byte, as
        without an interruption. `epochs` may be larger than before.
    restart : bool
        Start from scratch even if that file exists, which is refused otherwise.
    settings : mapping, optional
        Data and options of the learner, JSON-serialisable; resuming with others is refused.
    progress : callable, optional
        Takes a `TrainingProgress` several times per epoch and at its end; calls never overlap.

    Raises
    ------
    UsageError
        If an option is invalid, or `checkpoint` cannot be written, belongs to other settings, or
        exists without `resume` or `restart`.
    ModelError
        If `checkpoint` is damaged.
    """
    rows = _instances(learner, repeat)
    _check_options(
        epochs, seed, shards, len(rows), resume=resume, has_checkpoint=checkpoint is not None
    )
    all_settings = {**(settings or {}), **run_settings(seed, shards, len(rows))}
    file = Checkpoint(checkpoint, TRAINING_FORMAT)
    state: TrainingState | None = None
    if checkpoint is not None:
        require_writable(checkpoint)
        if resume:
            state = read_state(file, all_settings)
        elif not restart:
            require_no_checkpoint(checkpoint)
    if state and checkpoint is not None:
        check_epochs_done(checkpoint, len(state.history), epochs)
    weights = state.weights if state else learner.new_weights()
    best = state.best if state else None
    best_epoch, history = (state.best_epoch, state.history) if state else (0, ())
    # Free its memory.
    del state
    for number in range(len(history) + 1, epochs + 1):
        instances_before = sum(epoch.instances for epoch in history)
        order = rows[shuffled(len(rows), seed, number)]
        if isinstance(learner, MixingLearner):
            order = learner.epoch(order, number)
        report = _Report(progress, number, epochs, len(order))
        weights, tally = _epoch(learner, order, weights, instances_before, shards, report)
        if dev is None:
            # The last epoch will be the best; free the memory of the one before.
            best = None
        averaged = weights.averaged(instances_before + len(order))
        score = None if dev is None else float(dev(learner.model(averaged)))
        if score is not None and not math.isfinite(score):
            score = None
        finished = Epoch(number, len(order), tally.updates, score, tally.losses)
        scores = [epoch.score for epoch in history if epoch.score is not None]
        better = score is not None and score > max(scores, default=-math.inf)
        if best is None or better:
            best, best_epoch = averaged, number
        del averaged
        history = (*history, finished)
        if checkpoint is not None:
            write_state(file, TrainingState(weights, best, best_epoch, history), all_settings)
        report(UpdateCounts(), finished)
    assert best is not None
    return Trained(learner.model(best), best, history, best_epoch)


@dataclass
class _Report:
    """Reports the progress of an epoch, from any thread."""

    progress: Callable[[TrainingProgress], None] | None
    epoch: int
    epochs: int
    instances: int
    _tally: UpdateCounts = field(default_factory=UpdateCounts)
    _lock: Any = field(default_factory=threading.Lock)

    def __call__(self, tally: UpdateCounts, finished: Epoch | None = None) -> None:
        with self._lock:
            self._tally += tally
            if self.progress is not None:
                place, done = (self.epoch, self.epochs), self._tally.instances
                updates = self._tally.updates
                self.progress(TrainingProgress(*place, done, self.instances, updates, finished))


def _instances(learner: Learner, repeat: Sequence[int] | None) -> Int64:
    """Return the indices of the instances of an epoch, each as often as `repeat` says."""
    rows = np.arange(learner.instances)
    if repeat is None:
        return rows
    times = np.asarray(repeat)
    if times.dtype.kind not in "iu" or times.shape != rows.shape or np.any(times < 0):
        raise UsageError(f"repeat is {len(rows)} whole numbers of at least 0, one an instance")
    return np.repeat(rows, times)


def _check_options(
    epochs: int, seed: int, shards: int, instances: int, *, resume: bool, has_checkpoint: bool
) -> None:
    """Raise a UsageError if options are invalid."""
    for name, value, least in (("epochs", epochs, 1), ("seed", seed, 0), ("shards", shards, 1)):
        whole_number(name, value, least)
    if instances == 0:
        raise UsageError("there is nothing to train on")
    if shards > instances:
        raise UsageError(f"{shards} shards of {instances} instances; expected no more shards")
    if resume and not has_checkpoint:
        raise UsageError("resume needs the checkpoint to go on from")


def _epoch(
    learner: Learner,
    rows: Int64,
    weights: Weights,
    instances_before: int,
    shards: int,
    report: _Report,
) -> tuple[Weights, UpdateCounts]:
    """Process the instances once; return the weights after them, and the counts of updates."""
    stop_requested = threading.Event()

    def learn(part: tuple[Int64, Weights]) -> UpdateCounts:
        weights_of_part, tally = part[1], UpdateCounts()
        for first in range(0, len(part[0]), CHUNK_INSTANCES):
            if stop_requested.is_set():
                break
            done = learner.learn(
                part[0][first : first + CHUNK_INSTANCES], weights_of_part, instances_before + first
            )
            report(done)
            tally += done
        return tally

    if shards == 1:
        return weights, learn((rows, weights))
    # Instances of several losses alternate, so that with strides a shard might see only one loss.
    shares = [rows[shard::shards] for shard in range(shards)]
    if isinstance(learner, MixingLearner):
        shares = np.array_split(rows, shards)
    parts = [(share, weights.copy()) for share in shares]
    try:
        tallies = run_pieces(learn, parts)
    except BaseException:
        # The other threads stop after their present chunk.
        stop_requested.set()
        raise
    done = [len(share) for share, _ in parts]
    return mix_weights(
        weights, [part_weights for _, part_weights in parts], instances_before, done
    ), sum(tallies, UpdateCounts())


class FurtherLosses(Protocol):
    """Sentences and losses that training mixes with its treebank."""

    def check(self, epochs: int, *, tagger: bool) -> None:
        """Raise a UsageError if these losses are incompatible with the training.

        Parameters
        ----------
        epochs : int
        tagger : bool
            Whether a tagger is trained too.
        """

    def read(self, say: Say) -> Treebank:
        """Read and return the sentences, whose words the parser adds to its vocabulary."""

    def settings(self) -> dict[str, Any]:
        """Return data and options, JSON-serialisable; a checkpoint with others is refused."""

    def mixed(
        self, learner: ListLearner, tagger: Tagger | None, trees: Treebank, say: Say
    ) -> Learner:
        """Return a learner that processes these losses too.

        Parameters
        ----------
        learner : ListLearner
            The learner of the treebank.
        tagger : Tagger, optional
            The tagger for the sentences.
        trees : Treebank
            The sentences of the learner.
        say : callable
            Takes lines of text about the input.
        """

    def summary(self, losses: tuple[LossCounts, ...]) -> dict[str, dict[str, Any]]:
        """Return JSON-serialisable counts of each loss in an epoch, by its name."""
