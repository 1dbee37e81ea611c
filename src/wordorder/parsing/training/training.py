"""Training: epochs over shuffled instances, averaged weights, the best epoch; recipes."""

import math
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

import numpy as np

from wordorder._version import __version__
from wordorder.arrays import Int64
from wordorder.errors import ModelError, UsageError, choose, whole_number
from wordorder.kernels import run_pieces
from wordorder.parsing.base import Tagger
from wordorder.parsing.model_file import weights_arrays, weights_from_arrays
from wordorder.parsing.training.averaging import mixed, shuffled
from wordorder.parsing.training.checkpoint import Epoch, LossTally, Tally
from wordorder.parsing.weights import Learner, ListLearner, MixingLearner, Model, Weights
from wordorder.text.checkpoints import Checkpoint, require_no_checkpoint
from wordorder.text.opening import Path
from wordorder.text.tensors import require_writable
from wordorder.treebank.treebank import Treebank

# Is told what happens, in words.
Say = Callable[[str], object]

# Between as many instances an interrupt is noticed and progress told.
CHUNK = 128


@dataclass(frozen=True)
class TrainingProgress:
    """How far training is.

    Attributes
    ----------
    epoch, epochs : int
        The epoch, counted from 1, and how many there will be.
    done, instances : int
        Instances of the epoch that were processed, and how many it has.
    updates : int
        Those of them that changed the weights.
    finished : Epoch, optional
        Set when the epoch is over and its model was tried on held-out data.
    """

    epoch: int
    epochs: int
    done: int
    instances: int
    updates: int
    finished: Epoch | None = None


@dataclass(frozen=True)
class Trained:
    """What comes of training.

    Attributes
    ----------
    model : Model
        That of the best epoch; of the last one if there is no held-out data.
    weights : Weights
        Its averaged weights, to be read.
    history : tuple of Epoch
    best_epoch : int
        Counted from 1.
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

    In each epoch every instance is processed once, in an order that `seed` and the number of the
    epoch decide. Averages count every instance processed.

    Parameters
    ----------
    learner : Learner
    epochs : int
    seed : int
    dev : callable, optional
        Takes the averaged model after each epoch and returns a score, higher is better. The first
        of the best epochs is kept; one whose score is not a finite number is none of them.
    shards : int
        Parts of the data that are learnt from side by side, on as many threads as `set_threads`
        allows, and mixed after each epoch (McDonald et al. 2010). The result depends on their
        number, but not on the number of threads.
    repeat : sequence of int, optional
        How often each instance is processed in an epoch.
    checkpoint : path, optional
        A file that is replaced after each epoch.
    resume : bool
        Go on from `checkpoint` if that file is there; what comes of it is the same, to the byte,
        as if nothing had interrupted the training. `epochs` may be larger than before.
    restart : bool
        Start from scratch even if that file exists, which is refused otherwise.
    settings : mapping, optional
        Data and options of the learner, as JSON can hold them; resuming with others is refused.
    progress : callable, optional
        Takes a `TrainingProgress`, now and then and at the end of each epoch; calls never overlap.

    Raises
    ------
    UsageError
        If an option makes no sense, `checkpoint` cannot be written, belongs to other settings, or
        is there and neither `resume` nor `restart` is asked for.
    ModelError
        If `checkpoint` is damaged.
    """
    rows = _instances(learner, repeat)
    _check(epochs, seed, shards, len(rows), resume=resume, named=checkpoint is not None)
    whole = {**(settings or {}), **own_settings(seed, shards, len(rows))}
    file = Checkpoint(checkpoint, FORMAT)
    state: TrainingState | None = None
    if checkpoint is not None:
        require_writable(checkpoint)
        if resume:
            state = read_state(file, whole)
        elif not restart:
            require_no_checkpoint(checkpoint)
    if state and checkpoint is not None:
        check_epochs(checkpoint, len(state.history), epochs)
    weights = state.weights if state else learner.new_weights()
    best = state.best if state else None
    best_epoch, history = (state.best_epoch, state.history) if state else (0, ())
    # What it holds is large.
    del state
    for number in range(len(history) + 1, epochs + 1):
        before = sum(epoch.instances for epoch in history)
        order = rows[shuffled(len(rows), seed, number)]
        if isinstance(learner, MixingLearner):
            order = learner.epoch(order, number)
        report = _Report(progress, number, epochs, len(order))
        weights, tally = _epoch(learner, order, weights, before, shards, report)
        if dev is None:
            # The last epoch is the best: room for its average.
            best = None
        averaged = weights.averaged(before + len(order))
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
            write_state(file, TrainingState(weights, best, best_epoch, history), whole)
        report(Tally(), finished)
    assert best is not None
    return Trained(learner.model(best), best, history, best_epoch)


