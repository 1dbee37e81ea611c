"""Training a learned order on a text and its word alignments, and what it scores."""

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
from wordorder.alignment.alignments import Alignments, hint
from wordorder.alignment.reading import AlignmentReader
from wordorder.arrays import Ragged, concat_ranges, row_and_entry
from wordorder.errors import InputError, UsageError
from wordorder.messages import counted, duration, names_arguments, note
from wordorder.metrics.contract import BaseMetric
from wordorder.metrics.registry import named_metric, order_metric
from wordorder.order.orders import Orders
from wordorder.parsing.epochs import Epoch, LearningCurve, UpdateCounts
from wordorder.parsing.pipeline.sentence_reading import SentenceReader, read_sentences
from wordorder.parsing.training.training_text import data_signature
from wordorder.progress import Progress, shows_progress
from wordorder.reordering.consensus import LEARNED_MEMBERS, TREELESS, check_members
from wordorder.reordering.learned import learned_order
from wordorder.reordering.learned.examples import (
    OrderExamples,
    joined_examples,
    note_long,
    order_examples,
)
from wordorder.segments import Segments
from wordorder.text.checkpoints import Checkpoint, checkpoint_path
from wordorder.text.lockstep import line_count_mismatch
from wordorder.text.opening import Path, display_name
from wordorder.text.tensors import require_writable
from wordorder.training import held_out as unseen
from wordorder.training.held_out import BALANCED, HeldOut, metric_in_words, ordered_by
from wordorder.treebank.reading import sentences_of
from wordorder.treebank.treebank import NO_HEAD, Treebank

# Half of the words without a link is more than function words explain.
MANY_UNALIGNED = 0.5

# Leaves the kind of model to held-out sentences. Bracketing models alone take as long as the
# consensus of which they are members, and gain nothing sure.
AUTO = "auto"
TRIED = ("linear", "consensus")
UNCHANGED = "unchanged"

# A training that takes so many seconds says beforehand how long it takes.
LONG = 10.0

OrderProgress = Callable[[int, int, int], object]


def _told(line: Progress) -> dict[str, OrderProgress]:
    return {
        "progress": lambda epoch, epochs, done: line.show(f"epoch {epoch} of {epochs}", done, None)
    }


@dataclass(frozen=True)
class TrainedOrder:
    """What was trained.

    Attributes
    ----------
    sentences, words : int
        Those that the model learned from.
    dev : tuple of OrderScore
        What it scores on the development part: under the rule that it was trained under, and with
        the other treatment of unaligned words. Empty without such a part.
    folds : tuple of OrderScore
        The same of a cross-validation on the training part; empty without one.
    held_out : tuple of HeldOut
        What each kind of model that was tried scores on held-out sentences beside the source order,
        the best first; empty without such sentences.
    about : dict
        What the file says.
    curves : tuple of LearningCurve
        How far the model came, epoch by epoch.
    """

    sentences: int
    words: int
    dev: tuple[OrderScore, ...]
    folds: tuple[OrderScore, ...]
    held_out: tuple[HeldOut, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)
    curves: tuple[LearningCurve, ...] = ()


