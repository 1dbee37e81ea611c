"""Projects of earlier versions: what was drawn from the public seed is drawn again."""

import json
import math
import os
import sqlite3
from collections.abc import Mapping

from wordorder.errors import InputError, UsageError
from wordorder.judgement.alignment_answers import finishes
from wordorder.messages import counted, note, percent
from wordorder.people.items import read_input
from wordorder.people.plan import NewProject, Secret, outputs_of, shown_order
from wordorder.people.protocol import Protocol

# Swaps tried for each task of a sentence, times the logarithm: several times what mixes cards.
_SWAPS = 10


def mend(connection: sqlite3.Connection, path: str) -> None:
    """Bring a project of an earlier version up to date, once, in the transaction of the caller.

    Pages without an answer are drawn again from the secret: which of a sentence's items a rater has
    and the order of the outputs. They get new numbers, so that an answer to the old page finds no
    task. Answered pages stay as they were answered. Sentences that were saved without a link and
    without a word that there is none are open again.
    """
    meta = dict(connection.execute("SELECT name, value FROM meta"))
    if "numbered" in meta:
        return
    protocol = Protocol.of_text(meta["protocol"])
    most = connection.execute("SELECT coalesce(max(id), 0) FROM task").fetchone()[0]
    connection.execute("INSERT INTO meta VALUES ('numbered', ?)", (str(most),))
    if protocol.outputs == "none":
        _reopen(connection, path)
    else:
        _draw_again(connection, path, Secret(meta["secret"]), most)


def _draw_again(connection: sqlite3.Connection, path: str, secret: Secret, most: int) -> None:
    without = "id NOT IN (SELECT task FROM event)"
    _mix_items(connection, secret, without)
    outputs = outputs_of(connection)
    rows = connection.execute(f"SELECT id, rater, item FROM task WHERE {without}").fetchall()
    drawn = [
        (task + most, shown_order(secret, rater, item, outputs.get(item, [])), task)
        for task, rater, item in rows
    ]
    connection.executemany("UPDATE task SET id = ?, shown = ? WHERE id = ?", drawn)
    total = connection.execute("SELECT count(*) FROM task").fetchone()[0]
    if rows:
        pages = f"{counted(len(rows), 'page')} of {total} ({percent(len(rows), total)})"
        why = (
            f"drew the order of outputs on {pages} again, from a secret: it followed from the seed"
        )
        others = f"{counted(total - len(rows), 'page')} with an answer stay as they were"
        note(f"{path}: {why}; {others}")


def _mix_items(connection: sqlite3.Connection, secret: Secret, without: str) -> None:
    """Exchange items of a sentence between its pages without an answer; nobody gets one twice."""
    has: set[tuple[int, int]] = set()
    lines: dict[int, list[tuple[int, int, int]]] = {}
    for task, rater, item, line, is_open in connection.execute(
        f"SELECT task.id, rater, item, line, returned IS NULL AND task.{without} AND "
        "control IS NULL FROM task JOIN item ON item.id = item ORDER BY task.id"
    ):
        has.add((rater, item))
        if is_open:
            lines.setdefault(line, []).append((task, rater, item))
    for line, tasks in lines.items():
        if len({item for *_, item in tasks}) < 2:
            continue
        raters = [rater for _, rater, _ in tasks]
        items = [item for *_, item in tasks]
        count = len(tasks)
        tries = math.ceil(_SWAPS * count * (1 + math.log(count)))
        random = secret.random("again", line)
        for one, other in random.integers(count, size=(tries, 2)).tolist():
            before = {(raters[one], items[one]), (raters[other], items[other])}
            after = {(raters[one], items[other]), (raters[other], items[one])}
            if not (after - before) & has:
                has -= before
                has |= after
                items[one], items[other] = items[other], items[one]
        moved = [(item, task) for (task, *_), item in zip(tasks, items, strict=True)]
        connection.executemany("UPDATE task SET item = ? WHERE id = ?", moved)


def _reopen(connection: sqlite3.Connection, path: str) -> None:
    rows = connection.execute(
        "SELECT task, value FROM last_answer JOIN task ON task.id = task WHERE done"
    ).fetchall()
    empty = [(task,) for task, value in rows if not finishes(json.loads(value))]
    connection.executemany("UPDATE task SET done = 0 WHERE id = ?", empty)
    if empty:
        share = f"{len(rows)} ({percent(len(empty), len(rows))})"
        what = f"{counted(len(empty), 'sentence')} of {share} saved as done without a link"
        note(f"{path}: {what}: they come again, to be linked or confirmed as nothing to align")


# A longer setting is not shown.
_SHOWN = 20


def check_same(path: str, meta: Mapping[str, str], new: NewProject) -> None:
    """Refuse to go on with a project that was made of something else.

    Raises
    ------
    UsageError
        Naming what differs.
    """
    given = new.meta()
    for name in sorted({*given, *(name for name in meta if name.startswith("input "))}):
        kept, value = meta.get(name), given.get(name)
        if kept == value:
            continue
        label = name.removeprefix("input ")
        what = f"was made from another {label}"
        if value is None:
            what = f"was made with {label}, too"
        elif kept is None:
            what = f"was made without {label}"
        elif name.startswith("--") and len(kept + value) <= _SHOWN:
            what = f"was made with {name}={kept}, not {value}"
        raise UsageError(f"{path}: {what}; give another file with -o")


def check_files(path: str, meta: Mapping[str, str]) -> None:
    """Refuse a project of which a file has changed; one that is gone is not missed.

    Raises
    ------
    InputError
        Naming the file.
    """
    for name, place in meta.items():
        label = name.removeprefix("place ")
        if label == name or not os.path.isfile(place):
            continue
        if read_input(label, place).digest != meta[f"input {label}"]:
            what = f"{label}, {place}, has changed since the project was made from it"
            raise InputError(path, what, "the same file, or none")
