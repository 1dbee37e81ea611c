"""Training a learned order on a text and its word alignments, and its scores."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from wordorder._version import __version__
from wordorder.errors import UsageError
from wordorder.messages import counted, duration, names_arguments
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import order_metric
from wordorder.notes import note
from wordorder.order.orders import Orders
from wordorder.parsing.epochs import Epoch, LearningCurve, UpdateCounts
from wordorder.parsing.training.training_text import data_signature
from wordorder.progress import Progress, shows_progress
from wordorder.reordering.consensus import LEARNED_MEMBERS, TREELESS, check_members
from wordorder.reordering.learned import learned_order
from wordorder.reordering.learned.examples import OrderExamples
from wordorder.text.checkpoints import Checkpoint, checkpoint_path
from wordorder.text.opening import Path, display_name
from wordorder.text.tensors import require_writable
from wordorder.training import held_out as unseen
from wordorder.training.held_out import (
    BALANCED_METRIC,
    HeldOut,
    metric_in_words,
    orders_without_provenance,
)
from wordorder.training.order_data import (
    AUTO,
    DEFAULT_PARSER,
    OrderCorpus,
    OrderData,
    name_of,
    read_corpus,
)
from wordorder.training.order_scores import OrderScore, cross_validated_orders, order_score

# A larger share of unaligned words cannot be due to function words alone.
MAX_UNALIGNED_SHARE = 0.5

# Kinds of models that are tried on held-out sentences.
TRIED_KINDS = ("linear", "consensus")
UNCHANGED = "unchanged"

# A training that takes at least this many seconds is announced with its duration.
LONG_SECONDS = 10.0

OrderProgress = Callable[[int, int, int], object]
Say = Callable[[str], object]


def _progress_arguments(line: Progress) -> dict[str, OrderProgress]:
    return {
        "progress": lambda epoch, epochs, done: line.show(f"epoch {epoch} of {epochs}", done, None)
    }


@dataclass(frozen=True)
class TrainedOrder:
    """The result of training a learned order.

    Attributes
    ----------
    sentences, words : int
        The size of the training data.
    dev : tuple of OrderScore
        The scores on the development part, under the treatment of unaligned words of the training
        and under the other one. Empty without such a part.
    folds : tuple of OrderScore
        The same by cross-validation on the training part; empty without one.
    held_out : tuple of HeldOut
        The scores of each kind of model and of the source order on held-out sentences, the best
        first; empty without such sentences.
    about : dict
        The metadata of the file.
    curves : tuple of LearningCurve
        The scores of the model, epoch by epoch.
    """

    sentences: int
    words: int
    dev: tuple[OrderScore, ...]
    folds: tuple[OrderScore, ...]
    held_out: tuple[HeldOut, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)
    curves: tuple[LearningCurve, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OrderRecipe:
    """The kind of learned order to train, and how it is trained and tested.

    Attributes
    ----------
    model : {"auto", "linear", "bracketing", "consensus"}
        ``auto`` trains ``linear`` or ``consensus``, the kind that orders held-out sentences best.
        If it is not better than the source order there (95 %, by `metric`), whether words without
        a link are dropped or placed, or worse in ``frs`` or ``kendall`` under the treatment that it
        is trained under, the model keeps the source order.
    metric : str, optional
        The metric of all scores, the one that ``consensus`` maximises, and the one by which
        ``bracketing`` chooses its preference for straight splits. By default ``frs``; for ``auto``
        the mean of ``frs`` and ``kendall``, which chooses the kind too.
    folds : int, optional
        The number of parts for cross-validation on the training text. By default ``auto`` uses
        three, five of fewer than 500 sentences, or holds out a fifth of 2,000 or more; another
        `model` without `OrderData.dev` is tested on a fifth by a model of the rest. 0 for no test.
    epochs : int, optional
        Passes over the data, of each member of a consensus; the default depends on the model.
    settings : mapping, optional
        Further options of the model's learner; see `LinearLearner`.
    seed : int
        The seed of the random choices; the same seed and data give the same bytes.
    licence : str, optional
        The licence to store in the file.
    """

    model: str = AUTO
    metric: str | None = None
    folds: int | None = None
    epochs: int | None = None
    settings: Mapping[str, Any] | None = None
    seed: int = 12345
    licence: str | None = None

    def check(self) -> None:
        """Refuse unknown names, and options that contradict each other."""
        if self.model != AUTO:
            learned_order.ORDER_KINDS.load(self.model)
        elif self.folds == 0:
            raise UsageError("auto chooses by held-out sentences: folds of at least 2, or a model")
        check_members((self.settings or {}).get("members", ()))
        order_metric(self.metric_name)

    @property
    def metric_name(self) -> str:
        """The metric of all scores."""
        return self.metric or (BALANCED_METRIC if self.model == AUTO else "frs")

    def kinds(self, reads: str) -> list[str]:
        """Return the kinds of models to try on sentences with this annotation."""
        if self.model != AUTO:
            return [self.model]
        return (
            list(TRIED_KINDS)
            if reads == "trees"
            else [kind for kind in TRIED_KINDS if kind != "linear"]
        )

    def of_learner(self, kind: str, reads: str) -> dict[str, Any]:
        """Return the options of the learner of a kind of model."""
        options = dict(self.settings or {})
        if self.epochs is not None:
            options["epochs"] = self.epochs
        if kind in ("bracketing", "consensus"):
            options["metric"] = self.metric_name
        if kind == "consensus" and reads != "trees":
            members = dict(options.get("members") or {})
            learned = set(members) & set(LEARNED_MEMBERS)
            options["members"] = members if learned else {**TREELESS, **members}
        return options


@names_arguments
@shows_progress("instances", _progress_arguments)
def train_order(
    data: OrderData,
    output: Path,
    recipe: OrderRecipe | None = None,
    *,
    curve: bool = False,
    resume: bool = False,
    restart: bool = False,
    say: Say | None = None,
    progress: OrderProgress | None = None,
) -> TrainedOrder:
    """Train a learned order and write it to a file that `open_rules` opens.

    Parameters
    ----------
    data : OrderData
        Sentences and their links with a translation.
    output : path
        The file of the model. Until it exists, a checkpoint has its name and an ending.
    recipe : OrderRecipe, optional
        The kind of model, and how it is trained and tested.
    curve : bool
        Whether the model is also scored on `OrderData.dev` after each epoch, or after each member
        of a consensus.
    resume, restart : bool
        Continue from the checkpoint of an interrupted training, or start from scratch.
    say : callable, optional
        Called with lines of text about the data and the training.
    progress : callable, optional
        Called with the epoch, the number of epochs, and the number of its instances so far.

    Raises
    ------
    UsageError
        If options contradict each other, a model or file does not exist, or a checkpoint exists.
    InputError
        If a file cannot be read, files differ in length, or no sentence of `dev` can be scored.
    ModelError
        If a parser or the checkpoint is damaged.

    Warns
    -----
    note
        If a sentence has more than 512 words, and is used in pieces; if sentences have no links, or
        most words none; if the model is not better than the source order on held-out sentences or
        those of `dev`, under either treatment of words without a link, or was not tested; if links
        are reversed, or a text is not parsed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.samples import sample_path
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mine.safetensors")
    >>> data = OrderData(
    ...     text=sample_path("trees.conllu"), alignments=sample_path("alignments.talbot")
    ... )
    >>> trained = train_order(data, path, OrderRecipe(model="linear", epochs=3, folds=3))
    >>> trained.sentences, trained.about["model"], trained.about["rule"]
    (72, 'linear', 'topdown-btg')
    """
    recipe = recipe or OrderRecipe()
    recipe.check()
    require_writable(output)
    checkpoint = Checkpoint(checkpoint_path(output), learned_order.CHECKPOINT_FORMAT)
    checkpoint.begin(resume=resume, restart=restart)
    tell = say or (lambda _: None)
    report = partial(_report_examples, tell=tell)
    corpus = read_corpus(data, recipe.model, recipe.settings, report)
    training = _OrderTraining(data, recipe, corpus, display_name(output), tell)
    training.choose_kind()
    model, curves = training.learn(checkpoint, curve=curve, progress=progress)
    folds = training.cross_validate()
    dev = training.score_dev(model)
    about = training.about()
    learned_order.save_learned(output, model, about)
    checkpoint.remove()
    tell(f"{os.fspath(output)}: {os.path.getsize(output)} bytes")
    return TrainedOrder(
        *(about["sentences"], about["words"], dev, folds, tuple(training.results), about, curves)
    )


@dataclass
class _OrderTraining:
    """The training of one model: the choice of its kind, its learner, and its tests."""

    data: OrderData
    recipe: OrderRecipe
    corpus: OrderCorpus
    output: str
    tell: Say
    kind: str = ""
    # Scores of each kind of model on held-out sentences, the best first.
    results: list[HeldOut] = field(default_factory=list)
    # Scores on the development part, for the metadata.
    dev_scores: dict[str, float] = field(default_factory=dict)

    @property
    def metric(self) -> str:
        """The metric of all scores."""
        return self.recipe.metric_name

    @property
    def learner_options(self) -> dict[str, Any]:
        """The options of the learner of the chosen kind."""
        # No learner is trained if ``auto`` keeps the source order.
        if self.kind not in self.recipe.kinds(self.corpus.reads):
            return {}
        return self.recipe.of_learner(self.kind, self.corpus.reads)

    def choose_kind(self) -> None:
        """Choose the kind of model; ``auto`` tries some on held-out sentences."""
        self.kind = self.recipe.model
        if self.kind != AUTO:
            return
        kinds = self.recipe.kinds(self.corpus.reads)
        self.tell(f"trying {', '.join(kinds)} on held-out sentences")
        self.results = self._try_kinds(kinds, folds=self.recipe.folds)
        for result in self.results:
            _report_held_out(result, self.tell)
        self.kind = next((result.kind for result in self.results if result.helps), UNCHANGED)

    def _try_kinds(
        self, kinds: Sequence[str], *, folds: int | None, single: bool = False
    ) -> list[HeldOut]:
        """Return the scores of kinds of models on held-out sentences."""

        def report_duration(kind: str, seconds: float) -> None:
            if seconds >= LONG_SECONDS:
                self.tell(f"trying {kind} takes about {duration(seconds)}")

        return unseen.compare_kinds(
            self.corpus.main,
            {kind: self.recipe.of_learner(kind, self.corpus.reads) for kind in kinds},
            self.metric,
            folds=folds,
            seed=self.recipe.seed,
            single=single,
            second=self.corpus.other_treatment,
            on_estimate=report_duration,
        )

    def learn(
        self, checkpoint: Checkpoint, *, curve: bool, progress: OrderProgress | None
    ) -> tuple[learned_order.OrderModel, tuple[LearningCurve, ...]]:
        """Train the model; return it with its learning curve."""
        kind, examples, dev = self.kind, self.corpus.examples, self.corpus.dev
        model_class = learned_order.ORDER_KINDS.load(kind)
        about = self._about()
        learner = model_class.learner(examples, seed=self.recipe.seed, **self.learner_options)
        if learner.epochs:
            self.tell(_describe_epochs(kind, learner.epochs))
        start = time.monotonic()

        def report_epoch(epoch: int, counts: UpdateCounts) -> None:
            share = 100 * counts.updates / max(1, counts.instances)
            self.tell(
                f"{kind}, epoch {epoch} of {learner.epochs}: {counts.updates:,} of "
                f"{counts.instances:,} wrong ({share:.1f} %)"
            )
            seconds = unseen.estimate_duration(learner, time.monotonic() - start)
            if epoch == 1 and seconds >= LONG_SECONDS:
                self.tell(f"the training of {kind} takes about {duration(seconds)}")

        def report_progress(epoch: int, done: int) -> None:
            if progress is not None:
                progress(epoch, learner.epochs, done)

        score = None
        if dev is not None and curve:
            score = partial(_score_model, dev, order_metric(self.metric))
        history: list[Epoch] = []
        model = learned_order.learn_order(
            learner,
            checkpoint=learned_order.OrderCheckpoint(checkpoint, about),
            on_epoch=report_epoch,
            progress=report_progress,
            score=score,
            history=history,
        )
        self._report_model(learner, model)
        return model, (LearningCurve(kind, self.metric, tuple(history)),)

    def _report_model(self, learner: object, model: object) -> None:
        """Report the limits and choices of a bracketing model."""
        forced_share = getattr(learner, "forced_share", None)
        if forced_share is not None:
            self.tell(
                f"{100 * forced_share:.0f} % of the sentences have an order that splits alone "
                "cannot make; they were learned as well as splits can order them"
            )
        straight = getattr(model, "straight", None)
        if straight is not None and "straight" not in self.learner_options:
            self.tell(
                f"straight splits score {straight:g} more than their features say (chosen on "
                f"held-out sentences by {metric_in_words(self.metric)})"
            )

    def cross_validate(self) -> tuple[OrderScore, ...]:
        """Test a model of a specified kind on held-out sentences, and note its weaknesses.

        Returns the scores by cross-validation, under both treatments of unaligned words; an empty
        tuple if there was none.
        """
        recipe, corpus, model = self.recipe, self.corpus, self.recipe.model
        scores: tuple[OrderScore, ...] = ()
        if model != AUTO and recipe.folds:
            settings = recipe.of_learner(model, corpus.reads)
            orders = cross_validated_orders(
                corpus.main, model, recipe.folds, seed=recipe.seed, **settings
            )
            scores = self._scores(orders, corpus.main, corpus.other_treatment)
            self.results = [
                self._compare_with_source(model, orders, corpus.main, corpus.other_treatment)
            ]
        elif model != AUTO and recipe.folds is None and corpus.dev is None:
            self.results = self._try_kinds([model], folds=None, single=True)
        if model != AUTO:
            for result in self.results:
                _report_held_out(result, self.tell)
        _note_held_out(self.output, self.kind, self.results, tested=corpus.dev is not None)
        return scores

    def score_dev(self, model: learned_order.OrderModel) -> tuple[OrderScore, ...]:
        """Return the scores on the development part; an empty tuple without one."""
        dev, dev_other = self.corpus.dev, self.corpus.dev_other
        if self.data.dev is None or dev is None or dev_other is None:
            return ()
        name = display_name(self.data.dev[0])
        orders = orders_without_provenance(model, dev.treebank)
        scores = self._scores(orders, dev, dev_other)
        self.dev_scores = {"dev_score": scores[0].value}
        comparison = self._compare_with_source(self.kind, orders, dev, dev_other)
        if self.kind != UNCHANGED:
            _report_held_out(comparison, self.tell, name)
            _note_held_out(self.output, self.kind, [comparison], name)
        self.results = self.results or [comparison]
        return scores

    def _scores(self, orders: Orders, *examples: OrderExamples) -> tuple[OrderScore, ...]:
        """Return the scores of orders against several references of the same sentences."""
        metric = order_metric(self.metric)
        return tuple(order_score(orders, part, metric) for part in examples)

    def _compare_with_source(
        self, kind: str, orders: Orders, examples: OrderExamples, second: OrderExamples
    ) -> HeldOut:
        """Compare orders with the source order, under both treatments of unaligned words."""
        seed = self.recipe.seed
        return unseen.compare_with_source(
            kind, orders, examples, self.metric, seed=seed, second=second
        )

    def _about(self) -> dict[str, Any]:
        """Return the metadata that is known before the training."""
        data, recipe, corpus, examples = self.data, self.recipe, self.corpus, self.corpus.examples
        return {
            "wordorder": __version__,
            "model": self.kind,
            "data": data.names,
            "data_signature": _signature(examples),
            "sentences": int(np.count_nonzero(examples.weights)),
            "words": examples.treebank.words,
            "licence": recipe.licence,
            "rule": examples.rule,
            "unaligned": examples.unaligned,
            "metric": self.metric,
            "parser": (name_of(data.parser) or DEFAULT_PARSER) if corpus.is_parsed else None,
            "tagger": name_of(data.tagger),
            "reads": corpus.reads,
            "seed": recipe.seed,
            "options": self.learner_options,
        }

    def about(self) -> dict[str, Any]:
        """Return the metadata of the file."""
        held_out = {result.kind: result.about() for result in self.results}
        return {**self._about(), **self.dev_scores, "held_out": held_out}


def _score_model(dev: OrderExamples, metric: BaseMetric, model: learned_order.OrderModel) -> float:
    """Return the score of a model on the development part."""
    return order_score(orders_without_provenance(model, dev.treebank), dev, metric).value


def _signature(examples: OrderExamples) -> str:
    """Return a digest of the examples."""
    hasher = hashlib.blake2b(data_signature(examples.treebank).encode(), digest_size=16)
    for array in (examples.low, examples.high, examples.weights):
        hasher.update(array.tobytes())
    return hasher.hexdigest()


def _report_examples(examples: OrderExamples, text: str, links: str, tell: Say) -> None:
    """Report the examples of a text, and note links from which little can be learned."""
    words = max(1, examples.treebank.words)
    share = examples.unaligned_words / words
    tell(
        f"{text}: {counted(len(examples), 'sentence', commas=True)}, "
        f"{counted(examples.treebank.words, 'word', commas=True)}; "
        f"{100 * share:.0f} % of the words have no position under {examples.rule}"
        f"/{examples.unaligned}"
    )
    unordered_count = int(np.count_nonzero(examples.weights == 0))
    if unordered_count and unordered_count < len(examples):
        note(
            f"{links}: {unordered_count:,} of {len(examples):,} sentences "
            f"({100 * unordered_count / len(examples):.0f} %) have fewer than two linked words, so "
            "nothing can be learned from them"
        )
    if share > MAX_UNALIGNED_SHARE:
        note(
            f"{links}: {100 * share:.0f} % of the words are unaligned; a model learns little from "
            "such links (is the file that of this text? other links: wordorder align)"
        )


def _report_held_out(result: HeldOut, tell: Say, corpus: str = "held-out sentences") -> None:
    """Report the scores of a kind of model on held-out sentences, one line per metric."""
    for treatment in result.treatments:
        for score in treatment.scores:
            tell(f"{result.kind} on {corpus} ({treatment.sentences:,}, {treatment.under}): {score}")


def _note_held_out(
    output: str,
    kind: str,
    results: Sequence[HeldOut],
    corpus: str = "held-out sentences",
    *,
    tested: bool = False,
) -> None:
    """Note that a model has no score, or that it is not better than the source order.

    Parameters
    ----------
    output : str
        The path of the model.
    kind : str
        The kind of the model.
    results : sequence of HeldOut
        The results of the kinds; the chosen or the best one comes first.
    corpus : str
        The name of the sentences in the note.
    tested : bool
        Whether the model is scored on other sentences too.
    """
    scored = [result for result in results if result.sentences]
    if not scored:
        if kind == UNCHANGED:
            note(f"{output} keeps the source order: there are too few sentences to test models on")
        elif not tested:
            note(f"{output} has no figure on held-out sentences: --dev or -O folds=5 gives it one")
        return
    first = scored[0]
    shortfall_text = "; ".join(first.shortfalls())
    if kind == UNCHANGED:
        other_treatment = "drop" if first.under.endswith("next") else "next"
        note(
            f"{output} keeps the source order: on {corpus} no learned order is better at 95 % both "
            "where words without a link are dropped and where they are placed (the best one, "
            f"{first.kind}, is {shortfall_text or 'not surely different: they are few'}); "
            f"--model={first.kind} keeps such a model, -O unaligned={other_treatment} "
            "trains under the other treatment"
        )
    elif shortfall_text:
        note(f"{output}, compared with the source order on {corpus} at 95 %, is {shortfall_text}")


def _describe_epochs(kind: str, epochs: int) -> str:
    """Return a sentence on the epochs of a training.

    Examples
    --------
    >>> _describe_epochs("linear", 15)
    'training linear: 15 epochs, each a pass over all sentences'
    """
    member_text = " by one of its members" if kind == "consensus" else ""
    return (
        f"training {kind}: {counted(epochs, 'epoch')}, each a pass over all sentences{member_text}"
    )
