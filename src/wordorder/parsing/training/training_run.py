"""The training of the models of one file: checkpoints, lines of progress, the best epoch."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder._version import __version__
from wordorder.parsing.epochs import LearningCurve
from wordorder.parsing.language import unknown_share
from wordorder.parsing.model_file import ROLES, save_models
from wordorder.parsing.tokenizer import learn_tokenizer
from wordorder.parsing.training.checkpoint import check_resumable, own_settings
from wordorder.parsing.training.compact_models import compact, smaller
from wordorder.parsing.training.memory import require_memory, training_memory
from wordorder.parsing.training.scores import Scores, scores_shown
from wordorder.parsing.training.training import FurtherLosses, Say, TrainingProgress, train
from wordorder.parsing.training.training_text import TrainingText, data_signature
from wordorder.parsing.weights import Learner, Model
from wordorder.progress import Progress
from wordorder.text import checkpoints
from wordorder.text.opening import Path
from wordorder.text.tensors import require_writable

# What decides which epoch is the best.
SCORES = {"tagger": "tag accuracy", "parser": "LAS"}

# What checkpoints are called: as models, or as one of the parsers that are tried.
CHECKPOINTS = (*ROLES, "transition", "graph")
RunProgress = Callable[[str, TrainingProgress], object]


def of_epochs(line: Progress) -> dict[str, RunProgress]:
    """Return how a training shows its progress: all epochs count as one piece of work."""

    def show(role: str, progress: TrainingProgress) -> None:
        epoch, epochs, each = progress.epoch, progress.epochs, progress.instances
        work = f"{role}, epoch {epoch} of {epochs}"
        line.show(work, (epoch - 1) * each + progress.done, epochs * each)

    return {"progress": show}


@dataclass
class Run:
    """The training of the models of one file.

    Attributes
    ----------
    output : path
        Where they go; until then, ``.checkpoint`` files are beside it.
    kind : {"tagger", "parser"}
        What is trained: a tagger alone, or a parser with what it needs.
    seed, shards, resume, restart
        As `wordorder.parsing.training.training.train` takes them.
    compact : bool
        Whether the weights are made small in the end.
    size : float, optional
        How many megabytes the file may have.
    say : callable
        Takes lines of text on how far it has come.
    progress : callable, optional
        Takes the role of the model that is trained, and how far it is, within an epoch too.
    """

    output: Path
    kind: str
    seed: int
    shards: int
    resume: bool
    restart: bool
    compact: bool
    size: float | None
    say: Say
    progress: RunProgress | None = None
    models: dict[str, Model] = field(default_factory=dict)
    about: dict[str, Any] = field(default_factory=dict)
    curves: list[LearningCurve] = field(default_factory=list)
    _checkpoints: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Refuse an output that cannot be written or would be lost, before anything is read."""
        require_writable(self.output)
        checkpoints.refuse_both(resume=self.resume, restart=self.restart)
        if not self.resume and not self.restart:
            for name in CHECKPOINTS:
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
        """Refuse a checkpoint that training cannot go on from, before any model is trained.

        Parameters
        ----------
        role, text, epochs, options
            As `learn` takes them.
        own_tags : bool
            Whether the sentences will have other tags, so that they cannot be compared yet.
        """
        if self.resume:
            settings = self._settings(text, options)
            settings |= own_settings(self.seed, self.shards, int(text.repeat.sum()))
            if own_tags:
                del settings["data"]
            check_resumable(self._checkpoint(role), epochs, settings)

    def begin(self, words: int, richness: float = 1.0) -> None:
        """Refuse more words than there is memory for, and forget what is not to be resumed."""
        require_memory(training_memory(words, self.shards, richness))
        if self.restart:
            checkpoints.remove_files(map(self._checkpoint, CHECKPOINTS))

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
        """Train one of the models and keep it, unless another one of its role is better.

        Parameters
        ----------
        role : {"tagger", "parser"}
        learner : Learner
        text : TrainingText
            What the learner was made of.
        epochs : int
        options : mapping
            What the learner depends on besides, as JSON can hold it.
        scores : callable, optional
            Takes a model and returns its scores on the development part; the first one decides
            which epoch is the best.
        further : FurtherLosses, optional
            What the learner mixes with the treebank.
        name : str, optional
            What lines and the checkpoint call it, if not by its role.
        """
        name = name or role
        lines = _EpochLines(name, self.say, self.progress, further)
        checkpoint = self._checkpoint(name)
        if self.resume and not os.path.exists(checkpoint):
            self.say(checkpoints.no_checkpoint(checkpoint))
        self._checkpoints.append(checkpoint)
        trained = train(
            learner,
            epochs=epochs,
            seed=self.seed,
            dev=None if scores is None else lines.scored(scores),
            shards=self.shards,
            repeat=text.repeat.tolist(),
            checkpoint=checkpoint,
            resume=self.resume,
            restart=self.restart,
            settings=self._settings(text, options),
            progress=lines,
        )
        best = trained.history[trained.best_epoch - 1]
        self.curves.append(LearningCurve(name, SCORES[role], trained.history))
        if best.score is not None:
            self.say(f"{name}: epoch {best.number} is the best")
        kept = self.about.get(role, {}).get("dev_score")
        if kept is not None and best.score is not None:
            better = best.score > kept
            self.say(f"{name}: {'better than the one before' if better else 'not better'} on dev")
            if not better:
                return self.models[role]
        final = learner.model(compact(trained.weights)) if self.compact else trained.model
        self.keep(role, final, options)
        self.about[role] |= {"epochs": len(trained.history), "best_epoch": best.number}
        if further is not None:
            done = [further.summary(epoch.losses) for epoch in trained.history]
            self.about[role] |= {"losses": done}
        if best.score is not None:
            self.about[role]["dev_score"] = best.score
        return self.models[role]

    def keep(self, role: str, model: Model, options: Mapping[str, Any]) -> None:
        """Keep a model that is trained."""
        self.models[role] = model
        self.about[role] = dict(options)

    def learn_text(self, text: TrainingText) -> None:
        """Learn how words are written."""
        tokenizer = learn_tokenizer(text.trees[: text.written], seed=self.seed)
        if tokenizer is None:
            self.say(
                "no tokenizer: the treebank has neither `# text` nor SpaceAfter=No, or a blank "
                "between all words"
            )
        else:
            self.models["tokenizer"] = tokenizer

    def save(self, text: TrainingText, licence: str | None) -> dict[str, Any]:
        """Write the file of all models, remove the checkpoints, and return what the file says."""
        self.learn_text(text)
        originals = np.flatnonzero(text.groups == np.arange(len(text.groups)))
        about = {
            "wordorder": __version__,
            "data": text.name,
            "data_signature": data_signature(text.trees),
            "sentences": len(text.trees),
            "words": text.trees.words,
            "unknown": round(unknown_share(text.trees.take(originals).sentences()), 3),
            "seed": self.seed,
            "shards": self.shards,
            "compact": self.compact or self.size is not None,
            "licence": licence,
            **self.about,
        }
        if self.size is not None:
            self.models = smaller(self.models, int(self.size * 1e6))
        save_models(self.output, self.models, about)
        checkpoints.remove_files(self._checkpoints)
        self.say(f"{os.fspath(self.output)}: {os.path.getsize(self.output)} bytes")
        return about

    def _checkpoint(self, role: str) -> str:
        return checkpoints.checkpoint_path(self.output, role)

    def _settings(self, text: TrainingText, options: Mapping[str, Any]) -> dict[str, Any]:
        """Return what the training of a model depends on, besides what `train` adds."""
        return {
            **options,
            "command": f"train {self.kind}",
            "data": data_signature(text.trees),
            "repeat": hashlib.blake2b(text.repeat.tobytes(), digest_size=16).hexdigest(),
            "dev": None if text.dev is None else data_signature(text.dev),
        }


