"""The server as a process: its end, its neighbours, and what it does not lose."""

import os
import queue
import resource
import signal
import socket
import sqlite3
import sys
import webbrowser
from pathlib import Path

import pytest
from tests.cli.running import call, write
from tests.people.kills import Worker, answers_as_sent, kill_once, lost_and_doubled, moments
from tests.people.serving import Running, ratings

from wordorder.people.new_project import annotation_project
from wordorder.people.serving import allowed_hosts, host_names, listen, open_browser


@pytest.mark.slow
def test_killed_at_random_moments(tmp_path: Path) -> None:
    """Two raters at once; what was sent and not answered is sent again, as the page does."""
    path = ratings(tmp_path / "p.db")
    workers = [Worker("rater1"), Worker("rater2")]
    for seconds in moments(3, seed=7):
        kill_once(path, workers, seconds)
        assert lost_and_doubled(path, workers) == (0, 0)
        assert answers_as_sent(path, workers)
    assert all(len(each.saved) >= 3 for each in workers)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT], ids=["TERM", "INT"])
def test_a_signal_ends_it_cleanly(tmp_path: Path, number: int) -> None:
    """At once after the links too, with a connection that is kept open."""
    path = ratings(tmp_path / "p.db")
    with Running("serve", path, "--port", "0", links=2) as server:
        page = server.page("rater1")
        assert page.get("/api/next")[0] == 200
        status, said = server.end(number)
        assert server.more == ""
    assert status == (130 if number == signal.SIGINT else 0)
    owner, end = said.splitlines()
    assert owner.startswith("wordorder: note: the owner's page, for nobody who rates: http://")
    assert end == f"wordorder: the server has ended; resume with: wordorder serve {path}"
    # All is in one file.
    assert sorted(each.name for each in tmp_path.iterdir()) == ["p.db"]


@pytest.mark.slow
def test_the_disk_is_full(tmp_path: Path) -> None:
    """The page hears that nothing was saved; with room again, the same key is saved once."""
    path = ratings(tmp_path / "p.db")
    size = os.path.getsize(path) + 40_000

    def small() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    with Running("serve", path, "--port", "0", links=2, before=small) as server:
        page = server.page("rater1")
        task = page.get("/api/next")[1]["task"]
        statuses = []
        for number in range(200):
            version = f"key {number - 1}" if number else None
            status, said = page.save(task, f"key {number}", [1, 2], version)
            statuses.append(status)
            if status != 200:
                break
        assert statuses[-1] == 503
        assert said["error"] == "not saved: the server cannot write its file now"
        assert statuses.count(200) == number > 0
        assert page.get(f"/api/task/{task}")[0] == 200
        resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (-1, -1))
        for _ in range(2):
            status, said = page.save(task, f"key {number}", [1, 2], f"key {number - 1}")
            assert (status, said["event"]) == (200, number + 1)
        status, said = server.end(signal.SIGTERM)
    assert status == 0
    assert said.count("not saved") == 1
    connection = sqlite3.connect(path)
    keys = [key for (key,) in connection.execute("SELECT key FROM event ORDER BY id")]
    connection.close()
    assert keys == [f"key {n}" for n in range(number + 1)]


def test_only_this_machine_can_connect(tmp_path: Path) -> None:
    path = ratings(tmp_path / "p.db")
    with Running("serve", path, "--port", "0", links=2) as server:
        address, _, token = server.links["rater1"].removeprefix("http://").partition("/#")
        host, _, port = address.partition(":")
        assert host == "127.0.0.1"
        assert len(token) >= 32
        others = {name for name in host_names() if name[0].isdigit()} | {"127.0.0.2"}
        for name in others - {"127.0.0.1"}:
            with pytest.raises(OSError, match="refused|assign|unreachable"):
                socket.create_connection((name, int(port)), timeout=5)
        page = server.page("rater1")
        assert page.get("/api/next", "HEAD") == (200, None)
        page.headers["Host"] = f"evil.example:{port}"
        assert page.get("/api/next")[0] == 421


def test_on_the_network_it_has_names(tmp_path: Path) -> None:
    path = ratings(tmp_path / "p.db")
    options = ("--port", "0", "--lan", "--host", "annotation.example")
    with Running("serve", path, *options, links=2) as server:
        link = server.links["rater2"]
        assert link.startswith("http://annotation.example:")
        port = link.split(":")[2].partition("/")[0]
        server.links["rater2"] = link.replace("annotation.example", "127.0.0.1")
        page = server.page("rater2")
        for name in ("annotation.example", "127.0.0.1", "localhost", host_names()[0]):
            page.headers |= {"Host": f"{name}:{port}", "Origin": f"http://{name}:{port}"}
            assert page.save("1", "k", [9, 9])[0] in (403, 422)
            assert page.get("/api/next")[0] == 200
        page.headers["Host"] = f"evil.example:{port}"
        assert page.get("/api/next")[0] == 421
        said = server.end(signal.SIGTERM)[1]
    assert "plain HTTP" in said


