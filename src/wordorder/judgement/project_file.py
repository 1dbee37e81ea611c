"""Answers in a project file: the last answer to each task, and the first to control items."""

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
from wordorder.judgement.judgements import FailedRater, Judgements
from wordorder.judgement.pair_rows import PairRows
from wordorder.judgement.project_check import REMEDY, check_rows
from wordorder.judgement.rating_rows import RatingRows
from wordorder.messages import counted, percent
from wordorder.notes import note
from wordorder.records import Record, key
from wordorder.signature import Signature
from wordorder.text.opening import Path
from wordorder.text.output import remove_leftovers

# The application_id in the header of a project file: "wdor".
APPLICATION = 0x77646F72

VERSION = 1

# The share of control items that a rater must get right (Birch and Osborne 2011, section 4).
MIN_RIGHT = 0.6

_MAGIC = b"SQLite format 3\0"
# Offset of the byte in the header that is 2 while there is a write-ahead log.
_LOG_BYTE = 18
# The row of `meta` that marks a project as closed without a log.
CLOSED_WITHOUT_LOG = ("log", "removed when closed")
# Seconds to wait for a lock of the server.
_WAIT_SECONDS = 5.0
# Free bytes that SQLite needs next to a project to open it, with a margin.
_FREE_BYTES = 1 << 16

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
        Time of the answer, in seconds since 1970.
    systems : tuple of str
        Systems whose outputs were shown, in the order shown.
    value : object
        The answer: ratings, a choice or an alignment.
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
    with open_readonly(path) as connection:
        return project_signature(connection).metric == "annotate"


def check_project(connection: sqlite3.Connection, path: str) -> None:
    """Refuse a database that is not a project, is of another version, or is damaged.

    Raises
    ------
    InputError
    """
    expected = "one that `annotate` or `rate` made"
    try:
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    except sqlite3.DatabaseError as error:
        if "not a database" not in str(error):
            raise
        raise InputError(path, f"no project, or a damaged one: {error}", expected) from None
    if application != APPLICATION:
        if {"rater", "task", "event"} <= tables:
            problem = f"damaged: its header has the application_id {application}"
            raise InputError(path, problem, f"{APPLICATION}; {REMEDY}")
        raise InputError(path, "no project", expected)
    if version != VERSION:
        raise InputError(path, f"a project of version {version}", f"version {VERSION}")
    check_rows(connection, path)


