"""A learned order as rule sets are used: a model, its name, and what it was trained on."""

from __future__ import annotations

import hashlib
import os
import pathlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

import numpy as np

from wordorder.arrays import Array, OnProgress, Ragged, concat_ranges
from wordorder.errors import ModelError
from wordorder.notes import note
from wordorder.order.orders import Orders
from wordorder.parsing.epochs import Epoch, UpdateCounts
from wordorder.registry import Registry
from wordorder.reordering.learned.examples import OrderExamples, note_long
from wordorder.text.checkpoints import Checkpoint
from wordorder.text.opening import Path
from wordorder.text.tensors import read_tensors, unpacked, write_tensors
from wordorder.treebank.treebank import Treebank

if TYPE_CHECKING:
    from typing_extensions import Self

# What a model may read of a sentence; each has what the one before it has.
READS = ("words", "tags", "trees")

LEARNED = Registry(
    "kind of learned order",
    "wordorder.orders",
    {
        "linear": "wordorder.reordering.learned.linear_model:Linear",
        "bracketing": "wordorder.reordering.learned.bracketing_model:Bracketing",
        "consensus": "wordorder.reordering.consensus:Consensus",
        "unchanged": "wordorder.reordering.learned.learned_order:Unchanged",
    },
    needs=("orders", "parts", "from_parts", "learner"),
    class_methods=True,
)
FORMAT = "wordorder order"

# Goes up when the same numbers would come to mean something else.
VERSION = 1

CHECKPOINT_FORMAT = "wordorder order training"


@dataclass(frozen=True, eq=False)
class LearnedOrder:
    """A model that puts the words of sentences in order, used wherever a rule set is.

    Attributes
    ----------
    name : str
        What tables and signatures call it: ``en-ja``.
    model : OrderModel
    about : dict
        What its file says: ``data``, ``licence``, ``rule``, ``unaligned``, ``metric``, ``seed``,
        ``parser``, ``wordorder`` (the version that trained it), and more.
    identity : str
        Eight hexadecimal digits that tell its file, and the rule sets that it names, from others.
    """

    name: str
    model: OrderModel
    about: dict[str, Any] = field(default_factory=dict)
    identity: str = "unsaved"

    @property
    def kind(self) -> str:
        """The kind of the model: ``linear``, ``bracketing``, ``consensus``."""
        return self.model.kind

    @property
    def reads(self) -> str:
        """What it needs of a sentence: ``words``, ``tags`` or ``trees``."""
        return self.model.reads

    @property
    def parser(self) -> str | None:
        """The parser whose trees it was trained on; None if it never saw one."""
        name = self.about.get("parser")
        return name if isinstance(name, str) else None

    @property
    def tagger(self) -> str | None:
        """What tagged the sentences that it was trained on, where it saw no trees."""
        name = self.about.get("tagger")
        return name if isinstance(name, str) else None

    @property
    def summary(self) -> str:
        """What it is and what it was trained on, in one line, as its file says."""
        title = self.about.get("title")
        if isinstance(title, str):
            return title
        data = self.about.get("data")
        files = ", ".join(map(str, data)) if isinstance(data, list) else "unknown data"
        if self.kind == "unchanged":
            return f"the source order: none learned from {files} was better on held-out sentences"
        return f"a learned order ({self.kind}), trained on {files}"

    @property
    def provenance(self) -> tuple[tuple[str, str], ...]:
        """Provenance stored with the orders."""
        return (("rules", f"{self.name}@{self.identity}"),)

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, no ties.

        Raises
        ------
        InputError
            If a sentence lacks what the model reads, such as a tree.

        Warns
        -----
        note
            If a sentence has more than 512 words: it is ordered in pieces, which keep their order;
            if the model keeps the source order.
        """
        if self.kind == "unchanged":
            note(f"{self.name} keeps {self.summary}")
        elif self.kind in LEARNED.built_in:
            note_long(treebank.lengths)
        orders = self.model.orders(treebank)
        return Orders(orders.positions, orders.ranks, self.provenance)

    def __repr__(self) -> str:
        return f"LearnedOrder({self.name}: {self.kind})"


@runtime_checkable
class OrderModel(Protocol):
    """A model that gives sentences an order, and that a file can hold.

    Attributes
    ----------
    kind : str
        What files call its class: ``linear``.
    """

    kind: ClassVar[str]

    @property
    def reads(self) -> str:
        """What it needs of a sentence, one of `READS`: sentences with less are parsed first."""
        ...

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, 0-based, no ties."""
        ...

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what JSON can hold of the model, and its arrays by name."""
        ...

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Rebuild the model from its saved state; inconsistent state raises `ModelError`."""
        ...

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> OrderLearner:
        """Return what learns such a model from examples."""
        ...


