"""The page on ratings and alignments: its commands, and its pictures.

docs/screenshots.py makes the pictures of the documentation by it.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.browser.page_work import press
from tests.browser.people_site import item, served_project
from tests.cli.running import call
from tests.docs.test_shell_examples import DOCS, agrees
from tests.people.serving import Running

from wordorder.people.protocol import rating_protocol
from wordorder.samples import sample_path

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

TEXT = (DOCS / "how-to/collect.md").read_text("utf-8")
# The command of each block, and what it prints.
RUNS = re.findall(r"^```text\n\$ wordorder (.*)\n((?:(?!```).*\n)*)", TEXT, re.MULTILINE)
TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
SIZE: ViewportSize = {"width": 640, "height": 500}
WIDE: ViewportSize = {"width": 1000, "height": 720}


def rating(output: str, reference: str) -> int:
    """Rate by the words that are in their place."""
    pairs = zip(output.split(), reference.split(), strict=False)
    return round(6 * sum(a == b for a, b in pairs) / len(reference.split()))


def picture(page: Page, name: str, folder: Path) -> None:
    page.screenshot(path=Path(os.environ.get("WORDORDER_PICTURES", folder)) / f"{name}.png")


def shown_and_printed(place: int) -> tuple[str, str]:
    command, shown = RUNS[place]
    done = call(*shlex.split(command))
    return TIME.sub("", shown), TIME.sub("", done.good().text)


def served(place: int) -> Running:
    command, shown = RUNS[place]
    return Running(*shlex.split(command), "--port", "0", links=shown.count("http"))


def test_the_tutorial(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("source.ja", "reference.en", "alder.en", "birch.en", "cedar.en"):
        lines = sample_path(name, "judged").read_text("utf-8").splitlines(keepends=True)
        Path(name).write_text("".join(lines[:4]), "utf-8")
    for name in ("source.en", "target.ja"):
        lines = sample_path(name).read_text("utf-8").splitlines(keepends=True)
        Path(name).write_text("".join(lines[:4]), "utf-8")
    window = browser.new_context(viewport=SIZE)
    page = window.new_page()
    with served(0) as server:
        page.goto(server.links["rater1"])
        for number in range(1, 5):
            page.locator("#place", has_text=f"Page {number} of 4").wait_for()
            reference = page.inner_text("#reference")
            outputs = page.locator("#answers .text").all_inner_texts()
            for output in outputs:
                press(page, str(rating(output, reference)))
                if number == 3 and output == outputs[1]:
                    page.evaluate("scrollTo(0, 0)")
                    picture(page, "rate", tmp_path)
            press(page, "Enter")
        page.wait_for_selector("#end:not([hidden])")
        for rater in ("rater2", "rater3"):
            asking = server.page(rater)
            for number in range(4):
                task = asking.get(f"/api/task/{asking.get('/api/next')[1]['task']}")[1]
                values = [rating(output, task["reference"]) for output in task["outputs"]]
                if rater == "rater3":
                    values = [value - value % 2 for value in values]
                assert asking.save(task["task"], f"{rater} {number}", values)[0] == 200
        assert server.end(signal.SIGTERM)[0] == 0
    for place in (1, 2):
        shown, printed = shown_and_printed(place)
        assert agrees(shown, printed), printed
    page.set_viewport_size(WIDE)
    with served(3) as server:
        page.goto(server.links["rater1"])
        page.wait_for_selector("#work:not([hidden])")
        press(page, *"2221113")
        # The alignment keeps the guideline: the marks go when it has been checked.
        page.locator("#marks", has_text="No marks.").wait_for()
        picture(page, "annotate", tmp_path)
    window.close()


def test_a_missed_check(browser: Browser, tmp_path: Path) -> None:
    sentence = "Do n't use this cream if your skin is very dry ."
    worse = "Do n't use if your skin is very dry this cream ."
    why = "“this cream” follows “use”, of which it is the object."
    source = sample_path("source.ja", "judged").read_text("utf-8").split("\n")[0]
    pairs = [item(1, source, sentence, sentence, worse, control=why), item(2, *"abcd")]
    protocol = rating_protocol("preference", ratings=1)
    window = browser.new_context(viewport=SIZE, color_scheme="dark")
    with served_project(tmp_path / "p.db", protocol, pairs, 1) as site:
        page = site.open(window)
        if page.inner_text("#source") == "a":
            press(page, "d", "Enter")
            page.locator("#place", has_text="Page 2 of 2").wait_for()
        elif page.locator("#instructions").get_attribute("open") is not None:
            page.click("summary")
        press(page, "ab"[page.inner_text("#text-0") == sentence], "Enter")
        page.wait_for_selector("#feedback:not([hidden])")
        assert page.inner_text("#explanation") == why
        picture(page, "preference", tmp_path)
    window.close()
