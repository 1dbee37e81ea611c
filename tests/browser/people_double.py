"""A small server that speaks what the pages of people expect; its replies can fail on request."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import wordorder.people

STATIC = Path(wordorder.people.__file__).parent / "static"
KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@dataclass
class Double:
    """What the server has, and how it is to fail.

    Attributes
    ----------
    events : key → (task, answer)
        What was saved, in order.
    faults : list
        For each next save: ``"lost"`` saves and breaks off before the reply, a number is a status.
    """

    url: str = ""
    events: dict[str, tuple[str, Any]] = field(default_factory=dict)
    faults: list[str | int] = field(default_factory=list)
    posts: int = 0

    def forget(self) -> None:
        """Begin from nothing."""
        self.events, self.faults, self.posts = {}, [], 0

    def save(self, body: dict[str, Any]) -> dict[str, Any]:
        """Keep an answer; a key that was seen changes nothing."""
        self.events.setdefault(body["key"], (body["task"], body["answer"]))
        number = list(self.events).index(body["key"]) + 1
        return {"event": number, "done": number, "total": 9}


def _handler(double: Double) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            path = STATIC / self.path.removeprefix("/static/")
            if self.path == "/":
                self._reply(200, b"<!doctype html><title>page</title>", "text/html")
            elif self.path.startswith("/static/") and path.parent == STATIC and path.exists():
                self._reply(200, path.read_bytes(), KINDS[path.suffix])
            else:
                self._reply(404, b"")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            double.posts += 1
            fault = double.faults.pop(0) if double.faults else None
            if self.headers["Authorization"] != "Bearer token":
                fault = 403
            if isinstance(fault, int):
                error = {"error": f"This is fault {fault}."}
                self._reply(fault, json.dumps(error).encode())
                return
            reply = json.dumps(double.save(body)).encode()
            if fault == "lost":
                self.connection.close()
            else:
                self._reply(200, b"<p>a proxy" if fault == "proxy" else reply)

        def _reply(self, status: int, body: bytes, kind: str = "application/json") -> None:
            self.send_response(status)
            self.send_header("Content-Type", f"{kind}; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Security-Policy", POLICY)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


@contextmanager
def served(double: Double) -> Iterator[Double]:
    """Serve on a free port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _handler(double)) as server:
        double.url = f"http://127.0.0.1:{server.server_port}/"
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        yield double
        server.shutdown()
        thread.join()
