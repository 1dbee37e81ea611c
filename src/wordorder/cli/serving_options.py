"""What `annotate`, `rate` and `serve` share: where pages are served, and serving them."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from wordorder.cli import INTERRUPTED
from wordorder.cli.messages import say
from wordorder.errors import UsageError

if TYPE_CHECKING:
    from wordorder.people.project import Project

Function = TypeVar("Function", bound=Callable[..., Any])

# Always the same: what a page keeps in the browser, it finds again only under the same port.
PORT = 8765


def serving_options(function: Function) -> Function:
    """Add where the pages are served."""
    decorators = [
        click.option(
            "--port",
            type=click.IntRange(0, 65535),
            default=PORT,
            show_default=True,
            metavar="N",
            help="The port of 127.0.0.1 that the pages are served at; 0 takes a free one.",
        ),
        click.option("--no-browser", is_flag=True, help="Do not open the link in a browser."),
        click.option(
            "--lan",
            is_flag=True,
            help="Let other machines of the network connect too, by plain HTTP.",
        ),
        click.option(
            "--host",
            "hosts",
            multiple=True,
            metavar="NAME",
            help="With --lan: a further name of this machine in the network; links show the first. "
            "[default: its address]",
        ),
    ]
    for decorator in reversed(decorators):
        function = decorator(function)
    return function


def require_pages() -> None:
    """Raise a UsageError if what serves the pages is not installed."""
    from wordorder.parsing.adapters.package import load_package

    for module in ("starlette", "uvicorn"):
        load_package(module, "pages")


def serve_pages(
    opened: Callable[[], Project],
    *,
    port: int,
    no_browser: bool,
    lan: bool,
    hosts: tuple[str, ...],
) -> None:
    """Open a project, print the links of its raters and serve its pages until a signal comes."""
    require_pages()
    if hosts and not lan:
        raise UsageError("--host names this machine in its network; it needs --lan")
    from wordorder.people.serving import listen, serve

    with listen(port, lan=lan) as listening, opened() as project:
        # Only one rater is likely to sit here.
        interrupted = serve(
            project,
            listening,
            names=hosts if lan else None,
            show=_show,
            browser=not no_browser,
        )
        say(f"the server has ended; go on with: wordorder serve {project.path}")
    if interrupted:
        click.get_current_context().exit(INTERRUPTED)


def _show(line: str) -> None:
    """Print a line at once: who started the program as a process waits for it."""
    click.echo(line)
    sys.stdout.flush()