@names_arguments
@shows_progress("instances", _told)
def train_order(
    text: Path,
    alignments: Path,
    output: Path,
    *,
    trees: Path | None = None,
    parser: Path | None = None,
    tagger: Path | None = None,
    model: str = AUTO,
    reverse: bool = False,
    rule: str | None = None,
    unaligned: str | None = None,
    links: str = "all",
    metric: str | None = None,
    dev: tuple[Path, Path] | None = None,
    curve: bool = False,
    folds: int | None = None,
    add: Sequence[tuple[Path, Path, float]] = (),
    epochs: int | None = None,
    settings: Mapping[str, Any] | None = None,
    licence: str | None = None,
    alignment_format: str = "auto",
    one_based: bool = False,
    strict: bool = False,
    seed: int = 12345,
    resume: bool = False,
    restart: bool = False,
    say: Say | None = None,
    progress: OrderProgress | None = None,
) -> TrainedOrder:
    """Train a learned order and write it to a file that `open_rules` opens.

    Parameters
    ----------
    text : path
        The source side: words between blanks, one sentence per line; or CoNLL-U.
    alignments : path
        Its links with a translation, one row per sentence.
    output : path
        Where the model goes. Until it is there, a checkpoint is beside it.
    trees : path, optional
        The trees of `text`, in CoNLL-U.
    parser : path or name, optional
        What parses `text`, here and wherever the model is used. Without `trees` and `parser` the
        trees of CoNLL-U are used; text is parsed by the model ``en``, except for ``bracketing``,
        which reads words alone then. Text in another language than English is not parsed by ``en``:
        ``auto`` and ``consensus`` read words alone then, and ``linear`` is refused.
    tagger : path or name, optional
        For ``bracketing`` without trees: what gives words their tags, here and later.
    model : {"auto", "linear", "bracketing", "consensus"}
        ``auto`` trains ``linear`` or ``consensus``, the kind that orders held-out sentences best.
        If it is not better than the source order there (95 %, by `metric`), whether words without
        a link are dropped or placed, or worse in ``frs`` or ``kendall`` under the treatment that it
        is trained under, the model keeps the source order.
    reverse : bool
        The links are target-source: `text` is their second text. Links that fit only so are
        turned round with a note.
    rule, unaligned, links
        Under which the model is trained, as `order_examples` takes them: ``topdown-btg``, which
        drops unaligned words, unless given.
    metric : str, optional
        What scores are printed in; what ``consensus`` looks for, and what ``bracketing`` chooses
        its preference for straight splits by. By default ``frs``; for ``auto`` the mean of ``frs``
        and ``kendall``, which chooses the kind too.
    dev : pair of paths, optional
        A text and its alignments that the model is scored on.
    curve : bool
        Whether `dev` is scored after each epoch too, of a consensus after each member.
    folds : int, optional
        Score models of all but one part of the training text on that part, for so many parts.
        Unless given, ``auto`` uses three, five of fewer than 500 sentences, or holds out a fifth of
        2,000 or more; another `model` without `dev` is tested on a fifth by a model of the rest.
        0 for no test.
    add : sequence of (text, alignments, weight)
        Further data, each sentence of which counts as `weight` sentences.
    epochs : int, optional
        Passes over the data, of each member of a consensus; None is what suits the model.
    settings : mapping, optional
        Further options of the model's learner, such as `LinearLearner` has them.
    licence : str, optional
        What the file says of its licence.
    alignment_format, one_based, strict
        How alignments are read, as in `wordorder.alignment.read_alignments`.
    seed : int
        The seed of the random choices; the same seed and data give the same bytes.
    resume, restart : bool
        Go on from a checkpoint that an interrupted training left, or start from scratch.
    say : callable, optional
        Takes lines of text on what was read and how far the training is.
    progress : callable, optional
        Takes the epoch, how many there are and how many instances of it are done.

    Raises
    ------
    UsageError
        If an option makes no sense, a model or file is not there, or a checkpoint is.
    InputError
        If a file cannot be read, files are not in step, or no sentence of `dev` can be scored.
    ModelError
        If a parser or the checkpoint is damaged.

    Warns
    -----
    WordOrderWarning
        If a sentence has more than 512 words, and is used in pieces; if sentences have no links, or
        most words none; if the model is not better than the source order on held-out sentences or
        those of `dev`, under either treatment of words without a link, or was not tested; if links
        are turned round, or a text is not parsed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.samples import sample_path
    >>> place = pathlib.Path(tempfile.mkdtemp(), "mine.safetensors")
    >>> trained = train_order(
    ...     sample_path("trees.conllu"),
    ...     sample_path("alignments.talbot"),
    ...     place,
    ...     model="linear",
    ...     epochs=3,
    ...     folds=3,
    ... )
    >>> trained.sentences, trained.about["model"], trained.about["rule"]
    (72, 'linear', 'topdown-btg')
    """
    tell = say or (lambda _: None)
    if model != AUTO:
        learned_order.LEARNED.load(model)
    elif folds == 0:
        raise UsageError("auto chooses by held-out sentences: folds of at least 2, or a model")
    check_members((settings or {}).get("members", ()))
    if metric is None:
        metric = BALANCED if model == AUTO else "frs"
    chosen = order_metric(metric)
    require_writable(output)
    checkpoint = Checkpoint(checkpoint_path(output), learned_order.CHECKPOINT_FORMAT)
    checkpoint.begin(resume=resume, restart=restart)
    reads = what_is_read(model, trees=trees, parser=parser, tagger=tagger)
    parsed = parser is not None or (reads == "trees" and trees is None and _was_parsed(text))
    if parsed and parser is None:
        parsed = _is_readable(text, model, settings)
        reads = "trees" if parsed else "own"
    sources = Sources(
        "words" if reads == "own" else reads,
        *(parser, tagger, rule, unaligned, links, alignment_format, one_based, strict, reverse),
    )
    bank, linked = sources.read(text, alignments, trees=trees)
    gold = sources.made(bank, linked)
    if reads == "own":
        reads = own_columns(bank)
    parts = [gold]
    _say_examples(gold, display_name(text), display_name(alignments), tell)
    for further, its_links, weight in add:
        parts.append(sources.examples(further, its_links, weight=weight))
        _say_examples(parts[-1], display_name(further), display_name(its_links), tell)
    dev_part = None if dev is None else sources.read(*dev)
    tested = None if dev_part is None else sources.made(*dev_part)
    if dev is not None and tested is not None and not tested.ranked.any():
        what = f"no sentence with a reference order under {tested.rule}/{tested.unaligned}"
        raise InputError(display_name(dev[1]), what, "at least one to score the model on")
    texts = [text, *(further for further, _, _ in add)]
    read = [(path, part.treebank) for path, part in zip(texts, parts, strict=True)]
    if dev is not None and dev_part is not None:
        read.append((dev[0], dev_part[0]))
    for path, sentences in read if model in (AUTO, *learned_order.LEARNED.built_in) else []:
        with sentences_of(display_name(path), np.arange(len(sentences))):
            note_long(sentences.lengths)
    examples = joined_examples(parts)
    second = other_examples(bank, linked, gold, links)

    def estimated(kind: str, seconds: float) -> None:
        if seconds >= LONG:
            tell(f"trying {kind} takes about {duration(seconds)}")

    kinds = [model] if model != AUTO else list(TRIED)
    if reads != "trees" and model == AUTO:
        kinds.remove("linear")
    tries = {kind: _options(kind, epochs, metric, settings, reads) for kind in kinds}
    tried: list[HeldOut] = []
    kind = model
    if model == AUTO:
        tell(f"trying {', '.join(kinds)} on held-out sentences")
        tried = unseen.candidates(
            gold, tries, metric, folds=folds, seed=seed, second=second, estimated=estimated
        )
        for each in tried:
            _say_held_out(each, tell)
        kind = next((each.kind for each in tried if each.helps), UNCHANGED)
    options = tries.get(kind, {})
    made = learned_order.LEARNED.load(kind)
    about: dict[str, Any] = {
        "wordorder": __version__,
        "model": kind,
        "data": [display_name(text), *(display_name(further) for further, _, _ in add)],
        "data_signature": _signature(examples),
        "sentences": int(np.count_nonzero(examples.weights)),
        "words": examples.treebank.words,
        "licence": licence,
        "rule": examples.rule,
        "unaligned": examples.unaligned,
        "metric": metric,
        "parser": (told(parser) or DEFAULT_PARSER) if parsed else None,
        "tagger": told(tagger),
        "reads": reads,
        "seed": seed,
        "options": options,
    }
    learner = made.learner(examples, seed=seed, **options)
    if learner.epochs:
        tell(_epochs_in_words(kind, learner.epochs))
    begin = time.monotonic()

    def after(epoch: int, tally: UpdateCounts) -> None:
        share = 100 * tally.updates / max(1, tally.instances)
        tell(
            f"{kind}, epoch {epoch} of {learner.epochs}: {tally.updates:,} of "
            f"{tally.instances:,} wrong ({share:.1f} %)"
        )
        seconds = unseen.whole_time(learner, time.monotonic() - begin)
        if epoch == 1 and seconds >= LONG:
            tell(f"the training of {kind} takes about {duration(seconds)}")

    def within(epoch: int, done: int) -> None:
        if progress is not None:
            progress(epoch, learner.epochs, done)

    score = None if tested is None or not curve else partial(_dev_score, tested, chosen)
    history: list[Epoch] = []
    found = learned_order.learn_order(
        learner,
        checkpoint=learned_order.OrderCheckpoint(checkpoint, dict(about)),
        on_epoch=after,
        progress=within,
        score=score,
        history=history,
    )
    forced = getattr(learner, "forced_share", None)
    if forced is not None:
        tell(
            f"{100 * forced:.0f} % of the sentences have an order that splits alone "
            "cannot make; they were learned as well as splits can order them"
        )
    straight = getattr(found, "straight", None)
    if straight is not None and "straight" not in options:
        tell(
            f"straight splits score {straight:g} more than their features say (chosen on "
            f"held-out sentences by {metric_in_words(metric)})"
        )
    crossed: tuple[OrderScore, ...] = ()
    if model != AUTO and folds:
        orders = cross_validated(gold, model, folds, seed=seed, **options)
        crossed = (order_score(orders, gold, chosen), order_score(orders, second, chosen))
        tried = [unseen.beside_source(model, orders, gold, metric, seed=seed, second=second)]
    elif model != AUTO and folds is None and tested is None:
        tried = unseen.candidates(
            gold,
            tries,
            metric,
            folds=None,
            seed=seed,
            single=True,
            second=second,
            estimated=estimated,
        )
    if model != AUTO:
        for each in tried:
            _say_held_out(each, tell)
    _note_held_out(display_name(output), kind, tried, tested=dev is not None)
    scored: tuple[OrderScore, ...] = ()
    if dev is not None and dev_part is not None and tested is not None:
        orders = ordered_by(found, tested.treebank)
        other = other_examples(*dev_part, tested, links)
        scored = (order_score(orders, tested, chosen), order_score(orders, other, chosen))
        about["dev_score"] = scored[0].value
        beside = unseen.beside_source(kind, orders, tested, metric, seed=seed, second=other)
        if kind != UNCHANGED:
            _say_held_out(beside, tell, display_name(dev[0]))
            _note_held_out(display_name(output), kind, [beside], display_name(dev[0]))
        tried = tried or [beside]
    about["held_out"] = {each.kind: each.about() for each in tried}
    learned_order.save_learned(output, found, about)
    checkpoint.remove()
    tell(f"{os.fspath(output)}: {os.path.getsize(output)} bytes")
    curves = (LearningCurve(kind, metric, tuple(history)),)
    return TrainedOrder(
        *(about["sentences"], about["words"], scored, crossed, tuple(tried), about, curves)
    )


