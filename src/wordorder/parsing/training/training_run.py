"""One training as a user asks for it: its trees, memory and checkpoints, scores epoch by epoch."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from wordorder._version import __version__
from wordorder.arrays import Bool, Int64
from wordorder.errors import InputError, UsageError, whole_number
from wordorder.messages import counted, note
from wordorder.parsing.language import unknown_share
from wordorder.parsing.model_file import ROLES, save_models
from wordorder.parsing.tokenizer import learn_tokenizer
from wordorder.parsing.training.averaging import compact, smaller
from wordorder.parsing.training.checkpoint import LearningCurve, data_signature
from wordorder.parsing.training.training import (
    FurtherLosses,
    Say,
    TrainingProgress,
    check_resumable,
    own_settings,
    train,
)
from wordorder.parsing.weights import Learner, Model
from wordorder.progress import Progress
from wordorder.text import checkpoints
from wordorder.text.opening import Path, display_name
from wordorder.text.tensors import require_writable
from wordorder.treebank.preparation import has_dotless, split_hyphens, with_lower_case
from wordorder.treebank.reading import read_treebank
from wordorder.treebank.treebank import Column, Treebank
from wordorder.treebank.trees import SECOND_ROOT

Scores = dict[str, float]

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


def tagger_scores(model: Any, dev: Treebank) -> Scores:
    """Return what a tagger gets right, the mean of all kinds of tags first."""
    found = tag_accuracy(model.tag(dev), dev, model.tag_set.columns)
    if not found:
        legal = " or ".join(model.tag_set.columns)
        raise InputError("the treebank of dev", f"no tag in {legal}", "tags that the tagger gives")
    return {"tags": sum(found.values()) / len(found), **found}


def parser_scores(model: Any, tagged: Treebank, dev: Treebank) -> Scores:
    """Return what a parser gets right of tagged sentences."""
    las, uas = attachment_scores(model.parse(tagged), dev)
    return {"las": las, "uas": uas}


def scores_shown(scores: Scores) -> list[str]:
    """Write scores in per cent; what is only there to choose by is left out.

    Examples
    --------
    >>> scores_shown({"las": 0.875, "uas": 0.9})
    ['LAS 87.50', 'UAS 90.00']
    """
    return [f"{name.upper()} {100 * value:.2f}" for name, value in scores.items() if name != "tags"]


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


@dataclass(frozen=True)
class TrainingText:
    """What is learnt from.

    Attributes
    ----------
    trees : Treebank
        Each sentence once.
    repeat : int64[S]
        How often each is taken in an epoch.
    groups : int64[S]
        Copies of one sentence have the same number, counted from 0.
    dev : Treebank or None
    name : str
        The names of the files, without their folders.
    written : int
        How many of the first sentences are those of the treebanks: further ones may be parsed text,
        whose words had to be found.
    """

    trees: Treebank
    repeat: Int64
    groups: Int64
    dev: Treebank | None
    name: str
    written: int

    @property
    def repeated(self) -> Treebank:
        """Each sentence as often as it is taken."""
        if np.all(self.repeat == 1):
            return self.trees
        return self.trees.take(np.repeat(np.arange(len(self.trees)), self.repeat))


def read_training_text(
    train: Path | Sequence[Path],
    *,
    dev: Path | None = None,
    add: Sequence[tuple[Path, int]] = (),
    split: bool = False,
    heads: bool = True,
    any_case: bool = False,
    say: Say,
) -> TrainingText:
    """Read treebanks to learn from.

    Parameters
    ----------
    train : path or sequence of paths
    dev : path, optional
    add : sequence of (path, int)
        Further treebanks, and how often their sentences are taken in each epoch.
    split : bool
        Whether words are split at hyphens.
    heads : bool
        Whether each sentence must have a tree.
    any_case : bool
        Whether copies in lower case follow, also in the part that is held out.
    say : callable
        Takes lines of text about what was read.

    Raises
    ------
    UsageError
        If there is no treebank, or a weight is no whole number of at least 1.
    InputError
        If a file cannot be read or has no words.
    """
    paths = [train] if isinstance(train, (str, os.PathLike)) else list(train)
    if not paths:
        raise UsageError("no treebank to train on")
    for path, weight in add:
        whole_number(f"{os.fspath(path)}: a weight", weight)
    given = [*((path, 1) for path in paths), *add]
    parts = [_read(path, split=split, heads=heads, say=say) for path, _ in given]
    for path, weight in add:
        say(f"{display_name(path)}: each sentence is taken {counted(weight, 'time')} in an epoch")
    trees = Treebank.concatenate(parts) if len(parts) > 1 else parts[0]
    repeat = np.repeat([weight for _, weight in given], list(map(len, parts)))
    groups = np.arange(len(trees))
    held_out = None if dev is None else _read(dev, split=split, heads=heads, say=say)
    if any_case:
        dotless = has_dotless(trees.form)
        trees, copied = with_lower_case(trees, dotless=dotless)
        repeat, groups = np.append(repeat, repeat[copied]), np.append(groups, copied)
        held_out = held_out and with_lower_case(held_out, dotless=dotless)[0]
        say(f"{len(copied)} sentences are learnt from in lower case too")
    return TrainingText(
        trees,
        repeat,
        groups,
        held_out,
        ", ".join(os.path.basename(display_name(path)) for path, _ in given),
        sum(map(len, parts[: len(paths)])),
    )


def _read(path: Path, *, split: bool, heads: bool, say: Say) -> Treebank:
    """Read one treebank and say what is in it."""
    try:
        # A tagger does not look at trees.
        bank = read_treebank(path, trees="required" if heads else "optional", single_root=heads)
    except InputError as error:
        if error.what != SECOND_ROOT:
            raise
        what = f"{error.what}; train parser needs one root a sentence"
        raise InputError(error.where, what) from None
    name = display_name(path)
    if not bank.words:
        raise InputError(name, "no words", "sentences to learn from")
    say(f"{name}: {counted(len(bank), 'sentence')}, {counted(bank.words, 'word')}")
    others = sum(margin.value("rank") not in (None, "1") for margin in bank.margins)
    if others:
        say(f"{name}: lists of trees; {others} further trees of lists count as sentences too")
    if split:
        words = bank.words
        bank = split_hyphens(bank)
        say(f"{name}: splitting at hyphens made {bank.words - words} more words")
    if not (bank.upos.said() | bank.xpos.said()).any():
        raise InputError(name, "words without tags", "UPOS or XPOS to learn from")
    return bank


def attachment_scores(found: Treebank, gold: Treebank) -> tuple[float, float]:
    """Return the shares of words with the right head and label, and with the right head.

    Parameters
    ----------
    found, gold : Treebank
        The same sentences, at least one word; punctuation counts.

    Examples
    --------
    >>> gold = Treebank.from_words([["It", "rains"]], heads=[[2, 0]], label=[["expl", "root"]])
    >>> found = Treebank.from_words([["It", "rains"]], heads=[[2, 0]], label=[["nsubj", "root"]])
    >>> attachment_scores(found, gold)
    (0.5, 1.0)
    """
    heads = found.heads == gold.heads
    labels = heads & _equal(found.label, gold.label)
    return float(labels.mean()), float(heads.mean())


def tag_accuracy(
    found: Treebank, gold: Treebank, columns: Sequence[str] = ("xpos", "upos")
) -> dict[str, float]:
    """Return the share of words with the right tag for each kind of tag that `gold` has.

    Examples
    --------
    >>> gold = Treebank.from_words([["It", "rains"]], upos=[["PRON", "VERB"]])
    >>> found = Treebank.from_words([["It", "rains"]], upos=[["PRON", "NOUN"]])
    >>> tag_accuracy(found, gold)
    {'upos': 0.5}
    """
    return {
        name: float(_equal(found.columns[name], gold.columns[name]).mean())
        for name in ("xpos", "upos", "feats")
        if name in columns and gold.columns[name].said().any()
    }


def _equal(found: Column, gold: Column) -> Bool:
    """Return which words have the same string in both columns."""
    numbers = {word: number for number, word in enumerate(gold.vocabulary.words)}
    return np.asarray(found.encode(numbers, -1) == gold.encode(numbers, -2))


# Bytes that training takes at most: for itself, for each word of the data, and for each copy of
# the weights and word; measured with ten epochs of the usual features.
BYTES_AT_LEAST = 150 << 20

BYTES_A_WORD = 1200

BYTES_A_COPY = 800


def training_memory(words: int, shards: int = 1, richness: float = 1.0) -> int:
    """Return about how many bytes training on so many words takes at most.

    Parameters
    ----------
    words, shards : int
    richness : float
        How much more the features learn from a word than the usual ones of a transition parser.

    Examples
    --------
    >>> training_memory(200_000) // 10**6
    557
    """
    copies = 1 if shards == 1 else shards + 1
    return BYTES_AT_LEAST + int(words * (BYTES_A_WORD + BYTES_A_COPY * richness * copies))


def require_memory(needed: int) -> None:
    """Refuse work that needs more memory than the machine has.

    Raises
    ------
    UsageError
        If it needs more than there is.

    Warns
    -----
    WordOrderWarning
        If it needs more than is free.
    """
    total, free = _memory()
    if total is not None and needed > total:
        raise UsageError(f"this needs about {_size(needed)} of memory; there is {_size(total)}")
    if free is not None and needed > free:
        message = f"this needs about {_size(needed)} of memory; {_size(free)} is free"
        note(message)


# Where Linux says what a container may take, in two versions.
CGROUP = "/sys/fs/cgroup/"


def _memory() -> tuple[int | None, int | None]:
    """Return how many bytes of memory there are, and how many are free, as far as is known."""
    found: dict[str, int] = {}
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                name, _, rest = line.partition(":")
                found[name] = int(rest.split()[0]) << 10
    except (OSError, ValueError, IndexError):
        pass
    total, free = found.get("MemTotal"), found.get("MemAvailable")
    for limit, used in (
        ("memory.max", "memory.current"),
        ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
    ):
        try:
            with open(CGROUP + limit, "rb") as file, open(CGROUP + used, "rb") as taken:
                most, now = int(file.read()), int(taken.read())
        except (OSError, ValueError):
            # No such limit, or "max".
            continue
        total = most if total is None else min(total, most)
        free = most - now if free is None else min(free, most - now)
    return total, free


def _size(number: int) -> str:
    """Write a number of bytes.

    Examples
    --------
    >>> _size(1_500_000_000)
    '1.5 GB'
    """
    return f"{number / 1e9:.1f} GB"
