"""Training a learned order on a text and its word alignments."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from wordorder._version import __version__
from wordorder.metrics.contract import BaseMetric
from wordorder.notes import note
from wordorder.option_names import names_arguments
from wordorder.parsing.learner import Tally
from wordorder.parsing.training.checkpoint import Epoch
from wordorder.parsing.training.data_signature import data_signature
from wordorder.parsing.training.learning_curve import LearningCurve
from wordorder.reordering.learned.base import OrderModel
from wordorder.reordering.learned.bracketing.learner import BracketingLearner
from wordorder.reordering.learned.bracketing.model import Bracketing
from wordorder.reordering.learned.examples import OrderExamples, joined_examples
from wordorder.reordering.learned.kinds import LEARNED
from wordorder.reordering.learned.model_file import save_learned
from wordorder.reordering.learned.pieces import note_long
from wordorder.reordering.learned.training import OrderCheckpoint, learn_order
from wordorder.text.opening import Path
from wordorder.text.tensors import require_writable
from wordorder.training.orders.order_scores import (
    OrderScore,
    cross_validated,
    order_score,
    ordered_by,
    other_examples,
)
from wordorder.training.orders.order_text import (
    DEFAULT_PARSER,
    Say,
    Sources,
    own_columns,
    shown,
    told,
    what_is_read,
)
from wordorder.training.rules.training import order_metric
from wordorder.treebank.sentence_places import sentences_of

# Half of the words without a link is more than function words explain.
MANY_UNALIGNED = 0.5

OrderProgress = Callable[[int, int, int], object]


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
    about : dict
        What the file says.
    curves : tuple of LearningCurve
        How far the model came, epoch by epoch.
    """

    sentences: int
    words: int
    dev: tuple[OrderScore, ...]
    folds: tuple[OrderScore, ...]
    about: dict[str, Any] = field(default_factory=dict)
    curves: tuple[LearningCurve, ...] = ()


