"""The training of the models of one file: checkpoints, progress lines, the best epoch."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

import numpy as np

from wordorder._version import __version__
from wordorder.parsing.epochs import LearningCurve
from wordorder.parsing.language import unknown_share
from wordorder.parsing.model_file import ROLES, save_models
from wordorder.parsing.tokenizer import learn_tokenizer
from wordorder.parsing.training.checkpoint import check_resumable, run_settings
from wordorder.parsing.training.compact_models import compact, shrink_models
from wordorder.parsing.training.memory import require_memory, training_memory
from wordorder.parsing.training.scores import Scores, format_scores
from wordorder.parsing.training.training import FurtherLosses, Say, TrainingProgress, train
from wordorder.parsing.training.training_text import TrainingText, data_signature
from wordorder.parsing.weights import Learner, Model
from wordorder.progress import Progress
from wordorder.text import checkpoints
from wordorder.text.opening import Path
from wordorder.text.tensors import require_writable

# The score by which the best epoch is chosen.
DECIDING_SCORES = {"tagger": "tag accuracy", "parser": "LAS"}

# The names of checkpoints: a role, or the algorithm if two parsers are trained.
CHECKPOINT_NAMES = (*ROLES, "transition", "graph")

# Takes the role of the model and its progress.
RunProgress = Callable[[str, TrainingProgress], object]


def progress_of_epochs(line: Progress) -> dict[str, RunProgress]:
    """Return the argument `progress` that shows training on one progress bar for all epochs."""

    def show(role: str, progress: TrainingProgress) -> None:
        epoch, epochs, instances = progress.epoch, progress.epochs, progress.instances
        work = f"{role}, epoch {epoch} of {epochs}"
        line.show(work, (epoch - 1) * instances + progress.done, epochs * instances)

    return {"progress": show}


@dataclass(frozen=True)
class TrainingRun:
    """The output of training, its seed, checkpoints and size.

    Attributes
    ----------
    output : path
        The model file; the names of ``.checkpoint`` files start with it.
    seed : int
        The seed of the random choices.
    shards : int
        Parts of the data that are processed in parallel and mixed after each epoch.
    resume : bool
        Continue from the checkpoint if there is one.
    restart : bool
        Start from scratch even if there is a checkpoint, which is refused otherwise.
    compact : bool
        Write a small file, with a little less accuracy.
    size : float, optional
        Write a compact file of at most this many megabytes: weights near zero are left out.
    licence : str, optional
        The licence named in the file.
    """

    output: Path
    _: KW_ONLY
    seed: int = 12345
    shards: int = 1
    resume: bool = False
    restart: bool = False
    compact: bool = False
    size: float | None = None
    licence: str | None = None

    @classmethod
    def of(cls, run: TrainingRun | Path) -> TrainingRun:
        """Return `run` itself, or a run with this output and the defaults."""
        return run if isinstance(run, TrainingRun) else cls(run)


class FileTraining:
    """The training of the models of one file.

    Parameters
    ----------
    run : TrainingRun
    kind : {"tagger", "parser"}
        The model to train: a tagger alone, or a parser with its tagger.
    say : callable, optional
        Takes lines of text about the progress.
    progress : callable, optional
        Takes the role of the model and a `TrainingProgress`, many times an epoch.
    """

    def __init__(
        self, run: TrainingRun, kind: str, say: Say | None, progress: RunProgress | None
    ) -> None:
        self.run = run
        self.say: Say = say or (lambda line: None)
        self.models: dict[str, Model] = {}
        # Metadata and learning curves of the models.
        self.about: dict[str, Any] = {}
        self.curves: list[LearningCurve] = []
        self._kind, self._progress = kind, progress
        self._checkpoints: list[str] = []

    def check(self) -> None:
        """Refuse, before any file is read, an output that cannot be written and old checkpoints."""
        require_writable(self.run.output)
        checkpoints.refuse_both(resume=self.run.resume, restart=self.run.restart)
        if not self.run.resume and not self.run.restart:
            for name in CHECKPOINT_NAMES:
                checkpoints.require_no_checkpoint(self._checkpoint(name))

    def check_resumable(
        self,
        role: str,
        text: TrainingText,
        epochs: int,
        options: Mapping[str, Any],
        *,
        own_tags: bool = False,
    ) -> None:
        """Refuse a checkpoint that training cannot continue from, before any model is trained.

        Parameters
        ----------
        role, text, epochs, options
            See `learn`.
        own_tags : bool
            Whether tags of the sentences are predicted later, so that they are not compared now.
        """
        if self.run.resume:
            settings = self._settings(text, options)
            settings |= run_settings(self.run.seed, self.run.shards, int(text.repeat.sum()))
            if own_tags:
                del settings["data"]
            check_resumable(self._checkpoint(role), epochs, settings)

    def begin(self, words: int, richness: float = 1.0) -> None:
        """Refuse more words than fit into memory; remove old checkpoints if `restart` is set."""
        require_memory(training_memory(words, self.run.shards, richness))
        if self.run.restart:
            checkpoints.remove_files(map(self._checkpoint, CHECKPOINT_NAMES))

    def learn(
        self,
        role: str,
        learner: Learner,
        text: TrainingText,
        epochs: int,
        options: Mapping[str, Any],
        scores: Callable[[Any], Scores] | None = None,
        further: FurtherLosses | None = None,
        *,
        name: str | None = None,
    ) -> Model:
        """Train a model and add it to the file unless it has a better model of that role.

        Parameters
        ----------
        role : {"tagger", "parser"}
        learner : Learner
        text : TrainingText
            The sentences of the learner.
        epochs : int
        options : mapping
            The settings of the learner, JSON-serialisable.
        scores : callable, optional
            Takes a model and returns its scores on the development part; the best epoch is chosen
            by the first one.
        further : FurtherLosses, optional
            The losses that the learner mixes with the treebank.
        name : str, optional
            The name in progress lines and of the checkpoint; the role by default.

        Returns
        -------
        Model
            The model of this role in the file.
        """
        name = name or role
        epoch_lines = _EpochLines(name, self.say, self._progress, further)
        checkpoint = self._checkpoint(name)
        if self.run.resume and not os.path.exists(checkpoint):
            self.say(checkpoints.describe_missing_checkpoint(checkpoint))
        self._checkpoints.append(checkpoint)
        trained = train(
            learner,
            epochs=epochs,
            seed=self.run.seed,
            dev=None if scores is None else epoch_lines.scored(scores),
            shards=self.run.shards,
            repeat=text.repeat.tolist(),
            checkpoint=checkpoint,
            resume=self.run.resume,
            restart=self.run.restart,
            settings=self._settings(text, options),
            progress=epoch_lines,
        )
        best = trained.history[trained.best_epoch - 1]
        self.curves.append(LearningCurve(name, DECIDING_SCORES[role], trained.history))
        if best.score is not None:
            self.say(f"{name}: epoch {best.number} is the best")
        previous = self.about.get(role, {}).get("dev_score")
        if previous is not None and best.score is not None:
            is_better = best.score > previous
            verdict = "better than the one before" if is_better else "not better"
            self.say(f"{name}: {verdict} on dev")
            if not is_better:
                return self.models[role]
        final = learner.model(compact(trained.weights)) if self.run.compact else trained.model
        self.keep(role, final, options)
        self.about[role] |= {"epochs": len(trained.history), "best_epoch": best.number}
        if further is not None:
            losses = [further.summary(epoch.losses) for epoch in trained.history]
            self.about[role] |= {"losses": losses}
        if best.score is not None:
            self.about[role]["dev_score"] = best.score
        return self.models[role]

    def keep(self, role: str, model: Model, options: Mapping[str, Any]) -> None:
        """Add a trained model and its settings to the file."""
        self.models[role] = model
        self.about[role] = dict(options)

    def learn_tokenizer(self, text: TrainingText) -> None:
        """Train a tokenizer if the treebank has the raw text."""
        tokenizer = learn_tokenizer(text.trees[: text.written], seed=self.run.seed)
        if tokenizer is None:
            self.say(
                "no tokenizer: the treebank has neither `# text` nor SpaceAfter=No, or a blank "
                "between all words"
            )
        else:
            self.models["tokenizer"] = tokenizer

    def save(self, text: TrainingText) -> dict[str, Any]:
        """Write the file of all models, remove the checkpoints, and return the metadata."""
        self.learn_tokenizer(text)
        originals = np.flatnonzero(text.groups == np.arange(len(text.groups)))
        about = {
            "wordorder": __version__,
            "data": text.name,
            "data_signature": data_signature(text.trees),
            "sentences": len(text.trees),
            "words": text.trees.words,
            "unknown": round(unknown_share(text.trees.take(originals).sentences()), 3),
            "seed": self.run.seed,
            "shards": self.run.shards,
            "compact": self.run.compact or self.run.size is not None,
            "licence": self.run.licence,
            **self.about,
        }
        if self.run.size is not None:
            self.models = shrink_models(self.models, int(self.run.size * 1e6))
        save_models(self.run.output, self.models, about)
        checkpoints.remove_files(self._checkpoints)
        self.say(f"{os.fspath(self.run.output)}: {os.path.getsize(self.run.output)} bytes")
        return about

    def _checkpoint(self, role: str) -> str:
        return checkpoints.checkpoint_path(self.run.output, role)

    def _settings(self, text: TrainingText, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings of a checkpoint, without those that `train` adds."""
        return {
            **options,
            "command": f"train {self._kind}",
            "data": data_signature(text.trees),
            "repeat": hashlib.blake2b(text.repeat.tobytes(), digest_size=16).hexdigest(),
            "dev": None if text.dev is None else data_signature(text.dev),
        }


