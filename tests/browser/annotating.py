"""A browser's page on the annotation server, as a person uses it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tests.browser.annotation_server import AnnotationServer

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# What a page sees of where it is: the cursor, the picked word, the words with digits, all links.
_STATE = """() => {
  const at = (node) => node && [node.dataset.side, Number(node.dataset.at)];
  return {
    cursor: at(document.querySelector(".word[data-active]")),
    picked: at(document.querySelector(".word[aria-pressed=true]")),
    digits: Object.fromEntries([...document.querySelectorAll(".word[data-digit]")]
      .map((word) => [word.dataset.at, word.dataset.digit])),
    links: [...document.querySelectorAll(".links path")].map((path) => path.dataset.pair),
  };
}"""

# The middle of each word.
_PLACES = """() => Object.fromEntries(["source", "target"].map((side) =>
  [side, [...document.querySelectorAll(`.${side} .word`)].map((word) => {
    const { x, y, width, height } = word.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
  })]))"""


class Annotator:
    """Works on the page, and counts keys and clicks.

    Attributes
    ----------
    faults : list of str
        Errors of scripts, and what the policy of the page refused.
    """

    def __init__(self, browser: Browser, server: AnnotationServer, **options: Any) -> None:
        self.server = server
        self.actions = 0
        self.faults: list[str] = []
        options.setdefault("viewport", {"width": 1200, "height": 1000})
        self._context = browser.new_context(**options)
        self._context.set_default_timeout(10_000)
        self.page: Page = self._context.new_page()
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self._said(message.text))
        self.open()

    def open(self) -> None:
        """Open the link."""
        self.page.goto("about:blank")
        self.page.goto(self.server.url)
        self.page.wait_for_selector("#work:not([hidden]), #end:not([hidden])")

    def keys(self, *keys: str) -> Annotator:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)
            self.actions += 1
        return self

    def word(self, side: str, at: int) -> Any:
        """Return a word."""
        return self.page.locator(f".{side} .word").nth(at)

    def words(self, side: str) -> list[str]:
        """Return the words of a side as they are shown."""
        return self.page.locator(f".{side} .word .text").all_text_contents()

    def state(self) -> dict[str, Any]:
        """Return what the page shows."""
        found: dict[str, Any] = self.page.evaluate(_STATE)
        return found

    def links(self) -> list[str]:
        """Return the links in the order of the source, such as ``"0-1 sure"``."""
        return list(self.state()["links"])

    def places(self) -> dict[str, list[tuple[float, float]]]:
        """Return where the words are."""
        found: dict[str, list[tuple[float, float]]] = self.page.evaluate(_PLACES)
        return found

    def save(self, task: str) -> dict[str, Any]:
        """Press Enter, and y if asked; return the answer that the server got for the task."""
        self.keys("Enter")
        place = f"Sentence {int(task) + 1} "

        def gone() -> bool:
            if self.page.locator("#asking[open]").count():
                self.keys("y")
            return not (self.page.locator("#place").text_content() or "").startswith(place)

        self.until(gone)
        answer: dict[str, Any] = self.server.answers[task]
        return answer

    def shows(self, text: str) -> None:
        """Wait until a text is seen."""
        self.page.get_by_text(text).first.wait_for(state="visible")

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something outside of the page."""
        end = time.monotonic() + 10
        while not condition():
            assert time.monotonic() < end
            self.page.wait_for_timeout(20)

    def close(self) -> None:
        """Close the window."""
        self._context.close()

    def _said(self, text: str) -> None:
        # A server that is down is noted by the browser, whatever the page does.
        if "Failed to load resource" not in text:
            self.faults.append(text)


Opened = Callable[..., Annotator]
