"""The project file: an SQLite database, created atomically and never overwritten."""

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator

from wordorder.errors import UsageError, WordOrderError
from wordorder.judgement.project_file import (
    APPLICATION,
    CLOSED_WITHOUT_LOG,
    VERSION,
    check_project,
    is_log_missing,
    name_file_in_errors,
    note_missing_log,
    open_readonly,
    require_one_name,
    write_problem,
)
from wordorder.text.output import Unfinished, require_creatable

# Seconds to wait for a lock of another process.
_LOCK_SECONDS = 5.0
_SCHEMA = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
-- A sentence, or a sentence and two of its outputs; `control` explains a known answer.
CREATE TABLE item (id INTEGER PRIMARY KEY, line INTEGER NOT NULL, content TEXT NOT NULL,
                   control TEXT);
-- `better` is 1 for the right output of a control item, 0 for the other, empty elsewhere.
CREATE TABLE output (id INTEGER PRIMARY KEY, item INTEGER NOT NULL REFERENCES item,
                     system TEXT NOT NULL, text TEXT NOT NULL, better INTEGER);
CREATE INDEX output_item ON output (item);
CREATE TABLE rater (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, token TEXT NOT NULL UNIQUE,
                    since REAL NOT NULL, seen REAL NOT NULL, revoked REAL);
-- `shown`: the outputs in their order on the page; `done` follows the last event; `returned`: when
-- another rater took it.
CREATE TABLE task (id INTEGER PRIMARY KEY, rater INTEGER NOT NULL REFERENCES rater,
                   item INTEGER NOT NULL REFERENCES item, place INTEGER NOT NULL,
                   shown TEXT NOT NULL, given REAL, done INTEGER NOT NULL DEFAULT 0, returned REAL);
CREATE INDEX task_rater ON task (rater, done, place);
CREATE INDEX task_item ON task (item);
-- Never changed, never deleted. `value` is the answer after the event as JSON, null for none.
CREATE TABLE event (id INTEGER PRIMARY KEY AUTOINCREMENT, task INTEGER NOT NULL REFERENCES task,
                    key TEXT NOT NULL UNIQUE, at REAL NOT NULL, undo INTEGER NOT NULL,
                    value TEXT NOT NULL);
CREATE INDEX event_task ON event (task, id);
CREATE TRIGGER event_kept BEFORE DELETE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never deleted'); END;
CREATE TRIGGER event_fixed BEFORE UPDATE ON event
    BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;
CREATE VIEW last_answer AS
    SELECT task, id AS event, at, value FROM event
    WHERE id IN (SELECT max(id) FROM event GROUP BY task) AND value <> 'null';
"""


class NotSavedError(WordOrderError):
    """Data could not be saved: the disk is full, or another process has locked the file."""


def create_project(path: str, fill: Callable[[sqlite3.Connection], None]) -> None:
    """Create a project file, which gets its name after `fill` has filled it.

    Only its owner may read it, because it contains the tokens of the raters.

    Raises
    ------
    UsageError
        If the path exists, or the file cannot be created.
    """
    with _new_file(path) as connection:
        _configure(connection)
        with transaction(connection, path):
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
            connection.execute(f"PRAGMA user_version = {VERSION}")
            for statement in _statements():
                connection.execute(statement)
            fill(connection)
            connection.execute("INSERT INTO meta VALUES (?, ?)", CLOSED_WITHOUT_LOG)


def back_up_project(path: str, copy: str) -> None:
    """Copy a project with all answers so far; a server may be writing to it.

    Raises
    ------
    InputError
        If `path` is not a project, or is damaged.
    UsageError
        If the copy exists, or cannot be created.
    NotSavedError
        If the disk of the copy is full.
    """
    with open_readonly(path) as connection, _new_file(copy) as target:
        try:
            connection.backup(target)
            target.execute("PRAGMA journal_mode = DELETE")
        except sqlite3.OperationalError as error:
            raise NotSavedError(f"{copy}: not saved: {error}") from None


@contextlib.contextmanager
def _new_file(path: str) -> Iterator[sqlite3.Connection]:
    """Create a database, which gets its name at the end if the path is still free."""
    require_creatable(path)
    target = os.path.realpath(path)
    if os.path.lexists(target):
        raise UsageError(f"{path}: exists already; a project is never overwritten")
    unfinished = Unfinished(os.path.dirname(target))
    try:
        try:
            unfinished.create()
        except OSError as error:
            raise UsageError(f"{path}: cannot be created: {error.strerror}") from None
        unfinished.stream.close()
        os.chmod(unfinished.path, 0o600)
        with contextlib.closing(_connect(unfinished.path)) as connection:
            yield connection
        _rename_new_file(unfinished.path, target, path)
    finally:
        unfinished.remove()
        unfinished.unlock()


def open_project(path: str) -> sqlite3.Connection:
    """Open a project file for reading and writing.

    Raises
    ------
    InputError
        If the file cannot be read, is not a project, or is of another version.
    """
    require_one_name(path)
    has_no_log = is_log_missing(path)
    connection = _connect(path)
    try:
        with name_file_in_errors(path):
            check_project(connection, path)
            if has_no_log:
                note_missing_log(connection, path)
            _configure(connection)
            # In this mode, readers and a writing server do not wait for each other.
            connection.execute("PRAGMA journal_mode = WAL")
            # Without a write, the log would be empty while the header says that it exists.
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", CLOSED_WITHOUT_LOG)
            # With the checkpoint, a copy of the file alone has this mark too.
            connection.execute("PRAGMA wal_checkpoint")
    except BaseException:
        connection.close()
        raise
    return connection


def close_project(connection: sqlite3.Connection) -> None:
    """Close a project; the last process to close it merges the log into the file."""
    with contextlib.suppress(sqlite3.Error):
        # Other processes that have it open need the log.
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE")
    connection.close()


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, path: str) -> Iterator[None]:
    """Run the block in one transaction, which is on disk at its end, or has no effect."""
    try:
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
    except sqlite3.OperationalError as error:
        why = write_problem(path) or str(error)
        raise NotSavedError(f"{path}: not saved: {why}") from None


def _connect(path: str) -> sqlite3.Connection:
    """Connect, with explicit transactions."""
    return sqlite3.connect(
        path, timeout=_LOCK_SECONDS, isolation_level=None, check_same_thread=False
    )


def _configure(connection: sqlite3.Connection) -> None:
    """Configure a connection: a commit returns when its data is on disk."""
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")


def _statements() -> Iterator[str]:
    """Yield the statements of the schema; `executescript` would end the transaction."""
    statement = ""
    for line in _SCHEMA.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def _rename_new_file(unfinished: str, target: str, path: str) -> None:
    """Rename a finished file to its target, which must not exist."""
    try:
        os.link(unfinished, target)
    except FileExistsError:
        raise UsageError(f"{path}: exists already; a project is never overwritten") from None
    except OSError:
        # The file system has no hard links.
        os.rename(unfinished, target)
    if os.name == "posix":
        folder = os.open(os.path.dirname(target), os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
