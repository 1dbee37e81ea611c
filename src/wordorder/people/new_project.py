"""Filling a new project: what is asked, raters with their tokens, and the tasks of each."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wordorder._version import __version__
from wordorder.errors import UsageError
from wordorder.people.items import InputText, Item
from wordorder.people.plan import rating_plan
from wordorder.people.protocol import Protocol
from wordorder.people.secret import Secret
from wordorder.types import Int64

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
        plan = rating_plan(
            len(asked),
            self.raters,
            ratings=self.protocol.ratings,
            max_share=self.protocol.max_share,
            seed=self.seed,
        )
        return [asked[rows] for rows in plan]

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
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?)", [*self.meta().items(), *places.items(), *more.items()]
        )
        for number, item in enumerate(self.items):
            content = json.dumps(item.content, ensure_ascii=False)
            connection.execute(
                "INSERT INTO item VALUES (?, ?, ?, ?)", (number, item.line, content, item.control)
            )
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
        lines: dict[int, list[int]] = {}
        for number, item in enumerate(self.items):
            if item.control is None:
                lines.setdefault(item.line, []).append(number)
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
    found: dict[int, list[int]] = {}
    for item, output in connection.execute("SELECT item, id FROM output ORDER BY id"):
        found.setdefault(item, []).append(output)
    return found


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
    connection.executemany(
        "INSERT INTO task (rater, item, place, shown) VALUES (?, ?, ?, ?)",
        [
            (rater, item, place, shown_order(secret, rater, item, outputs.get(item, [])))
            for place, item in enumerate(items, first)
        ],
    )


def shown_order(secret: Secret, rater: int, item: int, outputs: Sequence[int]) -> str:
    """Return the outputs as one rater sees them on the page of an item, as JSON."""
    return json.dumps(secret.mixed(outputs, "shown", rater, item))