def test_port_in_use(tmp_path: Path) -> None:
    """Nothing has happened then, not even to the raters."""
    path = ratings(tmp_path / "p.db")
    with listen(0) as listening:
        port = str(listening.getsockname()[1])
        answer = call("serve", path, "--port", port, "--add", "1")
    answer.refused(2, f"port {port} is in use by another program; give another with --port N")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM rater").fetchone() == (2,)


def test_a_port_that_needs_more_rights(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket.socket, "bind", refuse)
    call("serve", "p.db", "--port", "80").refused(2, "port 80 cannot be used: Permission denied")


def test_raters_come_go_and_get_new_links(tmp_path: Path) -> None:
    path = ratings(tmp_path / "p.db")
    with Running("serve", path, "--port", "0", links=2) as server:
        before = server.links
    options = ("--revoke", "rater1", "--renew", "rater2", "--add", "1")
    with Running("serve", path, "--port", "0", *options, links=2) as server:
        after = server.links
    assert list(after) == ["rater2", "rater3"]
    assert after["rater2"].partition("#")[2] != before["rater2"].partition("#")[2]


def test_unknown_raters_change_nothing(tmp_path: Path) -> None:
    path = ratings(tmp_path / "p.db")
    given = ("serve", path, "--port", "0", "--add", "2", "--revoke", "rater1", "--renew", "Eve")
    call(*given).refused(2, "unknown rater 'Eve'", "rater1, rater2")
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*), count(revoked) FROM rater").fetchone() == (2, 0)


@pytest.mark.parametrize(
    ("spoil", "parts"),
    [
        ("PRAGMA user_version = 99", ("version 99", "expected version")),
        ("PRAGMA application_id = 7", ("damaged: its header",)),
    ],
)
def test_a_project_of_another_version(tmp_path: Path, spoil: str, parts: tuple[str, ...]) -> None:
    path = ratings(tmp_path / "p.db")
    with sqlite3.connect(path) as connection:
        connection.execute(spoil)
    call("serve", path, "--port", "0").refused(1, path, *parts)


def test_what_is_no_project(tmp_path: Path) -> None:
    call("serve", write(tmp_path, "text.db", "words\n" * 999), "--port", "0").refused(1, "text.db")
    call("serve", tmp_path / "none.db", "--port", "0").refused(1, "none.db: no such file")


@pytest.fixture
def texts(tmp_path: Path) -> list[str]:
    """Source, reference and outputs of two systems."""
    return [write(tmp_path, name, "".join(f"{name} {n}\n" for n in range(3))) for name in "SRAB"]


def test_rate_makes_a_project_and_goes_on_with_it(tmp_path: Path, texts: list[str]) -> None:
    path = str(tmp_path / "p.db")
    command = ("rate", *texts[:2], "-i", *texts[2:], "-o", path, "--protocol", "preference")
    with Running(*command, "-O", "ratings=1", "--port", "0", links=1) as server:
        page = server.page("rater1")
        task = page.get("/api/next")[1]["task"]
        shown = page.get(f"/api/task/{task}")[1]
        assert shown["protocol"] == "preference"
        assert sorted(text[0] for text in shown["outputs"]) == ["A", "B"]
        assert page.save(task, "k", "unknown")[1] == {"event": 1, "done": 1, "total": 3}
        link = server.links["rater1"]
    with Running(*command, "-O", "ratings=1", "--port", "0", links=1) as server:
        assert server.links["rater1"].partition("#")[2] == link.partition("#")[2]
        again = server.page("rater1")
        assert again.get("/api/next")[1]["done"] == 1
        assert again.save(task, "k", "unknown")[1] == {"event": 1, "done": 1, "total": 3}
    call(*command, "-O", "ratings=1", "--port", "0", "--seed", "1").refused(2, path, "seed")
    write(tmp_path, "A", "another\n" * 3)
    call(*command, "-O", "ratings=1", "--port", "0").refused(2, path, "system A")
    call("serve", path, "--port", "0").refused(1, path, "system A", "has changed")