def own_settings(seed: int, shards: int, instances: int) -> dict[str, Any]:
    """Return what a checkpoint depends on besides the learner and its data."""
    return {"seed": seed, "shards": shards, "instances": instances, "wordorder": __version__}


@dataclass
class _Report:
    """Tells how far an epoch is, from any thread."""

    progress: Callable[[TrainingProgress], None] | None
    epoch: int
    epochs: int
    instances: int
    _tally: Tally = field(default_factory=Tally)
    _lock: Any = field(default_factory=threading.Lock)

    def __call__(self, tally: Tally, finished: Epoch | None = None) -> None:
        with self._lock:
            self._tally += tally
            if self.progress is not None:
                place, done = (self.epoch, self.epochs), self._tally.instances
                updates = self._tally.updates
                self.progress(TrainingProgress(*place, done, self.instances, updates, finished))


def _instances(learner: Learner, repeat: Sequence[int] | None) -> Int64:
    """Return the numbers of the instances of an epoch."""
    rows = np.arange(learner.instances)
    if repeat is None:
        return rows
    times = np.asarray(repeat)
    if times.dtype.kind not in "iu" or times.shape != rows.shape or np.any(times < 0):
        raise UsageError(f"repeat is {len(rows)} whole numbers of at least 0, one an instance")
    return np.repeat(rows, times)


def _check(
    epochs: int, seed: int, shards: int, instances: int, *, resume: bool, named: bool
) -> None:
    """Refuse options that make no sense."""
    for name, value, least in (("epochs", epochs, 1), ("seed", seed, 0), ("shards", shards, 1)):
        whole_number(name, value, least)
    if instances == 0:
        raise UsageError("there is nothing to train on")
    if shards > instances:
        raise UsageError(f"{shards} shards of {instances} instances; expected no more shards")
    if resume and not named:
        raise UsageError("resume needs the checkpoint to go on from")


def _epoch(
    learner: Learner, rows: Int64, weights: Weights, before: int, shards: int, report: _Report
) -> tuple[Weights, Tally]:
    """Process all rows once; return the weights after it."""
    stop = threading.Event()

    def learn(part: tuple[Int64, Weights]) -> Tally:
        own, tally = part[1], Tally()
        for first in range(0, len(part[0]), CHUNK):
            if stop.is_set():
                break
            done = learner.learn(part[0][first : first + CHUNK], own, before + first)
            report(done)
            tally += done
        return tally

    if shards == 1:
        return weights, learn((rows, weights))
    # Instances of several losses take turns: every second one might be of one loss.
    shares = [rows[shard::shards] for shard in range(shards)]
    if isinstance(learner, MixingLearner):
        shares = np.array_split(rows, shards)
    parts = [(share, weights.copy()) for share in shares]
    try:
        tallies = run_pieces(learn, parts)
    except BaseException:
        # The other threads end with what they have in hand.
        stop.set()
        raise
    done = [len(share) for share, _ in parts]
    return mixed(weights, [own for _, own in parts], before, done), sum(tallies, Tally())


# What checkpoints call themselves.
FORMAT = "wordorder training"


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


def _epoch_from(about: Mapping[str, Any]) -> Epoch:
    """Return an epoch as `write_state` describes it."""
    parts = dict(about)
    losses = tuple(LossTally(**loss) for loss in parts.pop("losses", ()))
    return Epoch(**parts, losses=losses)


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

    def read(self, say: Say) -> Treebank:
        """Read the sentences; return all of them, whose words the parser is to know."""

    def settings(self) -> dict[str, Any]:
        """Return data and options as JSON can hold them: a checkpoint with others is refused."""

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

    def summary(self, losses: tuple[LossTally, ...]) -> dict[str, dict[str, Any]]:
        """Return what each loss did in an epoch, by its name, as JSON can hold it."""


