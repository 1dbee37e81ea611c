"""Rows of weights that are found by the key of a feature: an open table, rows that grow.

A feature's row holds the actions whose weight ever changed, with the weight and with the sum of
its changes times the instances that were seen before them, from which the average over all
instances follows. A row that is full moves to the end of the entries with twice the room. What is
read together is stored together: a key and its row, where a row starts and how many entries it has,
an action and its weight.
"""

import cython
from cython import Py_ssize_t, bint, longlong, short, ulonglong, void

# Room for entries of a new row.
FIRST_ROOM = cython.declare(cython.int, 2)


@cython.cclass
class Rows:
    """The arrays of weights, as `parsing.weights` describes them, and how a change is made."""

    cython.declare(table=ulonglong[::1], rows=longlong[::1], entries=cython.int[::1])
    cython.declare(room=cython.int[::1], moment=longlong[::1], used=longlong[::1])

    def __init__(
        self,
        table: ulonglong[::1],
        rows: longlong[::1],
        entries: cython.int[::1],
        room: cython.int[::1],
        moment: longlong[::1],
        used: longlong[::1],
    ):
        """Take the arrays; `used` holds how many rows and how many entries are taken."""
        self.table, self.rows, self.entries, self.room = table, rows, entries, room
        self.moment, self.used = moment, used

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def row_of(self, key: ulonglong) -> longlong:
        """Return the row of a key, a new one if it has none; -1 where there is no room."""
        cython.declare(row=longlong)
        mask: ulonglong = self.table.shape[0] - 1
        slot: ulonglong = (2 * key) & mask
        while self.table[slot + 1] != 0 and self.table[slot] != key:
            slot = (slot + 2) & mask
        row = self.table[slot + 1]
        if row > 0:
            return row - 1
        row = self.used[0]
        if (
            2 * row == self.rows.shape[0]
            or 4 * (row + 1) > self.table.shape[0]
            or self.used[1] + FIRST_ROOM > self.moment.shape[0]
        ):
            return -1
        self.used[0] = row + 1
        self.table[slot] = key
        self.table[slot + 1] = row + 1
        self.rows[2 * row] = self.used[1]
        self.rows[2 * row + 1] = 0
        self.room[row] = FIRST_ROOM
        self.used[1] += FIRST_ROOM
        return row

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def move(self, row: longlong, to: longlong) -> void:
        """Copy the entries of a row to another place, which is then its start."""
        cython.declare(i=longlong)
        start: longlong = self.rows[2 * row]
        for i in range(self.rows[2 * row + 1]):
            self.entries[2 * (to + i)] = self.entries[2 * (start + i)]
            self.entries[2 * (to + i) + 1] = self.entries[2 * (start + i) + 1]
            self.moment[to + i] = self.moment[start + i]
        self.rows[2 * row] = to

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def change(self, row: longlong, action: cython.int, value: longlong, moment: longlong) -> bint:
        """Add to one weight of a row and to its moment; False, and nothing changed, if no room."""
        cython.declare(i=longlong)
        start: longlong = self.rows[2 * row]
        count: longlong = self.rows[2 * row + 1]
        for i in range(start, start + count):
            if self.entries[2 * i] == action:
                self.entries[2 * i + 1] += value
                self.moment[i] += moment
                return True
        if count == self.room[row]:
            if self.used[1] + 2 * count > self.moment.shape[0]:
                return False
            self.move(row, self.used[1])
            self.room[row] *= 2
            self.used[1] += self.room[row]
        i = self.rows[2 * row] + count
        self.entries[2 * i] = action
        self.entries[2 * i + 1] = value
        self.moment[i] = moment
        self.rows[2 * row + 1] += 1
        return True


