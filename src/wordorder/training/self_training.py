"""Self-training: a parser that is trained again on trees that it made itself."""

import os
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from wordorder.errors import InputError, UsageError, whole_number
from wordorder.messages import counted, names_arguments, note, percent
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import order_metric
from wordorder.order.orders import Orders
from wordorder.parsing.pipeline.file_parser import FileParser
from wordorder.parsing.pipeline.loading import SENTENCES, TREES, ParsingPipeline, open_parser
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.parsing.training.recipes import SELF_TRAINED, ParserOptions, take_options
from wordorder.parsing.training.train_files import TrainedFile, train_parser_files
from wordorder.parsing.training.training import Say, TrainingProgress
from wordorder.parsing.training.training_run import RunProgress, TrainingRun, progress_of_epochs
from wordorder.parsing.training.training_text import TrainingFiles
from wordorder.parsing.transition.parser import MOST_BEAM
from wordorder.progress import Progress, shows_progress
from wordorder.reordering.rules import RuleSet, open_rules
from wordorder.text.checkpoints import refuse_both
from wordorder.text.opening import Path
from wordorder.text.output import write_output
from wordorder.training.cost import OrderCost
from wordorder.training.references import Readings, ReferenceFile, ReferenceReader, Selection
from wordorder.training.rounds import (
    Round,
    RoundFiles,
    TagDifference,
    rules_signature,
    signatures,
    tags_of_data,
)
from wordorder.treebank.reading import TreebankWriter, sentences_of

OnLists = Callable[[int, int, int], object]


