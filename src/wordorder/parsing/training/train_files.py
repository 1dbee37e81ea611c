"""Training taggers and parsers on files of trees."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import Any, cast

import numpy as np

from wordorder.arrays import Int64
from wordorder.errors import UsageError, choose
from wordorder.parsing.base import Tagger
from wordorder.parsing.epochs import LearningCurve
from wordorder.parsing.given_tags import FEATURE
from wordorder.parsing.graph.parser import GraphLearner
from wordorder.parsing.tagging.perceptron import TaggerLearner
from wordorder.parsing.tagging.tnt import TnT, jackknife
from wordorder.parsing.training.data_checks import choose_feats, lacking
from wordorder.parsing.training.recipes import RICHNESS, Recipe, choose_recipe
from wordorder.parsing.training.scores import (
    parser_scores,
    scores_shown,
    tag_accuracy,
    tagger_scores,
)
from wordorder.parsing.training.training import FurtherLosses, Say, train as train_learner
from wordorder.parsing.training.training_run import Run, RunProgress, of_epochs
from wordorder.parsing.training.training_text import TrainingText, read_training_text
from wordorder.parsing.transition.parser import TransitionLearner, check_beam
from wordorder.progress import shows_progress
from wordorder.text.opening import Path
from wordorder.treebank.treebank import NOTHING, Treebank

EPOCHS = 10
# Of the taggers whose tags a parser learns from.
JACKKNIFE_FOLDS, JACKKNIFE_EPOCHS = 5, 5
TRIAL_BEAM = 4
KNOWN_WORDS = ("seen", "open")
TAGS = ("gold", "jackknife")


@dataclass(frozen=True)
class TrainedFile:
    """What was trained.

    Attributes
    ----------
    sentences, words : int
        Those of one epoch.
    about : dict
        What the file says of its models: options, epochs, scores on the development part.
    curves : tuple of LearningCurve
        Of the models that learn by epochs: the tagger first, if there is one.
    """

    sentences: int
    words: int
    about: dict[str, Any]
    curves: tuple[LearningCurve, ...] = ()


@shows_progress("sentences", of_epochs)
def train_tagger_files(
    train: Path | Sequence[Path],
    output: Path,
    *,
    dev: Path | None = None,
    model: str = "perceptron",
    known_words: str | None = None,
    epochs: int | None = None,
    lowercase: bool = False,
    any_case: bool = False,
    hidden: float = 0.0,
    licence: str | None = None,
    seed: int = 12345,
    shards: int = 1,
    resume: bool = False,
    restart: bool = False,
    compact: bool = False,
    size: float | None = None,
    say: Say | None = None,
    progress: RunProgress | None = None,
) -> TrainedFile:
    r"""Train a tagger on treebanks and write it to a file.

    Parameters
    ----------
    train : path or sequence of paths
        CoNLL-U files whose words have tags; trees are not needed.
    output : path
        Where the model goes. Until it is there, a checkpoint is beside it.
    dev : path, optional
        A treebank that chooses the best epoch; without it the last one is kept.
    model : {"perceptron", "tnt"}
    known_words : {"seen", "open"}, optional
        For ``tnt``: whether words of the treebank take only the tags that they have there.
    epochs : int, optional
        Passes over the treebank of a perceptron, 10 unless given.
    lowercase : bool
        Whether case is forgotten, in training and whenever the model is used.
    any_case : bool
        Whether a copy of each sentence in lower case is learnt from, too, so that text all in
        lower case or all in capitals costs little. A parser sees all words in lower case then;
        taggers still see capitals.
    hidden : float, at least 0 and below 1
        For ``perceptron``: hide so large a share of the words seen 20 times or less from the
        tagger while it learns, and let symbols be alike, for text of other kinds than the treebank.
    licence : str, optional
        What the file says of its licence.
    seed : int
        The seed of the random choices.
    shards : int
        Parts that are learnt from side by side and mixed after each epoch.
    resume : bool
        Go on from the checkpoint if there is one.
    restart : bool
        Start from scratch even if there is a checkpoint, which is refused otherwise.
    compact : bool
        Make the file small.
    size : float, optional
        Make it compact, and leave out weights near zero until it has at most so many megabytes.
    say : callable, optional
        Takes lines of text on how far the training is.
    progress : callable, optional
        Takes ``"tagger"`` or ``"parser"`` and a `TrainingProgress`, many times an epoch.

    Raises
    ------
    UsageError
        If an option makes no sense, the output cannot be written, the memory does not suffice, a
        checkpoint is there and is neither to be resumed nor restarted, or it belongs to other data
        or options.
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
    >>> trained = train_tagger_files(folder / "train.conllu", folder / "en.model", epochs=3)
    >>> trained.sentences, trained.about["tagger"]["epochs"]
    (1, 3)
    """
    choose("model", model, ("perceptron", "tnt"))
    if known_words is not None:
        choose("known_words", known_words, KNOWN_WORDS)
    if known_words is not None and model != "tnt":
        raise UsageError("known_words is for model=tnt")
    if epochs is not None and model != "perceptron":
        raise UsageError("epochs is for model=perceptron")
    unused = {
        "hidden": hidden != 0,
        "shards": shards != 1,
        "compact": compact,
        "size": size is not None,
        "resume": resume,
        "restart": restart,
    }
    if model == "tnt" and any(unused.values()):
        name = next(name for name, asked in unused.items() if asked)
        raise UsageError(f"{name} is for model=perceptron; tnt only counts")
    run = Run(
        output, "tagger", seed, shards, resume, restart, compact, size, say or _nothing, progress
    )
    run.check()
    text = read_training_text(train, dev=dev, heads=False, any_case=any_case, say=run.say)
    _say_lacking(run, text, heads=False)
    run.begin(text.trees.words)
    case: dict[str, Any] = {"lowercase": lowercase, "any_case": any_case}
    tagging = case | _hiding(hidden, seed)
    if model != "tnt":
        run.check_resumable("tagger", text, epochs or EPOCHS, tagging)
    _train_tagger(run, text, model, tagging, known_words=known_words, epochs=epochs)
    return _saved(run, text, licence)


@shows_progress("sentences", of_epochs)
def train_parser_files(
    train: Path | Sequence[Path],
    output: Path,
    *,
    dev: Path | None = None,
    algorithm: str | None = None,
    features: str | None = None,
    beam: int | None = None,
    update: str | None = None,
    epochs: int | None = None,
    lowercase: bool = False,
    any_case: bool = False,
    hidden: float = 0.0,
    tags: str = "gold",
    feats: str | None = None,
    tagger: str | None = None,
    known_words: str | None = None,
    recipe: str | None = None,
    add: Sequence[tuple[Path, int]] = (),
    split_hyphens: bool = False,
    licence: str | None = None,
    seed: int = 12345,
    shards: int = 1,
    resume: bool = False,
    restart: bool = False,
    compact: bool = False,
    size: float | None = None,
    further: FurtherLosses | None = None,
    about: Mapping[str, Any] | None = None,
    say: Say | None = None,
    progress: RunProgress | None = None,
) -> TrainedFile:
    r"""Train a parser on treebanks, and a tagger with it, and write both to a file.

    Parameters
    ----------
    train, output, dev
        As `train_tagger_files` takes them; each sentence must have a tree.
    epochs, lowercase, any_case, hidden, licence, seed, shards
        As `train_tagger_files` takes them.
    resume, restart, compact, size, say, progress
        As `train_tagger_files` takes them.
    algorithm, features, beam, update, tagger
        As `Recipe` has them, with its defaults; ``algorithm="auto"`` trains a graph parser beside
        and keeps the one that is better on `dev`.
    tags : {"gold", "jackknife"}
        Whether the parser learns from the tags of the treebank alone, or also from a copy of each
        tree with the tags that a tagger predicts that was trained on other parts of it.
    feats : str, optional
        Which features of FEATS are part of the tags that the parser sees: ``Case,VerbForm``,
        ``none``, or ``auto`` for those that make it better on held-out trees, which is usual
        where the tagger predicts FEATS.
    known_words : {"seen", "open"}, optional
        As `train_tagger_files` takes it, for ``tagger="tnt"``.
    recipe : {"P1", "P2"}, optional
        A parser of Talbot et al. (2011).
    add : sequence of (path, int)
        Further treebanks, and how often their trees are taken in each epoch (Katz-Brown et al.
        2011, section 5).
    split_hyphens : bool
        Whether words are split at hyphens (Katz-Brown et al. 2011, section 4.1).
    about : mapping, optional
        What else the file says of how it came about, as JSON can hold it.
    further : FurtherLosses, optional
        What the parser learns from besides, as `wordorder.training.augmented_losses` makes it.

    Raises
    ------
    UsageError, InputError
        As `train_tagger_files`.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> row = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n"
    >>> _ = (folder / "train.conllu").write_text(
    ...     row.format(1, "it", "PRON", 2, "expl") + row.format(2, "rains", "VERB", 0, "root")
    ... )
    >>> trained = train_parser_files(folder / "train.conllu", folder / "en.model", beam=4)
    >>> trained.words, trained.about["parser"]["beam"], trained.about["parser"]["epochs"]
    (2, 4, 10)
    """
    both = algorithm == AUTO
    if both and dev is None:
        raise UsageError("algorithm=auto chooses by the trees of dev; there are none")
    if both and (further is not None or recipe is not None):
        raise UsageError("algorithm=auto is for trees alone, without a recipe or further losses")
    chosen = choose_recipe(
        recipe,
        algorithm=None if both else algorithm,
        features=features,
        beam=beam,
        update=update,
        tagger=tagger,
    )
    check_beam(chosen.beam)
    choose("tags", tags, TAGS)
    if tags == "jackknife" and chosen.tagger == "none":
        raise UsageError("tags are jackknifed with the tagger of the model; it has none")
    if known_words is not None:
        choose("known_words", known_words, KNOWN_WORDS)
        if chosen.tagger != "tnt":
            raise UsageError("known_words is for tagger=tnt")
    if hidden and chosen.tagger != "perceptron":
        raise UsageError("hidden is for tagger=perceptron")
    run = Run(
        output, "parser", seed, shards, resume, restart, compact, size, say or _nothing, progress
    )
    run.check()
    if further is not None:
        further.check(epochs or EPOCHS, tagger=chosen.tagger != "none")
    case: dict[str, Any] = {"lowercase": lowercase, "any_case": any_case}
    text = read_training_text(
        train, dev=dev, add=add, split=split_hyphens, any_case=any_case, say=run.say
    )
    _say_lacking(run, text, heads=True)
    words = None if further is None else further.read(run.say)
    number = text.trees.words + (0 if words is None else words.words)
    recipes = [chosen, choose_recipe(algorithm="graph", tagger=chosen.tagger)] if both else [chosen]
    richness = max(RICHNESS[one.algorithm, one.features] for one in recipes)
    run.begin(number * (2 if tags == "jackknife" else 1), richness)
    # Capitals are the tagger's matter: its tags are what the parser needs of them.
    lower = lowercase or any_case
    tagging = case | _hiding(hidden, seed)
    names = _feats(run, text, feats, chosen, tagging, lower)
    common: dict[str, Any] = {**case, "split_hyphens": split_hyphens, "tags": tags}
    if names:
        common |= {"feats": list(names)}
    if further is not None:
        common |= {"augmented_losses": further.settings()}
    # The same trees with other tags follow.
    seen = text if tags == "gold" else _twice(text, text.trees)
    if chosen.tagger == "perceptron":
        run.check_resumable("tagger", text, EPOCHS, tagging)
    named = [(one.algorithm if both else "parser", one, common | _options(one)) for one in recipes]
    for name, _, options in named:
        run.check_resumable(name, seen, epochs or EPOCHS, options, own_tags=tags == "jackknife")
    trained = None
    if chosen.tagger != "none":
        trained = _train_tagger(run, text, chosen.tagger, tagging, known_words=known_words)
    dev_text = shown = text.dev
    if tags == "jackknife" and trained is not None:
        seen = _twice(text, _jackknifed(run, text, chosen.tagger, tagging))
    if dev_text is not None and trained is not None and (tags == "jackknife" or both):
        shown = trained.tag(dev_text)
    scores = None
    if dev_text is not None and shown is not None:
        scores = partial(parser_scores, tagged=shown, dev=dev_text)
    for name, one, options in named:
        learner: Any = _learner(one, seen.trees, lower, words, names)
        if one.algorithm != "graph":
            _say_lifted(run, learner.lifted)
        if further is not None:
            learner = further.mixed(learner, trained, seen.trees, run.say)
        run.learn("parser", learner, seen, epochs or EPOCHS, options, scores, further, name=name)
    run.about.update(about or {})
    return _saved(run, text, licence)


# Both kinds of parsers are trained, and the one that is better on dev is kept.
AUTO = "auto"


def _hiding(hidden: float, seed: int) -> dict[str, Any]:
    """Return what a tagger that learns with hidden words depends on besides."""
    return {"hidden": hidden, "symbols": True, "seed": seed} if hidden else {}


def _options(recipe: Recipe) -> dict[str, Any]:
    """Return what a parser depends on by its recipe."""
    options: dict[str, Any] = {"algorithm": recipe.algorithm, "features": recipe.features}
    if recipe.algorithm != "graph":
        options |= {"beam": recipe.beam, "update": recipe.update}
    return options


def _learner(
    recipe: Recipe, trees: Treebank, lowercase: bool, text: Treebank | None, feats: Sequence[str]
) -> Any:
    """Return the learner of a parser."""
    options: dict[str, Any] = {"features": recipe.features, "lowercase": lowercase}
    options |= {"text": text, "feats": feats}
    if recipe.algorithm == "graph":
        return GraphLearner(trees, **options)
    return TransitionLearner(trees, **options, beam=recipe.beam, update=recipe.update)


def _feats(
    run: Run,
    text: TrainingText,
    asked: str | None,
    recipe: Recipe,
    case: dict[str, Any],
    lowercase: bool,
) -> tuple[str, ...]:
    """Return the features that are part of the parser's tags."""
    there = text.trees.columns["feats"]
    predicted = recipe.tagger == "perceptron"
    asked = asked or ("auto" if predicted else "none")
    if asked == "none" or (asked == "auto" and not there.said().any()):
        return ()
    if asked == "auto":
        if not predicted:
            raise UsageError("feats=auto needs the perceptron tagger, which predicts FEATS")
        # Trials are cheap: a narrow beam.
        trial = replace(recipe, beam=min(recipe.beam, TRIAL_BEAM))
        return choose_feats(
            text.trees,
            lambda part: TaggerLearner(part, tags="all", **case),
            lambda part, names: _learner(trial, part, lowercase, None, names),
            seed=run.seed,
            groups=text.groups,
            say=run.say,
        )
    names = tuple(asked.split(","))
    known = {part.partition("=")[0] for s in there.vocabulary.words for part in s.split(FEATURE)}
    for name in names:
        choose("feats", name, (*sorted(known - {NOTHING}), "auto", "none"))
    return names


