"""Moving tasks between raters: away from those who left, to those who joined."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import numpy as np

from wordorder.people.new_project import add_tasks, outputs_of, with_control
from wordorder.people.plan import most_items
from wordorder.people.protocol import Protocol
from wordorder.people.secret import Secret

# A task that may still go to another rater; control items are everybody's own.
_OPEN = "task.done = 0 AND task.returned IS NULL AND item.control IS NULL"
_TASKS = "task JOIN item ON item.id = task.item JOIN rater ON rater.id = task.rater"


def take(
    connection: sqlite3.Connection,
    rater: int,
    protocol: Protocol,
    secret: Secret,
    *,
    now: float,
    silent_since: float,
) -> bool:
    """Give a rater one task that another has left open; say whether there was one for him.

    Nobody gets what he has or had, or more than his share. Other raters count as gone if they
    are revoked, or were not seen after `silent_since`.
    """
    if not protocol.ratings or _load(connection, rater) >= _most(connection, protocol):
        return False
    found = connection.execute(
        f"SELECT task.id, task.item FROM {_TASKS} WHERE {_OPEN} AND task.rater <> ? "
        "AND (rater.revoked IS NOT NULL OR rater.seen < ?) "
        "AND task.item NOT IN (SELECT item FROM task WHERE rater = ?) ORDER BY task.id LIMIT 1",
        (rater, silent_since, rater),
    ).fetchone()
    if found is None:
        return False
    task, item = found
    connection.execute("UPDATE task SET returned = ? WHERE id = ?", (now, task))
    outputs = connection.execute("SELECT id FROM output WHERE item = ? ORDER BY id", (item,))
    add_tasks(connection, rater, [item], {item: [row[0] for row in outputs]}, secret)
    return True


def share_out(
    connection: sqlite3.Connection,
    new: Sequence[int],
    protocol: Protocol,
    secret: Secret,
) -> None:
    """Give new raters their part of what is open: what revoked raters had, then from the fullest.

    Tasks that a rater has seen stay his. Control items go to everybody.
    """
    outputs = outputs_of(connection)
    asked, control = (
        [row[0] for row in connection.execute(f"SELECT id FROM item WHERE control IS {which}")]
        for which in ("NULL", "NOT NULL")
    )
    if not protocol.ratings:
        for rater in new:
            add_tasks(connection, rater, asked, outputs, secret)
        return
    open_tasks: dict[int, list[tuple[int, int]]] = {}
    gone = set()
    for task, item, rater, revoked in connection.execute(
        f"SELECT task.id, task.item, task.rater, rater.revoked FROM {_TASKS} "
        f"WHERE {_OPEN} AND task.given IS NULL ORDER BY task.place DESC"
    ):
        open_tasks.setdefault(rater, []).append((task, item))
        if revoked is not None:
            gone.add(rater)
    here = connection.execute("SELECT count(*) FROM rater WHERE revoked IS NULL").fetchone()[0]
    target = min(_most(connection, protocol), sum(map(len, open_tasks.values())) // here)
    now = connection.execute("SELECT max(since) FROM rater").fetchone()[0]
    for rater in new:
        mine: dict[int, None] = {}
        while len(mine) < target:
            # Whoever is gone first, then who has most; he keeps as much as the new ones get.
            givers = sorted(open_tasks, key=lambda r: (r not in gone, -len(open_tasks[r]), r))
            given = None
            for giver in givers:
                if giver not in gone and len(open_tasks[giver]) <= target:
                    break
                given = next((t for t in open_tasks[giver] if t[1] not in mine), None)
                if given is not None:
                    open_tasks[giver].remove(given)
                    break
            if given is None:
                break
            connection.execute("UPDATE task SET returned = ? WHERE id = ?", (now, given[0]))
            mine[given[1]] = None
        random = secret.random("moved", rater)
        rows = random.permutation(np.array(list(mine), np.int64))
        both = with_control(rows, np.array(control, np.int64), random)
        add_tasks(connection, rater, both.tolist(), outputs, secret)


def _load(connection: sqlite3.Connection, rater: int) -> int:
    """Return how many items a rater has or has answered."""
    found = connection.execute(
        "SELECT count(*) FROM task JOIN item ON item.id = item WHERE rater = ? "
        "AND control IS NULL AND (returned IS NULL OR done)",
        (rater,),
    )
    return int(found.fetchone()[0])


def _most(connection: sqlite3.Connection, protocol: Protocol) -> int:
    found = connection.execute("SELECT count(*) FROM item WHERE control IS NULL")
    return most_items(found.fetchone()[0], protocol.max_share)
