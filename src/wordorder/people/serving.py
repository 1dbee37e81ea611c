"""The server of a project: its address, the names it answers to, and its shutdown."""

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
from wordorder.people.connections import ConnectionPool, max_connections
from wordorder.people.project import Project

LOOPBACK = "127.0.0.1"
ALL_INTERFACES = "0.0.0.0"
# Seconds to finish pending responses at shutdown; pages repeat requests without a response.
_GRACE_SECONDS = 1
# Connections that the operating system queues until they are accepted.
_BACKLOG = 128
_HOST_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
# An address reserved for documentation (RFC 5737): nothing is sent to it.
_TEST_ADDRESS = ("192.0.2.1", 9)


def listen(port: int, *, lan: bool = False) -> socket.socket:
    """Return a listening socket: for this machine only, or for its network.

    Parameters
    ----------
    port : int
        0 selects a free port.
    lan : bool, optional
        Whether other machines can connect.

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
    # With an explicit protocol, asyncio sets TCP_NODELAY; responses would be delayed by 40 ms.
    listening = socket.socket(proto=socket.IPPROTO_TCP)
    # On Windows, SO_REUSEADDR would let other programs take the port; elsewhere it frees the port
    # of a server that has just ended.
    if sys.platform == "win32":
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((ALL_INTERFACES if lan else LOOPBACK, port))
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        is_in_use = error.errno == errno.EADDRINUSE
        why = "is in use by another program" if is_in_use else f"cannot be used: {error.strerror}"
        raise UsageError(f"port {port} {why}; give another with --port=N") from None
    return listening


def host_names() -> list[str]:
    """Return names and addresses of this machine for other machines, the best first."""
    names = []
    with contextlib.suppress(OSError), socket.socket(type=socket.SOCK_DGRAM) as probe:
        probe.connect(_TEST_ADDRESS)
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
    """Serve the pages of a project until a signal; return whether it came from the keyboard.

    Parameters
    ----------
    project : Project
    listening : socket
        The socket of `listen`.
    show : function
        Called with ``NAME LINK`` of each rater as soon as the server is ready.
    names : sequence of str, optional
        Further names of this machine on the network; None if the socket is local.
    browser : bool, optional
        Whether to open the link in a browser if there is only one rater.
    overview : function, optional
        Returns the page of the project's owner; its link is noted.
    """
    port = listening.getsockname()[1]
    host_list = (
        [] if names is None else list(dict.fromkeys([*map(_check_host, names), *host_names()]))
    )
    address = host_list[0] if host_list else LOOPBACK
    raters = [rater for rater in project.raters() if not rater.revoked]
    links = [f"http://{address}:{port}/#{rater.token}" for rater in raters]
    if names is not None:
        risk = "who can read its traffic can read links and answers"
        addresses = f"they answer under {', '.join(host_list)}"
        note(f"the pages are open to the network by plain HTTP: {risk}; {addresses}")
    page = "annotate.html" if project.protocol.name == "annotate" else "rate.html"
    endpoints = Endpoints(project, page=page, static=static_files(), overview=overview)

    def ready() -> None:
        for rater, link in zip(raters, links, strict=True):
            show(f"{rater.name} {link}")
        if overview is not None:
            # Kept apart from the links for raters.
            owner = f"http://{address}:{port}/owner#{project.owner_token()}"
            note(f"the owner's page, for nobody who rates: {owner}")
        if browser and len(links) == 1:
            open_browser(links[0])

    try:
        return (
            run(endpoints.application(allowed_hosts(port, host_list)), listening, ready)
            == signal.SIGINT
        )
    finally:
        endpoints.close()


def _check_host(name: str) -> str:
    if not _HOST_NAME.fullmatch(name):
        raise UsageError(f"--host={name!r}: expected a name or an address, without a port")
    return name


def allowed_hosts(port: int, names: list[str]) -> list[str]:
    """Return the allowed values of ``Host``: names of this machine for itself, and `names`.

    Examples
    --------
    >>> allowed_hosts(8765, [])
    ['127.0.0.1:8765', 'localhost:8765']
    >>> allowed_hosts(80, ["annotation"])[-2:]
    ['annotation:80', 'annotation']
    """
    all_names = dict.fromkeys([LOOPBACK, "localhost", *names])
    return [host for name in all_names for host in ([f"{name}:{port}"] + [name] * (port == 80))]


def run(
    application: ASGIApp, listening: socket.socket, ready: Callable[[], None] = lambda: None
) -> int:
    """Answer requests until a signal to stop; return the signal.

    SIGTERM, SIGINT and SIGHUP end the server; pending responses have one second to finish.
    Requests are not logged. The head and the body of a request have twenty seconds each. The
    number of connections is bounded by the limit of open files, which is raised if possible; then
    the connection that has waited longest for a request is closed for a new one.

    Parameters
    ----------
    application : ASGI application
    listening : socket
        The socket of `listen`; it is closed at the end.
    ready : function, optional
        Called as soon as signals are handled.
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
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = uvicorn.Server(config)
    # A daemon thread does not keep the program alive.
    thread = threading.Thread(
        target=lambda: asyncio.run(_answer(server, listening)), name="server", daemon=True
    )
    with _collect_signals() as received:
        thread.start()
        try:
            ready()
            while thread.is_alive() and not received:
                thread.join(0.2)
        finally:
            server.should_exit = True
            thread.join(2 * _GRACE_SECONDS)
            server.force_exit = True
            thread.join(_GRACE_SECONDS)
            listening.close()
    return received[0] if received else 0


async def _answer(server: uvicorn.Server, listening: socket.socket) -> None:
    server.config.load()
    pool = ConnectionPool(server, max_connections())
    accepting = asyncio.create_task(pool.accept(listening))
    # The server only responds; the pool accepts connections.
    await server.serve(sockets=[])
    accepting.cancel()


@contextlib.contextmanager
def _collect_signals() -> Iterator[list[int]]:
    """Collect signals that would end the program in a list, instead of ending it."""
    received: list[int] = []

    def record(number: int, frame: FrameType | None) -> None:
        received.append(number)

    signals = [signal.SIGTERM, signal.SIGINT]
    if sys.platform != "win32":
        signals.append(signal.SIGHUP)
    # Signals that the shell has set to be ignored stay ignored.
    handlers = {number: signal.getsignal(number) for number in signals}
    for number, handler in handlers.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, record)
    try:
        yield received
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler or signal.SIG_DFL)


def open_browser(link: str) -> None:
    """Open a link in a graphical browser, if there is one, without waiting for it."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    # This class, without subclasses, is for browsers in the terminal.
    if type(browser) is not webbrowser.GenericBrowser:
        threading.Thread(target=browser.open, args=(link,), daemon=True).start()
