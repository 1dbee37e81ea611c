"""A project: items and answers in one file, from which answers are never deleted.

Answers are events in an SQLite database, appended and never changed. An answer is on disk when
`Project.save` returns.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from functools import cached_property
from typing import Any

from wordorder.errors import InputError, UsageError, unknown_name
from wordorder.judgement import project_file
from wordorder.notes import note
from wordorder.people import assignment
from wordorder.people.contents import NewProject
from wordorder.people.items import InputText, Item
from wordorder.people.protocol import Protocol
from wordorder.people.schema import (
    NotSavedError,
    close_project,
    create_project,
    open_project,
    transaction,
)
from wordorder.people.secret import Secret
from wordorder.people.sources import check_files, check_same
from wordorder.people.tasks import ConflictError, NotYoursError, Rater, Saved, Task
from wordorder.signature import Signature
from wordorder.text.opening import Path

# Seconds after which a rater is recorded as present again.
_SEEN_INTERVAL = 60.0
_MAX_KEY = 200
# Seconds that the clock may be set back without a note, such as by network time.
_CLOCK_TOLERANCE = 60.0


class Project:
    """An open project file, which threads may share.

    `create` makes a new one, `open` opens an existing one, `begin` does either. Close it at the
    end.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from wordorder.people.items import InputText, rating_items
    >>> from wordorder.people.protocol import rating_protocol
    >>> texts = [InputText(name, "", ["one", "two"]) for name in ("SOURCE", "REFERENCE", "A", "B")]
    >>> items = rating_items(*texts[:2], [("A", texts[2]), ("B", texts[3])])
    >>> path = pathlib.Path(tempfile.mkdtemp(), "p.db")
    >>> with Project.create(path, rating_protocol("talbot", max_share=1), items, 3) as project:
    ...     rater = project.raters()[0]
    ...     task, done, total = project.next_task(rater)
    ...     saved = project.save(rater, task, "a key of its own", [0, 6])
    ...     (done, total), saved.done, project.task(rater, task).answer
    ((0, 2), 1, [0, 6])
    """

    def __init__(self, path: Path) -> None:
        self.path = os.fspath(path)
        self._lock = threading.RLock()
        self._connection = open_project(self.path)
        with self.closing_on_error():
            self._read_meta()

    def _read_meta(self) -> None:
        """Read the metadata of the project."""
        with project_file.name_file_in_errors(self.path):
            self._meta = dict(self._fetch_all("SELECT name, value FROM meta"))
        self._secret = Secret(self._meta["secret"])
        self._names: dict[str, int] = {}
        self.protocol = Protocol.of_text(self._meta["protocol"])
        self.seed = int(self._meta["--seed"])
        self.give_back = float(self._meta["give_back"])
        with project_file.name_file_in_errors(self.path):
            latest = self._fetch_one(
                "SELECT max(m) FROM (SELECT at m FROM event WHERE id = (SELECT max(id) FROM event) "
                "UNION SELECT max(seen) FROM rater)"
            )
        self._latest: float = latest[0] or 0.0

    @classmethod
    def create(
        cls,
        path: Path,
        protocol: Protocol,
        items: Sequence[Item],
        raters: int,
        *,
        seed: int = 12345,
        inputs: Sequence[InputText] = (),
        give_back: float = 86400.0,
        options: str = "",
    ) -> Project:
        """Create a project and open it; for the parameters see `NewProject`.

        Raises
        ------
        UsageError
            If the file exists or cannot be created, or there are too few raters.
        """
        new = NewProject(protocol, items, raters, seed, inputs, give_back, options)
        return cls._create(path, new)

    @classmethod
    def begin(cls, path: Path, new: NewProject) -> Project:
        """Continue a project that was made from the same contents, or create it.

        Raises
        ------
        UsageError
            If the file is a project with other contents; the message names the difference.
        """
        if not os.path.lexists(path):
            return cls._create(path, new)
        with cls(path).closing_on_error() as project:
            check_same(project.path, project.meta, new)
        return project

    @classmethod
    def open(cls, path: Path, *, check_inputs: bool = True) -> Project:
        """Open a project.

        Parameters
        ----------
        check_inputs : bool
            Whether to refuse the project if one of its input files has changed since. Missing files
            are accepted, because the project contains their texts.

        Raises
        ------
        InputError
            If the file is not a project, is of another version, or an input has changed.
        """
        with cls(path).closing_on_error() as project:
            if check_inputs:
                check_files(project.path, project.meta)
        return project

    @classmethod
    def _create(cls, path: Path, new: NewProject) -> Project:
        create_project(os.fspath(path), lambda connection: new.fill(connection, time.time()))
        return cls(path)

    def close(self) -> None:
        """Close the file and merge its write-ahead log into it."""
        with self._lock:
            close_project(self._connection)

    @contextlib.contextmanager
    def closing_on_error(self) -> Iterator[Project]:
        """Close the project if an exception leaves the block, and only then."""
        try:
            yield self
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Project:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def meta(self) -> Mapping[str, str]:
        """Metadata of the project, by name."""
        return dict(self._meta)

    def signature(self) -> Signature:
        """Return the signature of the answers."""
        with self._lock:
            return project_file.project_signature(self._connection)

    def raters(self) -> list[Rater]:
        """Return all raters, revoked ones too."""
        rows = self._fetch_all("SELECT id, name, token, revoked IS NOT NULL FROM rater ORDER BY id")
        return [Rater(number, name, token, bool(revoked)) for number, name, token, revoked in rows]

    def rater_of(self, token: str) -> Rater | None:
        """Return the rater with a token; None if it is unknown or revoked.

        Tokens are compared in constant time.
        """
        token_bytes = token.encode()
        for rater in self.raters():
            if not rater.revoked and hmac.compare_digest(rater.token.encode(), token_bytes):
                return rater
        return None

    def owner_token(self) -> str:
        """Return the token of the owner's page, which does not follow from raters' links."""
        return self._secret.owner()

    def add_raters(self, count: int) -> list[Rater]:
        """Add raters, who take over unseen tasks from those with most of them."""
        if count < 1:
            raise UsageError(f"raters to add: {count}; expected 1 or more")
        with self._transaction():
            new = assignment.add_raters(self._connection, count, self._now())
            assignment.distribute_tasks(self._connection, new, self.protocol, self._secret)
        return [rater for rater in self.raters() if rater.id in new]

    def revoke(self, name: str) -> None:
        """Close a rater's link; answers stay, open tasks may go to other raters."""
        number = self._rater_id(name)
        with self._transaction():
            statement = "UPDATE rater SET revoked = coalesce(revoked, ?) WHERE id = ?"
            self._connection.execute(statement, (self._now(), number))

    def renew(self, name: str) -> Rater:
        """Give a rater a new link; the old one is closed."""
        number = self._rater_id(name)
        with self._transaction():
            statement = "UPDATE rater SET token = ?, revoked = NULL WHERE id = ?"
            self._connection.execute(statement, (assignment.new_token(), number))
        return next(rater for rater in self.raters() if rater.id == number)

    def next_task(self, rater: Rater) -> tuple[str | None, int, int]:
        """Return a rater's next open task, the number of finished tasks, and of all tasks.

        A rater without open tasks takes over those of raters who are revoked or were silent for
        `give_back` seconds. The task is None if no task remains.
        """
        with self._lock:
            task = self._open_task(rater)
            if task is None:
                with contextlib.suppress(NotSavedError), self._transaction():
                    now = self._now()
                    arguments = self._connection, rater.id, self.protocol, self._secret
                    assignment.take_open_task(
                        *arguments, now=now, silent_since=now - self.give_back
                    )
                task = self._open_task(rater)
            if task is not None:
                self._mark_given(rater, task)
            return (None if task is None else self._task_name(task), *self._counts(rater))

    def task(self, rater: Rater, task: str) -> Task:
        """Return a task of a rater.

        Raises
        ------
        NotYoursError
            If the task is unknown, or belongs to another rater.
        """
        with self._lock:
            number, item, place, output_ids = self._find_task(rater, task)
            content = json.loads(self._fetch_one("SELECT content FROM item WHERE id = ?", item)[0])
            version, answer = self._last(number)
            condition = "rater = ? AND (returned IS NULL OR done)"
            previous_row, next_row = (
                self._fetch_one(
                    f"SELECT id FROM task WHERE {condition} AND {neighbour} LIMIT 1",
                    rater.id,
                    place,
                )
                for neighbour in ("place < ? ORDER BY place DESC", "place > ? ORDER BY place")
            )
            count_before = f"SELECT count(*) FROM task WHERE {condition} AND place <= ?"
            places = self._fetch_one(count_before, rater.id, place)[0], self._counts(rater)[1]
            previous_row, next_row = (
                row and self._task_name(row[0]) for row in (previous_row, next_row)
            )
            outputs = [text for text, _ in self._outputs(output_ids)]
            answer_and_neighbours = answer, version, previous_row, next_row
            return Task(
                task,
                self.protocol,
                *places,
                *answer_and_neighbours,
                content,
                outputs,
                self._has_checks,
            )

    def tasks(self, rater: Rater) -> list[str]:
        """Return all tasks of a rater, in the order shown."""
        return [name for name, _ in self.task_states(rater)]

    def task_states(self, rater: Rater) -> list[tuple[str, bool]]:
        """Return all tasks of a rater in the order shown, and whether each is finished."""
        with self._lock:
            rows = self._fetch_all(
                "SELECT id, done FROM task WHERE rater = ? AND (returned IS NULL OR done) "
                "ORDER BY place",
                rater.id,
            )
            return [(self._task_name(task), bool(done)) for task, done in rows]

    def save(
        self, rater: Rater, task: str, key: str, answer: Any, version: str | None = None
    ) -> Saved:
        """Save an answer; it is on disk when this returns.

        Saving with the same key again has no effect and returns the same result.

        Parameters
        ----------
        version : str or None
            `Task.version` as the rater saw it: the key of the answer that this one replaces.

        Raises
        ------
        NotYoursError
            If the task is unknown, or belongs to another rater.
        ConflictError
            If the task was answered since, or a draft would replace a finished answer.
        InputError
            If the answer is not valid, or the key was used for another answer.
        NotSavedError
            If the answer could not be written, as on a full disk.
        """
        with self._lock:
            number, item, _, output_ids = self._find_task(rater, task)
            outputs = self._outputs(output_ids)
            content = json.loads(self._fetch_one("SELECT content FROM item WHERE id = ?", item)[0])
            checked = self.protocol.check(answer, [text for text, _ in outputs], content)
            value = json.dumps(checked, ensure_ascii=False, separators=(",", ":"))
            event = self._append(rater, number, key, value, version, undo=False)
            better = [right for _, right in outputs]
            feedback = None
            if True in better and checked != (right := "AB"[better.index(True)]):
                control = self._fetch_one("SELECT control FROM item WHERE id = ?", item)
                feedback = {"right": right, "explanation": control[0]}
            return Saved(event, *self._counts(rater), feedback)

    def undo(self, rater: Rater, task: str, key: str, version: str | None = None) -> Any:
        """Undo the last answer that was not undone; return the one before it.

        Raises
        ------
        NotYoursError, ConflictError, InputError, NotSavedError
            As `save`.
        """
        with self._lock:
            number = self._find_task(rater, task)[0]
            event = self._fetch_one("SELECT value, undo FROM event WHERE key = ?", key)
            if event is None:
                value = self._previous(number)
                if value is None:
                    return None
            else:
                value = event[0]
            self._append(rater, number, key, value, version, undo=True)
            return json.loads(value)

    def progress(self) -> tuple[project_file.RaterProgress, ...]:
        """Return the progress of each rater."""
        with self._lock:
            return project_file.rater_progress(self._connection)

    def _append(
        self, rater: Rater, task: int, key: str, value: str, version: str | None, *, undo: bool
    ) -> int:
        """Append an event to the version that its page saw; return its id, or that of its key."""
        if not isinstance(key, str) or not 0 < len(key) <= _MAX_KEY:
            raise InputError("key", "no text of a fitting length", f"1 to {_MAX_KEY} letters")
        with self._transaction():
            event = self._fetch_one("SELECT id, task, undo, value FROM event WHERE key = ?", key)
            if event is not None:
                if event[1:] != (task, undo, value):
                    raise InputError("key", "a key that was used for another answer", "a new one")
                return int(event[0])
            last_version, last_answer = self._last(task)
            if version != last_version:
                raise ConflictError("answered elsewhere: reload")
            answer = json.loads(value)
            done = self._finishes(answer)
            if self._finishes(last_answer) and not (done or undo):
                raise ConflictError("a draft does not replace a finished answer: reload")
            now = self._now()
            cursor = self._connection.execute(
                "INSERT INTO event (task, key, at, undo, value) VALUES (?, ?, ?, ?, ?)",
                (task, key, now, undo, value),
            )
            self._connection.execute("UPDATE task SET done = ? WHERE id = ?", (done, task))
            self._connection.execute("UPDATE rater SET seen = ? WHERE id = ?", (now, rater.id))
            return int(cursor.lastrowid or 0)

    def _last(self, task: int) -> tuple[str | None, Any]:
        """Return the key of the last event of a task and the answer after it."""
        # Faster than the view, which scans the events of all raters.
        last = "SELECT key, value FROM event WHERE task = ? ORDER BY id DESC LIMIT 1"
        key, value = self._fetch_one(last, task) or (None, "null")
        return key, json.loads(value)

    @cached_property
    def _has_checks(self) -> bool:
        return self._fetch_one("SELECT 1 FROM item WHERE control IS NOT NULL LIMIT 1") is not None

    def _finishes(self, answer: Any) -> bool:
        return answer is not None and self.protocol.complete(answer)

    def _previous(self, task: int) -> str | None:
        """Return the answer before the last valid one, as JSON; None if there is no valid one."""
        undone = has_answer = 0
        events = self._connection.execute(
            "SELECT undo, value FROM event WHERE task = ? ORDER BY id DESC", (task,)
        )
        with contextlib.closing(events):
            for undo, value in events:
                if undo:
                    undone += 1
                elif undone:
                    undone -= 1
                elif has_answer:
                    return str(value)
                else:
                    has_answer = 1
        return "null" if has_answer else None

    def _find_task(self, rater: Rater, task: str) -> tuple[int, int, int, str]:
        """Return id, item, position and shown outputs of a task of a rater."""
        row = self._fetch_one(
            "SELECT id, item, place, shown FROM task WHERE id = ? AND rater = ?",
            self._task_id(rater, task),
            rater.id,
        )
        if row is None:
            raise NotYoursError(f"no task {task!r:.40} of yours")
        number, item, place, output_ids = row
        return number, item, place, output_ids

    def _task_name(self, task: int) -> str:
        """Return the name of a task on pages, which reveals neither its id nor its item."""
        return self._secret.name(task)

    def _task_id(self, rater: Rater, name: str) -> int | None:
        """Return the id of a rater's task by its name; None if there is no such task."""
        if name not in self._names:
            tasks = self._fetch_all("SELECT id FROM task WHERE rater = ?", rater.id)
            self._names.update((self._task_name(task), task) for (task,) in tasks)
        return self._names.get(name)

    def _outputs(self, output_ids: str) -> list[tuple[str, bool | None]]:
        """Return the outputs on a page, each with its text and, if known, whether it is better."""
        outputs = []
        for output in json.loads(output_ids):
            text, better = self._fetch_one("SELECT text, better FROM output WHERE id = ?", output)
            outputs.append((text, None if better is None else bool(better)))
        return outputs

    def _open_task(self, rater: Rater) -> int | None:
        row = self._fetch_one(
            "SELECT id FROM task WHERE rater = ? AND done = 0 AND returned IS NULL "
            "ORDER BY place LIMIT 1",
            rater.id,
        )
        return None if row is None else row[0]

    def _mark_given(self, rater: Rater, task: int) -> None:
        """Record that a rater is present and sees a task; a full disk is ignored here."""
        now = self._now()
        first_shown, seen = self._fetch_one(
            "SELECT given, seen FROM task JOIN rater ON rater.id = rater WHERE task.id = ?", task
        )
        if first_shown is not None and now - seen < _SEEN_INTERVAL:
            return
        # No answer is at stake: this need not wait for the disk.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        try:
            with contextlib.suppress(NotSavedError), self._transaction():
                statement = "UPDATE task SET given = coalesce(given, ?) WHERE id = ?"
                self._connection.execute(statement, (now, task))
                seen_now = "UPDATE rater SET seen = ? WHERE id = ?"
                self._connection.execute(seen_now, (now, rater.id))
        finally:
            self._connection.execute("PRAGMA synchronous = FULL")

    def _counts(self, rater: Rater) -> tuple[int, int]:
        """Return the numbers of finished and of all tasks of a rater."""
        done, total = self._fetch_one(
            "SELECT coalesce(sum(done), 0), count(*) FROM task "
            "WHERE rater = ? AND (returned IS NULL OR done)",
            rater.id,
        )
        return done, total

    def _rater_id(self, name: str) -> int:
        numbers = {rater.name: rater.id for rater in self.raters()}
        if name not in numbers:
            raise unknown_name("rater", name, numbers)
        return numbers[name]

    def _now(self) -> float:
        """Return the time; it decreases, with a note, only if the clock is set back by minutes."""
        now = time.time()
        if now < self._latest - _CLOCK_TOLERANCE:
            self._reset_clock(now)
        self._latest = max(self._latest, now)
        return self._latest

    def _reset_clock(self, now: float) -> None:
        """Continue with the current clock and note it; event ids still give the order."""
        times = _format_date(self._latest), _format_date(now)
        situation = "the last time in it is {}, and this clock says {}".format(*times)
        consequence = (
            "the clock was set back; times follow it from now on, answers keep their order"
        )
        note(f"{self.path}: {situation}: {consequence}")
        self._latest = now
        # A rater seen in the future would never count as inactive.
        with contextlib.suppress(sqlite3.OperationalError):
            self._connection.execute("UPDATE rater SET seen = ? WHERE seen > ?", (now, now))

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        with self._lock, transaction(self._connection, self.path):
            yield

    def _fetch_one(self, statement: str, *values: object) -> Any:
        with self._lock:
            return self._connection.execute(statement, values).fetchone()

    def _fetch_all(self, statement: str, *values: object) -> list[Any]:
        with self._lock:
            return self._connection.execute(statement, values).fetchall()


def _format_date(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, timezone.utc):%Y-%m-%d %H:%M} UTC"