@dataclass
class _EpochLines:
    """Prints a progress line per epoch."""

    role: str
    say: Say
    progress: RunProgress | None
    further: FurtherLosses | None
    _scores: Scores = field(default_factory=dict)
    _begin: float = field(default_factory=time.monotonic)

    def scored(self, scores: Callable[[Any], Scores]) -> Callable[[Any], float]:
        """Return a function that scores a model by the first of `scores`, and stores all."""

        def score(model: Any) -> float:
            self._scores = scores(model)
            return next(iter(self._scores.values()))

        return score

    def __call__(self, progress: TrainingProgress) -> None:
        if progress.finished is None:
            if self.progress is not None:
                self.progress(self.role, progress)
            return
        now = time.monotonic()
        scores = [f"dev {score}" for score in format_scores(self._scores)]
        updates, instances = progress.updates, progress.instances
        losses = []
        if self.further is not None and progress.finished.losses:
            treebank_loss = progress.finished.losses[0]
            updates, instances = treebank_loss.updates, treebank_loss.instances
            losses = _format_losses(self.further.summary(progress.finished.losses))
        parts = [
            f"{updates:,} of {instances:,} sentences led to an update",
            *losses,
            *scores,
            f"{now - self._begin:.1f} s",
        ]
        self.say(f"{self.role}, epoch {progress.epoch} of {progress.epochs}: {', '.join(parts)}")
        self._begin = now


def _format_losses(summary: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Describe the updates and costs of the further losses in an epoch.

    Examples
    --------
    >>> loss = {"instances": 200, "updates": 30, "equal_costs": 0.5, "mean_cost": 0.25}
    >>> _format_losses({"order": loss})
    ['order 30 of 200 led to an update (mean cost 0.250; in 50 % of the lists all costs are equal)']
    """
    return [
        f"{name} {loss['updates']:,} of {loss['instances']:,} led to an update (mean cost "
        f"{loss['mean_cost']:.3f}; in {100 * loss['equal_costs']:.0f} % of the lists all costs are "
        "equal)"
        for name, loss in summary.items()
        if loss["instances"]
    ]
