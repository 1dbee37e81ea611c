"""The site works from a folder that is opened as files, without a server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any

import click
import pytest
from tests.browser.axe import axe_script, violations
from tests.cli.test_help import COMMANDS

from wordorder.cli.command import Setting
from wordorder.metrics import METRICS
from wordorder.schemas import schema_names

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        pass


ROOT = Path(__file__).parents[2]
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs", reason="the site is built where its tools are installed")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict"]
    # The theme speaks of the next version of its builder whenever it is imported.
    quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    subprocess.run([*build, "--site-dir", str(folder)], cwd=ROOT, env=quiet, check=True)
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


def pages(site: Path) -> dict[str, str]:
    """Return the text of each page that is not moved, by its place."""
    texts = {str(path.relative_to(site)): path.read_text("utf-8") for path in site.rglob("*.html")}
    return {place: text for place, text in texts.items() if 'http-equiv="refresh"' not in text}


def test_each_page_has_a_link_from_the_text_of_another_one(site: Path) -> None:
    linked = {"index.html", "404.html"}
    for place, text in pages(site).items():
        body = text.partition("<article")[2].partition("</article>")[0]
        for target in re.findall(r'href="([^"#:]+\.html)', body):
            found = os.path.normpath(Path(place).parent / target)
            if found != place:
                linked.add(found)
    assert set(pages(site)) - linked == set()


def test_what_the_package_fills_in_is_there(site: Path) -> None:
    for place, text in pages(site).items():
        assert not re.search(r"^(<p>)?::: ", text, re.MULTILINE), place
    assert 'id="talbot2011"' in (site / "papers.html").read_text("utf-8")
    assert "@software{wordorder," in re.sub(
        r"<[^>]+>", "", (site / "index.html").read_text("utf-8")
    )


@pytest.fixture(scope="module")
def program() -> str:
    found = next(filter(None, map(shutil.which, BROWSERS)), None)
    if found is None:
        pytest.skip("no browser: the pages are not looked at")
    pytest.importorskip("playwright.sync_api")
    return found


def in_browser(program: str, work: Callable[[Browser], Any]) -> Any:
    """Work with a browser, in a thread of its own: another one may be open in this one."""

    def run() -> Any:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as running:
            browser = running.chromium.launch(
                executable_path=program, args=["--no-sandbox", "--disable-gpu"]
            )
            try:
                return work(browser)
            finally:
                browser.close()

    with ThreadPoolExecutor(1) as thread:
        return thread.submit(run).result()


# A page of each kind: pictures and tabs, a table, headings, commands and sessions.
LOOKED_AT = ("index", "glossary", "how-to/parse", "metrics/edits", "concepts/trees")


@pytest.mark.parametrize(
    ("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
)
def test_axe_core_finds_nothing(site: Path, program: str, scheme: Any, width: int) -> None:
    script = axe_script()

    def look(browser: Browser) -> dict[str, Any]:
        context = browser.new_context(
            color_scheme=scheme, viewport={"width": width, "height": 800}, bypass_csp=True
        )
        page = context.new_page()
        found = {}
        for name in LOOKED_AT:
            page.goto((site / f"{name}.html").as_uri())
            wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
            found[name] = (max(wide, 0), violations(page, script))
        return found

    assert in_browser(program, look) == dict.fromkeys(LOOKED_AT, (0, []))


def test_pages_opened_as_files(site: Path, program: str) -> None:
    """A block is copied without prompts, the colours change and stay, nothing is fetched."""

    def use(browser: Browser) -> list[Any]:
        page = browser.new_context(color_scheme="light").new_page()
        wrong: list[str] = []
        asked: list[str] = []
        page.on("console", lambda each: wrong.append(each.text))
        page.on("pageerror", lambda each: wrong.append(str(each)))
        page.on("request", lambda each: asked.append(each.url.partition(":")[0]))
        page.goto((site / "index.html").as_uri())
        page.evaluate("document.execCommand = () => window.got = document.activeElement.value")
        page.locator("pre").first.hover()
        page.locator("pre button").first.click()
        copied = page.evaluate("window.got")
        back = "getComputedStyle(document.body).backgroundColor"
        colours = [page.evaluate(back)]
        for _ in range(2):
            page.locator("[data-md-component=palette] label:visible").click()
        page.goto((site / "formats.html").as_uri())
        colours.append(page.evaluate(back))
        page.evaluate("fetch('https://example.org').catch(() => {})")
        return [copied, colours, set(asked), [each for each in wrong if "Security" not in each]]

    copied, colours, asked, wrong = in_browser(program, use)
    assert copied.splitlines()[0].startswith("printf 'On Tuesday")
    assert len(copied.splitlines()) == 3
    assert colours == ["rgb(255, 255, 255)", "rgb(30, 33, 41)"]
    assert asked == {"file"}
    assert wrong == []


QUESTIONS = {
    "fuzzy reordering score": (
        "Fuzzy reordering score",
        "glossary.html#fuzzy-reordering-score",
    ),
    "distortion limit": ("Window", "glossary.html#window"),
    "uptraining": ("Targeted self-training", "glossary.html#targeted-self-training"),
    "recall-oriented": ("Six distances", "concepts/paths.html#six-distances"),
    "--recipe P2": (
        "The parsers of the papers",
        "how-to/train-parser.html#the-parsers-of-the-papers",
    ),
}


def search(browser: Browser, start: str) -> dict[str, str]:
    """Return where the first link with the title leads that the search of a page shows."""
    page = browser.new_page()
    found = {}
    for words, (title, _) in QUESTIONS.items():
        page.goto(start)
        page.click("[data-md-component=search-query]")
        page.keyboard.type(words)
        page.locator(".md-search-result a:visible", has_text=title).first.click()
        page.wait_for_selector("article h1")
        found[words] = re.sub(r"\?h=[^#]*", "", page.url)
    return found


def test_search_needs_no_server(site: Path, program: str) -> None:
    start = f"{site.as_uri()}/"
    found = in_browser(program, lambda browser: search(browser, f"{start}index.html"))
    assert found == {words: start + to for words, (_, to) in QUESTIONS.items()}


def test_search_of_a_served_site(site: Path, program: str) -> None:
    handler = partial(QuietHandler, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        start = f"http://127.0.0.1:{server.server_port}/"
        found = in_browser(program, lambda browser: search(browser, start))
        server.shutdown()
    assert found == {words: start + to for words, (_, to) in QUESTIONS.items()}
