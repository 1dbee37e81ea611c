"""Tasks in the project file: which rater has which item, and who takes over open ones."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence

import numpy as np

from wordorder.arrays import Int64, group_rows
from wordorder.people.plan import max_items
from wordorder.people.protocol import Protocol
from wordorder.people.secret import Secret

# Bytes of a token: 192 bits cannot be guessed.
TOKEN_BYTES = 24
# Tasks that may still be given to another rater; each rater has all control items.
_OPEN_TASK = "task.done = 0 AND task.returned IS NULL AND item.control IS NULL"
_TASKS = "task JOIN item ON item.id = task.item JOIN rater ON rater.id = task.rater"


def take_open_task(
    connection: sqlite3.Connection,
    rater: int,
    protocol: Protocol,
    secret: Secret,
    *,
    now: float,
    silent_since: float,
) -> bool:
    """Give a rater one open task of an inactive rater; return whether there was one.

    Raters never get an item that they have or had, or more than their share. A rater is inactive
    if revoked, or not seen after `silent_since`.
    """
    if not protocol.ratings or _count_items(connection, rater) >= _max_items(connection, protocol):
        return False
    row = connection.execute(
        f"SELECT task.id, task.item FROM {_TASKS} WHERE {_OPEN_TASK} AND task.rater <> ? "
        "AND (rater.revoked IS NOT NULL OR rater.seen < ?) "
        "AND task.item NOT IN (SELECT item FROM task WHERE rater = ?) ORDER BY task.id LIMIT 1",
        (rater, silent_since, rater),
    ).fetchone()
    if row is None:
        return False
    task, item = row
    connection.execute("UPDATE task SET returned = ? WHERE id = ?", (now, task))
    outputs = connection.execute("SELECT id FROM output WHERE item = ? ORDER BY id", (item,))
    add_tasks(connection, rater, [item], {item: [row[0] for row in outputs]}, secret)
    return True


def distribute_tasks(
    connection: sqlite3.Connection, new: Sequence[int], protocol: Protocol, secret: Secret
) -> None:
    """Give new raters their part of the open tasks: first of revoked, then of the busiest raters.

    Tasks that a rater has seen are not moved. Control items go to all raters.
    """
    outputs = outputs_of(connection)
    rated_items, control_items = (
        [row[0] for row in connection.execute(f"SELECT id FROM item WHERE control IS {which}")]
        for which in ("NULL", "NOT NULL")
    )
    if not protocol.ratings:
        for rater in new:
            add_tasks(connection, rater, rated_items, outputs, secret)
        return
    open_tasks: dict[int, list[tuple[int, int]]] = {}
    revoked_raters = set()
    for task, item, rater, revoked in connection.execute(
        f"SELECT task.id, task.item, task.rater, rater.revoked FROM {_TASKS} "
        f"WHERE {_OPEN_TASK} AND task.given IS NULL ORDER BY task.place DESC"
    ):
        open_tasks.setdefault(rater, []).append((task, item))
        if revoked is not None:
            revoked_raters.add(rater)
    present = connection.execute("SELECT count(*) FROM rater WHERE revoked IS NULL").fetchone()[0]
    target = min(_max_items(connection, protocol), sum(map(len, open_tasks.values())) // present)
    now = connection.execute("SELECT max(since) FROM rater").fetchone()[0]
    for rater in new:
        new_items: dict[int, None] = {}
        while len(new_items) < target:
            # Tasks come from revoked raters first, then from those with the most tasks, who keep
            # at least as many as the new ones get.
            givers = sorted(
                open_tasks, key=lambda r: (r not in revoked_raters, -len(open_tasks[r]), r)
            )
            moved_task = None
            for giver in givers:
                if giver not in revoked_raters and len(open_tasks[giver]) <= target:
                    break
                moved_task = next((t for t in open_tasks[giver] if t[1] not in new_items), None)
                if moved_task is not None:
                    open_tasks[giver].remove(moved_task)
                    break
            if moved_task is None:
                break
            connection.execute("UPDATE task SET returned = ? WHERE id = ?", (now, moved_task[0]))
            new_items[moved_task[1]] = None
        random = secret.random("moved", rater)
        rows = random.permutation(np.array(list(new_items), np.int64))
        rater_items = with_control(rows, np.array(control_items, np.int64), random)
        add_tasks(connection, rater, rater_items.tolist(), outputs, secret)


def _count_items(connection: sqlite3.Connection, rater: int) -> int:
    """Return the number of items that a rater has or has answered."""
    cursor = connection.execute(
        "SELECT count(*) FROM task JOIN item ON item.id = item WHERE rater = ? "
        "AND control IS NULL AND (returned IS NULL OR done)",
        (rater,),
    )
    return int(cursor.fetchone()[0])


def _max_items(connection: sqlite3.Connection, protocol: Protocol) -> int:
    cursor = connection.execute("SELECT count(*) FROM item WHERE control IS NULL")
    return max_items(cursor.fetchone()[0], protocol.max_share)


def with_control(rows: Int64, control: Int64, random: np.random.Generator) -> Int64:
    """Return a rater's items with the control items inserted at random positions."""
    positions = random.integers(len(rows) + 1, size=len(control))
    return np.insert(rows, positions, random.permutation(control)).astype(np.int64)


def outputs_of(connection: sqlite3.Connection) -> dict[int, list[int]]:
    """Return the ids of the outputs of each item."""
    return group_rows(connection.execute("SELECT item, id FROM output ORDER BY id"))


def add_raters(connection: sqlite3.Connection, count: int, now: float) -> list[int]:
    """Add raters named `rater1`, `rater2`, …; return their ids."""
    first = connection.execute("SELECT count(*) FROM rater").fetchone()[0] + 1
    numbers = list(range(first, first + count))
    connection.executemany(
        "INSERT INTO rater VALUES (?, ?, ?, ?, ?, NULL)",
        [(n, f"rater{n}", new_token(), now, now) for n in numbers],
    )
    return numbers


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def add_tasks(
    connection: sqlite3.Connection,
    rater: int,
    items: Sequence[int],
    outputs: dict[int, list[int]],
    secret: Secret,
) -> None:
    """Append tasks to those of a rater; the order of outputs is drawn from the secret."""
    cursor = connection.execute("SELECT max(place) FROM task WHERE rater = ?", (rater,))
    first = (cursor.fetchone()[0] or 0) + 1
    rows = [
        (rater, item, place, shown_order(secret, rater, item, outputs.get(item, [])))
        for place, item in enumerate(items, first)
    ]
    statement = "INSERT INTO task (rater, item, place, shown) VALUES (?, ?, ?, ?)"
    connection.executemany(statement, rows)


def shown_order(secret: Secret, rater: int, item: int, outputs: Sequence[int]) -> str:
    """Return the outputs of an item in the order shown to a rater, as JSON."""
    return json.dumps(secret.shuffled(outputs, "shown", rater, item))
