"""Many connections and few files: who is honest is answered, and a signal ends the server."""

import http.client
import json
import random
import resource
import select
import signal
import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest
from tests.people.serving import Running, ratings

from wordorder.people import connections

FILES = ("/", *(f"/static/{name}" for name in ("rate.css", "rate.js", "saving.js")))
IDLE, BROWSERS, OPEN = 300, 60, 6


def few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


class Idle:
    """Half requests that are never finished; what the server closes is opened again."""

    def __init__(self, address: str, count: int) -> None:
        host, _, port = address.partition(":")
        self.to = (host, int(port))
        head = f"POST /api/answers HTTP/1.1\r\nHost: {address}\r\n"
        self.parts = ("", "GET / HT", head, f"{head}Content-Length: 99\r\n\r\n{{")
        self.count = count
        self.open: list[socket.socket] = []
        self.closed = 0

    def fill(self) -> None:
        while len(self.open) < self.count:
            made = socket.create_connection(self.to, timeout=30)
            with suppress(OSError):
                made.sendall(self.parts[len(self.open) % 4].encode())
            self.open.append(made)

    def keep(self, over: threading.Event) -> None:
        while not over.wait(0.5):
            poll = select.poll()
            for each in self.open:
                poll.register(each, select.POLLIN)
            ended = {number for number, _ in poll.poll(0)}
            gone = [each for each in self.open if each.fileno() in ended]
            self.open = [each for each in self.open if each not in gone]
            for each in gone:
                each.close()
            self.closed += len(gone)
            with suppress(OSError):
                self.fill()

    def close(self) -> None:
        for each in self.open:
            each.close()


class Browser:
    """One rater: opens several connections, and asks again where one was closed, as browsers do."""

    def __init__(self, link: str, seed: int) -> None:
        self.address, _, self.token = link.removeprefix("http://").partition("/#")
        self.chance = random.Random(seed)
        self.headers = {
            "Authorization": f"Bearer {self.token}",
            "Origin": f"http://{self.address}",
        }
        self.open = [http.client.HTTPConnection(self.address, timeout=60) for _ in range(OPEN)]
        self.times: list[float] = []
        self.saved = 0

    def work(self, pages: int) -> None:
        for number, path in enumerate(FILES * 2):
            self.ask(number, "GET", path)
        for number in range(pages):
            time.sleep(self.chance.uniform(0, 1))
            task = self.ask(0, "GET", "/api/next")["task"]
            shown = self.ask(1, "GET", f"/api/task/{task}")
            body = {"task": task, "key": f"{self.token} {number}", "answer": [3] * 2}
            assert len(shown["outputs"]) == 2
            self.saved += "event" in self.ask(2, "POST", "/api/answers", json.dumps(body))
        self.close()

    def close(self) -> None:
        for each in self.open:
            each.close()

    def ask(self, number: int, method: str, path: str, body: str | None = None) -> dict[str, str]:
        connection = self.open[number % OPEN]
        begun = time.monotonic()
        while True:
            try:
                connection.request(method, path, body, self.headers)
                reply = connection.getresponse()
                text = reply.read()
                break
            except (OSError, http.client.HTTPException):
                connection.close()
                assert time.monotonic() - begun < 30
        self.times.append(time.monotonic() - begun)
        assert reply.status == 200
        return json.loads(text) if path.startswith("/api") else {}


@pytest.mark.slow
def test_idle_connections_and_many_browsers(tmp_path: Path) -> None:
    path = ratings(tmp_path / "p.db", sentences=10, raters=BROWSERS)
    command = ("serve", path, "--port", "0", "--lan", "--host", "127.0.0.1")
    with Running(*command, links=BROWSERS, before=few_files) as server:
        browsers = [Browser(link, n) for n, link in enumerate(server.links.values())]
        idle = Idle(browsers[0].address, IDLE)
        over = threading.Event()
        keeping = threading.Thread(target=idle.keep, args=(over,))
        threads = [threading.Thread(target=each.work, args=(3,)) for each in browsers]
        with closing(idle):
            idle.fill()
            keeping.start()
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            over.set()
            keeping.join()
            idle.fill()
            begun = time.monotonic()
            status, said = server.end(signal.SIGINT)
            ended = time.monotonic() - begun
    times = sorted(seconds for each in browsers for seconds in each.times)
    assert [each.saved for each in browsers] == [3] * BROWSERS
    assert times[int(len(times) * 0.99)] < 2
    assert idle.closed > IDLE / 3
    assert status == 130
    assert ended < 2
    first, owner, *trouble, last = said.splitlines()
    assert "plain HTTP" in first
    assert "the owner's page" in owner
    assert "the server has ended" in last
    assert len(trouble) == 1
    assert "more than 200 connections at a time" in trouble[0]


def ended(connection: socket.socket, more: bool) -> bool:
    """Say whether the other side has closed it; send a byte more if it has not."""
    try:
        if connection.recv(100) == b"":
            return True
    except TimeoutError:
        pass
    except OSError:
        return True
    with suppress(OSError):
        connection.sendall(b"x" * more)
    return False


@pytest.mark.parametrize("part", range(4))
def test_a_request_has_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: int) -> None:
    """In the child, twenty seconds are one; a byte now and then does not prolong them."""
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util, sys\n"
        "class Soon:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'wordorder.people.connections':\n"
        "            sys.meta_path.remove(self)\n"
        "            spec = importlib.util.find_spec(name)\n"
        "            execute = spec.loader.exec_module\n"
        "            def soon(module):\n"
        "                execute(module)\n"
        "                module.REQUEST_SECONDS = 1.0\n"
        "            spec.loader.exec_module = soon\n"
        "            return spec\n"
        "sys.meta_path.insert(0, Soon())\n"
    )
    assert connections.REQUEST_SECONDS == 20
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    path = ratings(tmp_path / "p.db")
    with Running("serve", path, "--port", "0", links=2) as server:
        browser = Browser(server.links["rater1"], 0)
        idle = Idle(browser.address, part + 1)
        with closing(idle):
            idle.fill()
            slow = idle.open[part]
            begun = time.monotonic()
            slow.settimeout(0.2)
            while not ended(slow, part > 0):
                assert time.monotonic() - begun < 10
            assert time.monotonic() - begun > 0.7
        assert browser.ask(0, "GET", "/api/next")["task"]
        browser.close()
        status, said = server.end(signal.SIGTERM)
    assert status == 0
    assert "Traceback" not in said


@pytest.mark.slow
def test_the_limit_of_open_files_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = [(256, 256), (64, 64), (1024, 4096), (256, resource.RLIM_INFINITY), (9999, 9999)]
    found = []
    for soft, hard in limits:
        now = [soft]
        monkeypatch.setattr(resource, "getrlimit", lambda _, now=now, hard=hard: (now[0], hard))
        monkeypatch.setattr(resource, "setrlimit", lambda _, both, now=now: now.append(both[0]))
        found.append((connections.max_connections(), now[-1]))
    assert found == [(200, 256), (8, 64), (1000, 1056), (1000, 1056), (1000, 9999)]
