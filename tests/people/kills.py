"""Raters at work while the server is killed: what they know afterwards, and what the file holds."""

import http.client
import itertools
import random
import sqlite3
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

from tests.people.serving import PageOf, Running


@dataclass
class Worker:
    """A rater who answers as fast as the server does, and remembers as his page does."""

    name: str
    sent: dict[str, tuple[str, list[int]]] = field(default_factory=dict)
    saved: set[str] = field(default_factory=set)
    open: list[str] = field(default_factory=list)
    repeated: int = 0
    begun: threading.Event = field(default_factory=threading.Event)

    def work(self, page: PageOf) -> None:
        """Deliver what has no answer yet, then new answers, until the server is gone."""
        try:
            for key in list(self.open):
                self.repeated += 1
                self._send(page, key)
            task = page.get("/api/task/" + self._task(page))[1]["task"]
            for number in itertools.count():
                key = f"{self.name} {len(self.sent)}"
                self.sent[key] = task, [number % 7, 6]
                self.open.append(key)
                self._send(page, key)
        except (OSError, http.client.HTTPException):
            return

    def _task(self, page: PageOf) -> str:
        """Return a task; the same one is answered again and again."""
        return next(iter(self.sent.values()))[0] if self.sent else page.get("/api/next")[1]["task"]

    def _send(self, page: PageOf, key: str) -> None:
        number = int(key.split()[1])
        version = f"{self.name} {number - 1}" if number else None
        status, said = page.save(self.sent[key][0], key, self.sent[key][1], version)
        assert status == 200, said
        self.saved.add(key)
        self.open.remove(key)
        self.begun.set()


def kill_once(path: str, workers: list[Worker], seconds: float) -> None:
    """Serve a project to raters at work, and kill the server some seconds after they began."""
    with Running("serve", path, "--port", "0", links=len(workers)) as server:
        threads = [
            threading.Thread(target=each.work, args=(server.page(each.name),)) for each in workers
        ]
        for thread in threads:
            thread.start()
        # A loaded machine may be slow to begin.
        for each in workers:
            each.begun.wait(60)
            each.begun.clear()
        time.sleep(seconds)
        server.process.kill()
        for thread in threads:
            thread.join()


def lost_and_doubled(path: str, workers: list[Worker]) -> tuple[int, int]:
    """Count answers that were acknowledged and are not in the file, and those in it twice."""
    events = Counter(key for (key,) in _query(path, "SELECT key FROM event"))
    sent = {key for each in workers for key in each.sent}
    assert set(events) <= sent
    saved = {key for each in workers for key in each.saved}
    return len(saved - set(events)), sum(count - 1 for count in events.values())


def answers_as_sent(path: str, workers: list[Worker]) -> bool:
    """Say whether each event holds what was sent under its key, in the order it was sent."""
    rows = _query(path, "SELECT key, replace(value, ',', ', ') FROM event ORDER BY id")
    sent = {key: str(answer) for each in workers for key, (_, answer) in each.sent.items()}
    in_order = all(
        numbers == sorted(numbers)
        for each in workers
        for numbers in [[int(k.split()[1]) for k, _ in rows if k.split()[0] == each.name]]
    )
    return in_order and all(sent[key] == value for key, value in rows)


def moments(count: int, seed: int, longest: float = 0.4) -> list[float]:
    """Return random moments of a kill, in seconds from the first answer."""
    chance = random.Random(seed)
    return [chance.uniform(0, longest) for _ in range(count)]


def _query(path: str, query: str) -> list[tuple[str, ...]]:
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return connection.execute(query).fetchall()
    finally:
        connection.close()
