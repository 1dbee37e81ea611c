"""Running the server: where it listens, under which names, and how it ends."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import re
import signal
import socket
import sys
import threading
import webbrowser
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import Any

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from wordorder.errors import UsageError
from wordorder.messages import counted, note
from wordorder.people.app import Endpoints, static_files
from wordorder.people.project import Project
from wordorder.people.trouble import Trouble

LOOPBACK = "127.0.0.1"

EVERYWHERE = "0.0.0.0"

# Seconds that an answer which is being written may take when the server ends; the page sends again
# what it did not hear of.
_GRACE = 1

# Connections that the system holds until they are taken.
_BACKLOG = 128

_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")

# Of networks that are for examples alone: nothing is sent there.
_OUTSIDE = ("192.0.2.1", 9)


def listen(port: int, *, lan: bool = False) -> socket.socket:
    """Return a socket that listens: on this machine alone, or on its network.

    Parameters
    ----------
    port : int
        0 takes one that is free.
    lan : bool, optional
        Other machines can connect.

    Raises
    ------
    UsageError
        If another program has the port, or the port needs more rights.

    Examples
    --------
    >>> with listen(0) as listening:
    ...     print(listening.getsockname()[0])
    127.0.0.1
    """
    # With its protocol named, answers are sent at once; else they would wait 40 ms for each other.
    listening = socket.socket(proto=socket.IPPROTO_TCP)
    # Elsewhere the option means that the port of one that just ended is free; on Windows, that
    # anyone may take it.
    if sys.platform == "win32":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((EVERYWHERE if lan else LOOPBACK, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        used = error.errno == errno.EADDRINUSE
        why = "is in use by another program" if used else f"cannot be used: {error.strerror}"
        raise UsageError(f"port {port} {why}; give another with --port=N") from None
    return listening


def own_names() -> list[str]:
    """Return the names and addresses by which other machines may call this one, the best first."""
    names = []
    with contextlib.suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.connect(_OUTSIDE)
        names.append(probe.getsockname()[0])
    name = socket.gethostname()
    with contextlib.suppress(OSError):
        names += socket.gethostbyname_ex(name)[2]
    names += [name, f"{name.partition('.')[0]}.local"]
    return list(dict.fromkeys(names))


def serve(
    project: Project,
    listening: socket.socket,
    *,
    show: Callable[[str], object],
    names: Sequence[str] | None = None,
    browser: bool = False,
    overview: Callable[[], str] | None = None,
) -> bool:
    """Serve a project's pages until a signal comes; return whether it came from the keyboard.

    Parameters
    ----------
    project : Project
    listening : socket
        As `listen` returns it.
    show : function
        Gets ``NAME LINK`` of each rater as soon as the server answers.
    names : sequence of str, optional
        That the socket listens to the network, and names of this machine there besides those that
        it knows itself.
    browser : bool, optional
        Whether a browser opens the link of a rater who is the only one.
    overview : function, optional
        Returns the page of the project's owner; a note tells its link.
    """
    port = listening.getsockname()[1]
    called = [] if names is None else list(dict.fromkeys([*map(_legal, names), *own_names()]))
    address = called[0] if called else LOOPBACK
    raters = [rater for rater in project.raters() if not rater.revoked]
    links = [f"http://{address}:{port}/#{rater.token}" for rater in raters]
    if names is not None:
        what = "who can read its traffic can read links and answers"
        where = f"they answer under {', '.join(called)}"
        note(f"the pages are open to the network by plain HTTP: {what}; {where}")
    page = "annotate.html" if project.protocol.name == "annotate" else "rate.html"
    endpoints = Endpoints(project, page=page, static=static_files(), overview=overview)

    def ready() -> None:
        for rater, link in zip(raters, links, strict=True):
            show(f"{rater.name} {link}")
        if overview is not None:
            # Not beside the links to give away.
            owner = f"http://{address}:{port}/owner#{project.owner_token()}"
            note(f"the owner's page, for nobody who rates: {owner}")
        if browser and len(links) == 1:
            open_browser(links[0])

    try:
        return run(endpoints.application(hosts(port, called)), listening, ready) == signal.SIGINT
    finally:
        endpoints.close()


def _legal(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UsageError(f"--host={name!r}: expected a name or an address, without a port")
    return name


def hosts(port: int, names: list[str]) -> list[str]:
    """Return what ``Host`` may be for a server with these names beside those of the machine itself.

    Examples
    --------
    >>> hosts(8765, [])
    ['127.0.0.1:8765', 'localhost:8765']
    >>> hosts(80, ["annotation"])[-2:]
    ['annotation:80', 'annotation']
    """
    called = dict.fromkeys([LOOPBACK, "localhost", *names])
    return [host for name in called for host in ([f"{name}:{port}"] + [name] * (port == 80))]


def run(
    application: ASGIApp, listening: socket.socket, ready: Callable[[], None] = lambda: None
) -> int:
    """Answer requests until a signal to stop comes; return the signal.

    SIGTERM, SIGINT and SIGHUP end it: answers that are being written are finished, for at most a
    second. No request is logged. The head of a request and its body have twenty seconds each. There
    are no more connections than the limit of open files allows, which is raised if it can be: then
    the one that waits longest for a request gives way to a new one.

    Parameters
    ----------
    application : ASGI application
    listening : socket
        As `listen` returns it; it is closed.
    ready : function, optional
        Called as soon as a signal would end the server in this way.
    """
    config = uvicorn.Config(
        application,
        loop="asyncio",
        http="h11",
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE,
    )
    server = uvicorn.Server(config)
    # It cannot keep the program from its end.
    thread = threading.Thread(
        target=lambda: asyncio.run(_answer(server, listening)), name="server", daemon=True
    )
    with _signals() as received:
        thread.start()
        try:
            ready()
            while thread.is_alive() and not received:
                thread.join(0.2)
        finally:
            server.should_exit = True
            thread.join(2 * _GRACE)
            server.force_exit = True
            thread.join(_GRACE)
            listening.close()
    return received[0] if received else 0


async def _answer(server: uvicorn.Server, listening: socket.socket) -> None:
    server.config.load()
    crowd = Crowd(server, most_connections())
    accepting = asyncio.create_task(crowd.accept(listening))
    # It answers; connections come from the crowd.
    await server.serve(sockets=[])
    accepting.cancel()


@contextlib.contextmanager
def _signals() -> Iterator[list[int]]:
    """Keep the signals that would end the program in a list, in place of what else they do."""
    received: list[int] = []

    def keep(number: int, frame: FrameType | None) -> None:
        received.append(number)

    kept = [signal.SIGTERM, signal.SIGINT]
    if sys.platform != "win32":
        kept.append(signal.SIGHUP)
    # What a shell has the program ignore, it goes on to ignore.
    before = {each: signal.getsignal(each) for each in kept}
    for each, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(each, keep)
    try:
        yield received
    finally:
        for each, handler in before.items():
            signal.signal(each, handler or signal.SIG_DFL)


def open_browser(link: str) -> None:
    """Open a link in the browser with windows, if there is one; do not wait for it."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    # One of exactly this class takes the terminal.
    if type(browser) is not webbrowser.GenericBrowser:
        threading.Thread(target=browser.open, args=(link,), daemon=True).start()


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
            what = f"more than {counted(self._most, 'connection')} at a time"
            why = f"{what}, all that the limit of open files allows"
            then = "those that wait longest are closed; pages connect again"
            self._trouble.say("connections", f"{why}: {then}")
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
        """Restart the time limit when a part of a request, or its answer, is complete."""
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
