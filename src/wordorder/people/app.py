"""The server's endpoints over one project: the next task, a task, answers, undo, check."""

import asyncio
import hmac
import sqlite3
from collections.abc import Awaitable, Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.resources import files
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from wordorder.drawing import look
from wordorder.errors import InputError
from wordorder.people.error_log import RateLimitedLog
from wordorder.people.guideline import check_alignment
from wordorder.people.owner_page import export_text, exports_of
from wordorder.people.project import Project
from wordorder.people.request_security import (
    RefusedError,
    RequestFilter,
    bearer_token,
    content_policy,
    json_object,
)
from wordorder.people.schema import NotSavedError
from wordorder.people.tasks import ConflictError, NotYoursError, Rater

Result = TypeVar("Result")
Json = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Json]]

_MEDIA_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
# Characters of the name of a task or the key of an answer.
_MAX_NAME = 200
_HTTP_ERRORS = {404: "there is no such page", 405: "this address takes no such request"}


def static_files() -> dict[str, bytes]:
    """Return the files of the pages, by name; the server has no other files."""
    contents = {
        file.name: file.read_bytes()
        for file in (files("wordorder.people") / "static").iterdir()
        if file.name.rpartition(".")[2] in _MEDIA_TYPES
    }
    # Style sheets that these pages share with reports.
    contents["look.css"] = look.style_sheet().encode()
    for name in ("base.css", "style.css"):
        contents[name] = (files("wordorder.report.page") / name).read_bytes()
    return contents


class Endpoints:
    """The requests that pages send about a project.

    Parameters
    ----------
    project : Project
        Used by only one thread; requests wait for it in turn.
    page : str
        The file in `static` with the page for this type of project.
    static : mapping of str to bytes
        The files of the pages.
    overview : function, optional
        Returns the page of the project's owner, as HTML.
    """

    def __init__(
        self,
        project: Project,
        *,
        page: str,
        static: Mapping[str, bytes],
        overview: Callable[[], str] | None = None,
    ) -> None:
        self._project = project
        self._page = page
        self._static = static
        self._overview = overview
        self._thread = ThreadPoolExecutor(1, "project")

    def application(self, hosts: Iterable[str]) -> ASGIApp:
        """Return the application, which answers only under these host names (with port)."""
        log = RateLimitedLog()
        routes = [
            Route("/", self._file),
            Route("/static/{name}", self._file),
            # The page itself is public; its data needs the owner's token.
            Route("/owner", self._owner_file),
            Route("/api/owner", _answer_json(self._owner_data, log)),
            Route("/api/owner/{what}/{format}", _answer_json(self._export, log)),
            Route("/api/owner/{what}/{format}/{rater}", _answer_json(self._export, log)),
            Route("/api/next", _answer_json(self._next, log)),
            Route("/api/tasks", _answer_json(self._tasks, log)),
            Route("/api/task/{task}", _answer_json(self._task, log)),
            Route("/api/answers", _answer_json(self._save, log), methods=["POST"]),
            Route("/api/undo", _answer_json(self._undo, log), methods=["POST"]),
            Route("/api/check", _answer_json(self._check, log), methods=["POST"]),
        ]
        inner = Starlette(routes=routes, exception_handlers={HTTPException: _refuse_unknown})
        inner.router.redirect_slashes = False
        pages = (text for name, text in self._static.items() if name.endswith(".html"))
        return RequestFilter(inner, hosts=hosts, policy=content_policy(b"".join(pages)))

    def close(self) -> None:
        """Wait until all pending answers are saved."""
        self._thread.shutdown()

    async def _file(self, request: Request) -> Response:
        name = request.path_params.get("name", self._page)
        if name not in self._static:
            raise HTTPException(404)
        return Response(self._static[name], media_type=_MEDIA_TYPES[name.rpartition(".")[2]])

    async def _owner_file(self, request: Request) -> Response:
        request.path_params["name"] = "owner.html"
        return await self._file(request)

    async def _owner_data(self, request: Request) -> Json:
        self._require_owner(request)
        if self._overview is None:
            raise RefusedError(404, "this server has no page for the owner")
        # Not in the project's thread, as for checks.
        page = await asyncio.to_thread(self._overview)
        return {"page": page, "exports": exports_of(self._project.path)}

    async def _export(self, request: Request) -> Json:
        self._require_owner(request)
        # Contents, format and, if named, the rater: in the order of the address.
        requested = tuple(request.path_params.values())
        if requested not in await asyncio.to_thread(exports_of, self._project.path):
            raise RefusedError(404, "there is no such export")
        return {"text": await asyncio.to_thread(export_text, self._project.path, *requested)}

    def _require_owner(self, request: Request) -> None:
        token, owner = bearer_token(request.headers) or "", self._project.owner_token()
        if not hmac.compare_digest(token.encode(), owner.encode()):
            raise RefusedError(403, "this page is for the owner of the project alone")

    async def _next(self, request: Request) -> Json:
        rater = await self._rater(request)
        task, done, total = await self._call(self._project.next_task, rater)
        # At the end, raters can return to their last task.
        tasks = [] if task else await self._call(self._project.tasks, rater)
        return {"task": task, "done": done, "total": total, "last": tasks[-1] if tasks else None}

    async def _tasks(self, request: Request) -> Json:
        rater = await self._rater(request)
        states = await self._call(self._project.task_states, rater)
        return {"tasks": [{"task": task, "done": done} for task, done in states]}

    async def _task(self, request: Request) -> Json:
        rater = await self._rater(request)
        task = await self._call(self._project.task, rater, request.path_params["task"])
        return task.as_json()

    async def _save(self, request: Request) -> Json:
        rater = await self._rater(request)
        body = json_object(await request.body())
        task, key, version = _read_name(body, "task"), _read_name(body, "key"), _read_version(body)
        saved = await self._call(self._project.save, rater, task, key, _read_answer(body), version)
        return saved.as_json()

    async def _undo(self, request: Request) -> Json:
        rater = await self._rater(request)
        body = json_object(await request.body())
        task, key, version = _read_name(body, "task"), _read_name(body, "key"), _read_version(body)
        return {"answer": await self._call(self._project.undo, rater, task, key, version)}

    async def _check(self, request: Request) -> Json:
        rater = await self._rater(request)
        body = json_object(await request.body())
        task = await self._call(self._project.task, rater, _read_name(body, "task"))
        if task.protocol.name != "annotate":
            raise RefusedError(404, "ratings have no guideline to check")
        # Not in the project's thread: saving must not wait for it.
        return await asyncio.to_thread(check_alignment, _read_answer(body), task.content)

    async def _rater(self, request: Request) -> Rater:
        token = bearer_token(request.headers)
        rater = await self._call(self._project.rater_of, token) if token else None
        if rater is None:
            raise RefusedError(403, "the link is not valid: ask for yours again")
        return rater

    async def _call(self, function: Callable[..., Result], *arguments: Any) -> Result:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(function, *arguments))