def _dev_score(tested: OrderExamples, metric: BaseMetric, model: learned_order.OrderModel) -> float:
    """Return what a model scores on the development part."""
    return order_score(ordered_by(model, tested.treebank), tested, metric).value


def _options(
    kind: str, epochs: int | None, metric: str, settings: Mapping[str, Any] | None, reads: str
) -> dict[str, Any]:
    """Return what the learner of a kind is called with."""
    options = dict(settings or {})
    if epochs is not None:
        options["epochs"] = epochs
    if kind in ("bracketing", "consensus"):
        options["metric"] = metric
    if kind == "consensus" and reads != "trees":
        members = dict(options.get("members") or {})
        learned = set(members) & set(LEARNED_MEMBERS)
        options["members"] = members if learned else {**TREELESS, **members}
    return options


def _is_readable(text: Path, model: str, settings: Mapping[str, Any] | None) -> bool:
    """Whether the default parser knows the language of a text; if not, say what is done.

    Raises
    ------
    UsageError
        If not, and the model cannot do without trees.
    """
    from wordorder.parsing.language import LanguageCheck
    from wordorder.parsing.pipeline.loading import open_parser

    opened = open_parser(DEFAULT_PARSER)
    check = LanguageCheck.of(opened.parser, opened.unknown)
    if check is None:
        return True
    check.add(read_sentences(text)[0].form)
    language_note = check.message(DEFAULT_PARSER)
    if not language_note:
        return True
    what = f"{display_name(text)}: {language_note}"
    members = (settings or {}).get("members", {})
    if model not in (AUTO, "consensus") or set(members) - set(TREELESS):
        raise UsageError(
            f"{what}. {'A member' if members else model} reads trees: --parser=MODEL for its "
            "language, --trees=FILE, or --model=bracketing, which reads words alone"
        )
    note(
        f"{what}. Without --parser the model reads words alone (--parser=MODEL or --trees=FILE "
        "gives it trees)"
    )
    return False