def add_changes(
    weights: Rows,
    keys: cython.const[ulonglong][::1],
    actions: cython.const[cython.int][::1],
    deltas: cython.const[cython.int][::1],
    before: longlong,
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> int:
    """Make the changes ``first .. last-1``; return how far it came before room ran out."""
    cython.declare(row=longlong)
    i: Py_ssize_t = first
    with cython.nogil:
        while i < last:
            row = weights.row_of(keys[i])
            if row < 0 or not weights.change(row, actions[i], deltas[i], before * deltas[i]):
                break
            i += 1
    return i


def add_rows(
    weights: Rows,
    keys: cython.const[ulonglong][::1],
    other: Rows,
    of_value: longlong,
    moment_of_value: longlong,
    moment_of_moment: longlong,
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> int:
    """Add multiples of the rows ``first .. last-1`` of other weights; return how far it came.

    A row is added as a whole, or not at all where room might run out.
    """
    cython.declare(i=longlong, row=longlong, count=longlong, room=longlong, value=longlong)
    r: Py_ssize_t = first
    with cython.nogil:
        while r < last:
            row = weights.row_of(keys[r])
            if row < 0:
                break
            # The row may move several times, each time to twice the room.
            count = other.rows[2 * r + 1]
            room = weights.room[row]
            if room < weights.rows[2 * row + 1] + count:
                room = 4 * (weights.rows[2 * row + 1] + count)
                if weights.used[1] + room > weights.moment.shape[0]:
                    break
            for i in range(other.rows[2 * r], other.rows[2 * r] + count):
                value = other.entries[2 * i + 1]
                weights.change(
                    row,
                    other.entries[2 * i],
                    of_value * value,
                    moment_of_value * value + moment_of_moment * other.moment[i],
                )
            r += 1
    return r


def spread_rows(
    action: cython.const[cython.int][::1],
    value: cython.const[cython.int][::1],
    actions: longlong,
    long_row: longlong,
    spans: longlong[::1],
    entries: cython.int[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Write consecutive rows, whose counts are in `spans`, and where each starts.

    Behind a row of at least `long_row` entries follow weights of all actions: `entries` are zeros
    before.
    """
    cython.declare(r=Py_ssize_t, i=longlong, behind=longlong)
    place: longlong = 0
    end: longlong = 0
    with cython.nogil:
        for r in range(first, last):
            spans[2 * r] = end
            behind = 2 * (end + spans[2 * r + 1])
            for i in range(place, place + spans[2 * r + 1]):
                entries[2 * end] = action[i]
                entries[2 * end + 1] = value[i]
                end += 1
                if spans[2 * r + 1] >= long_row:
                    entries[behind + action[i]] = value[i]
            place += spans[2 * r + 1]
            if spans[2 * r + 1] >= long_row:
                end += (actions + 1) >> 1


def close_gaps(weights: Rows, order: cython.const[longlong][::1]) -> None:
    """Move all rows up to each other, in the order of where they start."""
    cython.declare(r=Py_ssize_t)
    end: longlong = 0
    with cython.nogil:
        for r in range(weights.used[0]):
            if end < weights.rows[2 * order[r]]:
                weights.move(order[r], end)
            end += weights.room[order[r]]
        weights.used[1] = end


def fill_table(
    table: ulonglong[::1], keys: cython.const[ulonglong][::1], first: Py_ssize_t, last: Py_ssize_t
) -> None:
    """Enter rows ``first .. last-1`` with their distinct keys into a table of enough slots."""
    cython.declare(i=Py_ssize_t, slot=ulonglong)
    mask: ulonglong = table.shape[0] - 1
    with cython.nogil:
        for i in range(first, last):
            slot = (2 * keys[i]) & mask
            while table[slot + 1] != 0:
                slot = (slot + 2) & mask
            table[slot] = keys[i]
            table[slot + 1] = i + 1


def copy_rows(
    weights: Rows,
    order: cython.const[longlong][::1],
    starts: cython.const[longlong][::1],
    action: short[::1],
    value: cython.int[::1],
    moment: longlong[::1],
    with_moment: bint,
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Copy the rows ``order[first .. last-1]`` to where they belong, each sorted by action."""
    cython.declare(r=Py_ssize_t, i=longlong, j=longlong, begin=longlong)
    with cython.nogil:
        for r in range(first, last):
            begin = weights.rows[2 * order[r]]
            for i in range(begin, begin + weights.rows[2 * order[r] + 1]):
                j = starts[r] + i - begin
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
    instances: longlong,
    row: longlong[::1],
    count: longlong[::1],
    action: cython.int[::1],
    value: cython.int[::1],
    used: longlong[::1],
    first: Py_ssize_t,
    last: Py_ssize_t,
) -> None:
    """Average the rows ``first .. last-1`` over all instances and leave out what becomes zero.

    ``used`` counts the rows and entries that stay, ``row`` says which rows these are.
    """
    cython.declare(r=Py_ssize_t, i=longlong, kept=longlong, doubled=longlong, mean=longlong)
    with cython.nogil:
        for r in range(first, last):
            kept = used[1]
            for i in range(weights.rows[2 * r], weights.rows[2 * r] + weights.rows[2 * r + 1]):
                doubled = weights.entries[2 * i + 1]
                doubled = 2 * (doubled * instances - weights.moment[i]) + instances
                # Rounded down, also below zero, where C and Python divide differently.
                if doubled >= 0:
                    mean = doubled // (2 * instances)
                else:
                    mean = -((2 * instances - 1 - doubled) // (2 * instances))
                if mean != 0:
                    action[kept] = weights.entries[2 * i]
                    value[kept] = mean
                    kept += 1
            if kept > used[1]:
                row[used[0]] = r
                count[used[0]] = kept - used[1]
                used[0] += 1
                used[1] = kept
