"""Requests that the server refuses (hosts, origins, sizes), and headers of all replies."""

import base64
import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Bytes of a request's body: ten times those of a sentence of 1,000 words with all its links.
MAX_BODY = 1 << 18
# A longer body is read up to this size and discarded: a client that is cut off while sending would
# see a broken connection instead of the response.
_MAX_DISCARDED = 1 << 24
_INLINE = re.compile(rb"<(script|style)>(.*?)</\1>", re.DOTALL)


class RefusedError(Exception):
    """A request that is refused.

    Parameters
    ----------
    status : int
        The HTTP status of the response.
    why : str
        One sentence for the person at the page.
    """

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status
        self.why = why

    def response(self) -> JSONResponse:
        """Return the response."""
        return JSONResponse({"error": self.why}, self.status)


def content_policy(page: bytes) -> str:
    """Return the Content-Security-Policy of a page: its own files, and its inline parts by hash.

    Examples
    --------
    >>> print(content_policy(b"<style>p{}</style>").split("; ")[2])
    style-src 'self' 'sha256-gG2yISYereRMiG2lMXrbiUgi0Ubw9p7QCeWcroOvy9Y='
    """
    allowed = {b"script": "'self'", b"style": "'self'"}
    for kind, inline in _INLINE.findall(page):
        digest = base64.b64encode(hashlib.sha256(inline).digest()).decode()
        allowed[kind] += f" 'sha256-{digest}'"
    scripts = f"script-src {allowed[b'script']}; style-src {allowed[b'style']}"
    return (
        f"default-src 'none'; {scripts}; connect-src 'self'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def bearer_token(headers: Headers) -> str | None:
    """Return the token of a request, or None if it has none or several.

    Examples
    --------
    >>> bearer_token(Headers({"Authorization": "Bearer abc"}))
    'abc'
    """
    values = headers.getlist("authorization")
    if len(values) != 1:
        return None
    scheme, _, token = values[0].partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object that a body holds.

    Raises
    ------
    RefusedError
        If the body is not a JSON object, or contains NaN, infinity or half a surrogate pair.
    """
    try:
        data = json.loads(body.decode(), parse_constant=_refuse_constant)
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError):
        raise RefusedError(400, "the request is not JSON in UTF-8") from None
    if not isinstance(data, dict):
        raise RefusedError(400, "the request is not a JSON object")
    return data


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


class RequestFilter:
    """Passes only requests from this server's pages to an application, and adds security headers.

    Parameters
    ----------
    application : ASGI application
    hosts : iterable of str
        Allowed values of ``Host``, with the port: ``127.0.0.1:8765``.
    policy : str
        The Content-Security-Policy.

    Notes
    -----
    Another ``Host`` gives 421: the name of another site may resolve to this machine (DNS
    rebinding). Another ``Origin`` gives 403, and so does a POST without one. No header allows
    other sites to read a response.
    """

    def __init__(self, application: ASGIApp, *, hosts: Iterable[str], policy: str) -> None:
        self._application = application
        self._hosts = {host.lower() for host in hosts}
        self._headers = {
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Cross-Origin-Opener-Policy": "same-origin",
            "X-Frame-Options": "DENY",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to one request."""

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        try:
            # Read first, so that the client has sent everything when the response arrives.
            body = await _read_body(receive)
            if body is None:
                return
            self._check(scope["method"], Headers(scope=scope))
        except RefusedError as refused:
            await refused.response()(scope, receive, send_guarded)
            return
        pending = [{"type": "http.request", "body": body, "more_body": False}]

        async def receive_body() -> Message:
            return pending.pop() if pending else await receive()

        await self._application(scope, receive_body, send_guarded)

    def _check(self, method: str, headers: Headers) -> None:
        host = headers.getlist("host")
        if len(host) != 1 or host[0].lower() not in self._hosts:
            raise RefusedError(421, "this server does not answer under that name")
        origin = headers.getlist("origin")
        if origin != [f"http://{host[0]}"] and (origin or method not in ("GET", "HEAD")):
            raise RefusedError(403, "the request does not come from a page of this server")


async def _read_body(receive: Receive) -> bytes | None:
    """Return the body of a request, or None if the client disconnected."""
    body, size, is_incomplete = b"", 0, True
    while is_incomplete and size <= _MAX_DISCARDED:
        message = await receive()
        if message["type"] != "http.request":
            return None
        size += len(message["body"])
        if size <= MAX_BODY:
            body += message["body"]
        is_incomplete = message["more_body"]
    if size > MAX_BODY:
        raise RefusedError(413, f"the request is larger than {MAX_BODY >> 10} KiB")
    return body