def _twice(text: TrainingText, copies: Treebank) -> TrainingText:
    """Return the sentences and as many copies of them."""
    return replace(
        text,
        trees=Treebank.concatenate([text.trees, copies]),
        repeat=np.tile(text.repeat, 2),
        groups=np.tile(text.groups, 2),
    )


def _say_lacking(run: Run, text: TrainingText, *, heads: bool) -> None:
    """Say what the treebank lacks."""
    if lacks := lacking(text.trees, heads=heads):
        run.say(f"{text.name}: {lacks}")


def _train_tagger(
    run: Run,
    text: TrainingText,
    kind: str,
    case: dict[str, Any],
    *,
    known_words: str | None = None,
    epochs: int | None = None,
) -> Tagger:
    """Train the tagger of a file."""
    scores = None if text.dev is None else partial(tagger_scores, dev=text.dev)
    options: dict[str, Any] = dict(case)
    if kind == "tnt":
        options["known_words"] = known_words or KNOWN_WORDS[0]
        known = options["known_words"]
        tagger = TnT.train(text.repeated, lowercase=case["lowercase"], known_words=known)
        run.keep("tagger", tagger, options)
        if scores is not None:
            shown = scores_shown(scores(tagger))
            run.say(f"tagger: {', '.join(f'dev {score}' for score in shown)}")
        return tagger
    learner = TaggerLearner(text.trees, tags="all", **case)
    return cast(Tagger, run.learn("tagger", learner, text, epochs or EPOCHS, options, scores))


