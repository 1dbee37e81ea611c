"""Progress of the people in a project."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from wordorder.judgement.project_file import (
    LEAST_RIGHT,
    control_results,
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
    """

    name: str
    done: int
    total: int
    seen: float
    come: bool
    revoked: bool
    right: int
    asked: int

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
    rows = connection.execute(
        "SELECT name, coalesce(sum(done), 0), count(task.id), seen, max(given) IS NOT NULL, "
        "revoked IS NOT NULL FROM rater LEFT JOIN task ON rater = rater.id "
        "AND (returned IS NULL OR done) GROUP BY rater.id ORDER BY rater.id"
    )
    return tuple(
        RaterProgress(
            *(name, done, total, seen, bool(come), bool(revoked), *control.get(name, (0, 0)))
        )
        for name, done, total, seen, come, revoked in rows
    )


def items_done(connection: sqlite3.Connection, needed: int) -> tuple[int, int]:
    """Return how many items have so many answers, and how many there are."""
    done, items = connection.execute(
        "SELECT coalesce(sum(n >= ?), 0), count(*) FROM (SELECT coalesce(sum(done), 0) n "
        "FROM item LEFT JOIN task ON item = item.id WHERE control IS NULL GROUP BY item.id)",
        (needed,),
    ).fetchone()
    return done, items
