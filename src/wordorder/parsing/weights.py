"""Weights: what a linear model has learnt, as rows found by the key of a feature."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordorder.errors import UsageError
from wordorder.kernels import weights as kernel
from wordorder.kernels._run import call
from wordorder.types import Array, Int16, Int32, Int64, UInt64

# What one update of a perceptron adds: weights are whole numbers of 1/1024, so that averages and
# the means of shards are exact sums, the same everywhere and in any order.
UNIT = 1 << 10
# Rows and entries of new weights; both grow as features come.
ROOM = 1 << 12
# Actions are numbers of 16 bits.
MOST_ACTIONS = (1 << 15) - 1
# What a key is looked up by: all of its bits, or those that a compact model keeps.
ALL_BITS = (1 << 64) - 1
COMPACT_BITS = (1 << 32) - 1


class Weights:
    """Weights of (feature, action), zero where nothing else is said.

    A feature is a key of 64 well mixed bits; an action is a number below `actions`. The score of
    an action is the sum of its weights over all features, in units of ``1 / UNIT``.

    Parameters
    ----------
    actions : int, at most 32767
        How many actions there are.

    Attributes
    ----------
    key_mask : int
        The bits of a key that it is looked up by: all 64, or the lower 32 if the weights are
        `compact`.

    Notes
    -----
    Kernels read `tables` and `key_mask`. The row of the key ``k``, of which first ``k & key_mask``
    is taken, is ``table_row[s]``, where ``s`` is the first slot from ``k & (slots - 1)`` on, going
    round, with ``table_key[s] == k``; an empty slot (row -1) on the way says that there is none,
    and a third of all slots are empty. The row's entries are ``row_start[row] .. row_start[row] +
    row_count[row] - 1`` of ``action`` and ``value``. No weight is beyond ``±2**30``; scores are
    sums in 64 bits.

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
        self.used = np.zeros(2, np.int64)
        self.table_key, self.table_row = _table(2 * ROOM)
        self.row_start = np.zeros(ROOM, np.int64)
        self.row_count = np.zeros(ROOM, np.int32)
        self.row_room = np.zeros(ROOM, np.int32)
        self.action: Int16 = np.zeros(4 * ROOM, np.int16)
        self.value: Int32 = np.zeros(4 * ROOM, np.int32)
        self.moment = np.zeros(4 * ROOM, np.int64)

    @classmethod
    def from_rows(
        cls,
        actions: int,
        keys: UInt64,
        row_count: Int32,
        action: Int16,
        value: Int32,
        moment: Int64 | None = None,
        key_mask: int = ALL_BITS,
    ) -> Weights:
        """Take rows that stand behind each other, each with its key; the keys are distinct.

        Without `moment` the weights are only to be read.
        """
        weights = cls.__new__(cls)
        weights.actions = actions
        weights.key_mask = key_mask
        rows = len(keys)
        weights.used = np.array([rows, len(action)], np.int64)
        slots = 2 * ROOM
        # Half are empty while rows come; weights that are only read make do with less memory.
        while 2 * slots < (3 if moment is None else 4) * rows:
            slots *= 2
        weights.table_key, weights.table_row = _table(slots)
        call(kernel.fill_table, weights.table_key, weights.table_row, keys, 0, rows)
        weights.row_start = np.cumsum(row_count, dtype=np.int64)
        weights.row_start -= row_count
        weights.row_count = row_count
        weights.row_room = row_count if moment is None else row_count.copy()
        weights.action, weights.value = action, value
        weights.moment = np.zeros(0, np.int64) if moment is None else moment
        if moment is not None:
            weights._grow()
        return weights

    @classmethod
    def from_entries(
        cls, actions: int, keys: UInt64, action: Int16, value: Int32, key_mask: int = ALL_BITS
    ) -> Weights:
        """Make weights, to be read, of single entries sorted by key; zeros are left out."""
        kept = value != 0
        keys, action, value = keys[kept], action[kept], value[kept]
        starts = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
        counts = np.diff(np.append(starts, len(keys))).astype(np.int32)
        return cls.from_rows(actions, keys[starts], counts, action, value, key_mask=key_mask)

    @property
    def tables(self) -> tuple[UInt64, Int32, Int64, Int32, Int16, Int32]:
        """What a kernel scores by: table_key, table_row, row_start, row_count, action, value."""
        return (
            self.table_key,
            self.table_row,
            self.row_start,
            self.row_count,
            self.action,
            self.value,
        )

    @property
    def is_writable(self) -> bool:
        """Whether the weights can change: averaged ones and those of a file are to be read."""
        return len(self.moment) == len(self.action) and len(self.action) > 0

    @property
    def nbytes(self) -> int:
        """Memory of all arrays in bytes."""
        arrays: Sequence[Array] = (*self.tables, self.row_room, self.moment)
        return sum(array.nbytes for array in arrays)

    @property
    def features(self) -> int:
        """How many features have a row."""
        return int(self.used[0])

    def add(self, keys: UInt64, actions: Int32, deltas: Int32, before: int) -> None:
        """Make changes.

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
        done = 0
        while True:
            changes = (keys, actions, deltas, before, done, len(keys))
            done = call(kernel.add_changes, *self._arrays, *changes)
            if done == len(keys):
                return
            self._grow()

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
        keys, done = other.row_keys(), 0
        rows = (keys, other.row_start, other.row_count, other.action, other.value, other.moment)
        while True:
            done = call(kernel.add_rows, *self._arrays, *rows, value, *moment, done, len(keys))
            if done == len(keys):
                return
            self._grow()

    def row(self, key: int) -> dict[int, int]:
        """Return the weights of one feature by action."""
        key &= self.key_mask
        slot = key & (len(self.table_row) - 1)
        while self.table_row[slot] >= 0:
            if int(self.table_key[slot]) == key:
                row = self.table_row[slot]
                start = int(self.row_start[row])
                span = slice(start, start + int(self.row_count[row]))
                pairs = zip(self.action[span].tolist(), self.value[span].tolist(), strict=True)
                return dict(pairs)
            slot = (slot + 1) & (len(self.table_row) - 1)
        return {}

    def row_keys(self) -> UInt64:
        """Return the key of each row, uint64[rows]."""
        keys = np.empty(self.features, np.uint64)
        filled = self.table_row >= 0
        keys[self.table_row[filled]] = self.table_key[filled]
        return keys

    def rows(self) -> tuple[UInt64, Int32, Int16, Int32, Int64]:
        """Return keys, counts, actions, values and moments of all rows, sorted by key and action.

        The same weights give the same arrays, however they came to be; weights that are only to
        be read have no moments.
        """
        keys = self.row_keys()
        order = np.argsort(keys)
        counts = self.row_count[order]
        starts = np.cumsum(counts, dtype=np.int64)
        entries = int(starts[-1]) if len(starts) else 0
        starts -= counts
        action, value = np.empty(entries, np.int16), np.empty(entries, np.int32)
        moment = np.empty(entries if self.is_writable else 0, np.int64)
        given = (self.row_start, self.row_count, self.action, self.value, self.moment)
        made = (starts, action, value, moment)
        call(kernel.copy_rows, order, *given, *made, int(self.is_writable), 0, len(order))
        return keys[order], counts, action, value, moment

    def averaged(self, instances: int) -> Weights:
        """Return the mean of the weights as they stood after each instance, without zeros.

        The mean is rounded to whole units, half upwards (Collins 2002, with the sums of Daumé
        2006, figure 2.3).

        Parameters
        ----------
        instances : int
            How many were processed, those without a change too.
        """
        rows, entries = self.used.tolist()
        row, count = np.empty(rows, np.int64), np.empty(rows, np.int32)
        action, value = np.empty(entries, np.int16), np.empty(entries, np.int32)
        given = (self.row_start, self.row_count, self.action, self.value, self.moment)
        used = np.zeros(2, np.int64)
        made = (row, count, action, value, used)
        call(kernel.average_rows, *given, max(instances, 1), *made, 0, rows)
        rows, entries = used.tolist()
        # Copies: views would keep all the room that was not needed.
        kept = (count[:rows].copy(), action[:entries].copy(), value[:entries].copy())
        keys = self.row_keys()[row[:rows]]
        return Weights.from_rows(self.actions, keys, *kept, key_mask=self.key_mask)

    def copy(self) -> Weights:
        """Return the same weights, to be changed."""
        if not self.is_writable:
            keys, counts, action, value, _ = self.rows()
            moment = np.zeros(len(action), np.int64)
            return Weights.from_rows(
                self.actions, keys, counts, action, value, moment, self.key_mask
            )
        made = Weights.__new__(Weights)
        for name, part in vars(self).items():
            setattr(made, name, part.copy() if isinstance(part, np.ndarray) else part)
        return made

    @property
    def _arrays(self) -> tuple[Array, ...]:
        """What a kernel changes weights in."""
        return (*self.tables[:4], self.row_room, self.action, self.value, self.moment, self.used)

    def _grow(self) -> None:
        """Make room where it ran out, or will soon."""
        rows, entries = self.used.tolist()
        if 2 * (rows + 1) > len(self.table_row):
            keys = self.row_keys()
            self.table_key, self.table_row = _table(2 * len(self.table_row))
            call(kernel.fill_table, self.table_key, self.table_row, keys, 0, rows)
        if rows == len(self.row_start):
            for name in ("row_start", "row_count", "row_room"):
                setattr(self, name, _longer(getattr(self, name), ROOM))
        # Two rows put together move at most so far, however often.
        needed = 8 * self.actions + 8
        if entries + needed > len(self.action):
            # Rows that moved left half of their room behind.
            order = np.argsort(self.row_start[:rows])
            call(kernel.close_gaps, order, *self._arrays[2:], 0, rows)
            if self.used[1] + needed > 0.8 * len(self.action):
                for name in ("action", "value", "moment"):
                    setattr(self, name, _longer(getattr(self, name), max(needed, ROOM)))


def _table(slots: int) -> tuple[UInt64, Int32]:
    """Return an empty table."""
    return np.zeros(slots, np.uint64), np.full(slots, -1, np.int32)


def _longer(array: Array, least: int) -> Array:
    """Return a copy with half as much room again, or `least` more if that is more."""
    longer = np.zeros(len(array) + max(len(array) // 2, least), array.dtype)
    longer[: len(array)] = array
    return longer