class OrderLearner(Protocol):
    """Learns one model, epoch by epoch.

    Random choices of an epoch depend on the seed and the number of the epoch alone, so that
    training that goes on from `state` ends with the same bytes.
    """

    @property
    def epochs(self) -> int:
        """How many passes over the examples there are."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether nothing that the model has is learned in part: it can be compared with others."""
        ...

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do one pass over the examples; `epoch` counts from 1."""
        ...

    def state(self) -> dict[str, Array]:
        """Return all that changes while it learns."""
        ...

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from an earlier `state`; what does not fit raises any error of Python's."""
        ...

    def model(self) -> OrderModel:
        """Return the model as it is after the epochs so far."""
        ...


def save_learned(path: Path, model: OrderModel, about: Mapping[str, Any]) -> None:
    """Write a learned order to a file; the same model gives the same bytes.

    Parameters
    ----------
    path : path
        Appears under its name when it is complete.
    model : OrderModel
    about : mapping
        What else a reader should know, as JSON can hold it; see `LearnedOrder.about`.

    Raises
    ------
    UsageError
        If `path` cannot be created.
    InputError
        If the file cannot be written to its end.
    """
    metadata, arrays = model.parts()
    record = {"format": FORMAT, "version": VERSION, "kind": model.kind, "model": metadata}
    write_tensors(path, {**record, "about": dict(about)}, arrays)


def load_learned(path: Path) -> LearnedOrder:
    """Read a learned order of any kind from a file.

    Raises
    ------
    UsageError
        If there is no such file.
    ModelError
        If it is no file of a learned order, a bit of it is wrong, it is of another version, or
        its kind is not installed.
    """
    name = os.fspath(path)
    metadata, arrays = read_tensors(name, FORMAT, version=VERSION)
    about = metadata.get("about")
    if not isinstance(about, dict):
        raise ModelError(f"{name}: the description of the model is damaged")
    with unpacked(name, "the description of the model"):
        model = model_of(metadata.get("kind"), metadata.get("model"), arrays)
    file = pathlib.Path(name)
    # The rule sets of a consensus are in the package, not in its file.
    rules = "".join(getattr(model, "rule_identities", ()))
    identity = hashlib.sha256(file.read_bytes() + rules.encode()).hexdigest()[:8]
    return LearnedOrder(file.name.split(".")[0] or "learned", model, about, identity)


def model_of(kind: object, metadata: object, arrays: dict[str, Array]) -> OrderModel:
    """Make a model of its parts.

    Raises
    ------
    ModelError
        If there is no such kind, or the parts do not fit together.
    """
    if not isinstance(kind, str) or kind not in LEARNED.names():
        names = ", ".join(LEARNED.names())
        raise ModelError(f"a learned order of the kind {kind!r}; installed kinds: {names}")
    if not isinstance(metadata, dict):
        raise ModelError("the description of the model is damaged")
    with unpacked("", "the description of the model"):
        model: OrderModel = LEARNED.load(kind).from_parts(metadata, arrays)
    return model


