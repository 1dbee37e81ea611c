"""The weights of linear models by feature key; protocols of models and learners."""

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

# One update of a perceptron in units: weights are multiples of 1/1024, so that averages and means
# of shards are exact sums, the same on all machines and in any order.
UNIT = 1 << 10

# The initial capacity of new weights, which grow with the features.
INITIAL_ROWS = 1 << 12

# Indices of actions have 16 bits.
MAX_ACTIONS = (1 << 15) - 1

# A row with more than one in eight of the actions is also stored densely, with zeros, so that
# several weights are added at a time.
LONG_ROW_DIVISOR = 8

# The minimum number of slots per row in read-only tables.
SLOTS_PER_ROW = 4

# The bits by which a key is looked up: all, or those that a compact model stores.
ALL_BITS = (1 << 64) - 1
COMPACT_BITS = (1 << 32) - 1

# The bits of a slot with the start of its row.
ROW_START_MASK = np.uint64((1 << 32) - 1)

Number = TypeVar("Number", np.int32, np.int64)

# Processes one sentence: takes its index and the number of instances that the weights have seen,
# and returns whether it changed them.
Step = Callable[[int, int], bool]


class Weights:
    """The weights of (feature, action) pairs, 0 by default.

    A feature is a key of 64 well mixed bits; an action is a number below `actions`. The score of
    an action is the sum of its weights over all features, in units of ``1 / UNIT``.

    Parameters
    ----------
    actions : int, at most 32767
        The number of actions.

    Attributes
    ----------
    key_mask : int
        The bits by which a key is looked up: all 64, or the lower 32 if the weights are compact.

    Notes
    -----
    Kernels read `tables`, two flat arrays; values read together are stored together.

    ``entries`` consists of pairs. A row starts with a head: the lower half of its key, and its
    number of entries with their capacity (the lower and the upper 16 bits). Its entries follow,
    each an action and its weight. No row starts at pair 0. After a row of at least ``long_row``
    entries follow the weights of all actions; writable weights have no such rows.

    ``table`` is a hash table with open addressing, at most half full. The lower half of a slot is
    the start of a row; the upper half is the exclusive or of both halves of the key, so that other
    rows are seldom read. The search for a key starts in slot ``key & key_mask & (slots - 1)`` and
    ends at an empty slot (0).

    Weights of a file are from ``-2**22`` to ``2**22``, so that sums over all templates fit into 32
    bits. Scores of sentences have 64 bits.

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
        if not 0 <= actions <= MAX_ACTIONS:
            raise UsageError(f"{actions} actions; weights tell at most {MAX_ACTIONS} apart")
        self.actions = actions
        self.key_mask = ALL_BITS
        self.long_row = actions + 1
        self.used = np.array([0, 1], np.int64)
        self.table = np.zeros(2 * INITIAL_ROWS, np.uint64)
        self.entries = np.zeros(8 * INITIAL_ROWS, np.int32)
        self.moment = np.zeros(4 * INITIAL_ROWS, np.int64)

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
        """Build weights from consecutive rows with distinct keys.

        Parameters
        ----------
        actions : int
        keys, counts : arrays [R]
            The key of each row, and its number of entries.
        action, value : arrays [E]
            The action and the weight of each entry.
        moment : int64[E], optional
            The sums of the averages; without them the weights are read-only.
        key_mask : int
        """
        weights = cls.__new__(cls)
        weights.actions = actions
        weights.key_mask = key_mask
        rows = len(keys)
        weights.used = np.array([0, 1], np.int64)
        slots = 2 * INITIAL_ROWS
        while slots < SLOTS_PER_ROW * rows:
            slots *= 2
        weights.table = np.zeros(slots, np.uint64)
        counts = counts.astype(np.int64)
        weights.long_row = actions // LONG_ROW_DIVISOR + 1 if moment is None else actions + 1
        pair_capacity = 2 * (1 + rows + len(action))
        pair_capacity += (
            int(np.count_nonzero(counts >= weights.long_row)) * 2 * ((actions + 1) // 2)
        )
        weights.entries, weights.moment = np.zeros(pair_capacity, np.int32), np.zeros(0, np.int64)
        pairs = (action.astype(np.int32), value.astype(np.int32, copy=False))
        arguments = (keys, counts, *pairs, actions, weights.long_row)
        call(kernel.write_weight_rows, weights._rows(), *arguments, rows)
        if moment is not None:
            weights.moment = np.zeros(pair_capacity // 2, np.int64)
            # Entries start after pair 0, and after the head of their row.
            entry_pairs = np.arange(2, len(moment) + 2) + np.repeat(np.arange(rows), counts)
            weights.moment[entry_pairs] = moment
            weights._grow()
        return weights

    @classmethod
    def from_entries(
        cls, actions: int, keys: UInt64, action: Int16, value: Int32, key_mask: int = ALL_BITS
    ) -> Weights:
        """Build read-only weights from single entries sorted by key; zeros are left out."""
        is_nonzero = value != 0
        keys, action, value = keys[is_nonzero], action[is_nonzero], value[is_nonzero]
        starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        counts = np.diff(np.append(starts, len(keys)))
        return cls.from_rows(actions, keys[starts], counts, action, value, key_mask=key_mask)

    @property
    def tables(self) -> tuple[UInt64, Int32]:
        """The arrays with which kernels score: table, entries."""
        return self.table, self.entries

    def weigh(self, scorer: Any) -> Any:
        """Set the weights of a kernel's `Scorer`, and return it."""
        call(kernel.weigh, scorer, *self.tables, self.key_mask, self.long_row)
        return scorer

    @property
    def is_writable(self) -> bool:
        """True if the weights can change; averaged weights and those of a model are read-only."""
        return 2 * len(self.moment) == len(self.entries) > 0

    @property
    def nbytes(self) -> int:
        """The memory of all arrays in bytes."""
        arrays: Sequence[Array] = (*self.tables, self.moment)
        return sum(array.nbytes for array in arrays)

    @property
    def features(self) -> int:
        """The number of features with a row."""
        return int(self.used[0])

    def add(self, keys: UInt64, actions: Int32, deltas: Int32, before: int) -> None:
        """Add changes to the weights.

        Parameters
        ----------
        keys : uint64[C]
        actions : int32[C]
        deltas : int32[C]
            The change of the weight of each key and action; usually ``±UNIT``.
        before : int
            The number of instances processed before the instance that causes these changes.

        Raises
        ------
        UsageError
            If the weights are read-only.
        """
        if not self.is_writable:
            raise UsageError("these weights are only to be read; a copy of them can be changed")
        if self.key_mask != ALL_BITS:
            keys = keys & np.uint64(self.key_mask)
        self._added(kernel.add_changes, len(keys), keys, actions, deltas, before)

    def add_weights(self, other: Weights, value: int, moment: tuple[int, int]) -> None:
        """Add multiples of other weights and of their moments, the sums of their averages.

        Parameters
        ----------
        other : Weights
            Writable, with the same actions.
        value : int
            The factor of each weight of `other` that is added to the weight.
        moment : (int, int)
            The factors of its weight and of its moment that are added to the moment.
        """
        keys, _, row_starts = other._row_places()
        self._added(kernel.add_rows, len(keys), keys, other._rows(), row_starts, value, *moment)

    def row(self, key: int) -> dict[int, int]:
        """Return the weights of one feature by action."""
        row_start = int(self.places(np.array([key], np.uint64))[0])
        count = int(self.entries[2 * row_start + 1]) & 0xFFFF
        return dict(self.entries.reshape(-1, 2)[row_start + 1 : row_start + 1 + count].tolist())

    def heads(self) -> Int64:
        """Return the pair of ``entries`` at which each row starts, ascending."""
        return self._row_places()[2]

    def places(self, keys: UInt64) -> Int64:
        """Return the pair of ``entries`` at which the row of each key starts, 0 without a row."""
        row_starts = np.empty(len(keys), np.int64)
        keys = keys & np.uint64(self.key_mask)
        call(kernel.find_rows, self._rows(), keys, row_starts, len(keys))
        return row_starts

    def rows(self) -> tuple[UInt64, Int32, Int16, Int32, Int64]:
        """Return keys, counts, actions, values and moments of all rows, sorted by key and action.

        Equal weights give equal arrays; read-only weights have no moments.
        """
        keys, _, row_starts = self._row_places()
        order = np.argsort(keys)
        row_starts = row_starts[order]
        counts = self.entries[2 * row_starts + 1] & 0xFFFF
        starts = np.cumsum(counts, dtype=np.int64)
        entries = int(starts[-1]) if len(starts) else 0
        starts -= counts
        action, value = np.empty(entries, np.int16), np.empty(entries, np.int32)
        moment = np.empty(entries if self.is_writable else 0, np.int64)
        columns = (starts, action, value, moment, self.is_writable)
        call(kernel.copy_rows, self._rows(), row_starts, *columns, len(order))
        return keys[order], counts, action, value, moment

    def averaged(self, instances: int) -> Weights:
        """Return the mean of the weights after each instance, without zeros.

        The mean is rounded to whole units, halves upwards (Collins 2002, with the sums of Daumé
        2006, figure 2.3).

        Parameters
        ----------
        instances : int
            The number of instances processed, with or without a change.
        """
        rows, entries = self.used.tolist()
        row, count = np.empty((2, rows), np.int64)
        action, value = np.empty((2, entries), np.int32)
        filled_counts = np.zeros(2, np.int64)
        columns = (row, count, action, value, filled_counts)
        keys, _, row_starts = self._row_places()
        call(kernel.average_rows, self._rows(), row_starts, max(instances, 1), *columns, rows)
        rows, entries = filled_counts.tolist()
        keys = keys[row[:rows]]
        filled = (count[:rows], action[:entries], value[:entries])
        return Weights.from_rows(self.actions, keys, *filled, key_mask=self.key_mask)

    def copy(self) -> Weights:
        """Return a writable copy."""
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
        """Add changes with the kernel, which stops whenever the tables are full."""
        done_count = 0
        while (done_count := call(kernel, self._rows(), *changes, done_count, number)) < number:
            self._grow()

    def _rows(self) -> Any:
        """Return the kernel's view of the arrays, which it reads and changes."""
        return call(kernel.Rows, *self.tables, self.moment, self.used)

    def _row_places(self) -> tuple[UInt64, Int64, Int64]:
        """Return the key, the slot and the start of each row, in the order of their starts."""
        slots = np.flatnonzero(self.table)
        slots = slots[np.argsort(self.table[slots] & ROW_START_MASK)]
        row_starts = (self.table[slots] & ROW_START_MASK).astype(np.int64)
        low_keys = self.entries.view(np.uint32)[2 * row_starts].astype(np.uint64)
        return (
            (self.table[slots] >> np.uint64(32) ^ low_keys) << np.uint64(32) | low_keys,
            slots,
            row_starts,
        )

    def _grow(self) -> None:
        """Enlarge the tables that are full or nearly full."""
        rows, entries = self.used.tolist()
        if 2 * (rows + 1) > len(self.table):
            keys, _, row_starts = self._row_places()
            self.table = np.zeros(2 * len(self.table), np.uint64)
            call(kernel.enter_rows, self._rows(), keys, row_starts, rows)
        # The maximum that merging two rows can need.
        needed = 8 * self.actions + 32
        if entries + needed > len(self.moment):
            # Rows that moved left gaps.
            call(kernel.close_gaps, self._rows(), self._row_places()[1])
            if self.used[1] + needed > 0.8 * len(self.moment):
                pair_capacity = len(self.moment) + max(len(self.moment) // 2, needed, INITIAL_ROWS)
                self.moment = _enlarge(self.moment, pair_capacity)
                self.entries = _enlarge(self.entries, 2 * pair_capacity)


def _enlarge(array: npt.NDArray[Number], length: int) -> npt.NDArray[Number]:
    """Return a copy of an array, extended with zeros."""
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
    """Encoded training sentences and the learning algorithm.

    All state of learning is in the weights that are passed, so that several threads can learn from
    parts of the sentences, each with its own weights.
    """

    @property
    def instances(self) -> int:
        """The number of sentences to learn from."""

    def new_weights(self) -> Weights:
        """Return the weights to start with."""

    def learn(self, rows: Int64, weights: Weights, before: int) -> UpdateCounts:
        """Process sentences in the given order and change the weights in place.

        The result must not depend on the number of calls over which sentences are distributed.

        Parameters
        ----------
        rows : int64 array
            The indices of the sentences.
        weights : Weights
        before : int
            The number of instances that the weights have seen before these.
        """

    def model(self, weights: Weights) -> Model:
        """Return the tagger or parser with these (averaged) weights."""


class Lister(Protocol):
    """Lists the candidates of one sentence at a time, and learns to prefer one of them."""

    def list_candidates(self, row: int, k: int) -> KBest:
        """Return up to `k` candidates of a sentence with the present weights."""

    def prefer(self, better: int, before: int) -> bool:
        """Prefer a candidate of the last list to its first one; return whether they differ.

        Parameters
        ----------
        better : int
            The index of the candidate in the list.
        before : int
            The number of instances that the weights have seen before.
        """


@runtime_checkable
class MixingLearner(Learner, Protocol):
    """A learner that mixes further instances with those of the treebank."""

    def epoch(self, rows: Int64, number: int) -> Int64:
        """Return the instances of an epoch in the order in which they are processed.

        Parameters
        ----------
        rows : int64 array
            The indices of treebank sentences in the order of the epoch.
        number : int
            The epoch, counted from 1.
        """


class ListLearner(Learner, Protocol):
    """A learner whose instances can be mixed with others that learn from candidate lists."""

    def step(self, weights: Weights) -> Step:
        """Return a function that processes one training sentence at a time, as `learn` does."""

    def lister(self, sentences: Treebank) -> Callable[[Weights], Lister]:
        """Return a function that builds a lister, which reads and changes the weights passed to it.

        Parameters
        ----------
        sentences : Treebank
            Tagged if a parser learns; trees are ignored.
        """
