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
from collections.abc import Callable, Iterator, Sequence
from types import FrameType

import uvicorn
from starlette.types import ASGIApp

from wordorder.errors import UsageError
from wordorder.notes import note
from wordorder.people.app import Endpoints, static_files
from wordorder.people.crowd import Crowd, most_connections
from wordorder.people.project import Project

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
    """
    port = listening.getsockname()[1]
    called = [] if names is None else list(dict.fromkeys([*map(_legal, names), *own_names()]))
    address = called[0] if called else LOOPBACK
    raters = [rater for rater in project.raters() if not rater.revoked]
    links = [f"http://{address}:{port}/#{rater.token}" for rater in raters]
    if names is not None:
        note(
            "the pages are open to the network by plain HTTP: who can read its traffic can read "
            f"links and answers; they answer under {', '.join(called)}"
        )
    annotation = project.protocol.name == "annotate"
    endpoints = Endpoints(
        project, page="annotate.html" if annotation else "rate.html", static=static_files()
    )

    def ready() -> None:
        for rater, link in zip(raters, links, strict=True):
            show(f"{rater.name} {link}")
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
