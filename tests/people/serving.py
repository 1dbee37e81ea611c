"""A server in a process of its own, and what a page sends it over the network."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from wordorder.people.items import Item, Output
from wordorder.people.project import Project
from wordorder.people.protocol import rating_protocol
from wordorder.people.tasks import Rater, Saved

SYSTEMS = ("first", "second")


def ratings(path: Path, *, sentences: int = 40, raters: int = 2) -> str:
    """Make a project in which all raters rate all sentences; return its path."""
    protocol = rating_protocol("talbot", max_share=1, ratings=raters)
    Project.create(path, protocol, items(sentences), raters).close()
    return str(path)


def items(count: int, systems: Sequence[str] = ()) -> list[Item]:
    """Make sentences; each output says which system's it is, and the number of the sentence."""
    return [
        Item(
            line,
            {"source": f"s{line}", "reference": f"r{line}"},
            tuple(Output(name, f"{name} {line}") for name in systems or SYSTEMS),
        )
        for line in range(1, count + 1)
    ]


def control(count: int) -> list[Item]:
    """Make control items."""
    both = (Output("better", "right", True), Output("worse", "wrong", False))
    return [
        Item(n, {"source": f"control {n}", "reference": ""}, both, f"because {n}")
        for n in range(1, count + 1)
    ]


def answer_all(project: Project, judge: Callable[[str, list[str]], object], *raters: Rater) -> int:
    """Let raters, all unless some are given, answer all that they are asked; return how much.

    `judge` gets the rater's name and the outputs.
    """
    asked = 0
    for rater in raters or project.raters():
        while (task := project.next_task(rater)[0]) is not None:
            outputs = project.task(rater, task).outputs
            project.save(rater, task, f"{rater.name} {task}", judge(rater.name, outputs))
            asked += 1
    return asked


def save_again(project: Project, rater: Rater, task: str, key: str, answer: object) -> Saved:
    """Save as from a page that was opened just now."""
    return project.save(rater, task, key, answer, project.task(rater, task).version)


class Running:
    """The program, serving pages; `kill` or the end of the block stops it."""

    def __init__(
        self, *args: str | Path, links: int, before: Callable[[], None] | None = None
    ) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "wordorder", *args, "--no-browser"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=before,
        )
        assert self.process.stdout is not None
        self.links: dict[str, str] = {}
        self.more = ""
        self._pages: list[PageOf] = []
        while len(self.links) < links:
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(self.process.communicate()[1])
            name, link = line.split()
            self.links[name] = link

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.process.kill()
        self.process.communicate()
        for page in self._pages:
            page.close()

    def end(self, number: int) -> tuple[int, str]:
        """Send a signal; return status and what standard error says."""
        self.process.send_signal(number)
        self.more, said = self.process.communicate(timeout=60)
        return self.process.returncode, said

    def page(self, rater: str) -> PageOf:
        """Return what the page of a rater can ask."""
        self._pages.append(PageOf(self.links[rater]))
        return self._pages[-1]


class PageOf:
    """One rater's page: keeps its connection, opens another where it broke."""

    def __init__(self, link: str) -> None:
        address, _, self.token = link.removeprefix("http://").partition("/#")
        self.headers = {"Authorization": f"Bearer {self.token}", "Origin": f"http://{address}"}
        self._connection = http.client.HTTPConnection(address, timeout=30)

    def get(self, path: str, method: str = "GET") -> tuple[int, Any]:
        return self._ask(method, path, None)

    def save(self, task: str, key: str, answer: Any, version: str | None = None) -> tuple[int, Any]:
        body = {"task": task, "key": key, "answer": answer, "version": version}
        return self.post("/api/answers", body)

    def post(self, path: str, body: Any) -> tuple[int, Any]:
        return self._ask("POST", path, body)

    def close(self) -> None:
        self._connection.close()

    def _ask(self, method: str, path: str, body: Any) -> tuple[int, Any]:
        sent = None if body is None else json.dumps(body)
        try:
            self._connection.request(method, path, sent, self.headers)
            answer = self._connection.getresponse()
            text = answer.read()
        except BaseException:
            self._connection.close()
            raise
        return answer.status, json.loads(text) if text else None
