"""A small server that speaks the annotation page's contract, for tests of the page alone."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from wordorder.drawing.orders import OrderRow, order_svg
from wordorder.judgement.alignment_answers import finishes
from wordorder.people.app import static_files

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
TYPES = {"html": "text/html; charset=utf-8", "js": "text/javascript", "css": "text/css"}
TOKEN = "a-token"


def sentence(source: str, target: str | None, **more: Any) -> dict[str, Any]:
    """Return a task's words."""
    words = None if target is None else target.split()
    direction = {"source": "ltr", "target": "ltr", **more.pop("direction", {})}
    return {
        "source": source.split(),
        "target": words,
        "direction": direction,
        "suggestions": [],
        "instructions": "",
        **more,
    }


class AnnotationServer:
    """Serves sentences on the loopback; `down` makes it break off every request."""

    def __init__(self, sentences: list[dict[str, Any]]) -> None:
        self.sentences = sentences
        self.answers: dict[str, Any] = {}
        self.keys: dict[str, int] = {}
        self.versions: dict[str, str] = {}
        self.down = False
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.get(self)

            def do_POST(self) -> None:
                server.post(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_port}/#{TOKEN}"

    def close(self) -> None:
        """End the server."""
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def get(self, request: BaseHTTPRequestHandler) -> None:
        """Answer GET."""
        path = request.path
        if self.down:
            request.close_connection = True
        elif path == "/" or path.startswith("/static/"):
            name = "annotate.html" if path == "/" else path.removeprefix("/static/")
            _send(request, 200, static_files()[name], TYPES[name.rpartition(".")[2]])
        elif request.headers["Authorization"] != f"Bearer {TOKEN}":
            _json(request, 403, {"error": "no such link"})
        elif path == "/api/next":
            last = str(len(self.sentences) - 1)
            _json(request, 200, {"task": self._next(), "last": last, **self._counts()})
        elif path == "/api/tasks":
            tasks = map(str, range(len(self.sentences)))
            states = [{"task": task, "done": task in self._done()} for task in tasks]
            _json(request, 200, {"tasks": states})
        else:
            _json(request, 200, self._task(path.removeprefix("/api/task/")))

    def post(self, request: BaseHTTPRequestHandler) -> None:
        """Answer POST."""
        body = json.loads(request.rfile.read(int(request.headers["Content-Length"])))
        if self.down:
            request.close_connection = True
        elif request.path == "/api/check":
            _json(request, 200, check(body["answer"]))
        elif body["key"] not in self.keys and body["version"] != self.versions.get(body["task"]):
            _json(request, 409, {"error": "answered elsewhere: reload"})
        else:
            self.answers[body["task"]] = body["answer"]
            self.versions[body["task"]] = body["key"]
            event = self.keys.setdefault(body["key"], len(self.keys) + 1)
            _json(request, 200, {"event": event, **self._counts()})

    def _next(self) -> str | None:
        ids = map(str, range(len(self.sentences)))
        return next((task for task in ids if task not in self._done()), None)

    def _done(self) -> list[str]:
        return [task for task, answer in self.answers.items() if finishes(answer)]

    def _counts(self) -> dict[str, int]:
        return {"done": len(self._done()), "total": len(self.sentences)}

    def _task(self, task: str) -> dict[str, Any]:
        return {
            "task": task,
            "protocol": "annotate",
            "place": int(task) + 1,
            "total": len(self.sentences),
            "answer": self.answers.get(task),
            "version": self.versions.get(task),
            "saved": task in self.answers,
            "before": str(int(task) - 1) if int(task) else None,
            "after": str(int(task) + 1) if int(task) + 1 < len(self.sentences) else None,
            **self.sentences[int(task)],
        }


def check(answer: dict[str, Any]) -> dict[str, Any]:
    """Mark target words without a link; draw the order of first links."""
    links, source = answer["links"], answer["source"]
    linked = {t for _, t, _ in links}
    faults = [
        {
            "side": "target",
            "position": at,
            "kind": "unaligned target word",
            "message": f"The target word “{word}” has no source word.",
        }
        for at, word in enumerate(answer["target"])
        if at not in linked
    ]
    first = {s: t for s, t, _ in reversed(links)}
    order = sorted(range(len(source)), key=lambda s: (first.get(s, s), s))
    rows = [
        OrderRow("source", [[s] for s in range(len(source))]),
        OrderRow("reference", [[s] for s in order]),
    ]
    drawing = order_svg(source, rows, title="Reference order")
    return {
        "faults": faults,
        "order": [[s] for s in order],
        "order_svg": drawing,
        "tree_svg": drawing,
    }


def _json(request: BaseHTTPRequestHandler, status: int, value: dict[str, Any]) -> None:
    _send(request, status, json.dumps(value).encode(), "application/json")


def _send(request: BaseHTTPRequestHandler, status: int, body: bytes, kind: str) -> None:
    request.send_response(status)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(body)))
    request.send_header("Content-Security-Policy", POLICY)
    request.send_header("Cache-Control", "no-store")
    request.end_headers()
    request.wfile.write(body)
