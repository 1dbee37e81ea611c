"""Training of taggers and parsers on treebank files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Any, cast

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import UsageError, choose
from wordorder.parsing.base import Tagger
from wordorder.parsing.epochs import LearningCurve
from wordorder.parsing.given_tags import FEATURE_SEPARATOR
from wordorder.parsing.graph.parser import GraphLearner
from wordorder.parsing.tagging.perceptron import TaggerLearner
from wordorder.parsing.tagging.tnt import TnT, jackknife
from wordorder.parsing.training.data_checks import choose_feats, describe_missing_columns
from wordorder.parsing.training.recipes import (
    RICHNESS,
    ParserOptions,
    Recipe,
    TaggerOptions,
)
from wordorder.parsing.training.scores import (
    format_scores,
    parser_scores,
    tag_accuracy,
    tagger_scores,
)
from wordorder.parsing.training.training import FurtherLosses, Say, train as train_learner
from wordorder.parsing.training.training_run import (
    FileTraining,
    RunProgress,
    TrainingRun,
    progress_of_epochs,
)
from wordorder.parsing.training.training_text import (
    TrainingFiles,
    TrainingText,
    read_training_text,
)
from wordorder.parsing.transition.parser import TransitionLearner
from wordorder.progress import shows_progress
from wordorder.text.opening import Path
from wordorder.treebank.treebank import NO_VALUE, Treebank

DEFAULT_EPOCHS = 10

# Folds and epochs of the taggers that jackknife the tags of the training data.
JACKKNIFE_FOLDS, JACKKNIFE_EPOCHS = 5, 5

# The beam of trial parsers that compare features; narrow for speed.
TRIAL_BEAM = 4


@dataclass(frozen=True)
class TrainedFile:
    """The result of training the models of one file.

    Attributes
    ----------
    sentences, words : int
        The number of sentences and words in an epoch.
    about : dict
        The metadata of the file: options, epochs, scores on the development part.
    curves : tuple of LearningCurve
        One per model that learns by epochs; the tagger's is first.
    """

    sentences: int
    words: int
    about: dict[str, Any]
    curves: tuple[LearningCurve, ...] = ()


@shows_progress("sentences", progress_of_epochs)
def train_tagger_files(
    data: TrainingFiles | Path | Sequence[Path],
    run: TrainingRun | Path,
    options: TaggerOptions | None = None,
    *,
    say: Say | None = None,
    progress: RunProgress | None = None,
) -> TrainedFile:
    r"""Train a tagger on treebanks and write it to a file.

    Parameters
    ----------
    data : TrainingFiles, path or sequence of paths
        CoNLL-U files whose words have tags; trees are not needed.
    run : TrainingRun or path
        The output, seed, checkpoints and size of the model.
    options : TaggerOptions, optional
    say : callable, optional
        Takes lines of text about the progress.
    progress : callable, optional
        Takes ``"tagger"`` and a `TrainingProgress`, many times an epoch.

    Raises
    ------
    UsageError
        If options contradict each other, the output cannot be written, there is not enough memory,
        or a checkpoint exists without `resume` or `restart`, or belongs to other data or options.
    InputError
        If a treebank cannot be read or has no tags.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> row = "{}\t{}\t_\t{}" + "\t_" * 6 + "\n"
    >>> _ = (folder / "train.conllu").write_text(
    ...     row.format(1, "it", "PRON") + row.format(2, "rains", "VERB")
    ... )
    >>> options = TaggerOptions(epochs=3)
    >>> trained = train_tagger_files(folder / "train.conllu", folder / "en.model", options)
    >>> trained.sentences, trained.about["tagger"]["epochs"]
    (1, 3)
    """
    files, options = TrainingFiles.of(data), options or TaggerOptions()
    training = FileTraining(TrainingRun.of(run), "tagger", say, progress)
    options.check(training.run)
    training.check()
    text = read_training_text(files, heads=False, say=training.say)
    _report_missing_columns(training, text, heads=False)
    training.begin(text.trees.words)
    settings = files.case() | _hiding_settings(options.hidden, training.run.seed)
    if options.model != "tnt":
        training.check_resumable("tagger", text, options.epochs or DEFAULT_EPOCHS, settings)
    _train_tagger(training, text, options, settings)
    return _save(training, text)


@shows_progress("sentences", progress_of_epochs)
def train_parser_files(
    data: TrainingFiles | Path | Sequence[Path],
    run: TrainingRun | Path,
    options: ParserOptions | None = None,
    *,
    further: FurtherLosses | None = None,
    about: Mapping[str, Any] | None = None,
    say: Say | None = None,
    progress: RunProgress | None = None,
) -> TrainedFile:
    r"""Train a parser on treebanks, and a tagger with it, and write both to a file.

    Parameters
    ----------
    data : TrainingFiles, path or sequence of paths
        CoNLL-U files; each sentence must have a tree.
    run : TrainingRun or path
        The output, seed, checkpoints and size of the models.
    options : ParserOptions, optional
    further : FurtherLosses, optional
        Further losses that the parser learns from; see `wordorder.training.augmented_losses`.
    about : mapping, optional
        Further metadata of the file, JSON-serialisable.
    say, progress
        See `train_tagger_files`; `progress` takes ``"tagger"`` or ``"parser"``.

    Raises
    ------
    UsageError, InputError
        See `train_tagger_files`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> row = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n"
    >>> _ = (folder / "train.conllu").write_text(
    ...     row.format(1, "it", "PRON", 2, "expl") + row.format(2, "rains", "VERB", 0, "root")
    ... )
    >>> options = ParserOptions(beam=4)
    >>> trained = train_parser_files(folder / "train.conllu", folder / "en.model", options)
    >>> trained.words, trained.about["parser"]["beam"], trained.about["parser"]["epochs"]
    (2, 4, 10)
    """
    files, options = TrainingFiles.of(data), options or ParserOptions()
    recipes = options.recipes(has_dev=files.dev is not None, is_mixed=further is not None)
    training = FileTraining(TrainingRun.of(run), "parser", say, progress)
    training.check()
    if further is not None:
        further.check(options.epochs or DEFAULT_EPOCHS, tagger=recipes[0].tagger != "none")
    text = read_training_text(files, say=training.say)
    _report_missing_columns(training, text, heads=True)
    parser = _ParserTraining(training, files, text, options, recipes, further)
    parser.begin()
    parser.train()
    training.about.update(about or {})
    return _save(training, text)


@dataclass
class _ParserTraining:
    """The training of a tagger and of one parser per recipe, of which the best is kept."""

    training: FileTraining
    files: TrainingFiles
    text: TrainingText
    options: ParserOptions
    recipes: list[Recipe]
    further: FurtherLosses | None
    # The sentences of the further losses, whose words the parser adds to its vocabulary.
    further_text: Treebank | None = None
    # The names of the features of FEATS that are added to the parser's tags.
    feats: tuple[str, ...] = ()
    # The settings of the tagger, and of the parser of each recipe.
    tagger_settings: dict[str, Any] = field(default_factory=dict)
    parser_settings: list[dict[str, Any]] = field(default_factory=list)

    @property
    def lowercase(self) -> bool:
        """True if the parser ignores case, as it also does with lowercase copies."""
        return self.files.lowercase or self.files.any_case

    @property
    def names(self) -> list[str]:
        """One name per parser, for progress lines and checkpoints."""
        is_single = len(self.recipes) == 1
        return ["parser" if is_single else recipe.algorithm for recipe in self.recipes]

    def begin(self) -> None:
        """Read the further sentences, fix all settings, and refuse checkpoints with others."""
        training, options, recipe = self.training, self.options, self.recipes[0]
        is_jackknifed = options.tags == "jackknife"
        if self.further is not None:
            self.further_text = self.further.read(training.say)
        words = self.text.trees.words + (self.further_text.words if self.further_text else 0)
        richness = max(RICHNESS[recipe.algorithm, recipe.features] for recipe in self.recipes)
        training.begin(words * (2 if is_jackknifed else 1), richness)
        case = self.files.case()
        self.tagger_settings = case | _hiding_settings(options.hidden, training.run.seed)
        self.feats = self._choose_feats()
        common: dict[str, Any] = {
            **case,
            "split_hyphens": self.files.split_hyphens,
            "tags": options.tags,
        }
        if self.feats:
            common |= {"feats": list(self.feats)}
        if self.further is not None:
            common |= {"augmented_losses": self.further.settings()}
        self.parser_settings = [common | recipe.settings() for recipe in self.recipes]
        if recipe.tagger == "perceptron":
            training.check_resumable("tagger", self.text, DEFAULT_EPOCHS, self.tagger_settings)
        # Copies of the trees with predicted tags follow later.
        text = self._with_copies(self.text.trees) if is_jackknifed else self.text
        epochs = options.epochs or DEFAULT_EPOCHS
        for name, settings in zip(self.names, self.parser_settings, strict=True):
            training.check_resumable(name, text, epochs, settings, own_tags=is_jackknifed)

    def train(self) -> None:
        """Train the tagger, then one parser per recipe."""
        training, text, recipe, dev = self.training, self.text, self.recipes[0], self.text.dev
        is_jackknifed = self.options.tags == "jackknife"
        tagger = None
        if recipe.tagger != "none":
            known_words = self.options.known_words
            options = TaggerOptions(model=recipe.tagger, known_words=known_words)
            tagger = _train_tagger(training, text, options, self.tagger_settings)
        tagged = dev
        if is_jackknifed and tagger is not None:
            text = self._with_copies(self._jackknifed())
        if dev is not None and tagger is not None and (is_jackknifed or len(self.recipes) > 1):
            tagged = tagger.tag(dev)
        scores = None
        if dev is not None and tagged is not None:
            scores = partial(parser_scores, tagged=tagged, dev=dev)
        epochs = self.options.epochs or DEFAULT_EPOCHS
        for name, parser_recipe, settings in zip(
            self.names, self.recipes, self.parser_settings, strict=True
        ):
            learner = self._learner(parser_recipe, text.trees, self.feats, self.further_text)
            if isinstance(learner, TransitionLearner):
                _report_lifted(training, learner.lifted)
            if self.further is not None:
                learner = self.further.mixed(learner, tagger, text.trees, training.say)
            training.learn(
                "parser", learner, text, epochs, settings, scores, self.further, name=name
            )

    def _learner(
        self,
        recipe: Recipe,
        trees: Treebank,
        feats: Sequence[str],
        further_text: Treebank | None = None,
    ) -> Any:
        """Return the learner of the parser of a recipe."""
        options: dict[str, Any] = {"features": recipe.features, "lowercase": self.lowercase}
        options |= {"text": further_text, "feats": feats}
        if recipe.algorithm == "graph":
            return GraphLearner(trees, **options)
        return TransitionLearner(trees, **options, beam=recipe.beam, update=recipe.update)

    def _choose_feats(self) -> tuple[str, ...]:
        """Return the names of the features that are added to the parser's tags."""
        recipe, column = self.recipes[0], self.text.trees.columns["feats"]
        is_predicted = recipe.tagger == "perceptron"
        requested = self.options.feats or ("auto" if is_predicted else "none")
        if requested == "none" or (requested == "auto" and not column.has_value().any()):
            return ()
        if requested == "auto":
            if not is_predicted:
                raise UsageError("feats=auto needs the perceptron tagger, which predicts FEATS")
            trial = replace(recipe, beam=min(recipe.beam, TRIAL_BEAM))
            return choose_feats(
                self.text.trees,
                lambda part: TaggerLearner(part, tags="all", **self.tagger_settings),
                lambda part, names: self._learner(trial, part, names),
                seed=self.training.run.seed,
                groups=self.text.groups,
                say=self.training.say,
            )
        names = tuple(requested.split(","))
        strings = column.vocabulary.words
        known_features = {
            part.partition("=")[0] for row in strings for part in row.split(FEATURE_SEPARATOR)
        }
        for name in names:
            choose("feats", name, (*sorted(known_features - {NO_VALUE}), "auto", "none"))
        return names

    def _with_copies(self, copies: Treebank) -> TrainingText:
        """Return the text followed by a copy of each of its sentences."""
        return replace(
            self.text,
            trees=Treebank.concatenate([self.text.trees, copies]),
            repeat=np.tile(self.text.repeat, 2),
            groups=np.tile(self.text.groups, 2),
        )

    def _jackknifed(self) -> Treebank:
        """Return the sentences with jackknifed tags."""
        training, trees, numbers = self.training, self.text.trees, count(1)

        def train_one(part: Treebank) -> Tagger:
            training.say(f"tagger {next(numbers)} for jackknifed tags: {len(part)} sentences")
            if self.recipes[0].tagger == "tnt":
                return TnT.train(part, lowercase=self.files.lowercase)
            learner = TaggerLearner(part, tags="all", **self.tagger_settings)
            trained = train_learner(learner, epochs=JACKKNIFE_EPOCHS, seed=training.run.seed)
            return cast(Tagger, trained.model)

        seed, groups = training.run.seed, self.text.groups
        tagged = jackknife(trees, train_one, folds=JACKKNIFE_FOLDS, seed=seed, groups=groups)
        scores = format_scores(tag_accuracy(tagged, trees))
        training.say(f"jackknifed tags of the treebank: {', '.join(scores)}")
        return tagged


