"""Learned orders, used like rule sets: the model, its name, and its training data."""

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

# The inputs that a model may read; each includes the one before it.
INPUT_LEVELS = ("words", "tags", "trees")

ORDER_KINDS = Registry(
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
ORDER_FORMAT = "wordorder order"

# Increase it when the meaning of saved arrays changes.
ORDER_VERSION = 1

CHECKPOINT_FORMAT = "wordorder order training"


@dataclass(frozen=True, eq=False)
class LearnedOrder:
    """A model that puts the words of sentences in order, used wherever a rule set is.

    Attributes
    ----------
    name : str
        The name in tables and signatures, such as ``en-ja``.
    model : OrderModel
    about : dict
        The metadata of its file: ``data``, ``licence``, ``rule``, ``unaligned``, ``metric``,
        ``seed``, ``parser``, ``wordorder`` (the version that trained it), and more.
    identity : str
        Eight hexadecimal digits of a hash of its file and of the rule sets that it names.
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
        """The input that it reads: ``words``, ``tags`` or ``trees``."""
        return self.model.reads

    @property
    def parser(self) -> str | None:
        """The parser of the training sentences; None if they were not parsed."""
        name = self.about.get("parser")
        return name if isinstance(name, str) else None

    @property
    def tagger(self) -> str | None:
        """The tagger of its training sentences, if it was trained on tags without trees."""
        name = self.about.get("tagger")
        return name if isinstance(name, str) else None

    @property
    def summary(self) -> str:
        """The title in its file; without a title, its kind and its training data, in one line."""
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
            If a sentence has more than 512 words, so that words are reordered only within pieces
            of it; or if the model keeps the source order.
        """
        if self.kind == "unchanged":
            note(f"{self.name} keeps {self.summary}")
        elif self.kind in ORDER_KINDS.built_in:
            note_long(treebank.lengths)
        orders = self.model.orders(treebank)
        return Orders(orders.positions, orders.ranks, self.provenance)

    def __repr__(self) -> str:
        return f"LearnedOrder({self.name}: {self.kind})"


@runtime_checkable
class OrderModel(Protocol):
    """A model that orders the words of sentences, and that can be saved to a file.

    Attributes
    ----------
    kind : str
        The name of its class in files, such as ``linear``.
    """

    kind: ClassVar[str]

    @property
    def reads(self) -> str:
        """The input that it reads, one of `INPUT_LEVELS`; missing input is predicted first."""
        ...

    def orders(self, treebank: Treebank) -> Orders:
        """Return the order of each sentence: all its words, 0-based, no ties."""
        ...

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the metadata of the model, as JSON can hold it, and its arrays by name."""
        ...

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Rebuild the model from its saved state; inconsistent state raises `ModelError`."""
        ...

    @classmethod
    def learner(cls, examples: OrderExamples, *, seed: int = 0, **options: Any) -> OrderLearner:
        """Return a learner of this kind of model, for some examples."""
        ...


class OrderLearner(Protocol):
    """Learns one model, epoch by epoch.

    The random choices of an epoch depend only on the seed and the number of the epoch, so that
    training that is resumed from `state` gives exactly the same model.
    """

    @property
    def epochs(self) -> int:
        """The number of passes over the examples."""
        ...

    @property
    def is_whole(self) -> bool:
        """Whether no member of the model is partly trained, so that the model can be scored."""
        ...

    def learn(self, epoch: int, progress: OnProgress | None = None) -> UpdateCounts:
        """Do one pass over the examples; `epoch` counts from 1."""
        ...

    def state(self) -> dict[str, Array]:
        """Return all arrays that change during training."""
        ...

    def restore(self, arrays: dict[str, Array]) -> None:
        """Restore an earlier `state`; arrays that do not fit may raise any exception."""
        ...

    def model(self) -> OrderModel:
        """Return the model as it is after the epochs so far."""
        ...


def save_learned(path: Path, model: OrderModel, about: Mapping[str, Any]) -> None:
    """Write a learned order to a file; the same model gives the same bytes.

    Parameters
    ----------
    path : path
        The output file; it appears under its name when it is complete.
    model : OrderModel
    about : mapping
        Further metadata, as JSON can hold it; see `LearnedOrder.about`.

    Raises
    ------
    UsageError
        If `path` cannot be created.
    InputError
        If the file cannot be written to its end.
    """
    metadata, arrays = model.parts()
    record = {
        "format": ORDER_FORMAT,
        "version": ORDER_VERSION,
        "kind": model.kind,
        "model": metadata,
    }
    write_tensors(path, {**record, "about": dict(about)}, arrays)


def load_learned(path: Path) -> LearnedOrder:
    """Read a learned order of any kind from a file.

    Raises
    ------
    UsageError
        If there is no such file.
    ModelError
        If the file is not a learned order, is damaged or of another version, or if its kind is
        not installed.
    """
    path_name = os.fspath(path)
    metadata, arrays = read_tensors(path_name, ORDER_FORMAT, version=ORDER_VERSION)
    about = metadata.get("about")
    if not isinstance(about, dict):
        raise ModelError(f"{path_name}: the description of the model is damaged")
    with unpacked(path_name, "the description of the model"):
        model = rebuild_model(metadata.get("kind"), metadata.get("model"), arrays)
    file = pathlib.Path(path_name)
    # The rule sets of a consensus are in the package, not in its file.
    rule_identities = "".join(getattr(model, "rule_identities", ()))
    identity = hashlib.sha256(file.read_bytes() + rule_identities.encode()).hexdigest()[:8]
    return LearnedOrder(file.name.split(".")[0] or "learned", model, about, identity)


def rebuild_model(kind: object, metadata: object, arrays: dict[str, Array]) -> OrderModel:
    """Rebuild a model from its kind, its metadata and its arrays.

    Raises
    ------
    ModelError
        If the kind is not installed, or the metadata and arrays are inconsistent.
    """
    if not isinstance(kind, str) or kind not in ORDER_KINDS.names():
        names = ", ".join(ORDER_KINDS.names())
        raise ModelError(f"a learned order of the kind {kind!r}; installed kinds: {names}")
    if not isinstance(metadata, dict):
        raise ModelError("the description of the model is damaged")
    with unpacked("", "the description of the model"):
        model: OrderModel = ORDER_KINDS.load(kind).from_parts(metadata, arrays)
    return model


@dataclass(frozen=True)
class OrderCheckpoint:
    """The checkpoint of the training of an order, and the settings that it is valid for.

    Attributes
    ----------
    file : Checkpoint
        The file next to that of the model, in the format `CHECKPOINT_FORMAT`.
    settings : mapping
        Data and options, as JSON can hold them; training is resumed only with the same.
    """

    file: Checkpoint
    settings: Mapping[str, Any]

    def write(self, history: Sequence[Epoch], learner: OrderLearner) -> None:
        """Write the state of the training after the epochs of `history`."""
        rows = [[e.number, e.instances, e.updates, e.score] for e in history]
        self.file.write(self.settings, learner.state(), epoch=history[-1].number, history=rows)

    def restored(self, learner: OrderLearner) -> tuple[int, list[Epoch]]:
        """Restore a learner from the file.

        Returns
        -------
        (int, list of Epoch)
            The number of epochs done, 0 without a file; and the history in the file.

        Raises
        ------
        ModelError
            If the file is damaged.
        UsageError
            If the file is for other data or options.
        """
        saved = self.file.read(self.settings) if self.file.resumed else None
        if saved is None:
            return 0, []
        about, arrays = saved
        with self.file.unpacked():
            epoch = about["epoch"]
            if type(epoch) is not int or epoch < 1:
                raise ModelError(f"epoch {epoch!r} of the training")
            # Copied: the arrays are views of a mapped file, and learners change them in place.
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
    """Run all epochs of a learner; return the model.

    Parameters
    ----------
    learner : OrderLearner
    checkpoint : OrderCheckpoint, optional
        Written after each epoch.
    on_epoch : callable, optional
        Called after each epoch with its number and its counts of updates.
    progress : callable, optional
        Called within an epoch with its number and the number of instances that are done.
    score : callable, optional
        Called with the model after each epoch (for a consensus, only after the last epoch of a
        member); returns its score on held-out data.
    history : list of Epoch, optional
        A list to which each epoch is added, with its score.

    Raises
    ------
    ModelError, UsageError
        See `OrderCheckpoint.restored`.
    """
    epochs = [] if history is None else history
    done, history_before = (0, []) if checkpoint is None else checkpoint.restored(learner)
    epochs += history_before
    for epoch in range(done + 1, learner.epochs + 1):
        counts = learner.learn(epoch, None if progress is None else partial(progress, epoch))
        value = None if score is None or not learner.is_whole else score(learner.model())
        epochs.append(Epoch(epoch, counts.instances, counts.updates, value))
        if checkpoint is not None:
            checkpoint.write(epochs, learner)
        if on_epoch is not None:
            on_epoch(epoch, counts)
    return learner.model()


def attribute_hash(text: str) -> int:
    """Return a hash of 64 bits for a string."""
    digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


class Unchanged:
    """Leaves each sentence in the source order.

    `wordorder train order` writes this model if the order that it learned is not better than the
    source order on held-out sentences.

    Examples
    --------
    >>> print(Unchanged().orders(Treebank.from_words([["a", "b", "c"]]))[0])
    0 1 2
    """

    kind: ClassVar[str] = "unchanged"
    reads: ClassVar[str] = "words"

    def orders(self, treebank: Treebank) -> Orders:
        """Return the source order of each sentence."""
        positions = concat_ranges(0, treebank.lengths)
        return Orders(Ragged(positions.astype(np.int32), treebank.offsets))

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return no metadata and no arrays: a file has only the kind of the model."""
        return {}, {}

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Return the model."""
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
        """Return no arrays: nothing changes."""
        return {}

    def restore(self, arrays: dict[str, Array]) -> None:
        """Do nothing."""

    def model(self) -> Unchanged:
        """Return the model."""
        return Unchanged()
