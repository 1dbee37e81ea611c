"""A project: questions and answers, in one file from which nothing is ever deleted.

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
from wordorder.messages import note
from wordorder.people import plan as moving
from wordorder.people.items import InputText, Item
from wordorder.people.plan import (
    ConflictError,
    NewProject,
    NotYoursError,
    Rater,
    Saved,
    Secret,
    Task,
)
from wordorder.people.protocol import Protocol
from wordorder.people.schema import (
    NotSavedError,
    close_project,
    create_project,
    open_project,
    written,
)
from wordorder.people.sources import check_files, check_same
from wordorder.signature import Signature
from wordorder.text.opening import Path

# Seconds after which it is noted again that a rater is there.
_SEEN = 60.0
_LONGEST_KEY = 200
# Seconds that a clock may be set back, such as by the network's time, without a word.
_STEP = 60.0


class Project:
    """A project file that is open; threads may share it.

    `create` makes one, `open` goes on with one, `begin` does what fits. Close it at the end.

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
        with self.kept():
            self._read_meta()

    def _read_meta(self) -> None:
        """Read what holds for the whole project."""
        with project_file.naming_faults(self.path):
            self._meta = dict(self._rows("SELECT name, value FROM meta"))
        self._secret = Secret(self._meta["secret"])
        self._names: dict[str, int] = {}
        self.protocol = Protocol.of_text(self._meta["protocol"])
        self.seed = int(self._meta["--seed"])
        self.give_back = float(self._meta["give_back"])
        with project_file.naming_faults(self.path):
            found = self._row(
                "SELECT max(m) FROM (SELECT at m FROM event WHERE id = (SELECT max(id) FROM event) "
                "UNION SELECT max(seen) FROM rater)"
            )
        self._latest: float = found[0] or 0.0

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
        """Make a new project and open it; see `NewProject` for what it is made of.

        Raises
        ------
        UsageError
            If there is such a file already, it cannot be created, or raters are too few.
        """
        new = NewProject(protocol, items, raters, seed, inputs, give_back, options)
        return cls._create(path, new)

    @classmethod
    def begin(cls, path: Path, new: NewProject) -> Project:
        """Go on with a project that was made of the same, or make it.

        Raises
        ------
        UsageError
            If the file is a project that was made of something else; the message says what differs.
        """
        if not os.path.lexists(path):
            return cls._create(path, new)
        with cls(path).kept() as project:
            check_same(project.path, project.meta, new)
        return project

    @classmethod
    def open(cls, path: Path, *, check_inputs: bool = True) -> Project:
        """Open a project.

        Parameters
        ----------
        check_inputs : bool
            Whether it is refused if a file that it was made of has changed since. A file that is
            gone is not missed: the project holds its texts.

        Raises
        ------
        InputError
            If it is no project, of another version, or an input has changed.
        """
        with cls(path).kept() as project:
            if check_inputs:
                check_files(project.path, project.meta)
        return project

    @classmethod
    def _create(cls, path: Path, new: NewProject) -> Project:
        create_project(os.fspath(path), lambda connection: new.fill(connection, time.time()))
        return cls(path)

    def close(self) -> None:
        """Close the file; its log goes into it."""
        with self._lock:
            close_project(self._connection)

    @contextlib.contextmanager
    def kept(self) -> Iterator[Project]:
        """Keep the project open, unless something goes wrong here."""
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
        """What the project was made of, by name."""
        return dict(self._meta)

    def signature(self) -> Signature:
        """Return what produced the answers, as one line."""
        with self._lock:
            return project_file.project_signature(self._connection)

    def raters(self) -> list[Rater]:
        """Return all raters, revoked ones too."""
        rows = self._rows("SELECT id, name, token, revoked IS NOT NULL FROM rater ORDER BY id")
        return [Rater(number, name, token, bool(gone)) for number, name, token, gone in rows]

    def rater_of(self, token: str) -> Rater | None:
        """Return whose token it is; None if nobody's, or it was revoked.

        How long a comparison takes says nothing about the token.
        """
        given = token.encode()
        for rater in self.raters():
            if not rater.revoked and hmac.compare_digest(rater.token.encode(), given):
                return rater
        return None

    def owner_token(self) -> str:
        """Return the token of the owner's page; no rater's link tells it."""
        return self._secret.owner()

    def add_raters(self, count: int) -> list[Rater]:
        """Add raters: they take tasks that nobody has seen from those who have most of them."""
        if count < 1:
            raise UsageError(f"raters to add: {count}; expected 1 or more")
        with self._written():
            new = moving.add_raters(self._connection, count, self._now())
            moving.share_out(self._connection, new, self.protocol, self._secret)
        return [rater for rater in self.raters() if rater.id in new]

    def revoke(self, name: str) -> None:
        """Close a rater's link; his answers stay, his open tasks go to others."""
        number = self._named(name)
        with self._written():
            statement = "UPDATE rater SET revoked = coalesce(revoked, ?) WHERE id = ?"
            self._connection.execute(statement, (self._now(), number))

    def renew(self, name: str) -> Rater:
        """Give a rater a new link; the old one is closed."""
        number = self._named(name)
        with self._written():
            statement = "UPDATE rater SET token = ?, revoked = NULL WHERE id = ?"
            self._connection.execute(statement, (moving.new_token(), number))
        return next(rater for rater in self.raters() if rater.id == number)

    def next_task(self, rater: Rater) -> tuple[str | None, int, int]:
        """Return a rater's next open task, and how many of his tasks are done and there are.

        When his own are done he takes what others have left open: revoked raters, and those who
        were silent for `give_back` seconds. None if nothing is left for him.
        """
        with self._lock:
            task = self._open_task(rater)
            if task is None:
                with contextlib.suppress(NotSavedError), self._written():
                    now = self._now()
                    mine = self._connection, rater.id, self.protocol, self._secret
                    moving.take(*mine, now=now, silent_since=now - self.give_back)
                task = self._open_task(rater)
            if task is not None:
                self._mark_given(rater, task)
            return (None if task is None else self._name(task), *self._counts(rater))

    def task(self, rater: Rater, task: str) -> Task:
        """Return a task of a rater.

        Raises
        ------
        NotYoursError
            If it is another rater's, or there is none.
        """
        with self._lock:
            number, item, place, shown = self._own(rater, task)
            content = json.loads(self._row("SELECT content FROM item WHERE id = ?", item)[0])
            version, answer = self._last(number)
            legal = "rater = ? AND (returned IS NULL OR done)"
            before, after = (
                self._row(f"SELECT id FROM task WHERE {legal} AND {rest} LIMIT 1", rater.id, place)
                for rest in ("place < ? ORDER BY place DESC", "place > ? ORDER BY place")
            )
            until = f"SELECT count(*) FROM task WHERE {legal} AND place <= ?"
            places = self._row(until, rater.id, place)[0], self._counts(rater)[1]
            before, after = (each and self._name(each[0]) for each in (before, after))
            outputs = [text for text, _ in self._shown(shown)]
            last = answer, version, before, after
            return Task(task, self.protocol, *places, *last, content, outputs, self._has_checks)

    def tasks(self, rater: Rater) -> list[str]:
        """Return all tasks of a rater, in his order."""
        rows = self._rows(
            "SELECT id FROM task WHERE rater = ? AND (returned IS NULL OR done) ORDER BY place",
            rater.id,
        )
        return [self._name(row[0]) for row in rows]

    def save(
        self, rater: Rater, task: str, key: str, answer: Any, version: str | None = None
    ) -> Saved:
        """Keep an answer; it is on disk when this returns.

        The same key again changes nothing and gives the same result.

        Parameters
        ----------
        version : str or None
            `Task.version` as the rater saw it: the key of the answer that this one replaces.

        Raises
        ------
        NotYoursError
            If the task is another rater's, or there is none.
        ConflictError
            If the task was answered since, or a draft would replace a finished answer.
        InputError
            If the answer is not legal, or the key was used for another one.
        NotSavedError
            If it could not be written: a full disk.
        """
        with self._lock:
            number, item, _, shown = self._own(rater, task)
            outputs = self._shown(shown)
            content = json.loads(self._row("SELECT content FROM item WHERE id = ?", item)[0])
            kept = self.protocol.check(answer, [text for text, _ in outputs], content)
            value = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
            event = self._append(rater, number, key, value, version, undo=False)
            better = [right for _, right in outputs]
            feedback = None
            if True in better and kept != (right := "AB"[better.index(True)]):
                control = self._row("SELECT control FROM item WHERE id = ?", item)
                feedback = {"right": right, "explanation": control[0]}
            return Saved(event, *self._counts(rater), feedback)

    def undo(self, rater: Rater, task: str, key: str, version: str | None = None) -> Any:
        """Take back the last answer that was not taken back; return what was answered before it.

        Raises
        ------
        NotYoursError, ConflictError, InputError, NotSavedError
            As `save`.
        """
        with self._lock:
            number = self._own(rater, task)[0]
            known = self._row("SELECT value, undo FROM event WHERE key = ?", key)
            if known is None:
                value = self._previous(number)
                if value is None:
                    return None
            else:
                value = known[0]
            self._append(rater, number, key, value, version, undo=True)
            return json.loads(value)

    def progress(self) -> tuple[project_file.RaterProgress, ...]:
        """Return how far each rater is."""
        with self._lock:
            return project_file.rater_progress(self._connection)

    def _append(
        self, rater: Rater, task: int, key: str, value: str, version: str | None, *, undo: bool
    ) -> int:
        """Append an event to the one that its page saw, or find the one that has its key."""
        if not isinstance(key, str) or not 0 < len(key) <= _LONGEST_KEY:
            raise InputError("key", "no text of a fitting length", f"1 to {_LONGEST_KEY} letters")
        with self._written():
            known = self._row("SELECT id, task, undo, value FROM event WHERE key = ?", key)
            if known is not None:
                if known[1:] != (task, undo, value):
                    raise InputError("key", "a key that was used for another answer", "a new one")
                return int(known[0])
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
        # The view would look through all events of all raters.
        last = "SELECT key, value FROM event WHERE task = ? ORDER BY id DESC LIMIT 1"
        key, value = self._row(last, task) or (None, "null")
        return key, json.loads(value)

    @cached_property
    def _has_checks(self) -> bool:
        return self._row("SELECT 1 FROM item WHERE control IS NOT NULL LIMIT 1") is not None

    def _finishes(self, answer: Any) -> bool:
        return answer is not None and self.protocol.complete(answer)

    def _previous(self, task: int) -> str | None:
        """Return the answer before the last that counts, as JSON; None if no answer counts."""
        taken_back = counts = 0
        found = self._connection.execute(
            "SELECT undo, value FROM event WHERE task = ? ORDER BY id DESC", (task,)
        )
        with contextlib.closing(found):
            for undo, value in found:
                if undo:
                    taken_back += 1
                elif taken_back:
                    taken_back -= 1
                elif counts:
                    return str(value)
                else:
                    counts = 1
        return "null" if counts else None

    def _own(self, rater: Rater, task: str) -> tuple[int, int, int, str]:
        """Return number, item, place and shown outputs of a rater's task."""
        found = self._row(
            "SELECT id, item, place, shown FROM task WHERE id = ? AND rater = ?",
            self._number(rater, task),
            rater.id,
        )
        if found is None:
            raise NotYoursError(f"no task {task!r:.40} of yours")
        number, item, place, shown = found
        return number, item, place, shown

    def _name(self, task: int) -> str:
        """Return what pages call a task: nothing that tells its number, hence its item."""
        return self._secret.name(task)

    def _number(self, rater: Rater, name: str) -> int | None:
        """Return the number of a rater's task; None if he has none of that name."""
        if name not in self._names:
            tasks = self._rows("SELECT id FROM task WHERE rater = ?", rater.id)
            self._names.update((self._name(task), task) for (task,) in tasks)
        return self._names.get(name)

    def _shown(self, shown: str) -> list[tuple[str, bool | None]]:
        """Return text of the outputs on a page, and whether each is the right one, if known."""
        found = []
        for output in json.loads(shown):
            text, better = self._row("SELECT text, better FROM output WHERE id = ?", output)
            found.append((text, None if better is None else bool(better)))
        return found

    def _open_task(self, rater: Rater) -> int | None:
        found = self._row(
            "SELECT id FROM task WHERE rater = ? AND done = 0 AND returned IS NULL "
            "ORDER BY place LIMIT 1",
            rater.id,
        )
        return None if found is None else found[0]

    def _mark_given(self, rater: Rater, task: int) -> None:
        """Note that a rater is there and sees a task; on a full disk he sees it all the same."""
        now = self._now()
        given, seen = self._row(
            "SELECT given, seen FROM task JOIN rater ON rater.id = rater WHERE task.id = ?", task
        )
        if given is not None and now - seen < _SEEN:
            return
        # No answer is at stake: this need not wait for the disk.
        self._connection.execute("PRAGMA synchronous = NORMAL")
        try:
            with contextlib.suppress(NotSavedError), self._written():
                statement = "UPDATE task SET given = coalesce(given, ?) WHERE id = ?"
                self._connection.execute(statement, (now, task))
                seen_now = "UPDATE rater SET seen = ? WHERE id = ?"
                self._connection.execute(seen_now, (now, rater.id))
        finally:
            self._connection.execute("PRAGMA synchronous = FULL")

    def _counts(self, rater: Rater) -> tuple[int, int]:
        """Return how many tasks of a rater are done, and how many he has."""
        done, total = self._row(
            "SELECT coalesce(sum(done), 0), count(*) FROM task "
            "WHERE rater = ? AND (returned IS NULL OR done)",
            rater.id,
        )
        return done, total

    def _named(self, name: str) -> int:
        numbers = {rater.name: rater.id for rater in self.raters()}
        if name not in numbers:
            raise unknown_name("rater", name, numbers)
        return numbers[name]

    def _now(self) -> float:
        """Return the time; small steps back of the clock are waited for, large ones are said."""
        now = time.time()
        if now < self._latest - _STEP:
            self._clock_was_ahead(now)
        self._latest = max(self._latest, now)
        return self._latest

    def _clock_was_ahead(self, now: float) -> None:
        """Go on with what the clock says now; the numbers of events still tell their order."""
        what = f"the last time in it is {_date(self._latest)}, and this clock says {_date(now)}"
        then = "the clock was set back; times follow it from now on, answers keep their order"
        note(f"{self.path}: {what}: {then}")
        self._latest = now
        # Who was there in the future would never count as gone.
        with contextlib.suppress(sqlite3.OperationalError):
            self._connection.execute("UPDATE rater SET seen = ? WHERE seen > ?", (now, now))

    @contextlib.contextmanager
    def _written(self) -> Iterator[None]:
        with self._lock, written(self._connection, self.path):
            yield

    def _row(self, statement: str, *values: object) -> Any:
        with self._lock:
            return self._connection.execute(statement, values).fetchone()

    def _rows(self, statement: str, *values: object) -> list[Any]:
        with self._lock:
            return self._connection.execute(statement, values).fetchall()


def _date(at: float) -> str:
    return f"{datetime.fromtimestamp(at, timezone.utc):%Y-%m-%d %H:%M} UTC"