def _hiding_settings(hidden: float, seed: int) -> dict[str, Any]:
    """Return the further settings of a tagger that hides a share of words in training."""
    return {"hidden": hidden, "symbols": True, "seed": seed} if hidden else {}


def _report_missing_columns(training: FileTraining, text: TrainingText, *, heads: bool) -> None:
    """Report columns that the treebank does not have, and a small size."""
    if missing := describe_missing_columns(text.trees, heads=heads):
        training.say(f"{text.name}: {missing}")


def _train_tagger(
    training: FileTraining, text: TrainingText, options: TaggerOptions, settings: dict[str, Any]
) -> Tagger:
    """Train the tagger and add it to the models of the file."""
    scores = None if text.dev is None else partial(tagger_scores, dev=text.dev)
    if options.model == "tnt":
        known_words = options.known_words or "seen"
        tagger = TnT.train(text.repeated, lowercase=settings["lowercase"], known_words=known_words)
        training.keep("tagger", tagger, settings | {"known_words": known_words})
        if scores is not None:
            parts = [f"dev {score}" for score in format_scores(scores(tagger))]
            training.say(f"tagger: {', '.join(parts)}")
        return tagger
    learner, epochs = (
        TaggerLearner(text.trees, tags="all", **settings),
        options.epochs or DEFAULT_EPOCHS,
    )
    return cast(Tagger, training.learn("tagger", learner, text, epochs, settings, scores))


def _report_lifted(training: FileTraining, lifted: Int64) -> None:
    """Report the number of non-projective trees and of words with lifted heads."""
    trees = int(np.count_nonzero(lifted))
    if trees:
        training.say(
            f"{trees} of {len(lifted)} trees are not projective; "
            f"words that get a head further up: {int(lifted.sum())}"
        )


def _save(training: FileTraining, text: TrainingText) -> TrainedFile:
    """Write the models and return the result."""
    about = training.save(text)
    words = int(text.repeat @ text.trees.lengths)
    return TrainedFile(int(text.repeat.sum()), words, about, tuple(training.curves))
