"""Answers in the file of a project of people: what was said last, and of control items first."""

import contextlib
import errno
import json
import os
import sqlite3
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any
from urllib.request import pathname2url

from wordorder.errors import InputError
from wordorder.judgement.alignment_answers import finishes, is_linked
from wordorder.judgement.judgements import FailedRater, Judgements, PairRows, RatingRows
from wordorder.judgement.project_check import REMEDY, check_rows
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.records import Record, key
from wordorder.signature import Signature
from wordorder.text.opening import Path
from wordorder.text.output import remove_leftovers

# "wdor": what the header of the file says of who made it.
APPLICATION = 0x77646F72

VERSION = 1

# The share of control items that a rater must know (Birch and Osborne 2011, section 4).
LEAST_RIGHT = 0.6

_MAGIC = b"SQLite format 3\0"
# The byte of the header that is 2 while answers go into a log.
_LOGGED = 18
# The row of `meta` that marks a project as closed without a log.
CLOSED_WITHOUT_LOG = ("log", "removed when closed")
# Seconds to wait for a server.
_WAIT = 5.0
# Bytes that SQLite needs beside a project to open it, and some more.
_ROOM = 1 << 16

_OUTCOMES = {"A": 1, "B": -1}


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
    task : int
    """

    rater: str
    item: str
    at: float
    systems: tuple[str, ...]
    value: Any
    task: int = 0


def is_project(path: Path) -> bool:
    """Return whether a file is an SQLite database, as projects are."""
    with contextlib.suppress(OSError):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return file.read(len(_MAGIC)) == _MAGIC
    return False


def is_annotated(path: Path) -> bool:
    """Return whether a file is a project of alignments."""
    if not is_project(path):
        return False
    with reading(path) as connection:
        return project_signature(connection).metric == "annotate"


def check_project(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a database that is no project, one of another version, or a damaged one.

    Raises
    ------
    InputError
    """
    made = "one that `annotate` or `rate` made"
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.DatabaseError as error:
        if "not a database" not in str(error):
            raise
        raise InputError(path, f"no project, or a damaged one: {error}", made) from None
    if application != APPLICATION:
        if {"rater", "task", "event"} <= tables:
            problem = f"damaged: its header has the application_id {application}"
            raise InputError(path, problem, f"{APPLICATION}; {REMEDY}")
        raise InputError(path, "no project", made)
    if version != VERSION:
        raise InputError(path, f"a project of version {version}", f"version {VERSION}")
    check_rows(connection, path)


@contextlib.contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a project to read it, as it is at this moment; a server may go on writing.

    On a disk that is full or cannot be written to, it is read all the same.
    """
    name = os.fspath(path)
    require_one_name(name)
    lacks_log = is_log_missing(name)
    with naming_faults(name), contextlib.closing(_connect_to_read(name, lacks_log)) as connection:
        connection.execute("BEGIN")
        check_project(connection, name)
        if lacks_log:
            note_missing_log(connection, name)
        yield connection


def require_one_name(path: str) -> None:
    """Refuse a path that is not a regular file, and a file with several names (hard links).

    SQLite keeps the newest answers in a log named after the path that is opened: under
    another name they are missing, and two servers under two names destroy the file.

    Raises
    ------
    InputError
    """
    if not os.path.isfile(path):
        problem = "not a file" if os.path.exists(path) else "no such file"
        raise InputError(path, problem, "a project of `annotate` or `rate`")
    if os.stat(path).st_nlink > 1:
        # A process that was killed when it had just created the project left a name behind.
        remove_leftovers(os.path.dirname(os.path.realpath(path)))
        names = os.stat(path).st_nlink
        if names > 1:
            what = f"a file with {names} names (hard links), which two servers would destroy"
            how = "one name: end all servers, then make a file of its own with `cp`"
            raise InputError(path, what, how)


def log_of(path: str) -> str:
    """Return the path of the log in which SQLite keeps the newest answers while it is open."""
    return os.path.realpath(path) + "-wal"


def is_log_missing(path: str) -> bool:
    """Return whether the header names a write-ahead log that does not exist.

    A project is closed without a log; projects of earlier versions say the same when closed.
    """
    try:
        with open(path, "rb") as file:
            header = file.read(_LOGGED + 1)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    return header[_LOGGED:] == b"\x02" and not _size(log_of(path))


def note_missing_log(connection: sqlite3.Connection, path: str) -> None:
    """Note that the newest answers may be missing, unless an earlier version closed the project."""
    if connection.execute("SELECT 1 FROM meta WHERE name = ?", CLOSED_WITHOUT_LOG[:1]).fetchone():
        log = f"{os.path.basename(path)}-wal"
        note(
            f"{path}: its {log} is missing: the newest answers are not here if the file was copied "
            "while it was served; `wordorder export PROJECT.db --backup FILE` copies them too"
        )


def _connect_to_read(path: str, lacks_log: bool) -> sqlite3.Connection:
    """Connect without writing, if that is possible.

    To read a log, SQLite makes a file next to it. Where the disk has no room for that, the log is
    read in memory, which needs the file for this program alone; where the disk cannot be written
    to, the file is read without the log.
    """
    ways = ["mode=ro", "mode=rw", "immutable=1"]
    failure: sqlite3.OperationalError | None = None
    for way in ways[-1:] if lacks_log else ways:
        address = f"file:{pathname2url(os.path.abspath(path))}?{way}"
        connection = None
        try:
            connection = sqlite3.connect(address, timeout=_WAIT, uri=True, isolation_level=None)
            if way == "mode=rw":
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException as error:
            if connection is not None:
                connection.close()
            if not isinstance(error, sqlite3.OperationalError):
                raise
            failure = failure or error
            continue
        if way == "immutable=1" and _size(log_of(path)):
            log = f"{os.path.basename(path)}-wal"
            what = f"cannot be read here ({write_problem(path) or failure})"
            note(f"{path}: the newest answers, in {log}, {what}: copy both files to another disk")
        return connection
    assert failure is not None
    raise failure


def write_problem(path: str) -> str:
    """Return why the disk of a project cannot be written to; no text if it can."""
    try:
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))) as file:
            # A limit of the size of files counts as well.
            file.seek(_size(path))
            file.write(bytes(_ROOM))
            file.flush()
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        return f"the disk is full: {error.strerror}" if full else str(error.strerror)
    return ""


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


@contextlib.contextmanager
def naming_faults(path: str) -> Iterator[None]:
    """Name the file if it turns out that it cannot be read: a full disk, or a damaged file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        problem = write_problem(path)
        if not problem:
            raise InputError(path, f"cannot be read: {error}", f"a project; {REMEDY}") from None
        how = "room to write; `wordorder export` reads it all the same"
        raise InputError(path, f"cannot be opened: {problem}", how) from None
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # SQLite may quote bytes of a damaged file.
        raise InputError(path, f"cannot be read: {error}", f"an undamaged file; {REMEDY}") from None


