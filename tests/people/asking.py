"""Asking the application without a network: one request, one answer."""

import asyncio
import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message

HOST = "127.0.0.1:8765"


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        """The one sentence of a refusal, which nothing else comes with."""
        assert self.headers["content-type"] == "application/json"
        assert list(self.json) == ["error"]
        return str(self.json["error"])


@dataclass
class Asker:
    """Sends requests as a page of ours would; what a test gives takes the place of that."""

    application: ASGIApp
    token: str = ""
    task: str = ""

    def get(self, path: str, **headers: str | None) -> Reply:
        return self.request("GET", path, b"", headers)

    def post(self, path: str, body: Any, **headers: str | None) -> Reply:
        sent = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.request("POST", path, sent, {"origin": f"http://{HOST}", **headers})

    def save(self, task: str, key: str, answer: Any) -> Reply:
        return self.post("/api/answers", {"task": task, "key": key, "answer": answer})

    def request(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str | None]
    ) -> Reply:
        """Send headers by name; None leaves one out, lines give it several times."""
        sent = {"host": HOST, "authorization": f"Bearer {self.token}", **headers}
        lines = [
            (name.encode(), value.encode("latin-1"))
            for name, text in sent.items()
            if text is not None
            for value in text.split("\n")
        ]
        path, _, query = path.partition("?")
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": lines,
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8765),
        }
        # In pieces, as a network brings it.
        pieces = [body[at : at + 65536] for at in range(0, len(body), 65536)] or [b""]
        coming: list[Message] = [
            {"type": "http.request", "body": piece, "more_body": number < len(pieces)}
            for number, piece in enumerate(pieces, 1)
        ]
        came: list[Message] = []

        async def receive() -> Message:
            return coming.pop(0) if coming else {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            came.append(message)

        async def answer() -> None:
            await self.application(scope, receive, send)

        # In a thread of its own: Playwright, once started, keeps a loop running in this one.
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, answer()).result()
        start, *rest = came
        names = {name.decode(): value.decode() for name, value in start["headers"]}
        return Reply(start["status"], names, b"".join(each["body"] for each in rest))
