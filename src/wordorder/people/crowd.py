"""Connections to the server: how many, how long each may take, and which one gives way."""

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

from wordorder.counts import counted
from wordorder.people.trouble import Trouble

# Seconds for the head of a request, and again for its body.
PATIENCE = 20.0
# Seconds for an answer to be made and taken; pages give up before.
_ANSWERED = 60.0
# Files that are no connections: the project and its log, standard streams, those of the loop.
_OTHER_FILES = 56
_FEWEST, _MOST = 8, 1000
# Seconds after an accept that failed.
_PAUSE = 0.2


def most_connections() -> int:
    """Return how many connections the limit of open files allows; it is raised if it can be.

    Examples
    --------
    >>> 8 <= most_connections() <= 1000
    True
    """
    if sys.platform == "win32":
        return _MOST
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST + _OTHER_FILES
    if soft == resource.RLIM_INFINITY:
        return _MOST
    if soft < wanted:
        allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
            soft = allowed
    return max(_FEWEST, min(_MOST, soft - _OTHER_FILES))


class Crowd:
    """The connections of a server; beyond the most, the one that has waited longest is closed.

    Parameters
    ----------
    server : uvicorn.Server
        Its configuration is loaded.
    most : int
        Connections at a time.
    """

    def __init__(self, server: uvicorn.Server, most: int) -> None:
        self._server = server
        self._most = most
        self._all: set[Connection] = set()
        # Those of which the next request is not there yet, who waits longest first.
        self._waiting: OrderedDict[Connection, None] = OrderedDict()
        self._room = asyncio.Event()
        self._trouble = Trouble()

    async def accept(self, listening: socket.socket) -> None:
        """Take connections until the server is to end."""
        asyncio.get_running_loop().set_exception_handler(self._went_wrong)
        listening.setblocking(False)
        try:
            while not self._server.should_exit:
                await self._accept_one(listening)
        finally:
            # Deaf, it would only look like a server.
            self._server.should_exit = True

    async def _accept_one(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        try:
            taken, _ = await loop.sock_accept(listening)
        except OSError as error:
            if error.errno != errno.ECONNABORTED:
                self._trouble.say("connections", f"cannot take a connection: {error.strerror}")
                self._give_way()
                await asyncio.sleep(_PAUSE)
            return
        try:
            await self._make_room()
            await loop.connect_accepted_socket(lambda: Connection(self, self._server), taken)
        except OSError:
            taken.close()

    def joined(self, connection: Connection) -> None:
        """Count a connection that has just been made."""
        self._all.add(connection)

    def left(self, connection: Connection) -> None:
        """Count a connection no more: it is closed."""
        self._all.discard(connection)
        self._waiting.pop(connection, None)
        self._room.set()

    def waits(self, connection: Connection, waiting: bool) -> None:
        """Note that a connection begins to wait for a request, or has one to answer."""
        self._waiting.pop(connection, None)
        if waiting:
            self._waiting[connection] = None
            self._room.set()

    async def _make_room(self) -> None:
        while len(self._all) >= self._most:
            self._trouble.say(
                "connections",
                f"more than {counted(self._most, 'connection')} at a time, all that the limit of "
                "open files allows: those that wait longest are closed; pages connect again",
            )
            self._room.clear()
            self._give_way()
            # Until it is closed, or, where all are being answered, until one of them is.
            await self._room.wait()

    def _give_way(self) -> None:
        if self._waiting:
            self._waiting.popitem(last=False)[0].transport.abort()

    def _went_wrong(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Note what else goes wrong with a connection, in place of a traceback."""
        error = context.get("exception")
        if not isinstance(error, OSError):
            why = context["message"] if error is None else f"{type(error).__name__}: {error}"
            self._trouble.say("internal", f"internal error: {why}; please report it")


class Connection(H11Protocol):
    """A connection of one browser, which has a time for each part of a request."""

    def __init__(self, crowd: Crowd, server: uvicorn.Server) -> None:
        super().__init__(server.config, server.server_state, {})
        self._crowd = crowd
        self._answered = 0
        self._stage: tuple[object, int] | None = None
        self._timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._crowd.joined(self)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give its place away."""
        if self._timer is not None:
            self._timer.cancel()
        self._crowd.left(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take a piece of a request."""
        super().data_received(data)
        self._look()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._answered += 1
        super().on_response_complete()
        self._look()

    def shutdown(self) -> None:
        """End at once if no whole request is there, else when it is answered."""
        if self._is_waiting():
            self.transport.abort()
        elif not self.transport.is_closing():
            super().shutdown()

    def _is_waiting(self) -> bool:
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY)

    def _look(self) -> None:
        """Count the seconds anew when a part of a request is complete, or its answer."""
        stage = (self.conn.their_state, self._answered)
        if stage == self._stage or self.transport.is_closing():
            return
        self._stage = stage
        waiting = self._is_waiting()
        self._crowd.waits(self, waiting)
        if self._timer is not None:
            self._timer.cancel()
        # Aborted, not closed: what the browser does not take would keep it open.
        seconds = PATIENCE if waiting else _ANSWERED
        self._timer = self.loop.call_later(seconds, self.transport.abort)
