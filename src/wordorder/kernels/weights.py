"""Rows of weights in an open hash table, found by the keys of features; rows can grow.

The row of a feature has an entry for each action whose weight ever changed: the weight, and its
moment, the sum of its changes times the number of instances before them, which gives the average
over all instances. A full row moves to the end of the entries with twice the capacity. A slot has
half of a key and the position of its row; the row starts with the other half, its capacity and its
number of entries.
"""

from array import array

import cython
from cython import Py_ssize_t, bint, longlong, short, ulonglong, void
from cython.cimports.wordorder.kernels._common import MASK64

# The capacity of a new row, and the maximum: actions are numbers of 15 bits.
MIN_CAPACITY = cython.declare(cython.int, 2)
MAX_CAPACITY = cython.declare(cython.int, (1 << 15) - 1)
# The lower half of a key or of a slot.
LOWER_HALF = cython.declare(ulonglong, 0xFFFFFFFF)


@cython.cclass
class WeightTable:
    """The arrays of weights, described in `parsing.weights` and declared in `weights.pxd`."""

    @cython.cfunc
    @cython.nogil
    def slot_of(self, key: ulonglong) -> longlong:
        """Return the slot of a key, or the empty slot for it."""
        mask: ulonglong = self.table.shape[0] - 1
        slot: ulonglong = key & mask
        mark: ulonglong = (key ^ (key << 32)) & MASK64
        while self.table[slot] != 0 and (
            (self.table[slot] ^ mark) >> 32 != 0
            or (self.entries[2 * (self.table[slot] & LOWER_HALF)] ^ key) & LOWER_HALF != 0
        ):
            slot = (slot + 1) & mask
        return cython.cast(longlong, slot)

    @cython.cfunc
    @cython.nogil
    def place(self, slot: longlong) -> longlong:
        """Return the position of the row of a slot, 0 if the slot is empty."""
        return cython.cast(longlong, self.table[slot] & LOWER_HALF)


@cython.cclass
class Scorer(WeightTable):
    """Sums up the weights of many features at once, so that delays of memory overlap."""

    def __init__(self, capacity: longlong, actions: longlong):
        """Allocate buffers for `room` requested features; `weigh` sets the weights."""
        longs, keys = array("q", [0]), array("Q", [0])
        self.actions = actions
        self.asked = self.needed_count = 0
        self.asked_key, self.slot = keys * capacity, keys * capacity
        self.asked_base = longs * capacity
        self.found_row, self.found_count = longs * capacity, longs * capacity

    @cython.cfunc
    @cython.nogil
    def find(self) -> longlong:
        """Find the rows of the requested keys; return their number."""
        count: longlong = 0
        mask: ulonglong = self.table.shape[0] - 1
        # All slots are loaded before any branch depends on them, then the rows.
        for i in range(self.asked):
            self.slot[i] = self.table[self.asked_key[i] & mask]
        for i in range(self.asked):
            key: ulonglong = self.asked_key[i]
            slot: ulonglong = key & mask
            mark: ulonglong = (key ^ (key << 32)) & MASK64
            stored_slot: ulonglong = self.slot[i]
            # Both are always evaluated: a wrong branch prediction costs more.
            while (stored_slot != 0) & ((stored_slot ^ mark) >> 32 != 0):
                slot = (slot + 1) & mask
                stored_slot = self.table[slot]
            self.found_row[count] = cython.cast(longlong, stored_slot & LOWER_HALF)
            self.asked_key[count] = key
            self.asked_base[count] = self.asked_base[i]
            count += 1 if stored_slot != 0 else 0
        for i in range(count):
            row: longlong = 2 * self.found_row[i]
            if (self.entries[row] ^ self.asked_key[i]) & LOWER_HALF != 0:
                row = 2 * self.place(self.slot_of(self.asked_key[i]))
            self.found_row[i] = row + 2
            self.found_count[i] = self.entries[row + 1] & 0xFFFF
        self.asked = 0
        return count

    @cython.cfunc
    @cython.nogil
    def sum_up(self) -> void:
        """Add the weights of the requested keys to their sums."""
        for i in range(self.find()):
            base: longlong = self.asked_base[i]
            row: longlong = self.found_row[i]
            count: longlong = self.found_count[i]
            if count < self.long_row:
                for j in range(row, row + 2 * count, 2):
                    self.sums[base + self.entries[j]] += self.entries[j + 1]
            elif self.needed_count > 0:
                row += 2 * count
                for j in range(self.needed_count):
                    self.sums[base + self.needed[j]] += self.entries[row + self.needed[j]]
            else:
                # A dense row is added with several weights per instruction.
                row += 2 * count
                for j in range(self.actions):
                    self.sums[base + j] += self.entries[row + j]


def weigh(
    scorer: Scorer,
    table: cython.const[ulonglong][::1],
    entries: cython.const[cython.int][::1],
    key_mask: ulonglong,
    long_row: longlong,
) -> None:
    """Set the weights that a scorer uses."""
    scorer.table, scorer.entries = table, entries
    scorer.key_mask, scorer.long_row = key_mask, long_row


