"""Connections of the server: their number and their time limits."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import sys
from collections import OrderedDict
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from wordorder.messages import counted
from wordorder.people.error_log import RateLimitedLog

# Seconds for the head of a request, and again for its body.
REQUEST_SECONDS = 20.0
# Seconds for computing and sending a response; pages give up earlier.
_ANSWER_SECONDS = 60.0
# Open files other than connections: the project and its log, standard streams, the event loop.
_RESERVED_FILES = 56
_MIN_CONNECTIONS, _MAX_CONNECTIONS = 8, 1000
# Seconds between an accept that failed and the next one.
_RETRY_SECONDS = 0.2


def max_connections() -> int:
    """Return the number of connections that the limit of open files allows, raised if possible.

    Examples
    --------
    >>> 8 <= max_connections() <= 1000
    True
    """
    if sys.platform == "win32":
        return _MAX_CONNECTIONS
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = _MAX_CONNECTIONS + _RESERVED_FILES
    if soft == resource.RLIM_INFINITY:
        return _MAX_CONNECTIONS
    if soft < needed:
        allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
            soft = allowed
    return max(_MIN_CONNECTIONS, min(_MAX_CONNECTIONS, soft - _RESERVED_FILES))


class ConnectionPool:
    """The connections of a server; at the limit, the one that has waited longest is closed.

    Parameters
    ----------
    server : uvicorn.Server
        A server whose configuration is loaded.
    limit : int
        Largest number of connections at a time.
    """

    def __init__(self, server: uvicorn.Server, limit: int) -> None:
        self._server = server
        self._limit = limit
        self._connections: set[Connection] = set()
        # Connections that wait for a request, the longest first.
        self._waiting: OrderedDict[Connection, None] = OrderedDict()
        self._changed = asyncio.Event()
        self._log = RateLimitedLog()

    async def accept(self, listening: socket.socket) -> None:
        """Accept connections until the server ends."""
        asyncio.get_running_loop().set_exception_handler(self._note_error)
        listening.setblocking(False)
        try:
            while not self._server.should_exit:
                await self._accept_one(listening)
        finally:
            # Without accepting connections, a running server is useless.
            self._server.should_exit = True

    async def _accept_one(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            client, _ = await loop.sock_accept(listening)
        except OSError as error:
            if error.errno != errno.ECONNABORTED:
                self._log.say("connections", f"cannot take a connection: {error.strerror}")
                self._close_longest_waiting()
                await asyncio.sleep(_RETRY_SECONDS)
            return
        try:
            await self._wait_for_free_place()
            await loop.connect_accepted_socket(lambda: Connection(self, self._server), client)
        except OSError:
            client.close()

    def add(self, connection: Connection) -> None:
        """Add a new connection."""
        self._connections.add(connection)

    def remove(self, connection: Connection) -> None:
        """Remove a closed connection."""
        self._connections.discard(connection)
        self._waiting.pop(connection, None)
        self._changed.set()

    def set_waiting(self, connection: Connection, waiting: bool) -> None:
        """Record whether a connection waits for a request."""
        self._waiting.pop(connection, None)
        if waiting:
            self._waiting[connection] = None
            self._changed.set()

    async def _wait_for_free_place(self) -> None:
        while len(self._connections) >= self._limit:
            problem = f"more than {counted(self._limit, 'connection')} at a time"
            why = f"{problem}, all that the limit of open files allows"
            consequence = "those that wait longest are closed; pages connect again"
            self._log.say("connections", f"{why}: {consequence}")
            self._changed.clear()
            self._close_longest_waiting()
            # Wait until it is closed or, if none was waiting, until a response is complete.
            await self._changed.wait()

    def _close_longest_waiting(self) -> None:
        if self._waiting:
            self._waiting.popitem(last=False)[0].transport.abort()

    def _note_error(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Note an unexpected error of a connection, instead of a traceback."""
        error = context.get("exception")
        if not isinstance(error, OSError):
            why = context["message"] if error is None else f"{type(error).__name__}: {error}"
            self._log.say("internal", f"internal error: {why}; please report it")


class Connection(H11Protocol):
    """A connection of one browser, with a time limit for each part of a request."""

    def __init__(self, pool: ConnectionPool, server: uvicorn.Server) -> None:
        super().__init__(server.config, server.server_state, {})
        self._pool = pool
        self._responses = 0
        self._stage: tuple[object, int] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start to wait for a request."""
        super().connection_made(transport)
        self._pool.add(self)
        self._update_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """Leave the pool."""
        if self._timer is not None:
            self._timer.cancel()
        self._pool.remove(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Receive a part of a request."""
        super().data_received(data)
        self._update_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._responses += 1
        super().on_response_complete()
        self._update_timer()

    def shutdown(self) -> None:
        """Close at once, or after the response if a complete request has been received."""
        if self._is_waiting():
            self.transport.abort()
        elif not self.transport.is_closing():
            super().shutdown()

    def _is_waiting(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _update_timer(self) -> None:
        """Restart the time limit when a part of a request, or its answer, is complete."""
        stage = (self.conn.their_state, self._responses)
        if stage == self._stage or self.transport.is_closing():
            return
        self._stage = stage
        waiting = self._is_waiting()
        self._pool.set_waiting(self, waiting)
        if self._timer is not None:
            self._timer.cancel()
        # Aborted, not closed: unsent data would keep a closing connection open.
        seconds = REQUEST_SECONDS if waiting else _ANSWER_SECONDS
        self._timer = self.loop.call_later(seconds, self.transport.abort)
