"""The page of a project's owner in a browser: as it looks, by keyboard, and as it is heard."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.axe import axe_script, violations
from tests.browser.people_site import Site, item, served_project

from wordorder.cli.people import owner_page
from wordorder.people.protocol import rating_protocol

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

HOSTILE = "<script>alert(1)</script>"
TREE = """- heading "Progress of p.db" [level=1]
- paragraph:
  - progressbar "answers given"
  - text: 75 %
- paragraph: 6 of 8 answers are given. About 1 min of work is left.
- paragraph: 2 of 4 items have all their answers."""
ROW = 'row "rater2 2 of 4 (50 %) 43 s'


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """Serve a project in which one rater has rated four sentences, the other two."""
    items = [item(line, f"s{line}", HOSTILE, "one", "two") for line in range(1, 5)]
    protocol = rating_protocol("talbot", max_share=1, ratings=2)
    with served_project(tmp_path / "p.db", protocol, items, 2) as made:
        seconds = 1_760_000_000
        made.project._now = lambda: seconds  # type: ignore[method-assign]
        for number, rater in enumerate(made.project.raters()):
            for _ in range((4, 2)[number]):
                task, _, _ = made.project.next_task(rater)
                assert task is not None
                seconds += 31 + 12 * number
                made.project.save(rater, task, f"{number} {task}", [number, 5])
        yield made


def opened(window: BrowserContext, site: Site) -> Page:
    page = window.new_page()
    page.goto(f"{site.url}owner#{site.project.owner_token()}")
    page.get_by_role("heading", level=1).wait_for()
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_core_finds_nothing(
    browser: Browser, tmp_path: Path, site: Site, scheme: Any, width: int
) -> None:
    window = browser.new_context(
        bypass_csp=True, color_scheme=scheme, viewport={"width": width, "height": 800}
    )
    page = opened(window, site)
    file = tmp_path / "p.html"
    file.write_text(owner_page(str(site.path)), "utf-8")
    for address in (None, file.as_uri()):
        if address:
            page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert violations(page, axe_script()) == []
    window.close()


def test_by_keyboard_and_in_the_tree_of_a_screen_reader(
    browser: Browser, tmp_path: Path, site: Site
) -> None:
    window = browser.new_context(viewport={"width": 900, "height": 760})
    page = opened(window, site)
    noted: list[str] = []
    page.on("console", lambda message: noted.append(message.text))
    shown = page.locator("#shown").aria_snapshot()
    assert shown.startswith(TREE)
    assert ROW in shown
    names = []
    for _ in range(8):
        page.keyboard.press("Tab")
        names.append(
            page.evaluate("document.activeElement.ariaLabel ?? document.activeElement.textContent")
        )
        if names[-1] == "Download ratings (tsv)":
            break
    assert names[:2] == ["table of people", "table of agreement"]
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    assert download.value.suggested_filename == "ratings.tsv"
    text = Path(download.value.path()).read_text("utf-8")
    assert text.splitlines()[0].split("\t")[:4] == ["rater", "item", "system", "value"]
    assert text.count("\n") == 1 + (4 + 2) * 2
    assert noted == []
    folder = os.environ.get("WORDORDER_PICTURES", str(tmp_path))
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=str(Path(folder, "progress.png")))
    window.close()


def test_a_rater_sees_nothing_of_it(browser: Browser, site: Site) -> None:
    window = browser.new_context()
    page = window.new_page()
    page.goto(f"{site.url}owner#{site.token()}")
    page.get_by_text("this page is for the owner of the project alone").wait_for()
    assert page.locator("#shown").inner_text() == ""
    window.close()