@dataclass(frozen=True)
class SelfTrained:
    """The result of self-training.

    Attributes
    ----------
    rounds : tuple of Round
    after : Readings
        Of the trees that the last model takes for the best.
    trained : TrainedFile
        The last training.
    """

    rounds: tuple[Round, ...]
    after: Readings
    trained: TrainedFile

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can hold of it."""
        rounds = [round_done.to_dict() for round_done in self.rounds]
        return {"rounds": rounds, "after": asdict(self.after), "model": self.trained.about}


@dataclass(frozen=True)
class _Task:
    """What is done in each round."""

    text: Path
    reference: ReferenceFile
    rules: RuleSet
    metric: BaseMetric
    standard: bool
    kbest: int
    kbest_tags: int
    tags: str
    words: tuple[str, ...]

    def settings(self, rules: Path) -> dict[str, Any]:
        """Return how trees are chosen, as JSON can hold it; files by name, without folders."""
        return {
            "from": os.path.basename(os.fspath(self.text)),
            "by": os.path.basename(os.fspath(self.reference.path)),
            "convention": self.reference.settings(),
            "rules": rules_signature(self.rules, rules),
            "metric": str(self.metric.signature()),
            "standard": self.standard,
            "kbest": self.kbest,
            "kbest_tags": self.kbest_tags,
            "data_tags": self.tags,
        }

    def check(self) -> None:
        """Refuse a reference that is not of the text, before hours of work."""
        with ExitStack() as stack:
            reader = stack.enter_context(SentenceReader(self.text))
            references = stack.enter_context(ReferenceReader(self.reference, reader.name))
            words = 0
            while len(sentences := reader.take(SENTENCES)):
                references.take(sentences.lengths)
                words += sentences.words
            references.finish()
            if not words:
                raise InputError(reader.name, "no words", "sentences to learn from")

    def select(self, model: Path, output: Path, listed: Callable[[int], object], say: Say) -> Round:
        """Parse the text into lists, and write the tree that is chosen from each."""
        opened = self._opened(model)
        width = max(getattr(opened.parser, "beam", 1), 2 * self.kbest)
        batch = max(1, min(SENTENCES, TREES // width))
        readings_before, chosen = Readings(self.words), Readings(self.words)
        cost = OrderCost(self.rules, Orders.from_rows([]), self.metric)
        selection = Selection(cost, standard=self.standard)
        with ExitStack() as stack:
            reader = stack.enter_context(SentenceReader(self.text))
            references = stack.enter_context(ReferenceReader(self.reference, reader.name))
            writer = TreebankWriter(stack.enter_context(write_output(output)))
            parser = FileParser(opened, reader.name)
            difference = TagDifference()
            while len(sentences := reader.take(batch)):
                orders = references.take(sentences.lengths)
                nonempty = np.flatnonzero(sentences.lengths > 0)
                numbers = reader.sentences - len(sentences) + nonempty
                nonempty_sentences = sentences.take(nonempty)
                lists = parser.listed(
                    nonempty_sentences, numbers, self.kbest, sequences=self.kbest_tags
                )
                cost.reference = orders.take(nonempty)
                with sentences_of(reader.name, numbers):
                    trees = selection.choose(lists, np.arange(len(nonempty)))
                best = lists.best()
                difference.add(nonempty_sentences, best)
                readings_before.add(best)
                chosen.add(trees)
                writer.write(trees)
                listed(reader.sentences)
            references.finish()
            parser.finish()
            if self.tags == "predict" and (line := difference.line(reader.name)):
                say(f"{line}: if they are correct, the new tagger learns from them, too")
            empty = reader.sentences - readings_before.sentences
            if empty:
                share = percent(empty, reader.sentences)
                note(f"{reader.name}: left out {share} of the sentences, which have no words")
        return Round(selection.report(), readings_before, chosen)

    def readings(self, model: Path, listed: Callable[[int], object]) -> Readings:
        """Return what a model makes of the text."""
        opened = self._opened(model)
        readings = Readings(self.words)
        with SentenceReader(self.text) as reader:
            while len(sentences := reader.take(opened.batch)):
                readings.add(opened.parse(sentences.take(np.flatnonzero(sentences.lengths > 0))))
                listed(reader.sentences)
        return readings

    def _opened(self, model: Path) -> ParsingPipeline:
        """Load a model that tags the text as it is to be."""
        opened = open_parser(model)
        if self.tags == "predict" and opened.tagger is None and not opened.tags_itself:
            raise UsageError(
                f"{os.fspath(model)}: has no tagger; --data-tags=auto takes the tags of the text"
            )
        return replace(opened, tags=self.tags)


def _told(line: Progress) -> dict[str, object]:
    def listed(number: int, rounds: int, done: int) -> None:
        line.show(f"lists of round {number} of {rounds}", done, None)

    return {**progress_of_epochs(line), "listed": listed}


@names_arguments
@shows_progress("sentences", _told)
def self_train(
    train: Path | Sequence[Path],
    output: Path,
    text: Path,
    reference: Path,
    *,
    rules: Path,
    metric: str = "frs",
    convention: dict[str, Any] | None = None,
    standard: bool = False,
    kbest: int = 64,
    kbest_tags: int = 1,
    weight: int | None = None,
    rounds: int = 1,
    start: Path | None = None,
    data_tags: str | None = None,
    words: Sequence[str] = (),
    keep_rounds: bool = False,
    recipe: str | None = None,
    lowercase: bool = False,
    add: Sequence[tuple[Path, int]] = (),
    resume: bool = False,
    restart: bool = False,
    say: Say | None = None,
    progress: RunProgress | None = None,
    listed: OnLists | None = None,
    **training: Any,
) -> SelfTrained:
    r"""Train a parser, have it parse a text, choose trees by word order, and train it again.

    Targeted self-training (Katz-Brown et al. 2011): of the `kbest` trees of each sentence the one
    that `rules` bring closest to the reference order joins the treebank, and tagger and parser are
    trained on both from scratch.

    Parameters
    ----------
    train : path or sequence of paths
        Treebanks, as `train_parser_files` takes them.
    output : path
        Where the last model goes. Beside it are the models and trees of the rounds until then.
    text : path
        Sentences to parse: text, one sentence per line, or CoNLL-U. Never those that the model is
        tested on.
    reference : path
        A row for each sentence: orders, or alignments of which orders are made.
    rules : name or path
        As `open_rules` takes them, also learnt ones.
    metric : str
        One that compares orders.
    convention : dict, optional
        What else `ReferenceFile` has: ``{"unaligned": "drop"}``.
    standard : bool
        Standard self-training: the first tree of each list is taken, whatever its order.
    kbest, kbest_tags : int
        Trees of a list, and tag sequences that they are over.
    weight : int, optional
        How often each chosen tree is taken in an epoch; 1, or that of the recipe.
    rounds : int
        Each begins with lists of the model of the one before, and all train from scratch.
    start : path or name, optional
        The model that makes the first lists. Otherwise one is trained on `train` alone.
    data_tags : {"predict", "auto"}, optional
        ``predict``: all tags of `text` are predicted, as those of what is parsed later will be;
        ``auto``: those that it has stay. Unless given, ``predict`` where a tagger is trained.
    words : sequence of str
        Of these the report counts how often they are nouns and verbs, before and after.
    keep_rounds : bool
        Leave the models and trees of all rounds: ``MODEL.round0``, ``MODEL.round1.conllu``, …
    recipe : str, optional
        P1 to P5 of Talbot et al. (2011); P3, P4 and P5 are P2 with targeted self-training.
    lowercase, add, resume, restart, training
        Attributes of `TrainingFiles`, `TrainingRun` and `ParserOptions`; `resume` continues the
        round that was interrupted.
    say, progress
        See `train_parser_files`.
    listed : callable, optional
        Takes the round, the number of rounds, and how many sentences have their lists.

    Raises
    ------
    UsageError
        If an option makes no sense, or an interrupted training is there and neither `resume` nor
        `restart` is asked for, or it had other options or data.
    InputError
        If a file is wrong, or the reference is not of these sentences.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> row = "{}\t{}\t_\t{}\t_\t_\t{}\t{}\t_\t_\n"
    >>> _ = (folder / "train.conllu").write_text(
    ...     row.format(1, "it", "PRON", 2, "expl") + row.format(2, "rains", "VERB", 0, "root")
    ... )
    >>> _ = (folder / "a.txt").write_text("it snows\n")
    >>> _ = (folder / "a.orders").write_text("0 1\n")
    >>> done = self_train(
    ...     folder / "train.conllu",
    ...     folder / "my.model",
    ...     *(folder / "a.txt", folder / "a.orders"),
    ...     **{"rules": "R5", "kbest": 4},
    ... )
    >>> done.rounds[0].lists.sentences, done.trained.sentences, done.after.verbs
    (1, 2, {})
    """
    base, own_weight, lower = SELF_TRAINED.get(recipe or "", (recipe, 1, False))
    times = own_weight if weight is None else weight
    _check_numbers(kbest, kbest_tags, times, rounds)
    if "-" in map(str, (text, reference)):
        raise UsageError("self-training reads its text in every round: give it as a file")
    refuse_both(resume=resume, restart=restart)
    task = _Task(
        text,
        ReferenceFile(reference, **(convention or {})),
        open_rules(rules),
        order_metric(metric),
        standard,
        kbest,
        kbest_tags,
        tags_of_data(data_tags, tagger=training.get("tagger") != "none"),
        tuple(words),
    )
    task.check()
    treebanks = [train] if isinstance(train, (str, os.PathLike)) else train
    options: dict[str, Any] = {**training, "recipe": base, "lowercase": lowercase or lower}
    chosen_by = {**task.settings(rules), "weight": times}
    settings = {
        **chosen_by,
        "train": signatures(treebanks),
        "add": [[*signatures([path]), number] for path, number in add],
        "text": signatures([text]),
        "reference": signatures([reference]),
        "start": None if start is None else signatures([start]),
        "rounds": rounds,
        "options": {name: _plain(value) for name, value in sorted(options.items())},
    }
    files = RoundFiles(output, settings, keep=keep_rounds)
    added = [path for path, _ in add]
    files.require_other_names(
        *treebanks, *added, text, reference, rules, start, training.get("dev")
    )

    def fit(number: int, goal: Path, more: Sequence[tuple[Path, int]]) -> TrainedFile:
        def told(role: str, how_far: TrainingProgress) -> None:
            if progress is not None:
                progress(f"round {number} of {rounds}, {role}", how_far)

        # What is left of the options is an argument of the function, or is refused by it.
        others = dict(options)
        return train_parser_files(
            TrainingFiles(train, add=[*add, *more], **take_options(others, TrainingFiles)),
            TrainingRun(goal, resume=resume, restart=restart, **take_options(others, TrainingRun)),
            ParserOptions(**take_options(others, ParserOptions)),
            say=say,
            progress=told if progress else None,
            about={"self_training": {**chosen_by, "round": number}} if number else None,
            **others,
        )

    done = files.begin(resume=resume, restart=restart)
    tell, file_position = say or (lambda _: None), listed or (lambda *_: None)
    for number in range(rounds):
        model: Path = files.model(number) if number or start is None else start
        if number == 0 and start is None and not os.path.exists(model):
            tell("round 0: the parser of the first lists")
            fit(0, model, [])
            files.save(done)
        if number == len(done):
            at = partial(file_position, number + 1, rounds)
            done = (*done, task.select(model, files.trees(number + 1), at, tell))
            files.save(done)
            for line in done[number].lists.lines():
                tell(f"round {number + 1}: {line}")
        goal = files.model(number + 1) if number + 1 < rounds else files.output
        if number + 1 == rounds or not os.path.exists(goal):
            which = "first" if task.standard else "chosen"
            tell(f"round {number + 1}: trained on the treebank and the {which} trees")
            trained = fit(number + 1, goal, [(files.trees(number + 1), times)])
    after = task.readings(output, partial(file_position, rounds + 1, rounds))
    for line in table(done[0].before, done[-1].chosen, after):
        tell(line)
    files.end()
    return SelfTrained(done, after, trained)


def _check_numbers(kbest: object, kbest_tags: object, weight: object, rounds: object) -> None:
    """Refuse numbers that make no sense."""
    numbers = {"kbest": kbest, "kbest_tags": kbest_tags, "weight": weight, "rounds": rounds}
    for name, number in numbers.items():
        whole_number(name, number)
    whole_number("k", kbest, most=MOST_BEAM)
    if kbest_tags > kbest:  # type: ignore[operator]  # both are numbers
        raise UsageError(f"{kbest_tags} tag sequences for lists of {kbest} trees; expected no more")


def table(readings_before: Readings, chosen: Readings, after: Readings) -> list[str]:
    """Say what became of imperatives and of chosen words (Katz-Brown et al. 2011, Table 3)."""
    three = (("before", readings_before), ("in the chosen trees", chosen), ("after", after))
    rates = ", ".join(f"{100 * readings.rate:.1f} % {name}" for name, readings in three)
    lines = [f"sentences parsed as imperatives: {rates}"]
    for word in readings_before.words:
        counts = ", ".join(
            f"{counted(readings.nouns.get(word, 0), 'noun')} and "
            f"{counted(readings.verbs.get(word, 0), 'verb')} {name}"
            for name, readings in three
        )
        lines.append(f"{word!r}: {counts}")
    return lines


def _plain(value: Any) -> Any:
    """Return an option as JSON can hold it."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
