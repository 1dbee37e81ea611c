"""The site works from a folder that is opened as files, without a server."""

from __future__ import annotations

import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from wordorder.metrics import METRICS

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site is built where its tools are installed")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    subprocess.run([*build, "--site-dir", str(folder)], cwd=ROOT, check=True)
    return folder


def test_every_metric_has_a_place_in_the_navigation(site: Path) -> None:
    start = (site / "index.html").read_text("utf-8")
    places = [start.find(f'href="metrics/{name}.html"') for name in METRICS.built_in]
    pages = [
        place for name, place in zip(METRICS.built_in, places, strict=True) if "lr-" not in name
    ]
    assert -1 not in pages


def test_search_needs_no_server(site: Path) -> None:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no browser: the search is not tested")
    pytest.importorskip("playwright.sync_api")
    # In a thread of its own: another browser may be open in this one.
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(first_hit, program, site, "fuzzy reordering score").result()
    assert found.endswith("/metrics/frs.html")


def first_hit(program: str, site: Path, words: str) -> str:
    """Search the site in a browser; return the address of the page on the score."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as running:
        browser: Browser = running.chromium.launch(
            executable_path=program, args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        page.goto((site / "index.html").as_uri())
        page.fill("#rtd-search-form input", words)
        page.keyboard.press("Enter")
        page.wait_for_selector("#mkdocs-search-results article")
        page.locator("article a", has_text="frs: the fuzzy reordering score").first.click()
        address: str = page.url
        browser.close()
    return address
