"""Work with a page, and what it costs: the CPU time of its own thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

_PAINT = """() => new Promise((done) => new PerformanceObserver((list) => {
  for (const each of list.getEntries()) {
    if (each.name === 'first-contentful-paint') { done(each.startTime); }
  }
}).observe({ type: 'paint', buffered: true }))"""


def press(page: Page, *keys: str) -> None:
    """Press keys, one after the other."""
    for key in keys:
        page.keyboard.press(key)


def box_of(place: Locator) -> Any:
    """Return where something that is seen is: x, y, width and height."""
    box = place.bounding_box()
    assert box is not None
    return box


def seconds_until_painted(browser: Browser, url: str) -> float:
    """Return the CPU time until a page shows something: the least of three new windows.

    A window is used once: Chromium may give the next page of a window another process, whose clock
    starts at 0.
    """
    return min(_seconds(browser, url) for _ in range(3))


def _seconds(browser: Browser, url: str) -> float:
    window = browser.new_context()
    page = window.new_page()
    session = window.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(url)
    assert page.evaluate(_PAINT) > 0
    measured = session.send("Performance.getMetrics")["metrics"]
    window.close()
    return float({each["name"]: each["value"] for each in measured}["TaskDuration"])
