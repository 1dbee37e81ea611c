"""Training taggers and parsers on files of trees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from wordorder.errors import UsageError, choose
from wordorder.parsing.base import Tagger
from wordorder.parsing.training import training_run
from wordorder.parsing.training.checkpoint import LearningCurve
from wordorder.parsing.training.training import RICHNESS, FurtherLosses, Say, choose_recipe
from wordorder.parsing.training.training import train as train_learner
from wordorder.parsing.training.training_run import of_epochs
from wordorder.parsing.transition.parser import check_beam
from wordorder.progress import shows_progress
from wordorder.text.opening import Path
from wordorder.treebank.treebank import Treebank
from wordorder.types import Int64

if TYPE_CHECKING:
    from wordorder.parsing.tagging.tnt import TnT


EPOCHS = 10
# Of the taggers whose tags a parser learns from.
JACKKNIFE_FOLDS, JACKKNIFE_EPOCHS = 5, 5
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
    licence: str | None = None,
    seed: int = 12345,
    shards: int = 1,
    resume: bool = False,
    restart: bool = False,
    compact: bool = False,
    size: float | None = None,
    say: Say | None = None,
    progress: training_run.RunProgress | None = None,
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
    licence : str, optional
        What the file says of its licence.
    seed : int
        Where the random choices start.
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
        "shards": shards != 1,
        "compact": compact,
        "size": size is not None,
        "resume": resume,
        "restart": restart,
    }
    if model == "tnt" and any(unused.values()):
        name = next(name for name, asked in unused.items() if asked)
        raise UsageError(f"{name} is for model=perceptron; tnt only counts")
    run = training_run.Run(
        output, "tagger", seed, shards, resume, restart, compact, size, say or _nothing, progress
    )
    run.check()
    text = training_run.read_training_text(
        train, dev=dev, heads=False, any_case=any_case, say=run.say
    )
    run.begin(text.trees.words)
    case: dict[str, Any] = {"lowercase": lowercase, "any_case": any_case}
    if model != "tnt":
        run.check_resumable("tagger", text, epochs or EPOCHS, case)
    _train_tagger(run, text, model, case, known_words=known_words, epochs=epochs)
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
    tags: str = "gold",
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
    progress: training_run.RunProgress | None = None,
) -> TrainedFile:
    r"""Train a parser on treebanks, and a tagger with it, and write both to a file.

    Parameters
    ----------
    train, output, dev, epochs, lowercase, any_case, licence, seed, shards, resume, restart,
    compact, size, say, progress
        As `train_tagger_files` takes them; each sentence must have a tree.
    algorithm, features, beam, update, tagger
        As `Recipe` has them, with its defaults.
    tags : {"gold", "jackknife"}
        Whether the parser learns from the tags of the treebank, or from those that taggers predict
        that were trained on other parts of it.
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
    chosen = choose_recipe(
        recipe, algorithm=algorithm, features=features, beam=beam, update=update, tagger=tagger
    )
    check_beam(chosen.beam)
    choose("tags", tags, TAGS)
    if tags == "jackknife" and chosen.tagger == "none":
        raise UsageError("tags are jackknifed with the tagger of the model; it has none")
    if known_words is not None:
        choose("known_words", known_words, KNOWN_WORDS)
        if chosen.tagger != "tnt":
            raise UsageError("known_words is for tagger=tnt")
    run = training_run.Run(
        output, "parser", seed, shards, resume, restart, compact, size, say or _nothing, progress
    )
    run.check()
    if further is not None:
        further.check(epochs or EPOCHS, tagger=chosen.tagger != "none")
    case: dict[str, Any] = {"lowercase": lowercase, "any_case": any_case}
    text = training_run.read_training_text(
        train, dev=dev, add=add, split=split_hyphens, any_case=any_case, say=run.say
    )
    words = None if further is None else further.read(run.say)
    size = text.trees.words + (0 if words is None else words.words)
    run.begin(size, RICHNESS[chosen.algorithm, chosen.features])
    options: dict[str, Any] = {**case, "split_hyphens": split_hyphens}
    options |= {"algorithm": chosen.algorithm, "tags": tags, "features": chosen.features}
    if chosen.algorithm != "graph":
        options |= {"beam": chosen.beam, "update": chosen.update}
    if further is not None:
        options |= {"augmented_losses": further.settings()}
    if chosen.tagger == "perceptron":
        run.check_resumable("tagger", text, EPOCHS, case)
    run.check_resumable("parser", text, epochs or EPOCHS, options, own_tags=tags == "jackknife")
    trained = None
    if chosen.tagger != "none":
        trained = _train_tagger(run, text, chosen.tagger, case, known_words=known_words)
    seen, shown = text, text.dev
    if tags == "jackknife" and trained is not None:
        seen = replace(text, trees=_jackknifed(run, text, chosen.tagger, case))
        shown = None if text.dev is None else trained.tag(text.dev)
    learner: Any
    # Capitals are the tagger's matter: its tags are what the parser needs of them.
    lower = lowercase or any_case
    if chosen.algorithm == "graph":
        from wordorder.parsing.graph.parser import GraphLearner

        learner = GraphLearner(seen.trees, features=chosen.features, lowercase=lower, text=words)
    else:
        from wordorder.parsing.transition.parser import TransitionLearner

        learner = TransitionLearner(
            seen.trees,
            features=chosen.features,
            beam=chosen.beam,
            update=chosen.update,
            lowercase=lower,
            text=words,
        )
        _say_lifted(run, learner.lifted)
    dev_text = text.dev
    scores = None
    if dev_text is not None and shown is not None:
        scores = partial(training_run.parser_scores, tagged=shown, dev=dev_text)
    if further is not None:
        learner = further.mixed(learner, trained, seen.trees, run.say)
    run.learn("parser", learner, seen, epochs or EPOCHS, options, scores, further)
    run.about.update(about or {})
    return _saved(run, text, licence)