@cython.cclass
class Rows(WeightTable):
    """A writable table of weights, and its operations."""

    def __init__(
        self,
        table: ulonglong[::1],
        entries: cython.int[::1],
        moment: longlong[::1],
        used: longlong[::1],
    ):
        """Store the arrays; `used` has the numbers of rows and of entries in use."""
        self.table, self.entries, self.slots, self.pairs = table, entries, table, entries
        self.moment, self.used = moment, used

    @cython.cfunc
    @cython.nogil
    def enter(
        self,
        slot: longlong,
        key: ulonglong,
        position: longlong,
        count: longlong,
        capacity: longlong,
    ) -> void:
        """Write the slot of a row and its first entry, with key, capacity and count."""
        low: longlong = cython.cast(longlong, key & LOWER_HALF)
        self.slots[slot] = (((key ^ (key << 32)) & MASK64) >> 32 << 32) | cython.cast(
            ulonglong, position
        )
        self.pairs[2 * position] = cython.cast(cython.int, low - ((low >> 31) << 32))
        self.pairs[2 * position + 1] = cython.cast(cython.int, (capacity << 16) | count)

    @cython.cfunc
    @cython.nogil
    def claim_slot(self, key: ulonglong) -> longlong:
        """Return the slot of a key, with a new row if it has none; -1 if the arrays are full."""
        slot: longlong = self.slot_of(key)
        if self.table[slot] != 0:
            return slot
        if (
            2 * (self.used[0] + 1) > self.table.shape[0]
            or self.used[1] + 1 + MIN_CAPACITY > self.moment.shape[0]
        ):
            return -1
        self.enter(slot, key, self.used[1], 0, MIN_CAPACITY)
        self.used[0] += 1
        self.used[1] += 1 + MIN_CAPACITY
        return slot

    @cython.cfunc
    @cython.nogil
    def move(self, slot: longlong, position: longlong) -> void:
        """Move a row to another position."""
        start: longlong = self.place(slot)
        for i in range(1 + (self.entries[2 * start + 1] & 0xFFFF)):
            self.pairs[2 * (position + i)] = self.entries[2 * (start + i)]
            self.pairs[2 * (position + i) + 1] = self.entries[2 * (start + i) + 1]
            self.moment[position + i] = self.moment[start + i]
        self.slots[slot] = (self.table[slot] >> 32 << 32) | cython.cast(ulonglong, position)

    @cython.cfunc
    @cython.nogil
    def change(self, slot: longlong, action: cython.int, value: longlong, moment: longlong) -> bint:
        """Add to a weight of a row and to its moment; if the arrays are full, return False."""
        cython.declare(i=longlong)
        position: longlong = self.place(slot)
        count: longlong = self.entries[2 * position + 1] & 0xFFFF
        capacity: longlong = self.entries[2 * position + 1] >> 16
        for i in range(position + 1, position + 1 + count):
            if self.entries[2 * i] == action:
                self.pairs[2 * i + 1] += value
                self.moment[i] += moment
                return True
        if count == capacity:
            capacity = 2 * capacity if 2 * capacity < MAX_CAPACITY else MAX_CAPACITY
            if self.used[1] + 1 + capacity > self.moment.shape[0]:
                return False
            self.move(slot, self.used[1])
            position = self.used[1]
            self.used[1] += 1 + capacity
        self.pairs[2 * position + 1] = cython.cast(cython.int, (capacity << 16) | (count + 1))
        i = position + 1 + count
        self.pairs[2 * i] = action
        self.pairs[2 * i + 1] = value
        self.moment[i] = moment
        return True


def find_rows(
    weights: Rows,
    keys: cython.const[ulonglong][::1],
    places: longlong[::1],
    count: Py_ssize_t,
) -> None:
    """Write the positions of the rows of keys; 0 for a missing one."""
    with cython.nogil:
        for i in range(count):
            places[i] = weights.place(weights.slot_of(keys[i]))


