"""One Chromium for all tests of pages; without it they are skipped, and say why."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import pytest
from tests.browser.annotating import Annotator, Opened
from tests.browser.annotation_server import AnnotationServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox --disable-gpu --disable-background-networking --no-first-run "
    "--disable-component-update --disable-sync"
).split()


def missing(what: str) -> NoReturn:
    """Skip the test, or fail where a browser must be there."""
    if os.environ.get("WORDORDER_BROWSER") == "required":
        pytest.fail(f"WORDORDER_BROWSER=required, but there is no {what}", pytrace=False)
    pytest.skip(f"no {what}: pages are not tested in a browser")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser as slow."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("slow")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start Debian's Chromium, or another one that is installed."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        missing(f"browser ({', '.join(PROGRAMS)})")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("playwright (pip install 'wordorder[test]')")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield browser
        browser.close()


class Tab:
    """Opens pages and notes all that a page should not do.

    Attributes
    ----------
    noted : list of str
        Messages on the console, errors, dialogs, and requests besides those for the pages.
    """

    def __init__(self, browser: Browser, folder: Path) -> None:
        self._browser = browser
        self._folder = folder
        self._contexts: list[Any] = []
        self._written: set[str] = set()
        self.noted: list[str] = []

    def open(self, text: str, **options: Any) -> Page:
        """Open a page in a window of its own; options are those of a browser's context."""
        context = self._browser.new_context(**options)
        self._contexts.append(context)
        context.set_default_timeout(30_000)
        page = context.new_page()
        page.on("console", lambda message: self.noted.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.noted.append(f"error: {error}"))
        page.on("request", lambda request: self._requested(request.url))
        page.on("dialog", self._dialog)
        context.on("page", lambda page: self.noted.append(f"window: {page.url}"))
        return self.show(page, text)

    def show(self, page: Page, text: str) -> Page:
        """Open another page in the same window."""
        path = self._folder / f"page-{len(self._written)}.html"
        path.write_text(text, "utf-8")
        self._written.add(path.as_uri())
        page.goto(path.as_uri())
        return page

    def close(self) -> None:
        """Close all pages."""
        for context in self._contexts:
            context.close()

    def _requested(self, url: str) -> None:
        if url.split("#")[0] not in self._written:
            self.noted.append(f"request: {url[:80]}")

    def _dialog(self, dialog: Any) -> None:
        self.noted.append(f"dialog: {dialog.message}")
        dialog.dismiss()


@pytest.fixture
def tab(browser: Browser, tmp_path: Path) -> Iterator[Tab]:
    """Open pages; in the end the test fails if one did what no page should."""
    made = Tab(browser, tmp_path)
    yield made
    made.close()
    assert made.noted == []


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opened]:
    """Open sentences to annotate; fails in the end if a script failed or a policy was broken."""
    made: list[Annotator] = []

    def open_sentences(*sentences: dict[str, Any], **options: Any) -> Annotator:
        made.append(Annotator(browser, AnnotationServer(list(sentences)), **options))
        return made[-1]

    yield open_sentences
    for annotator in made:
        annotator.close()
        annotator.server.close()
        assert annotator.faults == []
