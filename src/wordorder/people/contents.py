"""The contents of a new project: its protocol, items and raters, and how they are written."""

from __future__ import annotations

import json
import secrets
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from wordorder._version import __version__
from wordorder.arrays import Int64, group_rows
from wordorder.errors import UsageError
from wordorder.people.assignment import (
    TOKEN_BYTES,
    add_raters,
    add_tasks,
    outputs_of,
    with_control,
)
from wordorder.people.items import InputText, Item
from wordorder.people.plan import rating_plan
from wordorder.people.protocol import Protocol
from wordorder.people.secret import Secret


@dataclass(frozen=True)
class NewProject:
    """The contents of a new project.

    Attributes
    ----------
    protocol : Protocol
    items : sequence of Item
        All items, control items included.
    raters : int
    seed : int
        Seed of the plan. The order of outputs on a page is drawn from the secret of the file
        instead, because the seed is public.
    inputs : sequence of InputText
        Texts that the items were made from.
    give_back : float
        Seconds of silence after which a rater's open tasks may go to others.
    options : str
        Other options that determine the items, such as the range of words.
    """

    protocol: Protocol
    items: Sequence[Item]
    raters: int
    seed: int = 12345
    inputs: Sequence[InputText] = ()
    give_back: float = 86400.0
    options: str = ""

    def plan(self) -> list[Int64]:
        """Return the indices of each rater's items, in the order shown, without control items.

        Raises
        ------
        UsageError
            If there are too few raters.
        """
        if self.raters < 1:
            raise UsageError("a project needs one rater or more")
        rated = np.array([n for n, item in enumerate(self.items) if item.control is None], np.int64)
        if not self.protocol.ratings:
            return [rated for _ in range(self.raters)]
        ratings, share = self.protocol.ratings, self.protocol.max_share
        limits: dict[str, Any] = {"ratings": ratings, "max_share": share, "seed": self.seed}
        return [rated[rows] for rows in rating_plan(len(rated), self.raters, **limits)]

    def meta(self) -> dict[str, str]:
        """Return the values that must be the same to continue a project, by display name."""
        return {
            "protocol": self.protocol.as_text(),
            "--seed": str(self.seed),
            "--raters": str(self.raters),
            "options": self.options,
            **{f"input {text.label}": text.digest for text in self.inputs},
        }

    def fill(self, connection: sqlite3.Connection, now: float) -> None:
        """Write the project into the empty tables of its file."""
        plan = self.plan()
        places = {f"place {text.label}": text.place for text in self.inputs}
        values = {"version": __version__, "made": repr(now), "give_back": repr(self.give_back)}
        values |= {"secret": secrets.token_hex(TOKEN_BYTES), "numbered": "0"}
        secret = Secret(values["secret"])
        meta = [*self.meta().items(), *places.items(), *values.items()]
        connection.executemany("INSERT INTO meta VALUES (?, ?)", meta)
        for number, item in enumerate(self.items):
            content = json.dumps(item.content, ensure_ascii=False)
            row = (number, item.line, content, item.control)
            connection.execute("INSERT INTO item VALUES (?, ?, ?, ?)", row)
            connection.executemany(
                "INSERT INTO output (item, system, text, better) VALUES (?, ?, ?, ?)",
                [(number, output.system, output.text, output.better) for output in item.outputs],
            )
        raters = add_raters(connection, self.raters, now)
        outputs = outputs_of(connection)
        shuffled = self._shuffle_within_sentences(secret)
        control = np.array([n for n, item in enumerate(self.items) if item.control is not None])
        for rater, rows in zip(raters, plan, strict=True):
            random = secret.random("control", rater)
            rater_items = (
                with_control(shuffled[rows], control, random) if len(control) else shuffled[rows]
            )
            add_tasks(connection, rater, rater_items.tolist(), outputs, secret)

    def _shuffle_within_sentences(self, secret: Secret) -> Int64:
        """Return a permutation of the items that shuffles items of the same sentence.

        Without it, the public plan would reveal which systems an item shows.
        """
        numbered = enumerate(self.items)
        lines = group_rows((item.line, number) for number, item in numbered if item.control is None)
        shuffled = np.arange(len(self.items), dtype=np.int64)
        for line, numbers in lines.items():
            shuffled[numbers] = secret.shuffled(numbers, "line", line)
        return shuffled