def add_changes(
    weights: Rows,
    keys: cython.const[ulonglong][::1],
    actions: cython.const[cython.int][::1],
    deltas: cython.const[cython.int][::1],
    instances_before: longlong,
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> int:
    """Apply the changes ``first .. last-1``; return the index reached if the arrays fill up."""
    i: Py_ssize_t = first
    with cython.nogil:
        while i < last:
            slot: longlong = weights.claim_slot(keys[i])
            if slot < 0 or not weights.change(
                slot, actions[i], deltas[i], instances_before * deltas[i]
            ):
                break
            i += 1
    return i


def add_rows(
    weights: Rows,
    keys: cython.const[ulonglong][::1],
    other_weights: Rows,
    places: cython.const[longlong][::1],
    of_value: longlong,
    moment_of_value: longlong,
    moment_of_moment: longlong,
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> int:
    """Add multiples of the rows ``first .. last-1`` of other weights; return the index reached.

    A row is added completely, or not at all if the arrays might fill up.
    """
    r: Py_ssize_t = first
    with cython.nogil:
        while r < last:
            slot: longlong = weights.claim_slot(keys[r])
            if slot < 0:
                break
            # The row may move several times, each time with twice the capacity.
            count: longlong = other_weights.entries[2 * places[r] + 1] & 0xFFFF
            capacity: longlong = weights.entries[2 * weights.place(slot) + 1]
            if capacity >> 16 < (capacity & 0xFFFF) + count:
                capacity = 4 * ((capacity & 0xFFFF) + count) + 16
                if weights.used[1] + capacity > weights.moment.shape[0]:
                    break
            for i in range(places[r] + 1, places[r] + 1 + count):
                value: longlong = other_weights.entries[2 * i + 1]
                weights.change(
                    slot,
                    other_weights.entries[2 * i],
                    of_value * value,
                    moment_of_value * value + moment_of_moment * other_weights.moment[i],
                )
            r += 1
    return r


def write_weight_rows(
    weights: Rows,
    keys: cython.const[ulonglong][::1],
    counts: cython.const[longlong][::1],
    action: cython.const[cython.int][::1],
    value: cython.const[cython.int][::1],
    actions: longlong,
    long_row: longlong,
    rows: Py_ssize_t,
) -> None:
    """Write rows with distinct keys, consecutive and without capacity to grow.

    A row of at least `long_row` entries is followed by the weights of all actions; the entries of
    `weights` must be zeros before.
    """
    entry: longlong = 0
    with cython.nogil:
        for r in range(rows):
            end: longlong = weights.used[1]
            weights.enter(weights.slot_of(keys[r]), keys[r], end, counts[r], counts[r])
            end += 1
            end_of_row: longlong = 2 * (end + counts[r])
            for i in range(entry, entry + counts[r]):
                weights.pairs[2 * end] = action[i]
                weights.pairs[2 * end + 1] = value[i]
                end += 1
                if counts[r] >= long_row:
                    weights.pairs[end_of_row + action[i]] = value[i]
            entry += counts[r]
            weights.used[1] = end + ((actions + 1) >> 1 if counts[r] >= long_row else 0)
        weights.used[0] = rows


def close_gaps(weights: Rows, order: cython.const[longlong][::1]) -> None:
    """Remove the gaps between rows; `order` has their slots, sorted by the start of the row."""
    end: longlong = 1
    with cython.nogil:
        for r in range(weights.used[0]):
            if end < weights.place(order[r]):
                weights.move(order[r], end)
            end += 1 + (weights.entries[2 * end + 1] >> 16)
        weights.used[1] = end


def enter_rows(
    weights: Rows,
    keys: cython.const[ulonglong][::1],
    places: cython.const[longlong][::1],
    rows: Py_ssize_t,
) -> None:
    """Add the rows at `places` to a new table."""
    with cython.nogil:
        for i in range(rows):
            head: longlong = weights.entries[2 * places[i] + 1]
            weights.enter(weights.slot_of(keys[i]), keys[i], places[i], head & 0xFFFF, head >> 16)


def copy_rows(
    weights: Rows,
    places: cython.const[longlong][::1],
    starts: cython.const[longlong][::1],
    action: short[::1],
    value: cython.int[::1],
    moment: longlong[::1],
    with_moment: bint,
    rows: Py_ssize_t,
) -> None:
    """Copy the rows at `places` to their `starts`, each sorted by action."""
    with cython.nogil:
        for r in range(rows):
            begin: longlong = places[r] + 1
            for i in range(begin, begin + (weights.entries[2 * begin - 1] & 0xFFFF)):
                j: longlong = starts[r] + i - begin
                while j > starts[r] and action[j - 1] > weights.entries[2 * i]:
                    action[j] = action[j - 1]
                    value[j] = value[j - 1]
                    if with_moment:
                        moment[j] = moment[j - 1]
                    j -= 1
                action[j] = weights.entries[2 * i]
                value[j] = weights.entries[2 * i + 1]
                if with_moment:
                    moment[j] = weights.moment[i]


def average_rows(
    weights: Rows,
    places: cython.const[longlong][::1],
    instances: longlong,
    row: longlong[::1],
    count: longlong[::1],
    action: cython.int[::1],
    value: cython.int[::1],
    used: longlong[::1],
    rows: Py_ssize_t,
) -> None:
    """Average the rows at `places` over all instances, without zeros.

    ``used`` counts the remaining rows and entries; ``row`` lists these rows.
    """
    with cython.nogil:
        for r in range(rows):
            entries: longlong = used[1]
            begin: longlong = places[r] + 1
            for i in range(begin, begin + (weights.entries[2 * begin - 1] & 0xFFFF)):
                doubled: longlong = weights.entries[2 * i + 1]
                doubled = 2 * (doubled * instances - weights.moment[i]) + instances
                # Rounded down, also below zero, where C rounds up.
                if doubled >= 0:
                    mean: longlong = doubled // (2 * instances)
                else:
                    mean = -((2 * instances - 1 - doubled) // (2 * instances))
                if mean != 0:
                    action[entries] = weights.entries[2 * i]
                    value[entries] = mean
                    entries += 1
            if entries > used[1]:
                row[used[0]] = r
                count[used[0]] = entries - used[1]
                used[0] += 1
                used[1] = entries
