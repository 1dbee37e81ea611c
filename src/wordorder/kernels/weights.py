"""Rows of weights that are found by the key of a feature: an open table, rows that grow.

A feature's row holds the actions whose weight ever changed, with the weight and with the sum of
its changes times the instances that were seen before them, from which the average over all
instances follows. A row that is full moves to the end of the entries with twice the room.
"""

import cython

# Room for entries of a new row.
FIRST_ROOM = cython.declare(cython.int, 2)


@cython.cclass
class Rows:
    """The arrays of weights, and how a change is made."""

    table_key: cython.ulonglong[::1]
    table_row: cython.int[::1]
    row_start: cython.longlong[::1]
    row_count: cython.int[::1]
    row_room: cython.int[::1]
    action: cython.short[::1]
    value: cython.int[::1]
    moment: cython.longlong[::1]
    used: cython.longlong[::1]
    mask: cython.ulonglong

    def __init__(
        self,
        table_key: cython.ulonglong[::1],
        table_row: cython.int[::1],
        row_start: cython.longlong[::1],
        row_count: cython.int[::1],
        row_room: cython.int[::1],
        action: cython.short[::1],
        value: cython.int[::1],
        moment: cython.longlong[::1],
        used: cython.longlong[::1],
    ):
        self.table_key = table_key
        self.table_row = table_row
        self.row_start = row_start
        self.row_count = row_count
        self.row_room = row_room
        self.action = action
        self.value = value
        self.moment = moment
        self.used = used
        self.mask = table_row.shape[0] - 1

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def slot_of(self, key: cython.ulonglong) -> cython.longlong:
        """Return where a key stands in the table, or would stand."""
        slot: cython.ulonglong = key & self.mask
        while self.table_row[slot] >= 0 and self.table_key[slot] != key:
            slot = (slot + 1) & self.mask
        return slot

    @cython.cfunc
    @cython.nogil
    @cython.exceptval(check=False)
    def row_of(self, key: cython.ulonglong) -> cython.longlong:
        """Return the row of a key, a new one if it has none; -1 where there is no room."""
        slot: cython.longlong = self.slot_of(key)
        row: cython.longlong = self.table_row[slot]
        if row < 0:
            row = self.used[0]
            if (
                row == self.row_start.shape[0]
                or 2 * (row + 1) > self.table_row.shape[0]
                or self.used[1] + FIRST_ROOM > self.action.shape[0]
            ):
                return -1
            self.used[0] = row + 1
            self.table_key[slot] = key
            self.table_row[slot] = row
            self.row_start[row] = self.used[1]
            self.row_count[row] = 0
            self.row_room[row] = FIRST_ROOM
            self.used[1] += FIRST_ROOM
        return row

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
        i: cython.longlong
        start: cython.longlong = self.row_start[row]
        for i in range(start, start + self.row_count[row]):
            if self.action[i] == action:
                self.value[i] += value
                self.moment[i] += moment
                return True
        if self.row_count[row] == self.row_room[row]:
            if self.used[1] + 2 * self.row_room[row] > self.action.shape[0]:
                return False
            for i in range(self.row_count[row]):
                self.action[self.used[1] + i] = self.action[start + i]
                self.value[self.used[1] + i] = self.value[start + i]
                self.moment[self.used[1] + i] = self.moment[start + i]
            start = self.used[1]
            self.row_start[row] = start
            self.row_room[row] *= 2
            self.used[1] += self.row_room[row]
        i = start + self.row_count[row]
        self.action[i] = action
        self.value[i] = value
        self.moment[i] = moment
        self.row_count[row] += 1
        return True


