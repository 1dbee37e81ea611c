"""``wordorder serve``: the pages of a project that is there already."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from wordorder.cli.serving_options import serve_pages, serving_options

if TYPE_CHECKING:
    from wordorder.people.project import Project


@click.command("serve")
@click.argument("path", metavar="PROJECT.db")
@click.option("--add", type=click.IntRange(1), metavar="N", help="First add N raters.")
@click.option(
    "--revoke",
    "revoked",
    multiple=True,
    metavar="NAME",
    help="First close the link of a rater: what he answered stays, the rest goes to others.",
)
@click.option(
    "--renew",
    "renewed",
    multiple=True,
    metavar="NAME",
    help="First give a rater a new link; the old one is closed.",
)
@serving_options
def command(
    path: str, add: int | None, revoked: tuple[str, ...], renewed: tuple[str, ...], **serving: Any
) -> None:
    """Go on with a project of `annotate` or `rate`.

    Prints one line a rater, NAME LINK, and serves the pages until it is interrupted.
    """

    def opened() -> Project:
        from wordorder.people.beginning import continued_project

        return continued_project(path, add=add or 0, revoke=revoked, renew=renewed)

    serve_pages(opened, **serving)
