"""Weights: what a linear model has learnt, by the key of a feature; and what learners must do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from wordorder.arrays import Array, Int16, Int32, Int64, UInt64
from wordorder.errors import UsageError
from wordorder.kernels import call, weights as kernel

if TYPE_CHECKING:
    from typing_extensions import Self

    from wordorder.parsing.epochs import UpdateCounts
    from wordorder.treebank.kbest import KBest
    from wordorder.treebank.treebank import Treebank

# What one update of a perceptron adds: weights are whole numbers of 1/1024, so that averages and
# the means of shards are exact sums, the same everywhere and in any order.
UNIT = 1 << 10

# Rows and entries of new weights; both grow as features come.
ROOM = 1 << 12

# Actions are numbers of 16 bits.
MOST_ACTIONS = (1 << 15) - 1

# Of this share of all actions on, the weights of a row are stored a second time: all in order, with
# zeros, which are added several at a time.
LONG_ROW = 8

# Minimum number of slots per row in tables that are only read.
SLOTS = 4

# What a key is looked up by: all of its bits, or those that a compact model keeps.
ALL_BITS = (1 << 64) - 1
COMPACT_BITS = (1 << 32) - 1

# Of a slot: where the row is.
PLACE = np.uint64((1 << 32) - 1)
Number = TypeVar("Number", np.int32, np.int64)

# Processes one sentence: takes its number and how many instances the weights have seen, and says
# whether it changed them.
Step = Callable[[int, int], bool]


class Weights:
    """Weights of (feature, action), zero where nothing else is said.

    A feature is a key of 64 well mixed bits; an action is a number below `actions`. The score of
    an action is the sum of its weights over all features, in units of ``1 / UNIT``.

    Parameters
    ----------
    actions : int, at most 32767
        Number of actions.

    Attributes
    ----------
    key_mask : int
        The bits of a key that it is looked up by: all 64, or the lower 32 if the weights are
        `compact`.

    Notes
    -----
    Kernels read `tables`, two flat arrays; values read together are stored together. ``entries``
    are pairs: a row starts with a head, the lower half of its key and its number of entries with
    the room that they have (the lower and the upper 16 bits); then come its entries, each an action
    and its weight. No row starts at pair 0. A slot of ``table`` has where the row starts in its
    lower half and, so that other rows are seldom looked at, both halves of the key joined by
    exclusive or in its upper one. The row of the key ``k``, of which first ``k & key_mask`` is
    taken, is in the first slot from ``k & (slots - 1)`` on, going round, that has this key; an
    empty slot (0) on the way means that the key has no row, and at least half of all slots are
    empty. After the entries of a row of at least ``long_row`` follow the weights of all actions;
    weights that can change have no such rows. No weight of a file is beyond ``±2**22``: its sums
    over all templates fit into 32 bits. Scores of sentences have 64.

    Examples
    --------
    >>> weights = Weights(actions=3)
    >>> key = np.array([7, 7, 9], np.uint64)
    >>> changes = np.array([1, -1, 1], np.int32)
    >>> weights.add(key, np.array([0, 2, 1], np.int32), changes * UNIT, before=0)
    >>> weights.row(7), weights.row(8)
    ({0: 1024, 2: -1024}, {})
    >>> weights.averaged(instances=4).row(7)
    {0: 1024, 2: -1024}
    """

    def __init__(self, actions: int) -> None:
        if not 0 <= actions <= MOST_ACTIONS:
            raise UsageError(f"{actions} actions; weights tell at most {MOST_ACTIONS} apart")
        self.actions = actions
        self.key_mask = ALL_BITS
        self.long_row = actions + 1
        self.used = np.array([0, 1], np.int64)
        self.table = np.zeros(2 * ROOM, np.uint64)
        self.entries = np.zeros(8 * ROOM, np.int32)
        self.moment = np.zeros(4 * ROOM, np.int64)

    @classmethod
    def from_rows(
        cls,
        actions: int,
        keys: UInt64,
        counts: Array,
        action: Array,
        value: Int32,
        moment: Int64 | None = None,
        key_mask: int = ALL_BITS,
    ) -> Weights:
        """Take consecutive rows, each with its key; the keys are distinct.

        Without `moment` the weights are only to be read.
        """
        weights = cls.__new__(cls)
        weights.actions = actions
        weights.key_mask = key_mask
        rows = len(keys)
        weights.used = np.array([0, 1], np.int64)
        slots = 2 * ROOM
        while slots < SLOTS * rows:
            slots *= 2
        weights.table = np.zeros(slots, np.uint64)
        counts = counts.astype(np.int64)
        weights.long_row = actions // LONG_ROW + 1 if moment is None else actions + 1
        room = 2 * (1 + rows + len(action))
        room += int(np.count_nonzero(counts >= weights.long_row)) * 2 * ((actions + 1) // 2)
        weights.entries, weights.moment = np.zeros(room, np.int32), np.zeros(0, np.int64)
        pairs = (action.astype(np.int32), value.astype(np.int32, copy=False))
        arguments = (keys, counts, *pairs, actions, weights.long_row)
        call(kernel.write_weight_rows, weights._rows(), *arguments, rows)
        if moment is not None:
            weights.moment = np.zeros(room // 2, np.int64)
            # Behind pair 0 each row has a head.
            places = np.arange(2, len(moment) + 2) + np.repeat(np.arange(rows), counts)
            weights.moment[places] = moment
            weights._grow()
        return weights

    @classmethod
    def from_entries(
        cls, actions: int, keys: UInt64, action: Int16, value: Int32, key_mask: int = ALL_BITS
    ) -> Weights:
        """Return read-only weights of single entries sorted by key; zeros are left out."""
        is_nonzero = value != 0
        keys, action, value = keys[is_nonzero], action[is_nonzero], value[is_nonzero]
        starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        counts = np.diff(np.append(starts, len(keys)))
        return cls.from_rows(actions, keys[starts], counts, action, value, key_mask=key_mask)

    @property
    def tables(self) -> tuple[UInt64, Int32]:
        """The arrays by which a kernel scores: table, entries."""
        return self.table, self.entries

    def weigh(self, scorer: Any) -> Any:
        """Return a kernel's `Scorer`, which scores by these weights from now on."""
        call(kernel.weigh, scorer, *self.tables, self.key_mask, self.long_row)
        return scorer

    @property
    def is_writable(self) -> bool:
        """True if the weights can change; averaged ones and those of a file are read-only."""
        return 2 * len(self.moment) == len(self.entries) > 0

    @property
    def nbytes(self) -> int:
        """Memory of all arrays in bytes."""
        arrays: Sequence[Array] = (*self.tables, self.moment)
        return sum(array.nbytes for array in arrays)

    @property
    def features(self) -> int:
        """Number of features with a row."""
        return int(self.used[0])

    def add(self, keys: UInt64, actions: Int32, deltas: Int32, before: int) -> None:
        """Add changes to the weights.

        Parameters
        ----------
        keys : uint64[C]
        actions : int32[C]
        deltas : int32[C]
            What is added to the weight of each key and action; usually ``±UNIT``.
        before : int
            How many instances were processed before the one that asks for these changes.

        Raises
        ------
        UsageError
            If the weights are only to be read.
        """
        if not self.is_writable:
            raise UsageError("these weights are only to be read; a copy of them can be changed")
        if self.key_mask != ALL_BITS:
            keys = keys & np.uint64(self.key_mask)
        self._added(kernel.add_changes, len(keys), keys, actions, deltas, before)

    def add_weights(self, other: Weights, value: int, moment: tuple[int, int]) -> None:
        """Add multiples of other weights and of the sums that their averages are made of.

        Parameters
        ----------
        other : Weights
            Writable, with the same actions.
        value : int
            Each weight of `other` is added as often.
        moment : (int, int)
            How often its weight and how often its moment are added to the moment.
        """
        keys, _, places = other._row_places()
        self._added(kernel.add_rows, len(keys), keys, other._rows(), places, value, *moment)

    def row(self, key: int) -> dict[int, int]:
        """Return the weights of one feature by action."""
        place = int(self.places(np.array([key], np.uint64))[0])
        count = int(self.entries[2 * place + 1]) & 0xFFFF
        return dict(self.entries.reshape(-1, 2)[place + 1 : place + 1 + count].tolist())

    def heads(self) -> Int64:
        """Return the pair of `entries` at which each row starts, in their order."""
        return self._row_places()[2]

    def places(self, keys: UInt64) -> Int64:
        """Return the pair of `entries` at which the row of each key starts, 0 if it has none."""
        places = np.empty(len(keys), np.int64)
        keys = keys & np.uint64(self.key_mask)
        call(kernel.find_rows, self._rows(), keys, places, len(keys))
        return places

    def rows(self) -> tuple[UInt64, Int32, Int16, Int32, Int64]:
        """Return keys, counts, actions, values and moments of all rows, sorted by key and action.

        The same weights give the same arrays, however they came to be; weights that are only to
        be read have no moments.
        """
        keys, _, places = self._row_places()
        order = np.argsort(keys)
        places = places[order]
        counts = self.entries[2 * places + 1] & 0xFFFF
        starts = np.cumsum(counts, dtype=np.int64)
        entries = int(starts[-1]) if len(starts) else 0
        starts -= counts
        action, value = np.empty(entries, np.int16), np.empty(entries, np.int32)
        moment = np.empty(entries if self.is_writable else 0, np.int64)
        columns = (starts, action, value, moment, self.is_writable)
        call(kernel.copy_rows, self._rows(), places, *columns, len(order))
        return keys[order], counts, action, value, moment

    def averaged(self, instances: int) -> Weights:
        """Return the mean of the weights after each instance, without zeros.

        The mean is rounded to whole units, half upwards (Collins 2002, with the sums of Daumé
        2006, figure 2.3).

        Parameters
        ----------
        instances : int
            How many were processed, those without a change too.
        """
        rows, entries = self.used.tolist()
        row, count = np.empty((2, rows), np.int64)
        action, value = np.empty((2, entries), np.int32)
        used = np.zeros(2, np.int64)
        columns = (row, count, action, value, used)
        keys, _, places = self._row_places()
        call(kernel.average_rows, self._rows(), places, max(instances, 1), *columns, rows)
        rows, entries = used.tolist()
        keys = keys[row[:rows]]
        filled = (count[:rows], action[:entries], value[:entries])
        return Weights.from_rows(self.actions, keys, *filled, key_mask=self.key_mask)

    def copy(self) -> Weights:
        """Return the same weights, to be changed."""
        if not self.is_writable:
            keys, counts, action, value, _ = self.rows()
            moment = np.zeros(len(action), np.int64)
            same = (keys, counts, action, value, moment, self.key_mask)
            return Weights.from_rows(self.actions, *same)
        duplicate = Weights.__new__(Weights)
        for name, part in vars(self).items():
            setattr(duplicate, name, part.copy() if isinstance(part, np.ndarray) else part)
        return duplicate

    def _added(self, kernel: Callable[..., int], number: int, *changes: Any) -> None:
        """Add changes by the kernel, which stops where the tables are full."""
        done = 0
        while (done := call(kernel, self._rows(), *changes, done, number)) < number:
            self._grow()

    def _rows(self) -> Any:
        """Return the arrays that a kernel reads and changes."""
        return call(kernel.Rows, *self.tables, self.moment, self.used)

    def _row_places(self) -> tuple[UInt64, Int64, Int64]:
        """Return the key, the slot and the place of each row, in the order of their places."""
        slots = np.flatnonzero(self.table)
        slots = slots[np.argsort(self.table[slots] & PLACE)]
        places = (self.table[slots] & PLACE).astype(np.int64)
        low = self.entries.view(np.uint32)[2 * places].astype(np.uint64)
        return (self.table[slots] >> np.uint64(32) ^ low) << np.uint64(32) | low, slots, places

    def _grow(self) -> None:
        """Enlarge the tables that are full, or will be soon."""
        rows, entries = self.used.tolist()
        if 2 * (rows + 1) > len(self.table):
            keys, _, places = self._row_places()
            self.table = np.zeros(2 * len(self.table), np.uint64)
            call(kernel.enter_rows, self._rows(), keys, places, rows)
        # Two rows put together move at most so far, however often.
        needed = 8 * self.actions + 32
        if entries + needed > len(self.moment):
            # Rows that moved left half of their room behind.
            call(kernel.close_gaps, self._rows(), self._row_places()[1])
            if self.used[1] + needed > 0.8 * len(self.moment):
                room = len(self.moment) + max(len(self.moment) // 2, needed, ROOM)
                self.moment = _longer(self.moment, room)
                self.entries = _longer(self.entries, 2 * room)


def _longer(array: npt.NDArray[Number], length: int) -> npt.NDArray[Number]:
    """Return a copy with zeros behind."""
    longer = np.zeros(length, array.dtype)
    longer[: len(array)] = array
    return longer


class Model(Protocol):
    """A tagger or parser that can be written to a file and read back."""

    kind: ClassVar[str]

    def parts(self) -> tuple[dict[str, Any], dict[str, Array]]:
        """Return the JSON-serialisable metadata of the model, and its arrays by name."""

    @classmethod
    def from_parts(cls, about: dict[str, Any], arrays: dict[str, Array]) -> Self:
        """Rebuild the model from its saved state; ModelError if it is inconsistent."""


class Learner(Protocol):
    """Encoded training sentences and the rule of learning.

    Everything that changes while it learns is in the weights that it is handed, so that
    several threads can learn from parts of the sentences, each with weights of its own.
    """

    @property
    def instances(self) -> int:
        """Number of sentences to learn from."""

    def new_weights(self) -> Weights:
        """Return the weights to start with."""

    def learn(self, rows: Int64, weights: Weights, before: int) -> UpdateCounts:
        """Process sentences in the given order and change the weights in place.

        What comes of it must not depend on how many calls the sentences are spread over.

        Parameters
        ----------
        rows : int64 array
            Numbers of sentences.
        weights : Weights
        before : int
            How many instances these weights have seen; counts up with each sentence.
        """

    def model(self, weights: Weights) -> Model:
        """Return the tagger or parser that has these (averaged) weights."""


class Lister(Protocol):
    """Makes lists of candidates for one sentence at a time, and learns which is the better one."""

    def list_candidates(self, row: int, k: int) -> KBest:
        """Return up to `k` candidates of a sentence under the weights of this moment."""

    def prefer(self, better: int, before: int) -> bool:
        """Favour a candidate of the list made last over the first one; say if they differ.

        Parameters
        ----------
        better : int
            Its place in the list, counted from 0.
        before : int
            How many instances the weights have seen.
        """


@runtime_checkable
class MixingLearner(Learner, Protocol):
    """A learner that puts further instances among those of the treebank."""

    def epoch(self, rows: Int64, number: int) -> Int64:
        """Return the instances of an epoch in the order in which they are processed.

        Parameters
        ----------
        rows : int64 array
            Numbers of treebank sentences in the order of the epoch.
        number : int
            The epoch, counted from 1.
        """


class ListLearner(Learner, Protocol):
    """A learner whose instances can be mixed with others, which are judged by their lists."""

    def step(self, weights: Weights) -> Step:
        """Return a function that processes one training sentence at a time, as `learn` does."""

    def lister(self, sentences: Treebank) -> Callable[[Weights], Lister]:
        """Return a function that makes listers, each for the weights that it reads and changes.

        Parameters
        ----------
        sentences : Treebank
            Tagged if a parser learns; trees are not looked at.
        """