@names_arguments
def train_order(
    text: Path,
    alignments: Path,
    output: Path,
    *,
    trees: Path | None = None,
    parser: Path | None = None,
    tagger: Path | None = None,
    model: str = "consensus",
    rule: str | None = None,
    unaligned: str | None = None,
    links: str = "all",
    metric: str = "frs",
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
        The source side: words between blanks, a sentence a line; or CoNLL-U.
    alignments : path
        Its links with a translation, a row a sentence.
    output : path
        Where the model goes. Until it is there, a checkpoint is beside it.
    trees : path, optional
        The trees of `text`, in CoNLL-U.
    parser : path or name, optional
        What parses `text`, here and wherever the model is used. Without `trees` and `parser` the
        trees of CoNLL-U are used; text is parsed by the model ``en``, except for ``bracketing``,
        which reads words alone then.
    tagger : path or name, optional
        For ``bracketing`` without trees: what gives words their tags, here and later.
    model : {"linear", "bracketing", "consensus"}
    rule, unaligned, links
        Under which the model is trained, as `order_examples` takes them: ``topdown-btg``, which
        drops unaligned words, unless given.
    metric : str
        What scores are printed in; what ``consensus`` looks for, and what ``bracketing`` chooses
        its preference for straight splits by.
    dev : pair of paths, optional
        A text and its alignments that the model is scored on.
    curve : bool
        Whether `dev` is scored after each epoch too, of a consensus after each member.
    folds : int, optional
        Score models of all but one part of the training text on that part, for so many parts.
    add : sequence of (text, alignments, weight)
        Further data, each sentence of which counts as `weight` sentences.
    epochs : int, optional
        Passes over the data; None is what suits the model.
    settings : mapping, optional
        Further options of the model's learner, such as `LinearLearner` has them.
    licence : str, optional
        What the file says of its licence.
    alignment_format, one_based, strict
        How alignments are read, as in `wordorder.alignment.read_alignments`.
    seed : int
        Where the random choices start; the same seed and data give the same bytes.
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
        If a file cannot be read, or files are not in step.
    ModelError
        If a parser or the checkpoint is damaged.

    Warns
    -----
    WordOrderWarning
        If a sentence has more than 512 words, and is used in pieces; if sentences have no links, or
        most words none; if the model scores lower than the source order.

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
    ... )
    >>> trained.sentences, trained.about["model"], trained.about["rule"]
    (72, 'linear', 'topdown-btg')
    """
    tell = say or (lambda _: None)
    made = LEARNED.load(model)
    chosen = order_metric(metric)
    options = _options(model, epochs, metric, settings)
    require_writable(output)
    checkpoint = OrderCheckpoint(f"{os.fspath(output)}.checkpoint", {}, resume, restart)
    checkpoint.check()
    reads = what_is_read(model, trees=trees, parser=parser, tagger=tagger)
    sources = Sources(
        "words" if reads == "own" else reads,
        *(parser, tagger, rule, unaligned, links, alignment_format, one_based, strict),
    )
    bank, linked = sources.read(text, alignments, trees=trees)
    gold = sources.made(bank, linked)
    if reads == "own":
        reads = own_columns(bank)
    parsed = parser is not None or (reads == "trees" and trees is None and _was_parsed(text))
    parts = [gold]
    _say_examples(gold, shown(text), shown(alignments), tell)
    for further, its_links, weight in add:
        parts.append(sources.examples(further, its_links, weight=weight))
        _say_examples(parts[-1], shown(further), shown(its_links), tell)
    held_out = None if dev is None else sources.read(*dev)
    texts = [text, *(further for further, _, _ in add)]
    read = [(path, part.treebank) for path, part in zip(texts, parts, strict=True)]
    if dev is not None and held_out is not None:
        read.append((dev[0], held_out[0]))
    for path, sentences in read if model in LEARNED.built_in else []:
        with sentences_of(shown(path), np.arange(len(sentences))):
            note_long(sentences.lengths)
    examples = joined_examples(parts)
    about: dict[str, Any] = {
        "wordorder": __version__,
        "model": model,
        "data": [shown(text), *(shown(further) for further, _, _ in add)],
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
    checkpoint = OrderCheckpoint(checkpoint.path, {**about, "reads": reads}, resume, restart)
    learner = made.learner(examples, seed=seed, **options)

    def after(epoch: int, tally: Tally) -> None:
        share = 100 * tally.updates / max(1, tally.instances)
        tell(
            f"{model}, epoch {epoch} of {learner.epochs}: {tally.updates:,} of "
            f"{tally.instances:,} wrong ({share:.1f} %)"
        )

    def within(epoch: int, done: int) -> None:
        if progress is not None:
            progress(epoch, learner.epochs, done)

    tested = None if held_out is None else sources.made(*held_out)
    score = None if tested is None or not curve else partial(_dev_score, tested, chosen)
    history: list[Epoch] = []
    found = learn_order(
        learner,
        checkpoint=checkpoint,
        said=after,
        progress=within,
        score=score,
        history=history,
    )
    if isinstance(learner, BracketingLearner):
        tell(
            f"{100 * learner.forced_share:.0f} % of the sentences have an order that splits alone "
            "cannot make; they were learned as well as splits can order them"
        )
    if isinstance(found, Bracketing) and "straight" not in options:
        tell(
            f"straight splits score {found.straight:g} more than their features say (chosen on "
            f"held-out sentences under {metric})"
        )
    crossed: tuple[OrderScore, ...] = ()
    if folds is not None:
        orders = cross_validated(gold, model, folds, seed=seed, **options)
        other = other_examples(bank, linked, gold, links)
        crossed = (order_score(orders, gold, chosen), order_score(orders, other, chosen))
        _say_scores(f"{metric} of {folds} folds", crossed, tell)
    scored: tuple[OrderScore, ...] = ()
    if held_out is not None and tested is not None:
        orders = ordered_by(found, tested.treebank)
        other = other_examples(*held_out, tested, links)
        scored = (order_score(orders, tested, chosen), order_score(orders, other, chosen))
        _say_scores(f"{metric} on {shown(dev[0] if dev else '')}", scored, tell)
        about["dev_score"] = scored[0].value
    save_learned(output, found, about)
    checkpoint.remove()
    tell(f"{os.fspath(output)}: {os.path.getsize(output)} bytes")
    curves = (LearningCurve(model, metric, tuple(history)),)
    return TrainedOrder(about["sentences"], about["words"], scored, crossed, about, curves)


def _dev_score(tested: OrderExamples, metric: BaseMetric, model: OrderModel) -> float:
    """Return what a model scores on the development part."""
    return order_score(ordered_by(model, tested.treebank), tested, metric).value


def _options(
    model: str, epochs: int | None, metric: str, settings: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return what the learner is called with."""
    options = dict(settings or {})
    if epochs is not None:
        options["epochs"] = epochs
    if model in ("bracketing", "consensus"):
        options["metric"] = metric
    return options


def _was_parsed(text: Path) -> bool:
    """Whether sentences without trees were parsed by the default model."""
    from wordorder.parsing.sentence_reading import SentenceReader

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
        f"{text}: {len(examples):,} sentences, {examples.treebank.words:,} words; "
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


def _say_scores(what: str, scores: tuple[OrderScore, ...], tell: Say) -> None:
    for score in scores:
        tell(f"{what}: {score}")
    if len(scores) > 1 and scores[1].value < scores[1].source and scores[1].unaligned == "next":
        note(
            f"with unaligned words placed ({scores[1].rule}/{scores[1].unaligned}), the source "
            "order scores higher than this model: it was trained without them; "
            "--unaligned=next trains with them"
        )