def _was_parsed(text: Path) -> bool:
    """Whether sentences without trees were parsed by the default model."""
    with SentenceReader(text) as reader:
        return reader.kind == "text" or not reader.take(1).has_trees


def _signature(examples: OrderExamples) -> str:
    """Return what tells the examples from all others."""
    digest = hashlib.blake2b(data_signature(examples.treebank).encode(), digest_size=16)
    for array in (examples.low, examples.high, examples.weights):
        digest.update(array.tobytes())
    return digest.hexdigest()


def _say_examples(examples: OrderExamples, text: str, links: str, tell: Say) -> None:
    """Say what was read, and note what says little."""
    words = max(1, examples.treebank.words)
    share = examples.unaligned_words / words
    tell(
        f"{text}: {counted(len(examples), 'sentence', commas=True)}, "
        f"{counted(examples.treebank.words, 'word', commas=True)}; "
        f"{100 * share:.0f} % of the words have no place under {examples.rule}"
        f"/{examples.unaligned}"
    )
    silent = int(np.count_nonzero(examples.weights == 0))
    if silent and silent < len(examples):
        note(
            f"{links}: {silent:,} of {len(examples):,} sentences "
            f"({100 * silent / len(examples):.0f} %) have fewer than two linked words, and say "
            "nothing of order"
        )
    if share > MANY_UNALIGNED:
        note(
            f"{links}: {100 * share:.0f} % of the words are unaligned; a model learns little from "
            "such links (is the file that of this text? other links: wordorder align)"
        )