@dataclass(frozen=True)
class OrderCheckpoint:
    """Where the training of an order is kept between epochs, and what it depends on.

    Attributes
    ----------
    file : Checkpoint
        Beside the model, of the format `CHECKPOINT_FORMAT`.
    settings : mapping
        Data and options, as JSON can hold them; whoever goes on must have the same.
    """

    file: Checkpoint
    settings: Mapping[str, Any]

    def write(self, history: Sequence[Epoch], learner: OrderLearner) -> None:
        """Write where the training is after some epochs."""
        rows = [[e.number, e.instances, e.updates, e.score] for e in history]
        self.file.write(self.settings, learner.state(), epoch=history[-1].number, history=rows)

    def restored(self, learner: OrderLearner) -> tuple[int, list[Epoch]]:
        """Let a learner go on from the file.

        Returns
        -------
        (int, list of Epoch)
            How many epochs it has seen, 0 without a file; and those of them that the file tells.

        Raises
        ------
        ModelError
            If the file is damaged.
        UsageError
            If it is of other data or options.
        """
        saved = self.file.read(self.settings) if self.file.resumed else None
        if saved is None:
            return 0, []
        about, arrays = saved
        with self.file.unpacked():
            epoch = about["epoch"]
            if type(epoch) is not int or epoch < 1:
                raise ModelError(f"epoch {epoch!r} of the training")
            # Views of a mapped file, which learners would change.
            learner.restore({name: np.array(array) for name, array in arrays.items()})
            return epoch, [Epoch(*fields) for fields in about.get("history", [])]


def learn_order(
    learner: OrderLearner,
    *,
    checkpoint: OrderCheckpoint | None = None,
    on_epoch: Callable[[int, UpdateCounts], object] | None = None,
    progress: Callable[[int, int], object] | None = None,
    score: Callable[[OrderModel], float] | None = None,
    history: list[Epoch] | None = None,
) -> OrderModel:
    """Let a learner do all its epochs; return the model.

    Parameters
    ----------
    learner : OrderLearner
    checkpoint : OrderCheckpoint, optional
        Written after each epoch.
    on_epoch : callable, optional
        Called after each epoch with its number and its tally.
    progress : callable, optional
        Called within an epoch with its number and how many instances are done.
    score : callable, optional
        Takes the model as it is after an epoch and returns what it scores on other data; but of a
        consensus only after the last epoch of each member.
    history : list of Epoch, optional
        Is given the epochs, with their scores.

    Raises
    ------
    ModelError, UsageError
        As `OrderCheckpoint.restored`.
    """
    epochs = [] if history is None else history
    done, history_before = (0, []) if checkpoint is None else checkpoint.restored(learner)
    epochs += history_before
    for epoch in range(done + 1, learner.epochs + 1):
        tally = learner.learn(epoch, None if progress is None else partial(progress, epoch))
        value = None if score is None or not learner.is_whole else score(learner.model())
        epochs.append(Epoch(epoch, tally.instances, tally.updates, value))
        if checkpoint is not None:
            checkpoint.write(epochs, learner)
        if on_epoch is not None:
            on_epoch(epoch, tally)
    return learner.model()


def attribute_hash(text: str) -> int:
    """Return the number of 64 bits that takes the place of a string."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class Unchanged:
    """Leaves each sentence in the source order.

    `wordorder train order` writes this model where the order that it learned is not better than
    the source order on sentences that it did not learn from.

    Examples
    --------
    >>> print(Unchanged().orders(Treebank.from_words([["a", "b", "c"]]))[0])
    0 1 2
    """

    kind: ClassVar[str] = "unchanged"
    reads: ClassVar[str] = "words"

    def orders(self, treebank: Treebank) -> Orders:
        """Return the source order of each sentence."""
        places = concat_ranges(0, treebank.lengths)
        return Orders(Ragged(places.astype(np.int32), treebank.offsets))

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return what a file has of the model: nothing but its kind."""
        return {}, {}

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Make the model again."""
        return cls()

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> NothingToLearn:
        """Return a learner that needs no pass over the examples."""
        return NothingToLearn()


class NothingToLearn:
    """The learner of `Unchanged`."""

    epochs = 0
    is_whole = True

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do nothing."""
        return UpdateCounts()

    def state(self) -> dict[str, Array]:
        """Return that nothing changes."""
        return {}

    def restore(self, arrays: dict[str, Array]) -> None:
        """Go on from nothing."""

    def model(self) -> Unchanged:
        """Return the model."""
        return Unchanged()