def test_annotate(tmp_path: Path) -> None:
    """Suggestions come, tokens are cut, the guideline is checked, and the links are kept."""
    source = write(tmp_path, "s.en", "the ice-cream melts\n<b>&amp;</b>\n")
    target = write(tmp_path, "t.de", "das Eis schmilzt\n<i>\n")
    start = write(tmp_path, "start.align", "1-1\n\n")
    path = str(tmp_path / "p.db")
    command = ("annotate", source, target, "-o", path, "--alignments", start, "--port", "0")
    with Running(*command, links=1) as server:
        page = server.page("rater1")
        task = page.get("/api/next")[1]["task"]
        shown = page.get(f"/api/task/{task}")[1]
        assert shown["protocol"] == "annotate"
        assert shown["suggestions"] == [[1, 1, "sure"]]
        words = {"source": ["the", "ice-", "cream", "melts"], "target": shown["target"]}
        answer = {**words, "links": [[1, 1, "sure"], [2, 1, "sure"], [3, 2, "possible"]]}
        found = page.post("/api/check", {"task": task, "answer": answer})[1]
        assert [(each["side"], each["position"]) for each in found["faults"]] == [("target", 0)]
        assert found["tree_svg"].startswith("<svg")
        assert page.save(task, "k", answer)[1] == {"event": 1, "done": 1, "total": 2}
        more = {**answer, "links": [*answer["links"], [0, 0, "sure"]]}
        assert page.save(task, "l", more, "k")[0] == 200
        undo = {"task": task, "key": "u", "version": "l"}
        assert page.post("/api/undo", undo)[1] == {"answer": answer}
        for wrong in ({**answer, "links": [[9, 0, "sure"]]}, {**words, "source": ["x"]}, 7):
            assert page.save(task, "w", wrong)[0] == 422
            assert page.post("/api/check", {"task": task, "answer": wrong})[0] == 422
        hostile = page.get("/api/next")[1]["task"]
        assert page.get(f"/api/task/{hostile}")[1]["source"] == ["<b>&amp;</b>"]
    with annotation_project(path + "2", source) as project:
        [rater] = project.raters()
        task = str(project.next_task(rater)[0])
        assert project.task(rater, task).as_json()["target"] is None
    write(tmp_path, "start.align", "0-0\n\n")
    call(*command).refused(2, path, "--alignments")
    write(tmp_path, "empty.md", "\n")
    call(*command, "--instructions", str(tmp_path / "empty.md")).refused(1, "empty.md", "no text")


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (("--protocol", "talbot"), ("--max-share",)),
        (("--protocol", "scale"), ("scale",)),
        (("--protocol", "preference", "-O", "words=30-15"), ("-O words=30-15", "15-30")),
        (("--protocol", "preference", "-O", "words=90-95"), ("nothing to rate",)),
        (("--protocol", "talbot", "--control", "S"), ("--control",)),
        (("--protocol", "preference", "--raters", "2"), ("2 raters",)),
        (("--protocol", "preference", "-O", "ratings=1", "--host", "a"), ("--host", "--lan")),
        (("--protocol", "preference", "-O", "ratings=1", "--lan", "--host", "a:1"), ("a:1",)),
    ],
)
def test_commands_that_are_refused(
    tmp_path: Path, texts: list[str], options: tuple[str, ...], parts: tuple[str, ...]
) -> None:
    path = str(tmp_path / "p.db")
    command = ("rate", *texts[:2], "-i", *texts[2:], "-o", path, "--port", "0")
    call(*command, *options).refused(2, *parts)
    assert not Path(path).exists() or "--host" in options


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    call("serve", "p.db").refused(2, 'uvicorn is not installed; pip install "wordorder[pages]"')


def test_a_browser_opens_unless_it_takes_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: queue.Queue[str] = queue.Queue()
    windows, terminal = webbrowser.BackgroundBrowser, webbrowser.GenericBrowser
    for kind in (terminal, windows):
        name = kind.__name__
        monkeypatch.setattr(kind, "open", lambda _, url, name=name: opened.put(f"{name} {url}"))
    for browser in (terminal("w3m"), windows("firefox")):
        monkeypatch.setattr(webbrowser, "get", lambda browser=browser: browser)
        open_browser("http://127.0.0.1:8765/#token")
    assert opened.get(timeout=60) == "BackgroundBrowser http://127.0.0.1:8765/#token"
    assert opened.empty()


def test_without_a_browser_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error("could not locate runnable browser")

    monkeypatch.setattr(webbrowser, "get", none)
    open_browser("http://127.0.0.1:8765/#token")


def test_what_host_may_be() -> None:
    assert allowed_hosts(8765, ["a"]) == ["127.0.0.1:8765", "localhost:8765", "a:8765"]
    assert allowed_hosts(80, []) == ["127.0.0.1:80", "127.0.0.1", "localhost:80", "localhost"]
