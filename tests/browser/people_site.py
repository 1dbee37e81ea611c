"""A project served in a thread, and raters who open its pages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import uvicorn

from wordorder.cli.people import owner_page
from wordorder.people.app import Endpoints, static_files
from wordorder.people.items import Item, Output
from wordorder.people.project import Project
from wordorder.people.protocol import Protocol
from wordorder.people.serving import allowed_hosts, listen

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

# What each output page is waited for.
SHOWN = "#work:not([hidden]), #end:not([hidden])"


def item(line: int, source: str, reference: str, *outputs: str, control: str = "") -> Item:
    """Make an item; of a control item the first output is the better one."""
    better = (True, False) if control else (None,) * len(outputs)
    made = [
        Output(f"secret-{letter}", text, good)
        for letter, text, good in zip("abcdefgh", outputs, better, strict=False)
    ]
    return Item(line, {"source": source, "reference": reference}, tuple(made), control or None)


@dataclass
class Site:
    """A project with links for raters; each call of `token` takes the next rater."""

    project: Project
    path: Path
    url: str
    taken: int = 0

    def token(self) -> str:
        """Take a rater whom no test has had."""
        self.taken += 1
        return self.project.raters()[self.taken - 1].token

    def open(self, context: BrowserContext, token: str | None = None) -> Page:
        """Open the page of a new rater, or of one whose token is given."""
        page = context.new_page()
        page.goto(f"{self.url}#{self.token() if token is None else token}")
        page.wait_for_selector(SHOWN)
        return page

    def events(self, token: str) -> list[tuple[str, Any]]:
        """Return all answers of a rater: the source of the sentence, and the value."""
        rows = self.rows(
            "SELECT content, value FROM event JOIN task ON task.id = event.task"
            " JOIN item ON item.id = task.item JOIN rater ON rater.id = task.rater"
            " WHERE token = ? ORDER BY event.id",
            token,
        )
        return [(json.loads(content)["source"], json.loads(value)) for content, value in rows]

    def ratings(self, token: str) -> dict[str, float]:
        """Return the value of each output, by its text, as the file has it."""
        rows = self.rows(
            "SELECT shown, value FROM event JOIN task ON task.id = event.task"
            " JOIN rater ON rater.id = task.rater WHERE token = ? ORDER BY event.id",
            token,
        )
        text = dict(self.rows("SELECT id, text FROM output"))
        return {
            text[output]: value
            for shown, values in rows
            for output, value in zip(json.loads(shown), json.loads(values), strict=True)
        }

    def rows(self, query: str, *values: Any) -> list[Any]:
        """Ask the file itself, as another program would."""
        with closing(sqlite3.connect(self.path)) as connection:
            return connection.execute(query, values).fetchall()


@contextmanager
def served_project(
    path: Path, protocol: Protocol, items: Sequence[Item], raters: int, page: str = "rate.html"
) -> Iterator[Site]:
    """Make a project and serve it on a free port."""
    with Project.create(path, protocol, items, raters) as project, listen(0) as listening:
        port = listening.getsockname()[1]
        endpoints = Endpoints(
            project, page=page, static=static_files(), overview=lambda: owner_page(str(path))
        )
        config = uvicorn.Config(
            endpoints.application(allowed_hosts(port, [])), lifespan="off", log_config=None
        )
        server = uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            yield Site(project, path, f"http://127.0.0.1:{port}/")
        finally:
            # Open tabs keep their connections.
            server.should_exit = server.force_exit = True
            thread.join()
            endpoints.close()
