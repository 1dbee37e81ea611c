"""Self-training: a parser is trained again on trees that it parsed itself."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from wordorder.errors import InputError, UsageError, whole_number
from wordorder.messages import counted, names_arguments, percent
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import order_metric
from wordorder.notes import note
from wordorder.order.orders import Orders
from wordorder.parsing.pipeline.file_parser import FileParser
from wordorder.parsing.pipeline.loading import (
    MAX_BATCH_SENTENCES,
    MAX_PARTIAL_TREES,
    ParsingPipeline,
    open_parser,
)
from wordorder.parsing.pipeline.sentence_reading import SentenceReader
from wordorder.parsing.training.recipes import SELF_TRAINED, ParserOptions
from wordorder.parsing.training.train_files import TrainedFile, train_parser_files
from wordorder.parsing.training.training import Say, TrainingProgress
from wordorder.parsing.training.training_run import RunProgress, TrainingRun, progress_of_epochs
from wordorder.parsing.training.training_text import TrainingFiles
from wordorder.parsing.transition.parser import MAX_BEAM
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
    data_tags_mode,
    file_signatures,
    rules_signature,
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
        Readings in the best trees of the last model.
    trained : TrainedFile
        The result of the last training.
    """

    rounds: tuple[Round, ...]
    after: Readings
    trained: TrainedFile

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-serialisable data."""
        rounds = [round_done.to_dict() for round_done in self.rounds]
        return {"rounds": rounds, "after": asdict(self.after), "model": self.trained.about}


@dataclass(frozen=True)
class _TreeSelection:
    """How the trees of each round are chosen."""

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
        """Return these options as JSON-serialisable data; files by name, without folders."""
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
        """Check that the reference fits the text, before hours of work."""
        with ExitStack() as stack:
            reader = stack.enter_context(SentenceReader(self.text))
            references = stack.enter_context(ReferenceReader(self.reference, reader.name))
            words = 0
            while len(sentences := reader.take(MAX_BATCH_SENTENCES)):
                references.take(sentences.lengths)
                words += sentences.words
            references.finish()
            if not words:
                raise InputError(reader.name, "no words", "sentences to learn from")

    def select(
        self, model: Path, output: Path, on_list: Callable[[int], object], say: Say
    ) -> Round:
        """Parse the text into lists, and write the tree chosen from each."""
        pipeline = self._opened(model)
        beam = max(getattr(pipeline.parser, "beam", 1), 2 * self.kbest)
        batch_size = max(1, min(MAX_BATCH_SENTENCES, MAX_PARTIAL_TREES // beam))
        readings_before, chosen = Readings(self.words), Readings(self.words)
        cost = OrderCost(self.rules, Orders.from_rows([]), self.metric)
        selection = Selection(cost, standard=self.standard)
        with ExitStack() as stack:
            reader = stack.enter_context(SentenceReader(self.text))
            references = stack.enter_context(ReferenceReader(self.reference, reader.name))
            writer = TreebankWriter(stack.enter_context(write_output(output)))
            parser = FileParser(pipeline, reader.name)
            difference = TagDifference()
            while len(sentences := reader.take(batch_size)):
                orders = references.take(sentences.lengths)
                nonempty = np.flatnonzero(sentences.lengths > 0)
                numbers = reader.sentences - len(sentences) + nonempty
                nonempty_sentences = sentences.take(nonempty)
                lists = parser.list_trees(
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
                on_list(reader.sentences)
            references.finish()
            parser.finish()
            if self.tags == "predict" and (line := difference.line(reader.name)):
                say(f"{line}: if they are correct, the new tagger learns from them, too")
            empty_count = reader.sentences - readings_before.sentences
            if empty_count:
                share = percent(empty_count, reader.sentences)
                note(f"{reader.name}: left out {share} of the sentences, which have no words")
        return Round(selection.report(), readings_before, chosen)

    def readings(self, model: Path, on_list: Callable[[int], object]) -> Readings:
        """Return the readings of words in the trees that a model gives the text."""
        pipeline = self._opened(model)
        readings = Readings(self.words)
        with SentenceReader(self.text) as reader:
            while len(sentences := reader.take(pipeline.batch)):
                readings.add(pipeline.parse(sentences.take(np.flatnonzero(sentences.lengths > 0))))
                on_list(reader.sentences)
        return readings

    def _opened(self, model: Path) -> ParsingPipeline:
        """Load a model for `tags`; a UsageError if it has no tagger to predict them."""
        pipeline = open_parser(model)
        if self.tags == "predict" and pipeline.tagger is None and not pipeline.tags_itself:
            raise UsageError(
                f"{os.fspath(model)}: has no tagger; --data-tags=auto takes the tags of the text"
            )
        return replace(pipeline, tags=self.tags)


def _progress_arguments(line: Progress) -> dict[str, object]:
    def show_lists(number: int, rounds: int, done: int) -> None:
        line.show(f"lists of round {number} of {rounds}", done, None)

    return {**progress_of_epochs(line), "on_lists": show_lists}


@dataclass(frozen=True, kw_only=True)
class SelfTraining:
    """The text for self-training, and how trees of it are chosen.

    Attributes
    ----------
    text : path
        Sentences to parse: text, one sentence per line, or CoNLL-U. Do not use the sentences of a
        test set.
    reference : path
        A row for each sentence: orders, or alignments from which orders are made.
    rules : name or path
        Rules, written or learned, that reorder the words of a tree; see `open_rules`.
    metric : str
        The metric of orders by which trees are chosen.
    convention : mapping, optional
        Further attributes of `ReferenceFile`: ``{"unaligned": "drop"}``.
    standard : bool
        Standard self-training: take the first tree of each list, without regard to its order.
    kbest, kbest_tags : int
        Trees per list, and the number of best tag sequences that are parsed for it.
    weight : int, optional
        How often each chosen tree is used per epoch; by default once, or as the recipe says.
    rounds : int
        The lists of each round are by the model of the previous one; all train from scratch.
    start : path or name, optional
        The model of the first lists; by default a model of the treebanks alone.
    data_tags : {"predict", "auto"}, optional
        ``predict``: predict all tags of `text`, as in texts that are parsed later; ``auto``: keep
        the tags of `text`. The default is ``predict`` if a tagger is trained.
    words : sequence of str
        Words to count as nouns and as verbs, before and after.
    keep_rounds : bool
        Keep the models and trees of all rounds: ``MODEL.round0``, ``MODEL.round1.conllu``, …
    """

    text: Path
    reference: Path
    rules: Path
    metric: str = "frs"
    convention: Mapping[str, Any] | None = None
    standard: bool = False
    kbest: int = 64
    kbest_tags: int = 1
    weight: int | None = None
    rounds: int = 1
    start: Path | None = None
    data_tags: str | None = None
    words: Sequence[str] = ()
    keep_rounds: bool = False

    def check(self) -> None:
        """Refuse numbers out of range, and texts that can be read only once."""
        for name in ("kbest", "kbest_tags", "rounds"):
            whole_number(name, getattr(self, name))
        if self.weight is not None:
            whole_number("weight", self.weight)
        whole_number("k", self.kbest, most=MAX_BEAM)
        if self.kbest_tags > self.kbest:
            raise UsageError(
                f"{self.kbest_tags} tag sequences for lists of {self.kbest} trees; expected no more"
            )
        if "-" in map(str, (self.text, self.reference)):
            raise UsageError("self-training reads its text in every round: give it as a file")


@names_arguments
@shows_progress("sentences", _progress_arguments)
def self_train(
    data: TrainingFiles | Path | Sequence[Path],
    run: TrainingRun | Path,
    lists: SelfTraining,
    options: ParserOptions | None = None,
    *,
    say: Say | None = None,
    progress: RunProgress | None = None,
    on_lists: OnLists | None = None,
) -> SelfTrained:
    r"""Train a parser, have it parse a text, choose trees by word order, and train it again.

    Targeted self-training (Katz-Brown et al. 2011): of the `kbest` trees of each sentence, the one
    whose order under the rules is closest to the reference order is added to the treebank, and
    tagger and parser are trained on both from scratch.

    Parameters
    ----------
    data : TrainingFiles, path or sequence of paths
        The treebanks.
    run : TrainingRun or path
        The output, seed and checkpoints. Models and trees of the rounds are named after the output;
        `TrainingRun.resume` continues the interrupted round.
    lists : SelfTraining
        The text to parse, and how trees of it are chosen.
    options : ParserOptions, optional
        The kind of parser. Its recipe may also be P3, P4 or P5 of Talbot et al. (2011): P2 with
        targeted self-training.
    say, progress
        See `train_parser_files`.
    on_lists : callable, optional
        Called with the round, the number of rounds, and the number of sentences with lists.

    Raises
    ------
    UsageError
        If options contradict each other, or an interrupted training exists that had other options
        or data, or is neither resumed nor restarted.
    InputError
        If a file is malformed, or the reference does not fit the sentences.

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
    >>> lists = SelfTraining(
    ...     text=folder / "a.txt", reference=folder / "a.orders", rules="R5", kbest=4
    ... )
    >>> done = self_train(folder / "train.conllu", folder / "my.model", lists)
    >>> done.rounds[0].lists.sentences, done.trained.sentences, done.after.verbs
    (1, 2, {})
    """
    lists.check()
    training = _RoundTraining.of(data, run, lists, options or ParserOptions(), say, progress)
    return training.run_rounds(on_lists or (lambda *_: None))


@dataclass
class _RoundTraining:
    """The trainings of all rounds.

    Attributes
    ----------
    weight : int
        How often each chosen tree is used per epoch.
    chosen_by : mapping
        The options of the selection, for the metadata of the models.
    """

    files: TrainingFiles
    run: TrainingRun
    lists: SelfTraining
    options: ParserOptions
    task: _TreeSelection
    weight: int
    chosen_by: dict[str, Any]
    round_files: RoundFiles
    say: Say | None
    progress: RunProgress | None

    @classmethod
    def of(
        cls,
        data: TrainingFiles | Path | Sequence[Path],
        run: TrainingRun | Path,
        lists: SelfTraining,
        options: ParserOptions,
        say: Say | None,
        progress: RunProgress | None,
    ) -> _RoundTraining:
        """Check everything that a round needs, before hours of work."""
        files, run = TrainingFiles.of(data), TrainingRun.of(run)
        base, weight, lower = SELF_TRAINED.get(options.recipe or "", (options.recipe, 1, False))
        options = replace(options, recipe=base)
        files = replace(files, lowercase=files.lowercase or lower)
        weight = weight if lists.weight is None else lists.weight
        refuse_both(resume=run.resume, restart=run.restart)
        task = _TreeSelection(
            lists.text,
            ReferenceFile(lists.reference, **(lists.convention or {})),
            open_rules(lists.rules),
            order_metric(lists.metric),
            lists.standard,
            lists.kbest,
            lists.kbest_tags,
            data_tags_mode(lists.data_tags, has_tagger=options.tagger != "none"),
            tuple(lists.words),
        )
        task.check()
        chosen_by = {**task.settings(lists.rules), "weight": weight}
        train = files.train
        treebanks = [train] if isinstance(train, (str, os.PathLike)) else train
        depends = {**asdict(replace(files, train=(), add=())), **asdict(run), **asdict(options)}
        for name in ("train", "add", "output", "resume", "restart"):
            del depends[name]
        settings = {
            **chosen_by,
            "train": file_signatures(treebanks),
            "add": [[*file_signatures([path]), number] for path, number in files.add],
            "text": file_signatures([lists.text]),
            "reference": file_signatures([lists.reference]),
            "start": None if lists.start is None else file_signatures([lists.start]),
            "rounds": lists.rounds,
            "options": {name: _plain(value) for name, value in sorted(depends.items())},
        }
        round_files = RoundFiles(run.output, settings, keep_files=lists.keep_rounds)
        added = [path for path, _ in files.add]
        round_files.require_other_names(
            *(*treebanks, *added, lists.text, lists.reference, lists.rules, lists.start, files.dev)
        )
        return cls(files, run, lists, options, task, weight, chosen_by, round_files, say, progress)

    def run_rounds(self, on_lists: OnLists) -> SelfTrained:
        """Parse, choose trees and train, round by round."""
        rounds, start, files, task = (
            self.lists.rounds,
            self.lists.start,
            self.round_files,
            self.task,
        )
        finished_rounds = files.begin(resume=self.run.resume, restart=self.run.restart)
        tell = self.say or (lambda _: None)
        for index in range(rounds):
            model: Path = files.model(index) if index or start is None else start
            if index == 0 and start is None and not os.path.exists(model):
                tell("round 0: the parser of the first lists")
                self._train(0, model, [])
                files.save(finished_rounds)
            if index == len(finished_rounds):
                report_lists = partial(on_lists, index + 1, rounds)
                finished_rounds = (
                    *finished_rounds,
                    task.select(model, files.trees(index + 1), report_lists, tell),
                )
                files.save(finished_rounds)
                for line in finished_rounds[index].lists.lines():
                    tell(f"round {index + 1}: {line}")
            model_path = files.model(index + 1) if index + 1 < rounds else files.output
            if index + 1 == rounds or not os.path.exists(model_path):
                tree_kind = "first" if task.standard else "chosen"
                tell(f"round {index + 1}: trained on the treebank and the {tree_kind} trees")
                chosen_trees = [(files.trees(index + 1), self.weight)]
                trained = self._train(index + 1, model_path, chosen_trees)
        readings_after = task.readings(files.output, partial(on_lists, rounds + 1, rounds))
        for line in reading_lines(
            finished_rounds[0].before, finished_rounds[-1].chosen, readings_after
        ):
            tell(line)
        files.end()
        return SelfTrained(finished_rounds, readings_after, trained)

    def _train(
        self, round_number: int, output: Path, chosen_trees: Sequence[tuple[Path, int]]
    ) -> TrainedFile:
        """Train the model of a round on the treebanks and the chosen trees."""
        progress = self.progress

        def report_round(role: str, course: TrainingProgress) -> None:
            if progress is not None:
                progress(f"round {round_number} of {self.lists.rounds}, {role}", course)

        return train_parser_files(
            replace(self.files, add=[*self.files.add, *chosen_trees]),
            replace(self.run, output=output),
            self.options,
            say=self.say,
            progress=report_round if progress else None,
            about={"self_training": {**self.chosen_by, "round": round_number}}
            if round_number
            else None,
        )


def reading_lines(
    readings_before: Readings, chosen: Readings, readings_after: Readings
) -> list[str]:
    """Return lines on the readings of imperatives and of some words, before and after.

    The table is that of Katz-Brown et al. (2011), Table 3.
    """
    stages = (
        ("before", readings_before),
        ("in the chosen trees", chosen),
        ("after", readings_after),
    )
    rates = ", ".join(f"{100 * readings.rate:.1f} % {name}" for name, readings in stages)
    lines = [f"sentences parsed as imperatives: {rates}"]
    for word in readings_before.words:
        counts = ", ".join(
            f"{counted(readings.nouns.get(word, 0), 'noun')} and "
            f"{counted(readings.verbs.get(word, 0), 'verb')} {name}"
            for name, readings in stages
        )
        lines.append(f"{word!r}: {counts}")
    return lines


def _plain(value: Any) -> Any:
    """Return an option as a JSON-serialisable value."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else str(value)
