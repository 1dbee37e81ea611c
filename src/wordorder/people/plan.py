"""The plan of who rates what: seeded, balanced, nobody beyond his share."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from wordorder._version import __version__
from wordorder.arrays import Int64, grouped
from wordorder.errors import UsageError, WordOrderError
from wordorder.messages import counted
from wordorder.people.items import InputText, Item
from wordorder.people.protocol import Protocol


def most_items(items: int, max_share: float) -> int:
    """Return how many items one rater may have.

    The share is taken as it is written: 29 % of 100 are 29.

    Examples
    --------
    >>> most_items(100, 0.29), most_items(33, 0.03), most_items(34, 0.03)
    (29, 0, 1)
    """
    return int(Fraction(repr(float(max_share))) * items)


def fewest_raters(items: int, ratings: int, max_share: float) -> int:
    """Return how many raters the ratings need if nobody may have more than a share of the items.

    Raises
    ------
    UsageError
        If not even one item is within the share, with the fewest items of which one is.

    Examples
    --------
    >>> fewest_raters(10_000, 3, 0.03), fewest_raters(34, 3, 0.03), fewest_raters(34, 3, 1)
    (100, 102, 3)
    """
    if items < 1:
        raise UsageError("nothing to rate")
    most = most_items(items, max_share)
    if not most:
        least = -(-1 // Fraction(repr(float(max_share))))
        what = f"{counted(items, 'item')}: one is more than the share {max_share:g} of a rater"
        raise UsageError(f"{what}; give {least} items or a larger --max-share (1 lifts it)")
    return max(ratings, -(-items * ratings // most))


def rating_plan(
    items: int, raters: int, *, ratings: int = 3, max_share: float = 1.0, seed: int = 12345
) -> list[Int64]:
    """Plan who rates what: each item has its number of raters, and all raters as many items.

    The items come in a random order, the raters in random orders one behind the other, so that any
    two raters may meet on an item. No rater has an item twice.

    Parameters
    ----------
    items, raters : int
    ratings : int
        The raters of each item.
    max_share : float
        The largest share of the items that one rater may have.
    seed : int

    Returns
    -------
    list of int64[n], one per rater
        His items, numbers from 0, in the order in which he sees them. The lengths differ by 1 at
        most.

    Raises
    ------
    UsageError
        If there are too few raters or items; the message says how many are needed.

    Examples
    --------
    >>> [sorted(rows.tolist()) for rows in rating_plan(4, 3, ratings=2)]
    [[0, 1, 3], [1, 2], [0, 2, 3]]
    """
    needed = fewest_raters(items, ratings, max_share)
    if raters < needed:
        if raters < ratings:
            what = f"{counted(raters, 'rater')} for {ratings} ratings of each item"
            raise UsageError(f"{what}; give {needed} raters or more")
        # The share that would do, rounded up to what can be typed.
        share = -(-Fraction(-(-items * ratings // raters), items) * 10000 // 1) / Fraction(10000)
        what = f"{counted(raters, 'rater')} for {ratings} ratings of {items} items"
        most = f"at most {most_items(items, max_share)} by one (--max-share={max_share:g})"
        how = f"give {needed} raters or more, or --max-share={float(share):g}"
        raise UsageError(f"{what}, {most}; {how}")
    random = np.random.default_rng(seed)
    slots = items * ratings
    rows = np.concatenate([np.empty(0, np.int64), *_in_turns(random, slots, raters, ratings)])
    order = np.repeat(random.permutation(items), ratings)
    by_rater = np.argsort(rows[:slots], kind="stable")
    ends = np.cumsum(np.bincount(rows[:slots], minlength=raters))
    return [random.permutation(part) for part in np.split(order[by_rater], ends[:-1])]


def _in_turns(random: np.random.Generator, slots: int, raters: int, ratings: int) -> list[Int64]:
    """Return random orders of the raters, so that `ratings` in a row from a multiple on differ."""
    turns: list[Int64] = []
    for begin in range(0, slots, raters):
        turn = random.permutation(raters).astype(np.int64)
        # An item that begins in one turn and ends in the next.
        before = begin % ratings
        if before:
            missing = ratings - before
            # A turn is no shorter than the raters of an item.
            seen = set(turns[-1][-before:].tolist())
            for place in range(missing):
                if turn[place] in seen:
                    free = [at for at in range(missing, raters) if turn[at] not in seen]
                    other = free[int(random.integers(len(free)))]
                    turn[place], turn[other] = turn[other], turn[place]
        turns.append(turn)
    return turns


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
    connection: sqlite3.Connection, new: Sequence[int], protocol: Protocol, secret: Secret
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


class NotYoursError(WordOrderError):
    """A task is unknown, or another rater's."""