def _train_tagger(
    run: training_run.Run,
    text: training_run.TrainingText,
    kind: str,
    case: dict[str, Any],
    *,
    known_words: str | None = None,
    epochs: int | None = None,
) -> Tagger:
    """Train the tagger of a file."""
    scores = None if text.dev is None else partial(training_run.tagger_scores, dev=text.dev)
    options: dict[str, Any] = dict(case)
    if kind == "tnt":
        options["known_words"] = known_words or KNOWN_WORDS[0]
        tagger = _tnt(text.repeated, case, known_words=options["known_words"])
        run.keep("tagger", tagger, options)
        if scores is not None:
            shown = training_run.scores_shown(scores(tagger))
            run.say(f"tagger: {', '.join(f'dev {score}' for score in shown)}")
        return tagger
    from wordorder.parsing.tagging.perceptron import TaggerLearner

    learner = TaggerLearner(text.trees, **case)
    return cast(Tagger, run.learn("tagger", learner, text, epochs or EPOCHS, options, scores))


def _jackknifed(
    run: training_run.Run, text: training_run.TrainingText, kind: str, case: dict[str, Any]
) -> Treebank:
    """Return the sentences with the tags of taggers that were trained on other parts of them."""
    from wordorder.parsing.tagging.tnt import jackknife

    numbers = count(1)

    def train_one(part: Treebank) -> Tagger:
        run.say(f"tagger {next(numbers)} for jackknifed tags: {len(part)} sentences")
        if kind == "tnt":
            return _tnt(part, case)
        from wordorder.parsing.tagging.perceptron import TaggerLearner

        learner = TaggerLearner(part, **case)
        return cast(Tagger, train_learner(learner, epochs=JACKKNIFE_EPOCHS, seed=run.seed).model)

    options: dict[str, Any] = {"folds": JACKKNIFE_FOLDS, "seed": run.seed, "groups": text.groups}
    found = jackknife(text.trees, train_one, **options)
    shown = training_run.scores_shown(training_run.tag_accuracy(found, text.trees))
    run.say(f"jackknifed tags of the treebank: {', '.join(shown)}")
    return found


def _tnt(trees: Treebank, case: dict[str, Any], **options: Any) -> TnT:
    from wordorder.parsing.tagging.tnt import TnT

    return TnT.train(trees, lowercase=case["lowercase"], **options)


def _say_lifted(run: training_run.Run, lifted: Int64) -> None:
    """Say how many trees were not projective."""
    trees = int(np.count_nonzero(lifted))
    if trees:
        run.say(
            f"{trees} of {len(lifted)} trees are not projective; "
            f"words that get a head further up: {int(lifted.sum())}"
        )


def _saved(
    run: training_run.Run, text: training_run.TrainingText, licence: str | None
) -> TrainedFile:
    about = run.save(text, licence)
    words = int(text.repeat @ text.trees.lengths)
    return TrainedFile(int(text.repeat.sum()), words, about, tuple(run.curves))


def _nothing(message: str) -> None:
    """Say nothing."""
