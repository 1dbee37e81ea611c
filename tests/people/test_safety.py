"""What the server refuses, and what every answer carries."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.people.asking import HOST, Asker

from wordorder.errors import InputError
from wordorder.people.app import Endpoints
from wordorder.people.safety import LARGEST_BODY, content_policy

PAGE = b"<!doctype html><style>p { color: red }</style><script>run()</script><p>"
FILES = {"rate.html": PAGE, "rate.js": b"1", "rate.css": b"p {}"}


class Shown:
    def __init__(self, content: dict[str, Any]) -> None:
        self.content = content

    def as_json(self) -> dict[str, Any]:
        return self.content


class Few:
    """Two raters with a task each, whose answers are whole numbers."""

    def __init__(self) -> None:
        self.events: dict[str, Any] = {}

    def rater_of(self, token: str) -> str | None:
        return {"token-of-anna": "anna", "token-of-bo": "bo"}.get(token)

    def next_task(self, rater: str) -> tuple[str | None, int, int]:
        return rater, 0, 1

    def task(self, rater: str, task: str) -> Shown:
        if task != rater:
            raise InputError("task", "another's")
        return Shown({"task": task, "source": "<script>alert(1)</script>"})

    def save(self, rater: str, task: str, key: str, answer: Any) -> Shown:
        if answer == "broken":
            raise RuntimeError("a mistake of ours")
        if not isinstance(answer, int):
            raise InputError("answer", repr(answer), "a number")
        self.events.setdefault(key, answer)
        return Shown({"event": len(self.events), "done": 1, "total": 1})

    def undo(self, rater: str, task: str, key: str) -> Any:
        return None


@pytest.fixture
def ask() -> Iterator[Asker]:
    endpoints = Endpoints(Few(), page="rate.html", static=FILES)
    yield Asker(endpoints.application([HOST]), "token-of-anna")
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
        *(None, "", "Bearer", "Bearer ", "token-of-anna", "Basic token-of-anna", "Bearer wrong"),
        *("Bearer token-of-ann", "Bearer token-of-annaa", "Bearer tøken"),
        "Bearer token-of-anna\nBearer token-of-anna",
    ],
)
def test_no_token_is_refused(ask: Asker, authorization: str | None) -> None:
    for path in ("/api/next", "/api/task/anna"):
        assert ask.get(path, authorization=authorization).status == 403
    for path in ("/api/answers", "/api/undo", "/api/check"):
        given = {"task": "anna", "key": "k", "answer": 1}
        assert ask.post(path, given, authorization=authorization).status == 403


def test_a_token_elsewhere_is_none(ask: Asker) -> None:
    nothing = Asker(ask.application)
    assert nothing.get("/api/next?token=token-of-anna", authorization=None).status == 403
    assert nothing.get("/api/next", authorization=None, cookie="token=token-of-anna").status == 403


@pytest.mark.parametrize(
    "body",
    [
        *(b"", b"{", b"[]", b"1", b'"task"', b"\xff\xfe", b'{"task": NaN}', b"[" * 100_000),
        *(b'{"task": "anna", "key": "k"}', b'{"task": "anna", "answer": 1}', b'{"key": "k"}'),
        *(b'{"task": "", "key": "k", "answer": 1}', b'{"task": 7, "key": "k", "answer": 1}'),
        *(b'{"task": "anna", "key": 7, "answer": 1}', b'{"task": "anna", "key": "", "answer": 1}'),
        b'{"task": "anna", "key": "\\ud800", "answer": 1}',
        b'{"task": "anna", "key": "k", "answer": ' + b"9" * 10_000 + b"}",
        json.dumps({"task": "anna", "key": "k" * 201, "answer": 1}).encode(),
    ],
    ids=lambda body: body[:30].decode("latin-1"),
)
def test_a_body_that_is_not_asked_for_is_refused(ask: Asker, body: bytes) -> None:
    reply = ask.post("/api/answers", body)
    assert reply.status == 400
    assert reply.error


def test_an_illegal_answer_is_refused(ask: Asker) -> None:
    reply = ask.save("anna", "k", "seven")
    assert reply.status == 422
    assert reply.error == "answer: 'seven'; expected a number"


@pytest.mark.parametrize("size", [LARGEST_BODY + 1, 1 << 20, 1 << 25])
def test_a_large_body_is_refused(ask: Asker, size: int) -> None:
    fine = b'{"task": "anna", "key": "k", "answer": 1'
    assert ask.post("/api/answers", fine + b" " * (LARGEST_BODY - 41) + b"}").status == 200
    reply = ask.post("/api/answers", fine + b" " * (size - 41) + b"}")
    assert reply.status == 413
    assert "256 KiB" in reply.error


def test_every_answer_carries_the_same_protection(ask: Asker) -> None:
    replies = [
        ask.get("/"),
        ask.get("/static/rate.js"),
        ask.get("/api/next"),
        ask.get("/api/task/anna"),
        ask.save("anna", "k", 1),
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


@pytest.mark.parametrize("path", ["/", "/static/rate.js", "/api/next", "/api/task/anna", "/none"])
def test_head_answers_as_get(ask: Asker, path: str) -> None:
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
    with pytest.warns(match="internal error: RuntimeError: a mistake of ours; please report it"):
        reply = ask.save("anna", "k", "broken")
    assert reply.status == 500
    assert "Traceback" not in reply.error