def _say_held_out(result: HeldOut, tell: Say, corpus: str = "held-out sentences") -> None:
    """Say what a kind of model scores on held-out sentences, a line for each metric."""
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
    """Note that a model has no figure, or where it is worse than the source order or like it.

    Parameters
    ----------
    output : str
        The file of the model.
    kind : str
        What it is.
    results : sequence of HeldOut
        The one that was chosen, or would have been, comes first.
    corpus : str
        Which sentences were ordered.
    tested : bool
        Whether it is scored on other sentences too.
    """
    scored = [result for result in results if result.sentences]
    if not scored:
        if kind == UNCHANGED:
            note(f"{output} keeps the source order: there are too few sentences to test models on")
        elif not tested:
            note(f"{output} has no figure on held-out sentences: --dev or -O folds=5 gives it one")
        return
    first = scored[0]
    lost = "; ".join(first.shortfalls())
    if kind == UNCHANGED:
        other_treatment = "drop" if first.under.endswith("next") else "next"
        note(
            f"{output} keeps the source order: on {corpus} no learned order is better at 95 % both "
            "where words without a link are dropped and where they are placed (the best one, "
            f"{first.kind}, is {lost or 'not surely different: they are few'}); "
            f"--model={first.kind} keeps such a model, -O unaligned={other_treatment} "
            "trains under the other treatment"
        )
    elif lost:
        note(f"{output}, compared with the source order on {corpus} at 95 %, is {lost}")


@dataclass(frozen=True)
class OrderScore:
    """What orders score under a rule.

    Attributes
    ----------
    rule, unaligned : str
        As `wordorder.order.reference.reference_orders` takes them.
    value : float
        What the orders score, a mean over sentences.
    source : float
        What the source order scores.
    sentences : int
        How many are scored; the others have no reference order under the rule.
    """

    rule: str
    unaligned: str
    value: float
    source: float
    sentences: int


def _epochs_in_words(kind: str, epochs: int) -> str:
    """Say what the epochs of a training are.

    Examples
    --------
    >>> _epochs_in_words("linear", 15)
    'training linear: 15 epochs, each a pass over all sentences'
    """
    of_one = " by one of its members" if kind == "consensus" else ""
    return f"training {kind}: {counted(epochs, 'epoch')}, each a pass over all sentences{of_one}"


def order_score(orders: Orders, examples: OrderExamples, metric: str | BaseMetric) -> OrderScore:
    """Score orders against the references of examples.

    Parameters
    ----------
    orders : Orders
        All words of each sentence.
    examples : OrderExamples
    metric : name or metric
        One that compares orders.

    Raises
    ------
    UsageError
        If the metric does not compare orders.
    """
    chosen = named_metric(metric) if isinstance(metric, str) else metric
    rows = np.flatnonzero(examples.ranked)
    references = examples.references.take(rows)
    system_orders = orders.take(rows)
    source = Orders(
        Ragged(
            concat_ranges(0, system_orders.lengths).astype(np.int32),
            system_orders.positions.offsets,
        )
    )
    value = of_source = float("nan")
    if len(rows):
        segments = (
            Segments.from_orders(orders_scored, references)
            for orders_scored in (system_orders, source)
        )
        value, of_source = (
            float(chosen.corpus_score(scored_segments).value) for scored_segments in segments
        )
    return OrderScore(examples.rule, examples.unaligned, value, of_source, len(rows))