class ConflictError(WordOrderError):
    """An answer would undo a later answer than its page showed, or finished work."""


@dataclass(frozen=True)
class Rater:
    """Who has a link to the pages."""

    id: int
    name: str
    token: str
    revoked: bool = False


@dataclass(frozen=True)
class Task:
    """What one page shows to one rater; names of systems are not in it.

    Attributes
    ----------
    id : str
    protocol : Protocol
    place, total : int
        The how manieth of the rater's tasks it is, from 1.
    answer : the last answer, or None
    version : str or None
        The key of the last answer, which the next one must name; None before the first answer.
    before, after : str or None
        The tasks before and after it.
    content : dict
        ``source`` and ``reference``, or what an annotator gets.
    outputs : list of str
        In the order shown.
    has_checks : bool
        Whether some pages of the project are checks; not whether this one is.
    """

    id: str
    protocol: Protocol
    place: int
    total: int
    answer: Any
    version: str | None
    before: str | None
    after: str | None
    content: dict[str, Any]
    outputs: list[str]
    has_checks: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as ``GET /api/task`` answers."""
        found = {
            "task": self.id,
            "protocol": self.protocol.name,
            "place": self.place,
            "total": self.total,
            "answer": self.answer,
            "version": self.version,
            "saved": self.answer is not None,
            "before": self.before,
            "after": self.after,
            "instructions": self.protocol.instructions,
            "checks": self.has_checks,
            **self.content,
        }
        if self.outputs:
            found["outputs"] = self.outputs
        if self.protocol.scale is not None:
            found["scale"] = self.protocol.scale.as_json()
        return found


@dataclass(frozen=True)
class Saved:
    """An answer that is on disk.

    Attributes
    ----------
    event : int
    done, total : int
        Tasks of the rater.
    feedback : dict, optional
        After a missed control item: the ``right`` answer and its ``explanation``.
    """

    event: int
    done: int
    total: int
    feedback: dict[str, str] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return it as ``POST /api/answers`` answers."""
        found: dict[str, Any] = {"event": self.event, "done": self.done, "total": self.total}
        return found if self.feedback is None else found | {"feedback": self.feedback}


# Bytes of a token: nobody guesses 192 bits.
_TOKEN = 24


@dataclass(frozen=True)
class NewProject:
    """What a project is made of.

    Attributes
    ----------
    protocol : Protocol
    items : sequence of Item
        Control items among them.
    raters : int
    seed : int
        Of the draw of who rates what. What is on which side of a page is drawn from the secret of
        the file: the seed is known to everybody.
    inputs : sequence of InputText
        What the items were made from.
    give_back : float
        Seconds of silence after which a rater's open tasks may go to others.
    options : str
        What else shaped the items, such as the range of words.
    """

    protocol: Protocol
    items: Sequence[Item]
    raters: int
    seed: int = 12345
    inputs: Sequence[InputText] = ()
    give_back: float = 86400.0
    options: str = ""

    def plan(self) -> list[Int64]:
        """Return the places in `items` of what each rater rates, in his order, without controls.

        Raises
        ------
        UsageError
            If the raters are too few.
        """
        if self.raters < 1:
            raise UsageError("a project needs one rater or more")
        asked = np.array([n for n, item in enumerate(self.items) if item.control is None], np.int64)
        if not self.protocol.ratings:
            return [asked for _ in range(self.raters)]
        ratings, share = self.protocol.ratings, self.protocol.max_share
        limits: dict[str, Any] = {"ratings": ratings, "max_share": share, "seed": self.seed}
        return [asked[rows] for rows in rating_plan(len(asked), self.raters, **limits)]

    def meta(self) -> dict[str, str]:
        """Return what is compared when a project goes on, by its name in messages."""
        return {
            "protocol": self.protocol.as_text(),
            "--seed": str(self.seed),
            "--raters": str(self.raters),
            "options": self.options,
            **{f"input {text.label}": text.digest for text in self.inputs},
        }

    def fill(self, connection: sqlite3.Connection, now: float) -> None:
        """Write everything into the empty tables."""
        plan = self.plan()
        places = {f"place {text.label}": text.place for text in self.inputs}
        more = {"version": __version__, "made": repr(now), "give_back": repr(self.give_back)}
        more |= {"secret": secrets.token_hex(_TOKEN), "numbered": "0"}
        secret = Secret(more["secret"])
        meta = [*self.meta().items(), *places.items(), *more.items()]
        connection.executemany("INSERT INTO meta VALUES (?, ?)", meta)
        for number, item in enumerate(self.items):
            content = json.dumps(item.content, ensure_ascii=False)
            row = (number, item.line, content, item.control)
            connection.execute("INSERT INTO item VALUES (?, ?, ?, ?)", row)
            connection.executemany(
                "INSERT INTO output (item, system, text, better) VALUES (?, ?, ?, ?)",
                [(number, each.system, each.text, each.better) for each in item.outputs],
            )
        raters = add_raters(connection, self.raters, now)
        outputs = outputs_of(connection)
        hidden = self._hidden(secret)
        control = np.array([n for n, item in enumerate(self.items) if item.control is not None])
        for rater, rows in zip(raters, plan, strict=True):
            random = secret.random("control", rater)
            both = with_control(hidden[rows], control, random) if len(control) else hidden[rows]
            add_tasks(connection, rater, both.tolist(), outputs, secret)

    def _hidden(self, secret: Secret) -> Int64:
        """Return which item takes the place of each: another one of the same sentence.

        Where an item has the output of one system, or of two, the plan alone would tell which.
        """
        numbered = enumerate(self.items)
        lines = grouped((item.line, number) for number, item in numbered if item.control is None)
        found = np.arange(len(self.items), dtype=np.int64)
        for line, numbers in lines.items():
            found[numbers] = secret.mixed(numbers, "line", line)
        return found