@contextlib.contextmanager
def open_readonly(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a project for reading, in its current state; a server may be writing to it.

    The project is read even from a disk that is full or read-only.
    """
    name = os.fspath(path)
    require_one_name(name)
    lacks_log = is_log_missing(name)
    with (
        name_file_in_errors(name),
        contextlib.closing(_connect_to_read(name, lacks_log)) as connection,
    ):
        connection.execute("BEGIN")
        check_project(connection, name)
        if lacks_log:
            note_missing_log(connection, name)
        yield connection


def require_one_name(path: str) -> None:
    """Refuse a path that is not a regular file, and a file with several names (hard links).

    SQLite keeps the newest answers in a log named after the path that is opened: under another
    name they are missing, and two servers with two names destroy the file.

    Raises
    ------
    InputError
    """
    if not os.path.isfile(path):
        problem = "not a file" if os.path.exists(path) else "no such file"
        raise InputError(path, problem, "a project of `annotate` or `rate`")
    if os.stat(path).st_nlink > 1:
        # A process killed just after it created the project leaves a second name.
        remove_leftovers(os.path.dirname(os.path.realpath(path)))
        names = os.stat(path).st_nlink
        if names > 1:
            what = f"a file with {names} names (hard links), which two servers would destroy"
            expected = "one name: end all servers, then make a file of its own with `cp`"
            raise InputError(path, what, expected)


def log_of(path: str) -> str:
    """Return the path of the write-ahead log, which has the newest answers of an open project."""
    return os.path.realpath(path) + "-wal"


def is_log_missing(path: str) -> bool:
    """Return whether the header names a write-ahead log that does not exist.

    Projects are closed without a log; in earlier versions, the header names one even then.
    """
    try:
        with open(path, "rb") as file:
            header = file.read(_LOG_BYTE + 1)
    except OSError as error:
        raise InputError(path, f"cannot be read: {error.strerror}") from None
    return header[_LOG_BYTE:] == b"\x02" and not _size(log_of(path))


def note_missing_log(connection: sqlite3.Connection, path: str) -> None:
    """Note that the newest answers may be missing, unless an earlier version closed the project."""
    if connection.execute("SELECT 1 FROM meta WHERE name = ?", CLOSED_WITHOUT_LOG[:1]).fetchone():
        log = f"{os.path.basename(path)}-wal"
        note(
            f"{path}: its {log} is missing: the newest answers are not here if the file was copied "
            "while it was served; `wordorder export PROJECT.db --backup FILE` copies them too"
        )


def _connect_to_read(path: str, lacks_log: bool) -> sqlite3.Connection:
    """Connect, without writing if possible.

    To read a log, SQLite creates a file next to it. On a full disk, the log is read in memory,
    with an exclusive lock; on a read-only disk, the file is read without the log.
    """
    modes = ["mode=ro", "mode=rw", "immutable=1"]
    failure: sqlite3.OperationalError | None = None
    for mode in modes[-1:] if lacks_log else modes:
        address = f"file:{pathname2url(os.path.abspath(path))}?{mode}"
        connection = None
        try:
            connection = sqlite3.connect(
                address, timeout=_WAIT_SECONDS, uri=True, isolation_level=None
            )
            if mode == "mode=rw":
                connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        except BaseException as error:
            if connection is not None:
                connection.close()
            if not isinstance(error, sqlite3.OperationalError):
                raise
            failure = failure or error
            continue
        if mode == "immutable=1" and _size(log_of(path)):
            log = f"{os.path.basename(path)}-wal"
            problem = f"cannot be read here ({write_problem(path) or failure})"
            note(
                f"{path}: the newest answers, in {log}, {problem}: copy both files to another disk"
            )
        return connection
    assert failure is not None
    raise failure


def write_problem(path: str) -> str:
    """Return why the disk of a project cannot be written to; empty if it can."""
    try:
        with tempfile.TemporaryFile(dir=os.path.dirname(os.path.realpath(path))) as file:
            # Also detects limits of the file size.
            file.seek(_size(path))
            file.write(bytes(_FREE_BYTES))
            file.flush()
    except OSError as error:
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
        return f"the disk is full: {error.strerror}" if is_full else str(error.strerror)
    return ""


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.exists(path) else 0


@contextlib.contextmanager
def name_file_in_errors(path: str) -> Iterator[None]:
    """Turn errors of SQLite in the block into an InputError that names the file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        problem = write_problem(path)
        if not problem:
            raise InputError(path, f"cannot be read: {error}", f"a project; {REMEDY}") from None
        expected = "room to write; `wordorder export` reads it all the same"
        raise InputError(path, f"cannot be opened: {problem}", expected) from None
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        # SQLite may quote bytes of a damaged file.
        raise InputError(path, f"cannot be read: {error}", f"an undamaged file; {REMEDY}") from None


def last_answers(connection: sqlite3.Connection) -> Iterator[Answer]:
    """Yield the last answer to each finished task, without control items, by rater and item."""
    systems = dict(connection.execute("SELECT id, system FROM output"))
    rows = connection.execute(
        "SELECT rater.name, line, at, shown, value, task.id FROM last_answer "
        "JOIN task ON task.id = task JOIN item ON item.id = item JOIN rater ON rater.id = rater "
        "WHERE control IS NULL AND done ORDER BY rater.id, line, item.id"
    )
    for rater, line, answered_at, output_ids, value, task in rows:
        names = tuple(systems[output] for output in json.loads(output_ids))
        yield Answer(rater, str(line), answered_at, names, json.loads(value), task)


def control_results(connection: sqlite3.Connection) -> dict[str, tuple[int, int]]:
    """Return the numbers of control items that each rater got right, and answered.

    The first answer counts, because the page then shows the right one. "Unknown" is wrong.
    """
    better = dict(connection.execute("SELECT id, better FROM output WHERE better IS NOT NULL"))
    results: dict[str, tuple[int, int]] = {}
    rows = connection.execute(
        "SELECT rater.name, shown, value FROM event JOIN task ON task.id = task "
        "JOIN item ON item.id = item JOIN rater ON rater.id = rater WHERE control IS NOT NULL "
        "AND event.id IN (SELECT min(id) FROM event GROUP BY task)"
    )
    for rater, output_ids, value in rows:
        sides = [better[output] for output in json.loads(output_ids)]
        right, total = results.get(rater, (0, 0))
        is_right = json.loads(value) == "AB"[sides.index(1)]
        results[rater] = (right + is_right, total + 1)
    return results


def failed_raters(connection: sqlite3.Connection) -> tuple[FailedRater, ...]:
    """Return the raters who got fewer than 60 % of their control items right."""
    return tuple(
        FailedRater(name, right, total)
        for name, (right, total) in control_results(connection).items()
        if right < MIN_RIGHT * total
    )


def project_signature(connection: sqlite3.Connection) -> Signature:
    """Return the signature of the answers: protocol, raters and seed."""
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

    Raters who fail the control items are left out; `Judgements.everybody` includes them.

    Raises
    ------
    InputError
        If the file is not a project of ratings or preferences of this version, or has no answers.
    """
    name = os.fspath(path)
    with open_readonly(path) as connection:
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
    build = _build_preferences if signature.metric == "preference" else _build_ratings
    control_signature = signature
    if controlled:
        control_signature = signature.with_fields(("control", f"{MIN_RIGHT:g}"))
    if not failed:
        return replace(build(name, answers), signature=str(control_signature))
    all_signature = signature.with_fields(("control", "off"))
    unfiltered = replace(build(name, answers), signature=str(all_signature))
    names = {rater.rater for rater in failed}
    accepted = [answer for answer in answers if answer.rater not in names]
    if not accepted:
        problem = f"all {counted(len(names), 'rater')} fail the control items"
        raise InputError(name, problem, f"some who know {100 * MIN_RIGHT:g} % of them")
    failures = ", ".join(f"{rater.rater} ({rater.right} of {rater.asked})" for rater in failed)
    note(f"{name}: left out {counted(len(failed), 'rater')} who failed control items: {failures}")
    return replace(
        build(name, accepted), signature=str(control_signature), failed=failed, everybody=unfiltered
    )


def _build_ratings(name: str, answers: Sequence[Answer]) -> Judgements:
    rows = RatingRows()
    for answer in answers:
        # Sorted by name, because the order shown would give systems random ids.
        for system, value in sorted(zip(answer.systems, answer.value, strict=True)):
            rows.add(answer.item, answer.rater, system, float(value))
    return rows.ratings()


def _build_preferences(name: str, answers: Sequence[Answer]) -> Judgements:
    rows = PairRows()
    unknown = 0
    for answer in answers:
        if answer.value in _OUTCOMES:
            first, second = answer.systems
            outcome = _OUTCOMES[answer.value]
            rows.add_pair(answer.item, answer.rater, first, second, outcome)
        else:
            unknown += 1
    if unknown == len(answers):
        raise InputError(name, "no preference: all answers are don't know", "one or more")
    if unknown:
        share = percent(unknown, len(answers))
        note(f"{name}: left out {counted(unknown, 'answer')} of {len(answers)} ({share}): unknown")
    return rows.judgements(name)


@dataclass(frozen=True)
class RaterProgress(Record):
    """Progress of a rater or annotator."""

    rater: str = key("name of the rater", heading="rater")
    done: int = key("finished tasks of the rater", heading="done")
    total: int = key("all tasks of the rater", heading="of")
    seen: str | None = key("time of the last visit, in UTC; `null` if never")
    revoked: bool = key("whether the rater's link is closed")
    right: int = key("control items that the rater got right, by the first answer to each")
    asked: int = key("control items that the rater answered")
    failed: bool = key("whether fewer than 60 % of them were right")
    empty: int = key(
        "sentences among `done` that the annotator confirmed as having nothing to align"
    )
    unconfirmed: int = key(
        "sentences that were saved as done without a link and never confirmed; not among `done`"
    )


@dataclass(frozen=True)
class ProjectProgress(Record, rows="raters"):
    """Progress of a project."""

    done: int = key("items with all their answers")
    items: int = key("number of items, without control items")
    signature: str = key("signature of the answers")
    raters: tuple[RaterProgress, ...] = key("the progress of each rater")


def project_progress(path: Path) -> ProjectProgress:
    """Return the current progress of a project; a server may be writing to it.

    Raises
    ------
    InputError
        If the file is not a project, or is of another version.
    """
    with open_readonly(path) as connection:
        signature = project_signature(connection)
        ratings = dict(signature.fields)["ratings"]
        raters = rater_progress(connection)
        needed = sum(not rater.revoked for rater in raters) if ratings == "all" else int(ratings)
        return ProjectProgress(*items_done(connection, needed), str(signature), raters)


def rater_progress(connection: sqlite3.Connection) -> tuple[RaterProgress, ...]:
    """Return the progress of each rater."""
    control = control_results(connection)
    empty = _count_empty_sentences(connection)
    rows = connection.execute(
        "SELECT name, coalesce(sum(done), 0), count(task.id), seen, "
        "max(given) IS NOT NULL, revoked IS NOT NULL FROM rater LEFT JOIN task ON rater = rater.id "
        "AND (returned IS NULL OR done) GROUP BY rater.id ORDER BY rater.id"
    )
    progress = []
    for name, done, total, last_seen, has_seen, revoked in rows:
        right, total_control = control.get(name, (0, 0))
        timestamp = datetime.fromtimestamp(last_seen, timezone.utc).isoformat(timespec="seconds")
        progress.append(
            RaterProgress(
                rater=name,
                done=done,
                total=total,
                seen=timestamp.replace("+00:00", "Z") if has_seen else None,
                revoked=bool(revoked),
                right=right,
                asked=total_control,
                failed=right < MIN_RIGHT * total_control,
                empty=empty[name, True],
                unconfirmed=empty[name, False],
            )
        )
    return tuple(progress)


def items_done(connection: sqlite3.Connection, needed: int) -> tuple[int, int]:
    """Return the number of items with at least `needed` answers, and of all items."""
    done, items = connection.execute(
        "SELECT coalesce(sum(n >= ?), 0), count(*) "
        "FROM (SELECT coalesce(sum(done), 0) n "
        "FROM item LEFT JOIN task ON item = item.id WHERE control IS NULL GROUP BY item.id)",
        (needed,),
    ).fetchone()
    return done, items


def _count_empty_sentences(connection: sqlite3.Connection) -> Counter[tuple[str, bool]]:
    """Count the sentences saved without a link, by annotator and by whether it was confirmed."""
    counts: Counter[tuple[str, bool]] = Counter()
    if project_signature(connection).metric != "annotate":
        return counts
    for name, value in connection.execute(
        "SELECT name, value FROM last_answer JOIN task ON task.id = task "
        "JOIN rater ON rater.id = rater"
    ):
        answer = json.loads(value)
        if not is_linked(answer) and not answer.get("draft"):
            counts[name, finishes(answer)] += 1
    return counts