def other_examples(
    treebank: Treebank, alignments: Alignments, examples: OrderExamples, links: str = "all"
) -> OrderExamples:
    """Return the same sentences with the other treatment of unaligned words.

    Where they were dropped, they go before the next word; otherwise they are dropped.
    """
    unaligned = "next" if examples.unaligned == "drop" else "drop"
    return order_examples(treebank, alignments, unaligned=unaligned, links=links)


def cross_validated(
    examples: OrderExamples, kind: str, folds: int, *, seed: int = 0, **options: Any
) -> Orders:
    """Return the order that each sentence gets from a model of the other folds.

    Sentences of the same words share a fold (`grouped_folds`).

    Parameters
    ----------
    examples : OrderExamples
    kind : str
        A name of `LEARNED`.
    folds : int
        At least 2.
    seed : int
        The seed of the random choices of folds and learners.
    options
        As the kind's learner takes them.

    Raises
    ------
    UsageError
        If there are too few sentences, or a fold has nothing to learn from.
    """
    splits = unseen.split_sentences(examples, folds, seed=seed)
    return unseen.unseen_orders(examples, kind, splits, seed=seed, **options)


# Parses English where nothing else is said, as in `wordorder reorder`.
DEFAULT_PARSER = "en"


@dataclass(frozen=True)
class Sources:
    """Where trees and tags of sentences come from, and how links are read.

    Attributes
    ----------
    reads : "words", "tags" or "trees"
        What is needed of a sentence.
    parser, tagger : path or name, optional
        As `wordorder.parsing.pipeline.loading.open_parser` takes them.
    rule, unaligned, links : str, optional
        As `order_examples` takes them.
    alignment_format, one_based, strict
        As `AlignmentReader` takes them.
    reverse : bool
        Whether the links are target-source. Links of many sentences that fit only so are turned
        round with a note.
    """

    reads: str
    parser: Path | None = None
    tagger: Path | None = None
    rule: str | None = None
    unaligned: str | None = None
    links: str = "all"
    alignment_format: str = "auto"
    one_based: bool = False
    strict: bool = False
    reverse: bool = False

    def examples(
        self, text: Path, alignments: Path, *, trees: Path | None = None, weight: float = 1.0
    ) -> OrderExamples:
        """Read sentences with their links.

        Parameters
        ----------
        text : path
            Words between blanks, one sentence per line; or CoNLL-U.
        alignments : path
            Links with a translation, one row per sentence.
        trees : path, optional
            The trees of the sentences, in CoNLL-U.
        weight : float
            How much each sentence counts.

        Raises
        ------
        InputError
            If a file cannot be read, or the files are not in step.
        UsageError
            If a model cannot be found.
        """
        return self.made(*self.read(text, alignments, trees=trees), weight=weight)

    def made(
        self, treebank: Treebank, alignments: Alignments, *, weight: float = 1.0
    ) -> OrderExamples:
        """Make examples of what was read."""
        return order_examples(
            treebank,
            alignments,
            rule=self.rule,
            unaligned=self.unaligned,
            links=self.links,
            weight=weight,
        )

    def read(
        self, text: Path, alignments: Path, *, trees: Path | None = None
    ) -> tuple[Treebank, Alignments]:
        """Read sentences as they are needed, and their links."""
        sentences, name = read_sentences(text)
        if trees is not None:
            sentences = _with_trees(sentences, name, trees)
        # The links first: to parse takes longer.
        links = self._links(alignments, sentences, name)
        return self._complete(sentences, name), links

    def _links(self, path: Path, sentences: Treebank, name: str) -> Alignments:
        if self.reverse:
            return self._read_links(path, sentences, name, "target").transpose()
        try:
            return self._read_links(path, sentences, name, "source")
        except InputError as error:
            try:
                turned = self._read_links(path, sentences, name, "target").transpose()
            except InputError:
                raise error from None
            # Many lines that fit only so are no chance.
            ends = (turned.target, turned.source, turned.offsets)
            if not hint(ends, (sentences.lengths, None), 0, "")[0]:
                raise
            note(
                f"{display_name(path)}: the links fit {name} only as target-source, so they are "
                "turned round (--reverse says so beforehand)"
            )
            return turned

    def _read_links(self, path: Path, sentences: Treebank, name: str, side: str) -> Alignments:
        """Read links, of which the sentences are one side."""
        with AlignmentReader(
            path,
            format=self.alignment_format,
            format_option="--alignment-format",
            one_based=self.one_based,
            sentences=len(sentences),
            strict=self.strict,
            **{f"{side}_name": name},
        ) as reader:
            lengths = {f"{side}_lengths": sentences.lengths}
            links = reader.take(len(sentences) + 1, **lengths)
            if len(links) != len(sentences):
                raise line_count_mismatch(reader.name, len(links), name, len(sentences))
        return links

    def _complete(self, sentences: Treebank, name: str) -> Treebank:
        """Return sentences that have what is needed."""
        if self.reads == "trees":
            if sentences.has_trees and self.parser is None:
                return sentences
            from wordorder.parsing.pipeline.file_parser import parsed_by

            return parsed_by(self.parser or DEFAULT_PARSER, sentences, name=name)
        if self.tagger is not None:
            from wordorder.parsing.pipeline.loading import open_tagger

            return open_tagger(self.tagger).tag(sentences)
        return sentences