def _jackknifed(run: Run, text: TrainingText, kind: str, case: dict[str, Any]) -> Treebank:
    """Return the sentences with the tags of taggers that were trained on other parts of them."""
    numbers = count(1)

    def train_one(part: Treebank) -> Tagger:
        run.say(f"tagger {next(numbers)} for jackknifed tags: {len(part)} sentences")
        if kind == "tnt":
            return TnT.train(part, lowercase=case["lowercase"])
        learner = TaggerLearner(part, tags="all", **case)
        return cast(Tagger, train_learner(learner, epochs=JACKKNIFE_EPOCHS, seed=run.seed).model)

    options: dict[str, Any] = {"folds": JACKKNIFE_FOLDS, "seed": run.seed, "groups": text.groups}
    found = jackknife(text.trees, train_one, **options)
    shown = scores_shown(tag_accuracy(found, text.trees))
    run.say(f"jackknifed tags of the treebank: {', '.join(shown)}")
    return found


def _say_lifted(run: Run, lifted: Int64) -> None:
    """Say how many trees were not projective."""
    trees = int(np.count_nonzero(lifted))
    if trees:
        run.say(
            f"{trees} of {len(lifted)} trees are not projective; "
            f"words that get a head further up: {int(lifted.sum())}"
        )


def _saved(run: Run, text: TrainingText, licence: str | None) -> TrainedFile:
    about = run.save(text, licence)
    words = int(text.repeat @ text.trees.lengths)
    return TrainedFile(int(text.repeat.sum()), words, about, tuple(run.curves))


def _nothing(message: str) -> None:
    """Say nothing."""