def _read_name(body: Json, field: str) -> str:
    value = body.get(field)
    if not isinstance(value, str) or not 0 < len(value) <= _MAX_NAME:
        raise RefusedError(400, f'"{field}" must be a text of 1 to {_MAX_NAME} characters')
    return value


def _read_version(body: Json) -> str | None:
    """Return the version that the page saw; None if it saw no answer."""
    return None if body.get("version") is None else _read_name(body, "version")


def _read_answer(body: Json) -> Any:
    if "answer" not in body:
        raise RefusedError(400, 'the request has no "answer"')
    return body["answer"]


def _answer_json(
    endpoint: Endpoint, log: RateLimitedLog
) -> Callable[[Request], Awaitable[Response]]:
    """Wrap an endpoint: its JSON, or its error as JSON with the right status, is the response."""

    async def answer(request: Request) -> Response:
        try:
            return JSONResponse(await endpoint(request))
        except RefusedError as refused:
            return refused.response()
        except NotYoursError as error:
            return RefusedError(403, str(error)).response()
        except ConflictError as error:
            return RefusedError(409, str(error)).response()
        except InputError as error:
            return RefusedError(422, str(error)).response()
        except (NotSavedError, sqlite3.Error) as error:
            log.say("not saved", str(error))
            # The path of the file is not sent to raters.
            return RefusedError(503, "not saved: the server cannot write its file now").response()
        except Exception as error:
            cause = f"{type(error).__name__}: {error}"
            log.say("internal", f"internal error: {cause}; please report it")
            return RefusedError(500, "internal error of the server").response()

    return answer


async def _refuse_unknown(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return RefusedError(status, _HTTP_ERRORS.get(status, "the request is refused")).response()
