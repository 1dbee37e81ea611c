"""What the server refuses, and what every answer carries."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from tests.notes import noted
from tests.people.asking import HOST, Asker

from wordorder.people.app import Endpoints, static_files
from wordorder.people.items import Item, Output
from wordorder.people.project import Project
from wordorder.people.protocol import rating_protocol
from wordorder.people.request_security import MAX_BODY, content_policy
from wordorder.people.tasks import Rater

PAGE = b"<!doctype html><style>p { color: red }</style><script>run()</script><p>"
FILES = {"rate.html": PAGE, "rate.js": b"1", "rate.css": b"p {}"}


HOSTILE = "<script>alert(1)</script>"


class Broken(Project):
    """A project with a mistake of ours in it."""

    def undo(self, rater: Rater, task: str, key: str, version: str | None = None) -> Any:
        raise RuntimeError("a mistake of ours")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    path = tmp_path_factory.mktemp("project") / "p.db"
    outputs = (Output("first", HOSTILE), Output("second", "two"))
    items = [Item(line, {"source": HOSTILE, "reference": "one"}, outputs) for line in range(1, 30)]
    Project.create(path, rating_protocol("talbot", max_share=1, ratings=2), items, 2).close()
    with Broken(path) as project:
        yield project


@pytest.fixture
def ask(project: Project) -> Iterator[Asker]:
    endpoints = Endpoints(project, page="rate.html", static=FILES)
    rater = project.raters()[0]
    found = Asker(endpoints.application([HOST]), rater.token)
    found.task = str(project.next_task(rater)[0])
    yield found
    endpoints.close()


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "host",
    [
        *("evil.example", "evil.example:8765", "127.0.0.1", "127.0.0.1:80", "127.0.0.1:8765.evil"),
        *("", None, f"{HOST}\n{HOST}", f"{HOST}\nevil.example"),
    ],
)
def test_a_foreign_host_is_refused(ask: Asker, method: str, host: str | None) -> None:
    reply = ask.request(method, "/api/next", b"{}", {"host": host, "origin": f"http://{host}"})
    assert reply.status == 421
    assert "name" in reply.error


@pytest.mark.parametrize(
    "origin",
    [
        *("http://evil.example", "null", "", "http://127.0.0.1:8766", "https://127.0.0.1:8765"),
        *(f"http://{HOST}.evil.example", f"http://{HOST}\nhttp://evil.example", None),
    ],
)
def test_a_foreign_or_missing_origin_is_refused(ask: Asker, origin: str | None) -> None:
    for path in ("/api/answers", "/api/undo", "/api/check", "/"):
        assert ask.post(path, {}, origin=origin).status == 403
    assert ask.get("/api/next", origin=origin).status == (403 if origin is not None else 200)


@pytest.mark.parametrize(
    "authorization",
    [
        *(None, "", "Bearer", "Bearer ", "{}", "Basic {}", "Bearer wrong", "Bearer {}a"),
        *("Bearer tøken", "Bearer {}\nBearer {}", "Bearer Bearer {}", "Bearer {} {}"),
        *("Bearer %", "Bearer ' OR 1=1 --"),
    ],
)
def test_no_token_is_refused(ask: Asker, authorization: str | None) -> None:
    given = authorization and authorization.replace("{}", ask.token)
    for path in ("/api/next", f"/api/task/{ask.task}"):
        assert ask.get(path, authorization=given).status == 403
    for path in ("/api/answers", "/api/undo", "/api/check"):
        body = {"task": ask.task, "key": "k", "answer": [1, 1]}
        assert ask.post(path, body, authorization=given).status == 403


def test_part_of_a_token_is_none(ask: Asker) -> None:
    for given in (ask.token[:-1], ask.token[1:], ask.token.swapcase()):
        assert ask.get("/api/next", authorization=f"Bearer {given}").status == 403


def test_a_token_elsewhere_is_none(ask: Asker) -> None:
    path = f"/api/next?token={ask.token}&authorization=Bearer%20{ask.token}"
    assert ask.get(path, authorization=None).status == 403
    assert ask.get("/api/next", authorization=None, cookie=f"token={ask.token}").status == 403


def test_tasks_of_others_are_refused(ask: Asker, project: Project) -> None:
    other = Asker(ask.application, project.raters()[1].token)
    task = other.get("/api/next").json["task"]
    assert task != ask.task
    for strange in (task, "999", "-1", "x", "9" * 40, "%00", "\u0661"):
        if strange.isascii():
            assert ask.get(f"/api/task/{strange}").status == 403
        assert ask.save(strange, f"another's {strange}", [1, 1]).status == 403
    assert other.get(f"/api/task/{task}").json["saved"] is False


def test_revoked_and_renewed_links(ask: Asker, project: Project) -> None:
    """At once, while the server runs."""
    new = project.add_raters(1)[0]
    assert Asker(ask.application, new.token).get("/api/next").status == 200
    project.revoke(new.name)
    assert Asker(ask.application, new.token).get("/api/next").status == 403
    renewed = project.renew(new.name)
    assert Asker(ask.application, new.token).get("/api/next").status == 403
    assert Asker(ask.application, renewed.token).get("/api/next").status == 200


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"1", b'"task"', b"\xff\xfe", b'{"task": NaN}', b"[" * 100_000),
        *(b'{"task": "anna", "key": "k"}', b'{"task": "anna", "answer": [1, 1]}', b'{"key": "k"}'),
        b'{"task": "anna", "key": "k", "answer": ' + b"9" * 10_000 + b"}",
        *(
            json.dumps({"task": "anna", "key": "k", "answer": [1, 1]} | wrong).encode()
            for wrong in (
                *({"task": ""}, {"task": 7}, {"key": 7}, {"key": ""}),
                *({"key": "\ud800"}, {"key": "k" * 201}),
            )
        ),
    ],
    ids=lambda body: body[:30].decode("latin-1"),
)
def test_a_body_that_is_not_asked_for_is_refused(ask: Asker, body: bytes) -> None:
    reply = ask.post("/api/answers", body)
    assert reply.status == 400
    assert reply.error


@pytest.mark.parametrize(
    "answer",
    [
        *([7, 1], [-1, 1], [0.5, 1], ["6", 1], [True, 1], [None, 1], [1], [1, 1, 1], [[1], 1]),
        *(None, 6, "6", {}, {"0": 1, "1": 1}, [1e300, 1], [10**30, 1], []),
    ],
)
def test_a_rating_out_of_range_is_refused(ask: Asker, answer: Any) -> None:
    before = ask.get(f"/api/task/{ask.task}").json
    reply = ask.save(ask.task, "out of range", answer)
    assert reply.status == 422
    assert "expected" in reply.error
    assert ask.get(f"/api/task/{ask.task}").json == before


def test_zero_is_an_answer(ask: Asker) -> None:
    done = ask.get("/api/next").json["done"]
    assert ask.save(ask.task, "zero", [0, 0]).json["done"] == done + 1
    assert ask.get(f"/api/task/{ask.task}").json["answer"] == [0, 0]


def test_the_same_key_is_one_event(ask: Asker) -> None:
    first = ask.save(ask.task, "once", [1, 2])
    assert first.status == 200
    assert ask.save(ask.task, "once", [1, 2]).json == first.json
    assert ask.save(ask.task, "once", [6, 6]).status == 422
    assert ask.get(f"/api/task/{ask.task}").json["answer"] == [1, 2]


def test_an_answer_from_a_page_shown_before_is_a_conflict(ask: Asker) -> None:
    assert ask.get(f"/api/task/{ask.task}").json["version"] is None
    ask.save(ask.task, "conflict 1", [6, 5])
    assert ask.get(f"/api/task/{ask.task}").json["version"] == "conflict 1"
    stale = {"task": ask.task, "key": "conflict 2", "answer": [0, 0]}
    for version in ({}, {"version": None}, {"version": "elsewhere"}):
        reply = ask.post("/api/answers", stale | version)
        assert (reply.status, reply.error) == (409, "answered elsewhere: reload")
    assert ask.post("/api/answers", stale | {"version": 7}).status == 400
    assert ask.get(f"/api/task/{ask.task}").json["answer"] == [6, 5]
    assert ask.post("/api/answers", stale | {"version": "conflict 1"}).status == 200


def test_names_of_systems_stay_here(ask: Asker) -> None:
    replies = [ask.get(f"/api/task/{ask.task}"), ask.get("/api/next")]
    replies.append(ask.save(ask.task, "names", [3, 4]))
    for reply in replies:
        assert b"first" not in reply.body
        assert b"second" not in reply.body
    assert sorted(replies[0].json["outputs"]) == [HOSTILE, "two"]


@pytest.mark.parametrize("size", [MAX_BODY + 1, 1 << 20, 1 << 25])
def test_a_large_body_is_refused(ask: Asker, size: int) -> None:
    fine = json.dumps({"task": ask.task, "key": f"large {size}", "answer": [1, 1]}).encode()
    assert ask.post("/api/answers", fine.ljust(MAX_BODY)).status == 200
    reply = ask.post("/api/answers", fine.ljust(size))
    assert reply.status == 413
    assert "256 KiB" in reply.error


def test_every_answer_carries_the_same_protection(ask: Asker) -> None:
    replies = [
        ask.get("/"),
        ask.get("/static/rate.js"),
        ask.get("/api/next"),
        ask.get(f"/api/task/{ask.task}"),
        ask.save(ask.task, "protected", [1, 1]),
        ask.get("/nothing"),
        ask.get("/", host="evil.example"),
        ask.post("/api/answers", {}, origin=None),
        ask.request("OPTIONS", "/api/answers", b"", {"origin": f"http://{HOST}"}),
    ]
    assert [reply.status for reply in replies] == [200] * 5 + [404, 421, 403, 405]
    for reply in replies:
        policy = reply.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; ")
        assert "unsafe" not in policy
        assert "*" not in policy
        assert reply.headers["x-content-type-options"] == "nosniff"
        assert reply.headers["cache-control"] == "no-store"
        assert reply.headers["referrer-policy"] == "no-referrer"
        assert not any(name.startswith("access-control") for name in reply.headers)
        assert "set-cookie" not in reply.headers


def test_the_policy_names_what_is_inline_by_its_hash() -> None:
    def named(inline: bytes) -> str:
        return base64.b64encode(hashlib.sha256(inline).digest()).decode()

    parts = content_policy(PAGE).split("; ")
    assert f"script-src 'self' 'sha256-{named(b'run()')}'" in parts
    assert f"style-src 'self' 'sha256-{named(b'p { color: red }')}'" in parts


def test_the_pages_keep_to_the_policy() -> None:
    """No part of them is inline, none comes from elsewhere, so nothing is needed by hash."""
    pages = {name: text.decode() for name, text in static_files().items()}
    assert {"annotate.html", "rate.html"} <= set(pages)
    assert all("sha256" not in content_policy(text.encode()) for text in pages.values())
    assert not [name for name, text in pages.items() if re.search(r"https?://(?!www.w3.org)", text)]
    for name, text in pages.items():
        if name.endswith(".html"):
            assert not re.search(r"<script(?![^>]* src=)|<style| style=| on\w+=", text), name
            for path in re.findall(r'(?:src|href)="([^"#]+)"', text):
                assert path.startswith("data:,") or path.removeprefix("/static/") in pages, path


def test_head_answers_as_get(ask: Asker) -> None:
    for path in ("/", "/static/rate.js", "/api/next", f"/api/task/{ask.task}", "/none"):
        head, get = ask.request("HEAD", path, b"", {}), ask.get(path)
        assert (head.status, head.headers) == (get.status, get.headers)


@pytest.mark.parametrize(
    "path",
    [
        *("/static/", "/static/none.js", "/static/../app.py", "/static/%2e%2e/app.py", "/static"),
        *("/static//etc/passwd", "/app.py", "/api", "/api/next/", "/api/export", "//"),
        "/static/..\\app.py",
    ],
)
def test_nothing_but_the_files_of_the_pages_is_given_out(ask: Asker, path: str) -> None:
    reply = ask.get(path)
    assert reply.status == 404
    assert reply.error == "there is no such page"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/", "text/html; charset=utf-8"),
        ("/static/rate.js", "text/javascript; charset=utf-8"),
        ("/static/rate.css", "text/css; charset=utf-8"),
        ("/api/next", "application/json"),
    ],
)
def test_answers_say_what_they_are(ask: Asker, path: str, kind: str) -> None:
    """So hostile words in JSON are never read as a page."""
    assert ask.get(path).headers["content-type"] == kind


def test_a_mistake_of_ours_is_one_sentence_and_no_traceback(ask: Asker) -> None:
    with noted("internal error: RuntimeError: a mistake of ours; please report it"):
        reply = ask.post("/api/undo", {"task": ask.task, "key": "broken"})
    assert reply.status == 500
    assert reply.error == "internal error of the server"
