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

from wordorder.errors import InputError
from wordorder.people.annotations import check_alignment
from wordorder.people.plan import ConflictError, NotYoursError, Rater
from wordorder.people.project import Project
from wordorder.people.safety import Guard, RefusedError, bearer_token, content_policy, json_object
from wordorder.people.schema import NotSavedError
from wordorder.people.supervision import exported, exports_of
from wordorder.people.trouble import Trouble

Found = TypeVar("Found")
Json = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Json]]

_TYPES = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
}
# Characters of what names a task or an answer.
_LONGEST_NAME = 200
_FAULTS = {404: "there is no such page", 405: "this address takes no such request"}


def static_files() -> dict[str, bytes]:
    """Return the files of the pages, by name; no other file can be asked for."""
    found = {
        file.name: file.read_bytes()
        for file in (files("wordorder.people") / "static").iterdir()
        if file.name.rpartition(".")[2] in _TYPES
    }
    # The look of all pages, reports too.
    for name in ("look.css", "style.css"):
        found[name] = (files("wordorder.report.page") / name).read_bytes()
    return found


class Endpoints:
    """What pages can ask a project.

    Parameters
    ----------
    project : Project
        Used by one thread alone, for which all requests wait in turn.
    page : str
        The file of `static` that is the page of the project's kind.
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
        """Return the application, which answers under these names (with their port) alone."""
        trouble = Trouble()
        routes = [
            Route("/", self._file),
            Route("/static/{name}", self._file),
            # The page is the same for everybody; what it shows needs the owner's token.
            Route("/owner", self._owner_file),
            Route("/api/owner", _answering(self._shown_to_owner, trouble)),
            Route("/api/owner/{what}/{format}", _answering(self._exported, trouble)),
            Route("/api/owner/{what}/{format}/{rater}", _answering(self._exported, trouble)),
            Route("/api/next", _answering(self._next, trouble)),
            Route("/api/task/{task}", _answering(self._task, trouble)),
            Route("/api/answers", _answering(self._save, trouble), methods=["POST"]),
            Route("/api/undo", _answering(self._undo, trouble), methods=["POST"]),
            Route("/api/check", _answering(self._checked, trouble), methods=["POST"]),
        ]
        inner = Starlette(routes=routes, exception_handlers={HTTPException: _unknown})
        inner.router.redirect_slashes = False
        pages = (text for name, text in self._static.items() if name.endswith(".html"))
        return Guard(inner, hosts=hosts, policy=content_policy(b"".join(pages)))

    def close(self) -> None:
        """Wait until all that is being saved is saved."""
        self._thread.shutdown()

    async def _file(self, request: Request) -> Response:
        name = request.path_params.get("name", self._page)
        if name not in self._static:
            raise HTTPException(404)
        return Response(self._static[name], media_type=_TYPES[name.rpartition(".")[2]])

    async def _owner_file(self, request: Request) -> Response:
        request.path_params["name"] = "owner.html"
        return await self._file(request)

    async def _shown_to_owner(self, request: Request) -> Json:
        self._require_owner(request)
        if self._overview is None:
            raise RefusedError(404, "this server has no page for the owner")
        # Beside the project's thread, as checks.
        page = await asyncio.to_thread(self._overview)
        return {"page": page, "exports": exports_of(self._project.path)}

    async def _exported(self, request: Request) -> Json:
        self._require_owner(request)
        # What, its format and, if it is named, whose it is: in the order of the address.
        requested = tuple(request.path_params.values())
        if requested not in await asyncio.to_thread(exports_of, self._project.path):
            raise RefusedError(404, "there is no such export")
        return {"text": await asyncio.to_thread(exported, self._project.path, *requested)}

    def _require_owner(self, request: Request) -> None:
        token, owner = bearer_token(request.headers) or "", self._project.owner_token()
        if not hmac.compare_digest(token.encode(), owner.encode()):
            raise RefusedError(403, "this page is for the owner of the project alone")

    async def _next(self, request: Request) -> Json:
        rater = await self._rater(request)
        task, done, total = await self._call(self._project.next_task, rater)
        # From the end people go back to the last one.
        every = [] if task else await self._call(self._project.tasks, rater)
        return {"task": task, "done": done, "total": total, "last": every[-1] if every else None}

    async def _task(self, request: Request) -> Json:
        rater = await self._rater(request)
        task = await self._call(self._project.task, rater, request.path_params["task"])
        return task.as_json()

    async def _save(self, request: Request) -> Json:
        rater = await self._rater(request)
        given = json_object(await request.body())
        task, key, version = _name(given, "task"), _name(given, "key"), _version(given)
        saved = await self._call(self._project.save, rater, task, key, _answer(given), version)
        return saved.as_json()

    async def _undo(self, request: Request) -> Json:
        rater = await self._rater(request)
        given = json_object(await request.body())
        task, key, version = _name(given, "task"), _name(given, "key"), _version(given)
        return {"answer": await self._call(self._project.undo, rater, task, key, version)}

    async def _checked(self, request: Request) -> Json:
        rater = await self._rater(request)
        given = json_object(await request.body())
        task = await self._call(self._project.task, rater, _name(given, "task"))
        if task.protocol.name != "annotate":
            raise RefusedError(404, "ratings have no guideline to check")
        # Beside the project's thread: saving must not wait for it.
        return await asyncio.to_thread(check_alignment, _answer(given), task.content)

    async def _rater(self, request: Request) -> Rater:
        token = bearer_token(request.headers)
        rater = await self._call(self._project.rater_of, token) if token else None
        if rater is None:
            raise RefusedError(403, "the link is not valid: ask for yours again")
        return rater

    async def _call(self, function: Callable[..., Found], *arguments: Any) -> Found:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, partial(function, *arguments))


def _name(given: Json, field: str) -> str:
    value = given.get(field)
    if not isinstance(value, str) or not 0 < len(value) <= _LONGEST_NAME:
        raise RefusedError(400, f'"{field}" must be a text of 1 to {_LONGEST_NAME} characters')
    return value


def _version(body: Json) -> str | None:
    """Return the version that the page saw; a page that names none has seen no answer."""
    return None if body.get("version") is None else _name(body, "version")


def _answer(given: Json) -> Any:
    if "answer" not in given:
        raise RefusedError(400, 'the request has no "answer"')
    return given["answer"]


def _answering(endpoint: Endpoint, trouble: Trouble) -> Callable[[Request], Awaitable[Response]]:
    """Make an endpoint that returns JSON one that answers with it, whatever happens."""

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
            trouble.say("not saved", str(error))
            # Without the path of the file, which is nothing for a page.
            return RefusedError(503, "not saved: the server cannot write its file now").response()
        except Exception as error:
            why = f"{type(error).__name__}: {error}"
            trouble.say("internal", f"internal error: {why}; please report it")
            return RefusedError(500, "internal error of the server").response()

    return answer


async def _unknown(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    return RefusedError(status, _FAULTS.get(status, "the request is refused")).response()
