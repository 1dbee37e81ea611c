"""Progress of the people in a project."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from dataclasses import dataclass

from wordorder.judgement.project_file import (
    LEAST_RIGHT,
    control_results,
    finishes,
    is_linked,
    project_signature,
    reading,
)
from wordorder.text.opening import Path


@dataclass(frozen=True)
class RaterProgress:
    """Progress of a rater or annotator.

    Attributes
    ----------
    name : str
    done, total : int
        Tasks.
    seen : float
        When he was there last, in seconds since 1970; when he was added if he has not come.
    come : bool
        Whether he has seen a task.
    revoked : bool
    right, asked : int
        Control items, by the first answer to each.
    empty : int
        Sentences among `done` that the annotator confirmed as having nothing to align.
    unconfirmed : int
        Sentences, not among `done`, that were saved as done without a link and never confirmed.
    """

    name: str
    done: int
    total: int
    seen: float
    come: bool
    revoked: bool
    right: int
    asked: int
    empty: int = 0
    unconfirmed: int = 0

    @property
    def failed(self) -> bool:
        """Whether he knew too few control items."""
        return self.right < LEAST_RIGHT * self.asked


@dataclass(frozen=True)
class ProjectProgress:
    """Progress of a project.

    Attributes
    ----------
    raters : tuple of RaterProgress
    done, items : int
        Items that have all their ratings, and all items but control items.
    signature : str
    """

    raters: tuple[RaterProgress, ...]
    done: int
    items: int
    signature: str


def project_progress(path: Path) -> ProjectProgress:
    """Return how far a project is at this moment; a server may go on writing.

    Raises
    ------
    InputError
        If it is no project, or of another version.
    """
    with reading(path) as connection:
        signature = project_signature(connection)
        ratings = dict(signature.fields)["ratings"]
        found = rater_progress(connection)
        needed = sum(not each.revoked for each in found) if ratings == "all" else int(ratings)
        return ProjectProgress(found, *items_done(connection, needed), str(signature))


def rater_progress(connection: sqlite3.Connection) -> tuple[RaterProgress, ...]:
    """Return how far each rater is."""
    control = control_results(connection)
    empty = _empty_sentences(connection)
    rows = connection.execute(
        f"SELECT name, coalesce(sum({_done(connection)}), 0), count(task.id), seen, "
        "max(given) IS NOT NULL, revoked IS NOT NULL FROM rater LEFT JOIN task ON rater = rater.id "
        "AND (returned IS NULL OR done) GROUP BY rater.id ORDER BY rater.id"
    )
    return tuple(
        RaterProgress(
            *(name, done, total, seen, bool(come), bool(revoked), *control.get(name, (0, 0))),
            *(empty[name, finished] for finished in (True, False)),
        )
        for name, done, total, seen, come, revoked in rows
    )


def items_done(connection: sqlite3.Connection, needed: int) -> tuple[int, int]:
    """Return how many items have so many answers, and how many there are."""
    done, items = connection.execute(
        "SELECT coalesce(sum(n >= ?), 0), count(*) "
        f"FROM (SELECT coalesce(sum({_done(connection)}), 0) n "
        "FROM item LEFT JOIN task ON item = item.id WHERE control IS NULL GROUP BY item.id)",
        (needed,),
    ).fetchone()
    return done, items


def _done(connection: sqlite3.Connection) -> str:
    """Return how SQL says that a task is done.

    Earlier versions took a sentence for done that nobody had linked, nor confirmed as empty.
    """
    if project_signature(connection).metric != "annotate":
        return "done"
    connection.create_function("finishes", 1, _finishes)
    last = "SELECT value FROM event WHERE event.task = task.id ORDER BY event.id DESC LIMIT 1"
    return f"(done AND finishes(({last})))"


def _empty_sentences(connection: sqlite3.Connection) -> Counter[tuple[str, bool]]:
    """Count the sentences of each annotator saved without a link, by whether he confirmed it."""
    found: Counter[tuple[str, bool]] = Counter()
    if project_signature(connection).metric != "annotate":
        return found
    for name, value in connection.execute(
        "SELECT name, value FROM last_answer JOIN task ON task.id = task "
        "JOIN rater ON rater.id = rater"
    ):
        answer = json.loads(value)
        if not is_linked(answer) and not answer.get("draft"):
            found[name, finishes(answer)] += 1
    return found


def _finishes(value: str | None) -> bool:
    """Return whether an answer as the file has it, if there is one, finishes its sentence."""
    answer = json.loads(value or "null")
    return answer is not None and finishes(answer)