def add_changes(
    table_key: cython.ulonglong[::1],
    table_row: cython.int[::1],
    row_start: cython.longlong[::1],
    row_count: cython.int[::1],
    row_room: cython.int[::1],
    action: cython.short[::1],
    value: cython.int[::1],
    moment: cython.longlong[::1],
    used: cython.longlong[::1],
    keys: cython.const[cython.ulonglong][::1],
    actions: cython.const[cython.int][::1],
    deltas: cython.const[cython.int][::1],
    before: cython.longlong,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> int:
    """Make the changes ``first .. last-1``; return how far it came before room ran out.

    ``used`` holds how many rows and how many entries are taken.
    """
    rows: Rows = Rows(
        table_key, table_row, row_start, row_count, row_room, action, value, moment, used
    )
    i: cython.Py_ssize_t = first
    row: cython.longlong
    with cython.nogil:
        while i < last:
            row = rows.row_of(keys[i])
            if row < 0 or not rows.change(row, actions[i], deltas[i], before * deltas[i]):
                break
            i += 1
    return i


def add_rows(
    table_key: cython.ulonglong[::1],
    table_row: cython.int[::1],
    row_start: cython.longlong[::1],
    row_count: cython.int[::1],
    row_room: cython.int[::1],
    action: cython.short[::1],
    value: cython.int[::1],
    moment: cython.longlong[::1],
    used: cython.longlong[::1],
    keys: cython.const[cython.ulonglong][::1],
    other_start: cython.const[cython.longlong][::1],
    other_count: cython.const[cython.int][::1],
    other_action: cython.const[cython.short][::1],
    other_value: cython.const[cython.int][::1],
    other_moment: cython.const[cython.longlong][::1],
    of_value: cython.longlong,
    moment_of_value: cython.longlong,
    moment_of_moment: cython.longlong,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> int:
    """Add multiples of the rows ``first .. last-1`` of other weights; return how far it came.

    A row is added as a whole, or not at all where room might run out.
    """
    rows: Rows = Rows(
        table_key, table_row, row_start, row_count, row_room, action, value, moment, used
    )
    r: cython.Py_ssize_t = first
    i: cython.longlong
    row: cython.longlong
    room: cython.longlong
    with cython.nogil:
        while r < last:
            row = rows.row_of(keys[r])
            if row < 0:
                break
            # The row may move several times, each time to twice the room.
            room = row_room[row]
            if room < row_count[row] + other_count[r]:
                room = 4 * (row_count[row] + other_count[r])
                if used[1] + room > action.shape[0]:
                    break
            for i in range(other_start[r], other_start[r] + other_count[r]):
                rows.change(
                    row,
                    other_action[i],
                    of_value * other_value[i],
                    moment_of_value * other_value[i] + moment_of_moment * other_moment[i],
                )
            r += 1
    return r


def fill_table(
    table_key: cython.ulonglong[::1],
    table_row: cython.int[::1],
    keys: cython.const[cython.ulonglong][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Enter rows ``first .. last-1`` with their distinct keys into a table of enough slots."""
    i: cython.Py_ssize_t
    slot: cython.ulonglong
    mask: cython.ulonglong = table_row.shape[0] - 1
    with cython.nogil:
        for i in range(first, last):
            slot = keys[i] & mask
            while table_row[slot] >= 0:
                slot = (slot + 1) & mask
            table_key[slot] = keys[i]
            table_row[slot] = i


def copy_rows(
    order: cython.const[cython.longlong][::1],
    row_start: cython.const[cython.longlong][::1],
    row_count: cython.const[cython.int][::1],
    action: cython.const[cython.short][::1],
    value: cython.const[cython.int][::1],
    moment: cython.const[cython.longlong][::1],
    out_start: cython.const[cython.longlong][::1],
    out_action: cython.short[::1],
    out_value: cython.int[::1],
    out_moment: cython.longlong[::1],
    with_moment: cython.int,
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Copy the rows ``order[first .. last-1]`` to where they belong, each sorted by action."""
    r: cython.Py_ssize_t
    i: cython.longlong
    j: cython.longlong
    row: cython.longlong
    with cython.nogil:
        for r in range(first, last):
            row = order[r]
            for i in range(row_start[row], row_start[row] + row_count[row]):
                j = out_start[r] + i - row_start[row]
                while j > out_start[r] and out_action[j - 1] > action[i]:
                    out_action[j] = out_action[j - 1]
                    out_value[j] = out_value[j - 1]
                    if with_moment:
                        out_moment[j] = out_moment[j - 1]
                    j -= 1
                out_action[j] = action[i]
                out_value[j] = value[i]
                if with_moment:
                    out_moment[j] = moment[i]


def close_gaps(
    order: cython.const[cython.longlong][::1],
    row_start: cython.longlong[::1],
    row_count: cython.const[cython.int][::1],
    row_room: cython.const[cython.int][::1],
    action: cython.short[::1],
    value: cython.int[::1],
    moment: cython.longlong[::1],
    used: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Move the rows ``order[first .. last-1]``, sorted by where they start, up to each other."""
    r: cython.Py_ssize_t
    i: cython.longlong
    row: cython.longlong
    end: cython.longlong = 0
    with cython.nogil:
        for r in range(first, last):
            row = order[r]
            if end < row_start[row]:
                for i in range(row_count[row]):
                    action[end + i] = action[row_start[row] + i]
                    value[end + i] = value[row_start[row] + i]
                    moment[end + i] = moment[row_start[row] + i]
                row_start[row] = end
            end += row_room[row]
        used[1] = end


def average_rows(
    row_start: cython.const[cython.longlong][::1],
    row_count: cython.const[cython.int][::1],
    action: cython.const[cython.short][::1],
    value: cython.const[cython.int][::1],
    moment: cython.const[cython.longlong][::1],
    instances: cython.longlong,
    out_row: cython.longlong[::1],
    out_count: cython.int[::1],
    out_action: cython.short[::1],
    out_value: cython.int[::1],
    used: cython.longlong[::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
) -> None:
    """Average the rows ``first .. last-1`` over all instances and leave out what becomes zero.

    ``used`` counts the rows and entries that stay, ``out_row`` says which rows these are.
    """
    r: cython.Py_ssize_t
    i: cython.longlong
    kept: cython.longlong
    doubled: cython.longlong
    mean: cython.longlong
    with cython.nogil:
        for r in range(first, last):
            kept = used[1]
            for i in range(row_start[r], row_start[r] + row_count[r]):
                doubled = 2 * (value[i] * instances - moment[i]) + instances
                # Rounded down, also below zero, where C and Python divide differently.
                if doubled >= 0:
                    mean = doubled // (2 * instances)
                else:
                    mean = -((2 * instances - 1 - doubled) // (2 * instances))
                if mean != 0:
                    out_action[kept] = action[i]
                    out_value[kept] = mean
                    kept += 1
            if kept > used[1]:
                out_row[used[0]] = r
                out_count[used[0]] = kept - used[1]
                used[0] += 1
                used[1] = kept