def last_answers(connection: sqlite3.Connection) -> Iterator[Answer]:
    """Yield the last answer to each task that is done, without control items, by rater and item."""
    systems = dict(connection.execute("SELECT id, system FROM output"))
    rows = connection.execute(
        "SELECT rater.name, line, at, shown, value, task.id FROM last_answer "
        "JOIN task ON task.id = task JOIN item ON item.id = item JOIN rater ON rater.id = rater "
        "WHERE control IS NULL AND done ORDER BY rater.id, line, item.id"
    )
    for rater, line, at, shown, value, task in rows:
        names = tuple(systems[output] for output in json.loads(shown))
        yield Answer(rater, str(line), at, names, json.loads(value), task)


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


def failed_raters(connection: sqlite3.Connection) -> tuple[FailedRater, ...]:
    """Return the raters who knew fewer than 60 % of the control items that they answered."""
    return tuple(
        FailedRater(name, right, asked)
        for name, (right, asked) in control_results(connection).items()
        if right < LEAST_RIGHT * asked
    )


def project_signature(connection: sqlite3.Connection) -> Signature:
    """Return how the answers were collected, as one line."""
    meta = dict(connection.execute("SELECT name, value FROM meta"))
    protocol = json.loads(meta["protocol"])
    raters = connection.execute("SELECT count(*) FROM rater").fetchone()[0]
    fields = [("ratings", str(protocol["ratings"] or "all"))]
    if protocol["ratings"]:
        fields.append(("max-share", f"{protocol['max_share']:g}"))
    fields += [("raters", str(raters)), ("seed", meta["--seed"])]
    return Signature(protocol["name"], tuple(fields), meta["version"])


