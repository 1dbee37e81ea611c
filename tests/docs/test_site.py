"""The site works from a folder that is opened as files, without a server."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import click
import pytest
from tests.cli.test_help import COMMANDS

from wordorder.cli.command import Setting
from wordorder.metrics import METRICS
from wordorder.schemas import schema_names

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


def test_addresses_of_metrics_lead_to_their_sections(site: Path) -> None:
    for name in METRICS.built_in:
        if name.startswith("lr-"):
            continue
        moved = (site / "metrics" / f"{name}.html").read_text("utf-8")
        found = re.search(r'url=([a-z-]+\.html)#([a-z0-9-]+)"', moved)
        assert found is not None, name
        assert f'id="{found[2]}"' in (site / "metrics" / found[1]).read_text("utf-8"), name


def test_page_of_commands_has_the_options_of_each(site: Path) -> None:
    page = (site / "reference" / "verbs.html").read_text("utf-8")
    assert "::: commands" not in page
    sections = dict(re.findall(r'<h2 id="[^"]+">(.*?)<a .*?</h2>(.*?)(?=<h2 |</body>)', page, re.S))
    for name, command in COMMANDS.items():
        for parameter in command.params:
            for option in parameter.opts if isinstance(parameter, click.Option) else ():
                shown = f"-O {option[2:]}" if isinstance(parameter, Setting) else option
                assert f"<code>{shown}</code>" in sections[name], (name, shown)


def test_page_of_formats_has_the_keys_of_each_output(site: Path) -> None:
    page = (site / "formats.html").read_text("utf-8")
    assert "::: outputs" not in page
    for name in schema_names()[:-1]:
        assert f'href="schemas/{name}.json"' in page, name
    for key in ("findings[].explained", "systems[].scores[].segments_signature", "pairs[].f1"):
        assert f"<code>{key}</code>" in page, key


def test_old_addresses_lead_to_pages_and_sections(site: Path) -> None:
    for moved in site.rglob("*.html"):
        found = re.search(r'url=([^"#]+)#?([^"]*)"', moved.read_text("utf-8")[:300])
        if found is not None:
            page = (moved.parent / found[1]).read_text("utf-8")
            assert not found[2] or f'id="{found[2]}"' in page, moved.name


def test_search_needs_no_server(site: Path) -> None:
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no browser: the search is not tested")
    pytest.importorskip("playwright.sync_api")
    # In a thread of its own: another browser may be open in this one.
    with ThreadPoolExecutor(1) as thread:
        found = thread.submit(first_hit, program, site, "fuzzy reordering score").result()
    assert found.endswith("/metrics/order.html#frs")


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