def with_control(rows: Int64, control: Int64, random: np.random.Generator) -> Int64:
    """Return a rater's items with the control items at random places among them."""
    places = random.integers(len(rows) + 1, size=len(control))
    return np.insert(rows, places, random.permutation(control)).astype(np.int64)


def outputs_of(connection: sqlite3.Connection) -> dict[int, list[int]]:
    """Return the outputs of each item."""
    return grouped(connection.execute("SELECT item, id FROM output ORDER BY id"))


def add_raters(connection: sqlite3.Connection, count: int, now: float) -> list[int]:
    """Add raters, called by their numbers; return these."""
    first = connection.execute("SELECT count(*) FROM rater").fetchone()[0] + 1
    numbers = list(range(first, first + count))
    connection.executemany(
        "INSERT INTO rater VALUES (?, ?, ?, ?, ?, NULL)",
        [(n, f"rater{n}", new_token(), now, now) for n in numbers],
    )
    return numbers


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(_TOKEN)


def add_tasks(
    connection: sqlite3.Connection,
    rater: int,
    items: Sequence[int],
    outputs: dict[int, list[int]],
    secret: Secret,
) -> None:
    """Append tasks to those of a rater, the outputs of each in an order drawn from the secret."""
    found = connection.execute("SELECT max(place) FROM task WHERE rater = ?", (rater,))
    first = (found.fetchone()[0] or 0) + 1
    rows = [
        (rater, item, place, shown_order(secret, rater, item, outputs.get(item, [])))
        for place, item in enumerate(items, first)
    ]
    statement = "INSERT INTO task (rater, item, place, shown) VALUES (?, ?, ?, ?)"
    connection.executemany(statement, rows)


def shown_order(secret: Secret, rater: int, item: int, outputs: Sequence[int]) -> str:
    """Return the outputs as one rater sees them on the page of an item, as JSON."""
    return json.dumps(secret.mixed(outputs, "shown", rater, item))


Value = TypeVar("Value", int, str)

# Bytes of the name of a task: nobody guesses 128 bits.
_NAME = 16


class Secret:
    """The secret of a project: the same file draws the same, whenever it is opened.

    Parameters
    ----------
    text : str
        What the project file holds as its secret.

    Examples
    --------
    >>> secret = Secret("what nobody knows")
    >>> secret.mixed([1, 2, 3], "shown"), secret.mixed([1, 2, 3], "hidden")
    ([1, 3, 2], [2, 3, 1])
    """

    def __init__(self, text: str) -> None:
        self._key = text.encode()

    def mixed(self, values: Iterable[Value], *what: str | int) -> list[Value]:
        """Return values in an order that is random, and the same for the same thing drawn."""
        return sorted(values, key=lambda value: self._digest(*what, value))

    def random(self, *what: str | int) -> np.random.Generator:
        """Return random numbers of their own for each thing drawn."""
        return np.random.default_rng(int.from_bytes(self._digest(*what), "big"))

    def name(self, task: int) -> str:
        """Return what pages call a task; it says nothing of its number."""
        return self._digest("task", task)[:_NAME].hex()

    def owner(self) -> str:
        """Return the token of the owner's page."""
        return self._digest("owner").hex()

    def _digest(self, *what: str | int) -> bytes:
        return hmac.digest(self._key, json.dumps(what).encode(), hashlib.sha256)
