"""Rows of weights that are found by the key of a feature: an open table, rows that grow.

A feature's row holds the actions whose weight ever changed, with the weight and with the sum of
its changes times the instances that were seen before them, from which the average over all
instances follows. A row that is full moves to the end of the entries with twice the room. What is
read together is stored together: a key and its row, where a row starts and how many entries it has,
an action and its weight.
"""

import cython

# Room for entries of a new row.
FIRST_ROOM = cython.declare(cython.int, 2)


@cython.cclass
class Rows:
    """The arrays of weights, as `parsing.weights` describes them, and how a change is made."""

    cython.declare(table=cython.ulonglong[::1], rows=cython.longlong[::1], entries=cython.int[::1])
    cython.declare(room=cython.int[::1], moment=cython.longlong[::1], used=cython.longlong[::1])

    def __init__(
        self,
        table: cython.ulonglong[::1],
        rows: cython.longlong[::1],
        entries: cython.int[::1],
        room: cython.int[::1],
        moment: cython.longlong[::1],
        used: cython.longlong[::1],
    ):
        """Take the arrays; `used` holds how many rows and how many entries are taken."""
        self.table = table
        self.rows = rows
        self.entries = entries
        self.room = room
        self.moment = moment
        self.used = used

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def row_of(self, key: cython.ulonglong) -> cython.longlong:
        """Return the row of a key, a new one if it has none; -1 where there is no room."""
        cython.declare(row=cython.longlong)
        mask: cython.ulonglong = self.table.shape[0] - 1
        slot: cython.ulonglong = (2 * key) & mask
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
    def move(self, row: cython.longlong, to: cython.longlong) -> cython.void:
        """Copy the entries of a row to another place, which is then its start."""
        cython.declare(i=cython.longlong)
        start: cython.longlong = self.rows[2 * row]
        for i in range(self.rows[2 * row + 1]):
            self.entries[2 * (to + i)] = self.entries[2 * (start + i)]
            self.entries[2 * (to + i) + 1] = self.entries[2 * (start + i) + 1]
            self.moment[to + i] = self.moment[start + i]
        self.rows[2 * row] = to

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def change(
        self,
        row: cython.longlong,
        action: cython.int,
        value: cython.longlong,
        moment: cython.longlong,
    ) -> cython.bint:
        """Add to one weight of a row and to its moment; False, and nothing changed, if no room."""
        cython.declare(i=cython.longlong)
        start: cython.longlong = self.rows[2 * row]
        count: cython.longlong = self.rows[2 * row + 1]
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
    keys: cython.const[cython.ulonglong][::1],
    actions: cython.const[cython.int][::1],
    deltas: cython.const[cython.int][::1],
    before: cython.longlong,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> int:
    """Make the changes ``first .. last-1``; return how far it came before room ran out."""
    cython.declare(row=cython.longlong)
    i: cython.Py_ssize_t = first
    with cython.nogil:
        while i < last:
            row = weights.row_of(keys[i])
            if row < 0 or not weights.change(row, actions[i], deltas[i], before * deltas[i]):
                break
            i += 1
    return i


def add_rows(
    weights: Rows,
    keys: cython.const[cython.ulonglong][::1],
    other: Rows,
    of_value: cython.longlong,
    moment_of_value: cython.longlong,
    moment_of_moment: cython.longlong,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> int:
    """Add multiples of the rows ``first .. last-1`` of other weights; return how far it came.

    A row is added as a whole, or not at all where room might run out.
    """
    cython.declare(i=cython.longlong, row=cython.longlong, count=cython.longlong)
    cython.declare(room=cython.longlong, value=cython.longlong)
    r: cython.Py_ssize_t = first
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


def close_gaps(weights: Rows, order: cython.const[cython.longlong][::1]) -> None:
    """Move all rows up to each other, in the order of where they start."""
    cython.declare(r=cython.Py_ssize_t)
    end: cython.longlong = 0
    with cython.nogil:
        for r in range(weights.used[0]):
            if end < weights.rows[2 * order[r]]:
                weights.move(order[r], end)
            end += weights.room[order[r]]
        weights.used[1] = end


def fill_table(
    table: cython.ulonglong[::1],
    keys: cython.const[cython.ulonglong][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Enter rows ``first .. last-1`` with their distinct keys into a table of enough slots."""
    cython.declare(i=cython.Py_ssize_t, slot=cython.ulonglong)
    mask: cython.ulonglong = table.shape[0] - 1
    with cython.nogil:
        for i in range(first, last):
            slot = (2 * keys[i]) & mask
            while table[slot + 1] != 0:
                slot = (slot + 2) & mask
            table[slot] = keys[i]
            table[slot + 1] = i + 1


def copy_rows(
    weights: Rows,
    order: cython.const[cython.longlong][::1],
    starts: cython.const[cython.longlong][::1],
    action: cython.short[::1],
    value: cython.int[::1],
    moment: cython.longlong[::1],
    with_moment: cython.bint,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Copy the rows ``order[first .. last-1]`` to where they belong, each sorted by action."""
    cython.declare(r=cython.Py_ssize_t, i=cython.longlong, j=cython.longlong, begin=cython.longlong)
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
    instances: cython.longlong,
    row: cython.longlong[::1],
    count: cython.longlong[::1],
    entries: cython.int[::1],
    used: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Average the rows ``first .. last-1`` over all instances and leave out what becomes zero.

    ``used`` counts the rows and entries that stay, ``row`` says which rows these are.
    """
    cython.declare(r=cython.Py_ssize_t, i=cython.longlong, kept=cython.longlong)
    cython.declare(doubled=cython.longlong, mean=cython.longlong)
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
                    entries[2 * kept] = weights.entries[2 * i]
                    entries[2 * kept + 1] = mean
                    kept += 1
            if kept > used[1]:
                row[used[0]] = r
                count[used[0]] = kept - used[1]
                used[0] += 1
                used[1] = kept
