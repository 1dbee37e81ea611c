"""Answers in the file of a project of people: what was said last, and of control items first."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

# How a file of SQLite begins.
MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True)
class Answer:
    """The last answer to a task.

    Attributes
    ----------
    rater : str
    item : str
        The line of the sentence, from 1.
    at : float
        When it was given, in seconds since 1970.
    systems : tuple of str
        Whose outputs were shown, in the order shown.
    value : object
        What was answered.
    """

    rater: str
    item: str
    at: float
    systems: tuple[str, ...]
    value: Any


def last_answers(connection: sqlite3.Connection) -> Iterator[Answer]:
    """Yield the last answer to each task that is done, without control items, by rater and item."""
    systems = dict(connection.execute("SELECT id, system FROM output"))
    rows = connection.execute(
        "SELECT rater.name, line, at, shown, value FROM last_answer "
        "JOIN task ON task.id = task JOIN item ON item.id = item JOIN rater ON rater.id = rater "
        "WHERE control IS NULL AND done ORDER BY rater.id, line, item.id"
    )
    for rater, line, at, shown, value in rows:
        names = tuple(systems[output] for output in json.loads(shown))
        yield Answer(rater, str(line), at, names, json.loads(value))


def control_results(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return how many control items each rater had right, and answered.

    The first answer counts: after it the page shows the right one. "Unknown" is not right.
    """
    better = dict(connection.execute("SELECT id, better FROM output WHERE better IS NOT NULL"))
    found: dict[str, tuple[int, int]] = {}
    rows = connection.execute(
        "SELECT rater.name, shown, value FROM event JOIN task ON task.id = task "
        "JOIN item ON item.id = item JOIN rater ON rater.id = rater WHERE control IS NOT NULL "
        "AND event.id IN (SELECT min(id) FROM event GROUP BY task)"
    )
    for rater, shown, value in rows:
        sides = [better[output] for output in json.loads(shown)]
        right, asked = found.get(rater, (0, 0))
        is_right = json.loads(value) == "AB"[sides.index(1)]
        found[rater] = (right + is_right, asked + 1)
    return found