ALGORITHMS = ("transition", "graph")

# The first is what a parser has unless another is named.
FEATURES = {"transition": ("zhang-nivre", "katz-brown", "hall"), "graph": ("hall", "rich")}

# Memory of the weights beside that of the first set, measured on one treebank.
RICHNESS = {
    ("transition", "zhang-nivre"): 1.0,
    ("transition", "katz-brown"): 3.0,
    ("transition", "hall"): 12.0,
    ("graph", "hall"): 2.0,
    ("graph", "rich"): 4.0,
}

UPDATES = ("early", "max-violation")

TAGGERS = ("perceptron", "tnt", "none")


@dataclass(frozen=True)
class Recipe:
    """How a parser is made.

    Attributes
    ----------
    algorithm : {"transition", "graph"}
    features : {"zhang-nivre", "katz-brown", "hall"}; {"hall", "rich"} of a graph parser
        What the parser looks at.
    beam : int
        How many partial trees a transition parser keeps.
    update : {"early", "max-violation"}
        Where a transition parser learns from a mistake.
    tagger : {"perceptron", "tnt", "none"}
        The tagger that is trained on the same data.
    """

    algorithm: str = "transition"
    features: str = "zhang-nivre"
    beam: int = 8
    update: str = "early"
    tagger: str = "perceptron"


# Talbot et al. (2011), section 4.1, with the features and the tagger of Katz-Brown et al. (2011),
# section 4.3.
RECIPES = {
    "P1": Recipe(features="katz-brown", beam=1, tagger="tnt"),
    "P2": Recipe(features="katz-brown", beam=8, tagger="tnt"),
}

# Talbot et al.'s P3 to P5 are P2 with targeted self-training; they differ, the paper says, in how
# and on how much text, and P5 forgets case. Here: the recipe each is made of, how often the chosen
# trees are taken in an epoch (Katz-Brown et al. have 1 and 10), and whether case is forgotten.
SELF_TRAINED = {"P3": ("P2", 1, False), "P4": ("P2", 10, False), "P5": ("P2", 10, True)}


def choose_recipe(name: str | None = None, **given: str | int | None) -> Recipe:
    """Return a recipe, or the usual parser with what is given otherwise.

    Parameters
    ----------
    name : str, optional
        A recipe of `RECIPES`.
    given : str, int or None
        Attributes of `Recipe`; None leaves one open.

    Raises
    ------
    UsageError
        If a value is unknown, contradicts the recipe, or is for transition parsers and the
        algorithm is another.

    Examples
    --------
    >>> choose_recipe(beam=1)
    Recipe(algorithm='transition', features='zhang-nivre', beam=1, update='early',
           tagger='perceptron')
    >>> choose_recipe("P2", beam=1)
    Traceback (most recent call last):
        ...
    wordorder.errors.UsageError: recipe P2 has beam 8, not 1
    """
    chosen = {option: value for option, value in given.items() if value is not None}
    algorithm = choose("algorithm", str(chosen.get("algorithm", ALGORITHMS[0])), ALGORITHMS)
    legal = {"features": FEATURES[algorithm], "update": UPDATES, "tagger": TAGGERS}
    for option, names in legal.items():
        if option in chosen:
            choose(option, str(chosen[option]), names)
    whole_number("a beam", chosen.get("beam", 1))
    if name in SELF_TRAINED:
        raise UsageError(
            f"recipe {name} is trained by self-training: `wordorder train parser --self-train TEXT "
            "REFERENCE`, in Python self_train"
        )
    if name is not None:
        recipe = RECIPES[choose("recipe", name, tuple(RECIPES))]
        for option, value in chosen.items():
            if getattr(recipe, option) != value:
                raise UsageError(
                    f"recipe {name} has {option} {getattr(recipe, option)}, not {value}"
                )
        return recipe
    if algorithm == "graph":
        for option in ("beam", "update"):
            if option in chosen:
                raise UsageError(f"{option} is for transition parsers, not for graph parsers")
        chosen.setdefault("features", FEATURES["graph"][0])
    return Recipe(**chosen)  # type: ignore[arg-type]  # checked above