@dataclass
class _EpochLines:
    """Says a line an epoch."""

    role: str
    say: Say
    inside: RunProgress | None
    further: FurtherLosses | None
    _scores: Scores = field(default_factory=dict)
    _begin: float = field(default_factory=time.monotonic)

    def scored(self, scores: Callable[[Any], Scores]) -> Callable[[Any], float]:
        """Return what training takes for the score of a model: the first of the scores."""

        def score(model: Any) -> float:
            self._scores = scores(model)
            return next(iter(self._scores.values()))

        return score

    def __call__(self, progress: TrainingProgress) -> None:
        if progress.finished is None:
            if self.inside is not None:
                self.inside(self.role, progress)
            return
        now = time.monotonic()
        shown = [f"dev {score}" for score in scores_shown(self._scores)]
        updates, instances = progress.updates, progress.instances
        losses = []
        if self.further is not None and progress.finished.losses:
            own = progress.finished.losses[0]
            updates, instances = own.updates, own.instances
            losses = _losses_shown(self.further.summary(progress.finished.losses))
        parts = [
            f"{updates:,} of {instances:,} sentences led to an update",
            *losses,
            *shown,
            f"{now - self._begin:.1f} s",
        ]
        self.say(f"{self.role}, epoch {progress.epoch} of {progress.epochs}: {', '.join(parts)}")
        self._begin = now


def _losses_shown(summary: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Write what the losses beside the treebank's did in an epoch.

    Examples
    --------
    >>> done = {"instances": 200, "updates": 30, "equal_costs": 0.5, "mean_cost": 0.25}
    >>> _losses_shown({"order": done})
    ['order 30 of 200 led to an update (mean cost 0.250; in 50 % of the lists all costs are equal)']
    """
    return [
        f"{name} {done['updates']:,} of {done['instances']:,} led to an update (mean cost "
        f"{done['mean_cost']:.3f}; in {100 * done['equal_costs']:.0f} % of the lists all costs are "
        "equal)"
        for name, done in summary.items()
        if done["instances"]
    ]