def what_is_read(
    model: str, *, trees: Path | None, parser: Path | None, tagger: Path | None
) -> str:
    """Return what a kind of model needs of the sentences, from what is given.

    *bracketing* works with words alone, and reads what there is (``own``); the others need trees.

    Raises
    ------
    UsageError
        If what is given contradicts itself.
    """
    if trees is not None and parser is not None:
        raise UsageError("--trees are trees already: --trees or --parser, not both")
    if tagger is not None and (trees is not None or parser is not None):
        raise UsageError("--tagger is for models without trees; a parser brings its own tagger")
    if trees is not None or parser is not None:
        return "trees"
    if tagger is not None:
        if model not in ("bracketing", AUTO):
            raise UsageError(f"{model} reads trees: --parser or --trees instead of --tagger")
        return "tags"
    if model != "bracketing":
        return "trees"
    return "own"


def own_columns(treebank: Treebank) -> str:
    """Return what sentences have: ``trees``, ``tags`` or ``words``."""
    if treebank.words and treebank.has_trees:
        return "trees"
    tagged = treebank.upos.said().all() or treebank.xpos.said().all()
    return "tags" if treebank.words and tagged else "words"


def _with_trees(sentences: Treebank, name: str, trees: Path) -> Treebank:
    """Return the trees of sentences from a file in step with them."""
    bank, trees_name = read_sentences(trees, kind="conllu")
    if len(bank) != len(sentences):
        raise line_count_mismatch(trees_name, len(bank), name, len(sentences))
    if not np.array_equal(bank.lengths, sentences.lengths):
        row = int(np.argmax(bank.lengths != sentences.lengths))
        raise InputError(
            f"{trees_name}: sentence {row + 1}",
            f"{bank.lengths[row]} words",
            f"the {sentences.lengths[row]} words of {name}",
        )
    words = zip(bank.form.strings(), sentences.form.strings(), strict=True)
    for place, (tree_word, word) in enumerate(words):
        # Blanks inside words become no-break spaces in lines of text.
        if tree_word.replace(" ", "\u00a0") != word.replace(" ", "\u00a0"):
            row, _ = row_and_entry(bank.offsets, place)
            raise InputError(
                f"{trees_name}: sentence {row + 1}",
                f"the word {tree_word!r}",
                f"{word!r}, as in {name}",
            )
    if not bank.has_trees:
        row, _ = row_and_entry(bank.offsets, int(np.argmax(bank.heads == NO_HEAD)))
        raise InputError(f"{trees_name}: sentence {row + 1}", "no tree", "a head for each word")
    return bank


def told(path: Path | None) -> str | None:
    """Return the name of a model or file as a model file keeps it."""
    return None if path is None else os.fspath(path)


Say = Callable[[str], object]