def read_project(path: Path) -> Judgements:
    """Read the last ratings or preferences of a project, without its control items.

    Raters who fail the control items are left out; `Judgements.everybody` has them too.

    Raises
    ------
    InputError
        If it is no project, of another version, of alignments, or nobody has answered yet.
    """
    name = os.fspath(path)
    with reading(path) as connection:
        signature = project_signature(connection)
        if signature.metric == "annotate":
            raise InputError(name, "a project of alignments", "one of `rate`")
        answers = list(last_answers(connection))
        failed = failed_raters(connection)
        controlled = bool(control_results(connection))
        planned = connection.execute(
            "SELECT count(*) FROM task JOIN item ON item.id = item "
            "WHERE control IS NULL AND (returned IS NULL OR done)"
        ).fetchone()[0]
    if not answers:
        raise InputError(name, "no answer yet", "one or more")
    if len(answers) < planned:
        share = percent(len(answers), planned)
        note(f"{name}: {len(answers)} of {counted(planned, 'planned answer')} are there ({share})")
    read = _preferences if signature.metric == "preference" else _ratings
    without = signature
    if controlled:
        without = signature.with_fields(("control", f"{LEAST_RIGHT:g}"))
    if not failed:
        return replace(read(name, answers), signature=str(without))
    whole = signature.with_fields(("control", "off"))
    everybody = replace(read(name, answers), signature=str(whole))
    names = {each.rater for each in failed}
    kept = [answer for answer in answers if answer.rater not in names]
    if not kept:
        what = f"all {counted(len(names), 'rater')} fail the control items"
        raise InputError(name, what, f"some who know {100 * LEAST_RIGHT:g} % of them")
    listed = ", ".join(f"{each.rater} ({each.right} of {each.asked})" for each in failed)
    note(f"{name}: left out {counted(len(failed), 'rater')} who failed control items: {listed}")
    return replace(read(name, kept), signature=str(without), failed=failed, everybody=everybody)


def _ratings(name: str, answers: Sequence[Answer]) -> Judgements:
    found = RatingRows()
    for answer in answers:
        # Not in the order shown: the first answer would number the systems by chance.
        for system, value in sorted(zip(answer.systems, answer.value, strict=True)):
            found.add(answer.item, answer.rater, system, float(value))
    return found.ratings()


def _preferences(name: str, answers: Sequence[Answer]) -> Judgements:
    found = PairRows()
    unknown = 0
    for answer in answers:
        if answer.value in _OUTCOMES:
            first, second = answer.systems
            outcome = _OUTCOMES[answer.value]
            found.add_pair(answer.item, answer.rater, first, second, outcome)
        else:
            unknown += 1
    if unknown == len(answers):
        raise InputError(name, "no preference: all answers are don't know", "one or more")
    if unknown:
        share = percent(unknown, len(answers))
        note(f"{name}: left out {counted(unknown, 'answer')} of {len(answers)} ({share}): unknown")
    return found.judgements(name)


@dataclass(frozen=True)
class RaterProgress(Record):
    """Progress of a rater or annotator."""

    rater: str = key("who it is", heading="rater")
    done: int = key("tasks of the rater that are done", heading="done")
    total: int = key("all tasks of the rater", heading="of")
    seen: str | None = key("when the rater was there last, in UTC; `null` if never")
    revoked: bool = key("whether the rater's link is closed")
    right: int = key("control items that the rater knew, by the first answer to each")
    asked: int = key("control items that the rater answered")
    failed: bool = key("whether these are fewer than 60 %")
    empty: int = key(
        "sentences among `done` that the annotator confirmed as having nothing to align"
    )
    unconfirmed: int = key(
        "sentences that were saved as done without a link and never confirmed; not among `done`"
    )


@dataclass(frozen=True)
class ProjectProgress(Record, rows="raters"):
    """Progress of a project."""

    done: int = key("items that have all their answers")
    items: int = key("how many items there are, without control items")
    signature: str = key("how the answers are collected")
    raters: tuple[RaterProgress, ...] = key("the progress of each rater")


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
        return ProjectProgress(*items_done(connection, needed), str(signature), found)


def rater_progress(connection: sqlite3.Connection) -> tuple[RaterProgress, ...]:
    """Return how far each rater is."""
    control = control_results(connection)
    empty = _empty_sentences(connection)
    rows = connection.execute(
        "SELECT name, coalesce(sum(done), 0), count(task.id), seen, "
        "max(given) IS NOT NULL, revoked IS NOT NULL FROM rater LEFT JOIN task ON rater = rater.id "
        "AND (returned IS NULL OR done) GROUP BY rater.id ORDER BY rater.id"
    )
    progress = []
    for name, done, total, seen, come, revoked in rows:
        right, asked = control.get(name, (0, 0))
        last = datetime.fromtimestamp(seen, timezone.utc).isoformat(timespec="seconds")
        progress.append(
            RaterProgress(
                rater=name,
                done=done,
                total=total,
                seen=last.replace("+00:00", "Z") if come else None,
                revoked=bool(revoked),
                right=right,
                asked=asked,
                failed=right < LEAST_RIGHT * asked,
                empty=empty[name, True],
                unconfirmed=empty[name, False],
            )
        )
    return tuple(progress)


def items_done(connection: sqlite3.Connection, needed: int) -> tuple[int, int]:
    """Return how many items have so many answers, and how many there are."""
    done, items = connection.execute(
        "SELECT coalesce(sum(n >= ?), 0), count(*) "
        "FROM (SELECT coalesce(sum(done), 0) n "
        "FROM item LEFT JOIN task ON item = item.id WHERE control IS NULL GROUP BY item.id)",
        (needed,),
    ).fetchone()
    return done, items


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
